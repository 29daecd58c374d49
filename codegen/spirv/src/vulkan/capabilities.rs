//! Capabilities, and what of Vulkan lets a module declare them: each row one way, of which any will do
//! (VUID-VkShaderModuleCreateInfo-pCode-08740). `cargo xtask registry` holds the rows against Vulkan's registry.

use super::Origin::{self, Extension};
use super::{FloatControl, SubgroupOperation};
use crate::beyond::Capability as B;
use crate::spirv::Capability as C;

const V1_0: Origin = Origin::Version(1, 0);
const V1_1: Origin = Origin::Version(1, 1);
const V1_2: Origin = Origin::Version(1, 2);
const V1_3: Origin = Origin::Version(1, 3);
const V1_4: Origin = Origin::Version(1, 4);

/// Features that a version of Vulkan or an extension brought: any of these will do.
pub(super) struct Group {
    pub from: &'static [Origin],
    /// A capability, and the feature that lets it be declared.
    pub rows: &'static [(u32, &'static str)],
}

/// What a version or an extension brings to every device that has it.
pub(super) const WHOLE: &[(u32, Origin)] = &[
    (C::Matrix as u32, V1_0),
    (C::Shader as u32, V1_0),
    (C::InputAttachment as u32, V1_0),
    (C::Sampled1D as u32, V1_0),
    (C::Image1D as u32, V1_0),
    (C::SampledBuffer as u32, V1_0),
    (C::ImageBuffer as u32, V1_0),
    (C::StorageImageExtendedFormats as u32, V1_0),
    (C::ImageQuery as u32, V1_0),
    (C::DerivativeControl as u32, V1_0),
    (C::DeviceGroup as u32, V1_1),
    (C::ShaderNonUniform as u32, V1_2),
    (C::StorageImageReadWithoutFormat as u32, V1_3),
    (C::StorageImageWriteWithoutFormat as u32, V1_3),
    (C::Float16 as u32, Extension("VK_AMD_gpu_shader_half_float")),
    (C::FragmentMaskAMD as u32, Extension("VK_AMD_shader_fragment_mask")),
    (C::ImageReadWriteLodAMD as u32, Extension("VK_AMD_shader_image_load_store_lod")),
    (C::ImageGatherBiasLodAMD as u32, Extension("VK_AMD_texture_gather_bias_lod")),
    (C::FragmentFullyCoveredEXT as u32, Extension("VK_EXT_conservative_rasterization")),
    (C::ShaderNonUniform as u32, Extension("VK_EXT_descriptor_indexing")),
    (C::MeshShadingEXT as u32, Extension("VK_EXT_mesh_shader")),
    (C::RayTracingOpacityMicromapEXT as u32, Extension("VK_EXT_opacity_micromap")),
    (C::SampleMaskPostDepthCoverage as u32, Extension("VK_EXT_post_depth_coverage")),
    (C::ShaderInvocationReorderEXT as u32, Extension("VK_EXT_ray_tracing_invocation_reorder")),
    (C::StencilExportEXT as u32, Extension("VK_EXT_shader_stencil_export")),
    (C::SubgroupBallotKHR as u32, Extension("VK_EXT_shader_subgroup_ballot")),
    (C::SubgroupVoteKHR as u32, Extension("VK_EXT_shader_subgroup_vote")),
    (C::ShaderViewportIndexLayerEXT as u32, Extension("VK_EXT_shader_viewport_index_layer")),
    (C::DeviceGroup as u32, Extension("VK_KHR_device_group")),
    (C::StorageImageReadWithoutFormat as u32, Extension("VK_KHR_format_feature_flags2")),
    (C::StorageImageWriteWithoutFormat as u32, Extension("VK_KHR_format_feature_flags2")),
    (C::ShaderClockKHR as u32, Extension("VK_KHR_shader_clock")),
    (C::DrawParameters as u32, Extension("VK_KHR_shader_draw_parameters")),
    (C::PerViewAttributesNV as u32, Extension("VK_NVX_multiview_per_view_attributes")),
    (C::GeometryShaderPassthroughNV as u32, Extension("VK_NV_geometry_shader_passthrough")),
    (C::MeshShadingNV as u32, Extension("VK_NV_mesh_shader")),
    (C::RayTracingNV as u32, Extension("VK_NV_ray_tracing")),
    (C::ShaderInvocationReorderNV as u32, Extension("VK_NV_ray_tracing_invocation_reorder")),
    (C::SampleMaskOverrideCoverageNV as u32, Extension("VK_NV_sample_mask_override_coverage")),
    (C::ShaderViewportIndexLayerEXT as u32, Extension("VK_NV_viewport_array2")),
    (C::ShaderViewportMaskNV as u32, Extension("VK_NV_viewport_array2")),
];

/// Bits of `subgroupSupportedOperations`.
pub(super) const SUBGROUP: &[(u32, SubgroupOperation, Origin)] = &[
    (C::GroupNonUniform as u32, SubgroupOperation::Basic, V1_1),
    (C::GroupNonUniformVote as u32, SubgroupOperation::Vote, V1_1),
    (C::GroupNonUniformArithmetic as u32, SubgroupOperation::Arithmetic, V1_1),
    (C::GroupNonUniformBallot as u32, SubgroupOperation::Ballot, V1_1),
    (C::GroupNonUniformShuffle as u32, SubgroupOperation::Shuffle, V1_1),
    (C::GroupNonUniformShuffleRelative as u32, SubgroupOperation::ShuffleRelative, V1_1),
    (C::GroupNonUniformClustered as u32, SubgroupOperation::Clustered, V1_1),
    (C::GroupNonUniformQuad as u32, SubgroupOperation::Quad, V1_1),
    (
        C::GroupNonUniformPartitionedEXT as u32,
        SubgroupOperation::Partitioned,
        Extension("VK_NV_shader_subgroup_partitioned"),
    ),
];

/// Properties that a device has for formats of 16, 32 and 64 bits each; of which, execution modes say.
pub(super) const FLOAT_CONTROLS: &[(u32, FloatControl)] = &[
    (C::DenormPreserve as u32, FloatControl::DenormPreserve),
    (C::DenormFlushToZero as u32, FloatControl::DenormFlushToZero),
    (C::SignedZeroInfNanPreserve as u32, FloatControl::SignedZeroInfNanPreserve),
    (C::RoundingModeRTE as u32, FloatControl::RoundingModeRTE),
    (C::RoundingModeRTZ as u32, FloatControl::RoundingModeRTZ),
];

pub(super) const FEATURES: &[Group] = &[
    Group {
        from: &[V1_0],
        rows: &[
            (C::Geometry as u32, "geometryShader"),
            (C::Tessellation as u32, "tessellationShader"),
            (C::Float64 as u32, "shaderFloat64"),
            (C::Int64 as u32, "shaderInt64"),
            (C::Int16 as u32, "shaderInt16"),
            (C::TessellationPointSize as u32, "shaderTessellationAndGeometryPointSize"),
            (C::GeometryPointSize as u32, "shaderTessellationAndGeometryPointSize"),
            (C::ImageGatherExtended as u32, "shaderImageGatherExtended"),
            (C::StorageImageMultisample as u32, "shaderStorageImageMultisample"),
            (C::UniformBufferArrayDynamicIndexing as u32, "shaderUniformBufferArrayDynamicIndexing"),
            (C::SampledImageArrayDynamicIndexing as u32, "shaderSampledImageArrayDynamicIndexing"),
            (C::StorageBufferArrayDynamicIndexing as u32, "shaderStorageBufferArrayDynamicIndexing"),
            (C::StorageImageArrayDynamicIndexing as u32, "shaderStorageImageArrayDynamicIndexing"),
            (C::ClipDistance as u32, "shaderClipDistance"),
            (C::CullDistance as u32, "shaderCullDistance"),
            (C::ImageCubeArray as u32, "imageCubeArray"),
            (C::SampleRateShading as u32, "sampleRateShading"),
            (C::SparseResidency as u32, "shaderResourceResidency"),
            (C::MinLod as u32, "shaderResourceMinLod"),
            (C::SampledCubeArray as u32, "imageCubeArray"),
            (C::ImageMSArray as u32, "shaderStorageImageMultisample"),
            (C::InterpolationFunction as u32, "sampleRateShading"),
            (C::StorageImageReadWithoutFormat as u32, "shaderStorageImageReadWithoutFormat"),
            (C::StorageImageWriteWithoutFormat as u32, "shaderStorageImageWriteWithoutFormat"),
            (C::MultiViewport as u32, "multiViewport"),
        ],
    },
    Group { from: &[V1_1, V1_2], rows: &[(C::DrawParameters as u32, "shaderDrawParameters")] },
    Group {
        from: &[V1_2],
        rows: &[
            (C::ShaderLayer as u32, "shaderOutputLayer"),
            (C::ShaderViewportIndex as u32, "shaderOutputViewportIndex"),
        ],
    },
    Group {
        from: &[V1_2, Extension("VK_EXT_buffer_device_address"), Extension("VK_KHR_buffer_device_address")],
        rows: &[(C::PhysicalStorageBufferAddresses as u32, "bufferDeviceAddress")],
    },
    Group {
        from: &[V1_2, Extension("VK_EXT_descriptor_indexing")],
        rows: &[
            (C::RuntimeDescriptorArray as u32, "runtimeDescriptorArray"),
            (C::InputAttachmentArrayDynamicIndexing as u32, "shaderInputAttachmentArrayDynamicIndexing"),
            (
                C::UniformTexelBufferArrayDynamicIndexing as u32,
                "shaderUniformTexelBufferArrayDynamicIndexing",
            ),
            (
                C::StorageTexelBufferArrayDynamicIndexing as u32,
                "shaderStorageTexelBufferArrayDynamicIndexing",
            ),
            (C::UniformBufferArrayNonUniformIndexing as u32, "shaderUniformBufferArrayNonUniformIndexing"),
            (C::SampledImageArrayNonUniformIndexing as u32, "shaderSampledImageArrayNonUniformIndexing"),
            (C::StorageBufferArrayNonUniformIndexing as u32, "shaderStorageBufferArrayNonUniformIndexing"),
            (C::StorageImageArrayNonUniformIndexing as u32, "shaderStorageImageArrayNonUniformIndexing"),
            (
                C::InputAttachmentArrayNonUniformIndexing as u32,
                "shaderInputAttachmentArrayNonUniformIndexing",
            ),
            (
                C::UniformTexelBufferArrayNonUniformIndexing as u32,
                "shaderUniformTexelBufferArrayNonUniformIndexing",
            ),
            (
                C::StorageTexelBufferArrayNonUniformIndexing as u32,
                "shaderStorageTexelBufferArrayNonUniformIndexing",
            ),
        ],
    },
    Group {
        from: &[V1_2, Extension("VK_KHR_16bit_storage")],
        rows: &[
            (C::StorageBuffer16BitAccess as u32, "storageBuffer16BitAccess"),
            (C::UniformAndStorageBuffer16BitAccess as u32, "uniformAndStorageBuffer16BitAccess"),
            (C::StoragePushConstant16 as u32, "storagePushConstant16"),
            (C::StorageInputOutput16 as u32, "storageInputOutput16"),
        ],
    },
    Group {
        from: &[V1_2, Extension("VK_KHR_8bit_storage")],
        rows: &[
            (C::StorageBuffer8BitAccess as u32, "storageBuffer8BitAccess"),
            (C::UniformAndStorageBuffer8BitAccess as u32, "uniformAndStorageBuffer8BitAccess"),
            (C::StoragePushConstant8 as u32, "storagePushConstant8"),
        ],
    },
    Group { from: &[V1_2, Extension("VK_KHR_multiview")], rows: &[(C::MultiView as u32, "multiview")] },
    Group {
        from: &[V1_2, Extension("VK_KHR_shader_atomic_int64")],
        rows: &[
            (C::Int64Atomics as u32, "shaderBufferInt64Atomics"),
            (C::Int64Atomics as u32, "shaderSharedInt64Atomics"),
        ],
    },
    Group {
        from: &[V1_2, Extension("VK_KHR_shader_float16_int8")],
        rows: &[(C::Float16 as u32, "shaderFloat16"), (C::Int8 as u32, "shaderInt8")],
    },
    Group {
        from: &[V1_2, Extension("VK_KHR_variable_pointers")],
        rows: &[
            (C::VariablePointersStorageBuffer as u32, "variablePointersStorageBuffer"),
            (C::VariablePointers as u32, "variablePointers"),
        ],
    },
    Group {
        from: &[V1_2, Extension("VK_KHR_vulkan_memory_model")],
        rows: &[
            (C::VulkanMemoryModel as u32, "vulkanMemoryModel"),
            (C::VulkanMemoryModelDeviceScope as u32, "vulkanMemoryModelDeviceScope"),
        ],
    },
    Group {
        from: &[V1_3, Extension("VK_EXT_shader_demote_to_helper_invocation")],
        rows: &[(C::DemoteToHelperInvocation as u32, "shaderDemoteToHelperInvocation")],
    },
    Group {
        from: &[V1_3, Extension("VK_KHR_shader_integer_dot_product")],
        rows: &[
            (C::DotProductInputAll as u32, "shaderIntegerDotProduct"),
            (C::DotProductInput4x8Bit as u32, "shaderIntegerDotProduct"),
            (C::DotProductInput4x8BitPacked as u32, "shaderIntegerDotProduct"),
            (C::DotProduct as u32, "shaderIntegerDotProduct"),
        ],
    },
    Group {
        from: &[V1_4, Extension("VK_KHR_shader_expect_assume")],
        rows: &[(C::ExpectAssumeKHR as u32, "shaderExpectAssume")],
    },
    Group {
        from: &[V1_4, Extension("VK_KHR_shader_float_controls2")],
        rows: &[(C::FloatControls2 as u32, "shaderFloatControls2")],
    },
    Group {
        from: &[V1_4, Extension("VK_KHR_shader_subgroup_rotate")],
        rows: &[(C::GroupNonUniformRotateKHR as u32, "shaderSubgroupRotate")],
    },
    Group {
        from: &[Extension("VK_AMDX_shader_enqueue")],
        rows: &[(C::ShaderEnqueueAMDX as u32, "shaderEnqueue")],
    },
    Group { from: &[Extension("VK_ARM_data_graph")], rows: &[(C::GraphARM as u32, "dataGraph")] },
    Group {
        from: &[Extension("VK_ARM_shader_core_builtins")],
        rows: &[(C::CoreBuiltinsARM as u32, "shaderCoreBuiltins")],
    },
    Group {
        from: &[Extension("VK_ARM_tensors")],
        rows: &[
            (C::TensorsARM as u32, "shaderTensorAccess"),
            (C::StorageTensorArrayDynamicIndexingARM as u32, "shaderStorageTensorArrayDynamicIndexing"),
            (C::StorageTensorArrayNonUniformIndexingARM as u32, "shaderStorageTensorArrayNonUniformIndexing"),
        ],
    },
    Group {
        from: &[Extension("VK_EXT_cooperative_matrix_maintenance1")],
        rows: &[
            (B::CooperativeMatrixConversionsEXT as u32, "cooperativeMatrixConversions"),
            (B::CooperativeMatrixGetCoordinateEXT as u32, "cooperativeMatrixGetCoordinate"),
        ],
    },
    Group {
        from: &[Extension("VK_EXT_cooperative_matrix_maintenance1"), Extension("VK_NV_cooperative_matrix2")],
        rows: &[
            (C::CooperativeMatrixReductionsNV as u32, "cooperativeMatrixReductions"),
            (C::CooperativeMatrixPerElementOperationsNV as u32, "cooperativeMatrixPerElementOperations"),
        ],
    },
    Group {
        from: &[Extension("VK_EXT_descriptor_heap")],
        rows: &[(C::DescriptorHeapEXT as u32, "descriptorHeap")],
    },
    Group {
        from: &[Extension("VK_EXT_fragment_density_map")],
        rows: &[(C::FragmentDensityEXT as u32, "fragmentDensityMap")],
    },
    Group {
        from: &[Extension("VK_EXT_fragment_shader_interlock")],
        rows: &[
            (C::FragmentShaderSampleInterlockEXT as u32, "fragmentShaderSampleInterlock"),
            (C::FragmentShaderShadingRateInterlockEXT as u32, "fragmentShaderShadingRateInterlock"),
            (C::FragmentShaderPixelInterlockEXT as u32, "fragmentShaderPixelInterlock"),
        ],
    },
    Group {
        from: &[Extension("VK_EXT_shader_64bit_indexing")],
        rows: &[(C::Shader64BitIndexingEXT as u32, "shader64BitIndexing")],
    },
    Group {
        from: &[Extension("VK_EXT_shader_atomic_float")],
        rows: &[
            (C::AtomicFloat32AddEXT as u32, "shaderBufferFloat32AtomicAdd"),
            (C::AtomicFloat32AddEXT as u32, "shaderImageFloat32AtomicAdd"),
            (C::AtomicFloat32AddEXT as u32, "shaderSharedFloat32AtomicAdd"),
            (C::AtomicFloat64AddEXT as u32, "shaderBufferFloat64AtomicAdd"),
            (C::AtomicFloat64AddEXT as u32, "shaderSharedFloat64AtomicAdd"),
        ],
    },
    Group {
        from: &[Extension("VK_EXT_shader_atomic_float2")],
        rows: &[
            (C::AtomicFloat32MinMaxEXT as u32, "shaderBufferFloat32AtomicMinMax"),
            (C::AtomicFloat32MinMaxEXT as u32, "shaderImageFloat32AtomicMinMax"),
            (C::AtomicFloat32MinMaxEXT as u32, "shaderSharedFloat32AtomicMinMax"),
            (C::AtomicFloat64MinMaxEXT as u32, "shaderBufferFloat64AtomicMinMax"),
            (C::AtomicFloat64MinMaxEXT as u32, "shaderSharedFloat64AtomicMinMax"),
            (C::AtomicFloat16MinMaxEXT as u32, "shaderBufferFloat16AtomicMinMax"),
            (C::AtomicFloat16MinMaxEXT as u32, "shaderSharedFloat16AtomicMinMax"),
            (C::AtomicFloat16AddEXT as u32, "shaderBufferFloat16AtomicAdd"),
            (C::AtomicFloat16AddEXT as u32, "shaderSharedFloat16AtomicAdd"),
        ],
    },
    Group {
        from: &[Extension("VK_EXT_shader_float8")],
        rows: &[
            (C::Float8EXT as u32, "shaderFloat8"),
            (C::Float8CooperativeMatrixEXT as u32, "shaderFloat8CooperativeMatrix"),
        ],
    },
    Group {
        from: &[Extension("VK_EXT_shader_image_atomic_int64")],
        rows: &[
            (C::Int64Atomics as u32, "shaderImageInt64Atomics"),
            (C::Int64ImageEXT as u32, "shaderImageInt64Atomics"),
        ],
    },
    Group {
        from: &[Extension("VK_EXT_shader_long_vector")],
        rows: &[(C::LongVectorEXT as u32, "longVector")],
    },
    Group {
        from: &[Extension("VK_EXT_shader_ocp_microscaling_types")],
        rows: &[
            (B::Float6EXT as u32, "shaderFloat6"),
            (B::Float4EXT as u32, "shaderFloat4"),
            (B::Float8UnsignedE8M0EXT as u32, "shaderFloat8UnsignedE8M0"),
            (B::MXInt8EXT as u32, "shaderMXInt8"),
            (B::BitcastExtractEXT as u32, "shaderFloat4"),
            (B::BitcastExtractEXT as u32, "shaderFloat6"),
        ],
    },
    Group {
        from: &[Extension("VK_EXT_shader_replicated_composites")],
        rows: &[(C::ReplicatedCompositesEXT as u32, "shaderReplicatedComposites")],
    },
    Group {
        from: &[Extension("VK_EXT_shader_split_barrier")],
        rows: &[(C::SplitBarrierINTEL as u32, "shaderSplitBarrier")],
    },
    Group {
        from: &[Extension("VK_EXT_shader_subgroup_partitioned")],
        rows: &[(C::GroupNonUniformPartitionedEXT as u32, "shaderSubgroupPartitioned")],
    },
    Group {
        from: &[Extension("VK_EXT_shader_tile_image")],
        rows: &[
            (C::TileImageColorReadAccessEXT as u32, "shaderTileImageColorReadAccess"),
            (C::TileImageDepthReadAccessEXT as u32, "shaderTileImageDepthReadAccess"),
            (C::TileImageStencilReadAccessEXT as u32, "shaderTileImageStencilReadAccess"),
        ],
    },
    Group {
        from: &[Extension("VK_EXT_transform_feedback")],
        rows: &[
            (C::TransformFeedback as u32, "transformFeedback"),
            (C::GeometryStreams as u32, "geometryStreams"),
        ],
    },
    Group {
        from: &[Extension("VK_INTEL_shader_integer_functions2")],
        rows: &[(C::IntegerFunctions2INTEL as u32, "shaderIntegerFunctions2")],
    },
    Group {
        from: &[
            Extension("VK_KHR_compute_shader_derivatives"),
            Extension("VK_NV_compute_shader_derivatives"),
        ],
        rows: &[
            (C::ComputeDerivativeGroupQuadsKHR as u32, "computeDerivativeGroupQuads"),
            (C::ComputeDerivativeGroupLinearKHR as u32, "computeDerivativeGroupLinear"),
        ],
    },
    Group {
        from: &[Extension("VK_KHR_cooperative_matrix")],
        rows: &[(C::CooperativeMatrixKHR as u32, "cooperativeMatrix")],
    },
    Group {
        from: &[
            Extension("VK_KHR_fragment_shader_barycentric"),
            Extension("VK_NV_fragment_shader_barycentric"),
        ],
        rows: &[(C::FragmentBarycentricKHR as u32, "fragmentShaderBarycentric")],
    },
    Group {
        from: &[Extension("VK_KHR_fragment_shading_rate")],
        rows: &[
            (C::FragmentShadingRateKHR as u32, "attachmentFragmentShadingRate"),
            (C::FragmentShadingRateKHR as u32, "pipelineFragmentShadingRate"),
            (C::FragmentShadingRateKHR as u32, "primitiveFragmentShadingRate"),
        ],
    },
    Group {
        from: &[Extension("VK_KHR_opacity_micromap")],
        rows: &[
            (C::RayTracingOpacityMicromapEXT as u32, "micromap"),
            (B::RayTracingOpacityMicromapExecutionModeKHR as u32, "micromap"),
        ],
    },
    Group {
        from: &[Extension("VK_KHR_ray_query")],
        rows: &[(C::RayQueryKHR as u32, "rayQuery"), (C::RayTraversalPrimitiveCullingKHR as u32, "rayQuery")],
    },
    Group {
        from: &[Extension("VK_KHR_ray_tracing_maintenance1")],
        rows: &[(C::RayCullMaskKHR as u32, "rayTracingMaintenance1")],
    },
    Group {
        from: &[Extension("VK_KHR_ray_tracing_pipeline")],
        rows: &[
            (C::RayTraversalPrimitiveCullingKHR as u32, "rayTraversalPrimitiveCulling"),
            (C::RayTracingKHR as u32, "rayTracingPipeline"),
        ],
    },
    Group {
        from: &[Extension("VK_KHR_ray_tracing_position_fetch")],
        rows: &[
            (C::RayTracingPositionFetchKHR as u32, "rayTracingPositionFetch"),
            (C::RayQueryPositionFetchKHR as u32, "rayTracingPositionFetch"),
        ],
    },
    Group { from: &[Extension("VK_KHR_shader_abort")], rows: &[(B::AbortKHR as u32, "shaderAbort")] },
    Group {
        from: &[Extension("VK_KHR_shader_bfloat16")],
        rows: &[
            (C::BFloat16TypeKHR as u32, "shaderBFloat16Type"),
            (C::BFloat16DotProductKHR as u32, "shaderBFloat16DotProduct"),
            (C::BFloat16CooperativeMatrixKHR as u32, "shaderBFloat16CooperativeMatrix"),
        ],
    },
    Group {
        from: &[Extension("VK_KHR_shader_constant_data")],
        rows: &[(B::ConstantDataKHR as u32, "shaderConstantData")],
    },
    Group {
        from: &[Extension("VK_KHR_shader_fma")],
        rows: &[
            (C::FMAKHR as u32, "shaderFmaFloat16"),
            (C::FMAKHR as u32, "shaderFmaFloat32"),
            (C::FMAKHR as u32, "shaderFmaFloat64"),
        ],
    },
    Group {
        from: &[Extension("VK_KHR_shader_quad_control")],
        rows: &[(C::QuadControlKHR as u32, "shaderQuadControl")],
    },
    Group {
        from: &[Extension("VK_KHR_shader_untyped_pointers")],
        rows: &[(C::UntypedPointersKHR as u32, "shaderUntypedPointers")],
    },
    Group {
        from: &[Extension("VK_KHR_workgroup_memory_explicit_layout")],
        rows: &[
            (C::WorkgroupMemoryExplicitLayoutKHR as u32, "workgroupMemoryExplicitLayout"),
            (C::WorkgroupMemoryExplicitLayout8BitAccessKHR as u32, "workgroupMemoryExplicitLayout8BitAccess"),
            (
                C::WorkgroupMemoryExplicitLayout16BitAccessKHR as u32,
                "workgroupMemoryExplicitLayout16BitAccess",
            ),
        ],
    },
    Group {
        from: &[Extension("VK_NV_cluster_acceleration_structure")],
        rows: &[(C::RayTracingClusterAccelerationStructureNV as u32, "clusterAccelerationStructure")],
    },
    Group {
        from: &[Extension("VK_NV_cooperative_matrix")],
        rows: &[(C::CooperativeMatrixNV as u32, "cooperativeMatrix")],
    },
    Group {
        from: &[Extension("VK_NV_cooperative_matrix2")],
        rows: &[
            (C::CooperativeMatrixConversionsNV as u32, "cooperativeMatrixConversions"),
            (C::CooperativeMatrixTensorAddressingNV as u32, "cooperativeMatrixTensorAddressing"),
            (C::CooperativeMatrixBlockLoadsNV as u32, "cooperativeMatrixBlockLoads"),
            (C::TensorAddressingNV as u32, "cooperativeMatrixTensorAddressing"),
        ],
    },
    Group {
        from: &[Extension("VK_NV_cooperative_matrix_decode_vector")],
        rows: &[(B::CooperativeMatrixDecodeVectorNV as u32, "cooperativeMatrixDecodeVector")],
    },
    Group {
        from: &[Extension("VK_NV_cooperative_vector")],
        rows: &[
            (C::CooperativeVectorNV as u32, "cooperativeVector"),
            (C::CooperativeVectorTrainingNV as u32, "cooperativeVectorTraining"),
        ],
    },
    Group {
        from: &[Extension("VK_NV_push_constant_bank")],
        rows: &[(C::PushConstantBanksNV as u32, "pushConstantBank")],
    },
    Group {
        from: &[Extension("VK_NV_raw_access_chains")],
        rows: &[(C::RawAccessChainsNV as u32, "shaderRawAccessChains")],
    },
    Group {
        from: &[Extension("VK_NV_ray_tracing_linear_swept_spheres")],
        rows: &[
            (C::RayTracingSpheresGeometryNV as u32, "spheres"),
            (C::RayTracingLinearSweptSpheresGeometryNV as u32, "linearSweptSpheres"),
        ],
    },
    Group {
        from: &[Extension("VK_NV_ray_tracing_motion_blur")],
        rows: &[(C::RayTracingMotionBlurNV as u32, "rayTracingMotionBlur")],
    },
    Group {
        from: &[Extension("VK_NV_shader_atomic_float16_vector")],
        rows: &[(C::AtomicFloat16VectorNV as u32, "shaderFloat16VectorAtomics")],
    },
    Group {
        from: &[Extension("VK_NV_shader_image_footprint")],
        rows: &[(C::ImageFootprintNV as u32, "imageFootprint")],
    },
    Group {
        from: &[Extension("VK_NV_shader_sm_builtins")],
        rows: &[(C::ShaderSMBuiltinsNV as u32, "shaderSMBuiltins")],
    },
    Group {
        from: &[Extension("VK_NV_shading_rate_image")],
        rows: &[
            (C::FragmentDensityEXT as u32, "shadingRateImage"),
            (C::FragmentShaderShadingRateInterlockEXT as u32, "shadingRateImage"),
        ],
    },
    Group {
        from: &[Extension("VK_QCOM_cooperative_matrix_conversion")],
        rows: &[(C::CooperativeMatrixConversionQCOM as u32, "cooperativeMatrixConversion")],
    },
    Group {
        from: &[Extension("VK_QCOM_image_processing")],
        rows: &[
            (C::TextureSampleWeightedQCOM as u32, "textureSampleWeighted"),
            (C::TextureBoxFilterQCOM as u32, "textureBoxFilter"),
            (C::TextureBlockMatchQCOM as u32, "textureBlockMatch"),
        ],
    },
    Group {
        from: &[Extension("VK_QCOM_image_processing2")],
        rows: &[(C::TextureBlockMatch2QCOM as u32, "textureBlockMatch2")],
    },
    Group {
        from: &[Extension("VK_QCOM_image_processing3")],
        rows: &[
            (B::ImageGatherLinearQCOM as u32, "imageGatherLinear"),
            (B::ImageGatherExtendedModesQCOM as u32, "imageGatherExtendedModes"),
        ],
    },
    Group {
        from: &[Extension("VK_QCOM_shader_multiple_wait_queues")],
        rows: &[(B::MultipleWaitQueuesQCOM as u32, "shaderMultipleWaitQueues")],
    },
    Group { from: &[Extension("VK_QCOM_tile_shading")], rows: &[(C::TileShadingQCOM as u32, "tileShading")] },
    Group {
        from: &[Extension("VK_VALVE_shader_mixed_float_dot_product")],
        rows: &[
            (B::DotProductFloat16AccFloat32VALVE as u32, "shaderMixedFloatDotProductFloat16AccFloat32"),
            (B::DotProductFloat16AccFloat16VALVE as u32, "shaderMixedFloatDotProductFloat16AccFloat16"),
            (B::DotProductBFloat16AccVALVE as u32, "shaderMixedFloatDotProductBFloat16Acc"),
            (B::DotProductFloat8AccFloat32VALVE as u32, "shaderMixedFloatDotProductFloat8AccFloat32"),
        ],
    },
];
