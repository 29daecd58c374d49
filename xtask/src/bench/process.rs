//! Programs as a whole: how long one takes from its start to its end, and how much memory at most.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::shell;

/// Milliseconds from start to end. Programs that find something wrong in what they are given count as well.
pub fn time(command: &mut Command) -> Result<f64> {
    let start = Instant::now();
    let mut child =
        quiet(command).spawn().with_context(|| format!("cannot start {}", shell::describe(command)))?;
    child.wait()?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

fn quiet(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())
}

/// MiB that a program took at most; nothing where the system does not tell.
pub fn peak(command: &mut Command) -> Result<Option<f64>> {
    let mut child =
        quiet(command).spawn().with_context(|| format!("cannot start {}", shell::describe(command)))?;
    let mut most = None;
    loop {
        // The system keeps the peak, so that the last look before the end is nearly all there is to see.
        most = high_water(child.id()).or(most);
        if child.try_wait()?.is_some() {
            return Ok(most);
        }
        std::thread::sleep(Duration::from_micros(300));
    }
}

fn high_water(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024.0)
}
