//! What a module says about the pipeline and the memory that it needs: its entry point, its constants under the given
//! specialization, the descriptors and the push constants that the entry point uses.

use std::collections::BTreeMap;

use ash::vk;
use coopmat_spirv::dr::{Instruction, Module, Operand};
use coopmat_spirv::spirv::{BuiltIn, Decoration, Dim, ExecutionMode, ExecutionModel, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::BufferKind;

/// Types nest no deeper than this in any module that a compiler makes.
const DEPTH: u32 = 64;

/// The directions of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dimensions {
    One,
    Two,
    Three,
    Cube,
    Buffer,
}

/// What an image of the shader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ImageKind {
    pub dimensions: Dimensions,
    pub arrayed: bool,
}

/// What a descriptor is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DescriptorKind {
    Buffer(BufferKind),
    StorageImage(ImageKind),
    SampledImage(ImageKind),
    /// An image with its sampler.
    Combined(ImageKind),
    Sampler,
}

impl DescriptorKind {
    /// `VkDescriptorType`
    pub fn vulkan(self) -> vk::DescriptorType {
        let texels = |kind: ImageKind| kind.dimensions == Dimensions::Buffer;
        match self {
            DescriptorKind::Buffer(BufferKind::Storage) => vk::DescriptorType::STORAGE_BUFFER,
            DescriptorKind::Buffer(BufferKind::Uniform) => vk::DescriptorType::UNIFORM_BUFFER,
            DescriptorKind::StorageImage(kind) if texels(kind) => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
            DescriptorKind::StorageImage(_) => vk::DescriptorType::STORAGE_IMAGE,
            DescriptorKind::SampledImage(kind) | DescriptorKind::Combined(kind) if texels(kind) => {
                vk::DescriptorType::UNIFORM_TEXEL_BUFFER
            }
            DescriptorKind::SampledImage(_) => vk::DescriptorType::SAMPLED_IMAGE,
            DescriptorKind::Combined(_) => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            DescriptorKind::Sampler => vk::DescriptorType::SAMPLER,
        }
    }

    /// Whether it is an image of a kind.
    pub fn is_image_of(self, kind: ImageKind) -> bool {
        match self {
            DescriptorKind::StorageImage(own)
            | DescriptorKind::SampledImage(own)
            | DescriptorKind::Combined(own) => own == kind,
            DescriptorKind::Buffer(_) | DescriptorKind::Sampler => false,
        }
    }

    /// What two variables at one place are together: an image and a sampler are an image with its sampler.
    fn together(self, other: DescriptorKind) -> Option<DescriptorKind> {
        use DescriptorKind::{Combined, SampledImage, Sampler};
        match (self, other) {
            _ if self == other => Some(self),
            (Combined(kind) | SampledImage(kind), Sampler)
            | (Sampler, Combined(kind) | SampledImage(kind)) => Some(Combined(kind)),
            (Combined(a) | SampledImage(a), Combined(b) | SampledImage(b)) if a == b => Some(Combined(a)),
            _ => None,
        }
    }

    /// As it reads in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            DescriptorKind::Buffer(BufferKind::Storage) => "a storage buffer",
            DescriptorKind::Buffer(BufferKind::Uniform) => "a uniform buffer",
            DescriptorKind::StorageImage(_) => "a storage image",
            DescriptorKind::SampledImage(_) => "a sampled image",
            DescriptorKind::Combined(_) => "an image with its sampler",
            DescriptorKind::Sampler => "a sampler",
        }
    }
}

/// What stands behind a binding of the shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    pub kind: DescriptorKind,
    /// Elements of an array of blocks; nothing for one whose length the module does not say.
    pub count: Option<u32>,
    /// The bytes that every buffer has to have: the block without the elements of a last array of unknown length.
    pub fixed_size: u64,
}

/// A module with one of its entry points and values for its specialization constants.
pub(crate) struct Program<'m> {
    pub module: &'m Module,
    definitions: FxHashMap<u32, &'m Instruction>,
    decorations: FxHashMap<u32, Vec<&'m Instruction>>,
    members: FxHashMap<u32, Vec<&'m Instruction>>,
    /// Constants that are one number, as bits; signed ones are sign-extended.
    values: FxHashMap<u32, u64>,
    /// What goes to the pipeline: id, bytes.
    pub specialization: BTreeMap<u32, Vec<u8>>,
    pub entry: u32,
    /// The ids that the entry point's functions mention.
    used: FxHashSet<u32>,
}

impl<'m> Program<'m> {
    /// # Errors
    /// That there is no such entry point, or a value that a constant cannot have.
    pub fn new(
        module: &'m Module,
        entry: &str,
        specialization: &[(u32, u64)],
    ) -> Result<Program<'m>, String> {
        let compute = module.entry_points.iter().filter_map(|point| match point.operands.as_slice() {
            [
                Operand::ExecutionModel(ExecutionModel::GLCompute),
                Operand::IdRef(id),
                Operand::LiteralString(name),
                ..,
            ] => Some((*id, name.as_str())),
            _ => None,
        });
        let compute: Vec<_> = compute.collect();
        let Some(&(entry, _)) = compute.iter().find(|(_, name)| *name == entry) else {
            let names: Vec<_> = compute.iter().map(|(_, name)| *name).collect();
            return Err(if names.is_empty() {
                "the module has no entry point for compute shaders".to_owned()
            } else {
                format!(
                    "the module has no compute entry point `{entry}`: expected one of {}",
                    names.join(", ")
                )
            });
        };
        let mut program = Program {
            module,
            definitions: FxHashMap::default(),
            decorations: FxHashMap::default(),
            members: FxHashMap::default(),
            values: FxHashMap::default(),
            specialization: BTreeMap::new(),
            entry,
            used: FxHashSet::default(),
        };
        for annotation in &module.annotations {
            let Some(&Operand::IdRef(target)) = annotation.operands.first() else { continue };
            match annotation.class.opcode {
                Op::Decorate | Op::DecorateId => {
                    program.decorations.entry(target).or_default().push(annotation);
                }
                Op::MemberDecorate => program.members.entry(target).or_default().push(annotation),
                _ => {}
            }
        }
        for instruction in &module.types_global_values {
            if let Some(id) = instruction.result_id {
                program.definitions.insert(id, instruction);
                program.evaluate(id, instruction, specialization)?;
            }
        }
        program.used = program.reachable();
        Ok(program)
    }

    pub fn definition(&self, id: u32) -> Option<&'m Instruction> {
        self.definitions.get(&id).copied()
    }

    /// The value of an integer constant.
    pub fn value(&self, id: u32) -> Option<u64> {
        self.values.get(&id).copied()
    }

    /// The value of a constant that is used as a size.
    pub fn size(&self, id: u32) -> Option<u32> {
        self.value(id).and_then(|value| u32::try_from(value & u64::from(u32::MAX)).ok())
    }

    pub fn operand(instruction: &Instruction, index: usize) -> Option<u32> {
        match instruction.operands.get(index) {
            Some(Operand::IdRef(id) | Operand::IdScope(id) | Operand::LiteralBit32(id)) => Some(*id),
            _ => None,
        }
    }

    /// The operand of a decoration, `Some(0)` for one that has none.
    fn decoration(&self, id: u32, wanted: Decoration) -> Option<u32> {
        self.decorations.get(&id)?.iter().find_map(|annotation| match annotation.operands.as_slice() {
            [_, Operand::Decoration(found), rest @ ..] if *found == wanted => match rest.first() {
                Some(Operand::LiteralBit32(value)) => Some(*value),
                _ => Some(0),
            },
            _ => None,
        })
    }

    fn member_decoration(&self, id: u32, member: u32, wanted: Decoration) -> Option<u32> {
        self.members.get(&id)?.iter().find_map(|annotation| match annotation.operands.as_slice() {
            [_, Operand::LiteralBit32(index), Operand::Decoration(found), rest @ ..]
                if *found == wanted && *index == member =>
            {
                match rest.first() {
                    Some(Operand::LiteralBit32(value)) => Some(*value),
                    _ => Some(0),
                }
            }
            _ => None,
        })
    }

    /// Width in bits and whether negative values are possible, of a type that holds one number.
    fn number_type(&self, id: u32) -> Option<(u32, bool)> {
        let of = self.definition(id)?;
        match of.class.opcode {
            Op::TypeInt => Some((Self::operand(of, 0)?, Self::operand(of, 1)? != 0)),
            Op::TypeFloat => Some((Self::operand(of, 0)?, false)),
            Op::TypeBool => Some((1, false)),
            _ => None,
        }
    }

    fn evaluate(&mut self, id: u32, of: &Instruction, specialization: &[(u32, u64)]) -> Result<(), String> {
        let Some((width, signed)) = of.result_type.and_then(|ty| self.number_type(ty)) else { return Ok(()) };
        let mut value = match of.class.opcode {
            Op::Constant | Op::SpecConstant => match of.operands.first() {
                Some(Operand::LiteralBit32(word)) => u64::from(*word),
                Some(Operand::LiteralBit64(words)) => *words,
                _ => return Ok(()),
            },
            Op::ConstantTrue | Op::SpecConstantTrue => 1,
            Op::ConstantFalse | Op::SpecConstantFalse | Op::ConstantNull => 0,
            Op::SpecConstantOp => match self.operation(of) {
                Some(value) => value,
                None => return Ok(()),
            },
            _ => return Ok(()),
        };
        let special =
            matches!(of.class.opcode, Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse);
        if special
            && let Some(number) = self.decoration(id, Decoration::SpecId)
            && let Some((_, given)) = specialization.iter().find(|(given, _)| *given == number)
        {
            let (extended, masked) = (extend(*given, width, true), extend(*given, width, false));
            if *given != extended && *given != masked {
                return Err(format!(
                    "the specialization constant {number} has {width} bits, which cannot hold {given}"
                ));
            }
            value = *given;
            // A boolean is a VkBool32.
            let bytes = if width == 1 { 4 } else { (width / 8) as usize };
            let bytes: Vec<u8> = masked.to_le_bytes().into_iter().take(bytes).collect();
            let length = bytes.len();
            if self.specialization.insert(number, bytes).is_some_and(|other| other.len() != length) {
                return Err(format!("constants of different sizes have the specialization id {number}"));
            }
        }
        self.values.insert(id, extend(value, width, signed));
        Ok(())
    }

    /// An integer expression over constants; nothing where it is another kind of expression.
    fn operation(&self, of: &Instruction) -> Option<u64> {
        let [operator, operands @ ..] = of.operands.as_slice() else { return None };
        let Operand::LiteralSpecConstantOpInteger(operator) = operator else { return None };
        let mut values = [0u64; 3];
        for (value, operand) in values.iter_mut().zip(operands) {
            *value = self.value(operand.id_ref_any()?)?;
        }
        let [a, b, c] = values;
        let (signed_a, signed_b) = (a as i64, b as i64);
        let (width, _) = operands
            .first()?
            .id_ref_any()
            .and_then(|id| self.number_type(self.definition(id)?.result_type?))?;
        let (unsigned_a, unsigned_b) = (extend(a, width, false), extend(b, width, false));
        let (signed_a, signed_b) =
            (extend(signed_a as u64, width, true) as i64, extend(signed_b as u64, width, true) as i64);
        Some(match operator {
            Op::IAdd => a.wrapping_add(b),
            Op::ISub => a.wrapping_sub(b),
            Op::IMul => a.wrapping_mul(b),
            Op::UDiv => unsigned_a.checked_div(unsigned_b)?,
            Op::UMod => unsigned_a.checked_rem(unsigned_b)?,
            Op::SDiv => signed_a.checked_div(signed_b)? as u64,
            Op::SRem => signed_a.checked_rem(signed_b)? as u64,
            Op::SNegate => a.wrapping_neg(),
            Op::Not => !a,
            Op::BitwiseAnd => a & b,
            Op::BitwiseOr => a | b,
            Op::BitwiseXor => a ^ b,
            Op::ShiftLeftLogical => a.checked_shl(u32::try_from(unsigned_b).ok()?)?,
            Op::ShiftRightLogical => unsigned_a.checked_shr(u32::try_from(unsigned_b).ok()?)?,
            Op::ShiftRightArithmetic => signed_a.checked_shr(u32::try_from(unsigned_b).ok()?)? as u64,
            Op::UConvert => unsigned_a,
            Op::SConvert => signed_a as u64,
            Op::LogicalAnd => a & b,
            Op::LogicalOr => a | b,
            Op::LogicalNot => u64::from(a == 0),
            Op::LogicalEqual => u64::from(a == b),
            Op::LogicalNotEqual => u64::from(a != b),
            Op::IEqual => u64::from(unsigned_a == unsigned_b),
            Op::INotEqual => u64::from(unsigned_a != unsigned_b),
            Op::ULessThan => u64::from(unsigned_a < unsigned_b),
            Op::ULessThanEqual => u64::from(unsigned_a <= unsigned_b),
            Op::UGreaterThan => u64::from(unsigned_a > unsigned_b),
            Op::UGreaterThanEqual => u64::from(unsigned_a >= unsigned_b),
            Op::SLessThan => u64::from(signed_a < signed_b),
            Op::SLessThanEqual => u64::from(signed_a <= signed_b),
            Op::SGreaterThan => u64::from(signed_a > signed_b),
            Op::SGreaterThanEqual => u64::from(signed_a >= signed_b),
            Op::Select => {
                if a != 0 {
                    b
                } else {
                    c
                }
            }
            _ => return None,
        })
    }

    /// The ids that the entry point and what it calls mention.
    fn reachable(&self) -> FxHashSet<u32> {
        let functions: FxHashMap<u32, _> = (self.module.functions.iter())
            .filter_map(|function| Some((function.def.as_ref()?.result_id?, function)))
            .collect();
        let mut used = FxHashSet::default();
        let mut left = vec![self.entry];
        while let Some(id) = left.pop() {
            if !used.insert(id) {
                continue;
            }
            let Some(function) = functions.get(&id) else { continue };
            for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
                left.extend(instruction.operands.iter().filter_map(Operand::id_ref_any));
            }
        }
        used
    }

    /// Invocations of a workgroup in each direction; nothing where the module computes it in a way that is not followed.
    pub fn local_size(&self) -> Option<[u32; 3]> {
        let built_in = self.decorations.iter().find_map(|(id, annotations)| {
            let is = |annotation: &&Instruction| {
                annotation.operands.get(2) == Some(&Operand::BuiltIn(BuiltIn::WorkgroupSize))
            };
            annotations.iter().any(is).then_some(*id)
        });
        if let Some(id) = built_in {
            let composite = self.definition(id)?;
            return self.sizes(&composite.operands);
        }
        self.module.execution_modes.iter().find_map(|mode| match mode.operands.as_slice() {
            [Operand::IdRef(of), Operand::ExecutionMode(ExecutionMode::LocalSize), rest @ ..]
                if *of == self.entry =>
            {
                let sizes = rest.iter().filter_map(|size| match size {
                    Operand::LiteralBit32(size) => Some(*size),
                    _ => None,
                });
                <[u32; 3]>::try_from(sizes.collect::<Vec<_>>()).ok()
            }
            [Operand::IdRef(of), Operand::ExecutionMode(ExecutionMode::LocalSizeId), rest @ ..]
                if *of == self.entry =>
            {
                self.sizes(rest)
            }
            _ => None,
        })
    }

    fn sizes(&self, ids: &[Operand]) -> Option<[u32; 3]> {
        let sizes: Option<Vec<u32>> = ids.iter().map(|id| self.size(id.id_ref_any()?)).collect();
        <[u32; 3]>::try_from(sizes?).ok()
    }

    /// The variables that the entry point uses, with their storage classes and the types that they point at.
    fn variables(&self) -> impl Iterator<Item = (u32, StorageClass, u32)> + '_ {
        self.module.types_global_values.iter().filter_map(|variable| {
            let (Op::Variable, Some(id)) = (variable.class.opcode, variable.result_id) else { return None };
            let Some(&Operand::StorageClass(class)) = variable.operands.first() else { return None };
            let pointer = self.definition(variable.result_type?)?;
            self.used.contains(&id).then_some((id, class, Self::operand(pointer, 1)?))
        })
    }

    /// The descriptors that the entry point uses, by set and binding.
    ///
    /// # Errors
    /// That one of them is neither a buffer nor an image nor a sampler, or an image that devices are not given.
    pub fn descriptors(&self) -> Result<BTreeMap<(u32, u32), Descriptor>, String> {
        let mut found: BTreeMap<(u32, u32), Descriptor> = BTreeMap::new();
        for (id, class, pointee) in self.variables() {
            if !matches!(
                class,
                StorageClass::Uniform | StorageClass::StorageBuffer | StorageClass::UniformConstant
            ) {
                continue;
            }
            let set = self.decoration(id, Decoration::DescriptorSet).unwrap_or(0);
            let binding = self.decoration(id, Decoration::Binding).unwrap_or(0);
            let place = format!("set {set}, binding {binding}");
            let mut ty = pointee;
            let mut count = Some(1);
            if let Some(array) = self.definition(ty) {
                match array.class.opcode {
                    Op::TypeArray => {
                        count = Self::operand(array, 1).and_then(|length| self.size(length));
                        ty = Self::operand(array, 0).unwrap_or(ty);
                    }
                    Op::TypeRuntimeArray => {
                        count = None;
                        ty = Self::operand(array, 0).unwrap_or(ty);
                    }
                    _ => {}
                }
            }
            let kind = match class {
                StorageClass::StorageBuffer => DescriptorKind::Buffer(BufferKind::Storage),
                StorageClass::Uniform if self.decoration(ty, Decoration::BufferBlock).is_some() => {
                    DescriptorKind::Buffer(BufferKind::Storage)
                }
                StorageClass::Uniform => DescriptorKind::Buffer(BufferKind::Uniform),
                _ => self.opaque(ty).map_err(|what| {
                    format!("the shader uses {what} at {place}, which is not supported on devices")
                })?,
            };
            let fixed_size = self.block_size(ty, DEPTH);
            let descriptor = found.entry((set, binding)).or_insert(Descriptor { kind, count, fixed_size });
            let Some(together) = descriptor.kind.together(kind) else {
                let (one, other) = (descriptor.kind.words(), kind.words());
                return Err(format!("the shader uses {place} as {one} and as {other}"));
            };
            descriptor.kind = together;
            // Several variables may stand for one buffer.
            descriptor.fixed_size = descriptor.fixed_size.max(fixed_size);
            descriptor.count = descriptor.count.max(count);
        }
        Ok(found)
    }

    /// What a type of images or samplers is for a descriptor.
    ///
    /// # Errors
    /// What it is instead.
    fn opaque(&self, ty: u32) -> Result<DescriptorKind, &'static str> {
        let of = self.definition(ty).ok_or("an unknown type")?;
        match of.class.opcode {
            Op::TypeSampler => Ok(DescriptorKind::Sampler),
            Op::TypeSampledImage => {
                match Self::operand(of, 0).map(|image| self.opaque_image(image)).transpose()? {
                    // A buffer of texels is fetched from without a sampler.
                    Some((kind, _)) if kind.dimensions == Dimensions::Buffer => {
                        Ok(DescriptorKind::SampledImage(kind))
                    }
                    Some((kind, _)) => Ok(DescriptorKind::Combined(kind)),
                    None => Err("an unknown type"),
                }
            }
            Op::TypeImage => match self.opaque_image(ty)? {
                (kind, true) => Ok(DescriptorKind::StorageImage(kind)),
                (kind, false) => Ok(DescriptorKind::SampledImage(kind)),
            },
            _ => Err("something that is neither a buffer nor an image nor a sampler"),
        }
    }

    /// An image's kind, and whether it is used without a sampler.
    fn opaque_image(&self, ty: u32) -> Result<(ImageKind, bool), &'static str> {
        let of = self.definition(ty).ok_or("an unknown type")?;
        let [
            _,
            Operand::Dim(dim),
            _,
            Operand::LiteralBit32(arrayed),
            Operand::LiteralBit32(samples),
            Operand::LiteralBit32(sampled),
            ..,
        ] = of.operands.as_slice()
        else {
            return Err("an image of an unknown type");
        };
        if *samples != 0 {
            return Err("an image with several samples");
        }
        let dimensions = match dim {
            Dim::Dim1D => Dimensions::One,
            Dim::Dim2D => Dimensions::Two,
            Dim::Dim3D => Dimensions::Three,
            Dim::DimCube => Dimensions::Cube,
            Dim::DimBuffer => Dimensions::Buffer,
            _ => return Err("an image of a kind that compute shaders do not have"),
        };
        Ok((ImageKind { dimensions, arrayed: *arrayed != 0 }, *sampled == 2))
    }

    /// The bytes of push constants that the entry point may read.
    pub fn push_constants(&self) -> u64 {
        self.variables()
            .filter(|(_, class, _)| *class == StorageClass::PushConstant)
            .map(|(_, _, pointee)| self.block_size(pointee, DEPTH))
            .max()
            .unwrap_or(0)
    }

    /// The bytes of a type with an explicit layout, up to the first element of an array whose length is not known; 0 for
    /// what has no layout.
    fn block_size(&self, ty: u32, depth: u32) -> u64 {
        let Some(depth) = depth.checked_sub(1) else { return 0 };
        let Some(of) = self.definition(ty) else { return 0 };
        let element = || Self::operand(of, 0).map_or(0, |element| self.block_size(element, depth));
        let count = || Self::operand(of, 1).map_or(0, u64::from);
        match of.class.opcode {
            Op::TypeInt | Op::TypeFloat => Self::operand(of, 0).map_or(0, |bits| u64::from(bits / 8)),
            Op::TypePointer => 8,
            Op::TypeVector | Op::TypeMatrix => element().saturating_mul(count()),
            Op::TypeArray => {
                let length = Self::operand(of, 1).and_then(|length| self.size(length)).map_or(0, u64::from);
                let stride = self.decoration(ty, Decoration::ArrayStride).map_or_else(element, u64::from);
                // After the last element nothing needs to follow.
                if length == 0 { 0 } else { stride.saturating_mul(length - 1).saturating_add(element()) }
            }
            Op::TypeStruct => {
                let members = of.operands.iter().filter_map(Operand::id_ref_any).zip(0u32..);
                let ends = members.map(|(member, index)| {
                    let offset = self.member_decoration(ty, index, Decoration::Offset).unwrap_or(0);
                    let mut size = self.block_size(member, depth);
                    if let (Some(stride), Some(matrix)) =
                        (self.member_decoration(ty, index, Decoration::MatrixStride), self.definition(member))
                        && matrix.class.opcode == Op::TypeMatrix
                        && self.member_decoration(ty, index, Decoration::RowMajor).is_none()
                    {
                        let columns = Self::operand(matrix, 1).map_or(0, u64::from);
                        let column =
                            Self::operand(matrix, 0).map_or(0, |column| self.block_size(column, depth));
                        size = size.max(u64::from(stride).saturating_mul(columns.saturating_sub(1)) + column);
                    }
                    u64::from(offset).saturating_add(size)
                });
                ends.max().unwrap_or(0)
            }
            _ => 0,
        }
    }
}

/// The lowest bits of a value, with zeros or its sign above them.
fn extend(value: u64, width: u32, signed: bool) -> u64 {
    if width == 0 || width >= 64 {
        return value;
    }
    let shift = 64 - width;
    if signed && width > 1 { ((value << shift) as i64 >> shift) as u64 } else { value << shift >> shift }
}
