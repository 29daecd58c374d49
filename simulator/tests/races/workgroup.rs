//! Races of matrices of workgroup scope, of tensor loads and stores, and of functions that decode elements (GL_NV_cooperative_matrix2), as
//! checked mode reports them: marks as in `checks.rs`. Any invocation of the scope may access any element; an operation that all subgroups
//! execute together is no barrier.

use crate::checks::compile;
use crate::support::Run;
use coopmat_simulator::Finding;
use expect_test::{Expect, expect};

/// Two subgroups of 16, two buffers, shared memory, matrices of both scopes, a tensor of 16x16, and functions that decode.
fn shader(body: &str, functions: &[(&str, &str)]) -> crate::checks::Checked {
    let source = format!(
        "#extension GL_NV_cooperative_matrix2 : require
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Values {{ float x[]; }};
layout(binding = 1) buffer Output {{ float o[]; }};
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Element {{ float value; }};
#define WHOLE coopmat<float, gl_ScopeWorkgroup, 16, 16, gl_MatrixUseAccumulator>
#define ACC coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
#define ROWS gl_CooperativeMatrixLayoutRowMajor
shared float tile[256];
float scaled(const in Element e, const in uint block[2], const in uint inside[2]) {{
    return e.value * tile[inside[0] * 0u + block[1]]; // SCALED
}}
float plain(const in Element e, const in uint block[2], const in uint inside[2]) {{
    return e.value; // PLAIN
}}
float noted(const in uint row, const in uint column, const in float value) {{
    tile[row * 16u + column] = value; // NOTED
    return tile[row * 16u + column] + 1.0; // AGAIN
}}
void main() {{
uint i = gl_LocalInvocationIndex, sub = gl_SubgroupID, lane = gl_SubgroupInvocationID;
tensorLayoutNV<2> t = createTensorLayoutNV(2);
t = setTensorLayoutDimensionNV(t, 16, 16);
t = sliceTensorLayoutNV(t, 0, 16, 0, 16);
{body}
}}"
    );
    let marked = |source: String, (line, marks): &(&str, &str)| source.replace(&format!("// {line}"), marks);
    compile(&functions.iter().fold(source, marked))
}

fn described(run: Run) -> Run {
    let values: Vec<f32> = (0..256).map(|value| value as f32).collect();
    run.floats(&values).zeros(512).subgroup_size(16)
}

/// Gives what is found, after it was compared with the marks: those in the body, and those of lines of the functions.
fn found_with(body: &str, functions: &[(&str, &str)]) -> Vec<Finding> {
    shader(body, functions).check(described)
}

fn found(body: &str) -> Vec<Finding> {
    found_with(body, &[])
}

fn says(found: &[Finding], message: Expect) {
    message.assert_eq(&found[0].message);
}

const FILL: &str = "for (uint k = i; k < 256u; k += 32u) tile[k] = x[k];";

#[test]
fn matrices_of_the_workgroup_and_lanes() {
    // What lanes wrote, one matrix of all of them reads.
    says(
        &found(&format!(
            "{FILL} // !other
            WHOLE m;
            coopMatLoad(m, tile, 0, 16, ROWS); // !missing-barrier
            coopMatStore(m, o, 0, 16, ROWS);"
        )),
        expect![
            "reads element (0, 0) of a matrix at `tile[0]`, which invocation 0 wrote; there is no barrier between the two: add barrier()"
        ],
    );
    found(&format!(
        "{FILL} barrier(); WHOLE m; coopMatLoad(m, tile, 0, 16, ROWS); coopMatStore(m, o, 0, 16, ROWS);"
    ));
    // The barrier of a subgroup is not enough.
    says(
        &found(&format!(
            "{FILL} // !other
            subgroupBarrier(); WHOLE m;
            coopMatLoad(m, tile, 0, 16, ROWS); // !missing-barrier
            coopMatStore(m, o, 0, 16, ROWS);"
        )),
        expect![
            "reads element (0, 0) of a matrix at `tile[0]`, which invocation 0 wrote; at the barrier between the two only one subgroup waits: add barrier()"
        ],
    );
    // What it stores, lanes read; and what it loaded, lanes replace.
    says(
        &found(
            "WHOLE m = WHOLE(1.0);
            coopMatStore(m, tile, 0, 16, ROWS); // !other
            o[i] = tile[i]; // !missing-barrier",
        ),
        expect![
            "reads 4 bytes at `tile[0]`, which a matrix operation of the workgroup wrote; there is no barrier between the two: add barrier()"
        ],
    );
    found("WHOLE m = WHOLE(1.0); coopMatStore(m, tile, 0, 16, ROWS); barrier(); o[i] = tile[i];");
    found(
        "WHOLE m;
        coopMatLoad(m, x, 0, 16, ROWS); // !other
        x[i] = 1.0; // !missing-barrier
        coopMatStore(m, o, 0, 16, ROWS);",
    );
    found(
        "WHOLE m; coopMatLoad(m, x, 0, 16, ROWS); memoryBarrierBuffer(); barrier(); x[i] = 1.0; coopMatStore(m, o, 0, 16, ROWS);",
    );
}

#[test]
fn operations_that_subgroups_execute_together_are_no_barrier() {
    says(
        &found(
            "WHOLE m = WHOLE(1.0);
            coopMatStore(m, tile, 0, 16, ROWS); // !other
            coopMatLoad(m, tile, 0, 16, gl_CooperativeMatrixLayoutColumnMajor); // !missing-barrier
            coopMatStore(m, o, 0, 16, ROWS);",
        ),
        expect![
            "reads element (0, 0) of a matrix at `tile[0]`, which a matrix operation of the workgroup wrote; there is no barrier between the two: add barrier()"
        ],
    );
    // A matrix that is stored where it was loaded is made of what it replaces.
    found("WHOLE m; coopMatLoad(m, x, 0, 16, ROWS); m = m * 2.0; coopMatStore(m, x, 0, 16, ROWS);");
    // One subgroup alone, then all of them.
    found(
        "ACC m = ACC(1.0); if (sub == 1u)
        coopMatStore(m, tile, 0, 16, ROWS); // !other
        WHOLE w;
        coopMatLoad(w, tile, 0, 16, ROWS); // !missing-barrier
        coopMatStore(w, o, 0, 16, ROWS);",
    );
    found(
        "ACC m = ACC(1.0); if (sub == 1u) coopMatStore(m, tile, 0, 16, ROWS); barrier();
        WHOLE w; coopMatLoad(w, tile, 0, 16, ROWS); coopMatStore(w, o, 0, 16, ROWS);",
    );
}

#[test]
fn all_subgroups_take_part_with_the_same_operands() {
    says(
        &found(
            "WHOLE m = WHOLE(1.0); if (sub == 0u)
            coopMatStore(m, o, 0, 16, ROWS); // !divergent-matrix-operation",
        ),
        expect![
            "subgroup 0 executes coopMatStore on a matrix of the workgroup's scope, but subgroup 1 does not; the whole workgroup must take the same path"
        ],
    );
    says(
        &found("WHOLE m = WHOLE(1.0);\ncoopMatStore(m, o, sub * 256u, 16, ROWS); // !non-uniform-operand"),
        expect![
            "the pointer is offset 1024 in subgroup 1, but offset 0 in subgroup 0; it must be the same in the whole workgroup"
        ],
    );
    says(
        &found("WHOLE m = WHOLE(1.0);\ncoopMatStore(m, o, 0, 16u + 4u * sub, ROWS); // !non-uniform-operand"),
        expect![
            "the stride is 20 in subgroup 1, but 16 in subgroup 0; it must be the same in the whole workgroup"
        ],
    );
    says(
        &found("WHOLE m = WHOLE(1.0);\ncoopMatStoreTensorNV(m, o, sub * 256u, t); // !non-uniform-operand"),
        expect![
            "the pointer is offset 1024 in subgroup 1, but offset 0 in subgroup 0; it must be the same in the whole workgroup"
        ],
    );
    says(
        &found(
            "WHOLE m = WHOLE(1.0); t = setTensorLayoutStrideNV(t, 16u + 16u * sub, 1);
            coopMatStoreTensorNV(m, o, 0, t); // !non-uniform-operand",
        ),
        expect![
            "a value of the tensor layout is 32 in subgroup 1, but 16 in subgroup 0; it must be the same in the whole workgroup"
        ],
    );
    found("ACC m = ACC(1.0); coopMatStoreTensorNV(m, o, sub * 256u, t);");
    found("WHOLE m = WHOLE(1.0); coopMatStoreTensorNV(m, o, 0, t); if (sub == 0u) o[256u + i] = 1.0;");
}

#[test]
fn tensor_loads_and_stores() {
    says(
        &found(&format!(
            "{FILL} // !other
            WHOLE m;
            coopMatLoadTensorNV(m, tile, 0, t); // !missing-barrier
            coopMatStoreTensorNV(m, o, 0, t);"
        )),
        expect![
            "reads element (0, 0) of a matrix at `tile[0]`, which invocation 0 wrote; there is no barrier between the two: add barrier()"
        ],
    );
    found(&format!(
        "{FILL} barrier(); WHOLE m; coopMatLoadTensorNV(m, tile, 0, t); coopMatStoreTensorNV(m, o, 0, t);"
    ));
    says(
        &found(
            "x[i] = 1.0; // !other
            barrier(); ACC m; if (sub == 0u)
            coopMatLoadTensorNV(m, x, 0, t); // !missing-barrier
            if (sub == 0u) coopMatStoreTensorNV(m, o, 0, t);",
        ),
        expect![
            "reads element (1, 0) of a matrix at offset 64 of buffer Values, which invocation 16 wrote; the barrier between the two orders accesses to shared memory alone, not to buffers: use controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease), or put memoryBarrierBuffer() before barrier()"
        ],
    );
    found(
        "ACC m = ACC(1.0); if (sub == 0u)
        coopMatStoreTensorNV(m, o, 0, t); // !other
        x[i] = o[i]; // !missing-barrier",
    );
    // What a layout clips is not accessed.
    found(
        "ACC m = ACC(1.0); tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> narrow = createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
        narrow = setTensorLayoutDimensionNV(narrow, 2, 16); narrow = sliceTensorLayoutNV(narrow, 0, 16, 0, 16); if (sub == 0u)
        coopMatStoreTensorNV(m, o, 0, narrow); if (sub == 1u) o[32u + lane] = 1.0;",
    );
    // Both subgroups store different matrices to one place.
    found("ACC m = ACC(float(sub));\ncoopMatStoreTensorNV(m, o, 0, t); // !data-race !other");
    says(
        &found(
            "ACC m = ACC(0.0); for (int k = 0; k < m.length(); ++k) m[k] = float(lane); tensorViewNV<2, true> v = createTensorViewNV(2, true);
            v = setTensorViewDimensionsNV(v, 16, 16); v = setTensorViewStrideNV(v, 8, 1); if (sub == 0u)
            coopMatStoreTensorNV(m, o, 0, t, v); // !stride-below-row",
        ),
        expect!["elements (0, 8) and (1, 0) are stored at one place; the strides of the tensor layout and its view must keep them apart"],
    );
}

#[test]
fn functions_that_decode() {
    // Shared memory that lanes wrote.
    let table = |barrier: &str, scope: &str, other: &str| {
        format!(
            "tile[i] = 2.0;{other}
            {barrier} {scope} m;
            coopMatLoadTensorNV(m, x, 0, t, scaled); barrier();
            if (sub == 0u) o[0] = 1.0;"
        )
    };
    for scope in ["ACC", "WHOLE"] {
        found(&table("barrier();", scope, ""));
        let told = found_with(&table("", scope, " // !other"), &[("SCALED", "// !missing-barrier")]);
        if scope == "WHOLE" {
            says(
                &told,
                expect![
                    "reads 4 bytes at `tile[0]`, which invocation 0 wrote; there is no barrier between the two: add barrier()"
                ],
            );
        }
    }
    says(
        &found_with(&table("subgroupBarrier();", "ACC", " // !other"), &[("SCALED", "// !missing-barrier")]),
        expect![
            "reads 4 bytes at `tile[0]`, which invocation 0 wrote; at the barrier between the two only one subgroup waits: add barrier()"
        ],
    );
    // The buffer itself.
    says(
        &found_with(
            "if (sub == 0u) {
            x[lane] = 2.0; // !other
            ACC m; coopMatLoadTensorNV(m, x, 0, t, plain); coopMatStoreTensorNV(m, o, 0, t); }",
            &[("PLAIN", "// !missing-barrier")],
        ),
        expect![
            "reads 4 bytes at offset 0 of buffer Values, which invocation 0 wrote; there is no barrier between the two: add subgroupBarrier(): any invocation of the subgroup may access any element of a matrix"
        ],
    );
    found(
        "if (sub == 0u) { x[lane] = 2.0; subgroupBarrier(); ACC m; coopMatLoadTensorNV(m, x, 0, t, plain); coopMatStoreTensorNV(m, o, 0, t); }",
    );
    // What a function has read, lanes replace.
    found_with(
        "WHOLE m; coopMatLoadTensorNV(m, x, 0, t, plain);
        x[i] = 2.0; // !missing-barrier
        coopMatStoreTensorNV(m, o, 0, t);",
        &[("PLAIN", "// !other")],
    );
}

#[test]
fn functions_for_each_element() {
    // An element's own write comes before its own read, whichever scope the matrix has.
    for scope in ["ACC", "WHOLE"] {
        found(&format!(
            "{scope} m = {scope}(1.0); if (sub == 0u || m.length() == 8)\ncoopMatPerElementNV(m, m, noted);"
        ));
    }
    says(
        &found_with(
            "WHOLE m = WHOLE(1.0); coopMatPerElementNV(m, m, noted);
            o[i] = tile[i]; // !missing-barrier",
            &[("NOTED", "// !other")],
        ),
        expect![
            "reads 4 bytes at `tile[0]`, which a matrix operation of the workgroup wrote; there is no barrier between the two: add barrier()"
        ],
    );
}
