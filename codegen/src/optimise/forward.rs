//! Within a block, what was stored to a local or loaded from it last stands for the next load of the same place.
//!
//! Locals that could not become values are meant: arrays with indices that are not known, and what is handed to functions. Two places of a
//! local are one when their indices are the same values, and surely two when they differ in a known index.

use coopmat_spirv::is_volatile;
use coopmat_spirv::tracked::{TrackedFunction, replace_ids};
use rspirv::spirv::{Op, Word};
use rustc_hash::FxHashMap;

use super::effects::is_pure;
use super::locals::{Access, Local, access, id_operands, locals};
use super::unit::{Unit, id_at};

/// At most so many places of one local are remembered.
const MOST_PLACES: usize = 32;

pub(super) fn run(unit: &mut Unit) {
    unit.each_function(forward);
}

/// An index: its number where it is known, else the value's id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Index {
    Known(u64),
    Value(Word),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Place {
    local: Word,
    path: Vec<Index>,
}

impl Place {
    fn may_overlap(&self, other: &[Index]) -> bool {
        let differs = self.path.iter().zip(other).find(|(a, b)| a != b);
        !matches!(differs, Some((Index::Known(_), Index::Known(_))))
    }
}

/// A place, the value there, and its type.
type Known = (Place, Word, Option<Word>);

fn forward(unit: &mut Unit, function: &mut TrackedFunction) {
    let found: FxHashMap<Word, Local> = locals(unit, function);
    if found.is_empty() {
        return;
    }
    let mut places: FxHashMap<Word, Place> = FxHashMap::default();
    let mut others: FxHashMap<Word, Word> = FxHashMap::default();
    for block in &mut function.blocks {
        // By local: what is known of its places.
        let mut known: FxHashMap<Word, Vec<Known>> = FxHashMap::default();
        let mut kept = Vec::with_capacity(block.lines.len());
        for mut line in std::mem::take(&mut block.lines) {
            replace_ids(&mut line, &others);
            let pointer = id_at(&line, 0).unwrap_or_default();
            let place = places
                .get(&pointer)
                .cloned()
                .or_else(|| found.contains_key(&pointer).then(|| Place { local: pointer, path: Vec::new() }));
            match (access(unit, &line, 0), place) {
                (Access::Load, Some(place)) => {
                    let Some(id) = line.result_id else { continue };
                    let values = known.entry(place.local).or_default();
                    let same = values.iter().find(|(at, _, ty)| *at == place && *ty == line.result_type);
                    match same {
                        Some(&(_, value, _)) if !unit.decorated.contains(&id) => {
                            others.insert(id, value);
                            continue;
                        }
                        Some(_) => {}
                        None => {
                            if values.len() < MOST_PLACES {
                                values.push((place, id, line.result_type));
                            }
                        }
                    }
                }
                (Access::Store(value), Some(place)) => {
                    let ty = stored_type(unit, &found, &place);
                    let values = known.entry(place.local).or_default();
                    values.retain(|(at, ..)| !at.may_overlap(&place.path));
                    if values.len() < MOST_PLACES && ty.is_some() {
                        values.push((place, value, ty));
                    }
                }
                (Access::Chain, Some(place)) => {
                    let mut path = place.path;
                    path.extend(id_operands(&line).skip(1).map(|(_, index)| {
                        unit.constants.bits(index).map_or(Index::Value(index), |(_, bits)| Index::Known(bits))
                    }));
                    if let Some(id) = line.result_id {
                        places.insert(id, Place { local: place.local, path });
                    }
                }
                _ => {
                    // Whatever else takes a pointer may write through it.
                    let harmless = is_pure(&line, unit.glsl) && !is_volatile(&line)
                        || line.class.opcode == Op::Variable
                        || unit.debug_instruction(&line).is_some();
                    if !harmless {
                        for (_, id) in id_operands(&line) {
                            let local = places.get(&id).map_or(id, |place| place.local);
                            known.remove(&local);
                        }
                    }
                }
            }
            kept.push(line);
        }
        block.lines = kept;
    }
    if !others.is_empty() {
        for line in function.lines_mut() {
            replace_ids(line, &others);
        }
    }
}

/// The type of what stands at a place, by the types of the local and its parts.
fn stored_type(unit: &Unit, found: &FxHashMap<Word, Local>, place: &Place) -> Option<Word> {
    let mut ty = found.get(&place.local)?.ty;
    for index in &place.path {
        let index = match index {
            Index::Known(index) => u32::try_from(*index).ok()?,
            Index::Value(_) => 0,
        };
        ty = unit.constants.part_type(ty, index)?;
    }
    Some(ty)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::optimise::tests::check;

    #[test]
    fn what_was_stored_is_not_loaded_again() {
        check(
            &[super::run],
            "layout(binding = 0) buffer B { float d[]; };
            void main() {
                float a[4];
                uint i = uint(d[0]);
                a[1] = d[1];
                a[2] = d[2];
                d[3] = a[1];
                a[i] = d[4];
                d[5] = a[1];
            }",
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %a = OpVariable %_ptr_Function__arr_float_uint_4 Function
                %18 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
                %19 = OpLoad %float %18
                %20 = OpConvertFToU %uint %19
                %22 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
                %23 = OpLoad %float %22
                %25 = OpAccessChain %_ptr_Function_float %a %int_1
                OpStore %25 %23
                %27 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
                %28 = OpLoad %float %27
                %29 = OpAccessChain %_ptr_Function_float %a %int_2
                OpStore %29 %28
                %31 = OpAccessChain %_ptr_Function_float %a %int_1
                %32 = OpLoad %float %31
                %33 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_3
                OpStore %33 %32
                %35 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_4
                %36 = OpLoad %float %35
                %37 = OpAccessChain %_ptr_Function_float %a %20
                OpStore %37 %36
                %39 = OpAccessChain %_ptr_Function_float %a %int_1
                %40 = OpLoad %float %39
                %41 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_5
                OpStore %41 %40
                OpReturn
                OpFunctionEnd
            "#]],
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %a = OpVariable %_ptr_Function__arr_float_uint_4 Function
                %18 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_0
                %19 = OpLoad %float %18
                %20 = OpConvertFToU %uint %19
                %22 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_1
                %23 = OpLoad %float %22
                %25 = OpAccessChain %_ptr_Function_float %a %int_1
                OpStore %25 %23
                %27 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_2
                %28 = OpLoad %float %27
                %29 = OpAccessChain %_ptr_Function_float %a %int_2
                OpStore %29 %28
                %31 = OpAccessChain %_ptr_Function_float %a %int_1
                %33 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_3
                OpStore %33 %23
                %35 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_4
                %36 = OpLoad %float %35
                %37 = OpAccessChain %_ptr_Function_float %a %20
                OpStore %37 %36
                %39 = OpAccessChain %_ptr_Function_float %a %int_1
                %40 = OpLoad %float %39
                %41 = OpAccessChain %_ptr_StorageBuffer_float %_ %int_0 %int_5
                OpStore %41 %40
                OpReturn
                OpFunctionEnd
            "#]],
        );
    }
}
