//! What may be put into a sentence and changes nothing that it says.

use obernant::{Product, Record, Table};

use crate::said;

const SENTENCES: [(&str, &str, &str); 8] = [
    ("Ann", "went to the hall", "Ann go hall"),
    ("Ann and Bob", "took the milk", "Ann+Bob take milk"),
    ("she", "gave Bob the milk", "she give milk to Bob"),
    (
        "Ann",
        "entered the hall and dropped the milk",
        "Ann go hall; Ann drop milk",
    ),
    ("Ann", "did not go to the hall", "Ann not go hall"),
    (
        "Ann",
        "blicked the milk to Bob",
        "Ann blicked what milk for Bob",
    ),
    ("Ann", "is in the hall", "Ann stay hall"),
    ("the milk", "is in the hall", "the milk stay hall"),
];

const LEADS: [&str; 24] = [
    "",
    "After that",
    "Following that",
    "And then",
    "Then",
    "Afterwards",
    "Afterward",
    "Later",
    "Later on",
    "Next",
    "Finally",
    "Soon",
    "Soon after",
    "Shortly after",
    "A moment later",
    "Quickly",
    "Slowly",
    "Quietly",
    "Suddenly",
    "Gently",
    "Then quickly",
    "After that, suddenly",
    "Then, later on",
    "Finally, then, sadly",
];

const TRAILS: [&str; 8] = [
    "",
    "again",
    "too",
    ", too",
    "quickly",
    ", quietly",
    "again, calmly",
    "too again",
];

#[test]
fn a_word_that_orders_or_colours_changes_nothing() {
    let mut record = Record::start("a_word_that_orders_or_colours_changes_nothing");
    let universe = Product::new()
        .with(
            "sentence",
            SENTENCES.map(|(one, two, _)| format!("{one} {two}")),
        )
        .with("lead", LEADS.map(|lead| format!("<{lead}>")))
        .with("comma", ["no", "yes"])
        .with("adverb", ["none", "slowly quickly"])
        .with("trail", TRAILS.map(|trail| format!("<{trail}>")))
        .with("end", ["none", "!"]);
    let mut table = Table::new(
        "the grammar",
        &universe,
        |case| {
            let (subject, rest, _) = SENTENCES[case[0]];
            let comma = if case[2] == 1 && case[1] > 0 { "," } else { "" };
            let adverb = ["", "slowly quickly "][case[3]];
            let end = ["", "!"][case[5]];
            let (lead, trail) = (LEADS[case[1]], TRAILS[case[4]]);
            format!("{lead}{comma} {subject} {adverb}{rest} {trail}{end}")
        },
        |_, text| said::read(text),
    );
    record.literal(&mut table, |case| SENTENCES[case[0]].2.to_owned());
    record.invariance(&mut table, |case| {
        let (subject, rest, _) = SENTENCES[case[0]];
        format!("{subject} {rest}.")
    });
    record.finish();
}
