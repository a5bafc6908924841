//! The constraints of a turn as separate small automata, for counts over any
//! length and for closure. A trace is a reply when every one of them accepts.

use obernant::Machine;
use teacher::Contract;

use crate::positional::blank;
use crate::{Role, Symbol};

/// One constraint: the next state after a role, or nothing once it is broken.
type Constraint = fn(bool, Role, u8) -> Option<u8>;

/// Every constraint with the state in which a finished trace must leave it;
/// nothing where any state will do. The first argument is true for the tolerant
/// contract.
const CONSTRAINTS: [(Constraint, Option<u8>); 6] = [
    (no_failure, None),
    (thread_before_all, None),
    (turn_before_items, None),
    (one_completion, Some(1)),
    (quiet_after_completion, None),
    (answer_before_completion, Some(1)),
];

fn unless(broken: bool, next: u8) -> Option<u8> {
    (!broken).then_some(next)
}

fn no_failure(tolerant: bool, role: Role, state: u8) -> Option<u8> {
    let refused = match role {
        Role::Malformed | Role::NotUtf8 | Role::TurnFailed | Role::Forbidden => true,
        Role::Error(_) | Role::ErrorItem(_) => !tolerant,
        _ => false,
    };
    unless(refused, state)
}

/// State 1: something recognised was there. Provisional errors do not count.
fn thread_before_all(_: bool, role: Role, state: u8) -> Option<u8> {
    match role {
        Role::Thread => unless(state == 1, 1),
        Role::Turn | Role::Answer(_) | Role::Item | Role::Completion(_) => Some(1),
        _ => Some(state),
    }
}

/// State 1: a turn header, an item or a completion was there.
fn turn_before_items(_: bool, role: Role, state: u8) -> Option<u8> {
    match role {
        Role::Turn => unless(state == 1, 1),
        Role::Answer(_) | Role::Item | Role::Completion(_) => Some(1),
        _ => Some(state),
    }
}

/// The state counts completions.
fn one_completion(_: bool, role: Role, state: u8) -> Option<u8> {
    match role {
        Role::Completion(_) => unless(state == 1, 1),
        _ => Some(state),
    }
}

/// State 1: the completion is past, and only neutral lines may follow. Headers
/// and further completions are other constraints' business.
fn quiet_after_completion(_: bool, role: Role, state: u8) -> Option<u8> {
    match role {
        Role::Completion(_) => Some(1),
        Role::Answer(_) | Role::Item | Role::Error(_) | Role::ErrorItem(_) => unless(state == 1, 0),
        _ => Some(state),
    }
}

/// State 1: the last answer so far has something in it.
fn answer_before_completion(_: bool, role: Role, state: u8) -> Option<u8> {
    match role {
        Role::Answer(text) => Some(u8::from(text.is_some_and(|text| !blank(text)))),
        Role::Completion(_) => unless(state == 0, 1),
        _ => Some(state),
    }
}

/// The product of all constraints, with the last answer and the last count read.
#[derive(Clone, Debug)]
pub struct Constraints {
    alphabet: &'static [Symbol],
    tolerant: bool,
    state: Option<Product>,
}

/// The states of all constraints, and what the reply would show. Once a
/// constraint is broken nothing else matters, so the whole product is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Product {
    states: [u8; CONSTRAINTS.len()],
    answer: Option<&'static str>,
    input: Option<u64>,
}

impl Constraints {
    /// The product at the beginning of a trace.
    #[must_use]
    pub fn new(contract: Contract, alphabet: &'static [Symbol]) -> Self {
        Self {
            alphabet,
            tolerant: matches!(contract, Contract::Tolerant),
            state: Some(Product::default()),
        }
    }
}

impl Machine for Constraints {
    type Key = Option<Product>;

    fn step(&self, symbol: usize) -> Self {
        let role = self.alphabet[symbol].role;
        let advance = |product: &Product| {
            let mut next = product.clone();
            for (state, (constraint, _)) in next.states.iter_mut().zip(CONSTRAINTS) {
                *state = constraint(self.tolerant, role, *state)?;
            }
            match role {
                Role::Answer(text) => next.answer = text,
                Role::Completion(input) => next.input = input,
                _ => {}
            }
            Some(next)
        };
        Self {
            state: self.state.as_ref().and_then(advance),
            ..self.clone()
        }
    }

    fn key(&self) -> Self::Key {
        self.state.clone()
    }

    fn outcome(&self) -> String {
        let reply = self.state.as_ref().and_then(|product| {
            let accepted = product
                .states
                .iter()
                .zip(CONSTRAINTS)
                .all(|(&state, (_, last))| last.is_none_or(|last| last == state));
            accepted.then_some(format!("{}/{}", product.answer?, product.input?))
        });
        reply.unwrap_or_else(|| "a failure".to_owned())
    }
}
