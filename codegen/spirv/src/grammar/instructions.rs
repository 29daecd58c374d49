//! The table of instructions: every one of rspirv's grammar and every one that it lacks, in families, with what no grammar says.
//!
//! An instruction stands once, in the family whose facts are its own. The family's brackets say its [`Effect`], who executes it
//! [`Together`], and how [`Uniform`] its result is. What rspirv knows is listed by name; what it lacks, behind `and`, with number,
//! capabilities of which it needs one, and operands.

use super::facts::{Effect, Facts, Together, Uniform};
use super::opcode::families;

families! {
    /// What a module is and needs.
    Module [Acts, Apart, Nothing] {
        MemoryModel EntryPoint ExecutionMode Capability ExecutionModeId ConditionalEntryPointINTEL
        ConditionalCapabilityINTEL
    }
    /// Extensions, and sets of extended instructions.
    Import [Acts, Apart, Nothing] {
        Extension ExtInstImport ConditionalExtensionINTEL
    }
    /// What is said about ids.
    Annotation [Acts, Apart, Nothing] {
        Decorate MemberDecorate DecorationGroup GroupDecorate GroupMemberDecorate DecorateId MemberDecorateIdEXT
        DecorateString MemberDecorateString AliasDomainDeclINTEL AliasScopeDeclINTEL AliasScopeListDeclINTEL
    }
    /// Names, lines and sources for people.
    Debug [Acts, Apart, Nothing] {
        SourceContinued Source SourceExtension Name MemberName String Line NoLine ModuleProcessed
    }
    /// Types.
    Type [Nothing, Apart, Nothing] {
        TypeVoid TypeBool TypeInt TypeFloat TypeVector TypeMatrix TypeImage TypeSampler TypeSampledImage TypeArray
        TypeRuntimeArray TypeStruct TypeOpaque TypePointer TypeFunction TypeEvent TypeDeviceEvent TypeReserveId
        TypeQueue TypePipe TypeForwardPointer TypePipeStorage TypeNamedBarrier TypeTensorARM TypeGraphARM
        TypeUntypedPointerKHR TypeCooperativeMatrixKHR TypeRayQueryKHR TypeNodePayloadArrayAMDX TypeBufferEXT
        TypeHitObjectNV TypeVectorIdEXT TypeHitObjectEXT TypeAccelerationStructureKHR TypeCooperativeMatrixNV
        TypeTensorLayoutNV TypeTensorViewNV TypeVmeImageINTEL TypeAvcImePayloadINTEL TypeAvcRefPayloadINTEL
        TypeAvcSicPayloadINTEL TypeAvcMcePayloadINTEL TypeAvcMceResultINTEL TypeAvcImeResultINTEL
        TypeAvcImeResultSingleReferenceStreamoutINTEL TypeAvcImeResultDualReferenceStreamoutINTEL
        TypeAvcImeSingleReferenceStreaminINTEL TypeAvcImeDualReferenceStreaminINTEL TypeAvcRefResultINTEL
        TypeAvcSicResultINTEL TypeBufferSurfaceINTEL TypeStructContinuedINTEL TypeTaskSequenceALTERA
    }
    /// Constants, with and without a specialization.
    Constant [Nothing, Apart, Operands] {
        ConstantTrue ConstantFalse Constant ConstantComposite ConstantSampler ConstantNull SpecConstantTrue
        SpecConstantFalse SpecConstant SpecConstantComposite SpecConstantOp ConstantCompositeReplicateEXT
        SpecConstantCompositeReplicateEXT ConstantStringAMDX SpecConstantStringAMDX ConstantSizeOfEXT
        ConstantFunctionPointerINTEL ConstantCompositeContinuedINTEL SpecConstantCompositeContinuedINTEL
        SpecConstantTargetINTEL SpecConstantArchitectureINTEL SpecConstantCapabilitiesINTEL
    } and {
        ConstantDataKHR = 5147 needs [ConstantDataKHR]
            of [(IdResultType One) (IdResult One) (LiteralInteger ZeroOrMore)],
        SpecConstantDataKHR = 5148 needs [ConstantDataKHR]
            of [(IdResultType One) (IdResult One) (LiteralInteger ZeroOrMore)],
    }
    /// Where functions begin and end, and what they are given.
    Function [Acts, Apart, Varies] {
        Function FunctionParameter FunctionEnd
    }
    /// Calls: what the function does, they do.
    Call [Acts, Apart, Varies] {
        FunctionCall FunctionPointerCallINTEL AsmTargetINTEL AsmINTEL AsmCallINTEL
    }
    /// Blocks, branches and ends of invocations.
    Flow [Acts, Apart, Nothing] {
        LoopMerge SelectionMerge Label Branch BranchConditional Switch Kill Return ReturnValue Unreachable
        LifetimeStart LifetimeStop TerminateInvocation DemoteToHelperInvocation LoopControlINTEL
    } and {
        AbortKHR = 5121 needs [AbortKHR] of [(IdRef One) (IdRef One)],
    }
    /// A value by the block that control came from.
    Phi [Nothing, Matrix, Varies] {
        Phi
    }
    /// Nothing, or what a compiler may rely on.
    Hint [Acts, Apart, Nothing] {
        Nop AssumeTrueKHR
    }
    /// A value as it is, with a word to the compiler.
    Expectation [Nothing, Apart, Operands] {
        ExpectKHR ArithmeticFenceEXT
    }
    /// A value that nobody chose.
    Undefined [Nothing, Matrix, Varies] {
        Undef
    } and {
        PoisonKHR = 5158 needs [PoisonFreezeKHR] of [(IdResultType One) (IdResult One)],
    }
    /// Places of variables.
    Variable [Nothing, Apart, Operands] {
        Variable UntypedVariableKHR
    }
    /// Where something lies, and how much of it.
    Address [Nothing, Apart, Operands] {
        AccessChain InBoundsAccessChain PtrAccessChain ArrayLength GenericPtrMemSemantics InBoundsPtrAccessChain
        ConvertPtrToU ConvertUToPtr PtrCastToGeneric GenericCastToPtr GenericCastToPtrExplicit PtrEqual PtrNotEqual
        PtrDiff UntypedAccessChainKHR UntypedInBoundsAccessChainKHR UntypedPtrAccessChainKHR
        UntypedInBoundsPtrAccessChainKHR UntypedArrayLengthKHR BufferPointerEXT RawAccessChainNV
        PtrCastToCrossWorkgroupALTERA CrossWorkgroupCastToPtrALTERA
    }
    /// Where a texel lies, for atomics.
    TexelAddress [Nothing, Apart, Operands] {
        ImageTexelPointer UntypedImageTexelPointerEXT
    }
    /// Reads of memory.
    Load [Reads, Matrix, Memory] {
        Load MaskedGatherINTEL
    } and {
        PredicatedLoadINTEL = 6258 needs [PredicatedIOINTEL]
            of [(IdResultType One) (IdResult One) (IdRef One) (IdRef One) (IdRef One) (MemoryAccess ZeroOrOne)],
    }
    /// Writes of memory.
    Store [Acts, Matrix, Nothing] {
        Store CopyMemory CopyMemorySized UntypedPrefetchKHR MaskedScatterINTEL
    } and {
        PredicatedStoreINTEL = 6259 needs [PredicatedIOINTEL]
            of [(IdRef One) (IdRef One) (IdRef One) (MemoryAccess ZeroOrOne)],
    }
    /// Atomic operations.
    Atomic [Acts, Apart, Varies] {
        AtomicLoad AtomicStore AtomicExchange AtomicCompareExchange AtomicCompareExchangeWeak AtomicIIncrement
        AtomicIDecrement AtomicIAdd AtomicISub AtomicSMin AtomicUMin AtomicSMax AtomicUMax AtomicAnd AtomicOr
        AtomicXor AtomicFlagTestAndSet AtomicFlagClear AtomicFMinEXT AtomicFMaxEXT AtomicFAddEXT
    }
    /// Arithmetic on numbers, vectors and matrices.
    Arithmetic [Nothing, Matrix, Operands] {
        SNegate FNegate IAdd FAdd ISub FSub IMul FMul UDiv SDiv FDiv UMod SRem SMod FRem FMod VectorTimesScalar
        MatrixTimesScalar VectorTimesMatrix MatrixTimesVector MatrixTimesMatrix OuterProduct IAddCarry ISubBorrow
        UMulExtended SMulExtended FmaKHR
    } and {
        BFloat16MulAddQCOM = 4505 needs [BFloat16MulAddQCOM]
            of [(IdResultType One) (IdResult One) (IdRef One) (IdRef One) (IdRef One)],
    }
    /// Dot products, of integers and of small floats too.
    DotProduct [Nothing, Apart, Operands] {
        Dot SDot UDot SUDot SDotAccSat UDotAccSat SUDotAccSat
    } and {
        FDot2MixAcc32VALVE = 6916 needs [DotProductFloat16AccFloat32VALVE DotProductBFloat16AccVALVE]
            of [(IdResultType One) (IdResult One) (IdRef One) (IdRef One) (IdRef One)],
        FDot2MixAcc16VALVE = 6917 needs [DotProductFloat16AccFloat16VALVE DotProductBFloat16AccVALVE]
            of [(IdResultType One) (IdResult One) (IdRef One) (IdRef One) (IdRef One)],
        FDot4MixAcc32VALVE = 6918 needs [DotProductFloat8AccFloat32VALVE]
            of [(IdResultType One) (IdResult One) (IdRef One) (IdRef One) (IdRef One)],
    }
    /// A number as another type, and bits taken as one.
    Conversion [Nothing, Matrix, Operands] {
        ConvertFToU ConvertFToS ConvertSToF ConvertUToF UConvert SConvert FConvert QuantizeToF16 SatConvertSToU
        SatConvertUToS Bitcast ConvertFToBF16INTEL ConvertBF16ToFINTEL RoundFToTF32INTEL
    } and {
        BitcastExtractEXT = 4195 needs [BitcastExtractEXT]
            of [(IdResultType One) (IdResult One) (IdRef One) (IdRef One)],
    }
    /// Comparisons, logic and selection.
    Comparison [Nothing, Apart, Operands] {
        Any All IsNan IsInf IsFinite IsNormal SignBitSet LessOrGreater Ordered Unordered LogicalEqual
        LogicalNotEqual LogicalOr LogicalAnd LogicalNot Select IEqual INotEqual UGreaterThan SGreaterThan
        UGreaterThanEqual SGreaterThanEqual ULessThan SLessThan ULessThanEqual SLessThanEqual FOrdEqual FUnordEqual
        FOrdNotEqual FUnordNotEqual FOrdLessThan FUnordLessThan FOrdGreaterThan FUnordGreaterThan FOrdLessThanEqual
        FUnordLessThanEqual FOrdGreaterThanEqual FUnordGreaterThanEqual
    }
    /// Shifts, masks and bit fields.
    Bits [Nothing, Apart, Operands] {
        ShiftRightLogical ShiftRightArithmetic ShiftLeftLogical BitwiseOr BitwiseXor BitwiseAnd Not BitFieldInsert
        BitFieldSExtract BitFieldUExtract BitReverse BitCount BitwiseFunctionINTEL
    }
    /// Values put together, taken apart and copied.
    Composite [Nothing, Matrix, Operands] {
        VectorExtractDynamic VectorInsertDynamic VectorShuffle CompositeConstruct CompositeExtract CompositeInsert
        CopyObject Transpose CopyLogical CompositeConstructReplicateEXT CompositeConstructContinuedINTEL
        ConditionalCopyObjectINTEL
    } and {
        FreezeKHR = 5159 needs [PoisonFreezeKHR] of [(IdResultType One) (IdResult One) (IdRef One)],
    }
    /// Differences between neighbours.
    Derivative [Nothing, Neighbours, Varies] {
        DPdx DPdy Fwidth DPdxFine DPdyFine FwidthFine DPdxCoarse DPdyCoarse FwidthCoarse
    }
    /// Instructions of extended sets: their own number says what they do.
    Extended [Acts, Apart, Varies] {
        ExtInst ExtInstWithForwardRefsKHR
    }
    /// Texels, sampled and fetched.
    ImageRead [Reads, Apart, Memory] {
        ImageSampleExplicitLod ImageSampleDrefExplicitLod ImageSampleProjExplicitLod ImageSampleProjDrefExplicitLod
        ImageFetch ImageGather ImageDrefGather ImageSparseSampleExplicitLod ImageSparseSampleDrefExplicitLod
        ImageSparseSampleProjExplicitLod ImageSparseSampleProjDrefExplicitLod ImageSparseFetch ImageSparseGather
        ImageSparseDrefGather ImageSampleWeightedQCOM ImageBoxFilterQCOM ImageBlockMatchSSDQCOM
        ImageBlockMatchSADQCOM ImageBlockMatchWindowSSDQCOM ImageBlockMatchWindowSADQCOM
        ImageBlockMatchGatherSSDQCOM ImageBlockMatchGatherSADQCOM FragmentMaskFetchAMD FragmentFetchAMD
    } and {
        ImageGatherQCOM = 4545 needs [ImageGatherLinearQCOM ImageGatherExtendedModesQCOM]
            of [(IdResultType One) (IdResult One) (IdRef One) (IdRef One) (IdRef One) (IdRef One) (ImageOperands ZeroOrOne)],
    }
    /// Texels whose level follows from the neighbours.
    ImageSample [Reads, Neighbours, Memory] {
        ImageSampleImplicitLod ImageSampleDrefImplicitLod ImageSampleProjImplicitLod ImageSampleProjDrefImplicitLod
        ImageQueryLod ImageSparseSampleImplicitLod ImageSparseSampleDrefImplicitLod ImageSparseSampleProjImplicitLod
        ImageSparseSampleProjDrefImplicitLod ImageSampleFootprintNV
    }
    /// Texels of storage images: decorations of the variable may say that they are volatile.
    StorageImageRead [Acts, Apart, Memory] {
        ImageRead ImageSparseRead
    }
    /// Texels written.
    ImageWrite [Acts, Apart, Nothing] {
        ImageWrite
    }
    /// Images and samplers as values, and what they are.
    ImageValue [Nothing, Apart, Operands] {
        SampledImage Image ImageQueryFormat ImageQueryOrder ImageQuerySizeLod ImageQuerySize ImageQueryLevels
        ImageQuerySamples ImageSparseTexelsResident
    }
    /// Images and samplers as numbers.
    Bindless [Nothing, Apart, Operands] {
        ConvertUToImageNV ConvertUToSamplerNV ConvertImageToUNV ConvertSamplerToUNV ConvertUToSampledImageNV
        ConvertSampledImageToUNV ConvertHandleToImageINTEL ConvertHandleToSamplerINTEL
        ConvertHandleToSampledImageINTEL
    }
    /// How images are numbered.
    BindlessMode [Acts, Apart, Nothing] {
        SamplerImageAddressingModeNV
    }
    /// Invocations that wait for each other.
    Barrier [Acts, Scope, Nothing] {
        ControlBarrier ControlBarrierArriveINTEL ControlBarrierWaitINTEL
    }
    /// Accesses in order.
    MemoryBarrier [Acts, Apart, Nothing] {
        MemoryBarrier NamedBarrierInitialize MemoryNamedBarrier
    }
    /// One answer of all active invocations.
    SubgroupReduction [Nothing, Active, Subgroup] {
        GroupNonUniformAll GroupNonUniformAny GroupNonUniformAllEqual GroupNonUniformBroadcast
        GroupNonUniformBroadcastFirst GroupNonUniformBallot SubgroupBallotKHR SubgroupFirstInvocationKHR
        SubgroupAllKHR SubgroupAnyKHR SubgroupAllEqualKHR SubgroupReadInvocationKHR
    }
    /// An answer for each active invocation, by values of others.
    SubgroupExchange [Nothing, Active, Varies] {
        GroupNonUniformElect GroupNonUniformInverseBallot GroupNonUniformBallotBitCount GroupNonUniformShuffle
        GroupNonUniformShuffleXor GroupNonUniformShuffleUp GroupNonUniformShuffleDown GroupNonUniformIAdd
        GroupNonUniformFAdd GroupNonUniformIMul GroupNonUniformFMul GroupNonUniformSMin GroupNonUniformUMin
        GroupNonUniformFMin GroupNonUniformSMax GroupNonUniformUMax GroupNonUniformFMax GroupNonUniformBitwiseAnd
        GroupNonUniformBitwiseOr GroupNonUniformBitwiseXor GroupNonUniformLogicalAnd GroupNonUniformLogicalOr
        GroupNonUniformLogicalXor GroupNonUniformQuadBroadcast GroupNonUniformQuadSwap GroupNonUniformRotateKHR
        GroupIAddNonUniformAMD GroupFAddNonUniformAMD GroupFMinNonUniformAMD GroupUMinNonUniformAMD
        GroupSMinNonUniformAMD GroupFMaxNonUniformAMD GroupUMaxNonUniformAMD GroupSMaxNonUniformAMD
        GroupNonUniformQuadAllKHR GroupNonUniformQuadAnyKHR GroupNonUniformPartitionEXT SubgroupShuffleINTEL
        SubgroupShuffleDownINTEL SubgroupShuffleUpINTEL SubgroupShuffleXorINTEL
    }
    /// Bits of a ballot.
    BallotBits [Nothing, Active, Operands] {
        GroupNonUniformBallotBitExtract GroupNonUniformBallotFindLSB GroupNonUniformBallotFindMSB
    }
    /// Operations that all invocations of a scope execute together.
    GroupReduction [Nothing, Scope, Varies] {
        GroupAll GroupAny GroupBroadcast GroupIAdd GroupFAdd GroupFMin GroupUMin GroupSMin GroupFMax GroupUMax
        GroupSMax GroupIMulKHR GroupFMulKHR GroupBitwiseAndKHR GroupBitwiseOrKHR GroupBitwiseXorKHR
        GroupLogicalAndKHR GroupLogicalOrKHR GroupLogicalXorKHR
    }
    /// Copies by all invocations of a scope.
    GroupCopy [Acts, Scope, Varies] {
        GroupAsyncCopy GroupWaitEvents UntypedGroupAsyncCopyKHR
    }
    /// Blocks of memory and of images by a subgroup.
    SubgroupBlock [Acts, Active, Varies] {
        SubgroupBlockReadINTEL SubgroupBlockWriteINTEL SubgroupImageBlockReadINTEL SubgroupImageBlockWriteINTEL
        SubgroupImageMediaBlockReadINTEL SubgroupImageMediaBlockWriteINTEL SubgroupBlockPrefetchINTEL
        Subgroup2DBlockLoadINTEL Subgroup2DBlockLoadTransformINTEL Subgroup2DBlockLoadTransposeINTEL
        Subgroup2DBlockPrefetchINTEL Subgroup2DBlockStoreINTEL SubgroupMatrixMultiplyAccumulateINTEL
    }
    /// Cooperative matrices from memory.
    MatrixLoad [Reads, Matrix, Memory] {
        CooperativeMatrixLoadKHR CooperativeMatrixLoadNV CooperativeMatrixLoadTensorNV
    }
    /// Cooperative matrices to memory.
    MatrixStore [Acts, Matrix, Nothing] {
        CooperativeMatrixStoreKHR CooperativeMatrixStoreNV CooperativeMatrixStoreTensorNV
    }
    /// Cooperative matrices of cooperative matrices.
    MatrixArithmetic [Nothing, Matrix, Operands] {
        CooperativeMatrixMulAddKHR CooperativeMatrixConvertNV CooperativeMatrixMulAddNV CooperativeMatrixTransposeNV
    }
    /// Functions of the shader over the elements of a cooperative matrix.
    MatrixFunction [Acts, Matrix, Operands] {
        CooperativeMatrixReduceNV CooperativeMatrixPerElementOpNV
    }
    /// How many elements of a matrix an invocation holds.
    MatrixLength [Nothing, Apart, Operands] {
        CooperativeMatrixLengthKHR CooperativeMatrixLengthNV
    }
    /// Which element of a matrix an invocation holds.
    MatrixCoordinate [Nothing, Matrix, Varies] {
    } and {
        CooperativeMatrixGetCoordinateEXT = 5363 needs [CooperativeMatrixGetCoordinateEXT]
            of [(IdResultType One) (IdResult One) (IdRef One) (IdRef One)],
    }
    /// Elements of cooperative matrices as arrays.
    MatrixArray [Nothing, Matrix, Varies] {
        CompositeConstructCoopMatQCOM CompositeExtractCoopMatQCOM
    }
    /// Arrays as arrays of other types and lengths.
    Array [Nothing, Apart, Operands] {
        BitCastArrayQCOM ExtractSubArrayQCOM
    }
    /// How tensors lie in memory, and how they are seen.
    TensorLayout [Nothing, Apart, Operands] {
        CreateTensorLayoutNV TensorLayoutSetDimensionNV TensorLayoutSetStrideNV TensorLayoutSliceNV
        TensorLayoutSetClampValueNV CreateTensorViewNV TensorViewSetDimensionNV TensorViewSetStrideNV
        TensorViewSetClipNV TensorLayoutSetBlockSizeNV
    }
    /// Tensors of Arm.
    Tensor [Acts, Apart, Varies] {
        TensorReadARM TensorWriteARM TensorQuerySizeARM
    }
    /// Cooperative vectors of NVIDIA.
    CooperativeVector [Acts, Apart, Varies] {
        CooperativeVectorMatrixMulNV CooperativeVectorOuterProductAccumulateNV
        CooperativeVectorReduceSumAccumulateNV CooperativeVectorMatrixMulAddNV CooperativeVectorLoadNV
        CooperativeVectorStoreNV
    }
    /// Graphs of Arm.
    Graph [Acts, Apart, Varies] {
        GraphConstantARM GraphEntryPointARM GraphARM GraphInputARM GraphSetOutputARM GraphEndARM
    }
    /// Time as it goes by.
    Clock [Acts, Apart, Varies] {
        ReadClockKHR
    }
    /// Rays: pipelines, queries and hit objects.
    RayTracing [Acts, Apart, Varies] {
        TraceRayKHR ExecuteCallableKHR ConvertUToAccelerationStructureKHR IgnoreIntersectionKHR TerminateRayKHR
        RayQueryInitializeKHR RayQueryTerminateKHR RayQueryGenerateIntersectionKHR RayQueryConfirmIntersectionKHR
        RayQueryProceedKHR RayQueryGetIntersectionTypeKHR HitObjectRecordHitMotionNV
        HitObjectRecordHitWithIndexMotionNV HitObjectRecordMissMotionNV HitObjectGetWorldToObjectNV
        HitObjectGetObjectToWorldNV HitObjectGetObjectRayDirectionNV HitObjectGetObjectRayOriginNV
        HitObjectTraceRayMotionNV HitObjectGetShaderRecordBufferHandleNV HitObjectGetShaderBindingTableRecordIndexNV
        HitObjectRecordEmptyNV HitObjectTraceRayNV HitObjectRecordHitNV HitObjectRecordHitWithIndexNV
        HitObjectRecordMissNV HitObjectExecuteShaderNV HitObjectGetCurrentTimeNV HitObjectGetAttributesNV
        HitObjectGetHitKindNV HitObjectGetPrimitiveIndexNV HitObjectGetGeometryIndexNV HitObjectGetInstanceIdNV
        HitObjectGetInstanceCustomIndexNV HitObjectGetWorldRayDirectionNV HitObjectGetWorldRayOriginNV
        HitObjectGetRayTMaxNV HitObjectGetRayTMinNV HitObjectIsEmptyNV HitObjectIsHitNV HitObjectIsMissNV
        ReorderThreadWithHitObjectNV ReorderThreadWithHintNV FetchMicroTriangleVertexPositionNV
        FetchMicroTriangleVertexBarycentricNV HitObjectRecordFromQueryEXT HitObjectRecordMissEXT
        HitObjectRecordMissMotionEXT HitObjectGetIntersectionTriangleVertexPositionsEXT HitObjectGetRayFlagsEXT
        HitObjectSetShaderBindingTableRecordIndexEXT HitObjectReorderExecuteShaderEXT
        HitObjectTraceReorderExecuteEXT HitObjectTraceMotionReorderExecuteEXT ReorderThreadWithHintEXT
        ReorderThreadWithHitObjectEXT HitObjectTraceRayEXT HitObjectTraceRayMotionEXT HitObjectRecordEmptyEXT
        HitObjectExecuteShaderEXT HitObjectGetCurrentTimeEXT HitObjectGetAttributesEXT HitObjectGetHitKindEXT
        HitObjectGetPrimitiveIndexEXT HitObjectGetGeometryIndexEXT HitObjectGetInstanceIdEXT
        HitObjectGetInstanceCustomIndexEXT HitObjectGetObjectRayOriginEXT HitObjectGetObjectRayDirectionEXT
        HitObjectGetWorldRayDirectionEXT HitObjectGetWorldRayOriginEXT HitObjectGetObjectToWorldEXT
        HitObjectGetWorldToObjectEXT HitObjectGetRayTMaxEXT ReportIntersectionKHR IgnoreIntersectionNV
        TerminateRayNV TraceNV TraceMotionNV TraceRayMotionNV RayQueryGetIntersectionTriangleVertexPositionsKHR
        ExecuteCallableNV RayQueryGetIntersectionClusterIdNV HitObjectGetClusterIdNV HitObjectGetRayTMinEXT
        HitObjectGetShaderBindingTableRecordIndexEXT HitObjectGetShaderRecordBufferHandleEXT HitObjectIsEmptyEXT
        HitObjectIsHitEXT HitObjectIsMissEXT RayQueryGetIntersectionSpherePositionNV
        RayQueryGetIntersectionSphereRadiusNV RayQueryGetIntersectionLSSPositionsNV
        RayQueryGetIntersectionLSSRadiiNV RayQueryGetIntersectionLSSHitValueNV HitObjectGetSpherePositionNV
        HitObjectGetSphereRadiusNV HitObjectGetLSSPositionsNV HitObjectGetLSSRadiiNV HitObjectIsSphereHitNV
        HitObjectIsLSSHitNV RayQueryIsSphereHitNV RayQueryIsLSSHitNV RayQueryGetRayTMinKHR RayQueryGetRayFlagsKHR
        RayQueryGetIntersectionTKHR RayQueryGetIntersectionInstanceCustomIndexKHR
        RayQueryGetIntersectionInstanceIdKHR RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR
        RayQueryGetIntersectionGeometryIndexKHR RayQueryGetIntersectionPrimitiveIndexKHR
        RayQueryGetIntersectionBarycentricsKHR RayQueryGetIntersectionFrontFaceKHR
        RayQueryGetIntersectionCandidateAABBOpaqueKHR RayQueryGetIntersectionObjectRayDirectionKHR
        RayQueryGetIntersectionObjectRayOriginKHR RayQueryGetWorldRayDirectionKHR RayQueryGetWorldRayOriginKHR
        RayQueryGetIntersectionObjectToWorldKHR RayQueryGetIntersectionWorldToObjectKHR
    }
    /// Vertices, meshes, attachments and helpers of other stages.
    Graphics [Acts, Apart, Varies] {
        EmitVertex EndPrimitive EmitStreamVertex EndStreamPrimitive ColorAttachmentReadEXT DepthAttachmentReadEXT
        StencilAttachmentReadEXT EmitMeshTasksEXT SetMeshOutputsEXT WritePackedPrimitiveIndices4x8NV
        BeginInvocationInterlockEXT EndInvocationInterlockEXT IsHelperInvocationEXT
    }
    /// Nodes of work graphs.
    WorkGraph [Acts, Apart, Varies] {
        AllocateNodePayloadsAMDX EnqueueNodePayloadsAMDX FinishWritingNodePayloadAMDX NodePayloadArrayLengthAMDX
        IsNodePayloadValidAMDX
    }
    /// Functions of integers of Intel.
    IntegerFunction [Nothing, Apart, Operands] {
        UCountLeadingZerosINTEL UCountTrailingZerosINTEL AbsISubINTEL AbsUSubINTEL IAddSatINTEL UAddSatINTEL
        IAverageINTEL UAverageINTEL IAverageRoundedINTEL UAverageRoundedINTEL ISubSatINTEL USubSatINTEL
        IMul32x16INTEL UMul32x16INTEL
    }
    /// Numbers of any width for circuits.
    ArbitraryPrecision [Nothing, Apart, Operands] {
        ArbitraryFloatSinCosPiALTERA ArbitraryFloatCastALTERA ArbitraryFloatCastFromIntALTERA
        ArbitraryFloatCastToIntALTERA ArbitraryFloatAddALTERA ArbitraryFloatSubALTERA ArbitraryFloatMulALTERA
        ArbitraryFloatDivALTERA ArbitraryFloatGTALTERA ArbitraryFloatGEALTERA ArbitraryFloatLTALTERA
        ArbitraryFloatLEALTERA ArbitraryFloatEQALTERA ArbitraryFloatRecipALTERA ArbitraryFloatRSqrtALTERA
        ArbitraryFloatCbrtALTERA ArbitraryFloatHypotALTERA ArbitraryFloatSqrtALTERA ArbitraryFloatLogINTEL
        ArbitraryFloatLog2INTEL ArbitraryFloatLog10INTEL ArbitraryFloatLog1pINTEL ArbitraryFloatExpINTEL
        ArbitraryFloatExp2INTEL ArbitraryFloatExp10INTEL ArbitraryFloatExpm1INTEL ArbitraryFloatSinINTEL
        ArbitraryFloatCosINTEL ArbitraryFloatSinCosINTEL ArbitraryFloatSinPiINTEL ArbitraryFloatCosPiINTEL
        ArbitraryFloatASinINTEL ArbitraryFloatASinPiINTEL ArbitraryFloatACosINTEL ArbitraryFloatACosPiINTEL
        ArbitraryFloatATanINTEL ArbitraryFloatATanPiINTEL ArbitraryFloatATan2INTEL ArbitraryFloatPowINTEL
        ArbitraryFloatPowRINTEL ArbitraryFloatPowNINTEL FixedSqrtALTERA FixedRecipALTERA FixedRsqrtALTERA
        FixedSinALTERA FixedCosALTERA FixedSinCosALTERA FixedSinPiALTERA FixedCosPiALTERA FixedSinCosPiALTERA
        FixedLogALTERA FixedExpALTERA
    }
    /// Motion estimation of Intel.
    VideoMotion [Acts, Apart, Varies] {
        VmeImageINTEL SubgroupAvcMceGetDefaultInterBaseMultiReferencePenaltyINTEL
        SubgroupAvcMceSetInterBaseMultiReferencePenaltyINTEL SubgroupAvcMceGetDefaultInterShapePenaltyINTEL
        SubgroupAvcMceSetInterShapePenaltyINTEL SubgroupAvcMceGetDefaultInterDirectionPenaltyINTEL
        SubgroupAvcMceSetInterDirectionPenaltyINTEL SubgroupAvcMceGetDefaultIntraLumaShapePenaltyINTEL
        SubgroupAvcMceGetDefaultInterMotionVectorCostTableINTEL SubgroupAvcMceGetDefaultHighPenaltyCostTableINTEL
        SubgroupAvcMceGetDefaultMediumPenaltyCostTableINTEL SubgroupAvcMceGetDefaultLowPenaltyCostTableINTEL
        SubgroupAvcMceSetMotionVectorCostFunctionINTEL SubgroupAvcMceGetDefaultIntraLumaModePenaltyINTEL
        SubgroupAvcMceGetDefaultNonDcLumaIntraPenaltyINTEL SubgroupAvcMceGetDefaultIntraChromaModeBasePenaltyINTEL
        SubgroupAvcMceSetAcOnlyHaarINTEL SubgroupAvcMceSetSourceInterlacedFieldPolarityINTEL
        SubgroupAvcMceSetSingleReferenceInterlacedFieldPolarityINTEL
        SubgroupAvcMceSetDualReferenceInterlacedFieldPolaritiesINTEL SubgroupAvcMceConvertToImePayloadINTEL
        SubgroupAvcMceConvertToImeResultINTEL SubgroupAvcMceConvertToRefPayloadINTEL
        SubgroupAvcMceConvertToRefResultINTEL SubgroupAvcMceConvertToSicPayloadINTEL
        SubgroupAvcMceConvertToSicResultINTEL SubgroupAvcMceGetMotionVectorsINTEL
        SubgroupAvcMceGetInterDistortionsINTEL SubgroupAvcMceGetBestInterDistortionsINTEL
        SubgroupAvcMceGetInterMajorShapeINTEL SubgroupAvcMceGetInterMinorShapeINTEL
        SubgroupAvcMceGetInterDirectionsINTEL SubgroupAvcMceGetInterMotionVectorCountINTEL
        SubgroupAvcMceGetInterReferenceIdsINTEL SubgroupAvcMceGetInterReferenceInterlacedFieldPolaritiesINTEL
        SubgroupAvcImeInitializeINTEL SubgroupAvcImeSetSingleReferenceINTEL SubgroupAvcImeSetDualReferenceINTEL
        SubgroupAvcImeRefWindowSizeINTEL SubgroupAvcImeAdjustRefOffsetINTEL SubgroupAvcImeConvertToMcePayloadINTEL
        SubgroupAvcImeSetMaxMotionVectorCountINTEL SubgroupAvcImeSetUnidirectionalMixDisableINTEL
        SubgroupAvcImeSetEarlySearchTerminationThresholdINTEL SubgroupAvcImeSetWeightedSadINTEL
        SubgroupAvcImeEvaluateWithSingleReferenceINTEL SubgroupAvcImeEvaluateWithDualReferenceINTEL
        SubgroupAvcImeEvaluateWithSingleReferenceStreaminINTEL SubgroupAvcImeEvaluateWithDualReferenceStreaminINTEL
        SubgroupAvcImeEvaluateWithSingleReferenceStreamoutINTEL
        SubgroupAvcImeEvaluateWithDualReferenceStreamoutINTEL
        SubgroupAvcImeEvaluateWithSingleReferenceStreaminoutINTEL
        SubgroupAvcImeEvaluateWithDualReferenceStreaminoutINTEL SubgroupAvcImeConvertToMceResultINTEL
        SubgroupAvcImeGetSingleReferenceStreaminINTEL SubgroupAvcImeGetDualReferenceStreaminINTEL
        SubgroupAvcImeStripSingleReferenceStreamoutINTEL SubgroupAvcImeStripDualReferenceStreamoutINTEL
        SubgroupAvcImeGetStreamoutSingleReferenceMajorShapeMotionVectorsINTEL
        SubgroupAvcImeGetStreamoutSingleReferenceMajorShapeDistortionsINTEL
        SubgroupAvcImeGetStreamoutSingleReferenceMajorShapeReferenceIdsINTEL
        SubgroupAvcImeGetStreamoutDualReferenceMajorShapeMotionVectorsINTEL
        SubgroupAvcImeGetStreamoutDualReferenceMajorShapeDistortionsINTEL
        SubgroupAvcImeGetStreamoutDualReferenceMajorShapeReferenceIdsINTEL SubgroupAvcImeGetBorderReachedINTEL
        SubgroupAvcImeGetTruncatedSearchIndicationINTEL SubgroupAvcImeGetUnidirectionalEarlySearchTerminationINTEL
        SubgroupAvcImeGetWeightingPatternMinimumMotionVectorINTEL
        SubgroupAvcImeGetWeightingPatternMinimumDistortionINTEL SubgroupAvcFmeInitializeINTEL
        SubgroupAvcBmeInitializeINTEL SubgroupAvcRefConvertToMcePayloadINTEL
        SubgroupAvcRefSetBidirectionalMixDisableINTEL SubgroupAvcRefSetBilinearFilterEnableINTEL
        SubgroupAvcRefEvaluateWithSingleReferenceINTEL SubgroupAvcRefEvaluateWithDualReferenceINTEL
        SubgroupAvcRefEvaluateWithMultiReferenceINTEL SubgroupAvcRefEvaluateWithMultiReferenceInterlacedINTEL
        SubgroupAvcRefConvertToMceResultINTEL SubgroupAvcSicInitializeINTEL SubgroupAvcSicConfigureSkcINTEL
        SubgroupAvcSicConfigureIpeLumaINTEL SubgroupAvcSicConfigureIpeLumaChromaINTEL
        SubgroupAvcSicGetMotionVectorMaskINTEL SubgroupAvcSicConvertToMcePayloadINTEL
        SubgroupAvcSicSetIntraLumaShapePenaltyINTEL SubgroupAvcSicSetIntraLumaModeCostFunctionINTEL
        SubgroupAvcSicSetIntraChromaModeCostFunctionINTEL SubgroupAvcSicSetBilinearFilterEnableINTEL
        SubgroupAvcSicSetSkcForwardTransformEnableINTEL SubgroupAvcSicSetBlockBasedRawSkipSadINTEL
        SubgroupAvcSicEvaluateIpeINTEL SubgroupAvcSicEvaluateWithSingleReferenceINTEL
        SubgroupAvcSicEvaluateWithDualReferenceINTEL SubgroupAvcSicEvaluateWithMultiReferenceINTEL
        SubgroupAvcSicEvaluateWithMultiReferenceInterlacedINTEL SubgroupAvcSicConvertToMceResultINTEL
        SubgroupAvcSicGetIpeLumaShapeINTEL SubgroupAvcSicGetBestIpeLumaDistortionINTEL
        SubgroupAvcSicGetBestIpeChromaDistortionINTEL SubgroupAvcSicGetPackedIpeLumaModesINTEL
        SubgroupAvcSicGetIpeChromaModeINTEL SubgroupAvcSicGetPackedSkcLumaCountThresholdINTEL
        SubgroupAvcSicGetPackedSkcLumaSumThresholdINTEL SubgroupAvcSicGetInterRawSadsINTEL
    }
    /// What OpenCL has beside: pipes, queues, events, memory of its own.
    Kernel [Acts, Apart, Varies] {
        ReadPipe WritePipe ReservedReadPipe ReservedWritePipe ReserveReadPipePackets ReserveWritePipePackets
        CommitReadPipe CommitWritePipe IsValidReserveId GetNumPipePackets GetMaxPipePackets
        GroupReserveReadPipePackets GroupReserveWritePipePackets GroupCommitReadPipe GroupCommitWritePipe
        EnqueueMarker EnqueueKernel GetKernelNDrangeSubGroupCount GetKernelNDrangeMaxSubGroupSize
        GetKernelWorkGroupSize GetKernelPreferredWorkGroupSizeMultiple RetainEvent ReleaseEvent CreateUserEvent
        IsValidEvent SetUserEventStatus CaptureEventProfilingInfo GetDefaultQueue BuildNDRange SizeOf
        ConstantPipeStorage CreatePipeFromPipeStorage GetKernelLocalSizeForSubgroupCount GetKernelMaxNumSubgroups
        VariableLengthArrayINTEL SaveMemoryINTEL RestoreMemoryINTEL ReadPipeBlockingALTERA WritePipeBlockingALTERA
        FPGARegALTERA TaskSequenceCreateALTERA TaskSequenceAsyncALTERA TaskSequenceGetALTERA
        TaskSequenceReleaseALTERA UntypedVariableLengthArrayINTEL
    }
}
