//! GL_EXT_cooperative_matrix_maintenance1: coordinates, reductions of integers, transposes that convert, uses that change in both directions.

use super::support::*;
use coopmat_simulator::Settings;
use coopmat_simulator::matrix::{Component, MatrixType, Scope, Use};
use coopmat_simulator::ownership::Ownership;

const MAINTENANCE1: &str = "#extension GL_EXT_cooperative_matrix_maintenance1 : require\n";

const USES: [(Use, &str); 3] = [(Use::A, "A"), (Use::B, "B"), (Use::Accumulator, "Accumulator")];

/// Every ownership with subgroups of the sizes that it is for, and with others, where it falls back.
fn ownerships() -> impl Iterator<Item = (&'static str, u32)> {
    Ownership::NAMES.into_iter().flat_map(|name| [8, 16, 32, 64].map(|size| (name, size)))
}

/// What `coopMatGetCoordinateEXT` returns is what the ownership says, for every index below `length()`, and every element is found.
#[test]
fn coordinates_are_those_of_the_ownership() {
    for (component, rows, columns) in
        [(F16, 16, 16), (F32, 16, 8), (S8, 16, 32), (S8, 32, 16), (U32, 8, 8), (F32, 5, 3)]
    {
        for (use_, name) in USES {
            let type_ = glsl(component);
            let program = compile(&format!(
                "{MAINTENANCE1}layout(local_size_x = 64) in;
                layout(binding = 0) buffer A {{ uvec2 at[]; }};
                layout(binding = 1) buffer B {{ uint lengths[]; }};
                void main() {{
                    coopmat<{type_}, gl_ScopeSubgroup, {rows}, {columns}, gl_MatrixUse{name}> m;
                    if (gl_SubgroupID != 0) return;
                    lengths[gl_SubgroupInvocationID] = m.length();
                    for (uint i = 0; i < m.length(); ++i)
                        at[gl_SubgroupInvocationID * m.length() + i] = coopMatGetCoordinateEXT(m, i);
                }}"
            ));
            for (ownership, size) in ownerships() {
                let (result, _) =
                    run_with(&program, &[vec![0; 64 * 1024 * 8], vec![0; 256]], settings(size, ownership));
                let matrix = MatrixType { component, scope: Scope::Subgroup, rows, columns, use_ };
                let map = Ownership::by_name(ownership).unwrap().map(&matrix, size);
                let (at, lengths) = (numbers(U32, &result[0]), numbers(U32, &result[1]));
                let mut seen = vec![false; (rows * columns) as usize];
                for lane in 0..size {
                    assert_eq!(lengths[lane as usize], f64::from(map.length()));
                    for i in 0..map.length() {
                        let place = (lane * map.length() + i) as usize * 2;
                        let (row, column) = (at[place] as u32, at[place + 1] as u32);
                        let context =
                            format!("{ownership}, subgroups of {size}, {matrix}: invocation {lane}, {i}");
                        assert!(row < rows && column < columns, "{context}: {row}, {column}");
                        if let Some(element) = map.element(lane, i) {
                            assert_eq!(row * columns + column, element, "{context}");
                            seen[element as usize] = true;
                        }
                    }
                }
                assert!(seen.iter().all(|&seen| seen), "{ownership}, subgroups of {size}, {matrix}");
            }
        }
    }
}

/// A loop that writes each element by its coordinate writes the matrix, and one that reads it by its coordinate reads it: whoever owns what,
/// also where there are fewer elements than places.
#[test]
fn elements_by_their_coordinates() {
    for (component, rows, columns) in [(F32, 16, 16), (S32, 16, 8), (U8, 8, 32), (F16, 5, 3)] {
        for (_, name) in USES {
            let type_ = glsl(component);
            let source = format!(
                "{MAINTENANCE1}layout(local_size_x = 64) in;
                layout(binding = 0) buffer A {{ {type_} a[]; }};
                layout(binding = 1) buffer B {{ {type_} b[]; }};
                layout(binding = 2) buffer C {{ {type_} c[]; }};
                void main() {{
                    coopmat<{type_}, gl_ScopeSubgroup, {rows}, {columns}, gl_MatrixUse{name}> m, n;
                    for (uint i = 0; i < m.length(); ++i) {{
                        uvec2 at = coopMatGetCoordinateEXT(m, i);
                        m[i] = {type_}((at.x * {columns} + at.y) % 101);
                    }}
                    coopMatStore(m, a, 0, {columns}, gl_CooperativeMatrixLayoutRowMajor);
                    coopMatLoad(n, b, 0, {columns}, gl_CooperativeMatrixLayoutRowMajor);
                    for (uint i = 0; i < n.length(); ++i) {{
                        uvec2 at = coopMatGetCoordinateEXT(n, i);
                        c[at.y * {rows} + at.x] = n[i];
                    }}
                }}"
            );
            let count = rows * columns;
            let (room, given) = (vec![0; count * component.bytes() as usize], small(component, count, 5));
            let result = run(&source, &[room.clone(), bytes(component, given.clone()), room]);
            let (written, turned) = (numbers(component, &result[0]), numbers(component, &result[2]));
            for index in 0..count {
                assert_eq!(written[index], (index % 101) as f64, "{type_} {rows}x{columns} {name}: {index}");
                assert_eq!(turned[index % columns * rows + index / columns], given[index]);
            }
        }
    }
}

/// Checked mode: an index that no invocation has.
#[test]
fn coordinates_of_indices_out_of_range_are_found() {
    let program = compile(&format!(
        "{MAINTENANCE1}layout(local_size_x = 32) in;
        layout(binding = 0) buffer A {{ uint a[]; }};
        void main() {{
            coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> m;
            uvec2 at = coopMatGetCoordinateEXT(m, gl_SubgroupInvocationID == 5 ? a[0] : 1);
            if (at.x > 8) a[1] = 1;
        }}"
    ));
    for (index, findings) in [(1.0, 0), (2.0, 1)] {
        let settings = Settings { checked: true, ..settings(32, "plain") };
        let (_, found) = run_with(&program, &[bytes(U32, [index, 0.0])], settings);
        assert_eq!(found.len(), findings);
        for finding in found {
            assert_eq!(
                finding.message,
                "element 2 of coopmat<float32_t, 8x8, Accumulator>, of which the invocation has 2"
            );
            assert_eq!(finding.invocation.index, 5);
        }
    }
}

fn integer(width: u8, signed: bool) -> Component {
    Component::Integer { width, signed }
}

type Combine = fn(i128, i128) -> i128;

/// Integers of every width: sums wrap, minima and maxima know the sign.
#[test]
fn reductions_of_integers() {
    let modes =
        [("Row", 8, 24), ("Column", 4, 8), ("RowAndColumn", 8, 8), ("RowAndColumn", 4, 16), ("2x2", 4, 4)];
    let functions: [(&str, Combine); 4] = [
        ("a + b", |a, b| a + b),
        ("max(a, b)", i128::max),
        ("min(a, b)", i128::min),
        ("a ^ b", |a, b| a ^ b),
    ];
    for component in
        [8, 16, 32, 64].into_iter().flat_map(|width| [integer(width, false), integer(width, true)])
    {
        let Component::Integer { width, signed } = component else { continue };
        let type_ = glsl(component);
        // Some with the highest bit.
        let given: Vec<i128> = (0..64u64)
            .map(|index| {
                let bits = index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - width);
                if signed && bits >> (width - 1) == 1 {
                    i128::from(bits) - (1 << width)
                } else {
                    i128::from(bits)
                }
            })
            .collect();
        let memory: Vec<u8> = given
            .iter()
            .flat_map(|value| value.to_le_bytes().into_iter().take(component.bytes() as usize))
            .collect();
        for (index, (mode, rows, columns)) in modes.into_iter().enumerate() {
            // Rows with all of them, the rest with one each.
            for (body, combine) in functions
                .into_iter()
                .skip(if mode == "Row" { 0 } else { index % 4 })
                .take(if mode == "Row" { 4 } else { 1 })
            {
                let source = format!(
                    "{MAINTENANCE1}layout(local_size_x = 64) in;
                    layout(binding = 0) buffer A {{ {type_} a[]; }};
                    layout(binding = 1) buffer B {{ {type_} b[]; }};
                    {type_} combine(const in {type_} a, const in {type_} b) {{ return {body}; }}
                    void main() {{
                        coopmat<{type_}, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> m;
                        coopmat<{type_}, gl_ScopeSubgroup, {rows}, {columns}, gl_MatrixUseAccumulator> r;
                        coopMatLoad(m, a, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
                        coopMatReduceEXT(r, m, gl_CooperativeMatrixReduce{mode}EXT, combine);
                        coopMatStore(r, b, 0, {columns}, gl_CooperativeMatrixLayoutRowMajor);
                    }}"
                );
                let room = vec![0; rows * columns * component.bytes() as usize];
                let result = run(&source, &[memory.clone(), room]);
                for row in 0..rows {
                    for column in 0..columns {
                        let taken = |index: usize| match mode {
                            "Row" => index / 8 == row,
                            "Column" => index % 8 == column,
                            "2x2" => index / 16 == row && index % 8 / 2 == column,
                            _ => true,
                        };
                        let values = (0..64).filter(|&index| taken(index)).map(|index| given[index]);
                        let expected = values.reduce(combine).unwrap();
                        let at = (row * columns + column) * component.bytes() as usize;
                        let found = &result[1][at..at + component.bytes() as usize];
                        let expected = &expected.to_le_bytes()[..component.bytes() as usize];
                        assert_eq!(found, expected, "{type_} {mode} {body} ({row}, {column})");
                    }
                }
            }
        }
    }
}

/// An accumulator becomes an operand of either use, turned and converted.
#[test]
fn transposes_convert() {
    let pairs = [
        (F32, F32),
        (F32, F16),
        (F32, BF16),
        (F16, F32),
        (F32, E4M3),
        (F16, E5M2),
        (F32, S8),
        (F32, U8),
        (F16, S32),
        (S32, F16),
        (S32, F32),
        (S32, S8),
        (S32, U8),
        (U32, S8),
        (U32, S32),
        (S32, S32),
    ];
    for (from, to) in pairs {
        for name in ["A", "B"] {
            let (a, b) = (glsl(from), glsl(to));
            let source = format!(
                "{}{}{MAINTENANCE1}layout(local_size_x = 64) in;
                layout(binding = 0) buffer A {{ {a} a[]; }};
                layout(binding = 1) buffer B {{ {b} b[]; }};
                void main() {{
                    coopmat<{a}, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator> m;
                    coopmat<{b}, gl_ScopeSubgroup, 8, 16, gl_MatrixUse{name}> z;
                    coopMatLoad(m, a, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
                    coopMatTransposeEXT(z, m);
                    coopMatStore(z, b, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
                }}",
                extensions(from),
                if extensions(from) == extensions(to) { "" } else { extensions(to) },
            );
            let input = small_for(from, to, 128);
            let room = vec![0; 128 * to.bytes() as usize];
            let output = numbers(to, &run(&source, &[bytes(from, input.clone()), room])[1]);
            for (index, &given) in input.iter().enumerate() {
                let found = output[index % 8 * 16 + index / 8];
                assert_eq!(found, converted(given, to), "{a} to {b}, use {name}: {index}");
            }
        }
    }
}

/// Uses change from an accumulator to an operand and back, with the component type or without.
#[test]
fn uses_change_in_both_directions() {
    let types = [F32, F16, BF16, S8, U8, S32, U32];
    for (from, to) in types.into_iter().flat_map(|from| types.map(|to| (from, to))) {
        for (source_use, target_use) in
            [("Accumulator", "A"), ("Accumulator", "B"), ("A", "Accumulator"), ("B", "Accumulator")]
        {
            let (a, b) = (glsl(from), glsl(to));
            let source = format!(
                "{}{}{MAINTENANCE1}layout(local_size_x = 64) in;
                layout(binding = 0) buffer A {{ {a} a[]; }};
                layout(binding = 1) buffer B {{ {b} b[]; }};
                void main() {{
                    coopmat<{a}, gl_ScopeSubgroup, 16, 8, gl_MatrixUse{source_use}> m;
                    coopMatLoad(m, a, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
                    coopmat<{b}, gl_ScopeSubgroup, 16, 8, gl_MatrixUse{target_use}> z =
                        coopmat<{b}, gl_ScopeSubgroup, 16, 8, gl_MatrixUse{target_use}>(m);
                    coopMatStore(z, b, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
                }}",
                extensions(from),
                if extensions(from) == extensions(to) { "" } else { extensions(to) },
            );
            let input = small_for(from, to, 128);
            let room = vec![0; 128 * to.bytes() as usize];
            let output = numbers(to, &run(&source, &[bytes(from, input.clone()), room])[1]);
            for (index, &given) in input.iter().enumerate() {
                assert_eq!(
                    output[index],
                    converted(given, to),
                    "{a} to {b}, {source_use} to {target_use}: {index}"
                );
            }
        }
    }
}

/// Small numbers of one type whose value another type has, but for their fractions.
fn small_for(from: Component, to: Component, count: usize) -> Vec<f64> {
    let unsigned = matches!(to, Component::Integer { signed: false, .. });
    let values = small(from, count, 2).into_iter();
    // Floats below zero have no value among unsigned integers.
    values
        .map(|value| if unsigned && matches!(from, Component::Float(_)) { value.abs() } else { value })
        .collect()
}

/// Integers are what is left of a float without its fraction.
fn converted(value: f64, to: Component) -> f64 {
    match to {
        Component::Float(_) => nearest(to, value),
        Component::Integer { .. } => nearest(to, value.trunc()),
    }
}
