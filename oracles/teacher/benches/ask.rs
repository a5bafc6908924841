//! A whole `ask` against a client that answers at once, as a ratio to starting
//! the same client without it; and its peak memory over the number of lines and
//! over the length of the longest one.
//!
//! Peak memory is that of a process of its own for each case: this program, called
//! again with the case as its argument. Linux only.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fake_codex::{Script, Step, Stream};
use oracles_teacher::Scene;
use teacher::{Call, ask};

const FAKE: &str = env!("CARGO_BIN_EXE_scripted-client");
const ROUNDS: usize = 200;
const MIB: usize = 1 << 20;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, case, number, ..] = &arguments[..]
        && let Ok(number) = number.parse()
    {
        return memory(case, number);
    }
    times();
    memories();
}

fn call(scene: &Scene) -> Duration {
    let log = scene.file("log");
    let begin = Instant::now();
    let answered = ask(&Call {
        prompt: "How many days has a leap year?",
        model: Some("gpt-5.5"),
        effort: Some("low"),
        timeout: Some(Duration::from_mins(1)),
        client: Some(scene.client()),
        log: Some(&log),
        ..Call::default()
    });
    let time = begin.elapsed();
    answered.expect("the client answers");
    time
}

/// The same client, started and waited for with nothing around it.
fn bare(client: &Path) -> Duration {
    let begin = Instant::now();
    let mut child = Command::new(client)
        .arg("exec")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the client starts");
    let mut input = child.stdin.take().expect("standard input is piped");
    input.write_all(b"How many?").expect("the client reads");
    drop(input);
    child.wait_with_output().expect("the client ends");
    begin.elapsed()
}

fn times() {
    let scene = Scene::new(FAKE, |_| {
        Script::exec([Step::ReadPrompt(None), Step::answer("366")])
    });
    let (mut asked, mut started) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        asked.push(call(&scene));
        started.push(bare(scene.client()));
    }
    asked.sort();
    started.sort();
    let (middle, worst) = (asked[ROUNDS / 2], asked[ROUNDS - 1]);
    let ratio = middle.as_secs_f64() / started[ROUNDS / 2].as_secs_f64();
    println!(
        "ask, answered at once: {:.2} ms in the middle, {:.2} ms at worst of {ROUNDS}; {ratio:.2} times the bare client",
        middle.as_secs_f64() * 1e3,
        worst.as_secs_f64() * 1e3,
    );
}

fn memories() {
    let base = peak("lines", 0);
    println!("peak memory of ask: {base} KiB without further lines");
    for lines in [1_000, 10_000, 100_000, 500_000] {
        let more = peak("lines", lines).saturating_sub(base);
        println!("  {lines:>7} lines of 60 bytes: {more:>6} KiB more");
    }
    for (case, name) in [
        ("plain", "plain"),
        ("escaped", "escaped"),
        ("two", "plain, twice"),
    ] {
        for mib in [1, 4, 15] {
            let more = peak(case, mib).saturating_sub(base);
            // The reply is the answer itself; an escape takes two bytes of the line.
            let reply = mib * MIB / 1024 / if case == "escaped" { 2 } else { 1 };
            let line = mib * MIB / 1024;
            let hundredths = more.saturating_sub(reply) * 100 / line;
            let (whole, part) = (hundredths / 100, hundredths % 100);
            println!(
                "  an answer in a line of {mib:>2} MiB, {name}: {more:>6} KiB more; beyond the reply {whole}.{part:02} times the line"
            );
        }
    }
}

/// The peak resident memory, in KiB, of a process that runs one case.
fn peak(case: &str, number: usize) -> usize {
    let program = std::env::current_exe().expect("this program has a path");
    let output = Command::new(program)
        .args([case, &number.to_string()])
        .output()
        .expect("this program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().unwrap_or_else(|_| {
        panic!(
            "{case} {number}: {}",
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

/// Runs one case and prints this process's peak.
fn memory(case: &str, number: usize) {
    let scene = Scene::new(FAKE, |folder| {
        let stream = Stream::Stdout;
        let answer = |text: String| {
            let path = folder.join("stream");
            let item = format!(
                "{{\"type\":\"item.completed\",\"item\":{{\"type\":\"agent_message\",\"text\":\"{text}\"}}}}\n"
            );
            fs::write(&path, item).expect("the folder can be written");
            Step::Copy { stream, path }
        };
        let mut steps = vec![Step::ReadPrompt(None)];
        match case {
            "lines" => steps.push(Step::Lines {
                stream,
                count: number,
                text: format!(
                    "{{\"type\":\"progress\",\"note\":\"{}\"}}\n",
                    "x".repeat(29)
                ),
            }),
            "escaped" => steps.push(answer("\\n".repeat(number * MIB / 2 - 1) + "ab")),
            "two" => {
                let step = answer("x".repeat(number * MIB));
                steps.extend([step.clone(), step]);
            }
            _ => steps.push(answer("x".repeat(number * MIB))),
        }
        if case == "lines" {
            steps.push(Step::answer("366"));
        } else {
            steps.push(Step::out(
                "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}\n",
            ));
        }
        Script::exec(steps)
    });
    // What made the scene must not count: the peak starts anew here.
    fs::write("/proc/self/clear_refs", "5").expect("the peak can be reset");
    call(&scene);
    let status = fs::read_to_string("/proc/self/status").expect("the kernel tells the peak");
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let peak = line.and_then(|line| line.split_whitespace().nth(1));
    println!("{}", peak.expect("the kernel tells the peak"));
}
