//! ncnn's Vulkan shaders: each is put together as ncnn does it when it makes a pipeline (`compile_spirv_module` of its `gpu.cpp`), under sets of
//! options and devices that are listed here.
//!
//! Behind the shader's `#version` come the extensions that the options need, macros that name options and what the device has, and the
//! macros of `ncnn_glsl_ext.comp`, which give the types of storage and arithmetic.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use coopmat_analysis::config::{Configuration, Stage, TargetEnv};
use coopmat_analysis::devices::{self, DeviceProfile, Scope};
use coopmat_analysis::extensions::ids;
use coopmat_analysis::scalar::Scalar;

use crate::files::Files;

/// A device as ncnn's shaders know it.
struct Device {
    /// A profile of ours, for extensions and features; without one the device has none.
    profile: Option<&'static str>,
    /// Extensions and features of the profile that this device has not.
    without: &'static [&'static str],
    vendor: u32,
    /// `VkDriverId`.
    driver: u32,
    subgroup_size: u32,
}

const OLDEST: Device = Device { profile: None, without: &[], vendor: 0, driver: 0, subgroup_size: 0 };
const V3DV: Device = Device { vendor: 0x14e4, driver: 19, subgroup_size: 16, ..OLDEST };
const NVIDIA: Device =
    Device { profile: Some("nvidia-h200"), vendor: 0x10de, driver: 4, subgroup_size: 32, ..OLDEST };
/// With matrices of NVIDIA's first extension alone.
const NVIDIA_FIRST: Device = Device { without: &["VK_KHR_cooperative_matrix"], ..NVIDIA };
/// Without 16- and 64-bit integers.
const NARROW: Device =
    Device { without: &["shaderInt16", "shaderInt64", "shaderSubgroupExtendedTypes"], ..NVIDIA };
const AMD: Device =
    Device { profile: Some("amd-rdna4"), vendor: 0x1002, driver: 3, subgroup_size: 64, ..OLDEST };
const LAVAPIPE: Device =
    Device { profile: Some("lavapipe"), vendor: 0x10005, driver: 13, subgroup_size: 8, ..OLDEST };
/// Its own profile lacks features that are not published; another device stands for them.
const ADRENO: Device =
    Device { without: &["VK_NV_cooperative_matrix"], vendor: 0x5143, driver: 8, subgroup_size: 64, ..NVIDIA };

/// Options of ncnn, as in the names of its macros, on one device.
struct Set {
    name: &'static str,
    device: Device,
    options: &'static [&'static str],
}

const fn set(name: &'static str, device: Device, options: &'static [&'static str]) -> Set {
    Set { name, device, options }
}

const EVERYTHING_HALF: &[&str] = &[
    "fp16_storage",
    "fp16_uniform",
    "fp16_arithmetic",
    "int8_storage",
    "int8_uniform",
    "int8_arithmetic",
    "int16_storage",
    "shader_local_memory",
];
const BRAIN: &[&str] = &["bf16_storage", "int8_storage", "int8_arithmetic", "shader_local_memory"];

/// docs/corpus-ncnn.md says why these.
const SETS: &[Set] = &[
    set("none", OLDEST, &[]),
    set("fp16p", OLDEST, &["fp16_packed", "int8_packed", "shader_local_memory"]),
    set("bf16p", V3DV, &["bf16_packed", "int8_packed", "shader_local_memory"]),
    set("fp32", NVIDIA, &["shader_local_memory"]),
    set("fp16pa", NVIDIA, &["fp16_packed", "fp16_arithmetic", "int8_packed", "shader_local_memory"]),
    set("fp16s", NVIDIA, &["fp16_storage", "int8_storage"]),
    set("fp16sa", NVIDIA, &["fp16_storage", "fp16_arithmetic", "int8_storage", "shader_local_memory"]),
    set("fp16sau", NVIDIA, EVERYTHING_HALF),
    set("bf16p-16", NVIDIA, &["bf16_packed", "int8_packed", "int16_packed", "shader_local_memory"]),
    set("bf16s", NVIDIA, BRAIN),
    set("fp16sa-narrow", NARROW, &["fp16_storage", "fp16_arithmetic", "shader_local_memory"]),
    set("fp16sau-nv", NVIDIA_FIRST, EVERYTHING_HALF),
    set("fp16sau-amd", AMD, EVERYTHING_HALF),
    set("bf16s-amd", AMD, BRAIN),
    set("fp16sau-lavapipe", LAVAPIPE, EVERYTHING_HALF),
    set("fp16pa-adreno", ADRENO, &["fp16_packed", "fp16_arithmetic", "int16_packed", "shader_local_memory"]),
    set("fp16sau-adreno", ADRENO, EVERYTHING_HALF),
    set("fp16sa-moltenvk", NVIDIA, &["fp16_storage", "fp16_arithmetic", "moltenvk", "shader_local_memory"]),
];

/// What a shader includes; it is no shader by itself.
pub const HEADER: &str = "vulkan_activation.comp";

/// What comes behind a shader's `#version` under one set.
struct Composed {
    name: &'static str,
    preamble: String,
    target_env: TargetEnv,
    profile: Option<Arc<DeviceProfile>>,
    /// Of matrices, but for those of 8-bit integers.
    component: Scalar,
}

pub struct Ncnn {
    files: Files,
    sets: Vec<Composed>,
    /// The first part of each name is the shader, the second one the set.
    pub variants: Vec<Variant>,
}

/// A shader under a set of options.
pub struct Variant {
    /// `gemm_cm fp16sa`.
    pub name: String,
    /// The file that is compiled, `gemm_cm.comp`.
    pub source: String,
    set: usize,
}

impl Ncnn {
    /// From the folder that `cargo xtask corpus` fills.
    pub fn read(sources: &Path) -> Result<Ncnn> {
        let folder = sources.join("ncnn");
        let files = Files::read(&folder.join("layer/vulkan/shader"))?;
        let macros = fs::read_to_string(folder.join("ncnn_glsl_ext.comp")).context("no macros of ncnn's")?;
        let sets = SETS.iter().map(|set| composed(set, &macros)).collect::<Result<Vec<_>>>()?;
        let shaders = files.names().into_iter().filter(|name| name.ends_with(".comp") && *name != HEADER);
        let variants = shaders
            .flat_map(|source| {
                let name = source.trim_end_matches(".comp");
                let text = files.get(source).unwrap_or_default();
                let subgroups = text.contains(ids::GL_KHR_SHADER_SUBGROUP_BASIC.name());
                // ncnn has other shaders for devices without subgroups.
                let fitting = move |set: &Set| set.device.subgroup_size > 0 || !subgroups;
                SETS.iter().enumerate().filter(move |(_, set)| fitting(set)).map(move |(index, set)| {
                    Variant { name: format!("{name} {}", set.name), source: source.to_owned(), set: index }
                })
            })
            .collect();
        Ok(Ncnn { files, sets, variants })
    }

    /// The text of a variant under its name, and what it includes.
    pub fn files(&self, variant: &Variant) -> Result<Files> {
        let text = self.files.get(&variant.source).unwrap_or_default();
        let end = version_end(&text).with_context(|| format!("{} has no #version", variant.source))?;
        let (version, rest) = text.split_at(end);
        let mut files = Files::default();
        files.insert(&variant.source, &format!("{version}{}{rest}", self.sets[variant.set].preamble));
        files.insert(HEADER, &self.files.get(HEADER).unwrap_or_default());
        Ok(files)
    }

    /// The shader as ncnn's authors wrote it.
    pub fn source(&self, variant: &Variant) -> Option<Arc<str>> {
        self.files.get(&variant.source)
    }

    pub fn configuration(&self, variant: &Variant) -> Configuration {
        let set = &self.sets[variant.set];
        Configuration {
            name: set.name.to_owned(),
            target_env: set.target_env,
            stage: Some(Stage::Compute),
            ..Configuration::default()
        }
    }

    /// For a shader whose constants `M`, `N` and `K` are the sizes of matrices: the shapes of its types that the device multiplies.
    pub fn shapes(&self, variant: &Variant) -> Vec<[u32; 3]> {
        let Composed { profile: Some(profile), component, .. } = &self.sets[variant.set] else {
            return Vec::new();
        };
        if !self.files.get(&variant.source).is_some_and(|text| text.contains("const uint M =")) {
            return Vec::new();
        }
        let component = if variant.source.contains("int8") { Scalar::Int8 } else { *component };
        let rows = profile.cooperative_matrix_properties.iter();
        let mut shapes: Vec<[u32; 3]> = rows
            .filter(|row| row.types.a == component && row.types.scope == Scope::Subgroup)
            .map(|row| [row.m, row.n, row.k])
            .collect();
        shapes.sort_unstable();
        shapes.dedup();
        shapes
    }
}

/// Where the line of the `#version` is over, and white space behind it.
fn version_end(text: &str) -> Option<usize> {
    let line = text.match_indices("#version").map(|(at, _)| at);
    let start = line.into_iter().find(|&at| at == 0 || text[..at].ends_with('\n'))?;
    let rest = text[start + "#version".len()..].trim_start();
    let rest = rest.trim_start_matches(|character: char| character.is_ascii_digit()).trim_start();
    Some(text.len() - rest.len())
}

fn composed(set: &Set, macros: &str) -> Result<Composed> {
    let Set { name, device, options } = set;
    let profile = match device.profile {
        Some(name) => Some(devices::find(name).map_err(|message| anyhow!("{message}"))?),
        None => None,
    };
    let listed = |list: fn(&DeviceProfile) -> &Vec<String>| {
        let all = profile.iter().flat_map(move |profile| list(profile));
        all.map(String::as_str).filter(|name| !device.without.contains(name)).collect::<Vec<_>>()
    };
    let extensions = listed(|profile| &profile.extensions);
    let features = listed(|profile| &profile.features);
    let has = |feature: &str| features.contains(&feature);
    let wants = |option: &str| options.contains(&option);

    let mut text = String::new();
    let halves = wants("fp16_storage")
        || wants("bf16_storage")
        || wants("int16_storage")
        || wants("bf16_packed") && has("storageBuffer16BitAccess");
    for (wanted, extension) in [
        (has("shaderInt64"), ids::GL_EXT_SHADER_EXPLICIT_ARITHMETIC_TYPES_INT64),
        (has("shaderInt16"), ids::GL_EXT_SHADER_EXPLICIT_ARITHMETIC_TYPES_INT16),
        (wants("bf16_storage"), ids::GL_EXT_BFLOAT16),
        (halves, ids::GL_EXT_SHADER_16BIT_STORAGE),
        (wants("fp16_arithmetic"), ids::GL_EXT_SHADER_EXPLICIT_ARITHMETIC_TYPES_FLOAT16),
        (wants("int8_storage"), ids::GL_EXT_SHADER_8BIT_STORAGE),
        (wants("int8_arithmetic"), ids::GL_EXT_SHADER_EXPLICIT_ARITHMETIC_TYPES_INT8),
    ] {
        if wanted {
            writeln!(text, "#extension {}: require", extension.name())?;
        }
    }
    for option in *options {
        writeln!(text, "#define NCNN_{option} 1")?;
    }
    for name in extensions.iter().chain(&features) {
        writeln!(text, "#define ncnn_{name} 1")?;
    }
    let operations = profile.iter().flat_map(|profile| profile.limits.subgroup_supported_operations.iter());
    for operation in operations.flatten() {
        writeln!(text, "#define ncnn_subgroup_{operation} 1")?;
    }
    // The profiles do not say what of it is fast.
    if has("shaderIntegerDotProduct") {
        for operands in ["4x8BitPackedSigned", "16BitSigned"] {
            writeln!(text, "#define ncnn_integerDotProduct{operands}Accelerated 1")?;
        }
    }
    for (name, value) in
        [("vendorID", device.vendor), ("driverID", device.driver), ("subgroupSize", device.subgroup_size)]
    {
        writeln!(text, "#define ncnn_{name} {value}")?;
    }
    text += macros;
    let target_env = if has("maintenance4") {
        TargetEnv::Vulkan1_3
    } else if device.subgroup_size > 0 {
        TargetEnv::Vulkan1_1
    } else {
        TargetEnv::Vulkan1_0
    };
    let component = if wants("bf16_storage") { Scalar::BFloat16 } else { Scalar::Float16 };
    Ok(Composed { name, preamble: text, target_env, profile, component })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_ends_behind_its_line() {
        let text = "// #version 1\n#version 450\n\nlayout";
        assert_eq!(version_end(text).map(|end| &text[end..]), Some("layout"));
        assert_eq!(version_end("void main() {}"), None);
    }

    #[test]
    fn options_bring_their_extensions_before_the_macros() {
        let set = SETS.iter().find(|set| set.name == "bf16p-16").expect("a set");
        let composed = composed(set, "// macros\n").expect("a known device");
        let text = composed.preamble;
        let half = text.find(ids::GL_EXT_SHADER_16BIT_STORAGE.name()).expect("the extension");
        assert!(half < text.find("#define NCNN_bf16_packed 1").expect("the option"));
        assert!(text.contains("#define ncnn_vendorID 4318\n") && text.ends_with("// macros\n"));
        assert_eq!(composed.target_env, TargetEnv::Vulkan1_3);
    }
}
