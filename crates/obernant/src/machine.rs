//! Step machines: closure of two of them over all lengths, and counts of their
//! outcomes by transfer matrix.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

/// More states than this is taken for a machine that is not finite.
const LIMIT: usize = 100_000;

/// A machine that reads symbols and has an outcome after each.
pub trait Machine: Clone {
    /// The finite control state: in an implementation whatever a transition
    /// reads, and nothing else; in a rule also whatever the outcome shows, so
    /// that equal keys have equal outcomes.
    type Key: Clone + Eq + Hash;

    /// The machine after one more symbol.
    #[must_use]
    fn step(&self, symbol: usize) -> Self;

    /// The control state.
    fn key(&self) -> Self::Key;

    /// The outcome when the input ends here.
    fn outcome(&self) -> String;
}

/// What closure found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed {
    /// Different pairs of control states.
    pub pairs: u64,
    /// How many of them a run of at most the bound's length reaches.
    pub bounded: u64,
}

/// A shortest input on which two machines differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The symbols of the input.
    pub trace: Vec<usize>,
    /// What the rule says.
    pub rule: String,
    /// What the implementation gave.
    pub implementation: String,
}

/// Why two machines could not be closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Open {
    /// They differ.
    Difference(Difference),
    /// The pairs go on and on.
    Endless,
}

struct Node<I, R> {
    implementation: I,
    rule: R,
    depth: u64,
    parent: Option<(usize, usize)>,
}

/// Explores pairs of control states from the start until none is new.
///
/// Texts and counters that no transition reads are not part of a control
/// state. So on every transition, known pair or new, the outcomes are compared
/// at its end and after each further symbol: a transition that leaves a wrong
/// text behind shows there, even where the pair is already known. This is
/// enough when such a text shows in the outcome at the latest one symbol later.
///
/// `symbols` is the size of the alphabet, `bound` the length for
/// [`Closed::bounded`].
pub fn close<I: Machine, R: Machine>(
    symbols: usize,
    implementation: I,
    rule: R,
    bound: u64,
) -> Result<Closed, Open> {
    let mut seen = HashSet::from([(implementation.key(), rule.key())]);
    let mut nodes = vec![Node {
        implementation,
        rule,
        depth: 0,
        parent: None,
    }];
    compare(&nodes, 0, &[], &nodes[0].implementation, &nodes[0].rule)?;
    let mut next = 0;
    while next < nodes.len() {
        for symbol in 0..symbols {
            let implementation = nodes[next].implementation.step(symbol);
            let rule = nodes[next].rule.step(symbol);
            compare(&nodes, next, &[symbol], &implementation, &rule)?;
            if seen.insert((implementation.key(), rule.key())) {
                if nodes.len() == LIMIT {
                    return Err(Open::Endless);
                }
                nodes.push(Node {
                    implementation,
                    rule,
                    depth: nodes[next].depth + 1,
                    parent: Some((next, symbol)),
                });
            } else {
                // A new pair has its own steps compared when its turn comes.
                for probe in 0..symbols {
                    compare(
                        &nodes,
                        next,
                        &[symbol, probe],
                        &implementation.step(probe),
                        &rule.step(probe),
                    )?;
                }
            }
        }
        next += 1;
    }
    Ok(Closed {
        pairs: nodes.len() as u64,
        bounded: nodes.iter().filter(|node| node.depth <= bound).count() as u64,
    })
}

fn compare<I: Machine, R: Machine>(
    nodes: &[Node<I, R>],
    from: usize,
    suffix: &[usize],
    implementation: &I,
    rule: &R,
) -> Result<(), Open> {
    let (expected, found) = (rule.outcome(), implementation.outcome());
    if expected == found {
        return Ok(());
    }
    let mut trace: Vec<usize> = suffix.iter().rev().copied().collect();
    let mut node = from;
    while let Some((parent, symbol)) = nodes[node].parent {
        trace.push(symbol);
        node = parent;
    }
    trace.reverse();
    Err(Open::Difference(Difference {
        trace,
        rule: expected,
        implementation: found,
    }))
}

/// How many sequences of at most `length` symbols have each outcome.
///
/// The machine's states are found first; then a vector of counts is carried
/// over the transitions, one multiplication per length. No sequence is visited.
///
/// # Panics
/// When the machine has more than 100,000 states, or a count reaches 2^128.
#[must_use]
pub fn count<M: Machine>(symbols: usize, start: M, length: u64) -> BTreeMap<String, u128> {
    let mut numbers = HashMap::from([(start.key(), 0_usize)]);
    let mut states = vec![start];
    let mut edges: Vec<Vec<usize>> = Vec::new();
    while edges.len() < states.len() {
        let mut row = Vec::with_capacity(symbols);
        for symbol in 0..symbols {
            let after = states[edges.len()].step(symbol);
            let fresh = states.len();
            let number = *numbers.entry(after.key()).or_insert(fresh);
            if number == fresh {
                assert!(
                    fresh < LIMIT,
                    "more than {LIMIT} states: not a finite machine"
                );
                states.push(after);
            }
            row.push(number);
        }
        edges.push(row);
    }
    let mut level = vec![0_u128; states.len()];
    level[0] = 1;
    let mut total = level.clone();
    for _ in 0..length {
        let mut after = vec![0_u128; states.len()];
        for (state, row) in edges.iter().enumerate() {
            for &target in row {
                after[target] = add(after[target], level[state]);
            }
        }
        level = after;
        for (sum, &count) in total.iter_mut().zip(&level) {
            *sum = add(*sum, count);
        }
    }
    let mut outcomes = BTreeMap::new();
    for (state, sum) in states.iter().zip(total) {
        let entry = outcomes.entry(state.outcome()).or_insert(0);
        *entry = add(*entry, sum);
    }
    outcomes.retain(|_, sum| *sum > 0);
    outcomes
}

fn add(left: u128, right: u128) -> u128 {
    left.checked_add(right).expect("a count is below 2^128")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Remembers the last two symbols; `wrong` forgets on a third `0` in a row.
    #[derive(Clone)]
    struct Tail {
        last: Vec<usize>,
        zeros: usize,
        wrong: bool,
    }

    impl Tail {
        fn new(wrong: bool) -> Self {
            Self {
                last: Vec::new(),
                zeros: 0,
                wrong,
            }
        }
    }

    impl Machine for Tail {
        type Key = (Vec<usize>, usize);
        fn step(&self, symbol: usize) -> Self {
            let mut next = self.clone();
            next.zeros = if symbol == 0 {
                (self.zeros + 1).min(3)
            } else {
                0
            };
            next.last.push(symbol);
            if next.last.len() > 2 {
                next.last.remove(0);
            }
            if self.wrong && next.zeros == 3 {
                next.last.clear();
            }
            next
        }
        fn key(&self) -> Self::Key {
            (self.last.clone(), self.zeros)
        }
        fn outcome(&self) -> String {
            format!("{:?}", self.last)
        }
    }

    #[test]
    fn equal_machines_close_and_the_bounded_part_is_smaller() {
        let closed = close(2, Tail::new(false), Tail::new(false), 2).unwrap();
        assert_eq!(closed.pairs, 1 + 2 + 4 + 1);
        assert_eq!(closed.bounded, 1 + 2 + 4);
    }

    #[test]
    fn a_difference_comes_with_a_shortest_input() {
        let Err(Open::Difference(difference)) = close(2, Tail::new(true), Tail::new(false), 2)
        else {
            panic!("the machines differ");
        };
        assert_eq!(difference.trace, [0, 0, 0]);
        assert_eq!(difference.rule, "[0, 0]");
        assert_eq!(difference.implementation, "[]");
    }

    /// A register, written by symbol 0 and printed after symbol 1. The rule has it
    /// in its key; the implementation does not, and writes it on symbol 2 as well.
    #[derive(Clone)]
    struct Register {
        text: usize,
        shown: bool,
        rule: bool,
    }

    impl Machine for Register {
        type Key = (bool, Option<usize>);
        fn step(&self, symbol: usize) -> Self {
            let text = match symbol {
                0 => 1,
                2 if !self.rule => 2,
                _ => self.text,
            };
            Self {
                text,
                shown: symbol == 1,
                rule: self.rule,
            }
        }
        fn key(&self) -> Self::Key {
            (self.shown, self.rule.then_some(self.text))
        }
        fn outcome(&self) -> String {
            if self.shown {
                self.text.to_string()
            } else {
                String::new()
            }
        }
    }

    #[test]
    fn a_wrong_text_behind_a_known_pair_is_found() {
        let start = |rule| Register {
            text: 0,
            shown: false,
            rule,
        };
        let Err(Open::Difference(found)) = close(3, start(false), start(true), 9) else {
            panic!("the leak must be found");
        };
        assert_eq!(found.trace, [2, 1]);
    }

    #[derive(Clone)]
    struct Endless(u64);
    impl Machine for Endless {
        type Key = u64;
        fn step(&self, _: usize) -> Self {
            Self(self.0 + 1)
        }
        fn key(&self) -> u64 {
            self.0
        }
        fn outcome(&self) -> String {
            String::new()
        }
    }

    #[test]
    fn machines_that_never_close_are_told_apart_from_different_ones() {
        assert_eq!(close(1, Endless(0), Endless(0), 1), Err(Open::Endless));
    }

    #[test]
    fn counts_agree_with_a_closed_formula() {
        let counts = count(2, Tail::new(false), 20);
        // Every sequence of two symbols or more ends in one of four pairs.
        assert_eq!(counts["[]"], 1);
        assert_eq!(counts["[1]"], 1);
        assert_eq!(counts["[0, 1]"], (1 << 19) - 1);
        assert_eq!(counts.values().sum::<u128>(), (1 << 21) - 1);
    }
}
