//! What a buffer holds, for the page: its numbers, its bytes, what it is.

use coopmat_recipe::Plan;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::describe;

#[wasm_bindgen]
pub struct Contents {
    info: String,
    values: Vec<f64>,
    expected: Option<Vec<f64>>,
    bytes: Vec<u8>,
}

#[wasm_bindgen]
impl Contents {
    /// `BufferInfo` as JSON.
    pub fn info(&self) -> String {
        self.info.clone()
    }

    /// The elements in the order of the shape; none for a buffer of members alone.
    #[wasm_bindgen(js_name = takeValues)]
    pub fn take_values(&mut self) -> Vec<f64> {
        std::mem::take(&mut self.values)
    }

    /// What the first expectation expects of them.
    #[wasm_bindgen(js_name = takeExpected)]
    pub fn take_expected(&mut self) -> Option<Vec<f64>> {
        self.expected.take()
    }

    #[wasm_bindgen(js_name = takeBytes)]
    pub fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}

impl Contents {
    pub fn before(plan: &Plan, index: usize) -> Option<Contents> {
        let bytes = plan.buffers.get(index)?.bytes.clone();
        Contents::after(plan, index, bytes)
    }

    pub fn after(plan: &Plan, index: usize, bytes: Vec<u8>) -> Option<Contents> {
        let buffer = plan.buffers.get(index)?;
        let values = buffer.elements(&bytes).map(|tensor| tensor.data).unwrap_or_default();
        // What a buffer holds in the end is compared with what is expected then.
        let last = plan.dispatches.len().saturating_sub(1);
        let expectation = plan.expectations.iter().find(|one| (one.buffer, one.after) == (index, last));
        let info = describe::buffer(plan, index, expectation.map(|one| one.reference.as_str()))?;
        Some(Contents {
            info: describe::json(&info),
            values,
            expected: expectation.map(|one| one.expected.data.clone()),
            bytes,
        })
    }
}
