//! Notices an input that takes far too long: it is written down, and the process ends.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

struct Running {
    since: Instant,
    /// What the process had taken of the processor.
    before: ProcessTime,
    target: &'static str,
    input: Vec<u8>,
}

/// A thread that looks at what runs.
#[derive(Clone)]
pub struct Watchdog(Arc<Mutex<Option<Running>>>);

impl Watchdog {
    /// `limit` is generous, and counts time of the processor, which others may keep busy: what grows with the square of its input takes
    /// minutes. What waits for something that does not come takes no such time, and thirty times as long.
    pub fn start(limit: Duration, folder: PathBuf) -> Watchdog {
        let watchdog = Watchdog(Arc::default());
        let running = watchdog.0.clone();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(limit / 8);
                let running = running.lock().unwrap_or_else(PoisonError::into_inner);
                let is_late = |running: &&Running| {
                    running.before.elapsed() > limit || running.since.elapsed() > limit * 30
                };
                if let Some(running) = running.as_ref().filter(is_late) {
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
        set(Some(Running {
            since: Instant::now(),
            before: ProcessTime::now(),
            target,
            input: input.to_vec(),
        }));
        let result = run();
        set(None);
        result
    }
}
