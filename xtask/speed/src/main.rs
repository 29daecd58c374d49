//! Measures one thing and prints it, for `cargo xtask bench --simulator`, which calls this again and again and compares. Rates are
//! GFLOP/s of processor time, the best of some runs, so that other work on the machine hardly counts.
//!
//! - `loop RUNS`, `gemm RUNS`: a plain triple loop, and the crate gemm, in f32 on one thread: rate and fingerprint of the result
//! - `shader MODULE.spv TILE MODE THREADS RUNS`: a shader on the simulator; with several threads the rate is of the clock on the wall, and that
//!   of the processor time of all threads together follows
//! - `checked RUNS [MODULE.spv RECIPE.toml]...`: for each of these the seconds without and with checks
//! - `tiers RUNS [MODULE.spv RECIPE.toml]...`: for each of these the milliseconds of making its code, of each run of the
//!   interpreter, and of each compiled one
//! - `compiled MODULE.spv TILE RUNS`: a shader compiled: the rate alone, for profiles
//! - `tier MODULE.spv TILE SIZE RUNS`: a shader in both tiers beside the crate gemm, turn by turn, with matrices of this size: a line with the rates of
//!   each, and the milliseconds that making the code takes; or why it is left to the interpreter

mod checked;

use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail, ensure};
use coopmat_native::Machine;
use coopmat_simulator::Pool;
use coopmat_simulator::numerics::Mode;
use coopmat_speed::{Product, SIZE, fingerprint, flops, numbers};
use cpu_time::{ProcessTime, ThreadTime};
use rayon::prelude::*;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["loop", runs] => reference(runs.parse()?, triple_loop),
        ["gemm", runs] => reference(runs.parse()?, with_gemm),
        ["shader", module, tile, mode, threads, runs] => {
            let module = std::fs::read(module).with_context(|| module.to_owned())?;
            let mode = Mode::from_name(mode).with_context(|| format!("no mode is called {mode}"))?;
            let product = Product::new(&module, tile.parse()?, mode).map_err(|error| anyhow!(error))?;
            shader(&product, threads.parse()?, runs.parse()?)
        }
        ["tier", module, tile, size, runs] => {
            let module = std::fs::read(module).with_context(|| module.to_owned())?;
            let size = size.parse()?;
            let product = Product::of_size(&module, tile.parse()?, Mode::default(), size)
                .map_err(|error| anyhow!(error))?;
            tiers(&product, size, runs.parse()?)
        }
        ["compiled", module, tile, runs] => {
            let module = std::fs::read(module).with_context(|| module.to_owned())?;
            let product =
                Product::new(&module, tile.parse()?, Mode::default()).map_err(|error| anyhow!(error))?;
            compiled(&product, runs.parse()?)
        }
        ["tiers", runs, ref files @ ..] => checked::tiers(runs.parse()?, files),
        ["checked", runs, ref files @ ..] => checked::measure(runs.parse()?, files),
        _ => bail!("see the first lines of xtask/speed/src/main.rs"),
    }
}

struct Threads(rayon::ThreadPool);

impl Pool for Threads {
    fn at_once(&self) -> usize {
        self.0.current_num_threads()
    }

    fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        self.0.install(|| (0..count).into_par_iter().for_each(job));
    }
}

fn shader(product: &Product, threads: usize, runs: usize) -> Result<()> {
    let pool = Threads(rayon::ThreadPoolBuilder::new().num_threads(threads).build()?);
    let pool: Option<&dyn Pool> = if threads > 1 { Some(&pool) } else { None };
    let (mut wall, mut thread, mut all, mut made) = (f64::MAX, f64::MAX, f64::MAX, 0);
    for _ in 0..runs {
        let mut ready = product.prepare().map_err(|error| anyhow!(error))?;
        let (on_wall, of_thread, of_all) = (Instant::now(), ThreadTime::now(), ProcessTime::now());
        ready.run(pool).map_err(|error| anyhow!(error))?;
        wall = wall.min(on_wall.elapsed().as_secs_f64());
        thread = thread.min(of_thread.elapsed().as_secs_f64());
        all = all.min(of_all.elapsed().as_secs_f64());
        made = fingerprint(&ready.result());
    }
    let rate = |seconds: f64| flops(SIZE) / seconds / 1e9;
    match threads {
        1 => println!("{} {made}", rate(thread)),
        _ => println!("{} {made} {}", rate(wall), rate(all)),
    }
    Ok(())
}

fn tiers(product: &Product, size: usize, runs: usize) -> Result<()> {
    let (a, b) = (numbers(1, size), numbers(2, size));
    let mut rates = [const { Vec::new() }; 3];
    let mut making = f64::MAX;
    for _ in 0..runs {
        let start = ThreadTime::now();
        let product_of_gemm = with_gemm(&a, &b, size);
        rates[0].push(flops(size) / start.elapsed().as_secs_f64() / 1e9);
        let wanted = fingerprint(&product_of_gemm);
        let start = ThreadTime::now();
        let machine = match Machine::new(product.program(), &product.settings()) {
            Ok(machine) => machine,
            Err(left) => {
                println!("{left}");
                return Ok(());
            }
        };
        making = making.min(start.elapsed().as_secs_f64());
        for (rates, compiled) in rates[1..].iter_mut().zip([false, true]) {
            let mut ready = product.prepare().map_err(|error| anyhow!(error))?;
            let start = ThreadTime::now();
            if compiled {
                machine.run(ready.execution(), None, &mut |_, _| true)?;
            } else {
                ready.run(None).map_err(|error| anyhow!(error))?;
            }
            rates.push(flops(size) / start.elapsed().as_secs_f64() / 1e9);
            ensure!(fingerprint(&ready.result()) == wanted, "the results differ");
        }
    }
    for (name, rates) in ["gemm", "interpreter", "compiled"].into_iter().zip(rates) {
        println!("{name} {}", rates.iter().map(f64::to_string).collect::<Vec<_>>().join(" "));
    }
    println!("making {}", making * 1e3);
    Ok(())
}

/// Compiled code alone: what a profile looks at.
fn compiled(product: &Product, runs: usize) -> Result<()> {
    let machine = Machine::new(product.program(), &product.settings())?;
    let mut best = f64::MAX;
    for _ in 0..runs {
        let mut ready = product.prepare().map_err(|error| anyhow!(error))?;
        let start = ThreadTime::now();
        machine.run(ready.execution(), None, &mut |_, _| true)?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{}", flops(SIZE) / best / 1e9);
    Ok(())
}

fn reference(runs: usize, multiply: fn(&[f32], &[f32], usize) -> Vec<f32>) -> Result<()> {
    let (a, b) = (numbers(1, SIZE), numbers(2, SIZE));
    let (mut best, mut made) = (f64::MAX, 0);
    for _ in 0..runs {
        let start = ThreadTime::now();
        let c = multiply(&a, &b, SIZE);
        best = best.min(start.elapsed().as_secs_f64());
        made = fingerprint(&c);
    }
    println!("{} {made}", flops(SIZE) / best / 1e9);
    Ok(())
}

fn triple_loop(a: &[f32], b: &[f32], size: usize) -> Vec<f32> {
    let mut c = vec![0.0; size * size];
    for row in 0..size {
        for k in 0..size {
            let a = a[row * size + k];
            for (c, b) in c[row * size..][..size].iter_mut().zip(&b[k * size..][..size]) {
                *c += a * b;
            }
        }
    }
    c
}

#[allow(unsafe_code)]
fn with_gemm(a: &[f32], b: &[f32], size: usize) -> Vec<f32> {
    let mut c = vec![0.0f32; size * size];
    assert!(a.len() == size * size && b.len() == size * size);
    let rows = size as isize;
    // SAFETY: all three are size rows of size numbers, as the strides say, and `c` is nobody else's.
    unsafe {
        gemm::gemm(
            size,
            size,
            size,
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
