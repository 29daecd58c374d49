//! In the examples, completion offers every name that stands there, also while the line is being written.

mod sampling;

use std::path::Path;
use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::sources::NoFiles;
use sampling::{Cut, sample};

#[test]
fn names_of_the_examples_are_offered() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let (mut asked, mut missed) = (0, Vec::new());
    for folder in std::fs::read_dir(examples).unwrap().flatten() {
        let Ok(files) = std::fs::read_dir(folder.path()) else { continue };
        for file in files.flatten().filter(|file| file.path().extension().is_some_and(|it| it == "comp")) {
            let path = file.path().to_string_lossy().into_owned();
            let text: Arc<str> = std::fs::read_to_string(file.path()).unwrap().into();
            for (cut, step) in [(Cut::Name, 7), (Cut::Line, 11)] {
                let outcome = sample(&path, &text, &Configuration::default(), &NoFiles, (step, cut, false));
                asked += outcome.asked;
                missed.extend(outcome.missed.into_iter().map(|miss| (path.clone(), cut, miss)));
            }
        }
    }
    assert!(asked > 100, "{asked}");
    assert!(missed.len() * 50 < asked, "{} of {asked}: {missed:#?}", missed.len());
}
