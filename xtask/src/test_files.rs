//! Each file of tests runs: cargo takes a folder with a `main.rs` as one program, and says nothing of files that this one does not name.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::graph::modules::Crate;
use crate::shell;

/// The main files of all programs of tests.
fn programs() -> BTreeSet<PathBuf> {
    let mut metadata = shell::cargo(["metadata", "--format-version", "1", "--no-deps", "--locked"]);
    let metadata: Value = serde_json::from_str(&shell::output(&mut metadata).unwrap()).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let targets = packages.iter().flat_map(|package| package["targets"].as_array().unwrap());
    let tests = targets.filter(|target| target["kind"][0] == "test");
    tests.map(|target| target["src_path"].as_str().unwrap().into()).collect()
}

/// The files of Rust in a folder and below.
fn sources(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.insert(path);
        }
    }
}

#[test]
fn every_file_beside_a_main_of_tests_is_a_module_of_it() {
    let programs = programs();
    let mains: Vec<&PathBuf> = programs.iter().filter(|main| main.ends_with("main.rs")).collect();
    assert!(mains.len() > 4, "{mains:?}");
    for main in mains {
        let read = |path: &Path| fs::read_to_string(path).ok();
        let named = Crate::read(&shell::root(), std::slice::from_ref(main), &read).unwrap().files;
        let named: BTreeSet<PathBuf> = named.iter().map(|file| shell::root().join(file)).collect();
        let mut there = BTreeSet::new();
        sources(main.parent().unwrap(), &mut there);
        let forgotten: Vec<_> =
            there.iter().filter(|file| !named.contains(*file) && !programs.contains(*file)).collect();
        assert!(
            forgotten.is_empty(),
            "{} names no module for {forgotten:?}: they do not run",
            main.display()
        );
    }
}
