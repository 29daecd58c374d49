//! What the actions share: the place that is asked about, and the way from the typed program back to text that may be edited.

use tree_sitter::{Node, Tree};

use crate::Cursor;
use crate::tree_path::path;
use coopmat_analysis::Analysis;
use coopmat_analysis::diagnostics::Diagnostic;
use coopmat_analysis::display::type_code;
use coopmat_analysis::extensions::{self, ExtensionId, Rule};
use coopmat_analysis::hir::{Body, Callee, ExprId, ExprKind};
use coopmat_analysis::text::{FilePosition, FileRange, TextRange};
use coopmat_analysis::types::Ty;

pub struct Context<'a> {
    pub analysis: &'a Analysis,
    pub range: FileRange,
}

/// A call in the body that a cursor stands in.
pub struct Call<'a> {
    pub callee: &'a Callee,
    pub arguments: &'a [ExprId],
}

impl Call<'_> {
    pub fn rule(&self) -> Option<Rule> {
        match self.callee {
            Callee::Builtin(id) => extensions::function(*id).rule,
            Callee::Function(_) => None,
        }
    }
}

impl<'a> Context<'a> {
    pub fn new(analysis: &'a Analysis, range: FileRange) -> Context<'a> {
        Context { analysis, range }
    }

    /// What is told and touches the place.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let place = self.range;
        let mut diagnostics = coopmat_codegen::told(self.analysis).diagnostics;
        diagnostics.retain(|diagnostic| {
            diagnostic.location.file == place.file
                && diagnostic.location.range.intersect(place.range).is_some()
        });
        diagnostics
    }

    /// The meanings of the start of a range.
    pub fn cursors(&self, place: FileRange) -> impl Iterator<Item = Cursor<'a>> {
        Cursor::at(self.analysis, FilePosition { file: place.file, offset: place.range.start() })
    }

    /// The expressions that are written exactly at a place, the outermost first, and the body that holds them.
    pub fn expressions_at(&self, place: FileRange) -> Option<(Cursor<'a>, Vec<ExprId>)> {
        self.cursors(place).find_map(|cursor| {
            let mut found: Vec<ExprId> = cursor
                .expressions()
                .into_iter()
                .filter(|(_, expr)| self.analysis.file_range(expr.range + cursor.base) == place)
                .map(|(id, _)| id)
                .collect();
            found.reverse();
            (!found.is_empty()).then_some((cursor, found))
        })
    }

    /// The place in a file of a range of the expanded text, where it is written there as it is: not by a macro's body.
    pub fn editable(&self, range: TextRange) -> Option<FileRange> {
        let mapped = self.analysis.preprocessed.map.to_file(range);
        (mapped.in_macro.is_none() && mapped.spelling == Some(mapped.primary)).then_some(mapped.primary)
    }

    pub fn editable_expr(&self, cursor: &Cursor<'_>, expr: ExprId) -> Option<FileRange> {
        self.editable(cursor.body.exprs[expr].range + cursor.base)
    }

    pub fn text(&self, place: FileRange) -> &'a str {
        let text: &'a str = &self.analysis.files()[place.file].text;
        text.get(std::ops::Range::<usize>::from(place.range)).unwrap_or_default()
    }

    pub fn file_text(&self) -> &'a str {
        &self.analysis.files()[self.range.file].text
    }

    /// The word that the place is in, or starts at; empty if there is none.
    pub fn word(&self) -> &'a str {
        let text = self.file_text();
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let at = usize::from(self.range.range.start());
        let (Some(before), Some(after)) = (text.get(..at), text.get(at..)) else { return "" };
        let start = before.len() - before.chars().rev().take_while(|&c| word(c)).count();
        let end = at + after.chars().take_while(|&c| word(c)).count();
        text.get(start..end).unwrap_or_default()
    }

    /// Whether an `#extension` line names an extension.
    pub fn enables(&self, extension: ExtensionId) -> bool {
        self.analysis.preprocessed.extensions.iter().any(|event| event.name == extension.name())
    }

    /// A directive with its line break.
    pub fn whole_line(&self, directive: FileRange) -> FileRange {
        let text = &self.analysis.files()[directive.file].text;
        let end = usize::from(directive.range.end());
        let line_end = text[end..].find('\n').map_or(text.len(), |newline| end + newline + 1);
        let range = TextRange::new(directive.range.start(), (line_end as u32).into());
        FileRange { file: directive.file, range }
    }

    /// A type as an edit writes it.
    pub fn code(&self, ty: Ty) -> String {
        type_code(&self.analysis.module.types, &self.analysis.module.structs, ty)
    }

    /// The nodes of the expanded text that cover a range, the innermost first.
    pub fn nodes(&self, range: TextRange) -> Vec<Node<'a>> {
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        let root = self.analysis.tree.as_ref().map(Tree::root_node);
        root.map(|root| path(root, start, end)).unwrap_or_default()
    }

    /// The innermost of them that is of one of some kinds.
    pub fn node(&self, range: TextRange, kinds: &[u16]) -> Option<Node<'a>> {
        self.nodes(range).into_iter().find(|node| kinds.contains(&node.kind_id()))
    }
}

/// The call that has `expr` as an argument, however converted.
pub fn call_of<'a>(body: &'a Body, expr: ExprId) -> Option<Call<'a>> {
    body.exprs.iter().find_map(|(_, candidate)| match &candidate.kind {
        ExprKind::Call { callee, arguments }
            if arguments.iter().any(|&argument| argument == expr || unconverted(body, argument) == expr) =>
        {
            Some(Call { callee, arguments })
        }
        _ => None,
    })
}

/// The expression below implicit conversions.
pub fn unconverted(body: &Body, mut expr: ExprId) -> ExprId {
    while let ExprKind::Convert { operand } = body.exprs[expr].kind {
        expr = operand;
    }
    expr
}

/// A node's range in the text that was parsed.
pub fn node_range(node: Node<'_>) -> TextRange {
    TextRange::new((node.start_byte() as u32).into(), (node.end_byte() as u32).into())
}

/// The children of a field, in their order.
pub fn field_children<'t>(node: Node<'t>, field: u16) -> Vec<Node<'t>> {
    let mut walk = node.walk();
    let Some(field) = std::num::NonZeroU16::new(field) else { return Vec::new() };
    node.children_by_field_id(field, &mut walk).collect()
}

/// Every expression below `expr`, itself included.
pub fn subtree(body: &Body, expr: ExprId) -> Vec<ExprId> {
    let mut found = vec![expr];
    let mut next = 0;
    while let Some(&at) = found.get(next) {
        next += 1;
        body.exprs[at].kind.operands(&mut found);
    }
    found
}
