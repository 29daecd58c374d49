//! Values of sizes and constants: arguments of types, array sizes, layouts, initialisers of `const`.

use rustc_hash::FxHashMap;
use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind};

use super::{HintKind, Hints};
use crate::showing::{configured_value, show_const};
use coopmat_analysis::hir::{Const, Expr, ExprKind, Global};
use coopmat_analysis::preprocess::MacroUseKind;
use coopmat_analysis::surface::node_range;
use coopmat_analysis::text::{TextRange, TextSize};

pub fn collect(hints: &mut Hints<'_>) {
    let analysis = hints.analysis;
    let Some(tree) = &analysis.tree else { return };
    let mut values = Values { exprs: FxHashMap::default(), calls: FxHashMap::default() };
    for (body, base, _) in analysis.module.bodies() {
        for (_, expr) in body.exprs.iter() {
            let range = expr.range + base;
            let written = !matches!(expr.kind, ExprKind::Convert { .. });
            if written && expr.constant.is_some() && hints.wanted(range) {
                values.exprs.insert(range, expr);
            }
        }
    }
    for usage in &analysis.preprocessed.macro_uses {
        if usage.kind == MacroUseKind::Call
            && usage.range.file == hints.file
            && hints.within.contains_range(usage.range.range)
            && let Some(expanded) = usage.expanded
        {
            values.calls.insert(expanded, usage.range.range);
        }
    }
    let configured: FxHashMap<TextSize, &Global> = analysis
        .module
        .globals
        .iter()
        .filter(|(_, global)| {
            global.constant_id.is_some_and(|id| analysis.config.given(Some(id), &global.name).is_some())
        })
        .map(|(_, global)| (global.name_range.start(), global))
        .collect();
    let mut cursor = tree.root_node().walk();
    let mut constant = false;
    loop {
        let node = cursor.node();
        let range = node_range(node);
        match node.kind_id() {
            kind::DECLARATION => constant = is_const(node, &analysis.preprocessed.text),
            kind::DECLARATOR => {
                let value = node.child_by_field_id(field::VALUE).filter(|_| constant);
                match (value, configured.get(&range.start())) {
                    (Some(value), Some(global)) => values.configured(hints, node_range(value), global),
                    (Some(value), None) => values.hint(hints, value),
                    (None, _) => {}
                }
            }
            kind::ARRAY_SPECIFIER => {
                if let Some(size) = node.child_by_field_id(field::SIZE) {
                    values.hint(hints, size);
                }
            }
            kind::LAYOUT_ENTRY => {
                if let Some(value) = node.child_by_field_id(field::VALUE) {
                    values.hint(hints, value);
                }
            }
            _ => {}
        }
        if cursor.field_id().is_some_and(|id| id.get() == field::ARGUMENT) && node.is_named() {
            values.hint(hints, node);
        }
        // What lies outside of the wanted part is not entered. (The cursor counts its depth anew each time it is asked.)
        let enter = node.kind_id() == kind::TRANSLATION_UNIT || hints.wanted(range);
        if enter && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

fn is_const(declaration: Node<'_>, text: &str) -> bool {
    let mut cursor = declaration.walk();
    declaration
        .children(&mut cursor)
        .take_while(|child| child.kind_id() != kind::DECLARATOR)
        .any(|child| child.kind_id() == kind::QUALIFIER && text.get(child.byte_range()) == Some("const"))
}

struct Values<'a> {
    /// Expressions of known value, by their place in the expanded text.
    exprs: FxHashMap<TextRange, &'a Expr>,
    /// Macro calls by what they became.
    calls: FxHashMap<TextRange, TextRange>,
}

impl Values<'_> {
    /// What the configuration gives to a specialization constant, behind its default.
    fn configured(&self, hints: &mut Hints<'_>, range: TextRange, global: &Global) {
        let Some(Const::Symbolic(sym)) = global.constant else { return };
        let Some((offset, _)) = self.place(hints, range) else { return };
        let Some(value) = configured_value(hints.analysis, sym) else { return };
        self.add(hints, offset, &value.to_string(), true);
    }

    fn hint(&self, hints: &mut Hints<'_>, node: Node<'_>) {
        let range = node_range(node);
        let mut inside = node;
        while inside.kind_id() == kind::PARENTHESIZED_EXPRESSION
            && !self.exprs.contains_key(&node_range(inside))
            && let Some(child) = inside.named_child(0)
        {
            inside = child;
        }
        let Some(expr) = self.exprs.get(&node_range(inside)) else { return };
        let Some((offset, from_macro)) = self.place(hints, range) else { return };
        let told = match expr.kind {
            ExprKind::Literal => from_macro,
            // Negative literals, and names that say what they are.
            ExprKind::Unary { .. } => {
                from_macro || !matches!(expr.constant, Some(Const::Int(_) | Const::Float(_)))
            }
            ExprKind::BuiltinConstant(_) | ExprKind::InitializerList { .. } | ExprKind::Construct { .. } => {
                false
            }
            _ => true,
        };
        if !told {
            return;
        }
        let analysis = hints.analysis;
        let value = match &expr.constant {
            Some(Const::Symbolic(sym)) => configured_value(analysis, *sym).map(|value| value.to_string()),
            Some(value @ (Const::Bool(_) | Const::Int(_) | Const::Float(_))) => show_const(analysis, value),
            Some(Const::Composite(_) | Const::Opaque { .. }) | None => None,
        };
        let Some(value) = value else { return };
        self.add(hints, offset, &value, matches!(expr.constant, Some(Const::Symbolic(_))));
    }

    fn add(&self, hints: &mut Hints<'_>, offset: TextSize, value: &str, symbolic: bool) {
        hints.add(offset, HintKind::Value, format!("= {value}"));
        let configuration = &hints.analysis.config.name;
        if let Some(hint) = hints.found.last_mut().filter(|_| symbolic) {
            hint.tooltip = Some(format!(
                "depends on specialization; {value} with the values of the configuration `{configuration}` and the shader's defaults"
            ));
        }
    }

    /// The end of an expression where it is spelled, or of the macro call that it is.
    fn place(&self, hints: &Hints<'_>, range: TextRange) -> Option<(TextSize, bool)> {
        if let Some(call) = self.calls.get(&range) {
            return Some((call.end(), true));
        }
        Some((hints.spelled(range)?.end(), false))
    }
}
