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

/// An id for a source: its package and its path below `src`. What may not stand
/// in an id becomes a dash, and what is too long is cut at the front.
#[must_use]
pub fn id_of(owner: &str, source: &str) -> String {
    let below = source.rsplit_once("src/").map_or(source, |(_, rest)| rest);
    let stem = below.strip_suffix(".rs").unwrap_or(below);
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let stem: String = stem.chars().map(plain).collect();
    let owner: String = owner
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        .collect();
    let id = format!("{owner}-{stem}");
    id[id.len().saturating_sub(super::MAX_ID)..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_plain_and_not_too_long_whatever_the_path() {
        assert_eq!(id_of("demo", "demo/src/a/b_c.rs"), "demo-a-b-c");
        assert_eq!(id_of("demo", "demo/src/größe x.rs"), "demo-gr--e-x");
        let long = id_of("demo", &format!("src/{}.rs", "a".repeat(300)));
        assert_eq!(long.len(), super::super::MAX_ID);
    }
}
