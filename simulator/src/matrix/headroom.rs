//! How far the sums in `float16_t` accumulators are from overflowing.
//!
//! A multiply-add leaves with the matrix that it makes what its elements are sums of; whatever else writes to a matrix takes that away, so
//! that the next multiply-add begins new sums. Partial sums are computed once more, in double precision and one product after the other:
//! what the numerics of a run make of them only decides which elements are infinite.

use rustc_hash::FxHashMap;

use super::Matrix;
use crate::numerics::{Format, Shape};

/// An element's flags: its sum has been beyond the range; it has been infinite; an operand was not finite, so that nothing is told of it.
const BEYOND: u8 = 1;
const INFINITE: u8 = 2;
const EXCLUDED: u8 = 4;

/// What the elements of an accumulator are sums of, since something else than a multiply-add made it.
#[derive(Clone, Debug)]
pub struct Sums {
    products: u64,
    /// The instructions that have added to them.
    instructions: Vec<u32>,
    /// What each element was before the first product.
    start: Vec<f64>,
    /// Of each element's products.
    sums: Vec<f64>,
    flags: Vec<u8>,
}

/// Who executes a multiply-add.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adder {
    pub instruction: u32,
    pub workgroup: [u32; 3],
    pub subgroup: u32,
}

impl Sums {
    /// New sums, which begin with what an accumulator holds.
    pub(crate) fn of(accumulator: &Matrix) -> Sums {
        let start = numbers(accumulator);
        let count = start.len();
        Sums { products: 0, instructions: Vec::new(), start, sums: vec![0.0; count], flags: vec![0; count] }
    }

    /// How many products have been added to each element.
    pub fn products(&self) -> u64 {
        self.products
    }

    /// An element as it would be if nothing had been rounded; NaN where an operand was infinite or NaN.
    pub fn value(&self, index: usize) -> f64 {
        let at = |values: &[f64]| values.get(index).copied().unwrap_or(f64::NAN);
        let value = at(&self.start) + at(&self.sums);
        if value.is_finite() { value } else { f64::NAN }
    }

    /// The memory that this takes.
    pub(crate) fn bytes(&self) -> u64 {
        self.flags.len() as u64 * 17
    }

    /// Adds the products of A and B, of which the run has made `result`.
    pub(crate) fn add(
        &mut self,
        a: &Matrix,
        b: &Matrix,
        result: &Matrix,
        adder: Adder,
        headroom: &mut Headroom,
    ) {
        let (type_a, type_) = (a.type_(), result.type_());
        let Shape { m, n, k } =
            Shape { m: type_.rows as usize, n: type_.columns as usize, k: type_a.columns as usize };
        let (a, b) = (numbers(a), numbers(b));
        if a.len() != m * k || b.len() != k * n || self.sums.len() != m * n || n == 0 || k == 0 {
            return;
        }
        if !self.instructions.contains(&adder.instruction) {
            self.instructions.push(adder.instruction);
            headroom.sums += (m * n) as u64;
        }
        let (mut before, mut highest, mut lowest) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        for (row, (sums, a)) in self.sums.chunks_exact_mut(n).zip(a.chunks_exact(k)).enumerate() {
            before.copy_from_slice(sums);
            highest.fill(f64::NEG_INFINITY);
            lowest.fill(f64::INFINITY);
            for (a, b) in a.iter().zip(b.chunks_exact(n)) {
                let range = highest.iter_mut().zip(&mut lowest);
                for ((sum, b), (highest, lowest)) in sums.iter_mut().zip(b).zip(range) {
                    *sum += a * b;
                    *highest = if *sum > *highest { *sum } else { *highest };
                    *lowest = if *sum < *lowest { *sum } else { *lowest };
                }
            }
            for column in 0..n {
                let index = row * n + column;
                let element = Element {
                    start: self.start[index],
                    before: before[column],
                    products: self.products,
                    highest: highest[column],
                    lowest: lowest[column],
                    is_finite: sums[column].is_finite() && self.start[index].is_finite(),
                    found: result.number(index),
                    at: [row as u32, column as u32],
                };
                let products = || a.iter().zip(b[column..].iter().step_by(n)).map(|(a, b)| a * b);
                headroom.element(&element, products, &mut self.flags[index], adder);
            }
        }
        self.products += k as u64;
        headroom.products = headroom.products.max(self.products);
    }
}

/// The elements in rows.
fn numbers(matrix: &Matrix) -> Vec<f64> {
    (0..matrix.type_().count()).map(|index| matrix.number(index)).collect()
}

/// An element that a multiply-add has added to.
struct Element {
    start: f64,
    /// The sum of the products that were there before, and how many they are.
    before: f64,
    products: u64,
    /// The range of the sums of products since then, the last one among them.
    highest: f64,
    lowest: f64,
    is_finite: bool,
    /// What the run has made of it.
    found: f64,
    at: [u32; 2],
}

/// A sum after some of its products.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartialSum {
    /// In double precision, what the accumulator held before the first product included.
    pub value: f64,
    /// The product that was added last, counted from 0 from where the sum began.
    pub k: u64,
    /// `gl_WorkGroupID`.
    pub workgroup: [u32; 3],
    /// `gl_SubgroupID`.
    pub subgroup: u32,
    /// Of the element in the accumulator.
    pub row: u32,
    /// Of the element in the accumulator.
    pub column: u32,
}

impl PartialSum {
    /// Whether its workgroup runs before that of another.
    fn is_before(&self, other: &PartialSum) -> bool {
        let order = |&PartialSum { workgroup: [x, y, z], .. }: &PartialSum| [z, y, x];
        order(self) < order(other)
    }

    fn is_larger(&self, other: &PartialSum) -> bool {
        let (size, others) = (self.value.abs(), other.value.abs());
        size > others || size == others && self.is_before(other)
    }

    fn is_earlier(&self, other: &PartialSum) -> bool {
        self.k < other.k || self.k == other.k && self.is_before(other)
    }
}

/// How far the sums that a multiply-add adds to are from overflowing its `float16_t` accumulator ([`crate::Settings::headroom`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Headroom {
    /// The instruction's index in the module.
    pub instruction: u32,
    /// How many sums it has added to: elements of accumulators, each once from where it began.
    pub sums: u64,
    /// How many products the longest of them has.
    pub products: u64,
    /// The partial sum that is farthest from zero; none where all are excluded.
    pub largest: Option<PartialSum>,
    /// The largest factor of all products with which every partial sum would be in the range. What accumulators held before is not scaled.
    /// Infinite where all products are zero.
    pub scale: f64,
    /// How many sums were beyond the range after some product, or became infinite.
    pub beyond: u64,
    /// The one of these that was so after the fewest products.
    pub first: Option<PartialSum>,
    /// How many became infinite or NaN with the numerics of the run.
    pub infinite: u64,
    /// Sums with an infinite or NaN operand, of which nothing else is told.
    pub excluded: u64,
}

impl Headroom {
    fn new(instruction: u32) -> Headroom {
        Headroom {
            instruction,
            sums: 0,
            products: 0,
            largest: None,
            scale: f64::INFINITY,
            beyond: 0,
            first: None,
            infinite: 0,
            excluded: 0,
        }
    }

    /// The largest number of an accumulator: 65504.
    pub fn limit() -> f64 {
        Format::F16.to_f64(Format::F16.largest_bits())
    }

    /// How often the largest partial sum may double and still be in the range: negative where it is not, infinite where all are zero.
    pub fn bits(&self) -> f64 {
        libm::log2(Headroom::limit() / self.largest.map_or(0.0, |sum| sum.value.abs()))
    }

    fn element<P: Iterator<Item = f64>>(
        &mut self,
        element: &Element,
        products: impl Fn() -> P,
        flags: &mut u8,
        Adder { workgroup, subgroup, .. }: Adder,
    ) {
        let Element { start, before, highest, lowest, at: [row, column], .. } = *element;
        if *flags & EXCLUDED != 0 || !element.is_finite {
            self.excluded += u64::from(*flags & EXCLUDED == 0);
            *flags |= EXCLUDED;
            return;
        }
        let limit = Headroom::limit();
        if highest > 0.0 {
            self.scale = self.scale.min((limit - start) / highest);
        }
        if lowest < 0.0 {
            self.scale = self.scale.min((limit + start) / -lowest);
        }
        let infinite = !element.found.is_finite();
        if infinite && *flags & INFINITE == 0 {
            *flags |= INFINITE;
            self.infinite += 1;
        }
        let size = f64::max(start + highest, -(start + lowest));
        let sum = |value: f64, step: usize| PartialSum {
            value,
            k: element.products + step as u64,
            workgroup,
            subgroup,
            row,
            column,
        };
        let beyond = (size > limit || infinite) && *flags & BEYOND == 0;
        let larger = self.largest.is_none_or(|largest| sum(size, 0).is_larger(&largest));
        if !beyond && !larger {
            return;
        }
        let partial = products().scan(before, |sum, product| {
            *sum += product;
            Some(start + *sum)
        });
        let partial: Vec<f64> = partial.collect();
        if larger && let Some(step) = partial.iter().position(|value| value.abs() == size) {
            self.largest = Some(sum(partial[step], step));
        }
        if beyond {
            *flags |= BEYOND;
            self.beyond += 1;
            // Otherwise rounding made it infinite, at the end.
            let step = partial.iter().position(|value| value.abs() > limit).unwrap_or(partial.len() - 1);
            let found = sum(partial[step], step);
            if self.first.is_none_or(|first| found.is_earlier(&first)) {
                self.first = Some(found);
            }
        }
    }

    /// Adds what other workgroups have told of the same instruction.
    fn merge(&mut self, other: &Headroom) {
        self.sums += other.sums;
        self.products = self.products.max(other.products);
        self.scale = self.scale.min(other.scale);
        self.beyond += other.beyond;
        self.infinite += other.infinite;
        self.excluded += other.excluded;
        if let Some(largest) = other.largest
            && self.largest.is_none_or(|own| largest.is_larger(&own))
        {
            self.largest = Some(largest);
        }
        if let Some(first) = other.first
            && self.first.is_none_or(|own| first.is_earlier(&own))
        {
            self.first = Some(first);
        }
    }
}

/// What was told of each multiply-add.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranges(FxHashMap<u32, Headroom>);

impl Ranges {
    pub fn of(&mut self, instruction: u32) -> &mut Headroom {
        self.0.entry(instruction).or_insert_with(|| Headroom::new(instruction))
    }

    pub fn merge(&mut self, other: &Ranges) {
        for headroom in other.0.values() {
            self.of(headroom.instruction).merge(headroom);
        }
    }

    /// In the order of the module.
    pub fn all(&self) -> Vec<Headroom> {
        let mut all: Vec<Headroom> = self.0.values().cloned().collect();
        all.sort_unstable_by_key(|headroom| headroom.instruction);
        all
    }

    /// About how much memory a copy takes.
    pub fn bytes(&self) -> u64 {
        (self.0.len() * size_of::<Headroom>()) as u64
    }
}
