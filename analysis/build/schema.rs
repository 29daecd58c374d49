//! The form of the files in `extensions/`, described for people in `extensions/README.md`.

use std::collections::BTreeMap;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    pub extension: Option<Extension>,
    #[serde(default)]
    pub extensions: Vec<Extension>,
    /// Section of the entries that name none.
    pub section: Option<String>,
    #[serde(default)]
    pub families: BTreeMap<String, Vec<ForItem>>,
    #[serde(default)]
    pub structs: Vec<Struct>,
    #[serde(default)]
    pub types: Vec<Type>,
    #[serde(default)]
    pub sets: Vec<Set>,
    #[serde(default)]
    pub constants: Vec<Constants>,
    #[serde(default)]
    pub variables: Vec<Variable>,
    #[serde(default)]
    pub functions: Vec<Function>,
}

/// What the variables of a family stand for in one overload. `provider`, `providers`, `needs`: see `extensions/README.md`.
pub type Row = BTreeMap<String, String>;

#[derive(Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extension {
    pub name: String,
    #[serde(default)]
    pub summary: String,
    /// Defaults to 1; 0 for none.
    pub r#macro: Option<i32>,
    #[serde(default)]
    pub requires: Vec<OneOrMany>,
    #[serde(default)]
    pub enables: Vec<String>,
    #[serde(default)]
    pub version: Version,
    #[serde(default)]
    pub es: Version,
    /// `1.1`; every version when absent.
    #[serde(default)]
    pub vulkan: Option<String>,
    #[serde(default)]
    pub keywords: Vec<String>,
    #[serde(default)]
    pub url: String,
    pub analysed: Option<bool>,
    #[serde(default)]
    pub stages: Vec<String>,
    #[serde(default)]
    pub changes: Vec<String>,
    #[serde(default)]
    pub attributes: Vec<String>,
    #[serde(default)]
    pub doc: String,
}

#[derive(Clone, serde::Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub fn list(&self) -> Vec<String> {
        match self {
            OneOrMany::One(one) => vec![one.clone()],
            OneOrMany::Many(many) => many.clone(),
        }
    }
}

/// A lowest version, or `"none"` where no version has it.
#[derive(Clone, Copy, Default, serde::Deserialize)]
#[serde(try_from = "VersionText")]
pub enum Version {
    #[default]
    Unstated,
    Since(u32),
    None,
}

#[derive(serde::Deserialize)]
#[serde(untagged)]
pub enum VersionText {
    Number(u32),
    Text(String),
}

impl TryFrom<VersionText> for Version {
    type Error = String;

    fn try_from(text: VersionText) -> Result<Self, String> {
        match text {
            VersionText::Number(number) => Ok(Version::Since(number)),
            VersionText::Text(text) if text == "none" => Ok(Version::None),
            VersionText::Text(text) => {
                Err(format!("expected a version as a number, or \"none\", found `{text}`"))
            }
        }
    }
}

impl Version {
    /// Entries of the core language are there in all versions unless they say otherwise, those of extensions in none.
    pub fn lowest(self, core: bool) -> String {
        match self {
            Version::Since(version) => version.to_string(),
            Version::Unstated if core => "0".to_owned(),
            Version::Unstated | Version::None => "u32::MAX".to_owned(),
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Struct {
    pub name: String,
    pub members: String,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Type {
    /// Names separated by spaces, whose meaning follows from their notation unless `kind` gives one.
    pub names: String,
    pub kind: Option<String>,
    pub providers: Option<Vec<String>>,
    /// Extensions that bring the types to be loaded, stored and converted alone.
    #[serde(default)]
    pub storage: Vec<String>,
    #[serde(default)]
    pub version: Version,
    #[serde(default)]
    pub es: Version,
    #[serde(default)]
    pub doc: String,
    pub section: Option<String>,
}

/// Constants that belong together, by the prefix of their names.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    pub prefix: String,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constants {
    /// Of all in this entry.
    pub r#type: Option<String>,
    pub name: String,
    pub value: OneOrManyNumbers,
    pub providers: Option<Vec<String>>,
    #[serde(default)]
    pub version: Version,
    #[serde(default)]
    pub es: Version,
    #[serde(default)]
    pub doc: String,
    pub section: Option<String>,
}

#[derive(serde::Deserialize)]
#[serde(untagged)]
pub enum OneOrManyNumbers {
    One(i64),
    Many(Vec<i64>),
}

impl OneOrManyNumbers {
    /// The value of a scalar.
    pub fn one(&self) -> Option<i64> {
        match self {
            OneOrManyNumbers::One(value) => Some(*value),
            OneOrManyNumbers::Many(_) => None,
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// `in uvec3 gl_WorkGroupID`, several separated by `;`.
    pub declarations: String,
    pub providers: Option<Vec<String>>,
    #[serde(default)]
    pub version: Version,
    #[serde(default)]
    pub es: Version,
    #[serde(default)]
    pub stages: Vec<String>,
    #[serde(default)]
    pub builtin: String,
    #[serde(default)]
    pub doc: String,
    pub section: Option<String>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Function {
    pub declarations: String,
    pub signature: Option<String>,
    pub r#for: Option<For>,
    pub providers: Option<Vec<String>>,
    #[serde(default)]
    pub needs: Vec<String>,
    #[serde(default)]
    pub version: Version,
    #[serde(default)]
    pub es: Version,
    #[serde(default)]
    pub stages: Vec<String>,
    pub rule: Option<String>,
    #[serde(default)]
    pub constant: bool,
    /// Parameter's name to the set of the constants that belong there.
    #[serde(default)]
    pub constants: BTreeMap<String, String>,
    #[serde(default)]
    pub instruction: String,
    /// Variants of `FixedOperand`, separated by spaces.
    #[serde(default)]
    pub operands: String,
    pub vulkan: Option<bool>,
    #[serde(default)]
    pub doc: String,
    pub section: Option<String>,
}

#[derive(Clone, serde::Deserialize)]
#[serde(untagged)]
pub enum For {
    Family(String),
    List(Vec<ForItem>),
}

/// Rows that stand side by side are one family; families are combined.
#[derive(Clone, serde::Deserialize)]
#[serde(untagged)]
pub enum ForItem {
    Family(String),
    Rows(Vec<Row>),
    Row(Row),
}
