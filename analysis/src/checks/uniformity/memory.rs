//! Elements of matrices on their way through memory and local variables: what a shader puts aside for itself and takes back, and which
//! variables a value is made of.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::hir::{Body, Condition, ExprId, ExprKind, GlobalId, LocalId, Module, StmtKind, Storage};
use crate::text::{TextRange, TextSize};
use crate::types::{TypeKind, Types};

use crate::checks::walk::each_expression;

/// Where something is read or written, and the function in which that is.
type At = (TextRange, TextSize);

/// The arrays that elements are written to, and those that elements are made of.
#[derive(Debug, Default)]
pub(super) struct Kept {
    written: FxHashMap<GlobalId, Vec<At>>,
    read: FxHashMap<GlobalId, Vec<At>>,
    /// Which of them are shared memory, where nothing lies before the shader writes it, and nothing stays behind.
    shared: FxHashSet<GlobalId>,
    /// Where the functions begin that read or write elements.
    bodies: FxHashSet<TextSize>,
}

impl Kept {
    pub fn of(module: &Module) -> Kept {
        let mut kept = Kept::default();
        for (_, function) in module.functions.iter() {
            if let Some(body) = function.body.as_deref() {
                kept.add(module, body, function.range);
            }
        }
        kept
    }

    fn add(&mut self, module: &Module, body: &Body, around: TextRange) {
        let types = &module.types;
        if !body.exprs.iter().any(|(expr, _)| is_element(types, body, expr)) {
            return;
        }
        self.bodies.insert(around.start());
        let assigned = assignments(body);
        for (_, expr) in body.exprs.iter() {
            let ExprKind::Assign { target, value, .. } = &expr.kind else { continue };
            let at = (around, around.start() + expr.range.start());
            if is_element(types, body, *target) {
                for source in reached(types, body, &assigned, *value, true) {
                    each_expression(body, source, &mut |expr| {
                        if let Some(global) = memory_of(module, body, expr) {
                            self.read.entry(global).or_default().push(at);
                            self.note(module, global);
                        }
                    });
                }
            } else if let Some(global) = global_of(types, body, *target)
                && matches!(module.globals[global].storage, Storage::Buffer | Storage::Shared)
                && reached(types, body, &assigned, *value, true)
                    .iter()
                    .any(|&source| contains_element(types, body, source).is_some())
            {
                self.written.entry(global).or_default().push(at);
                self.note(module, global);
            }
        }
    }

    fn note(&mut self, module: &Module, global: GlobalId) {
        if module.globals[global].storage == Storage::Shared {
            self.shared.insert(global);
        }
    }

    /// Whether elements may have been written to an array before it is read here.
    pub fn before(&self, global: GlobalId, here: TextSize) -> bool {
        self.written.get(&global).is_some_and(|all| {
            self.shared.contains(&global)
                || all.iter().any(|&(around, at)| !around.contains(here) || at < here)
        })
    }

    /// Whether elements are made of an array after it is written here.
    pub fn after(&self, global: GlobalId, here: TextSize) -> bool {
        self.read.get(&global).is_some_and(|all| {
            self.shared.contains(&global)
                || all.iter().any(|&(around, at)| !around.contains(here) || at > here)
        })
    }

    /// Whether the function that begins here reads or writes elements.
    pub fn has_elements(&self, base: TextSize) -> bool {
        self.bodies.contains(&base)
    }
}

/// The array in memory, or the image, that an expression names.
fn memory_of(module: &Module, body: &Body, expr: ExprId) -> Option<GlobalId> {
    match body.exprs[expr].kind {
        ExprKind::Global(global) | ExprKind::BlockMember(global, _)
            if matches!(
                module.globals[global].storage,
                Storage::Buffer | Storage::Shared | Storage::Uniform
            ) =>
        {
            Some(global)
        }
        _ => None,
    }
}

/// The variable of the top level that an l-value lies in, unless an address leads elsewhere.
pub(super) fn global_of(types: &Types, body: &Body, expr: ExprId) -> Option<GlobalId> {
    let mut expr = expr;
    loop {
        expr = match &body.exprs[expr].kind {
            ExprKind::Global(global) | ExprKind::BlockMember(global, _) => return Some(*global),
            ExprKind::Index { base, .. }
            | ExprKind::Swizzle { base, .. }
            | ExprKind::Convert { operand: base } => *base,
            ExprKind::Member { base, .. } => {
                if matches!(types.kind(body.exprs[*base].ty), TypeKind::Reference(_)) {
                    return None;
                }
                *base
            }
            _ => return None,
        };
    }
}

fn is_matrix(types: &Types, body: &Body, expr: ExprId) -> bool {
    matches!(types.kind(body.exprs[expr].ty), TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_))
}

fn is_element(types: &Types, body: &Body, expr: ExprId) -> bool {
    matches!(body.exprs[expr].kind, ExprKind::Index { base, .. } if is_matrix(types, body, base))
}

/// An element of a matrix in an expression.
pub(super) fn contains_element(types: &Types, body: &Body, expr: ExprId) -> Option<ExprId> {
    let mut found = None;
    each_expression(body, expr, &mut |expr| {
        if is_element(types, body, expr) {
            found = Some(expr);
        }
    });
    found
}

/// The values that each variable is given, and whether its old one goes into them.
pub(super) type Assigned = FxHashMap<LocalId, Vec<(ExprId, bool)>>;

pub(super) fn assignments(body: &Body) -> Assigned {
    let mut assigned = Assigned::default();
    for (_, stmt) in body.stmts.iter() {
        let mut declared = |local: &LocalId, value: &ExprId| {
            assigned.entry(*local).or_default().push((*value, false));
        };
        match &stmt.kind {
            StmtKind::Declare { local, initializer: Some(value) } => declared(local, value),
            StmtKind::For { condition: Some(Condition::Declare { local, initializer }), .. }
            | StmtKind::While { condition: Condition::Declare { local, initializer }, .. } => {
                declared(local, initializer);
            }
            _ => {}
        }
    }
    for (_, expr) in body.exprs.iter() {
        if let ExprKind::Assign { op, target, value } = &expr.kind
            && let Some(local) = local_of(body, *target)
        {
            assigned.entry(local).or_default().push((*value, op.is_some()));
        }
    }
    assigned
}

fn local_of(body: &Body, expr: ExprId) -> Option<LocalId> {
    let mut expr = expr;
    loop {
        expr = match &body.exprs[expr].kind {
            ExprKind::Local(local) => return Some(*local),
            ExprKind::Index { base, .. } | ExprKind::Swizzle { base, .. } | ExprKind::Member { base, .. } => {
                *base
            }
            _ => return None,
        };
    }
}

/// An expression, and those that give values to the variables in it, which are no matrices. Without `sums`, a variable that is added to is
/// not followed.
pub(super) fn reached(
    types: &Types,
    body: &Body,
    assigned: &Assigned,
    expr: ExprId,
    sums: bool,
) -> Vec<ExprId> {
    let mut reached = vec![expr];
    let mut seen = FxHashSet::default();
    let mut next = 0;
    while let Some(&expr) = reached.get(next) {
        next += 1;
        let mut locals = Vec::new();
        each_expression(body, expr, &mut |expr| {
            if let ExprKind::Local(local) = body.exprs[expr].kind
                && !is_matrix(types, body, expr)
                && seen.insert(local)
            {
                locals.push(local);
            }
        });
        for values in locals.iter().filter_map(|local| assigned.get(local)) {
            if sums || values.iter().all(|&(_, adds)| !adds) {
                reached.extend(values.iter().map(|&(value, _)| value));
            }
        }
    }
    reached
}

/// The variables in some expressions, other than matrices.
pub(super) fn variables(types: &Types, body: &Body, exprs: &[ExprId]) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    for &expr in exprs {
        each_expression(body, expr, &mut |expr| {
            if let ExprKind::Local(local) = body.exprs[expr].kind
                && !is_matrix(types, body, expr)
            {
                found.insert(local);
            }
        });
    }
    found
}
