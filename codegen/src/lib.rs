//! Compiles analysed GLSL shaders to SPIR-V modules.
//!
//! [`compile`] walks the typed program once and emits instructions into an rspirv module; beside it grows the map that says which
//! text each instruction comes from. Only what `main` reaches is compiled: functions are emitted when the first call of them is met,
//! globals, types and constants when the first instruction needs them.
//!
//! | module | does |
//! |---|---|
//! | `codegen` | the state that all parts share; errors |
//! | `builder` | ids, sections, blocks, the place of each instruction |
//! | `target` | the environment and its SPIR-V version |
//! | `types`, `constants` | each declared once; `types/structs` blocks and references, `types/opaque` images |
//! | `specialization` | specialization constants and expressions over them |
//! | `memory`, `memory_layout` | memory with a layout, and what blocks look like there |
//! | `globals`, `functions` | declarations |
//! | `interfaces` | inputs, outputs, built-in variables, modes: what a stage is to its neighbours |
//! | `statements`, `expressions`, `operators`, `conversions`, `calls` | bodies |
//! | `places` | l-values, access chains, loads and stores |
//! | `builtins` | built-in functions, one file for each family |
//! | `precise`, `precision` | `precise`; `mediump` and `lowp` |
//! | `intrinsics` | what a shader names by its number in SPIR-V |
//! | `capabilities` | what the finished module declares |
//! | `statistics` | what a finished module does, counted |
//! | `difference` | what two finished modules do not have in common |
//! | `source_map`, `debug_info` | where instructions come from |
//! | `kept` | the module of an analysis, made once |
//! | `refusals` | what is not compiled, each construct once |
//! | `device` | what a device says about a shader, by the module that it becomes |
//! | `optimise` | what is done to a finished module on request: specialization values, clean-up passes |

// No input ends the program: what cannot be is an error, or has an answer that harms nobody. Tests may.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![deny(missing_docs)]

mod builder;
mod builtins;
mod calls;
mod capabilities;
mod codegen;
mod constants;
mod conversions;
mod debug_info;
pub mod device;
pub mod difference;
mod expressions;
mod functions;
mod globals;
mod interfaces;
mod intrinsics;
mod kept;
mod memory;
mod memory_layout;
mod opacity;
mod operators;
mod optimise;
mod options;
mod places;
mod precise;
mod precision;
mod refusals;
mod source_map;
mod specialization;
mod statements;
pub mod statistics;
mod target;
mod types;

use coopmat_analysis::Analysis;
use coopmat_analysis::text::{FileId, FileRange, TextRange, TextSize};
use coopmat_spirv::Capability;
use rspirv::dr;

pub use coopmat_spirv::{SpecializeError, Values};
pub use kept::compile_once;
pub use optimise::{optimise, specialize, specialize_in};
pub use options::{CompileError, DebugInfo, Optimisation, Options};
pub use refusals::{not_compiled, told};
pub use source_map::{InstructionMap, InstructionPlace};

use codegen::{BodyState, Codegen};
use options::error_of;
use target::Target;

/// A module, and where its instructions come from.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// With a header: version of the target, bound of its ids.
    pub module: dr::Module,
    /// For every instruction of the module, in its order.
    pub map: InstructionMap,
}

/// Compiles a shader that has no errors.
///
/// # Errors
/// An error of the shader; that it is no compute shader or has no `main`; else everything in it that is not supported, or that the target
/// environment's SPIR-V lacks, 64 at most.
pub fn compile(analysis: &Analysis, options: &Options) -> Result<Compiled, Vec<CompileError>> {
    let refuse = |message: &str, location| {
        Err(vec![CompileError { message: message.to_owned(), location, also: Vec::new() }])
    };
    let nowhere = FileRange { file: FileId::ROOT, range: TextRange::empty(TextSize::new(0)) };
    if let Some(error) = error_of(analysis) {
        return Err(vec![error]);
    }
    if analysis.tree.is_none() {
        return refuse("the shader was not analysed", nowhere);
    }
    let hir = &analysis.module;
    let main = hir.functions.iter().find(|(_, function)| {
        function.name == "main" && function.parameters.is_empty() && function.body.is_some()
    });
    let Some((main, _)) = main else {
        return refuse("the shader has no function `main`", nowhere);
    };
    let target = Target::new(options.target_env.unwrap_or(analysis.config.target_env));
    let mut builder = builder::Builder::new();
    builder.names = options.names;
    let mut codegen = Codegen {
        analysis,
        hir,
        types: &hir.types,
        options,
        target,
        b: builder,
        table: Default::default(),
        constants: Default::default(),
        spec: Default::default(),
        globals: Default::default(),
        functions: Default::default(),
        f: BodyState::new(&hir.global_body, TextSize::new(0)),
        vulkan_memory_model: uses_vulkan_memory_model(analysis),
        promotes_indices: has_pragma(analysis, "promote_uint32_indices"),
        refusals: Default::default(),
        debug: Default::default(),
        spec_depth: 0,
        less_precision: precision::uses_less_precision(hir),
        precise: precise::precise_expressions(hir),
    };
    codegen.b.capability(Capability::Shader);
    codegen.declare_source();
    // What built-in variables need depends on what the stage has. Why it fails has been told.
    let _ = codegen.execution_model();
    // Types of workgroup scope may not stand before the constants that say the workgroup's size.
    codegen.declare_specialized_size();
    if let Ok(id) = codegen.function_for(main, &[]) {
        codegen.compile_called_functions();
        codegen.declare_interfaces();
        // Why it fails has been told.
        if options.keep_locals {
            codegen.keep_builtins();
        }
        let _ = codegen.declare_entry_point(id);
    }
    if codegen.refusals.is_empty() {
        // Why it fails has been told.
        let _ = codegen.add_debug_info();
    }
    codegen.declare_small_types();
    codegen.declare_memory_model();
    if !codegen.refusals.is_empty() {
        return Err(codegen.refusals.into_errors());
    }
    let map = codegen.b.map();
    let mut module = codegen.b.module;
    let mut header = dr::ModuleHeader::new(codegen.b.bound);
    header.set_version(1, target.version.0);
    module.header = Some(header);
    let too_large = coopmat_spirv::limits::exceeded(&module);
    if !too_large.is_empty() {
        let errors = too_large.into_iter().take(refusals::MAX_REFUSALS).map(|limit| {
            let location = map.place(analysis, limit.index).map_or(nowhere, |place| place.location);
            CompileError { message: limit.message, location, also: Vec::new() }
        });
        return Err(errors.collect());
    }
    let compiled = Compiled { module, map };
    Ok(match options.optimisation {
        Optimisation::None => compiled,
        Optimisation::Clean => optimise(compiled),
    })
}

/// `gl_ScopeQueueFamily` needs the Vulkan memory model alone.
fn names_queue_family(hir: &coopmat_analysis::hir::Module) -> bool {
    use coopmat_analysis::hir::Definition;
    let scope = Definition::BuiltinConstant(coopmat_analysis::extensions::constants::GL_SCOPE_QUEUE_FAMILY);
    hir.bodies().any(|(body, _, _)| body.names.iter().any(|name| name.definition == scope))
}

/// `#pragma use_vulkan_memory_model`, or a type that comes with the model.
fn uses_vulkan_memory_model(analysis: &Analysis) -> bool {
    Codegen::has_cooperative_types(&analysis.module.types)
        || names_queue_family(&analysis.module)
        || has_pragma(analysis, "use_vulkan_memory_model")
}

fn has_pragma(analysis: &Analysis, text: &str) -> bool {
    analysis.preprocessed.pragmas.iter().any(|pragma| pragma.text.trim() == text)
}
