//! What is found in all files under all configurations, and in how many of them each finding was.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use coopmat_analysis::NotLookedAt;
use coopmat_analysis::diagnostics::{Code, Severity, codes};
use coopmat_analysis::text::TextRange;
use coopmat_server::embedded::split;

use crate::embedded::file_of;

/// A place in a file, with the text that it is a place of.
#[derive(Clone)]
pub struct Location {
    pub path: Arc<str>,
    pub text: Arc<str>,
    pub range: TextRange,
}

pub struct Finding {
    pub code: &'static Code,
    pub severity: Severity,
    pub message: String,
    /// What was not looked at, where it says that.
    pub unanalysed: Option<String>,
    pub location: Location,
    pub related: Vec<(Location, String)>,
    /// In which runs it was found, in their order; there is at least one.
    pub runs: Vec<usize>,
}

/// One file under one configuration, and how much was found of each severity.
pub struct Run {
    pub path: String,
    pub configuration: String,
    /// The shader that a header was checked as part of, and the name of its configuration.
    pub part_of: Option<(String, String)>,
    pub(super) counts: [usize; 4],
    /// What of the file was not looked at.
    pub unanalysed: Vec<NotLookedAt>,
}

impl Run {
    pub fn new(path: &str, configuration: &str) -> Run {
        Run {
            path: path.to_owned(),
            configuration: configuration.to_owned(),
            part_of: None,
            counts: [0; 4],
            unanalysed: Vec::new(),
        }
    }

    /// The shader that was analysed, and the name of its configuration.
    fn analysed(&self) -> (&str, &str) {
        match &self.part_of {
            Some((shader, configuration)) => (shader, configuration),
            None => (&self.path, &self.configuration),
        }
    }

    pub fn count(&self, severity: Severity) -> usize {
        self.counts[severity as usize]
    }
}

/// What is found in all files.
#[derive(Default)]
pub struct Report {
    pub findings: Vec<Finding>,
    pub runs: Vec<Run>,
    /// Folders that were not searched to their end.
    pub searched: Vec<(String, NotLookedAt)>,
    /// For each file how many configurations it was checked under.
    configurations: HashMap<String, usize>,
    /// The names of the configurations under which each shader was analysed, for itself or for its headers.
    analysed: HashMap<String, HashSet<String>>,
}

/// In how many of the configurations of a finding's shaders it was found.
pub struct Share<'r> {
    pub count: usize,
    pub of: usize,
    /// How many shaders these are configurations of.
    pub shaders: usize,
    /// With the shader in front where there are several.
    pub names: Vec<Cow<'r, str>>,
}

impl Share<'_> {
    /// "in 3 of 47 configurations"; nothing where there is but one.
    pub fn words(&self) -> Option<String> {
        let shaders = if self.shaders > 1 { format!(" of {} shaders", self.shaders) } else { String::new() };
        match (self.count, self.of) {
            (_, 1) => None,
            (count, of) if count == of => Some(format!("in all {of} configurations{shaders}")),
            (count, of) => Some(format!("in {count} of {of} configurations{shaders}")),
        }
    }
}

/// Whether a path stands for a shader in a string of a file.
pub fn is_in_string(path: &str) -> bool {
    split(path).is_some()
}

impl Report {
    pub fn add(&mut self, run: Run) {
        *self.configurations.entry(run.path.clone()).or_default() += 1;
        let (shader, configuration) = run.analysed();
        self.analysed.entry(shader.to_owned()).or_default().insert(configuration.to_owned());
        self.runs.push(run);
    }

    /// The files and shaders in strings that were checked.
    pub fn shaders(&self) -> impl Iterator<Item = &str> {
        self.configurations.keys().map(String::as_str)
    }

    /// How many files were checked.
    pub fn files(&self) -> usize {
        self.shaders().map(file_of).collect::<HashSet<_>>().len()
    }

    /// Whether some file was checked under several configurations.
    pub fn has_several(&self) -> bool {
        self.runs.len() > self.configurations.len()
    }

    /// A comment that allows something is superfluous where no configuration of its file needs it.
    pub(super) fn forget_needed_elsewhere(&mut self) {
        let mut findings = std::mem::take(&mut self.findings);
        findings.retain(|finding| {
            let share = self.share(finding);
            finding.code != &codes::UNUSED_ALLOW || share.count == share.of
        });
        self.findings = findings;
    }

    /// By the first run of its shader, then by place: the shader itself before its headers.
    pub(super) fn sort(&mut self) {
        let mut first_runs: HashMap<&str, usize> = HashMap::new();
        for (number, run) in self.runs.iter().enumerate() {
            first_runs.entry(&run.path).or_insert(number);
        }
        self.findings.sort_by_cached_key(|finding| {
            let shader = &self.runs[finding.runs[0]].path;
            let Location { path, range, .. } = &finding.location;
            (first_runs[shader.as_str()], **path != **shader, path.clone(), range.start())
        });
    }

    pub fn share<'r>(&'r self, finding: &Finding) -> Share<'r> {
        // A header that is checked as part of a shader is no other one.
        let mut seen = HashSet::new();
        let runs = finding.runs.iter().map(|&run| self.runs[run].analysed());
        let runs: Vec<(&str, &str)> = runs.filter(|run| seen.insert(*run)).collect();
        let mut shaders: Vec<&str> = runs.iter().map(|(shader, _)| *shader).collect();
        shaders.sort_unstable();
        shaders.dedup();
        let of = shaders.iter().filter_map(|shader| self.analysed.get(*shader)).map(HashSet::len).sum();
        let names = runs.iter().map(|(shader, configuration)| match shaders.len() {
            1 => Cow::Borrowed(*configuration),
            _ => format!("{shader}: {configuration}").into(),
        });
        Share { count: runs.len(), of, shaders: shaders.len(), names: names.collect() }
    }

    /// What is not compiled under some configuration, although it has no errors there.
    pub fn not_compiled(&self) -> HashSet<&str> {
        let findings = self.findings.iter().filter(|finding| finding.code == &codes::NOT_COMPILED);
        findings.flat_map(|finding| &finding.runs).map(|&run| self.runs[run].path.as_str()).collect()
    }

    /// What was not looked at in each file that has such, in the order of the files, and folders behind them. It is accepted where all configurations of the file accept it.
    pub fn unanalysed(&self) -> Vec<(&str, Vec<NotLookedAt>)> {
        let mut files: Vec<(&str, Vec<NotLookedAt>)> = Vec::new();
        for run in self.runs.iter().filter(|run| !run.unanalysed.is_empty()) {
            // The configurations of a file follow each other.
            if files.last().is_none_or(|(path, _)| *path != run.path) {
                files.push((&run.path, Vec::new()));
            }
            let Some((_, names)) = files.last_mut() else { continue };
            for found in &run.unanalysed {
                match names.iter_mut().find(|known| known.name == found.name) {
                    Some(known) => known.allowed &= found.allowed,
                    None => names.push(found.clone()),
                }
            }
        }
        files.extend(self.searched.iter().map(|(path, found)| (path.as_str(), vec![found.clone()])));
        files
    }

    /// What nobody accepts of that, each once.
    pub fn refused(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let found = self.runs.iter().flat_map(|run| &run.unanalysed);
        for found in found.chain(self.searched.iter().map(|(_, found)| found)) {
            if !found.allowed && !names.contains(&found.name) {
                names.push(found.name.clone());
            }
        }
        names
    }

    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}
