//! Runs `test/corpus/*.txt`, which `tree-sitter test` runs as well: a title between rows of `=`, a text, `---`, its tree.
//!
//! With `UPDATE_CORPUS=1` in the environment the trees are written anew. Read the difference before committing it.

use std::fs;
use std::path::Path;

use tree_sitter::Parser;
use tree_sitter_glsl_coopmat::LANGUAGE;

struct Case<'a> {
    title: &'a str,
    text: &'a str,
    tree: &'a str,
}

#[test]
fn every_text_of_the_corpus_has_its_tree() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/corpus");
    let update = std::env::var_os("UPDATE_CORPUS").is_some();
    let (mut count, mut failures) = (0, String::new());
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let corpus = fs::read_to_string(&file).unwrap();
        let mut updated = String::new();
        for case in cases(&corpus) {
            count += 1;
            let actual = indented(&parse(case.text));
            let rule = "=".repeat(18);
            updated += &format!(
                "{rule}\n{}\n{rule}\n\n{}\n\n---\n\n{actual}\n\n",
                case.title,
                case.text.trim_matches('\n')
            );
            // `(ERROR` must be expected by name: a title says so.
            let may_fail = file.ends_with("recovery.txt");
            if indented(case.tree) != actual
                || (!may_fail && (actual.contains("(ERROR") || actual.contains("(MISSING")))
            {
                failures += &format!("\n{}: {}\n{actual}\n", file.display(), case.title);
            }
        }
        if update {
            fs::write(&file, updated).unwrap();
        }
    }
    assert!(count > 60, "the corpus was not found: {count} texts");
    assert!(update || failures.is_empty(), "{failures}");
}

fn parse(text: &str) -> String {
    let mut parser = Parser::new();
    parser.set_language(&LANGUAGE.into()).unwrap();
    parser.parse(text, None).unwrap().root_node().to_sexp()
}

fn cases(corpus: &str) -> Vec<Case<'_>> {
    let is_rule = |line: &str| line.len() > 2 && line.bytes().all(|byte| byte == b'=');
    let mut offset = 0;
    // Each line and where it starts.
    let lines: Vec<(usize, &str)> = corpus
        .split_inclusive('\n')
        .map(|line| {
            offset += line.len();
            (offset - line.len(), line.trim_end())
        })
        .collect();
    let start = |index: usize| lines.get(index).map_or(corpus.len(), |line| line.0);
    let titles: Vec<usize> = (1..lines.len().saturating_sub(1))
        .filter(|&index| is_rule(lines[index - 1].1) && is_rule(lines[index + 1].1))
        .collect();
    let ends = titles.iter().skip(1).map(|title| title - 1).chain([lines.len()]);
    titles
        .iter()
        .zip(ends)
        .map(|(&title, end)| {
            let middle = (title..end).find(|&index| lines[index].1 == "---").unwrap_or(end);
            Case {
                title: lines[title].1,
                text: corpus[start(title + 2)..start(middle)].trim_matches('\n'),
                tree: &corpus[start(middle + 1)..start(end).max(start(middle + 1))],
            }
        })
        .collect()
}

/// A tree with one node a line.
fn indented(tree: &str) -> String {
    let (mut output, mut depth) = (String::new(), 0_usize);
    for word in tree.split_whitespace() {
        let opens = word.starts_with('(');
        // A missing token is quoted, and may be a parenthesis itself.
        let closing =
            word.rsplit('"').next().map_or(0, |end| end.bytes().filter(|&byte| byte == b')').count());
        if !output.is_empty() {
            // A field's name stands on the line of its node; so does what is missing.
            if output.ends_with(':') || (!opens && !word.ends_with(':')) {
                output.push(' ');
            } else {
                output.push('\n');
                output.extend(std::iter::repeat_n("  ", depth));
            }
        }
        output.push_str(word);
        depth = depth + usize::from(opens) - closing.min(depth + usize::from(opens));
    }
    output
}
