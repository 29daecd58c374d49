//! Modules of any compiler on the command line: assembly text runs, and what a module says of its source is shown.

use std::path::Path;
use std::process::{Command, Output};

use crate::client::BINARY;

pub fn run_in(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(BINARY).current_dir(folder).args(arguments).output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Doubles every value; invocation 3 of 4 writes behind the end of a buffer with three.
pub const DOUBLE: &str = r#"               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %id
               OpExecutionMode %main LocalSize 4 1 1
               OpName %values "values"
               OpDecorate %id BuiltIn GlobalInvocationId
               OpDecorate %floats ArrayStride 4
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %values DescriptorSet 0
               OpDecorate %values Binding 0
       %void = OpTypeVoid
       %type = OpTypeFunction %void
       %uint = OpTypeInt 32 0
      %float = OpTypeFloat 32
      %three = OpTypeVector %uint 3
     %floats = OpTypeRuntimeArray %float
      %block = OpTypeStruct %floats
   %to_three = OpTypePointer Input %three
    %to_uint = OpTypePointer Input %uint
   %to_block = OpTypePointer StorageBuffer %block
   %to_float = OpTypePointer StorageBuffer %float
       %zero = OpConstant %uint 0
        %two = OpConstant %float 2
         %id = OpVariable %to_three Input
     %values = OpVariable %to_block StorageBuffer
       %main = OpFunction %void None %type
      %entry = OpLabel
       %at_x = OpAccessChain %to_uint %id %zero
          %x = OpLoad %uint %at_x
      %place = OpAccessChain %to_float %values %zero %x
        %old = OpLoad %float %place
        %new = OpFMul %float %old %two
               OpStore %place %new
               OpReturn
               OpFunctionEnd
"#;

pub const RECIPE: &str = "
[[buffers]]
name = \"values\"
shape = [3]
fill = { iota = {} }
[[expect]]
buffer = \"values\"
equals.formula = \"2 * values\"
";

#[test]
fn assembly_text_runs_with_findings_at_its_lines() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("double.spvasm"), DOUBLE).unwrap();
    std::fs::write(folder.path().join("double.run.toml"), RECIPE).unwrap();
    for arguments in [&["run", "double.spvasm"], &["run", "double.run.toml"]] {
        let output = run_in(folder.path(), arguments);
        let report = text(&output.stdout);
        assert!(output.status.success(), "{report}{}", text(&output.stderr));
        assert!(report.contains("values = formula: met, 3 elements"), "{report}");
    }
    let output = run_in(folder.path(), &["run", "--checked", "double.spvasm"]);
    let report = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{report}{}", text(&output.stderr));
    assert!(report.contains("double.spvasm:32:9: out-of-bounds: reads"), "{report}");
    assert!(report.contains("    34 |                OpStore %place %new\n"), "{report}");
    assert_eq!(run_in(folder.path(), &["test", "."]).status.code(), Some(1));
}

#[test]
fn mistakes_of_a_text_are_told_with_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = DOUBLE.replace("OpFMul", "OpFMull").replace("OpStore %place %new", "OpStore %place");
    std::fs::write(folder.path().join("double.spvasm"), wrong).unwrap();
    for command in ["run", "spirv"] {
        let output = run_in(folder.path(), &[command, "double.spvasm"]);
        assert_eq!(output.status.code(), Some(2));
        let expected = "error: double.spvasm:33:16: there is no instruction OpFMull
 33 |         %new = OpFMull %float %old %two
    |                ^^^^^^^
double.spvasm:34:24: expected an id, such as %1, found the end of the instruction
 34 |                OpStore %place
    |                        ^^^^^^
";
        assert_eq!(text(&output.stderr), expected);
    }
}

#[test]
fn a_text_becomes_the_module_that_it_was_printed_from() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let folder = tempfile::tempdir().unwrap();
    let module = format!("{root}/codegen/spirv/tests/modules/gemm.spv");
    for arguments in [
        &["spirv", &module, "--raw-id", "-o", "gemm.spvasm"][..],
        &["spirv", "gemm.spvasm", "-o", "again.spv"],
    ] {
        let output = run_in(folder.path(), arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let again = std::fs::read(folder.path().join("again.spv")).unwrap();
    assert!(again == std::fs::read(&module).unwrap());
}

/// The module says where its instructions come from, and holds the source, which is nowhere on the disk.
#[test]
fn findings_and_listings_show_the_source_that_a_module_holds() {
    let line = |at: &str| format!("%l{at} = OpExtInst %void %set DebugLine %source %u{at} %u{at} %u5 %u5");
    let told = DOUBLE
        .replace(
            "               OpMemoryModel",
            "%set = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\nOpMemoryModel",
        )
        .replace(
            "               OpName %values \"values\"",
            "%file = OpString \"double.slang\"\n%text = OpString \"void main(uint3 id) {\n    values[id.x] *= 2;\n}\"",
        )
        .replace(
            "         %id = OpVariable",
            "%u2 = OpConstant %uint 2 %u3 = OpConstant %uint 3 %u5 = OpConstant %uint 5
             %source = OpExtInst %void %set DebugSource %file %text
             %named = OpString \"values\"
             %id = OpVariable",
        )
        .replace("       %at_x =", &format!("{}\n%at_x =", line("2")))
        .replace("               OpReturn", &format!("{}\nOpReturn", line("3")));
    // Strings are in a section of their own.
    let told = told
        .replace("             %named = OpString \"values\"\n", "")
        .replace("%file = OpString", "%named = OpString \"values\"\n%file = OpString");
    let told = told.replace(
        "             %id = OpVariable %to_three Input\n",
        "             %id = OpVariable %to_three Input
             %g = OpExtInst %void %set DebugGlobalVariable %named %void %source %u3 %u5 %source %named %values %zero\n",
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("double.spvasm"), told).unwrap();
    std::fs::write(folder.path().join("double.run.toml"), RECIPE).unwrap();
    let output = run_in(folder.path(), &["spirv", "double.spvasm", "-o", "double.spv"]);
    assert!(output.status.success(), "{}", text(&output.stderr));

    let output = run_in(folder.path(), &["run", "--checked", "double.spv"]);
    let report = text(&output.stdout);
    assert!(report.contains("double.slang:2:5: out-of-bounds"), "{report}{}", text(&output.stderr));
    assert!(report.contains("    2 |     values[id.x] *= 2;\n"), "{report}");

    let output = run_in(folder.path(), &["run", "--trace", "double.spv"]);
    assert!(text(&output.stdout).contains("\ndouble.slang:2: values[id.x] *= 2;\n"));

    let output = run_in(folder.path(), &["spirv", "--source", "--function", "main", "double.spv"]);
    let listing = text(&output.stdout);
    let source = listing.find("; double.slang:2: values[id.x] *= 2;").expect("the line");
    assert!(source < listing.find("OpFMul").unwrap(), "{listing}");
}

/// A product whose kernel reads `a` and writes `c` without looking at how many rows there are.
pub fn product(rows: u32) -> String {
    format!(
        "shader = \"module.spvasm\"
sizes = {{ M = {rows}, N = 16, K = 24 }}
dispatch = [2, 2]
[[buffers]]
name = \"a\"
set = 0
binding = 0
shape = [\"M\", \"K\"]
fill.uniform = {{ seed = 1 }}
[[buffers]]
name = \"b\"
set = 0
binding = 1
shape = [\"K\", \"N\"]
fill.uniform = {{ seed = 2 }}
[[buffers]]
name = \"c\"
set = 0
binding = 2
shape = [\"M\", \"N\"]
[[buffers]]
name = \"sizes\"
set = 0
binding = 3
type = \"u32\"
shape = [3]
fill.values = [\"M\", \"N\", \"K\"]
[[expect]]
buffer = \"c\"
equals.matmul = {{ a = \"a\", b = \"b\" }}
tolerance = {{ absolute = 1e-4 }}
"
    )
}

const SUMS: &str = "shader = \"module.spvasm\"
dispatch = [2]
[[buffers]]
name = \"values\"
shape = [128]
fill.iota = {}
[[buffers]]
name = \"sums\"
shape = [2]
[[expect]]
buffer = \"sums\"
equals.values = [2016, 6112]
";

pub fn recipe_of(module: &str, recipe: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = format!("{}/tests/modules/{module}.spvasm", env!("CARGO_MANIFEST_DIR"));
    std::fs::copy(path, folder.path().join("module.spvasm")).unwrap();
    std::fs::write(folder.path().join("module.run.toml"), recipe).unwrap();
    folder
}

/// Kernels with shared memory: what naga, slangc and glslang (`-gVS`) made of one product, each in its own language, and one as rust-gpu writes it.
#[test]
fn modules_of_other_compilers_run_with_findings_at_the_lines_of_their_sources() {
    for module in ["naga", "slang", "glslang"] {
        let folder = recipe_of(module, &product(16));
        let output = run_in(folder.path(), &["run", "--checked", "module.run.toml"]);
        let report = text(&output.stdout);
        assert!(output.status.success(), "{module}: {report}{}", text(&output.stderr));
        assert!(report.contains("c = matmul: met, 256 elements"), "{module}: {report}");
    }
    for (module, read, write) in [
        ("naga", "gemm.wgsl:18", "gemm.wgsl:26"),
        ("slang", "gemm.slang:29", "gemm.slang:35"),
        ("glslang", "gemm.comp:26", "gemm.comp:32"),
    ] {
        let folder = recipe_of(module, &product(12));
        let output = run_in(folder.path(), &["run", "--checked", "module.run.toml"]);
        let report = text(&output.stdout);
        for (place, verb) in [(read, "reads"), (write, "writes")] {
            let told = report.lines().any(|line| {
                line.trim().starts_with(&format!("{place}:"))
                    && line.contains(&format!("out-of-bounds: {verb}"))
            });
            assert!(told, "{module}: no finding at {place}: {report}{}", text(&output.stderr));
        }
        let line =
            report.lines().any(|line| line.contains(" | ") && line.contains("sizes.k + k + local.x];"));
        assert!(line, "{module} holds its source: {report}");
    }
    // The sum is read without a barrier behind the last addition, as the Rust text says in line 25.
    let folder = recipe_of("rust-gpu", SUMS);
    let output = run_in(folder.path(), &["run", "module.run.toml"]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let output = run_in(folder.path(), &["run", "--checked", "module.run.toml"]);
    let report = text(&output.stdout);
    assert!(report.contains("  src/lib.rs:25:31: missing-barrier: reads 4 bytes"), "{report}");
    assert!(report.contains("    25 |     sums[id.x as usize / 64] = parts[0];\n"), "{report}");
}

#[test]
fn check_tells_every_mistake_of_a_text_at_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = DOUBLE.replace("OpFMul", "OpFMull").replace("%two", "%tow");
    std::fs::write(folder.path().join("double.spvasm"), &wrong).unwrap();
    let output =
        run_in(folder.path(), &["check", "--format", "short", "--spirv-val", "off", "double.spvasm"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let told = "double.spvasm:33:16: error: there is no instruction OpFMull [module-syntax]\n";
    assert_eq!(text(&output.stdout), told);
    std::fs::write(folder.path().join("double.spvasm"), DOUBLE).unwrap();
    let output = run_in(folder.path(), &["check", "--spirv-val", "off", "double.spvasm"]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), String::new()), "{output:?}");
    std::fs::write(folder.path().join("double.spv"), b"no module").unwrap();
    let output = run_in(folder.path(), &["check", "--format", "short", "--spirv-val", "off", "double.spv"]);
    assert!(text(&output.stdout).starts_with("double.spv:1:1: error: "), "{output:?}");
    assert!(text(&output.stdout).trim_end().ends_with("[module-syntax]"), "{output:?}");
    let output = run_in(folder.path(), &["check", "--spirv-val", "./none", "double.spvasm"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).contains("--spirv-val: there is no program ./none"), "{output:?}");
}

/// A program that says what `spirv-val` would stands in for it.
#[cfg(unix)]
#[test]
fn what_spirv_val_says_stands_at_the_instruction_that_it_means() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("spirv-val");
    let script = "#!/bin/sh\ncat > words\necho \"$*\" > options\necho 'error: line 30: it is wrong' >&2\necho '  %new = OpFMul' >&2\nexit 1\n";
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(folder.path().join("double.spvasm"), DOUBLE).unwrap();
    let check = |file: &str| {
        run_in(folder.path(), &["check", "--format", "short", "--spirv-val", "./spirv-val", file])
    };
    let output = check("double.spvasm");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    // The thirtieth instruction; the text has one line for each.
    assert_eq!(text(&output.stdout), "double.spvasm:30:11: error: it is wrong [spirv-val]\n");
    let options = std::fs::read_to_string(folder.path().join("options")).unwrap();
    assert!(options.starts_with("--target-env vulkan1.4 --scalar-block-layout"), "{options}");
    let output = run_in(folder.path(), &["spirv", "double.spvasm", "-o", "double.spv"]);
    assert!(output.status.success(), "{output:?}");
    // In the text that `spirv` prints, behind five comments.
    assert_eq!(text(&check("double.spv").stdout), "double.spv:35:10: error: it is wrong [spirv-val]\n");
    let words = std::fs::read(folder.path().join("words")).unwrap();
    assert_eq!(words, std::fs::read(folder.path().join("double.spv")).unwrap());
}

#[test]
fn modules_that_differ_in_numbers_order_and_names_alone_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("double.spvasm"), DOUBLE).unwrap();
    let output = run_in(folder.path(), &["spirv", "double.spvasm", "--raw-id"]);
    let numbered = text(&output.stdout);
    let lines = numbered.lines().filter(|line| !line.contains("OpName"));
    let (ints, rest): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.contains("OpTypeInt"));
    let mut moved = String::new();
    for line in rest {
        moved += line;
        moved += "\n";
        // Behind the other type of numbers rather than before it.
        if line.contains("OpTypeFloat") {
            moved += &ints.join("\n");
            moved += "\n";
        }
    }
    std::fs::write(folder.path().join("moved.spvasm"), moved.replace("%1 ", "%77 ").replace("%1\n", "%77\n"))
        .unwrap();
    let output = run_in(folder.path(), &["spirv", "--diff", "double.spvasm", "moved.spvasm"]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), String::new()), "{output:?}");
}

#[test]
fn a_diff_tells_what_differs_in_each_part() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("old.spvasm"), DOUBLE).unwrap();
    let new = DOUBLE
        .replace("LocalSize 4", "LocalSize 8")
        .replace("%two = OpConstant %float 2", "%two = OpConstant %float 3")
        .replace("OpStore %place %new", "%sum = OpFAdd %float %new %old\nOpStore %place %sum");
    std::fs::write(folder.path().join("new.spvasm"), new).unwrap();
    let output = run_in(folder.path(), &["spirv", "--diff", "old.spvasm", "new.spvasm"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    expect_test::expect![[r#"
        --- old.spvasm
        +++ new.spvasm
        @@ execution modes @@
        -OpExecutionMode %1 LocalSize 4 1 1
        +OpExecutionMode %1 LocalSize 8 1 1
        @@ types, constants and variables @@
        -%float_2 = OpConstant %float 2
        +%float_3 = OpConstant %float 3
        @@ -4,7 +4,8 @@ function main
         %19 = OpLoad %uint %18
         %20 = OpAccessChain %_ptr_StorageBuffer_float %values %uint_0 %19
         %21 = OpLoad %float %20
        -%22 = OpFMul %float %21 %float_2
        -OpStore %20 %22
        +%22 = OpFMul %float %21 %float_3
        +%23 = OpFAdd %float %22 %21
        +OpStore %20 %23
         OpReturn
         OpFunctionEnd
    "#]]
    .assert_eq(&text(&output.stdout));
    let output = run_in(folder.path(), &["spirv", "--diff", "old.spvasm", "new.spvasm", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["same"], &json["parts"][0]["part"]), (&false.into(), &"execution modes".into()));
    assert_eq!(json["parts"][0]["added"][0], "OpExecutionMode %1 LocalSize 8 1 1");
    let output = run_in(folder.path(), &["spirv", "--diff", "old.spvasm", "missing.spv"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}
