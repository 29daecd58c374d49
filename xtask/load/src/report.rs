//! The whole run, and the table that is made of it.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::Storm;
use crate::client::{Client, memory};
use crate::counts::Counts;
use crate::memory::{returned, settled};
use crate::random::Random;
use crate::session::Session;
use crate::{editor, workspace};

/// What a server may still take after everything is closed, of what opening has added: texts and analyses that stay would be all of it.
const RETURNED: f64 = 0.25;
/// KiB of what requests make once for a process, such as the tables behind completion and SPIR-V.
const TABLES: u64 = 8 * 1024;
/// How long it may take to give the rest back. What is under way ends first, and two pauses pass.
const PATIENCE: Duration = Duration::from_secs(30);
/// How much more it may take after the last round than after the first, of what opening has added: what is lost in a round is lost in each.
const GROWTH: f64 = 0.15;
/// KiB that come beside it: names that were typed are kept, and the allocator's pages are never as full as at first.
const WEAR: u64 = 4 * 1024;

/// KiB of one server, from round to round.
#[derive(Default)]
struct Memory {
    /// After one document was opened and closed.
    before: u64,
    /// With everything open, before the first edit.
    open: Vec<u64>,
    /// After everything was closed.
    closed: Vec<u64>,
    most: u64,
}

impl Memory {
    /// A part of what opening has added.
    fn part(&self, of: f64) -> u64 {
        let open = self.open.first().copied().unwrap_or_default().saturating_sub(self.before);
        (open as f64 * of) as u64
    }

    /// KiB that may be taken after everything was closed.
    fn bound(&self) -> u64 {
        self.before + TABLES + self.part(RETURNED)
    }
}

struct Run<'o> {
    options: &'o Storm,
    counts: Counts,
    problems: Vec<String>,
    compared: usize,
    memory: Memory,
    /// From closing the input to the end of a server that was at work.
    end: Duration,
    /// The same for killed editors.
    orphan: Duration,
}

pub fn run(options: &Storm) -> Result<()> {
    let start = Instant::now();
    options.place.make()?;
    let mut run = Run {
        options,
        counts: Counts::default(),
        problems: Vec::new(),
        compared: 0,
        memory: Memory::default(),
        end: Duration::ZERO,
        orphan: Duration::ZERO,
    };
    // Four fifths of the edits in rounds; the rest before and after the server is killed.
    run.rounds(options.edits * 4 / 5)?;
    let left = options.edits.saturating_sub(run.counts.edits);
    run.killed_server(left)?;
    let mut random = Random::new(options.seed);
    let place = &options.place;
    run.orphan = editor::kill(&place.server, &place.folder, options.files, options.kills, &mut random)
        .context("an editor was killed")?;
    let table = run.table();
    println!("{table}");
    println!(
        "{:.0} s, {} edits, {} requests",
        start.elapsed().as_secs_f64(),
        run.counts.edits,
        run.counts.requested()
    );
    run.judge_memory();
    for problem in &run.problems {
        println!("problem: {problem}");
    }
    ensure!(run.problems.is_empty(), "{} problems", run.problems.len());
    if let Some(document) = &options.document {
        write(document, &format!("Made by `{}`:\n\n{table}", options.words))?;
    }
    Ok(())
}

impl Run<'_> {
    fn session(&self) -> Result<Session> {
        let (place, options) = (&self.options.place, self.options);
        let documents = workspace::documents(&place.folder, options.files)?;
        Session::start(&place.server, &place.folder, documents, options.seed)
    }

    /// Takes over what a session has counted and found.
    fn take(&mut self, session: &mut Session) {
        self.counts.add(&std::mem::take(&mut session.counts));
        self.problems.append(&mut session.problems);
        let log = session.client.log();
        let errors = log.lines().filter(|line| line.contains("panicked") || line.contains(": error: "));
        self.problems.extend(errors.map(|line| format!("the server's log: {line}")));
    }

    fn rounds(&mut self, edits: usize) -> Result<()> {
        let place = &self.options.place;
        let rounds = self.options.rounds.max(1);
        let mut session = self.session()?;
        let process = session.client.server.id();
        // What is made once for a process, such as the tables of built-ins, is there after the first document.
        session.open(0)?;
        session.pull(0)?;
        session.close(0)?;
        self.memory.before = settled(process).unwrap_or_default();
        for round in 1..=rounds {
            let start = Instant::now();
            session.open_all()?;
            for index in 0..session.documents.len() {
                session.pull(index)?;
            }
            let open = settled(process).unwrap_or_default();
            self.memory.open.push(open);
            let opened = start.elapsed();
            session.storm(edits / rounds)?;
            let stormed = start.elapsed();
            self.compared += session.settle(&place.server, &place.folder)?;
            for index in 0..session.documents.len() {
                session.close(index)?;
                session.documents[index].forget();
            }
            session.take(Duration::from_millis(100))?;
            let emptied = Instant::now();
            returned(process, self.memory.bound(), PATIENCE);
            let waited = emptied.elapsed();
            let closed = settled(process).unwrap_or_default();
            self.memory.closed.push(closed);
            println!(
                "round {round}: opened in {:.1} s, edited in {:.1} s, compared in {:.1} s; {} MiB open, {} MiB {:.1} s after everything was closed, {} problems",
                opened.as_secs_f64(),
                (stormed - opened).as_secs_f64(),
                (start.elapsed() - stormed).as_secs_f64(),
                open >> 10,
                closed >> 10,
                waited.as_secs_f64(),
                session.problems.len()
            );
        }
        self.memory.most = memory(process).map_or(0, |(_, most)| most);
        // The editor ends without a word while there is much to do.
        session.open_all()?;
        session.storm(20)?;
        self.end = session.client.close_input()?;
        self.take(&mut session);
        Ok(())
    }

    fn killed_server(&mut self, edits: usize) -> Result<()> {
        let place = &self.options.place;
        let mut session = self.session()?;
        session.open_all()?;
        session.storm(edits / 2)?;
        session.client.server.kill()?;
        session.client.server.wait()?;
        // Requests that were under way are lost with the server; texts are not.
        session.restart(&place.server, &place.folder)?;
        session.storm(edits - edits / 2)?;
        self.compared += session.settle(&place.server, &place.folder)?;
        self.take(&mut session);
        let last = std::mem::replace(&mut session.client, Client::start(&place.server, &place.folder)?);
        last.finish().context("shutdown and exit after the storm")
    }

    fn judge_memory(&mut self) {
        let memory = &self.memory;
        let (Some(&open), Some(&first), Some(&last)) =
            (memory.open.first(), memory.closed.first(), memory.closed.last())
        else {
            return;
        };
        if open == 0 {
            println!("this system does not tell how much memory a process takes: not checked");
            return;
        }
        let bound = memory.bound();
        let kept = memory.closed.iter().filter(|closed| **closed > bound);
        let mut problems: Vec<String> = kept
            .map(|kept| {
                format!(
                    "memory does not return: {kept} KiB {} s after everything was closed, {bound} are allowed",
                    PATIENCE.as_secs()
                )
            })
            .collect();
        if last > first + WEAR + memory.part(GROWTH) {
            problems
                .push(format!("memory grows: {first} KiB after the first round, {last} KiB after the last"));
        }
        self.problems.append(&mut problems);
    }

    fn table(&self) -> String {
        let counts = &self.counts;
        let mib = |kib: u64| format!("{:.0}", kib as f64 / 1024.0);
        let list = |values: &[u64]| values.iter().map(|kib| mib(*kib)).collect::<Vec<_>>().join(", ");
        let rows = [
            ("documents open at a time", self.options.files.to_string()),
            ("opened", counts.opened.to_string()),
            ("edits (`didChange`)", counts.edits.to_string()),
            ("changes in them", counts.changes.to_string()),
            ("requests", counts.requested().to_string()),
            ("of these answered", counts.answered.to_string()),
            ("answered that the text has changed", counts.outdated.to_string()),
            (
                "answered that they were cancelled, of the cancelled ones",
                format!("{} of {}", counts.stopped, counts.cancelled),
            ),
            ("answered with a reason why not", counts.refused.to_string()),
            ("reports that were pushed", counts.published.to_string()),
            (
                "requests of the server, answered late and in another order",
                counts.asked_by_server.to_string(),
            ),
            ("ranges and positions held against their text", counts.places.to_string()),
            ("documents compared with a fresh server", self.compared.to_string()),
            ("lost edits, wrong places, unanswered requests, differences", self.problems.len().to_string()),
            (
                "servers that ended when the input was closed at work",
                format!("1 of 1, within {} ms", self.end.as_millis()),
            ),
            (
                "servers that ended when the editor was killed",
                format!(
                    "{} of {}, within {} ms",
                    self.options.kills,
                    self.options.kills,
                    self.orphan.as_millis()
                ),
            ),
            ("MiB after one document was opened and closed", mib(self.memory.before)),
            ("MiB with everything open, in each round", list(&self.memory.open)),
            ("MiB at most", mib(self.memory.most)),
            ("MiB after everything was closed, in each round", list(&self.memory.closed)),
        ];
        let mut table = "| what | |\n|---|---|\n".to_owned();
        for (what, value) in rows {
            table += &format!("| {what} | {value} |\n");
        }
        table
    }
}

/// Replaces what stands between the two marks of the document.
fn write(document: &std::path::Path, table: &str) -> Result<()> {
    const MARKS: [&str; 2] = ["<!-- table -->\n", "<!-- end of the table -->"];
    let text = std::fs::read_to_string(document).with_context(|| format!("no {}", document.display()))?;
    let (Some((head, rest)), Some((_, tail))) = (text.split_once(MARKS[0]), text.split_once(MARKS[1])) else {
        bail!("{} has no marks for the table", document.display());
    };
    let _ = rest;
    std::fs::write(document, format!("{head}{}{table}{}{tail}", MARKS[0], MARKS[1]))?;
    Ok(())
}
