//! What hostile files get to take: time and memory up to the limits that `docs/threat-model.md` names, and a message that says which.

use serde_json::json;

use crate::client::Client;
use crate::command_line::{folder, run_in};

const SHADER: &str = "#version 450
layout(local_size_x = 4) in;
layout(binding = 0) buffer Data { float values[]; };
void main() { values[gl_GlobalInvocationID.x] *= 2; }
";
const ENDLESS: &str = "#version 450
layout(local_size_x = 4) in;
layout(binding = 0) buffer Data { float values[]; };
void main() { while (values[0] < 1.0) values[1] += 1.0; }
";
const BUFFER: &str = "[[buffers]]\nname = \"values\"\nshape = [4]\n";

/// A file of zeros that takes no room on the disk.
fn large(folder: &tempfile::TempDir, name: &str, mebibytes: u64) {
    std::fs::File::create(folder.path().join(name)).unwrap().set_len(mebibytes << 20).unwrap();
}

#[test]
fn files_are_not_read_beyond_their_sizes() {
    let including = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"large.glsl\"\nvoid main() {}\n";
    let folder = folder(&[
        ("a.comp", including),
        ("p/b.comp", SHADER),
        ("l/coopmat-analyzer.toml", "import = \"glslc.log\"\n"),
        ("l/c.comp", SHADER),
        ("r/d.comp", SHADER),
        ("r/d.run.toml", &format!("ownership = [\"large.json\"]\n{BUFFER}")),
        ("n/e.comp", SHADER),
        ("n/e.run.toml", &format!("{BUFFER}fill.file = \"claims.npy\"\n")),
        ("device/f.comp", SHADER),
        ("device/coopmat-analyzer.toml", "device = \"large.json\"\n"),
    ]);
    for (name, size) in [
        ("large.glsl", 17),
        ("root.comp", 17),
        ("large.spv", 33),
        ("p/coopmat-analyzer.toml", 17),
        ("l/glslc.log", 257),
        ("r/large.json", 17),
        ("r/g.run.toml", 17),
        ("device/large.json", 17),
    ] {
        large(&folder, name, size);
    }
    // 2^40 elements in a file of a few bytes.
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,), }";
    let mut npy = b"\x93NUMPY\x01\x00".to_vec();
    npy.extend((header.len() as u16).to_le_bytes());
    npy.extend(header.as_bytes());
    std::fs::write(folder.path().join("n/claims.npy"), npy).unwrap();
    for (arguments, message) in [
        (&["check", "a.comp"][..], "large.glsl` is larger than 16 MiB"),
        (&["check", "root.comp"], "the file is larger than 16 MiB: nothing is analysed"),
        (&["fmt", "--check", "root.comp"], "root.comp: larger than 16 MiB"),
        (&["check", "p/b.comp"], "coopmat-analyzer.toml: larger than 16 MiB"),
        (&["check", "l/c.comp"], "glslc.log`: build the project first"),
        (&["check", "device/f.comp"], "large.json: cannot read the file"),
        (&["spirv", "large.spv"], "large.spv: larger than 32 MiB"),
        (&["run", "large.spv"], "large.spv: larger than 32 MiB"),
        (&["run", "r/d.comp"], "d.run.toml:1:14: large.json: tables larger than 16 MiB are not read"),
        (&["test", "r/g.run.toml"], "g.run.toml: larger than 16 MiB"),
        (&["run", "n/e.comp"], "claims.npy: "),
    ] {
        let run = run_in(folder.path(), arguments, "");
        let told = format!("{}{}", run.stdout, run.stderr);
        assert!(told.contains(message), "{arguments:?}: {told}");
        assert!(matches!(run.code, Some(1 | 2)), "{arguments:?}: {:?}", run.code);
    }
}

#[test]
fn a_recipe_takes_no_more_than_the_host_gives() {
    let recipe =
        |first: &str, shape: usize| format!("{first}\n[[buffers]]\nname = \"values\"\nshape = [{shape}]\n");
    let folder = folder(&[
        ("steps/a.comp", ENDLESS),
        ("steps/a.run.toml", &recipe("step-limit = 1000000000000000", 4)),
        ("own/a.comp", ENDLESS),
        ("own/a.run.toml", &recipe("step-limit = 500", 4)),
        ("memory/a.comp", SHADER),
        ("memory/a.run.toml", &recipe("", 1 << 20)),
    ]);
    let told = |arguments: &[&str]| {
        let run = run_in(folder.path(), arguments, "");
        assert!(matches!(run.code, Some(1 | 2)), "{arguments:?}: {:?}", run.code);
        format!("{}{}", run.stdout, run.stderr)
    };
    let steps = ["--step-limit", "1e4"];
    for (command, path) in [("run", "steps/a.comp"), ("test", "steps")] {
        let told = told(&[command, path, steps[0], steps[1]]);
        assert!(told.contains("more than 10000 steps"), "{told}");
        assert!(told.contains("use `--step-limit` to allow more"), "{told}");
    }
    let own = told(&["run", "own/a.comp", steps[0], steps[1]]);
    assert!(own.contains("more than 500 steps"), "{own}");
    assert!(own.contains("raise `step-limit` in the recipe to allow more"), "{own}");
    for (command, path) in [("run", "memory/a.comp"), ("test", "memory")] {
        let told = told(&[command, path, "--memory-limit", "4M"]);
        assert!(told.contains("a.run.toml:2:1: the buffer of 1048576 elements takes"), "{told}");
        assert!(told.contains("use `--memory-limit` to allow more"), "{told}");
    }
    let enough =
        run_in(folder.path(), &["run", "memory/a.comp", "--memory-limit", "64MiB", "--threads", "1"], "");
    assert_eq!(enough.code, Some(0), "{}", enough.stderr);
    for wrong in ["--memory-limit=lots", "--memory-limit=0", "--step-limit=0", "--step-limit=0.5"] {
        assert!(told(&["run", "memory/a.comp", wrong]).contains("expected a"), "{wrong}");
    }
}

/// What an editor gives is not for the recipe to raise, either.
#[test]
fn a_recipe_does_not_raise_the_limits_of_an_editor() {
    let folder = folder(&[("a.comp", ENDLESS), ("a.run.toml", "")]);
    let uri = coopmat_server::uri_of_path(folder.path().join("a.comp").to_str().unwrap()).unwrap();
    let (mut client, _) = Client::start(&["lsp"], json!({"capabilities": {}}));
    client.open(&uri, ENDLESS);
    let mut run = |recipe: String| {
        client.request("coopmat-analyzer/run", json!({"textDocument": {"uri": uri}, "recipe": recipe}))
    };
    let answer = run(format!("step-limit = 1000\n{BUFFER}"));
    let message = answer["report"]["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("more than 1000 steps"), "{answer}");
    assert!(message.contains("raise `step-limit` in the recipe to allow more"), "{answer}");
    let large = "[[buffers]]\nname = \"values\"\nshape = [268435456]\nfill.constant = 1\n";
    let answer = run(large.to_owned());
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(
        message.contains("use `coopmat-analyzer run --memory-limit` on the command line to allow more"),
        "{answer}"
    );
    client.finish();
}

#[test]
fn findings_end_at_some_number() {
    let folder =
        folder(&[("a.comp", &format!("#version 450\nvoid main() {{\n{}}}\n", "x;\n".repeat(10_050)))]);
    let run = run_in(folder.path(), &["check", "a.comp", "--format", "json"], "");
    assert_eq!(run.code, Some(1));
    assert_eq!(run.stdout.matches("is not declared").count(), 10_000);
    assert!(run.stdout.contains("more than 10000 problems were found, and the rest are left out"));
}
