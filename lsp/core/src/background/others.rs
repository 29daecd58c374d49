//! What the configurations of one root that are not in view have to say, put together with what the one in view does.

use std::collections::BTreeMap;
use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use rustc_hash::{FxHashMap, FxHashSet};
use tower_lsp::ls_types::{Diagnostic, DiagnosticSeverity, NumberOrString};

use crate::engine::{self, Report, Reports, Slim};
use crate::projects::Variants;

/// Diagnostics of one root that are kept apart; a mistake at the top of a header can make any number of them in each configuration.
const MOST: usize = 5_000;
/// Names of configurations in a message.
const NAMES: usize = 4;
/// Names that come along for programs.
const NAMES_IN_DATA: usize = 64;

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
    /// Checked, or impossible to check.
    done: usize,
    seen: BTreeMap<Key, Seen>,
    /// What the checks read.
    dependencies: FxHashSet<Arc<str>>,
    /// Errors and warnings of each configuration that is checked.
    counts: FxHashMap<usize, (usize, usize)>,
    /// The reports with what the other configurations say, once they are all checked.
    reports: Option<Reports>,
}

impl Others {
    /// Nothing is known. Without variants there is nothing to check.
    pub fn new(generation: u64, variants: Option<Arc<Variants>>) -> Others {
        Others { generation, variants, ..Others::default() }
    }

    /// Something changed that they read, and the configuration in view does not.
    pub fn again(&mut self, generation: u64) {
        *self = Others::new(generation, self.variants.take());
    }

    pub fn generation(&self) -> u64 {
        self.generation
    }

    pub fn reports(&self) -> Option<&Reports> {
        self.reports.as_ref()
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
    pub fn take_next(&mut self, limit: usize) -> Option<(usize, Arc<Configuration>)> {
        let variants = self.variants.as_ref()?;
        let mut index = self.next;
        if index == variants.in_view {
            index += 1;
        }
        // `next` also counts the one in view once it is passed.
        let others = if index > variants.in_view { index - 1 } else { index };
        let configuration = variants.list.get(index).filter(|_| others < limit)?.clone();
        self.next = index + 1;
        Some((index, configuration))
    }

    /// A check has ended, with what it found if it was possible. Whether it was the last one, so that there are reports now.
    pub fn checked(
        &mut self,
        index: usize,
        found: Option<Slim>,
        in_view: Option<&Reports>,
        limit: usize,
    ) -> bool {
        self.done += 1;
        if let Some(found) = found {
            self.dependencies.extend(found.dependencies);
            self.add(index, found.diagnostics);
        }
        let last = self.done + 1 == self.total(limit);
        if last {
            self.reports = in_view.and_then(|in_view| merged(self, in_view, limit));
        }
        last
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

/// The reports of the configuration in view, with what the others say.
fn merged(others: &Others, in_view: &Reports, limit: usize) -> Option<Reports> {
    let variants = others.variants.as_ref()?;
    let words = Words { variants, total: others.total(limit) };
    let mut left = others.seen.iter().collect::<BTreeMap<_, _>>();
    let mut reports: FxHashMap<Arc<str>, Vec<Diagnostic>> = FxHashMap::default();
    let mut ordinals: BTreeMap<Key, usize> = BTreeMap::new();
    for (path, report) in in_view {
        let merged = reports.entry(path.clone()).or_default();
        for diagnostic in &report.diagnostics {
            let mut diagnostic = diagnostic.clone();
            if !engine::is_about_configuration(&diagnostic) {
                let mut key = key(path, &diagnostic);
                let ordinal = ordinals.entry(key.clone()).or_default();
                key.ordinal = *ordinal;
                *ordinal += 1;
                let also = left.remove(&key).map_or(&[][..], |seen| &seen.configurations);
                if engine::is_about_allowing(&diagnostic) && also.len() + 1 < words.total {
                    continue;
                }
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
            format!(", but not in {}", self.names(&self.except(&with)))
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
        diagnostic.message += &format!("\nin {}, but not in the one in view: {names}", self.of(with.len()));
        let names: Vec<&str> = with.iter().take(NAMES_IN_DATA).map(|&index| self.name(index)).collect();
        diagnostic.data = Some(serde_json::json!({ "configurations": names }));
    }

    fn of(&self, count: usize) -> String {
        let all = self.variants.list.len();
        if self.total == all {
            format!("{count} of {all} configurations")
        } else {
            format!("{count} of the {} configurations checked ({all} in total)", self.total)
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
