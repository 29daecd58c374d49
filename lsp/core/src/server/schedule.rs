//! Which work goes next.

use std::sync::Arc;

use super::Server;
use crate::reported::Reported;
use crate::search::{Around, Step};

impl Server {
    /// Starts as many jobs as the host runs at once: first what somebody waits for, then what was touched last, then
    /// searches, then the files that only the workspace report asks for; and when nothing of this is left, modules, and configurations
    /// that are not in view.
    pub(super) fn schedule(&mut self) {
        if self.configuring.is_awaiting() {
            return;
        }
        while self.running < self.session.host.parallelism() {
            match self.units.next() {
                Some(root) => self.start_unit(&root),
                None if self.start_search() => {}
                None if self.start_closed() => {}
                None => break,
            }
        }
        if self.running > 0 {
            return;
        }
        if self.background.is_idle() {
            let effect = self.compiling.start(&self.session, &self.units);
            self.carry_out(effect);
        }
        let effect =
            self.following.start(&self.session, Reported::new(&self.units, &self.roots, &self.background));
        self.carry_out(effect);
        let busy = usize::from(self.following.is_running()) + usize::from(self.compiling.is_running());
        let effects = self.background.start(busy, &self.session, &self.units);
        self.carry_out(effects);
    }

    fn start_unit(&mut self, root: &Arc<str>) {
        let configuration = self.configuration(root);
        let effect = self.units.start(root, configuration, &self.session);
        self.running += usize::from(effect.is_some());
        self.carry_out(effect);
    }

    fn start_search(&mut self) -> bool {
        let (session, projects, roots) = (&self.session, &mut self.projects, &self.roots);
        let step = self.searches.start(&mut Around { session, projects, roots });
        self.tell_complaints();
        let effect = match step {
            None => return false,
            Some(Step::Look(effect)) => {
                self.running += 1;
                effect
            }
            Some(Step::Conclude(effect)) => effect,
        };
        self.carry_out([effect]);
        true
    }

    fn start_closed(&mut self) -> bool {
        let (next, effects) =
            self.workspace.next(&self.session, Reported::new(&self.units, &self.roots, &self.background));
        self.carry_out(effects);
        let Some(path) = next else { return false };
        let configuration = self.configuration(&path);
        let effect = self.workspace.start(path, configuration, &self.session);
        self.running += 1;
        self.carry_out([effect]);
        true
    }
}
