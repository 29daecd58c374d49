//! The [tree-sitter] grammar of GLSL with cooperative matrices: the language, the ids of its nodes and fields, and the
//! queries for editors.
//!
//! ```
//! use tree_sitter_glsl_coopmat::{LANGUAGE, field, kind};
//!
//! let mut parser = tree_sitter::Parser::new();
//! parser.set_language(&LANGUAGE.into()).unwrap();
//! let tree = parser.parse("coopmat<float, gl_ScopeSubgroup, M, N, U> acc;", None).unwrap();
//! let declaration = tree.root_node().child(0).unwrap();
//! let ty = declaration.child_by_field_id(field::TYPE).unwrap();
//! assert_eq!(ty.kind_id(), kind::GENERIC_TYPE);
//! ```
//!
//! [tree-sitter]: https://tree-sitter.github.io/

// No input ends the program: what cannot be is an error, or has an answer that harms nobody. Tests may.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![deny(missing_docs)]

use tree_sitter_language::LanguageFn;

mod kinds;
mod mistakes;
pub use kinds::{field, kind, token};
pub use mistakes::mistake;

unsafe extern "C" {
    fn tree_sitter_glsl_coopmat() -> *const ();
}

/// The language, for `tree_sitter::Parser::set_language`.
// SAFETY: the function is the entry point of the parser that tree-sitter generated into `src/parser.c`.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_glsl_coopmat) };

/// Every node, its fields and its children, as tree-sitter describes them in JSON.
pub const NODE_TYPES: &str = include_str!("../../src/node-types.json");

/// The words that begin a type with arguments in angle brackets: see `GENERIC_TYPES` in `grammar.js`, which a test compares.
pub const TYPES_WITH_ARGUMENTS: [&str; 9] = [
    "coopmat",
    "fcoopmatNV",
    "icoopmatNV",
    "ucoopmatNV",
    "coopvecNV",
    "vector",
    "tensorLayoutNV",
    "tensorViewNV",
    "tensorARM",
];

/// The qualifiers that are one word: see `QUALIFIERS` in `grammar.js`, which a test compares.
pub const QUALIFIERS: [&str; 59] = [
    "const",
    "in",
    "out",
    "inout",
    "uniform",
    "buffer",
    "shared",
    "attribute",
    "varying",
    "centroid",
    "patch",
    "sample",
    "flat",
    "smooth",
    "noperspective",
    "highp",
    "mediump",
    "lowp",
    "invariant",
    "precise",
    "coherent",
    "volatile",
    "restrict",
    "readonly",
    "writeonly",
    "devicecoherent",
    "queuefamilycoherent",
    "workgroupcoherent",
    "subgroupcoherent",
    "shadercallcoherent",
    "nonprivate",
    "nontemporal",
    "rayPayloadEXT",
    "rayPayloadInEXT",
    "hitAttributeEXT",
    "callableDataEXT",
    "callableDataInEXT",
    "shaderRecordEXT",
    "rayPayloadNV",
    "rayPayloadInNV",
    "hitAttributeNV",
    "callableDataNV",
    "callableDataInNV",
    "shaderRecordNV",
    "hitObjectAttributeNV",
    "hitObjectAttributeEXT",
    "taskPayloadSharedEXT",
    "perprimitiveEXT",
    "perprimitiveNV",
    "perviewNV",
    "taskNV",
    "pervertexEXT",
    "pervertexNV",
    "__explicitInterpAMD",
    "resourceheap",
    "samplerheap",
    "tileImageEXT",
    "spirv_by_reference",
    "spirv_literal",
];

/// Colours.
pub const HIGHLIGHTS_QUERY: &str = include_str!("../../queries/highlights.scm");
/// What can be folded.
pub const FOLDS_QUERY: &str = include_str!("../../queries/folds.scm");
/// Indentation, in Neovim's captures.
pub const INDENTS_QUERY: &str = include_str!("../../queries/indents.scm");
/// Other languages inside: the texts of macros are GLSL again.
pub const INJECTIONS_QUERY: &str = include_str!("../../queries/injections.scm");
/// Scopes, definitions and references.
pub const LOCALS_QUERY: &str = include_str!("../../queries/locals.scm");
/// Definitions and references for an index of symbols.
pub const TAGS_QUERY: &str = include_str!("../../queries/tags.scm");
/// Functions, loops, arguments and the like, to select and to move by.
pub const TEXTOBJECTS_QUERY: &str = include_str!("../../queries/textobjects.scm");
