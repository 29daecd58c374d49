//! `workspace/diagnostic`: the shaders that are not open are checked too, one job each, and kept as reports only.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use coopmat_analysis::config::{Configuration, Stage};
use rustc_hash::{FxHashMap, FxHashSet};
use tower_lsp::ls_types::*;

use crate::documents::{Documents, text_hash};
use crate::effects::Effect;
use crate::engine::{self, Inputs, Report, Reports};
use crate::host::Host;
use crate::outgoing::Outgoing;
use crate::projects::Projects;
use crate::publishing::{empty, full, merge};
use crate::query::Reply;
use crate::reported::Reported;
use crate::roots::Roots;
use crate::running::{Far, Link, Title, Watched};
use crate::session::Session;
use crate::settings::Settings;

/// What is known of a shader that is not open.
pub struct ClosedCheck {
    configuration: Arc<Configuration>,
    settings: Arc<Settings>,
    /// Every path that was read or asked for, as it was then.
    read: Vec<(Arc<str>, Option<u64>)>,
    reports: Reports,
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

pub enum WorkspaceEvent {
    /// A job has listed the shaders of the workspace.
    Listed(Vec<String>),
    /// A report has taken a while.
    TakesLong(Watched),
    /// A job has checked a file that is not open.
    Checked(Arc<str>, Option<Arc<ClosedCheck>>),
}

impl WorkspaceEvent {
    /// Whether a job has ended that counts among the analyses under way.
    pub fn ends_check(&self) -> bool {
        matches!(self, WorkspaceEvent::Checked(..))
    }
}

/// One request under way.
struct Sweep {
    previous: FxHashMap<String, String>,
    reply: Reply<WorkspaceDiagnosticReportResult>,
}

/// The first report of a workspace.
const TITLE: Title = Title { text: "Checking the shaders of the workspace", patience: 0 };
/// What a report that was stopped has left undone.
const STOPPED: &str = "the check of the workspace was cancelled: problems of shaders that are not open are incomplete; restart the language server to check all of them";

#[derive(Default)]
pub struct Workspace {
    requests: VecDeque<Sweep>,
    /// The first request has been taken up: its files are being listed or checked.
    listing: bool,
    /// Of the request that was taken up.
    link: Link,
    /// How many files it has to check.
    all: usize,
    /// The user has stopped a request: no more is checked for later ones than was checked before.
    stopped: bool,
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

    pub fn asked(
        &mut self,
        params: WorkspaceDiagnosticParams,
        reply: Reply<WorkspaceDiagnosticReportResult>,
        session: &Session,
        roots: &Roots,
    ) -> Vec<Effect<WorkspaceEvent>> {
        let previous = params.previous_result_ids.into_iter();
        let previous = previous.map(|known| (known.uri.as_str().to_owned(), known.value)).collect();
        self.requests.push_back(Sweep { previous, reply });
        self.begin(session, roots)
    }

    /// Takes the first request up, unless one is under way, or what shaders include is still being looked for.
    pub fn begin(&mut self, session: &Session, roots: &Roots) -> Vec<Effect<WorkspaceEvent>> {
        while self.requests.front().is_some_and(|sweep| sweep.reply.is_canceled()) {
            self.requests.pop_front();
        }
        if self.listing || self.checking > 0 || self.requests.is_empty() || roots.is_scanning() {
            return Vec::new();
        }
        self.listing = true;
        let (link, watched) = Link::watched();
        self.link = link;
        let folders = session.folders.clone();
        let list = Effect::work(move |host| {
            let list = || folders.iter().flat_map(|folder| host.shaders_under(folder, true)).collect();
            let listed: Vec<String> = catch_unwind(AssertUnwindSafe(list)).unwrap_or_default();
            Some(WorkspaceEvent::Listed(listed))
        });
        vec![list, Effect::Later(Watched::PATIENCE, WorkspaceEvent::TakesLong(watched))]
    }

    pub fn take(
        &mut self,
        event: WorkspaceEvent,
        projects: &mut Projects,
        session: &Session,
        reported: Reported<'_>,
    ) -> Vec<Effect<WorkspaceEvent>> {
        match event {
            WorkspaceEvent::TakesLong(watched) if watched.is_over() => return Vec::new(),
            WorkspaceEvent::TakesLong(watched) => {
                return vec![Effect::Tell(Outgoing::Progress(TITLE, watched))];
            }
            WorkspaceEvent::Listed(paths) => self.listed(paths, projects, session, reported.roots),
            WorkspaceEvent::Checked(path, check) => {
                self.checking -= 1;
                let done = self.all.saturating_sub(self.todo.len() + self.checking);
                self.link.tell(Far { done, all: self.all });
                match check {
                    Some(check) => drop(self.checks.insert(path, check)),
                    None => drop(self.checks.remove(&path)),
                }
            }
        }
        self.finish(session, reported)
    }

    fn listed(&mut self, mut paths: Vec<String>, projects: &mut Projects, session: &Session, roots: &Roots) {
        paths.sort();
        paths.dedup();
        let listing = roots.listing();
        paths.retain(|path| listing.has(path) && !projects.ignores(path, session));
        self.listing = false;
        self.listed = paths.into_iter().map(Arc::from).collect();
        let is_root = |path: &&Arc<str>| {
            Stage::of_path(path).is_some() && !roots.is_part(path) && !projects.is_preamble(path, session)
        };
        let known: FxHashSet<_> = self.listed.iter().filter(is_root).cloned().collect();
        // What has become a part of others is told of by them.
        self.checks.retain(|path, _| known.contains(path));
        let closed_roots = self.listed.iter().filter(|path| known.contains(*path));
        self.todo = closed_roots
            .filter(|path| session.documents.get(path).is_none())
            .filter(|path| !self.stopped || self.checks.contains_key(*path))
            .cloned()
            .collect();
        self.all = self.todo.len();
        self.link.tell(Far { done: 0, all: self.all });
    }

    /// The next file to check that is not open.
    pub fn next(
        &mut self,
        session: &Session,
        reported: Reported<'_>,
    ) -> (Option<Arc<str>>, Vec<Effect<WorkspaceEvent>>) {
        let mut effects = Vec::new();
        let stopped = !self.todo.is_empty() && self.link.is_stopped();
        if stopped {
            self.stopped = true;
            effects.push(Effect::Tell(Outgoing::ShowMessage(MessageType::WARNING, STOPPED.to_owned())));
        }
        if stopped || self.requests.front().is_some_and(|sweep| sweep.reply.is_canceled()) {
            self.todo.clear();
            effects.extend(self.finish(session, reported));
        }
        (self.todo.pop_front(), effects)
    }

    /// Starts the check of a file that is not open.
    pub fn start(
        &mut self,
        path: Arc<str>,
        configuration: Arc<Configuration>,
        session: &Session,
    ) -> Effect<WorkspaceEvent> {
        let inputs = session.inputs(configuration);
        self.checking += 1;
        let before = self.checks.get(&path).cloned();
        Effect::work(move |host| {
            let check = catch_unwind(AssertUnwindSafe(|| check_closed(&path, &inputs, host, before)));
            Some(WorkspaceEvent::Checked(path, check.ok().flatten()))
        })
    }

    /// Answers the first request when all of its files are checked, and goes on to the next.
    fn finish(&mut self, session: &Session, reported: Reported<'_>) -> Vec<Effect<WorkspaceEvent>> {
        if self.listing || self.checking > 0 || !self.todo.is_empty() {
            return Vec::new();
        }
        // Nobody is told of it any more.
        std::mem::take(&mut self.link).end();
        if let Some(sweep) = self.requests.pop_front() {
            let report = self.answer(&sweep.previous, &session.documents, reported);
            let _ = sweep.reply.send(Ok(report.into()));
        }
        self.begin(session, reported.roots)
    }

    fn answer(
        &self,
        previous: &FxHashMap<String, String>,
        documents: &Documents,
        reported: Reported<'_>,
    ) -> WorkspaceDiagnosticReport {
        let mut closed: FxHashMap<Arc<str>, Vec<&Arc<Report>>> = FxHashMap::default();
        for root in &self.listed {
            // Its own report in full; of its headers only what is serious.
            let reports = self.checks.get(root).into_iter().flat_map(|check| &check.reports);
            for (path, report) in reports {
                closed.entry(path.clone()).or_default().push(report);
            }
        }
        let mut items = Vec::new();
        for path in &self.listed {
            let (version, report) = match (documents.get(path), self.checks.get(path)) {
                (Some(document), _) => match reported.current(path) {
                    Some(report) => (Some(i64::from(document.version)), report),
                    // Being checked: the client hears of it through the document.
                    None => continue,
                },
                (None, Some(check)) => (None, check.reports.get(path).cloned()),
                (None, None) => (None, closed.get(path).and_then(|reports| merge(reports))),
            };
            let Some(uri) = documents.uri(path) else { continue };
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

/// A report of a shader that nobody looks at: what its build defines is of no interest yet.
fn without_note(report: &Arc<Report>) -> Arc<Report> {
    if !report.diagnostics.iter().any(engine::is_about_guess) {
        return report.clone();
    }
    let rest = report.diagnostics.iter().filter(|diagnostic| !engine::is_about_guess(diagnostic));
    Arc::new(Report::new(rest.cloned().collect()))
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
    checked.look_at_module(inputs);
    let reports = checked.reports().iter().map(|(path, report)| (path.clone(), without_note(report)));
    let reports = reports.collect();
    let read = checked.dependencies.into_iter().map(|path| {
        let stamp = stamp(&path, &inputs.documents, host);
        (path, stamp)
    });
    Some(Arc::new(ClosedCheck {
        configuration: inputs.configuration.clone(),
        settings: inputs.settings.clone(),
        read: read.collect(),
        reports,
    }))
}
