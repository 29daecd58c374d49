//! What the loader calls, and where programs get the addresses of functions from.

use std::ffi::c_char;

use ash::vk::{self, Handle as _};

use super::call::name_of;
use super::list;

/// A function of the loader's interface: the version that both speak.
///
/// # Safety
/// As in Vulkan's loader interface: a pointer to a version.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdNegotiateLoaderICDInterfaceVersion(version: *mut u32) -> vk::Result {
    /// The newest version in which nothing is asked of drivers that is not here.
    const NEWEST: u32 = 5;
    // SAFETY: the loader gives a pointer to its own version.
    let Some(version) = (unsafe { version.as_mut() }) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    if *version < 2 {
        return vk::Result::ERROR_INCOMPATIBLE_DRIVER;
    }
    *version = (*version).min(NEWEST);
    vk::Result::SUCCESS
}

/// The address of any function.
///
/// # Safety
/// As vkGetInstanceProcAddr.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetInstanceProcAddr(
    _instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the name ends with a zero, as Vulkan asks for.
    let name = unsafe { name_of(name) }?;
    list::find(name).map(|(_, function)| function)
}

/// The address of a function whose first argument is a physical device.
///
/// # Safety
/// As vkGetInstanceProcAddr.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetPhysicalDeviceProcAddr(
    _instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the name ends with a zero, as Vulkan asks for.
    let name = unsafe { name_of(name) }?;
    list::find(name).filter(|(scope, _)| *scope == list::Scope::PhysicalDevice).map(|(_, function)| function)
}

pub unsafe extern "system" fn instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: a text of the program's, as Vulkan asks for.
    let name = unsafe { name_of(name) }?;
    let (scope, function) = list::find(name)?;
    (!instance.is_null() || scope == list::Scope::Global).then_some(function)
}

pub unsafe extern "system" fn device_proc_addr(
    _device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: a text of the program's, as Vulkan asks for.
    let name = unsafe { name_of(name) }?;
    list::find(name).filter(|(scope, _)| *scope == list::Scope::Device).map(|(_, function)| function)
}
