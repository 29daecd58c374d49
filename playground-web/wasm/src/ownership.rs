//! Which invocation owns which element of a matrix, for the page's ownership view.

use coopmat_simulator::matrix::{Component, MatrixType, Scope, Use};
use coopmat_simulator::ownership::Ownership;
use wasm_bindgen::prelude::wasm_bindgen;

/// The places of one type's elements.
#[wasm_bindgen]
pub struct OwnershipMap {
    length: u32,
    invocations: u32,
    elements: Vec<u32>,
    note: Option<String>,
    source: String,
}

#[wasm_bindgen]
impl OwnershipMap {
    /// What `m.length()` is.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> u32 {
        self.length
    }

    #[wasm_bindgen(getter)]
    pub fn invocations(&self) -> u32 {
        self.invocations
    }

    /// At `invocation * length + i` the index in rows of the element that is `m[i]`; 0xffffffff where there is none.
    #[wasm_bindgen(getter)]
    pub fn elements(&self) -> Vec<u32> {
        self.elements.clone()
    }

    /// What was assumed because the ownership does not know the type.
    #[wasm_bindgen(getter)]
    pub fn note(&self) -> Option<String> {
        self.note.clone()
    }

    /// Where the ownership is known from.
    #[wasm_bindgen(getter)]
    pub fn source(&self) -> String {
        self.source.clone()
    }
}

/// The names that [`ownership`] knows; `shuffled:7` is another permutation than `shuffled`.
#[wasm_bindgen(js_name = ownershipNames)]
pub fn ownership_names() -> Vec<String> {
    Ownership::NAMES.map(str::to_owned).to_vec()
}

/// The most places of all invocations that one answer lists: copies included, more than any device has.
const MOST_PLACES: u64 = 1 << 22;

/// The ownership of a type by its names: `float16_t`, `A`, `subgroup`. What is not known is told in words.
#[wasm_bindgen]
pub fn ownership(
    name: &str,
    component: &str,
    rows: u32,
    columns: u32,
    use_: &str,
    scope: &str,
    invocations: u32,
) -> Result<OwnershipMap, String> {
    let ownership = Ownership::by_name(name)
        .ok_or_else(|| format!("no ownership is called {name}; there are {}", Ownership::NAMES.join(", ")))?;
    let component =
        Component::from_name(component).ok_or_else(|| format!("no component type is called {component}"))?;
    let use_ = [Use::A, Use::B, Use::Accumulator, Use::Unspecified]
        .into_iter()
        .find(|known| known.name() == use_)
        .ok_or_else(|| format!("a use is A, B or Accumulator, not {use_}"))?;
    let scope = [Scope::Subgroup, Scope::Workgroup]
        .into_iter()
        .find(|known| known.to_string() == scope)
        .ok_or_else(|| format!("a scope is subgroup or workgroup, not {scope}"))?;
    let type_ = MatrixType { component, scope, rows, columns, use_ };
    if !type_.is_allowed() {
        return Err(format!("a matrix of {rows}x{columns} is empty, or larger than the simulator's limit"));
    }
    if !(1..=1024).contains(&invocations) {
        return Err(format!("1 to 1024 invocations hold a matrix, not {invocations}"));
    }
    let map = ownership.map(&type_, invocations);
    let (length, invocations) = (map.length(), map.invocations());
    if u64::from(length) * u64::from(invocations) > MOST_PLACES {
        return Err(format!("{invocations} invocations with {length} elements each are too many to draw"));
    }
    Ok(OwnershipMap {
        length,
        invocations,
        elements: map.elements().to_vec(),
        note: map.note().map(str::to_owned),
        source: ownership.source().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_deals_elements_out_in_rows() {
        let map = ownership("plain", "float16_t", 16, 16, "A", "subgroup", 32).expect("a known type");
        assert_eq!((map.length(), map.invocations()), (8, 32));
        // Invocation 1 has the elements 1, 33, 65, ...
        assert_eq!(map.elements()[8..11], [1, 33, 65]);
        assert_eq!(map.note(), None);
    }

    #[test]
    fn every_name_is_known_and_what_is_assumed_is_told() {
        for name in ownership_names() {
            assert!(ownership(&name, "float32_t", 16, 16, "Accumulator", "subgroup", 32).is_ok(), "{name}");
        }
        let odd = ownership("nvidia-h200", "float16_t", 5, 7, "A", "subgroup", 32).expect("an assumption");
        assert!(odd.note().is_some());
    }

    #[test]
    fn what_is_not_known_is_told_in_words() {
        let refused = |name, component, rows, use_| {
            ownership(name, component, rows, 16, use_, "subgroup", 32).err().unwrap_or_default()
        };
        assert!(refused("mine", "float16_t", 16, "A").contains("nvidia-h200"));
        assert!(refused("plain", "half", 16, "A").contains("half"));
        assert!(refused("plain", "float16_t", 0, "A").contains("0x16"));
        assert!(refused("plain", "float16_t", 16, "C").contains("Accumulator"));
    }
}
