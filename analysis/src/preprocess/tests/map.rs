//! The source map, in both directions.

use crate::preprocess::Preprocessed;
use crate::text::{FilePosition, FileRange, TextRange, TextSize};

use super::run;

/// The range of `needle` in the expanded text, counted from its `nth` occurrence.
fn expanded(done: &Preprocessed, needle: &str, nth: usize) -> TextRange {
    let start = done.text.match_indices(needle).nth(nth).unwrap_or_else(|| panic!("{:?}", done.text)).0;
    TextRange::at(TextSize::new(start as u32), TextSize::new(needle.len() as u32))
}

fn text(done: &Preprocessed, place: FileRange) -> &str {
    &done.files[place.file].text[place.range]
}

#[test]
fn copied_text_maps_to_itself() {
    let (_, done) = run("int /* c */ x; // d\n#define A 1\nfloat yy;\n");
    for name in ["int", "x", "float", "yy"] {
        let place = done.map.to_file(expanded(&done, name, 0));
        assert_eq!(text(&done, place.primary), name);
        assert_eq!(place.spelling, Some(place.primary));
        assert!(place.in_macro.is_none() && place.included_from.is_empty());
    }
    let all = TextRange::up_to(TextSize::of(done.text.as_str()));
    assert_eq!(text(&done, done.map.primary(all)), "int /* c */ x; // d\n#define A 1\nfloat yy;");
}

#[test]
fn a_body_maps_to_the_call() {
    let (_, done) = run("#define INNER(v) v.field\n#define OUTER(v) (INNER(v) + 1)\nint x = OUTER(abc);");
    let place = done.map.to_file(expanded(&done, "field", 0));
    assert_eq!(text(&done, place.primary), "OUTER(abc)");
    assert_eq!(text(&done, place.spelling.unwrap()), "field");
    let calls: Vec<_> = place
        .in_macro
        .unwrap()
        .calls
        .iter()
        .map(|call| (done.definition(call.definition).name().as_str(), text(&done, call.call.unwrap())))
        .collect();
    assert_eq!(calls, [("INNER", "INNER(v)"), ("OUTER", "OUTER(abc)")]);
    let whole = done.map.to_file(expanded(&done, "(abc.field + 1)", 0));
    assert_eq!(text(&done, whole.primary), "OUTER(abc)");
    assert_eq!(whole.in_macro.unwrap().calls.len(), 1);
}

#[test]
fn an_argument_maps_to_where_it_is_written() {
    let (_, done) = run("#define F(a, b) g(a, b)\nF(x[1] + y, F(p, q));");
    for part in ["x[1]", "x[1] + y", "p", "q", "x"] {
        let place = done.map.to_file(expanded(&done, part, 0));
        assert_eq!(text(&done, place.primary), part);
        assert!(place.in_macro.is_none());
    }
    let inner = done.map.to_file(expanded(&done, "g(p, q)", 0));
    assert_eq!(text(&done, inner.primary), "F(p, q)");
}

#[test]
fn a_range_over_text_and_macros_covers_both() {
    let (_, done) = run("#define B 2\n#define P(x) (x)\nr = a + B; r = P(c) * d; s = B + P(e);");
    assert_eq!(text(&done, done.map.primary(expanded(&done, "a + 2", 0))), "a + B");
    assert_eq!(text(&done, done.map.primary(expanded(&done, "(c) * d", 0))), "P(c) * d");
    assert_eq!(text(&done, done.map.primary(expanded(&done, "2 + (e)", 0))), "B + P(e)");
}

#[test]
fn arguments_behind_a_name_that_a_macro_gave_belong_to_the_call() {
    let (_, done) = run("#define G(x) <x>\n#define F G\na F(3) b");
    assert_eq!(text(&done, done.map.primary(expanded(&done, "<3>", 0))), "F(3)");
    assert_eq!(text(&done, done.map.primary(expanded(&done, "3", 0))), "3");
}

#[test]
fn included_text_knows_its_way() {
    let (_, done) = run("//! google-include
//- /main.comp
int a;
#include \"x.glsl\"
int b;
//- /x.glsl
#include \"y.glsl\"
//- /y.glsl
int c;
");
    let place = done.map.to_file(expanded(&done, "c", 0));
    assert_eq!(&*done.files[place.primary.file].path, "/y.glsl");
    let chain: Vec<_> = place.included_from.iter().map(|&from| text(&done, from)).collect();
    assert_eq!(chain, ["\"y.glsl\"", "\"x.glsl\""]);
    let across = done.map.to_file(expanded(&done, "a;\nint c", 0));
    assert_eq!(text(&done, across.primary), "a;\n#include \"x.glsl\"");
}

#[test]
fn text_of_no_file_maps_to_the_call() {
    let (_, done) = run("//! define: N=16\n//- /a.comp\n#define J(a, b) a##b\nx = N + J(f, oo) + __LINE__;");
    for (result, call) in [("16", "N"), ("foo", "J(f, oo)"), ("2", "__LINE__")] {
        let place = done.map.to_file(expanded(&done, result, 0));
        assert_eq!(text(&done, place.primary), call);
        assert_eq!(place.spelling, None);
    }
}

#[test]
fn a_place_is_found_in_the_expanded_text() {
    let (fixture, done) = run("#define TWICE(x) x + x\nTWICE(na$0me); other;");
    let (_, offset) = fixture.cursor.unwrap();
    let found = done.map.to_expanded(FilePosition { file: crate::text::FileId::ROOT, offset });
    let words: Vec<_> = found.iter().map(|&at| &done.text[usize::from(at)..][..2]).collect();
    assert_eq!(words, ["me", "me"]);
}

#[test]
fn a_macro_body_is_found_at_every_call() {
    let (fixture, done) = run("#define K fo$0o\nK K\nfoo K");
    let (_, offset) = fixture.cursor.unwrap();
    assert_eq!(done.map.to_expanded(FilePosition { file: crate::text::FileId::ROOT, offset }).len(), 3);
}

#[test]
fn inactive_places_are_nowhere() {
    let (fixture, done) = run("#if 0\nfo$0o\n#endif\nbar");
    let (_, offset) = fixture.cursor.unwrap();
    assert_eq!(done.map.to_expanded(FilePosition { file: crate::text::FileId::ROOT, offset }), []);
}

#[test]
fn every_place_of_the_text_survives_both_ways() {
    let source = "#define F(a) [a]\n#define Z 1\nint x = F(F(p) + q) + Z; // c\n  y \\\n = F(\n r);\n";
    let (_, done) = run(source);
    for (offset, byte) in source.bytes().enumerate() {
        let position = FilePosition { file: crate::text::FileId::ROOT, offset: TextSize::new(offset as u32) };
        for at in done.map.to_expanded(position) {
            if done.text.as_bytes().get(usize::from(at)) != Some(&byte) {
                // Only the end of a run may touch something else.
                let before = &done.text[..usize::from(at)];
                assert_eq!(before.as_bytes().last(), source.as_bytes()[..offset].last());
            }
        }
    }
}
