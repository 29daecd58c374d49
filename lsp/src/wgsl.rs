//! Shaders in WGSL: naga makes SPIR-V of them, which says where in the source its instructions come from.

use std::error::Error;
use std::ops::Range;

use naga::back::spv;
use naga::front::wgsl;
use naga::valid::{ValidationFlags, Validator};

/// The extension of their files.
pub const EXTENSION: &str = "wgsl";

/// What is wrong with a shader, in naga's words.
#[derive(Debug, PartialEq, Eq)]
pub struct Mistake {
    pub message: String,
    /// Bytes of the source; none where it is about all of it.
    pub range: Range<usize>,
    /// What else is at which place.
    pub labels: Vec<(Range<usize>, String)>,
}

impl Mistake {
    fn new(message: String, labels: impl Iterator<Item = (naga::Span, String)>) -> Mistake {
        let labels = labels.filter_map(|(span, label)| Some((span.to_range()?, label)));
        let mut labels: Vec<_> = labels.collect();
        let range = labels.first().map_or(0..0, |(range, _)| range.clone());
        // Some are names of naga's own types.
        labels.retain(|(_, label)| !label.is_empty() && !label.starts_with("naga::"));
        Mistake { message, range, labels }
    }
}

/// The longest source that is read, in bytes. naga calls itself for each operator of a chain, of which a byte or two make one more, and takes a time
/// that grows with the square of their number.
const MOST: usize = 64 << 10;

/// Enough for such calls over a whole source.
const STACK: usize = 1 << 30;

/// The words of the module of a shader, which says where they come from if `with_source`. `name`: what it calls its source.
///
/// # Errors
/// What naga says first, or why it is not asked.
pub fn compile(name: &str, source: &str, with_source: bool) -> Result<Vec<u32>, Mistake> {
    let whole = |message: String| Err(Mistake::new(message, std::iter::empty()));
    if source.len() > MOST {
        return whole(format!("{} bytes of WGSL: at most {MOST} are read", source.len()));
    }
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        match builder.spawn_scoped(scope, || compiled(name, source, with_source)).map(|thread| thread.join())
        {
            Ok(Ok(compiled)) => compiled,
            Ok(Err(_)) => whole("naga fails on this shader".to_owned()),
            Err(error) => whole(format!("there is no memory for naga's stack: {error}")),
        }
    })
}

fn compiled(name: &str, source: &str, with_source: bool) -> Result<Vec<u32>, Mistake> {
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
    spv::write_vec(&module, &info, &options, None)
        .map_err(|error| Mistake::new(words(&error), std::iter::empty()))
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
