//! Oracles of the evidence beside an answer: what the stream and standard error told,
//! which client it was, and a process that was left behind.

mod calls;

use std::fs;
use std::thread;

use calls::{HEADERS, Place, alone, asked, wrapper};
use fake_codex::{Pipes, Step};
use obernant::{Product, Record, Table, Universe};
use oracles_teacher::{runs, stops};
use teacher::{Answered, Call, Probe};

/// A line of standard error about a refused tool call, and one about something else.
const REFUSED: &str = "2026-11-30T12:03:56.423360Z ERROR codex_core::tools::router: error=";
const OTHER: &str = "2026-11-30T12:03:56.423360Z ERROR codex_core::session: error=gone";

/// What is refused, in order.
const CALLS: [&str; 2] = [
    "unsupported call: exec_command",
    "unsupported call: update_plan",
];

/// What the dimensions of a case stand for.
struct Told {
    errors: usize,
    items: usize,
    refused: usize,
    known: bool,
    version: &'static str,
}

impl Told {
    fn of(case: &[usize]) -> Self {
        Self {
            errors: case[0],
            items: case[1],
            refused: case[2],
            known: case[3] == 0,
            version: ["null", "9.8.7", "0.171.0", "0.171.0", "null"][case[4]],
        }
    }

    /// The texts of the warnings: errors and items take turns.
    fn warnings(&self) -> Vec<String> {
        let errors = (0..self.errors).map(|at| (at, "lost"));
        let items = (0..self.items).map(|at| (at, "slow"));
        let mut warnings: Vec<_> = errors.chain(items).collect();
        warnings.sort_unstable();
        let words = |(at, word)| format!("{word} {at}");
        warnings.into_iter().map(words).collect()
    }

    fn words(&self) -> String {
        format!(
            "warnings {:?}, {} retries, usage {}, refused {:?}, version {}, {}",
            self.warnings(),
            self.errors,
            ["unknown", "known"][usize::from(self.known)],
            &CALLS[..self.refused],
            self.version,
            "asked gpt-5.5 at low",
        )
    }
}

fn evidence(case: &[usize]) -> String {
    let told = Told::of(case);
    let mut stream = HEADERS.to_owned();
    for warning in told.warnings() {
        stream += &if warning.starts_with("lost") {
            format!("{{\"type\":\"error\",\"message\":\"{warning}\"}}\n")
        } else {
            let item = format!("{{\"id\":\"w\",\"type\":\"error\",\"message\":\"{warning}\"}}");
            format!("{{\"type\":\"item.completed\",\"item\":{item}}}\n")
        };
    }
    let input = if told.known { 10 } else { 0 };
    stream += r#"{"type":"item.completed","item":{"id":"a","type":"agent_message","text":"yes"}}"#;
    stream += &format!(
        "\n{{\"type\":\"turn.completed\",\"usage\":{{\"input_tokens\":{input},\"output_tokens\":0}}}}\n"
    );
    let mut noise = format!("{OTHER}\n");
    for call in &CALLS[..told.refused] {
        noise += &format!("{REFUSED}{call}\n{OTHER}\n");
    }
    let place = Place::new(|_| {
        vec![
            Step::ReadPrompt(None),
            Step::out(&stream),
            Step::err(&noise),
        ]
    });
    // The client as npm leaves it: a link to the script of a package.
    let package = place.scene.file("package");
    let named = place.scene.file("named");
    fs::create_dir_all(package.join("bin")).expect("folders can be made");
    wrapper(&package.join("bin/codex.js"), place.scene.folder());
    std::os::unix::fs::symlink(package.join("bin/codex.js"), &named).expect("a link can be made");
    let name = ["@openai/codex", "@else/codex"][usize::from(case[4] == 4)];
    let manifest = format!("{{\"name\":\"{name}\",\"version\":\"0.171.0\",\"bin\":{{}}}}");
    fs::write(package.join("package.json"), manifest).expect("a file can be written");
    let probe = Probe {
        version: ["", "9.8.7", "", "0.171.0", ""][case[4]].to_owned(),
        features: Vec::new(),
    };
    let (name, outcome) = asked(&Call {
        client: Some(if [0, 3].contains(&case[4]) {
            place.scene.client()
        } else {
            &named
        }),
        probe: [1, 3].contains(&case[4]).then_some(&probe),
        ..place.call("What is six times seven?")
    });
    outcome.map_or_else(
        |failure| format!("{name}: {}", failure.message),
        |answered| words(&answered),
    )
}

fn words(answered: &Answered) -> String {
    let evidence = answered
        .reply
        .evidence
        .clone()
        .expect("a tolerant reply has evidence");
    format!(
        "warnings {:?}, {} retries, usage {}, refused {:?}, version {}, asked {} at {}",
        evidence.warnings,
        evidence.retries,
        if evidence.usage_known {
            "known"
        } else {
            "unknown"
        },
        answered.refused_tools,
        answered.client_version.as_deref().unwrap_or("null"),
        answered.model,
        answered.effort,
    )
}

#[test]
fn a_reply_carries_what_its_run_told() {
    let _alone = alone();
    let mut record = Record::start("a_reply_carries_what_its_run_told");
    let universe = Product::new()
        .with("error lines", 0..3)
        .with("error items", 0..2)
        .with("refused tools", 0..3)
        .with("input tokens", ["10", "0"])
        .with(
            "client",
            [
                "of no package, not asked",
                "of the package, and asked",
                "of the package, not asked",
                "of no package, and asked",
                "of another package, not asked",
            ],
        );
    let mut table = Table::new(
        "the call",
        &universe,
        |case| universe.words(case),
        |case, _| evidence(case),
    );
    // Which of the ways told the version can't be told from the reply.
    record.partition(
        &mut table,
        |outcome| outcome,
        |case| (case[..4].to_vec(), Told::of(case).version),
    );
    record.literal(&mut table, |case| Told::of(case).words());
    record.finish();
}

/// One call whose client starts a process that holds its outputs.
fn left(case: &[usize]) -> String {
    let &[end, holder] = case else {
        unreachable!("two dimensions")
    };
    let mut place = Place::new(|folder| {
        let mut steps = vec![Step::ReadPrompt(None), Step::answer("forty-two")];
        if holder > 0 {
            let place = [fake_codex::Place::Same, fake_codex::Place::Session][holder - 1];
            steps.push(Step::Spawn {
                steps: vec![
                    Step::Record(folder.join("holder")),
                    Step::Mark(folder.join("holds")),
                    Step::Await(folder.join("let-go")),
                ],
                place,
                pipes: Pipes::Inherit,
                wait: false,
            });
            steps.push(Step::Await(folder.join("holds")));
        }
        steps.push(Step::Exit([0, 1, 0][end]));
        steps
    });
    if end == 2 {
        place.log = place.scene.file("missing/log");
    }
    let (name, outcome) = asked(&place.call("What is six times seven?"));
    let found = match &outcome {
        Ok(answered) => answered.descendant_left,
        Err(failure) => failure.descendant_left,
    };
    let inner = outcome
        .as_ref()
        .err()
        .and_then(|failure| failure.reply.as_deref());
    let words = outcome.as_ref().err().map(|failure| {
        failure
            .message
            .contains("a process that left the client's group held its output")
    });
    let logged = fs::read_to_string(&place.log).ok();
    let logged = logged.map(|line| line.contains("\"descendant_left\":true"));
    // Out of the group it runs on until it is let go; in it, it is killed.
    let holder_id = place.scene.record("holder").map(|holder| holder.process);
    let runs_on = holder_id.is_some_and(|id| if holder == 2 { runs(id) } else { !stops(id) });
    fs::write(place.scene.file("let-go"), "").expect("a file can be written");
    let gone = holder_id.is_none_or(stops);
    let told = |told: Option<bool>| match told {
        None => "absent",
        Some(true) => "yes",
        Some(false) => "no",
    };
    format!(
        "{name}: left {}, in words {}, in the kept reply {}, in the log {}, and it runs {}{}",
        told(Some(found)),
        told(words),
        told(inner.map(|reply| reply.descendant_left)),
        told(logged),
        told(Some(runs_on)),
        if gone { "" } else { " for ever" },
    )
}

#[test]
fn a_process_that_was_left_is_told() {
    let _alone = alone();
    let mut record = Record::start("a_process_that_was_left_is_told");
    let universe = Product::new()
        .with(
            "the call ends",
            ["with a reply", "with exit code 1", "without a log"],
        )
        .with(
            "holder of the outputs",
            ["none", "in the group", "in a session of its own"],
        );
    // All at once, since each holder is waited for.
    let outcomes: Vec<String> = thread::scope(|scope| {
        let universe = &universe;
        let cases = (0..universe.len())
            .map(|index| scope.spawn(move || left(&universe.case(index))))
            .collect::<Vec<_>>();
        cases
            .into_iter()
            .map(|case| case.join().expect("a case ends"))
            .collect()
    });
    let mut table = Table::new(
        "the call",
        &universe,
        |case| universe.words(case),
        |case, _| outcomes[case[0] * 3 + case[1]].clone(),
    );
    // Only a process outside of the group is left.
    record.partition(
        &mut table,
        |outcome| outcome,
        |case| (case[0], case[1] == 2),
    );
    record.literal(&mut table, |case| {
        let left = ["no", "yes"][usize::from(case[1] == 2)];
        match case[0] {
            0 => format!(
                "reply: left {left}, in words absent, in the kept reply absent, in the log {left}, \
                 and it runs {left}"
            ),
            1 => format!(
                "exit: left {left}, in words {left}, in the kept reply absent, in the log absent, \
                 and it runs {left}"
            ),
            _ => format!(
                "log: left {left}, in words {left}, in the kept reply {left}, in the log absent, \
                 and it runs {left}"
            ),
        }
    });
    record.finish();
}
