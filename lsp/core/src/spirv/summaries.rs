//! What each function has become in SPIR-V, in a few words: the titles of code lenses.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::module::Outcome;

/// Words about each function, by its `key`.
pub type Summaries = Arc<FxHashMap<String, String>>;

pub fn summarize(outcome: Outcome) -> Summaries {
    let Ok(module) = outcome else { return Summaries::default() };
    let hir = &module.analysis.module;
    let ranges = coopmat_spirv::text::function_ranges(&module.compiled.module);
    let found = coopmat_codegen::statistics::summaries(&module.compiled.module);
    let mut summaries: FxHashMap<String, String> = FxHashMap::default();
    for (summary, range) in found.iter().zip(ranges) {
        let name = module.compiled.map.expanded(range.start);
        let function = hir.functions.iter().find(|(_, one)| Some(one.name_range) == name);
        if let Some((_, function)) = function {
            let place = module.analysis.file_range(function.name_range);
            let key = key(&module.analysis.files()[place.file].path, &function.name);
            summaries.entry(key).or_insert_with(|| match summary.words.as_str() {
                "" => format!("SPIR-V: {} instructions", summary.instructions),
                words => format!("SPIR-V: {words}"),
            });
        }
    }
    Arc::new(summaries)
}

/// What a function's words are kept under.
pub fn key(path: &str, function: &str) -> String {
    format!("{path}\0{function}")
}
