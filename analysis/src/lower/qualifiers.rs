//! Qualifiers: storage, memory, precision, `layout(...)` and the SPIR-V ones, gathered from in front of a declaration.

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind};

use crate::config::Stage;
use crate::diagnostics::{Severity, codes};
use crate::extensions::{self, ExtensionId};
use crate::hir::spirv::SpirvInstruction;
use crate::hir::{Coherence, Const, Layout, LocalSizeDim, MemoryQualifiers, Packing, Precision, Storage};
use crate::text::TextRange;

use super::layout_names::{self, LayoutName, Takes};
use super::{Lowerer, image_formats, literals, suggest};

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
    /// Whether a `binding` is there whose value is none, which is told already.
    pub binding_is_wrong: bool,
    /// The same of `bank` and `member_offset`.
    pub bank_is_wrong: bool,
    /// A word that this crate knows nothing about: what the declaration means is not known either.
    pub unknown: bool,
    /// Where the words stand, `layout` aside.
    places: Vec<TextRange>,
    /// The numbers of `layout(...)`, in order.
    numbers: Vec<(&'static str, u32)>,
    /// The names of `layout(...)` that take no value, in order.
    names: Vec<&'static str>,
}

/// Storage qualifiers as bits.
pub(super) mod word {
    pub const CONST: u32 = 1;
    pub const IN: u32 = 1 << 1;
    pub const OUT: u32 = 1 << 2;
    pub const UNIFORM: u32 = 1 << 3;
    pub const BUFFER: u32 = 1 << 4;
    pub const SHARED: u32 = 1 << 5;
    /// Payloads and attributes of the ray tracing and mesh stages, tile images, storage classes by number.
    pub const OTHER: u32 = 1 << 6;
    /// `flat`, `centroid`, `patch` ...: of interfaces between stages.
    pub const INTERPOLATION: u32 = 1 << 7;
    pub const BY_REFERENCE: u32 = 1 << 8;
    pub const LITERAL: u32 = 1 << 9;
    pub const INVARIANT: u32 = 1 << 10;
    pub const NONUNIFORM: u32 = 1 << 11;
    /// `resourceheap`
    pub const RESOURCE_HEAP: u32 = 1 << 12;
    /// `samplerheap`
    pub const SAMPLER_HEAP: u32 = 1 << 13;
    pub const HEAP: u32 = RESOURCE_HEAP | SAMPLER_HEAP;
    /// `inout` is both; this tells it from `in out`.
    pub const STORAGE: u32 = IN | OUT | UNIFORM | BUFFER | SHARED | OTHER | HEAP;
}

impl Qualifiers {
    pub fn has(&self, word: u32) -> bool {
        self.words & word != 0
    }

    /// The storage of a declaration at top level.
    pub fn storage(&self) -> Storage {
        if self.layout.push_constant {
            Storage::PushConstant
        } else if self.has(word::RESOURCE_HEAP) {
            Storage::ResourceHeap
        } else if self.has(word::SAMPLER_HEAP) {
            Storage::SamplerHeap
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

    /// `layout(primitive_culling)`
    pub fn culls_primitives(&self) -> bool {
        self.layout.other.iter().any(|(name, _)| name == "primitive_culling")
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
            kind::QUALIFIER => {
                self.check_repeated_word(node, range, qualifiers);
                self.qualifier_word(node, range, qualifiers);
            }
            kind::LAYOUT_QUALIFIER => {
                qualifiers.layout_range =
                    Some(qualifiers.layout_range.map_or(range, |known| known.cover(range)));
                self.layout_entries(node, qualifiers);
            }
            kind::SUBROUTINE_QUALIFIER => {
                qualifiers.subroutine = true;
                // GL_KHR_vulkan_glsl has "subroutines" under what is removed. Shaders of other stages may be OpenGL's.
                if self.environment.stage == Some(Stage::Compute) {
                    let message = "`subroutine` is not available in Vulkan: choose between functions with `if` or `switch`";
                    self.misplaced_qualifier(Some(range), message);
                }
            }
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

    /// GLSL 4.60, section 4.10: "The `layout` qualifier is the only qualifier that can appear more than once."
    fn check_repeated_word(&mut self, node: Node<'a>, range: TextRange, qualifiers: &mut Qualifiers) {
        let text = self.node_text(node);
        if qualifiers.places.iter().any(|&earlier| self.text_at(earlier) == Some(text)) {
            self.report(
                &codes::QUALIFIER_MISUSE,
                range,
                format!("duplicate `{text}`: a declaration can have each qualifier only once"),
            );
        }
        qualifiers.places.push(range);
    }

    fn qualifier_word(&mut self, node: Node<'a>, range: TextRange, qualifiers: &mut Qualifiers) {
        let text = self.node_text(node);
        // GLSL 4.60, section 4.3: `attribute` is of vertex shaders alone, `varying` of vertex and fragment shaders.
        // `patch` of the stages that tessellate, and what passes through them.
        let elsewhere = matches!(text, "attribute" | "varying" | "patch")
            && self.environment.stage == Some(Stage::Compute);
        if elsewhere {
            let message = format!("`{text}` is not available in compute shaders");
            self.report(&codes::QUALIFIER_MISUSE, range, message);
        }
        self.check_extension_word(text, range);
        let bit = match text {
            "const" => word::CONST,
            "in" | "attribute" => word::IN,
            "out" => word::OUT,
            "inout" => word::IN | word::OUT,
            "varying" => match self.environment.stage {
                Some(Stage::Vertex) => word::OUT,
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
                return self.coherence_word(text, range, qualifiers);
            }
            "volatile" => return qualifiers.memory.volatile = true,
            "restrict" => return qualifiers.memory.restrict = true,
            "readonly" => return qualifiers.memory.readonly = true,
            "writeonly" => return qualifiers.memory.writeonly = true,
            "precise" => return qualifiers.memory.precise = true,
            "nontemporal" => return qualifiers.memory.nontemporal = true,
            "invariant" => {
                qualifiers.memory.invariant = true;
                word::INVARIANT
            }
            "nonuniformEXT" => {
                qualifiers.memory.nonuniform = true;
                word::NONUNIFORM
            }
            // That it does not exist is said, and nothing more.
            "patch" if elsewhere => 0,
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
            "resourceheap" => word::RESOURCE_HEAP,
            "samplerheap" => word::SAMPLER_HEAP,
            "spirv_by_reference" => word::BY_REFERENCE,
            "spirv_literal" => word::LITERAL,
            _ => word::OTHER,
        };
        if matches!(bit, word::INTERPOLATION | word::OTHER) {
            qualifiers.layout.interface.push(text.into());
        }
        let known = qualifiers.words;
        // `const` goes with `in` of parameters, and with nothing else.
        let constant = word::UNIFORM | word::BUFFER | word::SHARED | word::HEAP;
        let clash = (bit & word::STORAGE != 0 && known & word::STORAGE & !bit != 0)
            || (bit & constant != 0 && known & word::CONST != 0)
            || (bit == word::CONST && known & constant != 0);
        // `in` after `const` belongs to parameters, and `uniform` goes with `buffer_reference` nowhere else.
        if clash && bit & word::OTHER == 0 && known & word::OTHER == 0 {
            let before = qualifiers.storage_range;
            let first = before.and_then(|before| self.text_at(before)).unwrap_or("another").to_owned();
            self.report(
                &codes::QUALIFIER_MISUSE,
                range,
                format!("`{text}` cannot be combined with `{first}`: a variable can have only one storage qualifier"),
            );
        }
        qualifiers.set(bit, range);
    }

    /// GL_KHR_memory_scope_semantics, 4.10: "It is a compile-time error to decorate a variable with more than one" of them, and they "are all
    /// implicitly nonprivate".
    fn coherence_word(&mut self, text: &'a str, range: TextRange, qualifiers: &mut Qualifiers) {
        let coherence = match text {
            "devicecoherent" => Coherence::Device,
            "queuefamilycoherent" => Coherence::QueueFamily,
            "workgroupcoherent" => Coherence::Workgroup,
            "subgroupcoherent" => Coherence::Subgroup,
            "shadercallcoherent" => Coherence::ShaderCall,
            "nonprivate" => Coherence::NonPrivate,
            _ => Coherence::Unstated,
        };
        let memory = &mut qualifiers.memory;
        let scoped = memory.coherent && memory.coherence != Coherence::NonPrivate;
        if scoped && coherence == Coherence::NonPrivate {
            return;
        }
        let earlier = memory.coherence;
        memory.coherence = coherence;
        memory.coherent = true;
        if scoped && earlier != coherence {
            let earlier = qualifiers
                .places
                .iter()
                .filter_map(|&place| self.text_at(place))
                .find(|word| word.ends_with("coherent"))
                .unwrap_or("coherent");
            let message = format!(
                "`{text}` cannot be combined with `{earlier}`: memory can be coherent in only one scope"
            );
            self.report(&codes::QUALIFIER_MISUSE, range, message);
        }
    }

    /// A word that an extension brings is there where that is enabled, in the stages that it is of.
    pub(super) fn check_extension_word(&mut self, text: &str, range: TextRange) {
        let providers = extensions::providers_of_keyword(text);
        let enabled = |id: &ExtensionId| self.environment.enabled(*id);
        if providers.is_empty() || self.environment.has_unknown_extension() {
            return;
        }
        if !providers.iter().any(enabled) {
            if let Some(extension) = self.missing_extension_of(providers) {
                self.report(
                    &codes::MISSING_EXTENSION,
                    range,
                    format!("`{text}` is provided by {extension}: add `#extension {extension} : require`"),
                );
            }
            return;
        }
        let Some(stage) = self.environment.stage else { return };
        let here = |id: &ExtensionId| {
            let stages = extensions::extension_by_id(*id).stages;
            stages == 0 || stages & (1 << stage as u32) != 0
        };
        if !providers.iter().filter(|id| enabled(id)).any(here) {
            let message = format!("`{text}` is not available in {} shaders", stage.name());
            self.report(&codes::QUALIFIER_MISUSE, range, message);
        }
    }

    /// The text at a range of the current body.
    pub(super) fn text_at(&self, range: TextRange) -> Option<&'a str> {
        let range = range + self.base;
        self.text.get(usize::from(range.start())..usize::from(range.end()))
    }

    fn layout_entries(&mut self, node: Node<'a>, qualifiers: &mut Qualifiers) {
        let mut cursor = self.cursor(node);
        let mut entries = false;
        if cursor.goto_first_child() {
            loop {
                if cursor.node().kind_id() == kind::LAYOUT_ENTRY {
                    entries = true;
                    self.layout_entry(cursor.node(), qualifiers);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
        // What is not well-formed is reported already.
        if !entries && !node.has_error() {
            let range = self.range(node);
            let message = "expected a name in `layout(...)`, as in `layout(binding = 0)`";
            self.report(&codes::SYNTAX_ERROR, range, message.to_owned());
        }
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
        let Some(known) = layout_names::layout_name(name) else {
            return self.format_or_unknown(name, name_node, value_node, qualifiers);
        };
        self.check_layout_name(known, name_node, value_node);
        let value = match known.takes {
            Takes::Number => value_node.and_then(|value| self.layout_value(value, name)),
            Takes::Expression => {
                qualifiers.layout.heap_offset = value_node.map(|value| self.heap_offset(value).into_raw());
                None
            }
            Takes::Nothing => {
                self.check_overridden_name(known.name, name_node, qualifiers);
                None
            }
        };
        let unsigned = value.and_then(|value| u32::try_from(value).ok());
        if let Some(unsigned) = unsigned {
            self.check_repeated_entry(known.name, unsigned, node, qualifiers);
        }
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
            "binding" => {
                layout.binding = unsigned;
                qualifiers.binding_is_wrong = unsigned.is_none();
            }
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
            "descriptor_heap" => layout.descriptor_heap = true,
            "descriptor_stride" => {
                layout.descriptor_stride = unsigned.filter(|stride| stride.is_power_of_two());
                if let Some(value) = value
                    && layout.descriptor_stride.is_none()
                {
                    let range = self.range(node);
                    self.report(
                        &codes::LAYOUT_VALUE,
                        range,
                        format!("`descriptor_stride` must be a power of two, found {value}"),
                    );
                }
            }
            "buffer_type" => layout.buffer_type = true,
            "descriptor_size" => {
                layout.descriptor_size = unsigned.filter(|&size| size > 0);
                if value == Some(0) {
                    let range = self.range(node);
                    let message = "`descriptor_size` must be at least 1, found 0".to_owned();
                    self.report(&codes::LAYOUT_VALUE, range, message);
                }
            }
            "heap_offset" => {}
            "bank" => {
                layout.bank = unsigned;
                qualifiers.bank_is_wrong |= unsigned.is_none();
            }
            "member_offset" => {
                layout.member_offset = unsigned;
                qualifiers.bank_is_wrong |= unsigned.is_none();
            }
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
            _ => layout.other.push((name.into(), unsigned.map(i64::from))),
        }
    }

    /// A name that stands for no layout: the format of an image, or what nothing defines.
    fn format_or_unknown(
        &mut self,
        name: &str,
        name_node: Node<'a>,
        value_node: Option<Node<'a>>,
        qualifiers: &mut Qualifiers,
    ) {
        let range = self.range(name_node);
        let written = self.node_text(name_node);
        if image_formats::component(name).is_some() {
            let earlier = qualifiers.layout.format.replace(name.into());
            if let Some(earlier) = earlier.filter(|earlier| earlier != name) {
                self.overridden_name(&earlier, written, range);
            }
            self.check_format_extension(name, range);
            if let Some(value) = value_node {
                let range = self.range(value);
                self.report(&codes::LAYOUT_VALUE, range, format!("`{written}` takes no value"));
            }
            return;
        }
        let hint = match suggest::closest(name, layout_names::all()) {
            Some(suggestion) => format!(": did you mean `{suggestion}`?"),
            None => String::new(),
        };
        // An extension that even the tables do not name may bring anything.
        let severity = if self.environment.has_unknown_extension() {
            Severity::Hint
        } else {
            codes::UNKNOWN_LAYOUT.severity
        };
        self.report_as(
            &codes::UNKNOWN_LAYOUT,
            severity,
            range,
            format!("`layout` has no `{written}`{hint}"),
            Vec::new(),
        );
    }

    /// Whether a name is here, and has the value that it takes.
    fn check_layout_name(
        &mut self,
        known: &'static LayoutName,
        name_node: Node<'a>,
        value_node: Option<Node<'a>>,
    ) {
        let range = self.range(name_node);
        let name = self.node_text(name_node);
        match (known.takes, value_node) {
            (Takes::Number | Takes::Expression, None) => {
                self.report(
                    &codes::LAYOUT_VALUE,
                    range,
                    format!("expected a value for `{name}`, as in `{name} = 1`"),
                );
            }
            (Takes::Nothing, Some(value)) => {
                let range = self.range(value);
                self.report(&codes::LAYOUT_VALUE, range, format!("`{name}` takes no value"));
            }
            _ => {}
        }
        if !known.compute && self.environment.stage == Some(Stage::Compute) {
            self.report(
                &codes::UNKNOWN_LAYOUT,
                range,
                format!("`{name}` is not available in compute shaders"),
            );
        } else if !known.providers.is_empty()
            && let Some(extension) = self.missing_extension_of(known.providers)
        {
            self.report(
                &codes::MISSING_EXTENSION,
                range,
                format!("`{name}` is provided by {extension}: add `#extension {extension} : require`"),
            );
        }
    }

    /// GLSL 4.60, section 4.4: "the last one defined in the declaration overrides", which not every compiler does.
    fn check_repeated_entry(
        &mut self,
        name: &'static str,
        value: u32,
        node: Node<'a>,
        qualifiers: &mut Qualifiers,
    ) {
        let earlier = qualifiers.numbers.iter().rev().find(|(known, _)| *known == name);
        if let Some(&(_, earlier)) = earlier
            && earlier != value
        {
            let range = self.range(node);
            self.report_as(
                &codes::LAYOUT_VALUE,
                Severity::Warning,
                range,
                format!(
                    "`{name}` is {earlier} earlier in this declaration: the last value, {value}, applies, but compilers differ; keep only one"
                ),
                Vec::new(),
            );
        }
        qualifiers.numbers.push((name, value));
    }

    /// GLSL 4.60, section 4.4, of names "where one overrides the other": "only the last occurrence has any effect".
    fn check_overridden_name(&mut self, name: &'static str, node: Node<'a>, qualifiers: &mut Qualifiers) {
        let earlier = qualifiers.names.iter().rev().find(|earlier| layout_names::excludes(earlier, name));
        if let Some(&earlier) = earlier {
            let range = self.range(node);
            self.overridden_name(earlier, name, range);
        }
        qualifiers.names.push(name);
    }

    fn overridden_name(&mut self, earlier: &str, name: &str, range: TextRange) {
        let message = format!(
            "`{earlier}` appears earlier in this declaration: the last one, `{name}`, applies; keep only one"
        );
        self.report_as(&codes::LAYOUT_VALUE, Severity::Warning, range, message, Vec::new());
    }

    /// The value after `=`: an integral constant expression that does not depend on specialization.
    fn layout_value(&mut self, node: Node<'a>, name: &str) -> Option<i128> {
        let range = self.range(node);
        // The common case needs no expression: a plain number.
        let plain = (node.kind_id() == kind::INT_LITERAL)
            .then(|| literals::plain_number(self.node_text(node)))
            .flatten();
        let value = match plain {
            Some(value) => value,
            None => {
                let expression = self.expression(node);
                if self.types.is_error(self.type_of(expression)) {
                    return None;
                }
                match self.constant_value(expression) {
                    Some(Const::Int(value)) => *value,
                    Some(Const::Opaque { specialization: false }) => return None,
                    _ => {
                        self.report(
                            &codes::LAYOUT_VALUE,
                            range,
                            format!(
                                "`{name}` needs an integral constant that does not depend on specialization"
                            ),
                        );
                        return None;
                    }
                }
            }
        };
        if value < 0 || value > i128::from(u32::MAX) {
            let message = if value < 0 && plain.is_some() {
                let written = self.node_text(node);
                format!("`{name}` cannot be negative, and `{written}` is the `int` {value}")
            } else if value < 0 {
                format!("`{name}` cannot be negative, found {value}")
            } else {
                format!("`{name}` must fit in 32 bits, found {value}")
            };
            self.report(&codes::LAYOUT_VALUE, range, message);
            return None;
        }
        Some(value)
    }
}

fn axis(name: &str) -> usize {
    match name.as_bytes().get("local_size_".len()) {
        Some(b'y') => 1,
        Some(b'z') => 2,
        _ => 0,
    }
}
