//! `coopmat-analyzer spirv`: compiles a shader, and prints the module's text or writes the module.

use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;

use coopmat_analysis::diagnostics::Severity;
use coopmat_analysis::sources::FileLoader as _;
use coopmat_analysis::text::FileRange;
use coopmat_analysis::{Analysis, Analyzer};
use coopmat_codegen::{Compiled, DebugInfo, Options, compile};
use coopmat_spirv::text::{self, Class, Text};

use crate::arguments::{Debug, SpirvOptions};
use crate::check::in_colour;
use crate::configurations::Configurations;
use crate::disk::Disk;
use crate::output::{print, report_error};
use crate::{UNUSABLE, check};

/// Expressions nest as deep as the analysis allows, and each level is a call.
const STACK: usize = 64 << 20;

pub fn run(options: &SpirvOptions) -> ExitCode {
    let worker = std::thread::Builder::new().stack_size(STACK);
    let result = std::thread::scope(|scope| {
        let running = worker.spawn_scoped(scope, || catch_unwind(AssertUnwindSafe(|| compile_file(options))));
        running.map(|running| running.join())
    });
    match result {
        Ok(Ok(Ok(code))) => code,
        Ok(_) => {
            report_error("compiling failed; this is a bug of coopmat-analyzer");
            ExitCode::from(UNUSABLE)
        }
        Err(error) => {
            report_error(&format!("cannot start a thread: {error}"));
            ExitCode::from(UNUSABLE)
        }
    }
}

fn compile_file(options: &SpirvOptions) -> ExitCode {
    let analysis = match analyze(options) {
        Ok(analysis) => analysis,
        Err(message) => {
            report_error(&message);
            return ExitCode::from(UNUSABLE);
        }
    };
    let debug = match options.debug {
        None => DebugInfo::None,
        Some(Debug::Lines) => DebugInfo::Lines,
        Some(Debug::Full) => DebugInfo::Full,
    };
    let compiled = match compile(&analysis, &Options { debug, ..Options::default() }) {
        Ok(compiled) => compiled,
        Err(errors) => {
            tell(&analysis, &errors);
            return ExitCode::FAILURE;
        }
    };
    let compiled = match crate::spirv_changes::changed(compiled, &options.changes) {
        Ok(compiled) => compiled,
        Err(error) => {
            report_error(&format!("--spec: {error}"));
            return ExitCode::from(UNUSABLE);
        }
    };
    if let Some(output) = &options.output {
        let words = match coopmat_spirv::assemble(&compiled.module) {
            Ok(words) => words,
            Err(error) => {
                report_error(&format!("the module cannot be written: {error}"));
                return ExitCode::FAILURE;
            }
        };
        if let Err(error) = std::fs::write(output, coopmat_spirv::to_bytes(&words)) {
            report_error(&format!("{}: {error}", output.display()));
            return ExitCode::from(UNUSABLE);
        }
        if !options.asm {
            return ExitCode::SUCCESS;
        }
    }
    match listing(&analysis, &compiled, options) {
        Ok(listing) => print(&listing),
        Err(message) => {
            report_error(&message);
            ExitCode::from(UNUSABLE)
        }
    }
}

fn analyze(options: &SpirvOptions) -> Result<Analysis, String> {
    let disk = Disk::default();
    let (path, text) = if options.path == "-" {
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(|error| format!("cannot read standard input: {error}"))?;
        let path = options.shader.stdin_path.clone().unwrap_or_else(|| "<stdin>".to_owned());
        (path.replace('\\', "/"), String::from_utf8_lossy(&bytes).into_owned().into())
    } else {
        let path = crate::paths::slashes(&options.path);
        let text = disk.load(&path).ok_or_else(|| format!("{path}: cannot be read"))?;
        (path, text)
    };
    let found = Configurations::new(&options.shader, false).of(&path, true)?;
    let configuration = found.first().cloned().unwrap_or_default();
    let text: Arc<str> = text;
    Ok(Analyzer::default().analyze(&path, text, &configuration, &disk, None))
}

/// Why there is no module: the shader's own errors as `check` tells them, else what the generator lacks.
fn tell(analysis: &Analysis, errors: &[coopmat_codegen::CompileError]) {
    let mut told = false;
    for diagnostic in &analysis.diagnostics {
        if diagnostic.severity == Severity::Error {
            told = true;
            let place = place(analysis, diagnostic.location);
            report_error(&format!("{place}: {}: {}", diagnostic.code.id, diagnostic.message));
        }
    }
    if !told {
        for error in errors {
            report_error(&format!("{}: {}", place(analysis, error.location), error.message));
        }
    }
}

/// `path:line:column`
fn place(analysis: &Analysis, location: FileRange) -> String {
    let file = &analysis.files()[location.file];
    let (line, column) = check::Lines::new(&file.text).position(location.range.start().into());
    format!("{}:{line}:{column}", file.path)
}

fn listing(analysis: &Analysis, compiled: &Compiled, options: &SpirvOptions) -> Result<String, String> {
    let only = match &options.function {
        None => None,
        Some(name) => match text::function_named(&compiled.module, name) {
            Some(range) => Some([range]),
            None => {
                return Err(format!(
                    "the module has no function `{name}`: what `main` does not call is left out"
                ));
            }
        },
    };
    let comments = SourceLines::new(analysis, compiled);
    let comment = |instruction: usize| comments.before(instruction);
    let printed = text::disassemble(
        &compiled.module,
        &text::Options {
            friendly_names: !options.raw_id,
            header: only.is_none(),
            only: only.as_ref().map(|ranges| &ranges[..]),
            comments: options.source.then_some(&comment),
            ..text::Options::default()
        },
    );
    Ok(if in_colour(options.color) { coloured(&printed) } else { printed.text })
}

/// The source line that an instruction comes from, told where another line begins.
struct SourceLines<'a> {
    analysis: &'a Analysis,
    /// By instruction: file and line, counted from 1.
    lines: Vec<Option<(coopmat_analysis::text::FileId, usize)>>,
}

impl<'a> SourceLines<'a> {
    fn new(analysis: &'a Analysis, compiled: &Compiled) -> SourceLines<'a> {
        let lines = (0..compiled.map.len())
            .map(|instruction| {
                let location = compiled.map.place(analysis, instruction)?.location;
                let file = &analysis.files()[location.file];
                let line = file.line_index().line_col(location.range.start()).line;
                Some((location.file, line as usize + 1))
            })
            .collect();
        SourceLines { analysis, lines }
    }

    fn before(&self, instruction: usize) -> Vec<String> {
        let here = self.lines.get(instruction).copied().flatten();
        let previous =
            self.lines.get(..instruction).and_then(|before| before.iter().rev().find_map(|line| *line));
        match here {
            Some((file, line)) if previous != here => {
                let file = &self.analysis.files()[file];
                let text = file.text.lines().nth(line - 1).unwrap_or_default().trim();
                vec![format!("{}:{line}: {text}", file.path)]
            }
            _ => Vec::new(),
        }
    }
}

/// The text with the colours of a terminal (ECMA-48, SGR).
fn coloured(printed: &Text) -> String {
    let mut out = String::with_capacity(printed.text.len() * 2);
    let mut at = 0;
    for span in &printed.spans {
        let (start, end) = (span.range.start as usize, span.range.end as usize);
        let (Some(before), Some(word)) = (printed.text.get(at..start), printed.text.get(start..end)) else {
            continue;
        };
        let colour = match span.class {
            Class::Comment => "90",
            Class::Opcode => "1",
            Class::Result => "36",
            Class::Type => "33",
            Class::Id => "34",
            Class::Enumerant => "35",
            Class::Number => "32",
            Class::String => "31",
        };
        out.push_str(before);
        out.push_str(&format!("\u{1b}[{colour}m{word}\u{1b}[0m"));
        at = end;
    }
    out.push_str(printed.text.get(at..).unwrap_or_default());
    out
}
