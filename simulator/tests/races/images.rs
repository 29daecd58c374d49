//! Storage images in checked mode: races, barriers that order them, coordinates outside, texels that nobody wrote. Marks as in `checks.rs`.

use crate::checks::compile;
use crate::support::Run;
use coopmat_simulator::{Finding, Image};
use expect_test::{Expect, expect};

/// Two subgroups of 16; images of 8x4 texels, one of 16 in a row.
fn shader(body: &str) -> crate::checks::Checked {
    compile(&format!(
        "#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Output {{ float o[]; }};
layout(binding = 1, rgba32f) uniform image2D picture;
layout(binding = 2, r32ui) uniform uimage2D counts;
layout(binding = 3, r32f) uniform image1D line;
layout(binding = 4, r32f) readonly uniform image2D weights;
layout(binding = 5) uniform texture2D texture;
shared float tile[32];
ivec2 at(uint n) {{ return ivec2(n % 8u, n / 8u); }}
void main() {{
uint i = gl_LocalInvocationIndex, lane = gl_SubgroupInvocationID, sub = gl_SubgroupID;
{body}
}}"
    ))
}

fn described(mut run: Run) -> Run {
    for (binding, size) in [[8, 4, 1], [8, 4, 1], [16, 1, 1], [8, 4, 1], [8, 4, 1]].into_iter().enumerate() {
        let image = run.resources.image(Image::new(size));
        run.resources.bind_image(0, binding as u32 + 1, 0, image);
    }
    run.zeros(64).subgroup_size(16)
}

fn found(body: &str) -> Vec<Finding> {
    shader(body).check(described)
}

fn says(body: &str, message: Expect) {
    message.assert_eq(&found(body)[0].message);
}

#[test]
fn races() {
    says(
        "imageStore(picture, at(i), vec4(1.0)); // !missing-barrier !other
        memoryBarrierImage(); o[i] = imageLoad(picture, at(31u - i)).x; // !missing-barrier !other",
        expect![
            "writes texel (0, 2) of image picture, which invocation 15 read; there is no barrier between the two: add controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsImage, gl_SemanticsAcquireRelease), or memoryBarrierImage() and barrier()"
        ],
    );
    // Its own texel, and one that nobody else has.
    found("imageStore(picture, at(i), vec4(i)); o[i] = imageLoad(picture, at(i)).x;");
    says(
        "imageStore(picture, at(i / 2u), vec4(i)); // !data-race !other",
        expect![
            "writes texel (0, 0) of image picture, which invocation 0 wrote; it is undefined which value remains: let only one of them write, or use an atomic operation"
        ],
    );
    // What it holds already.
    found("imageStore(picture, at(i / 2u), vec4(0.0));");
    says(
        "if (sub == 0u)
        imageStore(picture, at(lane), vec4(1.0)); // !other
        subgroupBarrier(); if (sub == 1u)
        o[i] = imageLoad(picture, at(lane)).x; // !missing-barrier",
        expect![
            "reads texel (0, 0) of image picture, which invocation 0 wrote; at the barrier between the two only one subgroup waits: add controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsImage, gl_SemanticsAcquireRelease), or memoryBarrierImage() and barrier()"
        ],
    );
    found(
        "imageStore(picture, at(i), vec4(1.0)); subgroupBarrier(); o[i] = imageLoad(picture, at(i ^ 1u)).x;",
    );
    says(
        "o[i] = imageLoad(line, int(i % 16u)).x; // !other
        barrier();
        if (i == 0u) imageStore(line, 3, vec4(1.0)); // !missing-barrier",
        expect![
            "writes texel 3 of image line, which invocation 19 read; the barrier between the two orders accesses to shared memory alone, not to images: use controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared | gl_StorageSemanticsImage, gl_SemanticsAcquireRelease), or put memoryBarrierImage() before barrier()"
        ],
    );
    // An image that is only read, and one that is sampled.
    found("o[i] = imageLoad(weights, at(i)).x + texelFetch(texture, at(i), 0).x;");
}

#[test]
fn barriers() {
    let body = |barrier: &str, marked: bool| {
        let [other, kind] = if marked { [" // !other", " // !missing-barrier"] } else { ["", ""] };
        format!(
            "imageStore(picture, at(i), vec4(1.0));{other}\n{barrier};\no[i] = imageLoad(picture, at(31u - i)).x;{kind}"
        )
    };
    let w = "gl_ScopeWorkgroup, gl_ScopeWorkgroup";
    for right in [
        "memoryBarrierImage(); barrier()",
        "barrier(); memoryBarrier()",
        "groupMemoryBarrier(); barrier()",
        &format!("controlBarrier({w}, gl_StorageSemanticsImage, gl_SemanticsAcquireRelease)"),
    ] {
        found(&body(right, false));
    }
    let cases = [
        (
            "barrier()".to_owned(),
            expect![
                "the barrier between the two orders accesses to shared memory alone, not to images: use controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared | gl_StorageSemanticsImage, gl_SemanticsAcquireRelease), or put memoryBarrierImage() before barrier()"
            ],
        ),
        (
            "memoryBarrierBuffer(); barrier()".to_owned(),
            expect![
                "the barrier between the two orders accesses to shared memory alone, not to images: use controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared | gl_StorageSemanticsImage, gl_SemanticsAcquireRelease), or put memoryBarrierImage() before barrier()"
            ],
        ),
        (
            format!(
                "controlBarrier({w}, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease)"
            ),
            expect![
                "the barrier between the two orders accesses to shared memory and buffers alone, not to images: use controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared | gl_StorageSemanticsImage, gl_SemanticsAcquireRelease), or put memoryBarrierImage() before barrier()"
            ],
        ),
        (
            format!("controlBarrier({w}, gl_StorageSemanticsImage, gl_SemanticsRelease)"),
            expect![
                "the barrier between the two releases what comes before it, but does not acquire it for what follows: use controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsImage, gl_SemanticsAcquireRelease), or put memoryBarrierImage() before barrier()"
            ],
        ),
    ];
    for (barrier, words) in cases {
        let message = found(&body(&barrier, true))[0].message.clone();
        words.assert_eq(message.split_once("; ").unwrap().1);
    }
    // A barrier that orders images orders nothing else.
    let image = format!("controlBarrier({w}, gl_StorageSemanticsImage, gl_SemanticsAcquireRelease)");
    says(
        &format!("tile[i] = 1.0; // !other\n{image};\no[i] = tile[31u - i]; // !missing-barrier"),
        expect![
            "reads 4 bytes at `tile[31]`, which invocation 31 wrote; the barrier between the two orders accesses to images, not to shared memory: use controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared | gl_StorageSemanticsImage, gl_SemanticsAcquireRelease)"
        ],
    );
}

#[test]
fn atomics() {
    found("imageAtomicAdd(counts, at(i % 4u), 1u); imageAtomicMax(counts, at(i % 4u), i);");
    says(
        "imageAtomicAdd(counts, at(i % 4u), 1u); // !other
        barrier();
        o[i] = float(imageLoad(counts, at(i % 4u)).x); // !missing-barrier",
        expect![
            "reads texel (0, 0) of image counts, which invocation 28 wrote; the barrier between the two orders accesses to shared memory alone, not to images: use controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared | gl_StorageSemanticsImage, gl_SemanticsAcquireRelease), or put memoryBarrierImage() before barrier()"
        ],
    );
    found(
        "imageAtomicAdd(counts, at(i % 4u), 1u); memoryBarrierImage(); barrier(); o[i] = float(imageLoad(counts, at(i % 4u)).x);",
    );
    found(
        "if (i == 0u)\nimageStore(counts, at(0u), uvec4(7)); // !other
        imageAtomicAdd(counts, at(0u), 1u); // !data-race",
    );
}

#[test]
fn coordinates_outside() {
    says(
        "o[i] = imageLoad(picture, ivec2(i % 9u, 2)).x; // !out-of-bounds",
        expect!["reads texel (8, 2) of image picture, which has 8x4 texels"],
    );
    says(
        "if (i < 2u) imageStore(picture, ivec2(0, int(i) - 1), vec4(1.0)); // !out-of-bounds",
        expect!["writes texel (0, -1) of image picture, which has 8x4 texels"],
    );
    says(
        "imageAtomicAdd(counts, ivec2(i % 2u, 4), 1u); // !out-of-bounds",
        expect!["updates texel (0, 4) of image counts, which has 8x4 texels"],
    );
    says(
        "o[i] = imageLoad(line, int(i)).x; // !out-of-bounds",
        expect!["reads texel 16 of image line, which has 16 texels"],
    );
    says(
        "o[i] = texelFetch(texture, ivec2(i % 8u, 8), 0).x; // !out-of-bounds",
        expect!["reads texel (0, 8) of image texture, which has 8x4 texels"],
    );
    found("if (i < 16u) o[i] = imageLoad(line, int(i)).x;");
    // A coordinate that nobody wrote.
    found(
        "ivec2 where_; if (i > 99u) where_ = at(i);\no[i] = imageLoad(picture, where_).x; // !uninitialised",
    );
}

#[test]
fn workgroups() {
    let run = |body: &str| shader(body).check(|run| described(run).groups(2, 1, 1));
    let told = run("imageStore(picture, at(i), vec4(gl_WorkGroupID.x)); // !data-race !other");
    expect!["writes texel (0, 0) of image picture, which invocation 0 of workgroup (0, 0, 0) wrote; workgroups do not wait for each other: split the dispatch, or use atomics"].assert_eq(&told[0].message);
    run("if (gl_WorkGroupID.x == 1u) imageStore(picture, at(i), vec4(2.0));");
    run("o[i + 32u * gl_WorkGroupID.x] = imageLoad(picture, at(i)).x;");
}

#[test]
fn texels_that_nobody_wrote() {
    let run = |body: &str| {
        shader(body).check(|run| {
            let mut run = described(run);
            let picture = run.resources.image(Image::new([8, 4, 1]));
            run.resources.bind_image(0, 1, 0, picture);
            run.settings.undefined_images = vec![picture];
            run
        })
    };
    run("o[i] = imageLoad(picture, at(i)).x; // !uninitialised");
    run("imageStore(picture, at(i), vec4(1.0)); o[i] = imageLoad(picture, at(i)).x;");
    run("float y; if (i > 99u) y = 1.0;\nimageStore(picture, at(i), vec4(y)); // !uninitialised");
}

#[test]
fn numbers_that_are_none() {
    found("float y = 1.0 / (o[i] * 0.0); // !infinity-born\nimageStore(picture, at(i), vec4(y)); // !other");
}
