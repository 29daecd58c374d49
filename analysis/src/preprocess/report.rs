//! The preprocessor's diagnostics: the words of each message, in one place.

use crate::diagnostics::{Code, Diagnostic, Related, Severity, codes};
use crate::text::{FileId, FileRange};

use super::engine::{Engine, limits};
use super::expand::Tok;
use super::expression::ExpressionProblem;
use super::known_extensions::{is_known, known};
use super::tokens::{DefineProblem, MacroSyntax, ProblemKind};
use super::{Behavior, MacroId, PreprocessCache};

impl PreprocessCache {
    /// Whether a compiler of Vulkan GLSL knows the extension.
    pub fn knows_extension(name: &str) -> bool {
        is_known(name)
    }
}

impl Engine<'_> {
    fn report(&mut self, code: &'static Code, location: FileRange, message: impl Into<String>) {
        self.report_with(code, code.severity, location, message, Vec::new());
    }

    fn report_with(
        &mut self,
        code: &'static Code,
        severity: Severity,
        location: FileRange,
        message: impl Into<String>,
        related: Vec<Related>,
    ) {
        // That something was not looked at is told behind many mistakes, too.
        let most = if code.unanalysed.is_some() { 2 * limits::DIAGNOSTICS } else { limits::DIAGNOSTICS };
        if self.diagnostics.len() < most {
            let message = message.into();
            self.diagnostics.push(Diagnostic { code, severity, message, location, related });
        }
    }

    fn definition_note(&self, id: MacroId) -> Vec<Related> {
        let definition = &self.macros[id.0 as usize];
        let location = definition.name_range();
        location
            .map(|location| Related { location, message: format!("`{}` is defined here", definition.name()) })
            .into_iter()
            .collect()
    }

    /// Reports what is wrong with the file that is entered, whatever the configuration.
    pub fn lexical_problems(&mut self) {
        let lexed = self.lexed[self.file.0 as usize].clone();
        for problem in &lexed.problems {
            let place = self.here(problem.range);
            let text = self.files[self.file].text.clone();
            let line = text.get(std::ops::Range::from(problem.range)).unwrap_or_default();
            let word = line.trim_start_matches('#').split_whitespace().next().unwrap_or_default();
            match problem.kind {
                ProblemKind::UnterminatedComment => {
                    let message = "this comment is not closed: `*/` is missing";
                    self.report(&codes::PREPROCESSOR_UNTERMINATED_COMMENT, place, message);
                }
                ProblemKind::UnterminatedConditional => {
                    let message = format!("this `#{word}` has no `#endif`");
                    self.report(&codes::PREPROCESSOR_UNTERMINATED_CONDITIONAL, place, message);
                }
                ProblemKind::StrayBranch => {
                    let message = format!("`#{word}` without an `#if` before it");
                    self.report(&codes::PREPROCESSOR_UNBALANCED_CONDITIONAL, place, message);
                }
                ProblemKind::BranchAfterElse => {
                    let code = &codes::PREPROCESSOR_UNBALANCED_CONDITIONAL;
                    let related = problem
                        .other
                        .map(|other| Related {
                            location: self.here(other),
                            message: "the `#else` is here".to_owned(),
                        })
                        .into_iter()
                        .collect();
                    let message = format!("`#{word}` after the `#else` of the same `#if`");
                    self.report_with(code, code.severity, place, message, related);
                }
            }
        }
    }

    pub fn invalid_character(&mut self, place: FileRange, character: Option<char>) {
        if character == Some('#') {
            // GLSL 4.60, section 3.3.
            let message = "`#` begins a directive: only whitespace is allowed before it on its line; the rest of the line is ignored";
            return self.report(&codes::PREPROCESSOR_MALFORMED_DIRECTIVE, place, message.to_owned());
        }
        let message = match character {
            Some(character) if !character.is_control() => format!(
                "the character `{character}` (U+{:04X}) has no meaning in GLSL: it is only allowed in comments",
                u32::from(character)
            ),
            // GLSL 4.60, section 3.4: "any byte values may be used, except a byte whose value is 0".
            Some('\0') => "the character U+0000 has no meaning in GLSL".to_owned(),
            Some(character) => format!(
                "the control character U+{:04X} has no meaning in GLSL: it is only allowed in comments",
                u32::from(character)
            ),
            None => "a character without meaning in GLSL".to_owned(),
        };
        self.report(&codes::PREPROCESSOR_INVALID_CHARACTER, place, message);
    }

    /// Whether the definition is usable all the same.
    pub fn define_problem(&mut self, problem: DefineProblem, place: FileRange, name: &str) -> bool {
        let code = &codes::PREPROCESSOR_MACRO_DEFINITION;
        let (message, usable) = match problem {
            DefineProblem::NoName => ("expected the name of the macro".to_owned(), false),
            DefineProblem::BadParameter => (
                format!(
                    "the parameters of `{name}` must be names: macros in GLSL cannot take a variable number of arguments"
                ),
                false,
            ),
            DefineProblem::DuplicateParameter => {
                (format!("two parameters of `{name}` have the same name"), true)
            }
            DefineProblem::MissingParen => {
                (format!("the parameter list of `{name}` is not closed: expected `,` or `)`"), false)
            }
            DefineProblem::MissingSpace => {
                let message = format!("expected whitespace between `{name}` and its replacement");
                self.report_with(code, Severity::Warning, place, message, Vec::new());
                return true;
            }
            DefineProblem::StringifyNoParameter => {
                (format!("`#` in the body of `{name}` must be followed by a parameter"), true)
            }
            DefineProblem::PasteAtEdge => {
                (format!("`##` needs a token on both sides in the body of `{name}`"), true)
            }
        };
        self.report(code, place, message);
        usable
    }

    pub fn macro_redefined(&mut self, place: FileRange, old: MacroId, difference: &str) {
        let definition = &self.macros[old.0 as usize];
        let name = definition.name();
        let from = match definition.origin {
            super::MacroOrigin::File(_) => "",
            super::MacroOrigin::CommandLine => " from the configuration",
            super::MacroOrigin::Builtin => ", which is predefined",
        };
        let message = if difference.starts_with("one") {
            format!("`{name}` is already defined{from}, and only {difference}; `#undef {name}` first")
        } else {
            format!("`{name}` is already defined{from}, and {difference} differs; `#undef {name}` first")
        };
        let mut related = self.definition_note(old);
        for related in &mut related {
            related.message = "the first definition is here".to_owned();
        }
        let code = &codes::PREPROCESSOR_MACRO_REDEFINED;
        self.report_with(code, code.severity, place, message, related);
    }

    pub fn reserved_name(&mut self, place: FileRange, name: &str, why: &str, error: bool) {
        let severity = if error { Severity::Error } else { Severity::Warning };
        let what =
            if error { "cannot be defined or undefined" } else { "is reserved for the implementation" };
        let message = format!("`{name}` {why}: it {what}");
        self.report_with(&codes::PREPROCESSOR_RESERVED_NAME, severity, place, message, Vec::new());
    }

    pub fn malformed(&mut self, place: FileRange, message: &str) {
        self.report(&codes::PREPROCESSOR_MALFORMED_DIRECTIVE, place, message);
    }

    pub fn unknown_directive(&mut self, place: FileRange, name: &str) {
        let hint = match name {
            "elseif" | "elsif" | "elif_defined" | "elifdef" => ": did you mean `#elif`?",
            "end" | "fi" | "endfi" => ": did you mean `#endif`?",
            "warning" => "; GLSL has only `#error`",
            "import" => ": did you mean `#include`?",
            _ => "",
        };
        self.report(
            &codes::PREPROCESSOR_UNKNOWN_DIRECTIVE,
            place,
            format!("unknown directive `#{name}`{hint}"),
        );
    }

    pub fn extra_tokens(&mut self, place: FileRange, directive: &str) {
        let message = format!("unexpected text after `#{directive}`: expected the end of the line");
        self.report(&codes::PREPROCESSOR_EXTRA_TOKENS, place, message);
    }

    pub fn error_directive(&mut self, place: FileRange, message: &str) {
        let message = if message.is_empty() { "`#error` without a message" } else { message };
        self.report(&codes::PREPROCESSOR_ERROR_DIRECTIVE, place, message);
    }

    pub fn expression_problem(&mut self, problem: ExpressionProblem, place: FileRange, found: &str) {
        let instead = if found.is_empty() { String::new() } else { format!(", found `{found}`") };
        let (code, message) = match problem {
            ExpressionProblem::ExpectedOperand => {
                (&codes::PREPROCESSOR_EXPRESSION, format!("expected a number, a macro or `defined`{instead}"))
            }
            ExpressionProblem::ExpectedName => (
                &codes::PREPROCESSOR_EXPRESSION,
                format!("expected the name of a macro after `defined`{instead}"),
            ),
            ExpressionProblem::ExpectedParen => {
                (&codes::PREPROCESSOR_EXPRESSION, format!("expected `)`{instead}"))
            }
            ExpressionProblem::ExpectedOperator => (
                &codes::PREPROCESSOR_EXPRESSION,
                format!("expected an operator or the end of the line{instead}"),
            ),
            ExpressionProblem::NotAnInteger => (
                &codes::PREPROCESSOR_EXPRESSION,
                format!("expected an integer, found `{found}`: conditions can only use integers"),
            ),
            ExpressionProblem::TooDeep => {
                (&codes::PREPROCESSOR_EXPRESSION, "parentheses are nested too deeply".to_owned())
            }
            ExpressionProblem::DivisionByZero => {
                (&codes::PREPROCESSOR_DIVISION_BY_ZERO, "division by zero in a condition".to_owned())
            }
            ExpressionProblem::Undefined => (
                &codes::PREPROCESSOR_UNDEFINED_IDENTIFIER,
                format!("undefined macro `{found}`: GLSL ES does not replace it with 0"),
            ),
        };
        self.report(code, place, message);
    }

    /// Compilers refuse it, since C leaves open what it means.
    pub fn defined_from_macro(&mut self, token: &Tok) {
        let place = self.blame(token);
        let message = "`defined` must be written in the condition itself, not result from a macro";
        self.report(&codes::PREPROCESSOR_EXPRESSION, place, message);
    }

    /// Compilers differ, and where the configuration is a guess nobody has said which one it is.
    pub fn include_extension(&mut self, place: FileRange) {
        let code = &codes::PREPROCESSOR_INCLUDE_EXTENSION;
        let (severity, unless) = match self.config.guessed {
            true => (Severity::Information, ", unless the compiler enables it as `glslc` does"),
            false => (code.severity, ""),
        };
        let message = format!(
            "`#include` needs `#extension GL_GOOGLE_include_directive : require` (or GL_ARB_shading_language_include) before it{unless}"
        );
        self.report_with(code, severity, place, message, Vec::new());
    }

    pub fn include_not_found(&mut self, place: FileRange, path: &str, system: bool, candidates: &[String]) {
        let refusals: Vec<Option<String>> =
            candidates.iter().map(|candidate| self.loader.refusal(candidate)).collect();
        let refused = |index: usize| refusals.get(index).is_some_and(Option::is_some);
        let refusal = refusals.iter().flatten().next();
        if let Some(refusal) = refusal
            && refusals.iter().all(Option::is_some)
        {
            let message = format!("cannot read `{path}`: {refusal}");
            if let Some(include) = self.includes.last_mut() {
                include.refused = true;
            }
            return self.report(&codes::PREPROCESSOR_INCLUDE_NOT_FOUND, place, message);
        }
        let mut looked: Vec<String> = Vec::new();
        if !system && !refused(0) {
            looked.push("beside this file".to_owned());
        }
        let folders = self.config.include_dirs.iter().zip(usize::from(!system)..);
        let folders: Vec<_> =
            folders.filter(|(_, index)| !refused(*index)).map(|(folder, _)| folder).collect();
        match folders.len() {
            0 => {}
            1..=3 => looked.extend(folders.iter().map(|folder| format!("in `{folder}`"))),
            count => looked.push(format!("in {count} include folders")),
        }
        let mut message = if looked.is_empty() {
            format!("cannot find `{path}`: no include folder is configured")
        } else {
            format!("cannot find `{path}`: looked {}", looked.join(", "))
        };
        if let Some(refusal) = refusal {
            message += &format!("; {refusal}");
        }
        self.report(&codes::PREPROCESSOR_INCLUDE_NOT_FOUND, place, message);
    }

    /// One diagnostic for all of them, as they have one place.
    pub fn preambles_not_found(&mut self, place: FileRange, paths: &[&str]) {
        let mut sentences = Vec::new();
        let mut missing = Vec::new();
        for path in paths {
            match self.loader.refusal(path) {
                Some(refusal) => sentences.push(format!("cannot read the preamble `{path}`: {refusal}")),
                None => missing.push(format!("`{path}`")),
            }
        }
        if !missing.is_empty() {
            let noun = if missing.len() == 1 { "preamble" } else { "preambles" };
            let names = missing.join(", ");
            sentences.push(format!(
                "cannot find the {noun} {names}: correct `preamble` in the project file, whose paths are relative to its folder"
            ));
        }
        if !sentences.is_empty() {
            self.report(&codes::PREPROCESSOR_INCLUDE_NOT_FOUND, place, sentences.join("; "));
        }
    }

    pub fn included_limit(&mut self, place: FileRange) {
        self.stopped = true;
        let message = format!(
            "the included files are larger than {} MiB in total: nothing is analysed",
            limits::INCLUDED >> 20
        );
        self.report(&codes::PREPROCESSOR_OUTPUT_LIMIT, place, message);
    }

    pub fn include_depth(&mut self, place: FileRange, file: FileId, deep: bool) {
        if deep && self.is_being_read(file) {
            let message = format!(
                "`{}` includes itself, {} levels deep: give it an include guard or `#pragma once`",
                self.files[file].path,
                limits::INCLUDE_DEPTH
            );
            return self.report(&codes::PREPROCESSOR_INCLUDE_DEPTH, place, message);
        }
        self.stopped = true;
        let message = if deep {
            format!(
                "includes are nested more than {} levels deep: nothing is analysed",
                limits::INCLUDE_DEPTH
            )
        } else {
            format!("there are more than {} includes in total: nothing is analysed", limits::INCLUSIONS)
        };
        self.report(&codes::PREPROCESSOR_INCLUDE_LIMIT, place, message);
    }

    pub fn unknown_extension(&mut self, place: FileRange, name: &str, behavior: Behavior) {
        let code = &codes::UNKNOWN_EXTENSION;
        let severity = if behavior == Behavior::Require { Severity::Error } else { code.severity };
        let hint = match closest_extension(name) {
            Some(close) => format!(": did you mean `{close}`?"),
            None => String::new(),
        };
        self.report_with(code, severity, place, format!("unknown extension `{name}`{hint}"), Vec::new());
    }

    pub fn extension_behavior(&mut self, place: FileRange, message: &str) {
        self.report(&codes::EXTENSION_BEHAVIOR, place, message);
    }

    pub fn version_placement(&mut self, place: FileRange) {
        let message = "`#version` must come before everything except comments and whitespace";
        self.report(&codes::VERSION_PLACEMENT, place, message);
    }

    pub fn version_unknown(&mut self, place: FileRange, message: &str) {
        self.report(&codes::VERSION_UNKNOWN, place, message);
    }

    pub fn macro_unterminated(&mut self, name: &Tok, syntax: &MacroSyntax) {
        let place = self.blame(name);
        let message = format!(
            "the arguments of `{}` have no closing parenthesis before the next directive or the end of the file",
            syntax.name
        );
        self.report(&codes::PREPROCESSOR_MACRO_UNTERMINATED, place, message);
    }

    pub fn macro_arguments(
        &mut self,
        name: &Tok,
        id: MacroId,
        expansion: u32,
        expected: usize,
        found: usize,
    ) {
        let place = self.blame_call(name, expansion);
        let plural = |count: usize| if count == 1 { "argument" } else { "arguments" };
        let message = format!(
            "`{}` takes {expected} {}, but {found} {} given",
            self.macros[id.0 as usize].name(),
            plural(expected),
            if found == 1 { "is" } else { "are" },
        );
        let code = &codes::PREPROCESSOR_MACRO_ARGUMENTS;
        let related = self.definition_note(id);
        self.report_with(code, code.severity, place, message, related);
    }

    /// The place of a call with its arguments, or the call in the text that brought it.
    fn blame_call(&self, name: &Tok, expansion: u32) -> FileRange {
        match self.expansions.get(expansion as usize) {
            Some(call) if !name.has(super::tokens::flags::IN_BODY) && call.buffer == self.file.0 => {
                self.here(super::tokens::range(call.start, call.end))
            }
            _ => self.blame(name),
        }
    }

    pub fn bad_paste(&mut self, left: &Tok, right: &Tok, name: &Tok, expansion: u32) {
        let message = format!(
            "`##` cannot paste `{}` and `{}` into one token",
            self.text_of(left),
            self.text_of(right)
        );
        let place = self.blame_call(name, expansion);
        let related = match self.expansions.get(expansion as usize) {
            Some(call) => self.definition_note(call.definition),
            None => Vec::new(),
        };
        let code = &codes::PREPROCESSOR_PASTE;
        self.report_with(code, code.severity, place, message, related);
    }

    pub fn expansion_too_deep(&mut self, name: &Tok, syntax: &MacroSyntax) {
        if self.expansion_depth_reported {
            return;
        }
        self.expansion_depth_reported = true;
        self.stopped = true;
        let message =
            format!("macros are nested too deeply here, from `{}` on: nothing is analysed", syntax.name);
        let place = self.blame(name);
        self.report(&codes::PREPROCESSOR_EXPANSION_DEPTH, place, message);
    }

    pub fn expansion_limit(&mut self) {
        self.stopped = true;
        let place = self.last_place();
        let message = format!(
            "macros expand to more than {} million tokens: nothing is analysed",
            limits::EXPANSION_STEPS >> 20
        );
        self.report(&codes::PREPROCESSOR_EXPANSION_LIMIT, place, message);
    }

    pub fn output_limit(&mut self) {
        self.stopped = true;
        let place = self.last_place();
        let message = format!(
            "the program is larger than {} MiB after preprocessing: nothing is analysed",
            limits::OUTPUT >> 20
        );
        self.report(&codes::PREPROCESSOR_OUTPUT_LIMIT, place, message);
    }

    pub fn file_too_large(&mut self, place: FileRange) {
        self.stopped = true;
        let message = format!("the file is larger than {} MiB: nothing is analysed", limits::FILE >> 20);
        self.report(&codes::PREPROCESSOR_OUTPUT_LIMIT, place, message);
    }

    /// The place that a limit is blamed on: the macro call that was begun last, or the start of the file.
    fn last_place(&self) -> FileRange {
        match self.expansions.last() {
            Some(last) => {
                let root = &self.expansions[last.root as usize];
                let file =
                    self.inclusions.get(root.inclusion as usize).map_or(FileId::ROOT, |found| found.file);
                FileRange { file, range: super::tokens::range(root.start, root.end) }
            }
            None => self.here(super::tokens::range(0, 0)),
        }
    }
}

/// The known extension whose name differs by one or two letters.
fn closest_extension(name: &str) -> Option<&'static str> {
    known().find(|known| {
        known.len().abs_diff(name.len()) <= 1 && {
            let prefix = known.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
            let (known, name) = (&known.as_bytes()[prefix..], &name.as_bytes()[prefix..]);
            let suffix = known.iter().rev().zip(name.iter().rev()).take_while(|(a, b)| a == b).count();
            known.len().max(name.len()) - suffix.min(known.len()).min(name.len()) <= 2
        }
    })
}
