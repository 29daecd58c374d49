//! Requests about documents: answered now, or as soon as there is an analysis of the current text.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tower_lsp::jsonrpc::Error;
use tower_lsp::ls_types::*;

use super::Server;
use crate::documents::text_hash;
use crate::effects::Work;
use crate::events::{DocumentState, Event};
use crate::features::{calls, links, workspace_symbols};
use crate::host::{Host, LogLevel};
use crate::outgoing::Outgoing;
use crate::paths;
use crate::project_files;
use crate::projects;
use crate::publishing::closed_report;
use crate::query::{Query, Reply};
use crate::reported::Reported;
use crate::root;
use crate::running::Link;
use crate::search::question::{Purpose, Question};
use crate::snapshot::{Snapshot, TextSnapshot};
use crate::spirv::listing::Listing;
use crate::units::{Waiter, Waiting};

impl Server {
    /// Answers a request in a job.
    fn answer_in_job(&self, answer: impl FnOnce(&dyn Host) + Send + 'static) {
        let work: Work<Event> = Box::new(move |host| {
            answer(host);
            None
        });
        self.spawn(work);
    }

    /// Answers now, or as soon as there is an analysis of the current text.
    pub(super) fn ask(&mut self, waiting: Waiting) {
        if waiting.waiter.cancelled() {
            return;
        }
        if !self.roots.is_open(&waiting.path) {
            return match waiting.waiter {
                // Clients ask about what they have just closed.
                Waiter::Diagnostic { previous, reply } => {
                    let by_workspace = || self.workspace.report(&waiting.path);
                    let report = closed_report(
                        &waiting.path,
                        previous,
                        Reported::new(&self.units, &self.roots, &self.background),
                        by_workspace,
                    );
                    drop(reply.send(Ok(report)));
                }
                Waiter::Query(query) => query.absent(),
            };
        }
        if let Some(waiting) = self.units.wait(self.roots.of(&waiting.path), waiting) {
            self.answer(waiting);
        }
    }

    /// Answers from the unit of the document's root, which is fresh.
    fn answer(&mut self, waiting: Waiting) {
        let Some(document) = self.session.documents.get(&waiting.path).cloned() else {
            return waiting.waiter.fail(Error::content_modified());
        };
        let query = match waiting.waiter {
            Waiter::Query(query) => query,
            Waiter::Diagnostic { previous, reply } => {
                let reported = Reported::new(&self.units, &self.roots, &self.background);
                let report = self.publishing.document_report(&document, previous, &self.session, reported);
                return drop(reply.send(Ok(report)));
            }
        };
        let Some(root) = self.roots.of(&waiting.path) else { return };
        let Some(unit) = self.units.get(root) else { return };
        let Some(checked) = unit.checked.as_ref().filter(|_| !unit.failed) else {
            return query.fail(Error::internal_error());
        };
        let (checked, good) = (checked.clone(), unit.good.clone());
        let analysis = checked.analysis.clone();
        let Some(file) = analysis.files().find(&waiting.path) else {
            return query.fail(Error::content_modified());
        };
        let root = root.clone();
        let chosen = self.variants(&root).specialization.clone();
        let specialization = chosen.map(|(_, values)| values).unwrap_or_default();
        let summaries = self.following.summaries(&root, &checked.analysis.config);
        let session = &self.session;
        let snapshot = Snapshot {
            analysis,
            summaries,
            checked,
            good,
            specialization,
            file,
            document,
            documents: session.documents.clone(),
            host: session.host.clone(),
            folders: session.folders.clone(),
            encoding: session.encoding,
            settings: session.settings.clone(),
            client: session.client,
        };
        self.answer_in_job(move |_| query.answer(&snapshot));
    }

    /// Answers at once, from the document as it is now.
    pub(super) fn answer_from_text(&self, query: Box<dyn Query<TextSnapshot>>) {
        let session = &self.session;
        let Some(document) = session.documents.get(&paths::of_uri(query.uri())).cloned() else {
            return query.absent();
        };
        let snapshot = TextSnapshot {
            document,
            encoding: session.encoding,
            settings: session.settings.clone(),
            client: session.client,
            host: session.host.clone(),
        };
        self.answer_in_job(move |_| query.answer(&snapshot));
    }

    /// Answers from the text of a module that the client has.
    pub(super) fn answer_from_listing(&self, query: Box<dyn Query<Arc<Listing>>>) {
        match self.following.listing(query.uri()) {
            Some(listing) => self.answer_in_job(move |_| query.answer(&listing)),
            None => query.absent(),
        }
    }

    /// A run has ended.
    pub(super) fn ran(&self) {
        if self.session.settings.performance && self.session.client.refresh_code_lenses {
            self.send([Outgoing::RefreshCodeLenses]);
        }
    }

    /// Runs a document of assembly text, for which there is nothing to wait for.
    pub(super) fn run_module(&self, mut params: crate::run::Params, reply: Reply<serde_json::Value>) {
        let path = crate::assembly::path_of(&params.text_document.uri);
        let text = params.module.take().unwrap_or_default();
        let ground = crate::run::Ground::of_assembly(&self.session, path, text);
        self.answer_in_job(move |host| {
            let run = || crate::run::run_on(&ground, &params);
            let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).map_err(|_| {
                host.log(crate::host::LogLevel::Error, &format!("a run of {} panicked", ground.path()));
                Error::internal_error()
            });
            let _ = reply.send(answer);
        });
    }

    pub(super) fn diagnostic(
        &mut self,
        params: DocumentDiagnosticParams,
        reply: Reply<DocumentDiagnosticReportResult>,
    ) {
        let path: Arc<str> = paths::of_uri(&params.text_document.uri).into();
        if projects::is_project_file(&path) {
            // It counts for what lies beside it.
            self.variants(&path);
            let report = project_files::report(
                &path,
                &self.projects,
                &self.session,
                Reported::new(&self.units, &self.roots, &self.background),
            );
            return drop(reply.send(Ok(report)));
        }
        let waiter = Waiter::Diagnostic { previous: params.previous_result_id, reply };
        self.ask(Waiting { path, waiter });
    }

    pub(super) fn find_symbols(&self, query: String, reply: Reply<Option<WorkspaceSymbolResponse>>) {
        let (index, encoding) = (self.symbols.clone(), self.session.encoding);
        let (folders, documents) = (self.session.folders.clone(), self.session.documents.clone());
        let listed = self.roots.listing();
        self.answer_in_job(move |host| {
            let found = catch_unwind(AssertUnwindSafe(|| {
                workspace_symbols::symbols(&query, &index, &folders, &listed, &documents, host, encoding)
            }));
            let found = found.map(Some).map_err(|_| {
                host.log(LogLevel::Error, "workspace/symbol panicked");
                Error::internal_error()
            });
            let _ = reply.send(found);
        });
    }

    pub(super) fn search_calls(&mut self, item: &CallHierarchyItem, purpose: Purpose, link: Link) {
        let session = &self.session;
        match calls::wanted(item, &session.documents, &*session.host, session.encoding) {
            Some((name, wanted)) => self.searches.ask(Question { name, wanted, purpose, link }, session),
            // The file has changed since the item was made.
            None => purpose.fail(Error::content_modified()),
        }
    }

    pub(super) fn resolve_link(&self, link: DocumentLink, reply: Reply<DocumentLink>) {
        let documents = self.session.documents.clone();
        self.answer_in_job(move |host| {
            let _ = reply.send(Ok(links::resolve(link, &documents, host)));
        });
    }

    pub(super) fn document_state(&mut self, uri: &Uri) -> Option<DocumentState> {
        let path = paths::of_uri(uri);
        let document = self.session.documents.get(&path)?.clone();
        let root = self.roots.of(&path).cloned();
        let configuration = self.configuration(root.as_deref().unwrap_or(&path));
        Some(DocumentState {
            uri: document.uri.clone(),
            version: document.version,
            hash: format!("{:016x}", text_hash(&document.text)),
            length: document.text.len(),
            root: root.and_then(|root| self.session.documents.uri(&root::path_of(&root))),
            configuration: configuration.name.clone(),
        })
    }
}
