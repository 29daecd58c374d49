//! Quantised blocks, as ggml lays them out: several elements share a scale, and each takes a few bits.
//!
//! The layouts are facts of the file format. How numbers are chosen for given values is our own and plain: every block takes
//! the scale that makes its largest value fit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::component::Component::{E4m3 as E4M3, F16};

/// A format of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum BlockFormat {
    /// 32 elements in 18 bytes: 4 bits with a sign, times a scale.
    #[serde(rename = "q4_0")]
    Q4_0,
    /// 32 elements in 20 bytes: 4 bits times a scale, above a minimum.
    #[serde(rename = "q4_1")]
    Q4_1,
    /// 32 elements in 22 bytes: 5 bits with a sign, times a scale.
    #[serde(rename = "q5_0")]
    Q5_0,
    /// 32 elements in 24 bytes: 5 bits times a scale, above a minimum.
    #[serde(rename = "q5_1")]
    Q5_1,
    /// 32 elements in 34 bytes: 8 bits with a sign, times a scale.
    #[serde(rename = "q8_0")]
    Q8_0,
    /// 256 elements in 84 bytes: 2 bits each, scales and minima of 4 bits for every 16.
    #[serde(rename = "q2_K")]
    Q2K,
    /// 256 elements in 110 bytes: 3 bits each, scales of 6 bits for every 16.
    #[serde(rename = "q3_K")]
    Q3K,
    /// 256 elements in 144 bytes: 4 bits each, scales and minima of 6 bits for every 32.
    #[serde(rename = "q4_K")]
    Q4K,
    /// 256 elements in 176 bytes: 5 bits each, scales and minima of 6 bits for every 32.
    #[serde(rename = "q5_K")]
    Q5K,
    /// 256 elements in 210 bytes: 6 bits each, scales of 8 bits for every 16.
    #[serde(rename = "q6_K")]
    Q6K,
    /// 32 elements in 18 bytes: 4 bits each, steps of a table times a scale.
    #[serde(rename = "iq4_nl")]
    Iq4Nl,
    /// 32 elements in 17 bytes: floats of 4 bits, times a power of two (OCP Microscaling).
    #[serde(rename = "mxfp4")]
    Mxfp4,
    /// 128 elements in 18 bytes: a sign, times a scale.
    #[serde(rename = "q1_0")]
    Q1_0,
    /// 64 elements in 18 bytes: -1, 0, 1 or 2, times a scale.
    #[serde(rename = "q2_0")]
    Q2_0,
    /// 32 elements in 36 bytes: 8 bits with a sign, times a scale, and the sum of the elements.
    #[serde(rename = "q8_1")]
    Q8_1,
    /// 256 elements in 136 bytes: 4 bits each, steps of a table, scales of 6 bits for every 32.
    #[serde(rename = "iq4_xs")]
    Iq4Xs,
    /// 64 elements in 36 bytes: floats of 4 bits, times a float of 8 bits for every 16.
    #[serde(rename = "nvfp4")]
    Nvfp4,
    /// 256 elements in 54 bytes: -1, 0 or 1, times a scale, five in a byte.
    #[serde(rename = "tq1_0")]
    Tq1_0,
    /// 256 elements in 66 bytes: -1, 0 or 1, times a scale, four in a byte.
    #[serde(rename = "tq2_0")]
    Tq2_0,
}

/// The steps of iq4_nl and of mxfp4 (the latter doubled).
const IQ4_NL: [f64; 16] = [
    -127.0, -104.0, -83.0, -65.0, -49.0, -35.0, -22.0, -10.0, 1.0, 13.0, 25.0, 38.0, 53.0, 69.0, 89.0, 113.0,
];
const MXFP4: [f64; 16] =
    [0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 0.0, -1.0, -2.0, -3.0, -4.0, -6.0, -8.0, -12.0];

/// The types of ggml that are no [`BlockFormat`], each with the bytes of its block: those of `iq1`, `iq2` and `iq3` index tables of hundreds
/// of numbers, and no shader reads `q8_K`.
pub(crate) const UNSUPPORTED: [(&str, usize); 8] = [
    ("iq1_s", 50),
    ("iq1_m", 56),
    ("iq2_xxs", 66),
    ("iq2_xs", 74),
    ("iq2_s", 82),
    ("iq3_xxs", 98),
    ("iq3_s", 110),
    ("q8_K", 292),
];

impl BlockFormat {
    /// Every format, in the order of the schema.
    pub const ALL: [BlockFormat; 19] = [
        BlockFormat::Q4_0,
        BlockFormat::Q4_1,
        BlockFormat::Q5_0,
        BlockFormat::Q5_1,
        BlockFormat::Q8_0,
        BlockFormat::Q2K,
        BlockFormat::Q3K,
        BlockFormat::Q4K,
        BlockFormat::Q5K,
        BlockFormat::Q6K,
        BlockFormat::Iq4Nl,
        BlockFormat::Mxfp4,
        BlockFormat::Q1_0,
        BlockFormat::Q2_0,
        BlockFormat::Q8_1,
        BlockFormat::Iq4Xs,
        BlockFormat::Nvfp4,
        BlockFormat::Tq1_0,
        BlockFormat::Tq2_0,
    ];

    /// As recipes write it, which is how ggml does.
    pub fn name(self) -> &'static str {
        match self {
            BlockFormat::Q4_0 => "q4_0",
            BlockFormat::Q4_1 => "q4_1",
            BlockFormat::Q5_0 => "q5_0",
            BlockFormat::Q5_1 => "q5_1",
            BlockFormat::Q8_0 => "q8_0",
            BlockFormat::Q2K => "q2_K",
            BlockFormat::Q3K => "q3_K",
            BlockFormat::Q4K => "q4_K",
            BlockFormat::Q5K => "q5_K",
            BlockFormat::Q6K => "q6_K",
            BlockFormat::Iq4Nl => "iq4_nl",
            BlockFormat::Mxfp4 => "mxfp4",
            BlockFormat::Q1_0 => "q1_0",
            BlockFormat::Q2_0 => "q2_0",
            BlockFormat::Q8_1 => "q8_1",
            BlockFormat::Iq4Xs => "iq4_xs",
            BlockFormat::Nvfp4 => "nvfp4",
            BlockFormat::Tq1_0 => "tq1_0",
            BlockFormat::Tq2_0 => "tq2_0",
        }
    }

    /// Elements of a block.
    pub fn elements(self) -> usize {
        match self {
            BlockFormat::Q4_0
            | BlockFormat::Q4_1
            | BlockFormat::Q5_0
            | BlockFormat::Q5_1
            | BlockFormat::Q8_0
            | BlockFormat::Q8_1
            | BlockFormat::Iq4Nl
            | BlockFormat::Mxfp4 => 32,
            BlockFormat::Q2_0 | BlockFormat::Nvfp4 => 64,
            BlockFormat::Q1_0 => 128,
            BlockFormat::Q2K
            | BlockFormat::Q3K
            | BlockFormat::Q4K
            | BlockFormat::Q5K
            | BlockFormat::Q6K
            | BlockFormat::Iq4Xs
            | BlockFormat::Tq1_0
            | BlockFormat::Tq2_0 => 256,
        }
    }

    /// Bytes of a block.
    pub fn bytes(self) -> usize {
        match self {
            BlockFormat::Q4_0 | BlockFormat::Iq4Nl | BlockFormat::Q1_0 | BlockFormat::Q2_0 => 18,
            BlockFormat::Q4_1 => 20,
            BlockFormat::Q5_0 => 22,
            BlockFormat::Q5_1 => 24,
            BlockFormat::Q8_0 => 34,
            BlockFormat::Q2K => 84,
            BlockFormat::Q3K => 110,
            BlockFormat::Q4K => 144,
            BlockFormat::Q5K => 176,
            BlockFormat::Q6K => 210,
            BlockFormat::Mxfp4 => 17,
            BlockFormat::Q8_1 | BlockFormat::Nvfp4 => 36,
            BlockFormat::Iq4Xs => 136,
            BlockFormat::Tq1_0 => 54,
            BlockFormat::Tq2_0 => 66,
        }
    }

    /// Writes the block that stands for the values. Does nothing when the lengths are not a block's.
    pub(crate) fn quantise(self, values: &[f64], block: &mut [u8]) {
        if values.len() != self.elements() || block.len() != self.bytes() {
            return;
        }
        block.fill(0);
        match self {
            BlockFormat::Q4_0 => signed(values, block, 4, 2, None),
            BlockFormat::Q5_0 => signed(values, block, 5, 6, Some(2)),
            BlockFormat::Q4_1 => unsigned(values, block, 4, 4, None),
            BlockFormat::Q5_1 => unsigned(values, block, 5, 8, Some(4)),
            BlockFormat::Q8_0 => {
                let scale = put_half(block, 0, largest(values) / 127.0);
                for (index, value) in values.iter().enumerate() {
                    block[2 + index] = step(*value, scale, -127.0, 127.0) as i8 as u8;
                }
            }
            BlockFormat::Q2K => q2_k(values, block),
            BlockFormat::Q3K => q3_k(values, block),
            BlockFormat::Q4K => with_minima(values, block, 4),
            BlockFormat::Q5K => with_minima(values, block, 5),
            BlockFormat::Q6K => q6_k(values, block),
            BlockFormat::Iq4Nl => {
                let scale = put_half(block, 0, largest(values) / 127.0);
                put_nibbles(block, 2, |index| nearest(&IQ4_NL, values[index], scale));
            }
            BlockFormat::Mxfp4 => {
                let largest = largest(values);
                let exponent = if largest == 0.0 { 0 } else { libm::ilogb(largest) - 2 };
                block[0] = (exponent + 127).clamp(0, 254) as u8;
                let scale = mxfp4_scale(block[0]);
                put_nibbles(block, 1, |index| nearest(&MXFP4, values[index], scale));
            }
            BlockFormat::Q1_0 => {
                let sum: f64 = values.iter().map(|value| libm::fabs(*value)).sum();
                put_half(block, 0, sum / 128.0);
                for (index, _) in values.iter().enumerate().filter(|(_, value)| **value >= 0.0) {
                    block[2 + index / 8] |= 1 << (index % 8);
                }
            }
            BlockFormat::Q2_0 => {
                let reach = |value: &f64| if *value < 0.0 { -value } else { value / 2.0 };
                let scale = put_half(block, 0, values.iter().map(reach).fold(0.0, libm::fmax));
                for (index, value) in values.iter().enumerate() {
                    block[2 + index / 4] |= ((step(*value, scale, -1.0, 2.0) + 1.0) as u8) << (index % 4 * 2);
                }
            }
            BlockFormat::Q8_1 => {
                let scale = put_half(block, 0, largest(values) / 127.0);
                let steps: Vec<f64> = values.iter().map(|value| step(*value, scale, -127.0, 127.0)).collect();
                put_half(block, 2, steps.iter().sum::<f64>() * scale);
                for (index, step) in steps.iter().enumerate() {
                    block[4 + index] = *step as i8 as u8;
                }
            }
            BlockFormat::Iq4Xs => iq4_xs(values, block),
            BlockFormat::Nvfp4 => {
                for (group, values) in values.chunks(16).enumerate() {
                    block[group] = E4M3.encode(libm::fmin(largest(values) / 6.0, 448.0)) as u8;
                    let scale = nvfp4_scale(block[group]);
                    for (index, value) in values.iter().enumerate() {
                        block[4 + group * 8 + index % 8] |= nearest(&MXFP4, *value, scale) << (index / 8 * 4);
                    }
                }
            }
            BlockFormat::Tq1_0 => {
                let scale = put_half(block, 52, largest(values));
                let mut digits = [[0u32; 5]; 52];
                for (index, value) in values.iter().enumerate() {
                    let (byte, digit) = tq1_place(index);
                    digits[byte][digit] = (step(*value, scale, -1.0, 1.0) + 1.0) as u32;
                }
                for (byte, digits) in block.iter_mut().zip(digits) {
                    let number = digits.iter().fold(0, |number, digit| number * 3 + digit);
                    // The number as a fraction of 3^5, in 256ths, rounded upwards.
                    *byte = (number * 256).div_ceil(243) as u8;
                }
            }
            BlockFormat::Tq2_0 => {
                let scale = put_half(block, 64, largest(values));
                for (index, value) in values.iter().enumerate() {
                    let quant = (step(*value, scale, -1.0, 1.0) + 1.0) as u8;
                    block[index / 128 * 32 + index % 32] |= quant << (index % 128 / 32 * 2);
                }
            }
        }
    }

    /// The values that a block stands for. Does nothing when the lengths are not a block's.
    pub(crate) fn dequantise(self, block: &[u8], values: &mut [f64]) {
        if values.len() != self.elements() || block.len() != self.bytes() {
            return;
        }
        for (index, value) in values.iter_mut().enumerate() {
            *value = self.element(block, index);
        }
    }

    /// One element of a block.
    fn element(self, block: &[u8], index: usize) -> f64 {
        let bit = |from: usize, index: usize| u32::from(block[from + index / 8] >> (index % 8) & 1);
        match self {
            BlockFormat::Q4_0 => (f64::from(nibble(block, 2, index)) - 8.0) * half(block, 0),
            BlockFormat::Q4_1 => f64::from(nibble(block, 4, index)) * half(block, 0) + half(block, 2),
            BlockFormat::Q5_0 => {
                (f64::from(nibble(block, 6, index) | bit(2, index) << 4) - 16.0) * half(block, 0)
            }
            BlockFormat::Q5_1 => {
                f64::from(nibble(block, 8, index) | bit(4, index) << 4) * half(block, 0) + half(block, 2)
            }
            BlockFormat::Q8_0 => f64::from(block[2 + index] as i8) * half(block, 0),
            BlockFormat::Q2K => {
                let scale = block[index / 16];
                let quant = block[16 + index / 128 * 32 + index % 32] >> (index % 128 / 32 * 2) & 3;
                half(block, 80) * f64::from(scale & 15) * f64::from(quant)
                    - half(block, 82) * f64::from(scale >> 4)
            }
            BlockFormat::Q3K => {
                let low = block[32 + index / 128 * 32 + index % 32] >> (index % 128 / 32 * 2) & 3;
                let high = block[index % 32] >> (index / 32) & 1;
                let quant = f64::from(low | high << 2) - 4.0;
                half(block, 108) * (f64::from(q3_scale(block, index / 16)) - 32.0) * quant
            }
            BlockFormat::Q4K => {
                let (scale, minimum) = packed_scale(&block[4..16], index / 32);
                let quant = block[16 + index / 64 * 32 + index % 32] >> (index % 64 / 32 * 4) & 15;
                half(block, 0) * f64::from(scale) * f64::from(quant) - half(block, 2) * f64::from(minimum)
            }
            BlockFormat::Q5K => {
                let (scale, minimum) = packed_scale(&block[4..16], index / 32);
                let low = block[48 + index / 64 * 32 + index % 32] >> (index % 64 / 32 * 4) & 15;
                let high = block[16 + index % 32] >> (index / 32) & 1;
                half(block, 0) * f64::from(scale) * f64::from(low | high << 4)
                    - half(block, 2) * f64::from(minimum)
            }
            BlockFormat::Q6K => {
                let (low, high) = q6_places(index);
                let quant = (block[low.0] >> low.1 & 15) | (block[high.0] >> high.1 & 3) << 4;
                half(block, 208) * f64::from(block[192 + index / 16] as i8) * (f64::from(quant) - 32.0)
            }
            BlockFormat::Iq4Nl => IQ4_NL[nibble(block, 2, index) as usize] * half(block, 0),
            BlockFormat::Mxfp4 => MXFP4[nibble(block, 1, index) as usize] * mxfp4_scale(block[0]),
            BlockFormat::Q1_0 => (f64::from(bit(2, index)) * 2.0 - 1.0) * half(block, 0),
            BlockFormat::Q2_0 => {
                (f64::from(block[2 + index / 4] >> (index % 4 * 2) & 3) - 1.0) * half(block, 0)
            }
            BlockFormat::Q8_1 => f64::from(block[4 + index] as i8) * half(block, 0),
            BlockFormat::Iq4Xs => {
                let group = index / 32;
                let quant = nibble(block, 8 + group * 16, index % 32);
                half(block, 0) * (f64::from(iq4_scale(block, group)) - 32.0) * IQ4_NL[quant as usize]
            }
            BlockFormat::Nvfp4 => {
                let (group, index) = (index / 16, index % 16);
                let quant = block[4 + group * 8 + index % 8] >> (index / 8 * 4) & 15;
                MXFP4[quant as usize] * nvfp4_scale(block[group])
            }
            BlockFormat::Tq1_0 => {
                let (byte, digit) = tq1_place(index);
                let fraction = u32::from(block[byte]) * 3u32.pow(digit as u32) % 256;
                (f64::from(fraction * 3 / 256) - 1.0) * half(block, 52)
            }
            BlockFormat::Tq2_0 => {
                let quant = block[index / 128 * 32 + index % 32] >> (index % 128 / 32 * 2) & 3;
                (f64::from(quant) - 1.0) * half(block, 64)
            }
        }
    }
}

fn half(block: &[u8], at: usize) -> f64 {
    F16.read(block, at).unwrap_or_default()
}

/// Writes a scale, and gives back what it was rounded to.
fn put_half(block: &mut [u8], at: usize, value: f64) -> f64 {
    F16.write(block, at, value);
    half(block, at)
}

/// Four bits of 32 elements in 16 bytes: the first 16 elements are the low halves.
fn nibble(block: &[u8], from: usize, index: usize) -> u32 {
    u32::from(block[from + index % 16] >> (index / 16 * 4) & 15)
}

fn put_nibbles(block: &mut [u8], from: usize, quant: impl Fn(usize) -> u8) {
    for index in 0..32 {
        block[from + index % 16] |= (quant(index) & 15) << (index / 16 * 4);
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| libm::fmax(largest, libm::fabs(*value)))
}

fn step(value: f64, scale: f64, low: f64, high: f64) -> f64 {
    if scale == 0.0 { 0.0 } else { libm::rint(value / scale).clamp(low, high) }
}

fn nearest(table: &[f64; 16], value: f64, scale: f64) -> u8 {
    let distance = |step: &f64| libm::fabs(step * scale - value);
    let best = (0..16).min_by(|a, b| distance(&table[*a]).total_cmp(&distance(&table[*b])));
    best.unwrap_or(0) as u8
}

/// ggml's steps of mxfp4 are doubled, so its scale is half of the shared exponent's.
fn mxfp4_scale(exponent: u8) -> f64 {
    libm::scalbn(1.0, i32::from(exponent) - 128)
}

/// The steps of nvfp4 are those of mxfp4, doubled as well. Zero and what would be NaN stand for 0.
fn nvfp4_scale(bits: u8) -> f64 {
    match bits & 127 {
        127 => 0.0,
        bits => E4M3.decode(u64::from(bits)) / 2.0,
    }
}

/// The byte of an element of tq1_0, and its digit there, the first being the highest: 32 bytes of five digits, 16 of five, 4 of four, each with the
/// same digits of all its bytes together.
fn tq1_place(index: usize) -> (usize, usize) {
    match index {
        0..160 => (index % 32, index / 32),
        160..240 => (32 + (index - 160) % 16, (index - 160) / 16),
        _ => (48 + (index - 240) % 4, (index - 240) / 4),
    }
}

/// The six bits of a group's scale in iq4_xs: the low four in four bytes, the high two in the two bytes before them.
fn iq4_scale(block: &[u8], group: usize) -> u8 {
    (block[4 + group / 2] >> (group % 2 * 4) & 15) | (block[2 + group / 4] >> (group % 4 * 2) & 3) << 4
}

fn iq4_xs(values: &[f64], block: &mut [u8]) {
    let groups: Vec<f64> = values.chunks(32).map(|values| largest(values) / 127.0).collect();
    let scale = put_half(block, 0, largest(&groups) / 31.0);
    for (group, values) in values.chunks(32).enumerate() {
        let whole = step(groups[group], scale, 0.0, 31.0);
        let bits = (whole + 32.0) as u8;
        block[4 + group / 2] |= (bits & 15) << (group % 2 * 4);
        block[2 + group / 4] |= (bits >> 4) << (group % 4 * 2);
        for (index, value) in values.iter().enumerate() {
            let quant = nearest(&IQ4_NL, *value, scale * whole);
            block[8 + group * 16 + index % 16] |= quant << (index / 16 * 4);
        }
    }
}

/// q4_0 and q5_0: a scale, and steps around 0. The fifth bits stand apart.
fn signed(values: &[f64], block: &mut [u8], bits: u32, quants: usize, fifth: Option<usize>) {
    let middle = f64::from(1u8 << (bits - 1));
    // The value of largest magnitude takes the lowest step, which has no counterpart.
    let extreme = values
        .iter()
        .fold(0.0, |found: f64, value| if libm::fabs(*value) > libm::fabs(found) { *value } else { found });
    let scale = put_half(block, 0, extreme / -middle);
    let quant = |index: usize| (step(values[index], scale, -middle, middle - 1.0) + middle) as u8;
    put_nibbles(block, quants, quant);
    put_fifth_bits(block, fifth, quant);
}

/// q4_1 and q5_1: a scale, and a minimum that is added.
fn unsigned(values: &[f64], block: &mut [u8], bits: u32, quants: usize, fifth: Option<usize>) {
    let steps = f64::from((1u8 << bits) - 1);
    let low = values.iter().copied().fold(f64::INFINITY, libm::fmin);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, libm::fmax);
    let scale = put_half(block, 0, (high - low) / steps);
    let low = put_half(block, 2, low);
    let quant = |index: usize| step(values[index] - low, scale, 0.0, steps) as u8;
    put_nibbles(block, quants, quant);
    put_fifth_bits(block, fifth, quant);
}

fn put_fifth_bits(block: &mut [u8], at: Option<usize>, quant: impl Fn(usize) -> u8) {
    if let Some(at) = at {
        for index in 0..32 {
            block[at + index / 8] |= (quant(index) >> 4 & 1) << (index % 8);
        }
    }
}

/// Scale and minimum of a group: `value = scale * quant - minimum` with `steps + 1` quants, and no minimum below 0.
fn group(values: &[f64], steps: f64) -> (f64, f64) {
    let low = values.iter().copied().fold(0.0, libm::fmin);
    let high = values.iter().copied().fold(low, libm::fmax);
    ((high - low) / steps, -low)
}

/// The two shared factors of a block whose groups have scale and minimum of few bits; both in whole steps per group.
fn shared_factors(
    groups: &[(f64, f64)],
    steps: f64,
    block: &mut [u8],
    at: usize,
) -> (f64, f64, Vec<(u8, u8)>) {
    let most = |pick: fn(&(f64, f64)) -> f64| groups.iter().map(pick).fold(0.0, libm::fmax);
    let scale = put_half(block, at, most(|group| group.0) / steps);
    let minimum = put_half(block, at + 2, most(|group| group.1) / steps);
    let whole = groups
        .iter()
        .map(|group| (step(group.0, scale, 0.0, steps) as u8, step(group.1, minimum, 0.0, steps) as u8));
    let whole = whole.collect();
    (scale, minimum, whole)
}

fn q2_k(values: &[f64], block: &mut [u8]) {
    let groups: Vec<_> = values.chunks(16).map(|values| group(values, 3.0)).collect();
    let (scale, minimum, whole) = shared_factors(&groups, 15.0, block, 80);
    for (at, (scale, minimum)) in whole.iter().enumerate() {
        block[at] = scale | minimum << 4;
    }
    for (index, value) in values.iter().enumerate() {
        let (own, low) = whole[index / 16];
        let quant = step(value + minimum * f64::from(low), scale * f64::from(own), 0.0, 3.0) as u8;
        block[16 + index / 128 * 32 + index % 32] |= quant << (index % 128 / 32 * 2);
    }
}

/// The six bits of a group's scale in q3_K: the low four in the first eight bytes, the high two in the last four.
fn q3_scale(block: &[u8], group: usize) -> u8 {
    let scales = &block[96..108];
    (scales[group % 8] >> (group / 8 * 4) & 15) | (scales[8 + group % 4] >> (group / 4 * 2) & 3) << 4
}

fn q3_k(values: &[f64], block: &mut [u8]) {
    let groups: Vec<f64> = values.chunks(16).map(|values| largest(values) / 4.0).collect();
    let scale = put_half(block, 108, largest(&groups) / 31.0);
    let mut own = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        let whole = step(*group, scale, 0.0, 31.0);
        let bits = (whole + 32.0) as u8;
        block[96 + at % 8] |= (bits & 15) << (at / 8 * 4);
        block[104 + at % 4] |= (bits >> 4) << (at / 4 * 2);
        own.push(whole);
    }
    for (index, value) in values.iter().enumerate() {
        let quant = (step(*value, scale * own[index / 16], -4.0, 3.0) + 4.0) as u8;
        block[32 + index / 128 * 32 + index % 32] |= (quant & 3) << (index % 128 / 32 * 2);
        block[index % 32] |= (quant >> 2) << (index / 32);
    }
}

/// Scale and minimum of group 0 to 7 in the twelve bytes of q4_K and q5_K: six bits each.
fn packed_scale(scales: &[u8], group: usize) -> (u8, u8) {
    if group < 4 {
        (scales[group] & 63, scales[group + 4] & 63)
    } else {
        (
            scales[group + 4] & 15 | scales[group - 4] >> 6 << 4,
            scales[group + 4] >> 4 | scales[group] >> 6 << 4,
        )
    }
}

/// q4_K and q5_K.
fn with_minima(values: &[f64], block: &mut [u8], bits: u32) {
    let steps = f64::from((1u8 << bits) - 1);
    let groups: Vec<_> = values.chunks(32).map(|values| group(values, steps)).collect();
    let (scale, minimum, whole) = shared_factors(&groups, 63.0, block, 0);
    for (group, (own, low)) in whole.iter().enumerate() {
        let scales = &mut block[4..16];
        if group < 4 {
            scales[group] |= own;
            scales[group + 4] |= low;
        } else {
            scales[group + 4] |= own & 15 | (low & 15) << 4;
            scales[group - 4] |= own >> 4 << 6;
            scales[group] |= low >> 4 << 6;
        }
    }
    let quants = if bits == 4 { 16 } else { 48 };
    for (index, value) in values.iter().enumerate() {
        let (own, low) = whole[index / 32];
        let quant = step(value + minimum * f64::from(low), scale * f64::from(own), 0.0, steps) as u8;
        block[quants + index / 64 * 32 + index % 32] |= (quant & 15) << (index % 64 / 32 * 4);
        if bits == 5 {
            block[16 + index % 32] |= (quant >> 4) << (index / 32);
        }
    }
}

/// Byte and shift of the low four and of the high two bits of an element of q6_K.
fn q6_places(index: usize) -> ((usize, usize), (usize, usize)) {
    let (part, quarter, at) = (index / 128, index % 128 / 32, index % 32);
    ((part * 64 + quarter % 2 * 32 + at, quarter / 2 * 4), (128 + part * 32 + at, quarter * 2))
}

fn q6_k(values: &[f64], block: &mut [u8]) {
    let groups: Vec<f64> = values.chunks(16).map(|values| largest(values) / 31.0).collect();
    let scale = put_half(block, 208, largest(&groups) / 127.0);
    for (index, value) in values.iter().enumerate() {
        let own = step(groups[index / 16], scale, 0.0, 127.0);
        block[192 + index / 16] = own as u8;
        let quant = (step(*value, scale * own, -32.0, 31.0) + 32.0) as u8;
        let (low, high) = q6_places(index);
        block[low.0] |= (quant & 15) << low.1;
        block[high.0] |= (quant >> 4) << high.1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// How far a value may be from what comes back, in parts of the block's largest value.
    fn precision(format: BlockFormat) -> f64 {
        match format {
            BlockFormat::Q8_0 | BlockFormat::Q8_1 => 0.005,
            BlockFormat::Q6K => 0.03,
            BlockFormat::Q5_0 | BlockFormat::Q5_1 | BlockFormat::Q5K => 0.07,
            BlockFormat::Q4_0 | BlockFormat::Q4_1 | BlockFormat::Q4K => 0.14,
            BlockFormat::Iq4Nl | BlockFormat::Iq4Xs | BlockFormat::Nvfp4 => 0.2,
            // Of a block whose largest value is nearly 8 steps, 6 is the largest number.
            BlockFormat::Mxfp4 => 0.26,
            BlockFormat::Q3K => 0.28,
            BlockFormat::Q2K => 0.4,
            // Few steps, of nearly the largest value each.
            BlockFormat::Q2_0 | BlockFormat::Tq1_0 | BlockFormat::Tq2_0 => 0.51,
            BlockFormat::Q1_0 => 0.6,
        }
    }

    #[test]
    fn values_come_back_nearly() {
        let mut random = Random::new(3);
        for format in BlockFormat::ALL {
            let values: Vec<f64> = (0..format.elements()).map(|_| random.uniform(-2.0, 2.0)).collect();
            let mut block = vec![0; format.bytes()];
            let mut back = vec![0.0; format.elements()];
            format.quantise(&values, &mut block);
            format.dequantise(&block, &mut back);
            for (index, (value, back)) in values.iter().zip(&back).enumerate() {
                let error = (value - back).abs();
                assert!(error <= 2.0 * precision(format), "{} {index}: {value} became {back}", format.name());
            }
        }
    }

    /// What is represented exactly is written exactly.
    #[test]
    fn quantising_what_was_dequantised_changes_nothing() {
        let mut random = Random::new(5);
        for format in [BlockFormat::Q4_0, BlockFormat::Q5_0, BlockFormat::Q8_0] {
            let low = if format == BlockFormat::Q8_0 { -127 } else { -8 };
            let mut values: Vec<f64> = (0..32).map(|_| random.integer(low, 7) as f64 * 0.25).collect();
            values[9] = if format == BlockFormat::Q5_0 { -4.0 } else { f64::from(low as i32) * 0.25 };
            let (mut block, mut back) = (vec![0; format.bytes()], vec![0.0; 32]);
            format.quantise(&values, &mut block);
            format.dequantise(&block, &mut back);
            assert_eq!(values, back, "{}", format.name());
        }
    }

    /// Elements by hand, from the layouts' descriptions.
    #[test]
    fn bits_stand_where_the_formats_have_them() {
        // q5_0: scale 1, element 17 is the high half of the second byte, its fifth bit is bit 17.
        let mut block = [0u8; 22];
        F16.write(&mut block, 0, 1.0);
        block[2 + 2] = 0b10;
        block[6 + 1] = 0x30;
        assert_eq!(BlockFormat::Q5_0.element(&block, 17), 3.0);
        assert_eq!(BlockFormat::Q5_0.element(&block, 1), -16.0);
        // q4_K: group 5 has its scale's low bits in byte 9 and its high bits in byte 1 of the scales.
        let mut block = [0u8; 144];
        F16.write(&mut block, 0, 1.0);
        F16.write(&mut block, 2, 0.5);
        block[4 + 9] = 0x21;
        block[4 + 1] = 0b1000_0000;
        block[4 + 5] = 0b0100_0000;
        block[16 + 2 * 32 + 3] = 0x70;
        assert_eq!(BlockFormat::Q4K.element(&block, 5 * 32 + 3), 33.0 * 7.0 - 0.5 * 18.0);
        // q6_K: element 200 is of the second part, its third quarter: the high half of byte 64 + 8, bits 4 and 5 of 32 + 8.
        let mut block = [0u8; 210];
        F16.write(&mut block, 208, 2.0);
        block[192 + 12] = 3;
        block[64 + 8] = 0x90;
        block[128 + 32 + 8] = 0b0010_0000;
        assert_eq!(BlockFormat::Q6K.element(&block, 200), 2.0 * 3.0 * (f64::from(0x29) - 32.0));
        // q2_0: element 5 is bits 2 and 3 of the second byte.
        let mut block = [0u8; 18];
        F16.write(&mut block, 0, 0.5);
        block[2 + 1] = 0b1100;
        assert_eq!(BlockFormat::Q2_0.element(&block, 5), 0.5 * 2.0);
        assert_eq!(BlockFormat::Q2_0.element(&block, 4), -0.5);
        // q1_0: element 11 is bit 3 of the second byte.
        assert_eq!(BlockFormat::Q1_0.element(&block, 11), 0.5);
        assert_eq!(BlockFormat::Q1_0.element(&block, 12), -0.5);
        // iq4_xs: group 5 has the low bits of its scale in the high half of byte 2 of four, the high ones in bits 10 and 11.
        let mut block = [0u8; 136];
        F16.write(&mut block, 0, 2.0);
        block[4 + 2] = 0x70;
        block[3] = 0b1000;
        block[8 + 5 * 16 + 1] = 0xC0;
        assert_eq!(BlockFormat::Iq4Xs.element(&block, 5 * 32 + 17), 2.0 * (39.0 - 32.0) * 53.0);
        // nvfp4: element 41 is the high half of byte 1 of the third group, whose scale is 1.5 as an e4m3.
        let mut block = [0u8; 36];
        block[2] = 0x3C;
        block[4 + 2 * 8 + 1] = 0xF0;
        assert_eq!(BlockFormat::Nvfp4.element(&block, 41), -6.0 * 1.5);
        // Bytes 0 and 0x7F, which would be NaN, are scales of 0; the smallest one is 1/512.
        for (scale, expected) in [(0, 0.0), (0x7F, 0.0), (1, -6.0 / 512.0)] {
            block[2] = scale;
            assert_eq!(BlockFormat::Nvfp4.element(&block, 41), expected);
        }
        // q8_1: element 3 is byte 3 behind the scale and the sum.
        let mut block = [0u8; 36];
        F16.write(&mut block, 0, 0.25);
        F16.write(&mut block, 2, 100.0);
        block[4 + 3] = 0x85;
        assert_eq!(BlockFormat::Q8_1.element(&block, 3), -123.0 * 0.25);
        // tq2_0: element 200 is bits 4 and 5 of byte 40.
        let mut block = [0u8; 66];
        F16.write(&mut block, 64, 3.0);
        block[40] = 0b10_0000;
        assert_eq!(BlockFormat::Tq2_0.element(&block, 200), 3.0);
        // tq1_0: the digits 1, 0, 2, 1, 0 of byte 3 are 102 / 243, in 256ths 107.45, rounded upwards.
        let mut block = [0u8; 54];
        F16.write(&mut block, 52, 3.0);
        block[3] = 108;
        let digits = [3, 35, 67, 99, 131].map(|index| BlockFormat::Tq1_0.element(&block, index));
        assert_eq!(digits, [0.0, -3.0, 3.0, 0.0, -3.0]);
        // Four digits of the last four bytes.
        block[49] = 108;
        let digits = [241, 245, 249, 253].map(|index| BlockFormat::Tq1_0.element(&block, index));
        assert_eq!(digits, [0.0, -3.0, 3.0, 0.0]);
    }

    /// Every element of a block of arbitrary bytes with the scale 0.5, as ggml's `dequantize_row_...` reads it: the sum of the elements, each times its
    /// number from 1 on.
    #[test]
    fn whole_blocks_are_read_as_ggml_reads_them() {
        let expected = [
            (BlockFormat::Q1_0, Some(0), -266.0),
            (BlockFormat::Q2_0, Some(0), 406.5),
            (BlockFormat::Iq4Xs, Some(0), -1_045_567.0),
            // Its scales are among the arbitrary bytes.
            (BlockFormat::Nvfp4, None, 60_054.652_343_75),
            (BlockFormat::Tq1_0, Some(52), -65.5),
            (BlockFormat::Tq2_0, Some(64), 8_622.5),
        ];
        for (format, scale, sum) in expected {
            let mut block: Vec<u8> = (0..format.bytes()).map(|at| (at * 37 + 11) as u8).collect();
            if let Some(scale) = scale {
                F16.write(&mut block, scale, 0.5);
            }
            let mut values = vec![0.0; format.elements()];
            format.dequantise(&block, &mut values);
            let weighted = values.iter().zip(1..).map(|(value, number)| value * f64::from(number));
            assert_eq!(weighted.sum::<f64>(), sum, "{}", format.name());
        }
    }

    /// A name is supported or not, and means one format.
    #[test]
    fn no_unsupported_type_is_a_format() {
        for (name, _) in UNSUPPORTED {
            assert!(BlockFormat::ALL.iter().all(|format| format.name() != name), "{name}");
        }
    }

    /// What has three values comes back, and q8_1 has the sum of its elements.
    #[test]
    fn few_steps_are_exact() {
        let mut random = Random::new(7);
        for format in [BlockFormat::Tq1_0, BlockFormat::Tq2_0] {
            let values: Vec<f64> = (0..256).map(|_| random.integer(-1, 1) as f64 * 0.75).collect();
            let (mut block, mut back) = (vec![0; format.bytes()], vec![0.0; 256]);
            format.quantise(&values, &mut block);
            format.dequantise(&block, &mut back);
            assert_eq!(values, back, "{}", format.name());
        }
        let values: Vec<f64> = (0..32).map(|index| f64::from(index) * 127.0 / 31.0).map(libm::rint).collect();
        let mut block = vec![0; 36];
        BlockFormat::Q8_1.quantise(&values, &mut block);
        assert_eq!(half(&block, 2), F16.round(values.iter().sum()));
    }
}
