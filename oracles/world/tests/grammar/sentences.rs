//! Which strings of a few chunks are sentences, and what they say: motions and their
//! joints, things and unknown verbs, moods, places of people.

use obernant::Record;

use crate::language::{Language, exhaust};

/// The most words of a name or a noun phrase.
const WORDS: usize = 5;

/// `chunk` once to five times, with its word as often.
fn name(limit: usize, chunk: usize, word: &str) -> Language {
    let one = Language::chunk(limit, chunk, word);
    at_most(&one.followed(&one), WORDS).joined(" ")
}

/// A noun of one chunk, and after it any of `more`, five words together.
fn noun(limit: usize, chunk: usize, word: &str, more: &Language) -> Language {
    let noun = Language::chunk(limit, chunk, word);
    at_most(&noun.followed(more), WORDS).joined(" ")
}

fn at_most(language: &Language, chunks: usize) -> Language {
    let mut kept = language.clone();
    kept.phrases.retain(|it| it.chunks.len() <= chunks);
    kept
}

/// Names that `and` joins before the last, and commas before the others.
fn names(limit: usize, name: &Language, comma: &Language, and: &Language) -> Language {
    let nothing = Language::nothing(limit);
    let last = nothing.or(comma).then(and).then(name);
    let more = name.followed(&comma.then(name)).then(&last);
    name.or(&more).joined("+")
}

/// What is in one of them.
fn any(languages: &[Language]) -> Language {
    let first = languages[0].clone();
    languages[1..].iter().fold(first, |all, it| all.or(it))
}

#[test]
fn motions_and_their_joints_are_read_where_a_template_makes_them() {
    let mut record = Record::start("motions_and_their_joints_are_read_where_a_template_makes_them");
    let length = record.bound("length", 6);
    let limit = usize::try_from(length).expect("a bound is small");
    let chunks = ["Ann", "entered the hall", "to the hall", "and", ","];
    let (and, comma) = (Language::chunk(limit, 3, ""), Language::chunk(limit, 4, ""));
    let also = Language::nothing(limit).or(&comma).then(&and);
    let joint = also.or(&comma);
    let name = name(limit, 0, "Ann");
    let names = names(limit, &name, &comma, &and);
    let to_hall = Language::chunk(limit, 2, "go hall");
    // "and to the hall": the motion goes on.
    let on = also.then(&to_hall);
    let motions = Language::chunk(limit, 1, "go hall").followed(&on);
    let deeds = motions.followed(&joint.then(&motions));
    let clause = names.then(&deeds).of_a_subject();
    // "and Ann to the hall": the verb is the one before.
    let gapped = names.then(&to_hall).of_a_subject();
    let more = any(&[joint.then(&clause), also.then(&gapped)]);
    // All of this after "Bob entered the park".
    let first = Language::nothing(limit).saying(|_| vec!["Bob".to_owned(), "go park".to_owned()]);
    let first = first
        .followed(&on)
        .followed(&joint.then(&motions))
        .of_a_subject();
    exhaust(
        &mut record,
        &chunks,
        length,
        "Bob entered the park",
        &first.followed(&more),
    );
    record.finish();
}

#[test]
fn things_and_unknown_verbs_are_read_where_a_template_makes_them() {
    let mut record = Record::start("things_and_unknown_verbs_are_read_where_a_template_makes_them");
    let length = record.bound("length", 6);
    let limit = usize::try_from(length).expect("a bound is small");
    let chunks = ["Ann", "the milk", "took", "to", "and", "blicked"];
    let word = |chunk| Language::chunk(limit, chunk, "");
    let (to, and) = (word(3), word(4));
    let name = name(limit, 0, "Ann");
    let names = name.or(&name.then(&and).then(&name).joined("+"));
    let milk = Language::chunk(limit, 1, "milk");
    let things = milk.followed(&and.then(&milk)).joined("+");
    let to_milk = to.then(&milk);
    let one = |format: fn(&str) -> String| move |says: &[String]| vec![format(&says[0])];
    let two =
        |format: fn(&str, &str) -> String| move |says: &[String]| vec![format(&says[0], &says[1])];
    let took = word(2).then(
        &things.saying(one(|what| format!("take {what}"))).or(&things
            .then(&to_milk)
            .saying(two(|what, to| format!("bring {what} to {to}")))),
    );
    let gift = |what: &str, to: &str| format!("blicked what {what} for {to}");
    let shapes = [
        to_milk.saying(one(|to| format!("blicked toward {to}"))),
        things.saying(one(|what| format!("blicked what {what}"))),
        things.then(&to).then(&name).saying(two(gift)),
        name.then(&things)
            .saying(|says| vec![gift(&says[1], &says[0])]),
        things
            .then(&to_milk)
            .saying(two(|what, to| format!("blicked what {what} where {to}"))),
    ];
    let deed = took.or(&word(5).then(&any(&shapes)));
    let deeds = deed.followed(&and.then(&deed));
    let clause = names.then(&deeds).of_a_subject();
    let clauses = clause.followed(&and.then(&clause));
    exhaust(&mut record, &chunks, length, "", &clauses);
    record.finish();
}

#[test]
fn a_mood_is_read_with_its_form_of_the_verb_alone() {
    let mut record = Record::start("a_mood_is_read_with_its_form_of_the_verb_alone");
    let length = record.bound("length", 4);
    let limit = usize::try_from(length).expect("a bound is small");
    let chunks = [
        "Ann",
        "he",
        "nobody",
        "did not",
        "didn't",
        "never",
        "wanted to",
        "will",
        "go",
        "went",
        "blicked",
        "to the hall",
    ];
    let word = |chunk| Language::chunk(limit, chunk, "");
    let name = name(limit, 0, "Ann");
    let he = Language::chunk(limit, 1, "he");
    let nobody = Language::chunk(limit, 2, "nobody");
    // A word that is no verb here may belong to the noun.
    let open = Language::chunk(limit, 8, "go");
    let hall = noun(limit, 11, "hall", &open);
    let say = |mood: &'static str| move |says: &[String]| vec![format!("{mood}{}", says[0])];
    let base = word(8).then(&hall);
    let past = word(9).then(&hall);
    let deeds = [
        past.saying(say("go ")),
        word(10).then(&hall).saying(say("blicked toward ")),
        word(3).or(&word(4)).then(&base).saying(say("not go ")),
        word(5).then(&past).saying(say("never go ")),
        word(6).or(&word(7)).then(&base).saying(say("wants go ")),
    ];
    let people = name.or(&he).then(&any(&deeds));
    let none = nobody.then(&past.saying(say("never go ")));
    exhaust(
        &mut record,
        &chunks,
        length,
        "",
        &people.or(&none).of_a_subject(),
    );
    record.finish();
}

#[test]
fn places_of_a_person_are_read_where_a_template_makes_them() {
    let mut record = Record::start("places_of_a_person_are_read_where_a_template_makes_them");
    let length = record.bound("length", 6);
    let limit = usize::try_from(length).expect("a bound is small");
    let chunks = ["not", "in", "either", "or", "the hall"];
    let word = |chunk| Language::chunk(limit, chunk, "");
    let maybe = |chunk| Language::nothing(limit).or(&word(chunk));
    let hall = Language::chunk(limit, 4, "hall");
    let other = word(3).then(&maybe(1)).then(&hall);
    // "in [either] the hall [or [in] the hall]"
    let places = word(1).then(&maybe(2)).then(&hall.followed(&other));
    let sayings = |says: &[String]| match says {
        [one] => vec![format!("Ann stay {one}")],
        more => vec![format!("Ann either {}", more.join("|"))],
    };
    // After a first `either` there must be a choice.
    let choice = hall.then(&other).followed(&other);
    let choice = word(1).then(&maybe(2)).then(&choice);
    let absent = word(0).then(&word(1)).then(&hall);
    let all = [
        places.saying(sayings),
        word(2).then(&choice).saying(sayings),
        absent.saying(|says| vec![format!("Ann absent {}", says[0])]),
    ];
    exhaust(&mut record, &chunks, length, "Ann is", &any(&all));
    record.finish();
}
