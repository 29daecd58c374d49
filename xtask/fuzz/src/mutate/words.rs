//! Damage to SPIR-V modules: words, operands and whole instructions, so that many of them still load.

use crate::random::Random;

/// Words of the header.
const HEADER: usize = 5;

/// Where instructions begin, as far as lengths make sense.
fn instructions(words: &[u32]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = HEADER;
    while let Some(word) = words.get(at) {
        let length = (word >> 16) as usize;
        if length == 0 || at + length > words.len() {
            break;
        }
        found.push((at, length));
        at += length;
    }
    found
}

/// Damages a module in one to a few places.
pub fn module(words: &[u32], random: &mut Random) -> Vec<u32> {
    let mut words = words.to_vec();
    for _ in 0..=random.below(4) {
        if words.len() <= HEADER {
            break;
        }
        once(&mut words, random);
    }
    words
}

fn once(words: &mut Vec<u32>, random: &mut Random) {
    let instructions = instructions(words);
    let bound = words[3] as usize;
    let whole = random.choose(&instructions).copied();
    match (random.below(12), whole) {
        // An operand becomes another id, or a number.
        (0..5, Some((at, length))) if length > 1 => {
            let place = at + 1 + random.below(length - 1);
            words[place] = match random.below(6) {
                0..4 => random.below(bound) as u32,
                4 => random.below(64) as u32,
                _ => random.number() as u32,
            };
        }
        (5, Some((at, length))) => drop(words.drain(at..at + length)),
        (6, Some((at, length))) => {
            let copy: Vec<u32> = words[at..at + length].to_vec();
            let to = random.choose(&instructions).map_or(at, |(at, _)| *at);
            words.splice(to..to, copy);
        }
        (7, Some((at, length))) => {
            let taken: Vec<u32> = words.drain(at..at + length).collect();
            let left = self::instructions(words);
            let to = random.choose(&left).map_or(HEADER.min(words.len()), |(at, _)| *at);
            words.splice(to..to, taken);
        }
        // Another operation on the same operands.
        (8, Some((at, _))) => {
            let near = (words[at] & 0xFFFF).wrapping_add(random.below(9) as u32).wrapping_sub(4);
            let op = if random.one_in(3) { random.below(7000) as u32 } else { near & 0xFFFF };
            words[at] = words[at] & 0xFFFF_0000 | op;
        }
        (9, _) => {
            let at = random.below(words.len());
            words[at] ^= 1 << random.below(32);
        }
        (10, _) if random.one_in(4) => words.truncate(random.below(words.len()).max(1)),
        _ => {
            let at = random.below(words.len());
            words[at] = random.number() as u32;
        }
    }
}
