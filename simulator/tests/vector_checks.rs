//! Checked mode of cooperative vectors: as in `checks`, `// !kind` marks the line of a finding, and nothing else is found.

use coopmat_simulator::Finding;

use crate::checks::compile;

/// `main` of 32 invocations: weights and values that are only read, and sums.
fn vectors(body: &str) -> Vec<Finding> {
    let source = format!(
        "#extension GL_NV_cooperative_vector : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Weights {{ float w[]; }};
layout(binding = 1) readonly buffer Values {{ float x[]; }};
layout(binding = 2) buffer Sums {{ float o[]; }};
layout(binding = 3) buffer Unwritten {{ float u[]; }};
#define F32 gl_ComponentTypeFloat32NV
#define F16 gl_ComponentTypeFloat16NV
#define ROWS gl_CooperativeVectorMatrixLayoutRowMajorNV
#define COLUMNS gl_CooperativeVectorMatrixLayoutColumnMajorNV
#define TRAINING gl_CooperativeVectorMatrixLayoutTrainingOptimalNV
shared vec4 s[64];
shared float t[129];
void main() {{
uint i = gl_LocalInvocationIndex;
coopvecNV<float, 4> v = coopvecNV<float, 4>(1.0);
coopvecNV<float16_t, 4> h = coopvecNV<float16_t, 4>(float16_t(1.0));
{body}
}}"
    );
    let values: Vec<f32> = (0..128).map(|value| value as f32).collect();
    compile(&source).check(|run| {
        run.floats(&values).floats(&values).zeros(256).bytes(&[0xcd; 1024]).unwritten().subgroup_size(16)
    })
}

#[test]
fn valid_shaders_have_no_findings() {
    vectors("coopVecLoadNV(v, x, i * 16); v = v * 2.0; coopVecStoreNV(v, o, i * 16);");
    vectors(
        "coopVecStoreNV(v, s, i * 16); barrier(); coopVecLoadNV(v, s, (31 - i) * 16); coopVecStoreNV(v, o, i * 16);",
    );
    // Only the offset has to be aligned where the array is shared.
    vectors("coopVecStoreNV(v, t, i * 16); barrier(); coopVecLoadNV(v, t, i * 16); o[i] = v[0];");
    vectors(
        "coopVecMatMulAddNV(v, v, F32, w, 64, F32, w, 16, F32, 4, 4, ROWS, false, 16); coopVecStoreNV(v, o, i * 16);",
    );
    // A repeated row.
    vectors("coopVecMatMulNV(v, v, F32, w, 0, F32, 4, 4, ROWS, false, 0); coopVecStoreNV(v, o, i * 16);");
    // Everybody adds to the same.
    vectors(
        "coopVecOuterProductAccumulateNV(h, h, o, 0, 0, TRAINING, F32); coopVecReduceSumAccumulateNV(v, o, 256);",
    );
}

#[test]
fn accesses_out_of_bounds() {
    let found = vectors("coopVecLoadNV(v, x, i * 32); // !out-of-bounds\no[i] = v[0];");
    assert_eq!(found[0].message, "reads 4 bytes at offset 512 of buffer Values, which has 512 bytes");
    vectors("coopVecStoreNV(v, o, i * 48); // !out-of-bounds");
    let found = vectors(
        "coopVecMatMulNV(v, v, F32, w, 448, F32, 4, 4, ROWS, false, 32); // !out-of-bounds\no[i] = v[0];",
    );
    assert_eq!(found[0].message, "reads 4 bytes at offset 512 of buffer Weights, which has 512 bytes");
    // 64 elements with the padding: those beyond the matrix itself are not touched.
    vectors("coopVecMatMulNV(v, v, F32, w, 448, F32, 4, 4, TRAINING, false, 0); o[i] = v[0];");
    vectors(
        "coopVecMatMulNV(v, v, F32, w, 512, F32, 4, 4, TRAINING, false, 0); // !out-of-bounds\no[i] = v[0];",
    );
    vectors(
        "coopVecMatMulAddNV(v, v, F32, w, 0, F32, w, 512, F32, 4, 4, ROWS, false, 16); // !out-of-bounds\no[i] = v[0];",
    );
    vectors("coopVecOuterProductAccumulateNV(h, h, o, 1008, 0, TRAINING, F32); // !out-of-bounds");
    vectors("coopVecReduceSumAccumulateNV(v, o, 1024); // !out-of-bounds");
}

#[test]
fn starts_and_strides_that_are_not_aligned() {
    let found = vectors("coopVecLoadNV(v, x, i * 4); // !misaligned\no[i] = v[0];");
    assert_eq!(
        found[0].message,
        "the vector begins at offset 4 of buffer Values, which is not a multiple of 16 bytes; start at an aligned offset"
    );
    let found = vectors("uint n = i * 4; coopVecStoreNV(v, t, n * 2); // !misaligned");
    assert!(
        found.iter().any(|found| found.message.contains("the offset of 8 bytes of the vector")),
        "{found:?}"
    );
    let found = vectors(
        "uint n = i == 0 ? 32 : 64; coopVecMatMulNV(v, v, F32, w, n, F32, 4, 4, TRAINING, false, 0); // !misaligned\no[i] = v[0];",
    );
    assert_eq!(
        found[0].message,
        "the matrix begins at offset 32 of buffer Weights, which is not a multiple of 64 bytes; start at an aligned offset"
    );
    vectors(
        "uint n = i * 0 + 20; coopVecMatMulNV(v, v, F32, w, 0, F32, 4, 4, ROWS, false, n); // !misaligned\no[i] = v[0];",
    );
    // An optimal layout has no stride.
    vectors(
        "uint n = i * 0 + 20; coopVecMatMulNV(v, v, F32, w, 0, F32, 4, 4, TRAINING, false, n); o[i] = v[0];",
    );
}

#[test]
fn what_was_never_written() {
    vectors("coopVecLoadNV(v, u, 0); // loaded\no[i] = v[0]; // !uninitialised");
    vectors(
        "coopVecMatMulNV(v, v, F32, u, 0, F32, 4, 4, ROWS, false, 16);\ncoopVecStoreNV(v, o, i * 16); // !uninitialised",
    );
    vectors(
        "coopVecMatMulAddNV(v, v, F32, w, 0, F32, u, 0, F32, 4, 4, ROWS, false, 16);\ncoopVecStoreNV(v, o, i * 16); // !uninitialised",
    );
    vectors(
        "coopvecNV<float, 4> y; coopVecMatMulNV(v, y, F32, w, 0, F32, 4, 4, ROWS, false, 16);\ncoopVecStoreNV(v, o, i * 16); // !uninitialised",
    );
    vectors("coopvecNV<float, 4> y;\ncoopVecStoreNV(y, o, i * 16); // !uninitialised");
    let found = vectors("coopvecNV<float, 4> y;\ncoopVecReduceSumAccumulateNV(y, o, 0); // !uninitialised");
    assert!(found[0].message.starts_with("what is added depends on a value that was never written"));
    // Sums begin with what is there.
    let found = vectors("coopVecReduceSumAccumulateNV(v, u, 0); // !uninitialised");
    assert!(found[0].message.starts_with("what is added to depends on a value that was never written"));
    vectors("coopVecOuterProductAccumulateNV(h, h, u, 0, 0, TRAINING, F32); // !uninitialised");
}

#[test]
fn races() {
    vectors("v[0] = float(i);\ncoopVecStoreNV(v, o, 0); // !data-race !other");
    vectors(
        "coopVecStoreNV(v, s, i * 16); // !missing-barrier !other\ncoopVecLoadNV(v, s, (31 - i) * 16); // !missing-barrier !other\no[i] = v[0];",
    );
    // Sums beside a plain write of another invocation.
    vectors("if (i == 3) o[0] = 5.0; // !other\ncoopVecReduceSumAccumulateNV(v, o, 0); // !data-race");
    let found = vectors(
        "if (i == 0) o[0] = 5.0; // !other\nbarrier();\ncoopVecMatMulNV(v, v, F32, o, 0, F32, 4, 4, ROWS, false, 16); // !data-race\no[i + 64] = v[0];",
    );
    assert!(found[0].message.contains("which invocation 0 of this dispatch wrote"), "{found:?}");
}

#[test]
fn numbers() {
    vectors(
        "v = v * 3e38;\ncoopVecMatMulNV(v, v, F32, w, 0, F32, 4, 4, ROWS, false, 16); // !infinity-born\ncoopVecStoreNV(v, o, i * 16); // !other",
    );
    vectors("coopVecOuterProductAccumulateNV(h, h, o, 0, 8, ROWS, F32); // !misaligned !stride-below-row");
}
