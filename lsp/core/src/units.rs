//! The units of work: one root file under its configuration, its latest analysis, and who waits for the next one.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::diagnostics::Severity;
use rustc_hash::FxHashMap;
use tower_lsp::jsonrpc::Error;
use tower_lsp::ls_types::DocumentDiagnosticReportResult;

use crate::background::Others;
use crate::engine::{Checked, Report};
use crate::query::{Query, Reply};
use crate::root;
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
    pub configuration: Option<Arc<Configuration>>,
    /// The analysis panicked on the current text, or the file is gone: there is no answer until something changes.
    pub failed: bool,
    /// Something that the latest analysis read has changed since.
    pub stale: bool,
    pub running: bool,
    /// What changed since the running analysis began.
    pub changed_meanwhile: Vec<Arc<str>>,
    /// When it was last needed: the most recent goes first.
    pub touched: u64,
    pub waiting: Vec<Waiting>,
    /// The configurations that are not in view.
    pub others: Others,
}

impl Unit {
    pub fn new(touched: u64) -> Unit {
        Unit { stale: true, touched, ..Unit::default() }
    }

    /// Keeps the analysis that was there before one with errors, for those who want to see a module meanwhile.
    pub fn keep_good(&mut self, last: Option<Arc<Checked>>) {
        if self.checked.as_ref().is_some_and(|checked| !has_errors(&checked.analysis)) {
            self.good = None;
        } else if let Some(last) = last.filter(|last| !has_errors(&last.analysis)) {
            self.good = Some(last);
        }
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

    /// What is reported, by path: of the latest analysis, and of the other configurations where they are all checked.
    pub fn reports(&self) -> Option<&FxHashMap<Arc<str>, Arc<Report>>> {
        match &self.others.reports {
            Some(reports) if self.fresh() => Some(reports),
            _ => self.checked.as_ref().map(|checked| &checked.reports),
        }
    }

    /// Errors and warnings of the latest analysis.
    pub fn counts(&self) -> Option<(usize, usize)> {
        let analysis = &self.checked.as_ref().filter(|_| self.fresh())?.analysis;
        let count = |wanted| analysis.diagnostics.iter().filter(|one| one.severity == wanted).count();
        Some((count(Severity::Error), count(Severity::Warning)))
    }

    pub fn report(&self, path: &str) -> Option<&Arc<Report>> {
        self.reports()?.get(path)
    }
}

/// By root.
pub type Units = FxHashMap<Arc<str>, Unit>;

/// Marks what read a file as stale.
pub fn file_changed(units: &mut Units, path: &Arc<str>) {
    for (root, unit) in units.iter_mut() {
        if root::split(root).0 == &**path || unit.reads(path) {
            unit.stale = true;
        } else if unit.others.reads(path) {
            unit.others.again();
        }
        if unit.running {
            unit.changed_meanwhile.push(path.clone());
        }
    }
}
