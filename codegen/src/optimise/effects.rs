//! Which instructions do nothing but make their result: what the table of instructions says of each, and what its operands add.

use coopmat_spirv::grammar::Effect;
use coopmat_spirv::{Opcode, calls_functions, is_volatile, opcode};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{GlslStd450Op, Word};

/// Whether an instruction may go when nothing uses its result.
pub(super) fn is_pure(instruction: &Instruction, glsl: Option<Word>) -> bool {
    let opcode = opcode(instruction);
    match opcode.facts().effect {
        Effect::Nothing => true,
        Effect::Reads => !is_volatile(instruction) && !calls_functions(instruction),
        Effect::Acts => opcode == Opcode::ExtInst && is_pure_extended(instruction, glsl),
    }
}

fn is_pure_extended(instruction: &Instruction, glsl: Option<Word>) -> bool {
    match instruction.operands.as_slice() {
        [Operand::IdRef(set), Operand::LiteralExtInstInteger(number), ..] => {
            // These two write through a pointer.
            Some(*set) == glsl
                && !matches!(
                    GlslStd450Op::from_u32(*number),
                    None | Some(GlslStd450Op::Modf | GlslStd450Op::Frexp)
                )
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use coopmat_analysis::extensions;
    use coopmat_spirv::grammar::Family;
    use expect_test::expect;
    use rspirv::dr::Module;

    use super::*;
    use crate::optimise::tests::compiled;
    use crate::{DebugInfo, optimise};

    fn names(module: &Module) -> BTreeSet<&'static str> {
        let lines = module.functions.iter().flat_map(|function| function.all_inst_iter());
        lines.map(|line| line.class.opname).collect()
    }

    /// The instructions go with the passes over a shader in which nothing uses their results.
    fn goes(source: &str, instructions: &[&str]) {
        let (_, compiled) = compiled(source, DebugInfo::None);
        let before = names(&compiled.module);
        let after = names(&optimise(compiled).module);
        for instruction in instructions {
            assert!(before.contains(instruction), "{instruction} is not in the shader: {before:?}");
            assert!(!after.contains(instruction), "{instruction} survives: {after:?}");
        }
    }

    const QCOM: &str = "
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_QCOM_cooperative_matrix_conversion : require
void main() {
    uint32_t words[32];
    words[0] = 1u;
    float16_t halves[64];
    uint32_t part[8];
    bitcastQCOM(words, halves);
    extractSubArrayQCOM(words, 8, part);
    coopmat<float16_t, gl_ScopeSubgroup, 64, 16, gl_MatrixUseA> a;
    vectorToCoopmatQCOM(part, a);
    coopmatToVectorQCOM(a, part);
}";

    #[test]
    fn unused_arrays_of_matrices_go() {
        let instructions = [
            "BitCastArrayQCOM",
            "ExtractSubArrayQCOM",
            "CompositeConstructCoopMatQCOM",
            "CompositeExtractCoopMatQCOM",
        ];
        goes(QCOM, &instructions);
    }

    #[test]
    fn an_unused_coordinate_goes() {
        let source = "
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_cooperative_matrix_maintenance1 : require
void main() {
    coopmat<float, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator> m = coopmat<float, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator>(1);
    uvec2 at = coopMatGetCoordinateEXT(m, 0);
}";
        goes(source, &["CooperativeMatrixGetCoordinateEXT"]);
    }

    #[test]
    fn unused_answers_of_a_subgroup_go() {
        let source = "
#extension GL_KHR_shader_subgroup_rotate : require
#extension GL_EXT_shader_quad_control : require
#extension GL_ARB_shader_ballot : require
layout(binding = 0) buffer B { uint d[]; };
void main() {
    uint rotated = subgroupRotate(d[0], 1u);
    bool any = subgroupQuadAny(d[1] == 0u);
    uint first = readFirstInvocationARB(d[2]);
}";
        goes(
            source,
            &["GroupNonUniformRotateKHR", "GroupNonUniformQuadAnyKHR", "SubgroupFirstInvocationKHR"],
        );
    }

    #[test]
    fn unused_texels_and_sizes_go() {
        let source = "
layout(binding = 0) uniform sampler2D s;
void main() {
    vec4 texel = textureLod(s, vec2(0.5), 0.0) + texelFetch(s, ivec2(0), 0);
    ivec2 size = textureSize(s, 0);
}";
        goes(source, &["ImageSampleExplicitLod", "ImageFetch", "ImageQuerySizeLod", "Image"]);
    }

    const TENSOR: &str = "
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require
#extension GL_NV_cooperative_matrix2 : require
layout(binding = 0) buffer Values { float16_t values[]; };
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Block { float16_t element; };
float16_t decode(const in Block block, const in uint32_t at[2], const in uint32_t inside[2]) {
    values[0] = block.element;
    return block.element;
}
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> m = coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>(0);
    tensorLayoutNV<2> at = createTensorLayoutNV(2);
    coopMatLoadTensorNV(m, values, 0, at DECODE);
}";

    #[test]
    fn an_unused_tensor_load_goes_unless_it_calls_a_function() {
        goes(&TENSOR.replace("DECODE", ""), &["CooperativeMatrixLoadTensorNV"]);
        let (_, compiled) = compiled(&TENSOR.replace("DECODE", ", decode"), DebugInfo::None);
        assert!(names(&optimise(compiled).module).contains("CooperativeMatrixLoadTensorNV"));
    }

    /// What stands here stays in a shader even where nothing uses its result. Everything else that a built-in becomes may go.
    #[test]
    fn the_instructions_of_built_ins_that_stay_are_few() {
        let mut staying = BTreeSet::new();
        for (_, function) in extensions::all_functions() {
            for part in function.instruction.split(',').map(str::trim) {
                let Some(opcode) = part.strip_prefix("Op").and_then(Opcode::named) else { continue };
                if opcode.facts().effect == Effect::Acts && opcode.family() != Family::Atomic {
                    staying.insert(opcode.name());
                }
            }
        }
        let staying: Vec<&str> = staying.into_iter().collect();
        expect![[r#"
            AbortKHR
            AssumeTrueKHR
            BeginInvocationInterlockEXT
            ColorAttachmentReadEXT
            ControlBarrier
            ControlBarrierArriveINTEL
            ControlBarrierWaitINTEL
            CooperativeMatrixPerElementOpNV
            CooperativeMatrixReduceNV
            CooperativeMatrixStoreKHR
            CooperativeMatrixStoreNV
            CooperativeMatrixStoreTensorNV
            CooperativeVectorLoadNV
            CooperativeVectorMatrixMulAddNV
            CooperativeVectorMatrixMulNV
            CooperativeVectorOuterProductAccumulateNV
            CooperativeVectorReduceSumAccumulateNV
            CooperativeVectorStoreNV
            DepthAttachmentReadEXT
            EmitMeshTasksEXT
            EmitStreamVertex
            EmitVertex
            EndInvocationInterlockEXT
            EndPrimitive
            EndStreamPrimitive
            ExecuteCallableKHR
            ExecuteCallableNV
            FetchMicroTriangleVertexBarycentricNV
            FetchMicroTriangleVertexPositionNV
            HitObjectExecuteShaderEXT
            HitObjectExecuteShaderNV
            HitObjectGetAttributesEXT
            HitObjectGetAttributesNV
            HitObjectGetClusterIdNV
            HitObjectGetCurrentTimeEXT
            HitObjectGetCurrentTimeNV
            HitObjectGetGeometryIndexEXT
            HitObjectGetGeometryIndexNV
            HitObjectGetHitKindEXT
            HitObjectGetHitKindNV
            HitObjectGetInstanceCustomIndexEXT
            HitObjectGetInstanceCustomIndexNV
            HitObjectGetInstanceIdEXT
            HitObjectGetInstanceIdNV
            HitObjectGetIntersectionTriangleVertexPositionsEXT
            HitObjectGetLSSPositionsNV
            HitObjectGetLSSRadiiNV
            HitObjectGetObjectRayDirectionEXT
            HitObjectGetObjectRayDirectionNV
            HitObjectGetObjectRayOriginEXT
            HitObjectGetObjectRayOriginNV
            HitObjectGetObjectToWorldEXT
            HitObjectGetObjectToWorldNV
            HitObjectGetPrimitiveIndexEXT
            HitObjectGetPrimitiveIndexNV
            HitObjectGetRayFlagsEXT
            HitObjectGetRayTMaxEXT
            HitObjectGetRayTMaxNV
            HitObjectGetRayTMinEXT
            HitObjectGetRayTMinNV
            HitObjectGetShaderBindingTableRecordIndexEXT
            HitObjectGetShaderBindingTableRecordIndexNV
            HitObjectGetShaderRecordBufferHandleEXT
            HitObjectGetShaderRecordBufferHandleNV
            HitObjectGetSpherePositionNV
            HitObjectGetSphereRadiusNV
            HitObjectGetWorldRayDirectionEXT
            HitObjectGetWorldRayDirectionNV
            HitObjectGetWorldRayOriginEXT
            HitObjectGetWorldRayOriginNV
            HitObjectGetWorldToObjectEXT
            HitObjectGetWorldToObjectNV
            HitObjectIsEmptyEXT
            HitObjectIsEmptyNV
            HitObjectIsHitEXT
            HitObjectIsHitNV
            HitObjectIsLSSHitNV
            HitObjectIsMissEXT
            HitObjectIsMissNV
            HitObjectIsSphereHitNV
            HitObjectRecordEmptyEXT
            HitObjectRecordEmptyNV
            HitObjectRecordFromQueryEXT
            HitObjectRecordHitMotionNV
            HitObjectRecordHitNV
            HitObjectRecordHitWithIndexMotionNV
            HitObjectRecordHitWithIndexNV
            HitObjectRecordMissEXT
            HitObjectRecordMissMotionEXT
            HitObjectRecordMissMotionNV
            HitObjectRecordMissNV
            HitObjectReorderExecuteShaderEXT
            HitObjectSetShaderBindingTableRecordIndexEXT
            HitObjectTraceMotionReorderExecuteEXT
            HitObjectTraceRayEXT
            HitObjectTraceRayMotionEXT
            HitObjectTraceRayMotionNV
            HitObjectTraceRayNV
            HitObjectTraceReorderExecuteEXT
            IgnoreIntersectionNV
            ImageRead
            ImageSparseRead
            ImageWrite
            IsHelperInvocationEXT
            MemoryBarrier
            RayQueryConfirmIntersectionKHR
            RayQueryGenerateIntersectionKHR
            RayQueryGetIntersectionBarycentricsKHR
            RayQueryGetIntersectionCandidateAABBOpaqueKHR
            RayQueryGetIntersectionClusterIdNV
            RayQueryGetIntersectionFrontFaceKHR
            RayQueryGetIntersectionGeometryIndexKHR
            RayQueryGetIntersectionInstanceCustomIndexKHR
            RayQueryGetIntersectionInstanceIdKHR
            RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR
            RayQueryGetIntersectionLSSHitValueNV
            RayQueryGetIntersectionLSSPositionsNV
            RayQueryGetIntersectionLSSRadiiNV
            RayQueryGetIntersectionObjectRayDirectionKHR
            RayQueryGetIntersectionObjectRayOriginKHR
            RayQueryGetIntersectionObjectToWorldKHR
            RayQueryGetIntersectionPrimitiveIndexKHR
            RayQueryGetIntersectionSpherePositionNV
            RayQueryGetIntersectionSphereRadiusNV
            RayQueryGetIntersectionTKHR
            RayQueryGetIntersectionTriangleVertexPositionsKHR
            RayQueryGetIntersectionTypeKHR
            RayQueryGetIntersectionWorldToObjectKHR
            RayQueryGetRayFlagsKHR
            RayQueryGetRayTMinKHR
            RayQueryGetWorldRayDirectionKHR
            RayQueryGetWorldRayOriginKHR
            RayQueryInitializeKHR
            RayQueryIsLSSHitNV
            RayQueryIsSphereHitNV
            RayQueryProceedKHR
            RayQueryTerminateKHR
            ReadClockKHR
            ReorderThreadWithHintEXT
            ReorderThreadWithHintNV
            ReorderThreadWithHitObjectEXT
            ReorderThreadWithHitObjectNV
            ReportIntersectionKHR
            SetMeshOutputsEXT
            StencilAttachmentReadEXT
            TensorQuerySizeARM
            TensorReadARM
            TensorWriteARM
            TerminateRayNV
            TraceNV
            TraceRayKHR
            TraceRayMotionNV
            WritePackedPrimitiveIndices4x8NV"#]]
        .assert_eq(&staying.join("\n"));
    }
}
