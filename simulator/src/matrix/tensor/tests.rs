//! The addressing of tensors, on cases that are worked out by hand.

use super::*;
use crate::matrix::{Component, Scope, Use};
use crate::numerics::Format;

fn type_(rows: u32, columns: u32) -> MatrixType {
    let component = Component::Float(Format::F16);
    MatrixType { component, scope: Scope::Subgroup, rows, columns, use_: Use::A }
}

fn layout(clamp_mode: ClampMode, dimensions: &[u32], slice: &[u32]) -> TensorLayout {
    let mut layout = TensorLayout::new(dimensions.len(), clamp_mode);
    layout.set_dimension(dimensions);
    layout.slice(slice);
    layout
}

/// The index of each element, -1 where it is clamped, -2 where it is clipped.
fn indices(layout: &TensorLayout, view: Option<&TensorView>, type_: &MatrixType, access: Access) -> Vec<i64> {
    (0..type_.count())
        .map(|index| {
            let (row, column) = type_.row_and_column(index);
            match place(layout, view, type_, row, column, access) {
                Place::Clipped => -2,
                Place::Clamped => -1,
                Place::Element { index, .. } => i64::from(index),
            }
        })
        .collect()
}

#[test]
fn a_slice_of_two_dimensions() {
    let layout = layout(ClampMode::Constant, &[10, 20], &[3, 2, 5, 3]);
    assert_eq!(layout.stride[..2], [20, 1]);
    assert_eq!(indices(&layout, None, &type_(2, 3), Access::Load), [65, 66, 67, 85, 86, 87]);
    // The span has another shape than the matrix: elements are counted through.
    assert_eq!(indices(&layout, None, &type_(3, 2), Access::Load), [65, 66, 67, 85, 86, 87]);
}

#[test]
fn slices_add_their_offsets() {
    let mut layout = layout(ClampMode::Constant, &[100], &[10, 50]);
    layout.slice(&[5, 4]);
    assert_eq!(indices(&layout, None, &type_(1, 4), Access::Load), [15, 16, 17, 18]);
    layout.set_dimension(&[100]);
    assert_eq!((layout.offset[0], layout.span[0]), (0, 100));
}

#[test]
fn each_clamp_mode() {
    let of = |mode, access| indices(&layout(mode, &[4], &[(-3i32) as u32, 10]), None, &type_(1, 10), access);
    use ClampMode::*;
    assert_eq!(of(Constant, Access::Load), [-1, -1, -1, 0, 1, 2, 3, -1, -1, -1]);
    assert_eq!(of(ClampToEdge, Access::Load), [0, 0, 0, 0, 1, 2, 3, 3, 3, 3]);
    assert_eq!(of(Repeat, Access::Load), [1, 2, 3, 0, 1, 2, 3, 0, 1, 2]);
    assert_eq!(of(RepeatMirrored, Access::Load), [3, 2, 1, 0, 1, 2, 3, 2, 1, 0]);
    // Stores are dropped outside, whatever the mode.
    for mode in [Constant, ClampToEdge, Repeat, RepeatMirrored] {
        assert_eq!(of(mode, Access::Store), [-1, -1, -1, 0, 1, 2, 3, -1, -1, -1]);
    }
    let undefined = layout(Undefined, &[4], &[2, 3]);
    let Place::Element { outside, .. } = place(&undefined, None, &type_(1, 3), 0, 2, Access::Load) else {
        panic!()
    };
    assert!(outside);
}

#[test]
fn a_view_transposes() {
    let layout = layout(ClampMode::Constant, &[8, 8], &[0, 2, 0, 3]);
    let view = TensorView::new(false, &[1, 0]).unwrap();
    // Rows of the matrix are columns of the slice.
    assert_eq!(indices(&layout, Some(&view), &type_(3, 2), Access::Load), [0, 8, 1, 9, 2, 10]);
}

/// The view of the conformance tests' space to depth: 2x2 neighbourhoods become channels.
#[test]
fn space_to_depth() {
    let (height, width) = (4, 4);
    let layout = layout(ClampMode::Constant, &[height, width], &[0, height, 0, width]);
    let mut view = TensorView::new(true, &[0, 2, 1, 3]).unwrap();
    view.set_dimension(&[height / 2, 2, width / 2, 2]);
    let expected: Vec<i64> = (0..16)
        .map(|index| {
            let (row, column) = (index / 4, index % 4);
            let (block_y, block_x) = (row / 2, row % 2);
            (block_y * 2 + column / 2) * 4 + block_x * 2 + column % 2
        })
        .collect();
    assert_eq!(indices(&layout, Some(&view), &type_(4, 4), Access::Load), expected);
}

#[test]
fn strides_of_a_view() {
    let layout = layout(ClampMode::Constant, &[100], &[0, 100]);
    let mut view = TensorView::new(true, &[0, 1]).unwrap();
    view.set_dimension(&[3, 4]);
    view.set_stride(&[10, 2]);
    let expected = [0, 2, 4, 6, 10, 12, 14, 16, 20, 22, 24, 26];
    assert_eq!(indices(&layout, Some(&view), &type_(3, 4), Access::Load), expected);
}

#[test]
fn clip_regions() {
    let layout = layout(ClampMode::Constant, &[2, 2], &[0, 2, 0, 2]);
    let mut view = TensorView::new(false, &[0, 1]).unwrap();
    view.clip = [1, 2, 1, 2];
    let expected = [-2, -2, -2, -2, -2, 0, 1, -2, -2, 2, 3, -2];
    assert_eq!(indices(&layout, Some(&view), &type_(3, 4), Access::Load), expected);
    // A span without end does not wrap.
    view.clip = [1, u32::MAX, 0, u32::MAX];
    assert_eq!(indices(&layout, Some(&view), &type_(2, 2), Access::Load), [-2, -2, 0, 1]);
}

#[test]
fn blocks() {
    let mut layout = TensorLayout::new(2, ClampMode::Constant);
    layout.set_block_size(&[1, 32]);
    layout.set_dimension(&[4, 128]);
    assert_eq!(layout.stride[..2], [4, 1]);
    layout.slice(&[2, 1, 30, 4]);
    let of = |column| match place(&layout, None, &type_(1, 4), 0, column, Access::Load) {
        Place::Element { index, block, in_block, .. } => (index, block[..2].to_vec(), in_block[..2].to_vec()),
        other => panic!("{other:?}"),
    };
    assert_eq!(of(1), (8, vec![2, 0], vec![0, 31]));
    assert_eq!(of(2), (9, vec![2, 1], vec![0, 0]));
}

#[test]
fn vector_decoding_takes_whole_groups() {
    let mut layout = TensorLayout::new(2, ClampMode::Constant);
    layout.set_block_size(&[1, 8]);
    layout.set_dimension(&[2, 16]);
    layout.slice(&[0, 2, 2, 8]);
    let type_ = type_(2, 8);
    let places: Vec<Place> =
        (0..16).map(|index| place(&layout, None, &type_, index / 8, index % 8, Access::Load)).collect();
    let (vectors, scalars) = vector_calls(&places, &layout, &type_, 4, || true);
    // Columns 2..10 hold one whole group, 4..8, in each row.
    let elements: Vec<_> = vectors.iter().map(|call| call.elements.clone()).collect();
    assert_eq!(elements, [vec![2, 3, 4, 5], vec![10, 11, 12, 13]]);
    assert_eq!(vectors[0].in_block[..2], [0, 4]);
    assert_eq!(scalars.len(), 8);
    // A block that is no multiple of the vector is decoded one by one.
    layout.set_block_size(&[1, 6]);
    assert!(vector_calls(&places, &layout, &type_, 4, || true).0.is_empty());
    // Chosen now and then: every element is still decoded once.
    layout.set_block_size(&[1, 8]);
    let mut turn = false;
    let (vectors, scalars) = vector_calls(&places, &layout, &type_, 4, || {
        turn = !turn;
        turn
    });
    let mut all: Vec<u32> = vectors.iter().chain(&scalars).flat_map(|call| call.elements.clone()).collect();
    all.sort_unstable();
    assert_eq!(all, (0..16).collect::<Vec<u32>>());
}

/// A transposed load has its groups in columns.
#[test]
fn vector_decoding_through_a_transposed_view() {
    let mut layout = TensorLayout::new(2, ClampMode::Constant);
    layout.set_block_size(&[1, 8]);
    layout.set_dimension(&[2, 8]);
    let view = TensorView::new(false, &[1, 0]).unwrap();
    let type_ = type_(8, 2);
    let places: Vec<Place> = (0..16)
        .map(|index| place(&layout, Some(&view), &type_, index / 2, index % 2, Access::Load))
        .collect();
    let (vectors, scalars) = vector_calls(&places, &layout, &type_, 8, || true);
    assert_eq!((vectors.len(), scalars.len()), (2, 0));
    assert_eq!(vectors[1].elements, [1, 3, 5, 7, 9, 11, 13, 15]);
}

#[test]
fn words_are_the_state() {
    let mut layout = layout(ClampMode::Repeat, &[3, 4, 5], &[1, 2, 3, 4, 5, 6]);
    layout.clamp_value = 77;
    let words = layout.to_words();
    assert_eq!(words.len(), 3 * 5 + 1);
    assert_eq!(TensorLayout::from_words(3, ClampMode::Repeat, |index| words[index]), layout);
    let mut view = TensorView::new(true, &[1, 0]).unwrap();
    view.set_dimension(&[6, 7]);
    view.clip = [1, 2, 3, 4];
    let words = view.to_words();
    assert_eq!(words.len(), 2 * 2 + 4);
    assert_eq!(TensorView::new(true, &[1, 0]).unwrap().with_words(|index| words[index]), view);
    assert_eq!(TensorView::new(true, &[1, 1]), None);
    assert_eq!(TensorView::new(true, &[2, 0]), None);
}

#[test]
fn mistakes_are_told() {
    let mut layout = layout(ClampMode::Constant, &[4, 8], &[0, 4, 0, 8]);
    assert_eq!((layout.mistake(), layout.overlap()), (None, None));
    layout.set_stride(&[7, 1]);
    assert_eq!(layout.mistake(), None);
    assert_eq!(
        layout.overlap().unwrap(),
        "the tensor layout's stride 0 is 7, expected at least 8, for loads too: rows of dimension 1 overlap"
    );
    layout.set_block_size(&[1, 0]);
    assert_eq!(layout.mistake().unwrap(), "the tensor layout's block size 1 is zero");
}
