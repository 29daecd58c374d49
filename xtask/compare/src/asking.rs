//! glslang in processes of their own: each says which shader it begins, so that the one is known at which it ends.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result};

/// What glslang says about one shader.
pub enum Answer {
    /// It was not asked.
    None,
    Module(Vec<u32>),
    Refused(String),
    Crash,
    Hang,
}

/// How long one shader may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What such a process is told.
#[derive(clap::Args)]
pub struct Options {
    /// Where modules are written
    #[arg(long)]
    folder: PathBuf,
    /// A file with the numbers of the shaders
    #[arg(long)]
    list: PathBuf,
}

impl Options {
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Starts such a process: the subcommand of this program that calls [`answer`], and its own options.
pub struct Child<'c> {
    pub subcommand: &'c str,
    pub arguments: &'c [OsString],
}

/// The process that may crash: compiles the shaders of a list, by their numbers.
pub fn answer(options: &Options, compile: impl Fn(usize) -> Result<Result<Vec<u32>>>) -> Result<()> {
    let list = fs::read_to_string(&options.list)?;
    let mut out = std::io::stdout().lock();
    for index in list.lines().filter_map(|line| line.parse::<usize>().ok()) {
        writeln!(out, "begin {index}")?;
        out.flush()?;
        match compile(index)? {
            Ok(words) => {
                let path = options.folder.join(format!("{index}.spv"));
                fs::write(path, coopmat_spirv::to_bytes(&words))?;
                writeln!(out, "module {index}")?;
            }
            Err(error) => {
                let text = format!("{:#}", error).replace(['\n', '\r'], " ");
                writeln!(out, "refused {index} {text}")?;
            }
        }
        out.flush()?;
    }
    Ok(())
}

/// Asks about the shaders of these numbers.
pub fn ask(
    child: &Child<'_>,
    indices: &[usize],
    processes: usize,
    folder: &Path,
) -> Result<BTreeMap<usize, Answer>> {
    let share = indices.len().div_ceil(processes.max(1)).max(1);
    std::thread::scope(|scope| {
        let started: Vec<_> = indices
            .chunks(share)
            .enumerate()
            .map(|(number, part)| scope.spawn(move || ask_part(child, number, part, folder)))
            .collect();
        let mut all = BTreeMap::new();
        for thread in started {
            all.extend(thread.join().map_err(|_| anyhow::anyhow!("a thread panicked"))??);
        }
        Ok(all)
    })
}

fn ask_part(
    child: &Child<'_>,
    number: usize,
    indices: &[usize],
    folder: &Path,
) -> Result<BTreeMap<usize, Answer>> {
    let mut answers = BTreeMap::new();
    let mut rest = indices;
    while !rest.is_empty() {
        let end = ask_until_it_ends(child, number, rest, folder, &mut answers)?;
        // What it ended at has an answer by now.
        let next =
            end.and_then(|end| rest.iter().position(|&index| index == end)).map_or(rest.len(), |at| at + 1);
        rest = &rest[next..];
    }
    Ok(answers)
}

/// Lets one process go on until it ends; gives the shader at which it ended too early.
fn ask_until_it_ends(
    child: &Child<'_>,
    number: usize,
    indices: &[usize],
    folder: &Path,
    answers: &mut BTreeMap<usize, Answer>,
) -> Result<Option<usize>> {
    let list = folder.join(format!("list{number}"));
    fs::write(&list, indices.iter().map(|index| format!("{index}\n")).collect::<String>())?;
    let mut child = Command::new(std::env::current_exe()?)
        .arg(child.subcommand)
        .arg("--folder")
        .arg(folder)
        .arg("--list")
        .arg(&list)
        .args(child.arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let output = child.stdout.take().context("no output")?;
    let (sender, lines) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        // glslang prints what it pleases.
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                break;
            }
        }
    });
    let mut begun = None;
    let hung = loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) => read_line(&line, folder, &mut begun, answers)?,
            Err(mpsc::RecvTimeoutError::Timeout) => break true,
            Err(mpsc::RecvTimeoutError::Disconnected) => break false,
        }
    };
    if hung {
        child.kill()?;
    }
    let status = child.wait()?;
    drop(lines);
    let _ = reader.join();
    if let Some(index) = begun {
        answers.insert(index, if hung { Answer::Hang } else { Answer::Crash });
    } else if !status.success() {
        anyhow::bail!("the process with glslang ended between two shaders");
    }
    Ok(begun)
}

fn read_line(
    line: &str,
    folder: &Path,
    begun: &mut Option<usize>,
    answers: &mut BTreeMap<usize, Answer>,
) -> Result<()> {
    let mut parts = line.splitn(3, ' ');
    let (word, index) = (parts.next().unwrap_or_default(), parts.next().and_then(|part| part.parse().ok()));
    let Some(index) = index else { return Ok(()) };
    match word {
        "begin" => *begun = Some(index),
        "module" => {
            let path = folder.join(format!("{index}.spv"));
            let bytes = fs::read(&path)?;
            fs::remove_file(&path)?;
            let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
            answers.insert(index, Answer::Module(words));
            *begun = None;
        }
        "refused" => {
            answers.insert(index, Answer::Refused(parts.next().unwrap_or_default().to_owned()));
            *begun = None;
        }
        _ => {}
    }
    Ok(())
}
