//! `coopmat-analyzer test --ownership`: on which devices a shader that computes rows from the invocation is right.

use std::process::Command;

use expect_test::expect;

use crate::client::BINARY;

/// Writes the row of each element of an accumulator as `ROW` computes it from the invocation, beside the row that was loaded.
const SHADER: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x_id = 7) in;
layout(binding = 0) readonly buffer Rows { float rows[]; };
layout(binding = 1) writeonly buffer Wrong { uint wrong[]; };
void main() {
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c;
    coopMatLoad(c, rows, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    uint lane = gl_SubgroupInvocationID, half_row = lane / 16, count = 256 / gl_SubgroupSize, differences = 0;
    for (int i = 0; i < c.length(); ++i) differences += uint(uint(c[i]) != ROW);
    wrong[lane] = differences;
}
";

const RECIPE: &str = "dispatch = [1]
[specialization]
7 = \"lanes\"
[sizes]
lanes = 32
[[buffers]]
name = \"rows\"
shape = [16, 16]
fill = { formula = \"row\" }
[[buffers]]
name = \"wrong\"
shape = [64]
fill = \"zeros\"
";

fn test(row: &str, expectation: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("rows.comp"), SHADER.replace("ROW", row)).unwrap();
    std::fs::write(path("rows.run.toml"), format!("{RECIPE}{expectation}")).unwrap();
    let mut command = Command::new(BINARY);
    command.current_dir(folder.path()).args(["test", "rows.run.toml"]).args(arguments);
    let output = command.output().unwrap();
    let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let lines = printed.lines().filter(|line| line.starts_with("  "));
    let code = output.status.code().unwrap_or(-1);
    lines.map(|line| format!("{line}\n")).collect::<String>() + &format!("exit code {code}\n")
}

const NONE_WRONG: &str = "[[expect]]\nbuffer = \"wrong\"\nequals.formula = \"0\"\n";

/// The rows of RDNA3 alternate between the halves of a subgroup, those of RDNA4 are blocks.
#[test]
fn a_formula_for_one_generation_is_wrong_on_the_next() {
    expect![[r#"
          subgroups of 32:
            plain        met
            nvidia-h200  wrong: 32 of 64 elements of `wrong` are wrong; worst at [4]: expected 0, found 8
            amd-rdna3    met
            amd-rdna4    wrong: 32 of 64 elements of `wrong` are wrong; worst at [0]: expected 0, found 7
            amd-cdna     not known: known for subgroups of 64
            lavapipe     not known: known for subgroups of 8
            shuffled     wrong: 32 of 64 elements of `wrong` are wrong; worst at [0]: expected 0, found 8
        exit code 1
    "#]]
    .assert_eq(&test("half_row + 2 * i", NONE_WRONG, &["--ownership", "all"]));
    expect![[r#"
          subgroups of 32:
            amd-rdna3  wrong: 32 of 64 elements of `wrong` are wrong; worst at [0]: expected 0, found 7
            amd-rdna4  met
        exit code 1
    "#]]
    .assert_eq(&test("i + half_row * count", NONE_WRONG, &["--ownership", "amd-rdna3,amd-rdna4"]));
}

/// Without an expectation nobody says which one is right; at each size that the device has.
#[test]
fn results_that_nobody_judges_depend() {
    let sizes = ["--ownership", "amd-rdna3,amd-rdna4,nvidia-h200", "--device", "amd-rdna4"];
    expect![[r#"
          subgroups of 32, compared with amd-rdna3, the first ownership that ran:
            amd-rdna3    same
            amd-rdna4    depends: 32 of 64 elements (64) of `wrong` are not those of the ownership amd-rdna3
            nvidia-h200  depends: 32 of 64 elements (64) of `wrong` are not those of the ownership amd-rdna3
          subgroups of 64, compared with amd-rdna3, the first ownership that ran:
            amd-rdna3    same
            amd-rdna4    depends: 16 of 64 elements (64) of `wrong` are not those of the ownership amd-rdna3
            nvidia-h200  not known: known for subgroups of 32
        exit code 1
    "#]]
    .assert_eq(&test("half_row + 2 * i", "", &sizes));
}
