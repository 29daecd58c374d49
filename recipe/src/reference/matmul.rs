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
            if let Some(small) = small(&a, &b, c, k) {
                let integers = small_integers(&small, [matrices, m, n, k], &mut || self.bounds.go_on(place))?;
                let fitted = integers.into_iter().map(|sum| fit(i128::from(sum), component, matmul.saturate));
                return Tensor::of_integers(shape, fitted).map_err(|message| place.fail(message));
            }
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

/// Operands whose sums of products 64-bit integers hold.
struct Small {
    a: Vec<i64>,
    b: Vec<i64>,
    c: Option<Vec<i64>>,
}

/// The operands as 64-bit integers, where no sum can leave them.
fn small(a: &Tensor, b: &Tensor, c: Option<&Tensor>, depth: usize) -> Option<Small> {
    // Beyond 2^31 floats would have to be looked at for what they do not hold.
    let integers = |tensor: &Tensor| -> Option<Vec<i64>> {
        tensor.data.iter().map(|value| (value.abs() <= 2147483648.0).then_some(*value as i64)).collect()
    };
    let (a, b) = (integers(a)?, integers(b)?);
    let c = match c {
        Some(c) => Some(integers(c)?),
        None => None,
    };
    let largest = |values: &[i64]| values.iter().map(|value| i128::from(value.abs())).max().unwrap_or(0);
    let most = largest(&a) * largest(&b) * depth as i128 + c.as_deref().map_or(0, largest);
    (most <= i128::from(i64::MAX)).then_some(Small { a, b, c })
}

/// The sums, row by row, as those of floats.
fn small_integers(
    small: &Small,
    [matrices, m, n, k]: [usize; 4],
    go_on: &mut dyn FnMut() -> Result<(), Fault>,
) -> Result<Vec<i64>, Fault> {
    // One matrix serves all.
    let of = |values: &'_ [i64], matrix: usize, size: usize| {
        let first = if values.len() == size { 0 } else { matrix * size };
        first..first + size
    };
    let mut data = Vec::with_capacity(matrices * m * n);
    for matrix in 0..matrices {
        let a = small.a.get(of(&small.a, matrix, m * k)).unwrap_or_default();
        let b = small.b.get(of(&small.b, matrix, k * n)).unwrap_or_default();
        let c = small.c.as_deref().and_then(|c| c.get(of(c, matrix, m * n)));
        for row in 0..m {
            go_on()?;
            let mut sums = match c {
                Some(c) => c[row * n..(row + 1) * n].to_vec(),
                None => vec![0; n],
            };
            for (a, b) in a[row * k..(row + 1) * k].iter().zip(b.chunks_exact(n.max(1))) {
                for (sum, b) in sums.iter_mut().zip(b) {
                    *sum += a * b;
                }
            }
            data.extend(sums);
        }
    }
    Ok(data)
}

/// An integer as the type holds it.
fn fit(value: i128, component: Option<Component>, saturate: bool) -> i128 {
    let Some(component) = component else { return value };
    match component.integer_range() {
        Some((low, high)) if saturate => value.clamp(low, high),
        _ => component.wrap(value),
    }
}
