//! Writes the comment that allows a diagnostic, for its line or for its file, and takes one away that nothing needs.

use coopmat_analysis::allow::{Comment, Comments};
use coopmat_analysis::diagnostics::{Code, Diagnostic, Severity, codes};
use coopmat_analysis::preprocess::DirectiveKind;
use coopmat_analysis::text::{FileId, FileRange, TextRange, TextSize};

use super::action::{Action, quick_fix};
use super::context::Context;
use crate::TextEdit;
use crate::edit::line_end_of;

/// Never preferred: what mends the code comes first.
pub fn fix(context: &Context<'_>, diagnostic: &Diagnostic, actions: &mut Vec<Action>) {
    let code = diagnostic.code;
    if code == &codes::UNUSED_ALLOW {
        actions.extend(remove(context, diagnostic));
        return;
    }
    // An error by its level can be allowed, one of the language cannot.
    let is_error = context.analysis.diagnostics.iter().any(|found| {
        found.code == code && found.location == diagnostic.location && found.severity == Severity::Error
    });
    if is_error || !code.can_be_allowed() || code == &codes::UNUSABLE_ALLOW {
        return;
    }
    let file = File::new(context, diagnostic.location.file);
    let at = usize::from(diagnostic.location.range.start());
    let here = file.first(
        [file.extended(code, Some(at)), file.above(code, at), file.beside(code, at)],
        code,
        Some(at),
    );
    if let Some(edit) = here {
        actions.push(quick_fix(format!("Allow `{}` here", code.id), false, vec![edit]));
    }
    let whole =
        file.first([file.extended(code, None), file.below_version(code), file.at_start(code)], code, None);
    if let Some(edit) = whole {
        actions.push(quick_fix(format!("Allow `{}` in this file", code.id), false, vec![edit]));
    }
}

/// Takes away a comment that allows nothing else: its line, where there is nothing else in it.
fn remove(context: &Context<'_>, diagnostic: &Diagnostic) -> Option<Action> {
    let file = File::new(context, diagnostic.location.file);
    let comment = file.comments.list.iter().find(|comment| comment.range == diagnostic.location.range)?;
    let (start, end) = (usize::from(comment.range.start()), usize::from(comment.range.end()));
    let line = file.text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    let before = file.text.get(line..start)?;
    let rest = file.text.get(end..)?;
    let line_end = rest.find('\n').map_or(rest.len(), |at| at + 1);
    let blank = before.trim().is_empty() && rest.get(..line_end)?.trim().is_empty();
    let (from, to) = if blank { (line, end + line_end) } else { (line + before.trim_end().len(), end) };
    let edit = file.edit(from..to, String::new());
    Some(quick_fix("Remove this comment".to_owned(), true, vec![edit]))
}

struct File<'a> {
    id: FileId,
    text: &'a str,
    comments: Comments,
}

fn size(offset: usize) -> TextSize {
    TextSize::new(u32::try_from(offset).unwrap_or(u32::MAX))
}

/// Whether a comment allows a diagnostic at a place, or, without a place, in the whole file.
fn allows(comment: &Comment, code: &Code, at: Option<usize>) -> bool {
    let holds = match (comment.line, at) {
        (Some(line), Some(at)) => line.contains_inclusive(size(at)),
        (None, None) => true,
        _ => false,
    };
    holds && comment.ids.iter().any(|(_, id)| *id == code)
}

impl<'a> File<'a> {
    fn new(context: &Context<'a>, id: FileId) -> File<'a> {
        let text: &'a str = &context.analysis.files()[id].text;
        File { id, text, comments: Comments::of(text) }
    }

    fn edit(&self, range: std::ops::Range<usize>, text: String) -> TextEdit {
        let range = TextRange::new(size(range.start), size(range.end));
        TextEdit { range: FileRange { file: self.id, range }, text }
    }

    /// The first edit after which the diagnostic is allowed where it should be: where a comment would be part of a longer one, or
    /// hold for more than it should, the next one has to do.
    fn first(&self, edits: [Option<TextEdit>; 3], code: &Code, at: Option<usize>) -> Option<TextEdit> {
        edits.into_iter().flatten().find(|edit| {
            let range = std::ops::Range::<usize>::from(edit.range.range);
            let mut text = self.text.to_owned();
            text.replace_range(range.clone(), &edit.text);
            let moved = at.map(|at| if range.start <= at { at + edit.text.len() } else { at });
            Comments::of(&text).list.iter().any(|comment| allows(comment, code, moved))
        })
    }

    /// Another id in a comment that holds for the place already.
    fn extended(&self, code: &Code, at: Option<usize>) -> Option<TextEdit> {
        let holds = |comment: &&Comment| match (comment.line, at) {
            (Some(line), Some(at)) => line.contains_inclusive(size(at)),
            (None, None) => true,
            _ => false,
        };
        let end = usize::from(self.comments.list.iter().find(holds)?.end_of_ids);
        Some(self.edit(end..end, format!(", {}", code.id)))
    }

    /// A line above the one of the place, indented as that is.
    fn above(&self, code: &Code, at: usize) -> Option<TextEdit> {
        let mut start = self.text.get(..at)?.rfind('\n').map_or(0, |at| at + 1);
        // A line that goes on behind a backslash begins above.
        while let Some(before) = self.text.get(..start)?.strip_suffix('\n')
            && before.trim_end_matches('\r').ends_with('\\')
        {
            start = before.rfind('\n').map_or(0, |at| at + 1);
        }
        let line = self.text.get(start..)?;
        let indent = line.get(..line.len() - line.trim_start_matches([' ', '\t']).len())?;
        Some(self.edit(start..start, format!("{indent}{}{}", comment(code), self.newline())))
    }

    /// Behind the line of the place.
    fn beside(&self, code: &Code, at: usize) -> Option<TextEdit> {
        let line = self.text.get(at..)?.lines().next()?;
        let end = at + line.trim_end().len();
        Some(self.edit(end..end, format!(" {}", comment(code))))
    }

    fn below_version(&self, code: &Code) -> Option<TextEdit> {
        let lines = coopmat_analysis::preprocess::directives(self.text).lines;
        let version = lines.iter().find(|line| line.kind == DirectiveKind::Version)?;
        let end = usize::from(version.line_end);
        let rest = self.text.get(end..)?;
        let next = end + rest.find('\n').map_or(rest.len(), |at| at + 1);
        let newline = self.newline();
        Some(match next > end {
            true => self.edit(next..next, format!("{}{newline}", comment(code))),
            false => self.edit(next..next, format!("{newline}{}", comment(code))),
        })
    }

    fn at_start(&self, code: &Code) -> Option<TextEdit> {
        let start = self.text.len() - self.text.trim_start_matches('\u{feff}').len();
        Some(self.edit(start..start, format!("{}{}", comment(code), self.newline())))
    }

    fn newline(&self) -> &'static str {
        line_end_of(self.text)
    }
}

fn comment(code: &Code) -> String {
    format!("// coopmat-analyzer: allow({})", code.id)
}
