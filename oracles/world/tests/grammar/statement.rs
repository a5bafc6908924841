//! What a statement shows: each part in its words, and no two statements alike.

use obernant::{Product, Record, Table};
use world::babi::statement::{
    Deed, Frame, Mood, Noun, Pronoun, Recipient, Shape, Statement, Subject, Things, Time,
};

fn noun(words: &str) -> Noun {
    Noun {
        words: words.to_owned(),
        fresh: false,
    }
}

/// Every kind of deed with other words, as people read it. Going to a place and being
/// there are shown alike: what is known then is the same.
fn deeds() -> Vec<(Deed, &'static str)> {
    let hall = || noun("hall");
    let park = || noun("park");
    let milk = || Things::Named(vec![noun("milk")]);
    let both = || Things::Named(vec![noun("milk"), noun("red ball")]);
    let bob = || Recipient::Named("Bob".to_owned());
    let him = Recipient::Pronoun(Pronoun::He);
    let her = Recipient::Pronoun(Pronoun::She);
    let them = Recipient::Pronoun(Pronoun::They);
    let unknown = |shape| {
        Deed::Unknown(Frame {
            verb: "blicked".to_owned(),
            shape,
        })
    };
    let word = |text: &str| text.to_owned();
    vec![
        (Deed::Go(hall(), None), "is at hall"),
        (Deed::Go(hall(), Some(park())), "was at park and is at hall"),
        (Deed::Wander, "is on the way"),
        (Deed::Exit(hall()), "departs from hall"),
        (
            Deed::Leave(hall()),
            "departs from the place hall, or lays it down",
        ),
        (Deed::Stay(park()), "is at park"),
        (Deed::Was(hall()), "was at hall"),
        (Deed::Absent(hall()), "is not at hall"),
        (Deed::NoLonger(hall()), "is no longer at hall"),
        (
            Deed::Either(vec![hall(), park()]),
            "is at one of: hall, park",
        ),
        (Deed::Take(milk(), None), "takes milk"),
        (
            Deed::Take(both(), Some(hall())),
            "takes milk, red ball at hall",
        ),
        (Deed::Own(Things::It), "holds it"),
        (Deed::Has(both()), "has milk, red ball"),
        (Deed::Drop(milk()), "lays down milk"),
        (Deed::Give(milk(), bob()), "gives milk to Bob"),
        (Deed::Give(milk(), them), "gives milk to them"),
        (Deed::Give(Things::It, him), "gives it to him"),
        (Deed::Give(Things::It, her), "gives it to her"),
        (Deed::TakeFrom(milk(), bob()), "takes milk from Bob"),
        (Deed::Report, "says or thinks something"),
        (Deed::Put(milk(), noun("box")), "puts milk into box"),
        (Deed::Bring(milk(), hall()), "is with milk at hall"),
        (
            Deed::Shift(milk(), hall()),
            "is at hall and leaves milk there",
        ),
        (Deed::Consume(milk()), "makes an end of milk"),
        (Deed::IsA(word("frog")), "is one of the kind frog"),
        (Deed::Color(word("green")), "is green"),
        (Deed::State(word("tired")), "feels tired"),
        (Deed::Fears(word("mice")), "is afraid of mice"),
        (Deed::Lies(0, hall()), "lies north of hall"),
        (Deed::Lies(3, hall()), "lies west of hall"),
        (Deed::Stands(0, noun("box")), "stands above box"),
        (Deed::Stands(3, noun("box")), "stands to the left of box"),
        (Deed::Bigger(noun("box")), "is bigger than box"),
        (Deed::Fits(noun("box")), "fits into box"),
        (
            unknown(Shape::To(hall())),
            "`blicked`, not understood, to hall",
        ),
        (
            unknown(Shape::In(vec![hall(), park()])),
            "`blicked`, not understood, in hall, park",
        ),
        (
            unknown(Shape::Thing(milk(), false)),
            "`blicked`, not understood, milk",
        ),
        (
            unknown(Shape::Thing(milk(), true)),
            "`blicked`, not understood, milk there",
        ),
        (
            unknown(Shape::Gift(milk(), bob())),
            "`blicked`, not understood, milk to Bob",
        ),
        (
            unknown(Shape::Shift(milk(), hall())),
            "`blicked`, not understood, milk to hall",
        ),
    ]
}

fn subjects() -> Vec<(Subject, &'static str)> {
    let people = |names: &[&str]| Subject::People(names.iter().map(|&it| it.to_owned()).collect());
    vec![
        (people(&["Ann"]), "Ann"),
        (people(&["Bob"]), "Bob"),
        (people(&["Ann", "Bob"]), "Ann and Bob"),
        (Subject::Pronoun(Pronoun::He), "he"),
        (Subject::Pronoun(Pronoun::She), "she"),
        (Subject::Pronoun(Pronoun::They), "they"),
        (Subject::Nobody, "nobody"),
        (Subject::Thing(noun("box")), "the box"),
        (
            Subject::Kind("wolves".to_owned()),
            "every one of the wolves",
        ),
    ]
}

const MOODS: [(Mood, &str); 4] = [
    (Mood::Real, ""),
    (Mood::Denied, "not: "),
    (Mood::Never, "never: "),
    (Mood::Intended, "intended: "),
];

const TIMES: [(Time, &str); 4] = [
    (Time::Next, ""),
    (Time::Earlier, "earlier, "),
    (Time::Dated(0), "yesterday, "),
    (Time::Dated(1), "this morning, "),
];

const LATE: [(bool, &str); 2] = [(false, ""), (true, "afterwards, ")];

#[test]
fn a_deed_is_shown_in_its_own_words() {
    let mut record = Record::start("a_deed_is_shown_in_its_own_words");
    let deeds = deeds();
    let shown: Vec<&str> = deeds.iter().map(|it| it.1).collect();
    let universe = Product::new().with("deed", &shown);
    let mut table = Table::new(
        "a deed",
        &universe,
        |case| shown[case[0]].to_owned(),
        |case, _| deeds[case[0]].0.to_string(),
    );
    record.acceptance(
        &mut table,
        &shown,
        &["nothing"],
        |case| Some(case[0]),
        |case| format!("<{}> is due", shown[case[0]]),
    );
    record.finish();
}

#[test]
fn a_statement_shows_who_when_and_whether() {
    let mut record = Record::start("a_statement_shows_who_when_and_whether");
    let (deeds, subjects) = (deeds(), subjects());
    let universe = Product::new()
        .with("time", TIMES.map(|it| format!("<{}>", it.1)))
        .with("late", ["no", "yes"])
        .with("subject", subjects.iter().map(|it| it.1))
        .with("mood", MOODS.map(|it| format!("<{}>", it.1)))
        .with("deed", deeds.iter().map(|it| it.1));
    let due = |case: &[usize]| {
        let (time, late) = (TIMES[case[0]].1, LATE[case[1]].1);
        let (subject, mood) = (subjects[case[2]].1, MOODS[case[3]].1);
        format!("{time}{late}{subject}: {mood}{}", deeds[case[4]].1)
    };
    let mut table = Table::new("a statement", &universe, due, |case, _| {
        let statement = Statement {
            subject: subjects[case[2]].0.clone(),
            deed: deeds[case[4]].0.clone(),
            mood: MOODS[case[3]].0,
            time: TIMES[case[0]].0,
            late: LATE[case[1]].0,
        };
        statement.to_string()
    });
    record.literal(&mut table, due);
    record.partition(&mut table, |outcome| outcome, <[usize]>::to_vec);
    record.finish();
}
