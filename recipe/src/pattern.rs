//! What wrong results have in common: where they are, and what they are instead.
//!
//! A sentence is told only where it is true of every wrong element that was looked at ([`MOST`] of them, spread evenly).

mod products;

use std::collections::BTreeSet;

use crate::model::{Compute, Tolerance};
use crate::tensor::Tensor;

pub use products::Operands;

/// The most wrong elements that are looked at.
const MOST: usize = 4096;
/// Fewer wrong elements have no pattern worth a sentence.
const LEAST: usize = 2;
/// Sides of the tiles that kernels compute, the largest first.
const TILES: [usize; 5] = [128, 64, 32, 16, 8];

/// An expectation that is not met.
pub struct Unmet<'u> {
    pub expected: &'u Tensor,
    pub found: &'u Tensor,
    /// What the buffer held before the run, where it held numbers.
    pub before: Option<&'u Tensor>,
    /// The elements that are wrong, in ascending order.
    pub wrong: &'u [usize],
    /// How many were compared.
    pub compared: usize,
    pub tolerance: &'u Tolerance,
}

/// Sentences without a full stop: where the wrong elements are, and what they hold.
pub fn of(unmet: &Unmet<'_>, equals: &Compute, operands: &Operands<'_>) -> Vec<String> {
    if unmet.wrong.len() < LEAST {
        return Vec::new();
    }
    let looked_at = spread(unmet.wrong);
    let mut sentences = Vec::new();
    sentences.extend(places(unmet));
    sentences.extend(values(unmet, &looked_at));
    if let Compute::Matmul(matmul) = equals {
        sentences.extend(products::other(unmet, &looked_at, matmul, operands));
    }
    sentences
}

/// At most [`MOST`] of them, from the first to the last.
fn spread(wrong: &[usize]) -> Vec<usize> {
    let step = wrong.len().div_ceil(MOST).max(1);
    wrong.iter().copied().step_by(step).collect()
}

/// Where: rows, columns, tiles.
fn places(unmet: &Unmet<'_>) -> Option<String> {
    let (wrong, shape) = (unmet.wrong, &unmet.found.shape);
    if wrong.len() == unmet.compared {
        return Some("every element is wrong".to_owned());
    }
    if unmet.compared != unmet.found.data.len() {
        return None;
    }
    let (rows, columns) = (unmet.found.rows(), unmet.found.columns());
    if shape.len() < 2 {
        let elements: Vec<usize> = wrong.to_vec();
        return list(&elements, columns).map(|list| format!("elements {list} are wrong"));
    }
    let area = rows * columns;
    let matrices: BTreeSet<usize> = wrong.iter().map(|index| index / area).collect();
    let wrong_rows: BTreeSet<usize> = wrong.iter().map(|index| index % area / columns).collect();
    let wrong_columns: BTreeSet<usize> = wrong.iter().map(|index| index % columns).collect();
    let of_matrices = match unmet.found.matrices() {
        1 => String::new(),
        all if matrices.len() == all => " of every matrix".to_owned(),
        all => {
            let matrices: Vec<usize> = matrices.iter().copied().collect();
            format!(" of the matrices {}", list(&matrices, all)?)
        }
    };
    if wrong.len() == matrices.len() * wrong_rows.len() * wrong_columns.len() {
        let name = |set: &BTreeSet<usize>, all: usize, one: &str, many: &str| {
            let members: Vec<usize> = set.iter().copied().collect();
            match (members.as_slice(), set.len() == all) {
                (_, true) => Some(String::new()),
                ([only], _) => Some(format!("{one} {only}")),
                (members, _) => list(members, all).map(|list| format!("{many} {list}")),
            }
        };
        let rows = name(&wrong_rows, rows, "row", "rows")?;
        let columns = name(&wrong_columns, columns, "column", "columns")?;
        let both = if rows.is_empty() || columns.is_empty() { "" } else { " in " };
        let what = match rows.is_empty() && columns.is_empty() {
            true => "all elements".to_owned(),
            false => format!("{columns}{both}{rows}"),
        };
        let first = if columns.is_empty() { &wrong_rows } else { &wrong_columns };
        let verb = if what == "all elements" || first.len() > 1 { "are" } else { "is" };
        return Some(format!("{what}{of_matrices} {verb} wrong"));
    }
    // The smallest tiles that are no more than those of the next larger side.
    let mut fewest: Option<(usize, BTreeSet<(usize, usize)>)> = None;
    for side in TILES.into_iter().filter(|side| *side <= rows.max(columns) / 2) {
        let tiles: BTreeSet<(usize, usize)> =
            wrong.iter().map(|index| (index % area / columns / side, index % columns / side)).collect();
        let few = tiles.len() <= 4 && tiles.len() * 4 <= rows.div_ceil(side) * columns.div_ceil(side);
        if few && fewest.as_ref().is_none_or(|(_, before)| tiles.len() <= before.len()) {
            fewest = Some((side, tiles));
        }
    }
    let (side, tiles) = fewest?;
    let names: Vec<String> = tiles.iter().map(|(row, column)| format!("({row}, {column})")).collect();
    let word = if names.len() == 1 { "tile" } else { "tiles" };
    Some(format!("the wrong elements are in the {word} {} of {side}x{side}{of_matrices}", names.join(", ")))
}

/// Ascending numbers below `all` in words, where that is short: a run, every n-th, or a few.
fn list(numbers: &[usize], all: usize) -> Option<String> {
    let (&first, &last) = (numbers.first()?, numbers.last()?);
    let step = numbers.get(1).map_or(1, |second| second - first);
    let regular = numbers.windows(2).all(|pair| pair[1] - pair[0] == step);
    if regular && step == 1 && numbers.len() > 2 {
        return Some(format!("{first} to {last}"));
    }
    if regular && numbers.len() > 3 {
        let to = if last + step < all { format!(" to {last}") } else { String::new() };
        return Some(format!("{first}, {}, ... (every {step}{to})", first + step));
    }
    if numbers.len() > 6 {
        return None;
    }
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    Some(numbers.join(", "))
}

/// What: as before the run, zeros, NaN, or a multiple.
fn values(unmet: &Unmet<'_>, wrong: &[usize]) -> Option<String> {
    let found = |index: usize| unmet.found.data.get(index).copied().unwrap_or(0.0);
    let expected = |index: usize| unmet.expected.data.get(index).copied().unwrap_or(0.0);
    let all = |holds: &dyn Fn(usize) -> bool| wrong.iter().all(|&index| holds(index));
    let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
    if let Some(before) = unmet.before
        && all(&|index| before.data.get(index).is_some_and(|value| same(*value, found(index))))
    {
        return Some(
            "the wrong elements hold what they held before the run: nothing was written there, or the same"
                .to_owned(),
        );
    }
    if all(&|index| found(index) == 0.0) {
        return Some("the wrong elements are 0".to_owned());
    }
    if all(&|index| found(index).is_nan()) {
        return Some("the wrong elements are NaN".to_owned());
    }
    if all(&|index| found(index).is_infinite()) {
        return Some("the wrong elements are infinite".to_owned());
    }
    let transposed = |index: usize| {
        let (rows, columns) = (unmet.found.rows(), unmet.found.columns());
        let area = rows * columns;
        let (matrix, row, column) = (index / area, index % area / columns, index % columns);
        matrix * area + column * columns + row
    };
    if unmet.found.shape.len() > 1
        && unmet.found.rows() == unmet.found.columns()
        && all(&|index| close(found(index), expected(transposed(index)), unmet.tolerance))
    {
        return Some("the wrong elements are what was expected of the transposed result".to_owned());
    }
    let ratio = |index: usize| found(index) / expected(index);
    let factor = wrong.first().map(|&index| ratio(index)).filter(|factor| factor.is_finite())?;
    let nice = [-1.0, 2.0, 3.0, 4.0, 8.0, 16.0, 32.0, 0.5, 0.25, 0.125];
    let nearest = nice.into_iter().find(|nice| (factor / nice - 1.0).abs() < 1e-2)?;
    all(&|index| close(found(index), nearest * expected(index), unmet.tolerance)).then(|| match nearest {
        -1.0 => "the wrong elements have the other sign".to_owned(),
        nearest => format!("the wrong elements are {nearest} times what was expected"),
    })
}

/// Whether a number is what was expected, by the tolerance of the recipe; a little more, as the other way was not measured.
fn close(found: f64, wanted: f64, tolerance: &Tolerance) -> bool {
    let difference = (found - wanted).abs();
    let relative = tolerance.relative.unwrap_or(0.0).max(1e-6) * 2.0;
    found == wanted || difference <= tolerance.absolute.unwrap_or(0.0) * 2.0 + relative * wanted.abs()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::model::Matmul;

    const SIZE: usize = 32;

    fn operands() -> (Tensor, Tensor, Tensor) {
        let numbers = |seed: usize| {
            let value = |index: usize| ((index * 7919 + seed) % 23) as f64 - 11.0;
            Tensor::new(vec![SIZE, SIZE], (0..SIZE * SIZE).map(value).collect()).unwrap()
        };
        (numbers(1), numbers(5), numbers(9))
    }

    /// `a * b + c` of element `index`, summed over `range`, with each operand read by a function of row and column.
    fn product(
        a: &dyn Fn(usize, usize) -> f64,
        b: &dyn Fn(usize, usize) -> f64,
        c: &dyn Fn(usize) -> f64,
        range: std::ops::Range<usize>,
    ) -> Tensor {
        let element = |index: usize| {
            range.clone().map(|k| a(index / SIZE, k) * b(k, index % SIZE)).sum::<f64>() + c(index)
        };
        Tensor::new(vec![SIZE, SIZE], (0..SIZE * SIZE).map(element).collect()).unwrap()
    }

    fn told(change: &dyn Fn(&Tensor, &Tensor, &Tensor, &mut Tensor)) -> String {
        let (a, b, c) = operands();
        let at = |tensor: &Tensor, row: usize, column: usize| tensor.data[row * SIZE + column];
        let expected = product(&|r, k| at(&a, r, k), &|k, n| at(&b, k, n), &|i| c.data[i], 0..SIZE);
        let mut found = expected.clone();
        change(&a, &b, &c, &mut found);
        let indices = 0..SIZE * SIZE;
        let wrong: Vec<usize> = indices.filter(|&index| expected.data[index] != found.data[index]).collect();
        let before = Tensor::filled(&[SIZE, SIZE], 0.5).unwrap();
        let tolerance = Tolerance::default();
        let unmet = Unmet {
            expected: &expected,
            found: &found,
            before: Some(&before),
            wrong: &wrong,
            compared: SIZE * SIZE,
            tolerance: &tolerance,
        };
        let matmul: Matmul = toml::from_str("a = \"a\"\nb = \"b\"\nc = \"c\"").unwrap();
        let named = |name: &str| match name {
            "a" => Some(a.clone()),
            "b" => Some(b.clone()),
            "c" => Some(c.clone()),
            _ => None,
        };
        of(&unmet, &Compute::Matmul(matmul), &named).join("; ")
    }

    #[test]
    fn places_are_rows_columns_and_tiles() {
        let write = |holds: &'static dyn Fn(usize, usize) -> bool| {
            told(&|_, _, _, found| {
                for index in 0..SIZE * SIZE {
                    if holds(index / SIZE, index % SIZE) {
                        found.data[index] = 1000.0 + (index * index % 97) as f64;
                    }
                }
            })
        };
        let told = [
            write(&|_, _| true),
            write(&|row, _| row == 31),
            write(&|row, _| row >= 16),
            write(&|row, column| row >= 16 && column % 4 == 1),
            write(&|row, column| row < 8 && (8..16).contains(&column) && (row + column) % 3 != 0),
            write(&|row, column| (row * 5 + column * 3) % 7 == 0),
        ];
        expect![[r#"
            every element is wrong
            row 31 is wrong
            rows 16 to 31 are wrong
            columns 1, 5, ... (every 4) in rows 16 to 31 are wrong
            the wrong elements are in the tile (0, 1) of 8x8

        "#]]
        .assert_eq(&(told.join("\n") + "\n"));
    }

    #[test]
    fn values_are_told_where_they_say_something() {
        let fill = |value: f64| told(&|_, _, _, found| found.data[..64].fill(value));
        let scaled =
            |factor: f64| told(&|_, _, _, found| found.data.iter_mut().for_each(|value| *value *= factor));
        let told = [
            fill(0.5),
            fill(0.0),
            fill(f64::NAN),
            fill(f64::INFINITY),
            scaled(2.0),
            scaled(-1.0),
            scaled(1.37),
        ];
        expect![[r#"
            rows 0, 1 are wrong; the wrong elements hold what they held before the run: nothing was written there, or the same
            rows 0, 1 are wrong; the wrong elements are 0
            rows 0, 1 are wrong; the wrong elements are NaN
            rows 0, 1 are wrong; the wrong elements are infinite
            every element is wrong; the wrong elements are 2 times what was expected
            every element is wrong; the wrong elements have the other sign
            every element is wrong
        "#]].assert_eq(&(told.join("\n") + "\n"));
    }

    #[test]
    fn products_that_were_meant_otherwise_are_recognised() {
        let at = |tensor: &Tensor, row: usize, column: usize| tensor.data[row * SIZE + column];
        let told = [
            told(&|a, b, c, found| {
                *found = product(&|r, k| at(a, r, k), &|k, n| at(b, n, k), &|i| c.data[i], 0..SIZE);
            }),
            told(&|a, b, c, found| {
                *found = product(&|r, k| at(a, k, r), &|k, n| at(b, k, n), &|i| c.data[i], 0..SIZE);
            }),
            told(&|a, b, c, found| {
                *found = product(&|r, k| at(b, r, k), &|k, n| at(a, k, n), &|i| c.data[i], 0..SIZE);
            }),
            told(&|a, b, c, found| {
                *found = product(&|r, k| at(a, r, k), &|k, n| at(b, k, n), &|i| c.data[i], 0..SIZE - 1);
            }),
            told(&|a, b, c, found| {
                *found = product(&|r, k| at(a, r, k), &|k, n| at(b, k, n), &|i| c.data[i], 0..16);
            }),
            told(&|a, b, c, found| {
                *found = product(&|r, k| at(a, r, k), &|k, n| at(b, k, n), &|i| c.data[i], 1..SIZE);
            }),
            told(&|a, b, _, found| {
                *found = product(&|r, k| at(a, r, k), &|k, n| at(b, k, n), &|_| 0.0, 0..SIZE);
            }),
        ];
        expect![[r#"
            every element is wrong; the wrong elements equal a * transpose(b)
            every element is wrong; the wrong elements equal transpose(a) * b
            the wrong elements equal b * a
            the sum over K ends 1 early: at 31 of 32
            every element is wrong; the sum over K ends 16 early: at 16 of 32
            the sum over K leaves out the first 1 of 32
            `c` was not added
        "#]]
        .assert_eq(&(told.join("\n") + "\n"));
    }
}
