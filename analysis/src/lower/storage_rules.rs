//! Which types may lie in which storage.

use crate::diagnostics::codes;
use crate::extensions::{self, Change, ids};
use crate::hir::{Storage, StructId, StructKind, has_part};
use crate::text::TextRange;
use crate::types::{OpaqueClass, Scalar, Ty, TypeKind};

use super::Lowerer;
use super::qualifiers::Qualifiers;
use super::state::Contents;

impl Lowerer<'_> {
    /// Reports a variable or member whose type its storage cannot hold. `member` for members of blocks.
    pub(super) fn check_storage(
        &mut self,
        ty: Ty,
        storage: Storage,
        range: TextRange,
        name: &str,
        member: bool,
    ) {
        if !storage.is_heap() {
            self.check_no_descriptors(ty, name, range);
        }
        if matches!(storage, Storage::Private | Storage::Const | Storage::Other) {
            return;
        }
        let mut contents = Contents::default();
        self.contents(ty, &mut contents);
        let place = memory_name(storage);
        if contents.coopmat {
            self.report(
                &codes::COOPMAT_STORAGE,
                range,
                format!(
                    "`{name}` holds a cooperative matrix, which cannot be in {}: store its components in an array instead",
                    memory_name(storage)
                ),
            );
        }
        if contents.coopvec {
            self.report(
                &codes::COOPVEC_STORAGE,
                range,
                format!(
                    "`{name}` holds a cooperative vector, which cannot be in {place}: keep its components in an array and use \
                     `coopVecLoadNV` and `coopVecStoreNV`"
                ),
            );
        }
        if contents.tensor {
            self.report(
                &codes::TYPE_STORAGE,
                range,
                format!("`{name}` holds a tensor layout or view, which cannot be in {place}"),
            );
        }
        let interface = matches!(storage, Storage::In | Storage::Out);
        if contents.sub_byte {
            self.report(
                &codes::TYPE_STORAGE,
                range,
                format!("`{name}` has components of less than a byte, which cannot be in {place}"),
            );
        } else if contents.small_float && interface {
            self.report(
                &codes::TYPE_STORAGE,
                range,
                format!("`{name}` has a small floating-point type, which cannot be an input or output"),
            );
        }
        if contents.opaque
            && (member || storage == Storage::Shared)
            && !storage.is_heap()
            && !self.holds_descriptors(ty)
            && !self.environment.may_change(Change::Descriptors)
        {
            self.report(
                &codes::TYPE_STORAGE,
                range,
                format!(
                    "`{name}` is an image, texture or sampler: declare it as a `uniform` variable of its own"
                ),
            );
        }
    }

    /// Whether a number or an address is part of what a variable of this type holds.
    fn has_number(&self, ty: Ty) -> bool {
        let is_block = |ty: Ty| match *self.types.kind(ty) {
            TypeKind::Struct(id) => !matches!(self.module.structs[id].kind, StructKind::Plain),
            _ => false,
        };
        let structs = &self.module.structs;
        !has_part(&self.types, structs, ty, is_block)
            && has_part(&self.types, structs, ty, |ty| self.types.is_number(ty))
    }

    /// What Vulkan asks of a `uniform` variable that is no block, and the specification of an image.
    pub(super) fn check_uniform(
        &mut self,
        ty: Ty,
        qualifiers: &Qualifiers,
        storage: Storage,
        range: TextRange,
        name: &str,
    ) {
        if storage != Storage::Uniform || qualifiers.unknown || extensions::is_reserved(name) {
            return;
        }
        let mut inner = ty;
        while let TypeKind::Array(element, _) = self.types.kind(inner) {
            inner = *element;
        }
        if let TypeKind::Opaque(opaque) = *self.types.kind(inner)
            && opaque.class == OpaqueClass::Image
        {
            self.check_format_fits(opaque, inner, qualifiers);
        }
        let of_shader_record = ["shaderRecordNV", "shaderRecordEXT"];
        match *self.types.kind(inner) {
            // GL_KHR_vulkan_glsl: "non-opaque uniforms outside of blocks are removed".
            _ if self.has_number(inner)
                && qualifiers.layout.constant_id.is_none()
                && qualifiers
                    .layout
                    .other
                    .iter()
                    .all(|(name, _)| !of_shader_record.contains(&name.as_str())) =>
            {
                let text = self.display(ty);
                self.report(
                        &codes::UNIFORM_OUTSIDE_BLOCK,
                        range,
                        format!(
                            "`{name}` is a `uniform {text}` outside of a block, which Vulkan does not have: put it in a uniform block or push constants"
                        ),
                    );
            }
            // GLSL 4.60, section 4.4.6.2.
            TypeKind::Opaque(opaque)
                if opaque.class == OpaqueClass::Image
                    && qualifiers.layout.format.is_none()
                    && !qualifiers.memory.writeonly
                    && !qualifiers.layout.descriptor_heap
                    && !self.environment.enabled(ids::GL_EXT_SHADER_IMAGE_LOAD_FORMATTED)
                    && !self.environment.named(ids::GL_EXT_SHADER_IMAGE_LOAD_FORMATTED)
                    && !self.environment.may_change(Change::Descriptors) =>
            {
                self.report(
                        &codes::IMAGE_FORMAT,
                        range,
                        format!(
                            "the image `{name}` needs a format, as in `layout(rgba8)`, unless it is `writeonly` or \
                             GL_EXT_shader_image_load_formatted is enabled"
                        ),
                    );
            }
            // GLSL ES 3.20, section 4.9: other formats are read or written, not both.
            TypeKind::Opaque(opaque)
                if opaque.class == OpaqueClass::Image
                    && self.environment.is_es()
                    && !qualifiers.memory.writeonly
                    && !qualifiers.memory.readonly
                    && qualifiers
                        .layout
                        .format
                        .as_deref()
                        .is_some_and(|format| !matches!(format, "r32f" | "r32i" | "r32ui"))
                    && !self.environment.has_unknown_extension() =>
            {
                self.report(
                    &codes::IMAGE_FORMAT,
                    range,
                    format!(
                        "the image `{name}` needs `readonly` or `writeonly`: in GLSL ES only images with the formats r32f, r32i and r32ui can be both read and written"
                    ),
                );
            }
            _ => {}
        }
    }

    /// What a structure holds; asked for once, when it is complete, because structures of structures may double at each level.
    pub(super) fn note_contents(&mut self, structure: StructId) {
        let mut contents = Contents::default();
        for member in &self.module.structs[structure].members {
            self.contents(member.ty, &mut contents);
        }
        self.struct_contents.insert(structure, contents);
    }

    pub(super) fn contents(&self, mut ty: Ty, contents: &mut Contents) {
        while let TypeKind::Array(element, _) = self.types.kind(ty) {
            ty = *element;
        }
        match self.types.kind(ty) {
            // What its buffers hold lies in them.
            TypeKind::Struct(structure) if self.module.structs[*structure].buffer_type().is_some() => {
                contents.buffer_type = true;
            }
            TypeKind::Struct(structure) => {
                if let Some(inside) = self.struct_contents.get(structure) {
                    contents.coopmat |= inside.coopmat;
                    contents.coopvec |= inside.coopvec;
                    contents.tensor |= inside.tensor;
                    contents.sub_byte |= inside.sub_byte;
                    contents.small_float |= inside.small_float;
                    contents.opaque |= inside.opaque;
                    contents.buffer_type |= inside.buffer_type;
                }
            }
            TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_) => contents.coopmat = true,
            TypeKind::CoopVec(..) => contents.coopvec = true,
            TypeKind::TensorLayout { .. } | TypeKind::TensorView { .. } => contents.tensor = true,
            TypeKind::Opaque(_) => contents.opaque = true,
            TypeKind::Scalar(scalar) | TypeKind::Vector(scalar, _) | TypeKind::LongVector(scalar, _) => {
                contents.sub_byte |= scalar.bits() < 8;
                contents.small_float |= matches!(
                    scalar,
                    Scalar::BFloat16
                        | Scalar::FloatE4M3
                        | Scalar::FloatE5M2
                        | Scalar::FloatE2M1
                        | Scalar::FloatE3M2
                        | Scalar::FloatE2M3
                        | Scalar::FloatUE8M0
                        | Scalar::FloatMxInt8
                );
            }
            _ => {}
        }
    }
}

/// As it is written.
pub(super) fn storage_name(storage: Storage) -> &'static str {
    match storage {
        Storage::Private => "private",
        Storage::Const => "const",
        Storage::In => "in",
        Storage::Out => "out",
        Storage::Uniform => "uniform",
        Storage::Buffer => "buffer",
        Storage::Shared => "shared",
        Storage::PushConstant => "push_constant",
        Storage::ResourceHeap => "resourceheap",
        Storage::SamplerHeap => "samplerheap",
        Storage::Other => "other",
    }
}

/// As it reads in a sentence.
fn memory_name(storage: Storage) -> &'static str {
    match storage {
        Storage::Shared => "shared memory",
        Storage::Buffer => "a buffer",
        Storage::Uniform => "uniform memory",
        Storage::PushConstant => "a push constant",
        Storage::ResourceHeap | Storage::SamplerHeap => "a descriptor heap",
        Storage::In => "a shader input",
        Storage::Out => "a shader output",
        Storage::Private | Storage::Const | Storage::Other => "this memory",
    }
}
