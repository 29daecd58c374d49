//! Hints at arguments: parameters' names where they are not obvious, shapes of matrices, implicit conversions.

use super::{Hint, HintKind, HintOptions, Hints};
use crate::hover::matrix;
use crate::showing::{configured_value, show};
use coopmat_analysis::extensions::{self, ParameterDirection, values};
use coopmat_analysis::hir::{Body, Callee, Direction, Expr, ExprId, ExprKind};
use coopmat_analysis::symbolic::Sym;
use coopmat_analysis::text::{FileRange, TextSize};
use coopmat_analysis::types::{Coopmat, Ty, TypeKind};

pub fn collect(hints: &mut Hints<'_>, options: &HintOptions) {
    let module = &hints.analysis.module;
    for (body, base, _) in module.bodies() {
        for (_, expr) in body.exprs.iter() {
            if !hints.wanted(expr.range + base) {
                continue;
            }
            match &expr.kind {
                ExprKind::Call { callee, arguments } => call(hints, options, body, base, callee, arguments),
                ExprKind::Convert { operand } if options.implicit_conversions => {
                    conversion(hints, expr, &body.exprs[*operand], base);
                }
                _ => {}
            }
        }
    }
}

fn call(
    hints: &mut Hints<'_>,
    options: &HintOptions,
    body: &Body,
    base: TextSize,
    callee: &Callee,
    arguments: &[ExprId],
) {
    for (index, &argument) in arguments.iter().enumerate() {
        let argument = source(body, argument);
        let Some(place) = hints.spelled(argument.range + base) else { continue };
        if options.parameter_names
            && let Some(parameter) = parameter(hints, callee, index, arguments.len())
            && !is_obvious(hints, &parameter, argument, &hints.analysis.preprocessed.text, base)
        {
            hints.found.push(Hint {
                offset: place.start(),
                kind: HintKind::ParameterName,
                label: format!("{}{}:", parameter.direction, parameter.name),
                target: parameter.declared,
                tooltip: None,
                insertions: Vec::new(),
            });
        }
        if options.shapes
            && !matches!(argument.kind, ExprKind::Construct { .. })
            && let Some((label, tooltip)) = shape(hints, argument.ty)
        {
            hints.found.push(Hint {
                offset: place.end(),
                kind: HintKind::Shape,
                label: format!(": {label}"),
                target: None,
                tooltip: Some(tooltip),
                insertions: Vec::new(),
            });
        }
    }
}

/// The expression as it is written: below what is converted implicitly.
fn source(body: &Body, mut id: ExprId) -> &Expr {
    while let ExprKind::Convert { operand } = body.exprs[id].kind {
        id = operand;
    }
    &body.exprs[id]
}

/// The label and the tooltip of a matrix or a cooperative vector.
fn shape(hints: &Hints<'_>, ty: Ty) -> Option<(String, String)> {
    let analysis = hints.analysis;
    match analysis.module.types.kind(ty) {
        TypeKind::Coopmat(shape) => Some((shape_label(hints, shape), matrix::describe(analysis, shape))),
        TypeKind::CoopVec(component, length) => {
            Some((size_label(hints, *length), matrix::describe_vector(analysis, *component, *length)))
        }
        _ => None,
    }
}

fn shape_label(hints: &Hints<'_>, shape: &Coopmat) -> String {
    let usage = match configured_value(hints.analysis, shape.usage) {
        Some(values::GL_MATRIX_USE_A) => "A ",
        Some(values::GL_MATRIX_USE_B) => "B ",
        Some(values::GL_MATRIX_USE_ACCUMULATOR) => "acc ",
        _ => "",
    };
    let (rows, columns) = (size_label(hints, shape.rows), size_label(hints, shape.columns));
    if rows.bytes().chain(columns.bytes()).all(|byte| byte.is_ascii_digit()) {
        format!("{usage}{rows}x{columns}")
    } else {
        format!("{usage}{rows} x {columns}")
    }
}

fn size_label(hints: &Hints<'_>, size: Sym) -> String {
    let written = hints.analysis.module.types.symbols.display(size);
    match configured_value(hints.analysis, size) {
        // A formula is for the tooltip.
        Some(value) if written.len() > LONGEST_SIZE => value.to_string(),
        _ if written.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') => written,
        _ => format!("({written})"),
    }
}

/// Characters of a size.
const LONGEST_SIZE: usize = 12;

struct Parameter {
    name: String,
    direction: &'static str,
    declared: Option<FileRange>,
}

fn parameter(hints: &Hints<'_>, callee: &Callee, index: usize, count: usize) -> Option<Parameter> {
    match callee {
        // Of one argument the function's name says enough.
        Callee::Builtin(_) if count < 2 => None,
        Callee::Builtin(id) => {
            let function = extensions::function(*id);
            let parameter = function.parameter_of(index)?;
            Some(Parameter {
                name: function.argument_name(index)?,
                direction: match parameter.direction {
                    // The documentation says what a load or an atomic writes to.
                    ParameterDirection::In => "",
                    ParameterDirection::Out | ParameterDirection::InOut if parameter.memory => "",
                    ParameterDirection::Out => "out ",
                    ParameterDirection::InOut => "inout ",
                },
                declared: None,
            })
        }
        Callee::Function(id) => {
            let function = &hints.analysis.module.functions[*id];
            let parameter = function.parameters.get(index)?;
            Some(Parameter {
                name: parameter.name.to_string(),
                direction: match parameter.direction {
                    Direction::In => "",
                    Direction::Out => "out ",
                    Direction::InOut => "inout ",
                },
                declared: Some(hints.analysis.file_range(parameter.name_range)),
            })
        }
    }
}

/// Whether the argument says what the parameter's name would: it is called alike, or it is a constant that speaks for itself.
fn is_obvious(
    hints: &Hints<'_>,
    parameter: &Parameter,
    argument: &Expr,
    expanded: &str,
    base: TextSize,
) -> bool {
    let name = parameter.name.as_str();
    // Of a name of one letter nobody learns anything; what a function of the shader writes to is worth telling.
    if name.is_empty() || name.len() < 2 && (parameter.direction.is_empty() || parameter.declared.is_none()) {
        return true;
    }
    if matches!(argument.kind, ExprKind::BuiltinConstant(_) | ExprKind::FunctionName { .. }) {
        return true;
    }
    // A matrix or a buffer as such is no riddle; an index or a number is.
    let types = &hints.analysis.module.types;
    let is_variable = matches!(
        argument.kind,
        ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::BlockMember(..) | ExprKind::Member { .. }
    );
    let is_whole =
        matches!(types.kind(argument.ty), TypeKind::Coopmat(_) | TypeKind::CoopVec(..) | TypeKind::Array(..));
    if is_variable && is_whole {
        return true;
    }
    let text = expanded.get(std::ops::Range::<usize>::from(argument.range + base)).unwrap_or_default();
    // `tile.stride`, `strides[0]`, `stride()`: the last name is what it is called.
    let called = text.trim_end_matches(|char: char| !(char.is_alphanumeric() || char == '_'));
    let bracket = text.find(['[', '(']).unwrap_or(text.len());
    let before_bracket = text.get(..bracket).unwrap_or_default();
    [called, before_bracket].into_iter().any(|text| {
        let last = text.rsplit(|char: char| !(char.is_alphanumeric() || char == '_')).next();
        last.is_some_and(|last| alike(last, name))
    })
}

/// Whether one name is the other, or the other with a word before or behind it: `src_stride` and `stride`.
fn alike(argument: &str, parameter: &str) -> bool {
    let words = |name: &str| -> Vec<String> {
        let mut words = vec![String::new()];
        let mut lower = false;
        for char in name.chars() {
            if char == '_' || (char.is_uppercase() && lower) {
                words.push(String::new());
            }
            lower = char.is_lowercase();
            if char != '_'
                && let Some(word) = words.last_mut()
            {
                word.extend(char.to_lowercase());
            }
        }
        words.retain(|word| !word.is_empty());
        words
    };
    let (argument, parameter) = (words(argument), words(parameter));
    !argument.is_empty()
        && !parameter.is_empty()
        && (argument.starts_with(&parameter)
            || argument.ends_with(&parameter)
            || parameter.starts_with(&argument)
            || parameter.ends_with(&argument)
            || argument.concat() == parameter.concat())
}

fn conversion(hints: &mut Hints<'_>, to: &Expr, operand: &Expr, base: TextSize) {
    // `float x = 1;` is read as it is meant.
    if matches!(operand.kind, ExprKind::Literal | ExprKind::Error) {
        return;
    }
    let Some(place) = hints.spelled(operand.range + base) else { return };
    let analysis = hints.analysis;
    let (from, ty) = (show(analysis, operand.ty), show(analysis, to.ty));
    let start = format!("{ty}(");
    hints.found.push(Hint {
        offset: place.start(),
        kind: HintKind::ConversionStart,
        label: start.clone(),
        target: None,
        tooltip: Some(format!("implicit conversion from `{from}` to `{ty}`")),
        insertions: vec![(place.start(), start), (place.end(), ")".to_owned())],
    });
    hints.add(place.end(), HintKind::ConversionEnd, ")".to_owned());
}
