//! The matrix product that the simulator is timed with: 512 x 512 x 512 or another size, f16 with f32 accumulators. The same code runs natively and as
//! WebAssembly (`web`); shaders come as SPIR-V, so that nothing of the compiler is built for it.

#[cfg(target_family = "wasm")]
pub mod web;

use coopmat_simulator::numerics::{Format, Mode, Numerics, Overflow, Rounding};
use coopmat_simulator::{BufferId, Execution, Pool, Program, ProgramOptions, Progress, Resources, Settings};

/// Rows and columns of all three matrices, unless others are asked for.
pub const SIZE: usize = 512;

/// What one product takes.
pub fn flops(size: usize) -> f64 {
    2.0 * (size * size * size) as f64
}

/// Small whole numbers, so that sums are exact in any order.
pub fn numbers(seed: u32, size: usize) -> Vec<f32> {
    let mut state = seed;
    (0..size * size)
        .map(|_| {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            (state >> 28) as f32 - 8.0
        })
        .collect()
}

/// One number for a result: FNV-1a over its bits, so that what different builds made can be compared.
pub fn fingerprint(values: &[f32]) -> u32 {
    values
        .iter()
        .flat_map(|value| value.to_bits().to_le_bytes())
        .fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn bytes_of_f16(values: &[f32]) -> Vec<u8> {
    let bits = |value: &f32| Format::F16.from_f32(*value, Rounding::NearestEven, Overflow::Special) as u16;
    values.iter().flat_map(|value| bits(value).to_le_bytes()).collect()
}

/// A shader that multiplies, and its operands: A at binding 0, B at 1, the result at 2, all in rows; the size is its push constant.
pub struct Product {
    program: Program,
    /// Rows and columns that a workgroup makes, and those of the matrices.
    tile: usize,
    size: usize,
    a: Vec<u8>,
    b: Vec<u8>,
    mode: Mode,
}

/// Operands in buffers, and everything else that is ready before the clock starts.
pub struct Ready {
    execution: Execution,
    result: BufferId,
}

impl Product {
    pub fn new(module: &[u8], tile: usize, mode: Mode) -> Result<Product, String> {
        Product::of_size(module, tile, mode, SIZE)
    }

    /// Of matrices with so many rows and columns, a multiple of the tile.
    pub fn of_size(module: &[u8], tile: usize, mode: Mode, size: usize) -> Result<Product, String> {
        let module = coopmat_spirv::load_bytes(module).map_err(|error| error.to_string())?;
        let program = Program::new(&module, &ProgramOptions::default()).map_err(|error| error.to_string())?;
        let [a, b] = [1, 2].map(|seed| bytes_of_f16(&numbers(seed, size)));
        Ok(Product { program, tile, size, a, b, mode })
    }

    /// How it runs.
    pub fn settings(&self) -> Settings {
        Settings { subgroup_size: 32, numerics: Numerics::with_mode(self.mode), ..Settings::default() }
    }

    pub fn program(&self) -> &Program {
        &self.program
    }

    pub fn prepare(&self) -> Result<Ready, String> {
        let mut resources = Resources::new();
        let c = vec![0; self.size * self.size * 4];
        let [_, _, result] = [(0, &self.a), (1, &self.b), (2, &c)].map(|(binding, bytes)| {
            let buffer = resources.buffer(bytes);
            resources.bind(0, binding, 0, buffer);
            buffer
        });
        resources.push_constants(&(self.size as u32).to_le_bytes());
        let groups = (self.size / self.tile) as u32;
        let execution = Execution::new(&self.program, resources, self.settings(), [groups, groups, 1])
            .map_err(|error| error.to_string())?;
        Ok(Ready { execution, result })
    }
}

impl Ready {
    /// The dispatch: what is timed, and what a profile counts.
    #[inline(never)]
    pub fn run(&mut self, pool: Option<&dyn Pool>) -> Result<(), String> {
        let ended = match pool {
            Some(pool) => self.execution.run_parallel(pool).map(|()| Progress::Finished),
            None => self.execution.run(u64::MAX),
        };
        match ended {
            Ok(Progress::Finished) => Ok(()),
            Ok(Progress::Running { .. }) => Err("it does not end".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// What runs, for another tier.
    pub fn execution(&mut self) -> &mut Execution {
        &mut self.execution
    }

    pub fn result(&self) -> Vec<f32> {
        let bytes = self.execution.resources().bytes(self.result);
        bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
    }
}
