//! Arguments that fit their parameters in another order alone: told once, with the order that fits.

use smol_str::SmolStr;

use super::Lowerer;
use super::overloads::Binding;
use crate::diagnostics::codes;
use crate::extensions::{self, BuiltinConstantId, BuiltinFunction, BuiltinParameter, ParameterDirection};
use crate::hir::{Const, Direction, ExprId, ExprKind, FunctionId, Parameter, Remedy, RemedyKind};
use crate::text::TextRange;
use crate::types::TypeKind;

/// Calls with more arguments are not looked at.
const MOST_ARGUMENTS: usize = 8;

/// Which way arguments do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misordered {
    /// By their types: an error was told.
    Types,
    /// A named constant has another meaning than its parameter: a warning was told.
    Constants,
}

/// How an argument fits a parameter.
#[derive(Clone, Copy, Debug)]
struct Fit {
    /// By its type.
    typed: bool,
    /// By what it names: a constant of the parameter's set, a place that can be written.
    named: bool,
}

/// How each argument of a call fits each parameter.
pub(super) struct Fitting {
    parameters: usize,
    fits: Vec<Fit>,
}

impl Fitting {
    fn of(&self, argument: usize, place: usize) -> Fit {
        self.fits[argument * self.parameters + place]
    }

    fn typed(&self, argument: usize, place: usize) -> bool {
        self.of(argument, place).typed
    }

    fn named(&self, argument: usize, place: usize) -> bool {
        self.of(argument, place).named
    }

    pub(super) fn both(&self, argument: usize, place: usize) -> bool {
        let fit = self.of(argument, place);
        fit.typed && fit.named
    }
}

/// The argument that belongs in each place.
type Order = Vec<usize>;

/// What can be made of arguments that do not fit.
#[derive(Debug, PartialEq, Eq)]
struct Reordered {
    order: Order,
    /// No other order fits that changes as little.
    only: bool,
}

/// The order in which every argument fits, where it takes one exchange of two, or one argument that moves.
fn reordered(count: usize, fits: impl Fn(usize, usize) -> bool) -> Option<Reordered> {
    let straight: Order = (0..count).collect();
    let mut found: Vec<Order> = Vec::new();
    let mut consider = |order: Order| {
        let all = order.iter().enumerate().all(|(place, &argument)| fits(argument, place));
        if all && order != straight && !found.contains(&order) {
            found.push(order);
        }
    };
    // One that moves leaves the others in their order, so it comes first.
    for from in 0..count {
        for to in 0..count {
            let mut order = straight.clone();
            let moved = order.remove(from);
            order.insert(to, moved);
            consider(order);
        }
    }
    for first in 0..count {
        for second in first + 1..count {
            let mut order = straight.clone();
            order.swap(first, second);
            consider(order);
        }
    }
    // The one in which least changes its place.
    let way =
        |order: &Order| order.iter().enumerate().map(|(place, &from)| place.abs_diff(from)).sum::<usize>();
    let least = found.iter().map(way).min()?;
    found.retain(|order| way(order) == least);
    let only = found.len() == 1;
    found.into_iter().next().map(|order| Reordered { order, only })
}

impl Lowerer<'_> {
    /// Reports that the arguments of a call of a built-in fit in another order, where they do and where they do not as they are.
    pub(super) fn misordered_builtin(
        &mut self,
        function: &BuiltinFunction,
        arguments: &[ExprId],
    ) -> Option<Misordered> {
        let count = arguments.len();
        if function.variadic || count > MOST_ARGUMENTS || count > function.parameters.len() {
            return None;
        }
        let fitting = self.builtin_fitting(function, arguments)?;
        let found = reordered(count, |argument, place| fitting.both(argument, place));
        if (0..count).any(|place| !fitting.typed(place, place)) {
            let names: Vec<&str> = function.parameters.iter().take(count).map(|one| one.name).collect();
            self.report_order(function.name, &names, arguments, &found?);
            return Some(Misordered::Types);
        }
        let place = (0..count).find(|&place| !fitting.named(place, place))?;
        self.report_constant(function, arguments, place, found);
        Some(Misordered::Constants)
    }

    /// Which arguments fit which parameters; `None` where a type is not analysed.
    pub(super) fn builtin_fitting(
        &mut self,
        function: &BuiltinFunction,
        arguments: &[ExprId],
    ) -> Option<Fitting> {
        let parameters = function.parameters.len();
        let mut fits = Vec::with_capacity(arguments.len() * parameters);
        for (argument, &expr) in arguments.iter().enumerate() {
            let ty = self.type_of(expr);
            if matches!(self.types.kind(ty), TypeKind::NotAnalysed(_)) {
                return None;
            }
            let constant = self.enumerated(expr);
            for (place, parameter) in function.parameters.iter().enumerate() {
                let mut binding = Binding::default();
                let matched = self.match_pattern(&parameter.pattern, ty, parameter.direction, &mut binding);
                // The memory of a matrix is whatever its rule takes, but it is no matrix and no number.
                let memory = !parameter.memory || matches!(self.types.kind(ty), TypeKind::Array(..));
                let reads = parameter.direction == ParameterDirection::In;
                let writable = reads || parameter.memory || self.names_memory(expr);
                let of_set = constant
                    .is_none_or(|constant| parameter.constants.is_some_and(|set| set.contains(constant)));
                // Where it stands, what cannot be written is told by itself.
                let named = (writable || argument == place) && of_set;
                fits.push(Fit { typed: matched.is_some() && memory, named });
            }
        }
        Some(Fitting { parameters, fits })
    }

    /// A named constant where another meaning is expected.
    fn report_constant(
        &mut self,
        function: &BuiltinFunction,
        arguments: &[ExprId],
        place: usize,
        found: Option<Reordered>,
    ) {
        let (expr, parameter) = (arguments[place], function.parameters[place].name);
        let Some(set) = self.enumerated(expr).and_then(extensions::enumeration_of) else { return };
        let range = self.range_of(expr);
        if let Some(found) = found {
            let kind = RemedyKind::Reorder(self.moved(arguments, &found));
            let code = &codes::MISPLACED_CONSTANT;
            self.body.remedies.push(Remedy { code, range, kind, preferred: found.only });
        }
        let (function, prefix) = (function.name, set.prefix);
        let message =
            format!("expected `{parameter}` of `{function}`, found one of the constants `{prefix}...`");
        self.report(&codes::MISPLACED_CONSTANT, range, message);
    }

    /// The places that change, and what comes there.
    fn moved(&self, arguments: &[ExprId], found: &Reordered) -> Vec<(TextRange, TextRange)> {
        let moved = found.order.iter().enumerate().filter(|&(place, &argument)| place != argument);
        moved
            .map(|(place, &argument)| (self.range_of(arguments[place]), self.range_of(arguments[argument])))
            .collect()
    }

    /// The same of a function of the text.
    pub(super) fn misordered_user(&mut self, function: FunctionId, arguments: &[ExprId]) -> bool {
        let declared = &self.module.functions[function];
        let count = arguments.len();
        if count > MOST_ARGUMENTS || count != declared.parameters.len() {
            return false;
        }
        let fits = |argument: usize, place: usize| {
            self.fits_user_parameter(arguments[argument], &declared.parameters[place])
        };
        let Some(found) = reordered(count, fits) else { return false };
        let name = declared.name.to_string();
        let names: Vec<String> = declared.parameters.iter().map(|one| one.name.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.report_order(&name, &names, arguments, &found);
        true
    }

    /// Whether a parameter of a function of the text takes an argument.
    pub(super) fn fits_user_parameter(&self, argument: ExprId, parameter: &Parameter) -> bool {
        let (from, to) = (self.type_of(argument), parameter.ty);
        match parameter.direction {
            Direction::In => self.converts_implicitly(from, to),
            Direction::Out => self.names_memory(argument) && self.converts_implicitly(to, from),
            Direction::InOut => {
                self.names_memory(argument)
                    && self.converts_implicitly(from, to)
                    && self.converts_implicitly(to, from)
            }
        }
    }

    /// Whether an expression is a place that can be written, as far as its form tells.
    fn names_memory(&self, expr: ExprId) -> bool {
        matches!(
            self.body.exprs[expr].kind,
            ExprKind::Local(_)
                | ExprKind::Global(_)
                | ExprKind::Member { .. }
                | ExprKind::Index { .. }
                | ExprKind::Swizzle { .. }
        )
    }

    fn report_order(&mut self, function: &str, names: &[&str], arguments: &[ExprId], found: &Reordered) {
        let moved = self.moved(arguments, found);
        let Some(range) = moved.iter().map(|&(place, _)| place).reduce(TextRange::cover) else { return };
        self.body.remedies.push(Remedy {
            code: &codes::ARGUMENT_ORDER,
            range,
            kind: RemedyKind::Reorder(moved),
            preferred: found.only,
        });
        let message =
            format!("the arguments of `{function}` are out of order: it takes ({})", names.join(", "));
        self.report(&codes::ARGUMENT_ORDER, range, message);
        // What is passed may be written.
        for &argument in arguments {
            if let Some(local) = self.root_local(argument) {
                self.body.locals[local].written = true;
            }
        }
    }

    /// `false` for a memory layout, as GL_NV_cooperative_matrix has it: the constant of the same value is meant.
    pub(super) fn truth_for_constant(
        &mut self,
        parameter: &BuiltinParameter,
        argument: ExprId,
        what: &str,
    ) -> bool {
        let (Some(set), Some(&Const::Bool(value))) =
            (parameter.constants, self.body.exprs[argument].constant.as_ref())
        else {
            return false;
        };
        let range = self.range_of(argument);
        for (constant, preferred) in [(value, true), (!value, false)] {
            let Some(constant) = set.with_value(i64::from(constant)) else { continue };
            let kind = RemedyKind::Write { at: range, text: SmolStr::new_static(constant.name) };
            self.body.remedies.push(Remedy { code: &codes::TYPE_MISMATCH, range, kind, preferred });
        }
        let hint = match set.with_value(i64::from(value)) {
            Some(constant) => format!(": write `{}`", constant.name),
            None => String::new(),
        };
        let message = format!("{what} must be one of the constants `{}...`, but is `bool`{hint}", set.prefix);
        self.report(&codes::TYPE_MISMATCH, range, message);
        true
    }

    /// The constant of an enumeration that an expression names: a layout, a use, a scope.
    fn enumerated(&self, expr: ExprId) -> Option<BuiltinConstantId> {
        let ExprKind::BuiltinConstant(id) = self.body.exprs[expr].kind else { return None };
        extensions::enumeration_of(id).map(|_| id)
    }
}

#[cfg(test)]
mod tests {
    use super::reordered;

    /// The order for arguments and parameters that fit where their letters are the same.
    fn order(arguments: &str, parameters: &str) -> Option<(String, bool)> {
        let letter = |text: &str, index: usize| text.as_bytes()[index];
        let fits = |argument, place| letter(arguments, argument) == letter(parameters, place);
        let found = reordered(arguments.len(), fits)?;
        Some((found.order.iter().map(|&index| letter(arguments, index) as char).collect(), found.only))
    }

    #[test]
    fn one_exchange_or_one_move_brings_arguments_into_order() {
        assert_eq!(order("bmnnl", "mbnnl"), Some(("mbnnl".to_owned(), true)));
        assert_eq!(order("bca", "abc"), Some(("abc".to_owned(), true)));
        let either = "either number may be the first";
        assert_eq!(order("mblnn", "mbnnl"), Some(("mbnnl".to_owned(), false)), "{either}");
        assert_eq!(order("mnnbl", "mbnnl"), Some(("mbnnl".to_owned(), false)), "{either}");
        assert_eq!(order("mbnln", "mbnnl"), Some(("mbnnl".to_owned(), true)), "neighbours change places");
        assert_eq!(order("mxnnl", "mbnnl"), None);
    }
}
