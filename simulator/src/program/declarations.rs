//! Types and variables of the module, entry points and execution modes.

use coopmat_spirv::dr::{Instruction as Source, Operand};
use coopmat_spirv::spirv::{
    BuiltIn, Capability, Decoration, Dim, ExecutionMode, ExecutionModel, Op, StorageClass,
};
use coopmat_spirv::{FPEncoding, Opcode, opcode};

use super::data::SharedVariable;
use super::debug::Kind;
use super::interface::{Binding, BindingKind};
use super::lowering::{Entity, Lowering};
use super::place::Place;
use super::types::{ImageDimensions, ImageType, MatrixLayout, Member, Type, TypeId, in_memory, in_registers};
use super::values::{Slot, Value};
use crate::ProgramError;
use crate::memory::{PUSH_CONSTANTS, SHARED, address};
use crate::numerics::Format;

/// Descriptors that an array of unknown length has room for.
const OPEN_DESCRIPTORS: u32 = 256;

impl Lowering<'_> {
    /// A declaration at the level of the module.
    pub(super) fn declare(&mut self, source: &Source) -> Result<(), ProgramError> {
        match source.class.opcode {
            Op::Line | Op::NoLine | Op::ExtInst | Op::ExtInstWithForwardRefsKHR => Ok(()),
            Op::Variable | Op::UntypedVariableKHR => self.declare_variable(source),
            Op::Undef => self.result(source).map(|_| ()),
            Op::TypeForwardPointer => {
                let id = self.id(source, 0)?;
                let Some(Operand::StorageClass(storage)) = source.operands.get(1) else {
                    return Err(ProgramError::new("OpTypeForwardPointer lacks a storage class"));
                };
                self.data.types.add(Some(id), Type::Pointer { storage: *storage, pointee: None }).map(|_| ())
            }
            _ if source.class.opname.starts_with("Type") => self.declare_type(source),
            _ if source.class.opname.contains("Constant") => {
                self.declare_constant(source)?;
                self.note_constant(source);
                Ok(())
            }
            _ => Err(ProgramError::new(format!(
                "Op{} is not known between types and constants",
                source.class.opname
            ))),
        }
    }

    fn type_operand(&self, source: &Source, index: usize) -> Result<TypeId, ProgramError> {
        self.types().by_id(self.id(source, index)?)
    }

    fn declare_type(&mut self, source: &Source) -> Result<(), ProgramError> {
        let id = source.result_id.ok_or_else(|| ProgramError::new("a type lacks its id"))?;
        let type_ = match source.class.opcode {
            Op::TypeVoid => Type::Void,
            Op::TypeBool => Type::Bool,
            Op::TypeInt => {
                let width = self.literal(source, 0)?;
                if ![8, 16, 32, 64].contains(&width) {
                    return Err(ProgramError::new(format!("integers of {width} bits are not known")));
                }
                Type::Integer { width: width as u8, signed: self.literal(source, 1)? != 0 }
            }
            Op::TypeFloat => Type::Float(float_format(self.literal(source, 0)?, source.operands.get(1))?),
            Op::TypeVector => {
                let (component, count) = (self.type_operand(source, 0)?, self.literal(source, 1)?);
                self.vector(component, count)?
            }
            Op::TypeVectorIdEXT => {
                let (component, count) = (self.type_operand(source, 0)?, self.constant_operand(source, 1)?);
                // The vectors of GL_EXT_long_vector are declared by the same instruction.
                if self.declares(Capability::CooperativeVectorNV) {
                    self.data.cooperative_vectors.insert(id);
                }
                self.vector(component, count)?
            }
            Op::TypeMatrix => {
                let (column, count) = (self.type_operand(source, 0)?, self.literal(source, 1)?);
                match self.types().get(column) {
                    Type::Vector { .. } if (1..=4).contains(&count) => Type::Matrix { column, count },
                    _ => return Err(ProgramError::new("a matrix is made of up to four vectors")),
                }
            }
            Op::TypeArray => {
                let (element, length) = (self.type_operand(source, 0)?, self.constant_operand(source, 1)?);
                Type::Array { element, length, stride: self.array_stride(id) }
            }
            Op::TypeRuntimeArray => {
                let stride = self.array_stride(id);
                Type::RuntimeArray { element: self.type_operand(source, 0)?, stride }
            }
            Op::TypeStruct => self.structure(id, source)?,
            Op::TypePointer => {
                let Some(&Operand::StorageClass(storage)) = source.operands.first() else {
                    return Err(ProgramError::new("OpTypePointer lacks a storage class"));
                };
                self.data.has_addresses |= storage == StorageClass::PhysicalStorageBuffer;
                let pointee = self.type_operand(source, 1)?;
                if self.data.types.complete_pointer(id, storage, pointee) {
                    return Ok(());
                }
                Type::Pointer { storage, pointee: Some(pointee) }
            }
            Op::TypeUntypedPointerKHR => match source.operands.first() {
                Some(&Operand::StorageClass(storage)) => {
                    self.data.has_addresses |= storage == StorageClass::PhysicalStorageBuffer;
                    Type::Pointer { storage, pointee: None }
                }
                _ => return Err(ProgramError::new("OpTypeUntypedPointerKHR lacks a storage class")),
            },
            Op::TypeFunction => {
                // The result is read as an operand, and parameters are known from the functions.
                Type::Function { result: self.type_operand(source, 0)? }
            }
            Op::TypeImage => self.image(source)?,
            Op::TypeSampler => Type::Sampler,
            Op::TypeSampledImage => Type::SampledImage(self.type_operand(source, 0)?),
            Op::TypeCooperativeMatrixKHR | Op::TypeCooperativeMatrixNV => {
                self.data.has_matrices = true;
                Type::CooperativeMatrix(crate::matrix::lower_type(self, source)?)
            }
            Op::TypeTensorLayoutNV => {
                let dimensions = self.constant_operand(source, 0)?;
                check_dimensions(dimensions)?;
                Type::TensorLayout { dimensions, clamp: self.constant_operand(source, 1)? }
            }
            Op::TypeTensorViewNV => {
                let dimensions = self.constant_operand(source, 0)?;
                check_dimensions(dimensions)?;
                let has_dimensions = self.constant_operand(source, 1)? != 0;
                let permutation = (0..dimensions as usize).map(|i| self.constant_operand(source, 2 + i));
                Type::TensorView {
                    dimensions,
                    has_dimensions,
                    permutation: permutation.collect::<Result<_, _>>()?,
                }
            }
            _ => Type::Opaque(opcode(source).name()),
        };
        self.data.types.add(Some(id), type_).map(|_| ())
    }

    fn declares(&self, capability: Capability) -> bool {
        self.module
            .capabilities
            .iter()
            .any(|source| source.operands.first() == Some(&Operand::Capability(capability)))
    }

    fn vector(&self, component: TypeId, count: u32) -> Result<Type, ProgramError> {
        match self.types().scalar(component) {
            Some(_) if count > 0 => Ok(Type::Vector { component, count }),
            _ => Err(ProgramError::new("a vector is made of scalars, of one at least")),
        }
    }

    fn structure(&mut self, id: u32, source: &Source) -> Result<Type, ProgramError> {
        let mut members = Vec::with_capacity(source.operands.len());
        let mut next = 0;
        for index in 0..source.operands.len() {
            let type_ = self.type_operand(source, index)?;
            let index = index as u32;
            let literal =
                |decoration| self.annotations.of_member(id, index, decoration)?.literals.first().copied();
            let matrix = MatrixLayout {
                stride: literal(Decoration::MatrixStride).unwrap_or(0),
                row_major: self.annotations.of_member(id, index, Decoration::RowMajor).is_some(),
            };
            let natural = |types: &super::Types| u64::next_multiple_of(next, types.alignment(type_).max(1));
            let stated = self.decorated_number(literal(Decoration::Offset), literal(Decoration::OffsetIdEXT));
            let offset = match stated {
                Some(offset) => u64::from(offset),
                None => natural(self.types()),
            };
            next = offset.saturating_add(self.types().size(type_, matrix));
            // Structures of values that are larger than any memory have no offsets that matter.
            let offset = offset.min(u64::from(u32::MAX)) as u32;
            let name = self.annotations.member_name(id, index).map(str::to_owned);
            members.push(Member { type_, name, offset, matrix });
        }
        let block =
            self.annotations.has(id, Decoration::Block) || self.annotations.has(id, Decoration::BufferBlock);
        Ok(Type::Structure { members, block })
    }

    fn image(&self, source: &Source) -> Result<Type, ProgramError> {
        let sampled_type = self.type_operand(source, 0)?;
        let dimensions = match source.operands.get(1) {
            Some(Operand::Dim(Dim::Dim1D)) => ImageDimensions::One,
            Some(Operand::Dim(Dim::Dim2D | Dim::DimRect)) => ImageDimensions::Two,
            Some(Operand::Dim(Dim::Dim3D)) => ImageDimensions::Three,
            Some(Operand::Dim(Dim::DimCube)) => ImageDimensions::Cube,
            Some(Operand::Dim(Dim::DimBuffer)) => ImageDimensions::Buffer,
            _ => return Ok(Type::Opaque("TypeImage")),
        };
        let Some(&Operand::ImageFormat(format)) = source.operands.get(6) else {
            return Err(ProgramError::new("OpTypeImage lacks a format"));
        };
        Ok(Type::Image(ImageType {
            sampled_type,
            dimensions,
            arrayed: self.literal(source, 3)? != 0,
            multisampled: self.literal(source, 4)? != 0,
            sampled: self.literal(source, 5)?,
            format,
        }))
    }

    fn declare_variable(&mut self, source: &Source) -> Result<(), ProgramError> {
        let id = source.result_id.ok_or_else(|| ProgramError::new("a variable lacks its id"))?;
        let pointer = self.result_type(source)?;
        let Type::Pointer { storage, pointee } = *self.types().get(pointer) else {
            return Err(ProgramError::new("a variable's type should be a pointer"));
        };
        if self.declare_heap(id)? {
            return Ok(());
        }
        let untyped = source.class.opcode == Op::UntypedVariableKHR;
        let pointee = match pointee {
            Some(pointee) => pointee,
            None if untyped => self.type_operand(source, 1)?,
            None => return Err(ProgramError::new("a variable's type points to nothing")),
        };
        let initial = if untyped { 2 } else { 1 };
        let initial = source.operands.get(initial).map(|_| self.operand(source, initial)).transpose()?;
        if let Some(initial) = initial {
            self.expect(initial.type_, pointee, "a variable's initializer")?;
        }
        let place = match storage {
            _ if in_registers(storage) => {
                let value = self.allocate_value(pointee)?;
                self.declare_register_variable(id, storage, value, initial);
                Place::Planes { first: value.slot, type_: pointee }
            }
            StorageClass::Workgroup => {
                let alignment = self.types().alignment(pointee).max(16);
                let offset = self.data.shared_size.next_multiple_of(alignment);
                let size = self.types().size(pointee, MatrixLayout::default());
                self.data.shared_size = offset.saturating_add(size);
                let name = self.annotations.name(id).unwrap_or_default().to_owned();
                self.data.shared_variables.push(SharedVariable { name, type_: pointee, offset, size });
                if self.data.shared_size > 1 << 30 {
                    return Err(ProgramError::new("shared memory is larger than the simulator allows"));
                }
                if let Some(value) = initial {
                    let leaves = self.leaves(pointee, MatrixLayout::default())?;
                    self.data.shared_initial.push((value.slot.index(), offset, leaves));
                }
                let slot = self.address_constant(address(SHARED, offset))?;
                Place::memory(slot, Some(pointee), true)
            }
            StorageClass::PushConstant => self.declare_push_constants(id, pointee)?,
            StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::UniformConstant => {
                self.declare_binding(id, storage, pointee)?
            }
            other => {
                return Err(ProgramError::new(format!(
                    "variables of the storage class {other:?} are not known to compute shaders"
                )));
            }
        };
        self.note_variable(id, Kind::of(storage), place.clone(), None);
        self.set(id, Entity::Place(place));
        Ok(())
    }

    /// A block of push constants. Several, which are in banks, lie one after the other, and the host gives them as the members of one structure.
    fn declare_push_constants(&mut self, id: u32, pointee: TypeId) -> Result<Place, ProgramError> {
        const MOST: u64 = 1 << 20;
        let start =
            self.data.interface.push_constants.map_or(0, |(size, _)| u64::from(size)).next_multiple_of(16);
        let end = start.saturating_add(self.types().size(pointee, MatrixLayout::default())).min(MOST);
        let named = self
            .annotations
            .name(id)
            .or_else(|| self.types().id_of(pointee).and_then(|id| self.annotations.name(id)));
        let member = Member {
            type_: pointee,
            name: named.map(str::to_owned),
            offset: start as u32,
            matrix: MatrixLayout::default(),
        };
        self.push_blocks.push(member);
        let whole = match &self.push_blocks[..] {
            [_] => pointee,
            blocks => {
                let type_ = Type::Structure { members: blocks.to_vec(), block: true };
                self.data.types.add(None, type_)?
            }
        };
        self.data.interface.push_constants = Some((end as u32, whole));
        let slot = self.address_constant(address(PUSH_CONSTANTS, start))?;
        self.push_constants.push((slot, start as u32));
        Ok(Place::memory(slot, Some(pointee), false))
    }

    fn declare_register_variable(
        &mut self,
        id: u32,
        storage: StorageClass,
        value: Value,
        initial: Option<Value>,
    ) {
        let planes = self.types().planes(value.type_);
        let first = value.slot.index();
        self.data.globals.variables.push((first, planes, initial.map(|value| value.slot.index())));
        if storage == StorageClass::Input
            && let Some(builtin) = self.annotations.builtin(id)
        {
            self.data.globals.builtins.push((builtin, first, planes));
        }
    }

    pub(super) fn address_constant(&mut self, address: u64) -> Result<Slot, ProgramError> {
        let slot = self.allocate(2)?;
        let first = slot.index() as usize;
        self.data.globals.words[first] = address as u32;
        self.data.globals.words[first + 1] = (address >> 32) as u32;
        Ok(slot)
    }

    fn declare_binding(
        &mut self,
        id: u32,
        storage: StorageClass,
        pointee: TypeId,
    ) -> Result<Place, ProgramError> {
        let set = self.annotations.literal(id, Decoration::DescriptorSet).unwrap_or(0);
        let binding = self.annotations.literal(id, Decoration::Binding).unwrap_or(0);
        let (element, count, is_array) = match *self.types().get(pointee) {
            Type::Array { element, length, .. } => (element, Some(length), true),
            Type::RuntimeArray { element, .. } => (element, None, true),
            _ => (pointee, Some(1), false),
        };
        let room = count.unwrap_or(OPEN_DESCRIPTORS);
        if room > 1 << 16 {
            return Err(ProgramError::new("an array of descriptors is longer than the simulator allows"));
        }
        let first = self.data.descriptors.len() as u32;
        self.data.descriptors.extend((0..room).map(|index| (set, binding, index)));
        let (kind, readonly) = match self.types().get(element) {
            Type::Structure { members, .. } => {
                let id_of_block = self.block_id(pointee, element);
                let old = id_of_block.is_some_and(|id| self.annotations.has(id, Decoration::BufferBlock));
                let all = |decoration| {
                    self.annotations.has(id, decoration)
                        || id_of_block.is_some_and(|id| {
                            let count = members.len() as u32;
                            count > 0
                                && (0..count).all(|i| self.annotations.of_member(id, i, decoration).is_some())
                        })
                };
                match storage == StorageClass::Uniform && !old {
                    true => (BindingKind::UniformBuffer, true),
                    false => (BindingKind::StorageBuffer, all(Decoration::NonWritable)),
                }
            }
            Type::Image(image) if image.sampled == 2 => {
                (BindingKind::StorageImage, self.annotations.has(id, Decoration::NonWritable))
            }
            Type::Image(_) | Type::SampledImage(_) => (BindingKind::SampledImage, true),
            Type::Sampler => (BindingKind::Sampler, true),
            Type::Opaque(name) if *name == Opcode::TypeAccelerationStructureKHR.name() => {
                let message =
                    "ray queries are not run: there are no acceleration structures to give the shader";
                return Err(ProgramError::new(message));
            }
            Type::Opaque(name) if *name == Opcode::TypeTensorARM.name() => {
                return Err(ProgramError::new("tensors of Arm are not run: read a buffer instead"));
            }
            _ => return Err(ProgramError::new("a binding of this type is not known")),
        };
        let name = self.annotations.name(id).map(str::to_owned);
        let block_name =
            || self.block_id(pointee, element).and_then(|id| self.annotations.name(id)).map(str::to_owned);
        let name = name.or_else(block_name).unwrap_or_default();
        let size = self.types().size(element, MatrixLayout::default());
        let entry = Binding { set, binding, name, kind, count, readonly, size, type_: element };
        self.data.interface.bindings.push(entry);
        if in_memory(storage) {
            if is_array {
                return Ok(Place::Buffers { first, count: room, type_: element });
            }
            let slot = self.address_constant(0)?;
            self.data.globals.buffers.push((slot.index(), first));
            return Ok(Place::memory(slot, Some(element), false));
        }
        let slot = self.scratch_constant(first);
        Ok(Place::Descriptor { pointer: slot, type_: pointee })
    }

    /// The id of a block's type: decorations and names are about ids.
    fn block_id(&self, _pointee: TypeId, element: TypeId) -> Option<u32> {
        self.types().id_of(element)
    }

    /// The function of the entry point, and the execution modes of it.
    pub(super) fn entry_point(&mut self) -> Result<u32, ProgramError> {
        let computes = |source: &&Source| {
            matches!(source.operands.first(), Some(Operand::ExecutionModel(ExecutionModel::GLCompute)))
        };
        let entries: Vec<&Source> = self.module.entry_points.iter().filter(computes).collect();
        let named = |name: &str| {
            entries.iter().copied().find(|source| {
                matches!(source.operands.get(2), Some(Operand::LiteralString(found)) if found == name)
            })
        };
        let entry = match self.options.entry {
            Some(name) => named(name),
            None => named("main").or(entries.first().copied()),
        };
        let Some(entry) = entry else {
            let wanted = self.options.entry.map(|name| format!(" named `{name}`")).unwrap_or_default();
            let other = self.module.entry_points.first().and_then(|source| source.operands.first());
            if let (Some(Operand::ExecutionModel(model)), true) = (other, entries.is_empty()) {
                return Err(ProgramError::new(format!(
                    "only compute shaders run, and the entry point of this module has the execution model {model:?}"
                )));
            }
            return Err(ProgramError::new(format!("the module has no compute entry point{wanted}")));
        };
        let function = self.id(entry, 1)?;
        let mut size = [1; 3];
        for mode in &self.module.execution_modes {
            if self.id(mode, 0).ok() != Some(function) {
                continue;
            }
            match mode.operands.get(1) {
                Some(Operand::ExecutionMode(ExecutionMode::LocalSize)) => {
                    for (index, size) in size.iter_mut().enumerate() {
                        *size = self.literal(mode, 2 + index)?;
                    }
                }
                Some(Operand::ExecutionMode(ExecutionMode::LocalSizeId)) => {
                    for (index, size) in size.iter_mut().enumerate() {
                        *size = self.constant_operand(mode, 2 + index)?;
                    }
                }
                Some(Operand::ExecutionMode(ExecutionMode::TileShadingRateQCOM)) => {
                    let message = "tile shading is not run: the device chooses the workgroups";
                    return Err(ProgramError::new(message));
                }
                Some(Operand::ExecutionMode(ExecutionMode::SubgroupSize)) => {
                    self.data.interface.subgroup_size = Some(self.literal(mode, 2)?);
                }
                // Others have an operand that is no width, or none.
                Some(Operand::ExecutionMode(found)) => {
                    if let Some(Operand::LiteralBit32(width)) = mode.operands.get(2) {
                        self.data.controls.add(*found, *width);
                    }
                }
                _ => {}
            }
        }
        // A constant that is decorated so wins over the execution mode.
        for source in &self.module.types_global_values {
            if let Some(id) = source.result_id
                && self.annotations.builtin(id) == Some(BuiltIn::WorkgroupSize)
                && let Some(&[x, y, z]) = self.constant_words(id)
            {
                size = [x, y, z];
            }
        }
        let count = size.iter().try_fold(1u32, |count, &size| count.checked_mul(size));
        if !count.is_some_and(|count| (1..=16384).contains(&count)) {
            let [x, y, z] = size;
            let message =
                format!("a workgroup of {x} x {y} x {z} invocations: the simulator runs 1 to 16384");
            return Err(ProgramError::new(message));
        }
        self.data.interface.workgroup_size = size;
        Ok(function)
    }
}

fn check_dimensions(dimensions: u32) -> Result<(), ProgramError> {
    match dimensions {
        1..=5 => Ok(()),
        _ => Err(ProgramError::new(format!("a tensor has 1 to 5 dimensions, not {dimensions}"))),
    }
}

/// The format of `OpTypeFloat`.
fn float_format(width: u32, encoding: Option<&Operand>) -> Result<Format, ProgramError> {
    let format = match (width, encoding) {
        (16, None) => Some(Format::F16),
        (32, None) => Some(Format::F32),
        (64, None) => Some(Format::F64),
        (_, Some(encoding)) => FPEncoding::of(encoding).and_then(|encoding| {
            let (bits, format) = match encoding {
                FPEncoding::BFloat16KHR => (16, Format::BF16),
                FPEncoding::Float8E4M3EXT => (8, Format::E4M3),
                FPEncoding::Float8E5M2EXT => (8, Format::E5M2),
                FPEncoding::Float6E2M3EXT => return Some(Format::E2M3),
                FPEncoding::Float6E3M2EXT => return Some(Format::E3M2),
                FPEncoding::Float4E2M1EXT => return Some(Format::E2M1),
                FPEncoding::Float8UnsignedE8M0EXT => return Some(Format::UE8M0),
                FPEncoding::MXInt8EXT => return Some(Format::MxInt8),
            };
            (width == bits).then_some(format)
        }),
        _ => None,
    };
    format.ok_or_else(|| {
        ProgramError::new(format!("floating-point numbers of {width} bits in this encoding are not known"))
    })
}
