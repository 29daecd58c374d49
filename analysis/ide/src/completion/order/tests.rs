//! What comes first at places that people meet every day, in the order of a client: what begins with just the typed characters, then the rank.

use super::super::item::Item;
use super::super::tests::complete;

const HEADER: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
";

/// The labels that come first at `$0`.
fn first(source: &str, count: usize) -> Vec<String> {
    let before = source.split("$0").next().unwrap_or_default();
    let start = before.rfind(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    let typed = &before[start.map_or(0, |start| start + 1)..];
    let mut items = complete(source).items;
    let text = |item: &Item| item.filter.clone().unwrap_or_else(|| item.label.clone());
    items.retain(|item| text(item).get(..typed.len()).is_some_and(|start| start.eq_ignore_ascii_case(typed)));
    items.sort_by_key(|item| (!text(item).starts_with(typed), item.rank, item.label.clone()));
    items.into_iter().take(count).map(|item| item.label.to_string()).collect()
}

/// `wanted` is among the first three at `$0`, in a text that follows the header.
#[track_caller]
fn finds(text: &str, wanted: &str) {
    let first = first(&format!("{HEADER}{text}"), 3);
    assert!(first.iter().any(|label| label == wanted), "`{wanted}` at `{text}`: {first:?}");
}

/// The first items at `$0` are among `wanted`.
#[track_caller]
fn begins(text: &str, count: usize, wanted: &[&str]) {
    let first = first(&format!("{HEADER}{text}"), count);
    assert_eq!(first.len(), count, "{text}");
    assert!(first.iter().all(|label| wanted.contains(&label.as_str())), "`{text}`: {first:?}");
}

#[test]
fn a_few_letters_find_the_usual_words() {
    for (text, wanted) in [
        ("void main() { ui$0", "uint"),
        ("void main() { i$0", "if"),
        ("void main() { f16$0", "float16_t"),
        ("void main() { float16$0", "float16_t"),
        ("void main() { co$0", "coopmat"),
        ("void main() { uint row = gl_$0", "gl_WorkGroupID"),
        ("void main() { r$0", "return"),
        ("void main() { const u$0", "uint"),
        ("la$0", "layout"),
        ("v$0", "void"),
        ("sh$0", "shared"),
        ("void f(f$0", "float"),
    ] {
        finds(text, wanted);
    }
}

#[test]
fn after_a_layout_comes_what_it_belongs_to() {
    for resource in [
        "layout(binding = 1) $0",
        "layout(set = 0, binding = 1) $0",
        "layout(binding = 1, set = 0) $0",
        "layout(binding = 0, std430) $0",
        "layout(set = 0, binding = 0, std430) $0",
    ] {
        begins(resource, 3, &["buffer", "readonly", "uniform"]);
    }
    // Only images have a format.
    begins("layout(binding = 0, rgba32f) $0", 1, &["uniform", "readonly", "writeonly"]);
    finds("layout(rgba32f, binding = 0) $0", "uniform");
    for (text, wanted) in [
        ("layout(local_size_x = 32) $0", "in"),
        ("layout(local_size_x = 32, local_size_y = 2) $0", "in"),
        ("layout(push_constant) $0", "uniform"),
        ("layout(push_constant, std430) $0", "uniform"),
        ("layout(constant_id = 0) $0", "const"),
        ("layout(buffer_reference) $0", "buffer"),
    ] {
        begins(text, 1, &[wanted]);
    }
    finds("layout(binding = 0) buffer B { float data[]; }; layout(binding = 1) re$0", "readonly");
}

#[test]
fn extensions_begin_with_those_of_this_field() {
    let first = first("#version 460\n#extension $0", 6);
    assert!(first.iter().any(|label| label == "GL_KHR_cooperative_matrix"), "{first:?}");
    // What is enabled already is not enabled again.
    finds("#extension GL_KHR_$0", "GL_KHR_shader_subgroup_basic");
}

#[test]
fn constants_come_first_where_they_are_needed() {
    let variables = "void main() { const uint row = gl_WorkGroupID.x; uint column = 2; const uint SIZE = 16;";
    let text = format!("{variables} coopmat<int8_t, gl_ScopeSubgroup, $0> m; }}");
    let labels: Vec<String> =
        complete(&format!("{HEADER}{text}")).items.iter().map(|item| item.label.to_string()).collect();
    assert!(labels.contains(&"SIZE".to_owned()), "{labels:?}");
    // What is computed when the shader runs is no size, however it is declared.
    assert!(!labels.iter().any(|label| label == "row" || label == "column"), "{labels:?}");
    begins(
        &format!("{variables} coopmat<float16_t, gl_ScopeSubgroup, 16, SIZE, $0"),
        3,
        &["gl_MatrixUseA", "gl_MatrixUseB", "gl_MatrixUseAccumulator"],
    );
    begins(&format!("{variables} coopmat<float16_t, $0"), 2, &["gl_ScopeSubgroup", "gl_ScopeWorkgroup"]);
    begins(
        &format!("{variables} controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, $0"),
        3,
        &[
            "gl_StorageSemanticsBuffer",
            "gl_StorageSemanticsShared",
            "gl_StorageSemanticsImage",
            "gl_StorageSemanticsOutput",
            "gl_StorageSemanticsNone",
        ],
    );
    // A label needs a constant.
    let labels = first(&format!("{HEADER}{variables} switch (column) {{ case $0"), 1000);
    let place = |name: &str| labels.iter().position(|label| label == name).unwrap();
    assert!(
        place("SIZE") < place("column") && place("gl_MaxComputeWorkGroupSize") < place("row"),
        "{labels:?}"
    );
}

#[test]
fn what_the_file_did_before_comes_again() {
    let declared = "shared float first[64]; shared float second[64]; shared float third[64];
        layout(binding = 0) buffer B { float data[]; } b;
        void main() { uint i = gl_LocalInvocationIndex; second[i] = b.data[i]; barrier(); ";
    finds(&format!("{declared} if (i > 0) {{ second[i] = b.data[i]; }} s$0"), "second");
    finds(&format!("{declared} b.data[$0"), "i");
}

#[test]
fn members_are_found_at_an_unfinished_end_of_the_file() {
    let declared = "struct M { float scale; uint count; };\nvoid main() { M m; m.count = 1; ";
    begins(&format!("{declared}m.$0"), 2, &["scale", "count"]);
    begins(&format!("{declared}float x = m.$0"), 2, &["scale", "count"]);
    let matrix = "void main() { coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> m; m.$0";
    finds(matrix, "length");
}
