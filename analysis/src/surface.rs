//! The surface tree: of one file's text as it is written, directives and inactive branches included.
//!
//! What is asked about the text rather than about its meaning reads it: folding, selection, outline, formatting. No
//! configuration and no other file takes part, so it is kept with the text, whatever the file is analysed as part of.

use std::sync::{Arc, OnceLock};

use tree_sitter::{Node, Tree};

use crate::lower::MAX_NESTING;
use crate::preprocess::{Directives, directives};
use crate::reparse::{self, Parsed};
use crate::text::{TextRange, TextSize};

/// A text, its tree and its directives.
#[derive(Debug)]
pub struct Surface {
    text: Arc<str>,
    tree: Option<Tree>,
    directives: OnceLock<Directives>,
}

impl Surface {
    /// `previous` is the surface of an earlier text of the same file: only what lies between what both begin and end with
    /// is parsed anew.
    pub fn new(text: Arc<str>, previous: Option<&Surface>) -> Surface {
        let parsed = previous
            .and_then(|previous| Some(Parsed { text: &previous.text, tree: previous.tree.as_ref()? }));
        // The same bound as for the expanded text: type arguments without an end take time with the square of their depth.
        let hostile = reparse::type_arguments_deeper_than(MAX_NESTING as usize, &text).is_some();
        let tree = if hostile { None } else { reparse::parse(&text, parsed) };
        Surface { text, tree, directives: OnceLock::new() }
    }

    /// The text as it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The `translation_unit`; `None` for a text that is too hostile to parse.
    pub fn root(&self) -> Option<Node<'_>> {
        self.tree.as_ref().map(Tree::root_node)
    }

    /// The directives and conditionals, from the tokens: they are right where the tree is damaged.
    pub fn directives(&self) -> &Directives {
        self.directives.get_or_init(|| directives(&self.text))
    }

    /// The text of a node.
    pub fn text_of(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }
}

/// Where a node stands.
pub fn node_range(node: Node<'_>) -> TextRange {
    let start = TextSize::new(node.start_byte() as u32);
    TextRange::new(start, start.max(TextSize::new(node.end_byte() as u32)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surface_keeps_what_the_preprocessor_removes() {
        let text = "#define T(n) n\n#if X\nint a;\n#else\nT(float) b;\n#endif\n";
        let surface = Surface::new(text.into(), None);
        let root = surface.root().unwrap();
        assert!(!root.has_error(), "{}", root.to_sexp());
        assert_eq!(surface.directives().conditionals.len(), 1);
        assert_eq!(surface.directives().lines.len(), 4);

        let edited = text.replace("int a", "int a, c");
        let surface = Surface::new(edited.as_str().into(), Some(&surface));
        let fresh = Surface::new(edited.as_str().into(), None);
        assert_eq!(surface.root().unwrap().to_sexp(), fresh.root().unwrap().to_sexp());
        assert_eq!(surface.text_of(surface.root().unwrap().named_child(2).unwrap()), "int a, c;");
    }

    #[test]
    fn hostile_texts_have_no_tree() {
        let surface = Surface::new("coopmat<".repeat(2000).into(), None);
        assert!(surface.root().is_none());
        assert!(surface.directives().lines.is_empty());
    }
}
