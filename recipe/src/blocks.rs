//! Quantised blocks, as ggml lays them out: several elements share a scale, and each takes a few bits.
//!
//! The layouts are facts of the file format. How numbers are chosen for given values is our own and plain: every block takes
//! the scale that makes its largest value fit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::component::Component::F16;

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
}

/// The steps of iq4_nl and of mxfp4 (the latter doubled).
const IQ4_NL: [f64; 16] = [
    -127.0, -104.0, -83.0, -65.0, -49.0, -35.0, -22.0, -10.0, 1.0, 13.0, 25.0, 38.0, 53.0, 69.0, 89.0, 113.0,
];
const MXFP4: [f64; 16] =
    [0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 0.0, -1.0, -2.0, -3.0, -4.0, -6.0, -8.0, -12.0];

impl BlockFormat {
    /// Every format, in the order of the schema.
    pub const ALL: [BlockFormat; 12] = [
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
            | BlockFormat::Iq4Nl
            | BlockFormat::Mxfp4 => 32,
            BlockFormat::Q2K | BlockFormat::Q3K | BlockFormat::Q4K | BlockFormat::Q5K | BlockFormat::Q6K => {
                256
            }
        }
    }

    /// Bytes of a block.
    pub fn bytes(self) -> usize {
        match self {
            BlockFormat::Q4_0 | BlockFormat::Iq4Nl => 18,
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
            BlockFormat::Q8_0 => 0.005,
            BlockFormat::Q6K => 0.03,
            BlockFormat::Q5_0 | BlockFormat::Q5_1 | BlockFormat::Q5K => 0.07,
            BlockFormat::Q4_0 | BlockFormat::Q4_1 | BlockFormat::Q4K => 0.14,
            BlockFormat::Iq4Nl => 0.2,
            // Of a block whose largest value is nearly 8 steps, 6 is the largest number.
            BlockFormat::Mxfp4 => 0.26,
            BlockFormat::Q3K => 0.28,
            BlockFormat::Q2K => 0.4,
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
    }
}
