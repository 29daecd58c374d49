//! What is offered for the arguments of calls: their order, one that is missing, and the functions that are passed.

use expect_test::expect;

use super::{MATRICES, check};

#[test]
fn arguments_out_of_order_get_one_fix() {
    check(
        &format!(
            "layout(binding = 0) buffer Source {{ float16_t data[]; }} source;\nvoid main() {{{MATRICES}    coopMatLoad(source.da$0ta, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);\n}}\n"
        ),
        expect![[r#"
            # Swap `a` and `source.data` (quickfix for argument-order, preferred)
                coopMatLoad(a, source.data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            errors: 1 -> 0
        "#]],
    );
    check(
        &format!("void main() {{{MATRICES}    c = coopMatMulAdd($0d, c, a);\n}}\n"),
        expect![[r#"
        # Write `a`, `d`, `c` in this order (quickfix for coopmat-operand-use, preferred)
            c = coopMatMulAdd(a, d, c);
        errors: 1 -> 0
        # Inline `d` (refactor.inline)
            c = coopMatMulAdd(coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>(1.0), c, a);
    "#]],
    );
}

#[test]
fn a_function_over_elements_gets_the_types_of_the_matrix() {
    let calls = "void main() {\n coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c;\n";
    check(
        &format!(
            "float relu(const in uint row, const in uint column, const in float value);\n{calls} coopMatPerElementNV(c, c, $0relu);\n}}\nfloat relu(const in uint row, const in uint column, const in float value) {{ return value; }}\n"
        ),
        expect![[r#"
            # Make `relu` return `float16_t` and take `uint`, `uint`, `float16_t` (quickfix for nv-element-signature)
            float16_t relu(const in uint row, const in uint column, const in float16_t value);
            float16_t relu(const in uint row, const in uint column, const in float16_t value) { return value; }
            errors: 2 -> 1
        "#]],
    );
    check(
        &format!(
            "float sum(const in float16_t a, const in float16_t b) {{ return a + b; }}\n{calls} coopMatReduceNV(c, c, gl_CooperativeMatrixReduceRowNV, $0sum);\n}}\n"
        ),
        expect![[r#"
            # Make `sum` return `float16_t` (quickfix for nv-combine-signature)
            float16_t sum(const in float16_t a, const in float16_t b) { return a + b; }
            errors: 3 -> 2
        "#]],
    );
}

#[test]
fn const_in_replaces_any_direction_and_is_not_preferred_where_the_body_writes() {
    let calls = "void main() {\n coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c;\n coopMatReduceNV(c, c, gl_CooperativeMatrixReduceRowNV, $0sum);\n}\n";
    check(
        &format!("float16_t sum(inout float16_t a, float16_t b) {{ return a + b; }}\n{calls}"),
        expect![[r#"
            # Make the parameters of `sum` `const in` (quickfix for nv-callback-parameter, preferred)
            float16_t sum(const in float16_t a, const in float16_t b) { return a + b; }
            errors: 3 -> 2
        "#]],
    );
    check(
        &format!("float16_t sum(float16_t a, float16_t b) {{ a += b; return a; }}\n{calls}"),
        expect![[r#"
            # Make the parameters of `sum` `const in` (quickfix for nv-callback-parameter)
            float16_t sum(const in float16_t a, const in float16_t b) { a += b; return a; }
        "#]],
    );
}

#[test]
fn constants_are_offered_for_the_argument_that_is_missing() {
    check(
        &format!(
            "layout(binding = 0) buffer Source {{ float16_t data[]; }} source;\nvoid main() {{{MATRICES}    coopMat$0Load(a, source.data, 0, 16);\n}}\n"
        ),
        expect![[r#"
            # Pass `gl_CooperativeMatrixLayoutRowMajor` (quickfix for no-matching-overload)
                coopMatLoad(a, source.data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            errors: 1 -> 0
            # Pass `gl_CooperativeMatrixLayoutColumnMajor` (quickfix for no-matching-overload)
                coopMatLoad(a, source.data, 0, 16, gl_CooperativeMatrixLayoutColumnMajor);
            errors: 1 -> 0
        "#]],
    );
    check(
        &format!(
            "layout(binding = 0) buffer Source {{ float16_t data[]; }} source;\nvoid main() {{{MATRICES}    coopMat$0Load(a, source.data, 16, gl_CooperativeMatrixLayoutRowMajor);\n}}\n"
        ),
        expect![[r#""#]],
    );
}

#[test]
fn a_layout_takes_the_place_of_a_truth_value() {
    check(
        &format!(
            "layout(binding = 0) buffer Source {{ float16_t data[]; }} source;\nvoid main() {{{MATRICES}    coopMatLoad(a, source.data, 0, 16, tr$0ue);\n}}\n"
        ),
        expect![[r#"
            # Write `gl_CooperativeMatrixLayoutColumnMajor` (quickfix for type-mismatch, preferred)
                coopMatLoad(a, source.data, 0, 16, gl_CooperativeMatrixLayoutColumnMajor);
            errors: 1 -> 0
            # Write `gl_CooperativeMatrixLayoutRowMajor` (quickfix for type-mismatch)
                coopMatLoad(a, source.data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            errors: 1 -> 0
        "#]],
    );
}
