//! Mistakes in project files and in what they import, reported in these files; and who is told that there is no such file.

use std::collections::BTreeSet;
use std::sync::Arc;

use coopmat_analysis::Analysis;
use coopmat_analysis::diagnostics::codes;
use coopmat_analysis::text::TextRange;
use rustc_hash::FxHashMap;
use tower_lsp::ls_types::*;

use crate::engine::Report;
use crate::outgoing::Outgoing;
use crate::positions::LineTable;
use crate::projects::{Problem, Problems, Projects, Variants, is_project_file};
use crate::publishing::{full, merge};
use crate::reported::Reported;
use crate::session::Session;

/// What has been reported in files that are not shaders.
#[derive(Default)]
pub struct ProjectReports {
    told: FxHashMap<String, String>,
    /// The reports of shaders about the text that project files put before them: path and id.
    by_shaders: BTreeSet<(String, String)>,
    /// Somebody has been told how to say what a shader's macros are.
    hinted: bool,
}

impl ProjectReports {
    /// Reports what is wrong in project files, where that has changed: mistakes in them, and in what they put before shaders.
    pub fn publish(
        &mut self,
        projects: &mut Projects,
        session: &Session,
        reported: Reported<'_>,
    ) -> Vec<Outgoing> {
        let mut messages: Vec<Outgoing> = watch_imports(projects, session).into_iter().collect();
        let by_shaders = reported.all().flat_map(|(_, reports)| reports);
        let by_shaders = by_shaders.filter(|(path, _)| is_project_file(path));
        let by_shaders: BTreeSet<(String, String)> =
            by_shaders.map(|(path, report)| (path.to_string(), report.id.clone())).collect();
        if !projects.take_problems_changed() && by_shaders == self.by_shaders {
            return messages;
        }
        let of_shaders = by_shaders.iter().map(|(path, _)| path);
        let mut paths: BTreeSet<String> = projects.problems().keys().chain(of_shaders).cloned().collect();
        self.by_shaders = by_shaders;
        paths.extend(self.told.keys().cloned());
        let mut reports: Vec<(String, Arc<Report>)> = Vec::new();
        for path in paths {
            let report = Arc::new(whole_report(&path, projects, session, reported));
            reports.push((path, report));
        }
        for (path, report) in reports {
            let before = self.told.get(&path);
            if before.is_none() && report.diagnostics.is_empty() {
                continue;
            }
            let Some(uri) = session.documents.uri(&path).filter(|_| before != Some(&report.id)) else {
                continue;
            };
            let diagnostics = report.diagnostics.clone();
            messages.push(Outgoing::Publish { uri, diagnostics, version: None });
            if report.diagnostics.is_empty() {
                self.told.remove(&path);
            } else {
                self.told.insert(path, report.id.clone());
            }
        }
        messages
    }

    /// Offers, once, to set up the project of a shader whose build defines what it needs, where nobody has said how it is built. A host that
    /// starts no programs has the note in the shader, which says as much.
    pub fn hint(
        &mut self,
        root: &str,
        variants: &Variants,
        analysis: &Analysis,
        session: &Session,
    ) -> Option<Outgoing> {
        if self.hinted || !variants.is_guess() || !session.host.starts_programs() {
            return None;
        }
        let mut told = analysis.diagnostics.iter();
        let note = told.find(|diagnostic| *diagnostic.code == codes::MISSING_CONFIGURATION)?;
        let uri = session.documents.uri(root)?;
        let file = root.rsplit('/').next().unwrap_or(root);
        let message = format!(
            "{file}: {}. Setting up runs a step of the build; `coopmat-analyzer import LOG -o coopmat-analyzer.toml` writes a project file from the output of the build.",
            note.message
        );
        self.hinted = true;
        Some(Outgoing::OfferSetUp { message, uri })
    }
}

/// Asks the client to watch imports whose names it does not watch anyway.
fn watch_imports(projects: &mut Projects, session: &Session) -> Option<Outgoing> {
    let unwatched = projects.take_unwatched();
    if !session.client.watch_files || unwatched.is_empty() {
        return None;
    }
    let register = |path: String| {
        let watcher = FileSystemWatcher { glob_pattern: GlobPattern::String(path.clone()), kind: None };
        let options = DidChangeWatchedFilesRegistrationOptions { watchers: vec![watcher] };
        Registration {
            id: format!("import {path}"),
            method: "workspace/didChangeWatchedFiles".to_owned(),
            register_options: serde_json::to_value(options).ok(),
        }
    };
    Some(Outgoing::Register(unwatched.into_iter().map(register).collect()))
}

/// The answer to `textDocument/diagnostic` about a project file.
pub fn report(
    path: &str,
    projects: &Projects,
    session: &Session,
    reported: Reported<'_>,
) -> DocumentDiagnosticReportResult {
    let report = whole_report(path, projects, session, reported);
    let report = RelatedFullDocumentDiagnosticReport {
        related_documents: None,
        full_document_diagnostic_report: full(&report),
    };
    DocumentDiagnosticReportResult::Report(DocumentDiagnosticReport::Full(report))
}

/// What is wrong in a project file, or in what it imports, and what shaders say about the text that it puts before them.
fn whole_report(path: &str, projects: &Projects, session: &Session, reported: Reported<'_>) -> Report {
    let problems = projects.problems().get(path);
    let mut all = problems.map(|problems| diagnostics(problems, session)).unwrap_or_default();
    let by_shaders = merge(&reported.by_includers(&path.into()));
    all.extend(by_shaders.iter().flat_map(|report| report.diagnostics.iter().cloned()));
    Report::new(all)
}

fn diagnostics(problems: &Problems, session: &Session) -> Vec<Diagnostic> {
    let table = LineTable::new(&problems.text);
    problems.list.iter().map(|problem| diagnostic(problem, &problems.text, &table, session)).collect()
}

fn diagnostic(problem: &Problem, text: &str, table: &LineTable, session: &Session) -> Diagnostic {
    let related = problem.imported_by.as_ref().and_then(|(path, range)| {
        let text = session.host.read(path)?;
        let range = LineTable::new(&text).range(&text, inside(*range, &text), session.encoding);
        let location = Location { uri: session.documents.uri(path)?, range };
        Some(vec![DiagnosticRelatedInformation { location, message: "imported here".to_owned() }])
    });
    Diagnostic {
        range: table.range(text, inside(problem.range, text), session.encoding),
        severity: Some(if problem.minor { DiagnosticSeverity::WARNING } else { DiagnosticSeverity::ERROR }),
        source: Some("coopmat-analyzer".to_owned()),
        message: problem.message.clone(),
        related_information: related,
        ..Diagnostic::default()
    }
}

/// A range that the text has, whatever was read since.
fn inside(range: TextRange, text: &str) -> TextRange {
    let end = text.len() as u32;
    TextRange::new(range.start().min(end.into()), range.end().min(end.into()))
}
