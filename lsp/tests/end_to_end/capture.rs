//! `import --capture`: a build step of a project with stand-ins in front of `PATH`, as generators of shader variants and CMake's checks call
//! compilers.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Output};

use expect_test::expect;

use crate::client::BINARY;
use crate::command_line::{Run, folder};

const SHADER: &str = "#version 450
#include \"n.glsl\"
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { T values[]; };
void main() { values[gl_GlobalInvocationID.x] += T(half_n); }
";
const HEADER: &str = "const int half_n = N / 2;\n";

/// A project with a folder `tools`, which alone is on `PATH`: a shell, and no compiler unless the test puts one there.
fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = folder(files);
    let tools = folder.path().join("tools");
    std::fs::create_dir_all(&tools).unwrap();
    for tool in ["sh", "rm", "cat", "sleep"] {
        let path = ["/bin", "/usr/bin"].iter().map(|place| Path::new(place).join(tool));
        symlink(path.into_iter().find(|path| path.exists()).unwrap(), tools.join(tool)).unwrap();
    }
    folder
}

fn compiler(folder: &Path, name: &str, script: &str) {
    let path = folder.join("tools").join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{script}")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn import(folder: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(BINARY);
    command.arg("import").args(arguments).current_dir(folder).env("PATH", folder.join("tools"));
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { stdout: text(stdout), stderr: text(stderr), code: status.code() }
}

fn capture(folder: &Path, script: &str) -> Run {
    import(folder, &["--capture", "--", "sh", "-c", script])
}

/// As llama.cpp's generator does it: many calls at once, each with its output, definitions and a file of dependencies; what compilers say on
/// standard error, or an output that is no module, ends it.
#[test]
fn a_generator_of_variants_is_captured() {
    let generator = r#"
        for type in float vec2 vec4 uint; do
            for n in 2 4; do
                (
                    errors=$(glslc -fshader-stage=compute --target-env=vulkan1.2 "my shaders/k.comp" -o "$1/k_${type}_$n.spv" \
                        -MD -MF "$1/$type$n.d" "-DT=$type" -DN=$n 2>&1) || echo "failed: $errors"
                    [ -z "$errors" ] || echo "said: $errors"
                    [ -s "$1/k_${type}_$n.spv" ] || echo "no module"
                ) &
            done
        done
        wait
        cat "$1/vec44.d"
    "#;
    let folder =
        project(&[("my shaders/k.comp", SHADER), ("my shaders/n.glsl", HEADER), ("gen.sh", generator)]);
    let captured = import(folder.path(), &["--capture", "--", "sh", "gen.sh", "{build}"]);
    assert_eq!(captured.code, Some(0), "{}", captured.stderr);
    let begin: Vec<_> = captured.stdout.lines().take(17).collect();
    expect![[r#"
        # Imported from what `sh gen.sh {build}` calls.

        [[shaders]]
        files = ["/my shaders/k.comp"]
        target-env = "vulkan1.2"
        google-include = true

        [[shaders.configurations]]
        name = "k_float_2"
        defines = ["T=float", "N=2"]

        [[shaders.configurations]]
        name = "k_float_4"
        defines = ["T=float", "N=4"]

        [[shaders.configurations]]
        name = "k_uint_2""#]]
    .assert_eq(&begin.join("\n"));
    let (dependencies, report) = captured.stderr.split_once('\n').unwrap();
    let (target, files) = dependencies.split_once(": ").unwrap();
    assert!(target.ends_with("/k_vec4_4.spv"), "{dependencies}");
    assert!(
        files.ends_with("my\\ shaders/n.glsl") && files.contains("my\\ shaders/k.comp "),
        "{dependencies}"
    );
    expect![[r#"
        8 compiler calls recorded; coopmat-analyzer compiled for 8 of them, as their compilers are not on PATH
        1 shader, 8 configurations, 0 with errors
    "#]]
    .assert_eq(report);

    // What a project file says is what `check` then holds to.
    let file = folder.path().join("coopmat-analyzer.toml");
    std::fs::write(&file, captured.stdout).unwrap();
    let checked = crate::command_line::run_in(folder.path(), &["check", "my shaders", "--all-configs"], "");
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    assert!(checked.stderr.contains("under 8 configurations"), "{}", checked.stderr);
}

/// CMake compiles a shader that needs an extension, and looks for these words.
#[test]
fn what_is_supported_is_told_in_the_compilers_words() {
    let with = |extension: &str| {
        format!(
            "#version 460\n#extension {extension} : require\nlayout(local_size_x = 1) in;\nvoid main() {{}}\n"
        )
    };
    let folder = project(&[
        ("yes.comp", &with("GL_NV_cooperative_matrix2")),
        ("no.comp", &with("GL_XY_cooperative_vector9")),
        ("wrong.comp", "#version 450\nvoid main() { int a = missing; a++; }\n"),
        (
            "a.frag",
            "#version 450\nlayout(binding = 0) uniform sampler2DRect t;\nlayout(location = 0) out vec4 c;\nvoid main() { c = texture(t, vec2(0.0)); }\n",
        ),
    ]);
    let out = capture(
        folder.path(),
        "for name in yes.comp no.comp wrong.comp; do glslc -o - --target-env=vulkan1.3 $name > {build}/out; echo \"glslc $?\"; done
         for name in yes.comp no.comp; do glslangValidator -V --target-env vulkan1.3 $name -o {build}/$name.spv; echo \"glslang $?\"; done
         glslc a.frag -o {build}/a.spv; echo \"goes on $?\"; glslc a.frag -o a.spv; echo \"stays $?\"; glslc --version",
    );
    let here = folder.path().canonicalize().unwrap();
    let said = out.stderr.replace(&format!("{}/", here.display()), "");
    expect![[r#"
        glslc 0
        no.comp:2: error: '#extension' : extension not supported: GL_XY_cooperative_vector9
        1 error generated.
        glslc 1
        wrong.comp:2: error: '' : `missing` is not declared [undeclared-name]
        1 error generated.
        glslc 1
        yes.comp
        glslang 0
        no.comp
        ERROR: no.comp:2: '#extension' : extension not supported: GL_XY_cooperative_vector9
        ERROR: 1 compilation errors.  No code generated.


        glslang 2
        goes on 0
        a.frag:2: error: coopmat-analyzer cannot compile this: Vulkan has no rectangle textures and images: use the 2D ones
        1 error generated.
        stays 1
        shaderc v2026.1 v2026.1 (coopmat-analyzer 0.1.0 stands in for it)

        Target: SPIR-V 1.0
        8 compiler calls recorded; coopmat-analyzer compiled for 8 of them, as their compilers are not on PATH
        3 calls are left out: the build only tested what its compiler supports
        no.comp `no.comp`: no.comp:2: unknown extension `GL_XY_cooperative_vector9` [unknown-extension]
        3 shaders, 3 configurations, 1 with errors
    "#]].assert_eq(&said);
    assert_eq!(out.code, Some(0));
}

#[test]
fn a_compiler_that_is_there_answers() {
    let folder = project(&[("s/k.comp", SHADER), ("s/n.glsl", HEADER)]);
    compiler(folder.path(), "glslc", "cat; echo \"real $*\"; command -v glslc; exit 3\n");
    compiler(folder.path(), "slangc", "echo \"slang $*\"\n");
    let script = "cd s; echo input | glslc -DT=vec2 -DN=4 k.comp -o {build}/k.spv; echo \"code $?\"; slangc -o x.spv y.slang";
    let out = capture(folder.path(), script);
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    assert!(out.stdout.contains("files = [\"/s/k.comp\"]"), "{}", out.stdout);
    let tools = folder.path().join("tools/glslc");
    for expected in [
        "input\nreal -DT=vec2 -DN=4 k.comp -o ",
        // What it calls finds no stand-in.
        &format!("\n{}\ncode 3\nslang -o x.spv y.slang\n", tools.display()),
        "\n2 compiler calls recorded\n1 call is left out: it compiles Slang, which is not analysed\n1 shader, 1 configuration, 0 with errors\n",
    ] {
        assert!(out.stderr.contains(expected), "{expected}: {}", out.stderr);
    }
}

#[test]
fn what_is_not_there_any_more_was_read_in_time() {
    let folder = project(&[("k.comp", SHADER), ("n.glsl", HEADER)]);
    let script = "echo '-DT=float \"-DN=2\"' > a.rsp; glslc @a.rsp k.comp -o {build}/k.spv; rm a.rsp
        cat k.comp > {build}/made.comp; glslc -I. -DT=vec2 -DN=4 {build}/made.comp -o {build}/made.spv
        printf '#version 450\\nvoid main() {}\\n' | glslc -fshader-stage=compute - -o {build}/in.spv; echo \"in $?\"";
    let out = capture(folder.path(), script);
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    assert!(out.stdout.contains("defines = [\"T=float\", \"N=2\"]"), "{}", out.stdout);
    assert_eq!(out.stdout.matches("\nname = ").count(), 1, "{}", out.stdout);
    expect![[r#"
        in 0
        3 compiler calls recorded; coopmat-analyzer compiled for 3 of them, as their compilers are not on PATH
        1 call is left out: it reads standard input
        1 configuration left out: their shaders were generated in `{build}`, which has been deleted; use a permanent build folder to keep them
        1 shader, 1 configuration, 0 with errors
    "#]]
    .assert_eq(&out.stderr);
}

/// CMake's checks of a compiler, and shaders of somebody else.
#[test]
fn what_is_tried_or_lies_elsewhere_is_no_configuration() {
    let plain = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n";
    let folder = project(&[("p/k.comp", plain), ("p/test.comp", plain), ("other/t.comp", plain)]);
    let script = "cd p; glslc -o - test.comp > {build}/out && glslc k.comp -o {build}/k.spv
        glslc ../other/t.comp -o {build}/t.spv; glslc -M k.comp; echo \"M $?\"; glslangValidator -E k.comp; echo \"E $?\"";
    let file = ["--capture", "-o", "p/coopmat-analyzer.toml", "--", "sh", "-c", script];
    let out = import(folder.path(), &file);
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    let here = folder.path().canonicalize().unwrap();
    expect![[r#"
        glslc: error: `-M` needs the real glslc, which is not on PATH: coopmat-analyzer, which stands in for it, can only compile
        M 1
        ERROR: `-E` needs the real glslangValidator, which is not on PATH: coopmat-analyzer, which stands in for it, can only compile
        E 2
        5 compiler calls recorded; coopmat-analyzer compiled for 5 of them, as their compilers are not on PATH
        1 call is left out: the build only tested what its compiler supports
        2 calls are left out: it does not compile
        1 configuration left out: their shaders are outside /p, where the project file applies
        1 shader, 1 configuration, 0 with errors
    "#]].assert_eq(&out.stderr.replace(here.to_str().unwrap(), ""));
    let written = std::fs::read_to_string(folder.path().join("p/coopmat-analyzer.toml")).unwrap();
    assert!(written.contains("k.comp") && !written.contains("t.comp\""), "{written}");

    // Where nothing else is called, what is printed is what the build is for.
    let out = capture(folder.path(), "glslc -o - p/k.comp > {build}/out");
    assert!(out.stdout.contains("k.comp"), "{}", out.stderr);
}

/// Where there is no compiler, later steps of a build read what coopmat-analyzer wrote; then the project is as it was.
#[test]
fn what_stand_ins_write_does_not_stay() {
    let folder = project(&[("k.comp", SHADER), ("n.glsl", HEADER), ("out/old.spv", "REAL")]);
    let here = folder.path();
    let script = "for n in 2 4; do glslc -DT=vec2 -DN=$n k.comp -o out/old.spv -MD; done; glslc -DT=vec4 -DN=4 k.comp
        glslc -DT=float -DN=2 k.comp -o out/moved.spv && cat out/moved.spv > out/copy && rm out/moved.spv
        glslc -DT=float -DN=4 k.comp -o {build}/k.spv; glslc -DT=float -DN=6 k.comp -o /dev/null; slangc k.slang; echo \"code $?\"";
    let out = capture(here, script);
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    expect![[r#"
        error: slangc: not found
        code 127
        7 compiler calls recorded; coopmat-analyzer compiled for 6 of them, as their compilers are not on PATH
        slangc, which was called once, is not on PATH
        modules compiled by coopmat-analyzer are not kept: 2 files were removed, 1 file was restored, 1 file was moved by the build; rebuild the project before you use what it made of them
        1 call is left out: it compiles Slang, which is not analysed
        1 shader, 6 configurations, 0 with errors
    "#]]
    .assert_eq(&out.stderr);
    assert_eq!(std::fs::read(here.join("out/old.spv")).unwrap(), b"REAL");
    for gone in ["a.spv", "out/old.spv.d"] {
        assert!(!here.join(gone).exists(), "{gone}");
    }
    assert!(std::fs::read(here.join("out/copy")).unwrap().starts_with(&[3, 2, 0x23, 7]));

    // Also where the build fails.
    let failed = capture(here, "glslc -DT=vec2 -DN=2 k.comp -o out/old.spv; cat out/old.spv > seen; false");
    assert_eq!(failed.code, Some(2));
    assert_ne!(std::fs::read(here.join("seen")).unwrap(), b"REAL");
    assert_eq!(std::fs::read(here.join("out/old.spv")).unwrap(), b"REAL");
}

/// Ctrl+C.
#[test]
fn a_build_that_is_stopped_leaves_nothing_either() {
    let folder = project(&[("k.comp", SHADER), ("n.glsl", HEADER), ("old.spv", "REAL")]);
    let here = folder.path();
    let mut command = Command::new(BINARY);
    let script = "glslc -DT=vec2 -DN=2 k.comp -o old.spv; cat old.spv > seen; exec sleep 60";
    command.args(["import", "--capture", "--", "sh", "-c", script]).current_dir(here);
    let mut child = command.env("PATH", here.join("tools")).spawn().unwrap();
    let seen = || std::fs::read(here.join("seen")).is_ok_and(|bytes| !bytes.is_empty());
    while !seen() {
        assert_eq!(child.try_wait().unwrap(), None);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let id = child.id().to_string();
    Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2));
    assert_eq!(std::fs::read(here.join("old.spv")).unwrap(), b"REAL");
}

#[test]
fn capturing_expects_a_command() {
    let out = import(project(&[]).path(), &["--capture"]);
    assert_eq!(out.code, Some(2));
    assert!(out.stderr.contains("--capture expects a command after `--`"), "{}", out.stderr);
}

#[test]
fn a_build_that_fails_says_so() {
    let folder = project(&[("k.comp", SHADER), ("n.glsl", HEADER)]);
    let failed = capture(
        folder.path(),
        "glslc -DT=float k.comp -o {build}/k.spv && glslc -DT=vec2 -DN=4 k.comp -o k2.spv",
    );
    assert_eq!(failed.code, Some(2));
    assert!(failed.stdout.contains("defines = [\"T=float\"]"), "{}", failed.stdout);
    for expected in [
        "n.glsl:1: error: '' : `N` is not declared [undeclared-name]\n1 error generated.\n",
        "failed (exit status: 1): only the compiler calls made before that are known\n",
        "k.comp `k`: n.glsl:1: `N` is not declared [undeclared-name]\n1 shader, 1 configuration, 1 with errors\n",
    ] {
        assert!(failed.stderr.contains(expected), "{expected}: {}", failed.stderr);
    }
    let nothing = capture(folder.path(), "true");
    assert_eq!((nothing.code, &*nothing.stdout), (Some(2), ""));
    assert!(
        nothing.stderr.contains("did not call glslc, glslangValidator or glslang by name"),
        "{}",
        nothing.stderr
    );
    let missing = import(folder.path(), &["--capture", "--", "no-such-program"]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.stderr.contains("cannot start `no-such-program`"), "{}", missing.stderr);

    // Nothing is run for a file that is not to be replaced.
    std::fs::write(folder.path().join("p.toml"), "").unwrap();
    let refused = import(folder.path(), &["--capture", "-o", "p.toml", "--", "sh", "-c", "echo ran > ran"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("--force"), "{}", refused.stderr);
    assert!(!folder.path().join("ran").exists());
}
