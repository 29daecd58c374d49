//! What the host puts before a shader.

use crate::text::FileId;

use super::{check_diagnostics, expand, run};

#[test]
fn it_is_read_behind_the_version() {
    let text = "//! preamble: /first.glsl
//! preamble: /second.glsl
//- /main.comp
// A comment.
#version 450 core
#ifdef TYPE
TYPE line __LINE__
#endif
//- /first.glsl
#if __VERSION__ == 450
#define TYPE half
#endif
//- /second.glsl
second TYPE";
    assert_eq!(expand(text), "second half\nhalf line 4");
}

#[test]
fn it_is_read_first_where_there_is_no_version() {
    let text =
        "//! preamble: /a.glsl\n//- /main.comp\nTYPE\n//- /a.glsl\n#version 460\n#define TYPE __VERSION__";
    assert_eq!(expand(text), "460");
    let text = "//! preamble: /a.glsl\n//! version: 310 es\n//- /main.comp\nGL_ES TYPE\n//- /a.glsl\n#define TYPE __VERSION__";
    assert_eq!(expand(text), "1 310");
}

#[test]
fn the_version_of_a_file_counts() {
    let text = "//! version: 460\n//- /main.comp\n#version 450\n__VERSION__";
    assert_eq!(expand(text), "450");
    let text =
        "//! version: 460\n//! preamble: /a.glsl\n//- /main.comp\n__VERSION__\n//- /a.glsl\n#version 450";
    assert_eq!(expand(text), "450");
}

#[test]
fn before_a_version_nothing_may_stand() {
    check_diagnostics(
        "//! preamble: /a.glsl
//! preamble-place: start
//- /main.comp
#version 450
// <- version-placement: must come before
//- /a.glsl
int a;
",
    );
}

#[test]
fn places_lead_to_its_files() {
    let text = "//! preamble: /a.glsl\n//- /main.comp\n#version 450\nroot TYPE\n//- /a.glsl\n\n#define TYPE body\nfirst";
    let (_, done) = run(text);
    let at = |word: &str| {
        let start = done.text.find(word).unwrap() as u32;
        let range = crate::text::TextRange::new(start.into(), (start + word.len() as u32).into());
        done.map.to_file(range)
    };
    assert_eq!(at("root").primary.file, FileId::ROOT);
    let first = at("first");
    let file = done.files.find("/a.glsl").unwrap();
    assert_eq!((first.primary.file, u32::from(first.primary.range.start())), (file, 19));
    // Where it was read: behind the version.
    assert_eq!(first.included_from.len(), 1);
    assert_eq!(u32::from(first.included_from[0].range.end()), 12);
    assert_eq!(at("body").spelling.unwrap().file, file);
}

#[test]
fn a_file_of_the_preamble_does_not_read_itself() {
    let text =
        "//! preamble: /main.comp\n//! preamble: /b.glsl\n//- /main.comp\na B\n//- /b.glsl\n#define B b";
    assert_eq!(expand(text), "a b");
}

#[test]
fn a_missing_file_is_told() {
    let (_, done) = run("//! preamble: /nowhere.glsl\n//- /main.comp\n#version 450\na");
    assert_eq!(done.text.trim(), "a");
    let messages: Vec<_> = done.diagnostics.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "cannot find the preamble `/nowhere.glsl`: correct `preamble` in the project file, whose paths are relative to its folder"
        ]
    );
}

#[test]
fn several_missing_files_are_named_together() {
    let (_, done) = run(
        "//! preamble: /a.glsl\n//! preamble: /b.glsl\n//! preamble: /c.glsl\n//- /main.comp\n#version 450\nB\n//- /b.glsl\n#define B b",
    );
    assert_eq!(done.text.trim(), "b");
    let messages: Vec<_> = done.diagnostics.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "cannot find the preambles `/a.glsl`, `/c.glsl`: correct `preamble` in the project file, whose paths are relative to its folder"
        ]
    );
}
