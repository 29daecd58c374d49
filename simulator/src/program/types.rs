//! Types of a module: what they hold, how many planes their values take, and what they look like in memory.

use coopmat_spirv::spirv::{ImageFormat, StorageClass};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::ProgramError;
use crate::matrix::MatrixType;
use crate::numerics::Format;

/// The most planes that one value may take: large enough for the tables of real shaders.
pub(crate) const MAXIMUM_PLANES: u64 = 1 << 20;

const MAXIMUM_DEPTH: u8 = 100;

/// A type of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub(crate) u32);

/// A type that a module declares (SPIR-V, "Type-Declaration Instructions").
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// No value.
    Void,
    /// A truth value; in memory, where GLSL puts none, 32 bits.
    Bool,
    /// `OpTypeInt`.
    Integer {
        /// In bits: 8, 16, 32 or 64.
        width: u8,
        /// `Signedness` of the declaration.
        signed: bool,
    },
    /// `OpTypeFloat`, with its encoding.
    Float(Format),
    /// `OpTypeVector`.
    Vector {
        /// A scalar.
        component: TypeId,
        /// Components.
        count: u32,
    },
    /// `OpTypeMatrix`.
    Matrix {
        /// A vector.
        column: TypeId,
        /// Columns.
        count: u32,
    },
    /// `OpTypeArray`.
    Array {
        /// What there is `length` times.
        element: TypeId,
        /// As specialized.
        length: u32,
        /// `ArrayStride` in bytes; none where elements lie close.
        stride: Option<u32>,
    },
    /// `OpTypeRuntimeArray`: as long as its buffer.
    RuntimeArray {
        /// What there is again and again.
        element: TypeId,
        /// `ArrayStride` in bytes; none where elements lie close.
        stride: Option<u32>,
    },
    /// `OpTypeStruct`.
    Structure {
        /// In the order of their declaration.
        members: Vec<Member>,
        /// Whether it is what a buffer, or the push constants, hold (`Block`, `BufferBlock`).
        block: bool,
    },
    /// `OpTypePointer`, `OpTypeUntypedPointerKHR`.
    Pointer {
        /// What kind of memory it points into.
        storage: StorageClass,
        /// None of untyped pointers, and where a type is never declared.
        pointee: Option<TypeId>,
    },
    /// `OpTypeFunction`; parameters are kept with the functions.
    Function {
        /// What a call gives.
        result: TypeId,
    },
    /// `OpTypeCooperativeMatrixKHR` or `NV`.
    CooperativeMatrix(MatrixType),
    /// `OpTypeTensorLayoutNV`.
    TensorLayout {
        /// From 1 to 5.
        dimensions: u32,
        /// An enumerant of Tensor Clamp Mode.
        clamp: u32,
    },
    /// `OpTypeTensorViewNV`.
    TensorView {
        /// From 1 to 5.
        dimensions: u32,
        /// Whether the view has sizes of its own, instead of the layout's.
        has_dimensions: bool,
        /// For each dimension of the view the one of the layout that it is.
        permutation: SmallVec<[u32; 5]>,
    },
    /// `OpTypeImage`.
    Image(ImageType),
    /// `OpTypeSampledImage`: of an image type.
    SampledImage(TypeId),
    /// `OpTypeSampler`.
    Sampler,
    /// A type of something that no compute shader of ours runs; an error where a value of it is needed.
    Opaque(&'static str),
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// What it holds.
    pub type_: TypeId,
    /// `OpMemberName`, where the module has one.
    pub name: Option<String>,
    /// From the start of the structure in memory.
    pub offset: u32,
    /// Of the matrices in it; the default where there are none.
    pub matrix: MatrixLayout,
}

/// How a matrix lies in memory; zero says that its type's own stride holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MatrixLayout {
    /// `MatrixStride` in bytes.
    pub stride: u32,
    /// Whether rows lie `stride` apart (`RowMajor`) rather than columns.
    pub row_major: bool,
}

/// What an image declares of its texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageType {
    /// Of a component of a texel.
    pub sampled_type: TypeId,
    /// In which directions it has texels.
    pub dimensions: ImageDimensions,
    /// Whether a further coordinate names a layer.
    pub arrayed: bool,
    /// Whether a texel has several samples.
    pub multisampled: bool,
    /// Storage images are 2, sampled ones 1.
    pub sampled: u32,
    /// Of texels in memory; `Unknown` where the shader does not say.
    pub format: ImageFormat,
}

/// The directions in which an image has texels (`Dim`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageDimensions {
    /// `1D`.
    One,
    /// `2D`, and `Rect`.
    Two,
    /// `3D`.
    Three,
    /// Six square faces.
    Cube,
    /// A row of texels in a buffer.
    Buffer,
}

impl ImageDimensions {
    /// Coordinates without the layer.
    pub fn count(self) -> u32 {
        match self {
            ImageDimensions::One | ImageDimensions::Buffer => 1,
            ImageDimensions::Two => 2,
            ImageDimensions::Three | ImageDimensions::Cube => 3,
        }
    }
}

/// A scalar as instructions see it: a run-time representation, not a SPIR-V type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// All zeros is false, all else true; 32 bits.
    Bool,
    /// Zeros above its bits.
    Integer {
        /// In bits: 8, 16, 32 or 64.
        width: u8,
        /// Whether operations that depend on it see a sign.
        signed: bool,
    },
    /// Its bits, zeros above them.
    Float(Format),
    /// A pointer into memory, 64 bits.
    Address,
    /// The index of a plane or of a descriptor, 32 bits.
    Index,
}

impl Scalar {
    /// In bits, as it lies in registers.
    pub fn width(self) -> u8 {
        match self {
            Scalar::Bool | Scalar::Index => 32,
            Scalar::Integer { width, .. } => width,
            Scalar::Float(format) => format.width() as u8,
            Scalar::Address => 64,
        }
    }

    /// Words of each lane: 2 of 64 bits, 1 of all others.
    pub(crate) fn planes(self) -> u32 {
        if self.width() == 64 { 2 } else { 1 }
    }

    /// In memory.
    pub fn bytes(self) -> u32 {
        u32::from(self.width()).div_ceil(8)
    }
}

/// The types of a program.
#[derive(Clone, Debug, Default)]
pub struct Types {
    list: Vec<Type>,
    planes: Vec<u32>,
    matrices: Vec<bool>,
    handles: Vec<bool>,
    /// How deep types are nested: bounds every recursion over them.
    depths: Vec<u8>,
    sources: Vec<Option<u32>>,
    ids: FxHashMap<u32, TypeId>,
}

impl Types {
    /// What a type is.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.list[id.0 as usize]
    }

    /// The types of cooperative matrices.
    pub fn matrices(&self) -> impl Iterator<Item = MatrixType> {
        self.list.iter().filter_map(|type_| match type_ {
            Type::CooperativeMatrix(matrix) => Some(*matrix),
            _ => None,
        })
    }

    /// A type that is declared like this.
    pub(crate) fn find(&self, type_: &Type) -> Option<TypeId> {
        self.list.iter().position(|known| known == type_).map(|index| TypeId(index as u32))
    }

    /// The type that a module's id stands for.
    pub fn by_id(&self, id: u32) -> Result<TypeId, ProgramError> {
        self.ids.get(&id).copied().ok_or_else(|| ProgramError::new(format!("%{id} is not a type")))
    }

    /// The module's id of a type.
    pub fn id_of(&self, id: TypeId) -> Option<u32> {
        self.sources[id.0 as usize]
    }

    /// Words of each lane that a value takes; `u32::MAX` of what is too large to be one.
    pub(crate) fn planes(&self, id: TypeId) -> u32 {
        self.planes[id.0 as usize]
    }

    /// Whether values of the type are or contain cooperative matrices.
    pub(crate) fn holds_matrices(&self, id: TypeId) -> bool {
        self.matrices[id.0 as usize]
    }

    /// Whether values of the type are or contain indices of the simulator's own: of planes, of descriptors. They are no numbers to a module.
    pub(crate) fn holds_handles(&self, id: TypeId) -> bool {
        self.handles[id.0 as usize]
    }

    pub(crate) fn add(&mut self, id: Option<u32>, type_: Type) -> Result<TypeId, ProgramError> {
        let (planes, matrices) = match &type_ {
            Type::Void | Type::Function { .. } | Type::Opaque(_) | Type::RuntimeArray { .. } => (0, false),
            Type::Bool | Type::Sampler | Type::Image(_) => (1, false),
            Type::Integer { width, .. } => (if *width == 64 { 2 } else { 1 }, false),
            Type::Float(format) => (if format.width() == 64 { 2 } else { 1 }, false),
            Type::Vector { component, count } | Type::Matrix { column: component, count } => {
                (u64::from(self.planes(*component)) * u64::from(*count), false)
            }
            Type::Array { element, length, .. } => {
                let planes = u64::from(self.planes(*element)) * u64::from(*length);
                (planes, self.holds_matrices(*element))
            }
            Type::Structure { members, .. } => (
                members.iter().map(|member| u64::from(self.planes(member.type_))).sum(),
                members.iter().any(|member| self.holds_matrices(member.type_)),
            ),
            Type::Pointer { storage, .. } => (u64::from(pointer_planes(*storage)), false),
            Type::CooperativeMatrix(_) => (1, true),
            // Dimensions, strides, offsets, spans and block sizes, then the clamp value.
            Type::TensorLayout { dimensions, .. } => (u64::from(*dimensions) * 5 + 1, false),
            // Dimensions and strides, then the four sides of the clip.
            Type::TensorView { dimensions, .. } => (u64::from(*dimensions) * 2 + 4, false),
            Type::SampledImage(_) => (2, false),
        };
        if let Type::Vector { count, .. } | Type::Matrix { count, .. } = type_
            && planes.max(u64::from(count)) > MAXIMUM_PLANES
        {
            let message = format!(
                "a vector or matrix of {count} parts is too large for the simulator: it takes up to {MAXIMUM_PLANES} words"
            );
            return Err(ProgramError::new(message));
        }
        // What is only ever in memory may be larger than any value.
        let planes = if planes > MAXIMUM_PLANES { u32::MAX } else { planes as u32 };
        let parts: SmallVec<[TypeId; 8]> = match &type_ {
            Type::Vector { component: part, .. }
            | Type::Matrix { column: part, .. }
            | Type::Array { element: part, .. }
            | Type::RuntimeArray { element: part, .. } => smallvec![*part],
            Type::Structure { members, .. } => members.iter().map(|member| member.type_).collect(),
            _ => SmallVec::new(),
        };
        let depth = parts.iter().map(|part| self.depths[part.0 as usize] + 1).max().unwrap_or(0);
        if depth > MAXIMUM_DEPTH {
            return Err(ProgramError::new("types are nested too deeply"));
        }
        let handles = match &type_ {
            Type::Pointer { storage, .. } => !in_memory(*storage),
            Type::Image(_) | Type::SampledImage(_) | Type::Sampler => true,
            _ => parts.iter().any(|part| self.holds_handles(*part)),
        };
        let new = TypeId(self.list.len() as u32);
        self.depths.push(depth);
        self.sources.push(id);
        self.list.push(type_);
        self.planes.push(planes);
        self.matrices.push(matrices);
        self.handles.push(handles);
        if let Some(id) = id
            && self.ids.insert(id, new).is_some()
        {
            return Err(ProgramError::new(format!("%{id} is declared twice")));
        }
        Ok(new)
    }

    /// Fails where a type is too large to be a value.
    pub(crate) fn value_planes(&self, id: TypeId) -> Result<u32, ProgramError> {
        match self.planes(id) {
            u32::MAX => Err(ProgramError::new("a value of this type is too large for the simulator")),
            planes => Ok(planes),
        }
    }

    pub(crate) fn complete_pointer(&mut self, id: u32, storage: StorageClass, pointee: TypeId) -> bool {
        let Some(&type_) = self.ids.get(&id) else { return false };
        match &mut self.list[type_.0 as usize] {
            Type::Pointer { storage: old, pointee: slot @ None } if *old == storage => {
                *slot = Some(pointee);
                true
            }
            _ => false,
        }
    }

    /// The scalar that a value of the type is, if it is one.
    pub fn scalar(&self, id: TypeId) -> Option<Scalar> {
        match self.get(id) {
            Type::Bool => Some(Scalar::Bool),
            &Type::Integer { width, signed } => Some(Scalar::Integer { width, signed }),
            &Type::Float(format) => Some(Scalar::Float(format)),
            &Type::Pointer { storage, .. } if pointer_planes(storage) == 2 => Some(Scalar::Address),
            Type::Pointer { .. } | Type::Image(_) | Type::Sampler => Some(Scalar::Index),
            _ => None,
        }
    }

    /// A scalar's or vector's components: what they are and how many.
    pub fn components(&self, id: TypeId) -> Option<(Scalar, u32)> {
        match *self.get(id) {
            Type::Vector { component, count } => Some((self.scalar(component)?, count)),
            _ => Some((self.scalar(id)?, 1)),
        }
    }

    /// Like [`Types::components`], with a matrix as the run of its columns' components.
    pub fn numbers(&self, id: TypeId) -> Option<(Scalar, u32)> {
        match *self.get(id) {
            Type::Matrix { column, count } => {
                let (scalar, rows) = self.components(column)?;
                Some((scalar, rows * count))
            }
            _ => self.components(id),
        }
    }

    /// The type of a part, and where its planes begin in the whole.
    pub fn part(&self, id: TypeId, index: u32) -> Option<(TypeId, u32)> {
        match self.get(id) {
            Type::Vector { component: part, count } | Type::Matrix { column: part, count } => {
                (index < *count).then(|| (*part, index * self.planes(*part)))
            }
            Type::Array { element, length, .. } => (index < *length && self.planes(id) != u32::MAX)
                .then(|| (*element, index * self.planes(*element))),
            Type::Structure { members, .. } => {
                if self.planes(id) == u32::MAX {
                    return None;
                }
                let before =
                    members.iter().take(index as usize).map(|member| self.planes(member.type_)).sum();
                members.get(index as usize).map(|member| (member.type_, before))
            }
            _ => None,
        }
    }

    /// The type of an array's, a vector's or a matrix's elements, also where there are none.
    pub fn element(&self, id: TypeId) -> Option<TypeId> {
        match self.get(id) {
            Type::Vector { component: part, .. }
            | Type::Matrix { column: part, .. }
            | Type::Array { element: part, .. } => Some(*part),
            _ => None,
        }
    }

    /// Components of a vector, columns of a matrix, elements of an array, members of a structure; 0 of all else.
    pub(crate) fn part_count(&self, id: TypeId) -> u32 {
        match self.get(id) {
            Type::Vector { count, .. } | Type::Matrix { count, .. } => *count,
            Type::Array { length, .. } => *length,
            Type::Structure { members, .. } => members.len() as u32,
            _ => 0,
        }
    }
}

/// Pointers to variables in registers hold a plane's index, those to memory an address, others a descriptor's index.
pub(crate) fn pointer_planes(storage: StorageClass) -> u32 {
    if in_memory(storage) { 2 } else { 1 }
}

/// Whether a variable of the class lies in memory, rather than in registers.
pub(crate) fn in_memory(storage: StorageClass) -> bool {
    matches!(
        storage,
        StorageClass::StorageBuffer
            | StorageClass::Uniform
            | StorageClass::PushConstant
            | StorageClass::Workgroup
            | StorageClass::PhysicalStorageBuffer
            | StorageClass::CrossWorkgroup
            | StorageClass::Generic
            | StorageClass::ShaderRecordBufferKHR
    )
}

/// Whether a variable of the class is planes of the register file.
pub(crate) fn in_registers(storage: StorageClass) -> bool {
    matches!(
        storage,
        StorageClass::Function | StorageClass::Private | StorageClass::Input | StorageClass::Output
    )
}
