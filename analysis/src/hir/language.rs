//! The language that a shader is written in, as its `#version` and `#extension` lines ask for it.

use smol_str::SmolStr;

use crate::extensions::ExtensionId;
use crate::text::TextSize;

/// What the `#version` line asks for behind the number (GLSL 4.60, 3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// `core`, or nothing said.
    #[default]
    Core,
    /// `compatibility`
    Compatibility,
    /// `es`
    Es,
}

/// An `#extension` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionState {
    /// Expanded offset from which on it holds.
    pub from: TextSize,
    /// `None` for a name that is not in the tables.
    pub extension: Option<ExtensionId>,
    /// The name as it is written; `all` among them.
    pub name: SmolStr,
    /// What the line asks for.
    pub behavior: ExtensionBehavior,
}

/// What an `#extension` line asks for (GLSL 4.60, 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtensionBehavior {
    /// `require`
    Require,
    /// `enable`
    Enable,
    /// `warn`: usable, and every use is told.
    Warn,
    /// `disable`
    Disable,
}
