//! Sidecars as they stand in the tree: `groupant.toml`, documents, epochs, and
//! their places. Sole user of the TOML and Markdown parsers for these files.
//! What is wrong with a sidecar is pushed as findings; loading never fails as a
//! whole.

pub mod check;
pub mod document;
pub mod epoch;
mod links;
pub mod manifest;
pub mod scaffold;
pub mod types;

use crate::finding::{Code, Finding, Report};
use crate::workspace::{Workspace, WorkspaceError, check_relative};
use document::Document;
use epoch::Epoch;
use serde::Deserialize;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;

/// The folder of all sidecars.
pub const FOLDER: &str = "sidecars";
/// The end of a sidecar's folder name.
pub const SUFFIX: &str = ".groupant";
/// The length of the longest id.
const MAX_ID: usize = 100;

/// What a sidecar stands beside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One source.
    File,
    /// Items of a source.
    Fragment,
    /// Other sidecars.
    Group,
}

impl Kind {
    /// The word for it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Fragment => "fragment",
            Self::Group => "group",
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    id: Spanned<String>,
    title: String,
    owner: String,
    source: Option<Spanned<String>>,
    #[serde(default)]
    items: Vec<Spanned<String>>,
    #[serde(default)]
    children: Vec<Spanned<String>>,
    #[serde(default)]
    model: Vec<RawModel>,
    #[serde(default)]
    control: Vec<RawControl>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawModel {
    id: Spanned<String>,
    #[serde(rename = "type")]
    kind: Spanned<String>,
    domain: String,
    observation: String,
    approximation: Approximation,
    #[serde(default)]
    assumptions: Vec<String>,
    #[serde(default)]
    items: Vec<Spanned<String>>,
    #[serde(default)]
    oracles: Vec<Spanned<String>>,
    #[serde(default)]
    controls: Vec<Spanned<String>>,
    #[serde(default)]
    children: Vec<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawControl {
    id: Spanned<String>,
    rejected_by: Vec<Spanned<String>>,
    rejection: Rejection,
    edit: Vec<RawEdit>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEdit {
    item: Spanned<String>,
    find: Spanned<String>,
    replace: String,
    source: Option<String>,
}

/// How a model's relation stands to the code's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Approximation {
    /// Equal on the domain.
    Exact,
    /// Contained in it.
    Inner,
    /// Contains it.
    Outer,
}

impl Approximation {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Inner => "inner",
            Self::Outer => "outer",
        }
    }
}

/// The way in which a named test must fail on faulty code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rejection {
    /// A panic at an assertion macro or a check of `obernant`.
    Assertion,
    /// Any other panic.
    Panic,
    /// An error or an exit without a panic.
    Error,
    /// The time limit.
    Timeout,
}

impl Rejection {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Assertion => "assertion",
            Self::Panic => "panic",
            Self::Error => "error",
            Self::Timeout => "timeout",
        }
    }
}

/// A text with its place in `groupant.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The text.
    pub text: String,
    /// Bytes in `groupant.toml`.
    pub range: Range<usize>,
}

impl From<Spanned<String>> for Placed {
    fn from(spanned: Spanned<String>) -> Self {
        Self {
            range: spanned.span(),
            text: spanned.into_inner(),
        }
    }
}

fn placed(list: Vec<Spanned<String>>) -> Vec<Placed> {
    list.into_iter().map(Placed::from).collect()
}

/// One obernant.
#[derive(Clone, Debug)]
pub struct Model {
    /// Unique within its sidecar.
    pub id: Placed,
    /// A name of the table of types.
    pub kind: Placed,
    /// What it ranges over.
    pub domain: String,
    /// What is looked at.
    pub observation: String,
    /// Exact, inner or outer.
    pub approximation: Approximation,
    /// What is taken for granted.
    pub assumptions: Vec<String>,
    /// The items that it speaks of.
    pub items: Vec<Placed>,
    /// The tests that check it.
    pub oracles: Vec<Placed>,
    /// The faults that must be caught.
    pub controls: Vec<Placed>,
    /// The sidecars that it composes.
    pub children: Vec<Placed>,
}

/// One declared fault.
#[derive(Clone, Debug)]
pub struct Control {
    /// Unique within its sidecar.
    pub id: Placed,
    /// The tests that must fail.
    pub rejected_by: Vec<Placed>,
    /// How.
    pub rejection: Rejection,
    /// The edits.
    pub edits: Vec<Edit>,
}

/// One exact edit of a production item.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The item.
    pub item: Placed,
    /// What stands there exactly once, compared by tokens.
    pub find: Placed,
    /// What is put in its place.
    pub replace: String,
    /// The source; the sidecar's own where it is not said.
    pub source: String,
}

/// One sidecar.
#[derive(Clone, Debug)]
pub struct Sidecar {
    /// Folder, relative to the root.
    pub folder: String,
    /// Unique in the workspace.
    pub id: Placed,
    /// For people.
    pub title: String,
    /// Who answers for it.
    pub owner: String,
    /// What it stands beside.
    pub kind: Kind,
    /// The source of a file or a fragment.
    pub source: Option<Placed>,
    /// The items of a fragment.
    pub items: Vec<Placed>,
    /// The children's ids.
    pub children: Vec<Placed>,
    /// In the order of the file.
    pub models: Vec<Model>,
    /// In the order of the file.
    pub controls: Vec<Control>,
    /// Sorted by name.
    pub documents: Vec<Document>,
    /// In the order of the file.
    pub epochs: Vec<Epoch>,
    /// SHA-256 of `groupant.toml`.
    pub definition: String,
}

impl Sidecar {
    /// A file of the sidecar, relative to the root.
    #[must_use]
    pub fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }

    /// `groupant.toml`, relative to the root.
    #[must_use]
    pub fn toml(&self) -> String {
        self.file("groupant.toml")
    }

    /// `id/model`.
    #[must_use]
    pub fn name_of(&self, model: &Model) -> String {
        format!("{}/{}", self.id.text, model.id.text)
    }

    /// A control by its id.
    #[must_use]
    pub fn control(&self, id: &str) -> Option<&Control> {
        self.controls.iter().find(|control| control.id.text == id)
    }

    /// The document that holds a model's heading, with the heading's bytes.
    #[must_use]
    pub fn heading(&self, model: &str) -> Option<(&Document, Range<usize>)> {
        self.documents.iter().find_map(|document| {
            document
                .headings
                .iter()
                .find(|heading| heading.text == model)
                .map(|heading| (document, heading.range.clone()))
        })
    }
}

/// Loads every sidecar of the tree, sorted by folder.
pub fn load(workspace: &Workspace, report: &mut Report) -> Vec<Sidecar> {
    let files = workspace.files(FOLDER, |file| file.ends_with("/groupant.toml"));
    let mut sidecars = Vec::new();
    for file in files {
        let folder = file.strip_suffix("/groupant.toml").unwrap_or_default();
        match load_one(workspace, folder) {
            Ok(sidecar) => sidecars.push(sidecar),
            Err(finding) => {
                report.missing("sidecars", 1);
                report.push(*finding);
            }
        }
    }
    report.checked("sidecars", sidecars.len() as u64);
    sidecars
}

fn load_one(workspace: &Workspace, folder: &str) -> Result<Sidecar, Box<Finding>> {
    let file = format!("{folder}/groupant.toml");
    let text = workspace.read_text(&file).map_err(unreadable)?;
    let raw: Raw = toml::from_str(&text).map_err(|error| {
        Box::new(
            Finding::new(Code::SidecarInvalid, format!("{file}: {}", error.message()))
                .at(&file, error.span().unwrap_or(0..0), "here")
                .help(format!(
                    "correct it; `{} init SOURCE` writes one of the right form",
                    workspace.command
                )),
        )
    })?;
    plain_ids(&raw, &file)?;
    whole_controls(&raw, &file)?;
    let kind = match (&raw.source, raw.items.is_empty()) {
        (Some(_), true) => Kind::File,
        (Some(_), false) => Kind::Fragment,
        (None, _) => Kind::Group,
    };
    if let Some(source) = &raw.source
        && let Err(reason) = check_relative(source.get_ref())
    {
        return Err(Box::new(
            Finding::new(
                Code::PathOutside,
                format!("`source` can't be used: {reason}"),
            )
            .about(raw.id.get_ref().clone())
            .at(&file, source.span(), reason)
            .help("write the path relative to the workspace root, without `.` and `..`"),
        ));
    }
    let own_source = raw.source.as_ref().map(|source| source.get_ref().clone());
    let mut documents = Vec::new();
    for path in workspace.files(folder, |path| {
        is_document(path) && !path[folder.len() + 1..].contains('/')
    }) {
        let text = workspace.read_text(&path).map_err(unreadable)?;
        documents.push(Document::parse(&path[folder.len() + 1..], text));
    }
    let epochs_file = format!("{folder}/epochs.toml");
    let epochs = if workspace.exists(&epochs_file) {
        let text = workspace.read_text(&epochs_file).map_err(unreadable)?;
        epoch::parse(&text).map_err(|error| {
            Box::new(
                Finding::new(
                    Code::EpochEdited,
                    format!("{epochs_file}: {}", error.message()),
                )
                .about(raw.id.get_ref().clone())
                .at(&epochs_file, error.span().unwrap_or(0..0), "here")
                .help(format!("restore it: git checkout -- {epochs_file}")),
            )
        })?
    } else {
        Vec::new()
    };
    Ok(Sidecar {
        folder: folder.to_owned(),
        id: raw.id.into(),
        title: raw.title,
        owner: raw.owner,
        kind,
        source: raw.source.map(Placed::from),
        items: placed(raw.items),
        children: placed(raw.children),
        models: raw.model.into_iter().map(model).collect(),
        controls: raw
            .control
            .into_iter()
            .map(|control| self::control(control, own_source.as_deref().unwrap_or_default()))
            .collect(),
        documents,
        epochs,
        definition: crate::json::sha256(text.as_bytes()),
    })
}

/// Whether a file is Markdown by its name.
fn is_document(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|end| end == "md")
}

#[expect(
    clippy::needless_pass_by_value,
    clippy::unnecessary_box_returns,
    reason = "called by map_err, for a boxed error"
)]
fn unreadable(error: WorkspaceError) -> Box<Finding> {
    Box::new(
        Finding::new(Code::SidecarInvalid, error.to_string())
            .help("make it a text file in UTF-8, within the root and not larger than 64 MiB"),
    )
}

/// Ids stand in file names and in `sidecar/model`, so they are plain.
fn plain_ids(raw: &Raw, file: &str) -> Result<(), Box<Finding>> {
    let models = raw.model.iter().map(|model| &model.id);
    let controls = raw.control.iter().map(|control| &control.id);
    for id in std::iter::once(&raw.id).chain(models).chain(controls) {
        let name = id.get_ref();
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || name.len() > MAX_ID || !name.chars().all(plain) {
            return Err(Box::new(
                Finding::new(Code::SidecarInvalid, format!("{file}: `{name}` is no id"))
                    .at(file, id.span(), "not plain, or too long")
                    .help("write letters, digits, `-` and `_`, at most 100 of them"),
            ));
        }
    }
    Ok(())
}

/// A control without an edit is no fault, and one without a test shows nothing.
fn whole_controls(raw: &Raw, file: &str) -> Result<(), Box<Finding>> {
    for control in &raw.control {
        let lacks = if control.edit.is_empty() {
            "edit"
        } else if control.rejected_by.is_empty() {
            "rejected_by"
        } else {
            continue;
        };
        let id = control.id.get_ref();
        return Err(Box::new(
            Finding::new(
                Code::SidecarInvalid,
                format!("{file}: `{lacks}` of the control `{id}` is empty"),
            )
            .at(file, control.id.span(), "this control")
            .help("a control has at least one edit, and one test that rejects it"),
        ));
    }
    Ok(())
}

fn model(raw: RawModel) -> Model {
    Model {
        id: raw.id.into(),
        kind: raw.kind.into(),
        domain: raw.domain,
        observation: raw.observation,
        approximation: raw.approximation,
        assumptions: raw.assumptions,
        items: placed(raw.items),
        oracles: placed(raw.oracles),
        controls: placed(raw.controls),
        children: placed(raw.children),
    }
}

fn control(raw: RawControl, own_source: &str) -> Control {
    Control {
        id: raw.id.into(),
        rejected_by: placed(raw.rejected_by),
        rejection: raw.rejection,
        edits: raw
            .edit
            .into_iter()
            .map(|edit| Edit {
                item: edit.item.into(),
                find: edit.find.into(),
                replace: edit.replace,
                source: edit.source.unwrap_or_else(|| own_source.to_owned()),
            })
            .collect(),
    }
}
