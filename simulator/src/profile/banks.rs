//! Passes of a request to shared memory that lies in banks.

use super::matrices::Tiles;
use super::requests::Request;

/// The banks of shared memory: consecutive words are in consecutive banks, and each bank serves one word in a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Banks {
    /// How many there are.
    pub count: u32,
    /// Bytes of a word.
    pub width: u32,
    /// How matrices can be loaded whatever the ownership of their elements; none if that is not known.
    pub tiles: Option<Tiles>,
}

/// What requests take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passes {
    /// As the addresses are.
    pub passes: u64,
    /// If no two words were in one bank.
    pub least: u64,
    /// The most words in one bank in a single pass's share of lanes: 1 without conflicts.
    pub worst: u32,
}

impl Passes {
    /// Adds those of another request.
    pub fn add(&mut self, other: Passes) {
        self.passes += other.passes;
        self.least += other.least;
        self.worst = self.worst.max(other.worst);
    }

    /// Whether two words were in one bank.
    pub fn has_conflicts(&self) -> bool {
        self.passes > self.least
    }
}

impl Banks {
    /// How many lanes are served together: as many as all banks have bytes for. Of a width of at most one word, as many as there are banks; of two
    /// words half of them, of four a quarter.
    fn together(self, width: u32) -> u32 {
        let words = width.div_ceil(self.width.max(1)).max(1);
        (self.count / words).max(1)
    }

    /// The passes of a request: its lanes are served in groups of consecutive lanes, and of each group the bank with the most different words
    /// decides. Lanes that want the same word get it in one pass.
    pub fn passes(self, request: &Request) -> Passes {
        let (count, width) = (u64::from(self.count.max(1)), u64::from(self.width.max(1)));
        let together = self.together(request.width);
        let mut passes = Passes::default();
        let mut words: Vec<(u32, u64)> = Vec::new();
        for &(lane, address) in &request.lanes {
            let last = address + u64::from(request.width.max(1)) - 1;
            words.extend((address / width..=last / width).map(|word| (lane / together, word)));
        }
        words.sort_unstable();
        words.dedup();
        let mut of_bank = vec![0u32; self.count.max(1) as usize];
        for group in words.chunk_by(|(a, _), (b, _)| a == b) {
            of_bank.fill(0);
            for (_, word) in group {
                of_bank[(word % count) as usize] += 1;
            }
            let most = of_bank.iter().copied().max().unwrap_or(0);
            passes.add(Passes { passes: most.into(), least: 1, worst: most });
        }
        passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BANKS: Banks = Banks { count: 32, width: 4, tiles: None };

    /// Lane `n` of 32 accesses `width` bytes at `address(n)`.
    fn of(width: u32, address: impl Fn(u64) -> u64) -> (u64, u64, u32) {
        let lanes = (0..32).map(|lane| (lane, address(u64::from(lane)))).collect();
        let Passes { passes, least, worst } = BANKS.passes(&Request { width, lanes });
        (passes, least, worst)
    }

    /// A stride of `s` words has gcd(s, 32) lanes in each bank that it meets.
    #[test]
    fn strides_of_words() {
        for (stride, ways) in [(1, 1), (2, 2), (20, 4), (16, 16), (32, 32), (33, 1), (17, 1), (24, 8)] {
            assert_eq!(of(4, |lane| lane * stride * 4), (ways, 1, ways as u32), "a stride of {stride} words");
        }
    }

    #[test]
    fn equal_words_are_broadcast() {
        assert_eq!(of(4, |_| 64), (1, 1, 1));
        // Two halves of a word, read by two lanes.
        assert_eq!(of(2, |lane| lane * 2), (1, 1, 1));
        // Two words of one bank, each read by 16 lanes.
        assert_eq!(of(4, |lane| lane % 2 * 128), (2, 1, 2));
    }

    /// 8 bytes of each lane go in two halves of the subgroup, 16 bytes in four quarters.
    #[test]
    fn wide_accesses() {
        assert_eq!(of(8, |lane| lane * 8), (2, 2, 1));
        assert_eq!(of(16, |lane| lane * 16), (4, 4, 1));
        // Every other 16 bytes: 8 lanes meet 16 of the banks, each twice.
        assert_eq!(of(16, |lane| lane * 32), (8, 4, 2));
        // 8 lanes with rows of 80 bytes: 20 words, of which 4 are read. They begin in banks 0, 20, 8, 28, 16, 4, 24, 12.
        assert_eq!(of(16, |lane| lane * 80), (4, 4, 1));
        assert_eq!(of(16, |lane| lane * 128), (32, 4, 8));
    }

    #[test]
    fn lanes_that_take_no_part_take_no_pass() {
        let request = Request { width: 16, lanes: vec![(0, 0), (31, 512)] };
        assert_eq!(BANKS.passes(&request), Passes { passes: 2, least: 2, worst: 1 });
    }
}
