//! Compiles WGSL for the page. A module of its own, as most visits have no WGSL.

use std::ops::Range;

use coopmat_wgsl::Mistake;
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

/// What became of a shader: words, or a mistake.
#[wasm_bindgen]
pub struct Compiled {
    words: Vec<u32>,
    mistake: Option<String>,
}

#[wasm_bindgen]
impl Compiled {
    /// The module. Empty where there is a mistake.
    #[wasm_bindgen(js_name = takeWords)]
    pub fn take_words(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.words)
    }

    /// `{message, range, labels: [{message, range}]}` as JSON, with ranges as the language server protocol has them.
    pub fn mistake(&self) -> Option<String> {
        self.mistake.clone()
    }
}

/// Compiles the text of a file.
#[wasm_bindgen]
#[must_use]
pub fn compile(name: &str, source: &str) -> Compiled {
    match coopmat_wgsl::compile(name, source, true) {
        Ok(words) => Compiled { words, mistake: None },
        Err(mistake) => Compiled { words: Vec::new(), mistake: Some(told(source, mistake).to_string()) },
    }
}

fn told(source: &str, mistake: Mistake) -> Value {
    let label = |(place, message): (Range<usize>, String)| json!({ "message": message, "range": range(source, place) });
    let labels: Vec<Value> = mistake.labels.into_iter().map(label).collect();
    json!({ "message": mistake.message, "range": range(source, mistake.range), "labels": labels })
}

fn range(source: &str, place: Range<usize>) -> Value {
    json!({ "start": position(source, place.start), "end": position(source, place.end) })
}

/// Lines and UTF-16 columns, both from 0.
fn position(source: &str, at: usize) -> Value {
    let before = source.get(..at).unwrap_or(source);
    let line = before.rsplit('\n').next().unwrap_or_default();
    json!({ "line": before.matches('\n').count(), "character": line.encode_utf16().count() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shader_becomes_a_module() {
        let mut compiled = compile("x.wgsl", "@compute @workgroup_size(1) fn main() {}");
        assert_eq!(compiled.mistake(), None);
        assert_eq!(compiled.take_words().first(), Some(&0x0723_0203));
    }

    /// Columns are those of editors: the letter before the name takes two of them.
    #[test]
    fn a_mistake_is_at_its_place() {
        let compiled = compile("x.wgsl", "fn f() {}\nfn g() { /* \u{1d54f} */ h(); }");
        let mistake: Value = serde_json::from_str(&compiled.mistake().unwrap()).unwrap();
        assert_eq!(mistake["message"], "no definition in scope for identifier: `h`");
        assert_eq!(mistake["range"]["start"], json!({"line": 1, "character": 18}));
    }
}
