//! Memory with and without a layout that the shader or the language gives it.

use coopmat_analysis::hir::{Layout, Packing};

/// Whether memory has an explicit layout. Types of the same name differ in SPIR-V where their layouts do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Memory {
    /// Values, and variables without a layout of their own: functions, private and plain shared variables.
    #[default]
    Plain,
    Block {
        packing: Packing,
        row_major: bool,
    },
}

impl Memory {
    pub fn of_layout(layout: &Layout, default: Packing) -> Memory {
        let packing = match layout.packing {
            Some(packing @ (Packing::Std140 | Packing::Std430 | Packing::Scalar)) => packing,
            Some(Packing::Shared | Packing::Packed) | None => default,
        };
        Memory::Block { packing, row_major: layout.row_major.unwrap_or(false) }
    }

    /// The same memory inside a member with its own order of matrices.
    pub fn with_row_major(self, member: bool) -> Memory {
        match self {
            Memory::Plain => Memory::Plain,
            Memory::Block { packing, .. } => Memory::Block { packing, row_major: member },
        }
    }

    /// Whether the matrices directly in it are row-major.
    pub fn is_row_major(self) -> bool {
        matches!(self, Memory::Block { row_major: true, .. })
    }

    pub fn is_plain(self) -> bool {
        self == Memory::Plain
    }
}
