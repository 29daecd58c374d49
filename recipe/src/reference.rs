//! What buffers shall hold after a run, computed in 64-bit floats from what they held before it.
//!
//! Nothing here looks at the simulator or at its numbers: these are the plain definitions of the operations, in loops.

mod attention;
mod convolution;
mod matmul;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Files;
use crate::component::Component;
use crate::fill::{tensor_of_file, tensor_of_literals};
use crate::memory::Memory;
use crate::model::{Compute, Gather, Reduce, ReduceBy, ReduceOver, Reinterpret};
use crate::read::{Fault, Place};
use crate::sizes::Sizes;
use crate::tensor::{ElementFormula, Tensor, coordinates, count, shown};

/// The most multiplications of one reference: some seconds.
const MOST_WORK: f64 = 3e10;
/// Of all references and expectations of a recipe.
const MOST_WORK_TOGETHER: f64 = 1e11;

/// What references may use.
pub struct Values<'a> {
    pub named: BTreeMap<String, (Tensor, Option<Component>)>,
    pub sizes: &'a Sizes,
    pub files: &'a dyn Files,
    pub bounds: Bounds<'a>,
}

/// What references may take, and what they have taken.
#[derive(Default)]
pub struct Bounds<'a> {
    /// Bytes of numbers to come.
    pub memory: Option<Memory>,
    /// Set by whoever wants the answer no more.
    pub stop: Option<&'a AtomicBool>,
    /// Multiplications so far.
    pub work: Cell<f64>,
}

impl Bounds<'_> {
    /// Room for the numbers of a result, and time for its multiplications; asked before either is taken.
    pub fn take(&self, shape: &[usize], work: f64, place: &Place) -> Result<(), Fault> {
        let elements = count(shape).map_err(|message| place.fail(message))?;
        let bytes = elements.saturating_mul(size_of::<f64>());
        if let Some(memory) = self.memory.filter(|memory| bytes > memory.left) {
            let message = format!("{} numbers take {bytes} bytes, and {}", shown(shape), memory.is_left());
            return Err(place.fail(message));
        }
        if work > MOST_WORK {
            return Err(place.fail("this is too large for a reference: use smaller sizes"));
        }
        let together = self.work.get() + work.max(elements as f64);
        if together > MOST_WORK_TOGETHER {
            let message =
                "the references and expectations are too large together: use smaller sizes, or fewer of them";
            return Err(place.fail(message));
        }
        self.work.set(together);
        self.go_on(place)
    }

    /// Numbers that are kept take from what is left.
    pub fn keep(&mut self, tensor: &Tensor, place: &Place) -> Result<(), Fault> {
        let bytes = (tensor.data.len() + tensor.rest.len()).saturating_mul(size_of::<f64>());
        let Some(memory) = &mut self.memory else { return Ok(()) };
        if bytes > memory.left {
            let message =
                format!("{} numbers take {bytes} bytes, and {}", shown(&tensor.shape), memory.is_left());
            return Err(place.fail(message));
        }
        memory.left -= bytes;
        Ok(())
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    pub fn go_on(&self, place: &Place) -> Result<(), Fault> {
        if self.is_stopped() { Err(place.fail("the run was stopped")) } else { Ok(()) }
    }
}

impl Values<'_> {
    fn get(&self, name: &str, place: &Place) -> Result<&Tensor, Fault> {
        self.entry(name, place).map(|(tensor, _)| tensor)
    }

    fn entry(&self, name: &str, place: &Place) -> Result<&(Tensor, Option<Component>), Fault> {
        self.named.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.named.keys().map(String::as_str).collect();
            place.fail(format!(
                "there is no buffer `{name}`, nor a reference before this one; expected one of {}",
                known.join(", ")
            ))
        })
    }

    /// `shape` and `component` are those of the buffer that shall hold it.
    pub fn compute(
        &self,
        what: &Compute,
        shape: Option<&[usize]>,
        component: Option<Component>,
        place: &Place,
    ) -> Result<Tensor, Fault> {
        match what {
            Compute::Matmul(matmul) => self.matmul(matmul, component, &place.then("matmul")),
            Compute::Conv2d(conv2d) => self.conv2d(conv2d, &place.then("conv2d")),
            Compute::Im2col(im2col) => self.im2col(im2col, &place.then("im2col")),
            Compute::Attention(attention) => self.attention(attention, &place.then("attention")),
            Compute::Softmax(softmax) => {
                let place = place.then("softmax");
                let input = self.get(&softmax.input, &place.then("input"))?;
                self.bounds.take(&input.shape, 0.0, &place)?;
                let mut tensor = input.clone();
                let scale = softmax.scale.unwrap_or(1.0);
                tensor.rest.clear();
                tensor.data.iter_mut().for_each(|value| *value *= scale);
                let columns = tensor.columns().max(1);
                tensor.data.chunks_mut(columns).for_each(attention::softmax);
                Ok(tensor)
            }
            Compute::Reduce(reduce) => self.reduce(reduce, &place.then("reduce")),
            Compute::Formula(text) => {
                let place = place.then("formula");
                // The empty name tells the formula's messages that there are values at all.
                let nothing = Tensor { shape: Vec::new(), data: Vec::new(), rest: Vec::new() };
                let tensor = |name: &str| {
                    if name.is_empty() {
                        Some(&nothing)
                    } else {
                        self.named.get(name).map(|(tensor, _)| tensor)
                    }
                };
                let formula = ElementFormula::new(text, self.sizes, shape, &tensor);
                if let Some(shape) = shape {
                    self.bounds.take(shape, 0.0, &place)?;
                }
                formula.and_then(|formula| formula.all()).map_err(|message| place.fail(message))
            }
            Compute::Gather(gather) => self.gather(gather, shape, &place.then("gather")),
            Compute::Transpose(name) => {
                let tensor = self.get(name, &place.then("transpose"))?;
                Ok(transposed(tensor))
            }
            Compute::Reinterpret(reinterpret) => self.reinterpret(reinterpret, &place.then("reinterpret")),
            Compute::Value(name) => self.get(name, &place.then("value")).cloned(),
            Compute::Values(literals) => tensor_of_literals(literals, self.sizes, &place.then("values")),
            Compute::File(path) => tensor_of_file(path, self.files, &place.then("file")),
        }
    }

    fn reduce(&self, reduce: &Reduce, place: &Place) -> Result<Tensor, Fault> {
        let input = self.get(&reduce.input, &place.then("input"))?;
        let (matrices, rows, columns) = (input.matrices(), input.rows(), input.columns());
        let (tall, wide) = match reduce.over {
            ReduceOver::Row => (1, columns),
            ReduceOver::Column => (rows, 1),
            ReduceOver::All => (rows, columns),
            ReduceOver::Square => (2, 2),
        };
        if tall == 0 || wide == 0 || rows % tall != 0 || columns % wide != 0 {
            return Err(place.fail(format!("{} cannot be split into {tall}x{wide}", shown(&input.shape))));
        }
        self.bounds.take(&input.shape, 0.0, place)?;
        let (result_rows, result_columns) = (rows / tall, columns / wide);
        let mut data = Vec::with_capacity(matrices * result_rows * result_columns);
        for matrix in 0..matrices {
            let elements = input.matrix(matrix);
            for (row, column) in
                (0..result_rows).flat_map(|row| (0..result_columns).map(move |column| (row, column)))
            {
                let group = (0..tall)
                    .flat_map(|r| (0..wide).map(move |c| (row * tall + r) * columns + column * wide + c));
                let group = group.map(|index| elements[index]);
                data.push(match reduce.by {
                    ReduceBy::Sum => group.sum(),
                    ReduceBy::Product => group.product(),
                    ReduceBy::Maximum => group.fold(f64::NEG_INFINITY, libm::fmax),
                    ReduceBy::Minimum => group.fold(f64::INFINITY, libm::fmin),
                    ReduceBy::Mean => group.sum::<f64>() / (tall * wide) as f64,
                });
            }
        }
        let outer = &input.shape[..input.shape.len().saturating_sub(2)];
        let shape = outer.iter().copied().chain([result_rows, result_columns]).collect();
        Tensor::new(shape, data).map_err(|message| place.fail(message))
    }

    fn gather(&self, gather: &Gather, shape: Option<&[usize]>, place: &Place) -> Result<Tensor, Fault> {
        let input = self.get(&gather.input, &place.then("input"))?;
        let written = self.sizes.wholes(&gather.shape, &place.then("shape"))?;
        let shape = match (written.is_empty(), shape) {
            (false, _) => written.as_slice(),
            (true, Some(shape)) => shape,
            (true, None) => return Err(place.fail("add the `shape` of what is gathered")),
        };
        if gather.at.len() != input.shape.len() {
            return Err(place.then("at").fail(format!(
                "`{}` is {}: expected {} formulas, found {}",
                gather.input,
                shown(&input.shape),
                input.shape.len(),
                gather.at.len()
            )));
        }
        let mut formulas = Vec::new();
        for (direction, text) in gather.at.iter().enumerate() {
            let formula = ElementFormula::new(text, self.sizes, Some(shape), &|_| None);
            formulas.push(formula.map_err(|message| place.then("at").then(direction).fail(message))?);
        }
        self.bounds.take(shape, 0.0, place)?;
        let mut data = Vec::with_capacity(count(shape).map_err(|message| place.fail(message))?);
        for index in 0..shape.iter().product() {
            let mut source = Some(0);
            for (formula, length) in formulas.iter().zip(&input.shape) {
                let at = formula.at(index);
                let inside = at >= 0.0 && at < *length as f64 && at == libm::trunc(at);
                source = source.filter(|_| inside).map(|source: usize| source * length + at as usize);
            }
            data.push(match (source, gather.outside) {
                (Some(source), _) => input.data[source],
                (None, Some(outside)) => outside,
                (None, None) => {
                    let (matrix, row, column) = coordinates(shape, index);
                    let at: Vec<String> = formulas.iter().map(|formula| formula.at(index).to_string()).collect();
                    return Err(place.fail(format!(
                        "element {row}, {column} (matrix {matrix}) comes from [{}], which is outside {}: set the value to use there, such as `outside = 0.0`",
                        at.join(", "),
                        shown(&input.shape)
                    )));
                }
            });
        }
        Tensor::new(shape.to_vec(), data).map_err(|message| place.fail(message))
    }

    fn reinterpret(&self, reinterpret: &Reinterpret, place: &Place) -> Result<Tensor, Fault> {
        let (input, own) = self.entry(&reinterpret.input, &place.then("input"))?;
        let Some(from) = reinterpret.from.or(*own) else {
            return Err(place.fail(format!("`{}` has no type: add `from = \"u32\"`", reinterpret.input)));
        };
        let row = input.columns() * from.size();
        if row % reinterpret.to.size() != 0 {
            return Err(place.fail(format!(
                "rows of {row} bytes are not a multiple of the size of {}",
                reinterpret.to.name()
            )));
        }
        self.bounds.take(&input.shape, 0.0, place)?;
        let mut bytes = vec![0; input.data.len() * from.size()];
        for (index, value) in input.data.iter().enumerate() {
            match input.integer(index).filter(|_| from.is_wide_integer()) {
                Some(integer) => from.write_integer(&mut bytes, index * from.size(), integer),
                None => from.write(&mut bytes, index * from.size(), *value),
            }
        }
        let to = reinterpret.to;
        let mut shape = input.shape.clone();
        if let Some(columns) = shape.last_mut() {
            *columns = row / to.size();
        }
        let count = bytes.len() / to.size();
        let tensor = match to.is_wide_integer() {
            true => {
                let value = |index: usize| to.read_integer(&bytes, index * to.size()).unwrap_or(0);
                Tensor::of_integers(shape, (0..count).map(value))
            }
            false => {
                let value = |index: usize| to.read(&bytes, index * to.size()).unwrap_or(f64::NAN);
                Tensor::new(shape, (0..count).map(value).collect())
            }
        };
        tensor.map_err(|message| place.fail(message))
    }
}

fn transposed(tensor: &Tensor) -> Tensor {
    let (rows, columns) = (tensor.rows(), tensor.columns());
    let turned = |elements: &[f64]| -> Vec<f64> {
        let matrices = elements.chunks((rows * columns).max(1));
        let columns = matrices.flat_map(|matrix| (0..columns).map(move |column| (matrix, column)));
        let count = tensor.columns();
        columns.flat_map(|(matrix, column)| (0..rows).map(move |row| matrix[row * count + column])).collect()
    };
    let outer = &tensor.shape[..tensor.shape.len().saturating_sub(2)];
    Tensor {
        shape: outer.iter().copied().chain([columns, rows]).collect(),
        data: turned(&tensor.data),
        rest: turned(&tensor.rest),
    }
}
