//! What a check of one body may look at, and what a check gives back.

use crate::config::Configuration;
use crate::hir::{Body, BodyDiagnostic, Definition, ExprId, ExprKind, FunctionId, Module, Place};
use crate::text::TextSize;
use crate::types::{Ty, Types};

/// A finished body and what is around it. Ranges are those of the body.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The finished program.
    pub module: &'a Module,
    /// The interner of the module's types, which is [`Module::types`].
    pub types: &'a Types,
    /// What the shader is checked under.
    pub config: &'a Configuration,
    /// The body that is judged.
    pub body: &'a Body,
    /// Whose body it is.
    pub function: FunctionId,
}

impl Context<'_> {
    /// A type as users write it.
    pub fn display(&self, ty: Ty) -> String {
        crate::display::display_type(self.types, &self.module.structs, ty)
    }

    /// The declaration of the variable that an expression names, as related information.
    pub fn declared(&self, expr: ExprId) -> Vec<(Place, String)> {
        let (definition, name) = match self.body.exprs[expr].kind {
            ExprKind::Local(local) => (Definition::Local(local), &self.body.locals[local].name),
            ExprKind::Global(global) => (Definition::Global(global), &self.module.globals[global].name),
            _ => return Vec::new(),
        };
        vec![(Place::Definition(definition), format!("`{name}` is declared here"))]
    }
}

/// A finding with the coordinates of its body.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its ranges count from `base`.
    pub diagnostic: BodyDiagnostic,
    /// Where the ranges of its body count from.
    pub base: TextSize,
    /// The function whose body it is; `None` for the top level.
    pub function: Option<FunctionId>,
}
