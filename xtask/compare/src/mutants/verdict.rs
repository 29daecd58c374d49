//! Our verdict about a shader: `check`, then our compiler, then `spirv-val` over its module.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use coopmat_analysis::Analyzer;
use coopmat_analysis::config::Configuration;
use coopmat_analysis::diagnostics::Severity;
use coopmat_codegen::CompileError;
use coopmat_corpus::files::Files;
use coopmat_corpus::mutants::Ours;
use coopmat_corpus::tools::Validator;
use coopmat_mutate::panics;

/// Judges the file `source` of `files`; `module` is where its module may be written.
pub fn ours(
    analyzer: &Analyzer,
    files: &Files,
    source: &str,
    configuration: &Configuration,
    validator: &Validator,
    module: &Path,
) -> Result<Ours> {
    let mut verdict = None;
    let outcome = panics::catch(|| verdict = Some(judge(analyzer, files, source, configuration)));
    if let Err(failure) = outcome {
        return Ok(Ours::Panic { message: failure.message, place: failure.place });
    }
    match verdict.context("no verdict")? {
        Judged::Verdict(verdict) => Ok(verdict),
        Judged::Module { words, warnings } => {
            fs::write(module, coopmat_spirv::to_bytes(&words))?;
            let complaint = validator.complaint(module, configuration.target_env, true)?;
            fs::remove_file(module)?;
            Ok(complaint.map_or(Ours::Valid, |complaint| Ours::Invalid { complaint, warnings }))
        }
    }
}

enum Judged {
    Verdict(Ours),
    Module { words: Vec<u32>, warnings: Vec<&'static str> },
}

fn judge(analyzer: &Analyzer, files: &Files, source: &str, configuration: &Configuration) -> Judged {
    let text = files.get(source).unwrap_or_default();
    let mut analysis = analyzer.analyze(source, text, configuration, files, None);
    coopmat_codegen::device::add_diagnostics(&mut analysis);
    let of = |severity| analysis.all_diagnostics().filter(move |found| found.severity == severity);
    if let Some(error) = of(Severity::Error).min_by_key(|found| found.location.range.start()) {
        return Judged::Verdict(Ours::Refused { id: error.code.id, message: error.message.clone() });
    }
    let mut warnings: Vec<&'static str> = of(Severity::Warning).map(|found| found.code.id).collect();
    warnings.sort_unstable();
    warnings.dedup();
    let not_compiled = |message, told| Judged::Verdict(Ours::NotCompiled { message, told });
    match coopmat_codegen::compile(&analysis, &coopmat_codegen::Options::default()) {
        Ok(compiled) => match coopmat_spirv::assemble(&compiled.module) {
            Ok(words) => Judged::Module { words, warnings },
            Err(error) => not_compiled(error.to_string(), false),
        },
        Err(errors) => {
            let internal = errors.iter().any(CompileError::is_internal);
            let told = !internal && !coopmat_codegen::not_compiled(&analysis).is_empty();
            not_compiled(errors.first().map(|error| error.message.clone()).unwrap_or_default(), told)
        }
    }
}
