//! The number that an id has for given push constants and invocations.

use std::collections::BTreeMap;

use coopmat_spirv::dr::Operand;
use coopmat_spirv::spirv::{BuiltIn, GlslStd450Op, StorageClass, Word};
use coopmat_spirv::{Opcode, opcode};

use super::{Base, DEEPEST, Given, Values, id, ids};

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
            Opcode::SNegate => self.parts(operand(0)?, depth)?.iter().map(|it| it.wrapping_neg()).collect(),
            Opcode::LogicalNot => vec![i64::from(self.one(operand(0)?, depth)? == 0)],
            Opcode::Select => {
                let chosen = if self.one(operand(0)?, depth)? != 0 { 1 } else { 2 };
                self.parts(operand(chosen)?, depth)?
            }
            Opcode::ExtInst => {
                let Operand::LiteralExtInstInteger(number) = instruction.operands.get(1)? else {
                    return None;
                };
                let (a, b) = (self.one(operand(2)?, depth)?, self.one(operand(3)?, depth)?);
                vec![match GlslStd450Op::from_u32(*number)? {
                    GlslStd450Op::UMin | GlslStd450Op::SMin => a.min(b),
                    GlslStd450Op::UMax | GlslStd450Op::SMax => a.max(b),
                    GlslStd450Op::UClamp | GlslStd450Op::SClamp => {
                        a.max(b).min(self.one(operand(4)?, depth)?)
                    }
                    _ => return None,
                }]
            }
            Opcode::Phi => self.cell(id, depth)?,
            Opcode::FunctionParameter => self.parts(values.argument(id, self.given)?, depth)?,
            Opcode::FunctionCall => self.parts(*values.returns.get(&operand(0)?)?, depth)?,
            Opcode::Load => self.loaded(operand(0)?, depth)?,
            other => {
                let (a, b) = (self.parts(operand(0)?, depth)?, self.parts(operand(1)?, depth)?);
                let count = a.len().max(b.len());
                let pick = |of: &[i64], index: usize| of.get(if of.len() == 1 { 0 } else { index }).copied();
                let mut parts = Vec::new();
                for index in 0..count {
                    parts.push(binary(other, pick(&a, index)?, pick(&b, index)?)?);
                }
                parts
            }
        })
    }

    fn cell(&mut self, cell: Word, depth: usize) -> Option<Vec<i64>> {
        let values = self.values;
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
            BuiltIn::WorkgroupId => workgroup.to_vec(),
            BuiltIn::GlobalInvocationId => workgroup.iter().zip(size).map(|(a, b)| a * b).collect(),
            BuiltIn::LocalInvocationId => vec![0; 3],
            BuiltIn::LocalInvocationIndex | BuiltIn::SubgroupId | BuiltIn::SubgroupLocalInvocationId => {
                vec![0]
            }
            BuiltIn::WorkgroupSize => size.to_vec(),
            BuiltIn::NumSubgroups => vec![(invocations + subgroup - 1) / subgroup],
            BuiltIn::SubgroupSize => vec![subgroup],
            _ => return None,
        })
    }
}

fn binary(opcode: Opcode, a: i64, b: i64) -> Option<i64> {
    Some(match opcode {
        Opcode::IAdd => a.checked_add(b)?,
        Opcode::ISub => a.checked_sub(b)?,
        Opcode::IMul => a.checked_mul(b)?,
        Opcode::UDiv | Opcode::SDiv => a.checked_div(b)?,
        Opcode::UMod | Opcode::SRem | Opcode::SMod => a.checked_rem(b)?,
        Opcode::ShiftLeftLogical => a.checked_shl(u32::try_from(b).ok()?)?,
        Opcode::ShiftRightLogical | Opcode::ShiftRightArithmetic => a.checked_shr(u32::try_from(b).ok()?)?,
        Opcode::BitwiseAnd => a & b,
        Opcode::BitwiseOr => a | b,
        Opcode::BitwiseXor => a ^ b,
        Opcode::LogicalAnd => i64::from(a != 0 && b != 0),
        Opcode::LogicalOr => i64::from(a != 0 || b != 0),
        Opcode::IEqual | Opcode::LogicalEqual => i64::from(a == b),
        Opcode::INotEqual | Opcode::LogicalNotEqual => i64::from(a != b),
        Opcode::ULessThan | Opcode::SLessThan => i64::from(a < b),
        Opcode::ULessThanEqual | Opcode::SLessThanEqual => i64::from(a <= b),
        Opcode::UGreaterThan | Opcode::SGreaterThan => i64::from(a > b),
        Opcode::UGreaterThanEqual | Opcode::SGreaterThanEqual => i64::from(a >= b),
        _ => return None,
    })
}
