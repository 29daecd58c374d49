//! Images and buffer references that are passed to functions of the shader: which memory qualifiers the parameter has to repeat. GLSL 4.60, section
//! 4.10, and GL_KHR_memory_scope_semantics.

use crate::diagnostics::codes;
use crate::hir::{self, Definition, ExprId, FunctionId, Place};
use crate::types::TypeKind;

use super::Lowerer;
use super::builtins::images;

impl Lowerer<'_> {
    /// "Variables qualified as `coherent`, `volatile`, `readonly`, or `writeonly` may not be passed to functions whose formal parameters lack such
    /// qualifiers"; "only `restrict` can be taken away".
    pub(super) fn check_qualified_argument(
        &mut self,
        function: FunctionId,
        index: usize,
        argument: ExprId,
        what: &str,
    ) {
        let found = match self.types.kind(self.type_of(argument)) {
            TypeKind::Opaque(_) => images::qualifiers(self, argument),
            TypeKind::Reference(_) => {
                hir::reference_qualifiers(&self.module, &self.types, &self.body, argument)
            }
            _ => None,
        };
        let Some((memory, declared)) = found else { return };
        let Some(parameter) = self.module.functions[function].parameters.get(index) else { return };
        let kept = parameter.memory;
        let Some(lost) = memory.lost_in(kept) else { return };
        let range = self.range_of(argument);
        self.report_with(
            &codes::QUALIFIER_MISUSE,
            range,
            format!("{what} would lose its `{lost}` qualifier: add it to the parameter"),
            vec![
                (Place::Definition(declared), "declared here".to_owned()),
                (Place::Definition(Definition::Function(function)), "the function".to_owned()),
            ],
        );
    }
}
