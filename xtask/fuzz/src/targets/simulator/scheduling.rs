//! Pools that run workgroups otherwise than in their order.

use std::sync::atomic::{AtomicUsize, Ordering};

use coopmat_simulator::Pool;

/// The last workgroup first.
pub struct Backwards;

impl Pool for Backwards {
    fn at_once(&self) -> usize {
        1
    }

    fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        (0..count).rev().for_each(job);
    }
}

/// Two threads.
pub struct Two;

impl Pool for Two {
    fn at_once(&self) -> usize {
        2
    }

    fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return;
                }
                job(index);
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(work);
            work();
        });
    }
}
