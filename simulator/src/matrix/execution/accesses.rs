//! Accesses to memory, and who is told of them.

use super::elements::map;
use crate::machine::Context;
use crate::matrix::memory::{Bytes, Placement};
use crate::matrix::{Matrix, MatrixType};
use crate::memory::Memory;
use crate::memory::whole;
use crate::observer::{AccessKind, MatrixAccess, MatrixEvent};

impl Bytes for Memory<'_> {
    fn read(&mut self, address: u64, bytes: &mut [u8]) {
        self.read_bytes(address, bytes);
    }

    fn read_rows(&mut self, address: u64, stride: u64, row: usize, bytes: &mut [u8]) {
        Memory::read_rows(self, address, stride, row, bytes);
    }

    fn write(&mut self, address: u64, bytes: &[u8]) {
        self.write_bytes(address, bytes);
    }
}

/// Checks what is read, and says which elements are undefined because nobody wrote them.
pub(super) fn check_read(
    cx: &mut Context,
    type_: &MatrixType,
    matrix: &mut Matrix,
    start: u64,
    address: &dyn Fn(usize) -> Option<u64>,
) {
    for index in cx.check_elements_read(type_, start, address) {
        matrix.set_undefined(index, true);
    }
}

/// Tells who wants to know that memory is accessed, and counts the bytes. Each access is that of the element's owner. A load or store with a stride
/// has a placement.
pub(super) fn announce(
    cx: &mut Context,
    kind: AccessKind,
    type_: &MatrixType,
    operation: &'static str,
    placement: Option<Placement>,
    address: impl Fn(u32, u32) -> Option<u64>,
) {
    tell(cx, operation, [type_.rows, type_.columns, 0]);
    if cx.env.wants.memory {
        return announce_each(cx, kind, type_, placement, &address);
    }
    let bytes = type_.count() as u64 * u64::from(type_.component.bytes());
    cx.count_bytes(kind, bytes);
}

#[cold]
fn announce_each(
    cx: &mut Context,
    kind: AccessKind,
    type_: &MatrixType,
    placement: Option<Placement>,
    address: &dyn Fn(u32, u32) -> Option<u64>,
) {
    let map = map(cx, type_);
    let first = cx.registers.first_active();
    let lanes = cx.registers.lanes() as u32;
    let place = |index: usize| {
        let (row, column) = type_.row_and_column(index);
        address(row, column).map(|address| whole(cx.env.memory.buffers, address))
    };
    let addresses: Vec<Option<u64>> = (0..type_.count()).map(place).collect();
    let at = cx.at();
    if let Some(observer) = &mut cx.env.observer {
        let access = MatrixAccess { kind, type_, owners: &map, placement, addresses: &addresses };
        observer.matrix_access(&at, &access);
    }
    let accesses: Vec<(usize, u64)> = addresses
        .iter()
        .enumerate()
        .filter_map(|(index, address)| {
            let owner = map.owners(index as u32).next().map_or(first, |(owner, _)| (owner % lanes) as usize);
            Some((owner, (*address)?))
        })
        .collect();
    cx.count_access(kind, type_.component.bytes(), &accesses);
}

pub(super) fn tell(cx: &mut Context, operation: &'static str, shape: [u32; 3]) {
    if !cx.env.wants.matrices {
        return;
    }
    let at = cx.at();
    if let Some(observer) = &mut cx.env.observer {
        observer.matrix(&at, &MatrixEvent { operation, shape });
    }
}
