//! What the generator makes: valid shaders, and for each the same shader with one rule broken.

use std::collections::BTreeMap;
use std::ops::Range;

use coopmat_analysis::diagnostics;

use crate::call::Call;
use crate::shader::{Marked, Settings};

/// A valid shader.
#[derive(Clone, Debug)]
pub struct Twin {
    /// What it uses: a function's name, an operator, a type.
    pub built_in: String,
    pub text: String,
    pub settings: Settings,
}

/// A shader in which one rule is broken.
#[derive(Clone, Debug)]
pub struct Case {
    pub built_in: String,
    /// The rule in words.
    pub rule: &'static str,
    pub text: String,
    pub settings: Settings,
    /// What is to be reported, and where.
    pub expected: Vec<(&'static str, Range<usize>)>,
    /// The shader in which the rule holds.
    pub twin: usize,
}

impl Case {
    /// The diagnostic of the rule; what follows from it comes after.
    pub fn id(&self) -> &'static str {
        self.expected.first().map_or("", |(id, _)| id)
    }
}

#[derive(Default)]
pub struct Suite {
    pub twins: Vec<Twin>,
    pub cases: Vec<Case>,
    /// What holds for every call is broken in some of a function's calls; the rules of its own in all of them.
    pub broad: bool,
    known: BTreeMap<(String, Settings), usize>,
    known_cases: BTreeMap<(String, Settings), usize>,
}

impl Suite {
    /// Adds a valid shader, unless it is there.
    pub fn twin(&mut self, built_in: &str, marked: Marked, settings: Settings) -> usize {
        assert!(marked.places.is_empty(), "a valid shader has no marks: {}", marked.text);
        let twins = &mut self.twins;
        *self.known.entry((marked.text.clone(), settings)).or_insert_with(|| {
            twins.push(Twin { built_in: built_in.to_owned(), text: marked.text, settings });
            twins.len() - 1
        })
    }

    /// Adds a broken shader: at each of its marks the diagnostic of the same number is expected. The last one holds for further marks.
    pub fn case(
        &mut self,
        twin: usize,
        rule: &'static str,
        ids: &[&'static str],
        marked: Marked,
        settings: Settings,
    ) {
        for id in ids {
            assert!(diagnostics::find(id).is_some(), "{id} is in no catalogue");
        }
        assert!(!marked.places.is_empty(), "{rule}: nothing is marked in {}", marked.text);
        let count = ids.len().max(marked.places.len());
        let expected = (0..count)
            .map(|index| {
                let place = marked.places.get(index).or(marked.places.last()).cloned().unwrap_or(0..0);
                (ids[index.min(ids.len() - 1)], place)
            })
            .collect();
        let cases = &mut self.cases;
        let built_in = self.twins[twin].built_in.clone();
        self.known_cases.entry((marked.text.clone(), settings)).or_insert_with(|| {
            cases.push(Case { built_in, rule, text: marked.text, settings, expected, twin });
            cases.len() - 1
        });
    }

    /// A valid call.
    pub fn call(&mut self, call: &Call) -> usize {
        self.twin(call.function.name, call.text(), call.settings)
    }

    /// The call with one change, after which the marks of the change get `ids`.
    pub fn broken(
        &mut self,
        twin: usize,
        call: &Call,
        rule: &'static str,
        ids: &[&'static str],
        change: impl FnOnce(&mut Call),
    ) {
        let mut changed = call.clone();
        change(&mut changed);
        self.case(twin, rule, ids, changed.text(), changed.settings);
    }
}
