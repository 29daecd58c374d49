//! The value of an expression of integers, for one invocation of a subgroup and one element of a matrix.

use std::cell::Cell;

use rustc_hash::FxHashMap;

use coopmat_analysis::Analysis;
use coopmat_analysis::extensions::variables;
use coopmat_analysis::hir::{
    BinaryOp, Body, Callee, Const, ExprId, ExprKind, FunctionId, LocalId, Stmt, StmtKind, UnaryOp, arithmetic,
};
use coopmat_analysis::types::{Scalar, Ty, TypeKind};

use crate::showing::configured_value;

/// Formulas are short; what is longer is none.
const MOST_STEPS: u32 = 400;
const MOST_CALLS: u32 = 8;

/// For what a value is asked.
pub struct At {
    pub invocation: u32,
    pub subgroup_size: u32,
    /// The variable that counts elements, and which element it is.
    pub element: Option<(LocalId, u32)>,
}

/// What an expression is made of, apart from what is known.
#[derive(Default)]
pub struct Ends {
    /// Parameters, and variables that change.
    pub variables: Vec<LocalId>,
    /// Whether the number of the invocation is in it.
    pub invocation: bool,
}

/// A body whose expressions are evaluated.
pub struct Formula<'a> {
    analysis: &'a Analysis,
    function: Option<FunctionId>,
    body: &'a Body,
    /// Variables with one value, the one that they are declared with.
    fixed: FxHashMap<LocalId, ExprId>,
    /// How many steps are left.
    steps: Cell<u32>,
}

/// The variables of the loops around an expression that count by one of their own, the innermost first.
pub fn loops_around(body: &Body, expr: ExprId) -> Vec<LocalId> {
    let place = body.exprs[expr].range;
    let counts = |stmt: &Stmt| match stmt.kind {
        StmtKind::For { init: Some(init), .. } if stmt.range.contains_range(place) => {
            match body.stmts[init].kind {
                StmtKind::Declare { local, initializer: Some(_) } => Some((stmt.range.len(), local)),
                _ => None,
            }
        }
        _ => None,
    };
    let mut found: Vec<_> = body.stmts.iter().filter_map(|(_, stmt)| counts(stmt)).collect();
    found.sort_by_key(|(length, _)| *length);
    found.into_iter().map(|(_, local)| local).collect()
}

impl<'a> Formula<'a> {
    pub fn new(analysis: &'a Analysis, function: Option<FunctionId>, body: &'a Body) -> Formula<'a> {
        let fixed = body.stmts.iter().filter_map(|(_, stmt)| match stmt.kind {
            StmtKind::Declare { local, initializer: Some(initializer) } if !body.locals[local].written => {
                Some((local, initializer))
            }
            _ => None,
        });
        Formula { analysis, function, body, fixed: fixed.collect(), steps: Cell::new(0) }
    }

    /// What a variable with one value is declared with, where the expression is its name.
    pub fn initializer(&self, expr: ExprId) -> Option<ExprId> {
        match self.body.exprs[expr].kind {
            ExprKind::Local(local) => self.fixed.get(&local).copied(),
            _ => None,
        }
    }

    /// Whether an expression is a variable of the language, under whichever name and type.
    pub fn is_bare(&self, expr: ExprId) -> bool {
        let mut expr = expr;
        for _ in 0..MOST_STEPS {
            expr = match &self.body.exprs[expr].kind {
                ExprKind::BuiltinVariable(_) => return true,
                ExprKind::Convert { operand } => *operand,
                ExprKind::Construct { arguments } => match arguments.as_slice() {
                    &[argument] => argument,
                    _ => return false,
                },
                ExprKind::Local(_) => match self.initializer(expr) {
                    Some(initializer) => initializer,
                    None => return false,
                },
                _ => return false,
            };
        }
        false
    }

    /// What an expression is made of; `None` where it has parts that cannot be evaluated.
    pub fn ends(&self, expr: ExprId) -> Option<Ends> {
        let mut ends = Ends::default();
        self.steps.set(MOST_STEPS);
        self.add_ends(expr, &mut ends)?;
        scalar(self.analysis, self.body.exprs[expr].ty)?;
        Some(ends)
    }

    /// The expressions that are made of a variable and the number of the invocation.
    pub fn of_variable(&self, variable: LocalId) -> Vec<ExprId> {
        let is_one = |expr: &ExprId| {
            self.ends(*expr).is_some_and(|ends| ends.invocation && ends.variables == [variable])
        };
        self.body.exprs.iter().map(|(id, _)| id).filter(is_one).collect()
    }

    fn add_ends(&self, expr: ExprId, ends: &mut Ends) -> Option<()> {
        self.step()?;
        let node = &self.body.exprs[expr];
        if node.constant.is_some() {
            return Some(());
        }
        match &node.kind {
            ExprKind::Local(local) => match self.fixed.get(local) {
                Some(&initializer) => self.add_ends(initializer, ends)?,
                None if ends.variables.contains(local) => {}
                None => ends.variables.push(*local),
            },
            ExprKind::BuiltinVariable(variables::GL_SUBGROUP_INVOCATION_ID) => ends.invocation = true,
            ExprKind::BuiltinVariable(variables::GL_SUBGROUP_SIZE) => {}
            ExprKind::Call { callee: Callee::Function(function), arguments } => {
                for &argument in arguments {
                    self.add_ends(argument, ends)?;
                }
                let (callee, result) = self.called(*function)?;
                let inside = callee.ends(result)?;
                ends.invocation |= inside.invocation;
                let is_parameter = |local: &LocalId| callee.body.parameters.contains(local);
                inside.variables.iter().all(is_parameter).then_some(())?;
            }
            ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Conditional { .. }
            | ExprKind::Construct { .. }
            | ExprKind::Convert { .. } => {
                let mut operands = Vec::new();
                node.kind.operands(&mut operands);
                for operand in operands {
                    self.add_ends(operand, ends)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// A function that does nothing but return a value, with that value.
    fn called(&self, function: FunctionId) -> Option<(Formula<'a>, ExprId)> {
        let body = self.analysis.module.functions[function].body.as_deref()?;
        let StmtKind::Block(statements) = &body.stmts[body.root?].kind else { return None };
        let (last, before) = statements.split_last()?;
        let StmtKind::Return(Some(result)) = body.stmts[*last].kind else { return None };
        let called = Formula::new(self.analysis, Some(function), body);
        let is_fixed = |kind: &StmtKind| match kind {
            StmtKind::Empty => true,
            StmtKind::Declare { local, .. } => called.fixed.contains_key(local),
            _ => false,
        };
        // Nothing calls itself, in valid shaders.
        let is_plain = before.iter().all(|&stmt| is_fixed(&body.stmts[stmt].kind));
        (is_plain && self.function != Some(function)).then_some((called, result))
    }

    /// The value of an expression; `None` where it is not known.
    pub fn value(&self, expr: ExprId, at: &At) -> Option<Const> {
        self.steps.set(MOST_STEPS);
        self.evaluate(expr, at, &[], MOST_CALLS)
    }

    fn step(&self) -> Option<()> {
        self.steps.set(self.steps.get().checked_sub(1)?);
        Some(())
    }

    /// `given` are the values of parameters.
    fn evaluate(&self, expr: ExprId, at: &At, given: &[(LocalId, Const)], calls: u32) -> Option<Const> {
        self.step()?;
        let node = &self.body.exprs[expr];
        let evaluate = |expr: ExprId| self.evaluate(expr, at, given, calls);
        if let Some(constant) = &node.constant {
            return self.constant(constant, node.ty);
        }
        match &node.kind {
            ExprKind::Local(local) => {
                if let Some((_, value)) = given.iter().find(|(known, _)| known == local) {
                    return Some(value.clone());
                }
                match at.element {
                    Some((element, index)) if element == *local => Some(Const::Int(i128::from(index))),
                    _ => evaluate(*self.fixed.get(local)?),
                }
            }
            ExprKind::BuiltinVariable(variables::GL_SUBGROUP_INVOCATION_ID) => {
                Some(Const::Int(i128::from(at.invocation)))
            }
            ExprKind::BuiltinVariable(variables::GL_SUBGROUP_SIZE) => {
                Some(Const::Int(i128::from(at.subgroup_size)))
            }
            ExprKind::Unary { op, operand } => match (op, evaluate(*operand)?) {
                (UnaryOp::Plus, value) => Some(value),
                (UnaryOp::Negate, Const::Int(value)) => self.integer(-value, node.ty),
                (UnaryOp::BitNot, Const::Int(value)) => self.integer(!value, node.ty),
                (UnaryOp::Not, Const::Bool(value)) => Some(Const::Bool(!value)),
                _ => None,
            },
            ExprKind::Binary { op, left, right } => {
                let operands = (evaluate(*left)?, *right);
                match (op, operands) {
                    (BinaryOp::LogicalAnd, (Const::Bool(false), _)) => Some(Const::Bool(false)),
                    (BinaryOp::LogicalOr, (Const::Bool(true), _)) => Some(Const::Bool(true)),
                    (_, (Const::Bool(a), right)) => match (op, evaluate(right)?) {
                        (BinaryOp::LogicalAnd | BinaryOp::LogicalOr, b) => Some(b),
                        (BinaryOp::LogicalXor | BinaryOp::NotEqual, Const::Bool(b)) => {
                            Some(Const::Bool(a != b))
                        }
                        (BinaryOp::Equal, Const::Bool(b)) => Some(Const::Bool(a == b)),
                        _ => None,
                    },
                    (_, (Const::Int(a), right)) => {
                        let Const::Int(b) = evaluate(right)? else { return None };
                        let scalar = scalar(self.analysis, self.body.exprs[*left].ty)?;
                        match arithmetic::integers(*op, scalar, a, b) {
                            Const::Opaque { .. } => None,
                            value => Some(value),
                        }
                    }
                    _ => None,
                }
            }
            ExprKind::Conditional { condition, then, otherwise } => match evaluate(*condition)? {
                Const::Bool(true) => evaluate(*then),
                Const::Bool(false) => evaluate(*otherwise),
                _ => None,
            },
            ExprKind::Convert { operand } => self.converted(evaluate(*operand)?, node.ty),
            ExprKind::Construct { arguments } => match arguments.as_slice() {
                &[argument] => self.converted(evaluate(argument)?, node.ty),
                _ => None,
            },
            ExprKind::Call { callee: Callee::Function(function), arguments } => {
                let calls = calls.checked_sub(1)?;
                let (callee, result) = self.called(*function)?;
                let values: Option<Vec<Const>> =
                    arguments.iter().map(|&argument| evaluate(argument)).collect();
                let given: Vec<_> = callee.body.parameters.iter().copied().zip(values?).collect();
                callee.steps.set(self.steps.get());
                // Variables have numbers of their own in each body.
                let inside = At { element: None, ..*at };
                let value = callee.evaluate(result, &inside, &given, calls);
                self.steps.set(callee.steps.get());
                value
            }
            _ => None,
        }
    }

    fn constant(&self, constant: &Const, ty: Ty) -> Option<Const> {
        match constant {
            Const::Bool(_) | Const::Int(_) => Some(constant.clone()),
            Const::Symbolic(sym) => {
                let value = configured_value(self.analysis, *sym)?;
                match scalar(self.analysis, ty)? {
                    Scalar::Bool => Some(Const::Bool(value != 0)),
                    _ => self.integer(i128::from(value), ty),
                }
            }
            _ => None,
        }
    }

    fn converted(&self, value: Const, ty: Ty) -> Option<Const> {
        match (scalar(self.analysis, ty)?, value) {
            (Scalar::Bool, Const::Int(value)) => Some(Const::Bool(value != 0)),
            (Scalar::Bool, value @ Const::Bool(_)) => Some(value),
            (_, Const::Bool(value)) => self.integer(i128::from(value), ty),
            (_, Const::Int(value)) => self.integer(value, ty),
            _ => None,
        }
    }

    fn integer(&self, value: i128, ty: Ty) -> Option<Const> {
        let scalar = scalar(self.analysis, ty).filter(|scalar| scalar.is_integer())?;
        Some(Const::Int(arithmetic::wrap_integer(value, scalar)))
    }
}

pub fn scalar(analysis: &Analysis, ty: Ty) -> Option<Scalar> {
    match analysis.module.types.kind(ty) {
        TypeKind::Scalar(scalar) => Some(*scalar),
        _ => None,
    }
}
