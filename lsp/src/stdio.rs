//! The server's native host: messages over standard input and output, files on disk, jobs on a pool of threads.

use std::io::{BufRead, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc as sync;
use std::time::Duration;

use coopmat_server::{End, Host, Job, LogLevel};
use coopmat_simulator::Pool;
use futures::channel::mpsc;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::disk::{self, Disk};
use crate::output::report_error;
use crate::timer::Timer;
use crate::{UNUSABLE, check};

struct Native {
    disk: Disk,
    pool: ThreadPool,
    timer: Timer,
    analyses: usize,
}

impl Host for Native {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        self.disk.text(path)
    }

    fn read_log(&self, path: &str) -> Option<Arc<str>> {
        disk::log(Path::new(path)).ok().map(Arc::from)
    }

    fn unreadable(&self, path: &str) -> Option<String> {
        disk::unreadable(path)
    }

    fn repository(&self, folder: &str) -> Option<String> {
        disk::repository(folder)
    }

    fn read_bytes(&self, path: &str) -> Option<Vec<u8>> {
        disk::bytes(Path::new(path)).ok()
    }

    fn real_path(&self, path: &str) -> Option<String> {
        disk::real_path(path)
    }

    fn stamp(&self, path: &str) -> Option<u64> {
        disk::stamp(path)
    }

    fn shaders_under(&self, folder: &str, deep: bool) -> Vec<String> {
        let found = disk::search(folder, deep, |path| disk::is_shader(path) || disk::is_header(path));
        if let Some(left_out) = found.left_out {
            self.log(LogLevel::Info, &left_out);
        }
        found.files
    }

    fn spawn(&self, job: Job) {
        self.pool.spawn(job);
    }

    fn later(&self, delay: Duration, job: Job) {
        self.timer.after(delay, job);
    }

    fn workgroups(&self) -> Option<&dyn Pool> {
        Some(self)
    }

    fn parallelism(&self) -> usize {
        self.analyses
    }

    fn give_memory_back(&self) {
        coopmat_vulkan::give_memory_back();
    }

    fn log(&self, level: LogLevel, message: &str) {
        let level = match level {
            LogLevel::Error => "error",
            LogLevel::Info => "info",
        };
        let _ = writeln!(std::io::stderr(), "coopmat-analyzer: {level}: {message}");
    }
}

impl Pool for Native {
    fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        self.pool.install(|| (0..count).into_par_iter().for_each(job));
    }
}

pub fn serve() -> ExitCode {
    let analyses = std::thread::available_parallelism().map_or(1, usize::from);
    // One thread more than analyses, so that answers from finished ones do not wait behind them.
    let pool = ThreadPoolBuilder::new()
        .num_threads(analyses + 1)
        .stack_size(check::STACK)
        .thread_name(|index| format!("job {index}"))
        .build();
    let pool = match pool {
        Ok(pool) => pool,
        Err(error) => {
            report_error(&format!("cannot start threads: {error}"));
            return ExitCode::from(UNUSABLE);
        }
    };
    let host = Arc::new(Native { disk: Disk::default(), pool, timer: Timer::start(), analyses });

    let (to_writer, messages) = sync::channel::<String>();
    let writer = std::thread::spawn(move || write_messages(&messages));
    let (to_session, incoming) = mpsc::unbounded();
    std::thread::spawn(move || read_messages(&mut std::io::stdin().lock(), &to_session));

    let (carry, server) =
        coopmat_server::session(host, incoming, move |message| to_writer.send(message).is_ok());
    std::thread::spawn(move || futures::executor::block_on(server));
    let end = futures::executor::block_on(carry);
    // What is still to be written gets a moment; a client that reads no more must not keep us.
    let (done, finished) = sync::channel();
    std::thread::spawn(move || {
        let _ = writer.join();
        let _ = done.send(());
    });
    let _ = finished.recv_timeout(Duration::from_secs(1));
    ExitCode::from(u8::from(end != End::Orderly))
}

/// Reads messages until the input ends; what has no readable header ends it too, since nobody knows where the next message starts.
fn read_messages(input: &mut impl BufRead, session: &mpsc::UnboundedSender<String>) {
    // Far above any document: a length beyond is a mistake, not a message.
    const LONGEST: usize = 1 << 30;
    loop {
        let mut length = None;
        loop {
            let mut line = Vec::new();
            match input.by_ref().take(4096).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.trim().eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse::<usize>().ok();
            }
        }
        let Some(length) = length.filter(|&length| length <= LONGEST) else {
            return report_error("a message without a usable Content-Length header");
        };
        let mut body = Vec::new();
        match input.by_ref().take(length as u64).read_to_end(&mut body) {
            Ok(read) if read == length => {}
            _ => return,
        }
        if session.unbounded_send(String::from_utf8_lossy(&body).into_owned()).is_err() {
            return;
        }
    }
}

/// Writes messages until there are no more or nobody reads them. Its end is how the session learns of a closed pipe.
fn write_messages(messages: &sync::Receiver<String>) {
    let mut out = std::io::stdout().lock();
    while let Ok(message) = messages.recv() {
        let mut write = |message: &str| write!(out, "Content-Length: {}\r\n\r\n{message}", message.len());
        let written = write(&message).and_then(|()| {
            messages.try_iter().try_for_each(|message| write(&message))?;
            std::io::stdout().flush()
        });
        if written.is_err() {
            return;
        }
    }
}
