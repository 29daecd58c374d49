//! Values in a shape, as 64-bit floats, the last direction fastest.

use crate::formula::Formula;
use crate::sizes::Sizes;

/// Elements of the largest tensor: 2 GiB of floats.
pub const MOST: usize = 1 << 28;

/// Numbers in a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Elements in each direction, the number of columns last; one element where it is empty.
    pub shape: Vec<usize>,
    /// As many as the shape has.
    pub data: Vec<f64>,
    /// What integers of 64 bits have beyond the nearest float in `data`: the sum of both is exact. Empty where no element has any.
    pub rest: Vec<f64>,
}

/// An integer as the nearest float and what is beyond it.
fn split(value: i128) -> (f64, f64) {
    let nearest = value as f64;
    (nearest, (value - nearest as i128) as f64)
}

/// The number of elements, where it is within the limit.
pub fn count(shape: &[usize]) -> Result<usize, String> {
    let product = shape.iter().try_fold(1usize, |product, length| product.checked_mul(*length));
    product
        .filter(|count| *count <= MOST)
        .ok_or_else(|| format!("{} is more than {MOST} elements", shown(shape)))
}

/// `64x32`
pub fn shown(shape: &[usize]) -> String {
    let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
    if lengths.is_empty() { "1".to_owned() } else { lengths.join("x") }
}

impl Tensor {
    /// The error says that there are more or fewer numbers than the shape has, or more than 2^28.
    pub fn new(shape: Vec<usize>, data: Vec<f64>) -> Result<Tensor, String> {
        let count = count(&shape)?;
        if data.len() == count {
            Ok(Tensor { shape, data, rest: Vec::new() })
        } else {
            Err(format!("{} is a shape of {count} elements, but there are {}", shown(&shape), data.len()))
        }
    }

    /// Integers, each exactly.
    pub(crate) fn of_integers(
        shape: Vec<usize>,
        values: impl IntoIterator<Item = i128>,
    ) -> Result<Tensor, String> {
        let (data, rest): (Vec<f64>, Vec<f64>) = values.into_iter().map(split).unzip();
        let mut tensor = Tensor::new(shape, data)?;
        tensor.set_rest(rest);
        Ok(tensor)
    }

    /// What elements have beyond `data`; nothing is kept where none has any.
    pub(crate) fn set_rest(&mut self, rest: Vec<f64>) {
        self.rest = if rest.iter().any(|rest| *rest != 0.0) { rest } else { Vec::new() };
    }

    /// Writes an integer over an element; `rest` has to be as long as `data`.
    pub(crate) fn set_integer(&mut self, index: usize, value: i128) {
        let (nearest, beyond) = split(value);
        if let (Some(data), Some(rest)) = (self.data.get_mut(index), self.rest.get_mut(index)) {
            (*data, *rest) = (nearest, beyond);
        }
    }

    /// An element exactly, where it is a whole number.
    pub fn integer(&self, index: usize) -> Option<i128> {
        let value = *self.data.get(index)?;
        let whole = value.is_finite() && value == libm::trunc(value);
        whole.then(|| (value as i128).saturating_add(self.rest.get(index).copied().unwrap_or(0.0) as i128))
    }

    /// The same number everywhere. The error says that there are more than 2^28.
    pub fn filled(shape: &[usize], value: f64) -> Result<Tensor, String> {
        Ok(Tensor { shape: shape.to_vec(), data: vec![value; count(shape)?], rest: Vec::new() })
    }

    /// The last direction; 1 where there is none.
    pub fn columns(&self) -> usize {
        self.shape.last().copied().unwrap_or(1)
    }

    /// A row where there is but one direction.
    pub fn rows(&self) -> usize {
        if self.shape.len() < 2 { 1 } else { self.shape[self.shape.len() - 2] }
    }

    /// How many matrices lie behind one another.
    pub fn matrices(&self) -> usize {
        let outer = self.shape.len().saturating_sub(2);
        self.shape[..outer].iter().product()
    }

    /// The elements of one matrix; the only one counts for every number.
    pub fn matrix(&self, number: usize) -> &[f64] {
        let length = self.rows() * self.columns();
        let number = if self.matrices() == 1 { 0 } else { number };
        self.data.get(number * length..(number + 1) * length).unwrap_or_default()
    }

    /// The same elements in another shape.
    pub(crate) fn reshaped(self, shape: &[usize]) -> Result<Tensor, String> {
        Ok(Tensor { rest: self.rest, ..Tensor::new(shape.to_vec(), self.data)? })
    }

    /// Whether all elements are whole numbers.
    pub fn is_whole(&self) -> bool {
        self.data.iter().all(|value| value.is_finite() && *value == libm::trunc(*value))
    }

    /// The element for a place of a larger shape: directions of length 1 count everywhere.
    fn broadcast(&self, matrix: usize, row: usize, column: usize) -> f64 {
        let (matrices, rows, columns) = (self.matrices(), self.rows(), self.columns());
        let pick = |index: usize, length: usize| if length == 1 { 0 } else { index };
        let index = (pick(matrix, matrices) * rows + pick(row, rows)) * columns + pick(column, columns);
        self.data.get(index).copied().unwrap_or(f64::NAN)
    }
}

/// The coordinates of an element: matrix, row, column.
pub fn coordinates(shape: &[usize], index: usize) -> (usize, usize, usize) {
    let columns = shape.last().copied().unwrap_or(1).max(1);
    let rows = if shape.len() < 2 { 1 } else { shape[shape.len() - 2].max(1) };
    (index / columns / rows, index / columns % rows, index % columns)
}

/// What a name in a formula over elements stands for.
enum Meaning<'a> {
    Row,
    Column,
    Matrix,
    Index,
    Size(f64),
    Tensor(&'a Tensor),
}

/// A formula over the elements of a shape.
pub struct ElementFormula<'a> {
    formula: Formula,
    meanings: Vec<Meaning<'a>>,
    shape: Vec<usize>,
}

impl<'a> ElementFormula<'a> {
    /// `tensor` knows further names. Without a shape, it is that of all named tensors together.
    pub fn new(
        text: &str,
        sizes: &Sizes,
        shape: Option<&[usize]>,
        tensor: &dyn Fn(&str) -> Option<&'a Tensor>,
    ) -> Result<ElementFormula<'a>, String> {
        let formula = Formula::parse(text).map_err(|error| format!("`{text}`: {error}"))?;
        let mut meanings = Vec::new();
        for name in formula.names() {
            meanings.push(match (name.as_str(), sizes.get(name), tensor(name)) {
                ("row", ..) => Meaning::Row,
                ("column", ..) => Meaning::Column,
                ("matrix", ..) => Meaning::Matrix,
                ("index", ..) => Meaning::Index,
                (_, _, Some(tensor)) => Meaning::Tensor(tensor),
                (_, Some(size), None) => Meaning::Size(size),
                (_, None, None) => {
                    return Err(format!(
                        "`{text}`: unknown name `{name}`: expected row, column, matrix, index, a size{}",
                        if tensor("").is_some() {
                            ""
                        } else {
                            ", or, where values are compared, a buffer or reference"
                        }
                    ));
                }
            });
        }
        let tensors = || {
            meanings.iter().filter_map(|meaning| match meaning {
                Meaning::Tensor(tensor) => Some(*tensor),
                _ => None,
            })
        };
        let shape = match shape {
            Some(shape) => shape.to_vec(),
            None => {
                let rank = tensors().map(|tensor| tensor.shape.len()).max();
                let Some(rank) = rank else {
                    return Err(format!("`{text}` does not name a value that would determine its shape"));
                };
                let mut shape = vec![1; rank];
                for tensor in tensors() {
                    let first = rank - tensor.shape.len();
                    for (length, other) in shape[first..].iter_mut().zip(&tensor.shape) {
                        *length = (*length).max(*other);
                    }
                }
                shape
            }
        };
        let whole = Tensor { shape, data: Vec::new(), rest: Vec::new() };
        for (name, meaning) in formula.names().iter().zip(&meanings) {
            if let Meaning::Tensor(tensor) = meaning {
                let fits = |length: usize, wanted: usize| length == 1 || length == wanted;
                let matches = fits(tensor.columns(), whole.columns())
                    && fits(tensor.rows(), whole.rows())
                    && fits(tensor.matrices(), whole.matrices());
                if !matches {
                    let (found, wanted) = (shown(&tensor.shape), shown(&whole.shape));
                    return Err(format!(
                        "`{text}`: `{name}` is {found}, but {wanted} is needed: each direction must be the same or 1"
                    ));
                }
            }
        }
        Ok(ElementFormula { formula, meanings, shape: whole.shape })
    }

    pub fn at(&self, index: usize) -> f64 {
        let (matrix, row, column) = coordinates(&self.shape, index);
        self.formula.evaluate(&|name| match self.meanings.get(name) {
            Some(Meaning::Row) => row as f64,
            Some(Meaning::Column) => column as f64,
            Some(Meaning::Matrix) => matrix as f64,
            Some(Meaning::Index) => index as f64,
            Some(Meaning::Size(size)) => *size,
            Some(Meaning::Tensor(tensor)) => tensor.broadcast(matrix, row, column),
            None => f64::NAN,
        })
    }

    pub fn all(&self) -> Result<Tensor, String> {
        let data = (0..count(&self.shape)?).map(|index| self.at(index)).collect();
        Ok(Tensor { shape: self.shape.clone(), data, rest: Vec::new() })
    }
}
