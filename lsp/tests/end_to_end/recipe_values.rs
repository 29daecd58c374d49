//! Values in recipes that do not fit: `coopmat-analyzer run` says what was expected, and runs nothing.

use std::process::Command;

use expect_test::expect;

use crate::client::BINARY;

const SHADER: &str = "#version 450
layout(local_size_x = 4) in;
layout(constant_id = 3) const uint SCALE = 1;
layout(binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform Params { ivec4 sizes; uint count; };
void main() { data[gl_GlobalInvocationID.x] = count * SCALE + uint(sizes.w); }
";

/// What a run prints: of a recipe with these push constants, this fill of u32 elements, and more of the command line.
fn run(push_constants: &str, kind: &str, fill: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("shader.comp"), SHADER).unwrap();
    let recipe = format!(
        "dispatch = [1]\npush-constants = {{ {push_constants} }}\n[[buffers]]\nname = \"data\"\ntype = \"{kind}\"\nshape = [2]\nbytes = 16\nfill = {fill}\n"
    );
    std::fs::write(folder.path().join("shader.run.toml"), recipe).unwrap();
    let output = Command::new(BINARY)
        .current_dir(folder.path())
        .args(["run", "shader.comp"])
        .args(arguments)
        .output()
        .unwrap();
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8_lossy(&printed);
    let told = |line: &&str| line.contains("error: ") || line.contains("note: ");
    printed.lines().filter(told).map(|line| line.trim().to_owned() + "\n").collect()
}

#[test]
fn members_take_as_many_numbers_as_they_have_and_no_larger_ones() {
    let members = |text: &str| run(text, "u32", "\"zeros\"", &[]);
    assert_eq!(members("sizes = [1, 2, 3, 4], count = 1"), "");
    assert_eq!(members("sizes = 1, count = 1"), "");
    // The bits of -1 and of 4294967295 are the same.
    assert_eq!(members("sizes = [4294967295, -1, 0, 0], count = -1"), "");
    let told = [
        members("sizes = [24, 32], count = 1"),
        members("sizes = [1, 2, 3, 4, 5], count = 1"),
        members("sizes = 1, count = 4294967296"),
        members("sizes = [1, 2, 3, -2147483649], count = 1"),
        members("sizes = 1, count = 1.5"),
    ];
    expect![[r#"
        error: shader.run.toml:2:28: expected 4 numbers, found 2; a number without brackets is meant for all of them
        error: shader.run.toml:2:28: expected 4 numbers, found 5; a number without brackets is meant for all of them
        error: shader.run.toml:2:39: 4294967296 does not fit u32, which holds 0 to 4294967295
        error: shader.run.toml:2:28: -2147483649 does not fit s32, which holds -2147483648 to 2147483647
        error: shader.run.toml:2:39: expected an integer (u32), found 1.5
    "#]]
    .assert_eq(&told.concat());
}

#[test]
fn written_elements_fit_and_generated_ones_wrap_around() {
    let fill = |kind: &str, fill: &str| run("sizes = 1, count = 1", kind, fill, &[]);
    assert_eq!(fill("u8", "{ iota = { start = 255 } }"), "");
    assert_eq!(fill("f16", "{ values = [65504, inf] }"), "");
    let told = [
        fill("u8", "{ values = [1, 256] }"),
        fill("s8", "{ constant = -129 }"),
        fill("f16", "{ constant = 70000 }"),
        fill("e4m3", "{ values = [448, 480] }"),
        fill("u8", "{ integers = { seed = 1, low = 0, high = 256 } }"),
    ];
    expect![[r#"
        error: shader.run.toml:8:19: element 1: 256 does not fit u8, which holds 0 to 255
        error: shader.run.toml:8:21: -129 does not fit s8, which holds -128 to 127
        error: shader.run.toml:8:21: 70000 does not fit f16, which holds -65504 to 65504
        error: shader.run.toml:8:19: element 1: 480 does not fit e4m3, which holds -448 to 448
        error: shader.run.toml:8:49: 256 does not fit u8, which holds 0 to 255
    "#]]
    .assert_eq(&told.concat());
}

#[test]
fn a_constant_that_the_shader_does_not_use_is_a_note() {
    let set = |value: &str| run("sizes = 1, count = 1", "u32", "\"zeros\"", &["--set", value]);
    assert_eq!(set("SCALE=2"), "");
    let told = [set("7=1"), set("7=four"), set("SCALES=1"), set("3=4294967296")];
    expect![[r#"
        note: the shader has no specialization constant 7, or does not use it: its value has no effect
        error: shader.run.toml: `four`: there is no size `four`: the recipe has no `[sizes]` yet
        error: shader.run.toml: there is no specialization constant or size `SCALES`: there are SCALE (3)
        error: shader.run.toml: `3`: 4294967296 does not fit u32, which holds 0 to 4294967295
    "#]]
    .assert_eq(&told.concat());
}
