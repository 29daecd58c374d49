//! Kernels with Vulkan libraries of the Rust ecosystem, to be run on coopmat-analyzer's driver: the argument says which. Each prints how far its results are from what they
//! should be, and says so where that is beyond the tolerance.

mod vulkano_sums;
mod wgpu_matrices;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let worst = match arguments.next().as_deref() {
        Some("wgpu") => wgpu_matrices::run(),
        Some("vulkano") => {
            vulkano_sums::run(&arguments.next().expect("expected the SPIR-V module of vulkano_sums.comp"))
        }
        other => panic!("expected `wgpu` or `vulkano`, found {other:?}"),
    };
    println!("{worst:.2e} of the largest value");
    if worst <= 4e-3 {
        println!("every result is within its tolerance");
    } else {
        println!("some results are WRONG");
        std::process::exit(1);
    }
}
