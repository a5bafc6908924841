//! The transport's process up to its end, and the client's processes after it, as
//! the system shows them.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// How long a process that was told to end, or was killed, may still be seen.
pub(super) const VANISHING: Duration = Duration::from_secs(5);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(10);

/// Waits for a child until the deadline, then tells it to end, then kills it.
/// Gives its status and whether it had to be told.
pub(super) fn ended(mut child: Child, deadline: Instant) -> io::Result<(ExitStatus, bool)> {
    if let Some(status) = wait(&mut child, deadline)? {
        return Ok((status, false));
    }
    // At this the transport ends its client too.
    let _ = kill_process(Pid::from_child(&child), Signal::TERM);
    if wait(&mut child, Instant::now() + VANISHING)?.is_none() {
        child.kill()?;
    }
    Ok((child.wait()?, true))
}

fn wait(child: &mut Child, until: Instant) -> io::Result<Option<ExitStatus>> {
    loop {
        let status = child.try_wait()?;
        if status.is_some() || Instant::now() >= until {
            return Ok(status);
        }
        sleep(PAUSE);
    }
}

/// The processes that still run after `patience`: those of the groups, those of
/// sessions with the same numbers, and those that name the home in their arguments
/// or their environment. They are told and killed.
pub(super) fn left(home: &Path, groups: &[i32], patience: Duration) -> Vec<String> {
    let end = Instant::now() + patience;
    loop {
        let found = running(home, groups);
        if found.is_empty() || Instant::now() >= end {
            for pid in found.iter().filter_map(|it| Pid::from_raw(it.id)) {
                let _ = kill_process(pid, Signal::KILL);
            }
            return found.into_iter().map(|process| process.stat).collect();
        }
        sleep(PAUSE);
    }
}

struct Process {
    id: i32,
    /// The beginning of the system's line about it: number, name and state.
    stat: String,
}

fn running(home: &Path, groups: &[i32]) -> Vec<Process> {
    let names = |file: &Path| {
        let home = home.as_os_str().as_bytes();
        fs::read(file).is_ok_and(|bytes| bytes.windows(home.len()).any(|window| window == home))
    };
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
    folders
        .filter_map(|folder| {
            let folder = folder.path();
            let id = folder.file_name()?.to_str()?.parse().ok()?;
            // A process may go while it is looked at.
            let stat = fs::read_to_string(folder.join("stat")).ok()?;
            let (before, behind) = stat.rsplit_once(')')?;
            let mut fields = behind.split_whitespace();
            let state = fields.next()?;
            // A killed process whose parent has not looked yet runs no more.
            if matches!(state, "Z" | "X") {
                return None;
            }
            let mut group_and_session = fields.skip(1).take(2);
            let ours = group_and_session
                .any(|number| number.parse().is_ok_and(|number| groups.contains(&number)))
                || names(&folder.join("environ"))
                || names(&folder.join("cmdline"));
            let stat = format!("{before}) {state}");
            ours.then_some(Process { id, stat })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt as _;
    use std::process::Command;

    #[test]
    fn a_process_is_found_by_its_group_or_its_home_and_killed() {
        let home = tempfile::tempdir().unwrap();
        let other = Path::new("/nowhere/at/all");
        let mut grouped = Command::new("sleep")
            .arg("60")
            .process_group(0)
            .spawn()
            .unwrap();
        let group = i32::try_from(grouped.id()).unwrap();
        let mut homely = Command::new("sleep")
            .arg("60")
            .env("HOME", home.path())
            .spawn()
            .unwrap();

        let found = running(other, &[group]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].id, group);
        let found = running(home.path(), &[]);
        assert_eq!(found.len(), 1);
        assert!(found[0].stat.contains("(sleep)"), "{}", found[0].stat);

        assert_eq!(left(home.path(), &[group], PAUSE).len(), 2);
        assert!(!grouped.wait().unwrap().success() && !homely.wait().unwrap().success());
        assert!(left(home.path(), &[group], VANISHING).is_empty());
    }

    #[test]
    fn a_child_beyond_its_deadline_is_told_to_end() {
        let child = Command::new("sleep").arg("60").spawn().unwrap();
        let (status, told) = ended(child, Instant::now()).unwrap();
        assert!(told && !status.success());
        let child = Command::new("true").spawn().unwrap();
        let (status, told) = ended(child, Instant::now() + Duration::from_secs(30)).unwrap();
        assert!(!told && status.success());
    }
}
