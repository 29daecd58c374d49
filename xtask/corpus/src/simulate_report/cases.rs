//! Which variants of llama.cpp's shaders run, and how: the tiles and the sizes.
//!
//! Specialization constants are those that ggml-vulkan makes pipelines with, for a device that multiplies 16x16x16 (and, for the
//! software driver, 8x8x8); the sizes are small, and most are no multiples of the tiles.

use super::attention::Attention;
use super::multiply::{Layout, Multiply, Tile};
use super::quants::Quant;

/// One run: a variant, what is put into it, and what is expected.
#[derive(Clone, Debug)]
pub struct Case {
    /// What llama.cpp calls the module, `matmul_f16_cm1`.
    pub variant: &'static str,
    pub work: Work,
    /// Invocations of a subgroup.
    pub subgroup: u32,
}

#[derive(Clone, Debug)]
pub enum Work {
    Multiply(Multiply),
    Attention(Attention),
}

impl Case {
    /// `matmul_quant_f16_cm1.q4_0.medium.64`
    pub fn name(&self) -> String {
        let how = match &self.work {
            Work::Multiply(multiply) => multiply.name(),
            Work::Attention(attention) => attention.name(),
        };
        format!("{}.{how}.{}", self.variant, self.subgroup)
    }

    /// The sizes, for the table.
    pub fn sizes(&self) -> String {
        match &self.work {
            Work::Multiply(multiply) => multiply.sizes(),
            Work::Attention(attention) => attention.sizes(),
        }
    }

    /// What the table says beside the variant's name.
    pub fn how(&self) -> String {
        match &self.work {
            Work::Multiply(multiply) => multiply.how(),
            Work::Attention(attention) => attention.how(),
        }
    }

    /// The recipe as text, for a module that declares these specialization constants.
    pub fn recipe(&self, declared: &[u32]) -> String {
        match &self.work {
            Work::Multiply(multiply) => multiply.recipe(self.variant, self.subgroup, declared),
            Work::Attention(attention) => attention.recipe(self.variant, self.subgroup, declared),
        }
    }
}

fn multiply(variant: &'static str, a: Quant, tile: Tile, sizes: [usize; 3]) -> Case {
    let [m, n, k] = sizes;
    Case { variant, work: Work::Multiply(Multiply::new(a, tile, [m, n, k])), subgroup: 32 }
}

impl Case {
    fn subgroups_of(mut self, subgroup: u32) -> Case {
        self.subgroup = subgroup;
        self
    }

    fn laid_out(mut self, layout: Layout) -> Case {
        if let Work::Multiply(multiply) = &mut self.work {
            multiply.layout = layout;
        }
        self
    }

    fn aligned(mut self) -> Case {
        if let Work::Multiply(multiply) = &mut self.work {
            multiply.aligned = true;
        }
        self
    }
}

/// All of them.
pub fn all() -> Vec<Case> {
    let mut cases = with_subgroups();
    cases.extend(with_workgroups());
    cases.extend(with_experts());
    cases.extend(attention());
    cases
}

/// `mul_mm.comp` with COOPMAT: matrices of subgroups, operands through shared memory.
fn with_subgroups() -> Vec<Case> {
    use Quant::*;
    use Tile::*;
    let mut cases = vec![
        multiply("matmul_f16_cm1", F16, Small, [40, 36, 50]),
        multiply("matmul_f16_cm1", F16, Medium, [72, 66, 64]).subgroups_of(64),
        multiply("matmul_f16_cm1", F16, Large, [128, 128, 64]).aligned(),
        multiply("matmul_f16_cm1", F16, Small, [40, 36, 48]).laid_out(Layout::Batched),
        multiply("matmul_f16_cm1", F16, Small, [40, 36, 512]).laid_out(Layout::SplitDepth),
        multiply("matmul_f16_f16acc_cm1", F16, Small, [40, 36, 50]),
        multiply("matmul_f16_f32_cm1", F16, Small, [40, 36, 50]),
        multiply("matmul_f16_f32_f16acc_cm1", F16, Medium, [64, 64, 64]).aligned(),
        multiply("matmul_f32_f16_cm1", F32, Small, [40, 36, 50]),
        multiply("matmul_f32_f32_cm1", F32, Small, [40, 36, 50]).subgroups_of(64),
        multiply("matmul_bf16_cm1", Bf16, Small, [40, 36, 50]),
    ];
    for (quant, k) in [
        (Q4_0, 96),
        (Q4_1, 64),
        (Q5_0, 64),
        (Q5_1, 64),
        (Q8_0, 96),
        (Q2K, 256),
        (Q3K, 256),
        (Q4K, 512),
        (Q5K, 256),
        (Q6K, 256),
    ] {
        cases.push(multiply("matmul_quant_f16_cm1", quant, Small, [40, 36, k]));
    }
    for (quant, k) in [(Q4_0, 64), (Q8_0, 64), (Q4K, 256)] {
        cases.push(multiply("matmul_quant_f16_cm1", quant, Medium, [72, 66, k]).subgroups_of(64));
        cases.push(multiply("matmul_quant_f16_f16acc_cm1", quant, Small, [40, 36, k]));
        cases.push(multiply("matmul_quant_f32_cm1", quant, Small, [40, 36, k]));
        cases.push(multiply("matmul_quant_f32_f16acc_cm1", quant, Medium, [64, 64, k]).aligned());
    }
    cases.extend([
        multiply("matmul_iq4_nl_f16_cm1", Iq4Nl, Small, [40, 36, 64]),
        multiply("matmul_iq4_nl_f32_cm1", Iq4Nl, Small, [40, 36, 64]).subgroups_of(64),
        multiply("matmul_mxfp4_f16_cm1", Mxfp4, Small, [40, 36, 64]),
        multiply("matmul_mxfp4_f32_cm1", Mxfp4, Medium, [72, 66, 64]),
        // As the software driver multiplies.
        multiply("matmul_f16_cm1", F16, Small, [40, 36, 50]).subgroups_of(8),
        multiply("matmul_f16_f16acc_cm1", F16, Small, [40, 36, 50]).subgroups_of(8),
        multiply("matmul_f32_f32_cm1", F32, Small, [64, 32, 64]).aligned().subgroups_of(8),
    ]);
    for quant in [Q4_0, Q8_0, Q4K, Q6K] {
        cases.push(multiply("matmul_quant_f16_cm1", quant, Small, [40, 36, 256]).subgroups_of(8));
    }
    cases
}

/// `mul_mm_cm2.comp`: matrices of the workgroup, tensor loads with decode functions.
fn with_workgroups() -> Vec<Case> {
    use Quant::*;
    use Tile::*;
    let mut cases = vec![
        multiply("matmul_f16_cm2", F16, Small, [72, 70, 80]),
        multiply("matmul_f16_cm2", F16, Medium, [128, 128, 64]).aligned().subgroups_of(64),
        multiply("matmul_f16_cm2", F16, Large, [130, 40, 64]),
        multiply("matmul_f16_f16acc_cm2", F16, Small, [72, 70, 80]),
        multiply("matmul_bf16_cm2", Bf16, Small, [72, 70, 80]),
    ];
    for (quant, k) in
        [(Q4_0, 160), (Q4_1, 64), (Q5_0, 64), (Q5_1, 64), (Q8_0, 160), (Q2K, 256), (Q3K, 256), (Q6K, 256)]
    {
        cases.push(multiply("matmul_quant_f16_cm2", quant, Small, [40, 70, k]));
    }
    for quant in [Q4_0, Q8_0] {
        cases.push(multiply("matmul_quant_f16_cm2", quant, Medium, [130, 20, 64]).subgroups_of(64));
        cases.push(multiply("matmul_quant_f16_f16acc_cm2", quant, Small, [40, 70, 64]));
    }
    cases.extend([
        multiply("matmul_q4_k_f16_cm2", Q4K, Small, [40, 70, 512]),
        multiply("matmul_q4_k_f16_cm2", Q4K, Medium, [130, 20, 256]).subgroups_of(64),
        multiply("matmul_q4_k_f16_f16acc_cm2", Q4K, Small, [40, 70, 256]),
        multiply("matmul_q5_k_f16_cm2", Q5K, Small, [40, 70, 256]),
        multiply("matmul_iq4_nl_f16_cm2", Iq4Nl, Small, [40, 70, 64]),
        multiply("matmul_mxfp4_f16_cm2", Mxfp4, Small, [40, 70, 64]),
    ]);
    cases
}

/// Both, where each row of B picks the matrix that it is multiplied with.
fn with_experts() -> Vec<Case> {
    use Quant::*;
    use Tile::*;
    let experts = Layout::Experts;
    vec![
        multiply("matmul_id_subgroup_f16_cm1", F16, Small, [40, 22, 50]).laid_out(experts),
        multiply("matmul_id_subgroup_quant_f16_cm1", Q4_0, Small, [40, 22, 64]).laid_out(experts),
        multiply("matmul_id_subgroup_quant_f16_cm1", Q4K, Small, [40, 22, 256])
            .laid_out(experts)
            .subgroups_of(64),
        multiply("matmul_id_subgroup_f16_cm2", F16, Small, [72, 22, 80]).laid_out(experts),
        multiply("matmul_id_subgroup_quant_f16_cm2", Q8_0, Small, [140, 22, 64]).laid_out(experts),
        multiply("matmul_id_subgroup_q4_k_f16_cm2", Q4K, Small, [140, 22, 256]).laid_out(experts),
    ]
}

/// `flash_attn_cm1.comp` and `flash_attn_cm2.comp`.
fn attention() -> Vec<Case> {
    use Quant::*;
    let simple = Attention { queries: 20, keys: 128, depth: 64, outputs: 64, ..Attention::default() };
    let mut cases = Vec::new();
    let mut add = |variant, attention: &Attention, subgroup| {
        cases.push(Case { variant, work: Work::Attention(attention.clone()), subgroup });
    };
    for (variant, short) in [
        ("flash_attn_f32_f16_cm1", "flash_attn_f32_f16_f16acc_cm1"),
        ("flash_attn_f32_f16_cm2", "flash_attn_f32_f16_f16acc_cm2"),
    ] {
        add(variant, &simple, 32);
        add(variant, &Attention { mask: true, keys: 100, ..simple.clone() }, 32);
        add(variant, &Attention { mask: true, queries: 40, heads: 4, groups: 2, ..simple.clone() }, 64);
        // Queries of several heads with the same keys, in one tile.
        add(variant, &Attention { mask: true, queries: 3, heads: 8, groups: 4, ..simple.clone() }, 32);
        add(variant, &Attention { softcap: Some(20.0), depth: 80, outputs: 48, ..simple.clone() }, 32);
        for (k, v) in [(Q8_0, Q8_0), (Q4_0, Q4_0), (Q8_0, F16)] {
            add(variant, &Attention { mask: true, k, v, ..simple.clone() }, 32);
        }
        add(short, &simple, 32);
        add(short, &Attention { mask: true, keys: 100, ..simple.clone() }, 32);
    }
    let bf16 = Attention { k: Bf16, v: Bf16, mask: true, ..simple };
    add("flash_attn_f32_f16_bf16_cm1", &bf16, 32);
    add("flash_attn_f32_f16_bf16_cm2", &bf16, 32);
    cases
}
