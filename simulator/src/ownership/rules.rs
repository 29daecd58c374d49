//! Ownerships that are a formula.

use super::Map;
use crate::matrix::{MatrixType, Scope, Use};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rule {
    Plain,
    Rdna3,
    Rdna4,
    Cdna,
    Lavapipe,
}

impl Rule {
    /// Sizes that the formula is for, the usual one first; all of them where there is none.
    pub fn subgroup_sizes(self) -> &'static [u32] {
        match self {
            Rule::Plain => &[],
            Rule::Rdna3 | Rule::Rdna4 => &[32, 64],
            Rule::Cdna => &[64],
            Rule::Lavapipe => &[8],
        }
    }

    pub fn map(self, type_: &MatrixType, invocations: u32, name: &str) -> Map {
        if self == Rule::Plain {
            return plain(type_, invocations);
        }
        if type_.scope != Scope::Subgroup {
            return plain(type_, invocations).with_note(format!(
                "{name} does not cover {} scope: {type_} is distributed as in the plain ownership",
                type_.scope
            ));
        }
        let sizes = self.subgroup_sizes();
        if !sizes.contains(&invocations) {
            let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
            return plain(type_, invocations).with_note(format!(
                "{name} is known for subgroups of {}, not of {invocations}: {type_} is distributed as in the plain ownership",
                sizes.join(" or ")
            ));
        }
        self.formula(type_, invocations).unwrap_or_else(|| {
            plain(type_, invocations)
                .with_note(format!("{name} has no {type_}: it is distributed as in the plain ownership"))
        })
    }

    fn formula(self, type_: &MatrixType, lanes: u32) -> Option<Map> {
        let shape = (type_.rows, type_.columns);
        let map = |length: u32, place: &dyn Fn(u32, u32) -> (u32, u32)| {
            Some(Map::new(type_, lanes, length, |lane, i| Some(place(lane, i))))
        };
        match self {
            Rule::Plain => None,
            Rule::Rdna3 if shape == (16, 16) => match type_.use_ {
                // The second half of the lanes, and for 64 lanes every further 16, hold copies.
                Use::A => map(16, &|lane, i| (lane % 16, i)),
                Use::B => map(16, &|lane, i| (i, lane % 16)),
                Use::Accumulator => map(256 / lanes, &|lane, i| (i * (lanes / 16) + lane / 16, lane % 16)),
                Use::Unspecified => None,
            },
            Rule::Rdna4 if shape == (16, 16) => {
                let first = move |lane: u32| match (lanes, lane / 16) {
                    (64, group) => [0, 8, 4, 12][group as usize % 4],
                    (_, group) => group * 8,
                };
                match type_.use_ {
                    Use::A => map(256 / lanes, &|lane, i| (lane % 16, first(lane) + i)),
                    Use::B | Use::Accumulator => map(256 / lanes, &|lane, i| (first(lane) + i, lane % 16)),
                    Use::Unspecified => None,
                }
            }
            Rule::Cdna => cdna(type_, lanes),
            // Larger matrices are tiles, row by row.
            Rule::Lavapipe if shape.0.is_multiple_of(8) && shape.1.is_multiple_of(8) => {
                let across = (shape.1 / 8).max(1);
                let length = shape.0 * shape.1 / 8;
                let tiled = |place: &dyn Fn(u32, u32) -> (u32, u32)| {
                    map(length, &|lane, i| {
                        let (tile, (row, column)) = (i / 8, place(lane, i % 8));
                        (tile / across * 8 + row, tile % across * 8 + column)
                    })
                };
                match type_.use_ {
                    Use::B => tiled(&|lane, i| (lane, i)),
                    Use::A | Use::Accumulator => tiled(&|lane, i| (i, lane)),
                    Use::Unspecified => None,
                }
            }
            Rule::Rdna3 | Rule::Rdna4 | Rule::Lavapipe => None,
        }
    }
}

/// V_MFMA of CDNA3 with one block, as AMD's matrix instruction calculator prints it: rows of A (columns of B) across the lanes, runs of K in each lane; results in groups of 4 rows.
fn cdna(type_: &MatrixType, lanes: u32) -> Option<Map> {
    let side = match type_.use_ {
        Use::A => type_.rows,
        Use::B | Use::Accumulator => type_.columns,
        Use::Unspecified => return None,
    };
    if side != 16 && side != 32 {
        return None;
    }
    let groups = lanes / side;
    match type_.use_ {
        // Results of 64 bits take two registers, and their rows alternate among the groups of lanes.
        Use::Accumulator if type_.rows == side && type_.component.width() == 64 => {
            Some(Map::new(type_, lanes, side * side / lanes, |lane, i| {
                Some((i * groups + lane / side, lane % side))
            }))
        }
        Use::Accumulator if type_.rows == side => {
            let length = side * side / lanes;
            Some(Map::new(type_, lanes, length, |lane, i| {
                Some((i / 4 * 4 * groups + lane / side * 4 + i % 4, lane % side))
            }))
        }
        Use::A | Use::B => {
            let depth = if type_.use_ == Use::A { type_.columns } else { type_.rows };
            if depth == 0 || depth % groups != 0 {
                return None;
            }
            let length = depth / groups;
            Some(Map::new(type_, lanes, length, |lane, i| {
                let (across, along) = (lane % side, lane / side * length + i);
                Some(if type_.use_ == Use::A { (across, along) } else { (along, across) })
            }))
        }
        Use::Accumulator | Use::Unspecified => None,
    }
}

pub(super) fn plain(type_: &MatrixType, invocations: u32) -> Map {
    let count = type_.count() as u32;
    let length = count.div_ceil(invocations);
    let columns = type_.columns.max(1);
    Map::new(type_, invocations, length, |invocation, i| {
        let element = i * invocations + invocation;
        (element < count).then_some((element / columns, element % columns))
    })
}

/// A permutation of the places that depends on everything about the type.
pub(super) fn shuffled(type_: &MatrixType, invocations: u32, seed: u64) -> Map {
    let count = type_.count() as u32;
    let length = count.div_ceil(invocations);
    let mut order: Vec<u32> = (0..length * invocations).collect();
    let mut state = seed ^ 0x9e37_79b9_7f4a_7c15;
    for part in [
        u64::from(type_.rows),
        u64::from(type_.columns),
        type_.use_ as u64,
        type_.scope as u64,
        u64::from(type_.component.width()),
        u64::from(type_.component.is_float()),
        u64::from(invocations),
    ] {
        state = mix(state ^ part);
    }
    for last in (1..order.len()).rev() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        order.swap(last, (mix(state) % (last as u64 + 1)) as usize);
    }
    let columns = type_.columns.max(1);
    Map::new(type_, invocations, length, |invocation, i| {
        let element = order[(invocation * length + i) as usize];
        (element < count).then_some((element / columns, element % columns))
    })
}

/// The finaliser of SplitMix64.
fn mix(state: u64) -> u64 {
    let state = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ state >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ state >> 31
}
