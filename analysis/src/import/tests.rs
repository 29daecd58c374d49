//! What is read from logs, databases and command lines, as lines of text.

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;
use crate::project::Project;

fn no_files(path: &str, _: Option<&str>) -> Result<Arc<str>, String> {
    Err(format!("{path} cannot be read"))
}

fn show(imported: &Imported, errors: &[ImportError]) -> String {
    let mut out = String::new();
    for Variant { source, name, settings, line } in imported.variants() {
        let _ = write!(out, "{line}: {source} `{name}`");
        for (name, value) in &settings.defines {
            let _ = write!(out, " {name}={}", value.as_deref().unwrap_or("-"));
        }
        for folder in &settings.include_dirs {
            let _ = write!(out, " -I{folder}");
        }
        for (given, what) in [
            (settings.target_env.map(|env| env.to_string()), "env"),
            (settings.google_include.map(|on| on.to_string()), "google-include"),
            (settings.stage.map(|stage| stage.extension().to_owned()), "stage"),
            (settings.version.map(|version| version.to_string()), "version"),
        ] {
            if let Some(given) = given {
                let _ = write!(out, " {what}:{given}");
            }
        }
        out.push('\n');
    }
    for (line, why) in &imported.skipped {
        let _ = writeln!(out, "{line}: left out: {why}");
    }
    for (line, what) in &imported.unsaid {
        let _ = writeln!(out, "{line}: left out: {what}");
    }
    for error in errors {
        let _ = writeln!(out, "{}:{}: {}", error.line, error.column, error.message);
    }
    out
}

#[track_caller]
fn check(path: &str, text: &str, expected: Expect) {
    let (imported, errors) = read(text, path, &no_files);
    expected.assert_eq(&show(&imported, &errors));
}

#[track_caller]
fn check_call(line: &str, expected: Expect) {
    let words = words::split(line).unwrap();
    let files = |path: &str, _: Option<&str>| match path {
        "/b/args.rsp" => Ok("-DA=1\n'-DB=x y' @more.rsp".into()),
        "/b/more.rsp" => Ok("a.comp".into()),
        "/b/loop.rsp" => Ok("@loop.rsp".into()),
        _ => Err("there is no such file".to_owned()),
    };
    expected.assert_eq(&match command_line(&words, "/b", &files) {
        Ok(imported) => show(&imported, &[]),
        Err(message) => message,
    });
}

#[test]
fn lists_of_words_as_scripts_print_them() {
    check(
        "/b/build.log",
        r#"running ['glslc', '-DA=it\'s', "-DB='x'", '--target-env=vulkan1.2', 'my a.comp', '-o', 'a.spv']
['/usr/bin/glslangValidator', '-V', '-S', 'comp', 'b.glsl', '-o', 'b.spv'] returned 0
['python', 'gen.py', '--glslc', 'glslc'] and ['glslc', 3]
['glslc', '-DA=1', 'open
slangc kernel.slang -target spirv -o kernel.spv
glslc --version
("glslc", "-DT=float", "c.comp", "-o", "c.spv",) and ['ccache', 'glslc', '-DT=vec2', 'd.comp', '-o', 'd.spv']
"#,
        expect![[r#"
            2: /b/b.glsl `b` env:vulkan1.0 stage:comp
            7: /b/c.comp `c` T=float env:vulkan1.0 google-include:true
            7: /b/d.comp `d` T=vec2 env:vulkan1.0 google-include:true
            1: /b/my a.comp `a` A=it's B='x' env:vulkan1.2 google-include:true
            4: left out: its list of words does not end on the same line
            5: left out: it compiles Slang, which is not analysed
            6: left out: it does not name a shader to compile
        "#]],
    );
}

#[test]
fn commands_that_stand_on_one_line() {
    // Without blanks, in subshells, and with redirections that touch names.
    check(
        "/p/build.log",
        "glslc -DN=6 a.comp -o a6.spv;glslc -DN=7 a.comp -o a7.spv
glslc -DN=8 a.comp -o a8.spv&&glslc a.comp -o a9.spv -DN=9&&echo done
(cd sh; glslc -DF=f(x) a.comp -o a10.spv); (cd t && (cd u; glslc -DN=1 a.comp -o a11.spv)&&glslc -DN=2 a.comp -o a12.spv) && glslc -DN=3 a.comp -o a13.spv
pushd t >/dev/null && glslc -DN=4 a.comp -o a14.spv>log 2>&1; popd && glslc a.comp -o a15.spv -DN=5>/dev/null
glslc -DOR=a||b -DEND=x;y a.comp -o a16.spv
#12 0.5 glslc -DN=6 a.comp -o a17.spv # it's the last
",
        expect![[r#"
            3: /p/a.comp `a13` N=3 env:vulkan1.0 google-include:true
            4: /p/a.comp `a15` N=5 env:vulkan1.0 google-include:true
            5: /p/a.comp `a16` OR=a||b END=x;y env:vulkan1.0 google-include:true
            6: /p/a.comp `a17` N=6 env:vulkan1.0 google-include:true
            1: /p/a.comp `a6` N=6 env:vulkan1.0 google-include:true
            1: /p/a.comp `a7` N=7 env:vulkan1.0 google-include:true
            2: /p/a.comp `a8` N=8 env:vulkan1.0 google-include:true
            2: /p/a.comp `a9` N=9 env:vulkan1.0 google-include:true
            3: /p/sh/a.comp `a10` F=f(x) env:vulkan1.0 google-include:true
            3: /p/t/a.comp `a12` N=2 env:vulkan1.0 google-include:true
            4: /p/t/a.comp `a14` N=4 env:vulkan1.0 google-include:true
            3: /p/t/u/a.comp `a11` N=1 env:vulkan1.0 google-include:true
        "#]],
    );
}

#[test]
fn what_shells_are_given_to_run() {
    check(
        "/p/build.log",
        r#"sh -c "glslc \"-DT=vec4(1, 2)\" a.comp -o a1.spv"
+ /bin/bash -euo pipefail -c 'cd s && glslc -DN=2 a.comp -o a2.spv; glslc -DN=3 a.comp -o a3.spv' && glslc -DN=4 a.comp -o a4.spv
sh -c "sh -c 'glslc -DN=5 a.comp -o a5.spv'"
sh -c 'sh -c "sh -c \"glslc -DN=6 a.comp -o a6.spv\""'
['sh', '-c', 'glslc -DN=7 a.comp -o a7.spv']
sh -c 'exec "$@"' -- glslc -DN=8 a.comp -o a8.spv
C:\Windows\system32\cmd.exe /C "cd /D C:\b && C:\sdk\glslc.exe "-DT=vec4(1, 2)" C:\s\a.comp -o a9.spv"
"#,
        expect![[r#"
            1: /p/a.comp `a1` T=vec4(1, 2) env:vulkan1.0 google-include:true
            2: /p/a.comp `a4` N=4 env:vulkan1.0 google-include:true
            3: /p/a.comp `a5` N=5 env:vulkan1.0 google-include:true
            5: /p/a.comp `a7` N=7 env:vulkan1.0 google-include:true
            6: /p/a.comp `a8` N=8 env:vulkan1.0 google-include:true
            2: /p/s/a.comp `a2` N=2 env:vulkan1.0 google-include:true
            2: /p/s/a.comp `a3` N=3 env:vulkan1.0 google-include:true
            7: C:/s/a.comp `a9` T=vec4(1, 2) env:vulkan1.0 google-include:true
            4: left out: it is nested too deeply in shells
        "#]],
    );
    check(
        "/p/compile_commands.json",
        r#"[
{ "directory": "/p", "command": "/bin/sh -c 'cd s && glslc -DN=1 a.comp'", "output": "a1.spv" },
{ "directory": "/p", "arguments": ["sh", "-c", "glslc -DN=2 a.comp -o a2.spv && glslc -DN=3 a.comp -o a3.spv"], "output": "x" },
{ "directory": "/p", "command": "cd t && glslc -DN=4 a.comp -o a4.spv" },
{ "directory": "/p", "arguments": ["cmd.exe", "/C", "cd /D C:\\b && glslc.exe -DN=5 a.comp -o a5.spv"] }
]"#,
        expect![[r#"
            3: /p/a.comp `a2` N=2 env:vulkan1.0 google-include:true
            3: /p/a.comp `a3` N=3 env:vulkan1.0 google-include:true
            2: /p/s/a.comp `a1` N=1 env:vulkan1.0 google-include:true
            4: /p/t/a.comp `a4` N=4 env:vulkan1.0 google-include:true
            5: C:/b/a.comp `a5` N=5 env:vulkan1.0 google-include:true
        "#]],
    );
}

#[test]
fn make_says_where_it_is() {
    check(
        "/p/build.log",
        "make: Entering directory '/p'
make[1]: Entering directory '/p/my shaders'
glslc -DN=1 a.comp -o a1.spv
make[2]: Entering directory `/q'
glslc -DN=2 a.comp -o a2.spv
make[2]: Leaving directory `/q'
glslc -DN=3 a.comp -o a3.spv
make[1]: Leaving directory '/p/my shaders'
make: Leaving directory '/p'
glslc -DN=4 a.comp -o a4.spv
",
        expect![[r#"
            10: /p/a.comp `a4` N=4 env:vulkan1.0 google-include:true
            3: /p/my shaders/a.comp `a1` N=1 env:vulkan1.0 google-include:true
            7: /p/my shaders/a.comp `a3` N=3 env:vulkan1.0 google-include:true
            5: /q/a.comp `a2` N=2 env:vulkan1.0 google-include:true
        "#]],
    );
}

/// What cannot be read is left with its reason, and prose is no mistake.
#[test]
fn quotations_that_do_not_end() {
    check(
        "/p/build.log",
        "\"/opt/VulkanSDK/glslc\" -DN=1 a.comp -o \"b
The glslc -V compiler wasn't found
It's glslc that isn't there
glslc -DN=2 a.comp -o a2.spv; echo 'not the end
`glslc -DN=3 a.comp -o a3.spv`
The glslc -V compiler was not found
",
        expect![[r#"
            4: /p/a.comp `a2` N=2 env:vulkan1.0 google-include:true
            1: left out: a quotation in it is not closed
            2: left out: a quotation in it is not closed
            5: left out: its syntax is not understood
        "#]],
    );
}

#[test]
fn logs_of_terminals_and_of_windows() {
    // Colours, progress that is written over itself, and lines that go on behind `^`, which is a caret elsewhere.
    check(
        "/p/build.log",
        "\u{1b}[32m[1/2] \u{1b}[0m\u{1b}[1mglslc\u{1b}(B\u{1b}[m -DN=1 a.comp -o a1.spv\u{1b}[K\r\u{1b}]0;title\u{7}[2/2] glslc -DN=2 a.comp -o a2.spv\u{1b}[K\r
glslc -DN=3 ^\r
  a.comp -o a3.spv\r
int x = y;
        ^
glslc -DN=4 a.comp -o a4.spv
\u{1b}[1mmake: Entering directory '/q'\u{1b}[0m
glslc -DN=5 \u{1b}[31m--target-env=vulkan9\u{1b}[0m a.comp
glslc a.comp
",
        expect![[r#"
            1: /p/a.comp `a1` N=1 env:vulkan1.0 google-include:true
            1: /p/a.comp `a2` N=2 env:vulkan1.0 google-include:true
            2: /p/a.comp `a3` N=3 env:vulkan1.0 google-include:true
            6: /p/a.comp `a4` N=4 env:vulkan1.0 google-include:true
            9: /q/a.comp `default` env:vulkan1.0 google-include:true
            8:18: unknown target environment `vulkan9`: expected one of vulkan1.0, vulkan1.1, vulkan1.2, vulkan1.3, vulkan1.4
        "#]],
    );
}

#[test]
fn versions_are_kept_where_a_setting_can_say_them() {
    check(
        "/p/build.log",
        "glslc -std=460core a.comp -o a1.spv
glslc -std=450 a.comp -o a2.spv
glslc -std=310es a.comp -o a3.spv
glslangValidator -V --glsl-version 450 a.comp -o a4.spv
glslc -std=120 a.comp -o a5.spv
glslc -std=470x a.comp -o a6.spv
",
        expect![[r#"
            1: /p/a.comp `a1` env:vulkan1.0 google-include:true version:460 core
            2: /p/a.comp `a2` env:vulkan1.0 google-include:true version:450
            3: /p/a.comp `a3` env:vulkan1.0 google-include:true version:310 es
            4: /p/a.comp `a4` env:vulkan1.0 version:450
            5: /p/a.comp `a5` env:vulkan1.0 google-include:true
            6: /p/a.comp `a6` env:vulkan1.0 google-include:true
            5: left out: `-std=120`: Vulkan needs version 140 of GLSL or later, not 120
            6: left out: `-std=470x`: expected `core`, `compatibility` or `es`, found `x`
        "#]],
    );
}

#[test]
fn a_generators_log() {
    // As llama.cpp's generator of variants prints what it runs, among other lines.
    check(
        "/build/glslc.log",
        "-- The C compiler identification is GNU, it can't be found
glslc -fshader-stage=compute --target-env=vulkan1.3 /s/mul_mm.comp -o /o/matmul_f16_cm2.spv -MD -MF /o/x.d -DA_TYPE=float16_t -DTO_FLOAT_TYPE=f(x) 
Executing command: /usr/bin/glslc -fshader-stage=compute --target-env=vulkan1.2 /s/mul_mm.comp -o /o/matmul_f16.spv -O -DA_TYPE=float16_t -DUNROLL=[[unroll]] 
make: glslc: Command not found
the compiler glslc failed for that.comp
/usr/bin/gen --glslc /usr/bin/glslc --source /s/add.comp
",
        expect![[r#"
            3: /s/mul_mm.comp `matmul_f16` A_TYPE=float16_t UNROLL=[[unroll]] env:vulkan1.2 google-include:true
            2: /s/mul_mm.comp `matmul_f16_cm2` A_TYPE=float16_t TO_FLOAT_TYPE=f(x) env:vulkan1.3 google-include:true
        "#]],
    );
}

#[test]
fn a_build_log() {
    check(
        "/p/build/build.log",
        "[1/4] cd /p/shaders && /usr/bin/glslc -DN=4 -I../inc a.comp -o ../out/a.spv > /dev/null 2>&1\n\
         [2/4] glslc -x hlsl -fshader-stage=comp h.hlsl -o h.spv; glslc -c b.comp c.vert\n\
         glslangValidator -V \\\n  -DX b.comp -o deep/a.spv\n\
         glslc -DN=4 'unfinished.comp\n\
         glslc --target-env=vulkan9 a.comp -o z.spv\r\n",
        expect![[r#"
            3: /p/build/b.comp `a` X=- env:vulkan1.0
            2: /p/build/b.comp `default` env:vulkan1.0 google-include:true
            2: /p/build/c.vert `default` env:vulkan1.0 google-include:true
            1: /p/shaders/a.comp `a` N=4 -I/p/inc env:vulkan1.0 google-include:true
            2: left out: it compiles HLSL
            5: left out: a quotation in it is not closed
            6:7: unknown target environment `vulkan9`: expected one of vulkan1.0, vulkan1.1, vulkan1.2, vulkan1.3, vulkan1.4
        "#]],
    );
}

#[test]
fn a_compilation_database() {
    check(
        "/p/build/compile_commands.json",
        r#"[
{ "directory": "/p/build", "command": "/usr/bin/c++ -c x.cpp", "file": "x.cpp" },
{ "directory": "/p/build", "command": "glslc \"-DT=vec4(1, 2)\" ../s/a.comp -o a16.spv", "file": "../s/a.comp" },
{ "directory": "/p/build", "file": "../s/a.comp", "output": "a32.spv",
  "arguments": ["ccache", "glslangValidator", "--target-env", "vulkan1.3", "-S", "comp", "../s/a.glsl"] },
{ "directory": "/p/build", "command": "glslc 'a.comp", "file": "a.comp" },
{ "directory": "/p/build", "file": "a.comp" },
{ "directory": 5 }
]"#,
        expect![[r#"
            3: /p/s/a.comp `a16` T=vec4(1, 2) env:vulkan1.0 google-include:true
            4: /p/s/a.glsl `a32` env:vulkan1.3 stage:comp
            6:1: a quotation in `command` is not closed
            7:1: this entry has neither `command` nor `arguments`
            8:1: invalid entry: invalid type: integer `5`, expected a string
        "#]],
    );
    check(
        "/p/compile_commands.json",
        "[\n  {\"directory\": \"/p\",\n}]",
        expect![[r#"
            3:1: this is not a JSON list of compiler calls: trailing comma at line 3 column 1
        "#]],
    );
}

#[test]
fn options_of_glslc() {
    check_call(
        "glslc -D A -DB= -DC=x=1 -DA=2 -I inc -Iinc -fubo-binding-base comp 4 -fentry-point=f -O -g -std=460core a.comp -oa.spv",
        expect![[r#"
            0: /b/a.comp `a` B= C=x=1 A=2 -I/b/inc env:vulkan1.0 google-include:true version:460 core
        "#]],
    );
    check_call(
        "glslc -fshader-stage=frag a.glsl -fshader-stage=vertex b.glsl @args.rsp",
        expect![[r#"
            0: /b/a.comp `A=1 B=x y` A=1 B=x y env:vulkan1.0 google-include:true stage:vert
            0: /b/a.glsl `A=1 B=x y` A=1 B=x y env:vulkan1.0 google-include:true stage:frag
            0: /b/b.glsl `A=1 B=x y` A=1 B=x y env:vulkan1.0 google-include:true stage:vert
        "#]],
    );
    check_call("glslc @loop.rsp", expect!["the response file `loop.rsp` is nested too deeply"]);
    check_call("glslc @none.rsp", expect!["the response file `none.rsp`: there is no such file"]);
    check_call("glslc -D1=2 a.comp", expect!["`1` is not a valid macro name"]);
    check_call("glslc -fshader-stage=pixel a.comp", expect!["unknown stage `pixel`"]);
    check_call("glslc a.comp -o", expect!["`-o` needs a value after it"]);
    check_call(
        "glslc --version",
        expect!["this call of glslc gives no configuration: it does not name a shader to compile"],
    );
    check_call(
        "glslc --target-env=opengl a.comp",
        expect!["this call of glslc gives no configuration: it compiles for OpenGL"],
    );
    check_call(
        "cc a.c",
        expect!["`cc` is not a known compiler: expected glslc, glslangValidator or glslang"],
    );
}

#[test]
fn options_of_glslang() {
    check_call(
        "glslang -V100 --define-macro A=1 --D B -UA -DC=(2) -e main --source-entrypoint k --shift-UBO-binding comp 1 -o k.spv k.comp limits.conf",
        expect![[r#"
            0: /b/k.comp `k` B=- C=(2) env:vulkan1.0
        "#]],
    );
    check_call(
        "glslangValidator --target-env spirv1.6 -P'#define F(x) x + 1\n#extension GL_GOOGLE_include_directive : enable' --preamble-text '#define N 3' -S comp --client vulkan100 a.glsl",
        expect![[r#"
            0: /b/a.glsl `F(x)=x + 1 N=3` F(x)=x + 1 N=3 env:vulkan1.3 google-include:true stage:comp
        "#]],
    );
    // Without a target it compiles nothing for Vulkan: what holds is not said.
    check_call(
        "glslang a.comp",
        expect![[r#"
        0: /b/a.comp `default`
    "#]],
    );
    check_call("glslang -D a.comp", expect!["this call of glslang gives no configuration: it compiles HLSL"]);
    check_call(
        "glslang -G a.comp",
        expect!["this call of glslang gives no configuration: it compiles for OpenGL"],
    );
}

#[test]
fn names_are_unique_and_in_order() {
    check(
        "/p/x.log",
        "glslc a.comp -o release/k.spv -DN=2\nglslc a.comp -o debug/k.spv -DN=1\nglslc a.comp -o release/k.spv -DN=2\nglslc a.comp -o debug/k.spv -DN=3\n",
        expect![[r#"
            2: /p/a.comp `debug/k` N=1 env:vulkan1.0 google-include:true
            4: /p/a.comp `debug/k (2)` N=3 env:vulkan1.0 google-include:true
            1: /p/a.comp `release/k` N=2 env:vulkan1.0 google-include:true
        "#]],
    );
}

#[test]
fn shaders_that_moved_are_known_by_their_path() {
    let log = "glslc /ci/s/a.comp -o a.spv -DN=1\nglslc /ci/t/a.comp -o a.spv -DN=2\nglslc /p/own/b.comp -o b.spv\n";
    let (imported, _) = read(log, "/p/x.log", &no_files);
    let name = |path: &str| imported.of(path, "/p").iter().map(|one| one.source.clone()).collect::<Vec<_>>();
    assert_eq!(name("/p/t/a.comp"), ["/ci/t/a.comp"]);
    assert_eq!(name("/p/s/a.comp"), ["/ci/s/a.comp"]);
    assert_eq!(name("/p/own/b.comp"), ["/p/own/b.comp"]);
    // This one is where the import says; another shader of its name is another shader.
    assert!(name("/p/else/b.comp").is_empty());
}

#[test]
fn folders_of_headers_move_with_their_shaders() {
    let text = "glslc -I/home/x/p/shaders -I/home/x/p/include -I/opt/include /home/x/p/shaders/a.comp";
    let (imported, _) = read(text, "/q/build.log", &no_files);
    let folders = |path: &str| {
        let mut project = Project::without_file("/q");
        project.add("/q/build.log", Arc::new(imported.clone()));
        project.configurations(path).list.remove(0).include_dirs
    };
    assert_eq!(folders("/q/shaders/a.comp"), ["/q/shaders", "/q/include", "/opt/include"]);
    // The shaders' folder alone, without what lay beside it.
    assert_eq!(folders("/q/a.comp"), ["/q", "/home/x/p/include", "/opt/include"]);
    assert_eq!(
        folders("/home/x/p/shaders/a.comp"),
        ["/home/x/p/shaders", "/home/x/p/include", "/opt/include"]
    );
}

#[test]
fn a_project_file_says_the_same_as_its_import() {
    let log = "glslc s/a.comp -o f16.spv -std=310es --target-env=vulkan1.3 -DT=float16_t \"-DS=a \\\"q\\\" \\\\\" -DE -Iinc\n\
               glslc s/a.comp -o f32.spv --target-env=vulkan1.2 -DT=float -Iinc\n\
               glslc 's/[b].glsl' -std=450 -fshader-stage=comp -o b.spv\n\
               glslc /ci/c.comp -o c.spv -DC\n";
    let (imported, errors) = read(log, "/p/x.log", &no_files);
    assert_eq!(errors, []);
    let written = project_file(std::slice::from_ref(&imported), "/p", "from x.log");
    assert_eq!((written.shaders, written.configurations), (3, 4));
    expect![[r##"
        # from x.log

        [[shaders]]
        files = ["c.comp"]
        target-env = "vulkan1.0"
        google-include = true

        [[shaders.configurations]]
        name = "c"
        defines = ["C"]

        [[shaders]]
        files = ["/s/[[]b[]].glsl"]
        target-env = "vulkan1.0"
        google-include = true
        version = 450

        [[shaders.configurations]]
        name = "b"

        [[shaders]]
        files = ["/s/a.comp"]
        google-include = true
        include = ["inc"]

        [[shaders.configurations]]
        name = "f16"
        target-env = "vulkan1.3"
        version = "310 es"
        defines = ["T=float16_t", 'S=a "q" \', "E"]

        [[shaders.configurations]]
        name = "f32"
        target-env = "vulkan1.2"
        defines = ["T=float"]
    "##]]
    .assert_eq(&written.text);
    let project = Project::parse(&written.text, "/p").unwrap();
    let mut direct = Project::without_file("/p");
    direct.add("/p/x.log", Arc::new(imported));
    for path in ["/p/s/a.comp", "/p/s/[b].glsl", "/p/moved/c.comp"] {
        assert_eq!(project.configurations(path).list, direct.configurations(path).list, "{path}");
        assert!(!direct.configurations(path).list.is_empty());
    }
}

#[test]
fn a_configuration_of_the_project_file_comes_before_an_imported_one() {
    let text = "import = \"x.log\"\ndevice = \"lavapipe\"\n[[shaders]]\nfiles = [\"*.comp\"]\nin-view = \"f32\"\n[[shaders.configurations]]\nname = \"f16\"\ndefines = [\"OWN\"]\n";
    let mut project = Project::parse(text, "/p").unwrap();
    assert_eq!(project.imports()[0].path, "x.log");
    assert!(project.mistakes()[0].message.contains("there is no configuration `f32`"));
    let log = "glslc a.comp -o f16.spv -DN=1\nglslc a.comp -o f32.spv -DN=2\n";
    project.add("/p/x.log", Arc::new(read(log, "/p/x.log", &no_files).0));
    assert_eq!(project.mistakes(), []);
    let found = project.configurations("/p/a.comp");
    let names: Vec<_> =
        found.list.iter().map(|one| (one.name.as_str(), one.defines.len(), one.device.is_some())).collect();
    assert_eq!(names, [("f16", 1, true), ("f32", 1, true)]);
    assert_eq!(found.list[0].defines[0].0, "OWN");
    assert_eq!(found.in_view, 1);
    assert_eq!((found.origins[0].line, found.origins[1].line), (6, 2));
    assert_eq!(found.origins[1].import.as_deref(), Some("/p/x.log"));
    assert_eq!(project.configurations("/p/other.comp").list.len(), 1);
}

/// Many calls, each of which names the same files.
fn database(calls: usize, arguments: &str) -> String {
    let call = |at| format!(r#"{{"directory": "/p", "command": "glslc {arguments} a.comp -o {at}.spv"}}"#);
    format!("[{}]", (0..calls).map(call).collect::<Vec<_>>().join(",\n"))
}

fn defines(count: usize) -> String {
    (0..count).map(|at| format!("-DN{at}\n")).collect()
}

#[test]
fn a_response_file_is_read_once() {
    let reads = RefCell::new(Vec::new());
    let files = |path: &str, by: Option<&str>| {
        reads.borrow_mut().push(format!("{path} by {}", by.unwrap_or("the import")));
        match path {
            "/p/outer.rsp" => Ok("@inner.rsp -DOUTER".into()),
            "/p/inner.rsp" => Ok(defines(20).into()),
            _ => Err("it is not there".to_owned()),
        }
    };
    let (imported, errors) =
        read(&database(4_000, "@outer.rsp @inner.rsp"), "/p/compile_commands.json", &files);
    assert_eq!(errors, []);
    assert_eq!(imported.variants().len(), 4_000);
    assert!(imported.variants().iter().all(|variant| variant.settings.defines.len() == 21));
    assert_eq!(*reads.borrow(), ["/p/outer.rsp by the import", "/p/inner.rsp by /p/outer.rsp"]);
    // What is not read is not tried again, either.
    reads.borrow_mut().clear();
    let (_, errors) = read(&database(4_000, "@none.rsp"), "/p/compile_commands.json", &files);
    assert_eq!(*reads.borrow(), ["/p/none.rsp by the import"]);
    assert_eq!(errors.len(), 1_001);
    assert_eq!(errors[999].message, "the response file `none.rsp`: it is not there");
    assert_eq!(errors[1_000].message, "and 3000 more mistakes after this one");
}

#[test]
fn all_calls_of_an_import_together_are_bounded() {
    let files = |path: &str, _: Option<&str>| match path {
        "/p/words.rsp" => Ok("-O ".repeat(10_000).into()),
        "/p/bytes.rsp" => Ok(format!("-DN={}", "1".repeat(1 << 20)).into()),
        "/p/shaders.rsp" => Ok((0..500).map(|at| format!("b{at}.comp\n")).collect::<String>().into()),
        _ => Err("it is not there".to_owned()),
    };
    let of = |arguments| {
        let (imported, errors) = read(&database(4_000, arguments), "/p/compile_commands.json", &files);
        let errors = errors.iter().map(|error| format!("{}: {}", error.line, error.message));
        (imported.variants().len(), errors.collect::<Vec<_>>().join("\n"))
    };
    let (configurations, told) = of("@words.rsp");
    assert_eq!(configurations, 99);
    let bound = "all calls of an import together, including their response files, may have 1000000 words and 32 MiB, and make 100000 configurations";
    assert_eq!(told, format!("100: this call and 3900 after it are left out: {bound}"));
    let (configurations, told) = of("@bytes.rsp");
    assert_eq!(configurations, 31);
    assert_eq!(told, format!("32: this call and 3968 after it are left out: {bound}"));
    // Each shader of a call has all its macros.
    let (configurations, told) = of("@shaders.rsp");
    assert_eq!(configurations, 501);
    assert_eq!(told, format!("4: this call and 3996 after it are left out: {bound}"));
}

#[test]
fn one_call_is_bounded() {
    let files = |path: &str, _: Option<&str>| match path {
        "/b/long.rsp" => Ok(defines(20_001).into()),
        "/b/half.rsp" => Ok(defines(11_000).into()),
        // Eight levels of a thousand: without a word in the end, and without an end that anybody sees.
        "/b/empty.rsp" => Ok("".into()),
        path => Ok(match path.strip_prefix("/b/many").and_then(|rest| rest.parse::<usize>().ok()) {
            Some(7) => "@empty.rsp ".repeat(1_000).into(),
            Some(level) => format!("@many{} ", level + 1).repeat(1_000).into(),
            None => return Err("it is not there".to_owned()),
        }),
    };
    let told = |words: &[&str]| {
        let words: Vec<String> = ["glslc"].iter().chain(words).map(|word| (*word).to_owned()).collect();
        command_line(&words, "/b", &files).unwrap_err()
    };
    assert_eq!(told(&["@long.rsp"]), "the response file `long.rsp`: it has more than 20000 words");
    assert_eq!(told(&["@half.rsp", "@half.rsp"]), "this call has more than 20000 words");
    assert_eq!(told(&["@many1"]), "this call has more than 20000 words");
    assert_eq!(told(&["@many8"]), "the response file `many16` is nested too deeply");
}

#[test]
fn response_files_of_an_import_are_bounded() {
    let (reads, length) = (Cell::new(0), Cell::new(1));
    let files = |_: &str, _: Option<&str>| {
        reads.set(reads.get() + 1);
        Ok(" ".repeat(length.get()).into())
    };
    let log: String = (0..1_500).map(|at| format!("glslc @{at}.rsp a.comp -o {at}.spv\n")).collect();
    let last = |errors: &[ImportError]| errors.last().map(|error| error.message.clone()).unwrap_or_default();
    let (imported, errors) = read(&log, "/p/x.log", &files);
    assert_eq!((imported.variants().len(), reads.get()), (1_000, 1_000));
    assert_eq!(
        last(&errors),
        "the response file `1499.rsp`: it is not read, because the limit of 1000 response files is reached"
    );
    length.set(15 << 20);
    reads.set(0);
    let (imported, errors) = read(&log, "/p/x.log", &files);
    assert_eq!((imported.variants().len(), reads.get()), (2, 3));
    assert_eq!(
        errors[0].message,
        "the response file `2.rsp`: it is not read, because response files may have at most 32 MiB together"
    );
}

#[test]
fn a_hostile_log_is_read_in_one_go() {
    // Each of these took time that grows with the square of its length.
    let names = format!("{} -\n", "glslc ".repeat(60_000));
    let settings: String = (0..10_000).map(|at| format!("glslc -DN={at} a.comp -o a.spv\n")).collect();
    let mistakes = "glslc -D1=2 a.comp\n".repeat(30_000);
    let long = format!("glslc -DN {}\n", "a".repeat(3 << 20));
    let (imported, _) = read(&settings, "/p/x.log", &no_files);
    assert_eq!(imported.variants().len(), 10_000);
    let (_, errors) = read(&mistakes, "/p/x.log", &no_files);
    assert_eq!(errors.len(), 1_001);
    let (_, errors) = read(&long, "/p/x.log", &no_files);
    assert_eq!(errors[0].message, "this line is left out: it is larger than 2 MiB, which no command is");
    read(&names, "/p/x.log", &no_files);
    for piece in [
        "cd a;",
        "(",
        "glslc -D1 x;",
        "sh -c ",
        "['glslc', ",
        "['[\\\"glslc\\\",",
        "> ",
        "\u{1b}]",
        "cmd /c ",
        "\\ ",
        "-a&b",
    ] {
        read(&format!("glslc -D{}", piece.repeat(30_000)), "/p/x.log", &no_files);
        read(&format!("{} glslc -DN a.comp", piece.repeat(30_000)), "/p/x.log", &no_files);
    }
    let entered: String = (0..5_000).map(|at| format!("make: Entering directory '/{at}'\n")).collect();
    read(&format!("{entered}{}", entered.replace("Entering", "Leaving")), "/p/x.log", &no_files);
    // Folders before paths are counted with the words.
    let deep = format!("make: Entering directory '/{}'\n", "d".repeat(4_000));
    let (imported, errors) =
        read(&format!("{deep}{}", "glslc a.comp -DN\n".repeat(50_000)), "/p/x.log", &no_files);
    assert_eq!((imported.variants().len(), errors.len()), (1, 1));
}

#[test]
fn nothing_in_an_import_is_too_much() {
    for text in [
        "",
        "[",
        "{}",
        "[[]]",
        "[1, \"glslc\"]",
        "glslc",
        "glslc -",
        "\\",
        "glslc \\\n\\\n",
        "glslc -D",
        "C:\\glslc.exe -\"",
        "@x glslc @ -o",
        "[{\"command\":\"glslc -Dé=ü é\"}]",
    ] {
        for path in ["x.log", "/p/x.json"] {
            let _ = read(text, path, &no_files);
        }
    }
}
