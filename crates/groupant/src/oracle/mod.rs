//! Running oracles: build, list, run each in two profiles twice, compare, and
//! make the receipt. Also the level of each model, in [`level`].

mod bounds;
mod builds;
pub mod level;
mod run;
mod trust;

pub use bounds::run_with;
pub use run::run;

use crate::exec::process::Limits;
use crate::exec::{self, Built, Profile, TEST};
use crate::json::{canonical, sha256};
use crate::sidecar::{Placed, Sidecar};
use crate::workspace::Workspace;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// How often each oracle runs in each profile.
pub const REPEATS: usize = 2;

/// The runner's own version: a part of every key of what is re-used.
pub const RUNNER: &str = concat!("groupant-runner/1 ", env!("CARGO_PKG_VERSION"));

/// A named test: `package::target$test`; the target of unit tests is `lib`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reference {
    /// The package.
    pub package: String,
    /// The test target, or `lib`.
    pub target: String,
    /// The test's full name in the binary.
    pub test: String,
}

impl Reference {
    /// Reads `package::target$test`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (place, name) = text.split_once('$')?;
        let (package, target) = place.split_once("::")?;
        let plain = |name: &str| {
            !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
        };
        let all_plain = name.split("::").all(plain);
        (plain(package) && plain(target) && all_plain).then(|| Self {
            package: package.to_owned(),
            target: target.to_owned(),
            test: name.to_owned(),
        })
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}::{}${}", self.package, self.target, self.test)
    }
}

/// Where oracles are named, for findings.
#[derive(Clone, Debug)]
pub struct Mention {
    /// `sidecar/model` or the sidecar of a control.
    pub about: String,
    /// `groupant.toml`.
    pub file: String,
    /// Bytes in it.
    pub place: Placed,
}

/// Every oracle that a set of sidecars names, with its first mention.
#[must_use]
pub fn named(sidecars: &[&Sidecar]) -> BTreeMap<Reference, Mention> {
    let mut map = BTreeMap::new();
    for sidecar in sidecars {
        let models = sidecar.models.iter().flat_map(|model| {
            model
                .oracles
                .iter()
                .map(move |oracle| (sidecar.name_of(model), oracle))
        });
        let controls = sidecar.controls.iter().flat_map(|control| {
            control
                .rejected_by
                .iter()
                .map(|oracle| (sidecar.id.text.clone(), oracle))
        });
        for (about, place) in models.chain(controls) {
            if let Some(reference) = Reference::parse(&place.text) {
                map.entry(reference).or_insert_with(|| Mention {
                    about,
                    file: sidecar.toml(),
                    place: place.clone(),
                });
            }
        }
    }
    map
}

/// What became of one oracle.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The receipt, where every run passed and all agree.
    pub receipt: Option<Value>,
    /// Files that it read.
    pub data: BTreeSet<String>,
    /// Taken from an earlier run on the same binaries.
    pub reused: bool,
    /// Of the slowest run, in seconds; an observation.
    pub seconds: f64,
    /// One word: `passed`, `failed`, `missing`, …
    pub status: &'static str,
}

/// Builds and runs of all oracles.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// By oracle.
    pub oracles: BTreeMap<Reference, Ran>,
    /// By package and profile.
    pub builds: BTreeMap<(String, Profile), Built>,
    /// Digest of each test binary, by package, target and profile.
    pub binaries: BTreeMap<(String, String, Profile), String>,
}

impl Results {
    /// Whether every one of these oracles passed.
    #[must_use]
    pub fn all_passed<'a>(&self, mut oracles: impl Iterator<Item = &'a Reference>) -> bool {
        oracles.all(|oracle| {
            self.oracles
                .get(oracle)
                .is_some_and(|ran| ran.receipt.is_some())
        })
    }

    /// Files that the oracles of a target read.
    #[must_use]
    pub fn data(&self, package: &str, target: &str) -> BTreeSet<String> {
        self.oracles
            .iter()
            .filter(|(reference, _)| reference.package == package && reference.target == target)
            .flat_map(|(_, ran)| ran.data.iter().cloned())
            .collect()
    }
}

/// The test targets by package.
#[must_use]
pub fn targets<'a>(
    oracles: impl Iterator<Item = &'a Reference>,
) -> BTreeMap<String, BTreeSet<String>> {
    let mut map: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for oracle in oracles {
        map.entry(oracle.package.clone())
            .or_default()
            .insert(oracle.target.clone());
    }
    map
}

/// What one run of one test may use.
#[must_use]
pub fn limits(workspace: &Workspace) -> Limits {
    let seconds = workspace
        .config
        .as_ref()
        .and_then(|config| config.test_seconds);
    Limits {
        time: seconds.map_or(TEST.time, |seconds| Duration::from_secs(seconds.get())),
        ..TEST
    }
}

/// The absolute folder of a package.
#[must_use]
pub fn package_folder(workspace: &Workspace, package: &str) -> PathBuf {
    workspace
        .package(package)
        .and_then(|package| package.manifest_path.parent())
        .map_or_else(
            || workspace.root.clone(),
            |folder| folder.as_std_path().to_owned(),
        )
}

/// A file of what is re-used, named by everything that it depends on.
#[must_use]
pub fn cache_file(workspace: &Workspace, room: &str, parts: &[&str]) -> PathBuf {
    let environment: Vec<String> = exec::ENVIRONMENT
        .iter()
        .map(|key| format!("{key}={:?}", std::env::var_os(key)))
        .collect();
    let key = sha256(canonical(&json!([RUNNER, environment, parts])).as_bytes());
    workspace.state.join(format!("cache/{room}/{key}.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_have_three_plain_parts() {
        let reference = Reference::parse("oracles-teacher::decode$m::finite").unwrap();
        assert_eq!(reference.test, "m::finite");
        assert_eq!(reference.to_string(), "oracles-teacher::decode$m::finite");
        for bad in [
            "x",
            "a$b",
            "a::b",
            "a::$c",
            "::b$c",
            "a::b$",
            "a::b$c/../d",
            "a/..::b$c",
        ] {
            assert_eq!(Reference::parse(bad), None, "{bad}");
        }
    }
}
