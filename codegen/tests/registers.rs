//! Registers that matrices take, each figure computed by hand: 32 invocations share 16 x 16 elements, 8 each. Of `float` they take 8 registers, of `float16_t` 4.

use coopmat_codegen::statistics::{Assumptions, Held, Live, live};

use crate::statistics::module;

const TYPES: &str = "
#define MATRIX(T, USE) coopmat<T, gl_ScopeSubgroup, 16, 16, gl_MatrixUse##USE>
layout(binding = 1) buffer Halves { float16_t halves[]; };
MATRIX(float16_t, A) a;
MATRIX(float16_t, B) b;
void load(uint at) {
    coopMatLoad(a, halves, at, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, halves, at, 16, gl_CooperativeMatrixLayoutRowMajor);
}
";

fn of(body: &str) -> Live {
    let module = module(&format!("{TYPES}{body}"));
    live(&module, Some("main"), &Assumptions { subgroup_size: 32 }).unwrap()
}

/// The two figures.
fn registers(body: &str) -> (u64, u64) {
    let live = of(body);
    assert_eq!(live.notes, [""; 0]);
    (live.bound.registers, live.as_written.registers)
}

/// The sum is held over the loop, A and B only at the multiply-add: 8, and 4 more of each.
#[test]
fn a_sum_in_a_loop() {
    let body = "void main() {
    MATRIX(float, Accumulator) sum = MATRIX(float, Accumulator)(0.0);
    for (uint k = 0; k < count; k++) { load(k); sum = coopMatMulAdd(a, b, sum); }
    coopMatStore(sum, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}";
    assert_eq!(registers(body), (8, 16));
    let held = of(body).bound.held;
    let name = "sum".to_owned();
    assert_eq!(held, [Held { registers: 8, name, matrix: "f32 16x16 accumulator".to_owned(), count: 1 }]);
}

/// An array of four counts whole.
#[test]
fn an_array_of_sums() {
    let body = "void main() {
    MATRIX(float, Accumulator) sums[2][2];
    for (uint i = 0; i < 4; i++) sums[i / 2][i % 2] = MATRIX(float, Accumulator)(0.0);
    for (uint k = 0; k < count; k++) {
        load(k);
        for (uint i = 0; i < 4; i++) sums[i / 2][i % 2] = coopMatMulAdd(a, b, sums[i / 2][i % 2]);
    }
    for (uint i = 0; i < 4; i++) coopMatStore(sums[i / 2][i % 2], data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}";
    assert_eq!(registers(body), (32, 40));
}

/// Sums that follow each other use the same registers.
#[test]
fn one_sum_after_the_other() {
    let product = |name: &str| {
        format!(
            "MATRIX(float, Accumulator) {name} = MATRIX(float, Accumulator)(0.0);
    for (uint k = 0; k < count; k++) {{ load(k); {name} = coopMatMulAdd(a, b, {name}); }}
    coopMatStore({name}, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);"
        )
    };
    let body = format!("void main() {{\n{}\n{}\n}}", product("first"), product("second"));
    assert_eq!(registers(&body), (8, 16));
}

/// What is loaded can be loaded again: it is no part of the bound. Nor is a sum before its first multiply-add, when it is zero.
#[test]
fn matrices_that_are_only_moved() {
    let body = "void main() {
    load(0);
    load(16);
    coopMatStore(a, halves, 64, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(b, halves, 128, 16, gl_CooperativeMatrixLayoutRowMajor);
}";
    assert_eq!(registers(body), (0, 8));
}

/// What a function does with its own sum comes on top of what its caller holds meanwhile.
#[test]
fn a_function_that_is_called() {
    let body = "void inner() {
    MATRIX(float16_t, Accumulator) own = MATRIX(float16_t, Accumulator)(0.0);
    for (uint k = 0; k < count; k++) { load(k); own = coopMatMulAdd(a, b, own); }
    coopMatStore(own, halves, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
void main() {
    MATRIX(float, Accumulator) sum = MATRIX(float, Accumulator)(0.0);
    for (uint k = 0; k < count; k++) { load(k); sum = coopMatMulAdd(a, b, sum); }
    inner();
    coopMatStore(sum, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}";
    // 8 of `sum` and 4 of `own`; A and B take 8 more.
    assert_eq!(registers(body), (12, 20));
}

/// Half as many invocations hold twice as much; the size of a type that nobody knows is told.
#[test]
fn subgroups_of_another_size() {
    let body = "void main() {
    MATRIX(float, Accumulator) sum = MATRIX(float, Accumulator)(0.0);
    load(0);
    sum = coopMatMulAdd(a, b, sum);
    sum = sum * 2.0;
    coopMatStore(sum, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}";
    let module = module(&format!("{TYPES}{body}"));
    let of = |subgroup_size| live(&module, None, &Assumptions { subgroup_size }).unwrap().bound.registers;
    assert_eq!((of(32), of(16), of(64)), (8, 16, 4));
}
