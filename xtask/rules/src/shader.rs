//! A small shader in parts, and its text. What stands between [`OPEN`] and [`CLOSE`] is marked: there something is expected to be
//! reported. The marks themselves are not part of the text.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use coopmat_analysis::config::{Configuration, Stage, TargetEnv};
use coopmat_analysis::devices::{self, DeviceProfile};
use coopmat_analysis::extensions::{self, ExtensionId, ids};

pub const OPEN: char = '⟦';
pub const CLOSE: char = '⟧';

/// Marks a piece of text.
pub fn marked(text: impl std::fmt::Display) -> String {
    format!("{OPEN}{text}{CLOSE}")
}

/// What every shader here enables: the names of scopes, and number types of every width.
pub const ALWAYS: [ExtensionId; 2] =
    [ids::GL_EXT_SHADER_EXPLICIT_ARITHMETIC_TYPES, ids::GL_KHR_MEMORY_SCOPE_SEMANTICS];

#[derive(Clone, Debug)]
pub struct Shader {
    pub version: String,
    pub extensions: BTreeSet<ExtensionId>,
    /// Extensions whose line is marked.
    pub marked_extensions: BTreeSet<ExtensionId>,
    /// `layout(local_size_x = ...)`.
    pub invocations: u32,
    /// Lines at top level.
    pub top: Vec<String>,
    /// Statements of `main`, the declarations first.
    pub locals: Vec<String>,
    pub body: Vec<String>,
    pub settings: Settings,
}

/// What the configuration says besides the target environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Settings {
    pub device: Option<&'static str>,
    pub subgroup_size: Option<u32>,
    /// The stage, where it is not a compute shader.
    pub fragment: bool,
}

/// A device with matrices and GL_QCOM_cooperative_matrix_conversion: none of the profiles is known to have both.
pub const CONVERTING: &str = "intel-xe2, with conversions";

fn converting() -> Arc<DeviceProfile> {
    let found = devices::find("intel-xe2").expect("a built-in profile");
    let mut profile = DeviceProfile::clone(&found);
    profile.features.push("cooperativeMatrixConversion".to_owned());
    profile.extensions.push("VK_QCOM_cooperative_matrix_conversion".to_owned());
    Arc::new(profile)
}

impl Settings {
    pub fn configuration(self) -> Configuration {
        Configuration {
            name: "rules".to_owned(),
            target_env: TargetEnv::Vulkan1_3,
            device: self.device.filter(|name| *name != CONVERTING).map(str::to_owned),
            profile: self.device.filter(|name| *name == CONVERTING).map(|_| converting()),
            subgroup_size: self.subgroup_size,
            stage: Some(if self.fragment { Stage::Fragment } else { Stage::Compute }),
            ..Configuration::default()
        }
    }
}

impl Default for Shader {
    fn default() -> Shader {
        Shader {
            version: "460".to_owned(),
            extensions: ALWAYS.into(),
            marked_extensions: BTreeSet::new(),
            invocations: 32,
            top: Vec::new(),
            locals: Vec::new(),
            body: Vec::new(),
            settings: Settings::default(),
        }
    }
}

impl Shader {
    /// Enables an extension, and what it requires by its text.
    pub fn require(&mut self, extension: ExtensionId) {
        if !self.extensions.insert(extension) {
            return;
        }
        for choice in extensions::extension_by_id(extension).requires {
            if let Some(&first) = choice.first() {
                self.require(first);
            }
        }
    }

    /// A line at top level, once.
    pub fn declare(&mut self, line: impl Into<String>) {
        push_once(&mut self.top, line.into());
    }

    pub fn text(&self) -> Marked {
        let mut text = format!("#version {}\n", self.version);
        for extension in &self.extensions {
            let line = format!("#extension {extension} : require");
            let line = if self.marked_extensions.contains(extension) { marked(line) } else { line };
            text.push_str(&line);
            text.push('\n');
        }
        if !self.settings.fragment {
            text.push_str(&format!("layout(local_size_x = {}) in;\n", self.invocations));
        }
        for line in &self.top {
            text.push_str(line);
            text.push('\n');
        }
        text.push_str("void main() {\n");
        for line in self.locals.iter().chain(&self.body) {
            text.push_str("    ");
            text.push_str(line);
            text.push('\n');
        }
        text.push_str("}\n");
        Marked::read(&text)
    }
}

pub fn push_once(lines: &mut Vec<String>, line: String) {
    if !lines.contains(&line) {
        lines.push(line);
    }
}

/// Text without its marks, and where they were, in the order in which they began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marked {
    pub text: String,
    pub places: Vec<Range<usize>>,
}

impl Marked {
    fn read(source: &str) -> Marked {
        let mut marked = Marked::default();
        let mut open: Vec<usize> = Vec::new();
        for character in source.chars() {
            match character {
                OPEN => {
                    open.push(marked.places.len());
                    marked.places.push(marked.text.len()..marked.text.len());
                }
                CLOSE => {
                    if let Some(place) = open.pop() {
                        marked.places[place].end = marked.text.len();
                    }
                }
                other => marked.text.push(other),
            }
        }
        marked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_taken_out_of_the_text() {
        let read = Marked::read("a⟦b⟦c⟧d⟧e");
        assert_eq!(read, Marked { text: "abcde".to_owned(), places: vec![1..4, 2..3] });
    }

    #[test]
    fn what_an_extension_requires_is_enabled_too() {
        let mut shader = Shader::default();
        shader.require(ids::GL_NV_COOPERATIVE_MATRIX_DECODE_VECTOR);
        assert!(shader.extensions.contains(&ids::GL_NV_COOPERATIVE_MATRIX2));
    }
}
