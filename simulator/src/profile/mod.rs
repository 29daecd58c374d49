//! What a run costs in memory accesses: passes of shared memory, sectors of buffers, how often each instruction ran.
//!
//! A [`Profiler`] looks at the run; its [`Recording`] is asked afterwards. Nothing here is measured on a device: it is a model, made of the
//! addresses of all lanes, which are exact, and of assumptions that `docs/performance.md` lists. `requests` says which accesses of lanes are one
//! request, `matrices` those of a matrix, `banks` how many passes of shared memory a request takes, `traffic` which bytes and sectors of a buffer are touched, `paddings` what rows that
//! are further apart would cost, `fixed` and `scalars` what is known before a run.

mod banks;
mod fixed;
mod matrices;
mod paddings;
mod profiler;
mod requests;
mod scalars;
mod traffic;

pub use banks::{Banks, Passes};
pub use fixed::{FixedAccess, Sizes};
pub use matrices::Tiles;
pub use paddings::Rows;
pub use profiler::{Access, Executed, MOST_PATTERNS, Measured, Profiler, Recording, Strided};
pub use requests::{Lane, Request, requests};
pub use scalars::{Index, Pattern};
pub use traffic::{SECTOR, Traffic};

use crate::code::Instruction;
use crate::matrix::MatrixType;
use crate::matrix::operation::Operation;
use crate::program::Program;
use crate::program::types::{MatrixLayout, Type, TypeId};

/// A variable of shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedArray {
    /// Empty if the module does not name it.
    pub name: String,
    /// In bytes from the start of shared memory, as the simulator places it.
    pub offset: u64,
    /// In bytes.
    pub size: u64,
    /// Of an array of arrays: the bytes from one innermost array to the next.
    pub row: Option<u64>,
    /// Bytes of an innermost element.
    pub element: u64,
}

/// A multiply-add of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// Its index in the module.
    pub instruction: u32,
    /// The left factor.
    pub a: MatrixType,
    /// The right factor.
    pub b: MatrixType,
    /// The sum.
    pub result: MatrixType,
}

impl Program {
    /// The variables of shared memory, in the order in which the module declares them.
    pub fn shared_arrays(&self) -> Vec<SharedArray> {
        let arrays = self.data.shared_variables.iter().map(|it| {
            let (row, element) = self.row_of(it.type_);
            SharedArray { name: it.name.clone(), offset: it.offset, size: it.size, row, element }
        });
        arrays.collect()
    }

    /// Of a variable: the bytes from one innermost array to the next if there are several, and those of an element.
    fn row_of(&self, variable: TypeId) -> (Option<u64>, u64) {
        let types = &self.data.types;
        let size = |type_: TypeId| types.size(type_, MatrixLayout::default());
        let (mut row, mut type_) = (None, variable);
        while let Type::Array { element, stride, .. } = types.get(type_) {
            if matches!(types.get(*element), Type::Array { .. }) {
                row = Some(stride.map_or_else(|| size(*element), u64::from));
            }
            type_ = *element;
        }
        (row, size(type_))
    }

    /// The multiply-adds of cooperative matrices, each once, by their index in the module.
    pub fn products(&self) -> Vec<Product> {
        let blocks = self.data.functions.iter().flat_map(|function| &function.blocks);
        let instructions = blocks.flat_map(|block| block.instructions.iter().zip(&block.origins));
        let mut products: Vec<Product> = instructions
            .filter_map(|(instruction, origin)| {
                let Instruction::Matrix(matrix) = instruction else { return None };
                let Operation::MultiplyAdd { a, b, type_, .. } = &*matrix.operation else { return None };
                Some(Product { instruction: *origin, a: a.type_, b: b.type_, result: *type_ })
            })
            .collect();
        products.sort_by_key(|product| product.instruction);
        products.dedup_by_key(|product| product.instruction);
        products
    }
}
