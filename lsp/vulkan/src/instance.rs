//! The loader, its instance, and its devices.

use std::fmt;
use std::sync::Arc;

use ash::vk;
use coopmat_analysis::devices::DeviceProfile;

use crate::profile::Asked;

/// Why no device could be asked.
#[derive(Debug)]
pub enum Unavailable {
    /// There is no Vulkan loader on this machine.
    Loader(String),
    /// The loader is there, but no driver that works.
    Instance(String),
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unavailable::Loader(reason) => write!(f, "no Vulkan loader was found: {reason}"),
            Unavailable::Instance(reason) => write!(f, "cannot initialize Vulkan: {reason}"),
        }
    }
}

impl std::error::Error for Unavailable {}

/// An instance, kept while anything made from it lives.
pub(crate) struct Instance {
    pub entry: ash::Entry,
    pub instance: ash::Instance,
    /// Of the loader.
    pub version: u32,
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: whatever is made from the instance holds an `Arc` of it, so that nothing is left here.
        unsafe { self.instance.destroy_instance(None) };
    }
}

/// Vulkan on this machine.
pub struct Vulkan {
    pub(crate) instance: Arc<Instance>,
}

impl Vulkan {
    /// Loads the loader and its drivers.
    ///
    /// # Errors
    /// That there is no loader, or no driver.
    pub fn open() -> Result<Vulkan, Unavailable> {
        // SAFETY: loading a library runs its initialisers. It is the system's Vulkan loader, which every Vulkan program loads.
        let entry = unsafe { ash::Entry::load() }.map_err(|error| Unavailable::Loader(error.to_string()))?;
        // SAFETY: a function without parameters or state.
        let version = unsafe { entry.try_enumerate_instance_version() };
        let version = version.ok().flatten().unwrap_or(vk::API_VERSION_1_0);
        // A loader of version 1.0 refuses higher ones; later loaders take any.
        let wanted = if version >= vk::API_VERSION_1_1 { vk::make_api_version(0, 1, 4, 0) } else { version };
        let application = vk::ApplicationInfo::default().api_version(wanted);
        let create = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: `create` and what it points at live until the call returns.
        let instance = unsafe { entry.create_instance(&create, None) }
            .map_err(|error| Unavailable::Instance(error.to_string()))?;
        Ok(Vulkan { instance: Arc::new(Instance { entry, instance, version }) })
    }

    /// What the devices report, in the loader's order.
    ///
    /// # Errors
    /// That the loader cannot list them.
    pub fn profiles(&self) -> Result<Vec<DeviceProfile>, Unavailable> {
        let asked = self.asked();
        Ok(self.physical_devices()?.into_iter().map(|device| asked.profile(device)).collect())
    }

    pub(crate) fn asked(&self) -> Asked<'_> {
        let Instance { entry, instance, version } = &*self.instance;
        Asked { entry, instance, version: *version }
    }

    pub(crate) fn physical_devices(&self) -> Result<Vec<vk::PhysicalDevice>, Unavailable> {
        // SAFETY: the instance is alive.
        let found = unsafe { self.instance.instance.enumerate_physical_devices() };
        found.map_err(|error| Unavailable::Instance(error.to_string()))
    }
}
