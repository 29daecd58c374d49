//! One analysis of one file, reduced to what the reports need.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use coopmat_analysis::config::Configuration;
use coopmat_analysis::diagnostics::Severity;
use coopmat_analysis::text::FileRange;
use coopmat_analysis::{Analysis, Analyzer};

use crate::files::Files;

/// What the analysis said about one file under one configuration.
#[derive(Debug, Default)]
pub struct Outcome {
    pub findings: Vec<Finding>,
    /// Nodes of the expanded text's tree that are errors or missing.
    pub error_nodes: usize,
    /// Bytes after preprocessing.
    pub expanded: usize,
    pub time: Duration,
    /// The analysis panicked, which it must not on any input.
    pub panicked: bool,
}

/// A diagnostic with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub id: &'static str,
    pub severity: Severity,
    pub message: String,
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// The line's text.
    pub text: String,
}

impl Outcome {
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error)
    }
}

/// Analyses `file`. The analyzer is shared by all files of a run, as a server shares it.
pub fn check(analyzer: &Analyzer, files: &Files, file: &str, configuration: &Configuration) -> Outcome {
    let Some(text) = files.get(file) else { return Outcome { panicked: true, ..Outcome::default() } };
    let start = Instant::now();
    let look = || {
        let analysis = analyzer.analyze(file, text, configuration, files, None);
        analysis.late_diagnostics();
        analysis
    };
    let analysis = catch_unwind(AssertUnwindSafe(look));
    let time = start.elapsed();
    let Ok(analysis) = analysis else { return Outcome { panicked: true, time, ..Outcome::default() } };
    Outcome {
        findings: analysis
            .all_diagnostics()
            .map(|diagnostic| {
                let (file, line, text) = place(&analysis, diagnostic.location);
                Finding {
                    id: diagnostic.code.id,
                    severity: diagnostic.severity,
                    message: diagnostic.message.clone(),
                    file,
                    line,
                    text,
                }
            })
            .collect(),
        error_nodes: analysis.tree.as_ref().map_or(0, error_nodes),
        expanded: analysis.preprocessed.text.len(),
        time,
        panicked: false,
    }
}

fn place(analysis: &Analysis, location: FileRange) -> (String, u32, String) {
    let file = &analysis.files()[location.file];
    let line = file.line_index().line_col(location.range.start()).line;
    let text = file.text.lines().nth(line as usize).unwrap_or_default().trim().to_owned();
    (file.path.to_string(), line + 1, text)
}

/// How many nodes of the tree are errors or were made up by error recovery.
pub fn error_nodes(tree: &tree_sitter::Tree) -> usize {
    let mut count = 0;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        count += usize::from(node.is_error() || node.is_missing());
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return count;
            }
        }
    }
}

/// Error nodes of the text as it stands, without preprocessing.
pub fn surface_error_nodes(text: &str) -> usize {
    let mut parser = tree_sitter::Parser::new();
    match parser.set_language(&tree_sitter_glsl_coopmat::LANGUAGE.into()) {
        Ok(()) => parser.parse(text, None).map_or(0, |tree| error_nodes(&tree)),
        Err(_) => usize::MAX,
    }
}

/// Findings that are at the same place with the same id count as one, whatever the definitions make of the message.
#[derive(Default)]
pub struct Distinct(BTreeMap<(Severity, &'static str, String, u32), Site>);

struct Site {
    first: Finding,
    /// Name of the first variant that has it.
    variant: String,
    count: usize,
}

impl Distinct {
    pub fn add(&mut self, variant: &str, finding: &Finding) {
        let key = (finding.severity, finding.id, finding.file.clone(), finding.line);
        let site = self.0.entry(key).or_insert_with(|| Site {
            first: finding.clone(),
            variant: variant.to_owned(),
            count: 0,
        });
        site.count += 1;
    }

    /// One finding of each place.
    pub fn sites(&self, severity: Severity) -> impl Iterator<Item = &Finding> {
        self.0.values().map(|site| &site.first).filter(move |finding| finding.severity == severity)
    }

    pub fn count(&self, severity: Severity) -> usize {
        self.sites(severity).count()
    }

    /// The first `limit` places, each with one message, the line and how often it occurs.
    pub fn print(&self, severity: Severity, limit: usize) {
        let sites: Vec<_> = self.0.values().filter(|site| site.first.severity == severity).collect();
        for site in sites.iter().take(limit) {
            let Finding { id, message, file, line, text, .. } = &site.first;
            println!("  {id} {file}:{line} ({} times, first in {})", site.count, site.variant);
            println!("      {message}");
            println!("      | {text}");
        }
        if sites.len() > limit {
            println!("  ... and {} more places", sites.len() - limit);
        }
    }

    /// For each id, at how many places and how often.
    pub fn print_ids(&self, severity: Severity) {
        let mut ids: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for site in self.0.values().filter(|site| site.first.severity == severity) {
            let entry = ids.entry(site.first.id).or_default();
            entry.0 += 1;
            entry.1 += site.count;
        }
        for (id, (places, count)) in ids {
            println!("  {id}: {places} places, {count} times");
        }
    }
}
