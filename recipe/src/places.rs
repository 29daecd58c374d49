//! Which line of which file each instruction of a module comes from, as far as the module tells.

use coopmat_spirv::debug::DebugInfo;
use coopmat_spirv::dr::Module;

use crate::report::SourcePlace;

/// The places of all instructions, by their index in the module.
pub fn of_module(module: &Module) -> Vec<Option<SourcePlace>> {
    of(&DebugInfo::of(module))
}

/// The places of all instructions, by their index in the module that says this.
pub fn of(debug: &DebugInfo) -> Vec<Option<SourcePlace>> {
    let place = |place: coopmat_spirv::debug::Place| {
        let path = debug.files.get(place.file as usize).map_or(String::new(), |file| file.name.clone());
        // Some compilers tell lines without columns.
        SourcePlace { path, line: place.line, column: place.column.max(1) }
    };
    debug.places.iter().map(|one| one.map(place)).collect()
}
