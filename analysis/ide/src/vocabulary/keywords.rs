//! What the words of the language mean that are no names: qualifiers, statements, directives. Completion and hovers ask here.

use coopmat_analysis::extensions::{ExtensionId, ids};

/// A word of the language.
pub struct Keyword {
    /// As it is written.
    pub word: &'static str,
    /// A sentence or two, in Markdown.
    pub about: &'static str,
    /// The part of the specification.
    pub section: &'static str,
    /// The extension that brings it; `None` for those of the language.
    pub extension: Option<ExtensionId>,
}

const fn word(word: &'static str, about: &'static str, section: &'static str) -> Keyword {
    Keyword { word, about, section, extension: None }
}

const fn of(word: &'static str, extension: ExtensionId, about: &'static str) -> Keyword {
    Keyword { word, about, section: "", extension: Some(extension) }
}

const KEYWORDS: &[Keyword] = &[
    word(
        "const",
        "The value never changes. At top level it is a constant expression, known when the shader is compiled or specialized.",
        "GLSL 4.60, 4.3.3 Constant Expressions",
    ),
    word(
        "in",
        "An input: of the shader stage, or of the function, which gets a copy.",
        "GLSL 4.60, 4.3.4 Input Variables",
    ),
    word(
        "out",
        "An output: of the shader stage, or of the function, which sets it.",
        "GLSL 4.60, 4.3.6 Output Variables",
    ),
    word("inout", "The function reads the argument and sets it.", "GLSL 4.60, 4.6.1 Function Parameters"),
    word(
        "uniform",
        "Read-only, and the same for every invocation: a uniform block, push constants, or an image or sampler.",
        "GLSL 4.60, 4.3.5 Uniform Variables",
    ),
    word(
        "buffer",
        "Memory of a storage buffer, which all invocations read and write.",
        "GLSL 4.60, 4.3.7 Buffer Variables",
    ),
    word(
        "shared",
        "Memory that all invocations of a workgroup share. Its values are undefined until the shader writes them.",
        "GLSL 4.60, 4.3.8 Shared Variables",
    ),
    word(
        "coherent",
        "Other invocations see what is written here, once barriers order it.",
        "GLSL 4.60, 4.10 Memory Qualifiers",
    ),
    word(
        "volatile",
        "The value may change at any time: it is read and written each time that the source says so.",
        "GLSL 4.60, 4.10 Memory Qualifiers",
    ),
    word("restrict", "Nothing else leads to the same memory.", "GLSL 4.60, 4.10 Memory Qualifiers"),
    word("readonly", "The memory is only read.", "GLSL 4.60, 4.10 Memory Qualifiers"),
    word("writeonly", "The memory is only written.", "GLSL 4.60, 4.10 Memory Qualifiers"),
    word(
        "highp",
        "High precision. Without effect on 32-bit types in Vulkan.",
        "GLSL 4.60, 4.7 Precision and Precision Qualifiers",
    ),
    word(
        "mediump",
        "Medium precision: the device may compute with fewer bits (`RelaxedPrecision`).",
        "GLSL 4.60, 4.7 Precision and Precision Qualifiers",
    ),
    word(
        "lowp",
        "Low precision: the device may compute with fewer bits (`RelaxedPrecision`).",
        "GLSL 4.60, 4.7 Precision and Precision Qualifiers",
    ),
    word(
        "precision",
        "Sets the precision of a type where none is written.",
        "GLSL 4.60, 4.7.4 Default Precision Qualifiers",
    ),
    word(
        "precise",
        "The value is computed as the source says: operations are not fused or reordered.",
        "GLSL 4.60, 4.9 The Precise Qualifier",
    ),
    word(
        "invariant",
        "The same expressions give the same output in all shaders.",
        "GLSL 4.60, 4.8 Variance and the Invariant Qualifier",
    ),
    word("flat", "The input is not interpolated.", "GLSL 4.60, 4.5 Interpolation Qualifiers"),
    word("smooth", "The input is interpolated with perspective.", "GLSL 4.60, 4.5 Interpolation Qualifiers"),
    word(
        "noperspective",
        "The input is interpolated linearly on the screen.",
        "GLSL 4.60, 4.5 Interpolation Qualifiers",
    ),
    word(
        "centroid",
        "The input is interpolated at a place that the primitive covers.",
        "GLSL 4.60, 4.5 Interpolation Qualifiers",
    ),
    word("sample", "The input is interpolated at the sample.", "GLSL 4.60, 4.5 Interpolation Qualifiers"),
    word("patch", "The variable belongs to the whole patch.", "GLSL 4.60, 4.3.6 Output Variables"),
    word(
        "layout",
        "Qualifies a declaration: bindings, memory layout, local size, specialization.",
        "GLSL 4.60, 4.4 Layout Qualifiers",
    ),
    word("struct", "Declares a structure.", "GLSL 4.60, 4.1.8 Structures"),
    word("void", "No value, or no parameters.", "GLSL 4.60, 4.1.1 Void"),
    word("if", "A conditional statement.", "GLSL 4.60, 6.2 Selection"),
    word("else", "What is done when the condition is false.", "GLSL 4.60, 6.2 Selection"),
    word("for", "A counting loop.", "GLSL 4.60, 6.3 Iteration"),
    word("while", "A loop that tests its condition first.", "GLSL 4.60, 6.3 Iteration"),
    word("do", "A loop that tests its condition last.", "GLSL 4.60, 6.3 Iteration"),
    word("switch", "Jumps to the label with the selector's value.", "GLSL 4.60, 6.2 Selection"),
    word(
        "case",
        "A label of a `switch`. Execution falls through to the next label unless a `break` ends it.",
        "GLSL 4.60, 6.2 Selection",
    ),
    word("default", "The label for all other values.", "GLSL 4.60, 6.2 Selection"),
    word("return", "Ends the function.", "GLSL 4.60, 6.4 Jumps"),
    word("break", "Ends the loop or `switch`.", "GLSL 4.60, 6.4 Jumps"),
    word("continue", "Continues with the loop's next iteration.", "GLSL 4.60, 6.4 Jumps"),
    word("discard", "Ends the fragment without output.", "GLSL 4.60, 6.4 Jumps"),
    word("true", "The boolean value true.", "GLSL 4.60, 4.1.2 Booleans"),
    word("false", "The boolean value false.", "GLSL 4.60, 4.1.2 Booleans"),
    of(
        "nonuniformEXT",
        ids::GL_EXT_NONUNIFORM_QUALIFIER,
        "The index may differ between the invocations of a subgroup.",
    ),
    of(
        "resourceheap",
        ids::GL_EXT_STRUCTURED_DESCRIPTOR_HEAP,
        "A block of the resource heap: data, and descriptors of buffers, images, textures and acceleration structures. It is only read; what it describes may be written.",
    ),
    of(
        "samplerheap",
        ids::GL_EXT_STRUCTURED_DESCRIPTOR_HEAP,
        "A block of the sampler heap: data and samplers. It is only read.",
    ),
    of("devicecoherent", ids::GL_KHR_MEMORY_SCOPE_SEMANTICS, "Coherent among all invocations of the device."),
    of(
        "queuefamilycoherent",
        ids::GL_KHR_MEMORY_SCOPE_SEMANTICS,
        "Coherent among the invocations of a queue family.",
    ),
    of(
        "workgroupcoherent",
        ids::GL_KHR_MEMORY_SCOPE_SEMANTICS,
        "Coherent among the invocations of a workgroup.",
    ),
    of(
        "subgroupcoherent",
        ids::GL_KHR_MEMORY_SCOPE_SEMANTICS,
        "Coherent among the invocations of a subgroup.",
    ),
    of(
        "nonprivate",
        ids::GL_KHR_MEMORY_SCOPE_SEMANTICS,
        "Barriers and atomics order accesses to this memory.",
    ),
    of("shadercallcoherent", ids::GL_EXT_RAY_TRACING, "Coherent among the shaders of one call."),
    of(
        "nontemporal",
        ids::GL_EXT_NONTEMPORAL_KEYWORD,
        "The memory is accessed once: caches need not keep it.",
    ),
    of("demote", ids::GL_EXT_DEMOTE_TO_HELPER_INVOCATION, "The fragment goes on as a helper invocation."),
    of("terminateInvocation", ids::GL_EXT_TERMINATE_INVOCATION, "Ends the fragment without output, at once."),
];

/// What a word means; `None` for what is no word of the language.
pub fn keyword(word: &str) -> Option<&'static Keyword> {
    let first = word.as_bytes().first()?;
    KEYWORDS.iter().find(|keyword| keyword.word.as_bytes().first() == Some(first) && keyword.word == word)
}
