//! Codes that reading alone raises: the tree and its configuration, sidecars,
//! documents, generated files and bindings.

use crate::findings::pairs;
use crate::project::{DEMO_CATALOG, DEMO_TESTS, DEMO_TOML, SECOND_TOML};
use crate::util::Fixture;

const QUICK: [&str; 2] = ["audit", "--quick"];
const DEMO: &str = "demo/src/lib.rs";
const EPOCHS: &str = "sidecars/demo/src/lib.rs.groupant/epochs.toml";
const MANIFEST: &str = "sidecars/demo/src/lib.rs.groupant/manifest.json";
const DESCRIPTANT: &str = "sidecars/demo/src/lib.rs.groupant/descriptant.md";
const APPROXIMANT: &str = "sidecars/demo/src/lib.rs.groupant/approximant.md";

pairs! {
    a_level_that_does_not_exist_is_no_configuration: Config, QUICK,
        bad: |fixture| configure(fixture, "require = \"proven\""),
        good: |fixture| configure(fixture, "require = \"prospective\"");
    globs_that_match_no_source_check_nothing: NothingChecked, QUICK,
        bad: |fixture| subjects(fixture, "*/source/**/*.rs"),
        good: |fixture| subjects(fixture, "*/src/lib.rs");
    line_ends_count_in_what_digests_are_taken_of: Crlf, QUICK,
        bad: |fixture| crlf(fixture, DEMO_CATALOG),
        good: |fixture| crlf(fixture, ".gitignore");
    a_new_source_that_matches_the_globs_needs_a_sidecar: Uncovered, QUICK,
        bad: |fixture| fixture.write("demo/src/more.rs", "//! More.\n"),
        good: |fixture| fixture.write("demo/more.rs", "//! More.\n");
    an_exemption_of_a_covered_source_is_told: ExemptUnused, QUICK,
        bad: |fixture| exempt(fixture, "second/src/lib.rs"),
        good: |fixture| {
            exempt(fixture, "second/src/more.rs");
            fixture.write("second/src/more.rs", "//! More.\n");
        };
    a_temporary_file_of_an_interrupted_run_is_removed: Leftover, QUICK,
        bad: |fixture| fixture.write("receipts/.groupant-a1b2", "{"),
        good: |fixture| fixture.write("receipts/.keep", "");
    a_definition_in_another_form_is_not_read: SidecarInvalid, QUICK,
        bad: |fixture| first(fixture, DEMO_TOML, "\"exact\"", "\"exactly\""),
        good: |fixture| first(fixture, DEMO_TOML, "\"exact\"", "'exact'");
    a_source_outside_the_root_is_not_read: PathOutside, QUICK,
        bad: |fixture| fixture.edit(SECOND_TOML, "\"second/src/lib.rs\"", "\"../second/src/lib.rs\""),
        good: |fixture| fixture.edit(SECOND_TOML, "\"second/src/lib.rs\"", "'second/src/lib.rs'");
    a_sidecar_whose_source_is_gone_is_told: SourceMissing, QUICK,
        bad: |fixture| {
            scaffold(fixture, "demo/src/more.rs");
            fixture.remove("demo/src/more.rs");
        },
        good: |fixture| scaffold(fixture, "demo/src/more.rs");
    a_required_document_is_asked_for: DocumentMissing, QUICK,
        bad: |fixture| fixture.remove(APPROXIMANT),
        good: |fixture| fixture.write("sidecars/demo/src/lib.rs.groupant/notes.md", "# Notes\n");
    a_model_needs_its_heading: HeadingMissing, QUICK,
        bad: |fixture| fixture.edit(DEMO_CATALOG, "## nonbehavior", "### Never"),
        good: |fixture| fixture.edit(DEMO_CATALOG, "## nonbehavior", "## `nonbehavior`");
    a_model_has_one_heading: HeadingDoubled, QUICK,
        bad: |fixture| fixture.edit(APPROXIMANT, "Two", "## nonbehavior\n\nTwo"),
        good: |fixture| fixture.edit(APPROXIMANT, "Two", "## The rule\n\nTwo");
    a_second_level_heading_of_the_catalogue_is_a_model: ModelMissing, QUICK,
        bad: |fixture| fixture.edit(DEMO_CATALOG, "## antecedents", "## zero\n\n## antecedents"),
        good: |fixture| fixture.edit(DEMO_CATALOG, "## antecedents", "### zero\n\n## antecedents");
    a_misspelt_type_is_unknown: TypeUnknown, QUICK,
        bad: |fixture| fixture.edit(DEMO_TOML, "behavior_complement", "behaviour_complement"),
        good: |fixture| fixture.edit(DEMO_TOML, "behavior_complement", "error_partition");
    the_complement_comes_first: TypeOrder, QUICK,
        bad: |fixture| fixture.edit(DEMO_TOML, "behavior_complement", "error_partition"),
        good: |fixture| add(fixture, DEMO_TOML, &model("zero", "error_partition"));
    a_link_leads_to_a_heading_that_is_there: LinkBroken, QUICK,
        bad: |fixture| fixture.edit(DESCRIPTANT, "tests.md#evidence", "tests.md#proof"),
        good: |fixture| fixture.edit(DESCRIPTANT, "tests.md#evidence", "tests.md");
    a_figure_equals_its_claim: FigureMismatch, QUICK,
        bad: |fixture| fixture.edit(DEMO_TESTS, "signs.universe = 11", "signs.universe = 12"),
        good: |fixture| fixture.edit(DEMO_TESTS, "signs.universe = 11", "signs.exhausted = 11");
    a_figure_cites_a_claim_that_is_there: FigureUnknown, QUICK,
        bad: |fixture| fixture.edit(DEMO_TESTS, "signs.universe = 11", "signs.cases = 11"),
        good: |fixture| fixture.edit(DEMO_TESTS, "signs.universe = 11", "signs.outcomes = 3");
    an_id_is_used_once: IdDoubled, QUICK,
        bad: |fixture| fixture.edit(DEMO_TOML, "id = \"antecedents\"", "id = \"nonbehavior\""),
        good: |fixture| fixture.edit(DEMO_TOML, "id = \"antecedents\"", "id = \"preimage\"");
    a_model_names_declared_controls: NameUnknown, QUICK,
        bad: |fixture| first(fixture, DEMO_TOML, "[\"minus-dropped\"]", "[\"minus-droped\"]"),
        good: |fixture| first(fixture, DEMO_TOML, "[\"minus-dropped\"]", "[]");
    a_control_that_no_model_names_is_told: ControlUnused, QUICK,
        bad: |fixture| add(fixture, DEMO_TOML, ZERO),
        good: |fixture| {
            first(fixture, DEMO_TOML, "[\"minus-dropped\"]", "[\"minus-dropped\", \"zero-dropped\"]");
            add(fixture, DEMO_TOML, ZERO);
        };
    a_comment_is_cosmetic: Cosmetic, QUICK,
        bad: |fixture| fixture.edit(DEMO, "/// The sign of a number.", "// A comment.\n/// The sign of a number."),
        good: |fixture| fixture.edit(DEMO, "n + n", "2 * n");
    an_edited_document_is_told: Prose, QUICK,
        bad: |fixture| fixture.edit(APPROXIMANT, "Two comparisons", "Two more comparisons"),
        good: |fixture| add(fixture, DEMO_TOML, "# A comment.\n");
    a_change_outside_the_items_of_models_is_told: Elsewhere, QUICK,
        bad: |fixture| fixture.edit(DEMO, "n + n", "2 * n"),
        good: |fixture| fixture.edit(DEMO, "n + n", "n+n // doubled");
    a_generated_file_is_there: GeneratedMissing, QUICK,
        bad: |fixture| fixture.remove("sidecars/demo/src/lib.rs.groupant/syntax.json"),
        good: |fixture| fixture.remove(".gitattributes");
    a_generated_file_is_what_the_tree_gives: GeneratedOutdated, QUICK,
        bad: |fixture| fixture.edit(MANIFEST, "\"The sign\"", "\"A sign\""),
        good: |fixture| fixture.edit(APPROXIMANT, "Two", "Three");
    an_entry_of_the_history_is_never_rewritten: EpochEdited, QUICK,
        bad: |fixture| first(fixture, EPOCHS, "The rule was run.", "The rule was read."),
        good: |fixture| first(fixture, EPOCHS, "[[epoch]]", "# A comment.\n[[epoch]]");
    a_further_item_is_to_be_accepted: Unaccepted, QUICK,
        bad: |fixture| first(fixture, DEMO_TOML, "items = [\"sign\"]", "items = [\"sign\", \"twice\"]"),
        good: |fixture| first(fixture, DEMO_TOML, "items = [\"sign\"]", "items = [\n    \"sign\",\n]");
    an_item_in_another_module_has_moved: Moved, QUICK,
        bad: |fixture| {
            fixture.edit(DEMO, "/// The sign of a number.\npub", "/// Signs.\npub mod signs {\n    use crate::limit;\n\n/// The sign of a number.\npub");
            fixture.edit(DEMO, "/// No model", "}\n\n/// No model");
        },
        good: |fixture| {
            let text = fixture.read(DEMO);
            let (start, end) = (text.find("/// The sign of a number.\npub").unwrap(), text.find("/// No model").unwrap());
            let item = &text[start..end];
            fixture.write(DEMO, format!("{}{}\n{item}", &text[..start], text[end..].trim_end()));
        };
    a_changed_signature_makes_a_model_stale: Signature, QUICK,
        bad: |fixture| fixture.edit(DEMO, "sign(n: i32) -> i32", "sign(n: i64) -> i32"),
        good: |fixture| fixture.edit(DEMO, "sign(n: i32) -> i32", "sign(\n    n: i32,\n) -> i32");
    a_changed_body_makes_a_model_stale: Body, QUICK,
        bad: |fixture| fixture.edit(DEMO, "n < 0", "n <= -1"),
        good: |fixture| fixture.edit(DEMO, "n < 0", "n  <  0");
    an_item_that_was_deleted_is_gone: Gone, QUICK,
        bad: |fixture| cut(fixture, "/// The sign of a number.\npub", "/// No model"),
        good: |fixture| cut(fixture, "/// No model", "#[cfg(test)]");
    a_name_that_fits_two_items_is_ambiguous: Ambiguous, QUICK,
        bad: |fixture| add(fixture, DEMO, "\nmod more {\n    fn sign() {}\n}\n"),
        good: |fixture| fixture.edit(DEMO, "    fn zero()", "    fn sign() {}\n\n    fn zero()");
    a_source_with_a_syntax_error_can_not_be_parsed: Unparsed, QUICK,
        bad: |fixture| fixture.edit(DEMO, "n + n\n}", "n + n\n"),
        good: |fixture| fixture.edit(DEMO, "n + n\n}", "{ n + n }\n}");
}

const ZERO: &str = "
[[control]]
id = \"zero-dropped\"
rejected_by = [\"demo::rule$signs\"]
rejection = \"assertion\"
[[control.edit]]
item = \"sign\"
find = \"n == 0\"
replace = \"n == 1\"
";

fn model(id: &str, kind: &str) -> String {
    format!(
        "\n[[model]]\nid = \"{id}\"\ntype = \"{kind}\"\ndomain = \"zero\"\nobservation = \"the sign\"\napproximation = \"exact\"\nitems = [\"sign\"]\n"
    )
}

fn configure(fixture: &Fixture, line: &str) {
    fixture.edit("Cargo.toml", "sensitive = true", line);
}

fn subjects(fixture: &Fixture, glob: &str) {
    fixture.edit("Cargo.toml", "*/src/**/*.rs", glob);
    fixture.edit(
        "Cargo.toml",
        "exempt = [{ path = \"demo/src/limit.rs\", reason = \"one number\" }]\n",
        "",
    );
}

fn exempt(fixture: &Fixture, path: &str) {
    fixture.edit(
        "Cargo.toml",
        "exempt = [",
        &format!("exempt = [{{ path = \"{path}\", reason = \"small\" }}, "),
    );
}

fn crlf(fixture: &Fixture, file: &str) {
    fixture.write(file, fixture.read(file).replace('\n', "\r\n"));
}

fn scaffold(fixture: &Fixture, source: &str) {
    fixture.write(source, "//! More.\n\n/// One more.\npub fn more() {}\n");
    assert_eq!(fixture.plain(&["init", source]).exit, 0);
}

/// Replaces the first of several places.
fn first(fixture: &Fixture, file: &str, old: &str, new: &str) {
    let text = fixture.read(file);
    assert!(text.contains(old), "{old:?} must stand in {file}");
    fixture.write(file, text.replacen(old, new, 1));
}

/// Puts text behind a file.
fn add(fixture: &Fixture, file: &str, text: &str) {
    fixture.write(file, fixture.read(file) + text);
}

/// Cuts the source from one text to just before another.
fn cut(fixture: &Fixture, from: &str, to: &str) {
    let text = fixture.read(DEMO);
    let (start, end) = (text.find(from).unwrap(), text.find(to).unwrap());
    fixture.write(DEMO, format!("{}{}", &text[..start], &text[end..]));
}
