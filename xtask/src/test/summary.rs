//! What is said at the end: each step with its count and its time.

use std::time::Duration;

use anyhow::{Result, bail};

use crate::count::Count;

/// A step that has run.
pub struct Done {
    pub name: &'static str,
    pub count: Count,
    pub time: Duration,
    /// What all its processes computed, where the system tells it.
    pub processors: Option<Duration>,
    /// In seconds.
    pub budget: Option<u64>,
}

/// Prints what each step counted and how long it took beside its budget, and all of them together; an error when a check failed.
pub fn summarise(done: &[Done], time: Duration) -> Result<()> {
    println!();
    let mut total = Count::default();
    for Done { name, count, time, processors, budget } in done {
        let verdict = if count.failed == 0 { "ok    " } else { "FAILED" };
        let time = time.as_secs_f64();
        let budget = budget.map(|budget| format!(" of {budget:>3} s")).unwrap_or_default();
        let processors = processors
            .map(|processors| format!(", computing {:>6.0} s", processors.as_secs_f64()))
            .unwrap_or_default();
        println!(
            "{verdict} {name:<22} {:>6} passed {:>4} failed {time:>7.1} s{budget}{processors}",
            count.passed, count.failed
        );
        total.passed += count.passed;
        total.failed += count.failed;
    }
    println!("{} passed, {} failed, {:.1} s", total.passed, total.failed, time.as_secs_f64());
    if total.failed > 0 {
        bail!("some checks failed");
    }
    Ok(())
}
