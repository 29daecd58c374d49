//! Images, samplers and their like.

use coopmat_analysis::types::{ArrayLength, ImageDim, Opaque, OpaqueClass, Ty, TypeKind};
use coopmat_spirv::{Capability, Opcode};
use rspirv::dr::Operand;
use rspirv::spirv::{self, Dim, ImageFormat, Op, Word};

use super::table::TypeKey;
use crate::codegen::{Codegen, Emit};

impl<'a> Codegen<'a> {
    pub fn opaque_of(&self, mut ty: Ty) -> Option<Opaque> {
        loop {
            match *self.types.kind(ty) {
                TypeKind::Array(element, _) => ty = element,
                TypeKind::Opaque(opaque) => return Some(opaque),
                _ => return None,
            }
        }
    }

    /// An image, sampler or the like. `format` is that of an image's declaration.
    pub fn opaque_type(&mut self, opaque: Opaque, format: ImageFormat) -> Emit<Word> {
        let image = |sampled: u32, format: ImageFormat, sampled_type: Word| TypeKey::Image {
            sampled_type,
            dim: opaque.dim,
            depth: opaque.shadow,
            arrayed: opaque.arrayed,
            multisampled: opaque.multisampled,
            sampled,
            format: format as u32,
        };
        match opaque.class {
            OpaqueClass::Sampler => Ok(self.intern_type(TypeKey::Sampler, Op::TypeSampler, &[])),
            OpaqueClass::SampledImage | OpaqueClass::Texture => {
                let component = self.scalar_type(opaque.component);
                let key = image(1, ImageFormat::Unknown, component);
                let texture = self.image_type(key, opaque, 1, ImageFormat::Unknown, component)?;
                // A buffer of texels is read without a sampler, so there is none to combine it with.
                if opaque.class == OpaqueClass::Texture || opaque.dim == ImageDim::Buffer {
                    return Ok(texture);
                }
                Ok(self.intern_type(
                    TypeKey::SampledImage(texture),
                    Op::TypeSampledImage,
                    &[Operand::IdRef(texture)],
                ))
            }
            OpaqueClass::Image => {
                let component = self.scalar_type(opaque.component);
                self.image_type(image(2, format, component), opaque, 2, format, component)
            }
            OpaqueClass::SubpassInput => {
                self.b.capability(Capability::InputAttachment);
                let component = self.scalar_type(opaque.component);
                let format = ImageFormat::Unknown;
                let opaque = Opaque { dim: ImageDim::SubpassInput, ..opaque };
                let key = TypeKey::Image {
                    sampled_type: component,
                    dim: opaque.dim,
                    depth: false,
                    arrayed: false,
                    multisampled: opaque.multisampled,
                    sampled: 2,
                    format: format as u32,
                };
                self.image_type(key, opaque, 2, format, component)
            }
            OpaqueClass::TileAttachment => {
                self.require_capability(spirv::Capability::TileImageColorReadAccessEXT);
                let component = self.scalar_type(opaque.component);
                let format = ImageFormat::Unknown;
                let key = TypeKey::TileImage(component);
                let number = Operand::LiteralBit32;
                Ok(self.intern_type(
                    key,
                    Op::TypeImage,
                    &[
                        Operand::IdRef(component),
                        Operand::Dim(Dim::DimTileImageDataEXT),
                        number(0),
                        number(0),
                        number(0),
                        number(2),
                        Operand::ImageFormat(format),
                    ],
                ))
            }
            OpaqueClass::AtomicCounter => {
                Err(self.fail("Vulkan has no atomic counters: use an atomic on a buffer"))
            }
            OpaqueClass::AccelerationStructure => {
                // Shaders of ray tracing have it anyway.
                let traces = [Capability::RayTracingKHR, Capability::RayTracingNV];
                if !traces.into_iter().any(|known| self.b.has_capability(known)) {
                    self.ray_query_capability();
                }
                Ok(self.intern_type(TypeKey::AccelerationStructure, Op::TypeAccelerationStructureKHR, &[]))
            }
            OpaqueClass::Tensor => {
                self.b.extension("SPV_ARM_tensors");
                self.b.capability(Capability::TensorsARM);
                let element = self.scalar_type(opaque.component);
                let rank = self.uint_constant(opaque.rank);
                Ok(self.intern_type(
                    TypeKey::Tensor(element, rank),
                    Op::TypeTensorARM,
                    &[Operand::IdRef(element), Operand::IdRef(rank)],
                ))
            }
            OpaqueClass::HitObject | OpaqueClass::HitObjectNv => {
                let older = opaque.class == OpaqueClass::HitObjectNv;
                let op = if older { Opcode::TypeHitObjectNV } else { Opcode::TypeHitObjectEXT };
                self.require_opcode(op);
                let op = if older { Op::TypeHitObjectNV } else { Op::TypeHitObjectEXT };
                Ok(self.intern_type(TypeKey::HitObject { older }, op, &[]))
            }
            OpaqueClass::RayQuery => {
                self.ray_query_capability();
                Ok(self.intern_type(TypeKey::RayQuery, Op::TypeRayQueryKHR, &[]))
            }
        }
    }

    /// A texture with the sampler that it is read with.
    pub fn combined(&mut self, ty: Ty, parts: &[Word]) -> Emit<Word> {
        let id = self.type_id(ty)?;
        let both = self.b.value(Op::SampledImage, id, parts);
        self.b.inherit_nonuniform(both, parts);
        Ok(both)
    }

    fn image_type(
        &mut self,
        key: TypeKey,
        opaque: Opaque,
        sampled: u32,
        format: ImageFormat,
        component: Word,
    ) -> Emit<Word> {
        let dim = match opaque.dim {
            ImageDim::D1 => Dim::Dim1D,
            ImageDim::D2 => Dim::Dim2D,
            ImageDim::D3 => Dim::Dim3D,
            ImageDim::Cube => Dim::DimCube,
            ImageDim::Rect => {
                return Err(self.fail("Vulkan has no rectangle textures and images: use the 2D ones"));
            }
            ImageDim::Buffer => Dim::DimBuffer,
            ImageDim::SubpassInput => Dim::DimSubpassData,
        };
        let storage = sampled == 2;
        match opaque.dim {
            ImageDim::D1 => {
                self.b.capability(if storage { Capability::Image1D } else { Capability::Sampled1D })
            }
            ImageDim::Buffer => {
                self.b.capability(if storage { Capability::ImageBuffer } else { Capability::SampledBuffer })
            }
            ImageDim::Cube if opaque.arrayed => {
                self.b.capability(if storage {
                    Capability::ImageCubeArray
                } else {
                    Capability::SampledCubeArray
                });
            }
            _ => {}
        }
        if storage && opaque.multisampled && opaque.dim != ImageDim::SubpassInput {
            self.b.capability(Capability::StorageImageMultisample);
            if opaque.arrayed {
                self.b.capability(Capability::ImageMSArray);
            }
        }
        if opaque.component.bits() == 64 {
            self.b.extension("SPV_EXT_shader_image_int64");
            self.b.capability(Capability::Int64ImageEXT);
        }
        let number = |bit: bool| Operand::LiteralBit32(u32::from(bit));
        Ok(self.intern_type(
            key,
            Op::TypeImage,
            &[
                Operand::IdRef(component),
                Operand::Dim(dim),
                number(opaque.shadow),
                number(opaque.arrayed),
                number(opaque.multisampled),
                Operand::LiteralBit32(sampled),
                Operand::ImageFormat(format),
            ],
        ))
    }

    pub fn opaque_memory_type(&mut self, ty: Ty, format: ImageFormat) -> Emit<Word> {
        match *self.types.kind(ty) {
            TypeKind::Array(element, length) => {
                let element = self.opaque_memory_type(element, format)?;
                match length {
                    ArrayLength::Sized(length) => {
                        let length = self.size_id(length)?;
                        Ok(self.plain_array_type(element, length))
                    }
                    ArrayLength::Unsized => {
                        self.b.extension("SPV_EXT_descriptor_indexing");
                        self.b.capability(Capability::RuntimeDescriptorArray);
                        Ok(self.plain_runtime_array_type(element))
                    }
                }
            }
            TypeKind::Opaque(opaque) => self.opaque_type(opaque, format),
            _ => Err(self.inconsistent("an opaque variable of another type")),
        }
    }

    pub fn image_format(&mut self, name: &str) -> Emit<ImageFormat> {
        let extended = |codegen: &mut Self, format| {
            codegen.b.capability(Capability::StorageImageExtendedFormats);
            Ok(format)
        };
        use ImageFormat as F;
        match name {
            "rgba32f" => Ok(F::Rgba32f),
            "rgba16f" => Ok(F::Rgba16f),
            "r32f" => Ok(F::R32f),
            "rgba8" => Ok(F::Rgba8),
            "rgba8_snorm" => Ok(F::Rgba8Snorm),
            "rgba32i" => Ok(F::Rgba32i),
            "rgba16i" => Ok(F::Rgba16i),
            "rgba8i" => Ok(F::Rgba8i),
            "r32i" => Ok(F::R32i),
            "rgba32ui" => Ok(F::Rgba32ui),
            "rgba16ui" => Ok(F::Rgba16ui),
            "rgba8ui" => Ok(F::Rgba8ui),
            "r32ui" => Ok(F::R32ui),
            "rg32f" => extended(self, F::Rg32f),
            "rg16f" => extended(self, F::Rg16f),
            "r11f_g11f_b10f" => extended(self, F::R11fG11fB10f),
            "r16f" => extended(self, F::R16f),
            "rgba16" => extended(self, F::Rgba16),
            "rgb10_a2" => extended(self, F::Rgb10A2),
            "rg16" => extended(self, F::Rg16),
            "rg8" => extended(self, F::Rg8),
            "r16" => extended(self, F::R16),
            "r8" => extended(self, F::R8),
            "rgba16_snorm" => extended(self, F::Rgba16Snorm),
            "rg16_snorm" => extended(self, F::Rg16Snorm),
            "rg8_snorm" => extended(self, F::Rg8Snorm),
            "r16_snorm" => extended(self, F::R16Snorm),
            "r8_snorm" => extended(self, F::R8Snorm),
            "rg32i" => extended(self, F::Rg32i),
            "rg16i" => extended(self, F::Rg16i),
            "rg8i" => extended(self, F::Rg8i),
            "r16i" => extended(self, F::R16i),
            "r8i" => extended(self, F::R8i),
            "rgb10_a2ui" => extended(self, F::Rgb10a2ui),
            "rg32ui" => extended(self, F::Rg32ui),
            "rg16ui" => extended(self, F::Rg16ui),
            "rg8ui" => extended(self, F::Rg8ui),
            "r16ui" => extended(self, F::R16ui),
            "r8ui" => extended(self, F::R8ui),
            "r64i" | "r64ui" => {
                self.b.extension("SPV_EXT_shader_image_int64");
                self.b.capability(Capability::Int64ImageEXT);
                Ok(if name == "r64i" { F::R64i } else { F::R64ui })
            }
            _ => Err(self.fail(format!("unknown image format `{name}`"))),
        }
    }
}
