//! Tests of the checks and the record together: each check passes on what it
//! states, fails for its own reason, and leaves the record that the runner reads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, process};

use serde_json::{Value, json};

use crate::record::Environment;
use crate::{Machine, Order, Product, Record, Sequences, Table, Universe, integer};

/// A folder that is gone with the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("obernant-{}-{number}", process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn record(&self, set: &str) -> Record {
        let environment = Environment {
            path: Some(self.file()),
            nonce: "5eed".to_owned(),
            set: set.to_owned(),
        };
        Record::start_in("the_oracle", environment)
    }

    fn file(&self) -> PathBuf {
        self.0.join("record.json")
    }

    fn read(&self) -> Value {
        read(&self.file())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Runs a check that must fail; gives the record and the words of the panic.
fn failing(check: impl FnOnce(&mut Record)) -> (Value, String) {
    let folder = Folder::new();
    let mut record = folder.record("");
    let panic = catch_unwind(AssertUnwindSafe(|| check(&mut record))).unwrap_err();
    let words = panic.downcast::<String>().unwrap();
    drop(record);
    (folder.read(), *words)
}

fn digits(case: &[usize]) -> String {
    case.iter().map(ToString::to_string).collect()
}

/// A subject: the parity of the sum of digits; `wrong` names a text it errs on.
fn parity(wrong: &'static str) -> impl Fn(&[usize], &str) -> String {
    move |_, text| {
        let sum: u32 = text.chars().filter_map(|c| c.to_digit(10)).sum();
        let odd = (sum % 2 == 1) != (text == wrong);
        if odd { "odd" } else { "even" }.to_owned()
    }
}

/// The rule, another way: an odd sum has an odd number of ones.
fn odd(case: &[usize]) -> bool {
    case.iter().filter(|&&digit| digit == 1).count() % 2 == 1
}

fn universe() -> Sequences {
    Sequences::new(["zero", "one", "two"], 3)
}

#[test]
fn a_finished_record_has_the_form_that_the_runner_reads() {
    let folder = Folder::new();
    let mut record = folder.record("length=2");
    let length = record.bound("length", 3);
    let universe = Sequences::new(["zero", "one", "two"], length);
    let mut table = Table::new("the sum", &universe, digits, parity("none"));
    record.partition(&mut table, |outcome| outcome, odd);
    record.reconstruction(&mut table, &["odd"], |case| {
        let odd = odd(case);
        move |_| odd
    });
    record.claim("great", u64::MAX);
    record.second("by hand", json!({ "accepted": 5 }));
    record.data("data/x.jsonl");
    record.assume("digits are digits");
    record.finish();
    let mut found = folder.read();
    let stream = found["claims"]["stream"].take();
    assert_eq!(stream.as_str().unwrap().len(), 64);
    assert_eq!(
        found,
        json!({
            "format": "obernant-record/1",
            "nonce": "5eed",
            "oracle": "the_oracle",
            "bounds": { "length": 2 },
            "checks": ["partition", "reconstruction"],
            "claims": {
                "universe": 13,
                "exhausted": 13,
                "outcomes": 2,
                "accepted": 5,
                "fibers": { "odd": 5 },
                "classes": 2,
                "great": "18446744073709551615",
                "second": { "method": "by hand", "accepted": 5 },
                "stream": null,
                "assumptions": ["digits are digits"],
            },
            "data": ["data/x.jsonl"],
            "failure": null,
            "complete": true,
        })
    );
    assert_eq!(
        fs::read_dir(&folder.0).unwrap().count(),
        1,
        "no temporary file stays"
    );
}

#[test]
fn a_record_without_a_second_derivation_says_so() {
    let folder = Folder::new();
    folder.record("").finish();
    assert_eq!(folder.read()["claims"]["single_sourced"], json!(true));
}

#[test]
fn a_dropped_record_writes_nothing() {
    let folder = Folder::new();
    let mut record = folder.record("");
    record.claim("accepted", 1);
    drop(record);
    assert!(!folder.file().exists());
}

#[test]
fn a_record_outside_the_runner_writes_nothing() {
    let record = Record::start_in("the_oracle", Environment::default());
    record.finish();
}

#[test]
fn the_stream_digest_tells_inputs_and_outcomes_apart() {
    let stream = |wrong: &'static str, input: fn(&[usize]) -> String| {
        let folder = Folder::new();
        let mut record = folder.record("");
        let universe = universe();
        let mut table = Table::new("the sum", &universe, input, parity(wrong));
        record.gates(&mut table, "even", |case| {
            let text = input(case);
            [("odd".to_owned(), odd(case) != (text == wrong))]
        });
        record.finish();
        folder.read()["claims"]["stream"].clone()
    };
    let plain = stream("none", digits);
    assert_eq!(plain, stream("none", digits));
    assert_ne!(plain, stream("12", digits));
    assert_ne!(plain, stream("none", |case| digits(case) + "+"));
}

#[test]
fn a_failed_reconstruction_leaves_the_failure_and_no_completion() {
    let universe = universe();
    let (record, words) = failing(|record| {
        let mut table = Table::new("the sum", &universe, digits, parity("21"));
        record.reconstruction(&mut table, &["even", "odd"], |case| {
            let odd = odd(case);
            move |fiber| odd == (fiber == 1)
        });
    });
    assert_eq!(
        words,
        "the rule reconstructs odd; the sum returned even (case 11: two, one)"
    );
    assert_eq!(
        record["failure"],
        json!({ "check": "reconstruction", "case": "11", "words": words })
    );
    assert_eq!(record["complete"], json!(false));
    assert_eq!(record["checks"], json!([]));
    assert_eq!(universe.case(11), [2, 1]);
}

#[test]
fn an_empty_fiber_is_no_reconstruction() {
    let universe = universe();
    let (_, words) = failing(|record| {
        let mut table = Table::new("the sum", &universe, digits, parity("none"));
        record.reconstruction(&mut table, &["odd", "both"], |case| {
            let odd = odd(case);
            move |fiber| odd && fiber == 0
        });
    });
    assert_eq!(words, "no case at all gives both");
}

#[test]
fn a_fiber_may_be_empty_under_a_bound_that_the_runner_set() {
    let folder = Folder::new();
    let mut record = folder.record("length=0");
    let length = record.bound("length", 3);
    let universe = Sequences::new(["zero", "one"], length);
    let mut table = Table::new("the sum", &universe, digits, parity("none"));
    record.reconstruction(&mut table, &["odd"], |case| {
        let odd = odd(case);
        move |_| odd
    });
    record.finish();
    assert_eq!(folder.read()["claims"]["fibers"], json!({ "odd": 0 }));
}

#[test]
fn a_complement_claims_how_much_of_what_never_happens_it_covers() {
    let folder = Folder::new();
    let mut record = folder.record("");
    let universe = universe();
    let mut table = Table::new("the sum", &universe, digits, parity("none"));
    // Excludes "even" for odd cases and says nothing of the others.
    record.complement(
        &mut table,
        &["even", "odd", "neither"],
        |case| {
            let odd = odd(case);
            move |outcome| odd && outcome == 0
        },
        |_| "an odd sum is not even".to_owned(),
    );
    record.finish();
    let odd = (0..universe.len())
        .filter(|&i| odd(&universe.case(i)))
        .count();
    assert_eq!(
        folder.read()["claims"]["complement"],
        json!({ "never_produced": 80, "covered": odd })
    );
}

#[test]
fn a_produced_excluded_pair_fails_the_complement() {
    let universe = universe();
    let (record, words) = failing(|record| {
        let mut table = Table::new("the sum", &universe, digits, parity("1"));
        record.complement(
            &mut table,
            &["even", "odd"],
            |case| {
                let odd = odd(case);
                move |outcome| odd && outcome == 0
            },
            |_| "an odd sum is not even".to_owned(),
        );
    });
    assert_eq!(
        words,
        "an odd sum is not even; the sum returned even (case 2: one)"
    );
    assert_eq!(record["failure"]["check"], json!("complement"));
}

#[test]
fn an_undeclared_outcome_fails_the_complement() {
    let universe = universe();
    let (_, words) = failing(|record| {
        let mut table = Table::new("the sum", &universe, digits, parity("none"));
        record.complement(
            &mut table,
            &["even"],
            |_| |_| false,
            |_| "only even".to_owned(),
        );
    });
    assert_eq!(words, "only even; the sum returned odd (case 2: one)");
}

#[test]
fn acceptance_is_complement_and_reconstruction() {
    let universe = universe();
    let run = |wrong, record: &mut Record| {
        let mut table = Table::new("the sum", &universe, digits, parity(wrong));
        let due = |case: &[usize]| odd(case).then_some(0);
        let words = |case: &[usize]| format!("odd: {}", odd(case));
        record.acceptance(&mut table, &["odd"], &["even"], due, words);
    };
    let folder = Folder::new();
    let mut record = folder.record("");
    run("none", &mut record);
    record.finish();
    let record = folder.read();
    assert_eq!(record["checks"], json!(["complement", "reconstruction"]));
    // With two outcomes each case excludes exactly the one that it does not have.
    let covered = json!({ "never_produced": 40, "covered": 40 });
    assert_eq!(record["claims"]["complement"], covered);
    // Of length n there are (3^n - 1) / 2.
    assert_eq!(record["claims"]["fibers"], json!({ "odd": 1 + 4 + 13 }));
    let (_, words) = failing(|record| run("2", record));
    assert_eq!(words, "odd: false; the sum returned odd (case 3: two)");
}

#[test]
fn a_partition_fails_on_a_split_class_and_on_joined_classes() {
    let universe = universe();
    let (_, split) = failing(|record| {
        let mut table = Table::new("the sum", &universe, digits, parity("00"));
        record.partition(&mut table, |outcome| outcome, odd);
    });
    assert_eq!(
        split,
        "class false must have one outcome, and the case <nothing> gave even; \
         the sum returned odd (case 4: zero, zero)"
    );
    let (_, joined) = failing(|record| {
        let mut table = Table::new("the sum", &universe, digits, parity("none"));
        record.partition(&mut table, |outcome| outcome, |case| case.len().min(1));
    });
    assert_eq!(
        joined,
        "class 1 must differ from class 0; the sum returned even (case 1: zero)"
    );
}

#[test]
fn a_coarse_partition_joins_outcomes() {
    let folder = Folder::new();
    let mut record = folder.record("");
    let universe = universe();
    let mut table = Table::new("the sum", &universe, digits, parity("none"));
    record.partition(&mut table, |_| "any", |_| ());
    record.finish();
    let claims = &folder.read()["claims"];
    assert_eq!(
        (&claims["classes"], &claims["outcomes"]),
        (&json!(1), &json!(2))
    );
}

#[test]
fn the_first_gate_that_stops_decides() {
    let run = |wrong: &'static str, record: &mut Record| {
        let universe = universe();
        let first = move |_: &[usize], text: &str| {
            if text == wrong {
                return "open".to_owned();
            }
            text.find(['1', '2'])
                .map_or("open".to_owned(), |at| format!("stop {at}"))
        };
        let mut table = Table::new("the gatekeeper", &universe, digits, first);
        record.gates(&mut table, "open", |case| {
            let case = case.to_vec();
            (0..case.len()).map(move |at| (format!("stop {at}"), case[at] > 0))
        });
    };
    let folder = Folder::new();
    let mut record = folder.record("");
    run("none", &mut record);
    record.finish();
    assert_eq!(
        folder.read()["claims"]["decided"],
        json!({ "open": 4, "stop 0": 26, "stop 1": 8, "stop 2": 2 })
    );
    let (record, words) = failing(|record| run("02", record));
    assert_eq!(
        words,
        "the first gate that stops is stop 1; the gatekeeper returned open (case 6: zero, two)"
    );
    assert_eq!(record["failure"]["check"], json!("gates"));
}

#[test]
fn a_change_that_is_not_neutral_fails_the_invariance() {
    let universe = Product::new().with("first", 0..3).with("inserted", 0..3);
    let run = |neutral: usize, record: &mut Record| {
        let mut table = Table::new("the sum", &universe, digits, parity("none"));
        record.invariance(&mut table, |case| {
            case[0].to_string() + if case[1] == neutral { "1" } else { "" }
        });
    };
    let (record, words) = failing(|record| run(9, record));
    assert_eq!(
        words,
        "the change must be neutral, and without it the outcome is even; \
         the sum returned odd (case 1: first 0, inserted 1)"
    );
    assert_eq!(record["failure"]["check"], json!("invariance"));
    let folder = Folder::new();
    let mut record = folder.record("");
    run(1, &mut record);
    record.finish();
    assert_eq!(folder.read()["checks"], json!(["invariance"]));
}

/// A box for two digits; it takes `slack` more of the right one than it should.
fn budget(greatest: usize, slack: usize, record: &mut Record) {
    let universe = Product::new()
        .with("left", 0..=greatest)
        .with("right", 0..=greatest);
    let run = |case: &[usize], _: &str| {
        let fits = case[0] <= 2 && case[1] <= 3 + slack;
        if fits { "taken" } else { "refused" }.to_owned()
    };
    let mut table = Table::new("the box", &universe, digits, run);
    record.budget(
        &mut table,
        &[("left", 2), ("right", 3)],
        &["taken"],
        |case| case.iter().map(|&digit| digit as u64).collect(),
    );
}

#[test]
fn a_budget_passes_with_both_edges_and_fails_one_beyond() {
    let folder = Folder::new();
    let mut record = folder.record("");
    budget(4, 0, &mut record);
    record.finish();
    let record = folder.read();
    assert_eq!(record["checks"], json!(["budget"]));
    assert_eq!(
        record["claims"]["budget"],
        json!({ "limits": { "left": 2, "right": 3 }, "within": 12, "beyond": 13 })
    );
    let (record, words) = failing(|record| budget(4, 1, record));
    assert_eq!(
        words,
        "4 of right is beyond the limit of 3; the box returned taken (case 4: left 0, right 4)"
    );
    assert_eq!(record["failure"]["check"], json!("budget"));
}

#[test]
fn a_budget_whose_edge_is_not_reached_fails() {
    let (_, words) = failing(|record| budget(3, 0, record));
    assert_eq!(
        words,
        "no case stands at both sides of the edge of right, 3"
    );
}

/// A door is opened, gone through and closed, as far as the case says.
fn door(rules: &[Order<'_>], record: &mut Record) {
    let universe = Product::new().with("deeds", ["none", "look", "pass", "stay"]);
    let trace = |case: &[usize], _: &str| {
        let traces = [
            "walk by",
            "open > close",
            "open > enter > close",
            "open > enter",
        ];
        traces[case[0]].to_owned()
    };
    let mut table = Table::new("the door", &universe, digits, trace);
    record.ordering(&mut table, rules);
}

#[test]
fn an_order_that_every_trace_keeps_passes_and_others_fail() {
    let folder = Folder::new();
    let mut record = folder.record("");
    door(
        &[Order::Needs("enter", "open"), Order::Needs("close", "open")],
        &mut record,
    );
    record.finish();
    let record = folder.read();
    assert_eq!(record["checks"], json!(["ordering"]));
    assert_eq!(
        record["claims"]["ordering"],
        json!({ "enter only after open": 2, "close only after open": 2 })
    );
    let (record, words) = failing(|record| door(&[Order::Leads("open", "close")], record));
    assert_eq!(
        words,
        "close some time after open; the door returned open > enter (case 3: deeds stay)"
    );
    assert_eq!(record["failure"]["check"], json!("ordering"));
    let (_, words) = failing(|record| door(&[Order::Needs("enter", "close")], record));
    assert!(
        words.starts_with("enter only after close; the door returned open > enter"),
        "{words}"
    );
    let (_, words) = failing(|record| door(&[Order::Leads("lock", "close")], record));
    assert_eq!(words, "no trace at all has lock");
}

/// The parity machine; `deaf` ignores a one after two twos in a row.
#[derive(Clone)]
struct Parity {
    odd: bool,
    twos: usize,
    deaf: bool,
}

impl Machine for Parity {
    type Key = (bool, usize);
    fn step(&self, symbol: usize) -> Self {
        let flips = symbol == 1 && !(self.deaf && self.twos == 2);
        let twos = if symbol == 2 {
            (self.twos + 1).min(2)
        } else {
            0
        };
        Self {
            odd: self.odd != flips,
            twos,
            deaf: self.deaf,
        }
    }
    fn key(&self) -> (bool, usize) {
        (self.odd, self.twos)
    }
    fn outcome(&self) -> String {
        if self.odd { "odd" } else { "even" }.to_owned()
    }
}

fn machine(deaf: bool) -> Parity {
    Parity {
        odd: false,
        twos: 0,
        deaf,
    }
}

#[test]
fn closure_claims_its_pairs_and_a_difference_is_a_failure() {
    let symbols = ["zero", "one", "two"];
    let folder = Folder::new();
    let mut record = folder.record("");
    record.closure("the machine", &symbols, machine(false), machine(false), 1);
    record.finish();
    let claims = &folder.read()["claims"];
    assert_eq!(claims["closed"], json!(true));
    assert_eq!(
        (&claims["pairs"], &claims["pairs_bounded"]),
        (&json!(6), &json!(3))
    );
    let (record, words) =
        failing(|record| record.closure("the machine", &symbols, machine(true), machine(false), 1));
    assert_eq!(
        words,
        "the rule's machine says odd; the machine returned even (after two, two, one)"
    );
    assert_eq!(record["failure"]["check"], json!("closure"));
}

#[test]
fn a_transfer_matrix_confirms_counts_or_fails() {
    let universe = universe();
    let run = |wrong, record: &mut Record| {
        let mut table = Table::new("the sum", &universe, digits, parity(wrong));
        record.partition(&mut table, |_| "any", |_| ());
        record.transfer_matrix(&table, 3, machine(false), 3, &["odd"]);
    };
    let folder = Folder::new();
    let mut record = folder.record("");
    run("none", &mut record);
    record.finish();
    assert_eq!(folder.read()["claims"]["second"]["universe"], json!(40));
    let (_, words) = failing(|record| run("0", record));
    assert!(
        words.starts_with("cases of odd, against the transfer matrix: expected"),
        "{words}"
    );
}

#[test]
fn a_literal_is_compared_on_every_case_and_is_no_check_of_a_type() {
    let universe = universe();
    let run = |wrong, record: &mut Record| {
        let mut table = Table::new("the sum", &universe, digits, parity(wrong));
        record.literal(&mut table, |case| {
            if odd(case) { "odd" } else { "even" }.to_owned()
        });
    };
    let folder = Folder::new();
    let mut record = folder.record("");
    run("none", &mut record);
    record.finish();
    assert_eq!(folder.read()["checks"], json!([]));
    let (record, words) = failing(|record| run("10", record));
    assert_eq!(
        words,
        "odd is due; the sum returned even (case 7: one, zero)"
    );
    assert_eq!(record["failure"]["check"], json!("equal"));
}

#[test]
fn equal_fails_with_both_values() {
    let (record, words) = failing(|record| record.equal("the sum of 1 and 1", &3, &2));
    assert_eq!(words, "the sum of 1 and 1: expected 2; found 3");
    assert_eq!(record["failure"]["check"], json!("equal"));
}

#[test]
fn a_bad_setting_is_refused_with_words() {
    for set in [
        "length",
        "length=",
        "length=-1",
        "=5",
        "length=5,",
        "length=1000001",
        "a=1,a=2",
    ] {
        let environment = Environment {
            set: set.to_owned(),
            ..Environment::default()
        };
        let panic = catch_unwind(|| drop(Record::start_in("the_oracle", environment))).unwrap_err();
        let words = panic.downcast::<String>().unwrap();
        assert!(words.starts_with("OBERNANT_SET"), "{set}: {words}");
    }
}

#[test]
#[should_panic(expected = "names the bound width, which the_oracle does not have")]
fn a_setting_for_another_oracle_is_refused() {
    let environment = Environment {
        set: "width=5".to_owned(),
        ..Environment::default()
    };
    let mut record = Record::start_in("the_oracle", environment);
    record.bound("length", 3);
    record.finish();
}

#[test]
#[should_panic(expected = "a claim holds no float")]
fn a_float_is_no_claim() {
    Record::start_in("the_oracle", Environment::default()).claim("ratio", json!([1, 0.5]));
}

#[test]
fn great_integers_are_strings() {
    assert_eq!(integer((1 << 53) - 1), json!(9_007_199_254_740_991_u64));
    assert_eq!(integer(1 << 53), json!("9007199254740992"));
    assert_eq!(integer(u128::MAX), json!(u128::MAX.to_string()));
}
