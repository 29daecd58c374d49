//! The queries compile against the grammar, and the colours are those that a reader expects.

use tree_sitter::{Language, Parser, Query, QueryCursor, StreamingIterator};
use tree_sitter_glsl_coopmat::{
    FOLDS_QUERY, HIGHLIGHTS_QUERY, INDENTS_QUERY, INJECTIONS_QUERY, LANGUAGE, LOCALS_QUERY, TAGS_QUERY,
    TEXTOBJECTS_QUERY,
};

#[test]
fn every_query_compiles() {
    let language = Language::from(LANGUAGE);
    for (name, text) in [
        ("folds", FOLDS_QUERY),
        ("highlights", HIGHLIGHTS_QUERY),
        ("indents", INDENTS_QUERY),
        ("injections", INJECTIONS_QUERY),
        ("locals", LOCALS_QUERY),
        ("tags", TAGS_QUERY),
        ("textobjects", TEXTOBJECTS_QUERY),
    ] {
        if let Err(error) = Query::new(&language, text) {
            panic!("{name}.scm: {error}");
        }
    }
}

/// Each captured text with the name that counts: that of the last pattern.
fn captures(query: &str, text: &str) -> Vec<(String, String)> {
    let language = Language::from(LANGUAGE);
    let mut parser = Parser::new();
    parser.set_language(&language).unwrap();
    let tree = parser.parse(text, None).unwrap();
    let query = Query::new(&language, query).unwrap();
    let mut cursor = QueryCursor::new();
    let mut found = std::collections::BTreeMap::new();
    let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
    while let Some(one) = matches.next() {
        for capture in one.captures() {
            let name = query.capture_names()[capture.index as usize];
            // What only a predicate looks at is no colour.
            if name.starts_with('_') {
                continue;
            }
            let entry = found.entry(capture.node.byte_range().start).or_insert((0, 0, String::new()));
            if (one.pattern_index, capture.node.byte_range().end) >= (entry.0, entry.1) {
                *entry = (one.pattern_index, capture.node.byte_range().end, name.to_owned());
            }
        }
    }
    found.into_iter().map(|(start, (_, end, name))| (text[start..end].to_owned(), name)).collect()
}

#[track_caller]
fn assert_colour(text: &str, expected: &[(&str, &str)]) {
    let found = captures(HIGHLIGHTS_QUERY, text);
    for (word, colour) in expected {
        let actual = found.iter().find(|(captured, _)| captured == word).map(|(_, name)| name.as_str());
        assert_eq!(actual, Some(*colour), "{word} in {text}");
    }
}

#[test]
fn types_functions_and_constants_have_their_colours() {
    assert_colour(
        "coopmat<float16_t, gl_ScopeSubgroup, TM, 16, U> acc;",
        &[
            ("coopmat", "type.builtin"),
            ("float16_t", "type.builtin"),
            ("gl_ScopeSubgroup", "constant.builtin"),
            ("TM", "constant"),
            ("<", "punctuation.bracket"),
            ("acc", "variable"),
        ],
    );
    assert_colour(
        "void main() { data.x[i] = coopMatMulAdd(a, helper(b), c); }",
        &[
            ("main", "function"),
            ("x", "variable.member"),
            ("coopMatMulAdd", "function.builtin"),
            ("helper", "function.call"),
        ],
    );
    assert_colour(
        "layout(binding = 0) readonly buffer B { Node next; texture2D t; };",
        &[
            ("layout", "keyword.modifier"),
            ("binding", "attribute"),
            ("readonly", "keyword.modifier"),
            ("B", "type.definition"),
            ("Node", "type"),
            ("next", "variable.member"),
            ("texture2D", "type.builtin"),
        ],
    );
}

#[test]
fn matrices_have_the_colour_of_their_use() {
    let text = "coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum = f(), more[2];";
    assert_colour(
        text,
        &[
            ("sum", "variable.matrix.accumulator"),
            ("more", "variable.matrix.accumulator"),
            ("gl_MatrixUseAccumulator", "constant.builtin"),
        ],
    );
}

#[test]
fn directives_have_their_colours() {
    assert_colour(
        "#define ADD(a) a\n#extension GL_KHR_cooperative_matrix : enable\n#ifdef X\n#endif\n",
        &[
            ("#define", "keyword.directive.define"),
            ("ADD", "function.macro"),
            ("GL_KHR_cooperative_matrix", "module"),
            ("enable", "keyword.directive"),
            ("#ifdef", "keyword.directive"),
        ],
    );
}

#[test]
fn functions_blocks_and_macros_are_tags() {
    let found = captures(TAGS_QUERY, "#define M 1\nuniform B { int i; } b;\nvoid f() { }\nfloat x;\n");
    let names: Vec<_> =
        found.iter().filter(|(_, name)| name == "name").map(|(text, _)| text.as_str()).collect();
    assert_eq!(names, ["M", "B", "b", "f", "x"]);
}
