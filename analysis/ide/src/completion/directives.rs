//! What follows a `#`: names of directives, extensions and their behaviours, versions, pragmas, macros, paths of includes.

use super::item::{About, Completions, IncludePath, Insert, Item, ItemKind};
use super::names;
use super::rank;
use crate::site::{Region, Site};
use crate::vocabulary::directives::{BEHAVIORS, DIRECTIVES};
use coopmat_analysis::extensions;
use coopmat_analysis::lex::is_identifier_byte;
use coopmat_analysis::preprocess::{Directive, DirectiveKind};
use coopmat_analysis::text::{TextRange, TextSize};

const VERSIONS: &[&str] = &[
    "460", "450", "440", "430", "420", "410", "400", "330", "150", "140", "130", "320 es", "310 es", "300 es",
];

const PRAGMAS: &[(&str, &str)] = &[
    ("shader_stage(compute)", "The stage, for files whose names do not say it (glslc)."),
    ("optimize(on)", "Optimisation for this shader: `on` or `off`."),
    ("optimize(off)", "Optimisation for this shader: `on` or `off`."),
    ("debug(on)", "Debug information for this shader: `on` or `off`."),
    ("debug(off)", "Debug information for this shader: `on` or `off`."),
    ("STDGL invariant(all)", "Every output is invariant."),
    (
        "use_vulkan_memory_model",
        "The module declares the Vulkan memory model (GL_KHR_memory_scope_semantics).",
    ),
    ("use_storage_buffer", "Buffer blocks become variables of the StorageBuffer storage class."),
    ("use_variable_pointers", "Pointers may be variable."),
    ("use_replicated_composites", "Constants with equal components become replicated composites."),
];

/// Whether the cursor stands in a directive, other than in the text of a macro.
pub fn complete(site: &Site<'_>, completions: &mut Completions) -> bool {
    let Some(directive) = site.directive else { return false };
    if in_name(site, directive) {
        directive_names(site, completions);
        return true;
    }
    match directive.kind {
        DirectiveKind::Include => include(site, directive, completions),
        DirectiveKind::Version => version(site, completions),
        _ if site.region != Region::Code => {}
        DirectiveKind::Extension => extension(site, completions),
        DirectiveKind::Pragma => {
            if site.tokens.is_empty() {
                for (text, about) in PRAGMAS {
                    let item = Item::new(*text, ItemKind::Keyword, rank::LOCAL).about(About::Text(about));
                    completions.items.push(item);
                }
            }
        }
        DirectiveKind::Ifdef | DirectiveKind::Ifndef | DirectiveKind::Undef => {
            if site.tokens.is_empty() {
                names::macros(site, true, completions);
            }
        }
        DirectiveKind::If | DirectiveKind::Elif => {
            names::macros(site, true, completions);
            let mut item = Item::new("defined", ItemKind::Keyword, rank::LOCAL)
                .about(About::Text("Whether a macro is defined."));
            if !site.next_is("(") {
                item = item.snippet("defined($0)", "defined");
            }
            completions.items.push(item);
        }
        // In the body of a macro stands code.
        DirectiveKind::Define => return !in_body(site),
        DirectiveKind::Null
        | DirectiveKind::Else
        | DirectiveKind::Endif
        | DirectiveKind::Error
        | DirectiveKind::Line
        | DirectiveKind::Unknown => {}
    }
    true
}

/// Whether the word after the `#` is being typed.
fn in_name(site: &Site<'_>, directive: &Directive) -> bool {
    let start = usize::from(directive.range.start()) + 1;
    site.text
        .get(start..site.offset as usize)
        .is_some_and(|typed| typed.trim_start().bytes().all(is_identifier_byte))
}

fn in_body(site: &Site<'_>) -> bool {
    // The name is the first token, its parameters follow without a blank.
    match site.macro_body() {
        Some((body, _)) => site.tokens.len() >= body && !site.tokens.is_empty(),
        None => false,
    }
}

fn directive_names(site: &Site<'_>, completions: &mut Completions) {
    // A text that follows already is kept.
    let alone = site.after.is_empty();
    for &(name, snippet, about) in DIRECTIVES {
        let mut item = Item::new(name, ItemKind::Keyword, rank::LOCAL).about(About::Text(about));
        if alone && !snippet.is_empty() {
            item = item.snippet(snippet, name);
        }
        completions.items.push(item);
    }
}

fn extension(site: &Site<'_>, completions: &mut Completions) {
    if site.tokens.iter().any(|token| token.is(":")) {
        for (name, about) in BEHAVIORS {
            let item = Item::new(*name, ItemKind::Keyword, rank::LOCAL).about(About::Text(about));
            completions.items.push(item);
        }
        return;
    }
    if !site.tokens.is_empty() {
        return;
    }
    let has_behavior = site.next_is(":");
    let enabled = &site.analysis.preprocessed.extensions;
    let mut add = |name: &'static str, behavior: &str, analysed: bool, about: About| {
        let there =
            enabled.iter().any(|event| event.name == name && event.range.range.start() != site_start(site));
        let rank = match (there, analysed) {
            // It need not be enabled again.
            (true, _) => rank::WORD + rank::REFUSED,
            (false, true) => rank::LOCAL,
            (false, false) => rank::FUNCTION,
        };
        let mut item = Item::new(name, ItemKind::Extension, rank).about(about);
        if !has_behavior {
            item = item.snippet(format!("{name} : ${{1:{behavior}}}$0"), format!("{name} : {behavior}"));
        }
        if there {
            item.detail = "already enabled".to_owned();
        }
        completions.items.push(item);
    };
    for (_, extension) in extensions::all_extensions() {
        if extension.name != "GLSL" {
            add(extension.name, "require", extension.analysed, About::Builtin);
        }
    }
    add("all", "warn", true, About::Text("Every extension: only `warn` and `disable` are allowed."));
}

fn site_start(site: &Site<'_>) -> TextSize {
    site.directive.map_or(TextSize::new(0), |directive| directive.range.start())
}

fn version(site: &Site<'_>, completions: &mut Completions) {
    if site.tokens.is_empty() {
        for (place, version) in VERSIONS.iter().enumerate() {
            completions.items.push(Item::new(*version, ItemKind::Keyword, place as u32));
        }
    } else if site.tokens.len() == 1 {
        for profile in ["core", "compatibility", "es"] {
            completions.items.push(Item::new(profile, ItemKind::Keyword, rank::LOCAL));
        }
    }
}

/// The path in an `#include`: which folder's files are asked for. The host lists them.
fn include(site: &Site<'_>, directive: &Directive, completions: &mut Completions) {
    let line = site.text.get(..directive.line_end as usize).unwrap_or_default();
    let name_end = usize::from(directive.name.end());
    let Some(typed) = site.text.get(name_end..site.offset as usize) else { return };
    let blanks = typed.len() - typed.trim_start().len();
    let Some(quote) = typed.trim_start().chars().next() else {
        let item = Item::new("\"\"", ItemKind::File, rank::LOCAL).snippet("\"$0\"", "\"");
        completions.items.push(item);
        return;
    };
    let close = match quote {
        '"' => '"',
        '<' => '>',
        _ => return,
    };
    let start = name_end + blanks + 1;
    let Some(path) = site.text.get(start..site.offset as usize) else { return };
    if path.contains(close) {
        return;
    }
    // What is typed after the cursor, up to the closing mark, is replaced.
    let rest = line.get(site.offset as usize..).unwrap_or_default();
    let rest = rest.lines().next().unwrap_or_default();
    let closed = rest.find(close);
    let segment_end = site.offset as usize + rest.find(['/', close]).unwrap_or(rest.trim_end().len());
    let folder = path.rfind('/').map_or("", |at| &path[..at]);
    let segment_start = start + path.rfind('/').map_or(0, |at| at + 1);
    completions.replace = TextRange::new(
        TextSize::new(segment_start as u32),
        TextSize::new(segment_end.max(site.offset as usize) as u32),
    );
    completions.include = Some(IncludePath {
        folder: folder.to_owned(),
        quoted: quote == '"',
        close: closed.is_none().then_some(close),
    });
}

/// The item of a file or folder that an `#include` can name.
pub fn include_item(path: &IncludePath, name: &str, folder: bool, of: &str) -> Item {
    let (kind, rank) = if folder { (ItemKind::Folder, rank::GLOBAL) } else { (ItemKind::File, rank::LOCAL) };
    let mut item = Item::new(name, kind, rank).detail(of);
    match path.close {
        _ if folder => item.insert = Insert::Text(format!("{name}/")),
        Some(close) => item.insert = Insert::Text(format!("{name}{close}")),
        None => {}
    }
    item
}
