//! What the commands have in common as parts of one program: an exit code, and the stacks of their threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use crate::output::report_error;

/// Exit code of a command line that could not be carried out.
pub const UNUSABLE: u8 = 2;

/// Bytes of stack for a thread that analyses or compiles: nesting is bounded, but each level is a call, and a debug build's frames are
/// large.
pub const STACK: usize = 64 << 20;

/// Carries a command out on a thread with enough stack. The error is why the command line cannot be carried out; `what` names what failed.
pub fn on_a_large_stack(what: &str, command: impl FnOnce() -> Result<ExitCode, String> + Send) -> ExitCode {
    let worker = std::thread::Builder::new().stack_size(STACK);
    let result = std::thread::scope(|scope| {
        let running = worker.spawn_scoped(scope, || catch_unwind(AssertUnwindSafe(command)));
        running.map(|running| running.join())
    });
    match result {
        Ok(Ok(Ok(Ok(code)))) => return code,
        Ok(Ok(Ok(Err(message)))) => report_error(&message),
        Ok(_) => report_error(&format!("{what} failed; this is a bug of coopmat-analyzer")),
        Err(error) => report_error(&format!("cannot start a thread: {error}")),
    }
    ExitCode::from(UNUSABLE)
}
