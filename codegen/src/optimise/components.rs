//! Components of local vectors and matrices are read and written as parts of whole values, so that the locals can become values.
//!
//! A load through an access chain becomes a load of the whole and `OpCompositeExtract`; a store becomes a load, `OpCompositeInsert` and a
//! store of the whole. An index that is not known takes `OpVectorExtractDynamic` and `OpVectorInsertDynamic`. Only locals of which
//! every access can be written so are changed.

use coopmat_spirv::constants::Type;
use coopmat_spirv::inst;
use coopmat_spirv::tracked::{Line, TrackedFunction};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};
use rustc_hash::FxHashMap;

use super::locals::{Access, access, id_operands, locals};
use super::unit::{Unit, id_at};

pub(super) fn run(unit: &mut Unit) {
    unit.each_function(|unit, function| {
        let _ = change(unit, function);
    });
}

/// Where in a local a chain points to.
enum Part {
    Known(Vec<u32>),
    /// One index into a vector.
    Dynamic(Word),
}

struct Chain {
    local: Word,
    part: Part,
}

fn change(unit: &mut Unit, function: &mut TrackedFunction) -> Option<()> {
    let mut found = locals(unit, function);
    found.retain(|_, local| matches!(unit.constants.ty(local.ty), Some(Type::Vector(..) | Type::Matrix(..))));
    if found.is_empty() {
        return Some(());
    }
    let mut chains: FxHashMap<Word, Chain> = FxHashMap::default();
    for line in function.lines() {
        for (at, id) in id_operands(line) {
            if let Some(local) = found.get(&id) {
                let fits = match access(unit, line, at) {
                    Access::Load => line.result_type == Some(local.ty),
                    Access::Store(value) => value != id,
                    Access::Declare => true,
                    Access::Chain => match (line.result_id, part(unit, line, local.ty)) {
                        (Some(result), Some(part)) if !unit.decorated.contains(&result) => {
                            chains.insert(result, Chain { local: id, part });
                            true
                        }
                        _ => false,
                    },
                    Access::Other => false,
                };
                if !fits {
                    found.remove(&id);
                }
            } else if let Some(chain) = chains.get(&id) {
                match access(unit, line, at) {
                    Access::Load => {}
                    Access::Store(value) if value != id => {}
                    _ => {
                        found.remove(&chain.local);
                    }
                }
            }
        }
    }
    chains.retain(|_, chain| found.contains_key(&chain.local));
    if chains.is_empty() {
        return Some(());
    }
    for block in &mut function.blocks {
        let mut kept = Vec::with_capacity(block.lines.len());
        for mut line in std::mem::take(&mut block.lines) {
            if line.result_id.is_some_and(|id| chains.contains_key(&id)) {
                continue;
            }
            let chain = id_at(&line, 0).and_then(|pointer| chains.get(&pointer));
            let (Some(chain), Op::Load | Op::Store) = (chain, line.class.opcode) else {
                kept.push(line);
                continue;
            };
            let Some(local) = found.get(&chain.local) else {
                kept.push(line);
                continue;
            };
            let origin = line.origin;
            // `Unit::is_followed` has seen that there are ids enough.
            let whole = unit.tracked.fresh_id()?;
            let load = inst(Op::Load, Some(local.ty), Some(whole), vec![Operand::IdRef(chain.local)]);
            kept.push(Line::new(load, origin));
            if line.class.opcode == Op::Load {
                line.instruction = taken(line.result_type, line.result_id, whole, &chain.part);
                kept.push(line);
            } else {
                let value = id_at(&line, 1)?;
                let result = unit.tracked.fresh_id()?;
                kept.push(Line::new(put(local.ty, result, whole, value, &chain.part), origin));
                let operands = vec![Operand::IdRef(chain.local), Operand::IdRef(result)];
                line.instruction = inst(Op::Store, None, None, operands);
                kept.push(line);
            }
        }
        block.lines = kept;
    }
    Some(())
}

fn taken(ty: Option<Word>, id: Option<Word>, whole: Word, part: &Part) -> Instruction {
    let mut operands = vec![Operand::IdRef(whole)];
    match part {
        Part::Known(path) => {
            operands.extend(path.iter().map(|&index| Operand::LiteralBit32(index)));
            inst(Op::CompositeExtract, ty, id, operands)
        }
        Part::Dynamic(index) => {
            operands.push(Operand::IdRef(*index));
            inst(Op::VectorExtractDynamic, ty, id, operands)
        }
    }
}

fn put(ty: Word, id: Word, whole: Word, value: Word, part: &Part) -> Instruction {
    match part {
        Part::Known(path) => {
            let mut operands = vec![Operand::IdRef(value), Operand::IdRef(whole)];
            operands.extend(path.iter().map(|&index| Operand::LiteralBit32(index)));
            inst(Op::CompositeInsert, Some(ty), Some(id), operands)
        }
        Part::Dynamic(index) => {
            let operands = [whole, value, *index].map(Operand::IdRef).to_vec();
            inst(Op::VectorInsertDynamic, Some(ty), Some(id), operands)
        }
    }
}

/// The part that a chain's indices name; nothing for what cannot be named.
fn part(unit: &Unit, chain: &Instruction, ty: Word) -> Option<Part> {
    let indices = chain.operands.get(1..)?;
    let mut path = Vec::with_capacity(indices.len());
    let mut ty = ty;
    for index in indices {
        let index = index.id_ref_any()?;
        let Some((_, bits)) = unit.constants.bits(index) else {
            let vector = matches!(unit.constants.ty(ty), Some(Type::Vector(..)));
            return (vector && indices.len() == 1).then_some(Part::Dynamic(index));
        };
        let bits = u32::try_from(bits).ok()?;
        ty = unit.constants.part_type(ty, bits)?;
        path.push(bits);
    }
    (!path.is_empty()).then_some(Part::Known(path))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::optimise::tests::check;

    #[test]
    fn a_component_is_a_part_of_the_whole() {
        check(
            &[super::run],
            "layout(binding = 0) buffer B { float d[]; };
            void main() {
                vec3 v = vec3(0.0);
                v.y = 1.0;
                v[uint(d[0])] = 2.0;
                d[1] = v.x;
                mat2 m = mat2(1.0);
                m[1].x = v.z;
                d[2] = m[1].x;
            }",
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %v = OpVariable %_ptr_Function_v3float Function
                %m = OpVariable %_ptr_Function_mat2v2float Function
                OpStore %v %8
                %15 = OpAccessChain %_ptr_Function_float %v %uint_1
                OpStore %15 %float_1
                %23 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
                %24 = OpLoad %float %23
                %25 = OpConvertFToU %uint %24
                %27 = OpAccessChain %_ptr_Function_float %v %25
                OpStore %27 %float_2
                %30 = OpAccessChain %_ptr_Function_float %v %uint_0
                %31 = OpLoad %float %30
                %32 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
                OpStore %32 %31
                OpStore %m %37
                %41 = OpAccessChain %_ptr_Function_float %v %uint_2
                %42 = OpLoad %float %41
                %43 = OpAccessChain %_ptr_Function_float %m %int_1 %uint_0
                OpStore %43 %42
                %45 = OpAccessChain %_ptr_Function_float %m %int_1 %uint_0
                %46 = OpLoad %float %45
                %47 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
                OpStore %47 %46
                OpReturn
                OpFunctionEnd
            "#]],
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %v = OpVariable %_ptr_Function_v3float Function
                %m = OpVariable %_ptr_Function_mat2v2float Function
                OpStore %v %8
                %48 = OpLoad %v3float %v
                %49 = OpCompositeInsert %v3float %float_1 %48 1
                OpStore %v %49
                %23 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
                %24 = OpLoad %float %23
                %25 = OpConvertFToU %uint %24
                %50 = OpLoad %v3float %v
                %51 = OpVectorInsertDynamic %v3float %50 %float_2 %25
                OpStore %v %51
                %52 = OpLoad %v3float %v
                %31 = OpCompositeExtract %float %52 0
                %32 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
                OpStore %32 %31
                OpStore %m %37
                %53 = OpLoad %v3float %v
                %42 = OpCompositeExtract %float %53 2
                %54 = OpLoad %mat2v2float %m
                %55 = OpCompositeInsert %mat2v2float %42 %54 1 0
                OpStore %m %55
                %56 = OpLoad %mat2v2float %m
                %46 = OpCompositeExtract %float %56 1 0
                %47 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
                OpStore %47 %46
                OpReturn
                OpFunctionEnd
            "#]],
        );
    }
}
