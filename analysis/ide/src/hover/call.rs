//! Hover over calls of built-ins: the overload with this call's types, what this call does, and what an argument means.

use std::fmt::Write as _;

use super::{code, configured_value, show};
use crate::{Cursor, signatures};
use coopmat_analysis::extensions::{self, BuiltinFunction, BuiltinFunctionId, Rule, values};
use coopmat_analysis::hir::{Callee, Const, ExprId, ExprKind};
use coopmat_analysis::lower::rule_codes;
use coopmat_analysis::types::{Coopmat, Scalar, Ty, TypeKind};

/// The call of a built-in at the cursor's name, and its arguments.
fn call_of<'a>(cursor: &Cursor<'a>, id: BuiltinFunctionId) -> Option<(Ty, &'a [ExprId])> {
    cursor.expressions().into_iter().find_map(|(_, expr)| match &expr.kind {
        ExprKind::Call { callee: Callee::Builtin(callee), arguments } if *callee == id => {
            Some((expr.ty, arguments.as_slice()))
        }
        _ => None,
    })
}

pub fn builtin(cursor: &Cursor<'_>, id: BuiltinFunctionId) -> String {
    let function = extensions::function(id);
    let call = call_of(cursor, id);
    let line = match call {
        Some((result, arguments)) => filled_signature(cursor, function, result, arguments),
        None => function.signature.to_owned(),
    };
    let mut text = code(&line);
    if let Some((_, arguments)) = call
        && let Some(told) = function.rule.and_then(|rule| this_call(cursor, rule, arguments))
    {
        let _ = write!(text, "\n\n{told}");
    }
    if !function.doc.is_empty() {
        let _ = write!(text, "\n\n{}", function.doc);
    }
    let codes = function.rule.map_or(Vec::new(), rule_codes);
    if !codes.is_empty() {
        text.push_str("\n\nChecked here:\n");
        for code in &codes {
            let _ = write!(text, "\n- {} (`{}`)", code.summary, code.id);
        }
    }
    let overloads = extensions::functions(function.name).count();
    if overloads > 1 {
        let _ = write!(text, "\n\n{} overloads", overloads);
    }
    let instruction =
        if function.instruction.is_empty() { String::new() } else { format!("`{}`", function.instruction) };
    let source = super::declaration::source_line(function.providers, &instruction, function.section);
    if !source.is_empty() {
        let _ = write!(text, "\n\n{source}");
    }
    text
}

/// The declaration with the types that this call passes.
fn filled_signature(
    cursor: &Cursor<'_>,
    function: &BuiltinFunction,
    result: Ty,
    arguments: &[ExprId],
) -> String {
    let analysis = cursor.analysis;
    let parameters: Vec<String> = arguments
        .iter()
        .enumerate()
        .map(|(index, &argument)| {
            let ty = show(analysis, cursor.body.exprs[argument].ty);
            match function.parameters.get(index) {
                Some(parameter) => signatures::builtin_parameter(parameter, &ty),
                None => ty,
            }
        })
        .collect();
    let one_line = format!("{} {}({})", show(analysis, result), function.name, parameters.join(", "));
    if one_line.len() <= 100 {
        one_line
    } else {
        format!("{} {}(\n    {})", show(analysis, result), function.name, parameters.join(",\n    "))
    }
}

fn coopmat_of(cursor: &Cursor<'_>, argument: Option<&ExprId>) -> Option<Coopmat> {
    cursor.analysis.module.types.as_coopmat(cursor.body.exprs[*argument?].ty)
}

/// What a call does with the shapes that it is given.
fn this_call(cursor: &Cursor<'_>, rule: Rule, arguments: &[ExprId]) -> Option<String> {
    let symbols = &cursor.analysis.module.types.symbols;
    match rule {
        Rule::CoopMatMulAdd => {
            let [a, b, c] = [0, 1, 2].map(|index| coopmat_of(cursor, arguments.get(index)));
            let (a, b, c) = (a?, b?, c?);
            let shape = |m: &Coopmat| format!("{} x {}", symbols.display(m.rows), symbols.display(m.columns));
            Some(format!(
                "A {} times B {} plus C {}: M = {}, N = {}, K = {}",
                shape(&a),
                shape(&b),
                shape(&c),
                symbols.display(c.rows),
                symbols.display(c.columns),
                symbols.display(a.columns)
            ))
        }
        Rule::VectorToCoopmatQcom => qcom(cursor, coopmat_of(cursor, arguments.get(1))?, true),
        Rule::CoopmatToVectorQcom => qcom(cursor, coopmat_of(cursor, arguments.first())?, false),
        _ => None,
    }
}

/// Which row or column belongs to which invocation (GL_QCOM_cooperative_matrix_conversion, section 8.X).
fn qcom(cursor: &Cursor<'_>, matrix: Coopmat, into_matrix: bool) -> Option<String> {
    let symbols = &cursor.analysis.module.types.symbols;
    let (line, count) = match configured_value(cursor.analysis, matrix.usage)? {
        values::GL_MATRIX_USE_B => ("column", matrix.columns),
        _ => ("row", matrix.rows),
    };
    let count = symbols.display(count);
    Some(if into_matrix {
        format!(
            "The array of the invocation with `gl_SubgroupInvocationID` i becomes {line} i of the matrix, for i below {count}; \
             the arrays of invocations from {count} on are ignored."
        )
    } else {
        format!(
            "The invocation with `gl_SubgroupInvocationID` i gets {line} i of the matrix, for i below {count}; what \
             invocations from {count} on get is undefined."
        )
    })
}

/// What the argument of a matrix load or store under the cursor means in memory.
pub fn argument(cursor: &Cursor<'_>) -> Option<String> {
    let (position, arguments, function) =
        cursor.arguments().find_map(|(callee, arguments, position)| match callee {
            Callee::Builtin(id) => Some((position, arguments, extensions::function(*id))),
            _ => None,
        })?;
    if !matches!(
        function.rule?,
        Rule::CoopMatLoad | Rule::CoopMatStore | Rule::CoopMatLoadNv | Rule::CoopMatStoreNv
    ) {
        return None;
    }
    let name = function.parameters.get(position)?.name;
    if !matches!(name, "element" | "stride") {
        return None;
    }
    let types = &cursor.analysis.module.types;
    let buffer = arguments.iter().zip(function.parameters).find(|(_, parameter)| parameter.memory)?.0;
    let element = match types.kind(cursor.body.exprs[*buffer].ty) {
        TypeKind::Array(element, _) => *element,
        _ => return None,
    };
    let (scalar, length) = types.as_vector(element)?;
    let unit = show(cursor.analysis, element);
    let bytes = u64::from(scalar.bytes()) * u64::from(length);
    let what = if name == "stride" {
        "Stride: from the start of one row (or column, in column-major layout) to the next"
    } else {
        "Element: where the matrix starts"
    };
    let mut text = format!("{what}, in units of `{unit}` ({bytes} bytes).");
    let value =
        cursor.body.exprs[*arguments.get(position)?].constant.as_ref().and_then(|value| match value {
            Const::Int(value) => i64::try_from(*value).ok().map(|value| (value, false)),
            Const::Symbolic(sym) => configured_value(cursor.analysis, *sym).map(|value| (value, true)),
            _ => None,
        });
    if let Some((value, symbolic)) = value {
        let total = i128::from(value) * i128::from(bytes);
        let _ = write!(text, " Here: {value} {unit} = {total} bytes");
        let component =
            types.as_coopmat(cursor.body.exprs[*arguments.first()?].ty).map(|matrix| matrix.component);
        if let Some(component) = component.filter(|component| Some(*component) != Some(scalar) || length > 1)
        {
            let _ = write!(text, " = {} {}", elements(total, component), component.name());
        }
        if symbolic {
            text.push_str(" under the default values");
        }
        text.push('.');
    }
    Some(text)
}

fn elements(bytes: i128, component: Scalar) -> i128 {
    bytes * 8 / i128::from(component.bits())
}
