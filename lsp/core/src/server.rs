//! The server's one task: it takes events in their order, hands each to the part that owns the state, carries out the effects that come
//! back, and never waits for anything but the next event.
//!
//! | module | does |
//! |---|---|
//! | `documents` | what follows from opened, edited and closed documents, and from changed files |
//! | `roots` | gives documents their roots, takes analyses in |
//! | `answers` | requests about documents: answered now, or when there is an analysis of the current text |
//! | `configurations` | settings, project files and folders |
//! | `choosing` | what the user chooses |
//! | `schedule` | which work goes next |

mod answers;
mod choosing;
mod configurations;
mod documents;
mod roots;
mod schedule;

use std::collections::VecDeque;
use std::sync::Arc;

use futures::StreamExt as _;
use futures::channel::mpsc;
use tower_lsp::ls_types::*;

use crate::background::Background;
use crate::capabilities;
use crate::client::ClientFeatures;
use crate::compiling::Compiling;
use crate::configuring::Configuring;
use crate::effects::{Effect, Work};
use crate::events::{Event, Events};
use crate::features::workspace_symbols::SymbolIndex;
use crate::host::Host;
use crate::in_view::{self, InView};
use crate::jobs::Jobs;
use crate::outgoing::Outgoing;
use crate::paths;
use crate::positions::Encoding;
use crate::project_files::ProjectReports;
use crate::projects::{self, Projects};
use crate::publishing::Publishing;
use crate::query::Reply;
use crate::reported::Reported;
use crate::roots::Roots;
use crate::search::Searches;
use crate::session::Session;
use crate::settings;
use crate::spirv::follow::Following;
use crate::units::{Units, Waiter, Waiting};
use crate::workspace::Workspace;

pub struct Server {
    session: Session,
    jobs: Jobs,
    events: Events,
    outgoing: mpsc::UnboundedSender<Outgoing>,
    /// Jobs under way that count against the host's parallelism.
    running: usize,
    configuring: Configuring,
    projects: Projects,
    project_reports: ProjectReports,
    roots: Roots,
    units: Units,
    background: Background,
    compiling: Compiling,
    publishing: Publishing,
    workspace: Workspace,
    searches: Searches,
    following: Following,
    in_view: InView,
    symbols: Arc<SymbolIndex>,
}

impl Server {
    pub fn new(host: Arc<dyn Host>, events: Events, outgoing: mpsc::UnboundedSender<Outgoing>) -> Server {
        Server {
            jobs: Jobs::new(host.clone()),
            session: Session::new(host),
            events,
            outgoing,
            running: 0,
            configuring: Configuring::default(),
            projects: Projects::default(),
            project_reports: ProjectReports::default(),
            roots: Roots::default(),
            units: Units::default(),
            background: Background::default(),
            compiling: Compiling::default(),
            publishing: Publishing::default(),
            workspace: Workspace::default(),
            searches: Searches::default(),
            following: Following::default(),
            in_view: InView::default(),
            symbols: Arc::default(),
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
            self.assign_roots();
            self.schedule();
            let reported = Reported::new(&self.units, &self.roots, &self.background);
            let messages = self.project_reports.publish(&mut self.projects, &self.session, reported);
            self.send(messages);
            self.tell_in_view();
        }
    }

    /// Tells a client that wants to know what is in view, when that is something else.
    fn tell_in_view(&mut self) {
        if !self.session.client.follows_view || self.configuring.is_awaiting() {
            return;
        }
        let now = self.in_view.look(&mut self.projects, &self.roots, &self.session);
        self.tell_complaints();
        self.send(now);
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Initialize(params, reply) => drop(reply.send(Ok(self.initialize(*params)))),
            Event::Initialized => self.initialized(),
            Event::Opened(document) => self.opened(document),
            Event::Changed(change) => self.changed(change),
            Event::Saved => self.saved(),
            Event::Closed(uri) => self.closed(&uri),
            Event::FilesChanged(changes) => self.files_changed(changes),
            Event::FoldersChanged(change) => self.folders_changed(change),
            Event::Query(query) => {
                let path = Arc::from(paths::of_uri(query.uri()));
                self.ask(Waiting { path, waiter: Waiter::Query(query) });
            }
            Event::TextQuery(query) => self.answer_from_text(query),
            Event::ListingQuery(query) => self.answer_from_listing(query),
            Event::Ran => self.ran(),
            Event::RunModule(params, reply) => self.run_module(*params, reply),
            Event::ModuleLenses(wanted, reply) => {
                drop(reply.send(Ok(crate::features::lens::of_module(&self.session, wanted))));
            }
            Event::Symbols(query, reply) => self.find_symbols(query, reply),
            Event::Search(question) => self.searches.ask(*question, &self.session),
            Event::CallSearch(item, purpose, link) => self.search_calls(&item, purpose, link),
            Event::ResolveLink(link, reply) => self.resolve_link(*link, reply),
            Event::Diagnostic(params, reply) => self.diagnostic(params, reply),
            Event::WorkspaceDiagnostic(params, reply) => {
                let effects = self.workspace.asked(params, reply, &self.session, &self.roots);
                self.carry_out(effects);
            }
            Event::State(uri, reply) => drop(reply.send(Ok(self.document_state(&uri)))),
            Event::Command(params, reply) => drop(reply.send(self.execute(&params))),
            Event::Configurations(params, reply) => drop(reply.send(self.configuration_list(params))),
            Event::ConfigurationNamed(uri, name, reply) => {
                drop(reply.send(self.configuration_named(uri, &name)));
            }
            Event::SetConfiguration(params, reply) => answer(reply, self.set_configuration(params)),
            Event::Favourite(params, reply) => drop(reply.send(self.set_favourite(params))),
            Event::Specializations(params, reply) => drop(reply.send(self.specialization_list(params))),
            Event::SetSpecialization(params, reply) => answer(reply, self.set_specialization(params)),
            Event::Devices(reply) => drop(reply.send(Ok(self.device_list()))),
            Event::SetDevice(params, reply) => answer(reply, self.set_device(&params)),
            Event::ProposeSetUp(uri, reply) => drop(reply.send(self.propose_set_up(uri.as_ref()))),
            Event::Given(path, given) => self.given(path, given),
            Event::ProjectSetUp => self.configurations_changed(),

            Event::Settings(event) => {
                let told = self.configuring.take(event, &self.session);
                self.settings_told(told);
            }
            Event::Checked(done) => {
                self.running -= 1;
                self.checked(done);
            }
            Event::Roots(event) => self.roots_found(event),
            Event::Background(event) => {
                let ended = self.jobs.all_ended();
                let effect = self.background.take(event, &self.session, &self.units, ended);
                self.carry_out(effect);
            }
            Event::LookedAt(looked) => {
                if self.compiling.take(&looked, &self.units) {
                    self.publish();
                }
            }
            Event::Searches(event) => {
                self.running -= usize::from(event.ends_look());
                self.searches.take(event);
            }
            Event::Workspace(event) => {
                self.running -= usize::from(event.ends_check());
                let reported = Reported::new(&self.units, &self.roots, &self.background);
                let effects = self.workspace.take(event, &mut self.projects, &self.session, reported);
                self.carry_out(effects);
            }
            Event::Following(event) => {
                let messages = self.following.take(event, &self.session);
                self.send(messages);
            }
        }
    }

    fn initialize(&mut self, params: InitializeParams) -> InitializeResult {
        let general = params.capabilities.general.as_ref();
        let session = &mut self.session;
        session.encoding =
            Encoding::negotiate(general.and_then(|general| general.position_encodings.as_deref()));
        session.client = ClientFeatures::of(&params);
        session.folders = match params.workspace_folders {
            Some(folders) => folders.iter().map(|folder| paths::of_uri(&folder.uri)).collect(),
            #[expect(deprecated, reason = "older clients send nothing else")]
            None => params.root_uri.iter().map(paths::of_uri).collect(),
        };
        for folder in &mut session.folders {
            folder.truncate(folder.trim_end_matches('/').len());
        }
        if let Some(mut options) = params.initialization_options {
            if let Some(kept) = options.as_object_mut().and_then(|options| options.remove(in_view::KEPT)) {
                self.restore(kept);
            }
            let told = self.configuring.initialize(options, &self.session);
            self.settings_told(told);
        }
        InitializeResult {
            capabilities: capabilities::server(self.session.encoding, &self.session.client),
            server_info: Some(ServerInfo {
                name: "coopmat-analyzer".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
            offset_encoding: None,
        }
    }

    fn initialized(&mut self) {
        let client = self.session.client;
        let mut registrations = Vec::new();
        if client.watch_files {
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
        if client.register_settings {
            registrations.push(Registration {
                id: "settings".to_owned(),
                method: "workspace/didChangeConfiguration".to_owned(),
                register_options: Some(serde_json::json!({ "section": settings::SECTION })),
            });
        }
        if !registrations.is_empty() {
            self.send([Outgoing::Register(registrations)]);
        }
        if client.fetch_settings {
            self.roots.await_settings();
            let effects = self.configuring.fetch();
            self.carry_out(effects);
        } else {
            self.scan_folders();
        }
    }

    // Effects.

    fn send(&self, messages: impl IntoIterator<Item = Outgoing>) {
        for message in messages {
            // The connection may be gone; then so is the reader of this.
            let _ = self.outgoing.unbounded_send(message);
        }
    }

    fn carry_out<E: Into<Event> + Send + 'static>(&mut self, effects: impl IntoIterator<Item = Effect<E>>) {
        for effect in effects {
            match effect {
                Effect::Work(work) => self.spawn(work),
                Effect::Later(delay, event) => {
                    let events = self.events.clone();
                    let tell = move || drop(events.unbounded_send(event.into()));
                    self.session.host.later(delay, Box::new(tell));
                }
                Effect::Tell(message) => self.send([message]),
                Effect::Publish => self.publish(),
            }
        }
    }

    fn spawn<E: Into<Event> + 'static>(&self, work: Work<E>) {
        let (host, events) = (self.session.host.clone(), self.events.clone());
        self.jobs.spawn(move || {
            if let Some(event) = work(&*host) {
                let _ = events.unbounded_send(event.into());
            }
        });
    }

    fn publish(&mut self) {
        let reported = Reported::new(&self.units, &self.roots, &self.background);
        let messages = self.publishing.publish(&self.session, reported);
        self.send(messages);
    }
}

fn answer<T>(reply: Option<Reply<T>>, answer: tower_lsp::jsonrpc::Result<T>) {
    if let Some(reply) = reply {
        drop(reply.send(answer));
    }
}
