//! Numbers and matrices in memory: how they are read, and added to.

use super::operands::address;
use crate::code::{AtomicOp, IntegerOp, StoredMatrix};
use crate::instructions::atomics;
use crate::machine::Context;
use crate::observer::AccessKind;
use crate::program::types::Scalar;

/// Numbers that were read.
#[derive(Default)]
pub(super) struct Numbers {
    pub bits: Vec<u64>,
    /// Those that nobody wrote, in checked mode.
    pub undefined: Vec<usize>,
}

/// Where a matrix begins for a lane, and what its stride is: lanes that agree in both have the same one.
pub(super) fn place(cx: &Context, matrix: &StoredMatrix, lane: usize) -> (u64, u64) {
    let stride = matrix.stride.map_or(0, |stride| cx.registers.get(cx.plane(stride), lane));
    (address(cx, matrix.at, lane), if matrix.layout.is_optimal() { 0 } else { u64::from(stride) })
}

/// Where its elements are, row after row.
pub(super) fn places(
    matrix: &StoredMatrix,
    (start, stride): (u64, u64),
) -> impl Iterator<Item = u64> + use<> {
    let (rows, columns, layout, size) = (matrix.rows, matrix.columns, matrix.layout, matrix.scalar.bytes());
    let all = (0..rows).flat_map(move |row| (0..columns).map(move |column| (row, column)));
    all.map(move |at| start.wrapping_add(layout.offset((rows, columns), at, size, stride)))
}

/// Counts the products of these lanes with a matrix.
pub(super) fn count(cx: &mut Context, matrix: &StoredMatrix, lanes: u64) {
    let counts = &mut cx.env.report.counts;
    counts.matrix_multiplies += lanes;
    counts.matrix_flops += 2 * u64::from(matrix.rows) * u64::from(matrix.columns) * lanes;
}

/// Reads what a product takes from memory: "as if [...] the memory object were NonWritable and Restrict".
pub(super) fn read(
    cx: &mut Context,
    lane: usize,
    scalar: Scalar,
    places: impl Iterator<Item = u64>,
) -> Numbers {
    let mut numbers = Numbers::default();
    for (index, address) in places.enumerate() {
        cx.count_access(AccessKind::Read, scalar.bytes(), &[(lane, address)]);
        if cx.env.settings.checked && cx.check_constant_read(lane, address, scalar.bytes()) {
            numbers.undefined.push(index);
        }
        numbers.bits.push(cx.env.memory.read(address, scalar.bytes()));
    }
    numbers
}

/// Says that a lane adds to a number in memory, whoever makes the addition.
pub(super) fn note_sum(cx: &mut Context, lane: usize, address: u64, scalar: Scalar) {
    if cx.env.settings.checked {
        cx.check_sum(lane, address, scalar.bytes());
    }
    cx.access(AccessKind::Atomic, scalar.bytes(), &[(lane, address)]);
}

/// Adds to a number in memory, "as if it were a Relaxed atomic add with Device scope".
pub(super) fn add(cx: &mut Context, lane: usize, address: u64, scalar: Scalar, bits: u64) {
    note_sum(cx, lane, address, scalar);
    change(cx, address, scalar, bits);
}

/// The addition of [`add`] by itself.
pub(super) fn change(cx: &mut Context, address: u64, scalar: Scalar, bits: u64) {
    let op = match scalar {
        Scalar::Float(_) => AtomicOp::Add,
        _ => AtomicOp::Integer(IntegerOp::Add),
    };
    let mut change = |old| atomics::combine(op, scalar, old, bits, 0);
    cx.env.memory.update(address, scalar.bytes(), &mut change);
}
