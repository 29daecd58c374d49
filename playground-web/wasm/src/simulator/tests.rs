//! The worker's side without a browser: what is described, how runs end.

use expect_test::expect;
use serde_json::Value;

use super::Simulator;

const SHADER: &str = "#version 460
layout(local_size_x = 32) in;
layout(constant_id = 3) const uint FACTOR = 2;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) buffer B { float b[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    b[i] = a[i] * FACTOR;
}
";
const RECIPE: &str = r#"dispatch = [2]
[[buffers]]
name = "a"
shape = [64]
fill.iota = {}
[[buffers]]
name = "b"
shape = [8, 8]
[[expect]]
buffer = "b"
equals.formula = "index * 2"
"#;
const REQUEST: &str = r#"{"shader": "x.comp", "recipe": "x.run.toml"}"#;

fn simulator(shader: &str, recipe: &str) -> Simulator {
    let mut simulator = Simulator::new();
    simulator.put_file("x.comp", shader);
    simulator.put_file("x.run.toml", recipe);
    simulator
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The report, or what keeps it from beginning.
fn run(simulator: &mut Simulator, request: &str) -> Value {
    if let Some(problem) = simulator.begin(request) {
        return json(&problem);
    }
    while simulator.step(1 << 20)[0] == 0.0 {}
    json(&simulator.finish(0.0).unwrap().answer())
}

#[test]
fn a_recipe_runs_to_its_expectation() {
    let mut simulator = simulator(SHADER, RECIPE);
    let answer = run(&mut simulator, REQUEST);
    assert_eq!(answer["report"]["met"], true, "{answer}");
    assert_eq!(answer["report"]["expectations"][0]["elements"], 64);
}

/// Every element becomes the number of the invocation that owns it, modulo 16: the column, where invocations own rows.
const OWNERS: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer B { float b[]; };
#define ACC coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
void main() {
    ACC m = ACC(0.0);
    for (int i = 0; i < m.length(); ++i) m[i] = float(gl_LocalInvocationIndex % 16u);
    if (gl_WorkGroupID.x == 0u) coopMatStore(m, b, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
";
const OWNERS_BUFFER: &str = "[[buffers]]\nname = \"b\"\nshape = [16, 16]\n";
const COLUMNS: &str = "[[expect]]\nbuffer = \"b\"\nequals.formula = \"column\"\n";

/// The verdicts as lines, what they say together, and how many slices of so many steps they take.
fn judged(simulator: &mut Simulator, request: &str, steps: u32) -> (Vec<Value>, Value, usize) {
    assert_eq!(simulator.begin_verdicts(request), None);
    let mut rows = Vec::new();
    for slices in 1.. {
        let answer = json(&simulator.step_verdicts(steps));
        rows.extend(answer["rows"].as_array().unwrap().iter().cloned());
        if !answer["notes"].is_null() {
            assert_eq!(answer["all"], rows.len());
            return (rows, answer["notes"].clone(), slices);
        }
    }
    unreachable!()
}

fn lines(rows: &[Value]) -> String {
    let line = |row: &Value| {
        let told = [&row["ownership"], &row["words"]].into_iter().chain(row["reasons"].as_array().unwrap());
        let told: Vec<&str> = told.map(|one| one.as_str().unwrap()).collect();
        format!("{} {}\n", row["subgroupSize"], told.join(": "))
    };
    rows.iter().map(line).collect()
}

#[test]
fn each_ownership_is_judged_at_the_size_of_the_recipe() {
    let mut simulator = simulator(OWNERS, &format!("{OWNERS_BUFFER}{COLUMNS}"));
    let (rows, notes, _) = judged(&mut simulator, REQUEST, 1 << 20);
    expect![[r#"
        32 plain: met
        32 nvidia-h200: wrong: 240 of 256 elements of `b` are wrong; worst at [0, 15]: expected 15, found 3
        32 amd-rdna3: met
        32 amd-rdna4: met
        32 amd-cdna: not known: known for subgroups of 64
        32 lavapipe: not known: known for subgroups of 8
        32 shuffled: wrong: 237 of 256 elements of `b` are wrong; worst at [6, 15]: expected 15, found 0
    "#]]
    .assert_eq(&lines(&rows));
    assert_eq!(notes, json("[]"));
}

#[test]
fn each_ownership_is_judged_at_each_size_of_the_device() {
    let mut simulator = simulator(OWNERS, &format!("{OWNERS_BUFFER}{COLUMNS}"));
    let request = r#"{"shader": "x.comp", "recipe": "x.run.toml", "device": "amd-rdna3"}"#;
    let (rows, ..) = judged(&mut simulator, request, 1 << 20);
    expect![[r#"
        32 plain: met
        32 nvidia-h200: wrong: 240 of 256 elements of `b` are wrong; worst at [0, 15]: expected 15, found 3
        32 amd-rdna3: met
        32 amd-rdna4: met
        32 amd-cdna: not known: known for subgroups of 64
        32 lavapipe: not known: known for subgroups of 8
        32 shuffled: wrong: 237 of 256 elements of `b` are wrong; worst at [6, 15]: expected 15, found 0
        64 plain: met
        64 nvidia-h200: not known: known for subgroups of 32
        64 amd-rdna3: met
        64 amd-rdna4: met
        64 amd-cdna: met
        64 lavapipe: not known: known for subgroups of 8
        64 shuffled: wrong: 240 of 256 elements of `b` are wrong; worst at [11, 0]: expected 0, found 15
    "#]]
    .assert_eq(&lines(&rows));
}

#[test]
fn without_expectations_ownerships_are_compared() {
    let mut simulator = simulator(OWNERS, OWNERS_BUFFER);
    let (rows, ..) = judged(&mut simulator, REQUEST, 1 << 20);
    expect![[r#"
        32 plain: same
        32 nvidia-h200: depends: 240 of 256 elements (16x16) of `b` are not those of the ownership plain
        32 amd-rdna3: same
        32 amd-rdna4: same
        32 amd-cdna: not known: known for subgroups of 64
        32 lavapipe: not known: known for subgroups of 8
        32 shuffled: depends: 237 of 256 elements (16x16) of `b` are not those of the ownership plain
    "#]]
    .assert_eq(&lines(&rows));
    let depends = rows.iter().find(|row| row["verdict"] == "depends").unwrap();
    assert_eq!(depends["comparedWith"], "plain");
}

/// A slice goes on to the next ownership, and ends when its steps are used up: the worker hears what it is told in between.
#[test]
fn verdicts_take_as_many_slices_as_their_steps_do() {
    let mut simulator = simulator(OWNERS, &format!("{OWNERS_BUFFER}{COLUMNS}"));
    let (all, _, once) = judged(&mut simulator, REQUEST, u32::MAX);
    assert_eq!(once, 1);
    let (again, _, slices) = judged(&mut simulator, REQUEST, 64);
    assert_eq!(again, all);
    assert!(slices > all.len(), "{slices}");
}

/// A large buffer takes time to judge, which nothing but its bytes tells.
#[test]
fn judging_counts_as_work_of_a_slice() {
    let large = OWNERS_BUFFER.replace("[16, 16]", "[4096, 16]");
    let mut simulator = simulator(OWNERS, &format!("{large}{COLUMNS}"));
    let (rows, _, slices) = judged(&mut simulator, REQUEST, 1 << 14);
    let runs = rows.iter().filter(|row| row["verdict"] != "not-known").count();
    assert!(slices >= runs, "{slices} slices for {runs} runs");
}

/// The runs behind the verdicts are those of the page's other modes, and are not checked: the same run once more is judged alike.
#[test]
fn verdicts_are_of_the_modes_that_are_chosen() {
    let finding = "[[findings]]\nkind = \"ownership-dependence\"\nline = 9\n";
    let mut simulator = simulator(OWNERS, &format!("{OWNERS_BUFFER}{COLUMNS}{finding}"));
    let request = |choices: &str| {
        format!(r#"{{"shader": "x.comp", "recipe": "x.run.toml", "choices": {{{choices}}}}}"#)
    };
    let (rows, ..) = judged(&mut simulator, &request(r#""numerics": "pairwise""#), 1 << 20);
    assert_eq!(rows[0]["verdict"], "met");
    let shown = run(
        &mut simulator,
        &request(r#""ownership": "shuffled", "subgroupSize": 64, "numerics": "pairwise", "unchecked": true"#),
    );
    let report = &shown["report"];
    assert_eq!(report["modes"]["subgroup-size"], 64);
    assert_eq!(report["modes"]["checked"], false);
    assert_eq!(report["missing-findings"], Value::Null);
    assert_eq!(report["met"], false);
}

#[test]
fn verdicts_that_are_stopped_are_gone() {
    let mut simulator = simulator(OWNERS, OWNERS_BUFFER);
    assert_eq!(simulator.begin_verdicts(REQUEST), None);
    simulator.stop();
    let answer = json(&simulator.step_verdicts(1 << 20));
    assert_eq!(answer["rows"], json("[]"));
}

#[test]
fn the_description_names_what_there_is() {
    let description = json(&simulator(SHADER, RECIPE).describe(REQUEST));
    assert_eq!(description["problems"], Value::Array(Vec::new()));
    assert_eq!(description["interface"]["specialization"][0]["name"], "FACTOR");
    let bindings = description["interface"]["bindings"].as_array().unwrap();
    assert!(bindings.iter().any(|it| it["name"] == "a" && it["readonly"] == true && it["type"] == "f32"));
    assert_eq!(description["plan"]["buffers"][1]["shape"], serde_json::json!([8, 8]));
    assert_eq!(description["recipe"]["buffers"][0]["fill"]["iota"]["step"], 1);
}

#[test]
fn mistakes_have_places() {
    let wrong = RECIPE.replace("[8, 8]", "[8, 9]");
    let description =
        json(&simulator(SHADER, &RECIPE.replace("shape = [64]", "shap = [64]")).describe(REQUEST));
    assert_eq!(description["problems"][0]["place"]["file"], "x.run.toml");
    assert_eq!(description["problems"][0]["place"]["start"]["line"], 3);
    let answer = run(&mut simulator(SHADER, &wrong), REQUEST);
    assert_eq!(answer["report"]["met"], false, "{answer}");
    let answer = run(&mut simulator("#version 460\nvoid main() { x; }\n", RECIPE), REQUEST);
    assert_eq!(answer["place"]["file"], "x.comp", "{answer}");
    assert_eq!(answer["place"]["start"]["line"], 1, "{answer}");
}

#[test]
fn an_endless_loop_ends_and_says_how() {
    let endless = SHADER.replace("uint i = gl", "while (a[0] == 0.0) b[0] = 1.0;\n    uint i = gl");
    let mut simulator = simulator(&endless, &format!("step-limit = 10000\n{RECIPE}"));
    let answer = run(&mut simulator, REQUEST);
    let message = answer["report"]["error"]["message"].as_str().unwrap();
    assert!(message.contains("10000 steps") && message.contains("`step-limit`"), "{message}");
}

#[test]
fn a_run_is_stopped_between_slices() {
    let endless = SHADER.replace("uint i = gl", "while (a[0] == 0.0) b[0] = 1.0;\n    uint i = gl");
    let mut simulator = simulator(&endless, RECIPE);
    assert_eq!(simulator.begin(REQUEST), None);
    assert_eq!(simulator.step(1000)[0], 0.0);
    simulator.stop();
    assert_eq!(simulator.step(1000)[0], 1.0);
    let answer = json(&simulator.finish(0.0).unwrap().answer());
    assert_eq!(answer["report"]["error"]["message"], "the run was stopped");
}

#[test]
fn huge_buffers_are_refused() {
    let huge = RECIPE.replace("[8, 8]", "[20000, 9000]");
    let answer = run(&mut simulator(SHADER, &huge), REQUEST);
    assert!(answer["message"].as_str().unwrap().contains("are available"), "{answer}");
    assert_eq!(answer["place"]["file"], "x.run.toml");
}

#[test]
fn a_shader_without_a_recipe_gets_a_first_one() {
    let mut simulator = simulator(SHADER, RECIPE);
    let text = json(&simulator.init(REQUEST))["text"].as_str().unwrap().to_owned();
    simulator.put_file("x.run.toml", &text);
    assert_eq!(run(&mut simulator, REQUEST)["report"]["met"], true);
}

#[test]
fn findings_have_ranges() {
    let beyond = SHADER.replace("b[i] = a[i]", "b[i + 1] = a[i]");
    let mut simulator = simulator(&beyond, RECIPE);
    let request = r#"{"shader": "x.comp", "recipe": "x.run.toml", "choices": {"checked": true}}"#;
    let answer = run(&mut simulator, request);
    assert_eq!(answer["report"]["findings"][0]["kind"], "out-of-bounds", "{answer}");
    let place = &answer["findingPlaces"][0];
    assert_eq!((&place["start"]["line"], &place["start"]["character"]), (&7.into(), &4.into()), "{answer}");
}

/// A shader that has to be told what it multiplies by, and a recipe that expects 3.
fn configured(files: &[(&str, &str)]) -> Simulator {
    let shader = SHADER.replace("* FACTOR", "* TIMES");
    let mut simulator = simulator(&shader, &RECIPE.replace("index * 2", "index * 3"));
    for (name, text) in files {
        simulator.put_file(name, text);
    }
    simulator
}

fn met(simulator: &mut Simulator, more: &str) -> Value {
    let request = format!(r#"{{"shader": "x.comp", "recipe": "x.run.toml"{more}}}"#);
    let answer = run(simulator, &request);
    answer.get("report").map_or_else(|| answer["message"].clone(), |report| report["met"].clone())
}

const PROJECT: &str = r#"[[shaders]]
files = ["x.comp"]
[[shaders.configurations]]
name = "two"
defines = { TIMES = 2 }
[[shaders.configurations]]
name = "three"
defines = { TIMES = 3 }
"#;

#[test]
fn the_configuration_that_is_chosen_runs() {
    let mut simulator = configured(&[("coopmat-analyzer.toml", PROJECT)]);
    assert_eq!(met(&mut simulator, ""), false);
    assert_eq!(met(&mut simulator, r#", "configuration": "three""#), true);
    let message = met(&mut simulator, r#", "configuration": "four""#);
    assert!(message.as_str().unwrap().contains("no configuration `four`"), "{message}");
    // The recipe's choice counts more than the project file's.
    simulator
        .put_file("x.run.toml", &format!("config = \"three\"\n{}", RECIPE.replace("index * 2", "index * 3")));
    assert_eq!(met(&mut simulator, ""), true);
    assert_eq!(met(&mut simulator, r#", "configuration": "two""#), false);
}

#[test]
fn what_a_build_printed_runs_with_a_project_file_and_without() {
    let log = "glslc -DTIMES=3 /home/x/p/x.comp -o three.spv";
    let import = r#"import = ["build.log"]"#;
    let mut simulator = configured(&[("coopmat-analyzer.toml", import), ("build.log", log)]);
    assert_eq!(met(&mut simulator, ""), true);
    assert_eq!(met(&mut configured(&[("glslc.log", log)]), ""), true);
}

#[test]
fn a_mistake_of_the_project_file_is_told_in_its_place() {
    let mut simulator = configured(&[("coopmat-analyzer.toml", "target-env = \"vulkan1.9\"\n")]);
    let problem = json(&simulator.begin(REQUEST).unwrap());
    assert_eq!(problem["place"]["file"], "coopmat-analyzer.toml", "{problem}");
}

#[test]
fn values_of_specialization_constants_are_chosen_over_those_of_the_recipe() {
    let set = "[specializations]\nthree = { FACTOR = 3 }\n";
    let recipe = format!("specialization = {{ FACTOR = 5 }}\n{}", RECIPE.replace("index * 2", "index * 3"));
    let mut simulator = simulator(SHADER, &recipe);
    simulator.put_file("coopmat-analyzer.toml", set);
    assert_eq!(met(&mut simulator, ""), false);
    assert_eq!(met(&mut simulator, r#", "specialization": "three""#), true);
    assert_eq!(met(&mut simulator, r#", "specialization": "FACTOR=3""#), true);
    assert_eq!(met(&mut simulator, r#", "specialization": "recipe""#), false);
    let message = met(&mut simulator, r#", "specialization": "four""#);
    assert!(message.as_str().unwrap().contains("`four`"), "{message}");
}

/// What only the build could say is asked for, rather than told as mistakes of the shader.
#[test]
fn a_shader_whose_macros_nobody_says_is_not_compiled() {
    let message = met(&mut configured(&[]), "");
    assert!(message.as_str().unwrap().contains("TIMES"), "{message}");
}

const MODULE: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %id %data
OpExecutionMode %main LocalSize 8 1 1
OpName %data \"data\"
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %array ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%entry_type = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%to_input = OpTypePointer Input %uint
%data = OpVariable %to_block StorageBuffer
%id = OpVariable %to_input Input
%main = OpFunction %void None %entry_type
%entry = OpLabel
%me = OpLoad %uint %id
%place = OpAccessChain %to_uint %data %zero %me
OpStore %place %me
OpReturn
OpFunctionEnd
";

/// A buffer of six elements, of which the module writes eight; `sub` holds its data beside it.
fn module_recipe(shader: &str) -> String {
    format!(
        "shader = \"{shader}\"\ndispatch = [1]\n[[buffers]]\nname = \"data\"\ntype = \"u32\"\nshape = [6]\nfill.file = \"x.bin\"\n[[expect]]\nbuffer = \"data\"\nequals.formula = \"index\"\n"
    )
}

/// The report of a checked run of a module in a folder of the page, and where its findings are.
fn run_module(simulator: &mut Simulator, name: &str) -> (Value, Value) {
    simulator.put_file("sub/x.run.toml", &module_recipe(name));
    simulator.put_data("sub/x.bin".to_owned(), vec![0; 24]);
    let request =
        format!(r#"{{"shader": "sub/{name}", "recipe": "sub/x.run.toml", "choices": {{"checked": true}}}}"#);
    let answer = run(simulator, &request);
    (answer["report"].clone(), answer["findingPlaces"].clone())
}

#[test]
fn assembly_text_runs_with_findings_in_its_lines() {
    let mut simulator = Simulator::new();
    simulator.put_file("sub/x.spvasm", MODULE);
    let (report, places) = run_module(&mut simulator, "x.spvasm");
    assert_eq!(report["expectations"][0]["met"], true, "{report}");
    assert_eq!(places[0]["file"], "sub/x.spvasm", "{report}");
    let line = MODULE.lines().position(|line| line.starts_with("OpStore")).unwrap();
    assert_eq!(places[0]["start"]["line"], line);

    simulator.put_file("sub/x.spvasm", &MODULE.replace("OpStore", "OpStor"));
    let request = r#"{"shader": "sub/x.spvasm"}"#;
    let problem = json(&simulator.begin(request).unwrap());
    assert_eq!(problem["message"], "sub/x.spvasm is not assembled: there is no instruction OpStor");
    assert_eq!(problem["place"]["start"]["line"], line);
}

/// Those of a module in words are in the text that the server makes of them, which is what the page shows.
#[test]
fn words_run_with_findings_in_the_text_that_is_shown() {
    let mut simulator = Simulator::new();
    let module = coopmat_spirv::assembly::read(MODULE).unwrap();
    let bytes = coopmat_spirv::to_bytes(&coopmat_spirv::assemble(&module).unwrap());
    simulator.put_data("sub/x.spv".to_owned(), bytes);
    let (report, places) = run_module(&mut simulator, "x.spv");
    assert_eq!(report["expectations"][0]["met"], true, "{report}");
    let shown = coopmat_spirv::text::disassemble(&module, &coopmat_spirv::text::Options::default()).text;
    let line = shown.lines().position(|line| line.contains("OpStore")).unwrap();
    assert_eq!((&places[0]["file"], &places[0]["start"]["line"]), (&"sub/x.spv".into(), &line.into()));

    simulator.put_data("sub/x.spv".to_owned(), b"no module".to_vec());
    let problem = json(&simulator.begin(r#"{"shader": "sub/x.spv"}"#).unwrap());
    let message = problem["message"].as_str().unwrap();
    assert!(message.starts_with("sub/x.spv: "), "{message}");
}

/// Where the module says where it comes from, that counts: a file of the page whose text is the same, or the text that the module holds.
#[test]
fn words_with_a_source_have_findings_there() {
    let source = "OpString \"x.slang\"\n%source = OpString \"data[i] = i;\"\n";
    let with_source = MODULE
        .replace("OpName", &format!("%file = {source}OpSource Slang 1 %file \"data[i] = i;\"\nOpName"))
        .replace("OpStore", "OpLine %file 1 3\nOpStore");
    let module = coopmat_spirv::assembly::read(&with_source).unwrap();
    let bytes = coopmat_spirv::to_bytes(&coopmat_spirv::assemble(&module).unwrap());
    let mut simulator = Simulator::new();
    simulator.put_data("sub/x.spv".to_owned(), bytes);
    let (report, places) = run_module(&mut simulator, "x.spv");
    assert_eq!(places[0]["file"], "sub/x.spv › x.slang", "{report}");
    assert_eq!(places[0]["start"], serde_json::json!({"line": 0, "character": 2}));
    let description = json(&simulator.describe(r#"{"shader": "sub/x.spv"}"#));
    let held = serde_json::json!([{"name": "sub/x.spv › x.slang", "text": "data[i] = i;"}]);
    assert_eq!(description["sources"], held);

    simulator.put_file("src/x.slang", "data[i] = i;\n");
    let (_, places) = run_module(&mut simulator, "x.spv");
    assert_eq!(places[0]["file"], "src/x.slang");
}
