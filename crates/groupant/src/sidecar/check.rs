//! What can be checked of a sidecar by reading alone: coverage, required
//! documents, headings, types and their order, names, the chain of epochs; the
//! links stand in `links`. One function per concern; each counts what it looked at.

use super::document::{Document, Heading};
use super::links::links;
use super::{Kind, Model, Sidecar, epoch, types};
use crate::finding::{Code, Finding, Report};
use crate::json::short;
use crate::workspace::Workspace;
use std::collections::{BTreeMap, BTreeSet};

/// Runs every check of this file.
pub fn all(workspace: &Workspace, sidecars: &[Sidecar], report: &mut Report) {
    coverage(workspace, sidecars, report);
    ids(sidecars, report);
    cycles(sidecars, report);
    for sidecar in sidecars {
        place(workspace, sidecar, report);
        documents(sidecar, report);
        headings(sidecar, report);
        kinds(sidecar, report);
        names(sidecar, sidecars, report);
        links(workspace, sidecar, report);
        chain(workspace, sidecar, report);
    }
}

/// Every subject has a sidecar or an exemption, and every exemption is needed.
fn coverage(workspace: &Workspace, sidecars: &[Sidecar], report: &mut Report) {
    let Some(config) = &workspace.config else {
        return;
    };
    let covered: BTreeSet<&str> = sidecars
        .iter()
        .filter(|sidecar| sidecar.kind == Kind::File)
        .filter_map(|sidecar| sidecar.source.as_ref().map(|source| source.text.as_str()))
        .collect();
    let subjects = workspace.subjects();
    for subject in &subjects {
        let exempt = config.exempt.iter().any(|exempt| exempt.path == *subject);
        if covered.contains(subject.as_str()) {
            report.checked("sources", 1);
        } else if exempt {
            report.skipped("sources", 1);
        } else {
            report.missing("sources", 1);
            report.push(
                Finding::new(Code::Uncovered, format!("{subject} has no sidecar"))
                    .at(subject, 0..0, "must be covered: it matches `subjects`")
                    .help(format!("{} init {subject}", workspace.command)),
            );
        }
    }
    for exempt in &config.exempt {
        let needed = subjects.contains(&exempt.path) && !covered.contains(exempt.path.as_str());
        if !needed {
            report.push(
                Finding::new(
                    Code::ExemptUnused,
                    format!("{} needs no exemption", exempt.path),
                )
                .at(
                    "Cargo.toml",
                    workspace
                        .configured(&format!("\"{}\"", exempt.path))
                        .unwrap_or_default(),
                    "exempted here",
                )
                .note(format!("it was exempted because: {}", exempt.reason))
                .help("remove it from `exempt`"),
            );
        }
    }
    if !config.subjects.is_empty() && subjects.is_empty() {
        report.push(
            Finding::new(Code::NothingChecked, "`subjects` matches no source")
                .at(
                    "Cargo.toml",
                    workspace.configured("subjects").unwrap_or_default(),
                    "no glob matches",
                )
                .help("correct the globs"),
        );
    }
}

fn ids(sidecars: &[Sidecar], report: &mut Report) {
    let mut seen: BTreeMap<&str, &Sidecar> = BTreeMap::new();
    for sidecar in sidecars {
        if let Some(first) = seen.insert(&sidecar.id.text, sidecar) {
            report.push(
                Finding::new(
                    Code::IdDoubled,
                    format!("two sidecars have the id `{}`", sidecar.id.text),
                )
                .about(sidecar.id.text.clone())
                .at(&sidecar.toml(), sidecar.id.range.clone(), "again here")
                .at(&first.toml(), first.id.range.clone(), "first here")
                .help("give one of them another id"),
            );
        }
        let models = sidecar.models.iter().map(|model| ("model", &model.id));
        let controls = sidecar
            .controls
            .iter()
            .map(|control| ("control", &control.id));
        let mut own = BTreeMap::new();
        for (what, id) in models.chain(controls) {
            if let Some(first) = own.insert((what, id.text.as_str()), id) {
                report.push(
                    Finding::new(
                        Code::IdDoubled,
                        format!("two {what}s have the id `{}`", id.text),
                    )
                    .about(sidecar.id.text.clone())
                    .at(&sidecar.toml(), id.range.clone(), "again here")
                    .at(&sidecar.toml(), first.range.clone(), "first here")
                    .help("give one of them another id"),
                );
            }
        }
    }
}

/// No sidecar is below itself.
fn cycles(sidecars: &[Sidecar], report: &mut Report) {
    let children: BTreeMap<&str, &Sidecar> = sidecars
        .iter()
        .map(|sidecar| (sidecar.id.text.as_str(), sidecar))
        .collect();
    for sidecar in sidecars {
        for child in &sidecar.children {
            let mut seen = BTreeSet::new();
            let mut open = vec![child.text.as_str()];
            while let Some(id) = open.pop() {
                if seen.insert(id) {
                    let below = children
                        .get(id)
                        .into_iter()
                        .flat_map(|found| &found.children);
                    open.extend(below.map(|child| child.text.as_str()));
                }
            }
            if seen.contains(sidecar.id.text.as_str()) {
                report.push(
                    Finding::new(
                        Code::SidecarInvalid,
                        format!("`{}` is below itself", sidecar.id.text),
                    )
                    .about(sidecar.id.text.clone())
                    .at(
                        &sidecar.toml(),
                        child.range.clone(),
                        "this child leads back",
                    )
                    .help("remove one of the children on the way"),
                );
            }
        }
    }
}

/// The folder mirrors the source, and the source is there.
fn place(workspace: &Workspace, sidecar: &Sidecar, report: &mut Report) {
    let Some(source) = &sidecar.source else {
        return;
    };
    let home = format!("{}/{}{}", super::FOLDER, source.text, super::SUFFIX);
    let fits = match sidecar.kind {
        Kind::File => sidecar.folder == home,
        Kind::Fragment => sidecar.folder.starts_with(&format!("{home}/fragments/")),
        Kind::Group => true,
    };
    if !fits {
        report.push(
            Finding::new(
                Code::SidecarInvalid,
                format!("the sidecar of {} stands in another place", source.text),
            )
            .about(sidecar.id.text.clone())
            .at(&sidecar.toml(), source.range.clone(), "this source")
            .help(format!("move the folder to {home}")),
        );
    }
    if !workspace.exists(&source.text) {
        report.missing("sources", 1);
        report.push(
            Finding::new(
                Code::SourceMissing,
                format!("{} does not exist", source.text),
            )
            .about(sidecar.id.text.clone())
            .at(&sidecar.toml(), source.range.clone(), "no such file")
            .help("correct `source`, or remove the sidecar with its receipts"),
        );
    } else if let Err(error) = workspace.source(&source.text) {
        report.missing("sources", 1);
        let code = if error.is_outside() {
            Code::PathOutside
        } else {
            Code::SidecarInvalid
        };
        report.push(
            Finding::new(code, error.to_string())
                .about(sidecar.id.text.clone())
                .at(&sidecar.toml(), source.range.clone(), "can't be read")
                .help("name a file within the workspace"),
        );
    }
}

fn documents(sidecar: &Sidecar, report: &mut Report) {
    let mut required: Vec<&str> = match sidecar.kind {
        Kind::File => vec!["descriptant.md", "approximant.md", "catalog.md", "tests.md"],
        Kind::Fragment => vec!["catalog.md"],
        Kind::Group => vec!["descriptant.md"],
    };
    if sidecar.kind == Kind::Group || !sidecar.children.is_empty() {
        required.push("composition.md");
    }
    for name in required {
        if sidecar
            .documents
            .iter()
            .any(|document| document.name == name)
        {
            report.checked("documents", 1);
        } else {
            report.missing("documents", 1);
            report.push(
                Finding::new(
                    Code::DocumentMissing,
                    format!("{} is missing", sidecar.file(name)),
                )
                .about(sidecar.id.text.clone())
                .at(
                    &sidecar.toml(),
                    sidecar.id.range.clone(),
                    format!("a {} needs {name}", sidecar.kind.name()),
                )
                .help(format!("write {}", sidecar.file(name))),
            );
        }
    }
}

/// Each model is a heading exactly once; each second-level heading of
/// `catalog.md` is a model.
fn headings(sidecar: &Sidecar, report: &mut Report) {
    let mut undescribed = Vec::new();
    for model in &sidecar.models {
        let id = &model.id.text;
        let places: Vec<_> = sidecar
            .documents
            .iter()
            .flat_map(|document| {
                document
                    .headings
                    .iter()
                    .map(move |heading| (document, heading))
            })
            .filter(|(_, heading)| heading.text == *id)
            .collect();
        report.checked("headings", 1);
        match places.as_slice() {
            [_] => {}
            [] => undescribed.push(model),
            [first, rest @ ..] => {
                let mut finding = Finding::new(
                    Code::HeadingDoubled,
                    format!("`{id}` is a heading {} times", places.len()),
                )
                .about(sidecar.name_of(model))
                .at(
                    &sidecar.file(&first.0.name),
                    first.1.range.clone(),
                    "first here",
                );
                for (document, heading) in rest {
                    finding = finding.at(
                        &sidecar.file(&document.name),
                        heading.range.clone(),
                        "again here",
                    );
                }
                report.push(finding.help("keep one of them"));
            }
        }
    }
    unmatched(sidecar, &undescribed, report);
}

/// Models without a heading, and headings of the catalogue without a model.
fn unmatched(sidecar: &Sidecar, undescribed: &[&Model], report: &mut Report) {
    let catalog = sidecar
        .documents
        .iter()
        .find(|document| document.name == "catalog.md");
    let mut undeclared: Vec<(&Document, &Heading)> = catalog
        .into_iter()
        .flat_map(|catalog| {
            catalog
                .headings
                .iter()
                .map(move |heading| (catalog, heading))
        })
        .filter(|(_, heading)| {
            let named = |model: &Model| model.id.text == heading.text;
            heading.level == 2 && !sidecar.models.iter().any(named)
        })
        .collect();
    // One of each is a renaming, and told as one.
    let renamed = if undescribed.len() == 1 && undeclared.len() == 1 {
        undeclared.pop()
    } else {
        None
    };
    for model in undescribed {
        let id = &model.id.text;
        let mut finding = Finding::new(
            Code::HeadingMissing,
            format!("no document has the heading `{id}`"),
        )
        .about(sidecar.name_of(model))
        .at(
            &sidecar.toml(),
            model.id.range.clone(),
            "this model is described nowhere",
        );
        let mut help = format!(
            "write a section `## {id}` in {}",
            sidecar.file("catalog.md")
        );
        if let Some((document, heading)) = renamed {
            let file = sidecar.file(&document.name);
            finding = finding.at(&file, heading.range.clone(), "this heading names no model");
            help = format!(
                "where the heading was renamed, write `## {id}` again, or rename the model too"
            );
        }
        report.push(finding.help(help));
    }
    for (document, heading) in undeclared {
        report.push(
            Finding::new(
                Code::ModelMissing,
                format!("the heading `{}` names no model", heading.text),
            )
            .about(sidecar.id.text.clone())
            .at(
                &sidecar.file(&document.name),
                heading.range.clone(),
                "every second-level heading of catalog.md is a model",
            )
            .help(format!(
                "declare it in {}, or make it a third-level heading",
                sidecar.toml()
            )),
        );
    }
}

fn kinds(sidecar: &Sidecar, report: &mut Report) {
    for model in &sidecar.models {
        report.checked("types", 1);
        if types::check_of(&model.kind.text).is_none() {
            report.push(
                Finding::new(
                    Code::TypeUnknown,
                    format!("`{}` is no type of model", model.kind.text),
                )
                .about(sidecar.name_of(model))
                .at(&sidecar.toml(), model.kind.range.clone(), "unknown type")
                .help(format!(
                    "did you mean `{}`?",
                    types::nearest(&model.kind.text)
                )),
            );
        }
    }
    let expected = [types::COMPLEMENT, types::RECONSTRUCTION];
    for (model, expected) in sidecar.models.iter().zip(expected) {
        if model.kind.text != expected && types::check_of(&model.kind.text).is_some() {
            report.push(
                Finding::new(
                    Code::TypeOrder,
                    format!("`{}` stands where a `{expected}` must stand", model.id.text),
                )
                .about(sidecar.name_of(model))
                .at(&sidecar.toml(), model.kind.range.clone(), format!("expected `{expected}`"))
                .help("put the behaviour complement first, the reverse reconstruction second, the views after them"),
            );
            break;
        }
    }
}

fn names(sidecar: &Sidecar, sidecars: &[Sidecar], report: &mut Report) {
    let known: BTreeSet<&str> = sidecars
        .iter()
        .map(|sidecar| sidecar.id.text.as_str())
        .collect();
    let unknown = |what: &str, placed: &super::Placed| {
        Finding::new(
            Code::NameUnknown,
            format!("no {what} is called `{}`", placed.text),
        )
        .about(sidecar.id.text.clone())
        .at(&sidecar.toml(), placed.range.clone(), "unknown name")
        .help(format!("declare the {what}, or remove the name"))
    };
    let composed = sidecar.models.iter().flat_map(|model| &model.children);
    for child in sidecar.children.iter().chain(composed) {
        if !known.contains(child.text.as_str()) {
            report.push(unknown("sidecar", child));
        }
    }
    let mut used = BTreeSet::new();
    for model in &sidecar.models {
        for control in &model.controls {
            used.insert(control.text.as_str());
            if sidecar.control(&control.text).is_none() {
                report.push(unknown("control", control));
            }
        }
        tests(sidecar, &sidecar.name_of(model), &model.oracles, report);
    }
    for control in &sidecar.controls {
        tests(sidecar, &sidecar.id.text, &control.rejected_by, report);
        if !used.contains(control.id.text.as_str()) {
            report.push(
                Finding::new(
                    Code::ControlUnused,
                    format!("no model names the control `{}`", control.id.text),
                )
                .about(sidecar.id.text.clone())
                .at(&sidecar.toml(), control.id.range.clone(), "declared here")
                .help("name it in the `controls` of a model, or remove it"),
            );
        }
    }
}

/// Each of these names has the form of a test's.
fn tests(sidecar: &Sidecar, about: &str, names: &[super::Placed], report: &mut Report) {
    for name in names {
        if crate::oracle::Reference::parse(&name.text).is_none() {
            report.push(
                Finding::new(
                    Code::NameUnknown,
                    format!("`{}` does not name a test", name.text),
                )
                .about(about)
                .at(
                    &sidecar.toml(),
                    name.range.clone(),
                    "not of the form package::target$test",
                )
                .help("write package::target$test, or package::lib$module::test"),
            );
        }
    }
}

fn chain(workspace: &Workspace, sidecar: &Sidecar, report: &mut Report) {
    report.checked("epochs", sidecar.epochs.len() as u64);
    let Some((index, reason)) = epoch::broken(&sidecar.epochs) else {
        return;
    };
    let file = sidecar.file("epochs.toml");
    let text = workspace.read_text(&file).unwrap_or_default();
    let start = text
        .match_indices("[[epoch]]")
        .nth(index)
        .map_or(0, |(at, _)| at);
    let entry = &sidecar.epochs[index];
    report.push(
        Finding::new(
            Code::EpochEdited,
            format!("the entry of {} for `{}` {reason}", entry.date, entry.model),
        )
        .about(sidecar.id.text.clone())
        .at(
            &file,
            start..(start + "[[epoch]]".len()).min(text.len()),
            "the chain breaks here",
        )
        .note(format!(
            "the entry says {}, its content gives {}",
            short(&entry.digest),
            short(&entry.seal())
        ))
        .help(format!(
            "entries are appended, never rewritten; restore it: git checkout -- {file}"
        )),
    );
}
