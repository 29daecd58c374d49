//! What parts of the language become: small shaders, and the instructions that matter.

mod abort;
mod attributes;
mod casts;
mod heaps;
mod indexing;
mod intrinsics;
mod memory;
mod precise;
mod ray_query;
mod strings;
mod targets;
mod tensors;
mod tiles;

use coopmat_analysis::Analysis;
use coopmat_analysis::config::{Configuration, Stage, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_codegen::{Options, compile};
use coopmat_spirv::text;
use expect_test::Expect;

fn analysis(source: &str, target_env: TargetEnv) -> Analysis {
    let config = Configuration { target_env, stage: Some(Stage::Compute), ..Configuration::default() };
    coopmat_analysis::analyze("test.comp", format!("#version 460\n{source}").into(), &config, &NoFiles, None)
}

/// The lines of the module's text with one of these words, under Vulkan 1.3.
fn check(source: &str, words: &[&str], expected: Expect) {
    let analysis = analysis(source, TargetEnv::Vulkan1_3);
    let compiled = compile(&analysis, &Options::default()).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let options = text::Options { header: false, indent: false, ..text::Options::default() };
    let text = text::disassemble(&compiled.module, &options).text;
    let shown: String = text
        .lines()
        .filter(|line| words.iter().any(|word| line.contains(word)))
        .map(|line| format!("{line}\n"))
        .collect();
    expected.assert_eq(&shown);
}

/// Why there is no module.
fn check_errors(source: &str, target_env: TargetEnv, expected: Expect) {
    let analysis = analysis(source, target_env);
    let told: String = match compile(&analysis, &Options::default()) {
        Ok(_) => String::new(),
        Err(errors) => errors.iter().map(|error| format!("{}\n", error.message)).collect(),
    };
    expected.assert_eq(&told);
}
