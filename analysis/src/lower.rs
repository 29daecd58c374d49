//! CST to HIR: names are resolved, types computed, constants folded, and what is wrong is reported on the way.
//!
//! `Lowerer` holds what the whole module shares; the submodules extend it, one concern each:
//! `items` (top-level declarations), `type_specifiers`, `qualifiers`, `structs`, `blocks`, `storage_rules`, `functions`,
//! `statements`, `locals`, `scopes`, `environment`, `module_checks` on the side of declarations; `expressions`, `operators`, `constructors`,
//! `calls`, `conversions`, `folding`, `places` (l-values) on the side of expressions. The two sides meet in few methods:
//! `Lowerer::expression`, `Lowerer::convert`, `Lowerer::constant_size` for the former; `Lowerer::type_specifier`,
//! `Lowerer::lookup` for the latter.

mod blocks;
mod builtins;
mod call_errors;
mod calls;
mod constructors;
mod conversions;
mod environment;
mod expressions;
mod folding;
mod folding_builtins;
mod functions;
mod initializers;
mod items;
mod literals;
mod locals;
mod members;
mod module_checks;
mod operators;
mod overloads;
mod places;
mod qualifiers;
mod scopes;
mod shapes;
mod spirv_intrinsics;
mod statements;
mod storage_rules;
mod structs;
mod suggest;
mod type_specifiers;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tree_sitter::{Node, Tree, TreeCursor};

use crate::config::{Configuration, Stage};
use crate::diagnostics::{Code, Severity};
use crate::extensions;
use crate::hir::{
    Body, BodyDiagnostic, Definition, ExtensionBehavior, ExtensionState, FunctionId, GlobalId, Module,
    NameUse, Place, Profile, Remedy, RemedyKind, Storage, StructId,
};
use crate::preprocess::{self, Preprocessed, SourceMap};
use crate::text::{FileId, TextRange, TextSize};
use crate::types::{Ty, Types};

pub use environment::{Availability, Environment, GateProblem, Requirement, extension_gates};
pub use expressions::ExpressionState;
pub use scopes::Scopes;
pub use suggest::closest;

/// How deeply expressions and statements may nest: past it one diagnostic is reported and the rest of the construct is an error.
pub const MAX_NESTING: u32 = 256;

/// Findings of an analysis: who has more reads none of them.
pub const MOST_DIAGNOSTICS: usize = 10_000;

/// An interner that outgrew this starts anew: it only grows, and an editor may stay open for days.
const MAX_KEPT_TYPES: usize = 20_000;

/// What the preprocessor found out about the whole text.
#[derive(Clone, Debug, Default)]
pub struct Prelude {
    pub version: u32,
    pub profile: Profile,
    pub stage: Option<Stage>,
    /// Sorted by `from`.
    pub extensions: Vec<ExtensionState>,
}

/// An earlier analysis of the same document: its module, and the expanded text that the ranges refer to.
#[derive(Clone, Copy)]
pub struct Previous<'a> {
    pub module: &'a Module,
    pub text: &'a str,
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
    previous: Option<Previous<'a>>,
    /// What `provider_check` has reported in this body.
    reported: Vec<&'static str>,
    /// Cursors that are not in use, kept for their memory.
    cursors: Vec<TreeCursor<'a>>,
    /// Built-in types by the names that the text uses for them.
    named_types: FxHashMap<&'a str, Ty>,
    block_defaults: blocks::BlockDefaults,
    block_names: FxHashMap<(&'a str, Storage), StructId>,
    constant_ids: FxHashMap<u32, GlobalId>,
    builtin_structs: FxHashMap<&'static str, StructId>,
    struct_contents: FxHashMap<StructId, storage_rules::Contents>,
    fingerprint: functions::Fingerprint,
    /// Whether functions may be called through subroutine variables.
    subroutines: bool,
    /// Whether the function has a `return` with a value.
    returns_value: bool,
    jumps: statements::Jumps,
    cases: statements::Cases,
}

/// Lowers an expanded text. `previous` is an earlier analysis of the same document under the same configuration, from which
/// functions are taken that nothing has changed for.
pub fn lower(
    text: &str,
    tree: &Tree,
    config: &Configuration,
    preprocessed: &Preprocessed,
    previous: Option<Previous<'_>>,
) -> Module {
    let prelude = Prelude::new(config, preprocessed);
    lower_mapped(text, tree, config, &prelude, previous, Some(&preprocessed.map))
}

/// As `lower`, for a text that no preprocessor has seen.
pub fn lower_text(
    text: &str,
    tree: &Tree,
    config: &Configuration,
    prelude: &Prelude,
    previous: Option<Previous<'_>>,
) -> Module {
    lower_mapped(text, tree, config, prelude, previous, None)
}

fn lower_mapped(
    text: &str,
    tree: &Tree,
    config: &Configuration,
    prelude: &Prelude,
    previous: Option<Previous<'_>>,
    map: Option<&SourceMap>,
) -> Module {
    let previous = previous.filter(|previous| previous.module.types.len() < MAX_KEPT_TYPES);
    let types = previous.map_or_else(Types::default, |previous| (*previous.module.types).clone());
    let mut lowerer = Lowerer::new(text, config, prelude, types, previous);
    let root = tree.root_node();
    lowerer.items(root);
    lowerer.module_checks(!root.has_error(), map);
    functions::finish(&mut lowerer.body);
    let mut module = lowerer.module;
    module.global_body = lowerer.body;
    module.types = Arc::new(lowerer.types);
    module
}

impl Prelude {
    pub fn new(config: &Configuration, preprocessed: &Preprocessed) -> Prelude {
        let profile = match preprocessed.version.as_ref().map(|version| version.profile) {
            Some(preprocess::Profile::Es) => Profile::Es,
            Some(preprocess::Profile::Compatibility) => Profile::Compatibility,
            _ => Profile::Core,
        };
        let by_path = (!preprocessed.files.is_empty())
            .then(|| Stage::of_path(&preprocessed.files[FileId::ROOT].path))
            .flatten();
        // `#pragma shader_stage(compute)`, as glslc has it.
        let by_pragma = || {
            preprocessed.pragmas.iter().find_map(|pragma| {
                let text = pragma.text.trim().strip_prefix("shader_stage")?.trim();
                Stage::of_pragma(text.strip_prefix('(')?.strip_suffix(')')?.trim())
            })
        };
        let extensions = preprocessed
            .extensions
            .iter()
            .map(|event| ExtensionState {
                from: event.offset,
                extension: extensions::extension(&event.name),
                name: event.name.clone(),
                behavior: match event.behavior {
                    preprocess::Behavior::Require => ExtensionBehavior::Require,
                    preprocess::Behavior::Enable => ExtensionBehavior::Enable,
                    preprocess::Behavior::Warn => ExtensionBehavior::Warn,
                    preprocess::Behavior::Disable => ExtensionBehavior::Disable,
                },
            })
            .collect();
        Prelude {
            // GLSL 4.60, section 3.3: without a `#version` line it is 110.
            version: preprocessed.version.as_ref().map_or(110, |version| version.number),
            profile,
            stage: by_path.or_else(by_pragma).or(config.stage),
            extensions,
        }
    }
}

impl<'a> Lowerer<'a> {
    fn new(
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
        let mut fingerprint = functions::Fingerprint::default();
        let mut hasher = DefaultHasher::new();
        (prelude.version, prelude.profile as u8, prelude.stage).hash(&mut hasher);
        // Not the configuration, which is the same as before and may have a whole device profile in it.
        fingerprint.add(&hasher.finish().to_string());
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
            block_defaults: blocks::BlockDefaults::default(),
            block_names: FxHashMap::default(),
            constant_ids: FxHashMap::default(),
            builtin_structs: FxHashMap::default(),
            struct_contents: FxHashMap::default(),
            fingerprint,
            subroutines: false,
            returns_value: false,
            jumps: statements::Jumps::default(),
            cases: statements::Cases::default(),
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
        self.body.remedies.push(Remedy { code, range, kind });
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
