//! Every layout against the address of each element.

use super::*;
use crate::matrix::{Scope, Use};

impl Bytes for Vec<u8> {
    fn read(&mut self, address: u64, bytes: &mut [u8]) {
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = self.get(address as usize + index).copied().unwrap_or(0);
        }
    }

    fn write(&mut self, address: u64, bytes: &[u8]) {
        for (index, byte) in bytes.iter().enumerate() {
            if let Some(slot) = self.get_mut(address as usize + index) {
                *slot = *byte;
            }
        }
    }
}

fn type_(component: Component, rows: u32, columns: u32) -> MatrixType {
    MatrixType { component, scope: Scope::Subgroup, rows, columns, use_: Use::A }
}

fn components() -> [Component; 8] {
    [
        Component::Float(Format::F16),
        Component::Float(Format::BF16),
        Component::Float(Format::F32),
        Component::Float(Format::F64),
        Component::Float(Format::E5M2),
        Component::Integer { width: 8, signed: true },
        Component::Integer { width: 16, signed: false },
        Component::Integer { width: 64, signed: true },
    ]
}

fn noise(count: usize) -> Vec<u8> {
    // No pattern that is a NaN: all bytes are small.
    (0..count).map(|index| (index * 37 % 101) as u8).collect()
}

/// What is at hand is loaded as what is read by addresses, or not at all.
#[test]
fn bytes_at_hand_give_what_addresses_give() {
    for component in components() {
        let size = u64::from(component.bytes());
        for (rows, columns) in [(6, 5), (16, 16), (16, 8), (8, 16), (8, 32)] {
            for layout in [Layout::RowMajor, Layout::ColumnMajor] {
                let length = if layout == Layout::RowMajor { columns } else { rows };
                for stride in [0, u64::from(length) * size, 40 * size + 3] {
                    let type_ = type_(component, rows, columns);
                    let mut memory = noise(20_000);
                    let placement = Placement { address: 24, layout, stride };
                    let (mut expected, mut matrix) = (Matrix::zero(type_), Matrix::undefined(type_));
                    load(&mut expected, &mut memory, &placement, &mut Scratch::default());
                    let mut scratch = Scratch::default();
                    assert!(load_from(&mut matrix, &memory[24..], layout, stride, &mut scratch));
                    assert_eq!(matrix, expected, "{component:?} {rows}x{columns} {layout:?} {stride}");
                    let lines = if layout == Layout::RowMajor { rows } else { columns };
                    let needed = (u64::from(lines - 1) * stride + u64::from(length) * size) as usize;
                    let (exact, short) = (&memory[24..24 + needed], &memory[24..24 + needed - 1]);
                    assert!(load_from(&mut matrix, exact, layout, stride, &mut scratch));
                    assert!(!load_from(&mut matrix, short, layout, stride, &mut scratch));
                    assert_eq!(matrix, expected);
                    assert!(!load_from(&mut matrix, &memory[24..], layout, u64::MAX / 2, &mut scratch));
                }
            }
        }
    }
}

#[test]
fn strides_and_layouts() {
    for component in components() {
        let size = u64::from(component.bytes());
        for layout in [Layout::RowMajor, Layout::ColumnMajor] {
            // Dense, with gaps, the same line again and again, and overlapping.
            for stride in [0, size, 5 * size, 6 * size, 8 * size, 11 * size] {
                let type_ = type_(component, 6, 5);
                let placement = Placement { address: 24, layout, stride };
                let mut memory = noise(800);
                let mut matrix = Matrix::zero(type_);
                load(&mut matrix, &mut memory, &placement, &mut Scratch::default());
                for index in 0..type_.count() {
                    let (row, column) = type_.row_and_column(index);
                    let address = placement.address(&type_, row, column) as usize;
                    let mut bytes = [0; 8];
                    bytes[..size as usize].copy_from_slice(&memory[address..][..size as usize]);
                    assert_eq!(matrix.get(index), u64::from_le_bytes(bytes), "{type_} {layout:?} {stride}");
                }
                if stride >= 6 * size {
                    let mut stored = vec![0; 800];
                    store(&matrix, &mut stored, &placement, &mut Scratch::default());
                    let mut again = Matrix::zero(type_);
                    load(&mut again, &mut stored, &placement, &mut Scratch::default());
                    assert_eq!(again, matrix);
                    let written = stored.iter().filter(|byte| **byte != 0).count();
                    assert!(written <= type_.count() * size as usize);
                }
            }
        }
    }
}

/// SPV_ARM_cooperative_matrix_layouts: blocks of 4 rows and 16 bytes; groups of them interleaved in words.
#[test]
fn arm_blocks() {
    let bytes = Component::Integer { width: 8, signed: false };
    let at = |layout, stride, row, column| {
        let type_ = type_(bytes, 8, 64);
        Placement { address: 0, layout, stride }.address(&type_, row, column)
    };
    use Layout::{ColumnBlockedInterleaved, RowBlockedInterleaved};
    // Alone: rows of 16 bytes, the next block 64 bytes on, to the right or below.
    assert_eq!(at(RowBlockedInterleaved, 1, 1, 3), 19);
    assert_eq!(at(RowBlockedInterleaved, 1, 0, 16), 64);
    assert_eq!(at(RowBlockedInterleaved, 1, 4, 0), 256);
    assert_eq!(at(ColumnBlockedInterleaved, 1, 4, 0), 64);
    assert_eq!(at(ColumnBlockedInterleaved, 1, 0, 16), 128);
    // In pairs: a word of the first block, a word of the second.
    assert_eq!(at(RowBlockedInterleaved, 2, 0, 5), 9);
    assert_eq!(at(RowBlockedInterleaved, 2, 0, 16), 4);
    assert_eq!(at(RowBlockedInterleaved, 4, 1, 0), 64);
    assert_eq!(at(ColumnBlockedInterleaved, 2, 4, 1), 5);
    for component in components() {
        for layout in [RowBlockedInterleaved, ColumnBlockedInterleaved] {
            for stride in [1, 2, 4] {
                let type_ = type_(component, 16, 64);
                let placement = Placement { address: 64, layout, stride };
                let mut memory = noise(64 + type_.count() * component.bytes() as usize);
                let mut matrix = Matrix::zero(type_);
                load(&mut matrix, &mut memory, &placement, &mut Scratch::default());
                let mut stored = vec![0; memory.len()];
                store(&matrix, &mut stored, &placement, &mut Scratch::default());
                // Every byte belongs to one element.
                assert_eq!(stored[64..], memory[64..], "{type_} {layout:?} {stride}");
            }
        }
    }
}

/// A NaN is loaded and stored as it is.
#[test]
fn payloads_survive() {
    for (format, bits) in [(Format::F16, 0xfd55u64), (Format::BF16, 0x7fa1), (Format::F32, 0xffc1_2345)] {
        let type_ = type_(Component::Float(format), 1, 1);
        let mut memory = bits.to_le_bytes().to_vec();
        let placement = Placement { address: 0, layout: Layout::RowMajor, stride: 4 };
        let mut matrix = Matrix::zero(type_);
        load(&mut matrix, &mut memory, &placement, &mut Scratch::default());
        let mut stored = vec![0; 8];
        store(&matrix, &mut stored, &placement, &mut Scratch::default());
        assert_eq!(stored, memory);
    }
}
