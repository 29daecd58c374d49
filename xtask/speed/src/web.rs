//! What `web.mjs` calls under Node: numbers only, so that it needs no glue.

use std::sync::{Mutex, PoisonError};

use coopmat_simulator::numerics::Mode;

use crate::{Product, Ready, fingerprint};

struct State {
    module: Vec<u8>,
    product: Option<Product>,
    ready: Option<Ready>,
}

static STATE: Mutex<State> = Mutex::new(State { module: Vec::new(), product: None, ready: None });

fn with<R>(f: impl FnOnce(&mut State) -> R) -> R {
    f(&mut STATE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The next byte of the shader's module.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn push(byte: u32) {
    with(|state| state.module.push(byte as u8));
}

/// The module is complete; 1 where it can be run. The mode is its place in [`Mode::ALL`].
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn load(tile: u32, mode: u32) -> u32 {
    with(|state| {
        let mode = Mode::ALL.get(mode as usize).copied().unwrap_or_default();
        state.product = Product::new(&state.module, tile as usize, mode).ok();
        u32::from(state.product.is_some())
    })
}

/// Everything before the dispatch.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn prepare() -> u32 {
    with(|state| {
        state.ready = state.product.as_ref().and_then(|product| product.prepare().ok());
        u32::from(state.ready.is_some())
    })
}

/// The dispatch.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn run() -> u32 {
    with(|state| u32::from(state.ready.as_mut().is_some_and(|ready| ready.run(None).is_ok())))
}

/// The fingerprint of the result.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn result() -> u32 {
    with(|state| state.ready.as_ref().map_or(0, |ready| fingerprint(&ready.result())))
}
