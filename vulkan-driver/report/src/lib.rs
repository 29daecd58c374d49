//! What `coopmat-analyzer vulkan` and the driver in the program's process say to each other: [`Options`] go in through an environment variable,
//! [`Event`]s come back as lines of JSON in a file.

#![deny(missing_docs)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

use serde::{Deserialize, Serialize};

/// The environment variable that holds the options, as JSON.
pub const VARIABLE: &str = "COOPMAT_VULKAN_DRIVER";

/// The library's name without the prefix and the extension of the platform.
pub const LIBRARY: &str = "coopmat_vulkan_driver";

/// The driver and the program that starts it are of the same version, or of none that is known to fit.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How the driver runs what the program asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Of the program that asks, to which the driver has to belong. That of the driver if there is none.
    pub version: String,
    /// A profile's name, or the path of a JSON profile.
    pub device: String,
    /// Report undefined behaviour in shaders.
    pub checked: bool,
    /// The same, strictly.
    pub strict: bool,
    /// How matrices are multiplied; the default if there is none.
    pub numerics: Option<String>,
    /// Which invocation owns which element; the default if there is none.
    pub ownership: Option<String>,
    /// Steps after which a dispatch is stopped.
    pub step_limit: u64,
    /// Bytes that the program may allocate: the size of the device's memory.
    pub memory_limit: u64,
    /// Say that the queues can do graphics, for programs that ask for such a queue and only compute.
    pub claim_graphics: bool,
    /// Threads for workgroups; as many as the machine has cores if there is none.
    pub threads: Option<usize>,
    /// The file that events are added to. Without one, they are lines on standard error.
    pub report: Option<String>,
    /// The only dispatches that are checked: names of pipelines, or numbers. All if there are none.
    pub only: Vec<String>,
    /// The dispatches that are written as recipes, likewise.
    pub capture: Vec<String>,
    /// Write dispatches with a finding that was not told before, too.
    pub capture_findings: bool,
    /// The folder that they are written to.
    pub capture_folder: Option<String>,
    /// The folder that shader modules are written to.
    pub shaders_to: Option<String>,
    /// The folder with modules that are taken instead of the program's.
    pub shaders_from: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            version: VERSION.to_owned(),
            device: "lavapipe".to_owned(),
            checked: false,
            strict: false,
            numerics: None,
            ownership: None,
            step_limit: 100_000_000_000,
            memory_limit: 4 << 30,
            claim_graphics: false,
            threads: None,
            report: None,
            only: Vec::new(),
            capture: Vec::new(),
            capture_findings: false,
            capture_folder: None,
            shaders_to: None,
            shaders_from: None,
        }
    }
}

/// A place in a shader's source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The file, as the module calls it.
    pub path: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// The text of the line, if the module has it.
    pub text: Option<String>,
}

/// Which dispatch something happened in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InDispatch {
    /// Counted from 1, in the order in which dispatches ran.
    pub number: u64,
    /// What the program calls the pipeline or its shader module (VK_EXT_debug_utils).
    pub pipeline: Option<String>,
    /// The labels around the dispatch, the outermost first.
    pub labels: Vec<String>,
    /// What the program calls the buffers: the binding in words, and the name.
    pub buffers: Vec<(String, String)>,
}

/// Undefined behaviour in a shader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// `data-race`.
    pub kind: String,
    /// What is wrong, for people.
    pub message: String,
    /// The dispatch.
    pub dispatch: InDispatch,
    /// The instruction's index in the module.
    pub instruction: u32,
    /// Where that is in the source, if the module tells.
    pub place: Option<Place>,
    /// The other party's.
    pub other: Option<Place>,
    /// Of the invocation.
    pub workgroup: [u32; 3],
    /// In the workgroup.
    pub invocation: u32,
    /// How often it was found in this dispatch.
    pub times: u64,
    /// Why it is no mistake in this program: the feature that it enabled.
    pub allowed_by: Option<String>,
}

/// What is wrong between commands, rather than in a shader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundCommand {
    /// `missing-pipeline-barrier` or `unwritten-memory`.
    pub kind: String,
    /// What is wrong, for people, with the commands and the bytes.
    pub message: String,
    /// What to do.
    pub advice: String,
    /// The access in the shader of the later command, if one instruction alone may have done it.
    pub place: Option<Place>,
    /// That of the earlier command.
    pub other: Option<Place>,
}

/// Something that the driver has to tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A program has made an instance.
    Started {
        /// The process.
        process: u32,
        /// The profile's title.
        device: String,
        /// What the driver assumes, since the profile does not say it.
        assumed: Vec<String>,
    },
    /// A finding of checked mode, told once for each instruction of a pipeline.
    Finding(Found),
    /// A finding of checked mode between commands, told once for each pair of pipelines or functions and each buffer.
    FoundCommand(FoundCommand),
    /// The same finding, in another dispatch or command.
    Again {
        /// The number of the finding among those of this process, from 0.
        finding: u64,
        /// How often it was found there.
        times: u64,
    },
    /// The program did what Vulkan does not allow.
    Misuse {
        /// The function.
        call: String,
        /// What is wrong.
        message: String,
    },
    /// The program asked for what the driver does not have.
    Missing {
        /// The function.
        call: String,
        /// What.
        message: String,
    },
    /// A dispatch could not be run.
    Failed {
        /// The dispatch.
        dispatch: InDispatch,
        /// Why.
        message: String,
        /// Where, if that is known.
        place: Option<Place>,
    },
    /// What a shader printed (`debugPrintfEXT`).
    Printed {
        /// The dispatch.
        dispatch: u64,
        /// The text.
        text: String,
    },
    /// A dispatch was written as a recipe.
    Captured {
        /// The dispatch.
        dispatch: u64,
        /// The recipe's path.
        recipe: String,
    },
    /// A shader module was replaced.
    Replaced {
        /// The file that was taken instead.
        shader: String,
    },
    /// What a process has run by now.
    Progress {
        /// The process.
        process: u32,
        /// Dispatches.
        dispatches: u64,
        /// Of these, the dispatches that were checked.
        checked: u64,
        /// Instructions of subgroups.
        instructions: u64,
    },
    /// The driver cannot do what it was started for: it makes no instance.
    Refused {
        /// Why, for people.
        message: String,
    },
    /// The driver itself failed.
    Internal {
        /// The function.
        call: String,
        /// What is known about it.
        message: String,
    },
}

impl Options {
    /// Reads what [`VARIABLE`] holds.
    ///
    /// # Errors
    /// What is wrong with it, and with default options the report that it asked for, if that can be read.
    pub fn parse(text: &str) -> Result<Options, (String, Box<Options>)> {
        /// What is read even if the rest is another version's.
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Least {
            version: Option<String>,
            report: Option<String>,
        }
        let least: Least = serde_json::from_str(text).unwrap_or_default();
        let refused =
            |why: String| (why, Box::new(Options { report: least.report.clone(), ..Options::default() }));
        match &least.version {
            Some(version) if version != VERSION => Err(refused(format!(
                "the driver is that of coopmat-analyzer {VERSION}, and coopmat-analyzer {version} starts it: use those of one release"
            ))),
            _ => serde_json::from_str(text).map_err(|error| refused(format!("{VARIABLE}: {error}"))),
        }
    }

    /// What [`VARIABLE`] is set to.
    pub fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Event {
    /// A line of the report, without its end.
    pub fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a line; none if it is no event: the last one of a process that was killed.
    pub fn read(line: &str) -> Option<Event> {
        serde_json::from_str(line).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_events_survive_the_way() {
        let options = Options {
            device: "nvidia-h200".to_owned(),
            checked: true,
            threads: Some(2),
            ..Options::default()
        };
        assert_eq!(Options::parse(&options.write()), Ok(options));
        let event =
            Event::Misuse { call: "vkFreeMemory".to_owned(), message: "freed \"twice\"\n".to_owned() };
        assert_eq!(Event::read(&event.line()), Some(event.clone()));
        assert_eq!(event.line().lines().count(), 1);
    }

    #[test]
    fn a_wrong_option_is_named() {
        let (error, options) = Options::parse(r#"{"devise": "x", "report": "r"}"#).unwrap_err();
        assert!(error.contains("unknown field `devise`"), "{error}");
        assert_eq!(options.report.as_deref(), Some("r"));
    }

    #[test]
    fn another_version_is_said_before_what_it_does_not_know() {
        let text = r#"{"version": "0.0.1", "devise": "x", "report": "r"}"#;
        let (error, options) = Options::parse(text).unwrap_err();
        assert!(error.contains("coopmat-analyzer 0.0.1 starts it"), "{error}");
        assert_eq!(options.report.as_deref(), Some("r"));
        assert!(Options::parse("{}").is_ok(), "nobody starts it");
    }
}
