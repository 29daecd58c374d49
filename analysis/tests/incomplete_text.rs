//! What the grammar accepts so that a file being typed keeps its tree is an error all the same.

use coopmat_analysis::fixture::{Reported, compare};

#[track_caller]
fn check(lines: &str) {
    let fixture = format!("//! only: error\n#version 450\nlayout(local_size_x = 1) in;\n{lines}\n");
    let result = compare(&fixture, |path, text, config, loader| {
        let done = coopmat_analysis::analyze(path, text, config, loader, None);
        Reported::new(&done.preprocessed.files, done.diagnostics.clone())
    });
    if let Err(difference) = result {
        panic!("{difference}");
    }
}

#[test]
fn a_statement_that_nothing_ends() {
    check(
        "void main() {
    int n = 1;
    if (n > 3
    //      ^ syntax-error: expected `)`
    n = 2;
    for (int i = 0; i < 4;
    //                   ^ syntax-error: expected expression
}
void after() { undeclared(); }
//             ^^^^^^^^^^ undeclared-name",
    );
}

#[test]
fn a_call_without_its_semicolon() {
    check(
        "void main() {
    barrier()
    //      ^ syntax-error: expected `;`
    memoryBarrier();
    barrier()
    //      ^ syntax-error: expected `;`
}",
    );
}

#[test]
fn a_word_before_a_loop() {
    check(
        "void main() {
    word for (int i = 0; i < 4; ++i) { }
    // ^ syntax-error: expected `;`
}",
    );
}

#[test]
fn an_argument_without_its_comma() {
    check(
        "void main() {
    int n = max(1, 2 n);
    //             ^ syntax-error: expected `,` or `)`
}",
    );
}

#[test]
fn a_function_inside_a_structure() {
    check(
        "struct S {
    int a;
    void inside() { }
    //   ^^^^^^ syntax-error: is a `}` missing
};
void main() { }",
    );
}

#[test]
fn a_structure_without_its_end() {
    check(
        "struct S {
    int a;
    //   ^ syntax-error: expected `}`
void inside() { }
void main() { }",
    );
}

#[test]
fn type_arguments_without_end_inside_each_other() {
    let text = format!("#version 450\nvoid main() {{ {}", "coopmat<".repeat(100_000));
    let done = coopmat_analysis::analyze(
        "/main.comp",
        text.as_str().into(),
        &Default::default(),
        &coopmat_analysis::sources::NoFiles,
        None,
    );
    assert!(done.diagnostics.iter().any(|diagnostic| diagnostic.code.id == "nesting-too-deep"));
}
