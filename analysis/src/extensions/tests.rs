//! The tables against what they promise.

use super::*;
use crate::config::Stage;

/// Every scalar's own name and its vectors' names are keywords, and stand for just that type.
#[test]
fn scalars_and_vectors_have_their_names() {
    for scalar in Scalar::ALL {
        let kind = |name: &str| type_(name).map(|id| type_by_id(id).kind);
        assert_eq!(
            kind(scalar.name()),
            Some(BuiltinTypeKind::Pattern(Pattern::Scalar(scalar))),
            "{}",
            scalar.name()
        );
        for length in 2..=4 {
            let name = format!("{}{length}", scalar.vector_prefix());
            assert_eq!(
                kind(&name),
                Some(BuiltinTypeKind::Pattern(Pattern::Vector(scalar, length))),
                "{name}"
            );
        }
    }
}

#[test]
fn tables_are_sorted_by_name() {
    assert!(all_extensions().is_sorted_by_key(|(_, extension)| extension.name));
    assert!(all_functions().is_sorted_by_key(|(_, function)| function.name));
    assert!(all_variables().is_sorted_by_key(|(_, variable)| variable.name));
    assert!(all_constants().is_sorted_by_key(|(_, constant)| constant.name));
    assert!(all_types().is_sorted_by_key(|(_, ty)| ty.name));
}

#[test]
fn ids_and_names_lead_to_the_same_entry() {
    for (id, extension) in all_extensions() {
        assert_eq!(super::extension(extension.name), Some(id));
        assert_eq!(extension_by_id(id).name, extension.name);
    }
    for (id, function) in all_functions() {
        assert!(functions(function.name).any(|(found, _)| found == id), "{}", function.signature);
        assert_eq!(super::function(id).signature, function.signature);
    }
    for (id, variable) in all_variables() {
        assert!(variables(variable.name).any(|(found, _)| found == id), "{}", variable.name);
        assert_eq!(variable_by_id(id).name, variable.name);
    }
    for (id, constant) in all_constants() {
        assert_eq!(super::constant(constant.name), Some(id));
        assert_eq!(constant_by_id(id).name, constant.name);
    }
    for (id, ty) in all_types() {
        assert_eq!(type_(ty.name), Some(id));
        assert_eq!(type_by_id(id).name, ty.name);
    }
}

#[test]
fn unknown_names_are_unknown() {
    assert_eq!(functions("coopMatLod").len(), 0);
    assert_eq!(variables("gl_Nothing").len(), 0);
    assert_eq!(variable("gl_Nothing", Some(Stage::Compute)), None);
    assert_eq!(constant("gl_MatrixUseC"), None);
    assert_eq!(type_("vec5"), None);
    assert_eq!(extension("GL_KHR_cooperative_matrix3"), None);
}
