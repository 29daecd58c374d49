//! A number that each lane of a subgroup holds, as far as it is known: an offset of each lane's own, plus something that is the same for all lanes.
//!
//! Of what is the same for all only a factor is kept: `lane + 32 * k` is the offsets 0, 1, 2, ... and the step 32. A step of 0 says that the offsets
//! are the values. Sums are taken not to wrap at 32 bits: an index that does leaves every array.

use std::rc::Rc;

use coopmat_spirv::Opcode;
use coopmat_spirv::grammar::Uniform;
use rspirv::spirv::Op;

use crate::statistics::values::{Value, compute};

/// What is known of a number of all lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Known(Lanes),
    /// Each lane may hold anything.
    Varies,
}

/// Offsets, and a multiple of `step` that is the same for all lanes and of which nothing else is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// By the lane.
    pub offsets: Rc<[i64]>,
    /// 0 says that the offsets are the values.
    pub step: u64,
    /// Whether values are taken not to be below 0.
    not_negative: bool,
}

/// A result's type: how wide it is, and whether it has a sign.
#[derive(Clone, Copy, Debug)]
pub(super) struct Width {
    pub bits: u32,
    pub signed: bool,
}

pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Lanes {
    pub(super) fn exactly(offsets: impl IntoIterator<Item = i64>) -> Lanes {
        let offsets: Rc<[i64]> = offsets.into_iter().collect();
        let not_negative = offsets.iter().all(|offset| *offset >= 0);
        Lanes { offsets, step: 0, not_negative }
    }

    /// The same for all lanes, a multiple of a step.
    pub(super) fn unknown(lanes: usize, step: u64, not_negative: bool) -> Lanes {
        Lanes { offsets: vec![0; lanes].into(), step, not_negative }
    }

    pub(super) fn is_uniform(&self) -> bool {
        self.offsets.windows(2).all(|pair| pair[0] == pair[1])
    }

    /// The value, if it is known and the same for all.
    pub(super) fn same(&self) -> Option<i64> {
        (self.step == 0 && self.is_uniform()).then(|| self.offsets.first().copied())?
    }

    fn map(&self, step: u64, change: impl Fn(i64) -> i64) -> Lanes {
        Lanes { offsets: self.offsets.iter().map(|it| change(*it)).collect(), step, ..*self }.small()
    }

    fn zip(&self, other: &Lanes, step: u64, change: impl Fn(i64, i64) -> i64) -> Lanes {
        let offsets = self.offsets.iter().zip(&*other.offsets).map(|(a, b)| change(*a, *b)).collect();
        Lanes { offsets, step, not_negative: self.not_negative && other.not_negative }.small()
    }

    /// A difference of unsigned numbers is written as a sum with a large one.
    fn small(mut self) -> Lanes {
        if self.step != 0 && self.offsets.iter().any(|offset| *offset > i64::from(i32::MAX)) {
            self.offsets = self.offsets.iter().map(|offset| offset.wrapping_sub(1 << 32)).collect();
            self.not_negative = false;
        }
        self
    }

    /// What is either one or the other, for all lanes alike.
    fn join(&self, other: &Lanes) -> Option<Lanes> {
        if self.offsets.len() != other.offsets.len() {
            return None;
        }
        let mut apart = self.offsets.iter().zip(&*other.offsets).map(|(a, b)| b.wrapping_sub(*a));
        let first = apart.next().unwrap_or(0);
        apart.all(|it| it == first).then(|| Lanes {
            offsets: self.offsets.clone(),
            step: gcd(gcd(self.step, other.step), first.unsigned_abs()),
            not_negative: self.not_negative && other.not_negative,
        })
    }

    /// Whether all lanes are in one stretch of a step, so that they are on the same side of each of its borders.
    fn in_one_step(&self, shift: i64) -> bool {
        let step = i64::try_from(self.step).unwrap_or(i64::MAX).max(1);
        let mut stretches = self.offsets.iter().map(|offset| offset.wrapping_add(shift).div_euclid(step));
        let first = stretches.next();
        stretches.all(|it| Some(it) == first)
    }
}

impl Form {
    /// The same for all lanes, and nothing else is known.
    pub fn uniform(lanes: usize, not_negative: bool) -> Form {
        Form::Known(Lanes::unknown(lanes, 1, not_negative))
    }

    pub fn join(&self, other: &Form) -> Form {
        match (self, other) {
            (Form::Known(a), Form::Known(b)) => a.join(b).map_or(Form::Varies, Form::Known),
            _ => Form::Varies,
        }
    }

    pub fn known(&self) -> Option<&Lanes> {
        match self {
            Form::Known(lanes) => Some(lanes),
            Form::Varies => None,
        }
    }

    pub fn is_uniform(&self) -> bool {
        self.known().is_some_and(Lanes::is_uniform)
    }
}

/// The result of an operation on scalars whose result depends on the operands alone.
pub(super) fn operate(op: Op, operands: &[&Form], from: &[Width], to: Width) -> Form {
    let known: Option<Vec<&Lanes>> = operands.iter().map(|operand| operand.known()).collect();
    let Some(known) = known else { return choose(op, operands) };
    let Some(lanes) = known.first().map(|lanes| lanes.offsets.len()) else { return Form::Varies };
    if known.iter().all(|operand| operand.step == 0) {
        let values: Option<Vec<i64>> = (0..lanes)
            .map(|lane| {
                let values: Vec<Value> = known
                    .iter()
                    .zip(from)
                    .map(|(it, width)| Value::new(it.offsets[lane] as u64, width.bits))
                    .collect();
                let value = compute(op, &values, to.bits)?;
                Some(if to.signed { value.signed() } else { value.bits as i64 })
            })
            .collect();
        if let Some(values) = values {
            return Form::Known(Lanes::exactly(values));
        }
    }
    if let Some(form) = shifted(op, &known, from, to) {
        return Form::Known(form);
    }
    if known.iter().all(|operand| operand.is_uniform()) {
        return Form::uniform(lanes, !to.signed);
    }
    choose(op, operands)
}

/// A choice for all lanes alike is one or the other.
fn choose(op: Op, operands: &[&Form]) -> Form {
    match operands {
        [condition, a, b] if op == Op::Select && condition.is_uniform() => a.join(b),
        [_, a, b] if op == Op::Select && a == b && a.known().is_some_and(|it| it.step == 0) => (*a).clone(),
        _ => Form::Varies,
    }
}

/// Operations on what is known but for a multiple of a step.
fn shifted(op: Op, known: &[&Lanes], from: &[Width], to: Width) -> Option<Lanes> {
    let a = *known.first()?;
    let lanes = a.offsets.len();
    match op {
        Op::CopyObject => return Some(a.clone()),
        Op::Bitcast if to.bits == 32 => return Some(a.clone()),
        Op::UConvert | Op::SConvert if to.bits >= 32 && (a.not_negative || op == Op::SConvert) => {
            return (from.first()?.bits >= 32 || a.not_negative).then(|| a.clone());
        }
        _ => {}
    }
    let b = *known.get(1)?;
    let step = gcd(a.step, b.step);
    let constant = b.same();
    match op {
        Op::IAdd => Some(a.zip(b, step, i64::wrapping_add)),
        Op::ISub => {
            let mut difference = a.zip(b, step, i64::wrapping_sub);
            difference.not_negative = false;
            Some(difference)
        }
        Op::IMul => match (a.same(), constant) {
            (Some(factor), _) => Some(times(b, factor)),
            (_, Some(factor)) => Some(times(a, factor)),
            _ => None,
        },
        Op::ShiftLeftLogical => {
            let by = constant.filter(|by| (0..31).contains(by))?;
            Some(times(a, 1 << by))
        }
        Op::UDiv | Op::SDiv => divided(a, constant?),
        Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
            let by = constant.filter(|by| (0..31).contains(by))?;
            divided(a, 1 << by)
        }
        Op::UMod | Op::SRem | Op::SMod => rest(a, constant?),
        Op::BitwiseAnd => match (a.same(), constant) {
            (_, Some(mask)) => masked(a, mask),
            (Some(mask), _) => masked(b, mask),
            _ => None,
        },
        Op::BitwiseOr | Op::BitwiseXor if a.step == 0 || b.step == 0 => {
            // Bits of the offsets below those of the step.
            let power = 1i64 << step.trailing_zeros().min(31);
            let below = |it: &Lanes| it.offsets.iter().all(|offset| (0..power).contains(offset));
            if !below(a) || !below(b) || step == 0 {
                return None;
            }
            let by = |a: i64, b: i64| if op == Op::BitwiseOr { a | b } else { a ^ b };
            Some(a.zip(b, step, by))
        }
        _ => compared(op, a, b, step).map(|same| match same {
            Some(value) => Lanes::exactly(vec![value; lanes]),
            None => Lanes::unknown(lanes, 1, true),
        }),
    }
}

fn times(lanes: &Lanes, factor: i64) -> Lanes {
    // Everything is a multiple of 1.
    let step = lanes.step.checked_mul(factor.unsigned_abs()).unwrap_or(1);
    let mut product = lanes.map(step, |offset| offset.wrapping_mul(factor));
    product.not_negative = lanes.not_negative && factor >= 0;
    product
}

fn divided(lanes: &Lanes, by: i64) -> Option<Lanes> {
    let fits = by > 0 && lanes.not_negative && lanes.step.is_multiple_of(by as u64);
    fits.then(|| lanes.map(lanes.step / by as u64, |offset| offset.div_euclid(by)))
}

fn rest(lanes: &Lanes, by: i64) -> Option<Lanes> {
    let fits = by > 0 && lanes.not_negative && lanes.step.is_multiple_of(by as u64);
    fits.then(|| Lanes::exactly(lanes.offsets.iter().map(|offset| offset.rem_euclid(by))))
}

fn masked(lanes: &Lanes, mask: i64) -> Option<Lanes> {
    let above = u64::try_from(mask).ok()?.checked_add(1)?.checked_next_power_of_two()?;
    let fits = lanes.step.is_multiple_of(above);
    fits.then(|| Lanes::exactly(lanes.offsets.iter().map(|offset| offset & mask)))
}

/// Whether a comparison gives the same for all lanes, and what, if that is known.
fn compared(op: Op, a: &Lanes, b: &Lanes, step: u64) -> Option<Option<i64>> {
    let apart = a.zip(b, step, i64::wrapping_sub);
    let shift = match op {
        Op::ULessThan | Op::SLessThan | Op::UGreaterThanEqual | Op::SGreaterThanEqual => 0,
        Op::ULessThanEqual | Op::SLessThanEqual | Op::UGreaterThan | Op::SGreaterThan => -1,
        Op::IEqual | Op::INotEqual => {
            let step = i64::try_from(step).ok().filter(|step| *step > 0)?;
            let never = apart.offsets.iter().all(|offset| offset.rem_euclid(step) != 0);
            return never.then_some(Some(i64::from(op == Op::INotEqual)));
        }
        _ => return None,
    };
    // Below zero means the same for all; unsigned numbers too, as none of them wraps.
    (a.not_negative && b.not_negative && apart.in_one_step(shift)).then_some(None)
}

/// Whether a result depends on nothing but the operands.
pub(super) fn is_pure(op: Op) -> bool {
    Opcode::from(op).facts().uniform == Uniform::Operands
}

#[cfg(test)]
mod tests {
    use super::*;

    const UINT: Width = Width { bits: 32, signed: false };

    fn lane_plus_multiples_of(step: u64) -> Form {
        Form::Known(Lanes { step, ..Lanes::exactly(0..32) })
    }

    fn number(value: i64) -> Form {
        Form::Known(Lanes::exactly(vec![value; 32]))
    }

    fn of(op: Op, a: &Form, b: &Form) -> Form {
        operate(op, &[a, b], &[UINT, UINT], UINT)
    }

    /// What a loop that stages a tile does: `i = lane; ...; i += 64`, then `i / 16` and `i % 16`.
    #[test]
    fn a_counter_is_a_lane_and_a_multiple_of_the_step() {
        let lane = lane_plus_multiples_of(0);
        let counter = lane.join(&of(Op::IAdd, &lane, &number(64)));
        assert_eq!(counter, lane_plus_multiples_of(64));
        let row = of(Op::UDiv, &counter, &number(16));
        assert_eq!(row, Form::Known(Lanes { step: 4, ..Lanes::exactly((0..32).map(|it| it / 16)) }));
        let column = of(Op::UMod, &counter, &number(16));
        assert_eq!(column, Form::Known(Lanes::exactly((0..32).map(|it| it % 16))));
        // 48 is no multiple of 64: one lane may be in another row than before.
        assert_eq!(of(Op::UDiv, &counter, &number(48)), Form::Varies);
    }

    /// All lanes leave the loop at once if the end is a multiple of the step, not otherwise.
    #[test]
    fn comparisons_are_the_same_for_all_lanes_where_no_border_is_between_them() {
        let counter = lane_plus_multiples_of(64);
        assert!(of(Op::ULessThan, &counter, &number(256)).is_uniform());
        assert!(of(Op::ULessThan, &counter, &number(224)).is_uniform());
        assert!(!of(Op::ULessThan, &counter, &number(200)).is_uniform());
        assert!(!of(Op::ULessThan, &counter, &Form::uniform(32, true)).is_uniform());
    }

    #[test]
    fn a_lane_times_what_is_not_known_varies() {
        let lane = lane_plus_multiples_of(0);
        let given = Form::uniform(32, true);
        assert_eq!(of(Op::IMul, &lane, &given), Form::Varies);
        assert_eq!(of(Op::IAdd, &lane, &given), lane_plus_multiples_of(1));
        assert!(of(Op::IMul, &given, &given).is_uniform());
    }
}
