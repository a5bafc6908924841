//! A finding: what is wrong, where, why, and the command that helps; and the
//! counts of what was checked, skipped and missing. Findings are values: rooms
//! push them into a [`Report`], and one place renders them.

use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Told, and leaves the exit code alone.
    Note,
    /// Makes the run fail.
    Error,
}

/// The exit codes, in the order in which they win where several apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Nothing to say.
    Clean = 0,
    /// Findings.
    Findings = 1,
    /// An oracle or a control failed.
    Failed = 4,
    /// A time limit.
    TimeLimit = 5,
    /// Could not run: a tool is missing, a crate does not build.
    CouldNotRun = 3,
    /// Usage, configuration, or nothing was checked.
    Usage = 2,
}

impl Exit {
    /// The process exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        self as u8
    }

    fn rank(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Failed => 2,
            Self::TimeLimit => 3,
            Self::CouldNotRun => 4,
            Self::Usage => 5,
        }
    }

    /// The one that wins.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        if other.rank() > self.rank() {
            other
        } else {
            self
        }
    }
}

macro_rules! codes {
    ($($variant:ident $name:literal $severity:ident $exit:ident $meaning:literal)*) => {
        /// What a finding says, as a stable name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $(#[doc = $meaning] $variant,)* }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &[Code] = &[$(Code::$variant,)*];

            /// The name that is printed and tested.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it means, in one sentence.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }

            /// How much it weighs.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)* }
            }

            /// The exit code that it asks for.
            #[must_use]
            pub fn exit(self) -> Exit {
                match self { $(Self::$variant => Exit::$exit,)* }
            }
        }
    };
}

codes! {
    // The tree and its configuration.
    Config "config" Error Usage "The configuration can't be read or contradicts itself."
    NothingChecked "nothing-checked" Error Usage "Something is configured and nothing was checked."
    Crlf "crlf" Error Findings "The checkout has CRLF line ends; digests are taken of LF bytes."
    Uncovered "uncovered" Error Findings "A source that must be covered has no sidecar."
    ExemptUnused "exempt-unused" Error Findings "An exemption names a source that needs none."
    Leftover "leftover" Note Clean "A temporary file of an interrupted run was found."
    // Sidecars and documents.
    SidecarInvalid "sidecar-invalid" Error Findings "A groupant.toml or an epochs.toml can't be read."
    PathOutside "path-outside" Error Findings "A path is absolute, leaves the root or is not normalised."
    SourceMissing "source-missing" Error Findings "The source or child that a sidecar names does not exist."
    DocumentMissing "document-missing" Error Findings "A required document is missing."
    HeadingMissing "heading-missing" Error Findings "A model has no heading in any document."
    HeadingDoubled "heading-doubled" Error Findings "A model has its heading more than once."
    ModelMissing "model-missing" Error Findings "A second-level heading of catalog.md names no model."
    TypeUnknown "type-unknown" Error Findings "A model's type is not in the table of types."
    TypeOrder "type-order" Error Findings "The behaviour complement comes first, the reverse reconstruction second."
    LinkBroken "link-broken" Error Findings "A link leads nowhere."
    FigureMismatch "figure-mismatch" Error Findings "A number in a document differs from the claim."
    FigureUnknown "figure-unknown" Error Findings "A figure or a digest cites a receipt or a claim that does not exist."
    IdDoubled "id-doubled" Error Findings "An id is used twice."
    NameUnknown "name-unknown" Error Findings "A model names a control or a child that is not declared."
    ControlUnused "control-unused" Error Findings "A control is declared and no model names it."
    // Generated and appended files.
    Cosmetic "cosmetic" Note Clean "The bytes of a source moved, its tokens did not."
    Prose "prose" Note Clean "A document was edited; nothing is stale by that."
    Elsewhere "elsewhere" Note Clean "A source changed outside the items of its models."
    GeneratedMissing "generated-missing" Error Findings "A generated file is missing."
    GeneratedOutdated "generated-outdated" Error Findings "A generated file is not what the tree gives."
    EpochEdited "epoch-edited" Error Findings "The chain of epochs is broken: an entry was changed, removed or moved."
    // Binding.
    Unaccepted "unaccepted" Error Findings "A model, or an item of it, has no accepted epoch yet."
    Moved "moved" Error Findings "An item stands under another path or in another file, with the same tokens."
    Signature "signature" Error Findings "The signature of an item changed since it was accepted."
    Body "body" Error Findings "The body of an item changed since it was accepted."
    Gone "gone" Error Findings "An item is gone."
    Ambiguous "ambiguous" Error Findings "An item's name fits several items."
    Unparsed "unparsed" Error Findings "A source can't be parsed."
    Weakened "weakened" Error Findings "A level or a universe is below what was accepted."
    Review "review" Error Findings "A model that composes a child is to be read again: the child changed."
    Insufficient "insufficient" Error Findings "A model is below the required level, or not sensitive."
    // Execution.
    BuildFailed "build-failed" Error CouldNotRun "A crate does not build."
    ToolMissing "tool-missing" Error CouldNotRun "A tool that is needed is missing."
    OracleMissing "oracle-missing" Error Findings "An oracle's name is in no test binary's list."
    OracleIgnored "oracle-ignored" Error Findings "An oracle is marked to be ignored."
    TestIgnored "test-ignored" Note Clean "A test beside the oracles is marked to be ignored: it was not executed and counts for nothing."
    OracleFailed "oracle-failed" Error Failed "An oracle failed."
    OracleIncomplete "oracle-incomplete" Error Failed "An oracle ended without its completion mark."
    OracleUnstable "oracle-unstable" Error Failed "Two runs of an oracle differ."
    OracleTimeout "oracle-timeout" Error TimeLimit "An oracle ran into its time limit."
    ControlNotApplied "control-not-applied" Error Failed "The text that a control edits is not in the item."
    ControlTwice "control-twice" Error Failed "The text that a control edits is in the item more than once."
    ControlInTest "control-in-test" Error Findings "A control edits a test or an oracle, not production code."
    ControlNotCompiled "control-not-compiled" Error Failed "The faulty code does not compile, so nothing was shown."
    ControlSurvived "control-survived" Error Failed "A named test passes on the faulty code."
    ControlWrongRejection "control-wrong-rejection" Error Failed "A named test fails, in another way than declared."
    // Receipts.
    ReceiptMissing "receipt-missing" Error Findings "A receipt is missing."
    ReceiptEdited "receipt-edited" Error Findings "A receipt is not well-formed or its digest disagrees."
    ReceiptDiffers "receipt-differs" Error Findings "A run gives other claims than the receipt records."
    ReceiptOutdated "receipt-outdated" Error Findings "A receipt was made on other inputs than the tree has."
    ReceiptOrphan "receipt-orphan" Error Findings "A receipt belongs to no test and no control."
    DigestMismatch "digest-mismatch" Error Findings "The digest over all receipts in the README is not that of the tree."
    Toolchain "toolchain" Note Clean "The receipts were made with another toolchain."
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A place in a file, the only form of a place: file and byte range.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Span {
    /// Path relative to the root, with `/`.
    pub file: String,
    /// Bytes in the file as it is on disk.
    pub range: (usize, usize),
    /// What is to be seen there.
    pub label: String,
}

impl Span {
    /// A labelled place.
    #[must_use]
    pub fn new(file: impl Into<String>, range: Range<usize>, label: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            range: (range.start, range.end),
            label: label.into(),
        }
    }
}

/// One thing to say to a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What it says.
    pub code: Code,
    /// How much it weighs.
    pub severity: Severity,
    /// The sidecar, `sidecar/model` or oracle that it is about, if any.
    pub about: Option<String>,
    /// One sentence.
    pub message: String,
    /// Places, the first one is the main place.
    pub spans: Vec<Span>,
    /// Further facts, for instance which hash moved.
    pub notes: Vec<String>,
    /// What to do, with the exact command.
    pub help: Option<String>,
}

impl Finding {
    /// A finding with its message; places, notes and help are added.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            about: None,
            message: message.into(),
            spans: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// Names what it is about.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.about = Some(about.into());
        self
    }

    /// Adds a place.
    #[must_use]
    pub fn at(mut self, file: &str, range: Range<usize>, label: impl Into<String>) -> Self {
        self.spans.push(Span::new(file, range, label));
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// How many things of one sort were checked, skipped and missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// Looked at, whatever came out.
    pub checked: u64,
    /// Not looked at, and the reason was told.
    pub skipped: u64,
    /// Should be there and is not.
    pub missing: u64,
}

/// What a run collected: findings and counts.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// In the order in which they were found; [`Report::sort`] puts them in order.
    pub findings: Vec<Finding>,
    /// By sort of thing (`sources`, `models`, `figures` …).
    pub counts: BTreeMap<&'static str, Count>,
}

impl Report {
    /// Takes a finding.
    pub fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Counts `n` things as checked.
    pub fn checked(&mut self, what: &'static str, n: u64) {
        self.counts.entry(what).or_default().checked += n;
    }

    /// Counts `n` things as skipped.
    pub fn skipped(&mut self, what: &'static str, n: u64) {
        self.counts.entry(what).or_default().skipped += n;
    }

    /// Counts `n` things as missing.
    pub fn missing(&mut self, what: &'static str, n: u64) {
        self.counts.entry(what).or_default().missing += n;
    }

    /// Takes all of another report.
    pub fn merge(&mut self, other: Self) {
        self.findings.extend(other.findings);
        for (what, count) in other.counts {
            let mine = self.counts.entry(what).or_default();
            mine.checked += count.checked;
            mine.skipped += count.skipped;
            mine.missing += count.missing;
        }
    }

    /// Puts the findings in an order that depends on nothing but themselves,
    /// and drops what was found twice.
    pub fn sort(&mut self) {
        let key = |finding: &Finding| {
            (
                std::cmp::Reverse(finding.severity),
                finding.code,
                finding.about.clone(),
                finding.spans.clone(),
                finding.message.clone(),
            )
        };
        self.findings.sort_by_key(key);
        self.findings.dedup();
        self.fold();
    }

    /// Drops findings that only follow from another one, so that one cause is
    /// told once. What is dropped always leaves an error behind.
    fn fold(&mut self) {
        let errors: Vec<(Code, String)> = self
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error)
            .map(|finding| (finding.code, finding.about.clone().unwrap_or_default()))
            .collect();
        let any = |test: &dyn Fn(Code, &str) -> bool| {
            errors.iter().any(|(code, about)| test(*code, about))
        };
        self.findings.retain(|finding| {
            let about = finding.about.as_deref().unwrap_or_default();
            let folder = about.strip_suffix("inputs.json").unwrap_or(about);
            match finding.code {
                // Whoever mends a sidecar generates again afterwards.
                Code::GeneratedOutdated => !any(&|code, other| {
                    code != Code::GeneratedOutdated
                        && code != Code::GeneratedMissing
                        && is_part(other, about)
                }),
                Code::ReceiptOutdated => {
                    // Other claims say more than other inputs, and controls follow their oracles.
                    let differs = any(&|code, other| {
                        code == Code::ReceiptDiffers && other.starts_with(folder)
                    });
                    let follows = finding.notes == ["moved: targets"]
                        && any(&|code, other| {
                            matches!(
                                code,
                                Code::ReceiptOutdated
                                    | Code::ReceiptDiffers
                                    | Code::ReceiptEdited
                                    | Code::ReceiptMissing
                            ) && other.starts_with("receipts/oracles/")
                        });
                    !differs && !follows
                }
                // Another file is another digest over all.
                Code::DigestMismatch => !any(&|code, _| {
                    matches!(
                        code,
                        Code::ReceiptEdited | Code::ReceiptMissing | Code::ReceiptOrphan
                    )
                }),
                _ => true,
            }
        });
    }

    /// The exit code that the findings ask for.
    #[must_use]
    pub fn exit(&self) -> Exit {
        self.findings
            .iter()
            .fold(Exit::Clean, |exit, finding| exit.worse(finding.code.exit()))
    }
}

/// Whether a name is that of a sidecar or of a part of it.
fn is_part(about: &str, sidecar: &str) -> bool {
    about == sidecar
        || about
            .strip_prefix(sidecar)
            .is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_win_in_the_documented_order() {
        let order = [
            Exit::Usage,
            Exit::CouldNotRun,
            Exit::TimeLimit,
            Exit::Failed,
            Exit::Findings,
            Exit::Clean,
        ];
        for (index, first) in order.iter().enumerate() {
            for second in &order[index..] {
                assert_eq!(first.worse(*second), *first);
                assert_eq!(second.worse(*first), *first);
            }
        }
        assert_eq!(order.map(Exit::code), [2, 3, 5, 4, 1, 0]);
    }

    #[test]
    fn code_names_are_unique_and_notes_leave_the_exit_code_alone() {
        let names: std::collections::BTreeSet<_> =
            Code::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), Code::ALL.len());
        for code in Code::ALL {
            assert_eq!(
                code.severity() == Severity::Note,
                code.exit() == Exit::Clean,
                "{code:?}"
            );
        }
    }
}
