//! glslang's front end: preprocess, parse, link; no SPIR-V.

use anyhow::{Context, Result, anyhow};
use coopmat_analysis::config::TargetEnv;
use coopmat_corpus::files::Files;
use coopmat_corpus::llama::Variant;
use glslang::include::{IncludeHandler, IncludeResult, IncludeType};
use glslang::{
    Compiler, CompilerOptions, ShaderInput, ShaderMessage, ShaderSource, ShaderStage, SourceLanguage,
    SpirvVersion, Target, VulkanVersion,
};

pub struct FrontEnd<'a> {
    compiler: &'static Compiler,
    files: &'a Files,
}

/// Serves includes from memory, as the analysis has them.
struct Includes<'a>(&'a Files);

impl IncludeHandler for Includes<'_> {
    fn include(
        &mut self,
        _ty: IncludeType,
        header: &str,
        _includer: &str,
        _depth: usize,
    ) -> Option<IncludeResult> {
        let data = self.0.get(header)?;
        Some(IncludeResult { name: header.to_owned(), data: data.to_string() })
    }
}

impl<'a> FrontEnd<'a> {
    pub fn new(files: &'a Files) -> Result<FrontEnd<'a>> {
        Ok(FrontEnd { compiler: Compiler::acquire().context("glslang does not start")?, files })
    }

    /// Checks one variant; gives the text after preprocessing when it is wanted.
    pub fn check(&self, variant: &Variant, want_text: bool) -> Result<Option<String>> {
        let text = self.files.get(&variant.source).with_context(|| format!("no {}", variant.source))?;
        let source = ShaderSource::from(with_includes(&text));
        let (version, spirv_version) = match variant.target_env {
            TargetEnv::Vulkan1_0 => (VulkanVersion::Vulkan1_0, SpirvVersion::SPIRV1_0),
            TargetEnv::Vulkan1_1 => (VulkanVersion::Vulkan1_1, SpirvVersion::SPIRV1_3),
            TargetEnv::Vulkan1_2 => (VulkanVersion::Vulkan1_2, SpirvVersion::SPIRV1_5),
            TargetEnv::Vulkan1_3 => (VulkanVersion::Vulkan1_3, SpirvVersion::SPIRV1_6),
            TargetEnv::Vulkan1_4 => (VulkanVersion::Vulkan1_4, SpirvVersion::SPIRV1_6),
        };
        let options = CompilerOptions {
            source_language: SourceLanguage::GLSL,
            target: Target::Vulkan { version, spirv_version },
            version_profile: None,
            messages: ShaderMessage::DEFAULT,
        };
        let defines: Vec<(&str, Option<&str>)> =
            variant.defines.iter().map(|(name, value)| (name.as_str(), value.as_deref())).collect();
        let mut includes = Includes(self.files);
        let input = ShaderInput::new(
            &source,
            ShaderStage::Compute,
            &options,
            Some(&defines[..]),
            Some(&mut includes),
        )?;
        let shader = glslang::Shader::new(self.compiler, input)
            .parse()
            .map_err(|error| anyhow!("{}: {error}", variant.name))?;
        let mut program = self.compiler.create_program();
        program.add_shader(&shader);
        program.link().map_err(|error| anyhow!("{}: {error}", variant.name))?;
        Ok(want_text.then(|| shader.get_preprocessed_code()))
    }
}

/// Switches includes on, as `glslc` does by itself.
fn with_includes(text: &str) -> String {
    let version = text.find("#version").unwrap_or(0);
    let end = text[version..].find('\n').map_or(text.len(), |length| version + length);
    let (head, tail) = text.split_at(end);
    format!("{head}\n#extension GL_GOOGLE_include_directive : enable{tail}")
}
