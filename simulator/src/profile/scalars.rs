//! What loads and stores of scalars and vectors in shared memory would cost, if the indices of all lanes are known but for what they share.

use super::SharedArray;
use super::banks::{Banks, Passes};
use super::requests::{Lane, requests};
use crate::program::Program;
use crate::program::types::{MatrixLayout, Type};

/// Beyond so many different places in the banks nothing is said.
const MOST_PLACES: u64 = 1024;

/// An index of all lanes: an offset for each, and a multiple of `step` that is the same for all and of which nothing else is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index<'a> {
    /// By the lane.
    pub offsets: &'a [i64],
    /// 0 says that the offsets are the values.
    pub step: u64,
}

/// Where the lanes of a subgroup access a variable of shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// By the lane: from the start of the variable, in bytes.
    starts: Vec<u64>,
    /// What is added to all of them is a multiple of it, in bytes; 0 says that nothing is.
    step: u64,
    /// Bytes of a component, and how many a lane accesses.
    component: (u32, u32),
    /// Where the variable begins.
    offset: u64,
    /// From one row of the variable to the next, if it has rows.
    row: Option<u64>,
    /// Bytes of an innermost element.
    element: u64,
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Program {
    /// Where lanes access a variable of shared memory, by its place in [`Program::shared_arrays`], with an index for each array, structure and vector
    /// from the outermost on. Nothing for what is no scalar or vector, and for indices outside of the variable.
    pub fn pattern(&self, array: usize, indices: &[Index<'_>]) -> Option<Pattern> {
        let SharedArray { offset, size, row, element, .. } = self.shared_arrays().into_iter().nth(array)?;
        let types = &self.data.types;
        let bytes = |type_| types.size(type_, MatrixLayout::default());
        let mut type_ = self.data.shared_variables.get(array)?.type_;
        let count = indices.first().map_or(0, |index| index.offsets.len());
        let mut starts = vec![0i64; count];
        let mut step = 0;
        for index in indices {
            let unit = match types.get(type_) {
                Type::Array { element, stride, .. } => {
                    type_ = *element;
                    stride.map_or_else(|| bytes(type_), u64::from)
                }
                Type::Vector { component, .. } => {
                    type_ = *component;
                    bytes(type_)
                }
                Type::Structure { members, .. } => {
                    let place = index.offsets.first().filter(|_| index.step == 0)?;
                    let member = members.get(usize::try_from(*place).ok()?)?;
                    if member.matrix != MatrixLayout::default() {
                        return None;
                    }
                    type_ = member.type_;
                    starts.iter_mut().for_each(|start| *start += i64::from(member.offset));
                    continue;
                }
                _ => return None,
            };
            for (start, offset) in starts.iter_mut().zip(index.offsets) {
                *start = start.checked_add(offset.checked_mul(i64::try_from(unit).ok()?)?)?;
            }
            step = gcd(step, index.step.checked_mul(unit)?);
        }
        if !matches!(
            types.get(type_),
            Type::Integer { .. } | Type::Float(_) | Type::Bool | Type::Vector { .. }
        ) {
            return None;
        }
        let (scalar, components) = types.components(type_)?;
        let component = (scalar.bytes(), components);
        if let Some(least) = starts.iter().min().copied().filter(|least| *least < 0 && step > 0) {
            // So that all are in the array for some of the unknown multiples.
            let up = least.unsigned_abs().next_multiple_of(step);
            starts.iter_mut().for_each(|start| *start = start.saturating_add_unsigned(up));
        }
        let starts: Option<Vec<u64>> = starts.into_iter().map(|start| u64::try_from(start).ok()).collect();
        let starts = starts?;
        let length = u64::from(component.0) * u64::from(component.1);
        // What is accessed outside is no access; if something is added, the lanes are as far apart as before.
        if starts.is_empty() || step == 0 && starts.iter().any(|start| start + length > size) {
            return None;
        }
        Some(Pattern { starts, step, component, offset, row, element: element.max(1) })
    }
}

impl Pattern {
    /// The passes, if they are the same whatever is added to all addresses.
    pub fn passes(&self, banks: Banks) -> Option<Passes> {
        self.passes_with(banks, &self.starts, self.step)
    }

    fn passes_with(&self, banks: Banks, starts: &[u64], step: u64) -> Option<Passes> {
        let period = u64::from(banks.count.max(1)) * u64::from(banks.width.max(1));
        let (places, step) = if step == 0 { (1, 0) } else { (period / gcd(step, period), gcd(step, period)) };
        if places > MOST_PLACES {
            return None;
        }
        let mut common = None;
        for place in 0..places {
            let passes = self.at(banks, starts, self.offset + place * step);
            if common.is_some_and(|common| common != passes) {
                return None;
            }
            common = Some(passes);
        }
        common
    }

    fn at(&self, banks: Banks, starts: &[u64], offset: u64) -> Passes {
        let (size, count) = self.component;
        let part = |start: u64, part: u32| Some((offset + start + u64::from(part * size), size));
        let lane = |(number, start): (u32, &u64)| Lane {
            number,
            parts: (0..count).map(|it| part(*start, it)).collect(),
        };
        let lanes: Vec<Lane> = (0..).zip(starts).map(lane).collect();
        let mut passes = Passes::default();
        requests(&lanes).iter().for_each(|request| passes.add(banks.passes(request)));
        passes
    }

    /// How far rows are apart: by the declaration of the variable (`tile[16][40]`), else by equal steps from lane to lane. In bytes.
    pub fn row(&self) -> Option<u64> {
        let length = u64::from(self.component.0) * u64::from(self.component.1);
        self.row.or_else(|| {
            let mut steps = self.starts.windows(2).map(|pair| pair[1].checked_sub(pair[0]));
            let first = steps.next().flatten().filter(|step| *step > length)?;
            steps.all(|step| step == Some(first)).then_some(first)
        })
    }

    /// Bytes of an innermost element of the variable.
    pub fn element(&self) -> u64 {
        self.element
    }

    /// Distances of rows in bytes that are longer than now and have no conflicts in this access, the shortest first. None where rows are not known, and where
    /// what is added to all addresses may move some lanes to another row and others not.
    pub fn free_rows(&self, banks: Banks) -> Option<Vec<u64>> {
        let now = self.row()?;
        let same_column = self.starts.windows(2).all(|pair| pair[0] % now == pair[1] % now);
        if !self.step.is_multiple_of(now) && !same_column {
            return None;
        }
        // Whole elements are added still.
        let step = if self.step == 0 { 0 } else { gcd(self.step, self.element) };
        let (size, count) = self.component;
        let length = u64::from(size * count);
        if self.starts.iter().any(|start| start % now + length > now) {
            return None;
        }
        let alignment = self.element.max(length).next_power_of_two().min(16);
        let period = u64::from(banks.count) * u64::from(banks.width);
        let rows = (0..(period / alignment).max(1)).map(|it| (now / alignment + 1 + it) * alignment);
        let free = rows.filter(|row| row.is_multiple_of(self.element)).filter(|row| {
            let moved: Vec<u64> = self.starts.iter().map(|start| start / now * row + start % now).collect();
            let passes = self.passes_with(banks, &moved, step);
            passes.is_some_and(|passes| !passes.has_conflicts())
        });
        Some(free.collect())
    }
}
