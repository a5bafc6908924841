//! What each step does.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{self, Pid};
use serde::{Deserialize, Serialize};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::script::{Pipes, Place, Signal, Step, Stream};
use crate::{End, STEPS};

/// Many small writes become few of about this size.
const CHUNK: usize = 1 << 16;

/// What [`Step::Record`] writes: how the client was started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The arguments after the name. What is no UTF-8 is replaced by U+FFFD, here
    /// and in the environment.
    pub arguments: Vec<String>,
    /// The whole environment.
    pub environment: BTreeMap<String, String>,
    /// The working directory; nothing where it was removed.
    pub directory: Option<String>,
    /// Whether the working directory was there.
    pub directory_exists: bool,
    /// The process id.
    pub process: i32,
    /// The parent's process id; 0, here and below, for one outside of this
    /// process's PID namespace.
    pub parent: i32,
    /// The process group.
    pub group: i32,
    /// The session.
    pub session: i32,
}

impl Record {
    /// Reads the record at `path`; fails where there is none.
    pub fn read(path: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&fs::read(path)?)?)
    }

    fn of_this_process() -> io::Result<Self> {
        let text = |text: &OsStr| text.to_string_lossy().into_owned();
        let directory = env::current_dir().ok();
        let process = process::getpid().as_raw_pid();
        let [parent, group, session] = kin(process)?;
        Ok(Self {
            arguments: env::args_os().skip(1).map(|it| text(&it)).collect(),
            environment: env::vars_os()
                .map(|(name, value)| (text(&name), text(&value)))
                .collect(),
            directory_exists: directory.as_ref().is_some_and(|it| it.is_dir()),
            directory: directory.map(|it| text(it.as_os_str())),
            process,
            parent,
            group,
            session,
        })
    }
}

/// The parent, the process group and the session of a process. Linux tells 0 for
/// one outside of this PID namespace, as under `unshare --pid`; the calls of
/// `rustix` take their answers for positive.
fn kin(process: i32) -> io::Result<[i32; 3]> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // They follow the state, and that the name, which stands in parentheses and
    // may hold any character.
    let fields = stat.rsplit_once(')').map(|(_, fields)| fields);
    let mut numbers = fields.into_iter().flat_map(str::split_whitespace).skip(1);
    let mut number = || numbers.next()?.parse().ok();
    match [number(), number(), number()] {
        [Some(parent), Some(group), Some(session)] => Ok([parent, group, session]),
        _ => Err(io::Error::other(format!("no process status: {stat}"))),
    }
}

/// Does the steps one after the other.
pub(crate) fn steps(steps: &[Step]) -> Result<(), End> {
    steps.iter().try_for_each(one)
}

/// The steps that [`spawn`] handed over, after going to their place.
pub(crate) fn handed(place: &OsStr, steps: &OsStr) -> Result<Vec<Step>, End> {
    if place == Place::Session.name() {
        process::setsid().map_err(|error| End::new(70, format!("setsid: {error}")))?;
    }
    serde_json::from_slice(steps.as_encoded_bytes())
        .map_err(|error| End::new(70, format!("the argument holds no steps: {error}")))
}

fn one(step: &Step) -> Result<(), End> {
    let done = match step {
        Step::Record(path) => record(path),
        Step::ReadPrompt(path) => read_prompt(path.as_deref()),
        Step::ReadBytes(count) => read_bytes(*count),
        Step::CloseInput => null().and_then(|it| Ok(rustix::stdio::dup2_stdin(it)?)),
        Step::CloseOutput => null().and_then(|it| Ok(rustix::stdio::dup2_stdout(it)?)),
        Step::CloseError => null().and_then(|it| Ok(rustix::stdio::dup2_stderr(it)?)),
        Step::Write { stream, text } => return write(*stream, text.as_bytes()),
        Step::Bytes { stream, bytes } => return write(*stream, bytes),
        Step::Copy { stream, path } => match fs::read(path) {
            Ok(bytes) => return write(*stream, &bytes),
            Err(error) => Err(error),
        },
        Step::Fill {
            stream,
            bytes,
            line,
        } => return fill(*stream, *bytes, *line),
        Step::Lines {
            stream,
            count,
            text,
        } => return lines(*stream, *count, text.as_bytes()),
        Step::SleepMs(milliseconds) => {
            thread::sleep(Duration::from_millis(*milliseconds));
            Ok(())
        }
        Step::Forever => loop {
            thread::sleep(Duration::from_hours(1));
        },
        Step::Mark(path) => File::create(path).map(drop),
        Step::Await(path) => return wait_for(path),
        Step::IgnoreTerminate => ignore_terminate(),
        Step::LeaveGroup => leave_group(),
        Step::Spawn {
            steps,
            place,
            pipes,
            wait,
        } => spawn(steps, *place, *pipes, *wait),
        Step::SignalSelf(signal) => signal_self(*signal),
        Step::Exit(code) => return Err(End::new(*code, "")),
    };
    done.map_err(|error| End::new(70, format!("{step:?}: {error}")))
}

/// Into the group of a child made for it. The parent's group may have no number in
/// this PID namespace, and the leader of a group can't make itself another.
fn leave_group() -> io::Result<()> {
    let mut child = to_do(&[Step::Forever], Place::Group)?.spawn()?;
    let moved = process::setpgid(None, Some(Pid::from_child(&child)));
    child.kill()?;
    child.wait()?;
    Ok(moved?)
}

fn record(path: &Path) -> io::Result<()> {
    let text = serde_json::to_vec(&Record::of_this_process()?)?;
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    fs::write(&part, text)?;
    fs::rename(part, path)
}

/// Standard input without a buffer of this process, so that no byte is read ahead.
fn input() -> io::Result<File> {
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

fn read_prompt(path: Option<&Path>) -> io::Result<()> {
    let mut input = input()?;
    match path {
        Some(path) => io::copy(&mut input, &mut File::create(path)?),
        None => io::copy(&mut input, &mut io::sink()),
    }
    .map(drop)
}

fn read_bytes(count: usize) -> io::Result<()> {
    input()?.read_exact(&mut vec![0; count])
}

fn null() -> io::Result<File> {
    File::options().read(true).write(true).open("/dev/null")
}

/// The stream without a buffer of this process: what was written is out.
fn output(stream: Stream) -> io::Result<File> {
    let descriptor = match stream {
        Stream::Stdout => io::stdout().as_fd().try_clone_to_owned(),
        Stream::Stderr => io::stderr().as_fd().try_clone_to_owned(),
    };
    descriptor.map(File::from)
}

/// Writes all of `bytes`; where the stream is closed the program ends as the real
/// client does.
fn write(stream: Stream, bytes: &[u8]) -> Result<(), End> {
    output(stream)
        .and_then(|mut output| output.write_all(bytes))
        .map_err(|error| End::new(101, format!("cannot write to {stream:?}: {error}")))
}

fn fill(stream: Stream, bytes: usize, line: usize) -> Result<(), End> {
    let line = line.clamp(1, bytes.max(1));
    let mut block = vec![b' '; line];
    block[line - 1] = b'\n';
    let mut block = block.repeat((CHUNK / line).max(1));
    for _ in 0..bytes / block.len() {
        write(stream, &block)?;
    }
    block.truncate(bytes % block.len());
    if let Some(last) = block.last_mut() {
        *last = b'\n';
    }
    write(stream, &block)
}

fn lines(stream: Stream, count: usize, text: &[u8]) -> Result<(), End> {
    let at_once = (CHUNK / text.len().max(1)).clamp(1, count.max(1));
    let block = text.repeat(at_once);
    for _ in 0..count / at_once {
        write(stream, &block)?;
    }
    write(stream, &block[..count % at_once * text.len()])
}

fn wait_for(path: &Path) -> Result<(), End> {
    let start = Instant::now();
    while !path.exists() {
        if start.elapsed() > Duration::from_mins(1) {
            let message = format!("waited a minute in vain for {}", path.display());
            return Err(End::new(71, message));
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

fn ignore_terminate() -> io::Result<()> {
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        // The flag is for nobody: that there is a handler is the effect.
        signal_hook::flag::register(signal, Arc::default())?;
    }
    Ok(())
}

/// This program again, to do these steps at this place.
fn to_do(steps: &[Step], place: Place) -> io::Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command
        .args([STEPS, place.name()])
        .arg(serde_json::to_string(steps)?);
    if place == Place::Group {
        command.process_group(0);
    }
    Ok(command)
}

fn spawn(steps: &[Step], place: Place, pipes: Pipes, wait: bool) -> io::Result<()> {
    let mut command = to_do(steps, place)?;
    if pipes == Pipes::Closed {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
    }
    let mut child = command.spawn()?;
    if place == Place::Session {
        wait_for_session(&child)?;
    }
    if wait {
        child.wait()?;
    }
    Ok(())
}

/// Waits until the child leads a session: a test that kills this group must not
/// hit a child that is still on its way out of it.
fn wait_for_session(child: &Child) -> io::Result<()> {
    let child = Pid::from_child(child).as_raw_pid();
    // A child that ended early is not reaped yet, so the question has an answer;
    // its session stays ours where it could not leave it.
    let start = Instant::now();
    while kin(child)?[2] != child {
        if start.elapsed() > Duration::from_mins(1) {
            return Err(io::Error::other("the child leads no session"));
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

fn signal_self(signal: Signal) -> io::Result<()> {
    let signal = match signal {
        Signal::Kill => process::Signal::KILL,
        Signal::Segv => process::Signal::SEGV,
        Signal::Term => process::Signal::TERM,
        Signal::Int => process::Signal::INT,
    };
    // The standard library catches the first SIGSEGV, to tell an overflow of the
    // stack, and restores the default.
    for _ in 0..2 {
        process::kill_process(process::getpid(), signal)?;
    }
    Ok(())
}
