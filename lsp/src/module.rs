//! A SPIR-V module that is given as a file: its words (`.spv`), its assembly text (`.spvasm`), or WGSL (`.wgsl`), of which naga makes one.

use std::ops::Range;
use std::path::Path;

use coopmat_recipe::report::SourcePlace;
use coopmat_spirv::assembly::{self, Error};
use coopmat_spirv::dr::Module;

use crate::disk;
use crate::run::Places;
use crate::wgsl;

/// The extensions of files that are modules, in words and in text.
pub const EXTENSIONS: [&str; 3] = ["spv", "spvasm", wgsl::EXTENSION];

/// What the bytes of a module are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Words,
    Assembly,
    Wgsl,
}

/// Whether a path names a module.
pub fn is_named(path: &Path) -> bool {
    EXTENSIONS.iter().any(|extension| path.extension().is_some_and(|it| it == *extension))
}

/// Whether bytes begin as a module does, in either order of bytes.
fn is_words(bytes: &[u8]) -> bool {
    const MAGIC: u32 = 0x0723_0203;
    bytes.starts_with(&MAGIC.to_le_bytes()) || bytes.starts_with(&MAGIC.to_be_bytes())
}

/// What a file, or what comes from standard input, is; nothing for a shader in GLSL.
pub fn form(path: &str, bytes: &[u8]) -> Option<Form> {
    if is_words(bytes) {
        return Some(Form::Words);
    }
    if path != "-" {
        let extension = Path::new(path).extension()?;
        return match extension.to_str()? {
            "spvasm" => Some(Form::Assembly),
            wgsl::EXTENSION => Some(Form::Wgsl),
            _ => None,
        };
    }
    let start = bytes.trim_ascii_start();
    (start.starts_with(b"; SPIR-V") || start.starts_with(b"OpCapability")).then_some(Form::Assembly)
}

/// The text of bytes.
///
/// # Errors
/// That they are not UTF-8.
pub fn text<'b>(name: &str, bytes: &'b [u8]) -> Result<&'b str, String> {
    std::str::from_utf8(bytes).map_err(|error| {
        format!("{name}: expected text in UTF-8, found other bytes at byte {}", error.valid_up_to())
    })
}

/// The module of a file, and where its instructions come from: what it says itself, else the lines of its text.
///
/// # Errors
/// What is wrong with the file, with the place in a text.
pub fn load(path: &Path) -> Result<(Module, Places), String> {
    let shown = path.display().to_string();
    let bytes = disk::module(path).map_err(|error| format!("{shown}: {error}"))?;
    from_bytes(&shown, &bytes, form(&shown, &bytes).unwrap_or(Form::Words), true)
}

/// The module of a file's bytes. `with_source`: that of WGSL says where its instructions come from.
///
/// # Errors
/// What is wrong with them, with the place in a text.
pub fn from_bytes(
    name: &str,
    bytes: &[u8],
    form: Form,
    with_source: bool,
) -> Result<(Module, Places), String> {
    let said = |module: Module| {
        let places = Places::of_module(&module);
        (module, places)
    };
    let words = |error: coopmat_spirv::LoadError| format!("{name}: {error}");
    match form {
        Form::Words => coopmat_spirv::load_bytes(bytes).map(said).map_err(words),
        Form::Wgsl => {
            let source = text(name, bytes)?;
            match wgsl::compile(name, source, with_source) {
                Ok(compiled) => coopmat_spirv::load(&compiled).map(said).map_err(words),
                Err(mistake) => Err(shown(name, source, &mistake.range, &mistake.message)),
            }
        }
        Form::Assembly => {
            let source = text(name, bytes)?;
            let parsed = assembly::parse(source);
            let Some(module) = parsed.module else { return Err(told(name, source, &parsed.errors)) };
            let mut places = Places::of_module(&module);
            if places.is_empty() {
                let mut positions = Positions { source, at: 0, line: 1, start: 0 };
                let place = |one: &assembly::Written| positions.place(name, one.range.start);
                places = Places::of_text(name, source, parsed.instructions.iter().map(place).collect());
            }
            Ok((module, places))
        }
    }
}

/// Lines and columns of places that are asked for in the order of the text.
struct Positions<'a> {
    source: &'a str,
    at: usize,
    line: u32,
    /// Where the line starts.
    start: usize,
}

impl Positions<'_> {
    fn place(&mut self, path: &str, at: usize) -> SourcePlace {
        let between = self.source.get(self.at..at).unwrap_or_default();
        if let Some(last) = between.rfind('\n') {
            self.line += between.matches('\n').count() as u32;
            self.start = self.at + last + 1;
        }
        self.at = at;
        let column = self.source.get(self.start..at).unwrap_or_default().chars().count() as u32 + 1;
        SourcePlace { path: path.to_owned(), line: self.line, column }
    }
}

/// As many mistakes are shown.
const SHOWN: usize = 10;

/// The mistakes of a text, each with its line.
fn told(name: &str, source: &str, errors: &[Error]) -> String {
    let one = |error: &Error| shown(name, source, &error.range, &error.message);
    let mut all: Vec<String> = errors.iter().take(SHOWN).map(one).collect();
    if errors.len() > SHOWN {
        all.push(format!("{name}: {} more errors", errors.len() - SHOWN));
    }
    all.join("\n")
}

/// A mistake with its line.
fn shown(name: &str, source: &str, range: &Range<usize>, message: &str) -> String {
    let place = Error { range: range.clone(), message: String::new() };
    let (line, column) = place.position(source);
    let text = source.lines().nth(line - 1).unwrap_or_default();
    let marked = source.get(range.clone()).and_then(|marked| marked.lines().next());
    let length = marked.map_or(1, |marked| marked.chars().count().max(1));
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    // A tab is as wide below as above.
    let before = text.chars().take(column - 1);
    let before: String = before.map(|character| if character == '\t' { '\t' } else { ' ' }).collect();
    let marks = "^".repeat(length);
    format!("{name}:{line}:{column}: {message}\n {number} | {text}\n {margin} | {before}{marks}")
}
