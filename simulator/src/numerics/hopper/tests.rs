//! Every multiply-add that was measured, bit for bit.

use super::super::{Formats, Shape};
use super::*;

pub(crate) struct Array {
    pub shape: Vec<usize>,
    element: String,
    bytes: Vec<u8>,
}

/// An .npy file of version 1.0, in C order.
pub(crate) fn read(name: &str) -> Array {
    let path = format!("{}/data/{name}.npy", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap();
    let length = usize::from(bytes[8]) | usize::from(bytes[9]) << 8;
    let header = String::from_utf8(bytes[10..10 + length].to_vec()).unwrap();
    let after = |key: &str| header.split(key).nth(1).unwrap().to_string();
    let element = after("'descr':").split('\'').nth(1).unwrap().to_string();
    let shape = after("'shape':").split(['(', ')']).nth(1).unwrap().to_string();
    let shape = shape.split(',').filter_map(|n| n.trim().parse().ok());
    assert!(header.contains("'fortran_order': False"));
    Array { shape: shape.collect(), element, bytes: bytes[10 + length..].to_vec() }
}

impl Array {
    pub fn format(&self) -> Format {
        match self.element.as_str() {
            "<f2" => Format::F16,
            "<f4" => Format::F32,
            "<u2" => Format::BF16,
            other => panic!("{other}"),
        }
    }

    pub fn floats(&self) -> Vec<f32> {
        let format = self.format();
        let width = format.width() as usize / 8;
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        self.bytes.chunks_exact(width).map(|bytes| format.to_f32(number(bytes))).collect()
    }

    fn integers(&self) -> Vec<u32> {
        match self.element.as_str() {
            "|i1" | "|u1" => self.bytes.iter().map(|byte| u32::from(*byte)).collect(),
            _ => self.bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
        }
    }
}

fn compare_floats(name: &str) {
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|part| read(&format!("{name}.{part}")));
    let shape = Shape { m: a.shape[1], n: b.shape[2], k: a.shape[2] };
    let formats = Formats { a: a.format(), b: b.format(), result: d.format() };
    assert_eq!(unmeasured(formats), None);
    let (values_a, values_b, values_c, expected) = (a.floats(), b.floats(), c.floats(), d.floats());
    let Shape { m, n, k } = shape;
    for index in 0..a.shape[0] {
        let mut result = values_c[index * m * n..][..m * n].to_vec();
        multiply_add(&values_a[index * m * k..], &values_b[index * k * n..], &mut result, shape, formats);
        for (element, (ours, measured)) in result.iter().zip(&expected[index * m * n..]).enumerate() {
            let same = ours.to_bits() == measured.to_bits() || ours.is_nan() && measured.is_nan();
            assert!(same, "{name} {index} element {element}: {ours:e}, measured {measured:e}");
        }
    }
}

#[test]
fn floats_as_measured() {
    let names = [
        "f16_f32",
        "f16_f32_k8",
        "f16_f32_k32",
        "f16_f32_k64",
        "f16_f16",
        "f16_f16_k32",
        "bf16_f32",
        "f16_f32_special",
        "f16_f16_special",
    ];
    names.into_iter().for_each(|name| compare_floats(&format!("nvidia-h200-muladd/{name}")));
}

#[test]
fn integers_as_measured() {
    for (name, signed) in [("s8_s32", true), ("u8_u32", false)] {
        compare_integers(&format!("nvidia-h200-muladd/{name}"), signed);
    }
}

/// The further measurements: other sizes, workgroup scope, the smallest and the largest numbers.
#[test]
fn probes_as_measured() {
    let folder = "nvidia-h200-probes";
    let Ok(files) = std::fs::read_dir(format!("{}/data/{folder}", env!("CARGO_MANIFEST_DIR"))) else {
        return;
    };
    let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
    for name in names.filter(|name| name.starts_with("multiply.") && name.ends_with(".a.npy")) {
        let name = format!("{folder}/{}", name.trim_end_matches(".a.npy"));
        match read(&format!("{name}.a")).element.as_str() {
            "|i1" => compare_integers(&name, true),
            "|u1" => compare_integers(&name, false),
            _ => compare_floats(&name),
        }
    }
}

fn compare_integers(name: &str, signed: bool) {
    use super::super::integers::{Component, Integers};
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|part| read(&format!("{name}.{part}")));
    let shape = Shape { m: a.shape[1], n: b.shape[2], k: a.shape[2] };
    let Shape { m, n, k } = shape;
    let (byte, word) = (Component { width: 8, signed }, Component { width: 32, signed });
    let integers = Integers { a: byte, b: byte, c: word, result: word, saturating: false };
    let (values_a, values_b, values_c, expected) = (a.integers(), b.integers(), c.integers(), d.integers());
    for index in 0..a.shape[0] {
        let mut result = values_c[index * m * n..][..m * n].to_vec();
        integers.multiply_add(
            &values_a[index * m * k..][..m * k],
            &values_b[index * k * n..][..k * n],
            &mut result,
            shape,
        );
        assert_eq!(result, expected[index * m * n..][..m * n], "{name} {index}");
    }
}

/// Sixteen columns at once are what elements are one by one: zeros of both signs, subnormal, large and special numbers.
#[test]
fn columns_together_are_elements_one_by_one() {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        state >> 8
    };
    for round in 0..400 {
        let (m, n, k) = (1 + next() as usize % 3, 1 + next() as usize % 20, [8, 16, 32, 40][round % 4]);
        let format = [Format::F16, Format::BF16, Format::E4M3, Format::E5M2][round / 4 % 4];
        let spread = [0x7fff, 0x3fff, 0x0fff][round / 16 % 3];
        let mut number = |special: bool| {
            let bits = u64::from(next() & spread | (next() & 1) << 15);
            let bits = if format.width() == 8 { bits >> 8 } else { bits };
            let value = format.to_f32(if next() % 5 == 0 { bits & 0x8080 } else { bits });
            if value.is_finite() || special { value } else { 1.0 }
        };
        let special = round % 7 == 0;
        let a: Vec<f32> = (0..m * k).map(|_| number(special)).collect();
        let b: Vec<f32> = (0..k * n).map(|_| number(special)).collect();
        let scale = [1.0, 0.0, 1e-30, 3e38, 1e-42, f32::INFINITY][round % 6];
        let c: Vec<f32> =
            (0..m * n).map(|_| number(false) * scale).map(|c| if c.is_nan() { -0.0 } else { c }).collect();
        let formats = Formats { a: format, b: format, result: Format::F32 };
        let shape = Shape { m, n, k };
        let (mut together, mut alone) = (c.clone(), c);
        multiply_add(&a, &b, &mut together, shape, formats);
        one_by_one(&a, &b, &mut alone, shape, formats);
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&together), bits(&alone), "{m}x{n}x{k} of {format:?}");
    }
}
