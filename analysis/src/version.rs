//! Versions of the language, as `#version` and the project file name them (GLSL 4.60, section 3.3).

use std::fmt;
use std::str::FromStr;

/// Versions of the language that exist.
const DESKTOP_VERSIONS: [u32; 12] = [110, 120, 130, 140, 150, 330, 400, 410, 420, 430, 440, 450];
const ES_VERSIONS: [u32; 4] = [100, 300, 310, 320];
const LATEST_VERSION: u32 = 460;

/// The word behind the number of a `#version` directive (GLSL 4.60, section 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// The version does not know profiles, or the directive names none.
    None,
    /// `core`, which is the default from version 150 on.
    Core,
    /// `compatibility`.
    Compatibility,
    /// `es`, which versions 300, 310 and 320 ask for.
    Es,
}

/// A number and a profile, which need not fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanguageVersion {
    /// Such as 460.
    pub number: u32,
    /// The word behind the number.
    pub profile: Profile,
}

impl LanguageVersion {
    /// Why there is no such version, or Vulkan does not take it.
    pub fn problem(self) -> Option<String> {
        let LanguageVersion { number: value, profile } = self;
        let desktop = DESKTOP_VERSIONS.contains(&value) || value == LATEST_VERSION;
        let es = ES_VERSIONS.contains(&value);
        match profile {
            Profile::Es if !es => {
                Some(format!("there is no version {value} of GLSL ES: Vulkan supports 310 and 320"))
            }
            Profile::Es if value < 310 => {
                Some(format!("Vulkan needs version 310 of GLSL ES or later, not {value}"))
            }
            Profile::Es => None,
            _ if es => Some(format!("version {value} needs the profile `es`: `#version {value} es`")),
            _ if !desktop => {
                Some(format!("there is no version {value} of GLSL: the latest is {LATEST_VERSION}"))
            }
            Profile::Core | Profile::Compatibility if value < 150 => {
                Some(format!("version {value} has no profiles: they were introduced in version 150"))
            }
            _ if value < 140 => Some(format!("Vulkan needs version 140 of GLSL or later, not {value}")),
            _ => None,
        }
    }
}

impl fmt::Display for LanguageVersion {
    /// What stands behind `#version`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LanguageVersion { number, profile } = self;
        match profile {
            Profile::None => write!(f, "{number}"),
            Profile::Core => write!(f, "{number} core"),
            Profile::Compatibility => write!(f, "{number} compatibility"),
            Profile::Es => write!(f, "{number} es"),
        }
    }
}

impl FromStr for Profile {
    type Err = String;

    /// The word behind the number.
    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "core" => Ok(Profile::Core),
            "compatibility" => Ok(Profile::Compatibility),
            "es" => Ok(Profile::Es),
            other => Err(format!("expected `core`, `compatibility` or `es`, found `{other}`")),
        }
    }
}

impl FromStr for LanguageVersion {
    type Err = String;

    /// `450`, or `310 es`: what stands behind `#version`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_ascii_whitespace();
        let number = words.next().and_then(|number| number.parse().ok());
        let profile = words.next().map_or(Ok(Profile::None), str::parse)?;
        let (Some(number), None) = (number, words.next()) else {
            return Err(format!("`{text}` is not a version of GLSL: expected one such as `450` or `310 es`"));
        };
        let version = LanguageVersion { number, profile };
        version.problem().map_or(Ok(version), Err)
    }
}
