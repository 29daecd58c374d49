//! Whether a header is checked as part of the right shader: one may include it only under some of its configurations.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use coopmat_analysis::sources::FileLoader as _;

use crate::documents::Loader;
use crate::events::Event;
use crate::root;
use crate::server::Server;

impl Server {
    /// The analysis of a root tells which headers it includes. Others that it was a candidate for may be included under another
    /// of its configurations.
    pub(crate) fn judge_root(&mut self, root: &Arc<str>) {
        let variants = self.variants(root);
        let Some(unit) = self.units.get(root).filter(|unit| unit.fresh()) else { return };
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
            let (host, events, analyzer) = (self.host.clone(), self.events.clone(), self.analyzer.clone());
            let (documents, variants) = (self.documents.clone(), variants.clone());
            let (root, header) = (root.clone(), header.clone());
            self.jobs.spawn(move || {
                let search = || {
                    variants.list.iter().find_map(|configuration| {
                        let loader = Loader::new(&documents, &*host, &root, configuration);
                        let text = loader.load(&root)?;
                        let includes = analyzer.includes(&root, text, configuration, &loader, &header);
                        includes.then(|| configuration.name.clone())
                    })
                };
                let name = catch_unwind(AssertUnwindSafe(search)).ok().flatten();
                let _ = events.unbounded_send(Event::Sought { header, root, name });
            });
        }
    }

    /// The search for a configuration has ended. It is put in view where that disturbs nobody: the root is not open, the user has
    /// not chosen, and no other header wants another one. Else the header gets an analysis of its own.
    pub(crate) fn sought(&mut self, header: &Arc<str>, root: Arc<str>, name: Option<String>) {
        let Some(context) = self.contexts.get_mut(header) else { return };
        if context.seeking.take().is_none_or(|sought| sought != root) {
            return;
        }
        let Some(name) = name else {
            context.rejected.insert(root);
            return;
        };
        let free = self.documents.get(&root).is_none()
            && !self.projects.is_chosen(&root)
            && !self.projects.is_for_headers(&root);
        if free {
            self.projects.prefer_for_header(&root, name);
            self.configuration_of_changed(&root);
        } else {
            context.pinned = Some(root::pinned(&root, &name));
        }
    }
}
