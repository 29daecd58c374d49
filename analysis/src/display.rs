//! Types as users write them: `coopmat<float16_t, gl_ScopeSubgroup, TM, 16, gl_MatrixUseA>`, `f16vec4[8]`.

use std::fmt::Write as _;

use crate::extensions::{ConstantSet, sets};
use crate::hir::Struct;
use crate::ids::{StructKey, Table};
use crate::symbolic::{Sym, Symbols};
use crate::types::{ArrayLength, ImageDim, Opaque, OpaqueClass, Scalar, ScalarClassNv, Ty, TypeKind, Types};

/// A type as users write it.
pub fn display_type(types: &Types, structs: &Table<StructKey, Struct>, ty: Ty) -> String {
    let mut out = String::new();
    write_type(types, structs, ty, &mut out);
    out
}

/// A type as it may stand in a text: sizes that are computed get the parentheses that type arguments need, and numbers that an `int`
/// does not hold get their suffix.
pub fn type_code(types: &Types, structs: &Table<StructKey, Struct>, ty: Ty) -> String {
    let symbols = &types.symbols;
    match types.kind(ty) {
        TypeKind::Coopmat(coopmat) => format!(
            "coopmat<{}, {}, {}, {}, {}>",
            coopmat.component.name(),
            constant_code(symbols, coopmat.scope, sets::GL_SCOPE),
            size_code(symbols, coopmat.rows),
            size_code(symbols, coopmat.columns),
            constant_code(symbols, coopmat.usage, sets::GL_MATRIX_USE),
        ),
        TypeKind::LongVector(scalar, length) => {
            format!("vector<{}, {}>", scalar.name(), size_code(symbols, *length))
        }
        TypeKind::CoopVec(scalar, length) => {
            format!("coopvecNV<{}, {}>", scalar.name(), size_code(symbols, *length))
        }
        _ => display_type(types, structs, ty),
    }
}

/// A size as an argument of a type.
pub fn size_code(symbols: &Symbols, size: Sym) -> String {
    let shown = symbols.display(size);
    let mut out = String::with_capacity(shown.len() + 4);
    let other = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    for word in shown.split_inclusive(other) {
        let (name, rest) = word.split_at(word.trim_end_matches(other).len());
        out.push_str(name);
        if name.parse::<u64>().is_ok_and(|number| number > u64::from(i32::MAX as u32)) {
            out.push('u');
        }
        out.push_str(rest);
    }
    if out.contains(' ') { format!("({out})") } else { out }
}

fn constant_code(symbols: &Symbols, value: Sym, set: ConstantSet) -> String {
    match symbols.as_int(value) {
        Some(_) => display_constant(symbols, value, set),
        None => size_code(symbols, value),
    }
}

fn write_type(types: &Types, structs: &Table<StructKey, Struct>, ty: Ty, out: &mut String) {
    let symbols = &types.symbols;
    match types.kind(ty) {
        TypeKind::Error => out.push_str("<unknown>"),
        TypeKind::Void => out.push_str("void"),
        TypeKind::Scalar(scalar) => out.push_str(scalar.name()),
        TypeKind::Vector(scalar, length) => {
            let _ = write!(out, "{}{length}", scalar.vector_prefix());
        }
        TypeKind::LongVector(scalar, length) => {
            let _ = write!(out, "vector<{}, {}>", scalar.name(), symbols.display(*length));
        }
        TypeKind::CoopVec(scalar, length) => {
            let _ = write!(out, "coopvecNV<{}, {}>", scalar.name(), symbols.display(*length));
        }
        TypeKind::Matrix { component, columns, rows } => {
            let prefix = match component {
                Scalar::Float64 => "dmat",
                Scalar::Float16 => "f16mat",
                _ => "mat",
            };
            let _ = write!(out, "{prefix}{columns}");
            if columns != rows {
                let _ = write!(out, "x{rows}");
            }
        }
        TypeKind::Array(..) => {
            // The element first, then the dimensions from the outermost inwards, as they are written.
            let mut element = ty;
            let mut dimensions = String::new();
            while let TypeKind::Array(inner, length) = types.kind(element) {
                match length {
                    ArrayLength::Sized(length) => {
                        let _ = write!(dimensions, "[{}]", symbols.display(*length));
                    }
                    ArrayLength::Unsized => dimensions.push_str("[]"),
                }
                element = *inner;
            }
            write_type(types, structs, element, out);
            out.push_str(&dimensions);
        }
        TypeKind::Struct(id) | TypeKind::Reference(id) => {
            let name = structs[*id].name.as_str();
            out.push_str(if name.is_empty() { "struct {...}" } else { name });
        }
        TypeKind::Opaque(opaque) => write_opaque(opaque, out),
        TypeKind::Coopmat(coopmat) => {
            let _ = write!(
                out,
                "coopmat<{}, {}, {}, {}, {}>",
                coopmat.component.name(),
                display_constant(symbols, coopmat.scope, sets::GL_SCOPE),
                symbols.display(coopmat.rows),
                symbols.display(coopmat.columns),
                display_constant(symbols, coopmat.usage, sets::GL_MATRIX_USE),
            );
        }
        TypeKind::CoopmatNv(coopmat) => {
            let prefix = match coopmat.class {
                ScalarClassNv::Float => 'f',
                ScalarClassNv::Signed => 'i',
                ScalarClassNv::Unsigned => 'u',
            };
            let _ = write!(
                out,
                "{prefix}coopmatNV<{}, {}, {}, {}>",
                symbols.display(coopmat.bits),
                display_constant(symbols, coopmat.scope, sets::GL_SCOPE),
                symbols.display(coopmat.rows),
                symbols.display(coopmat.columns),
            );
        }
        TypeKind::TensorLayout { dim, clamp } => {
            let _ = write!(
                out,
                "tensorLayoutNV<{}, {}>",
                symbols.display(*dim),
                display_constant(symbols, *clamp, sets::GL_COOPERATIVE_MATRIX_CLAMP_MODE)
            );
        }
        TypeKind::TensorView { dim, has_dimensions, permutation } => {
            let has_dimensions = match symbols.as_int(*has_dimensions) {
                Some(0) => "false".to_owned(),
                Some(_) => "true".to_owned(),
                None => symbols.display(*has_dimensions),
            };
            let _ = write!(out, "tensorViewNV<{}, {has_dimensions}", symbols.display(*dim));
            for &entry in permutation.iter() {
                let _ = write!(out, ", {}", symbols.display(entry));
            }
            out.push('>');
        }
        TypeKind::FunctionName => out.push_str("function name"),
        TypeKind::String => out.push_str("string"),
        TypeKind::NotAnalysed(name) => out.push_str(name),
    }
}

/// A value by the name of the built-in constant of this set, or as it is.
pub fn display_constant(symbols: &Symbols, value: Sym, set: ConstantSet) -> String {
    symbols
        .as_int(value)
        .and_then(|value| set.with_value(value))
        .map_or_else(|| symbols.display(value), |constant| constant.name.to_owned())
}

fn write_opaque(opaque: &Opaque, out: &mut String) {
    let base = match opaque.class {
        OpaqueClass::SampledImage => "sampler",
        OpaqueClass::Texture => "texture",
        OpaqueClass::Image => "image",
        OpaqueClass::SubpassInput => "subpassInput",
        OpaqueClass::TileAttachment => "attachmentEXT",
        OpaqueClass::Sampler => {
            out.push_str(if opaque.shadow { "samplerShadow" } else { "sampler" });
            return;
        }
        OpaqueClass::AtomicCounter => return out.push_str("atomic_uint"),
        OpaqueClass::AccelerationStructure => return out.push_str("accelerationStructureEXT"),
        OpaqueClass::RayQuery => return out.push_str("rayQueryEXT"),
        OpaqueClass::HitObject => return out.push_str("hitObjectEXT"),
        OpaqueClass::HitObjectNv => return out.push_str("hitObjectNV"),
        OpaqueClass::Tensor => {
            let _ = write!(out, "tensorARM<{}, {}>", opaque.component.name(), opaque.rank);
            return;
        }
    };
    out.push_str(match opaque.component {
        Scalar::Int32 => "i",
        Scalar::Uint32 => "u",
        Scalar::Int64 => "i64",
        Scalar::Uint64 => "u64",
        Scalar::Float16 => "f16",
        _ => "",
    });
    out.push_str(base);
    out.push_str(match opaque.dim {
        _ if opaque.class == OpaqueClass::TileAttachment => "",
        ImageDim::D1 => "1D",
        ImageDim::D2 => "2D",
        ImageDim::D3 => "3D",
        ImageDim::Cube => "Cube",
        ImageDim::Rect => "2DRect",
        ImageDim::Buffer => "Buffer",
        ImageDim::SubpassInput => "",
    });
    if opaque.multisampled {
        out.push_str("MS");
    }
    if opaque.arrayed {
        out.push_str("Array");
    }
    if opaque.shadow {
        out.push_str("Shadow");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Coopmat;

    fn show(types: &Types, ty: Ty) -> String {
        display_type(types, &Table::default(), ty)
    }

    #[test]
    fn arrays_list_the_outermost_dimension_first() {
        let mut types = Types::default();
        let vector = types.vector(Scalar::Float16, 4);
        let (two, three) = (types.symbols.int(2), types.symbols.int(3));
        let inner = types.array(vector, ArrayLength::Sized(three));
        let outer = types.array(inner, ArrayLength::Sized(two));
        assert_eq!(show(&types, outer), "f16vec4[2][3]");
        let open = types.array(inner, ArrayLength::Unsized);
        assert_eq!(show(&types, open), "f16vec4[][3]");
    }

    #[test]
    fn matrices_name_their_parameters() {
        let mut types = Types::default();
        let [scope, rows, columns, usage] = [3, 16, 8, 0].map(|value| types.symbols.int(value));
        let matrix = types.intern(TypeKind::Coopmat(Coopmat {
            component: Scalar::Float32,
            scope,
            rows,
            columns,
            usage,
        }));
        assert!(show(&types, matrix).starts_with("coopmat<float, "));
        let matrix = types.matrix(Scalar::Float64, 2, 3);
        assert_eq!(show(&types, matrix), "dmat2x3");
    }
}
