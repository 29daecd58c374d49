//! The targets: each takes any bytes, gives them to one part, and asserts what must hold of the result.

mod analysis;
pub mod codegen;
mod files;
mod format;
mod inputs;
mod parser;
mod preprocessor;
mod server;
mod simulator;
mod spirv;
mod strings;

use crate::target::Target;

/// In the order of the flow.
pub const TARGETS: &[Target] = &[
    preprocessor::TARGET,
    parser::TARGET,
    analysis::TARGET,
    format::TARGET,
    server::TARGET,
    codegen::TARGET,
    spirv::TARGET,
    simulator::TARGET,
    files::RECIPE,
    files::PROJECT,
    strings::TARGET,
];

pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
