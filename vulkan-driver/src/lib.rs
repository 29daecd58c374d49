//! A Vulkan driver whose device is the simulator: the loader loads this library, and any compute program runs, as any device of the profiles,
//! with its shaders watched.
//!
//! | module | does |
//! |---|---|
//! | `entry` | the C functions, a file for each family; the only unsafe code |
//! | `driver` | everything that there is, behind one lock; what is reported |
//! | `handles`, `block`, `fault` | numbers for objects; memory that the program maps; why a call is not carried out |
//! | `facts` | the device: a profile, and Vulkan's minimum |
//! | `formats`, `images`, `made_images`, `texels` | formats of texels; images and views; calls about them; texels of a view as the simulator's images, and back |
//! | `memory`, `descriptors`, `pipelines`, `commands`, `sync` | the objects of a family, and what may be done with them |
//! | `objects` | queues, semaphores, fences and queries as data |
//! | `module` | a shader module, read |
//! | `hazards`, `ranges` | which commands are ordered with which; sets of bytes |
//! | `watched`, `ran`, `ordering` | what a dispatch accesses; commands that nothing orders, and memory that nobody wrote, are told |
//! | `queue` | submissions: commands in order, once what they wait for is signalled |
//! | `copies` | copies of images, and clears |
//! | `dispatch`, `bound_images` | a dispatch on the simulator, and its images |
//! | `robustness` | whether accesses out of bounds are allowed |
//! | `capture`, `captured_images`, `captured_addresses` | a dispatch as a recipe; its images; the addresses that it is given |
//! | `exchange` | shader modules as files |
//! | `threads` | the threads for workgroups |

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod block;
mod bound_images;
mod capture;
mod captured_addresses;
mod captured_images;
mod commands;
mod copies;
mod descriptors;
mod dispatch;
#[cfg(test)]
mod documentation;
mod driver;
pub mod entry;
mod exchange;
mod facts;
mod fault;
mod formats;
mod handles;
mod hazards;
mod images;
mod made_images;
mod memory;
mod module;
mod objects;
mod ordering;
mod pipelines;
mod placing;
mod queue;
mod ran;
mod ranges;
mod robustness;
#[path = "../../lsp/core/src/shapes.rs"]
mod shapes;
mod sync;
mod texels;
mod threads;
mod watched;
