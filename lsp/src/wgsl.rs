//! Shaders in WGSL, which naga compiles on a thread of its own: it needs a large stack for long chains of operators.

pub use coopmat_wgsl::{EXTENSION, Mistake};

/// Enough for a call at each byte or two of a whole source.
const STACK: usize = 1 << 30;

/// The words of the module of a shader, which says where they come from if `with_source`. `name`: what it calls its source.
///
/// # Errors
/// What naga says first, or why it is not asked.
pub fn compile(name: &str, source: &str, with_source: bool) -> Result<Vec<u32>, Mistake> {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        let compiled = || coopmat_wgsl::compile(name, source, with_source);
        match builder.spawn_scoped(scope, compiled).map(|thread| thread.join()) {
            Ok(Ok(compiled)) => compiled,
            Ok(Err(_)) => Err(Mistake::whole("naga fails on this shader".to_owned())),
            Err(error) => Err(Mistake::whole(format!("there is no memory for naga's stack: {error}"))),
        }
    })
}
