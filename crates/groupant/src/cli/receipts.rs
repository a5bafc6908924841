//! `receipt list`, `show` and `verify`. Verification has three answers, each
//! counted: intact, current, reproduced.

use super::{ReceiptCommand, Tree, execute, tell};
use crate::finding::{Code, Exit, Finding, Report};
use crate::json::sha256;
use crate::oracle::Reference;
use crate::receipt::{self, Store};
use crate::report::{self, Format};
use crate::sidecar::Sidecar;
use crate::workspace::Workspace;
use serde_json::json;

pub(super) fn run(workspace: &Workspace, command: &ReceiptCommand) -> Exit {
    let store = Store::load(workspace);
    match command {
        ReceiptCommand::List { format } => list(&store, *format),
        ReceiptCommand::Show { name } => show(workspace, &store, name),
        ReceiptCommand::Verify { replay, format } => verify(workspace, &store, *replay, *format),
    }
}

fn list(store: &Store, format: Format) -> Exit {
    for (path, bytes) in &store.files {
        let digest = sha256(bytes);
        match format {
            Format::Human => report::print(&format!("{digest}  {path}\n")),
            Format::Json => {
                report::line(&json!({"digest": digest, "kind": "receipt", "path": path}));
            }
        }
    }
    match format {
        Format::Human => report::print(&format!(
            "{}  over all {}\n",
            store.digest(),
            store.files.len()
        )),
        Format::Json => report::line(
            &json!({"count": store.files.len(), "digest": store.digest(), "exit": 0, "kind": "summary"}),
        ),
    }
    Exit::Clean
}

fn show(workspace: &Workspace, store: &Store, name: &str) -> Exit {
    let by_oracle = Reference::parse(name).map(|reference| receipt::oracle_path(&reference));
    let by_control = name
        .split_once('/')
        .map(|(sidecar, control)| receipt::control_path(sidecar, control));
    let end = format!("/{}.json", name.replace("::", "."));
    let found: Vec<&String> = store
        .files
        .iter()
        .filter(|(path, bytes)| {
            *path == name
                || Some(*path) == by_oracle.as_ref()
                || Some(*path) == by_control.as_ref()
                || path.ends_with(&end)
                || (name.len() >= 8 && sha256(bytes).starts_with(name))
        })
        .map(|(path, _)| path)
        .collect();
    match found.as_slice() {
        [path] => {
            report::print(&String::from_utf8_lossy(&store.files[*path]));
            Exit::Clean
        }
        [] => {
            crate::report::say!(
                "error: no receipt is called `{name}`; `{} receipt list` lists them",
                workspace.command
            );
            Exit::Usage
        }
        several => {
            crate::report::say!("error: `{name}` fits several receipts:");
            for path in several {
                crate::report::say!("  {path}");
            }
            Exit::Usage
        }
    }
}

fn verify(workspace: &Workspace, store: &Store, replay: bool, format: Format) -> Exit {
    let tree = Tree::load(workspace, false);
    let mut intact = Report::default();
    let known = execute::known(&tree, store);
    receipt::check(workspace, store, &known, &mut intact);
    let mut current = Report::default();
    let evidence = execute::recorded(workspace, &tree, store, &mut current);
    let mut reproduced = Report::default();
    let mut matching = None;
    if replay {
        let all: Vec<&Sidecar> = tree.sidecars.iter().collect();
        let mentions = tree.mentions(&all);
        let executed = execute::execute(workspace, &mentions, &all, format, &mut reproduced);
        let same = executed
            .expected
            .produced
            .iter()
            .filter(|(path, text)| {
                store
                    .files
                    .get(*path)
                    .is_some_and(|bytes| bytes == text.as_bytes())
            })
            .count();
        matching = Some(same);
        receipt::check(workspace, store, &executed.expected, &mut reproduced);
    }
    let total = known.known.len();
    let broken = intact
        .findings
        .iter()
        .filter(|finding| matches!(finding.code, Code::ReceiptEdited | Code::ReceiptMissing))
        .count();
    let shown = evidence.oracles.len() + evidence.controls.len();
    let claims = known
        .known
        .iter()
        .filter(|path| !path.ends_with("/inputs.json"))
        .count();
    let mut report = Report::default();
    if total == 0 {
        report.push(
            Finding::new(Code::NothingChecked, "there is no receipt to verify")
                .help(format!("{} refresh writes them", workspace.command)),
        );
    }
    report.merge(intact);
    report.merge(current);
    report.merge(reproduced);
    receipt::gather(&mut report);
    report.sort();
    tell(workspace, &report, format);
    let exit = report.exit();
    let counts = json!({
        "current": {"good": shown, "of": claims},
        "digest": store.digest(),
        "intact": {"good": total - broken, "of": total},
        "reproduced": matching.map(|same| json!({"good": same, "of": total})),
    });
    match format {
        Format::Json => report::line(&report::summary(
            &report,
            [json!({}), json!({}), counts],
            exit,
        )),
        Format::Human => {
            report::print(&format!(
                "intact      {} of {total}\ncurrent     {shown} of {claims}\n",
                total - broken
            ));
            report::print(&match matching {
                Some(same) => format!("reproduced  {same} of {total}\n"),
                None => {
                    "reproduced  not asked for: receipt verify --replay runs everything again\n"
                        .to_owned()
                }
            });
            report::print(&format!("digest      {}\n", store.digest()));
        }
    }
    exit
}
