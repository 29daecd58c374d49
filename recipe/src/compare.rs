//! How far what was found is from what was expected.

use crate::component::Component;
use crate::model::Tolerance;
use crate::report::{Outcome, Worst};
use crate::tensor::{ElementFormula, Tensor};

/// Compares element by element. Without a component type, numbers are as exact as 64-bit floats.
pub fn compare(
    expected: &Tensor,
    found: &Tensor,
    component: Option<Component>,
    tolerance: &Tolerance,
    only: Option<&ElementFormula<'_>>,
) -> Outcome {
    compare_each(expected, found, component, tolerance, only, &mut |_| {})
}

/// The same; `wrong` is told every element that is wrong, in ascending order.
pub(crate) fn compare_each(
    expected: &Tensor,
    found: &Tensor,
    component: Option<Component>,
    tolerance: &Tolerance,
    only: Option<&ElementFormula<'_>>,
    wrong: &mut dyn FnMut(usize),
) -> Outcome {
    let component = component.unwrap_or(Component::F64);
    let actual = found;
    let exact = tolerance.is_none();
    let mut outcome = Outcome::default();
    let mut worst: Option<((bool, f64), usize)> = None;
    for (index, (wanted, found)) in expected.data.iter().zip(&found.data).enumerate() {
        if only.is_some_and(|only| only.at(index) == 0.0) {
            continue;
        }
        outcome.elements += 1;
        if component.is_wide_integer()
            && let (Some(a), Some(b)) = (expected.integer(index), actual.integer(index))
        {
            // Floats hold neither; without a tolerance the expected integer is the one that the type holds.
            let a = if exact { component.wrap(a) } else { a };
            // A formula may expect a number far beyond the type's.
            let difference = b.saturating_sub(a).unsigned_abs() as f64;
            let allowed =
                tolerance.absolute.unwrap_or(0.0) + tolerance.relative.unwrap_or(0.0) * (a as f64).abs();
            let met = difference <= allowed || tolerance.ulp.is_some_and(|most| difference <= most);
            if !met {
                outcome.wrong += 1;
                wrong(index);
            }
            outcome.max_absolute = outcome.max_absolute.max(difference);
            if a != 0 {
                outcome.max_relative = outcome.max_relative.max(difference / (a as f64).abs());
            }
            outcome.max_ulp = outcome.max_ulp.max(difference);
            let weight = (!met, difference);
            if difference > 0.0 && worst.is_none_or(|(before, _)| weight > before) {
                worst = Some((weight, index));
            }
            continue;
        }
        let wanted = if exact { component.round(*wanted) } else { *wanted };
        let same = wanted == *found || (wanted.is_nan() && found.is_nan());
        let difference = if same { 0.0 } else { (found - wanted).abs() };
        // Infinities of two signs, or a NaN on one side.
        let difference = if difference.is_nan() { f64::INFINITY } else { difference };
        let ulps = if same { 0.0 } else { component.ulps(wanted, *found) };
        let relative = if same {
            0.0
        } else if wanted == 0.0 || !difference.is_finite() {
            f64::INFINITY
        } else {
            difference / wanted.abs()
        };
        let allowed = tolerance.absolute.unwrap_or(0.0) + tolerance.relative.unwrap_or(0.0) * wanted.abs();
        let met = same
            || (difference.is_finite() && difference <= allowed)
            || tolerance.ulp.is_some_and(|most| ulps <= most);
        if !met {
            outcome.wrong += 1;
            wrong(index);
        }
        outcome.max_absolute = outcome.max_absolute.max(difference);
        // Relative to nothing is no measure; such elements are judged by the others.
        if relative.is_finite() || difference.is_infinite() {
            outcome.max_relative = outcome.max_relative.max(relative);
        }
        outcome.max_ulp = outcome.max_ulp.max(ulps);
        // Elements that are wrong come before others, and then the larger difference.
        let weight = (!met, difference);
        if difference > 0.0 && worst.is_none_or(|(before, _)| weight > before) {
            worst = Some((weight, index));
        }
    }
    outcome.met = outcome.wrong == 0;
    outcome.worst = worst.map(|(_, index)| Worst {
        index: place(&found.shape, index),
        expected: if exact { component.round(expected.data[index]) } else { expected.data[index] },
        found: found.data[index],
        exact: match (expected.integer(index), found.integer(index)) {
            (Some(expected), Some(found)) if component.is_wide_integer() => {
                let expected = if exact { component.wrap(expected) } else { expected };
                Some([expected.to_string(), found.to_string()])
            }
            _ => None,
        },
    });
    outcome
}

/// The coordinates of an element, in the order of the shape.
pub fn place(shape: &[usize], mut index: usize) -> Vec<usize> {
    let mut place: Vec<usize> = shape
        .iter()
        .rev()
        .map(|length| {
            let at = index % (*length).max(1);
            index /= (*length).max(1);
            at
        })
        .collect();
    place.reverse();
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[f64]) -> Tensor {
        Tensor::new(vec![values.len()], values.to_vec()).unwrap()
    }

    #[test]
    fn without_tolerance_the_nearest_number_is_expected() {
        let expected = row(&[1.0001, 2.0, f64::NAN]);
        let outcome = compare(
            &expected,
            &row(&[1.0, 2.0, f64::NAN]),
            Some(Component::F16),
            &Tolerance::default(),
            None,
        );
        assert!(outcome.met, "{outcome:?}");
        let outcome =
            compare(&expected, &row(&[1.0, 2.5, 0.0]), Some(Component::F16), &Tolerance::default(), None);
        assert_eq!((outcome.met, outcome.wrong), (false, 2));
        assert_eq!(outcome.worst.unwrap().index, [2]);
        assert_eq!(outcome.max_absolute, f64::INFINITY);
    }

    #[test]
    fn an_integer_is_far_from_what_no_type_holds() {
        let tolerance = Tolerance { absolute: Some(1.0), ..Tolerance::default() };
        let outcome =
            compare(&row(&[-1e300, 1e300]), &row(&[5.0, -5.0]), Some(Component::S64), &tolerance, None);
        assert_eq!((outcome.met, outcome.wrong), (false, 2));
    }

    #[test]
    fn one_tolerance_is_enough() {
        let tolerance = Tolerance { absolute: Some(0.1), relative: Some(0.01), ulp: Some(2.0) };
        let outcome = compare(
            &row(&[100.0, 0.0, 1e-7]),
            &row(&[101.05, 0.1, 1.2e-7]),
            Some(Component::F16),
            &tolerance,
            None,
        );
        assert!(outcome.met, "{outcome:?}");
        let outcome = compare(&row(&[100.0]), &row(&[101.2]), Some(Component::F16), &tolerance, None);
        assert!(!outcome.met);
        assert_eq!(outcome.max_relative, 0.012000000000000028);
    }
}
