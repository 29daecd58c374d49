//! Blocks that lie in descriptor heaps, the types of buffers that their members have, and where both may stand (GL_EXT_structured_descriptor_heap).

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind};

use crate::diagnostics::codes;
use crate::extensions::ids;
use crate::hir::{
    ExprId, ExprKind, Item, Member, MemoryQualifiers, Packing, Storage, Struct, StructId, StructKind,
    has_part,
};
use crate::text::TextRange;
use crate::types::{ArrayLength, OpaqueClass, Ty, TypeKind};

use super::Lowerer;
use super::qualifiers::{Qualifiers, word};
use super::state::Contents;
use super::structs::Inherited;

impl<'a> Lowerer<'a> {
    /// 4.4.10: `heap_offset` is "either a literal or any global read-only variable value"; "it is a compile-time error if a variable is specified that
    /// can be written to during the lifetime of the shader".
    pub(super) fn heap_offset(&mut self, node: Node<'a>) -> ExprId {
        let expr = self.expression(node);
        let (ty, range) = (self.type_of(expr), self.range_of(expr));
        if self.types.is_error(ty) {
            return expr;
        }
        if !self.is_integer_scalar(ty) || self.types.component(ty).is_none_or(|scalar| scalar.bits() != 32) {
            let found = self.display(ty);
            let message =
                format!("`heap_offset` is a number of bytes, an `int` or a `uint`, but this is `{found}`");
            self.report(&codes::LAYOUT_VALUE, range, message);
            return expr;
        }
        let value = &self.body.exprs[expr];
        if let Some(constant) = &value.constant {
            if constant.as_int().is_some_and(|value| value < 0) {
                let message = "`heap_offset` cannot be negative".to_owned();
                self.report(&codes::LAYOUT_VALUE, range, message);
            }
            return expr;
        }
        let is_variable = matches!(
            value.kind,
            ExprKind::Global(_)
                | ExprKind::BlockMember(..)
                | ExprKind::BuiltinVariable(_)
                | ExprKind::Member { .. }
                | ExprKind::Index { .. }
                | ExprKind::Swizzle { .. }
        );
        let message = if !is_variable {
            "`heap_offset` needs a constant or a variable: compute the value before"
        } else if self.can_be_written(expr) {
            "`heap_offset` cannot come from a variable that the shader can write to: use a constant, a uniform or a push constant"
        } else {
            return expr;
        };
        self.report(&codes::LAYOUT_VALUE, range, message.to_owned());
        expr
    }

    /// Of what `heap_offset`, `buffer_type` and `descriptor_size` stand before, variables and blocks outside of heaps alike.
    pub(super) fn check_structured_heap_words(&mut self, qualifiers: &Qualifiers, is_block: bool) {
        let layout = &qualifiers.layout;
        if qualifiers.unknown {
            return;
        }
        let message = if qualifiers.has(word::HEAP) && !is_block {
            "`resourceheap` and `samplerheap` need a block: `resourceheap Name { ... } name;`"
        } else if layout.heap_offset.is_some() && !qualifiers.has(word::HEAP) {
            "`heap_offset` is only allowed on a `resourceheap` or `samplerheap` block"
        } else if layout.descriptor_size.is_some() {
            "`descriptor_size` is only allowed on members of a `resourceheap` or `samplerheap` block"
        } else if layout.buffer_type && !is_block {
            "`buffer_type` is only allowed on a `uniform` or `buffer` block"
        } else {
            return;
        };
        let range =
            if qualifiers.has(word::HEAP) { qualifiers.storage_range } else { qualifiers.layout_range };
        self.misplaced_qualifier(range, message);
    }

    /// 4.3.10 and the table of 4.4: `resourceheap Name {...} name;`
    pub(super) fn check_heap_block(&mut self, qualifiers: &Qualifiers) {
        self.check_interface_words(qualifiers, "a block in a heap");
        self.check_no_format(qualifiers, "a block");
        self.check_bank_place(qualifiers, "a block in a heap");
        let layout = &qualifiers.layout;
        let of_others = [
            ("set", layout.set.is_some()),
            ("binding", layout.binding.is_some()),
            ("location", layout.location.is_some()),
            ("offset", layout.offset.is_some()),
            ("align", layout.align.is_some()),
            ("constant_id", layout.constant_id.is_some()),
            ("push_constant", layout.push_constant),
            ("descriptor_heap", layout.descriptor_heap),
            ("buffer_reference", layout.buffer_reference),
            ("buffer_type", layout.buffer_type),
        ];
        if let Some((name, _)) = of_others.iter().find(|(_, stands)| *stands) {
            let message = format!("`{name}` is not allowed on a block in a heap");
            self.misplaced_qualifier(qualifiers.layout_range, &message);
        } else if layout.packing.is_some_and(|packing| packing != Packing::Scalar) {
            let message = "a block in a heap always has the layout `scalar`: put other layouts on the buffers that it describes";
            self.misplaced_qualifier(qualifiers.layout_range, message);
        }
        // "Heap variables are read-only."
        if qualifiers.memory.writeonly {
            let message = "a block in a heap is read-only: it cannot be `writeonly`";
            self.misplaced_qualifier(qualifiers.range, message);
        }
    }

    /// 4.3.9: "There must be no instance name. Set and binding layouts [...] don't apply to the buffer type".
    pub(super) fn check_buffer_type(
        &mut self,
        name: &str,
        name_range: TextRange,
        qualifiers: &Qualifiers,
        instance: Option<TextRange>,
    ) {
        let layout = &qualifiers.layout;
        let of_others = [
            ("set", layout.set.is_some()),
            ("binding", layout.binding.is_some()),
            ("push_constant", layout.push_constant),
            ("descriptor_heap", layout.descriptor_heap),
            ("buffer_reference", layout.buffer_reference),
        ];
        if let Some(range) = instance {
            let message = format!(
                "`{name}` is a type of buffers, which has no instance: declare members of it in a `resourceheap` block"
            );
            self.misplaced_qualifier(Some(range), &message);
        }
        if !matches!(qualifiers.storage(), Storage::Uniform | Storage::Buffer | Storage::PushConstant) {
            let message =
                format!("the type of buffers `{name}` needs the storage qualifier `uniform` or `buffer`");
            self.misplaced_qualifier(Some(name_range), &message);
        } else if let Some((word, _)) = of_others.iter().find(|(_, stands)| *stands) {
            let message = format!("`{word}` cannot be combined with `buffer_type`");
            self.misplaced_qualifier(qualifiers.layout_range, &message);
        }
    }

    /// The table of 4.4 has `descriptor_size`, `offset` and the order of matrices for members; formats are those of images.
    pub(super) fn check_heap_member_qualifiers(&mut self, qualifiers: &Qualifiers, base: Ty) {
        if qualifiers.unknown || self.types.is_error(base) {
            return;
        }
        self.check_interface_words(qualifiers, "a member of a block in a heap");
        self.check_bank_place(qualifiers, "a member of a block");
        self.check_nonuniform(qualifiers, "a member of a block");
        let inner = self.innermost(base);
        let image =
            matches!(self.types.kind(inner), TypeKind::Opaque(opaque) if opaque.class == OpaqueClass::Image);
        if !image {
            self.check_no_format(qualifiers, "this member");
        }
        let of_buffer = match *self.types.kind(inner) {
            TypeKind::Struct(structure) => self.module.structs[structure].buffer_type(),
            _ => None,
        };
        let fits = |bits: u32, storage: Storage| !qualifiers.has(bits) || of_buffer == Some(storage);
        let others = word::CONST | word::IN | word::OUT | word::SHARED;
        if qualifiers.has(others)
            || !fits(word::BUFFER, Storage::Buffer)
            || !fits(word::UNIFORM, Storage::Uniform)
        {
            let message = "a member has the storage qualifier of its block, and this is a different one";
            self.misplaced_qualifier(qualifiers.storage_range, message);
        }
        let layout = &qualifiers.layout;
        let of_others = [
            ("binding", layout.binding.is_some()),
            ("set", layout.set.is_some()),
            ("location", layout.location.is_some()),
            ("align", layout.align.is_some()),
            ("constant_id", layout.constant_id.is_some()),
            ("push_constant", layout.push_constant),
            ("descriptor_heap", layout.descriptor_heap),
            ("heap_offset", layout.heap_offset.is_some()),
            ("buffer_type", layout.buffer_type),
            ("buffer_reference", layout.buffer_reference),
            ("std140", layout.packing == Some(Packing::Std140)),
            ("std430", layout.packing == Some(Packing::Std430)),
            ("scalar", layout.packing == Some(Packing::Scalar)),
        ];
        if let Some((name, _)) = of_others.iter().find(|(_, stands)| *stands) {
            let message = format!("`{name}` is not allowed on a member of a block in a heap");
            self.misplaced_qualifier(qualifiers.layout_range, &message);
        }
    }

    /// 4.3.10 lists what the blocks may contain. Only the last member has its size at run time (4.1.9).
    pub(super) fn check_heap_members(&mut self, members: &[Member], storage: Storage) {
        for (index, member) in members.iter().enumerate() {
            let open = matches!(self.types.kind(member.ty), TypeKind::Array(_, ArrayLength::Unsized));
            if open && index + 1 < members.len() {
                let message = format!(
                    "the array `{}` needs a size: only the last member of a block can be without one",
                    member.name
                );
                self.report(&codes::ARRAY_SIZE, member.name_range, message);
            }
            let mut misfit = None;
            has_part(&self.types, &self.module.structs, member.ty, |part| {
                if misfit.is_none() && !self.fits_heap(part, storage) {
                    misfit = Some(part);
                }
                misfit.is_some()
            });
            if let Some(misfit) = misfit {
                let found = self.display(misfit);
                let holds = match storage {
                    Storage::SamplerHeap => {
                        "a `samplerheap` block holds data, samplers and buffer references"
                    }
                    _ => {
                        "a `resourceheap` block holds data, images, textures, acceleration structures, types of buffers and buffer references"
                    }
                };
                let message = format!("`{}` cannot be a `{found}`: {holds}", member.name);
                self.report(&codes::TYPE_STORAGE, member.name_range, message);
            }
        }
    }

    fn fits_heap(&self, part: Ty, storage: Storage) -> bool {
        match *self.types.kind(part) {
            TypeKind::Opaque(opaque) => match opaque.class {
                OpaqueClass::Sampler => storage == Storage::SamplerHeap,
                OpaqueClass::Image | OpaqueClass::Texture | OpaqueClass::AccelerationStructure => {
                    storage == Storage::ResourceHeap
                }
                _ => false,
            },
            TypeKind::Struct(structure) => {
                storage == Storage::ResourceHeap || self.module.structs[structure].buffer_type().is_none()
            }
            _ => true,
        }
    }

    /// Whether descriptors are a part, which lie in heaps and are no values.
    pub(super) fn holds_descriptors(&self, ty: Ty) -> bool {
        let mut contents = Contents::default();
        self.contents(ty, &mut contents);
        contents.buffer_type
            || (contents.opaque
                && matches!(self.types.kind(self.innermost(ty)), TypeKind::Struct(_))
                && self.environment.enabled(ids::GL_EXT_STRUCTURED_DESCRIPTOR_HEAP))
    }

    /// 4.3.9: the type "can be used to declare block members in the `resourceheap` interface", and the field selector "is the only operator allowed".
    pub(super) fn check_no_descriptors(&mut self, ty: Ty, name: &str, range: TextRange) {
        if self.holds_descriptors(ty) {
            let found = self.display(ty);
            let message = format!(
                "`{name}` cannot be a `{found}`: descriptors stay in their heap, so access the heap's members where they are used"
            );
            self.report(&codes::TYPE_STORAGE, range, message);
        }
    }

    /// `layout(buffer_reference) buffer {...} name;` among the members: an address of a block without a name.
    pub(super) fn member_block(&mut self, node: Node<'a>, inherited: Inherited, members: &mut Vec<Member>) {
        let mut qualifiers = Qualifiers::default();
        let mut declarators = Vec::new();
        let mut body = None;
        let mut cursor = self.cursor(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                match cursor.field_id().map(|id| id.get()) {
                    Some(field::BODY) => body = Some(child),
                    _ if child.kind_id() == kind::DECLARATOR => declarators.push(child),
                    _ => {
                        self.qualifier(child, &mut qualifiers);
                    }
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
        let Some(body) = body else { return };
        let range = self.range(node);
        if !inherited.heap || !qualifiers.layout.buffer_reference {
            let message = match inherited.heap {
                true => {
                    "a block inside a block in a heap must be a buffer reference: write `layout(buffer_reference) buffer { ... }`, or declare a `buffer_type` block before and use its name"
                }
                false => "a block cannot be declared inside a structure or block",
            };
            let at = qualifiers.range.unwrap_or(range);
            self.report(&codes::STRUCT_MEMBER, at, message.to_owned());
        } else {
            self.check_reference_storage("", qualifiers.range.unwrap_or(range), &qualifiers);
            self.check_reference_extension(range, &qualifiers);
        }
        let ty = self.inline_reference(range, body, &qualifiers);
        for declarator in declarators {
            let plain = Qualifiers::default();
            self.declare_member(declarator, ty, range, &plain, inherited, members);
        }
    }

    fn inline_reference(&mut self, range: TextRange, body: Node<'a>, qualifiers: &Qualifiers) -> Ty {
        let layout = self.block_layout(qualifiers, Storage::Buffer);
        let inside = Inherited {
            row_major: layout.row_major.unwrap_or(false),
            memory: MemoryQualifiers { readonly: false, ..qualifiers.memory },
            block: true,
            resource: true,
            heap: false,
        };
        let (packing, row_major) = (layout.packing.unwrap_or(Packing::Std430), inside.row_major);
        let members = self.members(body, inside);
        self.check_block_members(&members, Storage::Buffer);
        let structure: StructId = self.module.structs.alloc(Struct {
            name: "".into(),
            name_range: TextRange::empty(range.start()),
            range,
            members,
            kind: StructKind::Reference { layout, memory: qualifiers.memory, defined: true },
            owner: self.function,
        });
        self.note_contents(structure);
        self.module.items.push(Item::Struct(structure));
        self.check_offsets(structure, packing, row_major);
        self.types.intern(TypeKind::Reference(structure))
    }
}
