//! The tests of SPIR-V modules from outside: one program, since linking one for each file took longer than running it.

mod assembly;
mod debug;
mod hostile;
mod reduce;
mod round_trip;
mod specialize;
mod support;
