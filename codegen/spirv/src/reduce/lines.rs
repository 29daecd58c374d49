//! Places in a source as `OpLine` alone: it goes with its instruction, which debug information of other kinds does not.

use rspirv::dr::{Block, Instruction, Module, Operand};
use rspirv::spirv::{Op, Word};
use rustc_hash::FxHashMap;

use crate::instruction::inst;

/// The place of an instruction, by its index in the module: file, line and column from 1.
pub type PlaceOf<'p> = &'p dyn Fn(usize) -> Option<(String, u32, u32)>;

/// The module with `OpLine` for each instruction of its functions that has a place, and without other debug information but names.
pub fn with_lines(mut module: Module, place: PlaceOf<'_>) -> Module {
    let sets: Vec<Word> = module
        .ext_inst_imports
        .iter()
        .filter(|import| {
            matches!(import.operands.first(), Some(Operand::LiteralString(name)) if name.starts_with("NonSemantic.Shader.DebugInfo"))
        })
        .filter_map(|import| import.result_id)
        .collect();
    let is_debug = |instruction: &Instruction| match instruction.class.opcode {
        Op::Line | Op::NoLine => true,
        Op::ExtInst => {
            matches!(instruction.operands.first(), Some(Operand::IdRef(set)) if sets.contains(set))
        }
        _ => false,
    };
    let inside =
        |module: &Module| -> usize { module.functions.iter().map(|it| it.all_inst_iter().count()).sum() };
    let mut at = module.all_inst_iter().count() - inside(&module);
    let mut files =
        Files { ids: FxHashMap::default(), next: module.header.as_ref().map_or(0, |it| it.bound) };
    for function in &mut module.functions {
        at += usize::from(function.def.is_some()) + function.parameters.len();
        for block in &mut function.blocks {
            at += usize::from(block.label.is_some());
            let count = block.instructions.len();
            placed(block, &is_debug, &mut |index| place(at + index), &mut files);
            at += count;
        }
        at += usize::from(function.end.is_some());
    }
    module.types_global_values.retain(|instruction| !is_debug(instruction));
    module.ext_inst_imports.retain(|import| import.result_id.is_none_or(|id| !sets.contains(&id)));
    if let Some(header) = &mut module.header {
        header.bound = files.next;
    }
    let mut strings: Vec<(String, Word)> = files.ids.into_iter().collect();
    strings.sort_by_key(|(_, id)| *id);
    let strings = strings
        .into_iter()
        .map(|(name, id)| inst(Op::String, None, Some(id), vec![Operand::LiteralString(name)]));
    // OpString comes before the names of files that use it.
    module.debug_string_source.splice(0..0, strings);
    module
}

struct Files {
    ids: FxHashMap<String, Word>,
    next: Word,
}

impl Files {
    fn id(&mut self, name: String) -> Word {
        let next = &mut self.next;
        *self.ids.entry(name).or_insert_with(|| {
            *next += 1;
            *next - 1
        })
    }
}

fn placed(
    block: &mut Block,
    is_debug: &dyn Fn(&Instruction) -> bool,
    place: &mut dyn FnMut(usize) -> Option<(String, u32, u32)>,
    files: &mut Files,
) {
    let mut last = None;
    let mut merges = false;
    let mut all = Vec::new();
    for (index, instruction) in std::mem::take(&mut block.instructions).into_iter().enumerate() {
        if is_debug(&instruction) {
            continue;
        }
        let known = instruction.class.opcode;
        // Nothing stands between a merge instruction and its branch, and before variables and phis.
        let fits = !merges && !matches!(known, Op::Phi | Op::Variable);
        merges = matches!(known, Op::SelectionMerge | Op::LoopMerge);
        if let Some((file, line, column)) = place(index).filter(|_| fits) {
            let here = (files.id(file), line, column);
            if last != Some(here) {
                last = Some(here);
                let (file, line, column) = here;
                let operands =
                    vec![Operand::IdRef(file), Operand::LiteralBit32(line), Operand::LiteralBit32(column)];
                all.push(inst(Op::Line, None, None, operands));
            }
        }
        all.push(instruction);
    }
    block.instructions = all;
}
