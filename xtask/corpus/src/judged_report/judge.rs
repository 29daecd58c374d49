//! The judge: ggml's CPU backend in a process of its own, `xtask/corpus/judge/judge.cpp`, which makes inputs and expected results.

use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// One operation, its types and sizes.
#[derive(Clone, Debug)]
pub struct Request(Vec<String>);

impl Request {
    pub fn new(operation: &str) -> Request {
        Request(vec![operation.to_owned()])
    }

    #[must_use]
    pub fn with(mut self, key: &str, value: impl Display) -> Request {
        self.0.push(format!("{key}={value}"));
        self
    }
}

/// What ggml computes: the result, and for each element how large the numbers were that it is the sum of.
pub struct Expected {
    pub values: Vec<f32>,
    pub scale: Vec<f32>,
}

/// Lets the judge write the inputs into a folder, and reads what it expects.
///
/// # Errors
/// What the judge says, or that it ended without a word.
pub fn ask(judge: &Path, folder: &Path, request: &Request) -> Result<Expected> {
    fs::create_dir_all(folder)?;
    let output = Command::new(judge).arg(folder).args(&request.0).output();
    let output = output.with_context(|| format!("cannot start {}", judge.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        bail!("ggml was asked for `{}` and ended with {}: {last}", request.0.join(" "), output.status);
    }
    Ok(Expected { values: floats(&folder.join("expected"))?, scale: floats(&folder.join("scale"))? })
}

fn floats(file: &Path) -> Result<Vec<f32>> {
    let bytes = fs::read(file).with_context(|| format!("the judge left no {}", file.display()))?;
    let words = bytes.as_chunks::<4>().0;
    Ok(words.iter().map(|word| f32::from_le_bytes(*word)).collect())
}
