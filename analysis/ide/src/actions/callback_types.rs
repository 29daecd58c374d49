//! The types of combine, element and decode functions become those of the matrix (GL_NV_cooperative_matrix2, section 8.X), in the definition and
//! in each prototype.

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind};

use coopmat_analysis::text::FileRange;
use coopmat_analysis::types::Ty;

use super::const_in::{named_function, parameter_list};
use super::context::{Context, node_range};
use crate::TextEdit;

/// The title, and the edits for the function that `place` names; `None` where a type is not written in this file.
pub fn change(
    context: &Context<'_>,
    place: FileRange,
    parameters: &[Ty],
    returns: Ty,
) -> Option<(String, Vec<TextEdit>)> {
    let declared = named_function(context, place)?;
    let mut edits = Vec::new();
    for name in declared.prototypes.iter().copied().chain([declared.name_range]) {
        let header = context.node(name, &[kind::FUNCTION_DEFINITION, kind::FUNCTION_DECLARATION])?;
        let list = parameter_list(context, name)?;
        let mut walk = list.walk();
        let written = list.named_children(&mut walk).filter(|node| node.kind_id() == kind::PARAMETER);
        let pairs = written.zip(parameters.iter().zip(&declared.parameters));
        let mut wrong: Vec<(Node<'_>, Ty)> = pairs
            .filter(|(_, (wanted, have))| **wanted != have.ty)
            .map(|(node, (wanted, _))| (node, *wanted))
            .collect();
        if declared.return_type != returns {
            wrong.push((header, returns));
        }
        for (node, wanted) in wrong {
            let range = context.editable(node_range(node.child_by_field_id(field::TYPE)?))?;
            let edit = TextEdit { range, text: context.code(wanted) };
            if !edits.contains(&edit) {
                edits.push(edit);
            }
        }
    }
    let types: Vec<String> = parameters.iter().map(|&ty| format!("`{}`", context.code(ty))).collect();
    let mut title = format!("Make `{}` return `{}`", declared.name, context.code(returns));
    if declared.parameters.iter().zip(parameters).any(|(have, wanted)| have.ty != *wanted) {
        title = format!("{title} and take {}", types.join(", "));
    }
    Some((title, edits))
}
