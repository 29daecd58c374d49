//! Runs the analysis in an environment without files, clock or threads: `cargo xtask wasm` links this for wasm32 and
//! executes it. The exit code is 0 when the analysis did its work.

use std::process::ExitCode;
use std::sync::Arc;

use coopmat_analysis::analyze;
use coopmat_analysis::config::Configuration;
use coopmat_analysis::sources::{FileLoader, NoFiles};

/// A header held in memory, as a browser holds its tabs.
struct OneHeader;

impl FileLoader for OneHeader {
    fn load(&self, path: &str) -> Option<Arc<str>> {
        (path == "shape.glsl").then(|| "const uint SIZE = 4;\n".into())
    }
}

fn main() -> ExitCode {
    let checks = [valid_shader_is_clean(), mistake_is_found(), header_comes_from_memory()];
    let failed = checks.into_iter().position(|good| !good);
    ExitCode::from(failed.map_or(0, |index| index as u8 + 1))
}

fn errors(text: &str, loader: &dyn FileLoader) -> usize {
    let configuration = Configuration { google_include: true, ..Configuration::default() };
    analyze("a.comp", text.into(), &configuration, loader, None).diagnostics.len()
}

fn valid_shader_is_clean() -> bool {
    errors(
        "#version 460\nlayout(local_size_x = 32) in;\nvoid main() { uint i = 1 + 2; i += 1u; }\n",
        &NoFiles,
    ) == 0
}

fn mistake_is_found() -> bool {
    errors("#version 460\nvoid main() { uint i = (1 + ; }\n", &NoFiles) > 0
}

fn header_comes_from_memory() -> bool {
    let shader = "#version 460\n#include \"shape.glsl\"\nlayout(local_size_x = SIZE) in;\nvoid main() {}\n";
    errors(shader, &OneHeader) == 0 && errors(shader, &NoFiles) > 0
}
