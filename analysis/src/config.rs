//! A configuration: everything outside the text that decides what a shader means.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use smol_str::SmolStr;

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
    /// The stage of files whose names do not say it.
    pub stage: Option<Stage>,
    /// Values given to specialization constants, for what is checked under concrete values; of two for one constant the later one holds.
    pub specialization: Vec<(ConstantKey, SpecializationValue)>,
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
        match self.given(atom.id, &atom.name)? {
            SpecializationValue::Bool(value) => Some(i64::from(value)),
            SpecializationValue::Int(value) => Some(value),
            SpecializationValue::Float(_) => None,
        }
    }

    /// The value that the configuration gives to the specialization constant of an id and a name.
    pub fn given(&self, id: Option<u32>, name: &str) -> Option<SpecializationValue> {
        let is_meant = |key: &ConstantKey| match key {
            ConstantKey::Id(given) => Some(*given) == id,
            ConstantKey::Name(given) => given == name,
        };
        self.specialization.iter().rev().find(|(key, _)| is_meant(key)).map(|(_, value)| *value)
    }

    /// Lays values of specialization constants over those that are given already.
    pub fn specialize(&mut self, values: &[(ConstantKey, SpecializationValue)]) {
        for (key, value) in values {
            self.specialization.retain(|(given, _)| given != key);
            self.specialization.push((key.clone(), *value));
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

/// What a specialization constant is known by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConstantKey {
    /// `layout(constant_id = N)`.
    Id(u32),
    /// The name that the shader gives it.
    Name(SmolStr),
}

impl fmt::Display for ConstantKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConstantKey::Id(id) => write!(f, "{id}"),
            ConstantKey::Name(name) => f.write_str(name),
        }
    }
}

impl FromStr for ConstantKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(id) = text.parse() {
            return Ok(ConstantKey::Id(id));
        }
        let begins = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        if begins && text.bytes().all(crate::lex::is_identifier_byte) {
            return Ok(ConstantKey::Name(text.into()));
        }
        Err(format!("`{text}` is not a specialization constant: expected its constant_id or its name"))
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

impl FromStr for SpecializationValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "true" => return Ok(SpecializationValue::Bool(true)),
            "false" => return Ok(SpecializationValue::Bool(false)),
            _ => {}
        }
        let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let integer = match hexadecimal {
            Some(digits) => i64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        let float = || text.parse::<f64>().ok().filter(|value| value.is_finite());
        integer
            .map(SpecializationValue::Int)
            .or_else(|| float().map(|value| SpecializationValue::Float(value.to_bits())))
            .ok_or_else(|| format!("`{text}` is not a value: expected a number, `true` or `false`"))
    }
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
