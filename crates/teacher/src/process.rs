//! One client process from its start to its end: its own process group, the
//! prompt on standard input, two bounded outputs, a time limit, and an end within
//! a stated bound whatever the client's descendants do. It knows nothing of
//! events.
//!
//! One thread polls all pipes without blocking, so that giving up a pipe is
//! closing it: no thread and no descriptor stays behind. A second thread waits
//! for the client's end without reaping it, and ends with it. Until the client is
//! reaped its number can't be given to another process, and the group can be
//! killed by that number.

use std::io::{self, ErrorKind, PipeReader, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
};

/// How many bytes of standard output, and of standard error, a client may print.
pub const OUTPUT_LIMIT: u64 = 32 << 20;

/// How long the outputs may stay open after the client has ended, and once more
/// after its group was killed. So the waits of a run sum to its time limit and
/// twice this at most, whatever holds the pipes; the start and the sink come on top.
pub const GRACE: Duration = Duration::from_millis(500);

/// What one read takes at most.
const CHUNK: usize = 64 << 10;

/// What a run may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the start to the client's end.
    pub time: Duration,
    /// Bytes of each output.
    pub output: u64,
}

/// One of the two outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Why the group was killed before the client had ended by itself, or while its
/// output was still coming.
#[derive(Debug)]
pub enum Stop {
    /// The time limit.
    Timeout,
    /// A stream had more bytes than its bound.
    Output(Stream),
    /// The caller's descriptor became readable.
    Interrupted,
    /// A pipe could not be read or polled, or the client not be waited for, as
    /// where the caller ignores SIGCHLD.
    Failed(io::Error),
}

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    /// The client's own end; none where it outlived the kill by [`GRACE`], or where
    /// the system does not tell it.
    pub status: Option<ExitStatus>,
    /// Why it was stopped; none where it ended by itself within all bounds.
    pub stop: Option<Stop>,
    /// Whether the whole prompt was written.
    pub prompt: io::Result<()>,
    /// The client had ended, and a process that was no longer in the group still
    /// held an output; it was left alone.
    pub descendant_left: bool,
}

/// Runs a client to its end. `sink` gets the bytes of both outputs as they come,
/// at most [`Limits::output`] of each. `interrupt` ends the run when it becomes
/// readable.
///
/// When this returns, or unwinds because `sink` panicked, the group is killed and
/// the client reaped; one that outlives the kill is left, and has no status. Where
/// the caller ignores SIGCHLD the system reaps, and what is left of the group is too.
///
/// Fails where the client can't be started or not be watched.
pub fn run(
    mut command: Command,
    prompt: &[u8],
    limits: Limits,
    interrupt: Option<BorrowedFd<'_>>,
    mut sink: impl FnMut(Stream, &[u8]),
) -> io::Result<Ended> {
    let deadline = Instant::now().checked_add(limits.time);
    let child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let mut group = Group::new(child);
    let mut input = Input::new(group.child.stdin.take(), prompt)?;
    let mut outputs = [
        Output::new(Stream::Stdout, group.child.stdout.take(), limits.output)?,
        Output::new(Stream::Stderr, group.child.stderr.take(), limits.output)?,
    ];
    let mut end = group.watch()?;
    let mut run = Course {
        phase: Phase::Running,
        until: deadline,
        stop: None,
    };
    let mut ended = false;
    let mut buffer = vec![0; CHUNK];
    while !(ended && outputs.iter().all(|output| output.pipe.is_none())) {
        let interrupt = interrupt.filter(|_| run.phase != Phase::Killed);
        let ready = match wait(&end, ended, interrupt, &input, &outputs, run.until) {
            Ok(ready) => ready,
            Err(error) => {
                run.stop(&group, Stop::Failed(error));
                ended = group.ends();
                // Whether anything holds them can't be seen any more.
                for output in &mut outputs {
                    output.pipe = None;
                }
                break;
            }
        };
        if ready.interrupt {
            run.stop(&group, Stop::Interrupted);
        }
        if ready.end {
            ended = true;
            if let Err(error) = group.take_end(&mut end) {
                run.stop(&group, Stop::Failed(error));
            }
            if run.phase == Phase::Running {
                run.enter(Phase::Draining);
            }
        }
        if ready.input {
            input.write();
        }
        for (output, ready) in outputs.iter_mut().zip(ready.outputs) {
            if ready && let Err(stop) = output.read(&mut buffer, &mut sink) {
                run.stop(&group, stop);
            }
        }
        // After the look, so that an end within the time is never told as its excess.
        if run.until.is_some_and(|until| Instant::now() >= until) {
            match run.phase {
                Phase::Running => run.stop(&group, Stop::Timeout),
                Phase::Draining => run.kill(&group),
                Phase::Killed => break,
            }
        }
    }
    let descendant_left = ended && outputs.iter().any(|output| output.pipe.is_some());
    let status = group.finish(ended).unwrap_or_else(|error| {
        run.stop.get_or_insert(Stop::Failed(error));
        None
    });
    Ok(Ended {
        status,
        stop: run.stop,
        prompt: input.result(),
        descendant_left,
    })
}

/// How far a run has come. The phases follow each other, each with its own end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Until the client ends, or the time limit.
    Running,
    /// The client has ended, and its outputs may still be held for [`GRACE`].
    Draining,
    /// The group was killed; what is open after [`GRACE`] is given up.
    Killed,
}

struct Course {
    phase: Phase,
    until: Option<Instant>,
    stop: Option<Stop>,
}

impl Course {
    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.until = Instant::now().checked_add(GRACE);
    }

    fn kill(&mut self, group: &Group) {
        if self.phase != Phase::Killed {
            group.kill();
            self.enter(Phase::Killed);
        }
    }

    /// The first reason stays.
    fn stop(&mut self, group: &Group, stop: Stop) {
        self.stop.get_or_insert(stop);
        self.kill(group);
    }
}

/// The client and its group. Dropped, it leaves neither.
struct Group {
    child: Child,
    /// The client's number may be another's: it was reaped, or given up.
    finished: bool,
}

impl Group {
    fn new(child: Child) -> Self {
        Self {
            child,
            finished: false,
        }
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// A pipe that ends when the client does, after one byte; without a byte where
    /// the client can't be waited for.
    fn watch(&self) -> io::Result<PipeReader> {
        let (reader, mut writer) = io::pipe()?;
        let pid = self.pid();
        thread::Builder::new()
            .name("teacher-client-end".to_owned())
            .spawn(move || {
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
                loop {
                    match waitid(WaitId::Pid(pid), options) {
                        Err(Errno::INTR) => {}
                        Err(_) => break,
                        // The run may be over already.
                        Ok(_) => break drop(writer.write(b".")),
                    }
                }
            })?;
        Ok(reader)
    }

    /// Takes the news of the client's end; fails where somebody else reaped it.
    fn take_end(&mut self, end: &mut PipeReader) -> io::Result<()> {
        if end.read(&mut [0])? == 0 {
            self.finished = true;
            return Err(Errno::CHILD.into());
        }
        Ok(())
    }

    /// Only before the client is reaped: afterwards the number may be another's.
    /// The client itself may have moved to another group.
    fn kill(&self) {
        if !self.finished {
            let _ = kill_process_group(self.pid(), Signal::KILL);
            let _ = kill_process(self.pid(), Signal::KILL);
        }
    }

    /// Whether the client ends within [`GRACE`], for where nothing can be polled.
    fn ends(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let until = Instant::now() + GRACE;
        loop {
            if matches!(waitid(WaitId::Pid(self.pid()), options), Ok(Some(_))) {
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Kills what is left of the group and reaps the client, unless it has not
    /// even ended after the kill: then nothing here waits for it.
    fn finish(mut self, ended: bool) -> io::Result<Option<ExitStatus>> {
        self.kill();
        if std::mem::replace(&mut self.finished, true) {
            return Ok(None);
        }
        if ended {
            self.child.wait().map(Some)
        } else {
            self.child.try_wait()
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.finished {
            self.kill();
            let _ = self.child.wait();
        }
    }
}

/// The prompt on its way; the pipe is closed as soon as all is written.
struct Input<'p> {
    pipe: Option<ChildStdin>,
    rest: &'p [u8],
    error: Option<io::Error>,
}

impl<'p> Input<'p> {
    fn new(pipe: Option<ChildStdin>, prompt: &'p [u8]) -> io::Result<Self> {
        if let Some(pipe) = &pipe {
            ioctl_fionbio(pipe, true)?;
        }
        Ok(Self {
            pipe,
            rest: prompt,
            error: None,
        })
    }

    fn write(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        match pipe.write(self.rest) {
            Ok(written) => self.rest = &self.rest[written..],
            Err(error) if is_passing(&error) => return,
            Err(error) => self.error = Some(error),
        }
        if self.rest.is_empty() || self.error.is_some() {
            self.pipe = None;
        }
    }

    fn result(self) -> io::Result<()> {
        match self.error {
            Some(error) => Err(error),
            None if self.rest.is_empty() => Ok(()),
            None => Err(io::Error::new(ErrorKind::WriteZero, "it stopped reading")),
        }
    }
}

/// One output; the pipe is closed at its end, or one byte beyond its bound.
struct Output {
    stream: Stream,
    pipe: Option<Box<dyn Pipe>>,
    room: u64,
}

trait Pipe: Read + AsFd {}
impl<T: Read + AsFd> Pipe for T {}

impl Output {
    fn new(stream: Stream, pipe: Option<impl Pipe + 'static>, limit: u64) -> io::Result<Self> {
        if let Some(pipe) = &pipe {
            ioctl_fionbio(pipe, true)?;
        }
        Ok(Self {
            stream,
            pipe: pipe.map(|pipe| Box::new(pipe) as Box<dyn Pipe>),
            room: limit,
        })
    }

    fn read(
        &mut self,
        buffer: &mut [u8],
        sink: &mut impl FnMut(Stream, &[u8]),
    ) -> Result<(), Stop> {
        let Some(pipe) = &mut self.pipe else {
            return Ok(());
        };
        match pipe.read(buffer) {
            Ok(0) => self.pipe = None,
            Ok(read) => {
                let within = usize::try_from(self.room).unwrap_or(CHUNK).min(read);
                self.room -= within as u64;
                sink(self.stream, &buffer[..within]);
                if within < read {
                    self.pipe = None;
                    return Err(Stop::Output(self.stream));
                }
            }
            Err(error) if is_passing(&error) => {}
            Err(error) => {
                self.pipe = None;
                return Err(Stop::Failed(error));
            }
        }
        Ok(())
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// What can be done without blocking.
#[derive(Default)]
struct Ready {
    end: bool,
    interrupt: bool,
    input: bool,
    outputs: [bool; 2],
}

/// Waits until something can be done, or until the end of the phase.
fn wait(
    end: &PipeReader,
    ended: bool,
    interrupt: Option<BorrowedFd<'_>>,
    input: &Input<'_>,
    outputs: &[Output; 2],
    until: Option<Instant>,
) -> io::Result<Ready> {
    let outputs = outputs.each_ref().map(|output| output.pipe.as_ref());
    let watched = [
        (!ended).then(|| (end.as_fd(), PollFlags::IN)),
        interrupt.map(|interrupt| (interrupt, PollFlags::IN)),
        input
            .pipe
            .as_ref()
            .map(|pipe| (pipe.as_fd(), PollFlags::OUT)),
        outputs[0].map(|pipe| (pipe.as_fd(), PollFlags::IN)),
        outputs[1].map(|pipe| (pipe.as_fd(), PollFlags::IN)),
    ];
    let mut polled: Vec<PollFd<'_>> = watched
        .iter()
        .flatten()
        .map(|(descriptor, flags)| PollFd::from_borrowed_fd(*descriptor, *flags))
        .collect();
    let time = until
        .map(|until| until.saturating_duration_since(Instant::now()))
        .and_then(|time| Timespec::try_from(time).ok());
    match poll(&mut polled, time.as_ref()) {
        Ok(_) => {}
        Err(Errno::INTR) => return Ok(Ready::default()),
        Err(error) => return Err(error.into()),
    }
    let mut events = polled.iter();
    let ready = watched.map(|watched| {
        watched.is_some() && events.next().is_some_and(|fd| !fd.revents().is_empty())
    });
    let [end, interrupt, input, stdout, stderr] = ready;
    Ok(Ready {
        end,
        interrupt,
        input,
        outputs: [stdout, stderr],
    })
}
