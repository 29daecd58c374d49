//! The multiply-add of floating-point matrices, in each of the ways in which an implementation may add up.
//!
//! SPV_KHR_cooperative_matrix leaves the order of the additions and the precision inside to the implementation. A mode is one
//! answer to that; results of a good shader agree within its tolerance under all of them.

use super::bulk::{canonical, canonical_f64, round_all};
use super::exact::{SumF32, SumF64};
use super::format::{Format, Overflow, Parts, Rounding};
use super::hopper;
use super::kernel::{self, Step};

/// How a multiply-add adds up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Mode {
    /// The exact result, rounded once.
    Exact,
    /// C, then one product after the other in `f32` (`f64` for `f64`), each product and each sum rounded; the result's own
    /// format only at the end. This is what the Vulkan conformance tests compare with.
    #[default]
    Sequential,
    /// As `Sequential`, with every product and every sum rounded to the result's format. Mesa's lavapipe rounds `f16` so.
    RoundEachStep,
    /// Products in `f32`, added in a balanced tree, then C.
    Pairwise,
    /// C, then one product after the other with a single rounding each.
    Fused,
    /// As NVIDIA's Hopper does; the file `numerics/hopper.rs` says how.
    NvidiaHopper,
}

impl Mode {
    /// Every mode, in the order in which documentation lists them.
    pub const ALL: [Mode; 6] =
        [Mode::Exact, Mode::Sequential, Mode::RoundEachStep, Mode::Pairwise, Mode::Fused, Mode::NvidiaHopper];

    /// The name that users write.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Exact => "exact",
            Mode::Sequential => "sequential",
            Mode::RoundEachStep => "round-each-step",
            Mode::Pairwise => "pairwise",
            Mode::Fused => "fused",
            Mode::NvidiaHopper => "nvidia-hopper",
        }
    }

    /// The mode of a [`Mode::name`].
    pub fn from_name(name: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// One sentence for help texts and hovers.
    pub fn summary(self) -> &'static str {
        match self {
            Mode::Exact => "the exact result, rounded once",
            Mode::Sequential => "in order in f32, rounded to the result's format at the end",
            Mode::RoundEachStep => "in order, every product and sum rounded to the result's format",
            Mode::Pairwise => "products added in a balanced tree in f32",
            Mode::Fused => "in order in f32, with one rounding per fused multiply-add",
            Mode::NvidiaHopper => {
                "as measured on NVIDIA Hopper: aligned to the largest exponent and truncated"
            }
        }
    }

    /// What this mode does not know about a multiply-add of these formats.
    pub fn caveat(self, formats: Formats) -> Option<&'static str> {
        match self {
            Mode::NvidiaHopper => hopper::unmeasured(formats),
            Mode::Exact | Mode::Sequential | Mode::RoundEachStep | Mode::Pairwise | Mode::Fused => None,
        }
    }
}

/// `m` x `k` times `k` x `n`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Shape {
    pub m: usize,
    pub n: usize,
    pub k: usize,
}

/// The component formats of A, B and the result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Formats {
    /// Of the left factor.
    pub a: Format,
    /// Of the right factor.
    pub b: Format,
    /// Of the accumulator too.
    pub result: Format,
}

impl Formats {
    /// Whether the product of any two components is an `f32` exactly: neither too many digits nor too large or small.
    fn exact_products(self) -> bool {
        let small = |format: Format| match format {
            Format::F16
            | Format::E4M3
            | Format::E5M2
            | Format::E2M3
            | Format::E3M2
            | Format::E2M1
            | Format::MxInt8 => true,
            Format::F64 | Format::F32 | Format::BF16 | Format::UE8M0 => false,
        };
        small(self.a) && small(self.b)
    }
}

/// How the inner loops compute what a mode gives, where they do.
pub(crate) fn step(mode: Mode, formats: Formats) -> Option<Step> {
    let separate = if formats.exact_products() { Step::Either } else { Step::Separate };
    match mode {
        Mode::Exact | Mode::Pairwise => None,
        Mode::NvidiaHopper if hopper::applies(formats) => None,
        Mode::RoundEachStep if formats.result != Format::F32 => None,
        Mode::Sequential | Mode::RoundEachStep | Mode::NvidiaHopper => Some(separate),
        // Fusing is without effect where products are exact.
        Mode::Fused if separate == Step::Either => Some(separate),
        Mode::Fused => Some(Step::Fused),
    }
}

/// `c += a * b` by the inner loops, in `f32`. Does nothing where a slice is too short for the shape.
pub(crate) fn add_product(a: &[f32], b: &[f32], c: &mut [f32], shape: Shape, step: Step) {
    let Shape { m, n, k } = shape;
    if a.len() < m * k || b.len() < k * n || c.len() < m * n {
        return;
    }
    if kernel::multiply_add(a, b, c, shape, step) {
        canonical(&mut c[..m * n]);
    }
}

/// `c` holds C before and the result after, all in rows. Does nothing where a slice is too short for the shape.
pub(crate) fn multiply_add(mode: Mode, a: &[f32], b: &[f32], c: &mut [f32], shape: Shape, formats: Formats) {
    let Shape { m, n, k } = shape;
    if a.len() < m * k || b.len() < k * n || c.len() < m * n {
        return;
    }
    let c = &mut c[..m * n];
    match (step(mode, formats), mode) {
        (Some(step), _) => add_product(a, b, c, shape, step),
        (None, Mode::Exact) => return exact(a, b, c, shape, formats),
        (None, Mode::NvidiaHopper) => return hopper::multiply_add(a, b, c, shape, formats),
        (None, Mode::RoundEachStep) => return round_each_step(a, b, c, shape, formats.result),
        (None, Mode::Pairwise) => {
            pairwise(a, b, c, shape);
            canonical(c);
        }
        (None, Mode::Sequential | Mode::Fused) => {}
    }
    if !matches!(formats.result, Format::F32 | Format::F64) {
        round_all(formats.result, c, Rounding::NearestEven, Overflow::Special);
    }
}

/// As [`multiply_add`], where a component is an `f64`.
pub(crate) fn multiply_add_f64(
    mode: Mode,
    a: &[f64],
    b: &[f64],
    c: &mut [f64],
    shape: Shape,
    result: Format,
) {
    let Shape { m, n, k } = shape;
    if a.len() < m * k || b.len() < k * n || c.len() < m * n {
        return;
    }
    let mut products = Vec::with_capacity(k);
    for row in 0..m {
        for column in 0..n {
            let pairs = || (0..k).map(|step| (a[row * k + step], b[step * n + column]));
            let c = &mut c[row * n + column];
            *c = match mode {
                Mode::Exact => {
                    let mut sum = SumF64::default();
                    sum.add(*c);
                    pairs().for_each(|(a, b)| sum.add_product(a, b));
                    result.to_f64(sum.round(result, Rounding::NearestEven))
                }
                Mode::Fused => pairs().fold(*c, |sum, (a, b)| a.mul_add(b, sum)),
                Mode::Pairwise => {
                    products.clear();
                    products.extend(pairs().map(|(a, b)| a * b));
                    tree(&mut products) + *c
                }
                Mode::RoundEachStep if result != Format::F64 => pairs().fold(*c, |sum, (a, b)| {
                    let nearest = |value| result.nearest(value, Rounding::NearestEven);
                    nearest(sum + nearest(a * b))
                }),
                Mode::Sequential | Mode::RoundEachStep | Mode::NvidiaHopper => {
                    pairs().fold(*c, |sum, (a, b)| sum + a * b)
                }
            };
            if result != Format::F64 {
                *c = result.nearest(*c, Rounding::NearestEven);
            }
        }
    }
    canonical_f64(&mut c[..m * n]);
}

fn round_each_step(a: &[f32], b: &[f32], c: &mut [f32], Shape { n, k, .. }: Shape, format: Format) {
    if n == 0 || k == 0 {
        return;
    }
    let mut products = vec![0f32; n];
    for (a, c) in a.chunks_exact(k).zip(c.chunks_exact_mut(n)) {
        for (a, b) in a.iter().zip(b.chunks_exact(n)) {
            for (product, b) in products.iter_mut().zip(b) {
                *product = a * b;
            }
            round_all(format, &mut products, Rounding::NearestEven, Overflow::Special);
            for (c, product) in c.iter_mut().zip(&products) {
                *c += product;
            }
            round_all(format, c, Rounding::NearestEven, Overflow::Special);
        }
    }
}

fn pairwise(a: &[f32], b: &[f32], c: &mut [f32], shape: Shape) {
    if shape.n > 0 && shape.k > 0 {
        super::wide::dispatch(Pairs { a, b, c, shape });
    }
}

/// Sixteen columns at once, each a tree of its own.
struct Pairs<'a> {
    a: &'a [f32],
    b: &'a [f32],
    c: &'a mut [f32],
    shape: Shape,
}

impl pulp::NullaryFnOnce for Pairs<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        const LANES: usize = 16;
        let Pairs { a, b, c, shape: Shape { n, k, .. } } = self;
        let mut products = vec![[0f32; LANES]; k];
        for (a, c) in a.chunks_exact(k).zip(c.chunks_exact_mut(n)) {
            for first in (0..n).step_by(LANES) {
                let width = LANES.min(n - first);
                for ((a, b), products) in a.iter().zip(b.chunks_exact(n)).zip(&mut products) {
                    match b[first..].first_chunk::<LANES>() {
                        Some(b) => *products = b.map(|b| a * b),
                        None => {
                            products.iter_mut().zip(&b[first..]).for_each(|(product, b)| *product = a * b)
                        }
                    }
                }
                let mut rows = k;
                while rows > 1 {
                    let half = rows.div_ceil(2);
                    for row in 0..rows / 2 {
                        let (even, odd) = (products[2 * row], products[2 * row + 1]);
                        products[row] = std::array::from_fn(|lane| even[lane] + odd[lane]);
                    }
                    if rows % 2 == 1 {
                        products[half - 1] = products[rows - 1];
                    }
                    rows = half;
                }
                for (c, sum) in c[first..first + width].iter_mut().zip(&products[0]) {
                    *c += sum;
                }
            }
        }
    }
}

/// Neighbours are added, then the sums of neighbours; one that is left over goes up unchanged.
fn tree(values: &mut [f64]) -> f64 {
    let mut count = values.len();
    while count > 1 {
        for index in 0..count / 2 {
            values[index] = values[2 * index] + values[2 * index + 1];
        }
        if count % 2 == 1 {
            values[count / 2] = values[count - 1];
        }
        count = count.div_ceil(2);
    }
    values.first().copied().unwrap_or(0.0)
}

fn exact(a: &[f32], b: &[f32], c: &mut [f32], shape: Shape, formats: Formats) {
    let Shape { m, n, k } = shape;
    let (a, b) = (&a[..m * k], &b[..k * n]);
    if formats.exact_products()
        && let (Some(fixed_a), Some(fixed_b)) = (all_fixed(a), all_fixed(b))
    {
        return exact_fixed(&fixed_a, &fixed_b, a, b, c, shape, formats.result);
    }
    for row in 0..m {
        for column in 0..n {
            c[row * n + column] = exact_one(a, b, c[row * n + column], row, column, shape, formats.result);
        }
    }
}

fn exact_one(
    a: &[f32],
    b: &[f32],
    c: f32,
    row: usize,
    column: usize,
    Shape { n, k, .. }: Shape,
    result: Format,
) -> f32 {
    let mut sum = SumF32::default();
    sum.add(f64::from(c));
    for step in 0..k {
        sum.add_product(f64::from(a[row * k + step]), f64::from(b[step * n + column]));
    }
    result.to_f32(sum.round(result, Rounding::NearestEven))
}

/// Below the last digit of an f16, and of every smaller format.
const FIXED: i32 = 24;

/// Multiples of 2^-24 below 2^40, as integers.
fn all_fixed(values: &[f32]) -> Option<Vec<i64>> {
    let scale = super::format::power_of_two(FIXED);
    values.iter().map(|value| value.is_finite().then(|| (f64::from(*value) * scale) as i64)).collect()
}

/// Sums of such products fit into 128 bits, together with most accumulators.
fn exact_fixed(
    fixed_a: &[i64],
    fixed_b: &[i64],
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    shape: Shape,
    result: Format,
) {
    let Shape { m, n, k } = shape;
    let unit = super::format::power_of_two(2 * FIXED);
    for row in 0..m {
        for column in 0..n {
            let value = c[row * n + column];
            let scaled = f64::from(value) * unit;
            let fits = scaled.abs() < 1e36 && scaled == libm::trunc(scaled) && k < 1 << 24;
            let mut sum = if fits { scaled as i128 } else { 0 };
            for step in 0..k {
                sum += i128::from(fixed_a[row * k + step]) * i128::from(fixed_b[step * n + column]);
            }
            c[row * n + column] = if !fits || sum == 0 {
                // Also where the sign of a zero is asked for.
                exact_one(a, b, value, row, column, shape, result)
            } else {
                let magnitude = sum.unsigned_abs();
                let shift = 64u32.saturating_sub(magnitude.leading_zeros());
                let parts = Parts {
                    negative: sum < 0,
                    significand: (magnitude >> shift) as u64,
                    exponent: shift as i32 - 2 * FIXED,
                    sticky: magnitude & ((1u128 << shift) - 1) != 0,
                };
                result.to_f32(result.round(parts, Rounding::NearestEven, Overflow::Special))
            };
        }
    }
}

#[cfg(test)]
mod tests;
