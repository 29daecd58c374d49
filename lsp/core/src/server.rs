//! The server's one task: it owns the state, takes events in their order, and never waits for anything but the next one.
//!
//! Work is done in jobs of the host; what they find comes back as events. `schedule` starts jobs, `publishing` and `workspace`
//! hand results to the client.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use coopmat_analysis::config::{Configuration, Stage};
use futures::StreamExt as _;
use futures::channel::mpsc;
use rustc_hash::{FxHashMap, FxHashSet};
use tower_lsp::jsonrpc::Error;
use tower_lsp::ls_types::*;

use crate::background::Pause;
use crate::capabilities;
use crate::client::ClientFeatures;
use crate::contexts::IncludeIndex;
use crate::documents::{Document, Documents, text_hash};
use crate::engine::{Analyzer, Report};
use crate::events::{DocumentState, Event, Events, Outcome};
use crate::features;
use crate::features::workspace_symbols::SymbolIndex;
use crate::host::{Host, LogLevel};
use crate::jobs::Jobs;
use crate::outgoing::Outgoing;
use crate::pages;
use crate::paths;
use crate::positions::Encoding;
use crate::project_files::ProjectReports;
use crate::projects::{self, Projects};
use crate::publishing::Published;
use crate::query::Query;
use crate::refresh::Analysed;
use crate::root;
use crate::search::Searches;
use crate::settings::{self, Settings};
use crate::snapshot::{Snapshot, TextSnapshot};
use crate::spirv::follow::Following;
use crate::spirv::view;
use crate::units::{self, Unit, Units, Waiter, Waiting};
use crate::workspace::Workspace;

/// How long the client's settings are waited for before anything is checked without them.
const SETTINGS_WAIT: Duration = Duration::from_millis(500);

/// The root that a document is checked as part of.
#[derive(Default)]
pub struct Context {
    /// `None` while the workspace is still being searched for files that include it.
    pub root: Option<Arc<str>>,
    /// Candidates that turned out not to include it.
    pub rejected: FxHashSet<Arc<str>>,
    /// A candidate whose configurations are being searched for one that includes it.
    pub seeking: Option<Arc<str>>,
    /// A root pinned to a configuration under which it includes the document, where the one in view does not.
    pub pinned: Option<Arc<str>>,
}

pub struct Server {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) jobs: Jobs,
    pub(crate) events: Events,
    pub(crate) analyzer: Arc<Analyzer>,
    outgoing: mpsc::UnboundedSender<Outgoing>,
    pub(crate) client: ClientFeatures,
    pub(crate) encoding: Encoding,
    pub(crate) settings: Arc<Settings>,
    /// Of `initializationOptions`: what holds where the client's configuration says nothing.
    pub(crate) initial_settings: Arc<Settings>,
    pub(crate) folders: Vec<String>,
    pub(crate) projects: Projects,
    pub(crate) documents: Documents,
    pub(crate) contexts: FxHashMap<Arc<str>, Context>,
    pub(crate) units: Units,
    /// Counts up whenever a unit is needed.
    clock: u64,
    /// Jobs under way that count against the host's parallelism.
    pub(crate) running: usize,
    pub(crate) index: IncludeIndex,
    /// Folders that were searched for shaders; the flag says whether with the folders inside.
    scanned: FxHashSet<(String, bool)>,
    pub(crate) scans_running: usize,
    /// Requests about documents whose root is not known yet.
    parked: Vec<Waiting>,
    pub(crate) published: Published,
    pub(crate) project_reports: ProjectReports,
    /// The client was asked for its settings and has not answered: what would be found without them is not wanted.
    pub(crate) awaiting_settings: bool,
    pub(crate) pause: Pause,
    /// Checks under way of configurations that are not in view.
    pub(crate) background: usize,
    pub(crate) analysed: Analysed,
    pub(crate) workspace: Workspace,
    pub(crate) searches: Searches,
    pub(crate) symbols: Arc<SymbolIndex>,
    pub(crate) following: Following,
}

impl Server {
    pub fn new(host: Arc<dyn Host>, events: Events, outgoing: mpsc::UnboundedSender<Outgoing>) -> Server {
        Server {
            jobs: Jobs::new(host.clone()),
            host,
            events,
            analyzer: Arc::default(),
            outgoing,
            client: ClientFeatures::default(),
            encoding: Encoding::default(),
            settings: Arc::default(),
            initial_settings: Arc::default(),
            folders: Vec::new(),
            projects: Projects::default(),
            documents: Documents::default(),
            contexts: FxHashMap::default(),
            units: Units::default(),
            clock: 0,
            running: 0,
            index: IncludeIndex::default(),
            scanned: FxHashSet::default(),
            scans_running: 0,
            parked: Vec::new(),
            published: Published::default(),
            project_reports: ProjectReports::default(),
            awaiting_settings: false,
            pause: Pause::default(),
            background: 0,
            analysed: Analysed::default(),
            workspace: Workspace::default(),
            searches: Searches::default(),
            symbols: Arc::default(),
            following: Following::default(),
        }
    }

    /// Runs until nobody can send events any more.
    pub async fn run(mut self, mut inbox: mpsc::UnboundedReceiver<Event>) {
        let mut batch = VecDeque::new();
        while let Some(event) = inbox.next().await {
            batch.push_back(event);
            // What has already arrived is taken in before work begins on a text that it may change.
            while let Ok(event) = inbox.try_recv() {
                batch.push_back(event);
            }
            for event in batch.drain(..) {
                self.handle(event);
            }
            self.assign_contexts();
            self.schedule();
            self.publish_project_files();
        }
    }

    pub(crate) fn send(&self, message: Outgoing) {
        // The connection may be gone; then so is the reader of this.
        let _ = self.outgoing.unbounded_send(message);
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Initialize(params, reply) => drop(reply.send(Ok(self.initialize(*params)))),
            Event::Initialized => self.initialized(),
            Event::Opened(document) => self.opened(document),
            Event::Changed(change) => self.changed(change),
            Event::Saved => {
                // Project files are not opened here; without a watch this is when a change of one is noticed.
                if !self.client.watch_files && self.projects.outdated(&*self.host) {
                    self.configurations_changed();
                }
            }
            Event::Closed(uri) => self.closed(&uri),
            Event::FilesChanged(changes) => self.files_changed(changes),
            Event::SettingsSent(value) => self.settings_sent(value),
            Event::SettingsFetched(value) => {
                self.settings_given(value);
                self.settings_settled();
            }
            Event::SettingsDue => self.settings_settled(),
            Event::Sought { header, root, name } => self.sought(&header, root, name),
            Event::Paused(changes) => self.paused(changes),
            Event::OtherChecked { root, generation, index, found } => {
                self.other_checked(&root, generation, index, found);
            }
            Event::Command(params, reply) => drop(reply.send(self.execute(&params))),
            Event::Configurations(params, reply) => drop(reply.send(self.configuration_list(params))),
            Event::SetConfiguration(params, reply) => {
                let answer = self.set_configuration(params);
                if let Some(reply) = reply {
                    drop(reply.send(answer));
                }
            }
            Event::Devices(reply) => drop(reply.send(Ok(self.device_list()))),
            Event::SetDevice(params, reply) => {
                let answer = self.set_device(params);
                if let Some(reply) = reply {
                    drop(reply.send(answer));
                }
            }
            Event::FoldersChanged(change) => self.folders_changed(change),
            Event::Query(query) => {
                let path = Arc::from(paths::of_uri(query.uri()));
                self.ask(Waiting { path, waiter: Waiter::Query(query) });
            }
            Event::TextQuery(query) => self.answer_from_text(query),
            Event::ListingQuery(query) => self.ask_listing(query),
            Event::SpirvSent { uri, channel, listing } => self.spirv_sent(uri, channel, listing),
            Event::SpirvCompared(compared) => self.spirv_compared(*compared),
            Event::Symbols(query, reply) => self.workspace_symbols(query, reply),
            Event::Search(question) => self.search(*question),
            Event::CallSearch(item, purpose) => self.search_calls(&item, purpose),
            Event::Looked(id, work, looked) => self.looked(id, work, looked),
            Event::SearchOn(search, purpose) => self.continue_search(search, purpose),
            Event::ResolveLink(link, reply) => {
                let (documents, host) = (self.documents.clone(), self.host.clone());
                self.jobs.spawn(move || {
                    let _ = reply.send(Ok(features::links::resolve(*link, &documents, &*host)));
                });
            }
            Event::Diagnostic(params, reply) => {
                let path: Arc<str> = paths::of_uri(&params.text_document.uri).into();
                if let Some(report) = self.project_file_report(&path) {
                    return drop(reply.send(Ok(report)));
                }
                let waiter = Waiter::Diagnostic { previous: params.previous_result_id, reply };
                self.ask(Waiting { path, waiter });
            }
            Event::WorkspaceDiagnostic(params, reply) => self.workspace_diagnostic(params, reply),
            Event::State(uri, reply) => drop(reply.send(Ok(self.document_state(&uri)))),
            Event::Checked { root, configuration, outcome } => self.checked(&root, configuration, outcome),
            Event::Scanned(found) => {
                self.scans_running -= 1;
                for includes in found {
                    self.index.set(includes);
                }
            }
            Event::Listed(paths) => self.listed(paths),
            Event::ClosedChecked(path, check) => self.closed_checked(path, check),
        }
    }

    fn initialize(&mut self, params: InitializeParams) -> InitializeResult {
        let general = params.capabilities.general.as_ref();
        self.encoding =
            Encoding::negotiate(general.and_then(|general| general.position_encodings.as_deref()));
        self.client = ClientFeatures::of(&params.capabilities);
        self.folders = match params.workspace_folders {
            Some(folders) => folders.iter().map(|folder| paths::of_uri(&folder.uri)).collect(),
            #[expect(deprecated, reason = "older clients send nothing else")]
            None => params.root_uri.iter().map(paths::of_uri).collect(),
        };
        for folder in &mut self.folders {
            folder.truncate(folder.trim_end_matches('/').len());
        }
        if let Some(options) = params.initialization_options {
            self.settings_given(options);
            self.initial_settings = self.settings.clone();
        }
        InitializeResult {
            capabilities: capabilities::server(self.encoding, &self.client),
            server_info: Some(ServerInfo {
                name: "coopmat-analyzer".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
            offset_encoding: None,
        }
    }

    fn initialized(&mut self) {
        let mut registrations = Vec::new();
        if self.client.watch_files {
            let watchers = projects::WATCHED
                .iter()
                .map(|glob| FileSystemWatcher {
                    glob_pattern: GlobPattern::String((*glob).to_owned()),
                    kind: None,
                })
                .collect();
            registrations.push(Registration {
                id: "files".to_owned(),
                method: "workspace/didChangeWatchedFiles".to_owned(),
                register_options: serde_json::to_value(DidChangeWatchedFilesRegistrationOptions { watchers })
                    .ok(),
            });
        }
        if self.client.register_settings {
            registrations.push(Registration {
                id: "settings".to_owned(),
                method: "workspace/didChangeConfiguration".to_owned(),
                register_options: Some(serde_json::json!({ "section": settings::SECTION })),
            });
        }
        if !registrations.is_empty() {
            self.send(Outgoing::Register(registrations));
        }
        if self.client.fetch_settings {
            self.send(Outgoing::FetchSettings);
            self.awaiting_settings = true;
            let events = self.events.clone();
            let tell = move || drop(events.unbounded_send(Event::SettingsDue));
            self.host.later(SETTINGS_WAIT, Box::new(tell));
        } else {
            self.scan_folders();
        }
    }

    pub(crate) fn scan_folders(&mut self) {
        for folder in self.folders.clone() {
            self.scan(folder, true);
        }
    }

    // Documents.

    fn opened(&mut self, item: TextDocumentItem) {
        // Virtual documents are texts of the server's own.
        if item.uri.scheme().as_str() == pages::SCHEME || view::is_virtual(&item.uri) {
            return;
        }
        let path: Arc<str> = paths::of_uri(&item.uri).into();
        if projects::is_project_file(&path) {
            // Some clients hand it to us for its diagnostics. It is no shader, and what is saved of it counts.
            return;
        }
        if Stage::of_path(&path).is_none()
            && !self.folders.iter().any(|folder| paths::is_inside(&path, folder))
            && let Some(folder) = paths::parent(&path)
        {
            // A header from outside the workspace: who includes it is probably beside it.
            self.scan(folder.to_owned(), false);
        }
        self.projects.prefer_for_itself(&path);
        self.documents.insert(Document::new(item.uri, path.clone(), item.version, item.text));
        self.contexts.insert(path.clone(), Context::default());
        self.text_changed(&path);
    }

    fn changed(&mut self, change: DidChangeTextDocumentParams) {
        if view::is_virtual(&change.text_document.uri) {
            // The client takes over the text that it was sent.
            return;
        }
        let path = paths::of_uri(&change.text_document.uri);
        let Some(document) = self.documents.get(&path) else {
            if projects::is_project_file(&path) {
                return;
            }
            return self.host.log(LogLevel::Error, &format!("a change of {path}, which is not open"));
        };
        let changed = document.changed(change.text_document.version, change.content_changes, self.encoding);
        let path = changed.path.clone();
        self.documents.insert(changed);
        self.text_changed(&path);
    }

    fn closed(&mut self, uri: &Uri) {
        if view::is_virtual(uri) {
            return self.spirv_closed(uri);
        }
        let path = paths::of_uri(uri);
        self.shader_closed(&path);
        let Some(document) = self.documents.remove(&path) else { return };
        self.contexts.remove(&document.path);
        self.analysed.forget(&document.path);
        self.pause.closed = true;
        // The file on disk may include what the closed text did not.
        for context in self.contexts.values_mut() {
            context.rejected.clear();
        }
        self.text_changed(&document.path);
        self.unpublish(&document);
    }

    /// The text that stands for a path is another one now.
    fn text_changed(&mut self, path: &Arc<str>) {
        units::file_changed(&mut self.units, path);
        self.not_idle();
        let clock = self.tick();
        let root = self.contexts.get(path).and_then(|context| context.root.clone());
        if let Some(unit) = root.and_then(|root| self.units.get_mut(&root)) {
            unit.touched = clock;
        }
        // Positions in these requests count in a text that is gone.
        let outdated = |waiting: &mut Waiting| waiting.path == *path && waiting.waiter.bound_to_text();
        let mut gone: Vec<Waiting> = self.parked.extract_if(.., outdated).collect();
        for unit in self.units.values_mut() {
            gone.extend(unit.waiting.extract_if(.., outdated));
        }
        for waiting in gone {
            waiting.waiter.fail(Error::content_modified());
        }
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    fn files_changed(&mut self, changes: Vec<FileEvent>) {
        for change in changes {
            let path: Arc<str> = paths::of_uri(&change.uri).into();
            if self.projects.reads(&path) {
                self.configurations_changed();
                continue;
            }
            // An open document stands before the file.
            if self.documents.get(&path).is_none() {
                units::file_changed(&mut self.units, &path);
            }
            for context in self.contexts.values_mut() {
                context.rejected.clear();
            }
            if change.typ == FileChangeType::DELETED {
                self.index.remove(&path);
            } else {
                self.scan_files(vec![path.to_string()]);
            }
        }
    }

    // Roots.

    /// Searches a folder for include lines.
    pub(crate) fn scan(&mut self, folder: String, deep: bool) {
        if folder.is_empty() || !self.scanned.insert((folder.clone(), deep)) {
            return;
        }
        let host = self.host.clone();
        self.scan_with(move || host.shaders_under(&folder, deep));
    }

    fn scan_files(&mut self, files: Vec<String>) {
        self.scan_with(move || files);
    }

    fn scan_with(&mut self, list: impl FnOnce() -> Vec<String> + Send + 'static) {
        self.scans_running += 1;
        let (host, events) = (self.host.clone(), self.events.clone());
        let include_dirs = self.configuration(self.folders.first().cloned().unwrap_or_default().as_str());
        self.jobs.spawn(move || {
            let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                projects::find_includes(list(), &include_dirs.include_dirs, &*host)
            }));
            let _ = events.unbounded_send(Event::Scanned(found.unwrap_or_default()));
        });
    }

    /// Gives each open document its root. A root whose analysis is there already is judged at once.
    fn assign_contexts(&mut self) {
        // Each round rejects a candidate or starts a search; the number is for safety.
        const ROUNDS: usize = 16;
        for _ in 0..ROUNDS {
            self.assign_contexts_once();
            let wrong = self.contexts.iter().filter_map(|(path, context)| {
                let root = context.root.as_ref().filter(|root| *root != path)?;
                let unit = self.units.get(root)?;
                (unit.fresh() && !unit.contains(path)).then(|| root.clone())
            });
            let wrong: FxHashSet<Arc<str>> = wrong.collect();
            if wrong.is_empty() {
                return;
            }
            wrong.iter().for_each(|root| self.judge_root(root));
        }
    }

    /// Each root gets its unit, too.
    fn assign_contexts_once(&mut self) {
        let paths: Vec<_> = self.contexts.keys().cloned().collect();
        for path in &paths {
            let root = self.choose_root(path);
            let Some(context) = self.contexts.get_mut(path) else { continue };
            if context.root != root {
                context.root = root.clone();
            }
            if let Some(root) = root
                && !self.units.contains_key(&root)
            {
                let clock = self.tick();
                self.units.insert(root, Unit::new(clock));
            }
        }
        let needed: FxHashSet<_> =
            self.contexts.values().filter_map(|context| context.root.clone()).collect();
        let mut homeless = std::mem::take(&mut self.parked);
        self.units.retain(|root, unit| {
            if needed.contains(root) {
                return true;
            }
            homeless.append(&mut unit.waiting);
            unit.running
        });
        for waiting in homeless {
            self.ask(waiting);
        }
    }

    fn choose_root(&mut self, path: &Arc<str>) -> Option<Arc<str>> {
        if Stage::of_path(path).is_some() || self.configuration(path).stage.is_some() {
            return Some(path.clone());
        }
        let context = self.contexts.get(path)?;
        if context.seeking.is_some() {
            return None;
        }
        let open_and_contains = |root: &Arc<str>, unit: &Unit| {
            root != path && self.documents.get(root).is_some() && unit.contains(path)
        };
        if let Some(root) = &context.root
            && self.units.get(root).is_some_and(|unit| open_and_contains(root, unit))
        {
            return Some(root.clone());
        }
        let open = self.units.iter().filter(|(root, unit)| open_and_contains(root, unit));
        if let Some((root, _)) = open.max_by_key(|(root, unit)| (unit.touched, (*root).clone())) {
            return Some(root.clone());
        }
        if let Some(pinned) = &context.pinned {
            return Some(pinned.clone());
        }
        if let Some(root) = &context.root
            && self.units.get(root).is_some_and(|unit| unit.contains(path))
            && root != path
        {
            return Some(root.clone());
        }
        if self.scans_running > 0 || self.awaiting_settings {
            return context.root.clone();
        }
        // Not every candidate is tried: one that includes a header only under macros is often one of many.
        const TRIES: usize = 8;
        if context.rejected.len() < TRIES {
            let candidates = self.index.roots_of(path);
            if let Some(root) = candidates.into_iter().find(|root| !context.rejected.contains(root)) {
                return Some(root);
            }
        }
        Some(path.clone())
    }

    // Requests.

    /// Answers now, or as soon as there is an analysis of the current text.
    pub(crate) fn ask(&mut self, waiting: Waiting) {
        if waiting.waiter.cancelled() {
            return;
        }
        let Some(context) = self.contexts.get(&waiting.path) else {
            return match waiting.waiter {
                // Clients ask about what they have just closed.
                Waiter::Diagnostic { previous, reply } => {
                    let report = self.closed_report(&waiting.path, previous);
                    drop(reply.send(Ok(report)));
                }
                Waiter::Query(query) => query.absent(),
            };
        };
        match context.root.as_ref().and_then(|root| self.units.get_mut(root)) {
            None => self.parked.push(waiting),
            Some(unit) if unit.fresh() => self.answer(waiting),
            Some(unit) => unit.waiting.push(waiting),
        }
    }

    /// Answers at once, from the document as it is now.
    fn answer_from_text(&self, query: Box<dyn Query<TextSnapshot>>) {
        let Some(document) = self.documents.get(&paths::of_uri(query.uri())).cloned() else {
            return query.absent();
        };
        let (settings, client) = (self.settings.clone(), self.client);
        let (encoding, host) = (self.encoding, self.host.clone());
        let snapshot = TextSnapshot { document, encoding, settings, client, host };
        self.jobs.spawn(move || query.answer(&snapshot));
    }

    /// Answers from the unit of the document's root, which is fresh.
    fn answer(&mut self, waiting: Waiting) {
        let Some(document) = self.documents.get(&waiting.path).cloned() else {
            return waiting.waiter.fail(Error::content_modified());
        };
        let root = self.contexts.get(&waiting.path).and_then(|context| context.root.clone());
        let Some(unit) = root.as_ref().and_then(|root| self.units.get(root)) else { return };
        let query = match waiting.waiter {
            Waiter::Query(query) => query,
            Waiter::Diagnostic { previous, reply } => {
                let report = self.document_report(&document, previous);
                return drop(reply.send(Ok(report)));
            }
        };
        let Some(checked) = unit.checked.as_ref().filter(|_| !unit.failed) else {
            return query.fail(Error::internal_error());
        };
        let (checked, good) = (checked.clone(), unit.good.clone());
        let analysis = checked.analysis.clone();
        let Some(file) = analysis.files().find(&waiting.path) else {
            return query.fail(Error::content_modified());
        };
        let (settings, client) = (self.settings.clone(), self.client);
        let (documents, encoding) = (self.documents.clone(), self.encoding);
        let host = self.host.clone();
        let summaries = root.as_ref().and_then(|root| self.spirv_summaries(&root::path_of(root)));
        let snapshot = Snapshot {
            analysis,
            checked,
            good,
            summaries,
            file,
            document,
            documents,
            host,
            folders: self.folders.clone(),
            encoding,
            settings,
            client,
        };
        self.jobs.spawn(move || query.answer(&snapshot));
    }

    // Analyses.

    fn checked(&mut self, root: &Arc<str>, configuration: Arc<Configuration>, outcome: Outcome) {
        self.running -= 1;
        let Some(unit) = self.units.get_mut(root) else { return };
        unit.running = false;
        let before = unit.configuration.replace(configuration);
        if before != unit.configuration {
            unit.good = None;
        }
        unit.failed = !matches!(outcome, Outcome::Done(_));
        if let Outcome::Done(checked) = outcome {
            let last = unit.checked.replace(Arc::from(checked));
            let last = last.filter(|_| before == unit.configuration);
            unit.keep_good(last);
        }
        let changed = std::mem::take(&mut unit.changed_meanwhile);
        if changed.iter().any(|path| unit.reads(path)) {
            unit.stale = true;
        }
        self.judge_root(root);
        self.assign_contexts();
        let Some(unit) = self.units.get_mut(root) else { return };
        if unit.fresh() {
            let waiting = std::mem::take(&mut unit.waiting);
            self.restart_others(root);
            self.hint_at_import(root);
            self.publish();
            self.refresh_reading(root);
            for waiting in waiting {
                self.ask(waiting);
            }
        }
    }

    /// What is reported about an open document, if that is known for its current text.
    pub(crate) fn current_report(&self, path: &Arc<str>) -> Option<Option<Arc<Report>>> {
        let root = self.contexts.get(path)?.root.as_ref()?;
        let unit = self.units.get(root).filter(|unit| unit.fresh())?;
        if unit.failed {
            return Some(None);
        }
        if !unit.contains(path) {
            return None;
        }
        Some(unit.report(path).cloned())
    }

    fn document_state(&mut self, uri: &Uri) -> Option<DocumentState> {
        let path = paths::of_uri(uri);
        let document = self.documents.get(&path)?.clone();
        let root = self.contexts.get(&*path).and_then(|context| context.root.clone());
        let configuration = self.configuration(root.as_deref().unwrap_or(&path));
        Some(DocumentState {
            uri: document.uri.clone(),
            version: document.version,
            hash: format!("{:016x}", text_hash(&document.text)),
            length: document.text.len(),
            root: root.and_then(|root| self.documents.uri(&root::path_of(&root))),
            configuration: configuration.name.clone(),
        })
    }
}
