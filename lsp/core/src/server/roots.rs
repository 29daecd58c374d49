//! Gives documents their roots, and takes analyses of roots in.

use std::sync::Arc;

use super::Server;
use crate::embedded;
use crate::host::Host;
use crate::roots::{InView, RootEvent};
use crate::units::RootChecked;

impl Server {
    pub(super) fn scan_folders(&mut self) {
        self.roots.begin();
        for folder in self.session.folders.clone() {
            self.scan(folder, true);
        }
        self.begin_workspace();
    }

    /// Requests for what is wrong in the workspace may have waited for the search.
    fn begin_workspace(&mut self) {
        let effects = self.workspace.begin(&self.session, &self.roots);
        self.carry_out(effects);
    }

    /// Searches a folder for include lines.
    pub(super) fn scan(&mut self, folder: String, deep: bool) {
        if self.roots.is_new_folder(&folder, deep) {
            self.scan_with(move |host| host.shaders_under(&folder, deep));
        }
    }

    pub(super) fn scan_with(&mut self, list: impl FnOnce(&dyn Host) -> Vec<String> + Send + 'static) {
        let first = self.session.folders.first().cloned().unwrap_or_default();
        let configuration = self.configuration(&first);
        let effects = self.roots.scan(list, configuration);
        self.carry_out(effects);
    }

    /// Gives each open document its root. A root whose analysis is there already is judged at once.
    pub(super) fn assign_roots(&mut self) {
        // Each round rejects a candidate or starts a search; the number is for safety.
        const ROUNDS: usize = 16;
        for _ in 0..ROUNDS {
            self.assign_roots_once();
            let wrong = self.roots.wrong(&self.units);
            if wrong.is_empty() {
                return;
            }
            wrong.iter().for_each(|root| self.judge_root(root));
        }
    }

    /// Each root gets its unit, too.
    fn assign_roots_once(&mut self) {
        let settled = !self.configuring.is_awaiting();
        for path in self.roots.documents() {
            let is_shader = self.is_shader(&path);
            let (documents, projects) = (&self.session.documents, &self.projects);
            let users = |shaders| projects.users_of_preamble(&path, || shaders);
            let root = self.roots.choose(&path, is_shader, users, settled, documents, &self.units);
            if let Some(root) = root {
                self.units.need(root);
            }
        }
        let homeless = self.units.retain(&self.roots.needed());
        self.background.retain(&self.units);
        for waiting in homeless {
            self.ask(waiting);
        }
    }

    fn judge_root(&mut self, root: &Arc<str>) {
        let variants = self.variants(root);
        let effects = self.roots.judge(root, &variants, &self.units, &self.session);
        self.carry_out(effects);
    }

    pub(super) fn roots_found(&mut self, event: RootEvent) {
        let (documents, projects) = (&self.session.documents, &self.projects);
        let is_free = |root: &str| {
            let chosen = projects.chosen();
            documents.get(root).is_none()
                && chosen.configuration(root).is_none()
                && chosen.for_headers(root).is_none()
        };
        let (in_view, effect) = self.roots.take(event, is_free);
        self.carry_out(effect);
        if let Some(InView { root, name }) = in_view {
            self.choose(Some(&root), |chosen| chosen.prefer_for_header(&root, name));
        }
        self.begin_workspace();
    }

    /// A job has analysed a root.
    pub(super) fn checked(&mut self, done: RootChecked) {
        let root = done.root.clone();
        if self.units.get(&root).is_none() {
            return;
        }
        self.units.checked(done);
        self.judge_root(&root);
        self.assign_roots();
        if !self.units.get(&root).is_some_and(|unit| unit.fresh()) {
            return;
        }
        let waiting = self.units.take_waiting(&root);
        let variants = self.variants(&root);
        self.background.restart(&root, variants, &self.units);
        self.hint_at_import(&root);
        self.publish();
        let messages = self.publishing.analysed(&root, &self.session, &self.roots);
        self.send(messages);
        for waiting in waiting {
            self.ask(waiting);
        }
    }

    fn hint_at_import(&mut self, root: &Arc<str>) {
        // The program may put macros before a shader in a string.
        if embedded::split(root).is_some() {
            return;
        }
        let variants = self.variants(root);
        let Some(checked) = self.units.get(root).and_then(|unit| unit.checked.as_ref()) else { return };
        let message = self.project_reports.hint(root, &variants, &checked.analysis, &self.session);
        self.send(message);
    }
}
