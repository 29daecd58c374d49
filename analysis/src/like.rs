//! Compilers whose refusals are told besides what the specifications say.

use std::fmt;
use std::str::FromStr;

/// A compiler that refuses shaders which are valid by the specifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Like {
    /// The compiler behind `glslangValidator` and `glslc`.
    Glslang,
}

impl Like {
    /// Every compiler.
    pub const ALL: [Like; 1] = [Like::Glslang];

    /// As options and project files have it.
    pub fn name(self) -> &'static str {
        match self {
            Like::Glslang => "glslang",
        }
    }
}

impl fmt::Display for Like {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Like {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Like::ALL.into_iter().find(|like| like.name() == text).ok_or_else(|| {
            let names = Like::ALL.map(Like::name).join(", ");
            format!("unknown compiler `{text}`: expected one of {names}")
        })
    }
}
