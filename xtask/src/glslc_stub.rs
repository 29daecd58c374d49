//! A stand-in for the shader compiler `glslc`: the corpus' own generator of shader variants starts it once for
//! each variant, and it writes its arguments down instead of compiling.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;

use anyhow::{Context, Result};

/// Names the file to append to; its presence makes this program the stand-in.
pub const LOG_VARIABLE: &str = "XTASK_GLSLC_STUB_LOG";

/// Between the arguments on a line of the log: no argument of a compiler holds it.
pub const SEPARATOR: char = '\u{1f}';

pub fn requested() -> bool {
    std::env::var_os(LOG_VARIABLE).is_some()
}

pub fn record_arguments() -> Result<()> {
    let log = std::env::var_os(LOG_VARIABLE).context("no log file")?;
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
    let line = words.join(&SEPARATOR.to_string()) + "\n";
    // Several stand-ins run at once: one write in append mode keeps their lines whole.
    OpenOptions::new().create(true).append(true).open(log)?.write_all(line.as_bytes())?;
    Ok(())
}
