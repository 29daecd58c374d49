//! What is missing in a text that is cut off or has a token too few or too many, and where: one error for each mistake, in the words of clang.
//!
//! A case is a line, and a second one with the mark and the message. A line `clang: ...` says what clang 19 says about the like of it in C or C++,
//! if that differs. `cut_off/README.md` has the counts.

use coopmat_analysis::analyze;
use coopmat_analysis::config::Configuration;
use coopmat_analysis::sources::NoFiles;

const BEFORE: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_control_flow_attributes : require
#define SUM(x) (x + 1)
#define TWICE(x) x = x * 2
#define OPEN (
layout(binding = 0) buffer Data { float data[]; };
struct S { int a; };
";

const WORKGROUP: &str = "layout(local_size_x = 32) in;\n";

const FUNCTION: &str = "void main() {
    int n = 1, m = 2, list[4];
    vec4 v;
    S s;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c;
    ";

/// The errors of a text, each as its mark under the line that begins at `start`, and its message.
fn errors(text: &str, start: usize) -> Vec<String> {
    let analysis = analyze("/main.comp", text.into(), &Configuration::default(), &NoFiles, None);
    let errors = analysis.diagnostics.iter().filter(|diagnostic| diagnostic.severity.name() == "error");
    let shown = errors.map(|error| {
        let range = error.location.range;
        let (from, to) = (usize::from(range.start()), usize::from(range.end()));
        match from.checked_sub(start) {
            Some(column) => format!("{}{} {}", " ".repeat(column), "^".repeat(to - from), error.message),
            None => format!("before the line: {}", error.message),
        }
    });
    shown.collect()
}

/// `place` makes texts of a line, each with the offset of the line.
#[track_caller]
fn check(cases: &str, least: usize, place: impl Fn(&str) -> Vec<(String, usize)>) {
    let mut count = 0;
    let mut wrong = String::new();
    for case in cases.split("\n\n") {
        let mut lines = case.trim_end_matches('\n').lines();
        let (line, expected) = (lines.next().unwrap(), lines.next().unwrap());
        for (text, start) in place(line) {
            let found = errors(&text, start);
            if found != [expected] {
                wrong += &format!("{line}\n{}\n  expected\n{expected}\n\n", found.join("\n"));
            }
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count >= least, "{count} cases");
}

#[test]
fn statements() {
    check(include_str!("cut_off/statements.txt"), 110, |line| {
        let before = format!("{BEFORE}{WORKGROUP}{FUNCTION}");
        vec![(format!("{before}{line}\n}}\n"), before.len())]
    });
}

/// Between other declarations, and at the end of the text.
#[test]
fn declarations() {
    check(include_str!("cut_off/declarations.txt"), 60, |line| {
        let workgroup = if line.contains("local_size") { "" } else { WORKGROUP };
        let before = format!("{BEFORE}{workgroup}");
        vec![
            (format!("{before}{line}\nvoid main() {{\n}}\n"), before.len()),
            (format!("{before}{line}"), before.len()),
        ]
    });
}
