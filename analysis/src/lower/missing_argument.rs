//! A call with one argument too few: which parameter lacks its argument, and the constants that it could be.

use smol_str::SmolStr;

use super::Lowerer;
use crate::diagnostics::codes;
use crate::extensions::{BuiltinConstant, BuiltinFunction, BuiltinParameter};
use crate::hir::{Const, ExprId, FunctionId, RemedyKind};
use crate::text::TextRange;

/// The parameters that may be the one without an argument: those before it and those after it fit as they stand.
fn missing(parameters: usize, fits: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let arguments = parameters - 1;
    let fit_around = |gap: usize| {
        (0..arguments).all(|argument| fits(argument, if argument < gap { argument } else { argument + 1 }))
    };
    (0..parameters).filter(|&gap| fit_around(gap)).collect()
}

/// What a message adds about the parameters that may be meant.
fn told(names: &[&str]) -> String {
    match names {
        [only] if !only.is_empty() => format!(", as `{only}` is missing"),
        [first, second] if !first.is_empty() && !second.is_empty() => {
            format!(", as `{first}` or `{second}` is missing")
        }
        _ => String::new(),
    }
}

impl Lowerer<'_> {
    /// Says which argument a call of a built-in lacks, where that can be told, and notes what could be written there.
    pub(super) fn missing_builtin_argument(
        &mut self,
        function: &BuiltinFunction,
        arguments: &[ExprId],
        name_range: TextRange,
    ) -> String {
        let required = function.parameters.iter().take_while(|parameter| parameter.default.is_none()).count();
        if function.variadic || arguments.len() + 1 != required {
            return String::new();
        }
        let Some(fitting) = self.builtin_fitting(function, arguments) else { return String::new() };
        let gaps = missing(required, |argument, place| {
            fitting.both(argument, place)
                && self.may_be_meant(&function.parameters[place], arguments[argument])
        });
        if let &[gap] = gaps.as_slice() {
            self.offer_constants(&function.parameters[gap], gap, arguments, name_range);
        }
        let names: Vec<&str> = gaps.iter().map(|&gap| function.parameters[gap].name).collect();
        told(&names)
    }

    /// Whether an argument has a value that its parameter takes: a stride is no memory layout.
    fn may_be_meant(&self, parameter: &BuiltinParameter, argument: ExprId) -> bool {
        let value = self.body.exprs[argument].constant.as_ref();
        match (parameter.constants, value) {
            (Some(set), Some(Const::Int(value))) => {
                set.iter().any(|(_, constant)| i128::from(constant.value) == *value)
            }
            (_, None) => !parameter.constant,
            _ => true,
        }
    }

    /// The constants that a parameter takes, each as an argument in its place. One alone is what is meant.
    fn offer_constants(
        &mut self,
        parameter: &BuiltinParameter,
        gap: usize,
        arguments: &[ExprId],
        name_range: TextRange,
    ) {
        let Some(set) = parameter.constants else { return };
        let mut usable: Vec<&'static BuiltinConstant> = set.iter().map(|(_, constant)| constant).collect();
        // The first provider is the extension that has it in its text; others bring it along.
        usable.retain(|constant| constant.providers.first().is_none_or(|&own| self.environment.enabled(own)));
        // As the specification lists them.
        usable.sort_by_key(|constant| constant.value);
        let only = usable.len() == 1;
        let (beside, after) = match gap.checked_sub(1).and_then(|before| arguments.get(before)) {
            Some(&before) => (before, true),
            None => match arguments.first() {
                Some(&first) => (first, false),
                None => return,
            },
        };
        let beside = self.range_of(beside);
        for constant in usable {
            let kind = RemedyKind::Argument { beside, after, text: SmolStr::new_static(constant.name) };
            if only {
                self.remedy(&codes::NO_MATCHING_OVERLOAD, name_range, kind);
            } else {
                self.possible_remedy(&codes::NO_MATCHING_OVERLOAD, name_range, kind);
            }
        }
    }

    /// The same of a function of the text.
    pub(super) fn missing_user_argument(&self, function: FunctionId, arguments: &[ExprId]) -> String {
        let declared = &self.module.functions[function];
        if arguments.len() + 1 != declared.parameters.len() {
            return String::new();
        }
        let gaps = missing(declared.parameters.len(), |argument, place| {
            self.fits_user_parameter(arguments[argument], &declared.parameters[place])
        });
        let names: Vec<&str> = gaps.iter().map(|&gap| declared.parameters[gap].name.as_str()).collect();
        told(&names)
    }
}

#[cfg(test)]
mod tests {
    use super::missing;

    /// The letters of the parameters that may be missing, where arguments fit parameters of the same letter.
    fn gaps(arguments: &str, parameters: &str) -> String {
        let letter = |text: &str, index: usize| text.as_bytes()[index];
        let fits = |argument, place| letter(arguments, argument) == letter(parameters, place);
        missing(parameters.len(), fits).into_iter().map(|gap| letter(parameters, gap) as char).collect()
    }

    #[test]
    fn the_parameter_around_which_all_others_fit() {
        assert_eq!(gaps("mbnn", "mbnnl"), "l");
        assert_eq!(gaps("bnnl", "mbnnl"), "m");
        assert_eq!(gaps("mbnl", "mbnnl"), "nn", "one number or the other");
        assert_eq!(gaps("xbnl", "mbnnl"), "", "another argument does not fit either");
        assert_eq!(gaps("", "m"), "m");
    }
}
