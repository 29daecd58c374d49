//! How fast the simulator multiplies matrices of 512 x 512 x 512, f16 with f32 accumulators, beside a plain triple loop and the crate `gemm`
//! in f32. Rates of one thread are of its processor time, so that other work on the machine does not count; those of two are of the
//! clock on the wall. `coopmat-speed [SHADER [REPETITIONS]]` runs one shader alone, for a profiler.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, ensure};
use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_simulator::{Execution, Pool, Program, ProgramOptions, Progress, Resources, Settings};
use cpu_time::ThreadTime;
use half::f16;

const SIZE: usize = 512;
const FLOPS: f64 = 2.0 * (SIZE * SIZE * SIZE) as f64;

/// Name, source, and how many rows and columns a workgroup makes.
const SHADERS: [(&str, &str, usize); 3] = [
    ("plain", include_str!("shaders/plain.comp"), 16),
    ("blocks", include_str!("shaders/blocks.comp"), 64),
    ("staged", include_str!("shaders/staged.comp"), 64),
];

struct Threads(usize);

impl Pool for Threads {
    fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..self.0 {
                scope.spawn(|| {
                    while let index = next.fetch_add(1, Relaxed)
                        && index < count
                    {
                        job(index);
                    }
                });
            }
        });
    }
}

/// Small numbers, so that sums are exact in any order.
fn numbers(seed: u32) -> Vec<f32> {
    let mut state = seed;
    (0..SIZE * SIZE)
        .map(|_| {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            (state >> 28) as f32 - 8.0
        })
        .collect()
}

fn bytes_of_f16(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| f16::from_f32(*value).to_le_bytes()).collect()
}

fn triple_loop(a: &[f32], b: &[f32]) -> Vec<f32> {
    let mut c = vec![0.0; SIZE * SIZE];
    for row in 0..SIZE {
        for k in 0..SIZE {
            let a = a[row * SIZE + k];
            for (c, b) in c[row * SIZE..][..SIZE].iter_mut().zip(&b[k * SIZE..][..SIZE]) {
                *c += a * b;
            }
        }
    }
    c
}

#[allow(unsafe_code)]
fn with_gemm(a: &[f32], b: &[f32]) -> Vec<f32> {
    let mut c = vec![0.0f32; SIZE * SIZE];
    assert!(a.len() == SIZE * SIZE && b.len() == SIZE * SIZE);
    let rows = SIZE as isize;
    // SAFETY: all three are SIZE rows of SIZE numbers, as the strides say, and `c` is nobody else's.
    unsafe {
        gemm::gemm(
            SIZE,
            SIZE,
            SIZE,
            c.as_mut_ptr(),
            1,
            rows,
            false,
            a.as_ptr(),
            1,
            rows,
            b.as_ptr(),
            1,
            rows,
            0.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
    c
}

/// The best of some runs, in GFLOP/s of processor time, and what it made.
fn rate(runs: usize, mut run: impl FnMut() -> Result<Vec<f32>>) -> Result<(f64, Vec<f32>)> {
    let (mut best, mut last) = (f64::MAX, Vec::new());
    for _ in 0..runs {
        let start = ThreadTime::now();
        last = run()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok((FLOPS / best / 1e9, last))
}

fn program(name: &str, source: &str) -> Result<Program> {
    let config = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    let analysis =
        coopmat_analysis::analyze(&format!("/{name}.comp"), source.into(), &config, &NoFiles, None);
    let compiled = coopmat_codegen::compile(&analysis, &Default::default())
        .map_err(|error| anyhow!("{name}: {error:?}"))?;
    Program::new(&compiled.module, &ProgramOptions::default()).map_err(|error| anyhow!("{name}: {error}"))
}

fn simulate(program: &Program, tile: usize, a: &[u8], b: &[u8], pool: Option<&dyn Pool>) -> Result<Vec<f32>> {
    let mut resources = Resources::new();
    let c = vec![0; SIZE * SIZE * 4];
    let [_, _, c] = [(0, a), (1, b), (2, &c[..])].map(|(binding, bytes)| {
        let buffer = resources.buffer(bytes);
        resources.bind(0, binding, 0, buffer);
        buffer
    });
    resources.push_constants(&(SIZE as u32).to_le_bytes());
    let settings = Settings { subgroup_size: 32, ..Settings::default() };
    let groups = (SIZE / tile) as u32;
    let mut execution = Execution::new(program, resources, settings, [groups, groups, 1])?;
    match pool {
        Some(pool) => execution.run_parallel(pool)?,
        None => ensure!(execution.run(u64::MAX)? == Progress::Finished, "it does not end"),
    }
    let bytes = execution.resources().bytes(c);
    Ok(bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (a, b) = (numbers(1), numbers(2));
    let (bytes_a, bytes_b) = (bytes_of_f16(&a), bytes_of_f16(&b));
    if let Some(name) = arguments.first() {
        let (name, source, tile) =
            SHADERS.into_iter().find(|(known, ..)| known == name).context("plain, blocks or staged")?;
        let runs = arguments.get(1).map_or(Ok(1), |runs| runs.parse())?;
        let program = program(name, source)?;
        let (rate, _) = rate(runs, || simulate(&program, tile, &bytes_a, &bytes_b, None))?;
        println!("{name}: {rate:.2} GFLOP/s");
        return Ok(());
    }
    let (loops, expected) = rate(3, || Ok(triple_loop(&a, &b)))?;
    println!("{SIZE}x{SIZE}x{SIZE}, one thread:");
    println!("  plain triple loop, f32      {loops:7.2} GFLOP/s");
    let (best, made) = rate(5, || Ok(with_gemm(&a, &b)))?;
    ensure!(made == expected, "gemm gives another result");
    println!("  crate gemm, f32             {best:7.2} GFLOP/s");
    for (name, source, tile) in SHADERS {
        let program = program(name, source)?;
        let (rate, made) = rate(5, || simulate(&program, tile, &bytes_a, &bytes_b, None))?;
        ensure!(made == expected, "{name} gives another result");
        let start = Instant::now();
        let one = simulate(&program, tile, &bytes_a, &bytes_b, Some(&Threads(1)))?;
        let alone = start.elapsed();
        let start = Instant::now();
        let made = simulate(&program, tile, &bytes_a, &bytes_b, Some(&Threads(2)))?;
        let both = start.elapsed();
        ensure!(made == expected && one == expected, "{name} gives another result in parallel");
        println!(
            "  shader `{name}`{:width$}{rate:7.2} GFLOP/s, {:.2} of gemm; two threads take {:.2} of the time of one",
            "",
            rate / best,
            both.as_secs_f64() / alone.as_secs_f64(),
            width = 19 - name.len(),
        );
    }
    Ok(())
}
