//! `coopmat-analyzer run` and `coopmat-analyzer test` as a person runs them.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::json;

use crate::client::{BINARY, Client};

fn command(arguments: &[&str]) -> Output {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    Command::new(BINARY).current_dir(root).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A shader and its recipe in a folder of their own.
fn folder(shader: &str, recipe: Option<&str>) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shader.comp");
    std::fs::write(&path, shader).unwrap();
    if let Some(recipe) = recipe {
        std::fs::write(folder.path().join("shader.run.toml"), recipe).unwrap();
    }
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

const DOUBLE: &str = "#version 450
layout(local_size_x = 4) in;
layout(binding = 0) buffer Data { float values[]; };
layout(push_constant) uniform Params { float factor; };
void main() { values[gl_GlobalInvocationID.x] *= factor; }
";

#[test]
fn examples_meet_their_expectations_under_every_mode_that_they_claim() {
    let output = command(&["test", "examples/khr", "examples/qcom", "examples/nv2", "examples/coopvec"]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

#[test]
fn a_report_tells_the_worst_element() {
    let recipe = "
dispatch = [2]
push-constants = { factor = 2 }
[[buffers]]
name = \"values\"
shape = [8]
fill = { iota = {} }
[[expect]]
buffer = \"values\"
equals.formula = \"index == 5 ? 11.5 : 2 * values\"
tolerance = { absolute = 0.25 }
";
    let (_folder, path) = folder(DOUBLE, Some(recipe));
    let output = command(&["run", &path]);
    let report = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{report}{}", text(&output.stderr));
    assert!(report.contains("values = formula: NOT MET, 1 of 8 elements are wrong"), "{report}");
    assert!(report.contains("worst at [5]: expected 11.5, found 10"), "{report}");

    let output = command(&["run", &path, "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["met"], false);
    assert_eq!(report["expectations"][0]["worst"]["index"], serde_json::json!([5]));
    assert_eq!(report["expectations"][0]["max-absolute"], 1.5);
    assert_eq!(report["dispatch"], serde_json::json!([2, 1, 1]));
}

#[test]
fn buffers_are_shown_written_and_drawn() {
    let recipe = "
push-constants = { factor = \"F\" }
sizes = { F = 3 }
[[buffers]]
name = \"values\"
shape = [2, 2]
fill.values = [[1, 2], [3, 0.5]]
";
    let (folder, path) = folder(DOUBLE, Some(recipe));
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let dump = format!("values={}", file("out.npy"));
    let png = file("out.png");
    let arguments = ["run", &path, "--set", "F=2", "--show", "values", "--dump", &dump, "--png", &png];
    let output = command(&arguments);
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{shown}{}", text(&output.stderr));
    assert!(shown.contains("values (f32, 2 x 2)"), "{shown}");
    assert!(shown.contains("\n    0    2   4\n    1    6   1\n"), "{shown}");
    let (tensor, _) = coopmat_recipe::npy::read(&std::fs::read(file("out.npy")).unwrap()).unwrap();
    assert_eq!((tensor.shape, tensor.data), (vec![2, 2], vec![2.0, 4.0, 6.0, 1.0]));
    assert!(std::fs::read(png).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn mistakes_in_a_recipe_are_told_with_their_place() {
    let fails = |recipe: &str| {
        let (_folder, path) = folder(DOUBLE, Some(recipe));
        let output = command(&["run", &path]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        let message = text(&output.stderr);
        let place = message.find("shader.run.toml").expect("the recipe's name");
        message[place..].to_owned()
    };
    let message = fails("dispach = [2]\n");
    assert!(message.starts_with("shader.run.toml:1:1: unknown field `dispach`"), "{message}");
    let message = fails("push-constants = { factor = 1 }\n[[buffers]]\nname = \"values\"\nshape = [\"M\"]\n");
    assert!(message.starts_with("shader.run.toml:4:10: `M`: there is no size `M`"), "{message}");
    assert!(message.contains("4 | shape = [\"M\"]\n   |          ^^^"), "{message}");
    let message = fails("push-constants = { factr = 1 }\n[[buffers]]\nname = \"values\"\nshape = [4]\n");
    assert!(
        message.contains(":1:28: the shader has no member `factr` here; expected one of factor"),
        "{message}"
    );
    let message = fails("push-constants = { factor = 1 }\n[[buffers]]\nname = \"valus\"\nshape = [4]\n");
    assert!(message.contains(":3:8: the shader has no buffer `valus`"), "{message}");
    let message = fails("push-constants = { factor = 1 }\n[buffers.values]\nshape = [4]\n");
    let wanted = "expected a list of tables, found a table: write `[[buffers]]` and `name = \"values\"` instead of `[buffers.values]`";
    assert!(message.starts_with(&format!("shader.run.toml:2:1: {wanted}")), "{message}");
    let message = fails("[expect]\nbuffer = \"values\"\nequals.value = 1\n");
    let wanted = "expected a list of tables, found a table: write `[[expect]]` and `buffer = \"...\"` instead of `[expect]`";
    assert!(message.starts_with(&format!("shader.run.toml:1:1: {wanted}")), "{message}");
    let message = fails("[[buffers]]\nname = \"values\"\nshape = [4]\n");
    assert!(
        message.contains("the shader has push constants: add `push-constants = { factor = ... }`"),
        "{message}"
    );
}

#[test]
fn a_buffer_for_a_shader_without_any_is_told_to_be_left_out() {
    let shader = "#version 450\nlayout(local_size_x = 4) in;\nvoid main() {}\n";
    let (_folder, path) = folder(shader, Some("[[buffers]]\nname = \"values\"\nshape = [4]\n"));
    let message = text(&command(&["run", &path]).stderr).to_owned();
    let wanted = "the shader has no buffer `values` and is not given its address: it uses no buffers or images at all; leave this out, or use one in `main`";
    assert!(message.contains(wanted), "{message}");
}

#[test]
fn a_first_recipe_runs_as_it_is() {
    let (folder, path) = folder(DOUBLE, None);
    let output = command(&["run", &path]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("run --create-recipe"), "{}", text(&output.stderr));
    let output = command(&["run", "--init", &path]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    std::fs::write(folder.path().join("shader.run.toml"), &output.stdout).unwrap();
    let output = command(&["run", &path]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    assert!(text(&output.stdout).contains("no expectations"));
}

#[test]
fn tests_count_and_write_junit() {
    let recipe = "
push-constants = { factor = 2 }
[[buffers]]
name = \"values\"
shape = [4]
fill.constant = 1
[[expect]]
buffer = \"values\"
equals.formula = \"3\"
";
    let (folder, _) = folder(DOUBLE, Some(recipe));
    let good = recipe.replace("\"3\"", "\"2\"");
    std::fs::write(folder.path().join("good.comp"), DOUBLE).unwrap();
    std::fs::write(folder.path().join("good.run.toml"), good).unwrap();
    let xml = folder.path().join("junit.xml");
    let output = command(&["test", folder.path().to_str().unwrap(), "--junit", xml.to_str().unwrap()]);
    let report = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{report}{}", text(&output.stderr));
    assert!(report.contains("good.run.toml ... ok"), "{report}");
    assert!(report.contains("shader.run.toml ... FAILED"), "{report}");
    assert!(report.contains("test result: FAILED. 1 passed; 1 failed"), "{report}");
    let xml = std::fs::read_to_string(xml).unwrap();
    assert!(xml.contains("tests=\"2\"") && xml.contains("failures=\"1\""), "{xml}");

    let empty = tempfile::tempdir().unwrap();
    assert_eq!(command(&["test", empty.path().to_str().unwrap()]).status.code(), Some(2));
}

/// A recipe has its shader: the one that it names, or the one beside it.
#[test]
fn a_recipe_is_run_by_its_own_name() {
    let recipe = "
push-constants = { factor = 2 }
[[buffers]]
name = \"values\"
shape = [4]
fill.constant = 1
[[expect]]
buffer = \"values\"
equals.formula = \"2\"
";
    let (folder, shader) = folder(DOUBLE, Some(recipe));
    let other = folder.path().join("other.run.toml");
    std::fs::write(&other, format!("shader = \"shader.comp\"\n{recipe}")).unwrap();
    let (beside, other) = (shader.replace(".comp", ".run.toml"), other.to_str().unwrap());
    for arguments in [&["run", &beside][..], &["run", other], &["run", "--recipe", other]] {
        let output = command(arguments);
        let told = text(&output.stdout) + &text(&output.stderr);
        assert!(output.status.success() && told.contains("shader.comp"), "{told}");
    }
    let twice = text(&command(&["run", &beside, "--recipe", other]).stderr);
    assert!(twice.contains("expected a shader, as --recipe already names a recipe"), "{twice}");
    // A recipe with a mistake may have named its shader: the mistake is what is told.
    let wrong = folder.path().join("wrong.run.toml");
    std::fs::write(&wrong, format!("shader = \"shader.comp\"\nunknown = 1\n{recipe}")).unwrap();
    let mistaken = text(&command(&["run", wrong.to_str().unwrap()]).stderr);
    assert!(mistaken.contains("wrong.run.toml:2:1: unknown field `unknown`"), "{mistaken}");
    std::fs::remove_file(&shader).unwrap();
    let without = text(&command(&["run", &beside]).stderr);
    assert!(without.contains("beside the recipe: add it, or set `shader = "), "{without}");
}

/// Each of the museum's shaders says what it is wrong at, and its line holds code.
#[test]
fn mistakes_compile_and_name_a_line() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/mistakes");
    let mut seen = 0;
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        let name = path.to_str().unwrap().to_owned();
        let Some(stem) = name.strip_suffix(".run.toml") else { continue };
        let recipe = coopmat_recipe::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let shader = std::fs::read_to_string(format!("{stem}.comp")).unwrap();
        assert!(!recipe.findings.is_empty(), "{name} expects no finding");
        for finding in &recipe.findings {
            let line = shader.lines().nth(finding.line as usize - 1).unwrap_or_default();
            assert!(line.trim_end().ends_with(';'), "{name}: line {} is `{line}`", finding.line);
        }
        seen += 1;
    }
    assert!(seen >= 13, "{seen} mistakes");
}

#[test]
fn images_are_described_as_buffers_are() {
    let shader = "#version 460
layout(local_size_x = 4, local_size_y = 2) in;
layout(binding = 0, rgba8) readonly uniform image2D colours;
layout(binding = 1, r32i) writeonly uniform iimage2D sums;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec4 colour = imageLoad(colours, at);
    imageStore(sums, at, ivec4(round(dot(colour, vec4(255.0)))));
}
";
    let recipe = "
[[buffers]]
name = \"colours\"
shape = [2, 4, 3]
fill.formula = \"index / 255 + 0.0001\"
[[buffers]]
name = \"sums\"
shape = [2, 4, 1]
[[expect]]
buffer = \"sums\"
equals.formula = \"9 * index + 3 + 255\"
";
    let (folder, path) = folder(shader, Some(recipe));
    let dump = format!("sums={}", folder.path().join("sums.npy").display());
    let report = text(&command(&["run", &path, "--dump", &dump]).stdout);
    assert!(report.contains("sums = formula: met, 8 elements, all equal"), "{report}");
    let dumped = std::fs::read(folder.path().join("sums.npy")).unwrap();
    assert!(String::from_utf8_lossy(&dumped).contains("'<i4'"));

    std::fs::write(folder.path().join("shader.run.toml"), recipe.replace("[2, 4, 1]", "[8]")).unwrap();
    let error = text(&command(&["run", &path]).stderr);
    assert!(error.contains("expected the shape [height, width, channels]"), "{error}");
}

/// Digits that no 64-bit float has: in contents, push constants, expectations, tables.
#[test]
fn integers_of_64_bits_are_exact() {
    let shader = "#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 4) in;
layout(binding = 0) buffer Values { uint64_t values[]; };
layout(push_constant) uniform Params { uint64_t more; };
void main() { values[gl_LocalInvocationIndex] += more; }
";
    let recipe = "
push-constants = { more = \"0x20000000000001\" }
[[buffers]]
name = \"values\"
shape = [4]
fill.values = [1, \"18446744073709551615\", 9007199254740993, 0]
[[expect]]
buffer = \"values\"
equals.values = [9007199254740994, 9007199254740992, 18014398509481986, 9007199254740993]
";
    let (folder, path) = folder(shader, Some(recipe));
    let report = text(&command(&["run", &path, "--show", "values"]).stdout);
    assert!(report.contains("values = values: met, 4 elements, all equal"), "{report}");
    assert!(report.contains(" 9007199254740993"), "{report}");
    let wrong = recipe.replace("9007199254740993]", "9007199254740992]");
    std::fs::write(folder.path().join("shader.run.toml"), wrong).unwrap();
    let report = text(&command(&["run", &path]).stdout);
    assert!(report.contains("worst at [3]: expected 9007199254740992, found 9007199254740993"), "{report}");
}

/// Only what the recipe says nothing about is reported, where something depends on it.
#[test]
fn contents_that_nobody_wrote_are_not_to_be_read() {
    let recipe = "
push-constants = { factor = 2 }
[[buffers]]
name = \"values\"
shape = [4]
fill = \"uninitialised\"
[[findings]]
kind = \"uninitialised\"
line = 5
";
    let (_folder, path) = folder(DOUBLE, Some(recipe));
    let output = command(&["run", &path]);
    assert!(output.status.success() && text(&output.stdout).contains(": uninitialised: "), "{output:?}");
}

/// As many runs without an end as there are threads, and more: whoever cancels gets the threads back.
#[test]
fn a_run_ends_when_nobody_wants_it_any_more() {
    let shader = "#version 460
layout(local_size_x = 4) in;
layout(binding = 0) buffer Values { float values[]; };
void main() { while (values[0] < 1.0) values[1] += 1.0; }
";
    let recipe = "
step-limit = 1000000000000
[[buffers]]
name = \"values\"
shape = [4]
";
    let (_folder, path) = folder(shader, Some(recipe));
    let uri = coopmat_server::uri_of_path(&path).unwrap();
    let (mut client, _) = Client::start(&[], json!({"capabilities": {}}));
    client.open(&uri, shader);
    let endless = json!({"textDocument": {"uri": uri}, "workDoneToken": "far"});
    let threads = std::thread::available_parallelism().map_or(1, usize::from) + 2;
    for _ in 0..threads {
        let id = client.begin("coopmat-analyzer/run", json!({"textDocument": {"uri": uri}}));
        client.notify("$/cancelRequest", json!({"id": id}));
        let answer = client.wait(|message| message["id"] == id);
        assert_eq!(answer["error"]["code"], -32800, "{answer}");
    }
    let id = client.begin("coopmat-analyzer/run", endless);
    let begun = client.wait(|message| message["method"] == "$/progress");
    assert_eq!(begun["params"]["value"]["kind"], "begin");
    assert_eq!(begun["params"]["value"]["message"], "0 of 1 workgroups");
    client.notify("window/workDoneProgress/cancel", json!({"token": "far"}));
    let answer = client.wait(|message| message["id"] == id);
    assert_eq!(answer["result"]["summary"], "stopped: the run was stopped", "{answer}");
    client.finish();
}

#[test]
fn editors_run_what_has_a_recipe() {
    let recipe = "
push-constants = { factor = 2 }
[[buffers]]
name = \"values\"
shape = [4]
fill = \"iota\"
[[expect]]
buffer = \"values\"
equals.formula = \"2 * index\"
";
    let (_folder, path) = folder(DOUBLE, Some(recipe));
    let uri = coopmat_server::uri_of_path(&path).unwrap();
    let (mut client, _) = Client::start(&[], json!({"capabilities": {}}));
    client.open(&uri, DOUBLE);
    let lenses = client.request("textDocument/codeLens", json!({"textDocument": {"uri": uri}}));
    let lenses = lenses.as_array().unwrap();
    let lens = lenses.iter().find(|lens| lens["command"]["title"] == "Run").expect("the lens");
    assert_eq!(lens["command"]["command"], "coopmat-analyzer.run");
    let arguments = &lens["command"]["arguments"];
    let params = json!({"command": "coopmat-analyzer.run", "arguments": arguments});
    let answer = client.request("workspace/executeCommand", params);
    assert_eq!(answer["summary"], "the expectation is met", "{answer}");

    let wrong = recipe.replace("2 * index", "3 * index");
    let params = json!({"textDocument": {"uri": uri}, "recipe": wrong, "buffers": true});
    let answer = client.request("coopmat-analyzer/run", params);
    assert_eq!(answer["met"], false);
    assert_eq!(answer["report"]["expectations"][0]["wrong"], 3);
    assert_eq!(answer["buffers"][0]["elements"], json!([0.0, 2.0, 4.0, 6.0]));
    let params = json!({"textDocument": {"uri": uri}, "recipe": "shape = 1"});
    let answer = client.request("coopmat-analyzer/run", params);
    assert_eq!(answer["error"]["line"], 1, "{answer}");
    client.finish();
}

#[test]
fn a_recipe_is_created_where_there_is_none() {
    let (folder, path) = folder(DOUBLE, None);
    let output = command(&["run", "--create-recipe", &path]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("note: wrote the recipe"), "{}", text(&output.stderr));
    let recipe = folder.path().join("shader.run.toml");
    let written = std::fs::read_to_string(&recipe).unwrap();
    assert!(written.contains("[push-constants]\n# not known: factor\nfactor = 1"), "{written}");
    // One that is there stays as it is.
    std::fs::write(&recipe, written.replace("factor = 1", "factor = 3")).unwrap();
    assert!(command(&["run", "--create-recipe", &path]).status.success());
    assert!(std::fs::read_to_string(&recipe).unwrap().contains("factor = 3"));
}

/// And what was chosen for specialization constants is what later runs give them; of the others the defaults are named.
#[test]
fn a_recipe_records_what_was_chosen_for_specialization_constants() {
    let constants = "layout(constant_id = 0) const uint ROWS = 4;\nlayout(constant_id = 3) const bool FAST = true;\nlayout(constant_id = 5) const uint REST = 7;\nvoid main() {";
    let shader =
        DOUBLE.replace("void main() {", constants).replace("*= factor", "*= factor + (FAST ? ROWS : REST)");
    let (folder, path) = folder(&shader, None);
    let output = command(&["run", "--create-recipe", "--specialization", "ROWS=16, 3=false", &path]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let recipe = std::fs::read_to_string(folder.path().join("shader.run.toml")).unwrap();
    for line in ["ROWS = 16", "FAST = 0", "# REST = 7"] {
        assert!(recipe.contains(&format!("\n{line}\n")), "{line}: {recipe}");
    }
    let output = command(&["run", &path]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = command(&["run", "--init", "--set", "ROWS=8", &path]);
    assert!(text(&output.stdout).contains("ROWS = 8\n"), "{}", text(&output.stdout));
    let output = command(&["run", "--init", "--set", "COLUMNS=8", &path]);
    let message = "shader.comp has no specialization constant of this name or id";
    assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
}

/// What was shown when the recipe was made is what later runs compile.
#[test]
fn a_recipe_records_the_configuration_that_it_was_made_under() {
    let shader = DOUBLE.replace("*= factor", "*= factor + FACTOR");
    let (folder, path) = folder(&shader, None);
    let project = "[[shaders]]\nfiles = [\"*.comp\"]\nin-view = \"one\"\n\
        [[shaders.configurations]]\nname = \"one\"\ndefines = { FACTOR = 1 }\n\
        [[shaders.configurations]]\nname = \"two \\\"2\\\"\"\ndefines = { FACTOR = 2 }\n";
    std::fs::write(folder.path().join("coopmat-analyzer.toml"), project).unwrap();
    let recorded = |text: &str| text.contains("\nconfig = 'two \"2\"'\n");
    let output = command(&["run", "--create-recipe", "--config", "two \"2\"", &path]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let recipe = folder.path().join("shader.run.toml");
    let written = std::fs::read_to_string(&recipe).unwrap();
    assert!(recorded(&written), "{written}");
    assert!(command(&["run", &path]).status.success());
    std::fs::remove_file(recipe).unwrap();

    let uri = coopmat_server::uri_of_path(&path).unwrap();
    let root = coopmat_server::uri_of_path(folder.path().to_str().unwrap()).unwrap();
    let folders = json!([{"uri": root, "name": "p"}]);
    let (mut client, _) = Client::start(&[], json!({"capabilities": {}, "workspaceFolders": folders}));
    client.open(&uri, &shader);
    let two = json!({"textDocument": {"uri": uri}, "name": "two \"2\""});
    client.request("coopmat-analyzer/setConfiguration", two);
    let wanted = json!({"textDocument": {"uri": uri}, "createRecipe": true});
    let answer = client.request("coopmat-analyzer/run", wanted);
    assert_eq!(answer["summary"], "the run has finished", "{answer}");
    assert!(recorded(answer["created"]["text"].as_str().unwrap()), "{answer}");
    client.finish();
}

#[test]
fn editors_create_a_recipe_where_there_is_none() {
    let (_folder, path) = folder(DOUBLE, None);
    let uri = coopmat_server::uri_of_path(&path).unwrap();
    let edits = json!({"documentChanges": true, "resourceOperations": ["create"]});
    let (mut client, _) = Client::start(
        &[],
        json!({"capabilities": {"workspace": {"applyEdit": true, "workspaceEdit": edits}}}),
    );
    client.open(&uri, DOUBLE);
    // What a client asks that has a window for runs.
    let answer = client.request("coopmat-analyzer/run", json!({"textDocument": {"uri": uri}}));
    assert!(answer["missingRecipe"].as_str().unwrap().ends_with("/shader.run.toml"), "{answer}");
    let wanted = json!({"textDocument": {"uri": uri}, "createRecipe": true});
    let answer = client.request("coopmat-analyzer/run", wanted);
    assert_eq!(answer["summary"], "the run has finished", "{answer}");
    assert!(answer["created"]["text"].as_str().unwrap().contains("factor = 1"), "{answer}");
    // What any client offers at `main`.
    let place = json!({"line": 4, "character": 7});
    let ask = json!({
        "textDocument": {"uri": uri}, "range": {"start": place, "end": place}, "context": {"diagnostics": []},
    });
    let actions = client.request("textDocument/codeAction", ask);
    let create = actions.as_array().unwrap().iter().find(|action| action["title"] == "Create recipe");
    assert_eq!(create.unwrap()["command"]["command"], "coopmat-analyzer.createRecipe");
    // And what the button of the message does.
    let run = client
        .begin("workspace/executeCommand", json!({"command": "coopmat-analyzer.run", "arguments": [uri]}));
    let question = client.wait(|message| message["method"] == "window/showMessageRequest");
    assert_eq!(question["params"]["actions"], json!([{"title": "Create recipe"}]));
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"title": "Create recipe"}}));
    let edit = client.wait(|message| message["method"] == "workspace/applyEdit");
    let changes = &edit["params"]["edit"]["documentChanges"];
    assert_eq!(changes[0]["kind"], "create");
    assert_eq!(changes[0]["uri"], uri.replace("shader.comp", "shader.run.toml"));
    assert!(changes[1]["edits"][0]["newText"].as_str().unwrap().contains("factor = 1"), "{edit}");
    client.send(&json!({"jsonrpc": "2.0", "id": edit["id"], "result": {"applied": true}}));
    assert_eq!(client.response(run)["result"]["summary"], "the run has finished");
    client.finish();
}

#[test]
fn headroom_of_half_precision_sums() {
    let path = "examples/mistakes/half_overflow.comp";
    let output = command(&["run", "--headroom", path]);
    let report = text(&output.stdout);
    // The recipe expects the infinities.
    assert!(output.status.success(), "{report}{}", text(&output.stderr));
    let lines = report.lines().skip_while(|line| !line.contains("headroom of")).take(4);
    let lines: Vec<&str> = lines.filter_map(|line| line.strip_prefix("  ")).collect();
    expect_test::expect![[r#"
          headroom of float16_t accumulators, whose largest number is 65504:
            examples/mistakes/half_overflow.comp:25:15: OVERFLOW: 8 of 256 sums of up to 96 products go beyond the range, the first one 65536 at k = 63 in element [2, 15] of workgroup 0, 0, 0, subgroup 0
              8 of them became infinite; -0.59 bits of headroom: the largest partial sum is 98304 at k = 95 in element [2, 15] of workgroup 0, 0, 0, subgroup 0; products may be scaled by up to 0.6663
            outputD: 8 elements are infinite or NaN: [2, 10], [2, 11], [2, 12], [2, 13], [2, 14], [2, 15], [5, 14], [5, 15]"#]]
    .assert_eq(&lines.join("\n"));

    let output = command(&["run", "--headroom", "--json", path]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let headroom = &report["headroom"];
    assert_eq!(headroom["accumulators"][0]["place"]["line"], 25);
    assert_eq!(headroom["accumulators"][0]["first"]["k"], 63);
    // 64 * 96 * 11 and more; -(0 + 1 + ... + 95) * 15 and more.
    assert_eq!(headroom["accumulators"][0]["infinite"], 8);
    let infinite: Vec<serde_json::Value> =
        (10..16).map(|column| json!([2, column])).chain((14..16).map(|column| json!([5, column]))).collect();
    assert_eq!(headroom["infinite"], json!([{"buffer": "outputD", "elements": 8, "listed": infinite}]));

    let output = command(&["run", "--json", path]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report.get("headroom").is_none());
}

#[test]
fn a_profile_says_what_lines_cost() {
    let path = "examples/khr/gemm_shared.comp";
    let arguments = ["run", "--profile", "--device", "nvidia-h200", path];
    let output = command(&arguments);
    let report = text(&output.stdout);
    assert!(output.status.success(), "{report}{}", text(&output.stderr));
    let lines = report.lines().skip_while(|line| !line.contains("  profile, ownership")).take(14);
    let lines: Vec<&str> = lines.filter_map(|line| line.strip_prefix("  ")).collect();
    expect_test::expect![[r#"
        profile, ownership nvidia-h200, device nvidia-h200, 32 banks of 4 bytes
          note: a model of what addresses cost, held against an H100 alone (docs/performance.md)
          7680 instructions, 160 of them on matrices (2.1 %); workgroups passed 24 barriers
          buffers: 24.6 kB read, 12.3 kB of them distinct (each 2 times); 16.4 kB written, 16.4 kB of them distinct
          393.2 kFLOP in multiply-adds: 9.6 for each byte of buffers that is accessed, 13.71 for each distinct byte
          roofline: float16_t x float16_t to float32_t at most 989.4 TFLOP/s; memory at most 4.8 TB/s; both are met at 206.12 FLOP for each byte
            memory is the limit (13.71 FLOP for each byte, even if each is moved once)
          between two barriers, a workgroup has 274.29 instructions, 14.0 kFLOP in multiply-adds, 1463 B of buffers on average
          loop at examples/khr/gemm_shared.comp:37:22, without loops inside: 144 of 592 instructions are on matrices (24.3 %), 48 of them multiply-adds
          registers of matrices, for each invocation: at least 8 at line 45 (sum: f32 16x16 accumulator); 16 at line 45 (sum: f32 16x16 accumulator, b: f16 16x16 B, a: f16 16x16 A) if everything is done in the order of the module
            resident at the same time: at most 64 subgroups, of 64 that the device allows (64 by these registers, 64 by shared memory)
          shared memory: 768 passes, 768 without conflicts
            examples/khr/gemm_shared.comp:43:9: load stagedA of a coopmat<float16_t, 16x16, A>, 48 times, 4 requests of 4 B a lane a time: 192 passes, no conflicts
              43 | coopMatLoad(a, stagedA, row * STRIDE_A, STRIDE_A, gl_CooperativeMatrixLayoutRowMajor);"#]].assert_eq(&lines.join("\n"));

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.json");
    let output = command(&["run", "--profile", "--json", "--profile-file", file.to_str().unwrap(), path]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let profile = &report["profile"];
    // Without a device.
    assert_eq!(profile["ownership"], "plain");
    assert_eq!(profile["banks"], json!(null));
    assert!(
        profile["notes"][1].as_str().unwrap().contains("no device is set, use --device NAME"),
        "{profile}"
    );
    let dispatch = &profile["dispatches"][0];
    assert_eq!(dispatch["matrix-flops"], report["work"]["matrix-flops"]);
    let accesses = ["shared", "global"].into_iter().flat_map(|list| dispatch[list].as_array().unwrap());
    let loads = accesses.filter(|access| access["operation"] == "load");
    let loaded: u64 = loads.map(|access| access["bytes"].as_u64().unwrap()).sum();
    assert_eq!(report["work"]["bytes-read"], loaded);
    let trace: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert!(trace["traceEvents"].as_array().unwrap().iter().any(|event| event["name"] == "main"));
}

/// What the importer of Perfetto (`json_trace_tokenizer.cc`, `json_trace_parser_impl.cc`) takes: whole microseconds, names of processes and threads, and slices of a
/// thread that lie inside of each other, a slice behind the one that it is in.
#[test]
fn slices_of_a_profile_s_file_are_nested() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.json");
    let path = "examples/khr/gemm_staged.comp";
    let options = ["--device", "nvidia-h200", "--profile-file", file.to_str().unwrap()];
    let output = command(&[&["run", path], &options[..]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let trace: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert_eq!(trace["displayTimeUnit"], "ns");
    let mut tracks = std::collections::BTreeMap::<(u64, u64), Vec<(u64, u64)>>::new();
    for event in trace["traceEvents"].as_array().unwrap() {
        let number = |key: &str| event[key].as_u64().unwrap_or_else(|| panic!("{key}: {event}"));
        let name = event["name"].as_str().unwrap();
        if event["ph"] == "M" {
            assert!(["process_name", "thread_name"].contains(&name), "{event}");
            assert!(!event["args"]["name"].as_str().unwrap().is_empty(), "{event}");
            continue;
        }
        assert!(event["ph"] == "X" && number("dur") > 0 && !name.is_empty(), "{event}");
        let slice = (number("ts"), number("ts") + number("dur"));
        tracks.entry((number("pid"), number("tid"))).or_default().push(slice);
    }
    // Instructions, passes and sectors.
    assert_eq!(tracks.len(), 3);
    for (track, mut slices) in tracks {
        assert!(slices.len() > 10, "{track:?}");
        // The importer sorts by the start, and keeps the order of the file where that is the same.
        slices.sort_by_key(|(start, _)| *start);
        let mut open: Vec<u64> = Vec::new();
        for (start, end) in slices {
            while open.last().is_some_and(|outer| *outer <= start) {
                open.pop();
            }
            assert!(open.last().is_none_or(|outer| end <= *outer), "{track:?}: {start} to {end}");
            open.push(end);
        }
    }
}

/// `once` is called from one place and is inside the line that calls it; `twice` is called from two, and by itself.
#[test]
fn the_file_of_a_profile_has_functions_inside_their_only_caller() {
    let shader = "#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
void twice(uint i) { data[i + gl_LocalInvocationIndex] = i; }
void once(uint i) { twice(i); twice(i + 32); }
void main() { once(3); }
";
    let recipe = "[[buffers]]\nname = \"data\"\nshape = [80]\n";
    let (folder, path) = folder(shader, Some(recipe));
    let file = folder.path().join("trace.json");
    let output = command(&["run", &path, "--profile-file", file.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(!text(&output.stdout).contains("profile"), "{}", text(&output.stdout));
    let trace: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap().iter();
    let instructions = events.clone().filter(|event| event["ph"] == "X" && event["pid"] == 1);
    let spans: Vec<(&str, u64, u64)> = instructions
        .map(|event| {
            let start = event["ts"].as_u64().unwrap();
            (event["name"].as_str().unwrap(), start, start + event["dur"].as_u64().unwrap())
        })
        .collect();
    let span = |name: &str| spans.iter().find(|(known, ..)| *known == name).unwrap();
    let is_inside = |a: &str, b: &str| span(b).1 <= span(a).1 && span(a).2 <= span(b).2;
    assert!(is_inside("once", "main") && !is_inside("twice", "main"), "{spans:?}");
    // Sectors: each of the two stores writes 128 bytes from byte 12 on, and touches five.
    let sectors = events.filter(|event| event["ph"] == "X" && event["pid"] == 3);
    let lines = sectors.map(|event| {
        let name = event["name"].as_str().unwrap();
        let name = name.rsplit('/').next().unwrap();
        format!("{} +{} {name}", event["ts"], event["dur"])
    });
    expect_test::expect![[r#"
        0 +10 shader.comp
        0 +10 twice
        0 +10 shader.comp:4 void twice(uint i) { data[i + gl_LocalInvocationIndex] = i; }
        0 +10 OpStore"#]]
    .assert_eq(&lines.collect::<Vec<_>>().join("\n"));
}

#[test]
fn strict_runs_report_writes_of_the_same_value() {
    let shader = "#version 450
layout(local_size_x = 4) in;
layout(binding = 0) buffer Data { float values[]; };
void main() { values[0] = 1.0; }
";
    let run = |recipe: &str, arguments: &[&str]| {
        let recipe = format!("{recipe}\n[[buffers]]\nname = \"values\"\nshape = [4]\n");
        let (_folder, path) = folder(shader, Some(&recipe));
        let output = command(&[&["run", &path, "--json"], arguments].concat());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let kinds: Vec<String> = report["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| finding["kind"].as_str().unwrap().to_owned())
            .collect();
        (output.status.code(), report["modes"]["strict"] == true, kinds)
    };
    let race = vec!["data-race".to_owned()];
    assert_eq!(run("", &[]), (Some(0), false, vec![]));
    assert_eq!(run("", &["--checked"]), (Some(0), false, vec![]));
    assert_eq!(run("", &["--checked=strict"]), (Some(1), true, race.clone()));
    assert_eq!(run("strict = true", &["--checked"]), (Some(1), true, race));
    let (_folder, path) = folder(shader, None);
    let output = command(&["run", &path, "--checked=loose"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
}
