//! Whether a module and the scripts around it belong together: they are two files, and a host, a cache or a build may mix those of two versions.

use wasm_bindgen::prelude::wasm_bindgen;

/// Counted up whenever what the workers say to this crate changes, here and in `playground-web/shared/src/workers/instantiate.ts`.
const INTERFACE: u32 = 4;

#[wasm_bindgen(js_name = interfaceVersion)]
#[must_use]
pub fn interface_version() -> u32 {
    INTERFACE
}
