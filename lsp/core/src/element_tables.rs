//! Which element `m[i]` is on each device that the simulator knows, as code actions ask for it.

use std::sync::OnceLock;

use coopmat_ide::actions::{Shape, Table};
use coopmat_simulator::matrix::{MatrixType, Scope, Use};
use coopmat_simulator::ownership::{Map, Ownership};

use crate::shapes::component;

/// Matrices of a subgroup are smaller.
const MOST_ELEMENTS: u32 = 1 << 14;

/// The ownerships of devices: those that are for certain sizes of subgroups.
fn devices() -> &'static [Ownership] {
    static DEVICES: OnceLock<Vec<Ownership>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        let all = Ownership::NAMES.into_iter().filter_map(Ownership::by_name);
        all.filter(|ownership| !ownership.subgroup_sizes().is_empty()).collect()
    })
}

/// The tables of the devices that know a matrix, at each of their sizes of subgroups.
pub fn element_tables(shape: &Shape) -> Vec<Table> {
    let Some(type_) = matrix_type(shape) else { return Vec::new() };
    let mut tables = Vec::new();
    for ownership in devices() {
        for &size in ownership.subgroup_sizes() {
            let map = ownership.map(&type_, size);
            // A note says what was assumed of a type that the ownership does not know.
            if map.note().is_none()
                && let Some(elements) = elements(&map, shape.columns)
            {
                let (device, length) = (ownership.name().to_owned(), map.length());
                tables.push(Table { device, subgroup_size: size, length, elements });
            }
        }
    }
    tables
}

/// Row and column of each place; nothing if a place is empty.
fn elements(map: &Map, columns: u32) -> Option<Vec<(u32, u32)>> {
    let places = (0..map.invocations()).flat_map(|lane| (0..map.length()).map(move |i| (lane, i)));
    places
        .map(|(lane, i)| map.element(lane, i).map(|element| (element / columns, element % columns)))
        .collect()
}

fn matrix_type(shape: &Shape) -> Option<MatrixType> {
    let &Shape { rows, columns, .. } = shape;
    rows.checked_mul(columns).filter(|count| (1..=MOST_ELEMENTS).contains(count))?;
    Some(MatrixType {
        component: component(shape.component)?,
        scope: Scope::Subgroup,
        rows,
        columns,
        use_: Use::from_number(u32::try_from(shape.usage).ok()?)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use coopmat_analysis::types::Scalar;

    #[test]
    fn devices_that_know_a_matrix_have_tables() {
        let of = |rows, usage| {
            let shape = Shape { component: Scalar::Float32, rows, columns: rows, usage };
            let tables = element_tables(&shape);
            tables.iter().map(|table| format!("{}/{}", table.device, table.subgroup_size)).collect::<Vec<_>>()
        };
        let all =
            ["nvidia-h200/32", "amd-rdna3/32", "amd-rdna3/64", "amd-rdna4/32", "amd-rdna4/64", "amd-cdna/64"];
        assert_eq!(of(16, 2), [&all[..], &["lavapipe/8"]].concat());
        // A size that only lavapipe makes of tiles.
        assert_eq!(of(24, 2), ["lavapipe/8"]);
        assert!(of(1 << 8, 2).is_empty());
    }
}
