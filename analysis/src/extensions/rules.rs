//! What the entries of functions say in words that Rust knows: the build script reads the names of these variants here.

/// What an extension that is not analysed changes about the language, beside the names that it adds. The build script accepts these names, kebab-case, in
/// `changes = [...]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// More implicit conversions, and overloads of functions that are there already.
    Conversions,
    /// Opaque types are values.
    Descriptors,
}

/// A rule beyond the signature, written in Rust in `crate::lower::builtins`. The build script accepts these names, kebab-case, in `rule = "..."`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// `coopMatLoad` from arrays in memory (GL_KHR_cooperative_matrix).
    CoopMatLoad,
    /// `coopMatStore` to arrays in memory (GL_KHR_cooperative_matrix).
    CoopMatStore,
    /// `coopMatMulAdd` (GL_KHR_cooperative_matrix): shapes, uses and component types of A, B and C.
    CoopMatMulAdd,
    /// `coopMatLoadTensorNV` (GL_NV_cooperative_matrix2).
    CoopMatLoadTensor,
    /// `coopMatStoreTensorNV` (GL_NV_cooperative_matrix2).
    CoopMatStoreTensor,
    /// `coopMatReduceNV` (GL_NV_cooperative_matrix2) and `coopMatReduceEXT` (GL_EXT_cooperative_matrix_maintenance1), with the function that
    /// combines.
    CoopMatReduce,
    /// `coopMatPerElementNV` and `coopMatPerElementEXT`, with the function over elements.
    CoopMatPerElement,
    /// `coopMatTransposeNV` and `coopMatTransposeEXT`.
    CoopMatTranspose,
    /// `coopMatGetCoordinateEXT` (GL_EXT_cooperative_matrix_maintenance1): the index is that of an element.
    CoopMatCoordinate,
    /// `createTensorLayoutNV` (GL_NV_cooperative_matrix2): its arguments are constants, since they make the
    /// type.
    CreateTensorLayout,
    /// `createTensorViewNV` (GL_NV_cooperative_matrix2), likewise.
    CreateTensorView,
    /// `setTensorLayoutDimensionNV` and its kin: as many values as the layout has dimensions.
    SetTensorLayout,
    /// `setTensorViewDimensionsNV` and its kin, likewise.
    SetTensorView,
    /// `bitcastQCOM` (GL_QCOM_cooperative_matrix_conversion): arrays of equally many bytes.
    BitcastQcom,
    /// `extractSubArrayQCOM` (GL_QCOM_cooperative_matrix_conversion).
    ExtractSubArrayQcom,
    /// `vectorToCoopmatQCOM` (GL_QCOM_cooperative_matrix_conversion).
    VectorToCoopmatQcom,
    /// `coopmatToVectorQCOM` (GL_QCOM_cooperative_matrix_conversion).
    CoopmatToVectorQcom,
    /// `coopMatLoadNV` (GL_NV_cooperative_matrix).
    CoopMatLoadNv,
    /// `coopMatStoreNV` (GL_NV_cooperative_matrix).
    CoopMatStoreNv,
    /// `coopMatMulAddNV` (GL_NV_cooperative_matrix).
    CoopMatMulAddNv,
    /// `coopVecMatMulNV` and `coopVecMatMulAddNV` (GL_NV_cooperative_vector).
    CoopVecMatMul,
    /// `coopVecOuterProductAccumulateNV` and `coopVecReduceSumAccumulateNV` (GL_NV_cooperative_vector).
    CoopVecAccumulate,
    /// `coopVecLoadNV` (GL_NV_cooperative_vector).
    CoopVecLoad,
    /// `coopVecStoreNV` (GL_NV_cooperative_vector).
    CoopVecStore,
    /// The first argument is memory: buffer or shared (atomics), or an image element.
    Atomic,
    /// Barriers: not in functions that matrix operations call.
    Barrier,
    /// Subgroup operations: likewise.
    Subgroup,
    /// Subgroup operations over clusters, whose size is the last argument.
    SubgroupClustered,
    /// `debugPrintfEXT`: a format, and values of any type (GL_EXT_debug_printf).
    DebugPrintf,
    /// `tensorReadARM` and `tensorWriteARM` (GL_ARM_tensors).
    TensorAccessArm,
    /// `tensorSizeARM` (GL_ARM_tensors).
    TensorSizeArm,
    /// `abortEXT`: a message, and values of any type that lies in memory (GL_EXT_abort). The invocation ends.
    Abort,
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
    /// The scope of a barrier: the workgroup.
    Workgroup,
    /// The scope of a barrier or a clock: the subgroup.
    Subgroup,
    /// The kinds of memory that a barrier orders.
    Buffers,
    /// Shared memory.
    Shared,
    /// Images.
    Images,
    /// Atomic counters.
    Counters,
    /// How a subgroup operation combines the values.
    Reduce,
    /// With the values of all invocations up to one's own.
    InclusiveScan,
    /// With the values of all invocations before one's own.
    ExclusiveScan,
    /// Clusters of neighbours combine among themselves.
    ClusteredReduce,
    /// Invocations that a ballot puts together combine among themselves (GL_NV_shader_subgroup_partitioned).
    PartitionedReduce,
    /// A partition, up to one's own invocation.
    PartitionedInclusiveScan,
    /// A partition, before one's own invocation.
    PartitionedExclusiveScan,
    /// The partner in a quad.
    Horizontal,
    /// The one above or below.
    Vertical,
    /// The one across.
    Diagonal,
    /// The vectors of a dot product are packed into 32 bits.
    Packed,
    /// Which texels are gathered: a row (GL_QCOM_image_processing3).
    Gather4x1,
    /// Those along a diagonal.
    GatherD,
    /// Horizontal pairs.
    GatherH2,
    /// Vertical pairs.
    GatherV2,
}

/// What a rule is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    /// An operation that the invocations of a matrix's scope do together.
    MatrixOperation,
    /// Tensor layouts and views, through which matrices are loaded, and arrays that become matrices.
    Matrices,
    Other,
}

impl Rule {
    fn subject(self) -> Subject {
        match self {
            Rule::CoopMatLoad
            | Rule::CoopMatStore
            | Rule::CoopMatMulAdd
            | Rule::CoopMatLoadTensor
            | Rule::CoopMatStoreTensor
            | Rule::CoopMatReduce
            | Rule::CoopMatPerElement
            | Rule::CoopMatTranspose
            | Rule::CoopMatCoordinate
            | Rule::VectorToCoopmatQcom
            | Rule::CoopmatToVectorQcom
            | Rule::CoopMatLoadNv
            | Rule::CoopMatStoreNv
            | Rule::CoopMatMulAddNv => Subject::MatrixOperation,
            Rule::CreateTensorLayout
            | Rule::CreateTensorView
            | Rule::SetTensorLayout
            | Rule::SetTensorView
            | Rule::BitcastQcom
            | Rule::ExtractSubArrayQcom => Subject::Matrices,
            Rule::CoopVecMatMul
            | Rule::CoopVecAccumulate
            | Rule::CoopVecLoad
            | Rule::CoopVecStore
            | Rule::Atomic
            | Rule::Barrier
            | Rule::Subgroup
            | Rule::SubgroupClustered
            | Rule::DebugPrintf
            | Rule::Abort
            | Rule::TensorAccessArm
            | Rule::TensorSizeArm
            | Rule::Convert
            | Rule::NotAnalysed => Subject::Other,
        }
    }

    /// Whether it is about cooperative matrices, or the tensor layouts and views that these are loaded through.
    pub fn is_of_matrices(self) -> bool {
        self.subject() != Subject::Other
    }

    /// Whether a built-in is an operation that the invocations of a matrix's scope do together.
    pub fn is_matrix_operation(self) -> bool {
        self.subject() == Subject::MatrixOperation
    }
}
