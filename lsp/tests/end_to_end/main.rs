//! The real binary: as a language server that a client talks JSON-RPC with, and as a command line.

mod actions;
mod assembly;
#[cfg(unix)]
mod capture;
mod client;
mod command_line;
mod completion;
mod debugging;
mod devices;
mod dispatches;
#[cfg(target_os = "linux")]
mod driver_process;
mod embedded;
mod folders;
mod formatting;
mod guess;
mod import;
mod levels;
mod limits;
mod modules;
mod navigation;
mod not_open;
mod ownerships;
mod performance;
mod preamble;
mod preview;
mod protocol;
mod reading;
mod recipe_values;
mod reduce;
mod renaming;
mod run;
mod schemas;
mod server;
#[cfg(unix)]
mod setting_up;
mod sources;
mod spirv;
mod storm;
mod sweeps;
mod tiers;
mod transport;
mod trust;
mod tune;
mod unanalysed;
mod unmatched;
mod variants;
#[cfg(unix)]
mod vulkan;
mod wgsl;
