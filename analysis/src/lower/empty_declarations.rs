//! Declarations that leave the name out: `float;`, `float, a;`. GLSL 4.60, section 4.13: "Generally, empty declarations are allowed", and the grammar
//! has a type without a name as the first of a list.

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind};

use crate::diagnostics::codes;
use crate::hir::StmtId;
use crate::text::TextRange;
use crate::types::Ty;

use super::Lowerer;
use super::qualifiers::Qualifiers;
use super::type_specifiers::Subscripts;

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
                format!("expected a name between `{ty}` and this comma"),
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
        let Some((base, names)) = self.list_behind_type(statement) else { return false };
        for name in names {
            let ty = self.listed_type(base, &name);
            self.local_of_type(name.name, ty, name.value, &Qualifiers::default(), name.range, out);
        }
        true
    }

    /// The same of a statement outside of functions.
    pub(super) fn global_names_behind_comma(&mut self, statement: Node<'a>) -> bool {
        let Some((base, names)) = self.list_behind_type(statement) else { return false };
        for name in names {
            let ty = self.listed_type(base, &name);
            self.global_of_type(statement, name.name, ty, name.value, &Qualifiers::default());
        }
        true
    }

    /// The type in front of a comma, and the names behind it.
    fn list_behind_type(&mut self, statement: Node<'a>) -> Option<(Ty, Vec<ListedName<'a>>)> {
        let mut first =
            statement.named_child(0).filter(|_| statement.kind_id() == kind::EXPRESSION_STATEMENT)?;
        let mut names = Vec::new();
        while first.kind_id() == kind::COMMA_EXPRESSION {
            names.push(self.listed_name(first.child_by_field_id(field::RIGHT)?)?);
            first = first.child_by_field_id(field::LEFT)?;
        }
        let comma = first.next_sibling().filter(|_| !names.is_empty() && self.reads_as_type(first))?;
        let base = self.type_specifier(first);
        self.check_name_left_out(comma, first);
        names.reverse();
        Some((base, names))
    }

    /// `a`, `a[3]` and `a = 1` of a list of names.
    fn listed_name(&mut self, node: Node<'a>) -> Option<ListedName<'a>> {
        let (declared, value) = match node.kind_id() {
            kind::ASSIGNMENT_EXPRESSION
                if node.child_by_field_id(field::OPERATOR).is_some_and(|operator| operator.kind() == "=") =>
            {
                (node.child_by_field_id(field::LEFT)?, node.child_by_field_id(field::RIGHT))
            }
            _ => (node, None),
        };
        let (name, sizes) = self.subscript_chain(declared);
        let name = name.filter(|name| name.kind_id() == kind::IDENTIFIER)?;
        Some(ListedName { name, declared, sizes, value, range: self.range(node) })
    }

    fn listed_type(&mut self, base: Ty, listed: &ListedName<'a>) -> Ty {
        self.array_of_chain(base, listed.declared, &listed.sizes)
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
            format!("this declares nothing: there is no name after the type `{ty}`"),
        );
    }
}

/// A name of a list that reads as values to the grammar.
struct ListedName<'a> {
    name: Node<'a>,
    /// The name with its sizes.
    declared: Node<'a>,
    sizes: Subscripts<'a>,
    value: Option<Node<'a>>,
    range: TextRange,
}

fn declares_structure(type_node: Node<'_>) -> bool {
    type_node.kind_id() == kind::STRUCT_SPECIFIER && type_node.child_by_field_id(field::NAME).is_some()
}
