//! Matrix operations and barriers that only some invocations of their scope reach, and operands that differ between them.
//!
//! All invocations of the scope do an operation on a matrix together, with the same operands (GL_KHR_cooperative_matrix,
//! section 8.X; SPV_KHR_cooperative_matrix: "dynamically uniform within every instance of the 'Scope'", and among the
//! tangled instructions of SPIR-V 2.2.5). So the values of the whole shader are followed from the entry point, through
//! calls, branches and loops: `value` has what is known of each, `walk` the statements, `evaluate` the expressions, `cause`
//! the reasons that a report names. `own` says what is computed from an invocation's number, `memory` where elements are kept for a while:
//! who relies on which invocation holds which element is told as well.
//!
//! What is reported surely differs between invocations, on some path. Where an operation may take a difference away
//! (`id / 32`, `max(x, y)`, two values that depend on the invocation), nothing is known and nothing is said: the
//! conditions of real shaders are uniform for reasons that no analysis sees.

mod builtins;
mod cause;
mod evaluate;
mod memory;
mod own;
mod report;
mod value;
mod walk;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::Configuration;
use crate::diagnostics::codes;
use crate::extensions::BuiltinFunction;
use crate::hir::{Body, BodyDiagnostic, Callee, ExprKind, FunctionId, GlobalId, Module};
use crate::text::{TextRange, TextSize};
use crate::types::{Ty, TypeKind, Types};

use super::barrier::waits_for_workgroup;
use super::walk::{builtin_call, matrix_call};
use crate::extensions::values::GL_SCOPE_WORKGROUP as SCOPE_WORKGROUP;
use cause::{CauseId, Causes};
use value::{Many, Value};
use walk::Walk;

/// Which invocations surely get the same result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameResult {
    /// Those of a subgroup, whatever the arguments are.
    Subgroup,
    /// Those whose arguments are the same, or the one argument that chooses an invocation.
    Arguments,
    /// None: each gets its own.
    None,
}

/// What the check of uniformity takes the result of a built-in function for.
pub fn same_result(function: &BuiltinFunction) -> SameResult {
    match builtins::effect(function) {
        builtins::Effect::Subgroup => SameResult::Subgroup,
        builtins::Effect::Varies => SameResult::None,
        builtins::Effect::Keeps | builtins::Effect::Obscures | builtins::Effect::Chosen => {
            SameResult::Arguments
        }
    }
}

/// The invocations that do an operation together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatrixScope {
    Subgroup,
    Workgroup,
}

impl MatrixScope {
    fn name(self) -> &'static str {
        match self {
            MatrixScope::Subgroup => "subgroup",
            MatrixScope::Workgroup => "workgroup",
        }
    }

    fn of(self, value: Value) -> value::Within {
        match self {
            MatrixScope::Subgroup => value.subgroup,
            MatrixScope::Workgroup => value.workgroup,
        }
    }
}

/// What a call gives back.
struct Outcome {
    result: Many,
    /// Of each parameter, at the end of the function.
    outs: Vec<Many>,
}

/// The first matrix operation of each scope, and the first barrier of the workgroup, that a function comes to.
#[derive(Clone, Copy, Default)]
struct Reached {
    subgroup: Option<&'static str>,
    workgroup: Option<&'static str>,
    barrier: Option<&'static str>,
}

/// The whole shader while it is walked through.
struct Program<'m> {
    module: &'m Module,
    types: &'m Types,
    dimensions: [Option<i64>; 3],
    workgroup_size: Option<i64>,
    /// The workgroup is surely no larger than a subgroup.
    one_subgroup: bool,
    kept: memory::Kept,
    /// Values of the variables that each invocation has of its own, whenever they are read.
    globals: FxHashMap<GlobalId, Many>,
    read: FxHashSet<GlobalId>,
    /// A variable got another value after it was read.
    stale: bool,
    outcomes: FxHashMap<(FunctionId, Vec<u8>), Rc<Outcome>>,
    active: Vec<FunctionId>,
    walked: FxHashSet<FunctionId>,
    reached: FxHashMap<FunctionId, Reached>,
    causes: Causes,
    findings: Vec<BodyDiagnostic>,
    reported: FxHashSet<TextRange>,
    /// What keeps invocations from barriers: told at the first one.
    separated: FxHashSet<CauseId>,
    steps: u32,
    depth: u32,
    /// A bound was hit: what lies beyond is not known.
    limited: bool,
}

/// Expressions and statements that are looked at; what comes after is not known.
const MAX_STEPS: u32 = 2_000_000;
/// How deeply expressions, statements and calls may nest together.
const MAX_DEPTH: u32 = 250;
/// Ways in which one shader's functions may be called.
const MAX_OUTCOMES: usize = 2000;
/// How often everything is walked through again because a global variable turned out to differ.
const MAX_PASSES: u32 = 3;

/// Checks a whole shader; one without operations on matrices and without barriers has nothing to find. Ranges count from the start of the expanded text.
pub fn check(module: &Module, config: &Configuration) -> Vec<BodyDiagnostic> {
    let (global_body, types) = (&module.global_body, &*module.types);
    let dimensions = builtins::known_dimensions(&module.local_size, &types.symbols);
    let workgroup_size =
        dimensions.into_iter().try_fold(1i64, |size, dimension| size.checked_mul(dimension?));
    let one_subgroup = workgroup_size
        .zip(config.known_subgroup_size())
        .is_some_and(|(workgroup, subgroup)| workgroup <= i64::from(subgroup));
    let mut program = Program {
        module,
        types,
        dimensions,
        workgroup_size,
        one_subgroup,
        kept: memory::Kept::of(module),
        globals: FxHashMap::default(),
        read: FxHashSet::default(),
        stale: false,
        outcomes: FxHashMap::default(),
        active: Vec::new(),
        walked: FxHashSet::default(),
        reached: FxHashMap::default(),
        causes: Causes::default(),
        findings: Vec::new(),
        reported: FxHashSet::default(),
        separated: FxHashSet::default(),
        steps: 0,
        depth: 0,
        limited: false,
    };
    for _ in 0..MAX_PASSES {
        program.stale = false;
        program.pass(global_body);
        if !program.stale || program.exhausted() {
            break;
        }
        program.outcomes.clear();
        program.walked.clear();
        program.findings.clear();
        program.reported.clear();
        program.separated.clear();
    }
    if program.limited || program.stale {
        program.tell_limit();
    }
    program.findings
}

impl<'m> Program<'m> {
    fn pass(&mut self, global_body: &'m Body) {
        for (id, global) in self.module.globals.iter() {
            if let Some(initializer) = global.initializer
                && global.storage == crate::hir::Storage::Private
            {
                let value = Walk::new(self, global_body, TextSize::new(0)).value(initializer);
                self.write_global(id, value, true);
            }
        }
        if let Some(main) = self.module.callable_entry_point() {
            self.call(main, &[]);
        }
        // What the entry point does not reach, a header's functions for one, is called in ways that are not known.
        let functions: Vec<FunctionId> = self.module.functions.iter().map(|(id, _)| id).collect();
        for function in functions {
            if self.walked.contains(&function) {
                continue;
            }
            let reached = self.reached_by(function);
            if reached.subgroup.or(reached.workgroup).or(reached.barrier).is_some() {
                let parameters = self.module.functions[function].parameters.len();
                self.call(function, &vec![Many::unknown(); parameters]);
            }
        }
    }

    /// Says that not everything was looked at, at the entry point.
    fn tell_limit(&mut self) {
        let Some(main) = self.module.entry_point() else { return };
        self.findings.push(BodyDiagnostic {
            code: &codes::DIVERGENCE_LIMIT,
            severity: codes::DIVERGENCE_LIMIT.severity,
            message: "the shader is too large to determine which invocations reach each matrix operation: some are not checked for divergence".to_owned(),
            range: self.module.functions[main].name_range,
            related: Vec::new(),
        });
    }

    /// Begins an expression or statement, unless too much has been looked at.
    fn enter(&mut self) -> bool {
        if self.depth >= MAX_DEPTH || self.exhausted() {
            self.limited = true;
            return false;
        }
        self.steps += 1;
        self.depth += 1;
        true
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn exhausted(&self) -> bool {
        self.steps >= MAX_STEPS
    }

    fn call(&mut self, function: FunctionId, arguments: &[Many]) -> Rc<Outcome> {
        let module = self.module;
        let unknown = |parameters: usize| {
            Rc::new(Outcome { result: Many::unknown(), outs: vec![Many::unknown(); parameters] })
        };
        let declared = &module.functions[function];
        let Some(body) = declared.body.as_deref() else { return unknown(declared.parameters.len()) };
        if self.active.contains(&function) {
            return unknown(declared.parameters.len());
        }
        if self.outcomes.len() >= MAX_OUTCOMES {
            self.limited = true;
            return unknown(declared.parameters.len());
        }
        let key = (function, signature(arguments));
        if let Some(known) = self.outcomes.get(&key) {
            return known.clone();
        }
        self.walked.insert(function);
        self.active.push(function);
        let outcome = Rc::new(Walk::new(self, body, declared.range.start()).run(function, arguments));
        self.active.pop();
        self.outcomes.insert(key, outcome.clone());
        outcome
    }

    fn read_global(&mut self, global: GlobalId) -> Many {
        self.read.insert(global);
        self.globals.get(&global).copied().unwrap_or(Many::SAME)
    }

    fn write_global(&mut self, global: GlobalId, value: Many, whole: bool) {
        let value = value.map(|part| Value { version: 0, ..part });
        let new = match self.globals.get(&global) {
            Some(known) if whole => known.zip(&value, Value::blend),
            Some(known) => known.map(|part| part.blend(value.blended())),
            None if whole => value,
            None => Many::one(value.blended()),
        };
        let old = self.globals.insert(global, new).unwrap_or(Many::SAME);
        let changed = (0..4).any(|index| {
            let (old, new) = (old.get(index.min(3)), new.get(index.min(3)));
            old.subgroup.spread != new.subgroup.spread || old.workgroup.spread != new.workgroup.spread
        });
        self.stale |= changed && self.read.contains(&global);
    }

    /// The scope of a cooperative matrix; `None` for other types.
    fn matrix_scope(&self, ty: Ty) -> Option<MatrixScope> {
        let scope = match self.types.kind(ty) {
            TypeKind::Coopmat(matrix) => matrix.scope,
            TypeKind::CoopmatNv(matrix) => matrix.scope,
            _ => return None,
        };
        Some(match self.types.symbols.as_int(scope) {
            Some(SCOPE_WORKGROUP) => MatrixScope::Workgroup,
            _ => MatrixScope::Subgroup,
        })
    }

    /// The matrix operations and barriers that a function does itself or through others.
    fn reached_by(&mut self, function: FunctionId) -> Reached {
        if let Some(&known) = self.reached.get(&function) {
            return known;
        }
        let module = self.module;
        // A function that calls itself, against the rules, reaches what it does besides.
        self.reached.insert(function, Reached::default());
        let mut all = Reached::default();
        let Some(body) = module.functions[function].body.as_deref() else { return all };
        if !self.enter() {
            return all;
        }
        for (expr, node) in body.exprs.iter() {
            if let Some((builtin, arguments)) = matrix_call(body, expr) {
                let of_workgroup = arguments.iter().any(|&argument| {
                    self.matrix_scope(body.exprs[argument].ty) == Some(MatrixScope::Workgroup)
                });
                let place = if of_workgroup { &mut all.workgroup } else { &mut all.subgroup };
                place.get_or_insert(builtin.name);
            } else if let Some((builtin, _)) = builtin_call(body, expr) {
                if waits_for_workgroup(body, expr) {
                    all.barrier.get_or_insert(builtin.name);
                }
            } else if let ExprKind::Call { callee: Callee::Function(callee), .. } = node.kind {
                let reached = self.reached_by(callee);
                all.subgroup = all.subgroup.or(reached.subgroup);
                all.workgroup = all.workgroup.or(reached.workgroup);
                all.barrier = all.barrier.or(reached.barrier);
            }
        }
        self.leave();
        self.reached.insert(function, all);
        all
    }
}

/// Which arguments differ how: calls that agree in that have the same outcome.
fn signature(arguments: &[Many]) -> Vec<u8> {
    let mut signature = Vec::with_capacity(arguments.len() * 3);
    for argument in arguments {
        signature.push(argument.count);
        for part in argument.as_slice() {
            signature.push(
                part.subgroup.spread as u8
                    | (part.workgroup.spread as u8) << 2
                    | u8::from(part.blocks) << 4
                    | u8::from(part.unit) << 5,
            );
            signature.push(part.own.bits());
        }
    }
    signature
}
