//! What several targets make and damage their inputs with.

use crate::input::EDIT;
use crate::mutate::{self, words};
use crate::random::Random;
use crate::seeds::Seeds;
use crate::target::Effort;

/// Some of the places between tokens and inside of them, in their order; all where everything shall be tried.
pub fn offsets(text: &str, effort: Effort, count: usize, random: &mut Random) -> Vec<u32> {
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
pub fn edited_shader(random: &mut Random, seeds: &Seeds) -> Vec<u8> {
    let mut text = seeds.shader(random).to_owned();
    if random.below(3) > 0 {
        text = mutate::shader(&text, random, seeds);
    }
    let mut input = text.clone();
    for _ in 0..=random.below(2) {
        text = match random.one_in(4) {
            true => mutate::gently(&text, random),
            false => mutate::shader(&text, random, seeds),
        };
        // The configuration stays the input's.
        while let Some(rest) = text.strip_prefix("//! ") {
            text = rest.split_once('\n').map_or("", |(_, rest)| rest).to_owned();
        }
        input.push_str(EDIT);
        input.push_str(&text);
    }
    input.into_bytes()
}

/// Damages a text that need not be a shader.
pub fn mutate_text(bytes: &[u8], random: &mut Random, seeds: &Seeds) -> Vec<u8> {
    mutate::shader(&String::from_utf8_lossy(bytes), random, seeds).into_bytes()
}

/// Adds an edit to a shader, or damages the last text of it.
pub fn mutate_edited(bytes: &[u8], random: &mut Random, seeds: &Seeds) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let (before, last) = text.rsplit_once(EDIT).unwrap_or(("", &text));
    let changed = mutate::shader(last, random, seeds);
    match (before.is_empty(), random.one_in(2)) {
        (true, true) => format!("{last}{}{changed}", EDIT),
        (true, false) => changed,
        (false, _) => format!("{before}{}{changed}", EDIT),
    }
    .into_bytes()
}

/// Damages a module.
pub fn mutate_words(bytes: &[u8], random: &mut Random, _: &Seeds) -> Vec<u8> {
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    coopmat_spirv::to_bytes(&words::module(&words, random))
}

/// A damaged shader without an edit.
pub fn damaged_shader(random: &mut Random, seeds: &Seeds) -> Vec<u8> {
    let text = seeds.shader(random);
    mutate::shader(text, random, seeds).into_bytes()
}
