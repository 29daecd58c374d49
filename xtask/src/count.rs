//! The checks of a chore, counted.

use anyhow::Result;

/// How many checks a step made.
#[derive(Clone, Copy, Default)]
pub struct Count {
    pub passed: usize,
    pub failed: usize,
}

impl Count {
    /// A step that is a single check.
    pub fn one(result: Result<()>) -> Count {
        match result {
            Ok(()) => Count { passed: 1, failed: 0 },
            Err(error) => {
                eprintln!("error: {error:#}");
                Count { passed: 0, failed: 1 }
            }
        }
    }
}
