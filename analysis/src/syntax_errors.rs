//! Syntax errors as diagnostics, and the zones in which nothing else is reported: the tree says what the parser could not read, [`reader`] what is wrong.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use tree_sitter::{Node, Tree, TreeCursor};
use tree_sitter_glsl_coopmat::kind;

use crate::text::TextRange;
use tokens::range;

mod declarations;
mod expressions;
mod reader;
mod statements;
mod tokens;

/// A place that the grammar does not accept.
#[derive(Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub range: TextRange,
    pub message: String,
    /// The bracket that has no end.
    pub related: Option<(TextRange, String)>,
}

#[derive(Debug, Default)]
pub struct SyntaxErrors {
    pub errors: Vec<SyntaxError>,
    /// The places that the parser could not read.
    pub unread: Vec<TextRange>,
    /// Statements and declarations with an error inside, sorted and apart: what lowering says about them is guesswork and is left out.
    pub zones: Vec<TextRange>,
    /// Every word in the zones: names that may be declared there without lowering having seen it.
    words: FxHashSet<SmolStr>,
    /// Names whose declarations have a mistake: what they are is not known.
    names: FxHashSet<String>,
    /// Whether a brace is missing or superfluous, so that statements and functions seem to be in the wrong place.
    pub braces: bool,
}

/// More than these help nobody.
const MAX_ERRORS: usize = 100;

impl SyntaxErrors {
    /// `doubtful` says that the lowering has met a mistake that the grammar accepts.
    pub fn of(tree: &Tree, text: &str, doubtful: bool) -> SyntaxErrors {
        let mut found = SyntaxErrors::default();
        if !tree.root_node().has_error() && !doubtful {
            return found;
        }
        found.add_tree(tree, text);
        found.unread = found.errors.iter().map(|error| error.range).collect();
        // The tree says what could not be read, the reader what is wrong with it.
        let read = reader::mistakes(text);
        if !read.errors.is_empty() {
            // The reader takes these for what they mean.
            found.errors.retain(|error| error.message == BARE_OPERATOR);
            found.errors.extend(read.errors);
            found.errors.truncate(MAX_ERRORS);
            found.zones.extend(read.zones);
            found.zones.extend(read.followers.into_iter().filter(|&follower| !begins_item(tree, follower)));
            found.braces = read.braces;
            found.names.extend(read.names);
        }
        found.zones = merged(found.zones);
        for zone in &found.zones {
            let inside = text.get(usize::from(zone.start())..usize::from(zone.end())).unwrap_or_default();
            let words = inside.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            found.words.extend(words.filter(|word| !word.is_empty()).map(SmolStr::new));
        }
        found
    }

    fn add_tree(&mut self, tree: &Tree, text: &str) {
        let root = tree.root_node();
        if !root.has_error() {
            return;
        }
        // A walk with a cursor, not recursion: nesting is the input's to choose.
        let mut cursor = root.walk();
        'walk: loop {
            let node = cursor.node();
            let is_error = node.is_error() || node.is_missing();
            if is_error {
                self.add(&cursor, text);
                if self.errors.len() >= MAX_ERRORS {
                    break;
                }
            }
            if !is_error && node.has_error() && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    break 'walk;
                }
            }
        }
    }

    /// Whether a range touches a statement that could not be read.
    pub fn covers(&self, range: TextRange) -> bool {
        self.zones.iter().any(|zone| zone.intersect(range).is_some())
    }

    /// Whether a name stands in a statement that could not be read, which may be its declaration.
    pub fn mentions(&self, name: &str) -> bool {
        self.words.contains(name)
    }

    /// Whether two places touch the same statement that could not be read.
    pub fn same_zone(&self, one: TextRange, other: TextRange) -> bool {
        let mut zones = self.zones.iter();
        zones.any(|zone| zone.intersect(one).is_some() && zone.intersect(other).is_some())
    }

    /// Whether a text has a name whose declaration has a mistake.
    pub fn doubts(&self, text: &str) -> bool {
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        !self.names.is_empty() && words.any(|word| self.names.contains(word))
    }

    fn add(&mut self, cursor: &TreeCursor<'_>, text: &str) {
        let node = cursor.node();
        let (place, message) = if let Some(argument) = bare_operator(text, node.start_byte()) {
            (argument, BARE_OPERATOR.to_owned())
        } else if node.is_missing() {
            // After the last token before it: where the missing one belongs.
            let end = text[..node.start_byte()].trim_end().len();
            let start = text[..end].char_indices().next_back().map_or(end, |(index, _)| index);
            let expected = match node.kind() {
                "identifier" => "expected identifier".to_owned(),
                token => format!("expected `{token}`"),
            };
            (range(start, end), expected)
        } else {
            let token = first_token(node);
            let found = text.get(token.byte_range()).unwrap_or_default();
            let message = if found.is_empty() {
                "unexpected end of file".to_owned()
            } else {
                format!("unexpected `{}`", first_line(found))
            };
            (range(token.start_byte(), token.end_byte()), message)
        };
        self.errors.push(SyntaxError { range: place, message, related: None });
        self.zones.push(zone(cursor));
    }
}

/// Whether the tree has a statement or declaration that begins where one does.
fn begins_item(tree: &Tree, range: TextRange) -> bool {
    let start = usize::from(range.start());
    let mut at = tree.root_node().descendant_for_byte_range(start, start + 1);
    while let Some(node) = at.filter(|node| node.start_byte() == start && !node.is_error()) {
        at = node.parent();
        let around = at.map(|around| around.kind_id());
        if matches!(around, Some(kind::COMPOUND_STATEMENT | kind::TRANSLATION_UNIT)) {
            return true;
        }
    }
    false
}

/// Zones that touch as one: a hundred errors of one statement have the same zone.
fn merged(mut zones: Vec<TextRange>) -> Vec<TextRange> {
    zones.sort_by_key(|zone| zone.start());
    let mut apart: Vec<TextRange> = Vec::new();
    for zone in zones {
        match apart.last_mut() {
            Some(last) if zone.start() <= last.end() => *last = last.cover(zone),
            _ => apart.push(zone),
        }
    }
    apart
}

/// What is wrong with `coopmat<T, S, M * 2, ...>` (GL_KHR_cooperative_matrix, issue 1).
pub const BARE_OPERATOR: &str = "a type argument with an operator needs parentheses around it";

/// How far around an error its type is looked for.
const TYPE_REACH: usize = 1000;

/// The argument with an operator outside of parentheses, where the statement up to an error has a type with such an argument. Each
/// of these types is a keyword, so that nothing else can be meant.
pub fn bare_operator(text: &str, error: usize) -> Option<TextRange> {
    let bytes = text.as_bytes();
    let reach = error.saturating_sub(TYPE_REACH);
    // The last token before the error may be the end of the type's statement.
    let begin = bytes.get(reach..error)?.iter().rposition(|b| matches!(b, b';' | b'{' | b'}'));
    let mut at = begin.map_or(reach, |begin| reach + begin + 1);
    while let Some(open) = bytes.get(at..(error + 1).min(bytes.len()))?.iter().position(|&b| b == b'<') {
        let open = at + open;
        at = open + 1;
        let head = bytes.get(..open)?.trim_ascii_end();
        let word = head.rsplit(|&byte| !byte.is_ascii_alphanumeric() && byte != b'_').next();
        if matches!(word, Some(b"coopmat" | b"coopvecNV" | b"tensorLayoutNV" | b"tensorViewNV"))
            && let Some(argument) = operator_argument(bytes, at)
        {
            return Some(argument);
        }
    }
    None
}

/// The first argument of a list that has an operator outside of parentheses.
fn operator_argument(bytes: &[u8], from: usize) -> Option<TextRange> {
    let (mut depth, mut start, mut has_operator, mut has_operand) = (0_u32, from, false, false);
    for (index, &byte) in bytes.iter().enumerate().skip(from).take(TYPE_REACH) {
        match byte {
            b'(' | b'[' => (depth, has_operand) = (depth + 1, true),
            b')' | b']' => depth = depth.checked_sub(1)?,
            _ if depth > 0 => {}
            b',' | b'>' => {
                if has_operator {
                    let argument = bytes.get(start..index)?;
                    let before = argument.len() - argument.trim_ascii_start().len();
                    return Some(range(start + before, start + argument.trim_ascii_end().len()));
                }
                if byte == b'>' {
                    return None;
                }
                (start, has_operand) = (index + 1, false);
            }
            b'<' | b';' | b'{' | b'}' => return None,
            // A comment: rare enough to give up.
            b'/' if matches!(bytes.get(index + 1), Some(b'*' | b'/')) => return None,
            b'*' | b'/' | b'%' | b'+' | b'-' | b'&' | b'|' | b'^' | b'?' if has_operand => {
                has_operator = true
            }
            _ => has_operand |= !byte.is_ascii_whitespace(),
        }
    }
    None
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn first_token(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    while let Some(child) = node.child(0) {
        node = child;
    }
    node
}

/// The statement or declaration around an error; for one between statements, its neighbours too, which it may have torn apart.
///
/// With cursors, which know the way that they came: `Node::parent` would search from the root each time.
fn zone(cursor: &TreeCursor<'_>) -> TextRange {
    let mut around = cursor.clone();
    let mut levels = 0;
    while around.goto_parent()
        && !matches!(around.node().kind_id(), kind::COMPOUND_STATEMENT | kind::TRANSLATION_UNIT)
    {
        levels += 1;
    }
    let mut inner = cursor.clone();
    for _ in 0..levels {
        inner.goto_parent();
    }
    let node = inner.node();
    let (mut start, mut end) = (node.start_byte(), node.end_byte());
    if node.is_error() || node.is_missing() {
        // A whole function as the neighbour keeps its diagnostics.
        let mut neighbour = inner.clone();
        if neighbour.goto_previous_sibling() && neighbour.node().kind_id() != kind::FUNCTION_DEFINITION {
            start = neighbour.node().start_byte();
        }
        if inner.goto_next_sibling() && inner.node().kind_id() != kind::FUNCTION_DEFINITION {
            end = inner.node().end_byte();
        }
    }
    range(start, end)
}
