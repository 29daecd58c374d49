//! The judge: ggml's CPU backend in a process of its own, `xtask/corpus/judge/judge.cpp`, which makes inputs and expected results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use rayon::prelude::*;

/// One operation, its types and sizes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Request {
    words: Vec<String>,
    /// The type that takes time to quantise.
    type_: String,
}

impl Request {
    pub fn new(operation: &str, type_: &str) -> Request {
        Request { words: vec![operation.to_owned()], type_: type_.to_owned() }
    }

    #[must_use]
    pub fn with(mut self, key: &str, value: impl Display) -> Request {
        self.words.push(format!("{key}={value}"));
        self
    }

    /// Where the judge writes: requests that are the same share a folder.
    pub fn folder(&self, all: &Path) -> PathBuf {
        all.join(self.words.join("."))
    }
}

/// What ggml computes: the result, and for each element how large the numbers were that it is the sum of.
pub struct Expected {
    pub values: Vec<f32>,
    pub scale: Vec<f32>,
}

/// Has the judge answer all that it has not answered before: a process for the requests of each type. What a process said that ended
/// early is under the requests that it left.
pub fn ask<'r>(
    judge: &Path,
    all: &Path,
    requests: impl IntoIterator<Item = &'r Request>,
) -> Result<BTreeMap<Request, String>> {
    let requests: BTreeSet<&Request> = requests.into_iter().collect();
    let mut groups: BTreeMap<&str, Vec<&Request>> = BTreeMap::new();
    for request in requests.into_iter().filter(|request| !is_answered(judge, &request.folder(all))) {
        groups.entry(&request.type_).or_default().push(request);
    }
    let groups: Vec<Vec<&Request>> = groups.into_values().collect();
    let failures: Vec<BTreeMap<Request, String>> =
        groups.par_iter().map(|group| ask_one_process(judge, all, group)).collect::<Result<_>>()?;
    Ok(failures.into_iter().flatten().collect())
}

fn ask_one_process(judge: &Path, all: &Path, group: &[&Request]) -> Result<BTreeMap<Request, String>> {
    let mut command = Command::new(judge);
    // What it says last is why it ended.
    command.env("GGML_NO_BACKTRACE", "1");
    for (number, request) in group.iter().enumerate() {
        let folder = request.folder(all);
        fs::create_dir_all(&folder)?;
        if folder.join(DONE).exists() {
            fs::remove_file(folder.join(DONE))?;
        }
        command.args((number > 0).then_some("--")).arg(folder).args(&request.words);
    }
    let output = command.output().with_context(|| format!("cannot start {}", judge.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    let mut left = group.iter().filter(|request| !request.folder(all).join(DONE).exists());
    let first = left.next().map(|request| {
        (request, format!("ggml ended with {} at `{}`: {last}", output.status, request.words.join(" ")))
    });
    let others = left.map(|request| (request, "ggml ended before it came to this".to_owned()));
    Ok(first.into_iter().chain(others).map(|(request, why)| ((*request).clone(), why)).collect())
}

/// The judge's last file.
const DONE: &str = "done";

fn is_answered(judge: &Path, folder: &Path) -> bool {
    let modified = |path: &Path| path.metadata().and_then(|file| file.modified()).ok();
    modified(&folder.join(DONE)).is_some_and(|time| Some(time) > modified(judge))
}

/// What the judge left in a folder.
pub fn expected(folder: &Path) -> Result<Expected> {
    Ok(Expected { values: floats(&folder.join("expected"))?, scale: floats(&folder.join("scale"))? })
}

fn floats(file: &Path) -> Result<Vec<f32>> {
    let bytes = fs::read(file).with_context(|| format!("the judge left no {}", file.display()))?;
    let words = bytes.as_chunks::<4>().0;
    Ok(words.iter().map(|word| f32::from_le_bytes(*word)).collect())
}
