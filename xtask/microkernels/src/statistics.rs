//! How well a prediction orders what was measured.

/// The rank correlation of Spearman: equal values share the mean of their ranks.
pub fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    correlation(&ranks(a), &ranks(b))
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |value: f64| values.iter().filter(|&&other| other < value).count() as f64;
    let equal = |value: f64| values.iter().filter(|&&other| other == value).count() as f64;
    values.iter().map(|&value| below(value) + (equal(value) + 1.0) / 2.0).collect()
}

/// Pearson's, of values that are not all equal.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let sum =
        |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(&a, &b)| f(a - mean_a, b - mean_b)).sum::<f64>();
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}

/// Pairs of one family whose predictions differ, and those of them that were measured in the same order.
pub fn ordered(predicted: &[f64], measured: &[f64]) -> (usize, usize) {
    let mut pairs = (0, 0);
    for i in 0..predicted.len() {
        for j in 0..i {
            if predicted[i] != predicted[j] {
                pairs.0 += 1;
                pairs.1 += usize::from((predicted[i] < predicted[j]) == (measured[i] < measured[j]));
            }
        }
    }
    pairs
}

/// What a pass takes at least: the median of measured / predicted of the kernels with many passes.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_decide() {
        assert_eq!(rank_correlation(&[1.0, 2.0, 3.0], &[10.0, 11.0, 500.0]), 1.0);
        assert_eq!(rank_correlation(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), -1.0);
        // Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: 1 - 6 * 0.5 / 60, corrected for the tie.
        let tied = rank_correlation(&[1.0, 2.0, 2.0, 3.0], &[1.0, 2.0, 3.0, 4.0]);
        assert!((tied - 0.9487).abs() < 1e-4, "{tied}");
    }

    #[test]
    fn equal_predictions_are_no_pair() {
        assert_eq!(ordered(&[1.0, 1.0, 2.0], &[5.0, 4.0, 4.5]), (2, 1));
    }

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    }
}
