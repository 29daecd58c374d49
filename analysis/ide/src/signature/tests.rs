//! Snapshots of signature help at a cursor: the active parameter stands in brackets.

use expect_test::{Expect, expect};

use super::signature_help;
use coopmat_analysis::fixture::Fixture;
use coopmat_analysis::text::FilePosition;

const HEADER: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
";

#[track_caller]
fn check(text: &str, expected: Expect) {
    let fixture = Fixture::parse(&format!("{HEADER}{text}"));
    let root = fixture.root();
    let analysis = coopmat_analysis::analyze(&root.path, root.text.clone(), &fixture.config, &fixture, None);
    let (file, offset) = fixture.cursor.expect("a cursor");
    let file = analysis.files().find(&fixture.files[file].path).expect("the file is read");
    let Some(help) = signature_help(&analysis, FilePosition { file, offset }) else {
        return expected.assert_eq("nothing\n");
    };
    let mut out = String::new();
    for (index, signature) in help.signatures.iter().enumerate() {
        let mut label = signature.label.clone();
        let active = signature.active.and_then(|active| signature.parameters.get(active));
        if let Some(parameter) = active {
            label.insert(parameter.end, ']');
            label.insert(parameter.start, '[');
        }
        out.push_str(if index == help.active { "> " } else { "  " });
        out.push_str(&label);
        out.push('\n');
        if index == help.active {
            let first_line = |text: &str| text.lines().next().unwrap_or_default().to_owned();
            if let Some(about) =
                active.map(|parameter| &parameter.documentation).filter(|about| !about.is_empty())
            {
                out.push_str(&format!("    {}\n", first_line(about)));
            }
            if !signature.documentation.is_empty() {
                out.push_str(&format!("  {}\n", first_line(&signature.documentation)));
            }
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn a_matrix_load_tells_its_parameters() {
    check(
        "buffer B { float x[]; } b; void main() { coopmat<float, 3, 16, 16, 0> m; coopMatLoad(m, b.x, 0, 16, $0",
        expect![[r#"
            > void coopMatLoad(out coopmat m, float[] buf, uint element, uint stride, [int matrixLayout])
                A constant expression.
              Loads a matrix from an array in a buffer or in shared memory. The array's elements are 8 to 64-bit integers or floats, or vectors of 2 or 4 of them; they need not be of the matrix's component type.
        "#]],
    );
    check(
        "void main() { coopMatLoad($0); }",
        expect![[r#"
        > void coopMatLoad([out coopmat m], volatile coherent T[] buf, uint element, uint stride, int matrixLayout)
          Loads a matrix from an array in a buffer or in shared memory. The array's elements are 8 to 64-bit integers or floats, or vectors of 2 or 4 of them; they need not be of the matrix's component type.
    "#]],
    );
}

#[test]
fn the_types_of_a_call_are_in_its_signature() {
    check(
        "coopmat<float16_t, 3, 16, 8, 0> a; coopmat<float16_t, 3, 8, 16, 1> b; coopmat<float, 3, 16, 16, 2> c; void main() { c = coopMatMulAdd(a, $0b, c); }",
        expect![[r#"
            > coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> coopMatMulAdd(coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseA> A, [coopmat<float16_t, gl_ScopeSubgroup, 8, 16, gl_MatrixUseB> B], coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> C, int matrixOperands = 0)
              A times B plus C. A is M x K with `gl_MatrixUseA`, B is K x N with `gl_MatrixUseB`, C is M x N with `gl_MatrixUseAccumulator`; all have the same scope, and the result has the type of C. In which order the products are added, and with which inner precision, is the device's choice. The combination of component types and sizes must be one that the device lists.
        "#]],
    );
    // The call that is being written.
    check(
        "buffer B { f16vec4 x[]; } b; void main() { coopmat<float16_t, 3, 16, 16, 0> m; coopMatLoad(m, b.x, $0); }",
        expect![[r#"
            > void coopMatLoad(out coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> m, f16vec4[] buf, [uint element], uint stride, int matrixLayout)
                Element: where the matrix starts, in units of `f16vec4` (8 bytes).
              Loads a matrix from an array in a buffer or in shared memory. The array's elements are 8 to 64-bit integers or floats, or vectors of 2 or 4 of them; they need not be of the matrix's component type.
        "#]],
    );
    check(
        "void main() { f16vec2 v; float s = dot(v, $0); }",
        expect![[r#"
          float dot(genFType x, [genFType y])
          double dot(genDType x, [genDType y])
        > float16_t dot(f16vec2 x, [genF16Type y])
          Sum of the products of the components.
    "#]],
    );
}

#[test]
fn type_arguments_are_parameters_too() {
    check(
        "void main() { coopmat<float16_t, gl_ScopeSubgroup, $0",
        expect![[r#"
        > coopmat<component, scope, [rows], columns, use>
            The number of rows, a constant or specialization constant.
          `coopmat<component, scope, rows, columns, use>`: a matrix whose elements are distributed over the invocations of a scope. The component is a scalar type; scope (`gl_ScopeSubgroup`, `gl_ScopeWorkgroup`), rows and columns are constants or specialization constants; the use is `gl_MatrixUseA`, `gl_MatrixUseB` or `gl_MatrixUseAccumulator`. `m[i]` is the i-th element that this invocation holds, `m.length()` how many it holds. Not for shared memory, buffers, uniforms, inputs or outputs.
    "#]],
    );
    check(
        "void main() { f(coopmat<float, 3, 16, 16, $0> m); }",
        expect![[r#"
        > coopmat<component, scope, rows, columns, [use]>
            Its role in a multiply-add: `gl_MatrixUseA`, `gl_MatrixUseB` or `gl_MatrixUseAccumulator`.
          `coopmat<component, scope, rows, columns, use>`: a matrix whose elements are distributed over the invocations of a scope. The component is a scalar type; scope (`gl_ScopeSubgroup`, `gl_ScopeWorkgroup`), rows and columns are constants or specialization constants; the use is `gl_MatrixUseA`, `gl_MatrixUseB` or `gl_MatrixUseAccumulator`. `m[i]` is the i-th element that this invocation holds, `m.length()` how many it holds. Not for shared memory, buffers, uniforms, inputs or outputs.
    "#]],
    );
}

#[test]
fn arguments_choose_the_overload() {
    check(
        "// Adds.\n// Both.\nint add(int a, int b) { return a + b; }\nfloat add(float a, float b) { return a + b; }\nvoid main() { add(1.0, $0); }",
        expect![[r#"
              int add(int a, [int b])
            > float add(float a, [float b])
        "#]],
    );
    check(
        "void main() { uint n; max(n, $0",
        expect![[r#"
              genFType max(genFType x, [genFType y])
              genFType max(genFType x, [float y])
              genDType max(genDType x, [genDType y])
              genDType max(genDType x, [double y])
              genF16Type max(genF16Type x, [genF16Type y])
              genF16Type max(genF16Type x, [float16_t y])
              genIType max(genIType x, [genIType y])
              genIType max(genIType x, [int y])
              genI8Type max(genI8Type x, [genI8Type y])
              genI8Type max(genI8Type x, [int8_t y])
              genI16Type max(genI16Type x, [genI16Type y])
              genI16Type max(genI16Type x, [int16_t y])
              genI64Type max(genI64Type x, [genI64Type y])
              genI64Type max(genI64Type x, [int64_t y])
            > genUType max(uint x, [genUType y])
              The larger one.
              genUType max(genUType x, [uint y])
              genU8Type max(genU8Type x, [genU8Type y])
              genU8Type max(genU8Type x, [uint8_t y])
              genU16Type max(genU16Type x, [genU16Type y])
              genU16Type max(genU16Type x, [uint16_t y])
              genU64Type max(genU64Type x, [genU64Type y])
              genU64Type max(genU64Type x, [uint64_t y])
        "#]],
    );
}

#[test]
fn macros_and_constructors_have_signatures() {
    check(
        "// Twice as much.\n#define SCALE(x, n) ((x) * (n))\nvoid main() { SCALE(1, $0",
        expect![[r#"
        > SCALE(x, [n])
          ```glsl
    "#]],
    );
    check(
        "struct S { int a; float b; }; void main() { S(1, $0",
        expect![[r#"
        > S(int a, [float b])
    "#]],
    );
    check(
        "void main() { vec3(1, $0",
        expect![[r#"
          vec3(float value)
        > vec3(float x, [float y], float z)
          The components one by one; a vector gives several at once.
    "#]],
    );
    check(
        "void main() { coopmat<float, 3, 16, 16, 0>($0",
        expect![[r#"
            > coopmat<float, 3, 16, 16, 0>([float value])
              Every element has this value.
              coopmat<float, 3, 16, 16, 0>([coopmat other])
        "#]],
    );
}

#[test]
fn what_is_no_call_has_none() {
    check(
        "void main() { if ($0",
        expect![[r#"
        nothing
    "#]],
    );
    check(
        "void f(int a, $0",
        expect![[r#"
        nothing
    "#]],
    );
    check(
        "void main() { max(1, 2); $0 }",
        expect![[r#"
        nothing
    "#]],
    );
    check(
        "void main() { (1 + $0 }",
        expect![[r#"
        nothing
    "#]],
    );
}

#[test]
fn strides_and_first_elements_tell_their_units() {
    const BUFFER: &str =
        "buffer B { f16vec4 x[]; } b; void main() { coopmat<float16_t, 3, 16, 16, 0> m; coopMatLoad(m, b.x, ";
    check(
        &format!("{BUFFER}$0"),
        expect![[r#"
        > void coopMatLoad(out coopmat m, f16vec4[] buf, [uint element], uint stride, int matrixLayout)
            Element: where the matrix starts, in units of `f16vec4` (8 bytes).
          Loads a matrix from an array in a buffer or in shared memory. The array's elements are 8 to 64-bit integers or floats, or vectors of 2 or 4 of them; they need not be of the matrix's component type.
    "#]],
    );
    check(
        &format!("{BUFFER}0, $0"),
        expect![[r#"
        > void coopMatLoad(out coopmat m, f16vec4[] buf, uint element, [uint stride], int matrixLayout)
            Stride: from the start of one row (or column, in column-major layout) to the next, in units of `f16vec4` (8 bytes).
          Loads a matrix from an array in a buffer or in shared memory. The array's elements are 8 to 64-bit integers or floats, or vectors of 2 or 4 of them; they need not be of the matrix's component type.
    "#]],
    );
}

#[test]
fn numbered_arguments_go_on_for_each_dimension() {
    const LAYOUT: &str = "#extension GL_NV_cooperative_matrix2 : require
void main() { tensorLayoutNV<2> t; t = sliceTensorLayoutNV(t, 0, 16, ";
    check(
        &format!("{LAYOUT}$0"),
        expect![[r#"
        > tensorLayoutNV<N, ...> sliceTensorLayoutNV(tensorLayoutNV<N, ...> t, int32_t offset0, uint32_t span0, ..., [int32_t offset<N-1>], uint32_t span<N-1>)
          The layout confined to a part of the tensor: an offset and a span for each dimension, in pairs, outermost first. Offsets are added to those that the layout has, spans replace them. Offsets may be negative where the clamp mode defines what lies outside.
    "#]],
    );
    check(
        &format!("{LAYOUT}0, $0"),
        expect![[r#"
        > tensorLayoutNV<N, ...> sliceTensorLayoutNV(tensorLayoutNV<N, ...> t, int32_t offset0, uint32_t span0, ..., int32_t offset<N-1>, [uint32_t span<N-1>])
          The layout confined to a part of the tensor: an offset and a span for each dimension, in pairs, outermost first. Offsets are added to those that the layout has, spans replace them. Offsets may be negative where the clamp mode defines what lies outside.
    "#]],
    );
}
