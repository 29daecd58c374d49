//! `#include`.

use crate::text::FileId;

use super::{check_diagnostics, expand, run};

#[test]
fn a_file_is_put_in_place() {
    let text = "//! google-include
//- /shaders/main.comp
a
#include \"sub/x.glsl\"
b
//- /shaders/sub/x.glsl
x1
#include \"../y.glsl\"
x2
//- /shaders/y.glsl
y";
    assert_eq!(expand(text), "a\nx1\ny\nx2\nb");
}

#[test]
fn folders_are_searched_in_order() {
    let text = "//! google-include
//! include: /lib
//! include: /other
//- /main.comp
#include \"a.glsl\"
#include <a.glsl>
#include \"b.glsl\"
//- /a.glsl
beside
//- /lib/a.glsl
lib
//- /other/b.glsl
other";
    assert_eq!(expand(text), "beside\nlib\nother");
}

#[test]
fn a_macro_may_give_the_path() {
    assert_eq!(
        expand("//! google-include\n//- /main.comp\n#define P \"a.glsl\"\n#include P\n//- /a.glsl\na"),
        "a"
    );
}

#[test]
fn macros_go_both_ways() {
    let text = "//! google-include\n//- /main.comp\n#define IN 1\n#include \"a.glsl\"\nOUT\n//- /a.glsl\nIN\n#define OUT 2";
    assert_eq!(expand(text), "1\n2");
}

#[test]
fn a_guarded_header_is_read_once() {
    let text = "//! google-include
//- /main.comp
#include \"a.glsl\"
#include \"b.glsl\"
#include \"a.glsl\"
#include \"b.glsl\"
//- /a.glsl
#ifndef A
#define A
a
#endif
//- /b.glsl
#pragma once
b";
    assert_eq!(expand(text), "a\nb");
}

#[test]
fn a_region_that_one_inclusion_keeps_is_not_inactive() {
    let (_, done) = run("//! google-include
//- /main.comp
#include \"a.glsl\"
#include \"a.glsl\"
//- /a.glsl
#ifndef A
#define A
a
#ifdef B
b
#endif
#endif
");
    let found: Vec<_> =
        done.inactive.iter().map(|place| (place.file, &done.files[place.file].text[place.range])).collect();
    assert_eq!(found, [(FileId(1), "b\n")]);
}

#[test]
fn line_numbers_belong_to_each_file() {
    let text =
        "//! google-include\n//- /main.comp\n#line 100\n#include \"a.glsl\"\n__LINE__\n//- /a.glsl\n__LINE__";
    assert_eq!(expand(text), "1\n101");
}

#[test]
fn includes_are_recorded() {
    let (_, done) =
        run("//! google-include\n//- /main.comp\n#include \"a.glsl\"\n#include <b.glsl>\n//- /a.glsl\na");
    let found: Vec<_> = done
        .includes
        .iter()
        .map(|include| {
            let text = &done.files[include.path_range.file].text;
            (&text[include.path_range.range], include.path.as_str(), include.system, include.file)
        })
        .collect();
    assert_eq!(found, [("\"a.glsl\"", "a.glsl", false, Some(FileId(1))), ("<b.glsl>", "b.glsl", true, None)]);
}

#[test]
fn mistakes_are_located() {
    check_diagnostics(
        "#version 450
#include \"a.glsl\"
// <- preprocessor-include-extension
#include
// <- preprocessor-malformed-directive: expected a path
#include a.glsl
// <- preprocessor-malformed-directive: expected a path
#include \"b.glsl\"
//       ^^^^^^^^ preprocessor-include-not-found: cannot find `b.glsl`: looked beside this file
#include <b.glsl>
//       ^^^^^^^^ preprocessor-include-not-found: no include folder
#include \"a.glsl\" x
//                ^ preprocessor-extra-tokens
//- /a.glsl
",
    );
}

#[test]
fn a_header_has_no_version_of_its_own() {
    check_diagnostics(
        "//! google-include
//- /main.comp
#include \"a.glsl\"
#include \"b.glsl\"
//- /a.glsl
// nothing yet
//- /b.glsl
#version 450
// <- version-placement
",
    );
}
