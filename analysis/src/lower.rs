//! CST to HIR: names are resolved, types computed, constants folded, and what is wrong is reported on the way.
//!
//! `state::Lowerer` holds what the whole module shares; the submodules extend it, one concern each:
//! `items` (top-level declarations), `empty_declarations`, `requalified`, `type_specifiers`, `qualifiers`, `structs`, `blocks`, `storage_rules`, `functions`,
//! `statements`, `locals`, `module_checks`, `location_checks`, `stage_layouts` on the side of declarations; `expressions`, `operators`, `constructors`,
//! `calls`, `conversions`, `folding`, `places` (l-values) on the side of expressions; `names` and `providers` (built-ins that are
//! missing) for both. The two sides meet in few methods: `Lowerer::expression`, `Lowerer::convert`, `Lowerer::constant_size` for the
//! former; `Lowerer::type_specifier`, `Lowerer::lookup` for the latter.
//!
//! What the lowerer carries lies below it and knows nothing of it: `prelude`, `environment`, `scopes`, `expression_state`, `jumps`,
//! `fingerprint`.

mod argument_order;
mod block_offsets;
mod blocks;
mod builtins;
mod call_errors;
mod call_site;
mod calls;
mod constructors;
mod conversions;
mod coopvec_operators;
mod empty_declarations;
mod environment;
mod expression_state;
mod expressions;
mod fingerprint;
mod folding;
mod folding_builtins;
mod functions;
mod gates;
mod heap_blocks;
mod image_formats;
mod initializers;
mod items;
mod jumps;
mod layout_names;
mod literals;
mod local_size;
mod locals;
mod location_checks;
mod members;
mod missing_argument;
mod module_checks;
mod names;
mod operators;
mod overloads;
mod places;
mod prelude;
mod providers;
mod push_constants;
mod qualified_arguments;
mod qualifier_places;
mod qualifiers;
mod requalified;
mod reserved;
mod scopes;
mod shapes;
mod spirv_intrinsics;
mod stage_layouts;
mod state;
mod statements;
mod storage_only;
mod storage_rules;
mod structs;
mod suggest;
mod type_specifiers;

use std::sync::Arc;

use tree_sitter::Tree;

use crate::config::Configuration;
use crate::hir::Module;
use crate::preprocess::Preprocessed;
use crate::types::Types;

pub use builtins::rule_codes;
pub use environment::{Availability, Environment, Requirement};
pub(crate) use gates::{extension_gates, version_gate};
pub use prelude::Prelude;
pub(crate) use state::{MAX_NESTING, MOST_DIAGNOSTICS, Previous};
pub(crate) use suggest::{closest, suggestion};

use state::Lowerer;

/// An interner that outgrew this starts anew: it only grows, and an editor may stay open for days.
const MAX_KEPT_TYPES: usize = 20_000;

/// Lowers an expanded text. `previous` is an earlier analysis of the same document under the same configuration, from which
/// functions are taken that nothing has changed for.
pub(crate) fn lower(
    text: &str,
    tree: &Tree,
    config: &Configuration,
    preprocessed: &Preprocessed,
    previous: Option<Previous<'_>>,
) -> Module {
    let prelude = Prelude::new(config, preprocessed);
    let previous = previous.filter(|previous| previous.module.types.len() < MAX_KEPT_TYPES);
    let types = previous.map_or_else(Types::default, |previous| (*previous.module.types).clone());
    let mut lowerer = Lowerer::new(text, config, &prelude, types, previous);
    let root = tree.root_node();
    lowerer.items(root);
    lowerer.module_checks(!root.has_error(), &preprocessed.map);
    functions::finish(&mut lowerer.body);
    let mut module = lowerer.module;
    module.global_body = lowerer.body;
    module.types = Arc::new(lowerer.types);
    module
}
