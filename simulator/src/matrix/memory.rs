//! Loads and stores with a stride (OpCooperativeMatrixLoadKHR and its like), in each memory layout.

use super::{Component, Data, Matrix, MatrixType};
use crate::numerics::{Format, bulk};

/// Memory by addresses. What is outside reads as zero, and is not written.
pub trait Bytes {
    fn read(&mut self, address: u64, bytes: &mut [u8]);
    fn write(&mut self, address: u64, bytes: &[u8]);

    /// Reads rows of `row` bytes that begin `stride` bytes apart, one after the other.
    fn read_rows(&mut self, address: u64, stride: u64, row: usize, bytes: &mut [u8]) {
        for (index, bytes) in bytes.chunks_exact_mut(row.max(1)).enumerate() {
            self.read(address.wrapping_add((index as u64).wrapping_mul(stride)), bytes);
        }
    }
}

/// An enumerant of Cooperative Matrix Layout.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Layout {
    /// A row after the other.
    RowMajor,
    /// A column after the other.
    ColumnMajor,
    /// SPV_ARM_cooperative_matrix_layouts.
    RowBlockedInterleaved,
    /// The same, with blocks of columns.
    ColumnBlockedInterleaved,
}

impl Layout {
    /// An enumerant of Cooperative Matrix Layout.
    pub fn from_number(number: u32) -> Option<Layout> {
        use coopmat_spirv::spirv::CooperativeMatrixLayout as Spirv;

        Some(match Spirv::from_u32(number)? {
            Spirv::RowMajorKHR => Layout::RowMajor,
            Spirv::ColumnMajorKHR => Layout::ColumnMajor,
            Spirv::RowBlockedInterleavedARM => Layout::RowBlockedInterleaved,
            Spirv::ColumnBlockedInterleavedARM => Layout::ColumnBlockedInterleaved,
        })
    }

    /// The bytes of the matrix in runs: the address of each and how many elements, which one and how far to the next.
    fn runs(self, type_: &MatrixType) -> Runs {
        match self {
            Layout::ColumnMajor => {
                Runs { count: type_.columns, length: type_.rows, step: type_.columns as usize, next: 1 }
            }
            _ => Runs { count: type_.rows, length: type_.columns, step: 1, next: type_.columns as usize },
        }
    }
}

/// Where a matrix lies.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// Of the first element.
    pub address: u64,
    /// In which order elements lie.
    pub layout: Layout,
    /// The stride in bytes for rows and columns; for Arm's layouts the operand itself.
    pub stride: u64,
}

/// Bytes of one of Arm's blocks, and how many of them make a row of it.
const BLOCK: u64 = 64;
const BLOCK_ROW: u64 = 16;
const BLOCK_ROWS: u64 = 4;

impl Placement {
    /// The address of an element's first byte.
    pub fn address(&self, type_: &MatrixType, row: u32, column: u32) -> u64 {
        let size = u64::from(type_.component.bytes());
        let (row, column) = (u64::from(row), u64::from(column));
        let offset = match self.layout {
            Layout::RowMajor => row.wrapping_mul(self.stride).wrapping_add(column * size),
            Layout::ColumnMajor => column.wrapping_mul(self.stride).wrapping_add(row * size),
            Layout::RowBlockedInterleaved | Layout::ColumnBlockedInterleaved => {
                return self.block_byte(type_, row, column, 0);
            }
        };
        self.address.wrapping_add(offset)
    }

    /// The address of a byte of an element in Arm's layouts: blocks of 64 bytes, interleaved in words of 4.
    fn block_byte(&self, type_: &MatrixType, row: u64, column: u64, byte: u64) -> u64 {
        let across = (BLOCK_ROW / u64::from(type_.component.bytes())).max(1);
        let (block_row, block_column) = (row / BLOCK_ROWS, column / across);
        let block = match self.layout {
            Layout::ColumnBlockedInterleaved => {
                block_column * u64::from(type_.rows).div_ceil(BLOCK_ROWS) + block_row
            }
            _ => block_row * u64::from(type_.columns).div_ceil(across) + block_column,
        };
        let within =
            row % BLOCK_ROWS * BLOCK_ROW + column % across * u64::from(type_.component.bytes()) + byte;
        let group = self.stride.max(1);
        let offset = block / group * group * BLOCK + (within / 4 * group + block % group) * 4 + within % 4;
        self.address.wrapping_add(offset)
    }
}

#[derive(Clone, Copy)]
struct Runs {
    count: u32,
    length: u32,
    /// From one element of a run to its next, and from one run to the next.
    step: usize,
    next: usize,
}

/// Buffers that loads and stores use again.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    bytes: Vec<u8>,
    words: Vec<u16>,
    values: Vec<f32>,
}

/// Loads all elements of a matrix of the type that `into` has.
pub fn load(into: &mut Matrix, memory: &mut dyn Bytes, placement: &Placement, scratch: &mut Scratch) {
    let type_ = *into.type_();
    let size = type_.component.bytes() as usize;
    into.undefined.clear();
    if matches!(placement.layout, Layout::RowBlockedInterleaved | Layout::ColumnBlockedInterleaved) {
        for index in 0..type_.count() {
            let (row, column) = type_.row_and_column(index);
            let mut bytes = [0; 8];
            for (byte, slot) in bytes.iter_mut().enumerate().take(size) {
                let address = placement.block_byte(&type_, row.into(), column.into(), byte as u64);
                memory.read(address, std::slice::from_mut(slot));
            }
            into.set(index, u64::from_le_bytes(bytes));
        }
        return;
    }
    let Runs { count, length, .. } = placement.layout.runs(&type_);
    let run = length as usize * size;
    scratch.bytes.resize(run * count as usize, 0);
    memory.read_rows(placement.address, placement.stride, run, &mut scratch.bytes);
    from_runs(into, placement.layout, scratch);
}

/// Loads all elements from bytes that are at hand, of which the first element has the first ones. False, and nothing is done, where rows (or
/// columns) are not all there.
pub(crate) fn load_from(
    into: &mut Matrix,
    bytes: &[u8],
    layout: Layout,
    stride: u64,
    scratch: &mut Scratch,
) -> bool {
    let type_ = *into.type_();
    let Runs { count, length, .. } = layout.runs(&type_);
    let run = length as usize * type_.component.bytes() as usize;
    let last = stride.checked_mul(u64::from(count.saturating_sub(1)));
    let end = last.and_then(|last| last.checked_add(run as u64));
    if count == 0 || end.is_none_or(|end| end > bytes.len() as u64) {
        return false;
    }
    let stride = stride as usize;
    into.undefined.clear();
    scratch.bytes.resize(run * count as usize, 0);
    // Usual lengths by name: a row is too short for a call of what copies memory.
    match run {
        16 => copy_rows::<16>(bytes, stride, &mut scratch.bytes),
        32 => copy_rows::<32>(bytes, stride, &mut scratch.bytes),
        64 => copy_rows::<64>(bytes, stride, &mut scratch.bytes),
        _ => {
            for (index, to) in scratch.bytes.chunks_exact_mut(run).enumerate() {
                to.copy_from_slice(&bytes[index * stride..][..run]);
            }
        }
    }
    from_runs(into, layout, scratch);
    true
}

/// Copies rows of `RUN` bytes.
fn copy_rows<const RUN: usize>(bytes: &[u8], stride: usize, to: &mut [u8]) {
    for (index, to) in to.as_chunks_mut::<RUN>().0.iter_mut().enumerate() {
        if let Some(row) = bytes.get(index * stride..).and_then(|bytes| bytes.first_chunk()) {
            *to = *row;
        }
    }
}

/// Takes the elements that `scratch.bytes` has, one row (or column) after the other.
fn from_runs(into: &mut Matrix, layout: Layout, scratch: &mut Scratch) {
    let type_ = *into.type_();
    let size = type_.component.bytes() as usize;
    let Runs { length, step, next, .. } = layout.runs(&type_);
    let bytes = &scratch.bytes[..];
    match into.data_mut() {
        Data::F32(values) if step == 1 => floats(type_.component, bytes, values),
        Data::F32(values) => {
            scratch.values.resize(values.len(), 0.0);
            floats(type_.component, bytes, &mut scratch.values);
            let square = length == type_.rows && type_.rows == type_.columns;
            if !square || !transpose(&scratch.values, values) {
                for (run, source) in scratch.values.chunks_exact(length as usize).enumerate() {
                    for (value, slot) in source.iter().zip(values[run * next..].iter_mut().step_by(step)) {
                        *slot = *value;
                    }
                }
            }
        }
        Data::U32(values) => match size {
            1 => scatter(values, bytes.iter().map(|byte| u32::from(*byte)), length, step, next),
            2 => scatter(values, pairs(bytes).map(u32::from), length, step, next),
            _ => scatter(values, words(bytes), length, step, next),
        },
        Data::U64(values) => scatter(values, longs(bytes), length, step, next),
        Data::F64(values) => scatter(values, longs(bytes).map(f64::from_bits), length, step, next),
    }
}

/// Columns to rows where both are as long as most are, with places that are known when this is compiled; false for others.
fn transpose(columns: &[f32], rows: &mut [f32]) -> bool {
    const SIDE: usize = 16;
    let (columns, rest) = columns.as_chunks::<SIDE>();
    let (rows, other) = rows.as_chunks_mut::<SIDE>();
    let (Ok(columns), Ok(rows)) =
        (<&[[f32; SIDE]; SIDE]>::try_from(columns), <&mut [[f32; SIDE]; SIDE]>::try_from(rows))
    else {
        return false;
    };
    if !rest.is_empty() || !other.is_empty() {
        return false;
    }
    for (index, row) in rows.iter_mut().enumerate() {
        for (value, column) in row.iter_mut().zip(columns) {
            *value = column[index];
        }
    }
    true
}

fn scatter<T>(values: &mut [T], mut source: impl Iterator<Item = T>, length: u32, step: usize, next: usize) {
    if step == 1 {
        for (slot, value) in values.iter_mut().zip(source) {
            *slot = value;
        }
        return;
    }
    for run in 0..next.max(step) {
        let Some(values) = values.get_mut(run * next..) else { return };
        for (slot, value) in values.iter_mut().step_by(step).take(length as usize).zip(source.by_ref()) {
            *slot = value;
        }
    }
}

fn pairs(bytes: &[u8]) -> impl Iterator<Item = u16> + '_ {
    bytes.as_chunks().0.iter().map(|bytes| u16::from_le_bytes(*bytes))
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes))
}

fn longs(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes))
}

/// Floating-point numbers of at most 32 bits from memory.
fn floats(component: Component, bytes: &[u8], values: &mut [f32]) {
    let Component::Float(format) = component else { return };
    match format.width().div_ceil(8) {
        1 => bulk::widen_u8(format, bytes, values),
        2 => bulk::widen_u16(format, bytes.as_chunks().0, values),
        _ => {
            for (value, word) in values.iter_mut().zip(words(bytes)) {
                *value = f32::from_bits(word);
            }
        }
    }
}

/// Stores all elements.
pub fn store(matrix: &Matrix, memory: &mut dyn Bytes, placement: &Placement, scratch: &mut Scratch) {
    let type_ = *matrix.type_();
    let size = type_.component.bytes() as usize;
    if matches!(placement.layout, Layout::RowBlockedInterleaved | Layout::ColumnBlockedInterleaved) {
        for index in 0..type_.count() {
            let (row, column) = type_.row_and_column(index);
            let bytes = matrix.get(index).to_le_bytes();
            for (byte, value) in bytes.iter().enumerate().take(size) {
                let address = placement.block_byte(&type_, row.into(), column.into(), byte as u64);
                memory.write(address, std::slice::from_ref(value));
            }
        }
        return;
    }
    let Runs { count, length, step, next } = placement.layout.runs(&type_);
    let run = length as usize * size;
    scratch.bytes.resize(run * count as usize, 0);
    to_bytes(matrix, &mut scratch.bytes, &mut scratch.words, length as usize, step, next);
    if placement.stride == run as u64 {
        memory.write(placement.address, &scratch.bytes);
    } else {
        for (index, bytes) in scratch.bytes.chunks_exact(run).enumerate() {
            memory
                .write(placement.address.wrapping_add((index as u64).wrapping_mul(placement.stride)), bytes);
        }
    }
}

fn to_bytes(
    matrix: &Matrix,
    bytes: &mut [u8],
    scratch: &mut Vec<u16>,
    length: usize,
    step: usize,
    next: usize,
) {
    let size = matrix.type_.component.bytes() as usize;
    match (&matrix.data, matrix.type_.component) {
        (Data::F32(values), Component::Float(Format::F32)) if step == 1 => {
            for (bytes, value) in bytes.as_chunks_mut().0.iter_mut().zip(values) {
                *bytes = value.to_le_bytes();
            }
        }
        (Data::F32(values), Component::Float(format)) if step == 1 && size == 2 => {
            scratch.resize(values.len(), 0);
            bulk::narrow_u16(format, values, scratch);
            for (bytes, value) in bytes.as_chunks_mut().0.iter_mut().zip(scratch.iter()) {
                *bytes = value.to_le_bytes();
            }
        }
        _ => {
            for (run, bytes) in bytes.chunks_exact_mut(length * size).enumerate() {
                for (place, bytes) in bytes.chunks_exact_mut(size).enumerate() {
                    bytes.copy_from_slice(&matrix.get(run * next + place * step).to_le_bytes()[..size]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
