//! Images and buffer references that are passed to functions of the shader: which memory qualifiers the parameter has to repeat. GLSL 4.60, section
//! 4.10, and GL_KHR_memory_scope_semantics.

use crate::diagnostics::codes;
use crate::hir::{self, Coherence, Definition, ExprId, FunctionId, MemoryQualifiers, Place};
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
        let Some(lost) = lost(memory, kept) else { return };
        let range = self.range_of(argument);
        self.report_with(
            &codes::QUALIFIER_MISUSE,
            range,
            format!("{what} would lose `{lost}`: add it to the parameter"),
            vec![
                (Place::Definition(declared), "declared here".to_owned()),
                (Place::Definition(Definition::Function(function)), "the function".to_owned()),
            ],
        );
    }
}

/// The first qualifier that a parameter does not keep.
fn lost(memory: MemoryQualifiers, kept: MemoryQualifiers) -> Option<&'static str> {
    if memory.volatile && !kept.volatile {
        Some("volatile")
    } else if memory.readonly && !kept.readonly {
        Some("readonly")
    } else if memory.writeonly && !kept.writeonly {
        Some("writeonly")
    } else if memory.coherent && (!kept.coherent || reach(kept.coherence) < reach(memory.coherence)) {
        Some(word(memory.coherence))
    } else {
        None
    }
}

/// Who sees what is written, from few to many. What is coherent is never private, too.
fn reach(coherence: Coherence) -> u32 {
    match coherence {
        Coherence::NonPrivate => 0,
        Coherence::Subgroup => 1,
        Coherence::Workgroup => 2,
        Coherence::ShaderCall | Coherence::QueueFamily | Coherence::Unstated | Coherence::Device => 3,
    }
}

fn word(coherence: Coherence) -> &'static str {
    match coherence {
        Coherence::Unstated => "coherent",
        Coherence::Device => "devicecoherent",
        Coherence::QueueFamily => "queuefamilycoherent",
        Coherence::Workgroup => "workgroupcoherent",
        Coherence::Subgroup => "subgroupcoherent",
        Coherence::ShaderCall => "shadercallcoherent",
        Coherence::NonPrivate => "nonprivate",
    }
}
