//! Compute shaders that have to become SPIR-V: llama.cpp's variants, and those tests of glslang that it accepts.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use coopmat_analysis::config::{Configuration, Stage};
use coopmat_analysis::{Analysis, Analyzer};
use coopmat_codegen::{CompileError, Compiled};

use crate::files::Files;
use crate::glslang::{Glslang, Test};
use crate::llama::Llama;

/// One shader under one configuration.
#[derive(Clone, Debug)]
pub struct Shader {
    /// What it is called in reports and files: `matmul_f16_cm2`, `spv.coopmatKHR.comp`.
    pub name: String,
    /// The file that is compiled.
    pub source: String,
    pub configuration: Configuration,
    pub origin: Origin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Llama,
    Glslang,
}

pub struct Shaders {
    pub list: Vec<Shader>,
    llama: Files,
    glslang: Files,
}

impl Shaders {
    /// From the folder that `cargo xtask corpus` fills.
    pub fn read(sources: &Path) -> Result<Shaders> {
        let llama = Llama::read(sources)?;
        let mut list: Vec<Shader> = llama
            .variants
            .iter()
            .map(|variant| Shader {
                name: variant.name.clone(),
                source: variant.source.clone(),
                configuration: variant.configuration(),
                origin: Origin::Llama,
            })
            .collect();
        let glslang = Glslang::read(sources)?;
        let is_chosen = |test: &&Test| test.linked && test.rejected.is_none() && test.stage == Stage::Compute;
        let tests = glslang.tests.iter().filter(is_chosen);
        list.extend(tests.map(|test| Shader {
            name: test.file.clone(),
            source: test.file.clone(),
            configuration: test.configuration(),
            origin: Origin::Glslang,
        }));
        Ok(Shaders { list, llama: llama.files, glslang: glslang.files })
    }

    /// Where a shader's includes come from.
    pub fn files(&self, shader: &Shader) -> &Files {
        match shader.origin {
            Origin::Llama => &self.llama,
            Origin::Glslang => &self.glslang,
        }
    }

    pub fn text(&self, shader: &Shader) -> Arc<str> {
        self.files(shader).get(&shader.source).unwrap_or_default()
    }

    pub fn analyze(&self, analyzer: &Analyzer, shader: &Shader) -> Analysis {
        analyzer.analyze(&shader.source, self.text(shader), &shader.configuration, self.files(shader), None)
    }

    /// The module of a shader, or why there is none.
    pub fn compile(&self, analyzer: &Analyzer, shader: &Shader) -> Result<Compiled, Vec<String>> {
        let analysis = self.analyze(analyzer, shader);
        coopmat_codegen::compile(&analysis, &coopmat_codegen::Options::default())
            .map_err(|errors| errors.iter().map(|error| located(&analysis, error)).collect())
    }
}

/// An error of the code generator, with its place.
pub fn located(analysis: &Analysis, error: &CompileError) -> String {
    let file = &analysis.files()[error.location.file];
    let line = file.line_index().line_col(error.location.range.start()).line + 1;
    format!("{} ({}:{line})", error.message, file.path)
}
