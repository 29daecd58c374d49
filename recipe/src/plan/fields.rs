//! Members of blocks and push constants as bytes.

use coopmat_simulator::program::types::{TypeId, Types};

use crate::component::Component;
use crate::interface::{self, Leaf, LeafKind};
use crate::model::{Field, FieldValue, Fields, Number};
use crate::read::{Fault, Place};
use crate::sizes::Sizes;

/// An address: offset, buffer's name, bytes from its start, place in the recipe.
pub type Pointer = (usize, String, u64, Place);

/// A block's bytes, and where addresses go.
#[derive(Default)]
pub struct Members {
    pub bytes: Vec<u8>,
    pub addresses: Vec<Pointer>,
}

/// The most bytes of members.
const MOST: usize = 1 << 20;

impl Members {
    fn reach(&mut self, end: usize, place: &Place) -> Result<(), Fault> {
        if end > MOST {
            return Err(
                place.fail(format!("members reach byte {end}: only {MOST} bytes of members are supported"))
            );
        }
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        Ok(())
    }

    fn put(
        &mut self,
        kind: LeafKind,
        offset: usize,
        value: &FieldValue,
        count_and_stride: Option<(usize, usize)>,
        sizes: &Sizes,
        place: &Place,
    ) -> Result<usize, Fault> {
        let (count, stride) = count_and_stride.unwrap_or((usize::MAX, kind.size()));
        let component = match kind {
            LeafKind::Number(component) => component,
            LeafKind::Address => Component::U64,
        };
        let numbers: &[Number] = match value {
            FieldValue::Address(address) => {
                if component.size() != 8 {
                    let message = format!("an address takes 8 bytes, but this is a {}", kind.name());
                    return Err(place.fail(message));
                }
                self.reach(offset + 8, place)?;
                self.addresses.push((offset, address.address.clone(), address.plus, place.clone()));
                return Ok(offset + 8);
            }
            FieldValue::One(number) => std::slice::from_ref(number),
            FieldValue::Several(numbers) => numbers,
        };
        if count != usize::MAX && matches!(value, FieldValue::Several(_)) && numbers.len() != count {
            let found = numbers.len();
            return Err(place.fail(format!(
                "expected {count} numbers, found {found}; a number without brackets is meant for all of them"
            )));
        }
        // One number is meant for all components.
        let times =
            if matches!(value, FieldValue::One(_)) && count != usize::MAX { count } else { numbers.len() };
        let mut end = offset;
        for index in 0..times {
            let at = offset + index * stride;
            let number = if numbers.len() == 1 { &numbers[0] } else { &numbers[index] };
            let (value, exact) = sizes.integer(number, place)?;
            component.holds_as_bits(value, exact).map_err(|reason| place.fail(reason))?;
            end = at + component.size();
            self.reach(end, place)?;
            match exact.filter(|_| component.is_wide_integer()) {
                Some(integer) => component.write_integer(&mut self.bytes, at, integer),
                None => component.write(&mut self.bytes, at, value),
            }
        }
        Ok(end)
    }
}

/// Writes members. `type_` is what the shader declares; without it only lists can be written.
pub fn write(
    fields: &Fields,
    type_: Option<(&Types, TypeId)>,
    sizes: &Sizes,
    place: &Place,
) -> Result<Members, Fault> {
    let mut written = Members::default();
    match fields {
        Fields::Listed(list) => {
            let mut end = 0;
            for (index, field) in list.iter().enumerate() {
                end = listed(field, end, sizes, &place.then(index), &mut written)?;
            }
        }
        Fields::Named(named) => {
            let Some((types, id)) = type_ else {
                return Err(place.fail(
                    "the shader declares no members here: write a list of `{ type = \"u32\", value = 1 }`",
                ));
            };
            let leaves = interface::leaves(types, id);
            let mut given = vec![false; leaves.len()];
            for (name, value) in named {
                let place = place.then(name.as_str());
                let index = find(&leaves, name).ok_or_else(|| {
                    let known: Vec<&str> = leaves.iter().map(|leaf| leaf.name.as_str()).collect();
                    place.fail(format!(
                        "the shader has no member `{name}` here; expected one of {}",
                        known.join(", ")
                    ))
                })?;
                let leaf = &leaves[index];
                given[index] = true;
                written.put(leaf.kind, leaf.offset, value, Some((leaf.count, leaf.stride)), sizes, &place)?;
            }
            let left: Vec<&str> = leaves
                .iter()
                .zip(&given)
                .filter(|(leaf, given)| !**given && leaf.count > 0)
                .map(|(leaf, _)| leaf.name.as_str())
                .collect();
            if !left.is_empty() {
                return Err(place.fail(format!("no value is given for {}", left.join(", "))));
            }
        }
    }
    Ok(written)
}

/// By the whole name, else by its last part where that is unique.
fn find(leaves: &[Leaf], name: &str) -> Option<usize> {
    if let Some(index) = leaves.iter().position(|leaf| leaf.name == name) {
        return Some(index);
    }
    let ends = |leaf: &Leaf| leaf.name.rsplit('.').next() == Some(name);
    let mut found = leaves.iter().enumerate().filter(|(_, leaf)| ends(leaf)).map(|(index, _)| index);
    found.next().filter(|_| found.next().is_none())
}

fn listed(
    field: &Field,
    end: usize,
    sizes: &Sizes,
    place: &Place,
    written: &mut Members,
) -> Result<usize, Fault> {
    let kind = match (field.component, &field.value) {
        (Some(component), _) => LeafKind::Number(component),
        (None, FieldValue::Address(_)) => LeafKind::Address,
        (None, _) => return Err(place.fail("the member has no type: add `type = \"u32\"` or another")),
    };
    let offset = field.offset.map_or(end.next_multiple_of(kind.size()), |offset| offset as usize);
    written.put(kind, offset, &field.value, None, sizes, &place.then("value"))
}
