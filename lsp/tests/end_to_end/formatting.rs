//! `fmt`: what it prints and writes, and the `.editorconfig` files that it goes by.

use expect_test::expect;

use crate::command_line::{folder, run_in};

const TIGHT: &str = "void main(){\nint a=1;\n}\n";

#[test]
fn a_diff_shows_what_would_change() {
    let folder = folder(&[("a.comp", TIGHT), ("b.comp", "int a;\n"), ("c.comp", "int  c;")]);
    let run = run_in(folder.path(), &["fmt", "--diff", "a.comp", "b.comp", "c.comp"], "");
    expect![[r#"
        --- a.comp
        +++ a.comp
        @@ -1,3 +1,3 @@
        -void main(){
        -int a=1;
        +void main() {
        +    int a = 1;
         }
        --- c.comp
        +++ c.comp
        @@ -1 +1 @@
        -int  c;
        \ No newline at end of file
        +int c;
    "#]]
    .assert_eq(&run.stdout);
    assert_eq!((run.stderr.as_str(), run.code), ("3 files checked, 2 would change\n", Some(1)),);
    assert_eq!(std::fs::read_to_string(folder.path().join("a.comp")).unwrap(), TIGHT);
    let run = run_in(folder.path(), &["fmt", "--diff", "b.comp"], "");
    assert_eq!((run.stdout.as_str(), run.code), ("", Some(0)));
    assert_eq!(run.stderr, "1 file checked, none would change\n");
}

#[test]
fn editorconfig_files_say_how_lines_are_indented_and_end() {
    let folder = folder(&[
        (
            ".editorconfig",
            "root = true\n[*.comp]\nindent_size = 2\n[*.glsl]\nindent_style = tab\nend_of_line = crlf\n",
        ),
        ("a.comp", TIGHT),
        ("deep/.editorconfig", "[a.comp]\nindent_size = unset\ninsert_final_newline = false\n"),
        ("deep/a.comp", TIGHT),
        ("deep/b.comp", TIGHT),
        ("c.glsl", TIGHT),
    ]);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    // The file's own folder counts, wherever the program runs.
    let run = run_in(&folder.path().join("deep"), &["fmt", "../*.comp", ".", "../c.glsl"], "");
    assert_eq!((run.stderr.as_str(), run.code), ("", Some(0)));
    assert_eq!(read("a.comp"), "void main() {\n  int a = 1;\n}\n");
    assert_eq!(read("deep/a.comp"), "void main() {\n    int a = 1;\n}");
    assert_eq!(read("deep/b.comp"), "void main() {\n  int a = 1;\n}\n");
    assert_eq!(read("c.glsl"), "void main() {\r\n\tint a = 1;\r\n}\r\n");

    let stdin =
        |arguments: &[&str]| run_in(folder.path(), &[&["fmt", "-"], arguments].concat(), TIGHT).stdout;
    assert_eq!(stdin(&["--stdin-filename", "new/x.glsl"]), "void main() {\r\n\tint a = 1;\r\n}\r\n");
    // The command line wins.
    let columns = ["--stdin-filename", "x.comp", "--tab-size", "3"];
    assert_eq!(stdin(&columns), "void main() {\n   int a = 1;\n}\n");
    let without = ["--stdin-filename", "x.comp", "--no-editorconfig"];
    assert_eq!(stdin(&without), "void main() {\n    int a = 1;\n}\n");
}
