//! How findings are written down; what is forgotten, and told once more, where workgroups begin and end.

use super::shadow::{Stamp, Who};
use super::{Finding, FindingKind};
use crate::machine::{Context, Environment, Invocation};
use crate::memory::{BUFFERS, Buffer, IMAGES, SHARED, Target, address, parts, whole};
use crate::program::ProgramData;

impl Environment<'_> {
    /// A workgroup begins.
    pub fn begin_checks(&mut self, subgroups: u32) {
        let first = self.report.findings.len();
        let checks = &mut self.report.checks;
        if checks.shadow.workgroups.is_empty() {
            checks.shadow.undefined =
                self.settings.undefined_buffers.iter().map(|id| BUFFERS + u64::from(id.0)).collect();
            checks.shadow.before = self.settings.written_before.clone();
            let buffers = self.memory.buffers;
            let part = |(allocation, buffer): (u64, &Buffer)| {
                buffer.part_of().map(|_| parts(whole(buffers, address(allocation, 0))))
            };
            if buffers.iter().any(|buffer| buffer.part_of().is_some()) {
                checks.shadow.parts = (BUFFERS..).zip(buffers).map(part).collect();
            }
            // What nobody has written is wrong to read, though it stays as it is.
            let images = self.settings.undefined_images.iter().map(|id| IMAGES + u64::from(id.0));
            checks.shadow.undefined.extend(images);
            let mut constant = constant_allocations(self.program, self.descriptors, self.memory.buffers);
            constant.retain(|allocation| !checks.shadow.undefined.contains(allocation));
            checks.shadow.constant = constant;
        }
        checks.shadow.begin_workgroup(self.workgroup, subgroups as usize);
        checks.births.clear();
        checks.undefined_rows.clear();
        checks.barriers.clear();
        checks.loaded.clear();
        checks.together = false;
        checks.first_finding = first;
        let epoch = checks.shadow.epoch;
        for &(_, offset, leaves) in &self.program.shared_initial {
            for leaf in self.program.leaves[leaves as usize].iter() {
                let (start, size) = (offset + u64::from(leaf.offset), u64::from(leaf.scalar.bytes()));
                for cell in checks.shadow.cells(SHARED, start, size) {
                    cell.write = Stamp::new(epoch, Who::Invocation(0), 0, true, false);
                }
            }
        }
        // The initial values are there before anybody runs.
        let epoch = checks.shadow.next_epoch();
        checks.shadow.order.begin(subgroups as usize, epoch);
    }

    /// A workgroup has ended. What was read too early because a barrier is missing is not told a second time.
    pub fn end_checks(&mut self) {
        let report = &mut *self.report;
        let first = report.checks.first_finding;
        let here = self.workgroup;
        let early = report.findings.iter().any(|finding| {
            finding.kind == FindingKind::MissingBarrier && finding.invocation.workgroup == here
        });
        if early {
            let mut index = 0;
            report.findings.retain(|finding| {
                index += 1;
                index <= first || finding.kind != FindingKind::Uninitialised
            });
            report.checks.recount(&report.findings);
        }
    }
}

/// Buffers and images that the shader only reads, as long as it has no other way to them than its descriptors.
pub(crate) fn constant_allocations(
    program: &ProgramData,
    descriptors: &[Target],
    buffers: &[Buffer],
) -> Vec<u64> {
    let mut constant = Vec::new();
    let mut written = Vec::new();
    for (&(set, number, _), target) in program.descriptors.iter().zip(descriptors) {
        let allocation = match target {
            Target::Buffer(address) => parts(whole(buffers, *address)).0,
            Target::Image(image) => IMAGES + u64::from(*image),
            Target::Nothing => continue,
        };
        // Several variables may have the same binding.
        let bindings = &program.interface.bindings;
        let mut bindings = bindings.iter().filter(|known| (known.set, known.binding) == (set, number));
        let list = if bindings.all(|binding| binding.readonly) { &mut constant } else { &mut written };
        list.push(allocation);
    }
    constant.retain(|allocation| !written.contains(allocation));
    constant
}

impl Context<'_, '_> {
    /// Writes down a finding about a lane.
    pub fn find(&mut self, kind: FindingKind, lane: usize, message: String) {
        self.find_with(kind, lane, None, |_| message);
    }

    /// The same, where the message costs something and somebody else may have a part in it.
    pub fn find_with(
        &mut self,
        kind: FindingKind,
        lane: usize,
        other: Option<(u32, Invocation)>,
        message: impl FnOnce(&Self) -> String,
    ) {
        let invocation = self.checked_invocation(lane);
        self.find_at(kind, self.origin, invocation, other, message);
    }

    pub fn find_at(
        &mut self,
        kind: FindingKind,
        instruction: u32,
        invocation: Invocation,
        other: Option<(u32, Invocation)>,
        message: impl FnOnce(&Self) -> String,
    ) {
        let limit = self.env.settings.finding_limit;
        let report = &mut *self.env.report;
        if report.checks.keeps(&mut report.findings, limit, kind, instruction) {
            let message = message(self);
            let finding = Finding { kind, instruction, invocation, message, other, more: 0 };
            self.env.report.findings.push(finding);
        }
    }

    /// Who a lane is. In a function over elements the lanes are elements: what they do is said of the first invocation.
    pub fn checked_invocation(&self, lane: usize) -> Invocation {
        if self.nested == 0 {
            return self.invocation(lane);
        }
        let index = self.subgroup * self.env.settings.subgroup_size;
        Invocation { workgroup: self.env.workgroup, index }
    }
}
