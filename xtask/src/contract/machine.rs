//! What the cases need of the machine: the npm package, the binary `teacher` and a
//! network namespace that holds loopback alone. Each is got or refused with the
//! reason.

use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;

/// Hidden argument: enters the namespace and ends.
pub(super) const NETWORK: &str = "__network";
/// Hidden argument, before the plan: runs the cases inside of a namespace.
pub(super) const INSIDE: &str = "__inside";

/// Builds the binary `teacher` and gives its path by cargo's own account.
pub(super) fn teacher() -> anyhow::Result<PathBuf> {
    let mut build = Command::new("cargo");
    build
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["build", "--package=teacher", "--message-format=json"])
        // Its progress is for people.
        .stderr(Stdio::inherit());
    let told = done(&mut build)?;
    told.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .context("cargo built no binary teacher")
}

/// Installs this version of the client in a folder of its own, unless it is there;
/// gives the path that npm gives the client.
pub(super) fn install(folder: &Path, version: &str) -> anyhow::Result<PathBuf> {
    let place = folder.join(version);
    let modules = place.join("node_modules");
    // The client is a script for node.
    done(Command::new("node").arg("--version"))?;
    if installed(&modules).as_deref() != Some(version) {
        println!("installing @openai/codex {version}");
        let mut npm = Command::new("npm");
        npm.args(["install", "--prefix"]).arg(&place).args([
            "--no-save",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            &format!("@openai/codex@{version}"),
        ]);
        done(&mut npm)?;
        let found = installed(&modules);
        ensure!(
            found.as_deref() == Some(version),
            "npm ended well, and the version in {} is {found:?}",
            modules.display()
        );
    }
    Ok(modules.join(".bin/codex"))
}

/// The version that the package itself states.
fn installed(modules: &Path) -> Option<String> {
    let manifest = fs::read(modules.join("@openai/codex/package.json")).ok()?;
    let manifest: Value = serde_json::from_slice(&manifest).ok()?;
    manifest["version"].as_str().map(str::to_owned)
}

/// The options with which `unshare` gives `program` a network of its own; fails
/// with the reason where it gives none.
pub(super) fn namespace(program: &Path) -> anyhow::Result<&'static [&'static str]> {
    // The first needs root, the second user namespaces.
    let ways: [&[&str]; 2] = [&["--net"], &["--net", "--map-root-user"]];
    let mut refused = None;
    for way in ways {
        let mut probe = Command::new("unshare");
        probe.args(way).arg(program);
        match done(probe.args(["codex-contract", NETWORK])) {
            Ok(_) => return Ok(way),
            Err(reason) => refused = Some(reason),
        }
    }
    Err(refused.context("no way was tried")?)
}

/// Brings up loopback in a fresh namespace; fails where that does not work, or
/// where another host could be reached.
pub(super) fn enter() -> anyhow::Result<()> {
    done(Command::new("ip").args(["link", "set", "lo", "up"]))?;
    for table in ["/proc/net/route", "/proc/net/ipv6_route"] {
        // The tables stand for the network of this process; without IPv6 the
        // second is missing. The first has a line of titles.
        let routes = fs::read_to_string(table).unwrap_or_default();
        let elsewhere = routes
            .lines()
            .filter(|line| !line.starts_with("Iface") && !line.trim_end().ends_with(" lo"));
        ensure!(elsewhere.count() == 0, "{table} leads to other hosts");
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port on loopback")?;
    TcpStream::connect(listener.local_addr()?).context("loopback can't be reached")?;
    Ok(())
}

/// Runs a command to its end; gives its standard output. Fails with its name and
/// the first lines of its standard error.
fn done(command: &mut Command) -> anyhow::Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let Output {
        status,
        stdout,
        stderr,
    } = command
        .output()
        .with_context(|| format!("{name} can't be started"))?;
    if !status.success() {
        let stderr = String::from_utf8_lossy(&stderr);
        let lines = stderr.lines().filter(|line| !line.trim().is_empty());
        let words: Vec<&str> = lines.take(2).collect();
        bail!("{name} failed ({status}): {}", words.join("; "));
    }
    Ok(String::from_utf8_lossy(&stdout).into_owned())
}
