//! The words of shaders that completion is asked for: where they are, and the text as it is while they are typed.
//!
//! Left out are names that are being declared, which are chosen freely, selections of components such as `.xyz`, words of directives, comments and
//! strings, and what the preprocessor leaves out.

use std::collections::HashSet;
use std::sync::Arc;

use coopmat_analysis::hir::Definition;
use coopmat_analysis::lex::TokenKind;
use coopmat_analysis::preprocess::Item;
use coopmat_analysis::sources::Overlay;
use coopmat_analysis::text::{FileId, FilePosition, TextSize};
use coopmat_analysis::{Analysis, Analyzer};

use crate::shaders::{Project, Shader};

/// A word of a shader, or of what it includes.
#[derive(Clone, Debug)]
pub struct Place {
    /// Index in the project's shaders.
    pub shader: usize,
    pub file: String,
    pub start: usize,
    pub word: String,
    /// After a `.`.
    pub member: bool,
}

/// What is taken away after the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The rest of the word: it is being replaced.
    Word,
    /// The rest of the line: it is being written.
    Line,
    /// The rest of the file: it is being written from the beginning to the end.
    File,
}

/// All places of a project, each file's once, in the order of shaders and files.
pub fn places(project: &Project) -> Vec<Place> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for (index, shader) in project.shaders.iter().enumerate() {
        let analysis = analyze(shader);
        for (file, source) in analysis.files().iter() {
            if seen.insert(source.path.to_string()) {
                let from = if file == FileId::ROOT { shader.from } else { 0 };
                of_file(&analysis, file, from, index, &mut found);
            }
        }
    }
    found
}

pub fn analyze(shader: &Shader) -> Analysis {
    Analyzer::default().analyze(&shader.path, shader.text.clone(), &shader.config, &*shader.files, None)
}

fn of_file(analysis: &Analysis, file: FileId, from: usize, shader: usize, found: &mut Vec<Place>) {
    let source = &analysis.files()[file];
    let Some(lexed) = analysis.preprocessed.lexed(file) else { return };
    let left_out = left_out(analysis, file);
    let inactive: Vec<_> =
        analysis.preprocessed.inactive.iter().filter(|region| region.file == file).collect();
    for item in &lexed.items {
        let Item::Text(range) = item else { continue };
        let mut member = false;
        for token in lexed.slice(range) {
            let after_point =
                std::mem::replace(&mut member, &source.text[token.start as usize..token.end as usize] == ".");
            let start = token.start as usize;
            let is_off = || inactive.iter().any(|region| region.range.contains(TextSize::new(token.start)));
            if token.kind != TokenKind::Identifier
                || start < from
                || left_out.contains(&token.start)
                || is_off()
            {
                continue;
            }
            let word = &source.text[start..token.end as usize];
            if word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                found.push(Place {
                    shader,
                    file: source.path.to_string(),
                    start,
                    word: word.to_owned(),
                    member: after_point,
                });
            }
        }
    }
}

/// Where names are declared and components selected, in a file.
fn left_out(analysis: &Analysis, file: FileId) -> HashSet<u32> {
    let module = &analysis.module;
    let mut expanded = Vec::new();
    for (_, function) in module.functions.iter() {
        expanded.push(function.name_range);
        expanded.extend(function.prototypes.iter().copied());
    }
    expanded.extend(module.globals.iter().map(|(_, global)| global.name_range));
    for (_, structure) in module.structs.iter() {
        let base = structure.owner.map_or(0.into(), |owner| module.functions[owner].range.start());
        expanded.push(structure.name_range + base);
        expanded.extend(structure.members.iter().map(|member| member.name_range + base));
    }
    for (body, base, _) in module.bodies() {
        expanded.extend(body.locals.iter().map(|(_, local)| local.name_range + base));
        let swizzles = body.names.iter().filter(|name| matches!(name.definition, Definition::Swizzle));
        expanded.extend(swizzles.map(|name| name.range + base));
    }
    expanded
        .into_iter()
        .map(|range| analysis.preprocessed.map.to_file(range))
        .filter(|mapped| mapped.in_macro.is_none() && mapped.primary.file == file)
        .map(|mapped| u32::from(mapped.primary.range.start()))
        .collect()
}

/// The shader as it is after `keep` characters of the word, and where the cursor is then.
pub fn typed(
    analyzer: &Analyzer,
    shader: &Shader,
    whole: &Analysis,
    place: &Place,
    keep: usize,
    cut: Cut,
) -> Option<(Analysis, FilePosition)> {
    let source = &whole.files()[whole.files().find(&place.file)?];
    let text = &source.text;
    let at = place.start + keep;
    let end = match cut {
        Cut::Word => place.start + place.word.len(),
        Cut::File => text.len(),
        Cut::Line => text.get(at..)?.find('\n').map_or(text.len(), |line| at + line),
    };
    let edited: Arc<str> = format!("{}{}", text.get(..at)?, text.get(end..)?).into();
    let is_root = place.file == shader.path;
    let root = if is_root { edited.clone() } else { shader.text.clone() };
    let files = Overlay::new(&*shader.files, [(place.file.clone(), edited)]);
    let analysis = analyzer.analyze(&shader.path, root, &shader.config, &files, Some(whole));
    let file = analysis.files().find(&place.file)?;
    Some((analysis, FilePosition { file, offset: TextSize::new(at as u32) }))
}
