//! Keywords where they fit, attributes, and the beginnings of statements and declarations.

use super::item::{About, Completions, Item, ItemKind};
use super::layouts;
use super::position::{Position, qualifiers};
use super::rank;
use super::scope::Scope;
use crate::site::Site;
use crate::vocabulary::attributes::{ATTRIBUTES, in_attribute};
use crate::vocabulary::keywords;
use coopmat_analysis::config::Stage;
use coopmat_analysis::extensions::ids;

/// A word, and what is inserted for it where tab stops are known.
struct Beginning {
    word: &'static str,
    snippet: &'static str,
}

const STATEMENTS: &[Beginning] = &[
    Beginning { word: "if", snippet: "if (${1:condition}) {\n\t$0\n}" },
    Beginning { word: "for", snippet: "for (${1:uint} ${2:i} = ${3:0}; $2 < ${4:count}; ++$2) {\n\t$0\n}" },
    Beginning { word: "while", snippet: "while (${1:condition}) {\n\t$0\n}" },
    Beginning { word: "do", snippet: "do {\n\t$0\n} while (${1:condition});" },
    Beginning {
        word: "switch",
        snippet: "switch (${1:selector}) {\n\tcase ${2:0}:\n\t\t$0\n\t\tbreak;\n\tdefault:\n\t\tbreak;\n}",
    },
    Beginning { word: "return", snippet: "" },
    Beginning { word: "break", snippet: "break;" },
    Beginning { word: "continue", snippet: "continue;" },
    Beginning { word: "case", snippet: "case ${1:0}:$0" },
    Beginning { word: "default", snippet: "default:$0" },
];

const DECLARATIONS: &[Beginning] = &[
    Beginning { word: "layout", snippet: "layout($0)" },
    Beginning { word: "struct", snippet: "struct ${1:Name} {\n\t$0\n};" },
];

/// Longer beginnings of declarations at top level: label, snippet, what it is.
const PATTERNS: &[(&str, &str, &str)] = &[
    ("main", "void main() {\n\t$0\n}", "The entry point."),
    (
        "local size",
        "layout(local_size_x = ${1:32}, local_size_y = ${2:1}, local_size_z = ${3:1}) in;$0",
        "The number of invocations of a workgroup.",
    ),
    (
        "storage buffer",
        "layout(set = ${1:0}, binding = ${2:0}, std430) buffer ${3:Name} {\n\t${4:float} ${5:data}[];\n}${6: instance};$0",
        "A block in a storage buffer.",
    ),
    (
        "push constants",
        "layout(push_constant) uniform ${1:Parameters} {\n\t${2:uint} ${3:count};\n}${4: p};$0",
        "The block of push constants.",
    ),
    (
        "specialization constant",
        "layout(constant_id = ${1:0}) const ${2:uint} ${3:NAME} = ${4:16};$0",
        "A constant whose value is chosen when the pipeline is created.",
    ),
    (
        "buffer reference",
        "layout(buffer_reference, std430, buffer_reference_align = ${1:16}) buffer ${2:Name} {\n\t${3:float} ${4:data}[];\n};$0",
        "A type whose values are addresses of such blocks (GL_EXT_buffer_reference).",
    ),
];

pub fn complete(site: &Site<'_>, scope: &Scope<'_>, position: Position, completions: &mut Completions) {
    let mut keyword = |word: &'static str| {
        let refused = if layouts::admits(site, word) { 0 } else { rank::REFUSED };
        let item = Item::new(word, ItemKind::Keyword, 20 + rank::KEYWORD + refused);
        completions.items.push(match keywords::keyword(word) {
            Some(keyword) => item.about(About::Text(keyword.about)),
            None => item,
        });
    };
    let (statements, declarations, qualified) = match position {
        Position::TopLevel => (false, true, true),
        Position::Statement | Position::AfterIf => (true, false, false),
        Position::Anything => (true, true, true),
        Position::Type => (false, false, true),
        Position::Parameter | Position::Expression | Position::Name => (false, false, false),
    };
    match position {
        Position::Expression | Position::Anything => ["true", "false"].into_iter().for_each(&mut keyword),
        Position::Parameter => [
            "const",
            "in",
            "out",
            "inout",
            "highp",
            "mediump",
            "lowp",
            "coherent",
            "readonly",
            "restrict",
            "volatile",
            "writeonly",
            "precise",
        ]
        .into_iter()
        .for_each(&mut keyword),
        Position::Statement | Position::AfterIf => {
            ["const", "precise", "highp", "mediump", "lowp", "else"].into_iter().for_each(&mut keyword);
            if scope.environment.stage == Some(Stage::Fragment) {
                keyword("discard");
            }
            for (word, extension) in [
                ("demote", ids::GL_EXT_DEMOTE_TO_HELPER_INVOCATION),
                ("terminateInvocation", ids::GL_EXT_TERMINATE_INVOCATION),
            ] {
                if scope.environment.enabled(extension) {
                    keyword(word);
                }
            }
        }
        Position::TopLevel => {
            ["precision", "invariant"].into_iter().for_each(&mut keyword);
        }
        Position::Type | Position::Name => {}
    }
    if qualified {
        let interface = !matches!(scope.environment.stage, Some(Stage::Compute));
        let of_interface = ["flat", "smooth", "noperspective", "centroid", "sample", "patch"];
        for word in qualifiers().filter(|word| interface || !of_interface.contains(word)) {
            let known = keywords::keyword(word);
            if known.is_some_and(|known| known.extension.is_none_or(|of| scope.environment.enabled(of))) {
                keyword(word);
            }
        }
    }
    let add = |beginning: &Beginning, completions: &mut Completions| {
        let about = keywords::keyword(beginning.word).map_or("", |keyword| keyword.about);
        let mut item =
            Item::new(beginning.word, ItemKind::Keyword, 20 + rank::KEYWORD).about(About::Text(about));
        if !beginning.snippet.is_empty() && site.after.first().is_none_or(|next| !next.is("(")) {
            item = item.snippet(beginning.snippet, beginning.word);
        }
        completions.items.push(item);
    };
    if statements {
        STATEMENTS.iter().for_each(|beginning| add(beginning, completions));
    }
    if declarations {
        DECLARATIONS.iter().for_each(|beginning| add(beginning, completions));
    }
    if position == Position::TopLevel {
        for &(label, snippet, about) in PATTERNS {
            let item = Item::new(label, ItemKind::Snippet, 20 + rank::WORD)
                .snippet(snippet, String::new())
                .about(About::Text(about));
            completions.items.push(item);
        }
    }
    if position == Position::AfterIf {
        let item = Item::new("else", ItemKind::Keyword, rank::LOCAL)
            .snippet("else {\n\t$0\n}", "else")
            .about(About::Text("What is done when the condition is false."));
        completions.items.retain(|item| item.label != "else");
        completions.items.push(item);
    }
}

/// What stands in `[[...]]`.
pub fn attribute(site: &Site<'_>, scope: &Scope<'_>, completions: &mut Completions) -> bool {
    if !in_attribute(site) {
        return false;
    }
    for &(name, extension, about) in ATTRIBUTES {
        let mut item = Item::new(name, ItemKind::Keyword, rank::LOCAL).about(About::Text(about));
        if name.contains("count") || name.contains("iteration") || name == "dependency_length" {
            item = item.snippet(format!("{name}(${{1:4}})"), name);
        }
        if !scope.environment.enabled(extension) {
            item = super::requirements::needing(item, extension);
        }
        completions.items.push(item);
    }
    true
}
