//! The widest vectors that the processor has: found out when it runs on x86-64, decided by the build elsewhere.

use pulp::WithSimd;

/// Runs a kernel compiled for the widest vectors. The kernel's results may not depend on them.
#[cfg(not(any(feature = "baseline", target_family = "wasm")))]
#[inline]
pub(super) fn dispatch<K: WithSimd>(kernel: K) -> K::Output {
    pulp::Arch::new().dispatch(kernel)
}

/// Runs a kernel compiled for what the build assumes: plain loops, which the compiler vectorises.
#[cfg(any(feature = "baseline", target_family = "wasm"))]
#[inline]
pub(super) fn dispatch<K: WithSimd>(kernel: K) -> K::Output {
    kernel.with_simd(pulp::Scalar)
}
