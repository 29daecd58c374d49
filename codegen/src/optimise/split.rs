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
