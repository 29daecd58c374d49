//! Diagnostics to the client: pushed when they change, or handed out when it asks. And what else it shows of a text: a client asks for
//! colours, hints and lenses after its own edits, and has to be told when something else, such as a header, a setting or the
//! configuration, made them others.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tower_lsp::ls_types::*;

use crate::documents::Document;
use crate::engine::{Report, is_about_guess};
use crate::outgoing::Outgoing;
use crate::projects::is_project_file;
use crate::reported::Reported;
use crate::roots::Roots;
use crate::session::Session;
use crate::settings::DiagnosticMode;

/// What the client has been told.
#[derive(Default)]
pub struct Publishing {
    /// Pushed, by path: version and result id.
    pushed: FxHashMap<Arc<str>, (Option<i32>, String)>,
    /// Pulled, by path: the version at that time, and the result id.
    pulled: FxHashMap<Arc<str>, (i32, String)>,
    /// Headers that came along with a document's report.
    related: FxHashMap<Arc<str>, FxHashSet<Arc<str>>>,
    /// The version of each open document that was analysed last.
    analysed: FxHashMap<Arc<str>, i32>,
}

fn pushes(session: &Session) -> bool {
    match session.settings.diagnostics.mode {
        DiagnosticMode::Push => true,
        // Who is not told that it may ask does not.
        DiagnosticMode::Pull => !session.client.pull_diagnostics,
        DiagnosticMode::Auto => !(session.client.pull_diagnostics && session.client.refresh_diagnostics),
    }
}

impl Publishing {
    /// Tells the client what is new. Only what belongs to the current text of everything that it was made from is told.
    pub fn publish(&mut self, session: &Session, reported: Reported<'_>) -> Vec<Outgoing> {
        if pushes(session) {
            self.push(session, reported)
        } else {
            self.refresh(session, reported).into_iter().collect()
        }
    }

    fn push(&mut self, session: &Session, reported: Reported<'_>) -> Vec<Outgoing> {
        let mut messages = Vec::new();
        for document in session.documents.iter() {
            let Some(report) = reported.current(&document.path) else { continue };
            let report = report.unwrap_or_else(empty);
            messages.extend(self.push_one(&document.path, Some(document.version), &report, session));
        }
        let headers = closed_headers(session, reported);
        let gone: Vec<_> = self.pushed.keys().cloned().collect();
        for path in gone {
            if session.documents.get(&path).is_none() && !headers.contains_key(&path) {
                messages.extend(self.push_one(&path, None, &empty(), session));
                self.pushed.remove(&path);
            }
        }
        for (path, report) in headers {
            messages.extend(self.push_one(&path, None, &report, session));
        }
        messages
    }

    fn push_one(
        &mut self,
        path: &Arc<str>,
        version: Option<i32>,
        report: &Report,
        session: &Session,
    ) -> Option<Outgoing> {
        let now = (version, report.id.clone());
        if self.pushed.get(path) == Some(&now) {
            return None;
        }
        let uri = session.documents.uri(path)?;
        self.pushed.insert(path.clone(), now);
        Some(Outgoing::Publish { uri, diagnostics: report.diagnostics.clone(), version })
    }

    /// A document has been closed.
    pub fn closed(&mut self, document: &Document) -> Option<Outgoing> {
        self.analysed.remove(&document.path);
        self.pulled.remove(&document.path);
        let (_, id) = self.pushed.remove(&document.path)?;
        let uri = document.uri.clone();
        (id != empty().id).then_some(Outgoing::Publish { uri, diagnostics: Vec::new(), version: None })
    }

    /// In pull mode a client asks again after its own edits; it has to be told when something else changed a report.
    fn refresh(&mut self, session: &Session, reported: Reported<'_>) -> Option<Outgoing> {
        let outdated = session.documents.iter().any(|document| {
            let Some((version, id)) = self.pulled.get(&document.path) else { return false };
            let Some(report) = reported.current(&document.path) else { return false };
            *version == document.version && *id != report.unwrap_or_else(empty).id
        });
        if !outdated || !session.client.refresh_diagnostics {
            return None;
        }
        // The client pulls everything again; until it has, there is nothing new to tell.
        self.pulled.clear();
        Some(Outgoing::RefreshDiagnostics)
    }

    /// The analysis of a root is fresh again.
    pub fn analysed(&mut self, root: &Arc<str>, session: &Session, roots: &Roots) -> Vec<Outgoing> {
        let mut again = false;
        for document in session.documents.iter() {
            if roots.of(&document.path) == Some(root) {
                let before = self.analysed.insert(document.path.clone(), document.version);
                again |= before == Some(document.version);
            }
        }
        let mut messages = Vec::new();
        if again && session.client.refresh_tokens {
            messages.push(Outgoing::RefreshTokens);
        }
        if again && session.client.refresh_inlay_hints {
            messages.push(Outgoing::RefreshInlayHints);
        }
        if again && session.client.refresh_code_lenses {
            messages.push(Outgoing::RefreshCodeLenses);
        }
        messages
    }

    /// The answer to `textDocument/diagnostic`.
    pub fn document_report(
        &mut self,
        document: &Document,
        previous: Option<String>,
        session: &Session,
        reported: Reported<'_>,
    ) -> DocumentDiagnosticReportResult {
        let report = reported.current(&document.path).flatten().unwrap_or_else(empty);
        self.pulled.insert(document.path.clone(), (document.version, report.id.clone()));
        answer(&report, previous, self.related_documents(document, session, reported))
    }

    fn related_documents(
        &mut self,
        document: &Document,
        session: &Session,
        reported: Reported<'_>,
    ) -> Option<HashMap<Uri, DocumentDiagnosticReportKind>> {
        if !session.client.related_documents {
            return None;
        }
        let documents = &session.documents;
        let root = reported.roots.of(&document.path)?;
        reported.units.get(root)?;
        let mut reports: FxHashMap<Arc<str>, Arc<Report>> = FxHashMap::default();
        for (path, report) in reported.of_root(root).into_iter().flatten() {
            if documents.get(path).is_none()
                && !is_project_file(path)
                && let Some(report) = merge(&[report])
            {
                reports.insert(path.clone(), report);
            }
        }
        let told = reports.keys().cloned().collect();
        let before = self.related.insert(document.path.clone(), told).unwrap_or_default();
        for path in before {
            if documents.get(&path).is_none() {
                reports.entry(path).or_insert_with(empty);
            }
        }
        let related: HashMap<_, _> = reports
            .iter()
            .filter_map(|(path, report)| Some((documents.uri(path)?, full(report).into())))
            .collect();
        (!related.is_empty()).then_some(related)
    }
}

/// Errors and warnings in headers that are not open, from all open documents that include them.
fn closed_headers(session: &Session, reported: Reported<'_>) -> FxHashMap<Arc<str>, Arc<Report>> {
    let mut headers: FxHashMap<Arc<str>, Vec<&Arc<Report>>> = FxHashMap::default();
    let mut roots: Vec<_> = reported.all().collect();
    roots.sort_by(|a, b| a.0.cmp(b.0));
    for (path, report) in roots.into_iter().flat_map(|(_, reports)| reports) {
        // What a shader's preamble has of a project file is told with what is wrong in that file.
        if session.documents.get(path).is_none() && !is_project_file(path) {
            headers.entry(path.clone()).or_default().push(report);
        }
    }
    headers.into_iter().filter_map(|(path, reports)| Some((path, merge(&reports)?))).collect()
}

/// The answer to `textDocument/diagnostic` about a document that is not open: what is known of a header by the shaders that include it, or
/// else what a check of the workspace has said.
pub fn closed_report(
    path: &Arc<str>,
    previous: Option<String>,
    reported: Reported<'_>,
    by_workspace: impl FnOnce() -> Option<Arc<Report>>,
) -> DocumentDiagnosticReportResult {
    let known = merge(&reported.by_includers(path)).or_else(by_workspace);
    answer(&known.unwrap_or_else(empty), previous, None)
}

pub fn full(report: &Report) -> FullDocumentDiagnosticReport {
    FullDocumentDiagnosticReport { result_id: Some(report.id.clone()), items: report.diagnostics.clone() }
}

fn answer(
    report: &Report,
    previous: Option<String>,
    related_documents: Option<HashMap<Uri, DocumentDiagnosticReportKind>>,
) -> DocumentDiagnosticReportResult {
    DocumentDiagnosticReportResult::Report(if previous.as_ref() == Some(&report.id) {
        DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
            related_documents,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport {
                result_id: report.id.clone(),
            },
        })
    } else {
        DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
            related_documents,
            full_document_diagnostic_report: full(report),
        })
    })
}

pub fn empty() -> Arc<Report> {
    static EMPTY: std::sync::OnceLock<Arc<Report>> = std::sync::OnceLock::new();
    EMPTY.get_or_init(|| Arc::new(Report::new(Vec::new()))).clone()
}

/// One report of several about the same header, without repetitions, and without what is not worth a trip into another file.
pub fn merge(reports: &[&Arc<Report>]) -> Option<Arc<Report>> {
    let mut merged: Vec<Diagnostic> = Vec::new();
    for diagnostic in reports.iter().flat_map(|report| &report.diagnostics) {
        let serious = diagnostic.severity.is_some_and(|severity| severity <= DiagnosticSeverity::WARNING);
        let known = |other: &Diagnostic| {
            other.range == diagnostic.range
                && other.code == diagnostic.code
                && other.message == diagnostic.message
        };
        if serious && !is_about_guess(diagnostic) && !merged.iter().any(known) {
            merged.push(diagnostic.clone());
        }
    }
    (!merged.is_empty()).then(|| Arc::new(Report::new(merged)))
}
