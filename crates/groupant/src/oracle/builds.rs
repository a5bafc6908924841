//! Building the test targets that oracles are in, and what is told where one is
//! missing or does not build.

use super::{Mention, Reference, targets, trust};
use crate::exec::{Built, Diagnostic, ExecError, Profile};
use crate::finding::{Code, Finding, Report};
use crate::report::progress::Progress;
use crate::workspace::Workspace;
use std::collections::BTreeMap;

/// Builds in both profiles. What is wrong is pushed as findings.
pub(super) fn build_all(
    workspace: &Workspace,
    oracles: &BTreeMap<Reference, Mention>,
    progress: &Progress,
    report: &mut Report,
) -> BTreeMap<(String, Profile), Built> {
    let mut builds = BTreeMap::new();
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
        if present.is_empty() {
            continue; // Cargo would take no target for all of them
        }
        for profile in [Profile::Dev, Profile::Release] {
            progress.note(&format!("building {package} ({})", profile.name()));
            match trust::build(workspace, &package, &present, profile) {
                Ok(built) => {
                    let failed = !built.errors.is_empty();
                    if failed {
                        build_failed(workspace, &package, &built.errors, mention, report);
                    }
                    builds.insert((package.clone(), profile), built);
                    if failed {
                        break;
                    }
                }
                Err(error) => report.push(could_not_run(&error)),
            }
        }
    }
    builds
}

pub(super) fn has_target(workspace: &Workspace, package: &str, target: &str) -> bool {
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

pub(super) fn could_not_run(error: &ExecError) -> Finding {
    let code = match error {
        ExecError::Start { .. } => Code::ToolMissing,
        ExecError::Time(_) => Code::OracleTimeout,
    };
    Finding::new(code, error.to_string()).help("see the log under target/groupant/runs")
}
