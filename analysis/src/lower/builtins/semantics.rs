//! The memory that atomics work on (GLSL 4.60, section 8.11), and the memory semantics that atomics and barriers name
//! (GL_KHR_memory_scope_semantics, Scope and Semantics: its list of compile-time errors).

use crate::diagnostics::codes;
use crate::extensions::{self, BuiltinFunction, BuiltinParameter, instructions, sets, values};
use crate::hir::{Const, ExprId};
use crate::lower::Lowerer;
use crate::lower::call_site::CallSite;
use crate::matrices::memory::{Memory, place_of};
use crate::types::TypeKind;

use super::matrix;

const ACQUIRE: i64 = values::GL_SEMANTICS_ACQUIRE;
const RELEASE: i64 = values::GL_SEMANTICS_RELEASE;
const BOTH: i64 = values::GL_SEMANTICS_ACQUIRE_RELEASE;
const AVAILABLE: i64 = values::GL_SEMANTICS_MAKE_AVAILABLE;
const VISIBLE: i64 = values::GL_SEMANTICS_MAKE_VISIBLE;
const VOLATILE: i64 = values::GL_SEMANTICS_VOLATILE;
const SEMANTICS: i64 = ACQUIRE | RELEASE | BOTH | AVAILABLE | VISIBLE | VOLATILE;
const STORAGE: i64 = values::GL_STORAGE_SEMANTICS_BUFFER
    | values::GL_STORAGE_SEMANTICS_SHARED
    | values::GL_STORAGE_SEMANTICS_IMAGE
    | values::GL_STORAGE_SEMANTICS_OUTPUT;

/// What a call does, as far as the semantics that it may have depend on that.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Load,
    Store,
    Exchange,
    OtherAtomic,
    MemoryBarrier,
    ControlBarrier,
    /// The halves of a control barrier (GL_EXT_split_barrier).
    Arrive,
    Wait,
}

impl Operation {
    fn is_control_barrier(self) -> bool {
        matches!(self, Operation::ControlBarrier | Operation::Arrive | Operation::Wait)
    }

    fn is_barrier(self) -> bool {
        self == Operation::MemoryBarrier || self.is_control_barrier()
    }
}

fn operation(function: &BuiltinFunction) -> Operation {
    match function.instruction {
        instructions::OP_ATOMIC_LOAD => Operation::Load,
        instructions::OP_ATOMIC_STORE => Operation::Store,
        instructions::OP_ATOMIC_COMPARE_EXCHANGE => Operation::Exchange,
        instructions::OP_MEMORY_BARRIER => Operation::MemoryBarrier,
        instructions::OP_CONTROL_BARRIER_ARRIVE_EXT => Operation::Arrive,
        instructions::OP_CONTROL_BARRIER_WAIT_EXT => Operation::Wait,
        _ if function.instruction.contains("Barrier") => Operation::ControlBarrier,
        _ => Operation::OtherAtomic,
    }
}

/// A combination of constants that an argument gives.
#[derive(Clone, Copy)]
struct Bits {
    argument: ExprId,
    /// `None` where it is not known; that it has to be is reported elsewhere.
    value: Option<i64>,
}

/// Checks the memory of an atomic operation, and the semantics of one or of a barrier.
pub(super) fn check(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) {
    let function = extensions::function(call.function);
    let operation = operation(function);
    if !operation.is_barrier() {
        check_memory(lowerer, call, function.name);
    }
    let mut storage = None;
    let mut orders: Vec<Bits> = Vec::new();
    for (parameter, &argument) in function.parameters.iter().zip(call.arguments) {
        let constant = lowerer.body.exprs[argument].constant.as_ref();
        let value = constant.and_then(Const::as_int).and_then(|value| i64::try_from(value).ok());
        let bits = Bits { argument, value };
        check_known(lowerer, function, parameter, argument);
        if parameter.constants == Some(sets::GL_SCOPE) {
            if let Some(value) = bits.value
                && sets::GL_SCOPE.with_value(value).is_none()
            {
                let told = format!(
                    "the argument `{}` of `{}` must be one of the constants `gl_Scope...`, and none has the value {value}",
                    parameter.name, function.name
                );
                report(lowerer, argument, told);
            }
        } else if parameter.constants == Some(sets::GL_STORAGE_SEMANTICS) {
            if bits.value.is_some_and(|value| value & !STORAGE != 0) {
                let told = format!(
                    "the argument `{}` of `{}` must be a combination of the constants `gl_StorageSemantics...`",
                    parameter.name, function.name
                );
                report(lowerer, argument, told);
            }
            storage = Some(bits);
        } else if parameter.constants == Some(sets::GL_SEMANTICS) {
            if let Some(told) = wrong_order(operation, function.name, parameter.name, orders.len(), bits) {
                report(lowerer, argument, told);
            } else if let (Some(storage), Some(value)) = (storage, bits.value)
                && storage.value == Some(0)
                && (operation == Operation::MemoryBarrier || (operation.is_control_barrier() && value != 0))
            {
                let told = format!(
                    "`{}` does not order any kind of memory: name some, as in `gl_StorageSemanticsShared`",
                    function.name
                );
                report(lowerer, storage.argument, told);
            }
            orders.push(bits);
        }
    }
    if let &[equal, unequal] = orders.as_slice()
        && let (Some(first), Some(second)) = (equal.value, unequal.value)
        && first & VOLATILE != second & VOLATILE
    {
        let told = format!(
            "`{}` must have `gl_SemanticsVolatile` in both of its semantics, or in neither",
            function.name
        );
        report(lowerer, unequal.argument, told);
    }
    // SPIR-V 1.6, OpAtomicCompareExchange: what holds where the comparison fails is no "stronger memory-order" (VUID 10876).
    if let &[equal, unequal] = orders.as_slice()
        && let (Some(first), Some(second)) = (equal.value, unequal.value)
        && second & ACQUIRE != 0
        && first & (ACQUIRE | RELEASE | BOTH) == 0
    {
        let told = format!(
            "`{}` cannot acquire where the comparison fails and have no order where it succeeds: acquire there as well",
            function.name
        );
        report(lowerer, unequal.argument, told);
    }
}

/// Scopes and semantics "must all be integer constant expressions", and SPIR-V (2.16.2, Validation Rules for Shader Capabilities) has no specialization constants
/// among the constants that they are.
fn check_known(
    lowerer: &mut Lowerer<'_>,
    function: &BuiltinFunction,
    parameter: &BuiltinParameter,
    argument: ExprId,
) {
    let sets = [Some(sets::GL_SCOPE), Some(sets::GL_STORAGE_SEMANTICS), Some(sets::GL_SEMANTICS)];
    let specialized = match lowerer.body.exprs[argument].constant.as_ref() {
        Some(Const::Symbolic(symbol)) => !lowerer.types.symbols.has_unknown(*symbol),
        constant => constant.is_some_and(Const::is_specialization),
    };
    if specialized && sets.contains(&parameter.constants) {
        let range = lowerer.range_of(argument);
        let message = format!(
            "the argument `{}` of `{}` must be known when the shader is compiled, but this depends on a specialization constant",
            parameter.name, function.name
        );
        lowerer.report(&codes::CONSTANT_REQUIRED, range, message);
    }
}

/// What is wrong with an order. `number` counts those of a call: the second one of a comparison holds where it fails.
fn wrong_order(
    operation: Operation,
    function: &str,
    parameter: &str,
    number: usize,
    bits: Bits,
) -> Option<String> {
    let value = bits.value?;
    let orders = value & (ACQUIRE | RELEASE | BOTH);
    if value & !SEMANTICS != 0 {
        return Some(format!(
            "the argument `{parameter}` of `{function}` must be one of the constants `gl_Semantics...`"
        ));
    }
    if orders.count_ones() > 1 {
        return Some(format!(
            "`{function}` must have a single order: `gl_SemanticsAcquire`, `gl_SemanticsRelease` or `gl_SemanticsAcquireRelease`"
        ));
    }
    let acquires = orders & (ACQUIRE | BOTH) != 0;
    let releases = orders & (RELEASE | BOTH) != 0;
    match operation {
        Operation::Store if acquires => {
            return Some(format!("`{function}` cannot acquire: use `gl_SemanticsRelease`"));
        }
        Operation::Load if releases => {
            return Some(format!("`{function}` cannot release: use `gl_SemanticsAcquire`"));
        }
        Operation::Exchange if number == 1 && releases => {
            return Some(format!(
                "`{function}` writes nothing where the comparison fails, so it cannot release there: use `gl_SemanticsAcquire`"
            ));
        }
        Operation::Arrive if acquires => {
            return Some(format!("`{function}` releases and cannot acquire: use `gl_SemanticsRelease`"));
        }
        Operation::Wait if releases => {
            return Some(format!("`{function}` acquires and cannot release: use `gl_SemanticsAcquire`"));
        }
        Operation::MemoryBarrier if orders == 0 => {
            return Some(format!(
                "`{function}` needs an order: `gl_SemanticsAcquire`, `gl_SemanticsRelease` or `gl_SemanticsAcquireRelease`"
            ));
        }
        _ => {}
    }
    if operation.is_barrier() && value & VOLATILE != 0 {
        return Some(format!("`gl_SemanticsVolatile` is only allowed in atomics, not in `{function}`"));
    }
    if value & AVAILABLE != 0 && !releases {
        return Some(
            "`gl_SemanticsMakeAvailable` needs `gl_SemanticsRelease` or `gl_SemanticsAcquireRelease`"
                .to_owned(),
        );
    }
    if value & VISIBLE != 0 && !acquires {
        return Some(
            "`gl_SemanticsMakeVisible` needs `gl_SemanticsAcquire` or `gl_SemanticsAcquireRelease`"
                .to_owned(),
        );
    }
    None
}

fn report(lowerer: &mut Lowerer<'_>, argument: ExprId, message: String) {
    let range = lowerer.range_of(argument);
    lowerer.report(&codes::MEMORY_SEMANTICS, range, message);
}

/// GLSL 4.60, section 8.11: it is an error to call an atomic memory function with an argument that is no buffer or shared variable. Texels of
/// images are memory by themselves.
fn check_memory(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>, function: &str) {
    let Some(&memory) = call.arguments.first() else { return };
    if matches!(lowerer.types.kind(lowerer.type_of(memory)), TypeKind::Opaque(_))
        || lowerer.environment.has_unknown_extension()
    {
        return;
    }
    let place = place_of(&lowerer.module, &lowerer.types, &lowerer.body, memory);
    if let Memory::Other(what) = place.memory {
        let range = lowerer.range_of(memory);
        let related = matrix::declarations(lowerer, &[memory]);
        lowerer.report_with(
            &codes::ATOMIC_MEMORY,
            range,
            format!("`{function}` needs memory that invocations share, a buffer or a `shared` variable, but this is {what}"),
            related,
        );
    }
}
