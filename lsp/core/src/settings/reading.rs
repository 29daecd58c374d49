//! What is shown beside and above the text: each aid can be switched off.

use serde::Deserialize;

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SemanticTokenSettings {
    /// Tokens for comments, strings, numbers and operators, which an editor's own grammar tells as well.
    pub lexical: LexicalTokens,
}

/// Tokens that an editor's own grammar tells as well: comments, strings, numbers, operators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "lowercase")]
pub enum LexicalTokens {
    /// Unless the client lays semantic tokens over those of a grammar.
    #[default]
    Auto,
    /// Whatever the editor does.
    Always,
    /// The editor's grammar does it.
    Never,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct InlayHintSettings {
    /// Whether there are inlay hints at all.
    pub enable: bool,
    /// Rows and columns of matrices in calls.
    pub shapes: bool,
    /// Names of parameters at the arguments of calls.
    pub parameter_names: bool,
    /// Conversions that happen without being written.
    pub implicit_conversions: bool,
    /// Of constants, and of symbolic dimensions under the default values.
    pub values: bool,
    /// Offsets and array strides of members of blocks.
    pub layout: bool,
    /// What each line has become in SPIR-V.
    pub spirv: bool,
}

impl Default for InlayHintSettings {
    fn default() -> Self {
        InlayHintSettings {
            enable: true,
            shapes: true,
            parameter_names: true,
            // There is one in every other line of index arithmetic.
            implicit_conversions: false,
            values: true,
            layout: true,
            // Functions have a code lens.
            spirv: false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CodeLensSettings {
    /// Whether there are code lenses at all.
    pub enable: bool,
    /// The configuration in view.
    pub configuration: bool,
    /// Shared memory of an entry point.
    pub shared_memory: bool,
    /// Matrices that an invocation of an entry point holds.
    pub matrices: bool,
    /// Devices that accept an entry point.
    pub portability: bool,
    /// What each function has become in SPIR-V.
    pub spirv: bool,
    /// Running an entry point that has a recipe.
    pub run: bool,
    /// Of functions and structures.
    pub references: bool,
}

impl Default for CodeLensSettings {
    fn default() -> Self {
        CodeLensSettings {
            enable: true,
            configuration: true,
            shared_memory: true,
            matrices: true,
            portability: true,
            spirv: true,
            run: true,
            references: true,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct HoverSettings {
    /// The instructions that hovers over the source list.
    pub spirv: HoverSpirv,
}

/// The instructions that a hover over the source lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "lowercase")]
pub enum HoverSpirv {
    /// Those of the expression.
    #[default]
    Expression,
    /// Those that begin in the line.
    Line,
    /// None.
    Off,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct FormatSettings {
    /// Whether this server formats.
    pub enable: bool,
}

impl Default for FormatSettings {
    fn default() -> Self {
        FormatSettings { enable: true }
    }
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct EmbeddedSettings {
    /// Whether shaders in strings of C++ and Rust files are looked at.
    pub enable: bool,
}

impl Default for EmbeddedSettings {
    fn default() -> Self {
        EmbeddedSettings { enable: true }
    }
}
