//! A place where a scripted client is run: a folder that is gone with the test,
//! the client in it, and what became of a process.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use fake_codex::{Record, Script};

/// One folder with one scripted client.
pub struct Scene {
    folder: tempfile::TempDir,
    client: PathBuf,
}

impl Scene {
    /// Installs the client. `executable` is the test package's binary of
    /// `fake_codex`; `script` gets the folder, for the paths in it.
    ///
    /// # Panics
    /// Where the folder can't be made or written.
    pub fn new(executable: &str, script: impl FnOnce(&Path) -> Script) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let script = script(folder.path());
        let client = fake_codex::install(folder.path(), Path::new(executable), &script)
            .expect("the client can be installed");
        Self { folder, client }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The client's path.
    #[must_use]
    pub fn client(&self) -> &Path {
        &self.client
    }

    /// A file in the folder.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What a client recorded of itself under this name; none where it did not.
    #[must_use]
    pub fn record(&self, name: &str) -> Option<Record> {
        Record::read(&self.file(name)).ok()
    }
}

/// Whether a process runs: neither gone nor a zombie. Linux only.
#[must_use]
pub fn runs(process: i32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{process}/stat")) else {
        return false;
    };
    // The state follows the name, which stands in parentheses and may hold any character.
    let state = stat
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}

/// Whether a process stops running within ten seconds; a killed one may need a
/// moment.
#[must_use]
pub fn stops(process: i32) -> bool {
    let end = Instant::now() + Duration::from_secs(10);
    while runs(process) {
        if Instant::now() > end {
            return false;
        }
        sleep(Duration::from_millis(1));
    }
    true
}
