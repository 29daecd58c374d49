//! A module whose instructions know which index they had, for whatever changes modules.
//!
//! What describes instructions by their index - a map to source text, say - follows through any change: [`Tracked::finish`] tells
//! for each instruction of the result the index of the one that it was or was made for.

use std::ops::{Deref, DerefMut};

use rspirv::dr::{Block, Function, Instruction, Module, ModuleHeader, Operand};
use rspirv::spirv::Word;
use rustc_hash::FxHashMap;

use crate::instruction::is_raw;

/// An instruction, and the index that it, or the one that it was made for, had in the module.
#[derive(Clone, Debug)]
pub struct Line {
    /// As it is now.
    pub instruction: Instruction,
    /// Nothing for what was made for no instruction in particular.
    pub origin: Option<usize>,
}

impl Line {
    /// An instruction that is made in place of another, or for it, which had the index `origin`.
    pub fn new(instruction: Instruction, origin: Option<usize>) -> Line {
        Line { instruction, origin }
    }
}

impl Deref for Line {
    type Target = Instruction;

    fn deref(&self) -> &Instruction {
        &self.instruction
    }
}

impl DerefMut for Line {
    fn deref_mut(&mut self) -> &mut Instruction {
        &mut self.instruction
    }
}

/// A `dr::Block` taken apart.
#[derive(Clone, Debug, Default)]
pub struct TrackedBlock {
    /// Absent in blocks that hold what nobody can place, as in `dr::Block`.
    pub label: Option<Line>,
    /// What follows the label, with the instruction that ends the block.
    pub lines: Vec<Line>,
}

impl TrackedBlock {
    /// The label's id, by which branches name the block.
    pub fn id(&self) -> Option<Word> {
        self.label.as_ref()?.result_id
    }
}

/// A `dr::Function` taken apart.
#[derive(Clone, Debug, Default)]
pub struct TrackedFunction {
    /// `OpFunction`; absent in what holds the instructions between two functions.
    pub def: Option<Line>,
    /// `OpFunctionParameter`, with lines for debuggers between them.
    pub parameters: Vec<Line>,
    /// In the order of the module; a declaration has none.
    pub blocks: Vec<TrackedBlock>,
    /// `OpFunctionEnd`.
    pub end: Option<Line>,
}

impl TrackedFunction {
    /// Every instruction, in the order of the module.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        let blocks = self.blocks.iter().flat_map(|block| block.label.iter().chain(&block.lines));
        self.def.iter().chain(&self.parameters).chain(blocks).chain(&self.end)
    }

    /// Every instruction, in the order of the module, to be changed.
    pub fn lines_mut(&mut self) -> impl Iterator<Item = &mut Line> {
        let blocks = self.blocks.iter_mut().flat_map(|block| block.label.iter_mut().chain(&mut block.lines));
        self.def.iter_mut().chain(&mut self.parameters).chain(blocks).chain(&mut self.end)
    }
}

/// A `dr::Module` taken apart; the fields are its fields.
#[derive(Clone, Debug, Default)]
pub struct Tracked {
    header: Option<ModuleHeader>,
    bound: Word,
    /// `OpCapability`.
    pub capabilities: Vec<Line>,
    /// `OpExtension`.
    pub extensions: Vec<Line>,
    /// `OpExtInstImport`.
    pub ext_inst_imports: Vec<Line>,
    /// `OpMemoryModel`, of which a module has one; of several the last one counts.
    pub memory_model: Vec<Line>,
    /// `OpEntryPoint`.
    pub entry_points: Vec<Line>,
    /// `OpExecutionMode` and `OpExecutionModeId`.
    pub execution_modes: Vec<Line>,
    /// `OpString` and sources.
    pub debug_string_source: Vec<Line>,
    /// `OpName` and `OpMemberName`.
    pub debug_names: Vec<Line>,
    /// `OpModuleProcessed`.
    pub debug_module_processed: Vec<Line>,
    /// Decorations.
    pub annotations: Vec<Line>,
    /// Types, constants and global variables, each behind what it names.
    pub types_global_values: Vec<Line>,
    /// In the order of the module.
    pub functions: Vec<TrackedFunction>,
}

impl Tracked {
    /// Takes a module apart; the bound covers every id, whatever the header says.
    pub fn new(module: Module) -> Tracked {
        let mut count = 0;
        let mut line = |instruction: Instruction| {
            let origin = Some(count);
            count += 1;
            Line { instruction, origin }
        };
        let mut highest = 0;
        for instruction in module.all_inst_iter() {
            let ids = instruction.operands.iter().filter_map(Operand::id_ref_any);
            let ids = ids.chain(instruction.result_id).chain(instruction.result_type);
            highest = ids.fold(highest, Word::max);
        }
        let bound = module.header.as_ref().map_or(0, |header| header.bound).max(highest.saturating_add(1));
        let mut section = |instructions: Vec<Instruction>| -> Vec<Line> {
            instructions.into_iter().map(&mut line).collect()
        };
        // In the order of `Module::all_inst_iter`.
        let mut tracked = Tracked {
            header: module.header,
            bound,
            capabilities: section(module.capabilities),
            extensions: section(module.extensions),
            ext_inst_imports: section(module.ext_inst_imports),
            memory_model: section(module.memory_model.into_iter().collect()),
            entry_points: section(module.entry_points),
            execution_modes: section(module.execution_modes),
            debug_string_source: section(module.debug_string_source),
            debug_names: section(module.debug_names),
            debug_module_processed: section(module.debug_module_processed),
            annotations: section(module.annotations),
            types_global_values: section(module.types_global_values),
            functions: Vec::with_capacity(module.functions.len()),
        };
        for function in module.functions {
            let def = function.def.map(&mut line);
            let parameters = function.parameters.into_iter().map(&mut line).collect();
            let blocks = function.blocks.into_iter().map(|block| TrackedBlock {
                label: block.label.map(&mut line),
                lines: block.instructions.into_iter().map(&mut line).collect(),
            });
            let blocks = blocks.collect();
            let end = function.end.map(&mut line);
            tracked.functions.push(TrackedFunction { def, parameters, blocks, end });
        }
        tracked
    }

    /// The module, and for each of its instructions the index that it had.
    pub fn finish(self) -> (Module, Vec<Option<usize>>) {
        let mut origins = Vec::new();
        let mut plain = |line: Line| {
            origins.push(line.origin);
            line.instruction
        };
        let mut section =
            |lines: Vec<Line>| -> Vec<Instruction> { lines.into_iter().map(&mut plain).collect() };
        let bound = self.bound;
        let mut module = Module {
            header: self.header.map(|header| ModuleHeader { bound, ..header }),
            capabilities: section(self.capabilities),
            extensions: section(self.extensions),
            ext_inst_imports: section(self.ext_inst_imports),
            memory_model: section(self.memory_model).pop(),
            entry_points: section(self.entry_points),
            execution_modes: section(self.execution_modes),
            debug_string_source: section(self.debug_string_source),
            debug_names: section(self.debug_names),
            debug_module_processed: section(self.debug_module_processed),
            annotations: section(self.annotations),
            types_global_values: section(self.types_global_values),
            functions: Vec::with_capacity(self.functions.len()),
        };
        for function in self.functions {
            let def = function.def.map(&mut plain);
            let parameters = function.parameters.into_iter().map(&mut plain).collect();
            let blocks = function.blocks.into_iter().map(|block| Block {
                label: block.label.map(&mut plain),
                instructions: block.lines.into_iter().map(&mut plain).collect(),
            });
            let blocks = blocks.collect();
            let end = function.end.map(&mut plain);
            module.functions.push(Function { def, end, parameters, blocks });
        }
        (module, origins)
    }

    /// One more than the highest id.
    pub fn bound(&self) -> Word {
        self.bound
    }

    /// An id that the module has not used; nothing when there is none.
    pub fn fresh_id(&mut self) -> Option<Word> {
        let id = self.bound;
        self.bound = id.checked_add(1)?;
        Some(id)
    }

    /// Every instruction of the module, in its order.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.global_lines().chain(self.functions.iter().flat_map(TrackedFunction::lines))
    }

    /// Every instruction outside of functions, in the module's order.
    pub fn global_lines(&self) -> impl Iterator<Item = &Line> {
        self.capabilities
            .iter()
            .chain(&self.extensions)
            .chain(&self.ext_inst_imports)
            .chain(&self.memory_model)
            .chain(&self.entry_points)
            .chain(&self.execution_modes)
            .chain(&self.debug_string_source)
            .chain(&self.debug_names)
            .chain(&self.debug_module_processed)
            .chain(&self.annotations)
            .chain(&self.types_global_values)
    }

    /// Every instruction of the module, in its order, to be changed.
    pub fn lines_mut(&mut self) -> impl Iterator<Item = &mut Line> {
        self.capabilities
            .iter_mut()
            .chain(&mut self.extensions)
            .chain(&mut self.ext_inst_imports)
            .chain(&mut self.memory_model)
            .chain(&mut self.entry_points)
            .chain(&mut self.execution_modes)
            .chain(&mut self.debug_string_source)
            .chain(&mut self.debug_names)
            .chain(&mut self.debug_module_processed)
            .chain(&mut self.annotations)
            .chain(&mut self.types_global_values)
            .chain(self.functions.iter_mut().flat_map(TrackedFunction::lines_mut))
    }

    /// Whether an instruction is there that nobody knows: its words may be ids, which nobody can follow.
    pub fn has_unknown_instructions(&self) -> bool {
        self.lines().any(|line| is_raw(line))
    }
}

/// Writes other ids in place of some, as operands and as result types; definitions stay.
pub fn replace_ids(instruction: &mut Instruction, others: &FxHashMap<Word, Word>) {
    if others.is_empty() {
        return;
    }
    let other = |id: &mut Word| {
        if let Some(&to) = others.get(id) {
            *id = to;
        }
    };
    if let Some(id) = &mut instruction.result_type {
        other(id);
    }
    for operand in &mut instruction.operands {
        if let Some(id) = operand.id_ref_any_mut() {
            other(id);
        }
    }
}
