//! Built-ins as their specifications declare them, with the types of a call where they take many: for signature help and hovers.

use std::fmt::Write as _;

use crate::signatures;
use coopmat_analysis::extensions::{BuiltinFunction, BuiltinParameter, ConstantSet, Pattern};

/// One overload, or the parameters of a type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// As it would be declared.
    pub label: String,
    /// In their order.
    pub parameters: Vec<ParameterLabel>,
    /// Markdown; empty where nothing is said.
    pub documentation: String,
    /// `None` past the last parameter.
    pub active: Option<usize>,
}

/// Where a parameter stands in the label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterLabel {
    /// Bytes of the signature's label.
    pub start: usize,
    /// Behind its last byte.
    pub end: usize,
    /// Markdown; empty where nothing is said.
    pub documentation: String,
}

/// The types of a call's arguments and of its result, as far as they are known.
#[derive(Default)]
pub struct Given {
    /// In their order; `None` for those that are not known.
    pub arguments: Vec<Option<String>>,
    pub result: Option<String>,
}

/// The declaration of a built-in with the types of a call where it takes many, over several lines where it is long.
pub fn of_this_call(
    function: &'static BuiltinFunction,
    arguments: Vec<Option<String>>,
    result: Option<String>,
) -> String {
    const LONGEST: usize = 100;
    let mut signature = builtin(function, 0);
    fill(&mut signature, function, &Given { arguments, result });
    let label = signature.label;
    if label.len() <= LONGEST {
        return label;
    }
    // Each parameter on a line of its own; what stands between them stays.
    let (mut out, mut end) = (String::new(), 0);
    for place in &signature.parameters {
        out.push_str(label.get(end..place.start).unwrap_or_default().trim_end());
        out.push_str("\n    ");
        out.push_str(label.get(place.start..place.end).unwrap_or_default());
        end = place.end;
    }
    out.push_str(label.get(end..).unwrap_or_default());
    out
}

/// Writes the types of a call where a built-in takes many.
pub fn fill(signature: &mut Signature, function: &BuiltinFunction, given: &Given) {
    let mut replaced: Vec<(usize, usize, String)> = Vec::new();
    let name = signature.label.find(&format!(" {}(", function.name));
    if let (Some(end), Some(result)) = (name, &given.result)
        && takes_many(&function.result)
    {
        replaced.push((0, end, result.clone()));
    }
    let parameters = signature.parameters.iter().zip(function.parameters).zip(&given.arguments);
    for ((place, parameter), ty) in parameters {
        if let Some(ty) = ty.as_ref().filter(|_| takes_many(&parameter.pattern)) {
            replaced.push((place.start, place.end, signatures::builtin_parameter(parameter, ty)));
        }
    }
    // From the end, so that the places before stay.
    for (start, end, text) in replaced.into_iter().rev() {
        signature.label.replace_range(start..end, &text);
        let moved = |at: usize| if at >= end { at - (end - start) + text.len() } else { at };
        for place in &mut signature.parameters {
            (place.start, place.end) = (moved(place.start), moved(place.end));
        }
    }
}

/// Whether the declaration leaves the type open.
fn takes_many(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Gen(_)
        | Pattern::GenVector(_)
        | Pattern::AnyMatrix(_)
        | Pattern::AnyCoopmat
        | Pattern::AnyCoopmatNv
        | Pattern::AnyCoopvec
        | Pattern::Coopvec(_)
        | Pattern::AnyTensorLayout
        | Pattern::AnyTensorView
        | Pattern::AnyType => true,
        Pattern::Array(element, length) => length.is_none() || takes_many(element),
        Pattern::Void
        | Pattern::Scalar(_)
        | Pattern::Vector(..)
        | Pattern::Matrix { .. }
        | Pattern::FunctionName
        | Pattern::Opaque(_)
        | Pattern::String
        | Pattern::Struct(_) => false,
    }
}

/// A built-in as the specification declares it.
pub fn builtin(function: &'static BuiltinFunction, index: usize) -> Signature {
    let label = function.signature;
    let mut signature =
        Signature { label: label.to_owned(), documentation: function.doc.to_owned(), ..Signature::default() };
    for (place, (start, end)) in parameter_ranges(label).into_iter().enumerate() {
        let documentation = function.parameters.get(place).map(parameter_about).unwrap_or_default();
        signature.parameters.push(ParameterLabel { start, end, documentation });
    }
    let count = signature.parameters.len();
    signature.active = match function.last_row(index) {
        Some(from_end) => count.checked_sub(from_end),
        None if index < count => Some(index),
        // Any number of further arguments.
        None => function.variadic.then_some(count.saturating_sub(1)),
    };
    signature
}

/// Where the parameters stand in a declaration of the tables.
fn parameter_ranges(label: &str) -> Vec<(usize, usize)> {
    let mut ranges = Vec::new();
    let Some(open) = label.find('(') else { return ranges };
    let Some(close) = label.rfind(')') else { return ranges };
    let mut add = |start: usize, end: usize| {
        let Some(text) = label.get(start..end) else { return };
        // `a [, b]`: what may be left out stands in brackets.
        let mut trimmed = text.trim();
        trimmed = trimmed.strip_suffix('[').map_or(trimmed, str::trim_end);
        if trimmed.matches(']').count() > trimmed.matches('[').count() {
            trimmed = trimmed.trim_end_matches(']').trim_end();
        }
        if trimmed.is_empty() || trimmed == "void" {
            return;
        }
        let lead = text.len() - text.trim_start().len();
        ranges.push((start + lead, start + lead + trimmed.len()));
    };
    let (mut depth, mut start) = (0usize, open + 1);
    for (at, byte) in label.bytes().enumerate().take(close).skip(open + 1) {
        match byte {
            b'<' | b'(' => depth += 1,
            b'>' | b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                add(start, at);
                start = at + 1;
            }
            _ => {}
        }
    }
    add(start, close);
    ranges
}

/// What the tables know of one parameter.
fn parameter_about(parameter: &BuiltinParameter) -> String {
    let mut parts = Vec::new();
    if parameter.constant {
        parts.push("A constant expression.".to_owned());
    }
    if parameter.memory {
        parts.push("Memory that the function accesses: of a buffer or shared.".to_owned());
    }
    if let Some(default) = parameter.default {
        parts.push(format!("{default} by default."));
    }
    let mut text = parts.join(" ");
    if let Some(set) = parameter.constants {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(&constants(set));
    }
    text
}

/// The constants of a set and what each of them means.
pub fn constants(set: ConstantSet) -> String {
    let mut lines = String::new();
    for (_, constant) in set.iter() {
        let _ = writeln!(lines, "- `{}`: {}", constant.name, constant.doc.trim());
    }
    lines.trim_end().to_owned()
}
