//! Hover over calls of built-ins: the overload with this call's types, what this call does, and what an argument means.

use std::fmt::Write as _;

use crate::showing::{code, configured_value, show};
use crate::units::{Unit, unit};
use crate::{Cursor, declared};
use coopmat_analysis::extensions::{self, BuiltinFunction, BuiltinFunctionId, Rule, values};
use coopmat_analysis::hir::{Callee, Const, ExprId, ExprKind};
use coopmat_analysis::lower::rule_codes;
use coopmat_analysis::types::{Coopmat, Scalar, Ty};

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

/// The declaration with the types that this call passes, as signature help shows it.
fn filled_signature(
    cursor: &Cursor<'_>,
    function: &'static BuiltinFunction,
    result: Ty,
    arguments: &[ExprId],
) -> String {
    let analysis = cursor.analysis;
    let known = |ty: Ty| (!analysis.module.types.is_error(ty)).then(|| show(analysis, ty));
    let types = arguments.iter().map(|&argument| known(cursor.body.exprs[argument].ty)).collect();
    declared::of_this_call(function, types, known(result))
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
            let shape = |m: &Coopmat| {
                format!("{} x {}", symbols.display_operand(m.rows), symbols.display_operand(m.columns))
            };
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
             the arrays of invocations {count} and above are ignored."
        )
    } else {
        format!(
            "The invocation with `gl_SubgroupInvocationID` i gets {line} i of the matrix, for i below {count}; what invocations {count} and above get is undefined."
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
    let buffer = arguments.iter().zip(function.parameters).find(|(_, parameter)| parameter.memory)?.0;
    let types = &cursor.analysis.module.types;
    let value_of = |argument: &ExprId| match cursor.body.exprs[*argument].constant.as_ref()? {
        Const::Int(value) => i64::try_from(*value).ok().map(|value| (value, false)),
        Const::Symbolic(sym) => configured_value(cursor.analysis, *sym).map(|value| (value, true)),
        _ => None,
    };
    let layout = function.parameters.iter().position(|parameter| parameter.name == "matrixLayout");
    let layout = layout.and_then(|layout| value_of(arguments.get(layout)?)).map(|(layout, _)| layout);
    let unit = unit(cursor.analysis, function, position, cursor.body.exprs[*buffer].ty, layout)?;
    let mut text = unit.text();
    let Unit::Elements { name, component: scalar, length, .. } = &unit else { return Some(text) };
    let bytes = unit.bytes();
    if let Some((value, symbolic)) = arguments.get(position).and_then(value_of) {
        let total = i128::from(value) * i128::from(bytes);
        let _ = write!(text, " Here: {value} {name} = {total} bytes");
        let component =
            types.as_coopmat(cursor.body.exprs[*arguments.first()?].ty).map(|matrix| matrix.component);
        if let Some(component) = component.filter(|component| *component != *scalar || *length > 1) {
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
