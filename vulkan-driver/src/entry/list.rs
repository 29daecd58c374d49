//! The one list of functions: by name, with the file that has them. Programs get addresses from it, and the documentation its table.

use ash::vk;

use super::call::run;
use super::{
    barriers, commands, copies, descriptors, device, formats, images, instance, loader, memory, physical,
    pipelines, properties, queries, sync,
};
use crate::fault::Fault;

/// What the first argument of a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Nothing that exists already.
    Global,
    Instance,
    PhysicalDevice,
    /// A device, a queue or a command buffer.
    Device,
}

/// A function, as documentation has it.
#[cfg(test)]
pub struct Listed {
    pub names: &'static [&'static str],
    /// Where it is, or nothing for what is refused.
    pub file: Option<&'static str>,
}

type Function = unsafe extern "system" fn();

macro_rules! functions {
    ($($scope:ident: $($name:literal $(or $alias:literal)* is $type:ty = $file:ident::$function:ident;)*)*) => {
        /// Every function that does something.
        #[cfg(test)]
        pub const LIST: &[Listed] = &[
            $($(Listed { names: &[$name $(, $alias)*], file: Some(stringify!($file)) },)*)*
        ];

        fn listed(name: &str) -> Option<(Scope, Function)> {
            Some(match name {
                $($(
                    $name $(| $alias)* => {
                        let function: $type = $file::$function;
                        // SAFETY: every function of Vulkan is passed on as one without arguments, and called as what its name says, which is this type.
                        (Scope::$scope, unsafe { std::mem::transmute::<$type, Function>(function) })
                    }
                )*)*
                _ => return None,
            })
        }
    };
}

macro_rules! refusals {
    ($($name:literal)*) => {
        /// Functions of Vulkan 1.3 that the driver does not have: they say so.
        #[cfg(test)]
        pub const REFUSED: &[&str] = &[$($name),*];

        fn refused(name: &str) -> Option<Function> {
            Some(match name {
                $(
                    $name => {
                        unsafe extern "system" fn refuse() -> vk::Result {
                            refuse_call($name)
                        }
                        // SAFETY: the function takes no arguments, so that it ignores those that there are (on the platforms of 64 bits, where
                        // the caller cleans up), and answers as all that answer do.
                        unsafe { std::mem::transmute::<unsafe extern "system" fn() -> vk::Result, Function>(refuse) }
                    }
                )*
                _ => return None,
            })
        }
    };
}

fn refuse_call(name: &'static str) -> vk::Result {
    let refused: Result<(), vk::Result> = run(name, |_| {
        Err(Fault::missing("this function: the driver has compute pipelines, buffers and images"))
    });
    refused.err().unwrap_or(vk::Result::ERROR_FEATURE_NOT_PRESENT)
}

/// A function by its name.
pub fn find(name: &str) -> Option<(Scope, Function)> {
    listed(name).or_else(|| refused(name).map(|function| (Scope::Device, function)))
}

functions! {
    Global:
    "vkCreateInstance" is vk::PFN_vkCreateInstance = instance::create_instance;
    "vkEnumerateInstanceExtensionProperties" is vk::PFN_vkEnumerateInstanceExtensionProperties = instance::enumerate_extensions;
    "vkEnumerateInstanceLayerProperties" is vk::PFN_vkEnumerateInstanceLayerProperties = instance::enumerate_layers;
    "vkEnumerateInstanceVersion" is vk::PFN_vkEnumerateInstanceVersion = instance::version;
    "vkGetInstanceProcAddr" is vk::PFN_vkGetInstanceProcAddr = loader::instance_proc_addr;

    Instance:
    "vkCreateDebugUtilsMessengerEXT" is vk::PFN_vkCreateDebugUtilsMessengerEXT = instance::create_messenger;
    "vkDestroyDebugUtilsMessengerEXT" is vk::PFN_vkDestroyDebugUtilsMessengerEXT = instance::destroy_messenger;
    "vkDestroyInstance" is vk::PFN_vkDestroyInstance = instance::destroy_instance;
    "vkEnumeratePhysicalDeviceGroups" or "vkEnumeratePhysicalDeviceGroupsKHR" is vk::PFN_vkEnumeratePhysicalDeviceGroups = instance::enumerate_groups;
    "vkEnumeratePhysicalDevices" is vk::PFN_vkEnumeratePhysicalDevices = instance::enumerate_devices;
    "vkSubmitDebugUtilsMessageEXT" is vk::PFN_vkSubmitDebugUtilsMessageEXT = instance::submit_message;

    PhysicalDevice:
    "vkCreateDevice" is vk::PFN_vkCreateDevice = physical::create_device;
    "vkEnumerateDeviceExtensionProperties" is vk::PFN_vkEnumerateDeviceExtensionProperties = physical::enumerate_extensions;
    "vkEnumerateDeviceLayerProperties" is vk::PFN_vkEnumerateDeviceLayerProperties = physical::enumerate_layers;
    "vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV" is physical::GetFlexibleRows = physical::flexible_matrices;
    "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR" is vk::PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR = physical::matrices;
    "vkGetPhysicalDeviceExternalBufferProperties" or "vkGetPhysicalDeviceExternalBufferPropertiesKHR" is vk::PFN_vkGetPhysicalDeviceExternalBufferProperties = physical::external_buffer;
    "vkGetPhysicalDeviceExternalFenceProperties" or "vkGetPhysicalDeviceExternalFencePropertiesKHR" is vk::PFN_vkGetPhysicalDeviceExternalFenceProperties = physical::external_fence;
    "vkGetPhysicalDeviceExternalSemaphoreProperties" or "vkGetPhysicalDeviceExternalSemaphorePropertiesKHR" is vk::PFN_vkGetPhysicalDeviceExternalSemaphoreProperties = physical::external_semaphore;
    "vkGetPhysicalDeviceFeatures" is vk::PFN_vkGetPhysicalDeviceFeatures = physical::get_features;
    "vkGetPhysicalDeviceFeatures2" or "vkGetPhysicalDeviceFeatures2KHR" is vk::PFN_vkGetPhysicalDeviceFeatures2 = physical::get_features2;
    "vkGetPhysicalDeviceFormatProperties" is vk::PFN_vkGetPhysicalDeviceFormatProperties = formats::format;
    "vkGetPhysicalDeviceFormatProperties2" or "vkGetPhysicalDeviceFormatProperties2KHR" is vk::PFN_vkGetPhysicalDeviceFormatProperties2 = formats::format2;
    "vkGetPhysicalDeviceImageFormatProperties" is vk::PFN_vkGetPhysicalDeviceImageFormatProperties = formats::image_format;
    "vkGetPhysicalDeviceImageFormatProperties2" or "vkGetPhysicalDeviceImageFormatProperties2KHR" is vk::PFN_vkGetPhysicalDeviceImageFormatProperties2 = formats::image_format2;
    "vkGetPhysicalDeviceMemoryProperties" is vk::PFN_vkGetPhysicalDeviceMemoryProperties = physical::get_memory;
    "vkGetPhysicalDeviceMemoryProperties2" or "vkGetPhysicalDeviceMemoryProperties2KHR" is vk::PFN_vkGetPhysicalDeviceMemoryProperties2 = physical::get_memory2;
    "vkGetPhysicalDeviceProperties" is vk::PFN_vkGetPhysicalDeviceProperties = properties::get_properties;
    "vkGetPhysicalDeviceProperties2" or "vkGetPhysicalDeviceProperties2KHR" is vk::PFN_vkGetPhysicalDeviceProperties2 = properties::get_properties2;
    "vkGetPhysicalDeviceQueueFamilyProperties" is vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties = physical::queue_families;
    "vkGetPhysicalDeviceQueueFamilyProperties2" or "vkGetPhysicalDeviceQueueFamilyProperties2KHR" is vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties2 = physical::queue_families2;
    "vkGetPhysicalDeviceSparseImageFormatProperties" is vk::PFN_vkGetPhysicalDeviceSparseImageFormatProperties = formats::sparse_formats;
    "vkGetPhysicalDeviceSparseImageFormatProperties2" or "vkGetPhysicalDeviceSparseImageFormatProperties2KHR" is vk::PFN_vkGetPhysicalDeviceSparseImageFormatProperties2 = formats::sparse_formats2;
    "vkGetPhysicalDeviceToolProperties" or "vkGetPhysicalDeviceToolPropertiesEXT" is vk::PFN_vkGetPhysicalDeviceToolProperties = instance::tools;

    Device:
    "vkAllocateCommandBuffers" is vk::PFN_vkAllocateCommandBuffers = commands::allocate;
    "vkAllocateDescriptorSets" is vk::PFN_vkAllocateDescriptorSets = descriptors::allocate;
    "vkAllocateMemory" is vk::PFN_vkAllocateMemory = memory::allocate;
    "vkBeginCommandBuffer" is vk::PFN_vkBeginCommandBuffer = commands::begin;
    "vkBindBufferMemory" is vk::PFN_vkBindBufferMemory = memory::bind_buffer;
    "vkBindBufferMemory2" or "vkBindBufferMemory2KHR" is vk::PFN_vkBindBufferMemory2 = memory::bind_buffer2;
    "vkBindImageMemory" is vk::PFN_vkBindImageMemory = images::bind_image;
    "vkBindImageMemory2" or "vkBindImageMemory2KHR" is vk::PFN_vkBindImageMemory2 = images::bind_image2;
    "vkCmdBeginDebugUtilsLabelEXT" is vk::PFN_vkCmdBeginDebugUtilsLabelEXT = commands::begin_label;
    "vkCmdBindDescriptorSets" is vk::PFN_vkCmdBindDescriptorSets = commands::bind_sets;
    "vkCmdBindPipeline" is vk::PFN_vkCmdBindPipeline = commands::bind_pipeline;
    "vkCmdClearColorImage" is vk::PFN_vkCmdClearColorImage = copies::clear_color;
    "vkCmdCopyBuffer" is vk::PFN_vkCmdCopyBuffer = commands::copy;
    "vkCmdCopyBuffer2" or "vkCmdCopyBuffer2KHR" is vk::PFN_vkCmdCopyBuffer2 = commands::copy2;
    "vkCmdCopyBufferToImage" is vk::PFN_vkCmdCopyBufferToImage = copies::to_image;
    "vkCmdCopyBufferToImage2" or "vkCmdCopyBufferToImage2KHR" is vk::PFN_vkCmdCopyBufferToImage2 = copies::to_image2;
    "vkCmdCopyImage" is vk::PFN_vkCmdCopyImage = copies::copy_image;
    "vkCmdCopyImage2" or "vkCmdCopyImage2KHR" is vk::PFN_vkCmdCopyImage2 = copies::copy_image2;
    "vkCmdCopyImageToBuffer" is vk::PFN_vkCmdCopyImageToBuffer = copies::to_buffer;
    "vkCmdCopyImageToBuffer2" or "vkCmdCopyImageToBuffer2KHR" is vk::PFN_vkCmdCopyImageToBuffer2 = copies::to_buffer2;
    "vkCmdCopyQueryPoolResults" is vk::PFN_vkCmdCopyQueryPoolResults = queries::copy_results;
    "vkCmdDispatch" is vk::PFN_vkCmdDispatch = commands::dispatch;
    "vkCmdDispatchBase" or "vkCmdDispatchBaseKHR" is vk::PFN_vkCmdDispatchBase = commands::dispatch_base;
    "vkCmdDispatchIndirect" is vk::PFN_vkCmdDispatchIndirect = commands::dispatch_indirect;
    "vkCmdEndDebugUtilsLabelEXT" is vk::PFN_vkCmdEndDebugUtilsLabelEXT = commands::end_label;
    "vkCmdExecuteCommands" is vk::PFN_vkCmdExecuteCommands = commands::execute;
    "vkCmdFillBuffer" is vk::PFN_vkCmdFillBuffer = commands::fill;
    "vkCmdInsertDebugUtilsLabelEXT" is vk::PFN_vkCmdInsertDebugUtilsLabelEXT = commands::insert_label;
    "vkCmdPipelineBarrier" is vk::PFN_vkCmdPipelineBarrier = barriers::barrier;
    "vkCmdPipelineBarrier2" or "vkCmdPipelineBarrier2KHR" is vk::PFN_vkCmdPipelineBarrier2 = barriers::barrier2;
    "vkCmdPushConstants" is vk::PFN_vkCmdPushConstants = commands::push_constants;
    "vkCmdPushDescriptorSetKHR" is vk::PFN_vkCmdPushDescriptorSetKHR = commands::push_descriptors;
    "vkCmdPushDescriptorSetWithTemplateKHR" is vk::PFN_vkCmdPushDescriptorSetWithTemplateKHR = commands::push_with_template;
    "vkCmdResetEvent" is vk::PFN_vkCmdResetEvent = barriers::reset_event;
    "vkCmdResetEvent2" or "vkCmdResetEvent2KHR" is vk::PFN_vkCmdResetEvent2 = barriers::reset_event2;
    "vkCmdResetQueryPool" is vk::PFN_vkCmdResetQueryPool = queries::reset_in_buffer;
    "vkCmdSetDeviceMask" or "vkCmdSetDeviceMaskKHR" is vk::PFN_vkCmdSetDeviceMask = commands::device_mask;
    "vkCmdSetEvent" is vk::PFN_vkCmdSetEvent = barriers::set_event;
    "vkCmdSetEvent2" or "vkCmdSetEvent2KHR" is vk::PFN_vkCmdSetEvent2 = barriers::set_event2;
    "vkCmdUpdateBuffer" is vk::PFN_vkCmdUpdateBuffer = commands::update;
    "vkCmdWaitEvents" is vk::PFN_vkCmdWaitEvents = barriers::wait_events;
    "vkCmdWaitEvents2" or "vkCmdWaitEvents2KHR" is vk::PFN_vkCmdWaitEvents2 = barriers::wait_events2;
    "vkCmdWriteTimestamp" is vk::PFN_vkCmdWriteTimestamp = queries::timestamp;
    "vkCmdWriteTimestamp2" or "vkCmdWriteTimestamp2KHR" is vk::PFN_vkCmdWriteTimestamp2 = queries::timestamp2;
    "vkCreateBuffer" is vk::PFN_vkCreateBuffer = memory::create_buffer;
    "vkCreateBufferView" is vk::PFN_vkCreateBufferView = images::create_buffer_view;
    "vkCreateCommandPool" is vk::PFN_vkCreateCommandPool = commands::create_pool;
    "vkCreateComputePipelines" is vk::PFN_vkCreateComputePipelines = pipelines::create_compute;
    "vkCreateDescriptorPool" is vk::PFN_vkCreateDescriptorPool = descriptors::create_pool;
    "vkCreateDescriptorSetLayout" is vk::PFN_vkCreateDescriptorSetLayout = descriptors::create_layout;
    "vkCreateDescriptorUpdateTemplate" or "vkCreateDescriptorUpdateTemplateKHR" is vk::PFN_vkCreateDescriptorUpdateTemplate = descriptors::create_template;
    "vkCreateEvent" is vk::PFN_vkCreateEvent = sync::create_event;
    "vkCreateFence" is vk::PFN_vkCreateFence = sync::create_fence;
    "vkCreateImage" is vk::PFN_vkCreateImage = images::create_image;
    "vkCreateImageView" is vk::PFN_vkCreateImageView = images::create_image_view;
    "vkCreatePipelineCache" is vk::PFN_vkCreatePipelineCache = pipelines::create_cache;
    "vkCreatePipelineLayout" is vk::PFN_vkCreatePipelineLayout = pipelines::create_layout;
    "vkCreatePrivateDataSlot" or "vkCreatePrivateDataSlotEXT" is vk::PFN_vkCreatePrivateDataSlot = device::create_private_data;
    "vkCreateQueryPool" is vk::PFN_vkCreateQueryPool = queries::create_pool;
    "vkCreateSampler" is vk::PFN_vkCreateSampler = images::create_sampler;
    "vkCreateSemaphore" is vk::PFN_vkCreateSemaphore = sync::create_semaphore;
    "vkCreateShaderModule" is vk::PFN_vkCreateShaderModule = pipelines::create_module;
    "vkDestroyBuffer" is vk::PFN_vkDestroyBuffer = memory::destroy_buffer;
    "vkDestroyBufferView" is vk::PFN_vkDestroyBufferView = images::destroy_buffer_view;
    "vkDestroyCommandPool" is vk::PFN_vkDestroyCommandPool = commands::destroy_pool;
    "vkDestroyDescriptorPool" is vk::PFN_vkDestroyDescriptorPool = descriptors::destroy_pool;
    "vkDestroyDescriptorSetLayout" is vk::PFN_vkDestroyDescriptorSetLayout = descriptors::destroy_layout;
    "vkDestroyDescriptorUpdateTemplate" or "vkDestroyDescriptorUpdateTemplateKHR" is vk::PFN_vkDestroyDescriptorUpdateTemplate = descriptors::destroy_template;
    "vkDestroyDevice" is vk::PFN_vkDestroyDevice = device::destroy_device;
    "vkDestroyEvent" is vk::PFN_vkDestroyEvent = sync::destroy_event;
    "vkDestroyFence" is vk::PFN_vkDestroyFence = sync::destroy_fence;
    "vkDestroyImage" is vk::PFN_vkDestroyImage = images::destroy_image;
    "vkDestroyImageView" is vk::PFN_vkDestroyImageView = images::destroy_image_view;
    "vkDestroyPipeline" is vk::PFN_vkDestroyPipeline = pipelines::destroy_pipeline;
    "vkDestroyPipelineCache" is vk::PFN_vkDestroyPipelineCache = pipelines::destroy_cache;
    "vkDestroyPipelineLayout" is vk::PFN_vkDestroyPipelineLayout = pipelines::destroy_layout;
    "vkDestroyPrivateDataSlot" or "vkDestroyPrivateDataSlotEXT" is vk::PFN_vkDestroyPrivateDataSlot = device::destroy_private_data;
    "vkDestroyQueryPool" is vk::PFN_vkDestroyQueryPool = queries::destroy_pool;
    "vkDestroySampler" is vk::PFN_vkDestroySampler = images::destroy_sampler;
    "vkDestroySemaphore" is vk::PFN_vkDestroySemaphore = sync::destroy_semaphore;
    "vkDestroyShaderModule" is vk::PFN_vkDestroyShaderModule = pipelines::destroy_module;
    "vkDeviceWaitIdle" is vk::PFN_vkDeviceWaitIdle = sync::device_idle;
    "vkEndCommandBuffer" is vk::PFN_vkEndCommandBuffer = commands::end;
    "vkFlushMappedMemoryRanges" is vk::PFN_vkFlushMappedMemoryRanges = memory::flush;
    "vkFreeCommandBuffers" is vk::PFN_vkFreeCommandBuffers = commands::free;
    "vkFreeDescriptorSets" is vk::PFN_vkFreeDescriptorSets = descriptors::free;
    "vkFreeMemory" is vk::PFN_vkFreeMemory = memory::free;
    "vkGetBufferDeviceAddress" or "vkGetBufferDeviceAddressKHR" or "vkGetBufferDeviceAddressEXT" is vk::PFN_vkGetBufferDeviceAddress = memory::address;
    "vkGetBufferMemoryRequirements" is vk::PFN_vkGetBufferMemoryRequirements = memory::buffer_requirements;
    "vkGetBufferMemoryRequirements2" or "vkGetBufferMemoryRequirements2KHR" is vk::PFN_vkGetBufferMemoryRequirements2 = memory::buffer_requirements2;
    "vkGetDescriptorSetLayoutSupport" or "vkGetDescriptorSetLayoutSupportKHR" is vk::PFN_vkGetDescriptorSetLayoutSupport = descriptors::layout_support;
    "vkGetDeviceBufferMemoryRequirements" or "vkGetDeviceBufferMemoryRequirementsKHR" is vk::PFN_vkGetDeviceBufferMemoryRequirements = memory::device_buffer_requirements;
    "vkGetDeviceGroupPeerMemoryFeatures" or "vkGetDeviceGroupPeerMemoryFeaturesKHR" is vk::PFN_vkGetDeviceGroupPeerMemoryFeatures = device::peer_memory;
    "vkGetDeviceImageMemoryRequirements" or "vkGetDeviceImageMemoryRequirementsKHR" is vk::PFN_vkGetDeviceImageMemoryRequirements = images::device_image_requirements;
    "vkGetDeviceImageSparseMemoryRequirements" or "vkGetDeviceImageSparseMemoryRequirementsKHR" is vk::PFN_vkGetDeviceImageSparseMemoryRequirements = images::device_sparse_requirements;
    "vkGetDeviceMemoryCommitment" is vk::PFN_vkGetDeviceMemoryCommitment = memory::commitment;
    "vkGetDeviceProcAddr" is vk::PFN_vkGetDeviceProcAddr = loader::device_proc_addr;
    "vkGetDeviceQueue" is vk::PFN_vkGetDeviceQueue = device::get_queue;
    "vkGetDeviceQueue2" is vk::PFN_vkGetDeviceQueue2 = device::get_queue2;
    "vkGetEventStatus" is vk::PFN_vkGetEventStatus = sync::event_status;
    "vkGetFenceStatus" is vk::PFN_vkGetFenceStatus = sync::fence_status;
    "vkGetImageMemoryRequirements" is vk::PFN_vkGetImageMemoryRequirements = images::image_requirements;
    "vkGetImageMemoryRequirements2" or "vkGetImageMemoryRequirements2KHR" is vk::PFN_vkGetImageMemoryRequirements2 = images::image_requirements2;
    "vkGetImageSparseMemoryRequirements" is vk::PFN_vkGetImageSparseMemoryRequirements = images::sparse_requirements;
    "vkGetImageSparseMemoryRequirements2" or "vkGetImageSparseMemoryRequirements2KHR" is vk::PFN_vkGetImageSparseMemoryRequirements2 = images::sparse_requirements2;
    "vkGetImageSubresourceLayout" is vk::PFN_vkGetImageSubresourceLayout = images::subresource_layout;
    "vkGetPipelineCacheData" is vk::PFN_vkGetPipelineCacheData = pipelines::cache_data;
    "vkGetPrivateData" or "vkGetPrivateDataEXT" is vk::PFN_vkGetPrivateData = device::get_private_data;
    "vkGetQueryPoolResults" is vk::PFN_vkGetQueryPoolResults = queries::results;
    "vkGetSemaphoreCounterValue" or "vkGetSemaphoreCounterValueKHR" is vk::PFN_vkGetSemaphoreCounterValue = sync::semaphore_value;
    "vkInvalidateMappedMemoryRanges" is vk::PFN_vkInvalidateMappedMemoryRanges = memory::flush;
    "vkMapMemory" is vk::PFN_vkMapMemory = memory::map;
    "vkMapMemory2KHR" is vk::PFN_vkMapMemory2KHR = memory::map2;
    "vkMergePipelineCaches" is vk::PFN_vkMergePipelineCaches = pipelines::merge_caches;
    "vkQueueBeginDebugUtilsLabelEXT" is vk::PFN_vkQueueBeginDebugUtilsLabelEXT = instance::begin_queue_label;
    "vkQueueEndDebugUtilsLabelEXT" is vk::PFN_vkQueueEndDebugUtilsLabelEXT = instance::end_queue_label;
    "vkQueueInsertDebugUtilsLabelEXT" is vk::PFN_vkQueueInsertDebugUtilsLabelEXT = instance::insert_queue_label;
    "vkQueueSubmit" is vk::PFN_vkQueueSubmit = sync::submit;
    "vkQueueSubmit2" or "vkQueueSubmit2KHR" is vk::PFN_vkQueueSubmit2 = sync::submit2;
    "vkQueueWaitIdle" is vk::PFN_vkQueueWaitIdle = sync::queue_idle;
    "vkResetCommandBuffer" is vk::PFN_vkResetCommandBuffer = commands::reset;
    "vkResetCommandPool" is vk::PFN_vkResetCommandPool = commands::reset_pool;
    "vkResetDescriptorPool" is vk::PFN_vkResetDescriptorPool = descriptors::reset_pool;
    "vkResetEvent" is vk::PFN_vkResetEvent = sync::reset_event;
    "vkResetFences" is vk::PFN_vkResetFences = sync::reset_fences;
    "vkResetQueryPool" or "vkResetQueryPoolEXT" is vk::PFN_vkResetQueryPool = queries::reset;
    "vkSetDebugUtilsObjectNameEXT" is vk::PFN_vkSetDebugUtilsObjectNameEXT = instance::set_name;
    "vkSetDebugUtilsObjectTagEXT" is vk::PFN_vkSetDebugUtilsObjectTagEXT = instance::set_tag;
    "vkSetEvent" is vk::PFN_vkSetEvent = sync::set_event;
    "vkSetPrivateData" or "vkSetPrivateDataEXT" is vk::PFN_vkSetPrivateData = device::set_private_data;
    "vkSignalSemaphore" or "vkSignalSemaphoreKHR" is vk::PFN_vkSignalSemaphore = sync::signal_semaphore;
    "vkTrimCommandPool" or "vkTrimCommandPoolKHR" is vk::PFN_vkTrimCommandPool = commands::trim_pool;
    "vkUnmapMemory" is vk::PFN_vkUnmapMemory = memory::unmap;
    "vkUnmapMemory2KHR" is vk::PFN_vkUnmapMemory2KHR = memory::unmap2;
    "vkUpdateDescriptorSetWithTemplate" or "vkUpdateDescriptorSetWithTemplateKHR" is vk::PFN_vkUpdateDescriptorSetWithTemplate = descriptors::update_with_template;
    "vkUpdateDescriptorSets" is vk::PFN_vkUpdateDescriptorSets = descriptors::update;
    "vkWaitForFences" is vk::PFN_vkWaitForFences = sync::wait_fences;
    "vkWaitSemaphores" or "vkWaitSemaphoresKHR" is vk::PFN_vkWaitSemaphores = sync::wait_semaphores;
}

refusals! {
    "vkCmdBeginQuery"
    "vkCmdBeginRenderPass"
    "vkCmdBeginRenderPass2"
    "vkCmdBeginRendering"
    "vkCmdBindIndexBuffer"
    "vkCmdBindVertexBuffers"
    "vkCmdBindVertexBuffers2"
    "vkCmdBlitImage"
    "vkCmdBlitImage2"
    "vkCmdClearAttachments"
    "vkCmdClearDepthStencilImage"
    "vkCmdDraw"
    "vkCmdDrawIndexed"
    "vkCmdDrawIndexedIndirect"
    "vkCmdDrawIndexedIndirectCount"
    "vkCmdDrawIndirect"
    "vkCmdDrawIndirectCount"
    "vkCmdEndQuery"
    "vkCmdEndRenderPass"
    "vkCmdEndRenderPass2"
    "vkCmdEndRendering"
    "vkCmdNextSubpass"
    "vkCmdNextSubpass2"
    "vkCmdResolveImage"
    "vkCmdResolveImage2"
    "vkCmdSetBlendConstants"
    "vkCmdSetCullMode"
    "vkCmdSetDepthBias"
    "vkCmdSetDepthBiasEnable"
    "vkCmdSetDepthBounds"
    "vkCmdSetDepthBoundsTestEnable"
    "vkCmdSetDepthCompareOp"
    "vkCmdSetDepthTestEnable"
    "vkCmdSetDepthWriteEnable"
    "vkCmdSetFrontFace"
    "vkCmdSetLineWidth"
    "vkCmdSetPrimitiveRestartEnable"
    "vkCmdSetPrimitiveTopology"
    "vkCmdSetRasterizerDiscardEnable"
    "vkCmdSetScissor"
    "vkCmdSetScissorWithCount"
    "vkCmdSetStencilCompareMask"
    "vkCmdSetStencilOp"
    "vkCmdSetStencilReference"
    "vkCmdSetStencilTestEnable"
    "vkCmdSetStencilWriteMask"
    "vkCmdSetViewport"
    "vkCmdSetViewportWithCount"
    "vkCreateFramebuffer"
    "vkCreateGraphicsPipelines"
    "vkCreateRenderPass"
    "vkCreateRenderPass2"
    "vkCreateSamplerYcbcrConversion"
    "vkDestroyFramebuffer"
    "vkDestroyRenderPass"
    "vkDestroySamplerYcbcrConversion"
    "vkGetBufferOpaqueCaptureAddress"
    "vkGetDeviceMemoryOpaqueCaptureAddress"
    "vkGetRenderAreaGranularity"
    "vkQueueBindSparse"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_there_once_and_found() {
        let mut names: Vec<&str> =
            LIST.iter().flat_map(|one| one.names).copied().chain(REFUSED.iter().copied()).collect();
        assert!(names.iter().all(|name| find(name).is_some()));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(find("vkNoSuchFunction").is_none());
    }
}
