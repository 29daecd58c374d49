//! The tests of the simulator from outside: one program, since linking one for each file took longer than running it.

mod abort;
mod arithmetic;
mod barriers;
mod bulk;
mod checks;
mod conformance;
mod control_flow;
mod debugger;
mod float_controls;
mod hostile;
mod images;
mod matrices;
mod memory;
mod parts;
mod planted;
mod profile;
mod races;
mod subgroups;
mod support;
mod variables;
mod vector_checks;
mod vectors;
