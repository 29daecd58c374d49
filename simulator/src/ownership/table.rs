//! Ownerships that were captured on a device, one table for each type.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Map, rules};
use crate::matrix::{Component, MatrixType, Scope, Use};

/// The largest table that is read: no subgroup is larger, and no matrix of one.
const MAXIMUM_INVOCATIONS: usize = 128;
const MAXIMUM_SIDE: u32 = 4096;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Table {
    pub subgroup_size: u32,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    component: String,
    use_: Use,
    rows: u32,
    columns: u32,
    length: u32,
    /// At `invocation * length + i` the element's index in rows.
    elements: Vec<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    device: String,
    #[serde(default)]
    driver: String,
    subgroup_size: u32,
    #[serde(default)]
    how: String,
    layouts: BTreeMap<String, FileEntry>,
}

#[derive(Deserialize)]
struct FileEntry {
    component: String,
    #[serde(rename = "use")]
    use_: String,
    rows: u32,
    columns: u32,
    length: u32,
    owner: Vec<Vec<u32>>,
}

pub(super) fn read(text: &str) -> Result<(String, String, Table), String> {
    let file: File =
        serde_json::from_str(text).map_err(|error| format!("not an ownership table: {error}"))?;
    let mut entries = Vec::new();
    for (name, entry) in file.layouts {
        let use_ = match entry.use_.as_str() {
            "A" => Use::A,
            "B" => Use::B,
            "Acc" | "Accumulator" => Use::Accumulator,
            other => return Err(format!("{name}: use is {other}, expected A, B or Acc")),
        };
        if entry.rows == 0 || entry.columns == 0 || entry.rows > MAXIMUM_SIDE || entry.columns > MAXIMUM_SIDE
        {
            return Err(format!("{name}: a matrix cannot be {}x{}", entry.rows, entry.columns));
        }
        let invocations = entry.owner.len();
        if invocations != file.subgroup_size as usize || invocations == 0 || invocations > MAXIMUM_INVOCATIONS
        {
            let expected = file.subgroup_size;
            return Err(format!(
                "{name}: owner has {invocations} invocations, expected subgroupSize, {expected}"
            ));
        }
        let mut elements = Vec::new();
        for (invocation, places) in entry.owner.iter().enumerate() {
            if places.len() != entry.length as usize {
                let (found, expected) = (places.len(), entry.length);
                return Err(format!(
                    "{name}: invocation {invocation} has {found} elements, expected length, {expected}"
                ));
            }
            if let Some(element) = places.iter().find(|element| **element >= entry.rows * entry.columns) {
                return Err(format!(
                    "{name}: invocation {invocation} owns element {element} of {}",
                    entry.rows * entry.columns
                ));
            }
            elements.extend_from_slice(places);
        }
        entries.push(Entry {
            component: entry.component,
            use_,
            rows: entry.rows,
            columns: entry.columns,
            length: entry.length,
            elements,
        });
    }
    let source = match (file.driver.as_str(), file.how.as_str()) {
        ("", "") => format!("captured on {}", file.device),
        ("", how) => format!("captured on {}: {how}", file.device),
        (driver, "") => format!("captured on {}, driver {driver}", file.device),
        (driver, how) => format!("captured on {}, driver {driver}: {how}", file.device),
    };
    Ok((file.device, source, Table { subgroup_size: file.subgroup_size, entries }))
}

impl Table {
    pub fn map(&self, type_: &MatrixType, invocations: u32, name: &str) -> Map {
        let plain = |why: String| {
            rules::plain(type_, invocations)
                .with_note(format!("{name} {why}: {type_} is distributed as in the plain ownership"))
        };
        if type_.scope != Scope::Subgroup {
            return plain(format!("was not captured for {} scope", type_.scope));
        }
        if invocations != self.subgroup_size {
            return plain(format!(
                "was captured for subgroups of {}, not of {invocations}",
                self.subgroup_size
            ));
        }
        let shaped = |entry: &&Entry| {
            entry.use_ == type_.use_ && entry.rows == type_.rows && entry.columns == type_.columns
        };
        let same = |entry: &&Entry| entry.component == type_.component.name();
        if let Some(entry) = self.entries.iter().filter(shaped).find(same) {
            return entry.tiled(type_, invocations);
        }
        // The same registers, read as another type.
        let wide = |entry: &&Entry| {
            Component::from_name(&entry.component).map(Component::width) == Some(type_.component.width())
        };
        if let Some(entry) = self.entries.iter().filter(shaped).find(wide) {
            return entry.tiled(type_, invocations).with_note(format!(
                "{name} was not captured for {type_}: its elements are assumed to be where those of {} are",
                entry.component
            ));
        }
        let fits = |entry: &&Entry| {
            entry.use_ == type_.use_
                && type_.rows.is_multiple_of(entry.rows)
                && type_.columns.is_multiple_of(entry.columns)
        };
        let candidates = || self.entries.iter().filter(fits).filter(wide);
        let largest = candidates().max_by_key(|entry| (same(entry), entry.rows * entry.columns));
        match largest {
            Some(entry) => entry.tiled(type_, invocations).with_note(format!(
                "{name} was not captured for {type_}: it is assumed to be tiles of {}x{}, row by row",
                entry.rows, entry.columns
            )),
            None => plain("was not captured for such a matrix".into()),
        }
    }
}

impl Entry {
    /// A matrix of one or more of these, row by row.
    fn tiled(&self, type_: &MatrixType, invocations: u32) -> Map {
        let across = type_.columns / self.columns;
        let tiles = type_.rows / self.rows * across;
        Map::new(type_, invocations, self.length * tiles, |invocation, i| {
            let (tile, place) = (i / self.length, i % self.length);
            let element = *self.elements.get((invocation * self.length + place) as usize)?;
            let (row, column) = (element / self.columns, element % self.columns);
            Some((tile / across * self.rows + row, tile % across * self.columns + column))
        })
    }
}
