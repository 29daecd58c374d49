//! Straight pieces of blocks. What all lanes have in common is computed in scalars, at once; the rest is gathered into a loop over the lanes, four at a
//! time, that follows. Between two such loops values are in memory, inside them in locals.

use rustc_hash::FxHashMap;
use wasm_encoder::{BlockType, Instruction as I, MemArg, ValType};

use super::batch::Batch;
use super::layout::{Layout, SELECT};
use super::planes::{Planes, Run};
use super::site::Site;
use super::uniform::Uniform;
use super::unroll::Parts;
use crate::Settings;
use crate::program::ProgramData;

/// The function's parameter: where the subgroup is.
pub(super) const SUBGROUP: u32 = 0;
/// The lanes that take part; where the function goes on; the four lanes of a loop, as an address; the end of the loop.
pub(super) const LANES: u32 = 1;
pub(super) const GO_ON: u32 = 2;
pub(super) const FOUR: u32 = 3;
/// Locals for a moment.
pub(super) const WIDE: u32 = 4;
pub(super) const VECTOR: u32 = 5;
pub(super) const VECTOR_2: u32 = 6;
pub(super) const VECTOR_3: u32 = 7;
pub(super) const PRODUCT: u32 = 8;
pub(super) const ADDEND: u32 = 9;
pub(super) const SUM: u32 = 10;
pub(super) const WORD: u32 = 11;
pub(super) const WORD_2: u32 = 12;
/// The types of the locals above, but for the parameter.
pub(super) const FIXED: [ValType; 12] = [
    ValType::I64,
    ValType::I32,
    ValType::I32,
    ValType::I64,
    ValType::V128,
    ValType::V128,
    ValType::V128,
    ValType::V128,
    ValType::V128,
    ValType::V128,
    ValType::I32,
    ValType::I32,
];

pub(super) fn at(offset: u32) -> MemArg {
    MemArg { offset: u64::from(offset), align: 0, memory_index: 0 }
}

/// What computes a word of words: of scalars, of vectors, or either, which then serves for both.
pub(super) struct Operation {
    pub scalar: Option<Vec<I<'static>>>,
    pub vector: Option<Vec<I<'static>>>,
    /// What is done to each operand as soon as it is there, where vectors are computed.
    pub prepare: Vec<I<'static>>,
}

/// What is known while the function is made.
pub(super) struct Generator<'g> {
    pub program: &'g ProgramData,
    pub settings: &'g Settings,
    pub planes: &'g Planes,
    pub uniform: &'g Uniform,
    pub layout: &'g Layout,
    /// What each block is made of, by its number.
    pub parts: &'g [Parts],
    /// Constants: the words of planes that nothing writes.
    pub constants: FxHashMap<u32, u32>,
    /// The piece of code that is being made, and the loop over lanes that will follow it.
    pub out: Vec<I<'static>>,
    pub region: Vec<I<'static>>,
    /// Pieces that are finished, each with the number by which it is jumped to.
    pub pieces: Vec<(u32, Vec<I<'static>>)>,
    /// The types of all locals, and which of each type are taken.
    pub locals: Vec<ValType>,
    pools: FxHashMap<ValType, (Vec<u32>, usize)>,
    scalars: FxHashMap<u32, u32>,
    changed_scalars: Vec<u32>,
    vectors: FxHashMap<u32, u32>,
    changed_vectors: Vec<u32>,
    /// For pointers, by the plane of their low word: by multiples of this many bytes they differ from lane to lane.
    pub strides: FxHashMap<u32, u64>,
    /// Whether the loop loads, and whether it stores.
    pub loads: bool,
    pub stores: bool,
    pub sites: Vec<Site>,
    pub traffic: Vec<[u64; 4]>,
    pub function: u32,
    pub block: u32,
    /// The index of the instruction.
    pub index: u32,
    pub divided: bool,
    /// What the interpreter's code will execute.
    pub batch: Batch,
    pub resumes: u32,
}

impl<'g> Generator<'g> {
    pub fn new(
        program: &'g ProgramData,
        settings: &'g Settings,
        planes: &'g Planes,
        uniform: &'g Uniform,
        layout: &'g Layout,
        parts: &'g [Parts],
    ) -> Self {
        let mut constants = planes.constants(program);
        constants.retain(|plane, _| !uniform.varying[*plane as usize] && !planes.matrices[*plane as usize]);
        Generator {
            program,
            settings,
            planes,
            uniform,
            layout,
            parts,
            constants,
            out: Vec::new(),
            region: Vec::new(),
            pieces: Vec::new(),
            locals: FIXED.to_vec(),
            pools: FxHashMap::default(),
            scalars: FxHashMap::default(),
            changed_scalars: Vec::new(),
            vectors: FxHashMap::default(),
            changed_vectors: Vec::new(),
            strides: FxHashMap::default(),
            loads: false,
            stores: false,
            sites: Vec::new(),
            traffic: vec![[0; 4]; program.blocks as usize],
            function: 0,
            block: 0,
            index: 0,
            divided: false,
            batch: Batch::default(),
            resumes: 0,
        }
    }

    /// A local that nothing else uses until the piece ends.
    pub fn local(&mut self, type_: ValType) -> u32 {
        let (list, taken) = self.pools.entry(type_).or_default();
        if *taken == list.len() {
            self.locals.push(type_);
            list.push(self.locals.len() as u32);
        }
        *taken += 1;
        list[*taken - 1]
    }

    pub fn varies(&self, plane: u32) -> bool {
        self.uniform.varying[plane as usize]
    }

    /// Whether a plane is read by an instruction from the present one on, or by one that waits, or outside the block.
    fn is_needed(&self, plane: u32) -> bool {
        let next = self.batch.first().unwrap_or(self.index);
        match self.planes.temporary[plane as usize] {
            Some(known) => known.last >= next,
            None => true,
        }
    }

    /// Whether lanes outside the mask keep what they have in a plane.
    fn blends(&self, plane: u32) -> bool {
        if self.planes.temporary[plane as usize].is_some() {
            return false;
        }
        let is_global = (plane as usize) < self.program.globals.words.len();
        let result = self.planes.results[self.function as usize];
        let is_result =
            plane >= result && plane < result + self.program.functions[self.function as usize].result_planes;
        self.divided || is_result || is_global && self.function != self.program.entry
    }

    /// Puts the word that all lanes have in a plane onto the stack of the piece.
    pub fn scalar(&mut self, plane: u32) -> u32 {
        if let Some(&local) = self.scalars.get(&plane) {
            return local;
        }
        let local = self.local(ValType::I32);
        match self.constants.get(&plane) {
            Some(&word) => self.out.push(I::I32Const(word as i32)),
            None => self.out.extend([I::LocalGet(SUBGROUP), I::I32Load(at(self.layout.plane(plane)))]),
        }
        self.out.push(I::LocalSet(local));
        self.scalars.insert(plane, local);
        local
    }

    /// Takes the word from the piece's stack.
    pub fn set_scalar(&mut self, plane: u32) {
        let local = self.local(ValType::I32);
        self.out.push(I::LocalSet(local));
        self.scalars.insert(plane, local);
        self.strides.remove(&plane);
        if !self.changed_scalars.contains(&plane) {
            self.changed_scalars.push(plane);
        }
    }

    /// Puts the words of four lanes onto the loop's stack.
    pub fn push_vector(&mut self, plane: u32) {
        if !self.varies(plane) {
            if let Some(&word) = self.constants.get(&plane) {
                self.region.push(I::V128Const(splat(word)));
                return;
            }
            let scalar = self.scalar(plane);
            self.region.extend([I::LocalGet(scalar), I::I32x4Splat]);
            return;
        }
        let local = self.vector(plane);
        self.region.push(I::LocalGet(local));
    }

    /// The local with the words of four lanes of a plane.
    pub fn vector(&mut self, plane: u32) -> u32 {
        if let Some(&local) = self.vectors.get(&plane) {
            return local;
        }
        let local = self.local(ValType::V128);
        if self.varies(plane) {
            self.region.extend([I::LocalGet(FOUR), I::V128Load(at(self.layout.plane(plane)))]);
            self.region.push(I::LocalSet(local));
            self.vectors.insert(plane, local);
        } else {
            self.push_vector(plane);
            self.region.push(I::LocalSet(local));
        }
        local
    }

    /// Takes the words of four lanes from the loop's stack.
    pub fn set_vector(&mut self, plane: u32) {
        let local = self.local(ValType::V128);
        self.region.push(I::LocalSet(local));
        self.vectors.insert(plane, local);
        self.strides.remove(&plane);
        if !self.changed_vectors.contains(&plane) {
            self.changed_vectors.push(plane);
        }
    }

    /// Puts the mask of four lanes onto the loop's stack.
    pub fn push_select(&mut self) {
        self.region.extend([I::LocalGet(FOUR), I::V128Load(at(SELECT))]);
    }

    /// Whether the loop has changed one of these planes, which memory does not have yet.
    pub fn has_changed(&self, runs: &[Run]) -> bool {
        let inside = |plane: &u32| runs.iter().any(|(first, count)| (*first..first + count).contains(plane));
        self.changed_vectors.iter().any(inside)
    }

    /// Computes a word of words, for all lanes at once or for each.
    pub fn apply(&mut self, result: u32, operands: &[u32], operation: &Operation) {
        let same = operands.iter().all(|&plane| !self.varies(plane));
        if same {
            match (&operation.scalar, &operation.vector) {
                (Some(scalar), _) => {
                    for &plane in operands {
                        let local = self.scalar(plane);
                        self.out.push(I::LocalGet(local));
                    }
                    self.out.extend_from_slice(scalar);
                }
                (None, vector) => {
                    for &plane in operands {
                        let local = self.scalar(plane);
                        self.out.extend([I::LocalGet(local), I::I32x4Splat]);
                        self.out.extend_from_slice(&operation.prepare);
                    }
                    self.out.extend_from_slice(vector.as_deref().unwrap_or_default());
                    self.out.push(I::I32x4ExtractLane(0));
                }
            }
            if !self.varies(result) {
                return self.set_scalar(result);
            }
            let local = self.local(ValType::I32);
            self.out.push(I::LocalSet(local));
            self.region.extend([I::LocalGet(local), I::I32x4Splat]);
            return self.set_vector(result);
        }
        match &operation.vector {
            Some(vector) => {
                for &plane in operands {
                    self.push_vector(plane);
                    self.region.extend_from_slice(&operation.prepare);
                }
                self.region.extend_from_slice(vector);
            }
            None => {
                let locals: Vec<(bool, u32)> = operands
                    .iter()
                    .map(|&plane| match self.varies(plane) {
                        true => (true, self.vector(plane)),
                        false => (false, self.scalar(plane)),
                    })
                    .collect();
                self.region.push(I::V128Const(0));
                for lane in 0..4 {
                    for &(varies, local) in &locals {
                        self.region.push(I::LocalGet(local));
                        if varies {
                            self.region.push(I::I32x4ExtractLane(lane));
                        }
                    }
                    self.region.extend_from_slice(operation.scalar.as_deref().unwrap_or_default());
                    self.region.push(I::I32x4ReplaceLane(lane));
                }
            }
        }
        self.set_vector(result);
    }

    /// Copies a plane.
    pub fn copy(&mut self, result: u32, source: u32) {
        if result != source {
            self.apply(
                result,
                &[source],
                &Operation { scalar: Some(Vec::new()), vector: Some(Vec::new()), prepare: Vec::new() },
            );
        }
    }

    /// Ends the loop over lanes; what it made is in memory then.
    pub fn end_loop(&mut self) {
        for plane in std::mem::take(&mut self.changed_vectors) {
            if !self.is_needed(plane) {
                continue;
            }
            let Some(&local) = self.vectors.get(&plane) else { continue };
            let place = at(self.layout.plane(plane));
            self.region.extend([I::LocalGet(FOUR), I::LocalGet(local)]);
            if self.blends(plane) {
                self.region.extend([I::LocalGet(FOUR), I::V128Load(place)]);
                self.push_select();
                self.region.push(I::V128Bitselect);
            }
            self.region.push(I::V128Store(place));
        }
        self.vectors.clear();
        (self.loads, self.stores) = (false, false);
        if self.region.is_empty() {
            return;
        }
        self.out.extend([I::LocalGet(SUBGROUP), I::LocalSet(FOUR), I::Loop(BlockType::Empty)]);
        self.out.append(&mut self.region);
        self.out.extend([
            I::LocalGet(FOUR),
            I::I32Const(16),
            I::I32Add,
            I::LocalTee(FOUR),
            I::LocalGet(SUBGROUP),
            I::I32Sub,
            I::I32Const(self.layout.lanes as i32 * 4),
            I::I32LtU,
            I::BrIf(0),
            I::End,
        ]);
    }

    /// Lets memory have everything that somebody else may read.
    pub fn settle(&mut self) {
        if self.batch.first().is_some() {
            // It settles everything else.
            return self.flush();
        }
        self.end_loop();
        for plane in std::mem::take(&mut self.changed_scalars) {
            if let Some(&local) = self.scalars.get(&plane)
                && self.is_needed(plane)
            {
                let place = at(self.layout.plane(plane));
                self.out.extend([I::LocalGet(SUBGROUP), I::LocalGet(local), I::I32Store(place)]);
            }
        }
    }

    /// Somebody else has written these planes.
    pub fn forget(&mut self, runs: &[Run]) {
        let inside = |plane: &u32| runs.iter().any(|(first, count)| (*first..first + count).contains(plane));
        self.scalars.retain(|plane, _| !inside(plane));
        self.strides.retain(|plane, _| !inside(plane));
    }

    /// Ends a piece of code, which is jumped to by a number, and begins another one.
    pub fn end_piece(&mut self, number: u32) {
        self.settle();
        self.scalars.clear();
        self.strides.clear();
        self.pools.values_mut().for_each(|(_, taken)| *taken = 0);
        let code = std::mem::take(&mut self.out);
        self.pieces.push((number, code));
    }
}

/// The same word four times.
pub(super) fn splat(word: u32) -> i128 {
    let word = i128::from(word);
    word | word << 32 | word << 64 | word << 96
}
