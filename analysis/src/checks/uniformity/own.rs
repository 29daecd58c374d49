//! What is computed from an invocation's own number, whether or not it surely differs: `lane / 16` may be 0 for a whole subgroup, but an
//! element that is multiplied with what it selects is multiplied with something else where elements have other owners.

use crate::hir::BinaryOp;

use super::MatrixScope;
use super::cause::CauseId;
use super::value::{COMMON_SUBGROUP, Circumstances, Operand, Spread};

/// Whether a value is read from memory at a place of the invocation's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Read {
    /// It is computed.
    #[default]
    No,
    /// From a place that no other invocation has: its own data may lie there.
    Alone,
    /// From a place that it shares with others.
    Shared,
}

/// How a value is computed from the invocation's number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Own {
    /// Where the number in the subgroup comes from; `NONE` where the value does not depend on it.
    pub subgroup: CauseId,
    /// The same of the number in the workgroup.
    pub workgroup: CauseId,
    /// The number counts through the workgroup: divided by the size of a subgroup, it is the subgroup's.
    pub across: bool,
    /// Several invocations of a subgroup get the same, because the number was divided, masked or compared.
    pub folded: bool,
    pub read: Read,
    /// The values of several invocations go into it: sums and the like may well be the same for all in the end.
    pub mixed: bool,
}

impl Own {
    pub const NONE: Own = Own {
        subgroup: CauseId::NONE,
        workgroup: CauseId::NONE,
        across: false,
        folded: false,
        read: Read::No,
        mixed: false,
    };
    /// What invocations got from each other.
    pub const MIXED: Own = Own { mixed: true, ..Own::NONE };

    pub fn is_none(self) -> bool {
        self.subgroup == CauseId::NONE && self.workgroup == CauseId::NONE
    }

    /// Why a value depends on the invocation's number within a scope; `NONE` where it does not.
    pub fn of(self, scope: MatrixScope) -> CauseId {
        match scope {
            MatrixScope::Subgroup => self.subgroup,
            MatrixScope::Workgroup => self.workgroup,
        }
    }

    pub fn join(self, other: Own) -> Own {
        if self.mixed || other.mixed {
            return Own::MIXED;
        }
        if other.is_none() {
            return self;
        }
        if self.is_none() {
            return other;
        }
        let first = |a: CauseId, b: CauseId| if a == CauseId::NONE { b } else { a };
        Own {
            subgroup: first(self.subgroup, other.subgroup),
            workgroup: first(self.workgroup, other.workgroup),
            across: self.across || other.across,
            folded: self.folded || other.folded,
            read: self.read.max(other.read),
            mixed: false,
        }
    }

    /// One value that stands for several places: all of them are computed so, or it is not known.
    pub fn blend(self, other: Own) -> Own {
        let both = |joined: CauseId, a: CauseId, b: CauseId| {
            if a == CauseId::NONE || b == CauseId::NONE { CauseId::NONE } else { joined }
        };
        let joined = self.join(other);
        Own {
            subgroup: both(joined.subgroup, self.subgroup, other.subgroup),
            workgroup: both(joined.workgroup, self.workgroup, other.workgroup),
            ..joined
        }
        .tidy()
    }

    /// One that depends on nothing, as such.
    fn tidy(self) -> Own {
        if self.is_none() { Own { mixed: self.mixed, ..Own::NONE } } else { self }
    }

    /// What a function makes of it that may give several invocations the same.
    pub fn fold(self) -> Own {
        if self.is_none() { self } else { Own { folded: true, ..self } }
    }

    /// What is found in memory at a place that is computed so.
    pub fn loaded(self) -> Own {
        if self.is_none() {
            return self;
        }
        let read = if self.folded { Read::Shared } else { Read::Alone };
        Own { read: self.read.max(read), ..self }
    }

    /// What tells one way of calling a function from another.
    pub fn bits(self) -> u8 {
        u8::from(self.subgroup != CauseId::NONE)
            | u8::from(self.workgroup != CauseId::NONE) << 1
            | u8::from(self.across) << 2
            | u8::from(self.folded) << 3
            | (self.read as u8) << 4
            | u8::from(self.mixed) << 6
    }
}

/// No subgroup is larger.
const LARGEST_SUBGROUP: i64 = 128;
/// No subgroup that holds matrices is smaller: a remainder by less is no number in the subgroup.
const SMALLEST_SUBGROUP: i64 = 8;

/// The outcome of an operator whose result is spread as `spreads` says: in the subgroup, and in the workgroup.
pub(super) fn binary(
    op: BinaryOp,
    left: Operand,
    right: Operand,
    around: Circumstances,
    spreads: (Spread, Spread),
) -> Own {
    let (first, second) = (left.value.own, right.value.own);
    let mut own = first.join(second);
    if own.is_none() {
        return own;
    }
    match op {
        BinaryOp::Div | BinaryOp::Shr if !around.floating && !first.is_none() => {
            let divisor = match (op, right.known) {
                (BinaryOp::Shr, Some(by @ 0..=31)) => Some(1i64 << by),
                (BinaryOp::Shr, _) => None,
                (_, known) => known,
            };
            own = if divisor == Some(1) { own } else { divided(own, divisor) };
        }
        BinaryOp::Rem if !first.is_none() => own = remainder(own, right.known),
        BinaryOp::BitAnd => {
            let mask = if second.is_none() { right.known } else { left.known };
            own = match mask {
                Some(mask) if mask & (LARGEST_SUBGROUP - 1) == 0 => divided(own, None),
                Some(mask) if mask & (mask + 1) == 0 => remainder(own, Some(mask + 1)),
                Some(_) => Own { folded: true, across: false, ..own },
                None => remainder(own, None),
            };
        }
        BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
            own.folded = true;
            // It may hold for all of them, unless both sides are each invocation's own, as the guess of a row and that of a column.
            let both = !first.is_none() && !second.is_none();
            let subgroup = left.value.subgroup.spread.max(right.value.subgroup.spread);
            let workgroup = left.value.workgroup.spread.max(right.value.workgroup.spread);
            if own.across || !both && spreads.0 == Spread::Unknown && subgroup >= Spread::Differs {
                own.subgroup = CauseId::NONE;
            }
            if !both && spreads.1 == Spread::Unknown && workgroup >= Spread::Differs {
                own.workgroup = CauseId::NONE;
            }
        }
        BinaryOp::Equal | BinaryOp::NotEqual => own.folded = true,
        _ => {}
    }
    if spreads.0 == Spread::Same {
        own.subgroup = CauseId::NONE;
    }
    if spreads.1 == Spread::Same {
        own.workgroup = CauseId::NONE;
    }
    own.tidy()
}

fn divided(own: Own, divisor: Option<i64>) -> Own {
    if own.across || divisor.is_some_and(|divisor| divisor >= LARGEST_SUBGROUP) {
        Own { subgroup: CauseId::NONE, ..own }
    } else {
        Own { folded: true, ..own }
    }
}

/// A remainder of the number in the workgroup is the one in the subgroup, as long as subgroups may be that small.
fn remainder(own: Own, divisor: Option<i64>) -> Own {
    let smallest = if own.across { SMALLEST_SUBGROUP } else { COMMON_SUBGROUP };
    let folded = own.folded || divisor.is_some_and(|divisor| divisor < smallest);
    Own { folded, across: false, ..own }
}
