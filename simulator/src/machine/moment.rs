//! Copies of everything that a run changes, to go back to.

use std::sync::Arc;

use super::Execution;
use super::context::Report;
use super::workgroup::Workgroup;
use crate::memory::Buffer;

/// Words of a page: what two moments have in common is held once.
const PAGE: usize = 1 << 12;

/// A run as it was between two instructions.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    workgroup: Workgroup,
    started: bool,
    done: u64,
    report: Report,
    /// The pages of each buffer, then of each image.
    memory: Vec<Vec<Arc<[u32]>>>,
    /// Bytes that no earlier moment holds.
    pub bytes: u64,
}

impl Execution {
    /// The run as it is now. Pages of memory that are as they were in an earlier moment are shared with it.
    pub(crate) fn moment(&self, earlier: Option<&Moment>) -> Moment {
        let mut bytes = self.workgroup.bytes() + self.report.bytes();
        let memory = self.memories().enumerate().map(|(index, buffer)| {
            let known = earlier.and_then(|moment| moment.memory.get(index));
            let mut pages = Vec::new();
            buffer.each_page(PAGE, |number, words| {
                let same = known.and_then(|pages| pages.get(number)).filter(|page| page[..] == *words);
                pages.push(same.cloned().unwrap_or_else(|| {
                    bytes += words.len() as u64 * 4;
                    words.into()
                }));
            });
            pages
        });
        let memory = memory.collect();
        let report = self.report.snapshot();
        let mut workgroup = self.workgroup.clone();
        for subgroup in &mut workgroup.subgroups {
            subgroup.registers.forget_spares();
        }
        Moment { workgroup, started: self.started, done: self.done, report, memory, bytes }
    }

    /// Makes the run what it was.
    pub(crate) fn restore(&mut self, moment: &Moment) {
        self.workgroup.clone_from(&moment.workgroup);
        self.started = moment.started;
        self.done = moment.done;
        self.report = moment.report.clone();
        for (buffer, pages) in self.memories().zip(&moment.memory) {
            let mut first = 0;
            for page in pages {
                buffer.set_words(first, page);
                first += page.len();
            }
        }
    }

    fn memories(&self) -> impl Iterator<Item = &Buffer> {
        let images = self.resources.images.iter().map(crate::memory::Image::texels);
        self.resources.buffers.iter().chain(images)
    }
}
