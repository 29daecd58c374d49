//! The shaders in `examples/`: all are clean but those in `mistakes/`, which say in their first comment what is wrong.

use std::fs;
use std::path::{Path, PathBuf};

use coopmat_analysis::config::Configuration;
use coopmat_analysis::sources::FileLoader;
use coopmat_analysis::{Analysis, analyze};

struct NoFiles;

impl FileLoader for NoFiles {
    fn load(&self, _path: &str) -> Option<std::sync::Arc<str>> {
        None
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

fn check(path: &Path) -> Analysis {
    let text = fs::read_to_string(path).unwrap();
    analyze(&path.to_string_lossy(), text.into(), &Configuration::default(), &NoFiles, None)
}

fn described(analysis: &Analysis) -> Vec<String> {
    let line = |diagnostic: &coopmat_analysis::diagnostics::Diagnostic| {
        let file = &analysis.files()[diagnostic.location.file];
        file.line_index().line_col(diagnostic.location.range.start()).line + 1
    };
    analysis
        .diagnostics
        .iter()
        .map(|diagnostic| format!("{}: {}: {}", line(diagnostic), diagnostic.code.id, diagnostic.message))
        .collect()
}

fn shaders(folder: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "comp"));
    found.sort();
    assert!(!found.is_empty(), "no shader in examples/{folder}");
    found
}

#[test]
fn examples_are_clean() {
    for folder in ["khr", "qcom", "nv2", "coopvec", "performance"] {
        for path in shaders(folder) {
            assert_eq!(described(&check(&path)), Vec::<String>::new(), "{}", path.display());
        }
    }
}

#[test]
fn an_indexed_mismatch_is_told_at_the_argument() {
    let found = described(&check(&root().join("mistakes/indexed-shape-mismatch.comp")));
    assert_eq!(
        found,
        ["31: coopmat-muladd-shape: A is 16x16 but B is 32x16: A's columns (16) must equal B's rows (32)"]
    );
}

#[test]
fn every_example_is_listed() {
    let list = fs::read_to_string(root().join("README.md")).unwrap();
    for folder in ["khr", "qcom", "nv2", "coopvec", "performance", "mistakes"] {
        for path in shaders(folder) {
            let name = format!("({folder}/{})", path.file_name().unwrap().to_str().unwrap());
            assert!(list.contains(&name), "examples/README.md does not list {name}");
        }
    }
}
