//! What every fuzzer of this package is: a target by its name, with inputs that are changed by libFuzzer's mutator and by ours in turn.

use coopmat_fuzz::random::Random;
use coopmat_fuzz::seeds::Seeds;
use coopmat_fuzz::target::{Effort, Target};
use coopmat_fuzz::targets::find;

pub use libfuzzer_sys;

/// The target of a name.
pub fn named(name: &str) -> &'static Target {
    match find(name) {
        Some(target) => target,
        None => panic!("there is no target {name}"),
    }
}

pub fn run(target: &Target, bytes: &[u8]) {
    (target.run)(bytes, Effort::default());
}

/// Damages what is in the buffer as the driver does it, or lets libFuzzer do it. Returns the new length.
pub fn mutate(target: &Target, data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random::new(u64::from(seed));
    if random.one_in(3) {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let changed = (target.mutate)(&data[..size], &mut random, Seeds::shared());
    let length = changed.len().min(max_size);
    data[..length].copy_from_slice(&changed[..length]);
    length
}

/// A fuzzer.
#[macro_export]
macro_rules! target {
    ($name:literal) => {
        $crate::libfuzzer_sys::fuzz_target!(|data: &[u8]| {
            $crate::run($crate::named($name), data);
        });
        $crate::libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            $crate::mutate($crate::named($name), data, size, max_size, seed)
        });
    };
}
