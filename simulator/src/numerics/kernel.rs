//! The inner loops of a multiply-add of `f32`: rows of C in registers, a row of B at a time, elements of A spread out.
//!
//! Every element of C is `c + a0*b0 + a1*b1 + ...` in this order, whatever the blocking, so the width of the vectors is not
//! seen in the result. Blocks go through `pulp` where the processor has wide vectors, and through plain loops over arrays,
//! which the compiler vectorises for the baseline it builds for, elsewhere.

use pulp::{Simd, WithSimd};

use super::wide::dispatch;
use super::{Shape, bulk};

/// How one step is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// The product is rounded, then the sum.
    Separate,
    /// One rounding.
    Fused,
    /// Products are exact, so that the two are the same: whichever is faster.
    Either,
}

/// Adds to C; whether a NaN may be in it then.
pub(crate) fn multiply_add(a: &[f32], b: &[f32], c: &mut [f32], shape: Shape, step: Step) -> bool {
    let Shape { m, n, k } = shape;
    if m == 0 || n == 0 || k == 0 {
        return true;
    }
    dispatch(Blocked { a: &a[..m * k], b: &b[..k * n], c: &mut c[..m * n], m, n, k, step })
}

struct Blocked<'a> {
    a: &'a [f32],
    b: &'a [f32],
    c: &'a mut [f32],
    m: usize,
    n: usize,
    k: usize,
    step: Step,
}

impl WithSimd for Blocked<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Blocked { a, b, c, m, n, k, step } = self;
        match (S::IS_SCALAR, step) {
            (true, Step::Separate | Step::Either) => plain::<false>(a, b, c, n, k),
            (true, Step::Fused) => plain::<true>(a, b, c, n, k),
            (false, Step::Separate) => wide::<S, false>(simd, Rest { a, b, c, m, n, k }),
            (false, Step::Fused | Step::Either)
                if S::F32_LANES * 2 == SIDE && (m, n, k) == (SIDE, SIDE, SIDE) =>
            {
                return square::<S, true>(simd, a, b, c);
            }
            (false, Step::Fused | Step::Either) => wide::<S, true>(simd, Rest { a, b, c, m, n, k }),
        }
        bulk::has_nan(c)
    }
}

/// What most matrices have in each direction: two vectors of eight.
const SIDE: usize = 16;

/// A product of 16 x 16 x 16, all of whose places are known when this is compiled; whether a NaN may be in C then.
#[inline(always)]
fn square<S: Simd, const FUSED: bool>(simd: S, a: &[f32], b: &[f32], c: &mut [f32]) -> bool {
    let (a, c) = (a.as_chunks::<SIDE>().0, c.as_chunks_mut::<SIDE>().0);
    let Some(b) = b.as_chunks::<SIDE>().0.first_chunk::<SIDE>() else { return true };
    if a.len() < SIDE || c.len() < SIDE {
        return true;
    }
    let ((first_a, a), (first_c, c)) = (a.split_at(6), c.split_at_mut(6));
    let ((second_a, last_a), (second_c, last_c)) = (a.split_at(6), c.split_at_mut(6));
    // Twelve sums hide how long an addition takes.
    let all = strip::<S, FUSED, 6>(simd, first_a, b, first_c);
    let all = simd.add_f32s(all, strip::<S, FUSED, 6>(simd, second_a, b, second_c));
    let all = simd.add_f32s(all, strip::<S, FUSED, 4>(simd, last_a, b, last_c));
    simd.reduce_sum_f32s(all).is_nan()
}

/// `ROWS` rows of it; their sum, which is a NaN where one of them has any.
#[inline(always)]
fn strip<S: Simd, const FUSED: bool, const ROWS: usize>(
    simd: S,
    a: &[[f32; SIDE]],
    b: &[[f32; SIDE]; SIDE],
    c: &mut [[f32; SIDE]],
) -> S::f32s {
    let zero = simd.splat_f32s(0.0);
    let (Some(a), Some(c)) = (a.first_chunk::<ROWS>(), c.first_chunk_mut::<ROWS>()) else {
        return simd.splat_f32s(f32::NAN);
    };
    let mut sums = [[zero; 2]; ROWS];
    for row in 0..ROWS {
        let (vectors, _) = S::as_simd_f32s(&c[row]);
        sums[row] = [vectors[0], vectors[1]];
    }
    for index in 0..SIDE {
        let (vectors, _) = S::as_simd_f32s(&b[index]);
        for row in 0..ROWS {
            let a = simd.splat_f32s(a[row][index]);
            for vector in 0..2 {
                let sum = &mut sums[row][vector];
                *sum = if FUSED {
                    simd.mul_add_f32s(a, vectors[vector], *sum)
                } else {
                    simd.add_f32s(*sum, simd.mul_f32s(a, vectors[vector]))
                };
            }
        }
    }
    let mut all = zero;
    for row in 0..ROWS {
        let (vectors, _) = S::as_mut_simd_f32s(&mut c[row]);
        vectors.copy_from_slice(&sums[row]);
        all = simd.add_f32s(all, simd.add_f32s(sums[row][0], sums[row][1]));
    }
    // Now: the compiler would put these additions off and keep all sums until then.
    std::hint::black_box(all)
}

#[inline(always)]
fn step<const FUSED: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FUSED { a.mul_add(b, c) } else { c + a * b }
}

/// Slices of A and C from some row on, and all of B.
struct Rest<'m> {
    a: &'m [f32],
    b: &'m [f32],
    c: &'m mut [f32],
    m: usize,
    n: usize,
    k: usize,
}

#[inline(always)]
fn wide<S: Simd, const FUSED: bool>(simd: S, rest: Rest<'_>) {
    let (m, n) = (rest.m, rest.n);
    // As many sums as leave registers for a row of B.
    let rest = if S::F32_LANES >= 16 {
        let sixteens = if n < 2 * S::F32_LANES { m / 16 } else { 0 };
        let rest = rows::<S, FUSED, 16>(simd, rest, sixteens);
        let eights = rest.m / 8;
        rows::<S, FUSED, 8>(simd, rest, eights)
    } else {
        // Twelve sums hide how long an addition takes, eight only just: six rows as often as fours fill the rest.
        let sixes = if n >= 2 * S::F32_LANES { m / 12 * 2 } else { 0 };
        let rest = rows::<S, FUSED, 6>(simd, rest, sixes);
        let fours = rest.m / 4;
        rows::<S, FUSED, 4>(simd, rest, fours)
    };
    let ones = rest.m;
    rows::<S, FUSED, 1>(simd, rest, ones);
}

/// So many times `ROWS` rows of C; gives what there is after them.
#[inline(always)]
fn rows<S: Simd, const FUSED: bool, const ROWS: usize>(simd: S, rest: Rest<'_>, times: usize) -> Rest<'_> {
    let Rest { mut a, b, mut c, m, n, k } = rest;
    for _ in 0..times {
        let (now_a, later_a) = a.split_at(ROWS * k);
        let (now_c, later_c) = c.split_at_mut(ROWS * n);
        columns::<S, FUSED, ROWS>(simd, now_a, b, now_c, n, k);
        (a, c) = (later_a, later_c);
    }
    Rest { a, b, c, m: m - times * ROWS, n, k }
}

#[inline(always)]
fn columns<S: Simd, const FUSED: bool, const ROWS: usize>(
    simd: S,
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    n: usize,
    k: usize,
) {
    let mut column = 0;
    while column + 2 * S::F32_LANES <= n {
        block::<S, FUSED, ROWS, 2>(simd, a, b, c, n, k, column);
        column += 2 * S::F32_LANES;
    }
    while column + S::F32_LANES <= n {
        block::<S, FUSED, ROWS, 1>(simd, a, b, c, n, k, column);
        column += S::F32_LANES;
    }
    for column in column..n {
        for (a, c) in a.chunks_exact(k).zip(c.chunks_exact_mut(n)) {
            let mut sum = c[column];
            for (a, b) in a.iter().zip(b.chunks_exact(n)) {
                sum = step::<FUSED>(*a, b[column], sum);
            }
            c[column] = sum;
        }
    }
}

/// `ROWS` x `VECTORS` vectors of C from `column` on.
#[inline(always)]
fn block<S: Simd, const FUSED: bool, const ROWS: usize, const VECTORS: usize>(
    simd: S,
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    n: usize,
    k: usize,
    column: usize,
) {
    let width = VECTORS * S::F32_LANES;
    // All of one length, so that the loop looks at no bounds.
    let mut rows: [&[f32]; ROWS] = [&[]; ROWS];
    let mut sums = [[simd.splat_f32s(0.0); VECTORS]; ROWS];
    for row in 0..ROWS {
        rows[row] = &a[row * k..][..k];
        let (vectors, _) = S::as_simd_f32s(&c[row * n + column..][..width]);
        sums[row].copy_from_slice(vectors);
    }
    if n == width {
        let (vectors, _) = S::as_simd_f32s(b);
        for (index, b) in (0..k).zip(vectors.as_chunks::<VECTORS>().0) {
            add::<S, FUSED, ROWS, VECTORS>(simd, &rows, index, *b, &mut sums);
        }
    } else {
        let mut rest = b;
        for index in 0..k {
            let (b, later) = rest.split_at(n);
            rest = later;
            let (vectors, _) = S::as_simd_f32s(&b[column..][..width]);
            let mut b = [simd.splat_f32s(0.0); VECTORS];
            b.copy_from_slice(vectors);
            add::<S, FUSED, ROWS, VECTORS>(simd, &rows, index, b, &mut sums);
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        let (vectors, _) = S::as_mut_simd_f32s(&mut c[row * n + column..][..width]);
        vectors.copy_from_slice(sums);
    }
}

/// One step: an element of each row of A with a row of B.
#[inline(always)]
fn add<S: Simd, const FUSED: bool, const ROWS: usize, const VECTORS: usize>(
    simd: S,
    a: &[&[f32]; ROWS],
    index: usize,
    b: [S::f32s; VECTORS],
    sums: &mut [[S::f32s; VECTORS]; ROWS],
) {
    for row in 0..ROWS {
        let a = simd.splat_f32s(a[row][index]);
        for vector in 0..VECTORS {
            let sum = &mut sums[row][vector];
            *sum = if FUSED {
                simd.mul_add_f32s(a, b[vector], *sum)
            } else {
                simd.add_f32s(*sum, simd.mul_f32s(a, b[vector]))
            };
        }
    }
}

/// Without wide vectors: blocks of 4 x 8 sums, which fit the registers of SSE2, NEON and simd128.
fn plain<const FUSED: bool>(a: &[f32], b: &[f32], c: &mut [f32], n: usize, k: usize) {
    const ROWS: usize = 4;
    let mut blocks_a = a.chunks_exact(ROWS * k);
    let mut blocks_c = c.chunks_exact_mut(ROWS * n);
    for (a, c) in blocks_a.by_ref().zip(blocks_c.by_ref()) {
        plain_rows::<FUSED, ROWS>(a, b, c, n, k);
    }
    for (a, c) in blocks_a.remainder().chunks_exact(k).zip(blocks_c.into_remainder().chunks_exact_mut(n)) {
        plain_rows::<FUSED, 1>(a, b, c, n, k);
    }
}

#[inline(always)]
fn plain_rows<const FUSED: bool, const ROWS: usize>(a: &[f32], b: &[f32], c: &mut [f32], n: usize, k: usize) {
    const WIDTH: usize = 8;
    let rows: [&[f32]; ROWS] = std::array::from_fn(|row| &a[row * k..][..k]);
    let mut column = 0;
    while column + WIDTH <= n {
        let mut sums = [[0f32; WIDTH]; ROWS];
        for (row, sums) in sums.iter_mut().enumerate() {
            sums.copy_from_slice(&c[row * n + column..][..WIDTH]);
        }
        for (index, b) in b.chunks_exact(n).enumerate() {
            let mut vector = [0f32; WIDTH];
            vector.copy_from_slice(&b[column..][..WIDTH]);
            for row in 0..ROWS {
                let a = rows[row][index];
                for lane in 0..WIDTH {
                    sums[row][lane] = step::<FUSED>(a, vector[lane], sums[row][lane]);
                }
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            c[row * n + column..][..WIDTH].copy_from_slice(sums);
        }
        column += WIDTH;
    }
    for column in column..n {
        for (row, a) in rows.iter().enumerate() {
            let mut sum = c[row * n + column];
            for (a, b) in a.iter().zip(b.chunks_exact(n)) {
                sum = step::<FUSED>(*a, b[column], sum);
            }
            c[row * n + column] = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            (state >> 9) as f32 / 4096.0 - 1000.0
        };
        (0..count).map(|_| next()).collect()
    }

    /// Each width of vectors, and none, gives the bits of the plainest loop.
    #[test]
    fn all_ways_give_the_same_bits() {
        for (m, n, k) in [(1, 1, 1), (16, 16, 16), (8, 8, 4), (17, 37, 5), (64, 40, 33), (3, 100, 7)] {
            let (a, b, c) = (numbers(m * k, 1), numbers(k * n, 2), numbers(m * n, 3));
            for kind in [Step::Separate, Step::Fused] {
                let mut expected = c.clone();
                for row in 0..m {
                    for column in 0..n {
                        let sum = &mut expected[row * n + column];
                        for step in 0..k {
                            let (a, b) = (a[row * k + step], b[step * n + column]);
                            *sum = if kind == Step::Fused { a.mul_add(b, *sum) } else { *sum + a * b };
                        }
                    }
                }
                let mut natively = c.clone();
                multiply_add(&a, &b, &mut natively, Shape { m, n, k }, kind);
                assert_eq!(natively, expected, "{m}x{n}x{k} {kind:?}");
                let mut plainly = c.clone();
                match kind {
                    Step::Fused => plain::<true>(&a, &b, &mut plainly, n, k),
                    _ => plain::<false>(&a, &b, &mut plainly, n, k),
                }
                assert_eq!(plainly, expected);
            }
        }
    }

    /// Wherever a NaN or an infinity comes from, and whatever the shape: every NaN is the one that operations give, and infinities stay.
    #[test]
    fn special_sums_are_the_same_in_all_shapes() {
        use crate::numerics::{Format, Formats, Mode};
        let formats = Formats { a: Format::F16, b: Format::F16, result: Format::F32 };
        let specials =
            [f32::from_bits(0x7f80_2000), f32::from_bits(0xffc0_0000), f32::INFINITY, f32::NEG_INFINITY];
        for (m, n, k) in [(16, 16, 16), (8, 16, 8), (32, 32, 16)] {
            for special in specials {
                for row in [0, m / 2, m - 1] {
                    let sign = |index: usize| if (index % n).is_multiple_of(2) { 1.0 } else { -1.0 };
                    let mut a = vec![1.0; m * k];
                    a[row * k + k / 2] = special;
                    let b: Vec<f32> = (0..k * n).map(sign).collect();
                    let mut c = vec![0.5; m * n];
                    super::super::multiply_add(Mode::Sequential, &a, &b, &mut c, Shape { m, n, k }, formats);
                    for (index, value) in c.iter().enumerate() {
                        let expected = match index / n == row {
                            true if special.is_nan() => f32::NAN,
                            true => special * sign(index),
                            false => 0.5 + k as f32 * sign(index),
                        };
                        assert_eq!(value.to_bits(), expected.to_bits(), "{m}x{n}x{k}, element {index}");
                    }
                }
            }
        }
    }
}
