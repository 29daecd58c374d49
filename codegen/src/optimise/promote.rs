//! Locals that are read and written as a whole become values; where paths meet that bring different ones, `OpPhi` chooses.
//!
//! The places of `OpPhi` are the iterated dominance frontiers of the stores, where the local is still read after (Cytron et al., "Efficiently
//! Computing Static Single Assignment Form"). With debug information, `DebugValue` tells at each store what `DebugDeclare` told once.

use coopmat_spirv::inst;
use coopmat_spirv::tracked::{Line, TrackedFunction, replace_ids};
use rspirv::dr::Operand;
use rspirv::spirv::{Op, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use super::cfg::Cfg;
use super::locals::{Access, DEBUG_VALUE, Local, access, id_operands, locals};
use super::unit::Unit;

/// Where a function has more locals times blocks than this, they stay.
const MOST_WORK: usize = 64 << 20;

pub(super) fn run(unit: &mut Unit) {
    let names = unit.names();
    unit.each_function(|unit, function| {
        // A function whose blocks cannot be followed stays as it is.
        let _ = promote(unit, function, &names);
    });
}

/// `DebugScope`.
const DEBUG_SCOPE: u32 = 23;

/// A local that becomes values.
struct Promoted {
    id: Word,
    local: Local,
    /// `DebugDeclare`: the type of its result, the variable and the expression.
    declared: Option<(Word, Word, Word)>,
    /// The `OpPhi` at the start of a block.
    phis: FxHashMap<usize, Word>,
}

fn promote(unit: &mut Unit, function: &mut TrackedFunction, names: &FxHashMap<Word, String>) -> Option<()> {
    let mut found = locals(unit, function);
    let mut declared = FxHashMap::default();
    for line in function.lines() {
        for (at, id) in id_operands(line) {
            let Some(local) = found.get(&id) else { continue };
            let whole = match access(unit, line, at) {
                Access::Load => line.result_type == Some(local.ty),
                Access::Store(value) => value != id,
                Access::Declare => {
                    let ids: Vec<Word> = id_operands(line).map(|(_, id)| id).collect();
                    if let (Some(ty), [_, variable, _, expression]) = (line.result_type, ids.as_slice()) {
                        declared.insert(id, (ty, *variable, *expression));
                    }
                    true
                }
                Access::Chain | Access::Other => false,
            };
            if !whole {
                found.remove(&id);
            }
        }
    }
    let cfg = Cfg::new(function)?;
    if found.is_empty() || cfg.predecessors.first().is_some_and(|first| !first.is_empty()) {
        return None;
    }
    if found.len().saturating_mul(function.blocks.len()) > MOST_WORK {
        return None;
    }
    // In the order of their declarations, so that the result is the same each time.
    let mut promoted: Vec<Promoted> = Vec::new();
    for line in function.blocks.iter().flat_map(|block| &block.lines) {
        if let Some((id, local)) = line.result_id.and_then(|id| found.remove_entry(&id)) {
            let declared = declared.remove(&id);
            promoted.push(Promoted { id, local, declared, phis: FxHashMap::default() });
        }
    }
    let number: FxHashMap<Word, usize> =
        promoted.iter().enumerate().map(|(at, promoted)| (promoted.id, at)).collect();
    let dominators = cfg.dominators();
    place_phis(unit, function, &cfg, &dominators, &number, &mut promoted)?;
    let renamed = Renaming::new(unit, &cfg, &dominators, &number, &promoted)?.run(unit, function)?;
    insert_phis(unit, function, &cfg, &mut promoted, &renamed, names);
    Some(())
}

/// Decides which blocks choose between values.
fn place_phis(
    unit: &mut Unit,
    function: &TrackedFunction,
    cfg: &Cfg,
    dominators: &[Option<usize>],
    number: &FxHashMap<Word, usize>,
    promoted: &mut [Promoted],
) -> Option<()> {
    let count = promoted.len();
    // By local: blocks that store it, and blocks that read what came from before them.
    let mut stores: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut reads: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &at in &cfg.order {
        for line in &function.blocks[at].lines {
            let pointer = match line.class.opcode {
                Op::Load | Op::Store => line.operands.first().and_then(Operand::id_ref_any),
                _ => None,
            };
            let Some(&local) = pointer.and_then(|id| number.get(&id)) else { continue };
            let stored_here = stores[local].last() == Some(&at);
            if line.class.opcode == Op::Store {
                if !stored_here {
                    stores[local].push(at);
                }
            } else if !stored_here && reads[local].last() != Some(&at) {
                reads[local].push(at);
            }
        }
    }
    let frontiers = cfg.frontiers(dominators);
    let mut live = vec![usize::MAX; cfg.successors.len()];
    let mut stored = vec![usize::MAX; cfg.successors.len()];
    for local in 0..count {
        for &at in &stores[local] {
            stored[at] = local;
        }
        // Blocks at whose start the value is still wanted.
        let mut waiting = std::mem::take(&mut reads[local]);
        for &at in &waiting {
            live[at] = local;
        }
        while let Some(at) = waiting.pop() {
            for &from in &cfg.predecessors[at] {
                if live[from] != local && stored[from] != local {
                    live[from] = local;
                    waiting.push(from);
                }
            }
        }
        let mut waiting = std::mem::take(&mut stores[local]);
        while let Some(at) = waiting.pop() {
            for &frontier in &frontiers[at] {
                if live[frontier] == local && !promoted[local].phis.contains_key(&frontier) {
                    let id = unit.tracked.fresh_id()?;
                    promoted[local].phis.insert(frontier, id);
                    waiting.push(frontier);
                }
            }
        }
    }
    Some(())
}

/// The walk that finds out which value each load gets.
struct Renaming<'a> {
    cfg: &'a Cfg,
    children: Vec<Vec<usize>>,
    number: &'a FxHashMap<Word, usize>,
    promoted: &'a [Promoted],
    /// By local: the value that it has here.
    current: Vec<Word>,
    /// Values for loads.
    others: FxHashMap<Word, Word>,
    /// By block and local: what a block hands to the `OpPhi` of the next.
    incoming: FxHashMap<(usize, usize), Vec<(Word, Word)>>,
    /// By block: its `OpPhi`s.
    phis_of: Vec<Vec<usize>>,
}

struct Renamed {
    others: FxHashMap<Word, Word>,
    incoming: FxHashMap<(usize, usize), Vec<(Word, Word)>>,
}

impl<'a> Renaming<'a> {
    fn new(
        unit: &mut Unit,
        cfg: &'a Cfg,
        dominators: &[Option<usize>],
        number: &'a FxHashMap<Word, usize>,
        promoted: &'a [Promoted],
    ) -> Option<Self> {
        let mut children = vec![Vec::new(); cfg.successors.len()];
        for &block in &cfg.order {
            if let Some(up) = dominators[block].filter(|&up| up != block) {
                children[up].push(block);
            }
        }
        let mut phis_of = vec![Vec::new(); cfg.successors.len()];
        let mut current = Vec::with_capacity(promoted.len());
        for (at, promoted) in promoted.iter().enumerate() {
            for &block in promoted.phis.keys() {
                phis_of[block].push(at);
            }
            current.push(match promoted.local.initializer {
                Some(initializer) => initializer,
                None => unit.undefined(promoted.local.ty)?,
            });
        }
        let (others, incoming) = Default::default();
        Some(Renaming { cfg, children, number, promoted, current, others, incoming, phis_of })
    }

    fn run(mut self, unit: &mut Unit, function: &mut TrackedFunction) -> Option<Renamed> {
        enum Step {
            Enter(usize),
            /// Restores what a block has changed.
            Leave(Vec<(usize, Word)>),
        }
        let undefined = self.current.clone();
        let mut steps: Vec<Step> =
            self.cfg.order.first().map(|&first| Step::Enter(first)).into_iter().collect();
        while let Some(step) = steps.pop() {
            match step {
                Step::Leave(before) => {
                    for (local, value) in before.into_iter().rev() {
                        self.current[local] = value;
                    }
                }
                Step::Enter(block) => {
                    let before = self.block(unit, function, block);
                    steps.push(Step::Leave(before));
                    steps.extend(self.children[block].iter().map(|&child| Step::Enter(child)));
                }
            }
        }
        // What is never reached reads what nobody has written.
        for block in (0..function.blocks.len()).filter(|&block| !self.cfg.reachable[block]) {
            self.current.clone_from(&undefined);
            self.block(unit, function, block);
        }
        Some(Renamed { others: self.others, incoming: self.incoming })
    }

    /// Takes the accesses out of a block, and says what the locals were before it where it changes them.
    fn block(&mut self, unit: &mut Unit, function: &mut TrackedFunction, at: usize) -> Vec<(usize, Word)> {
        let mut before = Vec::new();
        for &local in &self.phis_of[at] {
            if let Some(&phi) = self.promoted[local].phis.get(&at) {
                before.push((local, std::mem::replace(&mut self.current[local], phi)));
            }
        }
        let Some(block) = function.blocks.get_mut(at) else { return before };
        let mut kept = Vec::with_capacity(block.lines.len());
        for mut line in std::mem::take(&mut block.lines) {
            if line.class.opcode == Op::Variable
                && line.result_id.is_some_and(|id| self.number.contains_key(&id))
            {
                continue;
            }
            let local = id_operands(&line).find_map(|(at, id)| Some((at, *self.number.get(&id)?)));
            match local {
                None => {
                    replace_ids(&mut line, &self.others);
                    kept.push(line);
                }
                Some((operand, local)) => match access(unit, &line, operand) {
                    Access::Load => {
                        let Some(id) = line.result_id else { continue };
                        let value = self.current[local];
                        if unit.decorated.contains(&id) {
                            let ty = line.result_type;
                            line.instruction =
                                inst(Op::CopyObject, ty, Some(id), vec![Operand::IdRef(value)]);
                            kept.push(line);
                        } else {
                            self.others.insert(id, value);
                        }
                    }
                    Access::Store(value) => {
                        let value = self.others.get(&value).copied().unwrap_or(value);
                        before.push((local, std::mem::replace(&mut self.current[local], value)));
                        if let Some(told) = debug_value(unit, &self.promoted[local], value) {
                            kept.push(Line::new(told, line.origin));
                        }
                    }
                    Access::Declare => {}
                    // Such a local is none of these.
                    Access::Chain | Access::Other => kept.push(line),
                },
            }
        }
        block.lines = kept;
        let label = block.id().unwrap_or_default();
        let mut told = FxHashSet::default();
        for &next in &self.cfg.successors[at] {
            if told.insert(next) {
                for &local in &self.phis_of[next] {
                    self.incoming.entry((next, local)).or_default().push((self.current[local], label));
                }
            }
        }
        before
    }
}

/// Tells a debugger the value of a local from here on.
fn debug_value(unit: &mut Unit, promoted: &Promoted, value: Word) -> Option<rspirv::dr::Instruction> {
    let (void, variable, expression) = promoted.declared?;
    let set = unit.debug?;
    let id = unit.tracked.fresh_id()?;
    let operands = vec![
        Operand::IdRef(set),
        Operand::LiteralExtInstInteger(DEBUG_VALUE),
        Operand::IdRef(variable),
        Operand::IdRef(value),
        Operand::IdRef(expression),
    ];
    Some(inst(Op::ExtInst, Some(void), Some(id), operands))
}

fn insert_phis(
    unit: &mut Unit,
    function: &mut TrackedFunction,
    cfg: &Cfg,
    promoted: &mut [Promoted],
    renamed: &Renamed,
    names: &FxHashMap<Word, String>,
) {
    // The values that stand in later blocks' places were not all known when a line was passed.
    for line in function.lines_mut() {
        replace_ids(line, &renamed.others);
    }
    let mut first: Vec<Vec<Line>> = vec![Vec::new(); function.blocks.len()];
    let mut told: Vec<Vec<Line>> = vec![Vec::new(); function.blocks.len()];
    for (number, promoted) in promoted.iter_mut().enumerate() {
        let mut phis: Vec<(usize, Word)> = promoted.phis.drain().collect();
        phis.sort_unstable();
        for (block, id) in phis {
            let pairs = renamed.incoming.get(&(block, number)).map(Vec::as_slice).unwrap_or_default();
            // Blocks are named in their order.
            let mut pairs = pairs.to_vec();
            pairs.sort_by_key(|(_, from)| cfg.index.get(from).copied());
            let operands = pairs
                .iter()
                .flat_map(|&(value, from)| {
                    let value = renamed.others.get(&value).copied().unwrap_or(value);
                    [Operand::IdRef(value), Operand::IdRef(from)]
                })
                .collect();
            let phi = inst(Op::Phi, Some(promoted.local.ty), Some(id), operands);
            first[block].push(Line::new(phi, promoted.local.origin));
            if let Some(value) = debug_value(unit, promoted, id) {
                told[block].push(Line::new(value, promoted.local.origin));
            }
            if let Some(name) = names.get(&promoted.id) {
                unit.name(id, name);
            }
        }
    }
    for ((block, mut phis), told) in function.blocks.iter_mut().zip(first).zip(told) {
        let own = block.lines.iter().take_while(|line| line.class.opcode == Op::Phi).count();
        // What is told comes after the debugger's scope, if the block has one.
        let scope = block.lines.get(own).is_some_and(|line| {
            unit.debug_instruction(line).is_some_and(|(number, _)| number == DEBUG_SCOPE)
        });
        let at = own + usize::from(scope);
        if !told.is_empty() {
            block.lines.splice(at..at, told);
        }
        if !phis.is_empty() {
            phis.append(&mut block.lines);
            block.lines = phis;
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::optimise::tests::check;

    #[test]
    fn a_local_becomes_values_and_paths_that_meet_choose() {
        check(
            &[super::run],
            "layout(binding = 0) buffer B { int d[]; };
            void main() {
                int a = d[0], b;
                if (a > 3) { b = a; a = 1; } else b = 2;
                d[1] = a + b;
            }",
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %a = OpVariable %_ptr_Function_int Function
                %b = OpVariable %_ptr_Function_int Function
                %12 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_0
                %13 = OpLoad %int %12
                OpStore %a %13
                %17 = OpLoad %int %a
                %20 = OpSGreaterThan %bool %17 %int_3
                OpSelectionMerge %22 None
                OpBranchConditional %20 %21 %23
                %21 = OpLabel
                %24 = OpLoad %int %a
                OpStore %b %24
                OpStore %a %int_1
                OpBranch %22
                %23 = OpLabel
                OpStore %b %int_2
                OpBranch %22
                %22 = OpLabel
                %27 = OpLoad %int %a
                %28 = OpLoad %int %b
                %29 = OpIAdd %int %27 %28
                %30 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_1
                OpStore %30 %29
                OpReturn
                OpFunctionEnd
            "#]],
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %12 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_0
                %13 = OpLoad %int %12
                %20 = OpSGreaterThan %bool %13 %int_3
                OpSelectionMerge %22 None
                OpBranchConditional %20 %21 %23
                %21 = OpLabel
                OpBranch %22
                %23 = OpLabel
                OpBranch %22
                %22 = OpLabel
                %a_0 = OpPhi %int %int_1 %21 %13 %23
                %b_0 = OpPhi %int %13 %21 %int_2 %23
                %29 = OpIAdd %int %a_0 %b_0
                %30 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_1
                OpStore %30 %29
                OpReturn
                OpFunctionEnd
            "#]],
        );
    }

    #[test]
    fn a_matrix_that_a_loop_sums_up_is_a_value_of_the_loop() {
        check(
            &[super::run, super::super::dead::run],
            "#extension GL_KHR_cooperative_matrix : enable
            #extension GL_KHR_memory_scope_semantics : enable
            layout(binding = 0) buffer B { float d[]; };
            void main() {
                coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
                for (uint i = 0; i < 4; i++) {
                    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m;
                    coopMatLoad(m, d, i * 256, 16, gl_CooperativeMatrixLayoutRowMajor);
                    sum += m;
                }
                coopMatStore(sum, d, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            }",
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %sum = OpVariable %_ptr_Function_10 Function
                %i = OpVariable %_ptr_Function_uint Function
                %m = OpVariable %_ptr_Function_10 Function
                OpStore %sum %12
                OpStore %i %uint_0
                OpBranch %18
                %18 = OpLabel
                %22 = OpLoad %uint %i
                %25 = OpULessThan %bool %22 %uint_4
                OpLoopMerge %21 %20 None
                OpBranchConditional %25 %19 %21
                %19 = OpLabel
                %33 = OpLoad %uint %i
                %35 = OpIMul %uint %33 %uint_256
                %37 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %35
                %38 = OpCooperativeMatrixLoadKHR %10 %37 %int_0 %uint_16
                OpStore %m %38
                %39 = OpLoad %10 %m
                %40 = OpLoad %10 %sum
                %41 = OpFAdd %10 %40 %39
                OpStore %sum %41
                OpBranch %20
                %20 = OpLabel
                %42 = OpLoad %uint %i
                %44 = OpIAdd %uint %42 %uint_1
                OpStore %i %44
                OpBranch %18
                %21 = OpLabel
                %45 = OpLoad %10 %sum
                %46 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %uint_0
                OpCooperativeMatrixStoreKHR %46 %45 %int_0 %uint_16
                OpReturn
                OpFunctionEnd
            "#]],
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                OpBranch %18
                %18 = OpLabel
                %sum = OpPhi %10 %12 %4 %41 %20
                %i = OpPhi %uint %uint_0 %4 %44 %20
                %25 = OpULessThan %bool %i %uint_4
                OpLoopMerge %21 %20 None
                OpBranchConditional %25 %19 %21
                %19 = OpLabel
                %35 = OpIMul %uint %i %uint_256
                %37 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %35
                %38 = OpCooperativeMatrixLoadKHR %10 %37 %int_0 %uint_16
                %41 = OpFAdd %10 %sum %38
                OpBranch %20
                %20 = OpLabel
                %44 = OpIAdd %uint %i %uint_1
                OpBranch %18
                %21 = OpLabel
                %46 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %uint_0
                OpCooperativeMatrixStoreKHR %46 %sum %int_0 %uint_16
                OpReturn
                OpFunctionEnd
            "#]],
        );
    }

    /// Nobody knows what it holds, and nothing has to.
    #[test]
    fn a_local_that_is_read_before_it_is_written_is_undefined() {
        check(
            &[super::run],
            "layout(binding = 0) buffer B { int d[]; };
            void main() { int a; d[0] = a; }",
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %a = OpVariable %_ptr_Function_int Function
                %13 = OpLoad %int %a
                %15 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_0
                OpStore %15 %13
                OpReturn
                OpFunctionEnd
            "#]],
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %15 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_0
                OpStore %15 %16
                OpReturn
                OpFunctionEnd
            "#]],
        );
    }
}
