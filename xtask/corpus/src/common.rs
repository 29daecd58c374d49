//! The options that the reports have in common: what is looked at, and how much is said.

use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Common {
    /// The folder that `cargo xtask corpus` fills
    #[arg(long)]
    pub sources: PathBuf,
    /// Only files or variants whose name contains this
    #[arg(long)]
    pub only: Option<String>,
    /// How many places to print of each kind
    #[arg(long, default_value_t = 40)]
    pub limit: usize,
}

impl Common {
    pub fn chosen(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only.as_str()))
    }
}
