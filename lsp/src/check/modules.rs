//! SPIR-V modules and WGSL among the files that are checked: what our reader says of modules, and `spirv-val` where it is installed; what naga says of WGSL.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use coopmat_analysis::diagnostics::{Code, Severity, codes};
use coopmat_analysis::levels::Level;
use coopmat_analysis::text::{TextRange, TextSize};
use coopmat_spirv::assembly;
use coopmat_spirv::text;

use super::report::{Finding, Location};
use crate::disk;
use crate::module::{self, Form};
use crate::validator::{self, Answer};
use crate::wgsl;

/// What is found in a module.
pub struct Checked {
    pub findings: Vec<Finding>,
    /// Whether `spirv-val` was to be asked and is not there.
    pub no_validator: bool,
}

/// Checks a module, in words or as text. `validator`: the program, where it is wanted.
///
/// # Errors
/// That it cannot be read as a file, or that the program fails.
pub fn check(
    path: &str,
    validator: Option<&str>,
    levels: &[(&'static Code, Level)],
) -> Result<Checked, String> {
    let bytes = disk::module(Path::new(path)).map_err(|error| format!("{path}: {error}"))?;
    let mut found = Found { path, levels, findings: Vec::new() };
    let form = module::form(path, &bytes);
    if form == Some(Form::Wgsl) {
        let source = module::text(path, &bytes)?;
        if let Err(mistake) = wgsl::compile(path, source, false) {
            let text: Arc<str> = source.into();
            found.add(&codes::WGSL, Severity::Error, mistake.message, &text, mistake.range);
            for (range, label) in mistake.labels {
                let location = found.location(&text, range);
                if let Some(finding) = found.findings.last_mut() {
                    finding.related.push((location, label));
                }
            }
        }
        return Ok(Checked { findings: found.findings, no_validator: false });
    }
    // The text, the module, and where each instruction stands: in a text of ours where the file has words.
    let (text, module, places) = if form == Some(Form::Assembly) {
        let source = module::text(path, &bytes)?;
        let text: Arc<str> = source.into();
        let parsed = assembly::parse(source);
        for error in &parsed.errors {
            let range = error.range.clone();
            found.add(&codes::MODULE_SYNTAX, Severity::Error, error.message.clone(), &text, range);
        }
        let places: Vec<_> = parsed.instructions.iter().map(|one| one.range.clone()).collect();
        (text, parsed.module, places)
    } else {
        match coopmat_spirv::load_bytes(&bytes) {
            Err(error) => {
                found.add(&codes::MODULE_SYNTAX, Severity::Error, error.to_string(), &Arc::from(""), 0..0);
                (Arc::from(""), None, Vec::new())
            }
            Ok(module) => {
                let printed = text::disassemble(&module, &text::Options::default());
                let mut places = Vec::new();
                for line in &printed.lines {
                    if line.instruction != Some(places.len() as u32) {
                        continue;
                    }
                    let (start, end) = (line.range.start as usize, line.range.end as usize);
                    let written = printed.text.get(start..end).unwrap_or_default();
                    places.push(end - written.trim_start().len()..end);
                }
                (printed.text.into(), Some(module), places)
            }
        }
    };
    let mut no_validator = false;
    if let (Some(module), Some(program)) = (&module, validator) {
        let words = coopmat_spirv::assemble(module).map_err(|error| format!("{path}: {error}"))?;
        match validator::validate(program, module, &coopmat_spirv::to_bytes(&words)) {
            Answer::Told(all) => {
                for told in all {
                    let place = told.instruction.and_then(|at| places.get(at)).cloned().unwrap_or(0..0);
                    found.add(&codes::SPIRV_VAL, told.severity, told.message, &text, place);
                }
            }
            Answer::Missing => no_validator = true,
            Answer::Failed(message) => return Err(message),
        }
    }
    Ok(Checked { findings: found.findings, no_validator })
}

struct Found<'a> {
    path: &'a str,
    levels: &'a [(&'static Code, Level)],
    findings: Vec<Finding>,
}

impl Found<'_> {
    fn location(&self, text: &Arc<str>, range: Range<usize>) -> Location {
        let range = TextRange::new(TextSize::new(range.start as u32), TextSize::new(range.end as u32));
        Location { path: self.path.into(), text: text.clone(), range }
    }

    fn add(
        &mut self,
        code: &'static Code,
        severity: Severity,
        message: String,
        text: &Arc<str>,
        range: Range<usize>,
    ) {
        let severity = match self.levels.iter().find(|(one, _)| *one == code) {
            Some((_, Level::Allow)) => return,
            Some((_, Level::Tell(severity))) => *severity,
            None => severity,
        };
        let location = self.location(text, range);
        self.findings.push(Finding {
            code,
            severity,
            message,
            unanalysed: None,
            location,
            related: Vec::new(),
            runs: Vec::new(),
        });
    }
}
