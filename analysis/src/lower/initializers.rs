//! Initialisers: what stands after `=` in a declaration (GLSL 4.60 section 4.1.11), lists in braces among them.

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::kind;

use super::shapes::Shape;
use super::{Lowerer, MAX_NESTING};
use crate::diagnostics::codes;
use crate::extensions::ids;
use crate::hir::{Const, Expr, ExprId, ExprKind};
use crate::text::TextRange;
use crate::types::{ArrayLength, Ty, TypeKind};

impl<'a> Lowerer<'a> {
    /// Lowers what stands after `=` in a declaration of type `ty`: an expression, converted, or a list in braces. An unsized
    /// array takes its size from it: the type of the result is the one to declare.
    pub fn initializer(&mut self, node: Node<'a>, ty: Ty) -> ExprId {
        self.initializer_for(node, ty, "the initializer")
    }

    fn initializer_for(&mut self, node: Node<'a>, ty: Ty, what: &str) -> ExprId {
        if node.kind_id() == kind::INITIALIZER_LIST {
            if self.nesting >= MAX_NESTING {
                let range = self.range(node);
                self.too_deep(range);
                return self.error_expr(range);
            }
            self.nesting += 1;
            let list = self.initializer_list(node, ty);
            self.nesting -= 1;
            return list;
        }
        let expr = self.expression(node);
        let found = self.type_of(expr);
        if self.types.is_open_array(found) {
            let (range, found) = (self.range_of(expr), self.display(found));
            self.report(
                &codes::TYPE_MISMATCH,
                range,
                format!("{what} is `{found}`, which has no size: copy its elements"),
            );
            return self.error_expr(range);
        }
        let wanted = self.sized_by(ty, found);
        self.convert(expr, wanted, what)
    }

    /// An array type whose open dimensions are closed by those of the type that initialises it.
    pub(super) fn sized_by(&mut self, ty: Ty, found: Ty) -> Ty {
        let (TypeKind::Array(element, length), TypeKind::Array(found_element, found_length)) =
            (self.types.kind(ty), self.types.kind(found))
        else {
            return ty;
        };
        let (element, length, found_element, found_length) =
            (*element, *length, *found_element, *found_length);
        let element = self.sized_by(element, found_element);
        let length = match length {
            ArrayLength::Unsized => found_length,
            sized => sized,
        };
        self.types.array(element, length)
    }

    fn elements(&mut self, node: Node<'a>) -> Vec<Node<'a>> {
        let mut elements = Vec::new();
        let mut cursor = self.cursor(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if child.is_named() && !child.is_extra() {
                    elements.push(child);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
        elements
    }

    fn initializer_list(&mut self, node: Node<'a>, ty: Ty) -> ExprId {
        let range = self.range(node);
        let nodes = self.elements(node);
        if self.types.is_error(ty) {
            // Its names are resolved all the same.
            let elements = nodes.into_iter().map(|node| self.initializer_for(node, Ty::ERROR, "")).collect();
            return self.body.exprs.alloc(Expr {
                kind: ExprKind::InitializerList { elements },
                ty,
                range,
                constant: None,
            });
        }
        if nodes.is_empty() {
            return self.null_initializer(ty, range);
        }
        match *self.types.kind(ty) {
            TypeKind::Array(element, length) => self.array_list(nodes, ty, element, length, range),
            TypeKind::Struct(id) => {
                let members: Vec<(Ty, String)> = self.module.structs[id]
                    .members
                    .iter()
                    .map(|member| (member.ty, format!("the initializer of `{}`", member.name)))
                    .collect();
                let name = self.display(ty);
                self.check_count(nodes.len(), members.len() as i64, &name, "member", range);
                let elements = nodes
                    .into_iter()
                    .enumerate()
                    .map(|(index, node)| match members.get(index) {
                        Some((ty, what)) => self.initializer_for(node, *ty, what),
                        None => self.initializer_for(node, Ty::ERROR, ""),
                    })
                    .collect();
                self.list(elements, ty, range)
            }
            _ => {
                match self.types.shape(ty) {
                    Some((scalar, Shape::Matrix { columns, rows })) => {
                        let column = self.types.vector(scalar, u32::from(rows));
                        let name = self.display(ty);
                        self.check_count(nodes.len(), i64::from(columns), &name, "column", range);
                        self.uniform_list(nodes, column, ty, range)
                    }
                    Some((scalar, shape @ (Shape::Vector(_) | Shape::LongVector(_)))) => {
                        let component = self.types.scalar(scalar);
                        let name = self.display(ty);
                        if let Some(count) = self.types.shape_count(shape) {
                            self.check_count(nodes.len(), count as i64, &name, "component", range);
                        }
                        self.uniform_list(nodes, component, ty, range)
                    }
                    // Section 4.1.11: `int i = { 1 }` is illegal, a scalar is not a composite.
                    Some((_, Shape::Scalar)) => {
                        let name = self.display(ty);
                        self.report(
                        &codes::INITIALIZER_LIST,
                        range,
                        format!("a list in braces cannot initialize a `{name}`: write the value without braces"),
                    );
                        for node in nodes {
                            self.initializer_for(node, Ty::ERROR, "");
                        }
                        self.error_expr(range)
                    }
                    None => {
                        let name = self.display(ty);
                        self.report(
                            &codes::INITIALIZER_LIST,
                            range,
                            format!("a list in braces cannot initialize a `{name}`"),
                        );
                        self.error_expr(range)
                    }
                }
            }
        }
    }

    fn array_list(
        &mut self,
        nodes: Vec<Node<'a>>,
        ty: Ty,
        element: Ty,
        length: ArrayLength,
        range: TextRange,
    ) -> ExprId {
        let count = nodes.len();
        if let ArrayLength::Sized(sym) = length {
            match self.types.symbols.as_int(sym) {
                Some(length) => {
                    let name = self.display(ty);
                    self.check_count(count, length, &name, "element", range);
                }
                None => {
                    let name = self.display(ty);
                    self.report(
                        &codes::INITIALIZER_LIST,
                        range,
                        format!(
                            "`{name}` has a size that depends on specialization: a list in braces cannot initialize it"
                        ),
                    );
                }
            }
        }
        // The first element closes what the element type leaves open.
        let mut element = element;
        let mut elements = Vec::with_capacity(count);
        for node in nodes {
            let value = self.initializer_for(node, element, "the array element");
            let found = self.type_of(value);
            element = self.sized_by(element, found);
            elements.push(value);
        }
        let ty = match length {
            ArrayLength::Unsized => self.sized_array(element, count),
            sized => self.types.array(element, sized),
        };
        self.list(elements, ty, range)
    }

    fn uniform_list(&mut self, nodes: Vec<Node<'a>>, element: Ty, ty: Ty, range: TextRange) -> ExprId {
        let elements =
            nodes.into_iter().map(|node| self.initializer_for(node, element, "the component")).collect();
        self.list(elements, ty, range)
    }

    fn list(&mut self, elements: Vec<ExprId>, ty: Ty, range: TextRange) -> ExprId {
        let constant = self.composite_of(&elements);
        self.body.exprs.alloc(Expr { kind: ExprKind::InitializerList { elements }, ty, range, constant })
    }

    fn check_count(&mut self, given: usize, needed: i64, name: &str, what: &str, range: TextRange) {
        if given as i64 != needed {
            let plural = if needed == 1 { "" } else { "s" };
            self.report(
                &codes::INITIALIZER_LIST,
                range,
                format!("`{name}` has {needed} {what}{plural}, but the list gives {given}"),
            );
        }
    }

    /// `= {}` of GL_EXT_null_initializer: zero in each part.
    fn null_initializer(&mut self, ty: Ty, range: TextRange) -> ExprId {
        if !self.environment.enabled(ids::GL_EXT_NULL_INITIALIZER) {
            self.report(
                &codes::MISSING_EXTENSION,
                range,
                "an empty list `{}` needs GL_EXT_null_initializer: add `#extension GL_EXT_null_initializer : require`"
                    .to_owned(),
            );
        }
        if matches!(self.types.kind(ty), TypeKind::Array(_, ArrayLength::Unsized)) {
            self.report(
                &codes::INITIALIZER_LIST,
                range,
                "an empty list does not give an array a size: write the size in its declaration".to_owned(),
            );
        }
        let constant = match self.types.shape(ty) {
            Some((scalar, shape)) => {
                let zero = match scalar {
                    crate::types::Scalar::Bool => Const::Bool(false),
                    scalar if scalar.is_integer() => Const::Int(0),
                    _ => Const::Float(0.0),
                };
                self.splat(&zero, shape)
            }
            None => Const::Opaque { specialization: false },
        };
        let kind = ExprKind::InitializerList { elements: Vec::new() };
        self.body.exprs.alloc(Expr { kind, ty, range, constant: Some(constant) })
    }
}
