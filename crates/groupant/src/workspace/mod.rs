//! The tree under audit: its root, its configuration, which sources exist, and
//! the only way to read and write files in it. Sole user of `cargo_metadata`
//! and `walkdir`.

mod dependencies;

pub use dependencies::Dependencies;

use crate::json::sha256;
use crate::oracle::level::Level;
use crate::source::{Source, SourceError, TOKENS_VERSION};
use cargo_metadata::{Metadata, MetadataCommand, Package};
use globset::{Glob, GlobSet, GlobSetBuilder};
use serde::Deserialize;
use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The largest file that is read, in bytes. Larger ones are an error, so that
/// hostile input can't fill the memory.
pub const MAX_FILE: u64 = 64 << 20;

/// The prefix of temporary files; one that stays behind tells of an interrupted run.
pub const TEMPORARY: &str = ".groupant-";

/// `[workspace.metadata.groupant]` (or `[package.metadata.groupant]` of a single package).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Globs of the sources that must be covered by a sidecar.
    #[serde(default)]
    pub subjects: Vec<String>,
    /// Sources that match and need none, each with its reason.
    #[serde(default)]
    pub exempt: Vec<Exempt>,
    /// The level that every model must have, if one is required.
    pub require: Option<Level>,
    /// Whether every model must be sensitive.
    #[serde(default)]
    pub sensitive: bool,
    /// How long one run of one test may take, in seconds; 120 where it is not said.
    pub test_seconds: Option<NonZeroU64>,
}

/// One exemption.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exempt {
    /// The source.
    pub path: String,
    /// Why it needs no sidecar.
    pub reason: String,
}

/// The reason of a path that a symbolic link or `..` leads elsewhere.
const OUTSIDE: &str = "leads out of the root";

/// Why the workspace could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// Cargo could not be started.
    #[error("cargo could not be started: {0}")]
    Cargo(String),
    /// `cargo metadata` failed.
    #[error("cargo metadata failed: {0}")]
    Metadata(String),
    /// The configuration is wrong.
    #[error("[workspace.metadata.groupant] in Cargo.toml: {0}")]
    Config(String),
    /// A file could not be read or written.
    #[error("{path}: {reason}")]
    File {
        /// Relative to the root.
        path: String,
        /// Why.
        reason: String,
    },
}

impl WorkspaceError {
    /// Whether it is about a path that leads out of the root.
    #[must_use]
    pub fn is_outside(&self) -> bool {
        matches!(self, Self::File { reason, .. } if reason == OUTSIDE)
    }
}

/// A source with its bytes, parsed or not.
#[derive(Debug)]
pub struct Parsed {
    /// Relative to the root.
    pub file: String,
    /// SHA-256 of the bytes.
    pub sha256: String,
    /// The text; lossy where the bytes are not UTF-8.
    pub text: String,
    /// Whether the bytes contain CRLF line ends.
    pub crlf: bool,
    /// The items, or why there are none.
    pub source: Result<Source, SourceError>,
}

/// The tree under audit.
pub struct Workspace {
    /// Absolute path of the workspace root.
    pub root: PathBuf,
    /// Absolute path of this tool's own folder under the target directory.
    pub state: PathBuf,
    /// What Cargo says.
    pub metadata: Metadata,
    /// How a person calls this tool, for help lines: `cargo xtask` or `cargo groupant`.
    pub command: String,
    /// The configuration; `None` where there is no table.
    pub config: Option<Config>,
    /// Whether nothing of an earlier run is re-used.
    pub fresh: bool,
    subjects: GlobSet,
    sources: Mutex<HashMap<String, Arc<Parsed>>>,
}

impl Workspace {
    /// Opens the workspace that the folder belongs to.
    ///
    /// # Errors
    ///
    /// Where Cargo finds no workspace there, or the configuration is wrong.
    pub fn open(folder: &Path, command: &str) -> Result<Self, WorkspaceError> {
        let metadata = MetadataCommand::new()
            .current_dir(folder)
            .exec()
            .map_err(|error| match error {
                cargo_metadata::Error::Io(error) => WorkspaceError::Cargo(error.to_string()),
                error => WorkspaceError::Metadata(one_line(&error.to_string())),
            })?;
        let root = metadata.workspace_root.clone().into_std_path_buf();
        let state = metadata.target_directory.as_std_path().join("groupant");
        let table = metadata
            .workspace_metadata
            .get("groupant")
            .cloned()
            .or_else(|| {
                metadata
                    .root_package()
                    .and_then(|package| package.metadata.get("groupant").cloned())
            });
        let config = match table {
            None => None,
            Some(table) => Some(
                serde_json::from_value::<Config>(table)
                    .map_err(|error| WorkspaceError::Config(error.to_string()))?,
            ),
        };
        let mut subjects = GlobSetBuilder::new();
        for pattern in config.iter().flat_map(|config| &config.subjects) {
            let glob = Glob::new(pattern)
                .map_err(|error| WorkspaceError::Config(format!("subjects: {error}")))?;
            subjects.add(glob);
        }
        let subjects = subjects
            .build()
            .map_err(|error| WorkspaceError::Config(format!("subjects: {error}")))?;
        for exempt in config.iter().flat_map(|config| &config.exempt) {
            check_relative(&exempt.path).map_err(|reason| {
                WorkspaceError::Config(format!("exempt: {}: {reason}", exempt.path))
            })?;
            if exempt.reason.trim().is_empty() {
                return Err(WorkspaceError::Config(format!(
                    "exempt: {}: a reason is needed",
                    exempt.path
                )));
            }
        }
        Ok(Self {
            root,
            state,
            metadata,
            command: command.to_owned(),
            config,
            fresh: false,
            subjects,
            sources: Mutex::default(),
        })
    }

    /// The sources that must be covered (and those exempted), sorted.
    #[must_use]
    pub fn subjects(&self) -> Vec<String> {
        self.files("", |file| {
            Path::new(file).extension().is_some_and(|end| end == "rs")
                && self.subjects.is_match(file)
        })
    }

    /// All Rust sources of the tree, sorted.
    #[must_use]
    pub fn rust_files(&self) -> Vec<String> {
        self.files("", |file| {
            Path::new(file).extension().is_some_and(|end| end == "rs")
        })
    }

    /// Files under a folder of the tree that a filter takes, sorted, relative to
    /// the root. The target directory, every other folder that is marked as a
    /// cache (`CACHEDIR.TAG`), `.git` and symbolic links are passed over.
    #[must_use]
    pub fn files(&self, under: &str, mut take: impl FnMut(&str) -> bool) -> Vec<String> {
        let target = self.metadata.target_directory.as_std_path();
        let mut found: Vec<String> = walkdir::WalkDir::new(self.root.join(under))
            .into_iter()
            .filter_entry(|entry| {
                let name = entry.file_name().to_string_lossy();
                entry.depth() == 0
                    || !(entry.file_type().is_dir()
                        && (entry.path() == target
                            || name == ".git"
                            || entry.path().join("CACHEDIR.TAG").exists()))
            })
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_file())
            .filter_map(|entry| self.relative(entry.path()))
            .filter(|file| take(file))
            .collect();
        found.sort();
        found
    }

    /// A path relative to the root, with `/`; `None` where it lies outside.
    #[must_use]
    pub fn relative(&self, path: &Path) -> Option<String> {
        let path = path.strip_prefix(&self.root).ok()?;
        let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
        Some(parts?.join("/"))
    }

    /// Whether a relative path names something in the tree.
    #[must_use]
    pub fn exists(&self, file: &str) -> bool {
        check_relative(file).is_ok() && self.root.join(file).exists()
    }

    /// Reads a file of the tree.
    ///
    /// # Errors
    ///
    /// Where the path is not relative and normalised, leads out of the root
    /// through a symbolic link, is no regular file or is too large.
    pub fn read(&self, file: &str) -> Result<Vec<u8>, WorkspaceError> {
        let fail = |reason: String| WorkspaceError::File {
            path: file.to_owned(),
            reason,
        };
        check_relative(file).map_err(|reason| fail(reason.to_owned()))?;
        let path = self.root.join(file);
        let real = path
            .canonicalize()
            .map_err(|error| fail(error.to_string()))?;
        let root = self
            .root
            .canonicalize()
            .map_err(|error| fail(error.to_string()))?;
        if !real.starts_with(&root) {
            return Err(fail(OUTSIDE.to_owned()));
        }
        let meta = fs::metadata(&real).map_err(|error| fail(error.to_string()))?;
        if !meta.is_file() {
            return Err(fail("not a regular file".to_owned()));
        }
        if meta.len() > MAX_FILE {
            return Err(fail(format!("larger than {MAX_FILE} bytes")));
        }
        fs::read(&real).map_err(|error| fail(error.to_string()))
    }

    /// Reads a UTF-8 file of the tree.
    ///
    /// # Errors
    ///
    /// As [`Workspace::read`], and where the bytes are not UTF-8.
    pub fn read_text(&self, file: &str) -> Result<String, WorkspaceError> {
        String::from_utf8(self.read(file)?).map_err(|error| WorkspaceError::File {
            path: file.to_owned(),
            reason: format!("not UTF-8: {error}"),
        })
    }

    /// Writes a file of the tree atomically, and only where its bytes differ.
    /// Gives whether it was written.
    ///
    /// # Errors
    ///
    /// Where the file system refuses.
    pub fn write(&self, file: &str, bytes: &[u8]) -> Result<bool, WorkspaceError> {
        let path = self.inside(file)?;
        write_atomically(&path, bytes).map_err(|error| WorkspaceError::File {
            path: file.to_owned(),
            reason: error.to_string(),
        })
    }

    /// The absolute path of a file that is to be written or removed. No symbolic
    /// link on the way to it leads out of the root.
    fn inside(&self, file: &str) -> Result<PathBuf, WorkspaceError> {
        let fail = |reason: String| WorkspaceError::File {
            path: file.to_owned(),
            reason,
        };
        check_relative(file).map_err(|reason| fail(reason.to_owned()))?;
        let path = self.root.join(file);
        let root = self
            .root
            .canonicalize()
            .map_err(|error| fail(error.to_string()))?;
        // The nearest folder that is there decides; the others are made below it.
        let folder = path
            .ancestors()
            .skip(1)
            .find_map(|folder| folder.canonicalize().ok());
        if folder.is_some_and(|folder| folder.starts_with(&root)) {
            Ok(path)
        } else {
            Err(fail(OUTSIDE.to_owned()))
        }
    }

    /// Removes a file of the tree; folders that become empty go too.
    ///
    /// # Errors
    ///
    /// Where the file system refuses.
    pub fn remove(&self, file: &str) -> Result<(), WorkspaceError> {
        let path = self.inside(file)?;
        fs::remove_file(&path).map_err(|error| WorkspaceError::File {
            path: file.to_owned(),
            reason: error.to_string(),
        })?;
        let mut folder = path.parent();
        while let Some(parent) = folder.filter(|parent| *parent != self.root) {
            if fs::remove_dir(parent).is_err() {
                break;
            }
            folder = parent.parent();
        }
        Ok(())
    }

    /// A source, parsed at most once per content: unless everything is to be
    /// fresh, the result of an earlier run is taken by the digest of the bytes.
    ///
    /// # Errors
    ///
    /// Where the file can't be read. A source that does not parse is a value.
    pub fn source(&self, file: &str) -> Result<Arc<Parsed>, WorkspaceError> {
        if let Some(parsed) = self
            .sources
            .lock()
            .ok()
            .and_then(|map| map.get(file).cloned())
        {
            return Ok(parsed);
        }
        let bytes = self.read(file)?;
        let digest = sha256(&bytes);
        let version = TOKENS_VERSION.replace('/', "-");
        let cache = self.state.join(format!(
            "cache/syntax/{version}-{}/{digest}.json",
            env!("CARGO_PKG_VERSION")
        ));
        let cached = (!self.fresh)
            .then(|| fs::read(&cache).ok())
            .flatten()
            .and_then(|bytes| serde_json::from_slice::<Source>(&bytes).ok());
        let source = if let Some(source) = cached {
            Ok(source)
        } else {
            let source = Source::parse(&bytes);
            if let Ok(source) = &source
                && let Ok(text) = serde_json::to_vec(source)
            {
                // The cache only saves time: a run that can't write it is still right.
                let _ = write_atomically(&cache, &text);
            }
            source
        };
        let parsed = Arc::new(Parsed {
            file: file.to_owned(),
            sha256: digest,
            crlf: bytes.windows(2).any(|pair| pair == b"\r\n"),
            text: String::from_utf8_lossy(&bytes).into_owned(),
            source,
        });
        if let Ok(mut map) = self.sources.lock() {
            map.insert(file.to_owned(), Arc::clone(&parsed));
        }
        Ok(parsed)
    }

    /// Where a text stands in the configuration, in the root `Cargo.toml`.
    #[must_use]
    pub fn configured(&self, text: &str) -> Option<Range<usize>> {
        let manifest = self.read_text("Cargo.toml").ok()?;
        let table = manifest.find("metadata.groupant")?;
        let start = table + manifest[table..].find(text)?;
        Some(start..start + text.len())
    }

    /// A package of the workspace by name.
    #[must_use]
    pub fn package(&self, name: &str) -> Option<&Package> {
        self.metadata
            .workspace_packages()
            .into_iter()
            .find(|package| package.name.as_str() == name)
    }

    /// The folder of a package relative to the root.
    #[must_use]
    pub fn package_folder(&self, package: &Package) -> String {
        package
            .manifest_path
            .parent()
            .and_then(|folder| self.relative(folder.as_std_path()))
            .unwrap_or_default()
    }
}

/// Whether a path is relative, normalised and stays inside.
///
/// # Errors
///
/// What is wrong with it.
pub fn check_relative(path: &str) -> Result<(), &'static str> {
    if path.is_empty() {
        Err("an empty path")
    } else if path.starts_with('/') || path.contains(':') {
        Err("not relative to the root")
    } else if path.contains('\\') || path.chars().any(char::is_control) {
        Err("a path is written with `/` and without control characters")
    } else if path.split('/').any(|part| part == "..") {
        Err(OUTSIDE)
    } else if path.split('/').any(|part| part.is_empty() || part == ".") {
        Err("not normalised")
    } else {
        Ok(())
    }
}

/// Writes through a temporary file in the same folder, flushed and renamed.
/// Gives whether anything was written.
///
/// # Errors
///
/// Where the file system refuses.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<bool> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(false);
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new()
        .prefix(TEMPORARY)
        .tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    // A temporary file is private; what is written here belongs to the tree.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(path).map_or(0o644, |meta| meta.permissions().mode());
        file.as_file()
            .set_permissions(fs::Permissions::from_mode(mode))?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(true)
}

/// The text on one line, for messages.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_relative_normalised_paths_inside_are_taken() {
        for good in ["a", "a/b.rs", ".cargo/config.toml", "a..b/c"] {
            assert_eq!(check_relative(good), Ok(()), "{good}");
        }
        for bad in [
            "", "/a", "../a", "a/../b", "a//b", "./a", "a/.", "c:a", "a\\b", "a\u{1b}",
        ] {
            assert!(check_relative(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_write_that_changes_nothing_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x/y.json");
        assert!(write_atomically(&path, b"1").unwrap());
        assert!(!write_atomically(&path, b"1").unwrap());
        assert!(write_atomically(&path, b"2").unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"2");
        assert_eq!(fs::read_dir(folder.path().join("x")).unwrap().count(), 1);
    }
}
