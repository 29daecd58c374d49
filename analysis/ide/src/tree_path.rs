//! The nodes around a place of a tree, found on the way from its root.
//!
//! `Node::parent` starts at the root each time, and for an empty node (a token that the parser made up) it looks through all that is below
//! each node on the way: to climb like that takes time with the cube of the depth. Whatever climbs goes along such a path, or with a cursor.

use tree_sitter::Node;

/// The innermost node that covers `start..end` and all nodes around it, the innermost first; the root alone when nothing else does.
pub fn path(root: Node<'_>, start: usize, end: usize) -> Vec<Node<'_>> {
    let mut found = vec![root];
    let mut cursor = root.walk();
    'down: while cursor.goto_first_child() {
        loop {
            let node = cursor.node();
            // Of two neighbours that touch the place the later one holds it, as for `Node::descendant_for_byte_range`.
            let reaches =
                node.end_byte() > start || (node.byte_range().is_empty() && node.end_byte() == start);
            if node.start_byte() <= start && node.end_byte() >= end && reaches {
                found.push(node);
                continue 'down;
            }
            if node.start_byte() > start || !cursor.goto_next_sibling() {
                break 'down;
            }
        }
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use coopmat_analysis::reparse::parse;

    #[test]
    fn a_path_leads_from_a_place_to_the_root() {
        let text = "void main() { if (a) { b = c + 1; } }";
        let tree = parse(text, None).unwrap();
        let place = text.find("c +").unwrap();
        let path = path(tree.root_node(), place, place + 1);
        let kinds: Vec<&str> = path.iter().map(|node| node.kind()).collect();
        assert_eq!(
            kinds,
            [
                "identifier",
                "binary_expression",
                "assignment_expression",
                "expression_statement",
                "compound_statement",
                "if_statement",
                "compound_statement",
                "function_definition",
                "translation_unit"
            ]
        );
    }

    #[test]
    fn every_place_has_the_node_that_the_parser_has_for_it() {
        for text in ["layout(local_size_x = 1) in;\nint f(int a) { return -a; }\n", "void f( { a[; } int x"] {
            let tree = parse(text, None).unwrap();
            let root = tree.root_node();
            for start in 0..=text.len() {
                for end in start + 1..=text.len() {
                    let expected = root.descendant_for_byte_range(start, end);
                    assert_eq!(path(root, start, end).first().copied(), expected, "{start}..{end} of {text}");
                }
            }
        }
    }
}
