//! The tables that the build script makes of `extensions/*.toml`, sorted by name.

use std::ops::Deref;

use super::entries::*;
use super::rules::{Change, FixedOperand, Rule};
use crate::config::Stage;
use crate::types::{ImageDim, Opaque, OpaqueClass, Scalar};

include!(concat!(env!("OUT_DIR"), "/extension_tables.rs"));

impl Deref for BuiltinFunction {
    type Target = FunctionFamily;

    fn deref(&self) -> &FunctionFamily {
        &FAMILIES[usize::from(self.family)]
    }
}
