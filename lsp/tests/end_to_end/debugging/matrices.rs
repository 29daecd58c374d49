//! The matrices of a frame, whole, for a view that follows the stop: requests of ours.

use super::{Editor, example, folder, json, line_of};

#[test]
fn matrices_of_a_frame_come_with_their_elements_and_owners() {
    let path = example("khr/gemm.comp");
    let mut editor = Editor::start();
    let line = line_of(&path, "matC = coopMatMulAdd");
    editor.launch(json!({"program": path}), &[(&path, json!([{"line": line}]))]);
    editor.stop();
    let frame = editor.frames(&json!(1))[0]["id"].clone();
    let listed = editor.ask("coopmat/matrices", json!({"frameId": frame}));
    let of =
        |name: &str| listed["matrices"].as_array().unwrap().iter().find(|one| one["name"] == name).cloned();
    assert_eq!(
        of("matB").unwrap(),
        json!({
            "name": "matB", "component": "float16_t", "rows": 16, "columns": 16,
            "use": "B", "scope": "subgroup", "written": true,
        })
    );
    assert_eq!((listed["matrices"].as_array().unwrap().len(), &listed["leftOut"]), (3, &json!(0)));

    let matrix = editor.ask("coopmat/matrix", json!({"frameId": frame, "expression": "matB"}));
    assert_eq!(matrix["name"], "matB");
    let element = editor.ask("evaluate", json!({"expression": "matB[3, 5]", "frameId": frame}));
    // The debugger's text is as short as tells a float16_t from its neighbours.
    let value = matrix["values"][3 * 16 + 5].as_f64().unwrap();
    let shown: f64 = element["result"].as_str().unwrap().parse().unwrap();
    assert!((value - shown).abs() < 1e-4, "{value} {shown}");
    let ownership = &matrix["ownership"];
    assert_eq!((&ownership["length"], &ownership["invocations"]), (&json!(8), &json!(32)));
    assert_eq!(ownership["elements"].as_array().unwrap().len(), 256);

    let refused = editor.refused("coopmat/matrix", json!({"frameId": frame, "expression": "tile"}));
    assert_eq!(refused, "`tile` is no cooperative matrix: it is of type `uint`");
    editor.disconnect();
}

#[test]
fn matrices_in_arrays_are_listed_and_what_is_undefined_is_marked() {
    let shader = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer B { float data[]; };
void main() {
    coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> sums[2];
    sums[1] = coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator>(1.0 / data[0]);
    coopMatStore(sums[1], data, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
}
";
    let recipe = "[[buffers]]\nname = \"data\"\nshape = [64]\n";
    let (_folder, path) = folder(shader, recipe);
    let mut editor = Editor::start();
    editor.launch(json!({"program": path, "checked": true}), &[(&path, json!([{"line": 9}]))]);
    editor.stop();
    let frame = editor.frames(&json!(1))[0]["id"].clone();
    let listed = editor.ask("coopmat/matrices", json!({"frameId": frame}));
    let names: Vec<_> =
        listed["matrices"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    assert_eq!(names, ["sums[0]", "sums[1]"]);
    let matrix = |editor: &mut Editor, name: &str| {
        editor.ask("coopmat/matrix", json!({"frameId": frame, "expression": name}))
    };
    let stored = matrix(&mut editor, "sums[1]");
    assert_eq!((&stored["values"][0], &stored["undefined"]), (&json!("inf"), &json!(null)));
    let empty = matrix(&mut editor, "sums[0]");
    assert_eq!(empty["undefined"], "1".repeat(64));
    editor.disconnect();
}
