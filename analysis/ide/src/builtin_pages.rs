//! What an extension or the core language brings along, written as one GLSL text: where definitions of built-ins lead. It is
//! made of the tables alone, so that it says what the analysis believes.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use crate::occurrences::Builtin;
use crate::signatures;
use coopmat_analysis::Analysis;
use coopmat_analysis::extensions::{self, BuiltinFunctionId, ExtensionId, Pattern, Provided};
use coopmat_analysis::hir::{ExtensionBehavior, Profile};
use coopmat_analysis::text::{TextRange, TextSize};

/// The name of the core language in the tables.
const CORE: &str = "GLSL";

/// A text, and where in it each entry is named.
#[derive(Debug, Default)]
pub struct Page {
    /// GLSL with comments, lines ending in `\
    /// `.
    pub text: String,
    entries: FxHashMap<Builtin, TextRange>,
}

impl Page {
    fn entry(&self, builtin: &Builtin) -> Option<TextRange> {
        self.entries.get(builtin).copied()
    }

    fn enter(&mut self, builtin: Builtin, line: &str, name: &str) {
        let start = self.text.len() + find_word(line, name).unwrap_or_default();
        let range = TextRange::at(TextSize::new(start as u32), TextSize::new(name.len() as u32));
        self.entries.entry(builtin).or_insert(range);
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn comment(&mut self, text: &str) {
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            for line in wrapped(line) {
                let _ = writeln!(self.text, "// {line}");
            }
        }
    }

    fn heading(&mut self, title: &str, begun: &mut bool) {
        if !*begun {
            *begun = true;
            let _ = writeln!(self.text, "\n// ======== {title} ========");
        }
    }

    fn describe(&mut self, doc: &str, instruction: &str, section: &str, needs: &[ExtensionId]) {
        self.text.push('\n');
        self.comment(doc);
        if !needs.is_empty() {
            let names: Vec<&str> = needs.iter().map(|&id| extensions::extension_by_id(id).name).collect();
            self.comment(&format!("Needs {} as well.", names.join(" and ")));
        }
        if !instruction.is_empty() {
            self.comment(&format!("SPIR-V: {instruction}"));
        }
        if !section.is_empty() {
            self.comment(&format!("Source: {section}"));
        }
    }
}

/// Breaks a long line of prose at spaces.
fn wrapped(line: &str) -> Vec<String> {
    const WIDTH: usize = 110;
    let mut lines = vec![String::new()];
    for word in line.split_whitespace() {
        let full = lines.last().is_some_and(|last| !last.is_empty() && last.len() + word.len() >= WIDTH);
        if full {
            lines.push(String::new());
        }
        if let Some(last) = lines.last_mut() {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

fn find_word(line: &str, name: &str) -> Option<usize> {
    let word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    line.match_indices(name).map(|(at, _)| at).find(|&at| {
        let bytes = line.as_bytes();
        !word(at.checked_sub(1).and_then(|before| bytes.get(before))) && !word(bytes.get(at + name.len()))
    })
}

/// The page of a built-in that the analysis sees, and its entry there.
pub fn locate(analysis: &Analysis, builtin: &Builtin) -> Option<(ExtensionId, TextRange)> {
    let provider = provider_of(analysis, builtin)?;
    let entry = page(provider).entry(builtin)?;
    Some((provider, entry))
}

fn provider_of(analysis: &Analysis, builtin: &Builtin) -> Option<ExtensionId> {
    let core = extensions::extension(CORE)?;
    Some(match builtin {
        Builtin::Function(id) => first_provider(analysis, extensions::function(*id), core),
        Builtin::Variable(id) => first_provider(analysis, extensions::variable_by_id(*id), core),
        Builtin::Constant(id) => first_provider(analysis, extensions::constant_by_id(*id), core),
        Builtin::Type(name) => match extensions::type_(name) {
            Some(id) => first_provider(analysis, extensions::type_by_id(id), core),
            None => return None,
        },
        Builtin::Extension(name) | Builtin::Macro(name) => extensions::extension(name)?,
        Builtin::Swizzle | Builtin::Length => return None,
    })
}

/// The core language where it has the entry, else an extension that is enabled, else the first that brings it.
fn first_provider(analysis: &Analysis, entry: &impl Provided, core: ExtensionId) -> ExtensionId {
    let module = &analysis.module;
    let es = module.profile == Profile::Es;
    if entry.is_core(module.version, es) {
        return core;
    }
    let enabled = |provider: &ExtensionId| {
        module
            .extensions
            .iter()
            .any(|state| state.extension == Some(*provider) && state.behavior != ExtensionBehavior::Disable)
    };
    let providers = entry.providers();
    providers.iter().find(|provider| enabled(provider)).or(providers.first()).copied().unwrap_or(core)
}

/// Whether an entry stands on the page of `id`.
pub fn belongs(entry: &impl Provided, id: ExtensionId, core: ExtensionId) -> bool {
    if id == core {
        let (version, es) = entry.min_versions();
        return version != u32::MAX || es != u32::MAX || entry.providers().is_empty();
    }
    entry.providers().contains(&id)
}

/// Everything that an extension brings along.
pub fn page(id: ExtensionId) -> Page {
    let extension = extensions::extension_by_id(id);
    let core = extensions::extension(CORE).unwrap_or(id);
    let mut page = Page::default();
    page.comment(&format!("{}: {}", extension.name, extension.summary));
    page.comment(extension.doc);
    page.comment(extension.url);
    page.comment("Generated by coopmat-analyzer; read-only.");
    if id != core {
        page.text.push('\n');
        for choice in extension.requires {
            page.comment(&format!("Requires {}.", extensions::names_of(choice, " or ")));
        }
        if !extension.enables.is_empty() {
            page.comment(&format!("Enables {} as well.", extensions::names_of(extension.enables, ", ")));
        }
        if !extension.analysed {
            page.comment("Not analysed: what it adds is not checked.");
        }
        page.enter(
            Builtin::Extension(extension.name.into()),
            &format!("#extension {} : enable", extension.name),
            extension.name,
        );
        if let Some(value) = extension.macro_value {
            page.enter(
                Builtin::Macro(extension.name.into()),
                &format!("#define {} {value}", extension.name),
                extension.name,
            );
        }
    }
    types(&mut page, id, core);
    constants(&mut page, id, core);
    variables(&mut page, id, core);
    functions(&mut page, id, core);
    page
}

fn types(page: &mut Page, id: ExtensionId, core: ExtensionId) {
    let mut begun = false;
    for (_, entry) in extensions::all_types().filter(|(_, entry)| belongs(*entry, id, core)) {
        page.heading("Types", &mut begun);
        page.describe(entry.doc, "", entry.section, &[]);
        page.enter(Builtin::Type(entry.name.into()), entry.name, entry.name);
    }
}

fn constants(page: &mut Page, id: ExtensionId, core: ExtensionId) {
    let mut begun = false;
    let entries = extensions::all_constants().filter(|(_, entry)| belongs(*entry, id, core));
    for (constant, entry) in entries {
        page.heading("Constants", &mut begun);
        page.describe(entry.doc, "", entry.section, &[]);
        let line = if entry.components.is_empty() {
            format!("const {} {} = {};", entry.scalar.name(), entry.name, entry.value)
        } else {
            let values: Vec<String> = entry.components.iter().map(ToString::to_string).collect();
            let prefix = if entry.scalar.name() == "uint" { "u" } else { "i" };
            let ty = format!("{prefix}vec{}", values.len());
            format!("const {ty} {} = {ty}({});", entry.name, values.join(", "))
        };
        page.enter(Builtin::Constant(constant), &line, entry.name);
    }
}

fn variables(page: &mut Page, id: ExtensionId, core: ExtensionId) {
    let mut begun = false;
    let entries = extensions::all_variables().filter(|(_, entry)| belongs(*entry, id, core));
    for (variable, entry) in entries {
        page.heading("Variables", &mut begun);
        let decoration = match entry.decoration {
            "" => String::new(),
            decoration => format!("BuiltIn {decoration}"),
        };
        page.describe(entry.doc, &decoration, entry.section, &[]);
        let line = format!("{};", signatures::builtin_variable(entry));
        page.enter(Builtin::Variable(variable), &line, entry.name);
    }
}

fn functions(page: &mut Page, id: ExtensionId, core: ExtensionId) {
    let mut begun = false;
    let entries = extensions::all_functions().filter(|(_, entry)| belongs(*entry, id, core));
    let mut before: Option<(BuiltinFunctionId, &str)> = None;
    for (function, entry) in entries {
        page.heading("Functions", &mut begun);
        let same = before.is_some_and(|(before, name)| {
            let known = extensions::function(before);
            name == entry.name && known.doc == entry.doc && known.needs == entry.needs
        });
        // Overloads that differ in their types alone share one description.
        if !same {
            page.describe(entry.doc, entry.instruction, entry.section, entry.needs);
        }
        before = Some((function, entry.name));
        let line = format!("{};", entry.signature.trim_end_matches(';'));
        page.enter(Builtin::Function(function), &line, entry.name);
    }
}

/// `float x`, `vec4 x[3]`, as far as a pattern of a variable has a spelling.
pub fn declared(pattern: &Pattern, name: &str) -> String {
    match pattern {
        Pattern::Array(element, size) => {
            let size = size.map(|size| size.to_string()).unwrap_or_default();
            declared(element, &format!("{name}[{size}]"))
        }
        Pattern::Scalar(scalar) => format!("{} {name}", scalar.name()),
        Pattern::Vector(scalar, count) => match (scalar.name(), *count) {
            ("float", 2..=4) => format!("vec{count} {name}"),
            ("uint", 2..=4) => format!("uvec{count} {name}"),
            ("int", 2..=4) => format!("ivec{count} {name}"),
            ("bool", 2..=4) => format!("bvec{count} {name}"),
            (scalar, count) => format!("vector<{scalar}, {count}> {name}"),
        },
        Pattern::Matrix { component, columns, rows } => match component.name() {
            "float" => format!("mat{columns}x{rows} {name}"),
            "double" => format!("dmat{columns}x{rows} {name}"),
            other => format!("{other} mat{columns}x{rows} {name}"),
        },
        Pattern::Struct(structure) => format!("{structure} {name}"),
        Pattern::Void
        | Pattern::Gen(_)
        | Pattern::GenVector(_)
        | Pattern::AnyMatrix(_)
        | Pattern::AnyCoopmat
        | Pattern::AnyCoopmatNv
        | Pattern::AnyCoopvec
        | Pattern::Coopvec(_)
        | Pattern::AnyTensorLayout
        | Pattern::AnyTensorView
        | Pattern::FunctionName
        | Pattern::AnyType
        | Pattern::Opaque(_)
        | Pattern::String => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every entry of the tables is on a page of its own provider, at its own name.
    #[test]
    fn every_builtin_has_an_entry() {
        let pages: FxHashMap<ExtensionId, Page> =
            extensions::all_extensions().map(|(id, _)| (id, page(id))).collect();
        let check = |builtin: Builtin, name: &str| {
            let found: Vec<&Page> = pages.values().filter(|page| page.entry(&builtin).is_some()).collect();
            assert!(!found.is_empty(), "{name} is on no page");
            for page in found {
                let range = page.entry(&builtin).unwrap();
                assert_eq!(&page.text[std::ops::Range::<usize>::from(range)], name);
            }
        };
        for (id, entry) in extensions::all_functions() {
            check(Builtin::Function(id), entry.name);
        }
        for (id, entry) in extensions::all_variables() {
            check(Builtin::Variable(id), entry.name);
        }
        for (id, entry) in extensions::all_constants() {
            check(Builtin::Constant(id), entry.name);
        }
        for (_, entry) in extensions::all_types() {
            check(Builtin::Type(entry.name.into()), entry.name);
        }
    }

    #[test]
    fn a_page_describes_what_it_declares() {
        let id = extensions::extension("GL_KHR_cooperative_matrix").unwrap();
        let text = page(id).text;
        assert!(text.starts_with("// GL_KHR_cooperative_matrix: "), "{text}");
        assert!(text.contains("#extension GL_KHR_cooperative_matrix : enable\n"), "{text}");
        assert!(text.contains("const int gl_MatrixUseA = 0;\n"), "{text}");
        assert!(text.contains("// SPIR-V: OpCooperativeMatrixMulAddKHR\n"), "{text}");
    }
}
