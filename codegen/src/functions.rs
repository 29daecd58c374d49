//! Functions: those that `main` reaches, each when the first call of it is compiled.

mod table;

use coopmat_analysis::hir::{Body, Direction, FunctionId, LocalId};
use coopmat_analysis::text::TextRange;
use coopmat_analysis::types::{OpaqueClass, Ty, TypeKind};
use rspirv::dr::Operand;
use rspirv::spirv::{FunctionControl, ImageFormat, Op, StorageClass, Word};
use smallvec::SmallVec;

use crate::codegen::{BodyState, Codegen, Emit, LocalSlot, Stop};
use crate::debug_info::DebugFunction;
use crate::memory::Memory;
use crate::options::DebugInfo;
use crate::places::{Access, Place};
use table::Instance;

pub(crate) use table::Functions;

/// How an argument reaches a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParameterKind {
    Value,
    /// A pointer to a variable of the caller: what is written, and what is indexed.
    Pointer,
    /// A pointer to an image, sampler or the like.
    Opaque,
}

impl<'a> Codegen<'a> {
    /// The id of a function, which is compiled once the current one is done.
    pub fn function_for(
        &mut self,
        function: FunctionId,
        arguments: &[coopmat_analysis::hir::ExprId],
    ) -> Emit<Word> {
        let mut formats = SmallVec::new();
        for (index, &argument) in arguments.iter().enumerate() {
            if self.parameter_kind(function, index) == ParameterKind::Opaque {
                // The function is looked at all the same where its argument is refused.
                let place = self.required_place(argument);
                formats.push(place.map_or(ImageFormat::Unknown, |place| place.access.format));
            }
        }
        let instance = (function, formats);
        if let Some(&id) = self.functions.known.get(&instance) {
            return Ok(id);
        }
        let id = self.b.id();
        self.functions.known.insert(instance.clone(), id);
        self.functions.waiting.push((instance, id));
        Ok(id)
    }

    /// Compiles what has been called, and what that calls.
    pub fn compile_called_functions(&mut self) {
        while let Some((instance, id)) = self.functions.waiting.get(self.functions.next).cloned() {
            self.functions.next += 1;
            // Why it cannot be compiled has been told.
            let _ = self.compile_function(&instance, id);
        }
    }

    pub fn parameter_kind(&self, function: FunctionId, index: usize) -> ParameterKind {
        let Some(parameter) = self.hir.functions[function].parameters.get(index) else {
            return ParameterKind::Value;
        };
        if self.is_opaque(parameter.ty) {
            // A handle, which is handed over by value (GL_EXT_ray_query).
            let handle = |ty| matches!(self.types.kind(ty), TypeKind::Opaque(opaque) if opaque.class == OpaqueClass::AccelerationStructure);
            return if handle(parameter.ty) { ParameterKind::Value } else { ParameterKind::Opaque };
        }
        if parameter.direction != Direction::In {
            return ParameterKind::Pointer;
        }
        match self.types.kind(parameter.ty) {
            // Functions that matrix operations call take such parameters by value, which the specifications have as `const in`.
            _ if parameter.is_const => ParameterKind::Value,
            TypeKind::Array(..)
            | TypeKind::Struct(_)
            | TypeKind::Matrix { .. }
            | TypeKind::Coopmat(_)
            | TypeKind::CoopmatNv(_) => ParameterKind::Pointer,
            _ => ParameterKind::Value,
        }
    }

    /// Whether a function writes to its own copy of an argument.
    pub fn parameter_is_written(&self, function: FunctionId, index: usize) -> bool {
        let body = self.hir.functions[function].body.as_deref();
        body.is_none_or(|body| body.parameters.get(index).is_none_or(|&local| body.locals[local].written))
    }

    fn compile_function(&mut self, instance: &Instance, id: Word) -> Emit<()> {
        let (function, formats) = instance;
        let declared = &self.hir.functions[*function];
        self.b.at = declared.name_range;
        let Some(body) = declared.body.as_deref() else {
            return Err(self.fail(format!("the function `{}` has no body", declared.name)));
        };
        // Where the type of the result or of a parameter is refused, the body is looked at all the same.
        let result = match self.type_id(declared.return_type) {
            Ok(result) => result,
            Err(Stop) => self.void_type(),
        };
        self.b.computes_in(result);
        let mut formats = formats.iter().copied();
        let mut types: SmallVec<[Option<Word>; 8]> = SmallVec::new();
        let mut parameter_formats: SmallVec<[ImageFormat; 8]> = SmallVec::new();
        for (index, parameter) in declared.parameters.iter().enumerate() {
            let kind = self.parameter_kind(*function, index);
            let mut format = ImageFormat::Unknown;
            if kind == ParameterKind::Opaque {
                format = formats.next().unwrap_or(ImageFormat::Unknown);
            }
            let before = self.refusals.place.replace(parameter.range);
            types.push(self.parameter_type(parameter.ty, kind, format).ok());
            self.refusals.place = before;
            parameter_formats.push(format);
        }
        let written: SmallVec<[Word; 8]> = types.iter().map(|ty| ty.unwrap_or(result)).collect();
        let function_type = self.function_type(result, &written);
        self.b.name(id, &declared.name);
        if self.options.debug == DebugInfo::Full {
            self.debug.functions.push(DebugFunction {
                id,
                name: declared.name.to_string(),
                place: declared.name_range,
                return_type: declared.return_type,
                parameters: declared.parameters.iter().map(|parameter| parameter.ty).collect(),
                locals: Vec::new(),
            });
        }
        let control = match declared.inline {
            Some(true) => FunctionControl::INLINE,
            Some(false) => FunctionControl::DONT_INLINE,
            None => FunctionControl::NONE,
        };
        self.b.begin_function(id, result, function_type, control);
        let state = BodyState {
            return_type: declared.return_type,
            precise: self.precise.get(&Some(*function)).cloned().unwrap_or_default(),
            ..BodyState::new(body, declared.range.start())
        };
        let (done, _) = self
            .with_body(state, |codegen| codegen.function_body(*function, body, &types, &parameter_formats));
        self.b.end_function();
        done
    }

    /// Where opaque variables are. Ray queries and hit objects are the shader's own, and private wherever they are declared, so that functions take those of functions
    /// and those of the shader alike.
    fn opaque_class(&self, ty: Ty) -> StorageClass {
        match self.opaque_of(ty).map(|opaque| opaque.class) {
            Some(class) if class.is_state() => StorageClass::Private,
            _ => StorageClass::UniformConstant,
        }
    }

    fn parameter_type(&mut self, ty: Ty, kind: ParameterKind, format: ImageFormat) -> Emit<Word> {
        let class = match kind {
            ParameterKind::Opaque => {
                let pointee = self.opaque_memory_type(ty, format)?;
                return Ok(self.pointer_type(self.opaque_class(ty), pointee));
            }
            ParameterKind::Value => None,
            ParameterKind::Pointer => Some(StorageClass::Function),
        };
        let pointee = self.type_id(ty)?;
        self.b.computes_in(pointee);
        Ok(match class {
            Some(class) => self.pointer_type(class, pointee),
            None => pointee,
        })
    }

    fn function_body(
        &mut self,
        function: FunctionId,
        body: &'a Body,
        types: &[Option<Word>],
        formats: &[ImageFormat],
    ) -> Emit<()> {
        let declared = &self.hir.functions[function];
        let at = self.b.at;
        let mut values: SmallVec<[(LocalId, Word); 8]> = SmallVec::new();
        for (index, (&local, ty)) in body.parameters.iter().zip(types.iter().copied()).enumerate() {
            let Some(parameter) = declared.parameters.get(index) else { break };
            self.b.at = parameter.range;
            let Some(ty) = ty else {
                self.set_slot(local, LocalSlot::Refused);
                continue;
            };
            let id = self.b.function_parameter(ty);
            self.b.name(id, &parameter.name);
            self.relax(id, parameter.ty, parameter.precision);
            if self.spirv_decorate(id, None, &parameter.spirv_decorations).is_err() {
                self.set_slot(local, LocalSlot::Refused);
                continue;
            }
            let kind = self.parameter_kind(function, index);
            if kind == ParameterKind::Pointer || (kind == ParameterKind::Value && !body.locals[local].written)
            {
                self.note_local(local, id, Some(index as u32 + 1), kind == ParameterKind::Value);
            }
            let variable = |class, access| {
                LocalSlot::Place(Box::new(Place::new(id, class, parameter.ty, Memory::Plain, access)))
            };
            match self.parameter_kind(function, index) {
                ParameterKind::Value if !body.locals[local].written => {
                    self.set_slot(local, LocalSlot::Value(id));
                    self.decorate_addresses(id, parameter.ty, &parameter.memory);
                }
                ParameterKind::Value => {
                    self.decorate_addresses(id, parameter.ty, &parameter.memory);
                    values.push((local, id));
                }
                ParameterKind::Pointer => {
                    self.decorate_addresses(id, parameter.ty, &parameter.memory);
                    self.set_slot(local, variable(StorageClass::Function, Access::default()));
                }
                ParameterKind::Opaque => {
                    let format = formats.get(index).copied().unwrap_or(ImageFormat::Unknown);
                    let access = Access { format, ..Access::of(&parameter.memory) };
                    self.set_slot(local, variable(self.opaque_class(parameter.ty), access));
                }
            }
        }
        self.b.at = at;
        let label = self.b.id();
        self.b.label(label);
        if declared.name == "main" {
            self.initialize_globals_later();
        }
        for (local, id) in values {
            // Why it fails has been told.
            let _ = self.declare_variable(local).and_then(|mut place| self.store(&mut place, id));
        }
        if let Some(root) = body.root {
            self.statement(root);
        }
        if self.b.reachable() {
            self.b.at = end_of(declared.range);
            if declared.return_type == Ty::VOID {
                self.b.terminate(Op::Return, Vec::new());
            } else {
                // The end of a function without a value: what it returns is undefined.
                // A type that is refused has been told.
                if let Ok(result) = self.type_id(declared.return_type) {
                    let value = self.undefined(result);
                    self.b.terminate(Op::ReturnValue, vec![Operand::IdRef(value)]);
                }
            }
        }
        Ok(())
    }

    /// The variable of a local, declared at its first use.
    pub fn declare_variable(&mut self, local: LocalId) -> Emit<Place> {
        let declared = self.declare_variable_here(local);
        if declared.is_err() {
            self.set_slot(local, LocalSlot::Refused);
        }
        declared
    }

    fn declare_variable_here(&mut self, local: LocalId) -> Emit<Place> {
        let declared = self.local(local);
        let before = self.enter(declared.name_range);
        let sized = self.refuse_unsized(declared.ty, &declared.name);
        self.leave(before);
        sized?;
        let pointee = self.type_id(declared.ty)?;
        self.b.computes_in(pointee);
        let class = match self.is_opaque(declared.ty) {
            true => self.opaque_class(declared.ty),
            false => StorageClass::Function,
        };
        let before = self.enter(declared.name_range);
        let variable = match class {
            StorageClass::Private => self.variable(pointee, class, None),
            _ => {
                let pointer = self.pointer_type(StorageClass::Function, pointee);
                self.b.function_variable(pointer, None)
            }
        };
        self.leave(before);
        self.b.name(variable, &declared.name);
        self.note_local(local, variable, None, false);
        self.relax(variable, declared.ty, declared.precision);
        self.spirv_decorate(variable, None, &declared.spirv_decorations)?;
        self.decorate_addresses(variable, declared.ty, &declared.memory);
        let place = Place::new(variable, class, declared.ty, Memory::Plain, Access::default());
        self.set_slot(local, LocalSlot::Place(Box::new(place.clone())));
        Ok(place)
    }

    /// Globals with values that are computed get them when `main` starts, before anything reads them.
    fn initialize_globals_later(&mut self) {
        let hir = self.hir;
        for (id, global) in hir.globals.iter() {
            let Some(initializer) = global.initializer else { continue };
            if global.storage != coopmat_analysis::hir::Storage::Private || global.constant_id.is_some() {
                continue;
            }
            let known =
                hir.global_body.exprs[initializer].constant.as_ref().is_some_and(crate::constants::is_known);
            if known || !self.uses_global(id) {
                continue;
            }
            let before = std::mem::replace(&mut self.b.at, global.range);
            let stored = self.global_place(id).and_then(|mut place| {
                let value = self.in_global_body(|codegen| codegen.value(initializer))?;
                self.store(&mut place, value)
            });
            self.b.at = before;
            let _ = stored;
        }
    }

    /// Whether some function names a global.
    fn uses_global(&self, id: coopmat_analysis::hir::GlobalId) -> bool {
        use coopmat_analysis::hir::Definition;
        self.hir
            .bodies()
            .any(|(body, _, _)| body.names.iter().any(|name| name.definition == Definition::Global(id)))
    }
}

/// The closing brace of a function.
fn end_of(range: TextRange) -> TextRange {
    let last = range.end().checked_sub(1.into()).unwrap_or(range.start());
    TextRange::new(last.max(range.start()), range.end())
}
