//! Oracles of the launch policy: every argument in its order, what is said and
//! never said, which variables a started client does not inherit, and what a
//! launch tells of its choice. The arguments are written out here.

mod policy;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};

use fake_codex::{Script, Step};
use obernant::{Product, Record, Table, Universe};
use oracles_teacher::Scene;
use policy::{DISABLED, REMOVED, inherited, require_inheritance};
use teacher::{Effort, Launch, command, exec_args};

const EFFORTS: [(Effort, &str); 4] = [
    (Effort::Low, "low"),
    (Effort::Medium, "medium"),
    (Effort::High, "high"),
    (Effort::Xhigh, "xhigh"),
];

/// Texts that may stand for a model; the launch judges none of them.
const MODELS: [&str; 7] = [
    "gpt-5.5",
    "gpt-",
    "",
    "-",
    "--disable",
    "a model",
    "gpt-5.5\n-c",
];
const CLIENTS: [&[u8]; 3] = [b"codex", b"/opt/a client/codex", b"/opt/\xff/codex"];
const DIRECTORIES: [&[u8]; 3] = [b".", b"/srv/a folder", b"/srv/\xff"];

fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// All arguments in their order. Beside the model and the effort nothing in them
/// is open.
fn arguments<'a>(model: &'a str, effort: &'a str) -> Vec<&'a str> {
    vec![
        "exec",
        "--json",
        "--color",
        "never",
        "--ephemeral",
        "--ignore-user-config",
        "--ignore-rules",
        "--skip-git-repo-check",
        "--sandbox",
        "read-only",
        "-c",
        r#"forced_login_method="chatgpt""#,
        "-c",
        r#"web_search="disabled""#,
        "-c",
        "project_doc_max_bytes=0",
        "-c",
        "skills.include_instructions=false",
        "-c",
        "analytics.enabled=false",
        "-c",
        match effort {
            "low" => r#"model_reasoning_effort="low""#,
            "medium" => r#"model_reasoning_effort="medium""#,
            "high" => r#"model_reasoning_effort="high""#,
            "xhigh" => r#"model_reasoning_effort="xhigh""#,
            other => panic!("{other} is no effort"),
        },
        "-m",
        model,
        "--disable",
        "shell_tool",
        "--disable",
        "unified_exec",
        "--disable",
        "apps",
        "--disable",
        "multi_agent",
        "--disable",
        "goals",
        "--disable",
        "memories",
        "--disable",
        "hooks",
        "--disable",
        "plugins",
        "--disable",
        "view_image",
        "--disable",
        "image_generation",
        "--disable",
        "browser_use",
        "--disable",
        "computer_use",
        "--disable",
        "tool_suggest",
        "-",
    ]
}

/// What is started, where, with what, without what.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    program: OsString,
    directory: OsString,
    arguments: Vec<OsString>,
    removed: Vec<OsString>,
}

/// A launch as its fields tell it.
fn fields(launch: &Launch) -> Seen {
    Seen {
        program: launch.program.clone().into(),
        directory: launch.directory.clone().into(),
        arguments: launch.arguments.iter().map(OsString::from).collect(),
        removed: launch.removed.iter().map(OsString::from).collect(),
    }
}

/// A launch as the standard library would start it; what is set counts as removed
/// under a name that no variable has.
fn standard(launch: &Launch) -> Seen {
    let command = launch.to_command();
    let removed = command.get_envs().map(|(name, value)| match value {
        None => name.to_owned(),
        Some(_) => OsString::from(format!("{} is set", name.display())),
    });
    Seen {
        program: command.get_program().to_owned(),
        directory: command
            .get_current_dir()
            .map_or_else(OsString::new, Into::into),
        arguments: command.get_args().map(OsStr::to_owned).collect(),
        removed: removed.collect(),
    }
}

type View = fn(&Launch) -> Seen;

/// The two views of a launch.
const VIEWS: [(&str, View); 2] = [("the launch itself", fields), ("its command", standard)];

fn launches() -> Product {
    Product::new()
        .with("client", CLIENTS.map(|it| it.escape_ascii().to_string()))
        .with(
            "directory",
            DIRECTORIES.map(|it| it.escape_ascii().to_string()),
        )
        .with("model", MODELS.map(|it| format!("{it:?}")))
        .with("effort", EFFORTS.map(|(_, name)| name))
        .with("seen as", VIEWS.map(|(words, _)| words))
}

fn seen(case: &[usize]) -> Seen {
    let (client, directory) = (path(CLIENTS[case[0]]), path(DIRECTORIES[case[1]]));
    let launch = command(client, directory, MODELS[case[2]], EFFORTS[case[3]].0);
    VIEWS[case[4]].1(&launch)
}

#[test]
fn command_uses_stdin_isolation_and_subscription_auth() {
    let mut record = Record::start("command_uses_stdin_isolation_and_subscription_auth");
    let universe = launches();
    for index in 0..universe.len() {
        let case = universe.case(index);
        let words = universe.words(&case);
        let seen = seen(&case);
        let (model, (effort, name)) = (MODELS[case[2]], EFFORTS[case[3]]);
        record.equal(
            &format!("the program of <{words}>"),
            &seen.program.as_bytes(),
            &CLIENTS[case[0]],
        );
        record.equal(
            &format!("the directory of <{words}>"),
            &seen.directory.as_bytes(),
            &DIRECTORIES[case[1]],
        );
        let due = arguments(model, name);
        for (at, due) in due.iter().enumerate() {
            let found = seen.arguments.get(at).map(OsString::as_os_str);
            let words = format!("argument {} of <{words}>", at + 1);
            record.equal(&words, &found, &Some(OsStr::new(due)));
        }
        record.equal(
            &format!("the number of arguments of <{words}>"),
            &seen.arguments.len(),
            &due.len(),
        );
        let own = exec_args(model, effort);
        record.equal(&format!("the arguments alone of <{words}>"), &own, &{
            due.into_iter().map(str::to_owned).collect::<Vec<_>>()
        });
        for feature in DISABLED {
            let pair = [OsStr::new("--disable"), OsStr::new(feature)];
            let count = seen.arguments.windows(2).filter(|it| *it == pair).count();
            let words = format!("how often <{words}> switches {feature} off");
            record.equal(&words, &count, &1);
        }
        for name in REMOVED {
            let count = seen.removed.iter().filter(|it| *it == name).count();
            record.equal(&format!("how often <{words}> removes {name}"), &count, &1);
        }
        record.equal(
            &format!("the number of removed variables of <{words}>"),
            &seen.removed.len(),
            &REMOVED.len(),
        );
    }
    // Launches are equal exactly where the four choices are, in whatever form they are seen.
    let mut table = Table::new(
        "the launch",
        &universe,
        |case| universe.words(case),
        |case, _| {
            let mut seen = seen(case);
            seen.removed.sort();
            format!("{seen:?}")
        },
    );
    record.partition(
        &mut table,
        |outcome| outcome,
        |case| {
            let directory = DIRECTORIES[case[1]].escape_ascii().to_string();
            let client = CLIENTS[case[0]].escape_ascii().to_string();
            (client, directory, MODELS[case[2]], EFFORTS[case[3]].1)
        },
    );
    record.finish();
}

#[test]
fn a_started_client_sees_the_whole_launch() {
    let mut record = Record::start("a_started_client_sees_the_whole_launch");
    let scene = Scene::new(env!("CARGO_BIN_EXE_scripted-client"), |folder| {
        Script::exec([Step::Record(folder.join("seen"))])
    });
    let folders = ["first", "second folder"];
    for folder in folders {
        fs::create_dir(scene.file(folder)).expect("a folder can be made");
    }
    let universe = Product::new()
        .with("directory", folders)
        .with("model", MODELS.map(|it| format!("{it:?}")))
        .with("effort", EFFORTS.map(|(_, name)| name));
    let name = |case: &[usize]| {
        let (model, effort) = (MODELS[case[1]], EFFORTS[case[2]].1);
        format!(
            "all arguments for {model:?} at {effort} in {}",
            folders[case[0]]
        )
    };
    let mut table = Table::new(
        "the started client",
        &universe,
        |case| universe.words(case),
        |case, _| {
            let directory = scene.file(folders[case[0]]);
            let _ = fs::remove_file(scene.file("seen"));
            let (model, effort) = (MODELS[case[1]], EFFORTS[case[2]].0);
            let status = command(scene.client(), &directory, model, effort)
                .to_command()
                .stdin(Stdio::null())
                .status();
            assert!(status.is_ok_and(|status| status.success()), "it ran");
            let seen = scene.record("seen").expect("the client recorded itself");
            let folder = fs::canonicalize(&directory).expect("the folder is there");
            if seen.directory.as_deref() != folder.to_str() {
                return format!("another directory than {}", folders[case[0]]);
            }
            let due = arguments(model, EFFORTS[case[2]].1);
            match (0..due.len().max(seen.arguments.len()))
                .find(|&at| due.get(at).copied() != seen.arguments.get(at).map(String::as_str))
            {
                None => name(case),
                Some(at) => format!("argument {}: {:?}", at + 1, seen.arguments.get(at)),
            }
        },
    );
    record.partition(
        &mut table,
        |outcome| outcome,
        |case| (folders[case[0]], MODELS[case[1]], EFFORTS[case[2]].1),
    );
    for index in 0..universe.len() {
        let name = name(&universe.case(index));
        record.equal(&format!("launches with {name}"), &table.seen(&name), &1);
    }
    record.finish();
}

/// Models that are no option and so can't be mistaken for one.
const PLAIN: [&str; 3] = ["gpt-5.5", "gpt-5.5-codex", "gpt-"];

/// What may be said in the arguments, and for which model or effort it is due.
enum Due {
    Always,
    Never,
    Model(usize),
    Effort(usize),
}

fn statements() -> Vec<(Vec<String>, Due)> {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let always = [
        "exec",
        "--json",
        "--color never",
        "--ephemeral",
        "--ignore-user-config",
        "--ignore-rules",
        "--skip-git-repo-check",
        "--sandbox read-only",
        r#"-c forced_login_method="chatgpt""#,
        r#"-c web_search="disabled""#,
        "-c project_doc_max_bytes=0",
        "-c skills.include_instructions=false",
        "-c analytics.enabled=false",
        "-",
    ];
    let never = [
        "--sandbox workspace-write",
        "--sandbox danger-full-access",
        "--dangerously-bypass-approvals-and-sandbox",
        "--full-auto",
        "--yolo",
        "--search",
        "--oss",
        "--profile",
        "--cd",
        "-C",
        "--add-dir",
        "--image",
        "-i",
        "--enable",
        "--output-last-message",
        "--output-schema",
        "resume",
        "--",
        r#"-c web_search="live""#,
        r#"-c forced_login_method="api""#,
        r#"-c model_provider="oss""#,
        r#"-c model_reasoning_effort="minimal""#,
        "--disable web_search_request",
    ];
    let said = |list: &[&str], due: fn() -> Due| -> Vec<(Vec<String>, Due)> {
        list.iter().map(|text| (words(text), due())).collect()
    };
    let mut all = said(&always, || Due::Always);
    all.extend(said(&never, || Due::Never));
    for feature in DISABLED {
        all.push((words(&format!("--disable {feature}")), Due::Always));
        all.push((words(&format!("--enable {feature}")), Due::Never));
    }
    for (at, (_, effort)) in EFFORTS.into_iter().enumerate() {
        let text = format!("-c model_reasoning_effort=\"{effort}\"");
        all.push((words(&text), Due::Effort(at)));
    }
    for (at, model) in PLAIN.into_iter().enumerate() {
        all.push((words(&format!("-m {model}")), Due::Model(at)));
    }
    all
}

#[test]
fn what_a_launch_says_and_never_says() {
    let mut record = Record::start("what_a_launch_says_and_never_says");
    let statements = statements();
    let universe = Product::new()
        .with("model", PLAIN)
        .with("effort", EFFORTS.map(|(_, name)| name))
        .with("statement", statements.iter().map(|(it, _)| it.join(" ")));
    let mut table = Table::new(
        "the launch",
        &universe,
        |case| universe.words(case),
        |case, _| {
            let said = exec_args(PLAIN[case[0]], EFFORTS[case[1]].0);
            let statement = &statements[case[2]].0;
            match said
                .windows(statement.len())
                .filter(|it| it == statement)
                .count()
            {
                0 => "never".to_owned(),
                1 => "once".to_owned(),
                _ => "more than once".to_owned(),
            }
        },
    );
    let once = |case: &[usize]| match statements[case[2]].1 {
        Due::Always => true,
        Due::Never => false,
        Due::Model(at) => at == case[0],
        Due::Effort(at) => at == case[1],
    };
    record.acceptance(
        &mut table,
        &["never", "once"],
        &["more than once"],
        |case| Some(usize::from(once(case))),
        |case| {
            let verb = if once(case) { "once" } else { "never" };
            format!("{:?} must be said {verb}", statements[case[2]].0.join(" "))
        },
    );
    record.finish();
}

/// Variables that the client keeps: some that it needs, and some whose names are
/// near to the removed ones.
const KEPT: [&str; 8] = [
    "HOME",
    "CODEX_HOME",
    "HTTPS_PROXY",
    "CODEX_API_KEY_2",
    "OPENAI_API_KEYS",
    "OPENAI_ORGANIZATION",
    "RUST_LOG_STYLE",
    "openai_api_key",
];

#[test]
fn a_started_client_inherits_no_removed_variable() {
    let mut record = Record::start("a_started_client_inherits_no_removed_variable");
    let scene = Scene::new(env!("CARGO_BIN_EXE_scripted-client"), |folder| {
        Script::exec([Step::Record(folder.join("seen"))])
    });
    let names = [&REMOVED[..], &KEPT].concat();
    let values: [Option<&[u8]>; 4] = [None, Some(b""), Some(b"value"), Some(b"val\xff")];
    let texts = [None, Some(""), Some("value"), Some("val\u{fffd}")];
    let universe = Product::new()
        .with("variable", &names)
        .with("in the parent", ["absent", "empty", "set", "no Unicode"])
        .with("all others", ["absent", "set"])
        .with("effort", EFFORTS.map(|(_, name)| name));
    let mut table = Table::new(
        "the started client",
        &universe,
        |case| universe.words(case),
        |case, _| {
            let _ = fs::remove_file(scene.file("seen"));
            let mut parent = Command::new(env!("CARGO_BIN_EXE_isolated"));
            parent.env_clear().arg("start").arg(scene.client());
            parent
                .arg(scene.folder())
                .args(["gpt-5.5", EFFORTS[case[3]].1]);
            if case[2] == 1 {
                parent.envs(names.iter().map(|name| (name, "other")));
            }
            match values[case[1]] {
                Some(value) => parent.env(names[case[0]], OsStr::from_bytes(value)),
                None => parent.env_remove(names[case[0]]),
            };
            assert!(
                parent.status().is_ok_and(|status| status.success()),
                "it ran"
            );
            let seen = scene.record("seen").expect("the client recorded itself");
            let environment: BTreeMap<String, String> = seen.environment;
            inherited(environment.get(names[case[0]]), texts[case[1]])
        },
    );
    let reaches = |case: &[usize]| case[0] >= REMOVED.len() && values[case[1]].is_some();
    require_inheritance(&mut record, &mut table, |case| names[case[0]], reaches);
    record.finish();
}

#[test]
fn a_launch_tells_its_four_choices_and_nothing_else() {
    let mut record = Record::start("a_launch_tells_its_four_choices_and_nothing_else");
    let universe = launches();
    let name = |client: &[u8], directory: &[u8], model: &str, effort: &str| {
        let (client, directory) = (client.escape_ascii(), directory.escape_ascii());
        format!("{client} in {directory}: {model:?}, {effort}")
    };
    // Reading a launch back: the model has one place and the effort one text, and everything
    // else must be what it always is.
    let read = |seen: &Seen| -> Option<String> {
        let model = seen.arguments.get(23)?.to_str()?;
        let (_, effort) = EFFORTS.into_iter().find(|(_, effort)| {
            let due = arguments(model, effort);
            due.iter()
                .map(OsStr::new)
                .eq(seen.arguments.iter().map(OsString::as_os_str))
        })?;
        let mut removed = seen.removed.clone();
        removed.sort();
        let mut due = REMOVED.map(OsString::from);
        due.sort();
        let (client, directory) = (seen.program.as_bytes(), seen.directory.as_bytes());
        (removed == due).then(|| name(client, directory, model, effort))
    };
    let mut table = Table::new(
        "the launch",
        &universe,
        |case| universe.words(case),
        |case, _| read(&seen(case)).unwrap_or_else(|| "no launch of this policy".to_owned()),
    );
    let mut fibers = Vec::new();
    for client in CLIENTS {
        for directory in DIRECTORIES {
            for model in MODELS {
                let all = EFFORTS.iter();
                fibers.extend(all.map(|(_, effort)| name(client, directory, model, effort)));
            }
        }
    }
    let place = |case: &[usize]| {
        ((case[0] * DIRECTORIES.len() + case[1]) * MODELS.len() + case[2]) * EFFORTS.len() + case[3]
    };
    record.reconstruction(&mut table, &fibers, |case| {
        let place = place(case);
        move |fiber| fiber == place
    });
    record.finish();
}
