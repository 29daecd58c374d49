//! A module by its ids: definitions, decorations, functions, and which values are needed for anything.

use std::collections::{HashMap, HashSet};

use coopmat_spirv::dr::{Function, Instruction, Module, Operand};
use coopmat_spirv::grammar::{Effect, Together};
use coopmat_spirv::spirv::{Decoration, GlslStd450Op, Op, StorageClass, Word};
use coopmat_spirv::{calls_functions, is_volatile, opcode};

pub struct Contents<'m> {
    pub module: &'m Module,
    definitions: HashMap<Word, &'m Instruction>,
    decorations: HashMap<Word, Vec<&'m [Operand]>>,
    member_decorations: HashMap<(Word, u32), Vec<&'m [Operand]>>,
    names: HashMap<Word, &'m str>,
    functions: HashMap<Word, &'m Function>,
    /// Values that some effect depends on.
    needed: HashSet<Word>,
    /// Local variables that are stored to once, and what is stored: compilers differ in which locals are variables at all.
    settled: HashMap<Word, Word>,
}

impl<'m> Contents<'m> {
    pub fn new(module: &'m Module) -> Contents<'m> {
        let mut contents = Contents {
            module,
            definitions: HashMap::new(),
            decorations: HashMap::new(),
            member_decorations: HashMap::new(),
            names: HashMap::new(),
            functions: HashMap::new(),
            needed: HashSet::new(),
            settled: HashMap::new(),
        };
        for instruction in module.all_inst_iter() {
            if let Some(id) = instruction.result_id {
                contents.definitions.insert(id, instruction);
            }
        }
        for name in &module.debug_names {
            if let (Op::Name, [Operand::IdRef(id), Operand::LiteralString(name)]) =
                (name.class.opcode, name.operands.as_slice())
            {
                contents.names.insert(*id, name);
            }
        }
        for annotation in &module.annotations {
            match (annotation.class.opcode, annotation.operands.as_slice()) {
                (Op::Decorate | Op::DecorateId, [Operand::IdRef(id), decoration @ ..]) => {
                    contents.decorations.entry(*id).or_default().push(decoration);
                }
                (
                    Op::MemberDecorate | Op::MemberDecorateIdEXT,
                    [Operand::IdRef(id), Operand::LiteralBit32(member), decoration @ ..],
                ) => contents.member_decorations.entry((*id, *member)).or_default().push(decoration),
                _ => {}
            }
        }
        for function in &module.functions {
            if let Some(id) = function.def_id() {
                contents.functions.insert(id, function);
            }
        }
        contents.find_needed();
        contents.find_settled();
        contents
    }

    fn bodies(&self) -> impl Iterator<Item = &'m Instruction> + use<'m> {
        let blocks = self.module.functions.iter().flat_map(|function| &function.blocks);
        blocks.flat_map(|block| &block.instructions)
    }

    fn find_needed(&mut self) {
        let operands =
            |instruction: &'m Instruction| instruction.operands.iter().filter_map(Operand::id_ref_any);
        let mut waiting: Vec<Word> = Vec::new();
        // What is stored to a local variable is needed when the variable is.
        let mut stores: HashMap<Word, Vec<Word>> = HashMap::new();
        for instruction in self.bodies().filter(|instruction| self.has_effect(instruction)) {
            let pointer = instruction.operands.first().and_then(Operand::id_ref_any);
            match pointer.and_then(|pointer| self.root(pointer)) {
                Some(root) if instruction.class.opcode == Op::Store && self.is_local_variable(root) => {
                    stores.entry(root).or_default().extend(operands(instruction));
                }
                _ => waiting.extend(operands(instruction)),
            }
        }
        while let Some(id) = waiting.pop() {
            if self.needed.insert(id) {
                waiting.extend(self.definition(id).into_iter().flat_map(operands));
                waiting.extend(stores.remove(&id).into_iter().flatten());
            }
        }
    }

    fn is_local_variable(&self, id: Word) -> bool {
        self.definition(id).is_some_and(|definition| {
            definition.class.opcode == Op::Variable
                && definition.operands.first() == Some(&Operand::StorageClass(StorageClass::Function))
        })
    }

    /// What the access chains of a pointer start from.
    pub fn root(&self, pointer: Word) -> Option<Word> {
        let mut id = pointer;
        loop {
            match leads_on(self.definition(id)?) {
                Some(base) => id = base,
                None => return Some(id),
            }
        }
    }

    fn find_settled(&mut self) {
        let mut stores: HashMap<Word, Vec<Word>> = HashMap::new();
        let mut other_uses: HashSet<Word> = HashSet::new();
        for instruction in self.bodies() {
            let mut ids = instruction.operands.iter().filter_map(Operand::id_ref_any);
            match instruction.class.opcode {
                Op::Load => {}
                Op::Store => {
                    if let (Some(pointer), Some(value)) = (ids.next(), ids.next()) {
                        stores.entry(pointer).or_default().push(value);
                        other_uses.insert(value);
                    }
                }
                Op::Variable => {
                    if let (Some(variable), Some(value)) = (instruction.result_id, ids.next()) {
                        stores.entry(variable).or_default().push(value);
                    }
                }
                _ => other_uses.extend(ids),
            }
        }
        for (variable, values) in stores {
            let local = self.is_local_variable(variable);
            if let ([value], true, false) = (values.as_slice(), local, other_uses.contains(&variable)) {
                self.settled.insert(variable, *value);
            }
        }
    }

    /// Whether an instruction does more than compute its result for the invocation that executes it.
    pub fn has_effect(&self, instruction: &Instruction) -> bool {
        let facts = opcode(instruction).facts();
        let acts = match facts.effect {
            Effect::Acts => !self.is_function_of_language(instruction),
            Effect::Reads => is_volatile(instruction) || calls_functions(instruction),
            Effect::Nothing => false,
        };
        // Who takes part is a part of what others get.
        acts || matches!(facts.together, Together::Active | Together::Scope)
    }

    /// Whether an instruction is one of GLSL.std.450, but for the two that write through a pointer.
    fn is_function_of_language(&self, instruction: &Instruction) -> bool {
        self.extended_set(instruction) == Some("GLSL.std.450")
            && !matches!(
                instruction.operands.get(1),
                Some(&Operand::LiteralExtInstInteger(number))
                    if [GlslStd450Op::Modf as u32, GlslStd450Op::Frexp as u32].contains(&number)
            )
    }

    /// The name of the set that an extended instruction is of.
    pub fn extended_set(&self, instruction: &Instruction) -> Option<&'m str> {
        if instruction.class.opcode != Op::ExtInst {
            return None;
        }
        match self.definition(instruction.operands.first()?.id_ref_any()?)?.operands.first()? {
            Operand::LiteralString(name) => Some(name),
            _ => None,
        }
    }

    /// Whether something depends on a value: what nothing depends on need not be computed.
    pub fn is_needed(&self, id: Word) -> bool {
        self.needed.contains(&id)
    }

    /// The one value that a local variable ever has.
    pub fn settled(&self, variable: Word) -> Option<Word> {
        self.settled.get(&variable).copied()
    }

    pub fn definition(&self, id: Word) -> Option<&'m Instruction> {
        self.definitions.get(&id).copied()
    }

    pub fn opcode(&self, id: Word) -> Option<Op> {
        self.definition(id).map(|definition| definition.class.opcode)
    }

    /// The type of a value.
    pub fn type_of(&self, id: Word) -> Option<Word> {
        self.definition(id)?.result_type
    }

    pub fn name(&self, id: Word) -> &'m str {
        self.names.get(&id).copied().unwrap_or_default()
    }

    pub fn decorations(&self, id: Word) -> &[&'m [Operand]] {
        self.decorations.get(&id).map_or(&[], Vec::as_slice)
    }

    pub fn member_decorations(&self, id: Word, member: u32) -> &[&'m [Operand]] {
        self.member_decorations.get(&(id, member)).map_or(&[], Vec::as_slice)
    }

    /// The literal of a decoration.
    pub fn decoration(&self, id: Word, wanted: Decoration) -> Option<u32> {
        self.decorations(id).iter().find_map(|decoration| match decoration {
            [Operand::Decoration(found), Operand::LiteralBit32(value)] if *found == wanted => Some(*value),
            _ => None,
        })
    }

    /// The class and pointee of a pointer type.
    pub fn pointer(&self, ty: Word) -> Option<(StorageClass, Word)> {
        let definition = self.definition(ty)?;
        match (definition.class.opcode, definition.operands.as_slice()) {
            (Op::TypePointer, [Operand::StorageClass(class), Operand::IdRef(pointee)]) => {
                Some((*class, *pointee))
            }
            _ => None,
        }
    }

    /// The class that a pointer type names, whether it also names a pointee or not.
    pub fn class(&self, ty: Word) -> Option<StorageClass> {
        let definition = self.definition(ty)?;
        match (definition.class.opcode, definition.operands.first()) {
            (Op::TypePointer | Op::TypeUntypedPointerKHR, Some(&Operand::StorageClass(class))) => Some(class),
            _ => None,
        }
    }

    pub fn is_function(&self, id: Word) -> bool {
        self.functions.contains_key(&id)
    }

    /// Whether each block has a binding of its own.
    pub fn has_bindings(&self) -> bool {
        let mut seen = HashSet::new();
        let variables = self.module.types_global_values.iter().filter(|instruction| {
            instruction.class.opcode == Op::Variable
                && matches!(
                    instruction.operands.first(),
                    Some(Operand::StorageClass(StorageClass::StorageBuffer | StorageClass::Uniform))
                )
        });
        variables.filter_map(|variable| variable.result_id).all(|id| {
            let binding = self.decoration(id, Decoration::Binding);
            binding.is_some() && seen.insert((self.decoration(id, Decoration::DescriptorSet), binding))
        })
    }

    /// The functions that run when an entry point is called, and those that its instructions call: each once.
    pub fn reachable(&self, entry: Word) -> Vec<&'m Function> {
        let mut found = Vec::new();
        let mut seen = HashSet::from([entry]);
        let mut waiting = vec![entry];
        while let Some(function) = waiting.pop().and_then(|id| self.functions.get(&id)) {
            found.push(*function);
            for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
                for id in instruction.operands.iter().filter_map(Operand::id_ref_any) {
                    if self.is_function(id) && seen.insert(id) {
                        waiting.push(id);
                    }
                }
            }
        }
        found
    }
}

/// An access chain, taken apart.
pub struct Chain {
    /// What it starts from.
    pub base: Word,
    /// What it takes the memory there for, if the pointer does not say.
    pub view: Option<Word>,
    /// Whether the first index moves the base itself.
    pub moves: bool,
    pub indices: Vec<Word>,
}

impl Chain {
    pub fn of(instruction: &Instruction) -> Option<Chain> {
        let (untyped, moves) = match instruction.class.opcode {
            Op::AccessChain | Op::InBoundsAccessChain => (false, false),
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => (false, true),
            Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => (true, false),
            Op::UntypedPtrAccessChainKHR | Op::UntypedInBoundsPtrAccessChainKHR => (true, true),
            _ => return None,
        };
        let mut ids = instruction.operands.iter().filter_map(Operand::id_ref_any);
        let view = if untyped { Some(ids.next()?) } else { None };
        Some(Chain { base: ids.next()?, view, moves, indices: ids.collect() })
    }
}

/// The pointer that a pointer is computed from.
fn leads_on(instruction: &Instruction) -> Option<Word> {
    match instruction.class.opcode {
        Op::CopyObject => instruction.operands.first()?.id_ref_any(),
        _ => Chain::of(instruction).map(|chain| chain.base),
    }
}
