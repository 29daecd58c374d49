//! How much time remains, for progress bars that say so only if it can be told.

use std::fmt::Write;
use std::time::Duration;

use indicatif::{HumanDuration, ProgressState, ProgressStyle};

/// A style with `{left}` for what remains.
pub fn style(template: &str) -> Option<ProgressStyle> {
    let style = ProgressStyle::with_template(template).ok()?;
    Some(style.with_key("left", |state: &ProgressState, out: &mut dyn Write| {
        let _ = out.write_str(&left(state.pos(), state.eta()));
    }))
}

/// Before the first part has ended, nobody knows whether it will.
fn left(done: u64, estimate: Duration) -> String {
    match (done, estimate.as_secs()) {
        (0, _) | (_, 0) => String::new(),
        (_, seconds) => format!(", about {} left", HumanDuration(Duration::from_secs(seconds))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_is_promised_that_nobody_knows() {
        assert_eq!(left(0, Duration::ZERO), "");
        assert_eq!(left(0, Duration::from_secs(9)), "");
        assert_eq!(left(3, Duration::from_millis(400)), "");
        assert_eq!(left(3, Duration::from_secs(12)), ", about 12 seconds left");
    }
}
