//! Samples of cubes: from a direction to a face and a place on it (Vulkan, "Cube Map Face Selection and Transformations"), and beyond the edge of a face to
//! the next one (Vulkan, "Cube Map Edge Handling").

use super::{Blend, float, texel};
use crate::code::ImageInstruction;
use crate::machine::Context;
use crate::memory::{Image, Sampler};

/// The face that a direction meets, and where: both coordinates from -1 to 1. Where two components are as large, z wins over y, and y over x.
fn face([x, y, z]: [f64; 3]) -> (i64, [f64; 2]) {
    let (face, s, t, major) = if z.abs() >= x.abs() && z.abs() >= y.abs() {
        if z >= 0.0 { (4, x, -y, z) } else { (5, -x, -y, z) }
    } else if y.abs() >= x.abs() {
        if y >= 0.0 { (2, x, z, y) } else { (3, x, -z, y) }
    } else if x >= 0.0 {
        (0, -z, -y, x)
    } else {
        (1, z, -y, x)
    };
    (face, [s / major.abs(), t / major.abs()])
}

/// The direction of a place on a face, or beyond its edge.
fn direction(face: i64, [s, t]: [f64; 2]) -> [f64; 3] {
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

/// A coordinate from -1 to 1 in texels.
fn in_texels(at: f64, size: f64) -> f64 {
    // As a device computes it: in the precision of `f32`.
    f64::from((0.5 * at as f32 + 0.5) * size as f32)
}

/// The texel on the next face that follows on one beyond an edge.
fn across(of: i64, at: [i64; 2], size: i64) -> (i64, [i64; 2]) {
    let middle = at.map(|at| (2 * at + 1) as f64 / size as f64 - 1.0);
    let (next, place) = face(direction(of, middle));
    (next, place.map(|at| (libm::floor((at + 1.0) / 2.0 * size as f64) as i64).clamp(0, size - 1)))
}

/// A value of a level, and whether texels count that nobody wrote. The address modes of the sampler do not matter.
pub(super) fn sample(
    i: &ImageInstruction,
    cx: &mut Context,
    lane: usize,
    (number, image, sampler, filtered): (u32, &Image, &Sampler, bool),
    level: u32,
) -> ([f64; 4], bool) {
    let first = cx.plane(i.at);
    let given = [0, 1, 2].map(|index| f64::from(float(cx, first + index, lane)));
    let [width, _, layers] = image.size_of(level);
    let cubes = i64::from(layers / 6).max(1);
    let layer = match i.type_.arrayed {
        true => (libm::rint(f64::from(float(cx, first + 3, lane))) as i64).clamp(0, cubes - 1),
        false => 0,
    };
    let (of, place) = face(given);
    let size = i64::from(width.max(1));
    let place = place.map(|at| {
        let at = in_texels(at, size as f64);
        if at.is_nan() { 0.0 } else { at.clamp(0.0, size as f64) }
    });
    let mut blend = Blend::new(i.scalar);
    let mut unwritten = false;
    let mut read = |cx: &mut Context, (face, [x, y]): (i64, [i64; 2]), weight: f64| {
        let at = [Some(x), Some(y), Some(layer * 6 + face)];
        let (words, more) = texel(i, cx, lane, (number, image, sampler), level, at);
        unwritten |= more;
        blend.add(words, weight);
    };
    if !filtered {
        let at = place.map(|at| (libm::floor(at) as i64).clamp(0, size - 1));
        read(cx, (of, at), 1.0);
        return (blend.sum, unwritten);
    }
    let below = place.map(|at| libm::floor(at - 0.5));
    let share = [0, 1].map(|direction: usize| place[direction] - 0.5 - below[direction]);
    let below = below.map(|at| at as i64);
    let inside = |at: i64| (0..size).contains(&at);
    // Four texels; behind a corner of the cube there are three, which share what the fourth would count.
    let four = [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[x, y]: [i64; 2]| {
        let at = [below[0] + x, below[1] + y];
        let of = |second: i64, share: f64| if second == 1 { share } else { 1.0 - share };
        (at, of(x, share[0]) * of(y, share[1]))
    });
    let is_corner = |at: [i64; 2]| !inside(at[0]) && !inside(at[1]);
    let lost: f64 = four.iter().filter(|(at, _)| is_corner(*at)).map(|(_, weight)| weight).sum();
    for (at, weight) in four {
        let weight = weight + if lost > 0.0 { lost / 3.0 } else { 0.0 };
        if is_corner(at) || weight == 0.0 {
            continue;
        }
        let there = if inside(at[0]) && inside(at[1]) { (of, at) } else { across(of, at, size) };
        read(cx, there, weight);
    }
    (blend.sum, unwritten)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_meets_the_face_that_leads_back_to_it() {
        for of in 0..6 {
            for (s, t) in [(0.0, 0.0), (0.5, -0.25), (-0.75, 0.875)] {
                assert_eq!(face(direction(of, [s, t])), (of, [s, t]));
            }
        }
        assert_eq!(face([1.0, 1.0, -1.0]).0, 5);
        assert_eq!(face([-1.0, 1.0, 0.5]).0, 2);
    }

    #[test]
    fn beyond_an_edge_is_the_texel_that_touches_it() {
        for size in [1, 2, 3, 8] {
            for of in 0..6 {
                for along in 0..size {
                    for at in [[-1, along], [size, along], [along, -1], [along, size]] {
                        // Back from there, over the same edge, is the texel that one came from.
                        let inside = at.map(|at| at.clamp(0, size - 1));
                        let (next, there) = across(of, at, size);
                        assert_ne!(next, of);
                        let [x, y] = there;
                        let around = [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]];
                        let outside = |at: &[i64; 2]| at.iter().any(|at| !(0..size).contains(at));
                        let back = around.into_iter().filter(outside).map(|at| across(next, at, size));
                        assert!(back.into_iter().any(|back| back == (of, inside)), "{of} {at:?} {size}");
                    }
                }
            }
        }
    }
}
