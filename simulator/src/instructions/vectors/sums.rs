//! Sums of vectors (OpCooperativeVectorReduceSumAccumulateNV), and how NVIDIA's Hopper GPUs add those of a subgroup before they go to memory.

use super::memory;
use super::operands::{address, component, element};
use crate::code::{Start, VectorOperand};
use crate::machine::{Context, lanes_of};
use crate::matrix::Component;
use crate::numerics::{Format, Formats, Mode, Overflow, Rounding, Shape, multiply_add};
use crate::program::types::Scalar;

/// Lanes whose outer products the tensor cores add up at a time.
const BLOCK: usize = 8;

pub(super) fn execute(value: VectorOperand, at: Start, cx: &mut Context) {
    if is_hopper(cx, value.scalar) {
        for (start, lanes) in groups(cx, |cx, lane| address(cx, at, lane)) {
            for index in 0..value.count {
                let place = element(start, index, value.scalar);
                lanes.iter().for_each(|&lane| memory::note_sum(cx, lane, place, value.scalar));
                let sum = in_pairs(cx, value, index, &lanes);
                memory::change(cx, place, value.scalar, sum);
            }
        }
        return;
    }
    for lane in lanes_of(cx.registers.mask()) {
        let start = address(cx, at, lane);
        for index in 0..value.count {
            let bits = component(cx, value, index, lane);
            memory::add(cx, lane, element(start, index, value.scalar), value.scalar, bits);
        }
    }
}

/// Whether sums are added up as an H100 (driver 580.159.04) does: it offers those of 16-bit floats alone.
pub(super) fn is_hopper(cx: &Context, sums: Scalar) -> bool {
    let mode = cx.numerics(Component::Float(Format::F16)).mode;
    mode == Mode::NvidiaHopper && sums == Scalar::Float(Format::F16)
}

/// The active lanes by what they agree in, in the order of the first of each.
pub(super) fn groups<T: PartialEq>(cx: &Context, of: impl Fn(&Context, usize) -> T) -> Vec<(T, Vec<usize>)> {
    let mut groups: Vec<(T, Vec<usize>)> = Vec::new();
    for lane in super::active(cx) {
        let key = of(cx, lane);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, lanes)) => lanes.push(lane),
            None => groups.push((key, vec![lane])),
        }
    }
    groups
}

/// The sum of a component over the lanes that take part: neighbours first, counted from the last one, then pairs of neighbours, each sum rounded.
fn in_pairs(cx: &Context, value: VectorOperand, index: u32, lanes: &[usize]) -> u64 {
    let number = |&lane: &usize| Format::F16.to_f64(component(cx, value, index, lane));
    let rounded = |sum: f64| Format::F16.from_f64(sum, Rounding::NearestEven, Overflow::Special);
    let mut sums: Vec<f64> = lanes.iter().map(number).collect();
    while sums.len() > 1 {
        // Two numbers of 16 bits have an exact sum in 64. The first of an odd number waits.
        let pairs = sums.rchunks(2).rev().map(|pair| Format::F16.to_f64(rounded(pair.iter().sum())));
        sums = pairs.collect();
    }
    rounded(sums.iter().sum())
}

/// The sums of outer products of lanes, row after row: [`BLOCK`] lanes at a time, each block's sum rounded.
pub(super) fn of_products(cx: &Context, a: VectorOperand, b: VectorOperand, lanes: &[usize]) -> Vec<u64> {
    let half = |vector: VectorOperand, index: u32, lane: usize| {
        if lanes.contains(&lane) {
            Format::F16.to_f64(component(cx, vector, index, lane)) as f32
        } else {
            0.0
        }
    };
    let (m, n) = (a.count as usize, b.count as usize);
    let formats = Formats { a: Format::F16, b: Format::F16, result: Format::F16 };
    let mut sums = vec![0.0; m * n];
    for first in (0..cx.registers.lanes()).step_by(BLOCK) {
        let block = first..first + BLOCK;
        let left: Vec<f32> = (0..a.count)
            .flat_map(|row| block.clone().map(move |lane| (row, lane)))
            .map(|(row, lane)| half(a, row, lane))
            .collect();
        let right: Vec<f32> = block
            .flat_map(|lane| (0..b.count).map(move |column| (column, lane)))
            .map(|(column, lane)| half(b, column, lane))
            .collect();
        multiply_add(Mode::NvidiaHopper, &left, &right, &mut sums, Shape { m, n, k: BLOCK }, formats);
    }
    let bits = |sum: f32| Format::F16.from_f64(f64::from(sum), Rounding::NearestEven, Overflow::Special);
    sums.into_iter().map(bits).collect()
}
