//! What is done for all lanes at once in fast mode gives the bits that checked mode, which goes lane by lane, gives.

use crate::support::{HEADER, Run, module};

/// Runs a shader fast and checked, over buffers of 4096 bytes: the first is only read.
fn same(declarations: &str, statements: &str) {
    let source = format!(
        "#extension GL_KHR_cooperative_matrix : require
        #extension GL_KHR_memory_scope_semantics : require
        layout(local_size_x = 64) in;
        layout(push_constant) uniform P {{ uint one; uvec3 few; }} p;
        {declarations}
        void main() {{
            uint i = gl_LocalInvocationIndex;
            {statements}
        }}"
    );
    let input: Vec<u8> = (0..4096u32).map(|index| (index.wrapping_mul(2654435761) >> 13) as u8).collect();
    let module = module(&source);
    for size in [8, 32, 64] {
        let run = |checked: bool| {
            let mut run = Run::of(module.clone()).subgroup_size(size).bytes(&input).bytes(&input);
            run.settings.checked = checked;
            let constants = [1u32, 0, 0, 0, 2, 3, 4].iter().flat_map(|word| word.to_le_bytes());
            let constants: Vec<u8> = constants.collect();
            run.push_constants(&constants).run().bytes(1)
        };
        let (fast, checked) = (run(false), run(true));
        let differs = fast.iter().zip(&checked).position(|(fast, checked)| fast != checked);
        assert_eq!(differs, None, "subgroups of {size}: {HEADER}{source}");
        assert_ne!(fast, input, "it writes something");
    }
}

/// Two buffers of one type: what is loaded from the first is stored to the second.
fn buffers(type_: &str) -> String {
    format!(
        "layout(binding = 0, scalar) readonly buffer A {{ {type_} a[]; }};
        layout(binding = 1, scalar) buffer B {{ {type_} b[]; }};"
    )
}

#[test]
fn each_width() {
    for type_ in [
        "uint8_t",
        "u8vec3",
        "u8vec4",
        "float16_t",
        "f16vec2",
        "f16vec3",
        "f16vec4",
        "uint",
        "uvec2",
        "vec3",
        "vec4",
        "uint64_t",
        "u64vec2",
        "double",
    ] {
        same(&buffers(type_), "b[i] = a[i + 1];");
        same(&buffers(type_), "b[i * 2] = a[63 - i];");
    }
}

#[test]
fn some_lanes() {
    for type_ in ["uint8_t", "f16vec4", "uvec2", "uint64_t"] {
        same(&buffers(type_), "if (i % 3 == 1) b[i] = a[i * 2];");
        same(&buffers(type_), "for (uint k = 0; k < i % 5; k++) b[i * 4 + k] = a[i + k];");
    }
}

#[test]
fn beyond_the_end_in_the_middle_of_the_lanes() {
    for type_ in ["uint8_t", "f16vec4", "uvec2", "uint64_t"] {
        same(&buffers(type_), "b[i] = a[i * 37]; b[i * 41 + 64] = a[i];");
        same(&buffers(type_), "b[i] = a[(i & 7u) == 3u ? 4000000000u : i];");
    }
}

#[test]
fn places_that_overlap() {
    for type_ in ["uint8_t", "f16vec4", "uvec2", "uint64_t"] {
        same(&buffers(type_), "b[i / 2] = a[i]; b[100] = a[i];");
    }
    // One structure over the next one.
    let overlapping = "
        struct S { float16_t x; float16_t y; float z; uint64_t w; };
        layout(binding = 0, scalar) readonly buffer A { S a[]; };
        layout(binding = 1, scalar) buffer B { uint8_t b[]; };
        shared S staged[65];";
    same(
        overlapping,
        "staged[i + 1] = a[i]; staged[i] = a[i + 2]; barrier(); S s = staged[i]; b[i] = uint8_t(s.w) + uint8_t(s.z);",
    );
}

#[test]
fn misaligned_and_apart() {
    let packed = "
        struct S { uint8_t x; float16_t y; uint8_t z[3]; uint w; };
        layout(binding = 0, scalar) readonly buffer A { S a[]; };
        layout(binding = 1, scalar) buffer B { S b[]; };";
    same(packed, "b[i] = a[i + 3];");
    let rows = "
        layout(binding = 0, std430, row_major) readonly buffer A { mat3x2 a[]; };
        layout(binding = 1, std430, row_major) buffer B { mat3x2 b[]; };";
    same(rows, "b[i] = a[i]; b[i + 70][1] = a[i + 1][i % 3];");
}

#[test]
fn shared_memory_and_indices() {
    let declarations = format!("{} shared f16vec4 tile[64]; shared uint8_t bytes[256];", buffers("f16vec4"));
    same(
        &declarations,
        "tile[i ^ 5u] = a[i]; bytes[i * 3 + 1] = uint8_t(i); barrier();
        int back = 63 - int(i);
        b[i] = tile[back] + f16vec4(bytes[back * 3 + 1]);
        b[64 + i / p.one] = tile[i / 7 * p.few.x % 64]; b[128 + i % 4] = tile[i % p.few.z];",
    );
}

#[test]
fn push_constants_and_built_ins_at_any_time() {
    same(
        &buffers("uint"),
        "uint sum = 0;
        for (uint k = 0; k < p.few[p.one]; k++) { sum += p.few.y * gl_WorkGroupSize.x + p.few[k % 3]; }
        uvec3 all = p.few + gl_LocalInvocationID; b[i] = sum + all.x + a[i];",
    );
}

#[test]
fn matrices_in_arrays() {
    let declarations = "
        layout(binding = 0) readonly buffer A { float16_t a[]; };
        layout(binding = 1) buffer B { float b[]; };
        shared float16_t tile[512];
        #define M(U) coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUse##U>
        #define C coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>";
    for layout in ["Row", "Column"] {
        let statements = format!(
            "M(A) left[2]; M(B) right[2]; C sum[4];
            for (uint k = 0; k < 8; k++) tile[i * 8 + k] = float16_t(uint(i * 8 + k) % 13);
            barrier();
            for (uint j = 0; j < 2; j++) {{
                coopMatLoad(left[j], tile, j * 16, 16, gl_CooperativeMatrixLayout{layout}Major);
                coopMatLoad(right[j], tile, 256 + j * 2, 18 - j * 2, gl_CooperativeMatrixLayout{layout}Major);
            }}
            for (uint j = 0; j < 4; j++) sum[j] = C(float(j));
            for (uint step = 0; step < 3; step++) {{
                for (uint j = 0; j < 4; j++) {{
                    C old = sum[j];
                    sum[j] = coopMatMulAdd(left[j / 2], right[j % 2], sum[j ^ step]);
                    sum[j] = coopMatMulAdd(left[j % 2], right[j / 2], sum[j]);
                    if (j == 3) sum[j] = old + sum[j];
                }}
            }}
            coopMatStore(sum[3], b, 0, 16, gl_CooperativeMatrixLayout{layout}Major);
            coopMatStore(sum[1], b, 256, 32, gl_CooperativeMatrixLayout{layout}Major);
            coopMatStore(sum[2], b, 272, 32, gl_CooperativeMatrixLayout{layout}Major);"
        );
        same(declarations, &statements);
    }
}

/// Products of packed bytes, beside the same sums of single bytes.
#[test]
fn dot_products_of_packed_bytes() {
    let source = "
        layout(local_size_x = 64) in;
        layout(binding = 0) buffer A { uint wrong[64]; uint a[128]; };
        void main() {
            uint i = gl_LocalInvocationIndex, x = a[i], y = a[i + 64], plain = 0;
            int both = 0;
            for (int k = 0; k < 32; k += 8) {
                both += bitfieldExtract(int(x), k, 8) * bitfieldExtract(int(y), k, 8);
                plain += bitfieldExtract(x, k, 8) * bitfieldExtract(y, k, 8);
            }
            int most = 2147483647, near = most - 20000;
            int sum = both > 20000 ? most : near + both;
            uint all = plain > 40000 ? 0xffffffffu : plain + (0xffffffffu - 40000);
            wrong[i] = uint(dotPacked4x8EXT(int(x), int(y)) != both) + uint(dotPacked4x8EXT(x, y) != plain)
                + uint(dotPacked4x8AccSatEXT(int(x), int(y), near) != sum)
                + uint(dotPacked4x8AccSatEXT(x, y, 0xffffffffu - 40000) != all);
        }";
    let words: Vec<u32> = (0..192u32).map(|index| index.wrapping_mul(0x9e37_79b9) ^ index << 27).collect();
    let found = Run::new(source).words(&words).run().words(0);
    assert_eq!(found[..64], [0; 64]);
}
