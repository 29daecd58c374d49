//! Where an instruction belongs in a `dr::Module`.

use rspirv::dr::{Block, Function, Instruction, Module, ModuleHeader, Operand};
use rspirv::grammar::reflect;
use rspirv::spirv::Op;

use super::{LoadError, Result, ends_block};
use crate::instruction::is_raw;

/// The sections of a module that lie before its functions (SPIR-V 2.4).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Capabilities,
    Extensions,
    Imports,
    MemoryModel,
    EntryPoints,
    ExecutionModes,
    Sources,
    Names,
    Processed,
    Annotations,
    Globals,
}

pub(super) struct Placer {
    module: Module,
    function: Option<Function>,
    block: Option<Block>,
    /// The section of the latest instruction outside functions.
    section: Section,
}

fn error<T>(word: usize, instruction: &Instruction, expected: &'static str, found: &str) -> Result<T> {
    let instruction = Some(instruction.class.opname);
    Err(LoadError { word, instruction, expected: expected.into(), found: found.into() })
}

impl Placer {
    pub fn new(header: ModuleHeader) -> Self {
        let module = Module { header: Some(header), ..Module::new() };
        Placer { module, function: None, block: None, section: Section::Capabilities }
    }

    /// Puts an instruction that starts at a word where it belongs.
    pub fn place(&mut self, at: usize, instruction: Instruction) -> Result<()> {
        if self.function.is_some() { self.inside(at, instruction) } else { self.outside(at, instruction) }
    }

    /// The module, which ends at a word.
    pub fn finish(self, at: usize) -> Result<Module> {
        if self.function.is_some() {
            return Err(LoadError {
                word: at,
                instruction: None,
                expected: "OpFunctionEnd".into(),
                found: "the end of the module".into(),
            });
        }
        Ok(self.module)
    }

    fn outside(&mut self, at: usize, instruction: Instruction) -> Result<()> {
        let op = instruction.class.opcode;
        if op == Op::Function {
            self.function = Some(Function { def: Some(instruction), ..Function::new() });
            return Ok(());
        }
        if matches!(op, Op::FunctionEnd | Op::FunctionParameter | Op::Label) || ends_block(&instruction) {
            return error(at, &instruction, "OpFunction before what functions consist of", "no function");
        }
        let section = match section(op) {
            Some(section) => section,
            // Lines belong to what follows them, and what nobody knows to what stands before it.
            None if !self.module.functions.is_empty() && !belongs_to_globals(op) => {
                self.between_functions(instruction);
                return Ok(());
            }
            None if is_raw(&instruction) => self.section,
            None => Section::Globals,
        };
        self.section = section;
        let module = &mut self.module;
        match section {
            Section::Capabilities => module.capabilities.push(instruction),
            Section::Extensions => module.extensions.push(instruction),
            Section::Imports => module.ext_inst_imports.push(instruction),
            Section::MemoryModel if is_raw(&instruction) => module.entry_points.push(instruction),
            Section::MemoryModel if module.memory_model.is_some() => {
                return error(at, &instruction, "one OpMemoryModel", "a second one");
            }
            Section::MemoryModel => module.memory_model = Some(instruction),
            Section::EntryPoints => module.entry_points.push(instruction),
            Section::ExecutionModes => module.execution_modes.push(instruction),
            Section::Sources => module.debug_string_source.push(instruction),
            Section::Names => module.debug_names.push(instruction),
            Section::Processed => module.debug_module_processed.push(instruction),
            Section::Annotations => module.annotations.push(instruction),
            Section::Globals => module.types_global_values.push(instruction),
        }
        Ok(())
    }

    /// Keeps an instruction between two functions in a function that has nothing else.
    fn between_functions(&mut self, instruction: Instruction) {
        match self.module.functions.last_mut() {
            Some(last) if last.def.is_none() => last.parameters.push(instruction),
            _ => self.module.functions.push(Function { parameters: vec![instruction], ..Function::new() }),
        }
    }

    fn inside(&mut self, at: usize, instruction: Instruction) -> Result<()> {
        let Some(function) = &mut self.function else { return Ok(()) };
        let op = instruction.class.opcode;
        // An instruction that nobody knows may have ended the block.
        let may_have_ended =
            |block: &Block| block.instructions.last().is_some_and(|last| is_raw(last) || ends_block(last));
        match op {
            Op::Function => error(at, &instruction, "OpFunctionEnd", "another OpFunction"),
            Op::FunctionEnd => {
                match self.block.take() {
                    Some(block) if may_have_ended(&block) => function.blocks.push(block),
                    Some(_) => {
                        return error(
                            at,
                            &instruction,
                            "an instruction that ends the block",
                            "OpFunctionEnd",
                        );
                    }
                    None => {}
                }
                function.end = Some(instruction);
                self.module.functions.extend(self.function.take());
                Ok(())
            }
            Op::FunctionParameter if function.blocks.is_empty() && self.block.is_none() => {
                function.parameters.push(instruction);
                Ok(())
            }
            Op::FunctionParameter => {
                error(at, &instruction, "parameters before the first block", "one after it")
            }
            Op::Label => {
                match self.block.take() {
                    Some(block) if may_have_ended(&block) => function.blocks.push(block),
                    Some(_) => {
                        return error(at, &instruction, "an instruction that ends the block", "OpLabel");
                    }
                    None => {}
                }
                self.block = Some(Block { label: Some(instruction), instructions: Vec::new() });
                Ok(())
            }
            _ if section(op).is_some() || belongs_to_globals(op) && !may_be_inside(op) => error(
                at,
                &instruction,
                "an instruction of a function's body",
                "one that stands outside functions",
            ),
            _ => match &mut self.block {
                Some(block) => {
                    let ends = ends_block(&instruction);
                    block.instructions.push(instruction);
                    if ends {
                        function.blocks.extend(self.block.take());
                    }
                    Ok(())
                }
                None if !reflect::is_location_debug(op)
                    && !is_raw(&instruction)
                    && !is_non_semantic(&self.module, &instruction) =>
                {
                    error(at, &instruction, "OpLabel before a block's instructions", "no block")
                }
                None => {
                    match function.blocks.last_mut() {
                        None => function.parameters.push(instruction),
                        Some(last) if last.label.is_none() => last.instructions.push(instruction),
                        Some(_) => {
                            function.blocks.push(Block { label: None, instructions: vec![instruction] })
                        }
                    }
                    Ok(())
                }
            },
        }
    }
}

/// Whether an instruction of an extended set means nothing for what the module does (SPV_KHR_non_semantic_info): optimisers leave such
/// ones behind the end of a block.
fn is_non_semantic(module: &Module, instruction: &Instruction) -> bool {
    let set = match instruction.operands.first() {
        Some(Operand::IdRef(set))
            if matches!(instruction.class.opcode, Op::ExtInst | Op::ExtInstWithForwardRefsKHR) =>
        {
            *set
        }
        _ => return false,
    };
    let import = module.ext_inst_imports.iter().find(|import| import.result_id == Some(set));
    import.is_some_and(|import| match import.operands.as_slice() {
        [Operand::LiteralString(name)] => name.starts_with("NonSemantic."),
        _ => false,
    })
}

/// The section of an instruction that can stand in one only. Types, constants and the like are not named here, as an
/// instruction that is new belongs to them most of all.
fn section(op: Op) -> Option<Section> {
    Some(match op {
        Op::Capability | Op::ConditionalCapabilityINTEL => Section::Capabilities,
        Op::Extension | Op::ConditionalExtensionINTEL => Section::Extensions,
        Op::ExtInstImport => Section::Imports,
        Op::MemoryModel => Section::MemoryModel,
        Op::EntryPoint | Op::ConditionalEntryPointINTEL | Op::SamplerImageAddressingModeNV => {
            Section::EntryPoints
        }
        Op::ExecutionMode | Op::ExecutionModeId => Section::ExecutionModes,
        Op::String | Op::Source | Op::SourceExtension | Op::SourceContinued => Section::Sources,
        Op::Name | Op::MemberName => Section::Names,
        Op::ModuleProcessed => Section::Processed,
        _ if op.is_annotation() => Section::Annotations,
        _ => return None,
    })
}

/// Whether an instruction is a type, a constant or a variable.
fn belongs_to_globals(op: Op) -> bool {
    op.is_type() || op.is_constant() || matches!(op, Op::Variable | Op::UntypedVariableKHR | Op::Undef)
}

fn may_be_inside(op: Op) -> bool {
    matches!(op, Op::Variable | Op::UntypedVariableKHR | Op::Undef)
}
