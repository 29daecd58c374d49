//! The tests of code generation from outside: one program, since linking one for each file took longer than running it.

mod builtins;
mod device;
mod documentation;
mod language;
mod matrix;
mod modules;
mod nonuniform;
mod refusals;
mod registers;
mod specialize;
mod stages;
mod statistics;
mod tangled;
mod uniformity;
