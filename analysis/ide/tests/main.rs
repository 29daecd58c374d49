//! The tests of the answers from outside: one program, since linking one for each file took longer than running it.

mod completion_names;
mod hostile;
mod page_fixes;
