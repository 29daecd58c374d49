//! The folder that the server works in: llama.cpp's shaders with a project file that gives each of them several configurations, glslang's compute
//! tests, and our own examples; and the documents that are opened of it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::json;

use crate::client::uri;
use crate::document::Document;

/// Configurations of one shader; the others of its variants are more of the same.
const CONFIGURATIONS: usize = 3;

/// Makes the folder anew.
pub fn make(folder: &Path, sources: &Path, examples: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let llama = sources.join("llama");
    copy(&llama.join("vulkan-shaders"), &folder.join("llama"), |_| true)?;
    let table = fs::read_to_string(llama.join("variants.tsv")).context("no list of variants")?;
    fs::write(folder.join("llama/coopmat-analyzer.toml"), project(&table)?)?;
    copy(&sources.join("glslang/Test"), &folder.join("glslang"), |name| name.ends_with(".comp"))?;
    for part in ["khr", "nv2", "qcom", "coopvec", "mistakes"] {
        copy(&examples.join(part), &folder.join("examples").join(part), |_| true)?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path, wanted: impl Fn(&str) -> bool) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("no {}", from.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_file() && wanted(&entry.file_name().to_string_lossy()) {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// A project file with the first configurations of each shader.
fn project(table: &str) -> Result<String> {
    use std::fmt::Write as _;
    let mut shaders: Vec<(&str, Vec<[&str; 3]>)> = Vec::new();
    for row in table.lines() {
        let cells: Vec<&str> = row.split('\t').collect();
        let [source, output, target, defines] = cells[..] else {
            anyhow::bail!("expected four cells, found {row}")
        };
        let row = [output.trim_end_matches(".spv"), target, defines];
        match shaders.iter_mut().find(|(name, _)| *name == source) {
            Some((_, rows)) if rows.len() < CONFIGURATIONS => rows.push(row),
            Some(_) => {}
            None => shaders.push((source, vec![row])),
        }
    }
    let mut text = "google-include = true\n".to_owned();
    for (source, rows) in shaders {
        writeln!(text, "\n[[shaders]]\nfiles = [{}]", json!(source))?;
        for [name, target, defines] in rows {
            let defines: Vec<String> = defines
                .split('\u{1f}')
                .filter(|define| !define.is_empty())
                .map(|define| json!(define).to_string())
                .collect();
            writeln!(
                text,
                "\n[[shaders.configurations]]\nname = {}\ntarget-env = {}\ndefines = [{}]",
                json!(name),
                json!(target),
                defines.join(", ")
            )?;
        }
    }
    Ok(text)
}

/// So many documents, the same ones each time: of the examples an eighth, of glslang's tests a quarter, of llama.cpp's files the rest,
/// headers among them. Some are opened with other line ends than on disk, some with words of other scripts.
pub fn documents(folder: &Path, count: usize) -> Result<Vec<Document>> {
    let mut examples = Vec::new();
    for part in ["khr", "nv2", "qcom", "coopvec", "mistakes"] {
        examples.extend(shaders(&folder.join("examples").join(part))?);
    }
    let (llama, mut glslang) = (shaders(&folder.join("llama"))?, shaders(&folder.join("glslang"))?);
    // Those about matrices first.
    glslang.sort_by_key(|path| !path.to_string_lossy().contains("coop"));
    let mut chosen = spread(&examples, count / 8);
    chosen.extend(glslang.into_iter().take(count / 4));
    let left = count.saturating_sub(chosen.len());
    // The largest header, which most include, always.
    let types = folder.join("llama/types.glsl");
    let others: Vec<PathBuf> = llama.into_iter().filter(|path| *path != types).collect();
    chosen.push(types);
    chosen.extend(spread(&others, left.saturating_sub(1)));
    chosen.iter().enumerate().map(|(index, path)| document(path, index)).collect()
}

fn document(path: &Path, index: usize) -> Result<Document> {
    let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut text = String::from_utf8_lossy(&text).into_owned();
    if index % 5 == 1 {
        text = text.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    if index % 5 == 2 {
        text.push_str("\n// Größe, 大きさ, \u{1F600}, 𝔐\n");
    }
    Ok(Document::new(uri(path), text.into()))
}

fn shaders(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "comp" || extension == "glsl") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// So many of them, evenly spread.
fn spread(files: &[PathBuf], count: usize) -> Vec<PathBuf> {
    let count = count.min(files.len());
    (0..count).filter_map(|index| files.get(index * files.len() / count.max(1)).cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shader_has_some_of_its_variants() {
        let table = "a.comp\ta1.spv\tvulkan1.3\tX=1\u{1f}Y\na.comp\ta2.spv\tvulkan1.2\t\n";
        let text = project(table).expect("a project file");
        assert!(text.contains("files = [\"a.comp\"]"), "{text}");
        assert!(
            text.contains("name = \"a1\"\ntarget-env = \"vulkan1.3\"\ndefines = [\"X=1\", \"Y\"]"),
            "{text}"
        );
        assert!(text.contains("name = \"a2\"\ntarget-env = \"vulkan1.2\"\ndefines = []"), "{text}");
    }
}
