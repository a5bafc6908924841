//! Runs one prompt through the Rust SDK against the client that the argument
//! names, and prints one JSON object: answer and usage, or message.

use codex::{Codex, CodexOptions};
use serde_json::json;

#[tokio::main]
async fn main() {
    let options = CodexOptions {
        codex_path_override: std::env::args().nth(1),
        ..CodexOptions::default()
    };
    let turn = match Codex::new(Some(options)) {
        Ok(codex) => codex.start_thread(None).run("Say something.", None).await,
        Err(error) => Err(error),
    };
    let outcome = match turn {
        Ok(turn) => json!({ "answer": turn.final_response, "usage": turn.usage }),
        Err(error) => json!({ "message": error.to_string() }),
    };
    println!("{outcome}");
}
