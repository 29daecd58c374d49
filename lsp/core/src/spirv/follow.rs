//! Documents that follow edits, and the words of code lenses: compiled in the background when the analysis of a text is there.
//!
//! A document that was sent is followed until it or its shader is closed. When a new analysis gives another text, the client is
//! told once, and asks again if it still shows the document. Nothing is compiled while an analysis waits or runs: diagnostics come first.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tower_lsp::ls_types::Uri;

use super::listing::Listing;
use super::module::{self, ModuleOptions};
use super::shown;
use super::summaries::{Summaries, summarize};
use super::view::{self, View};
use crate::engine::Checked;
use crate::events::Event;
use crate::host::LogLevel;
use crate::outgoing::{Channel, Outgoing};
use crate::query::Query;
use crate::server::Server;
use tower_lsp::jsonrpc::Error;

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

/// What a job brings back.
pub struct Compared {
    checked: Arc<Checked>,
    root: Arc<str>,
    /// Documents with another text.
    changed: Vec<Uri>,
    looked_at: Vec<Uri>,
    summaries: Option<Summaries>,
}

impl Server {
    /// The client has been sent a document.
    pub(crate) fn spirv_sent(&mut self, uri: Uri, channel: Channel, listing: Arc<Listing>) {
        if self.documents.get(&listing.path).is_none() {
            // It was closed while the text was made.
            return;
        }
        let documents = &mut self.following.documents;
        documents.retain(|one| one.uri != uri);
        if documents.len() >= MOST {
            documents.remove(0);
        }
        documents.push(Followed { uri, channel, listing, told: false, compared: None });
    }

    pub(crate) fn spirv_closed(&mut self, uri: &Uri) {
        self.following.documents.retain(|one| one.uri != *uri);
    }

    pub(crate) fn shader_closed(&mut self, path: &str) {
        self.following.documents.retain(|one| *one.listing.path != *path);
        self.following.summaries.remove(path);
    }

    /// Answers from the text that the client has.
    pub(crate) fn ask_listing(&self, query: Box<dyn Query<Arc<Listing>>>) {
        match self.following.documents.iter().find(|one| one.uri == *query.uri()) {
            Some(found) => {
                let listing = found.listing.clone();
                self.jobs.spawn(move || query.answer(&listing));
            }
            // Its text was not asked for yet, or its shader was closed.
            None => query.absent(),
        }
    }

    pub(crate) fn spirv_summaries(&self, path: &str) -> Option<Summaries> {
        self.following.summaries.get(path).map(|(_, summaries)| summaries.clone())
    }

    /// Starts a comparison of what is followed with a fresh analysis; one at a time, and only while nothing is analysed.
    pub(crate) fn start_following(&mut self) {
        let most = (self.host.parallelism() / 2).max(1);
        if self.following.running || self.running > 0 || self.background >= most {
            return;
        }
        let lenses = self.settings.code_lens.enable && self.settings.code_lens.spirv && self.pause.over;
        let next = self.documents.iter().find_map(|document| {
            let path = &document.path;
            let root = self.contexts.get(path)?.root.clone()?;
            let unit = self.units.get(&root).filter(|unit| unit.fresh() && !unit.failed)?;
            let checked = unit.checked.clone()?;
            let is_new = |one: &&Followed| {
                one.listing.path == *path
                    && !one.told
                    && one.compared.as_ref().is_none_or(|known| !Arc::ptr_eq(known, &checked))
            };
            let wanted: Vec<(Uri, Arc<Listing>)> = self
                .following
                .documents
                .iter()
                .filter(is_new)
                .map(|one| (one.uri.clone(), one.listing.clone()))
                .collect();
            let counted = self.following.summaries.get(path);
            let count = lenses
                && *root == **path
                && !module::has_errors(&checked.analysis)
                && counted.is_none_or(|(known, _)| !Arc::ptr_eq(known, &checked));
            (count || !wanted.is_empty()).then(|| (path.clone(), checked, unit.good.clone(), wanted, count))
        });
        let Some((root, checked, good, wanted, count)) = next else { return };
        self.following.running = true;
        self.background += 1;
        let (documents, encoding) = (self.documents.clone(), self.encoding);
        let (host, events) = (self.host.clone(), self.events.clone());
        self.jobs.spawn(move || {
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
            let _ = events.unbounded_send(Event::SpirvCompared(Box::new(compared)));
        });
    }

    pub(crate) fn spirv_compared(&mut self, compared: Compared) {
        self.background -= 1;
        self.following.running = false;
        let Compared { checked, root, changed, looked_at, summaries } = compared;
        let mut told = Vec::new();
        for one in &mut self.following.documents {
            if looked_at.contains(&one.uri) {
                one.compared = Some(checked.clone());
            }
            if changed.contains(&one.uri) && !one.told {
                one.told = true;
                told.push((one.uri.clone(), one.channel));
            }
        }
        for (uri, channel) in told {
            self.send(Outgoing::VirtualChanged { uri, channel });
        }
        let Some(summaries) = summaries.filter(|_| self.documents.get(&root).is_some()) else { return };
        let before = self.following.summaries.insert(root, (checked, summaries.clone()));
        if before.is_none_or(|(_, before)| before != summaries) && self.client.refresh_code_lenses {
            self.send(Outgoing::RefreshCodeLenses);
        }
    }
}

/// The path of the shader behind a document's URI, and its view.
pub fn wanted(uri: &Uri) -> Result<(Uri, View), Error> {
    let (path, view) = view::View::of_uri(uri).map_err(Error::invalid_params)?;
    let source =
        crate::paths::to_uri(&path).ok_or_else(|| Error::invalid_params("the path is not absolute"))?;
    Ok((source, view))
}
