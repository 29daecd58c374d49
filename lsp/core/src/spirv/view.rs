//! What a client asks to see, and the URI under which that is a document.
//!
//! `coopmat-spirv:/folder/x.comp.spvasm?function=main&optimise&env=vulkan1.3&debug=lines&source&ids=numbers&spec.1=64&spec=defaults`: the path is the
//! shader's with `.spvasm` behind it, the query what differs from the usual. A shader that is no file has its URI, encoded, as the path.

use std::str::FromStr as _;

use coopmat_codegen::DebugInfo;
use serde::Deserialize;
use tower_lsp::ls_types::{Position, Range, Uri};

use super::module::ModuleOptions;
use crate::paths;

pub const SCHEME: &str = "coopmat-spirv";
const EXTENSION: &str = ".spvasm";

/// The options of a request, as the client writes them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct OptionsInput {
    pub optimise: bool,
    /// By `constant_id`.
    pub specialization: std::collections::BTreeMap<String, serde_json::Value>,
    /// All other specialization constants take their default values.
    pub specialize_defaults: bool,
    pub target_env: Option<String>,
    /// The source's lines as comments.
    pub source_comments: bool,
    pub debug_info: DebugInput,
    /// Ids as numbers rather than names.
    pub raw_ids: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DebugInput {
    #[default]
    None,
    Lines,
    Full,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Scope {
    #[default]
    Module,
    Function(String),
    /// The function there.
    Position(Position),
    /// What comes from there.
    Selection(Range),
}

/// A text of a module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    pub module: ModuleOptions,
    pub scope: Scope,
    pub source_comments: bool,
    pub raw_ids: bool,
}

impl View {
    pub fn new(options: &OptionsInput, scope: Scope) -> Result<View, String> {
        let target_env = options.target_env.as_deref().map(str::parse).transpose()?;
        let debug = match options.debug_info {
            DebugInput::None => DebugInfo::None,
            DebugInput::Lines => DebugInfo::Lines,
            DebugInput::Full => DebugInfo::Full,
        };
        let mut specialization = std::collections::BTreeMap::new();
        for (id, value) in &options.specialization {
            let id =
                id.parse::<u32>().map_err(|_| format!("`{id}` is not a constant_id: expected a number"))?;
            let value = match value {
                serde_json::Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            specialization.insert(id, value);
        }
        Ok(View {
            module: ModuleOptions {
                target_env,
                debug,
                optimise: options.optimise,
                specialization,
                specialize_defaults: options.specialize_defaults,
            },
            scope,
            source_comments: options.source_comments,
            raw_ids: options.raw_ids,
        })
    }

    /// The URI of this view of a shader. A selection is not followed: its document is the whole module.
    pub fn uri(&self, path: &str) -> Option<Uri> {
        let mut text = format!("{SCHEME}:");
        if !path.starts_with('/') {
            text.push('/');
        }
        paths::encode(&mut text, path);
        text.push_str(EXTENSION);
        let mut separator = '?';
        let mut add = |key: &str, value: Option<&str>| {
            text.push(std::mem::replace(&mut separator, '&'));
            text.push_str(key);
            if let Some(value) = value {
                text.push('=');
                paths::encode(&mut text, value);
            }
        };
        if let Scope::Function(name) = &self.scope {
            add("function", Some(name));
        }
        if self.module.optimise {
            add("optimise", None);
        }
        if let Some(env) = self.module.target_env {
            add("env", Some(env.name()));
        }
        match self.module.debug {
            DebugInfo::None => {}
            DebugInfo::Lines => add("debug", Some("lines")),
            DebugInfo::Full => add("debug", Some("full")),
        }
        if self.source_comments {
            add("source", None);
        }
        if self.raw_ids {
            add("ids", Some("numbers"));
        }
        for (id, value) in &self.module.specialization {
            add(&format!("spec.{id}"), Some(value));
        }
        if self.module.specialize_defaults {
            add("spec", Some("defaults"));
        }
        Uri::from_str(&text).ok()
    }

    /// The path of the shader, and the view of it, that a URI stands for.
    pub fn of_uri(uri: &Uri) -> Result<(String, View), String> {
        let path = uri.path().decode().to_string_lossy().into_owned();
        let path = path
            .strip_suffix(EXTENSION)
            .ok_or_else(|| format!("expected {SCHEME}:/path/of/a.comp{EXTENSION}"))?;
        let path = match path.strip_prefix('/') {
            // A URI of another scheme, or a drive of Windows.
            Some(rest) if rest.split('/').next().is_some_and(|first| first.contains(':')) => rest,
            _ => path,
        };
        let query = uri.query().map(|query| query.as_str().to_owned()).unwrap_or_default();
        let mut view = View::default();
        for part in query.split('&').filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let value = decode(value);
            match key {
                "function" => view.scope = Scope::Function(value),
                "optimise" => view.module.optimise = true,
                "env" => view.module.target_env = Some(value.parse()?),
                "debug" => {
                    view.module.debug = match value.as_str() {
                        "lines" => DebugInfo::Lines,
                        "full" => DebugInfo::Full,
                        "none" => DebugInfo::None,
                        other => {
                            return Err(format!("`debug` is `{other}`: expected none, lines or full"));
                        }
                    }
                }
                "source" => view.source_comments = true,
                "spec" => view.module.specialize_defaults = value == "defaults",
                "ids" => view.raw_ids = value == "numbers",
                key => match key.strip_prefix("spec.").and_then(|id| id.parse().ok()) {
                    Some(id) => drop(view.module.specialization.insert(id, value)),
                    None => return Err(format!("`{key}` is not an option of a SPIR-V document")),
                },
            }
        }
        Ok((path.to_owned(), view))
    }
}

/// Takes percent encoding away; what is none stays.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(code) if byte == b'%' => {
                out.push(code);
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

pub fn is_virtual(uri: &Uri) -> bool {
    uri.scheme().as_str().eq_ignore_ascii_case(SCHEME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_holds_a_view() {
        let mut view =
            View { source_comments: true, scope: Scope::Function("main".into()), ..View::default() };
        view.module.optimise = true;
        view.module.debug = DebugInfo::Lines;
        view.module.target_env = "vulkan1.2".parse().ok();
        view.module.specialization.insert(3, "1 2".to_owned());
        for path in ["/shaders/a b.comp", "c:/x/y.comp", "untitled:Untitled-1"] {
            let uri = view.uri(path).unwrap();
            assert!(is_virtual(&uri));
            assert_eq!(View::of_uri(&uri), Ok((path.to_owned(), view.clone())), "{}", uri.as_str());
        }
        assert_eq!(
            view.uri("/x.comp").unwrap().as_str(),
            "coopmat-spirv:/x.comp.spvasm?function=main&optimise&env=vulkan1.2&debug=lines&source&spec.3=1%202"
        );
        let plain = View::default().uri("/x.comp").unwrap();
        assert_eq!(plain.as_str(), "coopmat-spirv:/x.comp.spvasm");
        let wrong: Uri = "coopmat-spirv:/x.comp.spvasm?colour=red".parse().unwrap();
        assert!(View::of_uri(&wrong).unwrap_err().contains("colour"));
    }
}
