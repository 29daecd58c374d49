//! What shaders and recipes from strangers get to read, and what the program says about itself (`docs/threat-model.md`).

use serde_json::json;

use crate::client::Client;
use crate::command_line::{folder, run_in};

const SHADER: &str = "#version 450
layout(local_size_x = 4) in;
layout(binding = 0) buffer Data { float values[]; };
void main() { values[gl_GlobalInvocationID.x] *= 2; }
";

fn recipe(file: &str) -> String {
    format!("[[buffers]]\nname = \"values\"\nshape = [4]\nfill.file = \"{file}\"\n")
}

#[test]
fn a_recipe_reads_files_of_its_project_alone() {
    let inside = [
        ("p/coopmat-analyzer.toml", ""),
        ("p/run/a.comp", SHADER),
        ("p/data/near.csv", "1,2,3,4\n"),
        ("secret.csv", "5,6,7,8\n"),
    ];
    let folder = folder(&inside);
    let run = |file: &str, from: &str| {
        std::fs::write(folder.path().join("p/run/a.run.toml"), recipe(file)).unwrap();
        let shader = folder.path().join("p/run/a.comp");
        run_in(&folder.path().join(from), &["run", shader.to_str().unwrap(), "--show", "values"], "")
    };
    assert_eq!(run("../data/near.csv", "p/run").code, Some(0));
    let refused = run("../../secret.csv", "p/run");
    assert_eq!(refused.code, Some(2), "{}", refused.stdout);
    assert!(
        refused.stderr.contains("a.run.toml:4:1: ../../secret.csv: the file is outside"),
        "{}",
        refused.stderr
    );
    assert_eq!(run("/etc/passwd", "p").code, Some(2));
    // Whoever works in a folder lets its recipes read what is in it.
    assert_eq!(run("../../secret.csv", ".").code, Some(0));
    #[cfg(unix)]
    for (link, target) in [("link.csv", "../../secret.csv"), ("endless.bin", "/dev/zero")] {
        std::os::unix::fs::symlink(target, folder.path().join("p/run").join(link)).unwrap();
        let refused = run(link, "p");
        assert_eq!(refused.code, Some(2), "{}", refused.stdout);
        assert!(refused.stderr.contains("is a link that leads outside"), "{}", refused.stderr);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn what_the_kernel_shows_as_files_is_no_header() {
    let shader = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"/proc/self/environ\"\nvoid main() {}\n";
    let folder = folder(&[("a.comp", shader)]);
    let run = run_in(folder.path(), &["check", "a.comp"], "");
    assert!(run.stdout.contains("`/proc/self/environ` is outside"), "{}", run.stdout);
    let run = run_in(folder.path(), &["check", "a.comp", "--allow-dir", "/"], "");
    assert!(run.stdout.contains("`/proc/self/environ` is a kernel file"), "{}", run.stdout);
    assert!(!run.stdout.contains("PATH="), "{}", run.stdout);
}

/// A project with a secret beside it, and what includes could be after.
fn project() -> tempfile::TempDir {
    folder(&[
        ("secret.glsl", "#define SECRET 1\nsecret text\n"),
        ("other/y.glsl", "#define Y 1\n"),
        ("p/coopmat-analyzer.toml", "include = [\"inc\", \"../other\"]\ngoogle-include = true\n"),
        ("p/inc/x.glsl", "#define X 1\n"),
        ("p/common.glsl", "#include \"inc/x.glsl\"\n"),
        ("p/.git/config", "token\n"),
        ("p/sub/a.comp", ""),
    ])
}

fn shader(include: &str) -> String {
    format!("#version 450\n#include {include}\nvoid main() {{}}\n")
}

#[test]
fn a_shader_includes_files_of_its_project_alone() {
    let folder = project();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let a = path("p/sub/a.comp");
    let check = |include: &str, from: &str, options: &[&str]| {
        std::fs::write(&a, shader(include)).unwrap();
        run_in(&folder.path().join(from), &[&["check", &a], options].concat(), "")
    };
    #[cfg(unix)]
    for (link, target) in [
        ("p/sub/out.glsl", "../../secret.glsl"),
        ("p/sub/in.glsl", "../inc/x.glsl"),
        ("p/sub/folder", "../../other"),
        ("p/sub/endless.glsl", "/dev/zero"),
        ("p/sub/none.glsl", "/nowhere/at/all"),
    ] {
        std::os::unix::fs::symlink(target, folder.path().join(link)).unwrap();
    }
    for include in ["\"../common.glsl\"", "<x.glsl>", "\"../inc/../inc/x.glsl\"", "\"../../p/common.glsl\""] {
        assert_eq!(check(include, "p/sub", &[]).code, Some(0), "{include}");
    }
    let absolute = format!("\"{}\"", path("p/common.glsl"));
    assert_eq!(check(&absolute, "p", &[]).code, Some(0));
    let secret = format!("\"{}\"", path("secret.glsl"));
    for include in
        ["\"../../secret.glsl\"", "\"..\\..\\secret.glsl\"", &*secret, "\"/etc/passwd\"", "<y.glsl>"]
    {
        let refused = check(include, "p", &[]);
        assert_eq!(refused.code, Some(1), "{include}: {}", refused.stdout);
        assert!(refused.stdout.contains("error[preprocessor-include-not-found]"), "{}", refused.stdout);
        assert!(
            refused.stdout.contains("is outside the folders that may be read here"),
            "{}",
            refused.stdout
        );
        assert!(refused.stdout.contains("`--allow-dir FOLDER`"), "{}", refused.stdout);
        assert!(!refused.stdout.contains("secret text"), "{}", refused.stdout);
    }
    #[cfg(unix)]
    {
        assert_eq!(check("\"in.glsl\"", "p", &[]).code, Some(0));
        for link in ["\"out.glsl\"", "\"folder/y.glsl\"", "\"endless.glsl\""] {
            let refused = check(link, "p", &[]);
            assert!(refused.stdout.contains("is a link that leads out of the folders"), "{}", refused.stdout);
        }
        assert!(check("\"none.glsl\"", "p", &[]).stdout.contains("cannot find `none.glsl`"));
    }
    let repository = check("\"../.git/config\"", "p", &[]);
    assert!(repository.stdout.contains("in a `.git` folder"), "{}", repository.stdout);

    // The user may allow more; the current folder is theirs as well.
    assert_eq!(check("<y.glsl>", "p", &["-I", &path("other")]).code, Some(0));
    assert_eq!(check("<y.glsl>", "p", &["--allow-dir", &path("other")]).code, Some(0));
    assert_eq!(check("<y.glsl>", "p", &["--allow-dir", "/"]).code, Some(0));
    assert_eq!(check("<y.glsl>", ".", &[]).code, Some(0));
}

/// Without a project file: the repository around the shader, the folder that is searched, the folder of the shader.
#[test]
fn a_shader_without_a_project_file_has_its_repository() {
    let folder = folder(&[
        ("r/.git/HEAD", ""),
        ("r/common/x.glsl", "#define X 1\n"),
        ("r/shaders/a.comp", ""),
        ("x.glsl", ""),
    ]);
    let text = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"../common/x.glsl\"\nvoid main() {}\n";
    let a = folder.path().join("r/shaders/a.comp");
    std::fs::write(&a, text).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let from = |place: &std::path::Path, path: &std::path::Path| {
        run_in(place, &["check", path.to_str().unwrap()], "").code
    };
    assert_eq!(from(elsewhere.path(), &a), Some(0));
    std::fs::remove_dir_all(folder.path().join("r/.git")).unwrap();
    assert_eq!(from(elsewhere.path(), &a), Some(1));
    assert_eq!(from(elsewhere.path(), &folder.path().join("r")), Some(0));
    assert_eq!(from(&folder.path().join("r"), &a), Some(0));
    assert_eq!(from(&folder.path().join("r/shaders"), &a), Some(1));
}

#[test]
#[cfg(unix)]
fn links_of_a_project_lead_nowhere_else() {
    let folder = folder(&[
        ("secret.toml", "password = 1\n"),
        ("secret.json", "{\"password\": 1}\n"),
        ("p/a.comp", "#version 450\nvoid main() {}\n"),
    ]);
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(folder.path().join(target), folder.path().join(name)).unwrap();
    };
    let run = |arguments: &[&str]| run_in(&folder.path().join("p"), arguments, "");
    link("secret.toml", "p/coopmat-analyzer.toml");
    let refused = run(&["check", "a.comp"]);
    assert!(refused.stderr.contains("coopmat-analyzer.toml` is a link that leads out"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("password"), "{}", refused.stderr);
    std::fs::remove_file(folder.path().join("p/coopmat-analyzer.toml")).unwrap();

    for device in ["../secret.json", "link.json"] {
        std::fs::write(folder.path().join("p/coopmat-analyzer.toml"), format!("device = \"{device}\"\n"))
            .unwrap();
        if device == "link.json" {
            link("secret.json", "p/link.json");
        }
        let refused = run(&["check", "a.comp"]);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains("folders that may be read here"), "{}", refused.stderr);
        let list = run(&["devices"]);
        assert!(!(list.stdout + &list.stderr).contains("password"));
    }
    // What the user names on the command line may lie anywhere.
    let named = run(&["check", "a.comp", "--device", "../secret.json"]);
    assert!(named.stderr.contains("password"), "{}", named.stderr);
    std::fs::write(folder.path().join("p/coopmat-analyzer.toml"), "import = \"log.txt\"\n").unwrap();
    link("secret.toml", "p/log.txt");
    let refused = run(&["check", "a.comp"]);
    assert!(refused.stderr.contains("log.txt` is a link that leads out"), "{}", refused.stderr);
}

/// `@file` stands for the words of a file: `import` prints them, and messages quote them.
#[cfg(unix)]
#[test]
fn response_files_are_read_in_the_project_of_who_names_them() {
    let folder = folder(&[
        ("secret", "-DPASSWORD=1\n"),
        ("p/near.rsp", "-DNEAR=2\n"),
        ("p/outer.rsp", "@near.rsp -DOUTER=3\n"),
        ("p/a.comp", "#version 450\nvoid main() {}\n"),
        ("elsewhere/far.rsp", "-DFAR=4 @../secret\n"),
    ]);
    let at = |path: &str| folder.path().join(path).to_str().unwrap().to_owned();
    std::os::unix::fs::symlink(at("secret"), at("p/link.rsp")).unwrap();
    let run = |arguments: &[&str]| {
        let run = run_in(&folder.path().join("p"), arguments, "");
        (run.code, run.stdout, run.stderr)
    };
    let outside = "outside the folders that may be read here";
    let link = "is a link that leads out";
    for (name, told) in [
        (at("secret"), outside),
        ("../secret".to_owned(), outside),
        ("link.rsp".to_owned(), link),
        (at("elsewhere/far.rsp"), outside),
    ] {
        let log = format!("glslc @{name} a.comp -o a.spv\n");
        let database = json!([{"directory": at("p"), "command": log.trim_end()}]).to_string();
        std::fs::write(at("p/build.log"), &log).unwrap();
        std::fs::write(at("p/compile_commands.json"), &database).unwrap();
        std::fs::write(at("p/coopmat-analyzer.toml"), "import = [\"build.log\"]\n").unwrap();
        for arguments in
            [&["import", "build.log"][..], &["import", "compile_commands.json"], &["check", "a.comp"]]
        {
            let (_, stdout, stderr) = run(arguments);
            assert!(stderr.contains(told), "{name} {arguments:?}: {stderr}");
            assert!(!format!("{stdout}{stderr}").contains("PASSWORD"), "{name} {arguments:?}: {stdout}");
        }
        std::fs::remove_file(at("p/coopmat-analyzer.toml")).unwrap();
        // One's own word is enough for the file that it names; what that names in turn is somebody else's word.
        let (code, stdout, stderr) = run(&["import", "--", "glslc", &format!("@{name}"), "a.comp"]);
        if name.ends_with("far.rsp") {
            assert_eq!(code, Some(2), "{stdout}");
            assert!(stderr.contains(outside) && !stderr.contains("PASSWORD"), "{stderr}");
        } else {
            assert_eq!(code, Some(0), "{stderr}");
            assert!(stdout.contains("PASSWORD=1"), "{stdout}");
        }
        // The user can allow more.
        if told == outside {
            let (code, stdout, _) =
                run(&["import", "build.log", "--allow-dir", folder.path().to_str().unwrap()]);
            assert_eq!(code, Some(0), "{name}");
            assert!(stdout.contains("PASSWORD=1"), "{name}: {stdout}");
        }
    }
    // What lies in the project is read as before, whoever names it.
    std::fs::write(at("p/build.log"), "glslc @outer.rsp a.comp -o a.spv\n").unwrap();
    for arguments in [&["import", "build.log"][..], &["import", "--", "glslc", "@outer.rsp", "a.comp"]] {
        let (code, stdout, stderr) = run(arguments);
        assert_eq!(code, Some(0), "{stderr}");
        assert!(stdout.contains(r#"defines = ["NEAR=2", "OUTER=3"]"#), "{stdout}");
    }
}

#[test]
fn a_recipe_runs_shaders_and_devices_of_its_project_alone() {
    let folder = folder(&[
        ("secret.comp", "secret text\n"),
        ("secret.json", "{\"password\": 1}\n"),
        ("p/run/a.comp", SHADER),
        ("p/run/a.run.toml", "shader = \"../../secret.comp\"\n[[buffers]]\nname = \"values\"\nshape = [4]\n"),
        (
            "p/run/b.run.toml",
            "shader = \"a.comp\"\ndevice = \"../../secret.json\"\n[[buffers]]\nname = \"values\"\nshape = [4]\n",
        ),
    ]);
    let run = run_in(&folder.path().join("p"), &["test", "run"], "");
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert_eq!(run.stdout.matches("the file is outside").count(), 2, "{}", run.stdout);
    assert!(!run.stdout.contains("password") && !run.stdout.contains("secret text"), "{}", run.stdout);
}

#[test]
fn an_editor_includes_files_of_the_workspace_alone() {
    let folder = project();
    let uri = |path: &str| coopmat_server::uri_of_path(folder.path().join(path).to_str().unwrap()).unwrap();
    let at = |path: &str| folder.path().join(path).to_str().unwrap().to_owned();
    let start = |options: serde_json::Value| {
        Client::start(
            &["lsp"],
            json!({
                "capabilities": {}, "initializationOptions": options,
                "workspaceFolders": [{"uri": uri("p"), "name": "p"}],
            }),
        )
        .0
    };
    let text = format!(
        "#version 450\n#include \"../common.glsl\"\n#include <y.glsl>\n#include \"{}\"\n#if 0\n#include \"../../secret.glsl\"\n#include \"../inc/x.glsl\"\n#endif\n#include \"../../\nvoid main() {{}}\n",
        at("secret.glsl")
    );
    let a = uri("p/sub/a.comp");
    let mut client = start(json!({}));
    client.open(&a, &text);
    let found = client.published(&a, 1);
    let of_line = |line: u64| {
        let mut all = found.as_array().unwrap().iter();
        let found = all.find(|one| one["range"]["start"]["line"] == line && one["severity"] == 1);
        found.map(|one| one["message"].as_str().unwrap().to_owned()).unwrap_or_default()
    };
    assert_eq!(of_line(1), "");
    assert!(of_line(2).contains("in `"), "{found}");
    for line in [2, 3] {
        assert!(of_line(line).contains("is outside the folders that may be read here"), "{found}");
        assert!(of_line(line).contains("`allowDirs`"), "{found}");
    }
    assert!(!found.to_string().contains("secret text"));

    // Neither do links and completions look there.
    let document = json!({"uri": a});
    let links = client.request("textDocument/documentLink", json!({"textDocument": document}));
    let mut targets = Vec::new();
    for link in links.as_array().unwrap() {
        let link = if link["target"].is_null() {
            client.request("documentLink/resolve", link.clone())
        } else {
            link.clone()
        };
        targets.push(link["target"].as_str().map(|target| target.rsplit('/').next().unwrap().to_owned()));
    }
    let x = || Some("x.glsl".to_owned());
    assert_eq!(targets, [Some("common.glsl".to_owned()), None, None, None, x()]);
    let position = json!({"line": 8, "character": 16});
    let items =
        client.request("textDocument/completion", json!({"textDocument": document, "position": position}));
    assert!(!items.to_string().contains("secret.glsl"), "{items}");

    // A closed file has an empty report, and settings allow more.
    client.notify("textDocument/didClose", json!({"textDocument": document}));
    let report = client.request("textDocument/diagnostic", json!({"textDocument": document}));
    assert_eq!((&report["kind"], &report["items"]), (&json!("full"), &json!([])), "{report}");
    let devices = client.request("coopmat-analyzer/devices", json!({}));
    assert!(devices["devices"].is_array(), "{devices}");
    client.finish();
    for options in [json!({"allowDirs": [at("")]}), json!({"allowDirs": ["/"]})] {
        let mut client = start(options);
        client.open(&a, &shader("<y.glsl>"));
        assert_eq!(client.published(&a, 1), json!([]));
        client.finish();
    }
    let mut client = start(json!({"includeDirs": [at("other")]}));
    client.open(&a, &shader("<y.glsl>"));
    assert_eq!(client.published(&a, 1), json!([]));
    client.finish();
}

/// A shader that is opened without a workspace has its repository, and no more.
#[test]
fn a_single_file_in_an_editor_has_its_repository() {
    let folder = project();
    std::fs::remove_file(folder.path().join("p/coopmat-analyzer.toml")).unwrap();
    let uri = |path: &str| coopmat_server::uri_of_path(folder.path().join(path).to_str().unwrap()).unwrap();
    let a = uri("p/sub/a.comp");
    let options = json!({"googleInclude": true});
    for (include, errors) in [("\"../common.glsl\"", 0), ("\"../../secret.glsl\"", 1)] {
        let (mut client, _) =
            Client::start(&["lsp"], json!({"capabilities": {}, "initializationOptions": options}));
        client.open(&a, &shader(include));
        assert_eq!(client.published(&a, 1).as_array().unwrap().len(), errors, "{include}");
        client.finish();
    }
}

#[test]
fn the_version_names_the_commit_where_there_is_one() {
    let run = run_in(&std::env::temp_dir(), &["--version"], "");
    let version = run.stdout.trim().strip_prefix("coopmat-analyzer ").unwrap();
    let rest = version.strip_prefix(env!("CARGO_PKG_VERSION")).unwrap();
    let commit = rest.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')'));
    match commit.and_then(|commit| commit.split_once(' ')) {
        Some((hash, date)) => {
            assert!(hash.len() >= 9 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{version}");
            assert_eq!(date.len(), 10, "{version}");
        }
        None => assert_eq!(rest, ""),
    }
}

#[test]
fn a_run_in_an_editor_reads_files_of_the_workspace_alone() {
    let folder =
        folder(&[("w/run/a.comp", SHADER), ("w/data/near.csv", "1,2,3,4\n"), ("secret.csv", "5,6,7,8\n")]);
    let uri = |path: &str| coopmat_server::uri_of_path(folder.path().join(path).to_str().unwrap()).unwrap();
    let (mut client, _) = Client::start(
        &["lsp"],
        json!({"capabilities": {}, "workspaceFolders": [{"uri": uri("w"), "name": "w"}]}),
    );
    client.open(&uri("w/run/a.comp"), SHADER);
    let mut run = |recipe: String| {
        let document = json!({"uri": uri("w/run/a.comp")});
        client.request("coopmat-analyzer/run", json!({"textDocument": document, "recipe": recipe}))
    };
    assert_eq!(run(recipe("../data/near.csv"))["met"], true);
    for elsewhere in ["../../secret.csv", "/etc/passwd", "/dev/zero"] {
        let answer = run(recipe(elsewhere));
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("the file is outside"), "{answer}");
    }
    // More than an editor gives a run, though each buffer alone is small enough.
    let large = "[[buffers]]\nname = \"values\"\nshape = [268435456]\nfill.constant = 1\n";
    let answer = run(large.to_owned());
    assert!(answer["error"]["message"].as_str().is_some(), "{answer}");
    client.finish();
}
