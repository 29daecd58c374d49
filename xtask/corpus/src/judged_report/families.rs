//! Every variant, at two shapes: how ggml-vulkan dispatches it, what ggml is asked for, and how far off a
//! result may be.

use super::cases::{Case, Output, Work, case};
use super::convolution::Convolution;
use super::decode::{self, Decode, Phase};
use super::judge::Request;
use super::vector::Vector;
use super::{arrangements, copies, elementwise, models, rows};
use crate::simulate_report::attention::Attention;
use crate::simulate_report::multiply::{EXPERTS, Layout, Multiply, Tile, USED, Variant as Said};
use crate::simulate_report::quants::Quant;

/// The cases of a variant; nothing for one that is not known.
pub fn of(source: &str, variant: &str) -> Vec<Case> {
    for family in [elementwise::cases, rows::cases, copies::cases, arrangements::cases, models::cases] {
        let cases = family(source, variant);
        if !cases.is_empty() {
            return cases;
        }
    }
    if variant.starts_with("mul_mat_vec_") {
        return Vector::cases(variant);
    }
    if let Some(rest) = variant.strip_prefix("matmul_id_") {
        let rest = rest.strip_prefix("subgroup_").unwrap_or(rest);
        return multiplications(variant, rest, Layout::Experts);
    }
    if let Some(rest) = variant.strip_prefix("matmul_") {
        return multiplications(variant, rest, Layout::One);
    }
    if variant.starts_with("flash_attn_") {
        return attentions(variant);
    }
    if variant == "fa_decode_ph1_cm1" {
        return [true, false].map(decode).into();
    }
    if matches!(source, "conv2d_mm.comp" | "conv3d_mm.comp") {
        return [true, false].map(|fitting| convolution(variant, fitting)).into();
    }
    Vec::new()
}

/// `conv2d_mm.comp` and `conv3d_mm.comp`, whose sums are half floats.
fn convolution(variant: &str, fitting: bool) -> Case {
    let convolution = Convolution::of(variant, fitting);
    let operands = if convolution.type_ == "f16" { 1.0 } else { 2.0 };
    let taps = convolution.taps() as f64;
    Case {
        sizes: convolution.sizes(),
        inputs: vec![("a", 0), ("b", 1)],
        output: Some(Output::floats(2, convolution.output())),
        bound: if convolution.matrices { (operands + taps.sqrt()) / 2048.0 } else { taps / 16_777_216.0 },
        ..case(variant, 32, convolution.request(), Work::Convolution(convolution))
    }
}

/// `flash_attn_cm1.comp`, `flash_attn_cm2.comp` and `flash_attn.comp`, for what keys and values may be.
fn attentions(variant: &str) -> Vec<Case> {
    let types: &[Quant] = if variant.contains("bf16") {
        &[Quant::Bf16]
    } else if variant.ends_with("_int8") {
        &[Quant::Q4_0, Quant::Q4_1, Quant::Q5_0, Quant::Q5_1, Quant::Q8_0]
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
    let bound = match variant {
        _ if variant.contains("bf16") => 2e-2,
        // Queries are rounded to 8 bits.
        _ if variant.ends_with("_int8") => 4e-2,
        _ if variant.contains("f16acc") => 1e-2,
        _ => 4e-3,
    };
    let request = Request::new("attention", type_.name())
        .with("q", "f32")
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
        .with("tokens_first", 0)
        .with("seed", 1);
    Case {
        types: type_.name().to_owned(),
        sizes: attention.sizes(),
        inputs,
        unread,
        output: Some(Output::floats(5, vec![attention.queries, attention.heads, attention.outputs])),
        bound,
        ..case(variant, 32, request, Work::Attention(attention))
    }
}

/// Both phases of Intel's attention for few tokens: one head of K for each eight of Q and one token, or sizes that fit nothing.
fn decode(fitting: bool) -> Case {
    let work = if fitting {
        Decode { heads: 16, groups: 8, queries: 1, keys: 256, depth: 64, outputs: 64 }
    } else {
        Decode { heads: 6, groups: 3, queries: 3, keys: 300, depth: 96, outputs: 48 }
    };
    let [exponentials, largest] = work.left();
    let second = Case {
        types: "f16, behind phase 1".to_owned(),
        sizes: work.sizes(),
        inputs: vec![("p", 0), ("v", 1), ("max", 2)],
        unread: vec![3],
        output: Some(Output::floats(4, vec![work.queries, work.heads, work.outputs])),
        bound: 4e-3,
        ..case("fa_decode_ph2_cm1", decode::SUBGROUP, work.request(), Work::Decode(work, Phase::Sums))
    };
    Case {
        variant: "fa_decode_ph1_cm1".to_owned(),
        types: "f16, before phase 2".to_owned(),
        inputs: vec![("q", 0), ("k", 1), ("mask", 2)],
        unread: Vec::new(),
        left: vec![("p", 3, "f16", exponentials), ("max", 4, "f32", largest)],
        output: None,
        work: Work::Decode(work, Phase::Scores),
        then: Some(Box::new(second.clone())),
        ..second
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
    let ends = ["_f16", "_f32", "_q8_1", "_cm", "_dot2", "_fp32"];
    let end = ends.into_iter().filter_map(|b| rest.find(b)).min().unwrap_or(rest.len());
    Quant::named(&rest[..end]).into_iter().collect()
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

/// `mul_mm.comp`, `mul_mm_cm2.comp`, `mul_mmq.comp` and `mul_mmq_cm1.comp`.
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
    let request = request.with("m", m).with("n", n).with("k", k).with("seed", 1);
    Case {
        sizes: format!("{m}x{n}x{k}"),
        inputs,
        output: Some(Output::floats(2, shape)),
        bound: product_bound(&said, a, k),
        ..case(variant, 32, request, Work::Multiply(multiply))
    }
}

/// In units of the sum of the absolute products. Operands that are not of the matrices' type are rounded to it, by half a unit in the
/// last place of 11 bits (8 of bfloat16), and so is each sum of half floats, whose errors add up like a walk.
fn product_bound(said: &Said, a: Quant, k: usize) -> f64 {
    let half = 1.0 / 2048.0;
    let sums = if said.half_sums { (k as f64).sqrt() * half } else { k as f64 / 16_777_216.0 };
    if said.b == "q8_1" {
        // Sums of integers are exact; the scales' products and the sums that minima are multiplied with are rounded.
        let moved =
            a.has_minimum() || (!said.matrices && matches!(a, Quant::Q4_0 | Quant::Q5_0 | Quant::Q2_0));
        return if moved { half } else { 1e-6 };
    }
    if said.floats {
        return sums;
    }
    let rounds_a = match a {
        Quant::F16 | Quant::Bf16 => 0.0,
        Quant::F32 => half,
        // Scaled, and moved by a minimum, in half floats.
        _ => half * if a.has_minimum() { 3.0 } else { 1.5 },
    };
    let rounds_b = if said.b == "f32" { half } else { 0.0 };
    rounds_a + rounds_b + sums
}
