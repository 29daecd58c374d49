//! What clients wait for, runs of shaders and builds: its progress ($/progress), and how it is stopped.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::StreamExt as _;
use futures::channel::mpsc;
use tower_lsp::Client;
use tower_lsp::ls_types::notification::Progress;
use tower_lsp::ls_types::request::WorkDoneProgressCreate;
use tower_lsp::ls_types::*;

/// How far something is.
pub trait Step: PartialEq {
    fn message(&self) -> String;
    fn percentage(&self) -> Option<u32>;
}

/// What is waited for.
#[derive(Clone, Copy)]
pub struct Title {
    pub text: &'static str,
    /// Messages that pass before a client that gave no token is asked to show progress.
    pub patience: usize,
}

/// What each run is stopped by, by the token of its progress.
type Stops = Arc<Mutex<BTreeMap<String, Arc<AtomicBool>>>>;

/// What is running; copies are the same.
#[derive(Clone, Default)]
pub struct Running {
    /// Whether the client shows progress that the server begins.
    shows: Arc<AtomicBool>,
    count: Arc<AtomicU32>,
    stops: Stops,
}

fn hold<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Numbers and texts are different tokens.
fn key(token: &ProgressToken) -> String {
    format!("{token:?}")
}

impl Running {
    /// What the client can do.
    pub fn learn(&self, capabilities: &ClientCapabilities) {
        let window = capabilities.window.as_ref();
        let shows = window.and_then(|window| window.work_done_progress).unwrap_or(false);
        self.shows.store(shows, Ordering::Relaxed);
    }

    /// A run begins, which `stop` ends. It ends, too, when what this gives is dropped, as it is when the request is cancelled.
    pub fn begin(&self, token: Option<ProgressToken>, stop: Arc<AtomicBool>, title: Title) -> Shown {
        let own = token.is_none();
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let token = token.unwrap_or_else(|| ProgressToken::String(format!("coopmat-analyzer/run/{number}")));
        hold(&self.stops).insert(key(&token), stop.clone());
        let asks = own && self.shows.load(Ordering::Relaxed);
        Shown { token, stop, stops: self.stops.clone(), title, asks, tells: !own || asks }
    }

    /// The user wants no more of the run that has this token.
    pub fn cancel(&self, token: &ProgressToken) {
        if let Some(stop) = hold(&self.stops).get(&key(token)) {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

/// A run as the client sees it.
pub struct Shown {
    token: ProgressToken,
    stop: Arc<AtomicBool>,
    stops: Stops,
    title: Title,
    /// Whether the client has to be asked to show it.
    asks: bool,
    /// Whether anybody looks.
    tells: bool,
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        hold(&self.stops).remove(&key(&self.token));
    }
}

impl Shown {
    /// Tells the client how far the run is, until the run ends.
    pub async fn tell<S: Step>(self, client: &Client, mut told: mpsc::UnboundedReceiver<S>) {
        let mut shown = None;
        let mut messages = 0;
        while let Some(mut far) = told.next().await {
            // Only the last one counts.
            while let Ok(later) = told.try_recv() {
                far = later;
                messages += 1;
            }
            messages += 1;
            if !self.tells || (self.asks && messages < self.title.patience) {
                continue;
            }
            let (percentage, message) = (far.percentage(), Some(far.message()));
            let Some(before) = &shown else {
                if self.asks {
                    let params = WorkDoneProgressCreateParams { token: self.token.clone() };
                    if client.send_request::<WorkDoneProgressCreate>(params).await.is_err() {
                        // It shows none after all; the run is wanted all the same.
                        while told.next().await.is_some() {}
                        return;
                    }
                }
                let title = self.title.text.to_owned();
                let begin = WorkDoneProgressBegin { title, cancellable: Some(true), message, percentage };
                self.send(client, WorkDoneProgress::Begin(begin)).await;
                shown = Some(far);
                continue;
            };
            if *before != far {
                let report = WorkDoneProgressReport { cancellable: Some(true), message, percentage };
                self.send(client, WorkDoneProgress::Report(report)).await;
                shown = Some(far);
            }
        }
        if shown.is_some() {
            self.send(client, WorkDoneProgress::End(WorkDoneProgressEnd { message: None })).await;
        }
    }

    async fn send(&self, client: &Client, progress: WorkDoneProgress) {
        let value = ProgressParamsValue::WorkDone(progress);
        client.send_notification::<Progress>(ProgressParams { token: self.token.clone(), value }).await;
    }
}
