//! Whether a run was refused because the provider had no capacity. It reads the
//! same events as the decoder and changes nothing of its verdict.

use std::borrow::Cow;

use crate::event::{self, Kind};

/// The client's texts for a provider without capacity, to the letter.
///
/// The first and the last stand in recorded streams of 0.171.0. The second and
/// the third were looked up in public sources of the client (the displays of its
/// `FlexUnavailable` and `ServerOverloaded` API errors) and were never seen in a
/// stream. The text that 0.171.0 has for policy-restricted capacity is not
/// listed: no stream and no public source at hand spells it.
pub const PROVIDER_BUSY_MESSAGES: [&str; 4] = [
    "Selected model is at capacity. Please try a different model.",
    "Flex capacity unavailable.",
    "server overloaded",
    "We\u{2019}re currently experiencing high demand, which may cause temporary errors.",
];

/// The listed text that refused the run, in the strict form.
///
/// Every line is blank or JSON, every event is `thread.started`, `turn.started`,
/// `error` or `turn.failed`, there is at least one failure, and every failure's
/// message is listed. Where different listed texts occur, the last one is given.
#[must_use]
pub fn provider_busy(text: &str) -> Option<&'static str> {
    let mut busy = None;
    for failure in failures(text) {
        busy = Some(listed(&failure?.message?)?);
    }
    busy
}

/// The listed text that refused the run, in the tolerant form.
///
/// Lines and events are as in the strict form. Real runs print provisional
/// `error` lines with a text around the listed one before they give up, so only
/// the last `error` and the last `turn.failed` are judged. Both must be there,
/// since an `error` alone is provisional, and both must carry the same listed
/// text.
#[must_use]
pub fn provider_busy_tolerant(text: &str) -> Option<&'static str> {
    let mut error = None;
    let mut turn_failed = None;
    for failure in failures(text) {
        let failure = failure?;
        if failure.kind == Kind::Error {
            error = failure.message;
        } else {
            turn_failed = failure.message;
        }
    }
    let error = error?;
    (error == turn_failed?).then(|| listed(&error))?
}

struct ExplicitFailure<'a> {
    kind: Kind,
    message: Option<Cow<'a, str>>,
}

/// The explicit failures in order; nothing in the place of a line or an event
/// that rules out a busy provider.
fn failures(text: &str) -> impl Iterator<Item = Option<ExplicitFailure<'_>>> {
    event::lines(text).filter_map(|line| {
        let event = match event::read(line) {
            Ok(event) => event?,
            Err(_) => return Some(None),
        };
        let kind = event.kind;
        let message = match kind {
            Kind::ThreadStarted | Kind::TurnStarted => return None,
            Kind::Error => event.message,
            Kind::TurnFailed => event.error_message,
            _ => return Some(None),
        };
        Some(Some(ExplicitFailure { kind, message }))
    })
}

fn listed(message: &str) -> Option<&'static str> {
    PROVIDER_BUSY_MESSAGES
        .into_iter()
        .find(|listed| *listed == message)
}
