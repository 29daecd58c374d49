//! Real modules come back as they were, in words and in text.

use crate::support::MODULES;
use coopmat_spirv::dr::{Instruction, Module, ModuleHeader, Operand};
use coopmat_spirv::spirv::{self, Op};
use coopmat_spirv::text::{self, Class, Options};
use coopmat_spirv::{
    Capability, FPEncoding, Opcode, assemble, inst, load, load_bytes, opcode, raw, to_bytes,
};
use expect_test::{expect, expect_file};

#[test]
fn writing_what_was_read_gives_the_same_words() {
    for (name, bytes) in MODULES {
        let module = load_bytes(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(to_bytes(&assemble(&module).unwrap()) == *bytes, "{name}");
    }
}

#[test]
fn modules_of_either_byte_order_are_read() {
    for (name, bytes) in MODULES {
        let swapped: Vec<u8> = bytes.chunks(4).flat_map(|word| word.iter().rev().copied()).collect();
        let module = load_bytes(&swapped).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(to_bytes(&assemble(&module).unwrap()) == *bytes, "{name}");
    }
}

#[test]
fn text_is_that_of_spirv_dis() {
    for (name, bytes) in MODULES {
        let text = text::disassemble(&load_bytes(bytes).unwrap(), &Options::default()).text;
        expect_file![format!("text/{name}.spvasm")].assert_eq(&text);
    }
}

#[test]
fn every_instruction_finds_its_lines_and_back() {
    for (name, bytes) in MODULES {
        let module = load_bytes(bytes).unwrap();
        let text = text::disassemble(&module, &Options::default());
        for (index, instruction) in module.all_inst_iter().enumerate() {
            let lines = text.lines_of(index as u32);
            assert!(!lines.is_empty(), "{name}: instruction {index}");
            let first = &text.lines[lines.start];
            let shown = &text.text[first.range.start as usize..first.range.end as usize];
            assert!(shown.contains(&format!("Op{}", instruction.class.opname)), "{name}: {shown}");
            assert!(lines.clone().all(|line| text.instruction_at(line) == Some(index as u32)));
        }
        for spans in text.spans.windows(2) {
            assert!(spans[0].range.end <= spans[1].range.start, "{name}: {spans:?}");
        }
    }
}

fn function() -> Vec<Instruction> {
    vec![
        inst(Op::Capability, None, None, vec![Operand::Capability(spirv::Capability::Shader)]),
        inst(Op::Capability, None, None, vec![Capability::CooperativeMatrixDecodeVectorNV.into()]),
        inst(
            Op::MemoryModel,
            None,
            None,
            vec![
                Operand::AddressingModel(spirv::AddressingModel::Logical),
                Operand::MemoryModel(spirv::MemoryModel::Vulkan),
            ],
        ),
        inst(Op::TypeFloat, None, Some(1), vec![Operand::LiteralBit32(4), FPEncoding::Float4E2M1EXT.into()]),
        inst(Op::TypeInt, None, Some(2), vec![Operand::LiteralBit32(64), Operand::LiteralBit32(1)]),
        inst(Op::Constant, Some(2), Some(3), vec![Operand::LiteralBit64(-5i64 as u64)]),
        inst(Op::TypeVoid, None, Some(4), vec![]),
        inst(Op::TypeFunction, None, Some(5), vec![Operand::IdRef(4)]),
        inst(
            Op::Function,
            Some(4),
            Some(6),
            vec![Operand::FunctionControl(spirv::FunctionControl::NONE), Operand::IdRef(5)],
        ),
        inst(Op::Label, None, Some(7), vec![]),
        inst(Opcode::BitcastExtractEXT, Some(1), Some(8), vec![Operand::IdRef(3), Operand::IdRef(3)]),
        raw(6999, &[1, 2]),
        inst(
            Op::SelectionMerge,
            None,
            None,
            vec![Operand::IdRef(9), Operand::SelectionControl(spirv::SelectionControl::NONE)],
        ),
        inst(
            Op::Switch,
            None,
            None,
            vec![
                Operand::IdRef(3),
                Operand::IdRef(9),
                Operand::LiteralBit64(-1i64 as u64),
                Operand::IdRef(9),
            ],
        ),
        inst(Op::Label, None, Some(9), vec![]),
        inst(Op::Return, None, None, vec![]),
        inst(Op::FunctionEnd, None, None, vec![]),
    ]
}

/// Reading is how instructions get into a module here.
fn module(instructions: &[Instruction]) -> Module {
    let mut words = vec![spirv::MAGIC_NUMBER, 0x0001_0600, 0, 20, 0];
    for instruction in instructions {
        coopmat_spirv::instruction_words(instruction, &mut words);
    }
    load(&words).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn what_rspirv_lacks_is_written_read_and_printed() {
    let instructions = function();
    let module = module(&instructions);
    let read: Vec<Instruction> = module.all_inst_iter().cloned().collect();
    assert_eq!(read, instructions);
    assert_eq!(read.iter().filter(|inst| opcode(inst) == Opcode::BitcastExtractEXT).count(), 1);
    let text =
        text::disassemble(&module, &Options { header: false, indent: false, ..Options::default() }).text;
    expect![[r#"
        OpCapability Shader
        OpCapability CooperativeMatrixDecodeVectorNV
        OpMemoryModel Logical Vulkan
        %fp4e2m1 = OpTypeFloat 4 Float4E2M1EXT
        %long = OpTypeInt 64 1
        %long_n5 = OpConstant %long -5
        %void = OpTypeVoid
        %5 = OpTypeFunction %void
        %6 = OpFunction %void None %5
        %7 = OpLabel
        %8 = OpBitcastExtractEXT %fp4e2m1 %long_n5 %long_n5
        !0x00031b57 !1 !2 ; opcode 6999
        OpSelectionMerge %9 None
        OpSwitch %long_n5 %9 -1 %9
        %9 = OpLabel
        OpReturn
        OpFunctionEnd
    "#]]
    .assert_eq(&text);
}

#[test]
fn lines_between_functions_and_blocks_keep_their_place() {
    let line = |number| {
        inst(
            Op::Line,
            None,
            None,
            vec![Operand::IdRef(10), Operand::LiteralBit32(number), Operand::LiteralBit32(1)],
        )
    };
    let mut instructions = function();
    instructions.insert(3, inst(Op::String, None, Some(10), vec![Operand::LiteralString("a.comp".into())]));
    instructions.insert(9, line(1));
    instructions.insert(16, line(2));
    instructions.push(line(3));
    instructions.extend([
        inst(
            Op::Function,
            Some(4),
            Some(16),
            vec![Operand::FunctionControl(spirv::FunctionControl::NONE), Operand::IdRef(5)],
        ),
        inst(Op::Label, None, Some(17), vec![]),
        inst(Op::Return, None, None, vec![]),
        inst(Op::FunctionEnd, None, None, vec![]),
    ]);
    let module = module(&instructions);
    let read: Vec<Instruction> = module.all_inst_iter().cloned().collect();
    assert_eq!(read, instructions);
    assert_eq!(text::function_ranges(&module), [10..20, 21..25]);
}

/// `spirv-opt`, and compilers that use it, end the scope of debugging instructions behind the end of a block.
#[test]
fn instructions_without_a_meaning_may_follow_the_end_of_a_block() {
    let text = |set: &str, inst: &str| {
        format!(
            "OpCapability Shader
             %set = OpExtInstImport \"{set}\"
             OpMemoryModel Logical GLSL450
             %void = OpTypeVoid
             %type = OpTypeFunction %void
             %main = OpFunction %void None %type
             %entry = OpLabel
             OpReturn
             %after = OpExtInst %void %set {inst}
             OpFunctionEnd"
        )
    };
    let debug = text("NonSemantic.Shader.DebugInfo.100", "DebugNoScope");
    let module = coopmat_spirv::assembly::read(&debug).expect("a module");
    assert_eq!(module.functions[0].blocks.len(), 2);
    let other = text("GLSL.std.450", "FMin %set %set");
    assert!(coopmat_spirv::assembly::read(&other).is_err(), "it has to be in a block");
}

#[test]
fn one_function_is_printed_alone_with_the_names_of_the_module() {
    let (_, bytes) = MODULES.iter().find(|(name, _)| *name == "components").unwrap();
    let module = load_bytes(bytes).unwrap();
    let main = text::function_named(&module, "main").unwrap();
    let comments = |index: usize| match index == main.start {
        true => vec!["void main() {".to_owned()],
        false => Vec::new(),
    };
    let first = main.start..main.start + 4;
    let options = Options {
        header: false,
        indent: false,
        only: Some(std::slice::from_ref(&first)),
        comments: Some(&comments),
        ..Options::default()
    };
    let text = text::disassemble(&module, &options);
    expect![[r#"
        ; void main() {
        %main = OpFunction %void None %3
        %5 = OpLabel
        %m = OpVariable %_ptr_Function_32 Function
        %i = OpVariable %_ptr_Function_int Function
    "#]]
    .assert_eq(&text.text);
    let spans: String = text.spans.iter().map(|span| format!("{:?} {}\n", span.class, span.id)).collect();
    expect![[r#"
        Comment 0
        Result 4
        Opcode 0
        Type 2
        Enumerant 0
        Id 3
        Result 5
        Opcode 0
        Result 34
        Opcode 0
        Type 33
        Enumerant 0
        Result 46
        Opcode 0
        Type 45
        Enumerant 0
    "#]]
    .assert_eq(&spans);
    assert!(text.spans.iter().any(|span| span.class == Class::Result));
}

#[test]
fn a_module_without_a_header_gets_one_that_holds_its_ids() {
    let mut module = Module::new();
    module.types_global_values.push(inst(Op::TypeVoid, None, Some(41), vec![]));
    let words = assemble(&module).unwrap();
    assert_eq!(words[3], 42);
    assert_eq!(load(&words).unwrap().header.map(|header: ModuleHeader| header.bound), Some(42));
}

#[test]
fn an_instruction_that_is_too_long_is_an_error() {
    let mut module = Module::new();
    module.debug_string_source.push(inst(
        Op::String,
        None,
        Some(1),
        vec![Operand::LiteralString("x".repeat(1 << 18))],
    ));
    expect!["instruction 0, OpString, takes 65539 words, but an instruction has at most 65535"]
        .assert_eq(&assemble(&module).unwrap_err().to_string());
}
