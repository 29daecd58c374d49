//! Where a comparison over the corpus reads and writes.

use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Places {
    /// The folder that `cargo xtask corpus` fills
    #[arg(long)]
    pub sources: PathBuf,
    /// The document with the table of differences that are meant
    #[arg(long)]
    pub accepted: PathBuf,
    /// Where what is made is written: modules as `ours/NAME.spv` and `glslang/NAME.spv`, or an edited shader of each kind
    #[arg(long)]
    pub folder: PathBuf,
}
