//! Relations between things and kinds that no move changes: kinds and what they
//! fear, colours, sizes, a map, and where things stand before the eye. Each keeps the
//! sentences that state it, so that a conclusion can name them.

use std::collections::{HashMap, HashSet, VecDeque};

use super::lexicon::{self, DIRECTIONS};
use super::statement::Id;
use super::world::Witness;

/// A conclusion with the sentences that it rests on; the second arm is for more than
/// one possible conclusion.
pub type Found<T> = Result<Option<(T, Witness)>, Ambiguous>;

/// The story allows more than one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ambiguous;

/// What is stated of kinds and of those who belong to one. Names in lower case, kinds
/// in the singular.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    members: Vec<(String, String, Id)>,
    fears: Vec<(String, String, Id)>,
    colors: Vec<(String, String, Id)>,
    kind_of: HashMap<String, usize>,
    color_of: HashMap<String, usize>,
}

impl Kinds {
    /// `name` is one of `kind`.
    pub fn belongs(&mut self, name: &str, kind: &str, id: Id) {
        self.kind_of.insert(name.to_owned(), self.members.len());
        self.members.push((name.to_owned(), kind.to_owned(), id));
    }

    /// A name or a kind is afraid of a kind.
    pub fn fears(&mut self, who: &str, whom: &str, id: Id) {
        self.fears.push((who.to_owned(), whom.to_owned(), id));
    }

    /// `name` has a colour.
    pub fn colored(&mut self, name: &str, color: &str, id: Id) {
        self.color_of.insert(name.to_owned(), self.colors.len());
        self.colors.push((name.to_owned(), color.to_owned(), id));
    }

    /// The one kind of `name`, with its sentence.
    fn kind(&self, name: &str) -> Result<Option<&(String, String, Id)>, Ambiguous> {
        let Some(kind) = self.kind_of.get(name).map(|&at| &self.members[at]) else {
            return Ok(None);
        };
        let is_other = |it: &&(String, String, Id)| it.0 == name && it.1 != kind.1;
        if self.members.iter().any(|it| is_other(&it)) {
            return Err(Ambiguous);
        }
        Ok(Some(kind))
    }

    /// What `name` is afraid of: what is stated of it and of its kind, which must agree.
    pub fn fear(&self, name: &str) -> Found<String> {
        let kind = self.kind(name)?;
        let concerns = |who: &str| who == name || kind.is_some_and(|(_, kind, _)| kind == who);
        let mut stated = self.fears.iter().filter(|(who, ..)| concerns(who));
        let Some((who, first, id)) = stated.next() else {
            return Ok(None);
        };
        if stated.any(|(_, whom, _)| whom != first) {
            return Err(Ambiguous);
        }
        let base = kind.filter(|_| who != name).map(|(.., id)| *id);
        let base: Witness = base.into_iter().collect();
        Ok(Some((first.clone(), super::world::joined(&base, &[*id]))))
    }

    /// The colour of `name`: as it is stated, else that of the one of its kind who was
    /// introduced last. This is an induction, and the question asks for one.
    pub fn color(&self, name: &str) -> Found<String> {
        if let Some(&at) = self.color_of.get(name) {
            let (_, color, id) = &self.colors[at];
            if self
                .colors
                .iter()
                .any(|(who, other, _)| who == name && other != color)
            {
                return Err(Ambiguous);
            }
            return Ok(Some((color.clone(), vec![*id])));
        }
        let Some((_, kind, id)) = self.kind(name)? else {
            return Ok(None);
        };
        let like = self.members.iter().rev().find_map(|(other, of, belongs)| {
            let (_, color, stated) = &self.colors[*self.color_of.get(other)?];
            (of == kind).then_some((color, *stated, *belongs))
        });
        Ok(like.map(|(color, stated, belongs)| {
            let witness = super::world::joined(&[*id], &[stated, belongs]);
            (color.clone(), witness)
        }))
    }
}

/// Things by size.
#[derive(Clone, Debug, Default)]
pub struct Sizes {
    smaller: HashMap<String, Vec<(String, Id)>>,
}

impl Sizes {
    /// `big` is bigger than `small`.
    pub fn bigger(&mut self, big: &str, small: &str, id: Id) {
        let all = self.smaller.entry(big.to_owned()).or_default();
        all.push((small.to_owned(), id));
    }

    /// Whether `big` is bigger than `small`: by a chain of statements from one to the
    /// other, or from the other to the one.
    pub fn is_bigger(&self, big: &str, small: &str) -> Found<bool> {
        match (self.chain(big, small), self.chain(small, big)) {
            (Some(_), Some(_)) => Err(Ambiguous),
            (Some(witness), None) => Ok(Some((true, witness))),
            (None, Some(witness)) => Ok(Some((false, witness))),
            (None, None) => Ok(None),
        }
    }

    fn chain(&self, big: &str, small: &str) -> Option<Witness> {
        let smaller = |at: &str| self.smaller.get(at).into_iter().flatten();
        let mut reached: HashMap<&str, Link<'_>> = HashMap::new();
        let mut queue = VecDeque::from([big]);
        while let Some(at) = queue.pop_front() {
            for (next, id) in smaller(at) {
                if !reached.contains_key(next.as_str()) {
                    reached.insert(next, Link { from: at, id: *id });
                    queue.push_back(next);
                }
            }
        }
        let mut witness = Vec::new();
        let mut at = small;
        loop {
            let link = reached.get(at)?;
            witness.push(link.id);
            at = link.from;
            if at == big {
                return Some(super::world::joined(&witness, &[]));
            }
        }
    }
}

/// How a search reached something.
struct Link<'a> {
    from: &'a str,
    id: Id,
}

/// Places on a map, by rows of [`DIRECTIONS`]; or things before the eye, by rows of
/// [`lexicon::POSITIONS`].
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// `(one, step, other, sentence)`: a step from `other` leads to `one`.
    links: Vec<(String, (i64, i64), String, Id)>,
    by_end: HashMap<String, Vec<usize>>,
}

impl Layout {
    /// A step from `other` leads to `one`.
    pub fn link(&mut self, one: &str, step: (i64, i64), other: &str, id: Id) {
        for end in [one, other] {
            let all = self.by_end.entry(end.to_owned()).or_default();
            all.push(self.links.len());
        }
        self.links
            .push((one.to_owned(), step, other.to_owned(), id));
    }

    /// The neighbours of a place: each with the step that leads there.
    fn around(&self, at: &str) -> impl Iterator<Item = (&str, (i64, i64), Id)> {
        let links = self.by_end.get(at).into_iter().flatten();
        links.map(move |&link| {
            let (one, step, other, id) = &self.links[link];
            if other == at {
                (one.as_str(), *step, *id)
            } else {
                (other.as_str(), (-step.0, -step.1), *id)
            }
        })
    }

    /// What a step from `at` leads to, as it is stated.
    pub fn beyond(&self, at: &str, step: (i64, i64)) -> Found<String> {
        let mut found: Option<(&str, Id)> = None;
        let steps: HashSet<_> = self
            .around(at)
            .map(|(next, step, _)| (next, step))
            .collect();
        for (next, taken, id) in self.around(at) {
            if taken == step {
                // Not on both sides of it.
                if steps
                    .iter()
                    .any(|(other, it)| *other == next && *it != step)
                {
                    return Err(Ambiguous);
                }
                if found.is_some_and(|(other, _)| other != next) {
                    return Err(Ambiguous);
                }
                found.get_or_insert((next, id));
            }
        }
        Ok(found.map(|(next, id)| (next.to_owned(), vec![id])))
    }

    /// The letters of the shortest way, in steps that are stated.
    pub fn way(&self, from: &str, to: &str) -> Found<String> {
        let mut length = HashMap::from([(from, 0_usize)]);
        let mut links: HashMap<&str, (Link<'_>, (i64, i64))> = HashMap::new();
        let mut forks = HashSet::new();
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            let next_length = length[at] + 1;
            for (next, step, id) in self.around(at) {
                if let Some(&known) = length.get(next) {
                    // Another step from the same place is another way too.
                    let is_other = links
                        .get(next)
                        .is_some_and(|(link, taken)| link.from != at || *taken != step);
                    if known == next_length && is_other {
                        forks.insert(next);
                    }
                    continue;
                }
                length.insert(next, next_length);
                links.insert(next, (Link { from: at, id }, step));
                queue.push_back(next);
            }
        }
        let (mut letters, mut witness, mut at) = (Vec::new(), Vec::new(), to);
        while at != from {
            let Some((link, step)) = links.get(at) else {
                return Ok(None);
            };
            if forks.contains(at) {
                return Err(Ambiguous);
            }
            let row = DIRECTIONS.iter().find(|(.., it)| it == step);
            letters.push(row.map_or("", |(_, letter, _)| letter));
            witness.push(link.id);
            at = link.from;
        }
        letters.reverse();
        let is_way = !letters.is_empty();
        Ok(is_way.then(|| (letters.join(","), super::world::joined(&witness, &[]))))
    }

    /// Whether a step such as this leads from `other` towards `one`: things stand on
    /// the crossings of a grid, and a relation moves along one axis only. This is the
    /// assumption under which such puzzles have an answer. Relations that no grid
    /// allows are more than one answer.
    pub fn is_towards(&self, one: &str, step: (i64, i64), other: &str) -> Found<bool> {
        let mut places = HashMap::from([(other, (0, 0))]);
        let mut links: HashMap<&str, Link<'_>> = HashMap::new();
        let mut queue = VecDeque::from([other]);
        while let Some(at) = queue.pop_front() {
            let (x, y) = places[at];
            for (next, (dx, dy), id) in self.around(at) {
                let place = (x + dx, y + dy);
                match places.get(next) {
                    Some(known) if *known != place => return Err(Ambiguous),
                    Some(_) => {}
                    None => {
                        places.insert(next, place);
                        links.insert(next, Link { from: at, id });
                        queue.push_back(next);
                    }
                }
            }
        }
        let Some((x, y)) = places.get(one).filter(|_| one != other) else {
            return Ok(None);
        };
        let (mut witness, mut at) = (Vec::new(), one);
        while let Some(link) = links.get(at) {
            witness.push(link.id);
            at = link.from;
        }
        let is = x * step.0 + y * step.1 > 0;
        Ok(Some((is, super::world::joined(&witness, &[]))))
    }
}

/// The step of a row of [`lexicon::POSITIONS`].
#[must_use]
pub fn position(row: usize) -> (i64, i64) {
    lexicon::POSITIONS[row].1
}

/// The step of a row of [`DIRECTIONS`].
#[must_use]
pub fn direction(row: usize) -> (i64, i64) {
    DIRECTIONS[row].2
}
