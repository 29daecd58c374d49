//! Whether a header is checked as part of the right shader: one may include it only under some of its configurations.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use coopmat_analysis::sources::FileLoader as _;

use crate::documents::Loader;
use crate::events::Event;
use crate::server::Server;

impl Server {
    /// The analysis of a root tells which headers it includes. Of the others that it was a candidate for, another of its
    /// configurations may be the one to show, unless its own text is open or the user has chosen.
    pub(crate) fn judge_root(&mut self, root: &Arc<str>) {
        let variants = self.variants(root);
        let free = variants.list.len() > 1
            && self.documents.get(root).is_none()
            && !self.projects.is_chosen(root)
            && !self.projects.is_for_headers(root);
        let Some(unit) = self.units.get(root).filter(|unit| unit.fresh()) else { return };
        for (header, context) in &mut self.contexts {
            if context.root.as_ref() != Some(root) || header == root || unit.contains(header) {
                continue;
            }
            if !free {
                context.rejected.insert(root.clone());
                continue;
            }
            context.seeking = Some(root.clone());
            let (host, events, analyzer) = (self.host.clone(), self.events.clone(), self.analyzer.clone());
            let (documents, variants) = (self.documents.clone(), variants.clone());
            let (root, header) = (root.clone(), header.clone());
            self.host.spawn(Box::new(move || {
                let includes = |loader: &Loader<'_>, index: usize| {
                    let text = loader.load(&root)?;
                    let configuration = variants.list.get(index)?;
                    analyzer
                        .includes(&root, text, configuration, loader, &header)
                        .then(|| configuration.name.clone())
                };
                let search = || {
                    let loader = Loader::new(&documents, &*host);
                    (0..variants.list.len()).find_map(|index| includes(&loader, index))
                };
                let name = catch_unwind(AssertUnwindSafe(search)).ok().flatten();
                let _ = events.unbounded_send(Event::Sought { header, root, name });
            }));
        }
    }

    pub(crate) fn sought(&mut self, header: &Arc<str>, root: Arc<str>, name: Option<String>) {
        let Some(context) = self.contexts.get_mut(header) else { return };
        if context.seeking.take().is_none_or(|sought| sought != root) {
            return;
        }
        match name {
            Some(name) => {
                self.projects.prefer_for_header(&root, name);
                self.configuration_of_changed(&root);
            }
            None => drop(context.rejected.insert(root)),
        }
    }
}
