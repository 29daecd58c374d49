//! The number that an id has for given push constants and invocations.

use std::collections::BTreeMap;

use coopmat_spirv::dr::{Instruction, Operand};
use coopmat_spirv::evaluate::{Known, Operand as Part, evaluate, evaluate_glsl};
use coopmat_spirv::scalar::Scalar;
use coopmat_spirv::spirv::{BuiltIn, Op, StorageClass, Word};
use coopmat_spirv::{Opcode, opcode};

use super::{Base, DEEPEST, Given, Values, id, ids};

/// All integers are computed in 64 bits: sizes are chosen so large that their products do not fit 32.
const NUMBER: Scalar = Scalar::Int { bits: 64, signed: true };

/// One evaluation, which remembers what it has found.
pub(super) struct Evaluation<'v, 'm> {
    values: &'v Values<'m>,
    given: &'v Given,
    left: usize,
    known: BTreeMap<Word, Option<Vec<i64>>>,
}

impl<'v, 'm> Evaluation<'v, 'm> {
    pub(super) fn new(values: &'v Values<'m>, given: &'v Given, left: usize) -> Evaluation<'v, 'm> {
        Evaluation { values, given, left, known: BTreeMap::new() }
    }

    pub(super) fn one(&mut self, id: Word, depth: usize) -> Option<i64> {
        let parts = self.parts(id, depth)?;
        parts.first().copied().filter(|_| parts.len() == 1)
    }

    fn parts(&mut self, id: Word, depth: usize) -> Option<Vec<i64>> {
        if let Some(value) = self.given.fixed.get(&id) {
            return Some(vec![*value]);
        }
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        self.left = self.left.checked_sub(1)?;
        if depth > DEEPEST {
            return None;
        }
        // What leads back to itself is not known.
        self.known.insert(id, None);
        let value = self.made(id, depth + 1);
        self.known.insert(id, value.clone());
        value
    }

    fn made(&mut self, id: Word, depth: usize) -> Option<Vec<i64>> {
        let values = self.values;
        let instruction = values.instruction(id)?;
        let operand = |index: usize| self::id(instruction.operands.get(index));
        Some(match opcode(instruction) {
            Opcode::Constant => vec![values.constant(id)?],
            Opcode::ConstantTrue => vec![1],
            Opcode::ConstantFalse | Opcode::ConstantNull | Opcode::Undef => vec![0],
            Opcode::ConstantComposite | Opcode::CompositeConstruct => {
                let mut parts = Vec::new();
                for part in ids(instruction).take(16) {
                    parts.extend(self.parts(part, depth)?);
                }
                parts
            }
            Opcode::CompositeExtract => match instruction.operands.get(1)? {
                Operand::LiteralBit32(index) if instruction.operands.len() == 2 => {
                    vec![*self.parts(operand(0)?, depth)?.get(*index as usize)?]
                }
                _ => return None,
            },
            Opcode::CopyObject | Opcode::UConvert | Opcode::SConvert | Opcode::Bitcast => {
                self.parts(operand(0)?, depth)?
            }
            Opcode::Select => {
                let chosen = if self.one(operand(0)?, depth)? != 0 { 1 } else { 2 };
                self.parts(operand(chosen)?, depth)?
            }
            Opcode::ExtInst => {
                let Operand::LiteralExtInstInteger(number) = instruction.operands.get(1)? else {
                    return None;
                };
                self.folded(instruction, depth, &|operands| evaluate_glsl(*number, NUMBER, operands))?
            }
            Opcode::Phi => self.cell(id, depth)?,
            Opcode::FunctionParameter | Opcode::FunctionCall if self.given.everywhere => return None,
            Opcode::FunctionParameter => self.parts(values.argument(id, self.given)?, depth)?,
            Opcode::FunctionCall => self.parts(*values.returns.get(&operand(0)?)?, depth)?,
            Opcode::Load => self.loaded(operand(0)?, depth)?,
            other => {
                let product = other == Opcode::IMul;
                self.folded(instruction, depth, &|operands| match operands {
                    [(_, a), (_, b)] if product && (*a as i64).checked_mul(*b as i64).is_none() => None,
                    _ => evaluate(instruction.class.opcode, NUMBER, operands),
                })?
            }
        })
    }

    /// What an operation makes of its operands, part by part.
    fn folded(
        &mut self,
        instruction: &Instruction,
        depth: usize,
        operation: &dyn Fn(&[Part]) -> Option<Known>,
    ) -> Option<Vec<i64>> {
        let mut operands = Vec::new();
        // The set of an extended instruction is no operand.
        let skipped = usize::from(instruction.class.opcode == Op::ExtInst);
        for operand in ids(instruction).skip(skipped).take(4) {
            operands.push(self.parts(operand, depth)?);
        }
        let scalar = match opcode(instruction) {
            Opcode::LogicalAnd
            | Opcode::LogicalOr
            | Opcode::LogicalNot
            | Opcode::LogicalEqual
            | Opcode::LogicalNotEqual => Scalar::Bool,
            _ => NUMBER,
        };
        let mut parts = Vec::new();
        for index in 0..operands.iter().map(Vec::len).max()? {
            let part = |of: &Vec<i64>| of.get(if of.len() == 1 { 0 } else { index }).copied();
            let operands: Option<Vec<Part>> =
                operands.iter().map(|of| Some((scalar, part(of)? as u64))).collect();
            parts.push(operation(&operands?)?.bits as i64);
        }
        Some(parts)
    }

    fn cell(&mut self, cell: Word, depth: usize) -> Option<Vec<i64>> {
        let values = self.values;
        if self.given.everywhere {
            let sets = values.sets(cell);
            return sets.first().filter(|_| sets.len() == 1).and_then(|set| self.parts(set.value, depth));
        }
        let Some(counter) = values.counter(cell) else {
            return values.sets(cell).iter().find_map(|set| self.parts(set.value, depth));
        };
        let start = match counter.start {
            Some(start) => self.one(start, depth)?,
            None => 0,
        };
        let iteration = counter.in_loop.and_then(|it| self.given.iteration.get(&it)).copied().unwrap_or(0);
        if iteration == 0 {
            return Some(vec![start]);
        }
        let mut given = self.given.clone();
        // What reads it while it is put to its next value.
        given.fixed.insert(cell, start);
        given.fixed.extend(values.loads.get(&cell).into_iter().flatten().map(|load| (*load, start)));
        let mut next = Evaluation::new(values, &given, self.left);
        let again = next.one(counter.again, depth);
        self.left = next.left;
        let step = again?.checked_sub(start)?;
        Some(vec![start.checked_add(step.checked_mul(iteration)?)?])
    }

    fn loaded(&mut self, pointer: Word, depth: usize) -> Option<Vec<i64>> {
        let values = self.values;
        if let Some(path) = values.push_path(pointer, self.given) {
            if let Some(value) = self.given.push.get(&path) {
                return Some(vec![*value]);
            }
            // A vector, whole.
            let parts = self
                .given
                .push
                .iter()
                .filter(|(key, _)| key.len() == path.len() + 1 && key.starts_with(&path));
            let parts: Vec<i64> = parts.map(|(_, value)| *value).collect();
            return (!parts.is_empty()).then_some(parts);
        }
        let Some(Base::Variable(variable)) = values.base(pointer, self.given) else { return None };
        let part = || -> Option<Option<usize>> {
            let instruction = values.instruction(pointer)?;
            match values.pointer_of(instruction) {
                Some((_, indices)) if !indices.is_empty() => {
                    usize::try_from(values.constant(*indices.first()?)?).ok().map(Some)
                }
                _ => Some(None),
            }
        };
        if let Some(builtin) = values.builtins.get(&variable) {
            let all = self.builtin(*builtin)?;
            return Some(match part()? {
                Some(index) => vec![*all.get(index)?],
                None => all,
            });
        }
        let storage = values.instruction(variable)?.operands.first()?;
        if !matches!(storage, Operand::StorageClass(StorageClass::Function | StorageClass::Private)) {
            return None;
        }
        let all = self.cell(variable, depth)?;
        match part()? {
            Some(index) if all.len() > 1 => Some(vec![*all.get(index)?]),
            _ => Some(all),
        }
    }

    fn builtin(&self, builtin: BuiltIn) -> Option<Vec<i64>> {
        let size = self.values.workgroup_size.map(i64::from);
        let workgroup = self.given.workgroup;
        let subgroup = i64::from(self.values.subgroup_size);
        let invocations: i64 = size.iter().product();
        Some(match builtin {
            BuiltIn::WorkgroupSize => size.to_vec(),
            _ if self.given.everywhere => return None,
            BuiltIn::WorkgroupId => workgroup.to_vec(),
            BuiltIn::GlobalInvocationId => workgroup.iter().zip(size).map(|(a, b)| a * b).collect(),
            BuiltIn::LocalInvocationId => vec![0; 3],
            BuiltIn::LocalInvocationIndex | BuiltIn::SubgroupId | BuiltIn::SubgroupLocalInvocationId => {
                vec![0]
            }
            BuiltIn::NumSubgroups => vec![(invocations + subgroup - 1) / subgroup],
            BuiltIn::SubgroupSize => vec![subgroup],
            _ => return None,
        })
    }
}
