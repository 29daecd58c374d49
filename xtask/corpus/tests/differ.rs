//! What the comparison of modules calls the same, and what not: pairs of shaders, compiled by ourselves.

use coopmat_analysis::Analyzer;
use coopmat_analysis::config::{Configuration, Stage, TargetEnv};
use coopmat_corpus::differ::{Depth, compare};
use coopmat_corpus::files::Files;

const HEAD: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_descriptor_heap : require
#extension GL_EXT_structured_descriptor_heap : require
layout(local_size_x = 32) in;
layout(constant_id = 3) const uint N = 16;
layout(binding = 0) buffer Data { float values[]; } data;
layout(push_constant) uniform Parameters { uint first; uint second; } parameters;
layout(binding = 1, r32f) uniform image2D left;
layout(binding = 2, r32f) uniform image2D right;
shared uint counter;
";

fn words(text: &str) -> Vec<u32> {
    let configuration = Configuration {
        target_env: TargetEnv::Vulkan1_3,
        stage: Some(Stage::Compute),
        ..Configuration::default()
    };
    let text = format!("{HEAD}{text}");
    let analysis =
        Analyzer::default().analyze("test.comp", text.into(), &configuration, &Files::default(), None);
    let compiled = coopmat_codegen::compile(&analysis, &coopmat_codegen::Options::default());
    let compiled = compiled.unwrap_or_else(|errors| panic!("{errors:?}"));
    coopmat_spirv::assemble(&compiled.module).expect("a module that can be written")
}

/// The kinds of difference between two shaders.
fn kinds_between(left: &str, right: &str, depth: Depth) -> Vec<String> {
    let comparison = compare(&words(left), &words(right), depth).expect("two modules");
    comparison.differences.iter().map(|difference| difference.kind()).collect()
}

/// The kinds of difference in effects between two bodies of `main`.
fn kinds(left: &str, right: &str) -> Vec<String> {
    kinds_between(&main(left), &main(right), Depth::Effects)
}

/// The same with what is computed.
fn computed(left: &str, right: &str) -> Vec<String> {
    kinds_between(&main(left), &main(right), Depth::Computations)
}

fn main(body: &str) -> String {
    format!("void main() {{ {body} }}")
}

const NONE: [&str; 0] = [];

#[test]
fn names_order_and_temporaries_play_no_part() {
    assert_eq!(
        kinds(
            "uint x = parameters.first; uint y = parameters.second; data.values[x] = 1.0; atomicAdd(counter, y);",
            "atomicAdd(counter, parameters.second); data.values[parameters.first] = 1.0;",
        ),
        NONE
    );
}

#[test]
fn a_value_that_nothing_needs_is_not_missed() {
    assert_eq!(kinds("float x = data.values[3]; float y = x * 2.0;", ""), NONE);
}

#[test]
fn a_local_that_is_stored_once_is_its_constant() {
    assert_eq!(kinds("uint i = 2; data.values[i] = 1.0;", "data.values[2] = 1.0;"), NONE);
    assert_eq!(
        kinds(
            "uint i = 2; if (gl_LocalInvocationIndex > 3) i = 3; data.values[i] = 1.0;",
            "data.values[2] = 1.0;"
        ),
        ["OpStore of StorageBuffer: pointer"]
    );
}

#[test]
fn accesses_differ_in_variable_member_index_and_value() {
    assert_eq!(
        kinds("data.values[parameters.first] = 1.0;", "data.values[parameters.second] = 1.0;"),
        ["OpLoad of PushConstant: pointer"]
    );
    assert_eq!(
        kinds("data.values[0] = 1.0;", "data.values[1] = 1.0;"),
        ["OpStore of StorageBuffer: pointer"]
    );
    assert_eq!(kinds("data.values[0] = 1.0;", "data.values[0] = 2.0;"), ["OpStore of StorageBuffer: second"]);
}

#[test]
fn what_is_done_once_more_is_a_difference() {
    assert_eq!(kinds("barrier(); barrier();", "barrier();"), ["OpControlBarrier: only ours"]);
    assert_eq!(kinds("", "barrier();"), ["OpControlBarrier: only glslang's"]);
}

#[test]
fn atomics_differ_in_scope_and_semantics() {
    assert_eq!(
        kinds(
            "atomicAdd(counter, 1u, gl_ScopeWorkgroup, 0, gl_SemanticsRelaxed);",
            "atomicAdd(counter, 1u, gl_ScopeDevice, 0, gl_SemanticsRelaxed);",
        ),
        ["OpAtomicIAdd: second"]
    );
}

#[test]
fn matrices_differ_in_shape_layout_and_stride() {
    let load = |rows: &str, stride: &str, layout: &str| {
        format!(
            "coopmat<float, gl_ScopeSubgroup, {rows}, 16, gl_MatrixUseAccumulator> m;
            coopMatLoad(m, data.values, 0, {stride}, gl_CooperativeMatrixLayout{layout});
            coopMatStore(m, data.values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);"
        )
    };
    let first = load("16", "16", "RowMajor");
    assert_eq!(kinds(&first, &first), NONE);
    assert_eq!(kinds(&first, &load("16", "32", "RowMajor")), ["OpCooperativeMatrixLoadKHR: third"]);
    assert_eq!(kinds(&first, &load("16", "16", "ColumnMajor")), ["OpCooperativeMatrixLoadKHR: second"]);
    assert_eq!(
        kinds(&first, &load("8", "16", "RowMajor")),
        ["OpCooperativeMatrixLoadKHR: result", "OpCooperativeMatrixStoreKHR: second"]
    );
}

#[test]
fn sizes_that_are_specialized_are_compared_by_their_values() {
    let sized = |rows: &str| {
        format!(
            "coopmat<float, gl_ScopeSubgroup, {rows}, 16, gl_MatrixUseAccumulator> m;
            coopMatLoad(m, data.values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopMatStore(m, data.values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);"
        )
    };
    assert_eq!(kinds(&sized("(N * 2 - N)"), &sized("N")), NONE);
    // Equal under the default alone.
    assert_eq!(
        kinds(&sized("N"), &sized("16")),
        ["OpCooperativeMatrixLoadKHR: result", "OpCooperativeMatrixStoreKHR: second"]
    );
}

#[test]
fn what_is_computed_is_compared_if_that_is_wanted() {
    let (sine, cosine) = ("data.values[0] = sin(data.values[1]);", "data.values[0] = cos(data.values[1]);");
    assert_eq!(kinds(sine, cosine), NONE);
    assert_eq!(computed(sine, cosine), ["OpExtInst: second"]);
    assert_eq!(
        computed("data.values[0] = data.values[1] * 2.0;", "data.values[0] = data.values[1] + 2.0;"),
        ["OpFAdd: only glslang's", "OpFMul: only ours"]
    );
    assert_eq!(
        computed("data.values[0] = data.values[1] * 2.0;", "data.values[0] = data.values[1] * 3.0;"),
        ["OpFMul: second"]
    );
    assert_eq!(computed("float x = sin(data.values[1]);", ""), NONE);
}

#[test]
fn images_differ_in_variable_and_texel() {
    let store = |image: &str, at: &str| format!("imageStore({image}, ivec2({at}), vec4(1));");
    assert_eq!(kinds(&store("left", "0"), &store("left", "0")), NONE);
    assert_eq!(kinds(&store("left", "0"), &store("right", "0")), ["OpImageWrite: first"]);
    assert_eq!(kinds(&store("left", "0"), &store("left", "1")), ["OpImageWrite: second"]);
    assert_eq!(kinds("vec4 texel = imageLoad(left, ivec2(0));", ""), ["OpImageRead: only ours"]);
}

#[test]
fn descriptors_of_a_heap_differ_in_their_places() {
    let heap = |offset: u32, members: &str| {
        format!(
            "layout(buffer_type, std430) buffer Numbers {{ uint number; }};
            layout(heap_offset = {offset}) resourceheap Heap {{ {members} }} heap;
            void main() {{ heap.wanted.number = 1; }}"
        )
    };
    let first = heap(64, "Numbers wanted; Numbers other;");
    let between = |second: &str| kinds_between(&first, second, Depth::Effects);
    assert_eq!(between(&first), NONE);
    assert_eq!(between(&heap(128, "Numbers wanted; Numbers other;")), ["OpStore of StorageBuffer: pointer"]);
    assert_eq!(between(&heap(64, "Numbers other; Numbers wanted;")), ["OpStore of StorageBuffer: pointer"]);
}
