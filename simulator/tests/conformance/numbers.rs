//! Number formats, written from their definitions: sign, exponent and fraction; nothing of the simulator's.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    F16,
    F32,
    F64,
    BF16,
    E4M3,
    E5M2,
    S8,
    U8,
    S16,
    U16,
    S32,
    U32,
}

use Kind::*;

/// Types with arithmetic.
pub const ARITHMETIC: [Kind; 9] = [F16, F32, F64, S8, U8, S16, U16, S32, U32];

impl Kind {
    pub fn glsl(self) -> &'static str {
        match self {
            F16 => "float16_t",
            F32 => "float32_t",
            F64 => "float64_t",
            BF16 => "bfloat16_t",
            E4M3 => "floate4m3_t",
            E5M2 => "floate5m2_t",
            S8 => "int8_t",
            U8 => "uint8_t",
            S16 => "int16_t",
            U16 => "uint16_t",
            S32 => "int32_t",
            U32 => "uint32_t",
        }
    }

    /// The prefix of the vector types.
    pub fn vector(self) -> &'static str {
        match self {
            F16 => "f16vec",
            F32 => "vec",
            F64 => "dvec",
            BF16 => "bf16vec",
            E4M3 => "fe4m3vec",
            E5M2 => "fe5m2vec",
            S8 => "i8vec",
            U8 => "u8vec",
            S16 => "i16vec",
            U16 => "u16vec",
            S32 => "ivec",
            U32 => "uvec",
        }
    }

    pub fn size(self) -> usize {
        match self {
            E4M3 | E5M2 | S8 | U8 => 1,
            F16 | BF16 | S16 | U16 => 2,
            F32 | S32 | U32 => 4,
            F64 => 8,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, F16 | F32 | F64 | BF16 | E4M3 | E5M2)
    }

    pub fn is_signed(self) -> bool {
        !matches!(self, U8 | U16 | U32)
    }

    /// Bits of exponent and of fraction.
    fn fields(self) -> (i32, i32) {
        match self {
            F16 => (5, 10),
            F32 => (8, 23),
            F64 => (11, 52),
            BF16 => (8, 7),
            E4M3 => (4, 3),
            E5M2 => (5, 2),
            S8 | U8 | S16 | U16 | S32 | U32 => (0, 0),
        }
    }

    fn bias(self) -> i32 {
        (1 << (self.fields().0 - 1)) - 1
    }

    /// The largest finite number.
    pub fn largest(self) -> f64 {
        match self {
            F16 => 65504.0,
            F32 => f64::from(f32::MAX),
            F64 => f64::MAX,
            BF16 => (2.0 - 2f64.powi(-7)) * 2f64.powi(127),
            E4M3 => 448.0,
            E5M2 => 57344.0,
            S8 => 127.0,
            U8 => 255.0,
            S16 => 32767.0,
            U16 => 65535.0,
            S32 => 2147483647.0,
            U32 => 4294967295.0,
        }
    }

    /// The distance of neighbouring numbers at a magnitude.
    pub fn spacing(self, value: f64) -> f64 {
        let (_, fraction) = self.fields();
        let mut exponent = 1 - self.bias();
        while value.abs() >= 2f64.powi(exponent + 1) && exponent < self.bias() + 1 {
            exponent += 1;
        }
        2f64.powi(exponent - fraction)
    }

    /// A number as the type has it: floats to the nearest, ties to even; integers cut to their bits.
    pub fn nearest(self, value: f64) -> f64 {
        if self == F64 || value == 0.0 && self.is_float() || value.is_nan() {
            return value;
        }
        if self.is_float() {
            let spacing = self.spacing(value);
            let steps = value.abs() / spacing;
            let below = steps.floor();
            let up = steps - below > 0.5 || steps - below == 0.5 && below % 2.0 == 1.0;
            let result = (below + f64::from(u8::from(up))) * spacing;
            let outside = if self == E4M3 { f64::NAN } else { f64::INFINITY };
            return if result > self.largest() { outside } else { result }.copysign(value);
        }
        let span = 2f64.powi(8 * self.size() as i32);
        let low = value.trunc().rem_euclid(span);
        if self.is_signed() && low >= span / 2.0 { low - span } else { low }
    }

    pub fn encode(self, value: f64) -> u64 {
        if !self.is_float() {
            return (value as i64 as u64) & (u64::MAX >> (64 - 8 * self.size()));
        }
        let (exponent_bits, fraction_bits) = self.fields();
        let value = self.nearest(value);
        let sign = u64::from(value.is_sign_negative()) << (exponent_bits + fraction_bits);
        let all = (1u64 << exponent_bits) - 1;
        if value.is_nan() {
            return (all << fraction_bits) | ((1 << fraction_bits) - 1);
        }
        if value.is_infinite() {
            return sign | all << fraction_bits;
        }
        let spacing = self.spacing(value);
        let steps = (value.abs() / spacing) as u64;
        if steps >> fraction_bits == 0 {
            return sign | steps;
        }
        let mut exponent = 0;
        while 2f64.powi(exponent - self.bias() - fraction_bits) < spacing {
            exponent += 1;
        }
        sign | (exponent as u64) << fraction_bits | (steps & ((1 << fraction_bits) - 1))
    }

    pub fn decode(self, bits: u64) -> f64 {
        if !self.is_float() {
            return self.nearest(bits as f64);
        }
        let (exponent_bits, fraction_bits) = self.fields();
        let fraction = bits & ((1 << fraction_bits) - 1);
        let exponent = (bits >> fraction_bits & ((1 << exponent_bits) - 1)) as i32;
        let sign = if bits >> (exponent_bits + fraction_bits) & 1 == 1 { -1.0 } else { 1.0 };
        let all = (1 << exponent_bits) - 1;
        match (self, exponent) {
            (E4M3, 15) if fraction == 7 => f64::NAN,
            (F16 | F32 | F64 | BF16 | E5M2, _) if exponent == all && fraction == 0 => sign * f64::INFINITY,
            (F16 | F32 | F64 | BF16 | E5M2, _) if exponent == all => f64::NAN,
            (_, 0) => sign * fraction as f64 * 2f64.powi(1 - self.bias() - fraction_bits),
            _ => {
                let whole = (1u64 << fraction_bits) + fraction;
                sign * whole as f64 * 2f64.powi(exponent - self.bias() - fraction_bits)
            }
        }
    }

    pub fn bytes(self, values: &[f64]) -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| self.encode(*value).to_le_bytes().into_iter().take(self.size()))
            .collect()
    }

    pub fn numbers(self, bytes: &[u8]) -> Vec<f64> {
        let bits = |bytes: &[u8]| bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        bytes.chunks_exact(self.size()).map(|bytes| self.decode(bits(bytes))).collect()
    }

    /// Small numbers, as the CTS takes them: halves from -3 to 3, or integers from -6 to 6 or 0 to 12.
    pub fn small(self, count: usize, seed: usize) -> Vec<f64> {
        let number = |index: usize| ((index * 7 + seed * 5 + index / 11 + index / 32) % 13) as f64;
        (0..count)
            .map(|index| match (self.is_float(), self.is_signed()) {
                (true, _) => number(index) / 2.0 - 3.0,
                (false, true) => number(index) - 6.0,
                (false, false) => number(index),
            })
            .collect()
    }
}

/// How far a result may be from the reference.
#[derive(Clone, Copy, Debug)]
pub enum Tolerance {
    Exact,
    /// Of the result's type.
    Ulp(f64),
    Absolute(f64),
    Relative(f64),
}

impl Tolerance {
    pub fn allows(self, kind: Kind, expected: f64, found: f64) -> bool {
        if expected.is_nan() || found.is_nan() {
            return expected.is_nan() && found.is_nan();
        }
        let error = (expected - found).abs();
        expected == found
            || match self {
                Tolerance::Exact => false,
                Tolerance::Ulp(count) => kind.is_float() && error <= count * kind.spacing(expected),
                Tolerance::Absolute(limit) => error <= limit,
                Tolerance::Relative(limit) => error <= limit * expected.abs(),
            }
    }
}

/// The definitions against what is written in other places: IEEE 754's `f32`, and a few bytes of the OCP's formats.
#[test]
fn formats_are_what_they_are() {
    for index in 0..4000u32 {
        let float = f32::from_bits(index.wrapping_mul(0x9e37_79b9));
        if !float.is_nan() {
            assert_eq!(F32.decode(u64::from(float.to_bits())), f64::from(float));
            assert_eq!(F32.encode(f64::from(float)), u64::from(float.to_bits()));
        }
    }
    for kind in [F16, BF16, E4M3, E5M2] {
        for bits in 0..1u64 << (8 * kind.size()) {
            let value = kind.decode(bits);
            assert!(value.is_nan() || kind.encode(value) == bits, "{kind:?} {bits:x} {value}");
        }
    }
    assert_eq!((E4M3.decode(0x7e), E5M2.decode(0x7b), BF16.decode(0x3f80)), (448.0, 57344.0, 1.0));
    assert_eq!((F16.decode(1), F16.encode(1.0 / 3.0)), (2f64.powi(-24), 0x3555));
    assert_eq!((S8.nearest(200.0), U8.nearest(-1.0), S16.decode(0x8000)), (-56.0, 255.0, -32768.0));
}
