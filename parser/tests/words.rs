//! The binding's lists of words are the grammar's.

use tree_sitter_glsl_coopmat::{QUALIFIERS, TYPES_WITH_ARGUMENTS};

fn words(list: &str) -> Vec<&'static str> {
    let grammar = include_str!("../grammar.js");
    let start = grammar.find(&format!("const {list} = [")).unwrap();
    let list = &grammar[start..start + grammar[start..].find("];").unwrap()];
    list.split('\'').skip(1).step_by(2).collect()
}

#[test]
fn the_types_with_arguments_are_those_of_the_grammar() {
    assert_eq!(words("GENERIC_TYPES"), TYPES_WITH_ARGUMENTS);
}

#[test]
fn the_qualifiers_are_those_of_the_grammar() {
    assert_eq!(words("QUALIFIERS"), QUALIFIERS);
}
