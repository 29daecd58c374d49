//! Run recipes: how a shader is run, what its memory holds, and what is expected afterwards.
//!
//! A recipe is a TOML file beside the shader, `NAME.run.toml` beside `NAME.comp` ([`Recipe`], read by [`parse`]). A [`Plan`] is a
//! recipe applied to a module: everything that an executor needs, be it the simulator or a device, and what it is compared with.
//! The references are computed here from their definitions in 64-bit floats; they share nothing with the simulator.
//!
//! Nothing here does I/O: other files come through [`Files`].
//!
//! | module | does |
//! |---|---|
//! | `model`, `read`, `schema` | the recipe as it is written; its text; its JSON schema |
//! | `init` | a first recipe for a shader |
//! | `formula`, `sizes` | formulas and named sizes |
//! | `component`, `blocks` | how numbers are written, alone and in quantised blocks |
//! | `tensor`, `extent` | values in a shape; how they lie in memory |
//! | `conversion` | matrices that a device keeps in a layout of its own |
//! | `random`, `fill`, `npy`, `csv` | what buffers hold |
//! | `interface` | what a shader wants to be given |
//! | `plan`, `modes` | a recipe applied to a module |
//! | `pattern` | what wrong results have in common |
//! | `reference`, `compare` | what is expected, and how far off it is |
//! | `run`, `report` | runs a plan on the simulator; what it came to |
//! | `headroom` | how far `float16_t` accumulators are from overflowing |
//! | `lines` | what each line of the source did in a run |
//! | `profile` | what a run costs, line by line |
//! | `ownership` | whether results depend on who owns which element |
//! | `matrices` | what a matrix of a debugged frame is |
//! | `statistics` | how well predictions order what was measured |
//! | `flat` | recipes that hold nothing but numbers: captured, or reduced |
//! | `tune` | the choices that a recipe leaves open |
//! | `places` | the source lines of a module's instructions |

// What hosts use says what it is: shapes, units, ranges, errors.
#![deny(missing_docs)]
// No input ends the program: what cannot be is an error, or has an answer that harms nobody. Tests may.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod blocks;
pub mod compare;
pub mod component;
mod conversion;
mod csv;
mod extent;
mod fill;
pub mod flat;
mod formula;
mod headroom;
mod init;
pub mod interface;
mod lines;
pub mod matrices;
mod memory;
pub mod model;
pub mod modes;
pub mod npy;
pub mod ownership;
mod pattern;
pub mod places;
mod plan;
pub mod profile;
mod random;
mod read;
mod reference;
pub mod report;
mod run;
mod schema;
mod sizes;
pub mod statistics;
mod tensor;
pub mod tune;

pub use conversion::Conversion;
pub use extent::Extent;
pub use headroom::infinite;
pub use init::{derived, init};
pub use lines::{Executed, LineWork, add_passes, lines};
pub use model::Recipe;
pub use plan::{
    Held, Module, Overrides, Plan, PlanError, PlannedAddress, PlannedBinding, PlannedBuffer, PlannedDispatch,
    PlannedExpectation, PlannedImage, PlannedLevel, PlannedSampler, image_type, specialization,
    takes_sampler, workgroup_memory,
};
pub use read::{RecipeError, parse};
pub use report::Report;
pub use run::{Finished, Host, NoRun, PlaceOf, Run, Slice, Tier, failed, resources_before, run};
pub use schema::{schema, schema_text};
pub use tensor::Tensor;

/// Files that a recipe names, by their path as it is written there.
pub trait Files {
    /// The contents, or why there are none.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;
}

/// The end of a recipe's name, instead of the shader's extension.
pub const EXTENSION: &str = ".run.toml";

/// The recipe beside a shader: `gemm.run.toml` beside `gemm.comp`, and beside `gemm.comp.glsl`, `gemm.spv` or `gemm.spvasm`, too.
pub fn beside(shader: &str) -> String {
    let folder = shader.rfind(['/', '\\']).map_or(0, |at| at + 1);
    let name = shader.get(folder..).unwrap_or_default();
    // A shader in a string is called `FILE#NAME`.
    let first = name.rfind('#').map_or(0, |at| at + 1);
    let dot = name.get(first..).and_then(|rest| rest.find('.')).map(|at| first + at);
    let stem = dot.filter(|at| *at > 0).map_or(name, |at| name.get(..at).unwrap_or(name));
    format!("{}{stem}{EXTENSION}", shader.get(..folder).unwrap_or_default())
}
