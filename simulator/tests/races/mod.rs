//! Races inside one subgroup and barriers that do not order what they should, as checked mode tells them: marks as in `checks.rs`. What orders
//! what is Vulkan's Memory Model (Synchronizes-With, Cooperative Matrix Memory Access) and GLSL 4.60, section 8.16.

mod coherence;
mod images;
mod workgroup;

use crate::checks::compile;
use crate::support::Run;
use coopmat_simulator::Finding;
use coopmat_simulator::ownership::Ownership;
use expect_test::{Expect, expect};

/// Two subgroups of 16 with two arrays of shared memory, a buffer, and matrices of 16x16.
fn shader(body: &str) -> crate::checks::Checked {
    compile(&format!(
        "layout(local_size_x = 32) in;
layout(binding = 0) buffer Values {{ float x[]; }};
layout(binding = 1) buffer Output {{ float o[]; }};
#define ACC coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
#define ROWS gl_CooperativeMatrixLayoutRowMajor
shared float tile[16][16];
shared float next[16][16];
void main() {{
uint i = gl_LocalInvocationIndex, lane = gl_SubgroupInvocationID, sub = gl_SubgroupID;
{body}
}}"
    ))
}

fn described(run: Run) -> Run {
    let values: Vec<f32> = (0..1024).map(|value| value as f32).collect();
    run.floats(&values).zeros(1024).subgroup_size(16)
}

/// Gives what is found, after it was compared with the marks.
fn found(body: &str) -> Vec<Finding> {
    shader(body).check(described)
}

/// The first message.
fn says(body: &str, message: Expect) {
    message.assert_eq(&found(body)[0].message);
}

const FILL: &str = "if (sub == 0u) for (uint k = lane; k < 256u; k += 16u) tile[k / 16u][k % 16u] = x[k];";

#[test]
fn any_invocation_of_the_scope_accesses_any_element() {
    let body = format!(
        "{FILL} // !other
        ACC m; if (sub == 0u)
        coopMatLoad(m, tile[0], 0, 16, ROWS); // !missing-barrier
        if (sub == 0u) coopMatStore(m, o, 0, 16, ROWS);"
    );
    says(
        &body,
        expect![[
            r#"reads element (0, 0) of a matrix at `tile[0][0]`, which invocation 0 wrote; there is no barrier between the two: add subgroupBarrier() or barrier(): any invocation of the subgroup may access any element of a matrix"#
        ]],
    );
    // Whoever owns the elements.
    for name in Ownership::NAMES {
        let ownership = std::sync::Arc::new(Ownership::by_name(name).unwrap());
        shader(&body).check(|run| {
            let mut run = described(run);
            run.settings.ownership = ownership;
            run
        });
    }
    found(&body.replace(" // !other", "\nsubgroupBarrier();").replace(" // !missing-barrier", ""));
    // The matrix first, then its elements, and over again.
    found(
        "ACC m = ACC(1.0); if (sub == 0u) {
        coopMatStore(m, tile[0], 0, 16, ROWS); // !other
        o[lane] = tile[lane][lane]; // !missing-barrier
        }",
    );
    found(
        "ACC m = ACC(1.0); if (sub == 0u) {
        coopMatStore(m, tile[0], 0, 16, ROWS); // !other
        coopMatLoad(m, tile[0], 0, 16, gl_CooperativeMatrixLayoutColumnMajor); // !missing-barrier
        coopMatStore(m, o, 0, 16, ROWS);
        }",
    );
    // A matrix that is stored where it was loaded is made of what it replaces.
    found(
        "ACC m; if (sub == 0u) { coopMatLoad(m, x, 0, 16, ROWS); m = m * 2.0; coopMatStore(m, x, 0, 16, ROWS); }",
    );
    // In a loop, whoever stores an element may not be who loads it in the next round.
    found(
        "ACC m; if (sub == 0u) for (int k = 0; k < 2; ++k) {
        coopMatLoad(m, x, 0, 16, ROWS); // !missing-barrier
        coopMatStore(m + m, x, 0, 16, ROWS); // !data-race !other
        }",
    );
    found(
        "ACC m; if (sub == 0u) for (int k = 0; k < 2; ++k) { coopMatLoad(m, x, 0, 16, ROWS);
        coopMatStore(m + m, x, 0, 16, ROWS); subgroupBarrier(); }",
    );
}

#[test]
fn scopes_and_semantics_of_barriers() {
    let shared = |barrier: &str, marked: bool| {
        let [other, kind] = if marked { [" // !other", " // !missing-barrier"] } else { ["", ""] };
        format!(
            "tile[0][i % 16u] = 0.0; barrier(); if (i < 16u)\ntile[i][3] = x[i];{other}\n{barrier}; if (i >= 16u)\no[i] = tile[i - 16u][3];{kind}"
        )
    };
    let w = "gl_ScopeWorkgroup, gl_ScopeWorkgroup";
    for right in [
        "barrier()",
        &format!("controlBarrier({w}, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease)"),
        &format!("memoryBarrierShared(); controlBarrier({w}, 0, 0)"),
        &format!("controlBarrier({w}, 0, 0); memoryBarrierShared()"),
        &format!(
            "memoryBarrier(); controlBarrier({w}, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease)"
        ),
    ] {
        found(&shared(right, false));
    }
    let cases = [
        (format!("controlBarrier({w}, 0, 0)"), expect!["the barrier between the two orders no accesses to memory: use barrier()"]),
        (
            format!("controlBarrier({w}, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease)"),
            expect!["the barrier between the two orders accesses to buffers, not to shared memory: use controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease)"],
        ),
        (
            "controlBarrier(gl_ScopeWorkgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease)".to_owned(),
            expect!["the barrier between the two orders accesses within one subgroup alone: use barrier()"],
        ),
        (
            format!("controlBarrier({w}, gl_StorageSemanticsShared, gl_SemanticsAcquire)"),
            expect!["the barrier between the two acquires for what follows it, but does not release what comes before: use barrier()"],
        ),
        (
            format!("controlBarrier({w}, gl_StorageSemanticsShared, gl_SemanticsRelease)"),
            expect!["the barrier between the two releases what comes before it, but does not acquire it for what follows: use barrier()"],
        ),
        ("subgroupBarrier()".to_owned(), expect!["at the barrier between the two only one subgroup waits: add barrier()"]),
        ("memoryBarrierShared()".to_owned(), expect!["there is no barrier between the two: add barrier()"]),
    ];
    for (barrier, words) in cases {
        let message = found(&shared(&barrier, true))[0].message.clone();
        words.assert_eq(message.split_once("; ").unwrap().1);
    }
}

#[test]
fn a_barrier_orders_shared_memory_alone() {
    let buffer = |barrier: &str, marked: bool| {
        let [other, kind] = if marked { [" // !other", " // !missing-barrier"] } else { ["", ""] };
        format!("x[i] = 2.0;{other}\n{barrier};\no[i] = x[31u - i];{kind}")
    };
    for right in [
        "memoryBarrierBuffer(); barrier()",
        "barrier(); memoryBarrierBuffer()",
        "groupMemoryBarrier(); barrier()",
        "controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease)",
    ] {
        found(&buffer(right, false));
    }
    says(
        &buffer("barrier()", true),
        expect![
            "reads 4 bytes at offset 124 of buffer Values, which invocation 31 wrote; the barrier between the two orders accesses to shared memory alone, not to buffers: use controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease), or put memoryBarrierBuffer() before barrier()"
        ],
    );
    says(
        "x[i] = 2.0; // !missing-barrier !other\no[i] = x[31u - i]; // !missing-barrier !other",
        expect![
            "writes 4 bytes at offset 64 of buffer Values, which invocation 15 read; there is no barrier between the two: add controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease), or memoryBarrierBuffer() and barrier()"
        ],
    );
    // Within a subgroup, its barrier orders every kind of memory; barrier() does not help.
    found("x[i] = 2.0; subgroupBarrier(); o[i] = x[i ^ 1u];");
    says(
        "x[i] = 2.0; // !other\no[i] = x[i ^ 1u]; // !missing-barrier",
        expect![
            "reads 4 bytes at offset 4 of buffer Values, which invocation 1 wrote; there is no barrier between the two: add subgroupBarrier(), even though they are in one subgroup"
        ],
    );
    // What follows is a write, and so it is with the pairs of one subgroup.
    found("o[i] = x[31u - i]; // !other\nbarrier();\nx[i] = 3.0; // !missing-barrier");
}

#[test]
fn the_advice_is_that_of_the_worst_pair() {
    // Invocation 0 reads what its neighbour wrote, invocation 8 what the other subgroup did.
    let found = found(
        "tile[0][0] = 0.0; barrier(); next[i / 16u][i % 16u] = x[i]; // !other
        subgroupBarrier(); barrier(); tile[i / 16u][i % 16u] = x[i]; // !missing-barrier !other
        o[i] = tile[i % 2u == 0u ? sub : 1u - sub][(i + 1u) % 16u]; // !missing-barrier !other"
            .replace("next[i / 16u][i % 16u] = x[i]; // !other\n", "")
            .as_str(),
    );
    let told: Vec<&str> = found
        .iter()
        .filter(|finding| finding.message.starts_with("reads"))
        .map(|finding| finding.message.as_str())
        .collect();
    assert!(
        told.iter().all(|message| message.ends_with("there is no barrier between the two: add barrier()")),
        "{told:#?}"
    );
    assert!(told[0].contains("which invocation"), "{told:#?}");
}

#[test]
fn a_matrix_stays_inside_its_variable() {
    says(
        "ACC m = ACC(1.0); if (sub == 0u) { coopMatStore(m, tile[0], 0, 16, ROWS); coopMatStore(m, next[0], 0, 16, ROWS); subgroupBarrier();
        coopMatLoad(m, tile[1], 0, 16, ROWS); // !out-of-bounds
        coopMatStore(m, o, 0, 16, ROWS); }",
        expect!["reads element (15, 0) of a matrix at `next[0][0]`, but the matrix begins at `tile[1][0]`: it must stay inside that variable"],
    );
    says(
        "tile[0][0] = next[0][0] = 0.0; barrier(); ACC m = ACC(1.0); if (sub == 0u)
        coopMatStore(m, tile[12], 0, 16, ROWS); // !out-of-bounds",
        expect![
            "writes element (4, 0) of a matrix at `next[0][0]`, but the matrix begins at `tile[12][0]`: it must stay inside that variable"
        ],
    );
}

#[test]
fn writes_of_the_same_value_are_found_where_it_is_asked_for() {
    found("o[0] = 1.0;");
    let strict = |body: &str| {
        shader(body).check(|run| {
            let mut run = described(run);
            run.settings.strict = true;
            run
        })
    };
    let told = strict("o[0] = 1.0; // !data-race !other");
    assert_eq!(
        told[0].message,
        "writes 4 bytes at offset 0 of buffer Output, which invocation 15 wrote; it is undefined which value remains: let only one of them write, or use an atomic operation"
    );
    strict("if (i == 0u) o[0] = 1.0;");
    strict("ACC m = ACC(1.0);\ncoopMatStore(m, o, 0, 16, ROWS); // !data-race !other");
}

#[test]
fn places_have_their_names() {
    let source = "layout(local_size_x = 32) in;
struct Block { float scale; float quants[4]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Weights { float values[]; };
layout(binding = 0) buffer Addresses { uint64_t address; };
layout(binding = 1) buffer Output { float o[]; };
shared Block blocks[8];
void main() {
uint i = gl_LocalInvocationIndex;
blocks[i % 8u].quants[3] = float(i); // !data-race !other
Weights w = Weights(address);
w.values[0] = float(i); // !data-race !other
barrier();
o[i] = blocks[i % 8u].quants[3];
}";
    let source = format!(
        "#extension GL_EXT_buffer_reference : require\n#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n{source}"
    );
    let told = compile(&source).check(|run| {
        let mut run = run.words(&[0, 0]).zeros(32);
        let memory = run.resources.buffer(&[0; 256]);
        let address = run.resources.address(memory);
        let first = run.buffers()[0];
        run.resources.write(first, 0, &address.to_le_bytes());
        run
    });
    assert!(
        told[0].message.starts_with("writes 4 bytes at `blocks[0].quants[3]`, which invocation 0 wrote"),
        "{told:#?}"
    );
    let told = told.iter().find(|finding| finding.message.contains("Weights")).unwrap();
    assert!(
        told.message.starts_with("writes 4 bytes at offset 0 of buffer 2, a block `Weights`, which"),
        "{told:#?}"
    );
}
