//! One way to look into a run: tracing, profiling, the debugger and tests implement [`Observer`].
//!
//! Events come in the order in which the simulator does things. An observer says once what it wants to see; what nobody wants
//! costs a test of a flag.

use std::sync::Arc;

use crate::machine::{Invocation, Mask};
use crate::matrix::memory::Placement;
use crate::matrix::tensor::{MAXIMUM_DIMENSIONS, Place, TensorLayout, TensorView};
use crate::matrix::{Matrix, MatrixType};
use crate::memory::{BUFFERS, PUSH_CONSTANTS, SHARED, parts};
use crate::ownership::Map;
use crate::vector_layout::CooperativeVectorMatrixLayout;

/// Which events an observer wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Each instruction before it is executed.
    pub instructions: bool,
    /// Each access to memory.
    pub memory: bool,
    /// Workgroups, subgroups, barriers, matrix operations are always told.
    pub matrices: bool,
    /// What operations on matrices and on cooperative vectors read and made, whole.
    pub values: bool,
}

/// Where in the run something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// `gl_WorkGroupID`.
    pub workgroup: [u32; 3],
    /// `gl_SubgroupID`.
    pub subgroup: u32,
    /// The instruction's index in the module.
    pub instruction: u32,
    /// The lanes that take part.
    pub mask: Mask,
}

/// How memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    /// A load.
    Read,
    /// A store.
    Write,
    /// An atomic operation other than a load: it reads and writes.
    Atomic,
}

/// An access to memory by one invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether it reads, writes or does both.
    pub kind: AccessKind,
    /// In the simulator's address space: see [`Access::region`].
    pub address: u64,
    /// In bytes.
    pub size: u32,
    /// Who accesses; of matrix loads and stores the owner of the element.
    pub invocation: Invocation,
}

/// An access to a texel inside of an image by one invocation, in checked mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelAccess {
    /// Whether it reads, writes or does both.
    pub kind: AccessKind,
    /// The image, in the order in which they were added to the resources.
    pub image: usize,
    /// The level of detail.
    pub level: u32,
    /// Coordinates; a layer is in the direction after an image's own.
    pub at: [u32; 3],
}

/// What memory an address is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Region {
    /// Shared memory of the running workgroup.
    Shared,
    /// The push constants, as they were given.
    PushConstants,
    /// A buffer, in the order in which they were added to the resources.
    Buffer(usize),
    /// Nothing: the address makes no sense.
    Nowhere,
}

impl Access {
    /// The memory, and the offset in it.
    pub fn region(&self) -> (Region, u64) {
        Region::of(self.address)
    }
}

impl Region {
    /// The memory that an address is of, and the offset in it.
    pub fn of(address: u64) -> (Region, u64) {
        let (allocation, offset) = parts(address);
        let region = match allocation {
            SHARED => Region::Shared,
            PUSH_CONSTANTS => Region::PushConstants,
            _ => match allocation.checked_sub(BUFFERS).and_then(|index| usize::try_from(index).ok()) {
                Some(index) => Region::Buffer(index),
                None => Region::Nowhere,
            },
        };
        (region, offset)
    }
}

/// A load or store of a matrix: which invocation accesses which bytes.
#[derive(Clone, Copy, Debug)]
pub struct MatrixAccess<'e> {
    /// Whether it reads or writes.
    pub kind: AccessKind,
    /// The type of the matrix.
    pub type_: &'e MatrixType,
    /// Who owns which element.
    pub owners: &'e Arc<Map>,
    /// Where it lies, if that is a matter of a stride; none of tensor layouts.
    pub placement: Option<Placement>,
    /// The address of each element, in rows; none of those that are not accessed.
    pub addresses: &'e [Option<u64>],
}

/// An operation on cooperative matrices, or on cooperative vectors and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixEvent {
    /// The instruction's name without `Op`.
    pub operation: &'static str,
    /// Rows, columns and, of a multiply-add, the inner dimension. Of products of cooperative vectors, those of the matrix; of their loads, stores and
    /// sums, the components.
    pub shape: [u32; 3],
}

/// What an operation on matrices or on cooperative vectors read, and what it made. The vectors of all invocations are a matrix with a
/// row for each, whether it takes part ([`At::mask`]) or not. Everything is borrowed; who keeps a matrix keeps its `Arc`, and what the run writes
/// there later is written to a copy.
#[derive(Clone, Copy, Debug)]
pub struct MatrixValues<'e> {
    /// The instruction's name without `Op` and vendor.
    pub operation: &'static str,
    /// As before the operation: A, B and C of a multiply-add, what is stored, converted, reduced. Of a product of vectors: the input, the input as it is
    /// multiplied, the matrix in its rows and columns, the bias. Of sums in memory: what is added, then what there was.
    pub operands: &'e [Arc<Matrix>],
    /// The matrix that it made; none of stores and of what makes arrays.
    pub result: Option<&'e Arc<Matrix>>,
    /// Of loads and stores.
    pub memory: Option<&'e Memory>,
    /// Of SPV_QCOM_cooperative_matrix_conversion: what the invocations give, and what they get.
    pub array: Option<&'e LaneArrays>,
    /// The arrays that `coopmatToVectorQCOM` and its kin make.
    pub array_result: Option<&'e LaneArrays>,
    /// Where a sub-array begins.
    pub start: Option<u32>,
    /// Of cooperative vectors.
    pub vectors: Option<&'e VectorValues>,
}

/// Where a load or store goes.
#[derive(Clone, Debug)]
pub struct Memory {
    /// The buffer, in words.
    pub name: String,
    /// Of the pointer, in bytes.
    pub offset: u64,
    /// Bytes of an element in memory; of a block where a function decodes.
    pub size: u32,
    /// What makes places of rows and columns.
    pub addressing: Addressing,
}

/// How the elements of a matrix lie in memory.
#[derive(Clone, Debug)]
pub enum Addressing {
    /// With a stride between rows, columns or blocks (`OpCooperativeMatrixLoadKHR`).
    Strided(Placement),
    /// Through a tensor layout (`OpCooperativeMatrixLoadTensorNV`).
    Tensor(TensorAddressing),
    /// As the matrices of cooperative vectors lie.
    VectorMatrix {
        /// Its order.
        layout: CooperativeVectorMatrixLayout,
        /// In bytes; zero of optimal layouts, which have none.
        stride: u64,
        /// Whether it is transposed before it is multiplied.
        transposed: bool,
    },
}

/// What an operation on cooperative vectors has besides matrices.
#[derive(Clone, Debug, Default)]
pub struct VectorValues {
    /// Of the input, the matrix and the bias; of sums of outer products, of the matrix: numbers of SPIR-V's Component Type.
    pub interpretations: Vec<u32>,
    /// Where the vector of each invocation is in memory; of a product, its bias.
    pub starts: Option<VectorStarts>,
}

/// Where the vectors of invocations begin in memory.
#[derive(Clone, Debug)]
pub struct VectorStarts {
    /// The buffer, in words.
    pub name: String,
    /// For each invocation of the subgroup, in bytes; zero of those that take no part.
    pub offsets: Vec<u64>,
    /// Bytes of a component in memory.
    pub size: u32,
}

/// A tensor layout, a view, and what they make of each element.
#[derive(Clone, Debug)]
pub struct TensorAddressing {
    /// As the instruction was given it.
    pub layout: TensorLayout,
    /// None where the instruction names none.
    pub view: Option<TensorView>,
    /// Of each element of the matrix in rows: the coordinate that it asks for (none where it is clipped), and its place.
    pub elements: Vec<(Option<[i32; MAXIMUM_DIMENSIONS]>, Place)>,
}

/// An array of each invocation.
#[derive(Clone, Debug)]
pub struct LaneArrays {
    /// Bits of an element.
    pub width: u32,
    /// Elements of each invocation.
    pub length: u32,
    /// Invocations, those that take no part among them.
    pub lanes: u32,
    /// At `lane * length + i`; of elements of 64 bits the low word.
    pub words: Vec<u32>,
    /// For each of `words`: whether the element holds no defined value.
    pub undefined: Vec<bool>,
}

/// Looks at a run. Every method does nothing unless it is written.
pub trait Observer: Send {
    /// What it wants to see; asked whenever a slice of a workgroup begins.
    fn wants(&self) -> Wants {
        Wants::default()
    }
    /// A workgroup begins: its `gl_WorkGroupID`.
    fn workgroup_started(&mut self, _workgroup: [u32; 3]) {}
    /// All subgroups of a workgroup have ended.
    fn workgroup_ended(&mut self, _workgroup: [u32; 3]) {}
    /// A subgroup of a workgroup begins: its `gl_SubgroupID`.
    fn subgroup_started(&mut self, _workgroup: [u32; 3], _subgroup: u32) {}
    /// All invocations of a subgroup have ended.
    fn subgroup_ended(&mut self, _workgroup: [u32; 3], _subgroup: u32) {}
    /// Before an instruction; told to who wants `instructions`.
    fn instruction(&mut self, _at: &At) {}
    /// An access of one invocation, before it happens; told to who wants `memory`.
    fn memory(&mut self, _at: &At, _access: &Access) {}
    /// An access of one invocation to a texel inside of an image, in checked mode; told to who wants `memory`.
    fn texel(&mut self, _at: &At, _access: &TexelAccess) {}
    /// A load or store of a matrix, before its elements are told one by one; told to who wants `memory`.
    fn matrix_access(&mut self, _at: &At, _access: &MatrixAccess<'_>) {}
    /// A subgroup has arrived at a barrier.
    fn barrier_reached(&mut self, _at: &At) {}
    /// All subgroups have arrived.
    fn barrier_passed(&mut self, _workgroup: [u32; 3]) {}
    /// Before a matrix operation.
    fn matrix(&mut self, _at: &At, _event: &MatrixEvent) {}
    /// After an operation on matrices or cooperative vectors; told to who wants `values`.
    fn matrix_values(&mut self, _at: &At, _values: &MatrixValues<'_>) {}
}
