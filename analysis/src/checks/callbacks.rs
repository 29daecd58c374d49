//! Functions that matrix operations call for each element must not contain tangled instructions
//! (SPV_NV_cooperative_matrix2, section 2.16.1): no barrier, subgroup operation, implicit derivative or operation on a
//! cooperative matrix, not even through other functions.
//!
//! This needs the bodies of all functions, so it runs when the module is complete.

use rustc_hash::FxHashMap;

use crate::diagnostics::codes;
use crate::extensions::{self, BuiltinFunction, Rule, instructions};
use crate::hir::{Body, BodyDiagnostic, Callee, Definition, ExprId, ExprKind, FunctionId, Module, Place};
use crate::text::TextRange;
use crate::types::{TypeKind, Types};

/// A tangled operation, and how a function comes to it.
#[derive(Clone, Debug)]
struct Tangled {
    /// The operation by name.
    what: String,
    /// Where it stands, in the expanded text.
    range: TextRange,
    /// The function that it stands in.
    inside: FunctionId,
}

/// Checks every function that is passed to a matrix operation. Ranges count from the start of the expanded text, as those
/// of the top level do.
pub fn check(module: &Module) -> Vec<BodyDiagnostic> {
    let types = &*module.types;
    let mut callbacks: Vec<(FunctionId, FunctionId, TextRange)> = Vec::new();
    for (caller, function) in module.functions.iter() {
        let Some(body) = &function.body else { continue };
        for (_, expr) in body.exprs.iter() {
            if let ExprKind::FunctionName { function: Some(callback), .. } = expr.kind {
                callbacks.push((caller, callback, expr.range + function.range.start()));
            }
        }
    }
    if callbacks.is_empty() {
        return Vec::new();
    }
    let mut known = FxHashMap::default();
    let mut diagnostics = Vec::new();
    for (_, callback, range) in callbacks {
        let Some(tangled) = find(module, types, callback, &mut known) else { continue };
        let name = &module.functions[callback].name;
        let message = if tangled.inside == callback {
            format!("`{name}` runs for elements, not for invocations, and must not contain {}", tangled.what)
        } else {
            format!(
                "`{name}` runs for elements, not for invocations, and must not call `{}`, which contains {}",
                module.functions[tangled.inside].name, tangled.what
            )
        };
        diagnostics.push(BodyDiagnostic {
            code: &codes::NV_CALLBACK_TANGLED,
            severity: codes::NV_CALLBACK_TANGLED.severity,
            message,
            range,
            related: vec![
                (Place::Here(tangled.range), format!("{} is here", tangled.what)),
                (Place::Definition(Definition::Function(callback)), format!("`{name}` is declared here")),
            ],
        });
    }
    diagnostics
}

/// The first tangled operation that a function reaches. Each function is looked at once.
fn find(
    module: &Module,
    types: &Types,
    start: FunctionId,
    known: &mut FxHashMap<FunctionId, Own>,
) -> Option<Tangled> {
    let mut seen = vec![start];
    let mut next = 0;
    while let Some(&function) = seen.get(next) {
        next += 1;
        let own = known.entry(function).or_insert_with(|| own_operations(module, types, function));
        if let Some(tangled) = &own.tangled {
            return Some(tangled.clone());
        }
        for &callee in &own.calls {
            if !seen.contains(&callee) {
                seen.push(callee);
            }
        }
    }
    None
}

/// What a function does itself.
struct Own {
    tangled: Option<Tangled>,
    calls: Vec<FunctionId>,
}

fn own_operations(module: &Module, types: &Types, function: FunctionId) -> Own {
    let mut own = Own { tangled: None, calls: Vec::new() };
    let declared = &module.functions[function];
    let Some(body) = &declared.body else { return own };
    for (id, expr) in body.exprs.iter() {
        if let ExprKind::Call { callee: Callee::Function(callee), .. } = expr.kind
            && !own.calls.contains(&callee)
        {
            own.calls.push(callee);
        }
        if own.tangled.is_none()
            && let Some(what) = tangled_operation(body, types, id)
        {
            own.tangled =
                Some(Tangled { what, range: expr.range + declared.range.start(), inside: function });
        }
    }
    own
}

/// The name of an operation that invocations do together.
fn tangled_operation(body: &Body, types: &Types, expr: ExprId) -> Option<String> {
    let expr = &body.exprs[expr];
    let is_matrix = |ty| matches!(types.kind(ty), TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_));
    match &expr.kind {
        ExprKind::Call { callee: Callee::Builtin(function), .. } => {
            let function = extensions::function(*function);
            is_tangled(function).then(|| format!("`{}`", function.name))
        }
        ExprKind::Binary { .. } | ExprKind::Unary { .. } if is_matrix(expr.ty) => {
            Some("arithmetic on a cooperative matrix".to_owned())
        }
        ExprKind::Construct { .. } if is_matrix(expr.ty) => {
            Some("the construction of a cooperative matrix".to_owned())
        }
        _ => None,
    }
}

/// Whether invocations execute a built-in function together: `codegen/tests/tangled.rs` holds it against the table of instructions.
pub fn is_tangled(function: &BuiltinFunction) -> bool {
    match function.rule {
        Some(Rule::Barrier) => is_control_barrier(function.instruction),
        Some(Rule::Subgroup | Rule::SubgroupClustered) => true,
        Some(Rule::NotAnalysed) | None => needs_neighbours(function.instruction),
        Some(rule) => rule.is_matrix_operation(),
    }
}

/// Memory barriers order an invocation's own accesses; only control barriers are tangled.
fn is_control_barrier(instruction: &str) -> bool {
    !instruction.contains("OpMemoryBarrier")
}

/// Derivatives, and image samples and queries that take one implicitly, look at neighbouring invocations.
fn needs_neighbours(instruction: &str) -> bool {
    [instructions::OP_D_PDX, instructions::OP_D_PDY, instructions::OP_FWIDTH]
        .iter()
        .any(|prefix| instruction.starts_with(prefix))
        || instruction.contains("ImplicitLod")
        || [instructions::OP_IMAGE_QUERY_LOD, instructions::OP_IMAGE_SAMPLE_FOOTPRINT_NV]
            .contains(&instruction)
}
