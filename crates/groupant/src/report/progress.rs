//! Progress of long work, on standard error: a bar on a terminal, plain lines
//! elsewhere, nothing where it is not wanted.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Where progress goes.
pub struct Progress {
    quiet: bool,
    terminal: bool,
    bar: Mutex<Option<ProgressBar>>,
    begun: Mutex<Option<(String, Instant)>>,
}

impl Progress {
    /// For a person; `quiet` says nothing.
    #[must_use]
    pub fn new(quiet: bool) -> Self {
        Self {
            quiet,
            terminal: std::io::stderr().is_terminal(),
            bar: Mutex::default(),
            begun: Mutex::default(),
        }
    }

    /// Says that something begins that has no steps.
    pub fn note(&self, what: &str) {
        if self.quiet {
            return;
        }
        if !self.terminal {
            crate::report::say!("{what}");
            return;
        }
        self.put(None);
        let bar = ProgressBar::new_spinner();
        bar.set_message(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        self.put(Some(bar));
    }

    /// Begins work of so many steps; `what` is one of them.
    pub fn begin(&self, what: &str, steps: u64) {
        if self.quiet || steps == 0 {
            return;
        }
        if let Ok(mut begun) = self.begun.lock() {
            *begun = Some((what.to_owned(), Instant::now()));
        }
        if !self.terminal {
            crate::report::say!(
                "running {}",
                super::plural(usize::try_from(steps).unwrap_or(usize::MAX), what)
            );
            return;
        }
        self.put(None);
        let bar = ProgressBar::new(steps);
        if let Ok(style) =
            ProgressStyle::with_template("{prefix} {bar:24} {pos}/{len} {elapsed} {wide_msg}")
        {
            bar.set_style(style);
        }
        bar.set_prefix(format!("{what}s"));
        self.put(Some(bar));
    }

    /// One step is done.
    pub fn step(&self, name: &str) {
        if let Ok(bar) = self.bar.lock()
            && let Some(bar) = bar.as_ref()
        {
            bar.set_message(name.to_owned());
            bar.inc(1);
        }
    }

    /// The work is done.
    pub fn end(&self) {
        self.put(None);
        let begun = self.begun.lock().ok().and_then(|mut begun| begun.take());
        if let Some((what, since)) = begun
            && !self.quiet
            && !self.terminal
        {
            crate::report::say!("{what}s done in {:.1} s", since.elapsed().as_secs_f64());
        }
    }

    /// Takes the place of the bar before it, which must be cleared before
    /// another is drawn: a second one would leave its line on the terminal.
    fn put(&self, bar: Option<ProgressBar>) {
        if let Ok(mut slot) = self.bar.lock()
            && let Some(old) = std::mem::replace(&mut *slot, bar)
        {
            old.finish_and_clear();
        }
    }
}
