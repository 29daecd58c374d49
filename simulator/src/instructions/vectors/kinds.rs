//! Component interpretations of cooperative vectors, and conversions to them (SPV_NV_cooperative_vector, Component Type and
//! OpCooperativeVectorMatrixMulAddNV).

use coopmat_spirv::dr::Instruction as Source;

use super::operands::{Stop, not_run};
use crate::numerics::format::Parts;
use crate::numerics::{Format, Overflow, Rounding};
use crate::program::Lowering;
use crate::program::types::Scalar;

/// The numbers that a component interpretation stands for, and whether they are packed into components of 32 bits.
pub(super) fn interpretation(
    lowering: &Lowering,
    source: &Source,
    index: usize,
) -> Result<(Scalar, bool), Stop> {
    let float = |format| (Scalar::Float(format), false);
    let integer = |width, signed| (Scalar::Integer { width, signed }, false);
    Ok(match lowering.constant_operand(source, index)? {
        0 => float(Format::F16),
        1 => float(Format::F32),
        2 => float(Format::F64),
        3 => integer(8, true),
        4 => integer(16, true),
        5 => integer(32, true),
        6 => integer(64, true),
        7 => integer(8, false),
        8 => integer(16, false),
        9 => integer(32, false),
        10 => integer(64, false),
        1_000_491_000 => (Scalar::Integer { width: 8, signed: true }, true),
        1_000_491_001 => (Scalar::Integer { width: 8, signed: false }, true),
        1_000_491_002 => float(Format::E4M3),
        1_000_491_003 => float(Format::E5M2),
        number => return not_run(format!("there is no component interpretation {number}")),
    })
}

/// The same of what lies in memory, where nothing is packed.
pub(super) fn stored(lowering: &Lowering, source: &Source, index: usize) -> Result<Scalar, Stop> {
    match interpretation(lowering, source, index)? {
        (scalar, false) => Ok(scalar),
        (_, true) => not_run("only an input is packed: use the interpretation that is not"),
    }
}

/// The bits of an integer as its sign says.
pub(super) fn integer(bits: u64, scalar: Scalar) -> i64 {
    let Scalar::Integer { width, signed } = scalar else { return bits as i64 };
    let unused = 64 - u32::from(width);
    let shifted = bits << unused;
    if signed { shifted as i64 >> unused } else { (shifted >> unused) as i64 }
}

/// The same as a number: 64 bits without a sign are none of 64 bits with one.
fn exact(bits: u64, scalar: Scalar) -> i128 {
    match scalar {
        Scalar::Integer { signed: false, .. } => i128::from(integer(bits, scalar) as u64),
        _ => i128::from(integer(bits, scalar)),
    }
}

/// A number of another type: "Integer to integer conversion saturates. Float to float conversion is implementation-dependent but preserves the value as
/// accurately as reasonably possible. Float to integer conversion is round-to-nearest-even and saturating. Integer to float conversion is
/// round-to-nearest-even." To floats, the nearest number; beyond the largest one, infinity, but the largest one of 8 bits. NaN becomes 0.
pub(super) fn converted(bits: u64, from: Scalar, to: Scalar) -> u64 {
    let saturated = |value: i128, width: u8, signed: bool| {
        let (low, high) = match signed {
            true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
            false => (0, (1i128 << width) - 1),
        };
        value.clamp(low, high) as u64 & (u64::MAX >> (64 - u32::from(width)))
    };
    match (from, to) {
        (Scalar::Float(from), Scalar::Float(to)) if from == to => bits,
        (Scalar::Float(from), Scalar::Float(to)) => {
            to.from_f64(from.to_f64(bits), Rounding::NearestEven, overflow(to))
        }
        // Zero for NaN, as `as` has it.
        (Scalar::Float(from), Scalar::Integer { width, signed }) => {
            saturated(from.to_f64(bits).round_ties_even() as i128, width, signed)
        }
        (_, Scalar::Float(to)) => {
            let value = exact(bits, from);
            let significand = value.unsigned_abs() as u64;
            let parts = Parts { negative: value < 0, significand, exponent: 0, sticky: false };
            to.round(parts, Rounding::NearestEven, overflow(to))
        }
        (_, Scalar::Integer { width, signed }) => saturated(exact(bits, from), width, signed),
        _ => bits,
    }
}

fn overflow(format: Format) -> Overflow {
    if format.width() == 8 { Overflow::Saturate } else { Overflow::Special }
}
