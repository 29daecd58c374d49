//! A module from its first instruction to its last: names of instruction sets and strings, declarations, functions.

use coopmat_spirv::dr::{self, Operand};
use coopmat_spirv::spirv::Op;
use rustc_hash::FxHashMap;

use super::annotations::Annotations;
use super::data::ProgramData;
use super::lowering::{Entity, ExtendedSet, Lowering};
use super::options::ProgramOptions;
use crate::ProgramError;
use crate::instructions::extended::amd::{GCN_SHADER, SHADER_BALLOT, TRINARY_MINMAX};

/// Lowers a module.
pub(super) fn lower_module(
    module: &dr::Module,
    options: &ProgramOptions,
) -> Result<ProgramData, ProgramError> {
    let mut lowering = Lowering {
        data: ProgramData::default(),
        module,
        annotations: Annotations::new(module),
        options,
        entities: FxHashMap::default(),
        signatures: Vec::new(),
        body: None,
        origin: 0,
        code: Vec::new(),
        leaves: FxHashMap::default(),
        push_constants: Vec::new(),
        referred: Default::default(),
        private: Default::default(),
        push_blocks: Vec::new(),
        named_values: FxHashMap::default(),
        pushed: FxHashMap::default(),
    };
    if options.debug {
        let values = coopmat_spirv::debug::values(module).into_iter();
        lowering.named_values = values.map(|value| (value.instruction, value)).collect();
    }
    let mut origin = 0;
    for instruction in &module.ext_inst_imports {
        if let (Some(id), Some(Operand::LiteralString(name))) =
            (instruction.result_id, instruction.operands.first())
        {
            let set = match name.as_str() {
                "GLSL.std.450" => ExtendedSet::Glsl450,
                "NonSemantic.DebugPrintf" => ExtendedSet::DebugPrintf,
                GCN_SHADER => ExtendedSet::Amd(GCN_SHADER),
                SHADER_BALLOT => ExtendedSet::Amd(SHADER_BALLOT),
                TRINARY_MINMAX => ExtendedSet::Amd(TRINARY_MINMAX),
                _ if name.starts_with("NonSemantic.") => ExtendedSet::NonSemantic,
                _ => ExtendedSet::Unknown,
            };
            lowering.set(id, Entity::Set(set));
        }
    }
    for instruction in &module.debug_string_source {
        if let (Op::String, Some(id), Some(Operand::LiteralString(text))) =
            (instruction.class.opcode, instruction.result_id, instruction.operands.first())
        {
            lowering.set(id, Entity::Text(text.clone()));
        }
    }
    origin += module.capabilities.len() + module.extensions.len() + module.ext_inst_imports.len();
    origin += usize::from(module.memory_model.is_some()) + module.entry_points.len();
    origin += module.execution_modes.len() + module.debug_string_source.len();
    origin += module.debug_names.len() + module.debug_module_processed.len() + module.annotations.len();
    for instruction in &module.types_global_values {
        lowering.origin = origin as u32;
        lowering.declare(instruction).map_err(|error| error.at(origin as u32))?;
        origin += 1;
    }
    lowering.note_types();
    lowering.note_private_memory();
    let entry = lowering.entry_point()?;
    lowering.declare_functions(origin as u32)?;
    let entry = match lowering.entity(entry)? {
        Entity::Function(index) => *index,
        _ => return Err(ProgramError::new("the entry point names no function")),
    };
    lowering.data.entry = entry;
    if !lowering.signatures[entry as usize].0.is_empty() {
        return Err(ProgramError::new("the entry point's function takes parameters"));
    }
    lowering.lower_bodies(origin as u32)?;
    Ok(lowering.data)
}
