//! The operations of a module that the comparison is about, each in words that are equal for equal operations.
//!
//! Normalised:
//!
//! - memory operands and matrix operands that are 0 count as absent;
//! - constants count by their value, and expressions over specialization constants by their values under several choices
//!   (`constants`), also where they are sizes in types;
//! - a local variable that is stored to once, with a constant, counts as the constant;
//! - loads, elements and lengths that nothing depends on do not count, volatile loads apart: compilers differ in what they
//!   leave out;
//! - an image, a sampler and the like count by the variable that they are loaded from;
//! - a chain of access chains counts as one, and where it leads is written with the values of constant indices and `*` for
//!   others;
//! - an integer that an instruction is given counts without its sign, which the instruction says where it matters;
//! - the workgroup's size counts the same as a literal, through ids, and as a decorated constant;
//! - variables count by class, set and binding, and by type; sets and bindings are left out
//!   when in one of the modules not every block has its own.

use coopmat_spirv::dr::{Instruction, Operand};
use coopmat_spirv::opcode;
use coopmat_spirv::spirv::{BuiltIn, Decoration, ExecutionMode, Op, StorageClass, Word};

use super::constants::constant;
use super::contents::{Chain, Contents};
use super::{Depth, stages, types};

/// One operation: its name, and what has to be the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Operation {
    /// The opcode, with the class of the memory for an access: `OpLoad of StorageBuffer`.
    pub name: String,
    pub fields: Vec<(&'static str, String)>,
}

/// What the entry points of a module do.
pub fn operations(contents: &Contents, bindings: bool, depth: Depth) -> Vec<Operation> {
    let mut collector =
        Collector { contents, bindings, depth, found: Vec::new(), variables: Vec::new(), other_stage: false };
    for entry in &contents.module.entry_points {
        let Some(Operand::IdRef(id)) = entry.operands.get(1) else { continue };
        collector.other_stage = stages::is_of_other_stage(entry);
        if collector.other_stage {
            for (name, fields) in stages::interface(contents, entry) {
                collector.add(name, fields);
            }
        }
        collector.execution_modes(*id);
        for function in contents.reachable(*id) {
            for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
                collector.instruction(instruction);
            }
        }
        collector.accessed_variables();
    }
    collector.found
}

struct Collector<'c, 'm> {
    contents: &'c Contents<'m>,
    bindings: bool,
    depth: Depth,
    found: Vec<Operation>,
    /// Variables that some operation goes to.
    variables: Vec<Word>,
    /// Whether the entry point is of another stage than compute.
    other_stage: bool,
}

/// Where a pointer leads.
struct Path {
    class: StorageClass,
    text: String,
    /// The type of a matrix that the path goes into.
    matrix: Option<Word>,
}

impl Collector<'_, '_> {
    fn add(&mut self, name: String, fields: Vec<(&'static str, String)>) {
        self.found.push(Operation { name, fields });
    }

    fn execution_modes(&mut self, entry: Word) {
        let mut size = None;
        for mode in &self.contents.module.execution_modes {
            let [Operand::IdRef(of), Operand::ExecutionMode(kind), rest @ ..] = mode.operands.as_slice()
            else {
                continue;
            };
            if *of != entry {
                continue;
            }
            let values: Vec<String> = rest.iter().map(|operand| self.operand(operand)).collect();
            if matches!(kind, ExecutionMode::LocalSize | ExecutionMode::LocalSizeId) {
                size = Some(if values.iter().all(|value| *value == values[0]) {
                    values[0].clone()
                } else {
                    format!("({})", values.join(" "))
                });
            } else {
                self.add(format!("OpExecutionMode {kind:?}"), vec![("operands", values.join(" "))]);
            }
        }
        // The decorated constant prevails over the mode.
        let decorated =
            self.contents.module.types_global_values.iter().filter_map(|value| value.result_id).find(|&id| {
                self.contents.decorations(id).iter().any(|decoration| {
                    matches!(
                        decoration,
                        [Operand::Decoration(Decoration::BuiltIn), Operand::BuiltIn(BuiltIn::WorkgroupSize)]
                    )
                })
            });
        let size = decorated.and_then(|id| constant(self.contents, id)).or(size);
        self.add("workgroup size".to_owned(), vec![("size", size.unwrap_or_default())]);
    }

    fn accessed_variables(&mut self) {
        self.variables.sort_unstable();
        self.variables.dedup();
        for id in std::mem::take(&mut self.variables) {
            let Some((class, pointee)) = self.contents.type_of(id).and_then(|ty| self.contents.pointer(ty))
            else {
                continue;
            };
            let mut fields =
                vec![("variable", self.variable(id, class)), ("type", types::key(self.contents, pointee))];
            fields.push(("decorations", self.qualifiers(id, pointee)));
            self.add(format!("OpVariable of {class:?}"), fields);
        }
    }

    /// The decorations of a block and its members that say how memory is accessed.
    fn qualifiers(&self, variable: Word, mut pointee: Word) -> String {
        let mut found: Vec<String> = self
            .contents
            .decorations(variable)
            .iter()
            .filter_map(|decoration| qualifier(decoration))
            .collect();
        while let Some(Op::TypeArray | Op::TypeRuntimeArray) = self.contents.opcode(pointee) {
            match types::element(self.contents, pointee, None) {
                Some(element) => pointee = element,
                None => break,
            }
        }
        found
            .extend(self.contents.decorations(pointee).iter().filter_map(|decoration| qualifier(decoration)));
        let members = self.contents.definition(pointee).map_or(0, |structure| structure.operands.len());
        for member in 0..members as u32 {
            for decoration in self.contents.member_decorations(pointee, member) {
                found.extend(qualifier(decoration).map(|qualifier| format!("{member}:{qualifier}")));
            }
        }
        found.sort();
        found.join(" ")
    }

    fn instruction(&mut self, instruction: &Instruction) {
        let op = instruction.class.opcode;
        let name = format!("Op{}", instruction.class.opname);
        match op {
            _ if self.reads_for_nothing(instruction) => {}
            Op::Load | Op::Store | Op::CopyMemory | Op::CopyMemorySized => self.access(name, instruction),
            _ if passes_on(op) && !self.computes_matrices(instruction) => {}
            Op::ExtInst => self.extended(name, instruction),
            Op::ArrayLength => self.general(name, instruction),
            _ if is_special(instruction) || self.computes_matrices(instruction) => {
                self.general(name, instruction);
            }
            _ if self.depth == Depth::Computations && self.is_wanted(instruction) => {
                self.general(name, instruction);
            }
            _ => {}
        }
    }

    /// Whether something depends on what an instruction does, and it is not known before.
    fn is_wanted(&self, instruction: &Instruction) -> bool {
        let is_wanted = |id| self.contents.is_needed(id) && constant(self.contents, id).is_none();
        self.contents.has_effect(instruction) || instruction.result_id.is_some_and(is_wanted)
    }

    /// An instruction of an extended set: what prints is an effect, the others are computations.
    fn extended(&mut self, name: String, instruction: &Instruction) {
        let prints = self.contents.extended_set(instruction) == Some("NonSemantic.DebugPrintf");
        if prints || (self.depth == Depth::Computations && self.is_wanted(instruction)) {
            self.general(name, instruction);
        }
    }

    /// Whether an instruction only looks something up, and nothing depends on it.
    fn reads_for_nothing(&self, instruction: &Instruction) -> bool {
        let reads = matches!(
            instruction.class.opcode,
            Op::Load
                | Op::CompositeExtract
                | Op::ArrayLength
                | Op::CooperativeMatrixLengthKHR
                | Op::CooperativeMatrixLengthNV
        );
        reads
            && !self.contents.has_effect(instruction)
            && instruction.result_id.is_some_and(|id| !self.contents.is_needed(id))
    }

    /// A load, store or copy: of memory that others see, or of a matrix's element.
    fn access(&mut self, name: String, instruction: &Instruction) {
        let pointers = if instruction.class.opcode == Op::CopyMemory { 2 } else { 1 };
        let paths: Vec<Path> = instruction
            .operands
            .iter()
            .take(pointers)
            .filter_map(|operand| self.path(operand.id_ref_any()?))
            .collect();
        let written = self.other_stage && instruction.class.opcode != Op::Load;
        let is_shared = |class| is_shared(class) || (written && stages::is_output(class));
        let shared = paths.iter().find(|path| is_shared(path.class) || path.matrix.is_some());
        if let Some(path) = shared {
            let what = match path.matrix {
                Some(_) if !is_shared(path.class) => "a matrix's element".to_owned(),
                _ => format!("{:?}", path.class),
            };
            self.general(format!("{name} of {what}"), instruction);
        }
    }

    /// Whether matrices are what an instruction works on, rather than something that it passes on.
    fn computes_matrices(&self, instruction: &Instruction) -> bool {
        let is_matrix = |ty: Option<Word>| ty.is_some_and(|ty| types::is_matrix(self.contents, ty));
        let operand = |index: usize| {
            instruction
                .operands
                .get(index)
                .and_then(Operand::id_ref_any)
                .and_then(|id| self.contents.type_of(id))
        };
        match instruction.class.opcode {
            Op::Phi
            | Op::Undef
            | Op::CopyObject
            | Op::FunctionCall
            | Op::FunctionParameter
            | Op::ReturnValue
            | Op::Variable => false,
            // Of what holds matrices: they are passed on.
            Op::CompositeExtract => is_matrix(operand(0)),
            Op::CompositeInsert => is_matrix(operand(1)),
            _ => {
                is_matrix(instruction.result_type)
                    || (0..instruction.operands.len()).any(|index| is_matrix(operand(index)))
            }
        }
    }

    fn general(&mut self, name: String, instruction: &Instruction) {
        let mut fields = Vec::new();
        if let Some(ty) = instruction.result_type {
            fields.push(("result", types::key(self.contents, ty)));
        }
        let names = ["first", "second", "third", "fourth", "fifth", "sixth"];
        let mut operands = instruction.operands.iter().enumerate();
        while let Some((index, operand)) = operands.next() {
            let bits = match operand {
                Operand::MemoryAccess(mask) => Some(("memory operands", mask.bits())),
                Operand::TensorAddressingOperands(mask) => Some(("tensor addressing", mask.bits())),
                _ => None,
            };
            match (bits, operand) {
                (Some((_, 0)), _) => {}
                (Some((field, _)), _) => {
                    let mut text = operand.to_string();
                    let rest = operands.clone().take_while(|(_, operand)| {
                        !matches!(operand, Operand::TensorAddressingOperands(_) | Operand::MemoryAccess(_))
                    });
                    let rest: Vec<_> = rest.collect();
                    for (_, parameter) in rest {
                        operands.next();
                        text.push(' ');
                        text.push_str(&self.operand(parameter));
                    }
                    fields.push((field, text));
                }
                (None, Operand::CooperativeMatrixOperands(mask)) if mask.is_empty() => {}
                (None, Operand::CooperativeMatrixOperands(_)) => {
                    fields.push(("matrix operands", operand.to_string()))
                }
                (None, _) => {
                    let pointer = operand.id_ref_any().is_some_and(|id| self.is_pointer(id));
                    let field =
                        if pointer { "pointer" } else { names.get(index).copied().unwrap_or("others") };
                    fields.push((field, self.operand(operand)));
                }
            }
        }
        self.note_variables(instruction);
        self.add(name, fields);
    }

    fn note_variables(&mut self, instruction: &Instruction) {
        for id in instruction.operands.iter().filter_map(Operand::id_ref_any) {
            if self.is_pointer(id)
                && let Some(root) = self.contents.root(id)
                && let Some((class, _)) = self.contents.type_of(root).and_then(|ty| self.contents.pointer(ty))
                && is_shared(class)
                && self.contents.opcode(root) == Some(Op::Variable)
            {
                self.variables.push(root);
            }
        }
    }

    fn is_pointer(&self, id: Word) -> bool {
        self.contents.type_of(id).is_some_and(|ty| self.contents.class(ty).is_some())
    }

    /// What an operand says: a literal, a type, a constant's type and value, where a pointer leads, else the type of the value.
    fn operand(&self, operand: &Operand) -> String {
        let Some(id) = operand.id_ref_any() else { return operand.to_string() };
        if matches!(operand, Operand::IdScope(_) | Operand::IdMemorySemantics(_)) {
            return constant(self.contents, id).unwrap_or_else(|| "computed".to_owned());
        }
        let Some(ty) = self.contents.type_of(id) else { return types::key(self.contents, id) };
        if self.contents.is_function(id) {
            return self.contents.name(id).split('(').next().unwrap_or_default().to_owned();
        }
        if let Some(path) = self.path(id) {
            return path.text;
        }
        let known = constant(self.contents, id).or_else(|| self.descriptor(id));
        match known {
            Some(known) => format!("{} {known}", types::key_of_operand(self.contents, ty)),
            None => types::key_of_operand(self.contents, ty),
        }
    }

    fn path(&self, pointer: Word) -> Option<Path> {
        let class = self.contents.class(self.contents.type_of(pointer)?)?;
        let mut chains = Vec::new();
        let mut id = pointer;
        loop {
            let definition = self.contents.definition(id)?;
            match Chain::of(definition) {
                Some(chain) => {
                    id = chain.base;
                    chains.push(chain);
                }
                None if definition.class.opcode == Op::CopyObject => {
                    id = definition.operands.first()?.id_ref_any()?;
                }
                None => break,
            }
        }
        let mut at = self.contents.pointer(self.contents.type_of(id)?).map(|(_, pointee)| pointee);
        let (mut text, has_names) = self.start(id, class, at);
        let mut matrix = None;
        for chain in chains.into_iter().rev() {
            if let Some(view) = chain.view {
                text.push_str(&format!(" as {} ", types::key(self.contents, view)));
                at = Some(view);
            }
            let mut indices = chain.indices.into_iter();
            if chain.moves {
                let index = indices.next()?;
                text.push_str(&format!("+{}", constant(self.contents, index).as_deref().unwrap_or("*")));
            }
            for index in indices {
                let value = constant(self.contents, index);
                text.push_str(&format!("[{}]", value.as_deref().unwrap_or("*")));
                let inside = at?;
                if types::is_matrix(self.contents, inside) {
                    matrix = Some(inside);
                }
                let index = value.and_then(|value| value.parse().ok());
                at = Some(types::element(self.contents, inside, index)?);
            }
        }
        if !has_names {
            // Which local variable plays no part.
            let ty = matrix.or(at).map_or_else(String::new, |ty| types::key(self.contents, ty));
            text = format!("{class:?} {ty}");
        }
        Some(Path { class, text, matrix })
    }

    /// What a pointer starts from, and whether that plays a part.
    fn start(&self, id: Word, class: StorageClass, pointee: Option<Word>) -> (String, bool) {
        let other = |what: &str| {
            let definition = self.contents.definition(id)?;
            let base = definition.operands.iter().find_map(|operand| self.path(operand.id_ref_any()?))?;
            Some((format!("{class:?} {what} {}", base.text), true))
        };
        let written = is_shared(class) || (self.other_stage && stages::is_output(class));
        let found = match self.contents.opcode(id) {
            Some(Op::Variable) => Some((self.variable(id, class), written || is_handle(class))),
            Some(Op::UntypedVariableKHR) => Some((self.variable(id, class), true)),
            Some(Op::BufferPointerEXT) => other("of the descriptor"),
            Some(Op::ImageTexelPointer | Op::UntypedImageTexelPointerEXT) => other("texel of"),
            _ => None,
        };
        found.unwrap_or_else(|| {
            let pointee = pointee.map_or_else(String::new, |ty| types::key(self.contents, ty));
            (format!("{class:?} address of {pointee}"), written)
        })
    }

    /// Where a descriptor comes from that an operand is: the image of a lookup, for example.
    fn descriptor(&self, id: Word) -> Option<String> {
        let definition = self.contents.definition(id)?;
        let of = |index: usize| definition.operands.get(index).and_then(Operand::id_ref_any);
        match definition.class.opcode {
            Op::Load => self.path(of(0)?).filter(|path| is_handle(path.class)).map(|path| path.text),
            Op::SampledImage => {
                Some(format!("{} with {}", self.descriptor(of(0)?)?, self.descriptor(of(1)?)?))
            }
            Op::Image | Op::CopyObject => self.descriptor(of(0)?),
            _ => None,
        }
    }

    fn variable(&self, id: Word, class: StorageClass) -> String {
        let numbers = [Decoration::DescriptorSet, Decoration::Binding]
            .map(|decoration| self.contents.decoration(id, decoration));
        match numbers {
            [Some(set), Some(binding)] if self.bindings => format!("{class:?} {set}:{binding}"),
            _ => stages::variable(self.contents, id, class).unwrap_or_else(|| format!("{class:?}")),
        }
    }
}

/// Whether memory of a class outlives the invocation, or is seen by others.
fn is_shared(class: StorageClass) -> bool {
    matches!(
        class,
        StorageClass::StorageBuffer
            | StorageClass::Uniform
            | StorageClass::PushConstant
            | StorageClass::Workgroup
            | StorageClass::PhysicalStorageBuffer
    )
}

/// Whether what a class has are descriptors, rather than memory.
fn is_handle(class: StorageClass) -> bool {
    matches!(class, StorageClass::UniformConstant)
}

/// Operations that are compared whatever their operands are.
fn is_special(instruction: &Instruction) -> bool {
    let name = opcode(instruction).name();
    const BEGINNINGS: [&str; 32] = [
        "Atomic",
        "Group",
        "Subgroup",
        "ControlBarrier",
        "MemoryBarrier",
        "CooperativeMatrix",
        "CooperativeVector",
        "CreateTensor",
        "Tensor",
        "FDot",
        "Image",
        "DPd",
        "Fwidth",
        "Emit",
        "EndPrim",
        "EndStream",
        "SetMesh",
        "Kill",
        "Terminate",
        "Demote",
        "IsHelper",
        "BeginInvocation",
        "EndInvocation",
        "TraceRay",
        "ExecuteCallable",
        "ReportIntersection",
        "RayQuery",
        "HitObject",
        "Reorder",
        "FetchMicro",
        "Abort",
        "ReadClock",
    ];
    const NAMES: [&str; 11] = [
        "SDot",
        "UDot",
        "SUDot",
        "SDotAccSat",
        "UDotAccSat",
        "SUDotAccSat",
        "BitcastExtractEXT",
        "BitCastArrayQCOM",
        "CompositeConstructCoopMatQCOM",
        "CompositeExtractCoopMatQCOM",
        "ExtractSubArrayQCOM",
    ];
    BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)) || NAMES.contains(&name)
}

/// Instructions that say where values come from and go to, and in which order things are done, rather than what is done.
fn passes_on(op: Op) -> bool {
    matches!(
        op,
        Op::Label
            | Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::SelectionMerge
            | Op::LoopMerge
            | Op::Phi
            | Op::Return
            | Op::ReturnValue
            | Op::Unreachable
            | Op::Line
            | Op::NoLine
            | Op::Variable
            | Op::Undef
            | Op::FunctionCall
            | Op::FunctionParameter
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::UntypedPtrAccessChainKHR
            | Op::UntypedInBoundsPtrAccessChainKHR
            | Op::BufferPointerEXT
            | Op::ImageTexelPointer
            | Op::UntypedImageTexelPointerEXT
            | Op::Image
            | Op::SampledImage
            | Op::CopyObject
            | Op::CopyLogical
            | Op::CompositeConstruct
            | Op::CompositeConstructReplicateEXT
            | Op::CompositeExtract
            | Op::CompositeInsert
            | Op::VectorExtractDynamic
            | Op::VectorInsertDynamic
            | Op::VectorShuffle
    )
}

fn qualifier(decoration: &[Operand]) -> Option<String> {
    match decoration {
        [
            Operand::Decoration(
                kind @ (Decoration::NonWritable
                | Decoration::NonReadable
                | Decoration::Coherent
                | Decoration::Volatile
                | Decoration::Restrict
                | Decoration::RestrictPointer
                | Decoration::Aliased
                | Decoration::AliasedPointer
                | Decoration::Block
                | Decoration::BufferBlock),
            ),
        ] => Some(format!("{kind:?}")),
        _ => None,
    }
}
