//! The units of work: one root file under its configuration, its latest analysis, and who waits for the next one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use rustc_hash::{FxHashMap, FxHashSet};
use tower_lsp::jsonrpc::Error;
use tower_lsp::ls_types::DocumentDiagnosticReportResult;

use crate::documents::text_hash;
use crate::effects::Effect;
use crate::engine::{self, Checked, Inputs};
use crate::host::{Host, LogLevel};
use crate::query::{Query, Reply};
use crate::root;
use crate::session::Session;
use crate::spirv::module::has_errors;

/// A request that waits for a fresh analysis.
pub enum Waiter {
    Query(Box<dyn Query>),
    Diagnostic { previous: Option<String>, reply: Reply<DocumentDiagnosticReportResult> },
}

impl Waiter {
    pub fn bound_to_text(&self) -> bool {
        match self {
            Waiter::Query(query) => query.bound_to_text(),
            Waiter::Diagnostic { .. } => false,
        }
    }

    pub fn cancelled(&self) -> bool {
        match self {
            Waiter::Query(query) => query.cancelled(),
            Waiter::Diagnostic { reply, .. } => reply.is_canceled(),
        }
    }

    pub fn fail(self, error: Error) {
        match self {
            Waiter::Query(query) => query.fail(error),
            Waiter::Diagnostic { reply, .. } => drop(reply.send(Err(error))),
        }
    }
}

/// A waiter and the document that it asks about.
pub struct Waiting {
    pub path: Arc<str>,
    pub waiter: Waiter,
}

#[derive(Default)]
pub struct Unit {
    pub checked: Option<Arc<Checked>>,
    /// The last one without errors, where `checked` has some.
    pub good: Option<Arc<Checked>>,
    /// The configuration that `checked` was made under.
    configuration: Option<Arc<Configuration>>,
    /// The analysis panicked on the current text, or the file is gone: there is no answer until something changes.
    pub failed: bool,
    /// Something that the latest analysis read has changed since.
    stale: bool,
    running: bool,
    /// What changed since the running analysis began.
    changed_meanwhile: Vec<Arc<str>>,
    /// When it was last needed: the most recent goes first.
    pub touched: u64,
    waiting: Vec<Waiting>,
}

impl Unit {
    fn new(touched: u64) -> Unit {
        Unit { stale: true, touched, ..Unit::default() }
    }

    /// Keeps the analysis that was there before one with errors, for those who want to see a module meanwhile.
    fn keep_good(&mut self, last: Option<Arc<Checked>>) {
        if self.checked.as_ref().is_some_and(|checked| !has_errors(&checked.analysis)) {
            self.good = None;
        } else if let Some(last) = last.filter(|last| !has_errors(&last.analysis)) {
            self.good = Some(last);
        }
    }

    /// The configuration of the latest analysis.
    pub fn configuration(&self) -> Option<&Arc<Configuration>> {
        self.configuration.as_ref()
    }

    /// Whether its answers are those of the current text.
    pub fn fresh(&self) -> bool {
        !self.stale && !self.running
    }

    pub fn reads(&self, path: &str) -> bool {
        self.checked.as_ref().is_some_and(|checked| checked.dependencies.contains(path))
    }

    /// Whether the latest analysis contains the file.
    pub fn contains(&self, path: &str) -> bool {
        self.checked.as_ref().is_some_and(|checked| checked.analysis.files().find(path).is_some())
    }

    /// Errors and warnings of the latest analysis.
    pub fn counts(&self) -> Option<(usize, usize)> {
        Some(self.checked.as_ref().filter(|_| self.fresh())?.counts())
    }
}

/// What a job brings back that has checked a root.
pub struct RootChecked {
    pub root: Arc<str>,
    configuration: Arc<Configuration>,
    outcome: Outcome,
}

enum Outcome {
    Done(Box<Checked>),
    /// There is no such file.
    Missing,
    Panicked,
}

#[derive(Default)]
pub struct Units {
    /// By root.
    units: FxHashMap<Arc<str>, Unit>,
    /// Counts up whenever a unit is needed.
    clock: u64,
    /// Requests about documents whose root is not known yet.
    parked: Vec<Waiting>,
}

impl Units {
    pub fn get(&self, root: &str) -> Option<&Unit> {
        self.units.get(root)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &Unit)> {
        self.units.iter()
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// A root is to be analysed, unless it is already.
    pub fn need(&mut self, root: Arc<str>) {
        if !self.units.contains_key(&root) {
            let clock = self.tick();
            self.units.insert(root, Unit::new(clock));
        }
    }

    /// Forgets the roots that are needed no more. What waited for them, and for a root at all, is asked again.
    pub fn retain(&mut self, needed: &FxHashSet<Arc<str>>) -> Vec<Waiting> {
        let mut homeless = std::mem::take(&mut self.parked);
        self.units.retain(|root, unit| {
            if needed.contains(root) {
                return true;
            }
            homeless.append(&mut unit.waiting);
            unit.running
        });
        homeless
    }

    /// Marks what read a file as stale.
    pub fn file_changed(&mut self, path: &Arc<str>) {
        for (root, unit) in &mut self.units {
            if root::split(root).0 == &**path || unit.reads(path) {
                unit.stale = true;
            }
            if unit.running {
                unit.changed_meanwhile.push(path.clone());
            }
        }
    }

    /// An open document is another text now: its root goes first, and requests that count in the text that is gone fail.
    pub fn edited(&mut self, path: &Arc<str>, root: Option<&Arc<str>>) {
        let clock = self.tick();
        if let Some(unit) = root.and_then(|root| self.units.get_mut(root)) {
            unit.touched = clock;
        }
        let outdated = |waiting: &mut Waiting| waiting.path == *path && waiting.waiter.bound_to_text();
        let mut gone: Vec<Waiting> = self.parked.extract_if(.., outdated).collect();
        for unit in self.units.values_mut() {
            gone.extend(unit.waiting.extract_if(.., outdated));
        }
        for waiting in gone {
            waiting.waiter.fail(Error::content_modified());
        }
    }

    /// A root is checked under another configuration; also where it is pinned to one, which is another one now.
    pub fn make_stale(&mut self, root: &str) {
        for (known, unit) in &mut self.units {
            unit.stale |= root::split(known).0 == root;
        }
    }

    pub fn make_all_stale(&mut self) {
        for unit in self.units.values_mut() {
            unit.stale = true;
        }
    }

    /// Lets a request wait for its root's analysis; gives it back where that is fresh.
    pub fn wait(&mut self, root: Option<&Arc<str>>, waiting: Waiting) -> Option<Waiting> {
        match root.and_then(|root| self.units.get_mut(root)) {
            None => self.parked.push(waiting),
            Some(unit) if unit.fresh() => return Some(waiting),
            Some(unit) => unit.waiting.push(waiting),
        }
        None
    }

    /// Who waited for a root.
    pub fn take_waiting(&mut self, root: &str) -> Vec<Waiting> {
        self.units.get_mut(root).map(|unit| std::mem::take(&mut unit.waiting)).unwrap_or_default()
    }

    /// The root to analyse next: first what somebody waits for, then what was touched last.
    pub fn next(&self) -> Option<Arc<str>> {
        let ready = self.units.iter().filter(|(_, unit)| unit.stale && !unit.running);
        let next = ready.max_by_key(|(root, unit)| {
            let wanted = unit.waiting.iter().any(|waiting| !waiting.waiter.cancelled());
            (wanted, unit.touched, (*root).clone())
        });
        next.map(|(root, _)| root.clone())
    }

    /// Starts the analysis of a root.
    pub fn start(
        &mut self,
        root: &Arc<str>,
        configuration: Arc<Configuration>,
        session: &Session,
    ) -> Option<Effect<RootChecked>> {
        let inputs = session.inputs(configuration.clone());
        let unit = self.units.get_mut(root)?;
        unit.stale = false;
        unit.running = true;
        // An analysis under another configuration is of no help.
        let same = unit.configuration.as_ref().is_some_and(|before| **before == *configuration);
        let previous = unit.checked.clone().filter(|_| same && !unit.failed);
        let root = root.clone();
        Some(Effect::work(move |host| {
            let outcome = check(&root::path_of(&root), &inputs, host, previous.as_deref());
            Some(RootChecked { root, configuration, outcome })
        }))
    }

    /// Takes an analysis in.
    pub fn checked(&mut self, done: RootChecked) {
        let Some(unit) = self.units.get_mut(&done.root) else { return };
        unit.running = false;
        let before = unit.configuration.replace(done.configuration);
        if before != unit.configuration {
            unit.good = None;
        }
        unit.failed = !matches!(done.outcome, Outcome::Done(_));
        if let Outcome::Done(checked) = done.outcome {
            let last = unit.checked.replace(Arc::from(checked));
            let last = last.filter(|_| before == unit.configuration);
            unit.keep_good(last);
        }
        let changed = std::mem::take(&mut unit.changed_meanwhile);
        if changed.iter().any(|path| unit.reads(path)) {
            unit.stale = true;
        }
    }
}

fn check(root: &Arc<str>, inputs: &Inputs, host: &dyn Host, previous: Option<&Checked>) -> Outcome {
    let attempt = |previous| catch_unwind(AssertUnwindSafe(|| engine::check(root, inputs, host, previous)));
    let mut result = attempt(previous);
    if result.is_err() && previous.is_some() {
        // What was kept from before the edit may be to blame.
        result = attempt(None);
    }
    match result {
        Ok(Some(checked)) => Outcome::Done(Box::new(checked)),
        Ok(None) => Outcome::Missing,
        Err(_) => {
            let text = inputs.documents.get(root).map(|document| document.text.clone());
            let hash = text.or_else(|| host.read(root)).map_or(0, |text| text_hash(&text));
            host.log(LogLevel::Error, &format!("the analysis of {root} panicked (text {hash:016x})"));
            Outcome::Panicked
        }
    }
}
