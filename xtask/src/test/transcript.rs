//! A step of the tests in a process of its own: what it prints is shown, kept in a file, and told again at the end when
//! it fails, since the failing lines of an hour of output are hard to find.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::processor;
use crate::count::Count;
use crate::shell;

/// How many lines of a failed step are told again.
const LINES: usize = 30;
/// The line of a step's process that ends its output.
const COUNT: &str = "count of checks: ";

/// What a step printed and counted.
pub struct Transcript {
    pub count: Count,
    /// What all its processes computed, where the system tells it.
    pub processors: Option<Duration>,
    pub path: PathBuf,
    lines: Vec<String>,
}

/// Tells the process that started this one what a step counted.
pub fn report(count: Count) {
    let processors = processor::so_far().map_or(-1, |time| time.as_millis() as i64);
    println!("{COUNT}{} {} {processors}", count.passed, count.failed);
}

/// When the lines of a step are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Show {
    AsTheyCome,
    /// Another step prints meanwhile.
    AtTheEnd,
}

/// Runs the step in a process of its own.
pub fn of_step(name: &str, show: Show) -> Result<Transcript> {
    let folder = shell::target().join("test-logs");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{}.log", name.replace([' ', '\''], "-")));
    let mut file =
        std::fs::File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    let (reader, writer) = std::io::pipe()?;
    let mut command = Command::new(shell::own_program()?);
    command.args(["test", "--step", name]).stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn().context("cannot start a step")?;
    // The pipe ends when the last process that may write into it ends, this one included.
    drop(command);
    let mut count = None;
    let mut lines = Vec::new();
    let mut reader = BufReader::new(reader);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes)? > 0 {
        let line = String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned();
        bytes.clear();
        if let Some(counted) = line.strip_prefix(COUNT).and_then(counted) {
            count = Some(counted);
            // A program that a step left running would hold the pipe open for ever.
            break;
        }
        if show == Show::AsTheyCome {
            println!("{line}");
        }
        writeln!(file, "{line}")?;
        lines.push(line);
    }
    let status = child.wait()?;
    let (count, processors) = count.unwrap_or_else(|| {
        lines.push(format!("error: the step ended with {status} before it had counted its checks"));
        (Count { passed: 0, failed: 1 }, None)
    });
    Ok(Transcript { count, processors, path, lines })
}

fn counted(numbers: &str) -> Option<(Count, Option<Duration>)> {
    let [passed, failed, processors] = numbers.split(' ').collect::<Vec<_>>()[..] else {
        return None;
    };
    let count = Count { passed: passed.parse().ok()?, failed: failed.parse().ok()? };
    Some((count, processors.parse().ok().map(Duration::from_millis)))
}

impl Transcript {
    /// Everything that the step printed.
    pub fn print(&self) {
        for line in &self.lines {
            println!("{line}");
        }
    }

    /// The lines that tell why the step failed, as far as their words show it; else the last ones.
    pub fn extract(&self) -> String {
        const SIGNS: [&str; 10] =
            ["FAIL", "×", "✗", "error", "Error", "panicked", "assert", "expected", "timed out", "retry"];
        let plain: Vec<String> = self.lines.iter().map(|line| without_colours(line)).collect();
        // A passed test may well have such a word in its name.
        let passed = |line: &str| line.trim_start().starts_with(['✓', '✔']) || line.ends_with(" ... ok");
        let mut told: Vec<&str> = Vec::new();
        for line in &plain {
            let line = line.trim_end();
            if SIGNS.iter().any(|sign| line.contains(sign)) && !passed(line) && !told.contains(&line) {
                told.push(line);
            }
        }
        if told.is_empty() {
            told = plain.iter().map(String::as_str).collect();
        }
        let first = told.len().saturating_sub(LINES);
        told[first..]
            .iter()
            .map(|line| format!("   {}\n", line.chars().take(200).collect::<String>()))
            .collect()
    }
}

/// The line without the escape sequences for colours, `ESC [ … m`.
fn without_colours(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain += part.split_once('m').map_or(part, |(_, rest)| rest);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{Count, Transcript, without_colours};

    #[test]
    fn the_lines_that_say_what_failed_are_told_again() {
        let lines =
            ["✓ an error is shown 12 ms", "\u{1b}[31m× the page opens\u{1b}[0m", "Error: timed out", "done"];
        let transcript = Transcript {
            count: Count { passed: 1, failed: 1 },
            processors: None,
            path: "playground.log".into(),
            lines: lines.map(str::to_owned).to_vec(),
        };
        assert_eq!(transcript.extract(), "   × the page opens\n   Error: timed out\n");
        assert_eq!(without_colours(lines[1]), "× the page opens");
    }
}
