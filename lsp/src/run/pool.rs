//! Threads for workgroups, and the bar that shows how far a long run is.

use std::time::Duration;

use coopmat_recipe::Plan;
use coopmat_simulator::Pool;
use indicatif::{ProgressBar, ProgressDrawTarget};
use rayon::prelude::*;

use crate::remaining;

/// How many threads there are, unless it is said.
pub fn count(wanted: Option<usize>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    wanted.filter(|&count| count > 0).unwrap_or_else(cores)
}

pub struct Threads {
    pool: rayon::ThreadPool,
}

impl Threads {
    /// As many as the machine has cores, unless it is said.
    pub fn new(count: Option<usize>) -> Result<Threads, String> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count.unwrap_or(0)).build();
        pool.map(|pool| Threads { pool }).map_err(|error| format!("cannot start threads: {error}"))
    }

    /// The threads, with a bar that moves as their jobs end.
    pub fn with<'t>(&'t self, bar: &'t Bar) -> impl Pool + 't {
        WithBar { threads: self, bar }
    }
}

struct WithBar<'t> {
    threads: &'t Threads,
    bar: &'t Bar,
}

impl Pool for WithBar<'_> {
    fn at_once(&self) -> usize {
        self.threads.pool.current_num_threads()
    }

    fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        self.threads.pool.install(|| {
            (0..count).into_par_iter().for_each(|number| {
                job(number);
                self.bar.0.inc(1);
            });
        });
    }
}

/// A bar on standard error, where that is a terminal. It does not show in the first moments: most runs are over by then.
pub struct Bar(ProgressBar);

impl Bar {
    pub fn new(plan: &Plan, hidden: bool) -> Bar {
        let target =
            if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(4) };
        let bar = ProgressBar::with_draw_target(Some(plan.workgroups()), target);
        if let Some(style) =
            remaining::style("{bar:40} {pos} of {len} workgroups, running for {elapsed}{left}")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(500));
        Bar(bar)
    }

    pub fn set(&self, done: u64) {
        self.0.set_position(done);
    }

    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}
