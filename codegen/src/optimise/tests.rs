//! What the passes make of small shaders, and what all of them keep.

use std::sync::Arc;

use coopmat_analysis::Analysis;
use coopmat_analysis::config::{Configuration, Stage, TargetEnv};
use coopmat_analysis::sources::FileLoader;
use coopmat_spirv::text;
use expect_test::{Expect, expect};
use rspirv::dr;

use super::unit::Unit;
use crate::{Compiled, DebugInfo, Options, compile, optimise};

struct NoFiles;

impl FileLoader for NoFiles {
    fn load(&self, _: &str) -> Option<Arc<str>> {
        None
    }
}

pub(super) fn compiled(source: &str, debug: DebugInfo) -> (Analysis, Compiled) {
    let config = Configuration {
        target_env: TargetEnv::Vulkan1_3,
        stage: Some(Stage::Compute),
        ..Configuration::default()
    };
    let source = format!("#version 460\n{source}");
    let analysis = coopmat_analysis::analyze("test.comp", source.into(), &config, &NoFiles, None);
    match compile(&analysis, &Options { debug, ..Options::default() }) {
        Ok(compiled) => (analysis, compiled),
        Err(errors) => panic!("{errors:#?}"),
    }
}

/// The text of the functions.
fn shown(module: &dr::Module) -> String {
    let functions = text::function_ranges(module);
    let options =
        text::Options { header: false, indent: false, only: Some(&functions), ..text::Options::default() };
    text::disassemble(module, &options).text
}

/// The functions of a shader before and after some passes.
pub(super) fn check(passes: &[fn(&mut Unit)], source: &str, before: Expect, after: Expect) {
    let (_, compiled) = compiled(source, DebugInfo::None);
    before.assert_eq(&shown(&compiled.module));
    let mut unit = Unit::new(compiled.module);
    for pass in passes {
        pass(&mut unit);
    }
    after.assert_eq(&shown(&unit.finish().0));
}

#[test]
fn each_instruction_that_is_left_keeps_its_place() {
    let source = "layout(binding = 0) buffer B { float d[]; };
void main() {
    float sum = 0.0;
    for (uint i = 0; i < 4; i++) {
        sum += d[i];
    }
    vec2 both = vec2(sum, 2.0 * 3.0);
    d[0] = both.x;
    d[1] = both.y;
}";
    let (analysis, compiled) = compiled(source, DebugInfo::None);
    let optimised = optimise(compiled);
    assert_eq!(optimised.map.len(), optimised.module.all_inst_iter().count());
    let text = &analysis.files()[coopmat_analysis::text::FileId::ROOT].text;
    let mut shown = String::new();
    for range in text::function_ranges(&optimised.module) {
        for (index, instruction) in
            optimised.module.all_inst_iter().enumerate().skip(range.start).take(range.len())
        {
            let place = optimised.map.place(&analysis, index).map(|place| place.location.range);
            let place =
                place.and_then(|range| text.get(usize::from(range.start())..usize::from(range.end())));
            let place = place.and_then(|place| place.lines().next()).unwrap_or("-");
            shown.push_str(&format!("{:17} {place}\n", instruction.class.opname));
        }
    }
    expect![[r#"
        Function          main
        Label             main
        Branch            for (uint i = 0; i < 4; i++) {
        Label             for (uint i = 0; i < 4; i++) {
        Phi               sum
        Phi               i
        ULessThan         i < 4
        LoopMerge         for (uint i = 0; i < 4; i++) {
        BranchConditional for (uint i = 0; i < 4; i++) {
        Label             for (uint i = 0; i < 4; i++) {
        AccessChain       d[i]
        Load              d[i]
        FAdd              sum += d[i]
        Branch            for (uint i = 0; i < 4; i++) {
        Label             for (uint i = 0; i < 4; i++) {
        IAdd              i++
        Branch            for (uint i = 0; i < 4; i++) {
        Label             for (uint i = 0; i < 4; i++) {
        AccessChain       d[0] = both.x
        Store             d[0] = both.x
        AccessChain       d[1] = both.y
        Store             d[1] = both.y
        Return            }
        FunctionEnd       main
    "#]]
    .assert_eq(&shown);
}

#[test]
fn debuggers_are_told_of_values_in_place_of_locals() {
    let source = "layout(binding = 0) buffer B { uint d[]; };
void main() {
    uint n = d[0];
    if (n > 3) n = 2;
    d[1] = n;
}";
    let (_, compiled) = compiled(source, DebugInfo::Full);
    let optimised = optimise(compiled);
    assert_eq!(optimised.map.len(), optimised.module.all_inst_iter().count());
    let text: String = shown(&optimised.module)
        .lines()
        .filter(|line| !line.contains("DebugLine"))
        .map(|line| format!("{line}\n"))
        .collect();
    expect![[r#"
        %main = OpFunction %void None %3
        %4 = OpLabel
        %46 = OpExtInst %void %29 DebugScope %38
        %47 = OpExtInst %void %29 DebugFunctionDefinition %38 %main
        %13 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_0
        %14 = OpLoad %uint %13
        %74 = OpExtInst %void %29 DebugValue %45 %14 %34
        %20 = OpUGreaterThan %bool %14 %uint_3
        OpSelectionMerge %22 None
        OpBranchConditional %20 %21 %22
        %21 = OpLabel
        %59 = OpExtInst %void %29 DebugScope %38
        %75 = OpExtInst %void %29 DebugValue %45 %uint_2 %34
        OpBranch %22
        %22 = OpLabel
        %n = OpPhi %uint %14 %4 %uint_2 %21
        %64 = OpExtInst %void %29 DebugScope %38
        %76 = OpExtInst %void %29 DebugValue %45 %n %34
        %26 = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %int_1
        OpStore %26 %n
        OpReturn
        OpFunctionEnd
    "#]]
    .assert_eq(&text);
}

/// Words of a module that are not what they were: nothing may panic, whatever they say now.
#[test]
fn modules_that_make_no_sense_do_no_harm() {
    let source = "layout(local_size_x_id = 3) in;
layout(constant_id = 0) const uint N = 4;
layout(binding = 0) buffer B { float d[]; };
struct S { vec2 a; float b[3]; };
shared float s[N];
float twice(inout float x) { x *= 2.0; return x; }
void main() {
    S l; l.a = vec2(1.0); l.b[1] = 2.0;
    for (uint i = 0; i < N; i++) { if (d[i] > 1.0) continue; l.a.x += twice(l.b[i]); }
    switch (int(d[0])) { case 1: d[1] = l.a.x; case 2: d[2] = s[0]; break; default: d[3] = l.a.y; }
    do { d[4] = vec4(l.a, l.a).wzyx.x; } while (false);
}";
    let (_, compiled) = compiled(source, DebugInfo::Full);
    let words = coopmat_spirv::assemble(&compiled.module).unwrap_or_default();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move || {
        // xorshift
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut read = 0;
    for _ in 0..1500 {
        let mut words = words.clone();
        for _ in 0..1 + random() % 4 {
            let at = 5 + random() as usize % (words.len() - 5);
            let other = words[5 + random() as usize % (words.len() - 5)];
            words[at] = match random() % 3 {
                0 => other,
                1 => words[at] ^ 1 << (random() % 8),
                _ => random() as u32 % 64,
            };
        }
        let Ok(module) = coopmat_spirv::load(&words) else { continue };
        read += 1;
        let map = crate::InstructionMap::new(vec![Default::default(); module.all_inst_iter().count()]);
        let values = crate::Values { given: Vec::new(), defaults: random() % 2 == 0 };
        let Ok(specialized) = crate::specialize(Compiled { module, map }, &values) else { continue };
        let optimised = optimise(specialized);
        assert_eq!(optimised.map.len(), optimised.module.all_inst_iter().count());
    }
    assert!(read > 300, "only {read} modules could be read");
}
