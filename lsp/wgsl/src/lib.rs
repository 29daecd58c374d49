//! WGSL to SPIR-V: naga makes modules, which say where in the source their instructions come from.
//!
//! naga calls itself for each operator of a chain, and takes a time that grows with the square of their number: callers give it the stack that
//! [`MOST`] bytes can take, or end what it runs in.

// No input ends the program: what cannot be is an error. Tests may.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![deny(missing_docs)]

use std::error::Error;
use std::ops::Range;

use naga::back::spv;
use naga::front::wgsl;
use naga::valid::{ValidationFlags, Validator};

/// The extension of its files.
pub const EXTENSION: &str = "wgsl";

/// The longest source that is read, in bytes.
pub const MOST: usize = 64 << 10;

/// What is wrong with a shader, in naga's words.
#[derive(Debug, PartialEq, Eq)]
pub struct Mistake {
    /// A sentence without a full stop.
    pub message: String,
    /// Bytes of the source; none where it is about all of it.
    pub range: Range<usize>,
    /// What else is at which place.
    pub labels: Vec<(Range<usize>, String)>,
}

impl Mistake {
    /// About all of the source.
    #[must_use]
    pub fn whole(message: String) -> Mistake {
        Mistake { message, range: 0..0, labels: Vec::new() }
    }

    fn new(message: String, labels: impl Iterator<Item = (naga::Span, String)>) -> Mistake {
        let labels = labels.filter_map(|(span, label)| Some((span.to_range()?, label)));
        let mut labels: Vec<_> = labels.collect();
        let range = labels.first().map_or(0..0, |(range, _)| range.clone());
        // Some are names of naga's own types.
        labels.retain(|(_, label)| !label.is_empty() && !label.starts_with("naga::"));
        Mistake { message, range, labels }
    }
}

/// The words of the module of a shader, which says where they come from if `with_source`. `name`: what it calls its source.
///
/// # Errors
/// What naga says first, or why it is not asked.
pub fn compile(name: &str, source: &str, with_source: bool) -> Result<Vec<u32>, Mistake> {
    if source.len() > MOST {
        return Err(Mistake::whole(format!("{} bytes of WGSL: at most {MOST} are read", source.len())));
    }
    let module = wgsl::parse_str(source).map_err(|error| {
        let notes = error.notes().map(|note| format!("; {note}"));
        let message = error.message().to_owned() + &notes.collect::<String>();
        Mistake::new(message, error.labels().map(|(span, label)| (span, label.to_owned())))
    })?;
    let capabilities = spv::supported_capabilities();
    let info = Validator::new(ValidationFlags::all(), capabilities).validate(&module).map_err(|error| {
        let spans = error.spans().cloned().collect::<Vec<_>>();
        Mistake::new(words(error.as_inner()), spans.into_iter())
    })?;
    let options = spv::Options {
        lang_version: (1, 6),
        flags: spv::WriterFlags::DEBUG | spv::WriterFlags::LABEL_VARYINGS,
        // What a shader does outside of its buffers is to be seen, and its loops are as they are written.
        force_loop_bounding: false,
        debug_info: with_source.then_some(spv::DebugInfo {
            source_code: source,
            file_name: name,
            language: spv::SourceLanguage::WGSL,
        }),
        ..spv::Options::default()
    };
    spv::write_vec(&module, &info, &options, None).map_err(|error| Mistake::whole(words(&error)))
}

/// An error with what led to it.
fn words(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        message += &format!(": {error}");
        cause = error.source();
    }
    message
}
