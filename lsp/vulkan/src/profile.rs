//! A device as a profile: what its driver reports.

use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_void};

use ash::vk;
use coopmat_analysis::devices::{
    self, DeviceProfile, FlexibleDimensions, Independence, Limits, List, MatrixProperties, MatrixTypes,
    Scope, SubgroupSize,
};

use coopmat_spirv::vulkan::{CORE, Origin, PROPERTIES, STRUCTURES, Structure, SubgroupOperation};

/// A structure of a `pNext` chain whose members are all of 32 bits, such as the structures of features.
#[repr(C)]
pub(crate) struct Words<const N: usize> {
    kind: vk::StructureType,
    next: *mut c_void,
    pub words: [u32; N],
}

/// As many members as the widest structure of features has, and some.
pub(crate) const MEMBERS: usize = 64;

impl<const N: usize> Words<N> {
    pub fn new(kind: i32) -> Words<N> {
        Words { kind: vk::StructureType::from_raw(kind), next: std::ptr::null_mut(), words: [0; N] }
    }

    pub fn link(&mut self, next: *mut c_void) -> *mut c_void {
        self.next = next;
        std::ptr::from_mut(self).cast()
    }
}

/// `VkPhysicalDeviceCooperativeMatrixPropertiesKHR`
const MATRIX_PROPERTIES: i32 = 1_000_506_002;
/// `VkPhysicalDeviceCooperativeMatrix2PropertiesNV`
const MATRIX_2_PROPERTIES: i32 = 1_000_593_002;
/// `VkPhysicalDeviceCooperativeVectorPropertiesNV`
const VECTOR_PROPERTIES: i32 = 1_000_491_001;
/// `VkPhysicalDeviceSubgroupSizeControlProperties`
const SUBGROUP_SIZE_CONTROL_PROPERTIES: i32 = 1_000_225_000;
/// `VkPhysicalDeviceSubgroupProperties`
const SUBGROUP_PROPERTIES: i32 = 1_000_094_000;
/// `VkCooperativeMatrixFlexibleDimensionsPropertiesNV`
const FLEXIBLE_DIMENSIONS: i32 = 1_000_593_001;

/// `VkCooperativeMatrixFlexibleDimensionsPropertiesNV`, which ash does not have yet.
#[repr(C)]
#[derive(Clone, Copy)]
struct FlexibleRow {
    kind: vk::StructureType,
    next: *mut c_void,
    m: u32,
    n: u32,
    k: u32,
    a: vk::ComponentTypeKHR,
    b: vk::ComponentTypeKHR,
    c: vk::ComponentTypeKHR,
    result: vk::ComponentTypeKHR,
    saturating: vk::Bool32,
    scope: vk::ScopeKHR,
    workgroup_invocations: u32,
}

/// `vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV`
type GetFlexibleRows =
    unsafe extern "system" fn(vk::PhysicalDevice, *mut u32, *mut FlexibleRow) -> vk::Result;

pub(crate) struct Asked<'a> {
    pub entry: &'a ash::Entry,
    pub instance: &'a ash::Instance,
    /// Of the loader.
    pub version: u32,
}

impl Asked<'_> {
    pub fn profile(&self, device: vk::PhysicalDevice) -> DeviceProfile {
        // SAFETY: `device` comes from this instance, here and below.
        let basic = unsafe { self.instance.get_physical_device_properties(device) };
        let title = text(&basic.device_name);
        let api = basic.api_version;
        let extensions = self.extensions(device);
        let mut profile = DeviceProfile {
            name: devices::name_of_title(&title),
            api_version: format!(
                "{}.{}.{}",
                vk::api_version_major(api),
                vk::api_version_minor(api),
                vk::api_version_patch(api)
            ),
            limits: Limits {
                max_compute_work_group_size: Some(basic.limits.max_compute_work_group_size),
                max_compute_work_group_invocations: Some(basic.limits.max_compute_work_group_invocations),
                max_compute_shared_memory_size: Some(basic.limits.max_compute_shared_memory_size),
                ..Limits::default()
            },
            title,
            vendor_id: Some(basic.vendor_id),
            ..DeviceProfile::default()
        };
        profile.source = "reported by the device's driver on this machine".to_owned();
        match &extensions {
            Some(names) => profile.extensions = names.iter().cloned().collect(),
            None => profile.incomplete.push(List::Extensions),
        }
        let extensions = extensions.unwrap_or_default();
        if api < vk::API_VERSION_1_1 || self.version < vk::API_VERSION_1_1 {
            // Without vkGetPhysicalDeviceFeatures2 there is no way to ask; without it there are no matrices either.
            profile.incomplete.push(List::Features);
            profile.incomplete.sort_unstable();
            return profile;
        }
        profile.features = self.features(device, api, &extensions);
        self.properties(device, api, &extensions, &mut profile);
        let has = |feature: &str| profile.features.iter().any(|name| name == feature);
        let (matrices, flexible) = (has("cooperativeMatrix"), has("cooperativeMatrixFlexibleDimensions"));
        if matrices {
            match self.rows(device) {
                Some(rows) => profile.cooperative_matrix_properties = rows,
                None => profile.incomplete.push(List::CooperativeMatrixProperties),
            }
        }
        if flexible {
            match self.flexible_rows(device) {
                Some(rows) => profile.cooperative_matrix_flexible_dimensions_properties = rows,
                None => profile.incomplete.push(List::CooperativeMatrixFlexibleDimensionsProperties),
            }
        }
        if has("cooperativeVector") {
            match self.vector_rows(device) {
                Some(rows) => profile.cooperative_vector_properties = rows,
                None => profile.incomplete.push(List::CooperativeVectorProperties),
            }
        }
        profile.incomplete.sort_unstable();
        profile
    }

    pub fn extensions(&self, device: vk::PhysicalDevice) -> Option<BTreeSet<String>> {
        // SAFETY: as in `profile`.
        let found = unsafe { self.instance.enumerate_device_extension_properties(device) }.ok()?;
        Some(found.iter().map(|extension| text(&extension.extension_name)).collect())
    }

    fn features(&self, device: vk::PhysicalDevice, api: u32, extensions: &BTreeSet<String>) -> Vec<String> {
        let reported = self.reported(device, api, extensions, STRUCTURES);
        let mut found = BTreeSet::new();
        let mut add = |names: &[&'static str], words: &[u32]| {
            let pairs = names.iter().zip(words);
            found.extend(pairs.filter(|(_, word)| **word != 0).map(|(name, _)| (*name).to_owned()));
        };
        add(CORE, &reported.core);
        for (structure, words) in &reported.structures {
            add(structure.features, &words.words);
        }
        found.into_iter().collect()
    }

    /// The features of those structures that the device knows. It needs vkGetPhysicalDeviceFeatures2, of Vulkan 1.1.
    pub fn reported(
        &self,
        device: vk::PhysicalDevice,
        api: u32,
        extensions: &BTreeSet<String>,
        structures: &'static [Structure],
    ) -> Reported {
        let has = |origin: &Origin| match *origin {
            Origin::Version(major, minor) => api >= vk::make_api_version(0, major, minor, 0),
            Origin::Extension(name) => extensions.contains(name),
        };
        let known = structures.iter().filter(|structure| structure.since.iter().any(has));
        let mut asked: Vec<(&'static Structure, Box<FeatureWords>)> = known
            .filter(|structure| structure.features.len() <= MEMBERS)
            .map(|structure| (structure, Box::new(Words::new(structure.kind))))
            .collect();
        let mut chain: *mut c_void = std::ptr::null_mut();
        for (_, words) in &mut asked {
            chain = words.link(chain);
        }
        let mut all = vk::PhysicalDeviceFeatures2 { p_next: chain, ..Default::default() };
        // SAFETY: each structure of the chain is a header and as many 32-bit members as Vulkan's structure of that type, or
        // more, and lives in its box until the end of this function.
        unsafe { self.instance.get_physical_device_features2(device, &mut all) };
        // `VkPhysicalDeviceFeatures` is a list of 32-bit booleans too.
        let core: [vk::Bool32; CORE_FEATURES] =
            // SAFETY: a structure of C layout with exactly this many members of type VkBool32, which the sizes confirm.
            unsafe { std::mem::transmute::<vk::PhysicalDeviceFeatures, [vk::Bool32; CORE_FEATURES]>(all.features) };
        Reported { core, structures: asked }
    }

    fn properties(
        &self,
        device: vk::PhysicalDevice,
        api: u32,
        extensions: &BTreeSet<String>,
        profile: &mut DeviceProfile,
    ) {
        let mut subgroup = Box::new(Words::<8>::new(SUBGROUP_PROPERTIES));
        let mut size_control = Box::new(Words::<8>::new(SUBGROUP_SIZE_CONTROL_PROPERTIES));
        let mut matrix = Box::new(Words::<8>::new(MATRIX_PROPERTIES));
        let mut matrix_2 = Box::new(Words::<8>::new(MATRIX_2_PROPERTIES));
        let mut vector = Box::new(Words::<8>::new(VECTOR_PROPERTIES));
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let has_driver = api >= vk::API_VERSION_1_2 || extensions.contains("VK_KHR_driver_properties");
        let has_size_control =
            api >= vk::API_VERSION_1_3 || extensions.contains("VK_EXT_subgroup_size_control");
        let mut chain: *mut c_void = subgroup.link(std::ptr::null_mut());
        if has_size_control {
            chain = size_control.link(chain);
        }
        if extensions.contains("VK_KHR_cooperative_matrix") {
            chain = matrix.link(chain);
        }
        if extensions.contains("VK_NV_cooperative_matrix2") {
            chain = matrix_2.link(chain);
        }
        if extensions.contains("VK_NV_cooperative_vector") {
            chain = vector.link(chain);
        }
        let has = |origin: &Origin| match *origin {
            Origin::Version(major, minor) => api >= vk::make_api_version(0, major, minor, 0),
            Origin::Extension(name) => extensions.contains(name),
        };
        let lists = PROPERTIES.iter().filter(|structure| structure.since.iter().any(has));
        let mut lists: Vec<(&Structure, Box<FeatureWords>)> =
            lists.map(|structure| (structure, Box::new(Words::new(structure.kind)))).collect();
        for (_, words) in &mut lists {
            chain = words.link(chain);
        }
        if has_driver {
            driver.p_next = chain;
            chain = std::ptr::from_mut(&mut driver).cast();
        }
        let mut all = vk::PhysicalDeviceProperties2 { p_next: chain, ..Default::default() };
        // SAFETY: each structure of the chain is a header and at least as many 32-bit members as Vulkan's structure of that
        // type, or ash's own, and lives until the end of this function.
        unsafe { self.instance.get_physical_device_properties2(device, &mut all) };
        let limits = &mut profile.limits;
        for (structure, words) in &lists {
            for (name, word) in structure.features.iter().zip(words.words) {
                let independence = || Independence::ALL.get(word as usize).copied();
                match *name {
                    "denormBehaviorIndependence" => limits.denorm_behavior_independence = independence(),
                    "roundingModeIndependence" => limits.rounding_mode_independence = independence(),
                    _ if word != 0 => profile.properties.push((*name).to_owned()),
                    _ => {}
                }
            }
        }
        profile.properties.sort_unstable();
        let default = subgroup.words[0];
        let operations = SubgroupOperation::ALL.iter().filter(|(_, bit, _)| subgroup.words[2] & bit != 0);
        limits.subgroup_supported_operations =
            Some(operations.map(|(.., name)| (*name).to_owned()).collect());
        if default.is_power_of_two() {
            let [min, max, subgroups, ..] = size_control.words;
            let known = has_size_control && min.is_power_of_two() && max.is_power_of_two() && min <= max;
            profile.subgroup_size = Some(if known {
                limits.max_compute_workgroup_subgroups = Some(subgroups);
                SubgroupSize { default: default.clamp(min, max), min, max }
            } else {
                SubgroupSize { default, min: default, max: default }
            });
        }
        if extensions.contains("VK_KHR_cooperative_matrix") {
            limits.cooperative_matrix_supported_stages = Some(stages(matrix.words[0]));
        }
        if extensions.contains("VK_NV_cooperative_matrix2") {
            let [workgroup, dimension, reserved, ..] = matrix_2.words;
            limits.cooperative_matrix_workgroup_scope_max_workgroup_size = Some(workgroup);
            limits.cooperative_matrix_flexible_dimensions_max_dimension = Some(dimension);
            limits.cooperative_matrix_workgroup_scope_reserved_shared_memory = Some(reserved);
        }
        if extensions.contains("VK_NV_cooperative_vector") {
            let [of, float16, float32, components, ..] = vector.words;
            limits.cooperative_vector_supported_stages = Some(stages(of));
            limits.cooperative_vector_training_float16_accumulation = Some(float16 != 0);
            limits.cooperative_vector_training_float32_accumulation = Some(float32 != 0);
            limits.max_cooperative_vector_components = Some(components);
        }
        if has_driver {
            let words = [text(&driver.driver_name), text(&driver.driver_info)];
            profile.driver = words.join(" ").trim().to_owned();
            let name = format!("{:?}", driver.driver_id);
            // A driver that is newer than the names is written as a number.
            if name.parse::<i32>().is_err() {
                profile.driver_id = format!("VK_DRIVER_ID_{name}");
            }
        }
    }

    fn rows(&self, device: vk::PhysicalDevice) -> Option<Vec<MatrixProperties>> {
        let functions = ash::khr::cooperative_matrix::Instance::new(self.entry, self.instance);
        // SAFETY: the device has the feature, so the function exists for it.
        let rows = unsafe { functions.get_physical_device_cooperative_matrix_properties(device) }.ok()?;
        let rows = rows.iter().filter_map(|row| {
            let types = types(
                [row.a_type, row.b_type, row.c_type, row.result_type],
                row.saturating_accumulation,
                row.scope,
            )?;
            let sizes = [row.m_size, row.n_size, row.k_size];
            (!sizes.contains(&0)).then_some(MatrixProperties { m: sizes[0], n: sizes[1], k: sizes[2], types })
        });
        Some(rows.collect())
    }

    fn flexible_rows(&self, device: vk::PhysicalDevice) -> Option<Vec<FlexibleDimensions>> {
        let name = c"vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV";
        // SAFETY: the instance is alive and the name ends with a zero.
        let function = unsafe { self.entry.get_instance_proc_addr(self.instance.handle(), name.as_ptr()) }?;
        // SAFETY: Vulkan declares the function of this name with this type.
        let function =
            unsafe { std::mem::transmute::<unsafe extern "system" fn(), GetFlexibleRows>(function) };
        let mut count = 0;
        // SAFETY: without an array the function writes the number of rows alone.
        let result = unsafe { function(device, &mut count, std::ptr::null_mut()) };
        if result != vk::Result::SUCCESS {
            return None;
        }
        let empty = FlexibleRow {
            kind: vk::StructureType::from_raw(FLEXIBLE_DIMENSIONS),
            next: std::ptr::null_mut(),
            m: 0,
            n: 0,
            k: 0,
            a: vk::ComponentTypeKHR::default(),
            b: vk::ComponentTypeKHR::default(),
            c: vk::ComponentTypeKHR::default(),
            result: vk::ComponentTypeKHR::default(),
            saturating: 0,
            scope: vk::ScopeKHR::default(),
            workgroup_invocations: 0,
        };
        let mut rows = vec![empty; count as usize];
        // SAFETY: the array has `count` structures whose headers are filled in.
        let result = unsafe { function(device, &mut count, rows.as_mut_ptr()) };
        if result != vk::Result::SUCCESS && result != vk::Result::INCOMPLETE {
            return None;
        }
        rows.truncate(count as usize);
        let rows = rows.iter().filter_map(|row| {
            let types = types([row.a, row.b, row.c, row.result], row.saturating, row.scope)?;
            let sizes = [row.m, row.n, row.k];
            sizes.iter().all(|size| size.is_power_of_two()).then_some(FlexibleDimensions {
                m: row.m,
                n: row.n,
                k: row.k,
                workgroup_invocations: row.workgroup_invocations,
                types,
            })
        });
        Some(rows.collect())
    }
}

/// A structure of features.
pub(crate) type FeatureWords = Words<MEMBERS>;

/// The features that a device has, by structure.
pub(crate) struct Reported {
    pub core: [vk::Bool32; CORE_FEATURES],
    pub structures: Vec<(&'static Structure, Box<FeatureWords>)>,
}

/// Members of `VkPhysicalDeviceFeatures`.
pub(crate) const CORE_FEATURES: usize = CORE.len();

/// Text of a fixed array of C characters, up to its zero.
pub(crate) fn text(chars: &[c_char]) -> String {
    // SAFETY: C's characters and bytes have one size, and any byte is valid.
    let bytes: &[u8] = unsafe { std::slice::from_raw_parts(chars.as_ptr().cast(), chars.len()) };
    CStr::from_bytes_until_nul(bytes).map_or_else(
        |_| String::from_utf8_lossy(bytes).into_owned(),
        |text| text.to_string_lossy().into_owned(),
    )
}

/// `None` for a combination that no GLSL matrix can have: a format that the language does not know.
fn types(
    components: [vk::ComponentTypeKHR; 4],
    saturating: vk::Bool32,
    scope: vk::ScopeKHR,
) -> Option<MatrixTypes> {
    let [a, b, c, result] =
        components.map(|component| devices::component_of_vulkan(u32::try_from(component.as_raw()).ok()?));
    let scope = match scope.as_raw() {
        1 => Scope::Device,
        2 => Scope::Workgroup,
        3 => Scope::Subgroup,
        5 => Scope::QueueFamily,
        _ => return None,
    };
    Some(MatrixTypes { a: a?, b: b?, c: c?, result: result?, saturating: saturating != 0, scope })
}

/// The names of the stages in a mask, as profiles write them.
fn stages(mask: u32) -> Vec<String> {
    devices::STAGES.iter().filter(|(bit, _)| mask & bit != 0).map(|(_, name)| (*name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_never_fails_in_another_way_than_by_saying_why() {
        match crate::devices() {
            Ok(found) => {
                for profile in found {
                    assert_eq!(DeviceProfile::parse(&profile.to_json()).as_ref(), Ok(&profile));
                }
            }
            Err(reason) => assert!(!reason.to_string().is_empty()),
        }
    }

    #[test]
    fn structures_of_features_are_no_wider_than_the_room_for_them() {
        assert_eq!(CORE_FEATURES * 4, size_of::<vk::PhysicalDeviceFeatures>());
        assert!(STRUCTURES.iter().all(|structure| structure.features.len() <= MEMBERS));
    }
}
