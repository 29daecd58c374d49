//! A generator of the same numbers on every machine: what a seed finds once, it finds again.

/// xorshift64*, which is plenty for choosing what to break.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        // Neighbouring seeds begin far apart, and none with zero.
        let mut mixed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        Random((mixed ^ mixed >> 31) | 1)
    }

    /// Choices that follow from an input itself, so that the input alone repeats them.
    pub fn of(bytes: &[u8]) -> Random {
        let hash = bytes.iter().fold(0xCBF2_9CE4_8422_2325_u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        Random::new(hash)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `bound`; 0 where there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        ((self.bits() >> 11) % bound.max(1) as u64) as usize
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn choose<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }

    /// One of a list that is written down, and so is not empty.
    pub fn pick<T: Clone, const N: usize>(&mut self, list: [T; N]) -> T {
        const { assert!(N > 0) };
        list[self.below(N)].clone()
    }

    /// A number that programs tend to mistake: small, a power of two, or next to a limit.
    pub fn number(&mut self) -> u64 {
        match self.below(5) {
            0 => self.below(20) as u64,
            1 => 1 << self.below(64),
            2 => (1_u64 << self.below(64)).wrapping_sub(1),
            3 => self.pick([0, u64::MAX, i64::MAX as u64, u64::from(u32::MAX), i32::MAX as u64, 65536]),
            _ => self.bits() >> self.below(64),
        }
    }
}
