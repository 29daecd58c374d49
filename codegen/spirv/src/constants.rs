//! The types and constants of a module as a table: values by id, ids by value, and operations on constants.
//!
//! The table is fed the instructions of the module's types and constants in their order ([`Constants::declare`]), and makes
//! new constants where a value has none yet; [`Constants::take_made`] hands these out.

use std::collections::hash_map::Entry;

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::evaluate::{evaluate, evaluate_glsl};
use crate::inst;
use crate::scalar::Scalar;

/// A composite constant that an operation makes has at most so many parts.
const MOST_PARTS: usize = 256;

/// What is known about a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// A `bool`, or a number of a width and a format that are known.
    Scalar(Scalar),
    /// A component's type, and how many.
    Vector(Word, u32),
    /// A column's type, and how many.
    Matrix(Word, u32),
    /// An element type, and the id of the length.
    Array(Word, Word),
    /// The members' types.
    Struct(Box<[Word]>),
    /// The type that it points at.
    Pointer(Word),
    /// What has no constants that are computed with: images, functions, cooperative matrices, numbers of an unknown format.
    Other,
}

/// What is known about a constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Constant {
    /// A scalar's value, with zeros above its width.
    Bits(u64),
    /// The ids of the parts.
    Composite(Box<[Word]>),
    /// The same part everywhere (SPV_EXT_replicated_composites).
    Replicated(Word),
    /// Zero in all parts of a composite; of a scalar it is `Bits(0)`.
    Null,
    /// Known only with the pipeline: specialization constants and what is made of them.
    Specialized,
}

/// The types and constants of one module, and those that were made for it.
#[derive(Default)]
pub struct Constants {
    types: FxHashMap<Word, Type>,
    values: FxHashMap<Word, (Word, Constant)>,
    ids: FxHashMap<(Word, Constant), Word>,
    /// The parts of composites of which some are specialized.
    specialized_parts: FxHashMap<Word, Box<[Word]>>,
    /// Constants with a name or a decoration of their own: they do not stand for equal values elsewhere.
    apart: FxHashSet<Word>,
    made: Vec<Instruction>,
}

impl Constants {
    /// `apart`: constants that are not to stand for equal values elsewhere, since they have a name or a decoration.
    pub fn new(apart: FxHashSet<Word>) -> Constants {
        Constants { apart, ..Constants::default() }
    }

    /// Takes notice of an instruction of the section of types, constants and global variables.
    pub fn declare(&mut self, instruction: &Instruction) {
        let Some(id) = instruction.result_id else { return };
        if let Some(ty) = type_of(instruction) {
            self.types.insert(id, ty);
            return;
        }
        let Some(ty) = instruction.result_type else { return };
        let constant = match instruction.class.opcode {
            Op::ConstantTrue => Constant::Bits(1),
            Op::ConstantFalse => Constant::Bits(0),
            Op::Constant => {
                let Some(Type::Scalar(scalar)) = self.types.get(&ty) else { return };
                let Some(bits) = instruction.operands.first().and_then(|literal| scalar.literal(literal))
                else {
                    return;
                };
                Constant::Bits(bits)
            }
            Op::ConstantComposite => Constant::Composite(ids_of(&instruction.operands)),
            Op::ConstantCompositeReplicateEXT => match instruction.operands.first() {
                Some(&Operand::IdRef(part)) => Constant::Replicated(part),
                _ => return,
            },
            Op::ConstantNull => match self.types.get(&ty) {
                // One value, one way to say it.
                Some(Type::Scalar(_)) => Constant::Bits(0),
                _ => Constant::Null,
            },
            Op::SpecConstantComposite => {
                self.specialized_parts.insert(id, ids_of(&instruction.operands));
                Constant::Specialized
            }
            Op::SpecConstant
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstantCompositeReplicateEXT
            | Op::SpecConstantOp => Constant::Specialized,
            _ => return,
        };
        if constant != Constant::Specialized && !self.apart.contains(&id) {
            self.ids.entry((ty, constant.clone())).or_insert(id);
        }
        self.values.insert(id, (ty, constant));
    }

    /// What is known about the type with an id; nothing where no type has been declared by it.
    pub fn ty(&self, id: Word) -> Option<&Type> {
        self.types.get(&id)
    }

    /// The scalar type with an id; nothing for other types.
    pub fn scalar(&self, ty: Word) -> Option<Scalar> {
        match self.types.get(&ty) {
            Some(Type::Scalar(scalar)) => Some(*scalar),
            _ => None,
        }
    }

    /// A constant's type and value.
    pub fn get(&self, id: Word) -> Option<&(Word, Constant)> {
        self.values.get(&id)
    }

    /// Whether an id is a constant whose value is known.
    pub fn is_known(&self, id: Word) -> bool {
        self.values.get(&id).is_some_and(|(_, constant)| *constant != Constant::Specialized)
    }

    /// A scalar constant's type and bits.
    pub fn bits(&self, id: Word) -> Option<(Scalar, u64)> {
        let (ty, constant) = self.values.get(&id)?;
        match constant {
            Constant::Bits(bits) => Some((self.scalar(*ty)?, *bits)),
            _ => None,
        }
    }

    /// How many parts a composite type has.
    pub fn parts(&self, ty: Word) -> Option<usize> {
        Some(match self.types.get(&ty)? {
            Type::Vector(_, count) | Type::Matrix(_, count) => *count as usize,
            Type::Struct(members) => members.len(),
            Type::Array(_, length) => usize::try_from(self.bits(*length)?.1).ok()?,
            Type::Scalar(_) | Type::Pointer(_) | Type::Other => return None,
        })
    }

    /// The type of a part.
    pub fn part_type(&self, ty: Word, index: u32) -> Option<Word> {
        match self.types.get(&ty)? {
            Type::Vector(part, count) | Type::Matrix(part, count) => (index < *count).then_some(*part),
            Type::Struct(members) => members.get(index as usize).copied(),
            Type::Array(element, _) => Some(*element),
            Type::Scalar(_) | Type::Pointer(_) | Type::Other => None,
        }
    }

    /// The constant of a scalar type with a value: one that is there, or a new one.
    pub fn scalar_id(
        &mut self,
        ty: Word,
        bits: u64,
        fresh: &mut dyn FnMut() -> Option<Word>,
    ) -> Option<Word> {
        let scalar = self.scalar(ty)?;
        let bits = scalar.mask(bits);
        let (op, operands) = scalar.constant(bits);
        self.intern(ty, Constant::Bits(bits), op, operands, fresh)
    }

    /// The composite constant with these parts.
    pub fn composite_id(
        &mut self,
        ty: Word,
        parts: &[Word],
        fresh: &mut dyn FnMut() -> Option<Word>,
    ) -> Option<Word> {
        let operands = parts.iter().map(|&part| Operand::IdRef(part)).collect();
        self.intern(ty, Constant::Composite(parts.into()), Op::ConstantComposite, operands, fresh)
    }

    fn intern(
        &mut self,
        ty: Word,
        constant: Constant,
        op: Op,
        operands: Vec<Operand>,
        fresh: &mut dyn FnMut() -> Option<Word>,
    ) -> Option<Word> {
        match self.ids.entry((ty, constant.clone())) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(vacant) => {
                let id = fresh()?;
                vacant.insert(id);
                self.values.insert(id, (ty, constant));
                self.made.push(inst(op, Some(ty), Some(id), operands));
                Some(id)
            }
        }
    }

    /// The constants that were made since they were last asked for, in an order in which they may stand.
    pub fn take_made(&mut self) -> Vec<Instruction> {
        std::mem::take(&mut self.made)
    }

    /// Takes back a constant that was made.
    pub fn forget(&mut self, made: &Instruction) {
        let Some(id) = made.result_id else { return };
        if let Some(value) = self.values.remove(&id) {
            self.ids.remove(&value);
        }
    }

    /// A part of a constant, which may be a specialized one. Nothing for what is an operation on specialized constants.
    pub fn part(&mut self, id: Word, index: u32, fresh: &mut dyn FnMut() -> Option<Word>) -> Option<Word> {
        let (ty, constant) = self.values.get(&id)?;
        let ty = *ty;
        match constant {
            Constant::Composite(parts) => parts.get(index as usize).copied(),
            Constant::Replicated(part) => {
                let part = *part;
                // A matrix of the device's own making has parts that nobody can count.
                self.part_type(ty, index)?;
                Some(part)
            }
            Constant::Null => {
                if self.parts(ty).is_none_or(|count| index as usize >= count) {
                    return None;
                }
                let part = self.part_type(ty, index)?;
                self.null(part, fresh)
            }
            Constant::Specialized => self.specialized_parts.get(&id)?.get(index as usize).copied(),
            Constant::Bits(_) => None,
        }
    }

    fn null(&mut self, ty: Word, fresh: &mut dyn FnMut() -> Option<Word>) -> Option<Word> {
        match self.types.get(&ty)? {
            Type::Scalar(_) => self.scalar_id(ty, 0, fresh),
            _ => self.intern(ty, Constant::Null, Op::ConstantNull, Vec::new(), fresh),
        }
    }

    /// The scalars of a scalar or vector constant.
    fn components(&self, id: Word) -> Option<Vec<(Scalar, u64)>> {
        let (ty, constant) = self.values.get(&id)?;
        match self.types.get(ty)? {
            Type::Scalar(_) => Some(vec![self.bits(id)?]),
            Type::Vector(component, count) => match constant {
                Constant::Composite(parts) => parts.iter().map(|&part| self.bits(part)).collect(),
                Constant::Replicated(part) => Some(vec![self.bits(*part)?; *count as usize]),
                Constant::Null => Some(vec![(self.scalar(*component)?, 0); *count as usize]),
                Constant::Bits(_) | Constant::Specialized => None,
            },
            _ => None,
        }
    }

    /// The constant that an operation makes of constants. `exact`: only where neither rounding nor what devices do with special
    /// numbers has a say in it; without it a float is rounded to the nearest.
    pub fn fold(
        &mut self,
        op: Op,
        ty: Word,
        operands: &[Operand],
        exact: bool,
        fresh: &mut dyn FnMut() -> Option<Word>,
    ) -> Option<Word> {
        let id = |at: usize| operands.get(at).and_then(Operand::id_ref_any);
        let literal = |operand: &Operand| match operand {
            Operand::LiteralBit32(number) => Some(*number),
            _ => None,
        };
        match op {
            Op::CompositeExtract => {
                let mut from = id(0)?;
                for index in operands.get(1..)? {
                    from = self.part(from, literal(index)?, fresh)?;
                }
                (self.values.get(&from)?.0 == ty).then_some(from)
            }
            Op::CompositeInsert => {
                let path: Vec<u32> = operands.get(2..)?.iter().map(literal).collect::<Option<_>>()?;
                self.inserted(ty, id(0)?, id(1)?, &path, fresh)
            }
            Op::CompositeConstruct => {
                let parts = ids_of(operands);
                if parts.len() != operands.len() || !parts.iter().all(|&part| self.is_known(part)) {
                    return None;
                }
                match self.types.get(&ty)? {
                    // The parts of a vector may be vectors.
                    Type::Vector(component, count) => {
                        let (component, count) = (*component, *count as usize);
                        let mut all = Vec::with_capacity(count);
                        for &part in &parts {
                            if self.values.get(&part)?.0 == component {
                                all.push(part);
                                continue;
                            }
                            let own = self.parts(self.values.get(&part)?.0)?;
                            for index in 0..own.min(count) as u32 {
                                all.push(self.part(part, index, fresh)?);
                            }
                        }
                        if all.len() != count {
                            return None;
                        }
                        self.composite_id(ty, &all, fresh)
                    }
                    Type::Matrix(..) | Type::Array(..) | Type::Struct(_) if parts.len() <= MOST_PARTS => {
                        self.composite_id(ty, &parts, fresh)
                    }
                    _ => None,
                }
            }
            Op::VectorShuffle => {
                let (a, b) = (self.components(id(0)?)?, self.components(id(1)?)?);
                let both: Vec<(Scalar, u64)> = a.into_iter().chain(b).collect();
                // A component that is left undefined is 0xFFFFFFFF, which is none of theirs.
                let chosen: Option<Vec<u64>> = operands
                    .get(2..)?
                    .iter()
                    .map(|index| both.get(literal(index)? as usize).map(|(_, bits)| *bits))
                    .collect();
                self.vector(ty, &chosen?, fresh)
            }
            Op::Select => {
                // One condition chooses between whole values of any type.
                match self.bits(id(0)?) {
                    Some((_, condition)) => {
                        let chosen = if condition != 0 { id(1)? } else { id(2)? };
                        (self.values.get(&chosen)?.0 == ty).then_some(chosen)
                    }
                    None => self.each(op, ty, operands, exact, fresh),
                }
            }
            Op::CopyObject => (self.values.get(&id(0)?)?.0 == ty).then_some(id(0)?),
            Op::All | Op::Any => {
                let mut parts = self.components(id(0)?)?.into_iter().map(|(_, bits)| bits != 0);
                let value = if op == Op::All { parts.all(|part| part) } else { parts.any(|part| part) };
                self.scalar_id(ty, u64::from(value), fresh)
            }
            Op::VectorExtractDynamic => {
                let (_, index) = self.bits(id(1)?)?;
                let part = self.part(id(0)?, u32::try_from(index).ok()?, fresh)?;
                (self.values.get(&part)?.0 == ty).then_some(part)
            }
            _ => self.each(op, ty, operands, exact, fresh),
        }
    }

    /// An instruction of GLSL.std.450 on constants.
    pub fn fold_glsl(
        &mut self,
        number: u32,
        ty: Word,
        arguments: &[Operand],
        fresh: &mut dyn FnMut() -> Option<Word>,
    ) -> Option<Word> {
        self.by_component(ty, arguments, fresh, |to, operands| {
            evaluate_glsl(number, to, operands).filter(|known| known.exact).map(|known| known.bits)
        })
    }

    fn each(
        &mut self,
        op: Op,
        ty: Word,
        operands: &[Operand],
        exact: bool,
        fresh: &mut dyn FnMut() -> Option<Word>,
    ) -> Option<Word> {
        self.by_component(ty, operands, fresh, |to, operands| {
            evaluate(op, to, operands).filter(|known| known.exact || !exact).map(|known| known.bits)
        })
    }

    fn by_component(
        &mut self,
        ty: Word,
        operands: &[Operand],
        fresh: &mut dyn FnMut() -> Option<Word>,
        value: impl Fn(Scalar, &[(Scalar, u64)]) -> Option<u64>,
    ) -> Option<Word> {
        let (component, count) = match self.types.get(&ty)? {
            Type::Scalar(_) => (ty, 1),
            Type::Vector(component, count) => (*component, *count as usize),
            _ => return None,
        };
        let to = self.scalar(component)?;
        if !operands.iter().all(|operand| operand.id_ref_any().is_some_and(|id| self.is_known(id))) {
            return None;
        }
        if operands.is_empty() || operands.len() > 4 || count > MOST_PARTS {
            return None;
        }
        let all: Vec<Vec<(Scalar, u64)>> =
            operands.iter().map(|operand| self.components(operand.id_ref_any()?)).collect::<Option<_>>()?;
        let mut bits = Vec::with_capacity(count);
        for index in 0..count {
            let mut row = [(Scalar::Bool, 0); 4];
            for (slot, components) in row.iter_mut().zip(&all) {
                // A scalar stands for itself in each component only where the instruction has one, as the offset of a field has.
                *slot = match components.as_slice() {
                    &[one] => one,
                    several => *several.get(index)?,
                };
            }
            bits.push(value(to, &row[..all.len()])?);
        }
        self.vector(ty, &bits, fresh)
    }

    /// The scalar or vector with these bits.
    fn vector(&mut self, ty: Word, bits: &[u64], fresh: &mut dyn FnMut() -> Option<Word>) -> Option<Word> {
        match *self.types.get(&ty)? {
            Type::Scalar(_) => self.scalar_id(ty, *bits.first()?, fresh),
            Type::Vector(component, count) if bits.len() == count as usize => {
                let parts: Vec<Word> =
                    bits.iter().map(|&bits| self.scalar_id(component, bits, fresh)).collect::<Option<_>>()?;
                self.composite_id(ty, &parts, fresh)
            }
            _ => None,
        }
    }

    fn inserted(
        &mut self,
        ty: Word,
        object: Word,
        into: Word,
        path: &[u32],
        fresh: &mut dyn FnMut() -> Option<Word>,
    ) -> Option<Word> {
        if !self.is_known(object) || self.values.get(&into)?.0 != ty {
            return None;
        }
        // From the outside in: what stands around the part; then from the inside out.
        let mut around: Vec<(Word, Vec<Word>, usize)> = Vec::new();
        let mut at = into;
        for &index in path {
            let at_ty = self.values.get(&at)?.0;
            let count = self.parts(at_ty)?;
            if count > MOST_PARTS || index as usize >= count {
                return None;
            }
            let parts: Vec<Word> =
                (0..count as u32).map(|index| self.part(at, index, fresh)).collect::<Option<_>>()?;
            at = parts[index as usize];
            around.push((at_ty, parts, index as usize));
        }
        if self.values.get(&at)?.0 != self.values.get(&object)?.0 {
            return None;
        }
        let mut value = object;
        for (ty, mut parts, index) in around.into_iter().rev() {
            parts[index] = value;
            if !parts.iter().all(|&part| self.is_known(part)) {
                return None;
            }
            value = self.composite_id(ty, &parts, fresh)?;
        }
        Some(value)
    }
}

fn ids_of(operands: &[Operand]) -> Box<[Word]> {
    operands.iter().filter_map(Operand::id_ref_any).collect()
}

fn type_of(instruction: &Instruction) -> Option<Type> {
    use Operand::{IdRef, LiteralBit32};
    Some(match (instruction.class.opcode, instruction.operands.as_slice()) {
        (Op::TypeVector, [IdRef(component), LiteralBit32(count)]) => Type::Vector(*component, *count),
        (Op::TypeMatrix, [IdRef(column), LiteralBit32(count)]) => Type::Matrix(*column, *count),
        (Op::TypeArray, [IdRef(element), IdRef(length)]) => Type::Array(*element, *length),
        (Op::TypeStruct, members) => Type::Struct(ids_of(members)),
        (Op::TypePointer, [_, IdRef(pointee)]) => Type::Pointer(*pointee),
        (Op::TypeBool | Op::TypeInt | Op::TypeFloat, _) => {
            Scalar::of_type(instruction).map_or(Type::Other, Type::Scalar)
        }
        (op, _) if op.is_type() => Type::Other,
        _ => return None,
    })
}
