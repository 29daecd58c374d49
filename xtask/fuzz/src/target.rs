//! The form of a target: what is tried, and how its inputs are made and cut.

use crate::random::Random;
use crate::seeds::Seeds;

/// How an input is cut when it is made smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Tokens and lines of a text.
    Text,
    /// Words of 32 bits.
    Words,
}

/// How much a run does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// Every place of a text rather than some.
    pub everywhere: bool,
}

/// A part, and how its inputs are made and tried.
pub struct Target {
    pub name: &'static str,
    /// What is given the bytes, and what must hold.
    pub about: &'static str,
    pub unit: Unit,
    /// Runs one input. It panics where something does not hold.
    pub run: fn(&[u8], Effort),
    /// Makes an input.
    pub generate: fn(&mut Random, &Seeds) -> Vec<u8>,
    /// Damages an input a little more.
    pub mutate: fn(&[u8], &mut Random, &Seeds) -> Vec<u8>,
}
