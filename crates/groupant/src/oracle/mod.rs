//! Running oracles: build, list, run each in two profiles twice, compare, and
//! make the receipt. Also the level of each model, in [`level`].

pub mod level;

use crate::exec::{self, Built, Diagnostic, ExecError, Outcome, Profile, Record, Run, TEST};
use crate::finding::{Code, Finding, Report};
use crate::json::{canonical, is_exact, sha256};
use crate::report::progress::Progress;
use crate::sidecar::{Placed, Rejection, Sidecar};
use crate::workspace::{Workspace, write_atomically};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

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
        let (place, test) = text.split_once('$')?;
        let (package, target) = place.split_once("::")?;
        let plain = |name: &str| {
            !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
        };
        let test_is_plain = test.split("::").all(plain);
        (plain(package) && plain(target) && test_is_plain).then(|| Self {
            package: package.to_owned(),
            target: target.to_owned(),
            test: test.to_owned(),
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

/// Builds and runs the oracles. What is wrong is pushed as findings.
pub fn run(
    workspace: &Workspace,
    oracles: &BTreeMap<Reference, Mention>,
    fresh: bool,
    progress: &Progress,
    report: &mut Report,
) -> Results {
    let mut results = Results::default();
    let target_folder = workspace.metadata.target_directory.as_std_path();
    for (package, targets) in targets(oracles.keys()) {
        let mention = oracles
            .iter()
            .find(|(reference, _)| reference.package == package)
            .map(|(_, mention)| mention);
        if workspace.package(&package).is_none() {
            missing_package(&package, mention, oracles, report);
            continue;
        }
        let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
        let (present, absent): (Vec<&str>, Vec<&str>) = targets
            .iter()
            .partition(|target| has_target(workspace, &package, target));
        for target in absent {
            missing_target(&package, target, oracles, report);
        }
        for profile in [Profile::Dev, Profile::Release] {
            progress.note(&format!("building {package} ({})", profile.name()));
            match exec::build(&workspace.root, target_folder, &package, &present, profile) {
                Ok(built) => {
                    let failed = !built.errors.is_empty();
                    if failed {
                        build_failed(workspace, &package, &built.errors, mention, report);
                    }
                    results.builds.insert((package.clone(), profile), built);
                    if failed {
                        break;
                    }
                }
                Err(error) => report.push(could_not_run(&error)),
            }
        }
    }
    for ((package, profile), built) in &results.builds {
        for (target, binary) in &built.tests {
            if let Ok(digest) = exec::file_digest(binary) {
                results
                    .binaries
                    .insert((package.clone(), target.clone(), *profile), digest);
            }
        }
    }
    let lists = Lists::of(&results, report);
    progress.begin("oracles", oracles.len() as u64);
    let ran: Vec<(Reference, Ran, Report)> = oracles
        .par_iter()
        .map(|(reference, mention)| {
            let mut own = Report::default();
            let ran = one(
                workspace, reference, mention, &results, &lists, fresh, &mut own,
            );
            progress.step(&reference.test);
            (reference.clone(), ran, own)
        })
        .collect();
    progress.end();
    for (reference, ran, own) in ran {
        report.merge(own);
        results.oracles.insert(reference, ran);
    }
    results
}

fn has_target(workspace: &Workspace, package: &str, target: &str) -> bool {
    workspace.package(package).is_some_and(|package| {
        package.targets.iter().any(|known| {
            if target == "lib" {
                known.is_lib() || known.is_proc_macro()
            } else {
                known.is_test() && known.name == target
            }
        })
    })
}

fn missing_package(
    package: &str,
    mention: Option<&Mention>,
    oracles: &BTreeMap<Reference, Mention>,
    report: &mut Report,
) {
    let count = oracles
        .keys()
        .filter(|reference| reference.package == package)
        .count() as u64;
    report.missing("oracles", count);
    let mut finding = Finding::new(
        Code::OracleMissing,
        format!("the workspace has no package `{package}`"),
    );
    if let Some(mention) = mention {
        finding = finding.about(mention.about.clone()).at(
            &mention.file,
            mention.place.range.clone(),
            "named here",
        );
    }
    report.push(finding.help("correct the package before `::`"));
}

fn missing_target(
    package: &str,
    target: &str,
    oracles: &BTreeMap<Reference, Mention>,
    report: &mut Report,
) {
    for (reference, mention) in oracles
        .iter()
        .filter(|(reference, _)| reference.package == package && reference.target == target)
    {
        report.missing("oracles", 1);
        report.push(
            Finding::new(
                Code::OracleMissing,
                format!("`{package}` has no test target `{target}`"),
            )
            .about(mention.about.clone())
            .at(
                &mention.file,
                mention.place.range.clone(),
                format!("`{}` stands in no binary", reference.test),
            )
            .help("correct the target between `::` and `$`"),
        );
    }
}

fn build_failed(
    workspace: &Workspace,
    package: &str,
    errors: &[Diagnostic],
    mention: Option<&Mention>,
    report: &mut Report,
) {
    let first = &errors[0];
    let mut finding = Finding::new(
        Code::BuildFailed,
        format!("`{package}` does not build: {}", first.message),
    );
    if let Some((file, range)) = &first.place {
        let path = workspace.root.join(file);
        if let Some(file) = workspace.relative(&path) {
            finding = finding.at(&file, range.clone(), first.message.clone());
        }
    }
    if let Some(mention) = mention {
        finding = finding.about(
            mention
                .about
                .split('/')
                .next()
                .unwrap_or_default()
                .to_owned(),
        );
    }
    if errors.len() > 1 {
        finding = finding.note(format!("{} more errors", errors.len() - 1));
    }
    report.push(finding.help(format!("cargo test --no-run --package {package}")));
}

fn could_not_run(error: &ExecError) -> Finding {
    let code = match error {
        ExecError::Start { .. } => Code::ToolMissing,
        ExecError::Time(_) => Code::OracleTimeout,
    };
    Finding::new(code, error.to_string()).help("see the log under target/groupant/runs")
}

/// The tests of each binary, and those that are ignored.
struct Lists(BTreeMap<PathBuf, (Vec<String>, Vec<String>)>);

impl Lists {
    fn of(results: &Results, report: &mut Report) -> Self {
        let mut lists = BTreeMap::new();
        for built in results.builds.values() {
            for binary in built.tests.values() {
                match exec::list(binary) {
                    Ok(names) => {
                        lists.insert(binary.clone(), names);
                    }
                    Err(error) => report.push(could_not_run(&error)),
                }
            }
        }
        Self(lists)
    }
}

/// What an earlier run left, keyed by the binaries.
#[derive(serde::Serialize, serde::Deserialize)]
struct Cached {
    receipt: Value,
    data: BTreeMap<String, String>,
}

fn one(
    workspace: &Workspace,
    reference: &Reference,
    mention: &Mention,
    results: &Results,
    lists: &Lists,
    fresh: bool,
    report: &mut Report,
) -> Ran {
    let mut ran = Ran {
        receipt: None,
        data: BTreeSet::new(),
        reused: false,
        seconds: 0.0,
        status: "not built",
    };
    let finding = |code: Code, message: String, label: &str| {
        Finding::new(code, message).about(mention.about.clone()).at(
            &mention.file,
            mention.place.range.clone(),
            label,
        )
    };
    let mut binaries = Vec::new();
    for profile in [Profile::Dev, Profile::Release] {
        let built = results.builds.get(&(reference.package.clone(), profile));
        let Some(binary) = built
            .filter(|built| built.errors.is_empty())
            .and_then(|built| built.tests.get(&reference.target))
        else {
            report.skipped("oracles", 1);
            return ran; // told by the build's own finding
        };
        let key = (reference.package.clone(), reference.target.clone(), profile);
        binaries.push((
            profile,
            binary,
            results.binaries.get(&key).cloned().unwrap_or_default(),
        ));
    }
    for (_, binary, _) in &binaries {
        let Some((all, ignored)) = lists.0.get(*binary) else {
            report.skipped("oracles", 1);
            return ran;
        };
        if !all.contains(&reference.test) {
            ran.status = "missing";
            report.missing("oracles", 1);
            let near = all.iter().filter(|name| near(name, &reference.test)).min();
            let mut told = finding(
                Code::OracleMissing,
                format!("no test is called `{}`", reference.test),
                "in no binary's list",
            );
            if let Some(near) = near {
                told = told.note(format!("there is `{near}`"));
            }
            report.push(told.help("correct the name after `$`, or bring the test back"));
            return ran;
        }
        if ignored.contains(&reference.test) {
            ran.status = "ignored";
            report.skipped("oracles", 1);
            report.push(
                finding(
                    Code::OracleIgnored,
                    format!("`{}` is marked #[ignore]", reference.test),
                    "named here as an oracle",
                )
                .help("remove #[ignore], or do not name it as an oracle"),
            );
            return ran;
        }
    }
    report.checked("oracles", 1);
    let digests: Vec<&str> = binaries
        .iter()
        .map(|(_, _, digest)| digest.as_str())
        .collect();
    let cache = cache_file(
        workspace,
        "oracles",
        &[&reference.to_string(), &digests.concat()],
    );
    if !fresh && let Some(cached) = recall(workspace, &cache) {
        return Ran {
            receipt: Some(cached.receipt),
            data: cached.data.into_keys().collect(),
            reused: true,
            seconds: 0.0,
            status: "passed",
        };
    }
    let folder = package_folder(workspace, &reference.package);
    let mut claims: Option<(Value, String)> = None;
    for (profile, binary, _) in &binaries {
        for repeat in 0..REPEATS {
            let test = exec::Test {
                binary,
                name: &reference.test,
                root: &workspace.root,
                folder: &folder,
                runs: &workspace.state.join("runs"),
                set: None,
                limits: TEST,
            };
            let run = match exec::test(&test) {
                Ok(run) => run,
                Err(error) => {
                    report.push(could_not_run(&error));
                    return ran;
                }
            };
            ran.seconds = ran.seconds.max(run.seconds);
            let which = format!("{}, run {}", profile.name(), repeat + 1);
            observe(workspace, reference, &which, &run);
            let value = match judge(&run, reference) {
                Ok(record) => {
                    ran.data.extend(record.data.iter().cloned());
                    json!({"bounds": record.bounds, "checks": record.checks, "claims": record.claims})
                }
                Err((code, status, words)) => {
                    ran.status = status;
                    report.push(
                        finding(
                            code,
                            format!("`{}` {status} ({which}): {words}", reference.test),
                            "named here",
                        )
                        .help(format!(
                            "cargo test --package {} {} {} -- --exact",
                            reference.package,
                            if reference.target == "lib" {
                                "--lib".to_owned()
                            } else {
                                format!("--test {}", reference.target)
                            },
                            reference.test
                        )),
                    );
                    return ran;
                }
            };
            match &claims {
                None => claims = Some((value, which)),
                Some((first, _)) if *first == value => {}
                Some((first, before)) => {
                    ran.status = "unstable";
                    let mut told = finding(
                        Code::OracleUnstable,
                        format!(
                            "`{}` claims differ between {before} and {which}",
                            reference.test
                        ),
                        "named here",
                    );
                    for line in crate::receipt::differences(first, &value)
                        .into_iter()
                        .take(5)
                    {
                        told = told.note(line);
                    }
                    report.push(told.help(
                        "a claim is deterministic; an observation does not belong into a record",
                    ));
                    return ran;
                }
            }
        }
    }
    let Some((claims, _)) = claims else {
        return ran;
    };
    let receipt = json!({
        "bounds": claims["bounds"],
        "checks": claims["checks"],
        "claims": claims["claims"],
        "format": "groupant-oracle/1",
        "oracle": reference.to_string(),
        "outcome": "passed",
        "profiles": ["dev", "release"],
        "runs": 2 * REPEATS,
    });
    let data = ran
        .data
        .iter()
        .map(|file| {
            (
                file.clone(),
                workspace
                    .read(file)
                    .map(|bytes| sha256(&bytes))
                    .unwrap_or_default(),
            )
        })
        .collect();
    let cached = Cached { receipt, data };
    if let Ok(text) = serde_json::to_vec(&cached) {
        // The cache only saves time.
        let _ = write_atomically(&cache, &text);
    }
    ran.status = "passed";
    ran.receipt = Some(cached.receipt);
    ran
}

/// A pass needs exit code 0 and the completion mark of this run.
fn judge<'a>(
    run: &'a Run,
    reference: &Reference,
) -> Result<&'a Record, (Code, &'static str, String)> {
    match &run.outcome {
        Outcome::Failed {
            rejection: Rejection::Timeout,
            words,
            ..
        } => {
            return Err((Code::OracleTimeout, "ran out of time", words.clone()));
        }
        Outcome::Failed { words, .. } => return Err((Code::OracleFailed, "failed", words.clone())),
        Outcome::Passed => {}
    }
    let incomplete = |words: &str| Err((Code::OracleIncomplete, "incomplete", words.to_owned()));
    let Some(record) = &run.record else {
        return incomplete("it ended with exit code 0 and left no record of this run");
    };
    if !record.complete || record.failure.is_some() {
        return incomplete("its record has no completion mark");
    }
    let own = reference.test.rsplit("::").next().unwrap_or_default();
    if record.oracle != own && record.oracle != reference.test {
        return incomplete(&format!("its record is that of `{}`", record.oracle));
    }
    let claims = serde_json::to_value(&record.claims).unwrap_or_default();
    if !is_exact(&claims) {
        return incomplete("a claim is a float or an integer beyond 2^53 - 1");
    }
    Ok(record)
}

/// One release run with a bound set, which never becomes a receipt.
///
/// # Errors
///
/// Where the package can't be built or the test can't be started; the words say
/// what happened.
pub fn run_with(workspace: &Workspace, reference: &Reference, set: &str) -> Result<Value, Finding> {
    let about = |finding: Finding| finding.about(reference.to_string());
    let target_folder = workspace.metadata.target_directory.as_std_path();
    let built = exec::build(
        &workspace.root,
        target_folder,
        &reference.package,
        &[&reference.target],
        Profile::Release,
    )
    .map_err(|error| about(could_not_run(&error)))?;
    let Some(binary) = built
        .tests
        .get(&reference.target)
        .filter(|_| built.errors.is_empty())
    else {
        let words = built
            .errors
            .first()
            .map_or("no such test target", |error| error.message.as_str());
        return Err(about(Finding::new(
            Code::BuildFailed,
            format!("`{}` does not build: {words}", reference.package),
        )));
    };
    let (all, _) = exec::list(binary).map_err(|error| about(could_not_run(&error)))?;
    if !all.contains(&reference.test) {
        return Err(about(Finding::new(
            Code::OracleMissing,
            format!("no test is called `{}`", reference.test),
        )));
    }
    let run = exec::test(&exec::Test {
        binary,
        name: &reference.test,
        root: &workspace.root,
        folder: &package_folder(workspace, &reference.package),
        runs: &workspace.state.join("runs"),
        set: Some(set),
        limits: exec::process::Limits {
            time: std::time::Duration::from_secs(1800),
            ..TEST
        },
    })
    .map_err(|error| about(could_not_run(&error)))?;
    match judge(&run, reference) {
        Ok(record) => Ok(json!({
            "bounds": record.bounds,
            "checks": record.checks,
            "claims": record.claims,
            "kind": "oracle",
            "oracle": reference.to_string(),
            "seconds": (run.seconds * 1000.0).round() / 1000.0,
        })),
        Err((code, status, words)) => Err(about(Finding::new(
            code,
            format!("`{}` {status}: {words}", reference.test),
        ))),
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

fn recall(workspace: &Workspace, cache: &Path) -> Option<Cached> {
    let cached: Cached = serde_json::from_slice(&std::fs::read(cache).ok()?).ok()?;
    let same = cached.data.iter().all(|(file, digest)| {
        workspace
            .read(file)
            .is_ok_and(|bytes| sha256(&bytes) == *digest)
    });
    same.then_some(cached)
}

/// Time and raw log are observations: kept under `target/`, in no receipt.
fn observe(workspace: &Workspace, reference: &Reference, which: &str, run: &Run) {
    let name = reference.to_string().replace("::", ".");
    let path = workspace
        .state
        .join(format!("runs/{name}/{}.log", which.replace(", run ", "-")));
    let text = format!(
        "{reference} {which}\nseconds {:.3}\noutcome {:?}\n\n{}\n",
        run.seconds, run.outcome, run.log
    );
    // A log that can't be written leaves the verdict as it is.
    let _ = write_atomically(&path, text.as_bytes());
}

/// Whether two test names share most of their words.
fn near(left: &str, right: &str) -> bool {
    let words = |name: &str| {
        name.split(['_', ':'])
            .map(str::to_owned)
            .collect::<BTreeSet<_>>()
    };
    let (left, right) = (words(left), words(right));
    2 * left.intersection(&right).count() > right.len()
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
