//! Queues, and what submissions signal and write: what `Driver` keeps of them.

use std::collections::VecDeque;

#[derive(Clone, Debug, Default)]
pub struct Submission {
    /// Semaphores and values.
    pub waits: Vec<(u64, u64)>,
    /// The stages that wait, for each of `waits`.
    pub stages: Vec<u64>,
    /// The stages that come before each of `signals`; all without.
    pub signal_stages: Vec<u64>,
    /// Pointers of command buffers.
    pub buffers: Vec<u64>,
    pub signals: Vec<(u64, u64)>,
    pub fence: u64,
}

pub struct Queue {
    pub device: u64,
    pub pending: VecDeque<Submission>,
    /// Labels that are open, the outermost first.
    pub labels: Vec<String>,
}

impl Queue {
    pub fn new(device: u64) -> Queue {
        Queue { device, pending: VecDeque::new(), labels: Vec::new() }
    }
}

pub struct Fence {
    pub signaled: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Semaphore {
    Binary(bool),
    Timeline(u64),
}

/// Results of queries: where each goes, and its bytes.
pub type Results = Vec<(u64, Vec<u8>)>;

pub struct QueryPool {
    /// None: not available.
    pub queries: Vec<Option<u64>>,
}
