//! Built-in functions. One file is one family, with one entry `lower`; [`family`] says which family a function belongs to.
//!
//! What a call becomes comes from the tables: `BuiltinFunction::instruction` is looked up once for the whole process, and every
//! call finds it in [`BuiltinCall::op`] or [`BuiltinCall::extended`]. A family's `lower` is a match over that instruction; where
//! several functions become one instruction, `BuiltinFunction::operands` tells them apart. No function is known by its name.
//!
//! To fill in a family: evaluate the arguments with `codegen.value(argument)` (implicit conversions are in the program already),
//! or `codegen.required_place(argument)` for those that are written or accessed in memory; make the result with `codegen.b.value`;
//! declare what it needs with `codegen.b.capability`, `codegen.b.extension` or `codegen.capability` (an extension that a version
//! made core). What is not supported is `Err(codegen.fail("..."))`, in words for the user.

mod abort;
mod amd;
mod atomics;
mod barriers;
mod call;
mod conversions;
mod coopvec;
mod core_ops;
mod debug_printf;
mod footprint;
mod glsl450;
mod image_processing;
mod images;
mod integer_dot;
pub(crate) mod matrix;
pub(crate) mod ray_query;
mod stages;
mod subgroup;
mod tensor_arm;

use std::sync::OnceLock;

use coopmat_analysis::extensions::{self, BuiltinFunction, BuiltinFunctionId, Pattern, Rule};
use coopmat_analysis::hir::ExprId;
use coopmat_analysis::text::TextRange;
use coopmat_analysis::types::{OpaqueClass, Ty, TypeKind};
use coopmat_spirv::Opcode;
use rspirv::grammar::GLSL_STD_450_INSTRUCTION_TABLE;
use rspirv::spirv::Word;

use crate::codegen::{Codegen, Emit};
use call::BuiltinCall;

type Lower = for<'a, 'c> fn(&mut Codegen<'a>, &BuiltinCall<'c>) -> Emit<Word>;

/// What is known about a built-in function before any call.
struct Entry {
    lower: Lower,
    op: Option<Opcode>,
    extended: Option<u32>,
}

impl<'a> Codegen<'a> {
    pub fn call_builtin(
        &mut self,
        id: BuiltinFunctionId,
        arguments: &'a [ExprId],
        ty: Ty,
        _range: TextRange,
    ) -> Emit<Word> {
        let function = extensions::function(id);
        let Some(entry) = entry(id, function) else {
            return Err(self.inconsistent("a built-in function that is not in the tables"));
        };
        let call = BuiltinCall { function, arguments, ty, op: entry.op, extended: entry.extended };
        (entry.lower)(self, &call)
    }

    /// The values of all arguments.
    pub fn argument_values(&mut self, arguments: &[ExprId]) -> Emit<smallvec::SmallVec<[Word; 6]>> {
        arguments.iter().map(|&argument| self.value(argument)).collect()
    }

    /// Why a built-in is not compiled.
    pub fn unsupported_builtin(&mut self, call: &BuiltinCall<'_>) -> crate::codegen::Stop {
        let name = call.function.name;
        if call.function.rule == Some(Rule::NotAnalysed)
            && let Some(extension) = self.provider(call.function)
        {
            return self.fail_extension(extension.name());
        }
        let counter = call.function.parameters.first().is_some_and(|parameter| {
            matches!(parameter.pattern, Pattern::Opaque(opaque) if opaque.class == OpaqueClass::AtomicCounter)
        });
        self.fail(match () {
            _ if counter => {
                format!("`{name}`: Vulkan has no atomic counters, use an atomic on a buffer")
            }
            _ if !call.function.vulkan => format!("`{name}` is not available in Vulkan"),
            _ => format!("`{name}` is not supported in compiled shaders"),
        })
    }
}

/// Made at the first call: the tables have thousands of functions, of which a program calls a few.
fn entry(id: BuiltinFunctionId, function: &BuiltinFunction) -> Option<&'static Entry> {
    static ENTRIES: OnceLock<Box<[OnceLock<Entry>]>> = OnceLock::new();
    let entries = ENTRIES.get_or_init(|| extensions::all_functions().map(|_| OnceLock::new()).collect());
    Some(entries.get(usize::from(id.0))?.get_or_init(|| Entry::new(function)))
}

impl Entry {
    fn new(function: &BuiltinFunction) -> Entry {
        let first = function.instruction.split(',').next().unwrap_or_default().trim();
        let extended = first.strip_prefix("GLSL.std.450 ").and_then(|name| {
            let class = GLSL_STD_450_INSTRUCTION_TABLE.iter().find(|class| class.opname == name)?;
            Some(class.opcode.into())
        });
        let name = first.strip_prefix("Op").unwrap_or(first);
        Entry {
            lower: family(function),
            op: if extended.is_none() { Opcode::named(name) } else { None },
            extended,
        }
    }
}

/// The family of a function: by the rule that types it, else by its instruction.
fn family(function: &BuiltinFunction) -> Lower {
    let instruction = function.instruction;
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| instruction.starts_with(prefix));
    match function.rule {
        Some(rule) if rule.is_of_matrices() => matrix::lower,
        Some(Rule::CoopVecMatMul | Rule::CoopVecAccumulate | Rule::CoopVecLoad | Rule::CoopVecStore) => {
            coopvec::lower
        }
        Some(Rule::Atomic) => atomics::lower,
        Some(Rule::Barrier) => barriers::lower,
        Some(Rule::Subgroup | Rule::SubgroupClustered) => match starts(amd::PREFIXES) {
            true => amd::lower,
            false => subgroup::lower,
        },
        Some(Rule::TensorAccessArm | Rule::TensorSizeArm) => tensor_arm::lower,
        Some(Rule::Abort) => abort::lower,
        Some(Rule::DebugPrintf) => debug_printf::lower,
        Some(Rule::Convert) => {
            |codegen, call| match call.argument(0).map(|to| codegen.types.kind(codegen.ty(to))) {
                Some(TypeKind::Coopmat(_)) => matrix::saturated_conversion(codegen, call),
                _ => conversions::lower(codegen, call),
            }
        }
        Some(_) => |codegen, call| Err(codegen.unsupported_builtin(call)),
        None => {
            if starts(&["GLSL.std.450 "]) {
                glsl450::lower
            } else if starts(amd::PREFIXES) {
                amd::lower
            } else if starts(image_processing::PREFIXES) {
                image_processing::lower
            } else if starts(&["OpImageSampleFootprint"]) {
                footprint::lower
            } else if starts(&["OpImage", "OpSampledImage", "OpFragment"]) {
                images::lower
            } else if starts(ray_query::PREFIXES) {
                ray_query::lower
            } else if starts(&["OpUDot", "OpSDot", "OpSUDot"]) {
                integer_dot::lower
            } else if starts(&["OpGroup", "OpSubgroup"]) {
                subgroup::lower
            } else if starts(&["OpCooperativeMatrix", "OpTensor", "OpCreateTensor"]) {
                matrix::lower
            } else if starts(stages::PREFIXES) {
                stages::lower
            } else {
                core_ops::lower
            }
        }
    }
}
