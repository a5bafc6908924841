//! One private home with an invented login, the client that leads to the server,
//! and one run of the transport in it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::Write as _;
use std::net::SocketAddr;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use rustix::process::getpgrp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::cases::{Case, PROMPT};
use super::processes::{VANISHING, ended, left};
use super::{Outputs, Plan};

/// The name under which this program becomes the client.
const CLIENT: &str = "codex-contract-client";
/// How long the transport may take beyond the time limit that it was given.
const BEYOND: Duration = Duration::from_secs(30);
/// Variables that the transport must keep from the client. With the first, the
/// forced login makes the client delete its login file; the address leads nowhere;
/// the last hides the lines that tell of refused tools.
const HOSTILE: [(&str, &str); 5] = [
    ("CODEX_API_KEY", "made-up"),
    ("CODEX_ACCESS_TOKEN", "made-up"),
    ("OPENAI_API_KEY", "made-up"),
    ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"),
    ("RUST_LOG", "off"),
];

/// What the client is told besides the transport's arguments: where the server is,
/// and to send its requests uncompressed, so that they can be read.
fn added(address: SocketAddr) -> Vec<String> {
    [
        format!("openai_base_url=\"http://{address}/v1\""),
        format!("chatgpt_base_url=\"http://{address}/backend-api\""),
        "features.enable_request_compression=false".to_owned(),
    ]
    .into_iter()
    .flat_map(|value| ["-c".to_owned(), value])
    .collect()
}

/// What stands beside the link under which this program is the client.
#[derive(Serialize, Deserialize)]
struct Through {
    client: PathBuf,
    added: Vec<String>,
}

/// One start of the client, as a line of a file beside the link.
#[derive(Serialize, Deserialize)]
struct Started {
    process: u32,
    group: i32,
    /// Empty where the start was no `exec`.
    added: Vec<String>,
}

/// Whether this program was called as the client.
pub(crate) fn is_client() -> bool {
    let name = std::env::args_os().next();
    name.is_some_and(|name| Path::new(&name).file_name() == Some(OsStr::new(CLIENT)))
}

/// Becomes the real client, with the arguments and what is added to them; returns
/// only where that fails.
pub(crate) fn client() -> ExitCode {
    let mut arguments = std::env::args_os();
    let link = PathBuf::from(arguments.next().unwrap_or_default());
    let error = match real_client(&link, arguments.collect()) {
        Ok(mut client) => client.exec().into(),
        Err(error) => error,
    };
    eprintln!("{CLIENT}: {error:#}");
    ExitCode::from(127)
}

fn real_client(link: &Path, mut arguments: Vec<OsString>) -> anyhow::Result<Command> {
    let through: Through = serde_json::from_slice(&fs::read(link.with_extension("json"))?)?;
    let mut started = Started {
        process: std::process::id(),
        group: getpgrp().as_raw_nonzero().get(),
        added: Vec::new(),
    };
    let is_exec = arguments.first().is_some_and(|first| first == "exec");
    if is_exec && arguments.last().is_some_and(|last| last == "-") {
        let last = arguments.len() - 1;
        arguments.splice(last..last, through.added.iter().map(OsString::from));
        started.added = through.added;
    }
    let mut record = serde_json::to_vec(&started)?;
    record.push(b'\n');
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(link.with_extension("starts"))?
        .write_all(&record)?;
    let mut client = Command::new(through.client);
    client.args(arguments);
    Ok(client)
}

/// What one run of the transport left, besides its outputs.
pub(super) struct Ran {
    /// None where it was killed.
    pub(super) code: Option<i32>,
    /// Whether it had to be ended from here.
    pub(super) overran: bool,
    pub(super) seconds: f64,
    /// What was added to the client's arguments.
    pub(super) added: Vec<String>,
    /// Whether each client led a process group of its own.
    pub(super) led: bool,
    /// Processes of the client that were still there; they were killed from here.
    pub(super) left: Vec<String>,
    /// Whether the login file is there as it was.
    pub(super) login: bool,
    /// Files in the client's working directory.
    pub(super) files: usize,
    /// Lines of the call log.
    pub(super) logged: usize,
    /// The folder of the case, where it is kept.
    pub(super) kept: Option<PathBuf>,
}

/// The folder of one case, removed at the end unless it is to be kept.
pub(super) struct Stage {
    folder: TempDir,
    keep: bool,
    token: String,
    login: Vec<u8>,
}

impl Stage {
    /// Makes the folder with the home, the working directory and the prompt.
    pub(super) fn new(parent: &Path, keep: bool) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("case-")
            .disable_cleanup(keep)
            .tempdir_in(parent)
            .with_context(|| format!("no folder can be made in {}", parent.display()))?;
        let token = token();
        let login = serde_json::to_vec(&json!({
            "auth_mode": "chatgpt",
            "OPENAI_API_KEY": null,
            "tokens": {
                "id_token": token,
                "access_token": token,
                "refresh_token": "made-up",
                "account_id": ACCOUNT,
            },
            // In the future: an old login is renewed at another host.
            "last_refresh": "2100-01-01T00:00:00Z",
        }))?;
        let stage = Self {
            folder,
            keep,
            token,
            login,
        };
        for name in ["home", "work", "tmp"] {
            fs::create_dir(stage.path(name))?;
        }
        fs::write(stage.login(), &stage.login)?;
        fs::set_permissions(stage.login(), Permissions::from_mode(0o600))?;
        fs::write(stage.path("prompt.txt"), PROMPT)?;
        Ok(stage)
    }

    /// The invented login, as requests carry it.
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn login(&self) -> PathBuf {
        self.path("home/auth.json")
    }

    /// Runs the transport once with the client that leads to `address`.
    pub(super) fn run(
        &self,
        plan: &Plan,
        case: &Case,
        address: SocketAddr,
        outputs: &Outputs,
    ) -> anyhow::Result<Ran> {
        let link = self.path(CLIENT);
        symlink(std::env::current_exe()?, &link)?;
        let through = Through {
            client: plan.client.clone(),
            added: added(address),
        };
        fs::write(link.with_extension("json"), serde_json::to_vec(&through)?)?;
        let mut command = Command::new(&plan.teacher);
        command
            .args(["ask", "--json", "--probe", "--model=gpt-5.5"])
            .arg("--prompt-file")
            .arg(self.path("prompt.txt"))
            .arg("--client")
            .arg(&link)
            .arg("--cwd")
            .arg(self.path("work"))
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(created(&outputs.stdout)?)
            .stderr(created(&outputs.stderr)?);
        self.set_environment(&mut command, case, plan.isolated);
        let begin = Instant::now();
        let child = command.spawn().context("teacher can't be started")?;
        let limit = Duration::from_secs(case.seconds) + BEYOND;
        let (status, overran) = ended(child, begin + limit)?;
        let seconds = begin.elapsed().as_secs_f64();

        let starts = fs::read_to_string(link.with_extension("starts")).unwrap_or_default();
        let starts: Vec<Started> = starts
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()
            .context("the client's starts were not recorded in whole lines")?;
        let groups: Vec<i32> = starts.iter().map(|start| start.group).collect();
        Ok(Ran {
            code: status.code(),
            overran,
            seconds,
            led: starts
                .iter()
                .all(|it| i64::from(it.group) == i64::from(it.process)),
            added: starts.into_iter().flat_map(|start| start.added).collect(),
            left: left(&self.path("home"), &groups, VANISHING),
            login: fs::read(self.login()).is_ok_and(|now| now == self.login),
            files: fs::read_dir(self.path("work"))?.count(),
            logged: fs::read_to_string(self.path("calls.jsonl"))
                .map_or(0, |log| log.lines().count()),
            kept: self.keep.then(|| self.folder.path().to_owned()),
        })
    }

    /// Nothing of the caller's environment but `PATH`, and what the transport must
    /// keep from the client.
    fn set_environment(&self, command: &mut Command, case: &Case, isolated: bool) {
        let home = self.path("home");
        command
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .envs(HOSTILE)
            .env("HOME", &home)
            .env("CODEX_HOME", &home)
            .env("TMPDIR", self.path("tmp"))
            .env("MOVA_TEACHER_TIMEOUT", case.seconds.to_string())
            .env("MOVA_TEACHER_LOG", self.path("calls.jsonl"));
        if !isolated {
            for proxy in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
                command.env(proxy, "http://127.0.0.1:9");
            }
            command.env("NO_PROXY", "127.0.0.1");
        }
    }
}

fn created(path: &Path) -> anyhow::Result<File> {
    File::create(path).with_context(|| format!("{} can't be written", path.display()))
}

const ACCOUNT: &str = "account-made-up";

/// An unsigned token that says what the client reads of a login, until 2100.
fn token() -> String {
    let claims = json!({
        "email": "nobody@example.invalid",
        "exp": 4_102_444_800_u64,
        "https://api.openai.com/auth": {
            "chatgpt_account_id": ACCOUNT,
            "chatgpt_user_id": "user-made-up",
            "chatgpt_plan_type": "pro",
        },
    });
    let header = json!({"alg": "none", "typ": "JWT"});
    let part = |value: Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    format!(
        "{}.{}.{}",
        part(header),
        part(claims),
        BASE64_URL_SAFE_NO_PAD.encode("none")
    )
}
