//! The tables that the build script makes of `extensions/*.toml`, sorted by name.

use super::*;
use crate::config::Stage;
use crate::types::{ImageDim, OpaqueClass};

include!(concat!(env!("OUT_DIR"), "/extension_tables.rs"));
