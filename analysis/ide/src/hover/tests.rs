//! Snapshots of what hovers say.

use expect_test::{Expect, expect};

use coopmat_analysis::analyze;
use coopmat_analysis::config::Configuration;
use coopmat_analysis::sources::NoFiles;
use coopmat_analysis::text::{FileId, FilePosition, TextSize};

const HEADER: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(constant_id = 3) const uint BM = 64;
layout(std430, binding = 0) buffer Weights { uint count; f16vec2 weights[]; } w;
#define TILE(n) coopmat<float16_t, gl_ScopeSubgroup, n, 16, gl_MatrixUseA>
";

/// Hovers at `$0` in `text`, which follows the header.
fn check(text: &str, expected: Expect) {
    let marked = format!("{HEADER}{text}");
    let offset = marked.find("$0").expect("a cursor");
    let source = marked.replace("$0", "");
    let config = Configuration { subgroup_size: Some(32), ..Configuration::default() };
    let analysis = analyze("hover.comp", source.as_str().into(), &config, &NoFiles, None);
    let position = FilePosition { file: FileId::ROOT, offset: TextSize::new(offset as u32) };
    let hover = super::hover(&analysis, position);
    let actual = match hover {
        Some(hover) => {
            let range = std::ops::Range::<usize>::from(hover.range.range);
            format!("over `{}`\n{}\n", &source[range], hover.markdown)
        }
        None => "nothing\n".to_owned(),
    };
    expected.assert_eq(&actual);
}

#[test]
fn a_matrix_shows_its_shape_under_the_default_values() {
    check(
        "void main() { coopmat<float16_t, gl_ScopeSubgroup, BM, 16, gl_MatrixUseA> $0a; a = a; }",
        expect![[r#"
            over `a`
            ```glsl
            coopmat<float16_t, gl_ScopeSubgroup, BM, 16, gl_MatrixUseA> a
            ```

            **BM (= 64) x 16** (rows x columns) of `float16_t`, use A, the left factor, scope subgroup

            1024 elements, 2048 bytes in all; in a subgroup of 32 each invocation holds 32 elements (64 bytes) if they are distributed evenly
        "#]],
    );
}

#[test]
fn a_specialization_constant_shows_its_id_and_default() {
    check(
        "uint f() { return B$0M; } void main() { f(); }",
        expect![[r#"
        over `BM`
        ```glsl
        layout(constant_id = 3) const uint BM = 64
        ```

        Specialization constant 3; the value shown is its default, used if the pipeline gives none
    "#]],
    );
}

#[test]
fn a_stride_is_told_in_bytes() {
    check(
        "void main() { TILE(16) a; coopMatLoad(a, w.weights, 0, 2$00, gl_CooperativeMatrixLayoutRowMajor); }",
        expect![[r#"
            over `20`
            ```glsl
            int = 20
            ```

            Stride: from the start of one row (or column, in column-major layout) to the next, in units of `f16vec2` (4 bytes). Here: 20 f16vec2 = 80 bytes = 40 float16_t.
        "#]],
    );
}

#[test]
fn a_builtin_shows_the_types_of_this_call() {
    check(
        "void main() { TILE(16) a; coopMat$0Load(a, w.weights, 0, 8, gl_CooperativeMatrixLayoutRowMajor); }",
        expect![[r#"
            over `coopMatLoad`
            ```glsl
            void coopMatLoad(
                out coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> m,
                f16vec2[] buf,
                uint element,
                uint stride,
                int matrixLayout)
            ```

            Loads a matrix from an array in a buffer or in shared memory. The array's elements are 8 to 64-bit integers or floats, or vectors of 2 or 4 of them; they need not be of the matrix's component type.

            `element` is the index in `buf` of the matrix's first element, and `stride` the distance from one row to the next (from one column to the next for column-major), **both counted in elements of `buf`**: with an array of `f16vec2`, a stride of 8 is 16 components or 32 bytes.

            Row-major: row r is read from `buf[element + r * stride]` on. Column-major: column c from `buf[element + c * stride]` on. The start and the stride must be aligned to the smaller one of 16 bytes and the size of a row (of a column for column-major).

            Checked here:

            - A matrix is loaded from or stored to something that is not buffer or shared memory. (`coopmat-memory-class`)
            - The array of a matrix load or store has an invalid element type. (`coopmat-memory-element`)
            - The memory layout of a matrix load or store is not a constant. (`coopmat-layout-constant`)
            - The memory layout of a matrix load or store is not one of the defined values. (`coopmat-layout-value`)
            - The stride of a matrix load or store is shorter than a row. (`coopmat-stride`)
            - The stride or the start of a matrix in memory is not sufficiently aligned. (`coopmat-alignment`)
            - A matrix runs past the end of the array that it is loaded from or stored to. (`coopmat-extent`)
            - An operand of a matrix operation differs between the invocations of its scope. (`coopmat-uniform-operand`)
            - A matrix is loaded from write-only memory. (`coopmat-memory-access`)

            2 overloads

            Extension: [GL_KHR_cooperative_matrix](https://github.com/KhronosGroup/GLSL/blob/main/extensions/khr/GLSL_KHR_cooperative_matrix.txt) · SPIR-V: `OpCooperativeMatrixLoadKHR` · Source: GL_KHR_cooperative_matrix, 8.X Cooperative Matrix Functions
        "#]],
    );
}

#[test]
fn a_macro_shows_its_expansion() {
    check(
        "void main() { TI$0LE(8) a; }",
        expect![[r#"
        over `TILE`
        ```glsl
        #define TILE(n) coopmat<float16_t, gl_ScopeSubgroup, n, 16, gl_MatrixUseA>
        ```

        Macro, defined by hover.comp:8

        expands here to

        ```glsl
        coopmat<float16_t, gl_ScopeSubgroup, 8, 16, gl_MatrixUseA>
        ```
    "#]],
    );
}

#[test]
fn a_buffer_member_shows_its_place() {
    check(
        "uint f() { return w.cou$0nt; } void main() { f(); }",
        expect![[r#"
        over `count`
        ```glsl
        uint Weights.count
        ```

        offset 0, size 4 bytes, alignment 4 (std430)
    "#]],
    );
    check(
        "f16vec2 f() { return w.weig$0hts[3]; } void main() { f(); }",
        expect![[r#"
        over `weights`
        ```glsl
        f16vec2[] Weights.weights
        ```

        offset 4, size known at run time, alignment 4, array stride 4 bytes (std430)
    "#]],
    );
}

#[test]
fn an_extension_line_shows_what_it_brings() {
    check(
        "#extension GL_KHR_memory_scope_sem$0antics : require\nvoid main() { }",
        expect![[r#"
            over `GL_KHR_memory_scope_semantics`
            **GL_KHR_memory_scope_semantics**

            Atomics and barriers with an explicit scope and memory semantics.

            Brings the Vulkan memory model into the language: constants for scopes (`gl_Scope...`), memory semantics (`gl_Semantics...`) and kinds of storage (`gl_StorageSemantics...`), overloads of the atomics and barriers that take them, and the qualifiers `devicecoherent`, `queuefamilycoherent`, `workgroupcoherent`, `subgroupcoherent` and `nonprivate`.

            https://github.com/KhronosGroup/GLSL/blob/main/extensions/khr/GL_KHR_memory_scope_semantics.txt
        "#]],
    );
}

#[test]
fn a_multiply_add_names_its_m_n_and_k() {
    check(
        "void main() {
    TILE(BM) a;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, BM, 8, gl_MatrixUseAccumulator> c;
    c = coopMat$0MulAdd(a, b, c);
}",
        expect![[r#"
            over `coopMatMulAdd`
            ```glsl
            coopmat<float, gl_ScopeSubgroup, BM, 8, gl_MatrixUseAccumulator> coopMatMulAdd(
                coopmat<float16_t, gl_ScopeSubgroup, BM, 16, gl_MatrixUseA> A,
                coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseB> B,
                coopmat<float, gl_ScopeSubgroup, BM, 8, gl_MatrixUseAccumulator> C,
                int matrixOperands = 0)
            ```

            A BM x 16 times B 16 x 8 plus C BM x 8: M = BM, N = 8, K = 16

            A times B plus C. A is M x K with `gl_MatrixUseA`, B is K x N with `gl_MatrixUseB`, C is M x N with `gl_MatrixUseAccumulator`; all have the same scope, and the result has the type of C. In which order the products are added, and with which inner precision, is the device's choice. The combination of component types and sizes must be one that the device lists.

            `matrixOperands` is 0 or `gl_MatrixOperandsSaturatingAccumulation`.

            Checked here:

            - An argument of a matrix function is not a cooperative matrix. (`coopmat-argument`)
            - A matrix with the wrong use is passed to a multiply-add. (`coopmat-operand-use`)
            - The shapes of a multiply-add do not fit together. (`coopmat-muladd-shape`)
            - The operands of a multiply-add have different scopes. (`coopmat-muladd-scope`)
            - A multiply-add mixes integers with floats, which no known device can multiply. (`coopmat-muladd-component`)
            - The operands mask of a multiply-add is not one of the defined constants. (`coopmat-muladd-operands`)

            Extension: [GL_KHR_cooperative_matrix](https://github.com/KhronosGroup/GLSL/blob/main/extensions/khr/GLSL_KHR_cooperative_matrix.txt) · SPIR-V: `OpCooperativeMatrixMulAddKHR` · Source: GL_KHR_cooperative_matrix, 8.X Cooperative Matrix Functions

            ---

            Devices:

            - has it: `lavapipe`
            - lacks it: `amd-rdna3` (nearest: 16x16x16), `amd-rdna4` (nearest: 16x16x16), `arm-mali-g720`, `intel-xe-hpg` (nearest: 8x8x16), `intel-xe2` (nearest: 8x16x16), `nvidia-h200` (nearest: 64x16x16), `nvk-ada` (nearest: 16x8x16), `nvk-ampere` (nearest: 16x8x16), `nvk-blackwell` (nearest: 16x8x16), `nvk-turing` (nearest: 16x8x16)
            - not known: `qualcomm-adreno-840`
        "#]],
    );
}

#[test]
fn a_conversion_tells_which_row_goes_where() {
    check(
        "#extension GL_QCOM_cooperative_matrix_conversion : require
void main() {
    float16_t row[16];
    TILE(32) a;
    vectorToCoop$0matQCOM(row, a);
}",
        expect![[r#"
            over `vectorToCoopmatQCOM`
            ```glsl
            void vectorToCoopmatQCOM(
                float16_t[16] vec,
                out coopmat<float16_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseA> cm)
            ```

            The array of the invocation with `gl_SubgroupInvocationID` i becomes row i of the matrix, for i below 32; the arrays of invocations 32 and above are ignored.

            Builds a matrix of subgroup scope from arrays: that of invocation i becomes row i for the uses A and Accumulator, column i for use B. Arrays of invocations past the last row (column) are ignored.

            Use A: component `float32_t`, `float16_t`, `int8_t` or `uint8_t`, with 8, 16, 32 or 32 columns; at most as many rows as the subgroup has invocations. Use B: the same with rows and columns exchanged. Accumulator: component `uint32_t`, `int32_t`, `float32_t` or `float16_t`; at most as many rows as the subgroup has invocations; as many columns as it has, half or a quarter as many.

            The array's elements are of the component type, one for each element of the row (column), or `uint32_t` with the bits packed: 8 of them for uses A and B, and for an Accumulator half the columns with `float16_t`, else as many as it has columns.

            Checked here:

            - An argument of a matrix function is not a cooperative matrix. (`coopmat-argument`)
            - An argument of a QCOM conversion is not a one-dimensional array. (`qcom-array`)
            - The matrix of a QCOM conversion has a component type that its use does not allow. (`qcom-component-type`)
            - The array of a QCOM conversion has elements that are neither the matrix's components nor uint32_t. (`qcom-vector-element`)
            - The array of a QCOM conversion has the wrong length for the matrix. (`qcom-vector-length`)
            - A matrix of a QCOM conversion has the wrong number of columns (use A) or rows (use B). (`qcom-fixed-dimension`)
            - A matrix of a QCOM conversion does not fit the subgroup. (`qcom-subgroup-size`)
            - The matrix of a QCOM conversion does not have subgroup scope. (`qcom-subgroup-scope`)

            Extension: [GL_QCOM_cooperative_matrix_conversion](https://github.com/KhronosGroup/GLSL/blob/main/extensions/qcom/GLSL_QCOM_cooperative_matrix_conversion.txt) · SPIR-V: `OpCompositeConstructCoopMatQCOM` · Source: GL_QCOM_cooperative_matrix_conversion, 8.X Cooperative Matrix Functions

            ---

            Devices:

            - lacks it: `amd-rdna3`, `amd-rdna4`, `intel-xe-hpg`, `intel-xe2`, `lavapipe`, `nvidia-h200`, `nvk-ada`, `nvk-ampere`, `nvk-blackwell`, `nvk-turing`
            - not known: `arm-mali-g720`, `qualcomm-adreno-840`
        "#]],
    );
}

#[test]
fn a_constant_shows_its_value() {
    check(
        "const int K = 4 * 8; void main() { int a[K$0]; a[0] = 1; }",
        expect![[r#"
        over `K`
        ```glsl
        const int K = 32
        ```
    "#]],
    );
    check(
        "void main() { const uint half_rows = BM / 2; uint x = half_ro$0ws; }",
        expect![[r#"
        over `half_rows`
        ```glsl
        const uint half_rows = BM / 2 (32 under the default values)
        ```
    "#]],
    );
}

#[test]
fn a_matrix_in_an_array_shows_the_shape_of_one() {
    check(
        "void main() { TILE(8) sums[4]; su$0ms[0] = TILE(8)(0.0); }",
        expect![[r#"
            over `sums`
            ```glsl
            coopmat<float16_t, gl_ScopeSubgroup, 8, 16, gl_MatrixUseA>[4] sums
            ```

            **4 matrices**, 1024 bytes together, 32 bytes in each invocation. Each:

            **8 x 16** (rows x columns) of `float16_t`, use A, the left factor, scope subgroup

            128 elements, 256 bytes in all; in a subgroup of 32 each invocation holds 4 elements (8 bytes) if they are distributed evenly
        "#]],
    );
}

#[test]
fn comments_and_blanks_say_nothing() {
    check(
        "// a com$0ment\nvoid main() { }",
        expect![[r#"
        nothing
    "#]],
    );
}

#[test]
fn a_variable_of_the_language_has_its_type() {
    check(
        "void main() { uint x = gl_WorkGroup$0Size.x; x++; }",
        expect![[r#"
        over `gl_WorkGroupSize`
        ```glsl
        const uvec3 gl_WorkGroupSize
        ```

        Invocations of a workgroup in each dimension, as `local_size_x`, `_y` and `_z` declare them. A constant; with `local_size_x_id` a specialization constant. To be used after the declaration of the local size.

        SPIR-V: `WorkgroupSize` · Source: GLSL 4.60, 7.1.7 Compute Shader Special Variables
    "#]],
    );
    check(
        "void main() { uint x = gl_Local$0InvocationIndex; x++; }",
        expect![[r#"
        over `gl_LocalInvocationIndex`
        ```glsl
        in uint gl_LocalInvocationIndex
        ```

        `gl_LocalInvocationID` in one number: z * size.y * size.x + y * size.x + x.

        SPIR-V: `LocalInvocationIndex` · Source: GLSL 4.60, 7.1.7 Compute Shader Special Variables
    "#]],
    );
}

#[test]
fn words_of_the_language_say_what_they_mean() {
    check(
        "layout(const$0ant_id = 4) const uint N = 1; void main() { }",
        expect![[r#"
        over `constant_id`
        ```glsl
        constant_id
        ```

        The number of the specialization constant.

        Source: GLSL 4.60, 4.4 Layout Qualifiers
    "#]],
    );
    check(
        "layout(std$0430, binding = 1) readonly buffer D { uint x[]; } d; void main() { }",
        expect![[r#"
        over `std430`
        ```glsl
        std430
        ```

        Memory layout: arrays and structures are aligned like their elements.

        Source: GLSL 4.60, 4.4 Layout Qualifiers
    "#]],
    );
    check(
        "sha$0red float x; void main() { x = 0.0; }",
        expect![[r#"
        over `shared`
        ```glsl
        shared
        ```

        Memory that all invocations of a workgroup share. Its values are undefined until the shader writes them.

        Source: GLSL 4.60, 4.3.8 Shared Variables
    "#]],
    );
    check(
        "#extension GL_EXT_control_flow_attributes : req$0uire\nvoid main() { }",
        expect![[r#"
        over `require`
        ```glsl
        : require
        ```

        Enables the extension; without support for it the shader does not compile.
    "#]],
    );
    check(
        "#extension GL_EXT_control_flow_attributes : require\nvoid main() { [[un$0roll]] for (int i = 0; i < 4; i++) {} }",
        expect![[r#"
            over `unroll`
            ```glsl
            [[unroll]]
            ```

            The loop should be unrolled.

            Extension: [GL_EXT_control_flow_attributes](https://github.com/KhronosGroup/GLSL/blob/main/extensions/ext/GL_EXT_control_flow_attributes.txt)
        "#]],
    );
    check(
        "#if$0def X\n#endif\nvoid main() { }",
        expect![[r#"
        over `ifdef`
        ```glsl
        #ifdef
        ```

        Keeps what follows when a macro is defined.
    "#]],
    );
}

#[test]
fn a_constant_that_is_computed_goes_by_its_name() {
    check(
        "const uint PADDED = (BM + 15) & ~15u; void main() { TILE(PADDED) $0a; a = a; }",
        expect![[r#"
        over `a`
        ```glsl
        coopmat<float16_t, gl_ScopeSubgroup, PADDED, 16, gl_MatrixUseA> a
        ```

        **PADDED (= 64) x 16** (rows x columns) of `float16_t`, use A, the left factor, scope subgroup

        1024 elements, 2048 bytes in all; in a subgroup of 32 each invocation holds 32 elements (64 bytes) if they are distributed evenly
    "#]],
    );
    check(
        "const uint PADDED = (BM + 15) & ~15u; uint f() { return PAD$0DED; } void main() { f(); }",
        expect![[r#"
            over `PADDED`
            ```glsl
            const uint PADDED = (BM + 15) & 0xFFFFFFF0 (64 under the default values)
            ```
        "#]],
    );
}

#[test]
fn between_the_arguments_of_a_call_without_a_value_nothing_is_said() {
    check(
        "void f(int a, int b) { } void main() { f(1, $0 2); }",
        expect![[r#"
        nothing
    "#]],
    );
}

#[test]
fn a_reference_tells_its_alignment_and_the_size_of_its_block() {
    check(
        "#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node { uvec2 key; float values[4]; };
layout(push_constant) uniform P { Node first; } p;
void main() { Node n$0ode = p.first; node.key.x = 1; }",
        expect![[r#"
            over `node`
            ```glsl
            Node node
            ```

            An address of 8 bytes, a multiple of 8; the block there has 24 bytes (std430).
        "#]],
    );
    check(
        "#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430) buffer No$0de { uint key; float values[]; };
layout(push_constant) uniform P { Node first; } p;
void main() { p.first.key = 1; }",
        expect![[r#"
            over `Node`
            ```glsl
            layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node {
                uint key;
                float[] values;
            }
            ```

            An address of 8 bytes, a multiple of 16; the size of the block there is known at run time (std430).
        "#]],
    );
}

#[test]
fn strides_of_interleaved_layouts_count_blocks() {
    check(
        "void main() { TILE(16) a; coopMatLoad(a, w.weights, 0, $01, gl_CooperativeMatrixLayoutRowBlockedInterleavedARM); }",
        expect![[r#"
            over `1`
            ```glsl
            int = 1
            ```

            Stride: how many blocks of 64 bytes are interleaved, 1, 2 or 4 (SPV_ARM_cooperative_matrix_layouts).
        "#]],
    );
}

#[test]
fn numbered_arguments_have_the_types_that_signature_help_tells() {
    check(
        "#extension GL_NV_cooperative_matrix2 : require
void main() {
    tensorLayoutNV<2> t = createTensorLayoutNV(2);
    t = sliceTensor$0LayoutNV(t, 1, 2, 3, 4);
}",
        expect![[r#"
            over `sliceTensorLayoutNV`
            ```glsl
            tensorLayoutNV<2, gl_CooperativeMatrixClampModeUndefinedNV> sliceTensorLayoutNV(
                tensorLayoutNV<2, gl_CooperativeMatrixClampModeUndefinedNV> t,
                int32_t offset0,
                uint32_t span0,
                ...,
                int32_t offset<N-1>,
                uint32_t span<N-1>)
            ```

            The layout confined to a part of the tensor: an offset and a span for each dimension, in pairs, outermost first. Offsets are added to those that the layout has, spans replace them. Offsets may be negative where the clamp mode defines what lies outside.

            Checked here:

            - A value has a different type than required. (`type-mismatch`)
            - The arguments of a function that sets up a tensor layout or view are wrong. (`nv-tensor-arguments`)
            - A size of a tensor layout or view is 0 or negative. (`nv-tensor-size`)
            - A slice of a tensor layout runs past the end of a dimension. (`nv-tensor-slice`)
            - A stride of a tensor layout is too short. (`nv-tensor-stride`)
            - A clamp value is set on a tensor layout whose clamp mode does not use it. (`nv-clamp-value`)
            - A tensor layout or view is used before it was created, or before its dimensions were set. (`nv-tensor-unset`)
            - The slice of a tensor layout or view does not have the shape of the matrix. (`nv-tensor-shape`)
            - The block size of a tensor layout is set after its dimensions. (`nv-block-order`)

            Extension: [GL_NV_cooperative_matrix2](https://github.com/KhronosGroup/GLSL/blob/main/extensions/nv/GLSL_NV_cooperative_matrix2.txt) · SPIR-V: `OpTensorLayoutSliceNV` · Source: GL_NV_cooperative_matrix2, 4.1.X Tensor Layout Types
        "#]],
    );
}

#[test]
fn a_cooperative_vector_shows_what_each_invocation_holds() {
    check(
        "#extension GL_NV_cooperative_vector : require
void main() { coopvecNV<float16_t, BM> hid$0den; hidden = -hidden; }",
        expect![[r#"
            over `hidden`
            ```glsl
            coopvecNV<float16_t, BM> hidden
            ```

            **BM (= 64) components** of `float16_t`, a vector of each invocation (128 bytes)
        "#]],
    );
}

/// GL_EXT_structured_descriptor_heap: where members lie, the device decides.
#[test]
fn a_block_in_a_heap_shows_what_it_holds() {
    let at = |marked: &str| {
        let shader = "
        #extension GL_EXT_structured_descriptor_heap : require
        layout(buffer_type) readonly buffer Lights { vec4 colors[]; };
        layout(heap_offset = 64) resourceheap Scene { uint count; Lights lights; uint more; } scene;
        void main() { uint a = scene.count + uint(scene.lights.colors[0].x); }";
        shader.replace(&marked.replace("$0", ""), marked)
    };
    check(
        &at("heap$0_offset"),
        expect![[r#"
        over `heap_offset`
        ```glsl
        heap_offset
        ```

        Bytes from the start of the heap to the block: a constant, or a variable that the shader only reads.

        Extension: [GL_EXT_structured_descriptor_heap](https://github.com/KhronosGroup/GLSL/blob/main/extensions/ext/GLSL_EXT_structured_descriptor_heap.txt)
    "#]],
    );
    check(
        &at("resource$0heap Scene"),
        expect![[r#"
        over `resourceheap`
        ```glsl
        resourceheap
        ```

        A block of the resource heap: data, and descriptors of buffers, images, textures and acceleration structures. It is only read; what it describes may be written.

        Extension: [GL_EXT_structured_descriptor_heap](https://github.com/KhronosGroup/GLSL/blob/main/extensions/ext/GLSL_EXT_structured_descriptor_heap.txt)
    "#]],
    );
    check(
        &at("Lig$0hts lights"),
        expect![[r#"
        over `Lights`
        ```glsl
        layout(buffer_type, std430) buffer Lights {
            vec4[] colors;
        }
        ```

        laid out by std430
    "#]],
    );
    check(
        &at("sc$0ene.count"),
        expect![[r#"
        over `scene`
        ```glsl
        resourceheap Scene scene
        ```
    "#]],
    );
    check(
        &at("scene.c$0ount"),
        expect![[r#"
            over `count`
            ```glsl
            uint Scene.count
            ```
        "#]],
    );
    check(
        &at("scene.lights.col$0ors"),
        expect![[r#"
        over `colors`
        ```glsl
        readonly vec4[] Lights.colors
        ```

        offset 0, size known at run time, alignment 16, array stride 16 bytes (std430)
    "#]],
    );
}
