//! What the user has chosen: configurations and values of specialization constants by shader, and the device. Nothing else holds it; a client may keep it
//! from one session to the next.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::specialization::Specialization;

/// The device that stands for none.
pub const NO_DEVICE: &str = "none";
/// The specialization that is the configuration's own.
pub const OF_PROJECT: &str = "project";

/// What was chosen for one shader.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct OfShader {
    #[serde(skip_serializing_if = "Option::is_none")]
    configuration: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    specialization: Option<Specialization>,
    /// Names of configurations that are offered first.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    favourites: BTreeSet<String>,
}

/// Everything that was chosen; as JSON what clients keep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Chosen {
    /// By the path of the shader.
    shaders: BTreeMap<String, OfShader>,
    /// [`NO_DEVICE`]: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<String>,
    /// Under which configuration a root includes a header that is open, by root: what is shown unless the user chooses.
    #[serde(skip)]
    for_headers: FxHashMap<Arc<str>, String>,
}

impl Chosen {
    fn change(&mut self, root: &str, change: impl FnOnce(&mut OfShader)) {
        let of_shader = self.shaders.entry(root.to_owned()).or_default();
        change(of_shader);
        if *of_shader == OfShader::default() {
            self.shaders.remove(root);
        }
    }

    /// Puts a configuration of a root in view; `None` goes back to the project's own choice.
    pub fn set_configuration(&mut self, root: &str, name: Option<String>) {
        self.change(root, |of_shader| of_shader.configuration = name);
    }

    pub fn configuration(&self, root: &str) -> Option<&String> {
        self.shaders.get(root)?.configuration.as_ref()
    }

    /// `None` goes back to the values of the configuration.
    pub fn set_specialization(&mut self, root: &str, specialization: Option<Specialization>) {
        self.change(root, |of_shader| of_shader.specialization = specialization);
    }

    pub fn specialization(&self, root: &str) -> Option<&Specialization> {
        self.shaders.get(root)?.specialization.as_ref()
    }

    pub fn set_favourite(&mut self, root: &str, name: &str, is: bool) {
        self.change(root, |of_shader| {
            if is {
                of_shader.favourites.insert(name.to_owned());
            } else {
                of_shader.favourites.remove(name);
            }
        });
    }

    pub fn is_favourite(&self, root: &str, name: &str) -> bool {
        self.shaders.get(root).is_some_and(|of_shader| of_shader.favourites.contains(name))
    }

    /// Shaders that have the values of their recipes.
    pub fn with_recipe(&self) -> impl Iterator<Item = &str> {
        let of_recipe = |of_shader: &OfShader| of_shader.specialization == Some(Specialization::OfRecipe);
        self.shaders.iter().filter(move |(_, of_shader)| of_recipe(of_shader)).map(|(root, _)| root.as_str())
    }

    /// The target device of all shaders, or [`NO_DEVICE`]; `None` goes back to what projects and settings say.
    pub fn set_device(&mut self, device: Option<String>) {
        self.device = device;
    }

    pub fn device(&self) -> Option<&str> {
        self.device.as_deref()
    }

    pub fn for_headers(&self, root: &str) -> Option<&String> {
        self.for_headers.get(root)
    }

    /// A configuration under which a root includes a header.
    pub fn prefer_for_header(&mut self, root: &Arc<str>, name: String) {
        self.for_headers.insert(root.clone(), name);
    }

    /// The root itself is open now: what is in view of it is no longer a header's matter.
    pub fn prefer_for_itself(&mut self, root: &str) {
        self.for_headers.remove(root);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back() {
        let root = "/p/a.comp";
        let mut chosen = Chosen::default();
        chosen.set_configuration(root, Some("f16".to_owned()));
        chosen.set_specialization(root, "TM=64".parse().ok());
        chosen.set_favourite(root, "f32", true);
        chosen.set_device(Some(NO_DEVICE.to_owned()));
        let kept = serde_json::to_value(&chosen).unwrap();
        let shader =
            serde_json::json!({"configuration": "f16", "favourites": ["f32"], "specialization": "TM=64"});
        assert_eq!(kept, serde_json::json!({"device": "none", "shaders": {"/p/a.comp": shader}}));
        assert_eq!(serde_json::from_value::<Chosen>(kept).unwrap(), chosen);
        chosen.set_configuration(root, None);
        chosen.set_specialization(root, None);
        chosen.set_favourite(root, "f32", false);
        chosen.set_device(None);
        assert_eq!(chosen, Chosen::default());
    }
}
