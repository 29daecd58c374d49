//! `#if` and its family.

use crate::text::FileId;

use super::{check_diagnostics, expand, run};

#[test]
fn the_first_branch_that_holds_is_taken() {
    let text = |value: i32| {
        format!(
            "#define V {value}\n#if V == 1\none\n#elif V == 2\ntwo\n#elif V > 2\nmany\n#else\nnone\n#endif\nend"
        )
    };
    assert_eq!(expand(&text(1)), "one\nend");
    assert_eq!(expand(&text(2)), "two\nend");
    assert_eq!(expand(&text(3)), "many\nend");
    assert_eq!(expand(&text(0)), "none\nend");
}

#[test]
fn conditionals_nest() {
    let text =
        "#if 1\na\n#if 0\nb\n#if 1\nc\n#endif\n#else\nd\n#endif\n#else\ne\n#if 1\nf\n#endif\n#endif\ng";
    assert_eq!(expand(text), "a\nd\ng");
}

#[test]
fn names_are_asked_for() {
    let text = "#define A\n#ifdef A\n1\n#endif\n#ifndef A\n2\n#endif\n#if defined A && !defined(B)\n3\n#endif\n\
                #ifdef GL_EXT_buffer_reference\n4\n#endif\n#ifdef GL_EXT_no_such_thing\n5\n#endif";
    assert_eq!(expand(text), "1\n3\n4");
}

#[test]
fn macros_are_replaced_in_conditions() {
    assert_eq!(
        expand("#define MAX(a, b) (a) * ((a) > (b)) + (b) * ((b) >= (a))\n#if MAX(3, 4) == 4\nyes\n#endif"),
        "yes"
    );
}

#[test]
fn defined_does_not_come_out_of_a_macro() {
    check_diagnostics(
        "#define HAS_A defined(A)
#define A
#if HAS_A
//  ^^^^^ preprocessor-expression: in the condition itself
#endif
",
    );
}

#[test]
fn inactive_text_is_not_looked_at() {
    assert_eq!(
        expand(
            "#if 0\n#error no\n#unknown\n#include \"none\"\n#define A(\n@ 'x' \"\n#if (((\n#endif\n#endif\nx"
        ),
        "x"
    );
}

#[test]
fn inactive_regions_are_recorded() {
    let (_, done) = run("#ifdef A\na\nb\n#else\nc\n#endif\nd\n#if 1\n#elif 1\ne\n#else\nf\n#endif\n");
    let text = &done.files[FileId::ROOT].text;
    let regions: Vec<_> = done.inactive.iter().map(|place| &text[place.range]).collect();
    assert_eq!(regions, ["a\nb\n", "e\n", "f\n"]);
}

#[test]
fn branches_can_be_folded() {
    let (_, done) = run("#if 0\na\n#if 1\nb\n#endif\n#else\nc\n#endif\n#ifdef X\nd\n");
    let text = &done.files[FileId::ROOT].text;
    let found: Vec<Vec<_>> = done
        .conditionals(FileId::ROOT)
        .iter()
        .map(|conditional| conditional.branches.iter().map(|branch| &text[branch.body]).collect())
        .collect();
    assert_eq!(found, [vec!["a\n#if 1\nb\n#endif\n", "c\n"], vec!["b\n"], vec![]]);
}

#[test]
fn mistakes_are_located() {
    check_diagnostics(
        "#if
// <- preprocessor-expression: expected a number
#elif 1 +
//    ^^^ preprocessor-expression: expected a number
#elif 1 1
//      ^ preprocessor-expression: expected an operator
#elif A(1)
//     ^ preprocessor-expression: expected an operator
#elif defined
//    ^^^^^^^ preprocessor-expression: after `defined`
#endif
#ifdef
// <- preprocessor-malformed-directive: name of a macro
#endif x
//     ^ preprocessor-extra-tokens
#ifdef A B
//       ^ preprocessor-extra-tokens
#else y z
//    ^^^ preprocessor-extra-tokens
#endif
",
    );
}

#[test]
fn unbalanced_branches_are_reported() {
    check_diagnostics(
        "#else
// <- preprocessor-unbalanced-conditional: `#else` without
#elif 1
// <- preprocessor-unbalanced-conditional: `#elif` without
#endif
// <- preprocessor-unbalanced-conditional: `#endif` without
#if 1
#else
#else
// <- preprocessor-unbalanced-conditional: after the `#else`
#endif
#if 1
// <- preprocessor-unterminated-conditional: this `#if`
#else
",
    );
}

#[test]
fn an_es_shader_may_not_ask_for_unknown_names() {
    check_diagnostics(
        "#version 310 es
#if defined(A) && A > 1
#elif B
//    ^ preprocessor-undefined-identifier: `B`
#endif
",
    );
}
