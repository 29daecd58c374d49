//! What is known of a tensor layout or view at one place of a function: each number, whether dimensions were ever set, and what two
//! paths agree on where they meet.

use crate::extensions::values;
use crate::text::TextRange;
use crate::types::{TypeKind, Types};

use crate::matrices::tensors::{MAX_DIMENSIONS, Setter};

/// One number for each dimension; `None` where it is not known.
pub(super) type Numbers = Vec<Option<i64>>;

/// Whether something was set, on the paths that lead here.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Known<T> {
    /// On none of them: what the function that creates it gives.
    Never,
    /// On all of them.
    Set(T),
    /// On some, or it cannot be told.
    Unknown,
}

impl<T> Known<T> {
    pub fn set(&self) -> Option<&T> {
        match self {
            Known::Set(value) => Some(value),
            Known::Never | Known::Unknown => None,
        }
    }
}

fn join_numbers(left: &[Option<i64>], right: &[Option<i64>]) -> Numbers {
    left.iter().zip(right).map(|(left, right)| left.filter(|_| left == right)).collect()
}

fn join_known(left: &Known<Numbers>, right: &Known<Numbers>) -> Known<Numbers> {
    match (left, right) {
        (Known::Never, Known::Never) => Known::Never,
        (Known::Set(left), Known::Set(right)) => Known::Set(join_numbers(left, right)),
        _ => Known::Unknown,
    }
}

/// A tensor layout.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    pub block: Numbers,
    pub dimensions: Known<Numbers>,
    pub offset: Numbers,
    pub span: Numbers,
    /// Whether the spans are those of a slice, rather than the dimensions.
    pub sliced: Known<()>,
    /// The call that set the block size after the dimensions, while the strides are still those of another block size.
    pub stale: Option<TextRange>,
    /// The clamp mode, unless it depends on specialization.
    pub clamp: Option<i64>,
}

impl Layout {
    fn new(dimensions: usize, clamp: Option<i64>) -> Layout {
        Layout {
            block: vec![Some(1); dimensions],
            dimensions: Known::Never,
            offset: vec![Some(0); dimensions],
            span: vec![Some(0); dimensions],
            sliced: Known::Never,
            stale: None,
            clamp,
        }
    }

    /// Whether what lies outside of the tensor is undefined.
    pub fn is_unclamped(&self) -> bool {
        self.clamp == Some(values::GL_COOPERATIVE_MATRIX_CLAMP_MODE_UNDEFINED_NV)
    }

    fn join(&self, other: &Layout) -> Layout {
        Layout {
            block: join_numbers(&self.block, &other.block),
            dimensions: join_known(&self.dimensions, &other.dimensions),
            offset: join_numbers(&self.offset, &other.offset),
            span: join_numbers(&self.span, &other.span),
            sliced: if self.sliced == other.sliced { self.sliced.clone() } else { Known::Unknown },
            stale: self.stale.filter(|_| self.stale == other.stale),
            clamp: self.clamp,
        }
    }
}

/// A tensor view.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct View {
    /// Whether it has dimensions of its own; `None` where that depends on specialization.
    pub has_dimensions: Option<bool>,
    /// Which of the dimensions each of its own is; `None` where that depends on specialization.
    pub permutation: Option<Vec<usize>>,
    pub dimensions: Known<Numbers>,
    /// Row offset, row span, column offset, column span.
    pub clip: Known<Numbers>,
}

impl View {
    fn join(&self, other: &View) -> View {
        View {
            has_dimensions: self.has_dimensions,
            permutation: self.permutation.clone(),
            dimensions: join_known(&self.dimensions, &other.dimensions),
            clip: join_known(&self.clip, &other.clip),
        }
    }
}

/// A tensor layout or view.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tensor {
    /// A variable that nothing was assigned to.
    Uncreated,
    Layout(Layout),
    View(View),
}

impl Tensor {
    /// What the function that creates a value of this type gives; `None` for other types, and for as many dimensions as only
    /// specialization tells.
    pub fn created(types: &Types, kind: &TypeKind) -> Option<Tensor> {
        let known = |dim| types.symbols.as_int(dim).filter(|dim| (1..=MAX_DIMENSIONS).contains(dim));
        match kind {
            TypeKind::TensorLayout { dim, clamp } => {
                Some(Tensor::Layout(Layout::new(known(*dim)? as usize, types.symbols.as_int(*clamp))))
            }
            TypeKind::TensorView { dim, has_dimensions, permutation } => {
                known(*dim)?;
                let places =
                    permutation.iter().map(|&place| usize::try_from(types.symbols.as_int(place)?).ok());
                Some(Tensor::View(View {
                    has_dimensions: types.symbols.as_int(*has_dimensions).map(|own| own != 0),
                    permutation: places.collect(),
                    dimensions: Known::Never,
                    clip: Known::Never,
                }))
            }
            _ => None,
        }
    }

    /// Where two paths meet; `None` where they agree on nothing.
    pub fn join(&self, other: &Tensor) -> Option<Tensor> {
        match (self, other) {
            (Tensor::Uncreated, Tensor::Uncreated) => Some(Tensor::Uncreated),
            (Tensor::Layout(left), Tensor::Layout(right)) => Some(Tensor::Layout(left.join(right))),
            (Tensor::View(left), Tensor::View(right)) => Some(Tensor::View(left.join(right))),
            _ => None,
        }
    }
}

impl Layout {
    /// What a function that changes a layout makes of it. `name` is where the function is named.
    pub fn change(&mut self, setter: Setter, values: &[Option<i64>], name: TextRange) {
        match setter {
            Setter::BlockSize => {
                if self.dimensions.set().is_some() && values != self.block {
                    self.stale = Some(name);
                }
                self.block = values.to_vec();
            }
            Setter::Dimension => {
                self.dimensions = Known::Set(values.to_vec());
                self.span = values.to_vec();
                self.offset = vec![Some(0); values.len()];
                self.sliced = Known::Never;
                self.stale = None;
            }
            Setter::Stride => self.stale = None,
            Setter::Slice => {
                let pairs = values.chunks_exact(2);
                self.offset = pairs
                    .clone()
                    .zip(&self.offset)
                    .map(|(pair, before)| pair[0].map(signed)?.checked_add((*before)?))
                    .collect();
                self.span = pairs.map(|pair| pair[1].map(signed)).collect();
                self.sliced = Known::Set(());
            }
            Setter::ClampValue | Setter::ViewDimension | Setter::ViewStride | Setter::ViewClip => {}
        }
    }
}

/// An offset or a span: the text has offsets as int32_t; compilers declare the first pair as uint, to which -1 converts.
fn signed(offset: i64) -> i64 {
    if (1 << 31..1 << 32).contains(&offset) { offset - (1 << 32) } else { offset }
}
