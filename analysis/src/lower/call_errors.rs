//! What is said about a call that no overload fits, or several fit equally well.

use super::calls::accepts_count;
use super::{Lowerer, overloads};
use crate::diagnostics::codes;
use crate::extensions::{BuiltinFunction, BuiltinFunctionId, Change};
use crate::hir::{Definition, Direction, ExprId, FunctionId, Place};
use crate::text::TextRange;
use crate::types::Ty;

impl<'a> Lowerer<'a> {
    /// A function of the text as its declaration has it.
    pub(super) fn signature(&self, function: FunctionId) -> String {
        let declared = &self.module.functions[function];
        let parameters: Vec<String> = declared
            .parameters
            .iter()
            .map(|parameter| {
                let direction = match parameter.direction {
                    Direction::In => "",
                    Direction::Out => "out ",
                    Direction::InOut => "inout ",
                };
                let space = if parameter.name.is_empty() { "" } else { " " };
                format!("{direction}{}{space}{}", self.display(parameter.ty), parameter.name)
            })
            .collect();
        format!("{} {}({})", self.display(declared.return_type), declared.name, parameters.join(", "))
    }

    fn display_types(&self, types: &[Ty]) -> String {
        let types: Vec<String> = types.iter().map(|&ty| self.display(ty)).collect();
        types.join(", ")
    }

    pub(super) fn report_ambiguous(
        &mut self,
        name: &str,
        name_range: TextRange,
        types: &[Ty],
        signatures: &[String],
    ) {
        // An extension that is not analysed may have the overload that fits, or other conversions.
        if self.environment.may_change(Change::Conversions) {
            return;
        }
        let arguments = self.display_types(types);
        let candidates: Vec<String> =
            signatures.iter().take(4).map(|signature| format!("`{signature}`")).collect();
        self.report(
            &codes::AMBIGUOUS_CALL,
            name_range,
            format!(
                "the call of `{name}` with ({arguments}) is ambiguous, as several overloads fit equally well: {}; convert an argument to choose one",
                candidates.join(", ")
            ),
        );
    }

    pub(super) fn no_user_overload(
        &mut self,
        name: &str,
        name_range: TextRange,
        user: &[FunctionId],
        arguments: &[ExprId],
        types: &[Ty],
    ) {
        let given = self.display_types(types);
        let related: Vec<(Place, String)> = user
            .iter()
            .take(8)
            .map(|&function| (Place::Definition(Definition::Function(function)), self.signature(function)))
            .collect();
        if let &[function] = user {
            let signature = self.signature(function);
            let needed = self.module.functions[function].parameters.len();
            let missing = self.missing_user_argument(function, arguments);
            self.report_with(
                &codes::NO_MATCHING_OVERLOAD,
                name_range,
                format!(
                    "`{name}` takes {needed} argument{}, but {} given{missing}: `{signature}`",
                    if needed == 1 { "" } else { "s" },
                    count_of(arguments.len())
                ),
                related,
            );
            return;
        }
        let nearest = user
            .iter()
            .copied()
            .filter(|&function| self.module.functions[function].parameters.len() == types.len())
            .max_by_key(|&function| {
                let parameters = &self.module.functions[function].parameters;
                parameters
                    .iter()
                    .zip(types)
                    .filter(|(parameter, ty)| self.converts_implicitly(**ty, parameter.ty))
                    .count()
            });
        let reason = match nearest {
            None => {
                let mut counts: Vec<usize> =
                    user.iter().map(|&function| self.module.functions[function].parameters.len()).collect();
                counts.sort_unstable();
                counts.dedup();
                let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
                format!("it takes {} arguments", counts.join(" or "))
            }
            Some(function) => {
                let parameters = &self.module.functions[function].parameters;
                let wrong = parameters
                    .iter()
                    .zip(types)
                    .find(|(parameter, ty)| !self.converts_implicitly(**ty, parameter.ty));
                match wrong {
                    Some((parameter, &ty)) => {
                        let why = match self.matrix_difference(parameter.ty, ty) {
                            Some(difference) => format!(" ({difference})"),
                            None => String::new(),
                        };
                        format!(
                            "the nearest is `{}`, whose `{}` is `{}`, not `{}`{why}",
                            self.signature(function),
                            parameter.name,
                            self.display(parameter.ty),
                            self.display(ty)
                        )
                    }
                    None => format!("the nearest is `{}`", self.signature(function)),
                }
            }
        };
        self.report_with(
            &codes::NO_MATCHING_OVERLOAD,
            name_range,
            format!("no overload of `{name}` takes ({given}): {reason}"),
            related,
        );
    }

    pub(super) fn no_builtin_overload(
        &mut self,
        name: &str,
        name_range: TextRange,
        all: &[(BuiltinFunctionId, &'static BuiltinFunction)],
        arguments: &[ExprId],
        types: &[Ty],
    ) {
        if self.environment.may_change(Change::Conversions) {
            return;
        }
        let given = self.display_types(types);
        let mut usable: Vec<_> =
            all.iter().copied().filter(|(_, function)| self.is_available(function)).collect();
        if usable.is_empty() {
            usable = all.to_vec();
        }
        let counted: Vec<_> =
            usable.iter().copied().filter(|(_, function)| accepts_count(function, types.len())).collect();
        let related: Vec<(Place, String)> = usable
            .iter()
            .take(8)
            .map(|(id, function)| {
                (Place::Definition(Definition::BuiltinFunction(*id)), function.signature.to_owned())
            })
            .collect();
        if counted.is_empty() {
            let required = |function: &BuiltinFunction| {
                function.parameters.iter().filter(|parameter| parameter.default.is_none()).count()
            };
            let mut counts: Vec<usize> = usable
                .iter()
                .flat_map(|(_, function)| required(function)..=function.parameters.len())
                .collect();
            counts.sort_unstable();
            counts.dedup();
            let plural = if counts == [1] { "" } else { "s" };
            let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
            let least = if usable.iter().any(|(_, function)| function.variadic) { "at least " } else { "" };
            let signature = usable.first().map(|(_, function)| function.signature).unwrap_or_default();
            let missing = match usable.as_slice() {
                &[(_, only)] => self.missing_builtin_argument(only, arguments, name_range),
                _ => String::new(),
            };
            self.report_with(
                &codes::NO_MATCHING_OVERLOAD,
                name_range,
                format!(
                    "`{name}` takes {least}{} argument{plural}, but {} given{missing}: `{signature}`",
                    counts.join(" or "),
                    count_of(arguments.len())
                ),
                related,
            );
            return;
        }
        // The nearest overload takes the most arguments before the first that it does not take.
        let mut nearest: Option<(usize, usize, &'static BuiltinFunction)> = None;
        for &(_, function) in &counted {
            let mut binding = overloads::Binding::default();
            let mut fitting = 0;
            let mut first_wrong = None;
            for (index, (parameter, &ty)) in function.parameters.iter().zip(types).enumerate() {
                match self.match_pattern(&parameter.pattern, ty, parameter.direction, &mut binding) {
                    Some(_) => fitting += 1,
                    None => first_wrong = first_wrong.or(Some(index)),
                }
            }
            let wrong = first_wrong.unwrap_or_default();
            if nearest.is_none_or(|(best, ..)| fitting > best) {
                nearest = Some((fitting, wrong, function));
            }
        }
        let reason = match nearest {
            Some((_, wrong, function)) => match (function.parameters.get(wrong), types.get(wrong)) {
                (Some(parameter), Some(&ty)) => {
                    let have = self.display(ty);
                    format!(
                        "the nearest is `{}`, whose `{}` cannot be `{have}`",
                        function.signature, parameter.name
                    )
                }
                _ => format!("the nearest is `{}`", function.signature),
            },
            None => String::new(),
        };
        self.report_with(
            &codes::NO_MATCHING_OVERLOAD,
            name_range,
            format!("no overload of `{name}` takes ({given}): {reason}"),
            related,
        );
    }
}

fn count_of(count: usize) -> String {
    match count {
        0 => "none is".to_owned(),
        1 => "1 is".to_owned(),
        count => format!("{count} are"),
    }
}
