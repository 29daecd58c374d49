//! Decorations: rspirv's and those that it lacks, as one type.

use super::enumeration::enumeration;

enumeration! {
    /// What a module says about an id.
    Decoration
    rspirv {
        RelaxedPrecision SpecId Block BufferBlock RowMajor ColMajor ArrayStride MatrixStride GLSLShared GLSLPacked
        CPacked BuiltIn NoPerspective Flat Patch Centroid Sample Invariant Restrict Aliased Volatile Constant
        Coherent NonWritable NonReadable Uniform UniformId SaturatedConversion Stream Location Component Index
        Binding DescriptorSet Offset XfbBuffer XfbStride FuncParamAttr FPRoundingMode FPFastMathMode
        LinkageAttributes NoContraction InputAttachmentIndex Alignment MaxByteOffset AlignmentId MaxByteOffsetId
        SaturatedToLargestFloat8NormalConversionEXT NoSignedWrap NoUnsignedWrap WeightTextureQCOM
        BlockMatchTextureQCOM BlockMatchSamplerQCOM ExplicitInterpAMD NodeSharesPayloadLimitsWithAMDX
        NodeMaxPayloadsAMDX TrackFinishWritingAMDX PayloadNodeNameAMDX PayloadNodeBaseIndexAMDX
        PayloadNodeSparseArrayAMDX PayloadNodeArraySizeAMDX PayloadDispatchIndirectAMDX ArrayStrideIdEXT OffsetIdEXT
        OverrideCoverageNV PassthroughNV ViewportRelativeNV SecondaryViewportRelativeNV PerPrimitiveEXT PerViewNV
        PerTaskNV PerVertexKHR NonUniform RestrictPointer AliasedPointer MemberOffsetNV
        HitObjectShaderRecordBufferNV HitObjectShaderRecordBufferEXT BankNV BindlessSamplerNV BindlessImageNV
        BoundSamplerNV BoundImageNV SIMTCallINTEL ReferencedIndirectlyINTEL ClobberINTEL SideEffectsINTEL
        VectorComputeVariableINTEL FuncParamIOKindINTEL VectorComputeFunctionINTEL StackCallINTEL
        GlobalVariableOffsetINTEL CounterBuffer UserSemantic UserTypeGOOGLE FunctionRoundingModeINTEL
        FunctionDenormModeINTEL RegisterALTERA MemoryALTERA NumbanksALTERA BankwidthALTERA MaxPrivateCopiesALTERA
        SinglepumpALTERA DoublepumpALTERA MaxReplicatesALTERA SimpleDualPortALTERA MergeALTERA BankBitsALTERA
        ForcePow2DepthALTERA StridesizeALTERA WordsizeALTERA TrueDualPortALTERA BurstCoalesceALTERA CacheSizeALTERA
        DontStaticallyCoalesceALTERA PrefetchALTERA StallEnableALTERA FuseLoopsInFunctionALTERA MathOpDSPModeALTERA
        AliasScopeINTEL NoAliasINTEL InitiationIntervalALTERA MaxConcurrencyALTERA PipelineEnableALTERA
        BufferLocationALTERA IOPipeStorageALTERA FunctionFloatingPointModeINTEL SingleElementVectorINTEL
        VectorComputeCallableFunctionINTEL MediaBlockIOINTEL StallFreeALTERA FPMaxErrorDecorationINTEL
        LatencyControlLabelALTERA LatencyControlConstraintALTERA ConduitKernelArgumentALTERA
        RegisterMapKernelArgumentALTERA MMHostInterfaceAddressWidthALTERA MMHostInterfaceDataWidthALTERA
        MMHostInterfaceLatencyALTERA MMHostInterfaceReadWriteModeALTERA MMHostInterfaceMaxBurstALTERA
        MMHostInterfaceWaitRequestALTERA StableKernelArgumentALTERA HostAccessINTEL InitModeALTERA
        ImplementInRegisterMapALTERA ConditionalINTEL CacheControlLoadINTEL CacheControlStoreINTEL
    }
    ours {
        UTFEncodedKHR = 5145,
        CooperativeMatrixTransposeEXT = 5440,
        IntrinsicSAMSUNG = 7040 (LiteralInteger),
    }
}
