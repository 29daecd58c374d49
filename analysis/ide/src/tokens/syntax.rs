//! What words are by their place in the tree: keywords, types, names in layouts and attributes, and names whose meaning nobody
//! knows yet.

use rustc_hash::FxHashMap;
use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{LANGUAGE, TYPES_WITH_ARGUMENTS, field, kind};

use super::{Class, Modifiers, TokenKind};
use coopmat_analysis::extensions;
use coopmat_analysis::surface::Surface;
use coopmat_analysis::text::{TextRange, TextSize};

/// The words of a surface tree by where they start.
pub struct Syntax(FxHashMap<TextSize, Class>);

impl Syntax {
    pub fn of(surface: &Surface) -> Syntax {
        let mut classes = FxHashMap::default();
        let Some(root) = surface.root() else { return Syntax(classes) };
        let mut cursor = root.walk();
        // A node's parent is found from the root down, so they are kept.
        let mut parents: Vec<u16> = Vec::new();
        loop {
            let node = cursor.node();
            if node.child_count() == 0 {
                // Whatever else a leaf is, it is by itself.
                let is_name = node.kind_id() == kind::IDENTIFIER;
                let field = if is_name { cursor.field_id().map(Into::into) } else { None };
                if let Some(class) = class_of_leaf(node, Place { parent: parents.last().copied(), field }) {
                    classes.insert(TextSize::new(node.start_byte() as u32), class);
                }
            } else if cursor.goto_first_child() {
                parents.push(node.kind_id());
                continue;
            }
            while !cursor.goto_next_sibling() {
                parents.pop();
                if !cursor.goto_parent() {
                    return Syntax(classes);
                }
            }
        }
    }

    pub fn at(&self, range: TextRange) -> Option<Class> {
        self.0.get(&range.start()).copied()
    }
}

/// The kind of the node above, and what the leaf is to it.
#[derive(Clone, Copy, Default)]
pub struct Place {
    parent: Option<u16>,
    field: Option<u16>,
}

/// What a leaf of a tree is, if it is a word.
pub fn class_of_leaf(leaf: Node<'_>, place: Place) -> Option<Class> {
    let plain = |kind| Some((kind, Modifiers::NONE));
    let declares = |kind| Some((kind, Modifiers::DECLARATION));
    let library_type = Some((TokenKind::Type, Modifiers::DEFAULT_LIBRARY));
    if !leaf.is_named() {
        let is_word = leaf.kind().starts_with(|first: char| first.is_ascii_alphabetic());
        return is_word.then_some((TokenKind::Keyword, Modifiers::NONE));
    }
    match leaf.kind_id() {
        kind::QUALIFIER | kind::BOOL_LITERAL => plain(TokenKind::Keyword),
        kind::PRIMITIVE_TYPE => library_type,
        kind::FIELD_IDENTIFIER => plain(TokenKind::Property),
        kind::UNKNOWN_QUALIFIER | kind::MACRO_ATTRIBUTE | kind::MACRO_ARGUMENT => plain(TokenKind::Macro),
        kind::IDENTIFIER => match (place.parent?, place.field) {
            (kind::LAYOUT_ENTRY | kind::ATTRIBUTE | kind::SPIRV_ARGUMENT, Some(field::NAME)) => {
                plain(TokenKind::Decorator)
            }
            (kind::GENERIC_TYPE, Some(field::NAME)) => library_type,
            (kind::FUNCTION_DEFINITION | kind::FUNCTION_DECLARATION, Some(field::NAME)) => {
                declares(TokenKind::Function)
            }
            (kind::PARAMETER, Some(field::NAME)) => declares(TokenKind::Parameter),
            (kind::STRUCT_SPECIFIER, Some(field::NAME)) => declares(TokenKind::Struct),
            (kind::INTERFACE_BLOCK, Some(field::NAME)) => declares(TokenKind::Interface),
            (kind::CALL_EXPRESSION, Some(field::FUNCTION)) => plain(TokenKind::Function),
            (_, Some(field::TYPE)) => plain(TokenKind::Type),
            _ => None,
        },
        _ => None,
    }
}

/// What the language calls by a word, wherever it stands.
pub fn class_of_word(word: &str) -> Option<Class> {
    if extensions::type_(word).is_some() || TYPES_WITH_ARGUMENTS.contains(&word) {
        return Some((TokenKind::Type, Modifiers::DEFAULT_LIBRARY));
    }
    if extensions::functions(word).len() > 0 {
        return Some((TokenKind::Function, Modifiers::DEFAULT_LIBRARY));
    }
    if extensions::constant(word).is_some() {
        return Some((TokenKind::EnumMember, Modifiers::DEFAULT_LIBRARY.with(Modifiers::READONLY)));
    }
    if extensions::variable(word, None).is_some() {
        return Some((TokenKind::Variable, Modifiers::DEFAULT_LIBRARY));
    }
    let language = tree_sitter::Language::from(LANGUAGE);
    let is_keyword = language.id_for_node_kind(word, false) != 0;
    is_keyword.then_some((TokenKind::Keyword, Modifiers::NONE))
}
