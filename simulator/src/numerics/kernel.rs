//! The inner loops of a multiply-add of `f32`: rows of C in registers, a row of B at a time, elements of A spread out.
//!
//! Every element of C is `c + a0*b0 + a1*b1 + ...` in this order, whatever the blocking, so the width of the vectors is not
//! seen in the result. Blocks go through `pulp` where the processor has wide vectors, and through plain loops over arrays,
//! which the compiler vectorises for the baseline it builds for, elsewhere.

use pulp::{Simd, WithSimd};

use super::Shape;
use super::wide::dispatch;

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

pub(crate) fn multiply_add(a: &[f32], b: &[f32], c: &mut [f32], shape: Shape, step: Step) {
    let Shape { m, n, k } = shape;
    if m == 0 || n == 0 || k == 0 {
        return;
    }
    dispatch(Blocked { a: &a[..m * k], b: &b[..k * n], c: &mut c[..m * n], n, k, step });
}

struct Blocked<'a> {
    a: &'a [f32],
    b: &'a [f32],
    c: &'a mut [f32],
    n: usize,
    k: usize,
    step: Step,
}

impl WithSimd for Blocked<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Blocked { a, b, c, n, k, step } = self;
        match (S::IS_SCALAR, step) {
            (true, Step::Separate | Step::Either) => plain::<false>(a, b, c, n, k),
            (true, Step::Fused) => plain::<true>(a, b, c, n, k),
            (false, Step::Separate) => wide::<S, false>(simd, a, b, c, n, k),
            (false, Step::Fused | Step::Either) => wide::<S, true>(simd, a, b, c, n, k),
        }
    }
}

#[inline(always)]
fn step<const FUSED: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FUSED { a.mul_add(b, c) } else { c + a * b }
}

#[inline(always)]
fn wide<S: Simd, const FUSED: bool>(simd: S, a: &[f32], b: &[f32], c: &mut [f32], n: usize, k: usize) {
    // As many sums as leave registers for a row of B.
    if S::F32_LANES >= 16 && n < 2 * S::F32_LANES && a.len() >= 16 * k {
        rows::<S, FUSED, 16>(simd, a, b, c, n, k);
    } else if S::F32_LANES >= 16 {
        rows::<S, FUSED, 8>(simd, a, b, c, n, k);
    } else {
        rows::<S, FUSED, 4>(simd, a, b, c, n, k);
    }
}

#[inline(always)]
fn rows<S: Simd, const FUSED: bool, const ROWS: usize>(
    simd: S,
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    n: usize,
    k: usize,
) {
    let mut blocks_a = a.chunks_exact(ROWS * k);
    let mut blocks_c = c.chunks_exact_mut(ROWS * n);
    for (a, c) in blocks_a.by_ref().zip(blocks_c.by_ref()) {
        columns::<S, FUSED, ROWS>(simd, a, b, c, n, k);
    }
    for (a, c) in blocks_a.remainder().chunks_exact(k).zip(blocks_c.into_remainder().chunks_exact_mut(n)) {
        columns::<S, FUSED, 1>(simd, a, b, c, n, k);
    }
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
    let rows: [&[f32]; ROWS] = std::array::from_fn(|row| &a[row * k..][..k]);
    let mut sums: [[S::f32s; VECTORS]; ROWS] = std::array::from_fn(|row| {
        let (vectors, _) = S::as_simd_f32s(&c[row * n + column..][..width]);
        std::array::from_fn(|vector| vectors[vector])
    });
    for (index, b) in b.chunks_exact(n).enumerate() {
        let (vectors, _) = S::as_simd_f32s(&b[column..][..width]);
        for row in 0..ROWS {
            let a = simd.splat_f32s(rows[row][index]);
            for vector in 0..VECTORS {
                let sum = &mut sums[row][vector];
                *sum = if FUSED {
                    simd.mul_add_f32s(a, vectors[vector], *sum)
                } else {
                    simd.add_f32s(*sum, simd.mul_f32s(a, vectors[vector]))
                };
            }
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        let (vectors, _) = S::as_mut_simd_f32s(&mut c[row * n + column..][..width]);
        vectors.copy_from_slice(sums);
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
}
