//! Capabilities, and what of Vulkan lets a module declare them: each row one way, of which any will do
//! (VUID-VkShaderModuleCreateInfo-pCode-08740). `cargo xtask registry` holds the rows against Vulkan's registry.

use super::Origin::{self, Extension};
use super::{FloatControl, SubgroupOperation};
use crate::Capability as C;

const V1_0: Origin = Origin::Version(1, 0);
const V1_1: Origin = Origin::Version(1, 1);
const V1_2: Origin = Origin::Version(1, 2);
const V1_3: Origin = Origin::Version(1, 3);
const V1_4: Origin = Origin::Version(1, 4);

/// Features that a version of Vulkan or an extension brought: any of these will do.
pub(super) struct Group {
    pub from: &'static [Origin],
    /// A capability, and the feature that lets it be declared.
    pub rows: &'static [(C, &'static str)],
}

/// Extensions of SPIR-V that share capabilities, and what of Vulkan lets a module declare them (VUID-VkShaderModuleCreateInfo-pCode-08742): a
/// module that declares one of them has the capabilities from there.
pub(super) const SHARING: &[(&str, Origin)] = &[
    ("SPV_EXT_cooperative_matrix_maintenance1", Extension("VK_EXT_cooperative_matrix_maintenance1")),
    ("SPV_NV_cooperative_matrix2", Extension("VK_NV_cooperative_matrix2")),
];

/// Sets of extended instructions that extensions bring, which no capability names.
pub(super) const SETS: &[(&str, Origin)] = &[
    ("SPV_AMD_gcn_shader", Extension("VK_AMD_gcn_shader")),
    ("SPV_AMD_shader_ballot", Extension("VK_AMD_shader_ballot")),
    ("SPV_AMD_shader_trinary_minmax", Extension("VK_AMD_shader_trinary_minmax")),
];

/// What a version or an extension brings to every device that has it.
pub(super) const WHOLE: &[(C, Origin)] = &[
    (C::Matrix, V1_0),
    (C::Shader, V1_0),
    (C::InputAttachment, V1_0),
    (C::Sampled1D, V1_0),
    (C::Image1D, V1_0),
    (C::SampledBuffer, V1_0),
    (C::ImageBuffer, V1_0),
    (C::StorageImageExtendedFormats, V1_0),
    (C::ImageQuery, V1_0),
    (C::DerivativeControl, V1_0),
    (C::DeviceGroup, V1_1),
    (C::ShaderNonUniform, V1_2),
    (C::StorageImageReadWithoutFormat, V1_3),
    (C::StorageImageWriteWithoutFormat, V1_3),
    (C::Float16, Extension("VK_AMD_gpu_shader_half_float")),
    (C::Groups, Extension("VK_AMD_shader_ballot")),
    (C::FragmentMaskAMD, Extension("VK_AMD_shader_fragment_mask")),
    (C::ImageReadWriteLodAMD, Extension("VK_AMD_shader_image_load_store_lod")),
    (C::ImageGatherBiasLodAMD, Extension("VK_AMD_texture_gather_bias_lod")),
    (C::FragmentFullyCoveredEXT, Extension("VK_EXT_conservative_rasterization")),
    (C::ShaderNonUniform, Extension("VK_EXT_descriptor_indexing")),
    (C::MeshShadingEXT, Extension("VK_EXT_mesh_shader")),
    (C::RayTracingOpacityMicromapEXT, Extension("VK_EXT_opacity_micromap")),
    (C::SampleMaskPostDepthCoverage, Extension("VK_EXT_post_depth_coverage")),
    (C::ShaderInvocationReorderEXT, Extension("VK_EXT_ray_tracing_invocation_reorder")),
    (C::StencilExportEXT, Extension("VK_EXT_shader_stencil_export")),
    (C::SubgroupBallotKHR, Extension("VK_EXT_shader_subgroup_ballot")),
    (C::SubgroupVoteKHR, Extension("VK_EXT_shader_subgroup_vote")),
    (C::ShaderViewportIndexLayerEXT, Extension("VK_EXT_shader_viewport_index_layer")),
    (C::DeviceGroup, Extension("VK_KHR_device_group")),
    (C::StorageImageReadWithoutFormat, Extension("VK_KHR_format_feature_flags2")),
    (C::StorageImageWriteWithoutFormat, Extension("VK_KHR_format_feature_flags2")),
    (C::ShaderClockKHR, Extension("VK_KHR_shader_clock")),
    (C::DrawParameters, Extension("VK_KHR_shader_draw_parameters")),
    (C::PerViewAttributesNV, Extension("VK_NVX_multiview_per_view_attributes")),
    (C::GeometryShaderPassthroughNV, Extension("VK_NV_geometry_shader_passthrough")),
    (C::MeshShadingNV, Extension("VK_NV_mesh_shader")),
    (C::RayTracingNV, Extension("VK_NV_ray_tracing")),
    (C::ShaderInvocationReorderNV, Extension("VK_NV_ray_tracing_invocation_reorder")),
    (C::SampleMaskOverrideCoverageNV, Extension("VK_NV_sample_mask_override_coverage")),
    (C::ShaderViewportIndexLayerEXT, Extension("VK_NV_viewport_array2")),
    (C::ShaderViewportMaskNV, Extension("VK_NV_viewport_array2")),
];

/// Bits of `subgroupSupportedOperations`.
pub(super) const SUBGROUP: &[(C, SubgroupOperation, Origin)] = &[
    (C::GroupNonUniform, SubgroupOperation::Basic, V1_1),
    (C::GroupNonUniformVote, SubgroupOperation::Vote, V1_1),
    (C::GroupNonUniformArithmetic, SubgroupOperation::Arithmetic, V1_1),
    (C::GroupNonUniformBallot, SubgroupOperation::Ballot, V1_1),
    (C::GroupNonUniformShuffle, SubgroupOperation::Shuffle, V1_1),
    (C::GroupNonUniformShuffleRelative, SubgroupOperation::ShuffleRelative, V1_1),
    (C::GroupNonUniformClustered, SubgroupOperation::Clustered, V1_1),
    (C::GroupNonUniformQuad, SubgroupOperation::Quad, V1_1),
    (
        C::GroupNonUniformPartitionedEXT,
        SubgroupOperation::Partitioned,
        Extension("VK_NV_shader_subgroup_partitioned"),
    ),
];

/// Properties that a device has for formats of 16, 32 and 64 bits each; of which, execution modes say.
pub(super) const FLOAT_CONTROLS: &[(C, FloatControl)] = &[
    (C::DenormPreserve, FloatControl::DenormPreserve),
    (C::DenormFlushToZero, FloatControl::DenormFlushToZero),
    (C::SignedZeroInfNanPreserve, FloatControl::SignedZeroInfNanPreserve),
    (C::RoundingModeRTE, FloatControl::RoundingModeRTE),
    (C::RoundingModeRTZ, FloatControl::RoundingModeRTZ),
];

pub(super) const FEATURES: &[Group] = &[
    Group {
        from: &[V1_0],
        rows: &[
            (C::Geometry, "geometryShader"),
            (C::Tessellation, "tessellationShader"),
            (C::Float64, "shaderFloat64"),
            (C::Int64, "shaderInt64"),
            (C::Int16, "shaderInt16"),
            (C::TessellationPointSize, "shaderTessellationAndGeometryPointSize"),
            (C::GeometryPointSize, "shaderTessellationAndGeometryPointSize"),
            (C::ImageGatherExtended, "shaderImageGatherExtended"),
            (C::StorageImageMultisample, "shaderStorageImageMultisample"),
            (C::UniformBufferArrayDynamicIndexing, "shaderUniformBufferArrayDynamicIndexing"),
            (C::SampledImageArrayDynamicIndexing, "shaderSampledImageArrayDynamicIndexing"),
            (C::StorageBufferArrayDynamicIndexing, "shaderStorageBufferArrayDynamicIndexing"),
            (C::StorageImageArrayDynamicIndexing, "shaderStorageImageArrayDynamicIndexing"),
            (C::ClipDistance, "shaderClipDistance"),
            (C::CullDistance, "shaderCullDistance"),
            (C::ImageCubeArray, "imageCubeArray"),
            (C::SampleRateShading, "sampleRateShading"),
            (C::SparseResidency, "shaderResourceResidency"),
            (C::MinLod, "shaderResourceMinLod"),
            (C::SampledCubeArray, "imageCubeArray"),
            (C::ImageMSArray, "shaderStorageImageMultisample"),
            (C::InterpolationFunction, "sampleRateShading"),
            (C::StorageImageReadWithoutFormat, "shaderStorageImageReadWithoutFormat"),
            (C::StorageImageWriteWithoutFormat, "shaderStorageImageWriteWithoutFormat"),
            (C::MultiViewport, "multiViewport"),
        ],
    },
    Group { from: &[V1_1, V1_2], rows: &[(C::DrawParameters, "shaderDrawParameters")] },
    Group {
        from: &[V1_2],
        rows: &[(C::ShaderLayer, "shaderOutputLayer"), (C::ShaderViewportIndex, "shaderOutputViewportIndex")],
    },
    Group {
        from: &[V1_2, Extension("VK_EXT_buffer_device_address"), Extension("VK_KHR_buffer_device_address")],
        rows: &[(C::PhysicalStorageBufferAddresses, "bufferDeviceAddress")],
    },
    Group {
        from: &[V1_2, Extension("VK_EXT_descriptor_indexing")],
        rows: &[
            (C::RuntimeDescriptorArray, "runtimeDescriptorArray"),
            (C::InputAttachmentArrayDynamicIndexing, "shaderInputAttachmentArrayDynamicIndexing"),
            (C::UniformTexelBufferArrayDynamicIndexing, "shaderUniformTexelBufferArrayDynamicIndexing"),
            (C::StorageTexelBufferArrayDynamicIndexing, "shaderStorageTexelBufferArrayDynamicIndexing"),
            (C::UniformBufferArrayNonUniformIndexing, "shaderUniformBufferArrayNonUniformIndexing"),
            (C::SampledImageArrayNonUniformIndexing, "shaderSampledImageArrayNonUniformIndexing"),
            (C::StorageBufferArrayNonUniformIndexing, "shaderStorageBufferArrayNonUniformIndexing"),
            (C::StorageImageArrayNonUniformIndexing, "shaderStorageImageArrayNonUniformIndexing"),
            (C::InputAttachmentArrayNonUniformIndexing, "shaderInputAttachmentArrayNonUniformIndexing"),
            (C::UniformTexelBufferArrayNonUniformIndexing, "shaderUniformTexelBufferArrayNonUniformIndexing"),
            (C::StorageTexelBufferArrayNonUniformIndexing, "shaderStorageTexelBufferArrayNonUniformIndexing"),
        ],
    },
    Group {
        from: &[V1_2, Extension("VK_KHR_16bit_storage")],
        rows: &[
            (C::StorageBuffer16BitAccess, "storageBuffer16BitAccess"),
            (C::UniformAndStorageBuffer16BitAccess, "uniformAndStorageBuffer16BitAccess"),
            (C::StoragePushConstant16, "storagePushConstant16"),
            (C::StorageInputOutput16, "storageInputOutput16"),
        ],
    },
    Group {
        from: &[V1_2, Extension("VK_KHR_8bit_storage")],
        rows: &[
            (C::StorageBuffer8BitAccess, "storageBuffer8BitAccess"),
            (C::UniformAndStorageBuffer8BitAccess, "uniformAndStorageBuffer8BitAccess"),
            (C::StoragePushConstant8, "storagePushConstant8"),
        ],
    },
    Group { from: &[V1_2, Extension("VK_KHR_multiview")], rows: &[(C::MultiView, "multiview")] },
    Group {
        from: &[V1_2, Extension("VK_KHR_shader_atomic_int64")],
        rows: &[(C::Int64Atomics, "shaderBufferInt64Atomics"), (C::Int64Atomics, "shaderSharedInt64Atomics")],
    },
    Group {
        from: &[V1_2, Extension("VK_KHR_shader_float16_int8")],
        rows: &[(C::Float16, "shaderFloat16"), (C::Int8, "shaderInt8")],
    },
    Group {
        from: &[V1_2, Extension("VK_KHR_variable_pointers")],
        rows: &[
            (C::VariablePointersStorageBuffer, "variablePointersStorageBuffer"),
            (C::VariablePointers, "variablePointers"),
        ],
    },
    Group {
        from: &[V1_2, Extension("VK_KHR_vulkan_memory_model")],
        rows: &[
            (C::VulkanMemoryModel, "vulkanMemoryModel"),
            (C::VulkanMemoryModelDeviceScope, "vulkanMemoryModelDeviceScope"),
        ],
    },
    Group {
        from: &[V1_3, Extension("VK_EXT_shader_demote_to_helper_invocation")],
        rows: &[(C::DemoteToHelperInvocation, "shaderDemoteToHelperInvocation")],
    },
    Group {
        from: &[V1_3, Extension("VK_KHR_shader_integer_dot_product")],
        rows: &[
            (C::DotProductInputAll, "shaderIntegerDotProduct"),
            (C::DotProductInput4x8Bit, "shaderIntegerDotProduct"),
            (C::DotProductInput4x8BitPacked, "shaderIntegerDotProduct"),
            (C::DotProduct, "shaderIntegerDotProduct"),
        ],
    },
    Group {
        from: &[V1_4, Extension("VK_KHR_shader_expect_assume")],
        rows: &[(C::ExpectAssumeKHR, "shaderExpectAssume")],
    },
    Group {
        from: &[V1_4, Extension("VK_KHR_shader_float_controls2")],
        rows: &[(C::FloatControls2, "shaderFloatControls2")],
    },
    Group {
        from: &[V1_4, Extension("VK_KHR_shader_subgroup_rotate")],
        rows: &[(C::GroupNonUniformRotateKHR, "shaderSubgroupRotate")],
    },
    Group { from: &[Extension("VK_AMDX_shader_enqueue")], rows: &[(C::ShaderEnqueueAMDX, "shaderEnqueue")] },
    Group { from: &[Extension("VK_ARM_data_graph")], rows: &[(C::GraphARM, "dataGraph")] },
    Group {
        from: &[Extension("VK_ARM_shader_core_builtins")],
        rows: &[(C::CoreBuiltinsARM, "shaderCoreBuiltins")],
    },
    Group {
        from: &[Extension("VK_ARM_tensors")],
        rows: &[
            (C::TensorsARM, "shaderTensorAccess"),
            (C::StorageTensorArrayDynamicIndexingARM, "shaderStorageTensorArrayDynamicIndexing"),
            (C::StorageTensorArrayNonUniformIndexingARM, "shaderStorageTensorArrayNonUniformIndexing"),
        ],
    },
    Group {
        from: &[Extension("VK_EXT_cooperative_matrix_maintenance1")],
        rows: &[
            (C::CooperativeMatrixConversionsEXT, "cooperativeMatrixConversions"),
            (C::CooperativeMatrixGetCoordinateEXT, "cooperativeMatrixGetCoordinate"),
            (C::CooperativeMatrixReductionsNV, "cooperativeMatrixReductions"),
            (C::CooperativeMatrixPerElementOperationsNV, "cooperativeMatrixPerElementOperations"),
        ],
    },
    Group { from: &[Extension("VK_EXT_descriptor_heap")], rows: &[(C::DescriptorHeapEXT, "descriptorHeap")] },
    Group {
        from: &[Extension("VK_EXT_fragment_density_map")],
        rows: &[(C::FragmentDensityEXT, "fragmentDensityMap")],
    },
    Group {
        from: &[Extension("VK_EXT_fragment_shader_interlock")],
        rows: &[
            (C::FragmentShaderSampleInterlockEXT, "fragmentShaderSampleInterlock"),
            (C::FragmentShaderShadingRateInterlockEXT, "fragmentShaderShadingRateInterlock"),
            (C::FragmentShaderPixelInterlockEXT, "fragmentShaderPixelInterlock"),
        ],
    },
    Group {
        from: &[Extension("VK_EXT_shader_64bit_indexing")],
        rows: &[(C::Shader64BitIndexingEXT, "shader64BitIndexing")],
    },
    Group {
        from: &[Extension("VK_EXT_shader_atomic_float")],
        rows: &[
            (C::AtomicFloat32AddEXT, "shaderBufferFloat32AtomicAdd"),
            (C::AtomicFloat32AddEXT, "shaderImageFloat32AtomicAdd"),
            (C::AtomicFloat32AddEXT, "shaderSharedFloat32AtomicAdd"),
            (C::AtomicFloat64AddEXT, "shaderBufferFloat64AtomicAdd"),
            (C::AtomicFloat64AddEXT, "shaderSharedFloat64AtomicAdd"),
        ],
    },
    Group {
        from: &[Extension("VK_EXT_shader_atomic_float2")],
        rows: &[
            (C::AtomicFloat32MinMaxEXT, "shaderBufferFloat32AtomicMinMax"),
            (C::AtomicFloat32MinMaxEXT, "shaderImageFloat32AtomicMinMax"),
            (C::AtomicFloat32MinMaxEXT, "shaderSharedFloat32AtomicMinMax"),
            (C::AtomicFloat64MinMaxEXT, "shaderBufferFloat64AtomicMinMax"),
            (C::AtomicFloat64MinMaxEXT, "shaderSharedFloat64AtomicMinMax"),
            (C::AtomicFloat16MinMaxEXT, "shaderBufferFloat16AtomicMinMax"),
            (C::AtomicFloat16MinMaxEXT, "shaderSharedFloat16AtomicMinMax"),
            (C::AtomicFloat16AddEXT, "shaderBufferFloat16AtomicAdd"),
            (C::AtomicFloat16AddEXT, "shaderSharedFloat16AtomicAdd"),
        ],
    },
    Group {
        from: &[Extension("VK_EXT_shader_float8")],
        rows: &[
            (C::Float8EXT, "shaderFloat8"),
            (C::Float8CooperativeMatrixEXT, "shaderFloat8CooperativeMatrix"),
        ],
    },
    Group {
        from: &[Extension("VK_EXT_shader_image_atomic_int64")],
        rows: &[(C::Int64Atomics, "shaderImageInt64Atomics"), (C::Int64ImageEXT, "shaderImageInt64Atomics")],
    },
    Group { from: &[Extension("VK_EXT_shader_long_vector")], rows: &[(C::LongVectorEXT, "longVector")] },
    Group {
        from: &[Extension("VK_EXT_shader_ocp_microscaling_types")],
        rows: &[
            (C::Float6EXT, "shaderFloat6"),
            (C::Float4EXT, "shaderFloat4"),
            (C::Float8UnsignedE8M0EXT, "shaderFloat8UnsignedE8M0"),
            (C::MXInt8EXT, "shaderMXInt8"),
            (C::BitcastExtractEXT, "shaderFloat4"),
            (C::BitcastExtractEXT, "shaderFloat6"),
        ],
    },
    Group {
        from: &[Extension("VK_EXT_shader_replicated_composites")],
        rows: &[(C::ReplicatedCompositesEXT, "shaderReplicatedComposites")],
    },
    Group {
        from: &[Extension("VK_EXT_shader_split_barrier")],
        rows: &[(C::SplitBarrierINTEL, "shaderSplitBarrier")],
    },
    Group {
        from: &[Extension("VK_EXT_shader_subgroup_partitioned")],
        rows: &[(C::GroupNonUniformPartitionedEXT, "shaderSubgroupPartitioned")],
    },
    Group {
        from: &[Extension("VK_EXT_shader_tile_image")],
        rows: &[
            (C::TileImageColorReadAccessEXT, "shaderTileImageColorReadAccess"),
            (C::TileImageDepthReadAccessEXT, "shaderTileImageDepthReadAccess"),
            (C::TileImageStencilReadAccessEXT, "shaderTileImageStencilReadAccess"),
        ],
    },
    Group {
        from: &[Extension("VK_EXT_transform_feedback")],
        rows: &[(C::TransformFeedback, "transformFeedback"), (C::GeometryStreams, "geometryStreams")],
    },
    Group {
        from: &[Extension("VK_INTEL_shader_integer_functions2")],
        rows: &[(C::IntegerFunctions2INTEL, "shaderIntegerFunctions2")],
    },
    Group {
        from: &[
            Extension("VK_KHR_compute_shader_derivatives"),
            Extension("VK_NV_compute_shader_derivatives"),
        ],
        rows: &[
            (C::ComputeDerivativeGroupQuadsKHR, "computeDerivativeGroupQuads"),
            (C::ComputeDerivativeGroupLinearKHR, "computeDerivativeGroupLinear"),
        ],
    },
    Group {
        from: &[Extension("VK_KHR_cooperative_matrix")],
        rows: &[(C::CooperativeMatrixKHR, "cooperativeMatrix")],
    },
    Group {
        from: &[
            Extension("VK_KHR_fragment_shader_barycentric"),
            Extension("VK_NV_fragment_shader_barycentric"),
        ],
        rows: &[(C::FragmentBarycentricKHR, "fragmentShaderBarycentric")],
    },
    Group {
        from: &[Extension("VK_KHR_fragment_shading_rate")],
        rows: &[
            (C::FragmentShadingRateKHR, "attachmentFragmentShadingRate"),
            (C::FragmentShadingRateKHR, "pipelineFragmentShadingRate"),
            (C::FragmentShadingRateKHR, "primitiveFragmentShadingRate"),
        ],
    },
    Group {
        from: &[Extension("VK_KHR_opacity_micromap")],
        rows: &[
            (C::RayTracingOpacityMicromapEXT, "micromap"),
            (C::RayTracingOpacityMicromapExecutionModeKHR, "micromap"),
        ],
    },
    Group {
        from: &[Extension("VK_KHR_ray_query")],
        rows: &[(C::RayQueryKHR, "rayQuery"), (C::RayTraversalPrimitiveCullingKHR, "rayQuery")],
    },
    Group {
        from: &[Extension("VK_KHR_ray_tracing_maintenance1")],
        rows: &[(C::RayCullMaskKHR, "rayTracingMaintenance1")],
    },
    Group {
        from: &[Extension("VK_KHR_ray_tracing_pipeline")],
        rows: &[
            (C::RayTraversalPrimitiveCullingKHR, "rayTraversalPrimitiveCulling"),
            (C::RayTracingKHR, "rayTracingPipeline"),
        ],
    },
    Group {
        from: &[Extension("VK_KHR_ray_tracing_position_fetch")],
        rows: &[
            (C::RayTracingPositionFetchKHR, "rayTracingPositionFetch"),
            (C::RayQueryPositionFetchKHR, "rayTracingPositionFetch"),
        ],
    },
    Group { from: &[Extension("VK_KHR_shader_abort")], rows: &[(C::AbortKHR, "shaderAbort")] },
    Group {
        from: &[Extension("VK_KHR_shader_bfloat16")],
        rows: &[
            (C::BFloat16TypeKHR, "shaderBFloat16Type"),
            (C::BFloat16DotProductKHR, "shaderBFloat16DotProduct"),
            (C::BFloat16CooperativeMatrixKHR, "shaderBFloat16CooperativeMatrix"),
        ],
    },
    Group {
        from: &[Extension("VK_KHR_shader_constant_data")],
        rows: &[(C::ConstantDataKHR, "shaderConstantData")],
    },
    Group {
        from: &[Extension("VK_KHR_shader_fma")],
        rows: &[
            (C::FMAKHR, "shaderFmaFloat16"),
            (C::FMAKHR, "shaderFmaFloat32"),
            (C::FMAKHR, "shaderFmaFloat64"),
        ],
    },
    Group {
        from: &[Extension("VK_KHR_shader_quad_control")],
        rows: &[(C::QuadControlKHR, "shaderQuadControl")],
    },
    Group {
        from: &[Extension("VK_KHR_shader_untyped_pointers")],
        rows: &[(C::UntypedPointersKHR, "shaderUntypedPointers")],
    },
    Group {
        from: &[Extension("VK_KHR_workgroup_memory_explicit_layout")],
        rows: &[
            (C::WorkgroupMemoryExplicitLayoutKHR, "workgroupMemoryExplicitLayout"),
            (C::WorkgroupMemoryExplicitLayout8BitAccessKHR, "workgroupMemoryExplicitLayout8BitAccess"),
            (C::WorkgroupMemoryExplicitLayout16BitAccessKHR, "workgroupMemoryExplicitLayout16BitAccess"),
        ],
    },
    Group {
        from: &[Extension("VK_NV_cluster_acceleration_structure")],
        rows: &[(C::RayTracingClusterAccelerationStructureNV, "clusterAccelerationStructure")],
    },
    Group {
        from: &[Extension("VK_NV_cooperative_matrix")],
        rows: &[(C::CooperativeMatrixNV, "cooperativeMatrix")],
    },
    Group {
        from: &[Extension("VK_NV_cooperative_matrix2")],
        rows: &[
            (C::CooperativeMatrixReductionsNV, "cooperativeMatrixReductions"),
            (C::CooperativeMatrixPerElementOperationsNV, "cooperativeMatrixPerElementOperations"),
            (C::CooperativeMatrixConversionsNV, "cooperativeMatrixConversions"),
            (C::CooperativeMatrixTensorAddressingNV, "cooperativeMatrixTensorAddressing"),
            (C::CooperativeMatrixBlockLoadsNV, "cooperativeMatrixBlockLoads"),
            (C::TensorAddressingNV, "cooperativeMatrixTensorAddressing"),
        ],
    },
    Group {
        from: &[Extension("VK_NV_cooperative_matrix_decode_vector")],
        rows: &[(C::CooperativeMatrixDecodeVectorNV, "cooperativeMatrixDecodeVector")],
    },
    Group {
        from: &[Extension("VK_NV_cooperative_vector")],
        rows: &[
            (C::CooperativeVectorNV, "cooperativeVector"),
            (C::CooperativeVectorTrainingNV, "cooperativeVectorTraining"),
        ],
    },
    Group {
        from: &[Extension("VK_NV_push_constant_bank")],
        rows: &[(C::PushConstantBanksNV, "pushConstantBank")],
    },
    Group {
        from: &[Extension("VK_NV_raw_access_chains")],
        rows: &[(C::RawAccessChainsNV, "shaderRawAccessChains")],
    },
    Group {
        from: &[Extension("VK_NV_ray_tracing_linear_swept_spheres")],
        rows: &[
            (C::RayTracingSpheresGeometryNV, "spheres"),
            (C::RayTracingLinearSweptSpheresGeometryNV, "linearSweptSpheres"),
        ],
    },
    Group {
        from: &[Extension("VK_NV_ray_tracing_motion_blur")],
        rows: &[(C::RayTracingMotionBlurNV, "rayTracingMotionBlur")],
    },
    Group {
        from: &[Extension("VK_NV_shader_atomic_float16_vector")],
        rows: &[(C::AtomicFloat16VectorNV, "shaderFloat16VectorAtomics")],
    },
    Group {
        from: &[Extension("VK_NV_shader_image_footprint")],
        rows: &[(C::ImageFootprintNV, "imageFootprint")],
    },
    Group {
        from: &[Extension("VK_NV_shader_sm_builtins")],
        rows: &[(C::ShaderSMBuiltinsNV, "shaderSMBuiltins")],
    },
    Group {
        from: &[Extension("VK_NV_shading_rate_image")],
        rows: &[
            (C::FragmentDensityEXT, "shadingRateImage"),
            (C::FragmentShaderShadingRateInterlockEXT, "shadingRateImage"),
        ],
    },
    Group {
        from: &[Extension("VK_QCOM_cooperative_matrix_conversion")],
        rows: &[(C::CooperativeMatrixConversionQCOM, "cooperativeMatrixConversion")],
    },
    Group {
        from: &[Extension("VK_QCOM_image_processing")],
        rows: &[
            (C::TextureSampleWeightedQCOM, "textureSampleWeighted"),
            (C::TextureBoxFilterQCOM, "textureBoxFilter"),
            (C::TextureBlockMatchQCOM, "textureBlockMatch"),
        ],
    },
    Group {
        from: &[Extension("VK_QCOM_image_processing2")],
        rows: &[(C::TextureBlockMatch2QCOM, "textureBlockMatch2")],
    },
    Group {
        from: &[Extension("VK_QCOM_image_processing3")],
        rows: &[
            (C::ImageGatherLinearQCOM, "imageGatherLinear"),
            (C::ImageGatherExtendedModesQCOM, "imageGatherExtendedModes"),
        ],
    },
    Group {
        from: &[Extension("VK_QCOM_shader_multiple_wait_queues")],
        rows: &[(C::MultipleWaitQueuesQCOM, "shaderMultipleWaitQueues")],
    },
    Group { from: &[Extension("VK_QCOM_tile_shading")], rows: &[(C::TileShadingQCOM, "tileShading")] },
    Group {
        from: &[Extension("VK_VALVE_shader_mixed_float_dot_product")],
        rows: &[
            (C::DotProductFloat16AccFloat32VALVE, "shaderMixedFloatDotProductFloat16AccFloat32"),
            (C::DotProductFloat16AccFloat16VALVE, "shaderMixedFloatDotProductFloat16AccFloat16"),
            (C::DotProductBFloat16AccVALVE, "shaderMixedFloatDotProductBFloat16Acc"),
            (C::DotProductFloat8AccFloat32VALVE, "shaderMixedFloatDotProductFloat8AccFloat32"),
        ],
    },
];
