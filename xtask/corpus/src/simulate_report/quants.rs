//! The types of ggml that matrices are stored in.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    // Recipes have no fills of the following.
    Q1_0,
    Q2_0,
    Tq1_0,
    Tq2_0,
    Iq1S,
    Iq1M,
    Iq2Xxs,
    Iq2Xs,
    Iq2S,
    Iq3Xxs,
    Iq3S,
    Iq4Xs,
    Nvfp4,
}

impl Quant {
    /// Those that one shader decodes, by a specialization constant.
    pub const OF_ONE_SHADER: [Quant; 14] = [
        Quant::Q1_0,
        Quant::Q2_0,
        Quant::Q4_0,
        Quant::Q4_1,
        Quant::Q5_0,
        Quant::Q5_1,
        Quant::Q8_0,
        Quant::Q2K,
        Quant::Q3K,
        Quant::Q4K,
        Quant::Q5K,
        Quant::Q6K,
        Quant::Tq1_0,
        Quant::Tq2_0,
    ];
    /// The others.
    const OF_THEIR_OWN: [Quant; 14] = [
        Quant::F32,
        Quant::F16,
        Quant::Bf16,
        Quant::Iq1S,
        Quant::Iq1M,
        Quant::Iq2Xxs,
        Quant::Iq2Xs,
        Quant::Iq2S,
        Quant::Iq3Xxs,
        Quant::Iq3S,
        Quant::Iq4Nl,
        Quant::Iq4Xs,
        Quant::Mxfp4,
        Quant::Nvfp4,
    ];

    /// By its name in lower case, as variants have it.
    pub fn named(name: &str) -> Option<Quant> {
        let all = Quant::OF_ONE_SHADER.into_iter().chain(Quant::OF_THEIR_OWN);
        all.into_iter().find(|quant| quant.name().to_lowercase() == name)
    }

    /// What ggml calls it, and recipes, if they have it.
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
            Quant::Q1_0 => ("q1_0", 41, 128, 18),
            Quant::Q2_0 => ("q2_0", 42, 64, 18),
            Quant::Tq1_0 => ("tq1_0", 34, 256, 54),
            Quant::Tq2_0 => ("tq2_0", 35, 256, 66),
            Quant::Iq1S => ("iq1_s", 19, 256, 50),
            Quant::Iq1M => ("iq1_m", 29, 256, 56),
            Quant::Iq2Xxs => ("iq2_xxs", 16, 256, 66),
            Quant::Iq2Xs => ("iq2_xs", 17, 256, 74),
            Quant::Iq2S => ("iq2_s", 22, 256, 82),
            Quant::Iq3Xxs => ("iq3_xxs", 18, 256, 98),
            Quant::Iq3S => ("iq3_s", 21, 256, 110),
            Quant::Iq4Xs => ("iq4_xs", 23, 256, 136),
            Quant::Nvfp4 => ("nvfp4", 40, 64, 36),
        }
    }
}
