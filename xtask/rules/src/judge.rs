//! Looks whether the catalogue says of every shader what it should.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result};
use coopmat_analysis::config::{Configuration, Like};
use coopmat_analysis::diagnostics::{Severity, Tag, codes};
use coopmat_analysis::sources::NoFiles;
use coopmat_analysis::{Analysis, Analyzer};
use coopmat_codegen::Options;
use rayon::prelude::*;

use crate::shader::Settings;
use crate::suite::{Case, Suite, Twin};

/// What was reported about a shader, without the hints that something is not used.
pub struct Said {
    pub id: &'static str,
    pub severity: Severity,
    pub message: String,
    pub range: Range<usize>,
}

pub fn analyze(analyzer: &Analyzer, text: &str, settings: Settings) -> Analysis {
    let path = if settings.fragment { "rule.frag" } else { "rule.comp" };
    let mut analysis = analyzer.analyze(path, Arc::from(text), &settings.configuration(), &NoFiles, None);
    coopmat_codegen::device::add_diagnostics(&mut analysis);
    analysis
}

pub fn said(analysis: &Analysis) -> Vec<Said> {
    let diagnostics = analysis.all_diagnostics();
    diagnostics
        .filter(|diagnostic| diagnostic.code.tag != Some(Tag::Unnecessary))
        .map(|diagnostic| Said {
            id: diagnostic.code.id,
            severity: diagnostic.severity,
            message: diagnostic.message.clone(),
            range: diagnostic.location.range.start().into()..diagnostic.location.range.end().into(),
        })
        .collect()
}

/// The ids of what `--like glslang` tells of a shader, of bindings aside: glslang is asked to number them.
pub fn refusals(analyzer: &Analyzer, text: &str, settings: Settings) -> Vec<&'static str> {
    let path = if settings.fragment { "rule.frag" } else { "rule.comp" };
    let configuration = Configuration { like: Some(Like::Glslang), ..settings.configuration() };
    let analysis = analyzer.analyze(path, Arc::from(text), &configuration, &NoFiles, None);
    let refusals = analysis.refusals.iter().filter(|refusal| refusal.code != &codes::GLSLANG_MISSING_BINDING);
    refusals.map(|refusal| refusal.code.id).collect()
}

/// The words of the module that a shader becomes.
pub fn compile(analysis: &Analysis) -> Result<Vec<u32>, String> {
    let compiled = coopmat_codegen::compile(analysis, &Options::default())
        .map_err(|errors| errors.iter().map(|error| error.message.clone()).collect::<Vec<_>>().join("; "))?;
    coopmat_spirv::assemble(&compiled.module).map_err(|error| error.to_string())
}

/// What is wrong with each shader.
pub fn judge(suite: &Suite) -> Vec<String> {
    let analyzer = Analyzer::default();
    let mut wrong: Vec<String> =
        suite.twins.par_iter().filter_map(|twin| judge_twin(&analyzer, twin).err()).collect();
    wrong.par_extend(suite.cases.par_iter().filter_map(|case| judge_case(&analyzer, case).err()));
    wrong
}

fn judge_twin(analyzer: &Analyzer, twin: &Twin) -> Result<(), String> {
    let analysis = analyze(analyzer, &twin.text, twin.settings);
    let said = said(&analysis);
    if !said.is_empty() {
        let title = format!("{}: a valid shader is not clean", twin.built_in);
        return Err(show(&title, &twin.text, &[], &said));
    }
    compile(&analysis).map_err(|error| {
        let title = format!("{}: a valid shader does not compile: {error}", twin.built_in);
        show(&title, &twin.text, &[], &[])
    })?;
    Ok(())
}

fn judge_case(analyzer: &Analyzer, case: &Case) -> Result<(), String> {
    let said = said(&analyze(analyzer, &case.text, case.settings));
    let mut missing = case.expected.clone();
    let mut surplus = false;
    for told in &said {
        match missing.iter().position(|(id, range)| *id == told.id && *range == told.range) {
            Some(index) => drop(missing.remove(index)),
            None => surplus = true,
        }
    }
    if missing.is_empty() && !surplus {
        return Ok(());
    }
    let title = format!("{}, broken: {} ({})", case.built_in, case.rule, case.id());
    Err(show(&title, &case.text, &case.expected, &said))
}

/// A shader with what was expected below its lines, and what was said.
pub fn show(title: &str, text: &str, expected: &[(&'static str, Range<usize>)], said: &[Said]) -> String {
    let mut out = format!("{title}\n");
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        out.push_str("    | ");
        out.push_str(line);
        let mut note = |range: &Range<usize>, text: String| {
            if (start..end).contains(&range.start) {
                let carets = "^".repeat(range.end.min(end).saturating_sub(range.start).max(1));
                out.push_str(&format!("    | {}{carets} {text}\n", " ".repeat(range.start - start)));
            }
        };
        for (id, range) in expected {
            note(range, format!("expected: {id}"));
        }
        for told in said {
            note(&told.range, format!("said: {} ({}): {}", told.id, told.severity.name(), told.message));
        }
        start = end;
    }
    out
}

/// Lets `spirv-val` look at the modules of the valid shaders, which are written to a folder.
pub fn validate(suite: &Suite, spirv_val: &str, folder: &Path) -> Result<Vec<String>> {
    fs::create_dir_all(folder)?;
    let analyzer = Analyzer::default();
    let wrong: Vec<Result<Option<String>>> = suite
        .twins
        .par_iter()
        .enumerate()
        .map(|(index, twin)| {
            let Ok(words) = compile(&analyze(&analyzer, &twin.text, twin.settings)) else { return Ok(None) };
            let path = folder.join(format!("{index}.spv"));
            fs::write(&path, coopmat_spirv::to_bytes(&words))?;
            Ok(spirv_val_says(spirv_val, &path)?.map(|complaint| {
                let title = format!("{}: the module is not valid: {complaint}", twin.built_in);
                show(&title, &twin.text, &[], &[])
            }))
        })
        .collect();
    wrong.into_iter().filter_map(Result::transpose).collect()
}

/// What `spirv-val` complains about.
pub fn spirv_val_says(spirv_val: &str, path: &Path) -> Result<Option<String>> {
    let mut words = spirv_val.split_whitespace();
    let mut command = Command::new(words.next().context("no spirv-val")?);
    command.args(words).args(["--target-env", "vulkan1.3", "--scalar-block-layout"]);
    let output = command.arg("--allow-vulkan-32-bit-bitwise").arg(path).output()?;
    let said =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    Ok((!output.status.success()).then(|| said.trim().to_owned()))
}
