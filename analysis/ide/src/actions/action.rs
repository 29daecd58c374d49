//! An action: what is proposed, and the edits that do it.

use crate::TextEdit;
use coopmat_analysis::diagnostics::Diagnostic;

/// What an action is for, by which editors group and filter them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// It mends what a diagnostic reports.
    QuickFix,
    /// An expression gets a name.
    Extract,
    /// A name or a macro call gives way to what it stands for.
    Inline,
    /// The same in another form.
    Rewrite,
    /// Of the `#extension` lines of the file, as other languages organise imports.
    Organize,
}

impl ActionKind {
    /// Every kind, as the server announces them.
    pub const ALL: [ActionKind; 5] = [
        ActionKind::QuickFix,
        ActionKind::Extract,
        ActionKind::Inline,
        ActionKind::Rewrite,
        ActionKind::Organize,
    ];

    /// The protocol's name (LSP 3.17, CodeActionKind).
    pub fn name(self) -> &'static str {
        match self {
            ActionKind::QuickFix => "quickfix",
            ActionKind::Extract => "refactor.extract",
            ActionKind::Inline => "refactor.inline",
            ActionKind::Rewrite => "refactor.rewrite",
            ActionKind::Organize => "source.organizeImports",
        }
    }
}

/// Something that can be done, with the edits that do it.
#[derive(Clone, Debug)]
pub struct Action {
    /// What a menu shows, in words that begin with a verb: "Convert to `float16_t`".
    pub title: String,
    /// What it is for.
    pub kind: ActionKind,
    /// The one to take where there are several: an editor's "fix all" may apply it unasked.
    pub preferred: bool,
    /// What it mends.
    pub fixes: Option<Diagnostic>,
    /// Not overlapping, in no order.
    pub edits: Vec<TextEdit>,
}

/// What mends a diagnostic.
pub fn quick_fix(title: String, preferred: bool, edits: Vec<TextEdit>) -> Action {
    Action { title, kind: ActionKind::QuickFix, preferred, fixes: None, edits }
}

/// What is done to text that is right as it is.
pub fn rewrite(title: String, kind: ActionKind, edits: Vec<TextEdit>) -> Action {
    Action { title, kind, preferred: false, fixes: None, edits }
}
