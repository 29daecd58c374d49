//! Transform feedback and streams: what `xfb_buffer`, `xfb_offset`, `xfb_stride` and `stream` say about outputs.

use coopmat_analysis::config::Stage;
use coopmat_analysis::hir::{Global, Layout, Storage, StructId};
use coopmat_analysis::types::{Ty, TypeKind};
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, ExecutionMode};

use super::words::{Target, number};
use crate::codegen::Codegen;

impl Codegen<'_> {
    /// What an output says about the buffer that it is captured to. `members` are decorated where it is a block.
    pub(super) fn decorate_feedback(&mut self, target: Target, global: &Global) {
        if global.storage != Storage::Out {
            return;
        }
        self.decorate_stream(target, global);
        let block = self.block_of(global.ty);
        let members = block.map_or(&[][..], |block| &self.hir.structs[block].members);
        let layouts = || std::iter::once(&global.layout).chain(members.iter().map(|member| &member.layout));
        if !layouts().any(|layout| number(layout, "xfb_offset").is_some()) {
            return;
        }
        self.globals.builtins.modes.push(ExecutionMode::Xfb);
        let buffer = layouts().find_map(|layout| number(layout, "xfb_buffer"));
        let buffer = buffer.or_else(|| self.default_before("xfb_buffer", global)).unwrap_or(0);
        let stride = layouts().find_map(|layout| number(layout, "xfb_stride"));
        let stride = stride.or_else(|| self.stride_of(buffer)).unwrap_or_else(|| self.captured_end(buffer));
        for (decoration, value) in [(Decoration::XfbBuffer, buffer), (Decoration::XfbStride, stride)] {
            self.decorate_target(target, decoration, [Operand::LiteralBit32(value)]);
        }
        if block.is_none()
            && let Some(offset) = number(&global.layout, "xfb_offset")
        {
            self.decorate_target(target, Decoration::Offset, [Operand::LiteralBit32(offset)]);
        }
    }

    /// The offsets of a block's members: their own, or one behind the other from that of the block on (GLSL 4.60 section 4.4.2).
    pub(super) fn captured_offsets(&self, block: StructId, layout: &Layout) -> Vec<Option<u32>> {
        let mut next = number(layout, "xfb_offset");
        let members = &self.hir.structs[block].members;
        let offsets = members.iter().map(|member| {
            let own = number(&member.layout, "xfb_offset");
            let (bytes, unit) = self.captured_size(member.ty);
            let offset = own.or(next.map(|next| next.next_multiple_of(unit)));
            next = next.and(offset).map(|offset| offset.saturating_add(bytes));
            offset
        });
        offsets.collect()
    }

    /// Bytes of a captured value, and what they are aligned to.
    fn captured_size(&self, ty: Ty) -> (u32, u32) {
        match *self.types.kind(ty) {
            TypeKind::Array(element, _) => {
                let (bytes, unit) = self.captured_size(element);
                let count = self.array_count(ty).unwrap_or(1);
                (bytes.saturating_mul(count), unit)
            }
            TypeKind::Struct(structure) => {
                let members = &self.hir.structs[structure].members;
                members.iter().fold((0, 1), |(sum, unit): (u32, u32), member| {
                    let (bytes, own) = self.captured_size(member.ty);
                    (sum.next_multiple_of(own).saturating_add(bytes), unit.max(own))
                })
            }
            TypeKind::Matrix { component, columns, rows } => {
                (component.bytes() * u32::from(columns) * u32::from(rows), component.bytes())
            }
            _ => match self.types.as_vector(ty) {
                Some((scalar, length)) => (scalar.bytes() * length, scalar.bytes()),
                None => (4, 4),
            },
        }
    }

    /// Where what is captured to a buffer ends: the stride that nobody declares.
    fn captured_end(&self, buffer: u32) -> u32 {
        let mut end = 0;
        for (_, global) in self.hir.globals.iter().filter(|(_, global)| global.storage == Storage::Out) {
            let own =
                number(&global.layout, "xfb_buffer").or_else(|| self.default_before("xfb_buffer", global));
            if own.unwrap_or(0) != buffer {
                continue;
            }
            match self.block_of(global.ty) {
                Some(block) => {
                    let members = &self.hir.structs[block].members;
                    for (offset, member) in
                        self.captured_offsets(block, &global.layout).into_iter().zip(members)
                    {
                        end = end.max(
                            offset.map_or(0, |offset| offset.saturating_add(self.captured_size(member.ty).0)),
                        );
                    }
                }
                None => {
                    if let Some(offset) = number(&global.layout, "xfb_offset") {
                        end = end.max(offset.saturating_add(self.captured_size(global.ty).0));
                    }
                }
            }
        }
        end.next_multiple_of(4)
    }

    /// The number behind the last `layout(NAME = N) out;` in front of a declaration.
    fn default_before(&self, name: &str, global: &Global) -> Option<u32> {
        let mut before = self.hir.default_layouts.iter().filter(|layout| {
            layout.name == name
                && layout.storage == Storage::Out
                && layout.range.start() < global.range.start()
        });
        before.next_back().and_then(|layout| layout.value)
    }

    /// The stride of a buffer that a declaration of its own, or a default, says.
    fn stride_of(&self, buffer: u32) -> Option<u32> {
        let mut current = 0;
        for layout in self.hir.default_layouts.iter().filter(|layout| layout.storage == Storage::Out) {
            match (layout.name.as_str(), layout.value) {
                ("xfb_buffer", Some(value)) => current = value,
                ("xfb_stride", Some(value)) if current == buffer => return Some(value),
                _ => {}
            }
        }
        let globals = self.hir.globals.iter().map(|(_, global)| &global.layout);
        let mut own = globals.filter(|layout| number(layout, "xfb_buffer") == Some(buffer));
        own.find_map(|layout| number(layout, "xfb_stride"))
    }

    /// Whether a geometry shader has more streams than the first.
    fn has_streams(&self) -> bool {
        let of_defaults = self.hir.default_layouts.iter();
        of_defaults
            .filter(|layout| layout.name == "stream")
            .any(|layout| layout.value.is_some_and(|value| value > 0))
            || self
                .hir
                .globals
                .iter()
                .any(|(_, global)| number(&global.layout, "stream").is_some_and(|value| value > 0))
    }

    fn decorate_stream(&mut self, target: Target, global: &Global) {
        if self.stage() != Stage::Geometry || !self.has_streams() {
            return;
        }
        let own = number(&global.layout, "stream").or_else(|| self.default_before("stream", global));
        self.decorate_target(target, Decoration::Stream, [Operand::LiteralBit32(own.unwrap_or(0))]);
    }
}
