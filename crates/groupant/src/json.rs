//! The one written form of JSON: sorted keys, two-space indent, LF, one
//! trailing newline; and the digests of bytes. Receipts and generated files are
//! compared byte by byte, so nothing else may write them.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// SHA-256 of bytes, in lower-case hexadecimal.
#[must_use]
pub(crate) fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(bytes)
        .iter()
        .fold(String::with_capacity(64), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}

/// The first twelve digits of a digest, for people.
#[must_use]
pub(crate) fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}

/// The canonical text of a value: see the head of this file.
#[must_use]
pub(crate) fn canonical(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(&sorted(value)).unwrap_or_default();
    text.push('\n');
    text
}

/// A copy with the keys of every object in order, whatever map `serde_json` was
/// built with.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by(|left, right| left.0.cmp(right.0));
            entries
                .into_iter()
                .map(|(key, item)| (key.clone(), sorted(item)))
                .collect()
        }
        other => other.clone(),
    }
}

/// Parses canonical text. Anything else — another order, another layout, a key
/// twice — is refused, so that one value has one digest.
///
/// # Errors
///
/// A sentence that says what is wrong.
pub(crate) fn parse_canonical(bytes: &[u8]) -> Result<Value, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if canonical(&value).as_bytes() == bytes {
        Ok(value)
    } else {
        Err("not in canonical form (sorted keys, two-space indent, no key twice)".to_owned())
    }
}

/// Whether a value holds only what a claim may hold: no floats, and integers
/// that every JSON reader keeps exactly.
#[must_use]
pub(crate) fn is_exact(value: &Value) -> bool {
    const SAFE: u64 = (1 << 53) - 1;
    match value {
        Value::Number(number) => {
            number.as_u64().is_some_and(|n| n <= SAFE)
                || number.as_i64().is_some_and(|n| n.unsigned_abs() <= SAFE)
        }
        Value::Array(items) => items.iter().all(is_exact),
        Value::Object(map) => map.values().all(is_exact),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn canonical_text_has_sorted_keys_and_one_newline_at_the_end() {
        let text = canonical(&json!({"b": 1, "a": {"d": [1, "x"], "c": null}}));
        assert_eq!(
            text,
            "{\n  \"a\": {\n    \"c\": null,\n    \"d\": [\n      1,\n      \"x\"\n    ]\n  },\n  \"b\": 1\n}\n"
        );
        assert_eq!(canonical(&parse_canonical(text.as_bytes()).unwrap()), text);
    }

    #[test]
    fn a_key_twice_or_another_layout_is_refused() {
        assert!(parse_canonical(b"{\n  \"a\": 1,\n  \"a\": 1\n}\n").is_err());
        assert!(parse_canonical(b"{\"a\":1}\n").is_err());
        assert!(parse_canonical(b"{\n  \"b\": 1,\n  \"a\": 1\n}\n").is_err());
    }

    #[test]
    fn floats_and_unsafe_integers_are_not_exact() {
        assert!(is_exact(
            &json!({"n": 9_007_199_254_740_991_u64, "s": "9007199254740993"})
        ));
        assert!(!is_exact(&json!(9_007_199_254_740_992_u64)));
        assert!(!is_exact(&json!([1.0])));
    }
}
