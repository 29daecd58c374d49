//! Threads for workgroups.

use coopmat_simulator::Pool;
use rayon::prelude::*;

pub struct Threads(rayon::ThreadPool);

impl Threads {
    /// As many as the machine has cores, unless it is said. None if they cannot be started: workgroups then run one after the other.
    pub fn new(count: Option<usize>) -> Option<Threads> {
        rayon::ThreadPoolBuilder::new().num_threads(count.unwrap_or(0)).build().ok().map(Threads)
    }
}

impl Pool for Threads {
    fn at_once(&self) -> usize {
        self.0.current_num_threads()
    }

    fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        self.0.install(|| (0..count).into_par_iter().for_each(job));
    }
}
