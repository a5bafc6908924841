//! The record of one oracle: bounds, claims, checks, and the completion mark.
//! Its form is `obernant-record/1`; the runner that reads it shares only that.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs, process};

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::checks::EQUAL;

/// No bound is set beyond this: universes of that size are a slip of the finger.
const GREATEST_BOUND: u64 = 1_000_000;

/// Integers beyond this become strings, since JSON readers may round them.
const GREATEST_EXACT: u64 = (1 << 53) - 1;

/// What the runner tells an oracle; all empty outside the runner.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment {
    pub(crate) path: Option<PathBuf>,
    pub(crate) nonce: String,
    pub(crate) set: String,
}

impl Environment {
    fn read() -> Self {
        let text = |name| match env::var(name) {
            Ok(value) => value,
            Err(env::VarError::NotPresent) => String::new(),
            Err(env::VarError::NotUnicode(_)) => panic!("{name} is not Unicode"),
        };
        Self {
            path: env::var_os("OBERNANT_RECORD").map(PathBuf::from),
            nonce: text("OBERNANT_NONCE"),
            set: text("OBERNANT_SET"),
        }
    }
}

/// What one oracle found out, written as `obernant-record/1` when it finishes.
///
/// A record that is dropped without [`finish`](Record::finish) never carries the
/// completion mark. Outside the runner everything runs the same and nothing is
/// written.
pub struct Record {
    oracle: String,
    environment: Environment,
    overrides: BTreeMap<String, u64>,
    bounds: BTreeMap<String, u64>,
    checks: BTreeSet<&'static str>,
    claims: BTreeMap<String, Value>,
    data: BTreeSet<String>,
    assumptions: Vec<String>,
    pub(crate) universe: u64,
    pub(crate) outcomes: BTreeSet<String>,
    pub(crate) stream: Sha256,
}

impl Record {
    /// Starts the record of the test with this name.
    ///
    /// # Panics
    /// When `OBERNANT_SET` is not a list such as `length=6,width=3`.
    #[must_use]
    pub fn start(oracle: &str) -> Self {
        Self::start_in(oracle, Environment::read())
    }

    pub(crate) fn start_in(oracle: &str, environment: Environment) -> Self {
        let overrides = parse_set(&environment.set);
        Self {
            oracle: oracle.to_owned(),
            environment,
            overrides,
            bounds: BTreeMap::new(),
            checks: BTreeSet::new(),
            claims: BTreeMap::new(),
            data: BTreeSet::new(),
            assumptions: Vec::new(),
            universe: 0,
            outcomes: BTreeSet::new(),
            stream: Sha256::new(),
        }
    }

    /// Declares a named bound, and gives its value: the default, or the one that
    /// the runner sets.
    pub fn bound(&mut self, name: &str, default: u64) -> u64 {
        let value = self.overrides.get(name).copied().unwrap_or(default);
        self.bounds.insert(name.to_owned(), value);
        value
    }

    /// True where the runner set a bound: a short universe may leave fibers empty.
    pub(crate) fn overridden(&self) -> bool {
        !self.overrides.is_empty()
    }

    /// Claims a deterministic fact: an integer, string, boolean, array or object.
    ///
    /// # Panics
    /// When the value holds a float, or the key is claimed already.
    pub fn claim(&mut self, key: &str, value: impl Into<Value>) {
        let old = self.claims.insert(key.to_owned(), exact(value.into()));
        assert!(old.is_none(), "{key} is claimed twice");
    }

    /// Claims the counts of a second derivation; `method` says how it went.
    /// Without one, the record says `single_sourced`.
    pub fn second(&mut self, method: &str, counts: Value) {
        let Value::Object(mut counts) = counts else {
            panic!("the counts of a second derivation are named");
        };
        counts.insert("method".to_owned(), method.into());
        self.claim("second", counts);
    }

    /// Declares a data file that the oracle reads, relative to the workspace root.
    pub fn data(&mut self, path: &str) {
        self.data.insert(path.to_owned());
    }

    /// States something that the oracle takes for granted.
    pub fn assume(&mut self, words: &str) {
        self.assumptions.push(words.to_owned());
    }

    /// Compares with a literal expectation.
    ///
    /// # Panics
    /// When they differ; the failure is recorded first.
    pub fn equal<T: PartialEq + std::fmt::Debug>(&mut self, words: &str, found: &T, expected: &T) {
        if found != expected {
            self.fail(
                EQUAL,
                words,
                &format!("{words}: expected {expected:?}; found {found:?}"),
            );
        }
    }

    /// Notes that a check ran to its end.
    pub(crate) fn ran(&mut self, check: &'static str) {
        self.checks.insert(check);
    }

    /// Writes the failure, then panics with its words.
    pub(crate) fn fail(&mut self, check: &str, case: &str, words: &str) -> ! {
        self.write(
            &json!({ "check": check, "case": case, "words": words }),
            false,
        );
        panic!("{words}")
    }

    /// Writes the record with its completion mark.
    ///
    /// # Panics
    /// When the runner set a bound that this oracle does not have, or the record
    /// cannot be written.
    pub fn finish(mut self) {
        for name in self.overrides.keys() {
            assert!(
                self.bounds.contains_key(name),
                "OBERNANT_SET names the bound {name}, which {} does not have",
                self.oracle
            );
        }
        if self.universe > 0 {
            let stream = hex(&self.stream.clone().finalize());
            self.claim("universe", self.universe);
            // Every check that ends has seen every case; a failed one never comes here.
            self.claim("exhausted", self.universe);
            self.claim("outcomes", self.outcomes.len());
            self.claim("stream", stream);
        }
        if !self.claims.contains_key("second") {
            self.claim("single_sourced", true);
        }
        self.write(&Value::Null, true);
    }

    fn write(&self, failure: &Value, complete: bool) {
        let Some(path) = &self.environment.path else {
            return;
        };
        let mut claims: Map<String, Value> = self.claims.clone().into_iter().collect();
        claims.insert("assumptions".to_owned(), self.assumptions.clone().into());
        let record = json!({
            "format": "obernant-record/1",
            "nonce": self.environment.nonce,
            "oracle": self.oracle,
            "bounds": self.bounds,
            "checks": self.checks,
            "claims": claims,
            "data": self.data,
            "failure": failure,
            "complete": complete,
        });
        if let Err(error) = replace(path, &record.to_string()) {
            panic!("the record cannot be written: {error}");
        }
    }
}

/// Writes a file beside its place and renames it there, so that a reader never
/// meets half of it.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", process::id()));
    let temporary = path.with_file_name(name);
    fs::write(&temporary, text)?;
    fs::rename(&temporary, path)
}

fn parse_set(text: &str) -> BTreeMap<String, u64> {
    let mut set = BTreeMap::new();
    for part in text.split(',').filter(|_| !text.is_empty()) {
        let value = part.split_once('=').and_then(|(name, value)| {
            let value = value.parse::<u64>().ok()?;
            (!name.is_empty() && value <= GREATEST_BOUND).then_some((name, value))
        });
        let Some((name, value)) = value else {
            panic!(
                "OBERNANT_SET: {part:?} is not NAME=NUMBER with a number up to {GREATEST_BOUND}"
            );
        };
        let old = set.insert(name.to_owned(), value);
        assert!(old.is_none(), "OBERNANT_SET names {name} twice");
    }
    set
}

/// An integer as a claim: a number where every reader keeps it exact, else a string.
#[must_use]
pub fn integer(value: u128) -> Value {
    match u64::try_from(value) {
        Ok(small) if small <= GREATEST_EXACT => small.into(),
        _ => value.to_string().into(),
    }
}

/// The same value with great integers as strings; floats are refused.
fn exact(value: Value) -> Value {
    match value {
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(natural), _) => integer(natural.into()),
            (None, Some(negative)) if negative.unsigned_abs() <= GREATEST_EXACT => negative.into(),
            (None, Some(negative)) => negative.to_string().into(),
            (None, None) => panic!("a claim holds no float: {number}"),
        },
        Value::Array(values) => values.into_iter().map(exact).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(key, value)| (key, exact(value)));
            Value::Object(fields.collect())
        }
        other => other,
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string succeeds");
        text
    })
}
