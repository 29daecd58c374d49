//! An analysis that takes over what an edit left alone says the same as one from nothing.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::hir::Function;
use coopmat_analysis::sources::NoFiles;
use coopmat_analysis::{Analysis, analyze};

const SHADER: &str = "\
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 32, local_size_y_id = 3) in;
layout(constant_id = 0) const uint TM = 16;
const uint HALF = TM / 2;
struct Tile { uint rows; float16_t values[4]; };
layout(buffer_reference, std430) buffer Node { Node next; float value; };
layout(push_constant) uniform Parameters { Node first; uint count; } p;
layout(std430, binding = 0) buffer Data { float16_t data[]; };
shared float16_t stage[TM * 16];
float sum(float a, float b);
float twice(float x) {
    float y = x;
    return sum(y, x);
}
uint rows(Tile tile) {
    struct Inner { uint a; } inner;
    inner.a = tile.rows;
    return inner.a + HALF;
}
void load(out Tile tile) {
    tile.rows = TM;
    for (uint i = 0; i < 4; ++i) {
        tile.values[i] = data[i];
    }
}
float sum(float a, float b) { return a + b; }
void main() {
    Tile tile;
    load(tile);
    coopmat<float16_t, gl_ScopeSubgroup, TM, 16, gl_MatrixUseA> a;
    coopMatLoad(a, stage, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(a, stage, rows(tile), 16, gl_CooperativeMatrixLayoutRowMajor);
    data[0] = float16_t(twice(p.first.next.value));
}
";

fn run(text: &str, previous: Option<&Analysis>) -> Analysis {
    analyze("/main.comp", text.into(), &Configuration::default(), &NoFiles, previous)
}

/// What two analyses have to agree on, in words: types print as users write them, whatever their numbers are.
fn describe(analysis: &Analysis) -> String {
    let mut out = format!("{:#?}\n{:#?}\n", analysis.diagnostics, analysis.late_diagnostics());
    let module = &analysis.module;
    let bodies = module.functions.iter().filter_map(|(_, function)| function.body.as_deref());
    for body in bodies.chain([&module.global_body]) {
        for (_, expr) in body.exprs.iter() {
            let ty = coopmat_analysis::display::display_type(&module.types, &module.structs, expr.ty);
            out.push_str(&format!("{:?} {ty}\n", expr.range));
        }
        for name in &body.names {
            let definition = module.definition_range(&name.definition, None);
            out.push_str(&format!("{:?} {definition:?}\n", name.range));
        }
    }
    out
}

/// Directives are not in the text that is compared.
#[test]
fn what_an_extension_line_inside_of_a_function_allowed_is_not_kept() {
    let function = |line: &str| format!("#version 460\nvoid main() {{\n{line}\n    float16_t a;\n}}\n");
    let extension = "#extension GL_EXT_shader_explicit_arithmetic_types : require";
    check(&function(extension), &function(""));
    check(&function(""), &function(extension));
    let values = "1.0hf, ".repeat(1000);
    let table = |line: &str| {
        format!("#version 460\nconst float16_t table[] = {{\n{line}\n{values} 1.0hf }};\nvoid main() {{}}\n")
    };
    check(&table(extension), &table(""));
    check(&table(""), &table(extension));
}

fn check(before: &str, after: &str) -> (Analysis, Analysis) {
    let old = run(before, None);
    let new = run(after, Some(&old));
    let fresh = run(after, None);
    assert_eq!(describe(&new), describe(&fresh), "after the edit:\n{after}");
    (old, new)
}

fn function<'m>(analysis: &'m Analysis, name: &str) -> &'m Function {
    let mut functions = analysis.module.functions.iter();
    functions.find(|(_, function)| function.name == name).map(|(_, function)| function).expect(name)
}

fn is_kept(old: &Analysis, new: &Analysis, name: &str) -> bool {
    match (&function(old, name).body, &function(new, name).body) {
        (Some(old), Some(new)) => Arc::ptr_eq(old, new),
        _ => false,
    }
}

#[test]
fn the_shader_itself_is_clean() {
    let analysis = run(SHADER, None);
    let told: Vec<_> = analysis.diagnostics.iter().map(|diagnostic| &diagnostic.message).collect();
    assert!(told.is_empty(), "{told:#?}");
}

#[test]
fn an_edit_inside_a_function_keeps_all_others() {
    let (old, new) = check(SHADER, &SHADER.replace("float y = x;", "float y = x + undeclared;"));
    assert!(!is_kept(&old, &new, "twice"));
    for name in ["load", "sum", "main"] {
        assert!(is_kept(&old, &new, name), "{name}");
    }
    // A body that declares structures is never kept.
    assert!(!is_kept(&old, &new, "rows"));
}

#[test]
fn an_edit_of_a_global_lowers_what_follows_again() {
    let (old, new) = check(SHADER, &SHADER.replace("HALF = TM / 2", "HALF = TM / 4"));
    for name in ["twice", "load", "sum", "main"] {
        assert!(!is_kept(&old, &new, name), "{name}");
    }
}

#[test]
fn a_signature_counts_and_a_body_does_not() {
    let (old, new) = check(SHADER, &SHADER.replace("void load(out Tile tile)", "void load(inout Tile tile)"));
    assert!(is_kept(&old, &new, "twice"));
    assert!(!is_kept(&old, &new, "main"));
}

#[test]
fn an_extension_line_counts() {
    let disabled = SHADER.replace("uint rows(", "#extension GL_KHR_cooperative_matrix : disable\nuint rows(");
    let (old, new) = check(SHADER, &disabled);
    assert!(is_kept(&old, &new, "twice"));
    assert!(!is_kept(&old, &new, "main"));
}

#[test]
fn a_table_moves_with_the_text_before_it() {
    let entries: Vec<String> = (0..100).map(|entry| format!("uvec2({entry}, HALF + {entry})")).collect();
    let table = format!(
        "const uvec2 table[100] = {{ {} }};\nuint pick(uint i) {{ return table[i].x; }}\n",
        entries.join(", ")
    );
    let before = SHADER.replace("void load(", &format!("{table}void load("));
    check(&before, &before.replace("float y = x;", "float y = x; float z = y;"));
    check(&before, &before.replace("HALF = TM / 2", "HALF = TM / 4"));
    check(&before, &before.replace("uvec2(7, ", "uvec2(8, "));
    check(&before, &before.replace("struct Tile", "const uint table[1] = { 1 };\nstruct Tile"));
}

#[test]
fn another_number_of_structures_counts() {
    let more = SHADER.replace("inner;", "inner; struct More { int b; } more;");
    let after = "struct Late { int c; };\nfloat late(Late x) { return float(x.c); }\n";
    let before = SHADER.replace("void main()", &format!("{after}void main()"));
    let edited = more.replace("void main()", &format!("{after}void main()"));
    check(&before, &edited);
}

#[test]
fn every_edit_of_a_word_gives_what_a_fresh_analysis_gives() {
    let mut words: Vec<(usize, usize)> = Vec::new();
    let mut start = 0;
    for word in SHADER.split_inclusive(|character: char| !character.is_alphanumeric()) {
        words.push((start, start + word.len()));
        start += word.len();
    }
    let base = run(SHADER, None);
    for (index, &(start, end)) in words.iter().enumerate().skip(20).step_by(3) {
        // Take a word out, or put the next one in its place.
        let insert = match index % 2 {
            0 => "",
            _ => words.get(index + 2).map_or("", |&(start, end)| &SHADER[start..end]),
        };
        let edited = format!("{}{insert}{}", &SHADER[..start], &SHADER[end..]);
        let new = run(&edited, Some(&base));
        let fresh = run(&edited, None);
        assert_eq!(describe(&new), describe(&fresh), "after the edit:\n{edited}");
        // And back again.
        let back = run(SHADER, Some(&new));
        assert_eq!(describe(&back), describe(&base), "back from:\n{edited}");
    }
}

const STORE: &str = "\
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
shared float16_t stage[256];
#define TILE coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
void fill(TILE tile);
void store() {
    TILE tile;
    fill(tile);
    coopMatStore(tile, stage, 0, gl_LocalInvocationIndex, gl_CooperativeMatrixLayoutRowMajor);
}
layout(local_size_x = 8) in;
void fill(TILE tile) { tile[0] = float16_t(0); }
void main() { store(); }
";

fn count(analysis: &Analysis, id: &str) -> usize {
    analysis.diagnostics.iter().filter(|diagnostic| diagnostic.code.id == id).count()
}

#[test]
fn a_kept_body_keeps_what_was_found_in_it() {
    let (old, new) = check(STORE, &STORE.replace("float16_t(0)", "float16_t(1)"));
    assert!(is_kept(&old, &new, "store"));
    assert_eq!((count(&new, "coopmat-stride"), count(&new, "coopmat-unwritten")), (1, 1));
}

#[test]
fn a_kept_body_is_checked_again_when_what_stands_behind_it_matters() {
    let (old, new) = check(STORE, &STORE.replace("local_size_x = 8", "local_size_x = 64"));
    assert!(is_kept(&old, &new, "store"));
    assert_eq!((count(&old, "coopmat-stride"), count(&new, "coopmat-stride")), (1, 0));

    let (old, new) = check(STORE, &STORE.replace("void fill(TILE tile) {", "void fill(out TILE tile) {"));
    assert!(is_kept(&old, &new, "store"));
    assert_eq!((count(&old, "coopmat-unwritten"), count(&new, "coopmat-unwritten")), (1, 0));
}
