//! Dictionary modules: plain texts that say what is a kind of what, what is another
//! name for what, and what is a part of what; the store that holds the loaded ones
//! and their licences; and where a work that is derived from them may be written.
//! What a reader or a student makes of the words is theirs.
//!
//! # A module
//!
//! Fields are separated by one tab (shown as blanks here), and every line ends with a
//! newline:
//!
//! ```text
//! dictionary  garden  CC-BY-4.0
//! note        From the garden book, with thanks to its author.
//! isa         rose    flower
//! alias       bloom   flower
//! part        petal   flower   page 7
//! ```
//!
//! The first line has the module's name and its licence. Then `isa`: a rose is a
//! flower. `alias`: bloom is another name for flower. `part`: a petal is a part of a
//! flower. These three may have one more field that says where the line is from.
//! `note` has any text.
//!
//! A field is not empty, has no white space at its ends and no control character.
//! Words count as they are written. A module says nothing twice and relates no word
//! to itself. An alias has one name, and that is no alias in turn.
//!
//! The licence is `ours`, one identifier such as `CC-BY-SA-4.0`, or what
//! [`derived_header`] gives. Reading and writing lose nothing: a module's text is
//! equal to the text that it was read from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;

mod licence;
mod module;

use licence::DERIVED;

pub use licence::{
    BUILT_IN_FILES, Barrier, Guarded, NAME_BYTES, OURS, Terms, guard_derived_write, terms,
};
pub use module::{Fault, LINE_BYTES, Line, MODULE_BYTES, Module, Refusal, Relation};

/// A store has no more modules than this.
pub const MODULES: usize = 64;
/// The ending of the files that are loaded from a folder.
pub const EXTENSION: &str = "dict";

const BASICS: &str = include_str!("../data/basics.dict");

/// Why a module can't be taken into a store.
#[derive(Debug, Error)]
pub enum Error {
    /// A text is no module.
    #[error("{place}, {refusal}")]
    Text {
        /// Which text, as the caller or the folder names it.
        place: String,
        /// What is wrong.
        refusal: Refusal,
    },
    /// A folder or file can't be read.
    #[error("{path:?} can't be read: {reason}; check the path and its permissions")]
    File {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// A name is taken.
    #[error("a module {0:?} is loaded already; load it once, or give one of the two another name")]
    SameName(String),
    /// There are too many modules.
    #[error("more than {MODULES} modules; join some of them")]
    TooMany,
    /// Modules don't agree about an alias.
    #[error(
        "the modules {loaded:?} and {new:?} don't agree about {word:?}: {reason}; change or leave out one of them"
    )]
    Alias {
        /// The word.
        word: String,
        /// The module that is loaded.
        loaded: String,
        /// The module that is refused.
        new: String,
        /// Two names, or a name that is an alias.
        reason: &'static str,
    },
}

/// For a word those that are related to it.
type Index = BTreeMap<String, BTreeSet<String>>;

/// The loaded modules, in the order of their names, and what they say together.
///
/// A look-up takes a word as it is written: where aliases should count, ask for the
/// [`canonical`](Self::canonical) name first. Lines that several modules have in
/// common are allowed and count once. Kinds may run in a circle; a caller that
/// climbs must remember where it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Store {
    modules: BTreeMap<String, Module>,
    parents: Index,
    parts: Index,
    aliases: BTreeMap<String, String>,
    /// The names that have aliases.
    names: BTreeSet<String>,
}

impl Store {
    /// A store without modules.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The built-in modules: everyday words, licence `ours`.
    #[must_use]
    pub fn builtin() -> Self {
        let mut store = Self::new();
        store
            .add_text("the built-in module", BASICS)
            .expect("the built-in text is a module; a test of this crate loads it");
        store
    }

    /// Takes a module in.
    ///
    /// Fails where there are too many, where the name is taken, and at the first alias
    /// that has another name or a chain with those that are loaded; the store is then
    /// as before.
    pub fn insert(&mut self, module: Module) -> Result<(), Error> {
        if self.modules.contains_key(module.name()) {
            return Err(Error::SameName(module.name().to_owned()));
        }
        if self.modules.len() == MODULES {
            return Err(Error::TooMany);
        }
        for (relation, alias, name) in module.facts() {
            if relation != Relation::Alias {
                continue;
            }
            if self.canonical(alias).is_some_and(|known| known != name) {
                return Err(self.disagreement(alias, &module, "an alias with two names"));
            }
            let chain = "an alias in one of them, and the name of an alias in the other";
            if self.names.contains(alias) {
                return Err(self.disagreement(alias, &module, chain));
            }
            if self.aliases.contains_key(name) {
                return Err(self.disagreement(name, &module, chain));
            }
        }
        for (relation, word, of) in module.facts() {
            let (word, of) = (word.to_owned(), of.to_owned());
            match relation {
                Relation::IsA => _ = self.parents.entry(word).or_default().insert(of),
                Relation::Part => _ = self.parts.entry(of).or_default().insert(word),
                Relation::Alias => {
                    self.names.insert(of.clone());
                    self.aliases.insert(word, of);
                }
            }
        }
        self.modules.insert(module.name().to_owned(), module);
        Ok(())
    }

    /// The error that names the first loaded module in which `word` is an alias or has one.
    fn disagreement(&self, word: &str, new: &Module, reason: &'static str) -> Error {
        let speaks = |module: &&Module| {
            module.facts().any(|(relation, alias, name)| {
                relation == Relation::Alias && (alias == word || name == word)
            })
        };
        let loaded = self.modules().find(speaks).map_or("", Module::name);
        Error::Alias {
            word: word.to_owned(),
            loaded: loaded.to_owned(),
            new: new.name().to_owned(),
            reason,
        }
    }

    /// Reads a text and takes the module in; `place` is what an error calls the text.
    pub fn add_text(&mut self, place: &str, text: &str) -> Result<(), Error> {
        let module = Module::from_text(text).map_err(|refusal| Error::Text {
            place: place.to_owned(),
            refusal,
        })?;
        self.insert(module)
    }

    /// Takes in every file of a folder whose name ends in [`EXTENSION`], in the order
    /// of their names; other files and deeper folders are left alone.
    ///
    /// Fails at the first that is no readable module; the store is then as before.
    pub fn add_folder(&mut self, folder: &Path) -> Result<(), Error> {
        let failed = |path: &Path, reason| Error::File {
            path: path.to_owned(),
            reason,
        };
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(|error| failed(folder, error))? {
            let path = entry.map_err(|error| failed(folder, error))?.path();
            if path.extension().is_some_and(|it| it == EXTENSION) {
                paths.push(path);
            }
            if paths.len() > MODULES {
                return Err(Error::TooMany);
            }
        }
        paths.sort();
        let mut store = self.clone();
        for path in paths {
            let text = read(&path).map_err(|error| failed(&path, error))?;
            let place = path.display().to_string().escape_debug().to_string();
            store.add_text(&place, &text)?;
        }
        *self = store;
        Ok(())
    }

    /// The modules, in the order of their names.
    pub fn modules(&self) -> impl Iterator<Item = &Module> {
        self.modules.values()
    }

    /// What a word is a kind of, by the lines alone and one step, in order.
    pub fn parents(&self, word: &str) -> impl Iterator<Item = &str> {
        related(&self.parents, word)
    }

    /// The parts of a whole, by the lines alone and one step, in order.
    pub fn parts(&self, whole: &str) -> impl Iterator<Item = &str> {
        related(&self.parts, whole)
    }

    /// The name that an alias stands for; nothing where the word is no alias.
    #[must_use]
    pub fn canonical(&self, word: &str) -> Option<&str> {
        self.aliases.get(word).map(String::as_str)
    }

    /// SHA-256 over the texts of all modules in the order of their names, each with its
    /// length in bytes before it, in hexadecimal digits.
    ///
    /// The order of loading does not count. Every byte of a module does.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        for module in self.modules() {
            let text = module.to_text();
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
        let digest = hash.finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The marks that a work carries which is derived from the loaded modules: the
    /// licences that are not plain, each once, sorted, with blanks between. Empty
    /// where there is none.
    #[must_use]
    pub fn licence(&self) -> String {
        let marks: BTreeSet<&str> = self.modules().flat_map(Module::marks).collect();
        marks.into_iter().collect::<Vec<_>>().join(" ")
    }
}

fn related<'s>(index: &'s Index, word: &str) -> impl Iterator<Item = &'s str> {
    index.get(word).into_iter().flatten().map(String::as_str)
}

/// The text of a regular file that is not too long for a module.
fn read(path: &Path) -> io::Result<String> {
    let what = fs::metadata(path)?;
    if !what.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    if what.len() > MODULE_BYTES as u64 {
        let words = format!("it has more than {MODULE_BYTES} bytes");
        return Err(io::Error::other(words));
    }
    let mut text = String::new();
    let limit = MODULE_BYTES as u64 + 1;
    File::open(path)?.take(limit).read_to_string(&mut text)?;
    Ok(text)
}

/// The licence of a work that is derived from `modules`: `ours` where all their
/// licences are plain, else the modules with others, each with its marks.
///
/// A module may have this licence, and then carries all the marks again. It fits into
/// a module's first line where no licence has very many origins itself; otherwise
/// [`Module::new`] refuses it.
#[must_use]
pub fn derived_header<'m>(modules: impl IntoIterator<Item = &'m Module>) -> String {
    let entries: BTreeMap<&str, BTreeSet<&str>> = modules
        .into_iter()
        .map(|module| (module.name(), module.marks()))
        .filter(|(_, marks)| !marks.is_empty())
        .collect();
    if entries.is_empty() {
        return OURS.to_owned();
    }
    let entries: Vec<String> = entries
        .into_iter()
        .map(|(name, marks)| {
            let marks: Vec<&str> = marks.into_iter().collect();
            format!("{name} ({})", marks.join(" "))
        })
        .collect();
    format!("{DERIVED}{}", entries.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(texts: &[&str]) -> Result<Store, Error> {
        let mut store = Store::new();
        for text in texts {
            store.add_text("a text", text)?;
        }
        Ok(store)
    }

    fn told(texts: &[&str]) -> String {
        store(texts).expect_err("it is refused").to_string()
    }

    const ALPHA: &str = "dictionary\talpha\tours\nisa\trose\tflower\nalias\tbloom\tflower\n";
    const BETA: &str = "dictionary\tbeta\tCC-BY-SA-4.0\nisa\trose\tplant\npart\tpetal\trose\n";

    #[test]
    fn the_built_in_module_is_ours_and_answers() {
        let store = Store::builtin();
        assert_eq!(store.licence(), "");
        assert_eq!(derived_header(store.modules()), "ours");
        assert_eq!(store.parents("dog").collect::<Vec<_>>(), ["animal"]);
        assert_eq!(store.canonical("bike"), Some("bicycle"));
        assert_eq!(store.canonical("bicycle"), None);
        let parts: Vec<&str> = store.parts("bicycle").collect();
        assert_eq!(parts, ["pedal", "wheel"]);
        // Every built-in file is in the list that the guard goes by.
        assert_eq!(BUILT_IN_FILES, ["basics.dict"]);
        let module = Module::from_text(BASICS).expect("it is a module");
        assert_eq!(module.to_text(), BASICS);
    }

    #[test]
    fn look_ups_join_the_modules_and_follow_nothing() {
        let store = store(&[BETA, ALPHA]).expect("they agree");
        let names: Vec<&str> = store.modules().map(Module::name).collect();
        assert_eq!(names, ["alpha", "beta"]);
        assert_eq!(
            store.parents("rose").collect::<Vec<_>>(),
            ["flower", "plant"]
        );
        assert_eq!(store.parents("bloom").count(), 0);
        assert_eq!(store.parts("rose").collect::<Vec<_>>(), ["petal"]);
        assert_eq!(store.licence(), "CC-BY-SA-4.0");
    }

    #[test]
    fn a_fingerprint_is_the_digest_of_lengths_and_texts() {
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Store::new().fingerprint(), nothing);
        // From another program, over the texts written out with their lengths.
        let both = "7ff44547115f8d5e72a8cdd4d10d6192594cd2f8b4eb83669eda622c57bcac70";
        for order in [[ALPHA, BETA], [BETA, ALPHA]] {
            let store = store(&order).expect("they agree");
            assert_eq!(store.fingerprint(), both);
        }
    }

    #[test]
    fn modules_that_do_not_go_together_are_refused_with_both_names() {
        assert_eq!(
            told(&[ALPHA, ALPHA]),
            r#"a module "alpha" is loaded already; load it once, or give one of the two another name"#
        );
        let other = "dictionary\tgamma\tours\nalias\tbloom\tblossom\n";
        assert_eq!(
            told(&[ALPHA, other]),
            "the modules \"alpha\" and \"gamma\" don't agree about \"bloom\": \
             an alias with two names; change or leave out one of them"
        );
        let chain = "an alias in one of them, and the name of an alias in the other";
        let before = "dictionary\tgamma\tours\nalias\tflower\tplant\n";
        let behind = "dictionary\tgamma\tours\nalias\tblossom\tbloom\n";
        assert!(told(&[ALPHA, before]).contains(&format!("\"flower\": {chain}")));
        assert!(told(&[ALPHA, behind]).contains(&format!("\"bloom\": {chain}")));
        assert_eq!(
            told(&["dictionary\tx\tours\nisa\ta\n"]),
            "a text, line 2: 2 fields; write isa, alias or part, two words and at most one \
             source, or note and a text, with tabs between"
        );
        let many: Vec<String> = (0..=MODULES)
            .map(|number| format!("dictionary\t{number}\tours\n"))
            .collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(told(&many), "more than 64 modules; join some of them");
        assert!(store(&many[1..]).is_ok());
    }

    #[test]
    fn a_refused_module_leaves_the_store_as_it_was() {
        let mut store = store(&[ALPHA]).expect("one module");
        let before = store.clone();
        let mixed = "dictionary\tgamma\tours\nisa\ta\tb\nalias\tbloom\tblossom\n";
        assert!(store.add_text("a text", mixed).is_err());
        assert_eq!(store, before);
    }

    #[test]
    fn a_folder_gives_its_modules_or_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, text: &[u8]| {
            fs::write(folder.path().join(name), text).expect("a file can be written");
        };
        file("one.dict", ALPHA.as_bytes());
        file("two.dict", BETA.as_bytes());
        file("notes.txt", b"no module");
        let mut loaded = Store::new();
        loaded.add_folder(folder.path()).expect("two modules");
        let given = store(&[BETA, ALPHA]).expect("they agree");
        assert_eq!(loaded, given);

        let refused = |name: &str| {
            let mut empty = Store::new();
            let error = empty.add_folder(folder.path()).expect_err("it is refused");
            assert_eq!(empty, Store::new());
            let words = error.to_string();
            assert!(words.contains(name), "{words}");
            words
        };
        file("three.dict", b"dictionary\tx\tours\n\n");
        assert!(refused("three.dict").contains("line 2: no line begins with \"\""));
        file("three.dict", b"dictionary\tx\tours\nnote\t\xff\n");
        assert!(refused("three.dict").contains("UTF-8"));
        let long = File::create(folder.path().join("three.dict")).expect("a file");
        long.set_len(MODULE_BYTES as u64 + 1).expect("a long file");
        assert!(refused("three.dict").contains("more than 16777216 bytes"));
        fs::remove_file(folder.path().join("three.dict")).expect("it is there");
        fs::create_dir(folder.path().join("four.dict")).expect("a folder");
        assert!(refused("four.dict").contains("no regular file"));
        assert!(
            Store::new()
                .add_folder(&folder.path().join("none"))
                .is_err()
        );
    }

    #[test]
    fn a_derived_work_names_modules_and_marks_and_can_be_loaded_again() {
        let gpl = "dictionary\taardvark\tGPL-3.0-only\n";
        let loaded = store(&[ALPHA, BETA, gpl]).expect("they agree");
        let header = derived_header(loaded.modules());
        assert_eq!(
            header,
            "derived from aardvark (GPL-3.0-only), beta (CC-BY-SA-4.0)"
        );
        let layer = Module::new("layer", &header, Vec::new()).expect("a module");
        let again = store(&[&layer.to_text()]).expect("it can be loaded");
        assert_eq!(again.licence(), loaded.licence());
        assert_eq!(
            derived_header(again.modules()),
            "derived from layer (CC-BY-SA-4.0 GPL-3.0-only)"
        );
    }
}
