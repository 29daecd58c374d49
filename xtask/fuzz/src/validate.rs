//! `spirv-val` beside a run: modules go through it on a thread of its own, as many as it keeps up with.

use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

/// A module, and the shader that it comes from.
struct Job {
    bytes: Vec<u8>,
    environment: &'static str,
    input: Vec<u8>,
}

/// A module that is not valid.
pub struct Invalid {
    pub said: String,
    pub input: Vec<u8>,
}

#[derive(Default)]
pub struct Validated {
    pub modules: usize,
    pub invalid: Vec<Invalid>,
}

pub struct Validator {
    queue: SyncSender<Job>,
    thread: JoinHandle<Validated>,
    /// Those for which there was no time.
    pub skipped: usize,
}

/// What is the shader's own affair, or that of the values it is specialized with: `layout(constant_id = 0) const uint N = 0; float a[N];`
/// is right for every N but the default.
/// So is a matrix whose scope is a constant that is specialized with what is no scope of a matrix.
const NOT_OURS: [&str; 4] = [
    "default value must be at least 1",
    "Local Size execution mode must not have a product of zero",
    "must not have a static product of zero",
    "OpTypeCooperativeMatrixKHR Scope is limited to Workgroup and Subgroup",
];

/// What `spirv-val` says to a module; nothing where it is valid.
pub fn complaint(command: &str, scratch: &PathBuf, bytes: &[u8], environment: &str) -> Option<String> {
    if let Err(error) = std::fs::write(scratch, bytes) {
        return Some(format!("cannot write {}: {error}", scratch.display()));
    }
    let mut words = command.split_whitespace();
    let mut validator = Command::new(words.next().unwrap_or("spirv-val"));
    // Layouts of `scalar` are what the shader asks for.
    validator.args(words).args(["--target-env", environment, "--scalar-block-layout"]).arg(scratch);
    match validator.output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let said = [output.stderr, output.stdout].concat();
            let said = String::from_utf8_lossy(&said);
            let ours = !NOT_OURS.iter().any(|words| said.contains(words));
            ours.then(|| format!("spirv-val: {}", said.trim()))
        }
        Err(error) => Some(format!("cannot start {command}: {error}")),
    }
}

impl Validator {
    pub fn start(command: String, scratch: PathBuf) -> Validator {
        let (queue, jobs) = sync_channel::<Job>(256);
        let thread = std::thread::spawn(move || work(&command, &scratch, &jobs));
        Validator { queue, thread, skipped: 0 }
    }

    pub fn add(&mut self, bytes: Vec<u8>, environment: &'static str, input: &[u8]) {
        let job = Job { bytes, environment, input: input.to_vec() };
        if let Err(TrySendError::Full(_)) = self.queue.try_send(job) {
            self.skipped += 1;
        }
    }

    /// Waits for what is left.
    pub fn finish(self) -> Validated {
        drop(self.queue);
        self.thread.join().unwrap_or_default()
    }
}

fn work(command: &str, scratch: &PathBuf, jobs: &Receiver<Job>) -> Validated {
    let mut done = Validated::default();
    for job in jobs {
        done.modules += 1;
        if let Some(said) = complaint(command, scratch, &job.bytes, job.environment)
            && done.invalid.len() < 50
        {
            done.invalid.push(Invalid { said, input: job.input });
        }
    }
    done
}
