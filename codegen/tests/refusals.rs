//! What is not compiled, as diagnostics: the page's examples, each construct once, nothing that follows from another one.

use std::sync::Arc;

use coopmat_analysis::Analysis;
use coopmat_analysis::config::Configuration;
use coopmat_analysis::diagnostics::{Severity, codes};
use coopmat_analysis::fixture::{Reported, compare, page_examples};
use coopmat_analysis::levels::Level;
use coopmat_analysis::sources::NoFiles;
use coopmat_codegen::{Options, compile, not_compiled, told};

fn analysis_of(path: &str, source: &str) -> Analysis {
    coopmat_analysis::analyze(path, source.into(), &Configuration::default(), &NoFiles, None)
}

/// Each diagnostic as `LINE: reason [LINES of the other places]`.
fn refused_in(path: &str, source: &str) -> Vec<String> {
    let analysis = analysis_of(path, source);
    let line = |location: coopmat_analysis::text::FileRange| {
        analysis.files()[location.file].line_index().line_col(location.range.start()).line + 1
    };
    let found = not_compiled(&analysis);
    assert_eq!(found.is_empty(), compile(&analysis, &Options::default()).is_ok(), "{source}");
    let words = found.iter().map(|one| {
        assert_eq!((one.code, one.severity), (&codes::NOT_COMPILED, Severity::Warning));
        let reason = one.message.strip_prefix("this shader cannot be compiled to SPIR-V: ").unwrap();
        let also: Vec<u32> = one.related.iter().map(|related| line(related.location)).collect();
        format!("{}: {reason} {also:?}", line(one.location))
    });
    words.collect()
}

/// The lines of a shader, the declarations from line 4 on.
fn refused(declarations: &str, body: &str) -> Vec<String> {
    let source = format!(
        "#version 460\n#extension GL_AMD_gpu_shader_half_float_fetch : require\nlayout(local_size_x = 1) in;\n{declarations}\nvoid main() {{\n{body}\n}}\n"
    );
    refused_in("test.comp", &source)
}

#[test]
fn the_page_gets_what_it_marks() {
    let (wrong, right) = page_examples(codes::NOT_COMPILED.page);
    for example in wrong.iter().chain(&right) {
        let result = compare(example, |path, text, config, loader| {
            let analysis = coopmat_analysis::analyze(path, text, config, loader, None);
            let mut found = told(&analysis).diagnostics;
            found.retain(|one| one.severity != Severity::Hint);
            Reported::new(analysis.files(), found)
        });
        assert_eq!(result, Ok(()));
    }
}

#[test]
fn an_extension_is_one_construct_however_much_of_it_is_used() {
    let found = refused_in(
        "test.comp",
        "#version 310 es
#extension GL_EXT_YUV_target : require
layout(local_size_x = 1) in;
yuvCscStandardEXT every;
void main() {
    yuvCscStandardEXT one;
    rgb_2_yuv(vec3(0), every);
    while (yuv_2_rgb(one)) {}
}",
    );
    assert_eq!(found, ["6: GL_EXT_YUV_target is not supported in compiled shaders [7, 4, 8]"]);
}

#[test]
fn matrices_have_scopes_that_modules_may_have() {
    let found = refused(
        "#extension GL_KHR_cooperative_matrix : require\n#extension GL_NV_cooperative_matrix : require\n#extension GL_KHR_memory_scope_semantics : require\nlayout(constant_id = 0) const uint SCOPE = 1;",
        "coopmat<float, gl_ScopeDevice, 16, 16, gl_MatrixUseA> a;\nfcoopmatNV<32, 17, 16, 16> b;\ncoopmat<float, SCOPE, 16, 16, gl_MatrixUseA> c;",
    );
    assert_eq!(
        found,
        [
            "9: Vulkan has no matrices of scope gl_ScopeDevice: use subgroup or workgroup scope []",
            "10: Vulkan has no matrices of scope 17: use subgroup or workgroup scope []",
        ]
    );
}

#[test]
fn semantics_of_the_vulkan_memory_model_need_it() {
    for (call, name) in [
        (
            "memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsOutput, gl_SemanticsRelease)",
            "gl_StorageSemanticsOutput",
        ),
        (
            "memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable)",
            "gl_SemanticsMakeAvailable",
        ),
        (
            "memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible)",
            "gl_SemanticsMakeVisible",
        ),
    ] {
        let extension = "#extension GL_KHR_memory_scope_semantics : require";
        let found = refused(extension, &format!("{call};"));
        assert_eq!(
            found,
            [format!("6: `{name}` needs the Vulkan memory model: add `#pragma use_vulkan_memory_model` []")]
        );
        assert!(
            refused(&format!("{extension}\n#pragma use_vulkan_memory_model"), &format!("{call};")).is_empty()
        );
    }
}

#[test]
fn barriers_and_orders_have_scopes_that_vulkan_has() {
    let extension =
        "#extension GL_KHR_memory_scope_semantics : require\nlayout(binding = 0) buffer Data { uint word; };";
    let told = |call: &str| refused(extension, &format!("{call};"));
    for wide in ["gl_ScopeDevice", "gl_ScopeInvocation"] {
        assert_eq!(
            told(&format!("controlBarrier({wide}, {wide}, 0, 0)")),
            [
                "7: in Vulkan a barrier waits for the workgroup or the subgroup: pass `gl_ScopeWorkgroup` or `gl_ScopeSubgroup` first []"
            ]
        );
    }
    for call in [
        "memoryBarrier(gl_ScopeInvocation, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease)",
        "controlBarrier(gl_ScopeWorkgroup, gl_ScopeInvocation, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease)",
        "atomicAdd(word, 1u, gl_ScopeInvocation, gl_StorageSemanticsBuffer, gl_SemanticsAcquire)",
    ] {
        assert_eq!(
            told(call),
            ["7: Vulkan does not support memory ordering for `gl_ScopeInvocation`: use a wider scope []"]
        );
    }
    assert!(told("atomicAdd(word, 1u, gl_ScopeInvocation, 0, 0)").is_empty());
}

#[test]
fn sizes_that_later_constants_give_are_not_compiled() {
    let words = "gets its size from the constants that index it, which is not supported in compiled shaders: give it a size []";
    let found = refused(
        "shared float shares[];",
        "float own[];\nown[1] = 1.0;\nshares[1] = own[1];\nfloat unused[][2];",
    );
    assert_eq!(
        found,
        [format!("6: `own` {words}"), format!("4: `shares` {words}"), format!("9: `unused` {words}")]
    );
}

#[test]
fn what_is_larger_than_any_module_is_told_where_it_stands() {
    let elements = vec!["1.0"; 70_000].join(", ");
    assert_eq!(
        refused("", &format!("float v[70000] = float[]({elements});")),
        ["6: SPIR-V allows 65535 words in an instruction, and this has 70003 []"]
    );
    let chain = "if (gl_LocalInvocationIndex == 1) x++; else ".repeat(1_100);
    assert_eq!(
        refused("", &format!("int x = 0;\n{chain} x--;")),
        ["7: SPIR-V allows 1023 levels of control flow, and this has 1024 []"]
    );
    assert_eq!(
        refused_in(
            "a.comp",
            "#version 460\nlayout(local_size_x = 65536, local_size_y = 65536) in;\nvoid main() {}\n"
        ),
        ["3: no workgroup can have 4294967296 invocations []"]
    );
}

#[test]
fn push_constants_are_no_array() {
    assert_eq!(
        refused("layout(push_constant) uniform Push { int a; } push[2];", "int a = push[0].a;"),
        ["4: push constants must be a single block, but `push` is an array []"]
    );
}

/// A structure that is two of another one, and so on: what looks at every member has no end.
#[test]
fn structures_that_double_are_looked_at_once() {
    let mut declarations = "struct S0 { float a; };\n".to_owned();
    for index in 1..60 {
        declarations += &format!("struct S{index} {{ S{0} a; S{0} b; }};\n", index - 1);
    }
    assert_eq!(refused(&declarations, "S59 a;\nS59 b = a;"), [""; 0]);
    let compared = refused(&declarations, "S59 a;\nbool same = a == a;");
    assert_eq!(
        compared,
        ["67: values with so many parts cannot be compared as a whole: compare their parts []"]
    );
}

#[test]
fn several_constructs_are_told_together() {
    let found = refused(
        "float twice(float x) { return 2.0 * x + noise1(x); }",
        "float a = noise1(noise2(vec2(1)).x);\nfloat b = twice(a) + noise1(a);\nf16sampler2D q;\nif (noise3(b).x > 0.0) { noise4(b); }",
    );
    assert_eq!(
        found,
        [
            "6: `noise1` is not available in Vulkan [7, 4]",
            "6: `noise2` is not available in Vulkan []",
            "8: Vulkan has no textures and images of 16-bit floats: use those of 32 bits []",
            "9: `noise3` is not available in Vulkan []",
            "9: `noise4` is not available in Vulkan []",
        ]
    );
}

#[test]
fn nothing_follows_from_what_is_refused() {
    let found = refused(
        "layout(binding = 0) uniform sampler2DRect loose;\nstruct Pair { f16sampler2D query; float x; };\nvoid apply(inout f16sampler2D query, float x) { x += noise1(x); }",
        "float x = texture(loose, vec2(1)).x + texture(loose, vec2(2)).x;\nx *= texture(loose, vec2(x)).x;\nf16sampler2D q;\napply(q, x);\nfloat y[3] = float[](noise1(x), 1.0, 2.0);\ny[int(noise1(y[1]))] = x;",
    );
    assert_eq!(
        found,
        [
            "4: Vulkan has no rectangle textures and images: use the 2D ones []",
            "10: Vulkan has no textures and images of 16-bit floats: use those of 32 bits [6]",
            "12: `noise1` is not available in Vulkan [13, 6]",
        ]
    );
}

#[test]
fn a_long_chain_is_looked_at_to_its_end() {
    let chain = vec!["noise1(x)"; 3_000].join(" + ");
    let found = refused("", &format!("float x = 1.0;\nfloat y = {chain} + noise2(x).x;"));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("7: `noise1` is not available in Vulkan"), "{found:?}");
}

#[test]
fn what_main_does_not_reach_is_not_told() {
    assert_eq!(refused("float unused() { return noise1(1.0); }", ""), [""; 0]);
}

#[test]
fn other_stages_are_looked_at_and_headers_are_not() {
    let fragment = "#version 460\nlayout(location = 0) out vec4 colour;\nvoid main() {\n    colour = vec4(noise1(1.0));\n    discard;\n}\n";
    assert_eq!(refused_in("a.frag", fragment), ["4: `noise1` is not available in Vulkan []"]);
    let header = analysis_of("a.glsl", "float f() { return noise1(1.0); }\n");
    assert!(not_compiled(&header).is_empty());
}

#[test]
fn a_shader_with_errors_is_not_looked_at() {
    let analysis = analysis_of(
        "a.comp",
        "#version 460\nlayout(local_size_x = 1) in;\nvoid main() { float x = noise1(1.0); x = y; }\n",
    );
    assert!(not_compiled(&analysis).is_empty());
}

const NOISE: &str = "#version 460\nlayout(local_size_x = 1) in;\nvoid main() {\n    ALLOW\n    float x = noise1(1.0);\n    x++;\n}\n";

#[test]
fn comments_and_levels_hold_as_for_every_other() {
    let ids = |analysis: &Analysis, whole: bool| -> Vec<(&str, Severity)> {
        let told = if whole { told(analysis) } else { coopmat_analysis::told(analysis) };
        told.diagnostics.iter().map(|one| (one.code.id, one.severity)).collect()
    };
    let plain = analysis_of("a.comp", &NOISE.replace("ALLOW", ""));
    assert_eq!(ids(&plain, true), [("not-compiled", Severity::Warning)]);
    let allowed = analysis_of("a.comp", &NOISE.replace("ALLOW", "// coopmat-analyzer: allow(not-compiled)"));
    assert!(ids(&allowed, true).is_empty());
    // Nobody has looked: it is not known whether the comment is needed.
    assert!(ids(&allowed, false).is_empty());
    let idle = NOISE.replace("ALLOW", "// coopmat-analyzer: allow(not-compiled)").replace("noise1", "sin");
    assert_eq!(ids(&analysis_of("a.comp", &idle), true), [("unused-allow", Severity::Hint)]);
    let mut config = Configuration::default();
    config.levels.add([(&codes::NOT_COMPILED, Level::Tell(Severity::Error))]);
    let text: Arc<str> = NOISE.replace("ALLOW", "").into();
    let denied = coopmat_analysis::analyze("a.comp", text, &config, &NoFiles, None);
    assert_eq!(ids(&denied, true), [("not-compiled", Severity::Error)]);
}
