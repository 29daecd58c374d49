//! What the client sets, in `initializationOptions` or under `coopmat-analyzer` in its configuration.

mod reading;
mod variants;

use std::collections::BTreeMap;

use coopmat_analysis::config::{Configuration, Like, TargetEnv};
use coopmat_analysis::levels::Level;
use coopmat_analysis::preprocess::join_path;
use coopmat_analysis::project::{self, split_define};
use serde::Deserialize;
use serde_json::Value;

use crate::reach::EVERYWHERE;

pub use variants::ConfigurationSettings;

pub use reading::{
    CodeLensSettings, EmbeddedSettings, FormatSettings, HoverSettings, HoverSpirv, InlayHintSettings,
    LexicalTokens, SemanticTokenSettings,
};

/// The section of the client's configuration that is ours.
pub const SECTION: &str = "coopmat-analyzer";

/// Their comments are what editors show: `lsp/core/settings.schema.json` is made of them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// The version of Vulkan that shaders are checked for: `vulkan1.0` to `vulkan1.4`.
    pub target_env: Option<String>,
    /// The target device: the name of a built-in profile, or the path of a JSON profile.
    pub device: Option<String>,
    /// Invocations per subgroup: a power of two from 1 to 128.
    pub subgroup_size: Option<u32>,
    /// Macros that are defined before the first line: `["NAME", "NAME=VALUE"]` or `{"NAME": "VALUE"}`.
    pub defines: Defines,
    /// Folders that `#include` searches; relative paths start at the workspace folder.
    pub include_dirs: Vec<String>,
    /// Folders outside the workspace from which shaders, project files and recipes may read files as well: absolute paths; `/` for everywhere.
    pub allow_dirs: Vec<String>,
    /// Whether `GL_GOOGLE_include_directive` is enabled from the start, as in `glslc`.
    pub google_include: Option<bool>,
    /// The compiler whose own restrictions are reported as well, where the specifications allow what it rejects: `glslang`.
    pub like: Option<String>,
    /// Whether conflicts in the banks of shared memory and the registers of matrices are reported, as hints, in hovers and in a lens; needs `device`. Runs are profiled then, which takes several times as long. A model that was held against an H100 alone. Not in browsers.
    pub performance: bool,
    /// The configuration of the project file to show where several match a file.
    pub configuration: Option<String>,
    pub configurations: ConfigurationSettings,
    pub diagnostics: DiagnosticSettings,
    pub semantic_tokens: SemanticTokenSettings,
    pub inlay_hints: InlayHintSettings,
    pub code_lens: CodeLensSettings,
    pub hover: HoverSettings,
    pub format: FormatSettings,
    pub embedded: EmbeddedSettings,
    /// The program that validates SPIR-V assembly, or `off`; the one on `PATH` if it is empty.
    pub spirv_val: String,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct DiagnosticSettings {
    /// Whether the server sends diagnostics as soon as it has them, or the editor requests them.
    pub mode: DiagnosticMode,
    /// Ids of diagnostics that are not reported; errors of the language are always reported.
    pub disabled: Vec<String>,
    /// Names of extensions that are not analysed, or ids of limits: files that were not fully analysed for these reasons get an information instead of a warning.
    pub allow_unanalysed: Vec<String>,
}

/// Who starts: the server as soon as it knows, or the client when it asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "lowercase")]
pub enum DiagnosticMode {
    /// Pull if the client can be asked to pull again, otherwise push. Neovim always gets push.
    #[default]
    Auto,
    /// The server sends diagnostics.
    Push,
    /// The editor requests diagnostics.
    Pull,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(untagged, expecting = "`defines` must be a list of \"NAME=VALUE\" or an object of names and values")]
pub enum Defines {
    List(Vec<String>),
    Map(BTreeMap<String, Value>),
}

impl Default for Defines {
    fn default() -> Self {
        Defines::List(Vec::new())
    }
}

impl Defines {
    fn pairs(&self) -> Vec<(String, Option<String>)> {
        match self {
            Defines::List(list) => list.iter().map(|define| split_define(define)).collect(),
            Defines::Map(map) => map
                .iter()
                .map(|(name, value)| {
                    let value = match value {
                        Value::Null => None,
                        Value::Bool(value) => Some(u8::from(*value).to_string()),
                        Value::String(text) => Some(text.clone()),
                        other => Some(other.to_string()),
                    };
                    (name.clone(), value)
                })
                .collect(),
        }
    }
}

/// Whether a client sent settings without any in them; some write an empty table as a list.
pub fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(object) => object.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

/// Whether a device can have so many invocations in a subgroup.
pub fn is_subgroup_size(size: u32) -> bool {
    size.is_power_of_two() && size <= 128
}

impl Settings {
    /// Reads what a client sent: the section itself, or an object that holds it. `Ok(None)`: nothing was said.
    pub fn read(value: Value) -> Result<Option<Settings>, String> {
        let value = match value {
            Value::Object(mut object) => match object.remove(SECTION) {
                Some(section) => section,
                None => Value::Object(object),
            },
            other => other,
        };
        if says_nothing(&value) {
            return Ok(None);
        }
        let settings: Settings = serde_json::from_value(value).map_err(|error| error.to_string())?;
        if let Some(env) = &settings.target_env {
            env.parse::<TargetEnv>()?;
        }
        if let Some(like) = &settings.like {
            like.parse::<Like>().map_err(|error| format!("`like`: {error}"))?;
        }
        if let Some(size) = settings.subgroup_size.filter(|&size| !is_subgroup_size(size)) {
            return Err(format!("`subgroupSize` is {size}: expected a power of two from 1 to 128"));
        }
        Ok(Some(settings))
    }

    /// Keys that nothing reads: a slip of the pen, told without refusing the rest.
    pub fn unknown_keys(value: &Value) -> Vec<String> {
        const KNOWN: &[&str] = &[
            "targetEnv",
            "device",
            "subgroupSize",
            "defines",
            "includeDirs",
            "allowDirs",
            "googleInclude",
            "like",
            "performance",
            "configuration",
            "configurations",
            "diagnostics",
            "semanticTokens",
            "inlayHints",
            "codeLens",
            "hover",
            "format",
            "embedded",
            "spirvVal",
            // What editors' extensions keep in the same section for themselves.
            "trace",
            "server",
            "path",
            "enable",
        ];
        let section = value.get(SECTION).unwrap_or(value);
        let keys = section.as_object().into_iter().flatten().map(|(key, _)| key);
        keys.filter(|key| !KNOWN.contains(&key.as_str())).cloned().collect()
    }

    /// Why some ids under `diagnostics.disabled` cannot be: no diagnostic has them, or they are always told. The same for `diagnostics.allowUnanalysed`.
    pub fn mistakes(&self) -> Vec<String> {
        let told = |setting: &str, wrong: Vec<String>| {
            (!wrong.is_empty()).then(|| format!("`diagnostics.{setting}`: {}", wrong.join("; ")))
        };
        let disabled = self.diagnostics.disabled.iter().filter_map(|id| Level::Allow.of(id).err());
        let allowed = self.diagnostics.allow_unanalysed.iter();
        let allowed = allowed.filter_map(|name| project::unanalysed_name(name).err());
        told("disabled", disabled.collect())
            .into_iter()
            .chain(told("allowUnanalysed", allowed.collect()))
            .collect()
    }

    /// The folders that the user names, absolute: what lies there may be read.
    pub fn allowed(&self, folder: Option<&str>) -> Vec<String> {
        let absolute = |named: &String| {
            let named = named.replace('\\', "/");
            if named == EVERYWHERE { named } else { join_path(folder.unwrap_or_default(), &named) }
        };
        self.include_dirs.iter().chain(&self.allow_dirs).map(absolute).collect()
    }

    /// Lays the settings over a configuration: what they say wins. Relative folders are joined to the workspace folder.
    pub fn apply(&self, configuration: &mut Configuration, folder: Option<&str>) {
        let settings = project::Settings {
            defines: self.defines.pairs(),
            include_dirs: self.include_dirs.iter().map(|folder| folder.replace('\\', "/")).collect(),
            target_env: self.target_env.as_deref().and_then(|env| env.parse().ok()),
            device: self.device.clone(),
            subgroup_size: self.subgroup_size,
            google_include: self.google_include,
            like: self.like.as_deref().and_then(|like| like.parse().ok()),
            allow_unanalysed: self.diagnostics.allow_unanalysed.clone(),
            ..project::Settings::default()
        };
        settings.apply(configuration, folder.unwrap_or_default());
        let disabled = self.diagnostics.disabled.iter().filter_map(|id| Level::Allow.of(id).ok());
        configuration.levels.add(disabled.map(|code| (code, Level::Allow)));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// From which editors' extensions make their lists of settings.
    #[test]
    fn the_schema_of_the_settings_is_up_to_date() {
        let schema = schemars::schema_for!(Settings).to_value();
        let mut text = serde_json::to_string_pretty(&sorted(schema)).unwrap();
        text.push('\n');
        expect_test::expect_file!["../settings.schema.json"].assert_eq(&text);
    }

    /// Keys by name: whether serde_json keeps the order in which they were made depends on what else is in the build.
    fn sorted(value: Value) -> Value {
        match value {
            Value::Object(map) => {
                let entries: BTreeMap<String, Value> = map.into_iter().collect();
                Value::Object(entries.into_iter().map(|(key, value)| (key, sorted(value))).collect())
            }
            Value::Array(values) => Value::Array(values.into_iter().map(sorted).collect()),
            other => other,
        }
    }

    #[test]
    fn every_setting_of_the_schema_is_known() {
        let schema: Value = serde_json::from_str(include_str!("../settings.schema.json")).unwrap();
        let settings = schema["properties"].as_object().unwrap();
        assert!(settings.len() > 10, "the schema lists the settings");
        assert_eq!(Settings::unknown_keys(&schema["properties"]), Vec::<String>::new());
    }

    #[test]
    fn settings_are_read_with_or_without_their_section() {
        let plain = Settings::read(json!({"subgroupSize": 64})).unwrap().unwrap();
        let section = Settings::read(json!({"coopmat-analyzer": {"subgroupSize": 64}})).unwrap().unwrap();
        assert_eq!(plain, section);
        assert_eq!(plain.subgroup_size, Some(64));
        assert_eq!(Settings::read(Value::Null), Ok(None));
        assert_eq!(Settings::read(json!([])), Ok(None));
        assert_eq!(Settings::unknown_keys(&json!({"subgroupsize": 64, "device": "x"})), ["subgroupsize"]);
        assert!(Settings::read(json!({"targetEnv": "metal"})).unwrap_err().contains("metal"));
        assert!(Settings::read(json!({"like": "dxc"})).unwrap_err().contains("expected one of glslang"));
        assert!(Settings::read(json!({"subgroupSize": 33})).unwrap_err().contains("power of two"));
        assert!(Settings::read(json!({"defines": 5})).unwrap_err().contains("list of"));
    }

    #[test]
    fn settings_win_over_the_project() {
        let settings = Settings::read(json!({
            "defines": {"BM": 64, "FAST": true, "EMPTY": null},
            "includeDirs": ["include", "/usr/share/glsl"],
            "allowDirs": ["/opt/shaders/", "/"],
            "targetEnv": "vulkan1.1",
        }))
        .unwrap()
        .unwrap();
        let mut configuration = Configuration {
            defines: vec![("BM".to_owned(), Some("32".to_owned()))],
            ..Configuration::default()
        };
        settings.apply(&mut configuration, Some("/project"));
        assert_eq!(configuration.target_env, TargetEnv::Vulkan1_1);
        assert_eq!(configuration.include_dirs, ["/project/include", "/usr/share/glsl"]);
        assert_eq!(
            settings.allowed(Some("/project")),
            ["/project/include", "/usr/share/glsl", "/opt/shaders", "/"]
        );
        assert_eq!(
            configuration.defines,
            [
                ("BM".to_owned(), Some("64".to_owned())),
                ("EMPTY".to_owned(), None),
                ("FAST".to_owned(), Some("1".to_owned())),
            ]
        );
    }
}
