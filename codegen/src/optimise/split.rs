//! Local structures and short arrays of which every access names a part, or all of it, become one local for each part.
//!
//! A load of the whole puts the parts together, a store takes them out. What has an index that is not known stays whole, and so do arrays
//! that are long, since a listing of their parts would hide what the code does.

use coopmat_spirv::constants::Type;
use coopmat_spirv::inst;
use coopmat_spirv::tracked::{Line, TrackedFunction, replace_ids};
use rspirv::dr::Operand;
use rspirv::spirv::{Op, StorageClass, Word};
use rustc_hash::FxHashMap;

use super::locals::{Access, Local, access, id_operands, locals};
use super::unit::{Unit, id_at};

/// Structures and arrays have at most so many parts to be taken apart.
const MOST_PARTS: usize = 16;
/// Parts that are structures or arrays are taken apart in turn, so often.
const ROUNDS: usize = 4;

pub(super) fn run(unit: &mut Unit) {
    let mut names = unit.names();
    let members = member_names(unit);
    for _ in 0..ROUNDS {
        let mut changed = false;
        unit.each_function(|unit, function| changed |= split(unit, function, &mut names, &members));
        if !changed {
            break;
        }
    }
}

fn member_names(unit: &Unit) -> FxHashMap<(Word, u32), String> {
    let named = |line: &Line| match (line.class.opcode, line.operands.as_slice()) {
        (
            Op::MemberName,
            [Operand::IdRef(id), Operand::LiteralBit32(member), Operand::LiteralString(name)],
        ) => Some(((*id, *member), name.clone())),
        _ => None,
    };
    unit.tracked.debug_names.iter().filter_map(named).collect()
}

/// A part of a local that is taken apart.
struct Piece {
    id: Word,
    ty: Word,
    pointer: Word,
}

fn split(
    unit: &mut Unit,
    function: &mut TrackedFunction,
    names: &mut FxHashMap<Word, String>,
    members: &FxHashMap<(Word, u32), String>,
) -> bool {
    let mut found: FxHashMap<Word, Local> = locals(unit, function);
    found.retain(|_, local| {
        local.initializer.is_none()
            && matches!(unit.constants.ty(local.ty), Some(Type::Struct(_) | Type::Array(..)))
            && unit.constants.parts(local.ty).is_some_and(|count| (1..=MOST_PARTS).contains(&count))
    });
    if found.is_empty() {
        return false;
    }
    for line in function.lines() {
        for (at, id) in id_operands(line) {
            let Some(local) = found.get(&id) else { continue };
            let plain = match access(unit, line, at) {
                Access::Load => {
                    line.result_type == Some(local.ty)
                        && line.result_id.is_some_and(|id| !unit.decorated.contains(&id))
                }
                Access::Store(value) => value != id,
                Access::Declare => true,
                Access::Chain => {
                    line.result_id.is_some_and(|id| !unit.decorated.contains(&id))
                        && chosen(unit, line, local.ty).is_some()
                }
                Access::Other => false,
            };
            if !plain {
                found.remove(&id);
            }
        }
    }
    if found.is_empty() {
        return false;
    }
    // In the order of their declarations.
    let order: Vec<Word> = function
        .blocks
        .iter()
        .flat_map(|block| &block.lines)
        .filter(|line| line.class.opcode == Op::Variable)
        .filter_map(|line| line.result_id.filter(|id| found.contains_key(id)))
        .collect();
    let mut pieces: FxHashMap<Word, Vec<Piece>> = FxHashMap::default();
    for id in order {
        let Some(local) = found.get(&id) else { continue };
        if let Some(parts) = make_pieces(unit, id, local.ty, names, members) {
            pieces.insert(id, parts);
        }
    }
    let mut others: FxHashMap<Word, Word> = FxHashMap::default();
    for block in &mut function.blocks {
        let mut kept = Vec::with_capacity(block.lines.len());
        for mut line in std::mem::take(&mut block.lines) {
            if let Some(parts) = line.result_id.and_then(|id| pieces.get(&id))
                && line.class.opcode == Op::Variable
            {
                for piece in parts {
                    let operands = vec![Operand::StorageClass(StorageClass::Function)];
                    let variable = inst(Op::Variable, Some(piece.pointer), Some(piece.id), operands);
                    kept.push(Line::new(variable, line.origin));
                }
                continue;
            }
            let used = id_operands(&line).find_map(|(at, id)| Some((at, id, pieces.get(&id)?)));
            let Some((at, local, parts)) = used else {
                kept.push(line);
                continue;
            };
            match access(unit, &line, at) {
                Access::Chain => {
                    let ty = found.get(&local).map_or(0, |local| local.ty);
                    let piece = chosen(unit, &line, ty).and_then(|index| parts.get(index));
                    let (Some(piece), Some(id)) = (piece, line.result_id) else { continue };
                    if line.operands.len() == 2 {
                        others.insert(id, piece.id);
                    } else {
                        line.operands.remove(1);
                        line.operands[0] = Operand::IdRef(piece.id);
                        kept.push(line);
                    }
                }
                Access::Load => {
                    let mut values = Vec::with_capacity(parts.len());
                    for piece in parts {
                        let Some(id) = unit.tracked.fresh_id() else { continue };
                        let load = inst(Op::Load, Some(piece.ty), Some(id), vec![Operand::IdRef(piece.id)]);
                        kept.push(Line::new(load, line.origin));
                        values.push(Operand::IdRef(id));
                    }
                    line.instruction = inst(Op::CompositeConstruct, line.result_type, line.result_id, values);
                    kept.push(line);
                }
                Access::Store(value) => {
                    for (index, piece) in parts.iter().enumerate() {
                        let Some(id) = unit.tracked.fresh_id() else { continue };
                        let operands = vec![Operand::IdRef(value), Operand::LiteralBit32(index as u32)];
                        let part = inst(Op::CompositeExtract, Some(piece.ty), Some(id), operands);
                        kept.push(Line::new(part, line.origin));
                        let store =
                            inst(Op::Store, None, None, vec![Operand::IdRef(piece.id), Operand::IdRef(id)]);
                        kept.push(Line::new(store, line.origin));
                    }
                }
                // A debugger would need an expression for each part.
                Access::Declare => {}
                Access::Other => kept.push(line),
            }
        }
        block.lines = kept;
    }
    if !others.is_empty() {
        for line in function.lines_mut() {
            replace_ids(line, &others);
        }
    }
    !pieces.is_empty()
}

/// The part that the first index of a chain names.
fn chosen(unit: &Unit, chain: &rspirv::dr::Instruction, ty: Word) -> Option<usize> {
    let (_, bits) = unit.constants.bits(id_at(chain, 1)?)?;
    let index = usize::try_from(bits).ok()?;
    (index < unit.constants.parts(ty)?).then_some(index)
}

fn make_pieces(
    unit: &mut Unit,
    local: Word,
    ty: Word,
    names: &mut FxHashMap<Word, String>,
    members: &FxHashMap<(Word, u32), String>,
) -> Option<Vec<Piece>> {
    let count = unit.constants.parts(ty)?;
    let is_struct = matches!(unit.constants.ty(ty), Some(Type::Struct(_)));
    let mut parts = Vec::with_capacity(count);
    for index in 0..count as u32 {
        let part = unit.constants.part_type(ty, index)?;
        let pointer = unit.local_pointer(part)?;
        let id = unit.tracked.fresh_id()?;
        if let Some(name) = names.get(&local) {
            let name = match members.get(&(ty, index)) {
                Some(member) if is_struct => format!("{name}.{member}"),
                _ => format!("{name}[{index}]"),
            };
            unit.name(id, &name);
            names.insert(id, name);
        }
        parts.push(Piece { id, ty: part, pointer });
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::optimise::tests::check;

    #[test]
    fn members_and_elements_become_locals_of_their_own() {
        check(
            &[super::run],
            "struct S { float a; float b[2]; };
            layout(binding = 0) buffer B { float d[]; };
            void main() {
                S s;
                s.a = d[0];
                s.b[1] = d[1];
                S copy = s;
                d[2] = copy.a + copy.b[1];
            }",
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %s = OpVariable %_ptr_Function_S Function
                %copy = OpVariable %_ptr_Function_S Function
                %19 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
                %20 = OpLoad %float %19
                %22 = OpAccessChain %_ptr_Function_float %s %int_0
                OpStore %22 %20
                %24 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
                %25 = OpLoad %float %24
                %26 = OpAccessChain %_ptr_Function_float %s %int_1 %int_1
                OpStore %26 %25
                %27 = OpLoad %S %s
                OpStore %copy %27
                %30 = OpAccessChain %_ptr_Function_float %copy %int_0
                %31 = OpLoad %float %30
                %32 = OpAccessChain %_ptr_Function_float %copy %int_1 %int_1
                %33 = OpLoad %float %32
                %34 = OpFAdd %float %31 %33
                %35 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
                OpStore %35 %34
                OpReturn
                OpFunctionEnd
            "#]],
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %s_a = OpVariable %_ptr_Function_float Function
                %s_b_0_ = OpVariable %_ptr_Function_float Function
                %s_b_1_ = OpVariable %_ptr_Function_float Function
                %copy_a = OpVariable %_ptr_Function_float Function
                %copy_b_0_ = OpVariable %_ptr_Function_float Function
                %copy_b_1_ = OpVariable %_ptr_Function_float Function
                %19 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
                %20 = OpLoad %float %19
                OpStore %s_a %20
                %24 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
                %25 = OpLoad %float %24
                OpStore %s_b_1_ %25
                %41 = OpLoad %float %s_a
                %49 = OpLoad %float %s_b_0_
                %50 = OpLoad %float %s_b_1_
                %42 = OpCompositeConstruct %_arr_float_uint_2 %49 %50
                %27 = OpCompositeConstruct %S %41 %42
                %43 = OpCompositeExtract %float %27 0
                OpStore %copy_a %43
                %44 = OpCompositeExtract %_arr_float_uint_2 %27 1
                %51 = OpCompositeExtract %float %44 0
                OpStore %copy_b_0_ %51
                %52 = OpCompositeExtract %float %44 1
                OpStore %copy_b_1_ %52
                %31 = OpLoad %float %copy_a
                %33 = OpLoad %float %copy_b_1_
                %34 = OpFAdd %float %31 %33
                %35 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
                OpStore %35 %34
                OpReturn
                OpFunctionEnd
            "#]],
        );
    }

    #[test]
    fn an_array_with_an_index_that_is_not_known_stays() {
        check(
            &[super::run],
            "layout(binding = 0) buffer B { float d[]; };
            void main() {
                float a[2];
                a[0] = d[0];
                d[1] = a[uint(d[2])];
            }",
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %a = OpVariable %_ptr_Function__arr_float_uint_2 Function
                %18 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
                %19 = OpLoad %float %18
                %21 = OpAccessChain %_ptr_Function_float %a %int_0
                OpStore %21 %19
                %24 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
                %25 = OpLoad %float %24
                %26 = OpConvertFToU %uint %25
                %27 = OpAccessChain %_ptr_Function_float %a %26
                %28 = OpLoad %float %27
                %29 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
                OpStore %29 %28
                OpReturn
                OpFunctionEnd
            "#]],
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %a = OpVariable %_ptr_Function__arr_float_uint_2 Function
                %18 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
                %19 = OpLoad %float %18
                %21 = OpAccessChain %_ptr_Function_float %a %int_0
                OpStore %21 %19
                %24 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
                %25 = OpLoad %float %24
                %26 = OpConvertFToU %uint %25
                %27 = OpAccessChain %_ptr_Function_float %a %26
                %28 = OpLoad %float %27
                %29 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
                OpStore %29 %28
                OpReturn
                OpFunctionEnd
            "#]],
        );
    }
}
