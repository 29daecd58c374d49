//! The reader of modules and what works on any module: it answers or refuses, and what was read comes back as itself.

use std::sync::OnceLock;

use coopmat_analysis::analyze;
use coopmat_codegen::{Options, compile, optimise, statistics};
use coopmat_simulator::debugger::Lines;
use coopmat_spirv::text::{self, Options as TextOptions};
use coopmat_spirv::{Values, assemble, assembly, load_bytes, specialization_constants, specialize, to_bytes};

use super::inputs::mutate_words;
use crate::input::Input;
use crate::mutate::{self, words};
use crate::random::Random;
use crate::seeds::Seeds;
use crate::target::{Effort, Target, Unit};

pub const TARGET: Target = Target {
    name: "spirv",
    about: "damaged modules: reading, writing, text, statistics, specialization",
    unit: Unit::Words,
    run,
    generate,
    mutate: mutate_words,
};

/// The modules of the examples, plain and cleaned up.
pub fn modules(seeds: &Seeds) -> &'static [Vec<u32>] {
    static MODULES: OnceLock<Vec<Vec<u32>>> = OnceLock::new();
    MODULES.get_or_init(|| {
        let shaders = seeds.examples.iter().chain(seeds.corpus.iter().step_by(5));
        let texts = shaders.map(|seed| &*seed.text).chain(super::simulator::SHADERS);
        texts.flat_map(|text| compiled(text, &Options::default()).into_iter().flatten()).collect()
    })
}

/// A shader's module, plain and cleaned up, if it has one.
pub fn compiled(text: &str, options: &Options) -> Option<[Vec<u32>; 2]> {
    let input = Input::read(text.as_bytes());
    let analysis = analyze("/main.comp", input.text().clone(), &input.config, &input, None);
    let compiled = compile(&analysis, options).ok()?;
    let plain = assemble(&compiled.module).ok()?;
    let clean = assemble(&optimise(compiled).module).ok()?;
    Some([plain, clean])
}

/// A module of an example, or of an example that was changed a little.
pub fn some_module(random: &mut Random, seeds: &Seeds) -> Vec<u32> {
    if random.one_in(3) {
        let text = mutate::gently(seeds.valid_shader(random), random);
        if let Some(made) = compiled(&text, &Options::default()) {
            return random.choose(&made).cloned().unwrap_or_default();
        }
    }
    random.choose(modules(seeds)).cloned().unwrap_or_default()
}

fn generate(random: &mut Random, seeds: &Seeds) -> Vec<u8> {
    to_bytes(&words::module(&some_module(random, seeds), random))
}

fn run(bytes: &[u8], _: Effort) {
    let module = match load_bytes(bytes) {
        Ok(module) => module,
        Err(error) => {
            assert!(error.word <= bytes.len() / 4 + 1, "an error outside of the module: {error}");
            assert!(!error.to_string().is_empty(), "an error without words");
            return;
        }
    };
    let written = match assemble(&module) {
        Ok(words) => words,
        Err(error) => panic!("what was read cannot be written: {error}"),
    };
    match load_bytes(&to_bytes(&written)) {
        Ok(again) => {
            assert!(again.all_inst_iter().eq(module.all_inst_iter()), "it comes back as another module")
        }
        Err(error) => panic!("what was written cannot be read: {error}"),
    }
    for friendly_names in [true, false] {
        let options = TextOptions { friendly_names, ..TextOptions::default() };
        let printed = text::disassemble(&module, &options);
        let parsed = assembly::parse(&printed.text);
        assert!(
            parsed.module.is_some() || !parsed.errors.is_empty(),
            "no module, and no mistake in its text"
        );
        let places = |error: &assembly::Error| error.range.end <= printed.text.len();
        assert!(parsed.errors.iter().all(places), "an error outside of the text");
    }
    text::function_ranges(&module);
    Lines::of_module(&module);
    coopmat_recipe::places::of_module(&module);
    statistics::statistics(&module, &statistics::Assumptions::default());
    statistics::summaries(&module);
    let constants = specialization_constants(&module);
    let written = constants.iter().map(|constant| (constant.spec_id, "3"));
    if let Ok(values) = Values::parse(&module, written)
        && let Ok(specialized) = specialize(module, &values)
    {
        match assemble(&specialized.module) {
            Ok(words) => drop(coopmat_spirv::load(&words)),
            Err(error) => panic!("a specialized module cannot be written: {error}"),
        }
        text::disassemble(&specialized.module, &TextOptions::default());
    }
}
