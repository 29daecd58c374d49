//! What one module needs of a device: by the capabilities that it declares, its execution modes, and the instructions for which a
//! capability leaves a choice, as between atomics on buffers and on shared memory.

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{ExecutionMode, ImageOperands, Op, Scope, StorageClass, Word};
use rustc_hash::FxHashMap;

use super::capabilities::{SETS, SHARING};
use super::{FloatControl, Means, Origin, feature, means};
use crate::Capability;

/// Something that a device has to have.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// What asks for it.
    pub cause: Cause,
    /// The indices of the instructions that ask, in the order of the module.
    pub instructions: Vec<usize>,
    /// Any of these will do. Nothing where no version and no extension of Vulkan is known to allow it.
    pub any: Vec<Means>,
}

/// What asks.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// A capability that the module declares.
    Capability(Capability),
    /// A number that no grammar has.
    UnknownCapability(u32),
    /// With its first literal, which is the width for float controls.
    ExecutionMode(ExecutionMode, Option<u32>),
    /// An instruction, in words: "atomic additions of 32-bit floats in shared memory".
    Instruction(String),
}

impl Cause {
    /// As the end of a sentence.
    pub fn describe(&self) -> String {
        match self {
            Cause::Capability(capability) => format!("the capability {capability:?}"),
            Cause::UnknownCapability(number) => format!("the capability {number}"),
            Cause::ExecutionMode(mode, None) => format!("the execution mode {mode:?}"),
            Cause::ExecutionMode(mode, Some(width)) => {
                format!("the execution mode {mode:?} for floats of {width} bits")
            }
            Cause::Instruction(words) => words.clone(),
        }
    }
}

/// What a module needs, each thing once, in the order in which the module's instructions ask; of execution modes those of one entry
/// point, or all.
pub fn needs(module: &Module, entry: Option<Word>) -> Vec<Need> {
    let mut found: Vec<Need> = Vec::new();
    let types = Types::of(module);
    for (index, instruction) in module.all_inst_iter().enumerate() {
        let mode = matches!(instruction.class.opcode, Op::ExecutionMode | Op::ExecutionModeId);
        if mode && entry.is_some_and(|entry| instruction.operands.first() != Some(&Operand::IdRef(entry))) {
            continue;
        }
        let Some((cause, any)) = asked(instruction, &types) else { continue };
        match found.iter_mut().find(|need| need.cause == cause) {
            Some(need) => need.instructions.push(index),
            None => found.push(Need { cause, instructions: vec![index], any }),
        }
    }
    from_declared_extensions(module, &mut found);
    // Where an instruction says which feature it is, its capability asks for nothing more.
    let instructions = found.iter().filter(|need| matches!(need.cause, Cause::Instruction(_)));
    let told: Vec<&str> =
        instructions.flat_map(|need| need.any.iter().filter_map(|means| means.feature())).collect();
    let is_told = |means: &Means| means.feature().is_some_and(|name| told.contains(&name));
    found.retain(|need| !matches!(need.cause, Cause::Capability(_)) || !need.any.iter().any(is_told));
    found
}

/// Of features that several extensions have, leaves those of the extensions that the module declares.
fn from_declared_extensions(module: &Module, found: &mut [Need]) {
    let declares = |name: &str| {
        module.extensions.iter().any(|extension| match extension.operands.first() {
            Some(Operand::LiteralString(declared)) => declared == name,
            _ => false,
        })
    };
    let (declared, others): (Vec<_>, Vec<_>) = SHARING.iter().partition(|(name, _)| declares(name));
    let is_from = |means: &Means, extensions: &[&(&str, Origin)]| match means {
        Means::Feature { from, .. } => extensions.iter().any(|(_, origin)| from.contains(origin)),
        _ => false,
    };
    for need in found.iter_mut().filter(|need| need.any.iter().any(|means| is_from(means, &declared))) {
        need.any.retain(|means| !is_from(means, &others));
    }
}

fn asked(instruction: &Instruction, types: &Types) -> Option<(Cause, Vec<Means>)> {
    match instruction.class.opcode {
        Op::Capability => {
            let operand = instruction.operands.first()?;
            match (Capability::of(operand), operand) {
                (Some(capability), _) => Some((Cause::Capability(capability), means(capability))),
                (None, Operand::LiteralBit32(number)) => {
                    Some((Cause::UnknownCapability(*number), Vec::new()))
                }
                (None, _) => None,
            }
        }
        Op::ExtInst => {
            let import = types.definitions.get(&instruction.operands.first()?.id_ref_any()?)?;
            let Some(Operand::LiteralString(name)) = import.operands.first() else { return None };
            let (set, origin) = SETS.iter().find(|(set, _)| set == name)?;
            Some((Cause::Instruction(format!("instructions of {set}")), vec![Means::Whole(*origin)]))
        }
        Op::ExecutionMode | Op::ExecutionModeId => {
            let Some(Operand::ExecutionMode(mode)) = instruction.operands.get(1) else { return None };
            let width = match instruction.operands.get(2) {
                Some(Operand::LiteralBit32(width)) => Some(*width),
                _ => None,
            };
            execution_mode(*mode, width)
        }
        _ => {
            let (words, name) = by_instruction(instruction, types)?;
            Some((Cause::Instruction(words), vec![feature(&name)?]))
        }
    }
}

fn execution_mode(mode: ExecutionMode, width: Option<u32>) -> Option<(Cause, Vec<Means>)> {
    if let Some(control) = FloatControl::of(mode) {
        let width = width?;
        return Some((Cause::ExecutionMode(mode, Some(width)), vec![Means::FloatControl(control, width)]));
    }
    let means = match mode {
        ExecutionMode::MaximallyReconvergesKHR => feature("shaderMaximalReconvergence")?,
        ExecutionMode::SubgroupUniformControlFlowKHR => feature("shaderSubgroupUniformControlFlow")?,
        // VUID-RuntimeSpirv-LocalSizeId-06434
        ExecutionMode::LocalSizeId => Means::Feature {
            name: "maintenance4",
            from: &[Origin::Version(1, 3), Origin::Extension("VK_KHR_maintenance4")],
        },
        _ => return None,
    };
    Some((Cause::ExecutionMode(mode, None), vec![means]))
}

/// In words what an instruction does, and the feature that it needs beside its capability.
fn by_instruction(instruction: &Instruction, types: &Types) -> Option<(String, String)> {
    match instruction.class.opcode {
        // VUID-RuntimeSpirv-shaderSubgroupClock-06267, -shaderDeviceClock-06268
        Op::ReadClockKHR => match types.value(instruction.operands.first()?)? {
            scope if scope == Scope::Subgroup as u32 => {
                Some(("the clock of a subgroup".to_owned(), "shaderSubgroupClock".to_owned()))
            }
            scope if scope == Scope::Device as u32 => {
                Some(("the clock of the device".to_owned(), "shaderDeviceClock".to_owned()))
            }
            _ => None,
        },
        // VUID-RuntimeSpirv-shaderSubgroupRotateClustered-09566
        Op::GroupNonUniformRotateKHR if instruction.operands.len() > 3 => {
            Some(("rotations within clusters".to_owned(), "shaderSubgroupRotateClustered".to_owned()))
        }
        // VUID-RuntimeSpirv-Offset-10213
        _ if looks_up_at_variable_offset(instruction) => {
            Some(("lookups at offsets that are no constants".to_owned(), "maintenance8".to_owned()))
        }
        // VUID-RuntimeSpirv-shaderFmaFloat16-10977 to -10979
        Op::FmaKHR => {
            let (_, width, _) = types.number(instruction.result_type?)?;
            Some((format!("OpFmaKHR of {width}-bit floats"), format!("shaderFmaFloat{width}")))
        }
        // VUID-RuntimeSpirv-None-06275
        _ if instruction.class.opname.starts_with("GroupNonUniform") => {
            let values =
                instruction.operands.iter().filter_map(|operand| types.types.get(&operand.id_ref_any()?));
            let mut numbers =
                values.copied().chain(instruction.result_type).filter_map(|ty| types.number(ty));
            let (.., width, _) =
                numbers.find(|number| matches!(number, (false, 8 | 16 | 64, _) | (true, 16, _)))?;
            let words = format!("group operations on {width}-bit values");
            Some((words, "shaderSubgroupExtendedTypes".to_owned()))
        }
        opcode => atomic(opcode, instruction, types),
    }
}

/// Whether an instruction other than a gather has an offset that need not be constant.
fn looks_up_at_variable_offset(instruction: &Instruction) -> bool {
    let name = instruction.class.opname;
    let is_offset = |operand: &Operand| matches!(operand, Operand::ImageOperands(operands) if operands.contains(ImageOperands::OFFSET));
    name.starts_with("Image") && !name.contains("Gather") && instruction.operands.iter().any(is_offset)
}

/// VUID-RuntimeSpirv-None-06278, -06279, -06284 to -06286, -06288, -06337 to -06339.
fn atomic(opcode: Op, instruction: &Instruction, types: &Types) -> Option<(String, String)> {
    let (verb, feature) = match opcode {
        Op::AtomicLoad => ("loads", "Atomics"),
        Op::AtomicStore => ("stores", "Atomics"),
        Op::AtomicExchange => ("exchanges", "Atomics"),
        Op::AtomicFAddEXT => ("additions", "AtomicAdd"),
        Op::AtomicFMinEXT => ("minima", "AtomicMinMax"),
        Op::AtomicFMaxEXT => ("maxima", "AtomicMinMax"),
        Op::AtomicCompareExchange
        | Op::AtomicIIncrement
        | Op::AtomicIDecrement
        | Op::AtomicIAdd
        | Op::AtomicISub
        | Op::AtomicSMin
        | Op::AtomicUMin
        | Op::AtomicSMax
        | Op::AtomicUMax
        | Op::AtomicAnd
        | Op::AtomicOr
        | Op::AtomicXor => ("operations", "Atomics"),
        _ => return None,
    };
    let Some(Operand::IdRef(pointer)) = instruction.operands.first() else { return None };
    let (class, pointee) = types.pointer(*pointer)?;
    let ty = instruction.result_type.or(pointee)?;
    let (float, width, components) = types.number(ty)?;
    let (memory, place) = match class {
        StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::PhysicalStorageBuffer => {
            ("Buffer", "in buffers")
        }
        StorageClass::Workgroup => ("Shared", "in shared memory"),
        StorageClass::Image => ("Image", "in images"),
        _ => return None,
    };
    // Vectors have one feature for everything, which their capability asks for.
    if components > 1 {
        return None;
    }
    match (float, width) {
        (true, _) => Some((
            format!("atomic {verb} of {width}-bit floats {place}"),
            format!("shader{memory}Float{width}{feature}"),
        )),
        (false, 64) => Some((
            format!("atomic operations on 64-bit integers {place}"),
            format!("shader{memory}Int64Atomics"),
        )),
        (false, _) => None,
    }
}

/// The types and constants of a module, and of which type its values are.
struct Types<'m> {
    definitions: FxHashMap<Word, &'m Instruction>,
    types: FxHashMap<Word, Word>,
}

impl<'m> Types<'m> {
    fn of(module: &'m Module) -> Types<'m> {
        let mut found = Types { definitions: FxHashMap::default(), types: FxHashMap::default() };
        for instruction in module.ext_inst_imports.iter().chain(&module.types_global_values) {
            if let Some(id) = instruction.result_id {
                found.definitions.insert(id, instruction);
            }
        }
        let typed = module.all_inst_iter().filter_map(|one| Some((one.result_id?, one.result_type?)));
        found.types.extend(typed);
        found
    }

    /// The value of a constant.
    fn value(&self, operand: &Operand) -> Option<u32> {
        let definition = self.definitions.get(&operand.id_ref_any()?)?;
        match definition.operands.first() {
            Some(Operand::LiteralBit32(value)) => Some(*value),
            _ => None,
        }
    }

    /// Where a pointer points, and at what.
    fn pointer(&self, id: Word) -> Option<(StorageClass, Option<Word>)> {
        let definition = self.definitions.get(self.types.get(&id)?)?;
        let Some(Operand::StorageClass(class)) = definition.operands.first() else { return None };
        Some((*class, definition.operands.get(1).and_then(Operand::id_ref_any)))
    }

    /// Of a scalar or a vector: whether it is of floats, the width, how many.
    fn number(&self, ty: Word) -> Option<(bool, u32, u32)> {
        let definition = self.definitions.get(&ty)?;
        let first = match definition.operands.first()? {
            Operand::LiteralBit32(first) => Some(*first),
            _ => None,
        };
        match definition.class.opcode {
            Op::TypeInt => Some((false, first?, 1)),
            Op::TypeFloat => Some((true, first?, 1)),
            Op::TypeVector => {
                let component = self.number(definition.operands.first()?.id_ref_any()?)?;
                match definition.operands.get(1) {
                    Some(Operand::LiteralBit32(count)) => Some((component.0, component.1, *count)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
