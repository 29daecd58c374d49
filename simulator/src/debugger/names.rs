//! Types in GLSL's words.

use coopmat_spirv::spirv::StorageClass;

use crate::matrix::{Component, MatrixType, Scope, Use};
use crate::numerics::Format;
use crate::program::ProgramData;
use crate::program::types::{Scalar, Type, TypeId};

/// How deep a name goes into arrays and pointers.
const DEPTH: u32 = 8;

pub(super) fn component_name(component: Component) -> &'static str {
    match component {
        Component::Float(Format::F32) => "float",
        Component::Float(Format::F64) => "double",
        Component::Integer { width: 32, signed: true } => "int",
        Component::Integer { width: 32, signed: false } => "uint",
        other => other.name(),
    }
}

fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::Integer { width, signed } => component_name(Component::Integer { width, signed }),
        Scalar::Float(format) => component_name(Component::Float(format)),
        Scalar::Address | Scalar::Index => "pointer",
    }
}

/// What a vector's name begins with.
fn vector_prefix(scalar: Scalar) -> Option<&'static str> {
    Some(match scalar {
        Scalar::Bool => "b",
        Scalar::Float(Format::F32) => "",
        Scalar::Float(Format::F64) => "d",
        Scalar::Float(Format::F16) => "f16",
        Scalar::Float(Format::BF16) => "bf16",
        Scalar::Float(Format::E4M3) => "fe4m3",
        Scalar::Float(Format::E5M2) => "fe5m2",
        Scalar::Integer { width: 32, signed: true } => "i",
        Scalar::Integer { width: 32, signed: false } => "u",
        Scalar::Integer { width: 8, signed: true } => "i8",
        Scalar::Integer { width: 8, signed: false } => "u8",
        Scalar::Integer { width: 16, signed: true } => "i16",
        Scalar::Integer { width: 16, signed: false } => "u16",
        Scalar::Integer { width: 64, signed: true } => "i64",
        Scalar::Integer { width: 64, signed: false } => "u64",
        Scalar::Float(_) | Scalar::Integer { .. } | Scalar::Address | Scalar::Index => return None,
    })
}

pub(super) fn matrix_name(type_: &MatrixType) -> String {
    let MatrixType { rows, columns, .. } = type_;
    let component = component_name(type_.component);
    let scope = match type_.scope {
        Scope::Subgroup => "gl_ScopeSubgroup",
        Scope::Workgroup => "gl_ScopeWorkgroup",
    };
    let use_ = match type_.use_ {
        Use::A => "gl_MatrixUseA",
        Use::B => "gl_MatrixUseB",
        Use::Accumulator => "gl_MatrixUseAccumulator",
        Use::Unspecified => {
            return format!("fcoopmatNV<{}, {scope}, {rows}, {columns}>", type_.component.width());
        }
    };
    format!("coopmat<{component}, {scope}, {rows}, {columns}, {use_}>")
}

/// A type as a shader writes it.
pub(super) fn type_name(program: &ProgramData, id: TypeId) -> String {
    nested_name(program, id, DEPTH)
}

fn nested_name(program: &ProgramData, id: TypeId, depth: u32) -> String {
    let Some(depth) = depth.checked_sub(1) else { return "…".to_owned() };
    let types = &program.types;
    match types.get(id) {
        Type::Void => "void".to_owned(),
        Type::Bool | Type::Integer { .. } | Type::Float(_) => {
            types.scalar(id).map_or("?", scalar_name).to_owned()
        }
        Type::Vector { component, count } => {
            let name = types.scalar(*component).map_or("?", scalar_name);
            if program.is_cooperative_vector(id) {
                return format!("coopvecNV<{name}, {count}>");
            }
            match types.scalar(*component).and_then(vector_prefix).filter(|_| (2..=4).contains(count)) {
                Some(prefix) => format!("{prefix}vec{count}"),
                None => format!("vector<{name}, {count}>"),
            }
        }
        Type::Matrix { column, count } => {
            let rows = types.part_count(*column);
            let component = types.element(*column).and_then(|component| types.scalar(component));
            let prefix = component.and_then(vector_prefix).unwrap_or_default();
            if rows == *count { format!("{prefix}mat{rows}") } else { format!("{prefix}mat{count}x{rows}") }
        }
        Type::Array { .. } | Type::RuntimeArray { .. } => {
            let (mut element, mut sizes, mut depth) = (id, String::new(), DEPTH);
            loop {
                match types.get(element) {
                    Type::Array { element: inner, length, .. } if depth > 0 => {
                        sizes.push_str(&format!("[{length}]"));
                        element = *inner;
                    }
                    Type::RuntimeArray { element: inner, .. } if depth > 0 => {
                        sizes.push_str("[]");
                        element = *inner;
                    }
                    _ => break,
                }
                depth -= 1;
            }
            format!("{}{sizes}", nested_name(program, element, depth))
        }
        Type::Structure { .. } => {
            program.names.types.get(&id).cloned().unwrap_or_else(|| "struct".to_owned())
        }
        Type::Pointer { storage, pointee } => match (storage, pointee) {
            (StorageClass::PhysicalStorageBuffer, Some(pointee)) => nested_name(program, *pointee, depth),
            (_, Some(pointee)) => nested_name(program, *pointee, depth),
            (_, None) => "pointer".to_owned(),
        },
        Type::CooperativeMatrix(matrix) => matrix_name(matrix),
        Type::TensorLayout { dimensions, .. } => format!("tensorLayoutNV<{dimensions}>"),
        Type::TensorView { dimensions, .. } => format!("tensorViewNV<{dimensions}>"),
        Type::Image(_) => "image".to_owned(),
        Type::SampledImage(_) => "sampler".to_owned(),
        Type::Sampler => "sampler".to_owned(),
        Type::Function { .. } => "function".to_owned(),
        Type::Opaque(name) => (*name).to_owned(),
    }
}
