//! GL_QCOM_cooperative_matrix_conversion, for which the CTS has no categories: qcom_bitcast, qcom_subarray,
//! qcom_vector_to_coopmat, qcom_coopmat_to_vector.

use super::kernel::{Axes, Kernel, Scope, Storage, full};
use super::numbers::Kind::{self, *};
use super::numbers::Tolerance;
use super::report::Case;

const HEAD: &str = "#extension GL_QCOM_cooperative_matrix_conversion : require\n";

pub fn cases(cases: &mut Vec<Case>) {
    for from in [U32, S32, F32, F16] {
        for to in [U32, S32, F32, F16] {
            for bytes in [32, 64, 128, 256] {
                // The extension lists no array of 128 halves.
                if bytes < 256 || from != F16 && to != F16 {
                    cases.push(bitcast(from, to, bytes));
                }
            }
        }
        for (length, part) in [(8, 4), (16, 8), (32, 8), (64, 16)] {
            cases.push(subarray(from, length, part));
        }
    }
    let mut all = Vec::new();
    for storage in [Storage::Buffer, Storage::Shared, Storage::Physical] {
        all.extend([false, true].map(|column_major| Axes { scope: Scope::Subgroup, storage, column_major }));
    }
    let mut turn = 0;
    let mut next = || {
        turn += 1;
        if full() { all.clone() } else { vec![all[turn % all.len()]] }
    };
    // Lines of 32 bytes.
    for (kind, length) in [(F32, 8), (F16, 16), (S8, 32), (U8, 32)] {
        for use_ in ["A", "B"] {
            for (lines, sizes) in [(8, &[8, 16, 32][..]), (16, &[16, 32]), (32, &[32])] {
                for axes in next() {
                    conversions(cases, axes, kind, use_, lines, length, sizes);
                }
            }
        }
    }
    // As many columns as there are invocations, or half or a quarter of them.
    for kind in [F32, F16, U32, S32] {
        for (lines, length, sizes) in
            [(8, 8, &[8, 16, 32][..]), (8, 16, &[16, 32]), (16, 16, &[16, 32]), (32, 32, &[32])]
        {
            for axes in next() {
                conversions(cases, axes, kind, "Accumulator", lines, length, sizes);
            }
        }
    }
}

fn plain() -> Axes {
    Axes { scope: Scope::Subgroup, storage: Storage::Buffer, column_major: false }
}

/// The same bytes, read as another type.
fn bitcast(from: Kind, to: Kind, bytes: usize) -> Case {
    let (n, m) = (bytes / from.size(), bytes / to.size());
    // Bits that are numbers in every type, none of them a NaN, each different.
    let words: Vec<u64> = (0..bytes as u64 / 4).map(|index| 0x3c01_4200 + index * 0x0011_0013).collect();
    let memory: Vec<u8> = words.iter().flat_map(|word| (*word as u32).to_le_bytes()).collect();
    let kernel = Kernel::new(plain()).input("a", from, from.numbers(&memory)).output("o", to, m).head(HEAD);
    let (a, b) = (from.glsl(), to.glsl());
    let body = format!(
        "{a} from[{n}];\nfor (int i = 0; i < {n}; ++i) from[i] = a[i];
{b} to[{m}];\nbitcastQCOM(from, to);\nfor (int i = 0; i < {m}; ++i) o[i] = to[i];\n"
    );
    let name = format!("{a}_{b}.{bytes}");
    Case::new("qcom_bitcast", name, kernel.body(body), move |outcome| {
        let expected: Vec<Option<f64>> = to.numbers(&memory).into_iter().map(Some).collect();
        outcome.expect("o", &expected, Tolerance::Exact)
    })
}

/// Each invocation takes a part that begins elsewhere.
fn subarray(kind: Kind, length: usize, part: usize) -> Case {
    let input = kind.small(length, 2);
    let kernel = Kernel::new(plain()).input("a", kind, input.clone()).output("o", kind, 32 * part).head(HEAD);
    let (type_, starts) = (kind.glsl(), length - part + 1);
    let body = format!(
        "{type_} from[{length}];\nfor (int i = 0; i < {length}; ++i) from[i] = a[i];
{type_} to[{part}];\nextractSubArrayQCOM(from, int(gl_LocalInvocationIndex) % {starts}, to);
for (int i = 0; i < {part}; ++i) o[gl_LocalInvocationIndex * {part} + i] = to[i];\n"
    );
    Case::new("qcom_subarray", format!("{type_}.{length}_{part}"), kernel.body(body), move |outcome| {
        let expected: Vec<Option<f64>> =
            (0..32 * part).map(|index| Some(input[index / part % starts + index % part])).collect();
        outcome.expect("o", &expected, Tolerance::Exact)
    })
}

/// Line i (a column for use B, else a row) and the array of invocation i, as words and as elements.
fn conversions(
    cases: &mut Vec<Case>,
    axes: Axes,
    kind: Kind,
    use_: &str,
    lines: usize,
    length: usize,
    sizes: &'static [u32],
) {
    let by_column = use_ == "B";
    let (rows, columns) = if by_column { (length, lines) } else { (lines, length) };
    let (stride, room) = (axes.stride(kind, rows, columns), axes.room(kind, rows, columns));
    let at = move |line, place| {
        if by_column { axes.at(stride, place, line) } else { axes.at(stride, line, place) }
    };
    let matrix = axes.matrix(kind, rows, columns, use_);
    for words in [false, true] {
        if words && kind == U32 {
            continue;
        }
        let element = if words { U32 } else { kind };
        let count = length * kind.size() / element.size();
        let name = format!("{}_{}.{use_}.{rows}x{columns}.{}", element.glsl(), kind.glsl(), axes.name());
        let (type_, array) = (element.glsl(), kind.small(lines * length, 3));
        let flat = element.numbers(&kind.bytes(&array));
        // Invocations beyond the lines hold what must be ignored.
        let mut padded = flat;
        padded.resize(32 * count, 1.0);
        let kernel = Kernel::new(axes).input("a", element, padded).output("o", kind, room).head(HEAD);
        let from = kernel.pointer("a");
        let body = format!(
            "{type_} line[{count}];
for (int i = 0; i < {count}; ++i) line[i] = {from}[gl_SubgroupInvocationID * {count} + i];
{matrix} m;\nvectorToCoopmatQCOM(line, m);\n{}",
            kernel.store("m", "o", stride)
        );
        let mut case = Case::new("qcom_vector_to_coopmat", name.clone(), kernel.body(body), move |outcome| {
            let mut expected = vec![Some(0.0); room];
            for index in 0..lines * length {
                expected[at(index / length, index % length)] = Some(array[index]);
            }
            outcome.expect("o", &expected, Tolerance::Exact)
        });
        case.sizes = sizes;
        cases.push(case);

        // An accumulator's rows go to arrays of at least 8.
        if count < 8 {
            continue;
        }
        let input = kind.small(room, 4);
        let kernel =
            Kernel::new(axes).input("a", kind, input.clone()).output("o", element, 32 * count).head(HEAD);
        let to = kernel.pointer("o");
        let body = format!(
            "{matrix} m;\n{}{type_} line[{count}];\ncoopmatToVectorQCOM(m, line);
for (int i = 0; i < {count}; ++i) {to}[gl_SubgroupInvocationID * {count} + i] = line[i];\n",
            kernel.load("m", "a", stride)
        );
        let mut case = Case::new("qcom_coopmat_to_vector", name, kernel.body(body), move |outcome| {
            let dense: Vec<f64> =
                (0..lines * length).map(|index| input[at(index / length, index % length)]).collect();
            // What invocations beyond the lines get is undefined.
            let expected: Vec<Option<f64>> =
                element.numbers(&kind.bytes(&dense)).into_iter().map(Some).collect();
            outcome.expect("o", &expected, Tolerance::Exact)
        });
        case.sizes = sizes;
        cases.push(case);
    }
}
