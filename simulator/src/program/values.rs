//! Where a value is: planes of a frame or of the global region.

use super::types::TypeId;

/// A plane of the running frame, or of the global region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Slot(u32);

const GLOBAL: u32 = 1 << 31;

impl Slot {
    pub fn frame(plane: u32) -> Slot {
        Slot(plane)
    }

    pub fn global(plane: u32) -> Slot {
        Slot(plane | GLOBAL)
    }

    pub fn is_global(self) -> bool {
        self.0 & GLOBAL != 0
    }

    /// The plane's index within its region.
    pub fn index(self) -> u32 {
        self.0 & !GLOBAL
    }

    /// The plane that lies `count` further on.
    #[inline]
    pub fn offset(self, count: u32) -> Slot {
        Slot(self.0 + count)
    }

    /// The plane's index in the register file, for a frame that begins at `base`.
    #[inline]
    pub fn plane(self, base: u32) -> u32 {
        if self.0 & GLOBAL != 0 { self.0 & !GLOBAL } else { base + self.0 }
    }
}

/// A value: where it is and its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    pub slot: Slot,
    pub type_: TypeId,
}
