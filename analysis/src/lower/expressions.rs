//! Expressions: every node of the CST that has a value becomes an `Expr` with its type, range and constant.

use tree_sitter::Node;

use super::Lowerer;
use crate::hir::{Const, Expr, ExprId, ExprKind};
use crate::symbolic::Sym;
use crate::text::TextRange;
use crate::types::Ty;

impl<'a> Lowerer<'a> {
    /// Lowers any expression.
    pub fn expression(&mut self, node: Node<'a>) -> ExprId {
        let range = self.range(node);
        self.error_expr(range)
    }

    /// Lowers what stands after `=` in a declaration of type `ty`: an expression, converted, or a list in braces. An unsized
    /// array takes its size from it: the type of the result is the one to declare.
    pub fn initializer(&mut self, node: Node<'a>, _ty: Ty) -> ExprId {
        self.expression(node)
    }

    /// Lowers a condition, which must be a scalar `bool`.
    pub fn condition(&mut self, node: Node<'a>) -> ExprId {
        self.expression(node)
    }

    /// Converts implicitly to `ty`, or reports that it cannot be. `what` names what takes the value: "the initializer of `x`".
    pub fn convert(&mut self, expr: ExprId, _ty: Ty, _what: &str) -> ExprId {
        expr
    }

    /// As `convert`, but the expression keeps its id: what already refers to it sees the converted value.
    pub fn convert_in_place(&mut self, expr: ExprId, ty: Ty, what: &str) {
        let copy = self.body.exprs[expr].clone();
        let copy = self.body.exprs.alloc(copy);
        let converted = self.convert(copy, ty, what);
        self.body.exprs[expr] = self.body.exprs[converted].clone();
    }

    /// The value of an integral constant or specialization-constant expression; reports where it is none.
    pub fn constant_size(&mut self, _expr: ExprId) -> Option<Sym> {
        None
    }

    pub fn constant_value(&self, expr: ExprId) -> Option<&Const> {
        self.body.exprs[expr].constant.as_ref()
    }

    pub fn type_of(&self, expr: ExprId) -> Ty {
        self.body.exprs[expr].ty
    }

    pub fn range_of(&self, expr: ExprId) -> TextRange {
        self.body.exprs[expr].range
    }

    pub fn error_expr(&mut self, range: TextRange) -> ExprId {
        self.body.exprs.alloc(Expr { kind: ExprKind::Error, ty: Ty::ERROR, range, constant: None })
    }
}
