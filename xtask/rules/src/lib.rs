//! Valid calls of everything that the matrix extensions bring, and the same calls with one rule broken: the catalogue has to report the
//! right diagnostic at the right place, and nothing about the valid ones.
//!
//! | module | does |
//! |---|---|
//! | `shader` | a small shader in parts, with marks where something is expected |
//! | `parts`, `call` | what calls are made of, and a call with everything around it |
//! | `valid` | valid calls of every function, from the tables |
//! | `broken` | the rules, one change each |
//! | `suite` | the shaders |
//! | `judge` | the catalogue's verdict, and `spirv-val`'s |
//! | `fixes` | what the preferred quick fixes make of the broken shaders |
//! | `fix_table` | the tables of `docs/fixes.md` |
//! | `hands` | real kernels with one slip each |
//! | `probes` | what `spirv-val` knows of the rules |
//! | `table` | the table of `docs/rules-mutation.md` |

pub mod broken;
pub mod call;
pub mod fix_table;
pub mod fixes;
pub mod hands;
pub mod judge;
pub mod parts;
pub mod probes;
pub mod shader;
pub mod suite;
pub mod table;
pub mod valid;
pub mod vectors;
