//! The module that passes work on, and what all of them ask of it.

use coopmat_spirv::constants::{Constants, Type};
use coopmat_spirv::inst;
use coopmat_spirv::tracked::{Line, Tracked};
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass, Word};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct Unit {
    pub tracked: Tracked,
    pub constants: Constants,
    /// Values that stand for themselves alone: a decoration says more than how precisely they are computed.
    pub decorated: FxHashSet<Word>,
    /// Locals that are decorated `Volatile` or `Coherent`.
    shared: FxHashSet<Word>,
    /// The set GLSL.std.450.
    pub glsl: Option<Word>,
    /// The set NonSemantic.Shader.DebugInfo.
    pub debug: Option<Word>,
    undefined: FxHashMap<Word, Word>,
    /// Pointers to locals, by what they point to.
    pointers: FxHashMap<Word, Word>,
}

impl Unit {
    pub fn new(module: Module) -> Unit {
        let tracked = Tracked::new(module);
        let import = |wanted: fn(&str) -> bool| {
            tracked.ext_inst_imports.iter().find_map(|line| match line.operands.first() {
                Some(Operand::LiteralString(name)) if wanted(name) => line.result_id,
                _ => None,
            })
        };
        let glsl = import(|name| name == "GLSL.std.450");
        let debug = import(|name| name.starts_with("NonSemantic.Shader.DebugInfo."));
        let target = |line: &Line| line.operands.first().and_then(Operand::id_ref_any);
        let precision = |line: &&Line| {
            !matches!(
                line.operands.get(1),
                Some(Operand::Decoration(Decoration::RelaxedPrecision | Decoration::NoContraction))
            )
        };
        let decorated: FxHashSet<Word> =
            tracked.annotations.iter().filter(precision).filter_map(target).collect();
        let is_shared = |line: &&Line| {
            let decoration = line.operands.get(1);
            matches!(decoration, Some(Operand::Decoration(Decoration::Volatile | Decoration::Coherent)))
        };
        let shared = tracked.annotations.iter().filter(is_shared).filter_map(target).collect();
        let named = tracked.debug_names.iter().filter_map(target);
        let mut constants = Constants::new(named.chain(decorated.iter().copied()).collect());
        let mut pointers = FxHashMap::default();
        let mut undefined = FxHashMap::default();
        for line in &tracked.types_global_values {
            constants.declare(line);
            match (line.class.opcode, line.operands.as_slice(), line.result_type, line.result_id) {
                (
                    Op::TypePointer,
                    [Operand::StorageClass(StorageClass::Function), Operand::IdRef(pointee)],
                    _,
                    Some(id),
                ) => {
                    pointers.entry(*pointee).or_insert(id);
                }
                (Op::Undef, _, Some(ty), Some(id)) => {
                    undefined.entry(ty).or_insert(id);
                }
                _ => {}
            }
        }
        Unit { tracked, constants, decorated, shared, glsl, debug, undefined, pointers }
    }

    pub fn finish(self) -> (Module, Vec<Option<usize>>) {
        self.tracked.finish()
    }

    /// Whether every use of every id can be seen, and there are ids enough for whatever passes make.
    pub fn is_followed(&self) -> bool {
        // What a group decorates would have to be looked up.
        let groups = |line: &Line| line.class.opcode == Op::DecorationGroup;
        let room = self.tracked.bound() <= coopmat_spirv::MAXIMUM_BOUND;
        room && !self.tracked.has_unknown_instructions() && !self.tracked.annotations.iter().any(groups)
    }

    /// The constant that an operation makes of constants, wherever every device agrees.
    pub fn folded(&mut self, op: Op, ty: Word, operands: &[Operand], origin: Option<usize>) -> Option<Word> {
        let Unit { tracked, constants, .. } = self;
        let id = constants.fold(op, ty, operands, true, &mut || tracked.fresh_id());
        self.add_made(origin);
        id
    }

    pub fn folded_glsl(
        &mut self,
        number: u32,
        ty: Word,
        arguments: &[Operand],
        origin: Option<usize>,
    ) -> Option<Word> {
        let Unit { tracked, constants, .. } = self;
        let id = constants.fold_glsl(number, ty, arguments, &mut || tracked.fresh_id());
        self.add_made(origin);
        id
    }

    pub fn scalar_constant(&mut self, ty: Word, bits: u64, origin: Option<usize>) -> Option<Word> {
        let Unit { tracked, constants, .. } = self;
        let id = constants.scalar_id(ty, bits, &mut || tracked.fresh_id());
        self.add_made(origin);
        id
    }

    /// A part of a constant.
    pub fn constant_part(&mut self, constant: Word, index: u32, origin: Option<usize>) -> Option<Word> {
        let Unit { tracked, constants, .. } = self;
        let id = constants.part(constant, index, &mut || tracked.fresh_id());
        self.add_made(origin);
        id
    }

    fn add_made(&mut self, origin: Option<usize>) {
        let made = self.constants.take_made().into_iter().map(|made| Line::new(made, origin));
        self.tracked.types_global_values.extend(made);
    }

    /// Appends to the section of types, constants and variables.
    pub fn add_global(&mut self, instruction: Instruction, origin: Option<usize>) {
        self.constants.declare(&instruction);
        self.tracked.types_global_values.push(Line::new(instruction, origin));
    }

    /// A value of a type of which nothing is known.
    pub fn undefined(&mut self, ty: Word) -> Option<Word> {
        if let Some(&id) = self.undefined.get(&ty) {
            return Some(id);
        }
        let id = self.tracked.fresh_id()?;
        self.undefined.insert(ty, id);
        self.add_global(inst(Op::Undef, Some(ty), Some(id), Vec::new()), None);
        Some(id)
    }

    /// The type of pointers to locals of a type.
    pub fn local_pointer(&mut self, pointee: Word) -> Option<Word> {
        if let Some(&id) = self.pointers.get(&pointee) {
            return Some(id);
        }
        let id = self.tracked.fresh_id()?;
        self.pointers.insert(pointee, id);
        let operands = vec![Operand::StorageClass(StorageClass::Function), Operand::IdRef(pointee)];
        self.add_global(inst(Op::TypePointer, None, Some(id), operands), None);
        Some(id)
    }

    /// Whether a local has a decoration that makes its accesses more than reads and writes of its own.
    pub fn decorated_as_shared(&self, local: Word) -> bool {
        self.shared.contains(&local)
    }

    /// What a pointer type points to.
    pub fn pointee(&self, pointer: Word) -> Option<Word> {
        match self.constants.ty(pointer)? {
            Type::Pointer(pointee) => Some(*pointee),
            _ => None,
        }
    }

    /// Names by id.
    pub fn names(&self) -> FxHashMap<Word, String> {
        let named = |line: &Line| match (line.class.opcode, line.operands.as_slice()) {
            (Op::Name, [Operand::IdRef(id), Operand::LiteralString(name)]) => Some((*id, name.clone())),
            _ => None,
        };
        self.tracked.debug_names.iter().filter_map(named).collect()
    }

    pub fn name(&mut self, id: Word, name: &str) {
        let operands = vec![Operand::IdRef(id), Operand::LiteralString(name.to_owned())];
        self.tracked.debug_names.push(Line::new(inst(Op::Name, None, None, operands), None));
    }

    /// Runs over the functions, each taken out of the module meanwhile.
    pub fn each_function(
        &mut self,
        mut change: impl FnMut(&mut Unit, &mut coopmat_spirv::tracked::TrackedFunction),
    ) {
        let mut functions = std::mem::take(&mut self.tracked.functions);
        for function in functions.iter_mut().filter(|function| function.def.is_some()) {
            change(self, function);
        }
        self.tracked.functions = functions;
    }

    /// The number and the operands of an instruction of the debugging set.
    pub fn debug_instruction<'a>(&self, instruction: &'a Instruction) -> Option<(u32, &'a [Operand])> {
        match (instruction.class.opcode, instruction.operands.as_slice()) {
            (Op::ExtInst, [Operand::IdRef(set), Operand::LiteralExtInstInteger(number), rest @ ..])
                if Some(*set) == self.debug =>
            {
                Some((*number, rest))
            }
            _ => None,
        }
    }
}

/// The id that stands in an operand's place.
pub(super) fn id_at(instruction: &Instruction, at: usize) -> Option<Word> {
    instruction.operands.get(at).and_then(Operand::id_ref_any)
}
