//! What is looked at in one shader under one configuration.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::sources::FileLoader;
use coopmat_ide::rename::{self, Digest};
use coopmat_ide::usages::{self, FunctionPlace, Piece, Place};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::documents::Loader;
use crate::engine::{Analysis, Analyzer};

/// A shader under one configuration.
pub struct Work {
    pub root: Arc<str>,
    pub configuration: Arc<Configuration>,
}

pub type Texts = Arc<FxHashMap<Arc<str>, Arc<str>>>;

/// What a job brings back.
pub enum Looked {
    Piece(Box<Piece>),
    Calls(Vec<(FunctionPlace, Place)>),
    /// Why the renamed text would be another program, and where that shows.
    Verified(Result<(), (String, Place)>),
}

/// What a job looks for.
pub enum Task {
    Piece { name: String, known: Arc<FxHashSet<Place>> },
    Calls(Place),
    Verify { old: String, new: String },
}

impl Task {
    /// `None` when there is no such file.
    pub fn run(&self, work: &Work, analyzer: &Analyzer, sources: &Sources<'_>) -> Option<Looked> {
        let preprocessed = preprocess(work, analyzer, sources)?;
        Some(match self {
            Task::Piece { name, known } => {
                let settled = !known.is_empty() && usages::is_settled(&preprocessed, name, known);
                let analysis = if settled { preprocessed } else { analyzer.complete(preprocessed) };
                Looked::Piece(Box::new(Piece::of(&analysis, name)))
            }
            Task::Calls(place) => Looked::Calls(usages::calls_from(&analyzer.complete(preprocessed), place)),
            Task::Verify { old, new } => {
                let before = preprocess(work, analyzer, &Sources { renamed: None, ..*sources })?;
                if rename::is_same_program(&before, &preprocessed, old, new) {
                    return Some(Looked::Verified(Ok(())));
                }
                let (before, after) = (analyzer.complete(before), analyzer.complete(preprocessed));
                Looked::Verified(match Digest::of(&before, old, new) == Digest::of(&after, old, new) {
                    true => Ok(()),
                    false => Err(rename::explain(&before, &after, old, new)),
                })
            }
        })
    }
}

fn preprocess(work: &Work, analyzer: &Analyzer, sources: &Sources<'_>) -> Option<Analysis> {
    let text = sources.load(&work.root)?;
    Some(analyzer.preprocess(&work.root, text, &work.configuration, sources))
}

/// The files as they are, or as they would be.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    pub loader: &'a Loader<'a>,
    pub renamed: Option<&'a Texts>,
}

impl FileLoader for Sources<'_> {
    fn load(&self, path: &str) -> Option<Arc<str>> {
        match self.renamed.and_then(|renamed| renamed.get(path)) {
            Some(text) => Some(text.clone()),
            None => self.loader.load(path),
        }
    }

    fn refusal(&self, path: &str) -> Option<String> {
        self.loader.refusal(path)
    }
}
