//! A debug adapter without its host: the Debug Adapter Protocol over the simulator's debugger (`coopmat_simulator::debugger`).
//!
//! A host hands messages to a [`Session`], gives it time while a run goes on, and sends what it answers. Nothing here does I/O: shaders
//! and recipes come through [`Host`].
//!
//! | module | does |
//! |---|---|
//! | `session` | requests and their answers |
//! | `outbox` | answers and events on their way out |
//! | `capabilities` | what the adapter can do |
//! | `debuggee` | the dispatches of a recipe as one run, and its report |
//! | `breakpoints` | what the client wants to stop at, across dispatches |
//! | `data` | data whose accesses stop the run |
//! | `disassembly` | the instructions of a module as a listing |
//! | `findings` | findings of checked mode as exceptions |
//! | `views` | threads, frames, scopes, variables, expressions |
//! | `matrices` | the matrices of a frame, whole, for a view beside: requests of ours |
//! | `variables` | values as trees that a client unfolds |
//! | `sources` | files and lines as the client counts them |
//! | `lines` | where the instructions of a shader come from, and where its variables can be seen |

// No input ends the program: what cannot be is an error, or has an answer that harms nobody. Tests may.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![deny(missing_docs)]

mod breakpoints;
mod capabilities;
mod data;
mod debuggee;
mod disassembly;
mod findings;
mod lines;
mod matrices;
mod outbox;
mod session;
mod sources;
mod variables;
mod views;

use coopmat_recipe::report::{Modes, SourcePlace};
use coopmat_recipe::{Plan, Recipe, Report};
use coopmat_simulator::debugger::Lines;
use coopmat_spirv::dr::Module;
use serde::Deserialize;

pub use lines::lines_of;
pub use session::Session;
pub use sources::MODULE_DOCUMENTS;

/// What has the files.
pub trait Host {
    /// Compiles the shaders and applies the recipe.
    ///
    /// # Errors
    /// Why there is nothing to debug, with places.
    fn prepare(&mut self, launch: &Launch) -> Result<Box<dyn Subject>, String>;

    /// The text of a file.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn read(&self, path: &str) -> Result<String, String>;

    /// A path of the client as [`Subject::lines`] names files.
    fn normalized(&self, path: &str) -> String;
}

/// What is debugged: a recipe, and the module of each dispatch with every local as a variable.
pub trait Subject {
    /// The recipe, applied to the modules.
    fn plan(&self) -> &Plan;
    /// The recipe as it is written.
    fn recipe(&self) -> &Recipe;
    /// How it is run.
    fn modes(&self) -> &Modes;
    /// The module of a dispatch.
    fn module(&self, dispatch: usize) -> Option<&Module>;
    /// Where the instructions of that module come from; files are those that the client can open.
    fn lines(&self, dispatch: usize) -> Lines;
    /// The source of an instruction of that module, for a report.
    fn place(&self, dispatch: usize, instruction: u32) -> Option<SourcePlace>;
    /// What is worth knowing before it runs, such as that there is no recipe.
    fn note(&self) -> Option<String>;
    /// A report for people.
    fn text(&self, report: Report) -> String;
}

/// How a run is launched: the arguments of `launch`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Launch {
    /// A shader, a module or a recipe.
    pub program: String,
    /// The folder in which relative paths begin.
    pub cwd: Option<String>,
    /// The recipe, instead of the one beside the shader.
    pub recipe: Option<String>,
    /// The dispatch at which debugging begins, by its name or its number from 1: those before it run without stops.
    pub dispatch: Option<NameOrNumber>,
    /// The target device.
    pub device: Option<String>,
    /// Who owns which element of a matrix.
    pub ownership: Option<String>,
    /// How floating-point matrices are multiplied.
    pub numerics: Option<String>,
    /// Which decode function tensor loads use.
    pub decode: Option<String>,
    /// Whether undefined behaviour is reported: `true`, or `"strict"`.
    pub checked: Checked,
    /// Invocations per subgroup.
    pub subgroup_size: Option<u32>,
    /// The configuration of the project file.
    pub config: Option<String>,
    /// Values of specialization constants.
    pub specialization: Option<String>,
    /// More options of `coopmat-analyzer run`.
    pub args: Vec<String>,
    /// Stop where the first line begins.
    pub stop_on_entry: bool,
    /// Stop once more at the end of the run, from where one can go back.
    pub stop_at_end: bool,
    /// The client shows the text of `.spv` files in documents of its own, `coopmat-module:PATH`, where it also sets breakpoints.
    pub module_documents: bool,
    /// Run without stops.
    pub no_debug: bool,
}

/// The name of a dispatch, or its number from 1.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum NameOrNumber {
    /// From 1.
    Number(usize),
    /// As the recipe has it.
    Name(String),
}

/// How much undefined behaviour is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "serde_json::Value")]
pub enum Checked {
    /// As the recipe says.
    #[default]
    AsRecipe,
    /// What may change results.
    Plain,
    /// Writes of the same value by two invocations, too.
    Strict,
}

impl TryFrom<serde_json::Value> for Checked {
    type Error = String;

    fn try_from(value: serde_json::Value) -> Result<Checked, String> {
        match value {
            serde_json::Value::Bool(false) | serde_json::Value::Null => Ok(Checked::AsRecipe),
            serde_json::Value::Bool(true) => Ok(Checked::Plain),
            serde_json::Value::String(word) if word == "strict" => Ok(Checked::Strict),
            other => Err(format!("`checked`: expected true, false or \"strict\", found {other}")),
        }
    }
}
