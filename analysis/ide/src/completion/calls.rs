//! Calls around the cursor: what is called, which argument is being written, and what the parameters ask for.

use super::scope::Scope;
use super::value::{Value, generic_start, read, split_commas};
use crate::site::{Frame, Site, Tok};
use coopmat_analysis::extensions::{self, BuiltinFunction, BuiltinFunctionId};
use coopmat_analysis::hir::FunctionId;

/// A call or constructor whose parentheses are open.
pub struct Call<'t, 'a> {
    /// The function's name, or the type that is constructed.
    pub callee: &'t [Tok<'a>],
    /// Which argument the cursor stands in.
    pub index: usize,
    /// The arguments before the cursor, the one being written included.
    pub arguments: Vec<&'t [Tok<'a>]>,
}

impl<'a> Call<'_, 'a> {
    pub fn name(&self) -> &'a str {
        self.callee.first().map_or("", |token| token.text)
    }
}

/// The call whose parenthesis a frame is.
pub fn call_at<'t, 'a>(site: &'t Site<'a>, frame: Frame) -> Option<Call<'t, 'a>> {
    if frame.bracket != '(' {
        return None;
    }
    let tokens = &site.tokens;
    let last = frame.index.checked_sub(1)?;
    let before = tokens.get(last)?;
    let start = match before.text {
        ">" | ">>" => generic_start(tokens, last)?,
        "]" => {
            let open = super::value::opener(tokens, last)?;
            open.checked_sub(1).filter(|&index| tokens[index].is_name())?
        }
        _ if before.is_name() && !is_statement(before.text) => last,
        _ => return None,
    };
    // `void f(`, `S s(`: the parameters of a declaration.
    if start > 0
        && tokens[start - 1].is_name()
        && !super::value::is_word_before_value(tokens[start - 1].text)
        && site.frames.last().is_none_or(|outermost| outermost.index == frame.index)
    {
        return None;
    }
    let arguments = split_commas(&tokens[frame.index + 1..]);
    Some(Call { callee: &tokens[start..frame.index], index: frame.commas, arguments })
}

fn is_statement(name: &str) -> bool {
    matches!(name, "if" | "for" | "while" | "switch" | "return" | "layout")
}

/// The functions of the text with a name.
pub fn user_functions(scope: &Scope<'_>, name: &str) -> Vec<FunctionId> {
    let module = &scope.analysis.module;
    scope.functions().filter(|&id| module.functions[id].name == name).collect()
}

/// The overloads of a built-in that are in force, or all of them when none is.
pub fn builtins(scope: &Scope<'_>, name: &str) -> Vec<(BuiltinFunctionId, &'static BuiltinFunction)> {
    let all = extensions::functions(name);
    let available: Vec<_> = all
        .clone()
        .filter(|(_, function)| scope.environment.availability(&(*function).into()).is_available())
        .collect();
    if available.is_empty() { all.collect() } else { available }
}

/// The types of the arguments that are complete: all but the one being written.
pub fn argument_values(scope: &Scope<'_>, call: &Call<'_, '_>) -> Vec<Option<Value>> {
    let complete = call.arguments.len().saturating_sub(1);
    call.arguments[..complete].iter().map(|argument| read(scope, argument, 16)).collect()
}
