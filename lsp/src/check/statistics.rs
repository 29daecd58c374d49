//! How many findings there are of each diagnostic, the most frequent first.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::report::Report;

pub fn text(report: &Report) -> String {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for finding in &report.findings {
        *counts.entry((finding.code.id, finding.severity.name())).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let width = counts.first().map_or(0, |(_, count)| count.to_string().len());
    let mut out = String::new();
    for ((id, severity), count) in counts {
        let _ = writeln!(out, "{count:>width$}  {severity:<11}  {id}");
    }
    out
}
