//! The root of each open document: the file that it is checked as part of. A shader is its own; a header that is opened alone belongs to
//! a shader that includes it, which a look at the text of the workspace finds, and which its analysis confirms.

mod includes;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::sources::FileLoader as _;
use rustc_hash::{FxHashMap, FxHashSet};
use tower_lsp::ls_types::MessageType;

use self::includes::find_includes;
pub use self::includes::{IncludeIndex, Includes, Listing, has_main};
use crate::documents::{Documents, Loader};
use crate::effects::Effect;
use crate::host::Host;
use crate::outgoing::Outgoing;
use crate::projects::Variants;
use crate::root;
use crate::running::{Link, Title, Watched};
use crate::session::Session;
use crate::units::{Unit, Units};

/// The first look at a workspace.
const TITLE: Title = Title { text: "Looking for shaders", patience: 0 };
/// What a search that was stopped has left undone.
const STOPPED: &str = "the search for shaders was cancelled: not all includes and uses of names are known; restart the language server to search everything";

/// Not every candidate is tried: one that includes a header only under macros is often one of many.
const TRIES: usize = 8;

pub enum RootEvent {
    /// A job has looked for includes; with whether it was stopped.
    Scanned(Vec<Includes>, bool),
    /// A search has taken a while.
    TakesLong(Watched),
    /// A job has searched a root's configurations for one under which it includes a header.
    Sought { header: Arc<str>, root: Arc<str>, name: Option<String> },
}

/// A configuration that is to be in view of a root, so that a header is part of it.
pub struct InView {
    pub root: Arc<str>,
    pub name: String,
}

/// The root that a document is checked as part of.
#[derive(Default)]
struct Context {
    /// `None` while the workspace is still being searched for files that include it.
    root: Option<Arc<str>>,
    /// Candidates that turned out not to include it.
    rejected: FxHashSet<Arc<str>>,
    /// A candidate whose configurations are being searched for one that includes it.
    seeking: Option<Arc<str>>,
    /// A root pinned to a configuration under which it includes the document, where the one in view does not.
    pinned: Option<Arc<str>>,
}

#[derive(Default)]
pub struct Roots {
    /// Of each open document, by path.
    contexts: FxHashMap<Arc<str>, Context>,
    index: IncludeIndex,
    /// Folders that were searched for shaders; the flag says whether with the folders inside.
    scanned: FxHashSet<(String, bool)>,
    /// Searches under way.
    scanning: usize,
    /// The folders of the workspace are searched once the client has told its settings.
    awaits_settings: bool,
}

impl Roots {
    /// Whether folders are being searched, or are still to be: which shaders include what is not known before.
    pub fn is_scanning(&self) -> bool {
        self.scanning > 0 || self.awaits_settings
    }

    /// The client is asked for its settings, before which no folder is searched.
    pub fn await_settings(&mut self) {
        self.awaits_settings = true;
    }

    /// The folders of the workspace are searched from now on.
    pub fn begin(&mut self) {
        self.awaits_settings = false;
    }

    /// The documents that have roots, or will have.
    pub fn documents(&self) -> Vec<Arc<str>> {
        self.contexts.keys().cloned().collect()
    }

    pub fn is_open(&self, path: &str) -> bool {
        self.contexts.contains_key(path)
    }

    pub fn of(&self, path: &str) -> Option<&Arc<str>> {
        self.contexts.get(path)?.root.as_ref()
    }

    /// The file that a document is checked as part of: itself, where that is not known.
    pub fn file_of(&self, path: &Arc<str>) -> Arc<str> {
        self.of(path).map_or_else(|| path.clone(), root::path_of)
    }

    /// All roots.
    pub fn needed(&self) -> FxHashSet<Arc<str>> {
        self.contexts.values().filter_map(|context| context.root.clone()).collect()
    }

    /// Every shader that was seen or is open.
    pub fn shaders(&self) -> Vec<Arc<str>> {
        let mut shaders = self.index.shaders();
        shaders.extend(self.contexts.values().filter_map(|context| context.root.as_ref().map(root::path_of)));
        shaders
    }

    /// The shaders that a file is part of.
    pub fn shaders_with(&self, file: &Arc<str>, is_shader: bool) -> Vec<Arc<str>> {
        let mut roots = Vec::new();
        roots.extend(self.of(file).map(root::path_of));
        if is_shader {
            roots.push(file.clone());
        }
        roots.extend(self.index.roots_of(file));
        if roots.is_empty() {
            roots.push(file.clone());
        }
        roots
    }

    pub fn opened(&mut self, path: &Arc<str>) {
        self.contexts.insert(path.clone(), Context::default());
    }

    pub fn closed(&mut self, path: &str) {
        self.contexts.remove(path);
        // The file on disk may include what the closed text did not.
        self.reconsider();
    }

    /// A file has changed: who includes what may be another matter now.
    pub fn reconsider(&mut self) {
        for context in self.contexts.values_mut() {
            context.rejected.clear();
        }
    }

    pub fn deleted(&mut self, path: &str) {
        self.index.remove(path);
    }

    /// Any root may be checked under other configurations.
    pub fn configurations_changed(&mut self) {
        for context in self.contexts.values_mut() {
            context.rejected.clear();
            context.pinned = None;
        }
    }

    /// Another configuration of a root is in view: under it the root may include what it did not.
    pub fn configuration_changed(&mut self, root: &Arc<str>) {
        for context in self.contexts.values_mut() {
            context.rejected.remove(root);
            if context.pinned.as_ref().is_some_and(|pinned| root::split(pinned).0 == &**root) {
                context.pinned = None;
            }
        }
    }

    /// Whether a folder has not been searched yet; it counts as searched from now on.
    pub fn is_new_folder(&mut self, folder: &str, deep: bool) -> bool {
        !folder.is_empty() && self.scanned.insert((folder.to_owned(), deep))
    }

    /// Searches files for include lines.
    pub fn scan(
        &mut self,
        list: impl FnOnce(&dyn Host) -> Vec<String> + Send + 'static,
        configuration: Arc<Configuration>,
    ) -> [Effect<RootEvent>; 2] {
        self.scanning += 1;
        let (link, watched) = Link::watched();
        let work = Effect::work(move |host| {
            let found = catch_unwind(AssertUnwindSafe(|| {
                find_includes(&list(host), &configuration.include_dirs, host, &link)
            }));
            let stopped = link.end();
            Some(RootEvent::Scanned(found.unwrap_or_default(), stopped))
        });
        [work, Effect::Later(Watched::PATIENCE, RootEvent::TakesLong(watched))]
    }

    /// Which files count as those of shaders, as far as is known.
    pub fn listing(&self) -> Listing {
        self.index.listing()
    }

    /// Whether a file is a part of others, whatever it is called.
    pub fn is_part(&self, path: &str) -> bool {
        self.index.is_part(path)
    }

    /// Gives a document its root anew. `users`: those of some shaders that have a header in their preamble. `settled`: nothing is awaited that
    /// decides about roots.
    pub fn choose(
        &mut self,
        path: &Arc<str>,
        is_shader: bool,
        users: impl FnOnce(Vec<Arc<str>>) -> Vec<Arc<str>>,
        settled: bool,
        documents: &Documents,
        units: &Units,
    ) -> Option<Arc<str>> {
        let root = match is_shader {
            true => Some(path.clone()),
            false => self.of_header(path, users, settled && self.scanning == 0, documents, units),
        };
        if let Some(context) = self.contexts.get_mut(path) {
            context.root.clone_from(&root);
        }
        root
    }

    fn of_header(
        &self,
        path: &Arc<str>,
        users: impl FnOnce(Vec<Arc<str>>) -> Vec<Arc<str>>,
        settled: bool,
        documents: &Documents,
        units: &Units,
    ) -> Option<Arc<str>> {
        let context = self.contexts.get(path)?;
        if context.seeking.is_some() {
            return None;
        }
        let open_and_contains = |root: &Arc<str>, unit: &Unit| {
            root != path && documents.get(root).is_some() && unit.contains(path)
        };
        if let Some(root) = &context.root
            && units.get(root).is_some_and(|unit| open_and_contains(root, unit))
        {
            return Some(root.clone());
        }
        let open = units.iter().filter(|(root, unit)| open_and_contains(root, unit));
        if let Some((root, _)) = open.max_by_key(|(root, unit)| (unit.touched, (*root).clone())) {
            return Some(root.clone());
        }
        if let Some(pinned) = &context.pinned {
            return Some(pinned.clone());
        }
        if let Some(root) = &context.root
            && units.get(root).is_some_and(|unit| unit.contains(path))
            && root != path
        {
            return Some(root.clone());
        }
        if !settled {
            return context.root.clone();
        }
        if context.rejected.len() < TRIES {
            let is_left = |root: &Arc<str>| !context.rejected.contains(root);
            let found = self.index.roots_of(path).into_iter().find(is_left);
            if let Some(root) = found.or_else(|| users(self.shaders()).into_iter().find(is_left)) {
                return Some(root);
            }
        }
        Some(path.clone())
    }

    /// Roots whose analysis is there and does not contain a document that they were chosen for.
    pub fn wrong(&self, units: &Units) -> FxHashSet<Arc<str>> {
        let wrong = self.contexts.iter().filter_map(|(path, context)| {
            let root = context.root.as_ref().filter(|root| *root != path)?;
            let unit = units.get(root)?;
            (unit.fresh() && !unit.contains(path)).then(|| root.clone())
        });
        wrong.collect()
    }

    /// The analysis of a root tells which headers it includes. Others that it was a candidate for may be included under another
    /// of its configurations.
    pub fn judge(
        &mut self,
        root: &Arc<str>,
        variants: &Arc<Variants>,
        units: &Units,
        session: &Session,
    ) -> Vec<Effect<RootEvent>> {
        let Some(unit) = units.get(root).filter(|unit| unit.fresh()) else { return Vec::new() };
        let mut effects = Vec::new();
        for (header, context) in &mut self.contexts {
            if context.root.as_ref() != Some(root) || header == root || unit.contains(header) {
                continue;
            }
            if variants.list.len() < 2 {
                context.pinned = None;
                context.rejected.insert(root::path_of(root));
                continue;
            }
            context.seeking = Some(root.clone());
            let (analyzer, documents) = (session.analyzer.clone(), session.documents.clone());
            let (variants, root, header) = (variants.clone(), root.clone(), header.clone());
            effects.push(Effect::work(move |host| {
                let search = || {
                    variants.list.iter().find_map(|configuration| {
                        let loader = Loader::new(&documents, host, &root, configuration);
                        let text = loader.load(&root)?;
                        let includes =
                            analyzer.includes(&root, text, configuration, &loader, |path| path == &*header);
                        includes.then(|| configuration.name.clone())
                    })
                };
                let name = catch_unwind(AssertUnwindSafe(search)).ok().flatten();
                Some(RootEvent::Sought { header, root, name })
            }));
        }
        effects
    }

    /// `is_free`: whether the configuration in view of a root may be another one without disturbing anybody.
    pub fn take(
        &mut self,
        event: RootEvent,
        is_free: impl FnOnce(&str) -> bool,
    ) -> (Option<InView>, Option<Effect<RootEvent>>) {
        match event {
            RootEvent::Scanned(found, stopped) => {
                self.scanning -= 1;
                for includes in found {
                    self.index.set(includes);
                }
                let message = || Outgoing::ShowMessage(MessageType::WARNING, STOPPED.to_owned());
                (None, stopped.then(|| Effect::Tell(message())))
            }
            RootEvent::TakesLong(watched) => {
                let show = (!watched.is_over()).then(|| Effect::Tell(Outgoing::Progress(TITLE, watched)));
                (None, show)
            }
            RootEvent::Sought { header, root, name } => (self.sought(&header, root, name, is_free), None),
        }
    }

    /// The search for a configuration has ended. It is put in view where that disturbs nobody: the root is not open, the user has
    /// not chosen, and no other header wants another one. Else the header gets an analysis of its own.
    fn sought(
        &mut self,
        header: &Arc<str>,
        root: Arc<str>,
        name: Option<String>,
        is_free: impl FnOnce(&str) -> bool,
    ) -> Option<InView> {
        let context = self.contexts.get_mut(header)?;
        if context.seeking.take().is_none_or(|sought| sought != root) {
            return None;
        }
        let Some(name) = name else {
            context.rejected.insert(root);
            return None;
        };
        if is_free(&root) {
            return Some(InView { root, name });
        }
        context.pinned = Some(root::pinned(&root, &name));
        None
    }
}
