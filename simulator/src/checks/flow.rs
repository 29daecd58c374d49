//! Branches and barriers.

use super::FindingKind;
use super::order::Semantics;
use crate::code::{BarrierInstruction, BarrierKind};
use crate::machine::{Context, Mask, Plane, first_lanes, lanes_of};

impl Context<'_, '_> {
    /// The invocations that the subgroup began with.
    pub(crate) fn all_lanes(&self) -> Mask {
        let size = self.env.settings.subgroup_size;
        let invocations: u32 = self.env.program.interface.workgroup_size.iter().product();
        first_lanes(invocations.saturating_sub(self.subgroup * size).min(size) as usize)
    }

    /// A value decides where lanes go, or what an instruction accesses.
    pub(crate) fn check_defined(&mut self, plane: Plane, lanes: Mask, what: &str) {
        let undefined = self.registers.undefined(plane) & lanes;
        if undefined != 0 {
            self.find_undefined(undefined.trailing_zeros() as usize, what);
        }
    }

    /// A finding about a lane whose value is undefined.
    #[cold]
    pub(crate) fn find_undefined(&mut self, lane: usize, what: &str) {
        let rows = self.env.report.checks.undefined_rows.get(&self.subgroup).copied();
        match rows.filter(|(_, lanes)| self.nested == 0 && lanes >> lane & 1 != 0) {
            Some((instruction, _)) => {
                let other = Some((instruction, self.checked_invocation(lane)));
                self.find_with(FindingKind::UndefinedRows, lane, other, |cx| {
                    format!(
                        "{what} depends on a value that the conversion of a matrix to arrays leaves undefined: invocation {lane} of the {} in the subgroup has no row of its own; use it only in invocations that have one",
                        cx.registers.lanes()
                    )
                });
            }
            None => self.find_with(FindingKind::Uninitialised, lane, None, |_| {
                format!("{what} depends on a value that was never written; initialize it on every path that leads here")
            }),
        }
    }

    /// A barrier of the workgroup is reached.
    pub(crate) fn check_barrier(&mut self, semantics: Semantics) {
        let (mask, all) = (self.mask(), self.all_lanes());
        let origin = self.origin;
        self.env.report.checks.barriers.insert(self.subgroup, (origin, semantics));
        if mask & all != all {
            let absent = (all & !mask).trailing_zeros() as usize;
            let lane = self.registers.first_active();
            self.find_with(FindingKind::DivergentBarrier, lane, None, |cx| {
                format!(
                    "{} of {} invocations of the subgroup reach the barrier, but invocation {} does not; every invocation of the workgroup must reach it",
                    mask.count_ones(),
                    all.count_ones(),
                    cx.invocation(absent).index
                )
            });
        }
    }

    /// The subgroup passes a barrier at which it does not wait for others. What functions over elements do orders nothing: only some of the
    /// subgroup's invocations may run them.
    pub(crate) fn pass(&mut self, barrier: &BarrierInstruction) {
        if self.nested > 0 {
            return;
        }
        let checks = &mut self.env.report.checks;
        match barrier.kind {
            BarrierKind::Memory => checks.shadow.pass_memory_barrier(self.subgroup, barrier.semantics),
            BarrierKind::Subgroup | BarrierKind::Workgroup => {
                checks.loaded.clear();
                checks.shadow.pass_subgroup_barrier(self.subgroup, barrier.semantics);
            }
        }
    }

    /// All subgroups stand: they should stand at the same barrier, and pass it.
    pub(crate) fn check_meeting(&mut self, subgroups: u32) {
        let barriers = std::mem::take(&mut self.env.report.checks.barriers);
        self.env.report.checks.loaded.clear();
        let by_subgroup = |(subgroup, _): &(&u32, &(u32, Semantics))| **subgroup;
        let Some((&first, &(origin, semantics))) = barriers.iter().min_by_key(by_subgroup) else { return };
        self.env.report.checks.shadow.pass_barrier(semantics);
        self.subgroup = first;
        let other = barriers.iter().filter(|(_, (at, _))| *at != origin).min_by_key(by_subgroup);
        let lanes = self.env.settings.subgroup_size;
        let (kind, workgroup) = (FindingKind::DivergentBarrier, self.env.workgroup);
        let invocation = crate::machine::Invocation { workgroup, index: first * lanes };
        if let Some((&subgroup, &(at, _))) = other {
            let party = crate::machine::Invocation { workgroup, index: subgroup * lanes };
            self.find_at(kind, origin, invocation, Some((at, party)), |_| {
                format!(
                    "subgroup {first} waits at this barrier while subgroup {subgroup} waits at another; all invocations of a workgroup must reach the same barriers"
                )
            });
        } else if (barriers.len() as u32) < subgroups {
            let ended = (0..subgroups).find(|index| !barriers.contains_key(index)).unwrap_or(0);
            self.find_at(kind, origin, invocation, None, |_| {
                format!(
                    "subgroup {first} waits at this barrier, but subgroup {ended} has ended; let all invocations of the workgroup reach it before any returns"
                )
            });
        }
    }

    /// The lanes that take part and hold another word than the first of them.
    pub(crate) fn differing(&self, plane: Plane) -> Option<usize> {
        let first = self.registers.any(plane);
        lanes_of(self.mask()).find(|&lane| self.registers.get(plane, lane) != first)
    }
}
