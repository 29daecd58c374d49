//! What stands in `layout(...)`: the names that the declaration admits, and their values.

use super::context::{Frame, Site};
use super::item::{About, Completions, Item, ItemKind};
use super::position::{Block, block};
use super::rank;
use super::scope::Scope;
use coopmat_analysis::config::Stage;
use coopmat_analysis::extensions::{ExtensionId, ids};

/// What a layout belongs to, as bits.
mod of {
    pub const UNIFORM_BLOCK: u32 = 1;
    pub const BUFFER_BLOCK: u32 = 1 << 1;
    /// Images, samplers, textures.
    pub const OPAQUE: u32 = 1 << 2;
    /// `layout(...) in;` of a compute shader.
    pub const LOCAL_SIZE: u32 = 1 << 3;
    pub const INPUT: u32 = 1 << 4;
    pub const OUTPUT: u32 = 1 << 5;
    pub const CONSTANT: u32 = 1 << 6;
    pub const MEMBER: u32 = 1 << 7;
    pub const SHARED_BLOCK: u32 = 1 << 8;
    pub const BLOCK: u32 = UNIFORM_BLOCK | BUFFER_BLOCK;
    pub const ANY: u32 = u32::MAX;
}

struct Name {
    name: &'static str,
    /// Takes `= VALUE`; this one is offered first.
    value: &'static str,
    of: u32,
    /// The extension that brings it; `None` for those of the language.
    extension: Option<ExtensionId>,
    about: &'static str,
}

const fn name(name: &'static str, value: &'static str, of: u32, about: &'static str) -> Name {
    Name { name, value, of, extension: None, about }
}

const NAMES: &[Name] = &[
    name("set", "0", of::BLOCK | of::OPAQUE, "The descriptor set."),
    name("binding", "0", of::BLOCK | of::OPAQUE, "The binding in the descriptor set."),
    name("std430", "", of::BLOCK, "Memory layout: arrays and structures are aligned like their elements."),
    name(
        "std140",
        "",
        of::BLOCK,
        "Memory layout: elements of arrays and structures are aligned to 16 bytes.",
    ),
    Name {
        name: "scalar",
        value: "",
        of: of::BLOCK | of::SHARED_BLOCK,
        extension: Some(ids::GL_EXT_SCALAR_BLOCK_LAYOUT),
        about: "Memory layout: everything is aligned like its scalar components.",
    },
    name("push_constant", "", of::UNIFORM_BLOCK, "The block holds push constants."),
    Name {
        name: "buffer_reference",
        value: "",
        of: of::BUFFER_BLOCK,
        extension: Some(ids::GL_EXT_BUFFER_REFERENCE),
        about: "Declares a type whose values are addresses of such blocks.",
    },
    Name {
        name: "buffer_reference_align",
        value: "16",
        of: of::BUFFER_BLOCK,
        extension: Some(ids::GL_EXT_BUFFER_REFERENCE),
        about: "The alignment of the addresses in bytes, a power of two; 16 by default.",
    },
    name("row_major", "", of::BLOCK | of::MEMBER, "Rows of `mat` members are neighbours in memory."),
    name("column_major", "", of::BLOCK | of::MEMBER, "Columns of `mat` members are neighbours in memory."),
    name("offset", "0", of::MEMBER, "The member's offset in the block, in bytes."),
    name(
        "align",
        "16",
        of::MEMBER | of::BLOCK,
        "The minimum alignment of members, in bytes, a power of two.",
    ),
    name("local_size_x", "32", of::LOCAL_SIZE, "Invocations of a workgroup in the first dimension."),
    name("local_size_y", "1", of::LOCAL_SIZE, "Invocations of a workgroup in the second dimension."),
    name("local_size_z", "1", of::LOCAL_SIZE, "Invocations of a workgroup in the third dimension."),
    name(
        "local_size_x_id",
        "0",
        of::LOCAL_SIZE,
        "The specialization constant that gives the first dimension.",
    ),
    name(
        "local_size_y_id",
        "1",
        of::LOCAL_SIZE,
        "The specialization constant that gives the second dimension.",
    ),
    name(
        "local_size_z_id",
        "2",
        of::LOCAL_SIZE,
        "The specialization constant that gives the third dimension.",
    ),
    name("constant_id", "0", of::CONSTANT, "The number of the specialization constant."),
    name("location", "0", of::INPUT | of::OUTPUT, "The location of an interface variable."),
    name("component", "0", of::INPUT | of::OUTPUT, "The first component used at the location."),
    name("input_attachment_index", "0", of::OPAQUE, "Which input attachment a `subpassInput` reads."),
];

/// GLSL 4.60, section 4.4.7: the formats of images.
const FORMATS: &[&str] = &[
    "rgba32f",
    "rgba16f",
    "rg32f",
    "rg16f",
    "r11f_g11f_b10f",
    "r32f",
    "r16f",
    "rgba16",
    "rgb10_a2",
    "rgba8",
    "rg16",
    "rg8",
    "r16",
    "r8",
    "rgba16_snorm",
    "rgba8_snorm",
    "rg16_snorm",
    "rg8_snorm",
    "r16_snorm",
    "r8_snorm",
    "rgba32i",
    "rgba16i",
    "rgba8i",
    "rg32i",
    "rg16i",
    "rg8i",
    "r32i",
    "r16i",
    "r8i",
    "rgba32ui",
    "rgba16ui",
    "rgb10_a2ui",
    "rgba8ui",
    "rg32ui",
    "rg16ui",
    "rg8ui",
    "r32ui",
    "r16ui",
    "r8ui",
    "r64i",
    "r64ui",
];

/// The layout whose parentheses hold the cursor.
fn layout(site: &Site<'_>) -> Option<Frame> {
    let frame = site.frame()?;
    let before = frame.index.checked_sub(1)?;
    (frame.bracket == '(' && site.tokens[before].is("layout")).then_some(frame)
}

/// Whether the cursor stands in `layout(...)`.
pub fn holds(site: &Site<'_>) -> bool {
    layout(site).is_some()
}

/// What a name in `layout(...)` means, with the extension that brings it; `None` elsewhere.
pub fn layout_about(site: &Site<'_>, word: &str) -> Option<(&'static str, Option<ExtensionId>)> {
    layout(site)?;
    if FORMATS.contains(&word) {
        return Some(("The format of an image: its components, their bits, and their type.", None));
    }
    NAMES.iter().find(|entry| entry.name == word).map(|entry| (entry.about, entry.extension))
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

/// What the declaration after the layout is, as far as it is written.
fn kind(site: &Site<'_>, scope: &Scope<'_>) -> u32 {
    if block(site) == Block::Members {
        return of::MEMBER;
    }
    let close = site.after.iter().position(|token| token.is(")"));
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
