//! Makes one call with what its arguments say, as `model=gpt-5.5`, and leaves the
//! rest to the environment, so that a test can ask in isolation. Prints how the
//! call ended.

use std::env;
use std::path::Path;
use std::time::Duration;

use teacher::{Call, ask};

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let said = |name: &str| {
        let mut values = arguments
            .iter()
            .filter_map(|argument| argument.split_once('='));
        values
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    };
    let outcome = ask(&Call {
        prompt: "What is six times seven?",
        component: said("component"),
        model: said("model"),
        effort: said("effort"),
        timeout: said("timeout").map(|text| Duration::from_secs(text.parse().unwrap_or(0))),
        client: said("client").map(Path::new),
        scratch: said("scratch").map(Path::new),
        log: said("log").map(Path::new),
        ..Call::default()
    });
    match outcome {
        Ok(_) => println!("reply"),
        Err(failure) => println!("{}", failure.error.as_str()),
    }
}
