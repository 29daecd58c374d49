//! Whether a device has what would do, as far as its profile tells.

use coopmat_analysis::devices::{DeviceProfile, List};
use coopmat_spirv::vulkan::{self, Means, Origin, Structure, SubgroupOperation};

/// Nothing where the profile does not tell.
pub fn has_any(profile: &DeviceProfile, any: &[Means]) -> Option<bool> {
    if any.is_empty() {
        return None;
    }
    either(any.iter().map(|means| has(profile, means)))
}

/// True as soon as one is, false when all are.
fn either(found: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(false);
    for one in found {
        match one {
            Some(true) => return Some(true),
            Some(false) => {}
            None => all = None,
        }
    }
    all
}

fn has(profile: &DeviceProfile, means: &Means) -> Option<bool> {
    match means {
        Means::Whole(origin) => came_with(profile, origin),
        Means::Feature { name, from } => feature(profile, name, from),
        Means::Subgroup(operation, origin) => {
            let origin = came_with(profile, origin);
            match &profile.limits.subgroup_supported_operations {
                _ if origin == Some(false) => Some(false),
                Some(names) => Some(names.iter().any(|name| name == operation.name())),
                // Every device with a compute queue has these (VkPhysicalDeviceSubgroupProperties).
                None if *operation == SubgroupOperation::Basic => origin,
                None => None,
            }
        }
        Means::FloatControl(control, width) => profile.property(&control.property(*width)),
    }
}

fn came_with(profile: &DeviceProfile, origin: &Origin) -> Option<bool> {
    match origin {
        Origin::Version(major, minor) => {
            // Vulkan 1.0 is what there is at least.
            let mut parts = profile.api_version.split('.').map(|part| part.parse::<u32>().ok());
            let version = (parts.next().flatten(), parts.next().flatten());
            match version {
                (Some(a), Some(b)) => Some((a, b) >= (*major, *minor)),
                _ if (*major, *minor) == (1, 0) => Some(true),
                _ => None,
            }
        }
        Origin::Extension(name) => profile.extension(name),
    }
}

fn feature(profile: &DeviceProfile, name: &str, from: &[Origin]) -> Option<bool> {
    if either(from.iter().map(|origin| came_with(profile, origin))) == Some(false) {
        return Some(false);
    }
    // A profile's name stands for the newer of two features that are called the same.
    let is_older = |structure: &Structure| {
        structure.features.contains(&name) && structure.since.iter().all(|origin| from.contains(origin))
    };
    if vulkan::OLDER.iter().any(is_older) {
        return None;
    }
    if profile.has_feature(name) {
        return Some(true);
    }
    if profile.missing_features.iter().any(|feature| feature == name) {
        return Some(false);
    }
    (profile.knows(List::Features) && !is_unasked(profile, from)).then_some(false)
}

/// Whether the device has an extension and none of its features is listed: a device has at least one, so that nobody asked for them.
fn is_unasked(profile: &DeviceProfile, from: &[Origin]) -> bool {
    let mut present = false;
    for origin in from {
        match origin {
            Origin::Version(..) if came_with(profile, origin) == Some(true) => return false,
            Origin::Extension(name) if profile.extension(name) == Some(true) => {
                if vulkan::features_of(name).any(|feature| profile.has_feature(feature)) {
                    return false;
                }
                present = true;
            }
            _ => {}
        }
    }
    present
}
