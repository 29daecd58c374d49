//! What a shader in a string is: its stage, and whether what is found in it can be told. The text may be part of a shader, or for OpenGL, whose GLSL has other
//! rules; what is right there is no error.

use std::ops::Range;

use coopmat_analysis::config::Stage;
use coopmat_analysis::diagnostics::{Code, codes};

use super::Part;
use super::tokens::{is_word, line_end, starts_word, word_end};

pub struct Judged {
    pub stage: Stage,
    pub has_version: bool,
    /// Whether nothing but comments stands before the `#version`.
    pub begins_with_version: bool,
    pub part: Option<(&'static Code, String)>,
}

pub fn unknown(text: &str, range: Range<usize>) -> Part {
    const LONGEST: usize = 40;
    let words = text.get(range.clone()).unwrap_or_default();
    let what = match words {
        "+" | "<<" => format!("what comes before `{words}`"),
        _ if words.lines().count() == 1 && words.len() <= LONGEST => format!("`{words}`"),
        _ => "this".to_owned(),
    };
    if words.starts_with('#') && !words.contains("include") {
        let message = format!(
            "there is a preprocessor condition between the strings of this shader ({what}), so its errors are not reported"
        );
        return Part { code: &codes::EMBEDDED_PART, message, range };
    }
    let message = format!(
        "part of this shader is not known here: {what} inserts text, so errors of the shader are not reported"
    );
    Part { code: &codes::EMBEDDED_PART, message, range }
}

pub fn cannot_be_laid_out(range: Range<usize>) -> Part {
    let message = "a line of GLSL ends or continues within this line of the program, so errors of the shader are not reported: write each line of GLSL on a line of its own, or use a raw string";
    Part { code: &codes::EMBEDDED_PART, message: message.to_owned(), range }
}

pub fn no_version(range: Range<usize>) -> Part {
    let message = "this shader has no `#version` line. If the program adds one, set `version` in coopmat-analyzer.toml; errors of the shader are not reported until then";
    Part { code: &codes::EMBEDDED_PART, message: message.to_owned(), range }
}

/// The words of one declaration outside of functions.
#[derive(Default)]
struct Declaration {
    layout: bool,
    interface: bool,
    uniform: bool,
    /// Its type is one of numbers.
    number: bool,
    /// Of Vulkan's own interface, such as `gl_PerVertex`.
    built_in: bool,
}

#[derive(Default)]
struct Seen {
    main: bool,
    version: Option<(u32, bool)>,
    /// Something stands before the `#version`.
    late_version: bool,
    compute: bool,
    vertex: bool,
    fragment: bool,
    vulkan: bool,
    open_gl: bool,
}

/// A mark's stage comes before what the text says, and compute shaders before others.
pub fn judge(text: &str, marked: Option<Stage>, name: &str) -> Judged {
    let seen = look(text);
    let name = name.to_ascii_lowercase();
    let stage = marked.unwrap_or(match () {
        () if seen.compute => Stage::Compute,
        () if seen.vertex || name.contains("vert") => Stage::Vertex,
        () if seen.fragment || name.contains("frag") => Stage::Fragment,
        () => Stage::Compute,
    });
    let old = seen.version.is_some_and(|(number, es)| number < if es { 310 } else { 420 });
    let part: Option<(&'static Code, String)> = if !seen.main {
        let message = "this GLSL has no `main`: it is part of a shader, and its errors are reported for the whole shader";
        Some((&codes::EMBEDDED_FRAGMENT, message.to_owned()))
    } else if !seen.vulkan && (old || seen.open_gl) {
        let message = match seen.version {
            Some((number, es)) if old => {
                let es = if es { " es" } else { "" };
                format!("this is a shader for OpenGL, judging by its `#version {number}{es}`, so its errors are not reported")
            }
            _ => "this is a shader for OpenGL, as its interface variables have no `layout`, so its errors are not reported".to_owned(),
        };
        Some((&codes::EMBEDDED_PART, message))
    } else if seen.version.is_none() && stage != Stage::Compute {
        Some((&codes::EMBEDDED_PART, no_version(0..0).message))
    } else {
        None
    };
    Judged {
        stage,
        has_version: seen.version.is_some(),
        begins_with_version: seen.version.is_some() && !seen.late_version,
        part,
    }
}

fn is_number_type(word: &str) -> bool {
    let scalar = matches!(word, "float" | "double" | "int" | "uint" | "bool");
    let sized = word.trim_start_matches(['d', 'i', 'u', 'b']);
    scalar || (sized.starts_with("vec") || sized.starts_with("mat")) && sized.len() > 3 && word.len() <= 7
}

fn look(text: &str) -> Seen {
    let bytes = text.as_bytes();
    let mut seen = Seen::default();
    let (mut braces, mut brackets) = (0_usize, 0_usize);
    let mut declaration = Declaration::default();
    let mut last = "";
    let mut before_last = "";
    let mut first = true;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        match byte {
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = line_end(bytes, at);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let rest = bytes.get(at + 2..).unwrap_or_default();
                at = memchr::memmem::find(rest, b"*/").map_or(bytes.len(), |end| at + 2 + end + 2);
                continue;
            }
            _ if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'#' => {
                at = line_end(bytes, at);
                directive(text.get(start + 1..at).unwrap_or_default(), first, &mut seen);
            }
            _ if is_word(byte) => {
                at = if starts_word(byte) { word_end(bytes, at) } else { number_end(bytes, at) };
                let word = text.get(start..at).unwrap_or_default();
                see(word, brackets > 0, &mut seen);
                if braces == 0 && brackets == 0 {
                    declare(word, &mut declaration);
                }
                (before_last, last) = (last, word);
            }
            _ => {
                at += 1;
                match byte {
                    b'(' => {
                        seen.main |= last == "main" && before_last == "void" && braces == 0;
                        brackets += 1;
                    }
                    b')' => brackets = brackets.saturating_sub(1),
                    b'{' => {
                        // A block has its members' layouts.
                        declaration.interface = false;
                        declaration.uniform = false;
                        braces += 1;
                    }
                    b'}' => braces = braces.saturating_sub(1),
                    _ => {}
                }
                if braces == 0 && matches!(byte, b';' | b'}') {
                    if byte == b';' {
                        judge_declaration(&declaration, &mut seen);
                    }
                    declaration = Declaration::default();
                }
            }
        }
        first = false;
    }
    seen
}

fn number_end(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|byte| is_word(*byte) || *byte == b'.') {
        at += 1;
    }
    at
}

fn directive(line: &str, first: bool, seen: &mut Seen) {
    let mut words = line.split_ascii_whitespace();
    match words.next() {
        Some("version") => {
            let number = words.next().and_then(|number| number.parse().ok());
            if let Some(number) = number {
                seen.version = Some((number, words.next() == Some("es")));
                seen.late_version = !first;
            }
        }
        Some("extension") => {
            let name = words.next().unwrap_or_default().trim_end_matches(':');
            seen.vulkan |= ["cooperative_matrix", "ray_tracing", "mesh_shader", "tensors"]
                .iter()
                .any(|one| name.contains(one));
        }
        _ => {}
    }
}

fn see(word: &str, in_brackets: bool, seen: &mut Seen) {
    match word {
        "local_size_x" | "local_size_y" | "local_size_z" | "local_size_x_id" if in_brackets => {
            seen.compute = true
        }
        "shared"
        | "gl_GlobalInvocationID"
        | "gl_LocalInvocationID"
        | "gl_LocalInvocationIndex"
        | "gl_WorkGroupID"
        | "gl_WorkGroupSize"
        | "gl_NumWorkGroups"
        | "coopmat" => seen.compute = true,
        "gl_Position" | "gl_VertexIndex" | "gl_VertexID" | "gl_InstanceIndex" => seen.vertex = true,
        "gl_FragCoord" | "gl_FragColor" | "gl_FragDepth" | "discard" | "dFdx" | "dFdy" | "fwidth" => {
            seen.fragment = true
        }
        "push_constant" | "set" | "constant_id" if in_brackets => seen.vulkan = true,
        _ => {}
    }
}

fn declare(word: &str, declaration: &mut Declaration) {
    match word {
        "layout" => declaration.layout = true,
        "in" | "out" | "varying" | "attribute" => declaration.interface = true,
        "uniform" => declaration.uniform = true,
        _ if word.starts_with("gl_") => declaration.built_in = true,
        _ => declaration.number |= is_number_type(word),
    }
}

fn judge_declaration(declaration: &Declaration, seen: &mut Seen) {
    let Declaration { layout, interface, uniform, number, built_in } = *declaration;
    seen.fragment |= interface && !seen.vertex && !seen.compute && number && !uniform && !layout;
    let loose = uniform && (number || !layout);
    seen.open_gl |= !built_in && (loose || (interface && !layout));
}
