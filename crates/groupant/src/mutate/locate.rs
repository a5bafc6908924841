//! Where a control's edits stand in the tree: exactly once within a production
//! item, compared by tokens.

use crate::finding::{Code, Finding};
use crate::sidecar::{Control, Edit, Placed, Sidecar};
use crate::source::{Item, count_tokens, find_tokens};
use crate::workspace::{Parsed, Workspace};
use std::ops::Range;

/// An edit with its place in the tree.
pub(super) struct Applied {
    pub(super) file: String,
    /// Of the file in which the place was looked up.
    pub(super) sha256: String,
    pub(super) item: Item,
    pub(super) range: Range<usize>,
    pub(super) replace: String,
    /// Whether it replaces less than the whole body of its item.
    pub(super) part: bool,
}

/// Whether an edit leaves a token of the body standing (of the item, where that
/// has no body). The outer braces and a final semicolon don't count.
fn is_part(text: &str, item: &Item, range: &Range<usize>) -> bool {
    let whole = item.body.as_ref().unwrap_or(&item.span);
    let before = text.get(whole.start..range.start).unwrap_or_default();
    let after = text.get(range.end..whole.end).unwrap_or_default();
    let before = before.strip_prefix('{').unwrap_or(before);
    let after = after.strip_suffix(['}', ';']).unwrap_or(after);
    // A rest with open brackets is no text of its own, and holds a token.
    [before, after]
        .iter()
        .any(|rest| count_tokens(rest).map_or(true, |tokens| tokens > 0))
}

/// The one place of an edit, or the finding that says why there is none.
pub(super) fn locate(
    workspace: &Workspace,
    sidecar: &Sidecar,
    control: &Control,
    edit: &Edit,
) -> Result<Applied, Box<Finding>> {
    let search = Search {
        sidecar,
        control,
        edit,
    };
    let parsed = workspace.source(&edit.source).map_err(|error| {
        Box::new(search.not_applied(error.to_string(), &edit.item, "no such source"))
    })?;
    let item = search.item(workspace, &parsed)?;
    let range = search.place(&parsed, &item)?;
    Ok(Applied {
        file: edit.source.clone(),
        sha256: parsed.sha256.clone(),
        part: is_part(&parsed.text, &item, &range),
        item,
        range,
        replace: edit.replace.clone(),
    })
}

struct Search<'a> {
    sidecar: &'a Sidecar,
    control: &'a Control,
    edit: &'a Edit,
}

impl Search<'_> {
    fn finding(&self, code: Code, message: String, place: &Placed, label: &str) -> Finding {
        Finding::new(code, message)
            .about(format!("{}/{}", self.sidecar.id.text, self.control.id.text))
            .at(&self.sidecar.toml(), place.range.clone(), label)
    }

    fn not_applied(&self, message: String, place: &Placed, label: &str) -> Finding {
        let help = "follow the change of the code, or remove the control";
        self.finding(Code::ControlNotApplied, message, place, label)
            .help(help)
    }

    fn in_test(&self, parsed: &Parsed, what: &str, range: Range<usize>) -> Finding {
        let message = format!("{what} is test code; a control edits production code");
        self.finding(Code::ControlInTest, message, &self.edit.item, "this item")
            .at(&parsed.file, range, "only tests see this")
            .help("name an item of the production source")
    }

    /// The production item that the edit names.
    fn item(&self, workspace: &Workspace, parsed: &Parsed) -> Result<Item, Box<Finding>> {
        let (edit, place) = (self.edit, &self.edit.item);
        let Ok(source) = &parsed.source else {
            let message = format!("{} can't be parsed", edit.source);
            return Err(Box::new(self.not_applied(
                message,
                place,
                "its item can't be found",
            )));
        };
        match source.resolve(&place.text).as_slice() {
            [item] if is_test_source(workspace, &edit.source) => Err(Box::new(self.in_test(
                parsed,
                &edit.source,
                item.head.clone(),
            ))),
            [item] => Ok((*item).clone()),
            [] => {
                let name = place.text.rsplit("::").next().unwrap_or_default();
                let end = format!(" {name}");
                let mut tests = source.items.iter().filter(|item| item.test);
                if let Some(test) = tests.find(|item| item.path.ends_with(&end)) {
                    let what = format!("`{}`", place.text);
                    return Err(Box::new(self.in_test(parsed, &what, test.head.clone())));
                }
                let message = format!("{} has no item `{}`", edit.source, place.text);
                Err(Box::new(self.not_applied(message, place, "no such item")))
            }
            several => {
                let message = format!("`{}` fits {} items", place.text, several.len());
                let label = "write a longer end of the item's path";
                let finding = self.finding(Code::Ambiguous, message, place, label);
                Err(Box::new(
                    finding.help(format!("for example `{}`", several[0].path)),
                ))
            }
        }
    }

    /// The one place of the text within the item.
    fn place(&self, parsed: &Parsed, item: &Item) -> Result<Range<usize>, Box<Finding>> {
        let (id, find) = (&self.control.id.text, &self.edit.find);
        let places = find_tokens(&parsed.text, item.span.clone(), &find.text).map_err(|error| {
            let message = format!("the text of `{id}` can't be read: {}", error.message);
            self.not_applied(message, find, "can't be read as tokens")
        })?;
        match places.as_slice() {
            [range] => Ok(range.clone()),
            [] => {
                let message = format!("the text of `{id}` is not in `{}`", item.path);
                let finding = self.not_applied(message, find, "not there");
                Err(Box::new(finding.at(
                    &parsed.file,
                    item.head.clone(),
                    "looked for in this item",
                )))
            }
            several => {
                let message = format!(
                    "the text of `{id}` is in `{}` {} times",
                    item.path,
                    several.len()
                );
                let mut finding = self.finding(Code::ControlTwice, message, find, "not unique");
                for range in several.iter().take(3) {
                    finding = finding.at(&parsed.file, range.clone(), "here");
                }
                Err(Box::new(finding.help("write more of the text around it")))
            }
        }
    }
}

/// Sources of test, example and benchmark targets.
fn is_test_source(workspace: &Workspace, file: &str) -> bool {
    workspace
        .metadata
        .workspace_packages()
        .iter()
        .any(|package| {
            let folder = workspace.package_folder(package);
            let inside = if folder.is_empty() {
                Some(file)
            } else {
                file.strip_prefix(&format!("{folder}/"))
            };
            inside.is_some_and(|rest| {
                ["tests/", "benches/", "examples/"]
                    .iter()
                    .any(|start| rest.starts_with(start))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    #[test]
    fn an_edit_is_a_part_where_a_token_of_the_body_stays() {
        let part = |text: &str, find: &str| {
            let source = Source::parse(text.as_bytes()).unwrap();
            let start = text.find(find).unwrap();
            is_part(text, &source.items[0], &(start..start + find.len()))
        };
        let text = "/// One.\nfn f(n: u8) -> u8 {\n    // Less.\n    n - 1\n}\n";
        assert!(part(text, "1"));
        assert!(part(text, "n -"));
        // Blanks and comments are no tokens.
        assert!(!part(text, "n - 1"));
        assert!(!part(text, "{\n    // Less.\n    n - 1\n}"));
        assert!(!part("fn f() { g() }", "g()"));
        assert!(part("fn f() { if g() { h() } }", "h()"));
        assert!(part("const N: u8 = 1;", "1"));
        assert!(!part("/// One.\nconst N: u8 = 1;", "const N: u8 = 1"));
    }
}
