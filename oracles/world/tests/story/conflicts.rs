//! Which sentence can't be taken in after which story, and why. A literal table: a
//! story, and what becomes of its last sentence.

use std::collections::BTreeSet;

use obernant::{Product, Record, Table};
use world::babi::{Extent, Story};

const TAKEN: &str = "taken in";
const FRAME: &str = "a gap that changes what it names";
const AGAINST: &str = "it contradicts what was told before";
const UNSAID: &str = "this is not understood where it is denied or only intended";
const NO_THING: &str = "a place is handled like a thing";
const APART: &str = "the two are at different places";
const SEVERAL: &str = "several people handle one thing";
const THERE_IS: &str = "there is one of these already";

#[rustfmt::skip]
const CASES: [(&str, &str); 75] = [
    // Who holds a thing.
    ("Mary took the milk. John took the milk.", AGAINST),
    ("Mary took the milk. Mary took the milk.", TAKEN),
    ("Mary took the milk. John dropped the milk.", AGAINST),
    ("Mary dropped the milk. Mary dropped the milk.", AGAINST),
    ("Mary dropped the milk. John took the milk.", TAKEN),
    ("Mary put the milk in the box. Mary dropped the milk.", AGAINST),
    ("Mary drank the milk. Mary took the milk.", AGAINST),
    ("Mary drank the milk. Mary dropped the milk.", AGAINST),
    ("Mary took the milk. John drank the milk.", AGAINST),
    ("Mary took the milk. Mary drank the milk.", TAKEN),
    ("Mary took the milk. John gave the milk to Sandra.", AGAINST),
    ("Mary took the milk. John took the milk from Mary.", TAKEN),
    ("Mary took the milk. John took the milk from Sandra.", AGAINST),
    ("Mary took the milk. John brought the milk to the hallway.", "somebody else holds it"),
    ("Mary took the milk. Mary brought the milk to the hallway.", TAKEN),
    ("Mary drank the milk. Mary brought the milk to the hallway.", "it is no more"),
    ("Mary took the milk. John put the milk in the garden.", AGAINST),
    ("Mary has the milk.", "one may have what one does not carry"),
    ("Mary dropped the milk. Mary has the milk.", TAKEN),
    ("Mary is carrying the milk.", TAKEN),
    ("Mary and John took the milk.", TAKEN),
    ("Mary and John dropped the milk.", SEVERAL),
    ("Mary and John gave the milk to Sandra.", SEVERAL),
    ("Mary took the milk and the milk.", "one thing is named twice"),
    ("Mary took the milk. John dropped it.", AGAINST),
    ("Mary took the milk. Mary dropped it.", TAKEN),
    ("Mary took the milk and the lamp. Mary dropped it.", "it is not clear what `it` means"),
    ("Mary went to the kitchen. Mary took it.", "it is not clear what `it` means"),
    ("Mary took the milk. Mary took a milk.", THERE_IS),
    // Where people and things are.
    ("Mary went to the kitchen. John went to the garden. Mary gave the milk to John.", APART),
    ("Mary went to the kitchen. John went to the kitchen. Mary gave the milk to John.", TAKEN),
    ("Mary went to the kitchen. Mary dropped the milk. John went to the garden. John took the milk.", AGAINST),
    ("Mary went to the kitchen. Mary dropped the milk. John went to the kitchen. John took the milk.", TAKEN),
    ("Mary went to the garden. John moved the milk to the kitchen. Mary took the milk.", AGAINST),
    ("Mary went to the kitchen. Mary exited the garden.", AGAINST),
    ("Mary went to the kitchen. Mary exited the kitchen.", TAKEN),
    ("Mary went to the kitchen. Mary left the kitchen.", TAKEN),
    ("Mary went to the kitchen. John went to the garden. John left the kitchen.", AGAINST),
    ("Mary took the milk. John left the milk.", AGAINST),
    ("Mary took the milk. Mary left the milk.", TAKEN),
    ("Mary went from the kitchen to the garden.", TAKEN),
    ("Mary went to the hallway. Mary went from the kitchen to the garden.", AGAINST),
    ("Mary went to the kitchen. Mary took the milk in the kitchen.", TAKEN),
    ("Mary went to the kitchen. Mary took the milk in the garden.", AGAINST),
    ("Mary took the milk in the box.", "it is not clear where one takes things out of others"),
    ("Mary took the milk. The milk is in the garden.", TAKEN),
    ("Mary went to the kitchen. Mary took the milk. The milk is in the garden.", AGAINST),
    ("Mary went to the kitchen. Mary took the milk. The milk is in the kitchen.", TAKEN),
    ("Mary drank the milk. The milk is in the garden.", AGAINST),
    ("Mary went to the kitchen. The kitchen is in the garden.", NO_THING),
    ("Mary took the milk. The milk is in the box.", "a thing is in another"),
    ("Mary went to the kitchen. John took the kitchen.", NO_THING),
    // What did not happen.
    ("Mary went to the kitchen. Mary never went to the kitchen.", AGAINST),
    ("Mary never went to the kitchen. Mary went to the kitchen.", AGAINST),
    ("Mary never went to the kitchen. John went to the kitchen.", TAKEN),
    ("Mary went to the kitchen. Mary did not go to the kitchen.", TAKEN),
    ("Mary went to the kitchen. Nobody went to the kitchen.", AGAINST),
    ("Mary took the milk. Mary did not take the milk.", AGAINST),
    ("Mary took the milk. John did not take the milk.", TAKEN),
    ("Mary took the milk. John never took the milk.", AGAINST),
    ("Mary did not drop the milk.", "nobody knows who holds it"),
    ("Mary took the milk. Mary did not drop the milk.", TAKEN),
    ("Mary took the milk. John did not drop the milk.", "nobody knows who holds it"),
    ("Mary did not leave the kitchen.", UNSAID),
    ("Mary went to the kitchen. Mary did not leave the kitchen.", TAKEN),
    ("Mary took the milk. Mary did not leave the milk.", TAKEN),
    ("Mary wanted to take the milk. John took the milk.", TAKEN),
    // Other times.
    ("Earlier, Mary went to the garden.", TAKEN),
    ("Earlier, Mary went to the garden. Mary went to the kitchen.", "it may go on with the earlier time"),
    ("Yesterday Mary went to the garden.", TAKEN),
    ("Yesterday Mary went to the box.", UNSAID),
    ("Mary is not in the box.", UNSAID),
    ("Mary is either in the box or the garden.", UNSAID),
    // What is not understood.
    ("Mary took the milk. John blicked the milk.", FRAME),
    ("John blicked the milk to Mary. Mary blicked the milk.", FRAME),
];

#[test]
fn a_sentence_that_does_not_agree_hides_the_story() {
    let mut record = Record::start("a_sentence_that_does_not_agree_hides_the_story");
    let universe = Product::new().with("story", CASES.map(|(story, _)| story));
    let mut table = Table::new(
        "the reader",
        &universe,
        |case| CASES[case[0]].0.to_owned(),
        |_, text| {
            let story = Story::read(text);
            let (last, before) = story.sentences().split_last().expect("a sentence");
            let whole = |gap: &world::babi::Gap| gap.extent == Extent::Story;
            if before.iter().any(|it| it.gap.as_ref().is_some_and(whole)) {
                return "an earlier sentence is not taken in".to_owned();
            }
            match &last.gap {
                None => TAKEN.to_owned(),
                Some(gap) if whole(gap) => gap.reason.to_owned(),
                Some(_) => FRAME.to_owned(),
            }
        },
    );
    let reasons: BTreeSet<&str> = CASES.iter().map(|(_, due)| *due).collect();
    let reasons: Vec<&str> = reasons.into_iter().collect();
    record.acceptance(
        &mut table,
        &reasons,
        &["an earlier sentence is not taken in"],
        |case| reasons.iter().position(|it| *it == CASES[case[0]].1),
        |case| format!("due is: {}", CASES[case[0]].1),
    );
    record.partition(&mut table, |outcome| outcome, |case| CASES[case[0]].1);
    record.finish();
}
