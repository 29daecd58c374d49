//! The server's native host: a client at the other end of a [`transport`], files on disk, timers and signals of one asynchronous runtime, jobs on a
//! pool of threads.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use coopmat_server::{End, Host, Job, LogLevel, ProjectStep, ProjectWritten, Validated};
use coopmat_simulator::Pool;
use coopmat_spirv::dr::Module;
use futures::FutureExt as _;
use futures::channel::mpsc;
use futures::future::{self, Either};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::disk::{self, Disk};
use crate::import;
use crate::output::report_error;
use crate::program::{STACK, UNUSABLE};
use crate::signals::asked_to_end;
use crate::transport::{self, Endpoint};
use crate::validator::{self, Answer};

struct Native {
    disk: Disk,
    pool: ThreadPool,
    timers: tokio::runtime::Handle,
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
        // They do little more than to send a message.
        self.timers.spawn(async move {
            tokio::time::sleep(delay).await;
            job();
        });
    }

    fn workgroups(&self) -> Option<&dyn Pool> {
        Some(self)
    }

    fn starts_programs(&self) -> bool {
        true
    }

    fn set_up(&self, step: ProjectStep, done: Box<dyn FnOnce(Result<ProjectWritten, String>) + Send>) {
        // It mostly waits: the threads of the pool are for what computes.
        let thread = std::thread::Builder::new().name("setting up".to_owned());
        let started = thread.spawn(|| done(import::set_up(step)));
        if let Err(error) = started {
            self.log(LogLevel::Error, &format!("cannot start a thread: {error}"));
        }
    }

    fn validate(&self, program: Option<&str>, module: &Module) -> Option<Result<Vec<Validated>, String>> {
        let words = coopmat_spirv::assemble(module).ok()?;
        let program = program.unwrap_or(validator::PROGRAM);
        match validator::validate(program, module, &coopmat_spirv::to_bytes(&words)) {
            Answer::Told(told) => Some(Ok(told)),
            Answer::Missing => None,
            Answer::Failed(message) => Some(Err(message)),
        }
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
    fn at_once(&self) -> usize {
        self.pool.current_num_threads()
    }

    fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        self.pool.install(|| (0..count).into_par_iter().for_each(job));
    }
}

/// Why the server ends.
enum Ended {
    Session(End),
    /// The system asks for it, with this signal.
    Asked(u8),
    /// There is no client.
    Alone(std::io::Error),
}

/// Serves one client until it leaves.
pub fn serve(endpoint: &Endpoint) -> ExitCode {
    let analyses = std::thread::available_parallelism().map_or(1, usize::from);
    // One thread more than analyses, so that answers from finished ones do not wait behind them.
    let pool = ThreadPoolBuilder::new()
        .num_threads(analyses + 1)
        .stack_size(STACK)
        .thread_name(|index| format!("job {index}"))
        .build();
    // Messages, timers and signals take one thread; what computes has threads of its own.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let (pool, runtime) = match (pool.map_err(std::io::Error::other), runtime) {
        (Ok(pool), Ok(runtime)) => (pool, runtime),
        (Err(error), _) | (_, Err(error)) => {
            report_error(&format!("cannot start threads: {error}"));
            return ExitCode::from(UNUSABLE);
        }
    };
    let timers = runtime.handle().clone();
    let host = Arc::new(Native { disk: Disk::default(), pool, timers, analyses });
    let ended = runtime.block_on(session(host, endpoint));
    // A read of standard input has no end but the process's.
    runtime.shutdown_background();
    match ended {
        Ended::Session(end) => ExitCode::from(u8::from(end != End::Orderly)),
        // As shells tell a program that a signal has ended.
        Ended::Asked(signal) => ExitCode::from(128 + signal),
        Ended::Alone(error) => {
            let client = match endpoint {
                Endpoint::Standard => "standard input and output".to_owned(),
                Endpoint::Pipe(name) => format!("the pipe `{name}`"),
                Endpoint::Port(port) => format!("port {port} of this machine"),
            };
            report_error(&format!(
                "cannot connect to the client at {client}: {error}; it must listen before the server starts"
            ));
            ExitCode::from(UNUSABLE)
        }
    }
}

async fn session(host: Arc<Native>, endpoint: &Endpoint) -> Ended {
    let (input, output) = match endpoint.open().await {
        Ok(streams) => streams,
        Err(error) => return Ended::Alone(error),
    };
    let (to_writer, messages) = mpsc::unbounded();
    let writer = tokio::spawn(transport::write_messages(output, messages));
    let (to_session, incoming) = mpsc::unbounded();
    tokio::spawn(transport::read_messages(input, to_session));

    let outgoing = move |message| to_writer.unbounded_send(message).is_ok();
    let runtime = host.timers.clone();
    let (carry, server) = coopmat_server::session(host, incoming, outgoing);
    // The server's task reads files and searches: messages and signals do not wait for it.
    std::thread::spawn(move || runtime.block_on(server));
    let ended = match future::select(carry.boxed(), asked_to_end().boxed()).await {
        Either::Left((end, _)) => Ended::Session(end),
        Either::Right((signal, _)) => Ended::Asked(signal),
    };
    // What is still to be written gets a moment, whole messages only; a client that reads no more must not keep us.
    let _ = tokio::time::timeout(Duration::from_secs(1), writer).await;
    ended
}
