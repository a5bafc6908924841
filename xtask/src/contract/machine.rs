//! What the cases need of the machine: the npm package, the binary `teacher` and a
//! network namespace that holds loopback alone. Each is got or refused with the
//! reason.

use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use groupant::exec::process::command;
use serde_json::Value;

use crate::tool::{done, executable};

/// Hidden argument: enters the namespace and ends.
pub(super) const NETWORK: &str = "__network";
/// Hidden argument, before the plan: runs the cases inside of a namespace.
pub(super) const INSIDE: &str = "__inside";

/// Builds the binary `teacher` and gives its path by cargo's own account.
pub(super) fn teacher() -> anyhow::Result<PathBuf> {
    let mut build = command("cargo");
    build
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["build", "--package=teacher"]);
    executable(build, "teacher")
}

/// Installs this version of the client in a folder of its own, unless it is there;
/// gives the path that npm gives the client.
pub(super) fn install(folder: &Path, version: &str) -> anyhow::Result<PathBuf> {
    let place = folder.join(version);
    let modules = place.join("node_modules");
    // The client is a script for node.
    let mut node = command("node");
    node.arg("--version");
    done("node", node)?;
    if installed(&modules).as_deref() != Some(version) {
        println!("installing @openai/codex {version}");
        let mut npm = command("npm");
        npm.args(["install", "--prefix"]).arg(&place).args([
            "--no-save",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            &format!("@openai/codex@{version}"),
        ]);
        done("npm install", npm)?;
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
        let mut probe = command("unshare");
        probe
            .args(way)
            .arg(program)
            .args(["codex-contract", NETWORK]);
        match done("unshare", probe) {
            Ok(_) => return Ok(way),
            Err(reason) => refused = Some(reason),
        }
    }
    Err(refused.context("no way was tried")?)
}

/// Brings up loopback in a fresh namespace; fails where that does not work, or
/// where another host could be reached.
pub(super) fn enter() -> anyhow::Result<()> {
    let mut up = command("ip");
    up.args(["link", "set", "lo", "up"]);
    done("ip link set lo up", up)?;
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
