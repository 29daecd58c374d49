//! Blocks of push constants: how many there may be (GL_KHR_vulkan_glsl), and where they lie in their banks (GL_NV_push_constant_bank).

use crate::diagnostics::{Severity, codes};
use crate::extensions::ids;
use crate::hir::{Definition, Global, GlobalId, Packing, Place};
use crate::layout::LayoutContext;
use crate::text::TextRange;
use crate::types::TypeKind;

use super::Lowerer;

/// Bytes of a bank: from, to, and what the first is aligned to.
struct Extent {
    from: u64,
    end: u64,
    align: u64,
}

impl Lowerer<'_> {
    /// A block that was just declared, with those before it. `range` is that of its name.
    pub(super) fn check_push_constant(&mut self, declared: GlobalId, range: TextRange) {
        if !self.module.globals[declared].layout.push_constant {
            return;
        }
        if self.environment.enabled(ids::GL_NV_PUSH_CONSTANT_BANK) {
            return self.check_bank(declared, range);
        }
        // One block in a shader, as VUID-StandaloneSpirv-OpEntryPoint-06674 has it for those that are used.
        let first = self.module.globals.iter().find(|(_, global)| global.layout.push_constant);
        if let Some(first) = first.map(|(id, _)| id).filter(|first| *first != declared) {
            self.report_with(
                &codes::REDEFINITION,
                range,
                "there is already a push constant block, and a shader can have only one".to_owned(),
                vec![(Place::Definition(Definition::Global(first)), "the first block".to_owned())],
            );
        }
    }

    /// GL_NV_push_constant_bank, 4.4.5.X: the offset "must be a multiple of the alignment requirement of the first member of the block", and
    /// "overlapping ranges within the same bank result in undefined behavior".
    fn check_bank(&mut self, declared: GlobalId, range: TextRange) {
        let global = &self.module.globals[declared];
        let number = global.layout.bank.unwrap_or(0);
        let Some(extent) = self.bank_extent(global) else { return };
        let offset = u64::from(global.layout.member_offset.unwrap_or(0));
        if offset % extent.align != 0 {
            let message = format!(
                "`member_offset` is {offset}, but must be a multiple of {}, which the first member is aligned to",
                extent.align
            );
            self.report(&codes::LAYOUT_VALUE, range, message);
        }
        let overlaps = |other: &Global| {
            let known = self.bank_extent(other)?;
            (known.from < extent.end && extent.from < known.end).then_some(known)
        };
        let found = self
            .module
            .globals
            .iter()
            .filter(|(id, other)| {
                *id != declared && other.layout.push_constant && other.layout.bank.unwrap_or(0) == number
            })
            .find_map(|(id, other)| Some((id, overlaps(other)?)));
        if let Some((other, known)) = found {
            let message = format!(
                "the block takes bytes {} to {} of bank {}, and another one takes bytes {} to {}: give it another `bank`, or a `member_offset` after that",
                extent.from,
                extent.end - 1,
                number,
                known.from,
                known.end - 1
            );
            let place = Place::Definition(Definition::Global(other));
            self.report_as(
                &codes::LAYOUT_VALUE,
                Severity::Warning,
                range,
                message,
                vec![(place, "the other block".to_owned())],
            );
        }
    }

    /// `None` for a block without a known size, or without members.
    fn bank_extent(&self, global: &Global) -> Option<Extent> {
        let &TypeKind::Struct(structure) = self.types.kind(global.ty) else { return None };
        let packing = global.layout.packing.unwrap_or(Packing::Std430);
        let context = LayoutContext { types: &self.types, structs: &self.module.structs, packing };
        let members = context.members_within(structure, global.layout.row_major.unwrap_or(false))?;
        let base = u64::from(global.layout.member_offset.unwrap_or(0));
        let mut from = u64::MAX;
        let mut end = 0;
        for member in &members {
            let offset = member.offset?;
            from = from.min(offset);
            end = end.max(offset.checked_add(member.layout.size?)?);
        }
        let align = members.first()?.layout.align.max(1);
        (from < end).then(|| Extent { from: base.saturating_add(from), end: base.saturating_add(end), align })
    }
}
