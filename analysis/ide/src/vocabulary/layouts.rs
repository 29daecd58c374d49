//! The names that stand in `layout(...)`: what each belongs to, and what it means.

use crate::site::{Frame, Site};
use coopmat_analysis::extensions::{ExtensionId, ids};

/// What a layout belongs to, as bits.
pub mod of {
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
    /// `resourceheap` and `samplerheap`.
    pub const HEAP_BLOCK: u32 = 1 << 9;
    pub const BLOCK: u32 = UNIFORM_BLOCK | BUFFER_BLOCK;
    pub const ANY: u32 = u32::MAX;
}

pub struct Name {
    /// As it is written.
    pub name: &'static str,
    /// Takes `= VALUE`; this one is offered first.
    pub value: &'static str,
    /// What it belongs to, as bits of [`of`].
    pub of: u32,
    /// The extension that brings it; `None` for those of the language.
    pub extension: Option<ExtensionId>,
    /// A sentence, in Markdown.
    pub about: &'static str,
}

const fn name(name: &'static str, value: &'static str, of: u32, about: &'static str) -> Name {
    Name { name, value, of, extension: None, about }
}

pub const NAMES: &[Name] = &[
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
        name: "descriptor_heap",
        value: "",
        of: of::BLOCK | of::OPAQUE,
        extension: Some(ids::GL_EXT_DESCRIPTOR_HEAP),
        about: "The array is the descriptor heap: `a[i]` is the descriptor at index `i`.",
    },
    Name {
        name: "descriptor_stride",
        value: "64",
        of: of::BLOCK | of::OPAQUE,
        extension: Some(ids::GL_EXT_DESCRIPTOR_HEAP),
        about: "Bytes from one descriptor of the heap to the next, a power of two; the descriptor's size by default.",
    },
    Name {
        name: "buffer_type",
        value: "",
        of: of::BLOCK,
        extension: Some(ids::GL_EXT_STRUCTURED_DESCRIPTOR_HEAP),
        about: "Declares a type of buffers, for members of `resourceheap` blocks.",
    },
    Name {
        name: "heap_offset",
        value: "0",
        of: of::HEAP_BLOCK,
        extension: Some(ids::GL_EXT_STRUCTURED_DESCRIPTOR_HEAP),
        about: "Bytes from the start of the heap to the block: a constant, or a variable that the shader only reads.",
    },
    Name {
        name: "descriptor_size",
        value: "64",
        of: of::MEMBER,
        extension: Some(ids::GL_EXT_STRUCTURED_DESCRIPTOR_HEAP),
        about: "Bytes that the member's descriptor takes in its heap; what the device says by default.",
    },
    Name {
        name: "bank",
        value: "1",
        of: of::UNIFORM_BLOCK,
        extension: Some(ids::GL_NV_PUSH_CONSTANT_BANK),
        about: "The bank of push constants that the block is in; 0 by default.",
    },
    Name {
        name: "member_offset",
        value: "0",
        of: of::UNIFORM_BLOCK,
        extension: Some(ids::GL_NV_PUSH_CONSTANT_BANK),
        about: "Bytes from the start of the bank to the block's members; the members' own offsets are added.",
    },
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
pub const FORMATS: &[&str] = &[
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
pub fn layout(site: &Site<'_>) -> Option<Frame> {
    let frame = site.frame()?;
    let before = frame.index.checked_sub(1)?;
    (frame.bracket == '(' && site.tokens[before].is("layout")).then_some(frame)
}

/// What a name in `layout(...)` means, with the extension that brings it; `None` elsewhere.
pub fn layout_about(site: &Site<'_>, word: &str) -> Option<(&'static str, Option<ExtensionId>)> {
    layout(site)?;
    if FORMATS.contains(&word) {
        return Some(("The format of an image: its components, their bits, and their type.", None));
    }
    NAMES.iter().find(|entry| entry.name == word).map(|entry| (entry.about, entry.extension))
}
