//! The second tier: WebAssembly made of a program, for a host that runs it.
//!
//! A [`Compiled`] is a module with one function, which runs a subgroup until it ends, comes to a barrier or has used up its steps. Values of
//! all lanes are planes in the module's memory, as the interpreter's registers are; within a straight piece of a block they are vectors of four
//! lanes in locals, and what all lanes have in common is a scalar. Control flow is the interpreter's: groups of lanes, the one at the lowest
//! block first. What is not generated is done by the interpreter's own code on the module's memory, so that every
//! bit is the same by construction.
//!
//! | module | does |
//! |---|---|
//! | `effects` | for every instruction, what it reads and writes, and whether it is generated, left to the interpreter or refused |
//! | `planes` | all planes of a program in one numbering, which of them hold pointers, matrices, and what is used across lanes |
//! | `uniform` | which planes hold the same word in all lanes, and in which blocks lanes may have parted |
//! | `unroll` | before all that: loops whose number of turns is known, turn by turn |
//! | `layout` | where everything lies in the module's memory |
//! | `module` | the module: its parts, and the helpers that its function calls |
//! | `control` | blocks, edges, groups of lanes, calls, steps |
//! | `batch` | what the interpreter's code does: instructions that wait for each other, and one call for all of them |
//! | `ready` | loads and multiply-adds of matrices that the host does without the interpreter |
//! | `region` | straight pieces of blocks: loops over lanes, values in locals |
//! | `arithmetic`, `integers`, `numbers` | what is computed |
//! | `memory`, `vectors` | addresses, loads and stores, planes that an index chooses |
//! | `site`, `refusal` | what the module asks for; why it is not made |
//! | `compiled` | what is made |
//! | `session` | a run: workgroups, barriers, what the interpreter does for the module |

mod arithmetic;
mod batch;
pub(crate) mod compiled;
mod control;
mod effects;
mod integers;
mod layout;
mod memory;
mod module;
mod numbers;
mod planes;
mod ready;
pub(crate) mod refusal;
mod region;
pub(crate) mod session;
pub(crate) mod site;
mod uniform;
pub(crate) mod unroll;
mod vectors;

pub use compiled::Compiled;
pub use refusal::Refusal;
pub use session::{CompiledDispatch, CompiledRun, Next, Results};
