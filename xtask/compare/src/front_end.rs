//! glslang: its front end (preprocess, parse, link), and all of it, to SPIR-V.

use anyhow::{Context, Result};
use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_corpus::files::Files;
use glslang::include::{IncludeHandler, IncludeResult, IncludeType};
use glslang::{
    Compiler, CompilerOptions, Program, Shader, ShaderInput, ShaderMessage, ShaderOptions, ShaderSource,
    ShaderStage, SourceLanguage, SpirvVersion, Target, VulkanVersion,
};

pub struct FrontEnd<'a> {
    compiler: &'static Compiler,
    files: &'a Files,
    /// Whether bindings that are left out are numbered: otherwise blocks without one are an error.
    numbers_bindings: bool,
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
        let compiler = Compiler::acquire().context("glslang does not start")?;
        Ok(FrontEnd { compiler, files, numbers_bindings: true })
    }

    /// As `glslangValidator` and `glslc` have it: bindings have to be written.
    pub fn with_written_bindings(self) -> FrontEnd<'a> {
        FrontEnd { numbers_bindings: false, ..self }
    }

    /// The front end alone; gives the text after preprocessing when it is wanted.
    pub fn check(
        &self,
        source: &str,
        configuration: &Configuration,
        want_text: bool,
    ) -> Result<Option<String>> {
        self.parsed(source, configuration, |shader| {
            self.linked(&shader).link()?;
            Ok(want_text.then(|| shader.get_preprocessed_code()))
        })
    }

    /// The words of the module that glslang makes, without its optimiser.
    pub fn compile(&self, source: &str, configuration: &Configuration) -> Result<Vec<u32>> {
        self.parsed(source, configuration, |shader| Ok(self.linked(&shader).compile(ShaderStage::Compute)?))
    }

    fn linked<'s>(&self, shader: &'s Shader<'s>) -> Program<'s> {
        let mut program = self.compiler.create_program();
        program.add_shader(shader);
        program
    }

    fn parsed<T>(
        &self,
        source: &str,
        configuration: &Configuration,
        then: impl FnOnce(Shader<'static>) -> Result<T>,
    ) -> Result<T> {
        let text = self.files.get(source).with_context(|| format!("no {source}"))?;
        let text = if configuration.google_include { with_includes(&text) } else { text.to_string() };
        let text = ShaderSource::from(text);
        let (version, spirv_version) = match configuration.target_env {
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
            configuration.defines.iter().map(|(name, value)| (name.as_str(), value.as_deref())).collect();
        let mut includes = Includes(self.files);
        let input =
            ShaderInput::new(&text, ShaderStage::Compute, &options, Some(&defines[..]), Some(&mut includes))?;
        let named = || configuration.name.clone();
        let mut shader = Shader::new(self.compiler, input);
        if self.numbers_bindings {
            shader.options(ShaderOptions::AUTO_MAP_BINDINGS);
        }
        let shader = shader.parse().with_context(named)?;
        then(shader).with_context(named)
    }
}

/// Switches includes on, as `glslc` does by itself.
fn with_includes(text: &str) -> String {
    let version = text.find("#version").unwrap_or(0);
    let end = text[version..].find('\n').map_or(text.len(), |length| version + length);
    let (head, tail) = text.split_at(end);
    format!("{head}\n#extension GL_GOOGLE_include_directive : enable{tail}")
}
