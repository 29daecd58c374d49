//! Samples of images: from coordinates to levels and texels, and to what is between them (Vulkan, "Texel Input Operations", "Image Sample Operations").

mod cubes;

use super::one;
use crate::code::{Detail, ImageInstruction};
use crate::machine::{Context, Plane};
use crate::memory::{Filter, Image, Sampler};
use crate::program::types::{ImageDimensions, Scalar};

/// Two texels of a direction, and how much the second one counts; the border is none.
type Pair = ([Option<i64>; 2], f64);

/// What is added to coordinates.
pub(super) fn offset(i: &ImageInstruction, cx: &Context, lane: usize) -> [i64; 3] {
    let mut offset = [0; 3];
    if let Some(slot) = i.offset {
        let first = cx.plane(slot);
        for index in 0..i.type_.dimensions.count() {
            offset[index as usize] = i64::from(cx.registers.get(first + index, lane) as i32);
        }
    }
    offset
}

fn float(cx: &Context, plane: Plane, lane: usize) -> f32 {
    f32::from_bits(cx.registers.get(plane, lane))
}

/// How far the image is to be reduced: the level of detail before it is clamped (Vulkan, "Scale Factor, Level-of-Detail Operation").
fn detail(i: &ImageInstruction, cx: &Context, lane: usize, size: [u32; 3]) -> f32 {
    match i.detail {
        Detail::First => 0.0,
        Detail::Bias(plane) | Detail::Level(plane) => float(cx, cx.plane(plane), lane),
        Detail::Gradients(x, y) => {
            let length = |first: Plane| {
                let squares = (0..i.type_.dimensions.count()).map(|index| {
                    let change = f64::from(float(cx, first + index, lane)) * f64::from(size[index as usize]);
                    change * change
                });
                libm::sqrt(squares.sum())
            };
            let (x, y) = (length(cx.plane(x)), length(cx.plane(y)));
            libm::log2(x.max(y)) as f32
        }
    }
}

/// What a lane samples with: its descriptor is behind that of the image.
fn sampler(i: &ImageInstruction, cx: &Context, lane: usize) -> Sampler {
    let descriptor = cx.registers.get(cx.plane(i.image) + 1, lane);
    cx.env.samplers.get(descriptor as usize).copied().flatten().unwrap_or_default()
}

/// A value at coordinates, and whether texels count that nobody wrote.
pub(super) fn sample(
    i: &ImageInstruction,
    cx: &mut Context,
    lane: usize,
    (number, image): (u32, &Image),
) -> ([u32; 4], bool) {
    let sampler = sampler(i, cx, lane);
    let mut level = detail(i, cx, lane, image.size());
    level += sampler.bias;
    level = level.max(sampler.levels[0]).min(sampler.levels[1]);
    if let Some(smallest) = i.smallest {
        level = level.max(float(cx, cx.plane(smallest), lane));
    }
    // NaN is no level.
    let level = if level.is_nan() { 0.0 } else { level };
    let is_float = matches!(i.scalar, Scalar::Float(_));
    // Integers are not blended.
    let linear = |filter: Filter| filter == Filter::Linear && is_float;
    let filtered = linear(if level <= 0.0 { sampler.magnify } else { sampler.minify });
    let last = image.levels() - 1;
    let at = |level: f64| (level.max(0.0) as u32).min(last);
    let place = (number, image, &sampler, filtered);
    if !linear(sampler.between_levels) {
        // The nearest one, the lower one of two.
        let nearest = at(libm::ceil(f64::from(level) + 0.5) - 1.0);
        let (sum, unwritten) = level_sample(i, cx, lane, place, nearest);
        return (finished(i, image, sum), unwritten);
    }
    let below = libm::floor(f64::from(level).max(0.0));
    let share = f64::from(level).max(0.0) - below;
    let (low, high) = (at(below), at(below + 1.0));
    let (mut sum, mut unwritten) = level_sample(i, cx, lane, place, low);
    if share > 0.0 && low != high {
        let (other, more) = level_sample(i, cx, lane, place, high);
        unwritten |= more;
        for (one, other) in sum.iter_mut().zip(other) {
            *one = *one * (1.0 - share) + other * share;
        }
    }
    (finished(i, image, sum), unwritten)
}

/// A blended value as a texel that the shader sees: in `f64`, floats are exact and so are integers.
fn finished(i: &ImageInstruction, image: &Image, sum: [f64; 4]) -> [u32; 4] {
    let texel = match i.scalar {
        Scalar::Float(_) => sum.map(|value| (value as f32).to_bits()),
        _ => sum.map(|value| value as i64 as u32),
    };
    image.seen(texel, one(i.scalar))
}

/// The texels of a direction that a coordinate is between.
fn pair(
    i: &ImageInstruction,
    sampler: &Sampler,
    filtered: bool,
    direction: usize,
    at: f64,
    size: u32,
) -> Pair {
    // Beyond what an image may have, also of NaN, which becomes 0.
    let whole = |value: f64| value.clamp(-1e15, 1e15) as i64;
    if direction >= i.type_.dimensions.count() as usize {
        // A layer, which is rounded and clamped.
        let layer = whole(libm::rint(at)).clamp(0, i64::from(size.max(1)) - 1);
        return ([Some(layer); 2], 0.0);
    }
    let mode = sampler.address[direction];
    if !filtered {
        return ([mode.wrap(whole(libm::floor(at)), size); 2], 0.0);
    }
    let below = libm::floor(at - 0.5);
    let share = at - 0.5 - below;
    let first = whole(below);
    ([mode.wrap(first, size), mode.wrap(first + 1, size)], if share.is_nan() { 0.0 } else { share })
}

/// A weighted sum of texels: exact in `f64`.
struct Blend {
    sum: [f64; 4],
    is_float: bool,
}

impl Blend {
    fn new(scalar: Scalar) -> Blend {
        Blend { sum: [0.0; 4], is_float: matches!(scalar, Scalar::Float(_)) }
    }

    fn add(&mut self, texel: [u32; 4], weight: f64) {
        for (sum, word) in self.sum.iter_mut().zip(texel) {
            match self.is_float {
                // A weight of 1 keeps infinities and the sign of zero.
                true if weight == 1.0 => *sum = f64::from(f32::from_bits(word)),
                true => *sum += f64::from(f32::from_bits(word)) * weight,
                false => *sum = f64::from(word),
            }
        }
    }
}

/// The texels of each direction that coordinates are between.
fn pairs(
    i: &ImageInstruction,
    cx: &Context,
    lane: usize,
    (sampler, filtered): (&Sampler, bool),
    size: [u32; 3],
) -> [Pair; 3] {
    let offset = offset(i, cx, lane);
    let mut pairs: [Pair; 3] = [([Some(0); 2], 0.0); 3];
    let first = cx.plane(i.at);
    let divisor = i.projected.then(|| float(cx, first + i.coordinates, lane));
    for (index, pair_of) in pairs.iter_mut().enumerate().take(i.coordinates as usize) {
        let mut given = float(cx, first + index as u32, lane);
        if let Some(divisor) = divisor {
            given /= divisor;
        }
        let is_layer = index >= i.type_.dimensions.count() as usize;
        // As a device computes it: the product has the precision of `f32`.
        let scaled = match sampler.normalized && !is_layer {
            true => f64::from(given * size[index] as f32),
            false => f64::from(given),
        };
        *pair_of = pair(i, sampler, filtered, index, scaled + offset[index] as f64, size[index]);
    }
    pairs
}

/// A texel of a level, or the border.
fn texel(
    i: &ImageInstruction,
    cx: &mut Context,
    lane: usize,
    (number, image, sampler): (u32, &Image, &Sampler),
    level: u32,
    at: [Option<i64>; 3],
) -> ([u32; 4], bool) {
    let [Some(x), Some(y), Some(z)] = at else {
        return (image.completed(sampler.border.texel(one(i.scalar)), one(i.scalar)), false);
    };
    let at = [x, y, z];
    let unwritten = cx.env.settings.checked && cx.check_texel_read(lane, number, (level, at));
    (image.texel_of(level, at), unwritten)
}

/// One component of the four texels that a linear filter would blend, of the first level (Vulkan, "Image Sample Operations", "Component Gather").
pub(super) fn gather(
    i: &ImageInstruction,
    cx: &mut Context,
    lane: usize,
    (number, image): (u32, &Image),
) -> ([u32; 4], bool) {
    let sampler = sampler(i, cx, lane);
    let component = i.component.map_or(0, |slot| cx.registers.get(cx.plane(slot), lane));
    let [across, down, (layer, _)] = pairs(i, cx, lane, (&sampler, true), image.size_of(0));
    let mut out = [0; 4];
    let mut unwritten = false;
    for (slot, (x, y)) in out.iter_mut().zip([(0, 1), (1, 1), (1, 0), (0, 0)]) {
        let at = [across.0[x], down.0[y], layer[0]];
        let (words, more) = texel(i, cx, lane, (number, image, &sampler), 0, at);
        unwritten |= more;
        *slot = image.seen(words, one(i.scalar))[component as usize & 3];
    }
    (out, unwritten)
}

/// The same of one level.
fn level_sample(
    i: &ImageInstruction,
    cx: &mut Context,
    lane: usize,
    (number, image, sampler, filtered): (u32, &Image, &Sampler, bool),
    level: u32,
) -> ([f64; 4], bool) {
    if i.type_.dimensions == ImageDimensions::Cube {
        return cubes::sample(i, cx, lane, (number, image, sampler, filtered), level);
    }
    let pairs = pairs(i, cx, lane, (sampler, filtered), image.size_of(level));
    let mut blend = Blend::new(i.scalar);
    let mut unwritten = false;
    for corner in 0..8usize {
        let mut weight = 1.0;
        let mut at = [Some(0); 3];
        for (direction, (places, share)) in pairs.iter().enumerate() {
            let second = corner >> direction & 1;
            weight *= if second == 1 { *share } else { 1.0 - *share };
            at[direction] = places[second];
        }
        if weight == 0.0 {
            continue;
        }
        let (texel, more) = texel(i, cx, lane, (number, image, sampler), level, at);
        unwritten |= more;
        blend.add(texel, weight);
    }
    (blend.sum, unwritten)
}
