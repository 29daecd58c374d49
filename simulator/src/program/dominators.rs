//! Through which blocks every way to a block leads (K. D. Cooper, T. J. Harvey, K. Kennedy: A Simple, Fast Dominance Algorithm), for debuggers: a value is there where its
//! block has been gone through for certain.

use super::function::{Block, Terminator};

/// The nearest such block of each block; its own number for the first one and for those that no way leads to.
pub(super) fn of(blocks: &[Block]) -> Vec<u32> {
    let mut dominators: Vec<u32> = (0..blocks.len() as u32).collect();
    let order = order(blocks);
    // Blocks by when they are left for good: the first one last.
    let mut number = vec![usize::MAX; blocks.len()];
    for (at, &block) in order.iter().enumerate() {
        number[block as usize] = at;
    }
    let mut before = vec![Vec::new(); blocks.len()];
    for &block in &order {
        for next in successors(&blocks[block as usize]) {
            before[next as usize].push(block);
        }
    }
    let mut known = vec![false; blocks.len()];
    if let Some(first) = known.first_mut() {
        *first = true;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().rev().skip(1) {
            let reached = before[block as usize].iter().copied().filter(|&from| known[from as usize]);
            let found = reached.reduce(|a, b| meet(a, b, &dominators, &number));
            let Some(found) = found else { continue };
            if !known[block as usize] || dominators[block as usize] != found {
                known[block as usize] = true;
                dominators[block as usize] = found;
                changed = true;
            }
        }
    }
    dominators
}

/// The nearest block that is on the ways to both.
fn meet(mut a: u32, mut b: u32, dominators: &[u32], number: &[usize]) -> u32 {
    while a != b {
        if number[a as usize] < number[b as usize] {
            a = dominators[a as usize];
        } else {
            b = dominators[b as usize];
        }
    }
    a
}

fn successors(block: &Block) -> Vec<u32> {
    match &block.terminator {
        Terminator::Branch(edge) => vec![edge.block],
        Terminator::Conditional { then, otherwise, .. } => vec![then.block, otherwise.block],
        Terminator::Switch { edges, .. } => edges.iter().map(|edge| edge.block).collect(),
        Terminator::Return | Terminator::ReturnValue(_) | Terminator::Kill | Terminator::Unreachable => {
            Vec::new()
        }
    }
}

/// The blocks that can be reached, each after those that it leads to, loops aside.
fn order(blocks: &[Block]) -> Vec<u32> {
    let mut order = Vec::with_capacity(blocks.len());
    let mut seen = vec![false; blocks.len()];
    let mut open: Vec<(u32, Vec<u32>)> = Vec::new();
    if let Some(first) = blocks.first() {
        seen[0] = true;
        open.push((0, successors(first)));
    }
    while let Some((block, left)) = open.last_mut() {
        match left.pop() {
            Some(next) if !seen[next as usize] => {
                seen[next as usize] = true;
                open.push((next, successors(&blocks[next as usize])));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                open.pop();
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::function::Edge;

    fn to(blocks: &[u32]) -> Block {
        let edge = |&block: &u32| Edge { block, ..Edge::default() };
        let terminator = match blocks {
            [] => Terminator::Return,
            [one] => Terminator::Branch(edge(one)),
            many => Terminator::Switch {
                selector: Default::default(),
                wide: false,
                cases: Box::default(),
                edges: many.iter().map(edge).collect(),
            },
        };
        Block { terminator, ..Block::default() }
    }

    #[test]
    fn branches_meet_and_loops_go_back() {
        // 0 -> 1 or 2 -> 3; 3 -> 4 -> 3 or 5; 6 is never reached.
        let blocks = [to(&[1, 2]), to(&[3]), to(&[3]), to(&[4]), to(&[3, 5]), to(&[]), to(&[3])];
        assert_eq!(of(&blocks), [0, 0, 0, 0, 3, 4, 6]);
    }
}
