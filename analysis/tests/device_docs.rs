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
    let mut out =
        String::from("| Profile | Device | Subgroups | Shared memory, bytes |\n|---|---|---|---|\n");
    for profile in devices::builtin() {
        let subgroups = profile.subgroup_size.map_or("not known".to_owned(), |size| {
            if size.min == size.max { size.max.to_string() } else { format!("{} to {}", size.min, size.max) }
        });
        let memory = profile.limits.max_compute_shared_memory_size;
        let memory = memory.map_or("not known".to_owned(), |bytes| thousands(u64::from(bytes)));
        let _ = writeln!(out, "| `{}` | {} | {subgroups} | {memory} |", profile.name, profile.title);
    }
    out.push_str("\n### Matrices\n\nM x N x K of each multiply-add, by its types.\n\n");
    for profile in devices::builtin() {
        out.push_str(&item("- ", &format!("`{}`: {}", profile.name, matrices(profile))));
    }
    out.push_str("\n### Cooperative vectors\n\nThe types of each product: vector as interpreted, matrix, bias, result.\n\n");
    for profile in
        devices::builtin().iter().filter(|profile| !profile.cooperative_vector_properties.is_empty())
    {
        let rows = profile.cooperative_vector_properties.iter().map(|row| {
            let (input, taken) = (row.input_type.name(), row.input_interpretation.name());
            let (matrix, bias) = (row.matrix_interpretation.name(), row.bias_interpretation.name());
            let transpose = if row.transpose { ", also transposed" } else { "" };
            format!("{input} as {taken}, {matrix}, {bias}, {}{transpose}", row.result_type.name())
        });
        out.push_str(&item("- ", &format!("`{}`: {}", profile.name, rows.collect::<Vec<_>>().join("; "))));
    }
    out.push_str("\n### Sources\n\n");
    for profile in devices::builtin() {
        out.push_str(&item("- ", &format!("`{}`: {}", profile.name, profile.source)));
        for (key, source) in &profile.sources {
            out.push_str(&item("  - ", &format!("{key}: {source}")));
        }
    }
    out
}

/// An item of a list, in lines that stay below 200 columns.
fn item(bullet: &str, text: &str) -> String {
    let mut out = String::new();
    let mut line = bullet.to_owned();
    for word in text.split(' ') {
        if line.len() > bullet.len() && line.len() + word.len() > 180 {
            let _ = writeln!(out, "{}", line.trim_end());
            line = " ".repeat(bullet.len());
        }
        line.push_str(word);
        line.push(' ');
    }
    let _ = writeln!(out, "{}", line.trim_end());
    out
}

fn thousands(number: u64) -> String {
    if number < 1000 { number.to_string() } else { format!("{},{:03}", number / 1000, number % 1000) }
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
