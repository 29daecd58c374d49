//! What clients wait for - runs of shaders, builds, searches - and what takes long by itself: its progress ($/progress), and how it is stopped.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

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

/// How many shaders were looked at, of those that are known; one under several configurations counts several times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Far {
    pub done: usize,
    pub all: usize,
}

impl Step for Far {
    fn message(&self) -> String {
        format!("{} of {}", self.done, self.all)
    }

    fn percentage(&self) -> Option<u32> {
        (self.done * 100).checked_div(self.all).map(|percent| percent.min(100) as u32)
    }
}

/// What ties work to the client: whether it was stopped, and who is told how far it is.
#[derive(Clone, Debug, Default)]
pub struct Link {
    pub stop: Arc<AtomicBool>,
    pub far: Option<mpsc::UnboundedSender<Far>>,
}

/// The client's end of what nobody has asked for: shown, where it is not over by then.
pub struct Watched {
    pub stop: Arc<AtomicBool>,
    pub told: mpsc::UnboundedReceiver<Far>,
}

impl Link {
    /// Work that the server begins by itself, and the other end.
    pub fn watched() -> (Link, Watched) {
        let (far, told) = mpsc::unbounded();
        let link = Link { stop: Arc::default(), far: Some(far) };
        let stop = link.stop.clone();
        (link, Watched { stop, told })
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub fn tell(&self, far: Far) {
        if let Some(told) = &self.far {
            let _ = told.unbounded_send(far);
        }
    }

    /// The work is over: nothing is to be shown any more. Whether it had been stopped.
    pub fn end(&self) -> bool {
        self.stop.swap(true, Ordering::Relaxed)
    }
}

impl Watched {
    /// What ends before is not shown.
    pub const PATIENCE: Duration = Duration::from_secs(1);

    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
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
