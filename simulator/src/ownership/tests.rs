//! What each ownership says, and that it is one.

use super::*;
use crate::matrix::{Component, Scope, Use};
use crate::numerics::Format;

fn type_(component: Component, use_: Use, rows: u32, columns: u32) -> MatrixType {
    MatrixType { component, scope: Scope::Subgroup, rows, columns, use_ }
}

const F16: Component = Component::Float(Format::F16);
const F32: Component = Component::Float(Format::F32);

/// Every element has an owner, and the two directions agree, for every ownership, also where it has to fall back.
#[test]
fn both_directions_agree() {
    for name in Ownership::NAMES {
        let ownership = Ownership::by_name(name).unwrap();
        assert_eq!(ownership.name(), name);
        for size in [8, 32, 64] {
            for use_ in [Use::A, Use::B, Use::Accumulator] {
                for (rows, columns) in [(8, 8), (16, 16), (16, 8), (17, 5), (64, 32), (32, 32)] {
                    for component in [F16, F32] {
                        let type_ = type_(component, use_, rows, columns);
                        let map = ownership.map(&type_, size);
                        assert!(map.is_complete(), "{name} {type_} {size}");
                        for element in 0..rows * columns {
                            for (invocation, i) in map.owners(element) {
                                assert_eq!(map.element(invocation, i), Some(element));
                            }
                        }
                        assert_eq!(map.element(size, 0), None);
                        assert_eq!(map.element(0, map.length()), None);
                    }
                }
            }
        }
    }
}

#[test]
fn plain_deals_out_in_turn() {
    let map = Ownership::plain().map(&type_(F32, Use::A, 4, 4), 8);
    assert_eq!(map.length(), 2);
    assert_eq!((map.element(3, 0), map.element(3, 1)), (Some(3), Some(11)));
}

/// As the table has it: the quad layout of NVIDIA's accumulators.
#[test]
fn nvidia_as_captured() {
    let ownership = Ownership::by_name("nvidia-h200").unwrap();
    assert!(ownership.source().starts_with("captured on NVIDIA H200, driver 580.159.04"));
    let map = ownership.map(&type_(F32, Use::Accumulator, 16, 8), 32);
    assert_eq!((map.length(), map.note()), (4, None));
    let of = |lane| (0..4).map(|i| map.element(lane, i).unwrap()).collect::<Vec<_>>();
    assert_eq!(of(0), [0, 1, 64, 65]);
    assert_eq!(of(5), [10, 11, 74, 75]);
}

#[test]
fn what_was_not_captured_is_said() {
    let ownership = Ownership::by_name("nvidia-h200").unwrap();
    let note = |type_, size| ownership.map(&type_, size).note().map(str::to_string);
    let bf16 = Component::Float(Format::BF16);
    assert_eq!(
        note(type_(bf16, Use::A, 16, 16), 32).unwrap(),
        "nvidia-h200 was not captured for coopmat<bfloat16_t, 16x16, A>: its elements are assumed to be where those of float16_t are"
    );
    assert_eq!(
        note(type_(F16, Use::A, 64, 32), 32).unwrap(),
        "nvidia-h200 was not captured for coopmat<float16_t, 64x32, A>: it is assumed to be tiles of 16x16, row by row"
    );
    assert!(
        note(type_(F16, Use::A, 16, 16), 64).unwrap().contains("captured for subgroups of 32, not of 64")
    );
    assert!(note(type_(F16, Use::A, 3, 5), 32).unwrap().contains("plain ownership"));
    assert_eq!(note(type_(F16, Use::A, 16, 16), 32), None);
}

/// RDNA3 keeps every element of A and B twice, or four times.
#[test]
fn rdna3_keeps_copies() {
    let ownership = Ownership::by_name("amd-rdna3").unwrap();
    let map = ownership.map(&type_(F16, Use::A, 16, 16), 64);
    assert_eq!(map.owners(17).collect::<Vec<_>>(), [(1, 1), (17, 1), (33, 1), (49, 1)]);
    let map = ownership.map(&type_(F32, Use::Accumulator, 16, 16), 32);
    assert_eq!((map.element(16, 0), map.element(16, 1)), (Some(16), Some(48)));
}

#[test]
fn rdna4_swaps_the_middle_lanes() {
    let map = Ownership::by_name("amd-rdna4").unwrap().map(&type_(F16, Use::B, 16, 16), 64);
    assert_eq!(map.element(16, 0), Some(8 * 16));
    assert_eq!(map.element(32, 0), Some(4 * 16));
}

/// As `matrix_calculator.py --architecture cdna3 --register-layout` has it: element (5, 3) of D is in register 1 of lane 19 for
/// V_MFMA_F32_16X16X16_F16, and of lane 19 again, as 64-bit results alternate, for V_MFMA_F64_16X16X4_F64.
#[test]
fn cdna_results_of_64_bits_alternate() {
    let ownership = Ownership::by_name("amd-cdna").unwrap();
    let double = Component::Float(Format::F64);
    let owners = |component, row: u32, column: u32| {
        let map = ownership.map(&type_(component, Use::Accumulator, 16, 16), 64);
        map.owners(row * 16 + column).collect::<Vec<_>>()
    };
    assert_eq!((owners(F32, 5, 3), owners(F32, 1, 0)), (vec![(19, 1)], vec![(0, 1)]));
    assert_eq!((owners(double, 5, 3), owners(double, 1, 0)), (vec![(19, 1)], vec![(16, 0)]));
}

#[test]
fn seeds_and_types_are_shuffled_apart() {
    let matrix = type_(F16, Use::A, 16, 16);
    let first = Ownership::shuffled(0).map(&matrix, 32);
    assert_eq!(first, Ownership::by_name("shuffled").unwrap().map(&matrix, 32));
    assert_ne!(first, Ownership::shuffled(1).map(&matrix, 32));
    let other = Ownership::shuffled(0).map(&type_(F16, Use::B, 16, 16), 32);
    assert_ne!(first.element(0, 0), other.element(0, 0));
}

/// What the shader wrote becomes a table, which is an ownership.
#[test]
fn captures_become_a_table() {
    let header = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let captured = header(&[0x4E57_4F43, 1, 1, 2, 2, 2, 2, 2, 3, 1, 0, 2, 0, 0]);
    let capture = capture::Capture::read(&captured).unwrap();
    assert_eq!(capture.owner, [[3, 1], [0, 2]]);
    let text = capture::table("Some GPU", "1.2", &[("float32_t", capture.clone())]).unwrap();
    let ownership = Ownership::from_json(&text).unwrap();
    assert_eq!(ownership.source(), "captured on Some GPU, driver 1.2: coopmat-analyzer's capture shader");
    let map = ownership.map(&type_(F32, Use::Accumulator, 2, 2), 2);
    assert_eq!((map.element(0, 0), map.element(1, 1), map.note()), (Some(3), Some(2), None));

    let error = |words: &[u32]| capture::Capture::read(&header(words)).unwrap_err();
    assert_eq!(
        error(&[0; 8]),
        "the first word is 0x00000000, not 0x4e574f43: the capture shader did not write this"
    );
    assert_eq!(
        error(&[0x4E57_4F43, 1, 1, 2, 2, 2, 2, 2, 3, 1]),
        "the buffer ends after 2 of 4 elements: give the shader a longer one"
    );
    assert_eq!(error(&[0x4E57_4F43, 1, 1, 2, 2, 2, 2, 2, 3, 1, 3, 1]), "2 of 4 elements have no owner");
    // Of a matrix that no buffer has the elements of.
    assert_eq!(
        error(&[0x4E57_4F43, 1, 1, 2, 65535, 65535, 1, 1, 0]),
        "1 places hold fewer than 4294836225 elements"
    );
    let other = capture::Capture { subgroup_size: 4, ..capture.clone() };
    let mixed = capture::table("x", "", &[("float32_t", capture), ("float32_t", other)]);
    assert_eq!(
        mixed.unwrap_err(),
        "there are captures of subgroups of 2 and of 4, but a table is for one size"
    );
}

/// A capture that makes no sense is an error in words.
#[test]
fn wrong_tables_are_refused() {
    let error = |text: &str| Ownership::from_json(text).unwrap_err();
    assert!(error("{").starts_with("not an ownership table: "));
    let table = |use_: &str, owner: &str| {
        format!(
            r#"{{"device": "x", "subgroupSize": 2, "layouts": {{"m": {{"component": "float", "use": "{use_}",
                "rows": 1, "columns": 2, "length": 1, "owner": {owner}}}}}}}"#
        )
    };
    assert!(Ownership::from_json(&table("A", "[[0], [1]]")).is_ok());
    assert_eq!(error(&table("D", "[[0], [1]]")), "m: use is D, expected A, B or Acc");
    assert_eq!(error(&table("A", "[[0]]")), "m: owner has 1 invocations, expected subgroupSize, 2");
    assert_eq!(error(&table("A", "[[0], [2]]")), "m: invocation 1 owns element 2 of 2");
    assert_eq!(error(&table("A", "[[0], []]")), "m: invocation 1 has 0 elements, expected length, 1");
}
