//! Takes out what has no effect and no use: instructions whose result nothing needs, stores to locals that nothing reads, functions that
//! are never called, types, constants and variables, and the names, decorations and debug information of all of these.
//!
//! What is needed is found from what has effects, and followed through operands; whatever is not reached goes. Debug information
//! alone keeps nothing alive.

use coopmat_spirv::tracked::{Line, Tracked, TrackedFunction};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Capability, Decoration, Op, StorageClass, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use super::effects::is_pure;
use super::locals::{Access, DEBUG_DECLARE, DEBUG_VALUE, access, id_operands, locals};
use super::unit::Unit;

/// `DebugCompilationUnit`, `DebugSource`, `DebugSourceContinued`, `DebugEntryPoint`: what describes the module as a whole.
const WHOLE_MODULE: [u32; 4] = [1, 35, 102, 107];

pub(super) fn run(unit: &mut Unit) {
    drop_lines(unit);
    let live = find_live(unit);
    let Unit { tracked, debug, glsl, .. } = unit;
    let (glsl, debug) = (*glsl, *debug);
    let is_live = |id: Word| live.ids.get(id as usize) == Some(&true);
    tracked
        .functions
        .retain(|function| function.def.as_ref().and_then(|def| def.result_id).is_none_or(is_live));
    for function in &mut tracked.functions {
        for block in &mut function.blocks {
            block.lines.retain(|line| stays(line, glsl, debug, &is_live, &live.unread));
        }
    }
    let result_is_live = |line: &Line| line.result_id.is_none_or(is_live);
    tracked.types_global_values.retain(|line| {
        let forward = line.class.opcode == Op::TypeForwardPointer;
        result_is_live(line) && (!forward || id_operands(line).all(|(_, id)| is_live(id)))
    });
    tracked.ext_inst_imports.retain(result_is_live);
    tracked.debug_string_source.retain(|line| line.class.opcode != Op::String || result_is_live(line));
    for entry in &mut tracked.entry_points {
        // The execution model, the function and the name come first.
        let mut at = 0;
        entry.operands.retain(|operand| {
            at += 1;
            at <= 3 || operand.id_ref_any().is_none_or(is_live)
        });
    }
    let mut defined = vec![false; tracked.bound() as usize];
    for id in tracked.lines().filter_map(|line| line.result_id) {
        defined[id as usize] = true;
    }
    let about_something = |line: &Line| {
        let target = line.operands.first().and_then(Operand::id_ref_any);
        target.is_none_or(|id| defined.get(id as usize) == Some(&true))
    };
    tracked.debug_names.retain(about_something);
    tracked.annotations.retain(about_something);
    drop_lines(unit);
}

/// Whether a line of a block remains.
fn stays(
    line: &Instruction,
    glsl: Option<Word>,
    debug: Option<Word>,
    is_live: &impl Fn(Word) -> bool,
    unread: &FxHashSet<Word>,
) -> bool {
    if let Some(value) = told_value(line, debug) {
        return is_live(value) && !unread.contains(&value);
    }
    if line.class.opcode == Op::Store
        && line.operands.first().and_then(Operand::id_ref_any).is_some_and(|id| unread.contains(&id))
    {
        return false;
    }
    !is_pure(line, glsl) || line.result_id.is_none_or(is_live)
}

/// The value that `DebugDeclare` or `DebugValue` tells about.
fn told_value(line: &Instruction, debug: Option<Word>) -> Option<Word> {
    match line.operands.as_slice() {
        [
            Operand::IdRef(set),
            Operand::LiteralExtInstInteger(DEBUG_DECLARE | DEBUG_VALUE),
            _,
            Operand::IdRef(value),
            ..,
        ] if line.class.opcode == Op::ExtInst && Some(*set) == debug => Some(*value),
        _ => None,
    }
}

struct Live {
    /// By id.
    ids: Vec<bool>,
    /// Locals, and pointers into them, that nothing reads.
    unread: FxHashSet<Word>,
}

/// The locals of all functions that are only written, with the pointers that they are written through.
fn unread(unit: &mut Unit) -> FxHashSet<Word> {
    let mut all = FxHashSet::default();
    unit.each_function(|unit, function: &mut TrackedFunction| {
        // By pointer: the local.
        let mut pointers: FxHashMap<Word, Word> = locals(unit, function).keys().map(|&id| (id, id)).collect();
        let mut read: FxHashSet<Word> = FxHashSet::default();
        for line in function.blocks.iter().flat_map(|block| &block.lines) {
            for (at, id) in id_operands(line) {
                let Some(&local) = pointers.get(&id) else { continue };
                match (access(unit, line, at), line.result_id) {
                    (Access::Store(value), _) if value != id => {}
                    (Access::Chain, Some(result)) => {
                        pointers.insert(result, local);
                    }
                    (Access::Declare, _) => {}
                    _ => {
                        read.insert(local);
                    }
                }
            }
        }
        all.extend(
            pointers.into_iter().filter(|(_, local)| !read.contains(local)).map(|(pointer, _)| pointer),
        );
    });
    all
}

fn find_live(unit: &mut Unit) -> Live {
    let unread = unread(unit);
    let tracked = &unit.tracked;
    let (glsl, debug) = (unit.glsl, unit.debug);
    // What an id needs: its own operands.
    let bound = tracked.bound() as usize;
    let mut definitions: Vec<Option<&Instruction>> = vec![None; bound];
    for line in tracked.lines() {
        if let Some(id) = line.result_id {
            definitions[id as usize] = Some(line);
        }
    }
    let functions: FxHashMap<Word, &TrackedFunction> = tracked
        .functions
        .iter()
        .filter_map(|function| Some((function.def.as_ref()?.result_id?, function)))
        .collect();
    // Operands of decorations that are ids, by what is decorated.
    let mut decorations: FxHashMap<Word, Vec<Word>> = FxHashMap::default();
    for line in tracked.annotations.iter().filter(|line| line.class.opcode == Op::DecorateId) {
        let mut ids = id_operands(line).map(|(_, id)| id);
        if let Some(target) = ids.next() {
            decorations.entry(target).or_default().extend(ids);
        }
    }
    let mut walk = Walk { ids: vec![false; bound], waiting: Vec::new() };
    roots(tracked, debug, &mut walk);
    let mut weak: Vec<&Instruction> = Vec::new();
    loop {
        while let Some(id) = walk.waiting.pop() {
            if let Some(function) = functions.get(&id) {
                for line in function.lines() {
                    if told_value(line, debug).is_some() {
                        weak.push(line);
                    } else if stays(line, glsl, debug, &|_| false, &unread) {
                        walk.instruction(line);
                    }
                }
            }
            if let Some(definition) = definitions.get(id as usize).copied().flatten() {
                walk.instruction(definition);
            }
            for &id in decorations.get(&id).into_iter().flatten() {
                walk.id(id);
            }
        }
        // Debug information follows what is there for other reasons; a constant may be there for it.
        let before = walk.waiting.len();
        weak.retain(|line| {
            let value = told_value(line, debug).unwrap_or_default();
            let constant = unit.constants.get(value).is_some();
            if unread.contains(&value) || !(walk.ids.get(value as usize) == Some(&true) || constant) {
                return true;
            }
            walk.instruction(line);
            false
        });
        if walk.waiting.len() == before {
            break;
        }
    }
    Live { ids: walk.ids, unread }
}

struct Walk {
    ids: Vec<bool>,
    waiting: Vec<Word>,
}

impl Walk {
    fn id(&mut self, id: Word) {
        if let Some(seen) = self.ids.get_mut(id as usize).filter(|seen| !**seen) {
            *seen = true;
            self.waiting.push(id);
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        let operands = instruction.operands.iter().filter_map(Operand::id_ref_any);
        for id in operands.chain(instruction.result_type).chain(instruction.result_id) {
            self.id(id);
        }
    }
}

/// Inputs and outputs that are not built-in variables: what passes between stages.
fn between_stages(tracked: &Tracked) -> FxHashSet<Word> {
    let built_in = |id: Word| {
        tracked.annotations.iter().any(|line| {
            line.class.opcode == Op::Decorate
                && line.operands.first() == Some(&Operand::IdRef(id))
                && line.operands.get(1) == Some(&Operand::Decoration(Decoration::BuiltIn))
        })
    };
    let variables = tracked.types_global_values.iter().filter(|line| {
        let class = line.operands.first();
        line.class.opcode == Op::Variable
            && [StorageClass::Input, StorageClass::Output]
                .iter()
                .any(|known| class == Some(&Operand::StorageClass(*known)))
    });
    variables.filter_map(|line| line.result_id).filter(|id| !built_in(*id)).collect()
}

fn roots(tracked: &Tracked, debug: Option<Word>, walk: &mut Walk) {
    let linked = tracked
        .capabilities
        .iter()
        .any(|line| line.operands.first() == Some(&Operand::Capability(Capability::Linkage)));
    let between_stages = between_stages(tracked);
    for entry in &tracked.entry_points {
        // The interface lists variables, which are there only if something uses them, or a neighbouring stage counts on them.
        for (at, operand) in entry.operands.iter().enumerate() {
            if let Some(id) = operand.id_ref_any().filter(|id| at < 3 || between_stages.contains(id)) {
                walk.id(id);
            }
        }
    }
    if linked || tracked.entry_points.is_empty() {
        for function in &tracked.functions {
            if let Some(id) = function.def.as_ref().and_then(|def| def.result_id) {
                walk.id(id);
            }
        }
    }
    let modes = tracked.memory_model.iter().chain(&tracked.execution_modes);
    for line in modes.chain(tracked.debug_string_source.iter().filter(|line| line.class.opcode != Op::String))
    {
        walk.instruction(line);
    }
    for line in &tracked.annotations {
        // The size of a workgroup holds without being named.
        let size = Operand::BuiltIn(BuiltIn::WorkgroupSize);
        let linkage = Some(&Operand::Decoration(Decoration::LinkageAttributes));
        let holds = line.operands.get(2) == Some(&size) || line.operands.get(1) == linkage;
        if let Some(id) = line.operands.first().and_then(Operand::id_ref_any).filter(|_| holds) {
            walk.id(id);
        }
    }
    for line in &tracked.types_global_values {
        match line.operands.as_slice() {
            // What sets other than that of debug information say is not known.
            [Operand::IdRef(set), Operand::LiteralExtInstInteger(number), ..]
                if line.class.opcode == Op::ExtInst
                    && (Some(*set) != debug || WHOLE_MODULE.contains(number)) =>
            {
                walk.instruction(line);
            }
            // What is neither type, constant nor variable.
            _ if line.result_id.is_none()
                && !matches!(line.class.opcode, Op::TypeForwardPointer | Op::Line | Op::NoLine) =>
            {
                walk.instruction(line);
            }
            _ => {}
        }
    }
}

/// `DebugLine`.
const DEBUG_LINE: u32 = 103;

/// Of lines that follow each other in a block only the last one says something.
fn drop_lines(unit: &mut Unit) {
    // Lines name their file by a string.
    if !unit.tracked.debug_string_source.iter().any(|line| line.class.opcode == Op::String) {
        return;
    }
    unit.each_function(|unit, function| {
        for block in &mut function.blocks {
            let is_line = |line: &Line| {
                matches!(line.class.opcode, Op::Line | Op::NoLine)
                    || matches!(unit.debug_instruction(line), Some((DEBUG_LINE, _)))
            };
            let lines: Vec<bool> = block.lines.iter().map(is_line).collect();
            let mut at = 0;
            block.lines.retain(|_| {
                at += 1;
                !(lines[at - 1] && lines.get(at) == Some(&true))
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::optimise::tests::check;

    #[test]
    fn what_nothing_reads_goes() {
        check(
            &[super::run],
            "layout(binding = 0) buffer B { float d[]; };
            layout(binding = 1) buffer C { uint n; };
            void main() {
                float unread[4];
                unread[uint(d[0])] = 1.0;
                float unused = d[1] * 2.0;
                atomicAdd(n, 1u);
                d[2] = 3.0;
            }",
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %unread = OpVariable %_ptr_Function__arr_float_uint_4 Function
                %18 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
                %19 = OpLoad %float %18
                %20 = OpConvertFToU %uint %19
                %23 = OpAccessChain %_ptr_Function_float %unread %20
                OpStore %23 %float_1
                %25 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
                %26 = OpLoad %float %25
                %28 = OpFMul %float %26 %float_2
                %33 = OpAccessChain %_ptr_StorageBuffer_uint %__0 %int_0
                %36 = OpAtomicIAdd %uint %33 %uint_1 %uint_0 %uint_1
                %39 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
                OpStore %39 %float_3
                OpReturn
                OpFunctionEnd
            "#]],
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %33 = OpAccessChain %_ptr_StorageBuffer_uint %__0 %int_0
                %36 = OpAtomicIAdd %uint %33 %uint_1 %uint_0 %uint_1
                %39 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
                OpStore %39 %float_3
                OpReturn
                OpFunctionEnd
            "#]],
        );
    }
}
