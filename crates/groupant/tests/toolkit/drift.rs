//! The drift table: what a change of the tree raises, row by row.

use crate::util::Fixture;

#[test]
fn the_green_project_is_clean_and_nothing_is_built_again() {
    let fixture = Fixture::green();
    let output = fixture.run(&["audit"]);
    assert_eq!((output.exit, output.findings.len()), (0, 0), "{output:#?}");
    assert_eq!(output.summary()["oracles"]["reused"], 2);
    assert_eq!(output.summary()["controls"]["reused"], 2);
}
