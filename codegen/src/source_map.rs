//! Which text each instruction comes from, and the other way round.
//!
//! The map holds ranges of the expanded text; places in files follow from them through the preprocessor's map when they are asked
//! for. Both ends of a macro are kept: the call, and where the text is spelled.

use std::sync::Arc;

use coopmat_analysis::Analysis;
use coopmat_analysis::text::{FileRange, TextRange};
use coopmat_spirv::Capability;
use rustc_hash::FxHashMap;

/// Ranges by the index of the instruction in the order of the module (`dr::Module::all_inst_iter`).
#[derive(Clone, Debug, Default)]
pub struct InstructionMap {
    ranges: Vec<TextRange>,
    askers: Arc<Askers>,
}

/// Which places of the expanded text asked for each capability, in the order in which they were compiled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Askers(FxHashMap<Capability, Vec<TextRange>>);

/// As many places are kept of one capability.
const MOST_ASKERS: usize = 256;

impl Askers {
    pub(crate) fn add(&mut self, capability: Capability, place: TextRange) {
        if place.is_empty() {
            return;
        }
        let places = self.0.entry(capability).or_default();
        if places.len() < MOST_ASKERS && places.last() != Some(&place) {
            places.push(place);
        }
    }

    pub(crate) fn first(&self, capability: Capability) -> Option<TextRange> {
        self.of(capability).first().copied()
    }

    /// Nothing for a capability that no place of the text brought along.
    pub fn of(&self, capability: Capability) -> &[TextRange] {
        self.0.get(&capability).map_or(&[], Vec::as_slice)
    }
}

/// Where an instruction comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionPlace {
    /// What to show to a person; for what a macro wrote, its call.
    pub location: FileRange,
    /// Where the text is spelled, in a macro's body perhaps.
    pub spelling: Option<FileRange>,
}

impl InstructionMap {
    /// An empty range stands for instructions of no place of their own: capabilities, names, decorations.
    pub(crate) fn new(ranges: Vec<TextRange>) -> InstructionMap {
        InstructionMap { ranges, askers: Arc::default() }
    }

    pub(crate) fn with_askers(self, askers: Askers) -> InstructionMap {
        InstructionMap { askers: Arc::new(askers), ..self }
    }

    /// Which places asked for the module's capabilities.
    pub(crate) fn askers(&self) -> &Askers {
        &self.askers
    }

    /// The number of the module's instructions.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Whether it is the map of no module.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The range in the expanded text.
    pub fn expanded(&self, instruction: usize) -> Option<TextRange> {
        self.ranges.get(instruction).copied().filter(|range| !range.is_empty())
    }

    /// The places in files; nothing for an instruction of no place of its own, or one that the module lacks.
    pub fn place(&self, analysis: &Analysis, instruction: usize) -> Option<InstructionPlace> {
        let mapped = analysis.preprocessed.map.to_file(self.expanded(instruction)?);
        // Of text that a macro begins or ends in the middle of, one end is spelled elsewhere, which says nothing about the whole.
        let spelling = mapped.spelling.filter(|_| mapped.in_macro.is_some());
        Some(InstructionPlace { location: mapped.primary, spelling })
    }

    /// The instructions that come from a place of a file, in the order of the module: those whose own range touches it and of
    /// these the innermost ones, or all within it.
    pub fn instructions(&self, analysis: &Analysis, place: FileRange) -> Vec<usize> {
        let wanted = analysis.preprocessed.map.to_expanded_ranges(place);
        let touches = |range: TextRange| {
            let after = wanted.partition_point(|wanted| wanted.end() <= range.start());
            wanted.get(after).is_some_and(|wanted| wanted.start() < range.end())
        };
        let ranges = self.ranges.iter().enumerate();
        ranges.filter(|(_, range)| !range.is_empty() && touches(**range)).map(|(index, _)| index).collect()
    }

    /// The map after a pass: for each instruction that is left, the index that it had.
    pub(crate) fn reordered(&self, origins: impl IntoIterator<Item = Option<usize>>) -> InstructionMap {
        let range = |origin: Option<usize>| origin.and_then(|origin| self.ranges.get(origin).copied());
        InstructionMap {
            ranges: origins.into_iter().map(|origin| range(origin).unwrap_or_default()).collect(),
            askers: self.askers.clone(),
        }
    }
}
