//! The lowerer: what the whole module shares while it is lowered, and what every part of lowering does with it. The parts add methods,
//! each in its own file.

use rustc_hash::FxHashMap;
use tree_sitter::{Node, TreeCursor};

use crate::config::Configuration;
use crate::diagnostics::{Code, Severity};
use crate::hir::{
    Body, BodyDiagnostic, Definition, FunctionId, GlobalId, Module, NameUse, Packing, Place, Remedy,
    RemedyKind, Storage, StructId,
};
use crate::text::{TextRange, TextSize};
use crate::types::{Ty, Types};

use super::environment::Environment;
use super::expression_state::ExpressionState;
use super::fingerprint::Fingerprint;
use super::jumps::{Cases, Jumps};
use super::prelude::Prelude;
use super::scopes::Scopes;

/// How deeply expressions and statements may nest: past it one diagnostic is reported and the rest of the construct is an error.
pub const MAX_NESTING: u32 = 256;

/// Findings of an analysis: who has more reads none of them.
pub const MOST_DIAGNOSTICS: usize = 10_000;

/// An earlier analysis of the same document: its module, and the expanded text that the ranges refer to.
#[derive(Clone, Copy)]
pub struct Previous<'a> {
    /// Its program, from which bodies, declarations and the interner of types are taken over.
    pub module: &'a Module,
    /// Its expanded text.
    pub text: &'a str,
}

/// Lowers one expanded text.
pub(crate) struct Lowerer<'a> {
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
    pub previous: Option<Previous<'a>>,
    /// What `provider_check` has reported in this body.
    pub reported: Vec<&'static str>,
    /// Cursors that are not in use, kept for their memory.
    pub cursors: Vec<TreeCursor<'a>>,
    /// Built-in types by the names that the text uses for them.
    pub named_types: FxHashMap<&'a str, Ty>,
    pub block_defaults: BlockDefaults,
    /// The names of blocks, with the storages that have a block of the name.
    pub block_names: FxHashMap<&'a str, Vec<(Storage, StructId)>>,
    pub constant_ids: FxHashMap<u32, GlobalId>,
    pub builtin_structs: FxHashMap<&'static str, StructId>,
    pub struct_contents: FxHashMap<StructId, Contents>,
    pub fingerprint: Fingerprint,
    /// Whether functions may be called through subroutine variables.
    pub subroutines: bool,
    /// Whether the function has a `return` with a value.
    pub returns_value: bool,
    pub jumps: Jumps,
    pub cases: Cases,
}

/// `layout(std430) buffer;`: what blocks of a storage have without saying so.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlockDefaults {
    pub uniform: BlockDefault,
    pub buffer: BlockDefault,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlockDefault {
    pub packing: Option<Packing>,
    pub row_major: Option<bool>,
}

/// What is inside a type, as far as storage cares.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Contents {
    pub coopmat: bool,
    pub coopvec: bool,
    pub tensor: bool,
    /// Component types of less than a byte.
    pub sub_byte: bool,
    /// bfloat16 and the formats of a byte and below.
    pub small_float: bool,
    pub opaque: bool,
    /// Buffers whose descriptors lie in a heap.
    pub buffer_type: bool,
}

impl<'a> Lowerer<'a> {
    pub fn new(
        text: &'a str,
        config: &'a Configuration,
        prelude: &Prelude,
        types: Types,
        previous: Option<Previous<'a>>,
    ) -> Lowerer<'a> {
        let module = Module {
            version: prelude.version,
            profile: prelude.profile,
            stage: prelude.stage,
            extensions: prelude.extensions.clone(),
            spirv_types: previous
                .map_or_else(FxHashMap::default, |previous| previous.module.spirv_types.clone()),
            ..Module::default()
        };
        let mut types = types;
        types.symbols.forget_names();
        let mut fingerprint = Fingerprint::default();
        // Not the configuration, which is the same as before and may have a whole device profile in it.
        fingerprint.add((prelude.version, prelude.profile as u8, prelude.stage));
        Lowerer {
            text,
            config,
            module,
            types,
            body: Body::default(),
            base: TextSize::new(0),
            nesting: 0,
            function: None,
            scopes: Scopes::default(),
            environment: Environment::new(prelude),
            expressions: ExpressionState::default(),
            previous,
            reported: Vec::new(),
            cursors: Vec::new(),
            named_types: FxHashMap::default(),
            block_defaults: BlockDefaults::default(),
            block_names: FxHashMap::default(),
            constant_ids: FxHashMap::default(),
            builtin_structs: FxHashMap::default(),
            struct_contents: FxHashMap::default(),
            fingerprint,
            subroutines: false,
            returns_value: false,
            jumps: Jumps::default(),
            cases: Cases::default(),
        }
    }

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
    pub fn display(&self, ty: Ty) -> String {
        crate::display::display_type(&self.types, &self.module.structs, ty)
    }

    /// Reports with the severity of the catalogue.
    pub fn report(&mut self, code: &'static Code, range: TextRange, message: String) {
        self.report_as(code, code.severity, range, message, Vec::new());
    }

    /// Notes what would mend what is reported with the same code at the same place.
    pub fn remedy(&mut self, code: &'static Code, range: TextRange, kind: RemedyKind) {
        self.body.remedies.push(Remedy { code, range, kind, preferred: true });
    }

    /// The same, where something else may be meant as well.
    pub fn possible_remedy(&mut self, code: &'static Code, range: TextRange, kind: RemedyKind) {
        self.body.remedies.push(Remedy { code, range, kind, preferred: false });
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
        // Hints leave room for errors.
        let most = if severity == Severity::Error { 2 * MOST_DIAGNOSTICS } else { MOST_DIAGNOSTICS };
        if self.body.diagnostics.len() < most {
            self.body.diagnostics.push(BodyDiagnostic { code, severity, message, range, related });
        }
    }
}
