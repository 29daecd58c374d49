//! What a stand-in answers where there is no compiler: the module that the shader becomes, or the mistakes in the compiler's words, since builds
//! search these ("extension not supported") for what it can do.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use coopmat_analysis::config::{Configuration, Stage};
use coopmat_analysis::diagnostics::{Severity, codes};
use coopmat_analysis::import::{self, CompilerCall};
use coopmat_analysis::project::Settings;
use coopmat_analysis::text::{FileId, FileRange, TextRange, TextSize};
use coopmat_analysis::{Analysis, Analyzer};
use coopmat_codegen::{Options, compile};

use super::kept;
use crate::disk::{self, Confined, Disk};
use crate::program::STACK;

/// Whose words are used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Like {
    Glslc,
    Glslang,
}

/// A mistake, or something to be warned of.
struct Told {
    path: String,
    line: u32,
    is_error: bool,
    message: String,
}

/// What one shader became.
struct Compiled {
    bytes: Vec<u8>,
    /// The shader and what it includes.
    files: Vec<String>,
    stage: Option<Stage>,
}

/// Does what a call in a folder asks for; gives the exit code. `capture`: a folder that goes when the capture ends.
pub fn answer(name: &str, arguments: &[String], folder: &str, capture: &str) -> u8 {
    let work = || answer_here(name, arguments, folder, capture);
    let answered = std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        worker.map(|worker| worker.join())
    });
    match answered {
        Ok(Ok(code)) => code,
        Ok(Err(_)) => refuse(Like::of(name), name, "compiling failed; this is a bug of coopmat-analyzer"),
        Err(error) => refuse(Like::of(name), name, &format!("cannot start a thread: {error}")),
    }
}

impl Like {
    fn of(name: &str) -> Like {
        if name == "glslc" { Like::Glslc } else { Like::Glslang }
    }

    fn failure(self) -> u8 {
        match self {
            Like::Glslc => 1,
            Like::Glslang => 2,
        }
    }

    fn told(self, told: &Told) -> String {
        let Told { path, line, is_error, message } = told;
        match (self, is_error) {
            (Like::Glslc, true) => format!("{path}:{line}: error: {message}\n"),
            (Like::Glslc, false) => format!("{path}:{line}: warning: {message}\n"),
            (Like::Glslang, true) => format!("ERROR: {path}:{line}: {message}\n"),
            (Like::Glslang, false) => format!("WARNING: {path}:{line}: {message}\n"),
        }
    }

    /// The last line about all mistakes.
    fn conclusion(self, list: &[Told]) -> String {
        let errors = list.iter().filter(|told| told.is_error).count();
        let counted =
            |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        match (self, errors, list.len() - errors) {
            (Like::Glslc, 0, 0) | (Like::Glslang, 0, _) => String::new(),
            (Like::Glslc, 0, warnings) => counted(warnings, "warning") + " generated.\n",
            (Like::Glslc, errors, 0) => counted(errors, "error") + " generated.\n",
            (Like::Glslc, errors, warnings) => {
                format!("{} and {} generated.\n", counted(warnings, "warning"), counted(errors, "error"))
            }
            (Like::Glslang, errors, _) => {
                format!("ERROR: {errors} compilation errors.  No code generated.\n\n\n")
            }
        }
    }

    /// glslc tells on standard error, glslang on standard output.
    fn print(self, text: &str) {
        let _ = match self {
            Like::Glslc => std::io::stderr().write_all(text.as_bytes()),
            Like::Glslang => std::io::stdout().write_all(text.as_bytes()),
        };
    }
}

fn refuse(like: Like, name: &str, message: &str) -> u8 {
    like.print(&match like {
        Like::Glslc => format!("{name}: error: {message}\n"),
        Like::Glslang => format!("ERROR: {message}\n"),
    });
    like.failure()
}

fn answer_here(name: &str, arguments: &[String], folder: &str, capture: &str) -> u8 {
    let like = Like::of(name);
    let has = |words: &[&str]| arguments.iter().any(|word| words.contains(&word.as_str()));
    if has(&["--version"]) || like == Like::Glslang && has(&["-v"]) {
        // Builds look for a version, which nothing but the compiler has.
        let version = env!("CARGO_PKG_VERSION");
        let _ = match like {
            Like::Glslc => writeln!(
                std::io::stdout(),
                "shaderc v2026.1 v2026.1 (coopmat-analyzer {version} stands in for it)\n\nTarget: SPIR-V 1.0"
            ),
            Like::Glslang => writeln!(
                std::io::stdout(),
                "Glslang Version: 11:16.0.0 (coopmat-analyzer {version} stands in for it)"
            ),
        };
        return 0;
    }
    let read = |path: &str, _: Option<&str>| {
        disk::read(Path::new(path)).map(Into::into).map_err(|error| error.to_string())
    };
    let call = match import::call(name, arguments, folder, &read) {
        Ok(call) => call,
        Err(message) => return refuse(like, name, &message),
    };
    let other = match like {
        Like::Glslc => ["-E", "-M", "-MM", "-S"].into_iter().find(|option| has(&[option])),
        Like::Glslang => ["-E", "-H", "--dump-builtin-symbols"].into_iter().find(|option| has(&[option])),
    };
    if let Some(option) = other {
        let message = format!(
            "`{option}` needs the real {name}, which is not on PATH: coopmat-analyzer, which stands in for it, can only compile"
        );
        return refuse(like, name, &message);
    }
    if call.variants.is_empty() && call.stdin.is_none() {
        let why = call.skipped.unwrap_or("no input files");
        return refuse(
            like,
            name,
            &format!("coopmat-analyzer, which stands in for it, does nothing here: {why}"),
        );
    }
    let disk = Disk::default();
    let mut inputs: Vec<(String, Option<Arc<str>>, &Settings)> =
        call.variants.iter().map(|variant| (variant.source.clone(), None, &variant.settings)).collect();
    if let Some(settings) = &call.stdin {
        let mut text = Vec::new();
        if let Err(error) = std::io::stdin().lock().read_to_end(&mut text) {
            return refuse(like, name, &format!("cannot read standard input: {error}"));
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        inputs.push((format!("{folder}/<stdin>"), Some(text.into()), settings));
    }
    let mut list = Vec::new();
    for (path, text, settings) in inputs {
        if like == Like::Glslang {
            like.print(&format!("{}\n", path.rsplit('/').next().unwrap_or(&path)));
        }
        let text = match text.map_or_else(|| disk.named(&path), Ok) {
            Ok(text) => text,
            Err(_) => return refuse(like, name, &format!("cannot open input file: '{path}'")),
        };
        let (compiled, mut told) = one(&path, text, settings, &disk, gone_soon(&call, folder, capture));
        told.iter().for_each(|told| like.print(&like.told(told)));
        list.append(&mut told);
        if let Some(compiled) = compiled
            && let Err(message) = write(&call, arguments, folder, Path::new(capture), like, &compiled)
        {
            return refuse(like, name, &message);
        }
    }
    like.print(&like.conclusion(&list));
    if list.iter().any(|told| told.is_error) { like.failure() } else { 0 }
}

/// Whether the result of a call goes when the capture ends.
fn gone_soon(call: &CompilerCall, folder: &str, capture: &str) -> bool {
    let output = call.output.as_deref().unwrap_or(folder);
    output.strip_prefix(capture).is_some_and(|rest| rest.starts_with('/'))
}

/// A module that declares nothing, for a build that goes on and that nobody keeps.
const EMPTY: [u32; 10] = [0x0723_0203, 0x0001_0000, 0, 1, 0, 0x0002_0011, 1, 0x0003_000e, 0, 1];

/// Compiles one shader. The build's own compiler would read what it includes from wherever it lies.
///
/// `goes_on`: what has no mistake and is not compiled, such as a fragment shader, becomes an empty module.
fn one(
    path: &str,
    text: Arc<str>,
    settings: &Settings,
    disk: &Disk,
    goes_on: bool,
) -> (Option<Compiled>, Vec<Told>) {
    let mut configuration = Configuration::default();
    settings.apply(&mut configuration, "");
    let configuration = Arc::new(configuration);
    let loader = Confined::new(disk, &configuration);
    let analysis = Analyzer::default().analyze(path, text, &configuration, &loader, None);
    let mut told = told(&analysis);
    if told.iter().any(|told| told.is_error) {
        return (None, told);
    }
    let compiled = compile(&analysis, &Options::default()).map_err(|errors| {
        let errors = errors.iter().map(|error| (error.location, error.message.clone()));
        errors.collect::<Vec<_>>()
    });
    let words = compiled.and_then(|compiled| {
        coopmat_spirv::assemble(&compiled.module).map_err(|error| {
            let start = FileRange { file: FileId::ROOT, range: TextRange::empty(TextSize::new(0)) };
            vec![(start, format!("cannot write the module: {error}"))]
        })
    });
    let made = |words: &[u32]| Compiled {
        bytes: coopmat_spirv::to_bytes(words),
        files: analysis.files().iter().map(|(_, file)| file.path.to_string()).collect(),
        stage: settings.stage.or_else(|| Stage::of_path(path)),
    };
    match words {
        Ok(words) => (Some(made(&words)), told),
        Err(_) if goes_on => (Some(made(&EMPTY)), told),
        Err(errors) => {
            told.extend(errors.into_iter().map(|(location, message)| {
                at(&analysis, location, true, format!("coopmat-analyzer cannot compile this: {message}"))
            }));
            (None, told)
        }
    }
}

fn at(analysis: &Analysis, location: FileRange, is_error: bool, message: String) -> Told {
    let file = &analysis.files()[location.file];
    let line = file.line_index().line_col(location.range.start()).line + 1;
    Told { path: file.path.to_string(), line, is_error, message }
}

/// The errors of a shader, and extensions that are not known, which a compiler warns of.
fn told(analysis: &Analysis) -> Vec<Told> {
    let mut list = Vec::new();
    for diagnostic in &analysis.diagnostics {
        let is_error = diagnostic.severity == Severity::Error;
        if *diagnostic.code == codes::UNKNOWN_EXTENSION {
            let text = &analysis.files()[diagnostic.location.file].text;
            let name = text.get(std::ops::Range::<usize>::from(diagnostic.location.range));
            let message = format!("'#extension' : extension not supported: {}", name.unwrap_or_default());
            list.push(at(analysis, diagnostic.location, is_error, message));
        } else if is_error {
            let message = format!("'' : {} [{}]", diagnostic.message, diagnostic.code.id);
            list.push(at(analysis, diagnostic.location, true, message));
        }
    }
    list
}

/// The value of an option that is a word of its own.
fn value_of<'a>(arguments: &'a [String], names: &[&str]) -> Option<&'a str> {
    let at = arguments.iter().position(|word| names.contains(&word.as_str()))?;
    arguments.get(at + 1).map(String::as_str)
}

/// Writes a module where the call wants it, and a file of dependencies.
fn write(
    call: &CompilerCall,
    arguments: &[String],
    folder: &str,
    capture: &Path,
    like: Like,
    made: &Compiled,
) -> Result<(), String> {
    let has = |word: &str| arguments.iter().any(|other| other == word);
    let shader = made.files.first().map_or("shader", String::as_str);
    let usual = match like {
        Like::Glslc if has("-c") => Some(format!("{}.spv", shader.rsplit('/').next().unwrap_or(shader))),
        Like::Glslc => Some("a.spv".to_owned()),
        // Without a target it only looks.
        Like::Glslang if has("-V") => made.stage.map(|stage| format!("{}.spv", stage.extension())),
        Like::Glslang => None,
    };
    let usual = usual.map(|name| format!("{folder}/{name}"));
    let Some(output) = call.output.clone().or(usual) else { return Ok(()) };
    let variable = value_of(arguments, &["--vn", "--variable-name"]).filter(|_| like == Like::Glslang);
    let format = arguments.iter().find_map(|word| word.strip_prefix("-mfmt="));
    let bytes = match (variable, format) {
        (Some(name), _) => format!(
            "\t// coopmat-analyzer\n#pragma once\nconst uint32_t {name}[] = {{\n{}\n}};\n",
            numbers(made)
        )
        .into_bytes(),
        (None, Some("num")) => numbers(made).into_bytes(),
        (None, Some("c")) => format!("{{{}}}", numbers(made)).into_bytes(),
        (None, _) => made.bytes.clone(),
    };
    if output == format!("{folder}/-") {
        let mut out = std::io::stdout().lock();
        out.write_all(&bytes).and_then(|()| out.flush()).map_err(|error| error.to_string())?;
    } else {
        kept::write(capture, Path::new(&output), &bytes)
            .map_err(|error| format!("cannot open output file: '{output}': {error}"))?;
    }
    let file = match like {
        Like::Glslc if has("-MD") => {
            Some(value_of(arguments, &["-MF"]).map_or_else(|| format!("{output}.d"), str::to_owned))
        }
        Like::Glslc => None,
        Like::Glslang => value_of(arguments, &["--depfile"]).map(str::to_owned),
    };
    if let Some(file) = file {
        let target = value_of(arguments, &["-MT", "-MQ"]).unwrap_or(&output);
        let escaped = |path: &str| path.replace(' ', "\\ ");
        let files: Vec<_> = made.files.iter().map(|path| escaped(path)).collect();
        let text = format!("{}: {}\n", escaped(target), files.join(" "));
        let path = Path::new(folder).join(&file);
        kept::write(capture, &path, text.as_bytes())
            .map_err(|error| format!("cannot open output file: '{file}': {error}"))?;
    }
    Ok(())
}

/// A module's words as numbers of C.
fn numbers(made: &Compiled) -> String {
    let (words, _) = made.bytes.as_chunks::<4>();
    let words = words.iter().map(|word| format!("0x{:08x}", u32::from_le_bytes(*word)));
    words.collect::<Vec<_>>().join(",")
}
