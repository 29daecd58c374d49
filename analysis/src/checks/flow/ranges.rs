//! What is known of integers: between which values they lie, and which multiples they are off by a known rest.
//!
//! Variables are looked at as a whole: whatever is assigned to one anywhere in the function may be its value. Counters of
//! `for` loops with known bounds have the values that the loop gives them. That is enough for offsets and strides, whose
//! factors are written where they are computed. Everything is worked out when it is asked for.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::extensions::{self, ParameterDirection};
use crate::hir::{
    BinaryOp, Body, Callee, Condition, Const, ExprId, ExprKind, IncDec, LocalId, LocalSize, StmtId, StmtKind,
    UnaryOp,
};
use crate::symbolic::{Sym, SymKind};
use crate::types::{Scalar, Ty, Types};

/// What is known of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub low: i64,
    pub high: i64,
    /// The value is `rest` more than a multiple of `modulus`, a power of two; 1 where nothing is known. Wrapping keeps that.
    pub modulus: u64,
    pub rest: u64,
    /// Whether it reaches `low` and `high` for sure when the loops around it run to their ends.
    pub reached: bool,
}

const WHOLE: u64 = 1 << 32;

impl Number {
    fn exact(value: i64) -> Number {
        Number {
            low: value,
            high: value,
            modulus: WHOLE,
            rest: value.rem_euclid(WHOLE as i64) as u64,
            reached: true,
        }
    }

    fn any(low: i64, high: i64) -> Number {
        Number { low, high, modulus: 1, rest: 0, reached: false }
    }

    /// The largest power of two that divides all values.
    pub fn factor(self) -> u64 {
        if self.rest == 0 { self.modulus } else { self.modulus.min(1 << self.rest.trailing_zeros()) }
    }

    /// Whether no value times `scale` is a multiple of `alignment`, a power of two.
    pub fn never_aligned(self, scale: u64, alignment: u64) -> bool {
        let modulus = self.modulus.saturating_mul(scale);
        let common = 1u64 << modulus.trailing_zeros().min(alignment.trailing_zeros());
        !(self.rest.wrapping_mul(scale)).is_multiple_of(common)
    }

    pub fn is_exact(self) -> bool {
        self.low == self.high
    }

    fn congruent(self, modulus: u64, rest: u64) -> Number {
        let modulus = modulus.clamp(1, WHOLE);
        Number { modulus, rest: rest % modulus, ..self }
    }

    fn join(self, other: Number) -> Number {
        let difference = self.rest.abs_diff(other.rest);
        let common = if difference == 0 { WHOLE } else { 1 << difference.trailing_zeros() };
        let modulus = self.modulus.min(other.modulus).min(common);
        Number {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            modulus,
            rest: self.rest % modulus,
            reached: false,
        }
    }

    fn within(self, (low, high): (i64, i64)) -> Number {
        if self.low >= low && self.high <= high {
            return self;
        }
        // It wraps: the low bits are what they were.
        Number { low, high, reached: false, ..self }
    }
}

/// The integers that a type holds; 64 bits are taken as unknown ones of 32 and more.
fn bounds(scalar: Scalar) -> (i64, i64) {
    match scalar {
        Scalar::Int8 => (i64::from(i8::MIN), i64::from(i8::MAX)),
        Scalar::Int16 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        Scalar::Int32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Scalar::Uint8 => (0, i64::from(u8::MAX)),
        Scalar::Uint16 => (0, i64::from(u16::MAX)),
        Scalar::Uint32 => (0, i64::from(u32::MAX)),
        Scalar::Uint64 => (0, i64::MAX),
        Scalar::Bool => (0, 1),
        _ => (i64::MIN, i64::MAX),
    }
}

pub(super) struct Ranges<'b> {
    body: &'b Body,
    types: &'b Types,
    local_size: &'b LocalSize,
    /// The assignments to each local; `None` where one is not an expression of its own.
    assigned: FxHashMap<LocalId, Vec<Assignment>>,
    counters: FxHashMap<LocalId, Number>,
    known: FxHashMap<LocalId, Number>,
    active: FxHashSet<LocalId>,
}

#[derive(Clone, Copy)]
enum Assignment {
    Value(ExprId),
    Compound(BinaryOp, ExprId),
    Step,
    Unknown,
}

const MAX_DEPTH: u32 = 64;

impl<'b> Ranges<'b> {
    pub fn new(body: &'b Body, types: &'b Types, local_size: &'b LocalSize) -> Ranges<'b> {
        let mut ranges = Ranges {
            body,
            types,
            local_size,
            assigned: FxHashMap::default(),
            counters: FxHashMap::default(),
            known: FxHashMap::default(),
            active: FxHashSet::default(),
        };
        ranges.collect();
        ranges.collect_counters();
        ranges
    }

    fn collect(&mut self) {
        let body = self.body;
        for &parameter in &body.parameters {
            self.assigned.entry(parameter).or_default().push(Assignment::Unknown);
        }
        for (_, stmt) in body.stmts.iter() {
            match stmt.kind {
                StmtKind::Declare { local, initializer: Some(initializer) }
                | StmtKind::While { condition: Condition::Declare { local, initializer }, .. }
                | StmtKind::For { condition: Some(Condition::Declare { local, initializer }), .. } => {
                    self.assigned.entry(local).or_default().push(Assignment::Value(initializer));
                }
                _ => {}
            }
        }
        for (_, expr) in body.exprs.iter() {
            match &expr.kind {
                ExprKind::Assign { op, target, value } => {
                    let assignment = match (&body.exprs[*target].kind, op) {
                        (ExprKind::Local(_), None) => Assignment::Value(*value),
                        (ExprKind::Local(_), Some(op)) => Assignment::Compound(*op, *value),
                        _ => Assignment::Unknown,
                    };
                    self.assign(*target, assignment);
                }
                ExprKind::IncDec { operand, .. } => {
                    let assignment = match body.exprs[*operand].kind {
                        ExprKind::Local(_) => Assignment::Step,
                        _ => Assignment::Unknown,
                    };
                    self.assign(*operand, assignment);
                }
                ExprKind::Call { callee: Callee::Function(_), arguments } => {
                    // Which parameters are outputs is the module's to say; arguments that are no l-values assign nothing.
                    for &argument in arguments {
                        if matches!(body.exprs[argument].kind, ExprKind::Local(local) if body.locals[local].written)
                        {
                            self.assign(argument, Assignment::Unknown);
                        }
                    }
                }
                ExprKind::Call { callee: Callee::Builtin(function), arguments } => {
                    let parameters = extensions::function(*function).parameters;
                    for (&argument, parameter) in arguments.iter().zip(parameters) {
                        if parameter.direction != ParameterDirection::In {
                            self.assign(argument, Assignment::Unknown);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn assign(&mut self, target: ExprId, assignment: Assignment) {
        let mut target = target;
        loop {
            target = match &self.body.exprs[target].kind {
                ExprKind::Local(local) => {
                    self.assigned.entry(*local).or_default().push(assignment);
                    return;
                }
                ExprKind::Index { base, .. }
                | ExprKind::Member { base, .. }
                | ExprKind::Swizzle { base, .. } => *base,
                _ => return,
            };
        }
    }

    /// `for (uint i = A; i < B; i += C)` with an `i` that nothing else changes.
    fn collect_counters(&mut self) {
        for (_, stmt) in self.body.stmts.iter() {
            if let StmtKind::For {
                init: Some(init),
                condition: Some(Condition::Expr(test)),
                step: Some(step),
                ..
            } = &stmt.kind
                && let Some((local, number)) = self.counter(*init, *test, *step)
            {
                self.counters.insert(local, number);
            }
        }
    }

    fn counter(&mut self, init: StmtId, test: ExprId, step: ExprId) -> Option<(LocalId, Number)> {
        let body = self.body;
        let mut init = init;
        while let StmtKind::Block(statements) = &body.stmts[init].kind {
            let &[only] = statements.as_slice() else { return None };
            init = only;
        }
        let StmtKind::Declare { local, initializer: Some(first) } = body.stmts[init].kind else {
            return None;
        };
        let is_counter = |expr: ExprId| strip(body, expr).1 == Some(local);
        let by = match &body.exprs[step].kind {
            ExprKind::IncDec { op: IncDec::PreIncrement | IncDec::PostIncrement, operand }
                if is_counter(*operand) =>
            {
                Number::exact(1)
            }
            ExprKind::Assign { op: Some(BinaryOp::Add), target, value } if is_counter(*target) => {
                self.number(*value)
            }
            _ => return None,
        };
        if self.assigned.get(&local).map_or(0, Vec::len) != 2 || by.low < 1 {
            return None;
        }
        let ExprKind::Binary { op, left, right } = &body.exprs[test].kind else { return None };
        let (op, bound) = match op {
            BinaryOp::Less | BinaryOp::LessEqual if is_counter(*left) => (*op, *right),
            BinaryOp::Greater if is_counter(*right) => (BinaryOp::Less, *left),
            BinaryOp::GreaterEqual if is_counter(*right) => (BinaryOp::LessEqual, *left),
            _ => return None,
        };
        let (first, bound) = (self.number(first), self.number(bound));
        let last = if op == BinaryOp::Less { bound.high.checked_sub(1)? } else { bound.high };
        if last < first.low {
            return None;
        }
        let common = first.join(Number { low: first.low, high: first.high, ..by });
        let modulus = by.factor().min(first.modulus);
        let _ = common;
        let exact = first.is_exact() && by.is_exact() && bound.is_exact();
        let high = if exact { first.low + (last - first.low) / by.low * by.low } else { last };
        let number = Number { low: first.low, high, modulus: 1, rest: 0, reached: exact };
        Some((local, number.congruent(modulus, first.rest)))
    }

    pub fn number(&mut self, expr: ExprId) -> Number {
        self.at(expr, MAX_DEPTH)
    }

    /// Counters that an expression takes its value from, if it reaches its bounds by them.
    pub fn counters_in(&self, expr: ExprId) -> Vec<LocalId> {
        let mut found = Vec::new();
        crate::checks::walk::each_expression(self.body, expr, &mut |expr| {
            if let ExprKind::Local(local) = self.body.exprs[expr].kind {
                found.push(local);
            }
        });
        found
    }

    fn of_type(&self, ty: Ty) -> Number {
        let (low, high) = bounds(self.types.component(ty).unwrap_or(Scalar::Int64));
        Number::any(low, high)
    }

    fn at(&mut self, expr: ExprId, depth: u32) -> Number {
        let node = &self.body.exprs[expr];
        let whole = self.of_type(node.ty);
        let Some(depth) = depth.checked_sub(1) else { return whole };
        match &node.constant {
            Some(Const::Int(value)) => {
                return i64::try_from(*value)
                    .map_or(whole, |value| Number::exact(value).within((whole.low, whole.high)));
            }
            Some(Const::Symbolic(sym)) => return self.symbolic(*sym, whole),
            Some(_) => return whole,
            None => {}
        }
        let within = (whole.low, whole.high);
        match &node.kind {
            ExprKind::Local(local) => self.local(*local, whole, depth),
            ExprKind::BuiltinVariable(variable) => {
                match (extensions::variable_by_id(*variable).decoration, self.invocations()) {
                    ("SubgroupLocalInvocationId", _) => Number::any(0, 127),
                    ("LocalInvocationIndex", Some(size)) => Number::any(0, size - 1),
                    _ => whole,
                }
            }
            ExprKind::Convert { operand } => self.at(*operand, depth).within(within),
            ExprKind::Construct { arguments } => match arguments.as_slice() {
                &[argument] if self.is_integer(argument) && self.types.as_scalar(node.ty).is_some() => {
                    self.at(argument, depth).within(within)
                }
                _ => whole,
            },
            ExprKind::Unary { op: UnaryOp::Plus, operand } => self.at(*operand, depth),
            ExprKind::Binary { op, left, right } if self.types.as_scalar(node.ty).is_some() => {
                let (a, b) = (self.at(*left, depth), self.at(*right, depth));
                binary(*op, a, b, whole).within(within)
            }
            ExprKind::Conditional { then, otherwise, .. } => {
                self.at(*then, depth).join(self.at(*otherwise, depth))
            }
            ExprKind::Comma { right, .. } => self.at(*right, depth),
            _ => whole,
        }
    }

    fn is_integer(&self, expr: ExprId) -> bool {
        self.types.as_scalar(self.body.exprs[expr].ty).is_some_and(Scalar::is_integer)
    }

    fn invocations(&self) -> Option<i64> {
        self.local_size.range?;
        self.local_size.dims.iter().try_fold(1i64, |size, dimension| {
            if dimension.constant_id.is_some() {
                return None;
            }
            let value = dimension.value.map_or(Some(1), |value| self.types.symbols.as_int(value))?;
            size.checked_mul(value.max(1))
        })
    }

    /// A size with specialization constants: its known factors count, whatever they will be.
    fn symbolic(&self, sym: Sym, whole: Number) -> Number {
        match self.types.symbols.kind(sym) {
            SymKind::Int(value) => Number::exact(*value).within((whole.low, whole.high)),
            SymKind::Sum { terms, constant } => {
                let modulus = terms
                    .iter()
                    .map(|(_, coefficient)| 1u64 << coefficient.trailing_zeros().min(32))
                    .fold(WHOLE, u64::min);
                whole.congruent(modulus, constant.rem_euclid(WHOLE as i64) as u64)
            }
            SymKind::Spec(_) | SymKind::Apply(..) | SymKind::Unknown(_) => whole,
        }
    }

    fn local(&mut self, local: LocalId, whole: Number, depth: u32) -> Number {
        if let Some(&number) = self.counters.get(&local).or_else(|| self.known.get(&local)) {
            return number;
        }
        if self.types.as_scalar(self.body.locals[local].ty).is_none() || !self.active.insert(local) {
            return whole;
        }
        let assigned = self.assigned.get(&local).cloned().unwrap_or_default();
        let mut number: Option<Number> = None;
        for assignment in &assigned {
            let value = match assignment {
                Assignment::Value(value) => self.at(*value, depth),
                Assignment::Compound(..) | Assignment::Step => continue,
                Assignment::Unknown => whole,
            };
            number = Some(number.map_or(value, |known| known.join(value)));
        }
        let mut number = number.unwrap_or(whole);
        // What is added to it again and again keeps the low bits that it does not touch.
        for assignment in &assigned {
            let modulus = match assignment {
                Assignment::Value(_) | Assignment::Unknown => continue,
                Assignment::Step => 1,
                Assignment::Compound(BinaryOp::Add | BinaryOp::Sub, value) => self.at(*value, depth).factor(),
                Assignment::Compound(BinaryOp::Mul | BinaryOp::Shl, _) if number.rest == 0 => number.modulus,
                Assignment::Compound(..) => 1,
            };
            number = Number { low: whole.low, high: whole.high, reached: false, ..number };
            number = number.congruent(number.modulus.min(modulus), number.rest);
        }
        self.active.remove(&local);
        self.known.insert(local, number);
        number
    }
}

/// An expression without conversions, and the local that it is.
fn strip(body: &Body, expr: ExprId) -> (ExprId, Option<LocalId>) {
    let mut expr = expr;
    loop {
        match body.exprs[expr].kind {
            ExprKind::Convert { operand } => expr = operand,
            ExprKind::Local(local) => return (expr, Some(local)),
            _ => return (expr, None),
        }
    }
}

fn binary(op: BinaryOp, a: Number, b: Number, whole: Number) -> Number {
    let reached = a.reached && b.reached && (a.is_exact() || b.is_exact());
    let interval = |low: Option<i64>, high: Option<i64>| match (low, high) {
        (Some(low), Some(high)) => Number { low, high, modulus: 1, rest: 0, reached },
        _ => whole,
    };
    match op {
        BinaryOp::Add => interval(a.low.checked_add(b.low), a.high.checked_add(b.high))
            .congruent(a.modulus.min(b.modulus), a.rest.wrapping_add(b.rest)),
        BinaryOp::Sub => {
            let modulus = a.modulus.min(b.modulus);
            interval(a.low.checked_sub(b.high), a.high.checked_sub(b.low))
                .congruent(modulus, a.rest.wrapping_add(WHOLE).wrapping_sub(b.rest))
        }
        BinaryOp::Mul => product(a, b, whole, reached),
        BinaryOp::Shl if b.is_exact() && (0..=31).contains(&b.low) => {
            product(a, Number::exact(1 << b.low), whole, reached)
        }
        BinaryOp::Div | BinaryOp::Shr if b.is_exact() && a.low >= 0 => {
            let divisor = match op {
                BinaryOp::Shr if (0..=31).contains(&b.low) => 1i64 << b.low,
                BinaryOp::Div if b.low > 0 => b.low,
                _ => return whole,
            };
            let number =
                Number { low: a.low / divisor, high: a.high / divisor, modulus: 1, rest: 0, reached };
            let power = divisor as u64;
            if power.is_power_of_two() && a.modulus >= power {
                number.congruent(a.modulus / power, a.rest / power)
            } else {
                number
            }
        }
        BinaryOp::Rem if b.is_exact() && b.low > 0 && a.low >= 0 => remainder(a, b.low),
        BinaryOp::BitAnd if a.is_exact() && a.low >= 0 => mask(b, a.low),
        BinaryOp::BitAnd if b.is_exact() && b.low >= 0 => mask(a, b.low),
        _ => whole,
    }
}

fn product(a: Number, b: Number, whole: Number, reached: bool) -> Number {
    let corners =
        [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)].map(|(a, b)| a.checked_mul(b));
    let number = match corners {
        [Some(p), Some(q), Some(r), Some(s)] => {
            Number { low: p.min(q).min(r).min(s), high: p.max(q).max(r).max(s), modulus: 1, rest: 0, reached }
        }
        _ => whole,
    };
    let power = |value: u64| if value == 0 { 64 } else { value.trailing_zeros() };
    let (am, bm) = (a.modulus.trailing_zeros(), b.modulus.trailing_zeros());
    let exponent = (am + bm).min(am + power(b.rest)).min(bm + power(a.rest)).min(32);
    number.congruent(1 << exponent, a.rest.wrapping_mul(b.rest))
}

fn remainder(a: Number, divisor: i64) -> Number {
    let number = if a.high < divisor {
        return a;
    } else {
        Number::any(0, divisor - 1)
    };
    let power = divisor as u64;
    if power.is_power_of_two() && a.modulus >= power {
        return Number { reached: false, ..Number::exact((a.rest % power) as i64) };
    }
    // A multiple of the modulus stays one when the divisor is one too.
    let common = a.modulus.min(1 << power.trailing_zeros());
    number.congruent(common, a.rest)
}

fn mask(a: Number, mask: i64) -> Number {
    let low_zeros = (mask as u64).trailing_zeros().min(32);
    Number { high: mask.min(if a.low >= 0 { a.high } else { mask }), ..Number::any(0, mask) }
        .congruent(1u64 << low_zeros, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_survive_sums_and_products() {
        let any = Number::any(0, i64::from(u32::MAX));
        let by_four = product(any, Number::exact(4), any, false);
        assert_eq!((by_four.modulus, by_four.rest), (4, 0));
        let off = binary(BinaryOp::Add, by_four, Number::exact(6), any);
        assert_eq!((off.modulus, off.rest), (4, 2));
        assert!(off.never_aligned(2, 16) && !off.never_aligned(4, 8));
        assert_eq!(binary(BinaryOp::Div, by_four, Number::exact(4), any).high, i64::from(u32::MAX));
    }

    #[test]
    fn remainders_are_bounded() {
        let any = Number::any(0, 1000);
        assert_eq!(remainder(any, 16), Number::any(0, 15));
        assert_eq!(mask(any, 0xf0).factor(), 16);
        assert_eq!(mask(any, 0xf0).high, 240);
    }

    #[test]
    fn joins_keep_what_is_common() {
        let joined = Number::exact(4).join(Number::exact(12));
        assert_eq!((joined.low, joined.high, joined.modulus, joined.rest), (4, 12, 8, 4));
    }
}
