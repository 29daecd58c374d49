//! Shader modules as files: those that the program makes are written, and those that are there are taken instead.

use std::borrow::Cow;
use std::path::Path;

use coopmat_driver_report::Event;

use crate::driver::Driver;

/// A module's name among files: the same for the same words, on every machine and in every version (FNV-1a).
fn name_of(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}.spv")
}

impl Driver {
    /// The words to make a module of: those of the program, or of the file that is to replace them.
    pub fn exchange<'w>(&mut self, words: &'w [u32]) -> Cow<'w, [u32]> {
        let (to, from) = (self.options.shaders_to.clone(), self.options.shaders_from.clone());
        if to.is_none() && from.is_none() {
            return Cow::Borrowed(words);
        }
        let name = name_of(words);
        let failed = |option: &str, path: &Path, error: &dyn std::fmt::Display| Event::Internal {
            call: option.to_owned(),
            message: format!("{}: {error}", path.display()),
        };
        if let Some(folder) = to {
            let path = Path::new(&folder).join(&name);
            if let Err(error) = std::fs::write(&path, coopmat_spirv::to_bytes(words)) {
                self.report(failed("--write-shaders", &path, &error));
            }
        }
        let Some(folder) = from else { return Cow::Borrowed(words) };
        let path = Path::new(&folder).join(&name);
        if !path.exists() {
            return Cow::Borrowed(words);
        }
        let read = std::fs::read(&path).map_err(|error| error.to_string());
        let read = read.and_then(|bytes| match bytes.as_chunks::<4>() {
            (words, []) => Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect::<Vec<u32>>()),
            _ => Err(format!("{} bytes are no module: expected a multiple of 4", bytes.len())),
        });
        match read {
            Ok(new) => {
                self.report(Event::Replaced { shader: path.to_string_lossy().into_owned() });
                Cow::Owned(new)
            }
            Err(error) => {
                self.report(failed("--read-shaders", &path, &error));
                Cow::Borrowed(words)
            }
        }
    }
}
