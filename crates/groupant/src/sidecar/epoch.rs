//! `epochs.toml`: what was accepted, when and why. Entries are appended and
//! chained by digest, never rewritten.

use crate::json::{canonical, sha256};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An item as it was accepted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedItem {
    /// The source, relative to the root.
    pub file: String,
    /// Full item path.
    pub path: String,
    /// Digest of the canonical tokens.
    pub tokens: String,
    /// Digest of the signature.
    pub signature: String,
}

/// One dated entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Epoch {
    /// The model that was accepted.
    pub model: String,
    /// Year-month-day.
    pub date: String,
    /// Why.
    pub reason: String,
    /// The level at that time.
    pub level: String,
    /// The digest of the entry before; empty for the first one.
    pub previous: String,
    /// Over all other fields.
    pub digest: String,
    /// Sizes of the universes, by oracle.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub universes: BTreeMap<String, u64>,
    /// For a composing model: what its children stood at.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub children: BTreeMap<String, String>,
    /// The items.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<AcceptedItem>,
}

impl Epoch {
    /// The digest over every field but `digest`.
    #[must_use]
    pub fn seal(&self) -> String {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Some(map) = value.as_object_mut() {
            map.remove("digest");
        }
        sha256(canonical(&value).as_bytes())
    }
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    epoch: Vec<Epoch>,
}

/// Reads the entries.
///
/// # Errors
///
/// What the TOML parser says.
pub fn parse(text: &str) -> Result<Vec<Epoch>, toml::de::Error> {
    toml::from_str::<File>(text).map(|file| file.epoch)
}

/// The text of one more entry, to be put behind the file.
#[must_use]
pub fn render(epoch: &Epoch) -> String {
    let file = File {
        epoch: vec![epoch.clone()],
    };
    toml::to_string(&file).unwrap_or_default()
}

/// The first entry at which the chain breaks, with the reason.
#[must_use]
pub fn broken(epochs: &[Epoch]) -> Option<(usize, &'static str)> {
    let mut previous = "";
    for (index, epoch) in epochs.iter().enumerate() {
        if epoch.previous != previous {
            return Some((index, "does not follow the entry before it"));
        }
        if epoch.digest != epoch.seal() {
            return Some((index, "was changed after it was written"));
        }
        previous = &epoch.digest;
    }
    None
}

/// The last entry of a model.
#[must_use]
pub fn last<'a>(epochs: &'a [Epoch], model: &str) -> Option<&'a Epoch> {
    epochs.iter().rev().find(|epoch| epoch.model == model)
}

/// Today as year-month-day, in UTC.
#[must_use]
pub fn today() -> String {
    let days = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs() / 86_400);
    date(days)
}

/// Civil date of a day count since 1970-01-01 (the proleptic Gregorian calendar).
fn date(days: u64) -> String {
    // Years are counted from March, so that the leap day is the last day.
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    format!("{:04}-{month:02}-{day:02}", year_of_era + era * 400 + carry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(model: &str, previous: &str) -> Epoch {
        let mut epoch = Epoch {
            model: model.to_owned(),
            date: "2026-01-01".to_owned(),
            reason: "first \"quoted\"\nreason".to_owned(),
            level: "bounded".to_owned(),
            previous: previous.to_owned(),
            digest: String::new(),
            universes: BTreeMap::from([("p::t$x".to_owned(), 12)]),
            children: BTreeMap::new(),
            items: vec![AcceptedItem {
                file: "src/lib.rs".to_owned(),
                path: "fn f".to_owned(),
                tokens: "aa".to_owned(),
                signature: "bb".to_owned(),
            }],
        };
        epoch.digest = epoch.seal();
        epoch
    }

    #[test]
    fn entries_come_back_as_written_and_a_change_anywhere_breaks_the_chain() {
        let first = entry("a", "");
        let second = entry("b", &first.digest);
        let text = format!("{}\n{}", render(&first), render(&second));
        let mut read = parse(&text).unwrap();
        assert_eq!(read, [first, second]);
        assert_eq!(broken(&read), None);
        read[1].reason.push('!');
        assert_eq!(broken(&read).unwrap().0, 1);
        read.remove(0);
        assert_eq!(broken(&read).unwrap().0, 0);
    }

    #[test]
    fn days_become_dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(20_787), "2026-11-30");
    }
}
