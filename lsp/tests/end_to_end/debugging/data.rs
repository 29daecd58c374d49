//! Data breakpoints, and variables that are changed while the run stands.

use expect_test::expect;
use serde_json::{Value, json};

use super::{Editor, folder, line_of};

const TILE: &str = "#version 460
layout(local_size_x = 8) in;
layout(binding = 0) buffer Data { uint values[]; };
shared uint Ash[64];
void main() {
    uint me = gl_LocalInvocationIndex;
    uint list[2] = uint[](me, 7);
    for (uint i = 0; i < 8; i++) {
        Ash[i * 8 + me] = i + me;
    }
    barrier();
    list[1] += me;
    values[me] = Ash[37] + list[1];
}
";

const TILE_RECIPE: &str = "dispatch = [2]
subgroup-size = 4
[[buffers]]
name = \"values\"
shape = [8]
fill.values = [0, 0, 0, 0, 0, 0, 0, 0]
[[expect]]
buffer = \"values\"
equals.formula = \"16 + index\"
";

#[test]
fn accesses_to_data_stop_in_both_directions() {
    let (_folder, path) = folder(TILE, TILE_RECIPE);
    let mut editor = Editor::start();
    editor.launch(json!({"program": path, "stopOnEntry": true}), &[]);
    assert!(editor.stop().starts_with("entry "));
    // What is asked for by name, and what the client shows.
    let element = editor.ask("dataBreakpointInfo", json!({"name": "Ash[37]"}));
    assert_eq!(
        element,
        json!({"accessTypes": ["read", "write", "readWrite"], "canPersist": false, "dataId": "Ash[37]",
               "description": "Ash[37]"})
    );
    expect!["step 7: uint list[2] = uint[](me, 7);"].assert_eq(&editor.go("next"));
    let frame = editor.frames(&json!(1))[0]["id"].clone();
    let scopes = editor.ask("scopes", json!({"frameId": frame}))["scopes"].clone();
    let locals = &scopes[0]["variablesReference"];
    let list = editor.ask("dataBreakpointInfo", json!({"variablesReference": locals, "name": "list"}));
    assert_eq!((&list["dataId"], &list["accessTypes"]), (&json!("list"), &json!(["write"])));
    let lanes = editor.ask("evaluate", json!({"expression": "me", "frameId": frame}));
    let of_lane = json!({"variablesReference": lanes["variablesReference"], "name": "lane 3"});
    assert_eq!(editor.ask("dataBreakpointInfo", of_lane)["dataId"], "me, lane 3");
    let none = editor.ask("dataBreakpointInfo", json!({"name": "gl_SubgroupID"}));
    assert_eq!(none["dataId"], Value::Null);
    assert_eq!(
        none["description"],
        "`gl_SubgroupID` is a built-in variable, whose accesses cannot be watched"
    );

    let set = editor.ask(
        "setDataBreakpoints",
        json!({"breakpoints": [
            {"dataId": "Ash[37]", "accessType": "write", "condition": "gl_WorkGroupID.x == 1"},
            {"dataId": "list", "accessType": "readWrite"},
            {"dataId": "other"},
        ]}),
    );
    let told: Vec<String> = set["breakpoints"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {}", one["verified"], one["message"]))
        .collect();
    expect![[r#"
        true null
        false "reads of variables in registers are not seen: choose `write`"
        false "no data is known as `other` in this session""#]]
    .assert_eq(&told.join("\n"));
    let id = set["breakpoints"][0]["id"].clone();
    editor.follow("continue");
    let stopped = editor.event("stopped");
    editor.thread = stopped["threadId"].clone();
    assert_eq!((&stopped["reason"], &stopped["hitBreakpointIds"]), (&json!("data breakpoint"), &json!([id])));
    expect!["Ash[37] is written by lane 1 of subgroup 1: 9 afterwards"]
        .assert_eq(stopped["text"].as_str().unwrap());
    // Before the write, in the thread that writes.
    let thread = editor.thread.clone();
    expect!["9: Ash[i * 8 + me] = i + me;"].assert_eq(&editor.here(&thread));
    assert_eq!(editor.value("Ash[37]"), "uint 0");
    assert_eq!(editor.value("gl_SubgroupID"), "uint 1");
    editor.go("next");
    assert_eq!(editor.value("Ash[37]"), "uint 9");

    // The same write, from behind; counts are those of the way forward.
    editor.ask(
        "setDataBreakpoints",
        json!({"breakpoints": [
            {"dataId": "Ash[37]", "accessType": "readWrite"},
            {"dataId": "list", "accessType": "write", "hitCondition": "2"},
        ]}),
    );
    expect!["data breakpoint 13: values[me] = Ash[37] + list[1];"].assert_eq(&editor.go("continue"));
    expect!["data breakpoint 9: Ash[i * 8 + me] = i + me;"].assert_eq(&editor.go("reverseContinue"));
    assert_eq!(editor.value("Ash[37]"), "uint 0");
    assert_eq!(editor.value("gl_WorkGroupID.x"), "uint 1");
    editor.ask("setDataBreakpoints", json!({"breakpoints": []}));
    editor.follow("continue");
    assert_eq!(editor.event("exited")["exitCode"], 0);
    editor.ask("disconnect", json!({}));
}

#[test]
fn changed_variables_are_part_of_the_run() {
    let (_folder, path) = folder(TILE, TILE_RECIPE);
    let mut editor = Editor::start();
    let at = line_of(&path, "values[me] =");
    editor.launch(json!({"program": path}), &[(&path, json!([{"line": at}]))]);
    editor.stop();
    let frame = editor.frames(&json!(1))[0]["id"].clone();
    let set = editor.ask("setExpression", json!({"expression": "Ash[37]", "value": "100", "frameId": frame}));
    assert_eq!((&set["value"], &set["type"]), (&json!("100"), &json!("uint")));
    // One lane of a variable that differs, then all of them.
    let list = editor.ask("evaluate", json!({"expression": "list", "frameId": frame}));
    let elements =
        editor.ask("variables", json!({"variablesReference": list["variablesReference"]}))["variables"]
            .clone();
    let lanes = &elements[1]["variablesReference"];
    let set =
        editor.ask("setVariable", json!({"variablesReference": lanes, "name": "lane 2", "value": "50"}));
    assert_eq!(set["value"], "50");
    assert_eq!(editor.value("list[1]"), "uint ⟨7 8 50 10⟩");
    let list = &list["variablesReference"];
    let set = json!({"variablesReference": list, "name": "[1]", "value": "lane * 2"});
    assert_eq!(editor.ask("setVariable", set)["value"], "⟨0 2 4 6⟩");
    let wrong = json!({"variablesReference": list, "name": "[1]", "value": "-1"});
    assert_eq!(editor.refused("setVariable", wrong), "`list[1]`: -1 is not between 0 and 4294967295");

    editor.go("next");
    // The last line of the subgroup: the next one runs.
    assert_eq!(editor.value("values[3]"), "uint 106");
    expect!["breakpoint 13: values[me] = Ash[37] + list[1];"].assert_eq(&editor.go("reverseContinue"));
    assert_eq!(editor.value("list[1]"), "uint ⟨0 2 4 6⟩");
    editor.go("stepBack");
    assert_eq!(editor.value("list[1]"), "uint 7");
    assert_eq!(editor.value("Ash[37]"), "uint 9");
    expect!["breakpoint 13: values[me] = Ash[37] + list[1];"].assert_eq(&editor.go("continue"));
    assert_eq!(editor.value("list[1]"), "uint ⟨0 2 4 6⟩");
    // The report is that of the shader alone.
    editor.set(&path, json!([]));
    editor.follow("continue");
    assert_eq!(editor.event("exited")["exitCode"], 0);
    let report = editor.written("stdout");
    expect!["note: this is the report of a run without the changes of variables made while debugging"]
        .assert_eq(report.lines().last().unwrap());
    editor.ask("disconnect", json!({}));
}
