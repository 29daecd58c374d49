//! Functions that work on each component.

use coopmat_spirv::spirv::GlslStd450Op as Gl;

use super::super::controlled;
use super::super::float::floats;
use super::super::numbers::{called1, called2, float1, float2, float3};
use crate::ProgramError;
use crate::code::{ComponentInstruction, ExtendedInstruction};
use crate::machine::{Context, Plane, Registers, halves};
use crate::numerics::words::{bits64, low_bits, sign_extend, widen};
use crate::numerics::{Format, Overflow, Rounding};
use crate::program::types::Scalar;
use crate::program::{Lowering, Slot, Value};

impl ComponentInstruction {
    /// Its operands that are floating-point numbers.
    pub(in super::super) fn float_operands(&self) -> smallvec::SmallVec<[Slot; 3]> {
        // The exponent that `ldexp` takes is an integer.
        let count = if self.op == Gl::Ldexp { 1 } else { operands_of(self.op) };
        [self.a, self.b, self.c].into_iter().take(count).collect()
    }
}

/// How many operands a function of each component has.
fn operands_of(op: Gl) -> usize {
    match op {
        Gl::Atan2 | Gl::Pow | Gl::FMin | Gl::FMax | Gl::NMin | Gl::NMax | Gl::Step | Gl::Ldexp => 2,
        Gl::FClamp | Gl::NClamp | Gl::FMix | Gl::IMix | Gl::SmoothStep => 3,
        _ => 1,
    }
}

fn is_integer(op: Gl) -> bool {
    matches!(op, Gl::SAbs | Gl::SSign | Gl::FindILsb | Gl::FindSMsb | Gl::FindUMsb)
}

pub(super) fn emit(
    lowering: &mut Lowering,
    result: Value,
    op: Gl,
    values: &[Value],
) -> Result<(), ProgramError> {
    if values.len() != operands_of(op) {
        return Err(ProgramError::new("an extended instruction with another number of operands"));
    }
    let (scalar, count) = lowering.numbers(values[0].type_)?;
    let (made, made_count) = lowering.numbers(result.type_)?;
    let is_number = match is_integer(op) {
        true => matches!(scalar, Scalar::Integer { .. }) && made.width() == scalar.width(),
        false => matches!(scalar, Scalar::Float(_)) && made == scalar,
    };
    if count != made_count || !is_number {
        return Err(ProgramError::new("an extended instruction with operands of other types"));
    }
    let mut other = 32;
    for (index, value) in values.iter().enumerate().skip(1) {
        let kind = lowering.numbers(value.type_)?;
        match (op, kind.0) {
            (Gl::Ldexp, Scalar::Integer { width, .. }) if index == 1 && kind.1 == count => other = width,
            _ if kind == (scalar, count) && op != Gl::Ldexp => {}
            _ => return Err(ProgramError::new("an extended instruction with operands of other types")),
        }
    }
    let operand = |index: usize| values.get(index).unwrap_or(&values[0]).slot;
    lowering.emit(
        ExtendedInstruction::Component(ComponentInstruction {
            op,
            scalar,
            count,
            result: result.slot,
            made: made.planes(),
            second: result.slot,
            second_made: 0,
            a: operand(0),
            b: operand(1),
            c: operand(2),
            other,
        })
        .into(),
    );
    Ok(())
}

/// `modf` and `frexp`, which have two results.
pub(super) fn emit_pair(
    lowering: &mut Lowering,
    op: Gl,
    first: Value,
    second: Value,
    a: Value,
) -> Result<(), ProgramError> {
    let (format, count) = floats(lowering, a)?;
    let scalar = Scalar::Float(format);
    let (other, other_count) = lowering.numbers(second.type_)?;
    let fits = match op {
        Gl::Modf | Gl::ModfStruct => other == scalar,
        _ => matches!(other, Scalar::Integer { .. }),
    };
    if lowering.numbers(first.type_)? != (scalar, count) || other_count != count || !fits {
        return Err(ProgramError::new("an extended instruction with operands of other types"));
    }
    lowering.emit(
        ExtendedInstruction::Component(ComponentInstruction {
            op,
            scalar,
            count,
            result: first.slot,
            made: scalar.planes(),
            second: second.slot,
            second_made: other.planes(),
            a: a.slot,
            b: a.slot,
            c: a.slot,
            other: other.width(),
        })
        .into(),
    );
    Ok(())
}

pub(super) fn execute(instruction: &ComponentInstruction, cx: &mut Context) {
    let i = instruction;
    let planes = i.scalar.planes();
    let [result, second, a, b, c] = [i.result, i.second, i.a, i.b, i.c].map(|slot| cx.plane(slot));
    let b_planes = if i.op == Gl::Ldexp && i.other < 64 { 1 } else { planes };
    for index in 0..i.count {
        let result = result + index * i.made;
        let second = second + index * i.second_made;
        let operands = [a + index * planes, b + index * b_planes, c + index * planes];
        match i.scalar {
            Scalar::Float(format) => {
                float(cx.registers, i, format, [result, second], operands);
                let treatment = cx.treatment(format);
                controlled::flush(cx.registers, format, treatment, result);
            }
            Scalar::Integer { width, .. } => integer(cx.registers, i.op, width, result, operands[0]),
            Scalar::Bool | Scalar::Address | Scalar::Index => {}
        }
    }
}

fn integer(registers: &mut Registers, op: Gl, width: u8, result: Plane, a: Plane) {
    let f = move |bits: u64| -> u64 {
        let unused = 64 - u32::from(width);
        let signed = (bits << unused) as i64 >> unused;
        let highest = |bits: u64| if bits == 0 { u64::MAX } else { u64::from(63 - bits.leading_zeros()) };
        match op {
            Gl::SAbs => signed.wrapping_abs() as u64,
            Gl::SSign => signed.signum() as u64,
            Gl::FindILsb => {
                if bits == 0 {
                    u64::MAX
                } else {
                    u64::from(bits.trailing_zeros())
                }
            }
            Gl::FindUMsb => highest(bits),
            _ => highest(if signed < 0 { !signed as u64 } else { signed as u64 }),
        }
    };
    match width {
        64 => registers.wide1(result, a, f),
        _ => registers.map1(result, a, |a| f(u64::from(a)) as u32 & low_bits(width)),
    }
}

fn fract(a: f32) -> f32 {
    // Never 1, as the difference of a tiny negative number would be.
    (a - libm::floorf(a)).min(f32::from_bits(0x3f7f_ffff))
}

fn fract64(a: f64) -> f64 {
    (a - libm::floor(a)).min(f64::from_bits(0x3fef_ffff_ffff_ffff))
}

fn float(
    registers: &mut Registers,
    i: &ComponentInstruction,
    format: Format,
    [result, second]: [Plane; 2],
    [a, b, c]: [Plane; 3],
) {
    macro_rules! one {
        ($single:expr, $double:expr) => {
            float1(registers, format, result, a, $single, $double)
        };
    }
    macro_rules! call {
        ($single:expr, $double:expr) => {
            called1(registers, format, result, a, $single, $double)
        };
    }
    macro_rules! two {
        ($single:expr, $double:expr) => {
            float2(registers, format, result, [a, b], $single, $double)
        };
    }
    macro_rules! three {
        ($single:expr, $double:expr) => {
            float3(registers, format, result, [a, b, c], $single, $double)
        };
    }
    match i.op {
        // Round gives the same as RoundEven at ties, which it may.
        Gl::Round | Gl::RoundEven => one!(libm::rintf, libm::rint),
        Gl::Trunc => one!(libm::truncf, libm::trunc),
        Gl::FAbs => one!(f32::abs, f64::abs),
        Gl::FSign => call!(
            |a| if a > 0.0 {
                1.0
            } else if a < 0.0 {
                -1.0
            } else {
                a
            },
            |a| if a > 0.0 {
                1.0
            } else if a < 0.0 {
                -1.0
            } else {
                a
            }
        ),
        Gl::Floor => one!(libm::floorf, libm::floor),
        Gl::Ceil => one!(libm::ceilf, libm::ceil),
        Gl::Fract => one!(fract, fract64),
        Gl::Radians => call!(|a| a * (std::f32::consts::PI / 180.0), |a| a * (std::f64::consts::PI / 180.0)),
        Gl::Degrees => call!(|a| a * (180.0 / std::f32::consts::PI), |a| a * (180.0 / std::f64::consts::PI)),
        Gl::Sin => call!(libm::sinf, libm::sin),
        Gl::Cos => call!(libm::cosf, libm::cos),
        Gl::Tan => call!(libm::tanf, libm::tan),
        Gl::Asin => call!(libm::asinf, libm::asin),
        Gl::Acos => call!(libm::acosf, libm::acos),
        Gl::Atan => call!(libm::atanf, libm::atan),
        Gl::Sinh => call!(libm::sinhf, libm::sinh),
        Gl::Cosh => call!(libm::coshf, libm::cosh),
        Gl::Tanh => call!(libm::tanhf, libm::tanh),
        Gl::Asinh => call!(libm::asinhf, libm::asinh),
        Gl::Acosh => call!(libm::acoshf, libm::acosh),
        Gl::Atanh => call!(libm::atanhf, libm::atanh),
        Gl::Atan2 => called2(registers, format, result, [a, b], libm::atan2f, libm::atan2),
        Gl::Pow => called2(registers, format, result, [a, b], libm::powf, libm::pow),
        Gl::Exp => call!(libm::expf, libm::exp),
        Gl::Log => call!(libm::logf, libm::log),
        Gl::Exp2 => call!(libm::exp2f, libm::exp2),
        Gl::Log2 => call!(libm::log2f, libm::log2),
        Gl::Sqrt => one!(f32::sqrt, f64::sqrt),
        Gl::InverseSqrt => one!(|a| (1.0 / f64::from(a).sqrt()) as f32, |a| 1.0 / a.sqrt()),
        // Where one is NaN, the other one: the environment leaves it open.
        Gl::FMin | Gl::NMin => two!(min32, min64),
        Gl::FMax | Gl::NMax => two!(max32, max64),
        Gl::FClamp | Gl::NClamp => {
            three!(|a, low, high| min32(max32(a, low), high), |a, low, high| min64(max64(a, low), high))
        }
        Gl::FMix => three!(|a, b, t| a * (1.0 - t) + b * t, |a, b, t| a * (1.0 - t) + b * t),
        Gl::Step => {
            two!(|edge, a| if a < edge { 0.0 } else { 1.0 }, |edge, a| if a < edge { 0.0 } else { 1.0 })
        }
        Gl::SmoothStep => three!(
            |low, high, a| {
                let t = min32(max32((a - low) / (high - low), 0.0), 1.0);
                t * t * (3.0 - 2.0 * t)
            },
            |low, high, a| {
                let t = min64(max64((a - low) / (high - low), 0.0), 1.0);
                t * t * (3.0 - 2.0 * t)
            }
        ),
        Gl::Ldexp => ldexp(registers, i, format, result, a, b),
        Gl::Modf | Gl::ModfStruct => {
            called1(registers, format, second, a, libm::truncf, libm::trunc);
            call!(
                |a| if a.is_infinite() { 0f32.copysign(a) } else { (a - libm::truncf(a)).copysign(a) },
                |a| if a.is_infinite() { 0f64.copysign(a) } else { (a - libm::trunc(a)).copysign(a) }
            );
        }
        Gl::Frexp | Gl::FrexpStruct => {
            let exponent = |bits: u64| libm::frexp(format.to_f64(bits)).1 as u32;
            let operand: &[Plane] = if format == Format::F64 { &[a, a + 1] } else { &[a] };
            let bits = move |r: &Registers, lane: usize| match format {
                Format::F64 => r.get_wide(a, lane),
                _ => u64::from(r.get(a, lane)),
            };
            let mask = low_bits(i.other.min(32));
            registers.lanewise(second, operand, |r, lane| [exponent(bits(r, lane)) & mask]);
            if i.second_made == 2 {
                registers
                    .lanewise(second + 1, operand, |r, lane| [(exponent(bits(r, lane)) as i32 >> 31) as u32]);
            }
            call!(|a| libm::frexp(f64::from(a)).0 as f32, |a| libm::frexp(a).0);
        }
        // Others have files of their own.
        _ => {}
    }
}

fn ldexp(
    registers: &mut Registers,
    i: &ComponentInstruction,
    format: Format,
    result: Plane,
    a: Plane,
    b: Plane,
) {
    let width = i.other;
    let exponent = move |r: &Registers, lane: usize| match width {
        64 => (r.get_wide(b, lane) as i64).clamp(-10_000, 10_000) as i32,
        32 => r.get(b, lane) as i32,
        _ => sign_extend(r.get(b, lane), width) as i32,
    };
    match format {
        Format::F64 => registers.lanewise(result, &[a, a + 1, b], |r, lane| {
            let value = libm::ldexp(f64::from_bits(r.get_wide(a, lane)), exponent(r, lane));
            halves(bits64(value))
        }),
        _ => registers.lanewise(result, &[a, b], |r, lane| {
            let value = libm::ldexp(f64::from(widen(format, r.get(a, lane))), exponent(r, lane));
            [format.from_f64(value, Rounding::NearestEven, Overflow::Special) as u32]
        }),
    }
}

fn min32(a: f32, b: f32) -> f32 {
    if b < a || a.is_nan() { b } else { a }
}

fn max32(a: f32, b: f32) -> f32 {
    if a < b || a.is_nan() { b } else { a }
}

fn min64(a: f64, b: f64) -> f64 {
    if b < a || a.is_nan() { b } else { a }
}

fn max64(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { b } else { a }
}
