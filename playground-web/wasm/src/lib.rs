//! What the page and the editors' web extensions call: thin layers over the crates that do the work.
//!
//! One module, loaded by each worker that needs it. Nothing here waits: a worker asks for the next piece of work, does it, and
//! looks at its messages before it asks again.

mod configure;
mod contents;
mod debug;
mod describe;
mod edit;
mod files;
mod interface;
mod module;
mod ownership;
mod places;
mod prepare;
pub mod record;
mod server;
mod shader;
mod simulator;
#[cfg(test)]
mod typescript;

pub use contents::Contents;
pub use debug::Debugger;
pub use edit::edit_toml;
pub use interface::interface_version;
pub use ownership::{OwnershipMap, ownership, ownership_names};
pub use server::Server;
pub use simulator::{Ran, Simulator};
