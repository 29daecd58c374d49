//! Integers as each invocation of a workgroup has them: a number that is known, plus multiples of numbers that are not known but the
//! same in all invocations.
//!
//! `gl_LocalInvocationIndex * stride + 3`, with a push constant `stride`, is 3 plus 0, 1, 2... times the atom of `stride`. Two values are
//! surely equal when both parts are.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::hir::{BinaryOp, GlobalId};
use crate::symbolic::Sym;
use crate::types::Scalar;

/// A number that is the same in all invocations, by its place in [`Atoms`].
pub(super) type Atom = u32;

/// What a lane has of which nothing is known.
const HOLE: i64 = i64::MIN;

/// A number of each lane.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Lanes {
    Same(i64),
    Each(Rc<[i64]>),
}

impl Lanes {
    pub fn get(&self, lane: usize) -> i64 {
        match self {
            Lanes::Same(value) => *value,
            Lanes::Each(values) => values.get(lane).copied().unwrap_or(HOLE),
        }
    }

    fn map(&self, of: impl Fn(i64) -> i64) -> Lanes {
        let of = |value: i64| if value == HOLE { HOLE } else { of(value) };
        match self {
            Lanes::Same(value) => Lanes::Same(of(*value)),
            Lanes::Each(values) => Lanes::Each(values.iter().map(|&value| of(value)).collect()),
        }
    }

    fn zip(&self, other: &Lanes, of: impl Fn(i64, i64) -> i64) -> Lanes {
        let of = |a: i64, b: i64| if a == HOLE || b == HOLE { HOLE } else { of(a, b) };
        match (self, other) {
            (Lanes::Same(a), Lanes::Same(b)) => Lanes::Same(of(*a, *b)),
            (Lanes::Same(a), Lanes::Each(b)) => Lanes::Each(b.iter().map(|&b| of(*a, b)).collect()),
            (Lanes::Each(a), Lanes::Same(b)) => Lanes::Each(a.iter().map(|&a| of(a, *b)).collect()),
            (Lanes::Each(a), Lanes::Each(b)) => {
                Lanes::Each(a.iter().zip(b.iter()).map(|(&a, &b)| of(a, b)).collect())
            }
        }
    }

    fn is_zero(&self) -> bool {
        match self {
            Lanes::Same(value) => *value == 0,
            Lanes::Each(values) => values.iter().all(|&value| value == 0),
        }
    }
}

/// An integer or a truth value, in each lane.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Value {
    pub base: Lanes,
    /// Atoms and what they are multiplied with, sorted by atom.
    pub terms: Vec<(Atom, Lanes)>,
}

/// What an atom is: equal ones are one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum AtomKind {
    /// A specialization constant, or what is computed from some.
    Symbol(Sym),
    /// A number that a device or a dispatch has.
    Builtin(&'static str, u8),
    /// A place in memory that nobody writes.
    Memory(GlobalId, Vec<Uniform>),
    /// What comes out of an operation.
    Operation(Operation, Vec<Uniform>),
    /// Nothing is known of it.
    Fresh(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    Binary(BinaryOp),
    Select,
    /// A built-in function, by its number.
    Function(u16, u8),
}

/// A value that is the same in all lanes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Uniform {
    constant: i64,
    terms: Vec<(Atom, i64)>,
}

/// The interner of atoms.
#[derive(Default)]
pub(super) struct Atoms {
    known: FxHashMap<AtomKind, Atom>,
    fresh: u32,
}

impl Atoms {
    pub fn atom(&mut self, kind: AtomKind) -> Atom {
        let next = self.known.len() as Atom;
        *self.known.entry(kind).or_insert(next)
    }

    pub fn of(&mut self, kind: AtomKind) -> Value {
        let atom = self.atom(kind);
        Value { base: Lanes::Same(0), terms: vec![(atom, Lanes::Same(1))] }
    }

    pub fn fresh(&mut self) -> Atom {
        self.fresh += 1;
        let number = self.fresh;
        self.atom(AtomKind::Fresh(number))
    }

    pub fn fresh_value(&mut self) -> Value {
        let atom = self.fresh();
        Value { base: Lanes::Same(0), terms: vec![(atom, Lanes::Same(1))] }
    }
}

/// A truth value, as far as it is known.
pub(super) enum Truth {
    /// In each lane.
    Known(Lanes),
    /// One for all lanes: the atom, or its opposite.
    Atom(Atom, bool),
}

impl Value {
    pub const UNKNOWN: Value = Value { base: Lanes::Same(HOLE), terms: Vec::new() };

    pub fn exact(value: i64) -> Value {
        Value { base: Lanes::Same(value), terms: Vec::new() }
    }

    pub fn each(values: impl Iterator<Item = Option<i64>>) -> Value {
        Value { base: Lanes::Each(values.map(|value| value.unwrap_or(HOLE)).collect()), terms: Vec::new() }
    }

    pub fn is_unknown(&self) -> bool {
        self.base == Lanes::Same(HOLE)
    }

    /// The value, where it is a number that all lanes have.
    pub fn as_exact(&self) -> Option<i64> {
        match self.base {
            Lanes::Same(value) if value != HOLE && self.terms.is_empty() => Some(value),
            _ => None,
        }
    }

    pub fn uniform(&self) -> Option<Uniform> {
        let Lanes::Same(constant) = self.base else { return None };
        if constant == HOLE {
            return None;
        }
        let terms: Option<Vec<(Atom, i64)>> = self
            .terms
            .iter()
            .map(|(atom, factor)| match factor {
                Lanes::Same(factor) if *factor != HOLE => Some((*atom, *factor)),
                _ => None,
            })
            .collect();
        Some(Uniform { constant, terms: terms? })
    }

    /// Whether a lane's value is known.
    pub fn knows(&self, lane: usize) -> bool {
        self.base.get(lane) != HOLE && self.terms.iter().all(|(_, factor)| factor.get(lane) != HOLE)
    }

    /// The difference of two lanes' values, where the unknown parts are the same.
    pub fn difference(&self, lane: usize, other: &Value, other_lane: usize) -> Option<i64> {
        if !self.knows(lane) || !other.knows(other_lane) {
            return None;
        }
        let mine = self.terms.iter().map(|(atom, factor)| (*atom, factor.get(lane)));
        let theirs = other.terms.iter().map(|(atom, factor)| (*atom, factor.get(other_lane)));
        let mine = mine.filter(|(_, factor)| *factor != 0);
        let theirs = theirs.filter(|(_, factor)| *factor != 0);
        mine.eq(theirs).then(|| self.base.get(lane).wrapping_sub(other.base.get(other_lane)))
    }

    /// A lane's value as numbers that are equal where the values are.
    pub fn each_number(&self, lane: usize, mut take: impl FnMut(u64)) {
        // Where it begins, since there may be several.
        take(u64::MAX);
        take(self.base.get(lane) as u64);
        for (atom, factor) in &self.terms {
            let factor = factor.get(lane);
            if factor != 0 {
                take(u64::from(*atom) + 1);
                take(factor as u64);
            }
        }
    }

    fn without_zeros(mut self) -> Value {
        self.terms.retain(|(_, factor)| !factor.is_zero());
        self
    }

    fn wrapped(mut self, scalar: Option<Scalar>) -> Value {
        let wrap = |value: i64| match scalar {
            Some(Scalar::Uint32) if self.terms.is_empty() => i64::from(value as u32),
            Some(Scalar::Int32 | Scalar::Uint32) => i64::from(value as i32),
            Some(Scalar::Uint16) if self.terms.is_empty() => i64::from(value as u16),
            Some(Scalar::Int16) if self.terms.is_empty() => i64::from(value as i16),
            Some(Scalar::Uint8) if self.terms.is_empty() => i64::from(value as u8),
            Some(Scalar::Int8) if self.terms.is_empty() => i64::from(value as i8),
            _ => value,
        };
        self.base = self.base.map(wrap);
        self
    }

    /// The value as another type has it.
    pub fn converted(self, scalar: Option<Scalar>) -> Value {
        match scalar {
            Some(scalar) if scalar.is_float() => Value::UNKNOWN,
            Some(Scalar::Bool) => {
                if self.terms.is_empty() {
                    Value { base: self.base.map(|value| i64::from(value != 0)), terms: Vec::new() }
                } else {
                    Value::UNKNOWN
                }
            }
            scalar => self.wrapped(scalar),
        }
    }

    fn add(&self, other: &Value, factor: i64) -> Value {
        let mut terms: Vec<(Atom, Lanes)> = self.terms.clone();
        for (atom, more) in &other.terms {
            let more = more.map(|value| value.wrapping_mul(factor));
            match terms.binary_search_by_key(atom, |(atom, _)| *atom) {
                Ok(index) => {
                    if let Some((_, lanes)) = terms.get_mut(index) {
                        *lanes = lanes.zip(&more, i64::wrapping_add);
                    }
                }
                Err(index) => terms.insert(index, (*atom, more)),
            }
        }
        let base = self.base.zip(&other.base, |a, b| a.wrapping_add(b.wrapping_mul(factor)));
        Value { base, terms }.without_zeros()
    }

    /// `1 - value`, for truth values.
    pub fn negated(&self) -> Value {
        Value::exact(1).add(self, -1)
    }

    pub fn truth(&self) -> Truth {
        if self.terms.is_empty() {
            return Truth::Known(self.base.clone());
        }
        match (&self.base, self.terms.as_slice()) {
            (Lanes::Same(0), [(atom, Lanes::Same(1))]) => Truth::Atom(*atom, true),
            (Lanes::Same(1), [(atom, Lanes::Same(-1))]) => Truth::Atom(*atom, false),
            _ => Truth::Known(Lanes::Same(HOLE)),
        }
    }

    /// What is known whichever of the two values it is.
    pub fn merge(&self, other: &Value, lanes: usize, atoms: &mut Atoms) -> Value {
        if self == other {
            return self.clone();
        }
        if self.uniform().is_some() && other.uniform().is_some() {
            return atoms.fresh_value();
        }
        self.choose(other, lanes, |_| None)
    }

    /// In each lane this value, the other one, or - where `first` does not know - what is known of both.
    pub fn choose(&self, other: &Value, lanes: usize, first: impl Fn(usize) -> Option<bool>) -> Value {
        if self == other {
            return self.clone();
        }
        let pick = |lane: usize| match first(lane) {
            None if self.difference(lane, other, lane) == Some(0) => Some(true),
            first => first,
        };
        let picked: Vec<Option<bool>> = (0..lanes).map(pick).collect();
        let of = |mine: &dyn Fn(usize) -> i64, theirs: &dyn Fn(usize) -> i64| {
            let of = |(lane, picked): (usize, &Option<bool>)| match picked {
                Some(true) => mine(lane),
                Some(false) => theirs(lane),
                None => HOLE,
            };
            Lanes::Each(picked.iter().enumerate().map(of).collect())
        };
        let base = of(&|lane| self.base.get(lane), &|lane| other.base.get(lane));
        let mut all: Vec<Atom> = self.terms.iter().chain(&other.terms).map(|(atom, _)| *atom).collect();
        all.sort_unstable();
        all.dedup();
        let factor = |value: &Value, atom: Atom, lane: usize| {
            let term = value.terms.iter().find(|(known, _)| *known == atom);
            term.map_or(0, |(_, factor)| factor.get(lane))
        };
        let terms = all
            .into_iter()
            .map(|atom| (atom, of(&|lane| factor(self, atom, lane), &|lane| factor(other, atom, lane))))
            .collect();
        Value { base, terms }.without_zeros()
    }
}

/// What a comparison says. Equal questions get equal atoms: `k + 16 < n` and `k < n - 16`, `a < b` and the opposite of `b <= a`.
fn compare(op: BinaryOp, left: &Value, right: &Value, atoms: &mut Atoms) -> Value {
    let truth = |holds: bool| i64::from(holds);
    let difference = left.add(right, -1);
    if difference.terms.is_empty() {
        let (a, b) = if left.terms.is_empty() && right.terms.is_empty() {
            (left.base.clone(), right.base.clone())
        } else {
            (difference.base, Lanes::Same(0))
        };
        let base = match op {
            BinaryOp::Less => a.zip(&b, |a, b| truth(a < b)),
            BinaryOp::LessEqual => a.zip(&b, |a, b| truth(a <= b)),
            BinaryOp::Greater => a.zip(&b, |a, b| truth(a > b)),
            BinaryOp::GreaterEqual => a.zip(&b, |a, b| truth(a >= b)),
            BinaryOp::Equal => a.zip(&b, |a, b| truth(a == b)),
            _ => a.zip(&b, |a, b| truth(a != b)),
        };
        return Value { base, terms: Vec::new() };
    }
    let (way, opposite) = match op {
        BinaryOp::Less => (difference, false),
        BinaryOp::Greater => (right.add(left, -1), false),
        BinaryOp::LessEqual => (right.add(left, -1), true),
        BinaryOp::GreaterEqual => (difference, true),
        op => {
            // `a == b` is `b == a`.
            let negative = matches!(difference.terms.first(), Some((_, Lanes::Same(factor))) if *factor < 0);
            (if negative { right.add(left, -1) } else { difference }, op != BinaryOp::Equal)
        }
    };
    let Some(uniform) = way.uniform() else { return Value::UNKNOWN };
    let op =
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) { BinaryOp::Equal } else { BinaryOp::Less };
    let value = atoms.of(AtomKind::Operation(Operation::Binary(op), vec![uniform]));
    if opposite { value.negated() } else { value }
}

/// What an operator makes of two integers or truth values of the type `scalar`.
pub(super) fn binary(
    op: BinaryOp,
    left: &Value,
    right: &Value,
    scalar: Option<Scalar>,
    atoms: &mut Atoms,
) -> Value {
    match op {
        BinaryOp::LogicalAnd | BinaryOp::LogicalOr => return logical(op, left, right, atoms),
        _ if left.is_unknown() || right.is_unknown() => return Value::UNKNOWN,
        BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual
        | BinaryOp::Equal
        | BinaryOp::NotEqual => return compare(op, left, right, atoms),
        BinaryOp::LogicalXor => return compare(BinaryOp::NotEqual, left, right, atoms),
        BinaryOp::Add => return left.add(right, 1).wrapped(scalar),
        BinaryOp::Sub => return left.add(right, -1).wrapped(scalar),
        _ => {}
    }
    if left.terms.is_empty() && right.terms.is_empty() {
        let unsigned =
            matches!(scalar, Some(Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint32 | Scalar::Uint64));
        let of = move |a: i64, b: i64| match op {
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::Div if b != 0 => a.wrapping_div(b),
            BinaryOp::Rem if b > 0 && a >= 0 => a % b,
            BinaryOp::Shl if (0..32).contains(&b) => a.wrapping_shl(b as u32),
            BinaryOp::Shr if (0..32).contains(&b) && (unsigned || a >= 0) => a.wrapping_shr(b as u32),
            BinaryOp::BitAnd => a & b,
            BinaryOp::BitOr => a | b,
            BinaryOp::BitXor => a ^ b,
            _ => HOLE,
        };
        return Value { base: left.base.zip(&right.base, of), terms: Vec::new() }.wrapped(scalar);
    }
    if op == BinaryOp::Mul
        && let Some(product) = product(left, right).or_else(|| product(right, left))
    {
        return product.wrapped(scalar);
    }
    if let (BinaryOp::Shl, Some(by @ 0..=31)) = (op, right.as_exact()) {
        let factor = Value::exact(1 << by);
        return product(left, &factor).unwrap_or(Value::UNKNOWN).wrapped(scalar);
    }
    if let (Some(a), Some(b)) = (left.uniform(), right.uniform()) {
        return atoms.of(AtomKind::Operation(Operation::Binary(op), vec![a, b]));
    }
    if matches!(op, BinaryOp::Div | BinaryOp::Rem) && left.terms.is_empty() {
        return Value { base: left.base.map(|value| if value == 0 { 0 } else { HOLE }), terms: Vec::new() };
    }
    Value::UNKNOWN
}

/// A product of which one factor is known in each lane.
fn product(left: &Value, factor: &Value) -> Option<Value> {
    if !factor.terms.is_empty() {
        return None;
    }
    let scale = |lanes: &Lanes| lanes.zip(&factor.base, i64::wrapping_mul);
    let terms = left.terms.iter().map(|(atom, lanes)| (*atom, scale(lanes))).collect();
    Some(Value { base: scale(&left.base), terms }.without_zeros())
}

fn logical(op: BinaryOp, left: &Value, right: &Value, atoms: &mut Atoms) -> Value {
    // What decides the result whatever the other operand is.
    let decisive = i64::from(op == BinaryOp::LogicalOr);
    let other = 1 - decisive;
    match (left.as_exact(), right.as_exact()) {
        (Some(known), _) if known == decisive => return left.clone(),
        (_, Some(known)) if known == decisive => return right.clone(),
        (Some(_), _) => return right.clone(),
        (_, Some(_)) => return left.clone(),
        _ => {}
    }
    if let (Some(a), Some(b)) = (left.uniform(), right.uniform()) {
        if a == b {
            return left.clone();
        }
        return atoms.of(AtomKind::Operation(Operation::Binary(op), vec![a, b]));
    }
    let count = |value: &Value| match &value.base {
        Lanes::Each(lanes) => lanes.len(),
        Lanes::Same(_) => 0,
    };
    let known = |value: &Value, lane: usize| if value.terms.is_empty() { value.base.get(lane) } else { HOLE };
    let lanes =
        (0..count(left).max(count(right))).map(|lane| match (known(left, lane), known(right, lane)) {
            (a, b) if a == decisive || b == decisive => Some(decisive),
            (a, b) if a == other && b == other => Some(other),
            _ => None,
        });
    if count(left).max(count(right)) == 0 { Value::UNKNOWN } else { Value::each(lanes) }
}

/// `condition ? then : otherwise`
pub(super) fn select(
    condition: &Value,
    then: &Value,
    otherwise: &Value,
    lanes: usize,
    atoms: &mut Atoms,
) -> Value {
    match condition.truth() {
        Truth::Known(Lanes::Same(value)) if value != HOLE => {
            if value != 0 {
                then.clone()
            } else {
                otherwise.clone()
            }
        }
        Truth::Known(known) => then.choose(otherwise, lanes, |lane| match known.get(lane) {
            HOLE => None,
            value => Some(value != 0),
        }),
        Truth::Atom(atom, holds) => {
            let (then, otherwise) = if holds { (then, otherwise) } else { (otherwise, then) };
            match (then.uniform(), otherwise.uniform()) {
                _ if then == otherwise => then.clone(),
                (Some(a), Some(b)) => {
                    let chooser = Uniform { constant: 0, terms: vec![(atom, 1)] };
                    atoms.of(AtomKind::Operation(Operation::Select, vec![chooser, a, b]))
                }
                _ => Value::UNKNOWN,
            }
        }
    }
}

/// Which lanes a truth value holds in, does not hold in, and may hold in.
pub(super) fn lane_truth(known: &Lanes, lane: usize) -> Option<bool> {
    match known.get(lane) {
        HOLE => None,
        value => Some(value != 0),
    }
}
