//! What is recorded beside the text: extensions, version, pragmas, macro uses.

use crate::preprocess::{Behavior, MacroUseKind, Profile};
use crate::text::{FileId, FilePosition};

use super::{check_diagnostics, run};

#[test]
fn extensions_take_effect_where_they_stand() {
    let (_, done) = run("#version 450\n#extension GL_KHR_cooperative_matrix : require\nint x;\n\
                         #extension GL_EXT_bfloat16 : warn\nint y;\n#extension all : disable\n");
    let found: Vec<_> = done
        .extensions
        .iter()
        .map(|event| (&done.text[..usize::from(event.offset)], event.name.as_str(), event.behavior))
        .collect();
    assert_eq!(
        found,
        [
            ("", "GL_KHR_cooperative_matrix", Behavior::Require),
            ("int x;", "GL_EXT_bfloat16", Behavior::Warn),
            ("int x;\nint y;", "all", Behavior::Disable)
        ]
    );
}

#[test]
fn the_version_is_recorded() {
    let (_, done) = run("// first\n#version 450 core\n");
    assert_eq!(done.version.map(|version| (version.number, version.profile)), Some((450, Profile::Core)));
    let (_, done) = run("int x;");
    assert!(done.version.is_none());
}

#[test]
fn versions_are_checked() {
    check_diagnostics("#version 450 es\n//       ^^^ version-unknown: no version 450 of GLSL ES\n");
    check_diagnostics("#version 310\n//       ^^^ version-unknown: needs the profile `es`\n");
    check_diagnostics("#version 140 core\n//       ^^^ version-unknown: no profiles\n");
    check_diagnostics(
        "#version 450 best\n//           ^^^^ version-unknown: expected `core`, `compatibility` or `es`\n",
    );
    check_diagnostics(
        "#version 130\n//       ^^^ version-unknown: Vulkan needs version 140 of GLSL or later\n",
    );
    check_diagnostics(
        "#version 300 es\n//       ^^^ version-unknown: Vulkan needs version 310 of GLSL ES or later\n",
    );
    check_diagnostics("#version\n// <- preprocessor-malformed-directive\n");
    check_diagnostics("int x;\n#version 450\n// <- version-placement\n");
}

#[test]
fn extension_directives_are_checked() {
    check_diagnostics(
        "#version 450
#extension GL_EXT_no_such_thing : enable
//         ^^^^^^^^^^^^^^^^^^^^ unknown-extension: unknown extension `GL_EXT_no_such_thing`
#extension GL_EXT_bfloat16 : maybe
//                           ^^^^^ extension-behavior: `maybe`
#extension GL_EXT_bfloat16
// <- preprocessor-malformed-directive: `:`
#extension GL_EXT_bfloat16 :
//                         ^ preprocessor-malformed-directive: after `:`
#extension 1 : enable
// <- preprocessor-malformed-directive: NAME
#extension all : require
//               ^^^^^^^ extension-behavior: `all`
",
    );
}

#[test]
fn pragmas_and_lines_are_recorded() {
    let (_, done) = run(
        "#pragma use_vulkan_memory_model\n#line 5 2\n#line 2 + 3\n#define N\n#line (20) N 4 + 1 N\n#pragma unroll // all\n",
    );
    let pragmas: Vec<_> = done.pragmas.iter().map(|pragma| pragma.text.as_str()).collect();
    assert_eq!(pragmas, ["use_vulkan_memory_model", "unroll"]);
    let lines: Vec<_> = done.lines.iter().map(|line| (line.line, line.source)).collect();
    assert_eq!(lines, [(5, Some(2)), (5, None), (20, Some(5))]);
}

#[test]
fn uses_of_macros_are_recorded() {
    let text = "#define N 4\n#define SQ(x) ((x) * (x))\n#ifdef N\nint a = SQ(N) + SQ(SQ(2));\n#endif\n#if N > defined(SQ)\n#endif\n#undef N\nN";
    let (_, done) = run(text);
    let found: Vec<_> = done
        .macro_uses
        .iter()
        .map(|usage| (&text[usage.range.range], usage.kind, done.expansion_text(usage).unwrap_or("")))
        .collect();
    assert_eq!(
        found,
        [
            ("N", MacroUseKind::Name, ""),
            ("SQ(N)", MacroUseKind::Call, "((4) * (4))"),
            ("N", MacroUseKind::Call, "4"),
            ("SQ(SQ(2))", MacroUseKind::Call, "((((2) * (2))) * (((2) * (2))))"),
            ("SQ(2)", MacroUseKind::Call, "((2) * (2))"),
            ("N", MacroUseKind::Directive, ""),
            ("SQ", MacroUseKind::Name, ""),
            ("N", MacroUseKind::Name, ""),
        ]
    );
    let inner = text.find("SQ(2)").unwrap() as u32;
    let usage = done.macro_use_at(FilePosition { file: FileId::ROOT, offset: (inner + 1).into() }).unwrap();
    assert_eq!(&text[usage.range.range], "SQ(2)");
    assert_eq!(done.definition(usage.definition).name(), "SQ");
    let nowhere = FilePosition { file: FileId::ROOT, offset: (inner + 3).into() };
    assert_eq!(done.macro_use_at(nowhere).map(|usage| &text[usage.name.range]), None);
}

#[test]
fn a_macro_is_found_in_the_body_of_another() {
    let find = |source: &str| {
        let (fixture, done) = run(source);
        let (_, offset) = fixture.cursor.unwrap();
        let (place, id) = done.macro_in_body_at(FilePosition { file: FileId::ROOT, offset })?;
        Some((fixture.root().text[place.range].to_owned(), done.definition(id).name().to_string()))
    };
    let found = Some(("INNER".to_owned(), "INNER".to_owned()));
    assert_eq!(find("#define OUTER(x) IN$0NER(x)\n#define INNER(x) x\n"), found);
    assert_eq!(find("#define x 1\n#define OUTER(x) INNER($0x)\n#define INNER(x) x\n"), None);
    assert_eq!(find("#define OUTER(x) oth$0er(x)\n"), None);
}

#[test]
fn definitions_know_their_places() {
    let (fixture, done) = run("//! define: CMD=1\n//- /a.comp\n#define F(a, b) a + b // sum\nCMD F(1, 2)\n");
    let text = &fixture.root().text;
    let f = done.macros.iter().find(|definition| definition.name() == "F").unwrap();
    assert_eq!(f.parameters().unwrap().map(|name| name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(&text[f.body().unwrap().range], "a + b");
    assert_eq!(&text[f.name_range().unwrap().range], "F");
    let cmd = done.macros.iter().find(|definition| definition.name() == "CMD").unwrap();
    assert!(cmd.name_range().is_none());
}
