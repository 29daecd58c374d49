//! An editor that is killed: a process of its own that works with a server until somebody ends it, and the check that the server ends too.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::client::runs;
use crate::random::Random;
use crate::session::Session;
use crate::workspace;

/// How long a server may live without its editor.
const PATIENCE: Duration = Duration::from_secs(30);

/// The editor: tells the number of its server's process, and edits for ever.
pub fn edit(server: &Path, folder: &Path, files: usize, seed: u64) -> Result<()> {
    let documents = workspace::documents(folder, files)?;
    let mut session = Session::start(server, folder, documents, seed)?;
    println!("{}", session.client.server.id());
    std::io::stdout().flush()?;
    session.open_all()?;
    loop {
        session.storm(1000)?;
    }
}

/// Kills so many editors, each at another moment; the longest time that a server lived on.
pub fn kill(
    server: &Path,
    folder: &Path,
    files: usize,
    times: usize,
    random: &mut Random,
) -> Result<Duration> {
    let program: PathBuf = std::env::current_exe()?;
    let mut longest = Duration::ZERO;
    for time in 0..times {
        let mut editor = Command::new(&program)
            .arg("editor")
            .arg("--server")
            .arg(server)
            .arg("--folder")
            .arg(folder)
            .args(["--files", &files.to_string(), "--seed", &time.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(editor.stdout.take().context("no output")?).read_line(&mut line)?;
        let process: u32 = line.trim().parse().context("the editor has not started its server")?;
        std::thread::sleep(Duration::from_millis(20 + random.below(3000) as u64));
        if !runs(process) {
            bail!("the server ended before its editor was killed");
        }
        // On Unix this is SIGKILL: nothing is said to the server.
        editor.kill()?;
        editor.wait()?;
        let start = Instant::now();
        while runs(process) {
            if start.elapsed() > PATIENCE {
                bail!("the server (process {process}) still runs {PATIENCE:?} after its editor was killed");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        longest = longest.max(start.elapsed());
    }
    Ok(longest)
}
