//! `alpha * a * b + beta * c`.

use super::{Values, transposed};
use crate::component::Component;
use crate::model::Matmul;
use crate::read::{Fault, Place};
use crate::tensor::{Tensor, shown};

impl Values<'_> {
    pub(super) fn matmul(
        &self,
        matmul: &Matmul,
        component: Option<Component>,
        place: &Place,
    ) -> Result<Tensor, Fault> {
        let operand = |name: &str, key: &str, transpose: bool| {
            let tensor = self.get(name, &place.then(key))?;
            Ok(if transpose { transposed(tensor) } else { tensor.clone() })
        };
        let a = operand(&matmul.a, "a", matmul.transpose_a)?;
        let b = operand(&matmul.b, "b", matmul.transpose_b)?;
        let (m, k, n) = (a.rows(), a.columns(), b.columns());
        if b.rows() != k {
            return Err(place.fail(format!(
                "`{}` is {} and `{}` is {}{}: the columns of the first ({k}) must equal the rows of the second ({})",
                matmul.a,
                shown(&a.shape),
                matmul.b,
                shown(&b.shape),
                if matmul.transpose_a || matmul.transpose_b { ", transposed as requested" } else { "" },
                b.rows()
            )));
        }
        let matrices = a.matrices().max(b.matrices());
        if [&a, &b].iter().any(|operand| !matches!(operand.matrices(), 1) && operand.matrices() != matrices) {
            let message =
                format!("`{}` holds {} matrices, `{}` {}", matmul.a, a.matrices(), matmul.b, b.matrices());
            return Err(place.fail(message));
        }
        self.bounds.take(&[matrices, m, n], matrices as f64 * m as f64 * n as f64 * k as f64, place)?;
        let c = match &matmul.c {
            None => None,
            Some(name) => {
                let c = self.get(name, &place.then("c"))?;
                if c.rows() != m || c.columns() != n || !(c.matrices() == 1 || c.matrices() == matrices) {
                    let message = format!(
                        "`{name}` is {}, the product is {}",
                        shown(&c.shape),
                        shown(&[matrices, m, n])
                    );
                    return Err(place.then("c").fail(message));
                }
                Some(c)
            }
        };
        let integers = component.is_some_and(Component::is_integer)
            && matmul.alpha.is_none()
            && matmul.beta.is_none()
            && a.is_whole()
            && b.is_whole()
            && c.is_none_or(Tensor::is_whole);
        let (alpha, beta) = (matmul.alpha.unwrap_or(1.0), matmul.beta.unwrap_or(1.0));
        let shape = if a.shape.len() > 2 || b.shape.len() > 2 { vec![matrices, m, n] } else { vec![m, n] };
        if integers {
            let element = |tensor: &Tensor, matrix: usize, at: usize| {
                let first =
                    if tensor.matrices() == 1 { 0 } else { matrix * tensor.rows() * tensor.columns() };
                tensor.integer(first + at).unwrap_or(0)
            };
            let sum = |index: usize| {
                if self.bounds.is_stopped() {
                    return 0;
                }
                let (matrix, row, column) = (index / (m * n), index / n % m, index % n);
                let products = (0..k).map(|k_| {
                    element(&a, matrix, row * k + k_).wrapping_mul(element(&b, matrix, k_ * n + column))
                });
                let sum = products.fold(0i128, i128::wrapping_add);
                let sum = sum.wrapping_add(c.map_or(0, |c| element(c, matrix, row * n + column)));
                fit(sum, component, matmul.saturate)
            };
            let tensor = Tensor::of_integers(shape, (0..matrices * m * n).map(sum));
            self.bounds.go_on(place)?;
            return tensor.map_err(|message| place.fail(message));
        }
        let mut data = Vec::with_capacity(matrices * m * n);
        for matrix in 0..matrices {
            let (a, b) = (a.matrix(matrix), b.matrix(matrix));
            let c = c.map(|c| c.matrix(matrix));
            for row in 0..m {
                self.bounds.go_on(place)?;
                let row_of_a = &a[row * k..(row + 1) * k];
                let mut sums = vec![0.0; n];
                for (k, a) in row_of_a.iter().enumerate() {
                    for (sum, b) in sums.iter_mut().zip(&b[k * n..(k + 1) * n]) {
                        *sum += a * b;
                    }
                }
                for (column, sum) in sums.into_iter().enumerate() {
                    data.push(alpha * sum + c.map_or(0.0, |c| beta * c[row * n + column]));
                }
            }
        }
        Tensor::new(shape, data).map_err(|message| place.fail(message))
    }
}

/// An integer as the type holds it.
fn fit(value: i128, component: Option<Component>, saturate: bool) -> i128 {
    let Some(component) = component else { return value };
    match component.integer_range() {
        Some((low, high)) if saturate => value.clamp(low, high),
        _ => component.wrap(value),
    }
}
