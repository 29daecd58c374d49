//! Notices an input that takes far too long: it is written down, and the process ends.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

struct Running {
    since: Instant,
    target: &'static str,
    input: Vec<u8>,
}

/// A thread that looks at what runs.
#[derive(Clone)]
pub struct Watchdog(Arc<Mutex<Option<Running>>>);

impl Watchdog {
    /// `limit` is generous: a machine may be busy, but what grows with the square of its input takes minutes.
    pub fn start(limit: Duration, folder: PathBuf) -> Watchdog {
        let watchdog = Watchdog(Arc::default());
        let running = watchdog.0.clone();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(limit / 8);
                let running = running.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(running) = running.as_ref().filter(|running| running.since.elapsed() > limit) {
                    let path = folder.join(format!("{}-hang", running.target));
                    let _ = std::fs::create_dir_all(&folder);
                    let _ = std::fs::write(&path, &running.input);
                    eprintln!(
                        "error: {} has not come back in {} s; the input is in {}",
                        running.target,
                        limit.as_secs(),
                        path.display()
                    );
                    std::process::exit(3);
                }
            }
        });
        watchdog
    }

    /// Watches over one run.
    pub fn watch<R>(&self, target: &'static str, input: &[u8], run: impl FnOnce() -> R) -> R {
        let set = |running| *self.0.lock().unwrap_or_else(PoisonError::into_inner) = running;
        set(Some(Running { since: Instant::now(), target, input: input.to_vec() }));
        let result = run();
        set(None);
        result
    }
}
