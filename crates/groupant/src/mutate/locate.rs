//! Where a control's edits stand in the tree: exactly once within a production
//! item, compared by tokens.

use crate::finding::{Code, Finding};
use crate::sidecar::{Control, Edit, Placed, Sidecar};
use crate::source::{Item, find_tokens};
use crate::workspace::{Parsed, Workspace};
use std::ops::Range;

/// An edit with its place in the tree.
pub(super) struct Applied {
    pub(super) file: String,
    pub(super) item: Item,
    pub(super) range: Range<usize>,
    pub(super) replace: String,
}

impl Applied {
    /// Whether it replaces less than the whole body of its item.
    pub(super) fn is_part(&self) -> bool {
        let whole = self.item.body.clone().unwrap_or(self.item.span.clone());
        // The braces may stand outside the edit: what counts is what is between.
        self.range.start > whole.start + 1 || self.range.end + 1 < whole.end
    }
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
