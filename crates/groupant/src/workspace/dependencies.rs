//! What a package's tests are compiled from besides sources: external packages
//! and features, from Cargo's resolution and `Cargo.lock`.

use super::Workspace;
use cargo_metadata::{Package, PackageId};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What is compiled into a package's tests besides sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// `name version checksum` of every package that comes from elsewhere.
    pub external: BTreeSet<String>,
    /// Features of every path package.
    pub features: BTreeMap<String, Vec<String>>,
}

impl Workspace {
    /// What a package's tests are built from besides its own sources: external
    /// packages as `name version checksum`, sorted, and the features of the path
    /// packages, from Cargo's resolution and `Cargo.lock`.
    #[must_use]
    pub fn dependencies(&self, package: &str) -> Dependencies {
        let mut result = Dependencies::default();
        let (Some(resolve), Some(start)) = (&self.metadata.resolve, self.package(package)) else {
            return result;
        };
        let checksums = self.checksums();
        let nodes: HashMap<&PackageId, _> =
            resolve.nodes.iter().map(|node| (&node.id, node)).collect();
        let packages: HashMap<&PackageId, &Package> = self
            .metadata
            .packages
            .iter()
            .map(|package| (&package.id, package))
            .collect();
        let mut seen: BTreeSet<&PackageId> = BTreeSet::new();
        let mut queue = vec![(&start.id, true)];
        while let Some((id, is_start)) = queue.pop() {
            if !seen.insert(id) {
                continue;
            }
            let (Some(node), Some(package)) = (nodes.get(id), packages.get(id)) else {
                continue;
            };
            if package.source.is_none() {
                let mut features: Vec<String> =
                    node.features.iter().map(ToString::to_string).collect();
                features.sort();
                result.features.insert(package.name.to_string(), features);
            } else {
                let version = package.version.to_string();
                // Of a git repository the commit stands behind `#`.
                let commit = package
                    .source
                    .as_ref()
                    .and_then(|source| source.repr.rsplit_once('#'))
                    .map(|(_, commit)| commit);
                let checksum = checksums
                    .get(&(package.name.to_string(), version.clone()))
                    .map(String::as_str)
                    .or(commit)
                    .unwrap_or("no-checksum");
                result
                    .external
                    .insert(format!("{} {version} {checksum}", package.name));
            }
            for dependency in &node.deps {
                // Development dependencies count for the tested package alone.
                let used = is_start
                    || dependency
                        .dep_kinds
                        .iter()
                        .any(|kind| kind.kind != cargo_metadata::DependencyKind::Development);
                if used {
                    queue.push((&dependency.pkg, false));
                }
            }
        }
        result
    }

    fn checksums(&self) -> HashMap<(String, String), String> {
        #[derive(Deserialize)]
        struct Lock {
            #[serde(default)]
            package: Vec<Locked>,
        }
        #[derive(Deserialize)]
        struct Locked {
            name: String,
            version: String,
            checksum: Option<String>,
        }
        self.read_text("Cargo.lock")
            .ok()
            .and_then(|text| toml::from_str::<Lock>(&text).ok())
            .map(|lock| {
                lock.package
                    .into_iter()
                    .filter_map(|package| {
                        Some(((package.name, package.version), package.checksum?))
                    })
                    .collect()
            })
            .unwrap_or_default()
    }
}
