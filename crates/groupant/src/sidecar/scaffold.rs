//! The first form of a sidecar: what `init` writes beside a source. Two models
//! that every source has, both without an oracle and therefore prospective, and
//! documents that say what is still to be written.

use crate::source::{Kind, Source};
use std::collections::BTreeMap;

/// Files of a new sidecar by name, for a source with its items.
#[must_use]
pub fn files(
    source: &str,
    owner: &str,
    id: &str,
    items: &Source,
) -> BTreeMap<&'static str, String> {
    let named: Vec<String> = main_items(items);
    let list = named
        .iter()
        .map(|name| format!("{name:?}"))
        .collect::<Vec<_>>()
        .join(", ");
    let model = |id: &str, kind: &str, observation: &str| {
        format!(
            "\n[[model]]\nid = \"{id}\"\ntype = \"{kind}\"\ndomain = \"not stated yet\"\nobservation = \"{observation}\"\napproximation = \"inner\"\nassumptions = []\nitems = [{list}]\noracles = []\ncontrols = []\n"
        )
    };
    let definition = format!(
        "id = {id:?}\ntitle = {title:?}\nowner = {owner:?}\nsource = {source:?}\n{complement}{reconstruction}",
        title = source,
        complement = model("nonbehavior", super::types::COMPLEMENT, "return value"),
        reconstruction = model("antecedents", super::types::RECONSTRUCTION, "return value"),
    );
    let items = named
        .iter()
        .map(|name| format!("- `{name}`\n"))
        .collect::<String>();
    BTreeMap::from([
        ("groupant.toml", definition),
        (
            "descriptant.md",
            format!("# {source}\n\nWhat the source is, in a few sentences: not written yet.\n\nItems:\n\n{items}"),
        ),
        (
            "approximant.md",
            "# Forward model\n\nWhat the code computes from its inputs, its invariants and its cost: not written yet.\n".to_owned(),
        ),
        (
            "catalog.md",
            "# Models\n\n## nonbehavior\n\nWhat the code never does: not written yet. No oracle.\n\n## antecedents\n\nEvery input that is compatible with an output: not written yet. No oracle.\n".to_owned(),
        ),
        (
            "tests.md",
            "# Evidence\n\nNothing was executed for this sidecar yet.\n".to_owned(),
        ),
    ])
}

/// The items that a first model speaks of: functions and methods of the
/// production part, by their last name where that is unambiguous, else by their
/// path.
fn main_items(source: &Source) -> Vec<String> {
    let mut names = Vec::new();
    for item in source.items.iter().filter(|item| !item.test) {
        if item.kind != Kind::Fn {
            continue;
        }
        let name = item.path.rsplit(' ').next().unwrap_or_default();
        let reference = if source.resolve(name).len() == 1 {
            name.to_owned()
        } else {
            item.path.clone()
        };
        if source.resolve(&reference).len() == 1 {
            names.push(reference);
        }
    }
    names.dedup();
    names
}

/// An id for a source: its package and its path below `src`, with dashes.
#[must_use]
pub fn id_of(owner: &str, source: &str) -> String {
    let below = source.rsplit_once("src/").map_or(source, |(_, rest)| rest);
    let stem = below.trim_end_matches(".rs").replace(['/', '_', '.'], "-");
    format!("{owner}-{stem}")
}
