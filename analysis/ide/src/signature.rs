//! Signature help: the call or type whose arguments are being written, its overloads, and which parameter the cursor stands at.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use super::completion::{
    Argument, Call, Scope, Value, argument_values, builtins, call_at, matching, structure, type_arguments,
    type_of, user_functions,
};
use super::declared::{Given, builtin, constants, fill};
pub use super::declared::{ParameterLabel, Signature};
use super::showing::show;
use super::site::{OUTWARDS, Region, Site};
use super::{Cursor, doc_comment, signatures, units};
use coopmat_analysis::Analysis;
use coopmat_analysis::display::display_type;
use coopmat_analysis::extensions::{self, BuiltinFunction};
use coopmat_analysis::hir::{Callee, ExprKind, Function};
use coopmat_analysis::text::FilePosition;
use coopmat_analysis::types::Ty;

/// The overloads of a call, while it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureHelp {
    /// In the order of their declarations; of more than 32 those that the arguments fit best.
    pub signatures: Vec<Signature>,
    /// Which of them the arguments so far are meant for.
    pub active: usize,
}

/// The more overloads, the less they tell.
const LIMIT: usize = 32;

/// The innermost call or type whose arguments hold the position; `None` outside of all, and in comments.
pub fn signature_help(analysis: &Analysis, position: FilePosition) -> Option<SignatureHelp> {
    let site = Site::new(analysis, position)?;
    if matches!(site.region, Region::Comment) {
        return None;
    }
    let scope = Scope::new(&site);
    for &frame in site.frames.iter().take(OUTWARDS) {
        match frame.bracket {
            '<' => {
                let name = frame.index.checked_sub(1).map(|index| site.tokens[index].text)?;
                return of_type(name, frame.commas);
            }
            '(' => {
                // The word at the cursor may be the last part of an argument.
                if let Some(call) = call_at(&site, frame)
                    && let Some(help) = of_call(&scope, &call, position)
                {
                    return Some(help);
                }
            }
            '{' => return None,
            _ => {}
        }
    }
    None
}

/// A label that is put together from parts, some of which are parameters.
#[derive(Default)]
struct Builder {
    signature: Signature,
}

impl Builder {
    fn new(start: &str) -> Builder {
        Builder { signature: Signature { label: start.to_owned(), ..Signature::default() } }
    }

    fn parameter(&mut self, text: &str, documentation: String) {
        let label = &mut self.signature.label;
        if !self.signature.parameters.is_empty() {
            label.push_str(", ");
        }
        let start = label.len();
        label.push_str(text);
        self.signature.parameters.push(ParameterLabel { start, end: label.len(), documentation });
    }

    fn finish(mut self, end: &str, index: usize, documentation: String) -> Signature {
        self.signature.label.push_str(end);
        self.signature.documentation = documentation;
        self.signature.active = (index < self.signature.parameters.len()).then_some(index);
        self.signature
    }
}

fn of_type(name: &str, index: usize) -> Option<SignatureHelp> {
    let arguments = type_arguments(name);
    if arguments.is_empty() {
        return None;
    }
    let mut builder = Builder::new(&format!("{name}<"));
    let mut permutations = 0;
    for argument in arguments {
        let text = match argument {
            Argument::Permutation => {
                permutations += 1;
                format!("p{}", permutations - 1)
            }
            argument => argument.name().to_owned(),
        };
        let mut about = argument.about().to_owned();
        if let Some(set) = argument.constants() {
            about.push_str("\n\n");
            about.push_str(&constants(set));
        }
        builder.parameter(&text, about);
    }
    let documentation =
        extensions::type_(name).map_or("", |id| extensions::type_by_id(id).doc).trim().to_owned();
    Some(SignatureHelp { signatures: vec![builder.finish(">", index, documentation)], active: 0 })
}

fn of_call(scope: &Scope<'_>, call: &Call<'_, '_>, position: FilePosition) -> Option<SignatureHelp> {
    let analysis = scope.analysis;
    let mut found: Vec<(i64, Signature, Option<&BuiltinFunction>)> = Vec::new();
    let values = argument_values(scope, call);
    // How well a candidate takes the arguments so far: none that is too short.
    let score = |count: usize, variadic: bool, fit: i64| {
        let enough = count > call.index || variadic || (count == 0 && call.index == 0);
        if enough { fit } else { fit - 1000 }
    };
    for id in user_functions(scope, call.name()) {
        let function = &analysis.module.functions[id];
        let fit = user_fit(scope, function, &values);
        found.push((score(function.parameters.len(), false, fit), user(scope, function, call.index), None));
    }
    if found.is_empty()
        && let Some(definition) =
            analysis.preprocessed.macros.iter().rev().find(|definition| definition.name() == call.name())
        && let Some(parameters) = definition.parameters()
    {
        let mut builder = Builder::new(&format!("{}(", call.name()));
        for parameter in parameters {
            builder.parameter(parameter, String::new());
        }
        let mut about = format!("```glsl\n{}\n```", signatures::macro_line(analysis, definition));
        if let Some(comment) = definition.directive().and_then(|place| doc_comment::above(analysis, place)) {
            let _ = write!(about, "\n\n{comment}");
        }
        return Some(SignatureHelp { signatures: vec![builder.finish(")", call.index, about)], active: 0 });
    }
    if let Some(constructed) = type_of(scope, call.callee) {
        return constructors(scope, call, constructed);
    }
    let name = call.name();
    if found.is_empty() && extensions::type_(name).is_some() {
        return constructors_of_matrix(call);
    }
    for (_, function) in builtins(scope, name) {
        let fit = matching(function, &values) as i64;
        let variadic = function.variadic;
        let score = score(function.parameters.len(), variadic, fit);
        found.push((score, builtin(function, call.index), Some(function)));
    }
    let best = found.iter().map(|(score, ..)| *score).max()?;
    let mut signatures = found;
    // Component types that no argument has are left out where the overloads are many.
    if signatures.len() > LIMIT {
        signatures.retain(|(score, ..)| *score == best);
        signatures.truncate(LIMIT);
    }
    let active = signatures.iter().position(|(score, ..)| *score == best).unwrap_or(0);
    if let Some((_, signature, Some(function))) = signatures.get_mut(active) {
        fill(signature, function, &given(scope, call, position, &values));
        tell_unit(analysis, signature, function, call.index, &values);
    }
    Some(SignatureHelp {
        signatures: signatures.into_iter().map(|(_, signature, _)| signature).collect(),
        active,
    })
}

/// Says what the argument at the cursor counts.
fn tell_unit(
    analysis: &Analysis,
    signature: &mut Signature,
    function: &BuiltinFunction,
    index: usize,
    values: &[Option<Value>],
) {
    let buffer = function.parameters.iter().position(|parameter| parameter.memory);
    let buffer = buffer.and_then(|buffer| values.get(buffer).copied().flatten());
    let Some(Value::Ty(buffer)) = buffer else { return };
    // The layout comes behind, and is not written yet.
    let unit = units::unit(analysis, function, index, buffer, None);
    if let (Some(unit), Some(parameter)) = (unit, signature.parameters.get_mut(index)) {
        let known = std::mem::take(&mut parameter.documentation);
        parameter.documentation = [unit.text(), known].join("\n\n").trim_end().to_owned();
    }
}

/// The types of a call: from the analysis where it has the call, else from the arguments before the cursor.
fn given(scope: &Scope<'_>, call: &Call<'_, '_>, position: FilePosition, values: &[Option<Value>]) -> Given {
    let analysis = scope.analysis;
    let known = |ty: Ty| (!analysis.module.types.is_error(ty)).then(|| show(analysis, ty));
    let analysed = Cursor::at(analysis, position).find_map(|cursor| {
        cursor.expressions().into_iter().find_map(|(_, expr)| match &expr.kind {
            ExprKind::Call { callee: Callee::Builtin(id), arguments }
                if extensions::function(*id).name == call.name() =>
            {
                let types = arguments.iter().map(|&argument| known(cursor.body.exprs[argument].ty));
                Some(Given { arguments: types.collect(), result: known(expr.ty) })
            }
            _ => None,
        })
    });
    analysed.unwrap_or_else(|| {
        let shown = |value: &Option<Value>| value.and_then(|value| value.shown(analysis));
        Given { arguments: values.iter().map(shown).collect(), result: None }
    })
}

fn user_fit(scope: &Scope<'_>, function: &Function, values: &[Option<Value>]) -> i64 {
    function
        .parameters
        .iter()
        .zip(values)
        .map(|(parameter, value)| match (value, Value::of(scope.types(), parameter.ty)) {
            (Some(value), Some(wanted)) if *value == wanted => 3,
            (Some(Value::Vector(_, m)), Some(Value::Vector(_, n))) if *m == n => 1,
            (Some(_), Some(_)) => -3,
            _ => 0,
        })
        .sum()
}

fn user(scope: &Scope<'_>, function: &Function, index: usize) -> Signature {
    let analysis = scope.analysis;
    let module = &analysis.module;
    let result = display_type(&module.types, &module.structs, function.return_type);
    let mut builder = Builder::new(&format!("{result} {}(", function.name));
    for parameter in &function.parameters {
        builder.parameter(&signatures::parameter(analysis, parameter), String::new());
    }
    let place = analysis.file_range(function.range);
    let documentation = doc_comment::above(analysis, place).unwrap_or_default();
    builder.finish(")", index, documentation)
}

/// What makes a value of a structure, scalar, vector or matrix type.
fn constructors(scope: &Scope<'_>, call: &Call<'_, '_>, constructed: Value) -> Option<SignatureHelp> {
    let module = &scope.analysis.module;
    let name: String = call.callee.iter().map(|token| token.text).collect();
    let mut signatures = Vec::new();
    let mut add = |parameters: &[String], documentation: &str| {
        let mut builder = Builder::new(&format!("{name}("));
        for parameter in parameters {
            builder.parameter(parameter, String::new());
        }
        signatures.push(builder.finish(")", call.index, documentation.to_owned()));
    };
    if let Some(id) = structure(&module.types, constructed) {
        let show = |ty: Ty| display_type(&module.types, &module.structs, ty);
        if matches!(module.structs[id].kind, coopmat_analysis::hir::StructKind::Reference { .. }) {
            add(&["uint64_t address".to_owned()], "A reference to the block at an address.");
        } else {
            let members: Vec<String> = module.structs[id]
                .members
                .iter()
                .map(|member| format!("{} {}", show(member.ty), member.name))
                .collect();
            add(&members, "");
        }
        return Some(SignatureHelp { signatures, active: 0 });
    }
    match constructed {
        Value::Vector(scalar, 1) => {
            add(&["value".to_owned()], &format!("A value converted to `{}`.", scalar.name()));
        }
        Value::Vector(scalar, length @ 2..=4) => {
            let component = scalar.name();
            add(&[format!("{component} value")], "The value of all components.");
            let names = ["x", "y", "z", "w"];
            let each: Vec<String> =
                names[..length as usize].iter().map(|name| format!("{component} {name}")).collect();
            add(&each, "The components one by one; a vector gives several at once.");
        }
        Value::Vector(scalar, _) => {
            add(&[format!("{} value", scalar.name())], "The value of all components.");
        }
        Value::Matrix { component, columns, rows } => {
            add(&[format!("{} diagonal", component.name())], "The value on the diagonal, 0 elsewhere.");
            let each: Vec<String> = (0..columns)
                .map(|column| format!("{}{rows} column{column}", component.vector_prefix()))
                .collect();
            add(&each, "The columns.");
        }
        Value::Void | Value::Ty(_) => return None,
    }
    // One argument says all components the same until there is a second one.
    let active = usize::from(call.index > 0 && signatures.len() > 1);
    Some(SignatureHelp { signatures, active })
}

/// What makes a cooperative matrix.
fn constructors_of_matrix(call: &Call<'_, '_>) -> Option<SignatureHelp> {
    let component = call.callee.get(2).filter(|_| type_arguments(call.name()).len() == 5)?;
    let mut signatures = Vec::new();
    let written: String =
        call.callee.iter().map(|token| if token.is(",") { ", " } else { token.text }).collect();
    for (parameter, about) in [
        (format!("{} value", component.text), "Every element has this value."),
        (
            "coopmat other".to_owned(),
            "The elements of a matrix of the same shape, converted to the component type.",
        ),
    ] {
        let mut builder = Builder::new(&format!("{written}("));
        builder.parameter(&parameter, String::new());
        signatures.push(builder.finish(")", call.index, about.to_owned()));
    }
    Some(SignatureHelp { signatures, active: 0 })
}
