//! Tensor loads with decode functions: quantised blocks, the scalar and the vector function, chosen one way or the other.

use super::support::*;
use coopmat_simulator::{DecodeChoice, Settings};

/// The blocks of q8_0: a scale and 32 bytes.
fn blocks(rows: usize, columns: usize) -> (Vec<u8>, Vec<f64>) {
    let (mut memory, mut values) = (Vec::new(), vec![0.0; rows * columns]);
    for row in 0..rows {
        for block in 0..columns / 32 {
            let scale = 0.25 * (1 + (row + block) % 4) as f64;
            let quants: Vec<f64> =
                (0..32).map(|index| ((index * 5 + row * 3 + block * 7) % 31) as f64 - 15.0).collect();
            memory.extend(bytes(F16, [scale]));
            memory.extend(bytes(S8, quants.clone()));
            for (index, quant) in quants.into_iter().enumerate() {
                values[row * columns + block * 32 + index] = scale * quant;
            }
        }
    }
    (memory, values)
}

fn source(scope: &str, wrong: &str, view: &str) -> String {
    format!(
        "#extension GL_NV_cooperative_matrix2 : require
        #extension GL_NV_cooperative_matrix_decode_vector : require
        layout(local_size_x = 64) in;
        struct Block {{ float16_t scale; int8_t quants[32]; }};
        layout(binding = 0, scalar) readonly buffer Quantized {{ Block blocks[]; }};
        layout(binding = 1) writeonly buffer Output {{ float16_t result[]; }};
        layout(buffer_reference, std430, buffer_reference_align = 2) buffer Reference {{ Block block; }};
        float16_t decode(const in Reference data, const in uint32_t block[2], const in uint32_t inside[2]) {{
            return data.block.scale * float16_t(data.block.quants[inside[1]]);
        }}
        f16vec4 decode4(const in Reference data, const in uint32_t block[2], const in uint32_t inside[2]) {{
            uint at = inside[1];
            return data.block.scale * f16vec4(data.block.quants[at], data.block.quants[at + 1], data.block.quants[at + 2], data.block.quants[at + 3]{wrong});
        }}
        void main() {{
            coopmat<float16_t, gl_Scope{scope}, 8, 48, gl_MatrixUseA> m;
            tensorLayoutNV<2> t = createTensorLayoutNV(2);
            t = setTensorLayoutBlockSizeNV(t, 1, 32);
            t = setTensorLayoutDimensionNV(t, 16, 96);
            t = sliceTensorLayoutNV(t, 4, 8, 34, 48);
            {view}
            coopMatStore(m, result, 0, 48, gl_CooperativeMatrixLayoutRowMajor);
        }}"
    )
}

/// Whichever function decodes an element, it is the same.
#[test]
fn scalar_vector_and_mixed() {
    let (memory, values) = blocks(16, 96);
    for scope in ["Subgroup", "Workgroup"] {
        for load in [
            "coopMatLoadTensorNV(m, blocks, 0, t, decode);",
            "coopMatLoadTensorNV(m, blocks, 0, t, decode, decode4);",
        ] {
            let program = compile(&source(scope, "", load));
            for choice in [DecodeChoice::Scalar, DecodeChoice::Vector, DecodeChoice::Mixed] {
                for size in [8, 16, 32, 64] {
                    let settings = Settings { decode: choice, checked: true, ..settings(size, "shuffled") };
                    let (result, findings) = run_with(&program, &[memory.clone(), vec![0; 768]], settings);
                    let output = numbers(F16, &result[1]);
                    for row in 0..8 {
                        for column in 0..48 {
                            assert_eq!(
                                output[row * 48 + column],
                                values[(row + 4) * 96 + column + 34],
                                "({row}, {column})"
                            );
                        }
                    }
                    assert_eq!(findings, [], "{scope} {choice:?} {size}");
                }
            }
        }
    }
}

/// Where the two functions disagree, checked mode says so; which one counts is the implementation's choice.
#[test]
fn functions_that_disagree_are_found() {
    let (memory, values) = blocks(16, 96);
    let program =
        compile(&source("Subgroup", " + 1", "coopMatLoadTensorNV(m, blocks, 0, t, decode, decode4);"));
    let settings = Settings { checked: true, ..settings(32, "plain") };
    let (result, findings) = run_with(&program, &[memory.clone(), vec![0; 768]], settings);
    assert_eq!(findings[0].kind.id(), "decode-mismatch");
    assert!(findings[0].message.starts_with("element (0, 5) is "), "{}", findings[0].message);
    // The group of columns 34 and 35 begins before the slice, so these are decoded one by one.
    let output = numbers(F16, &result[1]);
    assert_eq!(output[1], values[4 * 96 + 35]);
    assert_ne!(output[5], values[4 * 96 + 39]);
}
