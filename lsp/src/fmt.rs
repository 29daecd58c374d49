//! `fmt`: formats shaders in place, or says which are not.

use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;

use coopmat_analysis::surface::Surface;
use coopmat_ide::format::{FormatOptions, apply, format};

use crate::arguments::FmtOptions;
use crate::disk;
use crate::output::{self, report_error};
use crate::program::UNUSABLE;

pub fn run(options: &FmtOptions) -> ExitCode {
    let format_options = FormatOptions {
        tab_size: usize::from(options.tab_size),
        insert_spaces: !options.tabs,
        ..FormatOptions::default()
    };
    let mut outcome = Outcome::default();
    for path in &options.paths {
        if path == "-" {
            standard_input(options, &format_options, &mut outcome);
        } else if Path::new(path).is_dir() {
            let search = disk::search(path, true, is_ours);
            if let Some(left_out) = search.left_out {
                crate::output::note(&format!("note: {left_out}"));
            }
            if search.files.is_empty() {
                report_error(&format!("{path}: no shaders in this folder"));
                outcome.unusable = true;
            }
            for file in search.files {
                one(&file, options, &format_options, &mut outcome);
            }
        } else {
            one(path, options, &format_options, &mut outcome);
        }
    }
    if options.check && !outcome.changed.is_empty() {
        let _ = output::try_print(&format!("{}\n", outcome.changed.join("\n")));
    }
    match outcome {
        Outcome { unusable: true, .. } => ExitCode::from(UNUSABLE),
        Outcome { changed, .. } if options.check && !changed.is_empty() => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}

/// Shaders and their headers. A `.h` may be a header of C, which is only formatted when it is named.
fn is_ours(path: &str) -> bool {
    disk::is_shader(path) || [".glsl", ".glslh", ".hglsl"].iter().any(|extension| path.ends_with(extension))
}

#[derive(Default)]
struct Outcome {
    changed: Vec<String>,
    unusable: bool,
}

/// The formatted text, if it is another one.
fn formatted(name: &str, text: &str, options: &FormatOptions, outcome: &mut Outcome) -> Option<String> {
    let surface = Surface::new(text.into(), None);
    match format(&surface, options, None) {
        Ok(edits) if edits.is_empty() => None,
        Ok(edits) => {
            outcome.changed.push(name.to_owned());
            Some(apply(text, &edits))
        }
        Err(_) => {
            report_error(&format!(
                "{name}: left as it is, because formatting would change more than whitespace"
            ));
            outcome.unusable = true;
            None
        }
    }
}

fn standard_input(options: &FmtOptions, format_options: &FormatOptions, outcome: &mut Outcome) {
    let mut text = String::new();
    if let Err(error) = std::io::stdin().read_to_string(&mut text) {
        report_error(&format!("standard input: {error}"));
        outcome.unusable = true;
        return;
    }
    let result = formatted("<stdin>", &text, format_options, outcome);
    if !options.check
        && let Err(error) = output::try_print(result.as_deref().unwrap_or(&text))
    {
        report_error(&format!("cannot write: {error}"));
        outcome.unusable = true;
    }
}

fn one(path: &str, options: &FmtOptions, format_options: &FormatOptions, outcome: &mut Outcome) {
    let read = disk::text(Path::new(path)).map_err(|error| error.to_string());
    // What is not UTF-8 could not be written back as it was.
    let text = read.and_then(|bytes| String::from_utf8(bytes).map_err(|error| error.to_string()));
    let text = match text {
        Ok(text) => text,
        Err(error) => {
            report_error(&format!("{path}: {error}"));
            outcome.unusable = true;
            return;
        }
    };
    let Some(result) = formatted(path, &text, format_options, outcome) else { return };
    if !options.check
        && let Err(error) = std::fs::write(path, result)
    {
        report_error(&format!("{path}: cannot write the file: {error}"));
        outcome.unusable = true;
    }
}
