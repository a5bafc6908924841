//! The oracle of many calls at once. It stands alone: it counts the descriptors and
//! the threads of its process.

mod calls;

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use calls::{Place, names};
use fake_codex::{Step, Stream};
use obernant::{Product, Record, Table, Universe};
use oracles_teacher::stops;
use teacher::ask;

/// How many descriptors and threads this process has.
fn held() -> [usize; 2] {
    ["/proc/self/fd", "/proc/self/task"].map(|folder| names(folder.as_ref()).len())
}

/// The stream of a turn with this answer. It is the prompt too: the client prints
/// what it reads.
fn prompt(answer: &str) -> String {
    let Step::Write { text, .. } = Step::answer(answer) else {
        unreachable!("an answer is written")
    };
    text
}

/// So many calls by so many threads, and what became of all of them.
fn crowd(threads: usize, calls: usize) -> String {
    let place = Place::new(|_| {
        vec![
            Step::ReadPrompt(Some("prompt".into())),
            Step::Copy {
                stream: Stream::Stdout,
                path: "prompt".into(),
            },
        ]
    });
    let before = held();
    let next = AtomicUsize::new(0);
    let own = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let call = next.fetch_add(1, Ordering::Relaxed);
                    if call >= calls {
                        return;
                    }
                    let answer = format!("answer {call}");
                    let answered = ask(&place.call(&prompt(&answer)));
                    if answered.is_ok_and(|answered| answered.reply.result == answer) {
                        own.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    // A thread that has seen a client's end may need a moment for its own.
    let end = Instant::now() + Duration::from_secs(10);
    while held() != before && Instant::now() < end {
        thread::sleep(Duration::from_millis(1));
    }
    let log = fs::read_to_string(&place.log).unwrap_or_default();
    let whole = |line: &&str| serde_json::from_str::<serde_json::Value>(line).is_ok();
    let whole = log.lines().filter(whole).count();
    let starts = place.starts();
    let different = starts.iter().collect::<BTreeSet<_>>().len();
    let [descriptors, tasks] = held();
    let gone = starts.iter().filter(|&&process| stops(process)).count();
    format!(
        "{} own answers, {whole} of {} lines whole, {} starts by {different} processes, {} of them \
         left, {} directories left, {} descriptors left, {} threads left",
        own.load(Ordering::Relaxed),
        log.lines().count(),
        starts.len(),
        starts.len() - gone,
        names(&place.scratch).len(),
        descriptors.saturating_sub(before[0]),
        tasks.saturating_sub(before[1]),
    )
}

#[test]
fn calls_at_once_do_not_disturb_each_other() {
    let mut record = Record::start("calls_at_once_do_not_disturb_each_other");
    let (threads, calls) = ([1, 4, 16], [16, 200]);
    let universe = Product::new().with("threads", threads).with("calls", calls);
    let mut table = Table::new(
        "the call",
        &universe,
        |case| universe.words(case),
        |case, _| crowd(threads[case[0]], calls[case[1]]),
    );
    // However many threads share the calls.
    record.partition(&mut table, |outcome| outcome, |case| calls[case[1]]);
    record.literal(&mut table, |case| {
        let calls = calls[case[1]];
        format!(
            "{calls} own answers, {calls} of {calls} lines whole, {calls} starts by {calls} \
             processes, 0 of them left, 0 directories left, 0 descriptors left, 0 threads left"
        )
    });
    record.assume("no process id is used twice within one case");
    record.finish();
}
