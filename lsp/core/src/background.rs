//! What is done while nobody types: the configurations of a root that are not in view are checked one by one, and kept as diagnostics
//! only; when all are done, what is reported says in how many of them it is. And memory of what was closed is given back.

mod others;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use self::others::Others;
use crate::effects::Effect;
use crate::engine::{self, Reports, Slim};
use crate::projects::Variants;
use crate::root;
use crate::session::Session;
use crate::units::{Unit, Units};

/// How long nothing may have been edited before work begins that nobody waits for.
const PAUSE: Duration = Duration::from_millis(300);

pub enum BackgroundEvent {
    /// Nothing has been edited for a while, if there were no more changes than these.
    Paused(u64),
    /// A job has checked a root under a configuration that is not in view.
    Checked {
        root: Arc<str>,
        generation: u64,
        /// In the list of the root's configurations.
        index: usize,
        found: Option<Slim>,
    },
}

/// Whether somebody is typing.
#[derive(Default)]
struct Pause {
    changes: u64,
    waiting: bool,
    over: bool,
    /// Documents were closed since memory was given back.
    closed: bool,
    /// How many jobs had been started, and had ended, when we last looked.
    ended: Option<u64>,
}

#[derive(Default)]
pub struct Background {
    pause: Pause,
    /// Checks under way.
    checking: usize,
    /// Of whatever began last.
    generation: u64,
    /// By root.
    others: FxHashMap<Arc<str>, Others>,
}

impl Background {
    /// Whether nobody types.
    pub fn is_idle(&self) -> bool {
        self.pause.over
    }

    /// How many checks are under way.
    pub fn checking(&self) -> usize {
        self.checking
    }

    /// What is reported about a root and its headers, once all its configurations are checked.
    pub fn reports(&self, root: &str) -> Option<&Reports> {
        self.others.get(root)?.reports()
    }

    /// Errors and warnings of a configuration that is not in view, where it has been checked.
    pub fn count(&self, root: &str, index: usize) -> Option<(usize, usize)> {
        self.others.get(root)?.count(index)
    }

    /// Somebody edits: what is not urgent waits.
    pub fn edited(&mut self) -> Option<Effect<BackgroundEvent>> {
        self.pause.changes += 1;
        self.pause.over = false;
        (!self.pause.waiting).then(|| self.wait_for_pause())
    }

    /// A document was closed: there may be memory to give back.
    pub fn document_closed(&mut self) {
        self.pause.closed = true;
    }

    /// A text is another one now. Roots that read it are analysed anew anyway; of the others it may matter to configurations that are not in view.
    pub fn file_changed(&mut self, path: &str, units: &Units) {
        for (root, others) in &mut self.others {
            let in_view = root::split(root).0 == path || units.get(root).is_some_and(|unit| unit.reads(path));
            if !in_view && others.reads(path) {
                self.generation += 1;
                others.again(self.generation);
            }
        }
    }

    /// The analysis of the configuration in view is fresh: what the others said is about another text.
    pub fn restart(&mut self, root: &Arc<str>, variants: Arc<Variants>, units: &Units) {
        let Some(unit) = units.get(root) else { return };
        self.generation += 1;
        let several = variants.list.len() > 1 && !unit.failed;
        self.others.insert(root.clone(), Others::new(self.generation, several.then_some(variants)));
    }

    /// Forgets the roots that are needed no more.
    pub fn retain(&mut self, units: &Units) {
        self.others.retain(|root, _| units.get(root).is_some());
    }

    /// Starts checks under configurations that are not in view: few at a time, so that there is always room for an edit. `busy`: other
    /// jobs for which nobody waits.
    pub fn start(&mut self, busy: usize, session: &Session, units: &Units) -> Vec<Effect<BackgroundEvent>> {
        let limit = session.settings.configurations.background.limit();
        let most = (session.host.parallelism() / 2).max(1);
        let mut effects = Vec::new();
        while self.pause.over && self.checking + busy < most {
            // What the one in view says comes first, with what is not compiled.
            let is_whole = |unit: &Unit| unit.checked.as_ref().is_some_and(|checked| checked.is_whole());
            let is_ready = |unit: &Unit| unit.fresh() && !unit.failed && is_whole(unit);
            let mut ready: Vec<_> = units.iter().filter(|(_, unit)| is_ready(unit)).collect();
            ready.sort_by_key(|(root, unit)| std::cmp::Reverse((unit.touched, (*root).clone())));
            let next = ready.into_iter().find_map(|(root, _)| {
                let others = self.others.get_mut(root)?;
                let (index, configuration) = others.take_next(limit)?;
                Some((root.clone(), others.generation(), index, configuration))
            });
            let Some((root, generation, index, configuration)) = next else { break };
            let inputs = session.inputs(configuration);
            self.checking += 1;
            effects.push(Effect::work(move |host| {
                let found = catch_unwind(AssertUnwindSafe(|| engine::check_slim(&root, &inputs, host)));
                Some(BackgroundEvent::Checked { root, generation, index, found: found.ok().flatten() })
            }));
        }
        effects
    }

    /// `ended`: how many jobs have been started, if all of them have ended.
    pub fn take(
        &mut self,
        event: BackgroundEvent,
        session: &Session,
        units: &Units,
        ended: Option<u64>,
    ) -> Option<Effect<BackgroundEvent>> {
        match event {
            BackgroundEvent::Paused(changes) => self.paused(changes, session, ended),
            BackgroundEvent::Checked { root, generation, index, found } => {
                self.checking -= 1;
                let unit = units.get(&root).filter(|unit| unit.fresh())?;
                let others = self.others.get_mut(&root).filter(|others| others.generation() == generation)?;
                let limit = session.settings.configurations.background.limit();
                let in_view = unit.checked.as_ref().map(|checked| checked.reports());
                others.checked(index, found, in_view, limit).then_some(Effect::Publish)
            }
        }
    }

    fn wait_for_pause(&mut self) -> Effect<BackgroundEvent> {
        self.pause.waiting = true;
        Effect::Later(PAUSE, BackgroundEvent::Paused(self.pause.changes))
    }

    fn paused(
        &mut self,
        changes: u64,
        session: &Session,
        ended: Option<u64>,
    ) -> Option<Effect<BackgroundEvent>> {
        self.pause.waiting = false;
        if changes != self.pause.changes {
            return Some(self.wait_for_pause());
        }
        self.pause.over = true;
        self.pause.closed.then(|| self.give_memory_back(session, ended))
    }

    /// Once nothing holds on to what was closed: neither a job, nor what a job has sent, which was sent before the end of the job was seen and so
    /// comes before the next pause.
    fn give_memory_back(&mut self, session: &Session, ended: Option<u64>) -> Effect<BackgroundEvent> {
        let before = std::mem::replace(&mut self.pause.ended, ended);
        if ended.is_none() || ended != before {
            return self.wait_for_pause();
        }
        self.pause.closed = false;
        session.analyzer.forget_old_texts();
        Effect::work(|host| {
            host.give_memory_back();
            None
        })
    }
}
