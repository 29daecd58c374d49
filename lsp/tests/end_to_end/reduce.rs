//! `reduce`: what is wrong stays, and little else.

use std::fs;
use std::path::Path;

use coopmat_recipe::Recipe;

use crate::command_line::{Run, run_in};

fn examples() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples"))
}

/// Reduces into a folder, and gives what the program said, and the recipe that it wrote.
fn reduced(recipe: &str, output: &Path, more: &[&str]) -> (Run, Recipe, String) {
    let output = output.to_str().unwrap();
    let run = run_in(examples(), &[&["reduce", recipe, "--output", output], more].concat(), "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let path = run.stdout.split(": ").next().unwrap().to_owned();
    let text = fs::read_to_string(&path).unwrap();
    (run, coopmat_recipe::parse(&text).unwrap(), path)
}

fn module_of(path: &str) -> String {
    fs::read_to_string(path.replace(".run.toml", ".spvasm")).unwrap()
}

#[test]
fn a_finding_stays_with_its_line_and_what_it_needs() {
    let folder = tempfile::tempdir().unwrap();
    let (run, recipe, path) = reduced("mistakes/missing_barrier.comp", folder.path(), &[]);
    assert!(
        run.stderr.contains("keeping: missing-barrier at mistakes/missing_barrier.comp:23"),
        "{}",
        run.stderr
    );
    // The matrix goes through shared memory; what was loaded from buffers is zeros, and none is left.
    assert!(recipe.buffers.is_empty(), "{:?}", recipe.buffers);
    let module = module_of(&path);
    assert!(module.contains("OpCooperativeMatrixLoadKHR"), "{module}");
    assert!(!module.contains("OpCooperativeMatrixMulAddKHR"), "{module}");
    let again = run_in(examples(), &["run", "--checked", &path], "");
    assert_eq!(again.code, Some(1), "{}", again.stderr);
    assert!(again.stdout.contains("mistakes/missing_barrier.comp:23:5: missing-barrier"), "{}", again.stdout);
}

#[test]
fn memory_whose_bounds_are_left_keeps_its_length() {
    let folder = tempfile::tempdir().unwrap();
    let (_, recipe, _) =
        reduced("mistakes/out_of_bounds.comp", folder.path(), &["--finding", "out-of-bounds"]);
    assert_eq!(recipe.buffers.len(), 1);
    assert_eq!(format!("{:?}", recipe.buffers[0].shape), "[Integer(640)]");
}

/// A shader of three workgroups, each of which adds up a row; the second leaves out the last number.
const SUMS: &str = "#version 460
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Numbers { float numbers[]; };
layout(binding = 1) buffer Sums { float sums[]; };
layout(binding = 2) buffer Others { uint others[]; };
void main() {
    uint row = gl_WorkGroupID.x;
    float sum = 0.0;
    for (uint at = 0; at < (row == 1u ? 3u : 4u); ++at) sum += numbers[row * 4 + at];
    sums[row] = sum;
    others[row] = row * row;
}
";
const SUMS_RECIPE: &str = "dispatch = [3]
[[buffers]]
name = \"numbers\"
shape = [3, 4]
fill = { formula = \"1 + index\" }
[[buffers]]
name = \"sums\"
shape = [3]
[[buffers]]
name = \"others\"
shape = [3]
[[expect]]
buffer = \"sums\"
equals.values = [10, 26, 42]
";

#[test]
fn a_wrong_element_stays_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("sums.comp"), SUMS).unwrap();
    fs::write(folder.path().join("sums.run.toml"), SUMS_RECIPE).unwrap();
    let run = run_in(folder.path(), &["reduce", "sums.comp"], "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("keeping: element [1] of `sums` is 18.0, expected 26.0"), "{}", run.stderr);
    assert!(run.stdout.starts_with("sums.reduced/sums.run.toml: 2 of 3 workgroups, "), "{}", run.stdout);
    let module = module_of(&folder.path().join("sums.reduced/sums.run.toml").to_string_lossy());
    assert!(!module.contains("OpIMul %uint %row %row") && !module.contains("Others"), "{module}");
    let again = run_in(folder.path(), &["run", "sums.reduced/sums.run.toml"], "");
    assert!(again.stdout.contains("NOT MET, 1 of 1 elements are wrong"), "{}", again.stdout);
    assert!(again.stdout.contains("worst at [1]: expected 26, found 18"), "{}", again.stdout);
}

#[test]
fn what_cannot_be_reduced_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().to_str().unwrap();
    let told = |recipe: &str, more: &[&str]| {
        let run = run_in(examples(), &[&["reduce", recipe, "--output", output], more].concat(), "");
        assert_eq!(run.code, Some(2), "{}", run.stdout);
        run.stderr
    };
    assert_eq!(
        told("khr/gemm.comp", &[]),
        "error: khr/gemm.run.toml: nothing to reduce: the results are what the recipe expects, and checked mode finds nothing\n"
    );
    assert_eq!(
        told("mistakes/race.comp", &["--finding", "out-of-bounds"]),
        "error: mistakes/race.run.toml: nothing to reduce: checked mode finds no `out-of-bounds`, but data-race\n"
    );
    assert!(told("khr/experts_heap.comp", &[]).contains("lies in a descriptor heap"));
}

/// A shader that reads behind the edge of an image; the rest of it, another image and numbers behind an address, is for nothing.
const TEXELS: &str = "#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 4) in;
layout(buffer_reference, std430) readonly buffer Factors { float factors[]; };
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1, rgba8) readonly uniform image2D other;
layout(binding = 2) buffer Sums { float sums[]; };
layout(push_constant) uniform Push { Factors factors; uint more; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    float sum = imageLoad(other, ivec2(i, 0)).x * float(more);
    sum += textureLod(picture, vec2(float(i) / 4.0, 0.5), 0.0).x + texelFetch(picture, ivec2(i + 2, 0), 0).x;
    sums[i] = sum * factors.factors[i];
}
";
const TEXELS_RECIPE: &str = "push-constants = { factors = { address = \"factors\", plus = 16 }, more = 3 }
[[buffers]]
name = \"picture\"
shape = [1, 4, 1]
fill = { formula = \"index\" }
[[buffers]]
name = \"other\"
shape = [1, 4, 4]
fill = { formula = \"index / 16\" }
[[buffers]]
name = \"factors\"
type = \"f32\"
shape = [8]
fill = { formula = \"index\" }
[[buffers]]
name = \"sums\"
shape = [4]
[[samplers]]
name = \"picture\"
mag-filter = \"linear\"
";

#[test]
fn images_samplers_and_addresses_stay_as_far_as_they_are_needed() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("texels.comp"), TEXELS).unwrap();
    fs::write(folder.path().join("texels.run.toml"), TEXELS_RECIPE).unwrap();
    let (run, recipe, path) =
        reduced(folder.path().join("texels.comp").to_str().unwrap(), &folder.path().join("small"), &[]);
    assert!(run.stderr.contains("keeping: out-of-bounds at "), "{}", run.stderr);
    // The other image and the factors are gone.
    let names: Vec<&str> = recipe.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
    assert_eq!(names, ["picture"]);
    assert_eq!(recipe.samplers.len(), 1);
    let again = run_in(examples(), &["run", "--checked", &path], "");
    let found = "out-of-bounds: reads texel 4 of image picture, which has 4 texels";
    assert!(again.stdout.contains(found), "{}{}", again.stdout, again.stderr);
}
