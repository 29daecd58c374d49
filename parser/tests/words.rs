//! The binding's lists of words are the grammar's.

use tree_sitter_glsl_coopmat::TYPES_WITH_ARGUMENTS;

#[test]
fn the_types_with_arguments_are_those_of_the_grammar() {
    let grammar = include_str!("../grammar.js");
    let start = grammar.find("const GENERIC_TYPES = [").unwrap();
    let list = &grammar[start..start + grammar[start..].find("];").unwrap()];
    let words: Vec<_> = list.split('\'').skip(1).step_by(2).collect();
    assert_eq!(words, TYPES_WITH_ARGUMENTS);
}
