//! A tree that is kept across edits is the tree that parsing from nothing gives.

use tree_sitter::{InputEdit, Parser, Point, Tree};
use tree_sitter_glsl_coopmat::LANGUAGE;

const TEXT: &str = "#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
#define TILE 16
struct S { float x; vector<float, 4> v; };
coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseA> tile;
float f(const in float x, S s[2]) { return x < s[0].x ? (x) - 1.0 : float(TILE); }
void main() {
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        coopMatLoad(tile, a, i * TILE, TILE, gl_CooperativeMatrixLayoutRowMajor);
        if (i < 2 && f(1.0, S[](S(1.0), S(2.0))) > 0.0) { tile = coopmat<float16_t, S, 1, 2, U>(0.0); } else continue;
    }
}
";

/// Pieces that an edit puts in.
const PIECES: [&str; 14] = [
    "",
    " ",
    "x",
    "(",
    ")",
    "{",
    "}",
    ";",
    "<",
    ">",
    "if (a) ",
    "\n#if 1\n",
    "coopmat<float, S> m;",
    "/* */",
];

fn point(text: &str, offset: usize) -> Point {
    let before = &text[..offset];
    Point::new(before.matches('\n').count(), offset - before.rfind('\n').map_or(0, |newline| newline + 1))
}

fn edit(parser: &mut Parser, tree: &mut Tree, text: &mut String, start: usize, end: usize, new: &str) {
    let old = text.clone();
    text.replace_range(start..end, new);
    tree.edit(&InputEdit {
        start_byte: start,
        old_end_byte: end,
        new_end_byte: start + new.len(),
        start_position: point(&old, start),
        old_end_position: point(&old, end),
        new_end_position: point(text, start + new.len()),
    });
    *tree = parser.parse(text.as_str(), Some(tree)).unwrap();
}

#[test]
fn edits_and_their_opposites_give_the_tree_of_the_text() {
    let mut parser = Parser::new();
    parser.set_language(&LANGUAGE.into()).unwrap();
    let fresh = parser.parse(TEXT, None).unwrap();
    assert!(!fresh.root_node().has_error());
    let expected = fresh.root_node().to_sexp();

    let mut seed = 1_u32;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % below
    };
    let (mut text, mut tree) = (TEXT.to_owned(), fresh);
    for _ in 0..400 {
        let start = random(TEXT.len());
        let end = (start + random(4)).min(TEXT.len());
        let piece = PIECES[random(PIECES.len())];
        edit(&mut parser, &mut tree, &mut text, start, end, piece);
        if !tree.root_node().has_error() {
            let again = parser.parse(&text, None).unwrap();
            assert_eq!(tree.root_node().to_sexp(), again.root_node().to_sexp(), "{text}");
        }
        edit(&mut parser, &mut tree, &mut text, start, start + piece.len(), &TEXT[start..end]);
        assert_eq!(tree.root_node().to_sexp(), expected, "after {piece:?} at {start}..{end} and back");
    }
}
