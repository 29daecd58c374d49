//! Arithmetic in checked mode: divisions by zero, shifts that are too far, conversions that do not fit, NaN and infinities of finite numbers.

use crate::checks::FindingKind;
use crate::code::{
    CompositeInstruction, ConversionInstruction, ExtendedInstruction, Instruction, IntegerInstruction,
    IntegerOp, LogicInstruction, MemoryInstruction, ProductInstruction, Where,
};
use crate::machine::{Context, Mask, Plane, lanes_of};
use crate::numerics::Format;
use crate::numerics::words::sign_extend;
use crate::program::Slot;
use crate::program::types::Scalar;

/// Looks at an instruction's operands.
pub(crate) fn before(instruction: &Instruction, cx: &mut Context) {
    cx.env.report.checks.atomic = matches!(instruction, Instruction::Atomic(_));
    match instruction {
        Instruction::Integer(integer) => division_and_shift(integer, cx),
        Instruction::Vector(vector) => super::vectors::checked::before(vector, cx),
        Instruction::Conversion(ConversionInstruction::Convert {
            from: Scalar::Float(format),
            to: Scalar::Integer { width, signed },
            count,
            a,
            ..
        }) => conversion(cx, *format, (*width, *signed), *count, *a),
        Instruction::Memory(memory) => match memory {
            MemoryInstruction::Load { pointer, .. }
            | MemoryInstruction::LoadApart { pointer, .. }
            | MemoryInstruction::Store { pointer, .. }
            | MemoryInstruction::StoreApart { pointer, .. } => {
                let (plane, mask) = (cx.plane(*pointer), cx.mask());
                cx.check_defined(plane, mask, "the address");
            }
            MemoryInstruction::Address { terms, .. } => {
                for term in terms.iter().filter(|term| term.length != u32::MAX) {
                    let plane = cx.plane(term.index);
                    index(cx, plane, term.wide, term.length);
                }
            }
            MemoryInstruction::Buffer { index: at, wide, count, .. }
            | MemoryInstruction::PlaneOf { index: at, wide, count, .. }
            | MemoryInstruction::PlaneFrom { index: at, wide, count, .. } => {
                let plane = cx.plane(*at);
                index(cx, plane, *wide, *count);
            }
            _ => {}
        },
        Instruction::Atomic(atomic) => {
            if let Where::Memory { pointer, .. } = atomic.at {
                let (plane, mask) = (cx.plane(pointer), cx.mask());
                cx.check_defined(plane, mask, "the address");
            }
        }
        Instruction::Composite(
            CompositeInstruction::Extract { index: at, wide, count, .. }
            | CompositeInstruction::Insert { index: at, wide, count, .. },
        ) => {
            let plane = cx.plane(*at);
            index(cx, plane, *wide, *count);
        }
        _ => {}
    }
}

/// An index that should be below a length.
fn index(cx: &mut Context, plane: Plane, wide: bool, length: u32) {
    let value = |cx: &Context, lane| match wide {
        true => cx.registers.get_wide(plane, lane),
        false => u64::from(cx.registers.get(plane, lane)),
    };
    let found = lanes_of(lanes(cx, &[plane])).find(|&lane| value(cx, lane) >= u64::from(length));
    let Some(lane) = found else { return };
    if cx.registers.undefined(plane) >> lane & 1 != 0 {
        return cx.find_undefined(lane, "the index");
    }
    cx.find_with(FindingKind::OutOfBounds, lane, None, |cx| {
        let bits = value(cx, lane);
        let shown = if wide { bits as i64 } else { i64::from(bits as u32 as i32) };
        format!("index {shown} of an array of {length} elements")
    });
}

/// The lanes to look at: one speaks for all where all hold the same.
fn lanes(cx: &Context, planes: &[Plane]) -> Mask {
    match planes.iter().all(|&plane| cx.registers.is_uniform(plane)) {
        true if cx.mask() != 0 => 1 << cx.registers.first_active(),
        _ => cx.mask(),
    }
}

fn division_and_shift(i: &IntegerInstruction, cx: &mut Context) {
    use IntegerOp::{SDiv, SMod, SRem, ShiftLeft, ShiftRight, ShiftRightSigned, UDiv, UMod};
    let divides = matches!(i.op, SDiv | SMod | SRem | UDiv | UMod);
    if !divides && !matches!(i.op, ShiftLeft | ShiftRight | ShiftRightSigned) {
        return;
    }
    let planes = if i.width == 64 { 2 } else { 1 };
    let signed = matches!(i.op, SDiv | SMod | SRem);
    for component in 0..i.count {
        let (a, b) = (cx.plane(i.a) + component * planes, cx.plane(i.b) + component * planes);
        let read = |cx: &Context, plane, lane| match planes {
            2 => cx.registers.get_wide(plane, lane) as i64,
            _ if signed => i64::from(sign_extend(cx.registers.get(plane, lane), i.width) as i32),
            _ => i64::from(cx.registers.get(plane, lane)),
        };
        for lane in lanes_of(lanes(cx, &[b]) & !cx.registers.undefined(b)) {
            let (value, by) = (read(cx, a, lane), read(cx, b, lane));
            if divides && by == 0 {
                cx.find_with(FindingKind::DivisionByZero, lane, None, |_| {
                    format!("{value} is divided by 0; make sure that the divisor is not 0")
                });
            } else if signed && by == -1 && value == i64::MIN >> (64 - i.width) {
                cx.find_with(FindingKind::DivisionOverflow, lane, None, |_| {
                    format!("{value} divided by -1 does not fit in {} bits", i.width)
                });
            } else if !divides && !(0..i64::from(i.width)).contains(&by) {
                cx.find_with(FindingKind::ShiftAmount, lane, None, |_| {
                    format!("a {}-bit number is shifted by {by}; the amount must be less than {0}", i.width)
                });
            }
        }
    }
}

fn conversion(cx: &mut Context, format: Format, (width, signed): (u8, bool), count: u32, a: Slot) {
    let step = Scalar::Float(format).planes();
    for component in 0..count {
        let plane = cx.plane(a) + component * step;
        for lane in lanes_of(lanes(cx, &[plane]) & !cx.registers.undefined(plane)) {
            let value = number(cx, format, plane, lane).trunc();
            let (low, high) = match signed {
                true => (-(2f64.powi(i32::from(width) - 1)), 2f64.powi(i32::from(width) - 1)),
                false => (0.0, 2f64.powi(i32::from(width))),
            };
            if !(low <= value && value < high) {
                cx.find_with(FindingKind::InvalidConversion, lane, None, |cx| {
                    let value = number(cx, format, plane, lane);
                    let kind = if signed { "int" } else { "uint" };
                    format!("{value} does not fit in {kind}{width}_t; clamp it before the conversion")
                });
            }
        }
    }
}

fn number(cx: &Context, format: Format, plane: Plane, lane: usize) -> f64 {
    let bits = match format {
        Format::F64 => cx.registers.get_wide(plane, lane),
        _ => u64::from(cx.registers.get(plane, lane)),
    };
    format.to_f64(bits)
}

fn is_finite(cx: &Context, format: Format, plane: Plane, lane: usize) -> bool {
    let all_set = |mask: u32| cx.registers.get(plane, lane) & mask != mask;
    match format {
        Format::F32 => all_set(0x7f80_0000),
        Format::F16 => all_set(0x7c00),
        Format::BF16 => all_set(0x7f80),
        _ => number(cx, format, plane, lane).is_finite(),
    }
}

/// Looks at an instruction's result, and says more precisely which lanes of it are undefined.
pub(crate) fn after(instruction: &Instruction, cx: &mut Context) {
    match instruction {
        Instruction::Float(i) if !i.op.compares() => {
            let planes = Scalar::Float(i.format).planes();
            for index in 0..i.count {
                let result = cx.plane(i.result) + index * planes;
                let operands = [cx.plane(i.a) + index * planes, cx.plane(i.b) + index * i.step];
                born(cx, i.format, result, i.format, &operands);
            }
        }
        Instruction::Product(product) => match &**product {
            ProductInstruction::Fma { format, count, result, operands } => {
                let planes = Scalar::Float(*format).planes();
                for index in 0..*count {
                    let operands = operands.map(|slot| cx.plane(slot) + index * planes);
                    born(cx, *format, cx.plane(*result) + index * planes, *format, &operands);
                }
            }
            ProductInstruction::Sums { format, sums, inner, a_step, b_step } => {
                for sum in sums {
                    let operands: Vec<Plane> = (0..*inner)
                        .flat_map(|i| [cx.plane(sum.a) + i * a_step, cx.plane(sum.b) + i * b_step])
                        .collect();
                    born(cx, *format, cx.plane(sum.result), *format, &operands);
                }
            }
        },
        Instruction::Extended(extended) => {
            if let ExtendedInstruction::Component(i) = &**extended
                && let Scalar::Float(format) = i.scalar
            {
                let planes = Scalar::Float(format).planes();
                let operands = i.float_operands();
                for index in 0..i.count {
                    let operands: smallvec::SmallVec<[Plane; 3]> =
                        operands.iter().map(|slot| cx.plane(*slot) + index * planes).collect();
                    born(cx, format, cx.plane(i.result) + index * planes, format, &operands);
                }
            }
        }
        Instruction::Conversion(ConversionInstruction::Convert {
            from: Scalar::Float(from),
            to: Scalar::Float(to),
            count,
            result,
            a,
            ..
        }) => {
            let steps = (Scalar::Float(*from).planes(), Scalar::Float(*to).planes());
            for index in 0..*count {
                let (result, a) = (cx.plane(*result) + index * steps.1, cx.plane(*a) + index * steps.0);
                born(cx, *to, result, *from, &[a]);
            }
        }
        Instruction::Logic(LogicInstruction::Select { count, planes, result, condition, a, b }) => {
            for index in 0..*count {
                let condition = cx.plane(*condition) + index;
                let chosen = cx.registers.nonzero(condition);
                let unknown = cx.registers.undefined(condition);
                for plane in index * planes..(index + 1) * planes {
                    let (a, b) = (cx.plane(*a) + plane, cx.plane(*b) + plane);
                    let undefined = cx.registers.undefined(a) & chosen | cx.registers.undefined(b) & !chosen;
                    cx.registers.set_undefined(cx.plane(*result) + plane, undefined | unknown);
                }
            }
        }
        Instruction::Composite(composite) => precise_component(composite, cx),
        _ => {}
    }
}

/// Of a component that is chosen while running, only the chosen one matters.
fn precise_component(instruction: &CompositeInstruction, cx: &mut Context) {
    let index_at = |cx: &Context, plane, wide, lane| match wide {
        true => cx.registers.get_wide(plane, lane),
        false => u64::from(cx.registers.get(plane, lane)),
    };
    match *instruction {
        CompositeInstruction::Extract { result, vector, index, wide, count, planes } => {
            let (result, vector, index) = (cx.plane(result), cx.plane(vector), cx.plane(index));
            for plane in 0..planes {
                let mut undefined = cx.registers.undefined(index);
                for lane in lanes_of(cx.mask()) {
                    let chosen = index_at(cx, index, wide, lane);
                    if chosen < u64::from(count) {
                        let source = vector + chosen as u32 * planes + plane;
                        undefined |= cx.registers.undefined(source) & 1 << lane;
                    }
                }
                cx.registers.set_undefined(result + plane, undefined);
            }
        }
        CompositeInstruction::Insert { result, vector, component, index, wide, count, planes } => {
            let [result, vector, component, index] =
                [result, vector, component, index].map(|slot| cx.plane(slot));
            for part in 0..count {
                let mut chosen: Mask = 0;
                for lane in lanes_of(cx.mask()) {
                    chosen |= Mask::from(index_at(cx, index, wide, lane) == u64::from(part)) << lane;
                }
                for plane in 0..planes {
                    let old = cx.registers.undefined(vector + part * planes + plane);
                    let new = cx.registers.undefined(component + plane);
                    let undefined = old & !chosen | new & chosen | cx.registers.undefined(index);
                    cx.registers.set_undefined(result + part * planes + plane, undefined);
                }
            }
        }
    }
}

/// A NaN or an infinity that finite operands made.
fn born(cx: &mut Context, format: Format, result: Plane, from: Format, operands: &[Plane]) {
    let looked = lanes(cx, &[result]);
    let uniform = looked != cx.mask();
    let (mut nan, mut infinity): (Mask, Mask) = (0, 0);
    for lane in lanes_of(looked) {
        if is_finite(cx, format, result, lane) || cx.registers.undefined(result) >> lane & 1 != 0 {
            continue;
        }
        if operands.iter().all(|&operand| is_finite(cx, from, operand, lane)) {
            let lanes = if uniform { cx.mask() } else { 1 << lane };
            match number(cx, format, result, lane).is_nan() {
                true => nan |= lanes,
                false => infinity |= lanes,
            }
        }
    }
    for (lanes, is_nan) in [(nan, true), (infinity, false)] {
        if lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            cx.note_birth(is_nan, lanes, |cx| {
                let values: Vec<String> =
                    operands.iter().take(3).map(|&plane| number(cx, from, plane, lane).to_string()).collect();
                let what = if is_nan { "not a number" } else { "infinite" };
                format!(
                    "the result is {what}, although the operands are finite: {}; it is stored later",
                    values.join(" and ")
                )
            });
        }
    }
}
