//! Diagnostics to the client: pushed when they change, or handed out when it asks.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::HashMap;
use tower_lsp::ls_types::*;

use crate::documents::Document;
use crate::engine::Report;
use crate::outgoing::Outgoing;
use crate::root;
use crate::server::Server;
use crate::settings::DiagnosticMode;

/// What the client has been told.
#[derive(Default)]
pub struct Published {
    /// Pushed, by path: version and result id.
    pushed: FxHashMap<Arc<str>, (Option<i32>, String)>,
    /// Pulled, by path: the version at that time, and the result id.
    pulled: FxHashMap<Arc<str>, (i32, String)>,
    /// Headers that came along with a document's report.
    related: FxHashMap<Arc<str>, FxHashSet<Arc<str>>>,
}

impl Server {
    fn pushes(&self) -> bool {
        match self.settings.diagnostics.mode {
            DiagnosticMode::Push => true,
            DiagnosticMode::Pull => false,
            DiagnosticMode::Auto => !(self.client.pull_diagnostics && self.client.refresh_diagnostics),
        }
    }

    /// Tells the client what is new. Only what belongs to the current text of everything that it was made from is told.
    pub(crate) fn publish(&mut self) {
        if self.pushes() { self.push() } else { self.refresh() }
    }

    fn push(&mut self) {
        for document in self.documents.clone().iter() {
            let Some(report) = self.current_report(&document.path) else { continue };
            self.push_one(&document.path, Some(document.version), report.unwrap_or_else(empty));
        }
        let headers = self.closed_headers();
        let gone: Vec<_> = self.published.pushed.keys().cloned().collect();
        for path in gone {
            if self.documents.get(&path).is_none() && !headers.contains_key(&path) {
                self.push_one(&path, None, empty());
                self.published.pushed.remove(&path);
            }
        }
        for (path, report) in headers {
            self.push_one(&path, None, report);
        }
    }

    fn push_one(&mut self, path: &Arc<str>, version: Option<i32>, report: Arc<Report>) {
        let now = (version, report.id.clone());
        if self.published.pushed.get(path) == Some(&now) {
            return;
        }
        let Some(uri) = self.documents.uri(path) else { return };
        self.published.pushed.insert(path.clone(), now);
        self.send(Outgoing::Publish { uri, diagnostics: report.diagnostics.clone(), version });
    }

    pub(crate) fn unpublish(&mut self, document: &Document) {
        self.published.pulled.remove(&document.path);
        if let Some((_, id)) = self.published.pushed.remove(&document.path)
            && id != empty().id
        {
            let uri = document.uri.clone();
            self.send(Outgoing::Publish { uri, diagnostics: Vec::new(), version: None });
        }
    }

    /// Errors and warnings in headers that are not open, from all open documents that include them.
    fn closed_headers(&self) -> FxHashMap<Arc<str>, Arc<Report>> {
        let mut headers: FxHashMap<Arc<str>, Vec<&Arc<Report>>> = FxHashMap::default();
        let mut roots: Vec<_> = self.units.iter().collect();
        roots.sort_by(|a, b| a.0.cmp(b.0));
        for (_, unit) in roots {
            for (path, report) in unit.reports().into_iter().flatten() {
                if self.documents.get(path).is_none() {
                    headers.entry(path.clone()).or_default().push(report);
                }
            }
        }
        headers.into_iter().filter_map(|(path, reports)| Some((path, merge(&reports)?))).collect()
    }

    /// In pull mode a client asks again after its own edits; it has to be told when something else changed a report.
    fn refresh(&mut self) {
        let outdated = self.documents.iter().any(|document| {
            let Some((version, id)) = self.published.pulled.get(&document.path) else { return false };
            let Some(report) = self.current_report(&document.path) else { return false };
            *version == document.version && *id != report.unwrap_or_else(empty).id
        });
        if outdated && self.client.refresh_diagnostics {
            // The client pulls everything again; until it has, there is nothing new to tell.
            self.published.pulled.clear();
            self.send(Outgoing::RefreshDiagnostics);
        }
    }

    /// The answer to `textDocument/diagnostic`.
    pub(crate) fn document_report(
        &mut self,
        document: &Document,
        previous: Option<String>,
    ) -> DocumentDiagnosticReportResult {
        let report = self.current_report(&document.path).flatten().unwrap_or_else(empty);
        self.published.pulled.insert(document.path.clone(), (document.version, report.id.clone()));
        let related_documents = self.related_documents(document);
        answer(&report, previous, related_documents)
    }

    /// The same about a document that is not open: what is known of a header by the shaders that include it, or of a shader by a
    /// check of the workspace.
    pub(crate) fn closed_report(
        &self,
        path: &Arc<str>,
        previous: Option<String>,
    ) -> DocumentDiagnosticReportResult {
        let others = self.units.iter().filter(|(root, _)| root::path_of(root) != *path);
        let reports: Vec<_> = others.filter_map(|(_, unit)| unit.reports()?.get(path)).collect();
        let known = merge(&reports).or_else(|| self.workspace.report(path));
        answer(&known.unwrap_or_else(empty), previous, None)
    }

    fn related_documents(
        &mut self,
        document: &Document,
    ) -> Option<HashMap<Uri, DocumentDiagnosticReportKind>> {
        if !self.client.related_documents {
            return None;
        }
        let unit = self.units.get(self.contexts.get(&document.path)?.root.as_ref()?)?;
        let mut reports: FxHashMap<Arc<str>, Arc<Report>> = FxHashMap::default();
        for (path, report) in unit.reports().into_iter().flatten() {
            if self.documents.get(path).is_none()
                && let Some(report) = merge(&[report])
            {
                reports.insert(path.clone(), report);
            }
        }
        let told = reports.keys().cloned().collect();
        let before = self.published.related.insert(document.path.clone(), told).unwrap_or_default();
        for path in before {
            if self.documents.get(&path).is_none() {
                reports.entry(path).or_insert_with(empty);
            }
        }
        let related: HashMap<_, _> = reports
            .iter()
            .filter_map(|(path, report)| Some((self.documents.uri(path)?, full(report).into())))
            .collect();
        (!related.is_empty()).then_some(related)
    }
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
        if serious && !merged.iter().any(known) {
            merged.push(diagnostic.clone());
        }
    }
    (!merged.is_empty()).then(|| Arc::new(Report::new(merged)))
}
