//! Memory that was freed, back to the system. It has nothing to do with Vulkan, but with `unsafe`, which is allowed in this crate alone.

/// The C library of most Linux systems keeps what was freed: of 200 closed documents, nearly everything that they took. Others give it back by
/// themselves.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn give_memory_back() {
    unsafe extern "C" {
        fn malloc_trim(pad: usize) -> std::ffi::c_int;
    }
    // SAFETY: the function takes a number, may be called at any time from any thread, and touches only memory that is not in use.
    unsafe { malloc_trim(0) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_memory_back() {}
