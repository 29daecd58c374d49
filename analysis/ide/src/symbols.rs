//! The outline of a file: what it declares, from its text as it is written, so that macros and code of other configurations
//! are there too.

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind};

use coopmat_analysis::preprocess::DirectiveKind;
use coopmat_analysis::surface::{Surface, node_range};
use coopmat_analysis::text::{TextRange, TextSize};

/// What is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlineKind {
    /// A function, with a body or as a prototype.
    Function,
    /// A structure.
    Struct,
    /// An interface block.
    Block,
    /// Of the whole shader.
    Variable,
    /// Such a variable with `const`.
    Constant,
    /// Of a structure or block.
    Member,
    /// A `#define`.
    Macro,
}

/// Something that a file declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineSymbol {
    /// The name as it is written.
    pub name: String,
    /// A type, or the parameters of a function.
    pub detail: String,
    /// What it is.
    pub kind: OutlineKind,
    /// The whole declaration.
    pub range: TextRange,
    /// The name alone, within [`OutlineSymbol::range`].
    pub name_range: TextRange,
    /// In the order of the text, each within this one's range.
    pub children: Vec<OutlineSymbol>,
}

/// Conditional code may leave the tree damaged: declarations inside broken nodes are looked for this deep.
const DEEPEST: usize = 12;

/// In the order of the text; members below their structures, macros below the function whose text holds them.
pub fn outline(surface: &Surface) -> Vec<OutlineSymbol> {
    let mut found = Vec::new();
    if let Some(root) = surface.root() {
        declarations(surface, root, 0, &mut found);
    }
    for line in &surface.directives().lines {
        if line.kind == DirectiveKind::Define
            && let Some(symbol) = macro_symbol(surface, line.range, line.name)
        {
            insert(&mut found, symbol);
        }
    }
    found.sort_by_key(|symbol| symbol.range.start());
    found
}

fn insert(symbols: &mut Vec<OutlineSymbol>, symbol: OutlineSymbol) {
    match symbols.iter_mut().find(|one| one.range.contains_range(symbol.range)) {
        Some(around) => {
            let at = around.children.partition_point(|one| one.range.start() < symbol.range.start());
            around.children.insert(at, symbol);
        }
        None => symbols.push(symbol),
    }
}

fn macro_symbol(surface: &Surface, range: TextRange, word: TextRange) -> Option<OutlineSymbol> {
    let text = surface.text().get(std::ops::Range::from(range))?;
    let behind = usize::from(word.end().checked_sub(range.start())?);
    let rest = text.get(behind..)?;
    let start = behind + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
    let name: &str = text.get(start..)?;
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
    let (name, rest) = name.split_at(end);
    if name.is_empty() {
        return None;
    }
    let name_start = range.start() + TextSize::new(start as u32);
    let parameters = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((parameters, _)) => format!("({parameters})"),
        None => String::new(),
    };
    Some(OutlineSymbol {
        name: name.to_owned(),
        detail: parameters,
        kind: OutlineKind::Macro,
        range,
        name_range: TextRange::at(name_start, TextSize::new(name.len() as u32)),
        children: Vec::new(),
    })
}

fn declarations(surface: &Surface, parent: Node<'_>, depth: usize, found: &mut Vec<OutlineSymbol>) {
    let mut cursor = parent.walk();
    for node in parent.named_children(&mut cursor) {
        match node.kind_id() {
            kind::FUNCTION_DEFINITION | kind::FUNCTION_DECLARATION => found.extend(function(surface, node)),
            kind::DECLARATION => declaration(surface, node, OutlineKind::Variable, found),
            kind::INTERFACE_BLOCK => found.extend(block(surface, node)),
            kind::QUALIFIER_DECLARATION => reference_ahead(surface, node, found),
            _ if node.is_error() && depth < DEEPEST => declarations(surface, node, depth + 1, found),
            _ => {}
        }
    }
}

fn symbol(
    surface: &Surface,
    node: Node<'_>,
    name: Node<'_>,
    kind: OutlineKind,
    detail: String,
) -> Option<OutlineSymbol> {
    let text = surface.text_of(name);
    if text.is_empty() || name.is_missing() {
        return None;
    }
    let (range, name_range) = (node_range(node), node_range(name));
    Some(OutlineSymbol {
        name: text.to_owned(),
        detail,
        kind,
        range: range.cover(name_range),
        name_range,
        children: Vec::new(),
    })
}

/// A text on one line.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn type_text(surface: &Surface, node: Node<'_>) -> String {
    match node.child_by_field_id(field::TYPE) {
        Some(ty) if ty.kind_id() == kind::STRUCT_SPECIFIER => "struct".to_owned(),
        Some(ty) => flat(surface.text_of(ty)),
        None => String::new(),
    }
}

fn function(surface: &Surface, node: Node<'_>) -> Option<OutlineSymbol> {
    let name = node.child_by_field_id(field::NAME)?;
    let parameters = node.child_by_field_id(field::PARAMETERS);
    let parameters = parameters.map(|list| flat(surface.text_of(list))).unwrap_or_default();
    let detail = format!("{}{parameters}", type_text(surface, node));
    symbol(surface, node, name, OutlineKind::Function, detail)
}

/// Variables, and the structure that is declared on the way.
fn declaration(surface: &Surface, node: Node<'_>, of: OutlineKind, found: &mut Vec<OutlineSymbol>) {
    if let Some(ty) = node.child_by_field_id(field::TYPE)
        && ty.kind_id() == kind::STRUCT_SPECIFIER
    {
        found.extend(structure(surface, ty));
    }
    let detail = type_text(surface, node);
    let mut cursor = node.walk();
    let mut kind_here = of;
    for child in node.children(&mut cursor) {
        match child.kind_id() {
            kind::QUALIFIER if of == OutlineKind::Variable && surface.text_of(child) == "const" => {
                kind_here = OutlineKind::Constant;
            }
            kind::DECLARATOR => {
                let Some(name) = child.child_by_field_id(field::NAME) else { continue };
                let mut inner = child.walk();
                let arrays: String = child
                    .children_by_field_id(
                        std::num::NonZero::new(field::ARRAY).unwrap_or(std::num::NonZero::<u16>::MIN),
                        &mut inner,
                    )
                    .map(|array| flat(surface.text_of(array)))
                    .collect();
                let first = found.last().is_none_or(|last| !node_range(node).contains_range(last.range));
                // Of several variables in one declaration each has its own part.
                let part = if first { node } else { child };
                found.extend(symbol(surface, part, name, kind_here, format!("{detail}{arrays}")));
            }
            _ => {}
        }
    }
}

fn structure(surface: &Surface, node: Node<'_>) -> Option<OutlineSymbol> {
    let name = node.child_by_field_id(field::NAME)?;
    let mut structure = symbol(surface, node, name, OutlineKind::Struct, "struct".to_owned())?;
    structure.children = members(surface, node);
    Some(structure)
}

fn members(surface: &Surface, node: Node<'_>) -> Vec<OutlineSymbol> {
    let mut found = Vec::new();
    if let Some(body) = node.child_by_field_id(field::BODY) {
        let mut cursor = body.walk();
        for member in body.named_children(&mut cursor) {
            if member.kind_id() == kind::MEMBER_DECLARATION {
                declaration(surface, member, OutlineKind::Member, &mut found);
            }
        }
    }
    found
}

fn block(surface: &Surface, node: Node<'_>) -> Option<OutlineSymbol> {
    let name = node.child_by_field_id(field::NAME)?;
    let instance = node.child_by_field_id(field::INSTANCE);
    let mut cursor = node.walk();
    let storage: Vec<&str> = node
        .children(&mut cursor)
        .filter(|child| child.kind_id() == kind::QUALIFIER)
        .map(|child| surface.text_of(child))
        .collect();
    let mut detail = storage.join(" ");
    if let Some(instance) = instance {
        detail = format!("{detail} {}", flat(surface.text_of(instance))).trim().to_owned();
    }
    let mut block = symbol(surface, node, name, OutlineKind::Block, detail)?;
    block.children = members(surface, node);
    if let Some(instance) = instance
        && let Some(name) = instance.child_by_field_id(field::NAME)
    {
        let of = surface.text_of(node.child_by_field_id(field::NAME)?).to_owned();
        block.children.extend(symbol(surface, instance, name, OutlineKind::Variable, of));
    }
    Some(block)
}

/// `layout(buffer_reference) buffer Node;`
fn reference_ahead(surface: &Surface, node: Node<'_>, found: &mut Vec<OutlineSymbol>) {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
    let reference = children.iter().any(|child| {
        child.kind_id() == kind::LAYOUT_QUALIFIER && surface.text_of(*child).contains("buffer_reference")
    });
    if reference {
        for child in children.iter().filter(|child| child.kind_id() == kind::IDENTIFIER) {
            let detail = "buffer reference".to_owned();
            found.extend(symbol(surface, node, *child, OutlineKind::Block, detail));
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: Expect) {
        let mut out = String::new();
        print(&outline(&Surface::new(text.into(), None)), text, 0, &mut out);
        expected.assert_eq(&out);
    }

    fn print(symbols: &[OutlineSymbol], text: &str, depth: usize, out: &mut String) {
        use std::fmt::Write as _;
        for one in symbols {
            assert_eq!(&text[std::ops::Range::<usize>::from(one.name_range)], one.name);
            assert!(one.range.contains_range(one.name_range));
            let line = format!("{:?} {} {}", one.kind, one.name, one.detail);
            let _ = writeln!(out, "{}{}", "  ".repeat(depth), line.trim_end());
            print(&one.children, text, depth + 1, out);
        }
    }

    #[test]
    fn declarations_macros_and_inactive_code_are_listed() {
        check(
            "#version 450
#define TILE(m, n) vec4
struct Block { float d; uint8_t qs[16]; };
layout(constant_id = 0) const uint BM = 64, BN = 64;
layout(binding = 0) readonly buffer Data { Block blocks[]; } data;
layout(push_constant) uniform Parameters { uint M; };
layout(buffer_reference) buffer Node;
#if defined(NEVER)
float helper(float x);
#else
float helper(const in float x,
             out int y) {
#define LOCAL 3
    float local = LOCAL;
    return local;
}
#endif
shared float cache[64];
",
            expect![[r#"
                Macro TILE (m, n)
                Struct Block struct
                  Member d float
                  Member qs uint8_t[16]
                Constant BM uint
                Constant BN uint
                Block Data readonly buffer data
                  Member blocks Block[]
                  Variable data Data
                Block Parameters uniform
                  Member M uint
                Block Node buffer reference
                Function helper float(float x)
                Function helper float(const in float x, out int y)
                  Macro LOCAL
                Variable cache float[64]
            "#]],
        );
    }

    #[test]
    fn what_is_being_typed_hides_nothing_around_it() {
        check(
            "float a;\nvoid f( {\nfloat b;\nstruct S { int x; \nvoid g() { }\n",
            expect![[r#"
                Variable a float
                Variable b float
                Function g void()
            "#]],
        );
    }
}
