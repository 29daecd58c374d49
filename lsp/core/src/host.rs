//! What the server needs from where it runs: a native process, or a worker in a browser.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use coopmat_analysis::diagnostics::Severity;
use coopmat_spirv::dr::Module;

/// Work that the server hands to its host; it ends by itself, within the bounds of an analysis or a run.
pub type Job = Box<dyn FnOnce() + Send>;

/// How much a line of the log matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    /// Something went wrong, in the server or with what it depends on.
    Error,
    /// What explains an answer: files that were passed over, settings that were read.
    Info,
}

/// A build step of a project, by which it is set up.
pub struct ProjectStep {
    /// A line for the system's shell; `{build}` in it is a folder that is gone afterwards.
    pub command: String,
    /// Where it runs.
    pub folder: String,
    /// The project file.
    pub file: String,
    /// Whether the project file may be there already.
    pub replace: bool,
    /// Set once nobody wants it any more.
    pub stop: Arc<AtomicBool>,
    /// Hears what the build prints, line by line.
    pub tell: Box<dyn Fn(&str) + Send + Sync>,
}

/// What came of such a step: there is a project file.
#[derive(Debug)]
pub struct ProjectWritten {
    /// What went wrong all the same, such as that the build failed at its end.
    pub mistakes: Vec<String>,
    /// What is good to know.
    pub notes: Vec<String>,
    /// "N shaders, M configurations, K with errors".
    pub summary: String,
}

/// What `spirv-val` says of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validated {
    /// How bad it is.
    pub severity: Severity,
    /// The instruction, by its index in the module.
    pub instruction: Option<usize>,
    /// In its words.
    pub message: String,
}

/// Where the server runs. Paths are absolute, with `/`; calls come from any thread.
pub trait Host: Send + Sync + 'static {
    /// The text of a file that is not open in the editor, as it is now.
    fn read(&self, path: &str) -> Option<Arc<str>>;

    /// The text of a file that may be larger than any shader: the log of a build.
    fn read_log(&self, path: &str) -> Option<Arc<str>> {
        self.read(path)
    }

    /// Why `read` does not read a file that there is: a sentence about it.
    fn unreadable(&self, _path: &str) -> Option<String> {
        None
    }

    /// Whether files are read in certain folders alone. A host that has the files of a project and no others needs no folders.
    fn is_confined(&self) -> bool {
        true
    }

    /// The folder of the repository that holds a folder: what a file that lies outside of the workspace may name.
    fn repository(&self, _folder: &str) -> Option<String> {
        None
    }

    /// The bytes of a file, for what is no text.
    fn read_bytes(&self, path: &str) -> Option<Vec<u8>> {
        self.read(path).map(|text| text.as_bytes().to_vec())
    }

    /// A number that changes when the file does; `None` when there is no such file.
    fn stamp(&self, path: &str) -> Option<u64>;

    /// The path of a file or folder with its links followed; a host without links has nothing to follow.
    fn real_path(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }

    /// The shaders and headers in a folder, and in those below it when `deep`, without those that the project ignores.
    fn shaders_under(&self, folder: &str, deep: bool) -> Vec<String>;

    /// Runs a job, soon and somewhere: on a thread of a pool, or later in the event loop.
    fn spawn(&self, job: Job);

    /// Runs a job, which takes no time to speak of, after a while. A host without a clock runs it as soon as any other: what is
    /// waited for then is not.
    fn later(&self, _delay: Duration, job: Job) {
        self.spawn(job);
    }

    /// Threads for the workgroups of a shader that is run; none where there are none.
    fn workgroups(&self) -> Option<&dyn coopmat_simulator::Pool> {
        None
    }

    /// Whether the host starts programs, as setting up a project does.
    fn starts_programs(&self) -> bool {
        false
    }

    /// Runs a build step that the user has agreed to, and writes a project file of it. `done` hears, from any thread, what came of it, or why
    /// there is no project file.
    fn set_up(&self, _step: ProjectStep, done: Box<dyn FnOnce(Result<ProjectWritten, String>) + Send>) {
        done(Err("this server does not start programs".to_owned()));
    }

    /// What `spirv-val` says of a module, nothing of a valid one; the program is the one on `PATH` if none is named. `None`: there is no such program, or this host starts
    /// none. An error: it failed.
    fn validate(&self, _program: Option<&str>, _module: &Module) -> Option<Result<Vec<Validated>, String>> {
        None
    }

    /// How many analyses may run at once.
    fn parallelism(&self) -> usize;

    /// Documents were closed, what was kept of them is freed, and no other job is under way: a good moment to give memory back to the system, where that does not happen by itself.
    fn give_memory_back(&self) {}

    /// Writes a line for people, where the host keeps such: standard error, a console.
    fn log(&self, level: LogLevel, message: &str);
}
