//! What a name stands for at the place that is lowered: of the text, else of the language.

use crate::hir::{Definition, FunctionId};

use super::Lowerer;

impl Lowerer<'_> {
    /// What `name` stands for here: a local, a global, a member of an unnamed block, a structure, a function of the text, else a
    /// built-in variable or constant. Whether a built-in's extension is enabled is not asked here: `provider_check` does.
    pub fn lookup(&mut self, name: &str) -> Option<Definition> {
        if let Some(definition) = self.scopes.find(name) {
            return Some(definition.clone());
        }
        if let Some(&function) = self.scopes.functions(name).first() {
            return Some(Definition::Function(function));
        }
        if let Some(id) = crate::extensions::variable(name, self.environment.stage) {
            return Some(Definition::BuiltinVariable(id));
        }
        crate::extensions::constant(name).map(Definition::BuiltinConstant)
    }

    /// The overloads of a function of the text, in the order of their declarations.
    pub fn lookup_functions(&self, name: &str) -> &[FunctionId] {
        self.scopes.functions(name)
    }
}
