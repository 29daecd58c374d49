//! The Vulkan devices of this machine: what they report, and compute shaders run on them. The loader is loaded when asked for,
//! so that a machine without Vulkan runs everything else.
//!
//! | module | does |
//! |---|---|
//! | `instance` | the loader, its instance, its devices |
//! | `profile` | a device as a profile: what it reports |
//! | `job` | what is run ([`Job`]) and what comes of it ([`Outcome`], [`Error`]) |
//! | `module` | what a module says about the pipeline and the memory that it needs |
//! | `requirements` | what a module needs (`coopmat_spirv::vulkan`), against what a device has, and what is enabled for it |
//! | `shapes` | the matrix types and products of a module, against those that a device has |
//! | `products` | the same of products of cooperative vectors |
//! | `vectors` | products of cooperative vectors that a device has, and matrices in its layouts |
//! | `execute`, `dispatching`, `resources` | Vulkan's calls: buffers, a pipeline, one dispatch, the buffers afterwards |
//! | `images` | the same of images and samplers |
//! | `statistics` | what a driver says about the pipeline that it compiled |
//! | `memory` | the one other C function: memory back to the system |
//!
//! This is the one crate of the product with `unsafe` code: Vulkan's functions are C functions. What a wrong job could do
//! to a driver is checked before the driver sees it, as far as a module tells it.

// No input ends the program: what cannot be is an error, or has an answer that harms nobody. Tests may.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![deny(missing_docs)]

mod dispatching;
mod execute;
mod images;
mod instance;
mod job;
mod memory;
mod module;
mod products;
mod profile;
mod requirements;
mod resources;
mod shapes;
mod statistics;
mod vectors;

use coopmat_analysis::devices::DeviceProfile;

pub use instance::{Unavailable, Vulkan};
pub use job::{
    Address, Binding, Bound, Buffer, BufferKind, Error, Image, Job, Matrix, MatrixForm, MatrixLayout,
    Outcome, Place, Sampler,
};

pub use memory::give_memory_back;
pub use statistics::{Executable, Statistic, StatisticValue};

/// What the devices of this machine report, in the loader's order.
///
/// # Errors
/// That there is no loader, or no driver.
pub fn devices() -> Result<Vec<DeviceProfile>, Unavailable> {
    Vulkan::open()?.profiles()
}

/// Runs one job on a device of this machine.
///
/// # Errors
/// See [`Error`].
pub fn execute(job: &Job) -> Result<Outcome, Error> {
    Vulkan::open().map_err(Error::Unavailable)?.execute(job)
}
