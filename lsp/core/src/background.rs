//! The configurations of a root that are not in view: checked one by one while nothing else is to do, and kept as
//! diagnostics only. When all are done, what is reported says in how many of them it is.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use tower_lsp::ls_types::{Diagnostic, DiagnosticSeverity, NumberOrString};

use crate::engine::{self, Inputs, Report, Slim};
use crate::events::Event;
use crate::projects::Variants;
use crate::server::Server;
use crate::units::Unit;

/// How long nothing may have been edited before work begins that nobody waits for.
const PAUSE: Duration = Duration::from_millis(300);

/// Diagnostics of one root that are kept apart; a mistake at the top of a header can make any number of them in each configuration.
const MOST: usize = 5_000;
/// Names of configurations in a message.
const NAMES: usize = 4;
/// Names that come along for programs.
const NAMES_IN_DATA: usize = 64;

/// Whether somebody is typing.
#[derive(Default)]
pub struct Pause {
    changes: u64,
    waiting: bool,
    pub over: bool,
    /// Documents were closed since memory was given back.
    pub closed: bool,
    /// How many jobs had been started, and had ended, when we last looked.
    ended: Option<u64>,
}

/// What makes two diagnostics of different configurations the same: the place, the id, and the how manieth it is there. The
/// words may differ, since they show sizes and types.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    path: Arc<str>,
    place: [u32; 4],
    id: String,
    ordinal: usize,
}

struct Seen {
    /// Of the first configuration that has it, in the order of the list.
    first: usize,
    diagnostic: Diagnostic,
    configurations: Vec<usize>,
}

/// The state of one root.
#[derive(Default)]
pub struct Others {
    /// What the checks belong to; a new one when anything changed.
    generation: u64,
    variants: Option<Arc<Variants>>,
    /// The next of the list to check.
    next: usize,
    running: usize,
    /// Checked, or impossible to check.
    done: usize,
    seen: BTreeMap<Key, Seen>,
    /// What the checks read.
    dependencies: FxHashSet<Arc<str>>,
    /// Errors and warnings of each configuration that is checked.
    counts: FxHashMap<usize, (usize, usize)>,
    /// The reports with what the other configurations say, once they are all checked.
    pub reports: Option<FxHashMap<Arc<str>, Arc<Report>>>,
}

impl Others {
    /// Something changed that they read, and the configuration in view does not.
    pub fn again(&mut self) {
        let variants = self.variants.take();
        self.restart();
        self.variants = variants;
    }

    /// Something changed: nothing that is known holds.
    pub fn restart(&mut self) {
        *self = Others { generation: self.generation + 1, running: self.running, ..Others::default() };
    }

    pub fn reads(&self, path: &str) -> bool {
        self.dependencies.contains(path)
    }

    /// Errors and warnings of a configuration, where it has been checked.
    pub fn count(&self, index: usize) -> Option<(usize, usize)> {
        self.counts.get(&index).copied()
    }

    fn total(&self, limit: usize) -> usize {
        let list = self.variants.as_ref().map_or(0, |variants| variants.list.len());
        list.min(limit.saturating_add(1))
    }

    /// The next configuration to check: those of the list in their order, without the one in view.
    fn take_next(&mut self, limit: usize) -> Option<usize> {
        let variants = self.variants.as_ref()?;
        let mut index = self.next;
        if index == variants.in_view {
            index += 1;
        }
        // `next` also counts the one in view once it is passed.
        let others = if index > variants.in_view { index - 1 } else { index };
        (index < variants.list.len() && others < limit).then(|| {
            self.next = index + 1;
            index
        })
    }

    fn add(&mut self, index: usize, diagnostics: Vec<(Arc<str>, Diagnostic)>) {
        let severe = |wanted: DiagnosticSeverity| {
            diagnostics.iter().filter(|(_, diagnostic)| diagnostic.severity == Some(wanted)).count()
        };
        let counts = (severe(DiagnosticSeverity::ERROR), severe(DiagnosticSeverity::WARNING));
        self.counts.insert(index, counts);
        let mut ordinals: BTreeMap<Key, usize> = BTreeMap::new();
        for (path, diagnostic) in diagnostics {
            let mut key = key(&path, &diagnostic);
            let ordinal = ordinals.entry(key.clone()).or_default();
            key.ordinal = *ordinal;
            *ordinal += 1;
            if self.seen.len() >= MOST && !self.seen.contains_key(&key) {
                continue;
            }
            let new = || Seen { first: index, diagnostic: diagnostic.clone(), configurations: Vec::new() };
            let seen = self.seen.entry(key).or_insert_with(new);
            if index < seen.first {
                seen.first = index;
                seen.diagnostic = diagnostic;
            }
            seen.configurations.push(index);
        }
    }
}

fn key(path: &Arc<str>, diagnostic: &Diagnostic) -> Key {
    let range = diagnostic.range;
    let id = match &diagnostic.code {
        Some(NumberOrString::String(id)) => id.clone(),
        Some(NumberOrString::Number(number)) => number.to_string(),
        None => String::new(),
    };
    let place = [range.start.line, range.start.character, range.end.line, range.end.character];
    Key { path: path.clone(), place, id, ordinal: 0 }
}

impl Server {
    /// Somebody edits: what is not urgent waits.
    pub(crate) fn not_idle(&mut self) {
        self.pause.changes += 1;
        self.pause.over = false;
        if !self.pause.waiting {
            self.wait_for_pause();
        }
    }

    fn wait_for_pause(&mut self) {
        self.pause.waiting = true;
        let (changes, events) = (self.pause.changes, self.events.clone());
        let tell = move || drop(events.unbounded_send(Event::Paused(changes)));
        self.host.later(PAUSE, Box::new(tell));
    }

    pub(crate) fn paused(&mut self, changes: u64) {
        self.pause.waiting = false;
        if changes != self.pause.changes {
            return self.wait_for_pause();
        }
        self.pause.over = true;
        if self.pause.closed {
            self.give_memory_back();
        }
    }

    /// Once nothing holds on to what was closed: neither a job, nor what a job has sent, which was sent before the end of the job was seen and so
    /// comes before the next pause.
    fn give_memory_back(&mut self) {
        let ended = self.jobs.all_ended();
        let before = std::mem::replace(&mut self.pause.ended, ended);
        if ended.is_none() || ended != before {
            return self.wait_for_pause();
        }
        self.pause.closed = false;
        self.analyzer.forget_old_texts();
        let host = self.host.clone();
        self.jobs.spawn(move || host.give_memory_back());
    }

    /// The analysis of the configuration in view is fresh: what the others said is about another text.
    pub(crate) fn restart_others(&mut self, root: &Arc<str>) {
        let variants = self.variants(root);
        let Some(unit) = self.units.get_mut(root) else { return };
        unit.others.restart();
        if variants.list.len() > 1 && !unit.failed {
            unit.others.variants = Some(variants);
        }
    }

    /// Starts checks under configurations that are not in view: few at a time, so that there is always room for an edit.
    pub(crate) fn start_others(&mut self) {
        let limit = self.settings.configurations.background.limit();
        let most = (self.host.parallelism() / 2).max(1);
        while self.pause.over && self.running == 0 && self.background < most {
            let mut ready: Vec<_> =
                self.units.iter().filter(|(_, unit)| unit.fresh() && !unit.failed).collect();
            ready.sort_by_key(|(root, unit)| std::cmp::Reverse((unit.touched, (*root).clone())));
            let roots: Vec<Arc<str>> = ready.into_iter().map(|(root, _)| root.clone()).collect();
            let next = roots.into_iter().find_map(|root| {
                let others = &mut self.units.get_mut(&root)?.others;
                let index = others.take_next(limit)?;
                others.running += 1;
                let configuration = others.variants.as_ref()?.list.get(index)?.clone();
                Some((root, others.generation, index, configuration))
            });
            let Some((root, generation, index, configuration)) = next else { return };
            let inputs = Inputs {
                analyzer: self.analyzer.clone(),
                documents: self.documents.clone(),
                configuration,
                settings: self.settings.clone(),
                encoding: self.encoding,
            };
            self.background += 1;
            let (host, events) = (self.host.clone(), self.events.clone());
            self.jobs.spawn(move || {
                let found = catch_unwind(AssertUnwindSafe(|| engine::check_slim(&root, &inputs, &*host)));
                drop(inputs);
                let found = found.ok().flatten();
                let _ = events.unbounded_send(Event::OtherChecked { root, generation, index, found });
            });
        }
    }

    pub(crate) fn other_checked(
        &mut self,
        root: &Arc<str>,
        generation: u64,
        index: usize,
        found: Option<Slim>,
    ) {
        self.background -= 1;
        let limit = self.settings.configurations.background.limit();
        let Some(unit) = self.units.get_mut(root) else { return };
        unit.others.running -= 1;
        if unit.others.generation != generation || !unit.fresh() {
            return;
        }
        let others = &mut unit.others;
        others.done += 1;
        if let Some(found) = found {
            others.dependencies.extend(found.dependencies);
            others.add(index, found.diagnostics);
        }
        if others.done + 1 == others.total(limit) {
            let reports = merged(unit, limit);
            unit.others.reports = reports;
            self.publish();
        }
    }
}

/// The reports of the configuration in view, with what the others say.
fn merged(unit: &Unit, limit: usize) -> Option<FxHashMap<Arc<str>, Arc<Report>>> {
    let others = &unit.others;
    let variants = others.variants.as_ref()?;
    let words = Words { variants, total: others.total(limit) };
    let mut left = others.seen.iter().collect::<BTreeMap<_, _>>();
    let mut reports: FxHashMap<Arc<str>, Vec<Diagnostic>> = FxHashMap::default();
    let mut ordinals: BTreeMap<Key, usize> = BTreeMap::new();
    for (path, report) in &unit.checked.as_ref()?.reports {
        let merged = reports.entry(path.clone()).or_default();
        for diagnostic in &report.diagnostics {
            let mut diagnostic = diagnostic.clone();
            if !engine::is_about_configuration(&diagnostic) {
                let mut key = key(path, &diagnostic);
                let ordinal = ordinals.entry(key.clone()).or_default();
                key.ordinal = *ordinal;
                *ordinal += 1;
                let also = left.remove(&key).map_or(&[][..], |seen| &seen.configurations);
                words.add_to_one_in_view(&mut diagnostic, also);
            }
            merged.push(diagnostic);
        }
    }
    for (key, seen) in left {
        // What only tidies up, such as an unused variable, would mislead where the code is used.
        if seen.diagnostic.severity.is_some_and(|severity| severity < DiagnosticSeverity::HINT) {
            let mut diagnostic = seen.diagnostic.clone();
            words.add_to_another(&mut diagnostic, &seen.configurations);
            reports.entry(key.path.clone()).or_default().push(diagnostic);
        }
    }
    let report = |(path, mut diagnostics): (Arc<str>, Vec<Diagnostic>)| {
        diagnostics.sort_by_key(|diagnostic| (diagnostic.range.start, diagnostic.range.end));
        (path, Arc::new(Report::new(diagnostics)))
    };
    Some(reports.into_iter().map(report).collect())
}

/// The words that say in which configurations something is.
struct Words<'a> {
    variants: &'a Variants,
    /// How many were checked, with the one in view.
    total: usize,
}

impl Words<'_> {
    /// `also`: the others that have it.
    fn add_to_one_in_view(&self, diagnostic: &mut Diagnostic, also: &[usize]) {
        let mut with: Vec<usize> = also.to_vec();
        with.push(self.variants.in_view);
        let count = with.len();
        if count >= self.total {
            return;
        }
        // The shorter list of names says more.
        let without = self.total - count;
        let names = if without < count {
            format!(", not in {}", self.names(&self.except(&with)))
        } else {
            with.sort_unstable();
            format!(": {}", self.names(&with))
        };
        diagnostic.message += &format!("\nin {}{names}", self.of(count));
    }

    fn add_to_another(&self, diagnostic: &mut Diagnostic, with: &[usize]) {
        let mut with = with.to_vec();
        with.sort_unstable();
        let names = self.names(&with);
        diagnostic.message += &format!("\nin {}, not in the one in view: {names}", self.of(with.len()));
        let names: Vec<&str> = with.iter().take(NAMES_IN_DATA).map(|&index| self.name(index)).collect();
        diagnostic.data = Some(serde_json::json!({ "configurations": names }));
    }

    fn of(&self, count: usize) -> String {
        let all = self.variants.list.len();
        if self.total == all {
            format!("{count} of {all} configurations")
        } else {
            format!("{count} of the {} configurations that were checked ({all} in all)", self.total)
        }
    }

    /// Those that were checked, without some.
    fn except(&self, some: &[usize]) -> Vec<usize> {
        let mut checked: Vec<usize> =
            (0..self.variants.list.len()).filter(|index| *index != self.variants.in_view).collect();
        checked.truncate(self.total.saturating_sub(1));
        checked.retain(|index| !some.contains(index));
        checked
    }

    fn name(&self, index: usize) -> &str {
        self.variants.list.get(index).map_or("", |one| &one.name)
    }

    fn names(&self, indices: &[usize]) -> String {
        let names: Vec<_> =
            indices.iter().take(NAMES).map(|&index| format!("`{}`", self.name(index))).collect();
        let more = indices.len() - names.len();
        let names = names.join(", ");
        if more == 0 { names } else { format!("{names} and {more} more") }
    }
}
