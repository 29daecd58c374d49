//! One search under way: what is to be looked at, and what has been found.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_ide::usages::{FunctionPlace, Piece, Place};
use rustc_hash::FxHashSet;
use tower_lsp::ls_types::WorkspaceEdit;

use super::look::{Looked, Sources, Task, Texts, Work};
use super::question::{Purpose, Question, Wanted};
use super::texts::FileTexts;
use crate::documents::{Documents, Loader};
use crate::engine::Analyzer;
use crate::host::{Host, LogLevel};
use crate::positions::Encoding;
use crate::running::{Far, Link};
use crate::session::Session;

/// No search looks at more than this.
const MOST_ANALYSES: usize = 20_000;

pub struct Search {
    pub(super) id: u64,
    pub(super) link: Link,
    /// Looks that have ended.
    done: usize,
    pub name: String,
    pub wanted: Wanted,
    /// As it was when the question was asked.
    pub documents: Documents,
    pub folders: Vec<String>,
    pub encoding: Encoding,
    /// Whether edits may name versions of documents.
    pub document_changes: bool,
    /// Files whose shaders are to be looked at next.
    pub(super) new_files: Vec<Arc<str>>,
    pub(super) files: FxHashSet<Arc<str>>,
    pub(super) roots: FxHashSet<Arc<str>>,
    pub(super) todo: VecDeque<Arc<Work>>,
    /// Configurations that are not in view: their turn comes when it is known where the name is used in those that are.
    pub(super) later: Vec<Arc<Work>>,
    pub(super) running: usize,
    pub pieces: Vec<Piece>,
    /// Uses that need not be looked at again.
    pub(super) known: Arc<FxHashSet<Place>>,
    /// What was looked at.
    pub(super) works: Vec<Arc<Work>>,
    pub calls: Vec<(FunctionPlace, Place)>,
    /// The texts after a rename, which are to be analysed again.
    pub(super) renamed: Option<Texts>,
    pub(super) edit: Option<WorkspaceEdit>,
    pub(super) complaint: Option<(String, Place, String)>,
    /// There was more than is looked at.
    pub incomplete: bool,
}

impl Search {
    pub(super) fn new(id: u64, question: Question, session: &Session) -> (Search, Purpose) {
        let files = match &question.wanted {
            Wanted::Places(places) => places.iter().map(|place| place.path.clone()).collect(),
            Wanted::Builtin(_) => Vec::new(),
        };
        let search = Search {
            id,
            link: question.link,
            done: 0,
            name: question.name,
            wanted: question.wanted,
            documents: session.documents.clone(),
            folders: session.folders.clone(),
            encoding: session.encoding,
            document_changes: session.client.document_changes,
            new_files: files,
            files: FxHashSet::default(),
            roots: FxHashSet::default(),
            todo: VecDeque::new(),
            later: Vec::new(),
            known: Arc::default(),
            running: 0,
            pieces: Vec::new(),
            works: Vec::new(),
            calls: Vec::new(),
            renamed: None,
            edit: None,
            complaint: None,
            incomplete: false,
        };
        (search, question.purpose)
    }

    /// Whether all shaders are to be looked at, and are not known yet.
    pub(super) fn is_everywhere(&self) -> bool {
        matches!(self.wanted, Wanted::Builtin(_)) && self.files.is_empty()
    }

    /// A shader is to be looked at under these configurations.
    pub(super) fn add(&mut self, root: &Arc<str>, configurations: Vec<Arc<Configuration>>) {
        for (index, configuration) in configurations.into_iter().enumerate() {
            if self.size() >= MOST_ANALYSES {
                self.incomplete = true;
                break;
            }
            let work = Arc::new(Work { root: root.clone(), configuration });
            if index == 0 { self.todo.push_back(work) } else { self.later.push(work) }
        }
    }

    /// How many looks at shaders it takes, as far as it is known.
    pub(super) fn size(&self) -> usize {
        self.works.len() + self.todo.len() + self.later.len()
    }

    /// What a job does that looks at a shader.
    pub(super) fn look(
        &mut self,
        work: Arc<Work>,
        purpose: &Purpose,
        analyzer: Arc<Analyzer>,
    ) -> impl FnOnce(&dyn Host) -> (u64, Arc<Work>, Option<Looked>) + Send + use<> {
        self.running += 1;
        let task = self.task(purpose);
        let (id, documents, renamed) = (self.id, self.documents.clone(), self.renamed.clone());
        move |host| {
            let looked = catch_unwind(AssertUnwindSafe(|| {
                let loader = Loader::new(&documents, host, &work.root, &work.configuration);
                task.run(&work, &analyzer, &Sources { loader: &loader, renamed: renamed.as_ref() })
            }));
            let looked = looked.unwrap_or_else(|_| {
                host.log(LogLevel::Error, &format!("a search panicked in {}", work.root));
                None
            });
            (id, work, looked)
        }
    }

    pub(super) fn looked(&mut self, work: Arc<Work>, looked: Option<Looked>) {
        self.running -= 1;
        self.done += 1;
        let all = self.done + self.running + self.todo.len() + self.later.len();
        self.link.tell(Far { done: self.done, all });
        match looked {
            Some(Looked::Piece(piece)) => {
                self.pieces.push(*piece);
                self.works.push(work);
            }
            Some(Looked::Calls(calls)) => self.calls.extend(calls),
            Some(Looked::Verified(Ok(()))) | None => {}
            Some(Looked::Verified(Err((message, place)))) => {
                // One reason is enough.
                self.todo.clear();
                let configuration = work.configuration.name.clone();
                self.complaint.get_or_insert((message, place, configuration));
            }
        }
    }

    fn task(&self, purpose: &Purpose) -> Task {
        let name = self.name.clone();
        match (purpose, &self.wanted) {
            (Purpose::Rename { new_name, .. }, _) if self.renamed.is_some() => {
                Task::Verify { old: name, new: new_name.clone() }
            }
            (Purpose::OutgoingCalls { .. }, Wanted::Places(places)) if !places.is_empty() => {
                Task::Calls(places[0].clone())
            }
            (
                Purpose::Rename { .. }
                | Purpose::References { .. }
                | Purpose::IncomingCalls { .. }
                | Purpose::OutgoingCalls { .. },
                _,
            ) => Task::Piece { name, known: self.known.clone() },
        }
    }

    pub fn texts<'a>(&'a self, host: &'a dyn Host) -> FileTexts<'a> {
        FileTexts::new(&self.documents, host, self.encoding)
    }
}
