//! How the sizes of matrix types are written. glslang compares specialization constants by their names where the specifications
//! compare values: a constant is equal to itself, an expression to nothing, not even to itself.

use rustc_hash::FxHashMap;

use crate::extensions::Rule;
use crate::hir::{Body, Callee, Const, Definition, ExprId, ExprKind, FunctionId, GlobalId, LocalId, Module};
use crate::symbolic::Sym;
use crate::text::{TextRange, TextSize};
use crate::types::{Ty, TypeKind};

use crate::checks::walk::builtin_call;

/// As many operators as a value is followed through, and as many types as a variable's is looked for among: of what is longer nothing is known.
const MAX_STEPS: usize = 256;
const MAX_LOOKS: usize = 1024;

/// One argument of a type as glslang sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// The same whatever the specialization.
    Number(u32),
    Global(GlobalId),
    /// A constant of the body.
    Local(LocalId),
    /// Anything else that depends on specialization.
    Expression,
}

impl Written {
    /// Whether glslang takes two for the same.
    pub fn is_same(self, other: Written) -> bool {
        self == other && self != Written::Expression
    }
}

/// A type of a matrix at a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mention {
    /// `coopmat`, in the coordinates of its body.
    pub name: TextRange,
    pub ty: Ty,
    /// Scope, rows, columns and use; bits, scope, rows and columns of the NV types.
    pub arguments: [Written; 4],
    pub ranges: [TextRange; 4],
}

impl Mention {
    /// Rows and columns: by how many arguments stand before them.
    pub fn shape(&self, module: &Module) -> [Written; 2] {
        let first = usize::from(matches!(module.types.kind(self.ty), TypeKind::CoopmatNv(_))) + 1;
        [self.arguments[first], self.arguments[first + 1]]
    }
}

/// All mentions of a module, by body.
pub(super) struct Writing {
    top: Vec<Mention>,
    functions: FxHashMap<FunctionId, Vec<Mention>>,
    /// Of what functions give back.
    results: FxHashMap<FunctionId, Mention>,
}

impl Writing {
    pub fn of(module: &Module) -> Writing {
        let top = mentions(module, &module.global_body);
        let mut functions = FxHashMap::default();
        let mut results = FxHashMap::default();
        for (id, function) in module.functions.iter() {
            let Some(body) = &function.body else { continue };
            let mentions = mentions(module, body);
            let start = function.range.start();
            let in_header =
                |mention: &&Mention| mention.ty == function.return_type && start <= mention.name.start();
            let before = top.partition_point(|mention| mention.name.start() < function.name_range.start());
            let result = top[..before].iter().rfind(in_header);
            results.extend(result.map(|result| (id, *result)));
            functions.insert(id, mentions);
        }
        Writing { top, functions, results }
    }

    /// Those of a body, in the order of the text.
    pub fn mentions(&self, function: Option<FunctionId>) -> &[Mention] {
        match function {
            Some(function) => self.functions.get(&function).map_or(&[], Vec::as_slice),
            None => &self.top,
        }
    }

    /// The type of what a function gives back.
    pub fn result(&self, function: FunctionId) -> Option<Mention> {
        self.results.get(&function).copied()
    }

    /// The type that a variable of a body is declared with.
    pub fn local(
        &self,
        module: &Module,
        function: Option<FunctionId>,
        body: &Body,
        local: LocalId,
    ) -> Option<Mention> {
        let local = &body.locals[local];
        let name = local.name_range.start();
        match function {
            // What stands before a body is of the top level.
            Some(function) if local.parameter => {
                declared(module, &self.top, name + module.functions[function].range.start(), local.ty)
            }
            _ => declared(module, self.mentions(function), name, local.ty),
        }
    }

    /// The type that a matrix is of, as it was written where the value comes from; `None`: that is not known.
    pub fn value(
        &self,
        module: &Module,
        function: Option<FunctionId>,
        body: &Body,
        expr: ExprId,
    ) -> Option<Mention> {
        let mut expr = expr;
        for _ in 0..MAX_STEPS {
            let is_matrix = |expr: ExprId| {
                matches!(
                    module.types.kind(body.exprs[expr].ty),
                    TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_)
                )
            };
            expr = match &body.exprs[expr].kind {
                ExprKind::Local(local) => return self.local(module, function, body, *local),
                ExprKind::Global(global) => {
                    let global = &module.globals[*global];
                    return declared(module, &self.top, global.name_range.start(), global.ty);
                }
                ExprKind::Construct { .. } if is_matrix(expr) => {
                    let start = body.exprs[expr].range.start();
                    let mentions = self.mentions(function);
                    let found = mentions.binary_search_by_key(&start, |mention| mention.name.start());
                    return found.ok().map(|index| mentions[index]);
                }
                ExprKind::Call { callee: Callee::Function(called), .. } => {
                    // Constants of another body mean nothing here.
                    let result = self.result(*called)?;
                    let foreign = result.arguments.iter().any(|one| matches!(one, Written::Local(_)));
                    return (!foreign).then_some(result);
                }
                ExprKind::Call { .. } => match builtin_call(body, expr)? {
                    (function, &[_, _, c, ..])
                        if matches!(function.rule, Some(Rule::CoopMatMulAdd | Rule::CoopMatMulAddNv)) =>
                    {
                        c
                    }
                    _ => return None,
                },
                ExprKind::Index { base, .. } if is_matrix(expr) => *base,
                ExprKind::Unary { operand, .. } => *operand,
                ExprKind::Binary { left, right, .. } => {
                    if is_matrix(*left) {
                        *left
                    } else {
                        *right
                    }
                }
                ExprKind::Assign { target, .. } => *target,
                ExprKind::Conditional { then, .. } => *then,
                ExprKind::Comma { right, .. } => *right,
                _ => return None,
            };
        }
        None
    }
}

/// The last mention before a name that is of the name's type, or of what its arrays hold.
fn declared(module: &Module, mentions: &[Mention], name: TextSize, ty: Ty) -> Option<Mention> {
    let mut ty = ty;
    while let TypeKind::Array(element, _) = module.types.kind(ty) {
        ty = *element;
    }
    let before = mentions.partition_point(|mention| mention.name.start() < name);
    mentions[..before].iter().rev().take(MAX_LOOKS).find(|mention| mention.ty == ty).copied()
}

fn mentions(module: &Module, body: &Body) -> Vec<Mention> {
    let mut names: Vec<(TextRange, Ty, [Sym; 4])> = Vec::new();
    for name in &body.names {
        let Definition::Type(ty) = name.definition else { continue };
        let arguments = match module.types.kind(ty) {
            TypeKind::Coopmat(matrix) => [matrix.scope, matrix.rows, matrix.columns, matrix.usage],
            TypeKind::CoopmatNv(matrix) => [matrix.bits, matrix.scope, matrix.rows, matrix.columns],
            _ => continue,
        };
        names.push((name.range, ty, arguments));
    }
    if names.is_empty() {
        return Vec::new();
    }
    names.sort_by_key(|(range, ..)| range.start());
    let mut exprs: Vec<(TextRange, ExprId)> = body
        .exprs
        .iter()
        .filter(|(_, expr)| !expr.range.is_empty())
        .map(|(id, expr)| (expr.range, id))
        .collect();
    exprs.sort_by_key(|(range, _)| (range.start(), std::cmp::Reverse(range.end())));
    let mentioned = |(name, ty, arguments): (TextRange, Ty, [Sym; 4])| {
        // The arguments are the first expressions behind the name that are part of no other.
        let mut end = name.end();
        let from = exprs.partition_point(|(range, _)| range.start() < end);
        let mut found = Vec::with_capacity(4);
        for &(range, expr) in &exprs[from..] {
            if range.start() >= end {
                end = range.end();
                found.push((range, written(body, expr, arguments.get(found.len()).copied()?, module)?));
                if found.len() == 4 {
                    break;
                }
            }
        }
        let found: [(TextRange, Written); 4] = found.try_into().ok()?;
        Some(Mention {
            name,
            ty,
            arguments: found.map(|(_, written)| written),
            ranges: found.map(|(range, _)| range),
        })
    };
    names.into_iter().filter_map(mentioned).collect()
}

/// How an argument is written; `None` where the expression is not the argument of this value.
fn written(body: &Body, expr: ExprId, value: Sym, module: &Module) -> Option<Written> {
    let expr = &body.exprs[expr];
    let named = match expr.kind {
        ExprKind::Global(global) => Written::Global(global),
        ExprKind::Local(local) => Written::Local(local),
        _ => Written::Expression,
    };
    match expr.constant.as_ref()? {
        Const::Int(number) if module.types.symbols.as_int(value).map(i128::from) == Some(*number) => {
            Some(Written::Number(*number as u32))
        }
        Const::Symbolic(symbol) if *symbol == value => Some(named),
        // What nothing is known of is another value wherever it is written.
        Const::Opaque { .. } if module.types.symbols.has_unknown(value) => Some(named),
        _ => None,
    }
}
