//! Which instructions are generated: everything else is left to the interpreter's code.

use coopmat_spirv::spirv::GlslStd450Op as Gl;
use wasm_encoder::Instruction as I;

use super::integers;
use super::numbers::{self, both};
use super::region::{Generator, Operation, splat};
use crate::code::{
    BitField, BitFieldInstruction, CompositeInstruction, ConversionInstruction, DotInstruction,
    ExtendedInstruction, FloatInstruction, FloatOp, Instruction, IntegerInstruction, IntegerOp,
    LogicInstruction, LogicOp, PackingInstruction, ProductInstruction,
};
use crate::numerics::{Format, Overflow, Rounding};
use crate::program::Slot;
use crate::program::types::Scalar;

impl Generator<'_> {
    /// The plane of a slot in the function that is being made.
    pub fn plane(&self, slot: Slot) -> u32 {
        self.planes.of(self.function, slot)
    }

    fn is_plain(&self, format: Format) -> bool {
        self.program.controls.of(format, &self.settings.numerics).is_plain()
    }

    /// Generates an instruction; false, and nothing is done, where the interpreter's code has to execute it. `number` is the block's.
    pub fn generate(&mut self, instruction: &Instruction, number: usize) -> bool {
        match instruction {
            Instruction::Integer(i) => self.integer(i),
            Instruction::Float(i) => self.float(i),
            Instruction::Product(i) => self.product(i),
            Instruction::Logic(i) => self.logic(i),
            Instruction::Conversion(i) => self.conversion(i),
            Instruction::Composite(i) => self.composite(i),
            Instruction::Extended(i) => self.extended(i),
            Instruction::Memory(i) => self.memory(i, number),
            Instruction::BitField(i) => self.bit_field(i),
            Instruction::Dot(i) => self.dot(i),
            Instruction::Atomic(_)
            | Instruction::Image(_)
            | Instruction::Subgroup(_)
            | Instruction::Matrix(_)
            | Instruction::Vector(_)
            | Instruction::Call(_)
            | Instruction::Barrier(_)
            | Instruction::Print(_)
            | Instruction::Clock(_)
            | Instruction::Unsupported(_) => false,
        }
    }

    fn integer(&mut self, i: &IntegerInstruction) -> bool {
        if i.width > 32 {
            return false;
        }
        let (result, a, b) = (self.plane(i.result), self.plane(i.a), self.plane(i.b));
        // What is known of the second operand makes it simpler.
        let known = |generator: &Self, index: u32| generator.constants.get(&(b + index)).copied();
        let mut operations: Vec<(Operation, usize)> = Vec::new();
        for index in 0..i.count {
            let simpler = known(self, index).filter(|_| i.width == 32).and_then(|word| match i.op {
                IntegerOp::ShiftLeft | IntegerOp::ShiftRight | IntegerOp::ShiftRightSigned => {
                    integers::shift(i.op, word & 31)
                }
                IntegerOp::UDiv | IntegerOp::UMod | IntegerOp::SDiv | IntegerOp::SRem if word != 0 => {
                    integers::divide(i.op, word)
                }
                _ => None,
            });
            let operands = if simpler.is_some() || integers::is_unary(i.op) { 1 } else { 2 };
            match simpler.or_else(|| integers::integer(i.op, i.width)) {
                Some(operation) => operations.push((operation, operands)),
                None => return false,
            }
        }
        for (index, (operation, operands)) in (0u32..).zip(&operations) {
            let all = [a + index, b + index];
            self.apply(result + index, &all[..*operands], operation);
        }
        true
    }

    fn bit_field(&mut self, i: &BitFieldInstruction) -> bool {
        if i.width > 32 {
            return false;
        }
        let operation = integers::bit_field(i.kind, i.width);
        let [result, base, insert, offset, bits] =
            [i.result, i.base, i.insert, i.offset, i.bits].map(|slot| self.plane(slot));
        for index in 0..i.count {
            match i.kind {
                BitField::Insert => {
                    self.apply(result + index, &[base + index, insert + index, offset, bits], &operation);
                }
                BitField::Unsigned | BitField::Signed => {
                    self.apply(result + index, &[base + index, offset, bits], &operation);
                }
            }
        }
        true
    }

    fn dot(&mut self, i: &DotInstruction) -> bool {
        let DotInstruction::Integer(i) = i else { return false };
        let is_signed = i.signed.0 || i.signed.1;
        if !i.packed || i.made != 32 || i.result_signed != is_signed || i.sum.is_some() {
            return false;
        }
        let [result, a, b] = [i.result, i.a, i.b].map(|slot| self.plane(slot));
        self.apply(result, &[a, b], &integers::dot_of_bytes(i.signed));
        true
    }

    fn float(&mut self, i: &FloatInstruction) -> bool {
        if !self.is_plain(i.format) {
            return false;
        }
        let Some(operation) = numbers::float(i.op, i.format) else { return false };
        let (result, a, b) = (self.plane(i.result), self.plane(i.a), self.plane(i.b));
        let operands = if numbers::is_unary_float(i.op) { 1 } else { 2 };
        for index in 0..i.count {
            let all = [a + index, b + index * i.step];
            self.apply(result + index, &all[..operands], &operation);
        }
        true
    }

    fn product(&mut self, i: &ProductInstruction) -> bool {
        match i {
            ProductInstruction::Fma { format: Format::F32, count, result, operands }
                if self.is_plain(Format::F32) =>
            {
                let (result, operands) = (self.plane(*result), operands.map(|slot| self.plane(slot)));
                for index in 0..*count {
                    self.apply(result + index, &operands.map(|plane| plane + index), &numbers::fused());
                }
                true
            }
            ProductInstruction::Sums { format: Format::F32, sums, inner, a_step, b_step }
                if self.is_plain(Format::F32) =>
            {
                let (Some(multiply), Some(add)) =
                    (numbers::float(FloatOp::Mul, Format::F32), numbers::float(FloatOp::Add, Format::F32))
                else {
                    return false;
                };
                // The product goes onto the sum at once: each is rounded.
                let product = |first: &Operation| first.vector.clone().unwrap_or_default();
                let mut onto = product(&multiply);
                onto.extend(product(&add));
                let onto = Operation { scalar: None, vector: Some(onto), prepare: Vec::new() };
                for sum in sums {
                    let (result, a, b) = (self.plane(sum.result), self.plane(sum.a), self.plane(sum.b));
                    self.apply(result, &[a, b], &multiply);
                    for index in 1..*inner {
                        self.apply(result, &[result, a + index * a_step, b + index * b_step], &onto);
                    }
                }
                true
            }
            ProductInstruction::Fma { .. } | ProductInstruction::Sums { .. } => false,
        }
    }

    fn logic(&mut self, i: &LogicInstruction) -> bool {
        let one = || vec![I::V128Const(splat(1))];
        match *i {
            LogicInstruction::Binary { op, count, result, a, b } => {
                let operation = match op {
                    LogicOp::Equal => {
                        let mut same = vec![I::I32x4Eq];
                        same.extend(one());
                        same.push(I::V128And);
                        both(vec![I::I32Eq], same)
                    }
                    LogicOp::NotEqual => both(vec![I::I32Xor], vec![I::V128Xor]),
                    LogicOp::Or => both(vec![I::I32Or], vec![I::V128Or]),
                    LogicOp::And => both(vec![I::I32And], vec![I::V128And]),
                };
                let (result, a, b) = (self.plane(result), self.plane(a), self.plane(b));
                (0..count).for_each(|index| self.apply(result + index, &[a + index, b + index], &operation));
            }
            LogicInstruction::Not { count, result, a } => {
                let operation =
                    both(vec![I::I32Const(1), I::I32Xor], vec![I::V128Const(splat(1)), I::V128Xor]);
                let (result, a) = (self.plane(result), self.plane(a));
                (0..count).for_each(|index| self.apply(result + index, &[a + index], &operation));
            }
            LogicInstruction::Any { count, result, a } | LogicInstruction::All { count, result, a } => {
                // Bools are 0 or 1.
                let any = matches!(i, LogicInstruction::Any { .. });
                let count = count as usize;
                let (scalar, lanes) = match any {
                    true => (I::I32Or, I::V128Or),
                    false => (I::I32And, I::V128And),
                };
                let operation = both(vec![scalar; count - 1], vec![lanes; count - 1]);
                let (result, a) = (self.plane(result), self.plane(a));
                let operands: Vec<u32> = (a..a + count as u32).collect();
                self.apply(result, &operands, &operation);
            }
            LogicInstruction::Select { count, planes, result, condition, a, b } => {
                let [result, condition, a, b] = [result, condition, a, b].map(|slot| self.plane(slot));
                let matrices = &self.planes.matrices;
                if matrices[result as usize..(result + count * planes) as usize].contains(&true) {
                    return false;
                }
                // Chosen, otherwise, condition.
                let operation = both(vec![I::Select], vec![I::V128Const(0), I::I32x4Ne, I::V128Bitselect]);
                for index in 0..count {
                    for plane in index * planes..(index + 1) * planes {
                        self.apply(result + plane, &[a + plane, b + plane, condition + index], &operation);
                    }
                }
            }
        }
        true
    }

    fn conversion(&mut self, i: &ConversionInstruction) -> bool {
        match *i {
            ConversionInstruction::Convert { from, to, rounding, overflow, count, result, a } => {
                let plain = |scalar: Scalar| match scalar {
                    Scalar::Float(format) => self.is_plain(format),
                    _ => true,
                };
                let nearest = rounding.is_none_or(|rounding| rounding == Rounding::NearestEven);
                if !plain(from) || !plain(to) || !nearest || overflow != Overflow::Special {
                    return false;
                }
                let Some(operation) = numbers::convert(from, to) else { return false };
                let (result, a) = (self.plane(result), self.plane(a));
                (0..count).for_each(|index| self.apply(result + index, &[a + index], &operation));
                true
            }
            ConversionInstruction::Repack { from, to, count, result, a } if from <= 32 && to <= 32 => {
                self.repack((from, count, self.plane(a)), (to, self.plane(result)));
                true
            }
            ConversionInstruction::Repack { .. }
            | ConversionInstruction::Extract { .. }
            | ConversionInstruction::QuantizeToF16 { .. } => false,
        }
    }

    /// Components of one width as components of another.
    fn repack(&mut self, (from, count, a): (u8, u32, u32), (to, result): (u8, u32)) {
        let (from, to) = (u32::from(from), u32::from(to));
        for index in 0..from * count / to {
            let first = index * to;
            if to <= from {
                let (source, shift) = (first / from, (first % from) as i32);
                let mask = crate::numerics::words::low_bits(to as u8);
                let operation = both(
                    vec![I::I32Const(shift), I::I32ShrU, I::I32Const(mask as i32), I::I32And],
                    vec![I::I32Const(shift), I::I32x4ShrU, I::V128Const(splat(mask)), I::V128And],
                );
                self.apply(result + index, &[a + source], &operation);
                continue;
            }
            // From the highest part down, each shifted by the width of the next.
            let parts = to / from;
            let operands: Vec<u32> = (0..parts).map(|part| a + first / from + part).collect();
            let (mut scalar, mut lanes) = (Vec::new(), Vec::new());
            for _ in 1..parts {
                scalar.extend([I::I32Const(from as i32), I::I32Shl, I::I32Or]);
                lanes.extend([I::I32Const(from as i32), I::I32x4Shl, I::V128Or]);
            }
            self.apply(result + index, &operands, &both(scalar, lanes));
        }
    }

    fn composite(&mut self, i: &CompositeInstruction) -> bool {
        match *i {
            CompositeInstruction::Extract { result, vector, index, wide: false, count, planes: 1 } => {
                let [result, vector, index] = [result, vector, index].map(|slot| self.plane(slot));
                let zero = both(vec![I::I32Const(0), I::I32And], vec![I::V128Const(0), I::V128And]);
                self.apply(result, &[index], &zero);
                for part in 0..count {
                    self.apply(result, &[vector + part, result, index], &chosen(part));
                }
                true
            }
            CompositeInstruction::Insert {
                result,
                vector,
                component,
                index,
                wide: false,
                count,
                planes: 1,
            } => {
                let [result, vector, component, index] =
                    [result, vector, component, index].map(|slot| self.plane(slot));
                for part in 0..count {
                    self.apply(result + part, &[component, vector + part, index], &chosen(part));
                }
                true
            }
            CompositeInstruction::Extract { .. } | CompositeInstruction::Insert { .. } => false,
        }
    }

    fn extended(&mut self, i: &ExtendedInstruction) -> bool {
        let i = match i {
            ExtendedInstruction::Component(i) => i,
            ExtendedInstruction::Packing(i) => return self.packing(i),
            ExtendedInstruction::Vector(_) => return false,
        };
        let Scalar::Float(format) = i.scalar else { return false };
        if !self.is_plain(format) || i.second_made != 0 {
            return false;
        }
        let Some((operation, operands)) = numbers::extended(i.op, format) else { return false };
        let (result, all) = (self.plane(i.result), [i.a, i.b, i.c].map(|slot| self.plane(slot)));
        for index in 0..i.count {
            self.apply(result + index, &all.map(|plane| plane + index)[..operands], &operation);
        }
        true
    }

    fn packing(&mut self, i: &PackingInstruction) -> bool {
        let (result, a) = (self.plane(i.result), self.plane(i.a));
        match i.op {
            Gl::PackHalf2x16 => self.apply(result, &[a, a + 1], &numbers::pack_halves()),
            Gl::UnpackHalf2x16 => {
                (0..2).for_each(|index| self.apply(result + index, &[a], &numbers::unpack_half(index)));
            }
            _ => return false,
        }
        true
    }
}

/// The first of two words where an index is this, else the second.
fn chosen(part: u32) -> Operation {
    both(
        vec![I::I32Const(part as i32), I::I32Eq, I::Select],
        vec![I::V128Const(splat(part)), I::I32x4Eq, I::V128Bitselect],
    )
}
