//! `[tune]`: what may be chosen to make a shader fast.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `coopmat-analyzer tune` chooses from. A run does not look at it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Tune {
    /// Values of sizes and specialization constants by name. Every combination is a choice.
    #[serde(default)]
    pub values: BTreeMap<String, Vec<i64>>,
    /// Formulas of the sizes, and of the values that are chosen, which have to hold (not be 0): `"BM % WM == 0"`.
    #[serde(default, rename = "where", skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
}
