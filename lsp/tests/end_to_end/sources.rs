//! What the program's own sources name: processes, sockets, files. `docs/threat-model.md` says where each of them is, and nothing else
//! may come to it unnoticed.

use std::path::{Path, PathBuf};

/// Folders of sources that end up in a program that somebody runs.
const SOURCES: &[&str] = &[
    "analysis/ide/src",
    "analysis/src",
    "codegen/src",
    "codegen/spirv/src",
    "lsp/core/src",
    "lsp/debug/src",
    "lsp/src",
    "lsp/vulkan/src",
    "parser/bindings/rust",
    "playground-web/wasm/src",
    "recipe/src",
    "simulator/src",
];

/// Words, and the files (or folders) that may have them.
const RULES: &[(&[&str], &[&str])] = &[
    // Other programs.
    (
        &["process::Command", "tokio::process", "Command::new(", "Command::new_", "CommandExt"],
        &["lsp/src/capture", "lsp/src/run/child.rs", "lsp/src/validator.rs", "lsp/src/vulkan.rs"],
    ),
    // The network.
    (
        &[
            "std::net",
            "TcpStream",
            "TcpListener",
            "UdpSocket",
            "UnixStream",
            "UnixListener",
            "tokio::net",
            "reqwest",
            "hyper::",
        ],
        &["lsp/src/transport.rs"],
    ),
    // Code that comes from elsewhere.
    (&["libloading", "Entry::load", "dlopen"], &["lsp/vulkan/src"]),
    // Files are read where sizes and kinds are looked at.
    (
        &["fs::read", "File::open", "OpenOptions", "read_dir", "read_link"],
        &[
            "lsp/src/capture/calls.rs",
            "lsp/src/capture/kept.rs",
            "lsp/src/disk.rs",
            "lsp/src/run/child.rs",
            "lsp/src/vulkan.rs",
        ],
    ),
    // Files are written where the command line says so.
    (
        &["fs::write", "File::create", "create_dir", "fs::copy", "fs::rename", "fs::remove"],
        &[
            "lsp/src/capture",
            "lsp/src/fmt.rs",
            "lsp/src/import",
            "lsp/src/ownership.rs",
            "lsp/src/reduce",
            "lsp/src/run.rs",
            "lsp/src/run/prepare.rs",
            "lsp/src/spirv.rs",
            "lsp/src/test.rs",
            "lsp/src/tune.rs",
            "lsp/src/vulkan.rs",
        ],
    ),
    // What only a program has, and no library below it.
    (
        &[
            "std::fs",
            "std::env::var",
            "env::args",
            "thread::spawn",
            "thread::Builder",
            "Instant::now",
            "SystemTime",
        ],
        &["lsp/src", "lsp/vulkan/src"],
    ),
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if name != "tests" {
                files(&path, found);
            }
        } else if name.ends_with(".rs") && name != "tests.rs" && !name.ends_with("_tests.rs") {
            found.push(path);
        }
    }
}

/// The lines of a file that are neither comments nor of its tests, which stand at its end.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate();
    let mut tests = false;
    lines.filter(move |(_, line)| {
        tests |= line.starts_with("mod tests {") || line.starts_with("pub(crate) mod tests {");
        !tests && !line.trim_start().starts_with("//")
    })
}

#[test]
fn nothing_reaches_out_but_what_the_threat_model_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut all = Vec::new();
    for folder in SOURCES {
        files(&root.join(folder), &mut all);
    }
    assert!(all.len() > 300, "{} sources", all.len());
    let mut found = Vec::new();
    let mut used = vec![false; RULES.len()];
    for path in all {
        let text = std::fs::read_to_string(&path).unwrap();
        let shown = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
        for (number, line) in code(&text) {
            for (rule, (words, allowed)) in RULES.iter().enumerate() {
                let Some(word) = words.iter().find(|word| line.contains(**word)) else { continue };
                if allowed.iter().any(|allowed| shown.starts_with(allowed)) {
                    used[rule] = true;
                } else {
                    found.push(format!("{shown}:{}: `{word}`", number + 1));
                }
            }
        }
    }
    assert!(found.is_empty(), "not named by the threat model:\n{}", found.join("\n"));
    // A rule that nothing meets any more says something wrong.
    for ((words, allowed), used) in RULES.iter().zip(used) {
        assert!(used || allowed.is_empty(), "nothing names {words:?} in {allowed:?} any more");
    }
}
