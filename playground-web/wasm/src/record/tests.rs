use coopmat_simulator::CooperativeVectorMatrixLayout;
use coopmat_simulator::matrix::{Component, MatrixType, Use};
use coopmat_simulator::numerics::Format;
use coopmat_simulator::observer::VectorStarts;
use serde_json::Value;

use super::*;

fn matrix(fill: u64) -> Arc<Matrix> {
    let component = Component::Float(Format::F16);
    let type_ = MatrixType { component, scope: Scope::Subgroup, rows: 2, columns: 2, use_: Use::A };
    Arc::new(Matrix::splat(&type_, fill))
}

fn at(subgroup: u32, instruction: u32) -> At {
    At { workgroup: [1, 0, 0], subgroup, instruction, mask: 1 }
}

fn tell(recorder: &mut Recorder, at: At, operands: &[Arc<Matrix>], result: Option<&Arc<Matrix>>) {
    let values = MatrixValues {
        operation: "CooperativeMatrixMulAdd",
        operands,
        result,
        memory: None,
        array: None,
        array_result: None,
        start: None,
        vectors: None,
    };
    recorder.matrix_values(&at, &values);
}

fn index(recording: &Recording) -> (Value, Vec<u8>) {
    let (index, data) = recording.pack(&|instruction| Some(("a.comp".to_owned(), instruction * 10)));
    (serde_json::from_str(&index).expect("JSON"), data)
}

#[test]
fn a_matrix_that_several_operations_name_is_kept_once() {
    let (mut recorder, recording) = recorder(Wanted::default());
    let (a, b) = (matrix(0x3c00), matrix(0x4000));
    tell(&mut recorder, at(0, 3), &[a.clone(), a.clone()], Some(&b));
    tell(&mut recorder, at(0, 4), &[b], None);
    let (index, data) = index(&recording);
    assert_eq!(index["matrices"].as_array().map(Vec::len), Some(2));
    assert_eq!(index["events"][0]["operands"], serde_json::json!([0, 0]));
    assert_eq!(index["events"][0]["line"], 30);
    assert_eq!(index["events"][1]["operands"], serde_json::json!([1]));
    assert_eq!(index["matrices"][0]["component"], "float16_t");
    let at = |key: &str| index["matrices"][0][key].as_u64().expect("a place") as usize;
    assert_eq!(data[at("values")..][..8], 1f64.to_le_bytes());
    assert_eq!(data[at("bits")..][..8], [0, 0x3c, 0, 0x3c, 0, 0x3c, 0, 0x3c]);
}

#[test]
fn the_oldest_go_when_there_are_too_many() {
    let (mut recorder, recording) = recorder(Wanted { limit: 1000, ..Wanted::default() });
    for instruction in 0..100 {
        tell(&mut recorder, at(0, instruction), &[matrix(instruction.into())], None);
    }
    let (index, _) = index(&recording);
    let events = index["events"].as_array().expect("events");
    assert_eq!(index["dropped"].as_u64(), Some(100 - events.len() as u64));
    assert_eq!(events.last().expect("the newest")["instruction"], 99);
}

#[test]
fn only_what_is_wanted_is_kept() {
    let wanted = Wanted {
        workgroup: [1, 0, 0],
        subgroup: 2,
        instructions: Some(FxHashSet::from_iter([7])),
        ..Wanted::default()
    };
    let (mut recorder, recording) = recorder(wanted);
    recorder.workgroup_started([0, 0, 0]);
    assert!(!recorder.wants().values);
    recorder.workgroup_started([1, 0, 0]);
    assert!(recorder.wants().values);
    for (subgroup, instruction) in [(2, 7), (1, 7), (2, 8)] {
        tell(&mut recorder, at(subgroup, instruction), &[matrix(0)], None);
    }
    assert_eq!(index(&recording).0["events"].as_array().map(Vec::len), Some(1));
}

#[test]
fn undefined_elements_are_marked() {
    let (mut recorder, recording) = recorder(Wanted::default());
    let mut marked = (*matrix(0)).clone();
    marked.set_undefined(3, true);
    tell(&mut recorder, at(0, 1), &[Arc::new(marked)], None);
    let (index, data) = index(&recording);
    let place = index["matrices"][0]["undefined"].as_u64().expect("a place") as usize;
    assert_eq!(data[place], 0b1000);
}

#[test]
fn cooperative_vectors_have_the_invocations_that_take_part_and_names_of_interpretations() {
    let (mut recorder, recording) = recorder(Wanted::default());
    let vectors = VectorValues {
        interpretations: vec![1_000_491_000, 3],
        starts: Some(VectorStarts { name: "buffer B".to_owned(), offsets: vec![0, 16], size: 4 }),
    };
    let memory = Memory {
        name: "buffer W".to_owned(),
        offset: 64,
        size: 1,
        addressing: Addressing::VectorMatrix {
            layout: CooperativeVectorMatrixLayout::TrainingOptimal,
            stride: 0,
            transposed: true,
        },
    };
    let values = MatrixValues {
        operation: "CooperativeVectorMatrixMul",
        operands: &[matrix(0)],
        result: None,
        memory: Some(&memory),
        array: None,
        array_result: None,
        start: None,
        vectors: Some(&vectors),
    };
    recorder.matrix_values(&At { mask: 0b101, ..at(0, 1) }, &values);
    let (index, _) = index(&recording);
    assert_eq!(
        index["events"][0]["vectors"],
        serde_json::json!({
            "active": [0, 2],
            "interpretations": ["gl_ComponentTypeSignedInt8PackedNV", "gl_ComponentTypeSignedInt8NV"],
            "starts": { "name": "buffer B", "offsets": [0, 16], "size": 4 },
        })
    );
    // An optimal layout has no stride.
    let stored = &index["events"][0]["memory"];
    assert_eq!([&stored["stride"], &stored["transposed"]], [&Value::Null, &Value::Bool(true)]);
    assert_eq!(stored["layout"], "TrainingOptimal");
}
