//! The analysis as the server uses it: one check of one file, with its diagnostics already in the client's terms.

use std::sync::{Arc, OnceLock};

pub use coopmat_analysis::{Analysis, Analyzer};

use coopmat_analysis::config::Configuration;
use coopmat_analysis::diagnostics::{Diagnostic, Related, Severity, Tag, codes};
use coopmat_analysis::reparse::common_ends;
use coopmat_analysis::sources::{FileLoader as _, SourceFiles};
use coopmat_analysis::text::{FileId, FileRange, TextRange, TextSize};
use coopmat_analysis::{Later, PERFORMANCE_CODES, Told, told_with};
use rustc_hash::{FxHashMap, FxHashSet};
use tower_lsp::ls_types as lsp;

use crate::documents::{Documents, Loader, text_hash};
use crate::embedded::given::AllGiven;
use crate::host::Host;
use crate::pages;
use crate::performance::kept::Kept;
use crate::positions::{Encoding, LineTable};
use crate::settings::Settings;
use crate::spirv::module::{ModuleOptions, Modules, Outcome, has_errors};

/// What is reported about one file.
#[derive(Debug)]
pub struct Report {
    pub diagnostics: Vec<lsp::Diagnostic>,
    /// Equal for equal diagnostics: the protocol's result id.
    pub id: String,
}

impl Report {
    pub fn new(diagnostics: Vec<lsp::Diagnostic>) -> Report {
        let json = serde_json::to_string(&diagnostics).unwrap_or_default();
        Report { id: format!("{:016x}", text_hash(&json)), diagnostics }
    }
}

/// By path; files without diagnostics are absent.
pub type Reports = FxHashMap<Arc<str>, Arc<Report>>;

/// The outcome of one analysis.
pub struct Checked {
    pub analysis: Arc<Analysis>,
    /// What is told before anybody has looked at the module and at shared memory: errors do not wait for them.
    at_first: Said,
    /// What is told with what was found there.
    in_whole: OnceLock<Said>,
    /// Every path that was asked for, found or not.
    pub dependencies: FxHashSet<Arc<str>>,
    /// What it was compiled to.
    modules: Modules,
    /// What is known of its speed.
    pub speed: Kept,
}

/// What is told of an analysis.
#[derive(Clone)]
struct Said {
    reports: Reports,
    /// Errors and warnings.
    counts: (usize, usize),
    /// What is known or expected not to be compiled and of shared memory, told or not.
    later: Vec<Diagnostic>,
}

impl Checked {
    fn said(&self) -> &Said {
        self.in_whole.get().unwrap_or(&self.at_first)
    }

    /// What is told, as far as it is known.
    pub fn reports(&self) -> &Reports {
        &self.said().reports
    }

    /// Errors and warnings that are told.
    pub fn counts(&self) -> (usize, usize) {
        self.said().counts
    }

    /// Whether everything is known that is told: of a shader with errors there is no module to look at.
    pub fn is_whole(&self) -> bool {
        let may_say_more = !has_errors(&self.analysis) || self.analysis.has_late_checks();
        self.in_whole.get().is_some() || !may_say_more
    }

    /// Looks what is not compiled, and at shared memory.
    pub fn look_at_module(&self, inputs: &Inputs) {
        self.in_whole.get_or_init(|| {
            let found = found_in_module(&self.analysis, inputs, &self.speed);
            said(&self.analysis, Later::Known(found), inputs)
        });
    }

    /// Leaves it at what is known: the module cannot be made.
    pub fn leave_module(&self) {
        self.in_whole.get_or_init(|| self.at_first.clone());
    }

    /// What was found later of this, where the next text still has it: so that nothing goes and comes back while somebody types.
    fn expected(&self, later: &Analysis) -> Vec<Diagnostic> {
        let stays = |diagnostic: &&Diagnostic| {
            // What the module tells goes with it.
            let of_performance = PERFORMANCE_CODES.iter().any(|code| code.id == diagnostic.code.id);
            if diagnostic.code == &codes::NOT_COMPILED || of_performance {
                return !has_errors(later);
            }
            // A barrier that not all come to is told once.
            diagnostic.code != &codes::DIVERGENT_BARRIER
                || !later.diagnostics.iter().any(|known| known.code == diagnostic.code)
        };
        let moved = |diagnostic: &Diagnostic| {
            let location = moved(diagnostic.location, self.analysis.files(), later.files())?;
            let related = diagnostic.related.iter().filter_map(|related| {
                let location = moved(related.location, self.analysis.files(), later.files())?;
                Some(Related { location, message: related.message.clone() })
            });
            Some(Diagnostic { location, related: related.collect(), ..diagnostic.clone() })
        };
        self.said().later.iter().filter(stays).filter_map(moved).collect()
    }

    /// What the analysis is compiled to, which happens when it is first asked for.
    pub fn module(&self, options: &ModuleOptions) -> Outcome {
        self.modules.of(&self.analysis, options)
    }
}

/// What a check reads, apart from the text itself.
pub struct Inputs {
    pub analyzer: Arc<Analyzer>,
    pub documents: Documents,
    pub given: AllGiven,
    pub configuration: Arc<Configuration>,
    pub settings: Arc<Settings>,
    pub encoding: Encoding,
    /// Whether hints tell what a configuration leaves out.
    pub dims_by_hints: bool,
}

/// Checks the file at `root`. `None`: there is no such file.
pub fn check(
    root: &Arc<str>,
    inputs: &Inputs,
    host: &dyn Host,
    previous: Option<&Checked>,
) -> Option<Checked> {
    let loader = Loader::new(&inputs.documents, host, root, &inputs.configuration);
    let text = loader.load(root)?;
    let before = previous.map(|previous| &*previous.analysis);
    let mut analysis = inputs.analyzer.analyze(root, text, &inputs.configuration, &loader, before);
    coopmat_codegen::device::add_diagnostics(&mut analysis);
    let mut dependencies = loader.into_asked();
    dependencies.insert(root.clone());
    let expected = previous.map(|previous| previous.expected(&analysis)).unwrap_or_default();
    Some(Checked {
        at_first: said(&analysis, Later::Expected(expected), inputs),
        in_whole: OnceLock::new(),
        analysis: Arc::new(analysis),
        dependencies,
        modules: Modules::default(),
        speed: Kept::default(),
    })
}

/// What the module tells: what is not compiled, and, as hints, what is known of its speed if that is asked for.
fn found_in_module(analysis: &Analysis, inputs: &Inputs, speed: &Kept) -> Vec<Diagnostic> {
    let mut found = coopmat_codegen::not_compiled(analysis);
    if let Some(known) = speed.found(analysis, &inputs.settings) {
        let hints = known.diagnostics.iter().cloned();
        found.extend(hints.map(|one| Diagnostic { severity: Severity::Hint, ..one }));
    }
    found
}

fn said(analysis: &Analysis, later: Later, inputs: &Inputs) -> Said {
    let found = match &later {
        Later::Known(not_compiled) => [not_compiled, analysis.late_diagnostics()].concat(),
        Later::Expected(found) => found.clone(),
    };
    let told = told_with(analysis, later);
    let count = |wanted| told.diagnostics.iter().filter(|one| one.severity == wanted).count();
    Said {
        reports: reports(analysis, &told, inputs),
        counts: (count(Severity::Error), count(Severity::Warning)),
        later: found,
    }
}

/// A place in files that may have been edited since.
fn moved(location: FileRange, from: &SourceFiles, to: &SourceFiles) -> Option<FileRange> {
    let (old, range) = (&from[location.file], location.range);
    let file = to.find(&old.path)?;
    let new = &to[file];
    if Arc::ptr_eq(&old.text, &new.text) {
        return Some(FileRange { file, range });
    }
    let (prefix, suffix) = common_ends(&old.text, &new.text);
    if usize::from(range.end()) <= prefix {
        return Some(FileRange { file, range });
    }
    let behind = old.text.len() - suffix;
    let start = usize::from(range.start()).checked_sub(behind)? + new.text.len() - suffix;
    Some(FileRange { file, range: TextRange::at(TextSize::new(u32::try_from(start).ok()?), range.len()) })
}

/// A check of which nothing is kept but the diagnostics.
pub struct Slim {
    /// With their paths, in the order of the analysis.
    pub diagnostics: Vec<(Arc<str>, lsp::Diagnostic)>,
    pub dependencies: FxHashSet<Arc<str>>,
}

/// Checks the file at `root` for its diagnostics alone. `None`: there is no such file.
pub fn check_slim(root: &Arc<str>, inputs: &Inputs, host: &dyn Host) -> Option<Slim> {
    let loader = Loader::new(&inputs.documents, host, root, &inputs.configuration);
    let text = loader.load(root)?;
    let mut analysis = inputs.analyzer.analyze(root, text, &inputs.configuration, &loader, None);
    coopmat_codegen::device::add_diagnostics(&mut analysis);
    if inputs.given.get(root).is_some_and(|given| given.always.is_some()) {
        return Some(Slim { diagnostics: Vec::new(), dependencies: loader.into_asked() });
    }
    let mut convert = Convert { files: analysis.files(), inputs, tables: FxHashMap::default() };
    let told =
        told_with(&analysis, Later::Known(found_in_module(&analysis, inputs, &Kept::default()))).diagnostics;
    let wanted = told.iter().filter(|diagnostic| !inputs.is_to_be_written(diagnostic, &analysis));
    let diagnostics = wanted
        .map(|diagnostic| {
            let path = analysis.files()[diagnostic.location.file].path.clone();
            (path, convert.diagnostic(diagnostic))
        })
        .collect();
    Some(Slim { diagnostics, dependencies: loader.into_asked() })
}

/// Whether a diagnostic says what a configuration leaves out, rather than what is wrong in it.
pub fn is_about_configuration(diagnostic: &lsp::Diagnostic) -> bool {
    matches!(&diagnostic.code, Some(lsp::NumberOrString::String(id)) if id == codes::INACTIVE_CODE.id)
}

/// Whether a diagnostic says that nobody has said how a shader is built: news for whoever has it open.
pub fn is_about_guess(diagnostic: &lsp::Diagnostic) -> bool {
    matches!(&diagnostic.code, Some(lsp::NumberOrString::String(id)) if id == codes::MISSING_CONFIGURATION.id)
}

/// Whether a diagnostic says that a comment allows what is not there, which another configuration may need.
pub fn is_about_allowing(diagnostic: &lsp::Diagnostic) -> bool {
    matches!(&diagnostic.code, Some(lsp::NumberOrString::String(id)) if id == codes::UNUSED_ALLOW.id)
}

impl Inputs {
    /// Who opens an empty file is about to write it, and knows that it is empty.
    fn is_to_be_written(&self, diagnostic: &Diagnostic, analysis: &Analysis) -> bool {
        let file = &analysis.files()[diagnostic.location.file];
        diagnostic.code.id == codes::MISSING_MAIN.id
            && file.text.trim().is_empty()
            && self.documents.get(&file.path).is_some()
    }
}

/// A note in the place of what was found, where a shader in a string is not known whole.
fn instead(analysis: &Analysis, told: &Told, inputs: &Inputs) -> Option<Reports> {
    let path = &analysis.files()[FileId::ROOT].path;
    let found = told.diagnostics.iter().map(|diagnostic| diagnostic.code.id);
    let note = inputs.given.get(path)?.instead(found)?;
    let told = analysis.config.levels.severity(note.code, path).map(|level| lsp::Diagnostic {
        range: note.range,
        severity: Some(severity(level)),
        code: Some(lsp::NumberOrString::String(note.code.id.to_owned())),
        code_description: pages::uri(note.code).map(|href| lsp::CodeDescription { href }),
        source: Some("coopmat-analyzer".to_owned()),
        message: note.message.clone(),
        ..lsp::Diagnostic::default()
    });
    let report = Arc::new(Report::new(told.into_iter().collect()));
    Some(FxHashMap::from_iter([(path.clone(), report)]))
}

fn reports(analysis: &Analysis, told: &Told, inputs: &Inputs) -> Reports {
    if let Some(instead) = instead(analysis, told, inputs) {
        return instead;
    }
    let mut convert = Convert { files: analysis.files(), inputs, tables: FxHashMap::default() };
    let mut by_path: FxHashMap<Arc<str>, Vec<lsp::Diagnostic>> = FxHashMap::default();
    let inactive = if inputs.dims_by_hints { told.inactive.as_slice() } else { &[] };
    for diagnostic in told.diagnostics.iter().chain(inactive) {
        if inputs.is_to_be_written(diagnostic, analysis) {
            continue;
        }
        let path = analysis.files()[diagnostic.location.file].path.clone();
        by_path.entry(path).or_default().push(convert.diagnostic(diagnostic));
    }
    by_path.into_iter().map(|(path, diagnostics)| (path, Arc::new(Report::new(diagnostics)))).collect()
}

/// Turns the analysis' terms into the client's.
pub struct Convert<'a> {
    files: &'a SourceFiles,
    inputs: &'a Inputs,
    tables: FxHashMap<u32, LineTable>,
}

impl Convert<'_> {
    fn range(&mut self, location: FileRange) -> lsp::Range {
        let file = &self.files[location.file];
        // The table of an open document is at hand, if it is the text that was analysed.
        if let Some(document) = self.inputs.documents.get(&file.path)
            && Arc::ptr_eq(&document.text, &file.text)
        {
            return document.lines.range(&file.text, location.range, self.inputs.encoding);
        }
        let table = self.tables.entry(location.file.0).or_insert_with(|| LineTable::new(&file.text));
        table.range(&file.text, location.range, self.inputs.encoding)
    }

    fn location(&mut self, location: FileRange) -> Option<lsp::Location> {
        let uri = self.inputs.documents.uri(&self.files[location.file].path)?;
        Some(lsp::Location { uri, range: self.range(location) })
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> lsp::Diagnostic {
        let related: Vec<_> = diagnostic
            .related
            .iter()
            .filter_map(|related| {
                let location = self.location(related.location)?;
                Some(lsp::DiagnosticRelatedInformation { location, message: related.message.clone() })
            })
            .collect();
        lsp::Diagnostic {
            range: self.range(diagnostic.location),
            severity: Some(severity(diagnostic.severity)),
            code: Some(lsp::NumberOrString::String(diagnostic.code.id.to_owned())),
            code_description: pages::uri(diagnostic.code).map(|href| lsp::CodeDescription { href }),
            source: Some("coopmat-analyzer".to_owned()),
            message: diagnostic.message.clone(),
            related_information: (!related.is_empty()).then_some(related),
            tags: diagnostic.code.tag.map(|tag| {
                vec![match tag {
                    Tag::Unnecessary => lsp::DiagnosticTag::UNNECESSARY,
                    Tag::Deprecated => lsp::DiagnosticTag::DEPRECATED,
                }]
            }),
            data: None,
        }
    }
}

fn severity(severity: Severity) -> lsp::DiagnosticSeverity {
    match severity {
        Severity::Error => lsp::DiagnosticSeverity::ERROR,
        Severity::Warning => lsp::DiagnosticSeverity::WARNING,
        Severity::Information => lsp::DiagnosticSeverity::INFORMATION,
        Severity::Hint => lsp::DiagnosticSeverity::HINT,
    }
}
