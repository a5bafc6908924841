//! The level of a model, derived from receipts on the current code and from
//! nothing that an author writes; and whether the model is sensitive.

use crate::binding::Bindings;
use crate::finding::{Code, Exit, Finding, Report};
use crate::sidecar::{Model, Sidecar, epoch, types};
use crate::workspace::Workspace;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What was shown of a model, in rising order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub enum Level {
    /// No oracle ran.
    #[default]
    Prospective,
    /// Example tests.
    Witnessed,
    /// A declared universe was exhausted by the check of the model's type, with
    /// at least two different outcomes in it.
    Bounded,
    /// All lengths over the alphabet, by closure of state pairs.
    Closed,
}

impl Level {
    /// Every level, in rising order.
    pub const ALL: [Self; 4] = [
        Self::Prospective,
        Self::Witnessed,
        Self::Bounded,
        Self::Closed,
    ];

    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Prospective => "prospective",
            Self::Witnessed => "witnessed",
            Self::Bounded => "bounded",
            Self::Closed => "closed",
        }
    }

    /// A level by its word.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

impl TryFrom<String> for Level {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        Self::parse(&name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("`{name}` is no level; the levels are {names}")
        })
    }
}

/// What holds of a model now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The highest level that one of its oracles shows.
    pub level: Level,
    /// Sizes of the universes, by oracle.
    pub universes: BTreeMap<String, u64>,
    /// Oracles that reject no control inside one of the model's own items.
    pub insensitive: Vec<String>,
    /// Oracles without a receipt on the current code.
    pub unexecuted: Vec<String>,
    /// Whether a control was not judged on the current code.
    pub unjudged: bool,
}

impl Standing {
    /// Whether each of its oracles rejects a control inside its own items.
    #[must_use]
    pub fn sensitive(&self) -> bool {
        self.level > Level::Prospective && self.insensitive.is_empty() && self.unexecuted.is_empty()
    }
}

/// Receipts on the current code.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// By oracle.
    pub oracles: BTreeMap<String, Value>,
    /// By sidecar and control.
    pub controls: BTreeMap<(String, String), Value>,
}

/// The standing of every model, by `sidecar/model`.
#[must_use]
pub fn standings(
    sidecars: &[Sidecar],
    bindings: &Bindings,
    evidence: &Evidence,
) -> BTreeMap<String, Standing> {
    sidecars
        .iter()
        .flat_map(|sidecar| sidecar.models.iter().map(move |model| (sidecar, model)))
        .map(|(sidecar, model)| {
            let name = sidecar.name_of(model);
            let standing = standing(sidecar, model, &name, bindings, evidence);
            (name, standing)
        })
        .collect()
}

fn standing(
    sidecar: &Sidecar,
    model: &Model,
    name: &str,
    bindings: &Bindings,
    evidence: &Evidence,
) -> Standing {
    let mut standing = Standing::default();
    let items = bindings.items(name);
    standing.unjudged = model.controls.iter().any(|control| {
        let key = (sidecar.id.text.clone(), control.text.clone());
        !evidence.controls.contains_key(&key)
    });
    for oracle in &model.oracles {
        let Some(receipt) = evidence.oracles.get(&oracle.text) else {
            standing.unexecuted.push(oracle.text.clone());
            continue;
        };
        standing.level = standing.level.max(shown(receipt, &model.kind.text));
        if let Some(universe) = receipt["claims"]["universe"].as_u64() {
            standing.universes.insert(oracle.text.clone(), universe);
        }
        let caught = model.controls.iter().any(|control| {
            let key = (sidecar.id.text.clone(), control.text.clone());
            evidence.controls.get(&key).is_some_and(|receipt| {
                let rejects = receipt["rejections"].as_array().is_some_and(|list| {
                    list.iter()
                        .any(|entry| entry["oracle"] == oracle.text.as_str())
                });
                // An edit elsewhere may be what the oracle noticed, so all must be inside.
                let inside = receipt["edits"].as_array().is_some_and(|edits| {
                    !edits.is_empty()
                        && edits.iter().all(|edit| {
                            edit["part"] == "smaller than the body"
                                && items.iter().any(|item| {
                                    edit["item"] == item.path.as_str()
                                        && edit["file"] == item.file.as_str()
                                })
                        })
                });
                rejects && inside
            })
        });
        if !caught {
            standing.insensitive.push(oracle.text.clone());
        }
    }
    standing
}

/// Closure compares the outcome of every text with the rule's, which decides
/// these checks for all lengths; the others relate texts to each other.
const CLOSABLE: [&str; 2] = ["complement", "reconstruction"];

/// What one receipt shows for a model of a type.
#[must_use]
pub fn shown(receipt: &Value, kind: &str) -> Level {
    let claims = &receipt["claims"];
    let number = |key: &str| claims[key].as_u64();
    let check = types::check_of(kind);
    let checked = receipt["checks"]
        .as_array()
        .is_some_and(|checks| checks.iter().any(|name| name.as_str() == check));
    let exhausted = number("universe")
        .is_some_and(|universe| universe >= 2 && number("exhausted") == Some(universe));
    let distinguishes = number("outcomes").is_some_and(|outcomes| outcomes >= 2);
    if !(checked && exhausted && distinguishes) {
        Level::Witnessed
    } else if claims["closed"] == true && CLOSABLE.iter().any(|closable| Some(*closable) == check) {
        Level::Closed
    } else {
        Level::Bounded
    }
}

/// A level or a universe below what was accepted is weakened; a model below the
/// required level, or not sensitive where that is required, is insufficient.
pub fn check(
    workspace: &Workspace,
    sidecars: &[&Sidecar],
    standings: &BTreeMap<String, Standing>,
    require: Option<Level>,
    report: &mut Report,
) {
    let sensitive = workspace
        .config
        .as_ref()
        .is_some_and(|config| config.sensitive);
    let others = report.exit() != Exit::Clean;
    for sidecar in sidecars {
        for model in &sidecar.models {
            let name = sidecar.name_of(model);
            let Some(standing) = standings.get(&name) else {
                continue;
            };
            report.checked("levels", 1);
            weakened(workspace, sidecar, model, standing, report);
            // What was not executed or not judged has a finding of its own.
            let told = others && (standing.unjudged || !standing.unexecuted.is_empty());
            let below = require.filter(|require| !told && standing.level < *require);
            let blunt =
                sensitive && !told && standing.level > Level::Prospective && !standing.sensitive();
            if below.is_none() && !blunt {
                continue;
            }
            let what = match below {
                Some(require) => format!(
                    "`{}` is {}, and {} is required",
                    model.id.text,
                    standing.level.name(),
                    require.name()
                ),
                None => format!("`{}` is not sensitive", model.id.text),
            };
            let mut finding = Finding::new(Code::Insufficient, what).about(name).at(
                &sidecar.toml(),
                model.id.range.clone(),
                "this model",
            );
            for oracle in &standing.unexecuted {
                finding = finding.note(format!("not executed on the current code: {oracle}"));
            }
            for oracle in standing.insensitive.iter().filter(|_| blunt) {
                finding = finding.note(format!(
                    "rejects no control inside the model's items: {oracle}"
                ));
            }
            report.push(finding.help(missing(below, &model.kind.text)));
        }
    }
}

/// What would raise the level, or make the model sensitive.
fn missing(below: Option<Level>, kind: &str) -> String {
    let check = types::check_of(kind).unwrap_or("unknown");
    match below {
        None => "each oracle must reject a control inside one of the model's items that is smaller than its body".to_owned(),
        Some(Level::Closed) => format!("an oracle must close the check `{check}` over all lengths"),
        Some(Level::Bounded) => format!("an oracle must exhaust a declared universe by the check `{check}`"),
        Some(Level::Witnessed | Level::Prospective) => "name an oracle in `oracles`".to_owned(),
    }
}

fn weakened(
    workspace: &Workspace,
    sidecar: &Sidecar,
    model: &Model,
    standing: &Standing,
    report: &mut Report,
) {
    let Some(epoch) = epoch::last(&sidecar.epochs, &model.id.text) else {
        return;
    };
    let mut reasons = Vec::new();
    let accepted = Level::parse(&epoch.level).unwrap_or_default();
    if standing.level < accepted {
        reasons.push(format!(
            "level {} → {}",
            accepted.name(),
            standing.level.name()
        ));
    }
    for (oracle, size) in &epoch.universes {
        match standing.universes.get(oracle) {
            Some(now) if now >= size => {}
            Some(now) => reasons.push(format!("universe of {oracle}: {size} → {now}")),
            None if standing.unexecuted.contains(oracle) => {}
            None => reasons.push(format!("universe of {oracle}: {size} → none")),
        }
    }
    if reasons.is_empty()
        || (!standing.unexecuted.is_empty() && reasons.len() == 1 && standing.level < accepted)
    {
        return; // what was not executed is told by its own finding
    }
    let mut finding = Finding::new(
        Code::Weakened,
        format!(
            "`{}` shows less than was accepted on {}",
            model.id.text, epoch.date
        ),
    )
    .about(sidecar.name_of(model))
    .at(&sidecar.toml(), model.id.range.clone(), "this model");
    for reason in reasons {
        finding = finding.note(reason);
    }
    report.push(finding.help(format!(
        "widen the oracle again, or: {} bind --accept {} --because \"…\"",
        workspace.command,
        sidecar.name_of(model)
    )));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_level_needs_the_check_of_the_type_and_two_outcomes() {
        let receipt = |claims: Value| json!({"checks": ["complement"], "claims": claims});
        let full = json!({"universe": 10, "exhausted": 10, "outcomes": 2});
        assert_eq!(
            shown(&receipt(full.clone()), "behavior_complement"),
            Level::Bounded
        );
        assert_eq!(
            shown(&receipt(full), "reverse_reconstruction"),
            Level::Witnessed
        );
        let closed = json!({"universe": 10, "exhausted": 10, "outcomes": 2, "closed": true});
        assert_eq!(
            shown(&receipt(closed.clone()), "behavior_complement"),
            Level::Closed
        );
        let partition = json!({"checks": ["partition"], "claims": closed});
        assert_eq!(shown(&partition, "error_partition"), Level::Bounded);
        for weak in [
            json!({"universe": 1, "exhausted": 1, "outcomes": 2}),
            json!({"universe": 10, "exhausted": 9, "outcomes": 2}),
            json!({"universe": 10, "exhausted": 10, "outcomes": 1, "closed": true}),
            json!({}),
        ] {
            assert_eq!(
                shown(&receipt(weak.clone()), "behavior_complement"),
                Level::Witnessed,
                "{weak}"
            );
        }
    }
}
