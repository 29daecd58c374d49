//! The module under construction: ids, sections, blocks, and where each instruction comes from.
//!
//! Instructions go straight into rspirv's `dr` structures. Beside each section that has places in the source lies a vector of
//! ranges, one for each instruction, from which the map of the finished module is made.

use coopmat_analysis::text::TextRange;
use coopmat_analysis::types::Scalar;
use coopmat_spirv::{Capability, Opcode, inst};
use rspirv::dr::{self, Instruction, Operand};
use rspirv::spirv::{Decoration, FunctionControl, LoopControl, Op, SelectionControl, StorageClass, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::source_map::{Askers, InstructionMap};

/// Extended instruction sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ExtSet {
    Glsl450,
    DebugPrintf,
    DebugInfo,
}

impl ExtSet {
    fn name(self) -> &'static str {
        match self {
            ExtSet::Glsl450 => "GLSL.std.450",
            ExtSet::DebugPrintf => "NonSemantic.DebugPrintf",
            ExtSet::DebugInfo => "NonSemantic.Shader.DebugInfo.100",
        }
    }
}

/// What is noted about an id for which something follows from its use.
pub(crate) mod note {
    /// Types whose arithmetic needs a capability of its own, while mere storage does not.
    pub const INT8: u8 = 1;
    pub const INT16: u8 = 2;
    pub const FLOAT16: u8 = 4;
    /// What stands before all functions: types, constants, global variables.
    pub const GLOBAL: u8 = 8;
}

#[derive(Default)]
pub(crate) struct Builder {
    pub bound: Word,
    pub module: dr::Module,
    /// Where the instructions of `types_global_values` come from.
    global_places: Vec<TextRange>,
    /// Where the instructions of each function come from, in the order of the module.
    pub function_places: Vec<TextRange>,
    capabilities: FxHashSet<Capability>,
    /// Which places asked for them.
    pub asked: Askers,
    extensions: FxHashSet<String>,
    ext_sets: FxHashMap<ExtSet, Word>,
    named_sets: FxHashMap<String, Word>,
    function: Option<OpenFunction>,
    /// Where the instruction that comes next is from, in the expanded text.
    pub at: TextRange,
    /// `note` bits by id.
    notes: Vec<u8>,
    /// `note` bits of the types that something was computed in.
    pub computed: u8,
    /// Where each bit was first noted of a type, and where something was first computed in such a type.
    noted_at: FxHashMap<u8, TextRange>,
    computed_at: FxHashMap<u8, TextRange>,
    pub names: bool,
    /// Ids that are decorated as NonUniform.
    nonuniform: FxHashSet<Word>,
    /// Ids that are decorated as RelaxedPrecision.
    relaxed: FxHashSet<Word>,
}

#[derive(Default)]
struct OpenFunction {
    def: Option<Instruction>,
    def_place: TextRange,
    parameters: Vec<Instruction>,
    parameter_places: Vec<TextRange>,
    variables: Vec<Instruction>,
    variable_places: Vec<TextRange>,
    blocks: Vec<dr::Block>,
    /// The block that takes instructions; `None` after a terminator.
    open: Option<dr::Block>,
    open_label: Word,
    /// Of labels and instructions of all blocks.
    places: Vec<TextRange>,
}

impl Builder {
    pub fn new() -> Builder {
        Builder { bound: 1, names: true, ..Builder::default() }
    }

    pub fn id(&mut self) -> Word {
        let id = self.bound;
        self.bound += 1;
        id
    }

    pub fn note(&mut self, id: Word, bits: u8) {
        let at = id as usize;
        if self.notes.len() <= at {
            self.notes.resize(at + 1, 0);
        }
        self.notes[at] |= bits;
        first(&mut self.noted_at, bits, self.at);
    }

    pub fn notes(&self, id: Word) -> u8 {
        self.notes.get(id as usize).copied().unwrap_or(0)
    }

    /// The bits that were noted about any type.
    pub fn present(&self) -> u8 {
        self.notes.iter().fold(0, |all, bits| all | bits)
    }

    /// Something is computed in this type, so that storage capabilities do not suffice for it.
    pub fn computes_in(&mut self, ty: Word) {
        if let Some(&bits) = self.notes.get(ty as usize) {
            self.computes(bits);
        }
    }

    /// The same for an operand's scalar type.
    pub fn computes_with(&mut self, scalar: Scalar) {
        self.computes(match scalar {
            Scalar::Int8 | Scalar::Uint8 => note::INT8,
            Scalar::Int16 | Scalar::Uint16 => note::INT16,
            Scalar::Float16 => note::FLOAT16,
            _ => 0,
        });
    }

    fn computes(&mut self, bits: u8) {
        self.computed |= bits;
        first(&mut self.computed_at, bits, self.at);
    }

    /// Where the arithmetic of a small type is needed: what computes in it, else what names it.
    pub fn small_type_place(&self, bit: u8) -> TextRange {
        self.computed_at.get(&bit).or_else(|| self.noted_at.get(&bit)).copied().unwrap_or_default()
    }

    // Sections.

    pub fn capability(&mut self, capability: impl Into<Capability>) {
        let capability = capability.into();
        self.asked.add(capability, self.at);
        if self.capabilities.insert(capability) {
            self.module.capabilities.push(inst(Op::Capability, None, None, vec![capability.into()]));
        }
    }

    /// A capability by its number, which nobody need know: shaders may name any.
    pub fn capability_number(&mut self, number: u32) {
        match Capability::from_number(number) {
            Some(capability) => self.capability(capability),
            None => {
                let operand = Operand::LiteralBit32(number);
                if !self.module.capabilities.iter().any(|known| known.operands.first() == Some(&operand)) {
                    self.module.capabilities.push(inst(Op::Capability, None, None, vec![operand]));
                }
            }
        }
    }

    pub fn has_capability(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    pub fn extension(&mut self, name: &str) {
        if !self.extensions.contains(name) {
            self.extensions.insert(name.to_owned());
            let operands = vec![Operand::LiteralString(name.to_owned())];
            self.module.extensions.push(inst(Op::Extension, None, None, operands));
        }
    }

    pub fn ext_set(&mut self, set: ExtSet) -> Word {
        if let Some(&id) = self.ext_sets.get(&set) {
            return id;
        }
        let id = self.named_ext_set(set.name());
        self.ext_sets.insert(set, id);
        id
    }

    pub fn named_ext_set(&mut self, name: &str) -> Word {
        if let Some(&id) = self.named_sets.get(name) {
            return id;
        }
        let id = self.id();
        let operands = vec![Operand::LiteralString(name.to_owned())];
        self.module.ext_inst_imports.push(inst(Op::ExtInstImport, None, Some(id), operands));
        self.named_sets.insert(name.to_owned(), id);
        id
    }

    /// A string of SPIR-V ends at its first zero (SPIR-V 1.6, section 2.2.1, Literal), which a text may hold: spaces take their places.
    pub fn string(&mut self, text: &str) -> Word {
        let id = self.id();
        let operands = vec![Operand::LiteralString(text.replace('\0', " "))];
        self.module.debug_string_source.push(inst(Op::String, None, Some(id), operands));
        id
    }

    pub fn name(&mut self, id: Word, name: &str) {
        if self.names {
            let operands = vec![Operand::IdRef(id), Operand::LiteralString(name.to_owned())];
            self.module.debug_names.push(inst(Op::Name, None, None, operands));
        }
    }

    pub fn member_name(&mut self, id: Word, member: u32, name: &str) {
        if self.names {
            let operands = vec![
                Operand::IdRef(id),
                Operand::LiteralBit32(member),
                Operand::LiteralString(name.to_owned()),
            ];
            self.module.debug_names.push(inst(Op::MemberName, None, None, operands));
        }
    }

    pub fn decorate(
        &mut self,
        id: Word,
        decoration: impl Into<coopmat_spirv::Decoration>,
        operands: impl IntoIterator<Item = Operand>,
    ) {
        let operands = [Operand::IdRef(id), decoration.into().into()].into_iter().chain(operands).collect();
        self.module.annotations.push(inst(Op::Decorate, None, None, operands));
    }

    /// A decoration that several uses of an id ask for.
    pub fn decorate_once(&mut self, id: Word, decoration: Decoration) {
        let known = [Operand::IdRef(id), Operand::Decoration(decoration)];
        if !self.module.annotations.iter().any(|annotation| annotation.operands == known) {
            self.decorate(id, decoration, []);
        }
    }

    /// A decoration with an id.
    pub fn decorate_id(&mut self, id: Word, decoration: Decoration, operand: Word) {
        let operands = vec![Operand::IdRef(id), Operand::Decoration(decoration), Operand::IdRef(operand)];
        self.module.annotations.push(inst(Op::DecorateId, None, None, operands));
    }

    /// What differs between invocations, in an access of descriptors.
    pub fn nonuniform(&mut self, id: Word) {
        if self.nonuniform.insert(id) {
            self.decorate(id, Decoration::NonUniform, []);
        }
    }

    /// What may be computed with less precision.
    pub fn relaxed(&mut self, id: Word) {
        if self.relaxed.insert(id) {
            self.decorate(id, Decoration::RelaxedPrecision, []);
        }
    }

    pub fn decorate_member(
        &mut self,
        id: Word,
        member: u32,
        decoration: Decoration,
        operands: impl IntoIterator<Item = Operand>,
    ) {
        let operands = [Operand::IdRef(id), Operand::LiteralBit32(member), Operand::Decoration(decoration)]
            .into_iter()
            .chain(operands)
            .collect();
        self.module.annotations.push(inst(Op::MemberDecorate, None, None, operands));
    }

    /// A decoration of a member with an id.
    pub fn decorate_member_id(&mut self, id: Word, member: u32, decoration: Decoration, operand: Word) {
        let operands = vec![
            Operand::IdRef(id),
            Operand::LiteralBit32(member),
            Operand::Decoration(decoration),
            Operand::IdRef(operand),
        ];
        self.module.annotations.push(inst(Op::MemberDecorateIdEXT, None, None, operands));
    }

    /// What is made of such an id is of its kind: the image and the sampler of a lookup, a pointer to a texel.
    pub fn inherit_nonuniform(&mut self, id: Word, from: &[Word]) {
        if from.iter().any(|part| self.nonuniform.contains(part)) {
            self.nonuniform(id);
        }
    }

    /// A type, constant or global variable with a result id.
    pub fn global(&mut self, op: impl Into<Opcode>, ty: Option<Word>, operands: Vec<Operand>) -> Word {
        let id = self.id();
        self.global_as(op, ty, id, operands);
        id
    }

    /// The same with an id that was handed out before.
    pub fn global_as(&mut self, op: impl Into<Opcode>, ty: Option<Word>, id: Word, operands: Vec<Operand>) {
        self.note(id, note::GLOBAL);
        self.module.types_global_values.push(inst(op, ty, Some(id), operands));
        self.global_places.push(self.at);
    }

    /// An instruction of the section of types, constants and variables that is none of these.
    pub fn push_global(&mut self, instruction: Instruction) {
        self.module.types_global_values.push(instruction);
        self.global_places.push(self.at);
    }

    pub fn forward_pointer(&mut self, pointer: Word, storage: StorageClass) {
        let operands = vec![Operand::IdRef(pointer), Operand::StorageClass(storage)];
        self.module.types_global_values.push(inst(Op::TypeForwardPointer, None, None, operands));
        self.global_places.push(self.at);
    }

    // Functions and blocks.

    pub fn begin_function(&mut self, id: Word, result: Word, function_type: Word, control: FunctionControl) {
        let operands = vec![Operand::FunctionControl(control), Operand::IdRef(function_type)];
        let def = inst(Op::Function, Some(result), Some(id), operands);
        self.function = Some(OpenFunction { def: Some(def), def_place: self.at, ..OpenFunction::default() });
    }

    pub fn function_parameter(&mut self, ty: Word) -> Word {
        let id = self.id();
        let at = self.at;
        if let Some(function) = &mut self.function {
            function.parameters.push(inst(Op::FunctionParameter, Some(ty), Some(id), Vec::new()));
            function.parameter_places.push(at);
        }
        id
    }

    /// A variable of the function: it goes to the start of the first block.
    pub fn function_variable(&mut self, pointer_type: Word, initializer: Option<Word>) -> Word {
        let id = self.id();
        let at = self.at;
        let mut operands = vec![Operand::StorageClass(StorageClass::Function)];
        operands.extend(initializer.map(Operand::IdRef));
        if let Some(function) = &mut self.function {
            function.variables.push(inst(Op::Variable, Some(pointer_type), Some(id), operands));
            function.variable_places.push(at);
        }
        id
    }

    pub fn end_function(&mut self) {
        if self.reachable() {
            self.terminate(Op::Unreachable, Vec::new());
        }
        let Some(mut open) = self.function.take() else { return };
        self.function_places.push(open.def_place);
        self.function_places.append(&mut open.parameter_places);
        let mut places = open.places.into_iter();
        self.function_places.extend(places.next());
        self.function_places.append(&mut open.variable_places);
        self.function_places.extend(places);
        self.function_places.push(open.def_place);
        if let Some(first) = open.blocks.first_mut() {
            first.instructions.splice(0..0, open.variables);
        }
        self.module.functions.push(dr::Function {
            def: open.def,
            end: Some(inst(Op::FunctionEnd, None, None, Vec::new())),
            parameters: open.parameters,
            blocks: open.blocks,
        });
    }

    /// Whether an instruction that is emitted now is in a block.
    pub fn reachable(&self) -> bool {
        self.function.as_ref().is_some_and(|function| function.open.is_some())
    }

    /// The label of the block that takes instructions: what an `OpPhi` names as its parent.
    pub fn block(&self) -> Word {
        self.function.as_ref().map_or(0, |function| function.open_label)
    }

    /// Starts a block; one that is open is left by a branch.
    pub fn label(&mut self, label: Word) {
        if self.reachable() {
            self.branch(label);
        }
        let at = self.at;
        if let Some(function) = &mut self.function {
            let label_instruction = inst(Op::Label, None, Some(label), Vec::new());
            function.open =
                Some(dr::Block { label: Some(label_instruction), instructions: Vec::with_capacity(16) });
            function.open_label = label;
            function.places.push(at);
        }
    }

    fn push(&mut self, instruction: Instruction) {
        let at = self.at;
        if let Some(function) = &mut self.function
            && let Some(block) = &mut function.open
        {
            block.instructions.push(instruction);
            function.places.push(at);
        }
    }

    /// An instruction with a result, all of whose operands are ids.
    pub fn value(&mut self, op: impl Into<Opcode>, ty: Word, operands: &[Word]) -> Word {
        self.value_with(op, ty, operands.iter().map(|&id| Operand::IdRef(id)).collect())
    }

    pub fn value_with(&mut self, op: impl Into<Opcode>, ty: Word, operands: Vec<Operand>) -> Word {
        let id = self.id();
        self.value_as(op, ty, id, operands);
        id
    }

    /// The same with an id that was handed out before.
    pub fn value_as(&mut self, op: impl Into<Opcode>, ty: Word, id: Word, operands: Vec<Operand>) {
        let op = op.into();
        if let Some(&bits) = self.notes.get(ty as usize)
            && bits != 0
            && computes(op)
        {
            self.computed |= bits;
        }
        self.push(inst(op, Some(ty), Some(id), operands));
    }

    /// An instruction without a result, all of whose operands are ids.
    pub fn effect(&mut self, op: impl Into<Opcode>, operands: &[Word]) {
        self.effect_with(op, operands.iter().map(|&id| Operand::IdRef(id)).collect());
    }

    pub fn effect_with(&mut self, op: impl Into<Opcode>, operands: Vec<Operand>) {
        self.push(inst(op, None, None, operands));
    }

    pub fn ext_inst(&mut self, set: ExtSet, number: u32, ty: Word, arguments: &[Word]) -> Word {
        let set = self.ext_set(set);
        let operands = [Operand::IdRef(set), Operand::LiteralExtInstInteger(number)]
            .into_iter()
            .chain(arguments.iter().map(|&id| Operand::IdRef(id)))
            .collect();
        self.value_with(Op::ExtInst, ty, operands)
    }

    /// An instruction by its number, with a result where it has a type. `None` where an operand is none of an unknown
    /// instruction's.
    pub fn by_number(&mut self, number: u16, ty: Option<Word>, operands: Vec<Operand>) -> Option<Word> {
        let id = if ty.is_some() { self.id() } else { 0 };
        let result_id = ty.map(|_| id);
        let instruction = match coopmat_spirv::class(number) {
            Some(class) => Instruction { class, result_type: ty, result_id, operands },
            None => {
                let mut words: Vec<Word> = ty.into_iter().chain(result_id).collect();
                for operand in operands {
                    match operand {
                        Operand::IdRef(word) | Operand::LiteralBit32(word) => words.push(word),
                        Operand::LiteralBit64(long) => words.extend([long as u32, (long >> 32) as u32]),
                        _ => return None,
                    }
                }
                coopmat_spirv::raw(number, &words)
            }
        };
        self.push(instruction);
        Some(id)
    }

    /// Ends the block.
    pub fn terminate(&mut self, op: impl Into<Opcode>, operands: Vec<Operand>) {
        self.push(inst(op, None, None, operands));
        if let Some(function) = &mut self.function {
            function.blocks.extend(function.open.take());
        }
    }

    pub fn branch(&mut self, target: Word) {
        self.terminate(Op::Branch, vec![Operand::IdRef(target)]);
    }

    pub fn branch_if(&mut self, condition: Word, then: Word, otherwise: Word) {
        let operands = vec![Operand::IdRef(condition), Operand::IdRef(then), Operand::IdRef(otherwise)];
        self.terminate(Op::BranchConditional, operands);
    }

    pub fn selection_merge(&mut self, merge: Word, control: SelectionControl) {
        let operands = vec![Operand::IdRef(merge), Operand::SelectionControl(control)];
        self.effect_with(Op::SelectionMerge, operands);
    }

    /// `parameters` are the numbers that the bits of `control` ask for, in the order of the bits.
    pub fn loop_merge(&mut self, merge: Word, target: Word, control: LoopControl, parameters: &[u32]) {
        let mut operands = vec![Operand::IdRef(merge), Operand::IdRef(target), Operand::LoopControl(control)];
        operands.extend(parameters.iter().map(|&number| Operand::LiteralBit32(number)));
        self.effect_with(Op::LoopMerge, operands);
    }

    /// `pairs` are values and the blocks that they come from.
    pub fn phi(&mut self, ty: Word, pairs: &[(Word, Word)]) -> Word {
        let operands =
            pairs.iter().flat_map(|&(value, from)| [Operand::IdRef(value), Operand::IdRef(from)]).collect();
        self.value_with(Op::Phi, ty, operands)
    }

    /// The map of the finished module.
    pub fn map(&self) -> InstructionMap {
        let module = &self.module;
        let before = module.global_inst_iter().count() - module.types_global_values.len();
        let mut places = vec![TextRange::default(); before];
        places.extend_from_slice(&self.global_places);
        places.extend_from_slice(&self.function_places);
        InstructionMap::new(places).with_askers(self.asked.clone())
    }
}

/// Keeps the first place of each bit.
fn first(places: &mut FxHashMap<u8, TextRange>, bits: u8, at: TextRange) {
    for bit in [note::INT8, note::INT16, note::FLOAT16] {
        if bits & bit != 0 && !at.is_empty() {
            places.entry(bit).or_insert(at);
        }
    }
}

/// Whether an operation on 8 and 16 bit types needs the capability of their arithmetic: the storage capabilities allow no more than
/// loads, stores and conversions (SPV_KHR_16bit_storage, SPV_KHR_8bit_storage).
fn computes(op: Opcode) -> bool {
    const STORAGE: [Op; 6] =
        [Op::Load, Op::AccessChain, Op::FConvert, Op::SConvert, Op::UConvert, Op::CompositeExtract];
    !STORAGE.iter().any(|&storage| Opcode::from(storage) == op)
}
