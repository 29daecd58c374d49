//! The C functions. Each reads its arguments into values of Rust, calls safe code, and writes what comes of it; a panic ends here.
//!
//! All `unsafe` of the crate is in these files, and rests on what Vulkan asks of every program ("Valid Usage", "Implicit Valid Usage"): a pointer
//! that is not null points to what its type says, as many of them as its count says, and structures of a chain are what their `sType` says.
//! Handles need not be valid: they are looked up.

#![allow(unsafe_code)]

mod barriers;
mod call;
mod commands;
mod copies;
mod descriptors;
mod device;
mod formats;
mod images;
mod instance;
pub(crate) mod list;
mod loader;
mod memory;
mod numbers;
mod physical;
mod pipelines;
mod properties;
mod queries;
mod sync;

pub use loader::{
    vk_icdGetInstanceProcAddr, vk_icdGetPhysicalDeviceProcAddr, vk_icdNegotiateLoaderICDInterfaceVersion,
};
