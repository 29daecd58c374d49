//! What tokens alone do not tell: brackets of types, colons of labels, bodies without braces, and where the text is damaged.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::TreeCursor;
use tree_sitter_glsl_coopmat::{field, kind, token};

use coopmat_analysis::surface::{Surface, node_range};
use coopmat_analysis::text::TextRange;

#[derive(Default)]
pub struct Context {
    /// `<` and `>` around the arguments of a type.
    pub angles: FxHashSet<usize>,
    /// `<` and `>` that compare.
    pub comparisons: FxHashSet<usize>,
    /// The colons of `case` and `default`.
    pub labels: FxHashSet<usize>,
    /// Where the body of a statement or function begins, and where that, or its `else`, does.
    pub bodies: FxHashMap<usize, usize>,
    /// Where an `else` stands, and where its `if` does.
    pub elses: FxHashMap<usize, usize>,
    damaged: Vec<TextRange>,
}

impl Context {
    pub fn of(surface: &Surface) -> Context {
        let mut context = Context::default();
        let Some(root) = surface.root() else {
            // Nothing is known about it.
            context.damaged.push(TextRange::up_to(coopmat_analysis::text::TextSize::of(surface.text())));
            return context;
        };
        let mut cursor = root.walk();
        // The kind and start of each node above, and the start of the last `else` in it.
        let mut above: Vec<(u16, usize, usize)> = Vec::new();
        loop {
            let node = cursor.node();
            let start = node.start_byte();
            if node.is_error() || node.is_missing() {
                context.damaged.push(node_range(node));
            }
            if let Some((parent, parent_start, last_else)) = above.last_mut() {
                match (node.kind_id(), *parent) {
                    (token::LT | token::GT, kind::GENERIC_TYPE) => drop(context.angles.insert(start)),
                    (token::LT | token::GT, kind::BINARY_EXPRESSION) => {
                        context.comparisons.insert(start);
                    }
                    (token::COLON, kind::CASE_LABEL) => drop(context.labels.insert(start)),
                    (token::ELSE, kind::IF_STATEMENT) => {
                        context.elses.insert(start, *parent_start);
                        *last_else = start;
                    }
                    _ => {}
                }
                match field_in_statement(&cursor, *parent) {
                    Some(field::ALTERNATIVE) => drop(context.bodies.insert(start, *last_else)),
                    Some(field::BODY | field::CONSEQUENCE) => {
                        context.bodies.insert(start, *parent_start);
                    }
                    _ => {}
                }
            }
            if cursor.goto_first_child() {
                above.push((node.kind_id(), start, start));
                continue;
            }
            while !cursor.goto_next_sibling() {
                above.pop();
                if !cursor.goto_parent() {
                    context.merge_damage();
                    return context;
                }
            }
        }
    }

    /// They come in the order of their starts; those that touch become one.
    fn merge_damage(&mut self) {
        let mut merged: Vec<TextRange> = Vec::new();
        for range in self.damaged.drain(..) {
            match merged.last_mut() {
                Some(last) if range.start() <= last.end() => *last = last.cover(range),
                _ => merged.push(range),
            }
        }
        self.damaged = merged;
    }

    /// Whether a part of the text is no GLSL.
    pub fn has_damage(&self) -> bool {
        !self.damaged.is_empty()
    }

    pub fn is_damaged(&self, line: TextRange) -> bool {
        let next = self.damaged.partition_point(|damaged| damaged.end() < line.start());
        self.damaged.get(next).is_some_and(|damaged| damaged.start() <= line.end())
    }
}

/// What a node is to a parent that can have a body. Others are not asked: among the many elements of a list, the way to a node's field
/// takes longer than the way to the node.
fn field_in_statement(cursor: &TreeCursor, parent: u16) -> Option<u16> {
    use kind::*;
    match parent {
        FUNCTION_DEFINITION | INTERFACE_BLOCK | STRUCT_SPECIFIER | MEMBER_BLOCK | IF_STATEMENT
        | SWITCH_STATEMENT | FOR_STATEMENT | WHILE_STATEMENT | DO_STATEMENT | INCOMPLETE_STATEMENT => {
            cursor.field_id().map(std::num::NonZero::get)
        }
        _ => None,
    }
}
