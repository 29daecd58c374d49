//! Constants, each declared once.

mod table;

use coopmat_analysis::hir::Const;
use coopmat_analysis::types::{ArrayLength, Scalar, ScalarClass, Ty, TypeKind};
use coopmat_spirv::scalar::Float;
use rspirv::dr::Operand;
use rspirv::spirv::{Op, Word};
use smallvec::SmallVec;

use crate::codegen::{Codegen, Emit};

pub(crate) use table::Constants;

impl<'a> Codegen<'a> {
    pub fn bool_constant(&mut self, value: bool) -> Word {
        self.scalar_bits(Scalar::Bool, u64::from(value))
    }

    pub fn uint_constant(&mut self, value: u32) -> Word {
        self.scalar_bits(Scalar::Uint32, u64::from(value))
    }

    pub fn int_constant(&mut self, value: i32) -> Word {
        self.scalar_bits(Scalar::Int32, u64::from(value as u32))
    }

    /// An integer in any integer type, cut to its width.
    pub fn integer_constant(&mut self, scalar: Scalar, value: i128) -> Word {
        let bits = match scalar {
            Scalar::Bool => u64::from(value != 0),
            // Narrow numbers are extended by their sign to the 32 bits of the literal.
            Scalar::Int8 => u64::from(value as i8 as u32),
            Scalar::Int16 => u64::from(value as i16 as u32),
            Scalar::Uint8 => u64::from(value as u8),
            Scalar::Uint16 => u64::from(value as u16),
            Scalar::Int64 | Scalar::Uint64 => value as u64,
            _ => u64::from(value as u32),
        };
        self.scalar_bits(scalar, bits)
    }

    pub fn float_constant(&mut self, scalar: Scalar, value: f64) -> Word {
        self.scalar_bits(scalar, float_bits(scalar, value))
    }

    /// 1 in the type of a scalar.
    pub fn one(&mut self, scalar: Scalar) -> Word {
        match scalar.class() {
            ScalarClass::Float | ScalarClass::SmallFloat => self.float_constant(scalar, 1.0),
            _ => self.integer_constant(scalar, 1),
        }
    }

    /// 0, or false, in the type of a scalar.
    pub fn zero(&mut self, scalar: Scalar) -> Word {
        self.scalar_bits(scalar, 0)
    }

    fn scalar_bits(&mut self, scalar: Scalar, bits: u64) -> Word {
        if let Some(&id) = self.constants.scalars.get(&(scalar, bits)) {
            return id;
        }
        let id = self.new_scalar(scalar, bits, [Op::ConstantTrue, Op::ConstantFalse, Op::Constant]);
        self.constants.scalars.insert((scalar, bits), id);
        id
    }

    /// A constant of its own, by the instructions for true, false and numbers.
    pub fn new_scalar(&mut self, scalar: Scalar, bits: u64, [yes, no, number]: [Op; 3]) -> Word {
        let ty = self.scalar_type(scalar);
        if scalar == Scalar::Bool {
            return self.b.global(if bits != 0 { yes } else { no }, Some(ty), Vec::new());
        }
        // Constants of small types need the capability of arithmetic in them.
        self.b.computes_in(ty);
        let literal = match scalar.bits() {
            64 => Operand::LiteralBit64(bits),
            _ => Operand::LiteralBit32(bits as u32),
        };
        self.b.global(number, Some(ty), vec![literal])
    }

    /// A vector, matrix, array or structure of constants. `specialization`: whether a part is a specialization constant.
    pub fn composite_constant(&mut self, ty: Word, parts: &[Word], specialization: bool) -> Word {
        let key = (specialization, ty, SmallVec::from_slice(parts));
        if let Some(&id) = self.constants.composites.get(&key) {
            return id;
        }
        let op = if specialization { Op::SpecConstantComposite } else { Op::ConstantComposite };
        let operands = parts.iter().map(|&part| Operand::IdRef(part)).collect();
        let id = self.b.global(op, Some(ty), operands);
        self.constants.composites.insert(key, id);
        id
    }

    /// The same constant in each of some components; the constant itself for one.
    pub fn splat_constant(&mut self, scalar: Scalar, length: u32, value: Word) -> Word {
        if length == 1 {
            return value;
        }
        let ty = self.vector_type(scalar, length);
        let parts: SmallVec<[Word; 4]> = (0..length).map(|_| value).collect();
        self.composite_constant(ty, &parts, false)
    }

    /// Zero in each part of a type.
    pub fn null_constant(&mut self, ty: Word) -> Word {
        if let Some(&id) = self.constants.nulls.get(&ty) {
            return id;
        }
        let id = self.b.global(Op::ConstantNull, Some(ty), Vec::new());
        self.constants.nulls.insert(ty, id);
        id
    }

    /// A value of which nothing is said.
    pub fn undefined(&mut self, ty: Word) -> Word {
        if let Some(&id) = self.constants.undefined.get(&ty) {
            return id;
        }
        let id = self.b.global(Op::Undef, Some(ty), Vec::new());
        self.constants.undefined.insert(ty, id);
        id
    }

    /// A constant whose value is known while compiling. `None` where it is not, or where it depends on specialization.
    pub fn constant(&mut self, value: &Const, ty: Ty) -> Emit<Option<Word>> {
        if !is_known(value) {
            return Ok(None);
        }
        self.known_constant(value, ty).map(Some)
    }

    fn known_constant(&mut self, value: &Const, ty: Ty) -> Emit<Word> {
        let kind = self.types.kind(ty);
        match (value, kind) {
            (Const::Bool(value), _) => Ok(self.bool_constant(*value)),
            (Const::Int(value), TypeKind::Scalar(scalar)) => Ok(match scalar.class() {
                ScalarClass::Float | ScalarClass::SmallFloat => self.float_constant(*scalar, *value as f64),
                _ => self.integer_constant(*scalar, *value),
            }),
            (Const::Float(value), TypeKind::Scalar(scalar)) => Ok(match scalar.class() {
                ScalarClass::Float | ScalarClass::SmallFloat => self.float_constant(*scalar, *value),
                _ => self.integer_constant(*scalar, *value as i128),
            }),
            (Const::Composite(values), kind) => {
                let mut parts: SmallVec<[Word; 16]> = SmallVec::with_capacity(values.len());
                match *kind {
                    TypeKind::Vector(scalar, _)
                    | TypeKind::LongVector(scalar, _)
                    | TypeKind::CoopVec(scalar, _) => {
                        for value in values.iter() {
                            parts.push(self.scalar_constant(value, scalar)?);
                        }
                    }
                    TypeKind::Matrix { component, rows, .. } => {
                        let column = self.vector_type(component, u32::from(rows));
                        for value in values.iter() {
                            let Const::Composite(rows) = value else {
                                return Err(self.inconsistent("a matrix constant without columns"));
                            };
                            let mut inner: SmallVec<[Word; 4]> = SmallVec::new();
                            for value in rows.iter() {
                                inner.push(self.scalar_constant(value, component)?);
                            }
                            parts.push(self.composite_constant(column, &inner, false));
                        }
                    }
                    TypeKind::Array(element, ArrayLength::Sized(_)) => {
                        for value in values.iter() {
                            parts.push(self.known_constant(value, element)?);
                        }
                    }
                    TypeKind::Struct(structure) => {
                        let members = &self.hir.structs[structure].members;
                        for (value, member) in values.iter().zip(members) {
                            parts.push(self.known_constant(value, member.ty)?);
                        }
                    }
                    _ => return Err(self.inconsistent("a constant of another type than its expression")),
                }
                let ty = self.type_id(ty)?;
                Ok(self.composite_constant(ty, &parts, false))
            }
            _ => Err(self.inconsistent("a constant of another type than its expression")),
        }
    }

    fn scalar_constant(&mut self, value: &Const, scalar: Scalar) -> Emit<Word> {
        match value {
            Const::Bool(value) => Ok(self.bool_constant(*value)),
            Const::Int(value) if scalar.is_float() => Ok(self.float_constant(scalar, *value as f64)),
            Const::Int(value) => Ok(self.integer_constant(scalar, *value)),
            Const::Float(value) => Ok(self.float_constant(scalar, *value)),
            Const::Composite(_) | Const::Symbolic(_) | Const::Opaque { .. } => {
                Err(self.inconsistent("a component that is no scalar"))
            }
        }
    }
}

/// Whether all of a value is known.
pub(crate) fn is_known(value: &Const) -> bool {
    match value {
        Const::Bool(_) | Const::Int(_) | Const::Float(_) => true,
        Const::Composite(parts) => parts.iter().all(is_known),
        Const::Symbolic(_) | Const::Opaque { .. } => false,
    }
}

/// A constant as a literal operand of an instruction.
pub(crate) fn literal(value: &Const, scalar: Option<Scalar>) -> Option<Operand> {
    Some(match (value, scalar?) {
        (Const::Bool(value), _) => Operand::LiteralBit32(u32::from(*value)),
        (Const::Int(value), scalar) if scalar.bits() == 64 => Operand::LiteralBit64(*value as u64),
        (Const::Int(value), _) => Operand::LiteralBit32(*value as u32),
        (Const::Float(value), Scalar::Float64) => Operand::LiteralBit64(value.to_bits()),
        (Const::Float(value), scalar) => Operand::LiteralBit32(float_bits(scalar, *value) as u32),
        (Const::Composite(_) | Const::Symbolic(_) | Const::Opaque { .. }, _) => return None,
    })
}

/// The bits of a number in a format, rounded to the nearest, ties to even.
pub(crate) fn float_bits(scalar: Scalar, value: f64) -> u64 {
    let format = match scalar {
        Scalar::Float64 => Float::F64,
        Scalar::Float16 => Float::F16,
        Scalar::BFloat16 => Float::BF16,
        Scalar::FloatE5M2 => Float::E5M2,
        Scalar::FloatE4M3 => Float::E4M3,
        Scalar::FloatE2M1 => Float::E2M1,
        Scalar::FloatE3M2 => Float::E3M2,
        Scalar::FloatE2M3 => Float::E2M3,
        Scalar::FloatUE8M0 => Float::UE8M0,
        Scalar::FloatMxInt8 => Float::MxInt8,
        _ => Float::F32,
    };
    format.encode(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_bits_of_their_formats() {
        let bits = |scalar, value| float_bits(scalar, value);
        assert_eq!(bits(Scalar::Float16, 1.0), 0x3c00);
        assert_eq!(bits(Scalar::Float16, -2.5), 0xc100);
        assert_eq!(bits(Scalar::Float16, 65504.0), 0x7bff);
        assert_eq!(bits(Scalar::Float16, 1e9), 0x7c00);
        assert_eq!(bits(Scalar::Float16, 5.960464477539063e-8), 1);
        assert_eq!(bits(Scalar::BFloat16, 1.0), 0x3f80);
        assert_eq!(bits(Scalar::FloatE4M3, 448.0), 0x7e);
        assert_eq!(bits(Scalar::FloatE4M3, 1.0), 0x38);
        assert_eq!(bits(Scalar::FloatE5M2, 1.0), 0x3c);
        assert_eq!(bits(Scalar::FloatE2M1, 6.0), 0b0111);
        assert_eq!(bits(Scalar::FloatE2M1, 0.5), 1);
        assert_eq!(bits(Scalar::Float32, 1.0), 0x3f80_0000);
    }
}
