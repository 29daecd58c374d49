//! A chapter for each device profile that comes along: what it says, and where that comes from.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use coopmat_analysis::devices::{self, DeviceProfile, List, MatrixTypes, Scope};
use serde_json::Value;

use crate::paths::name_of;

pub fn below() -> Vec<(String, String)> {
    let entry =
        |profile: &DeviceProfile| (profile.title.clone(), format!("analysis/devices/{}.json", profile.name));
    devices::builtin().iter().map(|profile| entry(profile)).collect()
}

pub fn index() -> String {
    let mut out = String::from(
        "# Device profiles\n\nWhat comes along with the program. A page lists everything that a profile says, with its source; what it does not say is not known, and nothing is \
         reported for it. [Devices](../../docs/devices.md) tells how profiles are used and made, and what their keys mean stands in \
         [analysis/devices/README.md](README.md).\n\n| profile | device | matrices |\n|---|---|---|\n",
    );
    for profile in devices::builtin() {
        let rows = profile.cooperative_matrix_properties.len();
        let flexible = profile.cooperative_matrix_flexible_dimensions_properties.len();
        let matrices = match (rows, flexible, profile.knows(List::CooperativeMatrixProperties)) {
            (0, 0, true) => "none".to_owned(),
            (0, 0, false) => "not known".to_owned(),
            (rows, 0, _) => format!("{rows} rows"),
            (rows, flexible, _) => format!("{rows} rows, {flexible} with flexible dimensions"),
        };
        let _ = writeln!(out, "| [`{0}`]({0}.json) | {1} | {matrices} |", profile.name, profile.title);
    }
    out
}

pub fn page(source: &str) -> Result<String> {
    let name = name_of(source);
    let mut profiles = devices::builtin().iter();
    let profile =
        profiles.find(|profile| profile.name == name).with_context(|| format!("{source} is no profile"))?;
    let mut out = format!("# {}\n\n`--device {name}`, `device = \"{name}\"`\n", profile.title);
    let fact = |out: &mut String, what: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(out, "| {what} | {value} |");
        }
    };
    out.push_str("\n| | |\n|---|---|\n");
    fact(&mut out, "Vulkan", &profile.api_version);
    fact(&mut out, "driver", &profile.driver);
    let subgroups = profile.subgroup_size.map_or("not known".to_owned(), |size| match size.min == size.max {
        true => size.max.to_string(),
        false => format!("{} to {}, {} unless another is asked for", size.min, size.max, size.default),
    });
    fact(&mut out, "invocations per subgroup", &subgroups);
    // The keys are Vulkan's own names.
    if let Value::Object(limits) = serde_json::to_value(&profile.limits)? {
        for (key, value) in limits {
            let words = match &value {
                Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join(", "),
                other => plain(other),
            };
            fact(&mut out, &format!("`{key}`"), &words);
        }
    }

    out.push_str("\n## Cooperative matrices\n\n");
    if profile.cooperative_matrix_properties.is_empty() {
        out.push_str(match profile.knows(List::CooperativeMatrixProperties) {
            true => "None.\n",
            false => "Not known.\n",
        });
    } else {
        out.push_str(
            "| M x N x K | A | B | C | result | saturating | scope |\n|---|---|---|---|---|---|---|\n",
        );
        for row in &profile.cooperative_matrix_properties {
            let _ = writeln!(out, "| {}x{}x{} | {} |", row.m, row.n, row.k, types(&row.types));
        }
        incomplete(&mut out, profile, List::CooperativeMatrixProperties);
    }
    let flexible = &profile.cooperative_matrix_flexible_dimensions_properties;
    if !flexible.is_empty() {
        out.push_str(
            "\n## Flexible dimensions\n\nEach dimension may be any multiple of its granularity.\n\n\
             | M x N x K | A | B | C | result | saturating | scope | invocations |\n|---|---|---|---|---|---|---|---|\n",
        );
        for row in flexible {
            let invocations = match row.workgroup_invocations {
                0 => String::new(),
                count => count.to_string(),
            };
            let _ =
                writeln!(out, "| {}x{}x{} | {} | {invocations} |", row.m, row.n, row.k, types(&row.types));
        }
        incomplete(&mut out, profile, List::CooperativeMatrixFlexibleDimensionsProperties);
    }
    vectors(&mut out, profile);
    names(&mut out, "Features", &profile.features);
    if !profile.features.is_empty() {
        incomplete(&mut out, profile, List::Features);
    }
    names(&mut out, "Missing features", &profile.missing_features);
    names(&mut out, "Properties", &profile.properties);
    if !profile.properties.is_empty() {
        incomplete(&mut out, profile, List::Properties);
    }
    names(&mut out, "Extensions", &profile.extensions);
    if !profile.extensions.is_empty() {
        incomplete(&mut out, profile, List::Extensions);
    }

    let _ = writeln!(out, "\n## Sources\n\n{}", linked(&profile.source));
    for (key, source) in &profile.sources {
        let _ = writeln!(out, "\n- `{key}`: {}", linked(source));
    }
    Ok(out)
}

/// A number or a text without its quotes.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn types(types: &MatrixTypes) -> String {
    let scope = match types.scope {
        Scope::Device => "device",
        Scope::Workgroup => "workgroup",
        Scope::Subgroup => "subgroup",
        Scope::QueueFamily => "queue family",
    };
    let saturating = if types.saturating { "yes" } else { "" };
    let names = [types.a, types.b, types.c, types.result].map(|scalar| scalar.name());
    format!("{} | {saturating} | {scope}", names.join(" | "))
}

/// The products of cooperative vectors, of a device that has any.
fn vectors(out: &mut String, profile: &DeviceProfile) {
    let rows = &profile.cooperative_vector_properties;
    if rows.is_empty() {
        return;
    }
    out.push_str(
        "\n## Cooperative vectors\n\nProducts with matrices in memory.\n\n\
         | vector | interpreted as | matrix | bias | result | transposed |\n|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} |",
            row.input_type.name(),
            row.input_interpretation.name(),
            row.matrix_interpretation.name(),
            row.bias_interpretation.name(),
            row.result_type.name(),
            if row.transpose { "yes" } else { "" }
        );
    }
    incomplete(out, profile, List::CooperativeVectorProperties);
}

fn incomplete(out: &mut String, profile: &DeviceProfile, list: List) {
    if !profile.knows(list) {
        out.push_str("\nThere may be more: what is not listed is not known.\n");
    }
}

fn names(out: &mut String, title: &str, names: &[String]) {
    if !names.is_empty() {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(out, "\n## {title}\n\n{}", names.join(", "));
    }
}

/// Addresses in a sentence as links.
fn linked(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let trimmed = word.trim_end_matches([',', '.', ';', ':', ')']);
        match trimmed.trim_start_matches('(') {
            address if address.starts_with("https://") => word.replace(address, &format!("<{address}>")),
            _ => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{below, linked, page};

    #[test]
    fn every_profile_has_a_page_with_its_source() {
        for (title, source) in below() {
            let page = page(&source).unwrap();
            assert!(page.contains(&title) && page.contains("## Sources"), "{source}");
        }
        assert_eq!(
            linked("see https://a.org/b, and (https://c.org/d)."),
            "see <https://a.org/b>, and (<https://c.org/d>)."
        );
    }
}
