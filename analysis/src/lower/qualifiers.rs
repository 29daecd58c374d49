//! Qualifiers: storage, memory, precision, `layout(...)` and the SPIR-V ones, gathered from in front of a declaration.

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind};

use crate::diagnostics::codes;
use crate::hir::spirv::SpirvInstruction;
use crate::hir::{Coherence, Const, Layout, LocalSizeDim, MemoryQualifiers, Packing, Precision, Storage};
use crate::text::TextRange;

use super::{Lowerer, suggest};

/// What stands in front of a declaration.
#[derive(Clone, Debug, Default)]
pub(super) struct Qualifiers {
    words: u32,
    pub layout: Layout,
    /// The range of the whole `layout(...)`.
    pub layout_range: Option<TextRange>,
    pub memory: MemoryQualifiers,
    pub precision: Option<Precision>,
    /// From the first qualifier to the last.
    pub range: Option<TextRange>,
    /// The last storage qualifier.
    pub storage_range: Option<TextRange>,
    pub local_size: [LocalSizeDim; 3],
    pub spirv_instruction: Option<SpirvInstruction>,
    pub subroutine: bool,
    /// A word that this crate knows nothing about: what the declaration means is not known either.
    pub unknown: bool,
}

/// Storage qualifiers as bits.
pub(super) mod word {
    pub const CONST: u32 = 1;
    pub const IN: u32 = 1 << 1;
    pub const OUT: u32 = 1 << 2;
    pub const UNIFORM: u32 = 1 << 3;
    pub const BUFFER: u32 = 1 << 4;
    pub const SHARED: u32 = 1 << 5;
    /// Payloads and attributes of the ray tracing and mesh stages, tile images, heaps, storage classes by number.
    pub const OTHER: u32 = 1 << 6;
    /// `flat`, `centroid`, `patch` ...: of interfaces between stages.
    pub const INTERPOLATION: u32 = 1 << 7;
    pub const BY_REFERENCE: u32 = 1 << 8;
    pub const LITERAL: u32 = 1 << 9;
    pub const INVARIANT: u32 = 1 << 10;
    pub const NONUNIFORM: u32 = 1 << 11;
    /// `inout` is both; this tells it from `in out`.
    pub const STORAGE: u32 = IN | OUT | UNIFORM | BUFFER | SHARED | OTHER;
}

impl Qualifiers {
    pub fn has(&self, word: u32) -> bool {
        self.words & word != 0
    }

    /// The storage of a declaration at top level.
    pub fn storage(&self) -> Storage {
        if self.layout.push_constant {
            Storage::PushConstant
        } else if self.has(word::OTHER) {
            Storage::Other
        } else if self.has(word::SHARED) {
            Storage::Shared
        } else if self.has(word::BUFFER) {
            Storage::Buffer
        } else if self.has(word::UNIFORM) {
            Storage::Uniform
        } else if self.has(word::IN) {
            Storage::In
        } else if self.has(word::OUT) {
            Storage::Out
        } else if self.has(word::CONST) {
            Storage::Const
        } else {
            Storage::Private
        }
    }

    pub fn set(&mut self, word: u32, range: TextRange) {
        self.words |= word;
        if word & (word::STORAGE | word::CONST) != 0 {
            self.storage_range = Some(range);
        }
    }
}

impl<'a> Lowerer<'a> {
    /// Whether a node is a qualifier, and reads it.
    pub(super) fn qualifier(&mut self, node: Node<'a>, qualifiers: &mut Qualifiers) -> bool {
        let range = self.range(node);
        match node.kind_id() {
            kind::QUALIFIER => self.qualifier_word(node, range, qualifiers),
            kind::LAYOUT_QUALIFIER => {
                qualifiers.layout_range =
                    Some(qualifiers.layout_range.map_or(range, |known| known.cover(range)));
                self.layout_entries(node, qualifiers);
            }
            kind::SUBROUTINE_QUALIFIER => qualifiers.subroutine = true,
            kind::SPIRV_QUALIFIER => self.spirv_qualifier(node, range, qualifiers),
            kind::UNKNOWN_QUALIFIER => {
                qualifiers.unknown = true;
                let name = self.node_text(node);
                self.report(
                    &codes::UNKNOWN_QUALIFIER,
                    range,
                    format!("expected a type or a qualifier, found `{name}`, which is neither"),
                );
            }
            _ => return false,
        }
        qualifiers.range = Some(qualifiers.range.map_or(range, |known| known.cover(range)));
        true
    }

    fn qualifier_word(&mut self, node: Node<'a>, range: TextRange, qualifiers: &mut Qualifiers) {
        let text = self.node_text(node);
        let bit = match text {
            "const" => word::CONST,
            "in" | "attribute" => word::IN,
            "out" => word::OUT,
            "inout" => word::IN | word::OUT,
            "varying" => match self.environment.stage {
                Some(crate::config::Stage::Vertex) => word::OUT,
                _ => word::IN,
            },
            "uniform" => word::UNIFORM,
            "buffer" => word::BUFFER,
            "shared" => word::SHARED,
            "highp" => return qualifiers.precision = Some(Precision::High),
            "mediump" => return qualifiers.precision = Some(Precision::Medium),
            "lowp" => return qualifiers.precision = Some(Precision::Low),
            "coherent"
            | "devicecoherent"
            | "queuefamilycoherent"
            | "workgroupcoherent"
            | "subgroupcoherent"
            | "shadercallcoherent"
            | "nonprivate" => {
                qualifiers.memory.coherence = match text {
                    "devicecoherent" => Coherence::Device,
                    "queuefamilycoherent" => Coherence::QueueFamily,
                    "workgroupcoherent" => Coherence::Workgroup,
                    "subgroupcoherent" => Coherence::Subgroup,
                    "shadercallcoherent" => Coherence::ShaderCall,
                    "nonprivate" => Coherence::NonPrivate,
                    _ => Coherence::Unstated,
                };
                return qualifiers.memory.coherent = true;
            }
            "volatile" => return qualifiers.memory.volatile = true,
            "restrict" => return qualifiers.memory.restrict = true,
            "readonly" => return qualifiers.memory.readonly = true,
            "writeonly" => return qualifiers.memory.writeonly = true,
            "precise" => return qualifiers.memory.precise = true,
            "nontemporal" => return,
            "invariant" => {
                qualifiers.memory.invariant = true;
                word::INVARIANT
            }
            "nonuniformEXT" => {
                qualifiers.memory.nonuniform = true;
                word::NONUNIFORM
            }
            "centroid"
            | "patch"
            | "sample"
            | "flat"
            | "smooth"
            | "noperspective"
            | "perprimitiveEXT"
            | "perprimitiveNV"
            | "perviewNV"
            | "taskNV"
            | "pervertexEXT"
            | "pervertexNV"
            | "__explicitInterpAMD" => word::INTERPOLATION,
            "spirv_by_reference" => word::BY_REFERENCE,
            "spirv_literal" => word::LITERAL,
            _ => word::OTHER,
        };
        let known = qualifiers.words;
        let clash = bit & word::STORAGE != 0 && known & word::STORAGE & !bit != 0;
        // `in` after `const` belongs to parameters, and `uniform` goes with `buffer_reference` nowhere else.
        if clash && bit & word::OTHER == 0 && known & word::OTHER == 0 {
            let before = qualifiers.storage_range;
            let first = before.and_then(|before| self.text_at(before)).unwrap_or("another").to_owned();
            self.report(
                &codes::QUALIFIER_MISUSE,
                range,
                format!("`{text}` cannot be combined with `{first}`: a variable has one storage qualifier"),
            );
        }
        qualifiers.set(bit, range);
    }

    /// The text at a range of the current body.
    pub(super) fn text_at(&self, range: TextRange) -> Option<&'a str> {
        let range = range + self.base;
        self.text.get(usize::from(range.start())..usize::from(range.end()))
    }

    fn layout_entries(&mut self, node: Node<'a>, qualifiers: &mut Qualifiers) {
        let mut cursor = self.cursor(node);
        if cursor.goto_first_child() {
            loop {
                if cursor.node().kind_id() == kind::LAYOUT_ENTRY {
                    self.layout_entry(cursor.node(), qualifiers);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
    }

    fn layout_entry(&mut self, node: Node<'a>, qualifiers: &mut Qualifiers) {
        let Some(name_node) = node.child_by_field_id(field::NAME) else { return };
        // GLSL 4.60, section 4.4: the names are not case sensitive.
        let name = self.node_text(name_node);
        let lowered;
        let name = if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            lowered = name.to_ascii_lowercase();
            lowered.as_str()
        } else {
            name
        };
        let value_node = node.child_by_field_id(field::VALUE);
        let value = value_node.and_then(|value| self.layout_value(value, name));
        let unsigned = value.and_then(|value| u32::try_from(value).ok());
        let layout = &mut qualifiers.layout;
        match name {
            "std140" => layout.packing = Some(Packing::Std140),
            "std430" => layout.packing = Some(Packing::Std430),
            "scalar" => layout.packing = Some(Packing::Scalar),
            "shared" => layout.packing = Some(Packing::Shared),
            "packed" => layout.packing = Some(Packing::Packed),
            "row_major" => layout.row_major = Some(true),
            "column_major" => layout.row_major = Some(false),
            "set" => layout.set = unsigned,
            "binding" => layout.binding = unsigned,
            "location" => layout.location = unsigned,
            "offset" => layout.offset = unsigned,
            "align" => {
                layout.align = unsigned.filter(|align| align.is_power_of_two());
                if let Some(value) = value
                    && layout.align.is_none()
                {
                    let range = self.range(node);
                    self.report(
                        &codes::LAYOUT_VALUE,
                        range,
                        format!("`align` must be a power of two, found {value}"),
                    );
                }
            }
            "push_constant" => layout.push_constant = true,
            "buffer_reference" => layout.buffer_reference = true,
            "buffer_reference_align" => {
                layout.buffer_reference_align = unsigned.filter(|align| align.is_power_of_two());
                if let Some(value) = value
                    && layout.buffer_reference_align.is_none()
                {
                    let range = self.range(node);
                    self.report(
                        &codes::LAYOUT_VALUE,
                        range,
                        format!("`buffer_reference_align` must be a power of two, found {value}"),
                    );
                }
            }
            "constant_id" => layout.constant_id = unsigned,
            "local_size_x" | "local_size_y" | "local_size_z" => {
                let index = axis(name);
                if let Some(value) = value {
                    if value < 1 {
                        let range = self.range(node);
                        self.report(
                            &codes::LAYOUT_VALUE,
                            range,
                            format!("`{name}` must be at least 1, found {value}"),
                        );
                    } else if let Ok(value) = i64::try_from(value) {
                        let symbol = self.types.symbols.int(value);
                        qualifiers.local_size[index].value = Some(symbol);
                    }
                }
            }
            "local_size_x_id" | "local_size_y_id" | "local_size_z_id" => {
                qualifiers.local_size[axis(name)].constant_id = unsigned;
            }
            _ => match (is_image_format(name), value_node) {
                (true, None) => layout.format = Some(name.into()),
                _ => {
                    let value = value.and_then(|value| i64::try_from(value).ok());
                    layout.other.push((name.into(), value));
                    self.check_layout_name(name, name_node);
                }
            },
        }
    }

    /// Extensions bring names that are not listed here: a name is wrong for certain only when it is nearly one that is.
    fn check_layout_name(&mut self, name: &str, node: Node<'a>) {
        if LAYOUT_NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
            || self.environment.knows_little()
        {
            return;
        }
        if let Some(suggestion) = suggest::closest(name, LAYOUT_NAMES.iter().copied()) {
            let range = self.range(node);
            self.report(
                &codes::UNKNOWN_LAYOUT,
                range,
                format!("`layout` has no `{name}`: did you mean `{suggestion}`?"),
            );
        }
    }

    /// The value after `=`: an integral constant expression that does not depend on specialization.
    fn layout_value(&mut self, node: Node<'a>, name: &str) -> Option<i128> {
        // The common case needs no expression: a plain number.
        if node.kind_id() == kind::INT_LITERAL
            && let Some(value) = plain_number(self.node_text(node))
        {
            return Some(value);
        }
        let expression = self.expression(node);
        if self.types.is_error(self.type_of(expression)) {
            return None;
        }
        match self.constant_value(expression) {
            Some(Const::Int(value)) => Some(*value),
            Some(Const::Opaque { specialization: false }) => None,
            _ if !is_number(name) => None,
            _ => {
                let range = self.range(node);
                self.report(
                    &codes::LAYOUT_VALUE,
                    range,
                    format!("`{name}` needs an integral constant that does not depend on specialization"),
                );
                None
            }
        }
    }
}

fn axis(name: &str) -> usize {
    match name.as_bytes().get("local_size_".len()) {
        Some(b'y') => 1,
        Some(b'z') => 2,
        _ => 0,
    }
}

/// A decimal, octal or hexadecimal number, with an optional `u`.
pub(super) fn plain_number(text: &str) -> Option<i128> {
    let digits = text.trim_end_matches(['u', 'U']);
    if let Some(hexadecimal) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return i128::from_str_radix(hexadecimal, 16).ok();
    }
    match digits.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => i128::from_str_radix(octal, 8).ok(),
        _ => digits.parse().ok(),
    }
}

/// GLSL 4.60, section 4.4, ESSL 3.20, GL_KHR_vulkan_glsl and the extensions: what may stand in `layout(...)`, formats of images aside.
const LAYOUT_NAMES: &[&str] = &[
    "shared",
    "packed",
    "std140",
    "std430",
    "scalar",
    "row_major",
    "column_major",
    "binding",
    "offset",
    "align",
    "set",
    "location",
    "component",
    "index",
    "triangles",
    "quads",
    "isolines",
    "equal_spacing",
    "fractional_even_spacing",
    "fractional_odd_spacing",
    "cw",
    "ccw",
    "point_mode",
    "points",
    "lines",
    "lines_adjacency",
    "triangles_adjacency",
    "invocations",
    "origin_upper_left",
    "pixel_center_integer",
    "early_fragment_tests",
    "local_size_x",
    "local_size_y",
    "local_size_z",
    "local_size_x_id",
    "local_size_y_id",
    "local_size_z_id",
    "xfb_buffer",
    "xfb_stride",
    "xfb_offset",
    "vertices",
    "line_strip",
    "triangle_strip",
    "max_vertices",
    "stream",
    "depth_any",
    "depth_greater",
    "depth_less",
    "depth_unchanged",
    "constant_id",
    "input_attachment_index",
    "push_constant",
    "buffer_reference",
    "buffer_reference_align",
    "num_views",
    "viewport_relative",
    "secondary_view_offset",
    "override_coverage",
    "passthrough",
    "derivative_group_quadsNV",
    "derivative_group_linearNV",
    "derivative_group_quadsKHR",
    "derivative_group_linearKHR",
    "max_primitives",
    "shaderRecordEXT",
    "shaderRecordNV",
    "hitObjectShaderRecordNV",
    "hitObjectShaderRecordEXT",
    "hitobjectshaderrecordnv",
    "hitobjectshaderrecordext",
    "post_depth_coverage",
    "primitive_culling",
    "bindless_sampler",
    "bindless_image",
    "bound_sampler",
    "bound_image",
    "commandBindableNV",
    "full_quads",
    "quad_derivatives",
    "pixel_interlock_ordered",
    "pixel_interlock_unordered",
    "sample_interlock_ordered",
    "sample_interlock_unordered",
    "shading_rate_interlock_ordered",
    "shading_rate_interlock_unordered",
    "early_and_late_fragment_tests_amd",
    "stencil_ref_unchanged_front_amd",
    "stencil_ref_greater_front_amd",
    "stencil_ref_less_front_amd",
    "stencil_ref_unchanged_back_amd",
    "stencil_ref_greater_back_amd",
    "stencil_ref_less_back_amd",
    "early_fragment_testsARM",
    "non_coherent_color_attachment_readEXT",
    "non_coherent_depth_attachment_readEXT",
    "non_coherent_stencil_attachment_readEXT",
    "tile_attachmentQCOM",
    "descriptor_heap",
    "descriptor_stride",
    "heap_offset",
    "mediump_outputs",
    "noncoherent",
    "blend_support_all_equations",
];

/// The names in `layout(...)` whose values are known to be numbers; what other extensions put there is not looked into.
fn is_number(name: &str) -> bool {
    matches!(
        name,
        "set"
            | "binding"
            | "location"
            | "component"
            | "offset"
            | "align"
            | "buffer_reference_align"
            | "constant_id"
            | "local_size_x"
            | "local_size_y"
            | "local_size_z"
            | "local_size_x_id"
            | "local_size_y_id"
            | "local_size_z_id"
    )
}

/// GLSL 4.60, section 4.4.7: the formats of images are channels, width and kind: `rgba32f`, `r11f_g11f_b10f`, `rgb10_a2ui`, `r64i`.
fn is_image_format(name: &str) -> bool {
    matches!(name, "r11f_g11f_b10f" | "rgb10_a2" | "rgb10_a2ui") || {
        let rest = name.trim_start_matches(['r', 'g', 'b', 'a']);
        let suffix = rest.trim_start_matches(|character: char| character.is_ascii_digit());
        name.starts_with('r')
            && rest.starts_with(|character: char| character.is_ascii_digit())
            && matches!(suffix, "" | "f" | "i" | "ui" | "_snorm")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_formats_are_told_from_other_names() {
        for name in ["rgba32f", "r8", "rg16_snorm", "r64ui", "rgb10_a2ui"] {
            assert!(is_image_format(name), "{name}");
        }
        for name in ["row_major", "r", "rgba", "xfb_offset", "early_fragment_tests"] {
            assert!(!is_image_format(name), "{name}");
        }
    }

    #[test]
    fn numbers_have_three_bases() {
        assert_eq!(plain_number("0x10"), Some(16));
        assert_eq!(plain_number("010"), Some(8));
        assert_eq!(plain_number("0"), Some(0));
        assert_eq!(plain_number("32u"), Some(32));
        assert_eq!(plain_number("1s"), None);
    }
}
