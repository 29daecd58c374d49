//! Smaller modules: what is asked for stays, the rest goes, and control flow stays whole.

use coopmat_spirv::assembly::parse;
use coopmat_spirv::dr::Module;
use coopmat_spirv::reduce::{Verdict, count, reduce};
use coopmat_spirv::text::{Options, disassemble};
use coopmat_spirv::{assemble, load};

const LOOP: &str = "
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main \"main\" %data
               OpExecutionMode %main LocalSize 1 1 1
               OpDecorate %runtime ArrayStride 4
               OpDecorate %Data Block
               OpMemberDecorate %Data 0 Offset 0
               OpDecorate %data DescriptorSet 0
               OpDecorate %data Binding 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %bool = OpTypeBool
       %uint = OpTypeInt 32 0
          %u0 = OpConstant %uint 0
          %u1 = OpConstant %uint 1
          %u8 = OpConstant %uint 8
    %runtime = OpTypeRuntimeArray %uint
       %Data = OpTypeStruct %runtime
    %pointer = OpTypePointer StorageBuffer %Data
    %element = OpTypePointer StorageBuffer %uint
       %data = OpVariable %pointer StorageBuffer
       %main = OpFunction %void None %fn
      %entry = OpLabel
               OpBranch %header
     %header = OpLabel
         %at = OpPhi %uint %u0 %entry %next %continue
               OpLoopMerge %merge %continue None
               OpBranch %condition
  %condition = OpLabel
       %more = OpULessThan %bool %at %u8
               OpBranchConditional %more %body %merge
       %body = OpLabel
         %to = OpAccessChain %element %data %u0 %at
     %square = OpIMul %uint %at %at
               OpStore %to %square
               OpBranch %continue
   %continue = OpLabel
       %next = OpIAdd %uint %at %u1
               OpBranch %header
      %merge = OpLabel
       %last = OpAccessChain %element %data %u0 %u8
               OpStore %last %u1
               OpReturn
               OpFunctionEnd
";

fn module() -> Module {
    let parsed = parse(LOOP);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    parsed.module.unwrap()
}

fn text(module: &Module) -> String {
    disassemble(module, &Options { header: false, ..Options::default() }).text
}

/// What keeps the words, as a module that can be written and read again.
fn keeping(words: &[&str]) -> String {
    let smaller = reduce(module(), &mut |module| {
        let (text, again) = (text(module), assemble(module).is_ok_and(|words| load(&words).is_ok()));
        if again && words.iter().all(|words| text.contains(words)) { Verdict::Kept } else { Verdict::Lost }
    });
    text(&smaller)
}

#[test]
fn a_loop_that_is_not_needed_goes_with_its_blocks() {
    let smaller = keeping(&["OpStore", "%uint_8"]);
    for gone in ["OpLoopMerge", "OpPhi", "OpBranch", "OpIMul", "OpTypeBool"] {
        assert!(!smaller.contains(gone), "{smaller}");
    }
    assert_eq!(smaller.matches("OpStore").count(), 1, "{smaller}");
}

#[test]
fn a_loop_that_is_needed_keeps_its_structure() {
    let smaller = keeping(&["OpIMul", "OpLoopMerge"]);
    assert!(smaller.contains("OpLoopMerge"), "{smaller}");
    assert_eq!(smaller.matches("OpStore").count(), 1, "{smaller}");
}

#[test]
fn nothing_goes_where_everything_matters() {
    let whole = module();
    let smaller = reduce(whole.clone(), &mut |_| Verdict::Lost);
    assert_eq!(text(&smaller), text(&whole));
}

#[test]
fn what_is_reached_is_kept_when_time_is_up() {
    let mut asked = 0;
    let smaller = reduce(module(), &mut |_| {
        asked += 1;
        if asked < 3 { Verdict::Kept } else { Verdict::Stop }
    });
    assert!(count(&smaller) < count(&module()));
    assert_eq!(asked, 3);
}
