//! Staged kernels with planted mistakes: `planted/NAME.comp` and, beside it, `NAME.mistakes`. A mistake is a title, the text that is replaced
//! (`-`), what replaces it (`+`), the kind that checked mode finds and text of its line (`!`), and words of the message (`=`). The unbroken
//! kernels have no findings.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::checks::{Checked, compile};
use crate::support::Run;

const DEFINITIONS: &str = "#define MATRIX(T, USE) coopmat<T, gl_ScopeSubgroup, 16, 16, gl_MatrixUse##USE>
#define ROWS gl_CooperativeMatrixLayoutRowMajor
#define COLUMNS gl_CooperativeMatrixLayoutColumnMajor
";

struct Mistake {
    title: String,
    was: String,
    is: String,
    kind: String,
    at: String,
    words: String,
}

fn mistakes(path: &Path) -> Vec<Mistake> {
    let text = std::fs::read_to_string(path.with_extension("mistakes")).unwrap();
    let read = |block: &str| {
        let lines: Vec<&str> = block.trim().lines().collect();
        let [title, was, is, kind, words] = lines[..] else { panic!("{block}") };
        let rest = |line: &str, mark: &str| {
            line.strip_prefix(mark).unwrap_or_else(|| panic!("{block}")).trim().to_owned()
        };
        let found = rest(kind, "!");
        let (kind, at) = found.split_once(": ").unwrap();
        Mistake {
            title: title.to_owned(),
            was: rest(was, "-"),
            is: rest(is, "+"),
            kind: kind.to_owned(),
            at: at.to_owned(),
            words: rest(words, "="),
        }
    };
    text.split("\n\n").map(read).collect()
}

fn kernels() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/planted");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "comp")).collect();
    paths.sort();
    paths
}

/// What is found: kind, the text of the line and of that of the other party, message.
fn found(source: &str) -> Vec<(String, [String; 2], String)> {
    let checked: Checked = compile(&format!("{DEFINITIONS}{source}"));
    let halves =
        |words: u32| (0..words).map(|index| 0x3800_3800 + index * 7 % 61 * 0x10_0010).collect::<Vec<u32>>();
    let run = Run::of(checked.module().clone());
    let mut run = run.words(&halves(1024)).words(&halves(512)).zeros(512).subgroup_size(32);
    run.settings.checked = true;
    let outcome = run.run();
    let told = outcome.execution.findings().iter().map(|finding| {
        let other = finding.other.map_or(String::new(), |(instruction, _)| checked.text(instruction));
        (finding.kind.id().to_owned(), [checked.text(finding.instruction), other], finding.message.clone())
    });
    told.collect()
}

#[test]
fn mistakes_are_found_and_unbroken_kernels_have_no_findings() {
    let mut failures = String::new();
    let (mut count, mut kinds) = (0, BTreeSet::new());
    for path in kernels() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let source = std::fs::read_to_string(&path).unwrap();
        let unbroken = found(&source);
        if !unbroken.is_empty() {
            failures.push_str(&format!("\n{name}: {unbroken:#?}"));
        }
        for Mistake { title, was, is, kind, at, words } in mistakes(&path) {
            assert!(source.contains(&was), "{name}, {title}: `{was}` is not there");
            count += 1;
            let told = found(&source.replacen(&was, &is, 1));
            let is_it = |(one, lines, message): &(String, [String; 2], String)| {
                *one == kind && lines.iter().any(|line| line.contains(&at)) && message.contains(&words)
            };
            if !told.iter().any(is_it) {
                failures.push_str(&format!("\n{name}, {title}: {told:#?}"));
            }
            kinds.insert(kind);
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert_eq!((kernels().len(), count), (5, 40));
    assert!(kinds.len() >= 10, "{kinds:?}");
}
