//! Memory that was freed, back to the system. It has nothing to do with Vulkan, but with `unsafe`, which is allowed in this crate alone.

/// glibc keeps most of what was freed, of 200 closed documents nearly everything that they took: it returns the end of a heap, and a single
/// block that outlives the rest keeps all that lies before it. Other C libraries and systems return free pages by themselves.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn give_memory_back() {
    // SAFETY: it takes no pointer, and returns to the system only pages of which no block is in use, under the lock of each arena: its manual
    // calls it MT-Safe.
    unsafe { libc::malloc_trim(0) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_memory_back() {}
