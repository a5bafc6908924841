//! What a person or a component may choose: the model, the effort, the time
//! limit, the client and the call log. Where nothing is said the environment
//! decides, then a default. No other file reads a variable of the transport.

use std::env;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use serde::Serialize;
use thiserror::Error;

/// The model that is used where nobody names one.
pub const DEFAULT_MODEL: &str = "gpt-5.5";

/// The time limit in seconds where nobody sets one.
pub const DEFAULT_TIMEOUT: u64 = 1800;

/// The client that is looked up in `PATH` where nobody names one.
pub const DEFAULT_CLIENT: &str = "codex";

/// The call log where nobody names one, in the working directory of the caller.
pub const DEFAULT_LOG: &str = "teacher-calls.jsonl";

/// The model for a component: `MOVA_TEACHER_MODEL`, else the variable that
/// `component` names, else [`DEFAULT_MODEL`].
///
/// A variable counts where it is set and valid Unicode. An empty one counts too
/// and hides what comes after it. The name is not judged here.
#[must_use]
pub fn model(component: &str) -> String {
    env::var("MOVA_TEACHER_MODEL")
        .or_else(|_| env::var(component))
        .unwrap_or_else(|_| DEFAULT_MODEL.to_owned())
}

/// A name that breaks the lexical rule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("model name {0:?} must begin with \"gpt-\" and hold no white space")]
pub struct InvalidModel(String);

/// Accepts a name exactly when it begins with `gpt-` and holds no Unicode white
/// space. `gpt-` alone passes: the rule says nothing about which models exist.
///
/// Fails with the name otherwise.
pub fn validate_model(name: &str) -> Result<(), InvalidModel> {
    if name.starts_with("gpt-") && !name.chars().any(char::is_whitespace) {
        Ok(())
    } else {
        Err(InvalidModel(name.to_owned()))
    }
}

/// How much the model is to reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// `low`
    Low,
    /// `medium`
    #[default]
    Medium,
    /// `high`
    High,
    /// `xhigh`
    Xhigh,
}

impl Effort {
    /// The name that the client takes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A text that names no effort.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("effort {0:?} must be low, medium, high or xhigh")]
pub struct InvalidEffort(String);

impl FromStr for Effort {
    type Err = InvalidEffort;

    /// Takes exactly the four names; no other case, no surrounding blanks.
    fn from_str(text: &str) -> Result<Self, InvalidEffort> {
        match text {
            "low" => Ok(Self::Low),
            "medium" => Ok(Self::Medium),
            "high" => Ok(Self::High),
            "xhigh" => Ok(Self::Xhigh),
            _ => Err(InvalidEffort(text.to_owned())),
        }
    }
}

/// The effort that `MOVA_TEACHER_EFFORT` names; medium where it is not set or no
/// valid Unicode.
///
/// Fails where it names no effort.
pub fn effort() -> Result<Effort, InvalidEffort> {
    env::var("MOVA_TEACHER_EFFORT").map_or(Ok(Effort::default()), |text| text.parse())
}

/// A text that is no time limit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("time limit {0:?} must be a whole number of seconds from 1 to 18446744073709551615")]
pub struct InvalidTimeout(String);

/// The time limit that `MOVA_TEACHER_TIMEOUT` sets, a positive `u64` of seconds;
/// [`DEFAULT_TIMEOUT`] where it is not set or no valid Unicode.
///
/// Fails where it is no such number.
pub fn timeout() -> Result<Duration, InvalidTimeout> {
    let Ok(text) = env::var("MOVA_TEACHER_TIMEOUT") else {
        return Ok(Duration::from_secs(DEFAULT_TIMEOUT));
    };
    match text.parse::<u64>() {
        Ok(seconds) if seconds > 0 => Ok(Duration::from_secs(seconds)),
        _ => Err(InvalidTimeout(text)),
    }
}

/// The client that `MOVA_TEACHER_CLIENT` names, else [`DEFAULT_CLIENT`].
#[must_use]
pub fn client() -> PathBuf {
    env::var_os("MOVA_TEACHER_CLIENT").map_or_else(|| DEFAULT_CLIENT.into(), PathBuf::from)
}

/// The call log that `MOVA_TEACHER_LOG` names, else [`DEFAULT_LOG`].
#[must_use]
pub fn log() -> PathBuf {
    env::var_os("MOVA_TEACHER_LOG").map_or_else(|| DEFAULT_LOG.into(), PathBuf::from)
}
