//! What the entries of functions say in words that Rust knows: the build script reads the names of these variants here.

/// A rule beyond the signature, written in Rust in `crate::lower::builtins`. The build script accepts these names, kebab-case, in `rule = "..."`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    CoopMatLoad,
    CoopMatStore,
    CoopMatMulAdd,
    CoopMatLoadTensor,
    CoopMatStoreTensor,
    CoopMatReduce,
    CoopMatPerElement,
    CoopMatTranspose,
    CreateTensorLayout,
    CreateTensorView,
    SetTensorLayout,
    SetTensorView,
    BitcastQcom,
    ExtractSubArrayQcom,
    VectorToCoopmatQcom,
    CoopmatToVectorQcom,
    CoopMatLoadNv,
    CoopMatStoreNv,
    CoopMatMulAddNv,
    /// The first argument is memory: buffer or shared (atomics), or an image element.
    Atomic,
    /// Barriers: not in functions that matrix operations call.
    Barrier,
    /// Subgroup operations: likewise.
    Subgroup,
    DebugPrintf,
    /// `saturatedConvertEXT` and other conversions typed by their arguments.
    Convert,
    /// Any call is accepted and the result is `Error`-typed: not analysed.
    NotAnalysed,
}

/// What a function tells its instruction beside the arguments, where several functions become one instruction. The build script accepts
/// these names, kebab-case, in `operands = "..."`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FixedOperand {
    /// The scope of a barrier or a clock.
    Device,
    Workgroup,
    Subgroup,
    /// The kinds of memory that a barrier orders.
    Buffers,
    Shared,
    Images,
    Counters,
    /// How a subgroup operation combines the values.
    Reduce,
    InclusiveScan,
    ExclusiveScan,
    ClusteredReduce,
    PartitionedReduce,
    PartitionedInclusiveScan,
    PartitionedExclusiveScan,
    /// The partner in a quad.
    Horizontal,
    Vertical,
    Diagonal,
    /// The vectors of a dot product are packed into 32 bits.
    Packed,
}

impl Rule {
    /// Whether it is about cooperative matrices, or the tensor layouts and views that these are loaded through.
    pub fn is_of_matrices(self) -> bool {
        match self {
            Rule::CoopMatLoad
            | Rule::CoopMatStore
            | Rule::CoopMatMulAdd
            | Rule::CoopMatLoadTensor
            | Rule::CoopMatStoreTensor
            | Rule::CoopMatReduce
            | Rule::CoopMatPerElement
            | Rule::CoopMatTranspose
            | Rule::CreateTensorLayout
            | Rule::CreateTensorView
            | Rule::SetTensorLayout
            | Rule::SetTensorView
            | Rule::BitcastQcom
            | Rule::ExtractSubArrayQcom
            | Rule::VectorToCoopmatQcom
            | Rule::CoopmatToVectorQcom
            | Rule::CoopMatLoadNv
            | Rule::CoopMatStoreNv
            | Rule::CoopMatMulAddNv => true,
            Rule::Atomic
            | Rule::Barrier
            | Rule::Subgroup
            | Rule::DebugPrintf
            | Rule::Convert
            | Rule::NotAnalysed => false,
        }
    }

    /// Whether a built-in is an operation that the invocations of a matrix's scope do together.
    pub fn is_matrix_operation(self) -> bool {
        match self {
            Rule::CoopMatLoad
            | Rule::CoopMatStore
            | Rule::CoopMatMulAdd
            | Rule::CoopMatLoadTensor
            | Rule::CoopMatStoreTensor
            | Rule::CoopMatReduce
            | Rule::CoopMatPerElement
            | Rule::CoopMatTranspose
            | Rule::VectorToCoopmatQcom
            | Rule::CoopmatToVectorQcom
            | Rule::CoopMatLoadNv
            | Rule::CoopMatStoreNv
            | Rule::CoopMatMulAddNv => true,
            Rule::CreateTensorLayout
            | Rule::CreateTensorView
            | Rule::SetTensorLayout
            | Rule::SetTensorView
            | Rule::BitcastQcom
            | Rule::ExtractSubArrayQcom
            | Rule::Atomic
            | Rule::Barrier
            | Rule::Subgroup
            | Rule::DebugPrintf
            | Rule::Convert
            | Rule::NotAnalysed => false,
        }
    }
}
