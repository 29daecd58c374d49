//! A conformance suite for cooperative matrices, its categories named after those of the Vulkan CTS.
//!
//! Every case is a shader that is generated for one choice of component types, use, layout, storage class and scope, run with
//! subgroups of 8, 16 and 32 invocations, and compared with a scalar reference that shares nothing with the simulator: number formats,
//! conversions and loops are written again here. Tolerances are the CTS's.
//!
//! `CONFORMANCE=full` runs the whole product of all axes, `CONFORMANCE_ONLY=word` those cases whose name contains a word,
//! `UPDATE=1` writes the counts into docs/conformance.md. `cargo xtask vulkan --conformance` runs the cases on a Vulkan device
//! (`devices`).

mod conversions;
mod devices;
mod elements;
mod kernel;
mod memory;
mod numbers;
mod nv2;
mod products;
mod qcom;
mod report;
mod tensors;
