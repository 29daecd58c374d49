//! Assembly text becomes the module that it was written from, and mistakes are found at their places.

use crate::support::MODULES;
use coopmat_spirv::assembly::{parse, read};
use coopmat_spirv::dr::{Module, Operand};
use coopmat_spirv::text::{Options, disassemble};
use coopmat_spirv::{assemble, load_bytes, to_bytes};
use expect_test::{Expect, expect};

fn module(name: &str, text: &str) -> Module {
    read(text).unwrap_or_else(|errors| {
        let place = errors[0].position(text);
        panic!("{name}: {place:?}: {}", errors[0].message)
    })
}

#[test]
fn text_with_numbers_becomes_the_same_words() {
    for (name, bytes) in MODULES {
        let numbers = Options { friendly_names: false, ..Options::default() };
        let text = disassemble(&load_bytes(bytes).unwrap(), &numbers).text;
        assert!(to_bytes(&assemble(&module(name, &text)).unwrap()) == *bytes, "{name}");
    }
}

/// With ids numbered in the order in which they are met.
fn renumbered(module: Module) -> Vec<String> {
    let mut ids = std::collections::HashMap::new();
    let mut new = |id: u32| {
        let next = ids.len() as u32 + 1;
        *ids.entry(id).or_insert(next)
    };
    let mut lines = Vec::new();
    for instruction in module.all_inst_iter() {
        let mut instruction = instruction.clone();
        instruction.result_type = instruction.result_type.map(&mut new);
        instruction.result_id = instruction.result_id.map(&mut new);
        for operand in &mut instruction.operands {
            if let Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) = operand {
                *id = new(*id);
            }
        }
        lines.push(format!("{:?}", instruction));
    }
    lines
}

#[test]
fn text_with_names_becomes_the_same_module() {
    for (name, bytes) in MODULES {
        let original = load_bytes(bytes).unwrap();
        let text = disassemble(&original, &Options::default()).text;
        let again = module(name, &text);
        let (header, before) = (again.header.as_ref().unwrap(), original.header.as_ref().unwrap());
        assert_eq!((header.version, header.generator), (before.version, before.generator), "{name}");
        assert_eq!(renumbered(again), renumbered(original), "{name}");
    }
}

#[test]
fn every_instruction_and_word_is_found_in_the_text() {
    for (name, bytes) in MODULES {
        let original = load_bytes(bytes).unwrap();
        let text = disassemble(&original, &Options { friendly_names: false, ..Options::default() });
        let parsed = parse(&text.text);
        assert_eq!(parsed.instructions.len(), original.all_inst_iter().count(), "{name}");
        // An empty line of a string has nothing to colour.
        let shown: Vec<_> = text.spans.iter().filter(|span| !span.range.is_empty()).collect();
        let found = parsed.spans.iter().zip(&shown).find(|(read, shown)| read != *shown);
        assert_eq!((found, parsed.spans.len()), (None, shown.len()), "{name}");
    }
}

/// A module with what a test is about.
fn around(types: &str, body: &str) -> String {
    format!(
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%void = OpTypeVoid\n%float = OpTypeFloat 32\n%int = OpTypeInt 32 1\n\
         {types}\n%type = OpTypeFunction %void\n%main = OpFunction %void None %type\n%entry = OpLabel\n{body}\nOpReturn\nOpFunctionEnd\n"
    )
}

/// The text that the printer makes of a text, without what is around it.
fn shown(types: &str, body: &str, expected: Expect) {
    let text = around(types, body);
    let options = Options { header: false, indent: false, ..Options::default() };
    let out = disassemble(&module("text", &text), &options).text;
    let lines: Vec<&str> = out.lines().collect();
    let start = lines.iter().position(|line| line.contains("OpTypeInt 32 1")).unwrap() + 1;
    let end = lines.len() - 2;
    expected.assert_eq(&lines[start..end].join("\n"));
}

#[test]
fn every_form_of_a_literal_is_read() {
    shown(
        "%half = OpTypeFloat 16 %long = OpTypeInt 64 0 %c1 = OpConstant %half 1.5
         %c2 = OpConstant %half -0x1.8p+16 %c3 = OpConstant %long 0xFFFFFFFFFFFFFFFF
         %c4 = OpConstant %int -0x80000000
         %c5 = OpConstant %float 1e-3 ; a comment
         %c6 = OpConstant %float !0x7f800000
         %c7 = OpSpecConstantOp %int IAdd %c4 %c4",
        "OpSelectionMerge %next DontFlatten
         OpSwitch %c4 %next -1 %next
         0x10 %next
         %next = OpLabel",
        expect![[r#"
            %half = OpTypeFloat 16
            %ulong = OpTypeInt 64 0
            %half_0x1_8p_0 = OpConstant %half 0x1.8p+0
            %half_n0x1_8p_16 = OpConstant %half -0x1.8p+16
            %ulong_18446744073709551615 = OpConstant %ulong 18446744073709551615
            %int_n2147483648 = OpConstant %int -2147483648
            %float_0_00100000005 = OpConstant %float 0.00100000005
            %float_0x1p_128 = OpConstant %float 0x1p+128
            %12 = OpSpecConstantOp %int IAdd %int_n2147483648 %int_n2147483648
            %13 = OpTypeFunction %void
            %14 = OpFunction %void None %13
            %15 = OpLabel
            OpSelectionMerge %16 DontFlatten
            OpSwitch %int_n2147483648 %16 -1 %16 16 %16
            %16 = OpLabel"#]],
    );
}

#[test]
fn names_of_promoted_extensions_and_bits_in_any_order_are_read() {
    shown(
        "%ptr = OpTypePointer Function %float %one = OpConstant %int 1",
        "%x = OpVariable %ptr Function
         %y = OpLoad %float %x NonPrivatePointerKHR|MakePointerVisibleKHR|Aligned 4 %one
         !0x00031b57 !1 %x
         OpStore %x %y None",
        expect![[r#"
            %_ptr_Function_float = OpTypePointer Function %float
            %int_1 = OpConstant %int 1
            %6 = OpTypeFunction %void
            %7 = OpFunction %void None %6
            %8 = OpLabel
            %9 = OpVariable %_ptr_Function_float Function
            %10 = OpLoad %float %9 Aligned|MakePointerVisible|NonPrivatePointer 4 %int_1
            !0x00031b57 !1 !9 ; opcode 6999
            OpStore %9 %10 None"#]],
    );
}

#[test]
fn header_and_strings_are_read() {
    let text = "; SPIR-V\n; Version: 1.3\n; Generator: Unknown(99); 7\n; Bound: 50\n; Schema: 0\nOpCapability Shader\n%1 = OpString \"a \\\"b\\\\\nc; d\"";
    let module = module("text", text);
    let header = module.header.unwrap();
    assert_eq!((header.version, header.generator, header.bound), (0x0001_0300, 99 << 16 | 7, 50));
    assert_eq!(module.debug_string_source[0].operands, [Operand::LiteralString("a \"b\\\nc; d".into())]);
}

fn refused(text: &str, expected: Expect) {
    let told = |error: &coopmat_spirv::assembly::Error| {
        let (line, column) = error.position(text);
        format!("{line}:{column}: {}", error.message)
    };
    let errors = read(text).expect_err("a mistake");
    expected.assert_eq(&errors.iter().map(told).collect::<Vec<_>>().join("\n"));
}

#[test]
fn mistakes_are_told_at_their_places() {
    refused(
        "OpCapability Shadr\nOpMemoryModel Logical\n%1 = OpTypeFlot 32\n%2 = OpTypeFloat\nOpTypeVoid\n%3 = OpStore %2 %2 %2\nwhat\n",
        expect![[r#"
            1:14: expected a value of Capability, such as Matrix, Shader, Geometry, Tessellation, found `Shadr`
            2:15: expected a value of MemoryModel, such as Simple, GLSL450, OpenCL, Vulkan, found the end of the instruction
            3:6: there is no instruction OpTypeFlot
            4:6: expected a number, such as 4, found the end of the instruction
            5:1: OpTypeVoid has a result: expected `%name = OpTypeVoid`
            6:1: OpStore has no result: expected it without `%3 =`"#]],
    );
    refused(
        "what %1",
        expect![
            "1:1: expected an instruction, such as `OpCapability Shader` or `%float = OpTypeFloat 32`, found `what`"
        ],
    );
    refused(
        "%1 = OpTypeInt 32 0\n%1 = OpTypeVoid\n%2 = OpConstant %1 -1\n%4 = OpConstant %1 4294967296\n%5 = OpConstant %3 1\n",
        expect![[r#"
            2:1: %1 is already defined, in line 1
            2:6: OpTypeVoid has a result: expected `%name = OpTypeVoid`
            3:20: uint32 holds 0 to 4294967295, found `-1`
            4:20: uint32 holds 0 to 4294967295, found `4294967296`
            5:17: no instruction defines %3: expected one with `%3 =`
            5:20: the type of this number is not known: expected the id of an integer or float type that is declared before"#]],
    );
    refused(
        &around("", "OpStore %missing %void Aligned 4 5\nOpBogus\n%9 = OpString \"x"),
        expect![[r#"
            10:9: no instruction defines %missing: expected one with `%missing =`
            10:34: expected the end of OpStore, which has no more operands, found `5`
            11:1: there is no instruction OpBogus
            12:15: expected `"` at the end of the string, found the end of the file"#]],
    );
    refused(
        "%1 = OpExtInstImport \"GLSL.std.450\"\n%2 = OpTypeFloat 32\n%3 = OpExtInst %2 %1 FMn %2\n%4 = OpExtInst %2 %2 FMin\n%-a = OpTypeVoid\n!0x00020001 !1 !2\n!x",
        expect![[r#"
            3:22: expected the name or the number of an instruction of GLSL.std.450, found `FMn`
            4:19: no OpExtInstImport before this line has this id: expected the id of an extended instruction set
            5:1: `%-a` is not a valid id: expected `%` and a name of letters, digits and underscores, or a number
            5:7: OpTypeVoid has a result: expected `%name = OpTypeVoid`
            6:16: the first word of this instruction says that it has 2 words, but it has 3: expected !0x00030001
            7:1: expected a number of 32 bits after `!`, found `x`"#]],
    );
}

#[test]
fn what_the_reader_of_modules_refuses_is_told_at_its_place() {
    refused(
        &around("", "OpReturn"),
        expect![[r#"11:1: expected OpLabel before a block's instructions, found no block"#]],
    );
    refused(
        "%1 = OpTypeVoid\nOpCapability Shader\n",
        expect![
            "1:6: this instruction does not belong here: the order is capabilities, extensions, imports, the memory model, entry points, execution modes, sources, names, decorations, then types, constants and variables, then functions (SPIR-V, 2.4)"
        ],
    );
}

#[test]
fn damaged_text_is_read_or_refused() {
    let (_, bytes) = MODULES[1];
    let text = disassemble(&load_bytes(bytes).unwrap(), &Options::default()).text;
    for cut in (0..text.len()).step_by(37) {
        for put in ["", "%", "!", "\"", "=", "Op", "é", "99999999999", "|", ";"] {
            if text.is_char_boundary(cut) && text.is_char_boundary(cut + 1) {
                let parsed = parse(&format!("{}{put}{}", &text[..cut], &text[cut + 1..]));
                assert!(parsed.module.is_some() || !parsed.errors.is_empty());
            }
        }
    }
}
