//! Mistakes in project files and in what they import, reported in these files; and who is told that there is no such file.

use std::sync::Arc;

use coopmat_analysis::diagnostics::codes;
use coopmat_analysis::text::TextRange;
use rustc_hash::FxHashMap;
use tower_lsp::ls_types::*;

use crate::engine::Report;
use crate::outgoing::Outgoing;
use crate::positions::LineTable;
use crate::projects::{Problem, Problems, is_project_file};
use crate::publishing::{empty, full};
use crate::server::Server;

/// What has been reported in files that are not shaders.
#[derive(Default)]
pub struct ProjectReports {
    told: FxHashMap<String, String>,
    /// Somebody has been told how to say what a shader's macros are.
    pub hinted: bool,
}

impl Server {
    /// Reports what is wrong in project files, where that has changed.
    pub(crate) fn publish_project_files(&mut self) {
        self.watch_imports();
        if !self.projects.take_problems_changed() {
            return;
        }
        let mut reports: Vec<(String, Arc<Report>)> = Vec::new();
        for (path, problems) in self.projects.problems() {
            reports.push((path.clone(), Arc::new(Report::new(self.problems(problems)))));
        }
        for path in self.project_reports.told.keys() {
            if !self.projects.problems().contains_key(path) {
                reports.push((path.clone(), empty()));
            }
        }
        for (path, report) in reports {
            let before = self.project_reports.told.get(&path);
            let Some(uri) = self.documents.uri(&path).filter(|_| before != Some(&report.id)) else {
                continue;
            };
            let diagnostics = report.diagnostics.clone();
            self.send(Outgoing::Publish { uri, diagnostics, version: None });
            if report.diagnostics.is_empty() {
                self.project_reports.told.remove(&path);
            } else {
                self.project_reports.told.insert(path, report.id.clone());
            }
        }
    }

    /// Asks the client to watch imports whose names it does not watch anyway.
    fn watch_imports(&mut self) {
        let unwatched = self.projects.take_unwatched();
        if self.client.watch_files && !unwatched.is_empty() {
            let register = |path: String| {
                let watcher =
                    FileSystemWatcher { glob_pattern: GlobPattern::String(path.clone()), kind: None };
                let options = DidChangeWatchedFilesRegistrationOptions { watchers: vec![watcher] };
                Registration {
                    id: format!("import {path}"),
                    method: "workspace/didChangeWatchedFiles".to_owned(),
                    register_options: serde_json::to_value(options).ok(),
                }
            };
            self.send(Outgoing::Register(unwatched.into_iter().map(register).collect()));
        }
    }

    /// The answer to `textDocument/diagnostic` about a project file; `None` for other files.
    pub(crate) fn project_file_report(&mut self, path: &str) -> Option<DocumentDiagnosticReportResult> {
        if !is_project_file(path) {
            return None;
        }
        // It counts for what lies beside it.
        self.variants(path);
        let report = self.projects.problems().get(path).map(|problems| Report::new(self.problems(problems)));
        let report = RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: full(&report.unwrap_or_else(|| Report::new(Vec::new()))),
        };
        Some(DocumentDiagnosticReportResult::Report(DocumentDiagnosticReport::Full(report)))
    }

    fn problems(&self, problems: &Problems) -> Vec<Diagnostic> {
        let table = LineTable::new(&problems.text);
        problems.list.iter().map(|problem| self.problem(problem, &problems.text, &table)).collect()
    }

    fn problem(&self, problem: &Problem, text: &str, table: &LineTable) -> Diagnostic {
        let related = problem.imported_by.as_ref().and_then(|(path, range)| {
            let text = self.host.read(path)?;
            let range = LineTable::new(&text).range(&text, inside(*range, &text), self.encoding);
            let location = Location { uri: self.documents.uri(path)?, range };
            Some(vec![DiagnosticRelatedInformation { location, message: "imported here".to_owned() }])
        });
        Diagnostic {
            range: table.range(text, inside(problem.range, text), self.encoding),
            severity: Some(if problem.minor {
                DiagnosticSeverity::WARNING
            } else {
                DiagnosticSeverity::ERROR
            }),
            source: Some("coopmat-analyzer".to_owned()),
            message: problem.message.clone(),
            related_information: related,
            ..Diagnostic::default()
        }
    }

    /// Tells, once, what to do about a shader whose macros the build defines: nobody has said under which configurations it is
    /// checked, and it uses several names in capitals that are declared nowhere.
    pub(crate) fn hint_at_import(&mut self, root: &Arc<str>) {
        const ENOUGH: usize = 2;
        if self.project_reports.hinted || !self.variants(root).is_guess() {
            return;
        }
        let Some(checked) = self.units.get(root).and_then(|unit| unit.checked.as_ref()) else { return };
        let analysis = &checked.analysis;
        let mut names: Vec<&str> = Vec::new();
        for diagnostic in &analysis.diagnostics {
            if *diagnostic.code != codes::UNDECLARED_NAME && *diagnostic.code != codes::UNDECLARED_TYPE {
                continue;
            }
            let text = &analysis.files()[diagnostic.location.file].text;
            let name =
                text.get(std::ops::Range::<usize>::from(diagnostic.location.range)).unwrap_or_default();
            let capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
            if !name.is_empty() && name.bytes().all(capital) && !names.contains(&name) {
                names.push(name);
            }
        }
        if names.len() < ENOUGH {
            return;
        }
        let file = root.rsplit('/').next().unwrap_or(root);
        let message = format!(
            "{file} uses `{}`, `{}`{} without defining them. If its build does (`glslc -D{}=...`), say so: `coopmat-analyzer import \
             LOG|compile_commands.json -o coopmat-analyzer.toml` writes a project file from what the build runs.",
            names[0],
            names[1],
            if names.len() > ENOUGH { " and others" } else { "" },
            names[0]
        );
        self.project_reports.hinted = true;
        self.send(Outgoing::ShowMessage(MessageType::INFO, message));
    }
}

/// A range that the text has, whatever was read since.
fn inside(range: TextRange, text: &str) -> TextRange {
    let end = text.len() as u32;
    TextRange::new(range.start().min(end.into()), range.end().min(end.into()))
}
