//! Configurations that a build has already: imported, followed, and reported about.

use expect_test::expect;
use serde_json::{Value, json};

use crate::command_line::{folder, run_in};

/// Wrong where `T` is no type that has a member `x`, and where `N` is not defined.
const SHADER: &str =
    "#version 450\n#include \"n.glsl\"\nvoid main() {\n    T first = T(N);\n    first.x = first.y;\n}\n";
const HEADER: &str = "int half_n = N / 2;\n";

const LOG: &str = "[1/3] /usr/bin/glslc -fshader-stage=compute --target-env=vulkan1.2 s/k.comp -o k_f32.spv -O -DT=float -DN=1\n\
                   [2/3] /usr/bin/glslc -fshader-stage=compute --target-env=vulkan1.2 s/k.comp -o k_vec2.spv -O -DT=vec2 -DN=2\n\
                   [3/3] /usr/bin/glslc -fshader-stage=compute --target-env=vulkan1.2 s/k.comp -o k_vec4.spv -O -DT=vec4\n";

#[test]
fn a_log_becomes_a_project_file() {
    let folder = folder(&[("glslc.log", LOG), ("s/k.comp", SHADER), ("s/n.glsl", HEADER)]);
    let run = |arguments: &[&str]| run_in(folder.path(), arguments, "");
    let printed = run(&["import", "glslc.log"]);
    assert_eq!(printed.code, Some(0));
    expect![[r#"
        # Imported from glslc.log.

        [[shaders]]
        files = ["/s/k.comp"]
        target-env = "vulkan1.2"
        google-include = true

        [[shaders.configurations]]
        name = "k_f32"
        defines = ["T=float", "N=1"]

        [[shaders.configurations]]
        name = "k_vec2"
        defines = ["T=vec2", "N=2"]

        [[shaders.configurations]]
        name = "k_vec4"
        defines = ["T=vec4"]
    "#]]
    .assert_eq(&printed.stdout);
    expect![[r#"
        glslc.log: 3 configurations of 1 shader
        s/k.comp `k_f32`: s/k.comp:5: `float` has no component `y`: it has 1 component [no-such-member]
        s/k.comp `k_vec4`: s/k.comp:4: `N` is not declared [undeclared-name] (and 1 more)
        1 shader, 3 configurations, 2 with errors
    "#]]
    .assert_eq(&printed.stderr);

    assert_eq!(run(&["import", "glslc.log", "-o", "coopmat-analyzer.toml"]).code, Some(0));
    assert_eq!(run(&["check", "s/k.comp", "--config", "k_vec2"]).code, Some(0));
    let again = run(&["import", "glslc.log", "-o", "coopmat-analyzer.toml"]);
    assert_eq!(again.code, Some(2));
    assert!(again.stderr.contains("--force"), "{}", again.stderr);

    // What can be read is written, what cannot is told with its place.
    std::fs::write(folder.path().join("glslc.log"), format!("{LOG}glslc --target-env=vulkan7 s/k.comp\n"))
        .unwrap();
    let partly = run(&["import", "glslc.log"]);
    assert_eq!(partly.code, Some(2));
    assert!(
        partly.stderr.contains("glslc.log:4:7: unknown target environment `vulkan7`"),
        "{}",
        partly.stderr
    );
    assert_eq!(partly.stdout, printed.stdout);
    assert_eq!(run(&["import", "s/k.comp"]).code, Some(2), "no calls");
    assert_eq!(run(&["import", "none.log"]).code, Some(2));
    assert_eq!(run(&["import"]).code, Some(2));
}

/// As `ninja -t commands`, `set -x` and scripts in Python print them.
#[test]
fn calls_as_builds_and_scripts_print_them() {
    let log = "cd /p/build && /usr/bin/cmake -E make_directory out && /usr/bin/glslc --target-env=vulkan1.2 -DT=vec2 -DN=1 ../s/k.comp -o k_1.spv
+ glslc -DT=vec2 -DN=2 s/k.comp -o k_2.spv
running: ['glslc', '-DT=vec2', '-DN=3', 's/k.comp', '-o', 'k_3.spv']
slangc -target spirv s/k.slang -o k.spv
slangc -target spirv s/l.slang -o l.spv
glslc --version
";
    let folder = folder(&[("s/k.comp", SHADER), ("s/n.glsl", HEADER)]);
    let here = folder.path().canonicalize().unwrap();
    std::fs::write(
        folder.path().join("build.log"),
        log.replace("/p/build", here.join("build").to_str().unwrap()),
    )
    .unwrap();
    let run = run_in(&here, &["import", "build.log"], "");
    expect![[r#"
        build.log: 3 configurations of 1 shader
        build.log: 2 calls are left out: it compiles Slang, which is not analysed
        build.log: 1 call is left out: it does not name a shader to compile
        1 shader, 3 configurations, 0 with errors
    "#]]
    .assert_eq(&run.stderr);
    assert_eq!(run.code, Some(0));
    let unchecked = run_in(&here, &["import", "--no-check", "build.log"], "");
    assert!(unchecked.stderr.ends_with("\n1 shader, 3 configurations\n"), "{}", unchecked.stderr);
    assert_eq!(unchecked.stdout, run.stdout);
}

/// PowerShell writes UTF-16. What is left is told, and is no mistake.
#[test]
fn a_log_of_powershell_with_prose() {
    let log = "The glslc -V compiler wasn't found\r\nglslc -std=450 -DT=vec2 -DN=2 s/k.comp -o k.spv\r\n";
    let utf_16 = std::iter::once(0xfeff).chain(log.encode_utf16()).flat_map(u16::to_le_bytes);
    let folder = folder(&[("s/k.comp", SHADER), ("s/n.glsl", HEADER)]);
    std::fs::write(folder.path().join("build.log"), utf_16.collect::<Vec<_>>()).unwrap();
    let run = run_in(folder.path(), &["import", "build.log"], "");
    expect![[r#"
        build.log: 1 configuration of 1 shader
        build.log: 1 call is left out: a quotation in it is not closed
        1 shader, 1 configuration, 0 with errors
    "#]]
    .assert_eq(&run.stderr);
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.contains("\nversion = 450\n"), "{}", run.stdout);
}

#[test]
fn a_project_file_follows_what_it_imports() {
    let database = json!([
        {"directory": "build", "file": "../s/k.comp", "command": "glslc @k.rsp -DT=vec2 ../s/k.comp -o k.spv"},
    ])
    .to_string();
    let folder = folder(&[
        ("coopmat-analyzer.toml", "\nimport = [\"compile_commands.json\"]\n"),
        ("compile_commands.json", &database),
        ("build/k.rsp", "-DN=4"),
        ("s/k.comp", SHADER),
        ("s/n.glsl", HEADER),
    ]);
    let run = |arguments: &[&str]| run_in(folder.path(), arguments, "");
    let checked = run(&["check", "s"]);
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    std::fs::write(folder.path().join("build/k.rsp"), "").unwrap();
    assert_eq!(run(&["check", "s"]).code, Some(1));
    std::fs::remove_file(folder.path().join("compile_commands.json")).unwrap();
    let gone = run(&["check", "s"]);
    assert_eq!(gone.code, Some(2));
    assert!(gone.stderr.contains("coopmat-analyzer.toml:2: "), "{}", gone.stderr);
    assert!(gone.stderr.contains("build the project first"), "{}", gone.stderr);
    // Nothing is read from outside.
    std::fs::write(folder.path().join("s/coopmat-analyzer.toml"), "import = \"../../x.log\"\n").unwrap();
    assert!(run(&["check", "s"]).stderr.contains("outside the folders"));
}

#[test]
fn what_a_build_left_is_used_without_a_project_file() {
    let folder = folder(&[
        ("build/glslc.log", &LOG.replace("s/k.comp", "../s/k.comp")),
        ("s/k.comp", SHADER),
        ("s/n.glsl", HEADER),
    ]);
    let run = |arguments: &[&str]| run_in(folder.path(), arguments, "");
    assert_eq!(run(&["check", "s", "--config", "k_vec2"]).code, Some(0));
    assert!(run(&["check", "s", "--all-configs"]).stderr.contains("under 3 configurations"));
    let without = run(&["check", "s", "--no-discover"]);
    assert!(without.stdout.contains("missing-configuration"), "{}", without.stdout);
}

/// A search that ends somewhere says so.
#[test]
fn folders_that_are_too_deep_are_told() {
    let deep = format!("{}a.comp", "d/".repeat(26));
    let folder = folder(&[(&deep, "#version 450\n"), ("b.comp", "#version 450\nvoid main() {}\n")]);
    let run = run_in(folder.path(), &["check", "."], "");
    assert!(run.stderr.contains("24 levels deep"), "{}", run.stderr);
    assert!(run.stderr.contains("1 file checked"), "{}", run.stderr);
    assert!(
        run.stderr.contains("1 file not analysed; accept this with `--allow-unanalysed search-limit`"),
        "{}",
        run.stderr
    );
    assert_eq!(run.code, Some(1));
    let allowed = run_in(folder.path(), &["check", "--allow-unanalysed", "search-limit", "."], "");
    assert_eq!(allowed.code, Some(0));
}

#[test]
fn a_command_line_is_checked_as_it_would_be_compiled() {
    let folder = folder(&[("s/k.comp", SHADER), ("s/n.glsl", HEADER)]);
    let run = |arguments: &[&str]| run_in(folder.path(), arguments, "");
    assert_eq!(run(&["check", "--", "glslc", "-DT=vec2", "-DN=1", "s/k.comp", "-o", "k.spv"]).code, Some(0));
    let wrong = run(&["check", "--", "glslc", "-DT=float", "-DN=1", "s/k.comp"]);
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.stdout.contains("--> s/k.comp:5:"), "{}", wrong.stdout);
    // glslang does not switch includes on by itself.
    let glslang = run(&["check", "--", "glslangValidator", "-V", "-DT=vec2", "-DN=1", "s/k.comp"]);
    assert!(glslang.stdout.contains("preprocessor-include-extension"), "{}", glslang.stdout);
    let refused = run(&["check", "--", "clang", "s/k.comp"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("expected glslc"), "{}", refused.stderr);
}

#[test]
fn findings_say_in_which_configurations_they_are() {
    let folder = folder(&[
        ("coopmat-analyzer.toml", "import = \"glslc.log\"\n"),
        ("glslc.log", LOG),
        ("s/k.comp", SHADER),
        ("s/n.glsl", HEADER),
    ]);
    let run = |arguments: &[&str]| run_in(folder.path(), arguments, "");
    let text = run(&["check", "s", "--all-configs"]);
    assert_eq!(text.code, Some(1));
    expect![[r#"
        error[undeclared-name]: `N` is not declared
         --> s/k.comp:4:17
          |
        4 |     T first = T(N);
          |                 ^
          |
          = note: in 1 of 3 configurations: `k_vec4`

        error[no-such-member]: `float` has no component `y`: it has 1 component
         --> s/k.comp:5:21
          |
        5 |     first.x = first.y;
          |                     ^
          |
          = note: in 1 of 3 configurations: `k_f32`

        error[undeclared-name]: `N` is not declared
         --> s/n.glsl:1:14
          |
        1 | int half_n = N / 2;
          |              ^
          |
         ::: s/k.comp:2:10
          |
        2 | #include "n.glsl"
          |          -------- included from here
          |
          = note: in 1 of 3 configurations: `k_vec4`

    "#]]
    .assert_eq(&text.stdout);
    expect![[r#"
        1 file checked under 3 configurations: 3 errors; run `coopmat-analyzer explain undeclared-name` for details
          s/k.comp `k_f32`: 1 error
          s/k.comp `k_vec4`: 2 errors
          no problems in 1 configuration
    "#]]
    .assert_eq(&text.stderr);

    let json: Value =
        serde_json::from_str(&run(&["check", "s", "--all-configs", "--format", "json"]).stdout).unwrap();
    let shares: Vec<_> =
        json["findings"].as_array().unwrap().iter().map(|one| one["configurations"].clone()).collect();
    assert!(shares.contains(&json!({"count": 1, "of": 3, "names": ["k_vec4"]})), "{shares:?}");
    let counts: Vec<_> =
        json["configurations"].as_array().unwrap().iter().map(|one| (&one["name"], &one["error"])).collect();
    assert_eq!(counts.len(), 3);
    assert_eq!(counts[1], (&json!("k_vec2"), &json!(0)));

    let sarif: Value =
        serde_json::from_str(&run(&["check", "s", "--all-configs", "--format", "sarif"]).stdout).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(
        results[0]["message"]["text"].as_str().unwrap().contains("of 3 configurations)"),
        "{}",
        results[0]
    );
    assert_eq!(results[0]["properties"]["configurations"]["of"], 3);
    assert_eq!(run(&["check", "s", "--config", "k_vec2"]).code, Some(0));
}
