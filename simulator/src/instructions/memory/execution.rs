//! What loads, stores and copies do; addresses of each lane.

use smallvec::SmallVec;

use super::{bulk, heaps};
use crate::code::{MemoryInstruction, NO_PLANE, Term};
use crate::machine::{Context, MAXIMUM_LANES, Mask, Plane, Registers, first_lanes, halves, lanes_of};
use crate::memory::Target;
use crate::memory::parts;
use crate::observer::AccessKind;
use crate::program::{Leaf, Slot};

/// Which element of an array in registers, where all lanes have the index in common.
#[inline(always)]
pub(in crate::instructions) fn execute_once(
    instruction: &MemoryInstruction,
    registers: &mut Registers,
    base: Plane,
) -> bool {
    let MemoryInstruction::PlaneOf { result, first, index, wide: false, count, step } = *instruction else {
        return false;
    };
    let index = index.plane(base);
    let Some((word, _)) = registers.pair_once(index, index) else { return false };
    let plane = if word < count { first.plane(base) + word * step } else { NO_PLANE };
    registers.put_once(result.plane(base), plane);
    true
}

pub(in crate::instructions) fn execute(instruction: &MemoryInstruction, cx: &mut Context) {
    match *instruction {
        MemoryInstruction::Copy { result, source, planes } => {
            let (to, from) = (cx.plane(result), cx.plane(source));
            if result.is_global() {
                cx.registers.outside(|registers| registers.copy(to, from, planes));
            } else {
                cx.registers.copy(to, from, planes);
            }
        }
        MemoryInstruction::Gather { result, pointer, offset, planes } => {
            gather(cx, result, pointer, offset, planes)
        }
        MemoryInstruction::Scatter { pointer, offset, value, planes } => {
            scatter(cx, pointer, offset, value, planes)
        }
        MemoryInstruction::Move { result, value } => {
            let (result, value) = (cx.plane(result), cx.plane(value));
            cx.registers.move_matrix(result, value);
        }
        MemoryInstruction::MoveTo { pointer, offset, value } => {
            let (pointer, value) = (cx.plane(pointer), cx.plane(value));
            if cx.registers.agrees(pointer)
                && let Some(plane) = cx.registers.any(pointer).checked_add(offset)
                && plane < cx.registers.planes()
            {
                cx.registers.move_matrix(plane, value);
            }
        }
        MemoryInstruction::Load { result, pointer, offset, leaves } => {
            load(cx, result, pointer, offset, leaves, 0)
        }
        MemoryInstruction::Store { pointer, offset, value, leaves } => {
            store(cx, pointer, offset, value, leaves, 0)
        }
        MemoryInstruction::LoadApart { result, pointer, offset, leaves, step } => {
            load(cx, result, pointer, offset, leaves, step);
        }
        MemoryInstruction::StoreApart { pointer, offset, value, leaves, step } => {
            store(cx, pointer, offset, value, leaves, step);
        }
        MemoryInstruction::Address { result, pointer, offset, ref terms } => {
            compute_address(cx, result, pointer, offset, terms);
        }
        MemoryInstruction::Buffer { result, first, count, index, wide } => {
            let (result, index) = (cx.plane(result), cx.plane(index));
            let descriptors = cx.env.descriptors;
            cx.registers.lanewise(result, &[index], |registers, lane| {
                let index = index_at(registers, index, wide, lane);
                let target = u32::try_from(index).ok().filter(|index| *index < count);
                let target = target.and_then(|index| descriptors.get((first + index) as usize));
                match target {
                    Some(Target::Buffer(address)) => halves(*address),
                    _ => [0; 2],
                }
            });
        }
        MemoryInstruction::Descriptor { result, pointer, count, index, wide } => {
            let (result, pointer, index) = (cx.plane(result), cx.plane(pointer), cx.plane(index));
            cx.registers.lanewise(result, &[pointer, index], |registers, lane| {
                let index = index_at(registers, index, wide, lane);
                let inside = index < u64::from(count);
                [if inside { registers.get(pointer, lane).wrapping_add(index as u32) } else { u32::MAX }]
            });
        }
        MemoryInstruction::HeapBuffer { result, pointer, offset } => {
            heaps::buffer(cx, result, pointer, offset)
        }
        MemoryInstruction::HeapImage { result, pointer, offset } => heaps::image(cx, result, pointer, offset),
        MemoryInstruction::PlaneIndex { result, plane } => {
            let (result, plane) = (cx.plane(result), cx.plane(plane));
            cx.registers.set_uniform(result, plane);
        }
        MemoryInstruction::PlaneOf { result, first, index, wide, count, step } => {
            let (result, first, index) = (cx.plane(result), cx.plane(first), cx.plane(index));
            cx.registers.lanewise(result, &[index], |registers, lane| {
                let index = index_at(registers, index, wide, lane);
                [if index < u64::from(count) { first + index as u32 * step } else { NO_PLANE }]
            });
        }
        MemoryInstruction::PlaneFrom { result, pointer, offset, index, wide, count, step } => {
            let (result, pointer, index) = (cx.plane(result), cx.plane(pointer), cx.plane(index));
            cx.registers.lanewise(result, &[pointer, index], |registers, lane| {
                let index = index_at(registers, index, wide, lane);
                let base = registers.get(pointer, lane);
                let inside = base != NO_PLANE && index < u64::from(count);
                [if inside {
                    base.wrapping_add(offset).wrapping_add((index as u32).wrapping_mul(step))
                } else {
                    NO_PLANE
                }]
            });
        }
        MemoryInstruction::Extend { result, value, width } => {
            let (result, value) = (cx.plane(result), cx.plane(value));
            let unused = 32 - u32::from(width);
            cx.registers.map1(result, value, |word| ((word << unused) as i32 >> unused) as u32);
        }
        MemoryInstruction::ArrayLength { result, pointer, offset, stride } => {
            let (result, pointer) = (cx.plane(result), cx.plane(pointer));
            let memory = &cx.env.memory;
            cx.registers.lanewise(result, &[pointer, pointer + 1], |registers, lane| {
                let (allocation, start) = parts(registers.get_wide(pointer, lane));
                let bytes = memory.size(allocation).unwrap_or(0).saturating_sub(start + u64::from(offset));
                [(bytes / u64::from(stride)) as u32]
            });
        }
    }
}

/// An index in one plane or two; a negative one is larger than every length.
fn index_at(registers: &Registers, plane: Plane, wide: bool, lane: usize) -> u64 {
    if wide { registers.get_wide(plane, lane) } else { u64::from(registers.get(plane, lane)) }
}

/// The address where it is the same for all lanes; none where that is not known, or where there is more to do.
fn uniform_address(cx: &Context, pointer: Slot, offset: u32, terms: &[Term]) -> Option<u64> {
    let registers = &*cx.registers;
    let pointer = cx.plane(pointer);
    let once = |plane: Plane| registers.is_uniform(plane);
    if !registers.whole() || registers.tracks_undefined() || !once(pointer) || !once(pointer + 1) {
        return None;
    }
    let mut sum = registers.get_wide(pointer, 0).wrapping_add(u64::from(offset));
    for term in terms {
        let plane = cx.plane(term.index);
        if !once(plane) || term.wide && !once(plane + 1) {
            return None;
        }
        let index = match (term.wide, term.signed) {
            (true, _) => registers.get_wide(plane, 0),
            (false, true) => i64::from(registers.get(plane, 0) as i32) as u64,
            (false, false) => u64::from(registers.get(plane, 0)),
        };
        sum = sum.wrapping_add(index.wrapping_mul(term.stride));
    }
    Some(sum)
}

/// Addresses that differ by one index times its stride, within 4 GiB: what arrays are made of. False where it is more than that.
fn address_along(cx: &mut Context, result: Slot, pointer: Slot, offset: u32, terms: &[Term]) -> bool {
    let (result, pointer) = (cx.plane(result), cx.plane(pointer));
    if cx.registers.tracks_undefined() || !cx.registers.agrees(pointer) || !cx.registers.agrees(pointer + 1) {
        return false;
    }
    let mut base = cx.registers.any_wide(pointer).wrapping_add(u64::from(offset));
    let mut along = None;
    for term in terms {
        let plane = cx.plane(term.index);
        let registers = &*cx.registers;
        if registers.agrees(plane) && (!term.wide || registers.agrees(plane + 1)) {
            let index = match (term.wide, term.signed) {
                (true, _) => registers.any_wide(plane),
                (false, true) => i64::from(registers.any(plane) as i32) as u64,
                (false, false) => u64::from(registers.any(plane)),
            };
            base = base.wrapping_add(index.wrapping_mul(term.stride));
        } else if along.is_none() && !term.wide && term.stride <= u64::from(u32::MAX) {
            along = Some((plane, term.stride));
        } else {
            return false;
        }
    }
    let low = base & u64::from(u32::MAX);
    if let Some((plane, stride)) = along {
        // A negative index is larger than any that passes.
        let farthest = u64::from(cx.registers.largest(plane));
        if farthest.checked_mul(stride).is_none_or(|far| far >= 1 << 32 || low + far >= 1 << 32) {
            return false;
        }
        let (low, stride) = (low as u32, stride as u32);
        cx.registers.map1(result, plane, |word| low.wrapping_add(word.wrapping_mul(stride)));
    } else {
        cx.registers.set_uniform(result, low as u32);
    }
    cx.registers.set_uniform(result + 1, (base >> 32) as u32);
    true
}

fn compute_address(cx: &mut Context, result: Slot, pointer: Slot, offset: u32, terms: &[Term]) {
    if let Some(sum) = uniform_address(cx, pointer, offset, terms) {
        let result = cx.plane(result);
        return cx.registers.set_uniform_wide(result, sum);
    }
    if address_along(cx, result, pointer, offset, terms) {
        return;
    }
    let (result, pointer) = (cx.plane(result), cx.plane(pointer));
    let terms: SmallVec<[(Plane, Term); 4]> =
        terms.iter().map(|term| (cx.plane(term.index), *term)).collect();
    let registers = &mut *cx.registers;
    let mut operands: SmallVec<[Plane; 8]> = SmallVec::from_slice(&[pointer, pointer + 1]);
    for (plane, term) in &terms {
        operands.push(*plane);
        if term.wide {
            operands.push(plane + 1);
        }
    }
    let index_of =
        |registers: &Registers, plane: Plane, term: &Term, lane: usize| match (term.wide, term.signed) {
            (true, _) => registers.get_wide(plane, lane),
            (false, true) => i64::from(registers.get(plane, lane) as i32) as u64,
            (false, false) => u64::from(registers.get(plane, lane)),
        };
    if registers.whole() && operands.iter().all(|&plane| registers.is_uniform(plane)) {
        let base = registers.get_wide(pointer, 0).wrapping_add(u64::from(offset));
        let sum = terms.iter().fold(base, |sum, (plane, term)| {
            sum.wrapping_add(index_of(registers, *plane, term, 0).wrapping_mul(term.stride))
        });
        registers.set_uniform_wide(result, sum);
    } else {
        // A loop over lanes for each part, which vectorises.
        let mut sums = [0u64; MAXIMUM_LANES];
        for (sum, &word) in sums.iter_mut().zip(registers.plane(pointer)) {
            *sum = u64::from(word).wrapping_add(u64::from(offset));
        }
        for (sum, &word) in sums.iter_mut().zip(registers.plane(pointer + 1)) {
            *sum = sum.wrapping_add(u64::from(word) << 32);
        }
        for (plane, term) in &terms {
            let stride = term.stride;
            let words = sums.iter_mut().zip(registers.plane(*plane));
            match !term.wide && term.signed {
                true => words.for_each(|(sum, &word)| {
                    *sum = sum.wrapping_add((i64::from(word as i32) as u64).wrapping_mul(stride));
                }),
                false => words
                    .for_each(|(sum, &word)| *sum = sum.wrapping_add(u64::from(word).wrapping_mul(stride))),
            }
            if term.wide {
                for (sum, &word) in sums.iter_mut().zip(registers.plane(plane + 1)) {
                    *sum = sum.wrapping_add((u64::from(word) << 32).wrapping_mul(stride));
                }
            }
        }
        registers.set_lanes(result, |lane| sums[lane] as u32);
        // One allocation and no more than 4 GiB of it, as a rule.
        let sums = &sums[..registers.lanes()];
        let high = (sums[0] >> 32) as u32;
        let differ = sums.iter().fold(0, |all, sum| all | (*sum >> 32) as u32 ^ high);
        if differ == 0 {
            registers.set_uniform(result + 1, high);
        } else {
            registers.set_lanes(result + 1, |lane| (sums[lane] >> 32) as u32);
        }
    }
    registers.define(result, &operands);
    registers.define(result + 1, &operands);
}

fn gather(cx: &mut Context, result: Slot, pointer: Slot, offset: u32, planes: u32) {
    let (result, pointer) = (cx.plane(result), cx.plane(pointer));
    let registers = &mut *cx.registers;
    let end = registers.planes();
    let inside =
        |plane: u32| plane != NO_PLANE && plane.checked_add(offset + planes).is_some_and(|last| last <= end);
    if registers.agrees(pointer) {
        let plane = registers.any(pointer);
        if inside(plane) {
            registers.copy(result, plane + offset, planes);
        } else {
            (0..planes).for_each(|index| registers.set_uniform(result + index, 0));
        }
        return;
    }
    for index in 0..planes {
        let mut words = [0; MAXIMUM_LANES];
        let mut undefined = 0;
        for lane in lanes_of(registers.mask()) {
            let plane = registers.get(pointer, lane);
            if inside(plane) {
                words[lane] = registers.get(plane + offset + index, lane);
                undefined |= registers.undefined(plane + offset + index) & 1 << lane;
            }
        }
        registers.set_lanes(result + index, |lane| words[lane]);
        registers.set_undefined(result + index, undefined);
    }
}

fn scatter(cx: &mut Context, pointer: Slot, offset: u32, value: Slot, planes: u32) {
    let (pointer, value) = (cx.plane(pointer), cx.plane(value));
    let registers = &mut *cx.registers;
    let end = registers.planes();
    let inside =
        |plane: u32| plane != NO_PLANE && plane.checked_add(offset + planes).is_some_and(|last| last <= end);
    if registers.agrees(pointer) {
        let plane = registers.any(pointer);
        if inside(plane) {
            // It may be a variable of a calling frame.
            registers.outside(|registers| registers.copy(plane + offset, value, planes));
        }
        return;
    }
    for lane in lanes_of(registers.mask()) {
        let plane = registers.get(pointer, lane);
        if inside(plane) {
            for index in 0..planes {
                let word = registers.get(value + index, lane);
                let undefined = registers.undefined(value + index) >> lane & 1 != 0;
                registers.set_lane(plane + offset + index, lane, word);
                if undefined {
                    registers.mark_undefined(plane + offset + index, lane);
                }
            }
        }
    }
}

/// Lanes, with the address of each.
type List = SmallVec<[(usize, u64); MAXIMUM_LANES]>;

/// The lanes that take part, with the address of each, and whether one speaks for all.
fn addresses(cx: &mut Context, pointer: Plane, offset: u64, list: &mut List) -> bool {
    let registers = &mut *cx.registers;
    list.clear();
    if registers.whole() && registers.is_uniform(pointer) && registers.is_uniform(pointer + 1) {
        list.push((0, registers.get_wide(pointer, 0).wrapping_add(offset)));
        return true;
    }
    let mut all = [0u64; MAXIMUM_LANES];
    for (address, &word) in all.iter_mut().zip(registers.plane(pointer)) {
        *address = u64::from(word).wrapping_add(offset);
    }
    for (address, &word) in all.iter_mut().zip(registers.plane(pointer + 1)) {
        *address = address.wrapping_add(u64::from(word) << 32);
    }
    let count = registers.lanes();
    if registers.mask() == first_lanes(count) {
        list.extend(all[..count].iter().copied().enumerate());
    } else {
        list.extend(
            lanes_of(registers.mask()).take_while(|&lane| lane < count).map(|lane| (lane, all[lane])),
        );
    }
    false
}

/// What one lane does for all counts once, and is checked as what each of them does.
fn access(cx: &mut Context, kind: AccessKind, size: u32, list: &List, one_for_all: bool) -> Mask {
    if one_for_all && cx.env.settings.checked {
        cx.count_access(kind, size, list);
        return cx.check_access(kind, size, &of_all_lanes(cx, list));
    }
    cx.access(kind, size, list)
}

/// The address of the one lane in the list, for each that takes part.
fn of_all_lanes(cx: &Context, list: &List) -> List {
    let address = list.first().map_or(0, |(_, address)| *address);
    lanes_of(cx.registers.mask()).map(|lane| (lane, address)).collect()
}

/// Where a scalar of a value is from the value's place on. Steps are the module's: their multiples may leave 32 bits.
fn offset_of(leaf: &Leaf, index: usize, step: u32) -> u64 {
    if step == 0 { u64::from(leaf.offset) } else { index as u64 * u64::from(step) }
}

fn load(cx: &mut Context, result: Slot, pointer: Slot, offset: u32, leaves: u32, step: u32) {
    let uniform = if cx.env.wants.memory || cx.env.settings.checked {
        None
    } else {
        uniform_address(cx, pointer, offset, &[])
    };
    let (result, pointer) = (cx.plane(result), cx.plane(pointer));
    let program = cx.env.program;
    if let Some(address) = uniform {
        for (index, leaf) in program.leaves[leaves as usize].iter().enumerate() {
            let more = offset_of(leaf, index, step);
            let (size, plane) = (leaf.scalar.bytes(), result + leaf.plane);
            let value = cx.env.memory.read(address.wrapping_add(more), size);
            cx.count_bytes(AccessKind::Read, u64::from(size));
            cx.registers.set_uniform(plane, value as u32);
            if size == 8 {
                cx.registers.set_uniform(plane + 1, (value >> 32) as u32);
            }
        }
        return;
    }
    if let Some(span) = bulk::Span::new(cx, pointer, offset, &program.leaves[leaves as usize], step) {
        return span.load(cx, result);
    }
    let mut list = List::new();
    for (index, leaf) in program.leaves[leaves as usize].iter().enumerate() {
        let more = offset_of(leaf, index, step);
        let uniform = addresses(cx, pointer, u64::from(offset) + more, &mut list);
        let size = leaf.scalar.bytes();
        let undefined = access(cx, AccessKind::Read, size, &list, uniform);
        let mut values = [0; MAXIMUM_LANES];
        cx.env.memory.read_each(list.iter().copied(), size, &mut values);
        let plane = result + leaf.plane;
        if uniform {
            cx.registers.set_uniform(plane, values[0] as u32);
        } else {
            cx.registers.set_lanes(plane, |lane| values[lane] as u32);
        }
        if size == 8 {
            if uniform {
                cx.registers.set_uniform(plane + 1, (values[0] >> 32) as u32);
            } else {
                cx.registers.set_lanes(plane + 1, |lane| (values[lane] >> 32) as u32);
            }
        }
        if undefined != 0 {
            let lanes = if uniform { Mask::MAX } else { undefined };
            (plane..plane + leaf.scalar.planes()).for_each(|plane| cx.registers.set_undefined(plane, lanes));
        }
    }
}

fn store(cx: &mut Context, pointer: Slot, offset: u32, value: Slot, leaves: u32, step: u32) {
    let (pointer, value) = (cx.plane(pointer), cx.plane(value));
    let program = cx.env.program;
    if let Some(span) = bulk::Span::new(cx, pointer, offset, &program.leaves[leaves as usize], step) {
        return span.store(cx, value);
    }
    let mut list = List::new();
    for (index, leaf) in program.leaves[leaves as usize].iter().enumerate() {
        let more = offset_of(leaf, index, step);
        let uniform = addresses(cx, pointer, u64::from(offset) + more, &mut list);
        let (size, plane) = (leaf.scalar.bytes(), value + leaf.plane);
        let planes = leaf.scalar.planes();
        let same = uniform && (plane..plane + planes).all(|plane| cx.registers.is_uniform(plane));
        if uniform && !same {
            // All lanes store to one place: the last one stays.
            list = of_all_lanes(cx, &list);
        }
        access(cx, AccessKind::Write, size, &list, same);
        if same && cx.env.settings.checked {
            list = of_all_lanes(cx, &list);
        }
        for &(lane, address) in &list {
            let bits = match planes {
                2 => cx.registers.get_wide(plane, lane),
                _ => u64::from(cx.registers.get(plane, lane)),
            };
            if cx.env.settings.checked {
                cx.check_scalar_store(lane, address, leaf.scalar, bits, plane);
            }
            cx.env.memory.write(address, size, bits);
        }
    }
}
