use serde_json::{Value, json};

use super::Debugger;

const SHADER: &str = "#version 460
layout(local_size_x = 4) in;
layout(binding = 0) buffer Data { uint values[]; };
void main() {
    uint me = gl_LocalInvocationIndex;
    for (uint i = 0; i < me; i++) {
        uint square = i * i;
        values[me] += square;
    }
    values[me] += 1;
}
";

const RECIPE: &str = "dispatch = [1, 1, 1]
subgroup-size = 4
[[buffers]]
name = \"values\"
shape = [4]
";

fn opened() -> Debugger {
    let mut debugger = Debugger::new();
    debugger.put_file("a.comp", SHADER);
    debugger.put_file("a.run.toml", RECIPE);
    let problem = debugger.begin(&json!({"shader": "a.comp", "recipe": "a.run.toml"}).to_string());
    assert_eq!(problem, None);
    debugger
}

fn state(debugger: &Debugger) -> Value {
    serde_json::from_str(&debugger.state()).unwrap()
}

fn go(debugger: &mut Debugger, motion: &str, backwards: bool) -> Value {
    debugger.go_to(motion, backwards, 0.0);
    while !debugger.advance(1000) {}
    state(debugger)
}

fn line(state: &Value) -> u64 {
    state["stack"][0]["place"]["start"]["line"].as_u64().unwrap()
}

#[test]
fn what_the_project_file_puts_before_shaders_is_there() {
    let mut debugger = Debugger::new();
    debugger.put_file("a.comp", &SHADER.replace("uint values", "ELEMENT values"));
    debugger.put_file("a.run.toml", RECIPE);
    debugger.put_file("types.glsl", "#define ELEMENT uint\n");
    let request = json!({"shader": "a.comp", "recipe": "a.run.toml"}).to_string();
    assert!(debugger.begin(&request).is_some());
    debugger
        .put_file("coopmat-analyzer.toml", "[[shaders]]\nfiles = \"*.comp\"\npreamble = \"types.glsl\"\n");
    assert_eq!(debugger.begin(&request), None);
}

#[test]
fn steps_and_shows_what_can_be_seen() {
    let mut debugger = opened();
    assert_eq!(line(&state(&debugger)), 4);
    let verified = debugger.set_breakpoints(&json!([{"file": "a.comp", "line": 7}]).to_string());
    assert_eq!(verified, "[7]");
    let stopped = go(&mut debugger, "continue", false);
    assert_eq!(stopped["reason"]["kind"], "breakpoint");
    assert_eq!(stopped["stack"][0]["active"], "0111");
    let variables: Value = serde_json::from_str(&debugger.variables(0)).unwrap();
    let names: Vec<&str> =
        variables.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names[..3], ["square", "i", "me"]);
    let value: Value = serde_json::from_str(&debugger.evaluate(0, "values[me] + 1")).unwrap();
    assert_eq!(value["lanes"]["values"], json!(["1", "1", "1", "1"]));
    assert!(go(&mut debugger, "over", true)["time"].as_u64() < stopped["time"].as_u64());
    assert_eq!(go(&mut debugger, "end", false)["reason"]["kind"], "end");
    assert_eq!(line(&go(&mut debugger, "over", true)), 10);
    assert_eq!(line(&go(&mut debugger, "over", true)), 9);
    let variables: Value = serde_json::from_str(&debugger.variables(0)).unwrap();
    // Loops are over, and so is what they declare.
    assert_eq!(variables[0]["name"], "me");
}

#[test]
fn says_why_there_is_no_run() {
    let mut debugger = Debugger::new();
    debugger.put_file("a.comp", "#version 460\nvoid main() { x; }\n");
    let problem = debugger.begin(&json!({"shader": "a.comp"}).to_string()).unwrap();
    assert!(problem.contains("does not compile"), "{problem}");
    assert_eq!(debugger.state(), "null");
    assert!(debugger.advance(1));
}
