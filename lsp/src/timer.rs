//! Jobs that run after a while, on a thread of their own: they do little more than to send a message.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use coopmat_server::Job;

pub struct Timer(mpsc::Sender<(Instant, Job)>);

impl Timer {
    pub fn start() -> Timer {
        let (sender, orders) = mpsc::channel();
        std::thread::spawn(move || run(&orders));
        Timer(sender)
    }

    pub fn after(&self, delay: Duration, job: Job) {
        // The thread ends only with us.
        let _ = self.0.send((Instant::now() + delay, job));
    }
}

fn run(orders: &mpsc::Receiver<(Instant, Job)>) {
    // Few at a time: one pause of typing, one answer that is waited for.
    let mut waiting: Vec<(Instant, Job)> = Vec::new();
    loop {
        let next = waiting.iter().map(|(due, _)| *due).min();
        let order = match next {
            Some(due) => orders.recv_timeout(due.saturating_duration_since(Instant::now())),
            None => orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match order {
            Ok(order) => waiting.push(order),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let now = Instant::now();
        for (_, job) in waiting.extract_if(.., |(due, _)| *due <= now) {
            job();
        }
    }
}
