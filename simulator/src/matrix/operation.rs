//! Instructions on cooperative matrices, tensor layouts and views, and QCOM's arrays, as they are executed.

use super::arithmetic::Binary;
use super::convert::Conversion;
use super::memory::Layout;
use super::multiply::Operands;
use super::reduce::Reduce;
use super::tensor::{ClampMode, TensorView};
use super::{MatrixType, Scope};
use crate::program::Slot;

/// An instruction on cooperative matrices.
#[derive(Clone, Debug)]
pub(crate) struct MatrixInstruction {
    pub operation: Box<Operation>,
    /// The scope of the matrices.
    pub scope: Scope,
}

/// A matrix that an instruction reads: its plane and its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Source {
    pub slot: Slot,
    pub type_: MatrixType,
    /// Instead of the slot: a register holds the plane's index, to which this is added.
    pub through: Option<(Slot, u32)>,
}

/// Where a matrix is whose elements are accessed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Holder {
    Plane(Slot),
    /// The plane's index is in a register.
    Pointer {
        pointer: Slot,
        offset: u32,
    },
}

/// A number that is known only when it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number {
    pub slot: Slot,
    pub wide: bool,
    pub signed: bool,
}

/// An address in memory: two planes, and bytes after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pointer {
    pub slot: Slot,
    pub offset: u32,
}

/// Where a strided load or store goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strided {
    pub pointer: Pointer,
    pub layout: Layout,
    pub stride: Option<Number>,
    /// Bytes of what the pointer points to, which are the stride's units; 1 for Arm's layouts.
    pub unit: u64,
}

/// Where a load or store through a tensor layout goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tensor {
    pub pointer: Pointer,
    pub layout: Slot,
    pub dimensions: usize,
    pub clamp_mode: ClampMode,
    pub view: Option<(Slot, TensorView)>,
}

/// A function that decodes elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoder {
    pub function: u32,
    /// Bytes of what its first parameter points to.
    pub size: u32,
    /// Elements that a call gives.
    pub width: u32,
}

/// A further operand of a per-element function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extra {
    /// Its element at the same place.
    Matrix(Source),
    /// The same for all elements: the first plane, and how many.
    Value(Slot, u32),
}

/// What an instruction on tensor layouts and views sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LayoutChange {
    BlockSize,
    Dimension,
    Stride,
    Slice,
    ClampValue,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ViewChange {
    Dimension,
    Stride,
    Clip,
}

#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Undefined {
        result: Slot,
        type_: MatrixType,
    },
    Splat {
        result: Slot,
        type_: MatrixType,
        value: Slot,
    },
    Load {
        result: Slot,
        type_: MatrixType,
        from: Strided,
    },
    Store {
        object: Source,
        to: Strided,
    },
    Length {
        result: Slot,
        type_: MatrixType,
    },
    /// OpCooperativeMatrixGetCoordinateEXT.
    Coordinate {
        result: Slot,
        type_: MatrixType,
        index: Number,
    },
    ElementLoad {
        result: Slot,
        type_: MatrixType,
        holder: Holder,
        index: Number,
    },
    ElementStore {
        type_: MatrixType,
        holder: Holder,
        index: Number,
        value: Slot,
    },
    /// OpCompositeExtract and OpCompositeInsert.
    Extract {
        result: Slot,
        object: Source,
        index: u32,
    },
    Insert {
        result: Slot,
        object: Source,
        index: u32,
        value: Slot,
    },
    Binary {
        result: Slot,
        operation: Binary,
        a: Source,
        b: Source,
    },
    Negate {
        result: Slot,
        a: Source,
    },
    TimesScalar {
        result: Slot,
        a: Source,
        scalar: Slot,
    },
    Convert {
        result: Slot,
        source: Source,
        type_: MatrixType,
        conversion: Conversion,
        transposed: bool,
    },
    Bitcast {
        result: Slot,
        source: Source,
        type_: MatrixType,
        transposed: bool,
    },
    ChangeUse {
        result: Slot,
        source: Source,
        type_: MatrixType,
        transposed: bool,
    },
    MultiplyAdd {
        result: Slot,
        a: Source,
        b: Source,
        c: Source,
        type_: MatrixType,
        operands: Operands,
    },
    Reduce {
        result: Slot,
        source: Source,
        type_: MatrixType,
        reduce: Reduce,
        function: u32,
    },
    PerElement {
        result: Slot,
        source: Source,
        function: u32,
        extra: Vec<Extra>,
    },
    LoadTensor {
        result: Slot,
        object: Source,
        from: Tensor,
        scalar: Option<Decoder>,
        vector: Option<Decoder>,
    },
    StoreTensor {
        object: Source,
        to: Tensor,
    },
    /// QCOM: an array of this many elements of so many bits, and a matrix.
    Construct {
        result: Slot,
        type_: MatrixType,
        array: Slot,
        width: u32,
        length: u32,
    },
    ExtractArray {
        result: Slot,
        object: Source,
        width: u32,
        length: u32,
    },
    /// QCOM: the same bits in elements of other widths.
    BitcastArray {
        result: Slot,
        array: Slot,
        from_width: u32,
        to_width: u32,
        length: u32,
    },
    SubArray {
        result: Slot,
        array: Slot,
        start: Slot,
        planes: u32,
        length: u32,
        source_length: u32,
    },
    CreateLayout {
        result: Slot,
        dimensions: usize,
        clamp_mode: ClampMode,
    },
    ChangeLayout {
        result: Slot,
        source: Slot,
        dimensions: usize,
        clamp_mode: ClampMode,
        change: LayoutChange,
        values: Vec<Slot>,
    },
    CreateView {
        result: Slot,
        view: TensorView,
    },
    ChangeView {
        result: Slot,
        source: Slot,
        view: TensorView,
        change: ViewChange,
        values: Vec<Slot>,
    },
}

/// The matrices that an operation reads, as references of the kind that the operation is.
macro_rules! sources {
    ($operation:expr, $iter:ident) => {
        match $operation {
            Operation::Store { object, .. }
            | Operation::Extract { object, .. }
            | Operation::Insert { object, .. }
            | Operation::LoadTensor { object, .. }
            | Operation::StoreTensor { object, .. }
            | Operation::ExtractArray { object, .. } => vec![object],
            Operation::Binary { a, b, .. } => vec![a, b],
            Operation::Negate { a, .. } | Operation::TimesScalar { a, .. } => vec![a],
            Operation::Convert { source, .. }
            | Operation::Bitcast { source, .. }
            | Operation::ChangeUse { source, .. }
            | Operation::Reduce { source, .. } => vec![source],
            Operation::MultiplyAdd { a, b, c, .. } => vec![a, b, c],
            Operation::PerElement { source, extra, .. } => {
                let extra = extra.$iter().filter_map(|extra| match extra {
                    Extra::Matrix(source) => Some(source),
                    Extra::Value(..) => None,
                });
                [source].into_iter().chain(extra).collect()
            }
            Operation::Undefined { .. }
            | Operation::Splat { .. }
            | Operation::Load { .. }
            | Operation::Length { .. }
            | Operation::Coordinate { .. }
            | Operation::ElementLoad { .. }
            | Operation::ElementStore { .. }
            | Operation::Construct { .. }
            | Operation::BitcastArray { .. }
            | Operation::SubArray { .. }
            | Operation::CreateLayout { .. }
            | Operation::ChangeLayout { .. }
            | Operation::CreateView { .. }
            | Operation::ChangeView { .. } => Vec::new(),
        }
    };
}

/// The plane of the matrix that an operation makes, likewise.
macro_rules! result {
    ($operation:expr) => {
        match $operation {
            Operation::Undefined { result, .. }
            | Operation::Splat { result, .. }
            | Operation::Load { result, .. }
            | Operation::Insert { result, .. }
            | Operation::Binary { result, .. }
            | Operation::Negate { result, .. }
            | Operation::TimesScalar { result, .. }
            | Operation::Convert { result, .. }
            | Operation::Bitcast { result, .. }
            | Operation::ChangeUse { result, .. }
            | Operation::MultiplyAdd { result, .. }
            | Operation::Reduce { result, .. }
            | Operation::PerElement { result, .. }
            | Operation::LoadTensor { result, .. }
            | Operation::Construct { result, .. } => Some(result),
            Operation::Store { .. }
            | Operation::Length { .. }
            | Operation::Coordinate { .. }
            | Operation::ElementLoad { .. }
            | Operation::ElementStore { .. }
            | Operation::Extract { .. }
            | Operation::StoreTensor { .. }
            | Operation::ExtractArray { .. }
            | Operation::BitcastArray { .. }
            | Operation::SubArray { .. }
            | Operation::CreateLayout { .. }
            | Operation::ChangeLayout { .. }
            | Operation::CreateView { .. }
            | Operation::ChangeView { .. } => None,
        }
    };
}

impl MatrixInstruction {
    /// Whether all subgroups of a workgroup execute it together.
    pub fn is_together(&self) -> bool {
        self.scope == Scope::Workgroup && !self.operation.is_apart()
    }
}

impl Operation {
    /// Whether each invocation does it for itself, also where the matrix belongs to a workgroup.
    pub fn is_apart(&self) -> bool {
        match self {
            Operation::Undefined { .. }
            | Operation::Length { .. }
            | Operation::Coordinate { .. }
            | Operation::ElementLoad { .. }
            | Operation::ElementStore { .. }
            | Operation::Extract { .. }
            | Operation::Insert { .. }
            | Operation::BitcastArray { .. }
            | Operation::SubArray { .. }
            | Operation::CreateLayout { .. }
            | Operation::ChangeLayout { .. }
            | Operation::CreateView { .. }
            | Operation::ChangeView { .. } => true,
            Operation::Splat { .. }
            | Operation::Load { .. }
            | Operation::Store { .. }
            | Operation::Binary { .. }
            | Operation::Negate { .. }
            | Operation::TimesScalar { .. }
            | Operation::Convert { .. }
            | Operation::Bitcast { .. }
            | Operation::ChangeUse { .. }
            | Operation::MultiplyAdd { .. }
            | Operation::Reduce { .. }
            | Operation::PerElement { .. }
            | Operation::LoadTensor { .. }
            | Operation::StoreTensor { .. }
            | Operation::Construct { .. }
            | Operation::ExtractArray { .. } => false,
        }
    }

    /// The matrices that it reads.
    pub fn sources(&self) -> Vec<Source> {
        sources!(self, iter).into_iter().copied().collect()
    }

    /// The same, to be changed.
    pub fn sources_mut(&mut self) -> Vec<&mut Source> {
        sources!(self, iter_mut)
    }

    /// The plane of the matrix that it makes.
    pub fn result(&self) -> Option<Slot> {
        result!(self).copied()
    }

    /// The same, to be changed.
    pub fn result_mut(&mut self) -> Option<&mut Slot> {
        result!(self)
    }
}
