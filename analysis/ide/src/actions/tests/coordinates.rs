//! Formulas for the row or column of an element: what is recognised, what becomes of it, and what is left alone.

use coopmat_analysis::extensions::values::{GL_MATRIX_USE_A, GL_MATRIX_USE_ACCUMULATOR};
use expect_test::{Expect, expect};

use super::super::{Shape, Table, coordinates};
use super::{place, show};

const HEADER: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint TM = 16;
layout(constant_id = 1) const uint ARCH = 0;
layout(binding = 0) buffer Data { float values[]; };
#define ACC coopmat<float, gl_ScopeSubgroup, TM, 16, gl_MatrixUseAccumulator>
";

/// Two devices: one whose rows alternate, one with blocks of rows; A has a row in each invocation on the first.
fn tables(shape: &Shape) -> Vec<Table> {
    let table = |device: &str, element: fn(u32, u32) -> (u32, u32)| Table {
        device: device.to_owned(),
        subgroup_size: 32,
        length: 8,
        elements: (0..32).flat_map(|lane| (0..8).map(move |i| element(lane, i))).collect(),
    };
    match (shape.rows, shape.columns, shape.usage) {
        (16, 16, GL_MATRIX_USE_ACCUMULATOR) => vec![
            table("striped", |lane, i| (2 * i + lane / 16, lane % 16)),
            table("blocked", |lane, i| (i + lane / 16 * 8, lane % 16)),
        ],
        (16, 8, GL_MATRIX_USE_A) => vec![table("striped", |lane, i| (lane % 16, i))],
        _ => Vec::new(),
    }
}

fn check(text: &str, expected: Expect) {
    check_in(HEADER, text, expected);
}

fn check_in(header: &str, text: &str, expected: Expect) {
    let (fixture, analysis, range) = place(text, header);
    show(&fixture, &analysis, &coordinates(&analysis, range, &tables), expected);
}

#[test]
fn the_row_of_an_element_in_a_loop_over_them() {
    check(
        "void main() {
    ACC acc = ACC(0.0);
    for (uint e = 0; e < acc.length(); ++e) {
        uint row = gl_SubgroupInvocationID / 16 $0+ 2 * e;
        acc[e] *= values[row];
    }
}
",
        expect![[r#"
            # Get the row from `coopMatGetCoordinateEXT`: this formula is that of striped with subgroups of 32 (refactor.rewrite)
            #extension GL_EXT_cooperative_matrix_maintenance1 : require
                    uint row = coopMatGetCoordinateEXT(acc, e).x;
        "#]],
    );
    // Through other variables, a function and the size of the subgroup; the formula is where the variable is declared.
    check(
        "uint number(int e, uint lane) { return uint(e) * gl_SubgroupSize + lane; }
void main() {
    ACC acc = ACC(0.0);
    for (int e = 0; e < acc.length(); ++e) {
        uint lane = gl_SubgroupInvocationID;
        int row = int(number(e, lane) >> 4);
        acc[e] *= values[r$0ow];
    }
}
",
        expect![[r#"
            # Get the row from `coopMatGetCoordinateEXT`: this formula is that of striped with subgroups of 32 (refactor.rewrite)
            #extension GL_EXT_cooperative_matrix_maintenance1 : require
                    int row = int(coopMatGetCoordinateEXT(acc, e).x);
        "#]],
    );
}

/// A column is often the same for all elements, and computed before the loop; only there is an element to ask about.
#[test]
fn a_column_that_no_element_changes() {
    let shader = "void main() {
    ACC acc = ACC(0.0);
    uint column = gl_SubgroupInvocationID % 16;
    for (uint e = 0; e < acc.length(); ++e) {
        acc[e] *= values[column];
    }
}
";
    check(
        &shader.replace("values[column", "values[$0column"),
        expect![[r#"
        # Get the column from `coopMatGetCoordinateEXT`: this formula is that of striped with subgroups of 32 (refactor.rewrite)
        #extension GL_EXT_cooperative_matrix_maintenance1 : require
                acc[e] *= values[coopMatGetCoordinateEXT(acc, e).y];
    "#]],
    );
    check(&shader.replace("ID % 16", "ID $0% 16"), expect![""]);
}

/// llama.cpp's way: a formula for each generation, in a function of its own, and sums in an array.
#[test]
fn a_formula_for_each_generation() {
    let shader = "uint row_of(uint e) {
    const uint half_row = gl_SubgroupInvocationID / TM;
    return (ARCH == 5u) ? (e + half_row * 8) : (half_row + 2u * e);
}
void main() {
    const uint column0 = gl_SubgroupInvocationID % TM;
    float sums[8];
    ACC acc = ACC(0.0);
    for (uint e = 0; e < 8; ++e) {
        sums[e] = acc[e];
    }
    for (uint e = 0; e < 8; ++e) {
        const uint row = 32 + row_of(e);
        const uint column = 64 + column0;
        values[column * 256 + row] = sums[e];
    }
}
";
    check(
        &shader.replace("(ARCH == 5u) ?", "(ARCH == 5u) $0?"),
        expect![[r#"
        # Get the row from `coopMatGetCoordinateEXT`: this formula is that of striped with subgroups of 32 (refactor.rewrite)
        #extension GL_EXT_cooperative_matrix_maintenance1 : require
            return coopMatGetCoordinateEXT(coopmat<float, gl_ScopeSubgroup, TM, 16, gl_MatrixUseAccumulator>(0.0), e).x;
    "#]],
    );
    let newer = format!("//! spec: 1=5\n{HEADER}");
    check_in(&newer, &shader.replace("32 + row_of", "32 + $0row_of"), expect![""]);
    check(
        &shader.replace("64 + column0", "64 + $0column0"),
        expect![[r#"
        # Get the column from `coopMatGetCoordinateEXT`: this formula is that of striped with subgroups of 32 (refactor.rewrite)
        #extension GL_EXT_cooperative_matrix_maintenance1 : require
                const uint column = 64 + coopMatGetCoordinateEXT(coopmat<float, gl_ScopeSubgroup, TM, 16, gl_MatrixUseAccumulator>(0.0), e).y;
    "#]],
    );
}

#[test]
fn what_is_no_formula_is_left_alone() {
    let shader = |formula: &str| {
        format!(
            "void main() {{
    ACC acc = ACC(0.0);
    uint lane = gl_SubgroupInvocationID;
    for (uint e = 0; e < acc.length(); ++e) {{
        acc[e] *= values[{formula}];
    }}
}}
"
        )
    };
    // No device distributes elements like that; the number of the invocation alone; nothing of the invocation.
    for formula in
        ["lane / 16 + $03 * e", "lane / 8$0 + 2 * e", "la$0ne", "gl_Subgroup$0InvocationID", "2 $0* e"]
    {
        check(&shader(formula), expect![""]);
    }
    // Not all invocations come here, and the call needs all.
    check(
        "void main() {
    ACC acc = ACC(0.0);
    for (uint e = 0; e < acc.length(); ++e) {
        if (values[gl_LocalInvocationIndex] > 0.0) {
            uint row = gl_SubgroupInvocationID / 16 $0+ 2 * e;
            acc[e] *= values[row];
        }
    }
}
",
        expect![""],
    );
    // A load of a tile, in a shader that accesses no element by itself.
    check(
        "shared float tile[256];
void main() {
    for (uint i = 0; i < 8; ++i) {
        uint row = gl_SubgroupInvocationID / 16 $0+ 2 * i;
        tile[row * 16 + gl_SubgroupInvocationID % 16] = values[row];
    }
    ACC acc = ACC(0.0);
    coopMatLoad(acc, tile, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(acc, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
",
        expect![""],
    );
}
