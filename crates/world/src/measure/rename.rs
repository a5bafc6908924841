//! Gives every open word of a task file another one: names, places, things. A word
//! is open when no table of the lexicon has it. What the reader knows by meaning
//! stays, so that a file says the same under other names.

use std::collections::{HashMap, HashSet};

use super::chance::Chance;
use super::task_file::TaskStory;
use super::words::{capitals_of, is_apostrophe, stem, words};
use crate::babi::lexicon;

const ONSETS: &[&str] = &[
    "bl", "dr", "fl", "gl", "kl", "pl", "sk", "sm", "sn", "spl", "tr", "tw", "vr", "zl", "zw",
    "thr",
];
const VOWELS: &[&str] = &["a", "e", "i", "o", "u"];
const MIDDLES: &[&str] = &["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "v", "z"];
/// None makes a word look like a plural or a verb form; each takes a plain `s`.
const ENDS: &[&str] = &["b", "f", "g", "k", "p"];

/// Renames the stories of one file, all with one mapping. Two words never get the
/// same name. The plural of a renamed noun is its new name and `s`. An answer's word
/// is renamed where the sentences have it, or its plural; otherwise the answer
/// is a word of the language, such as `none`.
pub(super) fn rename(stories: &mut [TaskStory], chance: &mut Chance) {
    let mut names = Names::new(stories);
    for line in stories.iter().flat_map(|story| &story.lines) {
        names.learn(&line.text, chance);
    }
    for line in stories.iter_mut().flat_map(|story| &mut story.lines) {
        line.text = names.renamed(&line.text);
        if let Some(gold) = &mut line.gold {
            gold.answer = names.renamed(&gold.answer);
        }
    }
}

struct Names {
    /// Small words of the file, those of answers too.
    vocabulary: HashSet<String>,
    /// Small words right before `are`.
    many: HashSet<String>,
    /// Small words right after `a` or `an`.
    one: HashSet<String>,
    /// Places of the motive table for states that occur.
    kept: HashSet<&'static str>,
    /// The new name of a small word.
    new: HashMap<String, String>,
    taken: HashSet<String>,
}

impl Names {
    fn new(stories: &[TaskStory]) -> Self {
        let mut vocabulary = HashSet::new();
        let mut many = HashSet::new();
        let mut one = HashSet::new();
        for line in stories.iter().flat_map(|story| &story.lines) {
            let answer = line.gold.as_ref().map(|gold| gold.answer.as_str());
            for text in [Some(line.text.as_str()), answer].into_iter().flatten() {
                let mut before = String::new();
                for range in words(text) {
                    let word = small(&text[range]);
                    if word == "are" {
                        many.insert(before);
                    } else if before == "a" || before == "an" {
                        one.insert(word.clone());
                    }
                    vocabulary.insert(word.clone());
                    before = word;
                }
            }
        }
        let kept = vocabulary
            .iter()
            .filter_map(|word| lexicon::motive_place(word));
        Self {
            kept: kept.collect(),
            vocabulary,
            many,
            one,
            new: HashMap::new(),
            taken: HashSet::new(),
        }
    }

    /// The singular of a word that the file uses as a plural. Many a name looks like
    /// a plural, so the file must show it: by the singular, or by `are` after it.
    fn singular(&self, word: &str) -> Option<String> {
        let singular = lexicon::singular(word).filter(|singular| singular != word)?;
        let shown = self.vocabulary.contains(&singular) || self.many.contains(word);
        shown.then_some(singular)
    }

    /// Whether one word is singular and plural, as `sheep`; again the file must show it.
    fn is_both(&self, word: &str) -> bool {
        match lexicon::singular(word) {
            Some(singular) => singular == word,
            None => self.many.contains(word) && self.one.contains(word),
        }
    }

    fn is_open(&self, word: &str) -> bool {
        let known = |word: &str| lexicon::is_known(word) || lexicon::is_verb(word);
        word.chars().count() > 1
            && !word.contains(is_apostrophe)
            && !known(word)
            && !self.kept.contains(word)
            && !self
                .singular(word)
                .is_some_and(|one| known(&one) || self.kept.contains(one.as_str()))
    }

    /// Gives a name to each open word of the text that has none.
    fn learn(&mut self, text: &str, chance: &mut Chance) {
        for range in words(text) {
            let word = small(&text[range]);
            if self.new.contains_key(&word) || !self.is_open(&word) {
                continue;
            }
            let new = match self.singular(&word) {
                None => self.fresh(chance),
                Some(singular) => {
                    if !self.new.contains_key(&singular) {
                        let fresh = self.fresh(chance);
                        self.new.insert(singular.clone(), fresh);
                    }
                    let plural = plural(&self.new[&singular]);
                    // A second plural of one noun is another word.
                    if self.taken.insert(plural.clone()) {
                        plural
                    } else {
                        self.fresh(chance)
                    }
                }
            };
            self.new.insert(word, new);
        }
    }

    /// A name that nothing else has.
    fn fresh(&mut self, chance: &mut Chance) -> String {
        let mut syllables = 1;
        loop {
            // The number of names of one length is finite, so the length must grow.
            for _ in 0..64 {
                let mut name = chance.one(ONSETS).to_owned();
                for _ in 0..syllables {
                    name += chance.one(VOWELS);
                    name += chance.one(MIDDLES);
                }
                name += chance.one(VOWELS);
                name += chance.one(ENDS);
                if !self.vocabulary.contains(&name)
                    && is_strange(&name)
                    && self.taken.insert(name.clone())
                {
                    return name;
                }
            }
            syllables += 1;
        }
    }

    fn renamed(&self, text: &str) -> String {
        let found = words(text);
        let mut shown = String::with_capacity(text.len());
        let mut end = 0;
        for (number, range) in found.iter().enumerate() {
            let word = &text[range.clone()];
            let bare = stem(word);
            let Some(new) = self.new.get(&bare.to_lowercase()) else {
                continue;
            };
            let near = |at: Option<usize>| {
                at.and_then(|at| found.get(at))
                    .map(|range| text[range.clone()].to_lowercase())
            };
            let before = near(number.checked_sub(1));
            let after = near(Some(number + 1));
            // "Sheep are afraid of sheep": the sentence alone tells the number.
            let many = self.is_both(&bare.to_lowercase())
                && (after.as_deref() == Some("are") || before.as_deref() == Some("of"));
            shown.push_str(&text[end..range.start]);
            shown.push_str(&capitals_of(
                bare,
                &if many { plural(new) } else { new.clone() },
            ));
            end = range.start + bare.len();
        }
        shown.push_str(&text[end..]);
        shown
    }
}

fn small(word: &str) -> String {
    stem(word).to_lowercase()
}

fn plural(name: &str) -> String {
    format!("{name}s")
}

/// Whether neither the name nor its plural is in a table of the lexicon, and the name
/// is no plural itself.
fn is_strange(name: &str) -> bool {
    let known = |word: &str| lexicon::is_known(word) || lexicon::is_verb(word);
    !known(name) && !known(&plural(name)) && lexicon::singular(name).is_none_or(|one| one == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::task_file::Stories;

    fn renamed(text: &str) -> Vec<String> {
        let mut stories: Vec<TaskStory> = Stories::new("f", text.as_bytes())
            .collect::<Result<_, _>>()
            .unwrap();
        rename(&mut stories, &mut Chance::new(1, 1));
        let lines = stories.into_iter().flat_map(|story| story.lines);
        lines
            .flat_map(|line| {
                let answer = line.gold.map(|gold| gold.answer);
                [Some(line.text), answer].into_iter().flatten()
            })
            .collect()
    }

    /// Checks the renamed file against patterns: words in `<>` are open, each the same
    /// new name everywhere, the rest is literal. Gives the new names.
    fn follows(text: &str, patterns: &[&str]) -> HashMap<String, String> {
        let lines = renamed(text);
        assert_eq!(lines.len(), patterns.len());
        let mut names: HashMap<String, String> = HashMap::new();
        for (line, pattern) in lines.iter().zip(patterns) {
            let mut rest = line.as_str();
            for (number, part) in pattern.split(['<', '>']).enumerate() {
                if number % 2 == 0 {
                    rest = rest
                        .strip_prefix(part)
                        .unwrap_or_else(|| panic!("{line}: no `{part}` at `{rest}`"));
                    continue;
                }
                let found = words(rest)[0].clone();
                // A plural is written with its `s` after the name.
                let mut new = stem(&rest[found.clone()]).to_owned();
                if pattern.contains(&format!("<{part}>s")) && new.ends_with('s') {
                    new.pop();
                }
                assert_eq!(
                    new.starts_with(char::is_uppercase),
                    part.starts_with(char::is_uppercase)
                );
                rest = &rest[new.len()..];
                let new = new.to_lowercase();
                assert_eq!(
                    *names
                        .entry(part.to_lowercase())
                        .or_insert_with(|| new.clone()),
                    new
                );
            }
            assert_eq!(rest, "", "{line}");
        }
        let distinct: HashSet<_> = names.values().collect();
        assert_eq!(distinct.len(), names.len(), "two words never get one name");
        assert!(
            names
                .iter()
                .all(|(old, new)| old != new && !new.ends_with('s'))
        );
        names
    }

    #[test]
    fn names_places_and_things_change_and_the_language_stays() {
        follows(
            "1 Mary went to the kitchen.\n2 Julius took the milk.\n3 Where is MARY?\tkitchen\t1\n\
             4 Is mary in the kitchen?\tyes\t1\n5 What is Julius carrying?\tmilk,football\n\
             6 Is Mary's milk in the kitchen? \tnothing\n",
            &[
                "<Mary> went to the <kitchen>.",
                "<Julius> took the <milk>.",
                &renamed("1 Mary went.\n2 Where is MARY?\tno\n")[1].clone(),
                "<kitchen>",
                "Is <mary> in the <kitchen>?",
                "yes",
                "What is <Julius> carrying?",
                "<milk>,football",
                "Is <Mary>'s <milk> in the <kitchen>?",
                "nothing",
            ],
        );
    }

    #[test]
    fn a_plural_stays_the_plural_of_its_noun() {
        follows(
            "1 Mice are afraid of wolves.\n2 Gertrude is a mouse.\n3 Cats are afraid of sheep.\n\
             4 Sheep are afraid of cats.\n5 Jessica is a sheep.\n\
             6 What is gertrude afraid of?\twolf\t1 2\n7 What is jessica afraid of?\tcat\t1\n",
            &[
                "<Mouse>s are afraid of <wolf>s.",
                "<Gertrude> is a <mouse>.",
                "<Cat>s are afraid of <sheep>s.",
                "<Sheep>s are afraid of <cat>s.",
                "<Jessica> is a <sheep>.",
                "What is <gertrude> afraid of?",
                "<wolf>",
                "What is <jessica> afraid of?",
                "<cat>",
            ],
        );
    }

    #[test]
    fn a_place_that_a_state_means_stays_in_a_file_with_that_state() {
        let lines = "2 Where will sumit go?\tkitchen\t1\n3 Yann moved to the kitchen.\n";
        follows(
            &format!("1 Sumit is thirsty.\n{lines}"),
            &[
                "<Sumit> is thirsty.",
                "Where will <sumit> go?",
                "kitchen",
                "<Yann> moved to the kitchen.",
            ],
        );
        follows(
            &format!("1 Sumit is in the hall.\n{lines}"),
            &[
                "<Sumit> is in the <hall>.",
                "Where will <sumit> go?",
                "<kitchen>",
                "<Yann> moved to the <kitchen>.",
            ],
        );
    }

    #[test]
    fn short_forms_and_single_letters_stay() {
        follows(
            "1 Mary didn't go to hall B.\n2 How do you go from Mary to there?\tn,w\n",
            &[
                "<Mary> didn't go to <hall> B.",
                "How do you go from <Mary> to there?",
                "n,w",
            ],
        );
    }

    #[test]
    fn there_are_names_for_more_words_than_one_length_has() {
        let mut names = Names::new(&[]);
        let mut chance = Chance::new(3, 1);
        let many: HashSet<String> = (0..30_000).map(|_| names.fresh(&mut chance)).collect();
        assert_eq!(many.len(), 30_000);
    }
}
