//! Each step, seen from outside: the client is started as a process by its link.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fake_codex::{Pipes, Place, Record, Script, Signal, Step, Stream, install};
use rustix::process::{Pid, Signal as Sent, kill_process};
use tempfile::TempDir;

/// A client with a script, in a folder of its own.
struct Client {
    folder: TempDir,
    path: PathBuf,
}

impl Client {
    fn new(script: &Script) -> Self {
        Self::with(|_| script.clone())
    }

    /// For scripts that name files in the folder.
    fn with(script: impl FnOnce(&Path) -> Script) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let executable = Path::new(env!("CARGO_BIN_EXE_fake-codex"));
        let path = install(folder.path(), executable, &script(folder.path())).unwrap();
        Self { folder, path }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn start(&self) -> Child {
        Command::new(&self.path)
            .args(["exec", "--json", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs `exec` with this prompt. The prompt must fit the pipe.
    fn run(&self, prompt: &[u8]) -> Output {
        let mut child = self.start();
        // A client that reads nothing may have closed its side.
        let _ = child.stdin.take().unwrap().write_all(prompt);
        child.wait_with_output().unwrap()
    }
}

fn exec(steps: impl IntoIterator<Item = Step>) -> Output {
    Client::new(&Script::exec(steps)).run(b"")
}

/// Waits until `condition` holds, and fails where it never does.
fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_mins(1), "never: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// The letter of the process's state, its parent, group and session, as Linux
/// tells them.
fn state(process: i32) -> Option<(char, [i32; 3])> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    let mut number = || fields.next()?.parse().ok();
    Some((state, [number()?, number()?, number()?]))
}

fn kill(process: i32) {
    kill_process(Pid::from_raw(process).unwrap(), Sent::KILL).unwrap();
}

fn spawn(place: Place, wait: bool, steps: impl IntoIterator<Item = Step>) -> Step {
    Step::Spawn {
        steps: steps.into_iter().collect(),
        place,
        pipes: Pipes::Closed,
        wait,
    }
}

#[test]
fn the_first_argument_that_is_no_option_chooses_the_steps() {
    let client = Client::new(&Script {
        version: vec![Step::out("codex-cli 1\n")],
        features: vec![Step::out("shell_tool stable true\n")],
        login: vec![Step::err("Not logged in\n"), Step::Exit(1)],
        ..Script::exec([Step::answer("a\"b\u{2028}")])
    });
    let run = |arguments: &[&str]| {
        let output = Command::new(&client.path).args(arguments).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let done = |text: &str| (Some(0), text.to_owned());
    assert_eq!(run(&["--version"]), done("codex-cli 1\n"));
    assert_eq!(run(&["features", "list"]), done("shell_tool stable true\n"));
    assert_eq!(run(&["login", "status"]), (Some(1), String::new()));
    assert!(run(&["exec", "-"]).1.contains(r#""text":"a\"b"#));
    assert!(run(&["--quiet", "exec"]).1.ends_with("}}\n"));
    assert_eq!(run(&["resume", "exec"]), (Some(2), String::new()));
    assert_eq!(run(&[]), (Some(2), String::new()));
}

#[test]
fn a_script_that_is_missing_or_malformed_is_exit_code_70() {
    let client = Client::new(&Script::default());
    for malformed in [
        "",
        "{\"exec\":[{\"fly\":1}]}",
        "{\"run\":[]}",
        "{\"exec\":[{\"write\":{\"stream\":\"stdout\",\"text\":\"\",\"more\":1}}]}",
    ] {
        fs::write(client.file("codex.json"), malformed).unwrap();
        let output = client.run(b"");
        assert_eq!(output.status.code(), Some(70), "{malformed}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("codex.json"));
    }
    fs::remove_file(client.file("codex.json")).unwrap();
    let output = client.run(b"");
    assert_eq!(output.status.code(), Some(70));
    assert!(String::from_utf8_lossy(&output.stderr).contains("install"));
    assert!(output.stdout.is_empty());
}

#[test]
fn a_record_tells_how_the_client_was_started() {
    let client = Client::with(|folder| Script::exec([Step::Record(folder.join("record"))]));
    let place = tempfile::tempdir().unwrap();
    let mut child = Command::new(&client.path)
        .args(["exec", "a b", ""])
        .current_dir(place.path())
        .env_clear()
        .env("ONE", "1=1")
        .spawn()
        .unwrap();
    assert!(child.wait().unwrap().success());
    let record = Record::read(&client.file("record")).unwrap();
    assert_eq!(record.arguments, ["exec", "a b", ""]);
    assert_eq!(
        record.environment,
        [("ONE".to_owned(), "1=1".to_owned())].into()
    );
    let real = place.path().canonicalize().unwrap();
    assert_eq!(record.directory.as_deref(), real.to_str());
    assert!(record.directory_exists);
    assert_eq!(record.process, i32::try_from(child.id()).unwrap());
    assert_eq!(record.parent, i32::try_from(std::process::id()).unwrap());
    let (_, [_, group, session]) = state(record.parent).unwrap();
    assert_eq!([record.group, record.session], [group, session]);
}

#[test]
fn a_record_tells_that_the_working_directory_is_gone() {
    let client = Client::with(|folder| {
        Script::exec([
            Step::Await(folder.join("go")),
            Step::Record(folder.join("record")),
        ])
    });
    let place = tempfile::tempdir().unwrap();
    let mut child = Command::new(&client.path)
        .arg("exec")
        .current_dir(place.path())
        .spawn()
        .unwrap();
    place.close().unwrap();
    fs::write(client.file("go"), "").unwrap();
    assert!(child.wait().unwrap().success());
    let record = Record::read(&client.file("record")).unwrap();
    assert!(!record.directory_exists);
    assert_eq!(record.directory, None);
}

#[test]
fn the_prompt_is_kept_byte_for_byte() {
    let client =
        Client::with(|folder| Script::exec([Step::ReadPrompt(Some(folder.join("prompt")))]));
    let prompt = b"\xff\x00a\r\n\n".repeat(5000);
    assert!(client.run(&prompt).status.success());
    assert_eq!(fs::read(client.file("prompt")).unwrap(), prompt);
}

#[test]
fn no_byte_is_read_after_the_counted_ones() {
    let client = Client::with(|folder| {
        Script::exec([
            Step::ReadBytes(3),
            Step::ReadPrompt(Some(folder.join("rest"))),
        ])
    });
    assert!(client.run(b"abcdef").status.success());
    assert_eq!(fs::read(client.file("rest")).unwrap(), b"def");
    assert_eq!(client.run(b"ab").status.code(), Some(70));
}

#[test]
fn a_closed_input_is_a_broken_pipe_on_the_other_side() {
    let client = Client::with(|folder| {
        Script::exec([
            Step::CloseInput,
            Step::out("closed\n"),
            Step::Await(folder.join("go")),
        ])
    });
    let mut child = client.start();
    let mut told = [0; 7];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut told)
        .unwrap();
    let error = child.stdin.as_mut().unwrap().write_all(b"x").unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
    fs::write(client.file("go"), "").unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn closed_outputs_end_on_the_other_side_while_the_client_lives() {
    let client = Client::with(|folder| {
        Script::exec([
            Step::out("o"),
            Step::err("e"),
            Step::CloseOutput,
            Step::CloseError,
            Step::out("lost"),
            Step::Await(folder.join("go")),
            Step::Exit(3),
        ])
    });
    let mut child = client.start();
    let (mut out, mut err) = (String::new(), String::new());
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut out)
        .unwrap();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut err)
        .unwrap();
    assert_eq!((out.as_str(), err.as_str()), ("o", "e"));
    assert!(child.try_wait().unwrap().is_none());
    fs::write(client.file("go"), "").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3));
}

#[test]
fn each_way_to_write_gives_its_bytes_on_its_stream() {
    let client = Client::with(|folder| {
        let path = folder.join("file");
        fs::write(&path, b"\xfe\n").unwrap();
        Script::exec(
            [Stream::Stdout, Stream::Stderr]
                .into_iter()
                .flat_map(|stream| {
                    [
                        Step::Write {
                            stream,
                            text: "text".to_owned(),
                        },
                        Step::Bytes {
                            stream,
                            bytes: vec![0, 255],
                        },
                        Step::Copy {
                            stream,
                            path: path.clone(),
                        },
                        Step::Lines {
                            stream,
                            count: 100_001,
                            text: "ab\n".to_owned(),
                        },
                    ]
                }),
        )
    });
    let output = client.run(b"");
    let mut wanted = b"text\0\xff\xfe\n".to_vec();
    wanted.extend(b"ab\n".repeat(100_001));
    assert!(output.status.success());
    assert!(output.stdout == wanted);
    assert!(output.stderr == wanted);
}

#[test]
fn a_fill_has_exactly_its_bytes_in_lines_of_exactly_its_length() {
    for (bytes, line) in [
        (0, 10),
        (1, 1),
        (7, 100),
        (100, 10),
        (1_000_003, 10),
        (1_000_003, 300_000),
        (5, 0),
    ] {
        let fill = |stream| Step::Fill {
            stream,
            bytes,
            line,
        };
        let output = exec([fill(Stream::Stdout), fill(Stream::Stderr)]);
        assert!(output.status.success());
        assert!(output.stdout == output.stderr);
        assert_eq!(output.stdout.len(), bytes);
        let mut rest = &output.stdout[..];
        while !rest.is_empty() {
            let (first, others) = rest.split_at(line.clamp(1, rest.len()));
            let (last, spaces) = first.split_last().unwrap();
            assert_eq!(*last, b'\n', "{bytes} bytes in lines of {line}");
            assert!(spaces.iter().all(|byte| *byte == b' '));
            rest = others;
        }
    }
}

#[test]
fn an_output_that_was_closed_by_the_reader_is_exit_code_101() {
    let client = Client::with(|folder| {
        Script::exec([
            Step::Await(folder.join("go")),
            Step::Fill {
                stream: Stream::Stdout,
                bytes: 1_000_000,
                line: 100,
            },
        ])
    });
    let mut child = client.start();
    drop(child.stdout.take());
    fs::write(client.file("go"), "").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(101));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
}

#[test]
fn marks_and_sleeps_come_in_their_order() {
    let client = Client::with(|folder| {
        Script::exec([
            Step::SleepMs(20),
            Step::Mark(folder.join("first")),
            Step::Await(folder.join("second")),
            Step::Exit(9),
        ])
    });
    let start = Instant::now();
    let mut child = client.start();
    until("the mark", || client.file("first").exists());
    assert!(start.elapsed() >= Duration::from_millis(20));
    assert!(child.try_wait().unwrap().is_none());
    fs::write(client.file("second"), "").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(9));
}

#[test]
fn signals_that_ask_to_end_are_survived_and_the_kill_is_not() {
    let client = Client::with(|folder| {
        Script::exec([
            Step::IgnoreTerminate,
            Step::Mark(folder.join("deaf")),
            Step::Await(folder.join("go")),
            Step::Mark(folder.join("alive")),
            Step::Forever,
        ])
    });
    let mut child = client.start();
    until("the mark", || client.file("deaf").exists());
    let process = Pid::from_child(&child);
    for signal in [Sent::TERM, Sent::INT, Sent::HUP] {
        kill_process(process, signal).unwrap();
    }
    fs::write(client.file("go"), "").unwrap();
    until("the next mark", || client.file("alive").exists());
    kill(process.as_raw_pid());
    assert_eq!(child.wait().unwrap().signal(), Some(9));
}

#[test]
fn the_client_can_end_by_a_signal_of_its_own() {
    for (signal, number) in [
        (Signal::Kill, 9),
        (Signal::Segv, 11),
        (Signal::Term, 15),
        (Signal::Int, 2),
    ] {
        let output = exec([Step::out("x"), Step::SignalSelf(signal), Step::out("y")]);
        assert_eq!(output.status.signal(), Some(number));
        assert_eq!(output.stdout, b"x");
    }
}

#[test]
fn a_started_process_stands_in_its_place() {
    let client = Client::with(|folder| {
        let record = |name| [Step::Record(folder.join(name))];
        Script::exec([
            Step::Record(folder.join("client")),
            spawn(Place::Same, true, record("same")),
            spawn(Place::Group, true, record("group")),
            spawn(Place::Session, true, record("session")),
        ])
    });
    assert!(client.run(b"").status.success());
    let read = |name| Record::read(&client.file(name)).unwrap();
    let parent = read("client");
    for (name, own_group, own_session) in [
        ("same", false, false),
        ("group", true, false),
        ("session", true, true),
    ] {
        let child = read(name);
        assert_eq!(child.parent, parent.process, "{name}");
        let or_own = |own: bool, of: i32| if own { child.process } else { of };
        assert_eq!(child.group, or_own(own_group, parent.group), "{name}");
        assert_eq!(child.session, or_own(own_session, parent.session), "{name}");
    }
}

#[test]
fn a_process_that_nobody_waits_for_becomes_a_zombie() {
    let client = Client::with(|folder| {
        Script::exec([
            spawn(Place::Same, false, [Step::Record(folder.join("child"))]),
            Step::Await(folder.join("go")),
        ])
    });
    let mut child = client.start();
    until("the record", || client.file("child").exists());
    let zombie = Record::read(&client.file("child")).unwrap().process;
    let parent = i32::try_from(child.id()).unwrap();
    until(
        "the zombie",
        || matches!(state(zombie), Some(('Z', [of, ..])) if of == parent),
    );
    fs::write(client.file("go"), "").unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_grandchild_holds_the_pipes_after_the_client_is_gone() {
    let client = Client::with(|folder| {
        Script::exec([Step::Spawn {
            steps: vec![Step::Spawn {
                steps: vec![
                    Step::Record(folder.join("grandchild")),
                    Step::Await(folder.join("go")),
                    Step::out("late"),
                    Step::Forever,
                ],
                place: Place::Session,
                pipes: Pipes::Inherit,
                wait: false,
            }],
            place: Place::Same,
            pipes: Pipes::Inherit,
            wait: true,
        }])
    });
    let mut child = client.start();
    assert!(child.wait().unwrap().success());
    until("the record", || client.file("grandchild").exists());
    let grandchild = Record::read(&client.file("grandchild")).unwrap();
    assert_ne!(grandchild.parent, i32::try_from(child.id()).unwrap());
    fs::write(client.file("go"), "").unwrap();
    let mut late = [0; 4];
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut late).unwrap();
    assert_eq!(&late, b"late");
    kill(grandchild.process);
    assert_eq!(out.read(&mut late).unwrap(), 0);
}

#[test]
fn a_second_installation_replaces_the_first() {
    let client = Client::new(&Script::exec([Step::Exit(1)]));
    let executable = Path::new(env!("CARGO_BIN_EXE_fake-codex"));
    let script = Script::exec([Step::Exit(4)]);
    let path = install(client.folder.path(), executable, &script).unwrap();
    assert_eq!(path, client.path);
    assert_eq!(client.run(b"").status.code(), Some(4));
}
