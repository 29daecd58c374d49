//! Where members of blocks lie in memory.

use tree_sitter_glsl_coopmat::kind;

use super::{Hint, HintKind, Hints};
use crate::hover::declaration::{packing_name, packing_of};
use coopmat_analysis::hir::StructKind;
use coopmat_analysis::layout::LayoutContext;
use coopmat_analysis::text::{TextRange, TextSize};

pub fn collect(hints: &mut Hints<'_>) {
    let module = &hints.analysis.module;
    for (id, structure) in module.structs.iter() {
        if matches!(structure.kind, StructKind::Plain) {
            continue;
        }
        let Some(packing) = packing_of(&structure.kind) else { continue };
        let base = structure.owner.map_or(TextSize::new(0), |owner| module.functions[owner].range.start());
        if !hints.wanted(structure.range + base) {
            continue;
        }
        let context = LayoutContext { types: &module.types, structs: &module.structs, packing };
        let Some(layouts) = context.members(id) else { continue };
        for (member, layout) in structure.members.iter().zip(layouts) {
            let name = member.name_range + base;
            let Some(place) = hints.spelled(declarator(hints, name)) else { continue };
            let mut facts = Vec::new();
            if let Some(offset) = layout.offset {
                facts.push(format!("offset {offset}"));
            }
            if let Some(stride) = layout.layout.array_stride {
                facts.push(format!("stride {stride}"));
            }
            if let Some(stride) = layout.layout.matrix_stride {
                facts.push(format!("matrix stride {stride}"));
            }
            if facts.is_empty() {
                continue;
            }
            let size = layout
                .layout
                .size
                .map_or("size known at run time".to_owned(), |size| format!("{size} bytes"));
            hints.found.push(Hint {
                offset: place.end(),
                kind: HintKind::Layout,
                label: facts.join(", "),
                target: None,
                tooltip: Some(format!(
                    "laid out by {}: {size}, alignment {}",
                    packing_name(packing),
                    layout.layout.align
                )),
                insertions: Vec::new(),
            });
        }
    }
}

/// A name with the array sizes behind it.
fn declarator(hints: &Hints<'_>, name: TextRange) -> TextRange {
    let node = hints.analysis.tree.as_ref().and_then(|tree| {
        let root = tree.root_node();
        let node = root.descendant_for_byte_range(name.start().into(), name.end().into())?;
        node.parent().filter(|parent| parent.kind_id() == kind::DECLARATOR)
    });
    node.map_or(name, |node| coopmat_analysis::surface::node_range(node))
}
