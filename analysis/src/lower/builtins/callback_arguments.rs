//! Functions named as arguments: which overload a name stands for, and whether its signature fits.

use crate::diagnostics::codes;
use crate::hir::{Definition, Direction, ExprId, ExprKind, FunctionId, Parameter, Place, RemedyKind};
use crate::lower::Lowerer;
use crate::text::TextRange;
use crate::types::{Ty, TypeKind};

/// What is wrong with a candidate; the first finding is the one to tell.
pub(super) struct Misfit {
    pub code: &'static crate::diagnostics::Code,
    pub message: String,
    /// The types that would fit, of the first parameters and of the result.
    pub wanted: Option<(Vec<Ty>, Ty)>,
}

impl Misfit {
    pub fn new(code: &'static crate::diagnostics::Code, message: String) -> Misfit {
        Misfit { code, message, wanted: None }
    }
}

/// A parameter with its number, for messages about unnamed ones.
pub(super) fn parameter_name(parameter: &Parameter, index: usize) -> String {
    if parameter.name.is_empty() {
        format!("parameter {}", index + 1)
    } else {
        format!("parameter `{}`", parameter.name)
    }
}

/// All parameters of a function that a matrix operation calls are `const in`.
pub(super) fn check_const_in(parameters: &[Parameter]) -> Option<Misfit> {
    parameters.iter().enumerate().find_map(|(index, parameter)| {
        let fits = parameter.is_const && parameter.direction == Direction::In;
        (!fits).then(|| {
            let message = format!("{} must be `const in`", parameter_name(parameter, index));
            Misfit::new(&codes::NV_CALLBACK_PARAMETER, message)
        })
    })
}

/// Finds the overload that a function argument stands for and notes it in the argument. `check` tells what is wrong with a
/// candidate; `expected` is the signature that is needed, for the case that several overloads exist and none fits.
pub(super) fn resolve(
    lowerer: &mut Lowerer<'_>,
    argument: ExprId,
    expected: &str,
    check: impl Fn(&mut Lowerer<'_>, FunctionId) -> Option<Misfit>,
) -> Option<FunctionId> {
    let range = lowerer.range_of(argument);
    let ExprKind::FunctionName { name, .. } = &lowerer.body.exprs[argument].kind else {
        if !lowerer.types.is_error(lowerer.type_of(argument)) {
            lowerer.report(
                &codes::NV_CALLBACK_FUNCTION,
                range,
                format!("expected the name of a function, `{expected}`"),
            );
        }
        return None;
    };
    let name = name.clone();
    let candidates: Vec<FunctionId> = lowerer.lookup_functions(&name).to_vec();
    let mut first_misfit = None;
    for &candidate in &candidates {
        match check(lowerer, candidate) {
            None => {
                choose(lowerer, argument, candidate, range);
                return Some(candidate);
            }
            Some(misfit) => first_misfit = first_misfit.or(Some((candidate, misfit))),
        }
    }
    let related = candidates
        .iter()
        .map(|&candidate| {
            (Place::Definition(Definition::Function(candidate)), format!("`{name}` is declared here"))
        })
        .collect();
    match (first_misfit, candidates.len()) {
        (Some((candidate, misfit)), 1) => {
            choose(lowerer, argument, candidate, range);
            if let Some((parameters, returns)) = misfit.wanted {
                // The body may need other types, too.
                let kind = RemedyKind::Signature { parameters, returns };
                lowerer.possible_remedy(misfit.code, range, kind);
            }
            lowerer.report_with(
                misfit.code,
                range,
                format!("`{name}` does not fit `{expected}`: {}", misfit.message),
                related,
            );
        }
        (Some((_, misfit)), count) => lowerer.report_with(
            misfit.code,
            range,
            format!("none of the {count} overloads of `{name}` fits `{expected}`"),
            related,
        ),
        (None, _) => lowerer.report(
            &codes::NV_CALLBACK_FUNCTION,
            range,
            format!("`{name}` is not a function of this shader that is declared here: expected the name of a function, `{expected}`"),
        ),
    }
    None
}

fn choose(lowerer: &mut Lowerer<'_>, argument: ExprId, function: FunctionId, range: TextRange) {
    if let ExprKind::FunctionName { function: chosen, .. } = &mut lowerer.body.exprs[argument].kind {
        *chosen = Some(function);
    }
    lowerer.record_name(range, Definition::Function(function));
}

/// The parameters of a function, copied so that the lowerer stays free.
pub(super) fn signature(lowerer: &Lowerer<'_>, function: FunctionId) -> (Vec<Parameter>, Ty) {
    let function = &lowerer.module.functions[function];
    (function.parameters.clone(), function.return_type)
}

/// Whether two types are the same, or one of them is not known.
pub(super) fn same(lowerer: &Lowerer<'_>, a: Ty, b: Ty) -> bool {
    a == b || lowerer.types.is_error(a) || lowerer.types.is_error(b)
}

pub(super) fn is_reference(lowerer: &Lowerer<'_>, ty: Ty) -> bool {
    matches!(lowerer.types.kind(ty), TypeKind::Reference(_) | TypeKind::Error | TypeKind::NotAnalysed(_))
}
