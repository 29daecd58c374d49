//! What models are made of, apart from products: rotary positions, convolutions channel by channel, blocks of 8 bits.

use super::cases::{Case, Output, Work, case};
use super::judge::Request;
use super::plain::{Plain, Shape, Type, any};
use crate::simulate_report::quants::Quant;

const FLOAT: Type = Type::Of(Quant::F32);

/// Both shapes of a variant; nothing for one that is not known.
pub fn cases(source: &str, variant: &str) -> Vec<Case> {
    let make: fn(&str, bool) -> Option<Case> = match source {
        "rope_norm.comp" | "rope_neox.comp" | "rope_multi.comp" | "rope_vision.comp" => rope,
        "conv2d_dw.comp" => conv2d_by_channel,
        "quantize_q8_1.comp" => quantise,
        _ => return Vec::new(),
    };
    [true, false].into_iter().filter_map(|fitting| make(variant, fitting)).collect()
}

/// The dimensions between which YaRN goes over from one scale to the other, as ggml computes them.
fn corrected(dims: usize, context: f32, base: f32) -> [f32; 2] {
    let at = |rotations: f32| {
        dims as f32 * (context / (rotations * 2.0 * std::f32::consts::PI)).ln() / (2.0 * base.ln())
    };
    [at(32.0).floor().max(0.0), at(1.0).ceil().min(dims as f32 - 1.0)]
}

/// All of a row is turned by its position; or a part of it, by positions that are scaled, with a factor for each pair.
fn rope(variant: &str, fitting: bool) -> Option<Case> {
    let (kind, types) = variant.strip_prefix("rope_")?.split_once('_')?;
    let (from, to) = types.split_once('_').unwrap_or((types, types));
    let lengths: &[usize] = if fitting { &[64, 4, 8] } else { &[80, 3, 5, 2] };
    let a = Shape::new(Type::named(from)?, lengths);
    let result = a.of(Type::named(to)?);
    let [columns, heads, tokens, _] = a.lengths;
    let (mode, positions, dims) = match kind {
        "norm" => (0, 1, if fitting { 64 } else { 48 }),
        "neox" => (2, 1, if fitting { 64 } else { 48 }),
        "multi" => (8, 4, if fitting { 64 } else { 48 }),
        _ => (24, 4, columns / 2),
    };
    let sections = match (kind, fitting) {
        ("multi", true) => [16, 8, 8, 0],
        ("multi", false) => [10, 8, 6, 0],
        ("vision", true) => [16, 16, 0, 0],
        ("vision", false) => [24, 16, 0, 0],
        _ => [0; 4],
    };
    let (base, context) = (10_000.0_f32, 4096.0_f32);
    let scaled = !fitting && kind != "vision";
    let (scale, extrapolated) = if scaled { (0.5, 1.0) } else { (1.0, 0.0) };
    let factors = !fitting && positions == 1;
    let mut plain = Plain::new([a.rows(), columns.div_ceil(512), 1]).with("rope_mode", mode);
    plain = plain.with("nrows", a.rows()).with("n_dims", dims).with("n_offs", 0);
    plain = plain.real("freq_scale", scale).real("freq_base", base);
    plain = plain.real("ext_factor", extrapolated).real("attn_factor", 1.0);
    plain = plain.list("corr_dims", &corrected(dims, context, base));
    plain = plain.real("theta_scale", base.powf(-2.0 / dims as f32)).with("has_ff", usize::from(factors));
    plain =
        plain.list("sections", &sections).with("is_imrope", 0).with("is_back", 0).with("set_rows_stride", 0);
    plain = plain.with("ne00", columns).with("ne01", heads).with("ne02", tokens);
    for axis in 1..4 {
        plain = plain.with(&format!("nb0{axis}"), a.steps()[axis]);
        plain = plain.with(&format!("nb1{axis}"), result.steps()[axis]);
    }
    plain = plain.with("a_offset", 0).with("d_offset", 0);
    let b = Shape::new(Type::Integers, &[tokens * positions]);
    let mut operands = vec![a.between(-1.0, 1.0), b.between(0.0, 100.0)];
    let mut inputs = vec![("a", 0), ("b", 1)];
    if factors {
        operands.push(Shape::new(FLOAT, &[dims / 2]).between(0.5, 2.0));
        inputs.push(("c", 2));
    }
    let mut numbers = vec![dims as f32, mode as f32, context, base, scale, extrapolated, 1.0];
    numbers.extend(sections.map(|section| section as f32));
    Some(Case {
        sizes: format!("{}, {dims} turned", a.shown()),
        inputs,
        unread: if factors { vec![4] } else { vec![2, 4] },
        output: result.output(3),
        // Angles of some hundred are floats.
        bound: 1e-4 + result.type_.rounding(),
        ..any(variant, "rope", &operands, &numbers, plain)
    })
}

/// Each channel has a kernel of its own. Channels are the slowest axis but one, or the fastest.
fn conv2d_by_channel(variant: &str, fitting: bool) -> Option<Case> {
    let first = variant.contains("_cwhn");
    let kernel = Type::Of(if variant.contains("_f16_f32") { Quant::F16 } else { Quant::F32 });
    let ([width, height, channels, batches], stride, padding, dilation) =
        if fitting { ([16, 16, 32, 1], 1, 1, 1) } else { ([13, 9, 5, 2], 2, 2, 2) };
    let side = 3;
    let length = |length: usize| (length + 2 * padding - dilation * (side - 1) - 1) / stride + 1;
    let (wide, high) = (length(width), length(height));
    let (a, b, shape) = if first {
        let shape = vec![batches, high, wide, channels];
        (
            Shape::new(kernel, &[channels, 1, side, side]),
            Shape::new(FLOAT, &[channels, width, height, batches]),
            shape,
        )
    } else {
        let shape = vec![batches, channels, high, wide];
        (
            Shape::new(kernel, &[side, side, 1, channels]),
            Shape::new(FLOAT, &[width, height, channels, batches]),
            shape,
        )
    };
    let count = wide * high * channels * batches;
    let mut plain =
        Plain::elements(count, 512).with("ne", count).with("batches", batches).with("channels", channels);
    for (name, value) in [("dst_w", wide), ("dst_h", high), ("src_w", width), ("src_h", height)] {
        plain = plain.with(name, value);
    }
    plain = plain.with("knl_w", side).with("knl_h", side);
    for (name, value) in [("stride", stride), ("pad", padding), ("dilation", dilation)] {
        plain = plain.with(&format!("{name}_x"), value).with(&format!("{name}_y"), value);
    }
    let numbers = [stride, padding, dilation, usize::from(first)].map(|number| number as f32);
    let made = any(variant, "conv_2d_dw", &[a.between(-1.0, 1.0), b.between(-1.0, 1.0)], &numbers, plain);
    Some(Case {
        sizes: format!("{width}x{height} of {channels} by {side}x{side}"),
        inputs: vec![("a", 0), ("b", 1)],
        output: Some(Output::floats(2, shape)),
        bound: 1e-5,
        ..made
    })
}

/// Floats to blocks of 8 bits, in fours or alone.
fn quantise(variant: &str, fitting: bool) -> Option<Case> {
    let fours = variant.contains("_x4");
    let count: usize = if fitting { 1024 } else { 32 * 7 };
    let blocks = if fours { count.div_ceil(128) * 4 } else { count / 32 };
    // Eight invocations make a block.
    let groups = blocks.div_ceil(4);
    let mut plain = Plain::new([groups, 1, 1]).with("ne", count).with("num_blocks", groups);
    plain.constants = vec![32];
    let request = Request::new("blocks_of_8_bits", "f32").with("count", count);
    let request = request.with("fours", usize::from(fours)).with("seed", 1);
    Some(Case {
        sizes: count.to_string(),
        inputs: vec![("a", 0)],
        output: Some(Output { binding: 1, shape: vec![blocks * 36], type_: "u8" }),
        bound: 0.0,
        ..case(variant, 32, request, Work::Plain(plain))
    })
}
