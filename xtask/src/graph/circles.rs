//! Circles: sets of files each of which imports every other, straight or through others.

use std::collections::BTreeMap;

use super::imports::Import;

/// The circles of more than one file, each sorted; the largest first.
pub fn circles(imports: &[Import]) -> Vec<Vec<String>> {
    let mut search = Search::default();
    for Import { from, to, .. } in imports {
        search.next.entry(from).or_default().push(to);
        search.next.entry(to).or_default();
    }
    let files: Vec<&str> = search.next.keys().copied().collect();
    for file in files {
        if !search.order.contains_key(file) {
            search.visit(file);
        }
    }
    search.found.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    search.found
}

/// Tarjan's algorithm.
#[derive(Default)]
struct Search<'a> {
    next: BTreeMap<&'a str, Vec<&'a str>>,
    order: BTreeMap<&'a str, usize>,
    /// Files whose circle is not complete.
    open: Vec<&'a str>,
    found: Vec<Vec<String>>,
}

impl<'a> Search<'a> {
    /// The first of the open files, by order, that this one comes back to.
    fn visit(&mut self, file: &'a str) -> usize {
        let own = self.order.len();
        self.order.insert(file, own);
        self.open.push(file);
        let mut first = own;
        for next in self.next[file].clone() {
            if !self.order.contains_key(next) {
                first = first.min(self.visit(next));
            } else if self.open.contains(&next) {
                first = first.min(self.order[next]);
            }
        }
        if first == own {
            let start = self.open.iter().position(|open| *open == file).unwrap_or_default();
            let mut circle: Vec<String> = self.open.drain(start..).map(str::to_owned).collect();
            if circle.len() > 1 {
                circle.sort();
                self.found.push(circle);
            }
        }
        first
    }
}
