//! The quick fixes of the catalogue's pages: what is offered for a wrong example has the title that the page gives, and makes the right example.

use std::fmt::Write as _;

use coopmat_analysis::diagnostics::{Code, codes};
use coopmat_analysis::fixture::{Fixture, page_examples, without_markers};
use coopmat_analysis::{Analysis, analyze, told};
use coopmat_ide::actions::{Action, ActionKind, actions};

/// An example has a few diagnostics; a fix that mends nothing would be offered again and again.
const MOST_FIXES: usize = 8;

/// The preferred fix for the first diagnostic of a page that has any; where none is preferred, the first that is offered.
fn fix(analysis: &Analysis, page: &Code) -> Option<Action> {
    let told = told(analysis).diagnostics;
    let mut diagnostics: Vec<_> = told.iter().filter(|diagnostic| diagnostic.code == page).collect();
    diagnostics.sort_by_key(|diagnostic| (diagnostic.location.file, diagnostic.location.range.start()));
    diagnostics.into_iter().find_map(|diagnostic| {
        let mut offered = actions(analysis, diagnostic.location);
        offered.retain(|action| {
            // To allow a diagnostic mends nothing.
            action.kind == ActionKind::QuickFix
                && action.fixes.as_ref() == Some(diagnostic)
                && !action.title.starts_with("Allow `")
        });
        let preferred = offered.iter().position(|action| action.preferred).unwrap_or(0);
        offered.into_iter().nth(preferred)
    })
}

fn apply(analysis: &Analysis, action: &Action, fixture: &mut Fixture) {
    let mut edits = action.edits.clone();
    edits.sort_by_key(|edit| (edit.range.file, edit.range.range.start()));
    for edit in edits.iter().rev() {
        let path = &*analysis.files()[edit.range.file].path;
        let file = fixture.files.iter_mut().find(|file| file.path == path).expect("a file of the example");
        let mut text = file.text.to_string();
        text.replace_range(std::ops::Range::<usize>::from(edit.range.range), &edit.text);
        file.text = text.into();
    }
}

/// The title of the first fix, and the example once each diagnostic of the page has got its own.
fn mended(page: &Code, example: &str) -> Option<(String, Fixture)> {
    let mut fixture = Fixture::parse(example);
    let mut title = None;
    for _ in 0..MOST_FIXES {
        let root = fixture.root();
        let analysis = analyze(&root.path, root.text.clone(), &fixture.config, &fixture, None);
        let Some(action) = fix(&analysis, page) else { break };
        apply(&analysis, &action, &mut fixture);
        title.get_or_insert(action.title);
    }
    Some((title?, fixture))
}

/// Files and their lines, but for what says nothing to a compiler: markers, indentation, empty lines.
fn lines(fixture: &Fixture) -> Vec<String> {
    let mut lines = Vec::new();
    for file in &fixture.files {
        lines.push(format!("//- {}", file.path));
        let text = without_markers(&file.text);
        let words = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        lines.extend(words.filter(|line| !line.is_empty()));
    }
    lines
}

#[test]
fn the_fix_of_a_page_makes_its_right_example_of_the_wrong_one() {
    let mut failures = String::new();
    for page in codes::ALL {
        let (wrong, right) = page_examples(page.page);
        let mut first = None;
        for (example, right) in wrong.iter().zip(right) {
            let Some((title, fixture)) = mended(page, example) else { continue };
            first.get_or_insert(title);
            let (made, right) = (lines(&fixture), lines(&Fixture::parse(right)));
            for line in made.iter().filter(|line| !right.contains(line)) {
                let _ =
                    writeln!(failures, "{}: the fix makes a line that is not right:\n    {line}", page.id);
            }
            for line in right.iter().filter(|line| !made.contains(line)) {
                let _ = writeln!(failures, "{}: the fix does not make the line\n    {line}", page.id);
            }
            if made.len() != right.len() {
                let _ = writeln!(failures, "{}: {} lines instead of {}", page.id, made.len(), right.len());
            }
        }
        match (first.as_deref(), page.fix) {
            (None, None) => {}
            (Some(title), None) => {
                let _ = writeln!(failures, "{}: its front matter lacks the line fix = {title:?}", page.id);
            }
            (title, Some(expected)) => {
                if title != Some(expected) {
                    let _ = writeln!(failures, "{}: expected the fix {expected:?}, but {title:?}", page.id);
                }
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}
