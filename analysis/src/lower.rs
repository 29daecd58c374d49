//! CST to HIR: names are resolved, types computed, constants folded, and what is wrong is reported on the way.
//!
//! `Lowerer` holds what the whole module shares; the submodules extend it, one concern each:
//! `items` (top-level declarations), `type_specifiers`, `qualifiers`, `blocks`, `functions`, `statements`, `scopes` on the side
//! of declarations; `expressions`, `operators`, `constructors`, `calls`, `conversions`, `folding`, `places` (l-values) on the side of
//! expressions. The two sides meet in few methods: `Lowerer::expression`, `Lowerer::convert`, `Lowerer::constant_size` for the
//! former; `Lowerer::type_specifier`, `Lowerer::lookup` for the latter.

mod expressions;

use crate::config::Configuration;
use crate::diagnostics::{Code, Severity};
use crate::hir::{Body, BodyDiagnostic, Module, Place};
use crate::text::{TextRange, TextSize};
use crate::types::Types;

/// How deeply expressions and statements may nest: past it one diagnostic is reported and the rest of the construct is an error.
pub const MAX_NESTING: u32 = 256;

/// Lowers one expanded text.
pub struct Lowerer<'a> {
    /// The expanded text.
    pub text: &'a str,
    pub config: &'a Configuration,
    pub module: Module,
    /// Grows across edits of one document; put back into `module.types` at the end.
    pub types: Types,
    /// The body being filled: a function's, or the top level's.
    pub body: Body,
    /// Expanded offset that the body's ranges count from: the start of the function's definition, 0 at top level.
    pub base: TextSize,
    pub nesting: u32,
}

impl Lowerer<'_> {
    /// The range of a node in the coordinates of the current body.
    pub fn range(&self, node: tree_sitter::Node<'_>) -> TextRange {
        let start = TextSize::new(node.start_byte() as u32);
        let end = TextSize::new(node.end_byte() as u32);
        TextRange::new(
            start.checked_sub(self.base).unwrap_or_default(),
            end.checked_sub(self.base).unwrap_or_default(),
        )
    }

    /// The text of a node.
    pub fn node_text(&self, node: tree_sitter::Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Reports with the severity of the catalogue.
    pub fn report(&mut self, code: &'static Code, range: TextRange, message: String) {
        self.report_as(code, code.severity, range, message, Vec::new());
    }

    pub fn report_with(
        &mut self,
        code: &'static Code,
        range: TextRange,
        message: String,
        related: Vec<(Place, String)>,
    ) {
        self.report_as(code, code.severity, range, message, related);
    }

    /// Reports with another severity, where the context makes a rule milder (a hint where only default values are wrong).
    pub fn report_as(
        &mut self,
        code: &'static Code,
        severity: Severity,
        range: TextRange,
        message: String,
        related: Vec<(Place, String)>,
    ) {
        self.body.diagnostics.push(BodyDiagnostic { code, severity, message, range, related });
    }
}
