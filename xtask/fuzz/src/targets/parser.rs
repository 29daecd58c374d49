//! The parser: an edit of a tree gives the tree of a fresh parse, and every node lies in the text.

use coopmat_analysis::reparse::{Parsed, parse, type_arguments_deeper_than};
use tree_sitter::{Node, Tree};

use super::inputs::{edited_shader, mutate_edited};
use crate::input::Input;
use crate::target::{Effort, Target, Unit};

pub const TARGET: Target = Target {
    name: "parser",
    about: "an incremental edit gives the tree of a fresh parse; nodes lie in the text, in order",
    unit: Unit::Text,
    run,
    generate: edited_shader,
    mutate: mutate_edited,
};

fn run(bytes: &[u8], _: Effort) {
    let input = Input::read(bytes);
    let mut before: Option<(&str, Tree)> = None;
    for text in &input.versions {
        // What the analysis refuses to parse, and why, is said there.
        if type_arguments_deeper_than(64, text).is_some() {
            before = None;
            continue;
        }
        let previous = before.as_ref().map(|(text, tree)| Parsed { text, tree });
        let Some(tree) = parse(text, previous) else { panic!("no tree") };
        nodes(&tree, text);
        if previous.is_some() {
            let Some(fresh) = parse(text, None) else { panic!("no tree") };
            if let Some(difference) = difference(&tree, &fresh) {
                panic!("an edit gives another tree than a fresh parse: {difference}");
            }
        }
        before = Some((text, tree));
    }
}

/// All nodes lie inside their parents and behind their elder siblings.
fn nodes(tree: &Tree, text: &str) {
    let mut cursor = tree.walk();
    let mut last = 0;
    loop {
        let node = cursor.node();
        assert!(node.start_byte() <= node.end_byte() && node.end_byte() <= text.len(), "{node:?}");
        assert!(text.is_char_boundary(node.start_byte()), "{node:?} starts inside a character");
        assert!(text.is_char_boundary(node.end_byte()), "{node:?} ends inside a character");
        assert!(last <= node.start_byte() || node.child_count() > 0, "{node:?} overlaps what is before it");
        if cursor.goto_first_child() {
            continue;
        }
        last = node.end_byte();
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The first place where two trees differ.
pub fn difference(one: &Tree, other: &Tree) -> Option<String> {
    let (mut left, mut right) = (one.walk(), other.walk());
    let facts = |node: Node<'_>| (node.kind_id(), node.byte_range(), node.is_missing(), node.is_error());
    loop {
        let (a, b) = (left.node(), right.node());
        if facts(a) != facts(b) || left.field_id() != right.field_id() {
            return Some(format!("{a:?} is {b:?}"));
        }
        let (deeper, too) = (left.goto_first_child(), right.goto_first_child());
        if deeper != too {
            return Some(format!("{a:?} has children in one of them alone"));
        }
        if deeper {
            continue;
        }
        loop {
            let (next, too) = (left.goto_next_sibling(), right.goto_next_sibling());
            if next != too {
                return Some(format!("another number of children beside {a:?}"));
            }
            if next {
                break;
            }
            let up = left.goto_parent();
            right.goto_parent();
            if !up {
                return None;
            }
        }
    }
}
