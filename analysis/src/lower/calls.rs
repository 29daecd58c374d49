//! Calls: which function a name and its arguments stand for (GLSL 4.60 section 6.1), and what becomes of the arguments.

use std::rc::Rc;

use smol_str::SmolStr;
use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind};

use super::argument_order::Misordered;
use super::call_site::CallSite;
use super::conversions::Rank;
use super::environment::{Availability, Requirement};
use super::expression_state::Resolved;
use super::overloads::{self, Candidate, Selection};
use super::suggest::{closest, suggestion};
use super::{Lowerer, builtins};
use crate::diagnostics::{Severity, codes};
use crate::extensions::{
    self, BuiltinFunction, BuiltinFunctionId, Change, ParameterDirection, Pattern, Rule, ids,
};
use crate::hir::{
    Callee, Const, Definition, Direction, Expr, ExprId, ExprKind, FunctionId, Place, RemedyKind, UnknownName,
};
use crate::text::TextRange;
use crate::types::{ArrayLength, Scalar, Ty, TypeKind};

/// What a built-in makes of argument types.
struct Matched {
    result: Ty,
    parameters: Vec<Ty>,
    /// How well each argument fits.
    ranks: Vec<Rank>,
}

impl Rule {
    /// Whether the rule types its arguments by itself: the patterns of the signature are not matched strictly then.
    fn types_arguments(self) -> bool {
        match self {
            Rule::DebugPrintf
            | Rule::Abort
            | Rule::TensorAccessArm
            | Rule::TensorSizeArm
            | Rule::Convert
            | Rule::NotAnalysed => true,
            // `is_of_matrices` has the others.
            rule => rule.is_of_matrices(),
        }
    }
}

impl<'a> Lowerer<'a> {
    /// `function(arguments)`: a call, a constructor or a method.
    pub(super) fn call(&mut self, node: Node<'a>) -> ExprId {
        let range = self.range(node);
        let Some(function) = self.child(node, field::FUNCTION) else {
            return self.error_expr(range);
        };
        match function.kind_id() {
            kind::IDENTIFIER => self.named_call(node, function, range),
            kind::PRIMITIVE_TYPE | kind::GENERIC_TYPE | kind::SUBSCRIPT_EXPRESSION => {
                let ty = self.type_specifier(function);
                let arguments = self.arguments(node);
                self.construct(ty, arguments, range)
            }
            kind::FIELD_EXPRESSION => self.method_call(node, function, range),
            _ => {
                if let Some(specifier) = self.cast_type(function) {
                    let arguments = self.arguments(node);
                    let ty = self.type_specifier(specifier);
                    return match arguments[..] {
                        [value] => self.cast_to(ty, value, range),
                        // A sequence, of which no address is made.
                        _ => self.construct(ty, arguments, range),
                    };
                }
                let callee = self.expression(function);
                self.arguments(node);
                if !self.types.is_error(self.type_of(callee)) {
                    let function_range = self.range(function);
                    self.report(
                        &codes::NOT_CALLABLE,
                        function_range,
                        "this is not the name of a function".to_owned(),
                    );
                }
                self.error_expr(range)
            }
        }
    }

    fn arguments(&mut self, call: Node<'a>) -> Vec<ExprId> {
        let Some(list) = self.child(call, field::ARGUMENTS) else { return Vec::new() };
        let mut arguments = Vec::new();
        let mut cursor = self.cursor(list);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if child.is_named() && !child.is_extra() {
                    arguments.push(self.expression(child));
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
        arguments
    }

    fn method_call(&mut self, node: Node<'a>, function: Node<'a>, range: TextRange) -> ExprId {
        let (Some(base), Some(member)) =
            (self.child(function, field::BASE), self.child(function, field::MEMBER))
        else {
            return self.error_expr(range);
        };
        let base = self.expression(base);
        let arguments = self.arguments(node);
        let name_range = self.range(member);
        let name = self.node_text(member);
        let long = name == "length64" && self.environment.enabled(ids::GL_EXT_SHADER_64BIT_INDEXING);
        if name != "length" && !long {
            if !self.types.is_error(self.type_of(base)) && !self.environment.has_unknown_extension() {
                let have = self.display(self.type_of(base));
                let there = match name {
                    "length64" => "`length64()` is provided by GL_EXT_shader_64bit_indexing",
                    _ => "the only method is `length()`",
                };
                if name != "length64" {
                    let kind = RemedyKind::Write { at: name_range, text: SmolStr::new_static("length") };
                    self.remedy(&codes::NO_SUCH_MEMBER, name_range, kind);
                }
                self.report(
                    &codes::NO_SUCH_MEMBER,
                    name_range,
                    format!("`{have}` has no method `{name}`: {there}"),
                );
            }
            return self.error_expr(range);
        }
        if let Some(&first) = arguments.first() {
            let first_range = self.range_of(first);
            self.report(&codes::NO_MATCHING_OVERLOAD, first_range, format!("`{name}()` takes no arguments"));
        }
        self.length(base, if long { Scalar::Int64 } else { Scalar::Int32 }, name_range, range)
    }

    fn named_call(&mut self, node: Node<'a>, function: Node<'a>, range: TextRange) -> ExprId {
        let name = self.node_text(function);
        let name_range = self.range(function);
        if let Some(definition) = self.scopes.find(name).cloned() {
            if let Definition::Struct(_) = definition {
                let ty = self.type_specifier(function);
                let arguments = self.arguments(node);
                return self.construct(ty, arguments, range);
            }
            // A variable hides the functions of its name.
            let arguments = self.arguments(node);
            if let Definition::Global(id) = definition
                && self.types.is_error(self.module.globals[id].ty)
            {
                // A subroutine, perhaps.
                let _ = arguments;
                return self.error_expr(range);
            }
            self.report_with(
                &codes::NOT_CALLABLE,
                name_range,
                format!("`{name}` is a variable here, which cannot be called"),
                vec![(Place::Definition(definition), format!("`{name}` is declared here"))],
            );
            return self.error_expr(range);
        }
        let user: Vec<FunctionId> = self.lookup_functions(name).to_vec();
        let builtins = extensions::functions(name);
        if user.is_empty() && builtins.len() == 0 {
            if extensions::type_(name).is_some() {
                let ty = self.type_specifier(function);
                let arguments = self.arguments(node);
                return self.construct(ty, arguments, range);
            }
            let reported = self.body.diagnostics.len();
            let arguments = self.arguments(node);
            // A qualifier that is written like a call: the value stays what it is.
            if let ("nonuniformEXT", &[argument]) = (name, arguments.as_slice()) {
                self.body.nonuniform.push(argument);
                return argument;
            }
            if function.is_missing() || self.environment.has_unknown_extension() {
                return self.error_expr(range);
            }
            let close = if self.may_suggest() {
                let candidates = self
                    .scopes
                    .names()
                    .filter(|name| !self.scopes.functions(name).is_empty())
                    .chain(extensions::all_functions().map(|(_, function)| function.name));
                closest(name, candidates).map(SmolStr::new)
            } else {
                None
            };
            let hint = suggestion(close.as_deref());
            self.report(&codes::UNDECLARED_NAME, name_range, format!("no function is called `{name}`{hint}"));
            // GLSL 4.60, sections 4.1.9 and 6.1: parameters are values, and arrays among them have a length.
            let takes_array = arguments.iter().any(|&argument| {
                matches!(self.types.as_array(self.type_of(argument)), Some((_, ArrayLength::Unsized)))
            });
            let in_arguments = self.body.diagnostics.get(reported..).unwrap_or_default();
            let takes_type = in_arguments.iter().any(|told| told.code == &codes::TYPE_AS_VALUE);
            let only_macro = takes_array || takes_type;
            let unknown = UnknownName { range: name_range, close, call: Some(range), only_macro };
            self.body.unknown_names.push(unknown);
            return self.error_expr(range);
        }
        let arguments = self.arguments(node);
        if let ("nonuniformEXT", &[argument]) = (name, arguments.as_slice()) {
            self.body.nonuniform.push(argument);
            return argument;
        }
        let silent = arguments.iter().any(|&argument| self.types.is_error(self.type_of(argument)));
        if silent {
            return self.silent_call(name, name_range, &user, arguments, range);
        }
        if user.is_empty() {
            return self.builtin_call(name, name_range, arguments, range);
        }
        self.user_call(name, name_range, user, arguments, range)
    }

    /// A call with an argument that was reported: nothing more is said about it, but its type is kept where all overloads agree.
    fn silent_call(
        &mut self,
        name: &str,
        name_range: TextRange,
        user: &[FunctionId],
        arguments: Vec<ExprId>,
        range: TextRange,
    ) -> ExprId {
        // What is passed may be written.
        for &argument in &arguments {
            if let Some(local) = self.root_local(argument) {
                self.body.locals[local].written = true;
            }
        }
        let (callee, ty) = match *user {
            [function] => {
                self.record_name(name_range, Definition::Function(function));
                (Callee::Function(function), self.module.functions[function].return_type)
            }
            _ => match extensions::functions(name).next() {
                Some((id, builtin)) if user.is_empty() => {
                    self.record_name(name_range, Definition::BuiltinFunction(id));
                    let same = extensions::functions(name).all(|(_, other)| other.result == builtin.result);
                    let ty = match builtin.result {
                        Pattern::Void | Pattern::Scalar(_) | Pattern::Vector(..) if same => {
                            self.pattern_type(&builtin.result).unwrap_or(Ty::ERROR)
                        }
                        _ => Ty::ERROR,
                    };
                    (Callee::Builtin(id), ty)
                }
                _ => return self.error_expr(range),
            },
        };
        let kind = ExprKind::Call { callee, arguments };
        self.body.exprs.alloc(Expr { kind, ty, range, constant: None })
    }

    fn user_call(
        &mut self,
        name: &'a str,
        name_range: TextRange,
        user: Vec<FunctionId>,
        arguments: Vec<ExprId>,
        range: TextRange,
    ) -> ExprId {
        let types: Vec<Ty> = arguments.iter().map(|&argument| self.type_of(argument)).collect();
        // Most functions have one overload, and most arguments are of the parameters' types.
        let exact = user.iter().copied().find(|&function| {
            let parameters = &self.module.functions[function].parameters;
            parameters.len() == types.len()
                && parameters
                    .iter()
                    .zip(&types)
                    .all(|(parameter, &ty)| self.types.may_be_same(parameter.ty, ty))
        });
        if let Some(function) = exact {
            return self.finish_user_call(function, name_range, arguments, range);
        }
        // Overloads of the built-in of the same name are candidates where none of the text's own fit.
        let mut candidates = Vec::new();
        for &function in &user {
            if let Some(ranks) = self.user_ranks(function, &types) {
                candidates.push(Candidate { value: function, ranks });
            }
        }
        match overloads::select(&candidates) {
            Selection::One(function) => self.finish_user_call(function, name_range, arguments, range),
            Selection::Ambiguous => {
                let signatures: Vec<String> =
                    candidates.iter().map(|candidate| self.signature(candidate.value)).collect();
                self.report_ambiguous(name, name_range, &types, &signatures);
                self.error_expr(range)
            }
            Selection::None => {
                if extensions::functions(name).len() > 0 && self.builtin_fits(name, &types) {
                    return self.builtin_call(name, name_range, arguments, range);
                }
                if let &[function] = user.as_slice()
                    && self.module.functions[function].parameters.len() == arguments.len()
                {
                    if self.misordered_user(function, &arguments) {
                        return self.silent_call(name, name_range, &user, arguments, range);
                    }
                    return self.finish_user_call(function, name_range, arguments, range);
                }
                self.no_user_overload(name, name_range, &user, &arguments, &types);
                self.error_expr(range)
            }
        }
    }

    /// How well each argument fits; `None` where the function does not take them.
    fn user_ranks(&self, function: FunctionId, types: &[Ty]) -> Option<Vec<Rank>> {
        let parameters = &self.module.functions[function].parameters;
        if parameters.len() != types.len() {
            return None;
        }
        parameters
            .iter()
            .zip(types)
            .map(|(parameter, &ty)| match parameter.direction {
                Direction::In => self.rank(ty, parameter.ty),
                Direction::Out => self.rank(parameter.ty, ty),
                Direction::InOut => {
                    let (to, back) = (self.rank(ty, parameter.ty)?, self.rank(parameter.ty, ty)?);
                    Some(to.max(back))
                }
            })
            .collect()
    }

    /// How good the implicit conversion between two types is.
    pub(super) fn rank(&self, from: Ty, to: Ty) -> Option<Rank> {
        if self.types.may_be_same(from, to) {
            return Some(Rank::Exact);
        }
        match (self.types.shape(from), self.types.shape(to)) {
            (Some((from, shape)), Some((to, other))) if shape == other => self.conversion_rank(from, to),
            _ => None,
        }
    }

    fn finish_user_call(
        &mut self,
        function: FunctionId,
        name_range: TextRange,
        mut arguments: Vec<ExprId>,
        range: TextRange,
    ) -> ExprId {
        self.record_name(name_range, Definition::Function(function));
        for (index, argument) in arguments.iter_mut().enumerate() {
            let declared = &self.module.functions[function];
            let Some(parameter) = declared.parameters.get(index) else { break };
            let (ty, direction) = (parameter.ty, parameter.direction);
            let from = self.body.exprs[*argument].ty;
            let qualified = matches!(self.types.kind(from), TypeKind::Opaque(_) | TypeKind::Reference(_));
            if direction == Direction::In && from == ty && !qualified {
                continue;
            }
            let what = if parameter.name.is_empty() {
                format!("argument {} of `{}`", index + 1, declared.name)
            } else {
                format!("the argument `{}` of `{}`", parameter.name, declared.name)
            };
            if qualified {
                self.check_qualified_argument(function, index, *argument, &what);
            }
            match direction {
                Direction::In => *argument = self.convert(*argument, ty, &what),
                Direction::Out | Direction::InOut => {
                    if self.pass(direction, *argument, &what) && self.rank(ty, from).is_none() {
                        self.report_mismatch(*argument, ty, &what);
                    }
                }
            }
        }
        let declared = &self.module.functions[function];
        let ty = declared.return_type;
        let kind = ExprKind::Call { callee: Callee::Function(function), arguments };
        self.body.exprs.alloc(Expr { kind, ty, range, constant: None })
    }

    /// Whether some overload of a built-in takes arguments of these types.
    fn builtin_fits(&mut self, name: &str, types: &[Ty]) -> bool {
        let all: Vec<_> = extensions::functions(name).collect();
        all.into_iter().any(|(_, function)| self.match_builtin(function, types).is_some())
    }

    fn builtin_call(
        &mut self,
        name: &'a str,
        name_range: TextRange,
        arguments: Vec<ExprId>,
        range: TextRange,
    ) -> ExprId {
        self.refresh_caches();
        let mut overloads = extensions::functions(name);
        let Some((first, function)) = overloads.next() else {
            return self.error_expr(range);
        };
        if function.rule.is_some_and(Rule::types_arguments) {
            return self.ruled_call(name, name_range, arguments, range);
        }
        let types: Vec<Ty> = arguments.iter().map(|&argument| self.type_of(argument)).collect();
        let known = self.expressions.overloads.get(first, &types);
        let resolved = match known {
            Some(resolved) => resolved,
            None => {
                let Some(resolved) = self.resolve_builtin(name, name_range, &arguments, &types) else {
                    return self.error_expr(range);
                };
                let resolved = Rc::new(resolved);
                self.expressions.overloads.insert(first, &types, Rc::clone(&resolved));
                resolved
            }
        };
        let id = resolved.function;
        let function = extensions::function(id);
        self.record_name(name_range, Definition::BuiltinFunction(id));
        self.provider_check(function.name, function, name_range);
        let mut arguments = arguments;
        for (index, argument) in arguments.iter_mut().enumerate() {
            let Some(parameter) = function.parameters.get(index) else { break };
            if parameter.direction == ParameterDirection::In {
                if parameter.constant && self.body.exprs[*argument].constant.is_none() {
                    let argument_range = self.range_of(*argument);
                    let what = self.not_constant_because(*argument);
                    self.report(
                        &codes::CONSTANT_REQUIRED,
                        argument_range,
                        format!("the argument `{}` of `{name}` must be constant{what}", parameter.name),
                    );
                }
                if let Some(&ty) = resolved.parameters.get(index)
                    && ty != Ty::ERROR
                {
                    *argument = self.converted(*argument, ty);
                }
            } else {
                self.pass_builtin(parameter, name, *argument);
            }
        }
        builtins::images::check_access(self, function, &arguments);
        self.storage_only_call(function, &arguments);
        let mut ty = resolved.result;
        if let Some(rule) = function.rule {
            let call = CallSite { function: id, name_range, range, arguments: &arguments, result: ty };
            ty = builtins::apply(rule, self, &call);
        }
        let constant = if function.constant { self.fold_call(function, &arguments, ty) } else { None };
        let kind = ExprKind::Call { callee: Callee::Builtin(id), arguments };
        self.body.exprs.alloc(Expr { kind, ty, range, constant })
    }

    /// Passes an argument to a parameter that a built-in writes.
    fn pass_builtin(
        &mut self,
        parameter: &extensions::BuiltinParameter,
        name: &str,
        argument: ExprId,
    ) -> bool {
        let what = format!("the argument `{}` of `{name}`", parameter.name);
        match parameter.direction {
            ParameterDirection::In => true,
            // What is no array has the array in it, which the rule says.
            _ if parameter.memory
                && !matches!(self.types.kind(self.type_of(argument)), TypeKind::Array(..)) =>
            {
                true
            }
            ParameterDirection::Out | ParameterDirection::InOut => self.check_assignable(argument, &what),
        }
    }

    pub(super) fn is_available(&self, function: &'static BuiltinFunction) -> bool {
        matches!(
            self.environment.availability(&Requirement::from(function)),
            Availability::Available | Availability::Warned(_)
        )
    }

    fn resolve_builtin(
        &mut self,
        name: &str,
        name_range: TextRange,
        arguments: &[ExprId],
        types: &[Ty],
    ) -> Option<Resolved> {
        let all: Vec<(BuiltinFunctionId, &'static BuiltinFunction)> = extensions::functions(name).collect();
        // What is enabled first; the rest only to say which extension is missing.
        let mut candidates = Vec::new();
        for available in [true, false] {
            for &(id, function) in &all {
                if self.is_available(function) != available {
                    continue;
                }
                if let Some(Matched { result, parameters, ranks }) = self.match_builtin(function, types) {
                    let exact = ranks.iter().all(|&rank| rank == Rank::Exact);
                    let resolved = Resolved { function: id, result, parameters };
                    if exact {
                        return Some(resolved);
                    }
                    // Of a scalar, `genUType` and `uint` are the same.
                    let known = |candidate: &Candidate<Resolved>| {
                        candidate.value.parameters == resolved.parameters
                            && candidate.value.result == resolved.result
                    };
                    if candidates.iter().any(known) {
                        continue;
                    }
                    candidates.push(Candidate { value: resolved, ranks });
                }
            }
            if !candidates.is_empty() {
                break;
            }
        }
        if let Some(extended) = self.extended_types(&all, types) {
            return Some(extended);
        }
        let mut selection = overloads::select_index(&candidates);
        if matches!(selection, Selection::Ambiguous) {
            // None of them is enabled: what needs fewer extensions is meant.
            let lacks = |id| {
                let requirement = Requirement::from(extensions::function(id));
                matches!(self.environment.availability(&requirement), Availability::MissingNeed(_))
            };
            let (lacking, others): (Vec<_>, Vec<_>) =
                candidates.into_iter().partition(|candidate| lacks(candidate.value.function));
            candidates = if others.is_empty() { lacking } else { others };
            selection = overloads::select_index(&candidates);
        }
        match selection {
            Selection::One(index) => Some(candidates.swap_remove(index).value),
            Selection::Ambiguous => {
                let signatures: Vec<String> = candidates
                    .iter()
                    .map(|candidate| extensions::function(candidate.value.function).signature.to_owned())
                    .collect();
                self.report_ambiguous(name, name_range, types, &signatures);
                None
            }
            Selection::None => {
                self.no_builtin_overload(name, name_range, &all, arguments, types);
                None
            }
        }
    }

    /// A subgroup operation on exactly these types, which another extension brings: converting to what is there instead is not
    /// what compilers do.
    fn extended_types(
        &mut self,
        all: &[(BuiltinFunctionId, &'static BuiltinFunction)],
        types: &[Ty],
    ) -> Option<Resolved> {
        for &(id, function) in all {
            let missing = matches!(function.rule, Some(Rule::Subgroup | Rule::SubgroupClustered))
                && matches!(
                    self.environment.availability(&Requirement::from(function)),
                    Availability::MissingNeed(_)
                );
            if missing
                && let Some(Matched { result, parameters, ranks }) = self.match_builtin(function, types)
                && ranks.iter().all(|&rank| rank == Rank::Exact)
            {
                return Some(Resolved { function: id, result, parameters });
            }
        }
        None
    }

    /// What a built-in makes of argument types: its result, its parameters' types, and how well each argument fits.
    fn match_builtin(&mut self, function: &BuiltinFunction, types: &[Ty]) -> Option<Matched> {
        let parameters = function.parameters;
        if !accepts_count(function, types.len()) {
            return None;
        }
        let mut binding = overloads::Binding::default();
        let mut ranks = Vec::with_capacity(types.len());
        let mut converted = Vec::with_capacity(types.len());
        for (index, &ty) in types.iter().enumerate() {
            let Some(parameter) = parameters.get(index) else {
                ranks.push(Rank::Exact);
                converted.push(Ty::ERROR);
                continue;
            };
            let (target, rank) =
                self.match_pattern(&parameter.pattern, ty, parameter.direction, &mut binding)?;
            ranks.push(rank);
            converted.push(target);
        }
        let result = self.bound_type(&function.result, &binding);
        Some(Matched { result, parameters: converted, ranks })
    }

    /// A built-in whose rule looks at the arguments itself: the number of arguments and plain parameters are all that is
    /// checked before it.
    fn ruled_call(
        &mut self,
        name: &'a str,
        name_range: TextRange,
        mut arguments: Vec<ExprId>,
        range: TextRange,
    ) -> ExprId {
        let types: Vec<Ty> = arguments.iter().map(|&argument| self.type_of(argument)).collect();
        let all: Vec<_> = extensions::functions(name).collect();
        let counted: Vec<_> =
            all.iter().copied().filter(|(_, function)| accepts_count(function, types.len())).collect();
        // Entries of one name differ in the number of arguments, or in what stands at one place.
        let mut chosen = counted.first().copied();
        if counted.len() > 1 {
            match self.select_ruled(&counted, &types) {
                Ok(selected) => chosen = selected.or(chosen),
                Err(signatures) => {
                    self.record_name(name_range, Definition::BuiltinFunction(counted[0].0));
                    self.report_ambiguous(name, name_range, &types, &signatures);
                    return self.error_expr(range);
                }
            }
        }
        let Some((id, function)) = chosen else {
            if let Some(&(id, function)) = all.first() {
                self.record_name(name_range, Definition::BuiltinFunction(id));
                self.provider_check(function.name, function, name_range);
            }
            self.no_builtin_overload(name, name_range, &all, &arguments, &types);
            return self.error_expr(range);
        };
        self.record_name(name_range, Definition::BuiltinFunction(id));
        self.provider_check(function.name, function, name_range);
        let misordered = self.misordered_builtin(function, &arguments);
        let reported = self.body.diagnostics.len();
        let mut sound = misordered != Some(Misordered::Types);
        for (index, argument) in arguments.iter_mut().enumerate() {
            let Some(parameter) = function.parameters.get(index).filter(|_| sound) else { break };
            if parameter.direction != ParameterDirection::In {
                sound &= self.pass_builtin(parameter, name, *argument);
            } else if let Some(ty) = self.plain_type(&parameter.pattern) {
                // An extension that is not analysed may take other types.
                if !self.converts_implicitly(self.type_of(*argument), ty)
                    && self.environment.may_change(Change::Conversions)
                {
                    sound = false;
                    continue;
                }
                if builtins::nv2_tensor::wants_bits(self, function, *argument) {
                    sound = false;
                    continue;
                }
                let what = format!("the argument `{}` of `{name}`", parameter.name);
                if self.truth_for_constant(parameter, *argument, &what) {
                    sound = false;
                    continue;
                }
                *argument = self.convert(*argument, ty, &what);
                sound &= !self.types.is_error(self.type_of(*argument));
            }
        }
        let result = self.bound_type(&function.result, &overloads::Binding::default());
        let mut ty = result;
        if let Some(rule) = function.rule
            && sound
        {
            let call = CallSite { function: id, name_range, range, arguments: &arguments, result };
            ty = builtins::apply(rule, self, &call);
            if misordered.is_some() {
                // What a misplaced constant stands for says nothing.
                let mut index = 0;
                self.body.diagnostics.retain(|told| {
                    index += 1;
                    index <= reported || told.severity == Severity::Error
                });
            }
        }
        let kind = ExprKind::Call { callee: Callee::Builtin(id), arguments };
        self.body.exprs.alloc(Expr { kind, ty, range, constant: None })
    }

    /// Which of several entries with as many parameters is called: of those that fit and are enabled the best one (GLSL 4.60 section 6.1). Where several are
    /// equally good, their signatures.
    fn select_ruled(
        &mut self,
        counted: &[(BuiltinFunctionId, &'static BuiltinFunction)],
        types: &[Ty],
    ) -> Result<Option<(BuiltinFunctionId, &'static BuiltinFunction)>, Vec<String>> {
        let mut candidates = Vec::new();
        for &entry in counted {
            if let Some(Matched { ranks, .. }) = self.match_builtin(entry.1, types) {
                candidates.push(Candidate { value: entry, ranks });
            }
        }
        if candidates.is_empty() {
            let nearest = self.nearest_ruled(counted, types);
            let available = nearest.iter().copied().find(|(_, function)| self.is_available(function));
            return Ok(available.or(nearest.first().copied()));
        }
        // None of them is enabled: the first one says which extension is missing.
        let first = candidates[0].value;
        candidates.retain(|candidate| self.is_available(candidate.value.1));
        match overloads::select(&candidates) {
            Selection::None => Ok(Some(first)),
            Selection::One(entry) => Ok(Some(entry)),
            Selection::Ambiguous => {
                Err(candidates.iter().map(|candidate| candidate.value.1.signature.to_owned()).collect())
            }
        }
    }

    /// The entries that take the most arguments where a parameter takes one type alone: what is wrong with the others, their rule says.
    fn nearest_ruled(
        &mut self,
        counted: &[(BuiltinFunctionId, &'static BuiltinFunction)],
        types: &[Ty],
    ) -> Vec<(BuiltinFunctionId, &'static BuiltinFunction)> {
        let mut most = 0;
        let mut nearest = Vec::new();
        for &(id, function) in counted {
            let mut taken = 0;
            for (parameter, &ty) in function.parameters.iter().zip(types) {
                let plain = self.plain_type(&parameter.pattern);
                taken += usize::from(plain.is_some_and(|plain| self.converts_implicitly(ty, plain)));
            }
            if taken > most {
                most = taken;
                nearest.clear();
            }
            if taken == most {
                nearest.push((id, function));
            }
        }
        nearest
    }

    /// The type of a parameter that takes one type alone.
    fn plain_type(&mut self, pattern: &Pattern) -> Option<Ty> {
        match pattern {
            Pattern::Scalar(_) | Pattern::Vector(..) | Pattern::Matrix { .. } | Pattern::String => {
                self.pattern_type(pattern)
            }
            _ => None,
        }
    }

    /// The value of a built-in with constant arguments.
    fn fold_call(&mut self, function: &BuiltinFunction, arguments: &[ExprId], ty: Ty) -> Option<Const> {
        let mut values = Vec::with_capacity(arguments.len());
        for &argument in arguments {
            let expr = &self.body.exprs[argument];
            values.push((expr.constant.clone()?, expr.ty));
        }
        let folded = self.fold_builtin(function.instruction, &values, ty);
        Some(folded.unwrap_or(Const::Opaque {
            specialization: values.iter().any(|(value, _)| value.is_specialization()),
        }))
    }
}

/// Whether a function takes so many arguments: parameters with a default may be left out, a variadic one takes more.
pub(super) fn accepts_count(function: &BuiltinFunction, count: usize) -> bool {
    let required = function.parameters.iter().take_while(|parameter| parameter.default.is_none()).count();
    count >= required && (count <= function.parameters.len() || function.variadic)
}
