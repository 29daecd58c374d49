//! The target device of a configuration: a built-in profile by its name, or the user's own from a file.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::devices::{self, DeviceProfile};
use coopmat_analysis::preprocess::join_path;

/// Finds the profile that the configuration names; a name that ends in `.json` is a path, relative to `folder`. `read` says why it does not read
/// what there may be.
///
/// # Errors
/// That there is no such profile, or what is wrong with it. The configuration has no device then.
pub fn resolve_device(
    configuration: &mut Configuration,
    folder: &str,
    read: impl Fn(&str) -> Result<Option<Arc<str>>, String>,
) -> Result<(), String> {
    let Some(device) = configuration.device.clone() else { return Ok(()) };
    let found = if device.ends_with(".json") {
        let path = join_path(folder, &device.replace('\\', "/"));
        let text = read(&path).and_then(|text| text.ok_or_else(|| format!("{path}: cannot read the file")));
        text.and_then(|text| DeviceProfile::parse(&text).map_err(|error| format!("{path}: {error}")))
            .map(|profile| Some(Arc::new(profile)))
    } else {
        devices::find(&device).map(|_| None)
    };
    match found {
        Ok(profile) => {
            configuration.profile = profile;
            Ok(())
        }
        Err(message) => {
            configuration.device = None;
            Err(message)
        }
    }
}
