//! What a listing's first comments say of the module's header: version, generator, bound.

use std::ops::Range;

use crate::text::generator_number;

/// The words of a module's header but the first.
pub(super) struct Header {
    pub version: u32,
    pub generator: u32,
    /// The lowest bound.
    pub bound: u32,
    pub schema: u32,
}

impl Header {
    /// From the comments `; Version: 1.6`, `; Generator: NAME; 11`, `; Bound: 72` and `; Schema: 0` that `spirv-dis` writes above the
    /// first instruction. What is not said is version 1.6 of an unknown generator.
    pub fn of(source: &str, comments: &[Range<usize>], first_instruction: usize) -> Header {
        let mut header = Header { version: 0x0001_0600, generator: 0, bound: 1, schema: 0 };
        for comment in comments.iter().take_while(|comment| comment.end <= first_instruction) {
            let text = source[comment.clone()].trim_start_matches(';').trim();
            let Some((name, value)) = text.split_once(':') else { continue };
            let value = value.trim();
            match name {
                "Version" => {
                    let parts = value.split_once('.');
                    let number = |text: &str| text.parse::<u8>().ok().map(u32::from);
                    let parts = parts.and_then(|(major, minor)| number(major).zip(number(minor)));
                    if let Some((major, minor)) = parts {
                        header.version = major << 16 | minor << 8;
                    }
                }
                "Generator" => {
                    let (tool, version) = value.rsplit_once(';').unwrap_or((value, "0"));
                    if let (Some(tool), Ok(version)) =
                        (generator_number(tool.trim()), version.trim().parse::<u16>())
                    {
                        header.generator = tool << 16 | u32::from(version);
                    }
                }
                "Bound" => {
                    let bound = value.parse().ok().filter(|&bound| bound <= crate::MAXIMUM_BOUND);
                    header.bound = bound.unwrap_or(header.bound);
                }
                "Schema" => header.schema = value.parse().unwrap_or(header.schema),
                _ => {}
            }
        }
        header
    }
}
