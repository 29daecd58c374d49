//! Nodes that only text with macros may have, or text that is being typed.

use crate::kind;

/// What is wrong where a node of this kind stands in preprocessed text, as the end of a sentence that begins with "syntax error:".
///
/// The parser accepts these so that the tree around them stays whole; `None` for every node of a correct shader.
pub fn mistake(kind_id: u16) -> Option<&'static str> {
    Some(match kind_id {
        kind::INCOMPLETE_STATEMENT => "this statement is incomplete",
        kind::MACRO_STATEMENT | kind::MACRO_TYPE => "expected `;` after this",
        kind::MACRO_ATTRIBUTE => "expected `;` or an operator after this",
        kind::MACRO_ARGUMENT => "expected `,` or `)` before this",
        kind::UNKNOWN_QUALIFIER => "this is neither a qualifier nor a type",
        _ => return None,
    })
}
