//! Mistakes of hands: real kernels with one slip each, as people make them while they write.
//!
//! Every class here has one right answer, the text as it was. Places are taken in turn over the kernels, so that the same shaders come
//! out each time.

use std::ops::Range;

/// A slip, and the text that has it.
pub struct Slip {
    pub class: &'static str,
    /// Whether what stood there before is the one right answer, which a fix should find.
    pub one_answer: bool,
    pub text: String,
}

/// What a slip makes of a kernel: each place where it can be made, with what comes there.
type Slips = fn(&str) -> Vec<(Range<usize>, String)>;

const CLASSES: &[(&str, bool, Slips)] = &[
    ("two letters of a built-in name are exchanged", true, |text| misspelt(text, transposed)),
    ("a letter of a built-in name is missing", true, |text| misspelt(text, shortened)),
    ("a letter of a built-in name is doubled", true, |text| misspelt(text, doubled)),
    ("a built-in name has the wrong case", true, |text| misspelt(text, lowered)),
    ("two letters of a declared name are exchanged", true, |text| declared(text, transposed)),
    ("an `#extension` line is missing", true, without_extension),
    ("operands of a multiply-add are exchanged", true, |text| exchanged(text, "coopMatMulAdd", 0, 1)),
    ("operands of a multiply-add are rotated", true, |text| rotated(text, "coopMatMulAdd")),
    ("matrix and memory of a load are exchanged", true, |text| exchanged(text, "coopMatLoad", 0, 1)),
    ("matrix and memory of a store are exchanged", true, |text| exchanged(text, "coopMatStore", 0, 1)),
    ("stride and layout of a load are exchanged", true, |text| exchanged(text, "coopMatLoad", 3, 4)),
    ("stride and layout of a store are exchanged", true, |text| exchanged(text, "coopMatStore", 3, 4)),
    ("a layout is given as `false`, as in GL_NV_cooperative_matrix", true, |text| argument(text, 4, "false")),
    ("`length` lacks its parentheses", true, |text| replaced(text, ".length()", ".length")),
    ("`length()` is called `size()`", true, |text| replaced(text, ".length()", ".size()")),
    ("the `#version` is too old", true, |text| replaced(text, "#version 450", "#version 420")),
    ("a `;` of a statement is missing", true, |text| in_functions(text, ";\n", "\n")),
    ("a `)` of a statement is missing", true, |text| in_functions(text, ");\n", ";\n")),
    ("an argument is missing", false, |text| argument(text, 3, "")),
];

/// Slips in kernels, up to a number, of all classes in turn.
pub fn slips(kernels: &[String], most: usize) -> Vec<Slip> {
    let mut found: Vec<Vec<Slip>> = CLASSES
        .iter()
        .map(|&(class, one_answer, slips)| {
            let of = |kernel: &String| {
                slips(kernel)
                    .into_iter()
                    .map(|(range, with)| {
                        let mut text = kernel.clone();
                        text.replace_range(range, &with);
                        Slip { class, one_answer, text }
                    })
                    .collect::<Vec<_>>()
            };
            // One of each kernel in turn, so that no long kernel outweighs the others.
            let mut by_kernel: Vec<_> = kernels.iter().map(|kernel| of(kernel).into_iter()).collect();
            let mut taken = Vec::new();
            loop {
                let before = taken.len();
                taken.extend(by_kernel.iter_mut().filter_map(Iterator::next));
                if taken.len() == before {
                    break taken;
                }
            }
        })
        .collect();
    for class in &mut found {
        class.reverse();
    }
    let mut slips = Vec::new();
    while slips.len() < most {
        let before = slips.len();
        for class in &mut found {
            if slips.len() < most {
                slips.extend(class.pop());
            }
        }
        if slips.len() == before {
            break;
        }
    }
    slips
}

/// The words of a text outside of comments and directives.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or_default();
        let mut start = None;
        if !code.trim_start().starts_with('#') {
            for (index, byte) in code.bytes().chain([b' ']).enumerate() {
                let part = byte.is_ascii_alphanumeric() || byte == b'_';
                match start {
                    None if part => start = Some(index),
                    Some(begin) if !part => {
                        words.push(at + begin..at + index);
                        start = None;
                    }
                    _ => {}
                }
            }
        }
        at += line.len();
    }
    words
}

fn misspelt(text: &str, slip: fn(&str) -> Option<String>) -> Vec<(Range<usize>, String)> {
    let is_builtin = |word: &str| word.starts_with("coopMat") || word.starts_with("gl_");
    let places = words(text).into_iter().filter(|place| is_builtin(&text[place.clone()]));
    places.filter_map(|place| Some((place.clone(), slip(&text[place])?))).collect()
}

/// Uses of names of the text's own that are long enough to be recognised.
fn declared(text: &str, slip: fn(&str) -> Option<String>) -> Vec<(Range<usize>, String)> {
    let mut seen: Vec<&str> = Vec::new();
    let mut places = Vec::new();
    for place in words(text) {
        let word = &text[place.clone()];
        let own = word.len() >= 5
            && word.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase())
            && word.bytes().any(|byte| byte.is_ascii_uppercase())
            && !["coop", "gl_", "tensor", "local_", "float", "uint", "create", "set", "slice"]
                .iter()
                .any(|start| word.starts_with(start));
        // The first one is the declaration.
        if own && seen.contains(&word) {
            places.extend(slip(word).map(|slipped| (place.clone(), slipped)));
        }
        seen.push(word);
    }
    places
}

/// The letters in the middle of a word, which fingers get wrong.
fn middle(word: &str) -> Option<usize> {
    let middle = word.len() / 2;
    let bytes = word.as_bytes();
    (middle..word.len().saturating_sub(1)).find(|&at| {
        bytes[at] != bytes[at + 1] && bytes[at].is_ascii_lowercase() && bytes[at + 1].is_ascii_lowercase()
    })
}

fn transposed(word: &str) -> Option<String> {
    let at = middle(word)?;
    let mut bytes = word.as_bytes().to_vec();
    bytes.swap(at, at + 1);
    String::from_utf8(bytes).ok()
}

fn shortened(word: &str) -> Option<String> {
    let at = middle(word)?;
    Some(format!("{}{}", &word[..at], &word[at + 1..]))
}

fn doubled(word: &str) -> Option<String> {
    let at = middle(word)?;
    Some(format!("{}{}", &word[..=at], &word[at..]))
}

fn lowered(word: &str) -> Option<String> {
    let at = word.bytes().position(|byte| byte.is_ascii_uppercase())?;
    Some(format!("{}{}{}", &word[..at], word[at..=at].to_ascii_lowercase(), &word[at + 1..]))
}

fn without_extension(text: &str) -> Vec<(Range<usize>, String)> {
    let mut at = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        if line.starts_with("#extension") {
            lines.push((at..at + line.len(), String::new()));
        }
        at += line.len();
    }
    lines
}

/// The arguments of each call of a function that has its whole text in one line.
fn calls(text: &str, function: &str) -> Vec<Vec<Range<usize>>> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(&format!("{function}(")) {
        let mut start = at + function.len() + 1;
        let (mut depth, mut arguments) = (0, Vec::new());
        for (index, byte) in text.bytes().enumerate().skip(start) {
            match byte {
                b'(' | b'[' => depth += 1,
                b')' if depth == 0 => {
                    arguments.push(start..index);
                    found.push(arguments.iter().map(|place: &Range<usize>| trimmed(text, place)).collect());
                    break;
                }
                b')' | b']' => depth -= 1,
                b',' if depth == 0 => {
                    arguments.push(start..index);
                    start = index + 1;
                }
                b';' => break,
                _ => {}
            }
        }
    }
    found
}

fn trimmed(text: &str, place: &Range<usize>) -> Range<usize> {
    let piece = &text[place.clone()];
    let start = place.start + piece.len() - piece.trim_start().len();
    start..start + piece.trim().len()
}

/// The arguments from the first to the last that moves, in another order.
fn moved(text: &str, arguments: &[Range<usize>], order: &[usize]) -> Option<(Range<usize>, String)> {
    let (first, last) = (arguments.first()?, arguments.last()?);
    let pieces: Option<Vec<&str>> =
        order.iter().map(|&from| text.get(arguments.get(from)?.clone())).collect();
    Some((first.start..last.end, pieces?.join(", ")))
}

fn exchanged(text: &str, function: &str, one: usize, other: usize) -> Vec<(Range<usize>, String)> {
    let of = |arguments: Vec<Range<usize>>| {
        let mut order: Vec<usize> = (0..arguments.len()).collect();
        let places = (arguments.get(one)?.clone(), arguments.get(other)?.clone());
        order.swap(one, other);
        (text[places.0] != text[places.1]).then(|| moved(text, &arguments, &order)).flatten()
    };
    calls(text, function).into_iter().filter_map(of).collect()
}

fn rotated(text: &str, function: &str) -> Vec<(Range<usize>, String)> {
    let of = |arguments: Vec<Range<usize>>| {
        let mut order: Vec<usize> = (0..arguments.len()).collect();
        order.get_mut(..3)?.rotate_left(1);
        moved(text, &arguments, &order)
    };
    calls(text, function).into_iter().filter_map(of).collect()
}

/// The argument of loads at an index becomes something else, or is left out with its comma.
fn argument(text: &str, index: usize, with: &str) -> Vec<(Range<usize>, String)> {
    let of = |arguments: Vec<Range<usize>>| {
        let place = arguments.get(index)?.clone();
        let column = text[place.clone()].contains("Column");
        let with = if with == "false" && column { "true" } else { with };
        let start = if with.is_empty() { arguments.get(index - 1)?.end } else { place.start };
        Some((start..place.end, with.to_owned()))
    };
    // What a macro or a variable stands for is another slip.
    let named = |arguments: &Vec<Range<usize>>| {
        arguments.get(4).is_some_and(|layout| text[layout.clone()].starts_with("gl_CooperativeMatrixLayout"))
    };
    calls(text, "coopMatLoad").into_iter().filter(named).filter_map(of).collect()
}

/// The same on indented lines.
fn in_functions(text: &str, what: &str, with: &str) -> Vec<(Range<usize>, String)> {
    let mut places = replaced(text, what, with);
    places.retain(|(place, _)| {
        let line = text[..place.start].rfind('\n').map_or(0, |end| end + 1);
        text[line..].starts_with("    ")
    });
    places
}

fn replaced(text: &str, what: &str, with: &str) -> Vec<(Range<usize>, String)> {
    let code = |at: usize| {
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        !text[line..at].contains("//")
    };
    let found = text.match_indices(what).filter(|&(at, _)| code(at));
    found.map(|(at, what)| (at..at + what.len(), with.to_owned())).collect()
}
