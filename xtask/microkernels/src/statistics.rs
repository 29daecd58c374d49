//! Whether a prediction puts two measurements in the right order.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_predictions_are_no_pair() {
        assert_eq!(ordered(&[1.0, 1.0, 2.0], &[5.0, 4.0, 4.5]), (2, 1));
    }
}
