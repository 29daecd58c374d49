//! What the user chooses: values of specialization constants, what is kept of it, and what clients are told.

use super::*;

const TILES: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint TM = 4;
layout(constant_id = 1) const uint TK = 2;
layout(binding = 0) buffer Out { uint rows; } result;
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, TM, TK, gl_MatrixUseA> a;
    result.rows = TM;
}
";

const PROJECT: &str = "specializations = { small = { TM = 16, TK = 16 }, odd = { TM = 16, TK = 3 } }\n";

/// `rows` is 16 only where the shader has the values of this recipe.
const RECIPE: &str = "[sizes]
M = 8
[specialization]
TM = \"2 * M\"
TK = 16
[[buffers]]
name = \"result\"
type = \"u32\"
shape = [1]
[[expect]]
buffer = \"result\"
equals.values = [16]
";

fn follower() -> Value {
    json!({"experimental": {"coopmat-analyzer": {"inView": true}}})
}

impl Session {
    /// Titles of the lenses of a document, those of references left out.
    fn lenses(&mut self, path: &str) -> Vec<String> {
        let uri = format!("file://{path}");
        let lenses = self.request("textDocument/codeLens", json!({"textDocument": {"uri": uri}}));
        let titles = lenses.as_array().unwrap().iter().filter_map(|lens| lens["command"]["title"].as_str());
        titles.map(str::to_owned).collect()
    }

    fn specialize(&mut self, path: &str, name: Value) -> Value {
        let uri = format!("file://{path}");
        self.request("coopmat-analyzer/setSpecialization", json!({"uri": uri, "name": name}))
    }

    fn spirv(&mut self, path: &str) -> String {
        let uri = format!("file://{path}");
        let answer = self.request("coopmat-analyzer/spirv", json!({"textDocument": {"uri": uri}}));
        answer["text"].as_str().unwrap().to_owned()
    }

    fn run(&mut self, path: &str) -> String {
        let uri = format!("file://{path}");
        let answer = self.request("coopmat-analyzer/run", json!({"textDocument": {"uri": uri}}));
        answer["summary"].as_str().unwrap().to_owned()
    }

    /// What was told last of what is in view.
    fn in_view(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let told =
            self.wait(|message| message["method"] == "coopmat-analyzer/inView" && wanted(&message["params"]));
        told["params"].clone()
    }
}

#[test]
fn values_of_constants_hold_for_everything_that_is_told_of_a_shader() {
    let files = [("/p/coopmat-analyzer.toml", PROJECT), ("/p/a.comp", TILES), ("/p/a.run.toml", RECIPE)];
    let mut session = Session::start(&files, json!({}));
    session.open("/p/a.comp", TILES);
    assert_eq!(session.published("/p/a.comp", 1), ["unused-variable"]);
    let lenses = session.lenses("/p/a.comp");
    assert!(
        lenses.contains(
            &"no device profile accepts the defaults TM = 4, TK = 2: choose other values".to_owned()
        ),
        "{lenses:?}"
    );
    assert!(session.spirv("/p/a.comp").contains("OpSpecConstant"));
    let list = session.request("coopmat-analyzer/specializations", json!({"uri": "file:///p/a.comp"}));
    assert_eq!(list["chosen"], Value::Null);
    assert_eq!(
        list["constants"][0],
        json!({"id": 0, "name": "TM", "type": "uint", "default": "4", "value": null})
    );
    assert_eq!(list["sets"][0], json!({"name": "small", "values": "TK=16, TM=16"}));
    assert_eq!(list["recipe"], json!({"values": "TK=16, TM=16", "error": null}));

    // A set of the project file.
    let list = session.specialize("/p/a.comp", json!("small"));
    assert_eq!((&list["chosen"], &list["constants"][1]["value"]), (&json!("small"), &json!("16")));
    let lenses = session.lenses("/p/a.comp");
    assert!(lenses.contains(&"configuration `default`, TM = 16, TK = 16".to_owned()), "{lenses:?}");
    assert!(lenses.iter().any(|lens| lens.starts_with("accepted by 8 of")), "{lenses:?}");
    let hover = session.request("textDocument/hover", hover_at("/p/a.comp", 5, 36));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("gives it 16"), "{hover}");
    let text = session.spirv("/p/a.comp");
    assert!(!text.contains("OpSpecConstant") && text.contains("OpConstant %uint 16"), "{text}");
    let table = json!({"textDocument": {"uri": "file:///p/a.comp"}});
    let table = session.request("coopmat-analyzer/portability", table);
    assert!(table["summary"].as_str().unwrap().starts_with("accepted by 8 of"), "{table}");

    // Typed, over what the recipe says; a device refuses what is not its own.
    session.request("coopmat-analyzer/setDevice", json!({"name": "nvidia-h200"}));
    session.specialize("/p/a.comp", json!("TM = 24, TK = 16"));
    session.wait(|message| message["params"]["diagnostics"].to_string().contains("no 24x16 matrix"));
    assert!(session.run("/p/a.comp").contains("expected 16, found 24"));

    // As the recipe has it, and as it has it later.
    let list = session.specialize("/p/a.comp", json!("recipe"));
    assert_eq!((&list["chosen"], &list["constants"][0]["value"]), (&json!("recipe"), &json!("16")));
    assert_eq!(session.run("/p/a.comp"), "the expectation is met");
    let later = RECIPE.replace("M = 8", "M = 32");
    session.host.files.lock().unwrap().insert("/p/a.run.toml".to_owned(), later.into());
    session.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": [{"uri": "file:///p/a.run.toml", "type": 2}]}),
    );
    let list = session.request("coopmat-analyzer/specializations", json!({"uri": "file:///p/a.comp"}));
    assert_eq!(list["constants"][0]["value"], "64");
    // The text in the editor stands before the file.
    session.open("/p/a.run.toml", &RECIPE.replace("M = 8", "M = 4"));
    let list = session.request("coopmat-analyzer/specializations", json!({"uri": "file:///p/a.comp"}));
    assert_eq!(list["constants"][0]["value"], "8");
    let list = session.specialize("/p/a.comp", Value::Null);
    assert_eq!((&list["chosen"], &list["constants"][0]["value"]), (&Value::Null, &Value::Null));
    assert!(session.spirv("/p/a.comp").contains("OpSpecConstant"));
}

#[test]
fn values_that_a_shader_cannot_have_are_refused() {
    let files = [("/p/coopmat-analyzer.toml", PROJECT)];
    let mut session = Session::start(&files, json!({}));
    session.open("/p/a.comp", TILES);
    session.published("/p/a.comp", 1);
    for (name, why) in [
        ("TX=1", "there is no specialization constant `TX`; expected one of TM (0), TK (1)"),
        ("TM=-1", "TM is of type uint, and -1 is not a value of that type"),
        ("TM=1,TK", "expected NAME=VALUE, found `TK`"),
        ("large", "there is no set `large` of specialization constants; expected one of `small`, `odd`"),
        ("recipe", "there is no recipe `a.run.toml`"),
    ] {
        let id = session
            .begin("coopmat-analyzer/setSpecialization", json!({"uri": "file:///p/a.comp", "name": name}));
        assert_eq!(session.response(id)["error"]["message"], why);
    }
    // A command without values asks.
    let command =
        json!({"command": "coopmat-analyzer.chooseSpecialization", "arguments": ["file:///p/a.comp"]});
    session.begin("workspace/executeCommand", command);
    let question = session.wait(|message| message["method"] == "window/showMessageRequest");
    let titles: Vec<_> =
        question["params"]["actions"].as_array().unwrap().iter().map(|one| one["title"].clone()).collect();
    assert_eq!(titles, ["small", "odd", "project"]);
    session.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"title": "odd"}}));
    loop {
        let list = session.request("coopmat-analyzer/specializations", json!({"uri": "file:///p/a.comp"}));
        if list["chosen"] == "odd" {
            break;
        }
    }
}

#[test]
fn a_recipe_that_is_open_is_no_shader() {
    let mut session = Session::start(&[("/p/a.comp", TILES)], json!({}));
    session.open("/p/a.run.toml", RECIPE);
    let hover = session.request("textDocument/hover", hover_at("/p/a.run.toml", 0, 1));
    assert_eq!(hover, Value::Null);
    session.open("/p/a.comp", TILES);
    session.published("/p/a.comp", 1);
    assert!(!session.kept.iter().any(|message| message["params"]["uri"] == "file:///p/a.run.toml"));
}

#[test]
fn a_client_keeps_what_was_chosen_and_hears_of_what_is_in_view() {
    let project = format!(
        "{PROJECT}[[shaders]]\nfiles = \"*.comp\"\n[[shaders.configurations]]\nname = \"one\"\n[[shaders.configurations]]\nname = \"two\"\ndefines = [\"TWO\"]\n"
    );
    let files = [("/p/coopmat-analyzer.toml", &*project)];
    let mut session = Session::start(&files, follower());
    session.open("/p/a.comp", TILES);
    let first = session.in_view(|told| told["documents"] != json!([]));
    assert_eq!(
        first["documents"],
        json!([{"uri": "file:///p/a.comp", "root": "file:///p/a.comp", "configuration": "one", "configurations": 2,
            "device": null, "specialization": null, "values": ""}])
    );
    session.request("coopmat-analyzer/setConfiguration", json!({"uri": "file:///p/a.comp", "name": "two"}));
    session.specialize("/p/a.comp", json!("small"));
    let favourite = json!({"uri": "file:///p/a.comp", "name": "one", "favourite": true});
    session.request("coopmat-analyzer/setFavourite", favourite);
    session.request("coopmat-analyzer/setDevice", json!({"name": "nvidia-h200"}));
    let chosen = session.in_view(|told| told["documents"][0]["device"] == "nvidia-h200");
    let of_document = &chosen["documents"][0];
    assert_eq!(
        (&of_document["configuration"], &of_document["specialization"]),
        (&json!("two"), &json!("small"))
    );
    assert_eq!(of_document["values"], "TK=16, TM=16");

    // The project file changes, and no diagnostic does.
    let other = project.replace("TK = 16 }", "TK = 8 }").replace("\"two\"", "\"zwei\"");
    session.host.files.lock().unwrap().insert("/p/coopmat-analyzer.toml".to_owned(), other.into());
    session.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": [{"uri": "file:///p/coopmat-analyzer.toml", "type": 2}]}),
    );
    let told = session.in_view(|told| told["documents"][0]["configuration"] == "one");
    assert_eq!(told["documents"][0]["values"], "TK=8, TM=16");

    // The next session begins with what was chosen.
    let options = json!({"choices": chosen["choices"]});
    let client = json!({"capabilities": follower(), "initializationOptions": options});
    let (mut session, _) = Session::start_as(&files, client);
    session.open("/p/a.comp", TILES);
    let again = session.in_view(|told| told["documents"] != json!([]));
    assert_eq!(again, chosen);
    let list = session.request("coopmat-analyzer/configurations", json!({"uri": "file:///p/a.comp"}));
    assert_eq!((&list["inView"], &list["chosen"]), (&json!("two"), &json!(true)));
    assert_eq!(list["configurations"][0]["favourite"], true);
}

#[test]
fn clients_that_do_not_ask_are_not_told_what_is_in_view() {
    let mut session = Session::start(&[], json!({}));
    session.open("/p/a.comp", GOOD);
    session.published("/p/a.comp", 1);
    assert!(!session.kept.iter().any(|message| message["method"] == "coopmat-analyzer/inView"));
    assert_eq!(session.finish(), End::Orderly);
}

#[test]
fn configurations_show_what_differs_between_them() {
    let project = "defines = [\"ALL=1\"]\n[[shaders]]\nfiles = \"*.comp\"\n[[shaders.configurations]]\nname = \"one\"\ndefines = [\"T=float\", \"N=1\"]\n[[shaders.configurations]]\nname = \"two\"\ndefines = [\"T=int\", \"N=1\"]\n";
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", project)], json!({}));
    session.open("/p/a.comp", GOOD);
    let list = session.request("coopmat-analyzer/configurations", json!({"uri": "file:///p/a.comp"}));
    let shown: Vec<_> = list["configurations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| [&one["differs"], &one["summary"]].map(|text| text.as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(shown[0], ["T=float", "T=float ALL=1 N=1 vulkan1.4"]);
    assert_eq!(shown[1], ["T=int", "T=int ALL=1 N=1 vulkan1.4"]);
}

#[test]
fn two_configurations_are_compared() {
    let project = "[[shaders]]\nfiles = \"*.comp\"\n[[shaders.configurations]]\nname = \"one\"\ndefines = [\"N=1\"]\n[[shaders.configurations]]\nname = \"two\"\ndefines = [\"N=2\"]\n[[shaders.configurations]]\nname = \"broken\"\n";
    let shader = "#version 460\nlayout(local_size_x = 32) in;\nlayout(binding = 0) buffer Out { uint all[]; };\nvoid main() {\n    for (int i = 0; i < N; ++i) all[N] += 77 * N;\n    if (N == 2) all[3] = 5;\n}\n";
    let mut session = Session::start(&[("/p/coopmat-analyzer.toml", project)], json!({}));
    session.open("/p/a.comp", shader);
    let compare = |with: &str| json!({"textDocument": {"uri": "file:///p/a.comp"}, "with": with});
    let found = session.request("coopmat-analyzer/compare", compare("two"));
    let side = |side: &str, what: &str| found[side][what].as_str().unwrap().to_owned();
    assert_eq!([side("left", "configuration"), side("right", "configuration")], ["one", "two"]);
    assert!(side("left", "spirv").contains(" 77") && !side("left", "spirv").contains(" 154"));
    assert!(side("right", "spirv").contains(" 154"), "{}", side("right", "spirv"));
    assert!(side("left", "statistics").starts_with("SPIR-V 1.6, "));
    assert_ne!(side("left", "statistics"), side("right", "statistics"));
    for (with, why) in [
        ("broken", "the configuration `broken` has no module: a.comp:5: "),
        ("three", "there is no configuration `three`"),
    ] {
        let id = session.begin("coopmat-analyzer/compare", compare(with));
        let error = session.response(id)["error"]["message"].as_str().unwrap().to_owned();
        assert!(error.starts_with(why), "{error}");
    }
}

/// Of how many references lenses and `textDocument/references` tell.
fn references_of_twice(project: &str) -> (Value, usize) {
    let shader = |uses: &str| {
        format!(
            "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"part.glsl\"\nvoid main() {{ {uses} }}\n"
        )
    };
    let (a, b) = (shader("twice(1);"), shader("twice(1);\n#ifdef MORE\ntwice(2);\n#endif\n"));
    let header = "int twice(int x) { return 2 * x; }\n";
    let files = [
        ("/p/coopmat-analyzer.toml", project),
        ("/p/a.comp", &*a),
        ("/p/b.comp", &*b),
        ("/p/part.glsl", header),
    ];
    let mut session = Session::start(&files, json!({}));
    session.open("/p/part.glsl", header);
    session.published("/p/part.glsl", 1);
    let document = json!({"uri": "file:///p/part.glsl"});
    let lenses = session.request("textDocument/codeLens", json!({"textDocument": document}));
    let lens = lenses.as_array().unwrap().iter().find(|lens| lens.get("data").is_some()).unwrap().clone();
    let resolved = session.request("codeLens/resolve", lens);
    let mut wanted = hover_at("/p/part.glsl", 0, 5);
    wanted["context"] = json!({"includeDeclaration": false});
    let found = session.request("textDocument/references", wanted).as_array().unwrap().len();
    (resolved["command"].clone(), found)
}

#[test]
fn lenses_of_a_header_count_what_references_finds() {
    let project = "[[shaders]]\nfiles = \"*.comp\"\n[[shaders.configurations]]\nname = \"one\"\n[[shaders.configurations]]\nname = \"two\"\ndefines = [\"MORE\"]\n";
    let (command, found) = references_of_twice(project);
    assert_eq!(found, 3);
    assert_eq!(command["title"], "3 references");
    assert_eq!(command["arguments"][2].as_array().unwrap().len(), 3);

    // What takes long is done when somebody asks.
    let many: String =
        (0..40).map(|number| format!("[[shaders.configurations]]\nname = \"c{number}\"\n")).collect();
    let (command, found) = references_of_twice(&format!("[[shaders]]\nfiles = \"*.comp\"\n{many}"));
    assert_eq!((found, &command["title"]), (3, &json!("references")));
    assert_eq!(command["arguments"][2], Value::Null);
}
