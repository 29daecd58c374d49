//! Vectors of four lanes whose components lie beside each other in memory: each lane's is loaded and stored as a whole, where it is inside of
//! its allocation as a whole. Where that is not so for a lane, each component is looked at for itself.

use wasm_encoder::{BlockType, Function, Instruction as I, ValType};

use super::memory::{Access, FIRST_PAIRS, HIGH_WORDS, LAST_PAIRS, LOW_WORDS, scalar_load, scalar_store};
use super::region::{Generator, at, splat};
use super::site::Helper;
use crate::program::Leaf;

/// The first halves of two vectors, and the last ones.
const FIRST_HALVES: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
const LAST_HALVES: [u8; 16] = [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31];

/// Components that fill one, two or four words of 32 bits.
pub(super) struct Packed {
    /// The plane of the first component; the others follow.
    plane: u32,
    count: u32,
    /// Of a component.
    bytes: u32,
    offset: u64,
}

impl Packed {
    pub fn new(plane: u32, accesses: &[(Leaf, u64)]) -> Option<Packed> {
        let &(first, offset) = accesses.first()?;
        let (bytes, count) = (first.scalar.bytes(), accesses.len() as u32);
        let follows = (0u32..).zip(accesses).all(|(index, (leaf, at))| {
            (leaf.scalar.bytes(), leaf.plane) == (bytes, first.plane + index)
                && *at == offset + u64::from(index * bytes)
        });
        let fits = bytes <= 4 && count > 1 && matches!(bytes * count, 4 | 8 | 16);
        (follows && fits).then_some(Packed { plane: plane + first.plane, count, bytes, offset })
    }

    /// Bytes of all components.
    pub fn size(&self) -> u32 {
        self.bytes * self.count
    }

    fn words(&self) -> u32 {
        self.size() / 4
    }
}

impl Generator<'_> {
    fn vector_locals(&mut self, count: u32) -> Vec<u32> {
        (0..count).map(|_| self.local(ValType::V128)).collect()
    }

    fn set(&mut self, local: u32, code: &[I<'static>]) {
        self.region.extend_from_slice(code);
        self.region.push(I::LocalSet(local));
    }

    fn shuffle(&mut self, local: u32, [a, b]: [u32; 2], bytes: [u8; 16]) {
        self.set(local, &[I::LocalGet(a), I::LocalGet(b), I::I8x16Shuffle(bytes)]);
    }

    /// Puts whether all lanes that take part have a place of their own onto the loop's stack.
    fn push_all_inside(&mut self, places: u32, harmless: u32) {
        self.region.extend([I::LocalGet(places), I::V128Const(splat(harmless)), I::I32x4Ne]);
        self.push_select();
        self.region.extend([I::V128Not, I::V128Or, I::I32x4AllTrue]);
    }

    fn push_place_of(&mut self, places: u32, lane: u8) {
        self.region.extend([I::LocalGet(places), I::I32x4ExtractLane(lane)]);
    }

    /// Loads the vectors of four lanes.
    pub(super) fn load_packed(&mut self, pointer: u32, packed: &Packed) {
        let access = Access { pointer, offset: packed.offset, bytes: packed.size(), writes: false };
        let places = self.places(&access);
        let parts = self.vector_locals(packed.count);
        self.push_all_inside(places, access.harmless());
        self.region.push(I::If(BlockType::Empty));
        let words = self.load_words(places, packed.words());
        let per_word = 4 / packed.bytes;
        for (index, &part) in (0u32..).zip(&parts) {
            let (word, shift) = (words[(index / per_word) as usize], index % per_word * packed.bytes * 8);
            let mut code = vec![I::LocalGet(word)];
            if shift > 0 {
                code.extend([I::I32Const(shift as i32), I::I32x4ShrU]);
            }
            if index % per_word + 1 < per_word {
                code.extend([I::V128Const(splat((1 << (packed.bytes * 8)) - 1)), I::V128And]);
            }
            self.set(part, &code);
        }
        self.region.push(I::Else);
        for (index, &part) in (0u32..).zip(&parts) {
            self.push_pointers(pointer, packed, index);
            self.set(part, &[I::Call(Helper::LoadScalars as u32)]);
        }
        self.region.push(I::End);
        for (index, &part) in (0u32..).zip(&parts) {
            self.region.push(I::LocalGet(part));
            self.set_vector(packed.plane + index);
        }
    }

    /// Stores the vectors of four lanes, of which no two overlap in part.
    pub(super) fn store_packed(&mut self, pointer: u32, packed: &Packed) {
        let parts: Vec<u32> = (0..packed.count).map(|index| self.vector(packed.plane + index)).collect();
        let access = Access { pointer, offset: packed.offset, bytes: packed.size(), writes: true };
        let places = self.places(&access);
        self.push_all_inside(places, access.harmless());
        self.region.push(I::If(BlockType::Empty));
        let words = self.vector_locals(packed.words());
        let per_word = 4 / packed.bytes;
        for (&word, parts) in words.iter().zip(parts.chunks(per_word as usize)) {
            let mut code = Vec::new();
            for (index, &part) in (0u32..).zip(parts) {
                code.push(I::LocalGet(part));
                if index + 1 < per_word {
                    code.extend([I::V128Const(splat((1 << (packed.bytes * 8)) - 1)), I::V128And]);
                }
                if index > 0 {
                    code.extend([I::I32Const((index * packed.bytes * 8) as i32), I::I32x4Shl, I::V128Or]);
                }
            }
            self.set(word, &code);
        }
        self.store_words(places, &words);
        self.region.push(I::Else);
        for (index, &part) in (0u32..).zip(&parts) {
            self.push_pointers(pointer, packed, index);
            self.region.push(I::LocalGet(part));
            self.push_select();
            self.region.push(I::Call(Helper::StoreScalars as u32));
        }
        self.region.push(I::End);
    }

    /// Puts the pointers of four lanes, and which bytes of what they point to a component has, onto the loop's stack.
    fn push_pointers(&mut self, pointer: u32, packed: &Packed, index: u32) {
        let (low, high) = (self.vector(pointer), self.vector(pointer + 1));
        let offset = packed.offset + u64::from(index * packed.bytes);
        self.region.extend([
            I::LocalGet(low),
            I::LocalGet(high),
            I::I64Const(offset as i64),
            I::I32Const(packed.bytes as i32),
        ]);
    }

    /// Words of four lanes, in locals: the first ones of all, then the second ones.
    fn load_words(&mut self, places: u32, count: u32) -> Vec<u32> {
        let words = self.vector_locals(count);
        match count {
            1 => {
                self.push_is_row(places, 4);
                self.region.push(I::If(BlockType::Result(ValType::V128)));
                self.push_place_of(places, 0);
                self.region.extend([I::V128Load(at(0)), I::Else]);
                self.push_lane_loads(places, 4, 0);
                self.region.push(I::End);
                self.region.push(I::LocalSet(words[0]));
            }
            2 => {
                let pairs = self.vector_locals(2);
                for (&pair, lane) in pairs.iter().zip([0, 2]) {
                    self.push_place_of(places, lane);
                    self.set(pair, &[I::V128Load64Zero(at(0))]);
                    self.push_place_of(places, lane + 1);
                    let second = I::V128Load64Lane { memarg: at(0), lane: 1 };
                    self.set(pair, &[I::LocalGet(pair), second]);
                }
                self.shuffle(words[0], [pairs[0], pairs[1]], LOW_WORDS);
                self.shuffle(words[1], [pairs[0], pairs[1]], HIGH_WORDS);
            }
            _ => {
                let lanes = self.vector_locals(4);
                for (&lane, index) in lanes.iter().zip(0..) {
                    self.push_place_of(places, index);
                    self.set(lane, &[I::V128Load(at(0))]);
                }
                let pairs = self.vector_locals(4);
                for (two, sides) in [
                    ([lanes[0], lanes[1]], [pairs[0], pairs[1]]),
                    ([lanes[2], lanes[3]], [pairs[2], pairs[3]]),
                ] {
                    self.shuffle(sides[0], two, FIRST_PAIRS);
                    self.shuffle(sides[1], two, LAST_PAIRS);
                }
                for (index, &word) in words.iter().enumerate() {
                    let halves = if index % 2 == 0 { FIRST_HALVES } else { LAST_HALVES };
                    self.shuffle(word, [pairs[index / 2], pairs[index / 2 + 2]], halves);
                }
            }
        }
        words
    }

    /// The other way round.
    fn store_words(&mut self, places: u32, words: &[u32]) {
        match *words {
            [word] => {
                self.push_is_row(places, 4);
                self.region.push(I::If(BlockType::Empty));
                self.push_place_of(places, 0);
                self.region.extend([I::LocalGet(word), I::V128Store(at(0)), I::Else]);
                for lane in 0..4 {
                    self.push_place_of(places, lane);
                    self.region.extend([I::LocalGet(word), I::I32x4ExtractLane(lane), I::I32Store(at(0))]);
                }
                self.region.push(I::End);
            }
            [first, second] => {
                let pairs = self.vector_locals(2);
                self.shuffle(pairs[0], [first, second], FIRST_PAIRS);
                self.shuffle(pairs[1], [first, second], LAST_PAIRS);
                for lane in 0..4 {
                    self.push_place_of(places, lane);
                    self.region.push(I::LocalGet(pairs[usize::from(lane / 2)]));
                    self.region.push(I::V128Store64Lane { memarg: at(0), lane: lane % 2 });
                }
            }
            [first, second, third, fourth] => {
                let pairs = self.vector_locals(4);
                for (two, sides) in
                    [([first, second], [pairs[0], pairs[1]]), ([third, fourth], [pairs[2], pairs[3]])]
                {
                    self.shuffle(sides[0], two, FIRST_PAIRS);
                    self.shuffle(sides[1], two, LAST_PAIRS);
                }
                for lane in 0..4u8 {
                    let half = usize::from(lane / 2);
                    self.push_place_of(places, lane);
                    self.region.extend([
                        I::LocalGet(pairs[half]),
                        I::LocalGet(pairs[half + 2]),
                        I::I8x16Shuffle(if lane % 2 == 0 { FIRST_HALVES } else { LAST_HALVES }),
                        I::V128Store(at(0)),
                    ]);
                }
            }
            _ => {}
        }
    }
}

/// Of a lane's pointer and an offset: the place of its scalar, on the stack. Locals: the low and high words of pointers, the offset, the bytes.
fn push_place(code: &mut Vec<I<'static>>, lane: u8, writes: bool) {
    code.extend([
        I::LocalGet(0),
        I::I32x4ExtractLane(lane),
        I::I64ExtendI32U,
        I::LocalGet(1),
        I::I32x4ExtractLane(lane),
        I::I64ExtendI32U,
        I::I64Const(32),
        I::I64Shl,
        I::I64Or,
        I::LocalGet(2),
        I::I64Add,
        I::LocalGet(3),
        I::I32Const(i32::from(writes)),
        I::Call(Helper::Place as u32),
    ]);
}

/// What is done with the place in a local for each number of bytes.
fn for_bytes(code: &mut Vec<I<'static>>, result: BlockType, access: impl Fn(u32) -> Vec<I<'static>>) {
    for bytes in [1, 2] {
        code.extend([I::LocalGet(3), I::I32Const(bytes), I::I32Eq, I::If(result)]);
        code.extend(access(bytes as u32));
        code.push(I::Else);
    }
    code.extend(access(4));
    code.extend([I::End, I::End]);
}

/// `load_scalars(low, high, offset, bytes)`: a scalar of each lane.
pub(super) fn load_scalars() -> Function {
    let (place, words) = (4, 5);
    let mut function = Function::new([(1, ValType::I32), (1, ValType::V128)]);
    let mut code = Vec::new();
    for lane in 0..4 {
        push_place(&mut code, lane, false);
        code.extend([I::LocalSet(place), I::LocalGet(words)]);
        for_bytes(&mut code, BlockType::Result(ValType::I32), |bytes| {
            vec![I::LocalGet(place), scalar_load(bytes, 0)]
        });
        code.extend([I::I32x4ReplaceLane(lane), I::LocalSet(words)]);
    }
    code.extend([I::LocalGet(words), I::End]);
    code.iter().for_each(|instruction| {
        function.instruction(instruction);
    });
    function
}

/// `store_scalars(low, high, offset, bytes, words, select)`: a scalar of each lane that takes part.
pub(super) fn store_scalars() -> Function {
    let (words, select, place) = (4, 5, 6);
    let mut function = Function::new([(1, ValType::I32)]);
    let mut code = Vec::new();
    for lane in 0..4 {
        code.extend([I::LocalGet(select), I::I32x4ExtractLane(lane), I::If(BlockType::Empty)]);
        push_place(&mut code, lane, true);
        code.push(I::LocalSet(place));
        for_bytes(&mut code, BlockType::Empty, |bytes| {
            let value = [I::LocalGet(words), I::I32x4ExtractLane(lane)];
            [I::LocalGet(place)].into_iter().chain(value).chain([scalar_store(bytes, 0)]).collect()
        });
        code.push(I::End);
    }
    code.push(I::End);
    code.iter().for_each(|instruction| {
        function.instruction(instruction);
    });
    function
}
