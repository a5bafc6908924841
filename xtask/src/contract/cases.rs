//! The cases: what the server answers in each, and what has to be seen.

use serde::Serialize;
use serde_json::{Value, json};

use super::Outputs;
use super::server::{Answer, Request, completed, created, failed, item, message};
use super::stage::Ran;

/// What is asked in every case: several lines, and characters that are easily lost.
pub(super) const PROMPT: &str = "What is two and two?\n\u{2028}\t«Say it in words» \\ \"🙂\".\n";
/// What the model says in the end.
const ANSWER: &str = "It is four. \u{2028}«Four».";
/// What it says in a stream that breaks.
const HALF: &str = "It is";
/// The tools that the client offers the model although the launch switches off
/// what it can. Both are refused when they are called.
const TOOLS: [&str; 2] = ["apply_patch", "request_user_input"];

pub(super) struct Case {
    pub(super) name: &'static str,
    /// For the help.
    pub(super) told: &'static str,
    pub(super) answers: fn() -> Vec<Answer>,
    /// The transport's time limit.
    pub(super) seconds: u64,
    expect: fn(&mut Judge<'_>),
}

pub(super) static CASES: [Case; 6] = [
    Case {
        name: "normal",
        told: "one answer",
        answers: || vec![whole()],
        seconds: 120,
        expect: |judge| {
            judge.answer(1, &[]);
            judge.counts(1);
            judge.same("retries", judge.told("/retries"), 0);
            judge.same("warnings", judge.told("/warnings"), json!([]));
            judge.first_request();
        },
    },
    Case {
        name: "reconnect",
        told: "a stream that breaks after a message, then an answer",
        answers: || vec![broken(), whole()],
        seconds: 120,
        expect: |judge| {
            judge.answer(2, &[]);
            judge.counts(1);
            judge.same("retries", judge.told("/retries"), 1);
            judge.part("warnings", judge.told("/warnings/0"), "stream disconnected");
        },
    },
    Case {
        name: "overload",
        told: "a provider without capacity",
        answers: || {
            vec![Answer::Whole(vec![
                created(),
                failed("server_is_overloaded"),
            ])]
        },
        seconds: 120,
        expect: |judge| {
            judge.failure("exit", 1);
            judge.part(
                "message",
                judge.told("/message"),
                "Selected model is at capacity",
            );
            judge.same("stream/error", judge.told("/stream/error"), "turn_failed");
            judge.part("help", judge.told("/help"), "no capacity");
        },
    },
    Case {
        name: "disconnect",
        told: "a stream that breaks after a message each time",
        answers: || vec![broken()],
        seconds: 120,
        expect: |judge| {
            // The client asks again five times.
            judge.failure("exit", 6);
            judge.part("message", judge.told("/message"), "stream disconnected");
            judge.same("stream/error", judge.told("/stream/error"), "turn_failed");
        },
    },
    Case {
        name: "tools",
        told: "calls of a shell and of a tool that writes a file, then an answer",
        answers: || vec![calls(), whole()],
        seconds: 120,
        expect: |judge| {
            judge.answer(
                2,
                &[
                    "patch rejected: writing is blocked by read-only sandbox; \
                     rejected by user approval settings",
                    "unsupported call: exec_command",
                ],
            );
            judge.counts(2);
        },
    },
    Case {
        name: "kill",
        told: "a server that never answers; the time limit is five seconds",
        answers: || vec![Answer::Never],
        seconds: 5,
        expect: |judge| judge.failure("timeout", 1),
    },
];

fn whole() -> Answer {
    Answer::Whole(vec![created(), message(ANSWER), completed()])
}

fn broken() -> Answer {
    Answer::Broken(vec![created(), message(HALF)])
}

fn calls() -> Answer {
    let shell = json!({
        "type": "function_call",
        "id": "call-item-1",
        "call_id": "call-1",
        "name": "exec_command",
        "arguments": json!({"cmd": "touch made"}).to_string(),
    });
    let patch = json!({
        "type": "custom_tool_call",
        "id": "call-item-2",
        "call_id": "call-2",
        "name": "apply_patch",
        "input": "*** Begin Patch\n*** Add File: made\n+text\n*** End Patch\n",
    });
    Answer::Whole(vec![created(), item(&shell), item(&patch), completed()])
}

/// All that was seen of one case.
pub(super) struct Seen {
    version: String,
    pub(super) ran: Ran,
    /// What the transport printed; null where it is no JSON.
    told: Value,
    pub(super) requests: Vec<Request>,
}

impl Seen {
    pub(super) fn new(
        version: &str,
        outputs: &Outputs,
        ran: Ran,
        requests: Vec<Request>,
    ) -> anyhow::Result<Self> {
        let told = std::fs::read(&outputs.stdout)?;
        Ok(Self {
            version: version.to_owned(),
            ran,
            told: serde_json::from_slice(&told).unwrap_or_default(),
            requests,
        })
    }

    /// The requests for an answer.
    pub(super) fn turns(&self) -> impl Iterator<Item = &Request> {
        self.requests.iter().filter(|request| request.is_turn())
    }
}

impl Case {
    /// What was seen and not expected; empty where the case is as expected.
    pub(super) fn differences(&self, seen: &Seen) -> Vec<String> {
        let mut judge = Judge {
            seen,
            found: Vec::new(),
        };
        (self.expect)(&mut judge);
        judge.always();
        judge.found
    }
}

struct Judge<'a> {
    seen: &'a Seen,
    found: Vec<String>,
}

impl<'a> Judge<'a> {
    /// A value of what the transport printed, by its JSON pointer.
    fn told(&self, pointer: &str) -> &'a Value {
        self.seen.told.pointer(pointer).unwrap_or(&Value::Null)
    }

    fn same(&mut self, what: &str, seen: impl Serialize, wanted: impl Serialize) {
        let (seen, wanted) = (json!(seen), json!(wanted));
        if seen != wanted {
            self.found.push(format!("{what}: {seen}, not {wanted}"));
        }
    }

    fn part(&mut self, what: &str, seen: &Value, wanted: &str) {
        if !seen.as_str().is_some_and(|text| text.contains(wanted)) {
            self.found
                .push(format!("{what}: {seen}, without {wanted:?}"));
        }
    }

    /// The answer of the last turn, and these refusals in the order of their text.
    fn answer(&mut self, turns: usize, refused: &[&str]) {
        self.same("exit code", self.seen.ran.code, 0);
        self.same("message", self.told("/message"), Value::Null);
        self.same("result", self.told("/result"), ANSWER);
        self.same("is_error", self.told("/is_error"), false);
        self.same("model", self.told("/model"), "gpt-5.5");
        self.same("version", self.told("/client_version"), &self.seen.version);
        // The client runs the calls of one turn side by side.
        let told = self.told("/refused_tools").as_array().into_iter().flatten();
        let mut told: Vec<&str> = told.filter_map(Value::as_str).collect();
        told.sort_unstable();
        self.same("refused_tools", told, refused);
        self.same("lines of the call log", self.seen.ran.logged, 1);
        self.turns(turns);
    }

    /// The counts of so many completed answers.
    fn counts(&mut self, times: u64) {
        self.same("usage_known", self.told("/usage_known"), true);
        for (name, once) in [
            ("input_tokens", 120),
            ("cache_read_input_tokens", 40),
            ("output_tokens", 17),
            ("reasoning_output_tokens", 5),
        ] {
            let seen = self.told(&format!("/usage/{name}"));
            self.same(name, seen, once * times);
        }
    }

    fn failure(&mut self, error: &str, turns: usize) {
        self.same("exit code", self.seen.ran.code, 1);
        self.same("error", self.told("/error"), error);
        self.same("result", self.told("/result"), Value::Null);
        self.same("lines of the call log", self.seen.ran.logged, 0);
        self.turns(turns);
    }

    fn turns(&mut self, wanted: usize) {
        self.same("requests for an answer", self.seen.turns().count(), wanted);
    }

    /// What the client made of the launch and of the prompt.
    fn first_request(&mut self) {
        let Some(request) = self.seen.turns().next() else {
            return;
        };
        let body = &request.body;
        self.same("model asked for", &body["model"], "gpt-5.5");
        self.same("effort asked for", &body["reasoning"]["effort"], "medium");
        let last = body["input"].as_array().and_then(|input| input.last());
        let prompt = last.map(|last| &last["content"][0]["text"]);
        self.same("prompt as it came", prompt, PROMPT);
        let tools = body["tools"].as_array().into_iter().flatten();
        let mut tools: Vec<&str> = tools.filter_map(|tool| tool["name"].as_str()).collect();
        tools.sort_unstable();
        self.same("tools offered to the model", tools, TOOLS);
    }

    /// What holds in every case.
    fn always(&mut self) {
        let ran = &self.seen.ran;
        self.same("ended from here", ran.overran, false);
        self.same("the client led its group", ran.led, true);
        self.same("processes left", &ran.left, json!([]));
        self.same("login file as it was", ran.login, true);
        self.same("files in the working directory", ran.files, 0);
        let requests = self.seen.requests.iter();
        let strange = requests.filter(|it| !it.login || it.path.contains("analytics"));
        let strange: Vec<&str> = strange.map(|it| it.path.as_str()).collect();
        self.same(
            "requests without the login, or of analytics",
            strange,
            json!([]),
        );
    }
}
