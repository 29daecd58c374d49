//! Compiles the generated parser and its scanner.

use std::env;
use std::path::Path;

fn main() {
    let source = Path::new("src");
    let mut build = cc::Build::new();
    build.std("c11").include(source).warnings(false);
    if env::var("CARGO_CFG_TARGET_ENV").as_deref() == Ok("msvc") {
        build.flag("-utf-8");
    }
    // The target has no C library; the crate tree-sitter-language brings the few headers that a parser includes.
    if env::var("TARGET").is_ok_and(|target| target.starts_with("wasm32-unknown"))
        && let Ok(headers) = env::var("DEP_TREE_SITTER_LANGUAGE_WASM_HEADERS")
    {
        build.include(headers);
    }
    for file in ["parser.c", "scanner.c"] {
        let path = source.join(file);
        println!("cargo:rerun-if-changed={}", path.display());
        build.file(path);
    }
    // Tables dominate; what is left profits from optimisation in every profile.
    if env::var("PROFILE").as_deref() == Ok("debug") {
        build.opt_level(2).debug(false);
    }
    build.compile("tree-sitter-glsl-coopmat");
}
