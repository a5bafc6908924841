//! Every verb of the table in every mood with every complement; every pattern around
//! `is` and its like with every kind of subject.

use std::collections::BTreeSet;

use obernant::{Product, Record};
use world::babi::lexicon::{Class, VERBS, Verb};

use crate::language::compare;
use crate::said;

/// A complement, the class and the particle of the verbs that it belongs to, and what
/// such a verb then says.
type Row = (&'static str, Class, Option<&'static str>, &'static str);

const fn row(text: &'static str, class: Class, says: &'static str) -> Row {
    (text, class, None, says)
}

const fn with(text: &'static str, class: Class, particle: &'static str, says: &'static str) -> Row {
    (text, class, Some(particle), says)
}

const COMPLEMENTS: &[Row] = &[
    row("to the hall", Class::Go, "go hall"),
    row("into the hall", Class::Go, "go hall"),
    row("back to the hall", Class::Go, "go hall"),
    row("straight over to the hall", Class::Go, "go hall"),
    row("from the park to the hall", Class::Go, "go hall from park"),
    row("to the hall from the park", Class::Go, "go hall from park"),
    row("through the park to the hall", Class::Go, "go hall"),
    row("toward the hall", Class::Go, "wander"),
    row("towards the hall", Class::Go, "wander"),
    row("to the hall or the park", Class::Go, "either hall|park"),
    row(
        "to either the hall or to the park",
        Class::Go,
        "either hall|park",
    ),
    row("out of the hall", Class::Go, "exit hall"),
    row("the milk", Class::Reach, "go milk"),
    row("at the hall", Class::Arrive, "go hall"),
    row("in the hall", Class::Arrive, "go hall"),
    row("the milk", Class::Exit, "exit milk"),
    row("the milk", Class::Leave, "leave milk"),
    row("a milk", Class::Leave, "leave a milk"),
    row("it", Class::Leave, "drop it"),
    row("the milk and the ball", Class::Leave, "drop milk+ball"),
    row("the milk in the hall", Class::Leave, "put milk in hall"),
    row("the milk into the box", Class::Leave, "put milk in box"),
    row("the milk on the box", Class::Leave, "put milk in box"),
    row("the milk there", Class::Leave, "drop milk"),
    row("in the hall", Class::Stay, "stay hall"),
    row("at the hall", Class::Stay, "stay hall"),
    row("inside the hall", Class::Stay, "stay hall"),
    row("the milk", Class::Take, "take milk"),
    row("a milk", Class::Take, "take a milk"),
    row("it", Class::Take, "take it"),
    row("the milk and the ball", Class::Take, "take milk+ball"),
    row("the milk in the hall", Class::Take, "take milk at hall"),
    row("the milk there", Class::Take, "take milk"),
    row("the milk from Bob", Class::Take, "take milk from Bob"),
    row("it from her", Class::Take, "take it from her"),
    with("up the milk", Class::Take, "up", "take milk"),
    with("the milk up", Class::Take, "up", "take milk"),
    with("it up", Class::Take, "up", "take it"),
    with(
        "the milk up in the hall",
        Class::Take,
        "up",
        "take milk at hall",
    ),
    with(
        "the milk up from Bob",
        Class::Take,
        "up",
        "take milk from Bob",
    ),
    row("the milk", Class::Drop, "drop milk"),
    row("a milk", Class::Drop, "drop a milk"),
    row("it", Class::Drop, "drop it"),
    row("the milk and the ball", Class::Drop, "drop milk+ball"),
    row("the milk in the hall", Class::Drop, "put milk in hall"),
    row("the milk into the box", Class::Drop, "put milk in box"),
    row("the milk on the box", Class::Drop, "put milk in box"),
    row("the milk there", Class::Drop, "drop milk"),
    with("down the milk", Class::Drop, "down", "drop milk"),
    with("the milk down", Class::Drop, "down", "drop milk"),
    with("it down", Class::Drop, "down", "drop it"),
    with(
        "the milk down in the hall",
        Class::Drop,
        "down",
        "put milk in hall",
    ),
    row("Bob the milk", Class::Give, "give milk to Bob"),
    row("him the milk", Class::Give, "give milk to him"),
    row("the milk to Bob", Class::Give, "give milk to Bob"),
    row("the milk over to Bob", Class::Give, "give milk to Bob"),
    row("it to them", Class::Give, "give it to them"),
    row("the milk in the hall", Class::Put, "put milk in hall"),
    row("the milk into the box", Class::Put, "put milk in box"),
    row("the milk on the box", Class::Put, "put milk in box"),
    row("the milk to the hall", Class::Bring, "bring milk to hall"),
    row("the milk into the box", Class::Bring, "bring milk to box"),
    row("it back to the hall", Class::Bring, "bring it to hall"),
    row("the milk to the hall", Class::Shift, "shift milk to hall"),
    row("the milk into the box", Class::Shift, "shift milk to box"),
    row("it back to the hall", Class::Shift, "shift it to hall"),
    row("the milk", Class::Consume, "consume milk"),
    row("a milk", Class::Consume, "consume a milk"),
    row("it", Class::Consume, "consume it"),
    row("the milk and the ball", Class::Consume, "consume milk+ball"),
    row("the milk", Class::Own, "own milk"),
    row("the milk", Class::Own, "has milk"),
    row("a milk", Class::Own, "own a milk"),
    row("a milk", Class::Own, "has a milk"),
    row("it", Class::Own, "own it"),
    row("it", Class::Own, "has it"),
    row("the milk and the ball", Class::Own, "own milk+ball"),
    row("the milk and the ball", Class::Own, "has milk+ball"),
];

/// Complements of no class.
const STRAY: &[&str] = &[
    "",
    "Bob",
    "her",
    "to Bob",
    "to a hall",
    "from the park",
    "through the park",
    "from the park to the hall or the park",
    "to the",
    "the milk the ball",
    "the milk Bob to the ball",
    "the milk to",
    "the milk in the hall there in the hall",
    "up down the milk",
    "that he went to the hall",
];

/// What a verb does not say with a complement of its class.
fn is_excepted(base: &str, text: &str, says: &str) -> bool {
    match base {
        // "got the milk from Bob": he may have sent it.
        "get" => says.starts_with("take ") && text.contains(" from "),
        // One has what others may carry.
        "have" => says.starts_with("own "),
        _ => says.starts_with("has "),
    }
}

/// What stands before the verb, whether the past form follows, and what that says.
const MOODS: [(&str, bool, &str); 6] = [
    ("Ann", true, "Ann "),
    ("Ann never", true, "Ann never "),
    ("Nobody", true, "nobody never "),
    ("Ann did not", false, "Ann not "),
    ("Ann wanted to", false, "Ann wants "),
    ("Ann will", false, "Ann wants "),
];

/// What a verb of the table says with a complement; none where no class of it takes that.
fn due(is_verb: impl Fn(&Verb) -> bool, text: &str) -> Option<&'static str> {
    let means = |(complement, class, particle, says): &&Row| {
        *complement == text
            && VERBS.iter().any(|verb| {
                is_verb(verb)
                    && (verb.class, verb.particle) == (*class, *particle)
                    && !is_excepted(verb.base, text, says)
            })
    };
    let mut says = COMPLEMENTS.iter().filter(means).map(|row| row.3);
    let one = says.next();
    assert!(says.all(|it| one == Some(it)), "two classes take <{text}>");
    one
}

/// All complements, each once.
fn texts() -> Vec<&'static str> {
    let mut texts = STRAY.to_vec();
    for (text, ..) in COMPLEMENTS {
        if !texts.contains(text) {
            texts.push(text);
        }
    }
    texts
}

#[test]
fn a_verb_says_what_its_class_and_complement_say() {
    let mut record = Record::start("a_verb_says_what_its_class_and_complement_say");
    let texts = texts();
    let name = |verb: &Verb| format!("{} ({:?})", verb.past, verb.class);
    let universe = Product::new()
        .with("form", ["past", "base"])
        .with("verb", VERBS.iter().map(name))
        .with("complement", &texts);
    let form = |past: bool, verb: &Verb| if past { verb.past } else { verb.base };
    let input = |case: &[usize]| {
        let past = case[0] == 0;
        let before = if past { "Ann" } else { "Ann did not" };
        format!(
            "{before} {} {} .",
            form(past, &VERBS[case[1]]),
            texts[case[2]]
        )
    };
    compare(&mut record, &universe, input, said::read, |case| {
        let past = case[0] == 0;
        let word = form(past, &VERBS[case[1]]);
        let says = due(|verb| form(past, verb) == word, texts[case[2]])?;
        Some(format!("Ann {}{says}", if past { "" } else { "not " }))
    });
    record.finish();
}

/// A verb of each class: its forms of a narrative, and its base.
const FORMS: [[&str; 2]; 16] = [
    ["went", "go"],
    ["got", "get"],
    ["reached", "reach"],
    ["arrived", "arrive"],
    ["exited", "exit"],
    ["left", "leave"],
    ["stayed", "stay"],
    ["took", "take"],
    ["picked", "pick"],
    ["put", "put"],
    ["passed", "pass"],
    ["carried", "carry"],
    ["moved", "move"],
    ["ate", "eat"],
    ["has", "have"],
    ["held", "hold"],
];

#[test]
fn a_mood_takes_one_form_of_each_verb() {
    let mut record = Record::start("a_mood_takes_one_form_of_each_verb");
    let texts = texts();
    let universe = Product::new()
        .with("mood", MOODS.map(|(words, ..)| words))
        .with("verb", FORMS.map(|forms| forms[1]))
        .with("form", ["past", "base"])
        .with("complement", &texts);
    let input = |case: &[usize]| {
        let word = FORMS[case[1]][case[2]];
        format!("{} {word} {} .", MOODS[case[0]].0, texts[case[3]])
    };
    compare(&mut record, &universe, input, said::read, |case| {
        let (_, narrates, mood) = MOODS[case[0]];
        let (forms, base) = (FORMS[case[1]], FORMS[case[1]][1]);
        let word = forms[case[2]];
        let fits = if narrates {
            word == forms[0]
        } else {
            word == base
        };
        let says = due(|verb| verb.base == base, texts[case[3]]).filter(|_| fits)?;
        Some(format!("{mood}{says}"))
    });
    record.finish();
}

/// Who can be said to be so.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Person,
    Thing,
    Plural,
    Nobody,
}

const SUBJECTS: [(&str, Kind, &str); 11] = [
    ("Ann", Kind::Person, "Ann "),
    ("Ann and Bob", Kind::Person, "Ann+Bob "),
    ("Ann, Bob, and Eve", Kind::Person, "Ann+Bob+Eve "),
    ("Both Ann and Bob", Kind::Person, "Ann+Bob "),
    ("He", Kind::Person, "he "),
    ("She", Kind::Person, "she "),
    ("They", Kind::Person, "they "),
    ("The red box", Kind::Thing, "the red box "),
    ("Wolves", Kind::Plural, "all wolves "),
    ("Nobody", Kind::Nobody, "nobody "),
    ("No one", Kind::Nobody, "nobody "),
];

const PREDICATES: &[(&str, Kind, &str)] = &[
    ("was in the hall", Kind::Person, "was hall"),
    ("were still at the hall", Kind::Person, "was hall"),
    ("was in the hall or the park", Kind::Person, "wander"),
    ("is now in the hall", Kind::Person, "stay hall"),
    ("is still at the hall", Kind::Person, "stay hall"),
    ("are inside the hall", Kind::Person, "stay hall"),
    ("is no longer in the hall", Kind::Person, "absent now hall"),
    ("isn't in the hall", Kind::Person, "absent hall"),
    ("aren't in the hall", Kind::Person, "absent hall"),
    ("are not in the hall", Kind::Person, "absent hall"),
    ("may be in the hall", Kind::Person, "wander"),
    ("might be in the hall", Kind::Person, "wander"),
    ("is carrying the milk", Kind::Person, "own milk"),
    ("is holding it", Kind::Person, "own it"),
    ("is afraid of cats", Kind::Person, "fear cats"),
    ("is a frog", Kind::Person, "is-a frog"),
    ("is an owl", Kind::Person, "is-a owl"),
    ("is green", Kind::Person, "color green"),
    ("is tired", Kind::Person, "feel tired"),
    ("told Bob that he went to the hall", Kind::Person, "report"),
    ("said to her that he took the milk", Kind::Person, "report"),
    ("thought that it went to the hall", Kind::Nobody, "gap"),
    ("told Bob he went to the hall", Kind::Nobody, "gap"),
    ("said that he ran", Kind::Nobody, "gap"),
    (
        "blicked back to the hall",
        Kind::Person,
        "blicked toward hall",
    ),
    (
        "blicked away to the hall",
        Kind::Person,
        "blicked toward hall",
    ),
    ("blicked up the milk", Kind::Person, "blicked what milk"),
    (
        "blicked the milk down there",
        Kind::Person,
        "blicked what milk there",
    ),
    (
        "blicked him the milk",
        Kind::Person,
        "blicked what milk for him",
    ),
    ("blicked in the hall", Kind::Person, "blicked inside hall"),
    (
        "blicked either in the hall or the park",
        Kind::Person,
        "blicked inside hall|park",
    ),
    (
        "blicked no longer in the hall",
        Kind::Person,
        "blicked inside hall",
    ),
    (
        "blicked the milk from the box",
        Kind::Person,
        "blicked what milk where box",
    ),
    ("blicked", Kind::Nobody, "gap"),
    ("blicked away the milk", Kind::Nobody, "gap"),
    ("entered the hall", Kind::Person, "go hall"),
    ("entered the hall", Kind::Nobody, "never go hall"),
    ("is in the hall", Kind::Person, "stay hall"),
    ("is in the hall", Kind::Thing, "stay hall"),
    ("fits in the hall", Kind::Thing, "fit hall"),
    ("fits inside a hall", Kind::Nobody, "gap"),
    ("is north of the hall", Kind::Thing, "lie 0 hall"),
    ("is west of the hall", Kind::Thing, "lie 3 hall"),
    ("is above the hall", Kind::Thing, "stand 0 hall"),
    ("is to the left of the hall", Kind::Thing, "stand 3 hall"),
    ("is bigger than the hall", Kind::Thing, "bigger hall"),
    ("is larger than the hall", Kind::Thing, "bigger hall"),
    ("are afraid of cats", Kind::Person, "fear cats"),
    ("are afraid of cats", Kind::Plural, "fear cats"),
    ("are green", Kind::Person, "color green"),
    ("of the hall", Kind::Nobody, "gap"),
    ("is", Kind::Nobody, "gap"),
    ("is not", Kind::Nobody, "gap"),
    ("is smaller than the hall", Kind::Nobody, "gap"),
];

#[test]
fn a_pattern_says_what_it_says_of_its_kind_of_subject() {
    let mut record = Record::start("a_pattern_says_what_it_says_of_its_kind_of_subject");
    let inserts = [("", ""), (", who was in the park,", "was park; ")];
    let texts: BTreeSet<&str> = PREDICATES.iter().map(|it| it.0).collect();
    let texts: Vec<&str> = texts.into_iter().collect();
    let universe = Product::new()
        .with("subject", SUBJECTS.map(|(words, ..)| words))
        .with("insertion", ["none", "who was in the park"])
        .with("predicate", &texts);
    let due = |case: &[usize]| {
        let (_, mut kind, mut subject) = SUBJECTS[case[0]];
        // A word with a capital is a plural only right before `are`, and else a name.
        if kind == Kind::Plural && !(case[1] == 0 && texts[case[2]].starts_with("are ")) {
            (kind, subject) = (Kind::Person, "Wolves ");
        }
        let fits = |row: &&(&str, Kind, &str)| row.0 == texts[case[2]] && row.1 == kind;
        let row = PREDICATES.iter().find(fits).filter(|row| row.2 != "gap")?;
        let first = inserts[case[1]].1;
        let first = if first.is_empty() {
            String::new()
        } else {
            format!("{subject}{first}")
        };
        Some(format!("{first}{subject}{}", row.2))
    };
    let input = |case: &[usize]| {
        let (subject, inserted) = (SUBJECTS[case[0]].0, inserts[case[1]].0);
        format!("{subject}{inserted} {}.", texts[case[2]])
    };
    compare(&mut record, &universe, input, said::read, due);
    record.finish();
}
