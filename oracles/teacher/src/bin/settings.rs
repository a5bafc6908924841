//! Prints what `teacher::settings` makes of this process's environment, so that a
//! test can ask in isolation. The one argument names the component's variable.

use std::path::PathBuf;

use teacher::settings;

fn main() {
    let component = std::env::args().nth(1).unwrap_or_default();
    println!("model {:?}", settings::model(&component));
    match settings::effort() {
        Ok(effort) => println!("effort {effort}"),
        Err(_) => println!("effort refused"),
    }
    match settings::timeout() {
        Ok(time) => println!("timeout {}", time.as_secs()),
        Err(_) => println!("timeout refused"),
    }
    // Escaped, so that no byte is lost that is no Unicode.
    let escaped = |path: PathBuf| {
        path.as_os_str()
            .as_encoded_bytes()
            .escape_ascii()
            .to_string()
    };
    println!("client {}", escaped(settings::client()));
    println!("log {}", escaped(settings::log()));
}
