//! What the build script says of data that it cannot use: the file, the entry, what was expected, what was found.

#[path = "../build/diagnostics.rs"]
#[allow(dead_code, reason = "the build script calls the rest")]
mod diagnostics;
#[path = "../build/extensions.rs"]
#[allow(dead_code, reason = "the build script calls the rest")]
mod extensions;
#[path = "../build/files.rs"]
#[allow(dead_code, reason = "the build script calls the rest")]
mod files;
#[path = "../build/names.rs"]
mod names;
#[path = "../build/notation.rs"]
mod notation;
#[path = "../build/schema.rs"]
mod schema;

use std::fs;
use std::path::Path;

use files::DataFile;

/// A page of this front matter.
fn page(front: &str) -> DataFile {
    DataFile { stem: "some-rule".to_owned(), text: format!("+++\n{front}+++\n\nWhat it says.\n") }
}

#[test]
fn a_page_of_the_catalogue_becomes_a_constant() {
    let good = page("severity = \"hint\"\nsummary = \"It is so.\"\nsource = \"GLSL, section 1\"\n");
    let table = diagnostics::table(&[good]).unwrap();
    assert!(
        table.contains("pub static SOME_RULE: Code = Code { id: \"some-rule\", severity: Severity::Hint")
    );
}

#[test]
fn a_page_that_cannot_be_used_is_named_with_what_was_expected() {
    let message = |page| diagnostics::table(&[page]).unwrap_err();
    let rest = "summary = \"It is so.\"\nsource = \"GLSL, section 1\"\n";
    assert_eq!(
        message(page(&format!("severity = \"fatal\"\n{rest}"))),
        "diagnostics/some-rule.md: severity: expected `error`, `warning`, `information` or `hint`, found `fatal`"
    );
    assert_eq!(
        message(page(&format!("severity = \"hint\"\ntag = \"old\"\n{rest}"))),
        "diagnostics/some-rule.md: tag: expected `unnecessary` or `deprecated`, found `old`"
    );
    assert!(message(page("severity = \"hint\"\n")).contains("missing field `summary`"));
    assert_eq!(
        message(DataFile { stem: "some-rule".to_owned(), text: "# Some rule\n".to_owned() }),
        "diagnostics/some-rule.md: expected front matter between lines `+++`, found `# Some rule` in the first line"
    );
    assert_eq!(
        message(DataFile { stem: "Some_Rule".to_owned(), text: String::new() }),
        "diagnostics/Some_Rule.md: expected an id of small letters, digits and `-`, found `Some_Rule`"
    );
}

/// What the build script says of a folder whose only file is this.
fn said_of(name: &str, text: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("extensions-of-{name}"));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{name}.toml")), text).unwrap();
    extensions::tables(&folder, Path::new("src/extensions/rules.rs")).unwrap_err()
}

#[test]
fn an_entry_that_cannot_be_used_is_named_with_its_file() {
    let extension = "[extension]\nname = \"GL_EXT_some\"\n";
    let entry = |entry: &str| said_of("GL_EXT_some", &format!("{extension}{entry}"));
    assert_eq!(
        entry("requires = [\"GL_EXT_other\"]\n"),
        "extensions/GL_EXT_some.toml: extension `GL_EXT_some`: expected the name of an extension that a file declares, found `GL_EXT_other`"
    );
    assert_eq!(
        entry("[[functions]]\ndeclarations = \"float f(floot x)\"\n"),
        "extensions/GL_EXT_some.toml: function `float f(floot x)`: expected a type of the notation, found `floot` in `floot x`"
    );
    assert_eq!(
        entry("[[functions]]\nrule = \"by-magic\"\ndeclarations = \"float f(float x)\"\n"),
        "extensions/GL_EXT_some.toml: functions `float f(float x)`: rule: expected a variant of Rule in kebab-case, found `by-magic`"
    );
    assert_eq!(
        entry("[[variables]]\nstages = [\"computer\"]\ndeclarations = \"uint gl_Some\"\n")
            .split(" `vertex`")
            .next(),
        Some("extensions/GL_EXT_some.toml: variable `uint gl_Some`: expected the stage")
    );
    assert!(entry("colour = 1\n").starts_with("extensions/GL_EXT_some.toml: TOML parse error at line 3"));
    assert_eq!(
        said_of("GL_EXT_another", extension),
        "extensions/GL_EXT_another.toml: expected the file of `GL_EXT_another` by its name, found `GL_EXT_some`"
    );
}
