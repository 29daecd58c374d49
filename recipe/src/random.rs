//! Random numbers that are the same on every host: SplitMix64, as Steele, Lea and Flood published it ("Fast splittable
//! pseudorandom number generators", OOPSLA 2014), seeded with the recipe's number. `docs/recipes.md` says how elements are made
//! of its output, so that other programs can make the same ones.

/// A generator, by what it has given so far.
pub struct Random {
    state: u64,
}

impl Random {
    /// Every seed begins a sequence of its own.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = self.state;
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [0, 1), of 53 bits.
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * libm::scalbn(1.0, -53)
    }

    /// In [low, high).
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// By Box and Muller's method; of the two numbers that it gives, the first.
    pub fn normal(&mut self, mean: f64, deviation: f64) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.unit()));
        mean + deviation * radius * libm::cos(2.0 * std::f64::consts::PI * self.unit())
    }

    /// From low to high, both included.
    pub fn integer(&mut self, low: i64, high: i64) -> i128 {
        let count = (i128::from(high) - i128::from(low)).max(0) as u128 + 1;
        let step = (u128::from(self.bits()) * count) >> 64;
        i128::from(low) + step as i128
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs for the seed 1234567, as published with the algorithm.
    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = Random::new(1_234_567);
        let found: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(found, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn numbers_lie_where_they_are_asked_for() {
        let mut random = Random::new(7);
        let integers: Vec<f64> = (0..1000).map(|_| random.integer(-2, 2) as f64).collect();
        for value in -2..=2 {
            assert!(integers.contains(&f64::from(value)));
        }
        assert!(integers.iter().all(|value| (-2.0..=2.0).contains(value)));
        let mean = (0..4000).map(|_| random.normal(3.0, 0.5)).sum::<f64>() / 4000.0;
        assert!((mean - 3.0).abs() < 0.05, "{mean}");
    }
}
