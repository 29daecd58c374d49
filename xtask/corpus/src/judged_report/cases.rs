//! Every variant with cooperative matrices, at two shapes: how ggml-vulkan dispatches it, what ggml is asked for, and how far off a
//! result may be.

use std::fmt::Write as _;

use super::convolution::Convolution;
use super::judge::Request;
use crate::simulate_report::attention::Attention;
use crate::simulate_report::multiply::{EXPERTS, Layout, Multiply, Tile, USED, Variant as Said};
use crate::simulate_report::quants::Quant;

/// One run of a variant.
#[derive(Clone, Debug)]
pub struct Case {
    /// What llama.cpp calls the module, `matmul_f16_cm1`.
    pub variant: String,
    /// The types that it reads, if its name does not say them.
    pub types: String,
    /// For people: `64x64x256`.
    pub sizes: String,
    /// Invocations of a subgroup.
    pub subgroup: u32,
    pub request: Request,
    /// Buffers that the judge writes: name and binding. They are files of the same name.
    pub inputs: Vec<(&'static str, u32)>,
    /// Buffers that the shader declares and does not read here: their bindings.
    pub unread: Vec<u32>,
    pub output: Output,
    /// The largest error, in proportion to the judge's `scale` of the element.
    pub bound: f64,
    work: Work,
}

/// The buffer that is judged.
#[derive(Clone, Debug)]
pub struct Output {
    pub binding: u32,
    pub shape: Vec<usize>,
}

#[derive(Clone, Debug)]
enum Work {
    Multiply(Multiply),
    Attention(Attention),
    Convolution(Convolution),
}

impl Case {
    /// A folder's name.
    pub fn name(&self) -> String {
        let types = if self.types.is_empty() { String::new() } else { format!(".{}", self.types) };
        format!("{}{types}.{}.{}", self.variant, self.sizes, self.subgroup).replace(' ', "-")
    }

    /// The recipe for a module that declares these specialization constants, beside the judge's files.
    pub fn recipe(
        &self,
        declared: &[u32],
        sizes_of_files: impl Fn(&str) -> u64,
        largest_error: f64,
    ) -> String {
        let mut text = match &self.work {
            Work::Multiply(multiply) => multiply.pipeline(&self.variant, self.subgroup, declared),
            Work::Attention(attention) => attention.pipeline(&self.variant, self.subgroup, declared),
            Work::Convolution(convolution) => convolution.pipeline(&self.variant, self.subgroup, declared),
        };
        for (name, binding) in &self.inputs {
            let bytes = sizes_of_files(name);
            let _ = writeln!(
                text,
                "\n[[buffers]]\nname = \"{name}\"\nbinding = {binding}\ntype = \"u8\"\nshape = [{bytes}]\nfill.file = \"{name}\""
            );
        }
        for binding in &self.unread {
            let _ = writeln!(
                text,
                "\n[[buffers]]\nname = \"unread{binding}\"\nbinding = {binding}\ntype = \"u32\"\nshape = [4]"
            );
        }
        let Output { binding, shape } = &self.output;
        let _ = writeln!(
            text,
            "\n[[buffers]]\nname = \"result\"\nbinding = {binding}\ntype = \"f32\"\nshape = {shape:?}\nfill.constant = -99"
        );
        let _ = writeln!(
            text,
            "\n[[expect]]\nbuffer = \"result\"\nequals.file = \"expected.npy\"\ntolerance = {{ absolute = {largest_error:e} }}"
        );
        text
    }
}

/// The cases of a variant; nothing for one that is not known.
pub fn of(variant: &str) -> Vec<Case> {
    if let Some(rest) = variant.strip_prefix("matmul_id_subgroup_") {
        return multiplications(variant, rest, Layout::Experts);
    }
    if let Some(rest) = variant.strip_prefix("matmul_") {
        return multiplications(variant, rest, Layout::One);
    }
    if variant.starts_with("flash_attn_") {
        return attentions(variant);
    }
    if variant.starts_with("conv") {
        return [true, false].map(|fitting| convolution(variant, fitting)).into();
    }
    Vec::new()
}

/// `conv2d_mm.comp` and `conv3d_mm.comp`, whose sums are half floats.
fn convolution(variant: &str, fitting: bool) -> Case {
    let convolution = Convolution::of(variant, fitting);
    let operands = if convolution.type_ == "f16" { 1.0 } else { 2.0 };
    Case {
        variant: variant.to_owned(),
        types: String::new(),
        sizes: convolution.sizes(),
        subgroup: 32,
        request: convolution.request(),
        inputs: vec![("a", 0), ("b", 1)],
        unread: Vec::new(),
        output: Output { binding: 2, shape: convolution.output() },
        bound: (operands + (convolution.taps() as f64).sqrt()) / 2048.0,
        work: Work::Convolution(convolution),
    }
}

/// `flash_attn_cm1.comp` and `flash_attn_cm2.comp`, for what keys and values may be.
fn attentions(variant: &str) -> Vec<Case> {
    let types: &[Quant] = if variant.contains("bf16") {
        &[Quant::Bf16]
    } else {
        &[
            Quant::F16,
            Quant::F32,
            Quant::Q4_0,
            Quant::Q4_1,
            Quant::Q5_0,
            Quant::Q5_1,
            Quant::Q8_0,
            Quant::Iq4Nl,
        ]
    };
    let both = types.iter().flat_map(|type_| [true, false].map(|fitting| (*type_, fitting)));
    both.map(|(type_, fitting)| attention(variant, type_, fitting)).collect()
}

fn attention(variant: &str, type_: Quant, fitting: bool) -> Case {
    let simple = Attention { queries: 16, keys: 128, k: type_, v: type_, ..Attention::default() };
    let attention = if fitting {
        simple
    } else {
        // Two heads of queries for each of keys, values that are shorter than keys, keys that are hidden.
        let outputs = 96;
        Attention { queries: 21, keys: 100, heads: 4, groups: 2, outputs, mask: true, ..simple }
    };
    let mut inputs = vec![("q", 0), ("k", 1), ("v", 2)];
    let mut unread = vec![4, 6, 7];
    if attention.mask {
        inputs.push(("mask", 3));
    } else {
        unread.push(3);
    }
    // Weights are rounded to half floats, or to 8 bits.
    let bound = match (variant.contains("bf16"), variant.contains("f16acc")) {
        (true, _) => 2e-2,
        (false, true) => 1e-2,
        (false, false) => 4e-3,
    };
    let request = Request::new("attention", type_.name())
        .with("k", type_.name())
        .with("v", type_.name())
        .with("heads", attention.heads)
        .with("kv_heads", attention.heads / attention.groups)
        .with("queries", attention.queries)
        .with("keys", attention.keys)
        .with("depth", attention.depth)
        .with("outputs", attention.outputs)
        .with("factor", attention.scale())
        .with("softcap", 0)
        .with("mask", u8::from(attention.mask))
        .with("seed", 1);
    Case {
        variant: variant.to_owned(),
        types: type_.name().to_owned(),
        sizes: attention.sizes(),
        subgroup: 32,
        request,
        inputs,
        unread,
        output: Output { binding: 5, shape: vec![attention.queries, attention.heads, attention.outputs] },
        bound,
        work: Work::Attention(attention),
    }
}

/// The types of A that a variant takes, by the rest of its name.
fn types(rest: &str) -> Vec<Quant> {
    let workgroup = rest.ends_with("_cm2");
    if rest.starts_with("quant_") {
        // Two types have shaders of their own.
        let own = |quant: &Quant| workgroup && matches!(quant, Quant::Q4K | Quant::Q5K);
        return Quant::OF_ONE_SHADER.into_iter().filter(|quant| !own(quant)).collect();
    }
    let end = ["_f16", "_f32", "_q8_1", "_cm"].into_iter().filter_map(|b| rest.find(b)).min();
    end.and_then(|end| Quant::named(&rest[..end])).into_iter().collect()
}

fn multiplications(variant: &str, rest: &str, layout: Layout) -> Vec<Case> {
    let types = types(rest);
    let several = types.len() > 1;
    let mut cases = Vec::new();
    for a in types {
        for fitting in [true, false] {
            let mut case = multiplication(variant, a, layout, fitting);
            if several {
                a.name().clone_into(&mut case.types);
            }
            cases.push(case);
        }
    }
    cases
}

/// `mul_mm.comp`, `mul_mm_cm2.comp` and `mul_mmq_cm1.comp`.
fn multiplication(variant: &str, a: Quant, layout: Layout, fitting: bool) -> Case {
    let said = Said::of(variant, a);
    let integer = said.b == "q8_1";
    let block = a.block().0;
    let [m, n, k] = match (fitting, layout) {
        (true, Layout::Experts) => [64, 32, block.max(64)],
        (true, _) => [64, 64, block.max(64)],
        // Rows that callbacks fetch are whole tiles, and so are integers.
        (false, Layout::Experts) if said.workgroup => [72, 22, block.max(64)],
        (false, Layout::Experts) => [40, 22, if block == 1 { 50 } else { (block * 3).min(256.max(block)) }],
        (false, _) => [40, 36, if block == 1 { 50 } else { (block * 3).min(256.max(block)) }],
    };
    // Of integers, the columns of B are blocks of 32.
    let k = if integer { k.next_multiple_of(32) } else { k };
    let k = k.next_multiple_of(block);
    // The pipelines of cooperative matrices of subgroups, whose medium tile is 64x64; those of the workgroup have larger ones.
    let tile = if fitting && !said.workgroup && !integer { Tile::Medium } else { Tile::Small };
    let mut multiply = Multiply::new(a, tile, [m, n, k]);
    multiply.layout = layout;
    multiply.aligned = fitting && !integer;
    let (inputs, shape, request) = if layout == Layout::Experts {
        let request = Request::new("mul_mat_id", a.name()).with("experts", EXPERTS).with("used", USED);
        (vec![("a", 0), ("b", 1), ("ids", 3), ("counts", 4)], vec![n, USED, m], request)
    } else {
        let request =
            Request::new("mul_mat", a.name()).with("batches_a", 1).with("batches_b", 1).with("split", k);
        (vec![("a", 0), ("b", 1)], vec![n, m], request)
    };
    let request = request.with("a", a.name()).with("b", said.b);
    Case {
        variant: variant.to_owned(),
        types: String::new(),
        sizes: format!("{m}x{n}x{k}"),
        subgroup: 32,
        request: request.with("m", m).with("n", n).with("k", k).with("seed", 1),
        inputs,
        unread: Vec::new(),
        output: Output { binding: 2, shape },
        bound: product_bound(&said, a, k),
        work: Work::Multiply(multiply),
    }
}

/// In units of the sum of the absolute products. Operands that are not of the matrices' type are rounded to it, by half a unit in the
/// last place of 11 bits (8 of bfloat16), and so is each sum of half floats, whose errors add up like a walk.
fn product_bound(said: &Said, a: Quant, k: usize) -> f64 {
    let half = 1.0 / 2048.0;
    if said.b == "q8_1" {
        // Sums of integers are exact; the scales' products and the sums that minima are multiplied with are rounded.
        return if a.has_minimum() { half } else { 1e-6 };
    }
    let rounds_a = match a {
        Quant::F16 | Quant::Bf16 => 0.0,
        Quant::F32 => half,
        // Scaled, and moved by a minimum, in half floats.
        _ => half * if a.has_minimum() { 3.0 } else { 1.5 },
    };
    let rounds_b = if said.b == "f32" { half } else { 0.0 };
    let sums = if said.half_sums { (k as f64).sqrt() * half } else { k as f64 / 16_777_216.0 };
    rounds_a + rounds_b + sums
}
