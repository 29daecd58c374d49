//! What type an expression has that is written in tokens: from the analysis where it has the expression, else by reading the tokens.

use super::scope::Scope;
use crate::showing::show;
use crate::site::{Site, Tok, takes_type_arguments};
use coopmat_analysis::Analysis;
use coopmat_analysis::extensions::{self, BuiltinTypeKind, Pattern};
use coopmat_analysis::hir::{ExprKind, StructId};
use coopmat_analysis::lex::TokenKind;
use coopmat_analysis::text::TextSize;
use coopmat_analysis::types::{Scalar, Ty, TypeKind, Types};

/// A type, as far as it is known. Types that the program never names are not interned, so scalars, vectors and matrices are told by
/// their parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A scalar has length 1.
    Vector(Scalar, u32),
    Matrix {
        component: Scalar,
        columns: u8,
        rows: u8,
    },
    Void,
    /// Any other type of the program.
    Ty(Ty),
}

/// Expressions nest no deeper than this here.
const DEPTH: u32 = 24;

impl Value {
    pub const BOOL: Value = Value::Vector(Scalar::Bool, 1);
    pub const INT: Value = Value::Vector(Scalar::Int32, 1);
    pub const UINT: Value = Value::Vector(Scalar::Uint32, 1);

    /// `None` for a type that is not known.
    pub fn of(types: &Types, ty: Ty) -> Option<Value> {
        match *types.kind(ty) {
            TypeKind::Error | TypeKind::NotAnalysed(_) => None,
            TypeKind::Void => Some(Value::Void),
            TypeKind::Scalar(scalar) => Some(Value::Vector(scalar, 1)),
            TypeKind::Vector(scalar, length) => Some(Value::Vector(scalar, u32::from(length))),
            TypeKind::Matrix { component, columns, rows } => Some(Value::Matrix { component, columns, rows }),
            _ => Some(Value::Ty(ty)),
        }
    }

    /// The type that a pattern of the tables stands for, when it is one type.
    pub fn of_pattern(pattern: &Pattern) -> Option<Value> {
        match *pattern {
            Pattern::Void => Some(Value::Void),
            Pattern::Scalar(scalar) => Some(Value::Vector(scalar, 1)),
            Pattern::Vector(scalar, length) => Some(Value::Vector(scalar, u32::from(length))),
            Pattern::Matrix { component, columns, rows } => Some(Value::Matrix { component, columns, rows }),
            Pattern::Gen(_)
            | Pattern::GenVector(_)
            | Pattern::AnyMatrix(_)
            | Pattern::AnyCoopmat
            | Pattern::AnyCoopmatNv
            | Pattern::AnyCoopvec
            | Pattern::Coopvec(_)
            | Pattern::AnyTensorLayout
            | Pattern::AnyTensorView
            | Pattern::FunctionName
            | Pattern::AnyType
            | Pattern::Array(..)
            | Pattern::Opaque(_)
            | Pattern::String
            | Pattern::Struct(_) => None,
        }
    }

    /// As users write it.
    pub fn shown(self, analysis: &Analysis) -> Option<String> {
        match self {
            Value::Vector(scalar, 1) => Some(scalar.name().to_owned()),
            Value::Vector(scalar, length @ 2..=4) => Some(format!("{}{length}", scalar.vector_prefix())),
            Value::Ty(ty) => Some(show(analysis, ty)),
            Value::Vector(..) | Value::Matrix { .. } | Value::Void => None,
        }
    }

    pub fn component(self) -> Option<(Scalar, u32)> {
        match self {
            Value::Vector(scalar, length) => Some((scalar, length)),
            Value::Matrix { .. } | Value::Void | Value::Ty(_) => None,
        }
    }
}

/// The type of the value before a `.`, whose tokens end `tokens`.
pub fn receiver(scope: &Scope<'_>, site: &Site<'_>, tokens: &[Tok<'_>], dot: u32) -> Option<Value> {
    analysed(scope, site, dot).or_else(|| {
        let start = postfix_start(tokens);
        read(scope, &tokens[start..], DEPTH)
    })
}

/// The type of the expression that ends before the `.` at `dot` in the expanded text, when the analysis has it.
fn analysed(scope: &Scope<'_>, site: &Site<'_>, dot: u32) -> Option<Value> {
    let position = coopmat_analysis::text::FilePosition { file: site.file, offset: TextSize::new(dot) };
    let analysis = scope.analysis;
    let text = &analysis.preprocessed.text;
    let at = *analysis.preprocessed.map.to_expanded(position).first()?;
    let before = text.get(..usize::from(at))?.trim_end();
    let end = TextSize::new(before.len() as u32);
    let cursor = &scope.cursor;
    let local = end.checked_sub(cursor.base)?;
    let found = cursor
        .body
        .exprs
        .iter()
        .map(|(_, expr)| expr)
        .filter(|expr| expr.range.end() == local)
        .filter(|expr| match expr.kind {
            ExprKind::FunctionName { .. } => false,
            // `i++` can go on.
            ExprKind::IncDec { .. } => true,
            _ => expr.kind.is_primary(),
        })
        .max_by_key(|expr| expr.range.len())?;
    // In `(a + b).` the innermost operand ends there, too, but before the parenthesis.
    Value::of(&analysis.module.types, found.ty)
}

/// Where the postfix expression at the end of `tokens` starts: `x + a[i].b(c)` from `a` on.
pub fn postfix_start(tokens: &[Tok<'_>]) -> usize {
    let mut at = tokens.len();
    loop {
        let Some(last) = at.checked_sub(1).map(|index| &tokens[index]) else { return at };
        match last.text {
            ")" | "]" => {
                let Some(open) = opener(tokens, at - 1) else { return at };
                at = open;
                // A call, an element, or a value in parentheses.
                let Some(before) = at.checked_sub(1).map(|index| &tokens[index]) else { return at };
                match before.text {
                    ")" | "]" => continue,
                    ">" => {
                        at = generic_start(tokens, at - 1).unwrap_or(at);
                        return at;
                    }
                    _ if before.is_name() && !is_word_before_value(before.text) => at -= 1,
                    _ => return at,
                }
            }
            _ if last.is_name() || last.kind == TokenKind::Number => at -= 1,
            _ => return at,
        }
        if at > 0 && tokens[at - 1].is(".") {
            at -= 1;
        } else {
            return at;
        }
    }
}

/// Names that stand before a value without belonging to it.
pub fn is_word_before_value(name: &str) -> bool {
    matches!(name, "return" | "case" | "if" | "while" | "for" | "switch" | "else" | "do" | "in" | "out")
}

/// The index of the bracket that the one at `close` closes.
pub fn opener(tokens: &[Tok<'_>], close: usize) -> Option<usize> {
    let mut depth = 0usize;
    for index in (0..=close).rev() {
        match tokens[index].text {
            ")" | "]" | "}" => depth += 1,
            "(" | "[" | "{" => {
                depth -= 1;
                if depth == 0 {
                    return Some(index);
                }
            }
            _ => {}
        }
    }
    None
}

/// The index of the bracket that closes the one at `open`.
pub fn closer(tokens: &[Tok<'_>], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(index);
                }
            }
            _ => {}
        }
    }
    None
}

/// The name before the `<` whose list ends with the `>` at `close`.
pub fn generic_start(tokens: &[Tok<'_>], close: usize) -> Option<usize> {
    let opens = |&index: &usize| tokens[index].is("<") && takes_type_arguments(tokens[index - 1].text);
    (1..close)
        .rev()
        .take(256)
        .filter(opens)
        .find(|&index| generic_end(tokens, index) == Some(close))
        .map(|index| index - 1)
}

/// The commas at the outside of `tokens` part them.
pub fn split_commas<'t, 'a>(tokens: &'t [Tok<'a>]) -> Vec<&'t [Tok<'a>]> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    let mut index = 0;
    while index < tokens.len() {
        match tokens[index].text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "<" if index > 0 && takes_type_arguments(tokens[index - 1].text) => {
                let end = generic_end(tokens, index);
                index = end.unwrap_or(index);
            }
            "," if depth == 0 => {
                parts.push(&tokens[start..index]);
                start = index + 1;
            }
            _ => {}
        }
        index += 1;
    }
    parts.push(&tokens[start..]);
    parts
}

/// The index of the `>` that ends the type arguments that the `<` at `open` opens.
pub fn generic_end(tokens: &[Tok<'_>], open: usize) -> Option<usize> {
    let (mut depth, mut angles) = (0usize, 0usize);
    for (index, token) in tokens.iter().enumerate().skip(open).take(256) {
        match token.text {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.checked_sub(1)?,
            ";" | "{" | "}" => return None,
            "<" if depth == 0 => angles += 1,
            ">" if depth == 0 => angles = angles.checked_sub(1)?,
            ">>" if depth == 0 => angles = angles.saturating_sub(2),
            _ => continue,
        }
        if angles == 0 {
            return Some(index);
        }
    }
    None
}

/// Operators by how loosely they bind.
const OPERATORS: [&[&str]; 5] = [
    &["&&", "||", "^^"],
    &["==", "!=", "<", ">", "<=", ">="],
    &["|", "^", "&"],
    &["<<", ">>"],
    &["+", "-", "*", "/", "%"],
];

/// The type of an expression in tokens.
pub fn read(scope: &Scope<'_>, tokens: &[Tok<'_>], depth: u32) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let (first, rest) = tokens.split_first()?;
    if matches!(first.text, "-" | "+" | "~" | "++" | "--") {
        return read(scope, rest, depth);
    }
    if first.is("!") {
        return Some(Value::BOOL);
    }
    // The loosest operator outside brackets parts the expression.
    for (level, operators) in OPERATORS.iter().enumerate() {
        let Some(at) = outside(tokens, operators) else { continue };
        if level < 2 {
            return Some(Value::BOOL);
        }
        let left = read(scope, &tokens[..at], depth);
        let right = read(scope, &tokens[at + 1..], depth);
        return wider(left, right);
    }
    postfix(scope, tokens, depth)
}

fn outside(tokens: &[Tok<'_>], operators: &[&str]) -> Option<usize> {
    let mut nesting = 0usize;
    let mut index = 0;
    while index < tokens.len() {
        let token = &tokens[index];
        match token.text {
            "(" | "[" | "{" => nesting += 1,
            ")" | "]" | "}" => nesting = nesting.saturating_sub(1),
            "<" if index > 0 && takes_type_arguments(tokens[index - 1].text) => {
                index = generic_end(tokens, index).unwrap_or(index);
            }
            text if nesting == 0 && index > 0 && operators.contains(&text) => return Some(index),
            _ => {}
        }
        index += 1;
    }
    None
}

fn wider(left: Option<Value>, right: Option<Value>) -> Option<Value> {
    match (left, right) {
        (Some(Value::Vector(a, m)), Some(Value::Vector(b, n))) => {
            let order = |scalar: Scalar| Scalar::ALL.iter().position(|&one| one == scalar);
            Some(Value::Vector(if order(a) >= order(b) { a } else { b }, m.max(n)))
        }
        (Some(left), Some(Value::Vector(_, 1)) | None) => Some(left),
        (Some(Value::Vector(_, 1)) | None, right) => right,
        (left, _) => left,
    }
}

/// A name, literal, call, constructor or parentheses, with what follows it.
fn postfix(scope: &Scope<'_>, tokens: &[Tok<'_>], depth: u32) -> Option<Value> {
    let types = &scope.analysis.module.types;
    let first = tokens.first()?;
    let mut at = 1;
    let mut value = if first.is("(") {
        let close = closer(tokens, 0)?;
        at = close + 1;
        read(scope, &tokens[1..close], depth)?
    } else if first.kind == TokenKind::Number {
        literal(first.text)
    } else if matches!(first.text, "true" | "false") {
        Value::BOOL
    } else if first.is_name() {
        let mut open = 1;
        if takes_type_arguments(first.text) && tokens.get(1).is_some_and(|token| token.is("<")) {
            open = generic_end(tokens, 1)? + 1;
        }
        if tokens.get(open).is_some_and(|token| token.is("(")) {
            let close = closer(tokens, open)?;
            at = close + 1;
            match type_of(scope, &tokens[..open]) {
                Some(constructed) => constructed,
                None => called(scope, first.text, &tokens[open + 1..close], depth)?,
            }
        } else {
            scope.value_of_name(first.text)?
        }
    } else {
        return None;
    };
    while let Some(token) = tokens.get(at) {
        match token.text {
            "[" => {
                at = closer(tokens, at)? + 1;
                value = element(types, value)?;
            }
            "." => {
                let name = tokens.get(at + 1)?.text;
                at += 2;
                if tokens.get(at).is_some_and(|token| token.is("(")) {
                    at = closer(tokens, at)? + 1;
                    value = Value::INT;
                } else {
                    value = member(scope, value, name)?;
                }
            }
            "++" | "--" => at += 1,
            _ => return None,
        }
    }
    Some(value)
}

fn literal(text: &str) -> Value {
    let lower = text.to_ascii_lowercase();
    let hexadecimal = lower.starts_with("0x");
    let scalar = if !hexadecimal && lower.ends_with("hf") {
        Scalar::Float16
    } else if !hexadecimal && lower.ends_with("lf") {
        Scalar::Float64
    } else if !hexadecimal && lower.contains(['.', 'e', 'f']) {
        Scalar::Float32
    } else if lower.ends_with("ul") {
        Scalar::Uint64
    } else if lower.ends_with('l') {
        Scalar::Int64
    } else if lower.ends_with('u') {
        Scalar::Uint32
    } else {
        Scalar::Int32
    };
    Value::Vector(scalar, 1)
}

/// What an index leads to.
pub fn element(types: &Types, value: Value) -> Option<Value> {
    match value {
        Value::Vector(scalar, length) if length > 1 => Some(Value::Vector(scalar, 1)),
        Value::Matrix { component, rows, .. } => Some(Value::Vector(component, u32::from(rows))),
        Value::Ty(ty) => match *types.kind(ty) {
            TypeKind::Array(element, _) => Value::of(types, element),
            TypeKind::Coopmat(matrix) => Some(Value::Vector(matrix.component, 1)),
            TypeKind::LongVector(scalar, _) | TypeKind::CoopVec(scalar, _) => Some(Value::Vector(scalar, 1)),
            // A reference is an address of an array of such blocks (GL_EXT_buffer_reference2).
            TypeKind::Reference(_) => Some(value),
            _ => None,
        },
        Value::Vector(..) | Value::Void => None,
    }
}

/// The structure whose members a value has.
pub fn structure(types: &Types, value: Value) -> Option<StructId> {
    let Value::Ty(ty) = value else { return None };
    match *types.kind(ty) {
        TypeKind::Struct(id) | TypeKind::Reference(id) => Some(id),
        _ => None,
    }
}

fn member(scope: &Scope<'_>, value: Value, name: &str) -> Option<Value> {
    let module = &scope.analysis.module;
    if let Value::Vector(scalar, _) = value {
        let length = u32::try_from(name.len()).ok().filter(|length| (1..=4).contains(length))?;
        return Some(Value::Vector(scalar, length));
    }
    let structure = structure(&module.types, value)?;
    let member = module.structs[structure].members.iter().find(|member| member.name == name)?;
    Value::of(&module.types, member.ty)
}

/// The type of a call: of a function of the text, or of a built-in.
fn called(scope: &Scope<'_>, name: &str, arguments: &[Tok<'_>], depth: u32) -> Option<Value> {
    let module = &scope.analysis.module;
    if let Some((_, function)) = module.functions.iter().find(|(_, function)| function.name == name) {
        return Value::of(&module.types, function.return_type);
    }
    let arguments: Vec<Option<Value>> =
        split_commas(arguments).into_iter().map(|argument| read(scope, argument, depth)).collect();
    // The overload whose component types are those of the arguments, else the first.
    let fits = |function: &extensions::BuiltinFunction| {
        function
            .parameters
            .iter()
            .zip(&arguments)
            .filter(|(parameter, argument)| {
                let scalar = match parameter.pattern {
                    Pattern::Scalar(scalar)
                    | Pattern::Vector(scalar, _)
                    | Pattern::Gen(scalar)
                    | Pattern::GenVector(scalar) => scalar,
                    _ => return false,
                };
                argument.and_then(Value::component).is_some_and(|(found, _)| found == scalar)
            })
            .count()
    };
    let mut best: Option<(usize, &extensions::BuiltinFunction)> = None;
    for (_, function) in extensions::functions(name) {
        let count = fits(function);
        if best.is_none_or(|(known, _)| count > known) {
            best = Some((count, function));
        }
    }
    let (_, function) = best?;
    let widest =
        arguments.iter().flatten().filter_map(|value| value.component()).map(|(_, length)| length).max();
    match function.result {
        Pattern::Gen(scalar) | Pattern::GenVector(scalar) => Some(Value::Vector(scalar, widest.unwrap_or(1))),
        Pattern::AnyCoopmat => {
            arguments.last().copied().flatten().filter(|value| matches!(value, Value::Ty(_)))
        }
        ref pattern => Value::of_pattern(pattern),
    }
}

/// The type that tokens name: `uint`, `f16vec4`, a structure. Types with arguments are known when the program has one that is written like this.
pub fn type_of(scope: &Scope<'_>, tokens: &[Tok<'_>]) -> Option<Value> {
    let module = &scope.analysis.module;
    let first = tokens.first().filter(|first| first.is_name())?;
    let known = extensions::type_(first.text).is_some()
        || module.structs.iter().any(|(_, structure)| structure.name == first.text);
    if !known {
        let alias = scope.alias(first.text).filter(|&alias| alias != first.text)?;
        // One step: what it stands for is no macro any more.
        return named_type(scope, &[Tok { text: alias, ..*first }]);
    }
    named_type(scope, tokens)
}

fn named_type(scope: &Scope<'_>, tokens: &[Tok<'_>]) -> Option<Value> {
    let module = &scope.analysis.module;
    let first = tokens.first()?;
    if let Some(id) = extensions::type_(first.text) {
        return match extensions::type_by_id(id).kind {
            BuiltinTypeKind::Pattern(ref pattern) => Value::of_pattern(pattern),
            BuiltinTypeKind::LongVector if tokens.len() >= 6 => {
                let component = match type_of(scope, &tokens[2..3])? {
                    Value::Vector(scalar, 1) => scalar,
                    _ => return None,
                };
                let length = tokens[4].text.parse().ok()?;
                Some(Value::Vector(component, length))
            }
            _ => None,
        };
    }
    let (id, _) =
        module.structs.iter().find(|(_, structure)| structure.name == first.text && structure.is_type())?;
    let found =
        module.types.find(&TypeKind::Struct(id)).or_else(|| module.types.find(&TypeKind::Reference(id)));
    found.map(Value::Ty)
}
