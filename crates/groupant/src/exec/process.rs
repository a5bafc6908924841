//! One child process with a time limit, a process group of its own and bounded
//! output. Only `cargo metadata` is started elsewhere. A child dies with this
//! process, also when that is killed (on Linux, by the parent-death signal).

use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// After a child has ended, its descendants may hold the pipes this long.
const GRACE: Duration = Duration::from_millis(500);

/// What a child may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Until the group is killed.
    pub time: Duration,
    /// Bytes kept of each stream; the rest is read and dropped.
    pub output: usize,
}

/// How a child ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The exit code, if it exited.
    pub code: Option<i32>,
    /// The signal, if it was killed.
    pub signal: Option<i32>,
    /// Standard output, bounded.
    pub stdout: Vec<u8>,
    /// Standard error, bounded.
    pub stderr: Vec<u8>,
    /// Whether the time limit ended it.
    pub timed_out: bool,
}

impl Ended {
    /// Exit code 0, in time.
    #[must_use]
    pub fn success(&self) -> bool {
        self.code == Some(0) && !self.timed_out
    }
}

static GROUPS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());
static GUARD: OnceLock<PathBuf> = OnceLock::new();

/// Hidden first argument, before the parent's process id and a command: take the
/// parent-death signal, then become the command.
pub const CHILD: &str = "__child";

/// Says which executable understands [`CHILD`]; children then die with this process.
pub fn guard_with(executable: PathBuf) {
    let _ = GUARD.set(executable);
}

/// The other side of [`CHILD`]: never returns where the program starts.
#[must_use]
pub fn become_child(arguments: &[OsString]) -> u8 {
    let [parent, program, rest @ ..] = arguments else {
        return 2;
    };
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    // A parent that died before the signal was set sends none.
    let now = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get().to_string());
    if now.as_deref() != parent.to_str() {
        return 2;
    }
    let error = Command::new(program).args(rest).exec();
    eprintln!("{}: {error}", program.to_string_lossy());
    127
}

/// Kills the groups of all children; for the handler of an interrupt.
pub fn kill_all() {
    if let Ok(groups) = GROUPS.lock() {
        for group in groups.iter().copied().filter_map(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Runs a command to its end or to its limit.
///
/// # Errors
///
/// Where the program can't be started.
pub fn run(mut command: Command, limits: Limits) -> std::io::Result<Ended> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let group = i32::try_from(child.id()).ok();
    if let (Some(group), Ok(mut groups)) = (group, GROUPS.lock()) {
        groups.insert(group);
    }
    let stdout = reader(child.stdout.take(), limits.output);
    let stderr = reader(child.stderr.take(), limits.output);
    let deadline = Instant::now() + limits.time;
    let mut status = None;
    let mut pause = Duration::from_micros(200);
    while Instant::now() < deadline {
        status = child.try_wait()?;
        if status.is_some() {
            break;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
    let timed_out = status.is_none();
    if timed_out {
        kill(group);
    }
    let status = match status {
        Some(status) => status,
        None => child.wait()?,
    };
    let end = Instant::now() + GRACE;
    let stdout = collect(&stdout, end, group);
    let stderr = collect(&stderr, end, group);
    // What is left of the group goes too; the leader has been waited for.
    kill(group);
    if let (Some(group), Ok(mut groups)) = (group, GROUPS.lock()) {
        groups.remove(&group);
    }
    Ok(Ended {
        code: status.code(),
        signal: status.signal(),
        stdout,
        stderr,
        timed_out,
    })
}

/// A command for [`run`]: behind [`CHILD`], where an executable for it is known.
#[must_use]
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let Some(executable) = GUARD.get() else {
        return Command::new(program);
    };
    let mut command = Command::new(executable);
    command
        .arg(CHILD)
        .arg(std::process::id().to_string())
        .arg(program);
    command
}

fn kill(group: Option<i32>) {
    if let Some(group) = group.and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Reads to the end in a thread of its own, keeping at most `limit` bytes.
fn reader<R: Read + Send + 'static>(pipe: Option<R>, limit: usize) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        let mut buffer = vec![0; 1 << 16];
        if let Some(mut pipe) = pipe {
            while let Ok(read) = pipe.read(&mut buffer) {
                if read == 0 {
                    break;
                }
                let room = limit.saturating_sub(kept.len()).min(read);
                kept.extend_from_slice(&buffer[..room]);
            }
        }
        // The other side may have given up waiting.
        let _ = sender.send(kept);
    });
    receiver
}

fn collect(receiver: &Receiver<Vec<u8>>, end: Instant, group: Option<i32>) -> Vec<u8> {
    match receiver.recv_timeout(end.saturating_duration_since(Instant::now())) {
        Ok(bytes) => bytes,
        Err(RecvTimeoutError::Disconnected) => Vec::new(),
        Err(RecvTimeoutError::Timeout) => {
            kill(group);
            receiver.recv_timeout(GRACE).unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    fn limits(milliseconds: u64, output: usize) -> Limits {
        Limits {
            time: Duration::from_millis(milliseconds),
            output,
        }
    }

    #[test]
    fn the_exit_code_and_both_streams_come_back() {
        let ended = run(shell("echo out; echo err >&2; exit 3"), limits(5_000, 100)).unwrap();
        assert_eq!(ended.code, Some(3));
        assert_eq!(
            (ended.stdout, ended.stderr),
            (b"out\n".to_vec(), b"err\n".to_vec())
        );
        assert!(!ended.timed_out);
    }

    #[test]
    fn a_child_beyond_its_time_is_killed_with_its_group() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let script = format!(
            "sleep 60 & echo $! > {}; trap '' TERM; wait",
            file.display()
        );
        let ended = run(shell(&script), limits(300, 100)).unwrap();
        assert!(ended.timed_out);
        let grandchild = std::fs::read_to_string(file).unwrap().trim().to_owned();
        // Killed and perhaps not yet reaped by its new parent: gone or a zombie.
        let state =
            || std::fs::read_to_string(format!("/proc/{grandchild}/stat")).unwrap_or_default();
        let gone = (0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            let state = state();
            state.is_empty() || state.contains(") Z ")
        });
        assert!(gone, "{}", state());
    }

    #[test]
    fn output_beyond_the_bound_is_dropped_and_the_child_is_not_blocked() {
        let ended = run(shell("yes | head -c 1000000"), limits(20_000, 10)).unwrap();
        assert_eq!(ended.code, Some(0));
        assert_eq!(ended.stdout.len(), 10);
    }

    #[test]
    fn a_descendant_that_holds_the_pipe_does_not_hold_the_run() {
        let begin = Instant::now();
        let ended = run(shell("echo x; sleep 30 & exit 0"), limits(20_000, 100)).unwrap();
        assert_eq!(ended.code, Some(0));
        assert_eq!(ended.stdout, b"x\n");
        assert!(
            begin.elapsed() < Duration::from_secs(20),
            "waited for the descendant"
        );
    }
}
