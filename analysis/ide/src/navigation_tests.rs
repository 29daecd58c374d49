//! Snapshots of where definitions lead and what is highlighted: fixtures with a cursor.

use expect_test::{Expect, expect};

use crate::builtin_pages;
use crate::definition::{self, Links, Target};
use crate::highlight::highlight;
use crate::occurrences::{self, Role};
use crate::usages::{self, Piece, Place};
use coopmat_analysis::Analysis;
use coopmat_analysis::analyze;
use coopmat_analysis::fixture::Fixture;
use coopmat_analysis::text::{FilePosition, FileRange};

/// The analysis of a fixture, and the place of its cursor.
pub fn at_cursor(fixture: &str) -> (Analysis, FilePosition) {
    let fixture = Fixture::parse(fixture);
    let (index, offset) = fixture.cursor.expect("a cursor");
    let root = fixture.root();
    let analysis = analyze(&root.path, root.text.clone(), &fixture.config, &fixture, None);
    let file = analysis.files().find(&fixture.files[index].path).expect("a file that is read");
    (analysis, FilePosition { file, offset })
}

/// `/file:line: the line, with the range in brackets`.
pub fn show(analysis: &Analysis, place: FileRange) -> String {
    let file = &analysis.files()[place.file];
    let (start, end) = (usize::from(place.range.start()), usize::from(place.range.end()));
    let line = file.text[..start].matches('\n').count() + 1;
    let from = file.text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let to = file.text[end..].find('\n').map_or(file.text.len(), |newline| end + newline);
    let (before, inside, after) = (&file.text[from..start], &file.text[start..end], &file.text[end..to]);
    format!("{}:{line}: {before}[{}]{after}", file.path, inside.replace('\n', "⏎"))
}

fn check(go: fn(&Analysis, FilePosition) -> Option<Links>, fixture: &str, expected: Expect) {
    let (analysis, position) = at_cursor(fixture);
    let mut out = String::new();
    for target in go(&analysis, position).map(|links| links.targets).unwrap_or_default() {
        out += &match target {
            Target::Source { name, whole } => {
                assert!(whole.file == name.file && whole.range.contains_range(name.range));
                show(&analysis, name)
            }
            Target::File(file) => analysis.files()[file].path.to_string(),
            Target::Builtin(builtin) => {
                let (provider, range) = builtin_pages::locate(&analysis, &builtin).expect("a page");
                let text = builtin_pages::page(provider).text;
                let provider = coopmat_analysis::extensions::extension_by_id(provider).name;
                let line = text[..usize::from(range.start())].matches('\n').count();
                format!("{provider}: {}", text.lines().nth(line).unwrap_or_default())
            }
        };
        out.push('\n');
    }
    expected.assert_eq(&out);
}

#[test]
fn names_lead_to_their_definitions_through_includes() {
    let fixture = |use_: &str| {
        format!(
            "//! google-include: true
//- /main.comp
#version 460
#include \"types.glsl\"
layout(binding = 0) buffer Data {{ block_q data[]; }};
float scale(float x);
void main() {{ float x = 1.0; float d = {use_}; }}
float scale(float x) {{ return x; }}
//- /types.glsl
struct block_q {{ float d; }};
#define ONE 1.0
"
        )
    };
    let definition = definition::definition;
    check(
        definition,
        &fixture("data[0].$0d"),
        expect![[r#"
        /types.glsl:1: struct block_q { float [d]; };
    "#]],
    );
    check(
        definition,
        &fixture("da$0ta[0].d"),
        expect![[r#"
        /main.comp:3: layout(binding = 0) buffer Data { block_q [data][]; };
    "#]],
    );
    check(
        definition,
        &fixture("sca$0le(x)"),
        expect![[r#"
        /main.comp:6: float [scale](float x) { return x; }
    "#]],
    );
    check(
        definition::declaration,
        &fixture("sca$0le(x)"),
        expect![[r#"
        /main.comp:4: float [scale](float x);
    "#]],
    );
    check(
        definition,
        &fixture("scale($0x)"),
        expect![[r#"
        /main.comp:5: void main() { float [x] = 1.0; float d = scale(x); }
    "#]],
    );
    check(
        definition,
        &fixture("ON$0E"),
        expect![[r#"
        /types.glsl:2: #define [ONE] 1.0
    "#]],
    );
    check(
        definition,
        &fixture("block_q$0(1.0).d"),
        expect![[r#"
        /types.glsl:1: struct [block_q] { float d; };
    "#]],
    );
    check(
        definition::type_definition,
        &fixture("da$0ta[0].d"),
        expect![[r#"
        /types.glsl:1: struct [block_q] { float d; };
    "#]],
    );
    check(
        definition::type_definition,
        &fixture("data[0].$0d"),
        expect![[r#"
            GLSL: float
        "#]],
    );
    check(
        definition::implementation,
        &fixture("sca$0le(x)"),
        expect![[r#"
        /main.comp:6: float [scale](float x) { return x; }
    "#]],
    );
}

#[test]
fn macros_are_followed_inside_and_out() {
    let definition = definition::definition;
    let fixture = |body: &str, use_: &str| {
        format!(
            "#version 460
float table[4];
#define INDEX 2
#define GET(i) {body}
void main() {{ float x = {use_}; }}
#ifdef NEVER
float y = GET(0);
#endif
"
        )
    };
    check(
        definition,
        &fixture("table[i]", "G$0ET(INDEX)"),
        expect![[r#"
        /main.comp:4: #define [GET](i) table[i]
    "#]],
    );
    check(
        definition,
        &fixture("table[i]", "GET(IN$0DEX)"),
        expect![[r#"
        /main.comp:3: #define [INDEX] 2
    "#]],
    );
    check(
        definition,
        &fixture("ta$0ble[i]", "GET(INDEX)"),
        expect![[r#"
        /main.comp:2: float [table][4];
    "#]],
    );
    check(
        definition,
        &fixture("table[$0i]", "GET(INDEX)"),
        expect![[r#"
        /main.comp:4: #define GET([i]) table[i]
    "#]],
    );
    check(
        definition,
        &fixture("table[IN$0DEX + i]", "GET(0)"),
        expect![[r#"
        /main.comp:3: #define [INDEX] 2
    "#]],
    );
    // Nobody uses the macro: the names in its body are looked up all the same.
    check(
        definition,
        &fixture("ta$0ble[i]", "1.0"),
        expect![[r#"
        /main.comp:2: float [table][4];
    "#]],
    );
}

#[test]
fn code_that_is_left_out_leads_to_what_its_names_mean_elsewhere() {
    check(
        definition::definition,
        "#version 460
struct S { float d; };
#if 0
S s; float f() { return s.$0d; }
#endif
",
        expect![[r#"
            /main.comp:2: struct S { float [d]; };
        "#]],
    );
}

#[test]
fn a_function_that_is_handed_over_is_called() {
    let (analysis, position) = at_cursor(
        "#version 460
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
float twice(const in uint row, const in uint column, const in float x) { return x + x; }
#define APPLY(m, f) coopMatPerElementNV(m, m, f)
void $0main() {
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum;
    APPLY(sum, twice);
}
",
    );
    let found = occurrences::find(&analysis, position).expect("a name");
    let calls = usages::calls_from(&analysis, &Place::new(&analysis, found.place));
    let shown: Vec<String> =
        calls.iter().map(|(to, place)| format!("{} {} at {:?}", to.name, to.detail, place.range)).collect();
    expect!["twice float(uint row, uint column, float x) at 400..405"].assert_eq(&shown.join("\n"));
    let piece = Piece::of(&analysis, "twice");
    let callers: Vec<&str> = piece.groups[0]
        .uses
        .iter()
        .filter(|one| one.role == Role::Call)
        .filter_map(|one| Some(piece.functions[one.caller?].name.as_str()))
        .collect();
    assert_eq!(callers, ["main"]);
}

#[test]
fn built_ins_are_found_where_no_use_is_understood() {
    let definition = definition::definition;
    let text = "#version 460\n#if 0\nuint x = min(gl_LocalInvocationIndex, 1u);\n#endif\nfloat y = max();\n";
    for (from, to, expected) in [
        ("uint x", "ui$0nt x", "uint\n"),
        ("min(", "m$0in(", "genFType min(genFType x, genFType y);\n"),
        ("gl_Local", "gl_$0Local", "in uint gl_LocalInvocationIndex;\n"),
        ("max(", "m$0ax(", "genFType max(genFType x, genFType y);\n"),
    ] {
        let (analysis, position) = at_cursor(&text.replace(from, to));
        let links = definition(&analysis, position).expect("a definition");
        let Target::Builtin(builtin) = &links.targets[0] else { panic!("{links:?}") };
        let (provider, range) = builtin_pages::locate(&analysis, builtin).expect("a page");
        let page = builtin_pages::page(provider).text;
        let start = page[..usize::from(range.start())].rfind('\n').map_or(0, |at| at + 1);
        assert!(page[start..].starts_with(expected), "{}", &page[start..start + 60]);
    }
}

#[test]
fn directives_and_built_ins_have_definitions() {
    let definition = definition::definition;
    let fixture = |extension: &str, path: &str, use_: &str| {
        format!(
            "//! google-include: true
//- /main.comp
#version 460
#extension {extension} : require
#extension GL_KHR_memory_scope_semantics : require
#include \"{path}\"
#define ON 1
#if {use_}
#endif
void main() {{
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c;
    c = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
}}
//- /inc/a.glsl
"
        )
    };
    check(
        definition,
        &fixture("GL_KHR_cooperative_matrix", "inc$0/a.glsl", "ON"),
        expect![[r#"
        /inc/a.glsl
    "#]],
    );
    check(
        definition,
        &fixture("GL_KHR$0_cooperative_matrix", "inc/a.glsl", "ON"),
        expect![[r#"
        GL_KHR_cooperative_matrix: #extension GL_KHR_cooperative_matrix : enable
    "#]],
    );
    check(
        definition,
        &fixture("GL_KHR_cooperative_matrix", "inc/a.glsl", "defined($0ON)"),
        expect![[r#"
        /main.comp:5: #define [ON] 1
    "#]],
    );
    let with =
        |from: &str, to: &str| fixture("GL_KHR_cooperative_matrix", "inc/a.glsl", "ON").replacen(from, to, 1);
    check(
        definition,
        &with("gl_MatrixUseAcc", "gl_Matrix$0UseAcc"),
        expect![[r#"
        GL_KHR_cooperative_matrix: const int gl_MatrixUseAccumulator = 2;
    "#]],
    );
    check(
        definition,
        &with("coopmat<", "coop$0mat<"),
        expect![[r#"
            GL_KHR_cooperative_matrix: coopmat
        "#]],
    );
    check(
        definition,
        &with("c = coopmat", "c = co$0opmat"),
        expect![[r#"
            GL_KHR_cooperative_matrix: coopmat
        "#]],
    );
    check(
        definition::type_definition,
        &with("c = coopmat", "$0c = coopmat"),
        expect![[r#"
            GL_KHR_cooperative_matrix: coopmat
        "#]],
    );
    check(
        definition,
        &with("c = coopmat<", "c = coopMatMulA$0dd(c, c, c); c = coopmat<"),
        expect![[r#"
        GL_KHR_cooperative_matrix: coopmat coopMatMulAdd(coopmat A, coopmat B, coopmat C, int matrixOperands = 0);
    "#]],
    );
    check(
        definition,
        &with("c = coopmat<", "float x = mi$0n(gl_LocalInvocationIndex, 1u); c = coopmat<"),
        expect![[r#"
            GLSL: genUType min(genUType x, genUType y);
        "#]],
    );
    check(
        definition,
        &with("c = coopmat<", "uint x = gl_Local$0InvocationIndex; c = coopmat<"),
        expect![[r#"
        GLSL: in uint gl_LocalInvocationIndex;
    "#]],
    );
    check(
        definition,
        &with("c = coopmat<", "vec$04 x; c = coopmat<"),
        expect![[r#"
            GLSL: vec4
        "#]],
    );
}

fn check_highlights(fixture: &str, expected: Expect) {
    let (analysis, position) = at_cursor(fixture);
    let mut out = String::new();
    for (range, access) in highlight(&analysis, position) {
        let place = FileRange { file: position.file, range };
        out += &format!("{access:?} {}\n", show(&analysis, place));
    }
    expected.assert_eq(&out);
}

#[test]
fn highlights_tell_reads_from_writes() {
    check_highlights(
        "#version 460
void fill(out float x, float y) { x = y; }
void main() {
    float val$0ue = 1.0;
    value += 2.0;
    float other = value;
    fill(value, value);
    value++;
}
",
        expect![[r#"
            Write /main.comp:4:     float [value] = 1.0;
            Write /main.comp:5:     [value] += 2.0;
            Read /main.comp:6:     float other = [value];
            Write /main.comp:7:     fill([value], value);
            Read /main.comp:7:     fill(value, [value]);
            Write /main.comp:8:     [value]++;
        "#]],
    );
    check_highlights(
        "#version 460
struct S { float d$0; };
void main() { S s; s.d = 1.0; S t = s; t.d += s.d; }
",
        expect![[r#"
            Mention /main.comp:2: struct S { float [d]; };
            Write /main.comp:3: void main() { S s; s.[d] = 1.0; S t = s; t.d += s.d; }
            Write /main.comp:3: void main() { S s; s.d = 1.0; S t = s; t.[d] += s.d; }
            Read /main.comp:3: void main() { S s; s.d = 1.0; S t = s; t.d += s.[d]; }
        "#]],
    );
    check_highlights(
        "#version 460
#define FAS$0T 1
#ifdef FAST
#if defined(FAST) && FAST > 0
#endif
#endif
#define TWICE (FAST + FAST)
int x = FAST + TWICE;
",
        expect![[r#"
            Mention /main.comp:2: #define [FAST] 1
            Mention /main.comp:3: #ifdef [FAST]
            Mention /main.comp:4: #if defined([FAST]) && FAST > 0
            Mention /main.comp:4: #if defined(FAST) && [FAST] > 0
            Read /main.comp:7: #define TWICE ([FAST] + FAST)
            Read /main.comp:7: #define TWICE (FAST + [FAST])
            Read /main.comp:8: int x = [FAST] + TWICE;
        "#]],
    );
}
