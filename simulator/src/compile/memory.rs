//! Addresses, loads and stores; planes that an index chooses. What is outside of an allocation reads zeros and writes nowhere.

use wasm_encoder::{BlockType, Instruction as I, ValType};

use super::layout::{ALLOCATION, ALLOCATION_COUNT, NOWHERE, ZEROS};
use super::region::{FOUR, Generator, Operation, VECTOR, VECTOR_2, at, splat};
use super::site::Helper;
use super::vectors::Packed;
use crate::code::{MemoryInstruction, NO_PLANE, Term};
use crate::program::{Leaf, Slot};

/// The words of two vectors of 64 bits: the low ones, and the high ones.
pub(super) const LOW_WORDS: [u8; 16] = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
pub(super) const HIGH_WORDS: [u8; 16] = [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31];
/// Words of two vectors side by side: of the first two lanes, and of the others.
pub(super) const FIRST_PAIRS: [u8; 16] = [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23];
pub(super) const LAST_PAIRS: [u8; 16] = [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31];

/// A load or store of one scalar of a value: what it needs, and where.
pub(super) struct Access {
    pub pointer: u32,
    /// From the pointer on, in bytes.
    pub offset: u64,
    pub bytes: u32,
    pub writes: bool,
}

impl Access {
    /// The place of what is outside.
    pub fn harmless(&self) -> u32 {
        if self.writes { NOWHERE } else { ZEROS }
    }
}

impl Generator<'_> {
    /// Generates an instruction on memory; false, and nothing is done, where the interpreter's code has to execute it.
    pub(super) fn memory(&mut self, instruction: &MemoryInstruction, number: usize) -> bool {
        match *instruction {
            MemoryInstruction::Copy { result, source, planes } => {
                let (result, source) = (self.plane(result), self.plane(source));
                self.copy_planes(result, source, planes);
                true
            }
            MemoryInstruction::Load { result, pointer, offset, leaves } => {
                self.load(result, pointer, offset, (leaves, 0), number);
                true
            }
            MemoryInstruction::LoadApart { result, pointer, offset, leaves, step } => {
                self.load(result, pointer, offset, (leaves, step), number);
                true
            }
            MemoryInstruction::Store { pointer, offset, value, leaves } => {
                self.store(value, pointer, offset, (leaves, 0), number);
                true
            }
            MemoryInstruction::StoreApart { pointer, offset, value, leaves, step } => {
                self.store(value, pointer, offset, (leaves, step), number);
                true
            }
            MemoryInstruction::Address { result, pointer, offset, ref terms } => {
                self.address(result, pointer, offset, terms)
            }
            MemoryInstruction::PlaneIndex { result, plane } => {
                let (result, plane) = (self.plane(result), self.plane(plane));
                let operation = Operation {
                    scalar: Some(vec![I::I32Const(plane as i32)]),
                    vector: None,
                    prepare: Vec::new(),
                };
                self.apply(result, &[], &operation);
                true
            }
            MemoryInstruction::PlaneOf { result, first, index, wide: false, count, step } => {
                let (result, first, index) = (self.plane(result), self.plane(first), self.plane(index));
                // Of an index: the plane, none, whether it is inside.
                let operation = Operation {
                    scalar: Some(vec![
                        I::I32Const(step as i32),
                        I::I32Mul,
                        I::I32Const(first as i32),
                        I::I32Add,
                        I::I32Const(NO_PLANE as i32),
                    ]),
                    vector: Some(vec![
                        I::V128Const(splat(step)),
                        I::I32x4Mul,
                        I::V128Const(splat(first)),
                        I::I32x4Add,
                        I::V128Const(splat(NO_PLANE)),
                    ]),
                    prepare: Vec::new(),
                };
                self.choose(result, &[index], index, count, operation);
                true
            }
            MemoryInstruction::PlaneFrom { result, pointer, offset, index, wide: false, count, step } => {
                let [result, pointer, index] = [result, pointer, index].map(|slot| self.plane(slot));
                self.plane_from(result, pointer, offset, index, (count, step));
                true
            }
            MemoryInstruction::Gather { result, pointer, offset, planes } => {
                self.gather(result, pointer, offset, planes)
            }
            MemoryInstruction::Scatter { pointer, offset, value, planes } => {
                self.scatter(pointer, offset, value, planes)
            }
            MemoryInstruction::Extend { .. }
            | MemoryInstruction::ArrayLength { .. }
            | MemoryInstruction::PlaneOf { .. }
            | MemoryInstruction::PlaneFrom { .. }
            | MemoryInstruction::Move { .. }
            | MemoryInstruction::MoveTo { .. }
            | MemoryInstruction::Buffer { .. }
            | MemoryInstruction::Descriptor { .. }
            | MemoryInstruction::HeapBuffer { .. }
            | MemoryInstruction::HeapImage { .. } => false,
        }
    }

    /// The first of what an operation makes, where an index is below a count, else the second.
    fn choose(&mut self, result: u32, operands: &[u32], index: u32, count: u32, mut operation: Operation) {
        let mut all = operands.to_vec();
        all.push(index);
        // The index comes last but is looked at first: it waits in a local.
        let (word, lanes) = (self.local(ValType::I32), self.local(ValType::V128));
        if let Some(scalar) = &mut operation.scalar {
            scalar.insert(0, I::LocalSet(word));
            scalar.extend([I::LocalGet(word), I::I32Const(count as i32), I::I32LtU, I::Select]);
        }
        if let Some(vector) = &mut operation.vector {
            vector.insert(0, I::LocalSet(lanes));
            vector.extend([I::LocalGet(lanes), I::V128Const(splat(count)), I::I32x4LtU, I::V128Bitselect]);
        }
        self.apply(result, &all, &operation);
    }

    /// From a plane on, the one that an index chooses; none where there is none, or the index is outside.
    fn plane_from(&mut self, result: u32, pointer: u32, offset: u32, index: u32, (count, step): (u32, u32)) {
        let words = [self.local(ValType::I32), self.local(ValType::I32)];
        let lanes = [self.local(ValType::V128), self.local(ValType::V128)];
        let scalar = vec![
            I::LocalSet(words[1]),
            I::LocalTee(words[0]),
            I::LocalGet(words[1]),
            I::I32Const(step as i32),
            I::I32Mul,
            I::I32Add,
            I::I32Const(offset as i32),
            I::I32Add,
            I::I32Const(NO_PLANE as i32),
            I::LocalGet(words[1]),
            I::I32Const(count as i32),
            I::I32LtU,
            I::LocalGet(words[0]),
            I::I32Const(NO_PLANE as i32),
            I::I32Ne,
            I::I32And,
            I::Select,
        ];
        let vector = vec![
            I::LocalSet(lanes[1]),
            I::LocalTee(lanes[0]),
            I::LocalGet(lanes[1]),
            I::V128Const(splat(step)),
            I::I32x4Mul,
            I::I32x4Add,
            I::V128Const(splat(offset)),
            I::I32x4Add,
            I::V128Const(splat(NO_PLANE)),
            I::LocalGet(lanes[1]),
            I::V128Const(splat(count)),
            I::I32x4LtU,
            I::LocalGet(lanes[0]),
            I::V128Const(splat(NO_PLANE)),
            I::I32x4Ne,
            I::V128And,
            I::V128Bitselect,
        ];
        let operation = Operation { scalar: Some(scalar), vector: Some(vector), prepare: Vec::new() };
        self.apply(result, &[pointer, index], &operation);
    }

    /// Puts a 64-bit value that all lanes have onto the piece's stack.
    fn push_wide(&mut self, plane: u32) {
        let (low, high) = (self.scalar(plane), self.scalar(plane + 1));
        self.out.extend([
            I::LocalGet(low),
            I::I64ExtendI32U,
            I::LocalGet(high),
            I::I64ExtendI32U,
            I::I64Const(32),
            I::I64Shl,
            I::I64Or,
        ]);
    }

    fn address(&mut self, result: Slot, pointer: Slot, offset: u32, terms: &[Term]) -> bool {
        let (result, pointer) = (self.plane(result), self.plane(pointer));
        let varies = |generator: &Self, term: &Term| {
            let plane = generator.plane(term.index);
            generator.varies(plane) || term.wide && generator.varies(plane + 1)
        };
        let fits = |term: &Term| {
            !term.wide && term.stride <= if term.signed { i32::MAX as u64 } else { u64::from(u32::MAX) }
        };
        if terms.iter().any(|term| varies(self, term) && !fits(term)) {
            return false;
        }
        let base_varies = self.varies(pointer) || self.varies(pointer + 1);
        // What all lanes have in common.
        match base_varies {
            true => self.out.push(I::I64Const(0)),
            false => self.push_wide(pointer),
        }
        self.out.extend([I::I64Const(i64::from(offset)), I::I64Add]);
        for term in terms {
            if varies(self, term) {
                continue;
            }
            let plane = self.plane(term.index);
            if term.wide {
                self.push_wide(plane);
            } else {
                let local = self.scalar(plane);
                self.out.push(I::LocalGet(local));
                self.out.push(if term.signed { I::I64ExtendI32S } else { I::I64ExtendI32U });
            }
            self.out.extend([I::I64Const(term.stride as i64), I::I64Mul, I::I64Add]);
        }
        let common = self.local(ValType::I64);
        self.out.push(I::LocalSet(common));
        if !base_varies && !terms.iter().any(|term| varies(self, term)) {
            let halves = [vec![I::LocalGet(common)], vec![I::LocalGet(common), I::I64Const(32), I::I64ShrU]];
            for (plane, half) in (result..).zip(halves) {
                self.out.extend(half);
                self.out.push(I::I32WrapI64);
                self.set_common(plane);
            }
            return true;
        }
        for (local, pairs, high) in [(VECTOR, FIRST_PAIRS, false), (VECTOR_2, LAST_PAIRS, true)] {
            self.region.extend([I::LocalGet(common), I::I64x2Splat]);
            if base_varies {
                self.push_vector(pointer);
                self.push_vector(pointer + 1);
                self.region.extend([I::I8x16Shuffle(pairs), I::I64x2Add]);
            }
            for term in terms {
                if !varies(self, term) {
                    continue;
                }
                let plane = self.plane(term.index);
                self.push_vector(plane);
                self.region.push(I::V128Const(splat(term.stride as u32)));
                self.region.push(match (term.signed, high) {
                    (true, false) => I::I64x2ExtMulLowI32x4S,
                    (true, true) => I::I64x2ExtMulHighI32x4S,
                    (false, false) => I::I64x2ExtMulLowI32x4U,
                    (false, true) => I::I64x2ExtMulHighI32x4U,
                });
                self.region.push(I::I64x2Add);
            }
            self.region.push(I::LocalSet(local));
        }
        for (plane, words) in [(result, LOW_WORDS), (result + 1, HIGH_WORDS)] {
            self.region.extend([I::LocalGet(VECTOR), I::LocalGet(VECTOR_2), I::I8x16Shuffle(words)]);
            self.set_vector(plane);
        }
        let strides = terms.iter().filter(|term| varies(self, term)).map(|term| term.stride);
        let base = if base_varies { self.strides.get(&pointer).copied().unwrap_or(1) } else { 0 };
        self.strides.insert(result, strides.fold(base, greatest_common_divisor));
        true
    }

    /// Takes a word from the piece's stack that all lanes have in common, whether or not the plane is known to.
    fn set_common(&mut self, plane: u32) {
        if !self.varies(plane) {
            return self.set_scalar(plane);
        }
        let local = self.local(ValType::I32);
        self.out.push(I::LocalSet(local));
        self.region.extend([I::LocalGet(local), I::I32x4Splat]);
        self.set_vector(plane);
    }

    /// Puts the place of a scalar that all lanes access onto the piece's stack.
    fn push_place(&mut self, access: &Access) {
        self.push_wide(access.pointer);
        self.out.extend([
            I::I64Const(access.offset as i64),
            I::I64Add,
            I::I32Const(access.bytes as i32),
            I::I32Const(i32::from(access.writes)),
            I::Call(Helper::Place as u32),
        ]);
    }

    /// Makes the places of a scalar of four lanes, in a local. Lanes that are outside, and for stores those that take no part, have a place that
    /// harms nobody.
    pub(super) fn places(&mut self, access: &Access) -> u32 {
        let (low, high) = (self.vector(access.pointer), self.vector(access.pointer + 1));
        let (entry, first, size, limit) = (
            self.local(ValType::I32),
            self.local(ValType::I32),
            self.local(ValType::I64),
            self.local(ValType::I64),
        );
        let places = self.local(ValType::V128);
        let harmless = access.harmless();
        let size_at = self.layout.allocations + if access.writes { 8 } else { 4 };
        let needed = access.offset.saturating_add(u64::from(access.bytes)) as i64;
        // All four in one allocation, within its first 4 GiB.
        self.region.extend([
            I::LocalGet(high),
            I::I32x4ExtractLane(0),
            I::LocalTee(entry),
            I::I32x4Splat,
            I::LocalGet(high),
            I::I32x4Eq,
            I::I32x4AllTrue,
            I::LocalGet(entry),
            I::I32Const(0xff),
            I::I32And,
            I::I32Eqz,
            I::I32And,
            I::LocalGet(entry),
            I::I32Const(8),
            I::I32ShrU,
            I::I32Const(0),
            I::I32Load(at(ALLOCATION_COUNT)),
            I::I32LtU,
            I::I32And,
            I::If(BlockType::Result(ValType::V128)),
            I::LocalGet(entry),
            I::I32Const(8),
            I::I32ShrU,
            I::I32Const(ALLOCATION as i32),
            I::I32Mul,
            I::LocalTee(entry),
            I::I64Load32U(at(size_at)),
            I::LocalTee(size),
            I::I64Const(needed),
            I::I64GeU,
            // Where not even the first byte's scalar fits, none does.
            I::If(BlockType::Result(ValType::V128)),
            I::LocalGet(size),
            I::I64Const(needed),
            I::I64Sub,
            I::LocalSet(limit),
            I::LocalGet(entry),
            I::I32Load(at(self.layout.allocations)),
            I::I32Const(access.offset as i32),
            I::I32Add,
            I::LocalSet(first),
            I::LocalGet(low),
            I::LocalGet(first),
            I::I32x4Splat,
            I::I32x4Add,
            I::V128Const(splat(harmless)),
            I::LocalGet(low),
            I::LocalGet(limit),
            I::I32WrapI64,
            I::I32x4Splat,
            I::I32x4LeU,
            I::V128Bitselect,
            I::Else,
            I::V128Const(splat(harmless)),
            I::End,
            I::Else,
            I::V128Const(0),
        ]);
        for lane in 0..4 {
            self.region.extend([
                I::LocalGet(low),
                I::I32x4ExtractLane(lane),
                I::I64ExtendI32U,
                I::LocalGet(high),
                I::I32x4ExtractLane(lane),
                I::I64ExtendI32U,
                I::I64Const(32),
                I::I64Shl,
                I::I64Or,
                I::I64Const(access.offset as i64),
                I::I64Add,
                I::I32Const(access.bytes as i32),
                I::I32Const(i32::from(access.writes)),
                I::Call(Helper::Place as u32),
                I::I32x4ReplaceLane(lane),
            ]);
        }
        self.region.push(I::End);
        if access.writes {
            self.region.push(I::V128Const(splat(harmless)));
            self.push_select();
            self.region.push(I::V128Bitselect);
        }
        self.region.push(I::LocalSet(places));
        places
    }

    /// Puts whether the places of four lanes follow each other onto the loop's stack.
    pub(super) fn push_is_row(&mut self, places: u32, bytes: u32) {
        let steps = (0..4u32).rev().fold(0i128, |all, lane| all << 32 | i128::from(lane * bytes));
        self.region.extend([
            I::LocalGet(places),
            I::LocalGet(places),
            I::I32x4ExtractLane(0),
            I::I32x4Splat,
            I::I32x4Sub,
            I::V128Const(steps),
            I::I32x4Eq,
            I::I32x4AllTrue,
        ]);
    }

    fn accesses(&self, leaves: u32, step: u32, offset: u32) -> Vec<(Leaf, u64)> {
        let all = self.program.leaves[leaves as usize].iter();
        all.zip(0u64..)
            .map(|(leaf, index)| {
                let more = if step == 0 { u64::from(leaf.offset) } else { index * u64::from(step) };
                (*leaf, more + u64::from(offset))
            })
            .collect()
    }

    fn load(&mut self, result: Slot, pointer: Slot, offset: u32, (leaves, step): (u32, u32), number: usize) {
        if self.stores {
            self.end_loop();
        }
        let (result, pointer) = (self.plane(result), self.plane(pointer));
        let varies = self.varies(pointer) || self.varies(pointer + 1);
        let accesses = self.accesses(leaves, step, offset);
        if varies && let Some(packed) = Packed::new(result, &accesses) {
            self.traffic[number][1] += u64::from(packed.size());
            self.loads = true;
            return self.load_packed(pointer, &packed);
        }
        for (leaf, offset) in accesses {
            let (plane, bytes) = (result + leaf.plane, leaf.scalar.bytes());
            let access = Access { pointer, offset, bytes, writes: false };
            self.traffic[number][usize::from(varies)] += u64::from(bytes);
            if !varies {
                let place = self.local(ValType::I32);
                self.push_place(&access);
                self.out.extend([I::LocalTee(place), scalar_load(bytes, 0)]);
                self.set_common(plane);
                if bytes == 8 {
                    self.out.extend([I::LocalGet(place), scalar_load(bytes, 4)]);
                    self.set_common(plane + 1);
                }
                continue;
            }
            self.loads = true;
            let places = self.places(&access);
            if bytes <= 4 {
                self.push_is_row(places, bytes);
                self.region.extend([
                    I::If(BlockType::Result(ValType::V128)),
                    I::LocalGet(places),
                    I::I32x4ExtractLane(0),
                ]);
                self.region.extend(row_load(bytes));
                self.region.push(I::Else);
                self.push_lane_loads(places, bytes, 0);
                self.region.push(I::End);
                self.set_vector(plane);
            } else {
                for half in 0..2 {
                    self.push_lane_loads(places, bytes, half * 4);
                    self.set_vector(plane + half);
                }
            }
        }
    }

    pub(super) fn push_lane_loads(&mut self, places: u32, bytes: u32, more: u32) {
        self.region.push(I::V128Const(0));
        for lane in 0..4 {
            self.region.extend([
                I::LocalGet(places),
                I::I32x4ExtractLane(lane),
                scalar_load(bytes, more),
                I::I32x4ReplaceLane(lane),
            ]);
        }
    }

    fn store(&mut self, value: Slot, pointer: Slot, offset: u32, (leaves, step): (u32, u32), number: usize) {
        let (value, pointer) = (self.plane(value), self.plane(pointer));
        let accesses = self.accesses(leaves, step, offset);
        if let Some(packed) = Packed::new(value, &accesses)
            && self.varies(pointer)
            && self
                .strides
                .get(&pointer)
                .is_some_and(|stride| stride.is_multiple_of(u64::from(packed.size())))
        {
            if self.loads || self.stores {
                self.end_loop();
            }
            self.traffic[number][3] += u64::from(packed.size());
            self.stores = true;
            return self.store_packed(pointer, &packed);
        }
        for (leaf, offset) in accesses {
            // All lanes store a scalar before the next one, and have loaded before they store.
            if self.loads || self.stores {
                self.end_loop();
            }
            let (plane, bytes) = (value + leaf.plane, leaf.scalar.bytes());
            let access = Access { pointer, offset, bytes, writes: true };
            let varies = (pointer..pointer + 2)
                .chain(plane..plane + leaf.scalar.planes())
                .any(|plane| self.varies(plane));
            self.traffic[number][2 + usize::from(varies)] += u64::from(bytes);
            if !varies {
                // Loops that come before it in the program do.
                self.end_loop();
                let place = self.local(ValType::I32);
                self.push_place(&access);
                self.out.push(I::LocalSet(place));
                for half in 0..leaf.scalar.planes() {
                    let word = self.scalar(plane + half);
                    self.out.extend([I::LocalGet(place), I::LocalGet(word), scalar_store(bytes, half * 4)]);
                }
                continue;
            }
            self.stores = true;
            let words: Vec<u32> = (0..leaf.scalar.planes()).map(|half| self.vector(plane + half)).collect();
            let places = self.places(&access);
            if bytes == 4 {
                self.push_is_row(places, bytes);
                self.region.extend([
                    I::If(BlockType::Empty),
                    I::LocalGet(places),
                    I::I32x4ExtractLane(0),
                    I::LocalGet(words[0]),
                    I::V128Store(at(0)),
                    I::Else,
                ]);
            }
            for lane in 0..4 {
                for (half, word) in (0u32..).zip(&words) {
                    self.region.extend([
                        I::LocalGet(places),
                        I::I32x4ExtractLane(lane),
                        I::LocalGet(*word),
                        I::I32x4ExtractLane(lane),
                        scalar_store(bytes, half * 4),
                    ]);
                }
            }
            if bytes == 4 {
                self.region.push(I::End);
            }
        }
    }

    /// Whether planes that a pointer leads to hold matrices, which are the host's.
    fn leads_to_matrices(&self, pointer: u32, planes: &[u32]) -> bool {
        let matrices = &self.planes.matrices;
        let mut led = self.planes.pointees(pointer).into_iter();
        planes.iter().any(|&plane| matrices[plane as usize])
            || led.any(|(first, count)| matrices[first as usize..(first + count) as usize].contains(&true))
    }

    /// Makes the places of planes that lanes' pointers lead to, in a local of four words; `harmless` for those that lead nowhere.
    fn plane_places(&mut self, pointer: u32, offset: u32, planes: u32, harmless: u32) -> u32 {
        let places = self.local(ValType::V128);
        let last = self.planes.count.checked_sub(offset + planes);
        let row = self.layout.lanes * 4;
        self.region.extend([
            I::LocalGet(FOUR),
            I::I32Const(self.layout.plane(offset) as i32),
            I::I32Add,
            I::I32x4Splat,
            I::V128Const(i128::from(4u32) << 32 | i128::from(8u32) << 64 | i128::from(12u32) << 96),
            I::I32x4Add,
        ]);
        self.push_vector(pointer);
        self.region.extend([
            I::LocalTee(VECTOR),
            I::V128Const(splat(row)),
            I::I32x4Mul,
            I::I32x4Add,
            I::V128Const(splat(harmless)),
            I::LocalGet(VECTOR),
            I::V128Const(splat(last.unwrap_or(0))),
            I::I32x4LeU,
            I::V128Bitselect,
            I::LocalSet(places),
        ]);
        places
    }

    fn gather(&mut self, result: Slot, pointer: Slot, offset: u32, planes: u32) -> bool {
        let (result, pointer) = (self.plane(result), self.plane(pointer));
        let results: Vec<u32> = (result..result + planes).collect();
        if self.leads_to_matrices(pointer, &results) || self.planes.count < offset + planes {
            return false;
        }
        let led = self.planes.pointees(pointer);
        if self.has_changed(&led) {
            self.end_loop();
        }
        let places = self.plane_places(pointer, offset, planes, ZEROS);
        for (index, plane) in (0u32..).zip(results) {
            let more = index * self.layout.lanes * 4;
            // Zeros lie only at the beginning.
            let all = match index {
                0 => places,
                _ => {
                    let further = self.local(ValType::V128);
                    self.region.extend([
                        I::LocalGet(places),
                        I::V128Const(splat(more)),
                        I::I32x4Add,
                        I::V128Const(0),
                        I::LocalGet(places),
                        I::V128Const(0),
                        I::I32x4Ne,
                        I::V128Bitselect,
                        I::LocalSet(further),
                    ]);
                    further
                }
            };
            self.push_is_row(all, 4);
            self.region.extend([
                I::If(BlockType::Result(ValType::V128)),
                I::LocalGet(all),
                I::I32x4ExtractLane(0),
                I::V128Load(at(0)),
                I::Else,
            ]);
            self.push_lane_loads(all, 4, 0);
            self.region.push(I::End);
            self.set_vector(plane);
        }
        true
    }

    fn scatter(&mut self, pointer: Slot, offset: u32, value: Slot, planes: u32) -> bool {
        let (pointer, value) = (self.plane(pointer), self.plane(value));
        let values: Vec<u32> = (value..value + planes).collect();
        if self.leads_to_matrices(pointer, &values) || self.planes.count < offset + planes {
            return false;
        }
        // What has been loaded of these planes, or is to be stored there, is memory's from here on.
        self.end_loop();
        for (index, plane) in (0u32..).zip(values) {
            let places = self.plane_places(pointer, offset + index, planes - index, NOWHERE);
            self.region.extend([I::LocalGet(places), I::V128Const(splat(NOWHERE))]);
            self.push_select();
            self.region.extend([I::V128Bitselect, I::LocalSet(places)]);
            let word = self.vector(plane);
            for lane in 0..4 {
                self.region.extend([
                    I::LocalGet(places),
                    I::I32x4ExtractLane(lane),
                    I::LocalGet(word),
                    I::I32x4ExtractLane(lane),
                    I::I32Store(at(0)),
                ]);
            }
        }
        self.end_loop();
        true
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

pub(super) fn scalar_load(bytes: u32, more: u32) -> I<'static> {
    match bytes {
        1 => I::I32Load8U(at(more)),
        2 => I::I32Load16U(at(more)),
        _ => I::I32Load(at(more)),
    }
}

pub(super) fn scalar_store(bytes: u32, more: u32) -> I<'static> {
    match bytes {
        1 => I::I32Store8(at(more)),
        2 => I::I32Store16(at(more)),
        _ => I::I32Store(at(more)),
    }
}

/// Four scalars that follow each other.
fn row_load(bytes: u32) -> Vec<I<'static>> {
    match bytes {
        1 => vec![I::V128Load32Zero(at(0)), I::I16x8ExtendLowI8x16U, I::I32x4ExtendLowI16x8U],
        2 => vec![I::V128Load16x4U(at(0))],
        _ => vec![I::V128Load(at(0))],
    }
}
