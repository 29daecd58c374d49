//! The disassembly: instructions are listed, stepped and stopped at; modules that are text.

use expect_test::expect;
use serde_json::{Value, json};

use super::{CALLS, CALLS_RECIPE, Editor, folder, line_of};

#[test]
fn instructions_are_listed_stepped_and_stopped_at() {
    let (_folder, path) = folder(CALLS, CALLS_RECIPE);
    let mut editor = Editor::start();
    editor.launch(json!({"program": path, "stopOnEntry": true}), &[]);
    editor.stop();
    let at = |editor: &mut Editor| {
        let thread = editor.thread.clone();
        editor.frames(&thread)[0]["instructionPointerReference"].clone()
    };
    // The instruction at which a thread stands, as the listing has it.
    let text_at = |editor: &mut Editor, reference: &Value| {
        let wanted = json!({"memoryReference": reference, "instructionCount": 1});
        editor.ask("disassemble", wanted)["instructions"][0]["instruction"].as_str().unwrap().to_owned()
    };
    let entry = at(&mut editor);
    let wanted = json!({"memoryReference": entry, "instructionOffset": -1, "instructionCount": 4});
    let listing = editor.ask("disassemble", wanted)["instructions"].clone();
    assert_eq!(listing[1]["address"], entry);
    let lines: Vec<String> = listing
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {}", one["line"], one["instruction"].as_str().unwrap()))
        .collect();
    expect![[r#"
        15 %i = OpVariable %_ptr_Function_uint Function
        12 %8 = OpLoad %uint %gl_LocalInvocationIndex
        12 OpStore %me %8
        13 %11 = OpLoad %uint %me"#]]
    .assert_eq(&lines.join("\n"));
    assert_eq!(listing[1]["location"]["path"], path.as_str());
    // What is before the first instruction and after the last one is none.
    let wanted = json!({"memoryReference": entry, "instructionOffset": -100_000, "instructionCount": 2});
    assert_eq!(editor.ask("disassemble", wanted)["instructions"][1]["presentationHint"], "invalid");

    // Steps by instruction, over a call and into it, and back.
    let step = |editor: &mut Editor, command: &str| {
        editor.ask(command, json!({"threadId": editor.thread, "granularity": "instruction"}));
        editor.stop();
        let reference = at(editor);
        text_at(editor, &reference)
    };
    let second = step(&mut editor, "next");
    assert_ne!(at(&mut editor), entry);
    step(&mut editor, "next");
    assert_eq!(step(&mut editor, "stepBack"), second);
    step(&mut editor, "stepBack");
    assert_eq!(at(&mut editor), entry);
    let mut text = String::new();
    while !text.contains("OpFunctionCall") {
        text = step(&mut editor, "next");
    }
    let call = at(&mut editor);
    let after = step(&mut editor, "next");
    assert!(!after.contains("OpFunctionCall"), "{after}");
    let thread = editor.thread.clone();
    assert_eq!(editor.frames(&thread).len(), 1);
    assert_eq!(step(&mut editor, "stepBack"), text);
    step(&mut editor, "stepIn");
    assert_eq!(editor.frames(&thread).len(), 2);

    // Breakpoints at instructions, which move past what is not executed.
    let set = editor.ask(
        "setInstructionBreakpoints",
        json!({"breakpoints": [
            {"instructionReference": call, "condition": "i == 2"},
            {"instructionReference": "0x100000"},
            {"instructionReference": "main"},
        ]}),
    );
    assert_eq!(
        (&set["breakpoints"][0]["verified"], &set["breakpoints"][0]["instructionReference"]),
        (&json!(true), &call)
    );
    assert_eq!(
        (&set["breakpoints"][1]["verified"], &set["breakpoints"][1]["instructionReference"]),
        (&json!(true), &entry)
    );
    assert_eq!(set["breakpoints"][2]["message"], "`main` is no reference to an instruction");
    expect!["instruction breakpoint 16: tile[me] = twice(i);"].assert_eq(&editor.go("continue"));
    assert_eq!((editor.value("i"), at(&mut editor)), ("uint 2".to_owned(), call));
    editor.ask("disconnect", json!({}));
}

#[test]
fn assembly_text_is_debugged_at_its_own_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("double.spvasm");
    std::fs::write(&path, crate::modules::DOUBLE).unwrap();
    std::fs::write(folder.path().join("double.run.toml"), crate::modules::RECIPE).unwrap();
    let path = path.to_str().unwrap();
    let mut editor = Editor::start();
    let line = line_of(path, "OpFMul");
    editor.launch(json!({"program": path, "stopOnEntry": true}), &[(path, json!([{"line": line}]))]);
    expect!["entry 30: %x = OpLoad %uint %at_x"].assert_eq(&editor.stop());
    expect!["step 31: %place = OpAccessChain %to_float %values %zero %x"].assert_eq(&editor.go("next"));
    expect!["breakpoint 33: %new = OpFMul %float %old %two"].assert_eq(&editor.go("continue"));
    assert_eq!(editor.value("values[0][2]"), "float 2.0");
    expect!["step 32: %old = OpLoad %float %place"].assert_eq(&editor.go("stepBack"));
    editor.ask("disconnect", json!({}));
}
