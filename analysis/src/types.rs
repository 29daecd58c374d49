//! Types, interned: equal types have equal `Ty`.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::ids::StructId;
use crate::symbolic::{SpecAtom, Sym, Symbols};

pub use crate::scalar::{Scalar, ScalarClass};

/// An interned type. Cheap to copy; equality is identity of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ty(u32);

/// The length of an array dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrayLength {
    /// Elements; at least 1 where the number is known and nothing was reported.
    Sized(Sym),
    /// `[]`: a run-time array at the end of a buffer block, a parameter of a built-in, or sized by later use.
    Unsized,
}

/// The dimensions of an image or texture; without a meaning for samplers and what is no image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageDim {
    /// One coordinate.
    D1,
    /// Two coordinates.
    D2,
    /// Three coordinates.
    D3,
    /// Six square faces, looked up by a direction.
    Cube,
    /// Two coordinates in texels, not normalized.
    Rect,
    /// Texels of a buffer, by their index.
    Buffer,
    /// The fragment's own place in an attachment.
    SubpassInput,
}

/// Kinds of what has no value in the shader (GLSL 4.60, 4.1.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpaqueClass {
    /// `sampler2D`: an image combined with a sampler.
    SampledImage,
    /// `texture2D`.
    Texture,
    /// `image2D`.
    Image,
    /// `sampler`, and `samplerShadow` with `shadow`.
    Sampler,
    /// `subpassInput` (GL_KHR_vulkan_glsl).
    SubpassInput,
    /// `atomic_uint`, which GLSL for Vulkan does not have.
    AtomicCounter,
    /// `accelerationStructureEXT` (GL_EXT_ray_tracing).
    AccelerationStructure,
    /// `rayQueryEXT` (GL_EXT_ray_query).
    RayQuery,
    /// `hitObjectEXT` (GL_EXT_shader_invocation_reorder).
    HitObject,
    /// `hitObjectNV` (GL_NV_shader_invocation_reorder).
    HitObjectNv,
    /// `tensorARM<component, rank>` (GL_ARM_tensors).
    Tensor,
    /// `attachmentEXT` (GL_EXT_shader_tile_image).
    TileAttachment,
}

impl OpaqueClass {
    /// Whether a variable is the invocation's own, which functions of the language change: no value, and nothing that the application provides.
    pub fn is_state(self) -> bool {
        matches!(self, OpaqueClass::RayQuery | OpaqueClass::HitObject | OpaqueClass::HitObjectNv)
    }
}

/// A type without values: images, samplers and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Opaque {
    /// What it is.
    pub class: OpaqueClass,
    /// Its dimensions, where it is an image or texture.
    pub dim: ImageDim,
    /// Whether it has layers: `2DArray`.
    pub arrayed: bool,
    /// Whether texels have several samples: `2DMS`.
    pub multisampled: bool,
    /// Whether reads compare: `2DShadow`, `samplerShadow`.
    pub shadow: bool,
    /// Component type of what is read: float, int, uint, and the 16 and 64 bit ones of extensions.
    pub component: Scalar,
    /// Of a tensor: how many dimensions it has.
    pub rank: u32,
}

/// `coopmat<component, scope, rows, columns, use>` of GL_KHR_cooperative_matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Coopmat {
    /// The type of each element.
    pub component: Scalar,
    /// Who holds it together, as the values of `gl_Scope...`: 3 for a subgroup, 2 for a workgroup.
    pub scope: Sym,
    /// Rows, at least 1.
    pub rows: Sym,
    /// Columns, at least 1.
    pub columns: Sym,
    /// Where it may stand in a multiplication: 0, 1 and 2 for `gl_MatrixUseA`, `gl_MatrixUseB` and
    /// `gl_MatrixUseAccumulator`.
    pub usage: Sym,
}

/// `fcoopmatNV<bits, scope, rows, columns>` and its integer siblings of GL_NV_(integer_)cooperative_matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoopmatNv {
    /// Float, Signed or Unsigned: `fcoopmatNV`, `icoopmatNV`, `ucoopmatNV`.
    pub class: ScalarClassNv,
    /// Width of a component in bits.
    pub bits: Sym,
    /// Who holds it together, as the values of `gl_Scope...`.
    pub scope: Sym,
    /// Rows, at least 1.
    pub rows: Sym,
    /// Columns, at least 1.
    pub columns: Sym,
}

/// The kind of component of a matrix of GL_NV_cooperative_matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarClassNv {
    /// `fcoopmatNV`
    Float,
    /// `icoopmatNV`
    Signed,
    /// `ucoopmatNV`
    Unsigned,
}

impl ScalarClassNv {
    /// The component type of so many bits.
    pub fn component(self, bits: i64) -> Option<Scalar> {
        Some(match (self, bits) {
            (ScalarClassNv::Float, 16) => Scalar::Float16,
            (ScalarClassNv::Float, 32) => Scalar::Float32,
            (ScalarClassNv::Float, 64) => Scalar::Float64,
            (ScalarClassNv::Signed, 8) => Scalar::Int8,
            (ScalarClassNv::Signed, 16) => Scalar::Int16,
            (ScalarClassNv::Signed, 32) => Scalar::Int32,
            (ScalarClassNv::Signed, 64) => Scalar::Int64,
            (ScalarClassNv::Unsigned, 8) => Scalar::Uint8,
            (ScalarClassNv::Unsigned, 16) => Scalar::Uint16,
            (ScalarClassNv::Unsigned, 32) => Scalar::Uint32,
            (ScalarClassNv::Unsigned, 64) => Scalar::Uint64,
            _ => return None,
        })
    }
}

/// What a type is. Types that hold types name them by [`Ty`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// Already reported, or not understood: nothing that touches it is reported again.
    Error,
    /// The result of functions that give none.
    Void,
    /// One number or truth value.
    Scalar(Scalar),
    /// 2 to 4 components.
    Vector(Scalar, u8),
    /// `vector<T, N>` of GL_EXT_long_vector with another or a symbolic length.
    LongVector(Scalar, Sym),
    /// `coopvecNV<T, N>` of GL_NV_cooperative_vector, of any length: no vector of the language, since it has fewer operations.
    CoopVec(Scalar, Sym),
    /// `matCxR` of GLSL: columns come first.
    Matrix {
        /// `Float16`, `Float32` or `Float64`.
        component: Scalar,
        /// 2 to 4.
        columns: u8,
        /// 2 to 4: the length of each column.
        rows: u8,
    },
    /// Elements, and how many. `float a[2][3]` is an array of 2 arrays of 3.
    Array(Ty, ArrayLength),
    /// A structure, or the members of an interface block.
    Struct(StructId),
    /// `layout(buffer_reference) buffer NAME {...}` used as a type: an address of such a block.
    Reference(StructId),
    /// An image, a sampler and what else has no value.
    Opaque(Opaque),
    /// A matrix that a scope holds together.
    Coopmat(Coopmat),
    /// A matrix of the first extension of that kind.
    CoopmatNv(CoopmatNv),
    /// `tensorLayoutNV<dimension, clamp mode>`.
    TensorLayout {
        /// 1 to 5 dimensions.
        dim: Sym,
        /// What reads outside give, as the values of `gl_CooperativeMatrixClampMode...`.
        clamp: Sym,
    },
    /// `tensorViewNV<dimension, has dimensions, permutation...>`; the permutation has an entry for each dimension, unless
    /// their number is symbolic and none was written.
    TensorView {
        /// 1 to 5 dimensions.
        dim: Sym,
        /// 1 where the view has dimensions of its own, 0 where it takes the layout's.
        has_dimensions: Sym,
        /// Which dimension of the layout each of the view's is.
        permutation: Box<[Sym]>,
    },
    /// A function's name as an argument (combine, element and decode functions).
    FunctionName,
    /// A string literal.
    String,
    /// A type of an extension that is recognised but not analysed; like `Error`, it silences what touches it.
    NotAnalysed(SmolStr),
}

/// The interner of types and of the symbols in them. It only grows, so a `Ty` stays valid across edits of one document.
#[derive(Clone, Debug)]
pub struct Types {
    kinds: Vec<TypeKind>,
    by_kind: FxHashMap<TypeKind, Ty>,
    /// The interner of the sizes in the types.
    pub symbols: Symbols,
    /// The matrices whose `.length()` is an atom of a symbol, by the atom's name.
    pub matrix_lengths: FxHashMap<SmolStr, Ty>,
}

impl Ty {
    /// Reported already: silences what touches it.
    pub const ERROR: Ty = Ty(0);
    /// `void`
    pub const VOID: Ty = Ty(1);
    /// `bool`
    pub const BOOL: Ty = Ty(2);
    /// `int`
    pub const INT: Ty = Ty(3);
    /// `uint`
    pub const UINT: Ty = Ty(4);
    /// `float`
    pub const FLOAT: Ty = Ty(5);
    /// `double`
    pub const DOUBLE: Ty = Ty(6);
    /// A function's name as an argument.
    pub const FUNCTION_NAME: Ty = Ty(7);
    /// A string literal.
    pub const STRING: Ty = Ty(8);

    /// The type's number: below `Types::len`, for tables by type.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Default for Types {
    fn default() -> Self {
        let mut types = Types {
            kinds: Vec::new(),
            by_kind: FxHashMap::default(),
            symbols: Symbols::default(),
            matrix_lengths: FxHashMap::default(),
        };
        // In the order of the constants of `Ty`.
        for kind in [
            TypeKind::Error,
            TypeKind::Void,
            TypeKind::Scalar(Scalar::Bool),
            TypeKind::Scalar(Scalar::Int32),
            TypeKind::Scalar(Scalar::Uint32),
            TypeKind::Scalar(Scalar::Float32),
            TypeKind::Scalar(Scalar::Float64),
            TypeKind::FunctionName,
            TypeKind::String,
        ] {
            types.intern(kind);
        }
        types
    }
}

impl Types {
    /// The type of a kind, which becomes one when there is none yet.
    pub fn intern(&mut self, kind: TypeKind) -> Ty {
        let kind = self.with_permutation(kind);
        if let Some(&ty) = self.by_kind.get(&kind) {
            return ty;
        }
        let ty = Ty(self.kinds.len() as u32);
        self.kinds.push(kind.clone());
        self.by_kind.insert(kind, ty);
        ty
    }

    /// A tensor view without a written permutation keeps the order of its dimensions: the type is that of the identity permutation.
    fn with_permutation(&mut self, kind: TypeKind) -> TypeKind {
        match kind {
            TypeKind::TensorView { dim, has_dimensions, permutation } if permutation.is_empty() => {
                let permutation = match self.symbols.as_int(dim) {
                    Some(dim @ 1..=5) => (0..dim).map(|entry| self.symbols.int(entry)).collect(),
                    _ => permutation,
                };
                TypeKind::TensorView { dim, has_dimensions, permutation }
            }
            kind => kind,
        }
    }

    /// A type that is interned already.
    pub fn find(&self, kind: &TypeKind) -> Option<Ty> {
        self.by_kind.get(kind).copied()
    }

    /// How many types there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Every type of the module.
    pub fn all(&self) -> impl Iterator<Item = &TypeKind> {
        self.kinds.iter()
    }

    /// What a type is. `ty` has to be of this interner, or of one that this one was cloned from.
    pub fn kind(&self, ty: Ty) -> &TypeKind {
        &self.kinds[ty.0 as usize]
    }

    /// `.length()` of a cooperative matrix, as a size.
    pub fn matrix_length(&mut self, matrix: Ty) -> Sym {
        let name: SmolStr = format!("length of matrix type {}", matrix.index()).into();
        self.matrix_lengths.insert(name.clone(), matrix);
        self.symbols.spec(SpecAtom { name, id: None, signed: true, default: None })
    }

    /// The type of one component.
    pub fn scalar(&mut self, scalar: Scalar) -> Ty {
        self.intern(TypeKind::Scalar(scalar))
    }

    /// A scalar for `length` 1, else a vector.
    pub fn vector(&mut self, component: Scalar, length: u32) -> Ty {
        match length {
            1 => self.scalar(component),
            2..=4 => self.intern(TypeKind::Vector(component, length as u8)),
            _ => {
                let length = self.symbols.int(i64::from(length));
                self.intern(TypeKind::LongVector(component, length))
            }
        }
    }

    /// `vector<T, N>` with a length that may be symbolic; lengths 2 to 4 are the ordinary vectors.
    pub(crate) fn long_vector(&mut self, component: Scalar, length: Sym) -> Ty {
        match self.symbols.as_int(length) {
            Some(length @ 2..=4) => self.vector(component, length as u32),
            _ => self.intern(TypeKind::LongVector(component, length)),
        }
    }

    /// `matCxR`: columns first, 2 to 4 of each.
    pub fn matrix(&mut self, component: Scalar, columns: u8, rows: u8) -> Ty {
        self.intern(TypeKind::Matrix { component, columns, rows })
    }

    /// An array of `element`, which may be an array itself: its dimension stands behind this one.
    pub fn array(&mut self, element: Ty, length: ArrayLength) -> Ty {
        self.intern(TypeKind::Array(element, length))
    }

    /// Whether what touches this type stays silent: an error that was reported, or something not analysed.
    pub fn is_error(&self, ty: Ty) -> bool {
        match self.kind(ty) {
            TypeKind::Error | TypeKind::NotAnalysed(_) => true,
            TypeKind::Array(element, _) => self.is_error(*element),
            _ => false,
        }
    }

    /// Whether a value of this type is made of numbers that the invocation has for itself, or is an address.
    pub fn is_number(&self, ty: Ty) -> bool {
        matches!(
            self.kind(ty),
            TypeKind::Scalar(_)
                | TypeKind::Vector(..)
                | TypeKind::LongVector(..)
                | TypeKind::Matrix { .. }
                | TypeKind::Reference(_)
        )
    }

    /// The component type of a scalar, vector, matrix or cooperative matrix.
    pub fn component(&self, ty: Ty) -> Option<Scalar> {
        match *self.kind(ty) {
            TypeKind::Scalar(scalar)
            | TypeKind::Vector(scalar, _)
            | TypeKind::LongVector(scalar, _)
            | TypeKind::CoopVec(scalar, _) => Some(scalar),
            TypeKind::Matrix { component, .. } => Some(component),
            TypeKind::Coopmat(coopmat) => Some(coopmat.component),
            _ => None,
        }
    }

    /// The component type of a scalar; `None` for vectors and anything else.
    pub fn as_scalar(&self, ty: Ty) -> Option<Scalar> {
        match *self.kind(ty) {
            TypeKind::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// Component and number of components of a scalar (1) or of a vector of known length.
    pub fn as_vector(&self, ty: Ty) -> Option<(Scalar, u32)> {
        match *self.kind(ty) {
            TypeKind::Scalar(scalar) => Some((scalar, 1)),
            TypeKind::Vector(scalar, length) => Some((scalar, u32::from(length))),
            TypeKind::LongVector(scalar, length) => {
                Some((scalar, u32::try_from(self.symbols.as_int(length)?).ok()?))
            }
            _ => None,
        }
    }

    /// Of `coopmat<...>`; `None` for matrices of GL_NV_cooperative_matrix.
    pub fn as_coopmat(&self, ty: Ty) -> Option<Coopmat> {
        match *self.kind(ty) {
            TypeKind::Coopmat(coopmat) => Some(coopmat),
            _ => None,
        }
    }

    /// Component type and length of `coopvecNV<...>`.
    pub fn as_coopvec(&self, ty: Ty) -> Option<(Scalar, Sym)> {
        match *self.kind(ty) {
            TypeKind::CoopVec(scalar, length) => Some((scalar, length)),
            _ => None,
        }
    }

    /// Whether this is an array with a dimension that has no size. It is indexed and measured and no operator's value (GLSL 4.60, 4.1.9 and 5.9).
    pub fn is_open_array(&self, mut ty: Ty) -> bool {
        while let Some((element, length)) = self.as_array(ty) {
            if length == ArrayLength::Unsized {
                return true;
            }
            ty = element;
        }
        false
    }

    /// Element and length of the outermost dimension.
    pub fn as_array(&self, ty: Ty) -> Option<(Ty, ArrayLength)> {
        match *self.kind(ty) {
            TypeKind::Array(element, length) => Some((element, length)),
            _ => None,
        }
    }
}
