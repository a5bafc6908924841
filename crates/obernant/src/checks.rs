//! The checks: each compares what was observed on every case of a universe with
//! an independent rule, and stops at the first counterexample in index order.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::hash::Hash;

use serde_json::json;
use sha2::Digest;

use crate::machine::{Closed, Difference, Machine, Open, close, count};
use crate::record::{Record, integer};
use crate::universe::Universe;

/// A universe of more cases than this is not observed in one run.
const GREATEST_UNIVERSE: u64 = 200_000_000;

/// Not a check of a type: it ties outcomes to literals, beside one.
pub(crate) const EQUAL: &str = "equal";

/// A subject observed on every case of a universe.
///
/// A case becomes an input text, the input an outcome: a short text that is
/// equal exactly where the observations are equal. Observations are made when
/// a check first asks for them, in index order, and kept for the next check.
pub struct Table<'u, U, I, F> {
    subject: &'static str,
    universe: &'u U,
    input: I,
    run: F,
    seen: Vec<u32>,
    outcomes: Vec<String>,
    numbers: HashMap<String, u32>,
    noted: bool,
}

impl<'u, U, I, F> Table<'u, U, I, F>
where
    U: Universe,
    I: Fn(&[usize]) -> String,
    F: Fn(&[usize], &str) -> String,
{
    /// Observes `subject` (as words name it, "the decoder") over `universe`:
    /// `input` gives a case's text, `run` the outcome on that text. `run` gets
    /// the case too, for outcomes that are read relative to it.
    ///
    /// # Panics
    /// When the universe is empty, or too large to observe in one run.
    pub fn new(subject: &'static str, universe: &'u U, input: I, run: F) -> Self {
        let cases = universe.len();
        assert!(cases > 0, "an empty universe checks nothing");
        assert!(
            cases <= GREATEST_UNIVERSE,
            "{cases} cases are too many for one run; the limit is {GREATEST_UNIVERSE}"
        );
        Self {
            subject,
            universe,
            input,
            run,
            seen: Vec::new(),
            outcomes: Vec::new(),
            numbers: HashMap::new(),
            noted: false,
        }
    }

    /// The number of cases.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.universe.len()
    }

    /// Never true: an empty universe is refused at the start.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.universe.is_empty()
    }

    /// How often each outcome was observed so far.
    #[must_use]
    pub fn histogram(&self) -> BTreeMap<&str, u64> {
        let mut counts = vec![0_u64; self.outcomes.len()];
        for &outcome in &self.seen {
            counts[outcome as usize] += 1;
        }
        self.outcomes
            .iter()
            .map(String::as_str)
            .zip(counts)
            .collect()
    }

    /// How often this outcome was observed so far.
    #[must_use]
    pub fn seen(&self, outcome: &str) -> u64 {
        self.histogram().get(outcome).copied().unwrap_or(0)
    }

    /// The case's number among the outcomes; cases are asked for in order.
    fn observe(&mut self, record: &mut Record, index: u64, case: &[usize]) -> usize {
        let place = usize::try_from(index).expect("a table is smaller than memory");
        if place == self.seen.len() {
            let input = (self.input)(case);
            let outcome = (self.run)(case, &input);
            for part in [&input, &outcome] {
                record.stream.update((part.len() as u64).to_le_bytes());
                record.stream.update(part);
            }
            let number = if let Some(&number) = self.numbers.get(&outcome) {
                number
            } else {
                let fresh = u32::try_from(self.outcomes.len()).expect("fewer than 2^32 outcomes");
                self.numbers.insert(outcome.clone(), fresh);
                self.outcomes.push(outcome);
                fresh
            };
            self.seen.push(number);
        }
        self.seen[place] as usize
    }

    /// Runs `look` on every case in order, with the number of its outcome. `look`
    /// gives the words of a counterexample.
    fn each(
        &mut self,
        record: &mut Record,
        check: &'static str,
        mut look: impl FnMut(&Self, &[usize], usize) -> Option<String>,
    ) {
        for index in 0..self.universe.len() {
            let case = self.universe.case(index);
            let outcome = self.observe(record, index, &case);
            if let Some(words) = look(self, &case, outcome) {
                let words = format!(
                    "{words}; {} returned {} (case {index}: {})",
                    self.subject,
                    self.outcomes[outcome],
                    self.universe.words(&case),
                );
                record.fail(check, &index.to_string(), &words);
            }
        }
        if !self.noted {
            self.noted = true;
            record.universe += self.universe.len();
            record.outcomes.extend(self.outcomes.iter().cloned());
        }
        if check != EQUAL {
            record.ran(check);
        }
    }
}

/// Where a table's outcomes stand in a list of declared names.
struct Places<'n> {
    names: Vec<&'n str>,
    known: Vec<Option<usize>>,
}

impl<'n> Places<'n> {
    fn new(names: &'n [impl AsRef<str>]) -> Self {
        Self {
            names: names.iter().map(AsRef::as_ref).collect(),
            known: Vec::new(),
        }
    }

    /// The place of an outcome; nothing where it is not declared.
    fn of<U, I, F>(&mut self, table: &Table<'_, U, I, F>, outcome: usize) -> Option<usize> {
        for name in &table.outcomes[self.known.len()..] {
            self.known
                .push(self.names.iter().position(|known| known == name));
        }
        self.known[outcome]
    }
}

/// A rule on a trace of events; see [`Record::ordering`].
#[derive(Clone, Copy, Debug)]
pub enum Order<'w> {
    /// The first event never stands without the second one before it.
    Needs(&'w str, &'w str),
    /// After each first event the second one comes some time.
    Leads(&'w str, &'w str),
}

impl<'w> Order<'w> {
    fn event(&self) -> &'w str {
        let (Self::Needs(event, _) | Self::Leads(event, _)) = self;
        event
    }

    fn holds(&self, trace: &[&str]) -> bool {
        let mut at = (0..trace.len()).filter(|&at| trace[at] == self.event());
        at.all(|at| match self {
            Self::Needs(_, before) => trace[..at].contains(before),
            Self::Leads(_, after) => trace[at + 1..].contains(after),
        })
    }

    fn words(&self) -> String {
        match self {
            Self::Needs(event, before) => format!("{event} only after {before}"),
            Self::Leads(event, after) => format!("{after} some time after {event}"),
        }
    }
}

impl Record {
    /// Complement: no excluded pair of case and outcome is ever produced, and no
    /// outcome outside the declared ones.
    ///
    /// `rule` gives for a case which outcomes are excluded, each named by its
    /// place in `outcomes`; `words` says why, should one be produced. Claims two
    /// integers: the declared pairs that are never produced, and how many of them
    /// the rule excludes.
    ///
    /// # Panics
    /// At the first excluded pair that is produced.
    pub fn complement<U, I, F, X>(
        &mut self,
        table: &mut Table<'_, U, I, F>,
        outcomes: &[impl AsRef<str>],
        rule: impl Fn(&[usize]) -> X,
        words: impl Fn(&[usize]) -> String,
    ) where
        U: Universe,
        I: Fn(&[usize]) -> String,
        F: Fn(&[usize], &str) -> String,
        X: Fn(usize) -> bool,
    {
        let mut covered = 0_u128;
        let mut places = Places::new(outcomes);
        table.each(self, "complement", |table, case, outcome| {
            let excluded = rule(case);
            covered += (0..outcomes.len()).filter(|&place| excluded(place)).count() as u128;
            match places.of(table, outcome) {
                Some(place) if !excluded(place) => None,
                _ => Some(words(case)),
            }
        });
        let never = u128::from(table.len()) * (outcomes.len() as u128 - 1);
        self.claim(
            "complement",
            json!({ "never_produced": integer(never), "covered": integer(covered) }),
        );
    }

    /// Reconstruction: for each fiber, the cases that the rule says belong to it
    /// are exactly those that produced it.
    ///
    /// `rule` gives for a case whether it belongs to a fiber, named by its place
    /// in `fibers`. Claims the size of each fiber and their sum.
    ///
    /// # Panics
    /// At the first case that is in one and not in the other, and when a fiber
    /// is empty at the default bounds.
    pub fn reconstruction<U, I, F, X>(
        &mut self,
        table: &mut Table<'_, U, I, F>,
        fibers: &[impl AsRef<str>],
        rule: impl Fn(&[usize]) -> X,
    ) where
        U: Universe,
        I: Fn(&[usize]) -> String,
        F: Fn(&[usize], &str) -> String,
        X: Fn(usize) -> bool,
    {
        let mut sizes = vec![0_u64; fibers.len()];
        let mut places = Places::new(fibers);
        table.each(self, "reconstruction", |table, case, outcome| {
            let member = rule(case);
            let found = places.of(table, outcome);
            if let Some(place) = found {
                sizes[place] += 1;
            }
            let differs = |place: &usize| member(*place) != (found == Some(*place));
            (0..fibers.len()).find(differs).map(|_| {
                let due = (0..fibers.len()).find(|&place| member(place));
                let due = due.map_or("none of the fibers", |place| places.names[place]);
                format!("the rule reconstructs {due}")
            })
        });
        let sizes: BTreeMap<&str, u64> = places.names.iter().copied().zip(sizes).collect();
        for (fiber, size) in &sizes {
            if *size == 0 && !self.overridden() {
                self.fail(
                    "reconstruction",
                    "",
                    &format!("no case at all gives {fiber}"),
                );
            }
        }
        self.claim("accepted", sizes.values().sum::<u64>());
        self.claim("fibers", json!(sizes));
    }

    /// Complement and reconstruction in one, for a rule that is a function.
    ///
    /// `due` gives for a case the place in `accepted` of the one outcome it must
    /// have, or nothing where it must have one of `refused`, no matter which.
    /// `words` says what is due. Claims as the two checks do.
    ///
    /// # Panics
    /// As the two checks do.
    pub fn acceptance<U, I, F>(
        &mut self,
        table: &mut Table<'_, U, I, F>,
        accepted: &[impl AsRef<str>],
        refused: &[impl AsRef<str>],
        due: impl Fn(&[usize]) -> Option<usize>,
        words: impl Fn(&[usize]) -> String,
    ) where
        U: Universe,
        I: Fn(&[usize]) -> String,
        F: Fn(&[usize], &str) -> String,
    {
        let names = accepted.iter().map(AsRef::as_ref);
        let outcomes: Vec<&str> = names.chain(refused.iter().map(AsRef::as_ref)).collect();
        let excluded = |case: &[usize]| {
            let due = due(case);
            move |outcome| match due {
                Some(due) => outcome != due,
                None => outcome < accepted.len(),
            }
        };
        self.complement(table, &outcomes, excluded, words);
        self.reconstruction(table, accepted, |case| {
            let due = due(case);
            move |fiber| due == Some(fiber)
        });
    }

    /// Partition: two cases have the same outcome exactly when they have the same
    /// declared key. Claims the number of classes.
    ///
    /// `coarse` joins outcomes that this partition does not tell apart.
    ///
    /// # Panics
    /// At the first case that separates or joins wrongly.
    pub fn partition<U, I, F, K>(
        &mut self,
        table: &mut Table<'_, U, I, F>,
        coarse: impl Fn(&str) -> &str,
        key: impl Fn(&[usize]) -> K,
    ) where
        U: Universe,
        I: Fn(&[usize]) -> String,
        F: Fn(&[usize], &str) -> String,
        K: Clone + Debug + Eq + Hash,
    {
        // For each class its outcome and first case; for each coarse outcome its class.
        let mut classes: HashMap<K, (String, Vec<usize>)> = HashMap::new();
        let mut owners: HashMap<String, K> = HashMap::new();
        table.each(self, "partition", |table, case, outcome| {
            let (key, outcome) = (key(case), coarse(&table.outcomes[outcome]));
            if let Some((other, first)) = classes.get(&key) {
                return (other != outcome).then(|| {
                    let first = table.universe.words(first);
                    format!(
                        "class {key:?} must have one outcome, and the case <{first}> gave {other}"
                    )
                });
            }
            if let Some(owner) = owners.get(outcome) {
                return Some(format!("class {key:?} must differ from class {owner:?}"));
            }
            owners.insert(outcome.to_owned(), key.clone());
            classes.insert(key, (outcome.to_owned(), case.to_vec()));
            None
        });
        self.claim("classes", classes.len());
    }

    /// Gates: of the gates of a case, in order, the first that stops it decides
    /// the outcome; `through` is the outcome where none does.
    ///
    /// `rule` gives the gates in order, each with its outcome and whether it
    /// stops the case; each must be decided without looking at the others. Claims
    /// how many cases each outcome has.
    ///
    /// # Panics
    /// At the first case whose outcome is another.
    pub fn gates<U, I, F, G>(
        &mut self,
        table: &mut Table<'_, U, I, F>,
        through: &str,
        rule: impl Fn(&[usize]) -> G,
    ) where
        U: Universe,
        I: Fn(&[usize]) -> String,
        F: Fn(&[usize], &str) -> String,
        G: IntoIterator<Item = (String, bool)>,
    {
        table.each(self, "gates", |table, case, outcome| {
            let first = rule(case).into_iter().find(|(_, stops)| *stops);
            let expected = first.as_ref().map_or(through, |(gate, _)| gate.as_str());
            (table.outcomes[outcome] != expected).then(|| match first {
                Some(_) => format!("the first gate that stops is {expected}"),
                None => format!("no gate stops, so {expected} is due"),
            })
        });
        let decided = json!(table.histogram());
        self.claim("decided", decided);
    }

    /// Invariance: a transformed case has the outcome of its original.
    ///
    /// `original` gives the input text before the transformation.
    ///
    /// # Panics
    /// At the first case whose outcome is another than its original's.
    pub fn invariance<U, I, F>(
        &mut self,
        table: &mut Table<'_, U, I, F>,
        original: impl Fn(&[usize]) -> String,
    ) where
        U: Universe,
        I: Fn(&[usize]) -> String,
        F: Fn(&[usize], &str) -> String,
    {
        table.each(self, "invariance", |table, case, outcome| {
            let before = (table.run)(case, &original(case));
            (table.outcomes[outcome] != before).then(|| {
                format!("the change must be neutral, and without it the outcome is {before}")
            })
        });
    }

    /// Budget: a case has one of the outcomes `within` exactly where it uses no
    /// more of any resource than its limit.
    ///
    /// `limits` are the resources, each with its name and its limit; `used` gives
    /// for a case what it uses of each, in the same order. Claims the limits, and
    /// how many cases were within and beyond.
    ///
    /// # Panics
    /// At the first case on the wrong side, and at the default bounds when the
    /// universe does not reach an edge: for each resource a case that uses exactly
    /// its limit and is within, and one that uses one more and nothing else too much.
    pub fn budget<U, I, F>(
        &mut self,
        table: &mut Table<'_, U, I, F>,
        limits: &[(&str, u64)],
        within: &[impl AsRef<str>],
        used: impl Fn(&[usize]) -> Vec<u64>,
    ) where
        U: Universe,
        I: Fn(&[usize]) -> String,
        F: Fn(&[usize], &str) -> String,
    {
        let mut counts = [0_u64; 2];
        let mut edges = vec![[false; 2]; limits.len()];
        let mut places = Places::new(within);
        table.each(self, "budget", |table, case, outcome| {
            let used = used(case);
            assert_eq!(used.len(), limits.len(), "a use for each resource");
            let excess: Vec<usize> = (0..limits.len())
                .filter(|&at| used[at] > limits[at].1)
                .collect();
            counts[usize::from(!excess.is_empty())] += 1;
            for (at, edge) in edges.iter_mut().enumerate() {
                edge[0] |= excess.is_empty() && used[at] == limits[at].1;
                edge[1] |= excess == [at] && used[at] - 1 == limits[at].1;
            }
            let found = places.of(table, outcome).is_some();
            (found != excess.is_empty()).then(|| match excess.first() {
                Some(&at) => {
                    let (name, limit) = limits[at];
                    format!("{} of {name} is beyond the limit of {limit}", used[at])
                }
                None => "everything is within its limit".to_owned(),
            })
        });
        for ((name, limit), edge) in limits.iter().zip(edges) {
            if edge != [true; 2] && !self.overridden() {
                let words = format!("no case stands at both sides of the edge of {name}, {limit}");
                self.fail("budget", "", &words);
            }
        }
        let limits: BTreeMap<_, _> = limits.iter().copied().collect();
        self.claim(
            "budget",
            json!({ "limits": limits, "within": counts[0], "beyond": counts[1] }),
        );
    }

    /// Ordering: an outcome is a trace, its events joined by ` > `, and each trace
    /// keeps every rule. Claims how many traces each rule bore on.
    ///
    /// # Panics
    /// At the first trace that breaks a rule, and at the default bounds when a rule
    /// bore on no trace.
    pub fn ordering<U, I, F>(&mut self, table: &mut Table<'_, U, I, F>, rules: &[Order<'_>])
    where
        U: Universe,
        I: Fn(&[usize]) -> String,
        F: Fn(&[usize], &str) -> String,
    {
        let mut bore = vec![0_u64; rules.len()];
        table.each(self, "ordering", |table, _, outcome| {
            let trace: Vec<&str> = table.outcomes[outcome].split(" > ").collect();
            for (rule, bore) in rules.iter().zip(&mut bore) {
                *bore += u64::from(trace.contains(&rule.event()));
            }
            let broken = rules.iter().find(|rule| !rule.holds(&trace))?;
            Some(broken.words())
        });
        let mut claimed = BTreeMap::new();
        for (rule, bore) in rules.iter().zip(bore) {
            if bore == 0 && !self.overridden() {
                self.fail(
                    "ordering",
                    "",
                    &format!("no trace at all has {}", rule.event()),
                );
            }
            claimed.insert(rule.words(), bore);
        }
        self.claim("ordering", json!(claimed));
    }

    /// Literal expectation: every case has the outcome that `rule` states for it.
    ///
    /// It stands beside the check of a type where that check compares outcomes
    /// with each other only, and is not listed among the checks.
    ///
    /// # Panics
    /// At the first case whose outcome is another.
    pub fn literal<U, I, F>(
        &mut self,
        table: &mut Table<'_, U, I, F>,
        rule: impl Fn(&[usize]) -> String,
    ) where
        U: Universe,
        I: Fn(&[usize]) -> String,
        F: Fn(&[usize], &str) -> String,
    {
        table.each(self, EQUAL, |table, case, outcome| {
            let due = rule(case);
            (table.outcomes[outcome] != due).then(|| format!("{due} is due"))
        });
    }

    /// Closure over all lengths of an implementation and a rule; see [`close`].
    ///
    /// `symbols` are the alphabet's words. Claims `closed`, `pairs` and, with
    /// `bound` as the greatest length, `pairs_bounded`.
    ///
    /// # Panics
    /// On a shortest input where they differ, or when the pairs never close.
    pub fn closure(
        &mut self,
        subject: &str,
        symbols: &[&str],
        implementation: impl Machine,
        rule: impl Machine,
        bound: u64,
    ) {
        match close(symbols.len(), implementation, rule, bound) {
            Ok(Closed { pairs, bounded }) => {
                self.claim("closed", true);
                self.claim("pairs", pairs);
                self.claim("pairs_bounded", bounded);
            }
            Err(Open::Difference(Difference {
                trace,
                rule,
                implementation,
            })) => {
                let case: Vec<&str> = trace.iter().map(|&symbol| symbols[symbol]).collect();
                let case = case.join(", ");
                let words = format!(
                    "the rule's machine says {rule}; {subject} returned {implementation} (after {case})"
                );
                self.fail("closure", &case, &words);
            }
            Err(Open::Endless) => {
                self.fail("closure", "", "the pairs of control states never close")
            }
        }
    }

    /// Confirms the outcomes counted in `table` by the counts of `rule`'s transfer
    /// matrix, and claims both totals as the second derivation. `accepted` are
    /// the outcomes that count as accepted; all others only count as cases.
    ///
    /// # Panics
    /// When a count differs.
    pub fn transfer_matrix<U, I, F>(
        &mut self,
        table: &Table<'_, U, I, F>,
        symbols: usize,
        rule: impl Machine,
        length: u64,
        accepted: &[impl AsRef<str>],
    ) where
        U: Universe,
        I: Fn(&[usize]) -> String,
        F: Fn(&[usize], &str) -> String,
    {
        let counts = count(symbols, rule, length);
        let universe: u128 = counts.values().sum();
        self.equal("cases by transfer matrix", &universe, &table.len().into());
        let mut sum = 0;
        for outcome in accepted {
            let outcome = outcome.as_ref();
            let counted = counts.get(outcome).copied().unwrap_or(0);
            let seen = table.seen(outcome);
            self.equal(
                &format!("cases of {outcome}, against the transfer matrix"),
                &seen.into(),
                &counted,
            );
            sum += counted;
        }
        self.second(
            "transfer matrix over the rule's automaton",
            json!({ "universe": integer(universe), "accepted": integer(sum) }),
        );
    }
}
