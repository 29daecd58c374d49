//! What the target device, or the configuration, says about the size of a subgroup. The device's rules about types and
//! multiply-adds are in `target_device`.

use crate::lower::Lowerer;

/// How many invocations a subgroup has.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubgroupSize {
    pub largest: u32,
    /// Known only where the configuration says it or the device has no choice.
    pub exact: Option<u32>,
}

/// The subgroup size, when the configuration or the device gives it.
pub(super) fn subgroup_size(lowerer: &Lowerer<'_>) -> Option<SubgroupSize> {
    if let Some(size) = lowerer.config.subgroup_size {
        return Some(SubgroupSize { largest: size, exact: Some(size) });
    }
    let profile = lowerer.config.device_profile()?;
    Some(SubgroupSize { largest: profile.subgroup_size?.max, exact: profile.fixed_subgroup_size() })
}
