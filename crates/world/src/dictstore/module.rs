//! One dictionary module: its lines, the text that they have, and which texts are
//! refused. The form is described in the file above.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use thiserror::Error;

use super::licence::{identifiers, is_name, restrictive};

/// A line of a module has no more bytes than this, without its newline.
pub const LINE_BYTES: usize = 16 * 1024;
/// A module's text has no more bytes than this.
pub const MODULE_BYTES: usize = 16 * 1024 * 1024;

/// How a line relates its two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// The first is a kind of the second.
    IsA,
    /// The first is another name for the second.
    Alias,
    /// The first is a part of the second.
    Part,
}

impl Relation {
    const ALL: [Self; 3] = [Self::IsA, Self::Alias, Self::Part];

    /// What such a line begins with.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::IsA => "isa",
            Self::Alias => "alias",
            Self::Part => "part",
        }
    }
}

/// A line after the first one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Words for people.
    Note(String),
    /// Two related words.
    Fact {
        /// How they are related.
        relation: Relation,
        /// The kind, the alias or the part.
        word: String,
        /// What it is, what it is called, or what it is a part of.
        of: String,
        /// Where this is from, if that is said.
        source: Option<String>,
    },
}

impl Line {
    fn fields(&self) -> Vec<&str> {
        match self {
            Self::Note(text) => vec!["note", text],
            Self::Fact {
                relation,
                word,
                of,
                source,
            } => {
                let fields = [relation.as_str(), word, of];
                fields.into_iter().chain(source.as_deref()).collect()
            }
        }
    }

    fn parse(text: &str) -> Result<Self, Fault> {
        // Before it is split: a line of tabs alone would take many times its size.
        if text.len() > LINE_BYTES {
            return Err(Fault::LongLine(text.len()));
        }
        let fields: Vec<&str> = text.split('\t').collect();
        let relation = Relation::ALL
            .into_iter()
            .find(|relation| relation.as_str() == fields[0]);
        match (relation, &fields[1..]) {
            (None, &[text]) if fields[0] == "note" => Ok(Self::Note(text.to_owned())),
            (Some(relation), &[word, of] | &[word, of, _]) => Ok(Self::Fact {
                relation,
                word: word.to_owned(),
                of: of.to_owned(),
                source: fields.get(3).map(|&source| source.to_owned()),
            }),
            (None, _) if fields[0] != "note" => Err(Fault::Kind(fields[0].to_owned())),
            _ => Err(Fault::Fields(fields.len())),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.fields().join("\t"))
    }
}

/// What is wrong with a line of a module.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The text is empty, or its last line is not ended.
    #[error("the last line has no end; a newline must follow it, or the file was cut")]
    NoEnd,
    /// The first line has another form.
    #[error("the first line must be dictionary, a name and a licence, with tabs between")]
    Header,
    /// The module's name has another form.
    #[error(
        "the name {0:?} must be up to 64 letters, digits, . _ + and -, a letter or digit first"
    )]
    Name(String),
    /// The licence has another form.
    #[error(
        "the licence {0:?} must be ours, one identifier such as CC-BY-4.0, or what derived_header gives"
    )]
    Licence(String),
    /// A line begins with another word.
    #[error("no line begins with {0:?}; write isa, alias, part or note, without blank lines")]
    Kind(String),
    /// A line has another number of fields.
    #[error(
        "{0} fields; write isa, alias or part, two words and at most one source, or note and a text, with tabs between"
    )]
    Fields(usize),
    /// A field has another form.
    #[error(
        "the field {0:?} must not be empty, have white space at its ends or a control character"
    )]
    Field(String),
    /// The line is too long.
    #[error("{0} bytes in one line; the limit is {LINE_BYTES}")]
    LongLine(usize),
    /// The text up to here is too long.
    #[error("more than {MODULE_BYTES} bytes; make two modules of it")]
    LongText,
    /// The line relates a word to itself.
    #[error("{0:?} stands on both sides; a word says nothing of itself, so leave the line out")]
    Itself(String),
    /// The line says what an earlier one says.
    #[error("line {0} says the same; leave one of them out")]
    Again(usize),
    /// An alias has another name already.
    #[error("the alias {alias:?} has another name in line {line}; keep one of them")]
    TwoNames {
        /// The alias.
        alias: String,
        /// The earlier line.
        line: usize,
    },
    /// A word is an alias and the name of one.
    #[error(
        "{word:?} is an alias here or in line {line}, and a name in the other; give both aliases the last name"
    )]
    Chain {
        /// The word.
        word: String,
        /// The earlier line.
        line: usize,
    },
}

/// Why a text is no module.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {fault}")]
pub struct Refusal {
    /// The line, from 1; the header is the first.
    pub line: usize,
    /// What is wrong there.
    pub fault: Fault,
}

/// One dictionary module; every one has a text, and the same one that it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    name: String,
    licence: String,
    lines: Vec<Line>,
}

impl Module {
    /// A module with these lines in this order.
    ///
    /// Fails with the first line that has a fault, as its text would have it.
    pub fn new(name: &str, licence: &str, lines: Vec<Line>) -> Result<Self, Refusal> {
        let refused = |line, fault| Err(Refusal { line, fault });
        if !is_name(name) {
            return refused(1, Fault::Name(name.to_owned()));
        }
        if identifiers(licence).is_none() {
            return refused(1, Fault::Licence(licence.to_owned()));
        }
        let module = Self {
            name: name.to_owned(),
            licence: licence.to_owned(),
            lines,
        };
        let header = module.header().len();
        if header > LINE_BYTES {
            return refused(1, Fault::LongLine(header));
        }
        let mut bytes = header + 1;
        let mut known = Known::default();
        for (line, number) in module.lines.iter().zip(2..) {
            let length = line.to_string().len();
            if length > LINE_BYTES {
                return refused(number, Fault::LongLine(length));
            }
            if let Err(fault) = known.admit(line, number) {
                return refused(number, fault);
            }
            bytes += length + 1;
            if bytes > MODULE_BYTES {
                return refused(number, Fault::LongText);
            }
        }
        Ok(module)
    }

    /// Reads a module.
    ///
    /// Fails where the last line is not ended, and else with the first line that has
    /// a fault.
    pub fn from_text(text: &str) -> Result<Self, Refusal> {
        let refused = |line, fault| Err(Refusal { line, fault });
        let Some(text) = text.strip_suffix('\n') else {
            return refused(text.split('\n').count(), Fault::NoEnd);
        };
        let mut raw = text.split('\n');
        let header = raw.next().unwrap_or("");
        if header.len() > LINE_BYTES {
            return refused(1, Fault::LongLine(header.len()));
        }
        let mut bytes = header.len() + 1;
        let header: Vec<&str> = header.split('\t').collect();
        let ["dictionary", name, licence] = header[..] else {
            return refused(1, Fault::Header);
        };
        let mut lines = Vec::new();
        let mut unread = None;
        for (text, number) in raw.zip(2..) {
            // The line before passed the limit and will be refused.
            if bytes > MODULE_BYTES {
                break;
            }
            bytes += text.len() + 1;
            match Line::parse(text) {
                Ok(line) => lines.push(line),
                Err(fault) => {
                    unread = Some(Refusal {
                        line: number,
                        fault,
                    });
                    break;
                }
            }
        }
        // What is wrong with the lines before comes first.
        let module = Self::new(name, licence, lines)?;
        unread.map_or(Ok(module), Err)
    }

    /// The text that [`from_text`](Self::from_text) reads as this module.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = self.header() + "\n";
        for line in &self.lines {
            text += &line.to_string();
            text.push('\n');
        }
        text
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The licence as it is written.
    #[must_use]
    pub fn licence(&self) -> &str {
        &self.licence
    }

    /// The lines after the header, in order.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    fn header(&self) -> String {
        ["dictionary", &self.name, &self.licence].join("\t")
    }

    /// The licences that are not plain.
    pub(super) fn marks(&self) -> BTreeSet<&str> {
        restrictive(identifiers(&self.licence).unwrap_or_default())
    }

    /// What the lines relate.
    pub(super) fn facts(&self) -> impl Iterator<Item = (Relation, &str, &str)> {
        self.lines.iter().filter_map(|line| match line {
            Line::Note(_) => None,
            Line::Fact {
                relation, word, of, ..
            } => Some((*relation, word.as_str(), of.as_str())),
        })
    }
}

/// What the lines of a module said so far, each with the number of its line.
#[derive(Default)]
struct Known<'m> {
    facts: HashMap<(Relation, &'m str, &'m str), usize>,
    aliases: HashMap<&'m str, usize>,
    names: HashMap<&'m str, usize>,
}

impl<'m> Known<'m> {
    fn admit(&mut self, line: &'m Line, number: usize) -> Result<(), Fault> {
        let fields = line.fields();
        let formed = |field: &str| {
            !field.is_empty() && field.trim() == field && !field.contains(char::is_control)
        };
        if let Some(field) = fields.iter().find(|field| !formed(field)) {
            return Err(Fault::Field((*field).to_owned()));
        }
        let Line::Fact {
            relation, word, of, ..
        } = line
        else {
            return Ok(());
        };
        if word == of {
            return Err(Fault::Itself(word.clone()));
        }
        if let Some(&line) = self.facts.get(&(*relation, word, of)) {
            return Err(Fault::Again(line));
        }
        if *relation == Relation::Alias {
            if let Some(&line) = self.aliases.get(word.as_str()) {
                let alias = word.clone();
                return Err(Fault::TwoNames { alias, line });
            }
            let both = [(word, &self.names), (of, &self.aliases)];
            for (word, other) in both {
                if let Some(&line) = other.get(word.as_str()) {
                    let word = word.clone();
                    return Err(Fault::Chain { word, line });
                }
            }
            self.aliases.insert(word, number);
            self.names.entry(of).or_insert(number);
        }
        self.facts.insert((*relation, word, of), number);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lines: &str) -> String {
        let text = format!("dictionary\tgarden\tours\n{lines}\n");
        let refusal = Module::from_text(&text).expect_err("it is refused");
        refusal.to_string()
    }

    #[test]
    fn a_module_comes_back_from_its_text_and_its_text_from_it() {
        let text = "dictionary\tgarden\tCC-BY-4.0\n\
                    note\tFrom  the garden book.\n\
                    isa\trose\tflower\n\
                    alias\tice flower\tflower\tlesson 3, line 2\n\
                    note\tFrom  the garden book.\n\
                    part\trose\tflower\n";
        let module = Module::from_text(text).expect("it is a module");
        assert_eq!(module.to_text(), text);
        assert_eq!((module.name(), module.licence()), ("garden", "CC-BY-4.0"));
        assert_eq!(module.lines().len(), 5);
        let alias = Line::Fact {
            relation: Relation::Alias,
            word: "ice flower".into(),
            of: "flower".into(),
            source: Some("lesson 3, line 2".into()),
        };
        assert_eq!(module.lines()[2], alias);
        let again = Module::new("garden", "CC-BY-4.0", module.lines().to_vec());
        assert_eq!(again, Ok(module));
    }

    #[test]
    fn a_fault_is_told_with_its_line_and_what_to_do() {
        let field = "must not be empty, have white space at its ends or a control character";
        for (lines, words) in [
            (
                "",
                "line 2: no line begins with \"\"; write isa, alias, part or note, without blank lines",
            ),
            (
                "isa\ta\tb\tc\td",
                "line 2: 5 fields; write isa, alias or part, two words and at most one source, or note and a text, with tabs between",
            ),
            (
                "isa\ta\ta",
                "line 2: \"a\" stands on both sides; a word says nothing of itself, so leave the line out",
            ),
            (
                "isa\ta\tb\nisa\ta\tb\thence",
                "line 3: line 2 says the same; leave one of them out",
            ),
            (
                "alias\ta\tb\nalias\ta\tc",
                "line 3: the alias \"a\" has another name in line 2; keep one of them",
            ),
            (
                "alias\ta\tb\nalias\tb\tc",
                "line 3: \"b\" is an alias here or in line 2, and a name in the other; give both aliases the last name",
            ),
            (
                "alias\tb\tc\nalias\ta\tb",
                "line 3: \"b\" is an alias here or in line 2, and a name in the other; give both aliases the last name",
            ),
            (
                "isa\ta\tb\r",
                &format!("line 2: the field \"b\\r\" {field}"),
            ),
            ("isa\t\tb", &format!("line 2: the field \"\" {field}")),
            ("note\t a", &format!("line 2: the field \" a\" {field}")),
            ("isa\ta\tb\t", &format!("line 2: the field \"\" {field}")),
        ] {
            assert_eq!(told(lines), words);
        }
        // Of two faults the one in the earlier line.
        assert!(told("isa\ta\ta\nx").starts_with("line 2: \"a\""));
        assert!(told("x\nisa\ta\ta").starts_with("line 2: no line begins"));
    }

    #[test]
    fn the_first_line_has_a_name_and_a_licence() {
        let fault = |text: &str| Module::from_text(text).expect_err("it is refused").fault;
        assert_eq!(fault(""), Fault::NoEnd);
        assert_eq!(fault("dictionary\tx\tours"), Fault::NoEnd);
        assert_eq!(fault("\n"), Fault::Header);
        assert_eq!(fault("dictionary\tx\n"), Fault::Header);
        assert_eq!(fault("Dictionary\tx\tours\n"), Fault::Header);
        assert_eq!(fault("dictionary\t-x\tours\n"), Fault::Name("-x".into()));
        assert_eq!(fault("dictionary\tx\t\n"), Fault::Licence(String::new()));
    }

    #[test]
    fn lines_and_texts_have_limits() {
        let line = |bytes: usize| Line::Note("x".repeat(bytes - "note\t".len()));
        let new = |lines| Module::new("long", "ours", lines).map_err(|refusal| refusal.to_string());
        assert!(new(vec![line(LINE_BYTES)]).is_ok());
        assert_eq!(
            new(vec![line(LINE_BYTES + 1)]),
            Err("line 2: 16385 bytes in one line; the limit is 16384".into())
        );
        let tabs = format!("dictionary\tlong\tours\n{}\n", "\t".repeat(LINE_BYTES + 1));
        let refusal = Module::from_text(&tabs).expect_err("it is too long");
        assert_eq!(refusal.fault, Fault::LongLine(16385));
        // The header and its newline leave room for so many whole lines and a rest.
        let room = MODULE_BYTES - "dictionary\tlong\tours\n".len();
        let (whole, rest) = (room / (LINE_BYTES + 1), room % (LINE_BYTES + 1));
        let lines = |rest: usize| {
            let mut lines = vec![line(LINE_BYTES); whole];
            lines.push(line(rest - 1));
            lines
        };
        let full = new(lines(rest)).expect("it just fits").to_text();
        assert_eq!(full.len(), MODULE_BYTES);
        assert!(Module::from_text(&full).is_ok());
        let beyond = Module::from_text(&(full + "note\tx\nnote\tx\n"));
        let refusal = beyond.expect_err("it is too long");
        assert_eq!((refusal.line, refusal.fault), (whole + 3, Fault::LongText));
        assert_eq!(
            new(lines(rest + 1)),
            Err(format!(
                "line {}: more than 16777216 bytes; make two modules of it",
                whole + 2
            ))
        );
    }
}
