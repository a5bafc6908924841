//! What holds for any text: the fuzz target and a property test run the same function.

use std::ops::Range;

use world::babi::{Answer, Refusal, Story};

/// A story of this text and questions about it: an answer names sentences of the
/// story, and a gap words of a sentence; asking again gives the same; a story that was
/// told sentence by sentence is the same story.
///
/// The text's last line is a question too.
///
/// # Panics
/// Where one of these does not hold.
pub fn any_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let story = Story::read(&text);
    let mut told = Story::new();
    for (at, sentence) in story.sentences().iter().enumerate() {
        assert_eq!(sentence.id, at + 1);
        assert_eq!(text[sentence.span.clone()], sentence.text);
        if let Some(gap) = &sentence.gap {
            assert_eq!(gap.id, sentence.id);
            assert!(
                within(&gap.span, &sentence.span),
                "{gap} beyond its sentence"
            );
            assert_eq!(text[gap.span.clone()], gap.words);
        }
        told.push(sentence.id, &sentence.text);
    }
    let last = text.lines().next_back().unwrap_or_default();
    for question in QUESTIONS.into_iter().chain([last]) {
        let answer = story.ask(question);
        assert_eq!(story.ask(question), answer);
        match &answer {
            Answer::Known { witness, .. } => {
                assert!(witness.is_sorted_by(|one, next| one < next), "{witness:?}");
                let last = story.sentences().len();
                assert!(
                    witness.iter().all(|id| (1..=last).contains(id)),
                    "{witness:?}"
                );
                assert_eq!(told.ask(question), answer);
            }
            Answer::Unknown(Refusal::Gap(gap)) => {
                assert!(gap.id >= 1 && gap.id <= story.sentences().len());
                assert!(matches!(
                    told.ask(question),
                    Answer::Unknown(Refusal::Gap(_))
                ));
            }
            Answer::Unknown(_) => assert_eq!(told.ask(question), answer),
        }
    }
}

fn within(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// One of each kind.
const QUESTIONS: [&str; 16] = [
    "Where is Mary?",
    "Where is the milk?",
    "Where was Mary before the kitchen?",
    "Where was the milk before the kitchen?",
    "Where will Mary go?",
    "Is Mary in the kitchen?",
    "What is Mary carrying?",
    "How many objects is Mary carrying?",
    "Who has the milk?",
    "Who gave the milk to Mary?",
    "What is north of the kitchen?",
    "How do you go from the kitchen to the garden?",
    "What is Mary afraid of?",
    "What color is Mary?",
    "Is the box bigger than the chest?",
    "Why did Mary go to the kitchen?",
];
