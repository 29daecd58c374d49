//! Recipes of `flash_attn_cm1.comp`, `flash_attn_cm2.comp` and `flash_attn.comp`: softmax(scale * Q * transpose(K) + mask) * V.
//!
//! Q is [heads, queries, depth] in floats, K and V are [heads / groups, keys, depth] in half floats or blocks, and the result is
//! [queries, heads, outputs].

use std::fmt::Write as _;

use super::quants::Quant;

#[derive(Clone, Debug)]
pub struct Attention {
    pub heads: usize,
    /// Heads of Q for each head of K and V.
    pub groups: usize,
    pub queries: usize,
    pub keys: usize,
    pub depth: usize,
    pub outputs: usize,
    pub k: Quant,
    pub v: Quant,
    /// Whether some scores are left out, and others are lowered.
    pub mask: bool,
    /// Scores are held below this by a hyperbolic tangent.
    pub softcap: Option<f32>,
}

impl Default for Attention {
    fn default() -> Self {
        Attention {
            heads: 2,
            groups: 1,
            queries: 16,
            keys: 64,
            depth: 64,
            outputs: 64,
            k: Quant::F16,
            v: Quant::F16,
            mask: false,
            softcap: None,
        }
    }
}

/// Elements and bytes of what the shaders read at a time: floats by fours.
fn block(quant: Quant) -> (usize, usize) {
    if quant == Quant::F32 { (4, 16) } else { quant.block() }
}

/// A hidden key, a lowered one, an unchanged one.
const MASK: &str = "column > row + 60 ? -inf : mod(row + column, 7) == 0 ? -1 : 0";

impl Attention {
    /// Queries of few tokens are taken together with those of the other heads of their group.
    fn grouped(&self) -> bool {
        self.groups > 1 && self.queries <= 8
    }

    pub fn name(&self) -> String {
        let mut name =
            format!("{}-{}.{}x{}x{}", self.k.name(), self.v.name(), self.queries, self.keys, self.depth);
        if self.heads != 2 {
            let _ = write!(name, ".heads-{}-{}", self.heads, self.heads / self.groups);
        }
        if self.mask {
            name += ".mask";
        }
        if self.softcap.is_some() {
            name += ".softcap";
        }
        name
    }

    pub fn sizes(&self) -> String {
        let heads = if self.groups > 1 {
            format!("{} heads on {}", self.heads, self.heads / self.groups)
        } else {
            format!("{} heads", self.heads)
        };
        let outputs =
            if self.outputs == self.depth { String::new() } else { format!(" and {}", self.outputs) };
        format!("{heads}, {} queries, {} keys, {}{outputs}", self.queries, self.keys, self.depth)
    }

    pub fn how(&self) -> String {
        let mut how = match self.k == self.v {
            true => self.k.name().to_owned(),
            false => format!("{} and {}", self.k.name(), self.v.name()),
        };
        if self.mask {
            how += ", mask";
        }
        if self.softcap.is_some() {
            how += ", softcap";
        }
        how
    }

    pub fn recipe(&self, variant: &str, subgroup: u32, declared: &[u32]) -> String {
        self.pipeline(variant, subgroup, declared) + &self.buffers() + &self.expectation(variant)
    }

    /// The recipe without buffers and expectations: how the variant is dispatched.
    pub fn pipeline(&self, variant: &str, subgroup: u32, declared: &[u32]) -> String {
        let Attention { heads, queries, keys, depth, outputs, .. } = *self;
        let workgroup = variant.ends_with("_cm2");
        let matrices = workgroup || variant.ends_with("_cm1");
        let constants = self.constants(matrices, workgroup, subgroup);
        let rows = constants[1] as usize;
        let dispatch =
            if self.grouped() { [queries, heads / self.groups] } else { [queries.div_ceil(rows), heads] };
        let mut text = format!(
            "description = \"{variant} of llama.cpp: {}\"\nsubgroup-size = {subgroup}\nsizes = {{ HEADS = {heads}, KV_HEADS = {}, QUERIES = {queries}, KEYS = {keys}, DEPTH = {depth}, OUTPUTS = {outputs} }}\n",
            self.how(),
            heads / self.groups
        );
        let _ = writeln!(text, "dispatch = [{}, {}]", dispatch[0], dispatch[1]);
        if matrices {
            text += "numerics = [\"sequential\", \"nvidia-hopper\", \"exact\"]\n";
            text += &super::ownerships(subgroup);
        } else {
            text += super::NO_MATRICES;
        }
        if workgroup && self.k.is_quantised() {
            text += "decode = [\"vector\", \"scalar\", \"mixed\"]\n";
        }
        text += "\n[specialization]\n";
        for (id, value) in constants.iter().enumerate() {
            if declared.contains(&(id as u32)) {
                let _ = writeln!(text, "{id} = {value}");
            }
        }
        text += &self.push_constants();
        text
    }

    /// By their ids.
    fn constants(&self, matrices: bool, workgroup: bool, subgroup: u32) -> Vec<u32> {
        let rows = if self.grouped() { self.groups } else { self.queries };
        let quantised = self.k.is_quantised() || self.v.is_quantised();
        let (threads, block_rows, block_keys) = match (workgroup, rows < 32) {
            (false, _) => (4 * subgroup, 16, 64),
            (true, true) => (if (self.depth | self.outputs).is_multiple_of(32) { 256 } else { 128 }, 32, 32),
            (true, false) => (128, 64, if quantised { 32 } else { 64 }),
        };
        let both = (self.depth | self.outputs) as u32;
        // Short rows are not split among subgroups.
        let whole_rows = !matrices && (rows < 4 || self.depth <= 64);
        let (threads, block_rows, block_keys) = match (matrices, rows) {
            (true, _) => (threads, block_rows, block_keys),
            (false, 1) => (4 * subgroup, 1, 64),
            (false, 2) => (4 * subgroup, 2, 32),
            (false, 3..=4) => (4 * subgroup, 4, 32),
            (false, _) => (4 * subgroup, if whole_rows { 4 } else { 8 }, 32),
        };
        let (split, row_split, staged) = match workgroup {
            true => (0, 0, 0),
            false if whole_rows => {
                (subgroup.min(8).min((1 << both.trailing_zeros()) / 4), 1, u32::from(subgroup == 32))
            }
            // Staging through shared memory is for NVIDIA's devices.
            false => (subgroup.min(8).min((1 << both.trailing_zeros()) / 4), 4, u32::from(subgroup == 32)),
        };
        let stride = |quant: Quant, row: usize| row / block(quant).0;
        let aligned = self.keys.is_multiple_of(block_keys)
            && stride(self.k, self.depth).is_multiple_of(8)
            && stride(self.v, self.outputs).is_multiple_of(8)
            && (!workgroup || both.is_multiple_of(16));
        let flags = u32::from(self.mask) * 2 + u32::from(self.softcap.is_some()) * 4;
        vec![
            threads,
            block_rows,
            block_keys as u32,
            self.depth as u32,
            self.outputs as u32,
            u32::from(!aligned),
            split,
            row_split,
            subgroup,
            staged,
            flags,
            0,
            self.k.number(),
            self.v.number(),
            block(self.k).1 as u32,
            block(self.v).1 as u32,
        ]
    }

    pub fn scale(&self) -> f32 {
        1.0 / (self.depth as f32).sqrt()
    }

    fn push_constants(&self) -> String {
        let mut text = "\n[push-constants]\n".to_owned();
        let mut put = |name: &str, value: usize| {
            let _ = writeln!(text, "{name} = {value}");
        };
        let kv_heads = self.heads / self.groups;
        put("N", if self.grouped() { self.groups } else { self.queries });
        put("KV", self.keys);
        for (name, value) in [
            ("ne1", self.heads),
            ("ne2", self.queries),
            ("ne3", 1),
            ("neq2", self.heads),
            ("neq3", 1),
            ("nek2", kv_heads),
            ("nek3", 1),
            ("nev2", kv_heads),
            ("nev3", 1),
            ("nem1", if self.mask { self.queries } else { 0 }),
            ("nem2", usize::from(self.mask)),
            ("nem3", usize::from(self.mask)),
        ] {
            put(name, value);
        }
        let row = self.depth;
        put("nb01", row);
        put("nb02", row * self.queries * 4);
        put("nb03", row * self.queries * self.heads * 4);
        for (number, quant, row) in [(1, self.k, self.depth), (2, self.v, self.outputs)] {
            put(&format!("nb{number}1"), row / block(quant).0);
            put(&format!("nb{number}2"), quant.bytes(row) * self.keys);
            put(&format!("nb{number}3"), quant.bytes(row) * self.keys * kv_heads);
        }
        put("mask_n_head_log2", 1 << self.heads.ilog2());
        put("gqa_ratio", if self.grouped() { self.groups } else { 1 });
        put("split_kv", self.keys);
        put("k_num", 1);
        let softcap = self.softcap.unwrap_or(0.0);
        let scale = if softcap == 0.0 { self.scale() } else { self.scale() / softcap };
        let _ = writeln!(
            text,
            "scale = {scale:e}\nmax_bias = 0.0\nlogit_softcap = {softcap:.1}\nm0 = 1.0\nm1 = 1.0"
        );
        text
    }

    fn buffers(&self) -> String {
        let mut text = String::new();
        let mut put = |name: &str, binding: u32, type_: &str, shape: &str, fill: &str| {
            let _ = writeln!(
                text,
                "\n[[buffers]]\nname = \"{name}\"\nbinding = {binding}\ntype = \"{type_}\"\nshape = {shape}\nfill{fill}"
            );
        };
        put(
            "q",
            0,
            "f32",
            "[\"HEADS\", \"QUERIES\", \"DEPTH\"]",
            ".uniform = { seed = 1, low = -3, high = 3 }",
        );
        put(
            "k",
            1,
            self.k.name(),
            "[\"KV_HEADS\", \"KEYS\", \"DEPTH\"]",
            ".uniform = { seed = 2, low = -2, high = 2 }",
        );
        put("v", 2, self.v.name(), "[\"KV_HEADS\", \"KEYS\", \"OUTPUTS\"]", ".uniform = { seed = 3 }");
        if self.mask {
            put("mask", 3, "f16", "[\"QUERIES\", \"KEYS\"]", &format!(".formula = \"{MASK}\""));
        } else {
            put("mask", 3, "f16", "[8]", " = \"zeros\"");
        }
        put("sinks", 4, "f32", "[4]", " = \"zeros\"");
        put("output", 5, "f32", "[\"QUERIES\", \"HEADS\", \"OUTPUTS\"]", ".constant = -99");
        put("mask_opt", 6, "u32", "[4]", " = \"zeros\"");
        put("sparse", 7, "s32", "[4]", " = \"zeros\"");
        text
    }

    fn expectation(&self, variant: &str) -> String {
        let mut text = String::new();
        let mut reference = |name: &str, equals: &str| {
            let _ = writeln!(text, "\n[[references]]\nname = \"{name}\"\n{equals}");
        };
        let mut keys = ("k", "v");
        if self.groups > 1 {
            for (name, input, columns) in [("each_k", "k", "DEPTH"), ("each_v", "v", "OUTPUTS")] {
                reference(
                    name,
                    &format!(
                        "equals.gather = {{ input = \"{input}\", shape = [\"HEADS\", \"KEYS\", \"{columns}\"], at = [\"floor(matrix / {})\", \"row\", \"column\"] }}",
                        self.groups
                    ),
                );
            }
            keys = ("each_k", "each_v");
        }
        let (k, v) = keys;
        if let Some(softcap) = self.softcap {
            reference(
                "products",
                &format!("equals.matmul = {{ a = \"q\", b = \"{k}\", transpose-b = true }}"),
            );
            reference(
                "scores",
                &format!("equals.formula = \"{softcap} * tanh(products * {} / {softcap})\"", self.scale()),
            );
            reference("weights", "equals.softmax = { input = \"scores\" }");
            reference("weighted", &format!("equals.matmul = {{ a = \"weights\", b = \"{v}\" }}"));
        } else {
            let mask = if self.mask { ", mask = \"mask\"" } else { "" };
            reference(
                "weighted",
                &format!("equals.attention = {{ q = \"q\", k = \"{k}\", v = \"{v}\"{mask} }}"),
            );
        }
        // Weights are half floats of 8 bits (bfloat16) or 11.
        let tolerance = match (variant.contains("bf16"), variant.contains("f16acc")) {
            (true, _) => 2e-2,
            (false, true) => 1e-2,
            (false, false) => 4e-3,
        };
        let _ = writeln!(
            text,
            "\n[[expect]]\nbuffer = \"output\"\nequals.gather = {{ input = \"weighted\", at = [\"row\", \"matrix\", \"column\"] }}\ntolerance = {{ absolute = {tolerance:e} }}"
        );
        text
    }
}
