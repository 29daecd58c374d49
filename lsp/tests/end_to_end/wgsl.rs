//! Shaders in WGSL: naga makes modules of them, which run like any other; its messages stand at their places.

use crate::modules::{RECIPE, run_in, text};

/// Doubles every value; invocation 3 of 4 writes behind the end of a buffer with three.
const WGSL: &str = "@group(0) @binding(0) var<storage, read_write> values: array<f32>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    values[id.x] = 2.0 * values[id.x];
}
";

/// A product of 8x8 matrices, in the syntax that naga has for them.
const PRODUCT: &str = "enable wgpu_cooperative_matrix;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(32)
fn main() {
    var sum: coop_mat8x8<f32, C>;
    for (var k = 0u; k < 16u; k += 8u) {
        let left = coopLoadT<coop_mat8x8<f32, A>>(&a[k], 16u);
        let right = coopLoadT<coop_mat8x8<f32, B>>(&b[k * 8u], 8u);
        sum = coopMultiplyAdd(left, right, sum);
    }
    coopStoreT(sum, &c[0], 8u);
}
";

const PRODUCT_RECIPE: &str = "
[[buffers]]
name = \"a\"
shape = [8, 16]
fill = { uniform = { seed = 1 } }
[[buffers]]
name = \"b\"
shape = [16, 8]
fill = { uniform = { seed = 2 } }
[[buffers]]
name = \"c\"
shape = [8, 8]
[[expect]]
buffer = \"c\"
equals.matmul = { a = \"a\", b = \"b\" }
tolerance.absolute = 1e-5
";

#[test]
fn wgsl_runs_with_findings_at_its_lines() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("double.wgsl"), WGSL).unwrap();
    std::fs::write(folder.path().join("double.run.toml"), RECIPE).unwrap();
    for arguments in [&["run", "double.wgsl"], &["run", "double.run.toml"]] {
        let output = run_in(folder.path(), arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }
    let output = run_in(folder.path(), &["run", "--checked", "double.wgsl"]);
    let report = text(&output.stdout);
    assert!(report.contains("double.wgsl:5:") && report.contains("out-of-bounds: "), "{report}");
    assert!(report.contains("    5 |     values[id.x] = 2.0 * values[id.x];\n"), "{report}");
    assert_eq!(run_in(folder.path(), &["test", "."]).status.code(), Some(1));
    let output = run_in(folder.path(), &["spirv", "double.wgsl", "--source"]);
    let listing = text(&output.stdout);
    assert!(listing.contains("; double.wgsl:5: values[id.x] = 2.0 * values[id.x];"), "{listing}");
    let output = run_in(folder.path(), &["spirv", "double.wgsl"]);
    let listing = text(&output.stdout);
    assert!(listing.contains("OpName %values \"values\"") && !listing.contains("OpLine"), "{listing}");
}

#[test]
fn matrices_of_wgsl_run_as_far_as_naga_knows_them() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("product.wgsl"), PRODUCT).unwrap();
    std::fs::write(folder.path().join("product.run.toml"), PRODUCT_RECIPE).unwrap();
    let output = run_in(folder.path(), &["run", "--checked", "product.wgsl"]);
    let report = text(&output.stdout);
    assert!(output.status.success(), "{report}{}", text(&output.stderr));
    assert!(report.contains("c = matmul: met, 64 elements"), "{report}");
    // The syntax of the proposal for browsers, which naga does not read.
    std::fs::write(folder.path().join("product.wgsl"), "enable chromium_experimental_subgroup_matrix;\n")
        .unwrap();
    let output = run_in(folder.path(), &["check", "--format", "short", "product.wgsl"]);
    assert!(text(&output.stdout).starts_with("product.wgsl:1:8: error: "), "{output:?}");
}

#[test]
fn mistakes_in_wgsl_are_told_at_their_places_in_the_words_of_naga() {
    let folder = tempfile::tempdir().unwrap();
    for (wrong, place, told) in [
        (
            WGSL.replace("2.0 *", "2.0 * missing *"),
            "5:26",
            "no definition in scope for identifier: `missing`",
        ),
        (WGSL.replace("2.0 *", "2u *"), "5:20", "Entry point main at Compute is invalid"),
        (WGSL.replace("(4)\n", "(4\n"), "4:1", "expected workgroup size separator"),
    ] {
        std::fs::write(folder.path().join("double.wgsl"), wrong).unwrap();
        let output = run_in(folder.path(), &["check", "--format", "short", "double.wgsl"]);
        let found = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(
            found.starts_with(&format!("double.wgsl:{place}: error: ")) && found.contains(told),
            "{found}"
        );
        assert!(found.trim_end().ends_with("[wgsl]"), "{found}");
        let output = run_in(folder.path(), &["spirv", "double.wgsl"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(text(&output.stderr).contains(told), "{output:?}");
    }
    std::fs::write(folder.path().join("double.wgsl"), WGSL).unwrap();
    let output = run_in(folder.path(), &["check", "double.wgsl"]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), String::new()), "{output:?}");
}

#[test]
fn hostile_wgsl_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let deep = |open: &str, close: &str| {
        format!("fn f() -> i32 {{ return {}1{}; }}", open.repeat(20_000), close.repeat(20_000))
    };
    let cases = [
        deep("(", ")"),
        deep("-", ""),
        format!("fn f() {{ {} {} }}", "{".repeat(20_000), "}".repeat(20_000)),
        format!("alias t = {}f32{};", "array<".repeat(20_000), ">".repeat(20_000)),
        format!("const x = {}1;", "1-".repeat(3_000)),
        format!("const x = {}1;", "1-".repeat(100_000)),
        format!("fn f(x: i32) {{ {} {{ }} }}", "if x == 1 { } else ".repeat(1_500)),
        (0..2_000).rev().map(|n| format!("const x{} = x{n};\n", n + 1)).collect::<String>() + "const x0 = 1;",
        "const x = 1 / 0;".to_owned(),
        "var<workgroup> x: array<array<f32, 4294967295>, 4294967295>; @compute @workgroup_size(1) fn main() { x[0][0] = 1.0; }".to_owned(),
        "\0\u{feff}\u{202e}/*".to_owned(),
    ];
    for case in cases {
        std::fs::write(folder.path().join("bad.wgsl"), &case).unwrap();
        let output = run_in(folder.path(), &["check", "--format", "short", "bad.wgsl"]);
        let shown: String = case.chars().take(40).collect();
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{shown}: {:?} {}",
            output.status,
            text(&output.stderr)
        );
    }
}
