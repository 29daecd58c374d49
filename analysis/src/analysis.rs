//! One analysis: a file under one configuration, run through the whole flow, immutable afterwards.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;
use tree_sitter::Tree;

use crate::checks::{Findings, Found, like};
use crate::config::Configuration;
use crate::diagnostics::{Code, Diagnostic, Related, Severity, Tag, codes};
use crate::guess::Guess;
use crate::hir::{Body, BodyDiagnostic, FunctionId, Module, Place};
use crate::lower::{self, suggestion};
use crate::near_macros::NearMacros;
use crate::preprocess::{PreprocessCache, Preprocessed};
use crate::reparse::{self, Parsed};
use crate::sources::{FileLoader, SourceFiles};
use crate::syntax_errors::SyntaxErrors;
use crate::text::{FileId, FileRange, TextRange, TextSize};

/// Analyses files. One serves a whole project: what it keeps between runs (cut-up files) depends on texts alone.
#[derive(Default)]
pub struct Analyzer {
    cache: PreprocessCache,
}

/// What is known about a file under one configuration.
#[derive(Debug)]
pub struct Analysis {
    /// Under which the file was analysed.
    pub config: Configuration,
    /// The text that all else is of, its files and its macros.
    pub preprocessed: Preprocessed,
    /// Of the expanded text.
    pub tree: Option<Tree>,
    /// The typed program; what could not be read is left out of it or an error in it.
    pub module: Module,
    /// What was found in finished bodies.
    findings: Findings,
    /// Of every file that took part, sorted by place; the file that was asked for first. What they say decides about validity. Those about shared
    /// memory are [`Analysis::late_diagnostics`].
    pub diagnostics: Vec<Diagnostic>,
    /// What is found about shared memory, once somebody has asked.
    late: OnceLock<Vec<Diagnostic>>,
    /// What another compiler refuses, where the configuration asks for it; sorted alike. It says nothing about validity.
    pub refusals: Vec<Diagnostic>,
    /// What other crates made of it.
    pub beside: Beside,
}

/// What a crate above makes of an analysis once, and keeps with it.
#[derive(Debug, Default)]
pub struct Beside(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Beside {
    /// What was made before, else what is made now. One crate alone keeps things here: a value of another type is made anew.
    pub fn get_or_init<T: Any + Send + Sync>(&self, make: impl Fn() -> T) -> Arc<T> {
        let kept = self.0.get_or_init(|| Arc::new(make())).clone();
        kept.downcast().unwrap_or_else(|_| Arc::new(make()))
    }
}

/// What the grammar accepts, but is more often a missing bracket or semicolon.
const DOUBTFUL: [&Code; 5] = [
    &codes::SYNTAX_ERROR,
    &codes::MISPLACED_STATEMENT,
    &codes::QUALIFIER_MISUSE,
    &codes::UNKNOWN_QUALIFIER,
    &codes::UNDECLARED_TYPE,
];

/// What follows from a brace that is missing or superfluous: scopes and functions end elsewhere.
const OF_BRACES: [&Code; 5] = [
    &codes::MISPLACED_STATEMENT,
    &codes::QUALIFIER_MISUSE,
    &codes::UNDECLARED_NAME,
    &codes::UNDECLARED_TYPE,
    &codes::REDEFINITION,
];

/// Analyses one file. Whoever analyses more than one keeps an [`Analyzer`].
pub fn analyze(
    path: &str,
    text: Arc<str>,
    config: &Configuration,
    loader: &dyn FileLoader,
    previous: Option<&Analysis>,
) -> Analysis {
    Analyzer::default().analyze(path, text, config, loader, previous)
}

fn type_arguments_too_deep(text: &str) -> Option<TextRange> {
    reparse::type_arguments_deeper_than(lower::MAX_NESTING as usize, text)
}

impl Analyzer {
    /// `previous` is an earlier analysis of the same file, from which all that an edit left alone is taken.
    pub fn analyze(
        &self,
        path: &str,
        text: Arc<str>,
        config: &Configuration,
        loader: &dyn FileLoader,
        previous: Option<&Analysis>,
    ) -> Analysis {
        self.finish(self.cache.preprocess(path, text, config, loader), config, previous)
    }

    /// Lets go of what is kept for texts that nobody holds any more. It happens by itself when many have come together.
    pub fn forget_old_texts(&self) {
        self.cache.forget_old_texts();
    }

    /// The first step alone: macros and tokens are known, and nothing of the program.
    pub fn preprocess(
        &self,
        path: &str,
        text: Arc<str>,
        config: &Configuration,
        loader: &dyn FileLoader,
    ) -> Analysis {
        Analysis {
            config: config.clone(),
            preprocessed: self.cache.preprocess(path, text, config, loader),
            tree: None,
            module: Module::default(),
            findings: Findings::default(),
            diagnostics: Vec::new(),
            late: OnceLock::new(),
            refusals: Vec::new(),
            beside: Beside::default(),
        }
    }

    /// The steps behind the first.
    pub fn complete(&self, preprocessed: Analysis) -> Analysis {
        self.finish(preprocessed.preprocessed, &preprocessed.config, None)
    }

    fn finish(
        &self,
        preprocessed: Preprocessed,
        config: &Configuration,
        previous: Option<&Analysis>,
    ) -> Analysis {
        let previous = previous.filter(|previous| previous.config == *config);
        let parsed = previous.and_then(|previous| {
            let tree = previous.tree.as_ref()?;
            Some(Parsed { text: &previous.preprocessed.text, tree })
        });
        let hostile = preprocessed.incomplete || type_arguments_too_deep(&preprocessed.text).is_some();
        let tree = if hostile { None } else { reparse::parse(&preprocessed.text, parsed) };
        let module = match &tree {
            Some(tree) => lower::lower(
                &preprocessed.text,
                tree,
                config,
                &preprocessed,
                previous.map(|previous| lower::Previous {
                    module: &previous.module,
                    text: &previous.preprocessed.text,
                }),
            ),
            None => Module::default(),
        };
        let before = previous.map(|previous| (&previous.module, &previous.findings));
        let findings = Findings::of(&module, config, before);
        let mut analysis = Analysis {
            config: config.clone(),
            preprocessed,
            tree,
            module,
            findings,
            diagnostics: Vec::new(),
            late: OnceLock::new(),
            refusals: Vec::new(),
            beside: Beside::default(),
        };
        analysis.diagnostics = analysis.collect_diagnostics();
        analysis.refusals = analysis.collect_refusals();
        analysis
    }
}

impl Analyzer {
    /// Whether a file includes another, at any depth, under a configuration. `is_it` is asked about the path of each file.
    pub fn includes(
        &self,
        path: &str,
        text: Arc<str>,
        config: &Configuration,
        loader: &dyn FileLoader,
        is_it: impl Fn(&str) -> bool,
    ) -> bool {
        let files = self.cache.preprocess(path, text, config, loader).files;
        files.iter().skip(1).any(|(_, file)| is_it(&file.path))
    }
}

impl Analysis {
    /// The files that took part; the one that was asked for is [`FileId::ROOT`].
    pub fn files(&self) -> &SourceFiles {
        &self.preprocessed.files
    }

    /// Regions that the preprocessor left out, as hints that editors dim.
    pub fn inactive_regions(&self) -> Vec<Diagnostic> {
        let inactive = self.preprocessed.inactive.iter();
        inactive
            .map(|&location| Diagnostic {
                code: &codes::INACTIVE_CODE,
                severity: codes::INACTIVE_CODE.severity,
                message: format!("not compiled in the configuration `{}`", self.config.name),
                location,
                related: Vec::new(),
            })
            .collect()
    }

    /// Whether a place is on a line after the name of a macro whose arguments have no end, which is reported: the line is read as it is.
    fn is_cut_off_call(&self, place: FileRange) -> bool {
        let mut calls = self.preprocessed.diagnostics.iter().filter(|diagnostic| {
            *diagnostic.code == codes::PREPROCESSOR_MACRO_UNTERMINATED
                && diagnostic.location.file == place.file
                && diagnostic.location.range.start() <= place.range.start()
        });
        calls.any(|call| {
            let (start, end) = (call.location.range.start(), place.range.start());
            let text = &self.preprocessed.files[place.file].text;
            let between = text.get(usize::from(start)..usize::from(end));
            between.is_some_and(|between| !between.contains('\n'))
        })
    }

    fn syntax_errors(&self, guess: Option<&Guess<'_>>) -> SyntaxErrors {
        let Some(tree) = &self.tree else { return SyntaxErrors::default() };
        let doubtful = self.module.bodies().any(|(body, base, _)| {
            let mut errors = body.diagnostics.iter().filter(|found| found.severity == Severity::Error);
            errors.any(|error| match guess {
                // What an unknown macro may stand for is not doubted.
                Some(guess) => error.code == &codes::SYNTAX_ERROR && !guess.takes_syntax(error.range + base),
                None => DOUBTFUL.contains(&error.code),
            })
        });
        SyntaxErrors::of(tree, &self.preprocessed.text, doubtful)
    }

    fn collect_diagnostics(&self) -> Vec<Diagnostic> {
        let near = NearMacros::new(&self.preprocessed);
        let guess = self.config.guessed.then(|| Guess::of(self, &near));
        let mut diagnostics = self.preprocessed.diagnostics.clone();
        if let Some(guess) = &guess {
            diagnostics.retain(|diagnostic| !guess.takes_of_text(diagnostic));
        }
        let syntax = self.syntax_errors(guess.as_ref());
        let prelude = lower::Prelude::new(&self.config, &self.preprocessed);
        for problem in lower::extension_gates(&prelude) {
            let Some(event) = self.preprocessed.extensions.get(problem.state) else { continue };
            diagnostics.push(Diagnostic {
                code: problem.code,
                severity: problem.code.severity,
                message: problem.message,
                // Who accepts what is not analysed names the text at its place.
                location: match problem.code.unanalysed {
                    Some(_) => event.name_range,
                    None => event.range,
                },
                related: Vec::new(),
            });
        }
        let version = self.preprocessed.version.as_ref();
        // What has no entry point is part of another text, whose version counts.
        if self.module.functions.iter().any(|(_, function)| function.name == "main")
            && let Some(message) = lower::version_gate(&prelude, version.is_some())
        {
            diagnostics.push(Diagnostic {
                code: &codes::MISSING_VERSION,
                severity: codes::MISSING_VERSION.severity,
                message,
                location: version.map_or_else(|| first_line(&self.preprocessed), |version| version.range),
                related: Vec::new(),
            });
        }
        // Places that the parser could not read because of a macro; what the reader says about their statements follows from that.
        let taken: Vec<TextRange> = match &guess {
            Some(guess) => syntax.unread.iter().copied().filter(|&place| guess.takes_syntax(place)).collect(),
            None => Vec::new(),
        };
        for error in &syntax.errors {
            if taken.iter().any(|&place| syntax.same_zone(place, error.range))
                || guess.as_ref().is_some_and(|guess| guess.takes_syntax(error.range))
            {
                continue;
            }
            let placed = self.place_diagnostic(
                &BodyDiagnostic {
                    code: &codes::SYNTAX_ERROR,
                    severity: codes::SYNTAX_ERROR.severity,
                    message: error.message.clone(),
                    range: error.range,
                    related: error
                        .related
                        .iter()
                        .map(|(at, text)| (Place::Here(*at), text.clone()))
                        .collect(),
                },
                TextSize::new(0),
                None,
            );
            if !self.is_cut_off_call(placed.location) {
                diagnostics.push(placed);
            }
        }
        if self.tree.is_none()
            && let Some(range) = type_arguments_too_deep(&self.preprocessed.text)
        {
            let diagnostic = BodyDiagnostic {
                code: &codes::NESTING_TOO_DEEP,
                severity: codes::NESTING_TOO_DEEP.severity,
                message: format!(
                    "type arguments are nested more than {} levels deep: the text is not analysed",
                    lower::MAX_NESTING
                ),
                range,
                related: Vec::new(),
            };
            diagnostics.push(self.place_diagnostic(&diagnostic, TextSize::new(0), None));
        }
        for (body, base, function) in self.module.bodies() {
            self.collect_body((body, base, function), &syntax, guess.as_ref(), &near, &mut diagnostics);
        }
        for found in self.findings.iter(&self.module) {
            if !syntax.covers(found.diagnostic.range + found.base) {
                diagnostics.push(self.place_diagnostic(&found.diagnostic, found.base, found.function));
            }
        }
        if let Some(guess) = guess {
            guess.finish(first_line(&self.preprocessed), &mut diagnostics);
        }
        arrange(&mut diagnostics);
        diagnostics
    }

    /// What is told of shared memory, which is looked at when somebody first asks: it takes longer than the rest, says nothing about validity, and
    /// an editor's answers do not wait for it.
    pub fn late_diagnostics(&self) -> &[Diagnostic] {
        self.late.get_or_init(|| {
            let found = self.findings.late(&self.module, &self.config);
            if found.is_empty() {
                return Vec::new();
            }
            let near = NearMacros::new(&self.preprocessed);
            let guess = self.config.guessed.then(|| Guess::of(self, &near));
            let syntax = self.syntax_errors(guess.as_ref());
            let readable = found.iter().filter(|found| !syntax.covers(found.diagnostic.range + found.base));
            let mut diagnostics: Vec<Diagnostic> = readable
                .map(|found| self.place_diagnostic(&found.diagnostic, found.base, found.function))
                .collect();
            arrange(&mut diagnostics);
            diagnostics
        })
    }

    /// Whether [`Analysis::late_diagnostics`] has anything to look at.
    pub fn has_late_checks(&self) -> bool {
        Findings::has_late(&self.module)
    }

    /// What is found by the time that everybody has been asked: those of `diagnostics` and the late ones.
    pub fn all_diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().chain(self.late_diagnostics())
    }

    /// What is wrong by the language is no news as a refusal, and of a program that is not understood nothing is known.
    fn collect_refusals(&self) -> Vec<Diagnostic> {
        if self.config.like.is_none() {
            return Vec::new();
        }
        let found = like::refusals(&self.module, &self.config);
        let mut refusals: Vec<Diagnostic> = found
            .iter()
            .map(|found| self.place_diagnostic(&found.diagnostic, found.base, found.function))
            .collect();
        refusals.extend(self.diagnostics.iter().filter_map(|told| like::raise(&self.config, told)));
        let errors: FxHashSet<FileRange> = self
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .map(|diagnostic| diagnostic.location)
            .collect();
        refusals.retain(|refusal| !errors.contains(&refusal.location));
        arrange(&mut refusals);
        refusals
    }

    /// Adds what a crate above found.
    pub fn add(&mut self, found: impl IntoIterator<Item = Found>) {
        let mut diagnostics = std::mem::take(&mut self.diagnostics);
        let placed = found
            .into_iter()
            .map(|found| self.place_diagnostic(&found.diagnostic, found.base, found.function));
        diagnostics.extend(placed);
        arrange(&mut diagnostics);
        self.diagnostics = diagnostics;
    }

    fn expanded_text(&self, range: TextRange) -> Option<&str> {
        self.preprocessed.text.get(usize::from(range.start())..usize::from(range.end()))
    }

    fn collect_body<'a>(
        &self,
        (body, base, function): (&'a Body, TextSize, Option<FunctionId>),
        syntax: &SyntaxErrors,
        guess: Option<&Guess<'a>>,
        near: &NearMacros<'_>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let guess = guess.map(|guess| guess.of_body(body, base));
        for diagnostic in &body.diagnostics {
            if syntax.covers(diagnostic.range + base)
                || (syntax.braces && OF_BRACES.contains(&diagnostic.code))
                || (diagnostic.severity == Severity::Error
                    && *diagnostic.code != codes::SYNTAX_ERROR
                    && self.expanded_text(diagnostic.range + base).is_some_and(|text| syntax.doubts(text)))
            {
                continue;
            }
            if (diagnostic.code == &codes::UNDECLARED_NAME || diagnostic.code == &codes::UNDECLARED_TYPE)
                && self.expanded_text(diagnostic.range + base).is_some_and(|name| syntax.mentions(name))
            {
                continue;
            }
            let mut placed = self.place_diagnostic(diagnostic, base, function);
            if guess.as_ref().is_some_and(|guess| guess.takes(&placed, diagnostic.range)) {
                continue;
            }
            // A header serves many shaders: what one of them leaves unused is not superfluous.
            if placed.code.tag == Some(Tag::Unnecessary) && placed.location.file != FileId::ROOT {
                continue;
            }
            let unknown = body.unknown_names.iter().find(|unknown| unknown.range == diagnostic.range);
            if let Some(unknown) = unknown.filter(|unknown| unknown.close.is_none())
                && let Some(name) = self.expanded_text(unknown.range + base)
            {
                placed.message += &suggestion(near.closest(name, unknown.call.is_some()));
            }
            diagnostics.push(placed);
        }
    }

    fn place_diagnostic(
        &self,
        diagnostic: &BodyDiagnostic,
        base: TextSize,
        function: Option<FunctionId>,
    ) -> Diagnostic {
        let mapped = self.preprocessed.map.to_file(diagnostic.range + base);
        let mut related: Vec<Related> = diagnostic
            .related
            .iter()
            .filter_map(|(place, message)| {
                let range = self.place(place, base, function)?;
                Some(Related { location: self.file_range(range), message: message.clone() })
            })
            .collect();
        if let Some(in_macro) = &mapped.in_macro {
            if let Some(spelling) = mapped.spelling
                && spelling != mapped.primary
            {
                related
                    .push(Related { location: spelling, message: "written here, in the macro".to_owned() });
            }
            for call in &in_macro.calls {
                let definition = self.preprocessed.definition(call.definition);
                if let Some(location) = definition.name_range() {
                    let message = format!("in the expansion of the macro `{}`", definition.name());
                    related.push(Related { location, message });
                }
            }
        }
        if mapped.primary.file != FileId::ROOT {
            for &location in &mapped.included_from {
                related.push(Related { location, message: "included from here".to_owned() });
            }
        }
        Diagnostic {
            code: diagnostic.code,
            severity: diagnostic.severity,
            message: diagnostic.message.clone(),
            location: mapped.primary,
            related,
        }
    }

    /// The range of a place in the expanded text.
    pub fn place(&self, place: &Place, base: TextSize, function: Option<FunctionId>) -> Option<TextRange> {
        match place {
            Place::Here(range) => Some(*range + base),
            Place::Definition(definition) => self.module.definition_range(definition, function),
        }
    }

    /// Whether this is a header by itself: neither its name nor anything else says of which stage it is, and it has no entry point.
    pub fn is_header_alone(&self) -> bool {
        self.tree.is_some()
            && self.module.stage.is_none()
            && !self.module.functions.iter().any(|(_, function)| function.name == "main")
    }

    /// Where a range of the expanded text is shown to a person.
    pub fn file_range(&self, range: TextRange) -> FileRange {
        self.preprocessed.map.primary(range)
    }
}

/// Sorts diagnostics by place, each told once, and keeps no more than a shader may have.
/// The first line of a file that says anything, for what is missing in it.
pub(crate) fn first_line(preprocessed: &Preprocessed) -> FileRange {
    let text = &preprocessed.files[FileId::ROOT].text;
    let start = text.len() - text.trim_start().len();
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default().trim_end();
    let range = TextRange::at(TextSize::new(start as u32), TextSize::new(line.len() as u32));
    FileRange { file: FileId::ROOT, range }
}

fn arrange(diagnostics: &mut Vec<Diagnostic>) {
    let by_place = |a: &Diagnostic, b: &Diagnostic| {
        let key = |d: &Diagnostic| (d.location.file, d.location.range.start(), d.severity, d.code.id);
        key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
    };
    diagnostics.sort_by(by_place);
    // A header that is read twice, or a macro's argument that is used twice, says the same thing twice.
    diagnostics.dedup_by(|a, b| {
        a.location == b.location && a.code == b.code && a.severity == b.severity && a.message == b.message
    });
    if diagnostics.len() > lower::MOST_DIAGNOSTICS {
        // What was not looked at and errors are the last to go.
        diagnostics.sort_by_key(|diagnostic| (diagnostic.code.unanalysed.is_none(), diagnostic.severity));
        diagnostics.truncate(lower::MOST_DIAGNOSTICS);
        diagnostics.sort_by(by_place);
        if let Some(last) = diagnostics.last_mut() {
            last.message += &format!(
                "; more than {} problems were found, and the rest are left out",
                lower::MOST_DIAGNOSTICS
            );
        }
    }
}
