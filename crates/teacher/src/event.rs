//! One line to one event: what a line is, which lines are blank, which are JSON,
//! and the few values of an event that the decoder reads. No rule about the
//! order of events stands here.
//!
//! A line is accepted exactly when `serde_json::from_str::<serde_json::Value>`
//! accepts it. No `Value` is built: the visitor below walks through everything,
//! because a walk is what validates (numbers beyond `f64`, lone surrogates and
//! 128 levels of nesting are refused, and `serde::de::IgnoredAny` would let the
//! first two pass), and keeps only what it was asked for.
//! This holds for `serde_json` without its feature `arbitrary_precision`, which
//! would change both sides; a property test compares the two.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// What the decoder reads of one event. A value of another type than expected
/// is as good as none.
#[derive(Debug, Default)]
pub(crate) struct Event<'a> {
    pub(crate) kind: Kind,
    pub(crate) message: Option<Cow<'a, str>>,
    pub(crate) error_message: Option<Cow<'a, str>>,
    pub(crate) item: Item<'a>,
    pub(crate) usage: Counts,
}

/// The event's `type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    ThreadStarted,
    TurnStarted,
    TurnCompleted,
    TurnFailed,
    Error,
    ItemStarted,
    ItemUpdated,
    ItemCompleted,
    /// Any other text, no text, or no `type`.
    #[default]
    Unknown,
}

/// The event's `item`.
#[derive(Debug, Default)]
pub(crate) struct Item<'a> {
    pub(crate) kind: Option<Cow<'a, str>>,
    pub(crate) text: Option<Cow<'a, str>>,
    pub(crate) message: Option<Cow<'a, str>>,
}

/// The event's `usage`; a count is there only where it is a `u64`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) input: Option<u64>,
    pub(crate) cached: Option<u64>,
    pub(crate) cache_write: Option<u64>,
    pub(crate) output: Option<u64>,
    pub(crate) reasoning: Option<u64>,
}

/// The lines of a text. Only LF ends a line: the client prints U+2028, U+2029
/// and U+0085 raw inside strings. The empty rest after a last LF is a blank line.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n')
}

/// Reads one line, with or without its LF: nothing for a blank one, which holds
/// JSON white space only (a lone CR too, so CRLF input is fine).
///
/// Fails with what is wrong, in words, where the line is no JSON text.
pub(crate) fn read(line: &str) -> Result<Option<Event<'_>>, String> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    if line
        .bytes()
        .all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
    {
        return Ok(None);
    }
    let mut event = Event::default();
    let mut json = serde_json::Deserializer::from_str(line);
    Slot::Event(&mut event)
        .deserialize(&mut json)
        .and_then(|()| json.end())
        .map_err(|error| in_words(&error))?;
    Ok(Some(event))
}

/// The parser's message without its own line number, which is always 1 here.
fn in_words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text
        .rsplit_once(" at line ")
        .map_or(text.as_str(), |(what, _)| what);
    format!(
        "the line is no JSON text: {what} at byte {}",
        error.column()
    )
}

/// Where the value that comes next is kept. The value is validated in any case.
enum Slot<'s, 'a> {
    Event(&'s mut Event<'a>),
    Item(&'s mut Item<'a>),
    /// The object `error`, of which only `message` is read.
    Failed(&'s mut Option<Cow<'a, str>>),
    Usage(&'s mut Counts),
    Kind(&'s mut Kind),
    Text(&'s mut Option<Cow<'a, str>>),
    Count(&'s mut Option<u64>),
    Nowhere,
}

impl<'a> Slot<'_, 'a> {
    /// Forgets what an earlier duplicate of the same key left: the last one
    /// wins, also where it is of another type.
    fn clear(&mut self) {
        match self {
            Self::Event(event) => **event = Event::default(),
            Self::Item(item) => **item = Item::default(),
            Self::Usage(counts) => **counts = Counts::default(),
            Self::Kind(kind) => **kind = Kind::default(),
            Self::Failed(text) | Self::Text(text) => **text = None,
            Self::Count(count) => **count = None,
            Self::Nowhere => {}
        }
    }

    /// The place for the value under `key`, where this value is an object.
    fn under(&mut self, key: Key) -> Slot<'_, 'a> {
        match (self, key) {
            (Self::Event(event), Key::Type) => Slot::Kind(&mut event.kind),
            (Self::Event(event), Key::Item) => Slot::Item(&mut event.item),
            (Self::Event(event), Key::Message) => Slot::Text(&mut event.message),
            (Self::Event(event), Key::Error) => Slot::Failed(&mut event.error_message),
            (Self::Event(event), Key::Usage) => Slot::Usage(&mut event.usage),
            (Self::Item(item), Key::Type) => Slot::Text(&mut item.kind),
            (Self::Item(item), Key::Text) => Slot::Text(&mut item.text),
            (Self::Item(item), Key::Message) => Slot::Text(&mut item.message),
            (Self::Failed(text), Key::Message) => Slot::Text(text),
            (Self::Usage(counts), Key::Input) => Slot::Count(&mut counts.input),
            (Self::Usage(counts), Key::Cached) => Slot::Count(&mut counts.cached),
            (Self::Usage(counts), Key::CacheWrite) => Slot::Count(&mut counts.cache_write),
            (Self::Usage(counts), Key::Output) => Slot::Count(&mut counts.output),
            (Self::Usage(counts), Key::Reasoning) => Slot::Count(&mut counts.reasoning),
            _ => Slot::Nowhere,
        }
    }

    fn string(self, text: &str, keep: impl FnOnce() -> Cow<'a, str>) {
        match self {
            Self::Text(slot) => *slot = Some(keep()),
            Self::Kind(slot) => *slot = Kind::from_name(text),
            _ => {}
        }
    }
}

impl Kind {
    fn from_name(name: &str) -> Self {
        match name {
            "thread.started" => Self::ThreadStarted,
            "turn.started" => Self::TurnStarted,
            "turn.completed" => Self::TurnCompleted,
            "turn.failed" => Self::TurnFailed,
            "error" => Self::Error,
            "item.started" => Self::ItemStarted,
            "item.updated" => Self::ItemUpdated,
            "item.completed" => Self::ItemCompleted,
            _ => Self::Unknown,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Slot<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(mut self, value: D) -> Result<(), D::Error> {
        self.clear();
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Slot<'_, 'de> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    // The parser gives negative integers only here.
    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        if let Self::Count(slot) = self {
            *slot = Some(number);
        }
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<(), E> {
        self.string(text, || Cow::Borrowed(text));
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.string(text, || Cow::Owned(text.to_owned()));
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Slot::Nowhere)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<(), A::Error> {
        while let Some(key) = object.next_key::<Key>()? {
            object.next_value_seed(self.under(key))?;
        }
        Ok(())
    }
}

/// The keys that are read somewhere.
#[derive(Clone, Copy)]
enum Key {
    Type,
    Item,
    Text,
    Message,
    Error,
    Usage,
    Input,
    Cached,
    CacheWrite,
    Output,
    Reasoning,
    Unread,
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(key: D) -> Result<Self, D::Error> {
        struct Name;

        impl Visitor<'_> for Name {
            type Value = Key;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a key")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Key, E> {
                Ok(match name {
                    "type" => Key::Type,
                    "item" => Key::Item,
                    "text" => Key::Text,
                    "message" => Key::Message,
                    "error" => Key::Error,
                    "usage" => Key::Usage,
                    "input_tokens" => Key::Input,
                    "cached_input_tokens" => Key::Cached,
                    "cache_write_input_tokens" => Key::CacheWrite,
                    "output_tokens" => Key::Output,
                    "reasoning_output_tokens" => Key::Reasoning,
                    _ => Key::Unread,
                })
            }
        }

        key.deserialize_str(Name)
    }
}
