//! What accesses to an array of shared memory would cost if its rows were further apart.
//!
//! An array is rows of equal length, and the element at `column` of `row` lies at `row * stride + column`. How far rows are apart is told by the
//! array's declaration (`tile[16][40]`), else by the stride of the matrices that lie there, else by the steps from lane to lane. The addresses that
//! the run had are taken apart by that, and put together again with another stride. Where they are not of this form, nothing is predicted, and the
//! reason is given.

use std::collections::BTreeSet;

use super::SharedArray;
use super::banks::{Banks, Passes};
use super::matrices::{lanes, requests_of, subgroups};
use super::profiler::{Access, Measured, Strided};
use super::requests::{Lane, Request, requests};
use crate::matrix::MatrixType;
use crate::matrix::memory::{Layout, Placement};
use crate::observer::{AccessKind, Region};

/// Vulkan aligns matrices in memory to this, if their rows are not shorter (VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986).
const ALIGNMENT: u64 = 16;

/// An array of shared memory as rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Its place in [`crate::Program::shared_arrays`].
    pub array: usize,
    /// From one row to the next, in bytes.
    pub stride: u64,
    /// What accesses touch of a row, from its start: no stride can be shorter. In bytes.
    pub used: u64,
    /// What every stride has to be a multiple of: the alignment of matrices, the widest access of a lane, an element. In bytes.
    pub alignment: u64,
    /// Bytes of an element: every stride is a multiple of it.
    element: u64,
    /// The array's size in bytes.
    size: u64,
    /// Where the array begins, from the start of shared memory.
    offset: u64,
}

impl Rows {
    /// The size of the array in bytes if its rows are a stride apart.
    pub fn size_with(&self, stride: u64) -> u64 {
        let (whole, rest) = (self.size / self.stride, self.size % self.stride);
        // A last row without padding stays without.
        whole * stride + rest.min(stride)
    }

    /// Every stride that may make a difference, the shortest first: banks repeat after as many bytes as all of them have.
    pub fn strides(&self, banks: Banks) -> impl Iterator<Item = u64> + use<> {
        let first = self.used.max(1).next_multiple_of(self.alignment);
        let period = u64::from(banks.count) * u64::from(banks.width);
        let count = (period / self.alignment).max(1);
        let Rows { alignment, element, .. } = *self;
        (0..count)
            .map(move |index| first + index * alignment)
            .filter(move |stride| stride.is_multiple_of(element))
    }

    /// An offset in the array, as it would be with another stride. None if the bytes belong to two rows.
    fn moved(&self, offset: u64, size: u64, stride: u64) -> Option<u64> {
        let (row, column) = (offset / self.stride, offset % self.stride);
        (column + size <= self.stride).then(|| row * stride + column)
    }
}

impl Measured {
    /// An array as rows.
    ///
    /// # Errors
    /// Why its addresses are not of the form base + row * stride, in words without a full stop.
    pub fn rows(&self, arrays: &[SharedArray], array: usize) -> Result<Rows, String> {
        let of = arrays.get(array).ok_or("the accesses go to several variables")?;
        let accesses: Vec<&Access> = self.of_array(array).collect();
        if self.accesses.iter().any(|access| access.memory == Region::Shared && access.array.is_none()) {
            return Err("some instruction accesses several variables of shared memory".to_owned());
        }
        if accesses.iter().any(|access| access.lost_patterns > 0) {
            return Err("its accesses have too many different addresses to keep".to_owned());
        }
        if accesses.iter().any(|access| access.has_other_layouts) {
            return Err("matrices lie there without a stride".to_owned());
        }
        let matrices: BTreeSet<u64> =
            accesses.iter().flat_map(|access| &access.strided).map(|(it, _)| it.placement.stride).collect();
        let stride = match (of.row, matrices.len()) {
            (Some(row), 0) => row,
            (Some(row), 1) if matrices.contains(&row) => row,
            (None, 1) => matrices.first().copied().unwrap_or_default(),
            (None, 0) => of_lanes(&accesses)?,
            (Some(row), _) => {
                return Err(format!(
                    "its rows are {row} bytes apart, but those of matrices there are {} bytes",
                    listed(&matrices)
                ));
            }
            (None, _) => {
                return Err(format!(
                    "the rows of matrices there are {} bytes apart in different accesses",
                    listed(&matrices)
                ));
            }
        };
        if stride == 0 {
            return Err("all rows of a matrix there are the same row".to_owned());
        }
        let mut rows = Rows {
            array,
            stride,
            used: 0,
            alignment: of.element.max(1).next_power_of_two().min(ALIGNMENT),
            element: of.element.max(1),
            size: of.size,
            offset: of.offset,
        };
        for access in accesses {
            rows.add(access)?;
        }
        Ok(rows)
    }

    /// The accesses of an array whose passes are known: not atomic ones.
    pub fn of_array(&self, array: usize) -> impl Iterator<Item = &Access> {
        let is_there = move |access: &&Access| access.memory == Region::Shared && access.array == Some(array);
        self.accesses.iter().filter(is_there).filter(|access| access.kind != AccessKind::Atomic)
    }
}

impl Rows {
    /// Takes an access into account: what it touches, and its alignment.
    fn add(&mut self, access: &Access) -> Result<(), String> {
        let crosses = || format!("an access goes over the end of a row of {} bytes", self.stride);
        let widest = access.requests.keys().copied().max().unwrap_or(1).max(1);
        if access.matrix.is_none() {
            self.alignment = self.alignment.max(u64::from(widest).next_power_of_two().min(ALIGNMENT));
        }
        let mut used = self.used;
        for lane in access.patterns.keys().flatten() {
            for (offset, size) in lane.parts.iter().flatten() {
                if offset.saturating_add(u64::from(*size)) > self.size {
                    return Err("an access goes over the end of the array".to_owned());
                }
                let end = offset % self.stride + u64::from(*size);
                if end > self.stride {
                    return Err(crosses());
                }
                used = used.max(end);
            }
        }
        for (Strided { type_, placement, .. }, _) in &access.strided {
            let line = line(type_, placement.layout);
            if self.start(placement) >= self.size {
                return Err("a matrix begins outside of the array".to_owned());
            }
            let end = self.start(placement) % self.stride + line;
            if end > self.stride {
                return Err(crosses());
            }
            used = used.max(end);
            self.alignment = self.alignment.max(line.next_power_of_two().min(ALIGNMENT));
        }
        self.used = used;
        Ok(())
    }

    fn start(&self, placement: &Placement) -> u64 {
        let (_, offset) = Region::of(placement.address);
        offset.wrapping_sub(self.offset)
    }

    /// The passes of an access of this array if its rows were a stride apart.
    pub fn passes(&self, access: &Access, subgroup_size: u32, banks: Banks, stride: u64) -> Option<Passes> {
        let mut all = Passes::default();
        let mut add = |requests: Vec<Request>, times: u64| {
            for request in requests {
                let Passes { passes, least, worst } = banks.passes(&request);
                all.add(Passes { passes: passes * times, least: least * times, worst });
            }
        };
        for (pattern, times) in &access.patterns {
            let lane = |lane: &Lane| -> Option<Lane> {
                let part = |part: &Option<(u64, u32)>| match part {
                    None => Some(None),
                    Some((offset, size)) => Some(Some((self.moved(*offset, (*size).into(), stride)?, *size))),
                };
                Some(Lane {
                    number: lane.number,
                    parts: lane.parts.iter().map(part).collect::<Option<Vec<_>>>()?,
                })
            };
            let lanes: Option<Vec<Lane>> = pattern.iter().map(lane).collect();
            let lanes = lanes?;
            add(subgroups(&lanes, subgroup_size).flat_map(|lanes| requests(&lanes)).collect(), *times);
        }
        for (Strided { type_, owners, placement }, times) in &access.strided {
            let start = self.moved(self.start(placement), 1, stride)?;
            let placement = Placement { address: start, stride, ..*placement };
            let columns = type_.columns.max(1);
            let address = |element: u32| Some(placement.address(type_, element / columns, element % columns));
            let lanes = lanes(type_, owners, &address);
            add(requests_of(type_, access.kind, (&lanes, subgroup_size), Some(banks), &address), *times);
        }
        Some(all)
    }
}

/// Bytes of a row of a matrix, or of a column that lies as rows do.
fn line(type_: &MatrixType, layout: Layout) -> u64 {
    let length = if layout == Layout::ColumnMajor { type_.rows } else { type_.columns };
    u64::from(length) * u64::from(type_.component.bytes())
}

/// The stride of an array that nothing but steps from lane to lane tells.
fn of_lanes(accesses: &[&Access]) -> Result<u64, String> {
    let patterns = || accesses.iter().flat_map(|access| access.patterns.keys());
    let strides: BTreeSet<u64> = patterns().filter_map(|lanes| step(lanes)).collect();
    let (Some(&stride), 1) = (strides.first(), strides.len()) else {
        return Err(match strides.len() {
            0 => "the addresses are not of the form base + row * stride".to_owned(),
            _ => format!("its lanes are {} bytes apart in different accesses", listed(&strides)),
        });
    };
    let in_one_row = |lanes: &Vec<Lane>| {
        let offsets = lanes.iter().flat_map(|lane| lane.parts.iter().flatten());
        let rows: BTreeSet<u64> = offsets.map(|(offset, _)| offset / stride).collect();
        rows.len() <= 1
    };
    if patterns().all(|lanes| step(lanes) == Some(stride) || in_one_row(lanes)) {
        return Ok(stride);
    }
    Err(format!(
        "rows are {stride} bytes apart in some accesses, others are not of the form base + row * stride"
    ))
}

/// How far each lane's first access is from the one before, if that is the same for all, and if something is left between them.
fn step(lanes: &[Lane]) -> Option<u64> {
    let starts: Option<Vec<(u32, u64, u64)>> = lanes
        .iter()
        .map(|lane| {
            let (first, _) = (*lane.parts.first()?)?;
            let bytes = lane.parts.iter().flatten().map(|(_, size)| u64::from(*size)).sum();
            Some((lane.number, first, bytes))
        })
        .collect();
    let starts = starts?;
    let mut step = None;
    for pair in starts.windows(2) {
        let [(a, from, bytes), (b, to, _)] = pair else { return None };
        let own = to.checked_sub(*from)?;
        if *b != a + 1 || own <= *bytes || step.is_some_and(|step| step != own) {
            return None;
        }
        step = Some(own);
    }
    step
}

fn listed(values: &BTreeSet<u64>) -> String {
    let values: Vec<String> = values.iter().map(u64::to_string).collect();
    values.join(" and ")
}
