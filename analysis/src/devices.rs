//! Device profiles: what a device reports about subgroups and cooperative matrices. The form is described in
//! `analysis/devices/README.md`.

mod component;
mod import;
mod json;
mod profile;

use std::sync::{Arc, OnceLock};

pub use component::{Interpretation, component_of_vulkan, component_to_vulkan};
pub use profile::{
    ComputeUnit, DeviceProfile, FlexibleDimensions, Independence, Limits, List, MatrixProperties, MatrixRate,
    MatrixTypes, Performance, STAGES, Scope, SharedMemoryBanks, SubgroupSize, TileLoads, TimeModel,
    VectorProperties, name_of_title,
};

impl DeviceProfile {
    /// Reads a profile, or what `vulkaninfo --json` or a Vulkan Profiles file tells about a device.
    ///
    /// # Errors
    /// What is wrong with the text, with line and column.
    pub fn parse(text: &str) -> Result<DeviceProfile, String> {
        let profile = json::read(text)?;
        if let Some(SubgroupSize { default, min, max }) = profile.subgroup_size
            && !(min <= default && default <= max && min.is_power_of_two() && max.is_power_of_two())
        {
            return Err(format!(
                "subgroupSize: expected powers of two with min <= default <= max, found min {min}, default {default}, max {max}"
            ));
        }
        if let Some(SharedMemoryBanks { count, width }) = profile.performance.shared_memory_banks
            && !(count.is_power_of_two() && width.is_power_of_two() && count <= 1024 && width <= 64)
        {
            return Err(format!(
                "sharedMemoryBanks: expected powers of two, at most 1024 banks of at most 64 bytes, found {count} banks of {width} bytes"
            ));
        }
        let performance = &profile.performance;
        let has_zero = performance.compute_unit.is_some_and(|unit| {
            [unit.registers, unit.registers_per_invocation, unit.subgroups, unit.shared_memory].contains(&0)
        });
        let has_zero = has_zero
            || performance.tile_loads.is_some_and(|tiles| [tiles.element_bytes, tiles.side].contains(&0))
            || performance.time_model.is_some_and(|it| {
                let counts = [it.compute_units, it.operations, it.passes, it.sectors];
                counts.contains(&0)
                    || [it.subgroup_instructions, it.barrier_cycles, it.workgroups].contains(&0)
            });
        let rates = performance.matrix_rates.iter().map(|rate| rate.gigaops);
        if has_zero || performance.memory_bandwidth == Some(0) || rates.into_iter().any(|rate| rate == 0) {
            return Err(
                "performance: a number is 0: expected at least 1, or nothing if it is not known".to_owned()
            );
        }
        if profile.cooperative_matrix_properties.iter().any(|row| [row.m, row.n, row.k].contains(&0)) {
            return Err("a size of a cooperative matrix is 0: expected at least 1".to_owned());
        }
        for row in &profile.cooperative_matrix_flexible_dimensions_properties {
            if let Some(size) = [row.m, row.n, row.k].into_iter().find(|size| !size.is_power_of_two()) {
                return Err(format!(
                    "a granularity of a cooperative matrix is {size}: expected a power of two (Vulkan, VkCooperativeMatrixFlexibleDimensionsPropertiesNV)"
                ));
            }
        }
        Ok(profile)
    }

    /// The profile in the form that [`parse`](Self::parse) reads.
    pub fn to_json(&self) -> String {
        json::write(self)
    }
}

/// The profiles that come along, sorted by name.
pub fn builtin() -> &'static [Arc<DeviceProfile>] {
    static PROFILES: OnceLock<Vec<Arc<DeviceProfile>>> = OnceLock::new();
    PROFILES.get_or_init(|| {
        let texts = [
            include_str!("../devices/amd-rdna3.json"),
            include_str!("../devices/amd-rdna4.json"),
            include_str!("../devices/arm-mali-g720.json"),
            include_str!("../devices/intel-xe-hpg.json"),
            include_str!("../devices/intel-xe2.json"),
            include_str!("../devices/lavapipe.json"),
            include_str!("../devices/nvidia-h200.json"),
            include_str!("../devices/nvk-ada.json"),
            include_str!("../devices/nvk-ampere.json"),
            include_str!("../devices/nvk-blackwell.json"),
            include_str!("../devices/nvk-turing.json"),
            include_str!("../devices/qualcomm-adreno-840.json"),
        ];
        // A test rules out that one of them cannot be read.
        texts.iter().filter_map(|text| DeviceProfile::parse(text).ok()).map(Arc::new).collect()
    })
}

/// A built-in profile by its name.
///
/// # Errors
/// That there is none, with the names that exist.
pub fn find(name: &str) -> Result<Arc<DeviceProfile>, String> {
    builtin().iter().find(|profile| profile.name == name).cloned().ok_or_else(|| {
        let names: Vec<_> = builtin().iter().map(|profile| profile.name.as_str()).collect();
        format!(
            "unknown device `{name}`: expected one of {}, or the path of a JSON profile",
            names.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builtin_profiles_are_the_files_sorted_with_a_source_for_each_fact() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("devices");
        let mut files: Vec<(String, String)> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .map(|path| {
                let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                (name, std::fs::read_to_string(path).unwrap())
            })
            .collect();
        files.sort();
        for (name, text) in &files {
            let profile = DeviceProfile::parse(text).unwrap_or_else(|error| panic!("{name}.json: {error}"));
            assert_eq!(profile.name, *name);
            assert!(!profile.source.is_empty() && !profile.title.is_empty(), "{name}.json");
            assert_eq!(DeviceProfile::parse(&profile.to_json()), Ok(profile), "{name}.json");
        }
        let names: Vec<_> = builtin().iter().map(|profile| profile.name.as_str()).collect();
        let files: Vec<_> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, files);
        let h200 = find("nvidia-h200").unwrap();
        assert_eq!(h200.fixed_subgroup_size(), Some(32));
        assert_eq!(h200.cooperative_matrix_properties.len(), 11);
        assert_eq!(h200.cooperative_matrix_flexible_dimensions_properties.len(), 25);
    }

    #[test]
    fn what_a_profile_leaves_out_is_unknown() {
        let profile = DeviceProfile::parse(
            r#"{"name": "x", "features": ["shaderFloat16"], "missingFeatures": ["shaderInt8"], "incomplete": ["features"],
                "extensions": ["VK_KHR_cooperative_matrix"]}"#,
        )
        .unwrap();
        assert_eq!(
            ["shaderFloat16", "shaderInt8", "shaderInt16", "cooperativeMatrixWorkgroupScope"]
                .map(|name| profile.feature(name)),
            // The last one comes with an extension that the device does not have.
            [Some(true), Some(false), None, Some(false)]
        );
        assert!(!profile.knows(List::CooperativeMatrixProperties) && profile.subgroup_size.is_none());
        assert_eq!(DeviceProfile::parse(&profile.to_json()), Ok(profile));
    }

    #[test]
    fn a_wrong_profile_says_what_was_expected_and_where() {
        let error = |text: &str| DeviceProfile::parse(text).unwrap_err();
        assert!(error("{").contains("line 1"));
        assert!(error(r#"{"name": 1}"#).contains("expected a string"));
        let granularity = r#"{"name": "x", "cooperativeMatrixFlexibleDimensionsProperties": [
            {"MGranularity": 12, "NGranularity": 16, "KGranularity": 16, "AType": "float16", "BType": "float16", "CType": "float32",
             "ResultType": "float32", "scope": "subgroup"}]}"#;
        assert!(error(granularity).contains("is 12: expected a power of two"));
        assert!(
            error(r#"{"name": "x", "subgroupSize": {"default": 8, "min": 16, "max": 32}}"#)
                .contains("min <= default <= max")
        );
        let banks = r#"{"name": "x", "performance": {"sharedMemoryBanks": {"count": 30, "width": 4}}}"#;
        assert!(error(banks).contains("expected powers of two, at most 1024 banks"));
        let zero = r#"{"name": "x", "performance": {"memoryBandwidth": 0}}"#;
        assert!(error(zero).contains("a number is 0: expected at least 1"));
        let row = r#"{"name": "x", "subgroupSize": {"default": 32, "min": 32, "max": 32}, "cooperativeMatrixProperties": [
            {"MSize": 16, "NSize": 16, "KSize": 16, "AType": "half", "BType": "half", "CType": "float32",
             "ResultType": "float32", "scope": "subgroup"}]}"#;
        assert!(error(row).contains("unknown component type `half`: expected one of float16"));
        assert!(find("no-such").unwrap_err().contains("lavapipe, nvidia-h200,"));
    }
}
