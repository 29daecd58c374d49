//! What accesses cost by the model of `profile`, each computed by hand in a comment.

use std::sync::Arc;

use coopmat_simulator::observer::Region;
use coopmat_simulator::ownership::Ownership;
use coopmat_simulator::profile::{Access, Banks, Measured, Profiler};
use expect_test::{Expect, expect};

use crate::support::Run;

fn measured(run: Run, ownership: &str) -> (Measured, Vec<String>) {
    let mut run = run;
    run.settings.ownership = Arc::new(Ownership::by_name(ownership).unwrap());
    let arrays = run.program().shared_arrays();
    let names = arrays.iter().map(|array| array.name.clone()).collect();
    let banks = Banks { count: 32, width: 4, tiles: None };
    let (profiler, recording) = Profiler::new(run.settings.subgroup_size, Some(banks), arrays);
    let (mut execution, _) = run.execution();
    execution.observe(Box::new(profiler));
    execution.run(u64::MAX).unwrap();
    (recording.measured(), names)
}

fn line(access: &Access, names: &[String]) -> String {
    let Access { memory, array, kind, times, requests, bytes, passes, .. } = access;
    let place = match (memory, array) {
        (Region::Buffer(number), _) => format!("buffer {number}"),
        (_, Some(array)) => names[*array].clone(),
        _ => "several".to_owned(),
    };
    let matrix = access.matrix.map_or(String::new(), |type_| format!(" {type_}"));
    let requests: Vec<String> =
        requests.iter().map(|(width, count)| format!("{count} of {width} bytes")).collect();
    let cost = match (memory, passes) {
        (Region::Buffer(_), _) => format!("{} sectors, {} needed", access.sectors, access.needed_sectors),
        (_, Some(it)) => format!("{} passes, {} at least, {} ways", it.passes, it.least, it.worst),
        (_, None) => "not known".to_owned(),
    };
    let rows = match access.rows {
        0 => String::new(),
        rows => format!(", {} of {rows} rows not aligned", access.unaligned_rows),
    };
    format!("{kind:?} {place}{matrix}: {times} times, {bytes} bytes, {}: {cost}{rows}", requests.join(", "))
}

#[track_caller]
fn costs(run: Run, ownership: &str, expected: &Expect) {
    let (measured, names) = measured(run, ownership);
    let lines: Vec<String> = measured.accesses.iter().map(|access| line(access, &names)).collect();
    expected.assert_eq(&lines.join("\n"));
}

/// The stores: lane n meets bank 20 n mod 32, which is one of 8, each met by 4 lanes. The first word is broadcast. 16 bytes of each lane go in quarters of
/// the subgroup: in a row, no two of a quarter share a bank. Atomic operations are not known.
#[test]
fn scalars_and_vectors_in_shared_memory() {
    let source = "
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
shared uint words[640];
shared uvec4 quads[32];
void main() {
    uint lane = gl_LocalInvocationIndex;
    words[lane * 20] = lane;
    quads[lane] = uvec4(lane);
    barrier();
    data[lane] = words[0];
    if (lane < 16) data[lane * 8] = quads[lane * 2 % 32].x;
    atomicAdd(words[0], 1);
}";
    costs(
        Run::new(source).zeros(256),
        "plain",
        &expect![[r#"
            Write words: 1 times, 128 bytes, 1 of 4 bytes: 4 passes, 1 at least, 4 ways
            Write quads: 1 times, 512 bytes, 1 of 16 bytes: 4 passes, 4 at least, 1 ways
            Read words: 1 times, 4 bytes, 1 of 4 bytes: 1 passes, 1 at least, 1 ways
            Write buffer 0: 1 times, 128 bytes, 1 of 4 bytes: 4 sectors, 4 needed
            Read quads: 1 times, 64 bytes, 1 of 4 bytes: 4 passes, 1 at least, 4 ways
            Write buffer 0: 1 times, 64 bytes, 1 of 4 bytes: 16 sectors, 2 needed
            Atomic words: 1 times, 128 bytes, 1 of 4 bytes: not known"#]],
    );
}

fn loads(stride_a: u32, stride_b: u32, layout_b: &str) -> Run {
    let source = format!(
        "#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data {{ float16_t data[]; }};
shared float16_t stagedA[16 * {stride_a}];
shared float16_t stagedB[16 * {stride_b}];
void main() {{
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    coopMatLoad(a, stagedA, 0, {stride_a}, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, stagedB, 0, {stride_b}, gl_CooperativeMatrixLayout{layout_b}Major);
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum =
        coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    sum = coopMatMulAdd(a, b, sum);
    coopMatStore(coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(sum), data, 8, 24, gl_CooperativeMatrixLayoutRowMajor);
}}"
    );
    Run::new(&source).zeros(400)
}

/// An invocation holds pairs of neighbours of A, in 8 rows for each request: 4 requests of 4 bytes. Rows of 16 halves, 8 words, begin in banks 0, 8, 16, 24,
/// 0, ...: each bank is met twice. Rows of 24 begin in 0, 12, 24, 4, 16, 28, 8, 20, four banks each: once. Of B in rows, each request is one half of a lane,
/// from rows 0, 2, 4, 6 and 8 columns: rows of 16 halves put two of them in one bank, rows of 24 none.
///
/// The store in a buffer begins at byte 16, and rows of 48 bytes are half a sector apart: a row of 32 bytes that begins in the middle of a sector touches two.
#[test]
fn padding_of_half_precision_tiles() {
    costs(
        loads(16, 16, "Row"),
        "nvidia-h200",
        &expect![[r#"
            Read stagedA coopmat<float16_t, 16x16, A>: 1 times, 512 bytes, 4 of 4 bytes: 8 passes, 4 at least, 2 ways
            Read stagedB coopmat<float16_t, 16x16, B>: 1 times, 512 bytes, 8 of 2 bytes: 16 passes, 8 at least, 2 ways
            Write buffer 0 coopmat<float16_t, 16x16, Accumulator>: 1 times, 512 bytes, 4 of 4 bytes: 24 sectors, 16 needed, 8 of 16 rows not aligned"#]],
    );
    costs(
        loads(24, 24, "Row"),
        "nvidia-h200",
        &expect![[r#"
            Read stagedA coopmat<float16_t, 16x16, A>: 1 times, 512 bytes, 4 of 4 bytes: 4 passes, 4 at least, 1 ways
            Read stagedB coopmat<float16_t, 16x16, B>: 1 times, 512 bytes, 8 of 2 bytes: 8 passes, 8 at least, 1 ways
            Write buffer 0 coopmat<float16_t, 16x16, Accumulator>: 1 times, 512 bytes, 4 of 4 bytes: 24 sectors, 16 needed, 8 of 16 rows not aligned"#]],
    );
    // Columns of B are pairs, as rows of A are. Rows of 32 halves are 16 words: only banks 0 and 16 begin one.
    costs(
        loads(32, 32, "Column"),
        "nvidia-h200",
        &expect![[r#"
            Read stagedA coopmat<float16_t, 16x16, A>: 1 times, 512 bytes, 4 of 4 bytes: 16 passes, 4 at least, 4 ways
            Read stagedB coopmat<float16_t, 16x16, B>: 1 times, 512 bytes, 4 of 4 bytes: 16 passes, 4 at least, 4 ways
            Write buffer 0 coopmat<float16_t, 16x16, Accumulator>: 1 times, 512 bytes, 4 of 4 bytes: 24 sectors, 16 needed, 8 of 16 rows not aligned"#]],
    );
}

#[test]
fn operations_and_traffic_are_counted() {
    let (measured, _) = measured(loads(16, 16, "Row").groups(3, 1, 1), "plain");
    let operations: u64 = measured.operations.iter().map(|(_, count)| count).sum();
    assert_eq!(operations, 3 * 2 * 16 * 16 * 16);
    let (_, traffic) = measured.buffers[0];
    // All three workgroups write the same 256 halves.
    assert_eq!((traffic.written, traffic.distinct_written, traffic.read), (3 * 512, 512, 0));
    assert!(measured.executed.iter().all(|it| it.times % 3 == 0 && it.lanes == it.times * 32));
}

/// What the accesses of an array cost with other strides, as far as they are free of conflicts; or why that is not known.
fn free_strides(run: Run, ownership: &str, array: usize) -> Result<Vec<u64>, String> {
    let arrays = run.program().shared_arrays();
    let banks = Banks { count: 32, width: 4, tiles: None };
    let (measured, _) = measured(run, ownership);
    let rows = measured.rows(&arrays, array)?;
    let has_conflicts = |stride| {
        let passes = measured.of_array(array).map(|access| rows.passes(access, 32, banks, stride));
        passes.into_iter().any(|passes| passes.unwrap().has_conflicts())
    };
    // The stride that it has costs what was seen.
    for access in measured.of_array(array) {
        assert_eq!(rows.passes(access, 32, banks, rows.stride), access.passes);
    }
    Ok(rows.strides(banks).filter(|stride| !has_conflicts(*stride)).collect())
}

/// Rows of A of 16 halves are 32 bytes, and strides multiples of 16 bytes. Eight rows meet no bank twice if they are an odd number of 16 bytes apart: 48, 80,
/// 112 and 144. The run with rows of 24 halves, above, has no conflicts either.
#[test]
fn strides_of_matrices_without_conflicts() {
    assert_eq!(free_strides(loads(16, 16, "Row"), "nvidia-h200", 0), Ok(vec![48, 80, 112, 144]));
    assert_eq!(free_strides(loads(32, 32, "Column"), "nvidia-h200", 1), Ok(vec![48, 80, 112, 144]));
}

fn shared(declaration: &str, statements: &str) -> Run {
    let source = format!(
        "layout(local_size_x = 32) in;
layout(binding = 0) buffer Data {{ uint data[]; }};
shared {declaration};
void main() {{
    uint lane = gl_LocalInvocationIndex;
    {statements}
    barrier();
    data[lane] = 0;
}}"
    );
    Run::new(&source).zeros(256)
}

/// Of an array of arrays, the declaration tells how far rows are apart. A column of 32 words is free of conflicts if rows are an odd number of words apart,
/// and each row has 32 words that are used.
#[test]
fn strides_of_an_array_of_arrays() {
    let run = shared("uint tile[32][32]", "tile[0][lane] = 1; tile[lane][3] = 2;");
    let odd: Vec<u64> = (0..16).map(|index| (33 + 2 * index) * 4).collect();
    assert_eq!(free_strides(run, "plain", 0), Ok(odd));
}

/// Lane n accesses word 20 n. Only the first word of each row is used, so that a stride of one word would do.
#[test]
fn strides_from_lane_to_lane() {
    let run = shared("uint words[640]", "words[lane * 20] = lane;");
    let odd: Vec<u64> = (0..16).map(|index| (1 + 2 * index) * 4).collect();
    assert_eq!(free_strides(run, "plain", 0), Ok(odd));
}

#[test]
fn strides_that_cannot_be_predicted_say_why() {
    let why =
        |declaration, statements| free_strides(shared(declaration, statements), "plain", 0).unwrap_err();
    assert_eq!(
        why("uint words[640]", "words[lane * lane % 640] = lane;"),
        "the addresses are not of the form base + row * stride"
    );
    assert_eq!(
        why("uint words[640]", "words[lane * 20] = lane; words[lane * 16] = lane;"),
        "its lanes are 64 and 80 bytes apart in different accesses"
    );
    assert_eq!(
        why("uint words[640]", "words[lane * 20] = lane; words[lane] = lane;"),
        "rows are 80 bytes apart in some accesses, others are not of the form base + row * stride"
    );
    let mixed = loads(16, 16, "Row");
    assert!(free_strides(mixed, "nvidia-h200", 0).is_ok());
}

/// Two strides with the same array: what one would change is not known.
#[test]
fn an_array_with_two_strides_of_matrices() {
    let source = "#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float16_t data[]; };
shared float16_t staged[1024];
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopMatLoad(a, staged, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(a, staged, 512, 24, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(a, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}";
    assert_eq!(
        free_strides(Run::new(source).zeros(128), "nvidia-h200", 0).unwrap_err(),
        "the rows of matrices there are 32 and 48 bytes apart in different accesses"
    );
}
