//! Conversions between numbers, and bits taken as another type.

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::spirv::{Decoration, FPRoundingMode};
use coopmat_spirv::{Opcode, opcode};

use crate::ProgramError;
use crate::code::{ConversionInstruction, Instruction};
use crate::machine::{Context, Plane, Registers};
use crate::numerics::words::{from_half, low_bits, sign_extend, to_half};
use crate::numerics::{Denormals, Format, Overflow, Rounding};
use crate::program::controls::Treatment;
use crate::program::types::Scalar;
use crate::program::{Lowering, Type, Value};

const UNSIGNED: bool = false;

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Result<bool, ProgramError> {
    // Which signs the operand and the result have; none where the types say it.
    let (from_signed, to_signed, saturates) = match opcode(source) {
        Opcode::ConvertFToU => (None, Some(false), false),
        Opcode::ConvertFToS => (None, Some(true), false),
        Opcode::ConvertSToF | Opcode::SConvert => (Some(true), None, false),
        Opcode::ConvertUToF | Opcode::UConvert => (Some(false), None, false),
        Opcode::FConvert | Opcode::ConvertFToBF16INTEL | Opcode::ConvertBF16ToFINTEL => (None, None, false),
        Opcode::SatConvertSToU => (Some(true), Some(false), true),
        Opcode::SatConvertUToS => (Some(false), Some(true), true),
        Opcode::ConvertPtrToU
        | Opcode::ConvertUToPtr
        | Opcode::PtrCastToGeneric
        | Opcode::GenericCastToPtr
        | Opcode::Bitcast => {
            lower_bitcast(lowering, source)?;
            return Ok(true);
        }
        Opcode::QuantizeToF16 => {
            let a = lowering.operand(source, 0)?;
            let (scalar, count) = lowering.numbers(a.type_)?;
            let result = lowering.result(source)?;
            if scalar != Scalar::Float(Format::F32) || lowering.numbers(result.type_)? != (scalar, count) {
                return Err(ProgramError::new("OpQuantizeToF16 takes 32-bit numbers"));
            }
            let quantize = ConversionInstruction::QuantizeToF16 { count, result: result.slot, a: a.slot };
            lowering.emit(Instruction::Conversion(quantize));
            return Ok(true);
        }
        Opcode::BitcastExtractEXT => {
            lower_extract(lowering, source)?;
            return Ok(true);
        }
        _ => return Ok(false),
    };
    let a = lowering.operand(source, 0)?;
    let (from, count) = lowering.numbers(a.type_)?;
    let type_ = lowering.result_type(source)?;
    let (to, made) = lowering.numbers(type_)?;
    if count != made {
        return Err(ProgramError::new("a conversion between different numbers of components"));
    }
    let with_sign = |scalar: Scalar, signed: Option<bool>| match (scalar, signed) {
        (Scalar::Integer { width, .. }, Some(signed)) => Scalar::Integer { width, signed },
        (Scalar::Address, _) => Scalar::Integer { width: 64, signed: UNSIGNED },
        (other, _) => other,
    };
    // The sign of a result matters only where it saturates; of what is extended, the instruction says it.
    let (from, to) = (with_sign(from, from_signed), with_sign(to, to_signed));
    let extends = match (from, to) {
        (Scalar::Integer { width, signed }, Scalar::Integer { width: to_width, .. }) => {
            !signed && width <= to_width && to_width <= 32 && !saturates
        }
        _ => false,
    };
    if extends {
        // Small integers are held with zeros above them.
        return alias(lowering, source, a).map(|()| true);
    }
    let id = source.result_id.unwrap_or(0);
    let mode = lowering.annotations.literal(id, Decoration::FPRoundingMode);
    let rounding = match mode.and_then(FPRoundingMode::from_u32) {
        Some(FPRoundingMode::RTE) => Some(Rounding::NearestEven),
        Some(FPRoundingMode::RTZ) => Some(Rounding::TowardZero),
        Some(FPRoundingMode::RTP) => Some(Rounding::TowardPositive),
        Some(FPRoundingMode::RTN) => Some(Rounding::TowardNegative),
        None => None,
    };
    let clamps = lowering.annotations.has(id, Decoration::SaturatedToLargestFloat8NormalConversionEXT)
        || lowering.annotations.has(id, Decoration::SaturatedConversion);
    let overflow = if clamps || saturates { Overflow::Saturate } else { Overflow::Special };
    let result = lowering.result(source)?.slot;
    let a = a.slot;
    lowering.emit(Instruction::Conversion(ConversionInstruction::Convert {
        from,
        to,
        rounding,
        overflow,
        count,
        result,
        a,
    }));
    Ok(true)
}

/// The result is the operand's planes.
pub(super) fn alias(lowering: &mut Lowering, source: &Source, a: Value) -> Result<(), ProgramError> {
    let type_ = lowering.result_type(source)?;
    let id = source.result_id.ok_or_else(|| ProgramError::new("the instruction lacks a result"))?;
    if lowering.types().planes(type_) != lowering.types().planes(a.type_) {
        return Err(ProgramError::new("operand and result are of different sizes"));
    }
    if lowering.entities.contains_key(&id) || lowering.is_variable(a) {
        // An `OpPhi` before this one has met the result, or the operand may change.
        let result = lowering.result(source)?;
        let planes = lowering.types().planes(type_);
        lowering.emit(Instruction::copy(result.slot, a.slot, planes));
        return Ok(());
    }
    if let Some(body) = &mut lowering.body {
        body.shared.insert(id);
    }
    lowering.set(id, crate::program::lowering::Entity::Value(Value { slot: a.slot, type_ }));
    Ok(())
}

fn lower_bitcast(lowering: &mut Lowering, source: &Source) -> Result<(), ProgramError> {
    let a = lowering.operand(source, 0)?;
    let type_ = lowering.result_type(source)?;
    let (from, count) = lowering.numbers(a.type_)?;
    let (to, made) = lowering.numbers(type_)?;
    if from.width() == to.width() {
        return alias(lowering, source, a);
    }
    let bits = |scalar: Scalar, count: u32| u32::from(scalar.width()) * count;
    if bits(from, count) != bits(to, made) {
        if matches!(opcode(source), Opcode::ConvertPtrToU | Opcode::ConvertUToPtr) {
            let (from, to) = (
                Scalar::Integer { width: from.width(), signed: false },
                Scalar::Integer { width: to.width(), signed: false },
            );
            return convert(lowering, source, a, from, to, count);
        }
        return Err(ProgramError::new("a bitcast between different sizes"));
    }
    let result = lowering.result(source)?.slot;
    let repack =
        ConversionInstruction::Repack { from: from.width(), to: to.width(), count, result, a: a.slot };
    lowering.emit(Instruction::Conversion(repack));
    Ok(())
}

fn convert(
    lowering: &mut Lowering,
    source: &Source,
    a: Value,
    from: Scalar,
    to: Scalar,
    count: u32,
) -> Result<(), ProgramError> {
    let result = lowering.result(source)?.slot;
    let (rounding, overflow) = (None, Overflow::Special);
    let a = a.slot;
    let convert = ConversionInstruction::Convert { from, to, rounding, overflow, count, result, a };
    lowering.emit(Instruction::Conversion(convert));
    Ok(())
}

fn lower_extract(lowering: &mut Lowering, source: &Source) -> Result<(), ProgramError> {
    let (a, offset) = (lowering.operand(source, 0)?, lowering.operand(source, 1)?);
    let offset = resize(lowering, offset, 32)?;
    // The value may be an array of numbers, too.
    let components = |lowering: &Lowering, type_| match *lowering.types().get(type_) {
        Type::Array { element, length, .. } => {
            let (scalar, count) = lowering.numbers(element)?;
            Ok((scalar, count * length))
        }
        _ => lowering.numbers(type_),
    };
    let (from, count) = components(lowering, a.type_)?;
    let result = lowering.result(source)?;
    let (to, made) = components(lowering, result.type_)?;
    lowering.emit(Instruction::Conversion(ConversionInstruction::Extract {
        from: from.width(),
        count,
        to: to.width(),
        made,
        result: result.slot,
        a: a.slot,
        offset: offset.slot,
    }));
    Ok(())
}

/// An integer in another width, its bits kept or cut; signed ones keep their sign.
pub(super) fn resize(lowering: &mut Lowering, value: Value, width: u8) -> Result<Value, ProgramError> {
    let (scalar, count) = lowering.numbers(value.type_)?;
    let Scalar::Integer { width: old, signed } = scalar else {
        return Err(ProgramError::new("expected integers"));
    };
    if old == width {
        return Ok(value);
    }
    let to = Scalar::Integer { width, signed: false };
    let component = lowering.data.types.add(None, Type::Integer { width, signed: false })?;
    let type_ = match count {
        1 => component,
        _ => lowering.data.types.add(None, Type::Vector { component, count })?,
    };
    let result = lowering.allocate_value(type_)?;
    lowering.emit(Instruction::Conversion(ConversionInstruction::Convert {
        from: Scalar::Integer { width: old, signed },
        to,
        rounding: None,
        overflow: Overflow::Special,
        count,
        result: result.slot,
        a: value.slot,
    }));
    Ok(result)
}

pub(super) fn execute(instruction: &ConversionInstruction, cx: &mut Context) {
    match *instruction {
        ConversionInstruction::Convert { from, to, rounding, overflow, count, result, a } => {
            let (result, a) = (cx.plane(result), cx.plane(a));
            let treatment = |scalar: Scalar| match scalar {
                Scalar::Float(format) => cx.treatment(format),
                _ => Treatment::default(),
            };
            let (taken, made) = (treatment(from), treatment(to));
            let how = How {
                rounding: rounding.unwrap_or(made.rounding),
                overflow,
                taken: taken.denormals,
                made: made.denormals,
            };
            for index in 0..count {
                let (result, a) = (result + index * to.planes(), a + index * from.planes());
                convert_plane(cx.registers, (from, to), how, result, a);
            }
        }
        ConversionInstruction::Repack { from, to, count, result, a } => {
            let (result, a) = (cx.plane(result), cx.plane(a));
            let made = u32::from(from) * count / u32::from(to);
            repack(cx.registers, (from, count, a), (to, made, result), &|_, _| 0, &[]);
        }
        ConversionInstruction::Extract { from, count, to, made, result, a, offset } => {
            let (result, a, offset) = (cx.plane(result), cx.plane(a), cx.plane(offset));
            let at = |registers: &Registers, lane| registers.get(offset, lane);
            if count != made {
                repack(cx.registers, (from, count, a), (to, made, result), &at, &[offset]);
                return;
            }
            // "Results are computed per component" (SPV_EXT_ocp_microscaling_types): each from its own bits.
            let planes_of = |width: u8| if width == 64 { 2 } else { 1 };
            for index in 0..count {
                let (a, result) = (a + index * planes_of(from), result + index * planes_of(to));
                repack(cx.registers, (from, 1, a), (to, 1, result), &at, &[offset]);
            }
        }
        ConversionInstruction::QuantizeToF16 { count, result, a } => {
            let (result, a) = (cx.plane(result), cx.plane(a));
            for index in 0..count {
                cx.registers.map1(result + index, a + index, |word| {
                    let half = to_half(f32::from_bits(word));
                    let flushed = if half & 0x7c00 == 0 { half & 0x8000 } else { half };
                    from_half(flushed).to_bits()
                });
            }
        }
    }
}

/// How numbers are converted.
#[derive(Clone, Copy)]
struct How {
    rounding: Rounding,
    overflow: Overflow,
    /// Of the operand, and of the result.
    taken: Denormals,
    made: Denormals,
}

impl How {
    fn is_plain(self) -> bool {
        self.rounding == Rounding::NearestEven
            && self.overflow == Overflow::Special
            && self.taken == Denormals::Preserve
            && self.made == Denormals::Preserve
    }

    fn convert(self, from: Scalar, to: Scalar, bits: u64) -> u64 {
        let flush = |denormals: Denormals, scalar: Scalar, bits: u64| match (denormals, scalar) {
            (Denormals::Flush, Scalar::Float(format)) => format.flush(bits),
            _ => bits,
        };
        let bits = flush(self.taken, from, bits);
        flush(self.made, to, convert_bits(from, to, self.rounding, self.overflow, bits))
    }
}

fn convert_plane(registers: &mut Registers, (from, to): (Scalar, Scalar), how: How, result: Plane, a: Plane) {
    use Scalar::{Float, Integer};
    let plain = how.is_plain();
    match (from, to) {
        (Float(Format::F16), Float(Format::F32)) if plain => {
            registers.map1(result, a, |a| from_half(a).to_bits());
        }
        (Float(Format::F32), Float(Format::F16)) if plain => {
            registers.map1(result, a, |a| to_half(f32::from_bits(a)))
        }
        (Integer { width: 32, signed: true }, Float(Format::F32)) if plain => {
            registers.map1(result, a, |a| (a as i32 as f32).to_bits());
        }
        (Integer { width, signed: false }, Float(Format::F32)) if width <= 32 && plain => {
            registers.map1(result, a, |a| (a as f32).to_bits());
        }
        (Float(Format::F32), Integer { width: 32, signed: true }) => {
            registers.map1(result, a, |a| f32::from_bits(a) as i32 as u32);
        }
        (Float(Format::F32), Integer { width: 32, signed: false }) => {
            registers.map1(result, a, |a| f32::from_bits(a) as u32);
        }
        (Integer { width, signed }, Integer { width: to, .. })
            if width <= 32 && to <= 32 && how.overflow == Overflow::Special =>
        {
            let mask = low_bits(to);
            match signed {
                true => registers.map1(result, a, |a| sign_extend(a, width) & mask),
                false => registers.map1(result, a, |a| a & mask),
            }
        }
        _ => {
            let (wide, wide_result) = (from.planes() == 2, to.planes() == 2);
            let f = |bits: u64| how.convert(from, to, bits);
            match (wide, wide_result) {
                (false, false) => registers.map1(result, a, |a| f(u64::from(a)) as u32),
                (false, true) => registers.widen1(result, a, |a| f(u64::from(a))),
                (true, false) => registers.narrow1(result, a, |a| f(a) as u32),
                (true, true) => registers.wide1(result, a, f),
            }
        }
    }
}

/// A number as the bits of another kind of number.
fn convert_bits(from: Scalar, to: Scalar, rounding: Rounding, overflow: Overflow, bits: u64) -> u64 {
    let integer = |width: u8, signed: bool, bits: u64| -> i128 {
        let unused = 64 - u32::from(width);
        if signed {
            i128::from((bits << unused) as i64 >> unused)
        } else {
            i128::from(bits << unused >> unused)
        }
    };
    let cut = |width: u8, bits: u64| if width == 64 { bits } else { bits & ((1 << width) - 1) };
    match (from, to) {
        (Scalar::Integer { width, signed }, Scalar::Integer { width: to, signed: to_signed }) => {
            let mut value = integer(width, signed, bits);
            if overflow == Overflow::Saturate {
                let (low, high) = if to_signed {
                    (-(1i128 << (to - 1)), (1i128 << (to - 1)) - 1)
                } else {
                    (0, (1i128 << to) - 1)
                };
                value = value.clamp(low, high);
            }
            cut(to, value as u64)
        }
        (Scalar::Integer { width, signed }, Scalar::Float(format)) => {
            let value = integer(width, signed, bits);
            format.of_integer(value < 0, value.unsigned_abs() as u64, rounding)
        }
        (Scalar::Float(format), Scalar::Integer { width, signed }) => {
            // Toward zero; beyond the range, the nearest end of it, and zero for NaN.
            let value = format.to_f64(bits);
            let (low, high) = match signed {
                true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
                false => (0, (1i128 << width) - 1),
            };
            cut(width, (value as i128).clamp(low, high) as u64)
        }
        (Scalar::Float(from), Scalar::Float(to)) => {
            let value = from.to_f64(bits);
            to.from_f64(value, rounding, overflow)
        }
        _ => bits,
    }
}

fn common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// Components of one width as components of another, from a bit on.
fn repack(
    registers: &mut Registers,
    (from, count, a): (u8, u32, Plane),
    (to, made, result): (u8, u32, Plane),
    offset: &dyn Fn(&Registers, usize) -> u32,
    more: &[Plane],
) {
    let planes_of = |width: u8, count: u32| if width == 64 { count * 2 } else { count };
    let mut operands: smallvec::SmallVec<[Plane; 16]> = (a..a + planes_of(from, count)).collect();
    operands.extend_from_slice(more);
    // Bits are read in pieces that both widths are made of.
    let piece = common_divisor(u32::from(from), u32::from(to)).min(32);
    let read = |registers: &Registers, lane: usize, bit: u32| -> u32 {
        let width = u32::from(from);
        let component = bit / width;
        if component >= count {
            return 0;
        }
        let within = bit % width;
        let plane = match from {
            64 => a + component * 2 + within / 32,
            _ => a + component,
        };
        registers.get(plane, lane) >> (within % 32) & low_bits(piece as u8)
    };
    for index in 0..planes_of(to, made) {
        let (first, width) = match to {
            64 => (index * 32, 32),
            _ => (index * u32::from(to), u32::from(to)),
        };
        registers.lanewise(result + index, &operands, |registers, lane| {
            let start = offset(registers, lane).saturating_add(first);
            let pieces = (0..width / piece)
                .map(|i| read(registers, lane, start.saturating_add(i * piece)) << (i * piece));
            [pieces.fold(0, |word, piece| word | piece)]
        });
    }
}
