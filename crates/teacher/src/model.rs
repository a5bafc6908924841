//! Model names: the default, and the lexical rule that a name must pass before
//! anything is launched.

use thiserror::Error;

/// The model that is used where nobody names one.
pub const DEFAULT_MODEL: &str = "gpt-5.5";

/// A name that breaks the lexical rule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("model name {0:?} must begin with \"gpt-\" and hold no white space")]
pub struct InvalidModel(String);

/// Accepts a name exactly when it begins with `gpt-` and holds no Unicode white
/// space. `gpt-` alone passes: the rule says nothing about which models exist.
///
/// Fails with the name otherwise.
pub fn validate_model(name: &str) -> Result<(), InvalidModel> {
    if name.starts_with("gpt-") && !name.chars().any(char::is_whitespace) {
        Ok(())
    } else {
        Err(InvalidModel(name.to_owned()))
    }
}
