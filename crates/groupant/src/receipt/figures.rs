//! Numbers and digests that documents and the README cite from receipts.

use super::{MARK, Store, oracle_path, text};
use crate::finding::{Code, Finding, Report};
use crate::json::short;
use crate::oracle::{self, Reference};
use crate::sidecar::Sidecar;
use crate::workspace::{Workspace, WorkspaceError};
use serde_json::Value;

/// The digest in the README is that of the receipts.
pub(super) fn readme(workspace: &Workspace, store: &Store, report: &mut Report) {
    let Ok(text) = workspace.read_text("README.md") else {
        return;
    };
    let Some((range, found)) = marked(&text) else {
        return;
    };
    report.checked("readme digest", 1);
    let digest = store.digest();
    if found != digest {
        report.push(
            Finding::new(
                Code::DigestMismatch,
                "the digest over all receipts is another one",
            )
            .about("README.md")
            .at(
                "README.md",
                range,
                format!("the tree gives {}…", short(&digest)),
            )
            .help(format!("{} refresh", workspace.command)),
        );
    }
}

/// The digest on the marked line of a README, with its bytes.
fn marked(text: &str) -> Option<(std::ops::Range<usize>, &str)> {
    let mark = text.find(MARK)?;
    let line = text[..mark].rfind('\n').map_or(0, |at| at + 1);
    let open = line + text[line..mark].find('`')? + 1;
    let close = open + text[open..mark].find('`')?;
    Some((open..close, &text[open..close]))
}

/// Writes the digest over all receipts into the README's marked line.
///
/// # Errors
///
/// Where the file system refuses.
pub fn update_readme(workspace: &Workspace) -> Result<bool, WorkspaceError> {
    let Ok(mut text) = workspace.read_text("README.md") else {
        return Ok(false);
    };
    let Some((range, _)) = marked(&text) else {
        return Ok(false);
    };
    text.replace_range(range, &Store::load(workspace).digest());
    workspace.write("README.md", text.as_bytes())
}

/// A claim by its dotted path, as a document writes it.
#[must_use]
pub fn claim(receipt: &Value, path: &str) -> Option<String> {
    fn get<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
        let map = value.as_object()?;
        if let Some(found) = map.get(path) {
            return Some(found);
        }
        // Keys may hold dots themselves: try every split.
        path.match_indices('.')
            .find_map(|(at, _)| get(map.get(&path[..at])?, &path[at + 1..]))
    }
    let found = get(&receipt["claims"], path)?;
    (!found.is_object() && !found.is_array()).then(|| text(found))
}

/// Checks every figure and every cited digest of every document. A figure whose
/// receipt is missing or edited is skipped: the receipt has its own finding.
pub fn figures(workspace: &Workspace, sidecars: &[Sidecar], store: &Store, report: &mut Report) {
    let known: Vec<(Reference, String)> = oracle::named(&sidecars.iter().collect::<Vec<_>>())
        .into_keys()
        .map(|reference| (reference.clone(), oracle_path(&reference)))
        .collect();
    let is_told = |test: &str| {
        known.iter().any(|(reference, path)| {
            (reference.test == test || reference.to_string() == test) && !store.is_intact(path)
        })
    };
    for sidecar in sidecars {
        for document in &sidecar.documents {
            let file = sidecar.file(&document.name);
            for figure in &document.figures {
                if is_told(&figure.test) {
                    report.skipped("figures", 1);
                    continue;
                }
                report.checked("figures", 1);
                let found = store
                    .oracle(&figure.test)
                    .and_then(|receipt| claim(&receipt, &figure.path));
                match found {
                    Some(found) if found == figure.value => {}
                    Some(found) => report.push(
                        Finding::new(
                            Code::FigureMismatch,
                            format!(
                                "`{}.{}` is {found}, not {}",
                                figure.test, figure.path, figure.value
                            ),
                        )
                        .about(sidecar.id.text.clone())
                        .at(
                            &file,
                            figure.range.clone(),
                            format!("the receipt says {found}"),
                        )
                        .help("correct the number, and read what the sentence says of it"),
                    ),
                    None => {
                        report.missing("figures", 1);
                        report.push(
                            Finding::new(
                                Code::FigureUnknown,
                                format!(
                                    "no receipt has the claim `{}.{}`",
                                    figure.test, figure.path
                                ),
                            )
                            .about(sidecar.id.text.clone())
                            .at(&file, figure.range.clone(), "nothing to compare with")
                            .help(format!(
                                "see the claims: {} receipt show {}",
                                workspace.command, figure.test
                            )),
                        );
                    }
                }
            }
            for (digest, range) in &document.citations {
                report.checked("citations", 1);
                if !store.has_digest(digest) {
                    report.push(
                        Finding::new(
                            Code::FigureUnknown,
                            format!("no receipt has the digest {digest}"),
                        )
                        .about(sidecar.id.text.clone())
                        .at(&file, range.clone(), "cited here")
                        .help("cite a receipt of the tree"),
                    );
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn claims_are_found_by_dotted_paths_even_where_keys_hold_dots() {
        let receipt = json!({"claims": {"universe": 5, "fibers": {"A/10": 938, "a.b": 2}, "big": "9007199254740993", "list": [1]}});
        assert_eq!(claim(&receipt, "universe").unwrap(), "5");
        assert_eq!(claim(&receipt, "fibers.A/10").unwrap(), "938");
        assert_eq!(claim(&receipt, "fibers.a.b").unwrap(), "2");
        assert_eq!(claim(&receipt, "big").unwrap(), "9007199254740993");
        assert_eq!(claim(&receipt, "list"), None);
        assert_eq!(claim(&receipt, "nothing"), None);
    }

    #[test]
    fn the_marked_readme_line_gives_the_digest_and_its_bytes() {
        let text = "x `y`\nDigest: `abc` <!-- receipts-digest -->\n";
        let (range, digest) = marked(text).unwrap();
        assert_eq!((digest, &text[range]), ("abc", "abc"));
        assert_eq!(marked("no mark"), None);
    }
}
