//! `workspace/diagnostic`: the shaders that are not open are checked too, one job each, and kept as reports only.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use coopmat_analysis::config::{Configuration, Stage};
use rustc_hash::{FxHashMap, FxHashSet};
use tower_lsp::ls_types::*;

use crate::documents::{Documents, text_hash};
use crate::engine::{self, Inputs, Report};
use crate::events::Event;
use crate::host::Host;
use crate::publishing::{empty, full, merge};
use crate::query::Reply;
use crate::server::Server;
use crate::settings::Settings;

/// What is known of a shader that is not open.
pub struct ClosedCheck {
    configuration: Arc<Configuration>,
    settings: Arc<Settings>,
    /// Every path that was read or asked for, as it was then.
    read: Vec<(Arc<str>, Option<u64>)>,
    reports: FxHashMap<Arc<str>, Arc<Report>>,
}

impl ClosedCheck {
    fn holds(&self, inputs: &Inputs, host: &dyn Host) -> bool {
        *self.configuration == *inputs.configuration
            && *self.settings == *inputs.settings
            && self.read.iter().all(|(path, before)| stamp(path, &inputs.documents, host) == *before)
    }
}

fn stamp(path: &str, documents: &Documents, host: &dyn Host) -> Option<u64> {
    match documents.get(path) {
        Some(document) => Some(text_hash(&document.text)),
        None => host.stamp(path),
    }
}

/// One request under way.
struct Sweep {
    previous: FxHashMap<String, String>,
    reply: Reply<WorkspaceDiagnosticReportResult>,
}

#[derive(Default)]
pub struct Workspace {
    requests: VecDeque<Sweep>,
    /// The first request has been taken up: its files are being listed or checked.
    listing: bool,
    listed: Vec<Arc<str>>,
    todo: VecDeque<Arc<str>>,
    checking: usize,
    checks: FxHashMap<Arc<str>, Arc<ClosedCheck>>,
}

impl Workspace {
    /// What the last check of a shader that is not open has said about it.
    pub fn report(&self, path: &str) -> Option<Arc<Report>> {
        self.checks.get(path)?.reports.get(path).cloned()
    }
}

impl Server {
    pub(crate) fn workspace_diagnostic(
        &mut self,
        params: WorkspaceDiagnosticParams,
        reply: Reply<WorkspaceDiagnosticReportResult>,
    ) {
        let previous = params.previous_result_ids.into_iter();
        let previous = previous.map(|known| (known.uri.as_str().to_owned(), known.value)).collect();
        self.workspace.requests.push_back(Sweep { previous, reply });
        self.next_sweep();
    }

    fn next_sweep(&mut self) {
        let workspace = &mut self.workspace;
        while workspace.requests.front().is_some_and(|sweep| sweep.reply.is_canceled()) {
            workspace.requests.pop_front();
        }
        if workspace.listing || workspace.checking > 0 || workspace.requests.is_empty() {
            return;
        }
        workspace.listing = true;
        let (host, events, folders) = (self.host.clone(), self.events.clone(), self.folders.clone());
        self.jobs.spawn(move || {
            let list = || folders.iter().flat_map(|folder| host.shaders_under(folder, true)).collect();
            let listed: Vec<String> = catch_unwind(AssertUnwindSafe(list)).unwrap_or_default();
            let _ = events.unbounded_send(Event::Listed(listed));
        });
    }

    pub(crate) fn listed(&mut self, mut paths: Vec<String>) {
        paths.sort();
        paths.dedup();
        paths.retain(|path| !self.ignores(path));
        let workspace = &mut self.workspace;
        workspace.listing = false;
        workspace.listed = paths.into_iter().map(Arc::from).collect();
        let known: FxHashSet<_> = workspace.listed.iter().cloned().collect();
        workspace.checks.retain(|path, _| known.contains(path));
        let closed_roots = workspace.listed.iter().filter(|path| Stage::of_path(path).is_some());
        workspace.todo = closed_roots.filter(|path| self.documents.get(path).is_none()).cloned().collect();
        self.finish_sweep();
    }

    /// Starts the next check of a file that is not open; `false` when there is none.
    pub(crate) fn start_closed(&mut self) -> bool {
        if self.workspace.requests.front().is_some_and(|sweep| sweep.reply.is_canceled()) {
            self.workspace.todo.clear();
            self.finish_sweep();
        }
        let Some(path) = self.workspace.todo.pop_front() else { return false };
        let inputs = Inputs {
            analyzer: self.analyzer.clone(),
            documents: self.documents.clone(),
            configuration: self.configuration(&path),
            settings: self.settings.clone(),
            encoding: self.encoding,
        };
        self.workspace.checking += 1;
        self.running += 1;
        let before = self.workspace.checks.get(&path).cloned();
        let (host, events) = (self.host.clone(), self.events.clone());
        self.jobs.spawn(move || {
            let check = catch_unwind(AssertUnwindSafe(|| check_closed(&path, &inputs, &*host, before)));
            let _ = events.unbounded_send(Event::ClosedChecked(path, check.ok().flatten()));
        });
        true
    }

    pub(crate) fn closed_checked(&mut self, path: Arc<str>, check: Option<Arc<ClosedCheck>>) {
        self.running -= 1;
        self.workspace.checking -= 1;
        match check {
            Some(check) => drop(self.workspace.checks.insert(path, check)),
            None => drop(self.workspace.checks.remove(&path)),
        }
        self.finish_sweep();
    }

    /// Answers the first request when all of its files are checked, and goes on to the next.
    fn finish_sweep(&mut self) {
        if self.workspace.listing || self.workspace.checking > 0 || !self.workspace.todo.is_empty() {
            return;
        }
        if let Some(sweep) = self.workspace.requests.pop_front() {
            let report = self.workspace_report(&sweep.previous);
            let _ = sweep.reply.send(Ok(report.into()));
        }
        self.next_sweep();
    }

    fn workspace_report(&self, previous: &FxHashMap<String, String>) -> WorkspaceDiagnosticReport {
        let mut closed: FxHashMap<Arc<str>, Vec<&Arc<Report>>> = FxHashMap::default();
        for root in &self.workspace.listed {
            // Its own report in full; of its headers only what is serious.
            let reports = self.workspace.checks.get(root).into_iter().flat_map(|check| &check.reports);
            for (path, report) in reports {
                closed.entry(path.clone()).or_default().push(report);
            }
        }
        let mut items = Vec::new();
        for path in &self.workspace.listed {
            let (version, report) = match self.documents.get(path) {
                Some(document) => match self.current_report(path) {
                    Some(report) => (Some(i64::from(document.version)), report),
                    // Being checked: the client hears of it through the document.
                    None => continue,
                },
                None if self.workspace.checks.contains_key(path) => {
                    (None, self.workspace.checks[path].reports.get(path).cloned())
                }
                None => (None, closed.get(path).and_then(|reports| merge(reports))),
            };
            let Some(uri) = self.documents.uri(path) else { continue };
            items.push(item(uri, version, &report.unwrap_or_else(empty), previous));
        }
        WorkspaceDiagnosticReport { items }
    }
}

fn item(
    uri: Uri,
    version: Option<i64>,
    report: &Report,
    previous: &FxHashMap<String, String>,
) -> WorkspaceDocumentDiagnosticReport {
    if previous.get(uri.as_str()) == Some(&report.id) {
        return WorkspaceDocumentDiagnosticReport::Unchanged(WorkspaceUnchangedDocumentDiagnosticReport {
            uri,
            version,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport {
                result_id: report.id.clone(),
            },
        });
    }
    WorkspaceDocumentDiagnosticReport::Full(WorkspaceFullDocumentDiagnosticReport {
        uri,
        version,
        full_document_diagnostic_report: full(report),
    })
}

fn check_closed(
    path: &Arc<str>,
    inputs: &Inputs,
    host: &dyn Host,
    before: Option<Arc<ClosedCheck>>,
) -> Option<Arc<ClosedCheck>> {
    if let Some(before) = before
        && before.holds(inputs, host)
    {
        return Some(before);
    }
    let checked = engine::check(path, inputs, host, None)?;
    let read = checked.dependencies.into_iter().map(|path| {
        let stamp = stamp(&path, &inputs.documents, host);
        (path, stamp)
    });
    Some(Arc::new(ClosedCheck {
        configuration: inputs.configuration.clone(),
        settings: inputs.settings.clone(),
        read: read.collect(),
        reports: checked.reports,
    }))
}
