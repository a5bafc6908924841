//! The launch policy's names, written out, and the check that a removed variable
//! reaches no client and every other one does: what the oracles of the launch and of
//! the questions share.

use obernant::{Record, Table, Universe};

/// The variables that are not inherited.
pub(crate) const REMOVED: [&str; 5] = [
    "CODEX_API_KEY",
    "CODEX_ACCESS_TOKEN",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "RUST_LOG",
];

/// The features that are switched off.
pub(crate) const DISABLED: [&str; 13] = [
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

/// What became of a variable on its way: the value that the client found, and the
/// parent's as text.
pub(crate) fn inherited(found: Option<&String>, due: Option<&str>) -> String {
    match (found, due) {
        (None, _) => "not there".to_owned(),
        (Some(found), Some(due)) if found == due => "as in the parent".to_owned(),
        (Some(found), _) => format!("changed to {found:?}"),
    }
}

/// Requires of a table of [`inherited`] that the variable of a case reaches the client
/// exactly where `reaches` says so; `name` is the variable's.
pub(crate) fn require_inheritance<'n, U, I, F>(
    record: &mut Record,
    table: &mut Table<'_, U, I, F>,
    name: impl Fn(&[usize]) -> &'n str,
    reaches: impl Fn(&[usize]) -> bool,
) where
    U: Universe,
    I: Fn(&[usize]) -> String,
    F: Fn(&[usize], &str) -> String,
{
    record.acceptance(
        table,
        &["not there", "as in the parent"],
        &[] as &[&str],
        |case| Some(usize::from(reaches(case))),
        |case| {
            let name = name(case);
            if reaches(case) {
                format!("{name} must reach the client as it is")
            } else {
                format!("{name} must not be there")
            }
        },
    );
}
