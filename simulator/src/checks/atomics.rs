//! Atomic operations: what they take and what was there have to be defined.

use crate::machine::Context;
use crate::memory::{SHARED, parts};
use crate::observer::AccessKind;

/// An atomic operation that changes memory.
#[derive(Clone, Copy)]
pub(crate) struct Update {
    /// Whether the number that was there has a say in what memory holds afterwards: not in an exchange.
    pub depends: bool,
    /// Whether a value that the operation takes, and that matters, is undefined.
    pub of_undefined: bool,
}

impl Context<'_, '_> {
    /// Whether one of these bytes, or this texel, holds nothing that is defined.
    pub(super) fn holds_undefined(&self, address: u64, size: u32) -> bool {
        let (allocation, offset) = parts(address);
        let shadow = &self.env.report.checks.shadow;
        let is_undefined = shadow.undefined_writes(allocation);
        (offset..offset + u64::from(size))
            .any(|at| is_undefined(at, shadow.last_write(allocation, at).unwrap_or_default()))
    }

    /// What an update leaves undefined; a finding where that reaches memory outside of the workgroup.
    pub(super) fn check_updated(
        &mut self,
        lane: usize,
        address: u64,
        was_undefined: bool,
        update: Update,
    ) -> bool {
        let added = update.depends && was_undefined;
        if !added && !update.of_undefined {
            return false;
        }
        if parts(address).0 != SHARED {
            self.find_undefined(lane, if update.of_undefined { "what is stored" } else { "what is updated" });
        }
        true
    }

    /// Notes an update of memory just before it happens, and gives whether the number that was there is undefined.
    pub(crate) fn check_update(&mut self, lane: usize, address: u64, size: u32, update: Update) -> bool {
        if !self.check_place(AccessKind::Atomic, lane, address, size) {
            return false;
        }
        let was_undefined = self.holds_undefined(address, size);
        let undefined = self.check_updated(lane, address, was_undefined, update);
        self.check_write(lane, address, size, true, undefined);
        was_undefined
    }
}
