//! A chapter for each extension that brings something along, made of the tables that the analysis uses.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use coopmat_analysis::config::Stage;
use coopmat_analysis::extensions::{self, BuiltinFunction, Extension, ExtensionId, ids};
use coopmat_ide::builtin_pages::{belongs, declared};

use crate::markdown::cell;
use crate::paths::name_of;

/// The core language in the tables.
const CORE: &str = "GLSL";

/// What an extension brings along.
struct Contents {
    functions: Vec<&'static BuiltinFunction>,
    types: usize,
    constants: usize,
    variables: usize,
}

impl Contents {
    fn of(id: ExtensionId) -> Contents {
        let core = core();
        Contents {
            functions: extensions::all_functions()
                .map(|(_, entry)| entry)
                .filter(|entry| belongs(*entry, id, core))
                .collect(),
            types: extensions::all_types().filter(|(_, entry)| belongs(*entry, id, core)).count(),
            constants: extensions::all_constants().filter(|(_, entry)| belongs(*entry, id, core)).count(),
            variables: extensions::all_variables().filter(|(_, entry)| belongs(*entry, id, core)).count(),
        }
    }

    fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.types + self.constants + self.variables == 0
    }
}

fn core() -> ExtensionId {
    ids::GLSL
}

/// The matrix extensions first: they are what most look for.
fn listed() -> Vec<(ExtensionId, &'static Extension)> {
    let mut list: Vec<_> = extensions::all_extensions().collect();
    let rank = |id: ExtensionId| match id {
        ids::GL_KHR_COOPERATIVE_MATRIX => 0,
        id if id.name().contains("cooperative_matrix") => 1,
        ids::GLSL => 2,
        _ => 3,
    };
    list.sort_by_key(|(id, _)| (rank(*id), id.name()));
    list
}

fn title(extension: &Extension) -> &'static str {
    if extension.name == CORE { "The core language" } else { extension.name }
}

pub fn below() -> Vec<(String, String)> {
    let with_page = listed()
        .into_iter()
        .filter(|(id, extension)| !Contents::of(*id).is_empty() || !extension.doc.is_empty());
    let entry = |extension: &Extension| {
        (title(extension).to_owned(), format!("analysis/extensions/{}.toml", extension.name))
    };
    with_page.map(|(_, extension)| entry(extension)).collect()
}

pub fn index() -> String {
    let pages: Vec<String> = below().into_iter().map(|(_, source)| source).collect();
    let mut out = String::from(
        "# Extensions\n\nWhat GLSL and its extensions provide, as the analysis knows it: what completes, what hovers show, what is checked. The facts are the specifications'; the \
         sections are named. In an editor, \"go to definition\" on a built-in opens the same.\n\n| extension | | brings |\n|---|---|---|\n",
    );
    for (id, extension) in listed() {
        let contents = Contents::of(id);
        let source = format!("analysis/extensions/{}.toml", extension.name);
        let name = match pages.contains(&source) {
            true => format!("[{}]({}.toml)", title(extension), extension.name),
            false => extension.name.to_owned(),
        };
        let mut names: Vec<&str> = contents.functions.iter().map(|function| function.name).collect();
        names.dedup();
        let counts = [
            (names.len(), "function", "functions"),
            (contents.types, "type", "types"),
            (contents.constants, "constant", "constants"),
            (contents.variables, "variable", "variables"),
        ];
        let counts: Vec<String> = counts
            .into_iter()
            .filter(|(count, _, _)| *count > 0)
            .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
            .collect();
        let brings = match (extension.analysed, counts.is_empty()) {
            (false, _) => "not analysed: what it adds is not checked".to_owned(),
            (true, true) => String::new(),
            (true, false) => counts.join(", "),
        };
        let _ = writeln!(out, "| {name} | {} | {brings} |", cell(extension.summary));
    }
    out
}

pub fn page(source: &str) -> Result<String> {
    let id = extensions::extension(name_of(source)).with_context(|| format!("{source} is no extension"))?;
    let extension = extensions::extension_by_id(id);
    let mut out = format!("# {}\n\n{}\n", title(extension), extension.summary);
    if !extension.doc.is_empty() {
        let _ = writeln!(out, "\n{}", extension.doc.trim());
    }
    facts(&mut out, extension);
    types(&mut out, id);
    constants(&mut out, id);
    variables(&mut out, id);
    functions(&mut out, id);
    Ok(out)
}

fn facts(out: &mut String, extension: &Extension) {
    let mut rows: Vec<(&str, String)> = Vec::new();
    if extension.name != CORE {
        rows.push(("enabled by", format!("`#extension {} : enable`", extension.name)));
    }
    if let Some(version) = extension.min_version {
        rows.push(("lowest version", format!("`#version {version}`")));
    }
    if let Some(version) = extension.min_es_version {
        rows.push(("lowest version of ES", format!("`#version {version} es`")));
    }
    let requires: Vec<String> =
        extension.requires.iter().map(|choice| extension_names(choice, " or ")).collect();
    rows.push(("requires", requires.join(", ")));
    rows.push(("enables as well", extension_names(extension.enables, ", ")));
    rows.push(("keywords", names(extension.keywords, ", ")));
    if let Some(value) = extension.macro_value {
        rows.push(("macro", format!("`{}` is {value}", extension.name)));
    }
    if !extension.url.is_empty() {
        rows.push(("specification", format!("<{}>", extension.url)));
    }
    if !extension.analysed {
        rows.push(("", "Not analysed: what it adds is not checked.".to_owned()));
    }
    rows.retain(|(_, value)| !value.is_empty());
    if !rows.is_empty() {
        out.push_str("\n| | |\n|---|---|\n");
        for (what, value) in rows {
            let _ = writeln!(out, "| {what} | {value} |");
        }
    }
}

fn extension_names(extensions: &[ExtensionId], between: &str) -> String {
    let all: Vec<&str> = extensions.iter().map(|extension| extension.name()).collect();
    names(&all, between)
}

fn names(names: &[&str], between: &str) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(between)
}

fn heading(out: &mut String, title: &str, begun: &mut bool) {
    if !std::mem::replace(begun, true) {
        let _ = writeln!(out, "\n## {title}");
    }
}

/// Consecutive entries with the same description share it.
fn types(out: &mut String, id: ExtensionId) {
    let mut begun = false;
    let mut groups: Vec<(Vec<&str>, &str, &str)> = Vec::new();
    for (_, entry) in extensions::all_types().filter(|(_, entry)| belongs(*entry, id, core())) {
        match groups.iter_mut().find(|(_, doc, section)| (*doc, *section) == (entry.doc, entry.section)) {
            Some((names, _, _)) => names.push(entry.name),
            None => groups.push((vec![entry.name], entry.doc, entry.section)),
        }
    }
    for (list, doc, section) in groups {
        heading(out, "Types", &mut begun);
        let _ = writeln!(out, "\n{}", names(&list, ", "));
        paragraph(out, doc);
        origin(out, "", section, &[], 0);
    }
}

fn constants(out: &mut String, id: ExtensionId) {
    let mut begun = false;
    for (_, entry) in extensions::all_constants().filter(|(_, entry)| belongs(*entry, id, core())) {
        if !begun {
            heading(out, "Constants", &mut begun);
            out.push_str("\n| constant | value | |\n|---|---|---|\n");
        }
        let value = match entry.components {
            [] => entry.value.to_string(),
            values => values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        };
        let _ = writeln!(out, "| `{}` | {value} | {} |", entry.name, cell(entry.doc));
    }
}

fn variables(out: &mut String, id: ExtensionId) {
    let mut begun = false;
    for (_, entry) in extensions::all_variables().filter(|(_, entry)| belongs(*entry, id, core())) {
        heading(out, "Variables", &mut begun);
        let direction = if entry.writable { "out" } else { "in" };
        let _ = writeln!(out, "\n```glsl\n{direction} {};\n```", declared(&entry.pattern, entry.name));
        paragraph(out, entry.doc);
        let decoration =
            if entry.decoration.is_empty() { String::new() } else { format!("BuiltIn {}", entry.decoration) };
        origin(out, &decoration, entry.section, &[], entry.stages);
    }
}

fn functions(out: &mut String, id: ExtensionId) {
    let mut begun = false;
    let functions = Contents::of(id).functions;
    let mut at = 0;
    let mut named = "";
    while at < functions.len() {
        let first = functions[at];
        // Overloads that differ in their types alone share one description.
        let same = |other: &&&BuiltinFunction| {
            other.name == first.name
                && other.doc == first.doc
                && other.needs == first.needs
                && other.stages == first.stages
        };
        let count = functions[at..].iter().take_while(same).count();
        heading(out, "Functions", &mut begun);
        if named != first.name {
            let _ = writeln!(out, "\n### {}", first.name);
            named = first.name;
        }
        out.push_str("\n```glsl\n");
        for function in &functions[at..at + count] {
            let _ = writeln!(out, "{};", function.signature.trim_end_matches(';'));
        }
        out.push_str("```\n");
        paragraph(out, first.doc);
        origin(out, first.instruction, first.section, first.needs, first.stages);
        at += count;
    }
}

fn paragraph(out: &mut String, words: &str) {
    if !words.trim().is_empty() {
        let _ = writeln!(out, "\n{}", words.trim());
    }
}

/// What it becomes, what it needs, and where the specification says so.
fn origin(out: &mut String, instruction: &str, section: &str, needs: &[ExtensionId], stages: u32) {
    let mut parts = Vec::new();
    if !needs.is_empty() {
        let list: Vec<&str> = needs.iter().map(|&id| extensions::extension_by_id(id).name).collect();
        parts.push(format!("Needs {} as well.", names(&list, " and ")));
    }
    if stages != 0 {
        let list: Vec<&str> = Stage::ALL
            .into_iter()
            .filter(|&stage| extensions::in_stage(stages, stage))
            .map(Stage::name)
            .collect();
        parts.push(format!("In stages: {}.", list.join(", ")));
    }
    if !instruction.is_empty() {
        parts.push(format!("SPIR-V: `{instruction}`."));
    }
    if !section.is_empty() {
        parts.push(format!("Source: {section}."));
    }
    if !parts.is_empty() {
        let _ = writeln!(out, "\n<div class=\"origin\">\n\n{}\n\n</div>", parts.join(" "));
    }
}

#[cfg(test)]
mod tests {
    use super::{below, index, page};

    #[test]
    fn every_extension_with_something_to_say_has_a_page() {
        let index = index();
        for (title, source) in below() {
            assert!(index.contains(&format!("| [{title}](")), "{title}");
            assert!(page(&source).unwrap().starts_with(&format!("# {title}\n")), "{title}");
        }
        let text = page("analysis/extensions/GL_KHR_cooperative_matrix.toml").unwrap();
        assert!(text.contains("### coopMatMulAdd\n"), "{text}");
        assert!(text.contains("SPIR-V: `OpCooperativeMatrixMulAddKHR`."), "{text}");
        assert!(text.contains("| `gl_MatrixUseB` | 1 |"), "{text}");
    }
}
