//! SPIR-V types, each declared once.

mod opaque;
mod structs;
mod table;

use coopmat_analysis::display::display_constant;
use coopmat_analysis::extensions::{self, sets};
use coopmat_analysis::symbolic::Sym;
use coopmat_analysis::types::{ArrayLength, Coopmat, Scalar, ScalarClass, ScalarClassNv, Ty, TypeKind};

use coopmat_spirv::{Capability, FPEncoding};
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, ImageFormat, Op, StorageClass, Word};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::builder::note;
use crate::codegen::{Codegen, Emit};
use crate::memory::Memory;
use table::TypeKey;

pub(crate) use structs::MAX_PARTS;
pub(crate) use table::TypeTable;

/// The extension of the formats below 8 bits and of the scale formats.
const OCP: &str = "SPV_EXT_ocp_microscaling_types";

impl<'a> Codegen<'a> {
    fn intern_type(&mut self, key: TypeKey, op: Op, operands: &[Operand]) -> Word {
        if let Some(&id) = self.table.known.get(&key) {
            return id;
        }
        let id = self.b.global(op, None, operands.to_vec());
        self.table.known.insert(key, id);
        id
    }

    pub fn void_type(&mut self) -> Word {
        self.intern_type(TypeKey::Void, Op::TypeVoid, &[])
    }

    pub fn bool_type(&mut self) -> Word {
        self.scalar_type(Scalar::Bool)
    }

    pub fn uint_type(&mut self) -> Word {
        self.scalar_type(Scalar::Uint32)
    }

    pub fn int_type(&mut self) -> Word {
        self.scalar_type(Scalar::Int32)
    }

    pub fn float_type(&mut self) -> Word {
        self.scalar_type(Scalar::Float32)
    }

    pub fn scalar_type(&mut self, scalar: Scalar) -> Word {
        let key = TypeKey::Scalar(scalar);
        if let Some(&id) = self.table.known.get(&key) {
            return id;
        }
        let width = Operand::LiteralBit32(scalar.bits());
        let id = match scalar.class() {
            ScalarClass::Bool => self.b.global(Op::TypeBool, None, Vec::new()),
            ScalarClass::Signed | ScalarClass::Unsigned => {
                let signed = u32::from(scalar.class() == ScalarClass::Signed);
                self.b.global(Op::TypeInt, None, vec![width, Operand::LiteralBit32(signed)])
            }
            ScalarClass::Float => self.b.global(Op::TypeFloat, None, vec![width]),
            ScalarClass::SmallFloat => {
                let encoding = self.small_float(scalar);
                self.b.global(Op::TypeFloat, None, vec![width, encoding])
            }
        };
        match scalar {
            Scalar::Int8 | Scalar::Uint8 => self.b.note(id, note::INT8),
            Scalar::Int16 | Scalar::Uint16 => self.b.note(id, note::INT16),
            Scalar::Float16 => self.b.note(id, note::FLOAT16),
            Scalar::Int64 | Scalar::Uint64 => self.b.capability(Capability::Int64),
            Scalar::Float64 => self.b.capability(Capability::Float64),
            _ => {}
        }
        self.table.known.insert(key, id);
        id
    }

    /// The encoding of a format that is not IEEE's, with its capability.
    fn small_float(&mut self, scalar: Scalar) -> Operand {
        let (extension, capability, encoding) = match scalar {
            Scalar::BFloat16 => ("SPV_KHR_bfloat16", Capability::BFloat16TypeKHR, FPEncoding::BFloat16KHR),
            Scalar::FloatE4M3 => ("SPV_EXT_float8", Capability::Float8EXT, FPEncoding::Float8E4M3EXT),
            Scalar::FloatE5M2 => ("SPV_EXT_float8", Capability::Float8EXT, FPEncoding::Float8E5M2EXT),
            Scalar::FloatE2M1 => (OCP, Capability::Float4EXT, FPEncoding::Float4E2M1EXT),
            Scalar::FloatE3M2 => (OCP, Capability::Float6EXT, FPEncoding::Float6E3M2EXT),
            Scalar::FloatE2M3 => (OCP, Capability::Float6EXT, FPEncoding::Float6E2M3EXT),
            Scalar::FloatUE8M0 => (OCP, Capability::Float8UnsignedE8M0EXT, FPEncoding::Float8UnsignedE8M0EXT),
            // The other scalars are no small formats.
            _ => (OCP, Capability::MXInt8EXT, FPEncoding::MXInt8EXT),
        };
        self.b.extension(extension);
        self.b.capability(capability);
        encoding.into()
    }

    /// A scalar for length 1.
    pub fn vector_type(&mut self, scalar: Scalar, length: u32) -> Word {
        let component = self.scalar_type(scalar);
        if length == 1 {
            return component;
        }
        let key = TypeKey::Vector(component, length);
        if let Some(&id) = self.table.known.get(&key) {
            return id;
        }
        if length > 4 {
            self.long_vector_capability();
        }
        let id = self.intern_type(
            key,
            Op::TypeVector,
            &[Operand::IdRef(component), Operand::LiteralBit32(length)],
        );
        self.inherit_notes(id, scalar);
        id
    }

    fn inherit_notes(&mut self, id: Word, scalar: Scalar) {
        match scalar {
            Scalar::Int8 | Scalar::Uint8 => self.b.note(id, note::INT8),
            Scalar::Int16 | Scalar::Uint16 => self.b.note(id, note::INT16),
            Scalar::Float16 => self.b.note(id, note::FLOAT16),
            _ => {}
        }
    }

    fn long_vector_capability(&mut self) {
        self.b.extension("SPV_EXT_long_vector");
        self.b.capability(Capability::LongVectorEXT);
    }

    pub fn matrix_type(&mut self, component: Scalar, columns: u8, rows: u8) -> Word {
        let column = self.vector_type(component, u32::from(rows));
        self.b.capability(Capability::Matrix);
        let id = self.intern_type(
            TypeKey::Matrix(column, u32::from(columns)),
            Op::TypeMatrix,
            &[Operand::IdRef(column), Operand::LiteralBit32(u32::from(columns))],
        );
        self.inherit_notes(id, component);
        id
    }

    pub fn pointer_type(&mut self, storage: StorageClass, pointee: Word) -> Word {
        self.intern_type(
            TypeKey::Pointer(storage, pointee),
            Op::TypePointer,
            &[Operand::StorageClass(storage), Operand::IdRef(pointee)],
        )
    }

    /// A pointer that does not say what it points to (SPV_KHR_untyped_pointers).
    pub fn untyped_pointer_type(&mut self, storage: StorageClass) -> Word {
        let operands = [Operand::StorageClass(storage)];
        self.intern_type(TypeKey::UntypedPointer(storage), Op::TypeUntypedPointerKHR, &operands)
    }

    pub fn function_type(&mut self, result: Word, parameters: &[Word]) -> Word {
        let key: SmallVec<[Word; 6]> = std::iter::once(result).chain(parameters.iter().copied()).collect();
        if let Some(&id) = self.table.functions.get(&key) {
            return id;
        }
        let id =
            self.b.global(Op::TypeFunction, None, key.iter().map(|&part| Operand::IdRef(part)).collect());
        self.table.functions.insert(key, id);
        id
    }

    /// An array without a layout, of a known number of elements.
    pub fn plain_array_type(&mut self, element: Word, length: Word) -> Word {
        self.array_type(element, length, 0)
    }

    fn array_type(&mut self, element: Word, length: Word, stride: u32) -> Word {
        let key = TypeKey::Array(element, length, stride);
        if let Some(&id) = self.table.known.get(&key) {
            return id;
        }
        let id = self.intern_type(key, Op::TypeArray, &[Operand::IdRef(element), Operand::IdRef(length)]);
        self.b.note(id, self.b.notes(element));
        if stride != 0 {
            self.b.decorate(id, Decoration::ArrayStride, [Operand::LiteralBit32(stride)]);
        }
        id
    }

    /// A run-time array of variables: descriptors.
    pub fn plain_runtime_array_type(&mut self, element: Word) -> Word {
        self.runtime_array_type(element, 0)
    }

    pub fn runtime_array_type(&mut self, element: Word, stride: u32) -> Word {
        let key = TypeKey::RuntimeArray(element, stride);
        if let Some(&id) = self.table.known.get(&key) {
            return id;
        }
        let id = self.intern_type(key, Op::TypeRuntimeArray, &[Operand::IdRef(element)]);
        if stride != 0 {
            self.b.decorate(id, Decoration::ArrayStride, [Operand::LiteralBit32(stride)]);
        }
        id
    }

    /// A struct of the generator's own, such as the result of an extended multiplication; `key` tells them apart.
    pub fn result_struct_type(&mut self, members: &[Word], key: &mut FxHashMap<Vec<Word>, Word>) -> Word {
        if let Some(&id) = key.get(members) {
            return id;
        }
        let id = self.b.global(
            Op::TypeStruct,
            None,
            members.iter().map(|&member| Operand::IdRef(member)).collect(),
        );
        key.insert(members.to_vec(), id);
        id
    }

    /// The type of values.
    pub fn type_id(&mut self, ty: Ty) -> Emit<Word> {
        let at = ty.index();
        if let Some(&id) = self.table.values.get(at)
            && id != 0
        {
            return Ok(id);
        }
        let id = self.make_type(ty, Memory::Plain)?;
        if self.table.values.len() <= at {
            self.table.values.resize(self.types.len().max(at + 1), 0);
        }
        self.table.values[at] = id;
        Ok(id)
    }

    /// The type of memory that holds such values.
    pub fn memory_type(&mut self, ty: Ty, memory: Memory) -> Emit<Word> {
        if !self.differs_in_memory(ty, memory) {
            return self.type_id(ty);
        }
        if let Some(&id) = self.table.in_memory.get(&(ty, memory)) {
            return Ok(id);
        }
        let id = self.make_type(ty, memory)?;
        self.table.in_memory.insert((ty, memory), id);
        Ok(id)
    }

    fn make_type(&mut self, ty: Ty, memory: Memory) -> Emit<Word> {
        let as_stored = |scalar| match scalar {
            Scalar::Bool if !memory.is_plain() => Scalar::Uint32,
            scalar => scalar,
        };
        match *self.types.kind(ty) {
            TypeKind::Void => Ok(self.void_type()),
            TypeKind::Scalar(scalar) => Ok(self.scalar_type(as_stored(scalar))),
            TypeKind::Vector(scalar, length) => Ok(self.vector_type(as_stored(scalar), u32::from(length))),
            TypeKind::LongVector(scalar, length) => self.long_vector_type(as_stored(scalar), length),
            TypeKind::CoopVec(scalar, length) => self.coopvec_type(scalar, length),
            TypeKind::Matrix { component, columns, rows } => Ok(self.matrix_type(component, columns, rows)),
            TypeKind::Array(element, length) => {
                let inner = self.memory_type(element, memory)?;
                let stride = match memory {
                    // Arrays of blocks and of images are arrays of variables, without a stride.
                    Memory::Block { packing, row_major } if self.lies_in_memory(element) => {
                        self.array_stride(ty, packing, row_major)?
                    }
                    _ => 0,
                };
                match length {
                    ArrayLength::Sized(length) => {
                        let length = self.size_id(length)?;
                        Ok(self.array_type(inner, length, stride))
                    }
                    ArrayLength::Unsized => Ok(self.runtime_array_type(inner, stride)),
                }
            }
            TypeKind::Struct(structure) => self.struct_type(structure, memory),
            TypeKind::Reference(structure) => self.reference_type(structure),
            TypeKind::Opaque(opaque) => self.opaque_type(opaque, ImageFormat::Unknown),
            TypeKind::Coopmat(matrix) => self.coopmat_type(matrix),
            TypeKind::CoopmatNv(matrix) => match self.nv_component(matrix.class, matrix.bits) {
                Some(component) => self.coopmat_nv_type(ty, component),
                None => Err(self.fail("the component type of this matrix is not known")),
            },
            TypeKind::TensorLayout { dim, clamp } => {
                let parts = [self.size_id(dim)?, self.size_id(clamp)?];
                self.tensor_capability();
                let operands = parts.map(Operand::IdRef);
                Ok(self.intern_type(TypeKey::TensorLayout(parts), Op::TypeTensorLayoutNV, &operands))
            }
            TypeKind::TensorView { dim, has_dimensions, ref permutation } => {
                let mut parts: SmallVec<[Word; 8]> = SmallVec::new();
                parts.push(self.size_id(dim)?);
                let has = self.types.symbols.default_value(has_dimensions).unwrap_or(0) != 0;
                parts.push(self.bool_constant(has));
                for &entry in permutation {
                    parts.push(self.size_id(entry)?);
                }
                // A type has as many entries as dimensions: of a number that is specialized, those of its default.
                let dimensions = self.types.symbols.default_value(dim).unwrap_or(0).clamp(0, 5) as usize;
                for index in permutation.len()..dimensions {
                    parts.push(self.uint_constant(index as u32));
                }
                self.tensor_capability();
                if let Some(&id) = self.table.tensor_views.get(&parts) {
                    return Ok(id);
                }
                let operands = parts.iter().map(|&part| Operand::IdRef(part)).collect();
                let id = self.b.global(Op::TypeTensorViewNV, None, operands);
                self.table.tensor_views.insert(parts, id);
                Ok(id)
            }
            TypeKind::Error | TypeKind::FunctionName | TypeKind::String => {
                Err(self.inconsistent("a value without a type"))
            }
            TypeKind::NotAnalysed(ref name) => {
                let module = &self.analysis.module;
                if let Some(described) = module.spirv_types.get(name) {
                    return self.spirv_type(described);
                }
                let known = extensions::type_(name).map(extensions::type_by_id);
                match known.and_then(|ty| self.provider(ty)) {
                    Some(extension) => Err(self.fail_extension(extension.name())),
                    None => {
                        Err(self
                            .fail(format!("`{name}` is a type that is not supported in compiled shaders")))
                    }
                }
            }
        }
    }

    pub fn coopmat_type(&mut self, matrix: Coopmat) -> Emit<Word> {
        let component = self.scalar_type(matrix.component);
        // Matrices lie in variables of functions, for which the storage capabilities do not suffice.
        self.b.computes_in(component);
        let mut parts = [component, 0, 0, 0, 0];
        parts[1] = self.matrix_scope(matrix.scope)?;
        for (part, size) in parts[2..].iter_mut().zip([matrix.rows, matrix.columns, matrix.usage]) {
            *part = self.size_id(size)?;
        }
        self.coopmat_capabilities(matrix.component);
        let operands = parts.map(Operand::IdRef);
        let id = self.intern_type(TypeKey::Coopmat(parts), Op::TypeCooperativeMatrixKHR, &operands);
        self.b.note(id, self.b.notes(component));
        Ok(id)
    }

    /// The scope of a matrix: a module with another one is not valid, whatever device it is for.
    fn matrix_scope(&mut self, scope: Sym) -> Emit<Word> {
        let symbols = &self.types.symbols;
        if symbols.as_int(scope).is_some_and(|value| !extensions::is_matrix_scope(value)) {
            let name = display_constant(symbols, scope, sets::GL_SCOPE);
            return Err(
                self.fail(format!("Vulkan has no matrices of scope {name}: use subgroup or workgroup scope"))
            );
        }
        self.size_id(scope)
    }

    /// A type like a matrix of GL_NV_cooperative_matrix, with components of its own.
    pub fn coopmat_nv_type(&mut self, like: Ty, component: Scalar) -> Emit<Word> {
        let TypeKind::CoopmatNv(matrix) = *self.types.kind(like) else {
            return Err(self.inconsistent("a matrix of another extension"));
        };
        let component = self.scalar_type(component);
        self.b.computes_in(component);
        let mut parts = [component, 0, 0, 0];
        parts[1] = self.matrix_scope(matrix.scope)?;
        for (part, size) in parts[2..].iter_mut().zip([matrix.rows, matrix.columns]) {
            *part = self.size_id(size)?;
        }
        self.b.extension("SPV_NV_cooperative_matrix");
        self.b.capability(Capability::CooperativeMatrixNV);
        let operands = parts.map(Operand::IdRef);
        let id = self.intern_type(TypeKey::CoopmatNv(parts), Op::TypeCooperativeMatrixNV, &operands);
        self.b.note(id, self.b.notes(component));
        Ok(id)
    }

    fn tensor_capability(&mut self) {
        self.b.extension("SPV_NV_tensor_addressing");
        self.b.capability(Capability::TensorAddressingNV);
    }

    fn coopmat_capabilities(&mut self, component: Scalar) {
        self.b.extension("SPV_KHR_cooperative_matrix");
        self.b.capability(Capability::CooperativeMatrixKHR);
        match component {
            Scalar::BFloat16 => self.b.capability(Capability::BFloat16CooperativeMatrixKHR),
            Scalar::FloatE4M3 | Scalar::FloatE5M2 => {
                self.b.capability(Capability::Float8CooperativeMatrixEXT)
            }
            _ => {}
        }
    }

    /// The component type of a matrix of GL_NV_cooperative_matrix.
    pub fn nv_component(&self, class: ScalarClassNv, bits: Sym) -> Option<Scalar> {
        class.component(self.types.symbols.default_value(bits)?)
    }

    fn long_vector_type(&mut self, scalar: Scalar, length: Sym) -> Emit<Word> {
        self.long_vector_capability();
        match self.types.symbols.as_int(length) {
            Some(length @ 2..) => Ok(self.vector_type(scalar, length as u32)),
            // One component is a vector of its own here, not a scalar.
            Some(1) => {
                let component = self.scalar_type(scalar);
                let operands = [Operand::IdRef(component), Operand::LiteralBit32(1)];
                Ok(self.intern_type(TypeKey::Vector(component, 1), Op::TypeVector, &operands))
            }
            _ => self.counted_vector_type(scalar, length),
        }
    }

    /// The type of `coopvecNV<...>`, OpTypeCooperativeVectorNV, which is the same instruction as that of long vectors.
    pub fn coopvec_type(&mut self, scalar: Scalar, length: Sym) -> Emit<Word> {
        self.b.extension("SPV_NV_cooperative_vector");
        self.b.capability(Capability::CooperativeVectorNV);
        let id = self.counted_vector_type(scalar, length)?;
        // Vectors lie in variables of functions, for which the storage capabilities do not suffice.
        self.b.computes_in(id);
        Ok(id)
    }

    /// A vector whose length is a constant of the module.
    fn counted_vector_type(&mut self, scalar: Scalar, length: Sym) -> Emit<Word> {
        let component = self.scalar_type(scalar);
        let length = self.size_id(length)?;
        let operands = [Operand::IdRef(component), Operand::IdRef(length)];
        let id = self.intern_type(TypeKey::LongVector(component, length), Op::TypeVectorIdEXT, &operands);
        self.inherit_notes(id, scalar);
        Ok(id)
    }
}
