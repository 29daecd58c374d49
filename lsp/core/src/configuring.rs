//! The client's settings: what it tells, what it says nothing about, and whether it is still being waited for.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tower_lsp::ls_types::MessageType;

use crate::effects::Effect;
use crate::host::LogLevel;
use crate::outgoing::Outgoing;
use crate::session::Session;
use crate::settings::{self, Settings};

/// How long the client's settings are waited for before anything is checked without them.
const WAIT: Duration = Duration::from_millis(500);

pub enum SettingsEvent {
    /// `workspace/didChangeConfiguration`.
    Sent(Value),
    /// The client's answer to `workspace/configuration`.
    Fetched(Value),
    /// The client has had long enough to tell its settings.
    Due,
}

#[derive(Default)]
pub struct Configuring {
    /// Of `initializationOptions`: what holds where the client's configuration says nothing.
    initial: Arc<Settings>,
    /// The client was asked for its settings and has not answered: what would be found without them is not wanted.
    awaiting: bool,
}

/// What follows from something that the client said about its settings.
#[derive(Default)]
pub struct Told {
    pub messages: Vec<Outgoing>,
    /// Settings that are others than those in force.
    pub settings: Option<Arc<Settings>>,
    /// Nothing is awaited any more.
    pub settled: bool,
}

impl Configuring {
    pub fn is_awaiting(&self) -> bool {
        self.awaiting
    }

    /// Asks the client for its settings.
    pub fn fetch(&mut self) -> [Effect<SettingsEvent>; 2] {
        self.awaiting = true;
        [Effect::Tell(Outgoing::FetchSettings), Effect::Later(WAIT, SettingsEvent::Due)]
    }

    /// `initializationOptions`.
    pub fn initialize(&mut self, options: Value, session: &Session) -> Told {
        let told = self.given(options, session);
        self.initial = told.settings.as_ref().unwrap_or(&session.settings).clone();
        told
    }

    pub fn take(&mut self, event: SettingsEvent, session: &Session) -> Told {
        match event {
            // Clients that are asked for their settings send an empty notification.
            SettingsEvent::Sent(value) if settings::says_nothing(&value) => {
                let fetch = session.client.fetch_settings.then_some(Outgoing::FetchSettings);
                Told { messages: fetch.into_iter().collect(), ..Told::default() }
            }
            SettingsEvent::Sent(value) => self.given(value, session),
            SettingsEvent::Fetched(value) => {
                let settled = std::mem::take(&mut self.awaiting);
                Told { settled, ..self.given(value, session) }
            }
            SettingsEvent::Due => Told { settled: std::mem::take(&mut self.awaiting), ..Told::default() },
        }
    }

    fn given(&self, value: Value, session: &Session) -> Told {
        let mut told = Told::default();
        let unknown = Settings::unknown_keys(&value);
        if !unknown.is_empty() {
            let message = format!("coopmat-analyzer: unknown settings: {}", unknown.join(", "));
            told.messages.push(session.complaint(message));
        }
        match Settings::read(value) {
            Ok(settings) => {
                let settings = settings.map_or_else(|| self.initial.clone(), Arc::new);
                if settings != session.settings {
                    for wrong in settings.mistakes() {
                        let message = format!("coopmat-analyzer: {wrong}");
                        session.host.log(LogLevel::Error, &message);
                        told.messages.push(Outgoing::ShowMessage(MessageType::WARNING, message));
                    }
                    told.settings = Some(settings);
                }
            }
            Err(message) => {
                let message = format!("coopmat-analyzer: invalid settings: {message}");
                told.messages.push(session.complaint(message));
            }
        }
        told
    }
}
