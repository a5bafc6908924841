//! How the commands behave beside their findings.
