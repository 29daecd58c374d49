//! Several configurations of one file.

use serde::Deserialize;

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ConfigurationSettings {
    /// Whether the configurations that are not in view are checked too, and how many of them.
    pub background: Background,
    /// Whether configurations are taken from a build's `compile_commands.json` or log where no project file holds.
    pub discover: bool,
}

impl Default for ConfigurationSettings {
    fn default() -> Self {
        ConfigurationSettings { background: Background::default(), discover: true }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(
    untagged,
    expecting = "`configurations.background` is true, false, or how many configurations to check"
)]
pub enum Background {
    /// All, or none.
    Switch(bool),
    /// So many of each file.
    AtMost(usize),
}

impl Default for Background {
    fn default() -> Self {
        Background::Switch(true)
    }
}

impl Background {
    /// How many configurations besides the one in view are checked.
    pub fn limit(self) -> usize {
        match self {
            Background::Switch(true) => usize::MAX,
            Background::Switch(false) => 0,
            Background::AtMost(most) => most,
        }
    }
}
