//! What is shown beside and above the text: each aid can be switched off.

use serde::Deserialize;

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SemanticTokenSettings {
    /// Whether to send semantic tokens for comments, strings, numbers and operators, which an editor's own grammar recognizes as well.
    pub lexical: LexicalTokens,
}

/// Tokens that an editor's own grammar recognizes as well: comments, strings, numbers, operators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "lowercase")]
pub enum LexicalTokens {
    /// Unless the editor combines semantic tokens with those of its own grammar.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never; the editor's grammar colours them.
    Never,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct InlayHintSettings {
    /// Whether to show inlay hints at all.
    pub enable: bool,
    /// Rows and columns of matrices in calls.
    pub shapes: bool,
    /// Parameter names at the arguments of calls.
    pub parameter_names: bool,
    /// Implicit conversions.
    pub implicit_conversions: bool,
    /// Values of constants, and of symbolic dimensions under the default values.
    pub values: bool,
    /// Offsets and array strides of block members.
    pub layout: bool,
    /// The SPIR-V that each line has become.
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
    /// Whether to show code lenses at all.
    pub enable: bool,
    /// The configuration in view.
    pub configuration: bool,
    /// The shared memory of an entry point.
    pub shared_memory: bool,
    /// The matrices that an invocation of an entry point holds.
    pub matrices: bool,
    /// The devices that accept an entry point.
    pub portability: bool,
    /// The SPIR-V that each function has become.
    pub spirv: bool,
    /// Run an entry point that has a recipe.
    pub run: bool,
    /// References to functions and structures.
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
    /// Which SPIR-V instructions hovers over the source list.
    pub spirv: HoverSpirv,
}

/// Which SPIR-V instructions hovers over the source list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "lowercase")]
pub enum HoverSpirv {
    /// Those of the expression.
    #[default]
    Expression,
    /// Those that begin on the line.
    Line,
    /// None.
    Off,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct FormatSettings {
    /// Whether this server formats documents.
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
    /// Whether to analyse shaders in strings of C++ and Rust files.
    pub enable: bool,
}

impl Default for EmbeddedSettings {
    fn default() -> Self {
        EmbeddedSettings { enable: true }
    }
}
