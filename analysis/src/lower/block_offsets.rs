//! What `layout(offset = ...)` of a block's member may say: GL_KHR_vulkan_glsl, which replaces section 4.4.5 of GLSL 4.60.

use crate::diagnostics::codes;
use crate::hir::{Packing, StructId};
use crate::layout::LayoutContext;

use super::Lowerer;

impl Lowerer<'_> {
    /// Reports offsets that are no multiple of their type's alignment, and those that lie in another member; their order is free.
    pub(super) fn check_offsets(&mut self, structure: StructId, packing: Packing, row_major: bool) {
        let members = &self.module.structs[structure].members;
        if members.iter().all(|member| member.layout.offset.is_none()) {
            return;
        }
        let context = LayoutContext { types: &self.types, structs: &self.module.structs, packing };
        let Some(layouts) = context.members_within(structure, row_major) else { return };
        let spans: Vec<Option<(u64, u64)>> = layouts
            .iter()
            .map(|layout| {
                let offset = layout.offset?;
                Some((offset, offset.checked_add(layout.layout.size?)?))
            })
            .collect();
        // The members in the order of memory: one that overlaps any overlaps the one before or behind it.
        let mut order: Vec<usize> = (0..members.len()).filter(|&index| spans[index].is_some()).collect();
        order.sort_by_key(|&index| spans[index]);
        let mut wrong = Vec::new();
        for (member, layout) in members.iter().zip(&layouts) {
            let Some(offset) = member.layout.offset.map(u64::from) else { continue };
            let align = context.type_layout(member.ty, row_major).map_or(1, |layout| layout.align.max(1));
            if offset % align != 0 && layout.offset.is_some() {
                wrong.push((
                    member.name_range,
                    format!(
                        "`offset` of `{}` is {offset}, but must be a multiple of {align}, which `{}` is aligned to",
                        member.name,
                        self.display(member.ty)
                    ),
                ));
            }
        }
        for pair in order.windows(2) {
            let &[first, second] = pair else { continue };
            let (Some((from, end)), Some((start, _))) = (spans[first], spans[second]) else { continue };
            if start < end {
                // The one that says its offset is the one to change; the later of two that do.
                let says = |index: usize| members[index].layout.offset.is_some();
                let (wrong_one, other, at) = if says(second) && (second > first || !says(first)) {
                    (second, first, start)
                } else {
                    (first, second, from)
                };
                let (member, name) = (&members[wrong_one], &members[other].name);
                let (from, end) = spans[other].unwrap_or_default();
                wrong.push((
                    member.name_range,
                    format!(
                        "`{}` at offset {at} overlaps `{name}`, which occupies bytes {from} to {}",
                        member.name,
                        end.saturating_sub(1)
                    ),
                ));
            }
        }
        for (range, message) in wrong {
            self.report(&codes::LAYOUT_VALUE, range, message);
        }
    }
}
