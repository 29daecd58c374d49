//! How far `float16_t` accumulators are from overflowing: what is told of each multiply-add.

use coopmat_simulator::matrix::{Headroom, PartialSum};
use coopmat_simulator::numerics::{Mode, Numerics};
use coopmat_simulator::{Execution, Pool, Progress, Resources};
use expect_test::{Expect, expect};

use super::support::*;

/// Matrices `x`, `y` and `sum` of 16x16, and loads of the first two from a column of A and a row of B on.
fn shader(body: &str) -> String {
    format!(
        "layout(local_size_x = 32) in;
        layout(binding = 0) buffer A {{ float16_t a[]; }};
        layout(binding = 1) buffer B {{ float16_t b[]; }};
        layout(binding = 2) buffer D {{ float16_t d[]; }};
        #define ACC coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
        void main() {{
            coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> x;
            coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> y;
            coopMatLoad(x, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopMatLoad(y, b, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            ACC sum = ACC(0.0);
            {body}
            coopMatStore(sum, d, 256 * gl_WorkGroupID.x, 16, gl_CooperativeMatrixLayoutRowMajor);
        }}"
    )
}

/// One element of A in each row, which is the product with a B of ones; the others are zero. Row 0 of A if it is the same in all.
fn operands(a: impl Fn(usize, usize) -> f64) -> [Vec<u8>; 3] {
    let a = (0..256).map(|index| a(index / 16, index % 16));
    [bytes(F16, a), bytes(F16, vec![1.0; 256]), vec![0; 1024]]
}

fn execution(source: &str, buffers: &[Vec<u8>], mode: Mode, groups: u32) -> Execution {
    let program = compile(source);
    let mut resources = Resources::new();
    for (binding, bytes) in buffers.iter().enumerate() {
        let id = resources.buffer(bytes);
        resources.bind(0, binding as u32, 0, id);
    }
    let mut settings = settings(32, "plain");
    settings.numerics = Numerics::with_mode(mode);
    settings.headroom = true;
    Execution::new(&program, resources, settings, [groups, 1, 1]).expect("resources that fit")
}

fn measured(source: &str, buffers: &[Vec<u8>], mode: Mode) -> Vec<Headroom> {
    let mut execution = execution(source, buffers, mode, 1);
    while execution.run(1 << 20).expect("a run") != Progress::Finished {}
    execution.headroom()
}

fn partial(sum: Option<PartialSum>) -> String {
    sum.map_or("none".to_owned(), |PartialSum { value, k, row, column, .. }| {
        format!("{value} at k = {k} in [{row}, {column}]")
    })
}

fn line(headroom: &Headroom) -> String {
    let Headroom { sums, products, scale, beyond, infinite, excluded, .. } = headroom;
    format!(
        "{sums} sums of {products}: {:.3} bits, largest {}, scale {scale:.5}; {beyond} beyond, first {}; {infinite} infinite, {excluded} excluded",
        headroom.bits(),
        partial(headroom.largest),
        partial(headroom.first)
    )
}

#[track_caller]
fn told(body: &str, buffers: &[Vec<u8>], expected: &Expect) {
    told_in(Mode::Sequential, body, buffers, expected);
}

#[track_caller]
fn told_in(mode: Mode, body: &str, buffers: &[Vec<u8>], expected: &Expect) {
    let lines: Vec<String> = measured(&shader(body), buffers, mode).iter().map(line).collect();
    expected.assert_eq(&lines.join("\n"));
}

/// Each product is 2048: the 32nd one makes 65536. It belongs to the second multiply-add of the loop.
#[test]
fn a_sum_of_several_multiply_adds() {
    let buffers = operands(|_, _| 2048.0);
    told(
        "for (int k = 0; k < 3; k++) sum = coopMatMulAdd(x, y, sum);",
        &buffers,
        &expect![
            "256 sums of 48: -0.586 bits, largest 98304 at k = 47 in [0, 0], scale 0.66634; 256 beyond, first 65536 at k = 31 in [0, 0]; 256 infinite, 0 excluded"
        ],
    );
    // Two instructions add to the same sums; the first one stays in the range.
    told(
        "sum = coopMatMulAdd(x, y, sum); sum = coopMatMulAdd(x, y, sum);",
        &buffers,
        &expect![[r#"
        256 sums of 16: 0.999 bits, largest 32768 at k = 15 in [0, 0], scale 1.99902; 0 beyond, first none; 0 infinite, 0 excluded
        256 sums of 32: -0.001 bits, largest 65536 at k = 31 in [0, 0], scale 0.99951; 256 beyond, first 65536 at k = 31 in [0, 0]; 256 infinite, 0 excluded"#]],
    );
}

/// The sum of a row goes up to 120000 and comes back to 0: how often it is rounded on the way is up to the implementation.
#[test]
fn a_sum_that_comes_back() {
    let buffers = operands(|row, k| match (row, k) {
        (3, 4 | 5) => 60000.0,
        (3, 6 | 7) => -60000.0,
        _ => 1.0,
    });
    let body = "sum = coopMatMulAdd(x, y, sum);";
    told_in(
        Mode::Sequential,
        body,
        &buffers,
        &expect![
            "256 sums of 16: -0.873 bits, largest 120004 at k = 5 in [3, 0], scale 0.54585; 16 beyond, first 120004 at k = 5 in [3, 0]; 0 infinite, 0 excluded"
        ],
    );
    told_in(
        Mode::RoundEachStep,
        body,
        &buffers,
        &expect![
            "256 sums of 16: -0.873 bits, largest 120004 at k = 5 in [3, 0], scale 0.54585; 16 beyond, first 120004 at k = 5 in [3, 0]; 16 infinite, 0 excluded"
        ],
    );
    told_in(
        Mode::NvidiaHopper,
        body,
        &buffers,
        &expect![
            "256 sums of 16: -0.873 bits, largest 120004 at k = 5 in [3, 0], scale 0.54585; 16 beyond, first 120004 at k = 5 in [3, 0]; 0 infinite, 0 excluded"
        ],
    );
    // On Hopper the sums of blocks of 16 are rounded: here the first block goes up, and the second one comes back.
    let buffers = operands(|_, k| if k == 0 { 60000.0 } else { 1000.0 });
    let body = "sum = coopMatMulAdd(x, y, sum); sum = coopMatMulAdd(-x, y, sum);";
    told_in(
        Mode::NvidiaHopper,
        body,
        &buffers,
        &expect![[r#"
        256 sums of 16: -0.195 bits, largest 75000 at k = 15 in [0, 0], scale 0.87339; 256 beyond, first 66000 at k = 6 in [0, 0]; 256 infinite, 0 excluded
        256 sums of 32: 2.127 bits, largest 15000 at k = 16 in [0, 0], scale 4.36693; 0 beyond, first none; 0 infinite, 0 excluded"#]],
    );
}

/// Only products are scaled: 60000 leaves room for 5504, of which the products take 16 * 1000.
#[test]
fn an_accumulator_that_holds_something() {
    let buffers = operands(|row, _| if row < 8 { 1000.0 } else { -1.0 });
    told(
        "sum = ACC(60000.0); sum = coopMatMulAdd(x, y, sum);",
        &buffers,
        &expect![
            "256 sums of 16: -0.214 bits, largest 76000 at k = 15 in [0, 0], scale 0.34400; 128 beyond, first 66000 at k = 5 in [0, 0]; 128 infinite, 0 excluded"
        ],
    );
    told(
        "sum = ACC(-60000.0); sum = coopMatMulAdd(x, y, sum);",
        &buffers,
        &expect![
            "256 sums of 16: 0.126 bits, largest -60016 at k = 15 in [8, 0], scale 7.84400; 0 beyond, first none; 0 infinite, 0 excluded"
        ],
    );
}

/// Whatever else writes to the accumulator begins new sums: k counts from there.
#[test]
fn where_a_sum_begins() {
    let buffers = operands(|_, _| 1.0);
    for other in [
        "sum = sum * float16_t(1.0);",
        "sum = -sum;",
        "sum += ACC(1.0);",
        "sum = ACC(0.0);",
        "for (int i = 0; i < sum.length(); i++) sum[i] = sum[i];",
        "coopMatLoad(sum, d, 0, 16, gl_CooperativeMatrixLayoutRowMajor);",
        "coopMatStore(sum, d, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(sum, d, 0, 16, gl_CooperativeMatrixLayoutRowMajor);",
    ] {
        let body = format!("for (int k = 0; k < 3; k++) {{ sum = coopMatMulAdd(x, y, sum); {other} }}");
        let measured = measured(&shader(&body), &buffers, Mode::Sequential);
        let [headroom] = &measured[..] else { panic!("{other}: {measured:?}") };
        assert_eq!((headroom.sums, headroom.products), (3 * 256, 16), "{other}");
    }
    // A copy goes on.
    let body = "ACC[2] sums; sums[0] = sum; for (int k = 0; k < 3; k++) { sums[1 - k % 2] = coopMatMulAdd(x, y, sums[k % 2]); }
        sum = sums[1];";
    let measured = measured(&shader(body), &buffers, Mode::Sequential);
    assert_eq!((measured[0].sums, measured[0].products), (256, 48));
}

#[test]
fn operands_that_are_not_finite() {
    let buffers = operands(|row, k| if (row, k) == (2, 3) { f64::INFINITY } else { 16.0 });
    let body = "for (int k = 0; k < 2; k++) sum = coopMatMulAdd(x, y, sum);";
    told(
        body,
        &buffers,
        &expect![
            "256 sums of 32: 6.999 bits, largest 512 at k = 31 in [0, 0], scale 127.93750; 0 beyond, first none; 0 infinite, 16 excluded"
        ],
    );
    told(
        "sum = ACC(1.0 / 0.0); sum = coopMatMulAdd(x, y, sum);",
        &operands(|_, _| 1.0),
        &expect![
            "256 sums of 16: inf bits, largest none, scale inf; 0 beyond, first none; 0 infinite, 256 excluded"
        ],
    );
}

#[test]
fn zeros() {
    told(
        "sum = coopMatMulAdd(x, y, sum);",
        &operands(|_, _| 0.0),
        &expect![
            "256 sums of 16: inf bits, largest 0 at k = 0 in [0, 0], scale inf; 0 beyond, first none; 0 infinite, 0 excluded"
        ],
    );
}

#[test]
fn other_accumulators_are_not_measured() {
    let source = shader("").replace(
        "float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator",
        "float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator",
    );
    let source = source
        .replace("float16_t d[]", "float d[]")
        .replace("ACC(0.0);", "ACC(0.0); sum = coopMatMulAdd(x, y, sum);");
    assert_eq!(measured(&source, &operands(|_, _| 1e4), Mode::Sequential), []);
}

/// Runs jobs one after the other, the last one first.
struct Backwards;

impl Pool for Backwards {
    fn at_once(&self) -> usize {
        1
    }

    fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        (0..count).rev().for_each(job);
    }
}

/// Elements of equal size are told of the first workgroup, whichever runs first; results are the same as without.
#[test]
fn workgroups_in_any_order() {
    let source = shader("for (int k = 0; k < 3; k++) sum = coopMatMulAdd(x, y, sum);");
    let mut buffers = operands(|row, k| if row == 5 && k > 3 { 4096.0 } else { 0.5 }).to_vec();
    buffers[2] = vec![0; 4 * 512];
    let mut in_order = execution(&source, &buffers, Mode::Sequential, 4);
    while in_order.run(1 << 20).expect("a run") != Progress::Finished {}
    let mut backwards = execution(&source, &buffers, Mode::Sequential, 4);
    backwards.run_parallel(&Backwards).expect("a run");
    assert_eq!(in_order.headroom(), backwards.headroom());
    assert_eq!(in_order.headroom()[0].first.map(|first| first.workgroup), Some([0, 0, 0]));
    assert_eq!(in_order.headroom()[0].sums, 4 * 256);

    let program = compile(&source);
    let (plain, _) = run_with(&program, &buffers, settings(32, "plain"));
    let mut with = settings(32, "plain");
    with.headroom = true;
    assert!(run_with(&program, &buffers, with).0 == plain);
}
