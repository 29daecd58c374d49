//! Each mode against what it says of itself, and all of them where rounding plays no part.

use super::*;

const SHAPE: Shape = Shape { m: 4, n: 5, k: 7 };

fn numbers(format: Format, count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let value = (state >> 40) as f64 / (1 << 22) as f64 - 2.0;
        format.nearest(value, Rounding::NearestEven) as f32
    };
    (0..count).map(|_| next()).collect()
}

fn run(mode: Mode, a: &[f32], b: &[f32], c: &[f32], shape: Shape, formats: Formats) -> Vec<f32> {
    let mut result = c.to_vec();
    multiply_add(mode, a, b, &mut result, shape, formats);
    result
}

/// Small integers: every mode gives the same.
#[test]
fn no_mode_errs_where_nothing_is_rounded() {
    let integers = |count, seed| -> Vec<f32> {
        numbers(Format::F32, count, seed).into_iter().map(|value| (value * 4.0).round()).collect()
    };
    let (a, b, c) = (integers(28, 1), integers(35, 2), integers(20, 3));
    let formats = |format, result| Formats { a: format, b: format, result };
    let expected = run(Mode::Exact, &a, &b, &c, SHAPE, formats(Format::F32, Format::F32));
    for format in [Format::F16, Format::BF16, Format::F32, Format::E4M3, Format::E5M2] {
        for result in [Format::F16, Format::F32] {
            for mode in Mode::ALL {
                assert_eq!(
                    run(mode, &a, &b, &c, SHAPE, formats(format, result)),
                    expected,
                    "{mode:?} {format:?}"
                );
            }
        }
    }
    let wide = |values: &[f32]| -> Vec<f64> { values.iter().map(|value| f64::from(*value)).collect() };
    for mode in Mode::ALL {
        let mut result = wide(&c);
        multiply_add_f64(mode, &wide(&a), &wide(&b), &mut result, SHAPE, Format::F64);
        assert_eq!(result, wide(&expected));
    }
}

/// The short way and the long way to the exact result.
#[test]
fn exact_is_exact_both_ways() {
    let shape = Shape { m: 8, n: 8, k: 64 };
    for result in [Format::F32, Format::F16] {
        let (a, b) = (numbers(Format::F16, 512, 1), numbers(Format::F16, 512, 2));
        let c = numbers(result, 64, 3);
        let short = run(Mode::Exact, &a, &b, &c, shape, Formats { a: Format::F16, b: Format::F16, result });
        let long = run(Mode::Exact, &a, &b, &c, shape, Formats { a: Format::F32, b: Format::F32, result });
        assert_eq!(short, long);
        // Exact differs from every other way at most in the last digits.
        for mode in Mode::ALL {
            let other = run(mode, &a, &b, &c, shape, Formats { a: Format::F16, b: Format::F16, result });
            let tolerance = if result == Format::F32 { 1e-4 } else { 0.2 };
            for (other, exact) in other.iter().zip(&short) {
                assert!((other - exact).abs() < tolerance, "{mode:?} {other} {exact}");
            }
        }
    }
}

#[test]
fn one_element_by_hand() {
    let shape = Shape { m: 1, n: 1, k: 3 };
    let formats = Formats { a: Format::F32, b: Format::F32, result: Format::F32 };
    let tiny = 2f32.powi(-24);
    let one = |mode, a: [f32; 3], b: [f32; 3], c| run(mode, &a, &b, &[c], shape, formats)[0];
    // Three half digits: lost one by one, kept where they meet first.
    assert_eq!(one(Mode::Sequential, [tiny; 3], [1.0; 3], 1.0), 1.0);
    assert_eq!(one(Mode::Pairwise, [tiny; 3], [1.0; 3], 1.0), 1.0 + 4.0 * tiny);
    assert_eq!(one(Mode::Exact, [tiny; 3], [1.0; 3], 1.0), 1.0 + 4.0 * tiny);
    // The square of 1 + 2^-23 has a digit that only a fused operation sees.
    let more = 1.0 + 2.0 * tiny;
    let square = [-more, 0.0, 0.0];
    assert_eq!(one(Mode::Sequential, square, [more; 3], 1.0 + 4.0 * tiny), 0.0);
    assert_eq!(one(Mode::Fused, square, [more; 3], 1.0 + 4.0 * tiny), -4.0 * tiny * tiny);
    let half = Formats { a: Format::F16, b: Format::F16, result: Format::F16 };
    let small = 2f32.powi(-11);
    let halves = |mode| run(mode, &[small; 3], &[1.0; 3], &[1.0], shape, half)[0];
    assert_eq!(halves(Mode::RoundEachStep), 1.0);
    assert_eq!(halves(Mode::Sequential), 1.0 + 4.0 * small);
}

#[test]
fn every_nan_is_the_same() {
    let shape = Shape { m: 1, n: 1, k: 1 };
    for mode in Mode::ALL {
        for result in [Format::F16, Format::F32, Format::BF16] {
            let formats = Formats { a: Format::F16, b: Format::F16, result };
            let value = run(mode, &[f32::INFINITY], &[0.0], &[1.0], shape, formats)[0];
            assert_eq!(value.to_bits(), f32::NAN.to_bits(), "{mode:?}");
            let value = run(mode, &[f32::INFINITY], &[1.0], &[1.0], shape, formats)[0];
            assert_eq!(value, f32::INFINITY);
        }
    }
}

#[test]
fn names_are_read_back() {
    for mode in Mode::ALL {
        assert_eq!(Mode::from_name(mode.name()), Some(mode));
    }
}
