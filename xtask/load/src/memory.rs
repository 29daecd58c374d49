//! What a server takes: before anything is open, with documents, and after they are closed again.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::client::{Client, memory};
use crate::session::Session;
use crate::workspace;

/// Waits until the memory of a process no longer changes; its KiB.
pub fn settled(process: u32) -> Option<u64> {
    let until = Instant::now() + Duration::from_secs(20);
    let mut last = memory(process)?.0;
    let mut same = 0;
    while same < 5 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(200));
        let now = memory(process)?.0;
        same = if now.abs_diff(last) * 100 <= last { same + 1 } else { 0 };
        last = now;
    }
    Some(last)
}

/// Waits until a process takes no more than so many KiB, for at most so long.
pub fn returned(process: u32, bound: u64, patience: Duration) {
    let until = Instant::now() + patience;
    while memory(process).is_some_and(|(now, _)| now > bound) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Prints, for each number of documents, the KiB that a server takes with so many of them open and analysed, and the most that it took.
pub fn measure(server: &Path, folder: &Path, counts: &[usize]) -> Result<()> {
    for &count in counts {
        let documents = workspace::documents(folder, count.max(1))?.into_iter().take(count).collect();
        let mut session = Session::start(server, folder, documents, 1)?;
        session.open_all()?;
        for index in 0..session.documents.len() {
            session.pull(index)?;
        }
        let process = session.client.server.id();
        let now = settled(process).context("this system does not tell how much memory a process takes")?;
        let most = memory(process).map_or(now, |(_, most)| most);
        println!("{count} {now} {most}");
        session.client.finish()?;
    }
    Ok(())
}

/// Prints the milliseconds from starting the process to its answer to `initialize`, so many times.
pub fn start_up(server: &Path, folder: &Path, times: usize) -> Result<()> {
    for _ in 0..times {
        let start = Instant::now();
        let client = Client::start(server, folder)?;
        println!("{}", start.elapsed().as_secs_f64() * 1e3);
        client.finish()?;
    }
    Ok(())
}
