//! Questions that one analysis cannot answer: uses of a name in every shader that includes a header, open or not, under all
//! configurations that the project gives it.
//!
//! A search looks at shaders one job each, between the analyses of what is being edited. What it finds may reach into files
//! that other shaders include; those are looked at next, until nothing new comes. A rename is then tried on copies of the
//! texts before it is answered.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use coopmat_analysis::config::{Configuration, Stage};
use coopmat_analysis::sources::FileLoader;
use coopmat_analysis::text::TextRange;
use coopmat_ide::rename::{self, Digest};
use coopmat_ide::usages::{self, Closure, FunctionPlace, Piece, Place};
use rustc_hash::{FxHashMap, FxHashSet};
use tower_lsp::jsonrpc::Error;
use tower_lsp::ls_types::*;

use crate::documents::{Documents, Loader};
use crate::engine::{Analysis, Analyzer};
use crate::events::{Event, Events};
use crate::features::{calls, references, renaming, workspace_symbols};
use crate::host::{Host, LogLevel};
use crate::positions::{Encoding, LineTable};
use crate::query::{Reply, request_failed};
use crate::root;
use crate::server::Server;

/// No search looks at more than this.
const MOST_ANALYSES: usize = 20_000;

/// What is looked for.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// What stands at these places.
    Places(Vec<Place>),
    /// What the language brings along, in the words of `usages::builtin_words`: all shaders are looked at.
    Builtin(&'static str),
}

/// What is done with it.
pub enum Purpose {
    References { declarations: bool, reply: Reply<Option<Vec<Location>>> },
    Rename { new_name: String, reply: Reply<Option<WorkspaceEdit>> },
    IncomingCalls { reply: Reply<Option<Vec<CallHierarchyIncomingCall>>> },
    OutgoingCalls { reply: Reply<Option<Vec<CallHierarchyOutgoingCall>>> },
}

impl Purpose {
    fn cancelled(&self) -> bool {
        match self {
            Purpose::References { reply, .. } => reply.is_canceled(),
            Purpose::Rename { reply, .. } => reply.is_canceled(),
            Purpose::IncomingCalls { reply } => reply.is_canceled(),
            Purpose::OutgoingCalls { reply } => reply.is_canceled(),
        }
    }

    fn fail(self, error: Error) {
        match self {
            Purpose::References { reply, .. } => drop(reply.send(Err(error))),
            Purpose::Rename { reply, .. } => drop(reply.send(Err(error))),
            Purpose::IncomingCalls { reply } => drop(reply.send(Err(error))),
            Purpose::OutgoingCalls { reply } => drop(reply.send(Err(error))),
        }
    }
}

/// A shader under one configuration.
pub struct Work {
    pub root: Arc<str>,
    pub configuration: Arc<Configuration>,
}

/// What a job brings back.
pub enum Looked {
    Piece(Box<Piece>),
    Calls(Vec<(FunctionPlace, Place)>),
    /// Why the renamed text would be another program, and where that shows.
    Verified(Result<(), (String, Place)>),
}

pub type Texts = Arc<FxHashMap<Arc<str>, Arc<str>>>;

pub struct Search {
    id: u64,
    pub name: String,
    pub wanted: Wanted,
    /// As it was when the question was asked.
    pub documents: Documents,
    pub folders: Vec<String>,
    pub encoding: Encoding,
    /// Whether edits may name versions of documents.
    pub document_changes: bool,
    /// Files whose shaders are to be looked at next.
    new_files: Vec<Arc<str>>,
    files: FxHashSet<Arc<str>>,
    roots: FxHashSet<Arc<str>>,
    todo: VecDeque<Arc<Work>>,
    /// Configurations that are not in view: their turn comes when it is known where the name is used in those that are.
    later: Vec<Arc<Work>>,
    running: usize,
    pub pieces: Vec<Piece>,
    /// Uses that need not be looked at again.
    known: Arc<FxHashSet<Place>>,
    /// What was looked at.
    works: Vec<Arc<Work>>,
    pub calls: Vec<(FunctionPlace, Place)>,
    /// The texts after a rename, which are to be analysed again.
    renamed: Option<Texts>,
    edit: Option<WorkspaceEdit>,
    complaint: Option<(String, Place, String)>,
    /// There was more than is looked at.
    pub incomplete: bool,
}

/// A question as the client asks it.
pub struct Question {
    pub name: String,
    pub wanted: Wanted,
    pub purpose: Purpose,
}

#[derive(Default)]
pub struct Searches {
    next: u64,
    active: VecDeque<(Box<Search>, Purpose)>,
}

impl Server {
    pub(crate) fn search(&mut self, question: Question) {
        let id = self.searches.next;
        self.searches.next += 1;
        let files = match &question.wanted {
            Wanted::Places(places) => places.iter().map(|place| place.path.clone()).collect(),
            Wanted::Builtin(_) => Vec::new(),
        };
        let search = Search {
            id,
            name: question.name,
            wanted: question.wanted,
            documents: self.documents.clone(),
            folders: self.folders.clone(),
            encoding: self.encoding,
            document_changes: self.client.document_changes,
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
        self.continue_search(Box::new(search), question.purpose);
    }

    pub(crate) fn search_calls(&mut self, item: &CallHierarchyItem, purpose: Purpose) {
        match calls::wanted(item, &self.documents, &*self.host, self.encoding) {
            Some((name, wanted)) => self.search(Question { name, wanted, purpose }),
            // The file has changed since the item was made.
            None => purpose.fail(Error::content_modified()),
        }
    }

    pub(crate) fn workspace_symbols(&mut self, query: String, reply: Reply<Option<WorkspaceSymbolResponse>>) {
        let (index, folders, documents) =
            (self.symbols.clone(), self.folders.clone(), self.documents.clone());
        let (host, encoding) = (self.host.clone(), self.encoding);
        self.jobs.spawn(move || {
            let found = catch_unwind(AssertUnwindSafe(|| {
                workspace_symbols::symbols(&query, &index, &folders, &documents, &*host, encoding)
            }));
            let found = found.map(Some).map_err(|_| {
                host.log(LogLevel::Error, "workspace/symbol panicked");
                Error::internal_error()
            });
            let _ = reply.send(found);
        });
    }

    pub(crate) fn continue_search(&mut self, search: Box<Search>, purpose: Purpose) {
        self.searches.active.push_back((search, purpose));
    }

    /// Starts the next job of a search; `false` when there is none.
    pub(crate) fn start_search(&mut self) -> bool {
        // Which shaders include what is not known before.
        if self.scans_running > 0 {
            return false;
        }
        self.searches.active.retain(|(search, purpose)| search.running > 0 || !purpose.cancelled());
        for index in 0..self.searches.active.len() {
            self.gather(index);
            let Some((search, purpose)) = self.searches.active.get_mut(index) else { continue };
            if purpose.cancelled() {
                search.todo.clear();
            }
            if let Some(work) = search.todo.pop_front() {
                search.running += 1;
                let task = search.task(purpose);
                self.start_look(index, work, task);
                return true;
            }
            if search.running == 0
                && let Some((search, purpose)) = self.searches.active.remove(index)
            {
                self.plan(search, purpose);
                return true;
            }
        }
        false
    }

    /// Turns files into the shaders that include them.
    fn gather(&mut self, index: usize) {
        let Some((search, _)) = self.searches.active.get_mut(index) else { return };
        let files = std::mem::take(&mut search.new_files);
        let everywhere = matches!(search.wanted, Wanted::Builtin(_)) && search.files.is_empty();
        if files.is_empty() && !everywhere {
            return;
        }
        let mut roots: Vec<Arc<str>> = Vec::new();
        if everywhere {
            search.files.insert(Arc::from(""));
            roots = self.index.shaders();
            let open = self.contexts.values().filter_map(|context| context.root.as_ref().map(root::path_of));
            roots.extend(open);
        }
        for file in files {
            if let Some((search, _)) = self.searches.active.get_mut(index)
                && search.files.insert(file.clone())
            {
                roots.extend(self.roots_with(&file));
            }
        }
        for root in roots {
            let fresh = self
                .searches
                .active
                .get_mut(index)
                .is_some_and(|(search, _)| search.roots.insert(root.clone()));
            if !fresh {
                continue;
            }
            let configurations = match everywhere {
                true => vec![self.configuration(&root)],
                false => self.variants(&root).list.clone(),
            };
            let Some((search, _)) = self.searches.active.get_mut(index) else { return };
            for (index, configuration) in configurations.into_iter().enumerate() {
                if search.works.len() + search.todo.len() + search.later.len() >= MOST_ANALYSES {
                    search.incomplete = true;
                    break;
                }
                let work = Arc::new(Work { root: root.clone(), configuration });
                if index == 0 { search.todo.push_back(work) } else { search.later.push(work) }
            }
        }
    }

    /// The shaders that a file is part of.
    fn roots_with(&mut self, file: &Arc<str>) -> Vec<Arc<str>> {
        let mut roots = Vec::new();
        roots.extend(self.contexts.get(file).and_then(|context| context.root.as_ref().map(root::path_of)));
        let is_shader = Stage::of_path(file).is_some() || self.configuration(file).stage.is_some();
        if is_shader {
            roots.push(file.clone());
        }
        roots.extend(self.index.roots_of(file));
        if roots.is_empty() {
            roots.push(file.clone());
        }
        roots
    }

    fn start_look(&mut self, index: usize, work: Arc<Work>, task: Task) {
        let Some((search, _)) = self.searches.active.get(index) else { return };
        let (id, documents, renamed) = (search.id, search.documents.clone(), search.renamed.clone());
        self.running += 1;
        let (host, events, analyzer) = (self.host.clone(), self.events.clone(), self.analyzer.clone());
        self.jobs.spawn(move || {
            let looked = catch_unwind(AssertUnwindSafe(|| {
                let loader = Loader::new(&documents, &*host, &work.root, &work.configuration);
                task.run(&work, &analyzer, &Sources { loader: &loader, renamed: renamed.as_ref() })
            }));
            let looked = looked.unwrap_or_else(|_| {
                host.log(LogLevel::Error, &format!("a search panicked in {}", work.root));
                None
            });
            let _ = events.unbounded_send(Event::Looked(id, work, looked));
        });
    }

    pub(crate) fn looked(&mut self, id: u64, work: Arc<Work>, looked: Option<Looked>) {
        self.running -= 1;
        let found = self.searches.active.iter_mut().find(|(search, _)| search.id == id);
        let Some((search, _)) = found else { return };
        search.running -= 1;
        match looked {
            Some(Looked::Piece(piece)) => {
                search.pieces.push(*piece);
                search.works.push(work);
            }
            Some(Looked::Calls(calls)) => search.calls.extend(calls),
            Some(Looked::Verified(Ok(()))) | None => {}
            Some(Looked::Verified(Err((message, place)))) => {
                // One reason is enough.
                search.todo.clear();
                let configuration = work.configuration.name.clone();
                search.complaint.get_or_insert((message, place, configuration));
            }
        }
    }

    /// Draws the conclusions of what was found, in a job of its own.
    fn plan(&mut self, search: Box<Search>, purpose: Purpose) {
        let (host, events) = (self.host.clone(), self.events.clone());
        self.jobs.spawn(move || {
            if !purpose.cancelled() {
                conclude(search, purpose, &*host, &events);
            }
        });
    }
}

enum Task {
    Piece { name: String, known: Arc<FxHashSet<Place>> },
    Calls(Place),
    Verify { old: String, new: String },
}

impl Search {
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
}

impl Task {
    /// `None` when there is no such file.
    fn run(&self, work: &Work, analyzer: &Analyzer, sources: &Sources<'_>) -> Option<Looked> {
        let preprocessed = preprocess(work, analyzer, sources)?;
        Some(match self {
            Task::Piece { name, known } => {
                let settled = !known.is_empty() && usages::is_settled(&preprocessed, name, known);
                let analysis = if settled { preprocessed } else { analyzer.complete(preprocessed) };
                Looked::Piece(Box::new(Piece::of(&analysis, name)))
            }
            Task::Calls(place) => Looked::Calls(usages::calls_from(&analyzer.complete(preprocessed), place)),
            Task::Verify { old, new } => {
                let before = preprocess(work, analyzer, &Sources { renamed: None, ..*sources })?;
                if rename::is_same_program(&before, &preprocessed, old, new) {
                    return Some(Looked::Verified(Ok(())));
                }
                let (before, after) = (analyzer.complete(before), analyzer.complete(preprocessed));
                Looked::Verified(match Digest::of(&before, old, new) == Digest::of(&after, old, new) {
                    true => Ok(()),
                    false => Err(rename::explain(&before, &after, old, new)),
                })
            }
        })
    }
}

fn preprocess(work: &Work, analyzer: &Analyzer, sources: &Sources<'_>) -> Option<Analysis> {
    let text = sources.load(&work.root)?;
    Some(analyzer.preprocess(&work.root, text, &work.configuration, sources))
}

/// The files as they are, or as they would be.
#[derive(Clone, Copy)]
struct Sources<'a> {
    loader: &'a Loader<'a>,
    renamed: Option<&'a Texts>,
}

impl FileLoader for Sources<'_> {
    fn load(&self, path: &str) -> Option<Arc<str>> {
        match self.renamed.and_then(|renamed| renamed.get(path)) {
            Some(text) => Some(text.clone()),
            None => self.loader.load(path),
        }
    }

    fn refusal(&self, path: &str) -> Option<String> {
        self.loader.refusal(path)
    }
}

/// Answers, or sends the search back for more.
fn conclude(mut search: Box<Search>, purpose: Purpose, host: &dyn Host, events: &Events) {
    if let Purpose::OutgoingCalls { reply } = purpose {
        let _ = reply.send(Ok(Some(calls::outgoing(&search, host))));
        return;
    }
    if search.renamed.is_some() {
        let Purpose::Rename { new_name, reply, .. } = purpose else { return };
        let _ = reply.send(match search.complaint.take() {
            None => Ok(search.edit.take()),
            Some((message, place, configuration)) => Err(request_failed(format!(
                "`{}` cannot be called `{new_name}`: {message} ({}, configuration `{configuration}`)",
                search.name,
                search.texts(host).line(&place),
            ))),
        });
        return;
    }
    let is_rename = matches!(purpose, Purpose::Rename { .. });
    let mut closure = match &search.wanted {
        Wanted::Builtin(words) => Closure::of_builtin(&search.pieces, words),
        Wanted::Places(places) if is_rename => Closure::of_name(&search.pieces, places),
        Wanted::Places(places) => Closure::of_declarations(&search.pieces, places),
    };
    if let Wanted::Places(places) = &search.wanted
        && closure.uses.is_empty()
        && search.later.is_empty()
    {
        closure = Closure::of_loose(&search.pieces, places);
    }
    let new: Vec<_> = closure.paths().into_iter().filter(|path| !search.files.contains(path)).collect();
    if !new.is_empty() && matches!(search.wanted, Wanted::Places(_)) {
        search.new_files = new;
        let _ = events.unbounded_send(Event::SearchOn(search, purpose));
        return;
    }
    if !search.later.is_empty() {
        search.known = Arc::new(known(&search.wanted, &closure, is_rename));
        search.todo = std::mem::take(&mut search.later).into();
        let _ = events.unbounded_send(Event::SearchOn(search, purpose));
        return;
    }
    match purpose {
        Purpose::References { declarations, reply } => {
            let found = references::locations(&search, &closure, declarations, host);
            let _ = reply.send(Ok(Some(found)));
        }
        Purpose::IncomingCalls { reply } => {
            let _ = reply.send(Ok(Some(calls::incoming(&search, &closure, host))));
        }
        Purpose::Rename { new_name, reply } => match renaming::plan(&search, &closure, &new_name, host) {
            Ok(plan) => {
                search.renamed = Some(Arc::new(plan.texts));
                search.edit = Some(plan.edit);
                search.todo = std::mem::take(&mut search.works).into();
                search.pieces = Vec::new();
                let _ = events.unbounded_send(Event::SearchOn(search, Purpose::Rename { new_name, reply }));
            }
            Err(message) => drop(reply.send(Err(request_failed(message)))),
        },
        Purpose::OutgoingCalls { .. } => {}
    }
}

/// The uses behind which nothing new is found. What is asked about may be declared elsewhere in another configuration, unless it
/// is a declaration; for a rename that declaration belongs to the rest anyway, by the place that both share.
fn known(wanted: &Wanted, closure: &Closure, is_rename: bool) -> FxHashSet<Place> {
    let Wanted::Places(seeds) = wanted else { return FxHashSet::default() };
    let uses = closure.uses.iter();
    let known = uses.filter(|(place, role)| is_rename || role.declares() || !seeds.contains(*place));
    known.map(|(place, _)| place.clone()).collect()
}

impl Search {
    pub fn texts<'a>(&'a self, host: &'a dyn Host) -> FileTexts<'a> {
        FileTexts::new(&self.documents, host, self.encoding)
    }
}

/// Turns places into the client's terms.
pub struct FileTexts<'a> {
    pub documents: &'a Documents,
    host: &'a dyn Host,
    encoding: Encoding,
    tables: FxHashMap<Arc<str>, Option<(Arc<str>, LineTable)>>,
}

impl<'a> FileTexts<'a> {
    pub fn new(documents: &'a Documents, host: &'a dyn Host, encoding: Encoding) -> FileTexts<'a> {
        FileTexts { documents, host, encoding, tables: FxHashMap::default() }
    }

    fn table(&mut self, path: &Arc<str>) -> Option<&(Arc<str>, LineTable)> {
        let (documents, host) = (self.documents, self.host);
        let load = || {
            let text = match documents.get(path) {
                Some(document) => document.text.clone(),
                None => host.read(path)?,
            };
            let table = LineTable::new(&text);
            Some((text, table))
        };
        self.tables.entry(path.clone()).or_insert_with(load).as_ref()
    }

    pub fn text(&mut self, path: &Arc<str>) -> Option<Arc<str>> {
        self.table(path).map(|(text, _)| text.clone())
    }

    pub fn range(&mut self, place: &Place) -> Option<Range> {
        let encoding = self.encoding;
        let (text, table) = self.table(&place.path)?;
        Some(table.range(text, place.range, encoding))
    }

    pub fn location(&mut self, place: &Place) -> Option<Location> {
        let uri = self.documents.uri(&place.path)?;
        Some(Location { uri, range: self.range(place)? })
    }

    /// The place of a position.
    pub fn place(&mut self, path: &Arc<str>, range: Range) -> Option<Place> {
        let encoding = self.encoding;
        let (text, table) = self.table(path)?;
        let at = |position| table.text_size(text, position, encoding);
        let (start, end) = (at(range.start), at(range.end));
        Some(Place { path: path.clone(), range: TextRange::new(start, end.max(start)) })
    }

    /// `file.glsl:12`, for messages.
    pub fn line(&mut self, place: &Place) -> String {
        let line = self.range(place).map_or(0, |range| range.start.line + 1);
        format!("{}:{line}", place.path.rsplit('/').next().unwrap_or_default())
    }
}
