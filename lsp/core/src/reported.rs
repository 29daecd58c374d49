//! What is known of diagnostics: of the analyses in view, and of the other configurations where all are checked.

use std::sync::Arc;

use crate::background::Background;
use crate::engine::{Report, Reports};
use crate::root;
use crate::roots::Roots;
use crate::units::{Unit, Units};

#[derive(Clone, Copy)]
pub struct Reported<'a> {
    pub units: &'a Units,
    pub roots: &'a Roots,
    pub background: &'a Background,
}

impl<'a> Reported<'a> {
    pub fn new(units: &'a Units, roots: &'a Roots, background: &'a Background) -> Reported<'a> {
        Reported { units, roots, background }
    }

    /// What is reported, by path: of the latest analysis, and of the other configurations where they are all checked.
    fn of_unit(self, root: &str, unit: &'a Unit) -> Option<&'a Reports> {
        let merged = self.background.reports(root).filter(|_| unit.fresh());
        merged.or_else(|| unit.checked.as_ref().map(|checked| checked.reports()))
    }

    /// What is reported about a root and its headers.
    pub fn of_root(self, root: &str) -> Option<&'a Reports> {
        self.of_unit(root, self.units.get(root)?)
    }

    /// The same of all roots.
    pub fn all(self) -> impl Iterator<Item = (&'a Arc<str>, &'a Reports)> {
        self.units.iter().filter_map(move |(root, unit)| Some((root, self.of_unit(root, unit)?)))
    }

    /// What is reported about an open document, if that is known for its current text.
    pub fn current(self, path: &str) -> Option<Option<Arc<Report>>> {
        let root = self.roots.of(path)?;
        let unit = self.units.get(root).filter(|unit| unit.fresh())?;
        if unit.failed {
            return Some(None);
        }
        if !unit.contains(path) {
            return None;
        }
        Some(self.of_unit(root, unit).and_then(|reports| reports.get(path)).cloned())
    }

    /// What shaders that include a file say about it.
    pub fn by_includers(self, path: &Arc<str>) -> Vec<&'a Arc<Report>> {
        let others = self.all().filter(|(root, _)| root::path_of(root) != *path);
        others.filter_map(|(_, reports)| reports.get(path)).collect()
    }
}
