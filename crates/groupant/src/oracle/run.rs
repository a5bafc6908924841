//! Runs: each oracle in two profiles, twice each, one process per
//! test; a pass needs exit code 0, the completion mark of the run, and equal
//! claims.

use super::builds::{build_all, could_not_run, has_target};
use super::{Mention, REPEATS, Ran, Reference, Results, cache_file, limits, package_folder};
use crate::exec::{self, Outcome, Profile, Record, Run};
use crate::finding::{Code, Finding, Report};
use crate::json::{is_exact, sha256};
use crate::report::progress::Progress;
use crate::sidecar::Rejection;
use crate::workspace::{Workspace, write_atomically};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Builds and runs the oracles. What is wrong is pushed as findings.
pub fn run(
    workspace: &Workspace,
    oracles: &BTreeMap<Reference, Mention>,
    progress: &Progress,
    report: &mut Report,
) -> Results {
    let mut results = Results {
        builds: build_all(workspace, oracles, progress, report),
        ..Results::default()
    };
    for ((package, profile), built) in &results.builds {
        for (target, binary) in &built.tests {
            if let Ok(digest) = exec::file_digest(binary) {
                results
                    .binaries
                    .insert((package.clone(), target.clone(), *profile), digest);
            }
        }
    }
    let lists = Lists::of(&results, report);
    lists.tell_ignored(&results, oracles, report);
    progress.begin("oracle", oracles.len() as u64);
    let ran: Vec<(Reference, Ran, Report)> = oracles
        .par_iter()
        .map(|(reference, mention)| {
            let mut own = Report::default();
            let ran = one(workspace, reference, mention, &results, &lists, &mut own);
            progress.step(&reference.test);
            (reference.clone(), ran, own)
        })
        .collect();
    progress.end();
    for (reference, ran, own) in ran {
        report.merge(own);
        results.oracles.insert(reference, ran);
    }
    results
}

/// The tests of each binary, and those that are ignored.
struct Lists(BTreeMap<PathBuf, (Vec<String>, Vec<String>)>);

impl Lists {
    fn of(results: &Results, report: &mut Report) -> Self {
        let mut lists = BTreeMap::new();
        for built in results.builds.values() {
            for binary in built.tests.values() {
                match exec::list(binary) {
                    Ok(names) => {
                        lists.insert(binary.clone(), names);
                    }
                    Err(error) => report.push(could_not_run(&error)),
                }
            }
        }
        Self(lists)
    }

    /// Tells of ignored tests that are no oracles, so that nobody takes them for
    /// executed. A named one has its own finding.
    fn tell_ignored(
        &self,
        results: &Results,
        oracles: &BTreeMap<Reference, Mention>,
        report: &mut Report,
    ) {
        let builds = results.builds.iter();
        for ((package, _), built) in builds.filter(|((_, profile), _)| *profile == Profile::Dev) {
            for (target, binary) in &built.tests {
                let ignored = self.0.get(binary).map_or(&[][..], |(_, ignored)| ignored);
                for test in ignored {
                    let reference = Reference {
                        package: package.clone(),
                        target: target.clone(),
                        test: test.clone(),
                    };
                    if oracles.contains_key(&reference) {
                        continue;
                    }
                    report.skipped("tests", 1);
                    let message = format!("`{reference}` is marked #[ignore] and was not executed");
                    report.push(
                        Finding::new(Code::TestIgnored, message)
                            .help(format!("{} --ignored", by_hand(&reference))),
                    );
                }
            }
        }
    }
}

/// What an earlier run left, keyed by the binaries.
#[derive(serde::Serialize, serde::Deserialize)]
struct Cached {
    receipt: Value,
    data: BTreeMap<String, String>,
}

fn one(
    workspace: &Workspace,
    reference: &Reference,
    mention: &Mention,
    results: &Results,
    lists: &Lists,
    report: &mut Report,
) -> Ran {
    let unlisted = |status| Ran {
        receipt: None,
        data: BTreeSet::new(),
        reused: false,
        seconds: 0.0,
        status,
    };
    let Some(binaries) = binaries(reference, results) else {
        report.skipped("oracles", 1);
        if built_without_error(workspace, reference, results) {
            let message = format!("Cargo built no binary for `{}`", reference.target);
            report.push(
                at(mention, Code::BuildFailed, message, "named here").help(by_hand(reference)),
            );
        }
        return unlisted("not built");
    };
    for (_, binary, _) in &binaries {
        let Some((all, ignored)) = lists.0.get(*binary) else {
            report.skipped("oracles", 1); // told by the listing's own finding
            return unlisted("not listed");
        };
        if !all.contains(&reference.test) {
            report.missing("oracles", 1);
            report.push(missing_test(reference, mention, all));
            return unlisted("missing");
        }
        if ignored.contains(&reference.test) {
            report.skipped("oracles", 1);
            report.push(
                at(
                    mention,
                    Code::OracleIgnored,
                    format!("`{}` is marked #[ignore]", reference.test),
                    "named here as an oracle",
                )
                .help("remove #[ignore], or do not name it as an oracle"),
            );
            return unlisted("ignored");
        }
    }
    report.checked("oracles", 1);
    let digests: String = binaries.iter().map(|(_, _, digest)| *digest).collect();
    let cache = cache_file(workspace, "oracles", &[&reference.to_string(), &digests]);
    if !workspace.fresh
        && let Some(cached) = recall(workspace, &cache)
    {
        return Ran {
            receipt: Some(cached.receipt),
            data: cached.data.into_keys().collect(),
            reused: true,
            ..unlisted("passed")
        };
    }
    let mut ran = unlisted("failed");
    match repeat(workspace, reference, mention, &binaries, &mut ran) {
        Ok(value) => {
            let receipt = json!({
                "bounds": value["bounds"],
                "checks": value["checks"],
                "claims": value["claims"],
                "format": "groupant-oracle/1",
                "oracle": reference.to_string(),
                "outcome": "passed",
                "profiles": ["dev", "release"],
                "runs": 2 * REPEATS,
            });
            remember(workspace, &cache, &receipt, &ran.data);
            ran.status = "passed";
            ran.receipt = Some(receipt);
        }
        Err(finding) => report.push(*finding),
    }
    ran
}

/// Whether no finding of a build tells why a binary is not there: that must not
/// pass unseen.
fn built_without_error(workspace: &Workspace, reference: &Reference, results: &Results) -> bool {
    has_target(workspace, &reference.package, &reference.target)
        && [Profile::Dev, Profile::Release].into_iter().all(|profile| {
            let key = (reference.package.clone(), profile);
            let built = results.builds.get(&key);
            built.is_some_and(|built| built.errors.is_empty())
        })
}

type Binary<'a> = (Profile, &'a Path, &'a str);

/// The binaries of an oracle in both profiles with their digests, if both were built.
fn binaries<'a>(reference: &Reference, results: &'a Results) -> Option<Vec<Binary<'a>>> {
    [Profile::Dev, Profile::Release]
        .into_iter()
        .map(|profile| {
            let built = results.builds.get(&(reference.package.clone(), profile))?;
            let binary = built
                .tests
                .get(&reference.target)
                .filter(|_| built.errors.is_empty())?;
            let key = (reference.package.clone(), reference.target.clone(), profile);
            Some((
                profile,
                binary.as_path(),
                results.binaries.get(&key)?.as_str(),
            ))
        })
        .collect()
}

/// A finding at the place where the oracle is named.
fn at(mention: &Mention, code: Code, message: String, label: &str) -> Finding {
    Finding::new(code, message).about(mention.about.clone()).at(
        &mention.file,
        mention.place.range.clone(),
        label,
    )
}

fn missing_test(reference: &Reference, mention: &Mention, all: &[String]) -> Finding {
    let message = format!("no test is called `{}`", reference.test);
    let finding = at(mention, Code::OracleMissing, message, "in no binary's list");
    let finding = match all.iter().filter(|name| near(name, &reference.test)).min() {
        Some(near) => finding.note(format!("there is `{near}`")),
        None => finding,
    };
    finding.help("correct the name after `$`, or bring the test back")
}

/// Runs in every profile, so often as is said, and compares what came out.
fn repeat(
    workspace: &Workspace,
    reference: &Reference,
    mention: &Mention,
    binaries: &[Binary<'_>],
    ran: &mut Ran,
) -> Result<Value, Box<Finding>> {
    let folder = package_folder(workspace, &reference.package);
    let mut first: Option<(Value, String)> = None;
    for (profile, binary, _) in binaries {
        for repeat in 1..=REPEATS {
            let which = format!("{}, run {repeat}", profile.name());
            let run = exec::test(&exec::Test {
                binary,
                name: &reference.test,
                root: &workspace.root,
                folder: &folder,
                runs: &workspace.state.join("runs"),
                set: None,
                limits: limits(workspace),
            })
            .map_err(|error| Box::new(could_not_run(&error)))?;
            ran.seconds = ran.seconds.max(run.seconds);
            observe(workspace, reference, &which, &run);
            let record = judge(&run, reference).map_err(|(code, status, words)| {
                ran.status = status;
                let is = if status == "incomplete" { "is " } else { "" };
                let message = format!("`{}` {is}{status} ({which}): {words}", reference.test);
                let help = match code {
                    Code::OracleIncomplete => "let it run to its end, where it finishes its record".to_owned(),
                    Code::OracleTimeout => "let it try fewer cases, or raise `test_seconds` in [workspace.metadata.groupant]".to_owned(),
                    _ => by_hand(reference),
                };
                Box::new(at(mention, code, message, "named here").help(help))
            })?;
            // What can't be read can't be bound either.
            if let Some(error) = record
                .data
                .iter()
                .find_map(|file| workspace.read(file).err())
            {
                ran.status = "incomplete";
                let message = format!(
                    "`{}` declares data that can't be read: {error}",
                    reference.test
                );
                let help = "declare files within the root, by paths relative to it";
                let finding = at(mention, Code::OracleIncomplete, message, "named here");
                return Err(Box::new(finding.help(help)));
            }
            ran.data.extend(record.data.iter().cloned());
            let value = json!({
                "bounds": record.bounds,
                "checks": record.checks,
                "claims": record.claims,
            });
            match &first {
                None => first = Some((value, which)),
                Some((claims, _)) if *claims == value => {}
                Some((claims, before)) => {
                    ran.status = "unstable";
                    let message = format!(
                        "the claims of `{}` differ between {before} and {which}",
                        reference.test
                    );
                    let mut finding = at(mention, Code::OracleUnstable, message, "named here");
                    for line in crate::receipt::differences(claims, &value)
                        .into_iter()
                        .take(5)
                    {
                        finding = finding.note(line);
                    }
                    let help =
                        "a claim is the same in every run; leave observations out of the record";
                    return Err(Box::new(finding.help(help)));
                }
            }
        }
    }
    Ok(first.map(|(value, _)| value).unwrap_or_default())
}

/// The command that runs an oracle by hand.
fn by_hand(reference: &Reference) -> String {
    let target = match reference.target.as_str() {
        "lib" => "--lib".to_owned(),
        name => format!("--test {name}"),
    };
    format!(
        "cargo test --package {} {target} {} -- --exact",
        reference.package, reference.test
    )
}

/// A pass needs exit code 0 and the completion mark of this run.
pub(super) fn judge<'a>(
    run: &'a Run,
    reference: &Reference,
) -> Result<&'a Record, (Code, &'static str, String)> {
    match &run.outcome {
        Outcome::Failed {
            rejection: Rejection::Timeout,
            words,
            ..
        } => {
            return Err((Code::OracleTimeout, "ran out of time", words.clone()));
        }
        Outcome::Failed { words, .. } => return Err((Code::OracleFailed, "failed", words.clone())),
        Outcome::Passed => {}
    }
    let incomplete = |words: &str| Err((Code::OracleIncomplete, "incomplete", words.to_owned()));
    let Some(record) = &run.record else {
        return incomplete("it ended with exit code 0 and left no record of this run");
    };
    if !record.complete || record.failure.is_some() {
        return incomplete("its record has no completion mark");
    }
    let own = reference.test.rsplit("::").next().unwrap_or_default();
    if record.oracle != own && record.oracle != reference.test {
        return incomplete(&format!("its record is that of `{}`", record.oracle));
    }
    let claims = serde_json::to_value(&record.claims).unwrap_or_default();
    if !is_exact(&claims) {
        return incomplete("a claim is a float or an integer beyond 2^53 - 1");
    }
    Ok(record)
}

/// Keeps a pass for later runs on the same binaries. The cache only saves time.
fn remember(workspace: &Workspace, cache: &Path, receipt: &Value, data: &BTreeSet<String>) {
    let digest = |file: &String| {
        workspace
            .read(file)
            .map(|bytes| sha256(&bytes))
            .unwrap_or_default()
    };
    let cached = Cached {
        receipt: receipt.clone(),
        data: data
            .iter()
            .map(|file| (file.clone(), digest(file)))
            .collect(),
    };
    if let Ok(text) = serde_json::to_vec(&cached) {
        let _ = write_atomically(cache, &text);
    }
}

fn recall(workspace: &Workspace, cache: &Path) -> Option<Cached> {
    let cached: Cached = serde_json::from_slice(&std::fs::read(cache).ok()?).ok()?;
    let same = cached.data.iter().all(|(file, digest)| {
        workspace
            .read(file)
            .is_ok_and(|bytes| sha256(&bytes) == *digest)
    });
    same.then_some(cached)
}

/// Time and raw log are observations: kept under `target/`, in no receipt.
fn observe(workspace: &Workspace, reference: &Reference, which: &str, run: &Run) {
    let name = reference.to_string().replace("::", ".");
    let path = workspace
        .state
        .join(format!("runs/{name}/{}.log", which.replace(", run ", "-")));
    let text = format!(
        "{reference} {which}\nseconds {:.3}\noutcome {:?}\n\n{}\n",
        run.seconds, run.outcome, run.log
    );
    // A log that can't be written leaves the verdict as it is.
    let _ = write_atomically(&path, text.as_bytes());
}

/// Whether two test names share most of their words.
fn near(left: &str, right: &str) -> bool {
    let words = |name: &str| {
        name.split(['_', ':'])
            .map(str::to_owned)
            .collect::<BTreeSet<_>>()
    };
    let (left, right) = (words(left), words(right));
    2 * left.intersection(&right).count() > right.len()
}
