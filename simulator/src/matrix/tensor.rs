//! Tensor layouts and views of SPV_NV_tensor_addressing, and where they put the elements of a matrix.
//!
//! The calculation is that of "Tensor Layout and View" in SPV_NV_cooperative_matrix2, step by step and under its names, in 32-bit
//! arithmetic that wraps. What the text leaves undefined (a division by zero, a coordinate outside with the clamp mode Undefined) gives
//! something here, and `Place::outside` or `TensorLayout::mistake` says so.

use super::MatrixType;

/// The most dimensions of a tensor.
pub const MAXIMUM_DIMENSIONS: usize = 5;

/// A coordinate for each dimension; those beyond the tensor's are zero.
pub type Coordinate = [u32; MAXIMUM_DIMENSIONS];

/// Tensor Clamp Mode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClampMode {
    /// Nobody says; here the coordinate leads on, as it is.
    Undefined,
    /// The clamp value.
    Constant,
    /// The nearest element inside.
    ClampToEdge,
    /// The tensor again.
    Repeat,
    /// The tensor again, every second time backwards.
    RepeatMirrored,
}

impl ClampMode {
    /// An enumerant of Tensor Clamp Mode.
    pub fn from_number(number: u32) -> Option<ClampMode> {
        [
            ClampMode::Undefined,
            ClampMode::Constant,
            ClampMode::ClampToEdge,
            ClampMode::Repeat,
            ClampMode::RepeatMirrored,
        ]
        .get(number as usize)
        .copied()
    }
}

/// A value of OpTypeTensorLayoutNV.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TensorLayout {
    /// How many of the coordinates count, from 1 to 5.
    pub dimensions: usize,
    /// What is outside of the tensor.
    pub clamp_mode: ClampMode,
    /// Elements in each dimension.
    pub dimension: Coordinate,
    /// Blocks from one to the next in each dimension.
    pub stride: Coordinate,
    /// Where the slice begins.
    pub offset: [i32; MAXIMUM_DIMENSIONS],
    /// Elements of the slice in each dimension.
    pub span: Coordinate,
    /// Elements of a block in each dimension; ones where nothing is decoded.
    pub block_size: Coordinate,
    /// Bits of what a load gives outside, under [`ClampMode::Constant`].
    pub clamp_value: u32,
}

impl TensorLayout {
    /// OpCreateTensorLayoutNV.
    pub fn new(dimensions: usize, clamp_mode: ClampMode) -> Self {
        TensorLayout {
            dimensions: dimensions.clamp(1, MAXIMUM_DIMENSIONS),
            clamp_mode,
            dimension: [0; MAXIMUM_DIMENSIONS],
            stride: [0; MAXIMUM_DIMENSIONS],
            offset: [0; MAXIMUM_DIMENSIONS],
            span: [0; MAXIMUM_DIMENSIONS],
            block_size: [1; MAXIMUM_DIMENSIONS],
            clamp_value: 0,
        }
    }

    /// Dimensions, strides, offsets, spans and block sizes, then the clamp value.
    pub(crate) fn from_words(dimensions: usize, clamp_mode: ClampMode, word: impl Fn(usize) -> u32) -> Self {
        let mut layout = Self::new(dimensions, clamp_mode);
        let dimensions = layout.dimensions;
        for dim in 0..dimensions {
            layout.dimension[dim] = word(dim);
            layout.stride[dim] = word(dimensions + dim);
            layout.offset[dim] = word(2 * dimensions + dim) as i32;
            layout.span[dim] = word(3 * dimensions + dim);
            layout.block_size[dim] = word(4 * dimensions + dim);
        }
        layout.clamp_value = word(5 * dimensions);
        layout
    }

    /// As [`TensorLayout::from_words`] takes them.
    pub(crate) fn to_words(self) -> Vec<u32> {
        let used = ..self.dimensions;
        let offset = self.offset.map(|offset| offset as u32);
        let parts = [
            &self.dimension[used],
            &self.stride[used],
            &offset[used],
            &self.span[used],
            &self.block_size[used],
        ];
        let mut words = parts.concat();
        words.push(self.clamp_value);
        words
    }

    /// OpTensorLayoutSetBlockSizeNV.
    pub(crate) fn set_block_size(&mut self, sizes: &[u32]) {
        self.block_size[..self.dimensions].iter_mut().zip(sizes).for_each(|(slot, size)| *slot = *size);
    }

    /// OpTensorLayoutSetDimensionNV: spans become the dimensions, offsets zero, strides those of a dense tensor.
    pub(crate) fn set_dimension(&mut self, dimensions: &[u32]) {
        for (dim, size) in dimensions.iter().enumerate().take(self.dimensions) {
            self.dimension[dim] = *size;
            self.span[dim] = *size;
            self.offset[dim] = 0;
        }
        let last = self.dimensions - 1;
        self.stride[last] = 1;
        for dim in (0..last).rev() {
            let blocks = self.dimension[dim + 1].div_ceil(self.block_size[dim + 1].max(1));
            self.stride[dim] = self.stride[dim + 1].wrapping_mul(blocks);
        }
    }

    /// OpTensorLayoutSetStrideNV.
    pub(crate) fn set_stride(&mut self, strides: &[u32]) {
        self.stride[..self.dimensions].iter_mut().zip(strides).for_each(|(slot, stride)| *slot = *stride);
    }

    /// OpTensorLayoutSliceNV, with pairs of offset and span.
    pub(crate) fn slice(&mut self, offsets_and_spans: &[u32]) {
        for (dim, pair) in offsets_and_spans.as_chunks::<2>().0.iter().enumerate().take(self.dimensions) {
            self.offset[dim] = self.offset[dim].wrapping_add(pair[0] as i32);
            self.span[dim] = pair[1];
        }
    }

    /// What the specification forbids in this state, in words.
    pub(crate) fn mistake(&self) -> Option<String> {
        if self.dimension[..self.dimensions].iter().all(|size| *size == 0) {
            return Some("the tensor layout has no dimensions, so no element is inside it".to_owned());
        }
        for dim in 0..self.dimensions {
            if self.block_size[dim] == 0 {
                return Some(format!("the tensor layout's block size {dim} is zero"));
            }
            if self.span[dim] == 0 {
                return Some(format!("the tensor layout's span {dim} is zero"));
            }
        }
        None
    }

    /// Strides below what OpTensorLayoutSetStrideNV allows, in words. Unlike the stride of OpCooperativeMatrixLoadKHR, they may not be 0 for a load
    /// either.
    pub(crate) fn overlap(&self) -> Option<String> {
        (0..self.dimensions - 1).find_map(|dim| {
            let blocks = self.dimension[dim + 1].div_ceil(self.block_size[dim + 1].max(1));
            let least = self.stride[dim + 1].wrapping_mul(blocks);
            (self.stride[dim] < least).then(|| {
                format!(
                    "the tensor layout's stride {dim} is {}, expected at least {least}, for loads too: rows of dimension {} overlap",
                    self.stride[dim],
                    dim + 1
                )
            })
        })
    }
}

/// A value of OpTypeTensorViewNV.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TensorView {
    /// How many of the coordinates count, from 1 to 5.
    pub dimensions: usize,
    /// Whether `dimension` and `stride` hold, rather than the layout's span.
    pub has_dimensions: bool,
    /// For each dimension of the view the one of the layout that it is.
    pub permutation: [u8; MAXIMUM_DIMENSIONS],
    /// Elements of the view in each dimension.
    pub dimension: Coordinate,
    /// Elements from one to the next in each dimension.
    pub stride: Coordinate,
    /// Row offset, row span, column offset, column span.
    pub clip: [u32; 4],
}

impl TensorView {
    /// OpCreateTensorViewNV. Nothing for what is no permutation.
    pub fn new(has_dimensions: bool, permutation: &[u32]) -> Option<Self> {
        let dimensions = permutation.len();
        let mut seen = [false; MAXIMUM_DIMENSIONS];
        for place in permutation {
            let slot = seen.get_mut(*place as usize).filter(|_| (*place as usize) < dimensions)?;
            if std::mem::replace(slot, true) {
                return None;
            }
        }
        if !(1..=MAXIMUM_DIMENSIONS).contains(&dimensions) {
            return None;
        }
        let mut view = TensorView {
            dimensions,
            has_dimensions,
            permutation: [0; MAXIMUM_DIMENSIONS],
            dimension: [0; MAXIMUM_DIMENSIONS],
            stride: [0; MAXIMUM_DIMENSIONS],
            clip: [0, u32::MAX, 0, u32::MAX],
        };
        view.permutation.iter_mut().zip(permutation).for_each(|(slot, place)| *slot = *place as u8);
        Some(view)
    }

    /// Dimensions and strides, then the four sides of the clip region. The type's own part is taken from `self`.
    pub(crate) fn with_words(mut self, word: impl Fn(usize) -> u32) -> Self {
        for dim in 0..self.dimensions {
            self.dimension[dim] = word(dim);
            self.stride[dim] = word(self.dimensions + dim);
        }
        for (side, slot) in self.clip.iter_mut().enumerate() {
            *slot = word(2 * self.dimensions + side);
        }
        self
    }

    /// What the specification leaves undefined in this state, in words.
    pub(crate) fn mistake(&self) -> Option<String> {
        let dim = self.dimension[..self.dimensions].iter().position(|size| *size == 0);
        let dim = dim.filter(|_| self.has_dimensions)?;
        Some(format!("the tensor view has dimensions of its own, and dimension {dim} is zero"))
    }

    /// As [`TensorView::with_words`] takes them.
    pub(crate) fn to_words(self) -> Vec<u32> {
        [&self.dimension[..self.dimensions], &self.stride[..self.dimensions], &self.clip[..]].concat()
    }

    /// OpTensorViewSetDimensionNV.
    pub(crate) fn set_dimension(&mut self, dimensions: &[u32]) {
        self.dimension[..self.dimensions].iter_mut().zip(dimensions).for_each(|(slot, size)| *slot = *size);
        let last = self.dimensions - 1;
        self.stride[last] = 1;
        for dim in (0..last).rev() {
            self.stride[dim] = self.stride[dim + 1].wrapping_mul(self.dimension[dim + 1]);
        }
    }

    /// OpTensorViewSetStrideNV.
    pub(crate) fn set_stride(&mut self, strides: &[u32]) {
        self.stride[..self.dimensions].iter_mut().zip(strides).for_each(|(slot, stride)| *slot = *stride);
    }
}

/// Whether addresses are for a load or a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// What is outside gives something.
    Load,
    /// What is outside is not written.
    Store,
}

/// What becomes of one element of a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Outside of the view's clip region: neither loaded nor stored.
    Clipped,
    /// Outside of the tensor: loads give the clamp value, stores do nothing.
    Clamped,
    /// An element of the tensor.
    Element {
        /// The index in the tensor, in blocks where blocks are larger than one.
        index: u32,
        /// The block that it is in.
        block: Coordinate,
        /// Its place in the block.
        in_block: Coordinate,
        /// A coordinate is outside although the clamp mode is Undefined.
        outside: bool,
    },
}

/// `matrixCoordToTensorElement` and `matrixCoordToTensorElementWithView`.
pub(crate) fn place(
    layout: &TensorLayout,
    view: Option<&TensorView>,
    type_: &MatrixType,
    row: u32,
    column: u32,
    access: Access,
) -> Place {
    match span_coordinate(layout, view, type_, row, column) {
        Some(span) => span_coord_to_place(layout, span, access),
        None => Place::Clipped,
    }
}

/// The coordinate in the tensor that an element asks for, before it is clamped; none outside of the view's clip region.
pub fn coordinate(
    layout: &TensorLayout,
    view: Option<&TensorView>,
    type_: &MatrixType,
    row: u32,
    column: u32,
) -> Option<[i32; MAXIMUM_DIMENSIONS]> {
    let span = span_coordinate(layout, view, type_, row, column)?;
    Some(std::array::from_fn(|dim| (span[dim] as i32).wrapping_add(layout.offset[dim])))
}

fn span_coordinate(
    layout: &TensorLayout,
    view: Option<&TensorView>,
    type_: &MatrixType,
    row: u32,
    column: u32,
) -> Option<Coordinate> {
    let index = match view {
        None => row.wrapping_mul(type_.columns).wrapping_add(column),
        Some(view) => {
            let index = matrix_coord_to_linear(view, row, column, type_.columns)?;
            let coordinate = linear_to_view_coord(layout, view, index);
            view_coord_to_linear(layout, view, coordinate)
        }
    };
    Some(linear_to_span_coord(layout, index))
}

fn matrix_coord_to_linear(view: &TensorView, row: u32, column: u32, columns: u32) -> Option<u32> {
    let [row_offset, row_span, column_offset, column_span] = view.clip;
    // An offset and a span of 0xffffffff reach beyond 32 bits.
    let inside = |place: u32, offset: u32, span: u32| {
        place >= offset && u64::from(place) < u64::from(offset) + u64::from(span)
    };
    if !inside(row, row_offset, row_span) || !inside(column, column_offset, column_span) {
        return None;
    }
    let width = columns.min(column_span);
    Some((row - row_offset).wrapping_mul(width).wrapping_add(column - column_offset))
}

fn linear_to_view_coord(layout: &TensorLayout, view: &TensorView, mut index: u32) -> Coordinate {
    let dimension = if view.has_dimensions { &view.dimension } else { &layout.span };
    let mut coordinate = [0; MAXIMUM_DIMENSIONS];
    for dim in (0..view.dimensions).rev() {
        let permuted = usize::from(view.permutation[dim]);
        let size = dimension[permuted].max(1);
        coordinate[permuted] = index % size;
        index /= size;
    }
    coordinate
}

fn view_coord_to_linear(layout: &TensorLayout, view: &TensorView, coordinate: Coordinate) -> u32 {
    let mut stride = [0u32; MAXIMUM_DIMENSIONS];
    if view.has_dimensions {
        stride = view.stride;
    } else {
        stride[view.dimensions - 1] = 1;
        for dim in (0..view.dimensions - 1).rev() {
            stride[dim] = stride[dim + 1].wrapping_mul(layout.span[dim + 1]);
        }
    }
    (0..view.dimensions)
        .fold(0, |index: u32, dim| index.wrapping_add(coordinate[dim].wrapping_mul(stride[dim])))
}

fn linear_to_span_coord(layout: &TensorLayout, mut index: u32) -> Coordinate {
    let mut coordinate = [0; MAXIMUM_DIMENSIONS];
    for dim in (0..layout.dimensions).rev() {
        let span = layout.span[dim].max(1);
        coordinate[dim] = index % span;
        index /= span;
    }
    coordinate
}

fn span_coord_to_place(layout: &TensorLayout, span: Coordinate, access: Access) -> Place {
    let (mut block, mut in_block) = ([0; MAXIMUM_DIMENSIONS], [0; MAXIMUM_DIMENSIONS]);
    let (mut index, mut outside) = (0u32, false);
    for dim in 0..layout.dimensions {
        let size = i64::from(layout.dimension[dim]);
        let mut c = i64::from((span[dim] as i32).wrapping_add(layout.offset[dim]));
        if c < 0 || c >= size {
            let mode = match (layout.clamp_mode, access) {
                (ClampMode::Undefined, _) => ClampMode::Undefined,
                (_, Access::Store) => ClampMode::Constant,
                (mode, Access::Load) => mode,
            };
            c = match mode {
                ClampMode::Undefined => {
                    outside = true;
                    c
                }
                ClampMode::Constant => return Place::Clamped,
                ClampMode::ClampToEdge => c.max(0).min(size - 1).max(0),
                ClampMode::Repeat => c.rem_euclid(size.max(1)),
                ClampMode::RepeatMirrored => {
                    let c = c.rem_euclid((2 * size - 2).max(1));
                    if c >= size { 2 * size - 2 - c } else { c }
                }
            };
        }
        // As the text's uint32_t, so that a negative coordinate wraps.
        let c = c as u32;
        let size = layout.block_size[dim].max(1);
        (block[dim], in_block[dim]) = (c / size, c % size);
        index = index.wrapping_add(block[dim].wrapping_mul(layout.stride[dim]));
    }
    Place::Element { index, block, in_block, outside }
}

/// One call of a decode function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub index: u32,
    pub block: Coordinate,
    pub in_block: Coordinate,
    /// The element of the matrix that each component of the result is; one for a scalar function.
    pub elements: Vec<u32>,
}

/// Which calls of a vector decode function to make, and which elements remain for the scalar one.
///
/// A call decodes `width` elements of one block that lie next to each other in its last dimension, the first at a multiple of `width`.
/// It is made where all of them are elements of the matrix, next to each other in a row or in a column.
pub(crate) fn vector_calls(
    places: &[Place],
    layout: &TensorLayout,
    type_: &MatrixType,
    width: usize,
    mut wanted: impl FnMut() -> bool,
) -> (Vec<Call>, Vec<Call>) {
    let last = layout.dimensions - 1;
    let (mut vectors, mut scalars) = (Vec::new(), Vec::new());
    let mut done = vec![false; places.len()];
    let possible = width > 1 && (layout.block_size[last] as usize).is_multiple_of(width);
    for element in 0..places.len() {
        let Place::Element { index, block, in_block, .. } = places[element] else { continue };
        if done[element] {
            continue;
        }
        let call = |elements| Call { index, block, in_block, elements };
        let group = |step: usize| -> Option<Vec<u32>> {
            let elements: Vec<u32> = (0..width).map(|part| (element + part * step) as u32).collect();
            let fits = elements.iter().enumerate().all(|(part, element)| {
                let mut expected = in_block;
                expected[last] += part as u32;
                let element = *element as usize;
                // A run to the right stays in its row.
                let same_row = step != 1 || type_.row_and_column(element).0 == type_.row_and_column(elements[0] as usize).0;
                same_row
                    && !done.get(element).copied().unwrap_or(true)
                    && matches!(places[element], Place::Element { block: b, in_block: i, .. } if b == block && i == expected)
            });
            fits.then_some(elements)
        };
        let vector = if possible && (in_block[last] as usize).is_multiple_of(width) {
            group(1).or_else(|| group(type_.columns as usize))
        } else {
            None
        };
        match vector {
            Some(elements) if wanted() => {
                elements.iter().for_each(|element| done[*element as usize] = true);
                vectors.push(call(elements));
            }
            Some(elements) => {
                // Chosen to be decoded one by one, all of them.
                for element in elements {
                    done[element as usize] = true;
                    if let Place::Element { index, block, in_block, .. } = places[element as usize] {
                        scalars.push(Call { index, block, in_block, elements: vec![element] });
                    }
                }
            }
            None => {
                done[element] = true;
                scalars.push(call(vec![element as u32]));
            }
        }
    }
    (vectors, scalars)
}

#[cfg(test)]
mod tests;
