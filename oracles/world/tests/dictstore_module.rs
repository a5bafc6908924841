//! Oracles of one dictionary module: which first line, which other line and which
//! run of lines it may have, and which fault is told.

use obernant::{Record, Sequences, Table};
use world::dictstore::{Fault, Module};

/// What reading a text gives, compared with its own text and with the module of its
/// lines.
fn read(text: &str) -> Result<&'static str, (usize, Fault)> {
    let module = Module::from_text(text).map_err(|refusal| (refusal.line, refusal.fault))?;
    let again = Module::new(module.name(), module.licence(), module.lines().to_vec());
    if module.to_text() == text && again.as_ref() == Ok(&module) {
        Ok("a module")
    } else {
        Ok("read as something else")
    }
}

/// Exactly the texts of `rule` are read, and written as they were.
fn accepted(
    record: &mut Record,
    universe: &Sequences,
    text: impl Fn(&[usize]) -> String + Copy,
    rule: impl Fn(&[usize]) -> bool + Copy,
) {
    let mut table = Table::new("the reader of modules", universe, text, |_, text| {
        read(text).unwrap_or("refused").to_owned()
    });
    record.acceptance(
        &mut table,
        &["a module"],
        &["refused"],
        |case| rule(case).then_some(0),
        |case| {
            let verb = if rule(case) {
                "be read, and written as it was"
            } else {
                "be refused"
            };
            format!("the text {:?} must {verb}", text(case))
        },
    );
}

#[test]
fn a_first_line_has_the_word_a_name_and_a_licence() {
    let mut record = Record::start("a_first_line_has_the_word_a_name_and_a_licence");
    let length = record.bound("length", 6);
    let pieces = ["dictionary", "\t", "a", "ours", "-", "\n"];
    let universe = Sequences::new(
        pieces.map(|piece| format!("<{}>", piece.escape_debug())),
        length,
    );
    let text = |case: &[usize]| -> String { case.iter().map(|&at| pieces[at]).collect() };
    // With so few pieces a name and a licence are what does not begin with the hyphen,
    // and after the first line nothing is left room for.
    let rule = |case: &[usize]| {
        let text = text(case);
        let fields: Vec<&str> = text.trim_end_matches('\n').split('\t').collect();
        let names = fields.len() == 3
            && fields[1..]
                .iter()
                .all(|it| !it.is_empty() && !it.starts_with('-'));
        fields[0] == "dictionary"
            && names
            && text.ends_with('\n')
            && text.matches('\n').count() == 1
    };
    accepted(&mut record, &universe, text, rule);
    record.finish();
}

#[test]
fn a_line_has_a_known_beginning_and_well_formed_fields() {
    let mut record = Record::start("a_line_has_a_known_beginning_and_well_formed_fields");
    let length = record.bound("fields", 5);
    let fields = ["isa", "note", "", "a", "b c", " a", "a\u{a0}", "a\u{7f}"];
    let universe = Sequences::new(
        fields.map(|field| format!("<{}>", field.escape_debug())),
        length,
    );
    let words = |case: &[usize]| -> Vec<&str> { case.iter().map(|&at| fields[at]).collect() };
    let text = |case: &[usize]| format!("dictionary\ta\tours\n{}\n", words(case).join("\t"));
    let well_formed = ["isa", "note", "a", "b c"];
    let rule = |case: &[usize]| {
        let words = words(case);
        words.iter().all(|word| well_formed.contains(word))
            && match words[..] {
                ["note", _] => true,
                ["isa", word, of] | ["isa", word, of, _] => word != of,
                _ => false,
            }
    };
    accepted(&mut record, &universe, text, rule);
    record.finish();
}

/// What a line is: related words, words for people, or faulty by itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Is {
    Fact(&'static str, &'static str, &'static str),
    Note,
    Faulty(&'static str),
}

const LINES: [(&str, Is); 13] = [
    ("isa\ta\tb", Is::Fact("isa", "a", "b")),
    ("isa\ta\tb\tpage 1", Is::Fact("isa", "a", "b")),
    ("isa\tb\ta", Is::Fact("isa", "b", "a")),
    ("part\ta\tb", Is::Fact("part", "a", "b")),
    ("alias\ta\tb", Is::Fact("alias", "a", "b")),
    ("alias\ta\tc", Is::Fact("alias", "a", "c")),
    ("alias\tb\tc", Is::Fact("alias", "b", "c")),
    ("alias\tc\ta", Is::Fact("alias", "c", "a")),
    ("note\ta", Is::Note),
    ("", Is::Faulty("unknown beginning")),
    ("isa\ta", Is::Faulty("number of fields")),
    ("isa\ta\t", Is::Faulty("form of a field")),
    ("part\ta\ta", Is::Faulty("a word of itself")),
];

/// The gates of a run of lines, the first one being line 2: for each line its own
/// fault, then what the lines before say.
fn gates(case: &[usize]) -> Vec<(String, bool)> {
    let lines: Vec<Is> = case.iter().map(|&at| LINES[at].1).collect();
    let mut gates = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let number = at + 2;
        if let Is::Faulty(fault) = line {
            gates.push((format!("{fault} in line {number}"), true));
        }
        let Is::Fact(relation, word, of) = *line else {
            continue;
        };
        let earliest =
            |which: &dyn Fn(&Is) -> bool| lines[..at].iter().position(which).map(|at| at + 2);
        let alias = |test: &dyn Fn(&str, &str) -> bool| {
            let fits = |is: &Is| matches!(is, Is::Fact("alias", alias, name) if test(alias, name));
            earliest(&fits).filter(|_| relation == "alias")
        };
        let mut gate = |fault: &str, found: Option<usize>| {
            let before = found.map_or(String::new(), |line| format!(", as line {line}"));
            gates.push((format!("{fault} in line {number}{before}"), found.is_some()));
        };
        gate(
            "the same",
            earliest(&|is| *is == Is::Fact(relation, word, of)),
        );
        gate("another name", alias(&|alias, _| alias == word));
        gate(
            &format!("a chain at {word}"),
            alias(&|_, name| name == word),
        );
        gate(&format!("a chain at {of}"), alias(&|alias, _| alias == of));
    }
    gates
}

#[test]
fn the_first_faulty_line_decides() {
    let mut record = Record::start("the_first_faulty_line_decides");
    let length = record.bound("lines", 4);
    let universe = Sequences::new(
        LINES.map(|(text, _)| format!("<{}>", text.replace('\t', " "))),
        length,
    );
    let mut table = Table::new(
        "the reader of modules",
        &universe,
        |case| {
            let lines: String = case
                .iter()
                .map(|&at| format!("{}\n", LINES[at].0))
                .collect();
            format!("dictionary\ta\tours\n{lines}")
        },
        |_, text| {
            let (line, fault) = match read(text) {
                Ok(read) => return read.to_owned(),
                Err(refused) => refused,
            };
            match fault {
                Fault::Kind(_) => format!("unknown beginning in line {line}"),
                Fault::Fields(_) => format!("number of fields in line {line}"),
                Fault::Field(_) => format!("form of a field in line {line}"),
                Fault::Itself(_) => format!("a word of itself in line {line}"),
                Fault::Again(before) => format!("the same in line {line}, as line {before}"),
                Fault::TwoNames { line: before, .. } => {
                    format!("another name in line {line}, as line {before}")
                }
                Fault::Chain { word, line: before } => {
                    format!("a chain at {word} in line {line}, as line {before}")
                }
                other => format!("another fault: {other}"),
            }
        },
    );
    record.gates(&mut table, "a module", gates);
    record.finish();
}
