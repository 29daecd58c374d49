//! Documents that follow edits, and the words of code lenses: compiled in the background when the analysis of a text is there.
//!
//! A document that was sent is followed until it or its shader is closed. When a new analysis gives another text, the client is
//! told once, and asks again if it still shows the document. Nothing is compiled while an analysis waits or runs: diagnostics come first.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use rustc_hash::FxHashMap;
use tower_lsp::jsonrpc::Error;
use tower_lsp::ls_types::Uri;

use super::listing::Listing;
use super::module::{self, ModuleOptions};
use super::shown;
use super::summaries::{Summaries, summarize};
use super::view::{self, View};
use crate::effects::Effect;
use crate::engine::Checked;
use crate::host::LogLevel;
use crate::outgoing::{Channel, Outgoing};
use crate::reported::Reported;
use crate::session::Session;

/// How many documents are followed.
const MOST: usize = 16;

/// A document as the client has it.
struct Followed {
    uri: Uri,
    channel: Channel,
    listing: Arc<Listing>,
    /// The client knows that there is another text, and has not asked for it.
    told: bool,
    /// The analysis that the text was compared with last.
    compared: Option<Arc<Checked>>,
}

#[derive(Default)]
pub struct Following {
    /// The last one was fetched last.
    documents: Vec<Followed>,
    running: bool,
    /// By the path of the shader: of the last text that could be compiled.
    summaries: FxHashMap<Arc<str>, (Arc<Checked>, Summaries)>,
}

pub enum FollowEvent {
    /// The client gets the text of a module.
    Sent { uri: Uri, channel: Channel, listing: Arc<Listing> },
    /// A job has compared what is followed with a new analysis.
    Compared(Box<Compared>),
}

/// What a job brings back.
pub struct Compared {
    checked: Arc<Checked>,
    root: Arc<str>,
    /// Documents with another text.
    changed: Vec<Uri>,
    looked_at: Vec<Uri>,
    summaries: Option<Summaries>,
}

impl Following {
    /// Whether a comparison is under way.
    pub fn is_running(&self) -> bool {
        self.running
    }

    pub fn take(&mut self, event: FollowEvent, session: &Session) -> Vec<Outgoing> {
        match event {
            FollowEvent::Sent { uri, channel, listing } => {
                // Where the shader was not closed while the text was made.
                if session.documents.get(&listing.path).is_some() {
                    self.sent(uri, channel, listing);
                }
                Vec::new()
            }
            FollowEvent::Compared(compared) => self.compared(*compared, session),
        }
    }

    fn sent(&mut self, uri: Uri, channel: Channel, listing: Arc<Listing>) {
        self.closed(&uri);
        if self.documents.len() >= MOST {
            self.documents.remove(0);
        }
        self.documents.push(Followed { uri, channel, listing, told: false, compared: None });
    }

    pub fn closed(&mut self, uri: &Uri) {
        self.documents.retain(|one| one.uri != *uri);
    }

    pub fn shader_closed(&mut self, path: &str) {
        self.documents.retain(|one| *one.listing.path != *path);
        self.summaries.remove(path);
    }

    /// The text that the client has; nothing where it was not asked for yet, or its shader was closed.
    pub fn listing(&self, uri: &Uri) -> Option<Arc<Listing>> {
        self.documents.iter().find(|one| one.uri == *uri).map(|one| one.listing.clone())
    }

    /// What the functions of a root have become under a configuration; nothing where it is not the one in view of a shader that is open.
    pub fn summaries(&self, root: &str, configuration: &Configuration) -> Option<Summaries> {
        let (counted, summaries) = self.summaries.get(root)?;
        (counted.analysis.config == *configuration).then(|| summaries.clone())
    }

    /// Starts a comparison of what is followed with a fresh analysis; one at a time, and only while nothing is analysed and few check in
    /// the background.
    pub fn start(&mut self, session: &Session, reported: Reported<'_>) -> Option<Effect<FollowEvent>> {
        let most = (session.host.parallelism() / 2).max(1);
        if self.running || reported.background.checking() >= most {
            return None;
        }
        let code_lens = &session.settings.code_lens;
        let lenses = code_lens.enable && code_lens.spirv && reported.background.is_idle();
        let next = session.documents.iter().find_map(|document| {
            let path = &document.path;
            let root = reported.roots.of(path)?;
            let unit = reported.units.get(root).filter(|unit| unit.fresh() && !unit.failed)?;
            let checked = unit.checked.clone()?;
            let is_new = |one: &&Followed| {
                one.listing.path == *path
                    && !one.told
                    && one.compared.as_ref().is_none_or(|known| !Arc::ptr_eq(known, &checked))
            };
            let wanted = self.documents.iter().filter(is_new);
            let wanted: Vec<(Uri, Arc<Listing>)> =
                wanted.map(|one| (one.uri.clone(), one.listing.clone())).collect();
            let counted = self.summaries.get(path);
            let count = lenses
                && **root == **path
                && !module::has_errors(&checked.analysis)
                && counted.is_none_or(|(known, _)| !Arc::ptr_eq(known, &checked));
            (count || !wanted.is_empty()).then(|| (path.clone(), checked, unit.good.clone(), wanted, count))
        });
        let (root, checked, good, wanted, count) = next?;
        self.running = true;
        let (documents, encoding) = (session.documents.clone(), session.encoding);
        Some(Effect::work(move |host| {
            let compare = || {
                let differs = |(_, old): &&(Uri, Arc<Listing>)| {
                    let found = shown::find(&checked, good.as_ref(), &old.view.module);
                    let new =
                        Listing::new(old.path.clone(), old.view.clone(), found, documents.clone(), encoding);
                    // What is not in the module any more is told when the client asks.
                    new.map_or(true, |new| new.text != old.text || new.stale.is_some() != old.stale.is_some())
                };
                let changed = wanted.iter().filter(differs).map(|(uri, _)| uri.clone()).collect();
                let summaries = count.then(|| summarize(checked.module(&ModuleOptions::default())));
                (changed, summaries)
            };
            let found = catch_unwind(AssertUnwindSafe(compare));
            let (changed, summaries) = found.unwrap_or_else(|_| {
                host.log(LogLevel::Error, &format!("compiling {root} panicked"));
                (Vec::new(), count.then(Summaries::default))
            });
            let looked_at = wanted.into_iter().map(|(uri, _)| uri).collect();
            let compared = Compared { checked, root, changed, looked_at, summaries };
            Some(FollowEvent::Compared(Box::new(compared)))
        }))
    }

    fn compared(&mut self, compared: Compared, session: &Session) -> Vec<Outgoing> {
        self.running = false;
        let Compared { checked, root, changed, looked_at, summaries } = compared;
        let mut messages = Vec::new();
        for one in &mut self.documents {
            if looked_at.contains(&one.uri) {
                one.compared = Some(checked.clone());
            }
            if changed.contains(&one.uri) && !one.told {
                one.told = true;
                messages.push(Outgoing::VirtualChanged { uri: one.uri.clone(), channel: one.channel });
            }
        }
        if let Some(summaries) = summaries.filter(|_| session.documents.get(&root).is_some()) {
            let before = self.summaries.insert(root, (checked, summaries.clone()));
            if before.is_none_or(|(_, before)| before != summaries) && session.client.refresh_code_lenses {
                messages.push(Outgoing::RefreshCodeLenses);
            }
        }
        messages
    }
}

/// The path of the shader behind a document's URI, and its view.
pub fn wanted(uri: &Uri) -> Result<(Uri, View), Error> {
    let (path, view) = view::View::of_uri(uri).map_err(Error::invalid_params)?;
    let source =
        crate::paths::to_uri(&path).ok_or_else(|| Error::invalid_params("the path is not absolute"))?;
    Ok((source, view))
}
