//! The projects whose shaders are completed in: each shader once, with the options that leave most of it in force.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use coopmat_analysis::config::{Configuration, Stage};

use coopmat_corpus::files::Files;
use coopmat_corpus::glslang::Glslang;
use coopmat_corpus::llama::Llama;
use coopmat_corpus::ncnn::Ncnn;

/// A shader and all that it can include.
pub struct Shader {
    pub path: String,
    pub text: Arc<str>,
    pub files: Arc<Files>,
    pub config: Configuration,
    /// The first byte that its authors wrote: ncnn puts definitions before it.
    pub from: usize,
}

pub struct Project {
    pub name: &'static str,
    pub shaders: Vec<Shader>,
}

/// From the folder that `cargo xtask corpus` fills, and the examples of this repository.
pub fn read(sources: &Path, examples: &Path) -> Result<Vec<Project>> {
    let projects = vec![
        Project { name: "llama", shaders: llama(sources)? },
        Project { name: "ncnn", shaders: ncnn(sources)? },
        Project { name: "glslang", shaders: glslang(sources)? },
        Project { name: "examples", shaders: folder(examples)? },
    ];
    for project in &projects {
        anyhow::ensure!(!project.shaders.is_empty(), "{} has no shaders", project.name);
    }
    Ok(projects)
}

/// Each source under the definitions of the variant that has most of them.
fn llama(sources: &Path) -> Result<Vec<Shader>> {
    let llama = Llama::read(sources)?;
    let files = Arc::new(llama.files);
    let mut variants = llama.variants;
    variants
        .sort_by(|a, b| (&a.source, b.defines.len(), &a.name).cmp(&(&b.source, a.defines.len(), &b.name)));
    variants.dedup_by(|a, b| a.source == b.source);
    variants
        .iter()
        .map(|variant| {
            Ok(Shader {
                path: variant.source.clone(),
                text: files.get(&variant.source).with_context(|| format!("no {}", variant.source))?,
                files: files.clone(),
                config: variant.configuration(),
                from: 0,
            })
        })
        .collect()
}

/// Each shader with 16-bit storage and arithmetic.
fn ncnn(sources: &Path) -> Result<Vec<Shader>> {
    /// A set of options in [`coopmat_corpus::ncnn`].
    const SET: &str = " fp16sau";
    let ncnn = Ncnn::read(sources)?;
    let chosen = ncnn.variants.iter().filter(|variant| variant.name.ends_with(SET));
    chosen
        .map(|variant| {
            let files = ncnn.files(variant)?;
            let text = files.get(&variant.source).with_context(|| format!("no {}", variant.source))?;
            let own = ncnn.source(variant).unwrap_or_default();
            // What follows the `#version` is the shader's own text.
            let shared = own.bytes().rev().zip(text.bytes().rev()).take_while(|(a, b)| a == b).count();
            Ok(Shader {
                path: variant.source.clone(),
                from: text.len() - shared,
                text,
                files: Arc::new(files),
                config: ncnn.configuration(variant),
            })
        })
        .collect()
}

/// The compute shaders that glslang accepts.
fn glslang(sources: &Path) -> Result<Vec<Shader>> {
    let glslang = Glslang::read(sources)?;
    let files = Arc::new(glslang.files);
    let chosen = glslang.tests.iter().filter(|test| test.stage == Stage::Compute && test.rejected.is_none());
    chosen
        .map(|test| {
            Ok(Shader {
                path: test.file.clone(),
                text: files.get(&test.file).with_context(|| format!("no {}", test.file))?,
                files: files.clone(),
                config: test.configuration(),
                from: 0,
            })
        })
        .collect()
}

/// The shaders of the folders in a folder.
fn folder(folder: &Path) -> Result<Vec<Shader>> {
    let mut shaders = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("no folder {}", folder.display()))? {
        let path = entry?.path();
        if !path.is_dir() || path.ends_with("mistakes") {
            continue;
        }
        let files = Arc::new(Files::read(&path)?);
        for name in files.names().into_iter().filter(|name| name.ends_with(".comp")) {
            shaders.push(Shader {
                path: name.to_owned(),
                text: files.get(name).unwrap_or_default(),
                files: files.clone(),
                config: Configuration::default(),
                from: 0,
            });
        }
    }
    shaders.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(shaders)
}
