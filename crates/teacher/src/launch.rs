//! The launch policy: which program is started where, with which arguments, and
//! which variables it does not inherit. Everything is a value; nothing starts
//! here.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use crate::settings::Effort;

/// Variables that the client never inherits.
///
/// An API key beside the forced login makes the client log out and delete its
/// login file, and another address would take the prompt elsewhere. `RUST_LOG`
/// floods standard error, or hides the lines that are read as evidence.
pub const CLEARED_ENV: [&str; 5] = [
    "CODEX_API_KEY",
    "CODEX_ACCESS_TOKEN",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "RUST_LOG",
];

/// Features of the client that are switched off. Versions 0.165.0 and 0.171.0
/// know all of them; a version that lacks one refuses to start.
pub const FEATURES: [&str; 13] = [
    "shell_tool",
    "unified_exec",
    "apps",
    "multi_agent",
    "goals",
    "memories",
    "hooks",
    "plugins",
    "view_image",
    "image_generation",
    "browser_use",
    "computer_use",
    "tool_suggest",
];

/// No login counts but the subscription's.
pub(crate) const FORCED_LOGIN: &str = "forced_login_method=\"chatgpt\"";

/// Overrides of the client's configuration, beside the effort: the subscription's
/// login, no search, and nothing of the machine in the prompt.
const OVERRIDES: [&str; 5] = [
    FORCED_LOGIN,
    "web_search=\"disabled\"",
    "project_doc_max_bytes=0",
    "skills.include_instructions=false",
    "analytics.enabled=false",
];

/// The arguments of one isolated run that reads its prompt from standard input.
///
/// `model` is not judged here; see [`validate_model`](crate::validate_model).
#[must_use]
pub fn exec_args(model: &str, effort: Effort) -> Vec<String> {
    let mut arguments: Vec<String> = [
        "exec",
        "--json",
        "--color",
        "never",
        "--ephemeral",
        "--ignore-user-config",
        "--ignore-rules",
        "--skip-git-repo-check",
        "--sandbox",
        "read-only",
    ]
    .map(str::to_owned)
    .into();
    let effort = format!("model_reasoning_effort=\"{effort}\"");
    for value in OVERRIDES.into_iter().chain([effort.as_str()]) {
        arguments.extend(["-c", value].map(str::to_owned));
    }
    arguments.extend(["-m", model].map(str::to_owned));
    for feature in FEATURES {
        arguments.extend(["--disable", feature].map(str::to_owned));
    }
    arguments.push("-".to_owned());
    arguments
}

/// One launch, to be looked at before it happens. The prompt is not in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Launch {
    /// What is started; a name without a separator is looked up in `PATH`.
    pub program: PathBuf,
    /// The working directory.
    pub directory: PathBuf,
    /// The arguments after the program.
    pub arguments: Vec<String>,
    /// The variables that are not inherited.
    pub removed: Vec<String>,
}

impl Launch {
    /// The same as a command that can be started.
    #[must_use]
    pub fn to_command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.directory).args(&self.arguments);
        for name in &self.removed {
            command.env_remove(name);
        }
        command
    }
}

/// The launch of one run: [`exec_args`] and without [`CLEARED_ENV`].
#[must_use]
pub fn command(client: &Path, directory: &Path, model: &str, effort: Effort) -> Launch {
    isolated(client, directory, exec_args(model, effort))
}

/// A launch with other arguments and the same removals.
pub(crate) fn isolated(client: &Path, directory: &Path, arguments: Vec<String>) -> Launch {
    Launch {
        program: client.to_owned(),
        directory: directory.to_owned(),
        arguments,
        removed: CLEARED_ENV.map(str::to_owned).into(),
    }
}
