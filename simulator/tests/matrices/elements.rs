//! Elements of matrices as invocations see them: length, access, coordinates.

use super::support::*;
use coopmat_simulator::Settings;

/// What a loop over `m[i]` does, it does to every element, whoever owns which.
#[test]
fn loops_over_elements() {
    for component in [F16, F32, S8, U32] {
        let type_ = glsl(component);
        let source = format!(
            "layout(local_size_x = 64) in;
            layout(binding = 0) buffer A {{ {type_} a[]; }};
            layout(binding = 1) buffer B {{ {type_} b[]; }};
            void main() {{
                coopmat<{type_}, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m, n;
                coopMatLoad(m, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
                n = m;
                for (int i = 0; i < m.length(); ++i) n[i] = m[i] * {type_}(2) + {type_}(1);
                coopMatStore(n, b, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
                // What n was copied from is as it was.
                coopMatStore(m, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            }}"
        );
        let input = small(component, 256, 3);
        let mut buffers = vec![bytes(component, input.clone()), vec![0; 256 * component.bytes() as usize]];
        // RDNA3 keeps elements of A and B twice, but not those of accumulators: all ownerships agree.
        let result = run(&source, &buffers);
        assert_eq!(result[0], buffers[0]);
        let output = numbers(component, &result[1]);
        for index in 0..256 {
            assert_eq!(output[index], nearest(component, input[index] * 2.0 + 1.0));
        }
        buffers.clear();
    }
}

/// The same type has as many elements per invocation as its ownership says.
#[test]
fn lengths() {
    let program = compile(
        "layout(local_size_x = 64) in;
        layout(binding = 0) buffer A { int lengths[]; };
        void main() {
            coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> m;
            if (gl_LocalInvocationIndex == 0) lengths[0] = m.length();
        }",
    );
    for (size, ownership, expected) in [
        (32, "plain", 8),
        (64, "plain", 4),
        (8, "shuffled", 32),
        (32, "nvidia-h200", 8),
        (32, "amd-rdna3", 16),
        (64, "amd-rdna4", 4),
    ] {
        let (result, _) = run_with(&program, &[vec![0; 4]], settings(size, ownership));
        assert_eq!(numbers(S32, &result[0]), [f64::from(expected)], "{ownership}");
    }
}

/// NVIDIA's ownership, seen by a shader as it was on the device.
#[test]
fn ownership_is_seen() {
    let program = compile(
        "layout(local_size_x = 32) in;
        layout(binding = 0) buffer A { float a[]; };
        layout(binding = 1) buffer B { float b[]; };
        void main() {
            coopmat<float, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator> m;
            coopMatLoad(m, a, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
            for (int i = 0; i < m.length(); ++i) b[gl_SubgroupInvocationID * m.length() + i] = m[i];
        }",
    );
    let indices = bytes(F32, (0..128).map(f64::from));
    let (result, _) = run_with(&program, &[indices, vec![0; 512]], settings(32, "nvidia-h200"));
    let output = numbers(F32, &result[1]);
    assert_eq!(output[0..4], [0.0, 1.0, 64.0, 65.0]);
    assert_eq!(output[4 * 31..], [62.0, 63.0, 126.0, 127.0]);
}

/// coopMatGetCoordinateEXT says where `m[i]` is.
#[test]
fn coordinates() {
    let source = "#extension GL_EXT_cooperative_matrix_maintenance1 : require
        layout(local_size_x = 64) in;
        layout(binding = 0) buffer A { float a[]; };
        void main() {
            coopmat<float, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator> m;
            for (int i = 0; i < m.length(); ++i) {
                uvec2 at = coopMatGetCoordinateEXT(m, i);
                m[i] = float(at.x * 100 + at.y);
            }
            coopMatStore(m, a, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
        }";
    let output = numbers(F32, &run(source, &[vec![0; 512]])[0]);
    for row in 0..16 {
        for column in 0..8 {
            assert_eq!(output[row * 8 + column], (row * 100 + column) as f64);
        }
    }
}

/// Some invocations write their elements, in control flow that not all take.
#[test]
fn writes_in_divergent_control_flow() {
    let program = compile(
        "layout(local_size_x = 32) in;
        layout(binding = 0) buffer A { float a[]; };
        void main() {
            coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> m =
                coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator>(5.0);
            if (gl_SubgroupInvocationID % 2 == 1) m[0] = float(gl_SubgroupInvocationID);
            coopMatStore(m, a, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
        }",
    );
    let (result, _) = run_with(&program, &[vec![0; 256]], settings(32, "plain"));
    let output = numbers(F32, &result[0]);
    for (index, value) in output.iter().enumerate() {
        let expected = if index < 32 && index % 2 == 1 { index as f64 } else { 5.0 };
        assert_eq!(*value, expected);
    }
}

/// Checked mode: an index that no invocation has, and an element nobody wrote.
#[test]
fn indices_out_of_range_are_found() {
    let program = compile(
        "layout(local_size_x = 32) in;
        layout(binding = 0) buffer A { float a[]; };
        void main() {
            coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> m =
                coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator>(5.0);
            int i = int(a[0]);
            if (gl_SubgroupInvocationID == 3) a[1] = m[i];
        }",
    );
    let settings = Settings { checked: true, ..settings(32, "plain") };
    let (_, findings) = run_with(&program, &[bytes(F32, [2.0, 0.0])], settings);
    assert_eq!(
        findings[0].message,
        "element 2 of coopmat<float32_t, 8x8, Accumulator>, of which the invocation has 2"
    );
    assert_eq!(findings[0].invocation.index, 3);
}
