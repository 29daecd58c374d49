//! `precise`, followed through variables, calls and results.

use expect_test::expect;

use super::check;

#[test]
fn what_flows_into_a_precise_global_is_not_contracted() {
    check(
        "layout(binding = 0) buffer B { float o[]; };
        precise float acc;
        float mad(float a, float b, float c) { return a * b + c; }
        float other(float a, float b, float c) { return a * b + c; }
        void main() { float x = o[3] * 2.0; acc = mad(o[0], x, o[2]); o[1] = acc + other(o[1], o[2], o[3]); }",
        &["NoContraction", "FMul", "FAdd"],
        expect![[r#"
            OpDecorate %17 NoContraction
            OpDecorate %44 NoContraction
            OpDecorate %45 NoContraction
            %17 = OpFMul %float %15 %float_2
            %37 = OpFAdd %float %28 %36
            %44 = OpFMul %float %a %b
            %45 = OpFAdd %float %44 %c
            %50 = OpFMul %float %a_0 %b_0
            %51 = OpFAdd %float %50 %c_0
        "#]],
    );
}

#[test]
fn a_redeclaration_makes_a_variable_precise() {
    check(
        "layout(binding = 0) buffer B { vec4 o[]; };
        vec4 g;
        precise g;
        void set(out vec4 v) { v = o[0] * 2.0 + o[1]; }
        void main() { vec4 l = o[0] + o[1]; precise l; l = o[2] * 3.0; set(g); o[3] = g + l; }",
        &["NoContraction", "VectorTimesScalar", "FAdd"],
        expect![[r#"
            OpDecorate %19 NoContraction
            OpDecorate %26 NoContraction
            OpDecorate %44 NoContraction
            OpDecorate %47 NoContraction
            %19 = OpFAdd %v4float %15 %18
            %26 = OpVectorTimesScalar %v4float %24 %float_3
            %36 = OpFAdd %v4float %34 %35
            %44 = OpVectorTimesScalar %v4float %42 %float_2
            %47 = OpFAdd %v4float %44 %46
        "#]],
    );
}

#[test]
fn matrices_are_precise_column_by_column() {
    check(
        "layout(binding = 0) buffer B { mat2 o[]; };
        void main() { precise mat2 m = o[0] + o[1] * o[2]; o[3] = -m; }",
        &["NoContraction", "Matrix", "FAdd", "FNegate"],
        expect![[r#"
            OpCapability Matrix
            OpMemberDecorate %B 0 MatrixStride 8
            OpDecorate %23 NoContraction
            OpDecorate %26 NoContraction
            OpDecorate %29 NoContraction
            %mat2v2float = OpTypeMatrix %v2float 2
            %23 = OpMatrixTimesMatrix %mat2v2float %19 %22
            %26 = OpFAdd %v2float %24 %25
            %29 = OpFAdd %v2float %27 %28
            %36 = OpFNegate %v2float %35
            %38 = OpFNegate %v2float %37
        "#]],
    );
}
