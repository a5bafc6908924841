//! One run of an oracle with other bounds, which never becomes a receipt.

use super::builds::could_not_run;
use super::run::judge;
use super::{Reference, package_folder, trust};
use crate::exec::process::Limits;
use crate::exec::{self, Profile, TEST};
use crate::finding::{Code, Finding};
use crate::workspace::Workspace;
use serde_json::{Value, json};
use std::time::Duration;

/// One release run with a bound set, which never becomes a receipt.
///
/// # Errors
///
/// Where the package can't be built or the test can't be started; the words say
/// what happened.
pub fn run_with(
    workspace: &Workspace,
    reference: &Reference,
    set: &str,
) -> Result<Value, Box<Finding>> {
    let about = |finding: Finding| Box::new(finding.about(reference.to_string()));
    let built = trust::build(
        workspace,
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
        limits: Limits {
            time: Duration::from_mins(30),
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
