//! What all parts of the generator share: the program, the module under construction, and the tables between them.

use std::rc::Rc;

use coopmat_analysis::extensions::{ExtensionId, Provided, ids};
use coopmat_analysis::hir::{self, Body, Expr, ExprId, ExtensionBehavior, GlobalId, LocalId};
use coopmat_analysis::text::{FileRange, TextRange, TextSize};
use coopmat_analysis::types::{Ty, Types};
use coopmat_analysis::{Analysis, extensions};
use coopmat_spirv::Capability;
use rspirv::spirv::Word;
use rustc_hash::FxHashSet;

use crate::builder::Builder;
use crate::constants::Constants;
use crate::debug_info::{DebugLocal, DebugNotes};
use crate::functions::Functions;
use crate::globals::Globals;
use crate::options::{DebugInfo, Options};
use crate::places::Place;
use crate::precise::Precise;
use crate::refusals::Refusals;
use crate::specialization::Specialization;
use crate::statements::Jumps;
use crate::target::{SpirvVersion, Target};
use crate::types::TypeTable;

/// Generation of the current part ends here; why has been told by [`Codegen::fail`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop;

/// What emitting something gives, mostly the id of a value.
pub(crate) type Emit<T> = Result<T, Stop>;

pub(crate) struct Codegen<'a> {
    pub analysis: &'a Analysis,
    pub hir: &'a hir::Module,
    pub types: &'a Types,
    pub options: &'a Options,
    pub target: Target,
    pub b: Builder,
    pub table: TypeTable,
    pub constants: Constants,
    pub spec: Specialization,
    pub globals: Globals,
    pub functions: Functions,
    /// The body that is compiled now.
    pub f: BodyState<'a>,
    /// `#pragma use_vulkan_memory_model`, or an extension that brings the model along.
    pub vulkan_memory_model: bool,
    /// `#pragma promote_uint32_indices`: what is indexed by a `uint` is indexed by 64 bits, since SPIR-V takes 32 for signed.
    pub promotes_indices: bool,
    pub refusals: Refusals,
    pub debug: DebugNotes,
    /// Whether anything is declared `mediump` or `lowp`.
    pub less_precision: bool,
    pub precise: Precise,
    /// How deep constant expressions nest at the moment.
    pub spec_depth: u32,
}

/// A body and what its locals have become.
pub(crate) struct BodyState<'a> {
    pub body: &'a Body,
    /// What the body's ranges count from.
    pub base: TextSize,
    pub locals: Vec<LocalSlot>,
    pub jumps: Jumps,
    pub return_type: Ty,
    /// What flows into `precise` variables.
    pub precise: Rc<FxHashSet<ExprId>>,
    /// Whether the expression that is compiled does.
    pub exact: bool,
    /// Expressions that are not compiled, which has been told.
    pub refused: FxHashSet<ExprId>,
}

/// What a local variable is in the module.
#[derive(Clone, Debug, Default)]
pub(crate) enum LocalSlot {
    /// Not declared yet.
    #[default]
    None,
    /// A value: constants, and what is never written after its initializer.
    Value(Word),
    /// Memory: a variable, or what a parameter points at.
    Place(Box<Place>),
    /// Its declaration is not compiled, which has been told.
    Refused,
}

impl<'a> BodyState<'a> {
    pub fn new(body: &'a Body, base: TextSize) -> BodyState<'a> {
        BodyState {
            body,
            base,
            locals: vec![LocalSlot::None; body.locals.len()],
            jumps: Jumps::default(),
            return_type: Ty::VOID,
            precise: Rc::default(),
            exact: false,
            refused: FxHashSet::default(),
        }
    }
}

impl<'a> Codegen<'a> {
    pub fn expr(&self, expr: ExprId) -> &'a Expr {
        &self.f.body.exprs[expr]
    }

    pub fn ty(&self, expr: ExprId) -> Ty {
        self.f.body.exprs[expr].ty
    }

    pub fn local(&self, local: LocalId) -> &'a hir::Local {
        &self.f.body.locals[local]
    }

    pub fn global(&self, global: GlobalId) -> &'a hir::Global {
        &self.hir.globals[global]
    }

    pub fn slot(&self, local: LocalId) -> &LocalSlot {
        static NONE: LocalSlot = LocalSlot::None;
        self.f.locals.get(u32::from(local.into_raw()) as usize).unwrap_or(&NONE)
    }

    pub fn set_slot(&mut self, local: LocalId, slot: LocalSlot) {
        if let Some(place) = self.f.locals.get_mut(u32::from(local.into_raw()) as usize) {
            *place = slot;
        }
    }

    /// Notes for the debugger what a local variable of the current function has become.
    pub fn note_local(&mut self, local: LocalId, id: Word, argument: Option<u32>, is_value: bool) {
        if self.options.debug != DebugInfo::Full {
            return;
        }
        let declared = self.local(local);
        let place = self.absolute(declared.name_range);
        if let Some(function) = self.debug.functions.last_mut() {
            let name = declared.name.to_string();
            function.locals.push(DebugLocal { id, name, ty: declared.ty, place, argument, is_value });
        }
    }

    /// A range of the current body in the expanded text.
    pub fn absolute(&self, range: TextRange) -> TextRange {
        range + self.f.base
    }

    /// What is emitted from now on comes from this range of the current body. The result goes back to [`Codegen::leave`].
    pub fn enter(&mut self, range: TextRange) -> TextRange {
        std::mem::replace(&mut self.b.at, range + self.f.base)
    }

    pub fn leave(&mut self, before: TextRange) {
        self.b.at = before;
    }

    /// Tells why there will be no module, at the place that is compiled now.
    pub fn fail(&mut self, message: impl Into<String>) -> Stop {
        let location = self.refused_here();
        self.refusals.add(message.into(), location);
        Stop
    }

    fn refused_here(&self) -> FileRange {
        self.analysis.file_range(self.refusals.place.unwrap_or(self.b.at))
    }

    /// The same for what an extension brings: one construct, whatever of it is used.
    pub fn fail_extension(&mut self, extension: &str) -> Stop {
        if extension == ids::GL_AMD_GPU_SHADER_HALF_FLOAT_FETCH.name() {
            // VUID-StandaloneSpirv-OpTypeImage-04656.
            return self.fail("Vulkan has no textures and images of 16-bit floats: use those of 32 bits");
        }
        self.fail(format!("{extension} is not supported in compiled shaders"))
    }

    /// Whether the shader enables an extension anywhere.
    pub fn has_extension(&self, extension: ExtensionId) -> bool {
        let enabled = |behavior| !matches!(behavior, ExtensionBehavior::Disable);
        self.hir.extensions.iter().any(|state| state.extension == Some(extension) && enabled(state.behavior))
    }

    /// The extension that brings something: one that the shader enables, else the first that would.
    pub fn provider(&self, entry: &impl Provided) -> Option<ExtensionId> {
        let providers = entry.providers();
        let enabled = |id: &&ExtensionId| self.has_extension(**id);
        providers.iter().find(enabled).or(providers.first()).copied()
    }

    /// What only an inconsistent program leads to: the analysis has reported it, or has a mistake of its own.
    pub fn inconsistent(&mut self, what: &str) -> Stop {
        // What is not analysed is accepted as it stands.
        let unknown = self.hir.extensions.iter().find_map(|state| {
            let extension = extensions::extension_by_id(state.extension?);
            (!extension.analysed).then_some(extension.name)
        });
        match unknown {
            Some(extension) => self.fail_extension(extension),
            None => {
                let location = self.refused_here();
                self.refusals.add_internal(what, location);
                Stop
            }
        }
    }

    /// Refuses what the target's SPIR-V does not have.
    pub fn needs_version(&mut self, version: SpirvVersion, what: &str) -> Emit<()> {
        if self.target.at_least(version) {
            return Ok(());
        }
        let (env, lowest) = (self.target.env.name(), Target::env_for(version).name());
        Err(self.fail(format!(
            "{what} needs SPIR-V 1.{}, which {env} does not support: choose {lowest} or later",
            version.0
        )))
    }

    /// A capability, with the extension that brings it unless the version has it in its core.
    pub fn capability(&mut self, capability: Capability, extension: &str, core: SpirvVersion) {
        self.b.capability(capability);
        if !self.target.at_least(core) {
            self.b.extension(extension);
        }
    }

    /// Compiles with another body, as for the initializers at top level.
    pub fn with_body<T>(
        &mut self,
        body: BodyState<'a>,
        compile: impl FnOnce(&mut Codegen<'a>) -> T,
    ) -> (T, BodyState<'a>) {
        let before = std::mem::replace(&mut self.f, body);
        let at = self.b.at;
        let result = compile(self);
        self.b.at = at;
        (result, std::mem::replace(&mut self.f, before))
    }

    /// Compiles an expression of the top level.
    pub fn in_global_body<T>(&mut self, compile: impl FnOnce(&mut Codegen<'a>) -> T) -> T {
        let state = BodyState {
            precise: self.precise.get(&None).cloned().unwrap_or_default(),
            ..BodyState::new(&self.hir.global_body, TextSize::new(0))
        };
        self.with_body(state, compile).0
    }
}
