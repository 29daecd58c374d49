//! Capabilities: rspirv's and those that it lacks, as one type.

use rspirv::dr::Module;

use super::enumeration::enumeration;

enumeration! {
    /// What a module declares that it may use.
    Capability
    rspirv {
        Matrix Shader Geometry Tessellation Addresses Linkage Kernel Vector16 Float16Buffer Float16 Float64 Int64
        Int64Atomics ImageBasic ImageReadWrite ImageMipmap Pipes Groups DeviceEnqueue LiteralSampler AtomicStorage
        Int16 TessellationPointSize GeometryPointSize ImageGatherExtended StorageImageMultisample
        UniformBufferArrayDynamicIndexing SampledImageArrayDynamicIndexing StorageBufferArrayDynamicIndexing
        StorageImageArrayDynamicIndexing ClipDistance CullDistance ImageCubeArray SampleRateShading ImageRect
        SampledRect GenericPointer Int8 InputAttachment SparseResidency MinLod Sampled1D Image1D SampledCubeArray
        SampledBuffer ImageBuffer ImageMSArray StorageImageExtendedFormats ImageQuery DerivativeControl
        InterpolationFunction TransformFeedback GeometryStreams StorageImageReadWithoutFormat
        StorageImageWriteWithoutFormat MultiViewport SubgroupDispatch NamedBarrier PipeStorage GroupNonUniform
        GroupNonUniformVote GroupNonUniformArithmetic GroupNonUniformBallot GroupNonUniformShuffle
        GroupNonUniformShuffleRelative GroupNonUniformClustered GroupNonUniformQuad ShaderLayer ShaderViewportIndex
        UniformDecoration CoreBuiltinsARM TileImageColorReadAccessEXT TileImageDepthReadAccessEXT
        TileImageStencilReadAccessEXT TensorsARM StorageTensorArrayDynamicIndexingARM
        StorageTensorArrayNonUniformIndexingARM GraphARM CooperativeMatrixLayoutsARM Float8EXT
        Float8CooperativeMatrixEXT FragmentShadingRateKHR SubgroupBallotKHR DrawParameters
        WorkgroupMemoryExplicitLayoutKHR WorkgroupMemoryExplicitLayout8BitAccessKHR
        WorkgroupMemoryExplicitLayout16BitAccessKHR SubgroupVoteKHR StorageBuffer16BitAccess
        UniformAndStorageBuffer16BitAccess StoragePushConstant16 StorageInputOutput16 DeviceGroup MultiView
        VariablePointersStorageBuffer VariablePointers AtomicStorageOps SampleMaskPostDepthCoverage
        StorageBuffer8BitAccess UniformAndStorageBuffer8BitAccess StoragePushConstant8 DenormPreserve
        DenormFlushToZero SignedZeroInfNanPreserve RoundingModeRTE RoundingModeRTZ RayQueryProvisionalKHR
        RayQueryKHR UntypedPointersKHR RayTraversalPrimitiveCullingKHR RayTracingKHR TextureSampleWeightedQCOM
        TextureBoxFilterQCOM TextureBlockMatchQCOM TileShadingQCOM CooperativeMatrixConversionQCOM
        TextureBlockMatch2QCOM Float16ImageAMD ImageGatherBiasLodAMD FragmentMaskAMD StencilExportEXT
        ImageReadWriteLodAMD Int64ImageEXT ShaderClockKHR ShaderEnqueueAMDX QuadControlKHR Int4TypeINTEL
        Int4CooperativeMatrixINTEL BFloat16TypeKHR BFloat16DotProductKHR BFloat16CooperativeMatrixKHR
        DescriptorHeapEXT SampleMaskOverrideCoverageNV GeometryShaderPassthroughNV ShaderViewportIndexLayerEXT
        ShaderViewportMaskNV ShaderStereoViewNV PerViewAttributesNV FragmentFullyCoveredEXT MeshShadingNV
        ImageFootprintNV MeshShadingEXT FragmentBarycentricKHR ComputeDerivativeGroupQuadsKHR FragmentDensityEXT
        GroupNonUniformPartitionedEXT ShaderNonUniform RuntimeDescriptorArray InputAttachmentArrayDynamicIndexing
        UniformTexelBufferArrayDynamicIndexing StorageTexelBufferArrayDynamicIndexing
        UniformBufferArrayNonUniformIndexing SampledImageArrayNonUniformIndexing
        StorageBufferArrayNonUniformIndexing StorageImageArrayNonUniformIndexing
        InputAttachmentArrayNonUniformIndexing UniformTexelBufferArrayNonUniformIndexing
        StorageTexelBufferArrayNonUniformIndexing RayTracingPositionFetchKHR RayTracingNV RayTracingMotionBlurNV
        VulkanMemoryModel VulkanMemoryModelDeviceScope PhysicalStorageBufferAddresses
        ComputeDerivativeGroupLinearKHR RayTracingProvisionalKHR CooperativeMatrixNV
        FragmentShaderSampleInterlockEXT FragmentShaderShadingRateInterlockEXT ShaderSMBuiltinsNV
        FragmentShaderPixelInterlockEXT DemoteToHelperInvocation DisplacementMicromapNV RayTracingOpacityMicromapEXT
        ShaderInvocationReorderNV ShaderInvocationReorderEXT BindlessTextureNV RayQueryPositionFetchKHR
        CooperativeVectorNV AtomicFloat16VectorNV RayTracingDisplacementMicromapNV RawAccessChainsNV
        RayTracingSpheresGeometryNV RayTracingLinearSweptSpheresGeometryNV PushConstantBanksNV LongVectorEXT
        Shader64BitIndexingEXT CooperativeMatrixReductionsNV CooperativeMatrixConversionsNV
        CooperativeMatrixPerElementOperationsNV CooperativeMatrixTensorAddressingNV CooperativeMatrixBlockLoadsNV
        CooperativeVectorTrainingNV RayTracingClusterAccelerationStructureNV TensorAddressingNV SubgroupShuffleINTEL
        SubgroupBufferBlockIOINTEL SubgroupImageBlockIOINTEL SubgroupImageMediaBlockIOINTEL RoundToInfinityINTEL
        FloatingPointModeINTEL IntegerFunctions2INTEL FunctionPointersINTEL IndirectReferencesINTEL AsmINTEL
        AtomicFloat32MinMaxEXT AtomicFloat64MinMaxEXT AtomicFloat16MinMaxEXT VectorComputeINTEL VectorAnyINTEL
        ExpectAssumeKHR SubgroupAvcMotionEstimationINTEL SubgroupAvcMotionEstimationIntraINTEL
        SubgroupAvcMotionEstimationChromaINTEL VariableLengthArrayINTEL FunctionFloatControlINTEL
        FPGAMemoryAttributesALTERA FPFastMathModeINTEL ArbitraryPrecisionIntegersALTERA
        ArbitraryPrecisionFloatingPointALTERA UnstructuredLoopControlsINTEL FPGALoopControlsALTERA
        KernelAttributesINTEL FPGAKernelAttributesINTEL FPGAMemoryAccessesALTERA FPGAClusterAttributesALTERA
        LoopFuseALTERA FPGADSPControlALTERA MemoryAccessAliasingINTEL FPGAInvocationPipeliningAttributesALTERA
        FPGABufferLocationALTERA ArbitraryPrecisionFixedPointALTERA USMStorageClassesALTERA
        RuntimeAlignedAttributeALTERA IOPipesALTERA BlockingPipesALTERA FPGARegALTERA DotProductInputAll
        DotProductInput4x8Bit DotProductInput4x8BitPacked DotProduct RayCullMaskKHR CooperativeMatrixKHR
        ReplicatedCompositesEXT BitInstructions GroupNonUniformRotateKHR FloatControls2 FMAKHR AtomicFloat32AddEXT
        AtomicFloat64AddEXT LongCompositesINTEL OptNoneEXT AtomicFloat16AddEXT DebugInfoModuleINTEL
        BFloat16ConversionINTEL SplitBarrierINTEL ArithmeticFenceEXT FPGAClusterAttributesV2ALTERA
        FPGAKernelAttributesv2INTEL TaskSequenceALTERA FPMaxErrorINTEL FPGALatencyControlALTERA
        FPGAArgumentInterfacesALTERA GlobalVariableHostAccessINTEL GlobalVariableFPGADecorationsALTERA
        SubgroupBufferPrefetchINTEL Subgroup2DBlockIOINTEL Subgroup2DBlockTransformINTEL
        Subgroup2DBlockTransposeINTEL SubgroupMatrixMultiplyAccumulateINTEL TernaryBitwiseFunctionINTEL
        UntypedVariableLengthArrayINTEL SpecConditionalINTEL FunctionVariantsINTEL GroupUniformArithmeticKHR
        TensorFloat32RoundingINTEL MaskedGatherScatterINTEL CacheControlsINTEL RegisterLimitsINTEL
        BindlessImagesINTEL
    }
    ours {
        Float6EXT = 4228,
        Float4EXT = 4229,
        Float8UnsignedE8M0EXT = 4230,
        MXInt8EXT = 4231,
        BitcastExtractEXT = 4232,
        BFloat16MulAddQCOM = 4504,
        SubgroupSizeQCOM = 4506,
        MultipleWaitQueuesQCOM = 4539,
        ImageGatherLinearQCOM = 4543,
        ImageGatherExtendedModesQCOM = 4544,
        AbortKHR = 5120,
        ConstantDataKHR = 5146,
        PoisonFreezeKHR = 5156,
        WeakLinkageAMD = 5181,
        CooperativeMatrixConversionsEXT = 5429,
        CooperativeMatrixGetCoordinateEXT = 5438,
        CooperativeMatrixDecodeVectorNV = 5447,
        RayTracingOpacityMicromapExecutionModeKHR = 6032,
        PredicatedIOINTEL = 6257,
        RoundedDivideSqrtINTEL = 6265,
        DotProductFloat16AccFloat32VALVE = 6912,
        DotProductFloat16AccFloat16VALVE = 6913,
        DotProductBFloat16AccVALVE = 6914,
        DotProductFloat8AccFloat32VALVE = 6915,
        IntrinsicSAMSUNG = 7041,
    }
}

/// The capabilities that a module declares, in its order; the number of one that nobody knows is an error.
pub fn declared(module: &Module) -> impl Iterator<Item = Result<Capability, u32>> {
    module.capabilities.iter().filter_map(|instruction| {
        let operand = instruction.operands.first()?;
        match (Capability::of(operand), operand) {
            (Some(capability), _) => Some(Ok(capability)),
            (None, &rspirv::dr::Operand::LiteralBit32(number)) => Some(Err(number)),
            (None, _) => None,
        }
    })
}
