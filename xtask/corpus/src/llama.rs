//! llama.cpp's Vulkan shaders: each source is compiled under many sets of definitions.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use coopmat_analysis::config::{Configuration, Stage, TargetEnv};

use crate::files::Files;

/// One compilation that llama.cpp's build makes.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The file that is compiled, `mul_mm.comp`.
    pub source: String,
    /// What llama.cpp calls the result, `matmul_f16_cm2`.
    pub name: String,
    pub target_env: TargetEnv,
    pub defines: Vec<(String, Option<String>)>,
}

pub struct Llama {
    pub files: Files,
    pub variants: Vec<Variant>,
}

impl Llama {
    /// From the folder that `cargo xtask corpus` fills.
    pub fn read(sources: &Path) -> Result<Llama> {
        let folder = sources.join("llama");
        let files = Files::read(&folder.join("vulkan-shaders"))?;
        let table = fs::read_to_string(folder.join("variants.tsv")).context("no list of variants")?;
        let variants = table.lines().map(variant).collect::<Result<_>>()?;
        Ok(Llama { files, variants })
    }

    /// Only the first variant of each source and target environment: a look in seconds.
    pub fn keep_one_of_each(&mut self) {
        let mut seen = std::collections::HashSet::new();
        self.variants.retain(|variant| seen.insert((variant.source.clone(), variant.target_env.name())));
    }
}

impl Variant {
    pub fn configuration(&self) -> Configuration {
        Configuration {
            name: self.name.clone(),
            defines: self.defines.clone(),
            target_env: self.target_env,
            // glslc, which llama.cpp is built with, switches the extension on by itself.
            google_include: true,
            stage: Some(Stage::Compute),
            ..Configuration::default()
        }
    }
}

fn variant(row: &str) -> Result<Variant> {
    let mut cells = row.split('\t');
    let mut cell = || cells.next().with_context(|| format!("too few cells: {row}"));
    let (source, output, target_env, defines) = (cell()?, cell()?, cell()?, cell()?);
    let defines = defines.split('\u{1f}').filter(|define| !define.is_empty());
    Ok(Variant {
        source: source.to_owned(),
        name: output.trim_end_matches(".spv").to_owned(),
        target_env: target_env.parse().map_err(|message| anyhow!("{message}"))?,
        defines: defines
            .map(|define| match define.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (define.to_owned(), None),
            })
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_variant() {
        let variant = variant("a.comp\tm_cm2.spv\tvulkan1.3\tA=1\u{1f}UNROLL=\u{1f}X").expect("a whole row");
        assert_eq!(variant.name, "m_cm2");
        assert_eq!(variant.target_env, TargetEnv::Vulkan1_3);
        let value = |text: &str| Some(text.to_owned());
        assert_eq!(
            variant.defines,
            [("A".to_owned(), value("1")), ("UNROLL".to_owned(), value("")), ("X".to_owned(), None)]
        );
    }
}
