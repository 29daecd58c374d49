//! The form of an input that is text: what decides its meaning stands in the text itself, so that a file repeats a failure.
//!
//! ```text
//! //! target-env: vulkan1.2
//! //! device: nvidia-h200
//! //! define: TILE=16
//! #version 460
//! ...
//! //== edit
//! #version 460
//! ...
//! ```
//!
//! Lines `//! key: value` at the top choose the configuration, as in the fixtures of the tests. What follows a line `//== edit` is the
//! text after the next edit; what follows `//== file PATH` is a file that can be included.

use std::sync::Arc;

use coopmat_analysis::config::{Configuration, Stage, TargetEnv};
use coopmat_analysis::sources::FileLoader;

use crate::seeds::Seeds;

/// The line between an input's texts.
pub const EDIT: &str = "\n//== edit\n";
const FILE: &str = "//== file ";

/// An input taken apart.
pub struct Input {
    pub config: Configuration,
    /// The text, and what it becomes by each edit.
    pub versions: Vec<Arc<str>>,
    files: Vec<(String, Arc<str>)>,
}

impl Input {
    /// Any bytes are an input.
    pub fn read(bytes: &[u8]) -> Input {
        let whole = String::from_utf8_lossy(bytes);
        let mut config = Configuration { stage: Some(Stage::Compute), ..Configuration::default() };
        let mut rest = &*whole;
        while let Some(line) = rest.strip_prefix("//! ") {
            let (line, after) = line.split_once('\n').unwrap_or((line, ""));
            set(&mut config, line);
            rest = after;
        }
        let mut files = Vec::new();
        let mut body = String::with_capacity(rest.len());
        let mut file: Option<(String, String)> = None;
        for line in rest.split_inclusive('\n') {
            if let Some(path) = line.strip_prefix(FILE) {
                files.extend(file.take().map(|(path, text)| (path, text.into())));
                file = Some((path.trim().to_owned(), String::new()));
            } else if let Some((_, text)) = &mut file
                && line.trim_end() != EDIT.trim()
            {
                text.push_str(line);
            } else {
                files.extend(file.take().map(|(path, text)| (path, text.into())));
                body.push_str(line);
            }
        }
        files.extend(file.take().map(|(path, text)| (path, text.into())));
        // A few edits show what a hundred do.
        let versions: Vec<Arc<str>> = body.split(EDIT).take(4).map(Into::into).collect();
        Input { config, versions, files }
    }

    pub fn text(&self) -> &Arc<str> {
        &self.versions[0]
    }
}

impl FileLoader for Input {
    fn load(&self, path: &str) -> Option<Arc<str>> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let own = self.files.iter().find(|(own, _)| own == path || own == name);
        own.map(|(_, text)| text.clone()).or_else(|| Seeds::shared().header(name))
    }
}

fn set(config: &mut Configuration, line: &str) {
    let Some((key, value)) = line.split_once(": ") else { return };
    let (name, content) =
        value.split_once('=').map_or((value, None), |(name, content)| (name, Some(content)));
    match key {
        "target-env" => {
            let named = TargetEnv::ALL.into_iter().find(|env| env.name() == value);
            config.target_env = named.unwrap_or(config.target_env);
        }
        "device" => config.device = Some(value.to_owned()),
        "subgroup-size" => config.subgroup_size = value.parse().ok(),
        "google-include" => config.google_include = true,
        "like" => config.like = value.parse().ok(),
        "preamble" => config.preamble.files.push(value.to_owned()),
        "version" => config.version = value.parse().ok(),
        "define" => config.defines.push((name.to_owned(), content.map(str::to_owned))),
        "stage" => config.stage = None,
        "spec" => {
            if let (Ok(key), Some(Ok(value))) = (name.parse(), content.map(str::parse)) {
                config.specialization.push((key, value));
            }
        }
        _ => {}
    }
}
