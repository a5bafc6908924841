//! Does one thing of `teacher::launch` or `teacher::client` with this process's
//! own environment, so that a test can choose all of it.
//!
//! `start CLIENT DIRECTORY MODEL EFFORT` starts a launch and waits for its end;
//! `questions CLIENT` asks a client everything that is asked free of charge;
//! `locate CLIENT` prints the file behind a name.

use std::ffi::OsString;
use std::path::Path;
use std::process::{ExitCode, Stdio};

use teacher::client::{inspect, locate, login};
use teacher::command;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let texts: Vec<&str> = arguments.iter().filter_map(|it| it.to_str()).collect();
    let done = match texts[..] {
        ["start", client, directory, model, effort] => effort.parse().is_ok_and(|effort| {
            command(Path::new(client), Path::new(directory), model, effort)
                .to_command()
                .stdin(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
        }),
        ["questions", client] => {
            let client = Path::new(client);
            inspect(client, None).is_ok() && login(client, None).is_ok()
        }
        ["locate", client] => {
            println!("{:?}", locate(Path::new(client)));
            true
        }
        _ => false,
    };
    ExitCode::from(u8::from(!done))
}
