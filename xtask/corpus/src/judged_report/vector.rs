//! `mul_mat_vec.comp` and its kin: products of a matrix in any of ggml's types with one vector or few. A workgroup makes some rows.

use super::cases::{Case, Output, Work, case};
use super::judge::Request;
use super::plain::Plain;
use crate::simulate_report::multiply::{EXPERTS, USED};
use crate::simulate_report::quants::Quant;

const SUBGROUP: u32 = 32;

#[derive(Clone, Debug)]
pub struct Vector {
    a: Quant,
    b: &'static str,
    /// Each vector is multiplied with some of several matrices.
    experts: bool,
    /// Invocations of a workgroup.
    threads: u32,
    m: usize,
    k: usize,
    /// Vectors that are multiplied at once, and those that come behind one another.
    columns: usize,
    batches: usize,
}

impl Vector {
    /// Both shapes of a variant, by its name behind `mul_mat_vec_`; nothing for one that is not known.
    pub fn cases(variant: &str) -> Vec<Case> {
        let Some(rest) = variant.strip_prefix("mul_mat_vec_") else { return Vec::new() };
        let (experts, rest) = rest.strip_prefix("id_").map_or((false, rest), |rest| (true, rest));
        let b =
            ["q8_1", "f16", "f32"].into_iter().filter_map(|b| Some((rest.find(&format!("_{b}_f32"))?, b)));
        let Some((end, b)) = b.min() else { return Vec::new() };
        let Some(a) = Quant::named(&rest[..end]) else { return Vec::new() };
        let block = a.block().0;
        let of = |fitting: bool| {
            // More than one subgroup reduce through shared memory.
            let threads =
                if rest.ends_with("_subgroup") || (!fitting && !rest.ends_with("_no_shmem")) { 4 } else { 1 };
            let k = match (fitting, block) {
                (true, _) => 256,
                (false, 1) if b != "q8_1" => 50,
                (false, _) => (block * 3).next_multiple_of(32),
            };
            let vector = Vector {
                a,
                b,
                experts,
                threads: threads * SUBGROUP,
                m: if fitting { 32 } else { 37 },
                k,
                columns: if fitting || experts { 1 } else { 3 },
                batches: if fitting && !experts { 2 } else { 1 },
            };
            vector.case(variant)
        };
        vec![of(true), of(false)]
    }

    fn case(self, variant: &str) -> Case {
        let Vector { a, b, m, k, columns, batches, .. } = self;
        let (mut inputs, request, shape) = if self.experts {
            let request = Request::new("mul_mat_id", a.name()).with("experts", EXPERTS).with("used", USED);
            (vec![("a", 0), ("b", 1), ("ids", 5)], request.with("n", 1), vec![1, USED, m])
        } else {
            let request = Request::new("mul_mat", a.name()).with("batches_a", 1).with("batches_b", batches);
            (
                vec![("a", 0), ("b", 1)],
                request.with("split", k).with("n", columns),
                vec![batches * columns, m],
            )
        };
        inputs.sort_by_key(|(_, binding)| *binding);
        let request = request.with("a", a.name()).with("b", b).with("m", m).with("k", k).with("seed", 1);
        // Sums of floats, in another order; integers are multiplied with scales, and moved by sums that are rounded to half floats.
        let sums = (k + 8) as f64 / 16_777_216.0;
        let moved = a.has_minimum()
            || matches!(a, Quant::Q4_0 | Quant::Q5_0 | Quant::Q2_0 | Quant::Iq1S | Quant::Iq1M | Quant::Q3K);
        let bound = if b == "q8_1" && moved { sums + 2.0 / 2048.0 } else { sums };
        let sizes = match (self.experts, columns) {
            (true, _) => format!("{USED} of {EXPERTS} of {m}x{k}"),
            (false, 1) => format!("{m}x{k}, {batches} vectors"),
            (false, _) => format!("{m}x{k}x{columns}"),
        };
        Case {
            sizes,
            inputs,
            unread: vec![3, 4],
            output: Some(Output::floats(2, shape)),
            bound,
            ..case(variant, SUBGROUP, request, Work::Plain(self.plain()))
        }
    }

    /// Rows that a workgroup makes, on a device that is not known (`rm_stdq`, `rm_kq` and others).
    fn rows(&self) -> usize {
        use Quant::{
            Bf16, F16, F32, Iq1M, Iq1S, Iq4Xs, Mxfp4, Q2_0, Q2K, Q3K, Q4K, Q5K, Q6K, Q8_0, Tq1_0, Tq2_0,
        };
        match (self.b, self.a) {
            ("q8_1", Iq1S | Iq1M) => 8,
            ("q8_1", Q2_0 | Q2K | Mxfp4) => 2,
            ("q8_1", Q3K | Q4K | Q5K | Q6K | Iq4Xs) => 1,
            ("q8_1", _) | (_, F32 | Q8_0) => 1,
            (_, F16 | Bf16 | Q2K | Q3K | Q4K | Q5K | Q6K | Tq1_0 | Tq2_0) => 2,
            (_, Quant::Q1_0 | Q2_0 | Quant::Q4_0 | Quant::Q4_1 | Quant::Q5_0 | Quant::Q5_1) => 2,
            _ => 4,
        }
    }

    fn plain(&self) -> Plain {
        let Vector { m, k, columns, batches, .. } = *self;
        let rows = self.rows();
        let layers = if self.experts { USED } else { batches };
        let mut plain = Plain::new([m.div_ceil(rows), layers, 1]);
        plain.constants = vec![self.threads as usize, rows, columns];
        for (name, value) in [
            ("ncols", k),
            ("stride_a", k),
            ("stride_b", k),
            ("stride_d", m),
            ("batch_stride_a", m * k),
            ("batch_stride_b", k),
            ("batch_stride_d", m),
            ("fusion_flags", 0),
        ] {
            plain = plain.with(name, value);
        }
        if self.experts {
            return plain.with("nei0", USED).with("ne11", 1).with("expert_i1", 0).with("nbi1", USED);
        }
        let plain = plain.with("base_work_group_y", 0).with("ne02", 1).with("ne12", batches);
        plain.with("broadcast2", batches).with("broadcast3", 1)
    }
}
