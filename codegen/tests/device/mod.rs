//! What a target device lacks of what a shader's module needs, on the pages of the catalogue that set a device and on the shader beside:
//! each line that is marked gets exactly what it marks, every other line gets nothing. And the places that ask.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::devices::DeviceProfile;
use coopmat_analysis::diagnostics::{Code, Diagnostic, Severity, codes};
use coopmat_analysis::fixture::{Reported, compare, page_examples};
use coopmat_analysis::sources::NoFiles;
use coopmat_analysis::{PERFORMANCE_CODES, analyze};
use coopmat_codegen::device::{self, add_diagnostics};
use expect_test::{Expect, expect};

/// No profile is known to have both matrices and GL_QCOM_cooperative_matrix_conversion.
fn with_conversions(profile: Arc<DeviceProfile>) -> Arc<DeviceProfile> {
    let mut profile = DeviceProfile::clone(&profile);
    profile.features.push("cooperativeMatrixConversion".to_owned());
    profile.extensions.push("VK_QCOM_cooperative_matrix_conversion".to_owned());
    Arc::new(profile)
}

fn difference(source: &str) -> Option<String> {
    let result = compare(source, |path, text, config, loader| {
        let mut config = config.clone();
        if source.contains("GL_QCOM_cooperative_matrix_conversion") {
            config.profile = config.device_profile().map(with_conversions);
        }
        let mut analysis = analyze(path, text, &config, loader, None);
        add_diagnostics(&mut analysis);
        let judged = |diagnostic: &&Diagnostic| {
            diagnostic.severity != Severity::Hint || source.contains(diagnostic.code.id)
        };
        Reported::new(analysis.files(), analysis.all_diagnostics().filter(judged).cloned().collect())
    });
    result.err()
}

#[test]
fn pages_with_a_device_get_what_they_mark() {
    let mut failures = String::new();
    let mut count = 0;
    // Performance is judged by a crate above.
    let is_judged = |code: &&&Code| !PERFORMANCE_CODES.iter().any(|one| one.id == code.id);
    for code in codes::ALL.iter().filter(is_judged) {
        let (wrong, right) = page_examples(code.page);
        for example in wrong.iter().chain(&right).filter(|example| example.contains("//! device:")) {
            count += 1;
            if let Some(difference) = difference(example) {
                failures.push_str(&format!("\n{}: {difference}", code.id));
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(count > 10, "only {count} examples have a device");
}

#[test]
fn a_shader_gets_what_it_marks() {
    assert_eq!(difference(include_str!("features.comp")), None);
}

#[test]
fn features_of_one_name_are_those_of_the_extension_that_is_used() {
    let source = include_str!("maintenance1.comp");
    assert_eq!(difference(source), None);
    // The same with the names of GL_NV_cooperative_matrix2, which the device has.
    let lines = source.lines().filter(|line| !line.contains("^ device-feature") && !line.contains("at."));
    let older: Vec<String> = lines
        .filter(|line| !line.contains("coopMatGetCoordinateEXT"))
        .map(|line| {
            line.replace("GL_EXT_cooperative_matrix_maintenance1", "GL_NV_cooperative_matrix2")
                .replace("RowEXT", "RowNV")
                .replace("ReduceEXT(", "ReduceNV(")
                .replace("ElementEXT(", "ElementNV(")
        })
        .collect();
    assert_eq!(difference(&older.join("\n")), None);
}

/// Each need with the text of its places.
fn needs(declarations: &str, body: &str, expected: Expect) {
    let text =
        format!("#version 460\n{declarations}\nlayout(local_size_x = 32) in;\nvoid main() {{\n{body}\n}}\n");
    let analysis = analyze("needs.comp", text.as_str().into(), &Configuration::default(), &NoFiles, None);
    let needs = device::needs(&analysis);
    let mut out = String::new();
    if let Some(reason) = needs.refusal() {
        out.push_str(&format!("not compiled: {reason}\n"));
    }
    for need in needs.list() {
        let any: Vec<String> = need.any.iter().map(ToString::to_string).collect();
        let places: Vec<&str> = need
            .places
            .iter()
            .map(|place| &analysis.preprocessed.text[usize::from(place.start())..usize::from(place.end())])
            .collect();
        out.push_str(&format!("{}: {} <- {}\n", need.why, any.join(" or "), places.join(" | ")));
    }
    expected.assert_eq(&out);
}

#[test]
fn atomics_need_the_feature_of_their_type_and_memory() {
    needs(
        "#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(binding = 0) buffer Data { float sum; double wide; uint64_t bits; };
shared float16_t least;",
        "    atomicAdd(sum, 1.0);
    atomicAdd(sum, 2.0);
    atomicMin(least, float16_t(1));
    atomicAdd(bits, 1ul);
    atomicExchange(wide, 1.0lf);",
        expect![[r#"
            the capability Shader: Vulkan 1.0 <- main
            the capability Float64: the feature shaderFloat64 <- layout(binding = 0) buffer Data { float sum; double wide; uint64_t bits; };
            the capability Int64: the feature shaderInt64 <- layout(binding = 0) buffer Data { float sum; double wide; uint64_t bits; };
            the capability Float16: the feature shaderFloat16 or VK_AMD_gpu_shader_half_float <- atomicMin(least, float16_t(1))
            atomic additions of 32-bit floats in buffers: the feature shaderBufferFloat32AtomicAdd <- atomicAdd(sum, 1.0) | atomicAdd(sum, 2.0)
            atomic minima of 16-bit floats in shared memory: the feature shaderSharedFloat16AtomicMinMax <- atomicMin(least, float16_t(1))
            atomic operations on 64-bit integers in buffers: the feature shaderBufferInt64Atomics <- atomicAdd(bits, 1ul)
            atomic exchanges of 64-bit floats in buffers: the feature shaderBufferFloat64Atomics <- atomicExchange(wide, 1.0lf)
        "#]],
    );
}

#[test]
fn what_amd_has_needs_its_extensions() {
    needs(
        "#extension GL_AMD_gcn_shader : require
#extension GL_AMD_shader_ballot : require
#extension GL_AMD_shader_trinary_minmax : require
layout(binding = 0) buffer B { float a; uint b; };",
        "a = addInvocationsAMD(a); b = writeInvocationAMD(b, 1u, 2u); a = cubeFaceIndexAMD(vec3(a)); a = mid3(a, 1.0, 2.0);",
        expect![[r#"
            the capability Shader: Vulkan 1.0 <- main
            the capability Groups: VK_AMD_shader_ballot <- addInvocationsAMD(a) | writeInvocationAMD(b, 1u, 2u)
            instructions of SPV_AMD_gcn_shader: VK_AMD_gcn_shader <- cubeFaceIndexAMD(vec3(a))
            instructions of SPV_AMD_shader_trinary_minmax: VK_AMD_shader_trinary_minmax <- mid3(a, 1.0, 2.0)
        "#]],
    );
}

#[test]
fn variable_offsets_need_maintenance8_unless_of_gathers() {
    needs(
        "#extension GL_EXT_texture_offset_non_const : require
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1) buffer B { vec4 a; ivec2 at; };",
        "    a = textureLodOffset(picture, vec2(0.5), 0.0, at);
    a += textureLodOffset(picture, vec2(0.5), 0.0, ivec2(1));
    a += textureGatherOffset(picture, vec2(0.5), at);",
        expect![[r#"
            the capability Shader: Vulkan 1.0 <- main
            the capability ImageGatherExtended: the feature shaderImageGatherExtended <- textureLodOffset(picture, vec2(0.5), 0.0, at) | textureGatherOffset(picture, vec2(0.5), at)
            lookups at offsets that are no constants: the feature maintenance8 <- textureLodOffset(picture, vec2(0.5), 0.0, at)
        "#]],
    );
}

#[test]
fn matrices_need_what_their_types_and_calls_need() {
    needs(
        "#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_cooperative_matrix_maintenance1 : require
#extension GL_EXT_bfloat16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(binding = 0) buffer Data { float16_t data[]; };",
        "    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopMatLoad(a, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopmat<bfloat16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    b = coopmat<bfloat16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>(0.0);
    uvec2 at = coopMatGetCoordinateEXT(a, 0);",
        expect![[r#"
            the capability Shader: Vulkan 1.0 <- main
            the capability CooperativeMatrixKHR: the feature cooperativeMatrix <- a | b
            the capability StorageBuffer16BitAccess: the feature storageBuffer16BitAccess <- layout(binding = 0) buffer Data { float16_t data[]; };
            the capability BFloat16TypeKHR: the feature shaderBFloat16Type <- b
            the capability BFloat16CooperativeMatrixKHR: the feature shaderBFloat16CooperativeMatrix <- b
            the capability CooperativeMatrixGetCoordinateEXT: the feature cooperativeMatrixGetCoordinate <- coopMatGetCoordinateEXT(a, 0)
            the capability Float16: the feature shaderFloat16 or VK_AMD_gpu_shader_half_float <- a
            the capability VulkanMemoryModel: the feature vulkanMemoryModel <- a
        "#]],
    );
}

#[test]
fn of_a_shader_that_is_not_compiled_nothing_is_known() {
    needs(
        "",
        "    nowhere = 1;",
        expect![[r#"
        not compiled: the shader has errors: `nowhere` is not declared
    "#]],
    );
}
