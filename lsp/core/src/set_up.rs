//! "Set up this project": a build step of the project is run with programs that note how it calls shader compilers, and the calls become a project
//! file. Only a command that somebody has seen and agreed to is run, and none in a workspace that is not trusted.

pub(crate) mod proposal;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use futures::channel::{mpsc, oneshot};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::*;

use crate::client::ClientFeatures;
use crate::events::{Event, Events};
use crate::host::{Host, LogLevel, ProjectStep, ProjectWritten};
use crate::query::request_failed;
use crate::running::{Running, Step, Title};

use proposal::Proposal;

/// The command that sets a project up: `[uri]`, a document of it, which may be left out.
pub(crate) const COMMAND: &str = "coopmat-analyzer.setUpProject";
/// What it is called where it is offered.
pub(crate) const TITLE: &str = "Set up this project";

/// `coopmat-analyzer/askBuildCommand`: the client lets its user edit the command and agree to it. `null`: the user does not want it.
enum AskBuildCommand {}

impl request::Request for AskBuildCommand {
    type Params = Question;
    type Result = Option<Agreed>;
    const METHOD: &'static str = "coopmat-analyzer/askBuildCommand";
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Question {
    /// Where the command is going to run.
    folder: String,
    /// A command that may do; empty where nothing says how the project is built.
    command: String,
    /// Which file says so: `CMakeLists.txt`.
    because: Option<String>,
    /// The project file that is going to be written, and whether it is there already.
    file: String,
    exists: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Agreed {
    command: String,
    /// Whether the user trusts the workspace.
    trusted: bool,
    /// Whether a project file that is there may be replaced.
    #[serde(default)]
    replace: bool,
}

/// A line of a build, for whoever waits for it.
#[derive(PartialEq)]
struct Line(String);

impl Step for Line {
    fn message(&self) -> String {
        const MOST: usize = 100;
        self.0.chars().take(MOST).collect()
    }

    fn percentage(&self) -> Option<u32> {
        None
    }
}

/// What setting up needs; its copies are the same.
#[derive(Clone)]
pub(crate) struct SettingUp {
    client: tower_lsp::Client,
    events: Events,
    host: Arc<dyn Host>,
    running: Running,
    features: Arc<RwLock<ClientFeatures>>,
    /// One build at a time.
    busy: Arc<AtomicBool>,
}

/// Gives the place free, however the build ends.
struct Place(Arc<AtomicBool>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl SettingUp {
    pub(crate) fn new(
        client: tower_lsp::Client,
        events: Events,
        host: Arc<dyn Host>,
        running: Running,
    ) -> SettingUp {
        SettingUp { client, events, host, running, features: Arc::default(), busy: Arc::default() }
    }

    /// What the client can do.
    pub(crate) fn learn(&self, params: &InitializeParams) {
        *self.features.write().unwrap_or_else(PoisonError::into_inner) = ClientFeatures::of(params);
    }

    /// The command: asks, builds, tells. The error is what the user reads.
    pub(crate) async fn carry_out(&self, uri: Option<Uri>, token: Option<ProgressToken>) -> Result<Value> {
        if !self.host.starts_programs() {
            return Err(request_failed("this server runs in the browser and cannot start programs"));
        }
        if self.busy.swap(true, Ordering::Acquire) {
            return Err(request_failed("a project is already being set up"));
        }
        let _place = Place(self.busy.clone());
        let proposal = self.proposal(uri).await?;
        let Some(agreed) = self.agreed(&proposal).await? else { return Ok(Value::Null) };
        if !agreed.trusted {
            return Err(request_failed(
                "this workspace is not trusted, and building it would run its own programs. Nothing was run",
            ));
        }
        if agreed.command.trim().is_empty() {
            return Err(request_failed("there is no command to run"));
        }
        if proposal.exists && !agreed.replace {
            return Err(request_failed(format!(
                "{} already exists and was not to be replaced, so nothing was run",
                proposal.file
            )));
        }
        let done = self.build(&proposal, agreed, token).await?;
        self.host.log(
            LogLevel::Info,
            &[&done.mistakes[..], &done.notes, std::slice::from_ref(&done.summary)].concat().join("\n"),
        );
        let name = proposal.file.rsplit('/').next().unwrap_or(&proposal.file);
        let mut message = format!("{name} was written: {}", done.summary);
        let kind = match done.mistakes.first() {
            Some(mistake) => {
                message = format!("{message}. {mistake}");
                MessageType::WARNING
            }
            None => MessageType::INFO,
        };
        self.client.show_message(kind, message).await;
        Ok(json!({
            "file": proposal.file, "summary": done.summary, "notes": done.notes, "mistakes": done.mistakes,
        }))
    }

    /// The same for a button: what goes wrong is shown.
    pub(crate) async fn offered(&self, uri: Option<Uri>) {
        if let Err(error) = self.carry_out(uri, None).await {
            self.client.show_message(MessageType::ERROR, error.message).await;
        }
    }

    async fn proposal(&self, uri: Option<Uri>) -> Result<Proposal> {
        let (reply, answer) = oneshot::channel();
        let _ = self.events.unbounded_send(Event::ProposeSetUp(uri, reply));
        answer.await.unwrap_or_else(|_| Err(Error::internal_error()))
    }

    /// What the user agrees to; `None`: to nothing.
    async fn agreed(&self, proposal: &Proposal) -> Result<Option<Agreed>> {
        let features = *self.features.read().unwrap_or_else(PoisonError::into_inner);
        let Proposal { folder, file, exists, command } = proposal;
        if features.asks_build_command {
            let question = Question {
                folder: folder.clone(),
                command: command.as_ref().map_or_else(String::new, |(command, _)| command.clone()),
                because: command.as_ref().map(|(_, because)| because.clone()),
                file: file.clone(),
                exists: *exists,
            };
            return self.client.send_request::<AskBuildCommand>(question).await;
        }
        let Some((command, because)) = command else {
            return Err(request_failed(format!(
                "cannot tell how {folder} is built: run `coopmat-analyzer import --capture -o coopmat-analyzer.toml -- COMMAND` there, with the command that compiles the shaders"
            )));
        };
        let yes = if *exists { "Run it and replace the project file" } else { "Run it" };
        let message = format!(
            "Set up this project by running `{command}` in {folder}, as its {because} suggests? The shader compiler calls are written to {file}. Building runs the project's own programs: do this only if you trust them."
        );
        let action =
            |title: &str| MessageActionItem { title: title.to_owned(), properties: Default::default() };
        let actions = vec![action(yes), action("Cancel")];
        let chosen = self.client.show_message_request(MessageType::WARNING, message, Some(actions)).await?;
        Ok(chosen.filter(|chosen| chosen.title == yes).map(|_| Agreed {
            command: command.clone(),
            trusted: true,
            replace: *exists,
        }))
    }

    async fn build(
        &self,
        proposal: &Proposal,
        agreed: Agreed,
        token: Option<ProgressToken>,
    ) -> Result<ProjectWritten> {
        let stop = Arc::new(AtomicBool::new(false));
        let title = Title { text: "Setting up the project", patience: 0 };
        let shown = self.running.begin(token, stop.clone(), title);
        let (lines, told) = mpsc::unbounded();
        let _ = lines.unbounded_send(Line(agreed.command.clone()));
        let step = ProjectStep {
            command: agreed.command,
            folder: proposal.folder.clone(),
            file: proposal.file.clone(),
            replace: agreed.replace,
            stop,
            tell: Box::new(move |line| drop(lines.unbounded_send(Line(line.to_owned())))),
        };
        let (end, ended) = oneshot::channel();
        self.host.set_up(step, Box::new(move |result| drop(end.send(result))));
        // The other end of `told` goes with the step.
        let (result, ()) = futures::join!(ended, shown.tell(&self.client, told));
        // Whatever came of it, files may be others.
        let _ = self.events.unbounded_send(Event::ProjectSetUp);
        result.unwrap_or_else(|_| Err("the build ended without an answer".to_owned())).map_err(request_failed)
    }
}
