//! CST to HIR: names are resolved, types computed, constants folded, and what is wrong is reported on the way.
//!
//! `Lowerer` holds what the whole module shares; the submodules extend it, one concern each:
//! `items` (top-level declarations), `type_specifiers`, `qualifiers`, `blocks`, `functions`, `statements`, `scopes`, `environment`
//! on the side of declarations; `expressions`, `operators`, `constructors`, `calls`, `conversions`, `folding`, `places` (l-values)
//! on the side of expressions. The two sides meet in few methods: `Lowerer::expression`, `Lowerer::convert`,
//! `Lowerer::constant_size` for the former; `Lowerer::type_specifier`, `Lowerer::lookup` for the latter.

mod calls;
mod constructors;
mod conversions;
mod environment;
mod expressions;
mod folding;
mod folding_builtins;
mod initializers;
mod literals;
mod members;
mod operators;
mod overloads;
mod places;
mod scopes;
mod shapes;
mod stubs;
mod suggest;

use tree_sitter::{Node, TreeCursor};

use crate::config::{Configuration, Stage};
use crate::diagnostics::{Code, Severity};
use crate::hir::{
    Body, BodyDiagnostic, Definition, ExtensionState, FunctionId, Module, NameUse, Place, Profile,
};
use crate::text::{TextRange, TextSize};
use crate::types::Types;

pub use environment::{Availability, Environment, GateProblem, Requirement, extension_gates};
pub use expressions::ExpressionState;
pub use scopes::Scopes;

/// How deeply expressions and statements may nest: past it one diagnostic is reported and the rest of the construct is an error.
pub const MAX_NESTING: u32 = 256;

/// What the preprocessor found out about the whole text.
#[derive(Clone, Debug, Default)]
pub struct Prelude {
    pub version: u32,
    pub profile: Profile,
    pub stage: Option<Stage>,
    /// Sorted by `from`.
    pub extensions: Vec<ExtensionState>,
}

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
    /// The function whose body is being lowered.
    pub function: Option<FunctionId>,
    pub scopes: Scopes<'a>,
    pub environment: Environment,
    pub expressions: ExpressionState,
    /// What `provider_check` has reported in this body.
    reported: Vec<&'static str>,
    /// Cursors that are not in use, kept for their memory.
    cursors: Vec<TreeCursor<'a>>,
}

impl<'a> Lowerer<'a> {
    /// The range of a node in the coordinates of the current body.
    pub fn range(&self, node: Node<'_>) -> TextRange {
        let start = TextSize::new(node.start_byte() as u32);
        let end = TextSize::new(node.end_byte() as u32);
        TextRange::new(
            start.checked_sub(self.base).unwrap_or_default(),
            end.checked_sub(self.base).unwrap_or_default(),
        )
    }

    /// The text of a node.
    pub fn node_text(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// A cursor at `node`. Walk the children with it and hand it back with `release`: `Node::child` takes time proportional to
    /// the index, and a fresh cursor allocates.
    pub fn cursor(&mut self, node: Node<'a>) -> TreeCursor<'a> {
        match self.cursors.pop() {
            Some(mut cursor) => {
                cursor.reset(node);
                cursor
            }
            None => node.walk(),
        }
    }

    pub fn release(&mut self, cursor: TreeCursor<'a>) {
        self.cursors.push(cursor);
    }

    /// Notes that the text at `range` names `definition`: what hover, go to definition and rename look in.
    pub fn record_name(&mut self, range: TextRange, definition: Definition) {
        self.body.names.push(NameUse { range, definition });
    }

    /// A type as users write it.
    pub fn display(&self, ty: crate::types::Ty) -> String {
        crate::display::display_type(&self.types, &self.module.structs, ty)
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

/// An earlier run on the same document, whose untouched bodies are kept.
#[derive(Clone, Copy)]
pub struct Previous<'a> {
    pub module: &'a Module,
    /// Its expanded text.
    pub text: &'a str,
}

/// Lowers a whole expanded text.
pub fn lower(
    _text: &str,
    _tree: &tree_sitter::Tree,
    _config: &Configuration,
    _preprocessed: &crate::preprocess::Preprocessed,
    _previous: Option<Previous<'_>>,
) -> Module {
    Module::default()
}
