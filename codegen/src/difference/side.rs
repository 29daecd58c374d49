//! One of two modules: its instructions by what they are about, and what each id stands for.

use std::hash::{Hash, Hasher as _};
use std::ops::Range;

use coopmat_spirv::dr::{Instruction, Module, Operand};
use coopmat_spirv::spirv::{Decoration, Op};
use coopmat_spirv::text::{self, Names};
use coopmat_spirv::{Opcode, extended, opcode};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

/// Instructions outside of functions, which have no order that matters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Section {
    Version,
    Capabilities,
    Extensions,
    Memory,
    EntryPoints,
    Modes,
    Decorations,
    Declarations,
}

impl Section {
    pub const ALL: [Section; 8] = [
        Section::Version,
        Section::Capabilities,
        Section::Extensions,
        Section::Memory,
        Section::EntryPoints,
        Section::Modes,
        Section::Decorations,
        Section::Declarations,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Section::Version => "version",
            Section::Capabilities => "capabilities",
            Section::Extensions => "extensions",
            Section::Memory => "memory model",
            Section::EntryPoints => "entry points",
            Section::Modes => "execution modes",
            Section::Decorations => "decorations",
            Section::Declarations => "types, constants and variables",
        }
    }

    fn of(op: Op) -> Section {
        match op {
            Op::Capability => Section::Capabilities,
            Op::Extension | Op::ExtInstImport => Section::Extensions,
            Op::MemoryModel => Section::Memory,
            Op::EntryPoint => Section::EntryPoints,
            Op::ExecutionMode | Op::ExecutionModeId => Section::Modes,
            Op::Decorate
            | Op::MemberDecorate
            | Op::DecorateId
            | Op::DecorateString
            | Op::MemberDecorateString
            | Op::DecorationGroup
            | Op::GroupDecorate
            | Op::GroupMemberDecorate => Section::Decorations,
            _ => Section::Declarations,
        }
    }
}

pub struct Function {
    pub id: u32,
    /// Its instructions in the module.
    pub range: Range<usize>,
    /// As the entry point is called, or as `OpName` says, up to the types of its parameters.
    pub name: Option<String>,
    pub is_entry: bool,
}

/// What decorations say of an id, each as a hash, in a fixed order.
#[derive(Default)]
struct Decorations {
    all: Vec<u64>,
    /// Those by which other modules and programs know it.
    outside: Vec<u64>,
}

pub struct Side {
    module: Module,
    pub all: Vec<Instruction>,
    /// Whether an instruction is compared: not what tells of the source.
    counts: Vec<bool>,
    /// By id.
    pub definitions: FxHashMap<u32, usize>,
    pub names: FxHashMap<u32, String>,
    decorations: FxHashMap<u32, Decorations>,
    pub functions: Vec<Function>,
    /// How many instructions stand before functions.
    pub globals: usize,
}

pub fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// An operand, with its id in another form.
pub fn operand_hash(operand: &Operand, of_id: &mut dyn FnMut(u32) -> u64) -> u64 {
    operand.id_ref_any().map_or_else(|| hash(operand), of_id)
}

impl Side {
    pub fn new(module: &Module) -> Side {
        let all: Vec<Instruction> = module.all_inst_iter().cloned().collect();
        let mut side = Side {
            definitions: all.iter().enumerate().filter_map(|(at, one)| Some((one.result_id?, at))).collect(),
            globals: module.global_inst_iter().count(),
            module: module.clone(),
            all,
            counts: Vec::new(),
            names: FxHashMap::default(),
            decorations: FxHashMap::default(),
            functions: Vec::new(),
        };
        for one in &side.all {
            match (one.class.opcode, one.operands.as_slice()) {
                (Op::Name, [Operand::IdRef(id), Operand::LiteralString(name), ..]) if !name.is_empty() => {
                    side.names.insert(*id, name.clone());
                }
                (Op::Decorate | Op::MemberDecorate | Op::DecorateString, [Operand::IdRef(id), rest @ ..]) => {
                    let told = side.decorations.entry(*id).or_default();
                    told.all.push(hash(rest));
                    if rest.iter().any(is_outside) {
                        told.outside.push(hash(rest));
                    }
                }
                _ => {}
            }
        }
        for told in side.decorations.values_mut() {
            told.all.sort_unstable();
            told.outside.sort_unstable();
        }
        side.counts = side.counting();
        side.functions = side.find_functions();
        side
    }

    fn counting(&self) -> Vec<bool> {
        let is_debugging = |one: &&Instruction| {
            let set = one.operands.first();
            one.class.opcode == Op::ExtInstImport
                && matches!(set, Some(Operand::LiteralString(set)) if extended::is_debugging(set))
        };
        let sets: FxHashSet<u32> =
            self.all.iter().filter(is_debugging).filter_map(|one| one.result_id).collect();
        let counts = |one: &Instruction| match (one.class.opcode, one.operands.as_slice()) {
            (Op::Name | Op::MemberName | Op::ModuleProcessed | Op::Line | Op::NoLine, _)
            | (Op::Source | Op::SourceContinued | Op::SourceExtension, _) => false,
            (Op::Extension, [Operand::LiteralString(name)]) => name != "SPV_KHR_non_semantic_info",
            (Op::ExtInstImport, _) => one.result_id.is_none_or(|id| !sets.contains(&id)),
            (Op::ExtInst, [Operand::IdRef(set), ..]) => !sets.contains(set),
            _ => true,
        };
        let mut counting: Vec<bool> = self.all.iter().map(counts).collect();
        // Strings, types and constants that only debugging instructions name, and what these are made of: from the last one to the first.
        let mut used: FxHashSet<u32> = FxHashSet::default();
        for (at, one) in self.all.iter().enumerate().rev() {
            let name = opcode(one).name();
            let may_go = one.class.opcode == Op::String
                || !sets.is_empty() && (name.starts_with("Type") || name.starts_with("Constant"));
            let unused = one.result_id.is_some_and(|id| !used.contains(&id));
            let Some(counts) = counting.get_mut(at) else { continue };
            *counts = *counts && !(at < self.globals && unused && may_go);
            if *counts && Section::of(one.class.opcode) != Section::Decorations {
                used.extend(ids_of(one));
            }
        }
        counting
    }

    fn find_functions(&self) -> Vec<Function> {
        let entry = |one: &Instruction| match one.operands.as_slice() {
            [_, Operand::IdRef(id), Operand::LiteralString(name), ..] => Some((*id, name.clone())),
            _ => None,
        };
        let entries: FxHashMap<u32, String> = self.module.entry_points.iter().filter_map(entry).collect();
        let function = |range: Range<usize>| {
            let id = self.all.get(range.start)?.result_id?;
            let named = self.names.get(&id).and_then(|name| name.split('(').next()).map(str::to_owned);
            let name = entries.get(&id).cloned().or(named);
            Some(Function { id, range, name, is_entry: entries.contains_key(&id) })
        };
        text::function_ranges(&self.module).into_iter().filter_map(function).collect()
    }

    pub fn version(&self) -> String {
        let version = self.module.header.as_ref().map_or(0, |header| header.version);
        format!("; Version: {}.{}", version >> 16 & 0xFF, version >> 8 & 0xFF)
    }

    pub fn counts(&self, at: usize) -> bool {
        self.counts.get(at).copied().unwrap_or(false)
    }

    /// The instructions of a section that are compared.
    pub fn instructions_of(&self, section: Section) -> impl Iterator<Item = usize> {
        let globals = self.all.iter().take(self.globals).enumerate();
        let of = move |(at, one): &(usize, &Instruction)| {
            self.counts(*at) && Section::of(one.class.opcode) == section
        };
        globals.filter(of).map(|(at, _)| at)
    }

    /// The instruction that defines an id.
    pub fn definition(&self, id: u32) -> Option<&Instruction> {
        self.all.get(*self.definitions.get(&id)?)
    }

    pub fn op(&self, id: u32) -> Option<Opcode> {
        self.definition(id).map(opcode)
    }

    pub fn is_global(&self, id: u32) -> bool {
        self.definitions.get(&id).is_some_and(|at| *at < self.globals)
    }

    /// What a variable or a constant is called outside of the module, which stays while its type changes.
    pub fn place(&self, id: u32) -> Option<u64> {
        let told = &self.decorations.get(&id)?.outside;
        let op = self.op(id)?;
        (!told.is_empty() && op != Op::TypeStruct).then(|| hash((op.number(), told)))
    }

    /// What an id stands for, whatever its number. `known` remembers.
    pub fn meaning(&self, id: u32, known: &mut FxHashMap<u32, u64>) -> u64 {
        if let Some(known) = known.get(&id) {
            return *known;
        }
        let Some(one) = self.definition(id) else { return 0 };
        let number = opcode(one).number();
        // Structures may hold pointers to themselves.
        known.insert(id, hash(number));
        if one.class.opcode == Op::Function {
            return hash(number);
        }
        let mut parts: Vec<u64> = one.result_type.iter().map(|id| self.meaning(*id, known)).collect();
        for operand in &one.operands {
            parts.push(operand_hash(operand, &mut |id| self.meaning(id, known)));
        }
        let meaning = hash((number, parts, self.decorations.get(&id).map(|told| &told.all)));
        known.insert(id, meaning);
        meaning
    }

    /// The names that a listing has.
    pub fn friendly(&self) -> Names {
        Names::friendly(&self.module)
    }

    /// The text of each instruction with these names.
    pub fn lines(&self, names: &Names) -> Vec<String> {
        let mut module = self.module.clone();
        for entry in &mut module.entry_points {
            // The variables that it uses have no order.
            if let Some(variables) = entry.operands.get_mut(3..) {
                variables.sort_by_key(|one| one.id_ref_any().map(|id| names.of(id)));
            }
        }
        let options = text::Options { header: false, indent: false, ..text::Options::default() };
        let printed = text::disassemble_as(&module, names, &options);
        let mut lines = vec![String::new(); self.all.len()];
        for line in &printed.lines {
            let Some(slot) = line.instruction.and_then(|at| lines.get_mut(at as usize)) else { continue };
            if !slot.is_empty() {
                slot.push('\n');
            }
            let range = line.range.start as usize..line.range.end as usize;
            slot.push_str(printed.text.get(range).unwrap_or_default());
        }
        lines
    }
}

/// Whether a decoration says what something is called outside of the module.
fn is_outside(operand: &Operand) -> bool {
    use Decoration::{Binding, BuiltIn, DescriptorSet, Location, SpecId};
    matches!(operand, Operand::Decoration(DescriptorSet | Binding | Location | BuiltIn | SpecId))
}

/// The ids that an instruction names.
pub fn ids_of(one: &Instruction) -> impl Iterator<Item = u32> {
    one.result_type.into_iter().chain(one.operands.iter().filter_map(Operand::id_ref_any))
}
