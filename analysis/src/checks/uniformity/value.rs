//! What is known of a value: how it differs between the invocations of a subgroup and of a workgroup, and why.

use crate::hir::BinaryOp;

use super::cause::CauseId;
use super::own::{self, Own};

/// How a value differs between invocations. Later means less uniform; a join takes the later one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spread {
    /// The same in all of them.
    #[default]
    Same,
    /// It cannot be told: what may be the same is not reported.
    Unknown,
    /// Not the same in all of them.
    Differs,
    /// Another one in each of them.
    Distinct,
}

/// The spread among the invocations of one scope, and what makes it so.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Within {
    pub spread: Spread,
    pub cause: CauseId,
}

impl Within {
    pub fn new(spread: Spread, cause: CauseId) -> Within {
        // What is never reported needs no reason.
        let cause = if spread >= Spread::Differs { cause } else { CauseId::NONE };
        Within { spread, cause }
    }

    pub fn differs(self) -> bool {
        self.spread >= Spread::Differs
    }

    /// The less uniform one of two.
    pub fn join(self, other: Within) -> Within {
        if other.spread > self.spread { other } else { self }
    }

    /// No longer another one in each invocation.
    pub fn blurred(self) -> Within {
        Within { spread: self.spread.min(Spread::Differs), ..self }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Value {
    pub subgroup: Within,
    pub workgroup: Within,
    pub own: Own,
    /// The assignment or the join of paths that it comes from, so that a join sees which variables its branches changed.
    pub version: u32,
    /// Grows with the invocation's index in the workgroup: a comparison of order or a division may be the same for a whole
    /// subgroup.
    pub blocks: bool,
    /// Neighbouring invocations have neighbouring values, so that the low bits differ.
    pub unit: bool,
}

impl Value {
    pub const SAME: Value = Value {
        subgroup: Within { spread: Spread::Same, cause: CauseId::NONE },
        workgroup: Within { spread: Spread::Same, cause: CauseId::NONE },
        own: Own::NONE,
        version: 0,
        blocks: false,
        unit: false,
    };

    /// The same spread in both scopes.
    pub fn of(spread: Spread, cause: CauseId) -> Value {
        let within = Within::new(spread, cause);
        Value { subgroup: within, workgroup: within, ..Value::SAME }
    }

    pub fn unknown() -> Value {
        Value::of(Spread::Unknown, CauseId::NONE)
    }

    pub fn is_same(&self) -> bool {
        self.workgroup.spread == Spread::Same && self.subgroup.spread == Spread::Same
    }

    /// Whether it differs among the invocations of either scope.
    pub fn differs(&self) -> bool {
        self.subgroup.differs() || self.workgroup.differs()
    }

    pub fn join(self, other: Value) -> Value {
        Value {
            subgroup: self.subgroup.join(other.subgroup),
            workgroup: self.workgroup.join(other.workgroup),
            own: self.own.join(other.own),
            version: self.version,
            blocks: self.blocks || other.blocks,
            unit: self.unit && other.unit,
        }
    }

    /// What comes out of a function that keeps differences but not the order of values.
    pub fn blurred(self) -> Value {
        Value { subgroup: self.subgroup.blurred(), workgroup: self.workgroup.blurred(), unit: false, ..self }
    }

    /// What comes out of a function that may take a difference away.
    pub fn obscured(self) -> Value {
        let within = |within: Within| Within::new(within.spread.min(Spread::Unknown), CauseId::NONE);
        Value { subgroup: within(self.subgroup), workgroup: within(self.workgroup), ..Value::SAME }
    }

    /// The same of a function whose result is still computed from what it is given.
    pub fn folded(self) -> Value {
        Value { own: self.own.fold(), ..self.obscured() }
    }

    /// The same, as if it were not computed from the invocation's number.
    pub fn of_others(self) -> Value {
        Value { own: Own::NONE, ..self }
    }

    /// One value that stands for several places: parts that agree keep what is known, parts that do not are unknown.
    pub fn blend(self, other: Value) -> Value {
        let within = |a: Within, b: Within| {
            if a.spread.min(Spread::Differs) == b.spread.min(Spread::Differs) {
                a.blurred()
            } else {
                Within::new(Spread::Unknown, CauseId::NONE)
            }
        };
        Value {
            subgroup: within(self.subgroup, other.subgroup),
            workgroup: within(self.workgroup, other.workgroup),
            own: self.own.blend(other.own),
            version: self.version,
            blocks: self.blocks || other.blocks,
            unit: false,
        }
    }

    pub fn with_version(self, version: u32) -> Value {
        Value { version, ..self }
    }

    /// Whether another round through a loop learned nothing.
    pub fn covers(&self, other: &Value) -> bool {
        self.subgroup.spread >= other.subgroup.spread && self.workgroup.spread >= other.workgroup.spread
    }
}

/// A scalar, or a vector by components. Everything else is one value that stands for all its parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Many {
    pub count: u8,
    pub parts: [Value; 4],
}

impl Many {
    pub const SAME: Many = Many { count: 1, parts: [Value::SAME; 4] };

    pub fn one(value: Value) -> Many {
        Many { count: 1, parts: [value; 4] }
    }

    pub fn unknown() -> Many {
        Many::one(Value::unknown())
    }

    pub fn of(parts: impl Iterator<Item = Value>) -> Many {
        let mut many = Many { count: 0, parts: [Value::SAME; 4] };
        for (place, part) in many.parts.iter_mut().zip(parts) {
            *place = part;
            many.count += 1;
        }
        many.count = many.count.max(1);
        many
    }

    pub fn as_slice(&self) -> &[Value] {
        &self.parts[..usize::from(self.count)]
    }

    /// A component; a scalar has its value everywhere.
    pub fn get(&self, index: usize) -> Value {
        let index = if self.count == 1 { 0 } else { index };
        self.parts.get(index).copied().unwrap_or(Value::unknown())
    }

    pub fn map(mut self, change: impl Fn(Value) -> Value) -> Many {
        for part in &mut self.parts[..usize::from(self.count)] {
            *part = change(*part);
        }
        self
    }

    pub fn zip(&self, other: &Many, combine: impl Fn(Value, Value) -> Value) -> Many {
        let count = usize::from(self.count.max(other.count));
        Many::of((0..count).map(|index| combine(self.get(index), other.get(index))))
    }

    /// One value for all components, of which nothing is claimed that does not hold for each.
    pub fn blended(&self) -> Value {
        let [first, rest @ ..] = self.as_slice() else { return Value::SAME };
        rest.iter().fold(*first, |all, &part| all.blend(part))
    }

    /// The least uniform of the components.
    pub fn joined(&self) -> Value {
        let [first, rest @ ..] = self.as_slice() else { return Value::SAME };
        rest.iter().fold(*first, |all, &part| all.join(part))
    }
}

/// An operand with its value where that is a known integer.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub value: Value,
    pub known: Option<i64>,
}

/// What an operation needs to know besides its operands.
#[derive(Clone, Copy)]
pub(super) struct Circumstances {
    pub floating: bool,
    /// Invocations of a workgroup, when it is known.
    pub workgroup_size: Option<i64>,
}

/// How many invocations a subgroup surely has where it has several: divisors up to it leave a difference.
const SMALL: i64 = 4;
/// Subgroups may be as small as this in what is in use; a comparison with more than it may be true for all of them.
pub(super) const COMMON_SUBGROUP: i64 = 32;

pub(super) fn binary(op: BinaryOp, left: Operand, right: Operand, around: Circumstances) -> Value {
    if left.value.is_same() && right.value.is_same() {
        return Value::SAME;
    }
    let blocks = left.value.blocks || right.value.blocks;
    let within = |scope: Scope, a: Within, b: Within| {
        let spread = spread(op, scope, (a.spread, left), (b.spread, right), around);
        let cause = if b.spread > a.spread { b.cause } else { a.cause };
        Within::new(spread, cause)
    };
    let one_sided = left.value.is_same() || right.value.is_same();
    let unit = (left.value.unit || right.value.unit)
        && one_sided
        && matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::BitXor);
    let (subgroup, workgroup) = (
        within(Scope::Subgroup, left.value.subgroup, right.value.subgroup),
        within(Scope::Workgroup, left.value.workgroup, right.value.workgroup),
    );
    let own = own::binary(op, left, right, around, (subgroup.spread, workgroup.spread));
    Value { subgroup, workgroup, own, version: 0, blocks, unit }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Subgroup,
    Workgroup,
}

fn spread(
    op: BinaryOp,
    scope: Scope,
    (a, left): (Spread, Operand),
    (b, right): (Spread, Operand),
    around: Circumstances,
) -> Spread {
    use Spread::{Differs, Distinct, Same, Unknown};
    if a == Same && b == Same {
        return Same;
    }
    // The operand that is not the same, when the other one is.
    let alone = match (a, b) {
        (Same, other) | (other, Same) => Some(other),
        _ => None,
    };
    let known = if a == Same { left.known } else { right.known };
    match op {
        BinaryOp::Add => match alone {
            Some(other) => other,
            None if a == Unknown || b == Unknown => {
                if a == Distinct || b == Distinct {
                    Differs
                } else {
                    Unknown
                }
            }
            None => Differs,
        },
        BinaryOp::Sub | BinaryOp::BitXor => alone.unwrap_or(Unknown),
        BinaryOp::Mul | BinaryOp::Shl => match alone {
            Some(_) if op == BinaryOp::Mul && known == Some(0) => Same,
            Some(other) => other,
            None if a == Unknown || b == Unknown => Unknown,
            None => Differs,
        },
        BinaryOp::Div | BinaryOp::Shr => match alone {
            Some(other) if around.floating => other,
            Some(other) if b == Same => {
                let divisor = match (op, known) {
                    (BinaryOp::Shr, Some(by @ 0..=31)) => Some(1i64 << by),
                    (BinaryOp::Shr, _) => None,
                    (_, known) => known,
                };
                match divisor {
                    Some(1) => other,
                    Some(divisor) if other >= Differs && left.value.unit && divisor > 1 => {
                        let leaves_difference = match scope {
                            Scope::Subgroup => !left.value.blocks && divisor <= SMALL,
                            Scope::Workgroup => around.workgroup_size.is_some_and(|size| divisor < size),
                        };
                        if leaves_difference { Differs } else { Unknown }
                    }
                    _ => Unknown,
                }
            }
            _ => Unknown,
        },
        BinaryOp::Rem => match alone {
            Some(_) if b == Same && known == Some(1) => Same,
            Some(other) if b == Same && other >= Differs && left.value.unit => Differs,
            _ => Unknown,
        },
        BinaryOp::BitAnd => {
            let unit = if a == Same { right.value.unit } else { left.value.unit };
            match (alone, known) {
                (Some(_), Some(0)) => Same,
                (Some(other), Some(mask)) if other >= Differs && unit && mask & 1 == 1 => Differs,
                _ => Unknown,
            }
        }
        BinaryOp::BitOr => Unknown,
        BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
            let blocks = left.value.blocks || right.value.blocks;
            match alone {
                Some(other) if other >= Differs => match scope {
                    Scope::Subgroup if blocks => Unknown,
                    Scope::Subgroup if other == Distinct && known.is_some_and(|k| k >= COMMON_SUBGROUP) => {
                        Unknown
                    }
                    Scope::Workgroup
                        if known.zip(around.workgroup_size).is_some_and(|(known, size)| known >= size) =>
                    {
                        Unknown
                    }
                    _ => Differs,
                },
                _ => Unknown,
            }
        }
        BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::LogicalXor => match alone {
            Some(other) => other.min(Differs),
            None => Unknown,
        },
        BinaryOp::LogicalAnd | BinaryOp::LogicalOr => match known {
            // What decides the result whatever the other operand is.
            Some(0) if op == BinaryOp::LogicalAnd => Same,
            Some(1) if op == BinaryOp::LogicalOr => Same,
            _ => a.max(b).min(Differs),
        },
    }
}
