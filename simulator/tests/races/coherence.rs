//! Memory that is not `coherent` where invocations pass values to each other, as strict checked mode reports it: marks as in `checks.rs`. What
//! has to be so is Vulkan's Memory Model (Private vs. Non-Private, Location-Ordered) and GLSL 4.60, section 4.10.

use crate::checks::compile;
use crate::support::Run;
use coopmat_simulator::{Finding, Image};
use expect_test::{Expect, expect};

/// Two subgroups of 16 with a buffer and an image that have a qualifier, and a buffer of addresses.
fn shader(qualifier: &str, header: &str, body: &str) -> crate::checks::Checked {
    compile(&format!(
        "{header}
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(binding = 0) {qualifier} buffer Values {{ float x[]; }};
layout(binding = 1) buffer Output {{ float o[]; }};
layout(binding = 2, r32f) {qualifier} uniform image2D picture;
layout(buffer_reference, std430, buffer_reference_align = 4) {qualifier} buffer Weights {{ float w[]; }};
layout(binding = 3) readonly buffer Addresses {{ Weights weights; }};
#define ACC coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
#define ROWS gl_CooperativeMatrixLayoutRowMajor
#define BARRIER controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsImage | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease)
shared float tile[32];
ivec2 at(uint n) {{ return ivec2(n % 8u, n / 8u); }}
void main() {{
uint i = gl_LocalInvocationIndex, sub = gl_SubgroupID;
{body}
}}"
    ))
}

fn described(run: Run, strict: bool) -> Run {
    let mut run = run.zeros(512).zeros(512);
    let image = run.resources.image(Image::new([8, 4, 1]));
    run.resources.bind_image(0, 2, 0, image);
    let addresses = run.resources.buffer(&[0; 8]);
    let memory = run.resources.buffer(&[0; 256]);
    let address = run.resources.address(memory);
    run.resources.write(addresses, 0, &address.to_le_bytes());
    run.resources.bind(0, 3, 0, addresses);
    run.settings.strict = strict;
    run.subgroup_size(16)
}

const MODEL: &str = "#pragma use_vulkan_memory_model";

/// What strict mode finds where memory has no qualifier; nothing is found where it has one, nor otherwise.
fn found(body: &str) -> Vec<Finding> {
    let unmarked: String =
        body.lines().map(|line| format!("{}\n", line.split("// !").next().unwrap())).collect();
    for header in ["", MODEL] {
        shader("", header, &unmarked).check(|run| described(run, false));
        for qualifier in ["coherent", "volatile"] {
            shader(qualifier, header, &unmarked).check(|run| described(run, true));
        }
    }
    for qualifier in ["workgroupcoherent", "queuefamilycoherent"] {
        shader(qualifier, MODEL, &unmarked).check(|run| described(run, true));
    }
    shader("", MODEL, body).check(|run| described(run, true));
    shader("", "", body).check(|run| described(run, true))
}

fn says(body: &str, message: Expect) {
    message.assert_eq(&found(body)[0].message);
}

#[test]
fn buffers() {
    says(
        "x[i] = 1.0; // !other\nBARRIER;\no[i] = x[31u - i]; // !not-coherent",
        expect![
            "reads 4 bytes at offset 124 of buffer Values, which invocation 31 wrote; a barrier orders the two, but neither access is coherent: declare the buffer `coherent`"
        ],
    );
    // Shared memory is coherent, and so is what only one invocation accesses.
    found("tile[i] = 1.0; BARRIER; o[i] = tile[31u - i];");
    found("x[i] = 1.0; BARRIER; o[i] = x[i];");
    // Another invocation writes it once more.
    found("x[i] = 1.0; // !other\nBARRIER;\nx[31u - i] = 2.0; // !not-coherent");
    // What was only read may be replaced.
    found("o[i] = x[i]; BARRIER; x[31u - i] = 2.0;");
    // By its address.
    says(
        "weights.w[i] = 1.0; // !other\nBARRIER;\no[i] = weights.w[31u - i]; // !not-coherent",
        expect![
            "reads 4 bytes at offset 124 of buffer 3, a block `Weights`, which invocation 31 wrote; a barrier orders the two, but neither access is coherent: declare the buffer `coherent`"
        ],
    );
}

#[test]
fn matrices() {
    says(
        "ACC m = ACC(1.0); if (sub == 0u)
        coopMatStore(m, x, 0, 16, ROWS); // !other
        BARRIER; if (sub == 1u)
        coopMatLoad(m, x, 0, 16, ROWS); // !not-coherent
        if (sub == 1u) coopMatStore(m, o, 0, 16, ROWS);",
        expect![
            "reads element (0, 0) of a matrix at offset 0 of buffer Values, which a matrix operation of subgroup 0 wrote; a barrier orders the two, but neither access is coherent: declare the buffer `coherent`"
        ],
    );
}

#[test]
fn images() {
    says(
        "imageStore(picture, at(i), vec4(1.0)); // !other
        BARRIER;
        o[i] = imageLoad(picture, at(31u - i)).x; // !not-coherent",
        expect![
            "reads texel (7, 3) of image picture, which invocation 31 wrote; a barrier orders the two, but neither access is coherent: declare the image `coherent`"
        ],
    );
}

#[test]
fn a_missing_barrier_is_reported_as_such() {
    let body =
        "if (sub == 0u)\nx[i] = 1.0; // !other\nif (sub == 1u)\no[i] = x[31u - i]; // !missing-barrier";
    for qualifier in ["", "coherent"] {
        shader(qualifier, "", body).check(|run| described(run, true));
    }
}
