//! Several configurations of one file.

use serde::Deserialize;

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ConfigurationSettings {
    /// Whether to check the configurations that are not in view as well, and how many of them.
    pub background: Background,
    /// Whether to take configurations from a build's `compile_commands.json` or log where there is no project file.
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
    expecting = "`configurations.background` must be true, false, or the number of configurations to check"
)]
pub enum Background {
    /// All, or none.
    Switch(bool),
    /// Up to this many for each file.
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
