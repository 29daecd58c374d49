//! `docs/devices.md` lists the profiles that come along, each with its source, as they are.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use coopmat_analysis::devices::{self, DeviceProfile, List};

const MARK: &str = "--test analysis device_docs -->\n\n";

#[test]
fn the_table_of_profiles_is_that_of_the_files() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/devices.md");
    let text = fs::read_to_string(&path).unwrap();
    let (kept, written) = text.split_once(MARK).expect("docs/devices.md has its mark");
    let tables = tables();
    if written != tables && std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, format!("{kept}{MARK}{tables}")).unwrap();
        return;
    }
    assert!(written == tables, "docs/devices.md is not up to date: run this test with UPDATE_EXPECT=1");
}

fn tables() -> String {
    let mut out = String::from(
        "| device | what | subgroups | shared memory | matrices (M x N x K) |\n|---|---|---|---|---|\n",
    );
    for profile in devices::builtin() {
        let subgroups = profile.subgroup_size.map_or("not known".to_owned(), |size| {
            if size.min == size.max { size.max.to_string() } else { format!("{} to {}", size.min, size.max) }
        });
        let memory = profile.limits.max_compute_shared_memory_size;
        let memory = memory.map_or("not known".to_owned(), |bytes| bytes.to_string());
        let _ = writeln!(
            out,
            "| `{}` | {} | {subgroups} | {memory} | {} |",
            profile.name,
            profile.title,
            matrices(profile)
        );
    }
    out.push_str("\n### Sources\n");
    for profile in devices::builtin() {
        let _ = write!(out, "\n- `{}`: {}", profile.name, profile.source);
        for (key, source) in &profile.sources {
            let _ = write!(out, "\n  - {key}: {source}");
        }
    }
    out.push('\n');
    out
}

/// Combinations by types, with the sizes that each has.
fn matrices(profile: &DeviceProfile) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    let mut add = |types: String, size: String| match groups.iter_mut().find(|(known, _)| *known == types) {
        Some((_, sizes)) if sizes.contains(&size) => {}
        Some((_, sizes)) => sizes.push(size),
        None => groups.push((types, vec![size])),
    };
    for row in &profile.cooperative_matrix_properties {
        let types = &row.types;
        let product = if types.a == types.b {
            types.a.name().to_owned()
        } else {
            format!("{} x {}", types.a.name(), types.b.name())
        };
        let saturating = if types.saturating { ", saturating" } else { "" };
        add(
            format!("{product} to {}{saturating}", types.result.name()),
            format!("{}x{}x{}", row.m, row.n, row.k),
        );
    }
    let mut parts: Vec<String> =
        groups.into_iter().map(|(types, sizes)| format!("{types}: {}", sizes.join(", "))).collect();
    let flexible = profile.cooperative_matrix_flexible_dimensions_properties.len();
    if flexible > 0 {
        parts.push(format!("flexible dimensions, {flexible} rows"));
    }
    match (profile.knows(List::CooperativeMatrixProperties), parts.is_empty()) {
        (true, true) => parts.push("none".to_owned()),
        (false, true) => parts.push("not known".to_owned()),
        (false, false) => parts.push("others not known".to_owned()),
        (true, false) => {}
    }
    parts.join("; ")
}
