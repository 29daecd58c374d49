//! The tests of the analysis from outside: one program, since linking one for each file took longer than running it.

mod allow;
mod barriers;
mod build_messages;
mod cut_off;
mod declarations;
mod device_docs;
mod diagnostic_pages;
mod examples;
mod expressions;
mod fixtures;
mod guess;
mod hostile;
mod incomplete_text;
mod incremental;
mod matrix_rules;
mod names;
mod rule_codes;
mod typed;
