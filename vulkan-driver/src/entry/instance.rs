//! Instances, physical devices as a list, and VK_EXT_debug_utils.

use std::ffi::c_char;

use ash::vk::{self, Handle as _};

use super::call::{answer, create, enumerate, fixed, given, put, quiet, slice, text_of, value};
use crate::driver::{Message, Messenger};
use crate::facts::{VERSION, extensions};
use crate::fault::Fault;

type Allocator<'a> = *const vk::AllocationCallbacks<'a>;

pub unsafe extern "system" fn version(out: *mut u32) -> vk::Result {
    // SAFETY: a pointer of the program's, as Vulkan asks for.
    unsafe { put(out, VERSION) };
    vk::Result::SUCCESS
}

pub fn extension(name: &str, version: u32) -> vk::ExtensionProperties {
    vk::ExtensionProperties { extension_name: fixed(name), spec_version: version }
}

pub unsafe extern "system" fn enumerate_extensions(
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    if !layer.is_null() {
        return vk::Result::ERROR_LAYER_NOT_PRESENT;
    }
    let all: Vec<_> = extensions::INSTANCE.iter().map(|(name, version)| extension(name, *version)).collect();
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe { enumerate(count, out, &all) }
}

pub unsafe extern "system" fn enumerate_layers(
    count: *mut u32,
    _out: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe { put(count, 0) };
    vk::Result::SUCCESS
}

pub unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreateInstance", out, |driver| {
            let info = given(info, "pCreateInfo")?;
            for name in slice(info.pp_enabled_extension_names, info.enabled_extension_count) {
                let name = text_of(*name);
                // The loader implements surfaces itself, if it has some.
                if !extensions::INSTANCE.iter().any(|(known, _)| *known == name) {
                    return Err(Fault::missing(format!("the instance extension {name}"))
                        .with(vk::Result::ERROR_EXTENSION_NOT_PRESENT));
                }
            }
            driver.create_instance()
        })
    }
}

pub unsafe extern "system" fn destroy_instance(instance: vk::Instance, _allocator: Allocator<'_>) {
    quiet("vkDestroyInstance", |driver| driver.destroy_instance(instance.as_raw()));
}

pub unsafe extern "system" fn enumerate_devices(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDevice,
) -> vk::Result {
    answer("vkEnumeratePhysicalDevices", |driver| {
        let device = vk::PhysicalDevice::from_raw(driver.instance(instance.as_raw())?.physical_device);
        // SAFETY: pointers of the program's, as Vulkan asks for.
        Ok(unsafe { enumerate(count, out, &[device]) })
    })
}

pub unsafe extern "system" fn enumerate_groups(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceGroupProperties<'_>,
) -> vk::Result {
    answer("vkEnumeratePhysicalDeviceGroups", |driver| {
        let device = vk::PhysicalDevice::from_raw(driver.instance(instance.as_raw())?.physical_device);
        let mut devices = [vk::PhysicalDevice::null(); vk::MAX_DEVICE_GROUP_SIZE];
        devices[0] = device;
        // SAFETY: pointers of the program's, as Vulkan asks for; the structure's chain stays.
        unsafe {
            let room = count.as_ref().copied().unwrap_or(0);
            put(count, if out.is_null() { 1 } else { room.min(1) });
            if !out.is_null() && room > 0 {
                (*out).physical_device_count = 1;
                (*out).physical_devices = devices;
                (*out).subset_allocation = vk::FALSE;
            }
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn create_messenger(
    instance: vk::Instance,
    info: *const vk::DebugUtilsMessengerCreateInfoEXT<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::DebugUtilsMessengerEXT,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreateDebugUtilsMessengerEXT", out, |driver| {
            driver.instance(instance.as_raw())?;
            let info = given(info, "pCreateInfo")?;
            let Some(callback) = info.pfn_user_callback else {
                return Err(Fault::misuse("pfnUserCallback is null"));
            };
            Ok(driver.messengers.add(Messenger {
                severities: info.message_severity.as_raw(),
                types: info.message_type.as_raw(),
                callback: callback as usize,
                user_data: info.p_user_data as usize,
            }))
        })
    }
}

pub unsafe extern "system" fn destroy_messenger(
    _instance: vk::Instance,
    messenger: vk::DebugUtilsMessengerEXT,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroyDebugUtilsMessengerEXT", |driver| {
        driver.messengers.remove_any(messenger.as_raw()).map(drop)
    });
}

pub unsafe extern "system" fn submit_message(
    _instance: vk::Instance,
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
) {
    quiet("vkSubmitDebugUtilsMessageEXT", |driver| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let text = unsafe { text_of(given(data, "pCallbackData")?.p_message) };
        driver.messages.push(Message { severity: severity.as_raw(), id: "application", text });
        Ok(())
    });
}

pub unsafe extern "system" fn set_name(
    _device: vk::Device,
    info: *const vk::DebugUtilsObjectNameInfoEXT<'_>,
) -> vk::Result {
    answer("vkSetDebugUtilsObjectNameEXT", |driver| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let (info, name) = unsafe {
            let info = given(info, "pNameInfo")?;
            (info, text_of(info.p_object_name))
        };
        match name.is_empty() {
            true => driver.names.remove(&info.object_handle),
            false => driver.names.insert(info.object_handle, name),
        };
        Ok(vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn set_tag(
    _device: vk::Device,
    _info: *const vk::DebugUtilsObjectTagInfoEXT<'_>,
) -> vk::Result {
    // Tags are for layers: nobody reads them here.
    vk::Result::SUCCESS
}

pub unsafe extern "system" fn begin_queue_label(queue: vk::Queue, label: *const vk::DebugUtilsLabelEXT<'_>) {
    quiet("vkQueueBeginDebugUtilsLabelEXT", |driver| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let name = unsafe { text_of(given(label, "pLabelInfo")?.p_label_name) };
        let queue = driver.pointers.handle(queue.as_raw());
        driver.queues.get_mut(queue)?.labels.push(name);
        Ok(())
    });
}

pub unsafe extern "system" fn end_queue_label(queue: vk::Queue) {
    quiet("vkQueueEndDebugUtilsLabelEXT", |driver| {
        let queue = driver.pointers.handle(queue.as_raw());
        driver.queues.get_mut(queue)?.labels.pop();
        Ok(())
    });
}

pub unsafe extern "system" fn insert_queue_label(
    _queue: vk::Queue,
    _label: *const vk::DebugUtilsLabelEXT<'_>,
) {
    // Nothing comes between it and what follows.
}

pub unsafe extern "system" fn tools(
    device: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceToolProperties<'_>,
) -> vk::Result {
    value("vkGetPhysicalDeviceToolProperties", vk::Result::ERROR_UNKNOWN, |driver| {
        driver.physical_device(device.as_raw())?;
        let tool = vk::PhysicalDeviceToolProperties {
            name: fixed("coopmat-analyzer"),
            version: fixed(env!("CARGO_PKG_VERSION")),
            purposes: vk::ToolPurposeFlags::VALIDATION | vk::ToolPurposeFlags::MODIFYING_FEATURES,
            description: fixed("runs compute shaders on a simulator, which checks them"),
            ..Default::default()
        };
        // SAFETY: pointers of the program's, as Vulkan asks for.
        Ok(unsafe { enumerate(count, out, &[tool]) })
    })
}
