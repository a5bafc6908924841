//! One model against its last epoch: what changed, what moved, what is gone,
//! and what a person is told of it.

use super::{Sources, Verdict};
use crate::finding::{Code, Finding};
use crate::json::short;
use crate::sidecar::epoch::{AcceptedItem, Epoch};
use crate::sidecar::{Model, Placed, Sidecar};
use crate::source::Item;
use crate::workspace::{Parsed, Workspace};
use std::sync::Arc;

/// Above this many canonical tokens a single match of the digest is trusted
/// when an item is looked for elsewhere; copies of smaller items are common
/// (measured: 0.7% at 81 to 100 tokens within a file, 45% at most five tokens).
const TRUSTED_SIZE: usize = 80;

/// Collects what is wrong with one model.
pub(super) struct Judge<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) sidecar: &'a Sidecar,
    pub(super) model: &'a Model,
    pub(super) epoch: Option<&'a Epoch>,
    pub(super) verdict: Verdict,
    pub(super) findings: Vec<(String, Finding)>,
}

impl Judge<'_> {
    /// Takes a finding; `cause` is the item or the source behind it.
    pub(super) fn put(&mut self, verdict: Verdict, cause: &str, finding: Finding) {
        self.verdict = self.verdict.max(verdict);
        let about = self.sidecar.name_of(self.model);
        self.findings.push((cause.to_owned(), finding.about(about)));
    }

    /// The command that accepts, after the section that is to be read.
    fn accept_help(&self) -> String {
        let name = self.sidecar.name_of(self.model);
        let read =
            self.sidecar
                .heading(&self.model.id.text)
                .map_or(String::new(), |(document, _)| {
                    format!(
                        "read `{}` in {}, then: ",
                        self.model.id.text,
                        self.sidecar.file(&document.name)
                    )
                });
        format!(
            "{read}{} bind --accept {name} --because \"…\"",
            self.workspace.command
        )
    }

    fn since(&self) -> String {
        self.epoch
            .map_or(String::new(), |epoch| format!(" since {}", epoch.date))
    }

    pub(super) fn ambiguous(&mut self, reference: &Placed, several: &[(&Arc<Parsed>, &Item)]) {
        let toml = self.sidecar.toml();
        let mut finding = told(
            Verdict::Ambiguous,
            format!("`{}` fits {} items", reference.text, several.len()),
        )
        .at(
            &toml,
            reference.range.clone(),
            "write a longer end of the item's path",
        );
        for (parsed, item) in several {
            finding = finding.at(&parsed.file, item.head.clone(), item.path.clone());
        }
        let help = format!("for example `{}`", longer(&several[0].1.path));
        self.put(Verdict::Ambiguous, &reference.text, finding.help(help));
    }

    pub(super) fn unaccepted(&mut self, place: &Placed, why: &str) {
        let toml = self.sidecar.toml();
        let finding = told(
            Verdict::Unaccepted,
            format!("`{}` is not accepted: {why}", self.model.id.text),
        )
        .at(&toml, place.range.clone(), "not accepted yet")
        .help(self.accept_help());
        self.put(Verdict::Unaccepted, why, finding);
    }

    pub(super) fn compare(
        &mut self,
        reference: &Placed,
        parsed: &Parsed,
        item: &Item,
        left: &mut Vec<&AcceptedItem>,
    ) {
        let Some(epoch) = self.epoch else {
            return;
        };
        let same_place = epoch
            .items
            .iter()
            .find(|accepted| accepted.file == parsed.file && accepted.path == item.path);
        if let Some(accepted) = same_place {
            if accepted.tokens != item.tokens {
                self.changed(reference, parsed, item, accepted);
            }
            return;
        }
        if let Some(at) = left
            .iter()
            .position(|accepted| accepted.tokens == item.tokens)
        {
            let accepted = left.remove(at);
            self.moved(reference, accepted, &parsed.file, item);
        } else if let Some(at) = left
            .iter()
            .position(|accepted| last_name(&accepted.path) == last_name(&item.path))
        {
            let accepted = left.remove(at);
            self.changed(reference, parsed, item, accepted);
        } else {
            self.unaccepted(
                reference,
                &format!("`{}` is not among the accepted items", item.path),
            );
        }
    }

    fn changed(
        &mut self,
        reference: &Placed,
        parsed: &Parsed,
        item: &Item,
        accepted: &AcceptedItem,
    ) {
        let (verdict, what) = if accepted.signature == item.signature
            && untagged(&accepted.path) == untagged(&item.path)
        {
            (Verdict::Body, "body")
        } else {
            (Verdict::Signature, "signature")
        };
        let mut finding = told(
            verdict,
            format!(
                "`{}` is stale: the {what} of `{}` changed{}",
                self.model.id.text,
                item.path,
                self.since()
            ),
        )
        .at(
            &parsed.file,
            item.head.clone(),
            format!("its {what} changed"),
        )
        .at(
            &self.sidecar.toml(),
            reference.range.clone(),
            "the model speaks of it here",
        )
        .note(format!(
            "tokens {} → {}",
            short(&accepted.tokens),
            short(&item.tokens)
        ));
        if accepted.signature != item.signature {
            finding = finding.note(format!(
                "signature {} → {}",
                short(&accepted.signature),
                short(&item.signature)
            ));
        }
        if accepted.path != item.path {
            finding = finding.note(format!("path `{}` → `{}`", accepted.path, item.path));
        }
        let help = self.accept_help();
        self.put(verdict, &item.path, finding.help(help));
    }

    fn moved(&mut self, reference: &Placed, accepted: &AcceptedItem, file: &str, item: &Item) {
        let finding = told(
            Verdict::Moved,
            format!(
                "`{}` is stale: `{}` moved",
                self.model.id.text,
                last_name(&accepted.path)
            ),
        )
        .at(
            file,
            item.head.clone(),
            "it stands here now, with the same tokens",
        )
        .at(
            &self.sidecar.toml(),
            reference.range.clone(),
            "the model speaks of it here",
        )
        .note(format!(
            "accepted as `{}` in {}",
            accepted.path, accepted.file
        ));
        let help = if self
            .sidecar
            .source
            .as_ref()
            .is_some_and(|source| source.text != file)
        {
            format!("let a sidecar of {file} speak of it, or move it back")
        } else {
            self.accept_help()
        };
        self.put(Verdict::Moved, &accepted.path, finding.help(help));
    }

    /// An item that its name no longer finds: relocated, or gone.
    pub(super) fn unresolved(
        &mut self,
        reference: &Placed,
        sources: &Sources,
        left: &mut Vec<&AcceptedItem>,
    ) {
        let toml = self.sidecar.toml();
        let name = reference.text.rsplit("::").next().unwrap_or_default();
        let at = left
            .iter()
            .position(|accepted| last_name(&accepted.path) == name)
            .or((left.len() == 1).then_some(0));
        let Some(at) = at else {
            let finding = told(Verdict::Gone, format!("`{}` names no item", reference.text))
                .at(
                    &toml,
                    reference.range.clone(),
                    "no production item has this name",
                )
                .help("correct the name, or remove it from `items`");
            self.put(Verdict::Gone, &reference.text, finding);
            return;
        };
        let accepted = left.remove(at);
        let mut candidates = candidates(&sources.parsed, &accepted.tokens);
        if candidates.is_empty() {
            let whole_tree: Vec<Arc<Parsed>> = self
                .workspace
                .rust_files()
                .iter()
                .filter_map(|file| self.workspace.source(file).ok())
                .collect();
            candidates = self::candidates(&whole_tree, &accepted.tokens);
        }
        let trusted: Vec<_> = candidates
            .iter()
            .filter(|(_, item)| {
                item.size > TRUSTED_SIZE || last_name(&item.path) == last_name(&accepted.path)
            })
            .collect();
        if let [(file, item)] = trusted.as_slice() {
            self.moved(reference, accepted, file, item);
            return;
        }
        let mut finding = told(
            Verdict::Gone,
            format!(
                "`{}` is stale: `{}` is gone{}",
                self.model.id.text,
                accepted.path,
                self.since()
            ),
        )
        .at(
            &toml,
            reference.range.clone(),
            "the model speaks of it here",
        )
        .note(format!(
            "it stood in {} with tokens {}",
            accepted.file,
            short(&accepted.tokens)
        ));
        for (file, item) in candidates.iter().take(3) {
            finding = finding.at(
                file,
                item.head.clone(),
                "has the same tokens; perhaps a copy",
            );
        }
        self.put(
            Verdict::Gone,
            &accepted.path,
            finding
                .help("bring it back, or change what the model says and its `items`, then accept"),
        );
    }
}

fn told(verdict: Verdict, message: String) -> Finding {
    Finding::new(verdict.code().unwrap_or(Code::Unaccepted), message)
}

fn candidates(parsed: &[Arc<Parsed>], tokens: &str) -> Vec<(String, Item)> {
    parsed
        .iter()
        .filter_map(|parsed| parsed.source.as_ref().ok().map(|source| (parsed, source)))
        .flat_map(|(parsed, source)| {
            source
                .items
                .iter()
                .filter(|item| !item.test && item.tokens == tokens)
                .map(|item| (parsed.file.clone(), item.clone()))
        })
        .collect()
}

/// The plain name at the end of an item path.
fn last_name(path: &str) -> &str {
    let path = untagged(path);
    let end = path.rsplit("::").next().unwrap_or(path);
    end.rsplit(' ').next().unwrap_or(end)
}

/// A path without the tag that tells doubled paths apart: `fn f [2]`. A tag may
/// hold a digest of the item's tokens, so it changes with the body.
fn untagged(path: &str) -> &str {
    path.strip_suffix(']')
        .and_then(|path| path.rsplit_once(" ["))
        .map_or(path, |(path, _)| path)
}

/// The names of the last two steps of a path, as a reference; a path of one
/// step as it is.
fn longer(path: &str) -> String {
    if !path.contains("::") {
        return path.to_owned();
    }
    let steps: Vec<&str> = path
        .rsplit("::")
        .take(2)
        .map(|step| step.rsplit(' ').next().unwrap_or(step))
        .collect();
    steps.into_iter().rev().collect::<Vec<_>>().join("::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_at_the_end_of_a_path_are_found_whatever_stands_before() {
        assert_eq!(last_name("impl Decoder::fn push"), "push");
        assert_eq!(last_name("fn decode"), "decode");
        assert_eq!(last_name("mod a::fn decode [2]"), "decode");
        assert_eq!(longer("impl Decoder::fn push"), "Decoder::push");
        assert_eq!(longer("fn push"), "fn push");
    }
}
