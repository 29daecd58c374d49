//! `fmt`: formats shaders in place, or says what that would change.

mod editorconfig;

use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use coopmat_analysis::surface::Surface;
use coopmat_ide::format::{FormatOptions, LineEnd, apply, format, with_line_ends};
use similar::TextDiff;

use crate::arguments::FmtOptions;
use crate::disk;
use crate::output::{self, report_error};
use crate::program::UNUSABLE;

pub fn run(options: &FmtOptions) -> ExitCode {
    let mut outcome = Outcome::default();
    for path in &options.paths {
        if path == "-" {
            standard_input(options, &mut outcome);
        } else if Path::new(path).is_dir() {
            let search = disk::search(path, true, is_ours);
            if let Some(left_out) = search.left_out {
                output::note(&format!("note: {left_out}"));
            }
            if search.files.is_empty() {
                outcome.fail(&format!("{path}: no shaders in this folder"));
            }
            for file in search.files {
                one(&file, options, &mut outcome);
            }
        } else {
            match disk::matching(path) {
                None => one(path, options, &mut outcome),
                Some(Ok(files)) => files.iter().for_each(|file| one(file, options, &mut outcome)),
                Some(Err(error)) => outcome.fail(&error),
            }
        }
    }
    if options.only_tells() && !outcome.unusable {
        output::note(&outcome.summary());
    }
    match outcome {
        Outcome { unusable: true, .. } => ExitCode::from(UNUSABLE),
        Outcome { changed: 1.., .. } if options.only_tells() => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}

/// Shaders and their headers. A `.h` may be a header of C, which is only formatted when it is named.
fn is_ours(path: &str) -> bool {
    disk::is_shader(path) || [".glsl", ".glslh", ".hglsl"].iter().any(|extension| path.ends_with(extension))
}

#[derive(Default)]
struct Outcome {
    files: usize,
    changed: usize,
    unusable: bool,
}

impl Outcome {
    fn fail(&mut self, error: &str) {
        report_error(error);
        self.unusable = true;
    }

    fn summary(&self) -> String {
        let files = |number: usize| format!("{number} file{}", if number == 1 { "" } else { "s" });
        match self.changed {
            0 => format!("{} checked, none would change", files(self.files)),
            changed => format!("{} checked, {changed} would change", files(self.files)),
        }
    }
}

/// What the command line says, else the `.editorconfig` files above the file.
fn format_options(name: &str, options: &FmtOptions) -> Result<(FormatOptions, Option<LineEnd>), String> {
    let (mut format_options, line_end) = match options.no_editorconfig {
        true => (FormatOptions::default(), None),
        false => editorconfig::of(name)?,
    };
    if let Some(columns) = options.tab_size {
        format_options.tab_size = usize::from(columns);
        format_options.indent_size = usize::from(columns);
    }
    if options.tabs {
        format_options.insert_spaces = false;
        format_options.indent_size = format_options.tab_size;
    }
    Ok((format_options, line_end))
}

/// The formatted text, if it is another one.
fn formatted(name: &str, text: &str, options: &FmtOptions) -> Result<Option<String>, String> {
    let (format_options, line_end) = format_options(name, options)?;
    let source = line_end.map_or(text.into(), |end| with_line_ends(text, end));
    let surface = Surface::new(source.as_ref().into(), None);
    let edits = format(&surface, &format_options, None).map_err(|_| {
        format!("{name}: left as it is, because formatting would change more than whitespace")
    })?;
    let result = apply(&source, &edits);
    Ok(Some(result).filter(|result| result != text))
}

/// Formats, counts, and prints what `--check` and `--diff` ask for.
fn take(name: &str, text: &str, options: &FmtOptions, outcome: &mut Outcome) -> Option<String> {
    outcome.files += 1;
    let result = match formatted(name, text, options) {
        Ok(result) => result?,
        Err(error) => {
            outcome.fail(&error);
            return None;
        }
    };
    outcome.changed += 1;
    let report = match (options.diff, options.check) {
        (true, _) => difference(name, text, &result),
        (false, true) => format!("{name}\n"),
        (false, false) => return Some(result),
    };
    if let Err(error) = output::try_print(&report) {
        outcome.fail(&format!("cannot write: {error}"));
    }
    Some(result)
}

/// The change as a unified diff, which `patch` and `git apply -p0` take.
fn difference(name: &str, old: &str, new: &str) -> String {
    // Where every line of a large table changes, the shortest diff takes too long.
    let diff = TextDiff::configure().timeout(Duration::from_secs(1)).diff_lines(old, new);
    diff.unified_diff().header(name, name).to_string()
}

fn standard_input(options: &FmtOptions, outcome: &mut Outcome) {
    let mut text = String::new();
    if let Err(error) = std::io::stdin().read_to_string(&mut text) {
        outcome.fail(&format!("standard input: {error}"));
        return;
    }
    let name = options.stdin_filename.as_deref().unwrap_or("<stdin>");
    let result = take(name, &text, options, outcome);
    if !options.only_tells()
        && let Err(error) = output::try_print(result.as_deref().unwrap_or(&text))
    {
        outcome.fail(&format!("cannot write: {error}"));
    }
}

fn one(path: &str, options: &FmtOptions, outcome: &mut Outcome) {
    let read = disk::text(Path::new(path)).map_err(|error| error.to_string());
    // What is not UTF-8 could not be written back as it was.
    let text = read.and_then(|bytes| String::from_utf8(bytes).map_err(|error| error.to_string()));
    let text = match text {
        Ok(text) => text,
        Err(error) => return outcome.fail(&format!("{path}: {error}")),
    };
    let Some(result) = take(path, &text, options, outcome) else { return };
    if !options.only_tells()
        && let Err(error) = std::fs::write(path, result)
    {
        outcome.fail(&format!("{path}: cannot write the file: {error}"));
    }
}
