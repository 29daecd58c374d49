//! Tensor layouts and views outside of functions that nothing ever gives a value. `flow::tensor_state` follows those in functions.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostics::codes;
use crate::extensions::ids;
use crate::hir::{
    Body, BodyDiagnostic, Callee, Definition, ExprId, ExprKind, ExtensionBehavior, ExtensionState, GlobalId,
    Module, Place, Storage,
};
use crate::matrices::tensors;
use crate::text::TextRange;

/// Whether an extension that the shader names brings such types.
pub fn concerns(state: &ExtensionState) -> bool {
    state.extension == Some(ids::GL_NV_COOPERATIVE_MATRIX2) && state.behavior != ExtensionBehavior::Disable
}

/// Looks at every body, since any may give the value. Ranges count from the start of the expanded text.
pub fn check(module: &Module) -> Vec<BodyDiagnostic> {
    let types = &*module.types;
    // What includes a header may give it the value.
    if !module.functions.iter().any(|(_, function)| function.name == "main") {
        return Vec::new();
    }
    let unset = |global: GlobalId| {
        let global = &module.globals[global];
        global.storage == Storage::Private && global.initializer.is_none()
    };
    let mut used: FxHashMap<GlobalId, (TextRange, String)> = FxHashMap::default();
    let mut written: FxHashSet<GlobalId> = FxHashSet::default();
    for (_, function) in module.functions.iter() {
        let Some(body) = &function.body else { continue };
        for (id, expr) in body.exprs.iter() {
            match &expr.kind {
                ExprKind::Assign { target, .. } => written.extend(global_of(body, *target)),
                ExprKind::Call { callee: Callee::Function(_), arguments } => {
                    written.extend(arguments.iter().filter_map(|&argument| global_of(body, argument)));
                }
                _ => {}
            }
            if let Some(global) = global_of(body, id).filter(|&global| unset(global)) {
                let Some(message) = tensors::unset(types, expr.ty, &module.globals[global].name) else {
                    continue;
                };
                used.entry(global).or_insert((expr.range + function.range.start(), message));
            }
        }
    }
    let mut findings: Vec<BodyDiagnostic> = used
        .into_iter()
        .filter(|(global, _)| !written.contains(global))
        .map(|(global, (range, message))| {
            let definition = Place::Definition(Definition::Global(global));
            let name = &module.globals[global].name;
            let code = &codes::NV_TENSOR_UNSET;
            let related = vec![(definition, format!("`{name}` is declared here"))];
            BodyDiagnostic { code, severity: code.severity, message, range, related }
        })
        .collect();
    findings.sort_by_key(|finding| finding.range.start());
    findings
}

/// The variable outside of functions that an expression names, or an element or member of.
fn global_of(body: &Body, mut expr: ExprId) -> Option<GlobalId> {
    loop {
        match body.exprs[expr].kind {
            ExprKind::Index { base, .. } | ExprKind::Member { base, .. } => expr = base,
            ExprKind::Global(global) => return Some(global),
            _ => return None,
        }
    }
}
