//! Blocks and the ways between them, groups of lanes, calls, barriers and steps: what the interpreter's subgroup does.

use wasm_encoder::{BlockType, Instruction as I, ValType};

use super::effects::effects;
use super::layout::MASK;
use super::layout::{BLOCKS, LIVE, MEETING, PC, RETURN, RUNNING, STEPS, STEPS_LEFT, WAITING, waiting_at};
use super::refusal::Refusal;
use super::region::{GO_ON, Generator, LANES, SUBGROUP, WIDE, at, splat};
use super::site::{Helper, SiteKind};
use crate::code::{BarrierKind, CallInstruction, Instruction};
use crate::program::{Edge, Terminator};

/// What the function gives: all lanes have ended, steps are used up, a barrier, an error that the host knows of, a place that is
/// not reached, an instruction that all subgroups execute together.
pub(super) const ENDED: i32 = 0;
pub(super) const SLICE: i32 = 1;
pub(super) const BARRIER: i32 = 2;
pub(super) const FAILED: i32 = 3;
pub(super) const UNREACHABLE: i32 = 4;
pub(super) const TOGETHER: i32 = 5;

/// A jump to where the function chooses a piece of code, from so many blocks inside it; the module replaces it.
pub(super) fn jump(inside: u32) -> I<'static> {
    I::Br(u32::MAX - inside)
}

impl Generator<'_> {
    /// The number by which a block's code is jumped to.
    pub fn number(&self, function: u32, block: u32) -> u32 {
        let before = &self.program.functions[..function as usize];
        before.iter().map(|function| function.blocks.len() as u32).sum::<u32>() + block
    }

    /// A number for code within a block.
    fn resume(&mut self) -> u32 {
        self.resumes += 1;
        let blocks: usize = self.program.functions.iter().map(|function| function.blocks.len()).sum();
        blocks as u32 + self.resumes - 1
    }

    fn frame(&self, function: u32) -> u32 {
        self.layout.frames[function as usize]
    }

    /// Makes the code of a function's blocks.
    pub fn function(&mut self, function: u32) -> Result<(), Refusal> {
        let program = self.program;
        self.function = function;
        for (number, block) in (0u32..).zip(&program.functions[function as usize].blocks) {
            self.block = number;
            self.index = 0;
            self.divided = self.uniform.divided[function as usize][number as usize];
            let mut piece = self.number(function, number);
            self.count_steps(piece, block.number, self.parts[block.number as usize].steps);
            for (index, instruction) in (0u32..).zip(&block.instructions) {
                self.index = index;
                match instruction {
                    Instruction::Call(call) => {
                        let next = self.resume();
                        self.call(call, next);
                        self.end_piece(piece);
                        piece = next;
                        self.take_result(call);
                    }
                    Instruction::Barrier(barrier) if barrier.kind == BarrierKind::Workgroup => {
                        let next = self.resume();
                        self.settle();
                        self.leave(next, BARRIER);
                        self.end_piece(piece);
                        piece = next;
                    }
                    Instruction::Matrix(matrix) if matrix.is_together() => {
                        let next = self.resume();
                        self.meet(index, instruction)?;
                        self.leave(next, TOGETHER);
                        self.end_piece(piece);
                        piece = next;
                    }
                    // They run in lockstep.
                    Instruction::Barrier(_) => {}
                    other => self.instruction(index, other, block.number as usize)?,
                }
            }
            self.index = block.instructions.len() as u32;
            self.terminate(&block.terminator);
            self.end_piece(piece);
        }
        Ok(())
    }

    /// Leaves the function, to go on at a piece later.
    fn leave(&mut self, next: u32, status: i32) {
        self.out.extend([
            I::LocalGet(SUBGROUP),
            I::I32Const(next as i32),
            I::I32Store(at(PC)),
            I::LocalGet(SUBGROUP),
            I::LocalGet(LANES),
            I::I64Store(at(MASK)),
            I::I32Const(status),
            I::Return,
        ]);
    }

    /// At the start of a block: a slice may end here; the block is counted.
    fn count_steps(&mut self, piece: u32, number: u32, cost: u32) {
        let cost = i64::from(cost);
        self.out.extend([
            I::I32Const(0),
            I::I64Load(at(STEPS_LEFT)),
            I::LocalTee(WIDE),
            I::I64Eqz,
            I::If(BlockType::Empty),
        ]);
        self.leave(piece, SLICE);
        let counts = BLOCKS + number * 16;
        self.out.extend([
            I::End,
            I::I32Const(0),
            I::LocalGet(WIDE),
            I::I64Const(cost),
            I::I64Sub,
            I::I64Const(0),
            I::LocalGet(WIDE),
            I::I64Const(cost),
            I::I64GtU,
            I::Select,
            I::I64Store(at(STEPS_LEFT)),
            I::I32Const(0),
            I::I32Const(0),
            I::I64Load(at(STEPS)),
            I::I64Const(cost),
            I::I64Add,
            I::I64Store(at(STEPS)),
            I::I32Const(0),
            I::I32Const(0),
            I::I64Load(at(counts)),
            I::I64Const(1),
            I::I64Add,
            I::I64Store(at(counts)),
            I::I32Const(0),
            I::I32Const(0),
            I::I64Load(at(counts + 8)),
            I::LocalGet(LANES),
            I::I64Popcnt,
            I::I64Add,
            I::I64Store(at(counts + 8)),
        ]);
    }

    /// Says at which instruction the subgroup meets the others.
    fn meet(&mut self, index: u32, instruction: &Instruction) -> Result<(), Refusal> {
        let effects = effects(self.program, self.planes, self.function, instruction)?;
        self.settle();
        let site = self.site(SiteKind::Together { index }, &effects.reads, &effects.writes);
        self.out.extend([I::LocalGet(SUBGROUP), I::I32Const(site as i32), I::I32Store(at(MEETING))]);
        Ok(())
    }

    /// Begins a call; the piece ends with it.
    fn call(&mut self, call: &CallInstruction, next: u32) {
        let callee = call.function;
        let base = self.planes.bases[callee as usize];
        self.settle();
        let frame = self.planes.results[callee as usize] - base;
        let bytes = frame * self.layout.lanes * 4;
        if bytes != 0 {
            self.out.extend([
                I::LocalGet(SUBGROUP),
                I::I32Const(self.layout.plane(base) as i32),
                I::I32Add,
                I::I32Const(0),
                I::I32Const(bytes as i32),
                I::MemoryFill(0),
            ]);
        }
        if self.planes.matrices[base as usize..(base + frame) as usize].contains(&true) {
            self.call_host(SiteKind::Clear { first: base, count: frame }, &[], &[]);
        }
        // What the callee's lanes have is nobody else's.
        let divided = std::mem::replace(&mut self.divided, false);
        let mut parameter = base;
        for &(slot, count) in &call.arguments {
            let from = self.planes.of(self.function, slot);
            self.copy_planes(parameter, from, count);
            parameter += count;
        }
        self.settle();
        self.divided = divided;
        let (own, other) = (self.frame(self.function), self.frame(callee));
        let first = self.number(callee, 0);
        self.out.extend([
            I::LocalGet(SUBGROUP),
            I::LocalGet(LANES),
            I::I64Store(at(own + RUNNING)),
            I::LocalGet(SUBGROUP),
            I::LocalGet(LANES),
            I::I64Store(at(other + LIVE)),
            I::LocalGet(SUBGROUP),
            I::I32Const(next as i32),
            I::I32Store(at(other + RETURN)),
            I::I32Const(first as i32),
            I::LocalSet(GO_ON),
            jump(0),
        ]);
    }

    /// Goes on after a call.
    fn take_result(&mut self, call: &CallInstruction) {
        let frame = self.frame(self.function);
        self.out.extend([
            I::LocalGet(SUBGROUP),
            I::LocalGet(SUBGROUP),
            I::I64Load(at(frame + RUNNING)),
            I::LocalTee(LANES),
            I::Call(Helper::Select as u32),
        ]);
        let callee = call.function as usize;
        let result = self.planes.of(self.function, call.result);
        self.copy_planes(result, self.planes.results[callee], self.program.functions[callee].result_planes);
    }

    /// Copies planes, matrices among them.
    pub fn copy_planes(&mut self, result: u32, source: u32, count: u32) {
        if result == source {
            return;
        }
        for index in 0..count {
            let (result, source) = (result + index, source + index);
            let matrices = &self.planes.matrices;
            if matrices[result as usize] || matrices[source as usize] {
                self.call_host(SiteKind::Copy { result, source }, &[(source, 1)], &[(result, 1)]);
            } else {
                self.copy(result, source);
            }
        }
    }

    fn moves(&mut self, edge: &Edge) {
        for &(result, source, count) in &edge.moves {
            let (to, from) = (self.planes.of(self.function, result), self.planes.of(self.function, source));
            self.copy_planes(to, from, count);
        }
        self.settle();
    }

    fn blocks(&self) -> u32 {
        self.program.functions[self.function as usize].blocks.len() as u32
    }

    /// Puts whether other groups of the frame wait onto the stack, as a number that is not zero then.
    fn push_waiting(&mut self) {
        let frame = self.frame(self.function);
        for word in 0..self.blocks().div_ceil(64) {
            self.out.extend([I::LocalGet(SUBGROUP), I::I64Load(at(frame + WAITING + word * 8))]);
            if word > 0 {
                self.out.push(I::I64Or);
            }
        }
    }

    /// Lets the running lanes wait at a block.
    fn wait(&mut self, block: u32) {
        let frame = self.frame(self.function);
        self.out.extend([
            I::LocalGet(SUBGROUP),
            I::I32Const((frame + WAITING + block / 64 * 8) as i32),
            I::I32Add,
            I::LocalGet(SUBGROUP),
            I::I32Const((frame + waiting_at(self.blocks(), block)) as i32),
            I::I32Add,
            I::I64Const(1 << (block % 64)),
            I::LocalGet(LANES),
            I::Call(Helper::Wait as u32),
        ]);
    }

    /// Lets the group at the lowest block run, from so many blocks inside the piece.
    fn next_group(&mut self, inside: u32) {
        let frame = self.frame(self.function);
        let first = self.number(self.function, 0);
        self.out.extend([
            I::LocalGet(SUBGROUP),
            I::I32Const(frame as i32),
            I::I32Const(waiting_at(self.blocks(), 0) as i32),
            I::Call(Helper::Next as u32),
            I::I32Const(first as i32),
            I::I32Add,
            I::LocalSet(GO_ON),
            I::LocalGet(SUBGROUP),
            I::I64Load(at(frame + RUNNING)),
            I::LocalSet(LANES),
            jump(inside),
        ]);
    }

    /// All running lanes take an edge.
    fn go(&mut self, edge: &Edge, inside: u32) {
        self.moves(edge);
        if self.divided {
            self.push_waiting();
            self.out.extend([I::I64Eqz, I::I32Eqz, I::If(BlockType::Empty)]);
            self.wait(edge.block);
            self.next_group(inside + 1);
            self.out.push(I::End);
        }
        let number = self.number(self.function, edge.block);
        self.out.extend([I::I32Const(number as i32), I::LocalSet(GO_ON), jump(inside)]);
    }

    /// Puts those of some lanes whose word compares so with another one into a local.
    fn lanes_where(&mut self, plane: u32, compare: I<'static>, word: u32, among: u32) -> u32 {
        let local = self.local(ValType::I64);
        self.out.push(I::I64Const(0));
        for four in 0..self.layout.lanes / 4 {
            self.out.extend([
                I::LocalGet(SUBGROUP),
                I::V128Load(at(self.layout.plane(plane) + four * 16)),
                I::V128Const(splat(word)),
                compare.clone(),
                I::I32x4Bitmask,
                I::I64ExtendI32U,
                I::I64Const(i64::from(four) * 4),
                I::I64Shl,
                I::I64Or,
            ]);
        }
        self.out.extend([I::LocalGet(among), I::I64And, I::LocalSet(local)]);
        local
    }

    /// Some of the running lanes take an edge, and wait at its end.
    fn part(&mut self, edge: &Edge, lanes: u32) {
        self.out.extend([
            I::LocalGet(SUBGROUP),
            I::LocalGet(lanes),
            I::LocalTee(LANES),
            I::Call(Helper::Select as u32),
        ]);
        let divided = std::mem::replace(&mut self.divided, true);
        self.moves(edge);
        self.divided = divided;
        self.wait(edge.block);
    }

    /// Lanes take the edges that their words choose.
    fn part_at_switch(&mut self, plane: u32, cases: &[(u64, u32)], edges: &[Edge]) {
        let rest = self.local(ValType::I64);
        self.out.extend([I::LocalGet(LANES), I::LocalSet(rest)]);
        for &(value, edge) in cases {
            let Ok(value) = u32::try_from(value) else { continue };
            let taken = self.lanes_where(plane, I::I32x4Eq, value, rest);
            self.out.extend([I::LocalGet(taken), I::I64Eqz, I::I32Eqz, I::If(BlockType::Empty)]);
            self.out.extend([I::LocalGet(rest), I::LocalGet(taken), I::I64Xor, I::LocalSet(rest)]);
            self.part(&edges[edge as usize], taken);
            self.forget_moves();
            self.out.push(I::End);
        }
        self.out.extend([I::LocalGet(rest), I::I64Eqz, I::I32Eqz, I::If(BlockType::Empty)]);
        self.part(&edges[0], rest);
        self.forget_moves();
        self.out.push(I::End);
        self.next_group(0);
    }

    fn terminate(&mut self, terminator: &Terminator) {
        self.settle();
        match terminator {
            Terminator::Branch(edge) => self.go(edge, 0),
            Terminator::Conditional { condition, then, otherwise } => {
                let plane = self.planes.of(self.function, *condition);
                if !self.varies(plane) {
                    let local = self.scalar(plane);
                    self.out.extend([I::LocalGet(local), I::If(BlockType::Empty)]);
                    self.go(then, 1);
                    self.out.push(I::End);
                    self.forget_moves();
                    self.go(otherwise, 0);
                    return;
                }
                let taken = self.lanes_where(plane, I::I32x4Ne, 0, LANES);
                let rest = self.local(ValType::I64);
                self.out.extend([I::Block(BlockType::Empty), I::Block(BlockType::Empty)]);
                self.out.extend([I::LocalGet(taken), I::LocalGet(LANES), I::I64Eq, I::BrIf(0)]);
                self.out.extend([I::LocalGet(taken), I::I64Eqz, I::BrIf(1)]);
                self.out.extend([I::LocalGet(LANES), I::LocalGet(taken), I::I64Xor, I::LocalSet(rest)]);
                self.part(then, taken);
                self.forget_moves();
                self.part(otherwise, rest);
                self.forget_moves();
                self.next_group(2);
                self.out.push(I::End);
                self.go(then, 1);
                self.forget_moves();
                self.out.push(I::End);
                self.go(otherwise, 0);
            }
            Terminator::Switch { selector, wide, cases, edges } => {
                let plane = self.planes.of(self.function, *selector);
                // Refused before.
                debug_assert!(!wide);
                if self.varies(plane) {
                    return self.part_at_switch(plane, cases, edges);
                }
                let local = self.scalar(plane);
                for &(value, edge) in cases {
                    let Ok(value) = u32::try_from(value) else { continue };
                    self.out.extend([
                        I::LocalGet(local),
                        I::I32Const(value as i32),
                        I::I32Eq,
                        I::If(BlockType::Empty),
                    ]);
                    self.go(&edges[edge as usize], 1);
                    self.out.push(I::End);
                    self.forget_moves();
                }
                self.go(&edges[0], 0);
            }
            Terminator::Return => self.end_lanes(),
            Terminator::ReturnValue(slot) => {
                let from = self.planes.of(self.function, *slot);
                let planes = self.program.functions[self.function as usize].result_planes;
                self.copy_planes(self.planes.results[self.function as usize], from, planes);
                self.settle();
                self.end_lanes();
            }
            // Refused before.
            Terminator::Kill | Terminator::Unreachable => {
                self.out.extend([I::I32Const(UNREACHABLE), I::Return]);
            }
        }
    }

    /// What one way out has computed holds on that way alone.
    fn forget_moves(&mut self) {
        self.forget(&[(0, u32::MAX)]);
    }

    /// The running lanes have come to the end of the function.
    fn end_lanes(&mut self) {
        let frame = self.frame(self.function);
        self.out.extend([
            I::LocalGet(SUBGROUP),
            I::LocalGet(SUBGROUP),
            I::I64Load(at(frame + LIVE)),
            I::LocalGet(LANES),
            I::I64Const(-1),
            I::I64Xor,
            I::I64And,
            I::I64Store(at(frame + LIVE)),
        ]);
        if self.divided {
            self.push_waiting();
            self.out.extend([I::I64Eqz, I::I32Eqz, I::If(BlockType::Empty)]);
            self.next_group(1);
            self.out.push(I::End);
        }
        if self.function == self.program.entry {
            self.out.extend([I::I32Const(ENDED), I::Return]);
        } else {
            self.out.extend([
                I::LocalGet(SUBGROUP),
                I::I32Load(at(frame + RETURN)),
                I::LocalSet(GO_ON),
                jump(0),
            ]);
        }
    }
}
