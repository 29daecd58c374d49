//! Sums and medians of measured times.

use std::time::Duration;

#[derive(Default)]
pub struct Times(Vec<Duration>);

impl Times {
    pub fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }

    /// The time that this fraction of all times does not exceed.
    pub fn quantile(&self, fraction: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let last = sorted.len().saturating_sub(1);
        sorted.get((last as f64 * fraction).round() as usize).copied().unwrap_or_default()
    }

    pub fn median(&self) -> Duration {
        self.quantile(0.5)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}

pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_one() {
        let mut times = Times::default();
        for value in [5, 1, 3] {
            times.add(Duration::from_millis(value));
        }
        assert_eq!(times.median(), Duration::from_millis(3));
        assert_eq!(times.total(), Duration::from_millis(9));
    }
}
