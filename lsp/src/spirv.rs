//! `coopmat-analyzer spirv`: compiles a shader, or reads a module, and prints its text or what it does, or writes the module.

use std::io::{ErrorKind, IsTerminal as _, Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::{Analysis, Analyzer};
use coopmat_codegen::statistics::{Assumptions, Statistics, statistics};
use coopmat_codegen::{Compiled, DebugInfo, InstructionMap, Options, compile};
use coopmat_spirv::dr::Module;
use coopmat_spirv::text::{self, Class, Text};

use crate::arguments::{Color, Debug, SpirvOptions};
use crate::check;
use crate::colour::in_colour;
use crate::configurations::Configurations;
use crate::disk::{self, Confined, Disk};
use crate::embedded::{self, Shader, file_of};
use crate::output::{report_error, try_print};
use crate::program::{STACK, UNUSABLE};

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

/// What is printed and written: a shader that was compiled, or a module that another compiler made.
struct Subject {
    module: Module,
    /// The shader, and which text each instruction comes from.
    source: Option<(Analysis, InstructionMap)>,
}

/// Why there is nothing to show; it has been told.
struct Failed(ExitCode);

fn unusable(message: &str) -> Failed {
    report_error(message);
    Failed(ExitCode::from(UNUSABLE))
}

fn compile_file(options: &SpirvOptions) -> ExitCode {
    match subject(options).and_then(|subject| show(&subject, options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failed(code)) => code,
    }
}

fn subject(options: &SpirvOptions) -> Result<Subject, Failed> {
    let mut in_string = None;
    let (path, bytes) = match embedded::one(&options.path, &Disk::default()) {
        Some(found) => {
            let shader = found.map_err(|message| unusable(&message))?;
            if let Some(part) = &shader.region.part {
                return Err(unusable(&format!("{}: {}", shader.name(), part.message)));
            }
            let text = (shader.path.clone(), shader.region.text.as_bytes().to_vec());
            in_string = Some(shader);
            text
        }
        None => read(options).map_err(|message| unusable(&message))?,
    };
    if is_module(&bytes) {
        let name = if options.path == "-" { "standard input" } else { &path };
        if options.source || options.debug.is_some() {
            return Err(unusable(&format!("{name} is a SPIR-V module: --source and -g need a shader")));
        }
        let module =
            coopmat_spirv::load_bytes(&bytes).map_err(|error| unusable(&format!("{name}: {error}")))?;
        if options.shader.specialization.is_some() {
            return Err(unusable(&format!(
                "{name} is a SPIR-V module: --specialization needs a shader, while --spec ID=VALUE gives a constant its value"
            )));
        }
        let read = Compiled { module, map: InstructionMap::default() };
        let changed = change(read, options, &Configuration::default())?;
        return Ok(Subject { module: changed.module, source: None });
    }
    let analysis =
        analyze(options, &path, &bytes, in_string.as_deref()).map_err(|message| unusable(&message))?;
    let debug = match options.debug {
        None => DebugInfo::None,
        Some(Debug::Lines) => DebugInfo::Lines,
        Some(Debug::Full) => DebugInfo::Full,
    };
    match compile(&analysis, &Options { debug, ..Options::default() }) {
        Ok(compiled) => {
            let Compiled { module, map } = change(compiled, options, &analysis.config)?;
            Ok(Subject { module, source: Some((analysis, map)) })
        }
        Err(errors) => {
            tell(&analysis, &errors, in_string.as_deref(), options.color);
            Err(Failed(ExitCode::FAILURE))
        }
    }
}

fn change(
    compiled: Compiled,
    options: &SpirvOptions,
    configuration: &Configuration,
) -> Result<Compiled, Failed> {
    let changed = crate::spirv_changes::changed(compiled, &options.changes, configuration);
    changed.map_err(|error| unusable(&format!("{}: {error}", options.path)))
}

/// Writes and prints what is asked for.
fn show(subject: &Subject, options: &SpirvOptions) -> Result<(), Failed> {
    let mut written = false;
    if let Some(output) = &options.output {
        let is_text = output.extension().is_some_and(|extension| extension == "spvasm");
        if output.as_os_str() == "-" {
            write_module_to_pipe(&subject.module)?;
            written = true;
        } else {
            let bytes = match is_text {
                true => listing(subject, options).map_err(|message| unusable(&message))?.text.into_bytes(),
                false => module_bytes(&subject.module)?,
            };
            std::fs::write(output, bytes)
                .map_err(|error| unusable(&format!("{}: {error}", output.display())))?;
            if !options.asm && !options.statistics {
                return Ok(());
            }
        }
    }
    if written && (options.asm || options.statistics) {
        return Err(unusable(
            "standard output can take either the module or text, not both: write the module to a file",
        ));
    }
    if written {
        return Ok(());
    }
    let mut out = String::new();
    if options.statistics {
        let counted = counted(subject, options);
        if options.json {
            let json = serde_json::to_string_pretty(&counted)
                .map_err(|error| unusable(&format!("cannot write the statistics: {error}")))?;
            out.push_str(&json);
            out.push('\n');
        } else {
            out.push_str(&counted.text());
        }
    }
    if options.asm || !options.statistics {
        let printed = listing(subject, options).map_err(|message| unusable(&message))?;
        out.push_str(&if in_colour(options.color) { coloured(&printed) } else { printed.text });
    }
    match try_print(&out) {
        Ok(()) => Ok(()),
        Err(error) => Err(unusable(&format!("cannot write: {error}"))),
    }
}

fn module_bytes(module: &Module) -> Result<Vec<u8>, Failed> {
    match coopmat_spirv::assemble(module) {
        Ok(words) => Ok(coopmat_spirv::to_bytes(&words)),
        Err(error) => {
            report_error(&format!("cannot write the module: {error}"));
            Err(Failed(ExitCode::FAILURE))
        }
    }
}

fn write_module_to_pipe(module: &Module) -> Result<(), Failed> {
    let mut out = std::io::stdout().lock();
    if out.is_terminal() {
        return Err(unusable(
            "refusing to write a binary module to a terminal: redirect it to a pipe or a file, or leave out -o",
        ));
    }
    let bytes = module_bytes(module)?;
    match out.write_all(&bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(unusable(&format!("cannot write: {error}")))
        }
        _ => Ok(()),
    }
}

/// The file as it is, with the path under which its includes are searched.
fn read(options: &SpirvOptions) -> Result<(String, Vec<u8>), String> {
    let mut bytes = Vec::new();
    if options.path == "-" {
        std::io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(|error| format!("cannot read standard input: {error}"))?;
        let path = options.shader.stdin_path.clone().unwrap_or_else(|| "<stdin>".to_owned());
        return Ok((path.replace('\\', "/"), bytes));
    }
    let bytes =
        disk::module(Path::new(&options.path)).map_err(|error| format!("{}: {error}", options.path))?;
    Ok((crate::paths::slashes(&options.path), bytes))
}

/// Whether bytes begin as a module does, in either order of bytes.
fn is_module(bytes: &[u8]) -> bool {
    const MAGIC: u32 = 0x0723_0203;
    bytes.starts_with(&MAGIC.to_le_bytes()) || bytes.starts_with(&MAGIC.to_be_bytes())
}

fn analyze(
    options: &SpirvOptions,
    path: &str,
    bytes: &[u8],
    in_string: Option<&Shader>,
) -> Result<Analysis, String> {
    let disk = Disk::default();
    // As everywhere else: what is no UTF-8 is told by the analysis, at its place.
    let given = options.path == "-" || in_string.is_some();
    let text: Arc<str> = match given {
        true => String::from_utf8_lossy(bytes).into_owned().into(),
        false => disk.named(path)?,
    };
    let found = Configurations::new(&options.shader, false).of(path, true)?;
    let configuration = found.first().cloned().unwrap_or_default();
    let configuration = match in_string {
        Some(shader) => shader.configured(configuration),
        None => configuration,
    };
    let loader = Confined::new(&disk, &configuration);
    let analysis = Analyzer::default().analyze(path, text, &configuration, &loader, None);
    Configurations::mistyped(&options.shader, &analysis)?;
    Ok(analysis)
}

/// Why there is no module: the shader's own errors as `check` shows them, else what the generator lacks.
pub fn tell(
    analysis: &Analysis,
    errors: &[coopmat_codegen::CompileError],
    in_string: Option<&Shader>,
    color: Color,
) {
    if check::tell_errors(analysis, in_string, color) {
        return;
    }
    for error in errors {
        check::tell_error(&error.message, &check::location(analysis, error.location, in_string), color);
    }
}

fn counted(subject: &Subject, options: &SpirvOptions) -> Statistics {
    let configured = subject.source.as_ref().and_then(|(analysis, _)| analysis.config.subgroup_size);
    let size = options.shader.subgroup_size.or(configured);
    let assumptions = size.map_or_else(Assumptions::default, |subgroup_size| Assumptions { subgroup_size });
    let mut counted = statistics(&subject.module, &assumptions);
    if let Some((analysis, map)) = &subject.source {
        for one in counted.entry_points.iter_mut().flat_map(|entry| &mut entry.loops) {
            one.place = map.place(analysis, one.instruction).map(|place| {
                let file = &analysis.files()[place.location.file];
                let line = file.line_index().line_col(place.location.range.start()).line;
                format!("{}:{}", file_of(&file.path), line + 1)
            });
        }
    }
    counted
}

fn listing(subject: &Subject, options: &SpirvOptions) -> Result<Text, String> {
    let only = match &options.function {
        None => None,
        Some(name) => match text::function_named(&subject.module, name) {
            Some(range) => Some([range]),
            None => {
                return Err(format!(
                    "the module has no function `{name}`; functions that `main` does not call are left out"
                ));
            }
        },
    };
    let comments = subject.source.as_ref().map(|(analysis, map)| SourceLines::new(analysis, map));
    let comment =
        |instruction: usize| comments.as_ref().map_or_else(Vec::new, |lines| lines.before(instruction));
    Ok(text::disassemble(
        &subject.module,
        &text::Options {
            friendly_names: !options.raw_id,
            header: only.is_none(),
            only: only.as_ref().map(|ranges| &ranges[..]),
            comments: options.source.then_some(&comment),
            ..text::Options::default()
        },
    ))
}

/// The source line that an instruction comes from, told where another line begins.
struct SourceLines<'a> {
    analysis: &'a Analysis,
    /// By instruction: file and line, counted from 1.
    lines: Vec<Option<(coopmat_analysis::text::FileId, usize)>>,
}

impl<'a> SourceLines<'a> {
    fn new(analysis: &'a Analysis, map: &InstructionMap) -> SourceLines<'a> {
        let lines = (0..map.len())
            .map(|instruction| {
                let location = map.place(analysis, instruction)?.location;
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
                vec![format!("{}:{line}: {text}", file_of(&file.path))]
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
