//! Memory that cooperative vectors are multiplied with and added to (SPV_NV_cooperative_vector).

use super::FindingKind;
use crate::machine::{Context, Invocation};
use crate::memory::parts;
use crate::observer::AccessKind;

impl Context<'_, '_> {
    /// A read of a matrix or of a bias, which "must not be modified while a shader might be using them"; whether a byte of it is undefined.
    pub(crate) fn check_constant_read(&mut self, lane: usize, address: u64, size: u32) -> bool {
        let (allocation, offset) = parts(address);
        let shadow = &self.env.report.checks.shadow;
        if let Some(writer) = shadow.last_write(allocation, offset)
            && self.env.memory.contains(address, u64::from(size))
        {
            let workgroup = shadow.workgroup_of(writer.epoch());
            let party = Invocation { workgroup, index: writer.invocation() };
            self.find_with(FindingKind::DataRace, lane, Some((writer.instruction(), party)), |cx| {
                let place = cx.place_name(address);
                format!(
                    "a product reads {size} bytes at {place}, which invocation {} of this dispatch wrote; it takes its matrix and its bias as memory that nobody writes, whatever barriers there are: write them in an earlier dispatch",
                    party.index
                )
            });
            return false;
        }
        self.check_access(AccessKind::Read, size, &[(lane, address)]) != 0
    }

    /// A number in memory that something is added to: it has to be there.
    pub(crate) fn check_sum(&mut self, lane: usize, address: u64, size: u32) {
        if self.env.memory.contains(address, u64::from(size)) && self.holds_undefined(address, size) {
            self.find_undefined(lane, "what is added to");
        }
    }

    /// Whether something begins at a multiple of so many bytes.
    pub(crate) fn check_start(&mut self, lane: usize, address: u64, needed: u64, what: &str) {
        let (_, offset) = parts(address);
        if !offset.is_multiple_of(needed) {
            self.find_with(FindingKind::Misaligned, lane, None, |cx| {
                let place = cx.offset_of(address);
                format!(
                    "{what} begins at {place}, which is not a multiple of {needed} bytes; start at an aligned offset"
                )
            });
        }
    }
}
