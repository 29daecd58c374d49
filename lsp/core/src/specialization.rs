//! A choice of values for specialization constants, laid over those of a configuration: a set of the project file, a recipe's, or values that
//! somebody has typed. Editors and the command line choose alike.

use std::fmt;
use std::str::FromStr;

use coopmat_analysis::config::{ConstantKey, SpecializationValue};
use coopmat_analysis::project::SpecializationSet;
use coopmat_analysis::sources::FileLoader;
use serde::{Deserialize, Serialize};

use crate::recipe_files;

/// The specialization that is a recipe's.
pub const OF_RECIPE: &str = "recipe";

/// A value, and the constant that gets it.
pub type Given = (ConstantKey, SpecializationValue);

/// Values of specialization constants, laid over those of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Specialization {
    /// As the recipe beside the shader has them.
    OfRecipe,
    /// A set of the project file, by name.
    Set(String),
    /// As the user has typed them.
    Values(Vec<(ConstantKey, SpecializationValue)>),
}

impl Specialization {
    /// The values; nothing for a set that is not among `sets`. `recipe`: where the shader's recipe is, read through `loader`.
    ///
    /// # Errors
    /// That there is no recipe, or what is wrong in it, in words for the user.
    pub fn values(
        &self,
        sets: &[SpecializationSet],
        recipe: &str,
        loader: &dyn FileLoader,
    ) -> Result<Option<Vec<Given>>, String> {
        match self {
            Specialization::Values(values) => Ok(Some(values.clone())),
            Specialization::Set(name) => {
                Ok(sets.iter().find(|set| set.name == *name).map(|set| set.values.clone()))
            }
            Specialization::OfRecipe => recipe_files::specialization(recipe, loader).map(Some),
        }
    }
}

/// That the project file has no set of a name for a shader; `sets`: those that it has.
pub fn no_such_set(name: &str, sets: &[SpecializationSet]) -> String {
    let known: Vec<_> = sets.iter().map(|set| format!("`{}`", set.name)).collect();
    match known.is_empty() {
        true => format!(
            "the project file has no set `{name}` of specialization constants; to give values, write NAME=VALUE"
        ),
        false => {
            format!(
                "there is no set `{name}` of specialization constants; expected one of {}",
                known.join(", ")
            )
        }
    }
}

impl FromStr for Specialization {
    type Err = String;

    /// `recipe`, the name of a set, or values: `TM=64, TN=32`.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text == OF_RECIPE {
            return Ok(Specialization::OfRecipe);
        }
        if !text.contains('=') {
            return Ok(Specialization::Set(text.to_owned()));
        }
        // Blanks may stand around `=`, and between values in the place of commas.
        let text = text.split('=').map(str::trim).collect::<Vec<_>>().join("=");
        let values = text.split([',', ';', ' ', '\t', '\n']).filter(|value| !value.is_empty()).map(|value| {
            let Some((key, value)) = value.split_once('=') else {
                return Err(format!("expected NAME=VALUE, found `{value}`"));
            };
            Ok((key.parse()?, value.parse()?))
        });
        values.collect::<Result<_, String>>().map(Specialization::Values)
    }
}

impl fmt::Display for Specialization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Specialization::OfRecipe => f.write_str(OF_RECIPE),
            Specialization::Set(name) => f.write_str(name),
            Specialization::Values(values) => f.write_str(&in_words(values)),
        }
    }
}

impl TryFrom<String> for Specialization {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Specialization> for String {
    fn from(specialization: Specialization) -> String {
        specialization.to_string()
    }
}

/// `TM=64, TN=32`
pub fn in_words(values: &[(ConstantKey, SpecializationValue)]) -> String {
    values.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specialization_is_a_set_a_recipe_or_values() {
        let read = |text: &str| text.parse::<Specialization>().map(|read| read.to_string());
        assert_eq!(read("large").as_deref(), Ok("large"));
        assert_eq!("recipe".parse(), Ok(Specialization::OfRecipe));
        assert_eq!(read(" TM = 64,TN=0x10  3=true;S=1.5").as_deref(), Ok("TM=64, TN=16, 3=true, S=1.5"));
        assert!(read("TM=64 TN").unwrap_err().contains("expected NAME=VALUE, found `TN`"));
        assert!(read("T.M=64").unwrap_err().contains("`T.M` is not a specialization constant"));
        assert!(read("TM=x").unwrap_err().contains("`x` is not a value"));
        assert!(read("=1").is_err());
    }
}
