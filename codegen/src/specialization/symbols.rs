//! Symbolic sizes as constants: polynomials over specialization constants, and what these cannot hold.

use coopmat_analysis::symbolic::{Sym, SymKind, SymOp};
use coopmat_analysis::types::{Scalar, ScalarClass};
use rspirv::spirv::{Op, Word};
use smallvec::SmallVec;

use crate::codegen::{Codegen, Emit};
use crate::target::SpirvVersion;

impl<'a> Codegen<'a> {
    /// A symbol's value in `int`, `uint` or `bool`.
    pub(super) fn symbol(&mut self, symbol: Sym, want: Scalar) -> Emit<Word> {
        if let Some(&id) = self.spec.symbols.get(&(symbol, want)) {
            return Ok(id);
        }
        let ty = self.scalar_type(want);
        let types = self.types;
        let (id, have) = match types.symbols.kind(symbol) {
            SymKind::Int(value) => (self.integer_constant(want, i128::from(*value)), want),
            SymKind::Spec(atom) => self.spec_atom(atom)?,
            SymKind::Unknown(_) => {
                return Err(
                    self.fail("a size depends on a constant expression that is too complex to be analysed")
                );
            }
            SymKind::Sum { terms, constant } => {
                let want = if want == Scalar::Bool { Scalar::Uint32 } else { want };
                let ty = self.scalar_type(want);
                let mut sum = None;
                for (monomial, coefficient) in terms {
                    let mut product = None;
                    for &atom in monomial {
                        let atom = self.symbol(atom, want)?;
                        product = Some(match product {
                            Some(product) => self.spec_op(Op::IMul, ty, &[product, atom]),
                            None => atom,
                        });
                    }
                    let Some(mut product) = product else { continue };
                    if *coefficient != 1 {
                        let factor = self.integer_constant(want, i128::from(*coefficient));
                        product = self.spec_op(Op::IMul, ty, &[product, factor]);
                    }
                    sum = Some(match sum {
                        Some(sum) => self.spec_op(Op::IAdd, ty, &[sum, product]),
                        None => product,
                    });
                }
                let constant_id = |codegen: &mut Self| codegen.integer_constant(want, i128::from(*constant));
                let id = match sum {
                    Some(sum) if *constant == 0 => sum,
                    Some(sum) => {
                        let constant = constant_id(self);
                        self.spec_op(Op::IAdd, ty, &[sum, constant])
                    }
                    None => constant_id(self),
                };
                (id, want)
            }
            SymKind::Apply(op, operands) => self.applied(*op, operands, want)?,
        };
        let id = match (have, want) {
            (have, want) if have == want => id,
            (Scalar::Bool, _) => {
                let (one, zero) = (self.one(want), self.zero(want));
                self.spec_op(Op::Select, ty, &[id, one, zero])
            }
            (have, Scalar::Bool) => {
                let zero = self.zero(have);
                self.spec_op(Op::INotEqual, ty, &[id, zero])
            }
            (have, want) => self.spec_resized(id, have, want),
        };
        self.spec.symbols.insert((symbol, want), id);
        Ok(id)
    }

    /// An integer constant in another integer type.
    pub(super) fn spec_resized(&mut self, id: Word, from: Scalar, to: Scalar) -> Word {
        let ty = self.scalar_type(to);
        if from.bits() != to.bits() {
            // Before SPIR-V 1.4 there is no UConvert among the operations on constants; to cut bits off, both do the same.
            let signed = from.class() == ScalarClass::Signed
                || (to.bits() < from.bits() && !self.target.at_least(SpirvVersion::V1_4));
            if signed {
                return self.spec_op(Op::SConvert, ty, &[id]);
            }
            // The result of UConvert is unsigned (SPIR-V 1.6, OpUConvert).
            let unsigned = match to {
                Scalar::Int8 => Scalar::Uint8,
                Scalar::Int16 => Scalar::Uint16,
                Scalar::Int32 => Scalar::Uint32,
                Scalar::Int64 => Scalar::Uint64,
                other => other,
            };
            let result = self.scalar_type(unsigned);
            let id = self.spec_op(Op::UConvert, result, &[id]);
            return if unsigned == to { id } else { self.spec_resized(id, unsigned, to) };
        }
        // There is no OpBitcast among the operations on constants.
        let zero = self.zero(to);
        self.spec_op(Op::IAdd, ty, &[id, zero])
    }

    fn applied(&mut self, op: SymOp, operands: &[Sym], want: Scalar) -> Emit<(Word, Scalar)> {
        let (op, operand, result) = match op {
            SymOp::DivSigned => (Op::SDiv, Scalar::Int32, Scalar::Int32),
            SymOp::DivUnsigned => (Op::UDiv, Scalar::Uint32, Scalar::Uint32),
            // The sign of a remainder is undefined for negative operands; compilers take OpSMod.
            SymOp::RemSigned => (Op::SMod, Scalar::Int32, Scalar::Int32),
            SymOp::RemUnsigned => (Op::UMod, Scalar::Uint32, Scalar::Uint32),
            SymOp::Shl => (Op::ShiftLeftLogical, Scalar::Uint32, Scalar::Uint32),
            SymOp::ShrArithmetic => (Op::ShiftRightArithmetic, Scalar::Int32, Scalar::Int32),
            SymOp::ShrLogical => (Op::ShiftRightLogical, Scalar::Uint32, Scalar::Uint32),
            SymOp::BitAnd => (Op::BitwiseAnd, Scalar::Uint32, Scalar::Uint32),
            SymOp::BitOr => (Op::BitwiseOr, Scalar::Uint32, Scalar::Uint32),
            SymOp::BitXor => (Op::BitwiseXor, Scalar::Uint32, Scalar::Uint32),
            SymOp::BitNot => (Op::Not, Scalar::Uint32, Scalar::Uint32),
            SymOp::Equal => (Op::IEqual, Scalar::Uint32, Scalar::Bool),
            SymOp::NotEqual => (Op::INotEqual, Scalar::Uint32, Scalar::Bool),
            SymOp::LessSigned => (Op::SLessThan, Scalar::Int32, Scalar::Bool),
            SymOp::LessUnsigned => (Op::ULessThan, Scalar::Uint32, Scalar::Bool),
            SymOp::LessEqualSigned => (Op::SLessThanEqual, Scalar::Int32, Scalar::Bool),
            SymOp::LessEqualUnsigned => (Op::ULessThanEqual, Scalar::Uint32, Scalar::Bool),
            SymOp::LogicalAnd => (Op::LogicalAnd, Scalar::Bool, Scalar::Bool),
            SymOp::LogicalOr => (Op::LogicalOr, Scalar::Bool, Scalar::Bool),
            SymOp::LogicalXor => (Op::LogicalNotEqual, Scalar::Bool, Scalar::Bool),
            SymOp::LogicalNot => (Op::LogicalNot, Scalar::Bool, Scalar::Bool),
            SymOp::ToBool => {
                let &[operand] = operands else { return Err(self.inconsistent("an operand is missing")) };
                return Ok((self.symbol(operand, Scalar::Bool)?, Scalar::Bool));
            }
            SymOp::Select => {
                let &[condition, then, otherwise] = operands else {
                    return Err(self.inconsistent("an operand is missing"));
                };
                let condition = self.symbol(condition, Scalar::Bool)?;
                let (then, otherwise) = (self.symbol(then, want)?, self.symbol(otherwise, want)?);
                let ty = self.scalar_type(want);
                return Ok((self.spec_op(Op::Select, ty, &[condition, then, otherwise]), want));
            }
            SymOp::MinSigned | SymOp::MinUnsigned | SymOp::MaxSigned | SymOp::MaxUnsigned => {
                let signed = matches!(op, SymOp::MinSigned | SymOp::MaxSigned);
                let least = matches!(op, SymOp::MinSigned | SymOp::MinUnsigned);
                let scalar = if signed { Scalar::Int32 } else { Scalar::Uint32 };
                let &[a, b] = operands else { return Err(self.inconsistent("an operand is missing")) };
                let (a, b) = (self.symbol(a, scalar)?, self.symbol(b, scalar)?);
                let (ty, bool_type) = (self.scalar_type(scalar), self.bool_type());
                let less = if signed { Op::SLessThan } else { Op::ULessThan };
                let pair = if least { [a, b] } else { [b, a] };
                let condition = self.spec_op(less, bool_type, &pair);
                return Ok((self.spec_op(Op::Select, ty, &[condition, a, b]), scalar));
            }
        };
        let mut parts: SmallVec<[Word; 3]> = SmallVec::new();
        for &part in operands {
            parts.push(self.symbol(part, operand)?);
        }
        let ty = self.scalar_type(result);
        Ok((self.spec_op(op, ty, &parts), result))
    }
}
