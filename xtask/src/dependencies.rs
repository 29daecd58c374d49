//! `docs/dependencies.md` names every crate that a manifest of this repository names, and no other.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use crate::shell;

/// The first cell of each row.
fn documented(text: &str) -> Vec<(&str, &str)> {
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect();
        let [name, why, licence] = cells[..] else { return None };
        (name != "crate" && !why.is_empty()).then_some((name, licence))
    });
    rows.collect()
}

/// Whether one of the alternatives of each part of an expression is allowed.
fn acceptable(licence: &str, allowed: impl Fn(&str) -> bool) -> bool {
    let part = |part: &str| {
        let inner = part.trim_start_matches('(').trim_end_matches(')');
        inner.split(" OR ").flat_map(|one| one.split('/')).map(str::trim).any(&allowed)
    };
    licence.split(" AND ").all(part)
}

fn metadata(arguments: &[&str]) -> Value {
    let mut cargo: Command = shell::cargo(["metadata", "--format-version", "1", "--locked"]);
    serde_json::from_str(&shell::output(cargo.args(arguments)).unwrap()).unwrap()
}

#[test]
fn every_direct_dependency_is_explained() {
    let packages = metadata(&["--no-deps"]);
    let mut named = BTreeSet::new();
    for package in packages["packages"].as_array().unwrap() {
        for dependency in package["dependencies"].as_array().unwrap() {
            if !dependency["source"].is_null() {
                named.insert(dependency["name"].as_str().unwrap().to_owned());
            }
        }
    }
    let text = std::fs::read_to_string(shell::root().join("docs/dependencies.md")).unwrap();
    let rows = documented(&text);
    let explained: BTreeSet<String> = rows.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(explained.len(), rows.len(), "a crate has two rows");
    let missing: Vec<_> = named.difference(&explained).collect();
    let stale: Vec<_> = explained.difference(&named).collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "docs/dependencies.md lacks {missing:?}, and need not have {stale:?}"
    );
}

/// Of everything that is built on this machine's platform; `cargo deny` looks at all platforms.
#[test]
fn the_licences_are_those_of_the_manifests() {
    let text = std::fs::read_to_string(shell::root().join("docs/dependencies.md")).unwrap();
    let allowed = std::fs::read_to_string(shell::root().join("deny.toml")).unwrap();
    let rows = documented(&text);
    let compiler = shell::output(&mut shell::command("rustc", ["-vV"])).unwrap();
    let host = compiler.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let packages = metadata(&["--filter-platform", host]);
    let mut licences: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let list = packages["packages"].as_array().unwrap();
    for package in list.iter().filter(|package| !package["source"].is_null()) {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(
            acceptable(licence, |one| allowed.contains(&format!("    \"{one}\",")))
                || allowed.contains(&format!("{{ crate = \"{name}\", allow = [\"{licence}\"] }}")),
            "{name}: `{licence}` is not in deny.toml"
        );
        licences.entry(name).or_default().insert(licence);
    }
    // Some come in two versions, for others.
    for (name, said) in rows {
        assert!(licences.get(name).is_none_or(|known| known.contains(said)), "{name}: {said}");
    }
}
