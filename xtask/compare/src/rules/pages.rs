//! The pages of what `--like glslang` tells: glslang rejects the wrong examples, accepts the right ones, and both are valid here.

use std::sync::Arc;

use anyhow::Result;
use coopmat_analysis::Analyzer;
use coopmat_analysis::config::{Configuration, Like};
use coopmat_analysis::diagnostics::{Severity, codes};
use coopmat_analysis::fixture::page_examples;
use coopmat_analysis::sources::NoFiles;
use coopmat_corpus::files::Files;

use crate::front_end::FrontEnd;

/// Prints what is wrong, and gives how much it is.
pub fn judge() -> Result<usize> {
    let (analyzer, configuration) = (Analyzer::default(), Configuration::default());
    let mut wrong = 0;
    for code in codes::ALL.iter().filter(|code| code.like == Some(Like::Glslang)) {
        let (bad, good) = page_examples(code.page);
        let examples =
            bad.into_iter().map(|text| (text, true)).chain(good.into_iter().map(|text| (text, false)));
        for (text, refused) in examples {
            let name = if refused { "wrong" } else { "right" };
            let mut files = Files::default();
            files.insert("page.comp", text);
            let answer =
                FrontEnd::new(&files)?.with_written_bindings().check("page.comp", &configuration, false);
            if answer.is_err() != refused {
                wrong += 1;
                let does = if refused { "accepts" } else { "refuses" };
                println!("{}: glslang {does} the {name} example of the page", code.id);
            }
            let analysis = analyzer.analyze("page.comp", Arc::from(text), &configuration, &NoFiles, None);
            if analysis.diagnostics.iter().any(|found| found.severity == Severity::Error) {
                wrong += 1;
                println!("{}: the {name} example of the page is not valid here", code.id);
            }
        }
    }
    Ok(wrong)
}
