//! Writing to standard output, which may be a pipe that its reader has closed.

use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;

use crate::program::UNUSABLE;

/// Prints. A reader that has seen enough (`| head`) is no error.
pub fn print(text: &str) -> ExitCode {
    match try_print(text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report_error(&format!("cannot write: {error}"));
            ExitCode::from(UNUSABLE)
        }
    }
}

pub fn try_print(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Tells on standard error that something cannot be done.
pub fn report_error(message: &str) {
    let _ = writeln!(std::io::stderr(), "error: {message}");
}

/// Tells on standard error what is good to know, and what a long task is at.
pub fn note(message: &str) {
    let _ = writeln!(std::io::stderr(), "{message}");
}
