//! `status`: one line per model, from the receipts of the tree; nothing is built.

use super::{StatusArgs, Tree, execute};
use crate::finding::{Exit, Report};
use crate::oracle::level;
use crate::receipt::Store;
use crate::report::{self, Format, thousands};
use crate::workspace::Workspace;
use serde_json::json;

pub(super) fn run(workspace: &Workspace, args: &StatusArgs) -> Exit {
    let tree = Tree::read(workspace, false);
    let store = Store::load(workspace);
    let evidence = execute::recorded(workspace, &tree, &store, &mut Report::default());
    let standings = level::standings(&tree.sidecars, &tree.bindings, &evidence);
    let mut rows: Vec<[String; 5]> = Vec::new();
    for sidecar in tree.selected(workspace, &args.selection) {
        for model in &sidecar.models {
            let name = sidecar.name_of(model);
            let (Some(standing), Some(state)) =
                (standings.get(&name), tree.bindings.states.get(&name))
            else {
                continue;
            };
            let universe = standing.universes.values().max().copied();
            let mut not_shown = Vec::new();
            if !standing.unexecuted.is_empty() {
                not_shown.push(
                    report::plural(standing.unexecuted.len(), "oracle")
                        + " not executed on this code",
                );
            }
            if !model.assumptions.is_empty() {
                not_shown.push(format!("assumes {}", model.assumptions.join("; ")));
            }
            if args.format == Format::Json {
                report::line(&json!({
                    "assumptions": model.assumptions,
                    "binding": state.verdict.name(),
                    "kind": "model",
                    "level": standing.level.name(),
                    "model": name,
                    "sensitive": standing.sensitive(),
                    "type": model.kind.text,
                    "unexecuted": standing.unexecuted,
                    "universes": standing.universes,
                }));
            }
            rows.push([
                name,
                state.verdict.name().to_owned(),
                standing.level.name().to_owned(),
                universe.map_or_else(|| "-".to_owned(), thousands),
                if standing.sensitive() {
                    "sensitive".to_owned()
                } else {
                    "-".to_owned()
                },
            ]);
            if let Some(row) = rows.last_mut()
                && !not_shown.is_empty()
            {
                row[4] = format!("{}; {}", row[4], not_shown.join("; "));
            }
        }
    }
    let exit = tree.report.exit();
    if args.format == Format::Json {
        let receipts = json!({"count": store.files.len(), "digest": store.digest()});
        report::line(&report::summary(
            &tree.report,
            [json!({}), json!({}), receipts],
            exit,
        ));
        return exit;
    }
    report::print(&table(&rows));
    report::print(&format!(
        "{}, {} receipts, digest {}\n",
        report::plural(rows.len(), "model"),
        store.files.len(),
        store.digest()
    ));
    if exit != Exit::Clean {
        report::print(&format!(
            "there are findings: {} audit --quick\n",
            workspace.command
        ));
    }
    exit
}

/// Rows in columns of equal width.
fn table(rows: &[[String; 5]]) -> String {
    let widths: Vec<usize> = (0..4)
        .map(|column| {
            rows.iter()
                .map(|row| row[column].chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for row in rows {
        let line = format!(
            "{:w0$}  {:w1$}  {:w2$}  {:>w3$}  {}",
            row[0],
            row[1],
            row[2],
            row[3],
            row[4],
            w0 = widths[0],
            w1 = widths[1],
            w2 = widths[2],
            w3 = widths[3],
        );
        text.push_str(report::clean(&line).trim_end());
        text.push('\n');
    }
    text
}
