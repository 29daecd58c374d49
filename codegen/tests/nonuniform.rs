//! `nonuniformEXT` in an index: the pointer and what is loaded through it are decorated, and the capabilities are there.

use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_codegen::{Options, compile};
use coopmat_spirv::text;

const SHADER: &str = "#version 460
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float value; } data[4];
layout(binding = 4) buffer Output { float result; };
void main() {
    result = data[INDEX].value;
}
";

fn module(index: &str) -> String {
    let config = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    let source = SHADER.replace("INDEX", index);
    let analysis = coopmat_analysis::analyze("/main.comp", source.as_str().into(), &config, &NoFiles, None);
    let compiled = compile(&analysis, &Options::default()).unwrap_or_else(|errors| panic!("{errors:?}"));
    text::disassemble(&compiled.module, &text::Options::default()).text
}

#[test]
fn a_nonuniform_index_decorates_the_access() {
    for index in ["nonuniformEXT(gl_LocalInvocationIndex % 4)", "nonuniformEXT(gl_LocalInvocationIndex) % 4"]
    {
        let text = module(index);
        assert_eq!(text.matches("NonUniform\n").count(), 3, "two decorations and a capability: {text}");
        assert!(text.contains("OpCapability ShaderNonUniform"), "{text}");
        assert!(text.contains("OpCapability StorageBufferArrayNonUniformIndexing"), "{text}");
    }
}

#[test]
fn another_index_is_left_alone() {
    assert!(!module("gl_WorkGroupID.x").contains("NonUniform"));
}
