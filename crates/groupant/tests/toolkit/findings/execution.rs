//! Codes that need a build or a run: builds, oracles and controls.

use crate::findings::pairs;
use crate::project::SECOND_TOML;
use crate::util::Fixture;

const SECOND: [&str; 3] = ["audit", "--id", "second-lib"];
const RULE: &str = "second/tests/rule.rs";
const FIND: &str = "find = \"n % 2\"";
const REPLACE: &str = "replace = \"n % 3\"";

pairs! {
    a_test_that_does_not_compile_shows_nothing: BuildFailed, SECOND,
        bad: |fixture| fixture.edit(RULE, "second::parity(n)", "second::parities(n)"),
        good: |fixture| fixture.edit(RULE, "let found = second::parity(n)", "let unused = 1;\n        let found = second::parity(n)");
    without_cargo_nothing_can_be_looked_at: ToolMissing, ["audit"],
        bad: |_| {},
        good: |_| {},
        environment: &[("PATH", "/nowhere")];
    an_oracle_that_was_renamed_is_in_no_list: OracleMissing, SECOND,
        bad: |fixture| fixture.edit(RULE, "fn parities()", "fn all_parities()"),
        good: |fixture| fixture.edit(RULE, "#[test]", "#[test]\nfn all_parities() {}\n\n#[test]");
    an_ignored_oracle_is_not_executed: OracleIgnored, SECOND,
        bad: |fixture| fixture.edit(RULE, "#[test]", "#[test]\n#[ignore]"),
        good: |fixture| fixture.edit(RULE, "#[test]", "#[test]\n#[ignore]\nfn other() {}\n\n#[test]");
    an_ignored_test_beside_an_oracle_is_told: TestIgnored, SECOND,
        bad: |fixture| fixture.edit(RULE, "#[test]", "#[test]\n#[ignore]\nfn live() {}\n\n#[test]"),
        good: |fixture| fixture.edit(RULE, "#[test]", "#[test]\nfn live() {}\n\n#[test]");
    an_oracle_that_fails_is_told_with_its_words: OracleFailed, SECOND,
        bad: |fixture| fixture.edit(RULE, "[0, 2, 4, 6, 8]", "[0, 2, 4, 6]"),
        good: |fixture| fixture.edit(RULE, "[0, 2, 4, 6, 8]", "[8, 6, 4, 2, 0]");
    an_oracle_that_exits_early_has_not_passed: OracleIncomplete, SECOND,
        bad: |fixture| fixture.edit(RULE, "    let mut fibers", "    std::process::exit(0);\n    let mut fibers"),
        good: |fixture| fixture.edit(RULE, "universe, &fibers);", "universe, &fibers);\n    std::process::exit(0);");
    a_claim_that_differs_between_runs_is_no_claim: OracleUnstable, SECOND,
        bad: |fixture| claim(fixture, "cfg!(debug_assertions)"),
        good: |fixture| claim(fixture, "cfg!(unix)");
    an_oracle_beyond_its_time_is_ended: OracleTimeout, SECOND,
        bad: |fixture| sleep(fixture, 60),
        good: |fixture| sleep(fixture, 0);
    a_control_whose_text_is_not_there_is_told: ControlNotApplied, SECOND,
        bad: |fixture| fixture.edit(SECOND_TOML, FIND, "find = \"n % 4\""),
        good: |fixture| fixture.edit(SECOND_TOML, FIND, "find = \"n%2\"");
    a_control_whose_text_is_there_twice_is_told: ControlTwice, SECOND,
        bad: |fixture| fixture.edit(SECOND_TOML, FIND, "find = \"n\"")
            .edit(SECOND_TOML, REPLACE, "replace = \"m\""),
        good: |fixture| fixture.edit(SECOND_TOML, FIND, "find = \"2\"")
            .edit(SECOND_TOML, REPLACE, "replace = \"3\"");
    a_control_edits_production_code_alone: ControlInTest, SECOND,
        bad: |fixture| {
            test_item(fixture);
            fixture.edit(SECOND_TOML, "item = \"parity\"", "item = \"half\"");
        },
        good: |fixture| test_item(fixture);
    a_fault_that_does_not_compile_shows_nothing: ControlNotCompiled, SECOND,
        bad: |fixture| fixture.edit(SECOND_TOML, REPLACE, "replace = \"m % 3\""),
        good: |fixture| fixture.edit(SECOND_TOML, REPLACE, "replace = \"n % 4\"");
    a_fault_that_no_test_tells_survives: ControlSurvived, SECOND,
        bad: |fixture| fixture.edit(SECOND_TOML, REPLACE, "replace = \"n & 1\""),
        good: |fixture| fixture.edit(SECOND_TOML, REPLACE, "replace = \"n & 2\"");
    a_fault_is_rejected_in_the_named_way: ControlWrongRejection, SECOND,
        bad: |fixture| fixture.edit(SECOND_TOML, REPLACE, "replace = \"n % (n - n)\""),
        good: |fixture| fixture.edit(SECOND_TOML, REPLACE, "replace = \"n % (n + 3)\"");
}

/// The oracle sleeps, and no test may take longer than two seconds.
fn sleep(fixture: &Fixture, seconds: u64) {
    fixture.edit(
        "Cargo.toml",
        "sensitive = true",
        "sensitive = true\ntest_seconds = 2",
    );
    let sleep = format!(
        "std::thread::sleep(std::time::Duration::from_secs({seconds}));\n    let mut fibers"
    );
    fixture.edit(RULE, "let mut fibers", &sleep);
}

/// The record has one claim more.
fn claim(fixture: &Fixture, value: &str) {
    fixture.edit(
        RULE,
        "\"outcomes\":{outcomes},",
        "\"outcomes\":{outcomes},\"more\":{more},",
    );
    fixture.edit(
        RULE,
        "let outcomes = ",
        &format!("let more = {value};\n    let outcomes = "),
    );
}

fn test_item(fixture: &Fixture) {
    let source = "second/src/lib.rs";
    fixture.write(source, fixture.read(source) + "\n#[cfg(test)]\nmod tests {\n    fn half(n: u32) -> u32 {\n        n % 2\n    }\n}\n");
}
