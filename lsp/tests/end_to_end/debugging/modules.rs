//! Modules in the debugger: their own text as the source, and what other compilers say of theirs.

use std::path::Path;

use expect_test::expect;
use serde_json::{Value, json};

use super::{Editor, line_of};
use crate::modules::{DOUBLE, RECIPE, product, recipe_of};

impl Editor {
    /// The line at which the thread that stopped last stands, in the text that the adapter has.
    fn held(&mut self) -> String {
        let top = self.frames(&self.thread.clone())[0].clone();
        let text = self.content(&top["source"]);
        let line = top["line"].as_u64().unwrap() as usize;
        format!("{line}: {}", text.lines().nth(line - 1).unwrap().trim())
    }

    fn content(&mut self, source: &Value) -> String {
        let arguments = json!({"source": source, "sourceReference": source["sourceReference"]});
        self.ask("source", arguments)["content"].as_str().unwrap().to_owned()
    }

    /// The variables of a scope of a frame, a line for each; nothing if there is no such scope.
    fn scope(&mut self, frame: &Value, name: &str) -> Vec<String> {
        let scopes = self.ask("scopes", json!({"frameId": frame["id"]}))["scopes"].clone();
        let scope = scopes.as_array().unwrap().iter().find(|scope| scope["name"] == name);
        scope.map_or_else(Vec::new, |scope| self.unfolded(&scope["variablesReference"], json!({})))
    }

    /// The frames of the thread that stopped last: function and line.
    fn calls(&mut self) -> Vec<String> {
        let frames = self.frames(&self.thread.clone());
        frames.iter().map(|one| format!("{} {}", one["name"].as_str().unwrap(), one["line"])).collect()
    }

    fn stopped(&mut self) {
        let stopped = self.event("stopped");
        self.thread = stopped["threadId"].clone();
    }
}

/// `double.spv`, without debug information, and its recipe.
fn words(folder: &Path) -> String {
    let module = coopmat_spirv::assembly::read(DOUBLE).unwrap();
    let bytes = coopmat_spirv::to_bytes(&coopmat_spirv::assemble(&module).unwrap());
    std::fs::write(folder.join("double.spv"), bytes).unwrap();
    std::fs::write(folder.join("double.run.toml"), RECIPE).unwrap();
    folder.join("double.spv").display().to_string()
}

#[test]
fn words_are_debugged_in_their_listing() {
    let folder = tempfile::tempdir().unwrap();
    let path = words(folder.path());
    let mut editor = Editor::start();
    editor.launch(json!({"program": path, "stopOnEntry": true}), &[]);
    editor.stopped();
    let source = editor.frames(&editor.thread.clone())[0]["source"].clone();
    assert_eq!((&source["path"], &source["name"]), (&json!(path), &json!("double.spv")));
    // A client cannot read the file: it asks for the text.
    let listing = editor.content(&source);
    let line = listing.lines().position(|line| line.contains("OpFMul")).unwrap() + 1;
    let set = editor.ask("setBreakpoints", json!({"source": source, "breakpoints": [{"line": line}]}));
    let set = set["breakpoints"][0].clone();
    assert_eq!((&set["verified"], &set["line"]), (&json!(true), &json!(line)), "{set}");
    assert_eq!(set["source"]["sourceReference"], source["sourceReference"]);
    editor.follow("continue");
    editor.stopped();
    expect!["38: %22 = OpFMul %float %21 %float_2"].assert_eq(&editor.held());
    let top = editor.frames(&editor.thread.clone())[0].clone();
    assert_eq!(top["name"], "main");
    let values = editor.scope(&top, "Values");
    expect![[r#"
        [
            "%19 = ⟨0 1 2 3⟩",
            "%21 = ⟨0.0 1.0 2.0 0.0⟩",
        ]
    "#]]
    .assert_debug_eq(&values);
    assert_eq!(editor.value("%21 + 0.5"), "double ⟨0.5 1.5 2.5 0.5⟩");
    let change = json!({"expression": "%21", "value": "1.0", "frameId": top["id"]});
    assert_eq!(
        editor.refused("setExpression", change),
        "`%21` is the result of an instruction, which does not change while a shader runs"
    );
    editor.ask("disconnect", json!({}));
}

/// VS Code shows the text of words in documents of its own, and sets breakpoints there.
#[test]
fn a_client_may_have_documents_for_words() {
    let folder = tempfile::tempdir().unwrap();
    let path = words(folder.path());
    let document = format!("coopmat-module:{path}");
    let mut editor = Editor::start();
    let launch = json!({"program": path, "stopOnEntry": true, "moduleDocuments": true});
    let set = editor.launch(launch, &[(&document, json!([{"line": 1}]))]);
    assert_eq!((&set[0][0]["verified"], &set[0][0]["source"]["path"]), (&json!(true), &json!(document)));
    editor.stopped();
    let source = editor.frames(&editor.thread.clone())[0]["source"].clone();
    assert_eq!((&source["path"], &source["sourceReference"]), (&json!(document), &Value::Null));
    editor.ask("disconnect", json!({}));
}

/// Values have the names of the text; those of a branch that was not taken for certain are not shown.
#[test]
fn values_of_assembly_text_are_shown_once_they_are_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("double.spvasm").display().to_string();
    let branches = DOUBLE
        .replace(
            "OpFMul %float %old %two\n",
            "OpFMul %float %old %two\n%big = OpFOrdGreaterThan %bool %new %two\nOpSelectionMerge %after None
OpBranchConditional %big %then %after\n%then = OpLabel\n%more = OpFAdd %float %new %new\nOpBranch %after
%after = OpLabel\n",
        )
        .replace("%zero = OpConst", "%bool = OpTypeBool\n%zero = OpConst");
    std::fs::write(&path, branches).unwrap();
    std::fs::write(folder.path().join("double.run.toml"), RECIPE).unwrap();
    let mut editor = Editor::start();
    let lines = [line_of(&path, "OpBranch %after"), line_of(&path, "OpStore")];
    let wanted = json!([{"line": lines[0]}, {"line": lines[1]}]);
    editor.launch(json!({"program": path}), &[(&path, wanted)]);
    let names = |editor: &mut Editor| {
        editor.stop();
        let top = editor.frames(&editor.thread.clone())[0].clone();
        let values = editor.scope(&top, "Values");
        values.iter().map(|one| one.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let inside = names(&mut editor);
    editor.follow("continue");
    let behind = names(&mut editor);
    assert!(inside.contains(&"%more".to_owned()) && inside.contains(&"%big".to_owned()), "{inside:?}");
    assert!(!behind.contains(&"%more".to_owned()) && behind.contains(&"%big".to_owned()), "{behind:?}");
    editor.ask("disconnect", json!({}));
}

/// slangc inlines `product`, and its variables are values. The source is in the module alone.
#[test]
fn inlined_calls_are_frames_and_values_are_variables() {
    let folder = recipe_of("slang", &product(16));
    let recipe = folder.path().join("module.run.toml").display().to_string();
    let mut editor = Editor::start();
    editor.launch(json!({"program": recipe, "stopOnEntry": true}), &[]);
    editor.stopped();
    let source = editor.frames(&editor.thread.clone())[0]["source"].clone();
    assert!(editor.content(&source).contains("float product(uint2 local)"));
    let arguments =
        json!({"source": source, "breakpoints": [{"line": 18, "condition": "i == 3"}, {"line": 32}]});
    editor.ask("setBreakpoints", arguments);
    editor.follow("continue");
    editor.stopped();
    assert_eq!(editor.calls(), ["main 32"]);
    // Over the call, whose text is here.
    editor.ask("setBreakpoints", json!({"source": source, "breakpoints": []}));
    editor.follow("next");
    editor.stopped();
    assert_eq!(editor.calls(), ["main 33"]);
    editor.follow("stepBack");
    editor.stopped();
    assert_eq!(editor.calls(), ["main 32"]);
    editor.follow("stepIn");
    editor.stopped();
    expect![[r#"["product (inlined) 14", "main 32"]"#]].assert_eq(&format!("{:?}", editor.calls()));
    let arguments = json!({"source": source, "breakpoints": [{"line": 18, "condition": "i == 3"}]});
    editor.ask("setBreakpoints", arguments);
    editor.follow("continue");
    editor.stopped();
    expect![[r#"["product (inlined) 18", "main 32"]"#]].assert_eq(&format!("{:?}", editor.calls()));
    let frames = editor.frames(&editor.thread.clone());
    let names = |variables: Vec<String>| {
        let mut names: Vec<String> =
            variables.iter().map(|one| one.split(' ').next().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    // Each function has its own `sum` and `local`.
    assert_eq!(names(editor.scope(&frames[0], "Locals")), ["i", "local", "sum"]);
    assert_eq!(names(editor.scope(&frames[1], "Locals")), ["id", "k", "local", "sum"]);
    let of = |editor: &mut Editor, frame: &Value, what: &str| {
        let asked = json!({"expression": what, "frameId": frame["id"]});
        editor.ask("evaluate", asked)["result"].as_str().unwrap().to_owned()
    };
    assert_eq!(of(&mut editor, &frames[0], "i"), "3");
    assert_eq!(of(&mut editor, &frames[1], "k"), "0");
    editor.ask("setBreakpoints", json!({"source": source, "breakpoints": []}));
    editor.follow("stepOut");
    editor.stopped();
    assert_eq!(editor.calls(), ["main 32"]);
    editor.ask("disconnect", json!({}));
}
