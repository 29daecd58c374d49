//! Weights that make the words which were written likely among what is offered: the likelihood of an item is proportional to the exponential of its score.

/// What was offered where a word was written.
pub struct Choice {
    /// The numbers of each item, by their indices.
    pub offered: Vec<Vec<(u16, f32)>>,
    /// Which one was written.
    pub written: usize,
}

const ROUNDS: usize = 40;
const BATCH: usize = 64;
const STEP: f32 = 0.03;
/// How strongly weights are drawn to nothing, for each choice.
const SHRINK: f32 = 2e-4;

/// Steps of Adam (Kingma and Ba 2014) over the choices, in the same order each time.
pub fn weights(choices: &[Choice], count: usize) -> Vec<f32> {
    let mut weights = vec![0.0f32; count];
    let (mut first, mut second) = (vec![0.0f32; count], vec![0.0f32; count]);
    let mut gradient = vec![0.0f32; count];
    // A stride without a common divisor goes everywhere.
    let stride = (choices.len() * 7 / 11..).find(|stride| coprime(*stride, choices.len())).unwrap_or(1);
    let mut steps = 0;
    for round in 0..ROUNDS {
        let pace = STEP * (1.0 - round as f32 / ROUNDS as f32);
        for batch in 0..choices.len().div_ceil(BATCH) {
            gradient
                .iter_mut()
                .zip(&weights)
                .for_each(|(gradient, weight)| *gradient = SHRINK * weight * BATCH as f32);
            for index in batch * BATCH..((batch + 1) * BATCH).min(choices.len()) {
                add(&choices[index * stride % choices.len()], &weights, &mut gradient);
            }
            steps += 1;
            for index in 0..count {
                let slope = gradient[index] / BATCH as f32;
                first[index] = 0.9 * first[index] + 0.1 * slope;
                second[index] = 0.999 * second[index] + 0.001 * slope * slope;
                let (mean, square) =
                    (first[index] / (1.0 - 0.9f32.powi(steps)), second[index] / (1.0 - 0.999f32.powi(steps)));
                weights[index] -= pace * mean / (square.sqrt() + 1e-6);
            }
        }
    }
    weights
}

fn coprime(a: usize, b: usize) -> bool {
    if b == 0 { a == 1 } else { coprime(b, a % b) }
}

fn add(choice: &Choice, weights: &[f32], gradient: &mut [f32]) {
    let score = |numbers: &Vec<(u16, f32)>| -> f32 {
        numbers.iter().map(|&(index, value)| weights[usize::from(index)] * value).sum()
    };
    let scores: Vec<f32> = choice.offered.iter().map(score).collect();
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    let all: f32 = scores.iter().map(|score| (score - most).exp()).sum();
    for (item, (numbers, score)) in choice.offered.iter().zip(&scores).enumerate() {
        let likely = (score - most).exp() / all;
        let error = likely - if item == choice.written { 1.0 } else { 0.0 };
        for &(index, value) in numbers {
            gradient[usize::from(index)] += error * value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_more_often_becomes_likelier() {
        let offered = || vec![vec![(0, 1.0)], vec![(1, 1.0)]];
        let choices: Vec<Choice> = (0..100)
            .map(|index| Choice { offered: offered(), written: usize::from(index % 4 == 0) })
            .collect();
        let weights = weights(&choices, 2);
        // Three times as often.
        assert!((weights[0] - weights[1] - f32::ln(3.0)).abs() < 0.1, "{weights:?}");
    }
}
