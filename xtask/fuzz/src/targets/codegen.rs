//! The code generator: what has no errors compiles, and what comes out is a module that comes back as itself.
//!
//! Modules are kept for `spirv-val`, which the driver starts beside the run.

use std::sync::Mutex;

use coopmat_analysis::analyze;
use coopmat_analysis::config::TargetEnv;
use coopmat_analysis::diagnostics::Severity;
use coopmat_codegen::{
    Compiled, DebugInfo, Optimisation, Options, Values, compile, optimise, specialize, statistics,
};
use coopmat_spirv::{assemble, load, specialization_constants, text, to_bytes};

use super::inputs::mutate_text;
use crate::input::Input;
use crate::mutate;
use crate::random::Random;
use crate::seeds::Seeds;
use crate::target::{Effort, Target, Unit};

pub const TARGET: Target = Target {
    name: "codegen",
    about: "a shader without errors compiles, plain, optimised, with debug information and specialized; modules are valid",
    unit: Unit::Text,
    run,
    generate,
    mutate: mutate_text,
};

/// A module that somebody may validate.
pub struct Made {
    pub bytes: Vec<u8>,
    pub environment: &'static str,
}

static MADE: Mutex<Option<Vec<Made>>> = Mutex::new(None);

/// Begins to keep the modules that are made; each call hands over those since the last.
pub fn made() -> Vec<Made> {
    MADE.lock().unwrap_or_else(std::sync::PoisonError::into_inner).replace(Vec::new()).unwrap_or_default()
}

fn generate(random: &mut Random, seeds: &Seeds) -> Vec<u8> {
    let text = seeds.valid_shader(random);
    match random.below(5) {
        0 => mutate::shader(text, random, seeds),
        _ => mutate::gently(text, random),
    }
    .into_bytes()
}

fn run(bytes: &[u8], _: Effort) {
    let input = Input::read(bytes);
    let mut random = Random::of(bytes);
    let analysis = analyze("/main.comp", input.text().clone(), &input.config, &input, None);
    let options = Options {
        target_env: None,
        debug: random.pick([DebugInfo::None, DebugInfo::None, DebugInfo::Lines, DebugInfo::Full]),
        names: random.below(4) > 0,
        optimisation: Optimisation::None,
        keep_locals: random.one_in(4),
    };
    let compiled = match compile(&analysis, &options) {
        Ok(compiled) => compiled,
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without a reason");
            for error in &errors {
                crate::check::place(&analysis, error.location, &error.message);
            }
            let clean = !analysis.diagnostics.iter().any(|found| found.severity == Severity::Error);
            // What Vulkan, a version of it or this compiler does not offer is said in words.
            let unexplained = errors.iter().find(|error| error.is_internal());
            if let (true, Some(error)) = (clean, unexplained) {
                panic!("a shader without errors does not compile: {}", error.message);
            }
            return;
        }
    };
    // What breaks a rule of the Vulkan environment is a warning: it compiles, to what `spirv-val` refuses.
    let warned = analysis.all_diagnostics().any(|found| found.severity == Severity::Warning);
    let environment = Some(analysis.config.target_env).filter(|_| !warned);
    check(&compiled, environment);
    let cleaned = optimise(compiled.clone());
    check(&cleaned, environment);
    let values = values(&compiled, &mut random);
    if let Ok(specialized) = specialize(compiled, &values) {
        check(&specialized, environment);
        check(&optimise(specialized), environment);
    }
}

/// Values for some of the module's specialization constants.
fn values(compiled: &Compiled, random: &mut Random) -> Values {
    let constants = specialization_constants(&compiled.module);
    let chosen: Vec<(u32, String)> = constants
        .iter()
        .filter_map(|constant| {
            let number = random.pick([0, 1, 2, 4, 8, 16, 16, 32, random.clone().number()]);
            (random.below(3) > 0).then(|| (constant.spec_id, number.to_string()))
        })
        .collect();
    let written = chosen.iter().map(|(id, text)| (*id, text.as_str()));
    Values::parse(&compiled.module, written).unwrap_or_default()
}

/// `environment`: of what is to be validated.
fn check(compiled: &Compiled, environment: Option<TargetEnv>) {
    let module = &compiled.module;
    let words = match assemble(module) {
        Ok(words) => words,
        Err(error) => panic!("a module that cannot be written: {error}"),
    };
    match load(&words).map(|again| assemble(&again)) {
        Ok(again) => assert_eq!(again.as_deref(), Ok(&words[..]), "it comes back as other words"),
        Err(error) => panic!("a module that cannot be read: {error}"),
    }
    text::disassemble(module, &text::Options::default());
    statistics::statistics(module, &statistics::Assumptions::default());
    if let (Ok(mut made), Some(environment)) = (MADE.lock(), environment)
        && let Some(list) = made.as_mut()
        && list.len() < 64
    {
        list.push(Made { bytes: to_bytes(&words), environment: environment.name() });
    }
}
