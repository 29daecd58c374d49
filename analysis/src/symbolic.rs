//! Symbolic integers: sizes that depend on specialization constants, in a normal form, so that equal expressions are equal.
//!
//! A symbol is a polynomial over atoms with coefficients that wrap at 32 bits, as GLSL's `int` and `uint` do. Atoms are
//! specialization constants and the operations that a polynomial cannot hold (division, shifts by a symbol, comparisons,
//! selection). `2 * TM`, `TM + TM` and `TM << 1` are one symbol; `BK / 2` is an atom with the operands `BK` and `2`.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

/// An interned symbolic integer (or boolean, as 0 and 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sym(u32);

/// A specialization constant as an atom: its name tells users, its id and default give values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SpecAtom {
    /// As the text has it; `NAME.x` for a component.
    pub name: SmolStr,
    /// `constant_id`; `None` for a built-in such as `gl_WorkGroupSize.x`.
    pub id: Option<u32>,
    /// Whether it is an `int`; unsigned and `bool` otherwise.
    pub signed: bool,
    /// Its value where specialization gives none; `None` where that is not known.
    pub default: Option<i64>,
}

impl SpecAtom {
    /// `y` for the atom `gl_WorkGroupSize.y`, where `variable` is `gl_WorkGroupSize`.
    pub fn component_of(&self, variable: &str) -> Option<&str> {
        self.name.strip_prefix(variable)?.strip_prefix('.')
    }
}

/// Operations that a polynomial cannot hold. Operands are 32-bit integers; truth values are 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SymOp {
    /// `int / int`, towards zero; no value for a divisor of 0.
    DivSigned,
    /// `uint / uint`; no value for a divisor of 0.
    DivUnsigned,
    /// `int % int` with the sign of the dividend; no value for a divisor of 0.
    RemSigned,
    /// `uint % uint`; no value for a divisor of 0.
    RemUnsigned,
    /// `a << b`; no value for 32 and more.
    Shl,
    /// `int >> b`; no value for 32 and more.
    ShrArithmetic,
    /// `uint >> b`; no value for 32 and more.
    ShrLogical,
    /// `a & b`
    BitAnd,
    /// `a | b`
    BitOr,
    /// `a ^ b`
    BitXor,
    /// `~a`
    BitNot,
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `int < int`
    LessSigned,
    /// `uint < uint`
    LessUnsigned,
    /// `int <= int`
    LessEqualSigned,
    /// `uint <= uint`
    LessEqualUnsigned,
    /// `a && b`
    LogicalAnd,
    /// `a || b`
    LogicalOr,
    /// `a ^^ b`
    LogicalXor,
    /// `!a`
    LogicalNot,
    /// condition, then, else
    Select,
    /// `min` of `int`.
    MinSigned,
    /// `min` of `uint`.
    MinUnsigned,
    /// `max` of `int`.
    MaxSigned,
    /// `max` of `uint`.
    MaxUnsigned,
    /// A conversion to a narrower or wider integer or to bool, which the operand names.
    ToBool,
}

/// A product of atoms, sorted.
pub type Monomial = Box<[Sym]>;

/// What a symbol is, in normal form: equal kinds are one symbol.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SymKind {
    /// A value, from the least `int` to the greatest `uint`.
    Int(i64),
    /// A specialization constant.
    Spec(SpecAtom),
    /// `constant + sum of coefficient * monomial`, at least one term; a lone atom with coefficient 1 and constant 0 is the atom itself.
    Sum {
        /// Products of atoms with their factors, sorted by product, at most 64; no factor is 0.
        terms: Box<[(Monomial, i64)]>,
        /// What is added to them.
        constant: i64,
    },
    /// An operation, with operands of which one at least is no `Int`; those of a commutative operation are
    /// sorted.
    Apply(SymOp, Box<[Sym]>),
    /// A value that is constant but of which nothing is known, told apart by a number: equal only to itself.
    Unknown(u32),
}

/// The interner of symbols. It only grows; symbols of one interner mean nothing in another, unless that was
/// cloned from it.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    kinds: Vec<SymKind>,
    /// Of each symbol, by its number.
    facts: Vec<Facts>,
    by_kind: FxHashMap<SymKind, Sym>,
    unknowns: u32,
    /// What the shader calls values that are computed of specialization constants.
    names: FxHashMap<Sym, SmolStr>,
}

/// What is worked out once for each symbol, because symbols share their parts: following every path into one takes forever.
#[derive(Clone, Copy, Debug)]
struct Facts {
    depth: u32,
    /// Whether something of which nothing is known is part of it.
    has_unknown: bool,
}

/// Bounds how deeply operations nest: past it a symbol is unknown.
const MAX_DEPTH: u32 = 64;

/// Larger masks are read by their bits.
const LARGEST_DECIMAL_MASK: i64 = 255;

/// Bounds the size of one polynomial: past it the result is an atom of its own.
const MAX_TERMS: usize = 64;

/// Values wrap as 32-bit integers do; signed and unsigned values that fit are kept as written.
fn wrap(value: i64) -> i64 {
    if (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&value) { value } else { i64::from(value as i32) }
}

fn signed(value: i64) -> i32 {
    value as i32
}

fn unsigned(value: i64) -> u32 {
    value as u32
}

impl Symbols {
    fn intern(&mut self, kind: SymKind) -> Sym {
        if let Some(&sym) = self.by_kind.get(&kind) {
            return sym;
        }
        let facts = self.facts_of(&kind);
        if facts.depth > MAX_DEPTH {
            return self.unknown();
        }
        let sym = Sym(self.kinds.len() as u32);
        self.kinds.push(kind.clone());
        self.facts.push(facts);
        self.by_kind.insert(kind, sym);
        sym
    }

    fn facts_of(&self, kind: &SymKind) -> Facts {
        let leaf = |has_unknown| Facts { depth: 0, has_unknown };
        let over = |parts: &mut dyn Iterator<Item = &Sym>| {
            parts.fold(leaf(false), |all, part| {
                let part = self.facts.get(part.0 as usize).copied().unwrap_or(leaf(false));
                Facts {
                    depth: all.depth.max(part.depth + 1),
                    has_unknown: all.has_unknown || part.has_unknown,
                }
            })
        };
        match kind {
            SymKind::Int(_) | SymKind::Spec(_) => leaf(false),
            SymKind::Unknown(_) => leaf(true),
            SymKind::Sum { terms, .. } => over(&mut terms.iter().flat_map(|(monomial, _)| monomial.iter())),
            SymKind::Apply(_, operands) => over(&mut operands.iter()),
        }
    }

    /// Whether something of which nothing is known is part of it, so that it may equal anything.
    pub fn has_unknown(&self, sym: Sym) -> bool {
        self.facts.get(sym.0 as usize).is_some_and(|facts| facts.has_unknown)
    }

    /// Whether it is a polynomial over specialization constants alone: then no other form of it is equal to it.
    pub fn is_polynomial(&self, sym: Sym) -> bool {
        match self.kind(sym) {
            SymKind::Int(_) | SymKind::Spec(_) => true,
            SymKind::Sum { terms, .. } => terms
                .iter()
                .flat_map(|(monomial, _)| monomial.iter())
                .all(|&atom| matches!(self.kind(atom), SymKind::Spec(_))),
            SymKind::Apply(..) | SymKind::Unknown(_) => false,
        }
    }

    /// What a symbol is. `sym` has to be of this interner.
    pub fn kind(&self, sym: Sym) -> &SymKind {
        &self.kinds[sym.0 as usize]
    }

    /// A value, wrapped to 32 bits unless it is in the range of `int` or `uint`.
    pub fn int(&mut self, value: i64) -> Sym {
        self.intern(SymKind::Int(wrap(value)))
    }

    /// A specialization constant. Equal atoms are one symbol.
    pub fn spec(&mut self, atom: SpecAtom) -> Sym {
        self.intern(SymKind::Spec(atom))
    }

    /// A constant of which nothing is known.
    pub fn unknown(&mut self) -> Sym {
        self.unknowns += 1;
        self.intern(SymKind::Unknown(self.unknowns))
    }

    /// The value, when it does not depend on specialization.
    pub fn as_int(&self, sym: Sym) -> Option<i64> {
        match self.kind(sym) {
            SymKind::Int(value) => Some(*value),
            _ => None,
        }
    }

    fn polynomial(&self, sym: Sym) -> (Vec<(Monomial, i64)>, i64) {
        match self.kind(sym) {
            SymKind::Int(value) => (Vec::new(), *value),
            SymKind::Sum { terms, constant } => (terms.to_vec(), *constant),
            _ => (vec![(Box::new([sym]) as Monomial, 1)], 0),
        }
    }

    fn normalize(&mut self, mut terms: Vec<(Monomial, i64)>, constant: i64) -> Sym {
        terms.sort_by(|a, b| a.0.cmp(&b.0));
        let mut merged: Vec<(Monomial, i64)> = Vec::with_capacity(terms.len());
        for (monomial, coefficient) in terms {
            match merged.last_mut() {
                Some(last) if last.0 == monomial => last.1 = wrap(last.1.wrapping_add(coefficient)),
                _ => merged.push((monomial, coefficient)),
            }
        }
        merged.retain(|(_, coefficient)| *coefficient as u32 != 0);
        let constant = wrap(constant);
        if merged.is_empty() {
            return self.int(constant);
        }
        if let ([(monomial, 1)], 0) = (merged.as_slice(), constant)
            && let [atom] = **monomial
        {
            return atom;
        }
        if merged.len() > MAX_TERMS {
            return self.unknown();
        }
        self.intern(SymKind::Sum { terms: merged.into(), constant })
    }

    /// `a + b`, wrapping at 32 bits; unknown past 64 terms.
    pub fn add(&mut self, a: Sym, b: Sym) -> Sym {
        let (mut terms, constant) = self.polynomial(a);
        let (more, other) = self.polynomial(b);
        terms.extend(more);
        self.normalize(terms, constant.wrapping_add(other))
    }

    /// `-a`, wrapping at 32 bits.
    pub(crate) fn neg(&mut self, a: Sym) -> Sym {
        let (mut terms, constant) = self.polynomial(a);
        for (_, coefficient) in &mut terms {
            *coefficient = wrap(coefficient.wrapping_neg());
        }
        self.normalize(terms, constant.wrapping_neg())
    }

    /// `a - b`, wrapping at 32 bits; unknown past 64 terms.
    pub fn sub(&mut self, a: Sym, b: Sym) -> Sym {
        let negated = self.neg(b);
        self.add(a, negated)
    }

    /// `a * b`, wrapping at 32 bits; unknown past 64 terms or factors.
    pub fn mul(&mut self, a: Sym, b: Sym) -> Sym {
        let (left, left_constant) = self.polynomial(a);
        let (right, right_constant) = self.polynomial(b);
        if (left.len() + 1) * (right.len() + 1) > MAX_TERMS {
            return self.unknown();
        }
        let mut terms = Vec::new();
        for (monomial, coefficient) in &left {
            for (other, factor) in &right {
                let mut product: Vec<Sym> = monomial.iter().chain(other.iter()).copied().collect();
                if product.len() > MAX_TERMS {
                    return self.unknown();
                }
                product.sort();
                terms.push((product.into(), wrap(coefficient.wrapping_mul(*factor))));
            }
            terms.push((monomial.clone(), wrap(coefficient.wrapping_mul(right_constant))));
        }
        for (other, factor) in right {
            terms.push((other, wrap(factor.wrapping_mul(left_constant))));
        }
        self.normalize(terms, left_constant.wrapping_mul(right_constant))
    }

    /// Any other operation: folded when its operands are known, an atom otherwise.
    pub fn apply(&mut self, op: SymOp, operands: &[Sym]) -> Sym {
        let known: Option<Vec<i64>> = operands.iter().map(|&operand| self.as_int(operand)).collect();
        if let Some(values) = known {
            return match evaluate(op, &values) {
                Some(value) => self.int(value),
                None => self.unknown(),
            };
        }
        match (op, operands) {
            // A shift by a known amount is a product.
            (SymOp::Shl, &[a, by]) => {
                if let Some(by @ 0..=31) = self.as_int(by) {
                    let factor = self.int(i64::from(1u32 << by));
                    return self.mul(a, factor);
                }
            }
            (SymOp::DivSigned | SymOp::DivUnsigned, &[a, by]) if self.as_int(by) == Some(1) => return a,
            (SymOp::Select, &[condition, then, otherwise]) => {
                if then == otherwise {
                    return then;
                }
                match self.as_int(condition) {
                    Some(0) => return otherwise,
                    Some(_) => return then,
                    None => {}
                }
            }
            (SymOp::MinSigned | SymOp::MinUnsigned | SymOp::MaxSigned | SymOp::MaxUnsigned, &[a, b])
                if a == b =>
            {
                return a;
            }
            (SymOp::Equal, &[a, b]) if a == b => return self.int(1),
            (SymOp::NotEqual, &[a, b]) if a == b => return self.int(0),
            _ => {}
        }
        let mut operands: Box<[Sym]> = operands.into();
        if matches!(
            op,
            SymOp::BitAnd
                | SymOp::BitOr
                | SymOp::BitXor
                | SymOp::Equal
                | SymOp::NotEqual
                | SymOp::LogicalAnd
                | SymOp::LogicalOr
                | SymOp::LogicalXor
                | SymOp::MinSigned
                | SymOp::MinUnsigned
                | SymOp::MaxSigned
                | SymOp::MaxUnsigned
        ) {
            operands.sort();
        }
        self.intern(SymKind::Apply(op, operands))
    }

    /// The value when each specialization constant has the value that `value_of` gives.
    pub fn evaluate(&self, sym: Sym, value_of: &dyn Fn(&SpecAtom) -> Option<i64>) -> Option<i64> {
        self.evaluate_once(sym, value_of, &mut FxHashMap::default())
    }

    fn evaluate_once(
        &self,
        sym: Sym,
        value_of: &dyn Fn(&SpecAtom) -> Option<i64>,
        known: &mut FxHashMap<Sym, Option<i64>>,
    ) -> Option<i64> {
        if let Some(&value) = known.get(&sym) {
            return value;
        }
        let value = self.evaluate_parts(sym, value_of, known);
        if matches!(self.kind(sym), SymKind::Apply(..) | SymKind::Sum { .. }) {
            known.insert(sym, value);
        }
        value
    }

    fn evaluate_parts(
        &self,
        sym: Sym,
        value_of: &dyn Fn(&SpecAtom) -> Option<i64>,
        known: &mut FxHashMap<Sym, Option<i64>>,
    ) -> Option<i64> {
        match self.kind(sym) {
            SymKind::Int(value) => Some(*value),
            SymKind::Spec(atom) => value_of(atom),
            SymKind::Unknown(_) => None,
            SymKind::Sum { terms, constant } => {
                let mut sum = *constant;
                for (monomial, coefficient) in terms {
                    let mut product = *coefficient;
                    for &atom in monomial {
                        product = wrap(product.wrapping_mul(self.evaluate_once(atom, value_of, known)?));
                    }
                    sum = wrap(sum.wrapping_add(product));
                }
                Some(sum)
            }
            SymKind::Apply(op, operands) => {
                let values: Option<Vec<i64>> =
                    operands.iter().map(|&operand| self.evaluate_once(operand, value_of, known)).collect();
                evaluate(*op, &values?)
            }
        }
    }

    /// The value under the defaults that the shader declares.
    pub fn default_value(&self, sym: Sym) -> Option<i64> {
        self.evaluate(sym, &|atom| atom.default)
    }

    /// The shader has a constant of this value: from now on the value goes by its name. The first of several names counts.
    pub fn call(&mut self, sym: Sym, name: &str) {
        if matches!(self.kind(sym), SymKind::Sum { .. } | SymKind::Apply(..)) {
            self.names.entry(sym).or_insert_with(|| name.into());
        }
    }

    /// Names belong to one text; symbols outlive it.
    pub fn forget_names(&mut self) {
        self.names.clear();
    }

    /// As a user would write it: `TM`, `BK / 2`, `2 * TM + 1`, or the name of the constant that has this value.
    pub fn display(&self, sym: Sym) -> String {
        let mut out = String::new();
        self.write(sym, false, &mut out);
        out
    }

    /// The same as part of a longer expression or shape: `(BK / 2)`.
    pub fn display_operand(&self, sym: Sym) -> String {
        let mut out = String::new();
        self.write(sym, true, &mut out);
        out
    }

    /// What a constant of this value is computed by, whatever its own name is.
    pub fn display_value(&self, sym: Sym) -> String {
        let mut out = String::new();
        self.write_value(sym, false, &mut out);
        out
    }

    fn write(&self, sym: Sym, nested: bool, out: &mut String) {
        match self.names.get(&sym) {
            Some(name) => out.push_str(name),
            None => self.write_value(sym, nested, out),
        }
    }

    fn write_value(&self, sym: Sym, nested: bool, out: &mut String) {
        // Hostile nesting prints as dots rather than growing without bound.
        if out.len() > 200 {
            out.push('…');
            return;
        }
        match self.kind(sym) {
            SymKind::Int(value) => {
                let _ = write!(out, "{value}");
            }
            SymKind::Spec(atom) => out.push_str(&atom.name),
            SymKind::Unknown(_) => out.push('?'),
            SymKind::Sum { terms, constant } => {
                let parens = nested && (terms.len() > 1 || *constant != 0);
                if parens {
                    out.push('(');
                }
                for (index, (monomial, coefficient)) in terms.iter().enumerate() {
                    let negative = *coefficient < 0;
                    match (index, negative) {
                        (0, true) => out.push('-'),
                        (0, false) => {}
                        (_, true) => out.push_str(" - "),
                        (_, false) => out.push_str(" + "),
                    }
                    let magnitude = coefficient.unsigned_abs();
                    if magnitude != 1 {
                        let _ = write!(out, "{magnitude} * ");
                    }
                    for (index, &atom) in monomial.iter().enumerate() {
                        if index > 0 {
                            out.push_str(" * ");
                        }
                        self.write(atom, true, out);
                    }
                }
                match *constant {
                    0 => {}
                    negative if negative < 0 => {
                        let _ = write!(out, " - {}", negative.unsigned_abs());
                    }
                    positive => {
                        let _ = write!(out, " + {positive}");
                    }
                }
                if parens {
                    out.push(')');
                }
            }
            SymKind::Apply(op, operands) => {
                if let (Some(infix), &[a, b]) = (op.infix(), &**operands) {
                    if nested {
                        out.push('(');
                    }
                    let is_mask = matches!(op, SymOp::BitAnd | SymOp::BitOr | SymOp::BitXor);
                    let part = |part: Sym, out: &mut String| match self.as_int(part) {
                        Some(mask) if is_mask && mask > LARGEST_DECIMAL_MASK => {
                            let _ = write!(out, "0x{mask:X}");
                        }
                        _ => self.write(part, true, out),
                    };
                    part(a, out);
                    let _ = write!(out, " {infix} ");
                    part(b, out);
                    if nested {
                        out.push(')');
                    }
                } else if let (SymOp::Select, &[condition, then, otherwise]) = (op, &**operands) {
                    if nested {
                        out.push('(');
                    }
                    self.write(condition, true, out);
                    out.push_str(" ? ");
                    self.write(then, true, out);
                    out.push_str(" : ");
                    self.write(otherwise, true, out);
                    if nested {
                        out.push(')');
                    }
                } else {
                    out.push_str(op.prefix());
                    out.push('(');
                    for (index, &operand) in operands.iter().enumerate() {
                        if index > 0 {
                            out.push_str(", ");
                        }
                        self.write(operand, false, out);
                    }
                    out.push(')');
                }
            }
        }
    }
}

impl SymOp {
    fn infix(self) -> Option<&'static str> {
        Some(match self {
            SymOp::DivSigned | SymOp::DivUnsigned => "/",
            SymOp::RemSigned | SymOp::RemUnsigned => "%",
            SymOp::Shl => "<<",
            SymOp::ShrArithmetic | SymOp::ShrLogical => ">>",
            SymOp::BitAnd => "&",
            SymOp::BitOr => "|",
            SymOp::BitXor => "^",
            SymOp::Equal => "==",
            SymOp::NotEqual => "!=",
            SymOp::LessSigned | SymOp::LessUnsigned => "<",
            SymOp::LessEqualSigned | SymOp::LessEqualUnsigned => "<=",
            SymOp::LogicalAnd => "&&",
            SymOp::LogicalOr => "||",
            SymOp::LogicalXor => "^^",
            _ => return None,
        })
    }

    fn prefix(self) -> &'static str {
        match self {
            SymOp::BitNot => "~",
            SymOp::LogicalNot => "!",
            SymOp::MinSigned | SymOp::MinUnsigned => "min",
            SymOp::MaxSigned | SymOp::MaxUnsigned => "max",
            SymOp::ToBool => "bool",
            _ => "?",
        }
    }
}

/// `None` for what has no value: division by zero, a shift past the width.
fn evaluate(op: SymOp, values: &[i64]) -> Option<i64> {
    Some(match (op, values) {
        (SymOp::DivSigned, &[a, b]) => i64::from(signed(a).checked_div(signed(b))?),
        (SymOp::DivUnsigned, &[a, b]) => i64::from(unsigned(a).checked_div(unsigned(b))?),
        (SymOp::RemSigned, &[a, b]) => i64::from(signed(a).checked_rem(signed(b))?),
        (SymOp::RemUnsigned, &[a, b]) => i64::from(unsigned(a).checked_rem(unsigned(b))?),
        (SymOp::Shl, &[a, b]) => i64::from(unsigned(a).checked_shl(u32::try_from(b).ok()?)?),
        (SymOp::ShrArithmetic, &[a, b]) => i64::from(signed(a).checked_shr(u32::try_from(b).ok()?)?),
        (SymOp::ShrLogical, &[a, b]) => i64::from(unsigned(a).checked_shr(u32::try_from(b).ok()?)?),
        (SymOp::BitAnd, &[a, b]) => a & b,
        (SymOp::BitOr, &[a, b]) => a | b,
        (SymOp::BitXor, &[a, b]) => a ^ b,
        (SymOp::BitNot, &[a]) => i64::from(!signed(a)),
        (SymOp::Equal, &[a, b]) => i64::from(unsigned(a) == unsigned(b)),
        (SymOp::NotEqual, &[a, b]) => i64::from(unsigned(a) != unsigned(b)),
        (SymOp::LessSigned, &[a, b]) => i64::from(signed(a) < signed(b)),
        (SymOp::LessUnsigned, &[a, b]) => i64::from(unsigned(a) < unsigned(b)),
        (SymOp::LessEqualSigned, &[a, b]) => i64::from(signed(a) <= signed(b)),
        (SymOp::LessEqualUnsigned, &[a, b]) => i64::from(unsigned(a) <= unsigned(b)),
        (SymOp::LogicalAnd, &[a, b]) => i64::from(a != 0 && b != 0),
        (SymOp::LogicalOr, &[a, b]) => i64::from(a != 0 || b != 0),
        (SymOp::LogicalXor, &[a, b]) => i64::from((a != 0) != (b != 0)),
        (SymOp::LogicalNot, &[a]) => i64::from(a == 0),
        (SymOp::Select, &[condition, then, otherwise]) => {
            if condition != 0 {
                then
            } else {
                otherwise
            }
        }
        (SymOp::MinSigned, &[a, b]) => i64::from(signed(a).min(signed(b))),
        (SymOp::MinUnsigned, &[a, b]) => i64::from(unsigned(a).min(unsigned(b))),
        (SymOp::MaxSigned, &[a, b]) => i64::from(signed(a).max(signed(b))),
        (SymOp::MaxUnsigned, &[a, b]) => i64::from(unsigned(a).max(unsigned(b))),
        (SymOp::ToBool, &[a]) => i64::from(a != 0),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols() -> (Symbols, Sym, Sym) {
        let mut symbols = Symbols::default();
        let spec = |name: &str, id, default| SpecAtom {
            name: name.into(),
            id: Some(id),
            signed: false,
            default: Some(default),
        };
        let bk = symbols.spec(spec("BK", 0, 32));
        let tm = symbols.spec(spec("TM", 1, 16));
        (symbols, bk, tm)
    }

    #[test]
    fn equal_polynomials_are_one_symbol() {
        let (mut s, bk, tm) = symbols();
        let one = s.int(1);
        let two = s.int(2);
        let doubled = s.add(tm, tm);
        assert_eq!(doubled, s.mul(two, tm));
        assert_eq!(doubled, s.apply(SymOp::Shl, &[tm, one]));
        // (BK + TM) * 2 - 2 * TM == 2 * BK
        let sum = s.add(tm, bk);
        let sum = s.mul(sum, two);
        let left = s.sub(sum, doubled);
        assert_eq!(left, s.mul(bk, two));
        assert_eq!(s.display(left), "2 * BK");
        assert_eq!(s.sub(left, left), s.int(0));
    }

    #[test]
    fn division_stays_an_atom_and_has_a_default() {
        let (mut s, bk, _) = symbols();
        let two = s.int(2);
        let half = s.apply(SymOp::DivUnsigned, &[bk, two]);
        assert_ne!(half, bk);
        assert_eq!(half, s.apply(SymOp::DivUnsigned, &[bk, two]));
        let one = s.int(1);
        let next = s.add(half, one);
        assert_eq!(s.display(next), "(BK / 2) + 1");
        assert_eq!(s.default_value(next), Some(17));
    }

    #[test]
    fn arithmetic_wraps_at_32_bits() {
        let (mut s, ..) = symbols();
        let max = s.int(i64::from(u32::MAX));
        let one = s.int(1);
        let zero = s.add(max, one);
        assert_eq!(s.as_int(zero), Some(0));
        assert_eq!(evaluate(SymOp::DivSigned, &[1, 0]), None);
        assert_eq!(evaluate(SymOp::DivSigned, &[i64::from(i32::MIN), -1]), None);
    }

    #[test]
    fn shared_parts_are_worked_out_once() {
        let (mut s, mut sum, _) = symbols();
        let (three, five) = (s.int(3), s.int(5));
        let mut depth = 0;
        while !s.has_unknown(sum) {
            let a = s.apply(SymOp::DivSigned, &[sum, three]);
            let b = s.apply(SymOp::DivSigned, &[sum, five]);
            sum = s.add(a, b);
            depth += 1;
            assert!(s.has_unknown(sum) || s.default_value(sum).is_some());
        }
        assert!(depth > 20 && depth <= MAX_DEPTH);
    }

    #[test]
    fn polynomials_stay_bounded() {
        let (mut s, bk, tm) = symbols();
        let mut sum = s.add(bk, tm);
        for _ in 0..100 {
            let next = s.add(sum, tm);
            sum = s.mul(sum, next);
            match s.kind(sum) {
                SymKind::Sum { terms, .. } => {
                    assert!(terms.len() <= MAX_TERMS && terms.iter().all(|term| term.0.len() <= MAX_TERMS));
                }
                SymKind::Unknown(_) => return,
                other => panic!("{other:?}"),
            }
        }
        panic!("never became unknown");
    }
}
