//! Every bit pattern of every small format, there and back, and between every two neighbours.

use super::*;

const MODES: [Rounding; 4] =
    [Rounding::NearestEven, Rounding::TowardZero, Rounding::TowardPositive, Rounding::TowardNegative];

fn small() -> impl Iterator<Item = Format> {
    Format::ALL.into_iter().filter(|format| format.width() <= 16)
}

/// A number's bits become the number, and the number its bits, in every rounding mode.
#[test]
fn every_pattern_survives() {
    for format in small() {
        for bits in 0..1u64 << format.width() {
            let value = format.to_f64(bits);
            for rounding in MODES {
                for overflow in [Overflow::Special, Overflow::Saturate] {
                    let back = format.from_f64(value, rounding, overflow);
                    if value.is_nan() {
                        assert_eq!(back, format.nan_bits());
                    } else if value.is_infinite() && overflow == Overflow::Saturate {
                        assert_eq!(back & !format.sign_bit(), format.largest_bits());
                    } else {
                        assert_eq!(back, bits, "{format:?} {bits:#x} = {value} {rounding:?}");
                    }
                }
            }
        }
    }
}

/// Between two neighbours each mode goes where it should; exactly between them the nearest is the even one.
#[test]
fn every_gap_is_rounded() {
    for format in small() {
        for bits in 0..format.largest_bits() {
            let (low, high) = (format.to_f64(bits), format.to_f64(bits + 1));
            if format == Format::MxInt8 && high < low {
                continue;
            }
            let middle = low + (high - low) / 2.0;
            let quarter = low + (high - low) / 4.0;
            let three = high - (high - low) / 4.0;
            // Which of the two is even: the one whose last digit is 0. UE8M0 has no digits but the leading one.
            let even = if format == Format::UE8M0 { bits + 1 } else { bits + (bits & 1) };
            for (value, nearest) in [(quarter, bits), (middle, even), (three, bits + 1)] {
                let to = |value, mode| format.from_f64(value, mode, Overflow::Special);
                assert_eq!(to(value, Rounding::NearestEven), nearest, "{format:?} {bits:#x} {value}");
                assert_eq!(to(value, Rounding::TowardZero), bits);
                assert_eq!(to(value, Rounding::TowardNegative), bits);
                assert_eq!(to(value, Rounding::TowardPositive), bits + 1);
                if !matches!(format, Format::UE8M0 | Format::MxInt8) {
                    let sign = format.sign_bit();
                    assert_eq!(to(-value, Rounding::NearestEven), sign | nearest);
                    assert_eq!(to(-value, Rounding::TowardZero), sign | bits);
                    assert_eq!(to(-value, Rounding::TowardNegative), sign | (bits + 1));
                    assert_eq!(to(-value, Rounding::TowardPositive), sign | bits);
                }
            }
        }
    }
}

#[test]
fn beyond_the_largest() {
    use Overflow::{Saturate, Special};
    let nearest = |format: Format, value, overflow| format.from_f64(value, Rounding::NearestEven, overflow);
    // Half a unit beyond the largest is where infinity begins.
    assert_eq!(nearest(Format::F16, 65519.9, Special), 0x7bff);
    assert_eq!(nearest(Format::F16, 65520.0, Special), 0x7c00);
    assert_eq!(nearest(Format::E4M3, 464.0, Special), 0x7e);
    assert_eq!(nearest(Format::E4M3, 465.0, Special), 0x7f);
    assert_eq!(nearest(Format::E4M3, -1e9, Saturate), 0xfe);
    assert_eq!(nearest(Format::E4M3, f64::INFINITY, Special), 0x7f);
    assert_eq!(nearest(Format::E5M2, 1e9, Special), 0x7c);
    assert_eq!(nearest(Format::E5M2, 1e9, Saturate), 0x7b);
    assert_eq!(nearest(Format::E5M2, f64::NEG_INFINITY, Saturate), 0xfb);
    assert_eq!(nearest(Format::E2M1, 100.0, Special), 7);
    assert_eq!(nearest(Format::MxInt8, -100.0, Special), 0x80);
    assert_eq!(nearest(Format::UE8M0, -1.0, Special), 0xff);
    assert_eq!(nearest(Format::UE8M0, 1.5, Special), 128);
    assert_eq!(nearest(Format::UE8M0, 1.4, Special), 127);
    // A mode that points back stops at the largest number.
    assert_eq!(Format::F16.from_f64(1e9, Rounding::TowardZero, Special), 0x7bff);
    assert_eq!(Format::F16.from_f64(-1e9, Rounding::TowardPositive, Special), 0xfbff);
    assert_eq!(Format::F16.from_f64(-1e9, Rounding::TowardNegative, Special), 0xfc00);
}

/// Rounding to `f32` agrees with the processor, for numbers of all sizes.
#[test]
fn agrees_with_the_processor() {
    let mut state = 1u64;
    for _ in 0..200_000 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let value = f64::from_bits(state);
        let value = if state & 1 == 0 {
            value
        } else {
            f64::from(f32::from_bits((state >> 32) as u32)) * 1.000_000_03
        };
        let ours = Format::F32.from_f64(value, Rounding::NearestEven, Overflow::Special) as u32;
        if value.is_nan() {
            assert_eq!(ours, 0x7fc0_0000);
        } else {
            assert_eq!(ours, (value as f32).to_bits(), "{value:e}");
        }
        let integer = state as i64;
        let ours = Format::F32.of_integer(integer < 0, integer.unsigned_abs(), Rounding::NearestEven);
        assert_eq!(ours as u32, (integer as f32).to_bits());
        let ours = Format::F64.of_integer(false, state, Rounding::NearestEven);
        assert_eq!(ours, (state as f64).to_bits());
    }
}

#[test]
fn subnormals_are_flushed() {
    assert_eq!(Format::F16.flush(0x8001), 0x8000);
    assert_eq!(Format::F16.flush(0x0400), 0x0400);
    assert_eq!(Format::E5M2.flush(0x03), 0);
    assert_eq!(Format::UE8M0.flush(0), 0);
}
