//! The tables against what they promise.

use expect_test::expect;

use super::*;
use crate::config::Stage;
use crate::types::Scalar;

#[path = "../../build/notation.rs"]
#[allow(dead_code)]
mod notation;

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

fn signatures(name: &str) -> String {
    let mut lines: Vec<String> = functions(name)
        .map(|(_, function)| {
            let providers: Vec<_> =
                function.providers.iter().chain(function.needs).map(|&id| extension_by_id(id).name).collect();
            match providers.as_slice() {
                [] => function.signature.to_owned(),
                [first, ..] => format!("{} [{first}]", function.signature),
            }
        })
        .collect();
    lines.dedup();
    lines.join("\n")
}

/// One entry stands for all component types, each with the extension that brings it.
#[test]
fn families_give_an_overload_for_each_width() {
    expect![[r#"
        genFType fract(genFType x)
        genDType fract(genDType x)
        genF16Type fract(genF16Type x) [GL_EXT_shader_explicit_arithmetic_types]"#]]
    .assert_eq(&signatures("fract"));
    expect![[r#"
        uint dotPacked4x8EXT(uint a, uint b) [GL_EXT_integer_dot_product]
        int dotPacked4x8EXT(int a, uint b) [GL_EXT_integer_dot_product]
        int dotPacked4x8EXT(uint a, int b) [GL_EXT_integer_dot_product]
        int dotPacked4x8EXT(int a, int b) [GL_EXT_integer_dot_product]"#]]
    .assert_eq(&signatures("dotPacked4x8EXT"));
}

#[test]
fn generic_samplers_and_optional_parameters_are_overloads() {
    let shapes = |name: &str| -> Vec<(Pattern, usize)> {
        functions(name).map(|(_, function)| (function.result, function.parameters.len())).collect()
    };
    // float, int, uint; 2D, array, cube, cube array and rectangle, each with and without `comp`; five shadow samplers.
    let gather = shapes("textureGather");
    let core = functions("textureGather").filter(|(_, function)| function.min_version == 400).count();
    assert_eq!(core, 3 * 5 * 2 + 5);
    assert!(gather.contains(&(Pattern::Vector(Scalar::Uint32, 4), 2)));
    assert!(gather.contains(&(Pattern::Vector(Scalar::Uint32, 4), 3)));
}

/// What the rules of matrices work on: one entry for each function, the memory and the function names marked as such.
#[test]
fn functions_with_a_matrix_rule_have_one_entry() {
    for name in [
        "coopMatLoad",
        "coopMatStore",
        "coopMatMulAdd",
        "coopMatLoadTensorNV",
        "coopMatStoreTensorNV",
        "coopMatReduceNV",
        "coopMatPerElementNV",
        "coopMatTransposeNV",
        "createTensorLayoutNV",
        "createTensorViewNV",
        "sliceTensorLayoutNV",
        "bitcastQCOM",
        "extractSubArrayQCOM",
        "vectorToCoopmatQCOM",
        "coopmatToVectorQCOM",
        "saturatedConvertEXT",
    ] {
        // Further entries are of extensions that add argument types.
        let all: Vec<_> = functions(name).filter(|(_, function)| function.needs.is_empty()).collect();
        let [(_, function)] = all.as_slice() else { panic!("{name} has {} entries", all.len()) };
        assert!(function.rule.is_some(), "{name} has no rule");
        assert!(!function.doc.is_empty() && !function.instruction.is_empty(), "{name} is not described");
    }
    let (_, load) = functions("coopMatLoad").next().unwrap();
    let [m, buf, _, _, layout] = load.parameters else { panic!("coopMatLoad takes five arguments") };
    assert_eq!((m.direction, m.pattern), (ParameterDirection::Out, Pattern::AnyCoopmat));
    assert!(buf.memory && layout.constant);
    assert_eq!(layout.constants, Some(sets::GL_COOPERATIVE_MATRIX_LAYOUT));
    let (_, multiply) = functions("coopMatMulAdd").next().unwrap();
    assert_eq!(multiply.parameters.last().and_then(|operands| operands.default), Some(0));
}

/// Atomics access memory; what they return is a value.
#[test]
fn atomics_mark_their_memory() {
    for name in ["atomicAdd", "atomicCompSwap", "atomicLoad", "atomicStore", "imageAtomicMax"] {
        for (_, function) in functions(name) {
            let memory: Vec<_> = function.parameters.iter().map(|parameter| parameter.memory).collect();
            assert_eq!(memory.iter().position(|&memory| memory), Some(0), "{}", function.signature);
            assert_eq!(memory.iter().filter(|&&memory| memory).count(), 1, "{}", function.signature);
        }
    }
}

#[test]
fn availability_follows_versions_providers_and_needs() {
    let overload = |name: &str, component: Pattern| {
        functions(name)
            .find(|(_, function)| {
                function.parameters.first().is_some_and(|parameter| parameter.pattern == component)
            })
            .unwrap()
            .1
    };
    let with =
        |names: &'static [&'static str]| move |id: ExtensionId| names.contains(&extension_by_id(id).name);
    let add = overload("subgroupAdd", Pattern::Gen(Scalar::Float32));
    assert!(!add.is_available(450, false, with(&[])));
    assert!(add.is_available(450, false, with(&["GL_KHR_shader_subgroup_arithmetic"])));
    let half = overload("subgroupAdd", Pattern::Gen(Scalar::Float16));
    assert!(!half.is_available(450, false, with(&["GL_KHR_shader_subgroup_arithmetic"])));
    assert!(half.is_available(
        450,
        false,
        with(&["GL_KHR_shader_subgroup_arithmetic", "GL_EXT_shader_subgroup_extended_types_float16"])
    ));
    let count = overload("bitCount", Pattern::Gen(Scalar::Uint32));
    assert!(count.is_available(400, false, with(&[])) && count.is_available(310, true, with(&[])));
    assert!(!count.is_available(330, false, with(&[])) && !count.is_available(300, true, with(&[])));
    assert!(count.is_available(330, false, with(&["GL_ARB_gpu_shader5"])));
}

/// What comes along with what, followed to the end; a circle would never end.
#[test]
fn extensions_enable_known_extensions_without_a_circle() {
    for (_, extension) in all_extensions() {
        let mut pending = extension.enables.to_vec();
        let mut steps = 0;
        while let Some(id) = pending.pop() {
            pending.extend(extension_by_id(id).enables);
            steps += 1;
            assert!(steps < 100, "{} enables itself", extension.name);
        }
    }
    let enables = |id: ExtensionId| extension_by_id(id).enables;
    assert_eq!(enables(ids::GL_NV_COOPERATIVE_MATRIX2), [ids::GL_KHR_COOPERATIVE_MATRIX]);
    assert_eq!(enables(ids::GL_KHR_SHADER_SUBGROUP_CLUSTERED), [ids::GL_KHR_SHADER_SUBGROUP_BASIC]);
}

#[test]
fn macros_follow_the_profile() {
    let has = |es: bool, name: &str| extension_macros(es).any(|(found, _)| found == name);
    assert!(has(false, "GL_ARB_gpu_shader5") && !has(true, "GL_ARB_gpu_shader5"));
    assert!(has(true, "GL_OES_texture_3D") && !has(false, "GL_OES_texture_3D"));
    assert!(has(false, "GL_KHR_cooperative_matrix"));
    assert!(!has(false, "GLSL"), "the core language is no extension");
}

/// What concerns matrices, subgroups, memory and tensors is described; so is every function of the core language.
#[test]
fn entries_are_described() {
    let matters = |section: &str| {
        ["cooperative_matrix", "subgroup", "memory_scope", "long_vector", "bfloat16", "GLSL 4.60"]
            .iter()
            .any(|part| section.contains(part))
    };
    for (_, function) in all_functions() {
        assert!(!function.section.is_empty(), "{} has no section", function.signature);
        if matters(function.section) {
            assert!(!function.doc.is_empty(), "{} has no description", function.signature);
        }
        assert!(!function.doc.contains('$') && !function.signature.contains('$'), "{}", function.signature);
    }
    for (_, constant) in all_constants() {
        assert!(!matters(constant.section) || !constant.doc.is_empty(), "{}", constant.name);
    }
    for (_, variable) in all_variables() {
        assert!(!matters(variable.section) || !variable.doc.is_empty(), "{}", variable.name);
    }
    for (_, extension) in all_extensions() {
        assert!(!extension.summary.is_empty(), "{}", extension.name);
    }
}

/// What code calls an entry by, and which constants it takes to belong together.
#[test]
fn generated_names_lead_to_their_entries() {
    assert_eq!(ids::GL_EXT_FLOAT_E4M3.name(), "GL_EXT_float_e4m3");
    assert_eq!(constants::GL_COOPERATIVE_MATRIX_REDUCE2X2_NV.name(), "gl_CooperativeMatrixReduce2x2NV");
    assert_eq!(values::GL_MATRIX_USE_ACCUMULATOR, 2);
    assert_eq!(variables::GL_WORK_GROUP_ID.name(), "gl_WorkGroupID");
    let uses: Vec<_> = sets::GL_MATRIX_USE.iter().map(|(_, constant)| constant.name).collect();
    assert_eq!(uses, ["gl_MatrixUseA", "gl_MatrixUseAccumulator", "gl_MatrixUseB"]);
    assert!(sets::GL_MATRIX_USE.contains(constants::GL_MATRIX_USE_B));
    assert!(!sets::GL_MATRIX_USE.contains(constants::GL_SCOPE_SUBGROUP));
    assert_eq!(sets::GL_SCOPE.with_value(3).map(|constant| constant.name), Some("gl_ScopeSubgroup"));
    assert_eq!(sets::GL_SCOPE.with_value(17).map(|constant| constant.name), None);
    for set in all_sets() {
        let begins = |name: &str| name.starts_with(set.prefix);
        let all = all_constants().filter(|(_, constant)| begins(constant.name)).count();
        assert_eq!(set.iter().len(), all, "{}", set.prefix);
    }
}

#[test]
fn one_name_may_be_an_input_here_and_an_output_there() {
    let primitive = |stage| variable_by_id(variable("gl_PrimitiveID", Some(stage)).unwrap()).writable;
    assert!(primitive(Stage::Geometry));
    assert!(!primitive(Stage::Fragment));
    assert_eq!(
        variable_by_id(variable("gl_in", Some(Stage::Geometry)).unwrap()).pattern,
        Pattern::Array(&Pattern::Struct("gl_PerVertex"), None)
    );
    assert!(structure("gl_PerVertex").is_some_and(|block| block.members[0].name == "gl_Position"));
}

/// The build script's own reader, on what data files get wrong.
mod notation_tests {
    use super::notation::*;

    #[test]
    fn mistakes_in_a_declaration_are_named() {
        let error = |text: &str| declaration(text, &[]).err().unwrap_or_default();
        assert_eq!(error("float f(vec5 x)"), "expected a type of the notation, found `vec5` in `vec5 x`");
        assert_eq!(error("half f(float x)"), "result: expected a type of the notation, found `half`");
        assert_eq!(error("float f(float x"), "expected `)` at the end of the declaration");
        assert_eq!(error("f(float x)"), "expected a type and a name before `(` in `f(float x)`");
        assert_eq!(
            error("float f(..., float x)"),
            "expected `...` as the last parameter, found it in `..., float x`"
        );
        assert_eq!(error("float f(int x = a)"), "expected a number as the default, found `a`");
        assert_eq!(error("float f(const)"), "expected a type and a name, found the parameter `const`");
    }

    #[test]
    fn optional_and_generic_parts_expand() {
        assert_eq!(optional("f(a [, b] [, c])"), ["f(a  )", "f(a  , c)", "f(a , b )", "f(a , b , c)"]);
        assert_eq!(
            generic_prefixes("gvec4 texture(gsampler2D s, vec2 P)"),
            [
                "vec4 texture(sampler2D s, vec2 P)",
                "ivec4 texture(isampler2D s, vec2 P)",
                "uvec4 texture(usampler2D s, vec2 P)"
            ]
        );
    }
}

/// What an extension that is not analysed adds stands in the tables, so that other names stay undeclared. A few add no names.
#[test]
fn what_is_not_analysed_lists_what_it_adds() {
    const NO_NAMES: [ExtensionId; 3] =
        [ids::GL_ARM_TENSORS_BFLOAT16, ids::GL_ARM_TENSORS_FLOAT_E4M3, ids::GL_ARM_TENSORS_FLOAT_E5M2];
    for (id, extension) in all_extensions().filter(|(_, extension)| !extension.analysed) {
        let adds = !(extension.keywords.is_empty()
            && extension.changes.is_empty()
            && extension.attributes.is_empty())
            || all_types().any(|(_, ty)| ty.providers.contains(&id))
            || all_functions().any(|(_, function)| function.providers.contains(&id))
            || all_constants().any(|(_, constant)| constant.providers.contains(&id))
            || all_variables().any(|(_, variable)| variable.providers.contains(&id));
        assert_eq!(adds, !NO_NAMES.contains(&id), "{}", extension.name);
    }
}

#[test]
fn an_extension_of_other_stages_leaves_nothing_to_analyse() {
    let vertices = extension_by_id(ids::GL_AMD_SHADER_EXPLICIT_VERTEX_PARAMETER);
    assert!(vertices.is_analysed_in(Some(Stage::Compute)));
    assert!(!vertices.is_analysed_in(Some(Stage::Fragment)) && !vertices.is_analysed_in(None));
    let everywhere = extension_by_id(ids::GL_NV_BINDLESS_TEXTURE);
    assert!(!everywhere.is_analysed_in(Some(Stage::Compute)));
}
