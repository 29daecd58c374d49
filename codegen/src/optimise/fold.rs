//! Folds what is known: operations on constants, parts of composites that are at hand, copies, and operations that leave an operand
//! as it is.
//!
//! Floats are folded where the result is exact, so that no rounding mode, contraction or flushing of denormals could have made
//! another value (`coopmat_spirv::evaluate`). A value with a decoration that says more than its precision (`NonUniform`, say)
//! is never replaced by another.

use coopmat_spirv::constants::Type;
use coopmat_spirv::tracked::{TrackedFunction, replace_ids};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};
use rustc_hash::FxHashMap;

use super::unit::{Unit, id_at};

/// How many steps through inserts and constructs one extract follows.
const MOST_STEPS: usize = 64;

pub(super) fn run(unit: &mut Unit) {
    unit.each_function(|unit, function| Fold::default().function(unit, function));
}

#[derive(Default)]
struct Fold {
    /// What stands for a value from here on.
    others: FxHashMap<Word, Word>,
    /// The composites that are put together or taken apart in this function.
    composites: FxHashMap<Word, Instruction>,
    types: FxHashMap<Word, Word>,
}

enum Change {
    /// The value is another one.
    Replace(Word),
    /// The same value is taken out of another composite.
    Extract(Word, Vec<u32>),
}

impl Fold {
    fn function(&mut self, unit: &mut Unit, function: &mut TrackedFunction) {
        for parameter in &function.parameters {
            if let (Some(id), Some(ty)) = (parameter.result_id, parameter.result_type) {
                self.types.insert(id, ty);
            }
        }
        for block in &mut function.blocks {
            let mut kept = Vec::with_capacity(block.lines.len());
            for mut line in std::mem::take(&mut block.lines) {
                replace_ids(&mut line, &self.others);
                if let (Some(id), Some(ty)) = (line.result_id, line.result_type) {
                    let change = if unit.decorated.contains(&id) {
                        None
                    } else {
                        self.change(unit, &line, id, ty, line.origin)
                    };
                    match change {
                        Some(Change::Replace(other)) if other != id => {
                            self.others.insert(id, other);
                            continue;
                        }
                        Some(Change::Extract(from, path)) => {
                            line.operands = std::iter::once(Operand::IdRef(from))
                                .chain(path.into_iter().map(Operand::LiteralBit32))
                                .collect();
                        }
                        Some(Change::Replace(_)) | None => {}
                    }
                    self.types.insert(id, ty);
                    if matches!(
                        line.class.opcode,
                        Op::CompositeConstruct
                            | Op::CompositeInsert
                            | Op::CompositeExtract
                            | Op::VectorShuffle
                            | Op::LogicalNot
                    ) {
                        self.composites.insert(id, line.instruction.clone());
                    }
                }
                kept.push(line);
            }
            block.lines = kept;
        }
        if self.others.is_empty() {
            return;
        }
        // What an OpPhi takes from a later block.
        for line in function.lines_mut() {
            if line.class.opcode == Op::Phi {
                replace_ids(line, &self.others);
            }
        }
    }

    fn type_of(&self, unit: &Unit, id: Word) -> Option<Word> {
        self.types.get(&id).copied().or_else(|| Some(unit.constants.get(id)?.0))
    }

    fn change(
        &self,
        unit: &mut Unit,
        instruction: &Instruction,
        id: Word,
        ty: Word,
        origin: Option<usize>,
    ) -> Option<Change> {
        let same_type = |unit: &Unit, other: Word| self.type_of(unit, other) == Some(ty);
        let op = instruction.class.opcode;
        match op {
            Op::Phi => {
                let mut values = instruction
                    .operands
                    .iter()
                    .step_by(2)
                    .filter_map(Operand::id_ref_any)
                    .filter(|&value| value != id);
                let first = values.next()?;
                return (values.all(|value| value == first) && same_type(unit, first))
                    .then_some(Change::Replace(first));
            }
            Op::CopyObject => {
                let from = id_at(instruction, 0)?;
                return same_type(unit, from).then_some(Change::Replace(from));
            }
            Op::ExtInst => {
                let [Operand::IdRef(set), Operand::LiteralExtInstInteger(number), arguments @ ..] =
                    instruction.operands.as_slice()
                else {
                    return None;
                };
                if Some(*set) != unit.glsl {
                    return None;
                }
                return unit.folded_glsl(*number, ty, arguments, origin).map(Change::Replace);
            }
            Op::CompositeExtract => {
                if let Some(change) = self.extract(unit, instruction, ty) {
                    return Some(change);
                }
            }
            Op::CompositeConstruct => {
                if let Some(whole) = self.put_together_again(unit, instruction, ty) {
                    return Some(Change::Replace(whole));
                }
            }
            _ if folds(op) => {}
            _ => return None,
        }
        if let Some(constant) = unit.folded(op, ty, &instruction.operands, origin) {
            return Some(Change::Replace(constant));
        }
        let other = self.unchanged(unit, op, instruction, ty, origin)?;
        same_type(unit, other).then_some(Change::Replace(other))
    }

    /// An operation that gives one of its operands, or zero.
    fn unchanged(
        &self,
        unit: &mut Unit,
        op: Op,
        instruction: &Instruction,
        ty: Word,
        origin: Option<usize>,
    ) -> Option<Word> {
        let a = id_at(instruction, 0)?;
        if op == Op::LogicalNot {
            let inner = self.composites.get(&a).filter(|inner| inner.class.opcode == Op::LogicalNot)?;
            return id_at(inner, 0);
        }
        if op == Op::Bitcast {
            return Some(a);
        }
        let b = id_at(instruction, 1)?;
        let bits = |unit: &Unit, id: Word| unit.constants.bits(id).map(|(_, bits)| bits);
        if op == Op::Select {
            let c = id_at(instruction, 2)?;
            let yes_no = bits(unit, b) == Some(1) && bits(unit, c) == Some(0);
            // Only the condition of a `bool` has the type of the result.
            return if b == c { Some(b) } else { yes_no.then_some(a) };
        }
        let ones = unit.constants.scalar(ty)?.mask(u64::MAX);
        let (left, right) = (bits(unit, a), bits(unit, b));
        match op {
            Op::IAdd | Op::BitwiseOr | Op::BitwiseXor if right == Some(0) => Some(a),
            Op::IAdd | Op::BitwiseOr | Op::BitwiseXor if left == Some(0) => Some(b),
            Op::ISub | Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic
                if right == Some(0) =>
            {
                Some(a)
            }
            Op::IMul if right == Some(1) => Some(a),
            Op::IMul if left == Some(1) => Some(b),
            Op::IMul | Op::BitwiseAnd if left == Some(0) || right == Some(0) => {
                unit.scalar_constant(ty, 0, origin)
            }
            Op::UDiv | Op::SDiv if right == Some(1) => Some(a),
            Op::BitwiseAnd if right == Some(ones) => Some(a),
            Op::BitwiseAnd if left == Some(ones) => Some(b),
            Op::LogicalAnd if right == Some(1) => Some(a),
            Op::LogicalAnd if left == Some(1) => Some(b),
            Op::LogicalOr if right == Some(0) => Some(a),
            Op::LogicalOr if left == Some(0) => Some(b),
            Op::LogicalAnd if left == Some(0) || right == Some(0) => unit.scalar_constant(ty, 0, origin),
            Op::LogicalOr if left == Some(1) || right == Some(1) => unit.scalar_constant(ty, 1, origin),
            _ => None,
        }
    }

    /// Follows what a composite was made of, to where the part came in.
    fn extract(&self, unit: &mut Unit, instruction: &Instruction, ty: Word) -> Option<Change> {
        let mut from = id_at(instruction, 0)?;
        let mut path: Vec<u32> = instruction
            .operands
            .get(1..)?
            .iter()
            .map(|operand| match operand {
                Operand::LiteralBit32(index) => Some(*index),
                _ => None,
            })
            .collect::<Option<_>>()?;
        let mut moved = false;
        for _ in 0..MOST_STEPS {
            if path.is_empty() {
                return (self.type_of(unit, from) == Some(ty)).then_some(Change::Replace(from));
            }
            let Some(made) = self.composites.get(&from) else { break };
            let next = match made.class.opcode {
                Op::CompositeConstruct => self.constituent(unit, made, &path),
                Op::CompositeInsert => {
                    let (object, into) = (id_at(made, 0)?, id_at(made, 1)?);
                    let inserted = made.operands.get(2..)?;
                    let same = inserted
                        .iter()
                        .zip(&path)
                        .take_while(|(operand, index)| **operand == Operand::LiteralBit32(**index))
                        .count();
                    if same == inserted.len() {
                        Some((object, path[same..].to_vec()))
                    } else if same == path.len() {
                        // Only a part of what is taken was inserted.
                        None
                    } else {
                        Some((into, path.clone()))
                    }
                }
                Op::VectorShuffle => {
                    let (a, b) = (id_at(made, 0)?, id_at(made, 1)?);
                    let count = self.type_of(unit, a).and_then(|ty| unit.constants.parts(ty));
                    match (made.operands.get(2 + path[0] as usize), count) {
                        (Some(Operand::LiteralBit32(u32::MAX)), _) => None,
                        (Some(Operand::LiteralBit32(index)), Some(count)) if (*index as usize) < count => {
                            Some((a, vec![*index]))
                        }
                        (Some(Operand::LiteralBit32(index)), Some(count)) => {
                            Some((b, vec![*index - count as u32]))
                        }
                        _ => None,
                    }
                }
                _ => None,
            };
            let Some((next, rest)) = next else { break };
            (from, path, moved) = (next, rest, true);
        }
        if path.is_empty() {
            return (self.type_of(unit, from) == Some(ty)).then_some(Change::Replace(from));
        }
        // Below may be a constant.
        if moved {
            if unit.constants.is_known(from) {
                let mut constant = from;
                for &index in &path {
                    constant = unit.constant_part(constant, index, None)?;
                }
                return Some(Change::Replace(constant));
            }
            return Some(Change::Extract(from, path));
        }
        None
    }

    /// The operand of an `OpCompositeConstruct` that holds a part, and where in it.
    fn constituent(&self, unit: &Unit, made: &Instruction, path: &[u32]) -> Option<(Word, Vec<u32>)> {
        let (&index, rest) = path.split_first()?;
        match unit.constants.ty(made.result_type?)? {
            Type::Vector(component, _) => {
                let mut left = index as usize;
                for at in 0..made.operands.len() {
                    let part = id_at(made, at)?;
                    let ty = self.type_of(unit, part)?;
                    if ty == *component {
                        if left == 0 {
                            return Some((part, Vec::new()));
                        }
                        left -= 1;
                    } else {
                        let count = unit.constants.parts(ty)?;
                        if left < count {
                            return Some((part, vec![left as u32]));
                        }
                        left -= count;
                    }
                }
                None
            }
            Type::Matrix(..) | Type::Array(..) | Type::Struct(_) => {
                Some((id_at(made, index as usize)?, rest.to_vec()))
            }
            Type::Scalar(_) | Type::Pointer(_) | Type::Other => None,
        }
    }

    /// All parts of a composite in their order are that composite.
    fn put_together_again(&self, unit: &Unit, instruction: &Instruction, ty: Word) -> Option<Word> {
        let count = unit.constants.parts(ty)?;
        if count != instruction.operands.len() {
            return None;
        }
        let mut whole = None;
        for at in 0..count {
            let part = self.composites.get(&id_at(instruction, at)?)?;
            let [Operand::IdRef(from), Operand::LiteralBit32(index)] = part.operands.as_slice() else {
                return None;
            };
            if part.class.opcode != Op::CompositeExtract
                || *index as usize != at
                || whole.is_some_and(|whole| whole != *from)
            {
                return None;
            }
            whole = Some(*from);
        }
        whole.filter(|&whole| self.type_of(unit, whole) == Some(ty))
    }
}

/// The operations that the table of constants knows.
fn folds(op: Op) -> bool {
    matches!(op as u32, 77 | 79 | 80..=83 | 109..=124 | 126..=141 | 154..=157 | 164..=191 | 194..=205)
        || op == Op::QuantizeToF16
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::optimise::tests::check;

    #[test]
    fn numbers_that_are_known_become_constants() {
        check(
            &[super::run],
            "layout(binding = 0) buffer B { float d[]; };
            void main() {
                d[0] = abs(-2.0) + 0.25;
                d[1] = float(uint(d[2]) * 1u + 0u);
                d[3] = vec3(d[4], 1.0, 2.0).y;
                d[5] = mat2(d[6])[1].y;
            }",
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %14 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
                OpStore %14 %float_2_25
                %17 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
                %18 = OpLoad %float %17
                %20 = OpConvertFToU %uint %18
                %22 = OpIMul %uint %20 %uint_1
                %24 = OpIAdd %uint %22 %uint_0
                %25 = OpConvertUToF %float %24
                %26 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
                OpStore %26 %25
                %29 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_4
                %30 = OpLoad %float %29
                %34 = OpCompositeConstruct %v3float %30 %float_1 %float_2
                %35 = OpCompositeExtract %float %34 1
                %36 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_3
                OpStore %36 %35
                %41 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_6
                %42 = OpLoad %float %41
                %44 = OpCompositeConstruct %v2float %42 %float_0
                %45 = OpCompositeConstruct %v2float %float_0 %42
                %46 = OpCompositeConstruct %mat2v2float %44 %45
                %47 = OpCompositeExtract %v2float %46 1
                %48 = OpCompositeExtract %float %47 1
                %49 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_5
                OpStore %49 %48
                OpReturn
                OpFunctionEnd
            "#]],
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %14 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
                OpStore %14 %float_2_25
                %17 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
                %18 = OpLoad %float %17
                %20 = OpConvertFToU %uint %18
                %25 = OpConvertUToF %float %20
                %26 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
                OpStore %26 %25
                %29 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_4
                %30 = OpLoad %float %29
                %34 = OpCompositeConstruct %v3float %30 %float_1 %float_2
                %36 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_3
                OpStore %36 %float_1
                %41 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_6
                %42 = OpLoad %float %41
                %44 = OpCompositeConstruct %v2float %42 %float_0
                %45 = OpCompositeConstruct %v2float %float_0 %42
                %46 = OpCompositeConstruct %mat2v2float %44 %45
                %49 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_5
                OpStore %49 %42
                OpReturn
                OpFunctionEnd
            "#]],
        );
    }

    /// What is rounded, or flushed to zero by some devices, is left to the device.
    #[test]
    fn floats_that_devices_may_compute_otherwise_stay() {
        check(
            &[super::super::promote::run, super::run],
            "layout(binding = 0) buffer B { float d[]; };
            void main() {
                float a = 1.5, b = 1e-30;
                d[0] = a * a;
                d[1] = a / 3.0;
                d[2] = b * b;
                d[3] = a + b;
            }",
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %14 = OpFMul %float %float_1_5 %float_1_5
                %16 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
                OpStore %16 %14
                %19 = OpFDiv %float %float_1_5 %float_3
                %20 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
                OpStore %20 %19
                %22 = OpFMul %float %float_1en30 %float_1en30
                %23 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
                OpStore %23 %22
                %25 = OpFAdd %float %float_1_5 %float_1en30
                %26 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_3
                OpStore %26 %25
                OpReturn
                OpFunctionEnd
            "#]],
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %16 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
                OpStore %16 %float_2_25
                %20 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
                OpStore %20 %float_0_5
                %22 = OpFMul %float %float_1en30 %float_1en30
                %23 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
                OpStore %23 %22
                %25 = OpFAdd %float %float_1_5 %float_1en30
                %26 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_3
                OpStore %26 %25
                OpReturn
                OpFunctionEnd
            "#]],
        );
    }
}
