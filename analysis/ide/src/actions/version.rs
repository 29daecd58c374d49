//! Raises the `#version` of a shader that uses what only later versions have.

use crate::TextEdit;
use crate::edit::line_end_of;
use coopmat_analysis::diagnostics::{Diagnostic, codes};
use coopmat_analysis::preprocess::Profile;
use coopmat_analysis::text::{FileId, FileRange, TextRange, TextSize};

use super::action::{Action, quick_fix};
use super::context::Context;

/// The last versions of the two languages: a shader for Vulkan loses nothing by them.
const DESKTOP: &str = "460";
const ES: &str = "320";

pub fn fix(context: &Context<'_>, diagnostic: &Diagnostic, actions: &mut Vec<Action>) {
    // What no version has is reported with the same code.
    let asks = [&codes::MISSING_VERSION, &codes::EXTENSION_VERSION].contains(&diagnostic.code);
    if !asks || !diagnostic.message.contains("#version ") {
        return;
    }
    let Some(version) = context.analysis.preprocessed.version else {
        // GLSL 4.60, section 3.3: without the line it is 110.
        let range = FileRange { file: FileId::ROOT, range: TextRange::empty(TextSize::new(0)) };
        let edit =
            TextEdit { range, text: format!("#version {DESKTOP}{}", line_end_of(context.file_text())) };
        actions.push(quick_fix(format!("Add `#version {DESKTOP}`"), true, vec![edit]));
        return;
    };
    let (number, suffix) = match version.profile {
        Profile::Es => (ES, " es"),
        // `#version 100` is of the other language without saying so.
        Profile::None if version.number == 100 => return,
        Profile::None | Profile::Core | Profile::Compatibility => (DESKTOP, ""),
    };
    let old = version.number.to_string();
    let Some(at) = context.text(version.range).find(&old) else { return };
    let start = version.range.range.start() + TextSize::new(at as u32);
    let range = TextRange::at(start, TextSize::new(old.len() as u32));
    let edit = TextEdit { range: FileRange { file: version.range.file, range }, text: number.to_owned() };
    actions.push(quick_fix(format!("Raise the version to `{number}{suffix}`"), true, vec![edit]));
}
