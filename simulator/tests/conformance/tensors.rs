//! tensorlayout{1..5}d and their clip, spacetodepth, clamp{constant,toedge,repeat,mirrorrepeat}, matrixmuladd_dequant{,_vector}.
//!
//! The reference follows the text of SPV_NV_cooperative_matrix2, "Tensor Addressing", step by step.

use coopmat_simulator::DecodeChoice;

use super::kernel::{Axes, Kernel, height, large, width};
use super::numbers::Kind::{self, *};
use super::numbers::Tolerance;
use super::report::Case;

/// As the constants of GLSL are called.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::enum_variant_names, reason = "the constants are called so")]
enum Clamp {
    Undefined,
    Constant,
    ClampToEdge,
    Repeat,
    MirrorRepeat,
}

#[derive(Clone)]
struct View {
    /// Empty when the slice's are taken.
    sizes: Vec<i64>,
    permutation: Vec<usize>,
    /// Offset and span of rows, then of columns.
    clip: Option<[i64; 4]>,
}

#[derive(Clone)]
struct Tensor {
    sizes: Vec<i64>,
    strides: Vec<i64>,
    offsets: Vec<i64>,
    spans: Vec<i64>,
    clamp: Clamp,
    view: Option<View>,
}

/// Where an element of the matrix is.
enum Address {
    At(usize),
    /// Outside of the tensor: the clamp value, or nothing that is stored.
    Outside,
    /// Outside of the clip region: as it was.
    Skipped,
}

fn packed(sizes: &[i64], extra: i64) -> Vec<i64> {
    let mut strides = vec![1; sizes.len()];
    for dim in (0..sizes.len().saturating_sub(1)).rev() {
        strides[dim] = strides[dim + 1] * (sizes[dim + 1] + extra);
    }
    strides
}

fn coordinates(mut index: i64, sizes: &[i64]) -> Vec<i64> {
    let mut all = vec![0; sizes.len()];
    for dim in (0..sizes.len()).rev() {
        all[dim] = index % sizes[dim];
        index /= sizes[dim];
    }
    all
}

impl Tensor {
    fn room(&self) -> usize {
        (self.strides[0] * self.sizes[0]) as usize + 16
    }

    fn address(&self, row: i64, column: i64, columns: i64, store: bool) -> Address {
        let mut index = row * columns + column;
        if let Some(view) = &self.view {
            let [first_row, rows, first_column, width] = view.clip.unwrap_or([0, 1 << 30, 0, 1 << 30]);
            if !(first_row..first_row + rows).contains(&row)
                || !(first_column..first_column + width).contains(&column)
            {
                return Address::Skipped;
            }
            index = (row - first_row) * columns.min(width) + column - first_column;
            let sizes = if view.sizes.is_empty() { &self.spans } else { &view.sizes };
            let mut place = vec![0; sizes.len()];
            for &dim in view.permutation.iter().rev() {
                place[dim] = index % sizes[dim];
                index /= sizes[dim];
            }
            index = place.iter().zip(packed(sizes, 0)).map(|(place, stride)| place * stride).sum();
        }
        let mut address = 0;
        for (dim, place) in coordinates(index, &self.spans).into_iter().enumerate() {
            let size = self.sizes[dim];
            let mut c = place + self.offsets[dim];
            if !(0..size).contains(&c) {
                match self.clamp {
                    Clamp::Constant | Clamp::Undefined => return Address::Outside,
                    Clamp::ClampToEdge | Clamp::Repeat | Clamp::MirrorRepeat if store => {
                        return Address::Outside;
                    }
                    Clamp::ClampToEdge => c = c.clamp(0, size - 1),
                    Clamp::Repeat => c = c.rem_euclid(size),
                    Clamp::MirrorRepeat => {
                        c = c.rem_euclid(2 * size - 2);
                        if c >= size {
                            c = 2 * size - 2 - c;
                        }
                    }
                }
            }
            address += c * self.strides[dim];
        }
        Address::At(address as usize)
    }

    /// The statements that make the layout `t`, and the view `v` when there is one; the arguments that name them.
    fn glsl(&self, kind: Kind) -> (String, &'static str) {
        let list = |values: &[i64]| values.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let count = self.sizes.len();
        let clamp = format!("gl_CooperativeMatrixClampMode{:?}NV", self.clamp);
        let slices: Vec<i64> =
            self.offsets.iter().zip(&self.spans).flat_map(|(offset, span)| [*offset, *span]).collect();
        let mut text = format!(
            "tensorLayoutNV<{count}, {clamp}> t = createTensorLayoutNV({count}, {clamp});
t = setTensorLayoutDimensionNV(t, {});\nt = setTensorLayoutStrideNV(t, {});\nt = sliceTensorLayoutNV(t, {});\n",
            list(&self.sizes),
            list(&self.strides),
            list(&slices)
        );
        if self.clamp == Clamp::Constant {
            text += &format!("t = setTensorLayoutClampValueNV(t, {});\n", kind.encode(CLAMPED));
        }
        let Some(view) = &self.view else { return (text, "t") };
        let order: Vec<String> = view.permutation.iter().map(usize::to_string).collect();
        let has = !view.sizes.is_empty();
        let parameters = format!("{}, {has}, {}", order.len(), order.join(", "));
        text += &format!("tensorViewNV<{parameters}> v = createTensorViewNV({parameters});\n");
        if has {
            text += &format!("v = setTensorViewDimensionsNV(v, {});\n", list(&view.sizes));
        }
        if let Some(clip) = &view.clip {
            text += &format!("v = setTensorViewClipNV(v, {});\n", list(clip));
        }
        (text, "t, v")
    }
}

/// What is loaded outside of the tensor where a constant is.
const CLAMPED: f64 = 6.0;
/// What the matrix held before a load, and memory before a store.
const BEFORE: f64 = 5.0;

/// Sizes for larger matrices: more in the first and the last dimension.
fn grown(sizes: &[i64]) -> Vec<i64> {
    let mut sizes = sizes.to_vec();
    if large() {
        sizes[0] *= 2;
        if let Some(last) = sizes.last_mut() {
            *last *= 8;
        }
    }
    sizes
}

pub fn cases(cases: &mut Vec<Case>) {
    let layouts = [
        ("tensorlayout1d", "tensorlayout1dclip", &[140][..], &[128][..], &[5][..]),
        ("tensorlayout2d", "tensorlayout2dclip", &[19, 13], &[16, 8], &[2, 3]),
        ("tensorlayout3d", "tensorlayout3dclip", &[5, 7, 10], &[4, 4, 8], &[1, 2, 1]),
        ("tensorlayout4d", "tensorlayout4dclip", &[3, 5, 6, 7], &[2, 4, 4, 4], &[0, 1, 2, 3]),
        ("tensorlayout5d", "tensorlayout5dclip", &[4, 3, 2, 5, 6], &[2, 2, 2, 4, 4], &[2, 1, 0, 1, 1]),
    ];
    let mut turn = 0;
    for kind in [F16, F32, BF16, S8, U8, S32, U32, E4M3] {
        for use_ in ["A", "B", "Accumulator"] {
            for axes in Axes::next(&mut turn) {
                for (plain, clip, sizes, spans, offsets) in layouts {
                    let (sizes, spans) = (&grown(sizes)[..], &grown(spans)[..]);
                    let mut tensor = Tensor {
                        sizes: sizes.to_vec(),
                        strides: packed(sizes, 2),
                        offsets: offsets.to_vec(),
                        spans: spans.to_vec(),
                        clamp: Clamp::Undefined,
                        view: None,
                    };
                    cases.push(tensor_case(plain, &tensor, kind, use_, axes));
                    let permutation: Vec<usize> = (0..sizes.len()).rev().collect();
                    tensor.view = Some(View { sizes: Vec::new(), permutation, clip: Some([3, 9, 2, 5]) });
                    cases.push(tensor_case(clip, &tensor, kind, use_, axes));
                }
                for (category, clamp) in [
                    ("clampconstant", Clamp::Constant),
                    ("clamptoedge", Clamp::ClampToEdge),
                    ("clamprepeat", Clamp::Repeat),
                    ("clampmirrorrepeat", Clamp::MirrorRepeat),
                ] {
                    // Over every edge, and by more than the tensor is long.
                    let sizes = [7, 5];
                    let tensor = Tensor {
                        sizes: sizes.into(),
                        strides: packed(&sizes, 1),
                        offsets: vec![-4, -2],
                        spans: vec![height() as i64, width() as i64],
                        clamp,
                        view: None,
                    };
                    cases.push(tensor_case(category, &tensor, kind, use_, axes));
                }
                // An image of 4 x 8 with 4 channels becomes one of 2 x 4 with 16: 8 pixels of 16, as 16 rows of 8.
                let tensor = Tensor {
                    sizes: vec![4, 8, 4],
                    strides: packed(&[4, 8, 4], 0),
                    offsets: vec![0; 3],
                    spans: vec![4, 8, 4],
                    clamp: Clamp::Undefined,
                    view: Some(View {
                        sizes: vec![2, 2, 4, 2, 4],
                        permutation: vec![0, 2, 1, 3, 4],
                        clip: None,
                    }),
                };
                if !large() {
                    cases.push(tensor_case("spacetodepth", &tensor, kind, use_, axes));
                }
            }
        }
    }
    for axes in Axes::all() {
        for block in [[1, 32], [2, 16], [4, 8]] {
            dequantised(cases, axes, block);
        }
    }
}

/// A matrix is loaded through the tensor and stored plainly; another is loaded plainly and stored through it.
fn tensor_case(category: &'static str, tensor: &Tensor, kind: Kind, use_: &str, axes: Axes) -> Case {
    let matrix = axes.matrix(kind, height(), width(), use_);
    let (stride, room) = (axes.stride(kind, height(), width()), axes.room(kind, height(), width()));
    let (input, second) = (kind.small(tensor.room(), 6), kind.small(room, 7));
    let kernel = Kernel::new(axes)
        .input("a", kind, input.clone())
        .input("b", kind, second.clone())
        .output("o", kind, room)
        .vectors("p", kind, vec![BEFORE; tensor.room()], 1, true);
    let (setup, arguments) = tensor.glsl(kind);
    let (from, to) = (kernel.pointer("a"), kernel.pointer("p"));
    let body = format!(
        "{setup}{matrix} x = {matrix}({}({BEFORE})), y;\ncoopMatLoadTensorNV(x, {from}, 0, {arguments});\n{}{}coopMatStoreTensorNV(y, {to}, 0, {arguments});\n",
        kind.glsl(),
        kernel.store("x", "o", stride),
        kernel.load("y", "b", stride),
    );
    let name = format!("{}.{use_}.{}", kind.glsl(), axes.name());
    let tensor = tensor.clone();
    Case::new(category, name, kernel.body(body), move |outcome| {
        let mut loaded = vec![Some(0.0); room];
        let mut stored = vec![Some(BEFORE); tensor.room()];
        for index in 0..height() * width() {
            let (row, column) = (index / width(), index % width());
            let address = |store| tensor.address(row as i64, column as i64, width() as i64, store);
            let at = axes.at(stride, row, column);
            loaded[at] = Some(match address(false) {
                Address::At(place) => input[place],
                Address::Outside => CLAMPED,
                Address::Skipped => BEFORE,
            });
            if let Address::At(place) = address(true) {
                stored[place] = Some(second[at]);
            }
        }
        outcome.expect("o", &loaded, Tolerance::Exact)?;
        outcome.expect("p", &stored, Tolerance::Exact)
    })
}

/// A is made of blocks of a scale and 32 quants, decoded while it is loaded, then multiplied.
fn dequantised(cases: &mut Vec<Case>, axes: Axes, [block_rows, block_columns]: [usize; 2]) {
    const M: usize = 8;
    const N: usize = 8;
    const K: usize = 16;
    // The whole tensor, and where the slice begins.
    let (height, width, first_row, first_column) = (16, 64, 4, 24);
    let blocks = (height / block_rows) * (width / block_columns);
    let mut memory = Vec::new();
    let scale = |block: usize| 0.25 * (1 + block % 4) as f64;
    let quant = |block: usize, index: usize| ((index * 5 + block * 3) % 15) as f64 - 7.0;
    for block in 0..blocks {
        memory.extend(F16.bytes(&[scale(block)]));
        memory.extend(S8.bytes(&(0..32).map(|index| quant(block, index)).collect::<Vec<_>>()));
    }
    let value = move |row: usize, column: usize| {
        let block = row / block_rows * (width / block_columns) + column / block_columns;
        scale(block) * quant(block, row % block_rows * block_columns + column % block_columns)
    };
    let (b, c) = (F16.small(axes.room(F16, K, N), 2), F32.small(axes.room(F32, M, N), 3));
    let strides = [axes.stride(F16, K, N), axes.stride(F32, M, N)];
    let parameters = "const in Blocks data, const in uint32_t block[2], const in uint32_t inside[2]";
    let head = format!(
        "#extension GL_NV_cooperative_matrix_decode_vector : require
struct Block {{ float16_t scale; int8_t quants[32]; }};
layout(buffer_reference, scalar, buffer_reference_align = 2) buffer Blocks {{ Block block; }};
float16_t decode({parameters}) {{
    return data.block.scale * float16_t(data.block.quants[inside[0] * {block_columns} + inside[1]]);
}}
f16vec4 decode4({parameters}) {{
    uint at = inside[0] * {block_columns} + inside[1];
    return data.block.scale * f16vec4(data.block.quants[at], data.block.quants[at + 1], data.block.quants[at + 2], data.block.quants[at + 3]);
}}\n"
    );
    for (category, functions, choices) in [
        ("matrixmuladd_dequant", "decode", &[DecodeChoice::Scalar][..]),
        (
            "matrixmuladd_dequant_vector",
            "decode, decode4",
            &[DecodeChoice::Scalar, DecodeChoice::Vector, DecodeChoice::Mixed],
        ),
    ] {
        for &choice in choices {
            let bytes = memory.iter().map(|byte| f64::from(*byte)).collect();
            let kernel = Kernel::new(axes)
                .input("a", U8, bytes)
                .input("b", F16, b.clone())
                .input("c", F32, c.clone())
                .output("o", F32, c.len())
                .head(&head);
            // Decode functions get addresses: blocks cannot be in shared memory.
            let from = if axes.storage == super::kernel::Storage::Physical { "push_a.at" } else { "a" };
            let body = format!(
                "{} x;\n{} y;\n{} z;
tensorLayoutNV<2> t = createTensorLayoutNV(2);
t = setTensorLayoutBlockSizeNV(t, {block_rows}, {block_columns});
t = setTensorLayoutDimensionNV(t, {height}, {width});
t = sliceTensorLayoutNV(t, {first_row}, {M}, {first_column}, {K});
coopMatLoadTensorNV(x, {from}, 0, t, {functions});\n{}{}z = coopMatMulAdd(x, y, z);\n{}",
                axes.matrix(F16, M, K, "A"),
                axes.matrix(F16, K, N, "B"),
                axes.matrix(F32, M, N, "Accumulator"),
                kernel.load("y", "b", strides[0]),
                kernel.load("z", "c", strides[1]),
                kernel.store("z", "o", strides[1]),
            );
            let name = format!("{choice:?}.{block_rows}x{block_columns}.{}", axes.name());
            let (b, c) = (b.clone(), c.clone());
            let mut case = Case::new(category, name, kernel.body(body), move |outcome| {
                let mut expected = vec![Some(0.0); c.len()];
                for index in 0..M * N {
                    let (row, column) = (index / N, index % N);
                    let product =
                        |k| value(row + first_row, k + first_column) * b[axes.at(strides[0], k, column)];
                    let at = axes.at(strides[1], row, column);
                    expected[at] = Some(c[at] + (0..K).map(product).sum::<f64>());
                }
                outcome.expect("o", &expected, Tolerance::Absolute(2f64.powi(-17)))
            });
            case.decode = choice;
            cases.push(case);
        }
    }
}
