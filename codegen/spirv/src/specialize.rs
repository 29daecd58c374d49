//! Specialization: values for constants that a pipeline would give, folded into the module as a driver does.
//!
//! A constant that has a value becomes an ordinary one of the same id and name, and so does whatever depends on such constants
//! alone; array lengths, matrix shapes and the size of a workgroup follow. Types that become equal by that are merged, as two types
//! of one meaning may not stand beside each other (SPIR-V 2.8, "Types"). What depends on other constants, or on the
//! device (the length of a matrix), remains as it was.

use std::fmt;

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, Op, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::constants::{Constant, Constants};
use crate::inst;
use crate::scalar::Scalar;
use crate::tracked::{Line, Tracked, replace_ids};

/// A constant that a pipeline may give a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecializationConstant {
    /// What `layout(constant_id = N)` and `VkSpecializationMapEntry::constantID` say.
    pub spec_id: u32,
    /// Its result id.
    pub id: Word,
    /// Its type.
    pub scalar: Scalar,
    /// The bits of its default value.
    pub default: u64,
    /// What `OpName` calls it; no empty name.
    pub name: Option<String>,
}

impl fmt::Display for SpecializationConstant {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} (", self.spec_id)?;
        if let Some(name) = &self.name {
            write!(f, "{name}: ")?;
        }
        write!(f, "{} = {})", self.scalar.name(), self.scalar.show(self.default))
    }
}

/// Values by specialization id, as bits of the constant's type.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Values {
    /// Specialization ids and bits, zeros above the type's width; of two for one id the later one holds.
    pub given: Vec<(u32, u64)>,
    /// Whether the constants that are not given take their default values, so that none is left.
    pub defaults: bool,
}

/// Why values cannot be given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SpecializeError {
    /// No constant of the module has the specialization id.
    UnknownId {
        /// The id that was given.
        spec_id: u32,
        /// All that the module has.
        known: Vec<SpecializationConstant>,
    },
    /// The value is none of the constant's type.
    Value {
        /// The one that was to get it.
        constant: SpecializationConstant,
        /// The value as it was written.
        text: String,
        /// What is expected, or how wide the type is.
        reason: String,
    },
}

impl fmt::Display for SpecializeError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            SpecializeError::UnknownId { spec_id, known } if known.is_empty() => {
                write!(f, "there is no specialization constant {spec_id}: the shader has none that it uses")
            }
            SpecializeError::UnknownId { spec_id, known } => {
                write!(f, "there is no specialization constant {spec_id}: the shader uses ")?;
                for (index, constant) in known.iter().enumerate() {
                    write!(f, "{}{constant}", if index == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
            SpecializeError::Value { constant, text, reason } => {
                write!(f, "`{text}` cannot be the value of specialization constant {constant}: {reason}")
            }
        }
    }
}

impl std::error::Error for SpecializeError {}

/// A specialized module.
#[derive(Clone, Debug)]
pub struct Specialized {
    /// Without the constants that have got a value, as far as they could be folded.
    pub module: Module,
    /// For each instruction the index of the one that it was, or was made for.
    pub origins: Vec<Option<usize>>,
}

/// The specialization constants of a module, by their ids.
pub fn specialization_constants(module: &Module) -> Vec<SpecializationConstant> {
    let mut scalars = FxHashMap::default();
    let mut defaults = FxHashMap::default();
    for instruction in &module.types_global_values {
        let Some(id) = instruction.result_id else { continue };
        if let Some(scalar) = Scalar::of_type(instruction) {
            scalars.insert(id, scalar);
        }
        let Some(&scalar) = instruction.result_type.and_then(|ty| scalars.get(&ty)) else { continue };
        let default = match instruction.class.opcode {
            Op::SpecConstantTrue => Some(1),
            Op::SpecConstantFalse => Some(0),
            Op::SpecConstant => instruction.operands.first().and_then(|literal| scalar.literal(literal)),
            _ => None,
        };
        if let Some(default) = default {
            defaults.insert(id, (scalar, default));
        }
    }
    let names: FxHashMap<Word, &str> = module
        .debug_names
        .iter()
        .filter_map(|name| match (name.class.opcode, name.operands.as_slice()) {
            (Op::Name, [Operand::IdRef(id), Operand::LiteralString(text)]) => Some((*id, text.as_str())),
            _ => None,
        })
        .collect();
    let mut found: Vec<SpecializationConstant> = module
        .annotations
        .iter()
        .filter_map(spec_id)
        .filter_map(|(id, spec_id)| {
            let &(scalar, default) = defaults.get(&id)?;
            let name = names.get(&id).filter(|name| !name.is_empty()).map(|&name| name.to_owned());
            Some(SpecializationConstant { spec_id, id, scalar, default, name })
        })
        .collect();
    found.sort_by_key(|constant| (constant.spec_id, constant.id));
    found
}

/// The constant that a decoration gives an id, and the id.
fn spec_id(annotation: &Instruction) -> Option<(Word, u32)> {
    match (annotation.class.opcode, annotation.operands.as_slice()) {
        (
            Op::Decorate,
            [Operand::IdRef(id), Operand::Decoration(Decoration::SpecId), Operand::LiteralBit32(number)],
        ) => Some((*id, *number)),
        _ => None,
    }
}

impl Values {
    /// Reads values that a person wrote, each in the type of its constant, as [`Scalar::parse`] does.
    ///
    /// # Errors
    /// An id that the module lacks, or a text that is no value of the constant's type.
    pub fn parse<'a>(
        module: &Module,
        written: impl IntoIterator<Item = (u32, &'a str)>,
    ) -> Result<Values, SpecializeError> {
        let known = specialization_constants(module);
        let mut values = Values::default();
        for (wanted, text) in written {
            let Some(constant) = known.iter().find(|constant| constant.spec_id == wanted) else {
                return Err(SpecializeError::UnknownId { spec_id: wanted, known });
            };
            match constant.scalar.parse(text) {
                Ok(bits) => values.given.push((wanted, bits)),
                Err(reason) => {
                    let (constant, text) = (constant.clone(), text.to_owned());
                    return Err(SpecializeError::Value { constant, text, reason });
                }
            }
        }
        Ok(values)
    }
}

/// Gives specialization constants their values; of two for one id the later one holds.
///
/// # Errors
/// An id that the module lacks, or bits beyond the width of the constant's type.
pub fn specialize(module: Module, values: &Values) -> Result<Specialized, SpecializeError> {
    let known = specialization_constants(&module);
    let mut bits: FxHashMap<Word, u64> = FxHashMap::default();
    if values.defaults {
        bits.extend(known.iter().map(|constant| (constant.id, constant.default)));
    }
    for &(wanted, value) in &values.given {
        let mut of_this_id = known.iter().filter(|constant| constant.spec_id == wanted).peekable();
        if of_this_id.peek().is_none() {
            return Err(SpecializeError::UnknownId { spec_id: wanted, known });
        }
        for constant in of_this_id {
            let fits = constant.scalar.mask(value);
            if fits != value {
                return Err(SpecializeError::Value {
                    constant: constant.clone(),
                    text: value.to_string(),
                    reason: format!("{} has {} bits", constant.scalar.name(), constant.scalar.bits()),
                });
            }
            bits.insert(constant.id, value);
        }
    }
    let mut tracked = Tracked::new(module);
    let folded = fold_constants(&mut tracked, &bits, values.defaults);
    tracked
        .annotations
        .retain(|annotation| spec_id(annotation).is_none_or(|(id, _)| !folded.specialized.contains(&id)));
    fold_workgroup_size(&mut tracked, &folded.constants);
    if !tracked.has_unknown_instructions() {
        merge_types(&mut tracked, &folded);
    }
    let (module, origins) = tracked.finish();
    Ok(Specialized { module, origins })
}

struct Folded {
    constants: Constants,
    /// The constants that have lost their `SpecId`.
    specialized: FxHashSet<Word>,
    /// All that are known only now.
    changed: FxHashSet<Word>,
}

/// Whether an instruction is a constant that a pipeline has a say in.
fn is_specialized(instruction: &Instruction) -> bool {
    matches!(
        instruction.class.opcode,
        Op::SpecConstant
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstantComposite
            | Op::SpecConstantCompositeReplicateEXT
            | Op::SpecConstantOp
    )
}

/// Makes ordinary constants of those that are known now. They keep their ids.
fn fold_constants(tracked: &mut Tracked, bits: &FxHashMap<Word, u64>, defaults: bool) -> Folded {
    // Whatever was specialized has a meaning of its own, and does not stand for equal numbers elsewhere.
    let apart = tracked.types_global_values.iter().filter(|line| is_specialized(line));
    let mut constants = Constants::new(apart.filter_map(|line| line.result_id).collect());
    let mut specialized = FxHashSet::default();
    let mut changed = FxHashSet::default();
    let lines = std::mem::take(&mut tracked.types_global_values);
    let mut out = Vec::with_capacity(lines.len());
    for mut line in lines {
        let was_specialized = is_specialized(&line);
        let is_known = |constants: &Constants| {
            line.operands.iter().filter_map(Operand::id_ref_any).all(|part| constants.is_known(part))
        };
        match (line.class.opcode, line.result_type, line.result_id) {
            (Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse, Some(ty), Some(id)) => {
                // Without a number of its own nothing can give it another value than it has.
                let own = match line.class.opcode {
                    Op::SpecConstantTrue => Some(1),
                    Op::SpecConstantFalse => Some(0),
                    _ => constants.scalar(ty).zip(line.operands.first()).and_then(|(ty, it)| ty.literal(it)),
                };
                let value = bits.get(&id).copied().or(own.filter(|_| defaults));
                if let (Some(scalar), Some(value)) = (constants.scalar(ty), value) {
                    let (op, operands) = scalar.constant(value);
                    line.instruction = inst(op, Some(ty), Some(id), operands);
                    specialized.insert(id);
                }
            }
            (Op::SpecConstantComposite, ty, id) if is_known(&constants) => {
                let operands = std::mem::take(&mut line.operands);
                line.instruction = inst(Op::ConstantComposite, ty, id, operands);
            }
            (Op::SpecConstantCompositeReplicateEXT, ty, id) if is_known(&constants) => {
                let operands = std::mem::take(&mut line.operands);
                line.instruction = inst(Op::ConstantCompositeReplicateEXT, ty, id, operands);
            }
            (Op::SpecConstantOp, Some(ty), Some(id)) => {
                if let [Operand::LiteralSpecConstantOpInteger(op), operands @ ..] = line.operands.as_slice() {
                    let op = *op;
                    let mut fresh = || tracked.fresh_id();
                    let value = constants.fold(op, ty, operands, false, &mut fresh);
                    let mut made = constants.take_made();
                    let constant = value.and_then(|value| constants.get(value)).map(|(_, it)| it.clone());
                    // The result has its own id; a new constant for it need not stand beside it.
                    if let Some(last) = made.pop_if(|last| last.result_id == value) {
                        constants.forget(&last);
                    }
                    out.extend(made.into_iter().map(|made| Line::new(made, line.origin)));
                    if let Some(instruction) = constant.and_then(|it| written(&constants, ty, id, &it)) {
                        line.instruction = instruction;
                    }
                }
            }
            _ => {}
        }
        constants.declare(&line);
        if was_specialized && let Some(id) = line.result_id.filter(|&id| constants.is_known(id)) {
            changed.insert(id);
        }
        out.push(line);
    }
    tracked.types_global_values = out;
    Folded { constants, specialized, changed }
}

/// A value as an instruction with a given result; nothing for what is still specialized.
fn written(constants: &Constants, ty: Word, id: Word, constant: &Constant) -> Option<Instruction> {
    let (op, operands) = match constant {
        Constant::Bits(bits) => constants.scalar(ty)?.constant(*bits),
        Constant::Composite(parts) => {
            (Op::ConstantComposite, parts.iter().map(|&part| Operand::IdRef(part)).collect())
        }
        Constant::Replicated(part) => (Op::ConstantCompositeReplicateEXT, vec![Operand::IdRef(*part)]),
        Constant::Null => (Op::ConstantNull, Vec::new()),
        Constant::Specialized => return None,
    };
    Some(inst(op, Some(ty), Some(id), operands))
}

/// The size of a workgroup as numbers, where it was given by constants that are known now.
fn fold_workgroup_size(tracked: &mut Tracked, constants: &Constants) {
    let uint = |id: Word| constants.bits(id).map(|(_, bits)| bits as u32);
    // The constant that is decorated with WorkgroupSize overrides the execution modes (SPIR-V 3.21, "BuiltIn").
    let decorated = tracked.annotations.iter().find_map(|line| match line.operands.as_slice() {
        [
            Operand::IdRef(id),
            Operand::Decoration(Decoration::BuiltIn),
            Operand::BuiltIn(BuiltIn::WorkgroupSize),
        ] => Some(*id),
        _ => None,
    });
    let size = decorated.and_then(|id| match &constants.get(id)?.1 {
        Constant::Composite(parts) => match **parts {
            [x, y, z] => Some([uint(x)?, uint(y)?, uint(z)?]),
            _ => None,
        },
        _ => None,
    });
    for line in &mut tracked.execution_modes {
        let literal = |size: [u32; 3]| size.map(Operand::LiteralBit32);
        match line.operands.as_slice() {
            [entry @ Operand::IdRef(_), Operand::ExecutionMode(ExecutionMode::LocalSize), _, _, _] => {
                if let Some(size) = size {
                    let mut operands = vec![entry.clone(), Operand::ExecutionMode(ExecutionMode::LocalSize)];
                    operands.extend(literal(size));
                    line.operands = operands;
                }
            }
            [
                entry @ Operand::IdRef(_),
                Operand::ExecutionMode(ExecutionMode::LocalSizeId),
                Operand::IdRef(x),
                Operand::IdRef(y),
                Operand::IdRef(z),
            ] => {
                if let (Some(x), Some(y), Some(z)) = (uint(*x), uint(*y), uint(*z)) {
                    let mut operands = vec![entry.clone(), Operand::ExecutionMode(ExecutionMode::LocalSize)];
                    operands.extend(literal([x, y, z]));
                    line.instruction = inst(Op::ExecutionMode, None, None, operands);
                }
            }
            _ => {}
        }
    }
}

/// Makes one of types that mean the same now and did not before: whose operands are equal, constants by their values, and their
/// decorations too. Structures stay, as each is a type of its own.
fn merge_types(tracked: &mut Tracked, folded: &Folded) {
    let constants = &folded.constants;
    // What depends on a constant that is known only now.
    let mut changed = folded.changed.clone();
    if changed.is_empty() {
        return;
    }
    let mut decorations: FxHashMap<Word, Vec<Instruction>> = FxHashMap::default();
    for line in &tracked.annotations {
        if let Some(Operand::IdRef(target)) = line.operands.first() {
            let mut plain = line.instruction.clone();
            plain.operands.remove(0);
            decorations.entry(*target).or_default().push(plain);
        }
    }
    let forward: FxHashSet<Word> = tracked
        .types_global_values
        .iter()
        .filter(|line| line.class.opcode == Op::TypeForwardPointer)
        .filter_map(|line| line.operands.first().and_then(Operand::id_ref_any))
        .collect();
    // A constant is as good as any other of its value and type.
    #[derive(PartialEq, Eq, Hash)]
    enum Part {
        Value(Scalar, u64),
        Operand(Operand),
    }
    let mut first: FxHashMap<(u16, Vec<Part>, Vec<Instruction>), Word> = FxHashMap::default();
    let mut merged: FxHashMap<Word, Word> = FxHashMap::default();
    let lines = std::mem::take(&mut tracked.types_global_values);
    for mut line in lines {
        let mut operands = line.operands.iter().filter_map(Operand::id_ref_any);
        if operands.any(|id| changed.contains(&id)) {
            changed.extend(line.result_id);
        }
        replace_ids(&mut line, &merged);
        let op = line.class.opcode;
        // An opcode of an extension that rspirv lacks declares no type.
        let is_type = op.is_type() && !matches!(op, Op::TypeStruct | Op::TypeForwardPointer | Op::TypeOpaque);
        if let Some(id) = line.result_id.filter(|id| is_type && !forward.contains(id)) {
            let parts = line.operands.iter().map(|operand| match operand.id_ref_any() {
                Some(part) => match constants.bits(part) {
                    Some((scalar, bits)) => Part::Value(scalar, bits),
                    None => Part::Operand(operand.clone()),
                },
                None => Part::Operand(operand.clone()),
            });
            let decorated = decorations.get(&id).cloned().unwrap_or_default();
            match first.entry((op as u16, parts.collect(), decorated)) {
                std::collections::hash_map::Entry::Occupied(known) => {
                    // Some types may stand twice, and did so before.
                    if changed.contains(&id) || changed.contains(known.get()) {
                        changed.insert(id);
                        merged.insert(id, *known.get());
                        continue;
                    }
                }
                std::collections::hash_map::Entry::Vacant(vacant) => {
                    vacant.insert(id);
                }
            }
        }
        tracked.types_global_values.push(line);
    }
    if merged.is_empty() {
        return;
    }
    let about_merged = |line: &Line| {
        line.operands.first().and_then(Operand::id_ref_any).is_some_and(|id| merged.contains_key(&id))
    };
    tracked.annotations.retain(|line| !about_merged(line));
    tracked.debug_names.retain(|line| !about_merged(line));
    for line in tracked.lines_mut() {
        replace_ids(line, &merged);
    }
}
