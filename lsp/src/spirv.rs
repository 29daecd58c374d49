//! `coopmat-analyzer spirv`: compiles a shader, or reads a module, and prints its text, what it does or how it differs from another one, or writes the module.

use std::io::{ErrorKind, IsTerminal as _, Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::{Analysis, Analyzer};
use coopmat_codegen::difference;
use coopmat_codegen::statistics::{Assumptions, Statistics, statistics};
use coopmat_codegen::{Compiled, DebugInfo, InstructionMap, Options, compile};
use coopmat_spirv::debug::{self, File, Place};
use coopmat_spirv::dr::Module;
use coopmat_spirv::text::{self, Class, Text};

use crate::arguments::{Color, Debug, SpirvOptions};
use crate::check;
use crate::colour::in_colour;
use crate::configurations::Configurations;
use crate::disk::{self, Confined, Disk};
use crate::embedded::{self, Shader, file_of};
use crate::module::{self, Form};
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
    let done = match &options.diff {
        _ if options.json && !options.statistics && options.diff.is_none() => {
            Err(unusable("--json needs --statistics or --diff"))
        }
        Some(old) => compare(old, options),
        None => subject(&options.path, options)
            .and_then(|subject| show(&subject, options))
            .map(|()| ExitCode::SUCCESS),
    };
    done.unwrap_or_else(|Failed(code)| code)
}

/// Prints what differs; as programs that compare do, exits with 0 if nothing does, else with 1.
fn compare(old: &str, options: &SpirvOptions) -> Result<ExitCode, Failed> {
    if old == "-" && options.path == "-" {
        return Err(unusable("standard input can be only one of the modules"));
    }
    // A shader that has errors is no answer to what differs.
    let of = |path: &str| subject(path, options).map_err(|_| Failed(ExitCode::from(UNUSABLE)));
    let difference = difference::compare(&of(old)?.module, &of(&options.path)?.module);
    let out = if options.json {
        let json = serde_json::to_string_pretty(&difference)
            .map_err(|error| unusable(&format!("cannot write what differs: {error}")))?;
        json + "\n"
    } else {
        difference.text(old, &options.path, in_colour(options.color))
    };
    try_print(&out).map_err(|error| unusable(&format!("cannot write: {error}")))?;
    Ok(if difference.same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn subject(given: &str, options: &SpirvOptions) -> Result<Subject, Failed> {
    let mut in_string = None;
    let (path, bytes) = match embedded::one(given, &Disk::default()) {
        Some(found) => {
            let shader = found.map_err(|message| unusable(&message))?;
            if let Some(part) = &shader.region.part {
                return Err(unusable(&format!("{}: {}", shader.name(), part.message)));
            }
            let text = (shader.path.clone(), shader.region.text.as_bytes().to_vec());
            in_string = Some(shader);
            text
        }
        None => read(given, options).map_err(|message| unusable(&message))?,
    };
    let form = if in_string.is_none() { module::form(given, &bytes) } else { None };
    if let Some(form) = form {
        let name = if given == "-" { "standard input" } else { &path };
        let is_wgsl = form == Form::Wgsl;
        match options.debug {
            Some(_) if !is_wgsl => {
                return Err(unusable(&format!("{name} is a SPIR-V module: -g needs a shader")));
            }
            Some(Debug::Full) => {
                return Err(unusable("of WGSL there are only lines: -g without `=full`"));
            }
            _ => {}
        }
        let with_source = options.debug.is_some() || options.source;
        let (module, _) = module::from_bytes(name, &bytes, form, with_source).map_err(|error| {
            report_error(&error);
            // As of a shader: the text is wrong, not the command line.
            Failed(if is_wgsl { ExitCode::FAILURE } else { ExitCode::from(UNUSABLE) })
        })?;
        if options.shader.specialization.is_some() {
            return Err(unusable(&format!(
                "{name} is a SPIR-V module: --specialization needs a shader, while --spec ID=VALUE gives a constant its value"
            )));
        }
        let read = Compiled { module, map: InstructionMap::default() };
        let changed = change(given, read, options, &Configuration::default())?;
        return Ok(Subject { module: changed.module, source: None });
    }
    let analysis =
        analyze(given, options, &path, &bytes, in_string.as_deref()).map_err(|message| unusable(&message))?;
    let debug = match options.debug {
        None => DebugInfo::None,
        Some(Debug::Lines) => DebugInfo::Lines,
        Some(Debug::Full) => DebugInfo::Full,
    };
    match compile(&analysis, &Options { debug, ..Options::default() }) {
        Ok(compiled) => {
            let Compiled { module, map } = change(given, compiled, options, &analysis.config)?;
            Ok(Subject { module, source: Some((analysis, map)) })
        }
        Err(errors) => {
            tell(&analysis, &errors, in_string.as_deref(), options.color);
            Err(Failed(ExitCode::FAILURE))
        }
    }
}

fn change(
    given: &str,
    compiled: Compiled,
    options: &SpirvOptions,
    configuration: &Configuration,
) -> Result<Compiled, Failed> {
    let changed = crate::spirv_changes::changed(compiled, &options.changes, configuration);
    changed.map_err(|error| unusable(&format!("{given}: {error}")))
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
fn read(given: &str, options: &SpirvOptions) -> Result<(String, Vec<u8>), String> {
    let mut bytes = Vec::new();
    if given == "-" {
        std::io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(|error| format!("cannot read standard input: {error}"))?;
        let path = options.shader.stdin_path.clone().unwrap_or_else(|| "<stdin>".to_owned());
        return Ok((path.replace('\\', "/"), bytes));
    }
    let bytes = disk::module(Path::new(given)).map_err(|error| format!("{given}: {error}"))?;
    Ok((crate::paths::slashes(given), bytes))
}

fn analyze(
    given: &str,
    options: &SpirvOptions,
    path: &str,
    bytes: &[u8],
    in_string: Option<&Shader>,
) -> Result<Analysis, String> {
    let disk = Disk::default();
    // As everywhere else: what is no UTF-8 is told by the analysis, at its place.
    let is_given = given == "-" || in_string.is_some();
    let text: Arc<str> = match is_given {
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

/// The same as text: a line for each reason.
pub fn reasons(
    analysis: &Analysis,
    errors: &[coopmat_codegen::CompileError],
    in_string: Option<&Shader>,
) -> String {
    let mut lines = check::errors_in_lines(analysis, in_string);
    if lines.is_empty() {
        let each = errors.iter();
        let place =
            |error: &coopmat_codegen::CompileError| check::location(analysis, error.location, in_string);
        lines.extend(each.map(|error| check::error_in_line(&error.message, &place(error))));
    }
    lines.join("\n")
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
    let lines = match &subject.source {
        Some((analysis, map)) => SourceLines::of_shader(analysis, map),
        None if options.source => SourceLines::of_module(&subject.module)?,
        None => SourceLines::default(),
    };
    let comment = |instruction: usize| lines.before(instruction);
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
#[derive(Default)]
struct SourceLines {
    files: Vec<SourceFile>,
    /// By instruction: file and line, counted from 1.
    lines: Vec<Option<(usize, usize)>>,
}

struct SourceFile {
    name: String,
    /// Its lines; none where a module does not hold them.
    lines: Vec<String>,
}

impl SourceFile {
    fn new(name: &str, text: &str) -> SourceFile {
        SourceFile { name: name.to_owned(), lines: text.lines().map(|line| line.trim().to_owned()).collect() }
    }
}

impl SourceLines {
    fn of_shader(analysis: &Analysis, map: &InstructionMap) -> SourceLines {
        let files = analysis.files();
        let lines = (0..map.len())
            .map(|instruction| {
                let location = map.place(analysis, instruction)?.location;
                let line = files[location.file].line_index().line_col(location.range.start()).line;
                Some((location.file.0 as usize, line as usize + 1))
            })
            .collect();
        let files = files.iter().map(|(_, file)| SourceFile::new(file_of(&file.path), &file.text)).collect();
        SourceLines { files, lines }
    }

    /// What a module tells itself.
    fn of_module(module: &Module) -> Result<SourceLines, String> {
        let debug = debug::DebugInfo::of(module);
        if debug.places.iter().all(Option::is_none) {
            return Err("the module does not say where its instructions come from: --source needs one that was compiled with \
                 debug information"
                .to_owned());
        }
        let line = |place: &Option<Place>| place.map(|place| (place.file as usize, place.line as usize));
        let lines = debug.places.iter().map(line).collect();
        let file = |file: &File| SourceFile::new(&file.name, file.text.as_deref().unwrap_or_default());
        Ok(SourceLines { files: debug.files.iter().map(file).collect(), lines })
    }

    fn before(&self, instruction: usize) -> Vec<String> {
        let here = self.lines.get(instruction).copied().flatten();
        let previous =
            self.lines.get(..instruction).and_then(|before| before.iter().rev().find_map(|line| *line));
        match here.and_then(|(file, line)| Some((self.files.get(file)?, line))) {
            Some((file, line)) if previous != here => {
                let text = line.checked_sub(1).and_then(|line| file.lines.get(line));
                vec![text.map_or_else(
                    || format!("{}:{line}", file.name),
                    |text| format!("{}:{line}: {text}", file.name),
                )]
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
