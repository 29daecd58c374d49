//! Declarations that leave the name out: `float;`, `float, a;`. GLSL 4.60, section 4.13: "Generally, empty declarations are allowed", and the grammar
//! has a type without a name as the first of a list.

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind};

use crate::diagnostics::codes;
use crate::hir::StmtId;

use super::Lowerer;
use super::qualifiers::Qualifiers;

impl<'a> Lowerer<'a> {
    /// Reports a declaration without a name. One that declares a structure is none, nor one of the default offset of atomic counters (4.4.6).
    pub(super) fn check_empty_declaration(&mut self, declaration: Node<'a>, qualifiers: &Qualifiers) {
        let Some(type_node) = declaration.child_by_field_id(field::TYPE) else { return };
        if !declares_structure(type_node) && !qualifiers.unknown && qualifiers.layout.offset.is_none() {
            self.nothing_declared(declaration, type_node);
        }
    }

    /// Reports a comma that stands where the first of a list of names should, given the type before it.
    pub(super) fn check_name_left_out(&mut self, comma: Node<'a>, type_node: Node<'a>) {
        if !declares_structure(type_node) {
            let (range, ty) = (self.range(comma), self.node_text(type_node));
            self.report(
                &codes::EMPTY_DECLARATION,
                range,
                format!("no name stands between `{ty}` and this comma"),
            );
        }
    }

    /// Whether a statement is the name of a type alone, `Light;` or `float[3];`, which reads as a value to the grammar. Such a declaration is lowered.
    pub(super) fn lone_type_statement(&mut self, statement: Node<'a>) -> bool {
        let Some(expression) =
            statement.named_child(0).filter(|_| statement.kind_id() == kind::EXPRESSION_STATEMENT)
        else {
            return false;
        };
        let is_type = self.reads_as_type(expression);
        if is_type {
            self.type_specifier(expression);
            self.nothing_declared(statement, expression);
        }
        is_type
    }

    /// Whether a statement in a function is a type and a comma in front of names, `Light, a;`, which reads as values to the grammar. Its variables are declared.
    pub(super) fn names_behind_comma(&mut self, statement: Node<'a>, out: &mut Vec<StmtId>) -> bool {
        let Some(mut first) = statement.named_child(0) else { return false };
        let mut names = Vec::new();
        while first.kind_id() == kind::COMMA_EXPRESSION {
            let Some(name) = first.child_by_field_id(field::RIGHT).and_then(name_and_value) else {
                return false;
            };
            names.push(name);
            let Some(left) = first.child_by_field_id(field::LEFT) else { return false };
            first = left;
        }
        let Some(comma) = first.next_sibling().filter(|_| !names.is_empty() && self.reads_as_type(first))
        else {
            return false;
        };
        let ty = self.type_specifier(first);
        self.check_name_left_out(comma, first);
        for (name, value) in names.into_iter().rev() {
            let end = self.range(value.unwrap_or(name));
            let range = self.range(name).cover(end);
            self.local_of_type(name, ty, value, &Qualifiers::default(), range, out);
        }
        true
    }

    /// Whether an expression is a type, `Light` or `float[3]`.
    fn reads_as_type(&self, expression: Node<'a>) -> bool {
        let mut innermost = expression;
        while innermost.kind_id() == kind::SUBSCRIPT_EXPRESSION {
            let Some(base) = innermost.child_by_field_id(field::BASE) else { return false };
            innermost = base;
        }
        match innermost.kind_id() {
            kind::IDENTIFIER => self.is_type_name(self.node_text(innermost)),
            id => id == kind::PRIMITIVE_TYPE || id == kind::GENERIC_TYPE,
        }
    }

    pub(super) fn nothing_declared(&mut self, declaration: Node<'a>, type_node: Node<'a>) {
        let (range, ty) = (self.range(declaration), self.node_text(type_node));
        self.report(
            &codes::EMPTY_DECLARATION,
            range,
            format!("this declares nothing: no name stands behind the type `{ty}`"),
        );
    }
}

/// `a` and `a = 1` of a list of names.
fn name_and_value(node: Node<'_>) -> Option<(Node<'_>, Option<Node<'_>>)> {
    if node.kind_id() == kind::IDENTIFIER {
        return Some((node, None));
    }
    let plain = node.child_by_field_id(field::OPERATOR).is_some_and(|operator| operator.kind() == "=");
    let name = node.child_by_field_id(field::LEFT).filter(|name| name.kind_id() == kind::IDENTIFIER);
    match (node.kind_id() == kind::ASSIGNMENT_EXPRESSION && plain, name) {
        (true, Some(name)) => Some((name, node.child_by_field_id(field::RIGHT))),
        _ => None,
    }
}

fn declares_structure(type_node: Node<'_>) -> bool {
    type_node.kind_id() == kind::STRUCT_SPECIFIER && type_node.child_by_field_id(field::NAME).is_some()
}
