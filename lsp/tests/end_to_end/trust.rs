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
        refused.stderr.contains("a.run.toml:4:1: ../../secret.csv: the file lies outside"),
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
    assert!(run.stdout.contains("cannot find `/proc/self/environ`"), "{}", run.stdout);
    assert!(!run.stdout.contains("PATH="), "{}", run.stdout);
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
        assert!(message.contains("the file lies outside"), "{answer}");
    }
    // More than an editor gives a run, though each buffer alone is small enough.
    let large = "[[buffers]]\nname = \"values\"\nshape = [268435456]\nfill.constant = 1\n";
    let answer = run(large.to_owned());
    assert!(answer["error"]["message"].as_str().is_some(), "{answer}");
    client.finish();
}
