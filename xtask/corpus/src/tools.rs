//! SPIRV-Tools and glslang as commands, and what they have to say about modules.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use coopmat_analysis::config::{Configuration, Stage, TargetEnv};
use coopmat_spirv::dr::{self, Module, Operand};
use coopmat_spirv::text::{self, Options as TextOptions};
use coopmat_spirv::{assemble, assembly, load_bytes, to_bytes};
use rspirv::binary::Assemble;

/// A command that starts SPIRV-Tools' validator: its words are separated by spaces.
#[derive(clap::Args, Clone)]
pub struct Validator {
    #[arg(long)]
    spirv_val: String,
}

/// What modules may use that a device has to offer.
pub const FEATURES: [&str; 3] =
    ["--scalar-block-layout", "--allow-vulkan-32-bit-bitwise", "--allow-offset-texture-operand"];

impl Validator {
    /// What it says to a module for a target; nothing where it accepts. With `features`, the module may use what a device has to be asked for.
    ///
    /// # Errors
    /// It does not run.
    pub fn complaint(&self, module: &Path, target: TargetEnv, features: bool) -> Result<Option<String>> {
        let mut validator = command(&self.spirv_val)?;
        validator.args(["--target-env", target.name()]);
        if features {
            validator.args(FEATURES);
        }
        let output = validator.arg(module).output()?;
        let said = [output.stderr, output.stdout].concat();
        Ok((!output.status.success()).then(|| String::from_utf8_lossy(&said).trim().to_owned()))
    }

    /// Has it look at a module, as [`Validator::complaint`].
    ///
    /// # Errors
    /// What it finds.
    pub fn validate(&self, module: &Path, target: TargetEnv, features: bool) -> Result<()> {
        match self.complaint(module, target, features)? {
            Some(complaint) => bail!("spirv-val: {complaint}"),
            None => Ok(()),
        }
    }
}

/// Commands that start SPIRV-Tools' programs.
#[derive(clap::Args, Clone)]
pub struct Tools {
    #[command(flatten)]
    pub validator: Validator,
    #[arg(long)]
    spirv_as: String,
    #[arg(long)]
    spirv_dis: String,
}

/// A command that starts glslang's program.
#[derive(clap::Args, Clone)]
pub struct Glslang {
    #[arg(long)]
    glslang: String,
}

impl Glslang {
    /// Compiles a shader, with the lines of its instructions.
    ///
    /// # Errors
    /// What glslang says.
    pub fn compile(&self, source: &Path, configuration: &Configuration, into: &Path) -> Result<()> {
        self.compile_with(&[], source, configuration, into)
    }

    /// The same, with bindings and locations for what has none.
    ///
    /// # Errors
    /// What glslang says.
    pub fn compile_numbered(&self, source: &Path, configuration: &Configuration, into: &Path) -> Result<()> {
        self.compile_with(&["--amb", "--aml"], source, configuration, into)
    }

    fn compile_with(
        &self,
        arguments: &[&str],
        source: &Path,
        configuration: &Configuration,
        into: &Path,
    ) -> Result<()> {
        let mut glslang = command(&self.glslang)?;
        let stage = configuration.stage.unwrap_or(Stage::Compute).extension();
        glslang.args(["-V", "-g", "-S", stage, "--target-env", configuration.target_env.name()]);
        glslang.args(arguments);
        if configuration.google_include {
            glslang.arg("-P#extension GL_GOOGLE_include_directive : enable");
        }
        for (name, value) in &configuration.defines {
            glslang.arg(match value {
                Some(value) => format!("-D{name}={value}"),
                None => format!("-D{name}"),
            });
        }
        let output = glslang.arg("-o").arg(into).arg(source).output()?;
        ensure!(output.status.success(), "glslang: {}", String::from_utf8_lossy(&output.stdout).trim());
        Ok(())
    }
}

/// Names that have a newer spelling in SPIRV-Tools than in rspirv; `spirv-as` takes both.
const NEWER_NAMES: [(&str, &str); 9] = [
    ("RayTracingOpacityMicromapKHR", "RayTracingOpacityMicromapEXT"),
    ("CooperativeMatrixConvertUseEXT", "CooperativeMatrixConvertNV"),
    ("CooperativeMatrixReduceEXT", "CooperativeMatrixReduceNV"),
    ("CooperativeMatrixPerElementOpEXT", "CooperativeMatrixPerElementOpNV"),
    ("CooperativeMatrixReductionsEXT", "CooperativeMatrixReductionsNV"),
    ("CooperativeMatrixPerElementOperationsEXT", "CooperativeMatrixPerElementOperationsNV"),
    ("SplitBarrierEXT", "SplitBarrierINTEL"),
    ("ControlBarrierArriveEXT", "ControlBarrierArriveINTEL"),
    ("ControlBarrierWaitEXT", "ControlBarrierWaitINTEL"),
];

/// Tests of glslang whose constants `spirv-as` reads otherwise than `spirv-dis` writes them, or whose names it does not
/// know; ours are written so that they come back.
const WRITTEN_OTHERWISE: [&str; 6] = [
    "spv.floate2m1.const.comp",
    "spv.floate2m3.const.comp",
    "spv.floate3m2.const.comp",
    "spv.floatue8m0.const.comp",
    "spv.floatmxint8.const.comp",
    "spv.intrinsicsDebugBreak.frag",
];

impl Tools {
    /// Sends a module's file through our reader and printer: its words come back, our text is `spirv-dis`'s, and `spirv-as`
    /// makes the same module of it, with numbers and with names. Scratch files stand beside the module's.
    ///
    /// # Errors
    /// The first thing that is not so.
    pub fn round_trip(&self, path: &Path) -> Result<()> {
        let bytes = fs::read(path)?;
        let module = load_bytes(&bytes)?;
        if to_bytes(&assemble(&module)?) != bytes {
            bail!("comes back as other words");
        }
        // glslang leaves 0 in places where there has to be an id; then there is nothing to compare with.
        let listing = command(&self.spirv_dis)?.arg("--no-color").arg(path).output()?;
        let friendly = text::disassemble(&module, &TextOptions::default()).text;
        if !listing.status.success() {
            return Ok(());
        }
        let listed = String::from_utf8_lossy(&listing.stdout).into_owned();
        let mut expected = listed.clone();
        for (newer, ours) in NEWER_NAMES {
            expected = expected.replace(newer, ours);
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if !WRITTEN_OTHERWISE.contains(&&*stem)
            && let Some((ours, theirs)) =
                friendly.lines().zip(expected.lines()).find(|(ours, theirs)| ours != theirs)
        {
            bail!("our text is\n  {ours}\nand spirv-dis's\n  {theirs}");
        }
        let numbers =
            text::disassemble(&module, &TextOptions { friendly_names: false, ..TextOptions::default() }).text;
        let version = module.header.as_ref().map_or((1, 0), |header| header.version());
        let again = self.assembled(&numbers, version, true, path)?;
        // The header tells of the tool that wrote it, and of the highest id that it saw.
        if again.get(20..) != bytes.get(20..) {
            bail!("spirv-as makes other words of our text with numbers");
        }
        if to_bytes(&assemble(&read(&numbers)?)?) != bytes {
            bail!("our reader makes other words of our text with numbers");
        }
        // With friendly names the ids are given anew, in the order of the text.
        let module = renumbered(module)?;
        for (whose, text) in [("our", &friendly), ("spirv-dis's", &listed)] {
            if renumbered(read(text)?)? != module {
                bail!("our reader makes another module of {whose} text");
            }
        }
        let named = load_bytes(&self.assembled(&friendly, version, false, path)?)?;
        if renumbered(named)? != module {
            bail!("spirv-as makes another module of our text with names");
        }
        Ok(())
    }

    fn assembled(
        &self,
        text: &str,
        (major, minor): (u8, u8),
        keep_ids: bool,
        beside: &Path,
    ) -> Result<Vec<u8>> {
        let (source, binary) = (beside.with_extension("spvasm"), beside.with_extension("again"));
        fs::write(&source, text)?;
        let mut spirv_as = command(&self.spirv_as)?;
        spirv_as.args(["--target-env", &format!("spv{major}.{minor}")]);
        if keep_ids {
            spirv_as.arg("--preserve-numeric-ids");
        }
        let output = spirv_as.arg(&source).arg("-o").arg(&binary).output()?;
        if !output.status.success() {
            bail!("spirv-as refuses our text: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        let bytes = fs::read(&binary)?;
        fs::remove_file(&source)?;
        fs::remove_file(&binary)?;
        Ok(bytes)
    }
}

/// A module from its text.
fn read(text: &str) -> Result<Module> {
    assembly::read(text).map_err(|errors| {
        let first = errors.first().map(|error| (error.position(text), error.message.clone()));
        anyhow::anyhow!("our reader refuses a text: {first:?}")
    })
}

fn command(words: &str) -> Result<Command> {
    let mut words = words.split_whitespace();
    let mut command = Command::new(words.next().context("no program")?);
    command.args(words);
    Ok(command)
}

/// The words after the header, with ids numbered in the order in which they are met.
fn renumbered(mut module: Module) -> Result<Vec<u32>> {
    let mut numbers = std::collections::HashMap::new();
    let mut number = |id: &mut u32| {
        let next = numbers.len() as u32 + 1;
        *id = *numbers.entry(*id).or_insert(next);
    };
    for instruction in module.all_inst_iter_mut() {
        instruction.result_id.iter_mut().for_each(&mut number);
        instruction.result_type.iter_mut().for_each(&mut number);
        instruction.operands.iter_mut().filter_map(Operand::id_ref_any_mut).for_each(&mut number);
    }
    Ok(assemble(&module)?.split_off(5))
}

/// Whether rspirv's own reader knows everything in a module, and gives back the same words then.
///
/// # Errors
/// That it gives back other words.
pub fn rspirv_reads(words: &[u32]) -> Result<bool> {
    let Ok(module) = dr::load_words(words) else { return Ok(false) };
    ensure!(module.assemble().get(5..) == words.get(5..), "rspirv's reader gives back other words");
    Ok(true)
}
