//! Small programs before and after.

use expect_test::{Expect, expect};

use super::unroll;
use crate::code::{Instruction, IntegerInstruction, IntegerOp, MemoryInstruction};
use crate::program::{Block, Edge, Function, ProgramData, Slot, Terminator};
use std::sync::Arc;

/// Constants by their value, as planes of the global region.
const CONSTANTS: u32 = 8;

fn constant(word: u32) -> Slot {
    assert!(word < CONSTANTS);
    Slot::global(word)
}

fn integer(op: IntegerOp, result: u32, a: Slot, b: Slot) -> Instruction {
    Instruction::Integer(IntegerInstruction { op, width: 32, count: 1, result: Slot::frame(result), a, b })
}

fn edge(block: u32) -> Edge {
    Edge { block, moves: Box::default() }
}

fn program(blocks: Vec<(Vec<Instruction>, Terminator)>) -> Arc<ProgramData> {
    let count = blocks.len() as u32;
    let blocks = (0u32..).zip(blocks).map(|(number, (instructions, terminator))| Block {
        origins: vec![0; instructions.len() + 1],
        instructions,
        terminator,
        number,
    });
    let mut program = ProgramData { blocks: count, ..ProgramData::default() };
    program.globals.words = (0..CONSTANTS).collect();
    program.functions.push(Function { planes: 16, blocks: blocks.collect(), ..Function::default() });
    Arc::new(program)
}

/// `for (i = 0; i < turns; i++) array[i] = i`, where the counter is plane 0, and the array planes 8 and the following.
fn fill(turns: Slot) -> Arc<ProgramData> {
    let counter = Slot::frame(0);
    let place = MemoryInstruction::PlaneOf {
        result: Slot::frame(2),
        first: Slot::frame(8),
        index: counter,
        wide: false,
        count: 4,
        step: 1,
    };
    let store = MemoryInstruction::Scatter { pointer: Slot::frame(2), offset: 0, value: counter, planes: 1 };
    let (body, end) = (edge(2), edge(3));
    program(vec![
        (vec![Instruction::copy(counter, constant(0), 1)], Terminator::Branch(edge(1))),
        (
            vec![integer(IntegerOp::ULess, 1, counter, turns)],
            Terminator::Conditional { condition: Slot::frame(1), then: body, otherwise: end },
        ),
        (
            vec![
                Instruction::Memory(place),
                Instruction::Memory(store),
                integer(IntegerOp::Add, 0, counter, constant(1)),
            ],
            Terminator::Branch(edge(1)),
        ),
        (vec![Instruction::copy(Slot::frame(3), Slot::frame(9), 1)], Terminator::Return),
    ])
}

/// The blocks: of which they are made, and where they store to the array.
fn check(program: &Arc<ProgramData>, expected: Expect) {
    let unrolled = unroll(program).ok().unwrap();
    let lines = unrolled.program.functions[0].blocks.iter().map(|block| {
        let parts = &unrolled.parts[block.number as usize];
        let stores = block.instructions.iter().filter_map(|instruction| match instruction {
            Instruction::Memory(MemoryInstruction::Copy { result, .. }) if result.index() >= 8 => {
                Some(format!("plane {}", result.index()))
            }
            Instruction::Memory(MemoryInstruction::Scatter { .. }) => {
                Some("a plane that is chosen".to_owned())
            }
            _ => None,
        });
        let stores: Vec<String> = stores.collect();
        format!("{:?}, {} steps: {}\n", parts.numbers, parts.steps, stores.join(", "))
    });
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn a_loop_of_known_length_becomes_one_block() {
    check(
        &fill(constant(3)),
        expect![[r#"
        [0, 1, 2, 1, 2, 1, 2, 1, 3], 24 steps: plane 8, plane 9, plane 10
    "#]],
    );
}

#[test]
fn an_index_that_is_outside_stays_what_it_is() {
    check(
        &fill(constant(5)),
        expect![[r#"
        [0, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 3], 36 steps: plane 8, plane 9, plane 10, plane 11, a plane that is chosen
    "#]],
    );
}

#[test]
fn a_loop_whose_length_is_not_known_stays() {
    check(
        &fill(Slot::frame(5)),
        expect![[r#"
        [0], 2 steps: 
        [1], 2 steps: 
        [2], 4 steps: a plane that is chosen
        [3], 2 steps: 
    "#]],
    );
}

/// Two loops of two turns each, where the inner one goes on with the outer one itself.
#[test]
fn an_inner_loop_may_begin_the_next_turn_of_the_outer_one() {
    let (outer, inner) = (Slot::frame(0), Slot::frame(4));
    let place = MemoryInstruction::PlaneOf {
        result: Slot::frame(2),
        first: Slot::frame(8),
        index: inner,
        wide: false,
        count: 4,
        step: 1,
    };
    let store = MemoryInstruction::Scatter { pointer: Slot::frame(2), offset: 0, value: outer, planes: 1 };
    let choose = |then: u32, otherwise: u32| Terminator::Conditional {
        condition: Slot::frame(1),
        then: edge(then),
        otherwise: edge(otherwise),
    };
    let program = program(vec![
        (vec![Instruction::copy(outer, constant(0), 1)], Terminator::Branch(edge(1))),
        (
            vec![
                integer(IntegerOp::Add, 0, outer, constant(1)),
                integer(IntegerOp::ULess, 1, outer, constant(3)),
                Instruction::copy(inner, constant(0), 1),
            ],
            choose(2, 4),
        ),
        (
            vec![
                Instruction::Memory(place),
                Instruction::Memory(store),
                integer(IntegerOp::Add, 4, inner, constant(1)),
                integer(IntegerOp::ULess, 1, inner, constant(2)),
            ],
            choose(2, 3),
        ),
        (vec![integer(IntegerOp::ULess, 1, Slot::frame(7), constant(1))], choose(2, 1)),
        (vec![], Terminator::Return),
    ]);
    check(
        &program,
        expect![[r#"
        [0, 1], 6 steps: 
        [2], 5 steps: a plane that is chosen
        [3], 2 steps: 
        [1], 4 steps: 
        [2], 5 steps: a plane that is chosen
        [3], 2 steps: 
        [1, 4], 5 steps: 
    "#]],
    );
}
