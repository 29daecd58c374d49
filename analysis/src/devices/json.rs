//! Profiles as JSON text: reading, and writing in the form that `analysis/devices/README.md` describes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::import;
use super::profile::{
    DeviceProfile, FlexibleDimensions, Limits, List, MatrixProperties, Performance, SubgroupSize,
    VectorProperties,
};

/// A profile as it is written: a list that is left out is not known.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Text {
    name: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    sources: BTreeMap<String, String>,
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    driver: String,
    #[serde(rename = "vendorID")]
    vendor_id: Option<u32>,
    #[serde(rename = "driverID", default)]
    driver_id: String,
    subgroup_size: Option<SubgroupSize>,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    performance: Performance,
    cooperative_matrix_properties: Option<Vec<MatrixProperties>>,
    cooperative_matrix_flexible_dimensions_properties: Option<Vec<FlexibleDimensions>>,
    cooperative_vector_properties: Option<Vec<VectorProperties>>,
    features: Option<Vec<String>>,
    #[serde(default)]
    missing_features: Vec<String>,
    properties: Option<Vec<String>>,
    extensions: Option<Vec<String>>,
    #[serde(default)]
    incomplete: Vec<List>,
}

/// Reads a profile of our own form, or one of those that `import` knows.
pub fn read(text: &str) -> Result<DeviceProfile, String> {
    match serde_json::from_str::<Text>(text) {
        Ok(text) => Ok(text.into_profile()),
        Err(error) => {
            // Not JSON at all: its place tells more than what it is not.
            let Ok(value) = serde_json::from_str::<Value>(text) else { return Err(error.to_string()) };
            if import::recognises(&value) { import::profile(&value) } else { Err(error.to_string()) }
        }
    }
}

impl Text {
    fn into_profile(self) -> DeviceProfile {
        let mut incomplete = self.incomplete;
        // Who lists all extensions, and not this one, has none of its rows.
        let without = |name: &str| {
            let extensions = self.extensions.as_ref();
            !incomplete.contains(&List::Extensions)
                && extensions.is_some_and(|extensions| extensions.iter().all(|one| one != name))
        };
        let no_vectors = without("VK_NV_cooperative_vector");
        for (list, given) in [
            (List::CooperativeMatrixProperties, self.cooperative_matrix_properties.is_some()),
            (
                List::CooperativeMatrixFlexibleDimensionsProperties,
                self.cooperative_matrix_flexible_dimensions_properties.is_some(),
            ),
            (List::CooperativeVectorProperties, no_vectors || self.cooperative_vector_properties.is_some()),
            (List::Features, self.features.is_some()),
            (List::Properties, self.properties.is_some()),
            (List::Extensions, self.extensions.is_some()),
        ] {
            if !given && !incomplete.contains(&list) {
                incomplete.push(list);
            }
        }
        incomplete.sort_unstable();
        DeviceProfile {
            name: self.name,
            title: self.title,
            source: self.source,
            sources: self.sources,
            api_version: self.api_version,
            driver: self.driver,
            vendor_id: self.vendor_id,
            driver_id: self.driver_id,
            subgroup_size: self.subgroup_size,
            limits: self.limits,
            performance: self.performance,
            cooperative_matrix_properties: self.cooperative_matrix_properties.unwrap_or_default(),
            cooperative_matrix_flexible_dimensions_properties: self
                .cooperative_matrix_flexible_dimensions_properties
                .unwrap_or_default(),
            cooperative_vector_properties: self.cooperative_vector_properties.unwrap_or_default(),
            features: self.features.unwrap_or_default(),
            missing_features: self.missing_features,
            properties: self.properties.unwrap_or_default(),
            extensions: self.extensions.unwrap_or_default(),
            incomplete,
        }
    }
}

/// One entry a line; rows and short objects on one line each.
pub fn write(profile: &DeviceProfile) -> String {
    let mut out = String::from("{\n");
    let mut first = true;
    let mut entry = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = write!(out, "{}  \"{key}\": {value}", if first { "" } else { ",\n" });
            first = false;
        }
    };
    let text = |text: &String| (!text.is_empty()).then(|| Value::from(text.as_str()).to_string());
    let known = |list: List, value: String, empty: bool| (profile.knows(list) || !empty).then_some(value);
    entry("name", Some(Value::from(profile.name.as_str()).to_string()));
    entry("title", text(&profile.title));
    entry("source", text(&profile.source));
    entry("sources", (!profile.sources.is_empty()).then(|| inline(&profile.sources)));
    entry("apiVersion", text(&profile.api_version));
    entry("driver", text(&profile.driver));
    entry("vendorID", profile.vendor_id.map(|id| id.to_string()));
    entry("driverID", text(&profile.driver_id));
    entry("subgroupSize", profile.subgroup_size.map(|size| inline(&size)));
    entry("limits", (profile.limits != Limits::default()).then(|| inline(&profile.limits)));
    entry(
        "performance",
        (profile.performance != Performance::default()).then(|| inline(&profile.performance)),
    );
    let rows = &profile.cooperative_matrix_properties;
    entry(
        "cooperativeMatrixProperties",
        known(List::CooperativeMatrixProperties, lines(rows), rows.is_empty()),
    );
    let rows = &profile.cooperative_matrix_flexible_dimensions_properties;
    entry(
        "cooperativeMatrixFlexibleDimensionsProperties",
        known(List::CooperativeMatrixFlexibleDimensionsProperties, lines(rows), rows.is_empty()),
    );
    let rows = &profile.cooperative_vector_properties;
    entry(
        "cooperativeVectorProperties",
        match profile.extension("VK_NV_cooperative_vector") {
            // Without it there are none, which needs no words.
            Some(false) if rows.is_empty() => None,
            _ => known(List::CooperativeVectorProperties, lines(rows), rows.is_empty()),
        },
    );
    entry("features", known(List::Features, lines(&profile.features), profile.features.is_empty()));
    entry(
        "missingFeatures",
        (!profile.missing_features.is_empty()).then(|| lines(&profile.missing_features)),
    );
    let properties = &profile.properties;
    entry("properties", known(List::Properties, lines(properties), properties.is_empty()));
    entry("extensions", known(List::Extensions, lines(&profile.extensions), profile.extensions.is_empty()));
    entry("incomplete", (!profile.incomplete.is_empty()).then(|| inline(&profile.incomplete)));
    out.push_str("\n}\n");
    out
}

fn inline<T: Serialize>(value: &T) -> String {
    // Strings, numbers and structures of them: nothing that could fail.
    serde_json::to_string(value).unwrap_or_default()
}

fn lines<T: Serialize>(values: &[T]) -> String {
    if values.is_empty() {
        return "[]".to_owned();
    }
    let lines: Vec<String> = values.iter().map(|value| format!("    {}", inline(value))).collect();
    format!("[\n{}\n  ]", lines.join(",\n"))
}
