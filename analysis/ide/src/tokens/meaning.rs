//! What the names of an analysis mean, by their place in the expanded text.

use rustc_hash::FxHashMap;

use super::{Class, Modifiers, TokenKind};
use crate::showing::configured_value;
use coopmat_analysis::Analysis;
use coopmat_analysis::extensions::{self, values};
use coopmat_analysis::hir::{Body, Definition, Global, Local, Member, Storage, StructId, StructKind};
use coopmat_analysis::text::{TextRange, TextSize};
use coopmat_analysis::types::{Ty, TypeKind};

/// Names by where they start.
pub struct Meanings(FxHashMap<TextSize, Class>);

impl Meanings {
    pub fn of(analysis: &Analysis) -> Meanings {
        let module = &analysis.module;
        let mut classes = FxHashMap::default();
        let mut insert = |range: TextRange, class: Class| {
            if !range.is_empty() {
                classes.insert(range.start(), class);
            }
        };
        for (body, base, _) in module.bodies() {
            for name in &body.names {
                if let Some(class) = class_of(analysis, body, &name.definition) {
                    insert(name.range + base, class);
                }
            }
            for (_, local) in body.locals.iter() {
                insert(local.name_range + base, declared(local_class(analysis, local)));
            }
        }
        for (_, global) in module.globals.iter() {
            insert(global.name_range, declared(global_class(analysis, global)));
        }
        for (_, function) in module.functions.iter() {
            insert(function.name_range, declared((TokenKind::Function, Modifiers::NONE)));
            for parameter in &function.parameters {
                let modifiers =
                    matrix_use(analysis, parameter.ty).with_if(parameter.is_const, Modifiers::READONLY);
                insert(parameter.name_range, declared((TokenKind::Parameter, modifiers)));
            }
        }
        for (id, structure) in module.structs.iter() {
            let base =
                structure.owner.map_or(TextSize::new(0), |owner| module.functions[owner].range.start());
            insert(structure.name_range + base, declared(struct_class(analysis, id)));
            for member in &structure.members {
                insert(member.name_range + base, declared(member_class(analysis, id, member)));
            }
        }
        Meanings(classes)
    }

    pub fn at(&self, offset: TextSize) -> Option<Class> {
        self.0.get(&offset).copied()
    }
}

fn declared((kind, modifiers): Class) -> Class {
    (kind, modifiers.with(Modifiers::DECLARATION))
}

fn class_of(analysis: &Analysis, body: &Body, definition: &Definition) -> Option<Class> {
    let module = &analysis.module;
    let library = Modifiers::DEFAULT_LIBRARY;
    Some(match definition {
        Definition::Local(id) => local_class(analysis, &body.locals[*id]),
        Definition::Global(id) => global_class(analysis, &module.globals[*id]),
        Definition::BlockMember(id, index) => {
            let global = &module.globals[*id];
            let TypeKind::Struct(structure) = *module.types.kind(global.ty) else { return None };
            let member = module.structs[structure].members.get(*index as usize)?;
            let (kind, modifiers) = member_class(analysis, structure, member);
            (kind, modifiers.with(storage_modifiers(global.storage)))
        }
        Definition::Member(structure, index) => {
            let member = module.structs[*structure].members.get(*index as usize)?;
            member_class(analysis, *structure, member)
        }
        Definition::Struct(id) => struct_class(analysis, *id),
        Definition::Function(_) => (TokenKind::Function, Modifiers::NONE),
        Definition::BuiltinFunction(_) => (TokenKind::Function, library),
        Definition::BuiltinVariable(id) => {
            let writable = extensions::variable_by_id(*id).writable;
            (TokenKind::Variable, library.with_if(!writable, Modifiers::READONLY))
        }
        Definition::BuiltinConstant(_) => (TokenKind::EnumMember, library.with(Modifiers::READONLY)),
        Definition::Type(ty) => match *module.types.kind(*ty) {
            TypeKind::Struct(id) | TypeKind::Reference(id) => struct_class(analysis, id),
            _ => (TokenKind::Type, library),
        },
        Definition::Swizzle => (TokenKind::Property, library),
        Definition::Method(_) => (TokenKind::Method, library),
    })
}

fn local_class(analysis: &Analysis, local: &Local) -> Class {
    let kind = if local.parameter { TokenKind::Parameter } else { TokenKind::Variable };
    (kind, matrix_use(analysis, local.ty).with_if(local.is_const, Modifiers::READONLY))
}

fn global_class(analysis: &Analysis, global: &Global) -> Class {
    let readonly = match global.storage {
        Storage::Const
        | Storage::In
        | Storage::Uniform
        | Storage::PushConstant
        | Storage::ResourceHeap
        | Storage::SamplerHeap => true,
        Storage::Private | Storage::Out | Storage::Buffer | Storage::Shared | Storage::Other => {
            global.memory.readonly
        }
    };
    let modifiers = matrix_use(analysis, global.ty)
        .with(storage_modifiers(global.storage))
        .with_if(readonly, Modifiers::READONLY)
        .with_if(global.constant_id.is_some(), Modifiers::SPECIALIZATION_CONSTANT);
    (TokenKind::Variable, modifiers)
}

fn storage_modifiers(storage: Storage) -> Modifiers {
    match storage {
        Storage::Shared => Modifiers::SHARED,
        Storage::Buffer => Modifiers::BUFFER,
        Storage::Uniform | Storage::PushConstant | Storage::ResourceHeap | Storage::SamplerHeap => {
            Modifiers::UNIFORM
        }
        Storage::Private | Storage::Const | Storage::In | Storage::Out | Storage::Other => Modifiers::NONE,
    }
}

fn member_class(analysis: &Analysis, structure: StructId, member: &Member) -> Class {
    let (storage, memory) = match &analysis.module.structs[structure].kind {
        StructKind::Plain => (Modifiers::NONE, None),
        StructKind::Block { storage, memory, .. } => (storage_modifiers(*storage), Some(memory)),
        StructKind::Reference { memory, .. } => (Modifiers::BUFFER, Some(memory)),
    };
    let readonly = member.memory.readonly
        || memory.is_some_and(|memory| memory.readonly)
        || storage == Modifiers::UNIFORM;
    let modifiers = matrix_use(analysis, member.ty).with(storage).with_if(readonly, Modifiers::READONLY);
    (TokenKind::Property, modifiers)
}

fn struct_class(analysis: &Analysis, id: StructId) -> Class {
    match &analysis.module.structs[id].kind {
        StructKind::Plain => (TokenKind::Struct, Modifiers::NONE),
        StructKind::Block { storage, .. } => (TokenKind::Interface, storage_modifiers(*storage)),
        StructKind::Reference { .. } => (TokenKind::Struct, Modifiers::BUFFER),
    }
}

/// The use of a matrix, or of the matrices in an array; under the configuration's values where it is symbolic.
fn matrix_use(analysis: &Analysis, ty: Ty) -> Modifiers {
    match analysis.module.types.kind(ty) {
        TypeKind::Array(element, _) => matrix_use(analysis, *element),
        TypeKind::Coopmat(matrix) => match configured_value(analysis, matrix.usage) {
            Some(values::GL_MATRIX_USE_A) => Modifiers::MATRIX_A,
            Some(values::GL_MATRIX_USE_B) => Modifiers::MATRIX_B,
            Some(values::GL_MATRIX_USE_ACCUMULATOR) => Modifiers::MATRIX_ACCUMULATOR,
            _ => Modifiers::NONE,
        },
        _ => Modifiers::NONE,
    }
}
