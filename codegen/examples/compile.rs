//! Compiles one file and prints the assembly text, or the reasons why there is none: `compile FILE [ENVIRONMENT] [OUTPUT.spv]`.

use std::sync::Arc;

use coopmat_analysis::config::{Configuration, Stage};
use coopmat_analysis::sources::FileLoader;

struct NoFiles;

impl FileLoader for NoFiles {
    fn load(&self, path: &str) -> Option<Arc<str>> {
        std::fs::read_to_string(path).ok().map(Into::into)
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(file) = arguments.next() else { return eprintln!("no file") };
    let env = arguments.next().unwrap_or_else(|| "vulkan1.3".to_owned());
    let output = arguments.next();
    let Ok(text) = std::fs::read_to_string(&file) else { return eprintln!("cannot read {file}") };
    let Ok(target_env) = env.parse() else { return eprintln!("no such environment: {env}") };
    let config = Configuration { target_env, stage: Some(Stage::Compute), ..Configuration::default() };
    let analysis = coopmat_analysis::analyze(&file, text.into(), &config, &NoFiles, None);
    let options = match std::env::var("DEBUG").as_deref() {
        Ok("lines") => coopmat_codegen::DebugInfo::Lines,
        Ok("full") => coopmat_codegen::DebugInfo::Full,
        _ => coopmat_codegen::DebugInfo::None,
    };
    let options = coopmat_codegen::Options { debug: options, ..Default::default() };
    match coopmat_codegen::compile(&analysis, &options) {
        Ok(compiled) => {
            let text = coopmat_spirv::text::disassemble(&compiled.module, &Default::default());
            if output.as_deref() != Some("-") {
                println!("{}", text.text);
            }
            if let Some(output) = output
                && let Ok(words) = coopmat_spirv::assemble(&compiled.module)
                && output != "-"
            {
                let _ = std::fs::write(output, coopmat_spirv::to_bytes(&words));
            }
        }
        Err(errors) => {
            for error in errors {
                let file = &analysis.files()[error.location.file];
                let line = file.line_index().line_col(error.location.range.start()).line + 1;
                eprintln!("{}:{line}: {}", file.path, error.message);
            }
            std::process::exit(1);
        }
    }
}
