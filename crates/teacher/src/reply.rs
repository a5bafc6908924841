//! What decoding gives: the reply of a run that succeeded, or the failure with
//! its category. Only the forms stand here; `decode` decides which one it is.

use serde::Serialize;

/// The answer of one completed turn and its accounting. Serialises as one JSON
/// object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reply {
    /// The text of the last completed answer, unchanged.
    pub result: String,
    /// Always `codex`.
    pub provider: &'static str,
    /// Always false: a run that failed is a [`Failure`].
    pub is_error: bool,
    /// The counts of the one completion.
    pub usage: Usage,
    /// Always 0. A subscription has no price per call; callers expect the field.
    pub total_cost_usd: u64,
    /// Always false: the stream reports no cost, so the 0 above is no measurement.
    pub cost_reported: bool,
    /// What the tolerant contract adds; absent under the strict one.
    #[serde(flatten)]
    pub evidence: Option<Evidence>,
}

/// Token counts of one turn. The names are the callers', not the stream's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// `input_tokens` of the stream.
    pub input_tokens: u64,
    /// `output_tokens` of the stream.
    pub output_tokens: u64,
    /// `cached_input_tokens` of the stream; 0 where it is missing or no `u64`.
    /// It may exceed the input tokens: real streams do that.
    pub cache_read_input_tokens: u64,
    /// Strict: always 0. Tolerant: the cache-write count, 0 where there is none.
    pub cache_creation_input_tokens: u64,
    /// Tolerant only, where the stream has it (clients since 0.128.0).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_output_tokens: Option<u64>,
    /// Tolerant only, where the stream has it (clients since 0.147.0).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_input_tokens: Option<u64>,
}

/// What a successful run told beside its answer; tolerant contract only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// Texts of the provisional `error` lines and of the `error` items, in order.
    pub warnings: Vec<String>,
    /// How many provisional `error` lines there were.
    pub retries: u64,
    /// False where the answer came with zero input tokens. The client prints
    /// zeros when the server sent no usage, so zero means unknown and not free.
    pub usage_known: bool,
}

/// Why a stream gives no reply. Serialises as one JSON object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{}{}: {message}", .error.as_str(), place(*.line))]
pub struct Failure {
    /// The category.
    pub error: Category,
    /// The line that decided, counted from 1 with blank lines included; none
    /// where the end of the stream decided.
    pub line: Option<u64>,
    /// A sentence for a person. For `error` and `turn_failed` it is the client's
    /// own text, which may hold any character.
    pub message: String,
}

fn place(line: Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!(" (line {line})"))
}

/// The kinds of failure. A stream has exactly one: the first that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// The line is no UTF-8. Only byte input can give this.
    NotUtf8,
    /// The line is not blank and no JSON text.
    MalformedJson,
    /// An `error` event. Tolerant: the last one, where no completion followed.
    Error,
    /// A `turn.failed` event.
    TurnFailed,
    /// A `thread.started` or `turn.started` that is repeated or late.
    HeaderOrder,
    /// An `item.*` event after the completion.
    LateItem,
    /// Tolerant only: an `error` event after the completion.
    LateError,
    /// A second `turn.completed`.
    RepeatedCompletion,
    /// A `turn.completed` while the last assigned answer is missing or blank.
    CompletionBeforeAnswer,
    /// An `item.*` event whose item has a kind that is not allowed, or none.
    ItemKind,
    /// The stream ended without a nonblank answer.
    MissingAnswer,
    /// The stream ended with an answer and without a completion.
    MissingCompletion,
    /// The completion's input or output count is no `u64`.
    InvalidUsage,
}

impl Category {
    /// Every category, in the order of declaration.
    pub const ALL: [Self; 13] = [
        Self::NotUtf8,
        Self::MalformedJson,
        Self::Error,
        Self::TurnFailed,
        Self::HeaderOrder,
        Self::LateItem,
        Self::LateError,
        Self::RepeatedCompletion,
        Self::CompletionBeforeAnswer,
        Self::ItemKind,
        Self::MissingAnswer,
        Self::MissingCompletion,
        Self::InvalidUsage,
    ];

    /// The name in snake case, as in the JSON form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotUtf8 => "not_utf8",
            Self::MalformedJson => "malformed_json",
            Self::Error => "error",
            Self::TurnFailed => "turn_failed",
            Self::HeaderOrder => "header_order",
            Self::LateItem => "late_item",
            Self::LateError => "late_error",
            Self::RepeatedCompletion => "repeated_completion",
            Self::CompletionBeforeAnswer => "completion_before_answer",
            Self::ItemKind => "item_kind",
            Self::MissingAnswer => "missing_answer",
            Self::MissingCompletion => "missing_completion",
            Self::InvalidUsage => "invalid_usage",
        }
    }
}
