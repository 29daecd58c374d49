//! What loads and stores of matrices would cost, from the program alone, if their stride is known and the place begins at a multiple of 16 bytes.

use super::banks::{Banks, Passes};
use super::matrices::{lanes, requests_of};
use crate::code::Instruction;
use crate::matrix::memory::{Layout, Placement};
use crate::matrix::operation::{Operation, Source, Strided};
use crate::matrix::{MatrixType, Scope};
use crate::observer::AccessKind;
use crate::ownership::Ownership;
use crate::program::Program;

/// A load or store of a matrix in rows or in columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedAccess {
    /// Its index in the module.
    pub instruction: u32,
    /// Whether it reads or writes.
    pub kind: AccessKind,
    /// The type of the matrix.
    pub type_: MatrixType,
    /// Whether rows lie a stride apart, rather than columns.
    pub by_rows: bool,
    /// What the stride is counted in, in bytes.
    pub unit: u64,
}

impl FixedAccess {
    /// Bytes of a row, or of a column of a layout by columns.
    pub fn line(&self) -> u64 {
        let length = if self.by_rows { self.type_.columns } else { self.type_.rows };
        u64::from(length) * u64::from(self.type_.component.bytes())
    }

    /// The passes that it takes with a stride, if a matrix of workgroup scope is of so many invocations.
    pub fn passes(&self, ownership: &Ownership, sizes: Sizes, banks: Banks, stride: u64) -> Passes {
        let invocations = match self.type_.scope {
            Scope::Workgroup => sizes.workgroup,
            _ => sizes.subgroup,
        };
        let owners = ownership.map(&self.type_, invocations);
        let layout = if self.by_rows { Layout::RowMajor } else { Layout::ColumnMajor };
        let placement = Placement { address: 0, layout, stride };
        let columns = self.type_.columns.max(1);
        let address =
            |element: u32| Some(placement.address(&self.type_, element / columns, element % columns));
        let mut passes = Passes::default();
        let lanes = lanes(&self.type_, &owners, &address);
        let subgroups = (&*lanes, sizes.subgroup.max(1));
        let requests = requests_of(&self.type_, self.kind, subgroups, Some(banks), &address);
        requests.iter().for_each(|request| passes.add(banks.passes(request)));
        passes
    }
}

/// How many invocations there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// In a subgroup.
    pub subgroup: u32,
    /// In a workgroup.
    pub workgroup: u32,
}

impl Program {
    /// The loads and stores of matrices in rows or columns, of whatever memory, in the order of the module. Each instruction counts once.
    pub fn fixed_accesses(&self) -> Vec<FixedAccess> {
        let blocks = self.data.functions.iter().flat_map(|function| &function.blocks);
        let instructions = blocks.flat_map(|block| block.instructions.iter().zip(&block.origins));
        let fixed = instructions.filter_map(|(instruction, origin)| {
            let Instruction::Matrix(matrix) = instruction else { return None };
            let (kind, type_, strided) = match &*matrix.operation {
                Operation::Load { type_, from, .. } => (AccessKind::Read, type_, from),
                Operation::Store { object: Source { type_, .. }, to } => (AccessKind::Write, type_, to),
                _ => return None,
            };
            let Strided { layout, unit, .. } = strided;
            let by_rows = match layout {
                Layout::RowMajor => true,
                Layout::ColumnMajor => false,
                Layout::RowBlockedInterleaved | Layout::ColumnBlockedInterleaved => return None,
            };
            Some(FixedAccess { instruction: *origin, kind, type_: *type_, by_rows, unit: *unit })
        });
        let mut fixed: Vec<FixedAccess> = fixed.collect();
        fixed.sort_by_key(|access| access.instruction);
        fixed.dedup_by_key(|access| access.instruction);
        fixed
    }
}
