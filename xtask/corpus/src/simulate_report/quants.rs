//! The types of ggml that matrices are stored in.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quant {
    F32,
    F16,
    Bf16,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q2K,
    Q3K,
    Q4K,
    Q5K,
    Q6K,
    Iq4Nl,
    Mxfp4,
}

impl Quant {
    /// What recipes call it.
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    /// ggml's number of it, which shaders get as a specialization constant.
    pub fn number(self) -> u32 {
        self.facts().1
    }

    /// Elements and bytes of a block.
    pub fn block(self) -> (usize, usize) {
        (self.facts().2, self.facts().3)
    }

    pub fn is_quantised(self) -> bool {
        self.block().0 > 1
    }

    /// Whether a scaled number is taken from a minimum, or added to one.
    pub fn has_minimum(self) -> bool {
        matches!(self, Quant::Q4_1 | Quant::Q5_1 | Quant::Q2K | Quant::Q4K | Quant::Q5K)
    }

    /// Bytes of so many elements.
    pub fn bytes(self, elements: usize) -> usize {
        let (block, bytes) = self.block();
        elements / block * bytes
    }

    fn facts(self) -> (&'static str, u32, usize, usize) {
        match self {
            Quant::F32 => ("f32", 0, 1, 4),
            Quant::F16 => ("f16", 1, 1, 2),
            Quant::Bf16 => ("bf16", 30, 1, 2),
            Quant::Q4_0 => ("q4_0", 2, 32, 18),
            Quant::Q4_1 => ("q4_1", 3, 32, 20),
            Quant::Q5_0 => ("q5_0", 6, 32, 22),
            Quant::Q5_1 => ("q5_1", 7, 32, 24),
            Quant::Q8_0 => ("q8_0", 8, 32, 34),
            Quant::Q2K => ("q2_K", 10, 256, 84),
            Quant::Q3K => ("q3_K", 11, 256, 110),
            Quant::Q4K => ("q4_K", 12, 256, 144),
            Quant::Q5K => ("q5_K", 13, 256, 176),
            Quant::Q6K => ("q6_K", 14, 256, 210),
            Quant::Iq4Nl => ("iq4_nl", 20, 32, 18),
            Quant::Mxfp4 => ("mxfp4", 39, 32, 17),
        }
    }
}
