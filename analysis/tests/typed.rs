//! A kernel that stages through shared memory, typed from an empty file, character by character: never more than two errors at once, and after a
//! finished line none but a missing bracket.

use coopmat_analysis::config::Configuration;
use coopmat_analysis::sources::NoFiles;
use coopmat_analysis::{Analysis, Analyzer};

const KERNEL: &str = include_str!("typed/staged.comp");

/// An error stands at most so many lines above the cursor, and none below it.
const MOST_LINES: usize = 1;

/// Types `insert` at the end of `before`, with `after` behind the cursor. Gives what broke the rules.
fn type_text(before: &mut String, insert: &str, after: &str, wrong: &mut Vec<String>) {
    let analyzer = Analyzer::default();
    let mut previous: Option<Analysis> = None;
    for character in insert.chars() {
        before.push(character);
        let text = format!("{before}{after}");
        let config = Configuration::default();
        let done = analyzer.analyze("/main.comp", text.as_str().into(), &config, &NoFiles, previous.as_ref());
        let errors: Vec<_> =
            done.diagnostics.iter().filter(|diagnostic| diagnostic.severity.name() == "error").collect();
        let line = before.trim_end().rfind('\n').map_or(0, |newline| newline + 1);
        let shown = || {
            let messages: Vec<_> = errors.iter().map(|error| error.message.as_str()).collect();
            format!("{:?}: {messages:?}", before.get(line..).unwrap_or_default())
        };
        let finished = character == '\n' && before.trim_end().ends_with([';', '{', '}']);
        // What the rest of the text brings.
        let brings = |message: &str| {
            message == "expected `}`"
                || message == "expected `;` after struct"
                || message.starts_with("the shader has no entry point")
                || message.ends_with("it has no `return` with a value")
        };
        let elsewhere = finished && !errors.iter().all(|error| brings(&error.message));
        // A statement that is being typed reaches over few lines, and what it breaks stands there.
        let far = errors.iter().filter(|error| !brings(&error.message)).any(|error| {
            let at = usize::from(error.location.range.start());
            text.get(at..before.len()).is_some_and(|between| between.matches('\n').count() > MOST_LINES)
                || text.get(before.len()..at).is_some_and(|between| between.contains('\n'))
        });
        if errors.len() > 2 || elsewhere || far {
            wrong.push(shown());
        }
        previous = Some(done);
    }
}

#[track_caller]
fn expect_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} of the texts\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn from_the_top_to_the_bottom() {
    let (mut before, mut wrong) = (String::new(), Vec::new());
    type_text(&mut before, KERNEL, "", &mut wrong);
    expect_none(&wrong);
}

/// The editor has inserted the closing brace of every block whose opening one was typed.
#[test]
fn with_brackets_that_the_editor_closes() {
    let (mut before, mut wrong) = (String::new(), Vec::new());
    let mut open = Vec::new();
    for line in KERNEL.lines() {
        if line.trim_start().starts_with('}') {
            open.pop();
            // Typed over.
            before.push_str(line);
            before.push('\n');
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let after: String = open.iter().rev().map(|close| format!("{close}\n")).collect();
        if let Some(start) = line.strip_suffix('{') {
            let close = if line.starts_with("struct") {
                "};".to_owned()
            } else if line.starts_with("layout") {
                "} block;".to_owned()
            } else {
                format!("{}}}", " ".repeat(indent))
            };
            type_text(&mut before, start, &after, &mut wrong);
            type_text(&mut before, "{", &format!("\n{close}\n{after}"), &mut wrong);
            before.push('\n');
            open.push(close);
        } else {
            type_text(&mut before, &format!("{line}\n"), &after, &mut wrong);
        }
    }
    expect_none(&wrong);
}
