//! How a project may be built, by the files that are in it.

use coopmat_analysis::project::FILE_NAME;

use crate::host::Host;
use crate::paths;
use crate::session::Session;

/// What setting a project up would do.
pub struct Proposal {
    /// Where the command runs.
    pub folder: String,
    /// The project file.
    pub file: String,
    /// Whether it is there already.
    pub exists: bool,
    /// The command, and the file by which it was chosen.
    pub command: Option<(String, String)>,
}

/// For the project of a document, or for the first of the workspace. `None`: there is none.
pub fn propose(document: Option<&str>, session: &Session) -> Option<Proposal> {
    let host = &*session.host;
    let of_document = document.and_then(|path| {
        let parent = paths::parent(path)?;
        Some(
            session
                .folder_of(path)
                .map(str::to_owned)
                .or_else(|| host.repository(parent))
                .unwrap_or_else(|| parent.to_owned()),
        )
    });
    let folder = of_document.or_else(|| session.folders.first().cloned())?;
    let file = format!("{folder}/{FILE_NAME}");
    Some(Proposal {
        exists: host.stamp(&file).is_some(),
        command: document.and_then(|path| generator(path, &folder, host)).or_else(|| build(&folder, host)),
        folder,
        file,
    })
}

/// Build systems by a file in the folder of the project, the first that is there. Builds into a folder of their own come first: they begin from
/// scratch, and leave nothing behind.
const BUILDS: &[(&str, &str)] = &[
    ("CMakeLists.txt", "cmake -S . -B {build} && cmake --build {build}"),
    ("meson.build", "meson setup {build} && meson compile -C {build}"),
    ("build.rs", "cargo build --target-dir {build}"),
    ("Makefile", "make -B"),
    ("makefile", "make -B"),
    ("GNUmakefile", "make -B"),
];

fn build(folder: &str, host: &dyn Host) -> Option<(String, String)> {
    let there = |name: &str| host.stamp(&format!("{folder}/{name}")).is_some();
    let (name, command) = BUILDS.iter().find(|(name, _)| there(name))?;
    Some(((*command).to_owned(), (*name).to_owned()))
}

/// A generator of shader variants that is known to be one: that of ggml, which llama.cpp and others have. It needs a C++ compiler alone, while the
/// project's whole build needs Vulkan's development files.
fn generator(document: &str, folder: &str, host: &dyn Host) -> Option<(String, String)> {
    const GENERATOR: &str = "vulkan-shaders-gen.cpp";
    if cfg!(windows) {
        return None;
    }
    let mut at = paths::parent(document)?;
    while host.stamp(&format!("{at}/{GENERATOR}")).is_none() {
        at = paths::parent(at).filter(|parent| *parent == folder || paths::is_inside(parent, folder))?;
    }
    let place = at.strip_prefix(folder).map_or(at, |rest| rest.trim_start_matches('/'));
    let place = if place.is_empty() { "." } else { place };
    let cd = format!("cd '{}'", place.replace('\'', "'\\''"));
    let command = format!(
        "{cd} && c++ -std=c++17 -O1 -pthread $(grep -o 'GGML_VULKAN_[A-Z0-9_]*_GLSLC_SUPPORT' {GENERATOR} | sort -u | sed s/^/-D/) {GENERATOR} -o {{build}}/gen && \
         for shader in *.comp; do {{build}}/gen --source \"$PWD/$shader\" --output-dir {{build}} || exit 1; done"
    );
    Some((command, GENERATOR.to_owned()))
}
