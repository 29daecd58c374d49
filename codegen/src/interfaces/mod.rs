//! Interfaces of stages: what `in` and `out`, payloads and built-in variables become, and what the entry point says of its stage.
//!
//! | module | does |
//! |---|---|
//! | `stages` | the execution model and the modes of a stage |
//! | `variables` | inputs, outputs, interface blocks, payloads |
//! | `builtins` | built-in variables, declared again or not |
//! | `per_vertex` | the block `gl_PerVertex`, which holds `gl_Position` and its kin |
//! | `feedback` | transform feedback and streams |
//! | `locations` | locations that the shader leaves to the compiler |
//! | `words` | the words and layout names of interfaces, and their decorations |
//! | `table` | what is declared already |
//! | `needs` | capabilities and extensions of what is named here, by the grammar of SPIR-V |

mod builtins;
mod feedback;
mod locations;
mod needs;
mod per_vertex;
mod stages;
pub(crate) mod table;
mod variables;
mod words;

use coopmat_analysis::config::Stage;

use crate::codegen::Codegen;

pub(crate) use words::is_interface_layout;

impl Codegen<'_> {
    /// The stage that is compiled. A file that does not say it is compiled as a compute shader.
    pub fn stage(&self) -> Stage {
        self.hir.stage.unwrap_or(Stage::Compute)
    }
}
