//! L-values: what may be written (GLSL 4.60 section 5.8), and which locals are read and written.

use super::Lowerer;
use crate::diagnostics::{Severity, codes};
use crate::hir::{Definition, Direction, ExprId, ExprKind, Global, LocalId, Place, Storage, StructKind};
use crate::stage::Stage;
use crate::types::{Ty, TypeKind};

/// Why something cannot be written.
struct Obstacle {
    reason: String,
    declared: Option<Definition>,
    /// It is worth a warning, and what is written counts.
    harmless: bool,
}

fn obstacle(reason: impl Into<String>) -> Obstacle {
    Obstacle { reason: reason.into(), declared: None, harmless: false }
}

impl<'a> Lowerer<'a> {
    /// Reports unless `expr` can be written; `what` says what takes the value. The local at its root counts as written.
    pub(crate) fn check_assignable(&mut self, expr: ExprId, what: &str) -> bool {
        if let Some(local) = self.root_local(expr) {
            self.body.locals[local].written = true;
        }
        let Some(obstacle) = self.obstacle(expr) else { return true };
        let range = self.range_of(expr);
        if obstacle.harmless {
            let message = format!("{what} is written, although {}", obstacle.reason);
            self.report_as(&codes::NOT_ASSIGNABLE, Severity::Warning, range, message, Vec::new());
            return true;
        }
        let message = format!("{what} cannot be written: {}", obstacle.reason);
        let related = match obstacle.declared {
            Some(definition) => vec![(Place::Definition(definition), "declared here".to_owned())],
            None => Vec::new(),
        };
        self.report_with(&codes::NOT_ASSIGNABLE, range, message, related);
        false
    }

    /// The local variable whose storage `expr` is or lies in.
    pub(super) fn root_local(&self, expr: ExprId) -> Option<LocalId> {
        let mut expr = expr;
        loop {
            match &self.body.exprs[expr].kind {
                ExprKind::Local(local) => return Some(*local),
                ExprKind::Member { base, .. }
                | ExprKind::Swizzle { base, .. }
                | ExprKind::Index { base, .. } => {
                    // What a reference points at is not the variable that holds the reference.
                    if matches!(self.types.kind(self.body.exprs[*base].ty), TypeKind::Reference(_)) {
                        return None;
                    }
                    expr = *base;
                }
                _ => return None,
            }
        }
    }

    /// Notes that the local at the root of `expr` is read.
    pub(super) fn mark_read(&mut self, expr: ExprId) {
        if let Some(local) = self.root_local(expr) {
            self.body.locals[local].read = true;
        }
    }

    /// Whether a type is that of a block, or an array of such.
    pub(super) fn is_block(&self, mut ty: Ty) -> bool {
        while let Some((element, _)) = self.types.as_array(ty) {
            ty = element;
        }
        matches!(*self.types.kind(ty), TypeKind::Struct(structure)
            if matches!(self.module.structs[structure].kind, StructKind::Block { .. }))
    }

    fn obstacle(&self, expr: ExprId) -> Option<Obstacle> {
        if matches!(self.types.kind(self.body.exprs[expr].ty), TypeKind::Opaque(_)) {
            return Some(obstacle("images and samplers are not values"));
        }
        let ty = self.body.exprs[expr].ty;
        if self.is_block(ty) {
            return Some(obstacle("a block cannot be assigned as a whole: assign its members"));
        }
        let mut expr = expr;
        loop {
            match &self.body.exprs[expr].kind {
                ExprKind::Error => return None,
                ExprKind::Local(id) => {
                    let local = &self.body.locals[*id];
                    let kind = if local.parameter { "parameter" } else { "variable" };
                    return local.is_const.then(|| Obstacle {
                        reason: format!("the {kind} `{}` is `const`", local.name),
                        declared: Some(Definition::Local(*id)),
                        harmless: false,
                    });
                }
                ExprKind::Global(id) => {
                    let global = &self.module.globals[*id];
                    let reason = match self.global_obstacle(global) {
                        Some(reason) => Some(reason),
                        None if global.memory.readonly => Some("is `readonly`"),
                        None => None,
                    };
                    return reason.map(|reason| Obstacle {
                        reason: format!("`{}` {reason}", global.name),
                        declared: Some(Definition::Global(*id)),
                        harmless: false,
                    });
                }
                ExprKind::BlockMember(id, member) => {
                    let global = &self.module.globals[*id];
                    let (name, readonly) = match self.types.kind(global.ty) {
                        TypeKind::Struct(structure) => {
                            let structure = &self.module.structs[*structure];
                            let member = structure.members.get(*member as usize);
                            let block = match &structure.kind {
                                StructKind::Block { memory, .. } => memory.readonly,
                                _ => false,
                            };
                            (
                                member.map(|member| member.name.clone()).unwrap_or_default(),
                                block || member.is_some_and(|member| member.memory.readonly),
                            )
                        }
                        _ => return None,
                    };
                    let reason = match self.global_obstacle(global) {
                        Some(reason) => Some(reason),
                        None if readonly || global.memory.readonly => Some("is `readonly`"),
                        None => None,
                    };
                    return reason.map(|reason| Obstacle {
                        reason: format!("`{name}` {reason}"),
                        declared: Some(Definition::BlockMember(*id, *member)),
                        harmless: false,
                    });
                }
                ExprKind::BuiltinVariable(id) => {
                    let variable = crate::extensions::variable_by_id(*id);
                    return (!variable.writable)
                        .then(|| obstacle(format!("`{}` is an input", variable.name)));
                }
                ExprKind::BuiltinConstant(id) => {
                    let constant = crate::extensions::constant_by_id(*id);
                    return Some(obstacle(format!("`{}` is a constant", constant.name)));
                }
                ExprKind::Member { base, structure: id, member } => {
                    let structure = &self.module.structs[*id];
                    let declared = structure.members.get(*member as usize);
                    let readonly = declared.is_some_and(|member| member.memory.readonly);
                    let (memory, reference) = match &structure.kind {
                        StructKind::Reference { memory, .. } => {
                            let reference =
                                matches!(self.types.kind(self.body.exprs[*base].ty), TypeKind::Reference(_));
                            (memory.readonly, reference)
                        }
                        StructKind::Block { memory, .. } => (memory.readonly, false),
                        StructKind::Plain => (false, false),
                    };
                    if memory && !readonly && matches!(structure.kind, StructKind::Reference { .. }) {
                        return Some(Obstacle {
                            reason: format!(
                                "the buffer reference `{}` is declared `readonly`, which does not apply to reference types",
                                structure.name
                            ),
                            declared: None,
                            harmless: true,
                        });
                    }
                    if readonly || memory {
                        let name = declared.map(|member| member.name.as_str()).unwrap_or_default();
                        return Some(Obstacle {
                            reason: format!("`{name}` is `readonly`"),
                            declared: Some(Definition::Member(*id, *member)),
                            harmless: false,
                        });
                    }
                    if reference {
                        return None;
                    }
                    if let Some(storage) = structure.buffer_type() {
                        return self.buffer_in_heap_obstacle(*base, storage);
                    }
                    expr = *base;
                }
                ExprKind::Swizzle { base, components } => {
                    let parts = components.as_slice();
                    let repeated =
                        parts.iter().enumerate().any(|(index, part)| parts[..index].contains(part));
                    if repeated {
                        return Some(obstacle("a component is selected more than once"));
                    }
                    expr = *base;
                }
                ExprKind::Index { base, .. } => {
                    if matches!(self.types.kind(self.body.exprs[*base].ty), TypeKind::Reference(_)) {
                        return Some(obstacle(
                            "indexing a reference gives an address: write to a member of it",
                        ));
                    }
                    expr = *base;
                }
                ExprKind::Call { .. } => return Some(obstacle("it is the result of a function call")),
                ExprKind::Construct { .. } => return Some(obstacle("it is a newly constructed value")),
                ExprKind::Literal => return Some(obstacle("it is a literal")),
                ExprKind::Convert { .. } => return Some(obstacle("it is a converted value")),
                ExprKind::String(_)
                | ExprKind::FunctionName { .. }
                | ExprKind::Unary { .. }
                | ExprKind::IncDec { .. }
                | ExprKind::Binary { .. }
                | ExprKind::Assign { .. }
                | ExprKind::Conditional { .. }
                | ExprKind::Comma { .. }
                | ExprKind::InitializerList { .. }
                | ExprKind::Length { .. } => {
                    return Some(obstacle("it is a value, not a variable or a part of one"));
                }
            }
        }
    }

    /// What stands against writing to a member of a buffer that is in a heap: the heap itself is only read, the buffer is not.
    fn buffer_in_heap_obstacle(&self, mut buffer: ExprId, storage: Storage) -> Option<Obstacle> {
        while let ExprKind::Index { base, .. } = self.body.exprs[buffer].kind {
            buffer = base;
        }
        let (structure, member) = match self.body.exprs[buffer].kind {
            ExprKind::Member { structure, member, .. } => (structure, member),
            ExprKind::BlockMember(global, member) => match *self.types.kind(self.module.globals[global].ty) {
                TypeKind::Struct(structure) => (structure, member),
                _ => return None,
            },
            _ => return None,
        };
        let declared = self.module.structs[structure].members.get(member as usize)?;
        let reason = match storage {
            Storage::Uniform => "is a uniform",
            _ if declared.memory.readonly => "is `readonly`",
            _ => return None,
        };
        Some(Obstacle {
            reason: format!("`{}` {reason}", declared.name),
            declared: Some(Definition::Member(structure, member)),
            harmless: false,
        })
    }

    /// Whether the shader can write to what an l-value denotes.
    pub(super) fn can_be_written(&self, expr: ExprId) -> bool {
        self.obstacle(expr).is_none_or(|obstacle| obstacle.harmless)
    }

    /// Why a variable of the shader is only read.
    fn global_obstacle(&self, global: &Global) -> Option<&'static str> {
        let has = |words: &[&str]| global.layout.interface.iter().any(|word| words.contains(&word.as_str()));
        let named =
            |names: &[&str]| global.layout.other.iter().any(|(name, _)| names.contains(&name.as_str()));
        match global.storage {
            // GL_EXT_mesh_shader, 4.3.X: "both read from and written to in task shaders, but only read from in mesh shaders".
            Storage::Other
                if has(&["taskPayloadSharedEXT"]) && self.environment.stage == Some(Stage::Mesh) =>
            {
                Some("is the payload, which only the task shader writes")
            }
            // GL_EXT_ray_tracing, 4.3.X: "written to and read from only in intersection shaders".
            Storage::Other
                if has(&["hitAttributeEXT", "hitAttributeNV"])
                    && matches!(self.environment.stage, Some(Stage::AnyHit | Stage::ClosestHit)) =>
            {
                Some("is an attribute of the hit, which only intersection shaders write")
            }
            // GL_EXT_ray_tracing, 4.4.5: "It is a compile-time error to modify members of such blocks."
            Storage::Buffer if named(&["shaderrecordext", "shaderrecordnv"]) => {
                Some("is in the shader record, which is only read")
            }
            storage => self.storage_obstacle(storage),
        }
    }

    fn storage_obstacle(&self, storage: Storage) -> Option<&'static str> {
        match storage {
            Storage::Const => Some("is `const`"),
            Storage::In => Some("is an input"),
            Storage::Uniform => Some("is a uniform"),
            Storage::PushConstant => Some("is a push constant"),
            Storage::ResourceHeap | Storage::SamplerHeap => {
                Some("is in a descriptor heap, which shaders only read")
            }
            Storage::Private | Storage::Out | Storage::Buffer | Storage::Shared | Storage::Other => None,
        }
    }

    /// What a parameter of this direction makes of its argument: whether it is read, whether it is written.
    pub(super) fn pass(&mut self, direction: Direction, argument: ExprId, what: &str) -> bool {
        match direction {
            Direction::In => true,
            Direction::Out | Direction::InOut => self.check_assignable(argument, what),
        }
    }
}
