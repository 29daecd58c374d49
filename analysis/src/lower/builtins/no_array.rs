//! What stands where a load or store of a matrix takes an array: an element of one, as a pointer to it would be passed in C, or the block
//! that holds it. The array is found in both.

use smol_str::SmolStr;

use crate::diagnostics::codes;
use crate::hir::{Const, ExprId, ExprKind, RemedyKind};
use crate::lower::Lowerer;
use crate::text::TextRange;
use crate::types::{Ty, TypeKind};

use super::matrix;
use super::memory::is_element;

/// Reports an argument that is no array, with the array that is meant.
pub(super) fn report(lowerer: &mut Lowerer<'_>, buffer: ExprId, element: Option<ExprId>, function: &str) {
    let (ty, range) = (lowerer.type_of(buffer), lowerer.range_of(buffer));
    if lowerer.types.is_error(ty) {
        return;
    }
    let mut message =
        format!("`{function}` takes an array and an offset into it, but this is `{}`", lowerer.display(ty));
    match lowerer.body.exprs[buffer].kind {
        ExprKind::Index { base, index } if is_of_numbers(lowerer, lowerer.type_of(base)) => {
            message.push_str(": pass the array, and the index as the offset");
            if let Some(moves) = moves(lowerer, buffer, base, index, element) {
                lowerer.remedy(&codes::COOPMAT_MEMORY_ELEMENT, range, RemedyKind::Replace(moves));
            }
        }
        _ => match arrays(lowerer, ty).as_slice() {
            [] => {}
            [only] => {
                message.push_str(&format!(": pass its member `{only}`"));
                let kind = RemedyKind::Member { of: range, name: only.clone() };
                lowerer.remedy(&codes::COOPMAT_MEMORY_ELEMENT, range, kind);
            }
            several => {
                let names: Vec<String> = several.iter().map(|name| format!("`{name}`")).collect();
                message.push_str(&format!(": pass one of its members {}", names.join(", ")));
            }
        },
    }
    let related = matrix::declarations(lowerer, &[buffer]);
    lowerer.report_with(&codes::COOPMAT_MEMORY_ELEMENT, range, message, related);
}

/// The array in place of its element, and the index in place of an offset of 0; `None` where both would have to be added.
fn moves(
    lowerer: &Lowerer<'_>,
    buffer: ExprId,
    base: ExprId,
    index: ExprId,
    offset: Option<ExprId>,
) -> Option<Vec<(TextRange, TextRange)>> {
    let is_zero = |expr: ExprId| lowerer.body.exprs[expr].constant == Some(Const::Int(0));
    let array = (lowerer.range_of(buffer), lowerer.range_of(base));
    if is_zero(index) {
        return Some(vec![array]);
    }
    let offset = offset.filter(|&offset| is_zero(offset))?;
    Some(vec![array, (lowerer.range_of(offset), lowerer.range_of(index))])
}

/// Whether a type is an array that a load may take, so that the fix mends the call.
fn is_of_numbers(lowerer: &Lowerer<'_>, ty: Ty) -> bool {
    let TypeKind::Array(element, _) = *lowerer.types.kind(ty) else { return false };
    lowerer.types.as_vector(element).is_some_and(|(component, count)| is_element(component, count))
}

/// The members of a block or structure that are arrays of numbers.
fn arrays(lowerer: &Lowerer<'_>, ty: Ty) -> Vec<SmolStr> {
    let (TypeKind::Struct(structure) | TypeKind::Reference(structure)) = *lowerer.types.kind(ty) else {
        return Vec::new();
    };
    let members = lowerer.module.structs[structure].members.iter();
    members.filter(|member| is_of_numbers(lowerer, member.ty)).map(|member| member.name.clone()).collect()
}
