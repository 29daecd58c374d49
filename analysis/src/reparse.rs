//! Parsing, from nothing or as one edit against the tree of an earlier text.

use tree_sitter::{InputEdit, Node, Parser, Point, Tree};
use tree_sitter_glsl_coopmat::{TYPES_WITH_ARGUMENTS, mistake};

use crate::text::{TextRange, TextSize};

/// A text and its tree, for the next edit to start from.
#[derive(Clone, Copy)]
pub struct Parsed<'a> {
    /// The text as it was parsed.
    pub text: &'a str,
    /// What [`parse`] made of it.
    pub tree: &'a Tree,
}

/// Parses `text`. With an earlier text and its tree, only what lies between their common prefix and suffix is parsed anew.
///
/// What the parser makes of a text that it has to repair, or that reads in two ways, depends on what it takes over from an earlier tree, so
/// such a text is parsed from nothing: what is told about it may not depend on how it was typed.
///
/// `None` only if the grammar cannot be loaded, which a test rules out.
pub fn parse(text: &str, previous: Option<Parsed<'_>>) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_glsl_coopmat::LANGUAGE.into()).ok()?;
    match previous {
        Some(previous) if previous.text == text => Some(previous.tree.clone()),
        Some(previous) => {
            let mut tree = previous.tree.clone();
            tree.edit(&edit_between(previous.text, text));
            let edited = parser.parse(text, Some(&tree))?;
            let doubtful = edited.root_node().has_error() || reads_in_two_ways(&tree, &edited);
            if doubtful { parser.parse(text, None) } else { Some(edited) }
        }
        None => parser.parse(text, None),
    }
}

/// Whether an edit made, or left beside it, one of the nodes that stand for macros and unfinished text: these are what the grammar reads in
/// two ways. `old` is the earlier tree with the edit's places.
fn reads_in_two_ways(old: &Tree, new: &Tree) -> bool {
    let changed = old.changed_ranges(new).fold(None, |hull: Option<(usize, usize)>, range| {
        let (start, end) = hull.unwrap_or((range.start_byte, range.end_byte));
        Some((start.min(range.start_byte), end.max(range.end_byte)))
    });
    let Some((start, end)) = changed else { return false };
    let mut cursor = new.walk();
    if !cursor.goto_first_child() {
        return false;
    }
    // The item before may have ended elsewhere without the change, and the one behind have begun there.
    let mut before = None;
    loop {
        let item = cursor.node();
        let behind = item.start_byte() > end;
        if item.end_byte() >= start {
            if before.take().is_some_and(has_mistake) || has_mistake(item) {
                return true;
            }
        } else {
            before = Some(item);
        }
        if behind || !cursor.goto_next_sibling() {
            return false;
        }
    }
}

/// Whether a node or one inside it is one that a correct shader has none of.
fn has_mistake(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    loop {
        if mistake(cursor.node().kind_id()).is_some() {
            return true;
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
    }
}

/// Where the type arguments of a text are nested deeper than `limit`, if they are.
///
/// `coopmat<` without an end is tried in two ways by the parser, and the time to give up on thousands of them inside each other
/// grows with the square of their number. No correct type has a second level.
pub fn type_arguments_deeper_than(limit: usize, text: &str) -> Option<TextRange> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    for at in memchr::memchr3_iter(b'<', b'>', b';', bytes) {
        match bytes[at] {
            b'<' => {
                let before = text[..at].trim_end();
                let word = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
                depth += usize::from(TYPES_WITH_ARGUMENTS.contains(&word));
                if depth > limit {
                    return Some(TextRange::new(TextSize::new(at as u32), TextSize::new(at as u32 + 1)));
                }
            }
            b'>' => depth = depth.saturating_sub(1),
            _ => depth = 0,
        }
    }
    None
}

/// The one edit that turns `old` into `new`: what lies between their common prefix and their common suffix.
fn edit_between(old: &str, new: &str) -> InputEdit {
    let (prefix, suffix) = common_ends(old, new);
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let (old_end, new_end) = (old.len() - suffix, new.len() - suffix);
    InputEdit {
        start_byte: prefix,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position: point(old, prefix),
        old_end_position: point(old, old_end),
        new_end_position: point(new, new_end),
    }
}

/// How many bytes two texts have in common at their starts, and at their ends beyond that.
pub fn common_ends(a: &str, b: &str) -> (usize, usize) {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let prefix = common_prefix(a, b);
    let shorter = a.len().min(b.len());
    let suffix =
        a.iter().rev().zip(b.iter().rev()).take(shorter - prefix).take_while(|(a, b)| a == b).count();
    (prefix, suffix)
}

/// Compared in blocks first: most of a text is the same before an edit.
fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 64;
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let start = blocks * BLOCK;
    start + a[start..].iter().zip(&b[start..]).take_while(|(a, b)| a == b).count()
}

fn point(text: &[u8], offset: usize) -> Point {
    let before = &text[..offset];
    let row = memchr::memchr_iter(b'\n', before).count();
    let column = offset - memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    Point { row, column }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_to_be_repaired_does_not_depend_on_what_it_was() {
        let repaired = [
            ("}\n int unroll_count = 4;\n", "coopmat<coopmat<}>(num_iters\n int unroll_count = 4;\n"),
            ("{ float16_t b[]; };\n", "layout()FZ() float16_t b[]; };\n"),
            (
                ";\n const T value = T(d * ]float(xi) - 1.0f));\n",
                "xi=tq((1)\n const T value = T(d * ]float(xi) - 1.0f));\n",
            ),
        ];
        for (old, new) in repaired {
            let tree = parse(old, None).unwrap();
            let edited = parse(new, Some(Parsed { text: old, tree: &tree })).unwrap();
            let fresh = parse(new, None).unwrap();
            assert_eq!(edited.root_node().to_sexp(), fresh.root_node().to_sexp(), "{new}");
        }
    }

    #[test]
    fn what_reads_in_two_ways_does_not_depend_on_what_it_was() {
        let ambiguous = [
            ("require#endif\nvoid\n", "require#endif\n;main()\n"),
            (";\nvoid main() {\n}\n", "(local_size_x);FZ()factorial(){}\nvoid main() {\n}\n"),
        ];
        for (old, new) in ambiguous {
            let tree = parse(old, None).unwrap();
            let edited = parse(new, Some(Parsed { text: old, tree: &tree })).unwrap();
            let fresh = parse(new, None).unwrap();
            assert_eq!(edited.root_node().to_sexp(), fresh.root_node().to_sexp(), "{new}");
        }
    }

    #[test]
    fn an_edit_gives_the_tree_of_a_fresh_parse() {
        let old = "void main() {\n    int a = 1;\n    int b = 2;\n}\n";
        for new in [
            old.to_owned(),
            String::new(),
            old.replace('1', "1 + f(3)"),
            old.replace("int b = 2;\n", ""),
            old.replace("int a", "int b = 2;\n    int a"),
            format!("{old}{old}"),
            old.replace('}', ""),
        ] {
            let tree = parse(old, None).unwrap();
            let edited = parse(&new, Some(Parsed { text: old, tree: &tree })).unwrap();
            let fresh = parse(&new, None).unwrap();
            assert_eq!(edited.root_node().to_sexp(), fresh.root_node().to_sexp(), "{new}");
        }
    }
}
