//! How far a long sweep is, on standard error where that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};

use crate::remaining;

/// Fewer are done before anybody looks.
const MANY: usize = 50;

/// Runs `work`, which calls what it is given once for each of `all`.
pub fn over<T>(all: usize, quiet: bool, work: impl FnOnce(&(dyn Fn() + Sync)) -> T) -> T {
    if quiet || all < MANY {
        return work(&|| {});
    }
    let bar = ProgressBar::with_draw_target(Some(all as u64), ProgressDrawTarget::stderr());
    if let Some(style) = remaining::style("checking [{bar:30}] {human_pos}/{human_len}{left}") {
        bar.set_style(style.progress_chars("=> "));
    }
    // Not before it is worth a line.
    bar.enable_steady_tick(Duration::from_millis(500));
    let result = work(&|| bar.inc(1));
    bar.finish_and_clear();
    result
}
