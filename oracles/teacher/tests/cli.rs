//! The command line as a person meets it: `teacher ask` with a client under each
//! fault, `teacher doctor`, exit codes, and that every message says what to do.
//! Plain tests; the rules behind the messages have their oracles elsewhere.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use fake_codex::{Pipes, Place, Script, Signal, Step, Stream};
use oracles_teacher::{Scene, patiently, runs, stops};
use rustix::process::{Pid, Signal as Sent, kill_process};
use serde_json::Value;

const FAKE: &str = env!("CARGO_BIN_EXE_scripted-client");
const TEACHER: &str = env!("CARGO_BIN_EXE_teacher-cli");

fn failed(message: &str) -> Step {
    let message = Value::from(message);
    Step::out(format!(
        "{{\"type\":\"turn.failed\",\"error\":{{\"message\":{message}}}}}\n"
    ))
}

fn scene(steps: impl IntoIterator<Item = Step>) -> Scene {
    Scene::new(FAKE, |folder| {
        let mut exec = vec![
            Step::Record(folder.join("client")),
            Step::ReadPrompt(Some(folder.join("prompt"))),
        ];
        exec.extend(steps);
        Script::exec(exec)
    })
}

/// The command in the scene's folder, with a prompt, a log and a time limit.
fn teacher(scene: &Scene, arguments: &[&str]) -> Command {
    fs::write(scene.file("question"), "How many days?").unwrap();
    let mut command = Command::new(TEACHER);
    command
        .args(arguments)
        .current_dir(scene.folder())
        .env("MOVA_TEACHER_CLIENT", scene.client())
        .env("MOVA_TEACHER_TIMEOUT", "30")
        .env_remove("MOVA_TEACHER_MODEL")
        .env_remove("MOVA_TEACHER_EFFORT")
        .env_remove("MOVA_TEACHER_LOG");
    command
}

const ASK: [&str; 3] = ["ask", "--prompt-file", "question"];

fn ask(scene: &Scene, change: impl FnOnce(&mut Command)) -> Output {
    let mut command = teacher(scene, &ASK);
    change(&mut command);
    command.output().unwrap()
}

fn out(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn err(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// The exit code, the error line and the help of a call that fails.
fn fails(output: &Output, code: i32, error: &str, help: &str) {
    let text = err(output);
    assert_eq!(output.status.code(), Some(code), "{text}");
    let line = |head: &str| {
        let found = text.lines().find(|line| line.starts_with(head));
        found.unwrap_or_else(|| panic!("no {head} in {text}"))
    };
    assert!(line("error: ").contains(error), "{text}");
    assert!(line("help: ").contains(help), "{text}");
}

#[test]
fn an_answer_is_printed_alone_and_the_call_is_logged() {
    let scene = scene([Step::answer("365, or 366")]);
    let output = ask(&scene, |_| {});
    assert_eq!(out(&output), "365, or 366\n");
    assert_eq!(err(&output), "");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(fs::read(scene.file("prompt")).unwrap(), b"How many days?");
    let log = fs::read_to_string(scene.file("teacher-calls.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 1);
    assert!(!log.contains("366") && !log.contains("days"), "{log}");
    // The client worked in a directory of the call's own, which is gone.
    let directory = scene.record("client").unwrap().directory.unwrap();
    assert_ne!(Path::new(&directory), scene.folder());
    assert!(!Path::new(&directory).exists());
}

#[test]
fn json_has_the_reply_and_its_evidence() {
    let refused = "2026-11-30T12:03:56Z ERROR codex_core::tools::router: error=unsupported call\n";
    let scene = scene([
        Step::out("{\"type\":\"error\",\"message\":\"Reconnecting... 1/5\"}\n"),
        Step::err(refused),
        Step::answer("4"),
    ]);
    let output = ask(&scene, |command| {
        command.args([
            "--json", "--model", "gpt-x", "--effort", "low", "--cwd", ".",
        ]);
    });
    let reply: Value = serde_json::from_str(out(&output)).unwrap();
    assert_eq!(reply["result"], "4");
    assert_eq!(reply["model"], "gpt-x");
    assert_eq!(reply["effort"], "low");
    assert_eq!(reply["retries"], 1);
    assert_eq!(reply["usage_known"], true);
    assert_eq!(
        reply["refused_tools"],
        serde_json::json!(["unsupported call"])
    );
    assert_eq!(reply["client_version"], Value::Null);
    assert_eq!(reply["descendant_left"], false);
    let directory = scene.record("client").unwrap().directory.unwrap();
    let directory = fs::canonicalize(directory).unwrap();
    assert_eq!(directory, fs::canonicalize(scene.folder()).unwrap());
}

#[test]
fn what_a_person_should_know_of_an_answer_is_noted() {
    let usage = r#"{"type":"turn.completed","usage":{"input_tokens":0,"output_tokens":0}}"#;
    let answer = r#"{"type":"item.completed","item":{"type":"agent_message","text":"4"}}"#;
    let scene = scene([Step::out(format!(
        "{{\"type\":\"error\",\"message\":\"cut \\u001b[31m off\"}}\n{answer}\n{usage}\n"
    ))]);
    let output = ask(&scene, |_| {});
    assert_eq!(out(&output), "4\n");
    let text = err(&output);
    assert!(
        text.contains("note: the client warned: cut \\u{1b}[31m off"),
        "{text}"
    );
    assert!(text.contains("zeros mean unknown"), "{text}");
}

#[test]
fn a_choice_that_breaks_a_rule_is_refused_before_anything_starts() {
    let scene = scene([Step::answer("4")]);
    let refused = [
        (
            "--model",
            "o3",
            "must begin with \"gpt-\"",
            "MOVA_TEACHER_MODEL",
        ),
        (
            "--effort",
            "extreme",
            "low, medium, high or xhigh",
            "--effort",
        ),
        (
            "--cwd",
            "nowhere",
            "nowhere is no working directory",
            "exists",
        ),
        ("--cwd", "question", "it is a file", "exists"),
    ];
    for (option, value, error, help) in refused {
        let output = ask(&scene, |command| {
            command.args([option, value]);
        });
        fails(&output, 2, error, help);
    }
    let output = ask(&scene, |command| {
        command.env("MOVA_TEACHER_TIMEOUT", "soon");
    });
    fails(&output, 2, "time limit \"soon\"", "MOVA_TEACHER_TIMEOUT");
    assert!(scene.record("client").is_none(), "the client was started");
}

#[test]
fn a_prompt_that_the_client_would_refuse_is_refused_here() {
    let scene = scene([Step::answer("4")]);
    fs::write(scene.file("blank"), " \n").unwrap();
    fs::write(scene.file("latin"), b"caf\xe9").unwrap();
    for (file, words) in [
        ("absent", "cannot read the prompt absent"),
        ("blank", "is blank"),
        ("latin", "is no UTF-8"),
    ] {
        let output = teacher(&scene, &["ask", "--prompt-file", file])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(err(&output).contains(words), "{}", err(&output));
    }
    assert!(scene.record("client").is_none(), "the client was started");
}

#[test]
fn a_client_that_is_not_there_is_told_with_the_way_to_get_it() {
    let scene = scene([]);
    let output = ask(&scene, |command| {
        command.args(["--client", "./absent"]);
    });
    fails(
        &output,
        3,
        "./absent can't be started",
        "npm install -g @openai/codex",
    );
    let output = ask(&scene, |command| {
        command.args(["--client", "./question"]);
    });
    fails(&output, 3, "./question can't be started", "chmod +x");
}

#[test]
fn each_fault_of_a_client_is_told_with_what_to_do() {
    let busy = "Selected model is at capacity. Please try a different model.";
    let limit = "You've hit your usage limit.";
    let faults: [(&str, Vec<Step>, &str, &str); 9] = [
        (
            "busy",
            vec![failed(busy), Step::Exit(1)],
            busy,
            "ask again later",
        ),
        (
            "usage limit",
            vec![failed(limit), Step::Exit(1)],
            limit,
            "do what it says",
        ),
        (
            "bad configuration",
            vec![Step::err("Error: no such model\n"), Step::Exit(1)],
            "exit status: 1",
            "teacher doctor",
        ),
        (
            "killed",
            vec![Step::SignalSelf(Signal::Kill)],
            "signal: 9",
            "teacher doctor",
        ),
        (
            "no answer",
            vec![Step::out("{\"type\":\"turn.started\"}\n")],
            "without an answer",
            "change the prompt",
        ),
        (
            "half a line",
            vec![Step::out("{\"type\":\"item.compl")],
            "malformed_json",
            "teacher doctor",
        ),
        (
            "not UTF-8",
            vec![Step::Bytes {
                stream: Stream::Stdout,
                bytes: vec![0xff, b'\n'],
            }],
            "not_utf8",
            "damaged",
        ),
        (
            "flood",
            vec![
                Step::Fill {
                    stream: Stream::Stdout,
                    bytes: (32 << 20) + 1,
                    line: 4096,
                },
                Step::Forever,
            ],
            "standard output",
            "what it repeats",
        ),
        (
            "loud",
            vec![
                Step::Fill {
                    stream: Stream::Stderr,
                    bytes: (32 << 20) + 1,
                    line: 4096,
                },
                Step::Forever,
            ],
            "standard error",
            "what it repeats",
        ),
    ];
    for (name, steps, error, help) in faults {
        let scene = scene(steps);
        let output = ask(&scene, |_| {});
        eprintln!("{name}");
        fails(&output, 1, error, help);
        assert!(
            !scene.file("teacher-calls.jsonl").exists(),
            "{name} was logged"
        );
        let client = scene.record("client").unwrap();
        assert!(!runs(client.process), "{name}: the client still runs");
        assert!(!Path::new(&client.directory.unwrap()).exists(), "{name}");
    }
}

/// A call that meets its time limit, of a client that had recorded itself by then.
fn limited(script: impl Fn(&Path) -> Script) -> (Scene, Output) {
    patiently(|time| {
        let scene = Scene::new(FAKE, &script);
        let output = ask(&scene, |command| {
            let seconds = time.as_secs().to_string();
            command.env("MOVA_TEACHER_TIMEOUT", seconds).arg("--json");
        });
        scene.record("client")?;
        Some((scene, output))
    })
}

#[test]
fn a_client_beyond_its_time_is_killed_with_its_group() {
    let (scene, output) = limited(|folder| {
        Script::exec([
            Step::IgnoreTerminate,
            Step::Spawn {
                steps: vec![
                    Step::IgnoreTerminate,
                    Step::Record(folder.join("helper")),
                    Step::Forever,
                ],
                place: Place::Same,
                pipes: Pipes::Inherit,
                wait: false,
            },
            Step::Await(folder.join("helper")),
            Step::Record(folder.join("client")),
            Step::Forever,
        ])
    });
    assert_eq!(output.status.code(), Some(1));
    let failure: Value = serde_json::from_str(out(&output)).unwrap();
    assert_eq!(failure["error"], "timeout");
    assert_eq!(failure["descendant_left"], false);
    assert!(
        failure["help"]
            .as_str()
            .unwrap()
            .contains("MOVA_TEACHER_TIMEOUT")
    );
    for name in ["client", "helper"] {
        assert!(
            stops(scene.record(name).unwrap().process),
            "{name} still runs"
        );
    }
}

#[test]
fn a_client_that_left_its_own_group_is_killed_too() {
    let (scene, output) = limited(|folder| {
        Script::exec([
            Step::LeaveGroup,
            Step::Record(folder.join("client")),
            Step::Forever,
        ])
    });
    let failure: Value = serde_json::from_str(out(&output)).unwrap();
    assert_eq!(failure["error"], "timeout");
    assert_eq!(failure["descendant_left"], false);
    let client = scene.record("client").unwrap();
    assert_ne!(client.process, client.group);
    assert!(!runs(client.process), "the client still runs");
}

#[test]
fn a_caller_that_ignores_the_end_of_children_gets_its_answer() {
    let scene = scene([Step::answer("4")]);
    let teacher = teacher(&scene, &ASK);
    // Of GNU coreutils since 8.31.
    let mut ignoring = Command::new("env");
    ignoring
        .arg("--ignore-signal=CHLD")
        .arg(teacher.get_program())
        .args(teacher.get_args())
        .current_dir(scene.folder());
    for (name, value) in teacher.get_envs() {
        match value {
            Some(value) => ignoring.env(name, value),
            None => ignoring.env_remove(name),
        };
    }
    let output = ignoring.output().unwrap();
    assert_eq!(out(&output), "4\n", "{}", err(&output));
    assert!(!runs(scene.record("client").unwrap().process));
}

#[test]
fn a_log_that_fails_does_not_lose_the_answer() {
    let scene = scene([Step::answer("366")]);
    let output = ask(&scene, |command| {
        command.env("MOVA_TEACHER_LOG", "absent/log");
    });
    assert_eq!(out(&output), "366\n");
    fails(
        &output,
        1,
        "absent/log can't be written",
        "MOVA_TEACHER_LOG",
    );
    let output = ask(&scene, |command| {
        command.env("MOVA_TEACHER_LOG", "absent/log").arg("--json");
    });
    let failure: Value = serde_json::from_str(out(&output)).unwrap();
    assert_eq!(failure["error"], "log");
    assert_eq!(failure["reply"]["result"], "366");
}

/// Waits until the client has recorded itself; then it has nothing left to do.
fn await_client(scene: &Scene, teacher: &mut Child) -> i32 {
    loop {
        if let Some(client) = scene.record("client") {
            return client.process;
        }
        assert!(teacher.try_wait().unwrap().is_none(), "it ended early");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

#[test]
fn an_interrupt_ends_the_client_and_leaves_nothing() {
    for signal in [Sent::INT, Sent::TERM, Sent::HUP] {
        let scene = scene([Step::Forever]);
        let mut teacher = teacher(&scene, &ASK);
        let mut teacher = teacher.stderr(Stdio::piped()).spawn().unwrap();
        let client = await_client(&scene, &mut teacher);
        kill_process(Pid::from_child(&teacher), signal).unwrap();
        let output = teacher.wait_with_output().unwrap();
        fails(&output, 130, "interrupted", "not known");
        assert!(stops(client), "the client still runs");
        let directory = scene.record("client").unwrap().directory.unwrap();
        assert!(!Path::new(&directory).exists());
    }
}

#[test]
fn an_interrupt_ends_a_client_that_is_only_asked() {
    for arguments in [
        &["doctor"][..],
        &["ask", "--prompt-file", "question", "--probe"],
    ] {
        let scene = Scene::new(FAKE, |folder| Script {
            version: vec![Step::Record(folder.join("client")), Step::Forever],
            ..Script::default()
        });
        let mut teacher = teacher(&scene, arguments).spawn().unwrap();
        let client = await_client(&scene, &mut teacher);
        kill_process(Pid::from_child(&teacher), Sent::INT).unwrap();
        assert_eq!(teacher.wait().unwrap().code(), Some(130));
        assert!(stops(client), "the client still runs");
    }
}

/// A client that answers the free questions; `features` leaves one out.
fn installed(features: &[&str], login: [Step; 2]) -> Scene {
    Scene::new(FAKE, |_| Script {
        version: vec![Step::out("codex-cli 0.171.0\n")],
        features: features
            .iter()
            .map(|name| Step::out(format!("{name}   under development  false\n")))
            .collect(),
        login: login.into(),
        ..Script::exec([Step::ReadPrompt(None), Step::answer("4")])
    })
}

fn logged_in() -> [Step; 2] {
    [Step::err("Logged in using ChatGPT\n"), Step::Exit(0)]
}

#[test]
fn the_doctor_finds_a_good_client_good() {
    let scene = installed(&teacher::FEATURES, logged_in());
    let output = teacher(&scene, &["doctor"]).output().unwrap();
    let text = out(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for line in [
        "ok   version    0.171.0\n",
        "ok   features   13 of 13 that are switched off are known\n",
        "ok   login      Logged in using ChatGPT\n",
        "ok   model      gpt-5.5\n",
        "ok   time limit 30 seconds\n",
    ] {
        assert!(text.contains(line), "no {line:?} in\n{text}");
    }
    assert!(!text.contains("BAD"), "{text}");
}

#[test]
fn the_doctor_says_what_is_wrong_and_what_to_do() {
    let login = [Step::err("Not logged in\n"), Step::Exit(1)];
    let scene = installed(&teacher::FEATURES[1..], login);
    let mut command = teacher(&scene, &["doctor"]);
    command.env("MOVA_TEACHER_EFFORT", "extreme");
    let output = command.output().unwrap();
    let text = out(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for words in [
        "BAD  features   12 of 13 that are switched off are known; it would refuse shell_tool",
        "BAD  login      Not logged in",
        "help: log in with ChatGPT: codex login",
        "BAD  effort     effort \"extreme\" must be",
    ] {
        assert!(text.contains(words), "no {words:?} in\n{text}");
    }
    let output = teacher(&scene, &["doctor", "--client", "./absent"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(
        out(&output).contains("help: install it (npm"),
        "{}",
        out(&output)
    );
}

#[test]
fn a_probe_refuses_a_client_before_the_prompt_is_sent() {
    let scene = installed(&teacher::FEATURES[..12], logged_in());
    let output = ask(&scene, |command| {
        command.arg("--probe");
    });
    fails(&output, 1, "tool_suggest", "install a version");
    assert_eq!(out(&output), "");
    let output = ask(&scene, |command| {
        command.args(["--probe", "--json"]);
    });
    let failure: Value = serde_json::from_str(out(&output)).unwrap();
    assert_eq!(failure["error"], "probe");
    assert!(
        failure["message"]
            .as_str()
            .unwrap()
            .contains("tool_suggest")
    );
    let scene = installed(&teacher::FEATURES, logged_in());
    let output = ask(&scene, |command| {
        command.args(["--probe", "--json"]);
    });
    let reply: Value = serde_json::from_str(out(&output)).unwrap();
    assert_eq!(reply["client_version"], "0.171.0");
}
