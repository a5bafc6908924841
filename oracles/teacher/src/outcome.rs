//! What an observation of the decoder is called, and the decoder as a machine.
//! A success gets a short name only where every field of the reply is as due.

use obernant::Machine;
use serde_json::{Value, json};
use teacher::{Contract, Control, Decoder, Failure, Reply};

use crate::gates::located;
use crate::{Role, Symbol};

/// Decodes a whole text under a contract.
pub fn decode(contract: Contract, text: &str) -> Result<Reply, Failure> {
    match contract {
        Contract::Strict => teacher::decode_events(text),
        Contract::Tolerant => teacher::decode_events_tolerant(text),
    }
}

/// The whole reply under the strict contract, written out.
#[must_use]
pub fn strict_reply(answer: &str, input: u64, output: u64, cached: u64) -> Value {
    json!({
        "result": answer,
        "provider": "codex",
        "is_error": false,
        "usage": {
            "input_tokens": input,
            "output_tokens": output,
            "cache_read_input_tokens": cached,
            "cache_creation_input_tokens": 0,
        },
        "total_cost_usd": 0,
        "cost_reported": false,
    })
}

/// The whole reply under the tolerant contract, where the stream has no count
/// beyond the strict ones.
#[must_use]
pub fn tolerant_reply(strict: Value, warnings: &[&str], retries: usize) -> Value {
    let mut reply = strict;
    reply["warnings"] = json!(warnings);
    reply["retries"] = json!(retries);
    reply["usage_known"] = json!(reply["usage"]["input_tokens"] != 0);
    reply
}

/// The reply as data.
#[must_use]
pub fn data(reply: &Reply) -> Value {
    serde_json::to_value(reply).expect("a reply is plain data")
}

/// The name of a failure as an outcome: its category.
#[must_use]
pub fn failure(failure: &Failure) -> String {
    format!("error {}", failure.error.as_str())
}

/// The name of a failure with its line, and its message where that is the
/// stream's own.
#[must_use]
pub fn located_failure(failure: &Failure) -> String {
    let category = failure.error.as_str();
    let own = matches!(category, "error" | "turn_failed");
    let line = failure
        .line
        .map(|line| usize::try_from(line).expect("a small stream"));
    located(category, line, own.then_some(failure.message.as_str()))
}

/// The name of the decoder's result on a trace over the alphabets of this crate.
///
/// A reply whose every field is the one due for its answer and input count is
/// called `ANSWER/COUNT`; any other reply is called by its whole JSON text, which
/// no rule expects. The warnings due are the messages of the trace's errors, and
/// every completion has three output tokens and four cached ones.
#[must_use]
pub fn outcome(contract: Contract, trace: &[Role], result: &Result<Reply, Failure>) -> String {
    let reply = match result {
        Ok(reply) => data(reply),
        Err(error) => return failure(error),
    };
    let answer = reply["result"].as_str().unwrap_or_default();
    let input = reply["usage"]["input_tokens"].as_u64().unwrap_or_default();
    let mut due = strict_reply(answer, input, 3, 4);
    if matches!(contract, Contract::Tolerant) {
        let warnings: Vec<&str> = trace.iter().filter_map(|role| warning(*role)).collect();
        let retries = trace
            .iter()
            .filter(|role| matches!(role, Role::Error(_)))
            .count();
        due = tolerant_reply(due, &warnings, retries);
    }
    if reply == due {
        format!("{answer}/{input}")
    } else {
        reply.to_string()
    }
}

fn warning(role: Role) -> Option<&'static str> {
    match role {
        Role::Error(message) | Role::ErrorItem(message) => Some(message),
        _ => None,
    }
}

/// The outcome of a text that holds no warning and no new count, under both
/// contracts: one name where they agree, else both.
///
/// `name` names a reply from its strict part; the tolerant part must be the one
/// due without warnings.
pub fn both(text: &str, name: impl Fn(&Value) -> String) -> String {
    let strict = match decode(Contract::Strict, text) {
        Ok(reply) => name(&data(&reply)),
        Err(error) => failure(&error),
    };
    let tolerant = match decode(Contract::Tolerant, text) {
        Ok(reply) => {
            let reply = data(&reply);
            let mut plain = reply.clone();
            for field in ["warnings", "retries", "usage_known"] {
                plain
                    .as_object_mut()
                    .expect("a reply is an object")
                    .remove(field);
            }
            if reply == tolerant_reply(plain.clone(), &[], 0) {
                name(&plain)
            } else {
                reply.to_string()
            }
        }
        Err(error) => failure(&error),
    };
    if strict == tolerant {
        strict
    } else {
        format!("strict {strict}, tolerant {tolerant}")
    }
}

/// The incremental decoder as a machine over an alphabet, for closure.
#[derive(Clone)]
pub struct Decoding {
    alphabet: &'static [Symbol],
    contract: Contract,
    decoder: Decoder,
    trace: Vec<Role>,
}

impl Decoding {
    /// The decoder at the beginning of a stream.
    #[must_use]
    pub fn new(contract: Contract, alphabet: &'static [Symbol]) -> Self {
        Self {
            alphabet,
            contract,
            decoder: Decoder::new(contract),
            trace: Vec::new(),
        }
    }
}

impl Machine for Decoding {
    type Key = Control;

    fn step(&self, symbol: usize) -> Self {
        let mut next = self.clone();
        next.trace.push(self.alphabet[symbol].role);
        // A refused line stays in the decoder and shows in the outcome.
        let _ = next.decoder.push(self.alphabet[symbol].line);
        next
    }

    fn key(&self) -> Control {
        self.decoder.control()
    }

    fn outcome(&self) -> String {
        match self.decoder.clone().finish() {
            Err(_) => "a failure".to_owned(),
            reply => outcome(self.contract, &self.trace, &reply),
        }
    }
}
