//! What is known of a shader's speed before it runs.

use coopmat_analysis::analyze;
use coopmat_analysis::config::Configuration;
use coopmat_analysis::fixture::{Reported, compare, page_examples};
use coopmat_analysis::sources::NoFiles;
use coopmat_server::performance::{Found, performance, scalar_accesses};

/// The examples of each page get what they mark of that page.
#[test]
fn the_pages_get_what_they_mark() {
    for code in coopmat_analysis::PERFORMANCE_CODES {
        let (wrong, right) = page_examples(code.page);
        for example in wrong.iter().chain(&right) {
            let result = compare(example, |path, text, config, loader| {
                let analysis = analyze(path, text, config, loader, None);
                let mut found = performance(&analysis).diagnostics;
                found.retain(|one| one.code == code);
                Reported::new(analysis.files(), found)
            });
            assert_eq!(result, Ok(()), "{}", code.id);
        }
    }
}

fn found(device: &str, stride: &str) -> Found {
    let source = format!(
        "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint PADDING = 0;
layout(push_constant) uniform Parameters {{ uint given; }};
layout(binding = 0) buffer Data {{ float16_t data[]; }};
shared float16_t staged[1024];
void main() {{
coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
coopMatLoad(a, staged, 0, {stride}, gl_CooperativeMatrixLayoutRowMajor);
coopMatStore(a, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}}"
    );
    let device = Some(device.to_owned()).filter(|name| name != "none");
    let config = Configuration { device, ..Configuration::default() };
    performance(&analyze("x.comp", source.into(), &config, &NoFiles, None))
}

/// A stride that depends on a specialization constant has its value; one that is given when the shader runs is not looked at, and that is told.
#[test]
fn strides_are_constants_of_the_configuration() {
    let messages = |found: Found| found.diagnostics.into_iter().map(|one| one.message).collect::<Vec<_>>();
    let specialized = messages(found("nvidia-h200", "16 + PADDING"));
    assert_eq!(
        specialized,
        [
            "the load takes 8 passes of shared memory instead of 4 on nvidia-h200, with a stride of 16 (2-way conflicts); without conflicts: a stride of 24 or 40 or 56"
        ]
    );
    assert_eq!(messages(found("nvidia-h200", "24 + PADDING")), [""; 0]);
    let given = found("nvidia-h200", "given");
    assert_eq!(given.notes, ["some matrices in shared memory have a stride that is no constant"]);
}

#[test]
fn what_a_device_does_not_say_is_told() {
    let of = |device| found(device, "16").notes;
    assert_eq!(of("none"), ["no device is set, use --device NAME"]);
    assert_eq!(of("amd-rdna3"), ["the profile of amd-rdna3 does not say how its banks are"]);
    assert_eq!(of("nvk-ada"), ["it is not known which invocation of nvk-ada owns which element of a matrix"]);
}

/// Every access says why its passes are not known, for hovers; the sum of all says that none are.
#[test]
fn accesses_say_why_their_passes_are_not_known() {
    let of = |device, stride| {
        let found = found(device, stride);
        let told: Vec<String> = found.accesses.iter().map(|access| access.told.clone()).collect();
        (told.join("; "), found.summary().unwrap())
    };
    let sum = "1 access of shared memory: passes not known".to_owned();
    let why = |why: &str| (format!("the passes of this load are not known: {why}"), sum.clone());
    assert_eq!(of("amd-rdna3", "16"), why("the profile of amd-rdna3 does not say how its banks are"));
    let owners = "it is not known which invocation of nvk-ada owns which element of a matrix";
    assert_eq!(of("nvk-ada", "16"), why(owners));
    let stride = "the stride is no constant; a run with a profile tells them";
    assert_eq!(of("nvidia-h200", "given"), why(stride));
    let known = of("nvidia-h200", "24");
    assert_eq!(
        known.0,
        "the load takes 4 passes of shared memory on nvidia-h200, with a stride of 24: no conflicts"
    );
    assert_eq!(known.1, "1 access of shared memory: 0 with conflicts");
}

/// What each access of scalars in `staged`, `tile` and `words` takes, told by its statement: passes, as many as it needs, and whether only some
/// invocations may be there.
fn accesses(statements: &[&str]) -> Vec<(Option<(u64, u64)>, bool)> {
    let statements = statements.join("\n");
    let source = format!(
        "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint STRIDE = 32;
layout(push_constant) uniform Parameters {{ uint given; }};
layout(binding = 0) buffer Data {{ float16_t data[]; }};
shared float16_t staged[2048];
shared float tile[64][STRIDE];
shared f16vec4 vectors[2048];
shared float words[2048];
void put(uint place, float value) {{ words[place] = value; }}
void main() {{
uint lane = gl_SubgroupInvocationID;
coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a = coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>(1.0);
{statements}
coopMatStore(a, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}}"
    );
    let config = Configuration { device: Some("nvidia-h200".to_owned()), ..Configuration::default() };
    let analysis = analyze("x.comp", source.into(), &config, &NoFiles, None);
    let errors: Vec<&str> = analysis.diagnostics.iter().map(|one| one.message.as_str()).collect();
    let accesses = scalar_accesses(&analysis).unwrap_or_else(|why| panic!("{why}: {errors:?}"));
    let of_first = |all: Vec<coopmat_simulator::profile::Passes>| (all[0].passes, all[0].least);
    accesses.into_iter().map(|access| (access.passes.map(of_first), access.is_partial)).collect()
}

/// Those of accesses that all invocations execute, as far as they are known.
fn passes(statements: &[&str]) -> Vec<Option<(u64, u64)>> {
    let all = accesses(statements).into_iter();
    all.map(|(passes, is_partial)| passes.inspect(|_| assert!(!is_partial))).collect()
}

/// Invocations that are a row of 32 words apart all want the same bank; a row of 33 moves them on. Halves share words; vectors of 8 bytes are served by
/// halves of a subgroup.
#[test]
fn the_banks_of_all_lanes_are_followed() {
    let of = |statement: &str| passes(&[statement])[0];
    assert_eq!(of("words[lane] = 1;"), Some((1, 1)));
    assert_eq!(of("words[lane * 2] = 1;"), Some((2, 1)));
    assert_eq!(of("words[lane * 32] = 1;"), Some((32, 1)));
    assert_eq!(of("words[lane * 33] = 1;"), Some((1, 1)));
    assert_eq!(of("tile[lane][3] = 1;"), Some((32, 1)));
    assert_eq!(of("tile[lane / 8][lane % 8] = 1;"), Some((4, 1)));
    assert_eq!(of("tile[lane][lane ^ 5] = 1;"), Some((1, 1)));
    assert_eq!(of("staged[lane] = float16_t(1);"), Some((1, 1)));
    assert_eq!(of("vectors[lane] = f16vec4(1);"), Some((2, 2)));
    assert_eq!(of("vectors[lane * 16] = f16vec4(1);"), Some((32, 2)));
    assert_eq!(of("words[gl_LocalInvocationID.x << 2] = 1;"), Some((4, 1)));
}

/// What all lanes add alike moves no lane to another bank than its neighbours. Halves are two to a word, so that what is added may part them.
#[test]
fn what_all_lanes_share_does_not_matter() {
    let of = |statement: &str| passes(&[statement])[0];
    assert_eq!(of("words[lane * 2 + given] = 1;"), Some((2, 1)));
    assert_eq!(of("tile[lane][given] = 1;"), Some((32, 1)));
    assert_eq!(of("for (uint k = 0; k < min(given, 9u); k++) words[lane * 4 + k] = 1;"), Some((4, 1)));
    assert_eq!(of("if (given < 3) words[lane * 4] = 1;"), Some((4, 1)));
    assert_eq!(of("staged[lane * 2 + given] = float16_t(1);"), Some((1, 1)));
    assert_eq!(of("staged[lane + given] = float16_t(1);"), Some((1, 1)));
    // 32 words from an odd half on.
    assert_eq!(of("staged[lane * 64 + given] = float16_t(1);"), Some((32, 1)));
    // Rows of 16 halves, of which each invocation stages several: i / 16 and i % 16 of a counter that starts at the lane.
    let staging =
        "for (uint i = gl_LocalInvocationIndex; i < 1024; i += 64) words[i / 16 * 32 + i % 16] = 1;";
    assert_eq!(of(staging), Some((2, 1)));
    assert_eq!(passes(&["put(lane * 2, 1);", "put(lane * 2 + given, 2);"]), [Some((2, 1))]);
}

/// Where only some lanes may be, the passes are those of all of them, and no more if some are missing.
#[test]
fn where_only_some_lanes_may_be_the_most_is_told() {
    let of = |statement: &str| accesses(&[statement]);
    let most = |passes: u64| [(Some((passes, 1)), true)];
    assert_eq!(of("if (lane < given) words[lane * 4] = 1;"), most(4));
    assert_eq!(of("if (data[lane] > float16_t(1)) return; words[lane * 4] = 1;"), most(4));
    // Lanes leave, but none that stays is behind the others.
    assert_eq!(of("for (uint i = lane; i < given; i += 32) words[i * 4] = 1;"), most(4));
    assert_eq!(of("for (uint i = lane; i < 980; i += 64) words[i] = 1;"), most(1));
    assert_eq!(
        of("for (uint k = 0; k < 4; k++) { if (data[lane + k] > float16_t(1)) break; words[lane * 4] = 1; }"),
        most(4)
    );
    assert_eq!(
        of(
            "for (uint k = 0; k < 4; k++) { if (data[lane + k] > float16_t(1)) continue; words[lane * 4 + k] = 1; }"
        ),
        most(4)
    );
    // What was read at one place is the same for all who are there.
    assert_eq!(of("if (lane < given) { uint at = uint(data[3]); words[lane * 2 + at] = 1; }"), most(2));
    assert_eq!(of("if (lane < given) put(lane * 8, 1);"), most(8));
}

/// Nothing is said where lanes may be elsewhere.
#[test]
fn what_is_not_known_is_not_told() {
    for statement in [
        "words[lane * given] = 1;",
        "words[lane ^ given] = 1;",
        "words[uint(data[lane])] = 1;",
        "uint at = lane; if (data[lane] > float16_t(1)) at = 5; words[at] = 1;",
        "uint at = data[lane] > float16_t(1) ? lane : 5; words[at] = 1;",
        // Each has left the loop when it wanted to.
        "uint at; for (uint k = 0; k < 4; k++) { at = k; if (data[lane + k] > float16_t(1)) break; } words[at] = 1;",
        "uint i = lane; while (i < given) i += 32; words[i] = 1;",
        "uint i = lane; for (uint k = 0; k < 3; k++) { while (uint(data[i]) < given) i += 32; words[i] = 1; }",
        "uint i = lane; for (uint k = 0; k < 3; k++) { while (uint(data[i]) < given) { words[i] = 1; i += 32; } }",
        // Those who went on counted, and the others did not.
        "uint at = 0; for (uint k = 0; k < given; k++) { if (data[lane + k] > float16_t(1)) continue; words[at] = 1; at++; }",
        "uint at = 0; for (uint k = 0; k < given; k++) { if (data[lane + k] > float16_t(1)) { at += 32; } words[at] = 1; }",
        "uint at = 0; if (lane < given) { at = 1; if (data[lane] > float16_t(1)) at = 2; words[at] = 1; }",
        "words[lane * 4096] = 1;",
    ] {
        let all = accesses(&[statement]);
        assert!(all.iter().all(|(passes, _)| passes.is_none()), "{statement}: {all:?}");
    }
    assert_eq!(passes(&["put(lane * 2, 1);", "put(lane * 4, 2);"]), [None]);
}

/// The message has the rows without conflicts where rows are declared, or steps from lane to lane; and the rest is counted.
#[test]
fn scalars_are_told_with_rows_without_conflicts() {
    let source = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(push_constant) uniform Parameters { uint given; };
layout(binding = 0) buffer Data { float16_t data[]; };
shared float tile[32][32];
void main() {
tile[gl_LocalInvocationIndex][given] = 1;
tile[given][gl_LocalInvocationIndex] = 1;
tile[0][gl_LocalInvocationIndex * given] = 1;
coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
coopMatLoad(a, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}";
    let config = Configuration { device: Some("nvidia-h200".to_owned()), ..Configuration::default() };
    let found = performance(&analyze("x.comp", source.into(), &config, &NoFiles, None));
    let messages: Vec<&str> = found.diagnostics.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "the store takes 32 passes of shared memory instead of 1 on nvidia-h200 (32-way conflicts), with rows of 32; without conflicts: rows of 33 or 35 or 37"
        ]
    );
    assert_eq!(
        found.notes,
        [
            "of 3 loads and stores of scalars and vectors in shared memory, the passes of 1 do not follow from the shader alone (line 12); run --profile tells them"
        ]
    );
}
