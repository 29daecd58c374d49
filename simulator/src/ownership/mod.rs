//! Which invocation owns which element of a cooperative matrix: the specification leaves it open, so it is data.
//!
//! `m[i]` of invocation `n` is one element of the matrix. An [`Ownership`] says which, for every type; a [`Map`] is its answer for one
//! type and one number of invocations, in both directions. Shaders may not depend on it; running one under two of them shows whether it
//! does.

pub mod capture;
mod map;
mod rules;
mod table;

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use crate::matrix::MatrixType;

pub use map::Map;
use rules::Rule;
use table::Table;

/// By the type of the matrix and the size of the subgroup.
type Maps = Arc<RwLock<FxHashMap<(MatrixType, u32), Arc<Map>>>>;

/// Who owns which element, and where that is known from.
#[derive(Clone, Debug)]
pub struct Ownership {
    name: String,
    source: String,
    kind: Kind,
    /// Maps that were asked for before.
    maps: Maps,
}

impl PartialEq for Ownership {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.source, &self.kind) == (&other.name, &other.source, &other.kind)
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Rule(Rule),
    Table(Table),
    Shuffled(u64),
}

const NVIDIA_H200: &str = include_str!("../../data/nvidia-h200-ownership.json");

impl Default for Ownership {
    fn default() -> Self {
        Ownership::plain()
    }
}

impl Ownership {
    /// The names that [`Ownership::by_name`] knows.
    pub const NAMES: [&str; 7] =
        ["plain", "nvidia-h200", "amd-rdna3", "amd-rdna4", "amd-cdna", "lavapipe", "shuffled"];

    /// Element `i` of invocation `n` is the element `i * invocations + n` in rows.
    pub fn plain() -> Self {
        Self::rule("plain", "the elements in rows, distributed one to each invocation in turn", Rule::Plain)
    }

    fn new(name: String, source: String, kind: Kind) -> Self {
        Ownership { name, source, kind, maps: Arc::default() }
    }

    fn rule(name: &str, source: &str, rule: Rule) -> Self {
        Self::new(name.into(), source.into(), Kind::Rule(rule))
    }

    /// Hostile to shaders that depend on ownership: no two types have their elements in the same places.
    pub fn shuffled(seed: u64) -> Self {
        let name = if seed == 0 { "shuffled".into() } else { format!("shuffled:{seed}") };
        Self::new(name, "a pseudo-random permutation for each type".into(), Kind::Shuffled(seed))
    }

    /// One of [`Ownership::NAMES`]; `shuffled:7` is another permutation than `shuffled`.
    pub fn by_name(name: &str) -> Option<Self> {
        if let Some(seed) = name.strip_prefix("shuffled:") {
            return seed.parse().ok().map(Self::shuffled);
        }
        Some(match name {
            "plain" => Self::plain(),
            "nvidia-h200" => {
                Self::from_json(NVIDIA_H200).ok().map(|found| Ownership { name: name.into(), ..found })?
            }
            "amd-rdna3" => Self::rule(
                name,
                "Mesa's RADV, radv_nir_lower_cooperative_matrix.c, before GFX11.7",
                Rule::Rdna3,
            ),
            "amd-rdna4" => Self::rule(
                name,
                "Mesa's RADV, radv_nir_lower_cooperative_matrix.c, from GFX11.7 on",
                Rule::Rdna4,
            ),
            "amd-cdna" => Self::rule(
                name,
                "the registers of V_MFMA on CDNA3, as AMD's matrix instruction calculator prints them; no Vulkan driver is known",
                Rule::Cdna,
            ),
            "lavapipe" => {
                Self::rule(name, "Mesa's lavapipe, lvp_nir_lower_cooperative_matrix.c", Rule::Lavapipe)
            }
            "shuffled" => Self::shuffled(0),
            _ => return None,
        })
    }

    /// A table that was captured on a device; its form is that of `simulator/data/nvidia-h200-ownership.json`.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let (name, source, table) = table::read(text)?;
        Ok(Self::new(name, source, Kind::Table(table)))
    }

    /// As [`Ownership::by_name`] takes it; of a table, the device that it was captured on.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where this is known from, in words.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The subgroup sizes that this ownership is for, the usual one first; none where it is for all of them.
    pub fn subgroup_sizes(&self) -> &[u32] {
        match &self.kind {
            Kind::Rule(rule) => rule.subgroup_sizes(),
            Kind::Table(table) => std::slice::from_ref(&table.subgroup_size),
            Kind::Shuffled(_) => &[],
        }
    }

    /// The places of the elements of one type, among so many invocations (at least one).
    pub fn map(&self, type_: &MatrixType, invocations: u32) -> Arc<Map> {
        let invocations = invocations.max(1);
        let key = (*type_, invocations);
        if let Some(map) = self.maps.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return map.clone();
        }
        let map = Arc::new(match &self.kind {
            Kind::Rule(rule) => rule.map(type_, invocations, &self.name),
            Kind::Table(table) => table.map(type_, invocations, &self.name),
            Kind::Shuffled(seed) => rules::shuffled(type_, invocations, *seed),
        });
        self.maps.write().unwrap_or_else(PoisonError::into_inner).insert(key, map.clone());
        map
    }
}

#[cfg(test)]
mod tests;
