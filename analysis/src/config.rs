//! A configuration: everything outside the text that decides what a shader means.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::devices::{self, DeviceProfile};
use crate::levels::Levels;
use crate::preamble::Preamble;
use crate::symbolic::{SpecAtom, Sym, Symbols};
use crate::version::LanguageVersion;

pub use crate::like::Like;
pub use crate::stage::Stage;

/// Under which conditions a shader is checked. A file may be checked under several, each with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// What people choose it by; `default` where the project names none.
    pub name: String,
    /// Macros defined before the first line, as with `-D NAME=VALUE`; `None` is `-D NAME`, which defines an empty body.
    pub defines: Vec<(String, Option<String>)>,
    /// Folders that `#include` searches after the folder of the including file.
    pub include_dirs: Vec<String>,
    /// Folders that files may be read from; `None`: any. The host says so, never the project, and its `FileLoader` holds to it.
    pub readable: Option<Arc<[String]>>,
    /// What the module is made for; Vulkan 1.4 where nothing is said.
    pub target_env: TargetEnv,
    /// Name of a device profile in `crate::devices`, or of one that the host has read into `profile`.
    pub device: Option<String>,
    /// A profile of the user's own.
    pub profile: Option<Arc<DeviceProfile>>,
    /// Invocations per subgroup. Unknown when neither this nor the device says it.
    pub subgroup_size: Option<u32>,
    /// Whether `GL_GOOGLE_include_directive` is on from the start, as `glslc` has it.
    pub google_include: bool,
    /// The stage, when the file's name does not tell.
    pub stage: Option<Stage>,
    /// Values given to specialization constants, by constant id, for what is checked under concrete values.
    pub specialization: Vec<(u32, SpecializationValue)>,
    /// The compiler whose refusals are told besides what the specifications say.
    pub like: Option<Like>,
    /// How loudly diagnostics are told, where that is not as their entries say.
    pub levels: Levels,
    /// What may stay unlooked at: names of extensions, and ids of diagnostics.
    pub allow_unanalysed: Vec<String>,
    /// What the host puts before the shader's own text.
    pub preamble: Preamble,
    /// The `#version` of files that have none.
    pub version: Option<LanguageVersion>,
    /// Whether nobody has said under which configuration the file is built: what only its build could bring is no error then.
    pub guessed: bool,
}

impl Default for Configuration {
    fn default() -> Self {
        Configuration {
            name: "default".to_owned(),
            defines: Vec::new(),
            include_dirs: Vec::new(),
            readable: None,
            target_env: TargetEnv::Vulkan1_4,
            device: None,
            profile: None,
            subgroup_size: None,
            google_include: false,
            stage: None,
            specialization: Vec::new(),
            like: None,
            levels: Levels::default(),
            allow_unanalysed: Vec::new(),
            preamble: Preamble::default(),
            version: None,
            guessed: false,
        }
    }
}

impl Configuration {
    /// Notes whether it is a guess: nothing covers the file, and no macros or folders are given for it.
    pub fn guess_unless(&mut self, covered: bool) {
        self.guessed = !covered && self.defines.is_empty() && self.include_dirs.is_empty();
    }

    /// The target device's profile: the user's own, or the built-in one of the name.
    pub fn device_profile(&self) -> Option<Arc<DeviceProfile>> {
        match (&self.profile, &self.device) {
            (Some(profile), _) => Some(profile.clone()),
            (None, Some(name)) => devices::find(name).ok(),
            (None, None) => None,
        }
    }

    /// The value that the configuration gives to a specialization constant of integer or boolean type.
    pub fn specialized(&self, atom: &SpecAtom) -> Option<i64> {
        let (_, value) = self.specialization.iter().find(|(id, _)| Some(*id) == atom.id)?;
        match value {
            SpecializationValue::Bool(value) => Some(i64::from(*value)),
            SpecializationValue::Int(value) => Some(*value),
            SpecializationValue::Float(_) => None,
        }
    }

    /// The value of a size under these values, and the defaults of constants that have none here.
    pub fn value_of(&self, symbols: &Symbols, size: Sym) -> Option<i64> {
        symbols.evaluate(size, &|atom: &SpecAtom| self.specialized(atom).or(atom.default))
    }

    /// Invocations per subgroup, when the configuration says it or the device has no choice.
    pub fn known_subgroup_size(&self) -> Option<u32> {
        self.subgroup_size.or_else(|| self.device_profile()?.fixed_subgroup_size())
    }
}

/// The value of a specialization constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecializationValue {
    /// Of a `bool`.
    Bool(bool),
    /// Of an integer, in the range of its type.
    Int(i64),
    /// Bits of an `f64`, so that configurations compare.
    Float(u64),
}

impl fmt::Display for SpecializationValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecializationValue::Bool(value) => write!(f, "{value}"),
            SpecializationValue::Int(value) => write!(f, "{value}"),
            SpecializationValue::Float(bits) => write!(f, "{}", f64::from_bits(*bits)),
        }
    }
}

/// The version of Vulkan that a shader is made for, which says which SPIR-V it may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TargetEnv {
    /// SPIR-V 1.0.
    Vulkan1_0,
    /// SPIR-V 1.3.
    Vulkan1_1,
    /// SPIR-V 1.5.
    Vulkan1_2,
    /// SPIR-V 1.6.
    Vulkan1_3,
    /// SPIR-V 1.6.
    Vulkan1_4,
}

impl TargetEnv {
    /// Every version, the oldest first.
    pub const ALL: [TargetEnv; 5] = [
        TargetEnv::Vulkan1_0,
        TargetEnv::Vulkan1_1,
        TargetEnv::Vulkan1_2,
        TargetEnv::Vulkan1_3,
        TargetEnv::Vulkan1_4,
    ];

    /// As `--target-env` of glslc and our options have it: `vulkan1.3`.
    pub fn name(self) -> &'static str {
        match self {
            TargetEnv::Vulkan1_0 => "vulkan1.0",
            TargetEnv::Vulkan1_1 => "vulkan1.1",
            TargetEnv::Vulkan1_2 => "vulkan1.2",
            TargetEnv::Vulkan1_3 => "vulkan1.3",
            TargetEnv::Vulkan1_4 => "vulkan1.4",
        }
    }

    /// The number after `1.`.
    pub fn minor(self) -> u8 {
        self as u8
    }
}

impl fmt::Display for TargetEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for TargetEnv {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = if text == "vulkan" { "vulkan1.0" } else { text };
        TargetEnv::ALL.into_iter().find(|env| env.name() == wanted).ok_or_else(|| {
            format!("unknown target environment `{text}`: expected one of vulkan1.0, vulkan1.1, vulkan1.2, vulkan1.3, vulkan1.4")
        })
    }
}
