//! Disturbs the stories of a task file on purpose: other names, unknown verbs,
//! unknown subjects, sentences replaced or added. The answers that the file expects
//! stay those of the story before. What is drawn depends on the seed and the stories
//! alone, so it is the same on every machine.

use std::collections::HashMap;
use std::ops::Range;

use super::chance::Chance;
use super::material::{NONCE_VERBS, UNRELATED, UNTOLD_SUBJECTS};
use super::rename::rename;
use super::task_file::{Line, TaskStory};
use super::words::{capitals_of, verbs, words};

/// A share of places and the seed that draws them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    percent: u8,
    seed: u64,
}

impl Share {
    /// `percent` is a whole number from 0 to 100; nothing where it is more.
    #[must_use]
    pub fn new(percent: u64, seed: u64) -> Option<Self> {
        let percent = u8::try_from(percent).ok().filter(|share| *share <= 100)?;
        Some(Self { percent, seed })
    }
}

/// What is done to the stories, in the order of the fields. A share is taken of all
/// stories together, exactly, rounded to the nearest number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Disturbance {
    /// Every open word gets another one, drawn by this seed. Words of the lexicon
    /// stay, and the places that it gives for states which occur in the stories.
    pub rename: Option<u64>,
    /// Statements whose subject becomes `Someone` or `The girl`.
    pub someone: Option<Share>,
    /// Finite verbs of statements that become nonce verbs; particles stay.
    pub mask: Option<Share>,
    /// Statements that become unrelated sentences.
    pub replace: Option<Share>,
    /// Statements that get an unrelated sentence before them. All lines are then
    /// numbered anew from 1, and the supporting numbers with them.
    pub filler: Option<Share>,
}

impl Disturbance {
    /// Whether it leaves the stories as they are.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Disturbs the stories of one file.
    pub fn apply(&self, stories: &mut [TaskStory]) {
        if let Some(seed) = self.rename {
            rename(stories, &mut Chance::new(seed, 1));
        }
        if let Some(share) = self.someone {
            hide_subjects(stories, share);
        }
        if let Some(share) = self.mask {
            mask(stories, share);
        }
        if let Some(share) = self.replace {
            replace(stories, share);
        }
        if let Some(share) = self.filler {
            fill(stories, share);
        }
    }
}

fn statements(stories: &mut [TaskStory]) -> impl Iterator<Item = &mut Line> {
    let lines = stories.iter_mut().flat_map(|story| &mut story.lines);
    lines.filter(|line| line.gold.is_none())
}

/// Puts what `draw` gives at a share of all places that `find` gives for statements.
/// `draw` gets the text before the place and the text of the place.
fn put(
    stories: &mut [TaskStory],
    share: Share,
    kind: u8,
    find: fn(&str) -> Vec<Range<usize>>,
    draw: fn(&mut Chance, &str, &str) -> String,
) {
    let mut chance = Chance::new(share.seed, kind);
    let places = statements(stories).map(|line| find(&line.text).len()).sum();
    let mut taken = chance.share(share.percent, places).into_iter();
    for line in statements(stories) {
        let mut text = String::with_capacity(line.text.len());
        let mut end = 0;
        for place in find(&line.text) {
            let old = &line.text[place.clone()];
            text.push_str(&line.text[end..place.start]);
            if taken.next() == Some(true) {
                text.push_str(&draw(&mut chance, &line.text[..place.start], old));
            } else {
                text.push_str(old);
            }
            end = place.end;
        }
        text.push_str(&line.text[end..]);
        line.text = text;
    }
}

fn mask(stories: &mut [TaskStory], share: Share) {
    put(stories, share, 3, verbs, |chance, _, old| {
        capitals_of(old, chance.one(NONCE_VERBS))
    });
}

fn hide_subjects(stories: &mut [TaskStory], share: Share) {
    let find = |text: &str| subject(text).into_iter().collect();
    put(stories, share, 2, find, |chance, before, _| {
        let new = chance.one(UNTOLD_SUBJECTS);
        // A name is written large everywhere, its substitute at the begin alone.
        if before.contains(char::is_alphabetic) {
            new.to_owned()
        } else {
            capitals_of("X", new)
        }
    });
}

fn replace(stories: &mut [TaskStory], share: Share) {
    let find = |text: &str| std::iter::once(0..text.len()).collect();
    put(stories, share, 4, find, |chance, _, _| {
        chance.one(UNRELATED).to_owned()
    });
}

/// Words that may stand before a subject without being part of it.
const LEADING: &[&str] = &[
    "after",
    "afterward",
    "afterwards",
    "before",
    "earlier",
    "evening",
    "following",
    "later",
    "morning",
    "afternoon",
    "next",
    "night",
    "that",
    "then",
    "this",
    "today",
    "tomorrow",
    "tonight",
    "yesterday",
];

/// The subject of a statement: what stands before its first finite verb, without
/// words of time and order and without what a comma ends.
fn subject(text: &str) -> Option<Range<usize>> {
    let verb = verbs(text).into_iter().next()?;
    let before = words(&text[..verb.start]);
    let comma = text[..verb.start].rfind(',').unwrap_or(0);
    let first = before.iter().find(|word| {
        let word_text = text[(*word).clone()].to_lowercase();
        word.start >= comma && !LEADING.contains(&word_text.as_str())
    })?;
    Some(first.start..before.last()?.end)
}

fn fill(stories: &mut [TaskStory], share: Share) {
    let mut chance = Chance::new(share.seed, 5);
    let places = statements(stories).count();
    let mut taken = chance.share(share.percent, places).into_iter();
    for story in stories {
        let mut lines = Vec::with_capacity(story.lines.len());
        let mut moved = HashMap::new();
        for mut line in story.lines.drain(..) {
            if line.gold.is_none() && taken.next() == Some(true) {
                lines.push(Line {
                    id: lines.len() + 1,
                    text: chance.one(UNRELATED).to_owned(),
                    gold: None,
                });
            }
            let id = lines.len() + 1;
            moved.insert(line.id, id);
            line.id = id;
            let support = line.gold.as_mut().and_then(|gold| gold.support.as_mut());
            for number in support.into_iter().flatten() {
                // No line has the number 0, so a support that named none still does.
                *number = moved.get(number).copied().unwrap_or(0);
            }
            lines.push(line);
        }
        story.lines = lines;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::babi::lexicon;
    use crate::measure::task_file::Stories;

    const FILE: &str = "\
1 Mary went back to the kitchen.
2 After that she picked up the milk there.
4 Where is Mary? \tkitchen\t1
6 This morning, Fred and Bill moved to the hall.
7 Where was the milk? \tkitchen\t2 1
1 Fred went to the office.
2 Where is Fred?\toffice\t1
";

    fn stories() -> Vec<TaskStory> {
        let read: Result<_, _> = Stories::new("f", FILE.as_bytes()).collect();
        read.unwrap()
    }

    fn texts(stories: &[TaskStory]) -> Vec<&str> {
        let lines = stories.iter().flat_map(|story| &story.lines);
        lines.map(|line| line.text.as_str()).collect()
    }

    fn disturbed(disturbance: Disturbance) -> Vec<TaskStory> {
        let mut stories = stories();
        disturbance.apply(&mut stories);
        stories
    }

    #[test]
    fn a_percentage_is_at_most_a_hundred() {
        assert!(Share::new(100, u64::MAX).is_some());
        assert_eq!(Share::new(101, 0), None);
        assert_eq!(Share::new(u64::MAX, 0), None);
    }

    #[test]
    fn a_share_of_nothing_changes_nothing() {
        let none = Share::new(0, 9);
        let disturbance = Disturbance {
            someone: none,
            mask: none,
            replace: none,
            ..Disturbance::default()
        };
        assert_eq!(disturbed(disturbance), stories());
        assert!(Disturbance::default().is_none() && !disturbance.is_none());
    }

    #[test]
    fn a_mask_takes_the_verb_and_leaves_the_rest() {
        let mask = Share::new(100, 1);
        let masked = disturbed(Disturbance {
            mask,
            ..Disturbance::default()
        });
        for (old, new) in texts(&stories()).into_iter().zip(texts(&masked)) {
            let (old, new): (Vec<_>, Vec<_>) = (old.split(' ').collect(), new.split(' ').collect());
            assert_eq!(old.len(), new.len());
            for (old, new) in old.into_iter().zip(new) {
                let verb = ["went", "picked", "moved"].contains(&old);
                assert!(
                    if verb {
                        NONCE_VERBS.contains(&new)
                    } else {
                        old == new
                    },
                    "{old} {new}"
                );
            }
        }
        let half = disturbed(Disturbance {
            mask: Share::new(50, 1),
            ..Disturbance::default()
        });
        let whole = stories();
        let changed = texts(&half).into_iter().zip(texts(&whole));
        assert_eq!(changed.filter(|(new, old)| new != old).count(), 2);
    }

    #[test]
    fn subjects_are_hidden_behind_words_of_time() {
        let someone = Share::new(100, 3);
        let hidden = disturbed(Disturbance {
            someone,
            ..Disturbance::default()
        });
        let shown: Vec<String> = texts(&hidden)
            .into_iter()
            .map(|text| {
                text.replace("The girl", "Someone")
                    .replace("the girl", "someone")
            })
            .collect();
        assert_eq!(
            shown,
            [
                "Someone went back to the kitchen.",
                "After that someone picked up the milk there.",
                "Where is Mary?",
                "This morning, someone moved to the hall.",
                "Where was the milk?",
                "Someone went to the office.",
                "Where is Fred?",
            ]
        );
        assert_eq!(subject("Yesterday, hello."), None);
        assert_eq!(subject("Went to the hall."), None);
    }

    #[test]
    fn fillers_shift_the_numbers_and_the_support() {
        let filler = Share::new(100, 3);
        let longer = disturbed(Disturbance {
            filler,
            ..Disturbance::default()
        });
        let first = &longer[0].lines;
        let ids: Vec<usize> = first.iter().map(|line| line.id).collect();
        assert_eq!(ids, [1, 2, 3, 4, 5, 6, 7, 8]);
        for added in [0, 2, 5] {
            assert!(UNRELATED.contains(&first[added].text.as_str()));
        }
        assert_eq!(first[1].text, "Mary went back to the kitchen.");
        let support = |line: &Line| line.gold.clone().and_then(|gold| gold.support);
        assert_eq!(support(&first[4]), Some(vec![2]));
        assert_eq!(support(&first[7]), Some(vec![4, 2]));
    }

    #[test]
    fn a_replaced_statement_keeps_its_number() {
        let replace = Share::new(50, 3);
        let replaced = disturbed(Disturbance {
            replace,
            ..Disturbance::default()
        });
        let mut changed = 0;
        for (new, old) in replaced.iter().zip(&stories()) {
            for (new, old) in new.lines.iter().zip(&old.lines) {
                assert_eq!((new.id, &new.gold), (old.id, &old.gold));
                if new.text != old.text {
                    assert!(UNRELATED.contains(&new.text.as_str()) && new.gold.is_none());
                    changed += 1;
                }
            }
        }
        assert_eq!(changed, 2, "half of four statements");
    }

    #[test]
    fn a_seed_decides() {
        let with = |seed| {
            disturbed(Disturbance {
                rename: Some(seed),
                someone: Share::new(30, seed),
                mask: Share::new(30, seed),
                replace: Share::new(30, seed),
                filler: Share::new(30, seed),
            })
        };
        assert_eq!(with(7), with(7));
        assert_ne!(with(7), with(8));
    }

    #[test]
    fn the_material_is_distinct_and_unknown() {
        for (list, least) in [(NONCE_VERBS, 40), (UNRELATED, 60)] {
            let distinct: std::collections::BTreeSet<_> = list.iter().collect();
            assert!(distinct.len() == list.len() && list.len() >= least);
        }
        for verb in NONCE_VERBS {
            assert!(verb.ends_with("ed") && !lexicon::is_known(verb), "{verb}");
        }
    }
}
