//! Where qualifiers may stand: on defaults, blocks, variables, locals and parameters. GLSL 4.60, sections 4.4 (with its table of layout qualifiers), 4.5, 4.8.1,
//! 4.10 and 4.13.

use crate::config::Stage;
use crate::diagnostics::codes;
use crate::extensions::{self, Change, ids};
use crate::hir::{Coherence, LocalSizeDim, Packing, Storage};
use crate::text::TextRange;
use crate::types::{ImageDim, Opaque, OpaqueClass, Scalar, Ty, TypeKind};

use super::Lowerer;
use super::qualifiers::{Qualifiers, word};

impl Lowerer<'_> {
    /// `layout(...) in;`, which declares nothing: it takes what the table of section 4.4 has under "Qualifier Only".
    pub(super) fn check_default_qualifiers(&mut self, qualifiers: &Qualifiers) {
        if qualifiers.unknown {
            return;
        }
        if qualifiers.has(word::IN) && qualifiers.has(word::OUT) {
            self.misplaced_qualifier(qualifiers.storage_range, "`inout` is only allowed on parameters");
        }
        let others = word::CONST | word::INTERPOLATION | word::INVARIANT | word::NONUNIFORM;
        if qualifiers.has(others) || qualifiers.memory.is_stated() || qualifiers.precision.is_some() {
            let message = "a declaration without a type can only set `layout` defaults: only `layout` and a storage qualifier are allowed here";
            self.misplaced_qualifier(qualifiers.range, message);
        } else if qualifiers.layout.push_constant {
            let message = "`push_constant` is only allowed on a block: it cannot be a default";
            self.misplaced_qualifier(qualifiers.layout_range, message);
        } else if qualifiers.has(word::IN)
            && (qualifiers.layout.packing.is_some() || qualifiers.layout.row_major.is_some())
        {
            let message = "memory layouts can be set for `uniform` and `buffer`, not for `in`";
            self.misplaced_qualifier(qualifiers.layout_range, message);
        }
        self.check_vulkan_packing(qualifiers);
        self.check_bank_place(qualifiers, "a default");
        // GL_EXT_ray_flags_primitive_culling, 4.4.10: "only [...] at global scope and without an interface-qualifier", and with no other layout.
        let alone = !qualifiers.has(word::STORAGE) && qualifiers.layout.other.len() == 1;
        if qualifiers.culls_primitives() && !alone {
            let message = "`primitive_culling` is only allowed by itself: write `layout(primitive_culling);`";
            self.misplaced_qualifier(qualifiers.layout_range, message);
        }
        let layout = &qualifiers.layout;
        if qualifiers.has(word::UNIFORM) && layout.packing == Some(Packing::Std430) {
            self.check_uniform_std430(qualifiers.layout_range);
        }
        let of_declarations = [
            ("binding", layout.binding),
            ("set", layout.set),
            ("location", layout.location),
            ("offset", layout.offset),
            ("align", layout.align),
            ("constant_id", layout.constant_id),
        ];
        if let Some((name, _)) = of_declarations.iter().find(|(_, value)| value.is_some()) {
            let message = format!(
                "`{name}` is only allowed on the declaration of a variable or block: it cannot be a default"
            );
            self.misplaced_qualifier(qualifiers.layout_range, &message);
        }
    }

    /// Of a block of uniforms, buffers or push constants.
    pub(super) fn check_block_qualifiers(&mut self, qualifiers: &Qualifiers, storage: Storage) {
        self.check_local_size_place(qualifiers);
        self.check_nonuniform(qualifiers, "a block");
        self.check_structured_heap_words(qualifiers, true);
        if storage.is_heap() && !qualifiers.unknown {
            return self.check_heap_block(qualifiers);
        }
        if !matches!(storage, Storage::Uniform | Storage::Buffer | Storage::PushConstant)
            || qualifiers.unknown
        {
            return;
        }
        self.check_interface_words(qualifiers, "a block with this storage qualifier");
        self.check_no_format(qualifiers, "a block");
        self.check_vulkan_packing(qualifiers);
        self.check_bank_place(qualifiers, "a block without `push_constant`");
        self.check_primitive_culling(qualifiers);
        let layout = &qualifiers.layout;
        if !layout.buffer_reference {
            self.check_hit_record(qualifiers);
        }
        // GL_KHR_vulkan_glsl: push constants have no descriptor.
        if layout.push_constant && (layout.binding.is_some() || layout.set.is_some()) {
            let message = "push constants cannot have a `set` or a `binding`";
            self.misplaced_qualifier(qualifiers.layout_range, message);
        }
        // "The std430 qualifier is supported only for shader storage blocks" (4.4.5), which GL_EXT_scalar_block_layout lifts.
        if storage == Storage::Uniform && layout.packing == Some(Packing::Std430) {
            self.check_uniform_std430(qualifiers.layout_range);
        }
        // "The offset qualifier can only be used on block members" (4.4.5).
        if layout.offset.is_some() {
            self.misplaced_qualifier(
                qualifiers.layout_range,
                "`offset` is only allowed on members of a block",
            );
        }
        let of_interfaces = [
            ("location", layout.location.is_some()),
            ("component", layout.other.iter().any(|(name, _)| name == "component")),
        ];
        if let Some((name, _)) = of_interfaces.iter().find(|(_, stands)| *stands) {
            let message = format!("`{name}` is only allowed on inputs, outputs and their blocks");
            self.misplaced_qualifier(qualifiers.layout_range, &message);
        }
        if let (Some(_), Some(range)) = (layout.constant_id, qualifiers.layout_range) {
            let message = "`constant_id` needs a `const` scalar, not a block".to_owned();
            self.report(&codes::SPECIALIZATION_CONSTANT, range, message);
        }
    }

    /// GL_KHR_vulkan_glsl has "`shared` and `packed` block layouts" under what is removed.
    fn check_vulkan_packing(&mut self, qualifiers: &Qualifiers) {
        let name = match qualifiers.layout.packing {
            Some(Packing::Shared) => "shared",
            Some(Packing::Packed) => "packed",
            _ => return,
        };
        let message =
            format!("`layout({name})` is not available in Vulkan: write `std140`, `std430` or `scalar`");
        self.misplaced_qualifier(qualifiers.layout_range, &message);
    }

    /// GL_NV_push_constant_bank, 4.4.5.X: `bank` and `member_offset` are an error "on blocks without "push_constant" or on non-block declarations".
    pub(super) fn check_bank_place(&mut self, qualifiers: &Qualifiers, place: &str) {
        let layout = &qualifiers.layout;
        let stated = [("bank", layout.bank), ("member_offset", layout.member_offset)];
        if let Some((name, _)) = stated.iter().find(|(_, value)| value.is_some())
            && !layout.push_constant
            && !qualifiers.unknown
        {
            let message = format!("`{name}` is only allowed on a `push_constant` block, not on {place}");
            self.misplaced_qualifier(qualifiers.layout_range, &message);
        }
    }

    /// GL_EXT_descriptor_heap, 4.4.5 and 4.4.6: of arrays of blocks and of opaque types but combined ones; with neither `set` nor `binding`.
    pub(super) fn check_heap(&mut self, qualifiers: &Qualifiers, ty: Ty, name: &str) {
        let layout = &qualifiers.layout;
        if qualifiers.unknown || self.types.is_error(ty) {
            return;
        }
        if !layout.descriptor_heap {
            if layout.descriptor_stride.is_some() {
                let message = "`descriptor_stride` needs `descriptor_heap` beside it";
                self.misplaced_qualifier(qualifiers.layout_range, message);
            }
            return;
        }
        let inner = self.innermost(ty);
        let combined = matches!(self.types.kind(inner), TypeKind::Opaque(opaque) if opaque.class == OpaqueClass::SampledImage);
        let message = if layout.set.is_some() || layout.binding.is_some() {
            "`descriptor_heap` cannot be combined with `set` or `binding`: what is in a heap has neither"
                .to_owned()
        } else if !matches!(self.types.kind(ty), TypeKind::Array(..)) {
            format!("`descriptor_heap` needs an array: write `{name}[]`")
        } else if combined {
            let found = self.display(inner);
            format!(
                "a `{found}` cannot be in a heap: declare a texture and a sampler, and combine them where they are used"
            )
        } else {
            return;
        };
        self.misplaced_qualifier(qualifiers.layout_range, &message);
    }

    /// GL_QCOM_tile_shading, 4.4.X: attachments are "declared with the 2D image/texture/sampler types", "with the set and binding layout qualifiers".
    fn check_tile_attachment(&mut self, qualifiers: &Qualifiers, ty: Ty, name: &str) {
        let layout = &qualifiers.layout;
        if !layout.other.iter().any(|(name, _)| name == "tile_attachmentqcom") || self.types.is_error(ty) {
            return;
        }
        let fits = matches!(
            self.types.kind(self.innermost(ty)),
            TypeKind::Opaque(Opaque {
                class: OpaqueClass::Image | OpaqueClass::Texture | OpaqueClass::SampledImage,
                dim: ImageDim::D2,
                ..
            })
        );
        let message = if !fits {
            format!("`tile_attachmentQCOM` is only allowed on 2D images and textures, which `{name}` is not")
        } else if layout.set.is_none() || layout.binding.is_none() {
            "`tile_attachmentQCOM` needs a `set` and a `binding`".to_owned()
        } else {
            return;
        };
        self.misplaced_qualifier(qualifiers.layout_range, &message);
    }

    /// GL_EXT_shader_invocation_reorder and GL_NV_shader_invocation_reorder, 4.4.10: it "can only be used on a buffer interface block which is a
    /// buffer reference".
    fn check_hit_record(&mut self, qualifiers: &Qualifiers) {
        const WORDS: [(&str, &str); 2] = [
            ("hitobjectshaderrecordext", "hitObjectShaderRecordEXT"),
            ("hitobjectshaderrecordnv", "hitObjectShaderRecordNV"),
        ];
        let stands = |name: &str| qualifiers.layout.other.iter().any(|(known, _)| known == name);
        if let Some((_, word)) = WORDS.into_iter().find(|(name, _)| stands(name))
            && !qualifiers.unknown
        {
            let message = format!("`{word}` is only allowed on a block with `buffer_reference`");
            self.misplaced_qualifier(qualifiers.layout_range, &message);
        }
    }

    /// GLSL 4.60, 4.4.1.3, and GL_ARB_post_depth_coverage: "Qualifier Only", so of the stage and of no variable.
    fn check_stage_words(&mut self, qualifiers: &Qualifiers, name: &str) {
        const WORDS: [&str; 2] = ["early_fragment_tests", "post_depth_coverage"];
        let stands = |word: &&str| qualifiers.layout.other.iter().any(|(known, _)| known == word);
        if let Some(word) = WORDS.iter().find(|word| stands(word))
            && !qualifiers.unknown
        {
            let message = format!("`{word}` is of the stage, not of `{name}`: write `layout({word}) in;`");
            self.misplaced_qualifier(qualifiers.layout_range, &message);
        }
    }

    /// GL_EXT_shader_tile_image, 4.1.7 and 4.4: attachments are `tileImageEXT`, which nothing else is, and have a location alone.
    fn check_tile_image(&mut self, qualifiers: &Qualifiers, ty: Ty, name: &str, range: TextRange) {
        let layout = &qualifiers.layout;
        let inner = self.innermost(ty);
        let attachment = matches!(self.types.kind(inner), TypeKind::Opaque(opaque) if opaque.class == OpaqueClass::TileAttachment);
        let stands = layout.interface.iter().any(|word| word == "tileImageEXT");
        if !(attachment || stands) || qualifiers.unknown || self.types.is_error(inner) {
            return;
        }
        let found = self.display(inner);
        if !stands {
            let message = format!("`{name}` is an attachment of the tile: declare it as `tileImageEXT`");
            return self.report(&codes::TYPE_STORAGE, range, message);
        }
        if !attachment {
            let message = format!(
                "`tileImageEXT` is only allowed on an `attachmentEXT`, `iattachmentEXT` or `uattachmentEXT`, but `{name}` is a `{found}`"
            );
            return self.report(&codes::TYPE_STORAGE, range, message);
        }
        let number = |word: &str| layout.other.iter().any(|(known, _)| known == word);
        let of_descriptors = [
            ("set", layout.set.is_some()),
            ("binding", layout.binding.is_some()),
            ("input_attachment_index", number("input_attachment_index")),
        ];
        if let Some((word, _)) = of_descriptors.iter().find(|(_, stands)| *stands) {
            let message =
                format!("`{word}` is not allowed on `tileImageEXT` variables: `{name}` has a `location`");
            self.misplaced_qualifier(qualifiers.layout_range, &message);
        } else if layout.location.is_none() {
            let message = format!("`{name}` needs a `location`, the number of the colour attachment");
            self.misplaced_qualifier(qualifiers.range, &message);
        }
    }

    /// Of what is declared: `layout(primitive_culling)` declares nothing.
    fn check_primitive_culling(&mut self, qualifiers: &Qualifiers) {
        if qualifiers.culls_primitives() && !qualifiers.unknown {
            let message =
                "`primitive_culling` is not allowed on a declaration: write `layout(primitive_culling);`";
            self.misplaced_qualifier(qualifiers.layout_range, message);
        }
    }

    /// Section 4.1.7: "The only opaque types that take memory qualifiers are the image types"; GL_KHR_memory_scope_semantics, 4.10, gives the others
    /// `nonprivate`.
    pub(super) fn check_opaque_memory(&mut self, qualifiers: &Qualifiers, ty: Ty, name: &str) {
        let memory = qualifiers.memory;
        let scoped = memory.coherent && memory.coherence != Coherence::NonPrivate;
        let stated = scoped || memory.volatile || memory.restrict || memory.readonly || memory.writeonly;
        let inner = self.innermost(ty);
        if let TypeKind::Opaque(opaque) = *self.types.kind(inner)
            && matches!(
                opaque.class,
                OpaqueClass::SampledImage
                    | OpaqueClass::Texture
                    | OpaqueClass::Sampler
                    | OpaqueClass::AtomicCounter
                    | OpaqueClass::SubpassInput
            )
            && stated
            && !qualifiers.unknown
        {
            let subject = if name.is_empty() { "this".to_owned() } else { format!("`{name}`") };
            let found = self.display(inner);
            let message = format!(
                "memory qualifiers are only allowed on buffers and images, but {subject} is a `{found}`"
            );
            self.misplaced_qualifier(qualifiers.range, &message);
        }
    }

    fn check_uniform_std430(&mut self, range: Option<TextRange>) {
        if let (Some(extension), Some(range)) =
            (self.missing_extension_of(&[ids::GL_EXT_SCALAR_BLOCK_LAYOUT]), range)
        {
            self.report(
                &codes::MISSING_EXTENSION,
                range,
                format!("`std430` of `uniform` blocks is provided by {extension}: add `#extension {extension} : require`"),
            );
        }
    }

    /// Of a variable outside of functions.
    pub(super) fn check_variable_qualifiers(
        &mut self,
        qualifiers: &Qualifiers,
        ty: Ty,
        storage: Storage,
        name: &str,
        name_range: TextRange,
    ) {
        self.check_local_size_place(qualifiers);
        let layout = &qualifiers.layout;
        if !matches!(storage, Storage::Private | Storage::In | Storage::Other) {
            self.check_nonuniform(qualifiers, "a variable with this storage qualifier");
        }
        if matches!(storage, Storage::Uniform | Storage::Buffer) {
            self.check_resource_qualifiers(qualifiers, ty, name);
            self.check_opaque_memory(qualifiers, ty, name);
        }
        self.check_variable_format(qualifiers, ty, name);
        self.check_bank_place(qualifiers, "a variable");
        self.check_heap(qualifiers, ty, name);
        self.check_structured_heap_words(qualifiers, false);
        self.check_tile_attachment(qualifiers, ty, name);
        self.check_tile_image(qualifiers, ty, name, name_range);
        self.check_stage_words(qualifiers, name);
        self.check_hit_record(qualifiers);
        self.check_primitive_culling(qualifiers);
        // GL_KHR_vulkan_glsl: "the new layout-qualifier-id push_constant applied to a uniform-block declaration".
        if storage == Storage::PushConstant && !qualifiers.unknown && !layout.buffer_reference {
            let message =
                format!("`push_constant` is only allowed on a `uniform` block, not on the variable `{name}`");
            self.misplaced_qualifier(qualifiers.layout_range, &message);
        }
        let own = matches!(storage, Storage::Private | Storage::Const | Storage::Shared);
        if own && qualifiers.has(word::INTERPOLATION) && !qualifiers.unknown {
            self.check_interface_words(qualifiers, "a variable that the shader itself declares");
        }
        if !own || qualifiers.unknown || layout.buffer_reference || extensions::is_reserved(name) {
            return;
        }
        let of_resources = [
            ("binding", layout.binding),
            ("set", layout.set),
            ("location", layout.location),
            ("offset", layout.offset),
            ("align", layout.align),
        ];
        if let Some((word, _)) = of_resources.iter().find(|(_, value)| value.is_some())
            && !self.environment.may_change(Change::Descriptors)
        {
            let message = format!(
                "`{word}` is only allowed on what the application or another stage provides, which `{name}` is not"
            );
            self.misplaced_qualifier(qualifiers.layout_range, &message);
        }
        // "Only variables output from a shader can be candidates for invariance."
        if qualifiers.has(word::INVARIANT) {
            let message = format!("`invariant` is only allowed on outputs, which `{name}` is not");
            self.misplaced_qualifier(qualifiers.range, &message);
        }
        // Section 4.1.7: "variables of opaque types can only be declared as function parameters or in uniform-qualified variables". That `shared`
        // ones cannot be is said with what else `shared` memory cannot hold.
        if storage != Storage::Shared
            && self.is_opaque(ty)
            && !self.is_local_opaque(ty)
            && !self.environment.may_change(Change::Descriptors)
        {
            let found = self.display(ty);
            self.report(
                &codes::TYPE_STORAGE,
                name_range,
                format!("`{name}` is a `{found}`, which the application provides: declare it as `uniform`"),
            );
        }
    }

    /// Of what the application provides outside of blocks: the table of section 4.4 has `offset` for atomic counters alone, `align` for blocks and
    /// their members.
    fn check_resource_qualifiers(&mut self, qualifiers: &Qualifiers, ty: Ty, name: &str) {
        let layout = &qualifiers.layout;
        if qualifiers.unknown || layout.buffer_reference || self.environment.may_change(Change::Descriptors) {
            return;
        }
        let counter = matches!(self.types.kind(self.innermost(ty)), TypeKind::Opaque(opaque) if opaque.class == OpaqueClass::AtomicCounter);
        let of_members = [("align", layout.align.is_some()), ("offset", layout.offset.is_some() && !counter)];
        if let Some((word, _)) = of_members.iter().find(|(_, stands)| *stands) {
            let message =
                format!("`{word}` is only allowed on members of a block, but `{name}` is a variable");
            self.misplaced_qualifier(qualifiers.layout_range, &message);
        }
        if qualifiers.has(word::INVARIANT) {
            let message = format!("`invariant` is only allowed on outputs, which `{name}` is not");
            self.misplaced_qualifier(qualifiers.range, &message);
        }
    }

    /// Of a declaration at top level that declares no variable, as of a structure alone. Section 4.13: "The combinations of qualifiers that cause
    /// compile-time or link-time errors are the same whether or not the declaration is empty". What has no effect there is accepted.
    pub(super) fn check_lone_type_qualifiers(&mut self, qualifiers: &Qualifiers, ty: Ty) {
        if qualifiers.unknown || qualifiers.layout.buffer_reference {
            return;
        }
        self.check_local_size_place(qualifiers);
        let compute = self.environment.stage == Some(Stage::Compute);
        if qualifiers.has(word::INVARIANT) {
            self.misplaced_qualifier(
                qualifiers.range,
                "`invariant` is only allowed on outputs, not on a type",
            );
        } else if qualifiers.has(word::BUFFER) {
            self.misplaced_qualifier(
                qualifiers.storage_range,
                "`buffer` needs a block: `buffer Name { ... };`",
            );
        } else if self.is_plain(ty) && qualifiers.memory.is_stated() && !qualifiers.has(word::UNIFORM) {
            self.misplaced_qualifier(
                qualifiers.range,
                "memory qualifiers are only allowed on buffers and images, not on a type",
            );
        } else if compute && qualifiers.has(word::IN | word::OUT) && !self.environment.has_unknown_extension()
        {
            self.misplaced_qualifier(
                qualifiers.storage_range,
                "compute shaders cannot declare inputs or outputs",
            );
        }
    }

    /// GL_EXT_nonuniform_qualifier, section 4.X: it is of inputs, of parameters and results, and of variables without a storage; "any other use on a
    /// declaration results in a compile-time error".
    pub(super) fn check_nonuniform(&mut self, qualifiers: &Qualifiers, place: &str) {
        if qualifiers.has(word::NONUNIFORM) && !qualifiers.unknown {
            let message = format!(
                "{place} cannot be `nonuniformEXT`: qualify the variable or expression that chooses among them"
            );
            self.misplaced_qualifier(qualifiers.range, &message);
        }
    }

    /// Of a variable in a function.
    pub(super) fn check_plain_local(&mut self, qualifiers: &Qualifiers, ty: Ty) {
        if qualifiers.unknown {
            return;
        }
        self.check_interface_words(qualifiers, "a variable in a function");
        if qualifiers.has(word::CONST) {
            self.check_nonuniform(qualifiers, "a constant");
        }
        // Section 4.10: an error "in any other declarations" than those of images, buffers and their members. Compilers pass those that
        // change nothing; what is `writeonly` cannot be read.
        if self.is_plain(ty) && qualifiers.memory.writeonly {
            self.misplaced_qualifier(
                qualifiers.range,
                "`writeonly` is only allowed on buffers and images: nothing could read this variable",
            );
        }
    }

    /// Whether values of a type are what a variable holds, rather than something that it stands for: memory qualifiers say nothing about them.
    pub(super) fn is_plain(&self, ty: Ty) -> bool {
        matches!(
            self.types.kind(self.innermost(ty)),
            TypeKind::Scalar(_)
                | TypeKind::Vector(..)
                | TypeKind::LongVector(..)
                | TypeKind::CoopVec(..)
                | TypeKind::Matrix { .. }
                | TypeKind::Struct(_)
                | TypeKind::Coopmat(_)
                | TypeKind::CoopmatNv(_)
        )
    }

    /// What an array of arrays is made of.
    pub(super) fn innermost(&self, mut ty: Ty) -> Ty {
        while let Some((element, _)) = self.types.as_array(ty) {
            ty = element;
        }
        ty
    }

    /// Section 4.7.2: "Any floating-point, integer, or opaque-type declaration can have the type preceded by one of these precision
    /// qualifiers"; "Boolean variables" have none.
    pub(super) fn check_precision(&mut self, qualifiers: &Qualifiers, ty: Ty) {
        if qualifiers.precision.is_none() || qualifiers.unknown {
            return;
        }
        let ty = self.innermost(ty);
        let none = match self.types.kind(ty) {
            TypeKind::Struct(_) | TypeKind::Reference(_) => true,
            _ => ty == Ty::VOID || self.types.component(ty) == Some(Scalar::Bool),
        };
        if none {
            let found = self.display(ty);
            let message =
                format!("a precision is only allowed on numbers and images, and `{found}` is neither");
            self.misplaced_qualifier(qualifiers.range, &message);
        }
    }

    /// Of a parameter: section 6.1.1 lists what may stand before its type.
    pub(super) fn check_parameter_qualifiers(&mut self, qualifiers: &Qualifiers, ty: Ty) {
        if qualifiers.unknown {
            return;
        }
        if self.is_plain(ty) && qualifiers.memory.writeonly {
            self.misplaced_qualifier(
                qualifiers.range,
                "`writeonly` is only allowed on buffers and images: nothing could read this parameter",
            );
        }
        self.check_interface_words(qualifiers, "a parameter");
        if !self.environment.may_change(Change::Descriptors) {
            self.misplaced_qualifier(qualifiers.layout_range, "`layout` is not allowed before a parameter");
        }
    }

    /// Of the result of a function: section 6.1 takes a precision alone.
    pub(super) fn check_result_qualifiers(&mut self, qualifiers: &Qualifiers, ty: Ty) {
        if qualifiers.unknown {
            return;
        }
        self.check_interface_words(qualifiers, "the result of a function");
        if qualifiers.has(word::CONST) || (qualifiers.memory.is_stated() && self.is_plain(ty)) {
            let message = "the result of a function cannot have qualifiers other than a precision";
            self.misplaced_qualifier(qualifiers.range, message);
        }
    }

    /// Of a member of a structure. Section 4.1.8: "Member declarations may contain precision qualifiers, but use of any other qualifier
    /// results in a compile-time error."
    pub(super) fn check_struct_member_qualifiers(&mut self, qualifiers: &Qualifiers) {
        let words = word::CONST | word::INTERPOLATION | word::INVARIANT | word::NONUNIFORM;
        let misplaced =
            qualifiers.has(words) || qualifiers.memory.is_stated() || qualifiers.layout_range.is_some();
        if misplaced
            && !qualifiers.unknown
            && !qualifiers.has(word::OTHER)
            && !self.environment.may_change(Change::Descriptors)
        {
            let message = "a member of a structure cannot have qualifiers other than a precision: put them on the variable or block";
            self.misplaced_qualifier(qualifiers.range, message);
        }
    }

    /// Of a member of a block of uniforms, buffers or push constants: section 4.3.9, and the table of section 4.4.
    pub(super) fn check_block_member_qualifiers(&mut self, qualifiers: &Qualifiers) {
        if qualifiers.unknown {
            return;
        }
        self.check_interface_words(qualifiers, "a member of a block with this storage qualifier");
        self.check_no_format(qualifiers, "a member of a block");
        self.check_bank_place(qualifiers, "a member of a block");
        self.check_nonuniform(qualifiers, "a member of a block");
        if qualifiers.has(word::CONST | word::IN | word::OUT | word::SHARED) {
            let message = "a member has the storage qualifier of its block, and this is a different one";
            self.misplaced_qualifier(qualifiers.storage_range, message);
        }
        let layout = &qualifiers.layout;
        let of_others = [
            ("binding", layout.binding.is_some()),
            ("set", layout.set.is_some()),
            ("location", layout.location.is_some()),
            ("constant_id", layout.constant_id.is_some()),
            ("push_constant", layout.push_constant),
            ("std140", layout.packing == Some(Packing::Std140)),
            ("std430", layout.packing == Some(Packing::Std430)),
            ("scalar", layout.packing == Some(Packing::Scalar)),
        ];
        if let Some((name, _)) = of_others.iter().find(|(_, stands)| *stands)
            && !self.environment.may_change(Change::Descriptors)
        {
            let message =
                format!("`{name}` is only allowed on blocks and variables, not on a member of a block");
            self.misplaced_qualifier(qualifiers.layout_range, &message);
        }
    }

    /// `flat` and its like are for inputs and outputs of a stage (4.5), and `invariant` for outputs, "at global scope" (4.8.1).
    pub(super) fn check_interface_words(&mut self, qualifiers: &Qualifiers, place: &str) {
        if qualifiers.has(word::INVARIANT) {
            let message = format!("{place} cannot be `invariant`: only an output outside of functions can");
            self.misplaced_qualifier(qualifiers.range, &message);
        } else if qualifiers.has(word::INTERPOLATION) {
            let message = format!(
                "{place} cannot have an interpolation qualifier: only an input or output of a stage can"
            );
            self.misplaced_qualifier(qualifiers.range, &message);
        }
    }

    /// `local_size_x` and its like are "Qualifier Only", and of `in`.
    pub(super) fn check_local_size_place(&mut self, qualifiers: &Qualifiers) {
        if qualifiers.local_size.iter().any(|dim| *dim != LocalSizeDim::default()) {
            self.misplaced_qualifier(
                qualifiers.layout_range,
                "the local size is declared with `layout(...) in;`",
            );
        }
    }

    pub(super) fn misplaced_qualifier(&mut self, range: Option<TextRange>, message: &str) {
        if let Some(range) = range {
            self.report(&codes::QUALIFIER_MISUSE, range, message.to_owned());
        }
    }
}
