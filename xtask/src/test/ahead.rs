//! The page's module, built beside the first steps, which leave a processor idle for minutes: while tests are linked and run, and while one thread
//! puts the module together. The step that needs it waits for it at cargo's lock and builds what is missing, so that it is also who tells what is
//! wrong: what is said here goes to a file.

use std::process::{Child, Command, Stdio};

use anyhow::Result;

use crate::shell;
use crate::wasm::{self, Profile, Vectors};

/// The build, in a process of their own that gives way to the steps. None where that is not known to work.
pub fn start() -> Option<Child> {
    if cfg!(not(unix)) {
        return None;
    }
    let folder = shell::target().join("test-logs");
    std::fs::create_dir_all(&folder).ok()?;
    let file = std::fs::File::create(folder.join("ahead.log")).ok()?;
    let mut command = Command::new("nice");
    command.args(["-n", "10"]).arg(shell::own_program().ok()?).args(["test", "--ahead"]);
    command.stdin(Stdio::null()).stdout(file.try_clone().ok()?).stderr(file).spawn().ok()
}

/// What that process does.
pub fn build() -> Result<()> {
    wasm::build("coopmat-playground", Profile::Web, Vectors::Yes).map(|_| ())
}
