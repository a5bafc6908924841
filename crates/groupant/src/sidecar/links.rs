//! Where the links of a sidecar's documents lead, and figures that are none.

use super::document::Document;
use super::{Sidecar, is_document};
use crate::finding::{Code, Finding, Report};
use crate::workspace::Workspace;

/// Every link of every document leads somewhere, and every figure has the form.
pub(super) fn links(workspace: &Workspace, sidecar: &Sidecar, report: &mut Report) {
    for document in &sidecar.documents {
        for link in &document.links {
            if link.target.contains("://") || link.target.starts_with("mailto:") {
                report.skipped("links", 1);
                continue;
            }
            report.checked("links", 1);
            if let Err(reason) = follow(workspace, sidecar, &document.name, &link.target) {
                report.missing("links", 1);
                report.push(
                    Finding::new(
                        Code::LinkBroken,
                        format!("the link `{}` leads nowhere", link.target),
                    )
                    .about(sidecar.id.text.clone())
                    .at(&sidecar.file(&document.name), link.range.clone(), reason)
                    .help("correct the target"),
                );
            }
        }
        for range in &document.malformed {
            report.push(
                Finding::new(
                    Code::FigureUnknown,
                    "a figure is written `claim:TEST.PATH = VALUE`",
                )
                .about(sidecar.id.text.clone())
                .at(
                    &sidecar.file(&document.name),
                    range.clone(),
                    "not of that form",
                )
                .help("for example: claim:my_oracle.universe = 120"),
            );
        }
    }
}

fn follow(
    workspace: &Workspace,
    sidecar: &Sidecar,
    document: &str,
    target: &str,
) -> Result<(), String> {
    let (path, anchor) = target
        .split_once('#')
        .map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let file = if path.is_empty() {
        sidecar.file(document)
    } else {
        resolve(&sidecar.folder, path).ok_or("leads out of the root")?
    };
    if !workspace.exists(&file) {
        return Err(format!("{file} does not exist"));
    }
    let Some(anchor) = anchor.filter(|_| is_document(&file)) else {
        return Ok(());
    };
    let text = workspace
        .read_text(&file)
        .map_err(|error| error.to_string())?;
    let target = Document::parse("", text);
    if target
        .headings
        .iter()
        .any(|heading| slug(&heading.text) == anchor)
    {
        Ok(())
    } else {
        Err(format!("{file} has no heading `{anchor}`"))
    }
}

/// Joins a relative link to a folder of the tree.
fn resolve(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The anchor that Markdown hosts give a heading.
fn slug(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_resolved_from_the_sidecars_folder() {
        assert_eq!(
            resolve("sidecars/a/b.groupant", "../../x.md").unwrap(),
            "sidecars/x.md"
        );
        assert_eq!(resolve("s/b", "./c.md").unwrap(), "s/b/c.md");
        assert_eq!(resolve("s", "../../c.md"), None);
        assert_eq!(slug("Two words, `one`!"), "two-words-one");
    }
}
