//! The shaders with one edit each: a number and a seed give the same one on every machine.

use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use anyhow::Result;
use coopmat_analysis::Analyzer;
use coopmat_analysis::diagnostics::Severity;
use coopmat_analysis::text::FileId;
use coopmat_corpus::shaders::{Origin, Shader, Shaders};
use coopmat_mutate::random::Random;
use coopmat_mutate::token::{Edit, edit};

/// The most bytes of a shader that is edited: larger ones take too long.
const LONGEST: usize = 60_000;

/// What is edited: shaders that our compiler takes as they are.
pub struct Bases {
    pub shaders: Shaders,
    /// The shaders of each source, by their numbers; llama.cpp's sources first.
    llama: Vec<Vec<usize>>,
    glslang: Vec<Vec<usize>>,
    /// Of each shader, once it was looked at: the parts that the preprocessor leaves out, or nothing where it does not compile.
    inactive: Vec<OnceLock<Option<Vec<Range<usize>>>>>,
}

/// A shader with an edit.
pub struct Mutant {
    /// The number of the shader that was edited.
    pub base: usize,
    pub edit: Edit,
}

impl Bases {
    pub fn read(sources: &Path) -> Result<Bases> {
        let shaders = Shaders::read(sources)?;
        let of = |origin: Origin| {
            let mut sources: Vec<(&str, Vec<usize>)> = Vec::new();
            for (index, shader) in shaders.list.iter().enumerate() {
                if shader.origin != origin || shaders.text(shader).len() > LONGEST {
                    continue;
                }
                match sources.last_mut() {
                    Some((source, list)) if *source == shader.source => list.push(index),
                    _ => sources.push((&shader.source, vec![index])),
                }
            }
            sources.into_iter().map(|(_, list)| list).collect()
        };
        let (llama, glslang) = (of(Origin::Llama), of(Origin::Glslang));
        let inactive = shaders.list.iter().map(|_| OnceLock::new()).collect();
        Ok(Bases { shaders, llama, glslang, inactive })
    }

    pub fn shader(&self, base: usize) -> &Shader {
        &self.shaders.list[base]
    }

    /// The mutant of a number; `None` where no shader was found that can be edited.
    pub fn mutant(&self, analyzer: &Analyzer, seed: u64, number: u64) -> Option<Mutant> {
        let mut random = Random::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(number));
        (0..20).find_map(|_| {
            let sources = if random.one_in(2) { &self.llama } else { &self.glslang };
            let variants = random.choose(sources)?;
            let base = *random.choose(variants)?;
            let inactive = self.inactive[base].get_or_init(|| self.inactive_parts(analyzer, base));
            let text = self.shaders.text(self.shader(base));
            let edit = edit(&text, inactive.as_ref()?, &mut random)?;
            Some(Mutant { base, edit })
        })
    }

    fn inactive_parts(&self, analyzer: &Analyzer, base: usize) -> Option<Vec<Range<usize>>> {
        let analysis = self.shaders.analyze(analyzer, self.shader(base));
        let wrong = analysis.diagnostics.iter().any(|found| found.severity == Severity::Error);
        if wrong || coopmat_codegen::compile(&analysis, &coopmat_codegen::Options::default()).is_err() {
            return None;
        }
        let regions = analysis.inactive_regions();
        let of_text = regions.iter().map(|found| found.location).filter(|place| place.file == FileId::ROOT);
        Some(of_text.map(|place| place.range.start().into()..place.range.end().into()).collect())
    }
}
