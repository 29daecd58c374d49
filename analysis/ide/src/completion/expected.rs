//! What the position asks for: a type, a set of constants, the name of a function.

use super::calls::{Call, argument_values, builtins, call_at, user_functions};
use super::matrix::arguments;
use super::rank::Fit;
use super::scope::Scope;
use super::value::{Value, postfix_start, read, structure, type_of};
use crate::site::{Frame, OUTWARDS, Site, Tok, frames};
use coopmat_analysis::extensions::{self, BuiltinFunction, BuiltinParameter, ConstantSet, Pattern, Rule};
use coopmat_analysis::lex::{LexemeKind, lexemes};
use coopmat_analysis::types::Scalar;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expected {
    /// Any of these types; empty where none is known.
    pub values: Vec<Value>,
    /// The prefix of the constants that belong here.
    pub constants: Option<ConstantSet>,
    /// A value that is known before the shader runs.
    pub constant: bool,
    /// Memory of a buffer or shared memory, not a value.
    pub memory: bool,
    /// The name of a function that the call of this rule's built-in calls for each element.
    pub callback: Option<Callback>,
}

/// A parameter that takes the name of a function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Callback {
    pub rule: Rule,
    /// The component type of the matrix, where the arguments before tell.
    pub component: Option<Scalar>,
}

impl Expected {
    fn one(value: Option<Value>) -> Expected {
        Expected { values: value.into_iter().collect(), ..Expected::default() }
    }

    pub fn fit(&self, value: Option<Value>) -> Fit {
        let Some(value) = value else { return Fit::Unknown };
        self.values.iter().map(|&wanted| fit(value, wanted)).min().unwrap_or(Fit::Unknown)
    }
}

fn fit(value: Value, wanted: Value) -> Fit {
    if value == wanted {
        return Fit::Exact;
    }
    match (value, wanted) {
        (Value::Vector(from, m), Value::Vector(to, n)) if m == n && converts(from, to) => Fit::Converts,
        (
            Value::Matrix { component: from, columns: a, rows: b },
            Value::Matrix { component: to, columns: c, rows: d },
        ) if (a, b) == (c, d) && converts(from, to) => Fit::Converts,
        // A comparison begins with a number.
        (Value::Vector(_, 1), Value::BOOL) => Fit::Unknown,
        _ => Fit::Misfit,
    }
}

/// GLSL 4.60, section 4.1.10, with the narrow types of GL_EXT_shader_explicit_arithmetic_types: integers to wider or unsigned ones, both to
/// floating point.
fn converts(from: Scalar, to: Scalar) -> bool {
    if from.is_integer() && to.is_integer() {
        let unsigned =
            |scalar| matches!(scalar, Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint32 | Scalar::Uint64);
        return to.bits() >= from.bits() && (unsigned(to) || !unsigned(from));
    }
    let plain = |scalar| matches!(scalar, Scalar::Float16 | Scalar::Float32 | Scalar::Float64);
    plain(to) && (from.is_integer() || plain(from)) && to.bits() >= from.bits()
}

/// What belongs at the cursor.
pub fn expected(scope: &Scope<'_>, site: &Site<'_>) -> Expected {
    let segment = site.segment();
    if let Some(expected) = of_segment(scope, segment) {
        return expected;
    }
    for (depth, &frame) in site.frames.iter().enumerate().take(OUTWARDS) {
        match frame.bracket {
            '[' => return Expected { values: vec![Value::INT, Value::UINT], ..Expected::default() },
            '(' => {
                let before = frame.index.checked_sub(1).map(|index| site.tokens[index].text);
                match before {
                    Some("if" | "while") => return Expected::one(Some(Value::BOOL)),
                    Some("for") => {
                        let clauses = site.tokens[frame.index..].iter().filter(|token| token.is(";")).count();
                        return Expected::one((clauses == 1).then_some(Value::BOOL));
                    }
                    Some("switch") => {
                        return Expected { values: vec![Value::INT, Value::UINT], ..Expected::default() };
                    }
                    _ => {}
                }
                if let Some(call) = call_at(site, frame) {
                    return of_argument(scope, &call);
                }
                // Plain parentheses: what is around them asks.
                let outer = &site.tokens[..frame.index];
                if let Some(expected) = of_segment(scope, statement(outer, site.frames.get(depth + 1))) {
                    return expected;
                }
            }
            _ => break,
        }
    }
    Expected::default()
}

/// The part of `tokens` after the bracket of `frame` and what ends a clause.
fn statement<'t, 'a>(tokens: &'t [Tok<'a>], frame: Option<&Frame>) -> &'t [Tok<'a>] {
    let from = frame.map_or(0, |frame| frame.index + 1);
    let start =
        tokens.iter().rposition(|token| matches!(token.text, ";" | "{" | "}" | ",")).map_or(0, |at| at + 1);
    &tokens[start.max(from).min(tokens.len())..]
}

/// What the operators before the cursor ask for.
fn of_segment(scope: &Scope<'_>, segment: &[Tok<'_>]) -> Option<Expected> {
    let last = segment.last()?;
    match last.text {
        "==" | "!=" | "<" | ">" | "<=" | ">=" => {
            let left = &segment[..segment.len() - 1];
            return Some(Expected::one(read(scope, &left[operand_start(left)..], 16)));
        }
        "&&" | "||" | "^^" | "!" => return Some(Expected::one(Some(Value::BOOL))),
        _ => {}
    }
    if segment[0].is("return") {
        let function = scope.cursor.function?;
        let result = scope.analysis.module.functions[function].return_type;
        return Some(Expected::one(Value::of(scope.types(), result)));
    }
    if segment[0].is("case") {
        return Some(Expected {
            values: vec![Value::INT, Value::UINT],
            constant: true,
            ..Expected::default()
        });
    }
    let mut depth = 0usize;
    let assignment = segment.iter().rposition(|token| {
        match token.text {
            ")" | "]" => depth += 1,
            "(" | "[" => depth = depth.saturating_sub(1),
            "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" => return depth == 0,
            _ => {}
        }
        false
    })?;
    let target = &segment[..assignment];
    // `TYPE name = ` or the target of an assignment.
    let start = postfix_start(target);
    let before = &target[..start];
    let declared = (!before.is_empty() && target.len() == start + 1)
        .then(|| {
            let first = before.iter().rposition(|token| is_qualifier(token.text)).map_or(0, |at| at + 1);
            type_of(scope, &before[first..]).or_else(|| {
                let name = target.last()?.text;
                scope.local(name)?.value
            })
        })
        .flatten();
    Some(Expected::one(declared.or_else(|| read(scope, &target[start..], 16))))
}

fn is_qualifier(name: &str) -> bool {
    matches!(
        name,
        "const"
            | "shared"
            | "precise"
            | "highp"
            | "mediump"
            | "lowp"
            | "in"
            | "out"
            | "inout"
            | "uniform"
            | ")"
    )
}

/// Where the left operand of a comparison starts.
fn operand_start(tokens: &[Tok<'_>]) -> usize {
    let mut depth = 0usize;
    tokens
        .iter()
        .rposition(|token| {
            match token.text {
                ")" | "]" => depth += 1,
                "(" | "[" => depth = depth.saturating_sub(1),
                "=" | "&&" | "||" | "^^" | "?" | ":" | "return" | "!" => return depth == 0,
                _ => {}
            }
            false
        })
        .map_or(0, |at| at + 1)
}

/// What a parameter asks for.
fn of_argument(scope: &Scope<'_>, call: &Call<'_, '_>) -> Expected {
    let module = &scope.analysis.module;
    let mut expected = Expected::default();
    if let Some(constructed) = type_of(scope, call.callee) {
        // A constructor takes its members, or anything of its component type.
        if let Some(id) = structure(&module.types, constructed) {
            let member = module.structs[id].members.get(call.index);
            return Expected::one(member.and_then(|member| Value::of(&module.types, member.ty)));
        }
        return Expected::default();
    }
    if let Some(constants) = macro_constants(scope, call) {
        return Expected { constants: Some(constants), ..Expected::default() };
    }
    for id in user_functions(scope, call.name()) {
        let parameter = module.functions[id].parameters.get(call.index);
        expected.values.extend(parameter.and_then(|parameter| Value::of(&module.types, parameter.ty)));
    }
    if !expected.values.is_empty() {
        return expected;
    }
    let values = argument_values(scope, call);
    let shape = values.iter().flatten().find_map(|value| value.component()).map(|(_, length)| length);
    // The arguments before choose among overloads for several component types.
    let overloads = builtins(scope, call.name());
    let scores: Vec<usize> = overloads.iter().map(|(_, function)| matching(function, &values)).collect();
    let best = scores.iter().copied().max().unwrap_or(0);
    for ((_, function), score) in overloads.into_iter().zip(scores) {
        let Some(parameter) = function.parameters.get(call.index) else { continue };
        expected.constants = expected.constants.or(parameter.constants);
        if score < best {
            continue;
        }
        expected.memory |= parameter.memory;
        match parameter.pattern {
            Pattern::FunctionName => {
                let component = values.iter().flatten().find_map(|value| match value {
                    Value::Ty(ty) => module.types.as_coopmat(*ty).map(|matrix| matrix.component),
                    _ => None,
                });
                expected.callback = function.rule.map(|rule| Callback { rule, component });
            }
            // Any number of components, but the same as before.
            Pattern::Gen(scalar) | Pattern::GenVector(scalar) => match shape {
                Some(length) => expected.values.push(Value::Vector(scalar, length)),
                None => expected.values.extend((1..=4).map(|length| Value::Vector(scalar, length))),
            },
            Pattern::AnyCoopmat => {
                let usage = match function.rule {
                    Some(Rule::CoopMatMulAdd) => Some(call.index as i64),
                    _ => None,
                };
                expected.values.extend(matrices(scope, usage));
            }
            ref pattern => expected.values.extend(Value::of_pattern(pattern)),
        }
    }
    expected
}

/// The constants that the argument of a macro becomes one of: where its parameter stands in the macro's body, a type argument or an
/// argument of a built-in asks for them.
fn macro_constants(scope: &Scope<'_>, call: &Call<'_, '_>) -> Option<ConstantSet> {
    let analysis = scope.analysis;
    let definition =
        analysis.preprocessed.macros.iter().rev().find(|definition| definition.name() == call.name())?;
    let parameter = definition.parameters()?.nth(call.index)?;
    let body = definition.body()?;
    let text: &str = &analysis.files()[body.file].text;
    let text = text.get(std::ops::Range::<usize>::from(body.range))?;
    let tokens: Vec<Tok<'_>> = lexemes(text)
        .filter_map(|lexeme| match lexeme.kind {
            LexemeKind::Token(kind) => {
                Some(Tok { kind, text: text.get(lexeme.start..lexeme.end)?, start: lexeme.start as u32 })
            }
            _ => None,
        })
        .collect();
    let place = tokens.iter().position(|token| token.is(parameter))?;
    let frame = frames(&tokens[..place]).first().copied()?;
    let name = frame.index.checked_sub(1).map(|index| tokens[index].text)?;
    match frame.bracket {
        '<' => arguments(name).get(frame.commas)?.constants(),
        '(' => extensions::functions(name)
            .find_map(|(_, function)| function.parameters.get(frame.commas)?.constants),
        _ => None,
    }
}

/// How many of the arguments have just the component type of their parameter.
pub fn matching(function: &BuiltinFunction, values: &[Option<Value>]) -> usize {
    let fits = |parameter: &BuiltinParameter, value: &Option<Value>| {
        let wanted = match parameter.pattern {
            Pattern::Scalar(scalar)
            | Pattern::Vector(scalar, _)
            | Pattern::Gen(scalar)
            | Pattern::GenVector(scalar) => scalar,
            _ => return false,
        };
        value.and_then(Value::component).is_some_and(|(found, _)| found == wanted)
    };
    function.parameters.iter().zip(values).filter(|(parameter, value)| fits(parameter, value)).count()
}

/// The types of the matrices that are visible; with a use, those of that use.
fn matrices(scope: &Scope<'_>, usage: Option<i64>) -> Vec<Value> {
    let types = scope.types();
    let fits = |value: &Value| match value {
        Value::Ty(ty) => types.as_coopmat(*ty).is_some_and(|matrix| {
            usage.is_none_or(|usage| types.symbols.as_int(matrix.usage) == Some(usage))
        }),
        _ => false,
    };
    let mut found: Vec<Value> = Vec::new();
    for value in scope.locals.iter().filter_map(|local| local.value).filter(fits) {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}
