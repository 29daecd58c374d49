//! `flash_attn_decode_phase_1.comp` and `flash_attn_decode_phase_2.comp`: attention of few tokens on Intel's Xe2, in two dispatches. The
//! first leaves exponentials of scores, and the largest score of each 32 keys that they are in proportion to; the second sums.
//!
//! Q is [queries, heads, depth], K and V are [keys, kv_heads, depth or outputs], all in half floats, and the result is
//! [queries, heads, outputs].

use std::fmt::Write as _;

use super::judge::Request;

/// Keys that the first phase takes at a time (`split_p_chunk`), and the second (`split_p_per_iter_ph2`).
const CHUNK: usize = 32;
const CHUNKS: usize = 256;
/// Invocations of a subgroup (`xe_native_sub_group_size`).
pub const SUBGROUP: u32 = 16;

#[derive(Clone, Copy, Debug)]
pub struct Decode {
    pub heads: usize,
    /// Heads of Q for each head of K and V.
    pub groups: usize,
    pub queries: usize,
    pub keys: usize,
    pub depth: usize,
    pub outputs: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Scores,
    Sums,
}

impl Decode {
    pub fn sizes(&self) -> String {
        let Decode { heads, groups, queries, keys, depth, outputs } = self;
        format!("{heads} heads on {}, {queries} queries, {keys} keys, {depth} and {outputs}", heads / groups)
    }

    fn kv_heads(&self) -> usize {
        self.heads / self.groups
    }

    /// Elements of what the first phase leaves: exponentials and largest scores.
    pub fn left(&self) -> [usize; 2] {
        let chunks = self.queries * self.heads * self.keys.div_ceil(CHUNK);
        [chunks * CHUNK, chunks]
    }

    pub fn request(&self) -> Request {
        Request::new("attention", "f16")
            .with("q", "f16")
            .with("k", "f16")
            .with("v", "f16")
            .with("heads", self.heads)
            .with("kv_heads", self.kv_heads())
            .with("queries", self.queries)
            .with("keys", self.keys)
            .with("depth", self.depth)
            .with("outputs", self.outputs)
            .with("factor", self.factor())
            .with("softcap", 0)
            .with("mask", 1)
            .with("tokens_first", 1)
            .with("seed", 1)
    }

    fn factor(&self) -> f32 {
        1.0 / (self.depth as f32).sqrt()
    }

    /// The recipe without buffers and expectations: how the variant is dispatched.
    pub fn pipeline(&self, phase: Phase, variant: &str, declared: &[u32]) -> String {
        let Decode { heads, groups, queries, keys, depth, outputs } = *self;
        let of_dispatch = if groups > 16 { 8 } else { 16 };
        let queries_of_second = (16 / groups.next_power_of_two()).max(1).min(queries);
        let queries_of_first = queries.min(256 / SUBGROUP as usize);
        let threads = (queries.next_power_of_two() * SUBGROUP as usize).clamp(64, 256);
        let (dispatch, constants, stride) = match phase {
            Phase::Scores => (
                [queries.div_ceil(queries_of_first) * self.kv_heads(), keys.div_ceil(CHUNK)],
                vec![threads, groups, depth, SUBGROUP as usize, CHUNK, queries_of_first],
                depth,
            ),
            Phase::Sums => (
                [queries.div_ceil(queries_of_second) * outputs / of_dispatch, self.kv_heads()],
                vec![
                    CHUNKS / 16 * SUBGROUP as usize,
                    groups,
                    outputs,
                    queries_of_second,
                    SUBGROUP as usize,
                    CHUNKS,
                    CHUNK,
                    of_dispatch,
                ],
                outputs,
            ),
        };
        let mut text = format!(
            "description = \"{variant} of llama.cpp: {}\"\nsubgroup-size = {SUBGROUP}\ndispatch = {dispatch:?}\n",
            self.sizes()
        );
        text += "numerics = [\"sequential\", \"nvidia-hopper\", \"exact\"]\nownership = [\"plain\", \"shuffled\"]\n";
        text += "\n[specialization]\n";
        for (id, value) in constants.iter().enumerate() {
            if declared.contains(&(id as u32)) {
                let _ = writeln!(text, "{id} = {value}");
            }
        }
        text += "\n[push-constants]\n";
        for (name, value) in [
            ("kvSeqLen", keys),
            ("activationLength", queries),
            ("qHead", heads),
            ("kvHead", self.kv_heads()),
            ("qkRatio", groups),
            ("qkSubGroups", 1),
            ("flag", 0),
            ("kvStride1", self.kv_heads() * stride),
            ("kvStride2", stride),
            ("batchStrideQ", queries * heads * depth),
            ("batchStrideK", keys * self.kv_heads() * depth),
            ("batchStrideV", keys * self.kv_heads() * outputs),
            ("batchStrideM", queries * keys),
            ("batchStrideO", queries * heads * outputs),
        ] {
            let _ = writeln!(text, "{name} = {value}");
        }
        let _ = writeln!(text, "softMaxScale = {:e}", self.factor());
        text
    }
}
