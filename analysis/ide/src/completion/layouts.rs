//! What stands in `layout(...)`: the names that the declaration admits, and their values.

use super::item::{About, Completions, Item, ItemKind};
use super::position::{Block, block};
use super::rank;
use super::scope::Scope;
use crate::site::{Site, Tok};
use crate::vocabulary::layouts::{FORMATS, NAMES, Name, layout, of};
use coopmat_analysis::config::Stage;

/// Whether the cursor stands in `layout(...)`.
pub fn holds(site: &Site<'_>) -> bool {
    layout(site).is_some()
}

pub fn complete(site: &Site<'_>, scope: &Scope<'_>, completions: &mut Completions) -> bool {
    let Some(frame) = layout(site) else { return false };
    let last = site.last().map_or("", |last| last.text);
    if last == "=" {
        values(site, scope, completions);
        return true;
    }
    if !matches!(last, "(" | ",") {
        return true;
    }
    let kind = kind(site, scope);
    let given: Vec<&str> = site.tokens[frame.index..].iter().map(|token| token.text).collect();
    let follows = site.next_is("=");
    for entry in NAMES.iter().filter(|entry| entry.of & kind != 0 && !given.contains(&entry.name)) {
        let mut item = Item::new(
            entry.name,
            ItemKind::Property,
            if kind == of::ANY { rank::GLOBAL } else { rank::LOCAL },
        )
        .about(About::Text(entry.about));
        if !entry.value.is_empty() && !follows {
            let value = free_number(scope, entry);
            item = item.snippet(format!("{} = ${{1:{value}}}", entry.name), format!("{} = ", entry.name));
        }
        if let Some(extension) = entry.extension
            && !scope.environment.enabled(extension)
        {
            item = super::requirements::needing(item, extension);
        }
        completions.items.push(item);
    }
    if kind & of::OPAQUE != 0 {
        for format in FORMATS {
            completions
                .items
                .push(Item::new(*format, ItemKind::EnumMember, rank::FUNCTION).detail("image format"));
        }
    }
    if matches!(scope.environment.stage, Some(Stage::Fragment)) && kind & of::INPUT != 0 {
        for (name, about) in [
            ("early_fragment_tests", "Depth and stencil are tested before the shader runs."),
            ("origin_upper_left", "`gl_FragCoord` starts in the upper left corner."),
        ] {
            completions
                .items
                .push(Item::new(name, ItemKind::Property, rank::FUNCTION).about(About::Text(about)));
        }
    }
    true
}

/// GLSL 4.60, 4.10 Memory Qualifiers.
const MEMORY: [&str; 5] = ["coherent", "volatile", "restrict", "readonly", "writeonly"];

/// After a `layout(...)` the storage qualifier is missing, which says what is declared. One memory qualifier, the likeliest, is worth its place before those; the
/// others say no more than it of what is meant, and come after them.
pub fn settle(site: &Site<'_>, completions: &mut Completions) {
    let Some(of) = before(&site.tokens).filter(|&of| of & (of::BUFFER_BLOCK | of::OPAQUE) != 0) else {
        return;
    };
    let items = &mut completions.items;
    let stores = |item: &Item| storage(&item.label).is_some_and(|wanted| wanted & of != 0);
    let Some(last) = items.iter().filter(|item| stores(item)).map(|item| item.rank).max() else { return };
    let mut memory: Vec<&mut Item> =
        items.iter_mut().filter(|item| MEMORY.contains(&item.label.as_str())).collect();
    memory.sort_by_key(|item| item.rank);
    for item in memory.into_iter().skip(1) {
        item.rank = item.rank.max(last + 1);
    }
}

/// What a storage qualifier declares, as bits of [`of`].
fn storage(word: &str) -> Option<u32> {
    Some(match word {
        "in" => of::LOCAL_SIZE | of::INPUT,
        "out" => of::OUTPUT,
        "buffer" => of::BUFFER_BLOCK,
        "uniform" => of::UNIFORM_BLOCK | of::OPAQUE,
        "shared" => of::SHARED_BLOCK,
        "resourceheap" | "samplerheap" => of::HEAP_BLOCK,
        "const" => of::CONSTANT,
        _ => return None,
    })
}

/// Whether a qualifier can follow the `layout(...)` before the cursor, by the names in it: `binding` belongs to no `in`.
pub fn admits(site: &Site<'_>, word: &str) -> bool {
    let memory = MEMORY.contains(&word).then_some(of::BUFFER_BLOCK | of::OPAQUE);
    let Some(wanted) = storage(word).or(memory) else { return true };
    before(&site.tokens).is_none_or(|of| of & wanted != 0)
}

/// What the `layout(...)` that has just ended can belong to, by the names in it, as bits of [`of`].
pub fn before(tokens: &[Tok<'_>]) -> Option<u32> {
    let close = tokens.len().checked_sub(1).filter(|&close| tokens[close].is(")"))?;
    let open = super::value::opener(tokens, close)?;
    open.checked_sub(1).filter(|&name| tokens[name].is("layout"))?;
    let names = tokens[open..close].iter().filter_map(|token| {
        let named = NAMES.iter().find(|entry| token.is(entry.name)).map(|entry| entry.of);
        named.or_else(|| FORMATS.contains(&token.text).then_some(of::OPAQUE))
    });
    Some(names.fold(of::ANY, |all, of| all & of))
}

/// What the declaration after the layout is, as far as it is written.
fn kind(site: &Site<'_>, scope: &Scope<'_>) -> u32 {
    if block(site) == Block::Members {
        return of::MEMBER;
    }
    let close = closing(site);
    let Some(close) = close else { return of::ANY & !of::MEMBER };
    let end = site.after.iter().position(|token| matches!(token.text, ";" | "{")).unwrap_or(site.after.len());
    let words = site.after.get(close + 1..end.max(close + 1)).unwrap_or_default();
    let has = |word: &str| words.iter().any(|token| token.is(word));
    let is_block = site.after.get(end).is_some_and(|token| token.is("{"));
    let compute = matches!(scope.environment.stage, Some(Stage::Compute | Stage::Task | Stage::Mesh) | None);
    if has("buffer") {
        of::BUFFER_BLOCK
    } else if has("uniform") && is_block {
        of::UNIFORM_BLOCK
    } else if has("uniform") {
        let opaque = words.len() > 2;
        if opaque { of::OPAQUE } else { of::UNIFORM_BLOCK | of::OPAQUE }
    } else if has("shared") {
        of::SHARED_BLOCK
    } else if has("resourceheap") || has("samplerheap") {
        of::HEAP_BLOCK
    } else if has("const") {
        of::CONSTANT
    } else if has("in") {
        if words.len() == 1 && compute { of::LOCAL_SIZE } else { of::INPUT }
    } else if has("out") {
        of::OUTPUT
    } else {
        of::ANY & !of::MEMBER
    }
}

/// The `)` after the cursor that ends the layout: not one of what follows a layout that is not closed yet.
fn closing(site: &Site<'_>) -> Option<usize> {
    let mut depth = 0usize;
    for (index, token) in site.after.iter().enumerate() {
        match token.text {
            "(" => depth += 1,
            ")" if depth == 0 => return Some(index),
            ")" => depth -= 1,
            ";" | "{" | "}" | "layout" => return None,
            _ => {}
        }
    }
    None
}

/// The lowest number that no other declaration has, for bindings and specialization constants.
fn free_number(scope: &Scope<'_>, entry: &Name) -> String {
    let module = &scope.analysis.module;
    let used: Vec<u32> = match entry.name {
        "binding" => module.globals.iter().filter_map(|(_, global)| global.layout.binding).collect(),
        "constant_id" => {
            let local_size = module.local_size.dims.iter().filter_map(|dim| dim.constant_id);
            module.globals.iter().filter_map(|(_, global)| global.constant_id).chain(local_size).collect()
        }
        _ => return entry.value.to_owned(),
    };
    (0..).find(|number| !used.contains(number)).unwrap_or(0).to_string()
}

/// Values: constants of the text, for what takes a number.
fn values(site: &Site<'_>, scope: &Scope<'_>, completions: &mut Completions) {
    let entry = site.back(1).and_then(|name| NAMES.iter().find(|entry| name.is(entry.name)));
    if let Some(entry) = entry {
        let number = free_number(scope, entry);
        completions.items.push(
            Item::new(number, ItemKind::Text, rank::CONSTANT_OF_PARAMETER).about(About::Text(entry.about)),
        );
    }
    super::names::integer_constants(site, scope, false, completions);
    super::names::macros(site, false, completions);
}
