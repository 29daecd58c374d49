//! Variables of functions: values that are loaded from them stay what they were, whatever is stored later.

use crate::support::{Run, words};

#[test]
fn variables_change_places() {
    let source = "
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer O { uint o[]; };
        void main() {
            uint a = 1u + o[7], b = 2u + o[7];
            uint t = a; a = b; b = t;
            o[0] = a; o[1] = b;
            uint before = a++; uint after = ++a;
            o[2] = before; o[3] = after;
            uvec2 v = uvec2(a, b); v = v.yx; v.x = v.x + v.y; v.y = v.x - v.y;
            o[4] = v.x; o[5] = v.y;
            uint sum = (a = a + 1u) + a * (b += a) + b;
            o[6] = sum;
        }";
    assert_eq!(words(source, 8)[..7], [2, 1, 2, 4, 5, 1, 5 + 5 * 6 + 6]);
}

#[test]
fn lanes_of_a_branch_store_for_themselves() {
    let source = "
        layout(local_size_x = 8) in;
        layout(binding = 0) buffer O { uint o[]; };
        void main() {
            uint i = gl_LocalInvocationIndex, x = 100u, y = x + 1u;
            if ((i & 1u) == 0u) { uint old = x; x = old + i; y = old; } else { x = y * 2u; }
            for (uint k = 0u; k < i; k++) { uint last = y; y = x; x = last + 1u; }
            o[i] = x * 1000u + y;
        }";
    let wanted: Vec<u32> = (0..8u32)
        .map(|i| {
            let (mut x, mut y) = if i % 2 == 0 { (100 + i, 100) } else { (202, 101) };
            for _ in 0..i {
                (x, y) = (y + 1, x);
            }
            x * 1000 + y
        })
        .collect();
    assert_eq!(words(source, 8), wanted);
}

/// An accumulator is added to in its own place; what was read of it before stays.
#[test]
fn sums_of_matrices_are_made_in_place() {
    let source = "#extension GL_KHR_cooperative_matrix : require
        #extension GL_KHR_memory_scope_semantics : require
        layout(local_size_x = 32) in;
        layout(binding = 0) readonly buffer A { float16_t a[]; };
        layout(binding = 1) buffer C { float c[]; };
        void main() {
            coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> left;
            coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> right;
            coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum =
                coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(1.0), before, twice;
            coopMatLoad(left, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopMatLoad(right, a, 0, 16, gl_CooperativeMatrixLayoutColumnMajor);
            for (int k = 0; k < 3; k++) {
                before = sum;
                sum = coopMatMulAdd(left, right, sum);
                twice = sum + sum;
            }
            coopMatStore(before, c, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopMatStore(sum, c, 256, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopMatStore(twice, c, 512, 16, gl_CooperativeMatrixLayoutRowMajor);
        }";
    let ones: Vec<u8> = (0..256).flat_map(|_| 0x3c00u16.to_le_bytes()).collect();
    let found = Run::new(source).subgroup_size(32).bytes(&ones).zeros(768).run().floats(1);
    assert_eq!([found[0], found[256], found[512]], [33.0, 49.0, 98.0]);
    assert!(found.chunks(256).all(|matrix| matrix.iter().all(|value| *value == matrix[0])));
}
