//! `coopmat-analyzer dap` as an editor drives it: the Debug Adapter Protocol over the program's pipes.

mod data;
mod instructions;
mod matrices;
mod modules;

use std::path::Path;

use expect_test::expect;
use serde_json::{Value, json};

use crate::client::Client;

/// An editor's side of a session.
struct Editor {
    client: Client,
    seq: i64,
    /// That stopped last.
    thread: Value,
    /// What was written to the console and has not been looked at.
    outputs: Vec<Value>,
}

impl Editor {
    fn start() -> Editor {
        let mut editor =
            Editor { client: Client::spawn(&["dap"]), seq: 0, thread: Value::Null, outputs: Vec::new() };
        let capabilities = editor.ask("initialize", json!({"adapterID": "coopmat-analyzer"}));
        assert_eq!(capabilities["supportsStepBack"], true);
        editor
    }

    /// Sends a request and does not wait.
    fn begin(&mut self, command: &str, arguments: Value) -> i64 {
        self.seq += 1;
        let (seq, client) = (self.seq, &mut self.client);
        client.send(&json!({"seq": seq, "type": "request", "command": command, "arguments": arguments}));
        seq
    }

    fn answer(&mut self, seq: i64) -> Value {
        self.client.wait(|message| message["type"] == "response" && message["request_seq"] == seq)
    }

    /// The body of the answer to a request that is carried out.
    fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let seq = self.begin(command, arguments);
        let answer = self.answer(seq);
        assert_eq!(answer["success"], true, "{command}: {answer}");
        assert_eq!(answer["command"], command);
        answer["body"].clone()
    }

    /// Why a request is not carried out. What belongs to an expression, and that the run goes on, is no message over the window.
    fn refused(&mut self, command: &str, arguments: Value) -> String {
        let seq = self.begin(command, arguments);
        let answer = self.answer(seq);
        assert_eq!(answer["success"], false, "{command}: {answer}");
        let error = &answer["body"]["error"];
        assert_eq!(answer["message"], error["variables"]["problem"]);
        let in_place = ["evaluate", "setVariable", "setExpression"].contains(&command);
        assert_eq!(error["showUser"], !in_place && answer["message"] != "notStopped", "{command}");
        answer["message"].as_str().unwrap().to_owned()
    }

    fn event(&mut self, name: &str) -> Value {
        let event = self.client.wait(|message| message["type"] == "event" && message["event"] == name);
        event["body"].clone()
    }

    /// Launches, with breakpoints at these lines.
    fn launch(&mut self, arguments: Value, breakpoints: &[(&str, Value)]) -> Vec<Value> {
        self.ask("launch", arguments);
        self.event("initialized");
        let set = breakpoints.iter().map(|(path, breakpoints)| self.set(path, breakpoints.clone())).collect();
        self.ask("configurationDone", json!({}));
        set
    }

    fn set(&mut self, path: &str, breakpoints: Value) -> Value {
        let arguments = json!({"source": {"path": path}, "breakpoints": breakpoints});
        self.ask("setBreakpoints", arguments)["breakpoints"].clone()
    }

    /// Waits for a stop: its reason, and the line at which the followed subgroup stands.
    fn stop(&mut self) -> String {
        let stopped = self.event("stopped");
        assert_eq!(stopped["allThreadsStopped"], true);
        self.thread = stopped["threadId"].clone();
        format!("{} {}", stopped["reason"].as_str().unwrap(), self.here(&self.thread.clone()))
    }

    fn here(&mut self, thread: &Value) -> String {
        let frames = self.frames(thread);
        let Some(top) = frames.first() else { return "nowhere".to_owned() };
        let path = top["source"]["path"].as_str().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let line = top["line"].as_u64().unwrap() as usize;
        format!("{line}: {}", text.lines().nth(line - 1).unwrap().trim())
    }

    fn frames(&mut self, thread: &Value) -> Vec<Value> {
        self.ask("stackTrace", json!({"threadId": thread}))["stackFrames"].as_array().unwrap().clone()
    }

    /// A motion, and where it ends.
    fn go(&mut self, command: &str) -> String {
        self.follow(command);
        self.stop()
    }

    /// Begins a motion of the thread that stopped last.
    fn follow(&mut self, command: &str) {
        self.ask(command, json!({"threadId": self.thread}));
    }

    fn value(&mut self, expression: &str) -> String {
        let value = self.ask("evaluate", json!({"expression": expression, "context": "watch"}));
        format!("{} {}", value["type"].as_str().unwrap(), value["result"].as_str().unwrap())
    }

    /// What is behind a reference, a line for each.
    fn unfolded(&mut self, reference: &Value, more: Value) -> Vec<String> {
        let mut arguments = json!({"variablesReference": reference});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let variables = self.ask("variables", arguments)["variables"].clone();
        let text =
            |one: &Value| format!("{} = {}", one["name"].as_str().unwrap(), one["value"].as_str().unwrap());
        variables.as_array().unwrap().iter().map(text).collect()
    }

    /// What was written to the console in a category, since the last look at it.
    fn written(&mut self, category: &str) -> String {
        let arrived = self.client.arrived().into_iter();
        self.outputs.extend(arrived.filter(|message| message["event"] == "output"));
        let is_wanted = |output: &Value| output["body"]["category"] == category;
        let (wanted, others) = std::mem::take(&mut self.outputs).into_iter().partition(is_wanted);
        self.outputs = others;
        let wanted: Vec<Value> = wanted;
        wanted.iter().map(|output| output["body"]["output"].as_str().unwrap()).collect()
    }

    /// Disconnects; the exit code of the adapter.
    fn disconnect(mut self) -> Option<i32> {
        self.ask("disconnect", json!({}));
        self.client.wait_for_end()
    }
}

fn example(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    root.join("examples").join(path).to_str().unwrap().to_owned()
}

/// The line of a file that has this text, from 1.
fn line_of(path: &str, text: &str) -> u64 {
    let source = std::fs::read_to_string(path).unwrap();
    source.lines().position(|line| line.contains(text)).unwrap() as u64 + 1
}

/// A shader and its recipe in a folder of their own.
fn folder(shader: &str, recipe: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shader.comp");
    std::fs::write(&path, shader).unwrap();
    std::fs::write(folder.path().join("shader.run.toml"), recipe).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[test]
fn an_example_is_debugged_forwards_and_back() {
    let path = example("khr/gemm.comp");
    let mut editor = Editor::start();
    let line = line_of(&path, "matC = coopMatMulAdd");
    let set =
        editor.launch(json!({"program": path, "stopOnEntry": true}), &[(&path, json!([{"line": line}]))]);
    assert_eq!((&set[0][0]["verified"], &set[0][0]["line"]), (&json!(true), &json!(line)));
    expect!["entry 34: uint tile = gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID;"]
        .assert_eq(&editor.stop());

    let threads = editor.ask("threads", json!({}));
    let names: Vec<&str> =
        threads["threads"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    expect![[r#"["workgroup 0,0,0 subgroup 0", "workgroup 0,0,0 subgroup 1", "workgroup 0,0,0 subgroup 2", "workgroup 0,0,0 subgroup 3"]"#]]
        .assert_eq(&format!("{names:?}"));
    expect!["step 35: uint row = (tile / tilesPerRow) * TILE_M;"].assert_eq(&editor.go("next"));
    assert_eq!(editor.value("tile"), "uint 0");

    expect!["breakpoint 48: matC = coopMatMulAdd(matA, matB, matC);"].assert_eq(&editor.go("continue"));
    expect!["step 43: for (uint k = 0; k < totalK; k += TILE_K) {"].assert_eq(&editor.go("next"));
    assert_eq!(editor.value("k"), "uint 0");
    expect!["step 44: uint startA = row * strideA + k;"].assert_eq(&editor.go("stepIn"));
    assert_eq!(editor.value("k"), "uint 16");
    expect!["step 43: for (uint k = 0; k < totalK; k += TILE_K) {"].assert_eq(&editor.go("stepBack"));
    assert_eq!(editor.value("k"), "uint 0");
    expect!["breakpoint 48: matC = coopMatMulAdd(matA, matB, matC);"]
        .assert_eq(&editor.go("reverseContinue"));

    // A scope for each kind of variable, matrices by rows.
    let frame = editor.frames(&json!(1))[0]["id"].clone();
    let scopes = editor.ask("scopes", json!({"frameId": frame}))["scopes"].as_array().unwrap().clone();
    let names: Vec<&str> = scopes.iter().map(|scope| scope["name"].as_str().unwrap()).collect();
    expect![[r#"["Locals", "Buffers", "Uniforms and push constants", "Built-ins", "Constants"]"#]]
        .assert_eq(&format!("{names:?}"));
    let locals = editor.unfolded(&scopes[0]["variablesReference"], json!({}));
    assert!(locals.contains(&"matA = 16 × 16".to_owned()), "{locals:?}");
    let matrix = editor.ask("evaluate", json!({"expression": "matA", "frameId": frame}));
    assert_eq!(matrix["indexedVariables"], 16);
    let rows = editor.ask(
        "variables",
        json!({"variablesReference": matrix["variablesReference"], "start": 2, "count": 1}),
    );
    let row = &rows["variables"][0];
    assert_eq!(row["name"], "row 2");
    let elements = editor.unfolded(&row["variablesReference"], json!({"start": 14}));
    assert_eq!(elements.len(), 2, "{elements:?}");
    assert!(elements[0].starts_with("[2, 14] = "), "{elements:?}");
    // Lanes that differ are listed; buffers are read by the page.
    let lanes = editor.ask("evaluate", json!({"expression": "matA[0]", "frameId": frame}));
    let lanes = editor.unfolded(&lanes["variablesReference"], json!({}));
    assert_eq!(lanes.len(), 32);
    let buffer = editor.ask("evaluate", json!({"expression": "inputA", "frameId": frame}));
    let page = editor
        .unfolded(&buffer["variablesReference"], json!({"filter": "indexed", "start": 1000, "count": 3}));
    assert_eq!(page.len(), 3);
    assert!(page[0].starts_with("[1000] = "), "{page:?}");
    assert_eq!(editor.value("inputA[1000]"), page[0].replace("[1000] =", "float16_t"));

    expect!["entry 34: uint tile = gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID;"]
        .assert_eq(&editor.go("reverseContinue"));
    // Values of another thread are looked at without following it.
    let frame = editor.frames(&json!(3))[0]["id"].clone();
    let other = editor.ask("evaluate", json!({"expression": "gl_SubgroupID", "frameId": frame}));
    assert_eq!(other["result"], "2");
    editor.set(&path, json!([]));
    editor.follow("continue");
    assert_eq!(editor.event("exited")["exitCode"], 0);
    editor.event("terminated");
    let report = editor.written("stdout");
    assert!(report.contains("outputD = matmul: met, 4096 elements"), "{report}");
    assert_eq!(editor.disconnect(), Some(0));
}

#[test]
fn a_mistake_stops_as_an_exception() {
    let path = example("mistakes/missing_barrier.comp");
    let mut editor = Editor::start();
    editor.ask("launch", json!({"program": path}));
    editor.event("initialized");
    let filters = json!({"filters": ["data-race", "out-of-bounds"]});
    let set = editor.ask("setExceptionBreakpoints", filters);
    assert_eq!(set["breakpoints"][0]["verified"], true);
    let message = editor.refused("setExceptionBreakpoints", json!({"filters": ["typos"]}));
    assert_eq!(message, "checked mode has no finding `typos`");
    // The kind that the shader has is not among them.
    editor.ask("configurationDone", json!({}));
    assert_eq!(editor.event("exited")["exitCode"], 0);
    assert_eq!(editor.disconnect(), Some(0));

    let mut editor = Editor::start();
    editor.ask("launch", json!({"program": path}));
    editor.event("initialized");
    editor.ask("setExceptionBreakpoints", json!({"filters": ["missing-barrier"]}));
    editor.ask("configurationDone", json!({}));
    expect!["exception 23: coopMatLoad(a, staged, 0, 16, gl_CooperativeMatrixLayoutRowMajor);"]
        .assert_eq(&editor.stop());
    let info = editor.ask("exceptionInfo", json!({"threadId": 1}));
    assert_eq!((&info["exceptionId"], &info["breakMode"]), (&json!("missing-barrier"), &json!("always")));
    let description = info["description"].as_str().unwrap();
    assert!(description.contains("missing_barrier.comp:19:"), "{description}");
    // Before the line, from where one can go back.
    assert!(editor.go("stepBack").starts_with("step "));
    let refused = editor.refused("exceptionInfo", json!({"threadId": 1}));
    assert_eq!(refused, "the run has not stopped at a finding or an error");
    editor.ask("disconnect", json!({}));
}

const CALLS: &str = "#version 460
#extension GL_EXT_debug_printf : require
layout(local_size_x = 8) in;
struct Pair { uint first; vec2 second; };
layout(binding = 0) buffer Data { uint values[]; };
shared uint tile[8];
uint twice(uint x) {
    uint y = x * 2;
    return y;
}
void main() {
    uint me = gl_LocalInvocationIndex;
    Pair pair = Pair(me, vec2(0.5, me));
    uint table[3][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
    for (uint i = 0; i < 4; i++) {
        tile[me] = twice(i);
        values[me] += tile[me];
    }
    if (me == 0)
        debugPrintfEXT(\"sum %u\", values[0]);
}
";

const CALLS_RECIPE: &str = "dispatch = [2]
subgroup-size = 4
[[buffers]]
name = \"values\"
shape = [8]
fill.values = [0, 0, 0, 0, 0, 0, 0, 0]
[[expect]]
buffer = \"values\"
equals.formula = \"25\"
";

#[test]
fn breakpoints_have_conditions_counts_and_logs() {
    let (_folder, path) = folder(CALLS, CALLS_RECIPE);
    let mut editor = Editor::start();
    editor.ask("launch", json!({"program": path, "stopAtEnd": true}));
    editor.event("initialized");
    let at = line_of(&path, "tile[me] = twice(i)");
    let set = editor.set(
        &path,
        json!([
            {"line": at, "condition": "i == 2 && gl_WorkGroupID.x == 1"},
            {"line": 4},
            {"line": at + 1, "logMessage": "i = {i}, {no}"},
            {"line": at, "condition": "i +"},
            {"line": at, "hitCondition": "often"},
            {"line": 99},
        ]),
    );
    let told: Vec<String> = set
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {} {}", one["verified"], one["line"], one["message"]))
        .collect();
    expect![[r#"
        true 16 null
        true 8 null
        true 17 null
        false null "`i +`: expected a variable or a number"
        false null "`often`: expected a number of hits, such as `5`, `>= 5` or `% 5`"
        false null "there is no code that runs from this line on""#]]
    .assert_eq(&told.join("\n"));
    let elsewhere = editor.set("/elsewhere.comp", json!([{"line": 1}]));
    assert_eq!(elsewhere[0]["message"], "no code that runs here comes from this file");
    editor.set(
        &path,
        json!([
            {"line": at, "condition": "i == 2 && gl_WorkGroupID.x == 1"},
            {"line": at + 1, "logMessage": "i = {i}"},
        ]),
    );
    editor.ask("configurationDone", json!({}));
    expect!["breakpoint 16: tile[me] = twice(i);"].assert_eq(&editor.stop());
    assert_eq!(editor.value("gl_WorkGroupID"), "uvec3 {1, 0, 0}");
    assert_eq!(editor.value("i"), "uint 2");
    // Two subgroups of the first workgroup with four rounds each, and two of the second one so far.
    assert_eq!(editor.written("console").lines().count(), 10);

    // The caller, the callee, and back.
    assert_eq!(editor.thread, 3);
    expect!["step 8: uint y = x * 2;"].assert_eq(&editor.go("stepIn"));
    let frames = editor.ask("stackTrace", json!({"threadId": editor.thread, "startFrame": 1, "levels": 1}));
    assert_eq!((&frames["totalFrames"], &frames["stackFrames"][0]["name"]), (&json!(2), &json!("main")));
    let caller = frames["stackFrames"][0]["id"].clone();
    let of_caller = editor.ask("evaluate", json!({"expression": "me", "frameId": caller}));
    assert_eq!(of_caller["result"], "⟨0 1 2 3⟩");
    let lanes = editor.unfolded(&of_caller["variablesReference"], json!({}));
    assert_eq!(lanes, ["lane 0 = 0", "lane 1 = 1", "lane 2 = 2", "lane 3 = 3"]);
    expect!["step 16: tile[me] = twice(i);"].assert_eq(&editor.go("stepOut"));

    // Structures and arrays.
    let pair = editor.ask("evaluate", json!({"expression": "pair", "context": "hover"}));
    assert_eq!((&pair["type"], &pair["namedVariables"]), (&json!("Pair"), &json!(2)));
    let members = editor.ask("variables", json!({"variablesReference": pair["variablesReference"]}));
    assert_eq!(members["variables"][1]["evaluateName"], "pair.second");
    let second = editor.unfolded(&members["variables"][1]["variablesReference"], json!({}));
    assert_eq!(second, ["x = 0.5", "y = ⟨0.0 1.0 2.0 3.0⟩"]);
    let table = editor.ask("evaluate", json!({"expression": "table"}));
    assert_eq!(
        editor.unfolded(&table["variablesReference"], json!({})),
        ["[0] = {1, 2}", "[1] = {3, 4}", "[2] = {5, 6}"]
    );
    assert_eq!(
        editor.refused("evaluate", json!({"expression": "absent"})),
        "there is no variable `absent` here"
    );

    // Functions have breakpoints, too.
    let functions = json!({"breakpoints": [{"name": "twice", "hitCondition": "2"}, {"name": "thrice"}]});
    let set = editor.ask("setFunctionBreakpoints", functions)["breakpoints"].clone();
    assert_eq!((&set[0]["verified"], &set[0]["line"]), (&json!(true), &json!(8)));
    assert_eq!(set[1]["message"], "no function `thrice` is called by what runs here");
    editor.set(&path, json!([]));
    expect!["function breakpoint 8: uint y = x * 2;"].assert_eq(&editor.go("continue"));
    editor.ask("setFunctionBreakpoints", json!({"breakpoints": []}));

    // The end, and back from there.
    editor.follow("continue");
    let stopped = editor.event("stopped");
    editor.thread = stopped["threadId"].clone();
    assert_eq!(stopped["description"], "Paused at the end of the run");
    let output = editor.written("stdout");
    assert_eq!(output, "sum 12\nsum 24\n");
    let report = editor.written("stderr");
    assert!(report.contains("values = formula: NOT MET"), "{report}");
    let threads = editor.ask("threads", json!({}));
    assert_eq!(threads["threads"], json!([{"id": editor.thread, "name": "the end of the run"}]));
    assert!(editor.go("stepBack").starts_with("step "));
    editor.follow("continue");
    assert_eq!(editor.event("exited")["exitCode"], 1);
    editor.ask("disconnect", json!({}));
}

/// A text without debug information is its own source.
#[test]
fn assembly_text_is_debugged_by_its_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("double.spvasm").display().to_string();
    std::fs::write(&path, crate::modules::DOUBLE).unwrap();
    let mut editor = Editor::start();
    let line = line_of(&path, "OpStore %place %new");
    let set =
        editor.launch(json!({"program": path, "stopOnEntry": true}), &[(&path, json!([{"line": line}]))]);
    assert_eq!((&set[0][0]["verified"], &set[0][0]["line"]), (&json!(true), &json!(line)));
    let entry = editor.stop();
    assert!(entry.starts_with("entry ") && entry.contains(" Op"), "{entry}");
    assert_eq!(editor.go("continue"), format!("breakpoint {line}: OpStore %place %new"));
    assert_eq!(editor.go("next"), format!("step {}: OpReturn", line + 1));
}

#[test]
fn long_runs_are_paused_and_left() {
    let shader = "#version 460
layout(local_size_x = 4) in;
layout(binding = 0) buffer Data { uint values[]; };
void main() {
    for (uint i = 0; i < 1000000000; i++) {
        values[gl_LocalInvocationIndex] += i;
    }
}
";
    let recipe = "dispatch = [1]\nsubgroup-size = 4\n[[buffers]]\nname = \"values\"\nshape = [4]\n";
    let (_folder, path) = folder(shader, recipe);
    let mut editor = Editor::start();
    editor.launch(json!({"program": path}), &[]);
    assert_eq!(editor.refused("stackTrace", json!({"threadId": 1})), "notStopped");
    assert_eq!(editor.refused("next", json!({"threadId": 1})), "notStopped");
    editor.ask("pause", json!({"threadId": 1}));
    assert!(editor.stop().starts_with("pause "));
    assert!(editor.value("i").starts_with("uint "));
    // Breakpoints are set while it runs.
    editor.follow("continue");
    editor.set(&path, json!([{"line": 6}]));
    expect!["breakpoint 6: values[gl_LocalInvocationIndex] += i;"].assert_eq(&editor.stop());
    editor.set(&path, json!([]));
    // Looking for a hit backwards takes as long, and is paused as well.
    editor.follow("continue");
    assert_eq!(editor.disconnect(), Some(0));

    // A client that is gone ends the adapter.
    let mut editor = Editor::start();
    editor.launch(json!({"program": path}), &[]);
    editor.client.close_input();
    assert_eq!(editor.client.wait_for_end(), Some(1));
}

#[test]
fn dispatches_follow_each_other_in_both_directions() {
    let (first, second) = (example("khr/network_layer.comp"), example("khr/network_activation.comp"));
    let mut editor = Editor::start();
    let set = editor.launch(
        json!({"program": example("khr/network_layer.run.toml")}),
        &[(&second, json!([{"line": line_of(&second, "void main()")}]))],
    );
    // Its module is not the one that runs first.
    assert_eq!(set[0][0]["verified"], false);
    let changed = editor.event("breakpoint");
    assert_eq!((&changed["reason"], &changed["breakpoint"]["verified"]), (&json!("changed"), &json!(true)));
    let stop = editor.stop();
    assert!(stop.starts_with("breakpoint "), "{stop}");
    editor.set(&second, json!([]));
    let at = line_of(&first, "coopMatStore");
    editor.set(&first, json!([{"line": at}]));
    let back = editor.go("reverseContinue");
    assert!(back.starts_with(&format!("breakpoint {at}: coopMatStore")), "{back}");
    editor.set(&first, json!([]));
    editor.follow("continue");
    assert_eq!(editor.event("exited")["exitCode"], 0);
    editor.ask("disconnect", json!({}));

    let mut editor = Editor::start();
    let recipe = example("khr/network_layer.run.toml");
    let message = editor.refused("launch", json!({"program": recipe, "dispatch": "third"}));
    assert_eq!(
        message,
        "there is no dispatch `third`: expected one of first, activation, second, or a number from 1 to 3"
    );
    editor.launch(json!({"program": recipe, "dispatch": "activation", "stopOnEntry": true}), &[]);
    let stop = editor.stop();
    assert!(stop.starts_with("entry "), "{stop}");
    assert!(editor.go("stepBack").contains(": "), "the end of the dispatch before");
    editor.ask("disconnect", json!({}));
}

#[test]
fn what_cannot_be_launched_says_why() {
    let mut editor = Editor::start();
    assert_eq!(
        editor.refused("launch", json!({})),
        "`launch`: expected `program`, the path of a shader or a recipe"
    );
    let (_folder, path) = folder("#version 460\nlayout(local_size_x = 1) in;\nvoid main() { x = 1; }\n", "");
    let message = editor.refused("launch", json!({"program": path}));
    assert!(message.starts_with(&format!("{path}:3:15: ")), "{message}");
    let (_folder, path) = folder(CALLS, "dispach = [2]\n");
    let message = editor.refused("launch", json!({"program": path}));
    assert!(message.contains("shader.run.toml:1:1: unknown field `dispach`"), "{message}");
    let (_folder, path) = folder(CALLS, CALLS_RECIPE);
    let message = editor.refused("launch", json!({"program": path, "numerics": "guesses"}));
    assert!(message.contains("guesses"), "{message}");
    let message = editor.refused("launch", json!({"program": path, "subgroupSize": 3}));
    assert!(message.contains("expected a power of two from 1 to 128"), "{message}");
    let message = editor.refused("launch", json!({"program": path, "device": "vulkan"}));
    assert!(message.starts_with("shaders are debugged on the simulator"), "{message}");
    let message = editor.refused("launch", json!({"program": path, "args": ["--json"]}));
    assert!(message.contains("options that print or write"), "{message}");
    let message = editor.refused("launch", json!({"program": path, "checked": "very"}));
    assert!(message.contains("expected true, false or \"strict\", found \"very\""), "{message}");
    // What is not announced is refused in words.
    let message = editor.refused("goto", json!({"threadId": 1, "targetId": 1}));
    assert_eq!(message, "this debugger does not support the request `goto`");
    let message = editor.refused("dataBreakpointInfo", json!({"name": "x"}));
    assert!(message.starts_with("there is no run"), "{message}");
    assert!(editor.refused("next", json!({"threadId": 1})).starts_with("there is no run"));
    assert!(editor.refused("attach", json!({})).contains("use `launch`"));
    // The session can still launch.
    editor.launch(json!({"program": path, "noDebug": true}), &[]);
    assert_eq!(editor.event("exited")["exitCode"], 1);
    assert_eq!(editor.disconnect(), Some(0));
}

#[test]
fn a_restart_takes_up_what_was_edited() {
    let (_folder, path) = folder(CALLS, CALLS_RECIPE);
    let mut editor = Editor::start();
    let at = line_of(&path, "return y");
    editor.launch(json!({"program": path}), &[(&path, json!([{"line": at}]))]);
    assert_eq!(editor.stop(), format!("breakpoint {at}: return y;"));
    let sources = editor.ask("loadedSources", json!({}));
    assert_eq!(sources["sources"][0]["path"], path.as_str());
    assert_eq!(
        editor.ask("source", json!({"sourceReference": 0, "source": {"path": path}}))["content"],
        CALLS
    );
    let lines = editor.ask("breakpointLocations", json!({"source": {"path": path}, "line": 1, "endLine": 9}));
    assert_eq!(lines["breakpoints"], json!([{"line": 8}, {"line": 9}]));

    std::fs::write(&path, CALLS.replace("x * 2", "x * 3")).unwrap();
    editor.ask("restart", json!({}));
    assert_eq!(editor.stop(), format!("breakpoint {at}: return y;"));
    // An edit that does not compile leaves the run as it is.
    std::fs::write(&path, CALLS.replace("x * 2", "x * z")).unwrap();
    assert!(editor.refused("restart", json!({})).contains(":8:18: "));
    assert_eq!(editor.value("x"), "uint 0");
    editor.ask("terminate", json!({}));
    editor.event("terminated");
    editor.ask("disconnect", json!({}));
}
