//! "Did you mean": the name that a message suggests, in place of the one that is written.

use coopmat_analysis::diagnostics::Diagnostic;
use coopmat_analysis::text::{FileRange, TextRange, TextSize};

use super::action::{Action, quick_fix};
use super::context::Context;
use crate::TextEdit;

/// What the end of a message suggests.
fn suggested(message: &str) -> Option<&str> {
    let (_, rest) = message.rsplit_once("did you mean `")?;
    let (name, rest) = rest.split_once('`')?;
    rest.starts_with('?').then_some(name)
}

pub fn fix(context: &Context<'_>, diagnostic: &Diagnostic, actions: &mut Vec<Action>) {
    let Some(name) = suggested(&diagnostic.message) else { return };
    let Some(range) = place(context, diagnostic, name) else { return };
    let edit = TextEdit { range, text: name.to_owned() };
    actions.push(quick_fix(format!("Replace with `{name}`"), true, vec![edit]));
}

/// The word that the message is about: what the diagnostic marks, or the first word in it that the message quotes. Text of a macro's body
/// is the macro's, and is marked there.
fn place(context: &Context<'_>, diagnostic: &Diagnostic, name: &str) -> Option<FileRange> {
    let location = diagnostic.location;
    let text = context.text(location);
    let is_word = |text: &str| {
        let text = text.strip_prefix('#').unwrap_or(text).trim_start();
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    let found = if is_word(text) {
        0..text.len()
    } else {
        let quoted = diagnostic.message.split('`').skip(1).step_by(2);
        let word =
            quoted.take_while(|&word| word != name).find(|word| is_word(word) && text.contains(word))?;
        let start = text.find(word)?;
        start..start + word.len()
    };
    // `#endf` is marked with its sign or without.
    let start = location.range.start() + TextSize::new(u32::try_from(found.start).ok()?);
    let end = location.range.start() + TextSize::new(u32::try_from(found.end).ok()?);
    let hash = name.starts_with('#') && !text.get(found)?.starts_with('#');
    let start = if hash { start.checked_sub(TextSize::new(1))? } else { start };
    let range = FileRange { file: location.file, range: TextRange::new(start, end) };
    let written = context.text(range);
    (!hash || written.starts_with('#')).then_some(range)
}
