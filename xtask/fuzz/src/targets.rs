//! The targets: each takes any bytes, gives them to one part, and asserts what must hold of the result.

mod analysis;
pub mod codegen;
mod files;
mod format;
mod parser;
mod preprocessor;
mod server;
mod simulator;
mod spirv;

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

/// In the order of the flow.
pub const TARGETS: &[Target] = &[
    preprocessor::TARGET,
    parser::TARGET,
    analysis::TARGET,
    format::TARGET,
    server::TARGET,
    codegen::TARGET,
    spirv::TARGET,
    simulator::TARGET,
    files::RECIPE,
    files::PROJECT,
];

pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// Some of the places between tokens and inside of them, in their order; all where everything shall be tried.
fn offsets(text: &str, effort: Effort, count: usize, random: &mut Random) -> Vec<u32> {
    let mut found: Vec<usize> = if effort.everywhere && text.len() < 3000 {
        (0..=text.len()).collect()
    } else {
        (0..count).map(|_| random.below(text.len() + 1)).collect()
    };
    found.retain(|&at| text.is_char_boundary(at));
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|at| at as u32).collect()
}

/// A damaged shader, and what it becomes by one or two more damages.
fn edited_shader(random: &mut Random, seeds: &Seeds) -> Vec<u8> {
    let mut text = seeds.shader(random).to_owned();
    if random.below(3) > 0 {
        text = crate::mutate::shader(&text, random, seeds);
    }
    let mut input = text.clone();
    for _ in 0..=random.below(2) {
        text = match random.one_in(4) {
            true => crate::mutate::gently(&text, random),
            false => crate::mutate::shader(&text, random, seeds),
        };
        // The configuration stays the input's.
        while let Some(rest) = text.strip_prefix("//! ") {
            text = rest.split_once('\n').map_or("", |(_, rest)| rest).to_owned();
        }
        input.push_str(crate::input::EDIT);
        input.push_str(&text);
    }
    input.into_bytes()
}

/// Damages a text that need not be a shader.
fn mutate_text(bytes: &[u8], random: &mut Random, seeds: &Seeds) -> Vec<u8> {
    crate::mutate::shader(&String::from_utf8_lossy(bytes), random, seeds).into_bytes()
}

/// Adds an edit to a shader, or damages the last text of it.
fn mutate_edited(bytes: &[u8], random: &mut Random, seeds: &Seeds) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let (before, last) = text.rsplit_once(crate::input::EDIT).unwrap_or(("", &text));
    let changed = crate::mutate::shader(last, random, seeds);
    match (before.is_empty(), random.one_in(2)) {
        (true, true) => format!("{last}{}{changed}", crate::input::EDIT),
        (true, false) => changed,
        (false, _) => format!("{before}{}{changed}", crate::input::EDIT),
    }
    .into_bytes()
}

/// Damages a module.
fn mutate_words(bytes: &[u8], random: &mut Random, _: &Seeds) -> Vec<u8> {
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    coopmat_spirv::to_bytes(&crate::mutate::words::module(&words, random))
}

fn damaged_shader(random: &mut Random, seeds: &Seeds) -> Vec<u8> {
    let text = seeds.shader(random);
    crate::mutate::shader(text, random, seeds).into_bytes()
}
