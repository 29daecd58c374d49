//! Who lowers an instruction: every one that anybody knows, in one exhaustive match.
//!
//! An instruction that is new in `coopmat_spirv`'s table fails to compile here until somebody says who executes it, or why nobody does.

use coopmat_spirv::Opcode;

/// The file of this folder, or of `matrix/`, that lowers an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lowerer {
    Matrix,
    Memory,
    Integer,
    Float,
    Composite,
    Conversion,
    Logic,
    Extended,
    Control,
    Subgroup,
    Atomic,
    Dot,
    Image,
    Clock,
    /// It says something about the program, and does nothing.
    Ignored,
    /// An error when it is executed, with the reason.
    NotExecuted(&'static str),
    /// Nobody knows what it does.
    Unknown,
}

macro_rules! lowerers {
    ($($lowerer:ident $(($reason:literal))? { $($opcode:ident)* })*) => {
        impl Lowerer {
            pub fn of(opcode: Opcode) -> Lowerer {
                match opcode {
                    $($(Opcode::$opcode)|* => Lowerer::$lowerer $(($reason))?,)*
                    Opcode::Unknown => Lowerer::Unknown,
                }
            }
        }
    };
}

lowerers! {
    Matrix {
        CooperativeMatrixLoadKHR CooperativeMatrixStoreKHR CooperativeMatrixMulAddKHR CooperativeMatrixLengthKHR
        BitCastArrayQCOM CompositeConstructCoopMatQCOM CompositeExtractCoopMatQCOM ExtractSubArrayQCOM
        CooperativeMatrixConvertNV CooperativeMatrixLoadNV CooperativeMatrixStoreNV CooperativeMatrixMulAddNV
        CooperativeMatrixLengthNV CooperativeMatrixGetCoordinateEXT CooperativeMatrixReduceNV
        CooperativeMatrixLoadTensorNV CooperativeMatrixStoreTensorNV CooperativeMatrixPerElementOpNV
        CreateTensorLayoutNV TensorLayoutSetDimensionNV TensorLayoutSetStrideNV TensorLayoutSliceNV
        TensorLayoutSetClampValueNV CreateTensorViewNV TensorViewSetDimensionNV TensorViewSetStrideNV
        TensorViewSetClipNV TensorLayoutSetBlockSizeNV CooperativeMatrixTransposeNV
    }
    Memory {
        Load Store CopyMemory AccessChain InBoundsAccessChain PtrAccessChain ArrayLength InBoundsPtrAccessChain
        UntypedAccessChainKHR UntypedInBoundsAccessChainKHR UntypedPtrAccessChainKHR
        UntypedInBoundsPtrAccessChainKHR UntypedArrayLengthKHR
    }
    Integer {
        SNegate IAdd ISub IMul UDiv SDiv UMod SRem SMod IAddCarry ISubBorrow UMulExtended SMulExtended IEqual
        INotEqual UGreaterThan SGreaterThan UGreaterThanEqual SGreaterThanEqual ULessThan SLessThan ULessThanEqual
        SLessThanEqual ShiftRightLogical ShiftRightArithmetic ShiftLeftLogical BitwiseOr BitwiseXor BitwiseAnd Not
        BitFieldInsert BitFieldSExtract BitFieldUExtract BitReverse BitCount PtrEqual PtrNotEqual
    }
    Float {
        FNegate FAdd FSub FMul FDiv FRem FMod VectorTimesScalar MatrixTimesScalar VectorTimesMatrix
        MatrixTimesVector MatrixTimesMatrix OuterProduct Dot IsNan IsInf IsFinite SignBitSet LessOrGreater Ordered
        Unordered FOrdEqual FUnordEqual FOrdNotEqual FUnordNotEqual FOrdLessThan FUnordLessThan FOrdGreaterThan
        FUnordGreaterThan FOrdLessThanEqual FUnordLessThanEqual FOrdGreaterThanEqual FUnordGreaterThanEqual FmaKHR
    }
    Composite {
        Undef VectorExtractDynamic VectorInsertDynamic VectorShuffle CompositeConstruct CompositeExtract
        CompositeInsert CopyObject Transpose CopyLogical CompositeConstructReplicateEXT PoisonKHR FreezeKHR
        ExpectKHR ArithmeticFenceEXT
    }
    Conversion {
        ConvertFToU ConvertFToS ConvertSToF ConvertUToF UConvert SConvert FConvert QuantizeToF16 ConvertPtrToU
        SatConvertSToU SatConvertUToS ConvertUToPtr PtrCastToGeneric GenericCastToPtr Bitcast BitcastExtractEXT
        ConvertFToBF16INTEL ConvertBF16ToFINTEL
    }
    Logic {
        Any All LogicalEqual LogicalNotEqual LogicalOr LogicalAnd LogicalNot Select
    }
    Extended {
        ExtInst ExtInstWithForwardRefsKHR
    }
    Control {
        FunctionCall ControlBarrier ControlBarrierArriveINTEL ControlBarrierWaitINTEL
    }
    Subgroup {
        GroupAll GroupAny GroupBroadcast GroupIAdd GroupFAdd GroupFMin GroupUMin GroupSMin GroupFMax GroupUMax
        GroupSMax GroupNonUniformElect GroupNonUniformAll GroupNonUniformAny GroupNonUniformAllEqual
        GroupNonUniformBroadcast GroupNonUniformBroadcastFirst GroupNonUniformBallot GroupNonUniformInverseBallot
        GroupNonUniformBallotBitExtract GroupNonUniformBallotBitCount GroupNonUniformBallotFindLSB
        GroupNonUniformBallotFindMSB GroupNonUniformShuffle GroupNonUniformShuffleXor GroupNonUniformShuffleUp
        GroupNonUniformShuffleDown GroupNonUniformIAdd GroupNonUniformFAdd GroupNonUniformIMul GroupNonUniformFMul
        GroupNonUniformSMin GroupNonUniformUMin GroupNonUniformFMin GroupNonUniformSMax GroupNonUniformUMax
        GroupNonUniformFMax GroupNonUniformBitwiseAnd GroupNonUniformBitwiseOr GroupNonUniformBitwiseXor
        GroupNonUniformLogicalAnd GroupNonUniformLogicalOr GroupNonUniformLogicalXor GroupNonUniformQuadBroadcast
        GroupNonUniformQuadSwap SubgroupBallotKHR SubgroupFirstInvocationKHR SubgroupAllKHR SubgroupAnyKHR
        SubgroupAllEqualKHR GroupNonUniformRotateKHR SubgroupReadInvocationKHR GroupNonUniformQuadAllKHR
        GroupNonUniformQuadAnyKHR GroupNonUniformPartitionEXT GroupIMulKHR GroupFMulKHR
    }
    Atomic {
        ImageTexelPointer AtomicLoad AtomicStore AtomicExchange AtomicCompareExchange AtomicCompareExchangeWeak
        AtomicIIncrement AtomicIDecrement AtomicIAdd AtomicISub AtomicSMin AtomicUMin AtomicSMax AtomicUMax
        AtomicAnd AtomicOr AtomicXor AtomicFMinEXT AtomicFMaxEXT AtomicFAddEXT
    }
    Dot {
        SDot UDot SUDot SDotAccSat UDotAccSat SUDotAccSat FDot2MixAcc32VALVE FDot2MixAcc16VALVE FDot4MixAcc32VALVE
    }
    Image {
        SampledImage ImageSampleImplicitLod ImageSampleExplicitLod ImageFetch ImageRead ImageWrite Image
        ImageQuerySizeLod ImageQuerySize ImageQueryLevels ImageQuerySamples
    }
    Clock {
        ReadClockKHR
    }
    Ignored {
        Nop Line MemoryBarrier LoopMerge SelectionMerge LifetimeStart LifetimeStop NoLine AssumeTrueKHR
    }
    NotExecuted("it does not stand inside of a block") {
        SourceContinued Source SourceExtension Name MemberName String Extension ExtInstImport MemoryModel EntryPoint
        ExecutionMode Capability TypeVoid TypeBool TypeInt TypeFloat TypeVector TypeMatrix TypeImage TypeSampler
        TypeSampledImage TypeArray TypeRuntimeArray TypeStruct TypeOpaque TypePointer TypeFunction TypeEvent
        TypeDeviceEvent TypeReserveId TypeQueue TypePipe TypeForwardPointer ConstantTrue ConstantFalse Constant
        ConstantComposite ConstantSampler ConstantNull SpecConstantTrue SpecConstantFalse SpecConstant
        SpecConstantComposite SpecConstantOp Function FunctionParameter FunctionEnd Variable Decorate MemberDecorate
        DecorationGroup GroupDecorate GroupMemberDecorate Phi Label Branch BranchConditional Switch Kill Return
        ReturnValue Unreachable TypePipeStorage TypeNamedBarrier ModuleProcessed ExecutionModeId DecorateId
        TypeTensorARM TypeGraphARM TerminateInvocation TypeUntypedPointerKHR UntypedVariableKHR
        TypeCooperativeMatrixKHR ConstantCompositeReplicateEXT SpecConstantCompositeReplicateEXT TypeRayQueryKHR
        TypeNodePayloadArrayAMDX ConstantStringAMDX SpecConstantStringAMDX TypeBufferEXT AbortKHR
        MemberDecorateIdEXT ConstantSizeOfEXT ConstantDataKHR SpecConstantDataKHR TypeHitObjectNV TypeVectorIdEXT
        TypeHitObjectEXT TypeAccelerationStructureKHR TypeCooperativeMatrixNV TypeTensorLayoutNV TypeTensorViewNV
        DemoteToHelperInvocation ConstantFunctionPointerINTEL DecorateString MemberDecorateString TypeVmeImageINTEL
        TypeAvcImePayloadINTEL TypeAvcRefPayloadINTEL TypeAvcSicPayloadINTEL TypeAvcMcePayloadINTEL
        TypeAvcMceResultINTEL TypeAvcImeResultINTEL TypeAvcImeResultSingleReferenceStreamoutINTEL
        TypeAvcImeResultDualReferenceStreamoutINTEL TypeAvcImeSingleReferenceStreaminINTEL
        TypeAvcImeDualReferenceStreaminINTEL TypeAvcRefResultINTEL TypeAvcSicResultINTEL LoopControlINTEL
        AliasDomainDeclINTEL AliasScopeDeclINTEL AliasScopeListDeclINTEL TypeBufferSurfaceINTEL
        TypeStructContinuedINTEL ConstantCompositeContinuedINTEL SpecConstantCompositeContinuedINTEL
        TypeTaskSequenceALTERA ConditionalExtensionINTEL ConditionalEntryPointINTEL ConditionalCapabilityINTEL
        SpecConstantTargetINTEL SpecConstantArchitectureINTEL SpecConstantCapabilitiesINTEL
    }
    NotExecuted("functions are called by their id, and there is no assembly") {
        FunctionPointerCallINTEL AsmTargetINTEL AsmINTEL AsmCallINTEL
    }
    NotExecuted("it is of another stage than compute") {
        EmitVertex EndPrimitive EmitStreamVertex EndStreamPrimitive ColorAttachmentReadEXT DepthAttachmentReadEXT
        StencilAttachmentReadEXT EmitMeshTasksEXT SetMeshOutputsEXT WritePackedPrimitiveIndices4x8NV
        BeginInvocationInterlockEXT EndInvocationInterlockEXT IsHelperInvocationEXT
    }
    NotExecuted("there are no rays") {
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
    NotExecuted("invocations have no neighbours that differences are taken with") {
        DPdx DPdy Fwidth DPdxFine DPdyFine FwidthFine DPdxCoarse DPdyCoarse FwidthCoarse
    }
    NotExecuted("images are read, written, fetched and sampled without comparison, projection or residency") {
        ImageSampleDrefImplicitLod ImageSampleDrefExplicitLod ImageSampleProjImplicitLod ImageSampleProjExplicitLod
        ImageSampleProjDrefImplicitLod ImageSampleProjDrefExplicitLod ImageGather ImageDrefGather ImageQueryFormat
        ImageQueryOrder ImageQueryLod ImageSparseSampleImplicitLod ImageSparseSampleExplicitLod
        ImageSparseSampleDrefImplicitLod ImageSparseSampleDrefExplicitLod ImageSparseSampleProjImplicitLod
        ImageSparseSampleProjExplicitLod ImageSparseSampleProjDrefImplicitLod ImageSparseSampleProjDrefExplicitLod
        ImageSparseFetch ImageSparseGather ImageSparseDrefGather ImageSparseTexelsResident ImageSparseRead
        ImageSampleWeightedQCOM ImageBoxFilterQCOM ImageBlockMatchSSDQCOM ImageBlockMatchSADQCOM
        ImageBlockMatchWindowSSDQCOM ImageBlockMatchWindowSADQCOM ImageBlockMatchGatherSSDQCOM
        ImageBlockMatchGatherSADQCOM ImageGatherQCOM FragmentMaskFetchAMD FragmentFetchAMD
        UntypedImageTexelPointerEXT ImageSampleFootprintNV
    }
    NotExecuted("images and samplers are no numbers") {
        ConvertUToImageNV ConvertUToSamplerNV ConvertImageToUNV ConvertSamplerToUNV ConvertUToSampledImageNV
        ConvertSampledImageToUNV SamplerImageAddressingModeNV ConvertHandleToImageINTEL ConvertHandleToSamplerINTEL
        ConvertHandleToSampledImageINTEL
    }
    NotExecuted("it is of OpenCL") {
        GroupAsyncCopy GroupWaitEvents ReadPipe WritePipe ReservedReadPipe ReservedWritePipe ReserveReadPipePackets
        ReserveWritePipePackets CommitReadPipe CommitWritePipe IsValidReserveId GetNumPipePackets GetMaxPipePackets
        GroupReserveReadPipePackets GroupReserveWritePipePackets GroupCommitReadPipe GroupCommitWritePipe
        EnqueueMarker EnqueueKernel GetKernelNDrangeSubGroupCount GetKernelNDrangeMaxSubGroupSize
        GetKernelWorkGroupSize GetKernelPreferredWorkGroupSizeMultiple RetainEvent ReleaseEvent CreateUserEvent
        IsValidEvent SetUserEventStatus CaptureEventProfilingInfo GetDefaultQueue BuildNDRange SizeOf
        ConstantPipeStorage CreatePipeFromPipeStorage GetKernelLocalSizeForSubgroupCount GetKernelMaxNumSubgroups
        NamedBarrierInitialize MemoryNamedBarrier UntypedGroupAsyncCopyKHR VariableLengthArrayINTEL SaveMemoryINTEL
        RestoreMemoryINTEL ReadPipeBlockingALTERA WritePipeBlockingALTERA FPGARegALTERA TaskSequenceCreateALTERA
        TaskSequenceAsyncALTERA TaskSequenceGetALTERA TaskSequenceReleaseALTERA UntypedVariableLengthArrayINTEL
    }
    NotExecuted("groups vote, broadcast, add and compare only") {
        GroupIAddNonUniformAMD GroupFAddNonUniformAMD GroupFMinNonUniformAMD GroupUMinNonUniformAMD
        GroupSMinNonUniformAMD GroupFMaxNonUniformAMD GroupUMaxNonUniformAMD GroupSMaxNonUniformAMD
        SubgroupShuffleINTEL SubgroupShuffleDownINTEL SubgroupShuffleUpINTEL SubgroupShuffleXorINTEL
        SubgroupBlockReadINTEL SubgroupBlockWriteINTEL SubgroupImageBlockReadINTEL SubgroupImageBlockWriteINTEL
        SubgroupImageMediaBlockReadINTEL SubgroupImageMediaBlockWriteINTEL SubgroupBlockPrefetchINTEL
        Subgroup2DBlockLoadINTEL Subgroup2DBlockLoadTransformINTEL Subgroup2DBlockLoadTransposeINTEL
        Subgroup2DBlockPrefetchINTEL Subgroup2DBlockStoreINTEL SubgroupMatrixMultiplyAccumulateINTEL
        GroupBitwiseAndKHR GroupBitwiseOrKHR GroupBitwiseXorKHR GroupLogicalAndKHR GroupLogicalOrKHR
        GroupLogicalXorKHR
    }
    NotExecuted("cooperative vectors are not known") {
        CooperativeVectorMatrixMulNV CooperativeVectorOuterProductAccumulateNV
        CooperativeVectorReduceSumAccumulateNV CooperativeVectorMatrixMulAddNV CooperativeVectorLoadNV
        CooperativeVectorStoreNV
    }
    NotExecuted("tensors of Arm are not known") {
        TensorReadARM TensorWriteARM TensorQuerySizeARM GraphConstantARM GraphEntryPointARM GraphARM GraphInputARM
        GraphSetOutputARM GraphEndARM
    }
    NotExecuted("there are no work graphs") {
        AllocateNodePayloadsAMDX EnqueueNodePayloadsAMDX FinishWritingNodePayloadAMDX NodePayloadArrayLengthAMDX
        IsNodePayloadValidAMDX
    }
    NotExecuted("motion estimation is not known") {
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
    NotExecuted("numbers of any width are not known") {
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
    NotExecuted("nothing that it is needed for runs here yet") {
        CopyMemorySized GenericPtrMemSemantics GenericCastToPtrExplicit IsNormal AtomicFlagTestAndSet
        AtomicFlagClear PtrDiff UntypedPrefetchKHR BFloat16MulAddQCOM BufferPointerEXT RawAccessChainNV
        UCountLeadingZerosINTEL UCountTrailingZerosINTEL AbsISubINTEL AbsUSubINTEL IAddSatINTEL UAddSatINTEL
        IAverageINTEL UAverageINTEL IAverageRoundedINTEL UAverageRoundedINTEL ISubSatINTEL USubSatINTEL
        IMul32x16INTEL UMul32x16INTEL PtrCastToCrossWorkgroupALTERA CrossWorkgroupCastToPtrALTERA
        CompositeConstructContinuedINTEL BitwiseFunctionINTEL ConditionalCopyObjectINTEL PredicatedLoadINTEL
        PredicatedStoreINTEL RoundFToTF32INTEL MaskedGatherINTEL MaskedScatterINTEL
    }
}

#[cfg(test)]
mod tests {
    use coopmat_spirv::grammar::{Effect, Together};

    use super::*;

    /// Who lowers an instruction fits what the table of instructions says of it.
    #[test]
    fn arithmetic_has_no_effect_and_subgroups_exchange() {
        for &opcode in Opcode::ALL {
            let facts = opcode.facts();
            let fits = match Lowerer::of(opcode) {
                Lowerer::Integer
                | Lowerer::Float
                | Lowerer::Composite
                | Lowerer::Conversion
                | Lowerer::Logic
                | Lowerer::Dot => {
                    facts.effect == Effect::Nothing
                        && matches!(facts.together, Together::Apart | Together::Matrix)
                }
                Lowerer::Subgroup => {
                    facts.effect == Effect::Nothing
                        && matches!(facts.together, Together::Active | Together::Scope)
                }
                Lowerer::Matrix => matches!(facts.together, Together::Apart | Together::Matrix),
                Lowerer::Memory | Lowerer::Image => facts.together != Together::Active,
                Lowerer::Atomic => facts.effect == Effect::Acts || opcode == Opcode::ImageTexelPointer,
                Lowerer::Extended | Lowerer::Control | Lowerer::Clock | Lowerer::Ignored => {
                    facts.effect == Effect::Acts
                }
                Lowerer::NotExecuted(reason) => !reason.is_empty(),
                Lowerer::Unknown => false,
            };
            assert!(fits, "{opcode:?}: {:?}, {facts:?}", Lowerer::of(opcode));
        }
    }
}
